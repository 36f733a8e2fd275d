/* Laws of communication: planted algorithms and machines are found, intervals hold, bad rows are refused. */
#include "tests/lib/test.h"

#include "solve/model/comm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400 };

/* As assert_float_equal(), of doubles. */
static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%g is not %g +- %g", value, expected, within);
}

static uint64_t seed = 1;

/* Normal, from two uniform numbers of a generator of our own: the same on all machines. */
static double normal(void)
{
    double u[2];

    for (int i = 0; i < 2; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        u[i] = ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
    }
    return sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]);
}

static const struct rc_comm_algorithm *find(enum rc_comm_operation operation,
                                            const char *name)
{
    for (const struct rc_comm_algorithm *a = rc_comm_algorithms; a->name; a++)
        if (a->operation == operation && !strcmp(a->name, name))
            return a;
    fail_msg("no algorithm '%s'", name);
    return NULL;
}

/* Costs that a cluster has: 2 us, 1 GB/s, 4 GB/s. */
static const double usual[RC_COMM_COSTS] = {
    [RC_COMM_ALPHA] = 2e-6, [RC_COMM_BETA] = 1e-9, [RC_COMM_GAMMA] = 0.25e-9};

static double planted(const struct rc_comm_algorithm *algorithm, const double *costs,
                      double ranks, double bytes)
{
    struct rc_comm_choice choice = {.powers = algorithm, .others = algorithm};

    memcpy(choice.coefficient, costs, sizeof choice.coefficient);
    return rc_comm_choice_time(&choice, ranks, bytes);
}

struct rows {
    size_t count;
    struct rc_comm_row row[ROWS];
};

static void add_row(struct rows *rows, enum rc_comm_operation operation, double ranks,
                    double bytes, double seconds, double noise)
{
    assert_true(rows->count < ROWS);
    rows->row[rows->count++] = (struct rc_comm_row){
        .operation = operation,
        .ranks = ranks,
        .bytes = bytes,
        .seconds = seconds * (1 + noise * normal()),
        .spread = noise * seconds,
    };
}

/* P of 4 to 64 and s of 1 KiB to 1 MiB (but of chains, which have pieces: to 4 MiB). */
static void plant(struct rows *rows, const struct rc_comm_algorithm *algorithm,
                  const double *costs, double noise)
{
    for (unsigned ranks = 4; ranks <= 64; ranks *= 2)
        for (unsigned bytes = 1024;
             bytes <= (algorithm->segment > 0 ? 1u << 22 : 1u << 20); bytes *= 8)
            add_row(rows, algorithm->operation, ranks, bytes,
                    planted(algorithm, costs, ranks, bytes), noise);
}

static struct rc_comm *fitted(const struct rows *rows)
{
    struct rc_comm *fit;
    struct rc_error err;

    assert_int_equal(rc_comm_fit(rows->row, rows->count, RC_COMM_FITTED, &fit, &err),
                     RC_OK);
    return fit;
}

