/* Evaluates the metrics' combinations of events and their signatures on the points.
 *
 * metrics.h5 has a metric as a combination of events and as a signature, a sum of
 * ideals; campaign.h5 has the readings of events.  Here both are evaluated on every
 * point of the suite, so that the report can draw one beside the other.  Both files
 * number points and events on their own, and one may be older than the other: points
 * and events are matched by name, and those without a match are NAN.
 */
#include "campaign/report/fits.h"

#include "campaign/base/linear_sum.h"
#include "campaign/solve/parts.h"
#include "campaign/spec/spec.h"
#include "solve/algebra/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 3 }; /* of a fit, with a number for each point */

static const char memory_what[] = "the metrics on their points";

/* One suite of a kind, in both files. */
struct both {
    const struct rc_suite_result *result; /* from metrics.h5 */
    struct rc_solve_kind kind; /* the kind in campaign.h5, and the suite there */
    struct rc_solve_suite suite;
    size_t *point; /* by point in metrics.h5: its number in campaign.h5, or SIZE_MAX */
    size_t *event; /* events of all terms, by their numbers there, sorted, each once */
    size_t events;
    double *mean;           /* [event][point of campaign.h5], NAN: not known */
    struct rc_arena memory; /* of these arrays */
};

/* rollcall's own definitions, and those of the campaign file; only rollcall's own if
 * the campaign file cannot be read any more, because files that it names are gone.
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
    const bool known = rc_spec_from_text("campaign file", text, strlen(text), &spec,
                                         &ignored) == RC_OK &&
                       rc_spec_definitions(&spec, *out, &ignored) == RC_OK;
    rc_spec_fini(&spec);
    if (known)
        return RC_OK;
    rc_definitions_close(*out);
    return rc_definitions_create(out, err);
}

/* Lists the events of the suite's metrics, so that each is read once, even if many
 * metrics have it.
 */
static int list_events(struct both *b, struct rc_error *err)
{
    const struct rc_suite_result *r = b->result;
    size_t terms = 0;

    for (size_t m = 0; m < r->metric_count; m++)
        terms += r->metric[m].term_count;
    b->event = rc_arena_array(&b->memory, terms, sizeof *b->event);
    if (!b->event)
        return rc_fail(err, RC_ENOMEM, "no memory for %s", memory_what);
    terms = 0;
    for (size_t m = 0; m < r->metric_count; m++)
        for (size_t t = 0; t < r->metric[m].term_count; t++)
            b->event[terms++] = r->metric[m].term[t].event;
    qsort(b->event, terms, sizeof *b->event, rc_order_sizes);
    for (size_t i = 0; i < terms; i++)
        if (i == 0 || b->event[i] != b->event[i - 1])
            b->event[b->events++] = b->event[i];
    return RC_OK;
}

/* Finds the points of metrics.h5 in campaign.h5, by name. */
static int map_points(struct both *b, struct rc_error *err)
{
    const struct rc_store_suite *l = b->suite.labels;

    b->point = rc_arena_array(&b->memory, b->result->point_count, sizeof *b->point);
    if (!b->point)
        return rc_fail(err, RC_ENOMEM, "no memory for %s", memory_what);
    for (size_t p = 0; p < b->result->point_count; p++) {
        const char *name = b->result->point[p];
        /* Usually the points are the same, in the same order. */
        size_t at = p < l->point_count && strcmp(l->points[p], name) == 0
                        ? p
                        : rc_solve_find(l->points, l->point_count, name);
        b->point[p] = at < l->point_count ? at : SIZE_MAX;
    }
    return RC_OK;
}

/* The mean over the valid repetitions of one event.  A vector of readings has only the
 * points that the event's source measures, those with iterations; the others' mean
 * stays NAN.
 */
static int read_mean(struct both *b, size_t event, const char *source, double *mean,
                     struct rc_error *err)
{
    const struct rc_store_suite *l = b->suite.labels;
    const size_t number = rc_solve_source_number(&b->suite, source);
    double *vector, *measured;
    size_t count, points = 0, m = 0;

