/* Shows a model: the answer first, then the laws, warnings, and where the numbers come
 * from.
 */
#include "campaign/model/parts.h"

#include "campaign/base/text.h"
#include "io/text/terminal.h"
#include "solve/model/law_text.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 4 };

/* The best law of a series as people read it; "" where there is none. */
static void put_law(const struct rc_model *model, size_t series,
                    char out[RC_MODEL_TEXT])
{
    struct rc_laws fit;

    rc_model_laws_get(&model->laws, series, &fit);
    out[0] = 0;
    if (fit.count > 0)
        rc_law_text(out, RC_MODEL_TEXT, &fit.choice[0].law, model->measured->parameter,
                    fit.parameters, NULL, DIGITS);
}

/* "x1.41" of twice the parameter, on the way from the largest point to what is ahead. */
static void put_growth(const struct rc_model_scaling *s, double now, double ahead,
                       char out[RC_TEXT_SHORT])
{
    const double doublings = log2(s->ahead[s->parameter] / s->at[s->parameter]),
                 growth = now > 0 && ahead >= 0 ? pow(ahead / now, 1 / doublings) : NAN;

    out[0] = 0;
    if (isfinite(growth))
        snprintf(out, RC_TEXT_SHORT, "x%.3g", growth);
}

/* Kernels but one, if there are any: of so many the first ones. */
static void say_kernels(const struct rc_measured *m, const char *words,
                        const struct rc_model_list *list, size_t but)
{
    char name[RC_MODEL_TEXT];
    size_t said = 0;

    for (size_t i = 0; i < list->count && i < RC_MODEL_STOPPING; i++)
        if (list->of[i] != but)
            printf("%s%s", said++ ? ", " : words,
                   rc_text_printable(name, sizeof name,
                                     m->kernel[m->of[list->of[i]].kernel]));
    if (said > 0)
        puts(list->count > RC_MODEL_STOPPING ? " and more." : ".");
}

static void say_scaling(const struct rc_model *model, const struct rc_model_scaling *s)
{
    const struct rc_measured *m = model->measured;
    const char *unit = m->metric[s->metric].unit;
    char point[RC_MODEL_TEXT], name[RC_MODEL_TEXT], growth[RC_TEXT_SHORT],
        number[2][RC_MODEL_NUMBER];

    if (s->parameter == m->parameters) {
        puts("All readings are of one point: nothing is known of how the program "
             "scales.");
        return;
    }
    const char *x = m->parameter[s->parameter];
    const bool ranks = s->parameter == rc_model_find_processes(m);
    if (s->worst < m->series) {
        put_growth(s, s->value, s->value_ahead, growth);
        printf("%s %s %s: %s of %s (%.0f %%) at %s, %s with each doubling of %s, "
               "%.0f %% at %s=%.6g.\n",
               rc_text_printable(name, sizeof name, m->kernel[m->of[s->worst].kernel]),
               ranks ? "stops the program from scaling with" : "grows most with", x,
               rc_model_put_number(unit, s->value, number[0]),
               rc_model_put_number(unit, s->total, number[1]),
               s->total > 0 ? 100 * s->value / s->total : 0,
               rc_model_put_point(m, s->at, point), growth, x,
               s->total_ahead > 0 ? 100 * s->value_ahead / s->total_ahead : 0, x,
               s->ahead[s->parameter]);
    } else
        printf("No kernel is known to stop the program from scaling with %s, up to "
               "%s=%.6g.\n",
               x, x, s->ahead[s->parameter]);
    say_kernels(m, "Not faster either: ", &s->stopping, s->worst);
    say_kernels(m, "Too little is known to say it of: ", &s->unknown, s->worst);
    if (s->best > 0 && ranks)
        printf("The program takes least at %s=%.6g: %s.\n", x, s->best,
               rc_model_put_number(unit, s->best_total, number[0]));
}

static RC_COLUMNS(columns, RC_TEXT("kernel"), RC_NUMBER("share"), RC_NUMBER("largest"),
                  RC_NUMBER("ahead"), RC_NUMBER("low"), RC_NUMBER("high"),
                  RC_NUMBER("doubling"), RC_TEXT("law"));

