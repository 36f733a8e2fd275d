/* Trees of metrics over what a profile counted: a row for each node, and what the parts
 * of one do not explain as "rest of" it.
 */
#include "campaign/profile/tables/trees.h"

#include "campaign/base/text.h"
#include "io/text/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A parent is less than its parts where noise does not explain it: so many standard
 * errors, or where there was one launch of each pass, so much of the parent.
 */
#define SIGMAS 8
#define RUNS_DIFFER 0.02

/* A rest of this share is the rounding of a sum of some hundred numbers. */
#define ROUNDING 1e-12

enum { CELL = 48, NAME = 512, WHY = 512 };

enum { MARKS = 2, LACKS = 11 };
static const struct rc_column columns[] = {
    {.name = "node"},
    {.name = "parent", .text_hidden = true},
    [MARKS] = {.name = "marks"},
    {.name = "value", .type = RC_CELL_NUMBER},
    {.name = "low", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "high", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "unit"},
    {.name = "of_%", .type = RC_CELL_NUMBER, .text_only = true},
    {.name = "percent_of_parent", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "status", .text_hidden = true},
    {.name = "from"},
    [LACKS] = {.name = "lacks"},
    {.name = NULL}};

struct shown {
    const struct rc_profile_trees *trees;
    const struct rc_profile_numbers *from;
    struct rc_profile_number *reading; /* [event] */
    struct rc_interval *value;         /* [node] */
    struct rc_rows *rows;
    bool people;
    size_t zeros;                 /* nodes of 0 that people do not see */
    size_t twice[8], twice_count; /* nodes that are less than their parts */
};

static const char *not_counted(void *context, const char *event)
{
    const struct rc_profile_number r = rc_profile_read_event(context, event);

    return isnan(r.value) ? "not measured in this profile" : NULL;
}

static int evaluate(struct shown *s, struct rc_arena *arena, struct rc_error *err)
{
    const struct rc_profile_trees *t = s->trees;
    const size_t events = t->machine.event_count;
    double *count = rc_arena_array(arena, events, sizeof *count);
    char name[RC_SHARED_EVENT_NAME];

    s->reading = rc_arena_array(arena, events, sizeof *s->reading);
    s->value = rc_arena_array(arena, t->h.count, sizeof *s->value);
    if (rc_arena_check(arena, err, "the trees of the profile"))
        return RC_ENOMEM;
    for (size_t e = 0; e < events; e++) {
        count[e] = NAN;
        if (!t->needed[e])
            continue;
        s->reading[e] =
            rc_profile_read_event(s->from, rc_profile_trees_event(t, e, name));
        count[e] = s->reading[e].value;
    }
    rc_hierarchy_value(&t->h, count, s->value);
    return RC_OK;
}

/* The node's events as far as they are known: numbers that lack, and the variance of
 * its value.
 */
static struct rc_profile_number spread_of(const struct shown *s, size_t node)
{
    const struct rc_hierarchy_node *of = &s->trees->h.node[node];
    struct rc_profile_number out = {.value = s->value[node].value};

    for (size_t t = 0; t < of->term_count; t++) {
        const struct rc_profile_number *r = &s->reading[of->term[t].event];
        out.variance += of->term[t].coefficient * of->term[t].coefficient * r->variance;
        out.missing += r->missing;
    }
    return out;
}

static void put_number(char out[CELL], double value, int digits)
{
    out[0] = 0;
    if (isfinite(value))
        snprintf(out, CELL, "%.*g", digits, value);
}

/* Whether a node and all below it, which follow it, are 0: people need no rows of
 * these.
 */
static bool is_zero(const struct shown *s, size_t n)
{
    const struct rc_hierarchy *h = &s->trees->h;

    for (size_t i = n; i < h->count && (i == n || h->node[i].depth > h->node[n].depth);
         i++) {
        const struct rc_interval *v = &s->value[i];
        if (h->node[i].status != RC_HIERARCHY_VOID &&
            (v->value != 0 || v->low != 0 || v->high != 0))
            return false;
    }
    return true;
}

/* Makes 0 of a rest that is nothing but the rounding of its whole. */
static void round_to_zero(struct rc_interval *rest, double of)
{
    double *end[] = {&rest->value, &rest->low, &rest->high};

    for (size_t i = 0; i < sizeof end / sizeof *end; i++)
        if (fabs(*end[i]) <= ROUNDING * fabs(of))
            *end[i] = 0;
}

