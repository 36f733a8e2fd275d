/* The benchmarks of PAPI's Counter Analysis Toolkit: the points that their lines stand
 * for, and the known ideals.
 *
 * A benchmark is a row of the table at the end: the ending of its files, the suite that
 * they become, the numbers of a line, and functions that make a point from it.  The
 * basis has the ideals that are certain for a point, and NAN where CAT's files do not
 * say what was compiled or run.  The names of points must not change: earlier imports
 * are compared by them.
 */
#include "io/import/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* In the order of CAT's kernels, which is that of the published table. */
static const struct {
    const char *name;
    double basis[5];
} branches[] = {
    {"1", {2, 2, 1.5, 0, 0}},        {"2", {2, 2, 1, 0, 0}},
    {"3", {2, 2, 2, 0, 0}},          {"4", {2, 2, 1.5, 0, 0.5}},
    {"4a", {2.5, 2.5, 1.5, 0, 0.5}}, {"4b", {2.5, 2.5, 2, 0, 0.5}},
    {"5", {2.5, 2, 1.5, 0, 0.5}},    {"5a", {3, 2.5, 1.5, 0, 0.5}},
    {"5b", {3, 2.5, 2, 0, 0.5}},     {"6", {2, 2, 1, 1, 0}},
    {"7", {1, 1, 1, 0, 0}},
};
enum { BRANCHES = sizeof branches / sizeof branches[0] };

/* A line for each kernel, without a key: the number of the line is the kernel's. */
static int branch_point(struct rc_cat_reader *r, uint64_t key, const double *behind,
                        struct rc_error *err)
{
    const size_t at = r->out->point_count;
    const struct rc_import_point point = {.axis = {(int64_t)at}};
    double *basis;
    int status = rc_import_add_point(r->out, &point, &basis, err, "kernel-%s",
                                     branches[at].name);

    (void)key;
    (void)behind;
    if (status != RC_OK)
        return status;
    memcpy(basis, branches[at].basis, sizeof branches[at].basis);
    return RC_OK;
}

static const int blocks[] = {10,    20,    30,    50,    100,   150,   200,   300,
                             400,   600,   800,   1200,  1600,  2400,  3200,  5000,
                             10000, 15000, 20000, 25000, 35000, 40000, 50000, 60000};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

/* Likewise: first all sizes with code that is executed whole, then all with code of
 * which half is skipped.
 */
static int icache_point(struct rc_cat_reader *r, uint64_t key, const double *behind,
                        struct rc_error *err)
{
    const size_t at = r->out->point_count;
    const int count = blocks[at % BLOCKS];
    const bool taken = at < BLOCKS;
    const struct rc_import_point point = {.axis = {count, taken, 0}};
    double *basis;

    (void)key;
    (void)behind;
    return rc_import_add_point(r->out, &point, &basis, err, "%s-%d",
                               taken ? "whole" : "skipped", count);
}

static const char *short_precision(int bits)
{
    return bits == 64 ? "dp" : bits == 32 ? "sp" : "hp";
}

/* Name of a section of the vector kernels: "SP Non-FMA Vector AVX128". */
struct vec {
    int precision; /* 16, 32, 64; 0: another, such as dot products of bfloat16 */
    int width;     /* 0 scalar, 128, 256, 512; -1: not known */
    bool fma;
};

/* Splits the name of a section, which is CAT's; width -1 if it is not one of the vector
 * kernels, or from a processor whose vectors have no such names.
 */
static struct vec vec_of_section(const char *name)
{
    char precision[8] = "", fma[12] = "", form[12] = "";
    struct vec v = {.width = -1};
    int width = -1;

    if (sscanf(name, "%7s %11s %11s AVX%d", precision, fma, form, &width) < 3 ||
        (strcmp(fma, "FMA") != 0 && strcmp(fma, "Non-FMA") != 0))
        return v;
    v.precision = strcmp(precision, "DP") == 0   ? 64
                  : strcmp(precision, "SP") == 0 ? 32
                  : strcmp(precision, "HP") == 0 ? 16
                                                 : 0;
    v.fma = strcmp(fma, "FMA") == 0;
    if (strcmp(form, "Scalar") == 0)
        v.width = 0;
    else if (width == 128 || width == 256 || width == 512)
        v.width = width;
    return v;
}

/* "dp-256-fma-24": precision, width, FMA and the number of instructions in the body,
 * which are of one sort: the ideals are ordered by FMA, precision and width.  With half
 * precision CAT writes 0 if it ran nothing, so nothing is known.
 */
