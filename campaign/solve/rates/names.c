/* Finds the names in the formula of a rate: numbers of a point, or readings. */
#include "campaign/base/text.h"
#include "campaign/solve/rates/rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The names of a formula among the events of the kind. */
struct search {
    const struct rc_expression *expression;
    size_t event[RC_EXPRESSION_NAMES_MAX]; /* SIZE_MAX: there is none of that name */
    size_t source[RC_EXPRESSION_NAMES_MAX];
    bool counts[RC_EXPRESSION_NAMES_MAX];
    const struct rc_store_suite *labels;
    const char
        *unknown; /* the name that 'nearest' is near to; NULL: none is looked for */
    char nearest[256];
};

static void take_nearer(struct search *s, const char *name)
{
    const char *const both[] = {name, s->nearest[0] ? s->nearest : NULL, NULL};

    if (strlen(name) < sizeof s->nearest && rc_text_nearest(s->unknown, both) == 0)
        snprintf(s->nearest, sizeof s->nearest, "%s", name);
}

static bool see_event(void *context, size_t number, const struct rc_store_event *event)
{
    struct search *s = context;

    for (size_t i = 0; i < s->expression->name_count; i++)
        if (s->event[i] == SIZE_MAX && !s->expression->name[i].metric &&
            strcmp(s->expression->name[i].text, event->name) == 0) {
            s->event[i] = number;
            s->source[i] = 0;
            while (s->source[i] < s->labels->source_count &&
                   strcmp(s->labels->sources[s->source[i]], event->source) != 0)
                s->source[i]++;
            s->counts[i] = event->verdict == RC_VERDICT_OK;
        }
    if (s->unknown)
        take_nearer(s, event->name);
    return true;
}

/* Words that are known besides events; the suite's axes and ideals follow. */
static const char *const own_words[] = {"workers", "iterations"};
enum { WORKERS, ITERATIONS, OWN_WORDS };

/* The number of points' own that the word names: own_words[], then axes, then ideals;
 * SIZE_MAX: none.
 */
static size_t find_number(const struct rc_store_suite *l, const char *word)
{
    for (size_t i = 0; i < OWN_WORDS; i++)
        if (strcmp(own_words[i], word) == 0)
            return i;
    size_t found = rc_solve_find(l->axes, l->axis_count, word);
    if (found < l->axis_count)
        return OWN_WORDS + found;
    found = rc_solve_find(l->ideals, l->ideal_count, word);
    return found < l->ideal_count ? OWN_WORDS + l->axis_count + found : SIZE_MAX;
}

static double number_at(const struct rc_store_suite *l, const struct rc_rate_rows *rows,
                        const struct rc_rate_formula *f, size_t what, size_t point)
{
    if (what == WORKERS)
        return rows->worker ? fmax(1, (double)rows->worker[point * rows->stride]) : 1;
    if (what == ITERATIONS) {
        const uint64_t *all = l->iterations + point;
        const uint64_t of = all[f->reading[0].source * l->point_count];
        for (size_t i = 1; i < f->readings; i++)
            if (all[f->reading[i].source * l->point_count] != of)
                return NAN;
        return (double)of;
    }
    what -= OWN_WORDS;
    if (what < l->axis_count)
        return (double)l->axis[point * l->axis_count + what];
    return l->basis[point * l->ideal_count + what - l->axis_count];
}

/* Adds the readings of an event to an input, which has room. */
static void add_term(struct rc_rate_formula *f, struct rc_rate_input *input,
                     double coefficient, size_t event, size_t source)
{
    size_t r = 0;

    while (r < f->readings && f->reading[r].event != event)
        r++;
    if (r == f->readings)
        f->reading[f->readings++] =
            (struct rc_rate_reading){.event = event, .source = source};
    input->term[input->terms++] = (struct rc_rate_term){coefficient, r};
}

/* The metric that is meant, of this suite before others; NULL with the reason. */
static const struct rc_metric_result *find_metric(struct rc_solve_kind *k,
                                                  const struct rc_solve_suite *s,
                                                  const char *name, const char **why)
{
    for (size_t i = 0; i <= k->count; i++) {
        const struct rc_suite_result *r = &(i ? &k->suite[i - 1] : s)->result;
        for (size_t m = 0; m < r->metric_count; m++) {
            if (strcmp(r->metric[m].name, name) != 0 || r->metric[m].formula[0])
                continue;
            if (rc_metric_is_usable(&r->metric[m]))
                return &r->metric[m];
            *why = rc_solve_words(k, "needs '%s', which is not defined", name);
            return NULL;
        }
    }
    *why = rc_solve_words(k, "no metric '%s' with a signature in the suites measured",
                          name);
    return NULL;
}

