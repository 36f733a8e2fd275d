/* Models as tables and as JSON: the laws of each series, and at each point the readings
 * and what the laws say there.
 */
#include "io/export/model_parts.h"

#include "campaign/base/arena.h"
#include "campaign/base/text.h"
#include "io/export/parts.h"
#include "io/text/rows.h"
#include "solve/model/law_text.h"

#include <math.h>
#include <string.h>

enum {
    FIRST = 16, /* columns before those of parameters, at most */
    CELLS = FIRST + 2 * RC_LAW_PARAMETERS + FIRST, /* of a row, at most */
    WORDS = 512 /* bytes of what is said beside a law */
};

static RC_COLUMNS(law_first, RC_TEXT("kernel"), RC_TEXT("metric"), RC_TEXT("unit"),
                  RC_NUMBER("law"), RC_NUMBER("weight"), RC_TEXT("text"),
                  RC_TEXT("exact"), RC_NUMBER("over_count"), RC_NUMBER("noise"),
                  RC_NUMBER("degrees"), RC_TEXT("words"), RC_NUMBER("term"),
                  RC_NUMBER("coefficient"), RC_NUMBER("error"));
static RC_COLUMNS(law_last, RC_TEXT("simulated"));
static RC_COLUMNS(point_first, RC_TEXT("kernel"), RC_TEXT("metric"), RC_TEXT("unit"));
static RC_COLUMNS(point_last, RC_NUMBER("readings"), RC_NUMBER("mean"),
                  RC_NUMBER("least"), RC_NUMBER("most"), RC_NUMBER("spread"),
                  RC_NUMBER("predicted"), RC_NUMBER("low"), RC_NUMBER("high"),
                  RC_TEXT("words"), RC_TEXT("simulated"));

enum { LAW_FIRST = sizeof law_first / sizeof *law_first - 1 };

/* A table, and the row that is being filled in. */
struct table {
    struct rc_rows *rows;
    struct rc_column column[CELLS + 1];
    const char *cell[CELLS];
    char number[CELLS][RC_EXPORT_NUMBER];
    size_t at;
};

static void put_text(struct table *t, const char *text)
{
    t->cell[t->at++] = text;
}

static void put_real(struct table *t, double value)
{
    put_text(t, rc_export_cell(t->number[t->at], value));
}

static void end_row(struct table *t)
{
    rc_rows_add(t->rows, t->cell);
    memset(t->cell, 0, sizeof t->cell);
    t->at = 0;
}

static void put_labels(struct table *t, const struct rc_measured *m,
                       const struct rc_measured_series *s)
{
    put_text(t, m->kernel[s->kernel]);
    put_text(t, m->metric[s->metric].name);
    put_text(t, m->metric[s->metric].unit);
}

/* With all digits. */
static const char *law_text(const struct rc_measured *m, const struct rc_law *law,
                            char out[RC_LAW_TEXT])
{
    return rc_law_text(out, RC_LAW_TEXT, law, m->parameter, m->parameters, NULL, 0);
}

/* Columns for each parameter, whose names are "PREFIX" and the parameter's. */
static void add_columns(struct table *t, struct rc_arena *arena,
                        const struct rc_measured *m, const char *const *prefix)
{
    char name[256];

    for (size_t i = 0; i < m->parameters; i++)
        for (const char *const *p = prefix; *p; p++) {
            snprintf(name, sizeof name, "%s%.200s", *p, m->parameter[i]);
            t->column[t->at++] =
                (struct rc_column)RC_NUMBER(rc_arena_text(arena, name));
        }
}

static void put_term(struct table *t, const struct rc_laws *fit, size_t law,
                     size_t number)
{
    const struct rc_laws_choice *choice = &fit->choice[law];
    const struct rc_law_term *term = &choice->law.term[number];

    put_real(t, (double)number);
    put_real(t, term->coefficient);
    put_real(t, sqrt(choice->covariance[number][number]));
    for (size_t i = 0; i < fit->parameters; i++) {
        put_real(t, (double)term->of[i].over / term->of[i].under);
        put_real(t, term->of[i].logs);
    }
}

/* A row for each term; a series without laws, and a law without terms, has one, too. */
static void put_laws(struct table *t, const struct rc_model *model, size_t series,
                     const struct rc_laws *fit)
{
    const struct rc_measured *m = model->measured;
    const struct rc_measured_series *s = &m->of[series];
    char text[RC_LAW_TEXT], words[WORDS];

    for (size_t c = 0; c == 0 || c < fit->count; c++) {
        const struct rc_law *law = c < fit->count ? &fit->choice[c].law : NULL;
        for (size_t i = 0; i == 0 || (law && i < law->terms); i++) {
            put_labels(t, m, s);
            put_real(t, law ? (double)c : NAN);
            put_real(t, law ? fit->choice[c].weight : NAN);
            put_text(t, law ? law_text(m, law, text) : NULL);
            put_text(t, rc_export_yes(fit->exact));
            put_real(t, fit->words & RC_LAWS_OVERCOUNT ? fit->over_count : NAN);
            put_real(t, fit->noise);
            put_real(t, fit->degrees);
            put_text(t, rc_laws_words_text(fit->words, words, sizeof words));
            if (law && law->terms > 0)
                put_term(t, fit, c, i);
            t->at = LAW_FIRST + 2 * m->parameters;
            put_text(t, rc_export_yes(m->metric[s->metric].simulated));
            end_row(t);
        }
    }
}