static int vec_point(struct rc_cat_reader *r, uint64_t body, const double *behind,
                     struct rc_error *err)
{
    static const int widths[] = {0, 128, 256, 512};
    const struct vec v = vec_of_section(r->section);
    const struct rc_import_point point = {
        .axis = {v.precision, v.width, v.fma, (int64_t)body}};
    char width[16] = "vector";
    double *basis;
    int status;

    (void)behind;
    if (v.precision == 0)
        return rc_import_add_point(r->out, &point, &basis, err, "%s-%" PRIu64,
                                   r->section, body);
    if (v.width > 0)
        snprintf(width, sizeof width, "%d", v.width);
    if ((status = rc_import_add_point(r->out, &point, &basis, err, "%s-%s%s-%" PRIu64,
                                      short_precision(v.precision),
                                      v.width == 0 ? "scalar" : width,
                                      v.fma ? "-fma" : "", body)) != RC_OK)
        return status;
    for (int i = 0; i < 16 && v.precision >= 32 && v.width >= 0; i++)
        basis[i] = i / 8 == v.fma && i / 4 % 2 == (v.precision == 64) &&
                           widths[i % 4] == v.width
                       ? (double)body
                       : 0;
    return RC_OK;
}

/* The kernels with FMA come last, and must be as many as those without, or the file was
 * cut off.  The basis is known only for the x86 kernels: elsewhere a compiler decides
 * whether scalars are fused, and the file does not have the width of vectors.
 */
static int check_vec(struct rc_cat_reader *r, struct rc_error *err)
{
    struct rc_import_file *out = r->out;
    size_t count[2] = {0};
    bool is_x86 = true;

    for (size_t i = 0; i < out->point_count; i++) {
        if (out->point[i].axis[0] == 0)
            continue;
        count[out->point[i].axis[2] != 0]++;
        is_x86 = is_x86 && out->point[i].axis[1] >= 0;
    }
    if (count[0] != count[1] || count[0] == 0)
        return rc_lines_end(&r->lines, "as many lines with FMA as without", err);
    for (size_t i = 0; i < out->basis_count && !is_x86; i++)
        out->basis[i] = NAN;
    return RC_OK;
}

/* "Single-Precision Vector Normalization" becomes "sp-vector-normalization-N".  After
 * the count come the count per operation, CAT's expected additions, subtractions,
 * multiplications, divisions, roots and FMAs, and their sum, which is computed again:
 * CAT's is 1 if nothing was done.
 */
static int flops_point(struct rc_cat_reader *r, uint64_t n, const double *behind,
                       struct rc_error *err)
{
    static const char *const words[] = {"Half-", "Single-", "Double-"};
    char kernel[sizeof r->section];
    size_t word = 0;
    double *basis, operations = 2 * behind[6];

    while (word < 3 && strncmp(r->section, words[word], strlen(words[word])) != 0)
        word++;
    const char *rest = strchr(r->section, ' ');
    if (word == 3 || !rest)
        return rc_lines_fail(&r->lines, r->section, strlen(r->section),
                             "a kernel such as 'Single-Precision GEMM' in front", err);
    for (size_t i = 0; i < sizeof kernel; i++) {
        const char c = rest[1 + i];
        kernel[i] = (char)(c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? c + 32 : c);
        if (!c)
            break;
    }
    const int precision = 16 << word;
    const struct rc_import_point point = {.axis = {precision, (int64_t)n}};
    int status = rc_import_add_point(r->out, &point, &basis, err, "%s-%s-%" PRIu64,
                                     short_precision(precision), kernel, n);
    if (status != RC_OK)
        return status;
    for (int i = 1; i < 6; i++)
        operations += behind[i];
    basis[0] = precision == 32 ? operations : 0;
    basis[1] = precision == 64 ? operations : 0;
    return RC_OK;
}

