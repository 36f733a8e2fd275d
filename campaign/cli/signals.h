/* signals.h - being told to stop: SIGINT, SIGTERM, SIGUSR1, ... */
#ifndef RC_CAMPAIGN_CLI_SIGNALS_H
#define RC_CAMPAIGN_CLI_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM, SIGUSR1, SIGUSR2 and SIGHUP only set a mark, but for
 * those that are ignored.  SIGXFSZ and SIGPIPE are ignored, so that a file that may not
 * grow and a reader that has gone are errors like any other.
 */
void rc_signals_watch(void);

/* From now on they end the process again. */
void rc_signals_leave(void);

/* The signal that came, or 0. */
int rc_signals_came(void);

/* One came, and the grace for finishing what is at hand (5 s) is over, or another
 * one came that was not the same one, by another way.
 */
bool rc_signals_pressing(void);

/* The grace is 0.3 s: whoever started this process kills it soon after the signal. */
void rc_signals_hurry(void);

/* From now on, until a call with NULL, code of a user runs that may never return.  The
 * process ends with status 3, and names 'what', where it still runs a second after a
 * signal presses.  The name must live until then.
 */
void rc_signals_inside(const char *what);

#endif
