/* argument.h - the text after "soft:": the machine to simulate */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_ARGUMENT_H
#define RC_CAMPAIGN_SOURCES_SOFT_ARGUMENT_H

#include "campaign/sources/soft/count.h"

#define RC_SOFT_ARGUMENT                                                               \
    "'host' or a list of l1d=, l1i=, l2=, l3=SIZE/WAYS, line=BYTES, "                  \
    "dtlb=ENTRIES[/WAYS], prefetch=none|next, predictor=ENTRIES, "                     \
    "window=INSTRUCTIONS, "                                                            \
    "steps=direct|trapped"

/* 'text' may be NULL.  'host' is the geometry of this machine, or NULL where it
 * is not known.  A mistake is RC_EUSAGE, with what was expected.
 */
int rc_soft_argument(const char *text, const struct rc_geometry *host,
                     struct rc_soft_options *out, struct rc_error *err);

/* The same as text that rc_soft_argument() reads. */
void rc_soft_argument_put(const struct rc_soft_options *options, char *out,
                          size_t room);

#endif
