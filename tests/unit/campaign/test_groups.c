#include "tests/lib/test.h"

#include "campaign/grouping/groups.h"
#include "tests/lib/counters.h"

#include <string.h>

/* All in one scope and domain, not alike. */
static struct rc_group_event *plain(size_t count)
{
    struct rc_group_event *events = calloc(count ? count : 1, sizeof *events);

    for (size_t i = 0; i < count; i++)
        events[i].event = (uint32_t)i;
    return events;
}

static struct rc_groups find(const struct rc_group_event *events, size_t count,
                             const struct rc_groups_setup *setup)
{
    struct rc_error err = {0};
    struct rc_groups groups;

    assert_int_equal(rc_groups_find(events, count, setup, &groups, &err), RC_OK);
    return groups;
}

/* Each event in one place, groups of one scope and domain, numbered in order. */
static void check_places(const struct rc_groups *groups,
                         const struct rc_group_event *events, size_t count)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = events[i].event > most ? events[i].event : most;
    unsigned char *seen = calloc((size_t)most + 1, 1);
    const struct rc_group_event **of = calloc((size_t)most + 1, sizeof(void *));
    size_t places = groups->unfit_count;

    for (size_t i = 0; i < count; i++)
        of[events[i].event] = &events[i];
    for (size_t i = 0; i < groups->unfit_count; i++)
        assert_int_equal(seen[groups->unfit[i].event]++, 0);
    for (size_t g = 0; g < groups->count; g++) {
        const struct rc_group *group = &groups->group[g];
        assert_int_equal(group->index, g);
        assert_true(group->own > 0 && group->count - group->own <= 1);
        for (size_t i = 0; i < group->own; i++) {
            assert_int_equal(seen[group->events[i]]++, 0);
            assert_non_null(of[group->events[i]]);
            assert_int_equal(of[group->events[i]]->scope, group->scope);
            assert_int_equal(of[group->events[i]]->domain, group->domain);
        }
        places += group->own;
    }
    assert_int_equal(places, count);
    free(seen);
    free(of);
}

static void check_fits(const struct rc_groups *groups, const struct counters *c)
{
    for (size_t g = 0; g < groups->count; g++)
        assert_true(counters_fit(c, groups->group[g].events, groups->group[g].count));
    for (size_t i = 0; i < groups->unfit_count; i++)
        assert_false(counters_fit(c, &groups->unfit[i].event, 1));
}

static void bad_input_is_refused_with_one_line(void **state)
{
    static const struct {
        struct rc_group_event events[3];
        const char *message;
    } bad[] = {
        {{{.event = 7}, {.event = 3}, {.event = 7}},
         "event 7 is given twice, expected each event once"},
        {{{.event = 1, .domain = 1}, {.event = 1, .domain = 2}, {.event = 2}},
         "event 1 is given twice, expected each event once"},
        {{{.event = 1}, {.event = 2, .scope = RC_SCOPE_COUNT}, {.event = 3}},
         "event 2: there is no scope 7"},
        {{{.event = 1}, {.event = 2}, {.event = 9, .scope = (enum rc_scope) - 1}},
         "event 9: there is no scope -1"},
    };
    struct counters c;
    uint64_t seed = 1;

    (void)state;
    counters_make(&c, 10, 4, 0, 0, &seed);
    const struct rc_groups_setup setup = {.fits = counters_trial, .context = &c};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_groups groups;
        assert_int_equal(rc_groups_find(bad[i].events, 3, &setup, &groups, &err),
                         RC_EUSAGE);
        assert_string_equal(err.text, bad[i].message);
        assert_null(groups.group);
        rc_groups_fini(&groups);
    }
    assert_int_equal(c.calls, 0);
    counters_free(&c);
}

static void no_events_give_no_groups(void **state)
{
    struct counters c = {.counters = 4};
    struct rc_groups groups =
        find(NULL, 0, &(struct rc_groups_setup){.fits = counters_trial, .context = &c});

    (void)state;
    assert_int_equal(groups.count + groups.unfit_count, 0);
    assert_int_equal(c.calls, 0);
    rc_groups_fini(&groups);
}

