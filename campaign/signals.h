/* signals.h - being told to stop: SIGINT, SIGTERM, SIGUSR1 */
#ifndef RC_CAMPAIGN_SIGNALS_H
#define RC_CAMPAIGN_SIGNALS_H

#include <stdbool.h>

/* From now on these signals only set a mark; a second one of the same process
 * within the grace does no more.  SIGXFSZ is ignored, so that a file that may not
 * grow is an error like any other.
 */
void rc_signals_watch(void);

/* The signal that came, or 0. */
int rc_signals_came(void);

/* One came, and the grace for finishing what is at hand (5 s) is over. */
bool rc_signals_pressing(void);

#endif
