/* Comparisons of results that no solve ever had. */
#include "tests/lib/test.h"

#include "campaign/compare/parts.h"
#include "solve/study/quantile.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 10000, COLUMNS = 3, EVENTS = 6 };
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static struct rc_error err;

/* Two columns of one suite, with a metric each. */
struct pair {
    struct rc_compare compare;
    struct rc_suite_result suite[2];
    struct rc_metric_result metric[2];
};

static const struct rc_metric_result plain = {.name = "loads",
                                              .description = "",
                                              .signature = "LOADS",
                                              .preset = "",
                                              .formula = "",
                                              .verdict = RC_METRIC_DEFINED,
                                              .reason = "",
                                              .rounded_holds = true};

static void make_pair(struct pair *p)
{
    *p = (struct pair){.metric = {plain, plain}};
    p->compare.column = rc_arena_array(&p->compare.arena, 2, sizeof *p->compare.column);
    p->compare.column_count = 2;
    p->compare.column[0].reference = RC_COMPARE_NONE;
    p->compare.suite = rc_arena_array(&p->compare.arena, 1, sizeof *p->compare.suite);
    p->compare.suite_count = 1;
    p->compare.suite->name = "s";
    p->compare.suite->result =
        rc_arena_array(&p->compare.arena, 2, sizeof(const struct rc_suite_result *));
    for (size_t i = 0; i < 2; i++) {
        p->suite[i] = (struct rc_suite_result){
            .suite = "s", .metric = &p->metric[i], .metric_count = 1};
        p->compare.suite->result[i] = &p->suite[i];
    }
}

static const struct rc_compare_cell *compared(struct pair *p)
{
    assert_int_equal(rc_compare_metrics(&p->compare, &err), RC_OK);
    return &p->compare.suite->metric[0].cell[1];
}

