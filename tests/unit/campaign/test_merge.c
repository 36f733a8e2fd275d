#include "tests/lib/test.h"

#include "campaign/base/text.h"
#include "campaign/merge/merge.h"
#include "campaign/records/campaign.h"
#include "tests/lib/record_lib.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct rc_error err;
static char work[64], before[4096];
static char said[8192]; /* the lines of the last merge */

enum { MOST = 8 };

/* A campaign on the sample kind: each group is a list of events, its own first. */
struct group {
    uint32_t event[MOST];
    size_t count, own;
};
struct campaign {
    const char *dir, *id, *spec;
    struct group group[MOST];
    size_t groups;
    uint32_t first, repetitions;      /* values are those of repetitions first .. */
    enum rc_unit_status status[MOST]; /* by group; 0: not measured */
    int64_t scale;                    /* of values, 0: 1 */
    void (*change)(struct rc_record_kind *kind, struct rc_record_source *source,
                   struct rc_record_event *event, struct rc_record_suite *suite);
};

static int64_t value_of(uint32_t event, uint32_t repetition, size_t point)
{
    return (int64_t)(event * 1000 + repetition * 10 + point);
}

static void append(struct rc_journal *journal, uint32_t type, int status,
                   struct rc_bytes *bytes)
{
    if (status != RC_OK ||
        rc_journal_append(journal, type, bytes->byte, bytes->count, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void put_unit(struct rc_journal *journal, const struct campaign *c, uint32_t g)
{
    const struct group *group = &c->group[g];
    struct sample_unit s;
    struct rc_bytes bytes = {0};

    sample_fill(&s, 0, 0, c->repetitions, 1);
    s.unit.group = g;
    s.unit.node = "";
    s.unit.status = c->status[g];
    s.unit.reason = c->status[g] == RC_UNIT_OK ? "" : "it failed";
    s.unit.events = (uint32_t)group->count;
    s.unit.repetitions = c->status[g] == RC_UNIT_FAILED ? 0 : c->repetitions;
    for (uint32_t e = 0; e < group->count; e++)
        for (uint32_t r = 0; r < s.unit.repetitions; r++) {
            const size_t row = e * s.unit.repetitions + r;
            s.status[row] =
                c->status[g] == RC_UNIT_OK ? RC_READING_OK : RC_READING_MULTIPLEXED;
            for (size_t p = 0; p < SAMPLE_POINTS; p++)
                s.values[row * SAMPLE_POINTS + p] =
                    (c->scale ? c->scale : 1) *
                    value_of(group->event[e], c->first + r, p);
        }
    append(journal, RC_RECORD_UNIT,
           rc_record_put_unit(&s.unit, &s.readings, &bytes, &err), &bytes);
    rc_bytes_fini(&bytes);
}

static void put_campaign(struct rc_journal *journal, const struct campaign *c)
{
    struct rc_record_campaign record = {.spec = c->spec ? c->spec : "suites: [flops]\n",
                                        .created_by = "rollcall test",
                                        .unix_time = 12345};
    struct rc_record_kind kind = sample_kind;
    struct rc_record_source source[2] = {sample_sources[0], sample_sources[1]};
    struct rc_record_event event[SAMPLE_EVENTS];
    struct rc_record_suite suite = sample_suite("flops");
    struct rc_record_group groups[MOST];
    struct rc_bytes bytes = {0};

    memcpy(event, sample_events, sizeof event);
    kind.source = source;
    if (c->change)
        c->change(&kind, source, event, &suite);
    const uint64_t id = rc_record_kind_id(kind.key);
    for (size_t g = 0; g < c->groups; g++)
        groups[g] =
            (struct rc_record_group){.source = event[c->group[g].event[0]].source,
                                     .event = c->group[g].event,
                                     .count = c->group[g].count,
                                     .own = c->group[g].own};
    append(journal, RC_RECORD_CAMPAIGN,
           rc_record_put(RC_RECORD_CAMPAIGN, &record, &bytes, &err), &bytes);
    append(journal, RC_RECORD_KIND, rc_record_put(RC_RECORD_KIND, &kind, &bytes, &err),
           &bytes);
    append(
        journal, RC_RECORD_EVENTS,
        rc_record_put_list(RC_RECORD_EVENTS, id, 0, event, SAMPLE_EVENTS, &bytes, &err),
        &bytes);
    append(journal, RC_RECORD_SUITE,
           rc_record_put_list(RC_RECORD_SUITE, id, 0, &suite, 1, &bytes, &err), &bytes);
    append(journal, RC_RECORD_GROUPS,
           rc_record_put_list(RC_RECORD_GROUPS, id, 0, groups, c->groups, &bytes, &err),
           &bytes);
    rc_bytes_fini(&bytes);
}

static void make(const struct campaign *c)
{
    struct rc_journal_setting setting = {.dir = c->dir, .node = "n1", .sync_ms = -1};
    struct rc_journal *journal;

    memcpy(setting.campaign.byte, c->id, strlen(c->id));
    assert_int_equal(mkdir(c->dir, 0777), 0);
    assert_int_equal(rc_journal_open(&setting, &journal, &err), RC_OK);
    put_campaign(journal, c);
    for (uint32_t g = 0; g < c->groups; g++)
        if (c->status[g])
            put_unit(journal, c, g);
    assert_int_equal(rc_journal_close(journal, &err), RC_OK);
}

static void hear(void *arg, const char *line)
{
    char printable[2048];

    (void)arg;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n",
             rc_text_printable(printable, sizeof printable, line));
}

static int merge(enum rc_operation operation, const char *a, const char *b)
{
    const char *const operand[] = {a, b};
    const struct rc_merge_job job = {.operation = operation,
                                     .dir = "out",
                                     .operand = operand,
                                     .operand_count = 2,
                                     .say = hear};
    struct rc_merge_result result;

    said[0] = 0;
    err = (struct rc_error){.rank = -1};
    return rc_merge(&job, &result, &err);
}

static struct rc_campaign *result_of(int status)
{
    struct rc_campaign *h = NULL;

    if (status != RC_OK || rc_campaign_read(MPI_COMM_NULL, "out", &h, &err) != RC_OK)
        fail_msg("%s: %s", err.text, said);
    return h;
}

/* References have higher numbers in a result than all other events. */
static uint32_t number_of(const struct rc_campaign *h, uint32_t event)
{
    uint32_t number = 0;

    while (strcmp(h->kind[0].event[number].name, sample_events[event].name) != 0)
        number++;
    return number;
}

/* The number of repetitions in the event's own group; the readings are in 'out'. */
static uint32_t read_event(const struct rc_campaign *h, uint32_t event,
                           struct rc_record_unit *unit, struct rc_record_readings *out)
{
    for (size_t i = 0; i < h->unit_count; i++) {
        const struct rc_campaign_unit *u = &h->unit[i];
        const struct rc_record_group *group = &h->kind[0].group[u->group];
        for (uint32_t e = 0; e < group->own; e++) {
            if (group->event[e] != number_of(h, event))
                continue;
            struct rc_journal_record record = {.type = RC_RECORD_UNIT,
                                               .sequence = u->sequence,
                                               .offset = u->offset,
                                               .bytes = u->bytes};
            void *room = malloc(u->bytes + RC_JOURNAL_AROUND);
            const char *path = h->file[u->file].path;
            int fd = open(path, O_RDONLY);
            assert_non_null(room);
            assert_int_equal(
                rc_journal_get(fd, path, &h->campaign, &record, room, &err), RC_OK);
            assert_int_equal(
                rc_record_get_unit(record.payload, record.bytes, unit, &err), RC_OK);
            assert_int_equal(
                rc_record_get_event(record.payload, record.bytes, e, out, &err), RC_OK);
            unit->place = unit->node = unit->reason = NULL; /* they go with the room */
            close(fd);
            free(room);
            return u->repetitions;
        }
    }
    return 0;
}

static int64_t values[64 * SAMPLE_POINTS];
static uint64_t enabled[64], running[64];
static uint8_t status_of[64];
static struct rc_record_readings readings = {values, enabled, running, status_of};
static struct rc_record_unit unit;

/* The event has repetitions 0 .. count - 1, times 'scale'. */
static void assert_has(const struct rc_campaign *h, uint32_t event, uint32_t count,
                       int64_t scale)
{
    assert_int_equal(read_event(h, event, &unit, &readings), count);
    for (uint32_t r = 0; r < count; r++)
        for (size_t p = 0; p < SAMPLE_POINTS; p++)
            if (values[r * SAMPLE_POINTS + p] != scale * value_of(event, r, p))
                fail_msg("event %u, repetition %u, point %zu: %" PRId64, event, r, p,
                         values[r * SAMPLE_POINTS + p]);
}

static int enter(void **state)
{
    (void)state;
    if (!getcwd(before, sizeof before))
        return -1;
    snprintf(work, sizeof work, "/tmp/rollcall-merge-XXXXXX");
    return mkdtemp(work) && chdir(work) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", work);
    return chdir(before) == 0 && system(command) == 0 ? 0 : -1;
}

#define ALL_OK                                                                         \
    {                                                                                  \
        RC_UNIT_OK, RC_UNIT_OK, RC_UNIT_OK, RC_UNIT_OK                                 \
    }

/* Events 0 and 1 together, 2 and 4 alone; event 3 is a reference. */
static const struct campaign pair = {
    .dir = "a",
    .id = "A",
    .group = {{{0, 1, 3}, 3, 2}, {{2, 3}, 2, 1}, {{4}, 1, 1}},
    .groups = 3,
    .repetitions = 2,
    .status = ALL_OK,
};

static struct campaign copy_of(const struct campaign *c, const char *dir,
                               const char *id)
{
    struct campaign copy = *c;

    copy.dir = dir;
    copy.id = id;
    return copy;
}

static int64_t other_axis[2] = {0, 5};
static struct rc_record_point other_points[SAMPLE_POINTS];
static double other_basis[SAMPLE_POINTS][2];
static uint64_t other_iterations[2][SAMPLE_POINTS];

#define CHANGE(name)                                                                   \
    static void name(struct rc_record_kind *kind, struct rc_record_source *source,     \
                     struct rc_record_event *event, struct rc_record_suite *suite)

CHANGE(label)
{
    (void)kind, (void)event, (void)suite;
    source[0].label = "measured";
}
CHANGE(counters)
{
    (void)kind, (void)event, (void)suite;
    source[1].counter_set = "others";
}
CHANGE(deterministic)
{
    (void)kind, (void)event, (void)suite;
    source[1].deterministic = false;
}
CHANGE(key)
{
    (void)source, (void)event, (void)suite;
    kind->key = "another key";
}
CHANGE(scope)
{
    (void)kind, (void)source, (void)suite;
    event[1].scope = RC_SCOPE_L2;
}
CHANGE(real)
{
    (void)kind, (void)source, (void)suite;
    event[0].simulated = false;
}
CHANGE(fewer)
{
    (void)kind, (void)source, (void)event;
    suite->point_count = suite->bound_rows = 2;
}
CHANGE(point)
{
    (void)kind, (void)source, (void)event;
    memcpy(other_points, sample_points, sizeof other_points);
    other_points[1].name = "another";
    suite->point = other_points;
}
CHANGE(axis)
{
    (void)kind, (void)source, (void)event;
    memcpy(other_points, sample_points, sizeof other_points);
    other_points[2].axis = other_axis;
    suite->point = other_points;
}
CHANGE(basis)
{
    (void)kind, (void)source, (void)event;
    memcpy(other_basis, sample_basis, sizeof other_basis);
    other_basis[0][0] = 0.25;
    suite->basis = other_basis[0];
}
CHANGE(bounds)
{
    (void)kind, (void)source, (void)event;
    memcpy(other_basis, sample_high, sizeof other_basis);
    other_basis[0][1] = 8;
    suite->high = other_basis[0];
}
CHANGE(no_bounds)
{
    (void)kind, (void)source, (void)event;
    suite->bound_rows = 0;
}
CHANGE(iterations)
{
    (void)kind, (void)source, (void)event;
    memcpy(other_iterations, sample_iterations, sizeof other_iterations);
    other_iterations[0][2] = 4;
    suite->iterations = other_iterations[0];
}

static void conflicts_are_named_and_nothing_is_written(void **state)
{
    static const struct {
        void (*change)(struct rc_record_kind *, struct rc_record_source *,
                       struct rc_record_event *, struct rc_record_suite *);
        const char *spec, *line;
    } bad[] = {
        {label, NULL, "source 'model': it is 'simulated' in 'a', 'measured' in 'b'"},
        {counters, NULL, "source 'soft': its counters are '' in 'a', 'others' in 'b'"},
        {deterministic, NULL,
         "source 'soft': it is deterministic and not simulated in 'a', unlike in "
         "'b'"},
        {key, NULL, "is one machine in 'a', another in 'b'"},
        {scope, NULL, "event 'E1': its scope is package in 'a', l2 in 'b'"},
        {real, NULL, "it is simulated in 'a', unlike in 'b'"},
        {fewer, NULL, "suite 'flops': it has 3 points in 'a', 2 in 'b'"},
        {point, NULL, "suite 'flops': its point 1 is 'p?' in 'a', 'another' in 'b'"},
        {axis, NULL, "suite 'flops': other parameters of points in 'a' than in 'b'"},
        {basis, NULL,
         "suite 'flops': other expected counts (basis) in 'a' than in 'b'"},
        {bounds, NULL,
         "suite 'flops': other expected counts (basis) in 'a' than in 'b'"},
        {no_bounds, NULL,
         "suite 'flops': other expected counts (basis) in 'a' than in 'b'"},
        {iterations, NULL,
         "suite 'flops', source 'model': point '' has 3 iterations in 'a', 4 in 'b'"},
        {NULL, "seed: 7\n", "the seed of the model is 1 in 'a', 7 in 'b'"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct campaign b = copy_of(&pair, "b", "B");
        assert_int_equal(leave(state) | enter(state), 0);
        make(&pair);
        b.change = bad[i].change;
        b.spec = bad[i].spec;
        memset(b.status, 0, sizeof b.status);
        make(&b);
        assert_int_equal(merge(RC_OPERATION_MERGE, "a", "b"), RC_ECONFLICT);
        if (!strstr(said, bad[i].line))
            fail_msg("expected '%s', found '%s'", bad[i].line, said);
        assert_non_null(strstr(err.text, "1 conflict; nothing is written"));
        assert_int_equal(access("out", F_OK), -1);
    }
}

static void repetitions_of_other_campaigns_stand_behind(void **state)
{
    struct campaign b = copy_of(&pair, "b", "B");

    (void)state;
    b.first = 2;
    b.repetitions = 3;
    make(&pair);
    make(&b);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_MERGE, "a", "b"));
    assert_int_equal(h->kind[0].group_count, 3);
    assert_int_equal(h->kind[0].group[0].count, 3);
    assert_int_equal(h->unit_count, 3);
    for (uint32_t e = 0; e < SAMPLE_EVENTS; e++)
        if (e != 3)
            assert_has(h, e, 5, 1);
    assert_int_equal(unit.wall_ns, 2 * (1000000 + 1));
    assert_int_equal(h->unit[0].begin_ns, UINT64_C(1763726400000000001));
    assert_int_equal(h->origin_count, 1);
    assert_int_equal(h->origin[0].operation, RC_OPERATION_MERGE);
    assert_string_equal(h->origin[0].operand[1].directory, "b");
    assert_true(h->campaign.byte[0] != 'A' || h->campaign.byte[1] != 0);
    rc_campaign_close(h);
}

static void groups_are_what_is_together_in_all_campaigns(void **state)
{
    static const struct campaign other = {
        .dir = "b",
        .id = "B",
        .group = {{{2}, 1, 1}, {{1, 2, 3}, 3, 1}, {{3, 0}, 2, 2}},
        .groups = 3,
        .first = 2,
        .repetitions = 1,
        .status = ALL_OK,
    };

    (void)state;
    make(&pair);
    make(&other);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_MERGE, "a", "b"));
    assert_int_equal(h->kind[0].group_count, 5);
    for (size_t g = 0; g < 5; g++)
        assert_int_equal(h->kind[0].group[g].own, 1);
    assert_has(h, 0, 3, 1);
    assert_int_equal(unit.wall_ns, (1000001 / 2) + 1000001 / 2);
    assert_has(h, 1, 3, 1);
    assert_has(h, 2, 3, 1);
    assert_has(h, 4, 2, 1);
    assert_int_equal(read_event(h, 3, &unit, &readings), 1);
    assert_int_equal(values[0], value_of(3, 2, 0));
    rc_campaign_close(h);
}

