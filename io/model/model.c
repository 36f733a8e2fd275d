/* model.h5: readings and laws as tables.  Readings, laws, terms and covariances of all
 * series follow each other, and a row says how many of them are its own (contiguous
 * ragged arrays).  Only terms that a law has are in the file.
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
    struct rc_model_fit fit;
};

/* A row of /counts: a series at a point. */
struct count_row {
    size_t readings;
    double spread; /* standard error of the mean; NAN: not known */
};

#define NAME(label)                                                                    \
    {                                                                                  \
        .name = (label), .type = RC_H5_NAME                                            \
    }
#define REAL(label)                                                                    \
    {                                                                                  \
        .name = (label), .type = RC_H5_REAL                                            \
    }
#define CODE(of_struct, member, of_words)                                              \
    {                                                                                  \
        .name = #member, .type = RC_H5_CODE, .offset = offsetof(of_struct, member),    \
        .words = (of_words)                                                            \
    }
static const struct rc_h5_field source_fields[] = {NAME("source"), {0}},
                                parameter_fields[] = {NAME("parameter"), {0}},
                                kernel_fields[] = {NAME("kernel"), {0}},
                                point_fields[] = {REAL("at"), {0}},
                                reading_fields[] = {REAL("value"), {0}},
                                covariance_fields[] = {REAL("covariance"), {0}};

static const char *const kind_words[] = {"time", "count", NULL};
static const struct rc_h5_field metric_fields[] = {
    RC_H5_FIELD(RC_H5_NAME, struct rc_measured_metric, name, "metric", NULL),
    RC_H5_FIELD(RC_H5_NAME, struct rc_measured_metric, unit, "unit", NULL),
    CODE(struct rc_measured_metric, kind, kind_words),
    RC_H5_FIELD(RC_H5_FLAG, struct rc_measured_metric, simulated, "simulated", NULL),
    {0}};

#define SERIES_FIELD(type_of_it, member, label, of_unit)                               \
    RC_H5_FIELD(type_of_it, struct series_row, member, label, of_unit)
