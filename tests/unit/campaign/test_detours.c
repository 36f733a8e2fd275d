/* Detours as records and in journals, what they cost, and what held meanwhile. */
#include "tests/lib/test.h"

#include "campaign/detours/conditions.h"
#include "campaign/detours/losses.h"
#include "campaign/records/campaign.h"
#include "tests/lib/detours_lib.h"
#include "tests/lib/own_dir.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#define assert_near(is, wanted, most) assert_true(fabs((is) - (wanted)) <= (most))

static struct rc_error err;

static void put(const struct rc_noise_detours *d, struct rc_bytes *out)
{
    if (rc_record_put_detours(d, out, &err) != RC_OK)
        fail_msg("%s", err.text);
}

/* A copy of exactly the length, so that a sanitizer sees each byte too many. */
static int get_copy(const struct rc_bytes *bytes, size_t count)
{
    unsigned char *copy = calloc(count ? count : 1, 1);
    struct rc_arena arena = {0};
    struct rc_noise_detours d;

    assert_non_null(copy);
    memcpy(copy, bytes->byte, count < bytes->count ? count : bytes->count);
    err.text[0] = 0;
    const int status = rc_record_get_detours(copy, count, &arena, &d, &err);
    rc_arena_free(&arena);
    free(copy);
    return status;
}

static void records_cut_at_any_byte_or_too_long_are_refused(void **state)
{
    const struct rc_noise_detours sample = sample_detours();
    struct rc_bytes bytes = {0};

    (void)state;
    put(&sample, &bytes);
    for (size_t count = 0; count <= bytes.count + 1; count++) {
        if (count == bytes.count)
            continue;
        assert_int_equal(get_copy(&bytes, count), RC_EUSAGE);
        assert_true(strlen(err.text) > 10);
    }
    assert_int_equal(get_copy(&bytes, bytes.count), RC_OK);
    rc_bytes_fini(&bytes);
}

/* Each of these, put into a record that is good otherwise. */
static void end_too_late(struct rc_noise_detours *d)
{
    d->duration_ns--;
}
static void begin_too_late(struct rc_noise_detours *d)
{
    d->detour[1].start_ns = UINT64_MAX - 1;
}
static void overlap(struct rc_noise_detours *d)
{
    d->detour[1].start_ns--;
}
static void name_nobody(struct rc_noise_detours *d)
{
    d->who[0] = 4;
}
static void have_no_names(struct rc_noise_detours *d)
{
    d->names = 2;
}
static void descend(struct rc_noise_detours *d)
{
    d->bin[2] = d->bin[1];
}
static void have_too_many_bins(struct rc_noise_detours *d)
{
    d->bin[3] = 1920;
}
static void have_an_empty_bin(struct rc_noise_detours *d)
{
    d->bin_count[0] = 0;
}
static void count_too_many(struct rc_noise_detours *d)
{
    d->bin_count[1] = UINT64_MAX;
}
static void count_too_few(struct rc_noise_detours *d)
{
    d->gaps++;
}
static void take_no_time(struct rc_noise_detours *d)
{
    d->duration_ns = 0;
}
static void take_an_age(struct rc_noise_detours *d)
{
    d->duration_ns = UINT64_MAX;
}
static void steal_more_than_there_is(struct rc_noise_detours *d)
{
    d->stolen_ns = d->duration_ns + 1;
}
static void be_of_no_node(struct rc_noise_detours *d)
{
    d->node = "";
}
static void be_of_a_late_round(struct rc_noise_detours *d)
{
    d->round = RC_NOISE_ROUNDS_MOST;
}

