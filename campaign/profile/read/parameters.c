/* The parameters of a launch, by what its journals say. */
#include "campaign/base/text.h"
#include "campaign/profile/read/read.h"

#include <string.h>

/* The processes of a launch's node: as MPI counted them, or those that are there. */
static void count_processes(const struct rc_profile_node *node, double *ranks,
                            double *processes)
{
    for (size_t t = 0; t < node->thread_count; t++) {
        const struct rc_profile_thread *thread = &node->thread[t];
        if (thread->place.child)
            continue;
        *processes += thread->place.pid == thread->place.tid;
        if ((double)thread->close.ranks > *ranks)
            *ranks = (double)thread->close.ranks;
    }
}

int rc_profile_parameters_of(const struct rc_profile *profile, uint64_t launch,
                             struct rc_profile_parameters *out, struct rc_error *err)
{
    const struct rc_profile_launch *first = NULL;
    double ranks = 0, processes = 0;

    for (size_t n = 0; n < profile->node_count; n++) {
        const struct rc_profile_launch *of = &profile->node[n].launch;
        if (of->launch != launch)
            continue;
        count_processes(&profile->node[n], &ranks, &processes);
        first = first ? first : of;
        if (strcmp(of->set, first->set) != 0) {
            rc_profile_parameters_take("", ranks, out, err);
            return rc_fail(
                err, RC_EUSAGE,
                "--set: node %s has '%s', and node %s of the same launch has "
                "'%s'",
                of->node, of->set, first->node, first->set);
        }
    }
    if (ranks == 0)
        ranks = processes > 0 ? processes : 1;
    return rc_profile_parameters_take(first ? first->set : "", ranks, out, err);
}

const char *rc_profile_parameters_said(const struct rc_profile *profile,
                                       uint64_t launch,
                                       char out[RC_PROFILE_PARAMETERS_TEXT])
{
    struct rc_profile_parameters all;
    struct rc_error why = {.rank = -1};
    const int status = rc_profile_parameters_of(profile, launch, &all, &why);

    rc_profile_parameters_text(&all, out);
    if (status != RC_OK)
        rc_text_append(out, RC_PROFILE_PARAMETERS_TEXT, "; %s", why.text);
    return out;
}
