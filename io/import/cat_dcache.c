/* CAT's data cache files: blocks of lines, a column for each thread. */
#include "io/import/parts.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM = 3, SEQUENTIAL = 4, BLOCKS = 6, LEVELS = 4, THREADS_MOST = 4096 };

/* What a block's line "# PTRN=3, STRIDE=64, PPB=16.000000, ThreadCount=2" says. */
struct block {
    int pattern, threads;
    long long stride;
    double pages;
};

struct reader {
    struct rc_lines *lines;
    struct rc_import_file *out;
    struct block block;
    size_t blocks, first, size; /* the block's first point; sizes of the first one */
    bool has_headers;
    long long cache[LEVELS]; /* of each core, as the file says; 0: it does not */
};

static bool begins(const struct rc_lines *l, const char *with)
{
    return l->length >= strlen(with) && memcmp(l->line, with, strlen(with)) == 0;
}

/* A copy that the C library can scan. */
static const char *copy_line(const struct rc_lines *l, char *out, size_t room)
{
    snprintf(out, room, "%.*s", (int)(l->length < room ? l->length : room - 1),
             l->line);
    return out;
}

/* "# Core: 1 0": the processor of each thread, as the threads began. */
static int read_cores(struct reader *r, struct rc_error *err)
{
    struct rc_words words;
    size_t count = 0, room = 0;
    int status = RC_OK;

    free(r->out->cpu);
    r->out->cpu = NULL;
    rc_words_begin(&words, r->lines);
    (void)rc_words_next(&words); /* "#" */
    (void)rc_words_next(&words); /* "Core:" */
    while (words.at < words.end && status == RC_OK) {
        uint64_t cpu;
        status = rc_words_count(&words, "the number of a processor", &cpu, err);
        if (status == RC_OK && (cpu > UINT32_MAX || count == THREADS_MOST))
            status = rc_lines_fail(r->lines, words.word, words.length,
                                   "the number of a processor", err);
        if (status == RC_OK && rc_grow(&r->out->cpu, sizeof *r->out->cpu, count, &room))
            status = rc_import_no_memory(err);
        if (status == RC_OK)
            r->out->cpu[count++] = (uint32_t)cpu;
    }
    if (status == RC_OK)
        r->out->place_count = count ? count : 1;
    return status;
}

/* "# L1:32768 L2:1048576": bytes of each cache that a core has for itself. */
static int read_caches(struct reader *r, struct rc_error *err)
{
    char text[200];
    const char *at = copy_line(r->lines, text, sizeof text) + 1;
    int level, used;
    long long bytes;

    while (sscanf(at, " L%d:%lld%n", &level, &bytes, &used) == 2) {
        if (level < 1 || bytes < 0)
            return rc_lines_fail(r->lines, text, strlen(text), "sizes of caches", err);
        if (level <= LEVELS)
            r->cache[level - 1] = bytes;
        at += used;
    }
    return RC_OK;
}

/* Behind the last size of a block the number of its sizes is known. */
static int end_block(struct reader *r, struct rc_error *err)
{
    const size_t size = r->out->point_count - r->first;

    if (r->blocks == 1)
        r->size = size;
    if (r->blocks && size != r->size)
        return rc_lines_end(r->lines, "as many sizes as in the first block", err);
    r->first = r->out->point_count;
    return RC_OK;
}

static int read_header(struct reader *r, struct rc_error *err)
{
    static const char expected[] =
        "'# PTRN=3, STRIDE=64, PPB=16.000000, ThreadCount=1' or the like";
    struct block b;
    char text[200];
    int status = end_block(r, err);

    if (status != RC_OK)
        return status;
    if (sscanf(copy_line(r->lines, text, sizeof text),
               "# PTRN=%d, STRIDE=%lld, PPB=%lf, ThreadCount=%d", &b.pattern, &b.stride,
               &b.pages, &b.threads) != 4 ||
        b.stride < 1 || b.threads < 1 || b.threads > THREADS_MOST ||
        (b.pattern != SEQUENTIAL && !(b.pages > 0 && b.pages < 1e9))) /* else a rest */
        return rc_lines_fail(r->lines, text, strlen(text), expected, err);
    if (r->blocks && b.threads != r->block.threads)
        return rc_lines_fail(r->lines, text, strlen(text),
                             "as many threads as in the first block", err);
    r->block = b;
    r->blocks++;
    r->has_headers = true;
    if (r->out->cpu && r->out->place_count != (size_t)b.threads) {
        free(r->out->cpu);
        r->out->cpu = NULL;
    }
    r->out->place_count = (size_t)b.threads;
    return RC_OK;
}

