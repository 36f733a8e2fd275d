/* The tables of metrics on a terminal. */
#include "campaign/base/text.h"
#include "campaign/solve_parts.h"
#include "io/metric_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS_SHOWN = 4, LINE_WIDE = 100 };

static const char *printable(char *room, size_t bytes, const char *text)
{
    return rc_text_printable(room, bytes, text);
}

/* Words that go on in lines of at most LINE_WIDE columns, all but the first indented
 * by two more.
 */
struct paragraph {
    FILE *out;
    size_t indent, at; /* columns; 'at' is 0 before the first word */
};

static void put_word(struct paragraph *p, const char *word, size_t bytes)
{
    if (p->at && p->at + 1 + bytes > LINE_WIDE) {
        p->at = (size_t)fprintf(p->out, "\n%*s", (int)p->indent + 2, "") - 1;
    } else if (p->at == 0)
        p->at = (size_t)fprintf(p->out, "%*s", (int)p->indent, "");
    else
        p->at += (size_t)fprintf(p->out, " ");
    fwrite(word, 1, bytes, p->out);
    p->at += bytes;
}

static void put_words(struct paragraph *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put_words(struct paragraph *p, const char *format, ...)
{
    char text[2 * RC_ERROR_TEXT], shown[2 * RC_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printable(shown, sizeof shown, text);
    for (const char *word = shown + strspn(shown, " "); *word;) {
        const size_t bytes = strcspn(word, " ");
        put_word(p, word, bytes);
        word += bytes + strspn(word + bytes, " ");
    }
}

static void end_words(struct paragraph *p)
{
    if (p->at)
        fputc('\n', p->out);
    p->at = 0;
}

/* "a, b and 5 more" of a list of which 'count' are at hand. */
static void put_list(struct paragraph *p, const char *const *name, size_t count,
                     size_t all)
{
    const size_t shown = count < OTHERS_SHOWN ? count : OTHERS_SHOWN;
    char text[1024];

    for (size_t i = 0; i < shown; i++) {
        printable(text, sizeof text - 1, name[i]);
        if (i + 1 < shown)
            rc_text_append(text, sizeof text, ",");
        put_word(p, text, strlen(text)); /* as one word, whatever is in it */
    }
    if (all > shown)
        put_words(p, "and %zu more", all - shown);
}

static size_t wide_of(const struct rc_suite_result *r)
{
    size_t wide = strlen("metric");

    for (size_t i = 0; i < r->metric_count; i++)
        if (strlen(r->metric[i].name) > wide)
            wide = strlen(r->metric[i].name);
    return wide < 40 ? wide : 40;
}

/* The terms that are added, then those that are taken off. */
static size_t show_signed(FILE *out, const struct rc_metric_result *m, size_t wide,
                          bool negative, size_t shown)
{
    char text[256], name[512];

    for (size_t i = 0; i < m->term_count; i++) {
        const struct rc_term *t = &m->term[i];
        if (t->rounded == 0 || (t->rounded < 0) != negative)
            continue;
        rc_metric_put_coefficient(text, sizeof text, t, m->rounded_holds);
        if (shown++)
            fprintf(out, "  %*s  %8s  ", (int)wide, "", "");
        fprintf(out, "%s x %s\n", text, printable(name, sizeof name, t->name));
    }
    return shown;
}

static void show_terms(FILE *out, const struct rc_metric_result *m, size_t wide)
{
    size_t shown = show_signed(out, m, wide, false, 0), hidden;

    shown = show_signed(out, m, wide, true, shown);
    hidden = m->term_count - shown;
    if (shown == 0)
        fputs("-\n", out);
    if (hidden)
        fprintf(out, "  %*s  %8s  and %zu event%s with a coefficient near 0\n",
                (int)wide, "", "", hidden, hidden == 1 ? "" : "s");
}

/* Whether the value on a point is known well enough to be of use. */
static bool is_known(const struct rc_metric_result *m, size_t p, double scale)
{
    const double width = m->value_high[p] - m->value_low[p];

    return !isnan(m->value[p]) &&
           (width <= 0.2 * fabs(m->value[p]) || width <= 0.02 * scale);
}

/* The largest value that is known by itself. */
static double scale_of(const struct rc_metric_result *m, size_t points)
{
    double scale = 0;

    for (size_t p = 0; m->value && p < points; p++)
        if (is_known(m, p, 0))
            scale = fmax(scale, fabs(m->value[p]));
    return scale;
}

static void put_value(struct paragraph *p, const struct rc_metric_result *m, size_t at,
                      const char *point)
{
    if (m->value_high[at] - m->value_low[at] > 1e-9 * fabs(m->value[at]))
        put_words(p, "%.4g (%.4g to %.4g) on point %s", m->value[at], m->value_low[at],
                  m->value_high[at], point);
    else
        put_words(p, "%.4g on point %s", m->value[at], point);
}

/* The least and the largest value, of those that are known within 20 %, or as well as
 * 2 % of the largest.
 */
static void show_formula(FILE *out, const struct rc_metric_result *m,
                         const struct rc_suite_result *r)
{
    const double scale = scale_of(m, r->point_count);
    size_t least = SIZE_MAX, most = SIZE_MAX;
    struct paragraph p = {.out = out, .indent = 6};
    char text[512];

    fprintf(out, "%s\n", printable(text, sizeof text, m->formula));
    for (size_t i = 0; m->value && i < r->point_count; i++) {
        if (!is_known(m, i, scale))
            continue;
        if (least == SIZE_MAX || m->value[i] < m->value[least])
            least = i;
        if (most == SIZE_MAX || m->value[i] > m->value[most])
            most = i;
    }
    if (least == SIZE_MAX)
        return;
    if (least != most) {
        put_words(&p, "from");
        put_value(&p, m, least, r->point[least]);
        put_words(&p, "to");
    }
    put_value(&p, m, most, r->point[most]);
    end_words(&p);
}

static void show_metric(FILE *out, const struct rc_metric_result *m,
                        const struct rc_suite_result *r, size_t wide)
{
    struct paragraph p = {.out = out, .indent = 6};
    char name[512], line[2 * RC_ERROR_TEXT] = "";

    fprintf(out, "  %-*s  ", (int)wide, printable(name, sizeof name, m->name));
    if (isnan(m->error))
        fprintf(out, "%8s  ", "-");
    else
        fprintf(out, "%8.2e  ", m->error);
    if (m->formula[0])
        show_formula(out, m, r);
    else
        show_terms(out, m, wide);
    rc_text_append(line, sizeof line, "%s%s%s", rc_metric_verdict_names[m->verdict],
                   m->reason[0] ? ": " : "", m->reason);
    rc_metric_append_checks(line, sizeof line, m);
    put_words(&p, "%s", line);
    end_words(&p);
    if (m->alone_count) {
        put_words(&p, "also:");
        put_list(&p, m->alone_name, m->alone_count, m->alone_count);
        end_words(&p);
    }
}

/* Nothing but a verdict and its reason, which others may have, too. */
static bool is_bare(const struct rc_metric_result *m)
{
    return m->term_count == 0 && isnan(m->error) && m->verdict != RC_METRIC_DEFINED &&
           !m->formula[0];
}

static bool is_alike(const struct rc_metric_result *a, const struct rc_metric_result *b)
{
    return is_bare(a) && is_bare(b) && a->verdict == b->verdict &&
           strcmp(a->reason, b->reason) == 0;
}

/* The metrics of which nothing else is to be said, at the first of them. */
static void show_bare(FILE *out, const struct rc_suite_result *r, size_t number)
{
    const struct rc_metric_result *m = &r->metric[number];
    struct paragraph p = {.out = out, .indent = 2};

    for (size_t i = 0; i < number; i++)
        if (is_alike(&r->metric[i], m))
            return;
    put_words(&p, "%s", m->name);
    for (size_t i = number + 1; i < r->metric_count; i++)
        if (is_alike(&r->metric[i], m)) {
            fputc(',', out);
            p.at++;
            put_words(&p, "%s", r->metric[i].name);
        }
    end_words(&p);
    p.indent = 6;
    put_words(&p, "%s: %s", rc_metric_verdict_names[m->verdict], m->reason);
    end_words(&p);
}

static void show_counts(FILE *out, const struct rc_suite_result *r, size_t events)
{
    struct paragraph p = {.out = out, .indent = 2};
    size_t left = events;

    put_words(&p, "%zu event%s:", events, events == 1 ? "" : "s");
    for (int i = RC_CLASS_COUNT; i-- > 0;) {
        left -= r->class_count[i];
        if (r->class_count[i])
            put_words(&p, "%zu %s%s", r->class_count[i], rc_class_names[i],
                      left ? "," : "");
    }
    end_words(&p);
    put_words(&p,
              "of the exact and steady ones %zu chosen, %zu dependent, %zu impure, %zu "
              "outside the basis of %zu ideals",
              r->use_count[RC_USE_CHOSEN], r->use_count[RC_USE_DEPENDENT],
              r->use_count[RC_USE_IMPURE], r->use_count[RC_USE_OUTSIDE],
              r->ideal_count);
    end_words(&p);
}

static void show_choice(FILE *out, const struct rc_suite_result *r)
{
    struct paragraph p = {.out = out, .indent = 2};

    put_words(&p, "noise up to %.2g%s:", r->tau, r->tau_auto ? " (widest gap)" : "");
    if (isinf(r->tau_high))
        put_words(&p, "none is above %.2g", r->tau_low);
    else
        put_words(&p, "none is between %.2g and %.2g", r->tau_low, r->tau_high);
    if (r->chosen_count) {
        fputc(';', out);
        p.at++;
        put_words(&p, "alpha %.2g: the same choice from %.2g to %.2g", r->alpha,
                  r->alpha_low, r->alpha_high);
    }
    end_words(&p);
}

static void show_equals(FILE *out, const struct rc_suite_result *r)
{
    struct paragraph p = {.out = out, .indent = 2};

    for (size_t i = 0; i < r->chosen_count; i++) {
        const struct rc_chosen *c = &r->chosen[i];
        if (c->others == 0 || c->completes)
            continue;
        put_words(&p, "as good as %s:", c->name);
        put_list(&p, c->other_name, c->other_count, c->others);
        end_words(&p);
    }
}

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

static void show_head(FILE *out, const struct rc_suite_result *r, const char *kind,
                      bool simulated)
{
    struct paragraph p = {.out = out};
    size_t defined = 0;

    for (size_t i = 0; i < r->metric_count; i++)
        defined += r->metric[i].verdict == RC_METRIC_DEFINED;
    fputc('\n', out);
    put_words(&p, "%s, suite %s: %zu of %zu metrics defined", kind, r->suite, defined,
              r->metric_count);
    end_words(&p);
    if (simulated)
        fputs("  simulated readings are among these\n", out);
}

static void show_suite(FILE *out, const struct rc_suite_result *r, size_t events,
                       const char *kind, bool simulated)
{
    const size_t wide = wide_of(r);
    struct paragraph p = {.out = out, .indent = 2};

    show_head(out, r, kind, simulated);
    show_counts(out, r, events);
    show_choice(out, r);
    for (size_t i = 0; i < r->remark_count; i++) {
        put_words(&p, "note: %s", r->remark[i]);
        end_words(&p);
    }
    if (r->metric_count == 0) {
        fputs("  no metrics are defined for this suite\n", out);
        return;
    }
    fprintf(out, "\n  %-*s  %8s  combination\n", (int)wide, "metric", "error");
    for (size_t i = 0; i < r->metric_count; i++)
        if (is_bare(&r->metric[i]))
            show_bare(out, r, i);
        else
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
