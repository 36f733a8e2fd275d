/* drain.h - reads the blocks of threads into the journal */
#ifndef RC_CAMPAIGN_PROFILE_SAMPLER_DRAIN_H
#define RC_CAMPAIGN_PROFILE_SAMPLER_DRAIN_H

#include "campaign/profile/wire/shared_file.h"
#include "campaign/profile/wire/watch.h"
#include "campaign/profile/wire/writer.h"

/* The reader of all blocks. */
struct rc_profile_drain;
int rc_profile_drain_open(const struct rc_profile_shared *shared,
                          struct rc_profile_writer *writer,
                          struct rc_profile_drain **out, struct rc_error *err);
void rc_profile_drain_close(struct rc_profile_drain *drain); /* accepts NULL */

/* Writes what is new; with 'rows' rows that changed, too.  Blocks whose thread has
 * ended, or whose process is gone, are read out to their end and made free.  Entries
 * that could not be written stay where they are.
 */
void rc_profile_drain_round(struct rc_profile_drain *drain,
                            struct rc_profile_watch *watch, bool rows);
size_t rc_profile_drain_open_blocks(const struct rc_profile_drain *drain);
/* So far, of all blocks: numbers for struct rc_profile_cost. */
void rc_profile_drain_totals(const struct rc_profile_drain *drain,
                             struct rc_profile_cost *out);

/* The block of that number, and the number of its place; NULL: no thread has it. */
struct rc_shared_block *rc_profile_drain_block(const struct rc_profile_drain *drain,
                                               uint32_t number, uint64_t *place);

#endif
