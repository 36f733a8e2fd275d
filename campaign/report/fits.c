/* What the metrics' combinations of events count on the points, and what they should.
 */
#include "campaign/report/fits.h"

#include "campaign/base/linear_sum.h"
#include "campaign/base/memory.h"
#include "campaign/solve/parts.h"
#include "campaign/spec/spec.h"
#include "solve/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 3 }; /* of numbers by point that a fit has */

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the metrics on their points");
}

/* One suite of a kind, of both files. */
struct home {
    const struct rc_suite_result *result;
    size_t *point; /* of the result, in the store; SIZE_MAX: not there */
    struct rc_solve_kind kind;
    struct rc_solve_suite suite;
    size_t *event; /* of all terms, sorted, each once */
    size_t events;
    double *mean; /* [event][point of the store], NAN: not known */
};

static void campaign_dir_fini(struct home *h)
{
    free(h->point);
    free(h->event);
    free(h->mean);
}

/* rollcall's own definitions, and those of the campaign file; where that cannot be
 * read any more, because files that it names are gone, rollcall's own must do.
 */
static int get_definitions(const struct rc_store *store, struct rc_definitions **out,
                           struct rc_error *err)
{
    const char *text = rc_store_campaign(store)->spec;
    struct rc_spec spec = {0};
    struct rc_error ignored = {.rank = -1};
    int status = rc_definitions_create(out, err);

    if (status != RC_OK || !text[0])
        return status;
    status = rc_spec_from_text("campaign file", text, strlen(text), &spec, &ignored);
    if (status == RC_OK)
        status = rc_spec_definitions(&spec, *out, &ignored);
    rc_spec_fini(&spec);
    if (status == RC_OK)
        return RC_OK;
    rc_definitions_close(*out);
    return rc_definitions_create(out, err);
}

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

static int list_events(struct home *h, struct rc_error *err)
{
    const struct rc_suite_result *r = h->result;
    size_t terms = 0;

    for (size_t m = 0; m < r->metric_count; m++)
        terms += r->metric[m].term_count;
    h->event = rc_calloc(terms, sizeof *h->event);
    if (!h->event)
        return no_memory(err);
    terms = 0;
    for (size_t m = 0; m < r->metric_count; m++)
        for (size_t t = 0; t < r->metric[m].term_count; t++)
            h->event[terms++] = r->metric[m].term[t].event;
    qsort(h->event, terms, sizeof *h->event, by_number);
    for (size_t i = 0; i < terms; i++)
        if (i == 0 || h->event[i] != h->event[i - 1])
            h->event[h->events++] = h->event[i];
    return RC_OK;
}

static int map_points(struct home *h, struct rc_error *err)
{
    const struct rc_store_suite *l = h->suite.labels;

    h->point = rc_calloc(h->result->point_count, sizeof *h->point);
    if (!h->point)
        return no_memory(err);
    for (size_t p = 0; p < h->result->point_count; p++) {
        const char *name = h->result->point[p];
        /* Most often the same points in the same order. */
        size_t at = p < l->point_count && strcmp(l->points[p], name) == 0
                        ? p
                        : rc_solve_find(l->points, l->point_count, name);
        h->point[p] = at < l->point_count ? at : SIZE_MAX;
    }
    return RC_OK;
}

/* The mean over the valid vectors of one event, where they have a place for it. */
static int put_mean(struct home *h, size_t event, const char *source, double *mean,
                    struct rc_error *err)
{
    const struct rc_store_suite *l = h->suite.labels;
    const size_t number = rc_solve_source_number(&h->suite, source);
    double *vector = NULL, *squeezed;
    size_t count = 0, points = 0, m = 0;
    int status;

    if (number == l->source_count)
        return RC_OK;
    status = rc_solve_vectors(&h->kind, &h->suite, event, number, &vector, &count, err);
    for (size_t p = 0; p < l->point_count; p++)
        points += l->iterations[number * l->point_count + p] != 0;
    squeezed = status == RC_OK ? rc_calloc(points, sizeof *squeezed) : NULL;
    if (status == RC_OK && !squeezed)
        status = no_memory(err);
    if (status == RC_OK && count) {
        rc_noise_mean(vector, count, points, squeezed);
        for (size_t p = 0; p < l->point_count; p++)
            if (l->iterations[number * l->point_count + p] != 0)
                mean[p] = squeezed[m++];
    }
    free(squeezed);
    free(vector);
    return status;
}

