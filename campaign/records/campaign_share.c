/* Shares of a campaign: which units a directory is to measure. */
#include "campaign/records/campaign_parts.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdlib.h>

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
