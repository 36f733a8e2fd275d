/* Appends a campaign, its kinds, runs and origins to a journal.
 *
 * The order is a kind, its events, its suites, its groups, since a record may refer
 * only to earlier ones.
 */
#include "campaign/records/campaign_write.h"

#include "campaign/records/parts.h"

/* Events or groups in a record: far below RC_JOURNAL_PAYLOAD_MAX, however long their
 * texts are.
 */
enum { AT_ONCE = 4096 };

int rc_campaign_write(struct rc_journal *journal, uint32_t type, const void *record,
                      struct rc_error *err)
{
    struct rc_bytes payload = {0};
    int status = rc_record_put(type, record, &payload, err);

    if (status == RC_OK)
        status = rc_journal_append(journal, type, payload.byte, payload.count, err);
    rc_bytes_fini(&payload);
    return status;
}

int rc_campaign_write_run(struct rc_journal *journal, const struct rc_campaign_run *run,
                          struct rc_error *err)
{
    int status = rc_campaign_write(journal, RC_RECORD_RUN, &run->begin, err);

    if (status != RC_OK || !run->ended)
        return status;
    return rc_campaign_write(journal, RC_RECORD_END, &run->end, err);
}

/* Writes the list as records of up to 'at_once' items each. */
static int write_list(struct rc_journal *journal, uint32_t type, uint64_t kind,
                      const void *item, size_t count, size_t at_once,
                      struct rc_error *err)
{
    const size_t each = rc_record_shape(type)->form->bytes;
    struct rc_bytes payload = {0};
    int status = RC_OK;

    for (size_t i = 0; i < count; i += at_once) {
        const size_t most = count - i < at_once ? count - i : at_once;
        status = rc_record_put_list(type, kind, i, (const char *)item + i * each, most,
                                    &payload, err);
        if (status != RC_OK)
            break;
        status = rc_journal_append(journal, type, payload.byte, payload.count, err);
        if (status != RC_OK)
            break;
    }
    rc_bytes_fini(&payload);
    return status;
}

int rc_campaign_write_kind(struct rc_journal *journal,
                           const struct rc_campaign_kind *kind, struct rc_error *err)
{
    const uint64_t id = rc_record_kind_id(kind->record.key);
    int status;

    if ((status = rc_campaign_write(journal, RC_RECORD_KIND, &kind->record, err)) ||
        (status = write_list(journal, RC_RECORD_EVENTS, id, kind->event,
                             kind->event_count, AT_ONCE, err)) ||
        (status = write_list(journal, RC_RECORD_SUITE, id, kind->suite,
                             kind->suite_count, 1, err)))
        return status;
    return write_list(journal, RC_RECORD_GROUPS, id, kind->group, kind->group_count,
                      AT_ONCE, err);
}

int rc_campaign_write_all(struct rc_journal *journal, const struct rc_campaign *h,
                          struct rc_error *err)
{
    int status = rc_campaign_write(journal, RC_RECORD_CAMPAIGN, &h->record, err);

    if (status != RC_OK)
        return status;
    for (size_t k = 0; k < h->kind_count; k++)
        if ((status = rc_campaign_write_kind(journal, &h->kind[k], err)))
            return status;
    for (size_t i = 0; i < h->run_count; i++)
        if ((status = rc_campaign_write_run(journal, &h->run[i], err)))
            return status;
    for (size_t i = 0; i < h->origin_count; i++)
        if ((status = rc_campaign_write(journal, RC_RECORD_ORIGIN, &h->origin[i], err)))
            return status;
    return RC_OK;
}
