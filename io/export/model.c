/* The formats of models: measurements for Extra-P, as its text and as JSON Lines, with
 * laws as comments where the format has these.
 */
#include "io/export/model_parts.h"

#include "campaign/base/text.h"
#include "io/export/parts.h"
#include "solve/model/law_text.h"

#include <stdlib.h>
#include <string.h>

/* A call path with "->" between its names, to be freed; NULL: no memory. */
static char *path_of(const char *kernel)
{
    char *path = malloc(2 * strlen(kernel) + 1), *to = path;

    for (; path && *kernel; kernel++)
        if (*kernel == ';')
            to = stpcpy(to, "->");
        else
            *to++ = *kernel;
    if (path)
        *to = 0;
    return path;
}

/* Extra-P reads words, and makes several blanks one. */
static bool fits_line(const char *name, bool word)
{
    bool fits = name[0] && name[0] != ' ' && rc_text_is_utf8(name);

    for (const char *c = name; *c; c++)
        fits = fits && (unsigned char)*c >= ' ' && *c != 0x7f &&
               (*c != ' ' || (!word && c[1] && c[1] != ' '));
    return fits;
}

/* Why a series has no place in Extra-P's text; NULL: it has. */
static const char *find_obstacle(const struct rc_measured *m,
                                 const struct rc_measured_series *s)
{
    if (!fits_line(m->kernel[s->kernel], false) ||
        !fits_line(m->metric[s->metric].name, false))
        return "its name is empty, or has blanks or characters that the text would "
               "lose";
    for (size_t p = 0; p < m->points; p++)
        if (s->first[p] == s->first[p + 1])
            return "it was not measured at all points; --format extrap-jsonl has it";
    return NULL;
}

static void leave_out(FILE *left_out, const struct rc_measured *m,
                      const struct rc_measured_series *s, const char *why)
{
    char line[RC_ERROR_TEXT], printable[RC_ERROR_TEXT];

    snprintf(line, sizeof line, "'%.200s' of '%.200s': %s", m->metric[s->metric].name,
             m->kernel[s->kernel], why);
    fprintf(left_out, "%s\t%s\n", rc_text_printable(printable, sizeof printable, line),
            why);
}

static int put_text_head(const struct rc_model *model, FILE *out, struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    char number[RC_EXPORT_NUMBER], by[128];

    for (size_t i = 0; i < m->parameters; i++)
        if (!fits_line(m->parameter[i], true))
            return rc_fail(err, RC_EUSAGE,
                           "parameter %zu: Extra-P's text has no such name; --format "
                           "extrap-jsonl has",
                           i + 1);
    fprintf(out, "# measurements, and laws found by %s, method %s\n",
            rc_export_line(by, sizeof by, model->created_by, ""), model->method);
    if (model->simulated)
        fprintf(out, "# SIMULATED: some of the numbers are, as is said there\n");
    for (size_t i = 0; i < m->parameters; i++)
        fprintf(out, "PARAMETER %s\n", m->parameter[i]);
    fprintf(out, "POINTS");
    for (size_t p = 0; p < m->points; p++) {
        fprintf(out, m->parameters > 1 ? " (" : "");
        for (size_t i = 0; i < m->parameters; i++)
            fprintf(out, " %s", rc_export_number(number, m->at[p * m->parameters + i]));
        fprintf(out, m->parameters > 1 ? " )" : "");
    }
    fprintf(out, "\n");
    return RC_OK;
}

static int put_series(const struct rc_model *model, size_t number, FILE *out,
                      struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    const struct rc_measured_series *s = &m->of[number];
    char value[RC_EXPORT_NUMBER], text[RC_LAW_TEXT],
        *path = path_of(m->kernel[s->kernel]);
    struct rc_laws fit;

    if (!path)
        return rc_fail(err, RC_ENOMEM, "no memory for a call path");
    fprintf(out, "\nREGION %s\nMETRIC %s\n", path, m->metric[s->metric].name);
    free(path);
    if (m->metric[s->metric].simulated)
        fprintf(out, "# SIMULATED\n");
    rc_model_laws_get(&model->laws, number, &fit);
    if (fit.count > 0)
        fprintf(out, "# law: %s\n",
                rc_law_text_extrap(text, sizeof text, &fit.choice[0].law, m->parameter,
                                   m->parameters));
    for (size_t p = 0; p < m->points; p++) {
        fprintf(out, "DATA");
        for (size_t k = s->first[p]; k < s->first[p + 1]; k++)
            fprintf(out, " %s", rc_export_number(value, s->value[k]));
        fprintf(out, "\n");
    }
    return RC_OK;
}

/* The series of a metric follow each other: Extra-P 4 takes the metric that it met last
 * for each one that it knows already.
 */
static int write_text(const struct rc_model *model,
                      const struct rc_export_model_choice *choice, FILE *out,
                      FILE *left_out, struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    size_t *at = rc_calloc(m->metrics + 1, sizeof *at), /* of the next one's place */
        *order = rc_calloc(m->series, sizeof *order);
    int status = at && order ? put_text_head(model, out, err)
                             : rc_fail(err, RC_ENOMEM, "no memory for the series");

    for (size_t i = 0; i < m->series && status == RC_OK; i++)
        at[m->of[i].metric + 1]++;
    for (size_t i = 0; i < m->metrics && status == RC_OK; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < m->series && status == RC_OK; i++)
        order[at[m->of[i].metric]++] = i;
    for (size_t i = 0; i < m->series && status == RC_OK; i++) {
        const struct rc_measured_series *s = &m->of[order[i]];
        const char *obstacle = find_obstacle(m, s);
        if (obstacle)
            leave_out(left_out, m, s, obstacle);
        else if ((status = put_series(model, order[i], out, err)) == RC_OK)
            *choice->holds = true;
    }
    free(at);
    free(order);
    return status;
}

/* An object for each reading; Extra-P ignores members that it does not know. */
static int write_json_lines(const struct rc_model *model,
                            const struct rc_export_model_choice *choice, FILE *out,
                            FILE *left_out, struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    int status = RC_OK;

    *choice->holds = m->series > 0;
    (void)left_out;
    for (size_t i = 0; i < m->series && status == RC_OK; i++) {
        const struct rc_measured_series *s = &m->of[i];
        const struct rc_measured_metric *metric = &m->metric[s->metric];
        char *path = path_of(m->kernel[s->kernel]);
        if (!path)
            status = rc_fail(err, RC_ENOMEM, "no memory for a call path");
        for (size_t p = 0; p < m->points && path; p++)
            for (size_t k = s->first[p]; k < s->first[p + 1]; k++) {
                struct rc_json stream, *json = rc_json_begin(&stream, out);
                json->compact = true;
                rc_json_object(json, NULL);
                rc_json_object(json, "params");
                for (size_t x = 0; x < m->parameters; x++)
                    rc_json_real(json, m->parameter[x], m->at[p * m->parameters + x]);
                rc_json_end(json);
                rc_json_text(json, "callpath", path);
                rc_json_text(json, "metric", metric->name);
                rc_json_real(json, "value", s->value[k]);
                if (metric->simulated)
                    rc_json_flag(json, "simulated", true);
                rc_json_close(json);
            }
        free(path);
    }
    return status;
}

static const struct rc_export_model_format formats[] = {
    {"extrap", write_text},         {"extrap-jsonl", write_json_lines},
    {"csv", rc_export_model_csv},   {"csv-raw", rc_export_model_csv},
    {"json", rc_export_model_json},
};

const struct rc_export_model_format *rc_export_model_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}
