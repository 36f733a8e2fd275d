/* model.h5: written and read back to the last bit, damaged, of something else, and on a
 * disk that is full
 */
#include "tests/lib/test.h"

#include "tests/lib/left.h"

#include "campaign/base/files/file.h"
#include "io/hdf5/hdf5.h"
#include "io/model/model.h"

#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { POINTS = 3, SERIES = 4 };

static char work[64], path[96];

static const char *const parameters[] = {"p", "n\xff/%"};
static const double at[] = {2, 64, 4, 64.5, 1e15, 0x1p-40};
static const char *const kernels[] = {"main;solve", "bytes \x01\xfe/%2F.", "", "."};
static const struct rc_measured_metric metrics[] = {
    {"time", "s", RC_MEASURED_TIME, false},
    {"MPI bytes", "bytes", RC_MEASURED_COUNT, true}};
static size_t first[SERIES][POINTS + 1] = {
    {0, 2, 2, 5}, {0, 1, 2, 3}, {0, 0, 0, 0}, {0, 0, 1, 1}};
static double value[SERIES][5] = {
    {1, 1.0 / 3, 0x1p-1074, 1e308, 0}, {1e15 + 1, 5, 7}, {0}, {0.1 + 0.2}};
static double spread[SERIES][POINTS] = {
    {0.1, NAN, 0x1.fffffffffffffp-3}, {0}, {0}, {0, INFINITY, 3}};
static const struct rc_measured_series of[SERIES] = {
    {0, 0, first[0], value[0], spread[0]},
    {0, 1, first[1], value[1], NULL},
    {2, 0, first[2], value[2], NULL},
    {3, 1, first[3], value[3], spread[3]}};
static const struct rc_measured measured = {.parameters = 2,
                                            .points = POINTS,
                                            .kernels = COUNT_OF(kernels),
                                            .metrics = COUNT_OF(metrics),
                                            .series = SERIES,
                                            .parameter = parameters,
                                            .at = at,
                                            .kernel = kernels,
                                            .metric = metrics,
                                            .of = of,
                                            .origin = "Extra-P's text"};
static const char *const sources[] = {"/data/runs \xff", "p2n64"};
static const struct rc_model_kernel choice[] = {{"solve", RC_MODEL_SHARE, 0.93},
                                                {"root\xff", RC_MODEL_RISING, 0.01},
                                                {"other", RC_MODEL_REST, NAN}};

/* A law of so many terms, whose numbers are all different. */
static void make_choice(struct rc_laws_choice *c, size_t terms, size_t seed)
{
    c->weight = 1.0 / (double)(seed + 3);
    c->law.terms = terms;
    for (size_t i = 0; i < terms; i++) {
        c->law.term[i].coefficient = i % 2 ? -M_PI * (double)(seed + i) : 0x1p-60;
        for (size_t p = 0; p < RC_LAW_PARAMETERS; p++)
            c->law.term[i].of[p] = (struct rc_law_factor){0, 1, 0};
        c->law.term[i].of[0] = (struct rc_law_factor){(signed char)(-3 - (int)i), 4, 2};
        c->law.term[i].of[1] = (struct rc_law_factor){(signed char)seed, 3, 0};
        for (size_t k = 0; k < terms; k++)
            c->covariance[i][k] = 1.0 / (double)(1 + seed + i + k);
    }
}

static struct rc_laws make_fit(size_t series)
{
    static const size_t laws[SERIES] = {2, RC_LAWS_CHOICES, 0, 1};
    struct rc_laws fit = {.parameters = 2,
                          .least = {2, 64},
                          .most = {1e15, 0x1p-3},
                          .exact = series == 1,
                          .over_count = series == 1 ? 0.015 : 0,
                          .noise = NAN,
                          .degrees = 7 + (double)series,
                          .misfit = 0.01 * (double)series,
                          .reach = series ? 0.25 : 0,
                          .anchors = series ? RC_LAWS_ANCHORS : 0,
                          .words = RC_LAWS_FEW_POINTS | RC_LAWS_ONE_READING,
                          .count = laws[series]};

    for (size_t i = 0; i < fit.anchors; i++)
        fit.anchor[i] =
            (struct rc_laws_anchor){{1.0 + (double)i, 3}, -1e-3 / (double)i};
    for (size_t c = 0; c < fit.count; c++)
        make_choice(&fit.choice[c], (c + series) % (RC_LAW_TERMS + 1), c);
    return fit;
}