static void rows_that_no_call_has_are_refused(void **state)
{
    static const struct rc_comm_row bad[] = {
        {RC_COMM_BCAST, 0, 8, 1, 0},        {RC_COMM_BCAST, NAN, 8, 1, 0},
        {RC_COMM_BCAST, INFINITY, 8, 1, 0}, {RC_COMM_BCAST, 2, -8, 1, 0},
        {RC_COMM_BCAST, 2, NAN, 1, 0},      {RC_COMM_BCAST, 2, 8, 0, 0},
        {RC_COMM_BCAST, 2, 8, -1, 0},       {RC_COMM_BCAST, 2, 8, NAN, 0},
        {RC_COMM_BCAST, 2, 8, 1, -1},       {RC_COMM_BCAST, 2, 8, 1, NAN},
        {RC_COMM_OPERATIONS, 2, 8, 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rc_comm_row rows[2] = {{RC_COMM_BCAST, 2, 8, 1, 0}, bad[i]};
        struct rc_comm *fit = (void *)rows;
        struct rc_error err;

        assert_int_equal(rc_comm_fit(rows, 2, RC_COMM_FITTED, &fit, &err), RC_EUSAGE);
        assert_null(fit);
        assert_non_null(strstr(err.text, "row 2"));
    }
}

static void too_few_rows_tell_nothing(void **state)
{
    struct rows rows = {0};
    struct rc_comm *fit;

    (void)state;
    fit = fitted(&rows);
    assert_true(isnan(rc_comm_predict(fit, RC_COMM_BCAST, 8, 8).value));
    free(fit);
    add_row(&rows, RC_COMM_BCAST, 8, 8, 1e-5, 0);
    fit = fitted(&rows);
    assert_true(isnan(rc_comm_predict(fit, RC_COMM_BCAST, 8, 8).high));
    assert_true(rc_comm_predict(fit, RC_COMM_BCAST, 8, 8).words & RC_LAWS_FEW_POINTS);
    assert_true(isnan(rc_comm_predict(fit, RC_COMM_REDUCE, 8, 8).value));
    free(fit);
}

static void nothing_is_predicted_where_no_call_can_be(void **state)
{
    struct rows rows = {0};
    struct rc_comm *fit;

    (void)state;
    plant(&rows, find(RC_COMM_BCAST, "binomial tree"), usual, 0);
    fit = fitted(&rows);
    assert_true(isnan(rc_comm_predict(fit, RC_COMM_BCAST, 0, 8).value));
    assert_true(isnan(rc_comm_predict(fit, RC_COMM_BCAST, NAN, 8).value));
    assert_true(isnan(rc_comm_predict(fit, RC_COMM_BCAST, 8, -1).value));
    assert_true(isnan(rc_comm_predict(fit, RC_COMM_BCAST, 8, INFINITY).value));
    free(fit);
}

/* With one number of ranks, laws that differ over ranks are equally good: the interval
 * has both, and it is said.
 */
static void other_ranks_are_not_known_from_one_number_of_them(void **state)
{
    struct rows rows = {0};
    const struct rc_comm_algorithm *tree = find(RC_COMM_BCAST, "binomial tree");
    struct rc_predicted p;
    struct rc_comm *fit;

    (void)state;
    for (unsigned bytes = 1024; bytes < 1e7; bytes *= 2)
        add_row(&rows, RC_COMM_BCAST, 16, bytes, planted(tree, usual, 16, bytes), 0.01);
    fit = fitted(&rows);
    p = rc_comm_predict(fit, RC_COMM_BCAST, 16, 5000);
    assert_near(p.value, planted(tree, usual, 16, 5000), 0.05 * p.value);
    assert_false(p.words & RC_LAWS_FIXED_PARAMETER);
    p = rc_comm_predict(fit, RC_COMM_BCAST, 256, 5000);
    assert_true(p.words & RC_LAWS_FIXED_PARAMETER);
    assert_true(p.words & RC_LAWS_CHOICES_DIFFER);
    assert_true(p.low < planted(tree, usual, 256, 5000));
    assert_true(p.high > planted(tree, usual, 256, 5000));
    free(fit);
}

static void calls_without_bytes_have_latency_alone(void **state)
{
    struct rows rows = {0};
    const struct rc_comm_algorithm *tree = find(RC_COMM_BCAST, "binomial tree");
    struct rc_predicted p;
    struct rc_comm *fit;

    (void)state;
    for (unsigned ranks = 2; ranks <= 128; ranks *= 2)
        add_row(&rows, RC_COMM_BCAST, ranks, 0, planted(tree, usual, ranks, 0), 0.01);
    fit = fitted(&rows);
    p = rc_comm_predict(fit, RC_COMM_BCAST, 512, 0);
    assert_near(p.value, 18e-6, 1e-6);
    assert_true(rc_comm_predict(fit, RC_COMM_BCAST, 512, 8).words &
                RC_LAWS_FIXED_PARAMETER);
    free(fit);
}

/* Each algorithm of the table is found from its own times.  Where another has the same
 * times everywhere, the law is what counts; and others that are near it have some weight,
 * since no machine is expected to follow a law to the last digit.
 */
static void each_algorithm_is_found(void **state)
{
    (void)state;
    for (const struct rc_comm_algorithm *a = rc_comm_algorithms; a->name; a++) {
        static const double at[][2] = {{8, 1024}, {256, 65536}, {1024, 1 << 20}};
        struct rows rows = {0};
        struct rc_comm *fit;

        plant(&rows, a, usual, 0);
        fit = fitted(&rows);
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            double ranks = a->operation <= RC_COMM_FAR ? 2 : at[i][0];
            double truth = planted(a, usual, ranks, at[i][1]);
            struct rc_predicted p = rc_comm_predict(fit, a->operation, ranks, at[i][1]);

            if (!(fabs(p.value - truth) <= 0.02 * truth))
                fail_msg("%s, %s: %g predicted, not %g",
                         rc_comm_operation_name(a->operation), a->name, p.value, truth);
        }
        free(fit);
    }
}

