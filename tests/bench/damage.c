/* Damages a result file, in another way for each number, always the same for a number:
 *
 *     bench_damage copy FILE NUMBER PLACE      a damaged copy; prints what was done
 *     bench_damage flip FILE NUMBER PLACE      a copy with one bit changed; likewise
 *     bench_damage seal FILE                   gives a changed file its checksum
 *     bench_damage try FILE FIRST COUNT PLACE  reads so many as rollcall does, in a
 * child that may die, and says which of them the try before (io/hdf5/sandbox_read.c)
 * found
 *
 * Files have a checksum, and what is damaged is told by it.  So copies are made as
 * older files are, without one, but for those with one bit changed.
 */
#include "campaign/base/files/file.h"
#include "campaign/base/mix.h"
#include "campaign/base/sandbox.h"
#include "io/metrics/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 30, NEAR = 600, PATIENCE_S = 5 };

struct copy {
    char *data;
    size_t bytes;
    uint64_t draw;
    size_t *mark; /* where HDF5 describes what is in the file */
    size_t marks;
    FILE *done; /* what was */
};

static uint64_t draw(struct copy *c, uint64_t below)
{
    return rc_mix_next(&c->draw) % below;
}

/* The beginning of the file counts for as much as a quarter of the rest. */
static int find_marks(struct copy *c)
{
    static const char names[][5] = {"TREE", "SNOD", "HEAP", "OHDR", "OCHK", "FRHP",
                                    "FHDB", "FHIB", "BTHD", "BTLF", "GCOL", "FSHD",
                                    "FAHD", "FADB", "EAHD", "EADB"};

    c->mark = calloc(c->bytes + 1, sizeof *c->mark);
    if (!c->mark)
        return -1;
    for (size_t at = 0; at + 4 <= c->bytes; at++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (memcmp(c->data + at, names[i], 4) == 0)
                c->mark[c->marks++] = at;
    for (size_t i = 1 + c->marks / 4; i > 0 && c->marks < c->bytes; i--)
        c->mark[c->marks++] = 0;
    return 0;
}

static size_t draw_place(struct copy *c, bool anywhere)
{
    if (anywhere)
        return draw(c, c->bytes);
    size_t at = c->mark[draw(c, c->marks)] + draw(c, NEAR);
    return at < c->bytes ? at : c->bytes - 1;
}

static void put(struct copy *c, size_t at, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;

    fprintf(c->done, " %zu:", at);
    for (size_t i = 0; i < count && at + i < c->bytes; i++) {
        c->data[at + i] = (char)byte[i];
        fprintf(c->done, "%02x", byte[i]);
    }
}

static void put_number(struct copy *c, bool anywhere)
{
    const uint64_t numbers[] = {0,
                                1,
                                UINT64_MAX,
                                INT64_MAX,
                                UINT32_MAX,
                                UINT64_C(1) << 31,
                                1 << 16,
                                c->bytes,
                                c->bytes - 8,
                                c->bytes / 2,
                                draw(c, c->bytes)};
    uint64_t number = numbers[draw(c, sizeof numbers / sizeof *numbers)];
    size_t size = (size_t)1 << draw(c, 4), at = draw_place(c, anywhere) / size * size;

    put(c, at, &number, size); /* little-endian, as the file */
}

static void put_bytes(struct copy *c, bool anywhere)
{
    uint64_t bytes = rc_mix_next(&c->draw);
    size_t size = (size_t)1 << draw(c, 4);

    put(c, draw_place(c, anywhere), &bytes, size);
}

static void flip_bit(struct copy *c, bool anywhere)
{
    size_t at = draw_place(c, anywhere);
    char byte = (char)(c->data[at] ^ 1 << draw(c, 8));

    put(c, at, &byte, 1);
}

static void cut(struct copy *c, bool anywhere)
{
    c->bytes = draw_place(c, anywhere);
    fprintf(c->done, " to %zu bytes", c->bytes);
}

static void clear(struct copy *c, bool anywhere)
{
    size_t size = (size_t)64 << 3 * draw(c, 3);
    size_t at = draw_place(c, anywhere) / size * size;

    size = size < c->bytes - at ? size : c->bytes - at;
    memset(c->data + at, 0, size);
    fprintf(c->done, " %zu zeros from %zu", size, at);
}

static void swap(struct copy *c, bool anywhere)
{
    enum { BLOCK = 512 };
    size_t a = draw_place(c, anywhere) / BLOCK * BLOCK,
           b = draw(c, c->bytes) / BLOCK * BLOCK;
    char kept[BLOCK];

    if (a + BLOCK <= c->bytes && b + BLOCK <= c->bytes) {
        memcpy(kept, c->data + a, BLOCK);
        memcpy(c->data + a, c->data + b, BLOCK);
        memcpy(c->data + b, kept, BLOCK);
    }
    fprintf(c->done, " blocks at %zu and %zu", a, b);
}

static void damage(struct copy *c)
{
    static const struct {
        const char *name;
        void (*damage)(struct copy *c, bool anywhere);
        bool again;
    } sorts[] = {{"bits", flip_bit, true},      {"bits", flip_bit, true},
                 {"bytes", put_bytes, true},    {"numbers", put_number, true},
                 {"numbers", put_number, true}, {"cut", cut, false},
                 {"zeros", clear, false},       {"swapped", swap, false}};
    const size_t sort = draw(c, sizeof sorts / sizeof *sorts);
    const bool anywhere = draw(c, 3) == 0;
    size_t times = sorts[sort].again ? (size_t)1 << draw(c, 4) : 1;

    fputs(sorts[sort].name, c->done);
    while (times-- > 0)
        sorts[sort].damage(c, anywhere);
}

/* Not rc_file_replace(), which waits for the disk. */
static int write_copy(const struct copy *c, const char *place, struct rc_error *err)
{
    FILE *out = fopen(place, "wb");

    if (!out)
        return rc_fail_errno(err, "cannot create '%s'", place);
    bool whole = fwrite(c->data, 1, c->bytes, out) == c->bytes;
    if (fclose(out) != 0 || !whole)
        return rc_fail_errno(err, "cannot write '%s'", place);
    return RC_OK;
}

/* An older file has not the block with the checksum. */
static void unseal(struct copy *c)
{
    if (c->bytes > RC_H5_BLOCK_BYTES && strncmp(c->data, "rollcall:", 9) == 0) {
        c->bytes -= RC_H5_BLOCK_BYTES;
        memmove(c->data, c->data + RC_H5_BLOCK_BYTES, c->bytes);
    }
}

static int make(const char *from, uint64_t number, bool one_bit, const char *place,
                FILE *done)
{
    struct copy c = {.draw = rc_mix(number), .done = done};
    struct rc_error err = {.rank = -1};
    int status = rc_file_read(from, RC_FILE_GIVEN, FILE_MOST, &c.data, &c.bytes, &err);

    if (status == RC_OK && !one_bit)
        unseal(&c);
    if (status == RC_OK && (c.bytes == 0 || find_marks(&c)))
        status = rc_fail(&err, RC_EUSAGE, "'%s' cannot be damaged", from);
    if (status == RC_OK) {
        if (one_bit)
            flip_bit(&c, true);
        else
            damage(&c);
        status = write_copy(&c, place, &err);
    }
    if (status != RC_OK)
        fprintf(stderr, "bench_damage: %s\n", err.text);
    free(c.mark);
    free(c.data);
    return status;
}

static bool try_first;

/* The try stands in front of every reader. */
int __real_rc_store_sandbox_read(const char *path, const struct rc_store_form *form,
                                 enum rc_store_depth depth, struct rc_error *err);
int __wrap_rc_store_sandbox_read(const char *path, const struct rc_store_form *form,
                                 enum rc_store_depth depth, struct rc_error *err);
int __wrap_rc_store_sandbox_read(const char *path, const struct rc_store_form *form,
                                 enum rc_store_depth depth, struct rc_error *err)
{
    return try_first ? __real_rc_store_sandbox_read(path, form, depth, err) : RC_OK;
}

static int read_events(struct rc_store *store, size_t kind, struct rc_error *err)
{
    const size_t count = rc_store_kind(store, kind)->event_count;
    struct rc_store_event *events = rc_calloc(count, sizeof *events);
    struct rc_pool *pool = rc_pool_create();

    int status = events && pool
                     ? rc_store_read_events(store, kind, 0, count, events, pool, err)
                     : RC_ENOMEM;
    rc_pool_close(pool);
    free(events);
    return status;
}

static int read_block(struct rc_store *store, size_t kind, size_t suite,
                      struct rc_error *err)
{
    const struct rc_store_suite *labels = rc_store_suite(store, kind, suite);
    const size_t count = rc_store_kind(store, kind)->event_count;
    const size_t pairs = count * labels->place_count;
    const size_t sweeps = pairs * labels->repetitions;
    struct rc_store_block b = {
        .count = count,
        .values = rc_calloc(sweeps * labels->point_count, sizeof *b.values),
        .enabled_ns = rc_calloc(sweeps, sizeof *b.enabled_ns),
        .running_ns = rc_calloc(sweeps, sizeof *b.running_ns),
        .status = rc_calloc(sweeps, sizeof *b.status),
        .stop = rc_calloc(pairs, sizeof *b.stop),
        .worker = rc_calloc(pairs, sizeof *b.worker)};
    int status = rc_store_read_alone(store, kind, suite, &b, err);

    free(b.values);
    free(b.enabled_ns);
    free(b.running_ns);
    free(b.status);
    free(b.stop);
    free(b.worker);
    return status;
}

static void read_campaign(const void *path)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store;

    if (rc_store_open(MPI_COMM_NULL, path, &store, &err) != RC_OK)
        return;
    for (size_t k = 0; k < rc_store_kind_count(store); k++) {
        read_events(store, k, &err);
        for (size_t s = 0; s < rc_store_suite_count(store, k); s++)
            read_block(store, k, s, &err);
    }
    rc_store_close(store, &err);
}