static void put_times(struct rc_rows *rows, const struct rc_model *model,
                      const struct rc_model_scaling *s)
{
    const struct rc_measured *m = model->measured;
    char share[RC_TEXT_SHORT], number[4][RC_MODEL_NUMBER], growth[RC_TEXT_SHORT],
        law[RC_MODEL_TEXT];

    for (size_t i = 0; i < m->series; i++) {
        if (m->of[i].metric != s->metric)
            continue;
        const struct rc_predicted now = rc_model_series_at(model, i, s->at),
                                  then = rc_model_series_at(model, i, s->ahead);
        const double value[4] = {now.value, then.value, then.low, then.high};
        for (size_t k = 0; k < 4; k++)
            if (isfinite(value[k]))
                rc_model_put_number(m->metric[s->metric].unit, value[k], number[k]);
            else
                snprintf(number[k], sizeof number[k], "not known");
        share[0] = 0;
        if (s->total > 0)
            snprintf(share, sizeof share, "%.1f %%", 100 * now.value / s->total);
        put_growth(s, now.value, then.value, growth);
        put_law(model, i, law);
        RC_ROWS_PUT(rows, m->kernel[m->of[i].kernel], share, number[0], number[1],
                    number[2], number[3], growth, law);
    }
}

static RC_COLUMNS(others, RC_TEXT("metric"), RC_TEXT("kernel"), RC_TEXT("exact"),
                  RC_TEXT("law"));

/* All numbers but the main metric's, whose laws are enough. */
static void put_others(struct rc_rows *rows, const struct rc_model *model,
                       size_t except)
{
    const struct rc_measured *m = model->measured;
    char law[RC_MODEL_TEXT], name[RC_MODEL_TEXT];

    for (size_t k = 0; k < m->metrics; k++)
        for (size_t i = 0; i < m->series && k != except; i++) {
            if (m->of[i].metric != k)
                continue;
            put_law(model, i, law);
            if (strcmp(law, "0") == 0)
                continue;
            snprintf(name, sizeof name, "%s%s", m->metric[k].name,
                     m->metric[k].simulated ? " (simulated)" : "");
            RC_ROWS_PUT(rows, name, m->kernel[m->of[i].kernel],
                        model->laws.fit[i].exact ? "yes" : "", law);
        }
}

static int show_text(const struct rc_model *model, const char *dir,
                     const struct rc_model_scaling *s, struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    const struct rc_measured_metric *metric = &m->metric[s->metric];
    char point[RC_MODEL_TEXT];
    int status;

    say_scaling(model, s);
    printf("\n%s%s%s%s%s: 'largest' is at %s", metric->name,
           metric->unit[0] ? " (" : "", metric->unit, metric->unit[0] ? ")" : "",
           metric->simulated ? ", simulated" : "", rc_model_put_point(m, s->at, point));
    if (s->parameter < m->parameters)
        printf(", 'ahead' at %s=%.6g with an interval of 90 %%, 'doubling' of %s",
               m->parameter[s->parameter], s->ahead[s->parameter],
               m->parameter[s->parameter]);
    puts("");
    struct rc_rows *rows = rc_rows_create(stdout, RC_FORMAT_TEXT, columns, NULL);
    put_times(rows, model, s);
    if ((status = rc_rows_end(rows, RC_OK, err)) != RC_OK)
        return status;
    puts("");
    if (m->metrics > 1) {
        rows = rc_rows_create(stdout, RC_FORMAT_TEXT, others, NULL);
        put_others(rows, model, s->metric);
        if ((status = rc_rows_end(rows, RC_OK, err)) != RC_OK)
            return status;
        puts("");
    }
    rc_model_say_words(model, s->metric, NULL, stdout);
    rc_model_say_origin(model, stdout);
    printf("%s/" RC_MODEL_FILE "\n", rc_text_printable(point, sizeof point, dir));
    return RC_OK;
}