static void one_event_is_a_group(void **state)
{
    struct counted event[] = {{0}, {0}, {.counters = 1}};
    struct counters c = {.event = event, .count = 3, .counters = 1};
    const struct rc_group_event two = {.event = 2, .scope = RC_SCOPE_NODE, .domain = 5};
    struct rc_groups groups =
        find(&two, 1, &(struct rc_groups_setup){.fits = counters_trial, .context = &c});

    (void)state;
    assert_int_equal(groups.count, 1);
    assert_int_equal(groups.group[0].count, 1);
    assert_int_equal(groups.group[0].events[0], 2);
    assert_int_equal(groups.group[0].scope, RC_SCOPE_NODE);
    assert_int_equal(groups.group[0].domain, 5);
    rc_groups_fini(&groups);
}

static void reason_by_event(void *context, const uint32_t *events, size_t count,
                            struct rc_trial *out)
{
    (void)context;
    out->verdict = events[0] % 2 ? RC_VERDICT_NOT_PERMITTED : RC_VERDICT_UNSUPPORTED;
    snprintf(out->reason, sizeof out->reason, "event %u of %zu", events[0], count);
}

static void events_that_fit_nowhere_are_reported_with_their_own_reason(void **state)
{
    const struct rc_group_event events[] = {
        {.event = 9, .scope = RC_SCOPE_NODE},
        {.event = 4, .alike = 1},
        {.event = 6, .alike = 1},
        {.event = 1, .domain = 2},
    };
    struct rc_groups groups =
        find(events, 4, &(struct rc_groups_setup){.fits = reason_by_event});

    (void)state;
    assert_int_equal(groups.count, 0);
    assert_int_equal(groups.unfit_count, 4);
    for (size_t i = 0; i < 4; i++) {
        char reason[32];
        snprintf(reason, sizeof reason, "event %u of 1", events[i].event);
        assert_int_equal(groups.unfit[i].event, events[i].event);
        assert_string_equal(groups.unfit[i].reason, reason);
        assert_int_equal(groups.unfit[i].verdict, events[i].event % 2
                                                      ? RC_VERDICT_NOT_PERMITTED
                                                      : RC_VERDICT_UNSUPPORTED);
    }
    rc_groups_fini(&groups);
}

/* Random sets with dead events, several scopes and domains, events alike. */
static void every_event_is_in_one_group_that_fits_or_is_reported(void **state)
{
    uint64_t seed = 42;

    (void)state;
    for (size_t run = 0; run < 150; run++) {
        struct counters c;
        size_t count = counters_random(&seed) % 70;
        counters_make(&c, count, 1 + (unsigned)(run % 8), (unsigned)(run % 4), 15,
                      &seed);
        struct rc_group_event *events = plain(count);
        for (size_t i = 0; i < count; i++) {
            uint64_t r = counters_random(&seed);
            events[i].scope = (enum rc_scope)(r % 3);
            events[i].domain = (uint32_t)(r / 3 % 2);
            if (r / 6 % 9 == 0 && !events[i].alike)
                c.event[i].counters = 0;
            if (r / 54 % 2 && i > 32 && i + 1 < count) {
                c.event[i + 1] = c.event[i];
                events[i].alike = events[i + 1].alike = (uint32_t)i;
            }
        }
        const struct rc_groups_setup setup = {.fits = counters_trial, .context = &c};
        struct rc_groups groups = find(events, count, &setup);
        check_places(&groups, events, count);
        check_fits(&groups, &c);
        assert_int_equal(groups.statistics.trials, c.calls);
        assert_int_equal(groups.statistics.repaired, 0);
        rc_groups_fini(&groups);
        free(events);
        counters_free(&c);
    }
}

/* By brute force that is known; the odd set may need one more. */
static void small_sets_get_the_fewest_groups(void **state)
{
    uint64_t seed = 7;
    size_t above = 0;

    (void)state;
    for (size_t run = 0; run < 2000; run++) {
        struct counters c;
        counters_make(&c, 1 + run % 12, 2 + (unsigned)(run / 12 % 4),
                      (unsigned)(run / 48 % 3), (unsigned)(run % 5 * 12), &seed);
        counters_narrow(&c, (unsigned)(run % 7 * 13), 2 + (unsigned)(run / 12 % 4),
                        &seed);
        struct rc_group_event *events = plain(c.count);
        const struct rc_groups_setup setup = {.fits = counters_trial, .context = &c};
        struct rc_groups groups = find(events, c.count, &setup);
        check_places(&groups, events, c.count);
        check_fits(&groups, &c);
        size_t more = groups.count - counters_fewest(&c);
        assert_true(more <= 1);
        above += more;
        rc_groups_fini(&groups);
        free(events);
        counters_free(&c);
    }
    assert_true(above <= 4);
}

