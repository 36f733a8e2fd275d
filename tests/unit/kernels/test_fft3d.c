/* The 3D-FFT: every path on every grid is a Fourier transform, and says what it does.
 *
 * With RC_FFT3D_LONG in the environment all grids are tried with all else.
 */
#include "tests/lib/test.h"

#include "kernels/fft3d/check.h"
#include "kernels/fft3d/fft3d.h"
#include "kernels/fft3d/split.h"
#include "tests/lib/on_teams.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/statvfs.h>

/* The next failure: memory on one rank, shared memory on all. */
static long memory_left = -1;
static bool no_shared_memory, no_window;
static size_t most_bytes = SIZE_MAX; /* of one piece of memory, shared or not */

void *__real_rc_fft_memory(size_t bytes);
void *__wrap_rc_fft_memory(size_t bytes);
void *__wrap_rc_fft_memory(size_t bytes)
{
    if (bytes > most_bytes || (memory_left >= 0 && memory_left-- == 0))
        return NULL;
    return __real_rc_fft_memory(bytes);
}

void *__real_rc_calloc(size_t count, size_t item_bytes);
void *__wrap_rc_calloc(size_t count, size_t item_bytes);
void *__wrap_rc_calloc(size_t count, size_t item_bytes)
{
    return memory_left >= 0 && memory_left-- == 0 ? NULL
                                                  : __real_rc_calloc(count, item_bytes);
}

int __real_statvfs(const char *path, struct statvfs *out);
int __wrap_statvfs(const char *path, struct statvfs *out);
int __wrap_statvfs(const char *path, struct statvfs *out)
{
    int failed = __real_statvfs(path, out);
    if (no_shared_memory)
        out->f_bavail = 10;
    if (most_bytes < SIZE_MAX) /* beside what MPI itself may want */
        out->f_bavail = (most_bytes + (1 << 20)) / out->f_frsize;
    return failed;
}

int __real_MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info,
                                   MPI_Comm comm, void *base, MPI_Win *win);
int __wrap_MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info,
                                   MPI_Comm comm, void *base, MPI_Win *win);
int __wrap_MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info,
                                   MPI_Comm comm, void *base, MPI_Win *win)
{
    if (no_window)
        return MPI_ERR_RMA_SHARED;
    return __real_MPI_Win_allocate_shared(bytes, unit, info, comm, base, win);
}

static struct rc_fft *created(const struct rc_fft_options *options)
{
    struct rc_fft *fft = NULL;
    struct rc_error err = {.text = ""};
    if (rc_fft_create(team_comm, options, &fft, &err) != RC_OK)
        fail_msg("%s", err.text);
    return fft;
}

/* Whether it is a Fourier transform. */
static void check_one(const struct rc_fft_options *options)
{
    struct rc_error err = {.text = ""};
    struct rc_fft_check check;
    struct rc_fft *fft = created(options);
    if (rc_fft_check(fft, &check, &err) != RC_OK)
        fail_msg("%s %zux%zux%zu %s %s %s, nodes of %zu: %s", fft->options.path->name,
                 options->n[0], options->n[1], options->n[2],
                 options->real ? "r2c" : "c2c", options->single ? "single" : "double",
                 options->transposed ? "transposed" : "natural", options->node_size,
                 err.text);
    rc_fft_close(fft);
}

/* One grid by every path that can, in both orders and precisions, of both kinds. */
static void check_grid(const size_t n[3], bool all)
{
    for (unsigned i = 0; i < 16; i++) {
        struct rc_fft_options o = {.n = {n[0], n[1], n[2]},
                                   .real = i & 1,
                                   .transposed = i & 2,
                                   .single = i & 4,
                                   .plain = i & 8};
        if (!all && i >= 8 && i != 8 + n[2] % 8)
            continue;
        for (size_t p = 0; rc_fft_paths[p]; p++) {
            o.path = rc_fft_paths[p];
            if (o.path->only_transposed && !o.transposed)
                continue;
            check_one(&o);
        }
    }
}

