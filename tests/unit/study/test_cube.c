/* Cubes: their order, the laws of merging, mean and difference, what tools of 2013 did
 * otherwise, and .cubex files: read back as they were, damaged ones refused.
 *
 * Numbers are whole and small, so that sums have no rounding; means of several are the
 * same within it.
 */
#include "io/cubex/cubex.h"
#include "solve/cube/algebra.h"
#include "tests/lib/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rc_error err;

enum { ROUNDS = 60 };

static uint64_t seed;
static unsigned draw(unsigned below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % below;
}

/* How a made-up run is made. */
struct shape {
    unsigned metrics, paths, ranks;
    bool gaps, reversed; /* numbers are missing; added the other way round */
};

/* Run 'number': trees that have most in common with those of other runs. */
static struct rc_cube *make_run(unsigned number, const struct shape *shape)
{
    static const char *const names[] = {"time", "mpi", "late_sender", "visits", "L1"};
    static const int parents[] = {-1, 0, 1, -1, -1};
    static const char *const regions[] = {"solve", "init", "walk", "dump"};
    struct rc_cube *c = rc_cube_create(&err);
    size_t metric[5], path[8] = {0}, place[8], count = 1;
    char text[32];

    assert_non_null(c);
    for (unsigned m = 0; m < shape->metrics; m++)
        assert_int_equal(rc_cube_add_metric(
                             c,
                             parents[m] < 0 ? RC_CUBE_TOP : (int64_t)metric[parents[m]],
                             names[m], m < 3 ? "ns" : "1", "", &metric[m], &err),
                         RC_OK);
    for (unsigned p = 1; p < shape->paths; p++) {
        const size_t parent = path[draw((unsigned)count)];
        assert_int_equal(rc_cube_add_path(c, (int64_t)parent, regions[draw(4)], "user",
                                          &path[count], &err),
                         RC_OK);
        count++;
    }
    for (unsigned i = 0; i < shape->ranks; i++) {
        const unsigned rank = shape->reversed ? shape->ranks - 1 - i : i;
        snprintf(text, sizeof text, "rank %u thread 0", rank);
        const struct rc_cube_place at = {text, rank < 2 ? "n0" : "n1", rank, 0};
        assert_int_equal(rc_cube_add_place(c, &at, &place[rank], &err), RC_OK);
    }
    snprintf(text, sizeof text, "run/%u", number);
    assert_int_equal(rc_cube_add_source(c, text, &err), RC_OK);
    assert_int_equal(rc_cube_seal(c, &err), RC_OK);
    for (size_t m = 0; m < c->metrics; m++)
        for (size_t l = 0; l < c->places; l++) {
            const bool none = shape->gaps && draw(5) == 0;
            for (size_t p = 0; p < c->paths && !none; p++)
                if (p == 0 || !shape->gaps || draw(6) > 0)
                    rc_cube_put(c, m, p, l, draw(3) ? (double)draw(1000) : 0);
        }
    return c;
}

