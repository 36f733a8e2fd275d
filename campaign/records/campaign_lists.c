/* Finding a kind in a campaign, refusing records that do not fit into it, and saying
 * what was refused.
 */
#include "campaign/base/text.h"
#include "campaign/records/campaign_parts.h"

#include <inttypes.h>

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

void rc_campaign_say_damage(const struct rc_campaign *h,
                            void (*say)(void *arg, const char *line), void *arg)
{
    char line[RC_ERROR_TEXT];

    for (size_t i = 0; i < h->file_count; i++) {
        rc_journal_say(&h->file[i].report, h->file[i].path, line, sizeof line);
        if (line[0])
            say(arg, line);
    }
    if (h->records_refused == 0)
        return;
    line[0] = 0;
    rc_text_append(line, sizeof line,
                   "%" PRIu64 " record%s not understood and left out, the first: %s",
                   h->records_refused,
                   rc_text_plural(h->records_refused, " was", "s were"),
                   h->first_refusal);
    say(arg, line);
}
