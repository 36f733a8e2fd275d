/* parts.h - shared by the readers of result files */
#ifndef RC_IO_IMPORT_PARTS_H
#define RC_IO_IMPORT_PARTS_H

#include "io/import/import.h"
#include "io/text/lines.h"

extern const struct rc_import_format rc_import_cat;

bool rc_lines_begins(const struct rc_lines *lines, const char *with);

/* The line without '#' and blanks in front, cut to fit and ended by a 0. */
void rc_lines_comment(const struct rc_lines *lines, char *out, size_t room);

/* Fails because the file ends too early. */
int rc_lines_end(const struct rc_lines *lines, const char *expected,
                 struct rc_error *err);

/* Reads the next word as a number from 0 on, without zeros at the end of its decimals;
 * the whole word must be a number: "8x" and "1e3" are not.  'expected' names the number
 * in the error. rc_words_done() checks that there is no further word.
 */
int rc_words_number(struct rc_words *words, const char *expected,
                    struct rc_import_number *out, struct rc_error *err);
int rc_words_done(struct rc_words *words, struct rc_error *err);

/* Appends a point with its name; its ideals are not known yet.  'basis' points to them
 * until the next point is added; NULL: the suite has none.
 */
int rc_import_add_point(struct rc_import_file *file,
                        const struct rc_import_point *point, double **basis,
                        struct rc_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Appends a number of the file; numbers are point by point, and by thread within a
 * point.
 */
int rc_import_add_number(struct rc_import_file *file, struct rc_import_number number,
                         struct rc_error *err);

/* CAT's files have one grammar: a line that begins with '#' is a comment, any other
 * line has numbers: a key, a reading of each thread, and further numbers of some
 * benchmarks.  A comment begins a section, whose kernel it names; numbers without one
 * are not known, except in benchmarks with a fixed list of lines.
 */
enum { RC_CAT_BEHIND_MAX = 8, RC_CAT_LEVELS = 4 };

/* A file that is being read, and the place in it. */
struct rc_cat_reader {
    struct rc_lines lines;
    struct rc_import_file *out;  /* is filled */
    char section[64];            /* its comment */
    size_t sections;             /* with lines, the present one included */
    size_t first;                /* the number of the section's first point */
    size_t section_lines;        /* of each section; 0: the first one has not ended */
    int pattern;                 /* of the section, as the next two: RANDOM ... */
    long long stride;            /* bytes */
    double pages;                /* in a block of random accesses */
    double cache[RC_CAT_LEVELS]; /* bytes of each level for a core; 0: not known */
};

/* The files of a benchmark. */
struct rc_cat_benchmark {
    const char *ending;           /* of its files' names */
    struct rc_import_suite suite; /* that the files become */
    size_t lines;                 /* of the fixed list; 0: comments name the kernels */
    const char *key;              /* meaning of the first number; NULL: there is none */
    size_t behind;                /* numbers after the readings */
    /* Reads a comment; *begins: it begins a section.  NULL: all do, except titles. */
    int (*comment)(struct rc_cat_reader *reader, bool *begins, struct rc_error *err);
    /* Adds the point of a line. */
    int (*point)(struct rc_cat_reader *reader, uint64_t key, const double *behind,
                 struct rc_error *err);
    /* Checks that all sections are there; may be NULL. */
    int (*check)(struct rc_cat_reader *reader, struct rc_error *err);
};

/* cat_points.c: all benchmarks, ended by one without an ending. */
extern const struct rc_cat_benchmark rc_cat_benchmarks[];

#endif