static void every_path_is_a_fourier_transform(void **state)
{
    static const size_t few[][3] = {{1, 1, 1}, {2, 2, 2}, {15, 15, 15}, {9, 4, 35}};
    static const size_t many[][3] = {{8, 8, 8},    {30, 30, 30}, {64, 64, 64},
                                     {45, 50, 64}, {31, 37, 41}, {3, 64, 5},
                                     {5, 1, 66},   {66, 2, 1}};
    bool all = getenv("RC_FFT3D_LONG");
    (void)state;
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++)
        check_grid(few[i], all);
    for (size_t i = 0; all && i < sizeof many / sizeof many[0]; i++)
        check_grid(many[i], all);
}

static void nodes_that_are_made_up_give_the_same(void **state)
{
    static const size_t grids[][3] = {{15, 15, 15}, {6, 7, 33}};
    (void)state;
    for (size_t g = 0; g < 2; g++)
        for (size_t node_size = 1; node_size <= (size_t)size; node_size++)
            for (unsigned i = 0; i < 4; i++) {
                struct rc_fft_options o = {.n = {grids[g][0], grids[g][1], grids[g][2]},
                                           .real = i & 1,
                                           .transposed = i & 2,
                                           .node_size = node_size,
                                           .path = &rc_fft_slab};
                if ((size_t)size <= o.n[0])
                    check_one(&o);
                o.path = NULL; /* the one that suits the nodes */
                check_one(&o);
            }
}

/* Out of place: a transform as any, and the input stays to the last bit. */
static void the_input_may_stay(void **state)
{
    static const size_t grids[][3] = {{15, 15, 15}, {2, 7, 33}, {1, 1, 1}};
    (void)state;
    for (unsigned i = 0; i < 24; i++) {
        const size_t *n = grids[i / 8];
        struct rc_fft_options o = {.n = {n[0], n[1], n[2]},
                                   .real = i & 1,
                                   .transposed = i & 2,
                                   .single = i & 4,
                                   .apart = true,
                                   .path = &rc_fft_node};
        check_one(&o);
        struct rc_fft *fft = created(&o);
        size_t element = o.single ? 4 : 8, bytes = 0;
        rc_fft_fill(fft);
        if (fft->in.base)
            bytes = (fft->in.extent[0] - 1) * fft->in.stride[0] * element *
                        (o.real ? 1 : 2) +
                    fft->in.extent[2] * element;
        void *kept = malloc(bytes + 1);
        assert_non_null(kept);
        if (bytes)
            memcpy(kept, fft->in.base, bytes);
        rc_fft_forward(fft);
        if (bytes)
            assert_memory_equal(kept, fft->in.base, bytes);
        free(kept);
        rc_fft_close(fft);
    }
    struct rc_fft_options no = {.n = {8, 8, 8}, .apart = true, .path = &rc_fft_pencil};
    struct rc_fft *fft = NULL;
    struct rc_error err = {.text = ""};
    assert_int_equal(rc_fft_create(team_comm, &no, &fft, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "--place out: path pencil works in place"));
}

/* Nodes that have room for their own planes only: columns are gathered. */
static void nodes_without_room_for_all_planes_give_the_same(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        struct rc_fft_options o = {.n = {40, 16, 21},
                                   .real = i & 1,
                                   .transposed = i & 2,
                                   .single = i & 4,
                                   .node_size = 1 + i % 2,
                                   .path = &rc_fft_slab};
        size_t element = o.single ? 8 : 16, columns = o.real ? 11 : 21;
        size_t row = rc_fft_row_pitch(columns, element, false);
        size_t plane = rc_fft_plane_pitch(16, row, element, false) * element;
        most_bytes = 35 * plane;
        if (size > 2)
            check_one(&o);
        most_bytes = SIZE_MAX;
    }
}