/* The readings of a point. */
static void put_readings(struct table *t, const struct rc_measured_series *s,
                         size_t point)
{
    const size_t count = s->first[point + 1] - s->first[point];
    const double *value = s->value + s->first[point];
    double sum = 0, least = count ? INFINITY : NAN, most = count ? -INFINITY : NAN;

    for (size_t k = 0; k < count; k++) {
        sum += value[k];
        least = fmin(least, value[k]);
        most = fmax(most, value[k]);
    }
    put_real(t, (double)count);
    put_real(t, count ? sum / (double)count : NAN);
    put_real(t, least);
    put_real(t, most);
    put_real(t, s->spread ? s->spread[point] : NAN);
}

static void put_points(struct table *t, const struct rc_model *model, size_t series,
                       const struct rc_laws *fit)
{
    const struct rc_measured *m = model->measured;
    const struct rc_measured_series *s = &m->of[series];
    char words[WORDS];

    for (size_t p = 0; p < m->points; p++) {
        const double *at = m->at + p * m->parameters;
        const struct rc_predicted there = rc_laws_predict(fit, at);
        put_labels(t, m, s);
        for (size_t i = 0; i < m->parameters; i++)
            put_real(t, at[i]);
        put_readings(t, s, p);
        put_real(t, there.value);
        put_real(t, there.low);
        put_real(t, there.high);
        put_text(t, rc_laws_words_text(there.words, words, sizeof words));
        put_text(t, rc_export_yes(m->metric[s->metric].simulated));
        end_row(t);
    }
}

static int put_table(const struct rc_model *model, bool laws, FILE *out,
                     enum rc_format format, struct rc_json *json, struct rc_error *err)
{
    static const char *const factors[] = {"power_", "logs_", NULL};
    static const char *const plain[] = {"", NULL};
    const struct rc_column *const first = laws ? law_first : point_first,
                                  *const last = laws ? law_last : point_last;
    struct rc_arena arena = {0};
    struct table t = {0};
    struct rc_laws fit;
    int status;

    while (first[t.at].name) {
        t.column[t.at] = first[t.at];
        t.at++;
    }
    add_columns(&t, &arena, model->measured, laws ? factors : plain);
    for (const struct rc_column *c = last; c->name; c++)
        t.column[t.at++] = *c;
    t.at = 0;
    if ((status = rc_arena_check(&arena, err, "the columns of a table")))
        goto out;
    rc_rows_head(out, format, t.column);
    t.rows = rc_rows_create(out, format, t.column, json);
    for (size_t i = 0; i < model->laws.fits; i++) {
        rc_model_laws_get(&model->laws, i, &fit);
        (laws ? put_laws : put_points)(&t, model, i, &fit);
    }
    status = rc_rows_end(t.rows, status, err);
out:
    rc_arena_free(&arena);
    return status;
}

int rc_export_model_csv(const struct rc_model *model,
                        const struct rc_export_model_choice *choice, FILE *out,
                        FILE *left_out, struct rc_error *err)
{
    (void)left_out;
    *choice->holds = model->measured->series > 0;
    return put_table(model, choice->table == RC_EXPORT_LAWS, out,
                     choice->raw ? RC_FORMAT_CSV_RAW : RC_FORMAT_CSV, NULL, err);
}

static void json_head(struct rc_json *json, const struct rc_model *model)
{
    static const struct rc_json_member head[] = {
        RC_JSON_EACH(rc_model, created_by, unix_time, method, accuracy, threshold,
                     coverage, simulated),
        {0}};
    const struct rc_measured *m = model->measured;

    rc_json_object(json, "model");
    rc_json_members(json, head, model);
    rc_json_text(json, "origin", m->origin);
    rc_json_texts(json, "sources", model->source, model->sources);
    rc_json_end(json);
    rc_json_texts(json, "parameters", m->parameter, m->parameters);
    rc_json_array(json, "choice");
    for (size_t i = 0; i < model->kernels; i++) {
        rc_json_object(json, NULL);
        rc_json_name(json, "kernel", model->kernel[i].name);
        rc_json_text(json, "why", rc_model_why_names[model->kernel[i].why]);
        rc_json_real(json, "share", model->kernel[i].share);
        rc_json_end(json);
    }
    rc_json_end(json);
}

/* The head of the model, and both tables. */
int rc_export_model_json(const struct rc_model *model,
                         const struct rc_export_model_choice *choice, FILE *out,
                         FILE *left_out, struct rc_error *err)
{
    struct rc_json stream, *json = rc_json_begin(&stream, out);
    int status = RC_OK;

    (void)left_out;
    *choice->holds = model->measured->series > 0;
    rc_json_object(json, NULL);
    json_head(json, model);
    for (int laws = 1; laws >= 0 && status == RC_OK; laws--) {
        rc_json_array(json, laws ? "laws" : "points");
        status = put_table(model, laws, out, RC_FORMAT_JSON, json, err);
        rc_json_end(json);
    }
    rc_json_close(json);
    return status;
}
