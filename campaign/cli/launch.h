/* launch.h - how this process was launched, found without starting MPI */
#ifndef RC_CAMPAIGN_CLI_LAUNCH_H
#define RC_CAMPAIGN_CLI_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

/* A launch by its launcher's variables (the table is in launch.c).  A launcher whose
 * rank is not a number, or too large for its size, does not count.
 */
struct rc_launch {
    const char *launcher; /* "Open MPI", "Hydra", ...; NULL: none */
    int rank;             /* 0 without a launcher */
    int size;             /* number of ranks; 0: not known */
    int local_rank;       /* among the ranks of this node; -1: not known */
    int local_size;       /* number of this node's ranks; 0: not known */
    bool kills;           /* it kills ranks that do not end 2 s after a signal */
    bool copies;          /* the environment of its process goes to all nodes' ranks */
};
bool rc_launch_find(struct rc_launch *out);

/* True if mpirun, srun or the like started this process as one of a team.  To be called
 * before MPI is started, which may set the same variables.
 */
bool rc_launched(void);

/* The rank that the launcher gave, 0 without one: for messages that must come once,
 * before MPI is started.
 */
int rc_launch_rank(void);

/* Whether this process is the first of its node, for messages that must come once from
 * each; true if the launcher does not say.
 */
bool rc_launch_speaks(void);

/* The number of ranks that the launcher started; 0: not known. */
int rc_launch_size(void);

/* Names the job, the same in all of its processes and in no other job's; false: it has
 * no name.  Hydra gives jobs no name: on one node it is the process to which its ranks
 * talk, on several nodes the port of its mpiexec, if that process has it in its command
 * line; else the ranks of each node have a name of their own.
 */
bool rc_launch_job(char *out, size_t room);

/* Sets what this program needs of Open MPI, unless the user has set it; to be called
 * before MPI is started.
 *
 * One-sided operations must not use UCX: without a network that does them by itself it
 * cannot make a window between nodes (MPI_ERR_WIN, Open MPI 4.1), and a draw waits
 * inside of the request, spinning (docs/queue.md).
 */
void rc_launch_settings(void);

#endif
