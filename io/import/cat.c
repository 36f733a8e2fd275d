/* Results of PAPI's Counter Analysis Toolkit: a file for each event and benchmark. */
#include "io/import/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const struct rc_import_suite suite_branch = {
    .name = "cat-branch",
    .summary = "CAT's branch kernels: counts per iteration, a mean over 20 sizes, "
               "which CAT rounded to quarters",
    .axes = branch_axes,
    .ideals = branch_ideals,
    .decimals = 2};
static const struct rc_import_suite suite_vec = {
    .name = "cat-vec",
    .summary = "CAT's vector kernels: the count of one execution as CAT read it",
    .axes = vec_axes,
    .ideals = vec_ideals};
static const struct rc_import_suite suite_flops = {
    .name = "cat-flops",
    .summary = "CAT's kernels of linear algebra: the count of one execution as CAT "
               "read it; the expected operations are CAT's",
    .axes = flops_axes,
    .ideals = operations};
static const struct rc_import_suite suite_instr = {
    .name = "cat-instr",
    .summary = "CAT's instruction kernels: the count of one execution as CAT read it; "
               "the expected operations are CAT's",
    .axes = instr_axes,
    .ideals = operations};
static const struct rc_import_suite suite_reads = {
    .name = "cat-dcache-read",
    .summary = "CAT's pointer chase: counts per access of each thread, of -n "
               "executions the least, which CAT rounded to 6 decimals",
    .axes = dcache_axes,
    .ideals = dcache_ideals,
    .leaves_core = true,
    .decimals = 6};
static const struct rc_import_suite suite_writes = {
    .name = "cat-dcache-write",
    .summary = "CAT's pointer chase with stores: counts per access of each thread, of "
               "-n executions the least, which CAT rounded to 6 decimals",
    .axes = dcache_axes,
    .ideals = nothing,
    .leaves_core = true,
    .decimals = 6};
static const struct rc_import_suite suite_icache = {
    .name = "cat-icache",
    .summary = "CAT's blocks of code: counts per block, a mean over 150 executions, "
               "which CAT rounded to 6 decimals",
    .axes = icache_axes,
    .ideals = nothing,
    .leaves_core = true,
    .decimals = 6};

static const struct ending {
    const char *text;
    const struct rc_import_suite *suite;
} endings[] = {
    {".branch", &suite_branch},      {".vec", &suite_vec},
    {".flops", &suite_flops},        {".data.reads", &suite_reads},
    {".data.writes", &suite_writes}, {".icache", &suite_icache},
    {".instr", &suite_instr}, /* up to PAPI 7.0 of the instruction cache */
};

/* An event's name may hold such an ending, too: the last one counts. */
static const struct rc_import_suite *cat_find(const char *name, size_t *event_bytes)
{
    const size_t length = strlen(name);

    if (strcmp(name, "cat::latencies.data.reads") == 0)
        return NULL; /* times, not counts: rollcall has no place for them */
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t end = strlen(endings[i].text);
        if (length > end && strcmp(name + length - end, endings[i].text) == 0) {
            *event_bytes = length - end;
            return endings[i].suite;
        }
    }
    return NULL;
}

/* In the order of CAT's kernels, which are those of the published table. */
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

/* A line that holds one number. */
static int read_number(struct rc_lines *lines, struct rc_import_file *out,
                       struct rc_error *err)
{
    struct rc_import_number number;
    struct rc_words words;

    rc_words_begin(&words, lines);
    int status = rc_words_number(&words, &number, err);
    if (status == RC_OK)
        status = rc_words_done(&words, err);
    return status == RC_OK ? rc_import_add_number(out, number, err) : status;
}

static int read_branch(struct rc_lines *lines, struct rc_import_file *out,
                       struct rc_error *err)
{
    struct rc_import_point point = {.iterations = 1};
    double *basis;
    int status;

    while (rc_lines_next(lines, &status, err)) {
        const size_t at = out->point_count;
        if (at == BRANCHES)
            return rc_lines_fail(lines, lines->line, lines->length,
                                 "the end of the file behind 11 numbers", err);
        point.axis[0] = (int64_t)at;
        status = read_number(lines, out, err);
        if (status == RC_OK)
            status = rc_import_add_point(out, &point, &basis, err, "kernel-%s",
                                         branches[at].name);
        if (status != RC_OK)
            return status;
        memcpy(basis, branches[at].basis, sizeof branches[at].basis);
    }
    if (status == RC_OK && out->point_count < BRANCHES)
        status = rc_lines_end(lines, "11 numbers", err);
    return status;
}

