/* Compares two campaign files key by key, and says what a change would need.
 *
 * Values are compared as the texts that the full campaign file would have, so that
 * different spellings of one value are equal.  The meaning of a change of a setting is
 * in its row of rc_spec_settings[].
 */
#include "campaign/spec/parts.h"

#include "campaign/base/text.h"

#include <string.h>

/* Bytes shown of a long list. */
enum { SHOWN = 240 };

bool rc_spec_list_holds(const struct rc_spec_raw_list *list, const char *text)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i], text) == 0)
            return true;
    return false;
}

static bool holds_all(const struct rc_spec_raw_list *list,
                      const struct rc_spec_raw_list *of)
{
    for (uint32_t i = 0; i < of->count; i++)
        if (!rc_spec_list_holds(list, of->item[i]))
            return false;
    return true;
}

bool rc_spec_same_list(const struct rc_spec_raw_list *a,
                       const struct rc_spec_raw_list *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (strcmp(a->item[i], b->item[i]) != 0)
            return false;
    return true;
}

/* "a, b, c", or "a, b, ... (3,000 in all)"; 'none' stands for an empty list. */
static void show_list(const struct rc_spec_raw_list *list, const char *none, char *out,
                      size_t room)
{
    snprintf(out, room, "%s", list->count ? "" : none);
    for (uint32_t i = 0; i < list->count; i++) {
        if (strlen(out) + strlen(list->item[i]) > SHOWN) {
            rc_text_append(out, room, "%s... (%u in all)", i ? ", " : "", list->count);
            return;
        }
        rc_text_append(out, room, "%s%s", i ? ", " : "", list->item[i]);
    }
}

/* Compares one setting, and appends to 'lines' if it differs.  Patterns, which have no
 * setter, are compared in their order: the last one that matches decides.  A source
 * that is gone is a conflict, see enum rc_spec_change.
 */
static enum rc_spec_change compare_setting(const struct rc_spec_setting *setting,
                                           const struct rc_spec_texts *was,
                                           const struct rc_spec_texts *is, char *lines,
                                           size_t room)
{
    enum { WORDS = SHOWN + 64 };
    char before[WORDS], now[WORDS];
    const void *old = (const char *)&was->raw + setting->text;
    const void *new = (const char *)&is->raw + setting->text;
    enum rc_spec_change change = setting->change;

    if (setting->is_list) {
        const bool sources = setting->clear == offsetof(struct rc_spec, sources);
        const bool same = setting->set ? holds_all(old, new) && holds_all(new, old)
                                       : rc_spec_same_list(old, new);
        if (same)
            change = RC_SPEC_SAME;
        else if (sources && !holds_all(new, old))
            change = RC_SPEC_CONFLICT;
        const char *none =
            setting->clear == offsetof(struct rc_spec, axes) ? "none" : "all";
        show_list(old, none, before, sizeof before);
        show_list(new, none, now, sizeof now);
    } else {
        snprintf(before, sizeof before, "%s", *(char *const *)old);
        snprintf(now, sizeof now, "%s", *(char *const *)new);
        if (strcmp(*(char *const *)old, *(char *const *)new) == 0)
            change = RC_SPEC_SAME;
    }
    if (change != RC_SPEC_SAME)
        rc_text_append(lines, room, "%s%s: %s; now %s", *lines ? ";" : "", setting->key,
                       rc_text_printable(before, sizeof before, before),
                       rc_text_printable(now, sizeof now, now));
    return change;
}

enum rc_spec_change rc_spec_compare(const struct rc_spec *was, const struct rc_spec *is,
                                    char *lines, size_t room)
{
    struct rc_spec_texts before = {0}, now = {0};
    enum rc_spec_change change, most = RC_SPEC_SAME;

    lines[0] = 0;
    rc_spec_show(was, &before);
    rc_spec_show(is, &now);
    for (size_t i = 0; i < RC_SPEC_SETTINGS; i++) {
        change = compare_setting(&rc_spec_settings[i], &before, &now, lines, room);
        most = change > most ? change : most;
    }
    return most;
}