/* Each kernel is run in three precisions. */
static int check_flops(struct rc_cat_reader *r, struct rc_error *err)
{
    if (r->sections % 3 != 0)
        return rc_lines_end(&r->lines, "three kernels of each precision", err);
    return RC_OK;
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* After the count come CAT's expectation, and the ratio of both. */
static int instr_point(struct rc_cat_reader *r, uint64_t size, const double *behind,
                       struct rc_error *err)
{
    static const char *const arithmetic[] = {"ADD", "SUB", "MUL", "DIV"};
    const struct rc_import_point point = {
        .axis = {(int64_t)r->sections, (int64_t)size}};
    const char *name = r->section;
    const bool is_single = has_prefix(name, "FP32_");
    const char *rest = is_single || has_prefix(name, "FP64_") ? name + 5
                       : has_prefix(name, "FP_")              ? name + 3
                                                              : NULL;
    double *basis;
    int status;

    if ((status = rc_import_add_point(r->out, &point, &basis, err, "%02zu-%s-%" PRIu64,
                                      r->sections, name, size)) != RC_OK)
        return status;
    /* Scalar operations are CAT's numbers; how vectors and FMAs were compiled, and what
     * else is in the loops, is not known.
     */
    if (has_prefix(name, "Mem_") || has_prefix(name, "MEM_") ||
        has_prefix(name, "Int_") || has_prefix(name, "INT_"))
        basis[0] = basis[1] = 0;
    for (size_t i = 0; i < 4 && rest && !strstr(rest, "VEC"); i++)
        if (has_prefix(rest, arithmetic[i])) {
            basis[!is_single] = behind[0];
            basis[is_single] = 0;
        }
    return RC_OK;
}

enum {
    RANDOM = 3, /* CAT's numbers of access patterns */
    SEQUENTIAL = 4,
    WALKS = 6, /* sections of a file: patterns, strides and sizes of pages */
    THREADS_MOST = 4096
};

/* "# PTRN=3, STRIDE=64, ..." begins a section; before the first one come, as "L1:32768
 * L2:1048576", the bytes of each cache that a core has for itself, and the processors
 * on which the unbound threads began.
 */
static int dcache_comment(struct rc_cat_reader *r, bool *begins, struct rc_error *err)
{
    char text[200];
    int threads, level, used;
    double bytes;

    *begins = rc_lines_begins(&r->lines, "# PTRN=");
    rc_lines_comment(&r->lines, text, sizeof text);
    for (const char *at = text; rc_lines_begins(&r->lines, "# L1:") &&
                                sscanf(at, " L%d:%lf%n", &level, &bytes, &used) == 2;
         at += used) {
        if (level < 1 || !(bytes >= 0 && bytes < 1e18))
            return rc_lines_fail(&r->lines, text, strlen(text), "sizes of caches", err);
        if (level <= RC_CAT_LEVELS)
            r->cache[level - 1] = bytes;
    }
    if (!*begins)
        return RC_OK;
    if (sscanf(text, "PTRN=%d, STRIDE=%lld, PPB=%lf, ThreadCount=%d", &r->pattern,
               &r->stride, &r->pages, &threads) != 4 ||
        r->stride < 1 || threads < 1 || threads > THREADS_MOST ||
        (r->pattern == RANDOM && !(r->pages > 0 && r->pages < 1e9)) ||
        (r->pattern != RANDOM && r->pattern != SEQUENTIAL))
        return rc_lines_fail(&r->lines, text, strlen(text),
                             "'PTRN=3, STRIDE=64, PPB=16.000000, ThreadCount=1' or the "
                             "like",
                             err);
    if (r->sections && r->out->place_count != (size_t)threads)
        return rc_lines_fail(&r->lines, text, strlen(text),
                             "as many threads as in the first section", err);
    r->out->place_count = (size_t)threads;
    return RC_OK;
}

/* "random-s64-p16-32768": pattern, stride, pages in a block of random accesses, and
 * bytes of the buffer.
 */
static int dcache_point(struct rc_cat_reader *r, uint64_t bytes, const double *behind,
                        struct rc_error *err)
{
    const bool is_random = r->pattern == RANDOM;
    const struct rc_import_point point = {
        .axis = {r->pattern, r->stride, is_random ? (int64_t)r->pages : 0,
                 (int64_t)r->out->place_count, (int64_t)bytes}};
    char pages[24] = "";
    int reached = 0; /* the level that holds the buffer */
    double *basis;

    (void)behind;
    if (is_random)
        snprintf(pages, sizeof pages, "-p%.6g", r->pages);
    int status = rc_import_add_point(r->out, &point, &basis, err, "%s-s%lld%s-%" PRIu64,
                                     is_random ? "random" : "sequential", r->stride,
                                     pages, bytes);
    /* Loads that hit and miss, if the buffer's size is far from that of any cache.
     * Prefetching in a sequential walk is not known.
     */
    if (status != RC_OK || r->cache[0] == 0 || !is_random || !basis)
        return status;
    for (int i = 0; i < RC_CAT_LEVELS && r->cache[i] > 0; i++) {
        if ((double)bytes > 0.7 * r->cache[i] && (double)bytes < 1.4 * r->cache[i])
            return RC_OK;
        reached += (double)bytes > r->cache[i];
    }
    basis[0] = reached >= 1;
    basis[1] = reached == 0;
    basis[2] = reached == 1;
    basis[3] = reached == 2 && r->cache[2] > 0;
    return RC_OK;
}

static int check_dcache(struct rc_cat_reader *r, struct rc_error *err)
{
    if (r->sections != WALKS)
        return rc_lines_end(&r->lines, "6 walks", err);
    return RC_OK;
}

static const char *const branch_axes[] = {"kernel", NULL};
static const char *const branch_ideals[] = {"CE", "CR", "T", "D", "M", NULL};
static const char *const vec_axes[] = {"precision", "width", "fma", "body", NULL};
static const char *const vec_ideals[] = {
    "S_SCAL",  "S_128",  "S_256",   "S_512",  "D_SCAL", "D_128",
    "D_256",   "D_512",  "SF_SCAL", "SF_128", "SF_256", "SF_512",
    "DF_SCAL", "DF_128", "DF_256",  "DF_512", NULL};
static const char *const flops_axes[] = {"precision", "n", NULL};
static const char *const instr_axes[] = {"kernel", "size", NULL};
static const char *const operations[] = {"OPS_SP", "OPS_DP", NULL};
static const char *const dcache_axes[] = {"pattern", "stride", "pages",
                                          "threads", "bytes",  NULL};
static const char *const dcache_ideals[] = {"L1DM", "L1DH", "L2DH", "L3DH", NULL};
static const char *const icache_axes[] = {"blocks", "taken", "flushed", NULL};
static const char *const nothing[] = {NULL};

const struct rc_cat_benchmark rc_cat_benchmarks[] = {
    {.ending = ".branch",
     .suite = {.name = "cat-branch",
               .summary = "CAT's branch kernels: counts per iteration, a mean over 20 "
                          "sizes, which CAT rounded to quarters",
               .axes = branch_axes,
               .ideals = branch_ideals,
               .decimals = 2},
     .lines = BRANCHES,
     .point = branch_point},
    {.ending = ".vec",
     .suite = {.name = "cat-vec",
               .summary = "CAT's vector kernels: the count of one execution as CAT "
                          "read it",
               .axes = vec_axes,
               .ideals = vec_ideals},
     .key = "a number of instructions",
     .point = vec_point,
     .check = check_vec},
    {.ending = ".flops",
     .suite = {.name = "cat-flops",
               .summary = "CAT's kernels of linear algebra: the count of one execution "
                          "as CAT read it; the expected operations are CAT's",
               .axes = flops_axes,
               .ideals = operations},
     .key = "a size N",
     .behind = 8,
     .point = flops_point,
     .check = check_flops},
    {.ending = ".instr",
     .suite = {.name = "cat-instr",
               .summary = "CAT's instruction kernels: the count of one execution as "
                          "CAT read it; the expected operations are CAT's",
               .axes = instr_axes,
               .ideals = operations},
     .key = "a size",
     .behind = 2,
     .point = instr_point},
    {.ending = ".data.reads",
     .suite = {.name = "cat-dcache-read",
               .summary = "CAT's pointer chase: counts per access of each thread, of "
                          "-n executions the least, which CAT rounded to 6 decimals",
               .axes = dcache_axes,
               .ideals = dcache_ideals,
               .leaves_core = true,
               .decimals = 6},
     .key = "a buffer's size in bytes",
     .comment = dcache_comment,
     .point = dcache_point,
     .check = check_dcache},
    {.ending = ".data.writes",
     .suite = {.name = "cat-dcache-write",
               .summary = "CAT's pointer chase with stores: counts per access of each "
                          "thread, of -n executions the least, which CAT rounded to 6 "
                          "decimals",
               .axes = dcache_axes,
               .ideals = nothing,
               .leaves_core = true,
               .decimals = 6},
     .key = "a buffer's size in bytes",
     .comment = dcache_comment,
     .point = dcache_point,
     .check = check_dcache},
    {.ending = ".icache",
     .suite = {.name = "cat-icache",
               .summary = "CAT's blocks of code: counts per block, a mean over 150 "
                          "executions, which CAT rounded to 6 decimals",
               .axes = icache_axes,
               .ideals = nothing,
               .leaves_core = true,
               .decimals = 6},
     .lines = (size_t)2 * BLOCKS,
     .point = icache_point},
    {.ending = NULL},
};
