/* A profile as lines: the threads of each node. */
#include "campaign/profile/export/export.h"

static int write_added(const struct rc_profile_sums *sums,
                       const struct rc_profile_choice *choice, FILE *out,
                       FILE *left_out, struct rc_error *err)
{
    (void)choice, (void)left_out, (void)err;
    for (size_t n = 0; n < sums->node_count; n++)
        fprintf(out, "added: %zu threads\n", sums->node[n].thread_count);
    return RC_OK;
}

const struct rc_profile_export_format rc_profile_added = {.name = "added-profile",
                                                          .write = write_added};
