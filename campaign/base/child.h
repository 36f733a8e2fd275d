/* child.h - running another program and reading what it says */
#ifndef RC_CAMPAIGN_BASE_CHILD_H
#define RC_CAMPAIGN_BASE_CHILD_H

#include "campaign/base/error.h"

#include <stdbool.h>

/* The outcome of a program that ended. */
struct rc_child {
    char *output;   /* of its standard output; never NULL */
    char *messages; /* of its standard error; never NULL */
    int exited;     /* its status; 128 and more: a signal ended it */
};

/* Runs words[0], found on the PATH, with these words and without a shell, in 'dir'
 * (NULL: here), with the file 'input' (NULL: none) as its standard input.  Any exit
 * status is a success.  RC_EIO: it was killed with all that it started, since it had
 * not ended after 'seconds' or had printed more than 16 MiB.  RC_EMISSING: there is no
 * such program.
 */
int rc_child_run(char *const *words, const char *dir, const char *input,
                 unsigned seconds, struct rc_child *out, struct rc_error *err);
void rc_child_fini(struct rc_child *child); /* accepts a zeroed one */

/* Fails with RC_EIO and the program's messages on one line: "sbatch: error: ...". */
int rc_child_failed(const struct rc_child *child, const char *what,
                    struct rc_error *err);

/* Whether a program of that name is on the PATH. */
bool rc_child_is_there(const char *program);

#endif
