/* Counts of weights on a planted machine, exactly and in doubles. */
#include "tests/planted/planted_judge.h"

#include "campaign/base/linear_sum.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t planted_rows(const struct planted *m)
{
    size_t rows = 0;

    for (size_t s = 0; s < m->suites; s++)
        rows += m->suite[s].points.count;
    return rows;
}

bool planted_fill_counts(const struct planted *m, const double *weight, uint64_t *out)
{
    uint64_t fraction[RC_IDEAL_COUNT];
    size_t row = 0;
    bool any = false;

    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        fraction[q] = weight[q] == 0 ? 0 : planted_exact_fraction(weight[q]);
    for (size_t s = 0; s < m->suites; s++)
        for (size_t p = 0; p < m->suite[s].points.count; p++, row++) {
            const double *done = m->suite[s].done + p * RC_IDEAL_COUNT;
            out[row] = 0;
            for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
                if (weight[q] != 0)
                    out[row] = planted_exact_add(
                        out[row],
                        planted_exact_times(fraction[q], planted_exact_bits(done[q])));
            any |= out[row] != 0;
        }
    return any;
}

void planted_say(const struct planted *m, const char *suite, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    printf("seed %lu, suite %s: ", (unsigned long)m->seed, suite);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

static int add_weight(void *context, const struct rc_linear_sum_term *term,
                      struct rc_error *err)
{
    double *weight = context;
    char name[32];

    snprintf(name, sizeof name, "%.*s", (int)term->length, term->word);
    const enum rc_ideal ideal = rc_ideal_find(name);
    if (ideal == RC_IDEAL_COUNT)
        return rc_fail(err, RC_EUSAGE, "no ideal '%s'", name);
    weight[ideal] += term->coefficient;
    return RC_OK;
}

int planted_read_signature(const char *signature, double weight[RC_IDEAL_COUNT],
                           struct rc_error *err)
{
    memset(weight, 0, RC_IDEAL_COUNT * sizeof *weight);
    return rc_linear_sum_read(signature, add_weight, weight, err);
}

struct planted_off planted_off(const struct planted *m, const struct rc_term *term,
                               size_t terms, const struct rc_metric_result *r,
                               const double *weight, bool all, double share)
{
    struct planted_off off = {0};
    double least = INFINITY;

    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        if (weight[q] != 0)
            least = fmin(least, fabs(weight[q]));
    for (size_t s = 0; s < m->suites; s++)
        for (size_t p = 0; p < m->suite[s].points.count; p++) {
            const double *known =
                (all ? m->suite[s].done : m->suite[s].known) + p * RC_IDEAL_COUNT;
            double claim = 0, count = 0, parts = 0;
            for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
                claim += weight[q] == 0 ? 0 : weight[q] * known[q];
            if (isnan(claim))
                continue;
            for (size_t i = 0; i < terms; i++) {
                const double each = planted_count(m, term[i].event, s, p) *
                                    (r ? rc_term_value(r, &term[i]) : 1);
                count += each;
                parts += fabs(each);
            }
            const double size = fmax(fabs(claim), share * least * known[RC_IDEAL_INS]);
            const double more = fmax(0, fabs(count - claim) - 1e-12 * parts);
            const double of = more > 0 ? more / size : 0;
            double *most = count > claim ? &off.more : &off.less;
            *most = fmax(*most, of);
        }
    return off;
}

double planted_off_most(const struct planted *m, const struct rc_term *term,
                        size_t terms, const struct rc_metric_result *r,
                        const double *weight, bool all)
{
    const struct planted_off off = planted_off(m, term, terms, r, weight, all, 1);

    return fmax(off.more, off.less);
}

int planted_in_dir(const char *program, const char *dir,
                   int (*run)(const char *dir, void *context), void *context)
{
    char made[] = "/tmp/rollcall-planted-XXXXXX";

    if (dir)
        return run(dir, context);
    if (!mkdtemp(made)) {
        fprintf(stderr, "%s: /tmp: no directory can be made\n", program);
        return 1;
    }
    const int status = run(made, context);
    planted_remove(made);
    return status;
}