static void read_metrics(const void *path)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *file;

    if (rc_metrics_open(MPI_COMM_NULL, path, &file, &err) != RC_OK)
        return;
    for (size_t k = 0; k < rc_store_kind_count(file); k++) {
        const size_t events = rc_store_kind(file, k)->event_count;
        read_events(file, k, &err);
        for (size_t s = 0; s < rc_store_suite_count(file, k); s++) {
            const size_t each = rc_metrics_suite(file, k, s)->coordinate_count;
            struct rc_event_columns c = {
                .count = events,
                .noise = rc_calloc(events, sizeof *c.noise),
                .residual = rc_calloc(events, sizeof *c.residual),
                .representation = rc_calloc(events * each, sizeof *c.representation),
                .event_class = rc_calloc(events, sizeof *c.event_class),
                .use = rc_calloc(events, sizeof *c.use),
                .reason = rc_calloc(events, sizeof *c.reason)};
            rc_metrics_read_columns(file, k, s, &c, &err);
            free(c.noise);
            free(c.residual);
            free(c.representation);
            free(c.event_class);
            free(c.use);
            free(c.reason);
        }
    }
    rc_store_close(file, &err);
}

static int try_many(const char *from, uint64_t first, uint64_t count, const char *place)
{
    static const char *const fates[] = {"survived", "died", "late"};
    void (*const readers[])(const void *) = {read_campaign, read_metrics};
    unsigned seen[3][2] = {{0}};
    struct rc_error err = {.rank = -1};
    struct rc_store *file;
    char *said = NULL;
    size_t bytes;

    rc_h5_quiet();
    const bool metrics = rc_metrics_open(MPI_COMM_NULL, from, &file, &err) == RC_OK;
    if (metrics)
        rc_store_close(file, &err);
    for (uint64_t n = first; n < first + count; n++) {
        FILE *done = open_memstream(&said, &bytes);
        if (!done || make(from, n, false, place, done) != RC_OK)
            return 1;
        fclose(done);
        enum rc_survival fate =
            rc_sandbox_run(readers[metrics], place, PATIENCE_S, NULL);
        const struct rc_store_form *form =
            metrics ? &rc_metrics_form : &rc_store_campaign_form;
        bool told =
            __real_rc_store_sandbox_read(place, form, RC_STORE_WHOLE, &err) != RC_OK;
        seen[fate][told]++;
        if (fate != RC_SURVIVED || told)
            printf("%s, %s: number %" PRIu64 ": %s\n", fates[fate],
                   told ? "told" : "not told", n, said);
        fflush(stdout);
        free(said);
    }
    printf("survived %u, and %u that were refused; died %u told, %u not told; late %u "
           "told, %u not told\n",
           seen[0][0], seen[0][1], seen[1][1], seen[1][0], seen[2][1], seen[2][0]);
    return 0;
}

int main(int argc, char **argv)
{
    struct rc_error err = {.rank = -1};
    const bool flip = argc == 5 && strcmp(argv[1], "flip") == 0;

    if (argc == 3 && strcmp(argv[1], "seal") == 0)
        return rc_h5_seal(argv[2], &err) != RC_OK;
    if (flip || (argc == 5 && strcmp(argv[1], "copy") == 0)) {
        int status = make(argv[2], strtoull(argv[3], NULL, 10), flip, argv[4], stdout);
        putchar('\n');
        return status != RC_OK;
    }
    if (argc == 6 && strcmp(argv[1], "try") == 0)
        return try_many(argv[2], strtoull(argv[3], NULL, 10),
                        strtoull(argv[4], NULL, 10), argv[5]);
    fprintf(stderr,
            "expected: copy or flip FILE NUMBER PLACE, try FILE FIRST COUNT PLACE, or "
            "seal FILE\n");
    return 2;
}
