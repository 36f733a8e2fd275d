/* What a campaign says of itself, its kinds, runs and origins, appended to a journal.
 *
 * In this order, since a record may refer only to what stands before it: the kind, its
 * events, its suites, its groups.
 */
#include "campaign/records/campaign_write.h"

/* Events or groups in a record: far below RC_JOURNAL_PAYLOAD_MAX, whatever their texts.
 */
enum { AT_ONCE = 4096 };

/* 'status' is that of making the payload, which is freed. */
static int append_record(struct rc_journal *journal, uint32_t type, int status,
                         struct rc_bytes *payload, struct rc_error *err)
{
    if (status == RC_OK)
        status = rc_journal_append(journal, type, payload->byte, payload->count, err);
    rc_bytes_fini(payload);
    return status;
}

int rc_campaign_write_head(struct rc_journal *journal,
                           const struct rc_record_campaign *campaign,
                           struct rc_error *err)
{
    struct rc_bytes payload = {0};
    int status = rc_record_put_campaign(campaign, &payload, err);

    return append_record(journal, RC_RECORD_CAMPAIGN, status, &payload, err);
}

int rc_campaign_write_run(struct rc_journal *journal, const struct rc_campaign_run *run,
                          struct rc_error *err)
{
    struct rc_bytes payload = {0};
    int status = rc_record_put_run(&run->begin, &payload, err);

    status = append_record(journal, RC_RECORD_RUN, status, &payload, err);
    if (status != RC_OK || !run->ended)
        return status;
    status = rc_record_put_run(&run->end, &payload, err);
    return append_record(journal, RC_RECORD_END, status, &payload, err);
}

int rc_campaign_write_origin(struct rc_journal *journal,
                             const struct rc_record_origin *origin,
                             struct rc_error *err)
{
    struct rc_bytes payload = {0};
    int status = rc_record_put_origin(origin, &payload, err);

    return append_record(journal, RC_RECORD_ORIGIN, status, &payload, err);
}

static size_t piece_of(size_t first, size_t count)
{
    return count - first < AT_ONCE ? count - first : AT_ONCE;
}

int rc_campaign_write_kind(struct rc_journal *journal,
                           const struct rc_campaign_lists *kind, struct rc_error *err)
{
    const uint64_t id = rc_record_kind_id(kind->kind->key);
    struct rc_bytes payload = {0};
    int status = rc_record_put_kind(kind->kind, &payload, err);

    status = append_record(journal, RC_RECORD_KIND, status, &payload, err);
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < kind->event_count; i += AT_ONCE) {
        status = rc_record_put_events(id, i, kind->event + i,
                                      piece_of(i, kind->event_count), &payload, err);
        status = append_record(journal, RC_RECORD_EVENTS, status, &payload, err);
        if (status != RC_OK)
            return status;
    }
    for (size_t i = 0; i < kind->suite_count; i++) {
        status = rc_record_put_suite(id, i, &kind->suite[i], &payload, err);
        status = append_record(journal, RC_RECORD_SUITE, status, &payload, err);
        if (status != RC_OK)
            return status;
    }
    for (size_t i = 0; i < kind->group_count; i += AT_ONCE) {
        status = rc_record_put_groups(id, i, kind->group + i,
                                      piece_of(i, kind->group_count), &payload, err);
        status = append_record(journal, RC_RECORD_GROUPS, status, &payload, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_campaign_write_whole_kind(struct rc_journal *journal,
                                 const struct rc_campaign_kind *kind,
                                 struct rc_error *err)
{
    const struct rc_campaign_lists lists = {.kind = &kind->record,
                                            .event = kind->event,
                                            .suite = kind->suite,
                                            .group = kind->group,
                                            .event_count = kind->event_count,
                                            .suite_count = kind->suite_count,
                                            .group_count = kind->group_count};

    return rc_campaign_write_kind(journal, &lists, err);
}

int rc_campaign_write_all(struct rc_journal *journal, const struct rc_campaign *h,
                          struct rc_error *err)
{
    int status = rc_campaign_write_head(journal, &h->record, err);

    for (size_t k = 0; k < h->kind_count && status == RC_OK; k++)
        status = rc_campaign_write_whole_kind(journal, &h->kind[k], err);
    for (size_t i = 0; i < h->run_count && status == RC_OK; i++)
        status = rc_campaign_write_run(journal, &h->run[i], err);
    for (size_t i = 0; i < h->origin_count && status == RC_OK; i++)
        status = rc_campaign_write_origin(journal, &h->origin[i], err);
    return status;
}