static void never_more_groups_than_first_fit(void **state)
{
    uint64_t seed = 11;

    (void)state;
    for (size_t run = 0; run < 100; run++) {
        struct counters c;
        counters_make(&c, 1 + counters_random(&seed) % 200, 2 + (unsigned)(run % 7),
                      (unsigned)(run % 4), (unsigned)(run % 3 * 15), &seed);
        counters_narrow(&c, (unsigned)(run % 4 * 25), 2 + (unsigned)(run % 7), &seed);
        struct rc_group_event *events = plain(c.count);
        const struct rc_groups_setup setup = {.fits = counters_trial, .context = &c};
        struct rc_groups groups = find(events, c.count, &setup);
        check_fits(&groups, &c);
        assert_true(groups.count <= counters_first_fit(&c, false));
        rc_groups_fini(&groups);
        free(events);
        counters_free(&c);
    }
}

/* Each event alike to its neighbours: 'classes' runs of equal events. */
static struct rc_group_event *in_classes(struct counters *c, size_t count,
                                         size_t classes, bool known, uint64_t *seed)
{
    struct rc_group_event *events = plain(count);
    struct counted *event = calloc(count, sizeof *event);

    counters_make(c, classes, 6, 0, 0, seed);
    counters_narrow(c, 60, 6, seed);
    for (size_t i = 0; i < count; i++) {
        event[i] = c->event[i * classes / count];
        if (known)
            events[i].alike = (uint32_t)(1 + i * classes / count);
    }
    free(c->event);
    c->event = event;
    c->count = count;
    return events;
}

static void many_events_known_to_be_alike_take_few_trials_and_groups(void **state)
{
    uint64_t seed = 31;

    (void)state;
    for (size_t classes = 10; classes <= 640; classes *= 4) {
        struct counters c;
        struct rc_group_event *events = in_classes(&c, 40000, classes, true, &seed);
        const struct rc_groups_setup setup = {.fits = counters_trial, .context = &c};
        struct rc_groups groups = find(events, c.count, &setup);
        check_places(&groups, events, c.count);
        check_fits(&groups, &c);
        assert_true(groups.count <= counters_bound(&c) + counters_bound(&c) / 10);
        assert_true(c.calls < groups.count + 400 * classes + 10000);
        rc_groups_fini(&groups);
        free(events);
        counters_free(&c);
    }
}

static void
events_of_which_nothing_is_known_do_not_need_trials_by_the_group(void **state)
{
    uint64_t seed = 37;

    (void)state;
    for (size_t run = 0; run < 3; run++) {
        struct counters c;
        struct rc_group_event *events = in_classes(&c, 3000, 200, false, &seed);
        const struct rc_groups_setup setup = {.fits = counters_trial, .context = &c};
        struct rc_groups groups = find(events, c.count, &setup);
        check_places(&groups, events, c.count);
        check_fits(&groups, &c);
        assert_true(groups.count <= counters_first_fit(&c, true));
        assert_true(groups.count <= counters_bound(&c) + counters_bound(&c) / 10);
        assert_true(c.calls < 50 * c.count + groups.count);
        rc_groups_fini(&groups);
        free(events);
        counters_free(&c);
    }
}

static void a_small_budget_of_trials_still_places_every_event(void **state)
{
    uint64_t seed = 41;

    (void)state;
    for (uint64_t trials = 1; trials < 100000; trials *= 5) {
        struct counters c;
        struct rc_group_event *events =
            in_classes(&c, 900, 300, trials % 3 == 1, &seed);
        const struct rc_groups_setup setup = {
            .fits = counters_trial, .context = &c, .trials = trials};
        struct rc_groups groups = find(events, c.count, &setup);
        check_places(&groups, events, c.count);
        check_fits(&groups, &c);
        assert_true(groups.count <= counters_first_fit(&c, true));
        assert_true(c.calls <= 4 * c.count + trials + 2 * groups.count);
        rc_groups_fini(&groups);
        free(events);
        counters_free(&c);
    }
}