static void records_that_contradict_themselves_are_refused(void **state)
{
    static const struct {
        void (*spoil)(struct rc_noise_detours *d);
        const char *why;
    } cases[] = {
        {end_too_late, "detour 2 of 1000000 ns"},
        {begin_too_late, "detour 1"},
        {overlap, "detour 1"},
        {name_nobody, "name 4 of 4"},
        {have_no_names, "expected 3 or more"},
        {descend, "expected ascending"},
        {have_too_many_bins, "below 1920"},
        {have_an_empty_bin, "expected 1 or more"},
        {count_too_many, "gaps in a bin"},
        {count_too_few, "1 gaps are in no bin"},
        {take_no_time, "a measurement of 0 ns"},
        {take_an_age, "two days at most"},
        {steal_more_than_there_is, "were stolen of"},
        {be_of_no_node, "without a name"},
        {be_of_a_late_round, "round 1000000"},
    };
    struct rc_bytes bytes = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rc_noise_detours d = sample_detours();
        uint32_t bin[4];
        uint64_t count[4];
        uint16_t who[3];
        struct rc_detour detour[3];
        memcpy(bin, d.bin, sizeof bin);
        memcpy(count, d.bin_count, sizeof count);
        memcpy(who, d.who, sizeof who);
        memcpy(detour, d.detour, sizeof detour);
        d.bin = bin;
        d.bin_count = count;
        d.who = who;
        d.detour = detour;
        cases[i].spoil(&d);
        put(&d, &bytes);
        assert_int_equal(get_copy(&bytes, bytes.count), RC_EUSAGE);
        if (!strstr(err.text, cases[i].why))
            fail_msg("'%s', expected '%s'", err.text, cases[i].why);
    }
    rc_bytes_fini(&bytes);
}

static void what_is_written_is_read_back(void **state)
{
    const struct rc_noise_detours sample = sample_detours();
    struct rc_bytes bytes = {0};
    struct rc_arena arena = {0};
    struct rc_noise_detours d;
    uint32_t round;

    (void)state;
    put(&sample, &bytes);
    assert_int_equal(rc_record_get_detours(bytes.byte, bytes.count, &arena, &d, &err),
                     RC_OK);
    assert_string_equal(d.node, "n1");
    assert_string_equal(d.work, "flops");
    assert_string_equal(d.point, "dp-fma");
    assert_int_equal(d.core, 3);
    assert_int_equal(d.round, 2);
    assert_true(d.alone);
    assert_int_equal(d.unix_time, -1);
    assert_true(d.begin_ns == UINT64_MAX && d.duration_ns == 1000000000);
    assert_int_equal(d.iterations + d.tau_ns + d.dropped + d.faults + d.switches,
                     7 + 1000 + 1 + 2 + 3);
    assert_int_equal(d.stolen_ns, 1003500);
    assert_int_equal(d.median_gap_ps, 10000);
    assert_true(same_lists(&d, &sample));
    assert_string_equal(rc_noise_condition(&d, "cpu.max"), "50000 100000");
    assert_string_equal(rc_noise_condition(&d, "cpu.min"), "");
    assert_int_equal(rc_record_get_round(bytes.byte, bytes.count, &round, &err), RC_OK);
    assert_int_equal(round, 2);
    rc_arena_free(&arena);
    rc_bytes_fini(&bytes);
}

static const struct rc_journal_id ours = {"detours of test"},
                                  others = {"another campaign"};

/* A journal in 'dir' with so many records of rounds from 'round' on, and one that is
 * not understood.
 */
