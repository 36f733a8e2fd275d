/* become.h - the programs that lie beside 'rollcall', and go on in its place */
#ifndef RC_CAMPAIGN_CLI_BECOME_H
#define RC_CAMPAIGN_CLI_BECOME_H

/* Executes rollcall-main by these words.  Where it is not there, or cannot be run, it
 * says so and returns what the process exits with.  It says what is wrong with limits
 * of the stack, so that little of that is used here.
 */
int rc_become_main(char **argv);

/* To be called first in rollcall-main.  rc_become_main() asks OpenBLAS for one thread,
 * unless the user has said something else: ranks fill the cores, and a source counts
 * one thread.  Each other would take 128 MiB of address space, and would try for ever
 * to get them where a limit (ulimit -v) keeps it from it (OpenBLAS issue 5289, mended
 * in 0.3.30).  Programs that this one starts do not get the setting.
 */
void rc_become_forget(void);

/* As that by rollcall-launch, but silent. */
void rc_become_launcher(char **argv);

#endif