static void latency_and_bytes_are_found_through_noise(void **state)
{
    static const struct {
        enum rc_comm_operation operation;
        const char *name;
    } some[] = {{RC_COMM_BCAST, "binomial tree"}, {RC_COMM_BCAST, "scatter, ring"},
                {RC_COMM_GATHER, "linear"},       {RC_COMM_ALLTOALL, "Bruck"},
                {RC_COMM_ALLTOALL, "pairwise"},   {RC_COMM_SCATTER, "binomial tree"}};

    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const struct rc_comm_algorithm *a = find(some[i].operation, some[i].name);
        const struct rc_comm_choice *best;
        struct rows rows = {0};
        struct rc_comm *fit;

        plant(&rows, a, usual, 0.02);
        fit = fitted(&rows);
        assert_int_equal(fit->of[a->operation].segments, 1);
        best = &fit->of[a->operation].segment[0].choice[0];
        assert_string_equal(best->powers->name, a->name);
        assert_near(best->coefficient[RC_COMM_ALPHA], 2e-6, 0.3e-6);
        assert_near(best->coefficient[RC_COMM_BETA], 1e-9, 0.05e-9);
        free(fit);
    }
}

/* The times of a library that folds other numbers of ranks, or that has another
 * algorithm for them.
 */
static void other_numbers_than_powers_of_two_have_their_own_costs(void **state)
{
    static const double ranks[] = {4, 6, 8, 12, 16, 24, 32, 48, 64};
    const struct rc_comm_algorithm *fold =
        find(RC_COMM_ALLREDUCE, "recursive doubling");
    const struct rc_comm_algorithm *doubling =
        find(RC_COMM_ALLGATHER, "Bruck, or recursive doubling");
    const struct rc_comm_algorithm *ring = find(RC_COMM_ALLGATHER, "ring");
    struct rows rows = {0};
    struct rc_comm *fit;

    (void)state;
    assert_near(planted(fold, usual, 12, 0), (3 + 2) * 2e-6, 1e-12);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        for (unsigned bytes = 64; bytes < 1e6; bytes *= 16) {
            add_row(&rows, RC_COMM_ALLREDUCE, ranks[i], bytes,
                    planted(fold, usual, ranks[i], bytes), 0.01);
            add_row(&rows, RC_COMM_ALLGATHER, ranks[i], bytes,
                    planted(i % 2 ? ring : doubling, usual, ranks[i], bytes), 0.01);
        }
    fit = fitted(&rows);
    assert_ptr_equal(fit->of[RC_COMM_ALLREDUCE].segment[0].choice[0].powers, fold);
    assert_ptr_equal(fit->of[RC_COMM_ALLGATHER].segment[0].choice[0].powers, doubling);
    assert_ptr_equal(fit->of[RC_COMM_ALLGATHER].segment[0].choice[0].others, ring);
    assert_near(rc_comm_predict(fit, RC_COMM_ALLREDUCE, 96, 4096).value,
                planted(fold, usual, 96, 4096), 0.05 * planted(fold, usual, 96, 4096));
    free(fit);
}