static void coefficients_differ_beyond_both_intervals(void **state)
{
    static const struct {
        struct rc_term before, after;
        bool differs;
    } table[] = {
        /* coefficient, rounded, low, high */
        {{.coefficient = NAN, .rounded = NAN, .low = NAN, .high = NAN},
         {.coefficient = 1, .rounded = 1, .low = 1, .high = 1},
         true},
        {{.coefficient = 1, .rounded = 1, .low = 1, .high = 1},
         {.coefficient = 0.5, .rounded = 0.5, .low = 0.5, .high = 0.5},
         true},
        {{.coefficient = 1, .rounded = 1, .low = 1, .high = 1},
         {.coefficient = 1.02, .rounded = 1, .low = 1.01, .high = 1.03},
         false},
        {{.coefficient = 0.8, .rounded = 0.8, .low = 0.7, .high = 0.9},
         {.coefficient = 0.85, .rounded = 0.85, .low = 0.84, .high = 0.86},
         false},
        {{.coefficient = 0.8, .rounded = 0.8, .low = 0.79, .high = 0.84},
         {.coefficient = 0.85, .rounded = 0.85, .low = 0.83, .high = 0.86},
         true},
        {{.coefficient = 1.0 / 3, .rounded = 1.0 / 3, .low = NAN, .high = NAN},
         {.coefficient = 1.0 / 3 + 1e-12,
          .rounded = 1.0 / 3 + 1e-12,
          .low = NAN,
          .high = NAN},
         false},
        {{.coefficient = 1, .rounded = 1, .low = 1, .high = 1},
         {.coefficient = -1, .rounded = -1, .low = -1, .high = -1},
         true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        struct rc_term before = table[i].before, after = table[i].after;
        struct pair p;
        before.name = after.name = "E";
        make_pair(&p);
        p.metric[0].term = &before;
        p.metric[1].term = &after;
        p.metric[0].term_count = p.metric[1].term_count = 1;
        const struct rc_compare_cell *cell = compared(&p);
        assert_int_equal(cell->differs, table[i].differs ? RC_DIFFERS_COEFFICIENTS : 0);
        assert_int_equal(cell->term_count, table[i].differs);
        rc_compare_fini(&p.compare);
    }
}

#define TERM(n, c, r)                                                                  \
    {                                                                                  \
        .name = (n), .coefficient = (c), .rounded = (r), .low = (c)-1e-4,              \
        .high = (c) + 1e-4                                                             \
    }

static void a_term_near_zero_is_as_good_as_none(void **state)
{
    struct rc_term before[] = {TERM("E", 1, 1), TERM("SMALL", 0.002, 0)};
    struct rc_term after[] = {TERM("E", 1, 1), TERM("TINY", 0.00005, 0.00005)};
    struct pair p;

    (void)state;
    make_pair(&p);
    p.metric[0].term = before;
    p.metric[1].term = after;
    p.metric[0].term_count = p.metric[1].term_count = 2;
    assert_int_equal(compared(&p)->differs, 0);
    rc_compare_fini(&p.compare);
}

static void other_events_are_named_whatever_the_order(void **state)
{
    struct rc_term before[] = {TERM("A", 1, 1), TERM("B", 2, 2), TERM("C", 1, 1)};
    struct rc_term after[] = {TERM("D", 4, 4), TERM("C", 1, 1), TERM("A", 1, 1)};
    const struct rc_compare_cell *cell;
    struct pair p;
    char *words;

    (void)state;
    make_pair(&p);
    p.metric[0].term = before;
    p.metric[1].term = after;
    p.metric[0].term_count = p.metric[1].term_count = 3;
    cell = compared(&p);
    assert_int_equal(cell->differs, RC_DIFFERS_EVENTS);
    assert_int_equal(cell->term_count, 2);
    words = rc_compare_say_cell(&p.compare, &p.compare.suite->metric[0], 1);
    assert_string_equal(words, "without 2.00000 (1.99990 to 2.00010) x B; "
                               "with 4.00000 (3.99990 to 4.00010) x D");
    free(words);
    words = rc_compare_combination(&p.metric[0]);
    assert_string_equal(words, "A + 2 x B + C");
    free(words);
    rc_compare_fini(&p.compare);
}

static void events_that_count_the_same_may_take_each_others_place(void **state)
{
    static const char *const equals[] = {"X", "E2"};
    const struct rc_chosen chosen = {
        .name = "E1", .other_name = equals, .other_count = 2};
    struct rc_term before[] = {TERM("E1", 1, 1)}, after[] = {TERM("E2", 1, 1)};

    (void)state;
    for (int known = 0; known < 2; known++)
        for (int turned = 0; turned < 2; turned++) {
            const struct rc_compare_cell *cell;
            struct pair p;
            make_pair(&p);
            p.metric[turned].term = before;
            p.metric[!turned].term = after;
            p.metric[0].term_count = p.metric[1].term_count = 1;
            p.suite[turned].chosen = (struct rc_chosen *)&chosen;
            p.suite[turned].chosen_count = (size_t)known;
            cell = compared(&p);
            assert_int_equal(cell->differs, known ? 0 : RC_DIFFERS_EVENTS);
            assert_int_equal(cell->term_count, known ? 1 : 2);
            assert_int_equal(cell->term[0].exchanged, known);
            rc_compare_fini(&p.compare);
        }
}

static void what_the_machine_does_not_have_has_no_definition_to_differ(void **state)
{
    struct rc_term before[] = {TERM("A", 0.8, 0.8)}, after[] = {TERM("B", 0.4, 0.4)};
    struct pair p;

    (void)state;
    for (int v = 0; v < RC_METRIC_VERDICT_COUNT; v++) {
        const bool matters = v == RC_METRIC_DEFINED || v == RC_METRIC_APPROXIMATE ||
                             v == RC_METRIC_REFERENCE;
        make_pair(&p);
        p.metric[0].term = before;
        p.metric[1].term = after;
        p.metric[0].term_count = p.metric[1].term_count = 1;
        p.metric[0].verdict = p.metric[1].verdict = (enum rc_metric_verdict)v;
        assert_int_equal(compared(&p)->differs, matters ? RC_DIFFERS_EVENTS : 0);
        rc_compare_fini(&p.compare);
    }
}

static void verdicts_signatures_and_formulas_differ(void **state)
{
    struct pair p;

    (void)state;
    make_pair(&p);
    p.metric[1].verdict = RC_METRIC_ABSENT;
    p.metric[1].signature = "LOADS + STORES";
    p.metric[1].formula = "[a] / [b]";
    assert_int_equal(compared(&p)->differs,
                     RC_DIFFERS_VERDICT | RC_DIFFERS_SIGNATURE | RC_DIFFERS_FORMULA);
    assert_int_equal(p.compare.differences[RC_COMPARE_METRICS], 1);
    rc_compare_fini(&p.compare);
}

static void metrics_of_one_side_are_gone_or_new(void **state)
{
    struct rc_metric_result two[2] = {plain, plain};
    struct pair p;

    (void)state;
    make_pair(&p);
    two[0].name = "stores";
    p.suite[1].metric = two;
    p.metric[0].name = "gone";
    p.suite[1].metric_count = 2;
    assert_int_equal(rc_compare_metrics(&p.compare, &err), RC_OK);
    assert_int_equal(p.compare.suite->metric_count, 3);
    assert_string_equal(p.compare.suite->metric[0].name, "gone");
    assert_string_equal(p.compare.suite->metric[1].name, "stores");
    assert_string_equal(p.compare.suite->metric[2].name, "loads");
    assert_int_equal(p.compare.suite->metric[0].cell[1].differs, RC_DIFFERS_GONE);
    assert_int_equal(p.compare.suite->metric[1].cell[1].differs, RC_DIFFERS_NEW);
    assert_int_equal(p.compare.suite->differing, 3);
    rc_compare_fini(&p.compare);
}

static void events_are_found_by_name_and_source_in_any_order(void **state)
{
    static const struct rc_compare_event before[] = {
        {.name = "same", .source = "papi"},  {.name = "a", .source = "papi"},
        {.name = "b", .source = "papi"},     {.name = "b", .source = "soft"},
        {.name = "twice", .source = "papi"}, {.name = "twice", .source = "papi"},
        {.name = "last", .source = "papi"}};
    static const struct rc_compare_event after[] = {
        {.name = "same", .source = "papi"},  {.name = "twice", .source = "papi"},
        {.name = "b", .source = "soft"},     {.name = "twice", .source = "papi"},
        {.name = "twice", .source = "papi"}, {.name = "a", .source = "soft"},
        {.name = "b", .source = "papi"},     {.name = "last", .source = "papi"}};
    static const size_t expected[] = {0, 4, 3, 5, RC_COMPARE_NONE, RC_COMPARE_NONE,
                                      2, 6};
    size_t *match;

    (void)state;
    assert_int_equal(rc_compare_match(before, 0, after, 0, &match, &err), RC_OK);
    free(match);
    assert_int_equal(rc_compare_match(before, 0, after, 2, &match, &err), RC_OK);
    assert_true(match[0] == RC_COMPARE_NONE && match[1] == RC_COMPARE_NONE);
    free(match);
    assert_int_equal(rc_compare_match(before, COUNT_OF(before), after, COUNT_OF(after),
                                      &match, &err),
                     RC_OK);
    assert_memory_equal(match, expected, sizeof expected);
    free(match);
}

static void changes_are_grouped_by_what_they_are(void **state)
{
    static const uint8_t before[EVENTS] = {0, 1, 2, 3, 4, 5};
    static const uint8_t after[EVENTS] = {0, 5, 2, 4, 4, 4};
    static const double noise[EVENTS] = {0, 0.1, 0.2, 0.3, 0.4, 0.5};
    const struct rc_compare_states states = {before, after, noise, noise, NULL};
    size_t match[EVENTS] = {0, 1, 2, 3, RC_COMPARE_NONE, 3};
    const struct rc_compare_group *group;
    struct pair p;

    (void)state;
    make_pair(&p);
    p.compare.column[1].event_count = EVENTS;
    assert_int_equal(
        rc_compare_states(&p.compare, 1, match, RC_CHANGE_CLASS, 0, &states, &err),
        RC_OK);
    group = p.compare.column[1].group;
    assert_int_equal(p.compare.column[1].group_count, 2);
    assert_true(group[0].from == 1 && group[0].to == 5 && group[0].count == 1);
    assert_true(group[1].from == 3 && group[1].to == 4 && group[1].count == 2);
    assert_int_equal(group[1].change[0].after, 3);
    assert_int_equal(group[1].change[1].after, 5);
    assert_true(group[1].change[1].noise_before == 0.3);
    assert_true(group[1].change[1].noise_after == 0.5);
    assert_int_equal(p.compare.differences[RC_COMPARE_NOISE], 3);
    rc_compare_fini(&p.compare);
}

static void what_chance_explains_is_no_difference(void **state)
{
    static const uint8_t before[EVENTS] = {1, 1, 1, 1, 1, 1};
    static const uint8_t after[EVENTS] = {1, 5, 5, 5, 5, 1};
    static const struct rc_compare_judged judged[EVENTS] = {
        {.known = true},
        {.known = true},
        {.known = true, .noise = true},
        {.known = true, .counts = true, .off = 0.5},
        {.known = false},
        {.known = true, .counts = true, .off = 0.25}};
    const struct rc_compare_states states = {before, after, NULL, NULL, judged};
    size_t match[EVENTS] = {0, 1, 2, 3, 4, 5};
    struct pair p;

    (void)state;
    make_pair(&p);
    p.compare.column[1].event_count = EVENTS;
    for (int what = RC_CHANGE_CLASS; what <= RC_CHANGE_COUNTS; what++)
        assert_int_equal(rc_compare_states(&p.compare, 1, match,
                                           (enum rc_change_what)what, 0, &states, &err),
                         RC_OK);
    assert_int_equal(p.compare.differences[RC_COMPARE_NOISE], 3);
    assert_int_equal(p.compare.differences[RC_COMPARE_USE], 3);
    assert_int_equal(p.compare.differences[RC_COMPARE_COUNTS], 2);
    assert_int_equal(p.compare.chance[RC_COMPARE_NOISE], 1);
    assert_int_equal(p.compare.chance[RC_COMPARE_USE], 1);
    assert_int_equal(p.compare.column[1].change_count, 8);
    const struct rc_compare_group *counts =
        &p.compare.column[1].group[p.compare.column[1].group_count - 1];
    assert_true(counts->change[0].off == 0.5 && counts->change[1].off == 0.25);
    rc_compare_fini(&p.compare);
}

static void a_metric_whose_events_count_as_before_differs_by_chance(void **state)
{
    struct rc_term before = TERM("E", 1, 1), after = TERM("E", 2, 2);

    (void)state;
    for (int changed = 0; changed < 2; changed++)
        for (int gone = 0; gone < 2; gone++) {
            bool flags[1] = {changed};
            struct pair p;
            make_pair(&p);
            p.metric[0].term = &before;
            p.metric[1].term = &after;
            p.metric[0].term_count = p.metric[1].term_count = 1;
            p.metric[1].signature = gone ? "STORES" : "LOADS";
            p.compare.column[0].event_count = p.compare.column[1].event_count = 1;
            p.compare.column[1].judged = true;
            p.compare.column[1].changed = p.compare.column[1].changed_before = flags;
            const struct rc_compare_cell *cell = compared(&p);
            assert_true((cell->differs != 0) == (changed || gone));
            assert_true((cell->chance != 0) == !(changed || gone));
            assert_int_equal(p.compare.differences[RC_COMPARE_METRICS],
                             changed || gone);
            assert_int_equal(p.compare.chance[RC_COMPARE_METRICS], !(changed || gone));
            rc_compare_fini(&p.compare);
        }
}

/* Published quantiles: of Student's t with 10 degrees of freedom, two-sided, and of F.
 */
static void tails_are_those_of_tables(void **state)
{
    static const struct {
        double f, above, below, tail;
    } table[] = {
        {2.2281 * 2.2281, 1, 10, 0.05},
        {4.5869 * 4.5869, 1, 10, 0.001},
        {12.7062 * 12.7062, 1, 1, 0.05},
        {2.0003 * 2.0003, 1, 60, 0.05},
        {3.4780, 4, 10, 0.05},
        {15.9770, 4, 4, 0.01},
        {1.8409, 30, 30, 0.05},
        {1, 7, 7, 0.5},
        {0, 3, 3, 1},
        {NAN, 3, 3, 1},
        {INFINITY, 1, 8, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        const double tail = rc_tail_f(table[i].f, table[i].above, table[i].below);
        assert_true(fabs(tail - table[i].tail) <= 1e-3 * table[i].tail);
    }
}

static void readings_are_judged_by_their_own_scatter(void **state)
{
    enum { VECTORS = 5, POINTS = 3 };
    static const double scatter[VECTORS] = {-1, 0.4, 0, -0.3, 0.9};
    static const struct {
        double level, noise, by[POINTS]; /* counts of a reading; of the second */
        bool counts;
    } table[] = {
        {0, 0, {1, 1, 1}, false},
        {1e6, 0, {1, 1, 1}, false},
        {1e6, 1e-3, {1, 1, 1}, false},
        {1e6, 0, {1.02, 1.02, 1.02}, true},
        {1e6, 1e-3, {1.02, 1.02, 1.02}, true},
        {1e6, 0.3, {1.02, 1.02, 1.02}, false},
        {1e6, 0, {1.005, 1.005, 1.005}, false}, /* less than means are known to */
        {1e6, 1e-3, {1, 0, 1}, true},
        {20, 0, {1.5, 1.5, 1.5}, false},
        {1e6, 0, {0, 0, 0}, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        const double iterations[POINTS] = {1, 10, 100};
        double vector[2][VECTORS * POINTS], room[POINTS + VECTORS];
        for (size_t v = 0; v < VECTORS; v++)
            for (size_t p = 0; p < POINTS; p++) {
                const double value = table[i].level / iterations[p];
                vector[0][v * POINTS + p] = value * (1 + table[i].noise * scatter[v]);
                vector[1][v * POINTS + p] =
                    value * table[i].by[p] *
                    (1 + table[i].noise * scatter[(v + 1) % VECTORS]);
            }
        const struct rc_compare_readings a = {vector[0], VECTORS},
                                         b = {vector[1], VECTORS};
        const struct rc_compare_judgement j =
            rc_compare_judge(&a, &b, iterations, POINTS, room);
        assert_true((j.counts < 1e-5) == table[i].counts);
        assert_true(j.noise > 0.01);
    }
}

static void what_is_not_asked_for_does_not_count(void **state)
{
    struct rc_compare compare = {.differences = {[RC_COMPARE_NOISE] = 5}};

    (void)state;
    assert_false(rc_compare_differs(&compare));
    compare.checked[RC_COMPARE_METRICS] = true;
    assert_false(rc_compare_differs(&compare));
    compare.checked[RC_COMPARE_NOISE] = true;
    assert_true(rc_compare_differs(&compare));
    compare = (struct rc_compare){.absent_count = 1};
    assert_true(rc_compare_differs(&compare));
}

static void columns_find_their_reference(void **state)
{
    static const struct {
        const char *key[COLUMNS];
        size_t operand[COLUMNS];
        bool as_one_kind;
        struct {
            size_t reference;
            enum rc_relation relation;
        } expected[COLUMNS];
        size_t absent;
    } table[] = {
        /* one campaign: against its first kind */
        {{"x", "y", "z"},
         {0, 0, 0},
         false,
         {{RC_COMPARE_NONE, RC_RELATION_FIRST},
          {0, RC_RELATION_OTHER},
          {0, RC_RELATION_OTHER}},
         0},
        /* its kinds are not compared where there is another campaign */
        {{"x", "y", "y"},
         {0, 0, 1},
         false,
         {{RC_COMPARE_NONE, RC_RELATION_FIRST},
          {RC_COMPARE_NONE, RC_RELATION_FIRST},
          {1, RC_RELATION_SAME}},
         1},
        /* the earliest of the same kind */
        {{"x", "x", "x"},
         {0, 1, 2},
         false,
         {{RC_COMPARE_NONE, RC_RELATION_FIRST},
          {0, RC_RELATION_SAME},
          {0, RC_RELATION_SAME}},
         0},
        /* another set of counters, unless one is the same */
        {{"x; counters=a", "x; counters=b", "x; counters=b"},
         {0, 1, 2},
         false,
         {{RC_COMPARE_NONE, RC_RELATION_FIRST},
          {0, RC_RELATION_COUNTERS},
          {1, RC_RELATION_SAME}},
         1},
        {{"x; counters=a", "y; counters=a", "xx; counters=a"},
         {0, 1, 2},
         false,
         {{RC_COMPARE_NONE, RC_RELATION_FIRST},
          {0, RC_RELATION_OTHER},
          {0, RC_RELATION_OTHER}},
         0},
        /* the user knows better */
        {{"x", "y", "z"},
         {0, 0, 1},
         true,
         {{RC_COMPARE_NONE, RC_RELATION_FIRST},
          {RC_COMPARE_NONE, RC_RELATION_FIRST},
          {0, RC_RELATION_TAKEN}},
         1},
        {{"x", "y", "z"},
         {0, 1, 1},
         true,
         {{RC_COMPARE_NONE, RC_RELATION_FIRST},
          {0, RC_RELATION_TAKEN},
          {0, RC_RELATION_TAKEN}},
         0},
        /* without keys names are what there is */
        {{"", "", ""},
         {0, 1, 2},
         false,
         {{RC_COMPARE_NONE, RC_RELATION_FIRST},
          {0, RC_RELATION_SAME},
          {0, RC_RELATION_SAME}},
         0},
    };

    (void)state;
    for (size_t t = 0; t < COUNT_OF(table); t++) {
        struct rc_compare c = {.column_count = COLUMNS};
        c.column = rc_arena_array(&c.arena, COLUMNS, sizeof *c.column);
        struct rc_store_kind kind[COLUMNS];
        for (size_t i = 0; i < COLUMNS; i++) {
            kind[i] = (struct rc_store_kind){.name = "k", .key = table[t].key[i]};
            c.column[i].kind = &kind[i];
        }
        assert_int_equal(
            rc_compare_relate(&c, table[t].operand, table[t].as_one_kind, &err), RC_OK);
        for (size_t i = 0; i < COLUMNS; i++) {
            assert_true(c.column[i].reference == table[t].expected[i].reference);
            assert_int_equal(c.column[i].relation, table[t].expected[i].relation);
        }
        assert_int_equal(c.absent_count, table[t].absent);
        assert_string_equal(c.column[2].label, "C");
        rc_compare_fini(&c);
    }
}

/* A comparison in which every word is hostile. */
static void make_hostile(struct pair *p, const char *name)
{
    static struct rc_store_campaign campaign;
    static struct rc_store_kind kind;
    const size_t match[2] = {RC_COMPARE_NONE, 0};
    const uint8_t before[2] = {RC_CLASS_EXACT}, after[2] = {0, RC_CLASS_NOISY};
    struct rc_compare_column *column;

    campaign = (struct rc_store_campaign){.id = name, .created_by = name};
    kind = (struct rc_store_kind){.name = name, .key = name};
    make_pair(p);
    p->suite[0].suite = p->suite[1].suite = p->compare.suite->name = name;
    column = p->compare.column;
    for (size_t i = 0; i < 2; i++) {
        column[i].label[0] = i ? 'B' : 'A';
        column[i].path = name;
        column[i].campaign = &campaign;
        column[i].kind = &kind;
        column[i].simulated = true;
        column[i].event = rc_arena_array(&p->compare.arena, 2, sizeof *column[i].event);
        column[i].event_count = 2;
        column[i].verdict = rc_arena_array(&p->compare.arena, 2, 1);
        column[i].scope = rc_arena_array(&p->compare.arena, 2, 1);
        for (size_t k = 0; k < 2; k++)
            column[i].event[k] = (struct rc_compare_event){name, name, name};
        p->metric[i].name = p->metric[i].reason = p->metric[i].signature = name;
    }
    column[1].verdict[1] = RC_VERDICT_UNSUPPORTED;
    column[1].relation = RC_RELATION_OTHER;
    p->compare.simulated = true;
    assert_int_equal(rc_compare_events(&p->compare, 1, match, &err), RC_OK);
    assert_int_equal(
        rc_compare_states(&p->compare, 1, match, RC_CHANGE_CLASS, 0,
                          &(struct rc_compare_states){before, after, NULL, NULL, NULL},
                          &err),
        RC_OK);
}

static char *written(const struct rc_compare *compare, const char *format)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    assert_int_equal(rc_compare_format_find(format)->write(compare, true, out, &err),
                     RC_OK);
    fclose(out);
    return text;
}

static void check_json(const char *text, const char *name)
{
    json_t *top = json_loads(text, 0, NULL), *column;

    assert_non_null(top);
    assert_true(json_is_true(json_object_get(top, "simulated")));
    column = json_array_get(json_object_get(top, "columns"), 1);
    if (!strchr(name, '\xff'))
        assert_string_equal(json_string_value(json_object_get(column, "path")), name);
    json_decref(top);
}

static void hostile_names_break_no_format(void **state)
{
    char *longest = malloc(LONG + 1);
    const char *const names[] = {"",
                                 "a\nb\r\tc",
                                 "\x1b[2J\x07",
                                 "say \"hi\" \\",
                                 "<script>alert(1)</script>&amp;",
                                 "\xf0\x9f\x98\x80",
                                 "\xff\xfe",
                                 "%s%n%d",
                                 longest};

    (void)state;
    memset(longest, 'x', LONG);
    longest[LONG] = 0;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct rc_term before[] = {TERM(names[i], 1, 1)};
        struct rc_term after[] = {TERM(names[i], 2, 2)};
        struct pair p;
        char *text;
        make_hostile(&p, names[i]);
        p.metric[0].term = before;
        p.metric[1].term = after;
        p.metric[0].term_count = p.metric[1].term_count = 1;
        assert_int_equal(rc_compare_metrics(&p.compare, &err), RC_OK);
        text = written(&p.compare, "text");
        assert_null(strpbrk(text, "\r\t\x1b\x07\xff"));
        assert_non_null(strstr(text, "simulated readings"));
        assert_non_null(strstr(text, "class exact -> too noisy"));
        free(text);
        text = written(&p.compare, "json");
        check_json(text, names[i]);
        free(text);
        text = written(&p.compare, "html");
        assert_null(strstr(text, "<script>alert"));
        assert_null(strpbrk(text, "\x1b\x07\xff"));
        assert_non_null(strstr(text, "<strong>Simulated:</strong>"));
        free(text);
        rc_compare_fini(&p.compare);
    }
    free(longest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients_differ_beyond_both_intervals),
        cmocka_unit_test(a_term_near_zero_is_as_good_as_none),
        cmocka_unit_test(other_events_are_named_whatever_the_order),
        cmocka_unit_test(events_that_count_the_same_may_take_each_others_place),
        cmocka_unit_test(what_the_machine_does_not_have_has_no_definition_to_differ),
        cmocka_unit_test(verdicts_signatures_and_formulas_differ),
        cmocka_unit_test(metrics_of_one_side_are_gone_or_new),
        cmocka_unit_test(events_are_found_by_name_and_source_in_any_order),
        cmocka_unit_test(changes_are_grouped_by_what_they_are),
        cmocka_unit_test(what_chance_explains_is_no_difference),
        cmocka_unit_test(a_metric_whose_events_count_as_before_differs_by_chance),
        cmocka_unit_test(tails_are_those_of_tables),
        cmocka_unit_test(readings_are_judged_by_their_own_scatter),
        cmocka_unit_test(what_is_not_asked_for_does_not_count),
        cmocka_unit_test(columns_find_their_reference),
        cmocka_unit_test(hostile_names_break_no_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