static void every_grid_of_ranks_and_re_sort_gives_the_same(void **state)
{
    (void)state;
    for (size_t r = 1; r <= (size_t)size; r++) {
        struct rc_fft_options o = {.n = {9, 10, 14}, .procs = {r, (size_t)size / r}};
        if ((size_t)size % r)
            continue;
        o.path = &rc_fft_pencil;
        check_one(&o);
        for (unsigned i = 0; i < 8; i++) { /* rows are nodes, which share memory */
            o.node_size = o.procs[1];
            o.real = i & 1;
            o.transposed = i & 2;
            o.single = i & 4;
            check_one(&o);
        }
        o.node_size = 0;
        o.real = o.transposed = o.single = false;
        o.path = &rc_fft_w;
        check_one(&o);
        o.path = &rc_fft_steps;
        for (int resort = 0; resort <= RC_FFT_RESORT_NT; resort++) {
            o.resort = (enum rc_fft_resort)resort;
            check_one(&o);
        }
    }
}

static void plans_that_were_measured_give_the_same_everywhere(void **state)
{
    struct rc_fft_options o = {.n = {6, 7, 20}, .effort = RC_FFT_MEASURE, .block = 3};
    char *wisdom = NULL;
    (void)state;
    for (size_t p = 0; rc_fft_paths[p]; p++) {
        o.path = rc_fft_paths[p];
        check_one(&o);
    }
    struct rc_fft *fft = created(&o);
    if (rank == 0) {
        wisdom = rc_fft_planner_wisdom(&fft->planner);
        assert_non_null(wisdom);
        assert_non_null(strstr(wisdom, "fftw"));
    }
    rc_fft_close(fft);
    free(wisdom);
}

/* The node's path, but for one number, or one after a row, or not always. */
enum { NUMBER, BACK, PADDING, SOMETIMES, BREAKS };
static int breaks;

static void break_forward(struct rc_fft *fft)
{
    static unsigned runs;
    rc_fft_node.forward(fft);
    double *at = fft->out.base;
    if (!at || rank < size - 1) /* the last has points on each grid */
        return;
    if (breaks == NUMBER)
        at[fft->out.stride[1] * 2] += 1e-6;
    else if (breaks == PADDING)
        at[fft->padding.used * 2] = 1;
    else if (breaks == SOMETIMES)
        at[0] += ++runs % 2 ? 1e-15 : 0;
}

static void break_backward(struct rc_fft *fft, double scale)
{
    rc_fft_node.backward(fft, breaks == BACK ? scale * 1.001 : scale);
}

static void what_is_no_transform_is_found(void **state)
{
    static const char *const said[BREAKS] = {
        [NUMBER] = "the check 'delta' failed",
        [BACK] = "the check 'forward and backward' failed",
        [PADDING] = "the check 'padding is left alone' failed",
        [SOMETIMES] = "the check 'the same bits again' failed",
    };
    (void)state;
    for (int i = 0; i < BREAKS; i++) {
        struct rc_fft_options o = {.n = {6, 7, 9}, .path = &rc_fft_node};
        struct rc_fft_path broken = rc_fft_node;
        struct rc_fft_check check;
        struct rc_error err = {.text = ""};
        struct rc_fft *fft = created(&o);
        broken.forward = break_forward;
        broken.backward = break_backward;
        breaks = i;
        fft->options.path = &broken;
        assert_int_equal(rc_fft_check(fft, &check, &err), RC_EBROKEN);
        if (!strstr(err.text, said[i]))
            fail_msg("said '%s', expected '%s'", err.text, said[i]);
        fft->options.path = &rc_fft_node;
        rc_fft_close(fft);
    }
}

static void refuses(const struct rc_fft_options *options, int expected,
                    const char *text)
{
    struct rc_fft *fft = NULL;
    struct rc_error err = {.text = ""};
    assert_int_equal(rc_fft_create(team_comm, options, &fft, &err), expected);
    assert_null(fft);
    if (!strstr(err.text, text))
        fail_msg("said '%s', expected '%s'", err.text, text);
}

