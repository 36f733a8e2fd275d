/* launch.h - who started this process, told without starting MPI */
#ifndef RC_LAUNCH_H
#define RC_LAUNCH_H

#include <stdbool.h>

/* True where mpirun, srun or the like started this process as one of a team.
 * To be asked before MPI is started: that may set what is looked at.
 */
bool rc_launched(void);

/* The rank the launcher gave, 0 where there is none: for messages that must
 * come once, before MPI is there to ask.
 */
int rc_launch_rank(void);

#endif
