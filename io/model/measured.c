/* Readings of kernels and metrics at points of parameters: collected in any order, then
 * sorted.
 *
 * Points and names get numbers by maps while readings come, so that each reading is 32
 * bytes.  At the end points are put in the order of their parameters, kernels and
 * metrics in that of their names, and the readings after them: the same readings give
 * the same set, in whatever order they came, but for the order of equal ones.
 */
#include "io/model/measured.h"

#include "campaign/base/arena.h"
#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define READINGS_MOST ((size_t)1 << 27)
#define CELLS_MOST ((size_t)1 << 26) /* series times points */

struct reading {
    uint32_t kernel, metric, point, number; /* number: as it was added */
    double value, spread;
};

struct rc_measured_draft {
    struct rc_pool *texts;
    size_t parameters;
    const char *parameter[RC_MEASURED_DRAFT_PARAMETERS];
    double *at; /* [point][parameter] */
    size_t points, at_count, at_room;
    const char **kernel;
    size_t kernels, kernel_room;
    struct rc_measured_metric *metric;
    size_t metrics, metric_room;
    struct reading *reading;
    size_t readings, reading_room;
    struct rc_map point_map, kernel_map, metric_map;
};

/* The set with the memory that it lies in. */
struct set {
    struct rc_measured measured; /* the first member */
    struct rc_pool *texts;
    struct rc_arena arena;
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for what was measured");
}

static bool is_point(const void *context, size_t item, const void *key)
{
    const struct rc_measured_draft *d = context;

    return memcmp(d->at + item * d->parameters, key, d->parameters * sizeof *d->at) ==
           0;
}

static bool is_kernel(const void *context, size_t item, const void *key)
{
    return strcmp(((const struct rc_measured_draft *)context)->kernel[item], key) == 0;
}

static bool is_metric(const void *context, size_t item, const void *key)
{
    return strcmp(((const struct rc_measured_draft *)context)->metric[item].name,
                  key) == 0;
}

/* Writes a name that can be shown and stored: characters that nobody sees, and bytes
 * that are not UTF-8, become \x and digits, so that other names stay other ones; the
 * end of a long one becomes a digest of the whole.
 */
static const char *put_name(char out[RC_MEASURED_NAME], const char *name)
{
    static const char digits[] = "0123456789abcdef";
    const size_t most = RC_MEASURED_NAME - sizeof "..." - RC_DIGEST_TEXT;
    const char *at = name;
    size_t used = 0;

    while (*at) {
        uint32_t code = 0;
        const size_t length = rc_text_code_point(at, &code);
        const bool plain = length > 0 && !rc_text_is_hidden(code);
        const size_t bytes = length ? length : 1;
        if (used + 4 * bytes > most)
            break;
        for (size_t i = 0; i < bytes; i++, at++) {
            const unsigned char byte = (unsigned char)*at;
            if (plain) {
                out[used++] = *at;
                continue;
            }
            out[used++] = '\\';
            out[used++] = 'x';
            out[used++] = digits[byte >> 4];
            out[used++] = digits[byte & 15];
        }
    }
    if (*at) {
        memcpy(out + used, "...", 3);
        rc_text_put_digest(out + used + 3, rc_text_hash(name));
    } else {
        out[used] = 0;
    }
    return out;
}

void rc_measured_drop(struct rc_measured_draft *d)
{
    if (!d)
        return;
    rc_map_fini(&d->point_map);
    rc_map_fini(&d->kernel_map);
    rc_map_fini(&d->metric_map);
    free(d->at);
    free(d->kernel);
    free(d->metric);
    free(d->reading);
    rc_pool_close(d->texts);
    free(d);
}

int rc_measured_begin(const char *const *parameter, size_t parameters,
                      struct rc_measured_draft **out, struct rc_error *err)
{
    char name[RC_MEASURED_NAME];
    struct rc_measured_draft *d;
    int status = RC_OK;

    *out = NULL;
    if (parameters == 0 || parameters > RC_MEASURED_DRAFT_PARAMETERS)
        return rc_fail(err, RC_EUSAGE, "%zu parameters, expected 1 to %d", parameters,
                       RC_MEASURED_PARAMETERS);
    if (!(d = rc_calloc(1, sizeof *d)) || !(d->texts = rc_pool_create())) {
        free(d);
        return fail_memory(err);
    }
    d->parameters = parameters;
    d->point_map.same = is_point;
    d->kernel_map.same = is_kernel;
    d->metric_map.same = is_metric;
    for (size_t i = 0; i < parameters && status == RC_OK; i++) {
        d->parameter[i] = rc_pool_intern(d->texts, put_name(name, parameter[i]));
        if (!d->parameter[i])
            status = fail_memory(err);
        else if (!*name)
            status = rc_fail(err, RC_EUSAGE, "parameter %zu has no name", i + 1);
        for (size_t k = 0; k < i && status == RC_OK; k++)
            if (d->parameter[k] == d->parameter[i])
                status =
                    rc_fail(err, RC_EUSAGE, "two parameters are called '%.200s'", name);
    }
    if (status == RC_OK)
        *out = d;
    else
        rc_measured_drop(d);
    return status;
}