/* As in a campaign that was extended with fewer events: 1 is in a new group. */
static void copies_keep_groups_that_share_an_event(void **state)
{
    static const struct campaign extended = {
        .dir = "a",
        .id = "A",
        .group = {{{0, 1}, 2, 2}, {{1, 2, 3}, 3, 2}},
        .groups = 2,
        .repetitions = 2,
        .status = ALL_OK,
    };
    struct campaign b = copy_of(&extended, "b", "A");

    (void)state;
    b.groups = 1;
    make(&extended);
    make(&b);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_MERGE, "b", "a"));
    assert_int_equal(h->kind[0].group_count, 2);
    assert_int_equal(h->kind[0].group[0].own, 2);
    assert_int_equal(h->kind[0].group[1].own, 2);
    assert_int_equal(h->kind[0].group[1].count, 3);
    assert_int_equal(h->unit_count, 2);
    for (uint32_t e = 0; e < 3; e++)
        assert_has(h, e, 2, 1);
    rc_campaign_close(h);
}

static void the_best_unit_of_copies_of_one_campaign_counts_once(void **state)
{
    struct campaign b = copy_of(&pair, "b", "A");

    (void)state;
    b.first = 7;
    b.status[1] = RC_UNIT_INVALID;
    b.status[2] = 0;
    struct campaign a = pair;
    a.status[0] = RC_UNIT_FAILED;
    make(&a);
    make(&b);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_MERGE, "a", "b"));
    assert_int_equal(h->campaign.byte[0], 'A');
    assert_int_equal(h->campaign.byte[1], 0);
    assert_int_equal(h->unit_count, 3);
    assert_int_equal(read_event(h, 0, &unit, &readings), 2);
    assert_int_equal(values[0], value_of(0, 7, 0));
    assert_has(h, 2, 2, 1);
    assert_has(h, 4, 2, 1);
    rc_campaign_close(h);
}

