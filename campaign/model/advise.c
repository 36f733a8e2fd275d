/* Suggests which runs to measure next: those that narrow the time at a target most, for
 * what they cost.
 *
 * The choice is among points near those that were measured: their values of each
 * parameter, values between these, and a step beyond on both sides.
 */
#include "campaign/model/parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "solve/model/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 64, RUNS = 400, STEPS = 32 };
static const double NORMAL = 1.645; /* of an interval of 90 % */

/* The values of a parameter that runs may have, without equal ones; their number. */
static size_t values_of(const struct rc_measured *m, size_t parameter,
                        double value[VALUES])
{
    double measured[VALUES] = {0};
    bool whole = true;
    size_t count = 0, found = 0;

    for (size_t p = 0; p < m->points; p++) {
        const double x = m->at[p * m->parameters + parameter];
        size_t same = 0;
        while (same < found && measured[same] != x)
            same++;
        if (same == found && found < VALUES / 2 - 2)
            measured[found++] = x;
        whole = whole && x == floor(x);
    }
    qsort(measured, found, sizeof *measured, rc_order_reals);
    if (found == 1) { /* the program may not run with another one */
        value[0] = measured[0];
        return 1;
    }
    /* Programs may need a power of two, or a square, of processes: none in between. */
    const bool ranks = parameter == rc_model_find_processes(m);
    const double ratio[2] = {ranks ? 2 : measured[1] / measured[0],
                             ranks ? 2 : measured[found - 1] / measured[found - 2]};
    for (size_t i = 0; i < 2 * found + 1; i++) {
        const bool between = i > 0 && i < 2 * found && i % 2 == 0;
        double x = i == 0           ? measured[0] / ratio[0]
                   : i == 2 * found ? measured[found - 1] * ratio[1]
                   : between        ? sqrt(measured[i / 2 - 1] * measured[i / 2])
                                    : measured[i / 2];
        x = whole ? round(x) : x;
        if (x > 0 && !(between && ranks) && (count == 0 || x > value[count - 1]))
            value[count++] = x;
    }
    return count;
}

/* Fills runs with all combinations of the parameters' values that fit into the budget. */
static size_t find_runs(const struct rc_model *model, size_t metric, size_t whole,
                        double budget, struct rc_advice_run run[RUNS])
{
    const struct rc_measured *m = model->measured;
    const size_t p = rc_model_find_processes(m);
    double value[RC_LAW_PARAMETERS][VALUES];
    size_t count[RC_LAW_PARAMETERS], all = 1, runs = 0;

    for (size_t i = 0; i < m->parameters; i++)
        all *= count[i] = values_of(m, i, value[i]);
    for (size_t n = 0; n < all && runs < RUNS; n++) {
        struct rc_advice_run *r = &run[runs];
        size_t rest = n;
        for (size_t i = 0; i < m->parameters; rest /= count[i++])
            r->at[i] = value[i][rest % count[i]];
        r->seconds = rc_model_total_at(model, metric, whole, r->at).value;
        r->cores = p < m->parameters ? r->at[p] : 1;
        runs += r->seconds > 0 && r->seconds <= budget;
    }
    return runs;
}

static RC_COLUMNS(columns, RC_NUMBER("step"), RC_TEXT("run"), RC_NUMBER("seconds"),
                  RC_NUMBER("core_seconds"), RC_NUMBER("known_to"));

static void put_steps(const struct rc_model *model, const struct rc_advice_run *run,
                      const struct rc_advice_step *step, size_t steps, double value,
                      bool people, struct rc_rows *rows)
{
    char point[RC_MODEL_TEXT], cell[4][RC_TEXT_SHORT];

    for (size_t i = 0; i < steps; i++) {
        const struct rc_advice_run *r = &run[step[i].run];
        const double known = NORMAL * sqrt(step[i].variance) / value;
        const int digits = people ? 3 : 17;
        snprintf(cell[0], sizeof cell[0], "%zu", i + 1);
        snprintf(cell[1], sizeof cell[1], "%.*g", digits, r->seconds);
        snprintf(cell[2], sizeof cell[2], "%.*g", digits, r->seconds * r->cores);
        if (people)
            snprintf(cell[3], sizeof cell[3], "+-%.1f %%", 100 * known);
        else
            snprintf(cell[3], sizeof cell[3], "%.17g", known);
        RC_ROWS_PUT(rows, cell[0], rc_model_put_point(model->measured, r->at, point),
                    cell[1], cell[2], cell[3]);
    }
}

static int show_steps(const struct rc_model *model, const double *at,
                      const struct rc_predicted *total, double before,
                      const struct rc_advice_run *run,
                      const struct rc_advice_step *step, size_t steps,
                      enum rc_format format, struct rc_error *err)
{
    char point[RC_MODEL_TEXT], number[RC_MODEL_NUMBER];
    struct rc_json own, *json = rc_rows_json(format, &own, stdout);

    rc_model_put_point(model->measured, at, point);
    if (format == RC_FORMAT_TEXT) {
        printf("time at %s: %s, known to +-%.1f %%.  ", point,
               rc_model_put_number("s", total->value, number),
               100 * NORMAL * sqrt(before) / total->value);
        puts(steps ? "These runs narrow it, the best one first:\n"
                   : "No run within the budget narrows it by much.");
    }
    if (json) {
        rc_json_object(json, NULL);
        rc_json_text(json, "target", point);
        rc_json_real(json, "value", total->value);
        rc_json_real(json, "known_to", NORMAL * sqrt(before) / total->value);
        rc_json_array(json, "runs");
    }
    struct rc_rows *rows = rc_rows_create(stdout, format, columns, json);
    rc_rows_head(stdout, format, columns);
    put_steps(model, run, step, steps, total->value, format == RC_FORMAT_TEXT, rows);
    const int status = rc_rows_end(rows, RC_OK, err);
    rc_json_close(json);
    return status;
}

int rc_model_suggest(const struct rc_model *model, const double *at, double budget,
                     enum rc_format format, struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    const size_t metric = rc_model_main_metric(m);
    struct rc_advice_run *run = rc_calloc(RUNS, sizeof *run);
    struct rc_laws *fit = rc_calloc(m->kernels, sizeof *fit);
    struct rc_advice_step step[STEPS];
    size_t fits = 0, steps = 0;
    double before;
    int status = run && fit ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for runs");

    if (status == RC_OK && m->metric[metric].unit[0] &&
        strcmp(m->metric[metric].unit, "s") != 0)
        status = rc_fail(err, RC_EUSAGE,
                         "--suggest: '%s' is in '%s', expected a model of times in s",
                         m->metric[metric].name, m->metric[metric].unit);
    if (status != RC_OK)
        goto out;
    const size_t whole = rc_model_find_whole(m, metric);
    for (size_t i = 0; i < m->series; i++)
        if (m->of[i].metric == metric && (whole == m->series || whole == i)) {
            rc_model_laws_get(&model->laws, i, &fit[fits]);
            fits += fit[fits].count > 0;
        }
    const struct rc_predicted total = rc_model_total_at(model, metric, whole, at);
    const size_t runs = find_runs(model, metric, whole, budget, run);
    if ((status = rc_laws_advise(fit, fits, run, runs, at, budget, step, STEPS, &steps,
                                 &before, err)) == RC_OK)
        status = show_steps(model, at, &total, before, run, step, steps, format, err);
out:
    free(run);
    free(fit);
    return status;
}