static int find_point(struct rc_measured_draft *d, const double *at, size_t *point,
                      struct rc_error *err)
{
    const uint64_t hash =
        rc_text_hash_more(rc_text_hash(""), at, d->parameters * sizeof *at);

    for (size_t i = 0; i < d->parameters; i++)
        if (!isfinite(at[i]) || at[i] <= 0)
            return rc_fail(err, RC_EUSAGE,
                           "parameter '%.200s' is %g, expected a number above 0",
                           d->parameter[i], at[i]);
    if ((*point = rc_map_find(&d->point_map, d, hash, at)) != RC_MAP_NONE)
        return RC_OK;
    for (size_t i = 0; i < d->parameters; i++) {
        if (rc_grow(&d->at, sizeof *d->at, d->at_count + i, &d->at_room))
            return fail_memory(err);
        d->at[d->at_count + i] = at[i];
    }
    if (rc_map_put(&d->point_map, d, hash, at, d->points))
        return fail_memory(err);
    d->at_count += d->parameters;
    *point = d->points++;
    return RC_OK;
}

static int find_kernel(struct rc_measured_draft *d, const char *kernel, size_t *out,
                       struct rc_error *err)
{
    char name[RC_MEASURED_NAME];
    const uint64_t hash = rc_text_hash(put_name(name, *kernel ? kernel : "program"));
    const char *copy;

    if ((*out = rc_map_find(&d->kernel_map, d, hash, name)) != RC_MAP_NONE)
        return RC_OK;
    if (!(copy = rc_pool_copy(d->texts, name)) ||
        rc_grow(&d->kernel, sizeof *d->kernel, d->kernels, &d->kernel_room))
        return fail_memory(err);
    d->kernel[d->kernels] = copy;
    if (rc_map_put(&d->kernel_map, d, hash, copy, d->kernels))
        return fail_memory(err);
    *out = d->kernels++;
    return RC_OK;
}

/* A metric is of times, or simulated, where it was said once. */
static int find_metric(struct rc_measured_draft *d,
                       const struct rc_measured_metric *metric, size_t *out,
                       struct rc_error *err)
{
    char name[RC_MEASURED_NAME], unit[RC_MEASURED_NAME];
    const uint64_t hash =
        rc_text_hash(put_name(name, *metric->name ? metric->name : "value"));
    struct rc_measured_metric *m;

    put_name(unit, metric->unit ? metric->unit : "");
    if ((*out = rc_map_find(&d->metric_map, d, hash, name)) != RC_MAP_NONE) {
        m = &d->metric[*out];
        m->simulated |= metric->simulated;
        if (metric->kind == RC_MEASURED_TIME)
            m->kind = RC_MEASURED_TIME;
        if (strcmp(m->unit, unit) != 0)
            return rc_fail(err, RC_EUSAGE,
                           "metric '%.200s' has the unit '%.60s', expected '%.60s' as "
                           "before",
                           name, unit, m->unit);
        return RC_OK;
    }
    if (rc_grow(&d->metric, sizeof *d->metric, d->metrics, &d->metric_room))
        return fail_memory(err);
    m = &d->metric[d->metrics];
    *m = *metric;
    m->name = rc_pool_copy(d->texts, name);
    m->unit = rc_pool_intern(d->texts, unit);
    if (!m->name || !m->unit ||
        rc_map_put(&d->metric_map, d, hash, m->name, d->metrics))
        return fail_memory(err);
    *out = d->metrics++;
    return RC_OK;
}

