/* Sampled stacks: places in memory, names of functions, and the tree that is made. */
#include "tests/lib/test.h"

#include "campaign/profile/read/stacks.h"
#include "campaign/profile/stacks/sampling.h"
#include "campaign/profile/stacks/symbols.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rc_error err;
static struct rc_arena memory; /* notes what finds none */

static void names_of_compilers_become_readable_if_they_are_simple(void **state)
{
    static const char *const wanted[][2] = {
        {"main", "main"},
        {"", ""},
        {"_ZN4Mesh5solveEi", "Mesh::solve"},
        {"_ZNK4Mesh5solveEv", "Mesh::solve"},
        {"_Z5solveid", "solve"},
        {"_ZL5solveid", "solve"},
        {"_ZN4MeshC2Ei", "Mesh::Mesh"},
        {"_ZN4MeshD0Ev", "Mesh::~Mesh"},
        {"_ZN12_GLOBAL__N_15solveEv", "(anonymous)::solve"},
        {"__mesh_MOD_solve", "mesh::solve"},
        {"solve_", "solve_"},
        {"PMPI_Send", "MPI_Send"},
        {"pmpi_send_", "mpi_send_"},
        {"PMPIX", "PMPIX"},
        {"solve._omp_fn.0", "solve [omp 0]"},
        {"_ZN4Mesh5solveEi._omp_fn.12", "Mesh::solve [omp 12]"},
        {"._omp_fn.0", "._omp_fn.0"},
        {"solve.omp_outlined", "solve [omp]"},
        {"_ZN4Mesh5solveEi.omp_outlined.3", "Mesh::solve [omp 3]"},
        {"solve.omp_outlined_debug__", "solve [omp]"},
        {".omp_outlined.", ".omp_outlined."},
        {".omp_outlined..1", ".omp_outlined..1"},
        /* what is not understood, or no such name, stays as it is */
        {"_Z3maxIiET_S0_S0_", "_Z3maxIiET_S0_S0_"},
        {"_ZSt4sortv", "_ZSt4sortv"},
        {"_ZN4Mesh", "_ZN4Mesh"},
        {"_ZN", "_ZN"},
        {"_Z", "_Z"},
        {"_Z99solve", "_Z99solve"},
        {"_Z0", "_Z0"},
        {"_ZN99999999999999999999xE", "_ZN99999999999999999999xE"},
        {"_ZNC2Ev", "_ZNC2Ev"},
        {"__MOD", "__MOD"}};
    char text[64], tiny[4];

    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_string_equal(
            rc_profile_symbols_readable(wanted[i][0], text, sizeof text), wanted[i][1]);
    assert_string_equal(rc_profile_symbols_readable("main", tiny, sizeof tiny), "mai");
    assert_string_equal(
        rc_profile_symbols_readable("_ZN4Mesh5solveEi", tiny, sizeof tiny), "Mes");
}

__attribute__((noinline)) int rc_test_a_function_with_a_name(int x);
int rc_test_a_function_with_a_name(int x)
{
    return x + (int)getpid();
}