static const int blocks[] = {10,    20,    30,    50,    100,   150,   200,   300,
                             400,   600,   800,   1200,  1600,  2400,  3200,  5000,
                             10000, 15000, 20000, 25000, 35000, 40000, 50000, 60000};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

/* Four rounds in PAPI 7.0, of which two flush the caches; later two that do not. */
static int name_blocks(struct rc_import_file *out, size_t rounds, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < rounds * BLOCKS && status == RC_OK; i++) {
        const size_t round = i / BLOCKS;
        const bool taken = round < rounds / 2, flushed = rounds == 4 && round % 2;
        const struct rc_import_point point = {
            .iterations = 1, .axis = {blocks[i % BLOCKS], taken, flushed}};
        status = rc_import_add_point(out, &point, NULL, err, "%s%s-%d",
                                     taken ? "whole" : "skipped",
                                     flushed ? "-flushed" : "", blocks[i % BLOCKS]);
    }
    return status;
}

static int read_icache(struct rc_lines *lines, struct rc_import_file *out,
                       struct rc_error *err)
{
    int status;

    out->suite = &suite_icache;
    while (rc_lines_next(lines, &status, err)) {
        if (out->number_count == (size_t)4 * BLOCKS)
            return rc_lines_fail(lines, lines->line, lines->length,
                                 "the end of the file behind 96 numbers", err);
        status = read_number(lines, out, err);
        if (status != RC_OK)
            return status;
    }
    if (status != RC_OK)
        return status;
    if (out->number_count != (size_t)2 * BLOCKS &&
        out->number_count != (size_t)4 * BLOCKS)
        return rc_lines_end(lines, "48 or 96 numbers", err);
    return name_blocks(out, out->number_count / BLOCKS, err);
}

/* The name ".instr" had another meaning once: its lines held one number. */
static bool holds_single_numbers(const char *text, size_t bytes)
{
    const char *end = memchr(text, '\n', bytes);
    const size_t length = end ? (size_t)(end - text) : bytes;

    return length > 0 && !memchr(text, ' ', length) && !memchr(text, '#', length);
}

static int cat_read(const struct rc_import_suite *suite, const char *text, size_t bytes,
                    struct rc_import_file *out, struct rc_error *err)
{
    struct rc_lines lines = {.at = text, .end = text + bytes};
    int status;

    *out = (struct rc_import_file){
        .suite = suite, .place_count = 1, .is_empty = bytes == 0};
    if (bytes == 0)
        return RC_OK;
    if (suite == &suite_branch)
        status = read_branch(&lines, out, err);
    else if (suite == &suite_vec)
        status = rc_import_cat_vec(&lines, out, err);
    else if (suite == &suite_flops)
        status = rc_import_cat_flops(&lines, out, err);
    else if (suite == &suite_reads || suite == &suite_writes)
        status = rc_import_cat_dcache(&lines, out, err);
    else if (suite == &suite_icache || holds_single_numbers(text, bytes))
        status = read_icache(&lines, out, err);
    else
        status = rc_import_cat_instr(&lines, out, err);
    if (status == RC_OK && !out->is_empty && out->point_count == 0)
        status = rc_lines_end(&lines, "readings", err);
    return status;
}

const struct rc_import_format rc_import_cat = {
    .name = "cat",
    .summary = "results of PAPI's Counter Analysis Toolkit (cat_collect)",
    .source = "papi",
    .label = "cat: imported from PAPI's Counter Analysis Toolkit, numbers as CAT "
             "rounded, normalised and reduced them (see the suites), times the power "
             "of ten that makes them whole",
    .endings = "'.branch', '.vec', '.flops', '.data.reads', '.data.writes', "
               "'.icache' or '.instr'",
    .evidence = "CAT's files do not tell what an event belongs to",
    .no_reading = "CAT left no reading: the event could not be added or started, or "
                  "the disk was full, which CAT does not tell",
    .find = cat_find,
    .read = cat_read,
};
