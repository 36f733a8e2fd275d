/* Metrics as lines: the name of each. */
#include "io/export/parts.h"

static int put_metric(struct rc_export *x, const struct rc_suite_result *suite,
                      const struct rc_metric_result *metric,
                      struct rc_export_text *text, char why[RC_EXPORT_WHY],
                      void *context, struct rc_error *err)
{
    (void)suite, (void)text, (void)why, (void)context, (void)err;
    fprintf(x->out, "added: %s\n", metric->name);
    return RC_OK;
}

int rc_export_added(struct rc_store *file, const struct rc_export_choice *choice,
                    FILE *out, FILE *left_out, struct rc_error *err)
{
    struct rc_export x;
    int status = rc_export_open(&x, file, choice, out, left_out, err);

    if (status == RC_OK)
        status = rc_export_each(&x, NULL, put_metric, NULL, err);
    rc_export_close(&x);
    return status;
}
