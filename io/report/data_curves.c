/* The page's data on some events: all readings, with their mean, minimum and maximum
 * and the expectation of the representation on each point.
 *
 * Each event becomes an element of its own, which the script unpacks when its figure is
 * shown.  The store has readings by chunks of events, the page by events: events are
 * taken in batches, and each chunk of each suite is read once for all events of the
 * batch that are in it.
 */
#include "io/report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS = 5,       /* shown of readings */
    DIGITS_SAME = 9,  /* if all readings are the same, and so exact */
    EVENTS_MOST = 256 /* in a batch */
};

/* Larger numbers are not measurements, and too large for axes. */
static const double huge = 1e290;

/* Special places of a coordinate of a representation, instead of one in the store's
 * basis.
 */
enum {
    UNKNOWN = 1 << 30, /* an ideal that the store lacks */
    EACH_ITERATION,    /* one in each iteration */
    EACH_READING       /* one in each reading */
};

/* One suite of the kind, the same for all events. */
struct suite {
    size_t number; /* in the store */
    const struct rc_store_suite *labels;
    const struct rc_suite_result *result; /* NULL: not solved, or with other points */
    size_t in;                            /* its number in the metrics file */
    size_t ok;                            /* the status of a valid reading */
    size_t *ideal; /* [coordinate]: its place in the store, find_ideal() */
};

/* All curves of a kind, and the batch that is being written. */
struct curves {
    const struct rc_report *report;
    size_t kind, in; /* in the store, in the metrics file */
    struct suite *suite;
    size_t suites;
    const size_t *event; /* numbers of the batch's events, ascending */
    size_t events;       /* in the batch */
    struct rc_store_event label[EVENTS_MOST]; /* names and sources of these */
    struct rc_report_json text[EVENTS_MOST];  /* and their elements of the page */
    bool readings;         /* the page has room for single readings */
    struct rc_arena arena; /* of 'suite' and what is in it */
};

/* An event's readings in a suite. */
struct curve {
    const struct suite *suite;
    const uint64_t *iterations;   /* of the event's source; NULL: none */
    const int64_t *values;        /* [place][repetition][point] */
    const uint8_t *status;        /* [place][repetition] */
    const double *representation; /* [coordinate], or NULL */
    double residual;              /* of the representation, relative; NAN: none */
    bool readings;                /* show single readings */
};

static size_t word_number(const char *const *list, size_t count, const char *word)
{
    size_t i = 0;

    while (i < count && strcmp(list[i], word) != 0)
        i++;
    return i;
}

/* The place of a coordinate of a representation in the store. */
static size_t find_ideal(const struct suite *s, size_t coordinate)
{
    const char *name = s->result->coordinate[coordinate];
    const size_t at = word_number(s->labels->ideals, s->labels->ideal_count, name);

    if (coordinate < s->result->ideal_count)
        return at < s->labels->ideal_count ? at : UNKNOWN;
    if (strcmp(name, "each iteration") == 0)
        return EACH_ITERATION;
    return strcmp(name, "each reading") == 0 ? EACH_READING : UNKNOWN;
}

/* Finds the result of a suite of the store, if it has the same points. */
static void find_result(struct curves *c, struct suite *s)
{
    const struct rc_suite_result *result;

    s->in = rc_report_metrics_suite(c->report, c->in, s->labels->name);
    if (s->in == SIZE_MAX)
        return;
    result = rc_metrics_suite(c->report->metrics, c->in, s->in);
    s->ideal = rc_arena_array(&c->arena, result->coordinate_count, sizeof *s->ideal);
    if (!s->ideal || s->labels->point_count != result->point_count)
        return;
    for (size_t i = 0; i < result->point_count; i++)
        if (strcmp(s->labels->points[i], result->point[i]) != 0)
            return;
    s->result = result;
    for (size_t i = 0; i < result->coordinate_count; i++)
        s->ideal[i] = find_ideal(s, i);
}