/* A row; 'parent' is RC_HIERARCHY_NONE for a root. */
static void put_row(struct shown *s, const char *name, size_t depth, size_t parent,
                    const struct rc_interval *v, const char *const words[5])
{
    const struct rc_hierarchy *h = &s->trees->h;
    const bool inside = parent != RC_HIERARCHY_NONE;
    char indented[NAME], text[3][CELL], share[CELL] = "";

    snprintf(indented, sizeof indented, "%*s%.400s", s->people ? 2 * (int)depth : 0, "",
             name);
    put_number(text[0], v->value, s->people ? 6 : 17);
    put_number(text[1], v->low, 17);
    put_number(text[2], v->high, 17);
    if (inside && s->value[parent].value > 0 && h->node[parent].linear &&
        isfinite(v->value))
        snprintf(share, sizeof share, "%.2f", 100 * v->value / s->value[parent].value);
    rc_rows_add(s->rows,
                (const char *const[]){
                    indented, inside ? h->node[parent].name : NULL, words[0],
                    text[0][0] ? text[0] : NULL, text[1][0] ? text[1] : NULL,
                    text[2][0] ? text[2] : NULL, words[1], share[0] ? share : NULL,
                    share[0] ? share : NULL, words[2], words[3], words[4]});
}

static void put_node(struct shown *s, size_t n)
{
    const struct rc_hierarchy_node *node = &s->trees->h.node[n];
    const struct rc_profile_number spread = spread_of(s, n);
    /* People know that a profile's own numbers are from the profile. */
    const bool own = s->people && strstr(node->how, "event '" RC_PROFILE_READING);
    char marks[RC_HIERARCHY_MARKS], why[WHY] = "";

    if (node->lacks[0])
        snprintf(why, sizeof why, "without %.400s", node->lacks);
    if (spread.missing > 0)
        rc_text_append(why, sizeof why, "%s%zu numbers of threads are missing",
                       why[0] ? "; " : "", spread.missing);
    put_row(s, node->name, node->depth, node->parent, &s->value[n],
            (const char *const[]){rc_hierarchy_marks(node, marks), node->unit,
                                  rc_hierarchy_status_names[node->status],
                                  own ? NULL : node->how, why});
}

/* Without those in which no node has anything. */
static void choose_columns(const struct shown *s, struct rc_column *out)
{
    char marks[RC_HIERARCHY_MARKS];
    bool marked = false, lacking = false;

    for (size_t n = 0; n < s->trees->h.count; n++) {
        const struct rc_hierarchy_node *node = &s->trees->h.node[n];
        if (!s->trees->chosen[n] || node->status == RC_HIERARCHY_VOID)
            continue;
        marked |= rc_hierarchy_marks(node, marks)[0] != 0;
        lacking |= node->lacks[0] || spread_of(s, n).missing > 0;
    }
    memcpy(out, columns, sizeof columns);
    out[MARKS].text_hidden = !marked;
    out[LACKS].text_hidden = !lacking;
}

/* The rest of a node that its parts do not explain; noted where it is less than
 * nothing.
 */
static void put_rest(struct shown *s, size_t n)
{
    const struct rc_hierarchy *h = &s->trees->h;
    const struct rc_hierarchy_node *node = &h->node[n];
    struct rc_profile_number spread = spread_of(s, n);
    struct rc_interval rest = s->value[n];
    char name[NAME];

    for (size_t i = 0; i < node->child_count; i++) {
        const size_t child = node->child[i].node;
        const double factor = node->child[i].factor;
        if (h->node[child].status == RC_HIERARCHY_VOID || !h->node[child].linear)
            continue;
        rest.value -= factor * s->value[child].value;
        rest.low -= factor * s->value[child].high;
        rest.high -= factor * s->value[child].low;
        spread.variance += factor * factor * spread_of(s, child).variance;
    }
    round_to_zero(&rest, s->value[n].value);
    snprintf(name, sizeof name, "rest of %.400s", node->name);
    if (!s->people || rest.value != 0 || rest.low != 0 || rest.high != 0)
        put_row(s, name, node->depth + 1, n, &rest,
                (const char *const[]){node->approximate ? "≈" : "", node->unit, "", "",
                                      ""});
    const double noise = isnan(spread.variance) ? RUNS_DIFFER * fabs(spread.value)
                                                : SIGMAS * sqrt(spread.variance);
    if (rest.high < -noise && s->twice_count < sizeof s->twice / sizeof *s->twice)
        s->twice[s->twice_count++] = n;
}

static void put_remarks(const struct shown *s)
{
    const struct rc_hierarchy *h = &s->trees->h;
    size_t shown = 0, empty = 0;

    for (size_t i = 0; i < s->twice_count; i++)
        printf("counted twice, or in runs that differ: the parts of %s add up to more "
               "than it\n",
               h->node[s->twice[i]].name);
    for (size_t n = 0; n < h->count; n++) {
        if (!s->trees->chosen[n] || h->node[n].is_event)
            continue;
        shown += h->node[n].status != RC_HIERARCHY_VOID;
        empty += h->node[n].status == RC_HIERARCHY_VOID;
    }
    printf("%zu node%s; this profile has nothing for %zu more\n", shown,
           rc_text_s(shown), empty);
    if (s->zeros > 0)
        printf("(of these %zu that are 0 are not shown: --format json has all)\n",
               s->zeros);
}

