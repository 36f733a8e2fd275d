/* parts.h - what the readers of result files share among themselves */
#ifndef RC_IO_IMPORT_PARTS_H
#define RC_IO_IMPORT_PARTS_H

#include "io/import/import.h"

extern const struct rc_import_format rc_import_cat;

/* A file line by line. */
struct rc_lines {
    const char *at, *end; /* what is left */
    size_t number;        /* of the line that was taken last, from 1 on */
    const char *line;     /* that line, not ended by a 0 */
    size_t length;
};

/* Takes the next line; false at the end.  A last line that does not end is taken for
 * cut off: *status is RC_EUSAGE then, else RC_OK.
 */
bool rc_lines_next(struct rc_lines *lines, int *status, struct rc_error *err);

/* "line N: 'WORD', expected ..."; the word is printable and cut.  RC_EUSAGE. */
int rc_lines_fail(const struct rc_lines *lines, const char *word, size_t length,
                  const char *expected, struct rc_error *err);

/* What a reader fails with where the file ends too early. */
int rc_lines_end(const struct rc_lines *lines, const char *expected,
                 struct rc_error *err);

/* Words of a line, with blanks and tabs between.  False: there is no more. */
struct rc_words {
    const struct rc_lines *lines;
    const char *at, *end;
    const char *word;
    size_t length;
};
void rc_words_begin(struct rc_words *words, const struct rc_lines *lines);
bool rc_words_next(struct rc_words *words);

/* The next word as a number from 0 on, to its last digit; as a whole number. */
int rc_words_number(struct rc_words *words, struct rc_import_number *out,
                    struct rc_error *err);
int rc_words_count(struct rc_words *words, const char *expected, uint64_t *out,
                   struct rc_error *err);
int rc_words_done(struct rc_words *words, struct rc_error *err);

/* Appends a point with its name; its ideals are not known yet.  'basis' may be NULL; it
 * gets where they are until the next point is added, NULL where the suite has none.
 */
int rc_import_add_point(struct rc_import_file *file,
                        const struct rc_import_point *point, double **basis,
                        struct rc_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
int rc_import_add_number(struct rc_import_file *file, struct rc_import_number number,
                         struct rc_error *err);
int rc_import_no_memory(struct rc_error *err);

/* cat_counts.c, cat_dcache.c: readers of the larger files. */
int rc_import_cat_vec(struct rc_lines *lines, struct rc_import_file *out,
                      struct rc_error *err);
int rc_import_cat_flops(struct rc_lines *lines, struct rc_import_file *out,
                        struct rc_error *err);
int rc_import_cat_instr(struct rc_lines *lines, struct rc_import_file *out,
                        struct rc_error *err);
int rc_import_cat_dcache(struct rc_lines *lines, struct rc_import_file *out,
                         struct rc_error *err);

#endif