/* The reason why a name stands for nothing. */
static int say_unknown(struct rc_solve_kind *k, struct search *search, const char *name,
                       const char **why)
{
    const struct rc_store_suite *l = search->labels;

    search->unknown = name;
    search->nearest[0] = 0;
    for (size_t i = 0; i < OWN_WORDS; i++)
        take_nearer(search, own_words[i]);
    for (size_t i = 0; i < l->axis_count; i++)
        take_nearer(search, l->axes[i]);
    for (size_t i = 0; i < l->ideal_count; i++)
        take_nearer(search, l->ideals[i]);
    const int status =
        rc_store_each_name(k->store, k->number, see_event, search, k->err);
    *why = rc_solve_words(k, "no event, ideal or axis '%.200s' was measured here%s%s%s",
                          name, search->nearest[0] ? ", did you mean '" : "",
                          search->nearest, search->nearest[0] ? "'?" : "");
    return status;
}

/* Finds an event, or the sum of a metric. */
static int find_readings(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                         struct search *search, size_t n, struct rc_rate_formula *out,
                         const char **why)
{
    const struct rc_expression_name *name = &search->expression->name[n];
    struct rc_rate_input *input = &out->input[n];

    if (!name->metric) {
        if (search->event[n] == SIZE_MAX)
            return say_unknown(k, search, name->text, why);
        if (!search->counts[n] || search->source[n] == s->labels->source_count)
            *why = rc_solve_words(k, "event '%.200s' was not measured", name->text);
        else
            add_term(out, input, 1, search->event[n], search->source[n]);
        return RC_OK;
    }
    const struct rc_metric_result *m = find_metric(k, s, name->text, why);
    for (size_t t = 0; m && t < m->term_count && !*why; t++) {
        struct rc_store_event event;
        const int status = rc_store_read_names(k->store, k->number, m->term[t].event, 1,
                                               &event, k->pool, k->err);
        if (status != RC_OK)
            return status;
        const size_t source =
            rc_solve_find(s->labels->sources, s->labels->source_count, event.source);
        if (source == s->labels->source_count)
            *why = rc_solve_words(k, "'%.200s' was not measured", event.name);
        add_term(out, input, rc_term_value(m, &m->term[t]), m->term[t].event, source);
    }
    return RC_OK;
}

/* Makes room for the readings of all names. */
static int make_room(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                     struct rc_rate_formula *out)
{
    const struct rc_expression *x = out->expression;
    const char *unused = NULL;
    size_t all = 0;

    for (size_t n = 0; n < x->name_count; n++) {
        const struct rc_metric_result *m =
            x->name[n].metric ? find_metric(k, s, x->name[n].text, &unused) : NULL;
        const size_t terms = m ? m->term_count : 1;
        out->input[n].term =
            rc_arena_array(&k->step, terms, sizeof *out->input[n].term);
        all += terms;
    }
    out->reading = rc_arena_array(&k->step, all, sizeof *out->reading);
    return rc_arena_check(&k->step, k->err, "the names of a rate");
}

int rc_rate_find_names(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                       const struct rc_rate_rows *rows,
                       const struct rc_rate_definition *d, struct rc_rate_formula *out,
                       const char **why)
{
    const struct rc_store_suite *l = s->labels;
    struct search search = {.labels = l};
    size_t number[RC_EXPRESSION_NAMES_MAX], column = 0;
    int status;

    *out = (struct rc_rate_formula){.begin = SIZE_MAX, .end = SIZE_MAX};
    *why = NULL;
    if ((status = rc_expression_create(d->formula, true, &out->expression, k->err)) ||
        (status = make_room(k, s, out)) != RC_OK)
        return status;
    const struct rc_expression *x = search.expression = out->expression;
    for (size_t n = 0; n < x->name_count; n++)
        search.event[n] = SIZE_MAX;
    if ((status = rc_store_each_name(k->store, k->number, see_event, &search, k->err)))
        return status;
    for (size_t n = 0; n < x->name_count && !*why; n++) {
        column = x->name[n].column;
        number[n] = x->name[n].metric ? SIZE_MAX : find_number(l, x->name[n].text);
        if (number[n] != SIZE_MAX)
            continue;
        if ((status = find_readings(k, s, &search, n, out, why)) != RC_OK)
            return status;
        if (!*why && x->name[n].outside && rows->workers_most > 1)
            *why = rc_solve_words(k,
                                  "'%.200s' differs between the up to %zu workers of a "
                                  "point, expected it in sum(), max() or min()",
                                  x->name[n].text, rows->workers_most);
        /* Two events of the source 'time': when each worker began and ended. */
        if (strcmp(x->name[n].text, "time::begin") == 0)
            out->begin = out->readings - 1;
        else if (strcmp(x->name[n].text, "time::end") == 0)
            out->end = out->readings - 1;
    }
    if (*why) {
        *why = rc_solve_words(k, "column %zu: %s", column, *why);
        return RC_OK;
    }
    if (out->readings == 0) {
        *why = "no event in its formula, expected one at least";
        return RC_OK;
    }
    for (size_t n = 0; n < x->name_count; n++) {
        if (number[n] == SIZE_MAX)
            continue;
        out->input[n].number = rc_arena_array(&k->step, l->point_count, sizeof(double));
        for (size_t p = 0; out->input[n].number && p < l->point_count; p++)
            out->input[n].number[p] = number_at(l, rows, out, number[n], p);
    }
    return rc_arena_check(&k->step, k->err, "the names of a rate");
}