/* Eager messages to 8 KiB: 1 us and 1 ns a byte; from there 6 us and 0.2 ns. */
static void rendezvous_messages_are_a_segment_of_their_own(void **state)
{
    struct rows rows = {0};
    const struct rc_comm_law *law;
    struct rc_comm *fit;

    (void)state;
    for (unsigned bytes = 16; bytes <= 1u << 22; bytes *= 2)
        add_row(&rows, RC_COMM_NEAR, 2, bytes,
                bytes <= 8192 ? 1e-6 + 1e-9 * bytes : 6e-6 + 0.2e-9 * bytes, 0.01);
    fit = fitted(&rows);
    law = &fit->of[RC_COMM_NEAR];
    assert_int_equal(law->segments, 2);
    assert_near(law->segment[1].from, 16384, 0);
    assert_true(law->words & RC_LAWS_SEGMENTS);
    for (size_t s = 0; s < 2; s++) {
        const double *found = law->segment[s].choice[0].coefficient;

        assert_near(found[RC_COMM_ALPHA], s ? 6e-6 : 1e-6, s ? 0.6e-6 : 0.05e-6);
        assert_near(found[RC_COMM_BETA], s ? 0.2e-9 : 1e-9, s ? 5e-12 : 5e-11);
    }
    assert_near(rc_comm_predict(fit, RC_COMM_NEAR, 2, 1 << 26).value,
                6e-6 + 0.2e-9 * (1 << 26), 1e-4);
    free(fit);
}

/* A library that broadcasts short messages by a tree, long ones by scatter and ring. */
static void a_library_changes_its_algorithm_with_the_size(void **state)
{
    const struct rc_comm_algorithm *tree = find(RC_COMM_BCAST, "binomial tree");
    const struct rc_comm_algorithm *ring = find(RC_COMM_BCAST, "scatter, ring");
    const struct rc_comm_law *law;
    struct rows rows = {0};
    struct rc_comm *fit;

    (void)state;
    for (unsigned ranks = 4; ranks <= 128; ranks *= 2)
        for (unsigned bytes = 64; bytes <= 1u << 22; bytes *= 4)
            add_row(&rows, RC_COMM_BCAST, ranks, bytes,
                    planted(bytes < 65536 ? tree : ring, usual, ranks, bytes), 0.02);
    fit = fitted(&rows);
    law = &fit->of[RC_COMM_BCAST];
    assert_int_equal(law->by, RC_COMM_BY_BYTES);
    assert_int_equal(law->segments, 2);
    assert_near(law->segment[1].from, 65536, 0);
    assert_ptr_equal(law->segment[0].choice[0].powers, tree);
    assert_ptr_equal(law->segment[1].choice[0].powers, ring);
    free(fit);
}

/* A gather that goes by a tree to 32 ranks, and linearly, through a queue, above. */
static void a_library_changes_its_algorithm_with_the_ranks(void **state)
{
    const struct rc_comm_algorithm *tree = find(RC_COMM_GATHER, "binomial tree");
    const struct rc_comm_algorithm *linear = find(RC_COMM_GATHER, "linear");
    double queue[RC_COMM_COSTS] = {
        [RC_COMM_ALPHA] = 20e-6, [RC_COMM_BETA] = 1e-9, [RC_COMM_MATCH] = 50e-9};
    const struct rc_comm_law *law;
    struct rc_predicted p;
    struct rows rows = {0};
    struct rc_comm *fit;
    double truth = planted(linear, queue, 1024, 512);

    (void)state;
    for (unsigned ranks = 4; ranks <= 32; ranks *= 2)
        for (unsigned bytes = 8; bytes <= 4096; bytes *= 8)
            add_row(&rows, RC_COMM_GATHER, ranks, bytes,
                    planted(tree, usual, ranks, bytes), 0.02);
    for (unsigned bytes = 8; bytes <= 4096; bytes *= 8)
        add_row(&rows, RC_COMM_GATHER, 64, bytes, planted(linear, queue, 64, bytes),
                0.02);
    fit = fitted(&rows);
    p = rc_comm_predict(fit, RC_COMM_GATHER, 1024, 512);
    assert_true(p.words & RC_LAWS_SEGMENTS);
    assert_true(p.words & RC_LAWS_CHOICES_DIFFER);
    free(fit);

    for (unsigned ranks = 128; ranks <= 256; ranks *= 2)
        for (unsigned bytes = 8; bytes <= 4096; bytes *= 8)
            add_row(&rows, RC_COMM_GATHER, ranks, bytes,
                    planted(linear, queue, ranks, bytes), 0.02);
    fit = fitted(&rows);
    law = &fit->of[RC_COMM_GATHER];
    assert_int_equal(law->by, RC_COMM_BY_RANKS);
    assert_int_equal(law->segments, 2);
    assert_near(law->segment[1].from, 64, 0);
    assert_ptr_equal(law->segment[1].choice[0].powers, linear);
    p = rc_comm_predict(fit, RC_COMM_GATHER, 1024, 512);
    assert_near(p.value, truth, 0.2 * truth);
    assert_true(p.low < truth && truth < p.high);
    free(fit);
}

