/* history_parts.h - inside of history*.c only */
#ifndef RC_CAMPAIGN_HISTORY_PARTS_H
#define RC_CAMPAIGN_HISTORY_PARTS_H

#include "campaign/history.h"

/* The index of 'text' in a sorted list, or 'count'. */
size_t rc_history_find_text(const char *const *list, size_t count, const char *text);

#endif
