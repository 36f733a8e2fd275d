/* Shares of a campaign: which units a directory is to measure. */
#include "campaign/records/campaign_parts.h"

#include "campaign/base/text.h"
#include "campaign/records/parts.h"

#include <inttypes.h>
#include <stdlib.h>

/* A directory is one share, of all of its kinds. */
int rc_campaign_apply_share(struct rc_campaign *h, const struct rc_record_share *share,
                            struct rc_error *err)
{
    const struct rc_form *form = rc_record_shape(RC_RECORD_SHARE)->form;
    const struct rc_record_share *have = rc_campaign_share(h);
    const size_t at = rc_campaign_find_kind(h, share->kind);
    bool same = true;
    int status = RC_OK;

    if (at == h->kind_count)
        return rc_fail(err, RC_EUSAGE,
                       "a share of kind %016" PRIx64
                       ", which is not there, expected its record before",
                       share->kind);
    if (have && (have->number != share->number || have->of != share->of))
        return rc_fail(err, RC_EUSAGE,
                       "share %" PRIu32 " of %" PRIu32 ", and this is share %" PRIu32
                       " of %" PRIu32,
                       share->number, share->of, have->number, have->of);
    struct rc_campaign_kind *kind = &h->kind[at];
    /* They are in order, so the last of a suite does not tell the largest group. */
    for (size_t i = 0; i < share->count; i++)
        if (share->unit[i].suite >= kind->suite_count ||
            share->unit[i].group >= kind->group_count)
            return rc_fail(err, RC_EUSAGE,
                           "a share has suite %" PRIu32 ", group %" PRIu32
                           ", and the kind has %zu suites, %zu groups",
                           share->unit[i].suite, share->unit[i].group,
                           kind->suite_count, kind->group_count);
    if (kind->share.of)
        status = rc_form_same(form, &kind->share, share, &same, err);
    if (status != RC_OK)
        return status;
    if (!same)
        return rc_fail(err, RC_EUSAGE,
                       "the share of kind '%s' is there with other content",
                       kind->record.name);
    kind->share = *share;
    return RC_OK;
}

const struct rc_record_share *rc_campaign_share(const struct rc_campaign *h)
{
    for (size_t k = 0; k < h->kind_count; k++)
        if (h->kind[k].share.of)
            return &h->kind[k].share;
    return NULL;
}

uint64_t rc_campaign_share_units(const struct rc_campaign *h, bool own)
{
    uint64_t units = 0;

    for (size_t k = 0; k < h->kind_count; k++)
        units += own ? h->kind[k].share.count : h->kind[k].share.units;
    return units;
}

const char *rc_campaign_share_text(const struct rc_campaign *h, char *out, size_t room)
{
    const struct rc_record_share *share = rc_campaign_share(h);

    out[0] = 0;
    if (share)
        rc_text_append(out, room,
                       "share %" PRIu32 " of %" PRIu32 " (counted from 0): %" PRIu64
                       " of the campaign's %" PRIu64 " units",
                       share->number, share->of, rc_campaign_share_units(h, true),
                       rc_campaign_share_units(h, false));
    return out;
}

static int compare_units(const void *a, const void *b)
{
    const struct rc_record_share_unit *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->suite, x->group},
                              (uint64_t[]){y->suite, y->group}, 2);
}

bool rc_campaign_owns(const struct rc_campaign_kind *kind, uint32_t suite,
                      uint32_t group)
{
    const struct rc_record_share_unit wanted = {suite, group};

    return !kind->share.of ||
           (kind->share.count && bsearch(&wanted, kind->share.unit, kind->share.count,
                                         sizeof wanted, compare_units));
}