/* The name that the terms give an event: a file of another campaign has another. */
static const char *name_in_terms(const struct rc_suite_result *r, size_t event)
{
    for (size_t m = 0; m < r->metric_count; m++)
        for (size_t t = 0; t < r->metric[m].term_count; t++)
            if (r->metric[m].term[t].event == event)
                return r->metric[m].term[t].name;
    return "";
}

static int put_means(struct home *h, struct rc_error *err)
{
    const size_t points = h->suite.labels->point_count;
    const size_t events = rc_store_kind(h->kind.store, h->kind.number)->event_count;
    struct rc_pool *pool = rc_pool_create();
    int status = RC_OK;

    h->mean = rc_calloc(h->events * points, sizeof *h->mean);
    if (!pool || !h->mean)
        status = no_memory(err);
    for (size_t i = 0; i < h->events && status == RC_OK; i++) {
        double *mean = h->mean + i * points;
        struct rc_store_event event;
        for (size_t p = 0; p < points; p++)
            mean[p] = NAN;
        if (h->event[i] >= events)
            continue;
        status = rc_store_read_names(h->kind.store, h->kind.number, h->event[i], 1,
                                     &event, pool, err);
        if (status == RC_OK &&
            strcmp(event.name, name_in_terms(h->result, h->event[i])) == 0)
            status = put_mean(h, h->event[i], event.source, mean, err);
    }
    rc_pool_close(pool);
    return status;
}

/* What a signature says, summed up term by term. */
struct sum {
    const struct home *home;
    double *out;
};

static bool is_left_out(const struct rc_suite_result *r, const char *ideal)
{
    return rc_solve_find(r->left_out, r->left_out_count, ideal) < r->left_out_count;
}

static int add_ideal(void *context, const struct rc_linear_sum_term *term,
                     struct rc_error *err)
{
    const struct sum *s = context;
    const struct home *h = s->home;
    char *ideal = strndup(term->word, term->length);

    if (!ideal)
        return no_memory(err);
    for (size_t p = 0; p < h->result->point_count; p++) {
        if (term->length > 0 && is_left_out(h->result, ideal))
            break; /* no point of this machine has it */
        if (term->length == 0 || h->point[p] == SIZE_MAX)
            s->out[p] = NAN;
        else
            s->out[p] +=
                term->coefficient * rc_solve_ideal(&h->suite, ideal, h->point[p]);
    }
    free(ideal);
    return RC_OK;
}

static int put_expected(const struct home *h, const char *signature, double *out,
                        struct rc_error *err)
{
    struct sum sum = {h, out};
    int status;

    for (size_t p = 0; p < h->result->point_count; p++)
        out[p] = 0;
    status = rc_linear_sum_read(signature, add_ideal, &sum, err);
    if (status == RC_OK || status == RC_ENOMEM)
        return status;
    for (size_t p = 0; p < h->result->point_count; p++)
        out[p] = NAN; /* no signature that we can read */
    return RC_OK;
}

static size_t number_of(const struct home *h, size_t event)
{
    const size_t *at =
        bsearch(&event, h->event, h->events, sizeof *h->event, by_number);

    return (size_t)(at - h->event);
}

static void put_combination(const struct home *h, const struct rc_metric_result *m,
                            bool rounded, double *out)
{
    const size_t points = h->suite.labels->point_count;

    for (size_t p = 0; p < h->result->point_count; p++) {
        out[p] = h->point[p] == SIZE_MAX ? NAN : 0;
        for (size_t t = 0; t < m->term_count && h->point[p] != SIZE_MAX; t++)
            out[p] += (rounded ? m->term[t].rounded : m->term[t].coefficient) *
                      h->mean[number_of(h, m->term[t].event) * points + h->point[p]];
    }
}

static size_t count_fits(const struct rc_suite_result *r)
{
    size_t count = 0;

    for (size_t m = 0; m < r->metric_count; m++)
        count += r->metric[m].term_count > 0;
    return count;
}

