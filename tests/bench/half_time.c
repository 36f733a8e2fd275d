/* Preloaded into a profile that is frozen half of the time (SLICE of
 * overhead_profile.sh): its sampler waits longer, by the factor HALF_TIME, so that in
 * the program's own time it comes as often as it does without freezing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

typedef int ppoll_fn(struct pollfd *, nfds_t, const struct timespec *,
                     const sigset_t *);

int ppoll(struct pollfd *of, nfds_t count, const struct timespec *patience,
          const sigset_t *mask)
{
    static ppoll_fn *next;
    char name[16] = "";
    struct timespec longer;

    if (!next)
        next = (ppoll_fn *)dlsym(RTLD_NEXT, "ppoll");
    prctl(PR_GET_NAME, name);
    if (!patience || strcmp(name, "rollcall-sample") != 0)
        return next(of, count, patience, mask);
    const double seconds = (double)patience->tv_sec + 1e-9 * (double)patience->tv_nsec,
                 more = seconds * strtod(getenv("HALF_TIME"), NULL);
    longer.tv_sec = (time_t)more;
    longer.tv_nsec = (long)(1e9 * (more - (double)longer.tv_sec));
    return next(of, count, &longer, mask);
}