static struct rc_model make_model(void)
{
    struct rc_model model = {.created_by = "rollcall test",
                             .unix_time = 1780000000,
                             .method = "rollcall",
                             .source = sources,
                             .sources = COUNT_OF(sources),
                             .accuracy = 0.1,
                             .threshold = 0.05,
                             .coverage = NAN,
                             .measured = &measured,
                             .kernel = choice,
                             .kernels = COUNT_OF(choice)};
    struct rc_error err = {.rank = -1};

    for (size_t i = 0; i < SERIES; i++) {
        const struct rc_laws fit = make_fit(i);
        assert_int_equal(rc_model_laws_add(&model.laws, &fit, &err), RC_OK);
    }
    return model;
}

static void write_sample(void)
{
    struct rc_model model = make_model();
    struct rc_error err = {.rank = -1};

    if (rc_model_write(path, &model, &err) != RC_OK)
        fail_msg("%s", err.text);
    rc_model_laws_fini(&model.laws);
}

/* NAN is the same as NAN. */
static void same_reals(const double *is, const double *expected, size_t count)
{
    assert_memory_equal(is, expected, count * sizeof *is);
}

static void same_laws(const struct rc_laws *is, const struct rc_laws *expected)
{
    assert_int_equal(is->parameters, expected->parameters);
    same_reals(is->least, expected->least, RC_LAW_PARAMETERS);
    same_reals(is->most, expected->most, RC_LAW_PARAMETERS);
    assert_int_equal(is->exact, expected->exact);
    same_reals(&is->over_count, &expected->over_count, 1);
    same_reals(&is->noise, &expected->noise, 1);
    same_reals(&is->degrees, &expected->degrees, 1);
    same_reals(&is->misfit, &expected->misfit, 1);
    same_reals(&is->reach, &expected->reach, 1);
    assert_int_equal(is->anchors, expected->anchors);
    assert_memory_equal(is->anchor, expected->anchor, sizeof is->anchor);
    assert_int_equal(is->words, expected->words);
    assert_int_equal(is->count, expected->count);
    for (size_t c = 0; c < is->count; c++) {
        const struct rc_laws_choice *x = &is->choice[c], *y = &expected->choice[c];
        same_reals(&x->weight, &y->weight, 1);
        assert_int_equal(x->law.terms, y->law.terms);
        for (size_t i = 0; i < x->law.terms; i++) {
            same_reals(&x->law.term[i].coefficient, &y->law.term[i].coefficient, 1);
            assert_memory_equal(x->law.term[i].of, y->law.term[i].of,
                                sizeof y->law.term[i].of);
            same_reals(x->covariance[i], y->covariance[i], x->law.terms);
        }
    }
}

static void same_measured(const struct rc_measured *is)
{
    assert_int_equal(is->parameters, measured.parameters);
    assert_int_equal(is->points, POINTS);
    assert_int_equal(is->kernels, measured.kernels);
    assert_int_equal(is->metrics, measured.metrics);
    assert_int_equal(is->series, SERIES);
    assert_string_equal(is->origin, measured.origin);
    for (size_t i = 0; i < is->parameters; i++)
        assert_string_equal(is->parameter[i], parameters[i]);
    same_reals(is->at, at, COUNT_OF(at));
    for (size_t i = 0; i < is->kernels; i++)
        assert_string_equal(is->kernel[i], kernels[i]);
    for (size_t i = 0; i < is->metrics; i++) {
        assert_string_equal(is->metric[i].name, metrics[i].name);
        assert_string_equal(is->metric[i].unit, metrics[i].unit);
        assert_int_equal(is->metric[i].kind, metrics[i].kind);
        assert_int_equal(is->metric[i].simulated, metrics[i].simulated);
    }
    for (size_t i = 0; i < SERIES; i++) {
        assert_int_equal(is->of[i].kernel, of[i].kernel);
        assert_int_equal(is->of[i].metric, of[i].metric);
        assert_memory_equal(is->of[i].first, first[i], sizeof first[i]);
        same_reals(is->of[i].value, value[i], first[i][POINTS]);
        assert_int_equal(is->of[i].spread != NULL, of[i].spread != NULL);
        if (of[i].spread)
            same_reals(is->of[i].spread, spread[i], POINTS);
    }
}

