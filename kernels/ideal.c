/* The table of all ideals: names, suites and what they count. */
#include "kernels/ideal.h"

#include "campaign/base/text.h"

#include <stdio.h>
#include <string.h>

struct ideal {
    const char *name, *suite, *summary;
    bool exact;
};

static const struct ideal ideals[RC_IDEAL_COUNT + 1] = {
#define X(symbol, home, is_exact, text)                                                \
    [RC_IDEAL_##symbol] = {#symbol, home, text, is_exact},
    RC_IDEALS(X)
#undef X
        [RC_IDEAL_COUNT] = {"", "", "an ideal of a user's own", false},
};

const char *rc_ideal_name(enum rc_ideal ideal)
{
    return ideals[ideal].name;
}

const char *rc_ideal_suite(enum rc_ideal ideal)
{
    return ideals[ideal].suite;
}

const char *rc_ideal_summary(enum rc_ideal ideal)
{
    return ideals[ideal].summary;
}

bool rc_ideal_useful(enum rc_ideal ideal)
{
    return ideal >= RC_IDEAL_B_STREAM && ideal <= RC_IDEAL_OPS_USEFUL;
}

bool rc_ideal_exact(enum rc_ideal ideal)
{
    return ideals[ideal].exact;
}

enum rc_ideal rc_ideal_find(const char *name)
{
    for (unsigned i = 0; i < RC_IDEAL_COUNT; i++)
        if (strcmp(ideals[i].name, name) == 0)
            return (enum rc_ideal)i;
    return RC_IDEAL_COUNT;
}

int rc_ideal_read(const char *word, size_t length, const char *otherwise,
                  enum rc_ideal *out, struct rc_error *err)
{
    const char *names[RC_IDEAL_COUNT + 1] = {NULL};
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), word);
    *out = rc_ideal_find(name);
    if (*out != RC_IDEAL_COUNT && length < sizeof name)
        return RC_OK;
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        names[i] = ideals[i].name;
    const int nearest = rc_text_nearest(name, names);
    return nearest < 0 ? rc_fail(err, RC_EUSAGE, "no ideal '%s', %s", name, otherwise)
                       : rc_fail(err, RC_EUSAGE, "no ideal '%s', did you mean '%s'?",
                                 name, names[nearest]);
}