/* This program's own, as it would be found by a sample in it. */
static void a_function_of_this_program_is_found_by_its_address(void **state)
{
    int (*volatile function)(int) = rc_test_a_function_with_a_name;
    struct rc_profile_mappings mappings = {.item = NULL};
    struct rc_profile_modules modules;
    uint32_t module = 0;
    uint64_t offset = 0, address;
    const char *why = "";

    (void)state;
    memcpy(&address, (const void *)&function, sizeof address);
    assert_int_equal(rc_profile_modules_init(&modules), 0);
    rc_profile_mappings_read(&mappings, (uint32_t)getpid(), modules.texts);
    assert_true(mappings.count > 2);
    assert_true(
        rc_profile_mappings_find(&mappings, address, &modules, &module, &offset));
    assert_int_equal(module, 1);
    struct rc_profile_module *file = &modules.item[0];
    assert_non_null(strstr(file->path, "test_profile_stacks"));
    struct rc_profile_symbols *symbols = rc_profile_symbols_open(file, &why);
    if (!symbols && strstr(why, "libdw"))
        goto out; /* built without it */
    assert_non_null(symbols);
    assert_string_equal(rc_profile_symbols_find(symbols, offset),
                        "rc_test_a_function_with_a_name");
    assert_int_equal(rc_profile_symbols_begin(symbols, offset + 3), offset);
    assert_int_equal(rc_profile_symbols_begin(symbols, 0), 0);
#ifdef __x86_64__
    const struct rc_profile_caller caller = rc_profile_symbols_caller(symbols, offset);
    assert_true(caller.from == RC_PROFILE_FROM_STACK && caller.end == 8);
    assert_int_equal(caller.frame_at, 0);
    assert_int_equal(rc_profile_symbols_caller(symbols, 0).from,
                     RC_PROFILE_FROM_UNKNOWN);
#endif
    assert_int_equal(rc_profile_symbols_caller(NULL, offset).from,
                     RC_PROFILE_FROM_UNKNOWN);
    assert_null(rc_profile_symbols_find(symbols, UINT64_MAX));
    assert_null(rc_profile_symbols_find(symbols, 0));
    rc_profile_symbols_close(symbols);
    if (file->build_id[0]) {
        file->build_id = "00112233";
        assert_null(rc_profile_symbols_open(file, &why));
        assert_string_equal(why, "it is another file now");
    }
out:
    rc_profile_mappings_fini(&mappings);
    rc_profile_modules_fini(&modules);
}

#ifdef __x86_64__

/* A sample of this thread, at a place in the function that is called. */
struct taken {
    uint64_t registers[RC_PROFILE_REGISTER_COUNT]; /* bp, sp, ip */
    char stack[4096];
};

/* Frames of others are read as bytes, which sanitizers do not like. */
__attribute__((noinline, no_sanitize("address", "undefined"))) void
rc_test_innermost(struct taken *out);
void rc_test_innermost(struct taken *out)
{
    uint64_t bp, sp, ip;

    __asm__ volatile("movq %%rbp, %0\n\tmovq %%rsp, %1\n\tleaq 0(%%rip), %2"
                     : "=r"(bp), "=r"(sp), "=r"(ip));
    out->registers[0] = bp;
    out->registers[1] = sp;
    out->registers[2] = ip;
    for (size_t i = 0; i < sizeof out->stack; i++)
        out->stack[i] = ((const volatile char *)sp)[i]; /* NOLINT */
}

__attribute__((noinline)) int rc_test_outer(struct taken *out);
int rc_test_outer(struct taken *out)
{
    void (*volatile innermost)(struct taken *) = rc_test_innermost; /* no clone of it */

    innermost(out);
    return (int)out->stack[0]; /* so that the call is not its last */
}

/* Each caller is found by what the file says of the frames, as far as the stack is
 * there; a piece of it that is cut, or strange, ends the stack.
 */
