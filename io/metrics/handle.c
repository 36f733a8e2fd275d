/* Kinds and suites of an open metrics.h5, in memory: counted alike on all ranks, so
 * that their numbers mean the same everywhere.
 */
#include "io/metrics/parts.h"

#include <string.h>

int rc_metrics_add_kind(struct rc_metrics_file *file, struct rc_error *err)
{
    if (rc_grow(&file->kind, sizeof *file->kind, file->count, &file->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu kinds", file->count);
    file->kind[file->count++] = (struct rc_metrics_kind){0};
    return RC_OK;
}

/* The pointer is good until the next suite is added. */
int rc_metrics_add_suite(struct rc_metrics_file *file, size_t kind,
                         struct rc_metrics_suite **out, struct rc_error *err)
{
    struct rc_metrics_kind *part = &file->kind[kind];

    *out = NULL;
    if (rc_grow(&part->suite, sizeof *part->suite, part->count, &part->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu suites", part->count);
    *out = &part->suite[part->count++];
    **out = (struct rc_metrics_suite){0};
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++)
        (*out)->set[set] = H5I_INVALID_HID;
    return RC_OK;
}