static void a_better_result_of_another_campaign_takes_the_place(void **state)
{
    struct campaign b = copy_of(&pair, "b", "B");

    (void)state;
    b.first = 2;
    b.status[0] = RC_UNIT_INVALID;
    b.status[1] = RC_UNIT_FAILED;
    b.status[2] = RC_UNIT_FAILED;
    struct campaign a = pair;
    a.status[2] = RC_UNIT_FAILED;
    make(&a);
    make(&b);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_MERGE, "b", "a"));
    assert_non_null(strstr(said, "2 units are left out, since another campaign has a "
                                 "better result"));
    assert_has(h, 0, 2, 1);
    assert_has(h, 2, 2, 1);
    assert_int_equal(read_event(h, 4, &unit, &readings), 0);
    assert_int_equal(unit.status, RC_UNIT_FAILED);
    assert_int_equal(h->unit[2].status, RC_UNIT_FAILED);
    rc_campaign_close(h);
}

CHANGE(refused)
{
    (void)kind, (void)source, (void)suite;
    event[1].verdict = RC_VERDICT_NOT_PERMITTED;
    event[1].reason = "no right";
    event[1].scope = RC_SCOPE_CORE;
}

static void the_better_verdict_of_an_event_is_taken_and_said(void **state)
{
    static const struct campaign without = {
        .dir = "b",
        .id = "B",
        .group = {{{0}, 1, 1}},
        .groups = 1,
        .first = 2,
        .repetitions = 1,
        .status = ALL_OK,
        .change = refused,
    };

    (void)state;
    make(&pair);
    make(&without);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_MERGE, "b", "a"));
    assert_non_null(strstr(said,
                           "1 event has another verdict in one campaign than in "
                           "another, and the better one is taken: the first, 'E1' "
                           "is '"));
    assert_int_equal(h->kind[0].event[1].verdict, RC_VERDICT_OK);
    assert_int_equal(h->kind[0].event[1].scope, RC_SCOPE_PACKAGE);
    assert_string_equal(h->kind[0].event[1].reason, "");
    assert_int_equal(read_event(h, 0, &unit, &readings), 3);
    assert_has(h, 1, 2, 1);
    rc_campaign_close(h);
}