    if (number == l->source_count)
        return RC_OK;
    b->kind.err = err;
    int status = rc_solve_vectors(&b->kind, &b->suite, event, number, &vector, &count);
    if (status != RC_OK || count == 0)
        goto out;
    for (size_t p = 0; p < l->point_count; p++)
        points += l->iterations[number * l->point_count + p] != 0;
    measured = rc_arena_array(&b->kind.step, points, sizeof *measured);
    if ((status = rc_arena_check(&b->kind.step, err, memory_what)) != RC_OK)
        goto out;
    rc_noise_mean(vector, count, points, measured);
    for (size_t p = 0; p < l->point_count; p++)
        if (l->iterations[number * l->point_count + p] != 0)
            mean[p] = measured[m++];
out:
    rc_arena_free(&b->kind.step);
    return status;
}

/* The terms' name of an event; with files of different campaigns it is not that of
 * campaign.h5.
 */
static const char *name_in_terms(const struct rc_suite_result *r, size_t event)
{
    for (size_t m = 0; m < r->metric_count; m++)
        for (size_t t = 0; t < r->metric[m].term_count; t++)
            if (r->metric[m].term[t].event == event)
                return r->metric[m].term[t].name;
    return "";
}

/* Reads the mean of each event on all points.  If terms and campaign.h5 differ in its
 * name, it is another event, and its mean is not known.
 */
static int read_means(struct both *b, struct rc_error *err)
{
    const size_t points = b->suite.labels->point_count;
    const size_t events = rc_store_kind(b->kind.store, b->kind.number)->event_count;
    struct rc_pool *pool = rc_pool_create();
    int status = RC_OK;

    b->mean = rc_arena_array(&b->memory, b->events * points, sizeof *b->mean);
    if (!pool || !b->mean) {
        status = rc_fail(err, RC_ENOMEM, "no memory for %s", memory_what);
        goto out;
    }
    for (size_t i = 0; i < b->events * points; i++)
        b->mean[i] = NAN;
    for (size_t i = 0; i < b->events; i++) {
        struct rc_store_event event;
        if (b->event[i] >= events)
            continue;
        if ((status = rc_store_read_names(b->kind.store, b->kind.number, b->event[i], 1,
                                          &event, pool, err)) != RC_OK ||
            (strcmp(event.name, name_in_terms(b->result, b->event[i])) == 0 &&
             (status = read_mean(b, b->event[i], event.source, b->mean + i * points,
                                 err)) != RC_OK))
            goto out;
    }
out:
    rc_pool_close(pool);
    return status;
}

/* Sum of a signature's terms. */
struct sum {
    const struct both *both;
    double *out; /* [point of metrics.h5] */
};

/* Adds one term of a signature on all points.  A constant is not an ideal: NAN. */
static int add_ideal(void *context, const struct rc_linear_sum_term *term,
                     struct rc_error *err)
{
    const struct sum *s = context;
    const struct both *b = s->both;
    const struct rc_suite_result *r = b->result;
    char *ideal = strndup(term->word, term->length);

    if (!ideal)
        return rc_fail(err, RC_ENOMEM, "no memory for %s", memory_what);
    if (term->length > 0 &&
        rc_solve_find(r->left_out, r->left_out_count, ideal) < r->left_out_count)
        goto out; /* no point of this machine has it */
    for (size_t p = 0; p < r->point_count; p++)
        if (term->length == 0 || b->point[p] == SIZE_MAX)
            s->out[p] = NAN;
        else
            s->out[p] +=
                term->coefficient * rc_solve_ideal(&b->suite, ideal, b->point[p]);
out:
    free(ideal);
    return RC_OK;
}

static int put_expected(const struct both *b, const char *signature, double *out,
                        struct rc_error *err)
{
    struct sum sum = {b, out};

    for (size_t p = 0; p < b->result->point_count; p++)
        out[p] = 0;
    const int status = rc_linear_sum_read(signature, add_ideal, &sum, err);
    if (status == RC_OK || status == RC_ENOMEM)
        return status;
    for (size_t p = 0; p < b->result->point_count; p++)
        out[p] = NAN; /* not a readable signature */
    return RC_OK;
}

/* Adds up the metric's events; a point without one of them is NAN. */
static void put_combination(const struct both *b, const struct rc_metric_result *m,
                            bool rounded, double *out)
{
    const size_t points = b->suite.labels->point_count;

    for (size_t p = 0; p < b->result->point_count; p++) {
        out[p] = b->point[p] == SIZE_MAX ? NAN : 0;
        for (size_t t = 0; t < m->term_count && b->point[p] != SIZE_MAX; t++) {
            const size_t *at = bsearch(&m->term[t].event, b->event, b->events,
                                       sizeof *b->event, rc_order_sizes);
            out[p] += (rounded ? m->term[t].rounded : m->term[t].coefficient) *
                      b->mean[(size_t)(at - b->event) * points + b->point[p]];
        }
    }
}

