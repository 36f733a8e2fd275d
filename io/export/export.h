/* export.h - metrics.h5 in the formats of other tools
 *
 * A table of formats: adding one is one file and one line.  Each writes to a stream; if
 * its format has comments, one says what was left out and why.  Names of events may
 * have any characters: they are kept, or the metric is left out. docs/export.md is the
 * manual for users.
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
    RC_EXPORT_RATES,           /* for each rate, node and point */
    RC_EXPORT_LAWS,            /* of a model (model.h): for each term of each law */
    RC_EXPORT_POINTS,          /* likewise: for each point, measured and predicted */
};

/* "metrics", "events", "representations", "rates", "laws", "points", NULL: in that
 * order.
 */
extern const char *const rc_export_table_names[];

struct rc_export_choice {
    const char *kind;         /* NULL: all; formats of one kind refuse several */
    const char *const *suite; /* names, ended by NULL; NULL: all */
    bool approximate;         /* also metrics that are only approximate */
    enum rc_export_table table;
    bool raw;        /* csv: without marks on texts that a spreadsheet runs */
    const char *pmu; /* libpfm's name of the processor's counters; NULL: the kind's */
    bool *holds;     /* set if anything useful was written; or NULL */
};

/* Writes a file: see struct rc_export_format. */
typedef int rc_export_write(struct rc_store *file,
                            const struct rc_export_choice *choice, FILE *out,
                            FILE *left_out, struct rc_error *err);

struct rc_export_format {
    const char *name; /* "papi" */
    /* Not collective: the file was opened by this process alone.  'left_out' gets a
     * line for each metric that the format cannot express: the reason, then a tab and
     * the reason without names; names in it are printable. ferror() says whether 'out'
     * could be written.
     */
    rc_export_write *write;
    const char *each_suite; /* ending of files, one for each suite; NULL: one file */
};

/* A format by its name; NULL: no such format. */
const struct rc_export_format *rc_export_find(const char *name);

/* Writes "DIR/RC_SUITE" with the format's ending for each suite with content for it;
 * makes DIR if it does not exist.  'tell' gets the name of each file.
 */
int rc_export_each_suite(struct rc_store *file, const struct rc_export_format *format,
                         const struct rc_export_choice *choice, const char *dir,
                         FILE *left_out, void (*tell)(const char *path),
                         struct rc_error *err);

/* The number of metrics of the choice that a format for tools would take, and in 'why'
 * the text if it takes none: "of 12 metrics none is defined: 9 not known, 3 rejected".
 */
size_t rc_export_count(const struct rc_store *file,
                       const struct rc_export_choice *choice, char *why, size_t room);

/* Why the choice is not complete; NULL: it is.  Either an event that can be counted has
 * class invalid: the campaign was solved before it was complete, and the event had too
 * few valid readings; or no event of a kind counts.
 */
int rc_export_find_gaps(struct rc_store *file, const struct rc_export_choice *choice,
                        const char **why, struct rc_error *err);

#endif