static void write_journal(const char *dir, const char *node,
                          const struct rc_journal_id *id, uint32_t round,
                          uint32_t rounds)
{
    const struct rc_journal_setting setting = {.dir = dir,
                                               .node = node,
                                               .campaign = *id,
                                               .writer = round,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    struct rc_noise_detours d = sample_detours();
    struct rc_bytes bytes = {0};
    struct rc_journal *journal;

    (void)mkdir(dir, 0777);
    if (rc_journal_open(&setting, &journal, &err) != RC_OK)
        fail_msg("%s", err.text);
    for (d.round = round; d.round < round + rounds; d.round++) {
        put(&d, &bytes);
        assert_int_equal(rc_journal_append(journal, RC_RECORD_DETOURS, bytes.byte,
                                           bytes.count, &err),
                         RC_OK);
    }
    d.round = RC_NOISE_ROUNDS_MOST;
    put(&d, &bytes);
    assert_int_equal(
        rc_journal_append(journal, RC_RECORD_DETOURS, bytes.byte, bytes.count, &err),
        RC_OK);
    assert_int_equal(rc_journal_close(journal, &err), RC_OK);
    rc_bytes_fini(&bytes);
}

static void a_directory_without_journals_has_no_detours(void **state)
{
    struct rc_noise_losses losses;

    (void)state;
    assert_int_equal(rc_noise_losses_read(MPI_COMM_NULL, "nowhere", &losses, &err),
                     RC_OK);
    assert_int_equal(losses.count, 0);
    rc_noise_losses_fini(&losses);
}

static void journals_are_read_and_copies_count_once(void **state)
{
    struct rc_noise_losses losses;
    struct rc_campaign *h;

    (void)state;
    write_journal("a", "n1" RC_NOISE_JOURNAL, &ours, 0, 3);
    write_journal("a", "n2" RC_NOISE_JOURNAL, &ours, 5, 1);
    assert_int_equal(
        system("cp a/journal/n1.noise.rcj a/journal/copy.noise.rcj && "
               "head -c 300 a/journal/n2.noise.rcj >>a/journal/copy.noise.rcj"),
        0);
    assert_int_equal(rc_noise_losses_read(MPI_COMM_NULL, "a", &losses, &err), RC_OK);
    assert_int_equal(losses.count, 4);
    assert_int_equal(losses.journals.records, 7);
    assert_int_equal(losses.journals.refused, 3);
    assert_int_equal(losses.journals.damaged_places, 1);
    for (size_t i = 0; i < losses.count; i++)
        assert_int_equal(losses.loss[i].round, i < 3 ? i : 5);
    rc_noise_losses_fini(&losses);

    /* Readers of campaigns count them and go on. */
    assert_int_equal(rc_campaign_read(MPI_COMM_NULL, "a", &h, &err), RC_OK);
    assert_int_equal(h->detours, 7);
    assert_int_equal(h->next_round, 6);
    assert_int_equal(h->records_refused, 3);
    assert_non_null(strstr(h->first_refusal, "round 1000000"));
    assert_int_equal(h->kind_count, 0);
    rc_campaign_close(h);
}

static void journals_of_two_campaigns_are_refused(void **state)
{
    struct rc_noise_losses losses;

    (void)state;
    write_journal("b", "n1" RC_NOISE_JOURNAL, &ours, 0, 1);
    write_journal("b", "n2" RC_NOISE_JOURNAL, &others, 1, 1);
    assert_int_equal(rc_noise_losses_read(MPI_COMM_NULL, "b", &losses, &err),
                     RC_ECONFLICT);
    assert_non_null(strstr(err.text, "different campaigns"));
    rc_noise_losses_fini(&losses);
}

/* Pulses of 'length' each 'period' ns, in 10 s. */
static struct rc_noise_detours pulses(struct rc_detour *detour, uint16_t *who,
                                      uint64_t period, uint64_t length)
{
    struct rc_noise_detours d = sample_detours();

    d.work = d.point = "";
    d.paces = 0;
    d.dropped = 0;
    d.duration_ns = UINT64_C(10000000000);
    d.detour = detour;
    d.who = who;
    for (d.count = 0; (d.count + 1) * period < d.duration_ns; d.count++)
        detour[d.count] = (struct rc_detour){d.count * period + period / 2, length};
    d.stolen_ns = d.count * length;
    return d;
}

static void what_pulses_cost_is_found(void **state)
{
    static struct rc_detour detour[4000];
    static uint16_t who[4000];
    struct rc_noise_detours d = pulses(detour, who, 4000000, 40000);
    struct rc_noise_loss loss;

    (void)state;
    assert_int_equal(rc_noise_loss_find(&d, &loss, &err), RC_OK);
    assert_float_equal(loss.lost, 0.01, 1e-4);
    assert_float_equal(loss.per_second, 250, 0.2);
    assert_float_equal(loss.p50_us, 40, 1e-9);
    assert_float_equal(loss.max_us, 40, 1e-9);
    assert_int_equal(loss.periods, 1);
    assert_float_equal(loss.period[0].line.hz, 250, 0.01);
    assert_float_equal(loss.period[0].line.share, 0.01, 1e-3);
    assert_string_equal(loss.period[0].who, "tick?");
    assert_float_equal(loss.slowdown, 1.04, 0.005); /* one such core in ten thousand */
    assert_string_equal(loss.quota, "50000 100000");
    assert_string_equal(loss.unlocked, "no right");
    assert_false(loss.shared);
    for (size_t i = 0; i < d.count; i++)
        who[i] = 3;
    assert_int_equal(rc_noise_loss_find(&d, &loss, &err), RC_OK);
    assert_string_equal(loss.period[0].who, "thread thief ?:2211");
}

static double sum_of_causes(const struct rc_noise_loss *l)
{
    double sum = 0;

    for (size_t i = 0; i < l->causes; i++) {
        assert_true(i == 0 || l->cause[i].share <= l->cause[i - 1].share);
        sum += l->cause[i].share;
    }
    return sum;
}

static double share_of(const struct rc_noise_loss *l, const char *who)
{
    for (size_t i = 0; i < l->causes; i++)
        if (strcmp(l->cause[i].who, who) == 0)
            return l->cause[i].share;
    return 0;
}

static void causes_add_up_to_what_was_lost(void **state)
{
    static struct rc_detour detour[4000];
    static uint16_t who[4000];
    struct rc_noise_detours d = pulses(detour, who, 4000000, 2000000);
    struct rc_noise_total total[] = {{RC_NOISE_WAITED, UINT64_C(3000000000)}};
    struct rc_noise_loss loss[2], node;
    size_t end, cores;

    (void)state;
    d.total = total;
    d.totals = 1;
    d.alone = false;
    d.stolen_ns = 0;
    for (size_t i = 0; i < d.count; i++) { /* most pulses are twice the mean */
        detour[i].length_ns = i % 10 < 6 ? 2000000 : 100000;
        d.stolen_ns += detour[i].length_ns;
    }
    assert_int_equal(rc_noise_loss_find(&d, &loss[0], &err), RC_OK);
    assert_int_equal(loss[0].periods, 1);
    assert_true(loss[0].period[0].line.share <= loss[0].lost + 1e-12);
    assert_string_equal(loss[0].period[0].who, ""); /* no tick takes 2 ms */
    /* Nobody was asked who it was, but the thread waited. */
    assert_near(share_of(&loss[0], "other threads"), 0.3, 1e-9);
    assert_near(share_of(&loss[0], "unknown"), loss[0].lost - 0.3, 1e-9);
    total[0].count = UINT64_MAX; /* no more than was lost */
    assert_int_equal(rc_noise_loss_find(&d, &loss[0], &err), RC_OK);
    assert_near(share_of(&loss[0], "other threads"), loss[0].lost, 1e-9);
    /* By name. */
    for (size_t i = 0; i < d.count; i++)
        who[i] = i % 10 < 6 ? 3 : i % 10 < 8 ? 2 : 1;
    assert_int_equal(rc_noise_loss_find(&d, &loss[0], &err), RC_OK);
    assert_int_equal(loss[0].causes, 3);
    assert_string_equal(loss[0].cause[0].who, "thread thief ?:2211");
    assert_near(loss[0].cause[0].share, 0.3, 2e-4);
    assert_near(share_of(&loss[0], "host"), 0.005, 1e-5);
    assert_near(sum_of_causes(&loss[0]), loss[0].lost, 1e-9);
    loss[1] = loss[0];
    loss[1].core++;
    loss[1].lost = loss[1].cause[0].share = 0.1;
    loss[1].causes = 1;
    assert_int_equal(rc_noise_causes_of_node(loss, 2, &end, &node, &cores, &err),
                     RC_OK);
    assert_true(end == 2 && cores == 2);
    assert_near(node.cause[0].share, 0.2, 2e-4);
    assert_near(sum_of_causes(&node), node.lost, 1e-9);
}

static void causes_without_room_are_others(void **state)
{
    static struct rc_detour detour[4000];
    static uint16_t who[4000];
    static const char *name[] = {"", "", "host", "a", "b", "c", "d", "e", "f", "g"};
    struct rc_noise_detours d = pulses(detour, who, 4000000, 40000);
    struct rc_noise_loss loss;

    (void)state;
    d.name = name;
    d.names = sizeof name / sizeof *name;
    for (size_t i = 0; i < d.count; i++)
        who[i] = (uint16_t)(1 + i % 9);
    d.stolen_ns += d.duration_ns / 10; /* dropped ones */
    assert_int_equal(rc_noise_loss_find(&d, &loss, &err), RC_OK);
    assert_int_equal(loss.causes, RC_NOISE_CAUSES);
    assert_near(sum_of_causes(&loss), loss.lost, 1e-9);
    assert_string_equal(loss.cause[0].who, "unknown");
    assert_near(share_of(&loss, "others"), 4 * loss.cause[5].share, 1e-4);
}

/* A node's core that has pulses of 0.1 ms each 10 ms of a time that all nodes share,
 * from 5 ms on; it began 'late' ns after the first one, and its clock is 5 s behind.
 */
static void write_node(const char *dir, const char *node, uint64_t late,
                       const struct rc_clock_offset *clock, size_t clocks)
{
    static struct rc_detour detour[4000];
    static uint16_t who[4000];
    const uint64_t first_ns = UINT64_C(1000000000000), behind_ns = 5000000000;
    struct rc_noise_detours d = pulses(detour, who, 10000000, 100000);
    const struct rc_journal_setting setting = {.dir = dir,
                                               .node = node,
                                               .campaign = ours,
                                               .writer = late > 0,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    struct rc_bytes bytes = {0};
    struct rc_journal *journal;

    d.node = node;
    d.alone = false;
    d.begin_ns = first_ns + late - (late ? behind_ns : 0);
    for (size_t i = 0; i < d.count; i++)
        detour[i].start_ns -= late;
    d.clock = clock;
    d.clocks = clocks;
    (void)mkdir(dir, 0777);
    assert_int_equal(rc_journal_open(&setting, &journal, &err), RC_OK);
    put(&d, &bytes);
    assert_int_equal(
        rc_journal_append(journal, RC_RECORD_DETOURS, bytes.byte, bytes.count, &err),
        RC_OK);
    assert_int_equal(rc_journal_close(journal, &err), RC_OK);
    rc_bytes_fini(&bytes);
}

/* The clock of the second of two nodes, 5 s behind and known to 'unsure'. */
static struct rc_noise_losses together(const char *dir, int64_t off, int64_t unsure,
                                       size_t clocks)
{
    const int64_t behind = INT64_C(5000000000) + off, begin = INT64_C(995000000000);
    const struct rc_clock_offset clock[] = {
        {begin, behind - unsure, behind + unsure},
        {begin + INT64_C(10100000000), behind - unsure, behind + unsure}};
    struct rc_noise_losses losses;

    write_node(dir, "n1" RC_NOISE_JOURNAL, 0, NULL, 0);
    write_node(dir, "n2" RC_NOISE_JOURNAL, 3000000, clock, clocks);
    assert_int_equal(rc_noise_losses_read(MPI_COMM_NULL, dir, &losses, &err), RC_OK);
    assert_int_equal(rc_noise_together_find(MPI_COMM_NULL, dir, &losses, &err), RC_OK);
    assert_int_equal(losses.count, 2);
    return losses;
}

static void nodes_that_are_stopped_together_are_told_by_their_clocks(void **state)
{
    const double chance =
        1 - pow(0.9, 2); /* that a window of 1 ms has a pulse of two */

    (void)state;
    struct rc_noise_losses is = together("t1", 0, 100, 2);
    assert_int_equal(is.together.count, 3);
    assert_string_equal(is.together.missing, "");
    assert_int_equal(is.together.step[1].cores, 2);
    assert_near(is.together.step[1].slowdown, 1.01, 1e-4);
    assert_near(is.together.step[1].independent, 1 + 0.1 * chance, 2e-4);
    assert_near(is.together.step[1].synchrony, 0.1 / chance, 5e-3);
    rc_noise_losses_fini(&is);
    is = together("t2", 4000000, 100, 2); /* its pulses come 4 ms later */
    assert_near(is.together.step[1].synchrony, 0.2 / chance, 5e-3);
    rc_noise_losses_fini(&is);
    is = together("t3", 0, 60000, 2);
    assert_int_equal(is.together.count, 2);
    assert_near(is.together.step[0].grain_ns, 1e6, 0);
    assert_non_null(strstr(is.together.missing, "windows of 0.1 ms need clocks that"));
    rc_noise_losses_fini(&is);
    is = together("t4", 0, 100, 0);
    assert_int_equal(is.together.count, 0);
    assert_string_equal(is.together.missing,
                        "the clocks of its nodes were not compared");
    rc_noise_losses_fini(&is);
}

static void one_core_is_not_together_with_another(void **state)
{
    struct rc_noise_losses is;

    (void)state;
    write_node("t5", "n1" RC_NOISE_JOURNAL, 0, NULL, 0);
    assert_int_equal(rc_noise_losses_read(MPI_COMM_NULL, "t5", &is, &err), RC_OK);
    assert_int_equal(rc_noise_together_find(MPI_COMM_NULL, "t5", &is, &err), RC_OK);
    assert_int_equal(is.together.count, 0);
    assert_string_equal(is.together.missing, "one core was measured");
    rc_noise_losses_fini(&is);
}

static void a_core_without_detours_loses_nothing(void **state)
{
    static struct rc_detour detour[1];
    static uint16_t who[1];
    struct rc_noise_detours d = pulses(detour, who, UINT64_C(20000000000), 1);
    struct rc_noise_loss loss;

    (void)state;
    assert_int_equal(d.count, 0);
    assert_int_equal(rc_noise_loss_find(&d, &loss, &err), RC_OK);
    assert_true(loss.lost == 0 && loss.periods == 0 && isnan(loss.max_us));
    assert_false(loss.slowdown > 1);
}

/* Half of the windows at 2 GHz and the rest at 3, work in step with it; then work alone
 * is slower.
 */
static void a_slow_clock_is_told_from_slow_work(void **state)
{
    uint64_t pace_ps[400], pace_hz[400];
    struct rc_noise_detours d = sample_detours();
    struct rc_noise_loss loss;

    (void)state;
    d.pace_ps = pace_ps;
    d.pace_hz = pace_hz;
    d.paces = 400;
    for (size_t i = 0; i < d.paces; i++) {
        pace_hz[i] = i % 2 ? 3000000000 : 2000000000;
        pace_ps[i] = i % 2 ? 20000000 : 30000000;
    }
    assert_int_equal(rc_noise_loss_find(&d, &loss, &err), RC_OK);
    assert_float_equal(loss.slower, 0.25, 1e-9);
    assert_float_equal(loss.clock, 0.25, 1e-9);
    assert_float_equal(loss.hz_low, 2e9, 1);
    for (size_t i = 0; i < d.paces; i++)
        pace_hz[i] = 3000000000;
    assert_int_equal(rc_noise_loss_find(&d, &loss, &err), RC_OK);
    assert_float_equal(loss.slower, 0.25, 1e-9);
    assert_float_equal(loss.clock, 0, 1e-9);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static uint64_t count_of(const struct rc_noise_counts *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->total[i].name, name) == 0)
            return c->total[i].count;
    return 0;
}

static void counts_of_one_cpu_are_read(void **state)
{
    const struct rc_noise_counts_from from = {"interrupts", "softirqs", "stat",
                                              "schedstat"};
    struct rc_noise_counts before, after, none;

    (void)state;
    assert_int_equal(rc_noise_counts_read(&from, 4, &none, &err), RC_OK);
    assert_int_equal(none.count, 0); /* there are no such files */
    write_text("interrupts", "           CPU0       CPU4\n"
                             "  7:         10         20   IO-APIC  7-edge   eth0\n"
                             "LOC:        100        200   Local timer interrupts\n"
                             "ERR:          0\n");
    write_text("softirqs", "  CPU0 CPU4\n  TIMER:  1  5\n");
    write_text("stat", "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 0 0\n"
                       "cpu4 1 2 3 4 5 6 7 9 0 0\nintr 5\n");
    write_text("schedstat", "77000 5000 3\n");
    assert_int_equal(rc_noise_counts_read(&from, 4, &before, &err), RC_OK);
    assert_int_equal(before.count, 5);
    assert_int_equal(count_of(&before, RC_NOISE_WAITED), 5000);
    assert_int_equal(count_of(&before, "interrupt 7 eth0"), 20);
    assert_int_equal(count_of(&before, "interrupt LOC"), 200);
    assert_int_equal(count_of(&before, "softirq TIMER"), 5);
    assert_int_equal(count_of(&before, "steal ms") % 9, 0);
    write_text("schedstat", "0 0 0\n"); /* of a kernel that does not account for it */
    assert_int_equal(rc_noise_counts_read(&from, 3, &none, &err), RC_OK);
    assert_int_equal(none.count, 0); /* a CPU that is not on */
    write_text("schedstat", "77000 9000 3\n");
    write_text("interrupts", "           CPU0       CPU4\n"
                             "  8:          0          3   IO-APIC  8-edge\n"
                             "LOC:        100        450   Local timer interrupts\n");
    assert_int_equal(rc_noise_counts_read(&from, 4, &after, &err), RC_OK);
    rc_noise_counts_subtract(&before, &after);
    assert_int_equal(after.count, 3);
    assert_int_equal(count_of(&after, RC_NOISE_WAITED), 4000);
    assert_int_equal(count_of(&after, "interrupt LOC"), 250);
    assert_int_equal(count_of(&after, "interrupt 8 8-edge"), 3);
    rc_noise_counts_fini(&before);
    rc_noise_counts_fini(&after);
    rc_noise_counts_fini(&none);
}

static void the_tightest_quota_is_found(void **state)
{
    static const struct {
        const char *groups, *quota;
    } cases[] = {
        {"nonsense\n", ""},
        {"0::/\n", ""},
        {"0::/job/step\n", "50000 100000"}, /* the outer one is tighter */
        {"0::/free\n", ""},
        {"4:cpuset:/old\n", ""},
        {"4:cpu,cpuacct:/old\n", "20000 100000"},
        {"4:cpuacct,cpu:/old\n0::/job/step\n", "20000 100000"},
        {"4:cpu:/none\n", ""},
    };
    char text[64];

    (void)state;
    assert_int_equal(system("mkdir -p cg/job/step cg/free cg/cpu/old cg/cpu/none"), 0);
    write_text("cg/job/cpu.max", "50000 100000\n");
    write_text("cg/job/step/cpu.max", "200000 100000\n");
    write_text("cg/free/cpu.max", "max 100000\n");
    write_text("cg/cpu/old/cpu.cfs_quota_us", "20000\n");
    write_text("cg/cpu/old/cpu.cfs_period_us", "100000\n");
    write_text("cg/cpu/none/cpu.cfs_quota_us", "-1\n");
    write_text("cg/cpu/none/cpu.cfs_period_us", "100000\n");
    assert_string_equal(rc_noise_quota("nowhere", "cg", text, sizeof text), "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text("groups", cases[i].groups);
        assert_string_equal(rc_noise_quota("groups", "cg", text, sizeof text),
                            cases[i].quota);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_cut_at_any_byte_or_too_long_are_refused),
        cmocka_unit_test(records_that_contradict_themselves_are_refused),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_directory_without_journals_has_no_detours),
        cmocka_unit_test(journals_are_read_and_copies_count_once),
        cmocka_unit_test(journals_of_two_campaigns_are_refused),
        cmocka_unit_test(what_pulses_cost_is_found),
        cmocka_unit_test(causes_add_up_to_what_was_lost),
        cmocka_unit_test(causes_without_room_are_others),
        cmocka_unit_test(nodes_that_are_stopped_together_are_told_by_their_clocks),
        cmocka_unit_test(one_core_is_not_together_with_another),
        cmocka_unit_test(a_core_without_detours_loses_nothing),
        cmocka_unit_test(a_slow_clock_is_told_from_slow_work),
        cmocka_unit_test(counts_of_one_cpu_are_read),
        cmocka_unit_test(the_tightest_quota_is_found),
    };

    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}