static void readings_that_were_merged_before_are_refused(void **state)
{
    struct campaign b = copy_of(&pair, "b", "B");

    (void)state;
    make(&pair);
    make(&b);
    assert_int_equal(merge(RC_OPERATION_MERGE, "a", "b"), RC_OK);
    assert_int_equal(rename("out", "ab"), 0);
    assert_int_equal(merge(RC_OPERATION_MERGE, "ab", "a"), RC_ECONFLICT);
    assert_non_null(strstr(said, "'ab' and 'a' were merged from the same campaign"));
    assert_int_equal(merge(RC_OPERATION_MERGE, "ab", "ab"), RC_OK);
}

CHANGE(few)
{
    (void)kind, (void)source, (void)event;
    memcpy(other_iterations, sample_iterations, sizeof other_iterations);
    other_iterations[0][1] = 2;
    suite->iterations = other_iterations[0];
}
CHANGE(more)
{
    few(kind, source, event, suite);
    other_iterations[0][2] = 4;
}

static void a_mean_adds_readings_and_iterations(void **state)
{
    struct campaign b = copy_of(&pair, "b", "B");

    (void)state;
    b.repetitions = 4;
    b.scale = 3;
    b.status[1] = RC_UNIT_INVALID;
    b.status[2] = RC_UNIT_FAILED;
    b.change = more;
    struct campaign a = pair;
    a.change = few;
    make(&a);
    make(&b);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_MEAN, "a", "b"));
    assert_int_equal(h->kind[0].suite[0].iterations[2], 3 + 4);
    assert_int_equal(h->kind[0].suite[0].iterations[SAMPLE_POINTS + 1], 20 + 20);
    assert_int_equal(h->kind[0].suite[0].iterations[SAMPLE_POINTS], 0);
    assert_non_null(
        strstr(said, "1 unit is left out, not all campaigns have readings"));
    assert_non_null(strstr(said, "4 repetitions of units left out"));
    assert_has(h, 0, 2, 4);
    assert_int_equal(unit.status, RC_UNIT_OK);
    assert_has(h, 2, 2, 4);
    assert_int_equal(unit.status, RC_UNIT_INVALID);
    assert_int_equal(status_of[0], RC_READING_MULTIPLEXED);
    assert_int_equal(h->unit_count, 2);
    rc_campaign_close(h);
}

