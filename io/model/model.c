/* model.h5: readings and laws as tables, and what many series have in common as lists
 * that follow each other, with how many of them each series has (contiguous ragged
 * arrays).  Only terms that a law has are in the file.
 *
 * Files may come from strangers: a child process reads one first (io/hdf5/), and all
 * sizes, numbers of other rows and numbers that are computed with are checked.
 */
#include "io/model/model.h"

#include "campaign/base/arena.h"
#include "campaign/base/files/temporary.h"
#include "io/hdf5/table.h"

#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct rc_h5_form form = {
    .format = "rollcall model",
    .version = 1,
    .what = "a rollcall model",
    .remedy = "'rollcall model -o DIR' makes it again",
};

/* A row of /series: which series it is, and the head of its fit. */
struct series_row {
    size_t kernel, metric;
    bool spread; /* it has standard errors */
    struct rc_model_fit fit;
};

#define NAMES(label)                                                                   \
    {                                                                                  \
        {.name = (label), .type = RC_H5_NAME},                                         \
        {                                                                              \
            0                                                                          \
        }                                                                              \
    }
static const struct rc_h5_field source_fields[] = NAMES("source"),
                                parameter_fields[] = NAMES("parameter"),
                                kernel_fields[] = NAMES("kernel");

static const char *const kind_words[] = {"time", "count", NULL};
static const struct rc_h5_field metric_fields[] = {
    RC_H5_FIELD(RC_H5_NAME, struct rc_measured_metric, name, "metric", NULL),
    RC_H5_FIELD(RC_H5_NAME, struct rc_measured_metric, unit, "unit", NULL),
    {.name = "kind",
     .type = RC_H5_CODE,
     .offset = offsetof(struct rc_measured_metric, kind),
     .words = kind_words},
    RC_H5_FIELD(RC_H5_FLAG, struct rc_measured_metric, simulated, "simulated", NULL),
    {0}};

static const struct rc_h5_field series_fields[] = {
    RC_H5_FIELD(RC_H5_NUMBER, struct series_row, kernel, "kernel", NULL),
    RC_H5_FIELD(RC_H5_NUMBER, struct series_row, metric, "metric", NULL),
    RC_H5_FIELD(RC_H5_FLAG, struct series_row, spread, "has_spread", NULL),
    RC_H5_FIELD(RC_H5_FLAG, struct series_row, fit.exact, "exact", NULL),
    RC_H5_FIELD(RC_H5_REAL, struct series_row, fit.over_count, "over_count", "1"),
    RC_H5_FIELD(RC_H5_REAL, struct series_row, fit.noise, "noise", "1"),
    RC_H5_FIELD(RC_H5_REAL, struct series_row, fit.degrees, "degrees", "1"),
    RC_H5_FIELD(RC_H5_REAL, struct series_row, fit.misfit, "misfit", "1"),
    RC_H5_FIELD(RC_H5_REAL, struct series_row, fit.reach, "reach", "1"),
    RC_H5_FIELD(RC_H5_NUMBER, struct series_row, fit.anchors, "anchors", "1"),
    RC_H5_FIELD(RC_H5_NUMBER, struct series_row, fit.words, "words", NULL),
    RC_H5_FIELD(RC_H5_NUMBER, struct series_row, fit.count, "laws", "1"),
    {0}};

static const struct rc_h5_field law_fields[] = {
    RC_H5_FIELD(RC_H5_REAL, struct rc_model_law, weight, "weight", "1"),
    RC_H5_FIELD(RC_H5_NUMBER, struct rc_model_law, terms, "terms", "1"),
    {0}};

static const struct rc_h5_field term_fields[] = {
    RC_H5_FIELD(RC_H5_REAL, struct rc_law_term, coefficient, "coefficient", NULL), {0}};

const char *const rc_model_why_names[] = {"rest", "share", "does not fall", NULL};
static const struct rc_h5_field choice_fields[] = {
    RC_H5_FIELD(RC_H5_NAME, struct rc_model_kernel, name, "kernel", NULL),
    {.name = "why",
     .type = RC_H5_CODE,
     .offset = offsetof(struct rc_model_kernel, why),
     .words = rc_model_why_names},
    RC_H5_FIELD(RC_H5_REAL, struct rc_model_kernel, share, "share", "1"),
    {0}};

