#include "campaign/sources/model/counters.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

#define SEPARATORS " ,\t\n"
#define WORD_MOST 15

/* What numbers mean while a list of counters is read. */
struct numbering {
    unsigned base, count;
    const char *adjective;
};

static int read_word(const char *word, const struct numbering *kind, uint64_t *out,
                     struct rc_error *err)
{
    char low[WORD_MOST + 1];
    const char *dash = strchr(word, '-');
    uint64_t first, last;

    memcpy(low, word, strlen(word) + 1);
    if (dash)
        low[dash - word] = 0;
    if (rc_text_count(low, &first) || rc_text_count(dash ? dash + 1 : low, &last) ||
        last < first)
        return rc_fail(err, RC_EUSAGE,
                       "'%s' is no counter, expected such as 'any', '0-3', '0 2' or "
                       "'fixed 1'",
                       word);
    if (last >= kind->count)
        return rc_fail(err, RC_EUSAGE,
                       "no %s counter %llu, this bank has %u of them from 0 on",
                       kind->adjective, (unsigned long long)last, kind->count);
    for (uint64_t i = first; i <= last; i++)
        *out |= UINT64_C(1) << (kind->base + i);
    return RC_OK;
}

static uint64_t low_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

int rc_model_counters_read(const char *text, unsigned programmable, unsigned fixed,
                           uint64_t *out, struct rc_error *err)
{
    struct numbering kind = {0, programmable, "programmable"};
    uint64_t set = 0;

    for (text += strspn(text, SEPARATORS); *text; text += strspn(text, SEPARATORS)) {
        char word[WORD_MOST + 1];
        size_t length = strcspn(text, SEPARATORS);
        if (length > WORD_MOST)
            return rc_fail(err, RC_EUSAGE, "'%.40s' is no list of counters", text);
        memcpy(word, text, length);
        word[length] = 0;
        text += length;
        if (strcmp(word, "any") == 0)
            set |= low_bits(programmable);
        else if (strcmp(word, "fixed") == 0)
            kind = (struct numbering){programmable, fixed, "fixed"};
        else if (read_word(word, &kind, &set, err) != RC_OK)
            return RC_EUSAGE;
    }
    if (set == 0)
        return rc_fail(err, RC_EUSAGE,
                       "names no counter, expected such as 'any', '0-3', '0 2' or "
                       "'fixed 1'");
    *out = set;
    return RC_OK;
}

/* A matching under construction: which event holds each counter. */
struct matching {
    const uint64_t *allowed;
    uint64_t held;
    uint8_t holder[RC_MODEL_COUNTERS_MAX];
};

/* Finds a counter for an event, moving others where that helps.  'tried' are
 * the counters that were looked at on this path: each at most once, which also
 * bounds the recursion.
 */
static bool place(struct matching *m, size_t event, uint64_t *tried)
{
    uint64_t free_ones = m->allowed[event] & ~m->held;

    if (free_ones) {
        int counter = __builtin_ctzll(free_ones);
        m->held |= UINT64_C(1) << counter;
        m->holder[counter] = (uint8_t)event;
        return true;
    }
    for (uint64_t left; (left = m->allowed[event] & ~*tried) != 0;) {
        int counter = __builtin_ctzll(left);
        *tried |= UINT64_C(1) << counter;
        if (place(m, m->holder[counter], tried)) {
            m->holder[counter] = (uint8_t)event;
            return true;
        }
    }
    return false;
}

bool rc_model_counters_fit(const uint64_t *allowed, size_t count, size_t *stuck)
{
    struct matching m = {.allowed = allowed};

    for (size_t i = 0; i < count; i++) {
        uint64_t tried = 0;
        *stuck = i;
        if (i >= RC_MODEL_COUNTERS_MAX || !place(&m, i, &tried))
            return false;
    }
    return true;
}