static RC_COLUMNS(all_columns, RC_TEXT("kernel"), RC_TEXT("metric"), RC_TEXT("unit"),
                  RC_TEXT("simulated"), RC_TEXT("exact"), RC_NUMBER("noise"),
                  RC_NUMBER("over_count"), RC_NUMBER("rank"), RC_NUMBER("weight"),
                  RC_TEXT("law"), RC_TEXT("largest"), RC_NUMBER("value"),
                  RC_TEXT("ahead"), RC_NUMBER("predicted"), RC_NUMBER("low"),
                  RC_NUMBER("high"), RC_TEXT("words"));

/* A row for each law of a series. */
static void put_laws(struct rc_rows *rows, const struct rc_model *model,
                     const struct rc_model_scaling *s, size_t series)
{
    const struct rc_measured *m = model->measured;
    const struct rc_measured_metric *metric = &m->metric[m->of[series].metric];
    const struct rc_predicted now = rc_model_series_at(model, series, s->at),
                              then = rc_model_series_at(model, series, s->ahead);
    char law[RC_MODEL_TEXT], point[2][RC_MODEL_TEXT], words[RC_MODEL_TEXT] = "";
    char cell[8][RC_TEXT_SHORT];
    struct rc_laws fit;

    rc_model_laws_get(&model->laws, series, &fit);
    rc_laws_words_text(fit.words | then.words, words, sizeof words);
    for (size_t i = 0; i == 0 || i < fit.count; i++) {
        const double value[8] = {fit.noise, fit.over_count,
                                 (double)i, fit.count > 0 ? fit.choice[i].weight : NAN,
                                 now.value, then.value,
                                 then.low,  then.high};
        const char *shown[8];
        for (size_t k = 0; k < 8; k++) {
            snprintf(cell[k], sizeof cell[k], "%.17g", value[k]);
            shown[k] = isfinite(value[k]) ? cell[k] : NULL;
        }
        law[0] = 0;
        if (fit.count > 0)
            rc_law_text(law, sizeof law, &fit.choice[i].law, m->parameter,
                        fit.parameters, NULL, 0);
        RC_ROWS_PUT(rows, m->kernel[m->of[series].kernel], metric->name, metric->unit,
                    metric->simulated ? "yes" : "no", fit.exact ? "yes" : "no",
                    shown[0], shown[1], shown[2], shown[3], law,
                    rc_model_put_point(m, s->at, point[0]), shown[4],
                    rc_model_put_point(m, s->ahead, point[1]), shown[5], shown[6],
                    shown[7], words);
    }
}

int rc_model_show(const struct rc_model *model, const char *dir, enum rc_format format,
                  struct rc_error *err)
{
    struct rc_model_scaling scaling;
    struct rc_json own, *json = rc_rows_json(format, &own, stdout);
    int status = rc_model_find_scaling(model, &scaling, err);

    if (status != RC_OK)
        return status;
    if (format == RC_FORMAT_TEXT)
        return show_text(model, dir, &scaling, err);
    if (json) {
        const struct rc_measured *m = model->measured;
        rc_json_object(json, NULL);
        rc_json_text(json, "created_by", model->created_by);
        rc_json_text(json, "method", model->method);
        rc_json_text(json, "origin", m->origin);
        rc_json_texts(json, "sources", model->source, model->sources);
        rc_json_real(json, "coverage", model->coverage);
        rc_json_flag(json, "simulated", model->simulated);
        rc_json_text(json, "stops_scaling",
                     scaling.worst < m->series ? m->kernel[m->of[scaling.worst].kernel]
                                               : NULL);
        rc_json_array(json, "not_faster");
        for (size_t i = 0; i < scaling.stopping.count && i < RC_MODEL_STOPPING; i++)
            rc_json_text(json, NULL, m->kernel[m->of[scaling.stopping.of[i]].kernel]);
        rc_json_end(json);
        rc_json_array(json, "laws");
    }
    struct rc_rows *rows = rc_rows_create(stdout, format, all_columns, json);
    rc_rows_head(stdout, format, all_columns);
    for (size_t i = 0; i < model->measured->series; i++)
        put_laws(rows, model, &scaling, i);
    status = rc_rows_end(rows, RC_OK, err);
    rc_json_close(json);
    return status;
}