enum table { SOURCES, PARAMETERS, KERNELS, METRICS, SERIES, LAWS, TERMS, CHOICE };
#define TABLE(number, label, struct_of, fields)                                        \
    [number] = {.name = (label),                                                       \
                .item_bytes = sizeof(struct_of),                                       \
                .any_length = true,                                                    \
                .field = (fields)}
static const struct rc_h5_table tables[] = {
    TABLE(SOURCES, "sources", const char *, source_fields),
    TABLE(PARAMETERS, "parameters", const char *, parameter_fields),
    TABLE(KERNELS, "kernels", const char *, kernel_fields),
    TABLE(METRICS, "metrics", struct rc_measured_metric, metric_fields),
    TABLE(SERIES, "series", struct series_row, series_fields),
    TABLE(LAWS, "laws", struct rc_model_law, law_fields),
    TABLE(TERMS, "terms", struct rc_law_term, term_fields),
    TABLE(CHOICE, "choice", struct rc_model_kernel, choice_fields),
};

/* The lists and matrices of numbers, by their paths. */
#define POINTS "points"
#define LEAST "series/least"
#define MOST "series/most"
#define ANCHORS "series/anchor" /* of each: the parameters, and what it is off */
#define READINGS "readings"
#define COUNTS "readings/count"
#define VALUES "readings/value"
#define SPREADS "readings/spread"
#define FACTORS "terms/factors"
#define COVARIANCE "laws/covariance"
enum {
    FACTOR = 3, /* over, under, logs */
    ANCHOR = sizeof(struct rc_laws_anchor) / sizeof(double),
};

/* A failure is noted, and what comes after it is left out: the steps below are many. */
struct writer {
    hid_t file;
    const struct rc_model *model;
    struct rc_arena arena;
    struct rc_error *err;
    int status;
};

static void put_word(struct writer *w, const char *name, const char *text)
{
    if (w->status == RC_OK)
        w->status = rc_h5_put_word(w->file, name, text, w->err);
}

static void put_number(struct writer *w, const char *name, hid_t type,
                       const void *number)
{
    if (w->status == RC_OK)
        w->status = rc_h5_put_attribute(w->file, name, type, 1, number, w->err);
}

static void put_table(struct writer *w, enum table number, const void *items,
                      size_t count)
{
    if (w->status == RC_OK)
        w->status =
            rc_h5_put_table(w->file, &tables[number], items, count, NULL, w->err);
}

static void put_numbers(struct writer *w, const char *name, hid_t type, int rank,
                        const size_t *dims, const void *data)
{
    if (w->status == RC_OK)
        w->status =
            rc_h5_put_numbers(w->file, name, type, rank, dims, data, NULL, w->err);
}

/* Zeroed; never NULL for the caller, who looks at the status. */
static void *room_of(struct writer *w, size_t count, size_t item_bytes)
{
    void *room = rc_arena_array(&w->arena, count, item_bytes);

    if (w->status == RC_OK)
        w->status = rc_arena_check(&w->arena, w->err, "the numbers of a model");
    return room;
}

static bool is_simulated(const struct rc_measured *m)
{
    bool simulated = false;

    for (size_t i = 0; i < m->metrics; i++)
        simulated |= m->metric[i].simulated;
    return simulated;
}

static void put_head(struct writer *w)
{
    const struct rc_model *m = w->model;
    const uint8_t simulated = is_simulated(m->measured);

    w->status = rc_h5_put_form(w->file, &form, w->err);
    put_word(w, "created_by", m->created_by);
    put_word(w, "method", m->method);
    put_word(w, "origin", m->measured->origin);
    put_number(w, "unix_time", H5T_NATIVE_INT64, &m->unix_time);
    put_number(w, "accuracy", H5T_NATIVE_DOUBLE, &m->accuracy);
    put_number(w, "threshold", H5T_NATIVE_DOUBLE, &m->threshold);
    put_number(w, "coverage", H5T_NATIVE_DOUBLE, &m->coverage);
    put_number(w, "simulated", H5T_NATIVE_UINT8, &simulated);
}