/* The numbers of a suite's fits. */
static int make_suite(struct home *h, double *data, struct rc_error *err)
{
    const struct rc_suite_result *r = h->result;
    int status = list_events(h, err);

    if (status == RC_OK)
        status = map_points(h, err);
    if (status == RC_OK)
        status = put_means(h, err);
    for (size_t m = 0; m < r->metric_count && status == RC_OK; m++) {
        double *expected = data, *derived = expected + r->point_count;
        double *rounded = derived + r->point_count;
        if (r->metric[m].term_count == 0)
            continue;
        status = put_expected(h, r->metric[m].signature, expected, err);
        put_combination(h, &r->metric[m], false, derived);
        put_combination(h, &r->metric[m], true, rounded);
        data += ARRAYS * r->point_count;
    }
    return status;
}

/* All numbers of a suite's fits are unknown until they are made. */
static size_t place_suite(const struct rc_suite_result *r, size_t kind, size_t suite,
                          struct rc_report_fit *fit, double *data)
{
    const size_t count = count_fits(r);
    size_t f = 0;

    for (size_t i = 0; i < count * ARRAYS * r->point_count; i++)
        data[i] = NAN;
    for (size_t m = 0; m < r->metric_count; m++) {
        if (r->metric[m].term_count == 0)
            continue;
        fit[f++] = (struct rc_report_fit){
            kind, suite, m, data, data + r->point_count, data + 2 * r->point_count};
        data += ARRAYS * r->point_count;
    }
    return count;
}

static int make_room(struct rc_metrics_file *metrics, struct rc_report_fits *out,
                     struct rc_error *err)
{
    size_t fits = 0, numbers = 0;

    for (size_t k = 0; k < rc_metrics_kind_count(metrics); k++)
        for (size_t s = 0; s < rc_metrics_suite_count(metrics, k); s++) {
            const struct rc_suite_result *r = rc_metrics_suite(metrics, k, s);
            fits += count_fits(r);
            numbers += count_fits(r) * ARRAYS * r->point_count;
        }
    out->fit = rc_calloc(fits, sizeof *out->fit);
    out->data = rc_calloc(numbers, sizeof *out->data);
    return out->fit && out->data ? RC_OK : no_memory(err);
}

static int make_known(struct rc_store *store, const struct rc_suite_result *r,
                      const char *kind, const struct rc_definitions *definitions,
                      double *data, struct rc_error *err)
{
    const size_t k = rc_store_find_kind(store, kind),
                 s = rc_store_find_suite(store, k, r->suite);
    struct home h = {.result = r};
    int status;

    if (k == rc_store_kind_count(store) || s == rc_store_suite_count(store, k))
        return RC_OK;
    h.kind = (struct rc_solve_kind){.store = store, .number = k};
    h.suite = (struct rc_solve_suite){.number = s,
                                      .labels = rc_store_suite(store, k, s),
                                      .definition =
                                          rc_definitions_find(definitions, r->suite)};
    status = make_suite(&h, data, err);
    campaign_dir_fini(&h);
    return status;
}

int rc_report_fits_make(struct rc_store *store, struct rc_metrics_file *metrics,
                        struct rc_report_fits *out, struct rc_error *err)
{
    struct rc_definitions *definitions = NULL;
    double *data;
    int status;

    *out = (struct rc_report_fits){0};
    if (!metrics)
        return RC_OK;
    status = make_room(metrics, out, err);
    if (status == RC_OK)
        status = get_definitions(store, &definitions, err);
    data = out->data;
    for (size_t k = 0; status == RC_OK && k < rc_metrics_kind_count(metrics); k++)
        for (size_t s = 0; status == RC_OK && s < rc_metrics_suite_count(metrics, k);
             s++) {
            const struct rc_suite_result *r = rc_metrics_suite(metrics, k, s);
            const size_t count = place_suite(r, k, s, out->fit + out->count, data);
            if (count)
                status = make_known(store, r, rc_metrics_kind(metrics, k)->name,
                                    definitions, data, err);
            data += count * ARRAYS * r->point_count;
            out->count += count;
        }
    rc_definitions_close(definitions);
    return status;
}

void rc_report_fits_fini(struct rc_report_fits *fits)
{
    free(fits->fit);
    free(fits->data);
    *fits = (struct rc_report_fits){0};
}
