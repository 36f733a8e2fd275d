/* become.h - executes programs that lie beside 'rollcall' in its place */
#ifndef RC_CAMPAIGN_CLI_BECOME_H
#define RC_CAMPAIGN_CLI_BECOME_H

/* Executes rollcall-main with these words.  If that fails, it says so and returns the
 * exit status of the process.  It uses little stack, so that a failure by a limit of
 * the stack can be reported.
 */
int rc_become_main(char **argv);

/* To be called first in rollcall-main. rc_become_main() asks OpenBLAS for one thread,
 * unless the user has set another number: ranks fill the cores, and a source counts one
 * thread.  Each further thread would take 128 MiB of address space, and OpenBLAS would
 * try for ever to get them under a limit (ulimit -v; OpenBLAS issue 5289, fixed in
 * 0.3.30).  This call removes the setting again, for programs that are started.
 */
void rc_become_forget(void);

/* The same with rollcall-launch, but silent. */
void rc_become_launcher(char **argv);

#endif