static size_t count_fits(const struct rc_suite_result *r)
{
    size_t count = 0;

    for (size_t m = 0; m < r->metric_count; m++)
        count += r->metric[m].term_count > 0;
    return count;
}

/* Makes the fits of one suite of metrics.h5, one for each metric with terms.  'data'
 * has room for their numbers, ARRAYS for each point, which are NAN if the store lacks
 * the suite.
 */
static int make_suite(struct rc_store *store, const struct rc_definitions *definitions,
                      struct rc_store *metrics, size_t kind, size_t suite,
                      struct rc_report_fit *fit, double *data, struct rc_error *err)
{
    const struct rc_suite_result *r = rc_metrics_suite(metrics, kind, suite);
    const size_t k = rc_store_find_kind(store, rc_store_kind(metrics, kind)->name),
                 s = rc_store_find_suite(store, k, r->suite);
    const bool known =
        k < rc_store_kind_count(store) && s < rc_store_suite_count(store, k);
    struct both both = {.result = r};
    int status = RC_OK;

    for (size_t i = 0; i < count_fits(r) * ARRAYS * r->point_count; i++)
        data[i] = NAN;
    if (known) {
        both.kind = (struct rc_solve_kind){.store = store, .number = k};
        both.suite = (struct rc_solve_suite){
            .number = s,
            .labels = rc_store_suite(store, k, s),
            .definition = rc_solve_definition(definitions, r->suite)};
        if ((status = list_events(&both, err)) != RC_OK ||
            (status = map_points(&both, err)) != RC_OK ||
            (status = read_means(&both, err)) != RC_OK)
            goto out;
    }
    for (size_t m = 0; m < r->metric_count; m++) {
        double *expected = data, *derived = expected + r->point_count;
        double *rounded = derived + r->point_count;
        if (r->metric[m].term_count == 0)
            continue;
        *fit++ = (struct rc_report_fit){kind, suite, m, expected, derived, rounded};
        data += ARRAYS * r->point_count;
        if (!known)
            continue;
        status = put_expected(&both, r->metric[m].signature, expected, err);
        if (status != RC_OK)
            goto out;
        put_combination(&both, &r->metric[m], false, derived);
        put_combination(&both, &r->metric[m], true, rounded);
    }
out:
    rc_arena_free(&both.memory);
    return status;
}

int rc_report_fits_make(struct rc_store *store, struct rc_store *metrics,
                        struct rc_report_fits *out, struct rc_error *err)
{
    struct rc_definitions *definitions = NULL;
    size_t fits = 0, numbers = 0;

    *out = (struct rc_report_fits){0};
    if (!metrics)
        return RC_OK;
    for (size_t k = 0; k < rc_store_kind_count(metrics); k++)
        for (size_t s = 0; s < rc_store_suite_count(metrics, k); s++) {
            const struct rc_suite_result *r = rc_metrics_suite(metrics, k, s);
            fits += count_fits(r);
            numbers += count_fits(r) * ARRAYS * r->point_count;
        }
    out->fit = rc_arena_array(&out->memory, fits, sizeof *out->fit);
    double *data = rc_arena_array(&out->memory, numbers, sizeof *data);
    int status;
    if ((status = rc_arena_check(&out->memory, err, memory_what)) != RC_OK ||
        (status = get_definitions(store, &definitions, err)) != RC_OK)
        goto out;
    for (size_t k = 0; k < rc_store_kind_count(metrics); k++)
        for (size_t s = 0; s < rc_store_suite_count(metrics, k); s++) {
            const struct rc_suite_result *r = rc_metrics_suite(metrics, k, s);
            const size_t count = count_fits(r);
            if (count == 0)
                continue;
            status = make_suite(store, definitions, metrics, k, s,
                                out->fit + out->count, data, err);
            if (status != RC_OK)
                goto out;
            data += count * ARRAYS * r->point_count;
            out->count += count;
        }
out:
    rc_definitions_close(definitions);
    return status;
}

void rc_report_fits_fini(struct rc_report_fits *fits)
{
    rc_arena_free(&fits->memory);
    *fits = (struct rc_report_fits){0};
}