/* The readings of all series, one after the other. */
static void put_readings(struct writer *w)
{
    const struct rc_measured *m = w->model->measured;
    size_t values = 0, spreads = 0;
    hid_t group = H5I_INVALID_HID;

    for (size_t i = 0; i < m->series; i++) {
        values += m->of[i].first[m->points];
        spreads += m->of[i].spread ? m->points : 0;
    }
    uint64_t *count = room_of(w, m->series * m->points, sizeof *count);
    double *value = room_of(w, values, sizeof *value);
    double *spread = room_of(w, spreads, sizeof *spread);
    if (w->status != RC_OK)
        return;
    values = spreads = 0;
    for (size_t i = 0; i < m->series; i++) {
        const struct rc_measured_series *s = &m->of[i];
        const size_t here = s->first[m->points];
        for (size_t p = 0; p < m->points; p++)
            count[i * m->points + p] = s->first[p + 1] - s->first[p];
        memcpy(value + values, s->value, here * sizeof *value);
        values += here;
        if (!s->spread)
            continue;
        memcpy(spread + spreads, s->spread, m->points * sizeof *spread);
        spreads += m->points;
    }
    w->status = rc_h5_group(w->file, READINGS, &group, w->err);
    w->status = rc_h5_close(group, w->status, w->err);
    put_numbers(w, COUNTS, H5T_NATIVE_UINT64, 2, (const size_t[]){m->series, m->points},
                count);
    put_numbers(w, VALUES, H5T_NATIVE_DOUBLE, 1, &values, value);
    put_numbers(w, SPREADS, H5T_NATIVE_DOUBLE, 1, &spreads, spread);
}

static void put_series(struct writer *w)
{
    const struct rc_measured *m = w->model->measured;
    const size_t dims[] = {m->series, m->parameters};
    struct series_row *row = room_of(w, m->series, sizeof *row);
    double *least = room_of(w, dims[0] * dims[1], sizeof *least);
    double *most = room_of(w, dims[0] * dims[1], sizeof *most);
    size_t anchor_dims[] = {m->series, RC_LAWS_ANCHORS, ANCHOR};
    struct rc_laws_anchor *anchor =
        room_of(w, m->series * RC_LAWS_ANCHORS, sizeof *anchor);

    if (w->status != RC_OK)
        return;
    for (size_t i = 0; i < m->series; i++) {
        const struct rc_model_fit *fit = &w->model->laws.fit[i];
        row[i] = (struct series_row){m->of[i].kernel, m->of[i].metric,
                                     m->of[i].spread != NULL, *fit};
        memcpy(least + i * dims[1], fit->least, dims[1] * sizeof *least);
        memcpy(most + i * dims[1], fit->most, dims[1] * sizeof *most);
        memcpy(anchor + i * RC_LAWS_ANCHORS, fit->anchor, sizeof fit->anchor);
    }
    put_table(w, SERIES, row, m->series);
    put_numbers(w, ANCHORS, H5T_NATIVE_DOUBLE, 3, anchor_dims, anchor);
    put_numbers(w, LEAST, H5T_NATIVE_DOUBLE, 2, dims, least);
    put_numbers(w, MOST, H5T_NATIVE_DOUBLE, 2, dims, most);
}

static void put_laws(struct writer *w)
{
    const struct rc_model_laws *l = &w->model->laws;
    const size_t parameters = w->model->measured->parameters;
    signed char *factor = room_of(w, l->terms * parameters, FACTOR);

    if (w->status != RC_OK)
        return;
    for (size_t i = 0; i < l->terms * parameters; i++) {
        const struct rc_law_factor *of = &l->term[i / parameters].of[i % parameters];
        memcpy(factor + i * FACTOR,
               (const signed char[]){of->over, of->under, of->logs}, FACTOR);
    }
    put_table(w, LAWS, l->law, l->laws);
    put_numbers(w, COVARIANCE, H5T_NATIVE_DOUBLE, 1, &l->covariances, l->covariance);
    put_table(w, TERMS, l->term, l->terms);
    put_numbers(w, FACTORS, H5T_NATIVE_INT8, 3,
                (const size_t[]){l->terms, parameters, FACTOR}, factor);
}

