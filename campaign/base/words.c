/* Scopes, verdicts and other words that every room shares, by number and by name. */
#include "campaign/base/words.h"

#include <string.h>

static const char *const scope_names[RC_SCOPE_COUNT + 1] = {
    [RC_SCOPE_CORE] = "core",       [RC_SCOPE_L2] = "l2",
    [RC_SCOPE_L3] = "l3",           [RC_SCOPE_NUMA] = "numa",
    [RC_SCOPE_PACKAGE] = "package", [RC_SCOPE_NODE] = "node",
    [RC_SCOPE_DEVICE] = "device",
};

static const char *const verdict_names[RC_VERDICT_COUNT + 1] = {
    [RC_VERDICT_UNTRIED] = "untried",
    [RC_VERDICT_OK] = "ok",
    [RC_VERDICT_NOT_PERMITTED] = "not permitted",
    [RC_VERDICT_UNSUPPORTED] = "unsupported",
    [RC_VERDICT_CANNOT_SCHEDULE] = "cannot be scheduled",
    [RC_VERDICT_COUNTS_NOTHING] = "counts nothing",
};

const char *rc_scope_name(enum rc_scope scope)
{
    return scope_names[scope];
}

const char *const *rc_scope_names(void)
{
    return scope_names;
}

const char *rc_verdict_name(enum rc_verdict verdict)
{
    return verdict_names[verdict];
}

const char *const *rc_verdict_names(void)
{
    return verdict_names;
}

enum rc_status rc_verdict_status(enum rc_verdict verdict)
{
    return verdict == RC_VERDICT_OK                ? RC_OK
           : verdict == RC_VERDICT_NOT_PERMITTED   ? RC_EPERM
           : verdict == RC_VERDICT_CANNOT_SCHEDULE ? RC_ECONFLICT
                                                   : RC_EUNSUPPORTED;
}

int rc_word_find(const char *word, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

bool rc_word_listed(const char *list, const char *word)
{
    static const char between[] = ", "; /* strchr() finds the text's end, too */
    const size_t bytes = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || strchr(between, at[-1])) && strchr(between, at[bytes]))
            return true;
    return false;
}
