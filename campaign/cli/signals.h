/* signals.h - signals that stop the program: SIGINT, SIGTERM, SIGUSR1, ... */
#ifndef RC_CAMPAIGN_CLI_SIGNALS_H
#define RC_CAMPAIGN_CLI_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM, SIGUSR1, SIGUSR2 and SIGHUP only set a flag, unless they
 * are ignored.  SIGXFSZ and SIGPIPE are ignored, so that a file that may not grow and a
 * reader that is gone are errors like any other.
 */
void rc_signals_watch(void);

/* From now on they end the process again. */
void rc_signals_leave(void);

/* The signal that came, or 0. */
int rc_signals_came(void);

/* One came, and the grace for the present unit (5 s) is over, or a second, different
 * one came.
 */
bool rc_signals_pressing(void);

/* Sets the grace to 0.3 s: the launcher kills this process soon after the signal. */
void rc_signals_hurry(void);

/* From now on, until a call with NULL, a user's code runs that may never return.  If it
 * still runs a second after a signal presses, the process ends with status 3, and names
 * 'what', which must live until then.
 */
void rc_signals_inside(const char *what);

#endif