static void no_group_is_larger_than_the_cap(void **state)
{
    struct counters c;
    uint64_t seed = 3;

    (void)state;
    counters_make(&c, 40, 6, 0, 0, &seed);
    struct rc_group_event *events = plain(40);
    struct rc_groups groups = find(
        events, 40,
        &(struct rc_groups_setup){.fits = counters_trial,
                                  .context = &c,
                                  .cap = 2,
                                  .reference = &(struct rc_group_event){.event = 0}});
    check_places(&groups, events, 40);
    assert_int_equal(groups.statistics.largest, 2);
    for (size_t g = 0; g < groups.count; g++)
        assert_true(groups.group[g].count <= 2);
    rc_groups_fini(&groups);
    free(events);
    counters_free(&c);
}

static void equal_input_gives_equal_groups(void **state)
{
    struct counters c;
    uint64_t seed = 5;

    (void)state;
    counters_make(&c, 150, 4, 2, 10, &seed);
    struct rc_group_event *events = plain(150);
    const struct rc_groups_setup setup = {.fits = counters_trial, .context = &c};
    struct rc_groups a = find(events, 150, &setup), b = find(events, 150, &setup);
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.statistics.trials, b.statistics.trials);
    for (size_t g = 0; g < a.count; g++) {
        assert_int_equal(a.group[g].count, b.group[g].count);
        assert_memory_equal(a.group[g].events, b.group[g].events,
                            a.group[g].count * sizeof(uint32_t));
    }
    rc_groups_fini(&a);
    rc_groups_fini(&b);
    free(events);
    counters_free(&c);
}

/* Two general counters and a fixed one that only event 0 may use. */
static void the_reference_joins_where_it_fits_and_splits_nothing(void **state)
{
    struct counted event[] = {{.counters = 4}, {.counters = 3}, {.counters = 3},
                              {.counters = 3}, {.counters = 4}, {.counters = 3}};
    struct counters c = {.event = event, .count = 6, .counters = 3};
    struct rc_group_event events[] = {{.event = 1},
                                      {.event = 2},
                                      {.event = 3},
                                      {.event = 4},
                                      {.event = 5, .scope = RC_SCOPE_L3}};
    const struct rc_group_event reference = {.event = 0};
    struct rc_groups groups =
        find(events, 5,
             &(struct rc_groups_setup){
                 .fits = counters_trial, .context = &c, .reference = &reference});

    (void)state;
    check_places(&groups, events, 5);
    check_fits(&groups, &c);
    assert_int_equal(groups.count, 3);
    for (size_t g = 0; g < 3; g++) {
        const struct rc_group *group = &groups.group[g];
        bool has_4 = false;
        for (size_t i = 0; i < group->own; i++)
            has_4 |= group->events[i] == 4;
        assert_int_equal(group->reference, group->scope == RC_SCOPE_CORE && !has_4);
        if (group->reference)
            assert_int_equal(group->events[group->own], 0);
    }
    assert_int_equal(groups.statistics.with_reference, 1);
    rc_groups_fini(&groups);
}

static void a_reference_that_is_an_event_itself_is_not_added_twice(void **state)
{
    struct counted event[] = {{.counters = 3}, {.counters = 3}, {.counters = 3}};
    struct counters c = {.event = event, .count = 3, .counters = 2};
    struct rc_group_event *events = plain(3);
    struct rc_groups groups =
        find(events, 3,
             &(struct rc_groups_setup){
                 .fits = counters_trial, .context = &c, .reference = &events[0]});

    (void)state;
    check_places(&groups, events, 3);
    assert_int_equal(groups.count, 2);
    for (size_t g = 0; g < 2; g++)
        assert_true(groups.group[g].reference);
    rc_groups_fini(&groups);
    free(events);
}

/* Answers that follow no rule at all. */
struct liar {
    uint64_t seed;
    unsigned yes; /* in how many of 100 trials */
    uint64_t calls;
};

static void lie(void *context, const uint32_t *events, size_t count,
                struct rc_trial *out)
{
    struct liar *liar = context;

    (void)events;
    (void)count;
    liar->calls++;
    out->verdict = counters_random(&liar->seed) % 100 < liar->yes
                       ? RC_VERDICT_OK
                       : RC_VERDICT_CANNOT_SCHEDULE;
}

