/* The datasets of readings of a suite in campaign.h5, of which types and shapes; and
 * the attributes that a file may have or not.
 */
#include "io/store/parts.h"

#define SET(label, of_type, of_member)                                                 \
    .name = (label), .type = (of_type),                                                \
    .member = offsetof(struct rc_store_block, of_member)

const struct rc_store_attribute rc_store_made_from[RC_STORE_MADE_FROM] = {
    {"digest", offsetof(struct rc_store_campaign, digest)},
    {"definitions", offsetof(struct rc_store_campaign, definitions)},
    {"settings", offsetof(struct rc_store_campaign, settings)},
    {"added_definitions", offsetof(struct rc_store_campaign, added)}};

/* 'values' come first: chunks, and how much is written at once, are by their size. */
const struct rc_event_set rc_store_sets[RC_STORE_SETS] = {
    {SET("values", RC_EVENT_SIGNED, values), .scale = {"place", "repetition", "point"},
     .unit = "1", .required = true},
    {SET("enabled", RC_EVENT_UNSIGNED, enabled_ns), .scale = {"place", "repetition"},
     .unit = "ns", .required = true},
    {SET("running", RC_EVENT_UNSIGNED, running_ns), .scale = {"place", "repetition"},
     .unit = "ns", .required = true},
    {SET("status", RC_EVENT_BYTE, status), .scale = {"place", "repetition"},
     .required = true},
    {SET("stop", RC_EVENT_BYTE, stop), .scale = {"place"}},
    /* There are too many workers for an attribute. */
    {SET("worker", RC_EVENT_WORD, worker), .scale = {"place"}, .labels = "workers"},
};

/* A chunk is the same for all datasets of the suite, so that whoever writes whole
 * chunks of one does so in all. An event is never divided: the chunk is as many as fit
 * in RC_EVENT_CHUNK_BYTES of 'values'.
 */
void rc_store_size_set(struct rc_event_set *set, const void *results, size_t block)
{
    const struct rc_store_suite *suite = results;
    const size_t dims[] = {suite->place_count, suite->repetitions, suite->point_count};
    const size_t bytes = dims[0] * dims[1] * dims[2] * sizeof(int64_t);

    (void)block;
    for (size_t i = 0; i < sizeof dims / sizeof *dims && set->scale[i]; i++)
        set->dim[i] = dims[i];
    set->chunk = bytes > 0 ? RC_EVENT_CHUNK_BYTES / bytes : SIZE_MAX;
    if (set->type == RC_EVENT_WORD)
        set->limit = suite->worker_count;
    else if (set->type == RC_EVENT_BYTE && set->scale[1]) {
        set->words = suite->statuses;
        set->limit = suite->status_count;
    } else if (set->type == RC_EVENT_BYTE) {
        set->words = suite->stops;
        set->limit = suite->stop_count;
    }
}
