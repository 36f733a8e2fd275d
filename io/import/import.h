/* import.h - result files of other tools, read into a plain struct
 *
 * A table of formats: adding one is one file and one line.  A format recognizes its
 * files by their names and reads one at a time; it opens no files.  Files may come from
 * strangers: every line is checked, and no digit is lost. docs/for-cat-users.md is the
 * manual for users.
 */
#ifndef RC_IO_IMPORT_IMPORT_H
#define RC_IO_IMPORT_IMPORT_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RC_IMPORT_AXES_MAX 5

/* A benchmark of the tool as a suite; the files have its points. */
struct rc_import_suite {
    const char *name;          /* stable, such as "cat-branch" */
    const char *summary;       /* a description, and how the tool changed the numbers */
    const char *const *axes;   /* ended by NULL */
    const char *const *ideals; /* of the basis, ended by NULL; may be empty */
    bool leaves_core;          /* its work reaches the memory */
    unsigned decimals;         /* decimals of its numbers, as a rule */
};

/* One point of a file. */
struct rc_import_point {
    char *name;                       /* different from all others of its file */
    int64_t axis[RC_IMPORT_AXES_MAX]; /* its parameters, in the order of the axes */
};

/* A number of the file to its last digit: 'digits' / 10^'decimals'. */
struct rc_import_number {
    int64_t digits;
    unsigned decimals;
};

/* The content of one file: one event over the points of one suite. */
struct rc_import_file {
    const struct rc_import_suite *suite;
    struct rc_import_point *point;
    size_t point_count, room; /* points, and allocated ones */
    double *basis;            /* [point][ideal] per iteration; NAN: not known */
    size_t basis_count, basis_room;
    struct rc_import_number *number; /* [point][place] */
    size_t number_count, number_room;
    size_t place_count; /* threads that measured at once, or 1 */
    bool is_empty;      /* the tool left no reading: the event did not count */
};
void rc_import_file_fini(struct rc_import_file *file); /* accepts a zeroed one */

struct rc_import_format {
    const char *name;       /* "cat" */
    const char *summary;    /* "results of PAPI's Counter Analysis Toolkit" */
    const char *source;     /* of its events, by rollcall's names */
    const char *label;      /* of the source in results */
    const char *endings;    /* of its files' names, for people: "'.a' or '.b'" */
    const char *evidence;   /* how an event's scope is known */
    const char *no_reading; /* the meaning of a file without readings */

    /* The suite of a file of that name (without its directory), and the number of bytes
     * of the event at the name's begin.  NULL: not a file of this format.
     */
    const struct rc_import_suite *(*find)(const char *name, size_t *event_bytes);

    /* Reads the text of a file that find() knows.  RC_EUSAGE has the line, the text
     * found and the text expected.  rc_import_file_fini() in any case.
     */
    int (*read)(const struct rc_import_suite *suite, const char *text, size_t bytes,
                struct rc_import_file *out, struct rc_error *err);
};

/* All formats, ended by NULL, and one by its name (NULL: no such format). */
const struct rc_import_format *const *rc_import_formats(void);
const struct rc_import_format *rc_import_find(const char *name);

/* Whether both have the same points, with the same basis. */
bool rc_import_is_alike(const struct rc_import_file *a, const struct rc_import_file *b);

/* The digits of the number with 'decimals' decimals. -1: it would not be whole, or too
 * large.
 */
int rc_import_scale(struct rc_import_number number, unsigned decimals, int64_t *out);

#endif