static int put_model(hid_t file, const struct rc_model *model, struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    struct writer w = {.file = file, .model = model, .err = err};

    put_head(&w);
    put_table(&w, SOURCES, model->source, model->sources);
    put_table(&w, PARAMETERS, m->parameter, m->parameters);
    put_table(&w, KERNELS, m->kernel, m->kernels);
    put_table(&w, METRICS, m->metric, m->metrics);
    put_numbers(&w, POINTS, H5T_NATIVE_DOUBLE, 2,
                (const size_t[]){m->points, m->parameters}, m->at);
    put_series(&w);
    put_readings(&w);
    put_laws(&w);
    put_table(&w, CHOICE, model->kernel, model->kernels);
    rc_arena_free(&w.arena);
    return w.status;
}

/* The most bytes that a column of names takes: padding to the longest one is compressed,
 * and a name that is not UTF-8 is there twice.
 */
static uint64_t text_bytes(const void *items, size_t item_bytes, size_t count)
{
    uint64_t longest = 0, all = 0;

    for (size_t i = 0; i < count; i++) {
        const char *text;
        memcpy(&text, (const char *)items + i * item_bytes, sizeof text);
        const uint64_t bytes = text ? strlen(text) : 0;
        longest = bytes > longest ? bytes : longest;
        all += bytes;
    }
    return 4 * all + count * longest / 128;
}

/* The most bytes that the model takes: numbers as they are. */
static uint64_t file_bytes(const struct rc_model *model)
{
    const struct rc_measured *m = model->measured;
    const struct rc_model_laws *l = &model->laws;
    uint64_t numbers = m->points * m->parameters + l->laws * 2 + l->terms * 3 +
                       l->covariances + model->kernels * 2 + m->metrics * 2;

    for (size_t i = 0; i < m->series; i++)
        numbers += 12 + RC_LAWS_ANCHORS * ANCHOR + 2 * m->parameters + 2 * m->points +
                   m->of[i].first[m->points];
    const uint64_t bytes =
        numbers * sizeof(double) +
        text_bytes(m->kernel, sizeof *m->kernel, m->kernels) +
        text_bytes(model->kernel, sizeof *model->kernel, model->kernels) +
        text_bytes(m->metric, sizeof *m->metric, m->metrics) +
        text_bytes(model->source, sizeof *model->source, model->sources);
    return bytes + bytes / 32 + RC_STORE_FILE_NOTES; /* notes on chunks of 256 KiB */
}

/* The name comes last: whoever opens it sees the old file or the new one, whole. */
int rc_model_write(const char *path, const struct rc_model *model, struct rc_error *err)
{
    char *path_new = rc_temporary_name(AT_FDCWD, path);
    hid_t file = H5I_INVALID_HID;
    bool created = false;
    int status;

    assert(model->laws.fits == model->measured->series);
    rc_h5_quiet();
    if (!path_new)
        return rc_fail(err, RC_ENOMEM, "'%s': no memory to write it", path);
    status = rc_h5_create_staged(path_new, path, &created, &file, err);
    /* A process in which HDF5 could not write does not end well. */
    if (status == RC_OK &&
        ((status = rc_disk_reserve(path_new, file_bytes(model), err)) ||
         (status = put_model(file, model, err))))
        rc_error_prefix(err, "'%s': ", path);
    if (file >= 0 && H5Fclose(file) < 0 && status == RC_OK)
        status = rc_h5_fail(err, "'%s': cannot close it", path_new);
    if (status == RC_OK)
        status = rc_h5_place_staged(path_new, path, err);
    if (status != RC_OK && created)
        unlink(path_new);
    rc_temporary_forget(path_new);
    return status;
}

/* A model that was read, with its memory. */
struct owner {
    struct rc_model model; /* the first member: its address is the owner's */
    struct rc_measured measured;
    struct rc_arena arena;
    struct rc_pool *pool;
};

struct reader {
    struct owner *own;
    hid_t file;
    struct rc_error *err;
    int status; /* as in struct writer */
};

static void refuse(struct reader *r, const char *what, size_t number,
                   const char *expected)
{
    if (r->status == RC_OK)
        r->status = rc_fail(r->err, RC_EUSAGE, "%s number %zu: expected %s", what,
                            number, expected);
}

/* Whether each item of a list belongs to a row of the table that has lists of them. */
static void check_shared(struct reader *r, const char *name, size_t have, size_t shared)
{
    if (r->status == RC_OK && have != shared)
        r->status = rc_fail(r->err, RC_EUSAGE, "'%s' has %zu items, expected %zu", name,
                            have, shared);
}

