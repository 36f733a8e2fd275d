/* The limits of a process: raised where they may be, and named where they do not do. */
#include "campaign/base/limits.h"

#include <stdio.h>
#include <sys/resource.h>

/* As much as is wanted, as far as that is allowed.  The stack of the first thread grows
 * by the limit as it is then.
 */
static rlim_t raise_to(unsigned resource, rlim_t wanted)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= wanted)
        return wanted; /* as RLIM_INFINITY is */
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
            err, RC_EUNSUPPORTED,
            "%llu files may be open at once (ulimit -n), expected %d or more",
            (unsigned long long)files, FILES_LEAST);
    return RC_OK;
}
