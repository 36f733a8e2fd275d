/* Predicts a point that was not measured: kernel by kernel, and all together. */
#include "campaign/model/parts.h"

#include "campaign/base/text.h"
#include "io/text/terminal.h"

#include <math.h>
#include <string.h>

/* One "NAME=VALUE" of a list, of so many bytes. */
static int take_value(const struct rc_measured *m, const char *option, const char *word,
                      size_t bytes, double *at, bool *given, struct rc_error *err)
{
    const char *equals = memchr(word, '=', bytes);
    char text[RC_TEXT_SHORT], names[256] = "";
    const size_t length = equals ? (size_t)(equals - word) : bytes,
                 number = rc_model_find_parameter(m, word, length),
                 rest = equals ? bytes - length - 1 : 0;
    double value;

    for (size_t i = 0; i < m->parameters; i++)
        rc_text_append(names, sizeof names, "%s%s", i ? ", " : "", m->parameter[i]);
    if (number == m->parameters)
        return rc_fail(err, RC_EUSAGE, "--%s: no parameter '%.*s', expected %s", option,
                       (int)(length < 100 ? length : 100), word, names);
    snprintf(text, sizeof text, "%.*s", (int)rest, equals ? equals + 1 : "");
    if (rest == 0 || rest >= sizeof text || rc_text_real(text, &value) || !(value > 0))
        return rc_fail(err, RC_EUSAGE,
                       "--%s: '%.*s', expected a number above 0 as in %s=64", option,
                       (int)(bytes < 100 ? bytes : 100), word, m->parameter[number]);
    if (given[number])
        return rc_fail(err, RC_EUSAGE, "--%s: '%s' is given twice", option,
                       m->parameter[number]);
    at[number] = value;
    given[number] = true;
    return RC_OK;
}

int rc_model_read_target(const struct rc_model *model, const struct rc_args *args,
                         const struct rc_option *const *option, double *at,
                         struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    bool given[RC_LAW_PARAMETERS] = {false};
    int status = RC_OK;

    for (size_t i = 0; i < args->given_count; i++)
        for (size_t o = 0; o == 0 || option[o]; o++) {
            const char *at_word = args->given[i].value;
            while (args->given[i].option == option[o] && status == RC_OK) {
                const size_t bytes = strcspn(at_word, ",");
                status = take_value(m, option[o]->name, at_word, bytes, at, given, err);
                if (!at_word[bytes])
                    break;
                at_word += bytes + 1;
            }
        }
    for (size_t i = 0; i < m->parameters && status == RC_OK; i++) {
        bool varies = false;
        for (size_t p = 1; p < m->points; p++)
            varies = varies || m->at[p * m->parameters + i] != m->at[i];
        if (!given[i] && varies)
            status = rc_fail(err, RC_EUSAGE, "--%s: expected a value of '%s', too",
                             option[0]->name, m->parameter[i]);
        else if (!given[i])
            at[i] = m->at[i];
    }
    return status;
}

static RC_COLUMNS(columns, RC_TEXT("kernel"), RC_NUMBER("share"),
                  RC_TEXT_HIDDEN("metric"), RC_TEXT_HIDDEN("unit"),
                  RC_TEXT_HIDDEN("point"), RC_NUMBER("predicted"), RC_NUMBER("low"),
                  RC_NUMBER("high"), RC_TEXT("known"), RC_TEXT_HIDDEN("words"));

static void put_row(struct rc_rows *rows, const struct rc_model *model,
                    const char *kernel, size_t metric, const double *at,
                    struct rc_predicted is, double total, bool people)
{
    const struct rc_measured_metric *of = &model->measured->metric[metric];
    char number[3][RC_MODEL_NUMBER], share[RC_TEXT_SHORT] = "",
                                     words[RC_MODEL_TEXT] = "", point[RC_MODEL_TEXT];
    const double value[3] = {is.value, is.low, is.high};

    for (size_t i = 0; i < 3; i++)
        if (people)
            rc_model_put_number(of->unit, value[i], number[i]);
        else
            snprintf(number[i], sizeof number[i], "%.17g", value[i]);
    if (total > 0 && is.value >= 0)
        snprintf(share, sizeof share, people ? "%.1f %%" : "%.6f",
                 (people ? 100 : 1) * is.value / total);
    rc_laws_words_text(is.words, words, sizeof words);
    const bool known = isfinite(is.value);
    RC_ROWS_PUT(rows, kernel, share[0] ? share : NULL, of->name, of->unit,
                rc_model_put_point(model->measured, at, point),
                known ? number[0] : NULL, isfinite(is.low) ? number[1] : NULL,
                isfinite(is.high) ? number[2] : NULL,
                !known                       ? "no"
                : is.words & RC_LAWS_UNKNOWN ? "hardly"
                                             : "",
                words);
}