static void check_file(void)
{
    struct rc_model *is = NULL;
    struct rc_error err = {.rank = -1};
    struct rc_laws fit;

    if (rc_model_read(path, &is, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_string_equal(is->created_by, "rollcall test");
    assert_true(is->unix_time == 1780000000);
    assert_string_equal(is->method, "rollcall");
    assert_int_equal(is->sources, 2);
    assert_string_equal(is->source[0], sources[0]);
    same_reals(&is->accuracy, &(double){0.1}, 1);
    same_reals(&is->threshold, &(double){0.05}, 1);
    assert_true(isnan(is->coverage));
    assert_true(is->simulated);
    assert_int_equal(is->kernels, COUNT_OF(choice));
    for (size_t i = 0; i < is->kernels; i++) {
        assert_string_equal(is->kernel[i].name, choice[i].name);
        assert_int_equal(is->kernel[i].why, choice[i].why);
        same_reals(&is->kernel[i].share, &choice[i].share, 1);
    }
    same_measured(is->measured);
    assert_int_equal(is->laws.fits, SERIES);
    for (size_t i = 0; i < SERIES; i++) {
        const struct rc_laws expected = make_fit(i);
        rc_model_laws_get(&is->laws, i, &fit);
        same_laws(&fit, &expected);
    }
    rc_model_close(is);
}

static void what_is_written_is_read_back_to_the_last_bit(void **state)
{
    (void)state;
    write_sample();
    assert_false(is_left(work));
    check_file();
    write_sample(); /* over the old one */
    check_file();
}

static void packed_laws_are_those_that_were_added(void **state)
{
    struct rc_model model = make_model();
    struct rc_laws fit;

    (void)state;
    for (size_t i = 0; i < SERIES; i++) {
        const struct rc_laws expected = make_fit(i);
        rc_model_laws_get(&model.laws, i, &fit);
        same_laws(&fit, &expected);
    }
    rc_model_laws_fini(&model.laws);
}

static void a_model_of_nothing_is_whole(void **state)
{
    const struct rc_measured none = {
        .parameters = 1, .parameter = parameters, .origin = NULL};
    const struct rc_model empty = {.measured = &none};
    struct rc_model *is = NULL;
    struct rc_error err = {.rank = -1};

    (void)state;
    assert_int_equal(rc_model_write(path, &empty, &err), RC_OK);
    if (rc_model_read(path, &is, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(is->measured->series, 0);
    assert_int_equal(is->laws.fits, 0);
    assert_string_equal(is->method, "");
    assert_false(is->simulated);
    rc_model_close(is);
}

/* Changes by a stranger: a number at some place is another one, or something is gone. */
static const struct {
    const char *name;
    hsize_t place;
    double number; /* NAN: gone */
    const char *says;
} damage[] = {
    {"sources", 0, NAN, "'sources': cannot read it"},
    {"parameters", 0, NAN, "'parameters': cannot read it"},
    {"kernels/kernel", 0, NAN, "'kernels': cannot read 'kernel'"},
    {"metrics/kind", 1, 7, "'kind' number 1 is 7"},
    {"metrics/simulated", 0, 2, "'simulated' number 0 is 2"},
    {"points", 0, NAN, "'points': cannot read it"},
    {"points/at", 3, 0, "'points' number 3: expected a parameter above 0"},
    {"points/at", 0, INFINITY, "'points' number 0: expected a parameter above 0"},
    {"series/kernel", 2, 4, "'series' number 2: expected a kernel and a metric"},
    {"series/metric", 3, 2, "'series' number 3: expected a kernel and a metric"},
    {"series/kernel", 2, 0, "'series' number 2: expected one after those before it"},
    {"series/metric", 1, 0, "'series' number 1: expected one after those before it"},
    {"series/laws", 0, 17, "'series' number 0: expected laws that there are"},
    {"series/laws", 3, 2, "'series' number 3: expected laws that there are"},
    {"series/laws", 3, 0, "'laws' has 19 items, expected 18"},
    {"series/laws", 0, 0x1p50, "'laws' number 0 is 1125899906842624"},
    {"series/words", 0, NAN, "cannot read 'words'"},
    {"series/reach", 1, 0, "'series' number 1: expected anchors that there are, with"},
    {"series/anchors", 1, 9, "'series' number 1: expected anchors that there are"},
    {"series/anchors", 3, 7, "'anchors' has 24 items, expected 23"},
    {"series/least_3", 0, NAN, "cannot read 'least_3'"},
    {"counts/readings", 2, 0x1p39, "'counts' number 2: expected readings that there"},
    {"counts/readings", 10, 0, "'readings' has 9 items, expected 8"},
    {"counts/spread", 0, -1, "'counts' number 0: expected readings"},
    {"readings/value", 3, INFINITY, "'readings' number 3: expected a finite number"},
    {"readings/value", 0, NAN, "cannot read 'value'"},
    {"laws/weight", 0, -0.5, "'laws' number 0: expected a weight"},
    {"laws/terms", 0, 7, "'laws' number 0: expected terms that there are"},
    {"laws/terms", 18, 6, "'laws' number 18: expected terms that there are"},
    {"laws/terms", 1, 0, "'terms' has "},
    {"covariance", 0, NAN, "'covariance': cannot read it"},
    {"terms/coefficient", 2, INFINITY, "'terms' number 2: expected a finite"},
    {"terms/under_1", 0, 0, "'terms' number 0: expected a finite coefficient, and pow"},
    {"choice/why", 1, 3, "'why' number 1 is 3"},
};

static void write_one(hid_t file, const char *name, hsize_t place, double number)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    const hssize_t items = H5Sget_simple_extent_npoints(space);
    double *all = calloc((size_t)items, sizeof *all);

    assert_true(set >= 0 && (hssize_t)place < items);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >=
                0);
    all[place] = number;
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >=
                0);
    H5Sclose(space);
    H5Dclose(set);
    free(all);
}

static void put_back(const char *text, size_t bytes)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
}

