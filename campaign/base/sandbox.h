/* sandbox.h - trying in a child process what may crash
 *
 * For libraries that do not survive every file that a stranger made: a child does the
 * work first, and this process only if the child came through.
 */
#ifndef RC_CAMPAIGN_BASE_SANDBOX_H
#define RC_CAMPAIGN_BASE_SANDBOX_H

/* How the child ended. */
enum rc_survival {
    RC_SURVIVED, /* 'work' returned */
    RC_DIED,     /* by a signal, or it ended the process */
    RC_TOO_LATE, /* it was ended since it went on for too long; also by a limit of
                  * processor time (RLIMIT_CPU) that 'work' may have set itself */
};

/* Runs 'work' in a child, a copy of this process, for at most 'seconds' (not 0), which
 * 'work' itself may extend by alarm(); time during which the process is stopped counts.
 * Only that it came to its end is seen here, whatever its result: the child writes
 * nothing to standard output and error, leaves no core file, runs no exit handlers, and
 * ends when this process does.  It must not call MPI.  'ended', which may be NULL, is
 * the status that waitpid() gives.  RC_SURVIVED also where no child could be started,
 * as there is no other way then.
 */
enum rc_survival rc_sandbox_run(void (*work)(const void *arg), const void *arg,
                                unsigned seconds, int *ended);

#endif