static void operations_share_latency_only_where_they_agree(void **state)
{
    static const enum rc_comm_operation three[] = {RC_COMM_BCAST, RC_COMM_GATHER,
                                                   RC_COMM_SCATTER};
    double slow[RC_COMM_COSTS] = {[RC_COMM_ALPHA] = 9e-6, [RC_COMM_BETA] = 4e-9};
    struct rows rows = {0};
    struct rc_comm *fit;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        plant(&rows, find(three[i], "binomial tree"), usual, 0.01);
    plant(&rows, find(RC_COMM_ALLTOALL, "pairwise"), slow, 0.01);
    fit = fitted(&rows);
    for (size_t i = 0; i < 3; i++)
        assert_true(fit->of[three[i]].segment[0].choice[0].shared);
    assert_false(fit->of[RC_COMM_ALLTOALL].segment[0].choice[0].shared);
    assert_near(
        fit->of[RC_COMM_ALLTOALL].segment[0].choice[0].coefficient[RC_COMM_ALPHA], 9e-6,
        0.5e-6);
    free(fit);
}

/* Planted machines of random costs and algorithms, whose times depart from the law by
 * 'misfit' at each point, besides their noise: asked at four times the ranks, with more
 * bytes than most, how often is the truth in the interval?
 */
static double share_held(double misfit)
{
    size_t held = 0, asked = 0, count = 0;

    do
        count++;
    while (rc_comm_algorithms[count].name);
    for (size_t machine = 0; machine < 100; machine++) {
        const struct rc_comm_algorithm *of[4];
        double costs[4][RC_COMM_COSTS] = {{0}};
        struct rows rows = {0};
        struct rc_comm *fit;

        for (size_t i = 0; i < 4; i++) {
            of[i] = &rc_comm_algorithms[(machine * 7 + i * 9) % count];
            for (size_t c = 0; c < RC_COMM_COSTS; c++)
                costs[i][c] = usual[c] * exp(normal());
            plant(&rows, of[i], costs[i], 0);
        }
        for (size_t r = 0; r < rows.count; r++) {
            rows.row[r].seconds *= (1 + misfit * normal()) * (1 + 0.02 * normal());
            rows.row[r].spread = 0.02 * rows.row[r].seconds;
        }
        fit = fitted(&rows);
        for (size_t i = 0; i < 4; i++) {
            double ranks = of[i]->operation <= RC_COMM_FAR ? 2 : 256;
            double truth =
                planted(of[i], costs[i], ranks, 1 << 18) * (1 + misfit * normal());
            struct rc_predicted p =
                rc_comm_predict(fit, of[i]->operation, ranks, 1 << 18);
            bool twice = false; /* two algorithms at the same points: not one law */

            for (size_t j = 0; j < 4; j++)
                twice = twice || (j != i && of[j]->operation == of[i]->operation);
            asked += twice ? 0 : 1;
            held += !twice && p.low <= truth && truth <= p.high ? 1 : 0;
        }
        free(fit);
    }
    print_message("misfit %g %%: %zu of %zu intervals hold the truth\n", 100 * misfit,
                  held, asked);
    assert_true(asked > 250);
    return (double)held / (double)asked;
}

static void intervals_hold_the_truth_as_often_as_they_say(void **state)
{
    (void)state;
    assert_true(share_held(0) > 0.85); /* no machine is so good: more than 95 % */
    assert_near(share_held(0.03), 0.9, 0.05);
    assert_near(share_held(0.08), 0.9, 0.05);
}

