/* exclusive_parts.h - the board that the workers of a node share, for exclusive.c and
 * its test
 */
#ifndef RC_CAMPAIGN_QUEUE_EXCLUSIVE_PARTS_H
#define RC_CAMPAIGN_QUEUE_EXCLUSIVE_PARTS_H

#include "campaign/queue/exclusive.h"

struct rc_exclusive_board; /* zeroed memory that all members map; one of them sets it up
                            */

size_t rc_exclusive_board_bytes(size_t members);
int rc_exclusive_board_init(struct rc_exclusive_board *board, size_t members,
                            struct rc_error *err);

/* This thread becomes member 'self' of the board, which stays the caller's; all members
 * must have joined before one of them does anything else.
 */
int rc_exclusive_join(struct rc_exclusive_board *board, size_t self, size_t unit,
                      const struct rc_exclusive_idle *idle, struct rc_exclusive **out,
                      struct rc_error *err);

#endif