static void a_mean_has_what_is_counted_in_all_whatever_the_groups(void **state)
{
    static const struct campaign other = {
        .dir = "b",
        .id = "B",
        .group = {{{2}, 1, 1}, {{1, 2, 3}, 3, 1}, {{3, 0}, 2, 2}},
        .groups = 3,
        .repetitions = 1,
        .status = ALL_OK,
        .scale = 2,
        .change = few,
    };
    struct campaign a = pair;

    (void)state;
    a.change = few;
    make(&a);
    make(&other);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_MEAN, "a", "b"));
    assert_int_equal(h->kind[0].group_count, 3);
    for (uint32_t e = 0; e < 3; e++)
        assert_has(h, e, 1, 3);
    assert_int_equal(read_event(h, 3, &unit, &readings), 0);
    assert_int_equal(read_event(h, 4, &unit, &readings), 0);
    assert_int_equal(h->unit_count, 3);
    rc_campaign_close(h);
}

CHANGE(halved)
{
    (void)kind, (void)source, (void)event;
    for (size_t p = 0; p < SAMPLE_POINTS; p++) {
        other_iterations[0][p] = 1;
        other_iterations[1][p] = 1;
    }
    suite->iterations = other_iterations[0];
}

static void sums_beyond_64_bits_are_missing_and_said(void **state)
{
    struct campaign a = copy_of(&pair, "a", "A"), b = copy_of(&pair, "b", "B");

    (void)state;
    a.scale = b.scale = INT64_MAX / 3013; /* events 2 and 3 are beyond, twice */
    a.status[2] = b.status[2] = 0;
    a.change = b.change = halved;
    make(&a);
    make(&b);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_MEAN, "a", "b"));
    assert_non_null(strstr(said, "repetitions of events marked missing: a value is "
                                 "beyond 64 bits"));
    assert_int_equal(read_event(h, 2, &unit, &readings), 2);
    assert_int_equal(unit.status, RC_UNIT_INVALID);
    for (size_t r = 0; r < 2; r++) {
        assert_int_equal(status_of[r], RC_READING_MISSING);
        for (size_t p = 0; p < SAMPLE_POINTS; p++)
            assert_int_equal(values[r * SAMPLE_POINTS + p], INT64_MIN);
    }
    assert_int_equal(read_event(h, 0, &unit, &readings), 2);
    assert_int_equal(status_of[0], RC_READING_OK);
    assert_int_equal(values[2], 2 * (INT64_MAX / 3013) * 2);
    rc_campaign_close(h);
}

