/* counters.h - which counters of a bank an event may use, and what fits together
 *
 * The counters of a bank are the bits of a 64-bit number: the programmable ones from
 * bit 0, the fixed ones after them.
 */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_COUNTERS_H
#define RC_CAMPAIGN_SOURCES_MODEL_COUNTERS_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RC_MODEL_COUNTERS_MAX 64

/* Reads "any" (all programmable ones), "0-3", "0 2 5" or "0-3 fixed 1": after the word
 * 'fixed' numbers are those of fixed counters.  RC_EUSAGE with what is wrong.
 */
int rc_model_counters_read(const char *text, unsigned programmable, unsigned fixed,
                           uint64_t *out, struct rc_error *err);

/* Whether each of 'count' events gets a counter of its own out of those that it
 * may use: a matching, found by augmenting paths.  *stuck is the index of an
 * event that gets none.
 */
bool rc_model_counters_fit(const uint64_t *allowed, size_t count, size_t *stuck);

#endif
