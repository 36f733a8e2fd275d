/* own.h - suites of users, of files that are named on the command line */
#ifndef RC_KERNELS_OWN_OWN_H
#define RC_KERNELS_OWN_OWN_H

#include "kernels/kernel.h"

#include <stdbool.h>

#define RC_OWN_PREFIX "own-" /* of the names of such suites */

/* Adds the suite of a file: a shared object with the table of rollcall_kernel.h, whose
 * code is run from then on, or YAML that names commands.  A file that was added before
 * is not added again.  RC_EUSAGE: it is none, or something in it is wrong; nothing is
 * added then.  The suite stays until the process ends.
 */
int rc_own_add(const char *path, struct rc_error *err);

/* Runs each point of such a suite in a child process, unless this process did so
 * before. RC_ECONFLICT: one crashed, ended the process or did not end; it is named.
 * RC_OK for all other suites.
 */
int rc_own_try(const struct rc_suite *suite, struct rc_error *err);

/* Whether a name may be that of a user's suite, known here or not. */
bool rc_own_is_name(const char *name);

/* A suite as its file says it, checked; the strings live as long as the process. */
struct rc_own_point {
    const char *name;
    double count[RC_IDEAL_COUNT]; /* per iteration; NAN: not named, or not known */
    bool unknown[RC_IDEAL_COUNT]; /* the file says so */
    uint64_t iterations;
    char *const *command; /* its words, ended by NULL; NULL: of a shared object */
};

struct rc_own_suite {
    const char *name, *summary;
    struct rc_own_point *point;
    size_t count;
    const struct rollcall_kernels *table; /* NULL: of commands */
    void *kept;                           /* what the strings are in, of YAML */
};
void rc_own_suite_fini(struct rc_own_suite *suite); /* accepts what a failure left */

/* yaml.c: reads a file of commands into *out, without checking counts and names. */
int rc_own_read_yaml(const char *path, struct rc_own_suite *out, struct rc_error *err);

/* trial.c: work that is done in a child process to see whether it comes to its end. */
struct rc_own_trial {
    void (*work)(const struct rc_own_trial *trial);
    const void *of; /* what 'work' is told */
    char *at;       /* shared with the child: the step that it is at */
};

/* In the child: names the step that begins, which has 20 s. */
void rc_own_trial_at(const struct rc_own_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* RC_ECONFLICT, with the step: it did not come to its end. */
int rc_own_trial_run(struct rc_own_trial *trial, struct rc_error *err);

/* rc_ideal_read() of what users wrote. */
#define RC_OWN_IDEALS "see 'rollcall kernels --suite NAME'"

enum { RC_OWN_POINTS_MOST = 1000 };

#endif
