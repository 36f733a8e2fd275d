/* The tables of metrics on a terminal. */
#include "campaign/base/text.h"
#include "campaign/solve_parts.h"

#include <math.h>
#include <string.h>

enum { OTHERS_SHOWN = 4, NAME_WIDE = 24 };

static const char *printable(char *room, size_t bytes, const char *text)
{
    return rc_text_printable(room, bytes, text);
}

/* "1", "0.8 (0.78 to 0.81)", "1.02 -> 1": as many digits as are of use. */
static void put_coefficient(char *out, size_t room, const struct rc_term *t,
                            bool rounded)
{
    const double near = 1e-9 * fmax(1, fabs(t->coefficient));
    const bool same = fabs(t->coefficient - t->rounded) <= near;

    out[0] = 0;
    if (same)
        rc_text_append(out, room, "%.10g", t->rounded);
    else
        rc_text_append(out, room, "%.4g", t->coefficient);
    if (!isnan(t->low) && t->high - t->low > near)
        rc_text_append(out, room, " (%.4g to %.4g)", t->low, t->high);
    if (!same && rounded)
        rc_text_append(out, room, " -> %.6g", t->rounded);
}

static size_t wide_of(const struct rc_suite_result *r)
{
    size_t wide = strlen("metric");

    for (size_t i = 0; i < r->metric_count; i++)
        if (strlen(r->metric[i].name) > wide)
            wide = strlen(r->metric[i].name);
    return wide < 40 ? wide : 40;
}

static void show_terms(FILE *out, const struct rc_metric_result *m, size_t wide)
{
    char text[256], name[512];
    size_t shown = 0, hidden = 0;

    for (size_t i = 0; i < m->term_count; i++) {
        if (m->term[i].rounded == 0) {
            hidden++;
            continue;
        }
        put_coefficient(text, sizeof text, &m->term[i], m->rounded_holds);
        if (shown++)
            fprintf(out, "  %*s  %8s  ", (int)wide, "", "");
        fprintf(out, "%s x %s\n", text, printable(name, sizeof name, m->term[i].name));
    }
    if (shown == 0)
        fputs("-\n", out);
    if (hidden)
        fprintf(out, "  %*s  %8s  and %zu event%s with a coefficient near 0\n",
                (int)wide, "", "", hidden, hidden == 1 ? "" : "s");
}

static void show_checks(FILE *out, const struct rc_metric_result *m)
{
    const struct rc_metric_check *worst = NULL;
    size_t points = 0;

    for (size_t i = 0; i < m->check_count; i++) {
        points += m->check[i].points;
        if (!worst || m->check[i].error > worst->error)
            worst = &m->check[i];
    }
    if (worst && m->verdict != RC_METRIC_ABSENT)
        fprintf(out, "; off by at most %.2g (%s) on %zu points of %zu suite%s",
                worst->error, worst->suite, points, m->check_count,
                m->check_count == 1 ? "" : "s");
}

static void show_alone(FILE *out, const struct rc_metric_result *m, size_t wide)
{
    char name[512];

    for (size_t i = 0; i < m->alone_count && i < OTHERS_SHOWN; i++)
        fprintf(out, "  %*s  %8s  also: %s\n", (int)wide, "", "",
                printable(name, sizeof name, m->alone_name[i]));
    if (m->alone_count > OTHERS_SHOWN)
        fprintf(out, "  %*s  %8s  also: %zu more events\n", (int)wide, "", "",
                m->alone_count - OTHERS_SHOWN);
}

static void show_formula(FILE *out, const struct rc_metric_result *m,
                         const struct rc_suite_result *r)
{
    size_t first = SIZE_MAX, last = 0;
    char text[512];

    fprintf(out, "%s\n", printable(text, sizeof text, m->formula));
    for (size_t p = 0; m->value && p < r->point_count; p++)
        if (!isnan(m->value[p])) {
            first = first == SIZE_MAX ? p : first;
            last = p;
        }
    if (first == SIZE_MAX)
        return;
    fprintf(out, "      %.4g (%.4g to %.4g) on point %s", m->value[first],
            m->value_low[first], m->value_high[first], r->point[first]);
    if (last != first)
        fprintf(out, ", %.4g (%.4g to %.4g) on %s", m->value[last], m->value_low[last],
                m->value_high[last], r->point[last]);
    fputc('\n', out);
}