static void take_whole(char **whole, size_t *bytes)
{
    struct rc_error err = {.rank = -1};

    write_sample();
    assert_int_equal(rc_file_read(path, RC_FILE_GIVEN, 64 << 20, whole, bytes, &err),
                     RC_OK);
}

static void refused(int status, const char *says, const char *what)
{
    struct rc_model *is = NULL;
    struct rc_error err = {.rank = -1};
    const int found = rc_model_read(path, &is, &err);

    assert_null(is);
    if (found != status || !strstr(err.text, says) || strchr(err.text, '\n') ||
        !strstr(err.text, path))
        fail_msg("%s: %d '%s', expected %d '%s'", what, found, err.text, status, says);
}

static void a_file_that_a_stranger_changed_is_refused_with_one_line(void **state)
{
    struct rc_error err = {.rank = -1};
    char *whole = NULL;
    size_t bytes = 0;

    (void)state;
    take_whole(&whole, &bytes);
    for (size_t i = 0; i < COUNT_OF(damage); i++) {
        put_back(whole, bytes);
        hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        if (isnan(damage[i].number))
            assert_true(H5Ldelete(h5, damage[i].name, H5P_DEFAULT) >= 0);
        else
            write_one(h5, damage[i].name, damage[i].place, damage[i].number);
        assert_true(H5Fclose(h5) >= 0);
        assert_int_equal(rc_h5_seal(path, &err), RC_OK);
        struct rc_model *is = NULL;
        err.text[0] = 0;
        const int status = rc_model_read(path, &is, &err);
        if (status == RC_OK || is || !strstr(err.text, damage[i].says))
            fail_msg("%s: said '%s', expected '%s'", damage[i].name, err.text,
                     damage[i].says);
    }
    free(whole);
}

/* A dataset of so many items, none of which is written. */
static void claim_items(hid_t h5, const char *name, const hsize_t *dims)
{
    hid_t space = H5Screate_simple(1, dims, NULL);

    assert_true(H5Ldelete(h5, name, H5P_DEFAULT) >= 0);
    hid_t set = H5Dcreate2(h5, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                           H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void sizes_that_the_file_cannot_hold_are_refused_before_memory(void **state)
{
    static const char *const names[] = {"points/at", "readings/value", "kernels/kernel",
                                        "laws/weight", "terms/coefficient"};
    struct rc_error err = {.rank = -1};
    char *whole = NULL;
    size_t bytes = 0;

    (void)state;
    take_whole(&whole, &bytes);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const hsize_t dims[] = {(hsize_t)1 << 39};
        put_back(whole, bytes);
        hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        claim_items(h5, names[i], dims);
        assert_true(H5Fclose(h5) >= 0);
        assert_int_equal(rc_h5_seal(path, &err), RC_OK);
        refused(RC_EUSAGE, "which its 0 bytes cannot hold", names[i]);
    }
    free(whole);
}

static void bytes_that_changed_are_told_and_crash_nothing(void **state)
{
    char *whole = NULL;
    size_t bytes = 0;
    unsigned refusals = 0;
    struct rc_error err = {.rank = -1};

    (void)state;
    take_whole(&whole, &bytes);
    for (size_t at_byte = 3; at_byte < bytes; at_byte += bytes / 60) {
        whole[at_byte] ^= 4;
        put_back(whole, bytes);
        refused(RC_EIO, "its checksum is not that of what it holds", "a bit");
        assert_int_equal(rc_h5_seal(path, &err), RC_OK); /* by a stranger */
        struct rc_model *is = NULL;
        refusals += rc_model_read(path, &is, &err) != RC_OK;
        rc_model_close(is);
        whole[at_byte] ^= 4;
    }
    put_back(whole, bytes / 2);
    refused(RC_EIO, "its checksum is not that of what it holds", "half of it");
    assert_true(refusals > 0);
    free(whole);
}

static void what_is_not_a_model_is_refused(void **state)
{
    struct rc_error err = {.rank = -1};

    (void)state;
    unlink(path);
    refused(RC_EMISSING, "", "none");
    put_back("no HDF5", 7);
    refused(RC_EUSAGE, "is not an HDF5 file, expected a rollcall model", "text");
    hid_t h5 = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(rc_h5_put_word(h5, "format", "rollcall noise", &err), RC_OK);
    assert_true(H5Fclose(h5) >= 0);
    refused(RC_EUSAGE, "'format' that is 'rollcall model'", "another form");
    unlink(path);
    assert_int_equal(mkdir(path, 0777), 0);
    refused(RC_EUSAGE, "", "a directory");
    rmdir(path);
}

static void another_version_is_told(void **state)
{
    struct rc_error err = {.rank = -1};
    const int64_t newer = 2;

    (void)state;
    write_sample();
    hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Adelete(h5, "format_version") >= 0);
    assert_int_equal(
        rc_h5_put_attribute(h5, "format_version", H5T_NATIVE_INT64, 1, &newer, &err),
        RC_OK);
    assert_true(H5Fclose(h5) >= 0);
    assert_int_equal(rc_h5_seal(path, &err), RC_OK);
    refused(RC_EUSAGE, "format version 2, expected 1", "a newer one");
}

