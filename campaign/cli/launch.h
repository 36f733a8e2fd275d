/* launch.h - who started this process, told without starting MPI */
#ifndef RC_CAMPAIGN_CLI_LAUNCH_H
#define RC_CAMPAIGN_CLI_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

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
 * nothing does.
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