static void a_lying_oracle_loses_no_event_and_ends(void **state)
{
    static const unsigned yes[] = {0, 1, 10, 50, 90, 99, 100};

    (void)state;
    for (size_t run = 0; run < 140; run++) {
        struct liar liar = {.seed = run + 1, .yes = yes[run % 7]};
        size_t count = 1 + run * 7 % 600;
        struct rc_group_event *events = plain(count);
        for (size_t i = 0; i < count && run % 2; i++)
            events[i].alike = (uint32_t)(i % 5);
        struct rc_groups groups =
            find(events, count,
                 &(struct rc_groups_setup){.fits = lie,
                                           .context = &liar,
                                           .any_number = run % 3 == 0,
                                           .reference = run % 5 ? NULL : &events[0]});
        check_places(&groups, events, count);
        assert_true(liar.calls < 65536 + 30 * count);
        rc_groups_fini(&groups);
        free(events);
    }
}

/* Counters that fail now and then, as when somebody else takes one. */
struct flaky {
    struct counters counters;
    uint64_t seed;
    unsigned fails; /* in how many of 1000 trials */
};

static void flaky_trial(void *context, const uint32_t *events, size_t count,
                        struct rc_trial *out)
{
    struct flaky *flaky = context;

    counters_trial(&flaky->counters, events, count, out);
    if (counters_random(&flaky->seed) % 1000 < flaky->fails)
        out->verdict = RC_VERDICT_CANNOT_SCHEDULE;
}

static void a_flaky_oracle_still_gives_groups_that_fit(void **state)
{
    (void)state;
    for (size_t run = 0; run < 60; run++) {
        struct flaky flaky = {.seed = run + 1, .fails = 1 + (unsigned)run % 50};
        uint64_t seed = run + 100;
        counters_make(&flaky.counters, run * 3, 4, 1, 10, &seed);
        struct rc_group_event *events = plain(run * 3);
        struct rc_groups groups =
            find(events, run * 3,
                 &(struct rc_groups_setup){.fits = flaky_trial, .context = &flaky});
        check_places(&groups, events, run * 3);
        for (size_t g = 0; g < groups.count; g++)
            assert_true(counters_fit(&flaky.counters, groups.group[g].events,
                                     groups.group[g].count));
        rc_groups_fini(&groups);
        free(events);
        counters_free(&flaky.counters);
    }
}

/* The source says of all events that they are alike; they are not. */
static void a_wrong_alike_costs_groups_but_no_events(void **state)
{
    struct counters c;
    uint64_t seed = 21;

    (void)state;
    counters_make(&c, 300, 4, 0, 20, &seed);
    struct rc_group_event *events = plain(300);
    for (size_t i = 0; i < 300; i++)
        events[i].alike = 1;
    const struct rc_groups_setup setup = {.fits = counters_trial, .context = &c};
    struct rc_groups groups = find(events, 300, &setup);
    check_places(&groups, events, 300);
    check_fits(&groups, &c);
    assert_true(groups.statistics.repaired > 0);
    rc_groups_fini(&groups);
    free(events);
    counters_free(&c);
}

/* A source of which only trial() is there: its state is a struct counters. */
static void fake_trial(struct rc_source_state *state, const uint32_t *events,
                       size_t count, struct rc_trial *out)
{
    counters_trial((struct counters *)(void *)state, events, count, out);
}

static void a_source_is_asked_through_its_trial(void **state)
{
    const struct rc_source source = {.name = "fake", .trial = fake_trial};
    struct rc_error err = {0};
    struct rc_groups groups;
    struct counters c;
    uint64_t seed = 9;

    (void)state;
    counters_make(&c, 50, 4, 0, 0, &seed);
    struct rc_group_event *events = plain(50);
    assert_int_equal(rc_groups_of_source(&source, (struct rc_source_state *)(void *)&c,
                                         events, 50, &(struct rc_groups_setup){0},
                                         &groups, &err),
                     RC_OK);
    check_places(&groups, events, 50);
    check_fits(&groups, &c);
    assert_true(c.calls > 0);
    rc_groups_fini(&groups);
    free(events);
    counters_free(&c);
}

static void yes_to_all(struct rc_source_state *state, const uint32_t *events,
                       size_t count, struct rc_trial *out)
{
    (void)events;
    (void)count;
    ++*(unsigned *)(void *)state;
    out->verdict = RC_VERDICT_OK;
}

