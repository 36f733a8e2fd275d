/* Data that the fits of a suite share: events, signatures, means. */
#include "campaign/solve/fits.h"

/* The signature in the coordinates that this machine has.  Ideals that no point of the
 * machine has are left out of it: they are 0 in all that can be measured.
 */
static int fill_signature(const struct rc_fits *f, const struct rc_metric_definition *m,
                          double *out)
{
    const struct rc_solve_suite *s = f->s;

    for (size_t i = 0; i < m->weight_count; i++) {
        const char *ideal = m->weight[i].ideal;
        size_t at = rc_solve_find(s->coordinate, s->ideals, ideal);
        if (at < s->ideals)
            out[at] += m->weight[i].weight;
        else if (rc_solve_find(s->left_out, s->left_out_count, ideal) ==
                 s->left_out_count)
            return rc_fail(f->k->err, RC_EUSAGE,
                           "%s: metric '%s': ideal '%s', expected one of the basis of "
                           "suite '%s'",
                           m->where, m->name, ideal, s->labels->name);
    }
    return RC_OK;
}

int rc_fits_init(struct rc_solve_kind *k, struct rc_solve_suite *s, struct rc_fits *f)
{
    const struct rc_suite_definition *d = s->definition;
    const size_t most = d->metric_count, number = sizeof(double);
    struct rc_arena *arena = &k->step;

    *f = (struct rc_fits){.k = k, .s = s, .x = s->pivot_x, .rows = s->ideals};
    f->event = rc_arena_array(arena, s->chosen, sizeof *f->event);
    f->name = rc_arena_array(arena, s->chosen, sizeof *f->name);
    f->source = rc_arena_array(arena, s->chosen, sizeof *f->source);
    f->metric = rc_arena_array(arena, most, sizeof(struct rc_metric_definition *));
    f->signature = rc_arena_array(arena, most * s->ideals, number);
    f->y = rc_arena_array(arena, most * s->pure, number);
    f->low = rc_arena_array(arena, most * s->pure, number);
    f->high = rc_arena_array(arena, most * s->pure, number);
    f->error = rc_arena_array(arena, most, number);
    f->y_all = rc_arena_array(arena, most * s->chosen, number);
    f->error_all = rc_arena_array(arena, most, number);
    int status = rc_arena_check(arena, k->err, "the fits of metrics");

    for (size_t i = 0; i < most && status == RC_OK; i++) {
        if (d->metric[i].formula[0])
            continue;
        f->metric[f->metrics] = &d->metric[i];
        status =
            fill_signature(f, &d->metric[i], f->signature + f->metrics++ * s->ideals);
    }
    for (size_t j = 0; j < s->chosen && status == RC_OK; j++)
        f->event[j] = s->pivot[j].event;
    if ((status = rc_solve_agree(k, status)) != RC_OK ||
        (status = rc_solve_names(k, f->event, s->chosen, f->name, f->source)) != RC_OK)
        return status;
    return rc_solve_share_means(k, f->event, s->chosen, &f->means);
}

size_t rc_fits_term_number(const struct rc_fits *f, const struct rc_term *term)
{
    size_t j = 0;

    while (f->event[j] != term->event)
        j++;
    return j;
}