static void callers_are_found_by_the_tables_of_files(void **state)
{
    static struct taken taken;
    struct rc_profile_mappings mappings = {.item = NULL};
    struct rc_profile_modules modules;
    struct rc_profile_frame place[RC_PROFILE_PLACES];
    const char *why = "";
    int (*volatile outer)(struct taken *) = rc_test_outer;

    (void)state;
    if (rc_profile_symbols_no_callers())
        skip();
    (void)outer(&taken);
    assert_int_equal(rc_profile_modules_init(&modules), 0);
    rc_profile_mappings_read(&mappings, (uint32_t)getpid(), modules.texts);
    struct rc_profile_sample sample = {.registers = taken.registers,
                                       .stack = taken.stack,
                                       .stack_bytes = sizeof taken.stack};
    enum rc_profile_cut cut;
    const size_t count = rc_profile_unwind(&mappings, &modules, &sample, place, &cut);
    assert_true(count >= 3);
    struct rc_profile_symbols *symbols =
        rc_profile_symbols_open(&modules.item[place[0].module - 1], &why);
    assert_non_null(symbols);
    static const char *const wanted[] = {"rc_test_innermost", "rc_test_outer",
                                         "callers_are_found_by_the_tables_of_files"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(rc_profile_symbols_find(symbols, place[i].offset),
                            wanted[i]);
    rc_profile_symbols_close(symbols);
    for (size_t bytes = 0; bytes < 512; bytes++) {
        sample.stack_bytes = bytes;
        sample.filled = bytes % 2;
        const size_t fewer =
            rc_profile_unwind(&mappings, &modules, &sample, place, &cut);
        assert_true(fewer >= 1 && fewer <= count);
        if (fewer < 3) /* the piece was too short, if there was more */
            assert_int_equal(cut, sample.filled ? RC_PROFILE_CUT_BYTES
                                                : RC_PROFILE_CUT_UNKNOWN);
    }
    sample.stack_bytes = sizeof taken.stack;
    for (uint64_t i = 0; i < 64; i++) { /* any words, and any registers */
        memset(taken.stack + i * 8, (int)i * 7, 8);
        taken.registers[i % 2] += i * 8;
        assert_true(rc_profile_unwind(&mappings, &modules, &sample, place, &cut) >= 1);
    }
    rc_profile_mappings_fini(&mappings);
    rc_profile_modules_fini(&modules);
}

#endif

/* None of these is a file with functions; nothing may be waited for. */
static void files_without_symbols_are_refused(void **state)
{
    static const char *const paths[] = {"[vdso]", "/nowhere/app", "/dev/zero",
                                        "/proc",  "/etc/passwd",  ""};
    const char *why;

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        why = "";
        assert_null(rc_profile_symbols_open(
            &(struct rc_profile_module){.path = paths[i], .build_id = ""}, &why));
        assert_true(strlen(why) > 5);
    }
}

static void the_newest_mapping_of_an_address_counts(void **state)
{
    struct rc_profile_mappings mappings = {.item = NULL};
    struct rc_profile_modules modules;
    uint32_t module = 0, first = 0;
    uint64_t offset = 0;

    (void)state;
    assert_int_equal(rc_profile_modules_init(&modules), 0);
    struct rc_pool *texts = modules.texts;
    assert_false(
        rc_profile_mappings_find(&mappings, 0x1000, &modules, &module, &offset));
    rc_profile_mappings_add(&mappings, 0x1000, 0x3000, 0x400, "/no/a.so", texts);
    assert_true(rc_profile_mappings_find(&mappings, 0x1010, &modules, &first, &offset));
    assert_int_equal(offset, 0x410); /* without headers: in the file */
    rc_profile_mappings_add(&mappings, 0x2000, 0x3000, 0, "/no/b.so", texts);
    assert_true(
        rc_profile_mappings_find(&mappings, 0x2010, &modules, &module, &offset));
    assert_int_not_equal(module, first);
    assert_int_equal(offset, 0x10);
    assert_false(
        rc_profile_mappings_find(&mappings, 0x3000, &modules, &module, &offset));
    rc_profile_mappings_add(&mappings, 0x9000, 0x8000, 0, "/no/c.so", texts);
    assert_false(
        rc_profile_mappings_find(&mappings, 0x8800, &modules, &module, &offset));
    /* what is generated has one place, whatever it is called and wherever it is */
    static const char *const made[] = {"", "//anon", "[heap]"};
    for (uint64_t i = 0; i < 3; i++) {
        rc_profile_mappings_add(&mappings, 0x10000 + i * 0x1000, 0x11000 + i * 0x1000,
                                0, made[i], texts);
        assert_true(rc_profile_mappings_find(&mappings, 0x10800 + i * 0x1000, &modules,
                                             &module, &offset));
        assert_string_equal(modules.item[module - 1].path, "[generated code]");
        assert_int_equal(offset, 0);
    }
    for (uint64_t i = 0; i < 20000; i++) /* a program that never stops */
        rc_profile_mappings_add(&mappings, 0x100000 + i * 16, 0x100010 + i * 16, 0,
                                "//anon", texts);
    assert_true(mappings.count < 10000);
    assert_true(rc_profile_mappings_find(&mappings, 0x100000 + 19999 * 16, &modules,
                                         &module, &offset));
    rc_profile_mappings_fini(&mappings);
    rc_profile_modules_fini(&modules);
}

