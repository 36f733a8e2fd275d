/* launch.h - who started this process, told without starting MPI */
#ifndef RC_CAMPAIGN_CLI_LAUNCH_H
#define RC_CAMPAIGN_CLI_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

/* A launch as the variables of its launcher have it (the table is in launch.c).  A
 * launcher whose rank is no number, or too large for how many it says there are, is
 * none.
 */
struct rc_launch {
    const char *launcher; /* "Open MPI", "Hydra", ...; NULL: none */
    int rank;             /* 0 where there is none */
    int size;             /* how many ranks there are; 0: it does not say */
    int local_rank;       /* among the ranks of this node; -1: it does not say */
    int local_size;       /* how many this node has; 0: it does not say */
    bool kills;           /* told to stop, it kills ranks that have not ended in 2 s */
    bool copies;          /* ranks of all nodes have the environment of its process */
};
bool rc_launch_find(struct rc_launch *out);

/* True where mpirun, srun or the like started this process as one of a team.
 * To be asked before MPI is started: that may set what is looked at.
 */
bool rc_launched(void);

/* The rank the launcher gave, 0 where there is none: for messages that must
 * come once, before MPI is there to ask.
 */
int rc_launch_rank(void);

/* Whether this process is the first of its node, for messages that must come once from
 * each; true where the launcher does not say.
 */
bool rc_launch_speaks(void);

/* How many ranks the launcher started; 0: it does not say. */
int rc_launch_size(void);

/* What names the job, the same in all of its processes and in no other job's; false:
 * nothing does.  Hydra gives jobs no name: on one node that is the process that its
 * ranks talk to, on several ones the port of its mpiexec, where that process has it in
 * its command line; else the ranks of each node have a name of their own.
 */
bool rc_launch_job(char *out, size_t room);

/* Sets what this program wants of Open MPI where the user has said nothing; to be
 * called before MPI is started.
 *
 * One-sided operations not by UCX: without a network that does them by itself it
 * cannot make a window between nodes (MPI_ERR_WIN, Open MPI 4.1), and a draw waits
 * inside of the request, spinning (docs/queue.md).
 */
void rc_launch_settings(void);

#endif