/* The values of two nodes; NAN: not there. */
static int read_pair(const struct rc_profile_trees_request *request,
                     const struct rc_profile_numbers *from, double out[2],
                     struct rc_error *err)
{
    static const char *const pair[] = {"INSTRUCTION", "CYCLES"};
    struct rc_profile_trees trees;
    struct rc_arena arena = {0};
    struct shown s = {.trees = &trees, .from = from};
    size_t words = 0;

    while (request->word[words])
        words++;
    const char **word = rc_arena_array(&arena, words + 3, sizeof *word);
    if (!word)
        return rc_fail(err, RC_ENOMEM, "no memory for the trees of the profile");
    memcpy(word, pair, sizeof pair);
    for (size_t i = 0, at = 2; i < words; i++)
        if (rc_profile_trees_is_file(request->word[i]))
            word[at++] = request->word[i];
    const struct rc_profile_trees_request of = {
        .word = word, .campaign = request->campaign, .node = request->node};
    int status = rc_profile_trees_open(&of, not_counted, (void *)from, &trees, err);
    if (status != RC_OK || (status = evaluate(&s, &arena, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < 2; i++) {
        const size_t n = rc_hierarchy_find(&trees.h, pair[i]);
        out[i] = n == RC_HIERARCHY_NONE ? NAN : s.value[n].value;
    }
out:
    rc_profile_trees_close(&trees);
    rc_arena_free(&arena);
    return status;
}

/* How the run does against the reference. */
static int compare_runs(const struct rc_profile_trees_request *request,
                        struct rc_profile_numbers *own, struct rc_error *err)
{
    struct rc_profile_numbers other;
    double of[2], by[2];
    int status;

    if (!request->reference)
        return RC_OK;
    rc_profile_numbers_of(request->reference, &other);
    if ((status = read_pair(request, own, of, err)) ||
        (status = read_pair(request, &other, by, err)))
        return status;
    own->instruction_scaling = by[0] / of[0];
    own->ipc_scaling = (of[0] / of[1]) / (by[0] / by[1]);
    own->frequency_scaling = (of[1] / own->computing_s) / (by[1] / other.computing_s);
    return RC_OK;
}

int rc_profile_show_trees(const struct rc_profile_trees_request *request,
                          const struct rc_cube *cube, struct rc_json *json,
                          struct rc_error *err)
{
    struct rc_profile_trees trees;
    struct rc_arena arena = {0};
    struct rc_profile_numbers readings;
    struct shown s = {.trees = &trees, .from = &readings, .people = !json};

    rc_profile_numbers_of(cube, &readings);
    int status = compare_runs(request, &readings, err);
    if (status != RC_OK)
        return status;
    if ((status = rc_profile_trees_open(request, not_counted, &readings, &trees,
                                        err)) != RC_OK ||
        (status = evaluate(&s, &arena, err)) != RC_OK)
        goto out;
    if (trees.why[0])
        fprintf(stderr, "rollcall profile: '%.200s': %s\n", request->campaign,
                trees.why);
    if (json)
        rc_json_array(json, "trees");
    struct rc_column shown[sizeof columns / sizeof *columns];
    choose_columns(&s, shown);
    s.rows =
        rc_rows_create(stdout, json ? RC_FORMAT_JSON : RC_FORMAT_TEXT, shown, json);
    rc_rows_fit(s.rows);
    /* Nodes depth first; a rest stands after all that is below its node. */
    const struct rc_hierarchy *h = &s.trees->h;
    size_t open[RC_HIERARCHY_DEPTH_MAX + 2] = {0}, depth = 0;
    for (size_t n = 0; n <= h->count; n++) {
        const bool is_node = n < h->count;
        while (depth > 0 &&
               (!is_node || h->node[n].depth <= h->node[open[depth - 1]].depth))
            put_rest(&s, open[--depth]);
        if (!is_node || !s.trees->chosen[n] || h->node[n].status == RC_HIERARCHY_VOID)
            continue;
        if (s.people && h->node[n].depth > 0 && is_zero(&s, n)) {
            s.zeros++;
            continue;
        }
        put_node(&s, n);
        if (rc_hierarchy_has_rest(h, n))
            open[depth++] = n;
    }
    status = rc_rows_end(s.rows, RC_OK, err);
    if (json)
        rc_json_end(json);
    else
        put_remarks(&s);
out:
    rc_profile_trees_close(&trees);
    rc_arena_free(&arena);
    return status;
}
