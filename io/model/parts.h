/* parts.h - shared by the readers of other tools' measurements */
#ifndef RC_IO_MODEL_PARTS_H
#define RC_IO_MODEL_PARTS_H

#include "io/model/measured.h"

/* A format of a file that has readings of many points.  Adding one is a file with its
 * reader, a declaration here and a row of forms[] in read.c.
 */
struct rc_measured_form {
    const char *origin; /* "Extra-P's text": for provenance */
    /* Whether a text, ended by a 0 and not empty, is meant to be one. */
    bool (*is)(char *text, size_t bytes);
    /* Fills a draft; takes the text apart where it lies.  RC_EUSAGE: "line N: expected ...".  The draft is the caller's to
     * drop or end, even where it fails; NULL: there is none yet.
     */
    int (*read)(char *text, size_t bytes, struct rc_measured_draft **draft,
                struct rc_error *err);
};
extern const struct rc_measured_form rc_measured_extrap_text, rc_measured_extrap_json,
    rc_measured_json_lines, rc_measured_talpas, rc_measured_csv;

/* The format that a text is of; NULL: none of these. */
const struct rc_measured_form *rc_measured_find_form(char *text, size_t bytes);

/* A metric of a file that does not say what it counts: a time by its name or unit, else
 * what may be a count.
 */
struct rc_measured_metric rc_measured_guess(const char *name, const char *unit);

/* Adds a reading; "->" between the names of a call path becomes ';'. */
int rc_measured_add_path(struct rc_measured_draft *draft, const double *at,
                         const char *path, const struct rc_measured_metric *metric,
                         double value, double spread, struct rc_error *err);

/* The number that a word, which no 0 ends, is as a whole; false: it is none. */
bool rc_measured_number(const char *word, size_t length, double *out);

/* Files of one run each, whose parameters are in the names of their directories or in
 * their own, or in what they say of the run.
 */
struct rc_measured_run {
    const char *origin;
    bool (*is)(const char *text, size_t bytes);
    int (*add)(char *text, size_t bytes, const double *at,
               struct rc_measured_draft *draft, struct rc_error *err);
    /* Calls put() for each number that the file says of its run; NULL: it says none. */
    int (*head)(char *text, size_t bytes,
                int (*put)(void *context, const char *name, double value),
                void *context, struct rc_error *err);
};
extern const struct rc_measured_run rc_measured_cubex, rc_measured_cali;

/* Reads the runs in a directory, or the one run that 'path' is. */
int rc_measured_read_runs(const char *path, bool directory,
                          struct rc_measured_draft **draft, const char **origin,
                          struct rc_error *err);

/* Bytes of a file, at most. */
#define RC_MEASURED_FILE_MOST ((size_t)1 << 30)

/* A number of a kernel over the places (ranks, threads) of a run.  Times become their
 * mean and, where places are told apart, as the metric "NAME.max" their maximum; other
 * numbers become their sum.
 */
struct rc_measured_places {
    double sum, most, count;
    bool apart;
};
void rc_measured_place(struct rc_measured_places *places, double value);
int rc_measured_add_places(struct rc_measured_draft *draft, const double *at,
                           const char *path, const struct rc_measured_metric *metric,
                           const struct rc_measured_places *places,
                           struct rc_error *err);

#endif