/* Files of early versions have no lines but numbers: sizes begin anew with a block. */
static int begin_block(struct reader *r, struct rc_error *err)
{
    const size_t at = r->blocks < BLOCKS ? r->blocks : BLOCKS - 1;
    int status = end_block(r, err);

    r->block = (struct block){.pattern = at < 4 ? RANDOM : SEQUENTIAL,
                              .stride = (at < 4 ? at / 2 : at % 2) ? 128 : 64,
                              .pages = at < 4 && at % 2 == 0 ? 64 : 16,
                              .threads = 1};
    r->blocks++;
    return status;
}

static bool is_near(double bytes, double cache)
{
    return bytes > 0.7 * cache && bytes < 1.4 * cache;
}

/* Loads that hit and miss, where the buffer is far from the edges of all caches.  What
 * a core fetches ahead of a sequential walk is not known.
 */
static void set_basis(const struct reader *r, double bytes, double *basis)
{
    double reached = 0; /* the level that holds the buffer */

    if (r->cache[0] == 0 || r->block.pattern != RANDOM || !r->out->suite->ideals[0])
        return;
    for (int i = 0; i < LEVELS && r->cache[i]; i++) {
        if (is_near(bytes, (double)r->cache[i]))
            return;
        reached += bytes > (double)r->cache[i];
    }
    basis[0] = reached >= 1;
    basis[1] = reached == 0;
    basis[2] = reached == 1;
    basis[3] = reached == 2 && r->cache[2] != 0;
}

static int add_point(struct reader *r, uint64_t bytes, struct rc_error *err)
{
    const struct block *b = &r->block;
    const bool is_random = b->pattern == RANDOM;
    const struct rc_import_point point = {.iterations = 1,
                                          .axis = {b->pattern, b->stride,
                                                   is_random ? (int64_t)b->pages : 0,
                                                   b->threads, (int64_t)bytes}};
    char pages[24] = "";
    double *basis;
    int status;

    if (is_random)
        snprintf(pages, sizeof pages, "-p%.6g", b->pages);
    if (is_random || b->pattern == SEQUENTIAL)
        status = rc_import_add_point(r->out, &point, &basis, err, "%s-s%lld%s-%llu",
                                     is_random ? "random" : "sequential", b->stride,
                                     pages, (unsigned long long)bytes);
    else
        status = rc_import_add_point(r->out, &point, &basis, err,
                                     "pattern%d-s%lld-p%.6g-%llu", b->pattern,
                                     b->stride, b->pages, (unsigned long long)bytes);
    if (status == RC_OK)
        set_basis(r, (double)bytes, basis);
    return status;
}

static int64_t last_size(const struct reader *r)
{
    const size_t count = r->out->point_count;

    return count > r->first ? r->out->point[count - 1].axis[4] : -1;
}

static int read_sizes(struct reader *r, struct rc_error *err)
{
    struct rc_import_number number;
    struct rc_words words;
    uint64_t bytes = 0;

    rc_words_begin(&words, r->lines);
    int status = rc_words_count(&words, "a buffer's size in bytes", &bytes, err);
    if (status == RC_OK && !r->has_headers &&
        (r->blocks == 0 || (int64_t)bytes <= last_size(r)))
        status = begin_block(r, err);
    if (status == RC_OK && (int64_t)bytes <= last_size(r))
        status = rc_lines_fail(r->lines, words.word, words.length,
                               "a size above the one before", err);
    if (status == RC_OK)
        status = add_point(r, bytes, err);
    for (size_t i = 0; i < r->out->place_count && status == RC_OK; i++) {
        status = rc_words_number(&words, &number, err);
        if (status == RC_OK)
            status = rc_import_add_number(r->out, number, err);
    }
    return status == RC_OK ? rc_words_done(&words, err) : status;
}

static int read_line(struct reader *r, struct rc_error *err)
{
    if (r->lines->length == 0)
        return RC_OK;
    if (begins(r->lines, "# Core:"))
        return read_cores(r, err);
    if (begins(r->lines, "# PTRN="))
        return read_header(r, err);
    if (begins(r->lines, "# L1:"))
        return read_caches(r, err);
    if (begins(r->lines, "#"))
        return RC_OK;
    return read_sizes(r, err);
}

int rc_import_cat_dcache(struct rc_lines *lines, struct rc_import_file *out,
                         struct rc_error *err)
{
    struct reader r = {.lines = lines, .out = out};
    int status;

    while (rc_lines_next(lines, &status, err)) {
        status = read_line(&r, err);
        if (status != RC_OK)
            return status;
    }
    if (status != RC_OK)
        return status;
    out->is_empty = out->point_count == 0 && r.blocks == 0;
    if (out->is_empty)
        return RC_OK;
    status = end_block(&r, err);
    if (status == RC_OK && (r.size == 0 || r.blocks != BLOCKS))
        status = rc_lines_end(lines, "6 blocks of sizes", err);
    return status;
}
