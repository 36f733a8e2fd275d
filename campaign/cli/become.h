/* become.h - the programs that lie beside 'rollcall', and go on in its place */
#ifndef RC_CAMPAIGN_CLI_BECOME_H
#define RC_CAMPAIGN_CLI_BECOME_H

/* Executes rollcall-main by these words.  Where it is not there, or cannot be run, it
 * says so and returns what the process exits with.  It says what is wrong with limits
 * of the stack, so that little of that is used here.
 */
int rc_become_main(char **argv);

/* As that by rollcall-launch, but silent. */
void rc_become_launcher(char **argv);

#endif
