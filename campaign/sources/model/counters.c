/* Assigns the events of a group to the counters of a bank, if they fit.
 *
 * That is a matching in a bipartite graph of events and counters, which greedy choice
 * does not find: an event that may use one counter only has to get it from one that may
 * use several.  Events are added one by one, each by an augmenting path that a breadth
 * first search finds.
 */
#include "campaign/sources/model/counters.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

#define SEPARATORS " ,\t\n"
#define WORD_MOST 15

/* The meaning of numbers while a list of counters is read. */
struct numbering {
    unsigned base;         /* bit of counter 0 */
    unsigned count;        /* of counters */
    const char *adjective; /* "programmable" or "fixed", for messages */
};

/* Adds the counters of "3" or "0-3" to the set. */
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
        return rc_fail(
            err, RC_EUSAGE,
            "'%s' is not a counter, expected one such as 'any', '0-3', '0 2' or "
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

int rc_model_counters_read(const char *text, unsigned programmable, unsigned fixed,
                           uint64_t *out, struct rc_error *err)
{
    struct numbering kind = {0, programmable, "programmable"};
    uint64_t set = 0;

    for (text += strspn(text, SEPARATORS); *text; text += strspn(text, SEPARATORS)) {
        char word[WORD_MOST + 1];
        size_t length = strcspn(text, SEPARATORS);
        if (length > WORD_MOST)
            return rc_fail(err, RC_EUSAGE, "'%.40s' is not a list of counters", text);
        memcpy(word, text, length);
        word[length] = 0;
        text += length;
        if (strcmp(word, "any") == 0)
            set |= programmable >= 64 ? UINT64_MAX : (UINT64_C(1) << programmable) - 1;
        else if (strcmp(word, "fixed") == 0)
            kind = (struct numbering){programmable, fixed, "fixed"};
        else if (read_word(word, &kind, &set, err) != RC_OK)
            return RC_EUSAGE;
    }
    if (set == 0)
        return rc_fail(err, RC_EUSAGE,
                       "names no counter, expected one such as 'any', '0-3', '0 2' or "
                       "'fixed 1'");
    *out = set;
    return RC_OK;
}

/* A matching under construction: which event holds each counter, and which
 * counter each event holds.
 */
struct matching {
    const uint64_t *allowed;                /* counters that each event may use */
    uint64_t held;                          /* counters that are taken */
    uint8_t holder[RC_MODEL_COUNTERS_MAX];  /* event, by counter */
    uint8_t counter[RC_MODEL_COUNTERS_MAX]; /* counter, by event */
};

/* Moves events along a chain: the event that asked for 'counter' gets it and gives up
 * its own, which goes to the event that asked for that, and so on until 'event', which
 * had none, gets one.
 */
static void hand_on(struct matching *m, const uint8_t *asked_by, size_t event,
                    uint8_t counter)
{
    m->held |= UINT64_C(1) << counter;
    for (;;) {
        uint8_t taker = asked_by[counter], before = m->counter[taker];
        m->holder[counter] = taker;
        m->counter[taker] = counter;
        if (taker == event)
            return;
        counter = before;
    }
}

/* Finds a counter for an event.  If all that it may use are taken, looks for another
 * one for the events that hold these, then for those that hold that, and so on, and
 * moves the events.
 */
static bool place_event(struct matching *m, size_t event)
{
    uint8_t asked_by[RC_MODEL_COUNTERS_MAX], queue[RC_MODEL_COUNTERS_MAX + 1];
    size_t first = 0, last = 0;
    uint64_t seen = 0;

    queue[last++] = (uint8_t)event;
    while (first < last) {
        uint8_t asking = queue[first++];
        uint64_t wanted = m->allowed[asking] & ~seen;
        seen |= wanted;
        for (; wanted; wanted &= wanted - 1) {
            uint8_t counter = (uint8_t)__builtin_ctzll(wanted);
            asked_by[counter] = asking;
            if (!(m->held >> counter & 1)) {
                hand_on(m, asked_by, event, counter);
                return true;
            }
            queue[last++] = m->holder[counter];
        }
    }
    return false;
}

bool rc_model_counters_fit(const uint64_t *allowed, size_t count, size_t *stuck)
{
    struct matching m = {.allowed = allowed};

    for (size_t i = 0; i < count; i++) {
        *stuck = i;
        if (i >= RC_MODEL_COUNTERS_MAX || !place_event(&m, i))
            return false;
    }
    return true;
}
