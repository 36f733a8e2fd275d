/* What the fits of a suite share: events, signatures, means. */
#include "campaign/solve/fits.h"
#include "campaign/base/agree.h"

#include <stdlib.h>
#include <string.h>

void rc_fits_fini(struct rc_fits *f)
{
    rc_solve_means_fini(&f->means);
    free(f->event);
    free((void *)f->name);
    free((void *)f->source);
    free((void *)f->metric);
    free(f->signature);
    free(f->y);
    free(f->error);
    free(f->low);
    free(f->high);
    free(f->y_all);
    free(f->error_all);
}

/* The signature in the coordinates that this machine has. */
static int fill_signature(const struct rc_fits *f, const struct rc_metric_definition *m,
                          double *out, struct rc_error *err)
{
    const struct rc_solve_suite *s = f->s;

    for (size_t i = 0; i < m->weight_count; i++) {
        const char *ideal = m->weight[i].ideal;
        size_t at = rc_solve_find(s->coordinate, s->ideals, ideal);
        if (at < s->ideals)
            out[at] += m->weight[i].weight;
        else if (rc_solve_find(s->left_out, s->left_out_count, ideal) ==
                 s->left_out_count)
            return rc_fail(err, RC_EUSAGE,
                           "%s: metric '%s': ideal '%s', expected one of the basis of "
                           "suite '%s'",
                           m->where, m->name, ideal, s->labels->name);
    }
    return RC_OK;
}

int rc_fits_init(struct rc_solve_kind *k, struct rc_solve_suite *s, struct rc_fits *f,
                 struct rc_error *err)
{
    const struct rc_suite_definition *d = s->definition;
    const size_t most = d ? d->metric_count : 0;
    int status = RC_OK;

    *f = (struct rc_fits){.k = k, .s = s};
    f->event = rc_calloc(s->chosen, sizeof *f->event);
    f->name = rc_calloc(s->chosen, sizeof *f->name);
    f->source = rc_calloc(s->chosen, sizeof *f->source);
    f->metric = rc_calloc(most, sizeof(struct rc_metric_definition *));
    f->signature = rc_calloc(most * s->ideals, sizeof *f->signature);
    f->y = rc_calloc(most * s->pure, sizeof *f->y);
    f->low = rc_calloc(most * s->pure, sizeof *f->low);
    f->high = rc_calloc(most * s->pure, sizeof *f->high);
    f->error = rc_calloc(most, sizeof *f->error);
    f->y_all = rc_calloc(most * s->chosen, sizeof *f->y_all);
    f->error_all = rc_calloc(most, sizeof *f->error_all);
    if (!f->event || !f->name || !f->source || !f->metric || !f->signature || !f->y ||
        !f->low || !f->high || !f->error || !f->y_all || !f->error_all)
        status = rc_solve_no_memory(err);
    for (size_t i = 0; i < most && status == RC_OK; i++)
        if (!d->metric[i].formula[0]) {
            f->metric[f->metrics] = &d->metric[i];
            status = fill_signature(f, &d->metric[i],
                                    f->signature + f->metrics++ * s->ideals, err);
        }
    for (size_t j = 0; j < s->chosen && status == RC_OK; j++)
        f->event[j] = s->pivot[j].event;
    status = rc_agree(k->how->comm, status, err);
    if (status == RC_OK)
        status = rc_solve_names(k, f->event, s->chosen, f->name, f->source, err);
    if (status == RC_OK)
        status = rc_solve_share_means(k, f->event, s->chosen, &f->means, err);
    return status;
}

/* Of the chosen events, the one that a term is of. */
size_t rc_fits_term_number(const struct rc_fits *f, const struct rc_term *term)
{
    size_t j = 0;

    while (f->event[j] != term->event)
        j++;
    return j;
}