static void where_it_cannot_be_written_the_old_file_stays(void **state)
{
    struct rc_model model = make_model();
    struct rc_error err = {.rank = -1};
    char nowhere[120];
    struct rlimit all;

    (void)state;
    write_sample();
    snprintf(nowhere, sizeof nowhere, "%s/none/model.h5", work);
    assert_int_not_equal(rc_model_write(nowhere, &model, &err), RC_OK);
    assert_non_null(strstr(err.text, nowhere));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    for (rlim_t most = 0; most < 1 << 20; most += 100000) {
        const struct rlimit limit = {most, all.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const int status = rc_model_write(path, &model, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
        assert_int_not_equal(status, RC_OK);
        assert_non_null(strstr(err.text, path));
        assert_false(is_left(work));
        check_file();
    }
    rc_model_laws_fini(&model.laws);
}

static void names_that_are_too_long_are_refused(void **state)
{
    static char name[RC_STORE_TEXT_MAX + 2];
    const char *const long_kernels[] = {name};
    const struct rc_measured of_one = {
        .parameters = 1, .parameter = parameters, .kernels = 1, .kernel = long_kernels};
    const struct rc_model model = {.measured = &of_one};
    struct rc_error err = {.rank = -1};

    (void)state;
    memset(name, 'a', sizeof name - 1);
    assert_int_equal(rc_model_write(path, &model, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "'kernel' number 0 has 16385 bytes"));
    name[RC_STORE_TEXT_MAX] = 0;
    assert_int_equal(rc_model_write(path, &model, &err), RC_OK);
}

static void nothing_of_hdf5_stays_open(void **state)
{
    (void)state;
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_model_is_refused),
        cmocka_unit_test(a_file_that_a_stranger_changed_is_refused_with_one_line),
        cmocka_unit_test(sizes_that_the_file_cannot_hold_are_refused_before_memory),
        cmocka_unit_test(bytes_that_changed_are_told_and_crash_nothing),
        cmocka_unit_test(another_version_is_told),
        cmocka_unit_test(names_that_are_too_long_are_refused),
        cmocka_unit_test(packed_laws_are_those_that_were_added),
        cmocka_unit_test(what_is_written_is_read_back_to_the_last_bit),
        cmocka_unit_test(a_model_of_nothing_is_whole),
        cmocka_unit_test(where_it_cannot_be_written_the_old_file_stays),
        cmocka_unit_test(nothing_of_hdf5_stays_open),
    };
    char command[128];

    snprintf(work, sizeof work, "/tmp/rc_test_XXXXXX");
    if (!mkdtemp(work))
        return 1;
    snprintf(path, sizeof path, "%s/model.h5", work);
    int failed = cmocka_run_group_tests_name("model.h5", tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", work);
    failed += system(command) != 0; /* NOLINT(cert-env33-c): our own directory */
    return failed;
}