int rc_measured_add(struct rc_measured_draft *d, const double *at, const char *kernel,
                    const struct rc_measured_metric *metric, double value,
                    double spread, struct rc_error *err)
{
    size_t point, k, m;
    int status;

    if (!isfinite(value) || value < 0)
        return rc_fail(err, RC_EUSAGE, "%g, expected a number from 0 on", value);
    if (isinf(spread) || spread < 0)
        return rc_fail(err, RC_EUSAGE, "standard error %g, expected one from 0 on",
                       spread);
    if (d->readings == READINGS_MOST)
        return rc_fail(err, RC_EUSAGE, "more than %zu readings", READINGS_MOST);
    if ((status = find_point(d, at, &point, err)) != RC_OK ||
        (status = find_kernel(d, kernel, &k, err)) != RC_OK ||
        (status = find_metric(d, metric, &m, err)) != RC_OK)
        return status;
    if (rc_grow(&d->reading, sizeof *d->reading, d->readings, &d->reading_room))
        return fail_memory(err);
    d->reading[d->readings] = (struct reading){.kernel = (uint32_t)k,
                                               .metric = (uint32_t)m,
                                               .point = (uint32_t)point,
                                               .number = (uint32_t)d->readings,
                                               .value = value,
                                               .spread = spread};
    d->readings++;
    if (value != floor(value))
        d->metric[m].kind = RC_MEASURED_TIME;
    return RC_OK;
}

/* An item that gets a place among its kind. */
struct ranked {
    const char *name; /* or a point: */
    const double *at;
    size_t parameters, number;
};

static int order_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->name)
        return strcmp(x->name, y->name);
    for (size_t i = 0; i < x->parameters; i++)
        if (x->at[i] != y->at[i])
            return x->at[i] < y->at[i] ? -1 : 1;
    return 0;
}

static int order_readings(const void *a, const void *b)
{
    const struct reading *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->kernel, x->metric, x->point, x->number},
                              (uint64_t[]){y->kernel, y->metric, y->point, y->number},
                              4);
}

/* Sorts the items; place[i] is where the item that was added as i stands then. */
static void rank(struct ranked *item, size_t count, uint32_t *place)
{
    for (size_t i = 0; i < count; i++)
        item[i].number = i;
    qsort(item, count, sizeof *item, order_ranked);
    for (size_t i = 0; i < count; i++)
        place[item[i].number] = (uint32_t)i;
}

/* The parameters that stay: all, or those that vary where all are too many. */
static int choose_parameters(const struct rc_measured_draft *d, size_t *kept,
                             size_t *count, struct rc_error *err)
{
    *count = 0;
    for (size_t i = 0; i < d->parameters; i++) {
        bool varies = d->parameters <= RC_MEASURED_PARAMETERS;
        for (size_t p = 1; p < d->points && !varies; p++)
            varies = d->at[p * d->parameters + i] != d->at[i];
        if (varies)
            kept[(*count)++] = i;
    }
    if (*count > RC_MEASURED_PARAMETERS)
        return rc_fail(err, RC_EUSAGE, "%zu parameters vary, expected at most %d",
                       *count, RC_MEASURED_PARAMETERS);
    if (*count == 0)
        return rc_fail(err, RC_EUSAGE, "none of %zu parameters varies", d->parameters);
    return RC_OK;
}

/* Puts points, kernels and metrics in order, and renumbers the readings. */
static int put_items(struct rc_measured_draft *d, struct set *s, struct rc_error *err)
{
    struct rc_measured *m = &s->measured;
    const size_t most = d->points + d->kernels + d->metrics;
    struct ranked *item = rc_calloc(most, sizeof *item);
    uint32_t *place = rc_calloc(most, sizeof *place);
    size_t kept[RC_MEASURED_DRAFT_PARAMETERS] = {0};
    int status = item && place ? choose_parameters(d, kept, &m->parameters, err)
                               : fail_memory(err);
    if (status != RC_OK)
        goto out;
    struct ranked *kernel = item + d->points, *metric = kernel + d->kernels;
    uint32_t *of_kernel = place + d->points, *of_metric = of_kernel + d->kernels;
    for (size_t i = 0; i < d->points; i++)
        item[i] = (struct ranked){.at = d->at + i * d->parameters,
                                  .parameters = d->parameters};
    for (size_t i = 0; i < d->kernels; i++)
        kernel[i] = (struct ranked){.name = d->kernel[i]};
    for (size_t i = 0; i < d->metrics; i++)
        metric[i] = (struct ranked){.name = d->metric[i].name};
    rank(item, d->points, place);
    rank(kernel, d->kernels, of_kernel);
    rank(metric, d->metrics, of_metric);

    const char **names = rc_arena_array(&s->arena, m->parameters, sizeof *names);
    double *at = rc_arena_array(&s->arena, d->points * m->parameters, sizeof *at);
    const char **kernels = rc_arena_array(&s->arena, d->kernels, sizeof *kernels);
    struct rc_measured_metric *metrics =
        rc_arena_array(&s->arena, d->metrics, sizeof *metrics);
    if ((status = rc_arena_check(&s->arena, err, "what was measured")) != RC_OK)
        goto out;
    for (size_t i = 0; i < m->parameters; i++) {
        names[i] = d->parameter[kept[i]];
        for (size_t p = 0; p < d->points; p++)
            at[p * m->parameters + i] = item[p].at[kept[i]];
    }
    for (size_t i = 0; i < d->kernels; i++)
        kernels[i] = kernel[i].name;
    for (size_t i = 0; i < d->metrics; i++)
        metrics[i] = d->metric[metric[i].number];
    for (size_t i = 0; i < d->readings; i++) {
        struct reading *r = &d->reading[i];
        r->point = place[r->point];
        r->kernel = of_kernel[r->kernel];
        r->metric = of_metric[r->metric];
    }
    m->parameter = names;
    m->at = at;
    m->kernel = kernels;
    m->metric = metrics;
    m->points = d->points;
    m->kernels = d->kernels;
    m->metrics = d->metrics;
out:
    free(item);
    free(place);
    return status;
}

