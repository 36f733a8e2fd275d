/* Result files of other tools: bad ones first. */
#include "tests/lib/test.h"

#include "campaign/base/files/file.h"
#include "campaign/base/memory.h"
#include "io/import/import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_as(const char *name, const char *text, size_t bytes,
                   struct rc_import_file *out, struct rc_error *err)
{
    const struct rc_import_format *format = rc_import_find("cat");
    const struct rc_import_suite *suite;
    size_t event;

    assert_non_null(format);
    suite = format->find(name, &event);
    assert_non_null(suite);
    *err = (struct rc_error){.text = ""};
    return format->read(suite, text, bytes, out, err);
}

#define TEN "1.00\n1\n1\n1\n1\n1\n1\n1\n1\n1\n"
#define NUMBER "expected a number from 0 on of at most 18 digits"
#define NO_COMMENT                                                                     \
    "no comment before it says what its numbers mean, as in files of PAPI 7.2: "       \
    "those "                                                                           \
    "of older versions are not imported"
#define BLOCK "# PTRN=3, STRIDE=64, PPB=16.000000, ThreadCount=1\n"
#define FLOPS "#Single-Precision GEMM\n"
#define VEC "# ExpectedInstrs EventCount\n# SP Non-FMA Scalar\n24 0\n"

static void bad_files_are_refused_with_line_and_expectation(void **state)
{
    static const struct {
        const char *name, *text, *expected;
    } bad[] = {
        {"E.branch", "1.00", "line 1: the file ends within a line, it was cut off"},
        {"E.branch", "1.00\n",
         "line 1 is the last, expected 11 numbers: it was cut off"},
        {"E.branch", "1.00\nnan\n", "line 2: 'nan', " NUMBER},
        {"E.branch", "inf\n", "line 1: 'inf', " NUMBER},
        {"E.branch", "-1.00\n", "line 1: '-1.00', " NUMBER},
        {"E.branch", "0x10\n", "line 1: '0x10', " NUMBER},
        {"E.branch", "1.0.0\n", "line 1: '1.0.0', " NUMBER},
        {"E.branch", ".\n", "line 1: '.', " NUMBER},
        {"E.branch", "1e\n", "line 1: '1e', " NUMBER},
        {"E.branch", "1e3\n", "line 1: '1e3', " NUMBER},
        {"E.branch", "99999999999999999999\n",
         "line 1: '99999999999999999999', " NUMBER},
        {"E.branch", "0.1234567890123456789\n",
         "line 1: '0.1234567890123456789', " NUMBER},
        {"E.branch", " \n", "line 1: '', " NUMBER},
        {"E.branch", "1 2\n", "line 1: '2', expected the end of the line"},
        {"E.branch", "\033[2J\n", "line 1: '?[2J', " NUMBER},
        {"E.branch", TEN "1\n1\n",
         "line 12: expected the end of the file after 11 numbers"},
        {"E.icache", TEN, "line 10 is the last, expected 48 numbers: it was cut off"},
        {"E.vec", "24 0\n48 0\n", "line 1: " NO_COMMENT},
        {"E.flops", TEN, "line 1: " NO_COMMENT},
        {"E.instr", TEN, "line 1: " NO_COMMENT},
        {"E.data.reads", "1024 0.5\n", "line 1: " NO_COMMENT},
        {"E.flops", FLOPS "0 1 1\n", "line 2: '', expected a number that CAT expects"},
        {"E.flops", FLOPS "0 1 1 0 0 0 0 0 1 nan\n",
         "line 2: 'nan', expected a number that CAT expects"},
        {"E.flops", FLOPS "0 1 1 0 0 0 0 0 1 2\n0 1 1 0 0 0 0 0 1 2\n",
         "line 3: '0', expected a number above that of the line before"},
        {"E.flops", "#Whatever\n0 1 1 0 0 0 0 0 1 2\n",
         "line 2: 'Whatever', expected a kernel such as 'Single-Precision GEMM' in "
         "front"},
        {"E.flops", FLOPS "0 1 1 0 0 0 0 0 1 2\n",
         "line 2 is the last, expected three kernels of each precision: it was cut "
         "off"},
        {"E.vec", VEC "48\n", "line 4: '', " NUMBER},
        {"E.vec", VEC "48 0\n96 0\n",
         "line 5 is the last, expected as many lines with FMA as without: it was cut "
         "off"},
        {"E.vec", VEC "x 0\n", "line 4: 'x', expected a number of instructions"},
        {"E.instr", "# Mem_RO\n100 1 100\n",
         "line 2: '', expected a number that CAT expects"},
        {"E.instr", "# Mem_RO\n100 1 100 0.01\n200 1 100 1\n# Int_ADD\n1 1 1 1\n",
         "line 5 is the last, expected as many lines as in the first section: it was "
         "cut off"},
        {"E.data.reads", BLOCK "1024 0.5\n",
         "line 2 is the last, expected 6 walks: it was cut off"},
        {"E.data.reads", BLOCK "1024\n", "line 2: '', " NUMBER},
        {"E.data.reads", BLOCK "1024 0.5 0.5\n",
         "line 2: '0.5', expected the end of the line"},
        {"E.data.reads", BLOCK "1024 0.5\n1024 0.5\n",
         "line 3: '1024', expected a number above that of the line before"},
        {"E.data.writes", "# PTRN=3\n",
         "line 1: 'PTRN=3', expected 'PTRN=3, STRIDE=64, PPB=16.000000, "
         "ThreadCount=1' or the like"},
        {"E.data.reads", BLOCK "1 1\n2 1\n" BLOCK "1 1\n" BLOCK,
         "line 6 is the last, expected as many lines as in the first section: it was "
         "cut off"},
        {"E.data.reads", BLOCK "<html>\n",
         "line 2: '<html>', expected a buffer's size in bytes"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_import_file file;
        struct rc_error err;
        int status =
            read_as(bad[i].name, bad[i].text, strlen(bad[i].text), &file, &err);
        rc_import_file_fini(&file);
        assert_string_equal(err.text, bad[i].expected);
        assert_int_equal(status, RC_EUSAGE);
    }
}

static void files_are_known_by_the_ends_of_their_names(void **state)
{
    static const struct {
        const char *name, *suite;
        size_t event;
    } names[] = {
        {"E.branch", "cat-branch", 1},
        {"A:B=1.vec", "cat-vec", 5},
        {"a.branch.flops", "cat-flops", 8},
        {"....data.reads", "cat-dcache-read", 3},
        {"E\n\".data.writes", "cat-dcache-write", 3},
        {"E.icache", "cat-icache", 1},
        {"E.instr", "cat-instr", 1},
        {".branch", NULL, 0},
        {"E.branch.stat", NULL, 0},
        {"E.data.reads.stat", NULL, 0},
        {"cat::latencies.data.reads", NULL, 0},
        {"", NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t event = 0;
        const struct rc_import_suite *suite =
            rc_import_find("cat")->find(names[i].name, &event);
        assert_int_equal(suite != NULL, names[i].suite != NULL);
        if (suite)
            assert_string_equal(suite->name, names[i].suite);
        assert_int_equal(event, names[i].event);
    }
    assert_null(rc_import_find("dog"));
}

static void no_digit_is_lost(void **state)
{
    static const struct {
        struct rc_import_number number;
        unsigned decimals;
        int64_t expected; /* -1: it cannot be said so */
    } cases[] = {
        {{475, 2}, 2, 475},
        {{475, 2}, 4, 47500},
        {{475, 2}, 1, -1},
        {{470, 2}, 1, 47},
        {{0, 0}, 18, 0},
        {{INT64_MAX, 0}, 0, INT64_MAX},
        {{INT64_MAX, 0}, 1, -1},
        {{5, 18}, 17, -1},
        {{9223372036854, 0}, 6, 9223372036854000000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t found = -1;
        int status = rc_import_scale(cases[i].number, cases[i].decimals, &found);
        assert_int_equal(status, cases[i].expected < 0 ? -1 : 0);
        if (status == 0)
            assert_int_equal(found, cases[i].expected);
    }
}

static void numbers_are_read_to_the_last_digit(void **state)
{
    static const char text[] =
        "0.25\n0.000059\n1000\n71.000000\n000\n0.000000\n100.0\n3.\n"
        ".5\n9223372036854775807\n12345678.875\n";
    static const struct rc_import_number expected[] = {
        {25, 2},  {59, 6}, {1000, 0}, {71, 0},        {0, 0},          {0, 0},
        {100, 0}, {3, 0},  {5, 1},    {INT64_MAX, 0}, {12345678875, 3}};
    struct rc_import_file file;
    struct rc_error err;

    (void)state;
    assert_int_equal(read_as("E.branch", text, strlen(text), &file, &err), RC_OK);
    assert_int_equal(file.number_count, 11);
    for (size_t i = 0; i < 11; i++) {
        assert_int_equal(file.number[i].digits, expected[i].digits);
        assert_int_equal(file.number[i].decimals, expected[i].decimals);
    }
    rc_import_file_fini(&file);
}

static struct rc_import_file read_data(const char *dir, const char *name)
{
    struct rc_import_file file;
    struct rc_error err = {.text = ""};
    char path[512], *text;
    size_t bytes;

    snprintf(path, sizeof path, "%s/cat/%s/%s", RC_TEST_DATA, dir, name);
    assert_int_equal(rc_file_read(path, RC_FILE_GIVEN, 1 << 20, &text, &bytes, &err),
                     RC_OK);
    if (read_as(name, text, bytes, &file, &err) != RC_OK)
        fail_msg("%s: %s", path, err.text);
    free(text);
    return file;
}

static double ideal_of(const struct rc_import_file *file, const char *point,
                       const char *ideal)
{
    size_t ideals = 0, i = 0;

    while (file->suite->ideals[ideals])
        ideals++;
    while (strcmp(file->suite->ideals[i], ideal) != 0)
        i++;
    for (size_t p = 0; p < file->point_count; p++)
        if (strcmp(file->point[p].name, point) == 0)
            return file->basis[p * ideals + i];
    fail_msg("no point '%s'", point);
    return NAN;
}

/* Whole files that CAT wrote. */
static void files_of_each_benchmark_and_version_are_read(void **state)
{
    static const struct {
        const char *dir, *name, *suite;
        size_t points, places;
        const char *first, *last;
    } files[] = {
        {"real-7.0", "perf::TASK-CLOCK.branch", "cat-branch", 11, 1, "kernel-1",
         "kernel-7"},
        {"real-7.0", "perf::PAGE-FAULTS.data.reads", "cat-dcache-read", 240, 2,
         "random-s64-p64-4096", "sequential-s128-524288"},
        {"real-7.2", "perf::TASK-CLOCK.branch", "cat-branch", 11, 1, "kernel-1",
         "kernel-7"},
        {"real-7.2", "perf::TASK-CLOCK.flops", "cat-flops", 306, 1,
         "sp-vector-normalization-0", "dp-gemm-50"},
        {"real-7.2", "perf::TASK-CLOCK.vec", "cat-vec", 72, 1, "hp-scalar-24",
         "dp-512-fma-48"},
        {"real-7.2", "perf::TASK-CLOCK.data.reads", "cat-dcache-read", 72, 2,
         "random-s64-p64-6888", "sequential-s128-16777216"},
        {"real-7.2", "perf::TASK-CLOCK.data.writes", "cat-dcache-write", 72, 2,
         "random-s64-p64-6888", "sequential-s128-16777216"},
        {"real-7.2", "perf::TASK-CLOCK.icache", "cat-icache", 48, 1, "whole-10",
         "skipped-60000"},
        {"real-7.2", "perf::TASK-CLOCK.instr", "cat-instr", 256, 1, "01-Mem_RO-1048576",
         "32-DVEC512-47444544"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct rc_import_file file = read_data(files[i].dir, files[i].name);
        assert_false(file.is_empty);
        assert_string_equal(file.suite->name, files[i].suite);
        assert_int_equal(file.point_count, files[i].points);
        assert_int_equal(file.place_count, files[i].places);
        assert_int_equal(file.number_count, files[i].points * files[i].places);
        assert_string_equal(file.point[0].name, files[i].first);
        assert_string_equal(file.point[file.point_count - 1].name, files[i].last);
        rc_import_file_fini(&file);
    }
}

static void files_without_readings_are_empty(void **state)
{
    (void)state;
    struct rc_import_file nothing = read_data("real-7.2", "perf::INSTRUCTIONS.branch");
    assert_true(nothing.is_empty);
    rc_import_file_fini(&nothing);
    struct rc_import_file headers =
        read_data("real-7.2", "perf::INSTRUCTIONS.data.reads");
    assert_true(headers.is_empty);
    rc_import_file_fini(&headers);
}

static void the_basis_is_that_of_the_kernels(void **state)
{
    static const struct {
        const char *dir, *name, *point, *ideal;
        double expected;
    } cases[] = {
        {"real-7.2", "perf::TASK-CLOCK.branch", "kernel-5a", "CE", 3},
        {"real-7.2", "perf::TASK-CLOCK.branch", "kernel-6", "D", 1},
        {"real-7.2", "perf::TASK-CLOCK.vec", "sp-256-48", "S_256", 48},
        {"real-7.2", "perf::TASK-CLOCK.vec", "sp-256-48", "D_256", 0},
        {"real-7.2", "perf::TASK-CLOCK.vec", "dp-scalar-fma-12", "DF_SCAL", 12},
        {"real-7.2", "perf::TASK-CLOCK.vec", "hp-128-24", "S_128", NAN},
        {"real-7.2", "perf::TASK-CLOCK.vec", "dp-512-fma-48", "DF_512", 48},
        {"real-7.2", "perf::TASK-CLOCK.flops", "sp-vector-normalization-0", "OPS_SP",
         0},
        {"real-7.2", "perf::TASK-CLOCK.flops", "sp-vector-normalization-2", "OPS_SP",
         7},
        {"real-7.2", "perf::TASK-CLOCK.flops", "dp-gemm-50", "OPS_DP", 250000},
        {"real-7.2", "perf::TASK-CLOCK.data.reads", "random-s64-p64-6888", "L1DH", 1},
        {"real-7.2", "perf::TASK-CLOCK.data.reads", "random-s64-p64-77935", "L2DH", 1},
        {"real-7.2", "perf::TASK-CLOCK.data.reads", "random-s64-p64-4194304", "L1DM",
         1},
        {"real-7.2", "perf::TASK-CLOCK.data.reads", "random-s64-p64-4194304", "L3DH",
         0},
        {"real-7.2", "perf::TASK-CLOCK.data.reads", "random-s64-p64-1246974", "L3DH",
         NAN}, /* too near to both caches */
        {"real-7.2", "perf::TASK-CLOCK.data.reads", "sequential-s64-6888", "L1DH", NAN},
        {"real-7.0", "perf::PAGE-FAULTS.data.reads", "random-s64-p64-4096", "L1DH",
         NAN},
        {"real-7.2", "perf::TASK-CLOCK.instr", "01-Mem_RO-1048576", "OPS_DP", 0},
        {"real-7.2", "perf::TASK-CLOCK.instr", "32-DVEC512-47444544", "OPS_DP", NAN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rc_import_file file = read_data(cases[i].dir, cases[i].name);
        const double found = ideal_of(&file, cases[i].point, cases[i].ideal);
        if (isnan(cases[i].expected))
            assert_true(isnan(found));
        else
            assert_true(found == cases[i].expected);
        rc_import_file_fini(&file);
    }
}

static void files_over_other_points_are_not_alike(void **state)
{
    (void)state;
    struct rc_import_file small = read_data("real-7.0", "perf::PAGE-FAULTS.data.reads");
    struct rc_import_file large = read_data("real-7.2", "perf::TASK-CLOCK.data.reads");
    struct rc_import_file same = read_data("real-7.2", "perf::TASK-CLOCK.data.reads");
    assert_false(rc_import_is_alike(&small, &large));
    assert_true(rc_import_is_alike(&same, &large));
    rc_import_file_fini(&small);
    rc_import_file_fini(&large);
    rc_import_file_fini(&same);
}

/* Any prefix of a whole file is refused. */
static void a_file_that_was_cut_off_is_never_taken_for_whole(void **state)
{
    static const char *const names[] = {
        "perf::TASK-CLOCK.branch", "perf::TASK-CLOCK.vec",
        "perf::TASK-CLOCK.data.reads", "perf::TASK-CLOCK.icache"};
    char path[512], *text;
    size_t bytes;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct rc_error err = {.text = ""};
        snprintf(path, sizeof path, "%s/cat/real-7.2/%s", RC_TEST_DATA, names[i]);
        assert_int_equal(
            rc_file_read(path, RC_FILE_GIVEN, 1 << 20, &text, &bytes, &err), RC_OK);
        for (size_t cut = 0; cut < bytes; cut++) {
            struct rc_import_file file;
            char *copy = rc_calloc(cut + 1, 1); /* the sanitizer sees accesses after its
                                                 * end */
            memcpy(copy, text, cut);
            int status = read_as(names[i], copy, cut, &file, &err);
            assert_true(status == RC_EUSAGE || file.is_empty);
            rc_import_file_fini(&file);
            free(copy);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_line_and_expectation),
        cmocka_unit_test(files_are_known_by_the_ends_of_their_names),
        cmocka_unit_test(no_digit_is_lost),
        cmocka_unit_test(numbers_are_read_to_the_last_digit),
        cmocka_unit_test(files_of_each_benchmark_and_version_are_read),
        cmocka_unit_test(files_without_readings_are_empty),
        cmocka_unit_test(the_basis_is_that_of_the_kernels),
        cmocka_unit_test(files_over_other_points_are_not_alike),
        cmocka_unit_test(a_file_that_was_cut_off_is_never_taken_for_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