static void show_metric(FILE *out, const struct rc_metric_result *m,
                        const struct rc_suite_result *r, size_t wide)
{
    char name[512], reason[RC_ERROR_TEXT];

    fprintf(out, "  %-*s  ", (int)wide, printable(name, sizeof name, m->name));
    if (isnan(m->error))
        fprintf(out, "%8s  ", "-");
    else
        fprintf(out, "%8.2e  ", m->error);
    if (m->formula[0])
        show_formula(out, m, r);
    else
        show_terms(out, m, wide);
    show_alone(out, m, wide);
    fprintf(out, "      %s", rc_metric_verdict_names[m->verdict]);
    if (m->reason[0])
        fprintf(out, ": %s", printable(reason, sizeof reason, m->reason));
    show_checks(out, m);
    fputc('\n', out);
}

static void show_counts(FILE *out, const struct rc_suite_result *r, size_t events)
{
    fprintf(out, "  %zu event%s:", events, events == 1 ? "" : "s");
    for (int i = RC_CLASS_COUNT; i-- > 0;)
        if (r->class_count[i])
            fprintf(out, " %zu %s%s", r->class_count[i], rc_class_names[i],
                    i > 0 ? "," : "");
    fprintf(out,
            "\n  of the exact and steady ones %zu chosen, %zu dependent, %zu impure, "
            "%zu outside the basis of %zu ideals\n",
            r->use_count[RC_USE_CHOSEN], r->use_count[RC_USE_DEPENDENT],
            r->use_count[RC_USE_IMPURE], r->use_count[RC_USE_OUTSIDE], r->ideal_count);
}

static void show_choice(FILE *out, const struct rc_suite_result *r)
{
    fprintf(out, "  noise up to %.2g%s: none is between %.2g and %.2g", r->tau,
            r->tau_auto ? " (widest gap)" : "", r->tau_low, r->tau_high);
    if (r->chosen_count)
        fprintf(out, "; alpha %.2g: the same choice from %.2g to %.2g", r->alpha,
                r->alpha_low, r->alpha_high);
    fputc('\n', out);
}

static void show_equals(FILE *out, const struct rc_suite_result *r)
{
    char name[512];

    for (size_t i = 0; i < r->chosen_count; i++) {
        const struct rc_chosen *c = &r->chosen[i];
        if (c->others == 0 || c->completes)
            continue;
        fprintf(out, "  as good as %s:", printable(name, sizeof name, c->name));
        for (size_t j = 0; j < c->other_count && j < OTHERS_SHOWN; j++)
            fprintf(out, "%s %s", j ? "," : "",
                    printable(name, sizeof name, c->other_name[j]));
        if (c->others > OTHERS_SHOWN)
            fprintf(out, " and %zu more", c->others - OTHERS_SHOWN);
        fputc('\n', out);
    }
}

/* Those that cannot be checked are one line: on most machines they are all. */
static void show_presets(FILE *out, const struct rc_suite_result *r)
{
    static const char cannot[] = "cannot be checked";
    const struct rc_preset_check *unchecked = NULL;
    char text[RC_ERROR_TEXT];
    size_t count = 0;

    for (size_t i = 0; i < r->preset_count; i++) {
        const struct rc_preset_check *c = &r->preset[i];
        if (strncmp(c->outcome, cannot, sizeof cannot - 1) != 0) {
            fprintf(out, "  preset %s: %s\n", c->preset,
                    printable(text, sizeof text, c->outcome));
            continue;
        }
        unchecked = count++ ? unchecked : c;
    }
    if (unchecked)
        fprintf(out, "  preset %s%s: %s\n", unchecked->preset,
                count > 1 ? " and others" : "",
                printable(text, sizeof text, unchecked->outcome));
}

static void show_suite(FILE *out, const struct rc_suite_result *r, size_t events,
                       const char *kind, bool simulated)
{
    const size_t wide = wide_of(r);
    char text[RC_ERROR_TEXT];

    fprintf(out, "\n%s, suite %s%s\n", printable(text, sizeof text, kind), r->suite,
            simulated ? " (simulated readings are among them)" : "");
    show_counts(out, r, events);
    show_choice(out, r);
    for (size_t i = 0; i < r->remark_count; i++)
        fprintf(out, "  note: %s\n", printable(text, sizeof text, r->remark[i]));
    if (r->metric_count == 0) {
        fputs("  no metrics are defined for this suite\n", out);
        return;
    }
    fprintf(out, "\n  %-*s  %8s  combination\n", (int)wide, "metric", "error");
    for (size_t i = 0; i < r->metric_count; i++)
        show_metric(out, &r->metric[i], r, wide);
    show_equals(out, r);
    show_presets(out, r);
}

void rc_solve_show(const struct rc_solve_kind *k, FILE *out)
{
    for (size_t i = 0; i < k->count; i++)
        if (k->suite[i].wanted)
            show_suite(out, &k->suite[i].result, k->labels->event_count,
                       k->labels->name, rc_store_campaign(k->store)->simulated);
}