/* The standard errors of the means of a series' points, from those of its readings;
 * false where a reading has none.  Points that were not measured have NAN.
 */
static bool put_spread(const struct reading *reading, const size_t *first,
                       size_t points, double *spread)
{
    for (size_t p = 0; p < points; p++) {
        double squares = 0;
        for (size_t i = first[p]; i < first[p + 1]; i++)
            squares += reading[i].spread * reading[i].spread;
        if (isnan(squares))
            return false;
        spread[p] = sqrt(squares) / (double)(first[p + 1] - first[p]); /* 0/0: NAN */
    }
    return true;
}

static bool begins_series(const struct reading *reading, size_t i)
{
    return i == 0 || reading[i].kernel != reading[i - 1].kernel ||
           reading[i].metric != reading[i - 1].metric;
}

/* Takes the sorted readings apart into series. */
static int put_series(struct rc_measured_draft *d, struct set *s, struct rc_error *err)
{
    struct rc_measured *m = &s->measured;
    size_t series = 0, n = 0;
    int status;

    for (size_t i = 0; i < d->readings; i++)
        series += begins_series(d->reading, i);
    if (series > CELLS_MOST / (m->points + 1))
        return rc_fail(err, RC_EUSAGE,
                       "%zu kernels and metrics at %zu points: too many", series,
                       m->points);
    struct rc_measured_series *of = rc_arena_array(&s->arena, series, sizeof *of);
    double *value = rc_arena_array(&s->arena, d->readings, sizeof *value);
    double *spread = rc_arena_array(&s->arena, series * m->points, sizeof *spread);
    size_t *first = rc_arena_array(&s->arena, series * (m->points + 1), sizeof *first);
    if ((status = rc_arena_check(&s->arena, err, "what was measured")) != RC_OK)
        return status;
    for (size_t begin = 0; begin < d->readings;) {
        const struct reading *r = d->reading + begin;
        size_t count = 0, p = 0;
        do {
            for (; p <= r[count].point; p++)
                first[p] = count;
            value[begin + count] = r[count].value;
            count++;
        } while (begin + count < d->readings && !begins_series(r, count));
        for (; p <= m->points; p++)
            first[p] = count;
        of[n] = (struct rc_measured_series){.kernel = r->kernel,
                                            .metric = r->metric,
                                            .first = first,
                                            .value = value + begin};
        if (put_spread(r, first, m->points, spread + n * m->points))
            of[n].spread = spread + n * m->points;
        first += m->points + 1;
        begin += count;
        n++;
    }
    m->of = of;
    m->series = series;
    return RC_OK;
}

int rc_measured_end(struct rc_measured_draft *d, const char *origin,
                    struct rc_measured **out, struct rc_error *err)
{
    struct set *s = rc_calloc(1, sizeof *s);
    int status = s ? RC_OK : fail_memory(err);

    *out = NULL;
    if (status == RC_OK && d->readings == 0)
        status = rc_fail(err, RC_EUSAGE, "no reading of a kernel");
    if (status == RC_OK)
        status = put_items(d, s, err);
    if (status == RC_OK) {
        qsort(d->reading, d->readings, sizeof *d->reading, order_readings);
        status = put_series(d, s, err);
    }
    if (status == RC_OK) {
        s->texts = d->texts;
        d->texts = NULL;
        s->measured.origin = rc_pool_copy(s->texts, origin);
        if (!s->measured.origin)
            status = fail_memory(err);
    }
    rc_measured_drop(d);
    if (status == RC_OK)
        *out = &s->measured;
    else if (s)
        rc_measured_close(&s->measured);
    return status;
}

void rc_measured_close(struct rc_measured *measured)
{
    struct set *s = (struct set *)measured;

    if (!s)
        return;
    rc_arena_free(&s->arena);
    rc_pool_close(s->texts);
    free(s);
}