static void a_mean_needs_iterations_within_64_bits(void **state)
{
    struct campaign b = copy_of(&pair, "b", "B");

    (void)state;
    make(&pair);
    make(&b);
    assert_int_equal(merge(RC_OPERATION_MEAN, "a", "b"), RC_ECONFLICT);
    assert_non_null(strstr(said, "iterations up to 'b' are more than 2^64 together"));
}

static void a_difference_subtracts_and_expects_nothing(void **state)
{
    struct campaign b = copy_of(&pair, "b", "B");

    (void)state;
    b.scale = 3;
    make(&pair);
    make(&b);
    struct rc_campaign *h = result_of(merge(RC_OPERATION_DIFFERENCE, "a", "b"));
    assert_has(h, 0, 2, -2);
    assert_has(h, 4, 2, -2);
    for (size_t i = 0; i < SAMPLE_POINTS * 2; i++)
        assert_true(h->kind[0].suite[0].basis[i] == 0);
    assert_int_equal(h->kind[0].suite[0].bound_rows, 0);
    assert_memory_equal(h->kind[0].suite[0].iterations, sample_iterations,
                        sizeof sample_iterations);
    assert_int_equal(h->run_count, 0);
    rc_campaign_close(h);
    assert_int_equal(rename("out", "difference"), 0);
    b.dir = "c";
    b.change = iterations;
    make(&b);
    assert_int_equal(merge(RC_OPERATION_DIFFERENCE, "a", "c"), RC_ECONFLICT);
    assert_non_null(strstr(said, "point '' has 3 iterations in 'a', 4 in 'c'"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        TEST(conflicts_are_named_and_nothing_is_written),
        TEST(readings_that_were_merged_before_are_refused),
        TEST(repetitions_of_other_campaigns_stand_behind),
        TEST(groups_are_what_is_together_in_all_campaigns),
        TEST(copies_keep_groups_that_share_an_event),
        TEST(the_best_unit_of_copies_of_one_campaign_counts_once),
        TEST(a_better_result_of_another_campaign_takes_the_place),
        TEST(the_better_verdict_of_an_event_is_taken_and_said),
        TEST(a_mean_adds_readings_and_iterations),
        TEST(a_mean_has_what_is_counted_in_all_whatever_the_groups),
        TEST(sums_beyond_64_bits_are_missing_and_said),
        TEST(a_mean_needs_iterations_within_64_bits),
        TEST(a_difference_subtracts_and_expects_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