static bool near(double x, double y)
{
    return (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-9 * (1 + fabs(x));
}

static void assert_same_trees(const struct rc_cube *a, const struct rc_cube *b)
{
    assert_int_equal(a->metrics, b->metrics);
    assert_int_equal(a->paths, b->paths);
    assert_int_equal(a->places, b->places);
    for (size_t i = 0; i < a->metrics; i++) {
        assert_string_equal(a->metric[i].name, b->metric[i].name);
        assert_string_equal(a->metric[i].unit, b->metric[i].unit);
        assert_int_equal(a->metric[i].parent, b->metric[i].parent);
    }
    for (size_t i = 0; i < a->paths; i++) {
        assert_string_equal(a->path[i].name, b->path[i].name);
        assert_int_equal(a->path[i].parent, b->path[i].parent);
    }
    for (size_t i = 0; i < a->places; i++) {
        assert_string_equal(a->place[i].name, b->place[i].name);
        assert_string_equal(a->place[i].node, b->place[i].node);
        assert_int_equal(a->place[i].rank, b->place[i].rank);
    }
}

/* 'exact': to the last bit; else means and deviations within their rounding. */
static void assert_same(const struct rc_cube *a, const struct rc_cube *b, bool exact)
{
    assert_same_trees(a, b);
    assert_int_equal(a->sources, b->sources);
    for (size_t i = 0; i < a->metrics * a->paths * a->places; i++) {
        const struct rc_cube_cell *x = &a->cell[i], *y = &b->cell[i];
        assert_true(x->n == y->n);
        assert_true(near(x->min, y->min) && near(x->max, y->max));
        assert_true(near(x->mean, y->mean) && near(x->m2, y->m2));
        if (exact && x->n > 0)
            assert_true(x->mean == y->mean && x->m2 == y->m2 && x->min == y->min &&
                        x->max == y->max);
    }
}

static struct rc_cube *merge2(const struct rc_cube *a, const struct rc_cube *b)
{
    const struct rc_cube *const of[] = {a, b};
    struct rc_cube *out = NULL;

    assert_int_equal(rc_cube_merge(of, 2, &out, &err), RC_OK);
    return out;
}

static struct shape any_shape(void)
{
    return (struct shape){2 + draw(4), 2 + draw(6), 3, draw(2), draw(2)};
}

static void merging_does_not_depend_on_order_or_brackets(void **state)
{
    (void)state;
    for (seed = 1; seed < ROUNDS; seed++) {
        struct rc_cube *r[3], *of[6];
        for (unsigned i = 0; i < 3; i++) {
            const struct shape shape = any_shape();
            r[i] = make_run(i, &shape);
        }
        of[0] = merge2(r[0], r[1]);
        of[1] = merge2(r[1], r[0]);
        assert_same(of[0], of[1], true);
        of[2] = merge2(of[0], r[2]);
        of[3] = merge2(r[1], r[2]);
        of[4] = merge2(r[0], of[3]);
        assert_same(of[2], of[4], false);
        const struct rc_cube *const all[] = {r[2], r[0], r[1]};
        assert_int_equal(rc_cube_merge(all, 3, &of[5], &err), RC_OK);
        assert_same(of[5], of[2], false);
        for (int i = 0; i < 6; i++)
            rc_cube_close(of[i]);
        for (int i = 0; i < 3; i++)
            rc_cube_close(r[i]);
    }
}

static void copies_count_once(void **state)
{
    const struct shape shape = {4, 5, 3, true, false};

    (void)state;
    seed = 7;
    struct rc_cube *a = make_run(1, &shape), *b = make_run(2, &shape);
    struct rc_cube *both = merge2(a, b), *again = merge2(both, a),
                   *twice = merge2(a, a), *whole = merge2(both, both);
    assert_same(again, both, true);
    assert_same(twice, a, true);
    assert_same(whole, both, true);
    /* {1, 2} and {2, 3}: 2 would count twice */
    struct rc_cube *c = make_run(3, &shape), *other = merge2(b, c), *none = NULL;
    const struct rc_cube *const of[] = {both, other};
    assert_int_equal(rc_cube_merge(of, 2, &none, &err), RC_ECONFLICT);
    assert_null(none);
    assert_non_null(strstr(err.text, "run/1"));
    struct rc_cube *const all[] = {a, b, c, both, again, twice, whole, other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rc_cube_close(all[i]);
}

/* The numbers of each run are known: what is pooled is what they are together. */
static void pooled_numbers_are_those_of_all_runs(void **state)
{
    const struct shape shape = {2, 3, 2, false, false};
    struct rc_cube *run[7], *all = NULL;

    (void)state;
    for (unsigned i = 0; i < 7; i++) {
        seed = 5; /* the same trees */
        run[i] = make_run(i, &shape);
        for (size_t c = 0; c < 2 * run[i]->paths * 2; c++)
            run[i]->cell[c] = (struct rc_cube_cell){1, i * i, i * i, i * i, 0};
    }
    assert_int_equal(rc_cube_merge((const struct rc_cube *const *)run, 7, &all, &err),
                     RC_OK);
    for (size_t c = 0; c < 2 * all->paths * 2; c++) {
        /* 0 1 4 9 16 25 36: mean 13, squared deviations 1092 */
        assert_true(all->cell[c].n == 7 && near(all->cell[c].mean, 13));
        assert_true(all->cell[c].min == 0 && all->cell[c].max == 36);
        assert_true(near(all->cell[c].m2, 1092));
    }
    rc_cube_close(all);
    for (int i = 0; i < 7; i++)
        rc_cube_close(run[i]);
}

static void mean_of_one_is_itself_and_differences_add_up_again(void **state)
{
    (void)state;
    for (seed = 1; seed < ROUNDS; seed++) {
        const struct shape first = any_shape(), second = any_shape();
        struct rc_cube *a = make_run(1, &first), *b = make_run(2, &second), *mean,
                       *less, *total;
        const struct rc_cube *const one[] = {a};
        assert_int_equal(rc_cube_mean(one, 1, &mean, &err), RC_OK);
        assert_same(mean, a, true);
        assert_int_equal(rc_cube_difference(a, b, &less, &err), RC_OK);
        assert_int_equal(rc_cube_total(less, b, &total, &err), RC_OK);
        for (size_t m = 0; m < a->metrics; m++) {
            const size_t t = rc_cube_find_metric(total, a->metric[m].name);
            const size_t in_b = rc_cube_find_metric(b, a->metric[m].name);
            size_t missing[2];
            assert_true(t != SIZE_MAX);
            const double was = rc_cube_sum(a, m, 0, &missing[0]),
                         is = rc_cube_sum(total, t, 0, &missing[1]);
            if (in_b == SIZE_MAX)
                assert_true(isnan(is)); /* missing in one is missing in the result */
            else if (!first.gaps && !second.gaps)
                assert_true(missing[1] == 0 && is == was);
        }
        rc_cube_close(a);
        rc_cube_close(b);
        rc_cube_close(mean);
        rc_cube_close(less);
        rc_cube_close(total);
    }
}

/* A cube of one path and one place: a number for each metric; NAN: it is missing. */
static struct rc_cube *one_cell(unsigned number, const char *const *name,
                                const int *parent, const double *value, size_t count)
{
    struct rc_cube *c = rc_cube_create(&err);
    const struct rc_cube_place at = {"rank 0 thread 0", "n", 0, 0};
    char text[32];
    size_t unused;

    snprintf(text, sizeof text, "run/%u", number);
    assert_non_null(c);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(rc_cube_add_metric(c, parent ? parent[i] : RC_CUBE_TOP,
                                            name[i], "1", "", &unused, &err),
                         RC_OK);
    assert_int_equal(rc_cube_add_place(c, &at, &unused, &err), RC_OK);
    assert_int_equal(rc_cube_add_source(c, text, &err), RC_OK);
    assert_int_equal(rc_cube_seal(c, &err), RC_OK);
    for (size_t i = 0; i < count; i++)
        rc_cube_put(c, c->metric_at[i], 0, 0, value[i]);
    return c;
}

static double value_of(const struct rc_cube *c, const char *metric)
{
    return rc_cube_cell(c, rc_cube_find_metric(c, metric), 0, 0)->mean;
}

/* Merge let the last value that was not zero win; the order mattered. */
static void of_2013_zero_is_a_value_and_no_value_wins(void **state)
{
    static const char *const name[] = {"L1"};
    struct rc_cube *a = one_cell(1, name, NULL, (double[]){8}, 1),
                   *b = one_cell(2, name, NULL, (double[]){0}, 1),
                   *c = one_cell(3, name, NULL, (double[]){NAN}, 1);
    struct rc_cube *ab = merge2(a, b), *ba = merge2(b, a), *abc = merge2(ab, c);

    (void)state;
    assert_true(value_of(ab, "L1") == 4 && value_of(ba, "L1") == 4);
    assert_true(value_of(abc, "L1") == 4 && rc_cube_cell(abc, 0, 0, 0)->n == 2);
    assert_true(rc_cube_is_missing(rc_cube_cell(c, 0, 0, 0)));
    struct rc_cube *const all[] = {a, b, c, ab, ba, abc};
    for (size_t i = 0; i < 6; i++)
        rc_cube_close(all[i]);
}

/* The mean divided by all runs also where a metric was in one only. */
static void of_2013_the_mean_is_of_those_that_have_it(void **state)
{
    static const char *const name[] = {"L1", "L2"};
    struct rc_cube *a = one_cell(1, name, NULL, (double[]){10, 6}, 2),
                   *b = one_cell(2, name, NULL, (double[]){20}, 1), *mean;
    const struct rc_cube *const of[] = {a, b};

    (void)state;
    assert_int_equal(rc_cube_mean(of, 2, &mean, &err), RC_OK);
    assert_true(value_of(mean, "L1") == 15 && value_of(mean, "L2") == 6);
    rc_cube_close(a);
    rc_cube_close(b);
    rc_cube_close(mean);
}

/* A metric with another parent in another run could be there twice. */
static void of_2013_a_metric_is_there_once_whatever_its_parents(void **state)
{
    static const char *const name[] = {"ACCESS", "HIT", "MISS"};
    struct rc_cube *a = one_cell(1, name, (int[]){-1, 0, 0}, (double[]){9, 5, 4}, 3),
                   *b = one_cell(2, name, (int[]){-1, -1, 1}, (double[]){9, 5, 4}, 3);
    struct rc_cube *ab = merge2(a, b), *ba = merge2(b, a);

    (void)state;
    assert_int_equal(ab->metrics, 3);
    assert_same(ab, ba, true);
    assert_true(ab->metric[rc_cube_find_metric(ab, "MISS")].parent == 0);
    struct rc_cube *const all[] = {a, b, ab, ba};
    for (size_t i = 0; i < 4; i++)
        rc_cube_close(all[i]);
}

static void what_does_not_go_together_is_refused(void **state)
{
    static const char *const name[] = {"A", "B"};
    const struct shape three = {2, 3, 3, false, false}, four = {2, 3, 4, false, false};
    struct rc_cube *a = make_run(1, &three), *b = make_run(2, &four), *out;
    const struct rc_cube *const of[] = {a, b};

    (void)state;
    assert_int_equal(rc_cube_merge(of, 2, &out, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "3 and 4 ranks"));
    assert_non_null(strstr(err.text, "--collapse"));
    struct rc_cube *x, *y;
    assert_int_equal(rc_cube_collapse(a, &x, &err), RC_OK);
    assert_int_equal(rc_cube_collapse(b, &y, &err), RC_OK);
    const struct rc_cube *const collapsed[] = {x, y};
    assert_int_equal(rc_cube_mean(collapsed, 2, &out, &err), RC_OK);
    rc_cube_close(out);
    /* one of all places, the other not */
    const struct rc_cube *const mixed[] = {y, b};
    assert_int_equal(rc_cube_merge(mixed, 2, &out, &err), RC_OK); /* a copy */
    rc_cube_close(out);
    /* parents in a circle: A below B in one, B below A in the other */
    struct rc_cube *p = one_cell(5, name, (int[]){-1, 0}, (double[]){1, 1}, 2),
                   *q = one_cell(6, (const char *const[]){"B", "A"}, (int[]){-1, 0},
                                 (double[]){1, 1}, 2);
    const struct rc_cube *const circle[] = {p, q};
    assert_int_equal(rc_cube_merge(circle, 2, &out, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "circle"));
    struct rc_cube *const all[] = {a, b, x, y, p, q};
    for (size_t i = 0; i < 6; i++)
        rc_cube_close(all[i]);
}

/* Cut, flat and collapse keep what they sum. */
static void parts_add_up_to_the_whole(void **state)
{
    (void)state;
    for (seed = 1; seed < ROUNDS; seed++) {
        const struct shape shape = {4, 8, 3, false, false};
        struct rc_cube *c = make_run(1, &shape), *flat, *all, *cut;
        assert_int_equal(rc_cube_flat(c, &flat, &err), RC_OK);
        assert_int_equal(rc_cube_collapse(c, &all, &err), RC_OK);
        for (size_t m = 0; m < c->metrics; m++) {
            const double sum = rc_cube_sum(c, m, 0, NULL);
            double inside = 0;
            assert_true(rc_cube_sum(flat, m, 0, NULL) == sum);
            assert_true(rc_cube_sum(all, m, 0, NULL) == sum);
            for (size_t p = 1; p < c->paths; p++) {
                bool outer = false;
                for (int64_t q = c->path[p].parent; q > 0; q = c->path[q].parent)
                    outer |= strcmp(c->path[q].name, "solve") == 0;
                if (!outer && strcmp(c->path[p].name, "solve") == 0)
                    inside += rc_cube_sum(c, m, p, NULL);
            }
            if (rc_cube_cut(c, "solve", &cut, &err) == RC_OK) {
                assert_true(rc_cube_sum(cut, m, 0, NULL) == inside);
                rc_cube_close(cut);
            }
        }
        assert_int_equal(all->places, 1);
        assert_int_equal(rc_cube_cut(c, "nowhere", &cut, &err), RC_EMISSING);
        assert_null(cut);
        rc_cube_close(c);
        rc_cube_close(flat);
        rc_cube_close(all);
    }
}

static char *write_file(const struct rc_cube *cube, size_t *bytes)
{
    char *file = NULL;
    FILE *out = open_memstream(&file, bytes);

    assert_non_null(out);
    assert_int_equal(rc_cubex_write(cube, out, &err), RC_OK);
    assert_int_equal(fclose(out), 0);
    return file;
}

static void files_read_back_as_they_were(void **state)
{
    (void)state;
    for (seed = 1; seed < ROUNDS; seed++) {
        struct shape shape = any_shape();
        struct rc_cube *a = make_run(1, &shape);
        shape = any_shape();
        struct rc_cube *b = make_run(2, &shape), *c = merge2(a, b), *back;
        size_t bytes;
        char *file = write_file(c, &bytes);
        assert_int_equal(rc_cubex_read(file, bytes, &back, stderr, &err), RC_OK);
        assert_same(back, c, true);
        assert_string_equal(back->source[1], "run/2");
        free(file);
        rc_cube_close(a);
        rc_cube_close(b);
        rc_cube_close(c);
        rc_cube_close(back);
    }
}

/* Any byte changed, and any end cut off: one line, or something that can be used. */
static void damaged_files_are_refused_in_one_line(void **state)
{
    const struct shape shape = {3, 4, 2, true, false};
    FILE *said = fopen("/dev/null", "w");
    size_t bytes, refused = 0;

    (void)state;
    seed = 11;
    struct rc_cube *a = make_run(1, &shape), *b = make_run(2, &shape),
                   *c = merge2(a, b), *back;
    char *file = write_file(c, &bytes);
    assert_non_null(said);
    for (size_t i = 0; i < 4000; i++) {
        const size_t at = draw((unsigned)bytes), cut = draw((unsigned)bytes);
        const char was = file[at];
        file[at] = (char)draw(256);
        err.text[0] = 0;
        if (rc_cubex_read(file, i % 4 ? bytes : cut, &back, said, &err) == RC_OK) {
            rc_cube_close(back);
        } else {
            refused++;
            assert_null(back);
            assert_true(err.text[0] && !strchr(err.text, '\n'));
        }
        file[at] = was;
    }
    assert_true(refused > 1000);
    for (size_t cut = 0; cut + 1024 < bytes; cut += 97) {
        err.text[0] = 0;
        assert_int_equal(rc_cubex_read(file, cut, &back, said, &err), RC_EUSAGE);
        assert_non_null(strstr(err.text, "cut off"));
    }
    assert_int_equal(rc_cubex_read("", 0, &back, said, &err), RC_EUSAGE);
    fclose(said);
    free(file);
    rc_cube_close(a);
    rc_cube_close(b);
    rc_cube_close(c);
}

/* Trees of thousands, and deep ones. */
static void deep_trees_are_put_in_order_and_read_back(void **state)
{
    enum { DEEP = 3000 };
    struct rc_cube *c = rc_cube_create(&err), *back = NULL;
    const struct rc_cube_place at = {"rank 0 thread 0", "n", 0, 0};
    size_t parent = 0, unused, bytes;

    (void)state;
    assert_non_null(c);
    for (int i = 0; i < DEEP; i++)
        assert_int_equal(
            rc_cube_add_path(c, (int64_t)parent, "f", "user", &parent, &err), RC_OK);
    assert_int_equal(
        rc_cube_add_metric(c, RC_CUBE_TOP, "time", "ns", "", &unused, &err), RC_OK);
    assert_int_equal(rc_cube_add_place(c, &at, &unused, &err), RC_OK);
    assert_int_equal(rc_cube_seal(c, &err), RC_OK);
    rc_cube_put(c, 0, DEEP, 0, 42);
    assert_int_equal(rc_cube_path_end(c, 0), DEEP + 1);
    char *file = write_file(c, &bytes);
    assert_int_equal(rc_cubex_read(file, bytes, &back, stderr, &err), RC_OK);
    assert_true(rc_cube_cell(back, 0, DEEP, 0)->mean == 42);
    free(file);
    rc_cube_close(c);
    rc_cube_close(back);
}

/* A tar of anchor.xml alone. */
static size_t make_tar(char *file, size_t room, const char *anchor)
{
    const size_t length = strlen(anchor), bytes = 512 + (length + 511) / 512 * 512;
    unsigned sum = 0;

    assert_true(bytes + 1024 <= room);
    memset(file, 0, bytes + 1024);
    strcpy(file, "anchor.xml");
    snprintf(file + 124, 12, "%011o", (unsigned)length);
    memset(file + 148, ' ', 8);
    memcpy(file + 257, "ustar", 6);
    for (size_t i = 0; i < 512; i++)
        sum += (unsigned char)file[i];
    snprintf(file + 148, 8, "%06o", sum);
    memcpy(file + 512, anchor, length);
    return bytes + 1024;
}

#define CUBE(before, name)                                                             \
    "<?xml version='1.0'?>" before "<cube><attr key='a' value='&lt;'/><metrics>"       \
    "<metric id='0'><uniq_name>time</uniq_name><dtype>DOUBLE</dtype></metric>"         \
    "</metrics><program><region id='0'><name>" name "</name></region>"                 \
    "<cnode calleeId='0'/></program><system><systemtreenode><locationgroup>"           \
    "<location Id='0'/></locationgroup></systemtreenode></system></cube>"

static void anchors_are_xml_without_declarations(void **state)
{
    static char file[65536], deep[40000] = "<a><cnode>";
    static const struct {
        const char *anchor, *said; /* NULL: the name of its region */
    } tried[] = {
        {CUBE("", "a"), NULL},
        {CUBE("<!DOCTYPE cube>", "a"), NULL},
        {CUBE("<!DOCTYPE cube SYSTEM 'cube.dtd'>", "a"), NULL},
        {CUBE("", "<!-- x > y -->a<![CDATA[]]>"), NULL},
        {CUBE("", "<b><region id='7'/></b>a"), NULL},
        {CUBE("<!DOCTYPE cube [<!ENTITY a 'aaaaaaaa'>]>", "&a;"), "declares"},
        {CUBE("<!DOCTYPE cube [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>", "&a;"),
         "declares"},
        {CUBE("<!DOCTYPE cube [<!ENTITY a '&b;&b;'><!ENTITY b '&a;&a;'>]>", "&a;"),
         "declares"},
        {CUBE("<!DOCTYPE cube [<!ELEMENT cube ((((a))))>]>", "a"), "declares"},
        {CUBE("", "&a;"), "line 1: undefined entity"},
        {CUBE("", "&#27;"), "line 1: reference to invalid character number"},
        {CUBE("", "\x1b"), "line 1: not well-formed"},
        {CUBE("", "\xe9"), "line 1: not well-formed"},
        {CUBE("", "a</name><name>") "<more/>", "line 1: junk after document element"},
        {CUBE("", "a</region><region id='1'>"), "line 1: mismatched tag"},
        {CUBE("", "<b a='1' a='2'/>"), "line 1: duplicate attribute"},
        {CUBE("", "<b a=1/>"), "line 1: not well-formed"},
        {"\n\n<cube><metrics>", "line 3: no element found"},
        {"<cube/>", "0 cnodes and 0 locations"},
        {"<location/>", "in no locationgroup"},
        {"", "line 1: no element found"},
        {deep, "elements in more than 4096 others"}};
    struct rc_cube *back;

    (void)state;
    for (size_t i = 0; i < 4200; i++)
        strcpy(deep + 10 + 7 * i, "<cnode>");
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        const size_t bytes = make_tar(file, sizeof file, tried[i].anchor);
        const int status = rc_cubex_read(file, bytes, &back, stderr, &err);
        assert_int_equal(status, tried[i].said ? RC_EUSAGE : RC_OK);
        if (tried[i].said && !strstr(err.text, tried[i].said))
            fail_msg("%s: %s: expected %s", tried[i].anchor, err.text, tried[i].said);
        if (!tried[i].said)
            assert_string_equal(back->path[1].name, i == 4 ? "" : "a");
        rc_cube_close(back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_does_not_depend_on_order_or_brackets),
        cmocka_unit_test(copies_count_once),
        cmocka_unit_test(pooled_numbers_are_those_of_all_runs),
        cmocka_unit_test(mean_of_one_is_itself_and_differences_add_up_again),
        cmocka_unit_test(of_2013_zero_is_a_value_and_no_value_wins),
        cmocka_unit_test(of_2013_the_mean_is_of_those_that_have_it),
        cmocka_unit_test(of_2013_a_metric_is_there_once_whatever_its_parents),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(parts_add_up_to_the_whole),
        cmocka_unit_test(files_read_back_as_they_were),
        cmocka_unit_test(anchors_are_xml_without_declarations),
        cmocka_unit_test(damaged_files_are_refused_in_one_line),
        cmocka_unit_test(deep_trees_are_put_in_order_and_read_back)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