static void get_word(struct reader *r, const char *name, const char **out)
{
    if (r->status == RC_OK)
        r->status = rc_h5_get_word(r->file, name, r->own->pool, out, r->err);
}

static void get_real(struct reader *r, const char *name, double *out)
{
    if (r->status == RC_OK)
        r->status = rc_h5_get_real(r->file, name, out, r->err);
}

static void *get_table(struct reader *r, enum table number, size_t *count)
{
    void *items = NULL;

    if (r->status == RC_OK)
        r->status = rc_h5_get_table(r->own->pool, &r->own->arena, r->file,
                                    &tables[number], 0, &items, count, r->err);
    return items;
}

/* A list or matrix whose extents must be 'dims'; the first may be SIZE_MAX, which stands
 * for any and is filled in.
 */
static void *get_numbers(struct reader *r, const char *name, hid_t type, int rank,
                         size_t *dims)
{
    size_t have[RC_H5_DIMS] = {0}, items = 1;
    void *out = NULL;

    if (r->status != RC_OK ||
        (r->status = rc_h5_get_shape(r->file, name, rank, have, r->err)) ||
        (r->status = rc_h5_check_stored(r->file, name, r->err)))
        return NULL;
    if (dims[0] == SIZE_MAX)
        dims[0] = have[0];
    for (int i = 0; i < rank; i++)
        if (have[i] != dims[i]) {
            r->status = rc_fail(r->err, RC_EUSAGE,
                                "'%s' has %zu items in dimension %d, expected %zu",
                                name, have[i], i + 1, dims[i]);
            return NULL;
        }
    for (int i = 0; i < rank; i++)
        items *= dims[i];
    out = rc_arena_array(&r->own->arena, items, H5Tget_size(type));
    if (!out)
        r->status = rc_fail(r->err, RC_ENOMEM, "no memory for '%s'", name);
    else
        r->status = rc_h5_get_numbers(r->file, name, type, 0, items, out, r->err);
    return out;
}

static void get_head(struct reader *r)
{
    struct rc_model *m = &r->own->model;

    r->status = rc_h5_check_form(r->file, &form, r->own->pool, r->err);
    get_word(r, "created_by", &m->created_by);
    get_word(r, "method", &m->method);
    get_word(r, "origin", &r->own->measured.origin);
    if (r->status == RC_OK)
        r->status = rc_h5_get_integer(r->file, "unix_time", &m->unix_time, r->err);
    get_real(r, "accuracy", &m->accuracy);
    get_real(r, "threshold", &m->threshold);
    get_real(r, "coverage", &m->coverage);
    m->source = get_table(r, SOURCES, &m->sources);
    m->kernel = get_table(r, CHOICE, &m->kernels);
}

/* Parameters, points, kernels and metrics. */
static void get_labels(struct reader *r)
{
    struct rc_measured *m = &r->own->measured;
    size_t dims[] = {SIZE_MAX, 0};

    m->parameter = get_table(r, PARAMETERS, &m->parameters);
    m->kernel = get_table(r, KERNELS, &m->kernels);
    m->metric = get_table(r, METRICS, &m->metrics);
    if (r->status == RC_OK &&
        (m->parameters < 1 || m->parameters > RC_MEASURED_PARAMETERS))
        r->status = rc_fail(r->err, RC_EUSAGE, "%zu parameters, expected 1 to %d",
                            m->parameters, RC_MEASURED_PARAMETERS);
    dims[1] = m->parameters;
    m->at = get_numbers(r, POINTS, H5T_NATIVE_DOUBLE, 2, dims);
    m->points = r->status == RC_OK ? dims[0] : 0;
    for (size_t i = 0; i < m->points * m->parameters; i++)
        if (!(isfinite(m->at[i]) && m->at[i] > 0))
            refuse(r, "point", i / m->parameters, "parameters above 0");
    r->own->model.simulated = r->status == RC_OK && is_simulated(m);
}