static void any_number_means_one_group_and_trial_for_each_scope_and_domain(void **state)
{
    const struct rc_source source = {
        .name = "fake", .any_number = true, .trial = yes_to_all};
    struct rc_error err = {0};
    struct rc_groups groups;
    unsigned calls = 0;

    (void)state;
    struct rc_group_event *events = plain(1000);
    for (size_t i = 0; i < 1000; i++) {
        events[i].scope = i % 2 ? RC_SCOPE_CORE : RC_SCOPE_NUMA;
        events[i].domain = i % 3 == 0;
    }
    assert_int_equal(
        rc_groups_of_source(&source, (struct rc_source_state *)(void *)&calls, events,
                            1000, &(struct rc_groups_setup){0}, &groups, &err),
        RC_OK);
    check_places(&groups, events, 1000);
    assert_int_equal(groups.count, 4);
    assert_int_equal(calls, 4);
    rc_groups_fini(&groups);
    free(events);
}

/* Sets that are known to fill so many groups to the last counter: each event may use
 * the counter that it was given there, and some others by chance.
 */
static void random_sets_get_at_most_a_tenth_more_groups_than_they_need(void **state)
{
    uint64_t seed = 20;
    size_t needed = 0, made = 0, over = 0;

    (void)state;
    for (size_t set = 0; set < 1000; set++) {
        struct counters c = {.counters = 2 + (unsigned)(counters_random(&seed) % 7)};
        const size_t fewest = 2 + counters_random(&seed) % 19;
        c.count = fewest * c.counters;
        c.event = calloc(c.count, sizeof *c.event);
        for (size_t i = 0; i < c.count; i++) {
            c.event[i].counters = (uint16_t)(1u << (i % c.counters));
            for (unsigned k = 0; k < c.counters; k++)
                if (counters_random(&seed) % 10 < set % 4)
                    c.event[i].counters |= (uint16_t)(1u << k);
        }
        for (size_t i = c.count; i-- > 1;) {
            const size_t j = counters_random(&seed) % (i + 1);
            const struct counted swap = c.event[i];
            c.event[i] = c.event[j];
            c.event[j] = swap;
        }
        struct rc_group_event *events = plain(c.count);
        const struct rc_groups_setup setup = {.fits = counters_trial, .context = &c};
        struct rc_groups groups = find(events, c.count, &setup);
        check_places(&groups, events, c.count);
        assert_true(groups.count >= fewest && groups.unfit_count == 0);
        needed += fewest;
        made += groups.count;
        over += groups.count * 10 > fewest * 11;
        rc_groups_fini(&groups);
        free(events);
        free(c.event);
    }
    print_message("1000 sets: %zu groups, %zu needed; %zu sets over a tenth more\n",
                  made, needed, over);
    assert_int_equal(over, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_refused_with_one_line),
        cmocka_unit_test(no_events_give_no_groups),
        cmocka_unit_test(one_event_is_a_group),
        cmocka_unit_test(events_that_fit_nowhere_are_reported_with_their_own_reason),
        cmocka_unit_test(every_event_is_in_one_group_that_fits_or_is_reported),
        cmocka_unit_test(small_sets_get_the_fewest_groups),
        cmocka_unit_test(never_more_groups_than_first_fit),
        cmocka_unit_test(many_events_known_to_be_alike_take_few_trials_and_groups),
        cmocka_unit_test(
            events_of_which_nothing_is_known_do_not_need_trials_by_the_group),
        cmocka_unit_test(a_small_budget_of_trials_still_places_every_event),
        cmocka_unit_test(no_group_is_larger_than_the_cap),
        cmocka_unit_test(equal_input_gives_equal_groups),
        cmocka_unit_test(the_reference_joins_where_it_fits_and_splits_nothing),
        cmocka_unit_test(a_reference_that_is_an_event_itself_is_not_added_twice),
        cmocka_unit_test(a_lying_oracle_loses_no_event_and_ends),
        cmocka_unit_test(a_flaky_oracle_still_gives_groups_that_fit),
        cmocka_unit_test(a_wrong_alike_costs_groups_but_no_events),
        cmocka_unit_test(a_source_is_asked_through_its_trial),
        cmocka_unit_test(random_sets_get_at_most_a_tenth_more_groups_than_they_need),
        cmocka_unit_test(
            any_number_means_one_group_and_trial_for_each_scope_and_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
