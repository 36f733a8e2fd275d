#include "tests/lib/left.h"
#include "tests/lib/result_lib.h"

#include "campaign/base/agree.h"
#include "campaign/base/files/file.h"
#include "io/hdf5/hdf5.h"
#include "io/store/store.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/mpi_dir.h"

static char path[96], path_from[100];

static void same_number(double found, double expected)
{
    if (isnan(expected))
        assert_true(isnan(found));
    else
        assert_true(found == expected);
}

static void same_texts(const char *const *found, size_t found_count,
                       const char *const *expected, size_t count)
{
    assert_int_equal(found_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(found[i], expected[i]);
}

static void same_row(const double *found, const double *expected, size_t count)
{
    assert_int_equal(found != NULL, expected != NULL);
    for (size_t i = 0; found && i < count; i++)
        same_number(found[i], expected[i]);
}

static void same_terms(const struct rc_metric_result *found,
                       const struct rc_metric_result *expected)
{
    assert_int_equal(found->term_count, expected->term_count);
    for (size_t i = 0; i < expected->term_count; i++) {
        assert_int_equal(found->term[i].event, expected->term[i].event);
        assert_string_equal(found->term[i].name, expected->term[i].name);
        same_number(found->term[i].coefficient, expected->term[i].coefficient);
        same_number(found->term[i].rounded, expected->term[i].rounded);
        same_number(found->term[i].low, expected->term[i].low);
        same_number(found->term[i].high, expected->term[i].high);
    }
    assert_int_equal(found->check_count, expected->check_count);
    for (size_t i = 0; i < expected->check_count; i++) {
        assert_string_equal(found->check[i].suite, expected->check[i].suite);
        assert_int_equal(found->check[i].points, expected->check[i].points);
        same_number(found->check[i].error, expected->check[i].error);
        same_number(found->check[i].rounded, expected->check[i].rounded);
        assert_int_equal(found->check[i].passed, expected->check[i].passed);
    }
}

static void same_metric(const struct rc_metric_result *found,
                        const struct rc_metric_result *expected, size_t points)
{
    assert_string_equal(found->name, expected->name);
    assert_string_equal(found->description, expected->description);
    assert_string_equal(found->signature, expected->signature);
    assert_string_equal(found->preset, expected->preset);
    assert_string_equal(found->formula, expected->formula);
    assert_string_equal(found->reason, expected->reason);
    assert_int_equal(found->verdict, expected->verdict);
    assert_int_equal(found->rounded_holds, expected->rounded_holds);
    same_number(found->error, expected->error);
    same_terms(found, expected);
    same_texts(found->alone_name, found->alone_count, expected->alone_name,
               expected->alone_count);
    for (size_t i = 0; i < expected->alone_count; i++)
        assert_int_equal(found->alone[i], expected->alone[i]);
    same_texts(found->input, found->input_count, expected->input,
               expected->input_count);
    same_row(found->value, expected->value, points);
    same_row(found->value_low, expected->value_low, points);
    same_row(found->value_high, expected->value_high, points);
}

static void same_chosen(const struct rc_chosen *found, const struct rc_chosen *expected,
                        size_t coordinates)
{
    assert_int_equal(found->event, expected->event);
    assert_string_equal(found->name, expected->name);
    same_number(found->score, expected->score);
    same_number(found->norm, expected->norm);
    same_row(found->coordinate, expected->coordinate, coordinates);
    assert_int_equal(found->completes, expected->completes);
    assert_int_equal(found->others, expected->others);
    same_texts(found->other_name, found->other_count, expected->other_name,
               expected->other_count);
    for (size_t i = 0; i < expected->other_count; i++)
        assert_int_equal(found->other[i], expected->other[i]);
}

static void same_rate(const struct rc_rate_result *found,
                      const struct rc_rate_result *expected)
{
    const size_t over = expected->node_count * expected->point_count;

    assert_string_equal(found->name, expected->name);
    assert_string_equal(found->unit, expected->unit);
    assert_string_equal(found->convention, expected->convention);
    assert_string_equal(found->formula, expected->formula);
    assert_string_equal(found->suite, expected->suite);
    same_texts(found->node, found->node_count, expected->node, expected->node_count);
    same_texts(found->point, found->point_count, expected->point,
               expected->point_count);
    assert_int_equal(found->repetitions, expected->repetitions);
    same_texts(found->axis, found->axis_count, expected->axis, expected->axis_count);
    assert_memory_equal(found->parameter, expected->parameter,
                        expected->point_count * expected->axis_count *
                            sizeof *expected->parameter);
    same_row(found->values, expected->values, over * expected->repetitions);
    same_row(found->least, expected->least, over);
    same_row(found->median, expected->median, over);
    same_row(found->best, expected->best, over);
    same_row(found->low, expected->low, over);
    same_row(found->high, expected->high, over);
}

static void same_suite(const struct rc_suite_result *found,
                       const struct rc_suite_result *expected)
{
    assert_string_equal(found->suite, expected->suite);
    same_texts(found->coordinate, found->coordinate_count, expected->coordinate,
               expected->coordinate_count);
    assert_int_equal(found->ideal_count, expected->ideal_count);
    same_texts(found->left_out, found->left_out_count, expected->left_out,
               expected->left_out_count);
    same_texts(found->point, found->point_count, expected->point,
               expected->point_count);
    same_texts(found->reason, found->reason_count, expected->reason,
               expected->reason_count);
    same_texts(found->remark, found->remark_count, expected->remark,
               expected->remark_count);
    const double is[] = {found->alpha,    found->alpha_low, found->alpha_high,
                         found->tau,      found->tau_low,   found->tau_high,
                         found->residual, found->tau_auto};
    const double was[] = {expected->alpha,    expected->alpha_low, expected->alpha_high,
                          expected->tau,      expected->tau_low,   expected->tau_high,
                          expected->residual, expected->tau_auto};
    same_row(is, was, COUNT_OF(is));
    assert_memory_equal(found->class_count, expected->class_count,
                        sizeof found->class_count);
    assert_memory_equal(found->use_count, expected->use_count, sizeof found->use_count);
    assert_int_equal(found->chosen_count, expected->chosen_count);
    for (size_t i = 0; i < expected->chosen_count; i++)
        same_chosen(&found->chosen[i], &expected->chosen[i],
                    expected->coordinate_count);
    assert_int_equal(found->metric_count, expected->metric_count);
    for (size_t i = 0; i < expected->metric_count; i++)
        same_metric(&found->metric[i], &expected->metric[i], expected->point_count);
    assert_int_equal(found->preset_count, expected->preset_count);
    for (size_t i = 0; i < expected->preset_count; i++) {
        assert_string_equal(found->preset[i].preset, expected->preset[i].preset);
        assert_string_equal(found->preset[i].metric, expected->preset[i].metric);
        assert_string_equal(found->preset[i].definition,
                            expected->preset[i].definition);
        assert_string_equal(found->preset[i].outcome, expected->preset[i].outcome);
    }
    assert_int_equal(found->implied_count, expected->implied_count);
    for (size_t i = 0; i < expected->implied_count; i++) {
        const struct rc_implied *f = &found->implied[i], *e = &expected->implied[i];
        assert_string_equal(f->metric, e->metric);
        assert_string_equal(f->suite, e->suite);
        assert_string_equal(f->point, e->point);
        assert_int_equal(f->verdict, e->verdict);
        assert_int_equal(f->agrees, e->agrees);
        same_row((const double[]){f->expected, f->counted},
                 (const double[]){e->expected, e->counted}, 2);
    }
    assert_int_equal(found->rate_count, expected->rate_count);
    for (size_t i = 0; i < expected->rate_count; i++)
        same_rate(&found->rate[i], &expected->rate[i]);
}

static void same_columns(struct rc_store *file, size_t kind, size_t suite)
{
    static struct result_columns room, expected;
    const struct rc_suite_result *labels = rc_metrics_suite(file, kind, suite);
    size_t events = rc_store_kind(file, kind)->event_count;
    size_t width = labels->coordinate_count;
    struct rc_event_columns columns = {.count = events,
                                       .noise = room.noise,
                                       .residual = room.residual,
                                       .representation = room.representation,
                                       .event_class = room.event_class,
                                       .use = room.use,
                                       .reason = room.reason};
    struct rc_error err = {.rank = -1};

    result_fill(&expected, 0, events, width, labels->reason_count);
    assert_int_equal(rc_metrics_read_columns(file, kind, suite, &columns, &err), RC_OK);
    same_row(room.noise, expected.noise, events);
    same_row(room.residual, expected.residual, events);
    same_row(room.representation, expected.representation, events * width);
    assert_memory_equal(room.event_class, expected.event_class, events);
    assert_memory_equal(room.use, expected.use, events);
    assert_memory_equal(room.reason, expected.reason, events * sizeof *room.reason);
}

static void same_kind(struct rc_store *file, size_t number)
{
    static struct rc_store_event event[EV_COUNT];
    const struct rc_store_kind *kind = rc_store_kind(file, number);
    struct rc_pool *pool = rc_pool_create();
    struct rc_error err = {.rank = -1};

    assert_string_equal(kind->name, result_kinds[number].name);
    same_texts(kind->nodes, kind->node_count, result_kinds[number].nodes,
               result_kinds[number].node_count);
    assert_int_equal(kind->event_count, result_kinds[number].event_count);
    assert_int_equal(
        rc_store_read_events(file, number, 0, kind->event_count, event, pool, &err),
        RC_OK);
    for (size_t e = 0; e < kind->event_count; e++)
        assert_string_equal(event[e].name, result_events[e].name);
    rc_pool_close(pool);
}

static void check_file(MPI_Comm comm)
{
    struct rc_store *file = NULL;
    struct rc_error err = {.rank = -1};

    if (rc_metrics_open(comm, path, &file, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_string_equal(rc_store_campaign(file)->id, result_campaign.id);
    assert_true(rc_store_campaign(file)->simulated);
    assert_int_equal(rc_store_kind_count(file), COUNT_OF(result_kinds));
    for (size_t k = 0; k < COUNT_OF(result_kinds); k++) {
        same_kind(file, k);
        assert_int_equal(rc_store_suite_count(file, k), 2 - k);
        for (size_t s = k; s < 2; s++) {
            same_suite(rc_metrics_suite(file, k, s - k), &result_suites[s]);
            same_columns(file, k, s - k);
        }
        size_t rates = 0;
        const struct rc_rate_result *rate = rc_metrics_rates(file, k, &rates);
        assert_int_equal(rates, k == 0 ? COUNT_OF(result_rates) : 0);
        for (size_t r = 0; r < rates; r++)
            same_rate(&rate[r], &result_rates[r]);
    }
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void write_sample(MPI_Comm comm)
{
    struct rc_error err = {.rank = -1};

    if (result_write(comm, path, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void what_a_team_writes_a_team_and_a_process_alone_read(void **state)
{
    (void)state;
    write_sample(team_comm);
    assert_false(is_left(work));
    check_file(team_comm);
    check_file(MPI_COMM_NULL);
}

static void what_a_process_alone_writes_a_team_reads(void **state)
{
    (void)state;
    if (rank == 0)
        write_sample(MPI_COMM_NULL);
    MPI_Barrier(team_comm);
    check_file(team_comm);
}

static struct rc_store *begin(void)
{
    struct rc_store *file = NULL;
    struct rc_error err = {.rank = -1};

    result_prepare();
    assert_int_equal(rc_metrics_create(team_comm, path, &result_campaign, &file, &err),
                     RC_OK);
    return file;
}

static void events_that_nobody_wrote_are_not_known(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *file = begin();
    struct rc_event_columns none = {0};
    double noise = 0, representation[4] = {0};
    uint8_t event_class = 9;

    (void)state;
    assert_int_equal(
        rc_store_define_kind(file, rank ? NULL : &result_kinds[0], NULL, &err), RC_OK);
    assert_int_equal(rc_metrics_put_suite(file, &result_suites[0], 4, &err), RC_OK);
    assert_int_equal(rc_metrics_put_columns(file, &none, &err), RC_OK);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    assert_int_equal(rc_metrics_open(team_comm, path, &file, &err), RC_OK);
    struct rc_event_columns columns = {.first = 3,
                                       .count = 1,
                                       .noise = &noise,
                                       .representation = representation,
                                       .event_class = &event_class};
    assert_int_equal(rc_metrics_read_columns(file, 0, 0, &columns, &err), RC_OK);
    assert_true(isnan(noise) && isnan(representation[3]));
    assert_int_equal(event_class, RC_CLASS_INVALID);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

enum { WIDE = 20000, PAIRS = (EV_COUNT + 1) / 2 };

static double wide_value(size_t event, size_t coordinate)
{
    return (double)(event * WIDE + coordinate);
}

/* Rows of 160 kB make chunks of a few events, and the pairs come in descending order.
 */
static void write_wide(struct rc_store *file)
{
    static double values[2 * WIDE], noise[2];
    struct rc_error err = {.rank = -1};

    for (size_t turn = 0; turn * (size_t)size < PAIRS; turn++) {
        size_t pair = turn * (size_t)size + (size_t)rank;
        bool mine = pair < PAIRS;
        size_t first = mine ? 2 * (PAIRS - 1 - pair) : 0;
        struct rc_event_columns columns = {
            .first = first, .noise = noise, .representation = values};
        columns.count = !mine ? 0 : EV_COUNT - first < 2 ? 1 : 2;
        for (size_t i = 0; i < columns.count; i++) {
            noise[i] = (double)(first + i);
            for (size_t k = 0; k < WIDE; k++)
                values[i * WIDE + k] = wide_value(first + i, k);
        }
        assert_int_equal(rc_metrics_put_columns(file, &columns, &err), RC_OK);
    }
}

static void small_blocks_in_any_order_are_written_where_they_belong(void **state)
{
    static const char *names[WIDE];
    static double noise[EV_COUNT];
    struct rc_error err = {.rank = -1};
    struct rc_suite_result suite = result_suites[1];
    struct rc_store *file = begin();
    uint8_t event_class[EV_COUNT];
    double *values = malloc(sizeof *values * EV_COUNT * WIDE);

    (void)state;
    for (size_t k = 0; k < WIDE; k++)
        names[k] = "c";
    suite.coordinate = names;
    suite.coordinate_count = WIDE;
    assert_int_equal(rc_store_define_kind(file, &result_kinds[0], NULL, &err), RC_OK);
    assert_int_equal(rc_metrics_put_suite(file, &suite, 4, &err), RC_OK);
    write_wide(file);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    assert_int_equal(rc_metrics_open(team_comm, path, &file, &err), RC_OK);
    struct rc_event_columns columns = {.count = EV_COUNT,
                                       .noise = noise,
                                       .representation = values,
                                       .event_class = event_class};
    assert_int_equal(rc_metrics_read_columns(file, 0, 0, &columns, &err), RC_OK);
    for (size_t e = 0; e < EV_COUNT; e++) {
        assert_true(noise[e] == (double)e);
        assert_int_equal(event_class[e], RC_CLASS_INVALID); /* nobody gave it */
        size_t wrong = 0;
        for (size_t k = 0; k < WIDE; k++)
            wrong += values[e * WIDE + k] != wide_value(e, k);
        assert_int_equal(wrong, 0);
    }
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    free(values);
}

/* Blocks of 4 events that the ranks take turns at, the last one short, in one call. */
static void blocks_in_turns_are_written_at_once(void **state)
{
    static struct result_columns room, block;
    struct rc_error err = {.rank = -1};
    struct rc_store *file = begin();
    const size_t width = result_suites[0].coordinate_count;
    const size_t reasons = result_suites[0].reason_count;
    size_t count = 0, first = (size_t)rank * 4;

    (void)state;
    for (size_t at = first; at < EV_COUNT; at += 4 * (size_t)size) {
        const size_t n = EV_COUNT - at < 4 ? EV_COUNT - at : 4;
        result_fill(&block, at, n, width, reasons);
        memcpy(room.noise + count, block.noise, n * sizeof *room.noise);
        memcpy(room.residual + count, block.residual, n * sizeof *room.residual);
        memcpy(room.representation + count * width, block.representation,
               n * width * sizeof *room.representation);
        memcpy(room.event_class + count, block.event_class, n);
        memcpy(room.use + count, block.use, n);
        memcpy(room.reason + count, block.reason, n * sizeof *room.reason);
        count += n;
    }
    struct rc_event_columns columns = {.first = count ? first : 0,
                                       .count = count,
                                       .stride = 4 * (size_t)size,
                                       .noise = room.noise,
                                       .residual = room.residual,
                                       .representation = room.representation,
                                       .event_class = room.event_class,
                                       .use = room.use,
                                       .reason = room.reason};
    assert_int_equal(rc_store_define_kind(file, &result_kinds[0], NULL, &err), RC_OK);
    assert_int_equal(rc_metrics_put_suite(file, &result_suites[0], 4, &err), RC_OK);
    columns.stride = count > 4 ? EV_COUNT : columns.stride;
    if (EV_COUNT > 4 * (size_t)size)
        assert_int_equal(rc_metrics_put_columns(file, &columns, &err), RC_EUSAGE);
    columns.stride = 4 * (size_t)size;
    assert_int_equal(rc_metrics_put_columns(file, &columns, &err), RC_OK);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    assert_int_equal(rc_metrics_open(team_comm, path, &file, &err), RC_OK);
    same_columns(file, 0, 0);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

/* The defect of the columns of the rank that fails. */
static const struct {
    size_t first, count;
    uint8_t event_class, use;
    uint32_t reason;
    const char *says;
} bad_columns[] = {
    {EV_COUNT, 1, 0, 0, 0, "1 events from number 31 on, of 31"},
    {SIZE_MAX, 1, 0, 0, 0, "from number"},
    {1, SIZE_MAX, 0, 0, 0, "from number 1 on"},
    {0, 1, RC_CLASS_COUNT, 0, 0, "'class' of event 0 is 6, expected less than 6"},
    {2, 1, 0, RC_USE_COUNT, 0, "'use' of event 2 is 5, expected less than 5"},
    {2, 1, 0, 0, 3, "'reason' of event 2 is 3, expected less than 3"},
};

static void columns_that_cannot_be_are_heard_of_by_all_ranks(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *file = begin();
    static struct result_columns room;

    (void)state;
    assert_int_equal(rc_store_define_kind(file, &result_kinds[0], NULL, &err), RC_OK);
    assert_int_equal(rc_metrics_put_suite(file, &result_suites[0], 4, &err), RC_OK);
    for (size_t i = 0; i < COUNT_OF(bad_columns); i++)
        for (int failing = 0; failing < size; failing++) {
            struct rc_event_columns columns = result_fill(&room, 0, 1, 4, 3);
            if (rank == failing) {
                columns.first = bad_columns[i].first;
                columns.count = bad_columns[i].count;
                room.event_class[0] = bad_columns[i].event_class;
                room.use[0] = bad_columns[i].use;
                room.reason[0] = bad_columns[i].reason;
            }
            assert_int_equal(rc_metrics_put_columns(file, &columns, &err), RC_EUSAGE);
            assert_int_equal(err.rank, failing);
            assert_non_null(strstr(err.text, bad_columns[i].says));
        }
    struct rc_event_columns all = result_fill(&room, 0, rank ? 0 : EV_COUNT, 4, 3);
    assert_int_equal(rc_metrics_put_columns(file, &all, &err), RC_OK);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void what_cannot_be_written_is_refused_and_the_old_file_stays(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_event_columns none = {0};
    struct rc_suite_result suite = result_suites[0];

    (void)state;
    write_sample(team_comm);
    struct rc_store *file = begin();
    assert_int_equal(rc_metrics_put_suite(file, &suite, 4, &err), RC_ECONFLICT);
    assert_int_equal(rc_metrics_put_columns(file, &none, &err), RC_ECONFLICT);
    assert_int_equal(rc_store_define_kind(file, &result_kinds[1], NULL, &err), RC_OK);
    assert_int_equal(rc_metrics_put_columns(file, &none, &err), RC_ECONFLICT);
    assert_int_equal(rc_store_define_kind(file, &result_kinds[1], NULL, &err),
                     RC_ECONFLICT);
    suite.suite = "";
    assert_int_equal(rc_metrics_put_suite(file, &suite, 4, &err), RC_EUSAGE);
    suite = result_suites[0];
    suite.reason_count = 0;
    assert_int_equal(rc_metrics_put_suite(file, &suite, 4, &err), RC_EUSAGE);
    suite = result_suites[0];
    suite.ideal_count = 5;
    assert_int_equal(rc_metrics_put_suite(file, &suite, 4, &err), RC_EUSAGE);
    assert_int_equal(rc_metrics_put_suite(file, &result_suites[1], 4, &err), RC_OK);
    assert_int_equal(rc_metrics_put_columns(file, &none, &err), RC_OK);
    assert_int_equal(rc_metrics_put_suite(file, &result_suites[1], 4, &err),
                     RC_ECONFLICT);
    assert_non_null(strstr(err.text, "suite 'empty': it is there already"));
    rc_store_abandon(file);
    MPI_Barrier(team_comm); /* rank 0 removes it */
    assert_false(is_left(work));
    check_file(team_comm);
}

static void a_name_that_is_too_long_is_refused_by_all_and_the_file_goes_on(void **state)
{
    static char name[RC_STORE_TEXT_MAX + 2];
    struct rc_error err = {.rank = -1};
    struct rc_metric_result metric = result_metrics[0];
    struct rc_suite_result suite = result_suites[0];
    struct rc_store *file = begin();

    (void)state;
    memset(name, 'x', sizeof name - 1);
    suite.metric = &metric;
    suite.metric_count = 1;
    assert_int_equal(rc_store_define_kind(file, &result_kinds[0], NULL, &err), RC_OK);
    const char **texts[] = {&metric.name, &metric.signature, &metric.formula,
                            &metric.preset};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const char *before = *texts[i];
        *texts[i] = name;
        assert_int_equal(rc_metrics_put_suite(file, &suite, 4, &err), RC_EUSAGE);
        assert_non_null(strstr(err.text, "has 16385 bytes, expected at most 16384"));
        *texts[i] = before;
    }
    metric.description = metric.reason = name; /* these are cut */
    assert_int_equal(rc_metrics_put_suite(file, &suite, 4, &err), RC_OK);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    assert_int_equal(rc_metrics_open(team_comm, path, &file, &err), RC_OK);
    assert_int_equal(strlen(rc_metrics_suite(file, 0, 0)->metric->reason),
                     RC_STORE_TEXT_MAX);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void write_one(hid_t file, const char *name, hid_t type, hsize_t at,
                      const void *value)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t one = 1;
    hid_t memory = H5Screate_simple(1, &one, NULL);

    assert_true(set >= 0);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, &at) >= 0);
    assert_true(H5Dwrite(set, type, memory, space, H5P_DEFAULT, value) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
}

/* Another dataset, of numbers, in the place of one. */
static void replace(hid_t file, const char *name, int dims_count, hsize_t items)
{
    const hsize_t dims[3] = {items, 3, 3}, chunk[3] = {64, 3, 3};
    hid_t space = H5Screate_simple(dims_count, dims, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);

    if (items > 1000)
        assert_true(H5Pset_chunk(how, dims_count, chunk) >= 0);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    hid_t set =
        H5Dcreate2(file, name, H5T_NATIVE_UINT64, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
}

#define EVENTS "/kinds/made-up cpu, model 1%2F2/events/"
#define SUITE "/kinds/made-up cpu, model 1%2F2/suites/flops%2Fa/"

/* Changes that a stranger may have made to a dataset: a number of it is another one, or
 * all
 * of it is gone, or it is another dataset.
 */
static const struct {
    const char *name;
    enum { NUMBER, GONE, OTHER } how;
    uint64_t number; /* at place 1; or so many items in the other dataset */
    int dims;
    const char *says;
} damage[] = {
    {SUITE "metrics/verdict", NUMBER, 7, 1, "'verdict' number 1 is 7, expected less"},
    {SUITE "metrics/rounded_holds", NUMBER, 2, 1, "'rounded_holds' number 1 is 2"},
    {SUITE "metrics/terms/metric", NUMBER, 3, 1,
     "'terms' number 2 belongs to number 0"},
    {SUITE "metrics/terms/metric", NUMBER, UINT64_MAX, 1, "'metric' number 1"},
    {SUITE "metrics/terms/metric", NUMBER, 1 << 30, 1, "belongs to number 1073741824"},
    {SUITE "metrics/terms/event_number", NUMBER, EV_COUNT, 1,
     "'event_number' number 1 is 31, expected less than 31"},
    {SUITE "metrics/checks/metric", NUMBER, 77, 1, "'checks'"},
    {SUITE "metrics/alone/metric", NUMBER, 77, 1, "'alone'"},
    {SUITE "metrics/alone/event_number", NUMBER, 77, 1, "'alone'"},
    {SUITE "metrics/inputs/metric", NUMBER, 77, 1, "'inputs'"},
    {SUITE "pivots/event_number", NUMBER, EV_COUNT, 1, "'pivots'"},
    {SUITE "pivots/others/pivot", NUMBER, 2, 1, "'others'"},
    {SUITE "pivots/others/pivot", NUMBER, 1, 1, "pivot 1 lists 1 other events"},
    {SUITE "class_count", NUMBER, 1000, 1, "'class_count' counts 1000 events"},
    {SUITE "metrics/metric", GONE, 0, 0, "cannot read 'metric'"},
    {SUITE "metrics", GONE, 0, 0, "'metrics': cannot read it"},
    {SUITE "presets", GONE, 0, 0, "'presets': cannot read it"},
    {SUITE "pivots/others", GONE, 0, 0, "'others': cannot read it"},
    {SUITE "representation", GONE, 0, 0, "cannot read 'representation'"},
    {SUITE "coordinate", GONE, 0, 0, "cannot read 'coordinate'"},
    {SUITE "metrics/metric", OTHER, 22, 1, "'metric' does not hold strings"},
    {SUITE "metrics/metric", OTHER, 22, 2, "'metric' has 2 dimensions, expected 1"},
    {SUITE "metrics/terms/event", OTHER, (uint64_t)1 << 36, 1, "expected at most"},
    {SUITE "metrics/terms/low", OTHER, 3, 1, "'low' has 3 items"},
    {SUITE "metrics/value", OTHER, 5, 2, "'value' is 5 x 3, expected 22 x 3"},
    {SUITE "rates/rate", GONE, 0, 0, "cannot read 'rate'"},
    {SUITE "rates/node", GONE, 0, 0, "cannot read 'node'"},
    {SUITE "rates/best", GONE, 0, 0, "cannot read 'best'"},
    {SUITE "rates/values", OTHER, 2, 3, "'values' has 3 dimensions, expected 4"},
    {SUITE "rates/low", OTHER, 2, 3, "'low' is 2 x 3 x 1 x 3, expected 2 x 2 x 1 x 3"},
    {SUITE "rates/repetition", OTHER, 5, 1,
     "'values' is 2 x 2 x 4 x 3, expected 2 x 2 x 5 x 3"},
    {SUITE "pivots/representation", OTHER, 2, 2, "is 2 x 3, expected 2 x 4"},
    {SUITE "point", OTHER, (uint64_t)1 << 39, 1, "'point' has 549755813888 items"},
    {SUITE "noise", OTHER, 3, 1, "the shape of 'noise' does not fit its labels"},
    {SUITE "representation", OTHER, EV_COUNT, 2, "the shape of 'representation'"},
    {SUITE "class_count", OTHER, 7, 1, "'class_count' has 7 items, expected at most 6"},
    {SUITE "reasons", OTHER, 0, 1, "does not hold strings"},
};

/* A fresh sample, without writing it through HDF5 to the disk each time. */
static void put_back(const char *text, size_t bytes)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
}

static void a_file_that_a_stranger_damaged_is_refused_with_one_line(void **state)
{
    struct rc_error reading = {.rank = -1};
    char *whole = NULL;
    size_t bytes = 0;

    (void)state;
    write_sample(MPI_COMM_NULL);
    assert_int_equal(
        rc_file_read(path, RC_FILE_GIVEN, 64 << 20, &whole, &bytes, &reading), RC_OK);
    for (size_t i = 0; i < COUNT_OF(damage); i++) {
        struct rc_store *file = NULL;
        struct rc_error err = {.rank = -1};

        put_back(whole, bytes);
        hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        if (damage[i].how == NUMBER)
            write_one(h5, damage[i].name, H5T_NATIVE_UINT64, 1, &damage[i].number);
        else if (damage[i].how == GONE)
            assert_true(H5Ldelete(h5, damage[i].name, H5P_DEFAULT) >= 0);
        else
            replace(h5, damage[i].name, damage[i].dims, damage[i].number);
        assert_true(H5Fclose(h5) >= 0);
        assert_int_equal(rc_h5_seal(path, &err), RC_OK);
        assert_int_not_equal(rc_metrics_open(MPI_COMM_NULL, path, &file, &err), RC_OK);
        assert_null(file);
        if (!strstr(err.text, damage[i].says))
            fail_msg("%s: said '%s', expected '%s'", damage[i].name, err.text,
                     damage[i].says);
    }
    free(whole);
}

static void codes_of_events_that_a_stranger_changed_are_refused_when_read(void **state)
{
    static const struct {
        const char *name;
        unsigned number;
    } codes[] = {{"class", RC_CLASS_COUNT}, {"use", RC_USE_COUNT}, {"reason", 3}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        static struct result_columns room;
        struct rc_store *file = NULL;
        struct rc_error err = {.rank = -1};
        char name[128];

        write_sample(MPI_COMM_NULL);
        hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        snprintf(name, sizeof name, "%s%s", SUITE, codes[i].name);
        write_one(h5, name, H5T_NATIVE_UINT, 7, &codes[i].number);
        assert_true(H5Fclose(h5) >= 0);
        assert_int_equal(rc_h5_seal(path, &err), RC_OK);
        assert_int_equal(rc_metrics_open(MPI_COMM_NULL, path, &file, &err), RC_OK);
        struct rc_event_columns columns = result_fill(&room, 0, EV_COUNT, 4, 3);
        assert_int_equal(rc_metrics_read_columns(file, 0, 0, &columns, &err),
                         RC_EUSAGE);
        assert_non_null(strstr(err.text, "of event 7 is"));
        columns.count = 7;
        assert_int_equal(rc_metrics_read_columns(file, 0, 0, &columns, &err), RC_OK);
        assert_int_equal(rc_store_close(file, &err), RC_OK);
    }
}

/* A store of the kinds without results at path_from, open for reading. */
static struct rc_store *begin_from(MPI_Comm comm)
{
    struct rc_store *store = NULL;
    struct rc_error err = {.rank = -1};
    size_t number;

    assert_int_equal(rc_store_create(comm, path_from, &result_campaign, &store, &err),
                     RC_OK);
    for (size_t k = 0; k < COUNT_OF(result_kinds); k++)
        assert_int_equal(rc_store_define_kind(store, &result_kinds[k], &number, &err),
                         RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    assert_int_equal(rc_store_open(comm, path_from, &store, &err), RC_OK);
    return store;
}

static void kinds_copied_from_a_store_are_what_they_are_there(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *from = begin_from(team_comm);
    struct rc_store *file = begin();

    (void)state;
    for (size_t k = 0; k < COUNT_OF(result_kinds); k++)
        assert_int_equal(rc_store_copy_kind(file, from, k, NULL, &err), RC_OK);
    assert_int_equal(rc_store_copy_kind(file, from, 0, NULL, &err), RC_ECONFLICT);
    assert_int_equal(rc_store_close(from, &err), RC_OK);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    assert_int_equal(rc_metrics_open(team_comm, path, &file, &err), RC_OK);
    assert_int_equal(rc_store_kind_count(file), COUNT_OF(result_kinds));
    for (size_t k = 0; k < COUNT_OF(result_kinds); k++)
        same_kind(file, k);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    if (rank == 0)
        unlink(path_from);
}

/* More than one chunk with its checksum, of names and of descriptions. */
static void columns_of_many_chunks_are_copied_whole(void **state)
{
    enum { MANY = 20000 };
    struct rc_store_event *event = calloc(MANY, sizeof *event);
    struct rc_store_event *back = calloc(MANY, sizeof *back);
    char(*text)[64] = calloc(MANY, sizeof *text);
    struct rc_store_kind kind = result_kinds[0];
    struct rc_pool *pool = rc_pool_create();
    struct rc_store *from = NULL;
    struct rc_error err = {.rank = -1};
    size_t number;

    (void)state;
    assert_non_null(event && back && text && pool ? event : NULL);
    for (size_t e = 0; e < MANY; e++) {
        snprintf(text[e], sizeof text[e], "event number %zu of a large machine %zu", e,
                 e * e);
        event[e] = (struct rc_store_event){
            .name = text[e], .source = "model", .description = text[MANY - 1 - e]};
    }
    kind.events = event;
    kind.event_count = MANY;
    assert_int_equal(
        rc_store_create(MPI_COMM_NULL, path_from, &result_campaign, &from, &err),
        RC_OK);
    assert_int_equal(rc_store_define_kind(from, &kind, &number, &err), RC_OK);
    assert_int_equal(rc_store_close(from, &err), RC_OK);
    assert_int_equal(rc_store_open(MPI_COMM_NULL, path_from, &from, &err), RC_OK);
    struct rc_store *file = begin();
    assert_int_equal(rc_store_copy_kind(file, from, 0, NULL, &err), RC_OK);
    assert_int_equal(rc_store_close(from, &err), RC_OK);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    assert_int_equal(rc_metrics_open(MPI_COMM_NULL, path, &file, &err), RC_OK);
    assert_int_equal(rc_store_read_events(file, 0, 0, MANY, back, pool, &err), RC_OK);
    for (size_t e = 0; e < MANY; e++) {
        assert_string_equal(back[e].name, event[e].name);
        assert_string_equal(back[e].description, event[e].description);
    }
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    rc_pool_close(pool);
    free(event);
    free(back);
    free(text);
    unlink(path_from);
}

static void events_that_a_stranger_damaged_are_not_copied(void **state)
{
    static const struct {
        const char *name;
        hsize_t items; /* of numbers in its place; 0: one wrong code instead */
        const char *says;
    } harm[] = {
        {"event", EV_COUNT, "'event' does not hold strings"},
        {"reason", EV_COUNT, "'reason' does not hold strings"},
        {"event_bytes", EV_COUNT, "'event_bytes' does not hold strings"},
        {"scope", 7, "'scope'"},
        {"verdict", 0, "'verdict' of event 7 is 99"},
    };
    const unsigned wrong = 99;
    char name[128];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(harm); i++) {
        struct rc_error err = {.rank = -1};
        assert_int_equal(rc_store_close(begin_from(MPI_COMM_NULL), &err), RC_OK);
        hid_t h5 = H5Fopen(path_from, H5F_ACC_RDWR, H5P_DEFAULT);
        snprintf(name, sizeof name, "%s%s", EVENTS, harm[i].name);
        if (harm[i].items)
            replace(h5, name, 1, harm[i].items);
        else
            write_one(h5, name, H5T_NATIVE_UINT, 7, &wrong);
        assert_true(H5Fclose(h5) >= 0);
        assert_int_equal(rc_h5_seal(path_from, &err), RC_OK);
        struct rc_store *from = NULL;
        struct rc_store *file = begin();
        if (rc_store_open(MPI_COMM_NULL, path_from, &from, &err) == RC_OK)
            assert_int_equal(rc_store_copy_kind(file, from, 0, NULL, &err), RC_EUSAGE);
        assert_non_null(strstr(err.text, harm[i].says));
        assert_int_equal(rc_store_close(from, &err), RC_OK);
        rc_store_abandon(file);
    }
    unlink(path_from);
}

static void what_is_no_metrics_file_is_refused(void **state)
{
    struct rc_store *file = NULL;
    struct rc_store *store = NULL;
    struct rc_error err = {.rank = -1};
    FILE *text;

    (void)state;
    unlink(path);
    assert_int_equal(rc_metrics_open(MPI_COMM_NULL, path, &file, &err), RC_EMISSING);
    assert_non_null(text = fopen(path, "w"));
    fputs("no HDF5", text);
    fclose(text);
    assert_int_equal(rc_metrics_open(MPI_COMM_NULL, path, &file, &err), RC_EUSAGE);
    assert_non_null(
        strstr(err.text, "is not an HDF5 file, expected rollcall's metrics"));
    assert_int_equal(
        rc_store_create(MPI_COMM_NULL, path, &result_campaign, &store, &err), RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    assert_int_equal(rc_metrics_open(MPI_COMM_NULL, path, &file, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "'format' that is 'rollcall metrics'"));
}

static void nothing_of_hdf5_stays_open(void **state)
{
    (void)state;
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static int run_groups(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_team_writes_a_team_and_a_process_alone_read),
        cmocka_unit_test(what_a_process_alone_writes_a_team_reads),
        cmocka_unit_test(events_that_nobody_wrote_are_not_known),
        cmocka_unit_test(small_blocks_in_any_order_are_written_where_they_belong),
        cmocka_unit_test(blocks_in_turns_are_written_at_once),
        cmocka_unit_test(columns_that_cannot_be_are_heard_of_by_all_ranks),
        cmocka_unit_test(what_cannot_be_written_is_refused_and_the_old_file_stays),
        cmocka_unit_test(
            a_name_that_is_too_long_is_refused_by_all_and_the_file_goes_on),
        cmocka_unit_test(kinds_copied_from_a_store_are_what_they_are_there),
        cmocka_unit_test(nothing_of_hdf5_stays_open),
    };
    const struct CMUnitTest alone[] = {
        cmocka_unit_test(what_is_no_metrics_file_is_refused),
        cmocka_unit_test(a_file_that_a_stranger_damaged_is_refused_with_one_line),
        cmocka_unit_test(codes_of_events_that_a_stranger_changed_are_refused_when_read),
        cmocka_unit_test(columns_of_many_chunks_are_copied_whole),
        cmocka_unit_test(events_that_a_stranger_damaged_are_not_copied),
        cmocka_unit_test(nothing_of_hdf5_stays_open),
    };
    int failed = cmocka_run_group_tests_name("metrics", tests, NULL, NULL);

    MPI_Barrier(team_comm);
    if (rank == 0 && size == 1)
        failed += cmocka_run_group_tests_name("alone", alone, NULL, NULL);
    return failed;
}

static int run_on_team(void)
{
    make_directory(NULL);
    snprintf(path, sizeof path, "%s/metrics.h5", work);
    snprintf(path_from, sizeof path_from, "%s/campaign.h5", work);
    int failed = run_groups();
    failed += remove_directory(NULL) != 0;
    return failed;
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