/* Distributes the lists among the series. */
static void share_readings(struct reader *r, struct rc_measured_series *of,
                           const struct series_row *row, const uint64_t *count,
                           size_t values)
{
    const struct rc_measured *m = &r->own->measured;
    size_t *first =
        rc_arena_array(&r->own->arena, m->series, (m->points + 1) * sizeof *first);
    size_t dims[] = {0}, left = values;

    for (size_t i = 0; i < m->series; i++)
        dims[0] += row[i].spread ? m->points : 0;
    double *value = get_numbers(r, VALUES, H5T_NATIVE_DOUBLE, 1, &values);
    double *spread = get_numbers(r, SPREADS, H5T_NATIVE_DOUBLE, 1, dims);
    if (r->status == RC_OK && !first)
        r->status = rc_fail(r->err, RC_ENOMEM, "no memory for the readings");
    for (size_t i = 0; i < m->series && r->status == RC_OK; i++) {
        of[i] = (struct rc_measured_series){row[i].kernel, row[i].metric, first, value,
                                            row[i].spread ? spread : NULL};
        for (size_t p = 0; p < m->points; p++, count++) {
            if (*count > left)
                refuse(r, "series", i, "as many readings as 'value' has");
            const size_t here = *count > left ? left : *count;
            first[p + 1] = first[p] + here;
            left -= here;
        }
        for (size_t k = 0; k < first[m->points]; k++)
            if (!isfinite(value[k]))
                refuse(r, "series", i, "readings that are finite");
        value += first[m->points];
        first += m->points + 1;
        for (size_t p = 0; row[i].spread && p < m->points; p++)
            if (*spread++ < 0)
                refuse(r, "series", i, "standard errors of 0 or more");
    }
    check_shared(r, VALUES, values, values - left);
}

/* Series are in order, and each is there once. */
static struct series_row *get_series(struct reader *r)
{
    struct rc_measured *m = &r->own->measured;
    struct series_row *row = get_table(r, SERIES, &m->series);
    size_t dims[] = {m->series, m->points}, values = SIZE_MAX;

    for (size_t i = 0; r->status == RC_OK && i < m->series; i++) {
        if (row[i].kernel >= m->kernels || row[i].metric >= m->metrics)
            refuse(r, "series", i, "a kernel and a metric that there are");
        else if (i > 0 && (row[i].kernel < row[i - 1].kernel ||
                           (row[i].kernel == row[i - 1].kernel &&
                            row[i].metric <= row[i - 1].metric)))
            refuse(r, "series", i, "one after those before it, by kernel and metric");
    }
    const uint64_t *count = get_numbers(r, COUNTS, H5T_NATIVE_UINT64, 2, dims);
    if (r->status == RC_OK)
        r->status = rc_h5_get_shape(r->file, VALUES, 1, &values, r->err);
    struct rc_measured_series *of =
        rc_arena_array(&r->own->arena, m->series, sizeof *of);
    if (r->status == RC_OK && !of)
        r->status = rc_fail(r->err, RC_ENOMEM, "no memory for the series");
    if (r->status == RC_OK)
        share_readings(r, of, row, count, values);
    m->of = of;
    return row;
}

/* Terms and their covariances follow from how many terms each law has. */
static void get_terms(struct reader *r, struct rc_model_laws *l)
{
    const size_t parameters = l->parameters;
    size_t terms = 0, dims[] = {0, parameters, FACTOR};

    l->law = get_table(r, LAWS, &l->laws);
    l->term = get_table(r, TERMS, &l->terms);
    for (size_t i = 0; r->status == RC_OK && i < l->laws; i++) {
        struct rc_model_law *law = &l->law[i];
        if (law->terms > RC_LAW_TERMS || law->terms > l->terms - terms)
            refuse(r, "law", i, "terms that there are, and not too many");
        else if (!(law->weight >= 0 && law->weight <= 1))
            refuse(r, "law", i, "a weight of 0 to 1");
        law->first_term = terms;
        law->first_covariance = l->covariances;
        terms += law->terms;
        l->covariances += law->terms * (law->terms + 1) / 2;
    }
    dims[0] = l->terms;
    check_shared(r, tables[TERMS].name, l->terms, terms);
    const signed char *factor = get_numbers(r, FACTORS, H5T_NATIVE_INT8, 3, dims);
    l->covariance = get_numbers(r, COVARIANCE, H5T_NATIVE_DOUBLE, 1, &l->covariances);
    for (size_t i = 0; r->status == RC_OK && i < l->terms * parameters; i++) {
        struct rc_law_term *term = &l->term[i / parameters];
        const signed char *of = factor + i * FACTOR;
        term->of[i % parameters] = (struct rc_law_factor){of[0], of[1], of[2]};
        if (of[1] < 1 || !isfinite(term->coefficient))
            refuse(r, "term", i / parameters,
                   "a finite coefficient, and powers 'over' something above 0");
    }
    /* Parameters that the model does not have do not count. */
    for (size_t i = 0; r->status == RC_OK && i < l->terms; i++)
        for (size_t p = parameters; p < RC_LAW_PARAMETERS; p++)
            l->term[i].of[p].under = 1;
}