/* Frames: 1 start, 2 in app, called from 1; 3 in lib, from 2; 4 in app, from 3; 5 in
 * lib, from nowhere; 6 nothing is known of.
 */
static const struct rc_profile_module modules[] = {
    {"/no/libc.so", ""}, {"/no/app", ""}, {"/no/lib.so", ""}};
static const struct rc_profile_frame frames[] = {
    {0, 1, 0x100, true},  {1, 2, 0x200, false}, {2, 3, 0x300, false},
    {3, 2, 0x400, false}, {0, 3, 0x500, false}, {0, 0, 0, false}};
static const struct rc_profile_task tasks[] = {{10, 10, 0}, {10, 11, -1}};
static const struct rc_profile_stack_count counts[] = {
    {0, 2, 10}, {1, 3, 20}, {0, 4, 30}, {0, 5, 5}, {1, 6, 4}, {1, 0, 1}};

static struct rc_profile_stacks record(void)
{
    return (struct rc_profile_stacks){.period_ns = 10000000,
                                      .kernel = true,
                                      .why = "",
                                      .module = modules,
                                      .module_count = 3,
                                      .task = tasks,
                                      .task_count = 2,
                                      .frame = frames,
                                      .frame_count = 6,
                                      .count = counts,
                                      .count_count = 6};
}

static void records_that_name_what_is_not_there_change_nothing(void **state)
{
    static const struct rc_profile_frame bad_frames[] = {
        {7, 1, 0, false}, {8, 1, 0, false}, {0, 4, 0, false}};
    static const struct rc_profile_stack_count bad_counts[] = {{2, 1, 1}, {0, 7, 1}};
    struct rc_profile_samples s = {.module = NULL};
    struct rc_profile_stacks good = record(),
                             more = {.why = "", .modules = 3, .tasks = 2, .frames = 6};

    (void)state;
    rc_profile_samples_begin(&s);
    assert_int_equal(rc_profile_samples_take(&s, &good, &memory, &err), RC_OK);
    assert_int_equal(s.total, 70);
    assert_int_equal(rc_profile_samples_take(&s, &good, &memory, &err), RC_EUSAGE);
    more.frame_count = 1;
    for (size_t i = 0; i < 3; i++) {
        more.frame = &bad_frames[i];
        assert_int_equal(rc_profile_samples_take(&s, &more, &memory, &err), RC_EUSAGE);
    }
    more.frame_count = 0;
    more.count_count = 1;
    for (size_t i = 0; i < 2; i++) {
        more.count = &bad_counts[i];
        assert_int_equal(rc_profile_samples_take(&s, &more, &memory, &err), RC_EUSAGE);
    }
    more.count = &counts[0];
    for (size_t i = 0; i < 3; i++) { /* a record before it is lost */
        struct rc_profile_stacks behind = more;
        *(i == 0 ? &behind.modules : i == 1 ? &behind.tasks : &behind.frames) += 1;
        assert_int_equal(rc_profile_samples_take(&s, &behind, &memory, &err),
                         RC_EUSAGE);
    }
    assert_int_equal(s.total, 70);
    assert_int_equal(s.frames, 6);
    assert_int_equal(s.counts, 6);
    assert_int_equal(rc_profile_samples_take(&s, &more, &memory, &err), RC_OK);
    assert_int_equal(s.total, 80);
    assert_int_equal(s.counts, 6);
    rc_profile_samples_fini(&s);
}

static const struct rc_profile_stack_function *
function(const struct rc_profile_stack_function *of, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(of[i].function, name) == 0)
            return &of[i];
    fail_msg("no function '%s'", name);
    return NULL;
}

