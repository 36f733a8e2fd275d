/* Finding a kind in a campaign, and refusing what does not fit into it. */
#include "campaign/base/text.h"
#include "campaign/records/campaign_parts.h"

size_t rc_campaign_find_kind(const struct rc_campaign *h, uint64_t id)
{
    size_t kind = 0;

    while (kind < h->kind_count && h->kind[kind].id != id)
        kind++;
    return kind;
}

void rc_campaign_refuse(struct rc_refusal *refusal, uint32_t file, uint64_t offset,
                        const char *text)
{
    if (refusal->count++ > 0 &&
        (refusal->file < file || (refusal->file == file && refusal->offset <= offset)))
        return;
    refusal->file = file;
    refusal->offset = offset;
    refusal->text[0] = 0;
    rc_text_append(refusal->text, sizeof refusal->text, "%s", text);
}