static void words_say_how_far_to_believe(void **state)
{
    const struct rc_comm_algorithm *tree = find(RC_COMM_BCAST, "binomial tree");
    struct rows rows = {0}, together = {0};
    struct rc_comm *fit;

    (void)state;
    plant(&rows, tree, usual, 0);
    fit = fitted(&rows);
    assert_int_equal(rc_comm_predict(fit, RC_COMM_BCAST, 128, 4096).words,
                     RC_LAWS_FEW_POINTS | RC_LAWS_ONE_READING);
    assert_true(rc_comm_predict(fit, RC_COMM_BCAST, 2048, 4096).words & RC_LAWS_FAR);
    assert_true(rc_comm_predict(fit, RC_COMM_BCAST, 64, 1e9).words & RC_LAWS_FAR);
    free(fit);
    for (unsigned ranks = 2; ranks <= 64; ranks *= 2)
        add_row(&together, RC_COMM_BCAST, ranks, 1024 * ranks - 1,
                planted(tree, usual, ranks, 1024 * ranks - 1), 0.01);
    fit = fitted(&together);
    assert_int_equal(rc_comm_predict(fit, RC_COMM_BCAST, 64, 65535).words,
                     RC_LAWS_TOGETHER);
    free(fit);
}

static void laws_of_terms_say_the_same(void **state)
{
    const struct rc_comm_algorithm *tree = find(RC_COMM_SCATTER, "binomial tree");
    struct rows rows = {0};
    struct rc_predicted p;
    struct rc_laws laws;
    struct rc_comm *fit;

    (void)state;
    plant(&rows, tree, usual, 0.01);
    plant(&rows, find(RC_COMM_BCAST, "chain of 8 KiB"), usual, 0.01);
    fit = fitted(&rows);
    assert_true(rc_comm_laws(fit, RC_COMM_SCATTER, 256, 4096, &laws));
    assert_int_equal(laws.parameters, 2);
    p = rc_comm_predict(fit, RC_COMM_SCATTER, 1024, 1e5);
    assert_near(rc_laws_predict(&laws, (double[]){1024, 1e5}).value, p.value,
                0.01 * p.value);
    for (unsigned ranks = 4; ranks < 1e4; ranks *= 4) {
        const struct rc_comm_choice *best =
            &fit->of[RC_COMM_SCATTER].segment[0].choice[0];
        const double at[] = {ranks, 1e5};
        double seconds = rc_comm_choice_time(best, ranks, 1e5);

        assert_near(rc_law_at(&laws.choice[0].law, at, 2), seconds, 1e-12 * seconds);
    }
    assert_false(rc_comm_laws(fit, RC_COMM_BCAST, 256, 4096, &laws));
    assert_false(rc_comm_laws(fit, RC_COMM_SCAN, 256, 4096, &laws));
    free(fit);
}

static void the_published_form_is_what_was_published(void **state)
{
    struct rows rows = {0};
    struct rc_comm *fit;
    struct rc_error err;

    (void)state;
    for (unsigned ranks = 2; ranks <= 64; ranks *= 2)
        for (unsigned bytes = 8; bytes < 1e5; bytes *= 8)
            add_row(&rows, RC_COMM_BCAST, ranks, bytes,
                    3e-6 * log2(ranks) + 2e-9 * bytes + 1e-6, 0);
    assert_int_equal(rc_comm_fit(rows.row, rows.count, RC_COMM_PUBLISHED, &fit, &err),
                     RC_OK);
    assert_near(rc_comm_predict(fit, RC_COMM_BCAST, 1024, 1e6).value,
                30e-6 + 2e-3 + 1e-6, 1e-9);
    free(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_no_call_has_are_refused),
        cmocka_unit_test(too_few_rows_tell_nothing),
        cmocka_unit_test(nothing_is_predicted_where_no_call_can_be),
        cmocka_unit_test(other_ranks_are_not_known_from_one_number_of_them),
        cmocka_unit_test(calls_without_bytes_have_latency_alone),
        cmocka_unit_test(each_algorithm_is_found),
        cmocka_unit_test(latency_and_bytes_are_found_through_noise),
        cmocka_unit_test(other_numbers_than_powers_of_two_have_their_own_costs),
        cmocka_unit_test(rendezvous_messages_are_a_segment_of_their_own),
        cmocka_unit_test(a_library_changes_its_algorithm_with_the_size),
        cmocka_unit_test(a_library_changes_its_algorithm_with_the_ranks),
        cmocka_unit_test(operations_share_latency_only_where_they_agree),
        cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(words_say_how_far_to_believe),
        cmocka_unit_test(laws_of_terms_say_the_same),
        cmocka_unit_test(the_published_form_is_what_was_published),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