/* The same on four nodes: all is four times what the record says. */
static void samples_add_up_to_functions(void **state)
{
    struct rc_profile_thread known = {.place = {.pid = 10, .rank = 7}};
    struct rc_profile_node node[4] = {{.samples = {.module = NULL}}};
    struct rc_profile_stacks_tree tree;
    struct rc_profile_stack_function *of;
    const struct rc_profile_stacks r = record();
    uint64_t sum = 0;
    size_t count;

    (void)state;
    for (size_t n = 0; n < 4; n++) {
        rc_profile_samples_begin(&node[n].samples);
        assert_int_equal(rc_profile_samples_take(&node[n].samples, &r, &memory, &err),
                         RC_OK);
    }
    node[0].thread = &known;
    node[0].thread_count = 1;
    assert_int_equal(rc_profile_stacks_tree(node, 4, &tree, &err), RC_OK);
    assert_int_equal(tree.stack->total, 280);
    assert_int_equal(tree.stack->own, 0);
    assert_int_equal(tree.truncated, 40);
    assert_int_equal(tree.unnamed, 280);
    assert_true(fabs(tree.period_ns - 1e7) < 1);
    assert_true(tree.kernel);
    assert_int_equal(tree.unread_count, 12);
    assert_string_equal(tree.unread, "/no/libc.so");
    /* root, start, app, lib, app in lib, lib alone, not known */
    assert_int_equal(tree.stack_count, 7);
    for (size_t i = 1; i < tree.stack_count; i++)
        assert_true(tree.stack[i].parent < i);
    for (size_t i = 0; i < tree.sum_count; i++) {
        const struct rc_profile_stack_thread *t = &tree.thread[tree.sum[i].thread];
        sum += tree.sum[i].samples;
        assert_int_equal(t->rank, t->node == &node[0] ? 7 : t->tid == 10 ? 0 : -1);
    }
    assert_int_equal(sum, 280);
    assert_int_equal(rc_profile_stack_functions(&tree, &of, &count, &err), RC_OK);
    assert_int_equal(count, 4);
    assert_string_equal(of[0].function, "[app]"); /* within itself, by way of lib */
    assert_int_equal(of[0].own, 160);
    assert_int_equal(of[0].total, 240);
    assert_int_equal(of[0].truncated, 0);
    assert_int_equal(function(of, count, "[lib.so]")->own, 100);
    assert_int_equal(function(of, count, "[lib.so]")->total, 220);
    assert_int_equal(function(of, count, "[lib.so]")->truncated, 20);
    assert_int_equal(function(of, count, "[not known]")->own, 20);
    assert_int_equal(function(of, count, "(start)")->total, 240);
    assert_int_equal(function(of, count, "(start)")->own, 0);
    free(of);
    rc_profile_stacks_tree_fini(&tree);
    for (size_t n = 0; n < 4; n++)
        rc_profile_samples_fini(&node[n].samples);
}

static struct rc_profile_stacks_tree tree_of(double effective,
                                             struct rc_profile_stack *root)
{
    *root = (struct rc_profile_stack){.total_ns = 100};
    return (struct rc_profile_stacks_tree){.stack = root, .effective = effective};
}

/* Values known from textbooks, such as z^2 / (n + z^2) of n in n. */
static void shares_have_wilsons_interval(void **state)
{
    static const struct {
        double n, is, low, high;
    } of[] = {{3, 1, 0.43850, 1},          {3, 0, 0, 0.56150},
              {30, 1, 0.88649, 1},         {10, 0.3, 0.10779, 0.60323},
              {97, 0.5, 0.40240, 0.59760}, {1000, 0.01, 0.00544, 0.01831}};
    struct rc_profile_stack root;

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct rc_profile_stacks_tree tree = tree_of(of[i].n, &root);
        const struct rc_profile_share s = rc_profile_stack_share(&tree, 100 * of[i].is);
        assert_true(fabs(s.is - of[i].is) < 1e-9);
        assert_true(fabs(s.low - of[i].low) < 1e-4);
        assert_true(fabs(s.high - of[i].high) < 1e-4);
    }
    struct rc_profile_stacks_tree none = tree_of(0, &root);
    root.total_ns = 0;
    const struct rc_profile_share s = rc_profile_stack_share(&none, 0);
    assert_true(s.is == 0 && s.low < 1e-9 && s.high > 1 - 1e-9);
}

