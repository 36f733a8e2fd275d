/* The limits of a process: raised where that is allowed, or refused as too low. */
#include "campaign/base/limits.h"

#include <stdio.h>
#include <sys/resource.h>

/* The limits that were raised, as they were before. */
static struct {
    unsigned resource;
    struct rlimit was;
} raised[2];
static size_t raised_count;

/* Raises a limit to 'wanted', or as far as is allowed, and returns what it is then.
 * The stack of the first thread grows up to the limit as it is at that moment.
 */
static rlim_t raise_to(unsigned resource, rlim_t wanted)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= wanted)
        return wanted; /* RLIM_INFINITY is more than that, too */
    if (raised_count < sizeof raised / sizeof raised[0]) {
        raised[raised_count].resource = resource;
        raised[raised_count++].was = limit;
    }
    struct rlimit more = {wanted, limit.rlim_max < wanted ? wanted : limit.rlim_max};
    if (setrlimit(resource, &more) == 0)
        return wanted;
    more = (struct rlimit){limit.rlim_max, limit.rlim_max};
    return setrlimit(resource, &more) == 0 ? limit.rlim_max : limit.rlim_cur;
}

int rc_limits_raise(struct rc_error *err)
{
    enum { STACK_LEAST = 256 << 10, STACK = 8 << 20, FILES_LEAST = 32, FILES = 256 };
    const rlim_t stack = raise_to(RLIMIT_STACK, STACK);
    const rlim_t files = raise_to(RLIMIT_NOFILE, FILES);

    if (stack < STACK_LEAST) /* there is no room for printing numbers */
        return rc_fail(err, RC_EUNSUPPORTED,
                       "the stack (ulimit -s) is too small, expected 256 KiB or more");
    if (files < FILES_LEAST)
        return rc_fail(
            err, RC_EIO,
            "%llu files may be open at once (ulimit -n), expected %d or more",
            (unsigned long long)files, FILES_LEAST);
    return RC_OK;
}

void rc_limits_restore(void)
{
    for (; raised_count > 0; raised_count--)
        setrlimit(raised[raised_count - 1].resource, &raised[raised_count - 1].was);
}