static int curves_init(struct curves *c, struct rc_error *err)
{
    const struct rc_report *r = c->report;

    c->in = rc_report_metrics_kind(r, c->kind);
    /* A metrics.h5 for other readings numbers events differently. */
    if (c->in != SIZE_MAX && (rc_store_kind(r->store, c->kind)->event_count !=
                                  rc_store_kind(r->metrics, c->in)->event_count ||
                              strcmp(rc_store_campaign(r->store)->id,
                                     rc_store_campaign(r->metrics)->id) != 0))
        c->in = SIZE_MAX;
    c->suites = rc_store_suite_count(r->store, c->kind);
    c->suite = rc_arena_array(&c->arena, c->suites, sizeof *c->suite);
    for (size_t i = 0; i < c->suites && c->suite; i++) {
        struct suite *s = &c->suite[i];
        s->number = i;
        s->labels = rc_store_suite(r->store, c->kind, i);
        s->ok = word_number(s->labels->statuses, s->labels->status_count, "ok");
        find_result(c, s);
    }
    return rc_arena_check(&c->arena, err, "the report");
}

/* One reading, per iteration; NAN if there is none. */
static double value_of(const struct curve *c, size_t vector, size_t point)
{
    const int64_t value = c->values[vector * c->suite->labels->point_count + point];

    if (!c->iterations || c->iterations[point] == 0 || value == RC_STORE_MISSING_VALUE)
        return NAN;
    return (double)value / (double)c->iterations[point];
}

/* Sums of all readings of an event in a suite. */
struct amount {
    size_t valid, invalid;
    bool same, zero;             /* all of them */
    double *mean, *least, *most; /* [point], NAN: not known */
    double *expected;            /* by the representation, NAN: not known */
};

/* The running mean, since sums could lose digits or overflow. */
static void sum_up(const struct curve *c, struct amount *a, size_t point)
{
    const struct rc_store_suite *s = c->suite->labels;
    double mean = 0, least = NAN, most = NAN;
    size_t n = 0;

    for (size_t v = 0; v < s->place_count * s->repetitions; v++) {
        if (c->status[v] != c->suite->ok)
            continue;
        const double y = value_of(c, v, point);
        if (isnan(y))
            continue;
        mean += (y - mean) / (double)++n;
        least = fmin(least, y);
        most = fmax(most, y);
    }
    /* If all are the same, the mean is exactly that. */
    a->mean[point] = n == 0 ? NAN : least == most ? least : mean;
    a->least[point] = least;
    a->most[point] = most;
    if (n && (least != 0 || most != 0))
        a->zero = false;
}

/* The event's count in one iteration of the point, by its representation; NAN: not
 * known.
 */
static double expected_at(const struct curve *c, size_t point)
{
    const struct rc_store_suite *s = c->suite->labels;
    double sum = 0;

    for (size_t i = 0; i < c->suite->result->coordinate_count; i++) {
        const size_t ideal = c->suite->ideal[i];
        if (c->representation[i] == 0)
            continue;
        sum += c->representation[i] *
               (ideal == EACH_ITERATION ? 1
                : ideal == EACH_READING ? 1 / (double)c->iterations[point]
                : ideal == UNKNOWN      ? (double)NAN
                                        : s->basis[point * s->ideal_count + ideal]);
    }
    return c->iterations[point] && isfinite(sum) && fabs(sum) < huge ? sum : NAN;
}

/* Sums up an event's readings.  The arrays of *a are one piece of memory:
 * free(a->mean).
 */