/* The rate changed meanwhile: a sample that stands for eight times as long weighs as
 * much, and all together tell less than as many of the same time.
 */
static void samples_weigh_what_they_stand_for(void **state)
{
    struct rc_profile_node node = {.samples = {.module = NULL}};
    struct rc_profile_stacks_tree tree;
    struct rc_profile_stack_function *of;
    struct rc_profile_stacks r = record();
    static const struct rc_profile_stack_count few[] = {{0, 5, 10}};
    size_t count;

    (void)state;
    rc_profile_samples_begin(&node.samples);
    assert_int_equal(rc_profile_samples_take(&node.samples, &r, &memory, &err), RC_OK);
    r.modules = r.module_count, r.tasks = r.task_count, r.frames = r.frame_count;
    r.module_count = r.task_count = r.frame_count = 0;
    r.period_ns *= 8;
    r.count = few;
    r.count_count = 1;
    assert_int_equal(rc_profile_samples_take(&node.samples, &r, &memory, &err), RC_OK);
    assert_int_equal(rc_profile_stacks_tree(&node, 1, &tree, &err), RC_OK);
    assert_int_equal(tree.stack->total, 80);
    assert_true(fabs(tree.stack->total_ns - 150e7) < 1);
    assert_true(fabs(tree.effective - 150.0 * 150 / (70 + 640)) < 1e-6);
    assert_int_equal(rc_profile_stack_functions(&tree, &of, &count, &err), RC_OK);
    assert_string_equal(of[0].function, "[lib.so]");
    assert_int_equal(of[0].own, 35);
    assert_true(fabs(rc_profile_stack_share(&tree, of[0].own_ns).is - 105.0 / 150) <
                1e-9);
    free(of);
    rc_profile_stacks_tree_fini(&tree);
    rc_profile_samples_fini(&node.samples);
}

/* Frames: 1 start, 2 in app, 3 the wrapper of a profile, 4 in MPI, called by it. */
static const struct rc_profile_module mpi_modules[] = {
    {"/no/libc.so", ""},
    {"/no/app", ""},
    {"/no/librollcall-profile.so", ""},
    {"/no/openmpi3/mca_btl_vader.so", ""},
    {"/no/libopen-pal.so.40", ""}};
static const struct rc_profile_frame mpi_frames[] = {{0, 1, 0x100, true},
                                                     {1, 2, 0x200, false},
                                                     {2, 3, 0x300, false},
                                                     {3, 4, 0x400, false},
                                                     {4, 5, 0x500, false}};
static const struct rc_profile_stack_count mpi_counts[] = {
    {0, 2, 40}, {0, 3, 2}, {0, 4, 30}, {0, 5, 28}};

