/* export.h - metrics.h5 in the formats of others
 *
 * A table of formats: adding one is one file and one line.  Each writes to a
 * stream and says in a comment of its format, where that has any, what it left out
 * and why.  Names of events hold any character: they survive, or the metric is left
 * out.  docs/export.md is the manual for users.
 */
#ifndef RC_IO_EXPORT_EXPORT_H
#define RC_IO_EXPORT_EXPORT_H

#include "io/metrics/metrics.h"

#include <stdio.h>

/* Tables of the format "csv". */
enum rc_export_table {
    RC_EXPORT_METRICS,         /* a row for each term of each metric */
    RC_EXPORT_EVENTS,          /* for each event in each suite */
    RC_EXPORT_REPRESENTATIONS, /* for each event and coordinate */
};

/* "metrics", "events", "representations", NULL: in that order. */
extern const char *const rc_export_table_names[];

struct rc_export_choice {
    const char *kind;         /* NULL: all; formats of one kind refuse several */
    const char *const *suite; /* names, ended by NULL; NULL: all */
    bool approximate;         /* also metrics that are only approximate */
    enum rc_export_table table;
    bool raw;        /* csv: texts as they are, also those that a spreadsheet runs */
    const char *pmu; /* libpfm's name of the processor's counters; NULL: the kind's */
    bool *holds;     /* is set where something was written that is of use; or NULL */
};

/* Writes a file, as struct rc_export_format says. */
typedef int rc_export_write(struct rc_store *file,
                            const struct rc_export_choice *choice, FILE *out,
                            FILE *left_out, struct rc_error *err);

struct rc_export_format {
    const char *name; /* "papi" */
    /* Not collective: of a file that was opened by this process alone. 'left_out'
     * gets a line for each metric that the format cannot say, with the reason, then a
     * tab and the reason as others have it, too; names in it are printable.  Whether
     * 'out' could be written, ferror() tells.
     */
    rc_export_write *write;
    const char *each_suite; /* ending of files, of which a directory has one for each
                             * suite; NULL: the format goes into one file */
};

/* A format by its name; NULL: no such format. */
const struct rc_export_format *rc_export_find(const char *name);

/* Writes "DIR/RC_SUITE" with the format's ending for each suite that has something for
 * it; makes DIR where it is not there.  'tell' gets the name of each file.
 */
int rc_export_each_suite(struct rc_store *file, const struct rc_export_format *format,
                         const struct rc_export_choice *choice, const char *dir,
                         FILE *left_out, void (*tell)(const char *path),
                         struct rc_error *err);

/* How many metrics of the choice a format for tools would take, and in words why it is
 * none of them: "of 12 metrics none is defined: 9 not known, 3 rejected".
 */
size_t rc_export_count(const struct rc_store *file,
                       const struct rc_export_choice *choice, char *why, size_t room);

/* Why the choice is not complete, NULL: it is.  An event that can be counted and still
 * is of class invalid has too few valid readings, since the campaign was not complete
 * when it was solved; or no event of a kind counts.
 */
int rc_export_find_gaps(struct rc_store *file, const struct rc_export_choice *choice,
                        const char **why, struct rc_error *err);

#endif