static int make_amount(const struct curve *c, struct amount *a, struct rc_error *err)
{
    const struct rc_store_suite *s = c->suite->labels;
    const size_t points = s->point_count;
    const int64_t *first = NULL;

    *a = (struct amount){.zero = true, .same = true};
    a->mean = rc_calloc(points, 4 * sizeof *a->mean);
    if (!a->mean)
        return rc_report_fail_memory(err);
    a->least = a->mean + points;
    a->most = a->least + points;
    a->expected = a->most + points;
    for (size_t v = 0; c->iterations && v < s->place_count * s->repetitions; v++) {
        const int64_t *values = c->values + v * s->point_count;
        if (c->status[v] == c->suite->ok) {
            first = first ? first : values;
            a->same &= memcmp(first, values, s->point_count * sizeof *values) == 0;
            a->valid++;
        } else
            a->invalid += c->status[v] != 0;
    }
    for (size_t p = 0; p < points; p++) {
        if (a->valid)
            sum_up(c, a, p);
        a->expected[p] =
            c->iterations && c->representation ? expected_at(c, p) : (double)NAN;
    }
    return RC_OK;
}

/* Writes [place][repetition][point] of valid readings. */
static void put_readings(struct rc_json *json, const struct curve *c)
{
    const struct rc_store_suite *s = c->suite->labels;

    rc_json_array(json, "readings");
    for (size_t v = 0; v < s->place_count * s->repetitions; v++) {
        if (v % s->repetitions == 0)
            rc_json_array(json, NULL);
        if (c->status[v] == c->suite->ok) {
            rc_json_array(json, NULL);
            for (size_t p = 0; p < s->point_count; p++)
                rc_json_short(json, NULL, value_of(c, v, p), DIGITS);
            rc_json_end(json);
        }
        if (v % s->repetitions == s->repetitions - 1)
            rc_json_end(json);
    }
    rc_json_end(json);
}

/* Writes an event's readings in a suite.  If all are 0, or none is valid, the numbers
 * suffice, and no list is written.
 */
static int put_curve(struct rc_json *json, const struct curve *c, struct rc_error *err)
{
    const size_t points = c->suite->labels->point_count;
    struct amount a;
    int status = make_amount(c, &a, err);

    if (status != RC_OK)
        return status;
    rc_json_object(json, NULL);
    rc_json_integer(json, "valid", (int64_t)a.valid);
    rc_json_integer(json, "invalid", (int64_t)a.invalid);
    rc_json_flag(json, "same", a.same);
    if (a.valid && !a.zero) {
        bool expected = false;
        for (size_t p = 0; p < points; p++)
            expected |= !isnan(a.expected[p]);
        rc_json_reals(json, "mean", a.mean, points, a.same ? DIGITS_SAME : DIGITS);
        if (!a.same) {
            rc_json_reals(json, "least", a.least, points, DIGITS);
            rc_json_reals(json, "most", a.most, points, DIGITS);
        }
        if (!a.same && c->readings)
            put_readings(json, c);
        if (expected) {
            rc_json_reals(json, "expected", a.expected, points, DIGITS);
            rc_json_short(json, "residual", c->residual, 2);
        }
    }
    rc_json_end(json);
    free(a.mean);
    return RC_OK;
}

/* Events of one chunk of a suite, as in the files. */
struct piece {
    struct rc_store_block block;
    double *representation, *residual; /* zeros if the suite was not solved */
    size_t first, count;
    struct rc_arena arena; /* of all arrays */
};

/* Reads the readings, and the representations if the suite was solved. */
static int read_piece(struct curves *c, const struct suite *s, struct piece *p,
                      struct rc_error *err)
{
    const struct rc_report *r = c->report;
    const size_t vectors = s->labels->place_count * s->labels->repetitions;
    const size_t width = s->result ? s->result->coordinate_count : 0;
    struct rc_store_block *b = &p->block;
    int status;

    b->first = p->first;
    b->count = p->count;
    b->values = rc_arena_array(&p->arena, p->count * vectors,
                               s->labels->point_count * sizeof *b->values);
    b->status = rc_arena_array(&p->arena, p->count, vectors);
    p->representation =
        rc_arena_array(&p->arena, p->count, width * sizeof *p->representation);
    p->residual = rc_arena_array(&p->arena, p->count, sizeof *p->residual);
    if ((status = rc_arena_check(&p->arena, err, "the report")) ||
        (status = rc_store_read_alone(r->store, c->kind, s->number, b, err)) ||
        !s->result)
        return status;
    struct rc_event_columns columns = {.first = p->first,
                                       .count = p->count,
                                       .residual = p->residual,
                                       .representation = p->representation};
    return rc_metrics_read_columns(r->metrics, c->in, s->in, &columns, err);
}

