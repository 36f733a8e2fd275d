/* Holds a model against what was measured at points that it was not made from, or was:
 * predicted and measured, part by part.
 *
 * A part is off where it is wrong by more than the accuracy of the whole: a kernel of 1 %
 * of the time may be wrong by half, and changes nothing.
 */
#include "campaign/model/parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of a name, 'count' where it is not there. */
static size_t find_name(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* Arranges readings by the kernels of the model: others are part of its rest. */
static int arrange(const struct rc_model *model, const struct rc_measured *from,
                   struct rc_measured **out, struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    struct rc_model_kernel *kernel = rc_calloc(from->kernels, sizeof *kernel);
    size_t known = 0;
    int status;

    if (!kernel)
        return rc_fail(err, RC_ENOMEM, "no memory for kernels");
    for (size_t k = 0; k < from->kernels; k++)
        if (find_name(m->kernel, m->kernels, from->kernel[k]) < m->kernels) {
            kernel[k].why = RC_MODEL_SHARE;
            known++;
        }
    status = known > 0 ? rc_model_gather_kernels(from, kernel, out, err)
                       : rc_fail(err, RC_EUSAGE,
                                 "no kernel of the model is among those of '%.100s', "
                                 "expected readings of the same program",
                                 from->kernels > 0 ? from->kernel[0] : "nothing");
    free(kernel);
    return status;
}

/* A comparison of a kernel, or of all together. */
struct held {
    const char *kernel;   /* NULL: all */
    size_t metric, point; /* of the model; of what was measured */
    double measured;
    struct rc_predicted is;
    bool off;
};

struct holding {
    const struct rc_model *model;
    const struct rc_measured *with;
    double at[RC_LAW_PARAMETERS]; /* of the present point, in the model's order */
    struct held *held;
    size_t count, room;
};

static int keep(struct holding *h, const struct held *row, struct rc_error *err)
{
    if (rc_grow(&h->held, sizeof *h->held, h->count, &h->room))
        return rc_fail(err, RC_ENOMEM, "no memory for what is compared");
    h->held[h->count++] = *row;
    return RC_OK;
}

static double error_of(const struct held *row)
{
    return row->is.value / row->measured - 1;
}

/* All kernels of a metric at a point, then their sum. */
static int hold_point(struct holding *h, size_t metric, size_t point, double accuracy,
                      struct rc_error *err)
{
    const struct rc_measured *m = h->model->measured, *w = h->with;
    const size_t first = h->count;
    struct held total = {.metric = metric, .point = point};
    const size_t whole = rc_model_find_whole(m, metric);
    double below = 0, above = 0;
    int status = RC_OK;

    for (size_t i = 0; i < w->series && status == RC_OK; i++) {
        const struct rc_measured_series *s = &w->of[i];
        size_t kernel = find_name(m->kernel, m->kernels, w->kernel[s->kernel]);
        if (strcmp(w->metric[s->metric].name, m->metric[metric].name) != 0 ||
            s->first[point] == s->first[point + 1])
            continue;
        const size_t series = rc_model_find_series(m, kernel, metric);
        if (kernel == m->kernels || series == m->series)
            continue; /* the rest, which the model does not have */
        struct held row = {.kernel = m->kernel[kernel],
                           .metric = metric,
                           .point = point,
                           .measured = rc_model_mean(s, point),
                           .is = rc_model_series_at(h->model, series, h->at)};
        status = keep(h, &row, err);
        if (whole < m->series && whole != series)
            continue; /* a part of it */
        total.measured += row.measured;
        total.is.value += row.is.value;
        total.is.words |= row.is.words;
        below += pow(row.is.value - row.is.low, 2);
        above += pow(row.is.high - row.is.value, 2);
    }
    if (status != RC_OK || h->count == first || !rc_model_adds_up(&m->metric[metric]))
        return status;
    total.is.low = fmax(total.is.value - sqrt(below), 0);
    total.is.high = total.is.value + sqrt(above);
    for (size_t i = first; i < h->count; i++)
        h->held[i].off = !(fabs(h->held[i].is.value - h->held[i].measured) <=
                           accuracy * total.measured);
    total.off = !(fabs(error_of(&total)) <= accuracy);
    return keep(h, &total, err);
}

static int hold_metric(struct holding *h, size_t metric, double accuracy,
                       struct rc_error *err)
{
    const struct rc_measured *m = h->model->measured, *w = h->with;
    int status = RC_OK;

    for (size_t p = 0; p < w->points && status == RC_OK; p++) {
        for (size_t i = 0; i < m->parameters; i++) {
            const size_t from = find_name(w->parameter, w->parameters, m->parameter[i]);
            if (from == w->parameters)
                return rc_fail(
                    err, RC_EUSAGE,
                    "no parameter '%s' in what was measured, expected those of "
                    "the model",
                    m->parameter[i]);
            h->at[i] = w->at[p * w->parameters + from];
        }
        status = hold_point(h, metric, p, accuracy, err);
    }
    return status;
}

static bool is_inside(const struct held *row)
{
    return row->measured >= row->is.low && row->measured <= row->is.high;
}

static RC_COLUMNS(columns, RC_TEXT("point"), RC_TEXT("kernel"),
                  RC_TEXT_HIDDEN("metric"), RC_TEXT_HIDDEN("unit"),
                  RC_NUMBER("measured"), RC_NUMBER("predicted"), RC_NUMBER("low"),
                  RC_NUMBER("high"), RC_NUMBER("error"), RC_TEXT("within"),
                  RC_TEXT("off"));

static void put_rows(const struct holding *h, struct rc_rows *rows, bool people)
{
    const struct rc_measured *w = h->with;
    char number[5][RC_MODEL_NUMBER], point[RC_MODEL_TEXT];

    for (size_t i = 0; i < h->count; i++) {
        const struct held *row = &h->held[i];
        const struct rc_measured_metric *metric =
            &h->model->measured->metric[row->metric];
        const double value[5] = {row->measured, row->is.value, row->is.low,
                                 row->is.high, error_of(row)};
        const char *shown[5];
        for (size_t k = 0; k < 5; k++) {
            if (!people)
                snprintf(number[k], sizeof number[k], "%.17g", value[k]);
            else if (k < 4)
                rc_model_put_number(metric->unit, value[k], number[k]);
            else
                snprintf(number[k], sizeof number[k], "%+.1f %%", 100 * value[k]);
            shown[k] = isfinite(value[k]) ? number[k] : NULL;
        }
        RC_ROWS_PUT(rows,
                    rc_model_put_point(w, &w->at[row->point * w->parameters], point),
                    row->kernel ? row->kernel : "(all)", metric->name, metric->unit,
                    shown[0], shown[1], shown[2], shown[3], shown[4],
                    is_inside(row) ? "yes" : "no", row->off ? "off" : "");
    }
}

/* The answer: whether the whole is within the accuracy at all points, and the parts. */
static void say_answer(const struct holding *h, double accuracy, size_t off)
{
    const struct held *worst = NULL;
    size_t inside = 0, rows = 0, points = 0;
    char point[RC_MODEL_TEXT];

    for (size_t i = 0; i < h->count; i++) {
        const struct held *row = &h->held[i];
        inside += is_inside(row);
        rows++;
        points += !row->kernel;
        if (!row->kernel && (!worst || !(fabs(error_of(row)) <= fabs(error_of(worst)))))
            worst = row;
    }
    printf("%s: the whole is off by at most %.1f %%%s%s%s of %zu point%s; %.4g %% are "
           "allowed.\n",
           off ? "Some of it is off" : "The model holds",
           worst ? 100 * fabs(error_of(worst)) : NAN, worst ? ", at " : "",
           worst ? rc_model_put_point(
                       h->with, &h->with->at[worst->point * h->with->parameters], point)
                 : "",
           worst ? "," : "", points, rc_text_s(points), 100 * accuracy);
    printf("%zu of %zu numbers are within their intervals of 90 %%.\n\n", inside, rows);
}

int rc_model_validate(const struct rc_model *model, const struct rc_model_request *r,
                      bool *off, struct rc_error *err)
{
    const size_t main_metric = rc_model_main_metric(model->measured);
    struct rc_measured *read = NULL, *with = NULL;
    struct holding h = {.model = model};
    struct rc_json own, *json = NULL;
    size_t many = 0;
    int status;

    if ((status = rc_model_read_sources(r, &read, err)) != RC_OK ||
        (status = arrange(model, read, &with, err)) != RC_OK)
        goto out;
    h.with = with;
    for (size_t i = 0; i < model->measured->metrics && status == RC_OK; i++)
        if (i == main_metric || r->format != RC_FORMAT_TEXT)
            status = hold_metric(&h, i, r->accuracy, err);
    for (size_t i = 0; i < h.count; i++)
        many += h.held[i].metric == main_metric && h.held[i].off;
    if (status == RC_OK && h.count == 0)
        status = rc_fail(err, RC_EUSAGE, "no metric '%s' in what was measured",
                         model->measured->metric[main_metric].name);
    if (status != RC_OK)
        goto out;
    *off = many > 0;
    if (r->format == RC_FORMAT_TEXT)
        say_answer(&h, r->accuracy, many);
    if ((json = rc_rows_json(r->format, &own, stdout))) {
        rc_json_object(json, NULL);
        rc_json_flag(json, "off", *off);
        rc_json_real(json, "accuracy", r->accuracy);
        rc_json_array(json, "held");
    }
    struct rc_rows *rows = rc_rows_create(stdout, r->format, columns, json);
    rc_rows_head(stdout, r->format, columns);
    put_rows(&h, rows, r->format == RC_FORMAT_TEXT);
    status = rc_rows_end(rows, RC_OK, err);
    rc_json_close(json);
    if (r->format == RC_FORMAT_TEXT && status == RC_OK) {
        puts("");
        rc_model_say_origin(model, stdout);
    }
out:
    free(h.held);
    rc_measured_close(with);
    rc_measured_close(read);
    return status;
}