#define RANGE(i)                                                                       \
    SERIES_FIELD(RC_H5_REAL, fit.least[i], "least_" #i, NULL),                         \
        SERIES_FIELD(RC_H5_REAL, fit.most[i], "most_" #i, NULL)
static const struct rc_h5_field series_fields[] = {
    SERIES_FIELD(RC_H5_NUMBER, kernel, "kernel", NULL),
    SERIES_FIELD(RC_H5_NUMBER, metric, "metric", NULL),
    SERIES_FIELD(RC_H5_FLAG, fit.exact, "exact", NULL),
    SERIES_FIELD(RC_H5_REAL, fit.over_count, "over_count", "1"),
    SERIES_FIELD(RC_H5_REAL, fit.noise, "noise", "1"),
    SERIES_FIELD(RC_H5_REAL, fit.degrees, "degrees", "1"),
    SERIES_FIELD(RC_H5_REAL, fit.misfit, "misfit", "1"),
    SERIES_FIELD(RC_H5_REAL, fit.reach, "reach", "1"),
    SERIES_FIELD(RC_H5_NUMBER, fit.anchors, "anchors", "1"),
    SERIES_FIELD(RC_H5_NUMBER, fit.words, "words", NULL),
    SERIES_FIELD(RC_H5_NUMBER, fit.count, "laws", "1"),
    RANGE(0),
    RANGE(1),
    RANGE(2),
    RANGE(3),
    {0}};
static const struct rc_h5_field count_fields[] = {
    RC_H5_FIELD(RC_H5_NUMBER, struct count_row, readings, "readings", "1"),
    RC_H5_FIELD(RC_H5_REAL, struct count_row, spread, "spread", NULL),
    {0}};

#define ANCHOR_AT(i)                                                                   \
    RC_H5_FIELD(RC_H5_REAL, struct rc_laws_anchor, at[i], "at_" #i, NULL)
static const struct rc_h5_field anchor_fields[] = {
    ANCHOR_AT(0),
    ANCHOR_AT(1),
    ANCHOR_AT(2),
    ANCHOR_AT(3),
    RC_H5_FIELD(RC_H5_REAL, struct rc_laws_anchor, off, "off", NULL),
    {0}};

static const struct rc_h5_field law_fields[] = {
    RC_H5_FIELD(RC_H5_REAL, struct rc_model_law, weight, "weight", "1"),
    RC_H5_FIELD(RC_H5_NUMBER, struct rc_model_law, terms, "terms", "1"),
    {0}};

#define FACTOR(i)                                                                      \
    RC_H5_FIELD(RC_H5_TINY, struct rc_law_term, of[i].over, "over_" #i, NULL),         \
        RC_H5_FIELD(RC_H5_TINY, struct rc_law_term, of[i].under, "under_" #i, NULL),   \
        RC_H5_FIELD(RC_H5_TINY, struct rc_law_term, of[i].logs, "logs_" #i, NULL)
static const struct rc_h5_field term_fields[] = {
    RC_H5_FIELD(RC_H5_REAL, struct rc_law_term, coefficient, "coefficient", NULL),
    FACTOR(0),
    FACTOR(1),
    FACTOR(2),
    FACTOR(3),
    {0}};
_Static_assert(RC_LAW_PARAMETERS == 4, "columns of four parameters");

const char *const rc_model_why_names[] = {"rest", "share", "does not fall", NULL};
static const struct rc_h5_field choice_fields[] = {
    RC_H5_FIELD(RC_H5_NAME, struct rc_model_kernel, name, "kernel", NULL),
    CODE(struct rc_model_kernel, why, rc_model_why_names),
    RC_H5_FIELD(RC_H5_REAL, struct rc_model_kernel, share, "share", "1"),
    {0}};

enum table {
    SOURCES,
    PARAMETERS,
    KERNELS,
    METRICS,
    POINTS,
    SERIES,
    COUNTS,
    READINGS,
    ANCHORS,
    LAWS,
    TERMS,
    COVARIANCE,
    CHOICE,
    TABLES
};
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
    TABLE(POINTS, "points", double, point_fields),
    TABLE(SERIES, "series", struct series_row, series_fields),
    TABLE(COUNTS, "counts", struct count_row, count_fields),
    TABLE(READINGS, "readings", double, reading_fields),
    TABLE(ANCHORS, "anchors", struct rc_laws_anchor, anchor_fields),
    TABLE(LAWS, "laws", struct rc_model_law, law_fields),
    TABLE(TERMS, "terms", struct rc_law_term, term_fields),
    TABLE(COVARIANCE, "covariance", double, covariance_fields),
    TABLE(CHOICE, "choice", struct rc_model_kernel, choice_fields),
};

/* The rows of all tables. */
struct rows {
    const void *items;
    size_t count;
};

/* Attributes of "/" that are numbers. */
static const struct {
    const char *name;
    size_t offset;
} reals[] = {{"accuracy", offsetof(struct rc_model, accuracy)},
             {"threshold", offsetof(struct rc_model, threshold)},
             {"coverage", offsetof(struct rc_model, coverage)}};
enum { REALS = sizeof reals / sizeof *reals };

static bool is_simulated(const struct rc_measured *m)
{
    bool simulated = false;

    for (size_t i = 0; i < m->metrics; i++)
        simulated |= m->metric[i].simulated;
    return simulated;
}

static int put_head(hid_t file, const struct rc_model *m, struct rc_error *err)
{
    const uint8_t simulated = is_simulated(m->measured);
    int status;

    if ((status = rc_h5_put_form(file, &form, err)) ||
        (status = rc_h5_put_word(file, "created_by", m->created_by, err)) ||
        (status = rc_h5_put_word(file, "method", m->method, err)) ||
        (status = rc_h5_put_word(file, "origin", m->measured->origin, err)) ||
        (status = rc_h5_put_attribute(file, "unix_time", H5T_NATIVE_INT64, 1,
                                      &m->unix_time, err)) ||
        (status = rc_h5_put_attribute(file, "simulated", H5T_NATIVE_UINT8, 1,
                                      &simulated, err)))
        return status;
    for (size_t i = 0; i < REALS && status == RC_OK; i++)
        status = rc_h5_put_attribute(file, reals[i].name, H5T_NATIVE_DOUBLE, 1,
                                     (const char *)m + reals[i].offset, err);
    return status;
}

/* The rows of series, and their readings one after the other. */
static int make_rows(const struct rc_model *model, struct rc_arena *arena,
                     struct rows all[TABLES], struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    size_t values = 0, anchors = 0;

    for (size_t i = 0; i < m->series; i++) {
        values += m->of[i].first[m->points];
        anchors += model->laws.fit[i].anchors;
    }
    struct series_row *row = rc_arena_array(arena, m->series, sizeof *row);
    struct count_row *count =
        rc_arena_array(arena, m->series * m->points, sizeof *count);
    double *value = rc_arena_array(arena, values, sizeof *value);
    struct rc_laws_anchor *anchor = rc_arena_array(arena, anchors, sizeof *anchor);
    const int status = rc_arena_check(arena, err, "the readings of a model");
    if (status != RC_OK)
        return status;
    all[SERIES] = (struct rows){row, m->series};
    all[COUNTS] = (struct rows){count, m->series * m->points};
    all[READINGS] = (struct rows){value, values};
    all[ANCHORS] = (struct rows){anchor, anchors};
    for (size_t i = 0; i < m->series; i++) {
        const struct rc_measured_series *s = &m->of[i];
        row[i] = (struct series_row){s->kernel, s->metric, model->laws.fit[i]};
        for (size_t p = 0; p < m->points; p++)
            *count++ = (struct count_row){s->first[p + 1] - s->first[p],
                                          s->spread ? s->spread[p] : NAN};
        memcpy(value, s->value, s->first[m->points] * sizeof *value);
        value += s->first[m->points];
        memcpy(anchor, row[i].fit.anchor, row[i].fit.anchors * sizeof *anchor);
        anchor += row[i].fit.anchors;
    }
    return RC_OK;
}

/* Room on the disk is reserved before: a process in which HDF5 could not write does not
 * end well.
 */
static int put_model(hid_t file, const char *path_new, const struct rc_model *model,
                     struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    const struct rc_model_laws *l = &model->laws;
    struct rows all[TABLES] = {[SOURCES] = {model->source, model->sources},
                               [PARAMETERS] = {m->parameter, m->parameters},
                               [KERNELS] = {m->kernel, m->kernels},
                               [METRICS] = {m->metric, m->metrics},
                               [POINTS] = {m->at, m->points * m->parameters},
                               [LAWS] = {l->law, l->laws},
                               [TERMS] = {l->term, l->terms},
                               [COVARIANCE] = {l->covariance, l->covariances},
                               [CHOICE] = {model->kernel, model->kernels}};
    struct rc_arena arena = {0};
    uint64_t bytes = RC_STORE_FILE_NOTES;
    int status = make_rows(model, &arena, all, err);

    for (size_t t = 0; t < TABLES && status == RC_OK; t++)
        bytes += rc_h5_table_bytes(&tables[t], all[t].items, all[t].count);
    if (status == RC_OK && (status = rc_disk_reserve(path_new, bytes, err)) == RC_OK)
        status = put_head(file, model, err);
    for (size_t t = 0; t < TABLES && status == RC_OK; t++)
        status =
            rc_h5_put_table(file, &tables[t], all[t].items, all[t].count, NULL, err);
    rc_arena_free(&arena);
    return status;
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
    if (status == RC_OK && (status = put_model(file, path_new, model, err)) != RC_OK)
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

static int get_head(struct owner *own, hid_t file, struct rc_error *err)
{
    struct rc_model *m = &own->model;
    int status;

    if ((status = rc_h5_check_form(file, &form, own->pool, err)) ||
        (status = rc_h5_get_word(file, "created_by", own->pool, &m->created_by, err)) ||
        (status = rc_h5_get_word(file, "method", own->pool, &m->method, err)) ||
        (status =
             rc_h5_get_word(file, "origin", own->pool, &own->measured.origin, err)) ||
        (status = rc_h5_get_integer(file, "unix_time", &m->unix_time, err)))
        return status;
    for (size_t i = 0; i < REALS && status == RC_OK; i++)
        status = rc_h5_get_real(file, reals[i].name,
                                (void *)((char *)m + reals[i].offset), err);
    return status;
}

/* "'laws' number 3: expected ..." */
static int refuse(enum table table, size_t number, const char *expected,
                  struct rc_error *err)
{
    return rc_fail(err, RC_EUSAGE, "'%s' number %zu: expected %s", tables[table].name,
                   number, expected);
}

/* Whether a table has as many rows as others say. */
static int check_count(enum table table, size_t have, size_t expected,
                       struct rc_error *err)
{
    return have == expected
               ? RC_OK
               : rc_fail(err, RC_EUSAGE, "'%s' has %zu items, expected %zu",
                         tables[table].name, have, expected);
}

static int check_points(const struct rc_measured *m, size_t numbers,
                        struct rc_error *err)
{
    int status;

    if (m->parameters < 1 || m->parameters > RC_MEASURED_PARAMETERS)
        return rc_fail(err, RC_EUSAGE, "%zu parameters, expected 1 to %d",
                       m->parameters, RC_MEASURED_PARAMETERS);
    if ((status = check_count(POINTS, numbers, m->points * m->parameters, err)))
        return status;
    for (size_t i = 0; i < numbers; i++)
        if (!(isfinite(m->at[i]) && m->at[i] > 0))
            return refuse(POINTS, i, "a parameter above 0", err);
    return RC_OK;
}

/* Series are in order, and each is there once. */
static int check_series(const struct rc_measured *m, const struct series_row *row,
                        struct rc_error *err)
{
    for (size_t i = 0; i < m->series; i++) {
        if (row[i].kernel >= m->kernels || row[i].metric >= m->metrics)
            return refuse(SERIES, i, "a kernel and a metric that there are", err);
        if (i > 0 &&
            (row[i].kernel < row[i - 1].kernel || (row[i].kernel == row[i - 1].kernel &&
                                                   row[i].metric <= row[i - 1].metric)))
            return refuse(SERIES, i, "one after those before it, by kernel and metric",
                          err);
    }
    return RC_OK;
}

/* Distributes the readings among the series. */
static int share_readings(struct owner *own, const struct rows all[TABLES],
                          struct rc_error *err)
{
    struct rc_measured *m = &own->measured;
    const struct series_row *row = all[SERIES].items;
    const struct count_row *count = all[COUNTS].items;
    double *value = (double *)all[READINGS].items;
    size_t left = all[READINGS].count;
    struct rc_measured_series *of = rc_arena_array(&own->arena, m->series, sizeof *of);
    size_t *first =
        rc_arena_array(&own->arena, m->series, (m->points + 1) * sizeof *first);
    double *spread =
        rc_arena_array(&own->arena, m->series, (m->points + 1) * sizeof *spread);
    int status = rc_arena_check(&own->arena, err, "the readings");

    if (status != RC_OK ||
        (status = check_count(COUNTS, all[COUNTS].count, m->series * m->points, err)))
        return status;
    m->of = of;
    for (size_t i = 0; i < m->series; i++) {
        of[i] = (struct rc_measured_series){row[i].kernel, row[i].metric, first, value,
                                            NULL};
        for (size_t p = 0; p < m->points; p++, count++) {
            if (count->readings > left || count->spread < 0)
                return refuse(COUNTS, i * m->points + p,
                              "readings that there are, and a standard error of 0 or "
                              "more",
                              err);
            first[p + 1] = first[p] + count->readings;
            left -= count->readings;
            spread[p] = count->spread;
            if (!isnan(count->spread))
                of[i].spread = spread;
        }
        value += first[m->points];
        first += m->points + 1;
        spread += m->points;
    }
    for (size_t i = 0; i < all[READINGS].count; i++)
        if (!isfinite(((const double *)all[READINGS].items)[i]))
            return refuse(READINGS, i, "a finite number", err);
    return check_count(READINGS, all[READINGS].count, all[READINGS].count - left, err);
}

/* Terms and their covariances follow from how many terms each law has. */
static int share_terms(struct rc_model_laws *l, size_t covariances,
                       struct rc_error *err)
{
    size_t terms = 0;
    int status;

    for (size_t i = 0; i < l->laws; i++) {
        struct rc_model_law *law = &l->law[i];
        if (law->terms > RC_LAW_TERMS || law->terms > l->terms - terms)
            return refuse(LAWS, i, "terms that there are, and not too many", err);
        if (!(law->weight >= 0 && law->weight <= 1))
            return refuse(LAWS, i, "a weight of 0 to 1", err);
        law->first_term = terms;
        law->first_covariance = l->covariances;
        terms += law->terms;
        l->covariances += law->terms * (law->terms + 1) / 2;
    }
    if ((status = check_count(TERMS, l->terms, terms, err)) ||
        (status = check_count(COVARIANCE, covariances, l->covariances, err)))
        return status;
    for (size_t i = 0; i < terms; i++) {
        for (size_t p = 0; p < l->parameters; p++)
            if (l->term[i].of[p].under < 1 || !isfinite(l->term[i].coefficient))
                return refuse(TERMS, i,
                              "a finite coefficient, and powers 'over' something "
                              "above 0",
                              err);
        for (size_t p = l->parameters; p < RC_LAW_PARAMETERS; p++)
            l->term[i].of[p] = (struct rc_law_factor){0, 1, 0};
    }
    return RC_OK;
}

static int share_laws(struct owner *own, const struct rows all[TABLES],
                      struct rc_error *err)
{
    struct rc_model_laws *l = &own->model.laws;
    const struct series_row *row = all[SERIES].items;
    const struct rc_laws_anchor *anchor = all[ANCHORS].items;
    size_t laws = 0, anchors = 0;
    int status;

    l->fits = own->measured.series;
    l->parameters = own->measured.parameters;
    l->fit = rc_arena_array(&own->arena, l->fits, sizeof *l->fit);
    if (!l->fit)
        return rc_fail(err, RC_ENOMEM, "no memory for the laws");
    for (size_t i = 0; i < l->fits; i++) {
        l->fit[i] = row[i].fit;
        l->fit[i].first = laws;
        if (row[i].fit.count > RC_LAWS_CHOICES || row[i].fit.count > l->laws - laws)
            return refuse(SERIES, i, "laws that there are, and not too many", err);
        laws += row[i].fit.count;
        if (row[i].fit.anchors > RC_LAWS_ANCHORS ||
            row[i].fit.anchors > all[ANCHORS].count - anchors ||
            (row[i].fit.anchors && !(row[i].fit.reach > 0)))
            return refuse(SERIES, i,
                          "anchors that there are, with a reach, and not too many",
                          err);
        memcpy(l->fit[i].anchor, anchor + anchors, row[i].fit.anchors * sizeof *anchor);
        anchors += row[i].fit.anchors;
    }
    if ((status = check_count(ANCHORS, all[ANCHORS].count, anchors, err)))
        return status;
    return check_count(LAWS, l->laws, laws, err);
}

/* The rows of the file become the model's. */
static int take_rows(struct owner *own, struct rows all[TABLES], struct rc_error *err)
{
    struct rc_measured *m = &own->measured;
    struct rc_model *model = &own->model;
    int status;

    model->measured = m;
    model->source = all[SOURCES].items;
    model->sources = all[SOURCES].count;
    model->kernel = all[CHOICE].items;
    model->kernels = all[CHOICE].count;
    model->laws = (struct rc_model_laws){.law = (void *)all[LAWS].items,
                                         .laws = all[LAWS].count,
                                         .term = (void *)all[TERMS].items,
                                         .terms = all[TERMS].count,
                                         .covariance = (void *)all[COVARIANCE].items};
    m->parameter = all[PARAMETERS].items;
    m->parameters = all[PARAMETERS].count;
    m->kernel = all[KERNELS].items;
    m->kernels = all[KERNELS].count;
    m->metric = all[METRICS].items;
    m->metrics = all[METRICS].count;
    m->at = all[POINTS].items;
    m->points = m->parameters ? all[POINTS].count / m->parameters : 0;
    m->series = all[SERIES].count;
    model->simulated = is_simulated(m);
    if ((status = check_points(m, all[POINTS].count, err)) ||
        (status = check_series(m, all[SERIES].items, err)) ||
        (status = share_readings(own, all, err)) ||
        (status = share_laws(own, all, err)))
        return status;
    return share_terms(&model->laws, all[COVARIANCE].count, err);
}

static int read_model(const char *path, struct owner *own, struct rc_error *err)
{
    struct rows all[TABLES] = {{0}};
    hid_t file;
    int status;

    own->pool = rc_pool_create();
    if (!own->pool)
        return rc_fail(err, RC_ENOMEM, "'%s': no memory to read it", path);
    if ((status = rc_h5_open(path, &form, &file, err)))
        return status;
    status = get_head(own, file, err);
    for (size_t t = 0; t < TABLES && status == RC_OK; t++) {
        void *items = NULL;
        status = rc_h5_get_table(own->pool, &own->arena, file, &tables[t], 0, &items,
                                 &all[t].count, err);
        all[t].items = items;
    }
    if (status == RC_OK)
        status = take_rows(own, all, err);
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", path);
    return rc_h5_close(file, status, err);
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
    struct owner *own = rc_calloc(1, sizeof *own);

    if (own) {
        (void)read_model(path, own, &ignored);
        rc_model_close(&own->model);
    }
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