static void put_metric(struct rc_rows *rows, const struct rc_model *model,
                       size_t metric, const double *at, bool people)
{
    const struct rc_measured *m = model->measured;
    const bool sums = rc_model_adds_up(&m->metric[metric]);
    const struct rc_predicted total =
        rc_model_total_at(model, metric, rc_model_find_whole(m, metric), at);

    for (size_t i = 0; i < m->series; i++)
        if (m->of[i].metric == metric)
            put_row(rows, model, m->kernel[m->of[i].kernel], metric, at,
                    rc_model_series_at(model, i, at), sums ? total.value : 0, people);
    if (sums)
        put_row(rows, model, "(all)", metric, at, total, total.value, people);
}

/* The answer of text: how long, how sure, and what takes most of it. */
static void say_answer(const struct rc_model *model, size_t metric, const double *at)
{
    const struct rc_measured *m = model->measured;
    const struct rc_measured_metric *of = &m->metric[metric];
    const size_t whole = rc_model_find_whole(m, metric);
    const struct rc_predicted total = rc_model_total_at(model, metric, whole, at);
    char point[RC_MODEL_TEXT], number[3][RC_MODEL_NUMBER], name[RC_MODEL_TEXT];
    size_t most = m->series;
    double value = 0;

    for (size_t i = 0; i < m->series; i++) {
        const double is = m->of[i].metric == metric && i != whole
                              ? rc_model_series_at(model, i, at).value
                              : NAN;
        if (is > value) {
            value = is;
            most = i;
        }
    }
    rc_model_put_point(m, at, point);
    printf("%s at %s: %s%s%s", of->name, point, isfinite(total.high) ? "" : "at least ",
           rc_model_put_number(of->unit, total.value, number[0]),
           of->simulated ? " (simulated)" : "");
    if (isfinite(total.low) && isfinite(total.high))
        printf(", %s to %s with 90 %%",
               rc_model_put_number(of->unit, total.low, number[1]),
               rc_model_put_number(of->unit, total.high, number[2]));
    if (most < m->series && total.value > 0)
        printf("; %s takes %.0f %%",
               rc_text_printable(name, sizeof name, m->kernel[m->of[most].kernel]),
               100 * value / total.value);
    printf(".%s\n", total.words & RC_LAWS_UNKNOWN
                        ? "  Some parts are hardly known: see below."
                        : "");
}

int rc_model_show_prediction(const struct rc_model *model, const double *at,
                             enum rc_format format, struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    const size_t main_metric = rc_model_main_metric(m);
    struct rc_json own, *json = rc_rows_json(format, &own, stdout);
    int status = RC_OK;

    if (json) {
        rc_json_object(json, NULL);
        rc_json_array(json, "predicted");
    }
    if (format == RC_FORMAT_TEXT) {
        say_answer(model, main_metric, at);
        puts("");
        struct rc_rows *rows = rc_rows_create(stdout, format, columns, NULL);
        put_metric(rows, model, main_metric, at, true);
        if ((status = rc_rows_end(rows, RC_OK, err)) != RC_OK)
            return status;
        for (size_t i = 0; i < m->metrics; i++)
            if (i != main_metric && !rc_model_adds_up(&m->metric[i])) {
                printf("\n%s\n", m->metric[i].name);
                rows = rc_rows_create(stdout, format, columns, NULL);
                put_metric(rows, model, i, at, true);
                if ((status = rc_rows_end(rows, RC_OK, err)) != RC_OK)
                    return status;
            }
        puts("");
        rc_model_say_words(model, main_metric, at, stdout);
        rc_model_say_origin(model, stdout);
        return RC_OK;
    }
    struct rc_rows *rows = rc_rows_create(stdout, format, columns, json);
    rc_rows_head(stdout, format, columns);
    for (size_t i = 0; i < m->metrics; i++)
        put_metric(rows, model, i, at, false);
    status = rc_rows_end(rows, RC_OK, err);
    rc_json_close(json);
    return status;
}