static void files_of_mpi_are_one_and_frames_of_the_profile_are_hidden(void **state)
{
    static const struct {
        const char *path;
        enum rc_profile_owner owner;
    } of[] = {{"/usr/lib/libmpi.so.40.30.4", RC_PROFILE_OWNER_MPI},
              {"/usr/lib/openmpi3/mca_pml_ob1.so", RC_PROFILE_OWNER_MPI},
              {"/usr/lib/libmpich.so.12", RC_PROFILE_OWNER_MPI},
              {"/usr/lib/libmpi_mpifh.so.40", RC_PROFILE_OWNER_MPI},
              {"/usr/lib/librollcall-profile.so", RC_PROFILE_OWNER_ROLLCALL},
              {"/usr/lib/libfftw3_mpi.so.3", RC_PROFILE_OWNER_PROGRAM},
              {"/home/libmpi/app", RC_PROFILE_OWNER_PROGRAM},
              {"libmpfr.so.6", RC_PROFILE_OWNER_PROGRAM},
              {"[kernel]", RC_PROFILE_OWNER_PROGRAM},
              {"", RC_PROFILE_OWNER_PROGRAM}};
    struct rc_profile_node node = {.samples = {.module = NULL}};
    struct rc_profile_stacks r = record();
    struct rc_profile_stacks_tree tree;
    struct rc_profile_libraries all;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof of / sizeof *of; i++)
        assert_int_equal(rc_profile_owner_of(of[i].path), of[i].owner);
    r.module = mpi_modules, r.module_count = 5;
    r.frame = mpi_frames, r.frame_count = 5;
    r.count = mpi_counts, r.count_count = 4;
    rc_profile_samples_begin(&node.samples);
    assert_int_equal(rc_profile_samples_take(&node.samples, &r, &memory, &err), RC_OK);
    assert_int_equal(rc_profile_libraries(&node, 1, &all, &err), RC_OK);
    assert_int_equal(all.count, 3);
    assert_string_equal(all.item[0].name, "MPI");
    assert_int_equal(all.item[0].samples, 58);
    assert_string_equal(all.item[1].name, "app");
    assert_string_equal(all.item[2].name, "rollcall (this profile)");
    assert_int_equal(all.item[2].samples, 2);
    free(all.item);
    assert_int_equal(rc_profile_stacks_tree(&node, 1, &tree, &err), RC_OK);
    /* root, start, app, the profile's own time, MPI twice */
    assert_int_equal(tree.stack_count, 6);
    for (i = 1; i < tree.stack_count; i++) {
        const struct rc_profile_stack *stack = &tree.stack[i],
                                      *parent = &tree.stack[stack->parent];
        assert_false(stack->truncated);
        if (strcmp(stack->function, "[rollcall]") == 0)
            assert_int_equal(stack->total, 2);
        if (strcmp(stack->function, "[mca_btl_vader.so]") == 0)
            assert_string_equal(parent->function, "[app]");
        assert_true(strcmp(parent->function, "[rollcall]") != 0);
    }
    assert_int_equal(tree.stack->total, 100);
    rc_profile_stacks_tree_fini(&tree);
    rc_profile_samples_fini(&node.samples);
}

static void without_samples_the_tree_is_a_root(void **state)
{
    const struct rc_profile_node node = {.samples = {.module = NULL}};
    struct rc_profile_stacks_tree tree;
    struct rc_profile_stack_function *of;
    size_t count;

    (void)state;
    for (size_t nodes = 0; nodes < 2; nodes++) {
        assert_int_equal(rc_profile_stacks_tree(&node, nodes, &tree, &err), RC_OK);
        assert_int_equal(tree.stack_count, 1);
        assert_int_equal(tree.stack->total, 0);
        assert_int_equal(rc_profile_stack_functions(&tree, &of, &count, &err), RC_OK);
        assert_int_equal(count, 0);
        free(of);
        rc_profile_stacks_tree_fini(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_compilers_become_readable_if_they_are_simple),
        cmocka_unit_test(files_without_symbols_are_refused),
        cmocka_unit_test(records_that_name_what_is_not_there_change_nothing),
        cmocka_unit_test(a_function_of_this_program_is_found_by_its_address),
#ifdef __x86_64__
        cmocka_unit_test(callers_are_found_by_the_tables_of_files),
#endif
        cmocka_unit_test(the_newest_mapping_of_an_address_counts),
        cmocka_unit_test(samples_add_up_to_functions),
        cmocka_unit_test(files_of_mpi_are_one_and_frames_of_the_profile_are_hidden),
        cmocka_unit_test(shares_have_wilsons_interval),
        cmocka_unit_test(samples_weigh_what_they_stand_for),
        cmocka_unit_test(without_samples_the_tree_is_a_root),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