static void transforms_that_cannot_be_are_refused_with_one_line(void **state)
{
    static const struct {
        struct rc_fft_options o;
        int status;
        const char *text;
    } bad[] = {
        {{.n = {0, 4, 4}}, RC_EUSAGE, "a grid of 0x4x4: expected numbers from 1 to"},
        {{.n = {4, 4, (size_t)INT_MAX + 1}}, RC_EUSAGE, "expected numbers from 1 to"},
        {{.n = {4, (size_t)-4, 4}}, RC_EUSAGE, "expected numbers from 1 to"},
        {{.n = {INT_MAX, INT_MAX, INT_MAX}}, RC_EUSAGE, "than there are addresses"},
        {{.n = {100000, 100000, 100000}}, RC_ENOMEM, "of memory"},
        {{.n = {4, 4, 4}, .procs = {17, 3}},
         RC_EUSAGE,
         "--procs 17x3: expected a grid"},
        {{.n = {4, 4, 4}, .procs = {(size_t)1 << 40, (size_t)1 << 40}},
         RC_EUSAGE,
         "expected a grid"},
        {{.n = {4, 4, 4}, .wisdom = "(not wisdom)"}, RC_EUSAGE, "a planner of double"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses(&bad[i].o, bad[i].status, bad[i].text);
    struct rc_fft_options o = {.n = {1, 4, 4}, .node_size = 1, .path = &rc_fft_slab};
    if (size > 1) {
        refuses(&o, RC_EUSAGE, "--path slab: ");
        o.path = &rc_fft_node;
        refuses(&o, RC_EUSAGE, "--path node: it is for ranks that share memory");
    }
}

static void without_shared_memory_each_rank_is_a_node(void **state)
{
    const struct rc_fft_options o = {.n = {8, 9, 10}};
    struct rc_fft_check check;
    struct rc_error err = {.text = ""};
    (void)state;
    for (int i = 0; i < 2; i++) {
        no_shared_memory = i == 0;
        no_window = i == 1;
        struct rc_fft *fft = created(&o);
        if (size > 1) {
            const char *why =
                i == 0 ? "/dev/shm has 40 KiB left" : "MPI gives no window";
            if (!strstr(fft->fallback, why) ||
                !strstr(fft->fallback, "path slab instead"))
                fail_msg("said '%s', expected '%s'", fft->fallback, why);
            assert_int_equal(fft->nodes.count, size);
        } else {
            assert_string_equal(fft->fallback, "");
        }
        assert_int_equal(rc_fft_check(fft, &check, &err), RC_OK);
        rc_fft_close(fft);
    }
    no_shared_memory = no_window = false;
}

/* Whether 'out' was made at last, after memory failed at each place on one rank. */
static bool survives(const struct rc_fft_options *options, long at, int who)
{
    struct rc_fft *fft = NULL;
    struct rc_error err = {.text = ""};
    memory_left = rank == who ? at : -1;
    int status = rc_fft_create(team_comm, options, &fft, &err);
    int failed = rank == who && memory_left == -1;
    memory_left = -1;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, team_comm);
    if (status != RC_OK)
        assert_int_equal(status, RC_ENOMEM);
    rc_fft_close(fft);
    return !failed;
}

static void a_rank_without_memory_fails_all_of_them(void **state)
{
    (void)state;
    for (size_t p = 0; rc_fft_paths[p]; p++) {
        struct rc_fft_options o = {.n = {size > 4 ? 9 : 4, 5, 6},
                                   .path = rc_fft_paths[p]};
        long at = 0;
        while (!survives(&o, at, (int)(p + (size_t)at) % size))
            at++;
        assert_true(at > 3);
    }
}

/* On all ranks. */
static struct rc_fft_work work_of(const struct rc_fft *fft, const char *name)
{
    struct rc_fft_work sum = {0};
    for (size_t p = 0; p < fft->phases.count; p++) {
        const struct rc_fft_work *w = &fft->phases.phase[p].work;
        if (name && strcmp(fft->phases.phase[p].name, name) != 0)
            continue;
        sum.flops += w->flops;
        sum.sent_bytes += w->sent_bytes;
        sum.messages += w->messages;
        sum.load_bytes += w->load_bytes;
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum.flops, 1, MPI_DOUBLE, MPI_SUM, team_comm);
    MPI_Allreduce(MPI_IN_PLACE, &sum.sent_bytes, 1, MPI_UINT64_T, MPI_SUM, team_comm);
    MPI_Allreduce(MPI_IN_PLACE, &sum.messages, 1, MPI_UINT64_T, MPI_SUM, team_comm);
    MPI_Allreduce(MPI_IN_PLACE, &sum.load_bytes, 1, MPI_UINT64_T, MPI_SUM, team_comm);
    return sum;
}

static void the_work_of_all_phases_is_that_of_the_transform(void **state)
{
    const double n = 12.0 * 20 * 30;
    const double flops = 5 * n * (log2(12) + log2(20) + log2(30));
    (void)state;
    for (size_t p = 0; rc_fft_paths[p]; p++) {
        struct rc_fft_options o = {.n = {12, 20, 30}, .path = rc_fft_paths[p]};
        struct rc_fft *fft = created(&o);
        struct rc_fft_work all = work_of(fft, NULL);
        if (o.path == &rc_fft_steps) /* of each number, by a constant: no transform */
            all.flops -= work_of(fft, "steps/scale").flops;
        assert_true(fabs(all.flops / flops - 1) < 1e-12);
        if (o.path == &rc_fft_node)
            assert_int_equal(all.sent_bytes, 0);
        rc_fft_close(fft);
    }
    /* All but its own part of a rank's 16 n / ranks bytes goes to others. */
    uint64_t ranks = (uint64_t)size, other = (ranks - 1) * 16 * 12 * 20 * 30 / ranks;
    struct rc_fft_options o = {.n = {12, 20, 30}, .procs = {1, (size_t)size}};
    o.path = &rc_fft_steps;
    struct rc_fft *fft = created(&o);
    if (20 % ranks == 0 && 30 % ranks == 0) {
        assert_int_equal(work_of(fft, "steps/a2a-row").sent_bytes, other);
        assert_int_equal(work_of(fft, "steps/a2a-row").messages, ranks * (ranks - 1));
    }
    assert_int_equal(work_of(fft, "steps/a2a-column").sent_bytes, 0);
    assert_int_equal(work_of(fft, "steps/s2cf").load_bytes, 16 * 12 * 20 * 30);
    rc_fft_close(fft);
}

/* Names that tools hear, in order. */
static struct {
    char text[4000];
} heard;

int MPI_Pcontrol(const int level, ...)
{
    va_list args;
    va_start(args, level);
    const char *name = va_arg(args, const char *);
    size_t used = strlen(heard.text);
    snprintf(heard.text + used, sizeof heard.text - used, "%c%s ",
             level > 0 ? '+' : '-', name);
    va_end(args);
    return MPI_SUCCESS;
}

static void tools_are_told_of_passes_and_phases_when_they_are_named(void **state)
{
    const struct rc_fft_options o = {.n = {8, 8, 8}, .path = &rc_fft_node};
    struct rc_fft *fft = created(&o);
    (void)state;
    heard.text[0] = '\0';
    rc_fft_forward(fft);
    assert_string_equal(heard.text, "");
    fft->phases.named = true;
    rc_fft_forward(fft);
    assert_string_equal(
        heard.text, "+forward +node/planes -node/planes +node/fence -node/fence "
                    "+node/columns -node/columns +node/fence -node/fence -forward ");
    rc_fft_close(fft);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_is_a_fourier_transform),
        cmocka_unit_test(the_input_may_stay),
        cmocka_unit_test(nodes_that_are_made_up_give_the_same),
        cmocka_unit_test(nodes_without_room_for_all_planes_give_the_same),
        cmocka_unit_test(what_is_no_transform_is_found),
        cmocka_unit_test(every_grid_of_ranks_and_re_sort_gives_the_same),
        cmocka_unit_test(plans_that_were_measured_give_the_same_everywhere),
        cmocka_unit_test(transforms_that_cannot_be_are_refused_with_one_line),
        cmocka_unit_test(without_shared_memory_each_rank_is_a_node),
        cmocka_unit_test(a_rank_without_memory_fails_all_of_them),
        cmocka_unit_test(the_work_of_all_phases_is_that_of_the_transform),
        cmocka_unit_test(tools_are_told_of_passes_and_phases_when_they_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run);
}