/* Reads each chunk of a suite once, if it has any event of the batch. */
static int put_suite(struct curves *c, size_t s, struct rc_error *err)
{
    const size_t chunk = rc_store_chunk(c->report->store, c->kind, s);
    const struct suite *suite = &c->suite[s];
    const struct rc_store_suite *labels = suite->labels;
    const size_t vectors = labels->place_count * labels->repetitions;
    const size_t width = suite->result ? suite->result->coordinate_count : 0;
    int status = RC_OK;

    for (size_t e = 0, next; e < c->events && !status; e = next) {
        struct piece piece = {.first = c->event[e]};
        for (next = e;
             next < c->events && c->event[next] / chunk == c->event[e] / chunk; next++)
            piece.count = c->event[next] + 1 - piece.first;
        status = read_piece(c, &c->suite[s], &piece, err);
        for (size_t i = e; i < next && !status; i++) {
            const size_t at = c->event[i] - piece.first;
            const size_t source =
                word_number(labels->sources, labels->source_count, c->label[i].source);
            const struct curve curve = {
                .suite = suite,
                .iterations = source < labels->source_count
                                  ? labels->iterations + source * labels->point_count
                                  : NULL,
                .values = piece.block.values + at * vectors * labels->point_count,
                .status = piece.block.status + at * vectors,
                .representation = width ? piece.representation + at * width : NULL,
                .residual = piece.residual[at],
                .readings = c->readings};
            status = put_curve(&c->text[i].json, &curve, err);
        }
        rc_arena_free(&piece.arena);
    }
    return status;
}

static int put_batch(struct curves *c, FILE *out, struct rc_error *err)
{
    struct rc_store *store = c->report->store;
    struct rc_pool *pool = rc_pool_create();
    int status;

    for (size_t e = 0; e < c->events; e++) {
        if ((status = rc_store_read_names(store, c->kind, c->event[e], 1, &c->label[e],
                                          pool, err)) ||
            (status = rc_report_json_open(&c->text[e], err)))
            goto out;
        rc_json_array(&c->text[e].json, NULL);
    }
    for (size_t s = 0; s < c->suites; s++)
        if ((status = put_suite(c, s, err)))
            goto out;
    for (size_t e = 0; e < c->events; e++) {
        status = rc_report_json_put(&c->text[e], out, err, "curve-%zu-%zu", c->kind,
                                    c->event[e]);
        if (status != RC_OK)
            goto out;
    }
    status = RC_OK;
out:
    rc_pool_close(pool);
    return status;
}

int rc_report_curves(const struct rc_report *report, size_t kind, FILE *out,
                     size_t **event, size_t *count, struct rc_error *err)
{
    struct curves *c = NULL;
    int status = rc_curves_choose(report, kind, event, count, err);

    if (status != RC_OK)
        goto out;
    c = rc_calloc(1, sizeof *c);
    if (!c) {
        status = rc_report_fail_memory(err);
        goto out;
    }
    c->report = report;
    c->kind = kind;
    c->readings = *count <= RC_CURVES_ROOM / rc_curves_readings(report, kind);
    if ((status = curves_init(c, err)))
        goto out;
    for (size_t at = 0; at < *count; at += EVENTS_MOST) {
        c->event = *event + at;
        c->events = *count - at < EVENTS_MOST ? *count - at : EVENTS_MOST;
        if ((status = put_batch(c, out, err)))
            goto out;
    }
out:
    for (size_t e = 0; c && e < EVENTS_MOST; e++)
        rc_report_json_fini(&c->text[e]);
    if (c)
        rc_arena_free(&c->arena);
    free(c);
    if (status != RC_OK) {
        free(*event);
        *event = NULL;
        *count = 0;
    }
    return status;
}