static void get_laws(struct reader *r, const struct series_row *row)
{
    struct rc_model_laws *l = &r->own->model.laws;
    const struct rc_measured *m = &r->own->measured;
    size_t dims[] = {m->series, m->parameters}, laws = 0;

    l->parameters = m->parameters;
    l->fits = m->series;
    get_terms(r, l);
    const double *least = get_numbers(r, LEAST, H5T_NATIVE_DOUBLE, 2, dims);
    const double *most = get_numbers(r, MOST, H5T_NATIVE_DOUBLE, 2, dims);
    size_t anchor_dims[] = {m->series, RC_LAWS_ANCHORS, ANCHOR};
    const struct rc_laws_anchor *anchor =
        get_numbers(r, ANCHORS, H5T_NATIVE_DOUBLE, 3, anchor_dims);
    l->fit = rc_arena_array(&r->own->arena, l->fits, sizeof *l->fit);
    if (r->status == RC_OK && !l->fit)
        r->status = rc_fail(r->err, RC_ENOMEM, "no memory for the laws");
    for (size_t i = 0; r->status == RC_OK && i < l->fits; i++) {
        struct rc_model_fit *fit = &l->fit[i];
        *fit = row[i].fit;
        fit->first = laws;
        if (fit->count > RC_LAWS_CHOICES || fit->count > l->laws - laws)
            refuse(r, "series", i, "laws that there are, and not too many");
        if (fit->anchors > RC_LAWS_ANCHORS || (fit->anchors && !(fit->reach > 0)))
            refuse(r, "series", i, "anchors with a reach, and not too many");
        laws += fit->count;
        memcpy(fit->anchor, anchor + i * RC_LAWS_ANCHORS, sizeof fit->anchor);
        memcpy(fit->least, least + i * dims[1], dims[1] * sizeof *least);
        memcpy(fit->most, most + i * dims[1], dims[1] * sizeof *most);
    }
    check_shared(r, tables[LAWS].name, l->laws, laws);
}

static int read_model(const char *path, struct owner *own, struct rc_error *err)
{
    struct reader r = {.own = own, .err = err};

    own->pool = rc_pool_create();
    own->model.measured = &own->measured;
    if (!own->pool)
        return rc_fail(err, RC_ENOMEM, "'%s': no memory to read it", path);
    if ((r.status = rc_h5_open(path, &form, &r.file, err)))
        return r.status;
    get_head(&r);
    get_labels(&r);
    get_laws(&r, get_series(&r));
    if (r.status != RC_OK)
        rc_error_prefix(err, "'%s': ", path);
    return rc_h5_close(r.file, r.status, err);
}

void rc_model_close(struct rc_model *model)
{
    struct owner *own = (struct owner *)model;

    if (!own)
        return;
    rc_arena_free(&own->arena);
    rc_pool_close(own->pool);
    free(own);
}

/* In a child process. */
static void try_to_read(const void *path)
{
    struct rc_error ignored = {.rank = -1};
    struct owner own = {0};

    (void)read_model(path, &own, &ignored);
}

int rc_model_read(const char *path, struct rc_model **out, struct rc_error *err)
{
    struct owner *own = rc_calloc(1, sizeof *own);
    int status =
        own ? RC_OK : rc_fail(err, RC_ENOMEM, "'%s': no memory to read it", path);

    rc_h5_quiet();
    *out = NULL;
    if (status == RC_OK && (status = rc_h5_check_seal(path, form.remedy, err)) == 0 &&
        (status = rc_h5_sandbox_read(path, &form, try_to_read, path, err)) == 0)
        status = read_model(path, own, err);
    if (status == RC_OK)
        *out = &own->model;
    else
        rc_model_close(own ? &own->model : NULL);
    return status;
}
