/* The ideals that files of users name: which it is, or which one was meant. */
#include "kernels/own/own.h"

#include "campaign/base/text.h"

#include <stdio.h>

int rc_own_ideal(const char *name, size_t length, enum rc_ideal *out,
                 struct rc_error *err)
{
    const char *names[RC_IDEAL_COUNT + 1] = {NULL};
    char word[32];

    snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), name);
    *out = rc_ideal_find(word);
    if (*out != RC_IDEAL_COUNT && length < sizeof word)
        return RC_OK;
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        names[i] = rc_ideal_name((enum rc_ideal)i);
    const int nearest = rc_text_nearest(word, names);
    return rc_fail(err, RC_EUSAGE, "no ideal '%s'%s%s%s", word,
                   nearest < 0 ? ", see 'rollcall kernels --suite NAME'"
                               : ", did you mean '",
                   nearest < 0 ? "" : names[nearest], nearest < 0 ? "" : "'?");
}
