/* own.h - suites of users, from files that are named on the command line */
#ifndef RC_KERNELS_OWN_OWN_H
#define RC_KERNELS_OWN_OWN_H

#include "kernels/kernel.h"

#include <stdbool.h>

#define RC_OWN_PREFIX "own-" /* the names of such suites begin with it */

/* Adds the suite of a file: a shared object with the table of rollcall_kernel.h, whose
 * code is run from then on, or YAML that names commands.  A file that was added before
 * is not added again.  RC_EUSAGE: the file is not a suite, or something in it is wrong;
 * nothing is added then.  The suite stays until the process ends.
 */
int rc_own_add(const char *path, struct rc_error *err);

/* Runs each point of such a suite in a child process, unless this process did so
 * before.  RC_ECONFLICT: one crashed, ended the process or did not end; the message
 * names it.  RC_OK for all other suites.
 */
int rc_own_try(const struct rc_suite *suite, struct rc_error *err);

/* Whether a name may be that of a user's suite, known here or not. */
bool rc_own_is_name(const char *name);

/* A suite as its file describes it, checked; strings live as long as the process. */
struct rc_own_point {
    const char *name;
    double count[RC_IDEAL_COUNT]; /* per iteration; NAN: not named, or not known */
    bool unknown[RC_IDEAL_COUNT]; /* the file says that the count is unknown */
    uint64_t iterations;
    char *const *command; /* words, ended by NULL; NULL: of a shared object */
};

struct rc_own_suite {
    const char *name, *summary;
    const char *made_by; /* compiler and flags, or NULL: instructions are counted */
    struct rc_own_point *point;
    size_t count;
    const struct rollcall_kernels *table; /* NULL: commands */
    void *kept;                           /* owner of the strings from YAML */
};
void rc_own_suite_fini(struct rc_own_suite *suite); /* also after a failure */

/* yaml.c: reads a file of commands into *out, without checking counts and names. */
int rc_own_read_yaml(const char *path, struct rc_own_suite *out, struct rc_error *err);

/* trial.c: work that a child process does to see whether it comes to its end. */
struct rc_own_trial {
    void (*work)(const struct rc_own_trial *trial);
    const void *of; /* for 'work' */
    char *at;       /* shared with the child: its present step */
};

/* In the child: names the step that begins; a step may take 20 s. */
void rc_own_trial_at(const struct rc_own_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* RC_ECONFLICT, with the step: the work did not come to its end. */
int rc_own_trial_run(struct rc_own_trial *trial, struct rc_error *err);

/* The 'otherwise' of rc_ideal_read() for words of users. */
#define RC_OWN_IDEALS "see 'rollcall kernels --suite NAME'"

enum { RC_OWN_POINTS_MOST = 1000 };

#endif
