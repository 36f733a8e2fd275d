/* Measurements beside a campaign: detours of cores, their periods, tails, what
 * they cost at scale, and the clocks of nodes.
 *
 * A core measured once is a row of /detours.  The detours of all rows follow each other
 * in three lists, and each row says which are its own (a contiguous ragged array, as
 * the climate and forecast conventions call it): a group for each core would be tens of
 * thousands of small datasets.  Rank 0 writes alone.
 */
#include "io/noise/parts.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 14 /* items */, PIECE = 1 << 16 /* items that are read at once */ };

#define RECORD(kind_of_it, member, label, of_unit)                                     \
    RC_H5_FIELD(kind_of_it, struct rc_noise_file_record, member, label, of_unit)
#define PERIOD(kind_of_it, member, label, of_unit)                                     \
    RC_H5_FIELD(kind_of_it, struct rc_noise_file_period, member, label, of_unit)
#define TAIL(kind_of_it, member, label, of_unit)                                       \
    RC_H5_FIELD(kind_of_it, struct rc_noise_file_tail, member, label, of_unit)
#define SCALE(member, label, of_unit)                                                  \
    RC_H5_FIELD(RC_H5_REAL, struct rc_noise_file_scale, member, label, of_unit)
#define CLOCK(kind_of_it, member, label, of_unit)                                      \
    RC_H5_FIELD(kind_of_it, struct rc_noise_file_clock, member, label, of_unit)

static const struct rc_h5_field records[] = {
    RECORD(RC_H5_NAME, node, "node", NULL),
    RECORD(RC_H5_NUMBER, core, "core", NULL),
    RECORD(RC_H5_NUMBER, round, "round", NULL),
    RECORD(RC_H5_NAME, work, "work", NULL),
    RECORD(RC_H5_NAME, quota, "quota", NULL),
    RECORD(RC_H5_FLAG, alone, "alone", NULL),
    RECORD(RC_H5_WIDE, begin_ns, "begin", "ns"),
    RECORD(RC_H5_WIDE, duration_ns, "duration", "ns"),
    RECORD(RC_H5_WIDE, gaps, "gaps", "1"),
    RECORD(RC_H5_WIDE, tau_ns, "tau", "ns"),
    RECORD(RC_H5_WIDE, dropped, "dropped", "1"),
    RECORD(RC_H5_WIDE, median_gap_ps, "median_gap", "ps"),
    RECORD(RC_H5_NUMBER, first, "first", NULL),
    RECORD(RC_H5_NUMBER, count, "count", "1"),
    RECORD(RC_H5_NUMBER, first_bin, "first_bin", NULL),
    RECORD(RC_H5_NUMBER, bins, "bins", "1"),
    {0}};
static const struct rc_h5_table records_table = {
    .name = "detours",
    .item_bytes = sizeof(struct rc_noise_file_record),
    .field = records};

static const struct rc_h5_field periods[] = {
    PERIOD(RC_H5_NAME, who, "who", NULL),
    PERIOD(RC_H5_NUMBER, record, "record", NULL),
    PERIOD(RC_H5_REAL, hz, "frequency", "Hz"),
    PERIOD(RC_H5_REAL, hz_error, "frequency_error", "Hz"),
    PERIOD(RC_H5_REAL, phase_ns, "phase", "ns"),
    PERIOD(RC_H5_REAL, window_ns, "window", "ns"),
    PERIOD(RC_H5_REAL, stolen_ns, "stolen", "ns"),
    PERIOD(RC_H5_REAL, share, "share", "1"),
    PERIOD(RC_H5_WIDE, pulses, "pulses", "1"),
    PERIOD(RC_H5_WIDE, hits, "hits", "1"),
    {0}};
static const struct rc_h5_table periods_table = {
    .name = "periods",
    .item_bytes = sizeof(struct rc_noise_file_period),
    .field = periods};

static const struct rc_h5_field tails[] = {
    TAIL(RC_H5_NUMBER, record, "record", NULL),
    TAIL(RC_H5_REAL, threshold_ns, "threshold", "ns"),
    TAIL(RC_H5_REAL, scale_ns, "scale", "ns"),
    TAIL(RC_H5_REAL, shape, "shape", "1"),
    TAIL(RC_H5_REAL, rate_hz, "rate", "Hz"),
    TAIL(RC_H5_REAL, worst_ns, "worst", "ns"),
    TAIL(RC_H5_REAL, worst_low_ns, "worst_low", "ns"),
    TAIL(RC_H5_REAL, worst_high_ns, "worst_high", "ns"),
    {0}};
static const struct rc_h5_table tails_table = {
    .name = "tail", .item_bytes = sizeof(struct rc_noise_file_tail), .field = tails};

static const struct rc_h5_field scales[] = {
    SCALE(grain_ns, "grain", "ns"),
    SCALE(ranks, "ranks", "1"),
    SCALE(slowdown, "slowdown", "1"),
    SCALE(measured, "measured", "1"),
    SCALE(synchrony, "synchrony", "1"),
    SCALE(synchrony_error, "synchrony_error", "1"),
    {0}};
static const struct rc_h5_table scales_table = {
    .name = "scale", .item_bytes = sizeof(struct rc_noise_file_scale), .field = scales};

static const struct rc_h5_field clocks[] = {
    CLOCK(RC_H5_NAME, node, "node", NULL),
    CLOCK(RC_H5_NUMBER, record, "record", NULL),
    CLOCK(RC_H5_WIDE, at_ns, "at", "ns"),
    CLOCK(RC_H5_REAL, offset_ns, "offset", "ns"),
    CLOCK(RC_H5_REAL, drift, "drift", "1"),
    CLOCK(RC_H5_REAL, uncertainty_ns, "uncertainty", "ns"),
    {0}};
static const struct rc_h5_table clocks_table = {
    .name = "clock", .item_bytes = sizeof(struct rc_noise_file_clock), .field = clocks};

static const struct {
    const char *name;
    const char *unit;
    size_t offset; /* of the number in a detour or a bin */
} lists[RC_NOISE_LISTS] = {
    [RC_NOISE_START] = {"start", "ns", offsetof(struct rc_noise_file_detour, start_ns)},
    [RC_NOISE_LENGTH] = {"length", "ns",
                         offsetof(struct rc_noise_file_detour, length_ns)},
    [RC_NOISE_WHO] = {"cause", NULL, offsetof(struct rc_noise_file_detour, who)},
    [RC_NOISE_BIN] = {"bin_begin", "ps", offsetof(struct rc_noise_file_bin, begin_ps)},
    [RC_NOISE_BIN_GAPS] = {"bin_gaps", "1", offsetof(struct rc_noise_file_bin, gaps)},
};

/* One number of each item, as a list; items are copied out of their structs. */
static int put_list(hid_t group, enum rc_noise_list which, const void *items,
                    size_t item_bytes, size_t count, struct rc_error *err)
{
    const struct rc_h5_layout layout = {.rank = 1,
                                        .dims = {count},
                                        .chunk = {count < CHUNK ? count : CHUNK},
                                        .compressed = count > 0,
                                        .shuffled = true};
    uint64_t *number = rc_calloc(count, sizeof *number);
    hid_t set = H5I_INVALID_HID;
    int status = RC_OK;

    if (!number)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu detours", count);
    const char *at = (const char *)items + lists[which].offset;
    for (size_t i = 0; i < count; i++, at += item_bytes)
        number[i] = *(const uint64_t *)(const void *)at;
    set = rc_h5_create(group, lists[which].name, H5T_NATIVE_UINT64, &layout);
    if (set < 0) {
        status = rc_h5_fail(err, "cannot create '%s'", lists[which].name);
        goto out;
    }
    const struct rc_h5_piece piece = {.set = set,
                                      .type = H5T_NATIVE_UINT64,
                                      .name = lists[which].name,
                                      .rank = 1,
                                      .extent = {count}};
    if (count > 0 && (status = rc_h5_transfer(&piece, true, false, number, err)))
        goto out;
    if (lists[which].unit)
        status = rc_h5_put_word(set, "units", lists[which].unit, err);
out:
    free(number);
    return rc_h5_close(set, status, err);
}

/* The rows, and the lists that they point into. */
static int put_records(hid_t file, const struct rc_noise_file_detours *d,
                       struct rc_error *err)
{
    const size_t detour = sizeof(struct rc_noise_file_detour);
    const size_t bin = sizeof(struct rc_noise_file_bin);
    hid_t group = H5I_INVALID_HID;
    int status =
        rc_h5_put_table(file, &records_table, d->record, d->record_count, &group, err);

    if (status != RC_OK)
        return status;
    if ((status = rc_h5_put_attribute(group, "journal_records", H5T_NATIVE_UINT64, 1,
                                      &d->journal_records, err)) ||
        (status = rc_h5_put_scale(group, "causes", d->who, d->who_count, err)))
        goto out;
    for (enum rc_noise_list l = RC_NOISE_START; l <= RC_NOISE_WHO; l++)
        if ((status = put_list(group, l, d->detour, detour, d->detour_count, err)))
            goto out;
    for (enum rc_noise_list l = RC_NOISE_BIN; l <= RC_NOISE_BIN_GAPS; l++)
        if ((status = put_list(group, l, d->bin, bin, d->bin_count, err)))
            goto out;
out:
    return rc_h5_close(group, status, err);
}

/* Where each table has its rows; those of /detours are apart. */
static const struct {
    const struct rc_h5_table *table;
    size_t items, count; /* offsets in struct rc_noise_file_detours */
} tables[] = {
    {&periods_table, offsetof(struct rc_noise_file_detours, period),
     offsetof(struct rc_noise_file_detours, period_count)},
    {&tails_table, offsetof(struct rc_noise_file_detours, tail),
     offsetof(struct rc_noise_file_detours, tail_count)},
    {&scales_table, offsetof(struct rc_noise_file_detours, scale),
     offsetof(struct rc_noise_file_detours, scale_count)},
    {&clocks_table, offsetof(struct rc_noise_file_detours, clock),
     offsetof(struct rc_noise_file_detours, clock_count)},
};
enum { TABLES = sizeof tables / sizeof *tables };

int rc_noise_put_detours(hid_t file, const struct rc_noise_file_detours *d,
                         struct rc_error *err)
{
    int status = put_records(file, d, err);

    if (status != RC_OK)
        return status;
    for (size_t t = 0; t < TABLES; t++) {
        const void *items;
        size_t count;
        memcpy(&items, (const char *)d + tables[t].items, sizeof items);
        memcpy(&count, (const char *)d + tables[t].count, sizeof count);
        if ((status = rc_h5_put_table(file, tables[t].table, items, count, NULL, err)))
            return status;
    }
    return RC_OK;
}

/* Checks that the ranges in rows fit the lists and each other. */
static int check_numbers(const struct rc_noise_file_detours *d, struct rc_error *err)
{
    for (size_t i = 0; i < d->record_count; i++) {
        const struct rc_noise_file_record *r = &d->record[i];
        if (r->first > d->detour_count || r->count > d->detour_count - r->first ||
            r->first_bin > d->bin_count || r->bins > d->bin_count - r->first_bin)
            return rc_fail(err, RC_EUSAGE,
                           "'detours' number %zu: %zu from %zu on of %zu detours, %zu "
                           "from %zu on of %zu bins",
                           i, r->count, r->first, d->detour_count, r->bins,
                           r->first_bin, d->bin_count);
    }
    for (size_t i = 0; i < d->period_count; i++)
        if (d->period[i].record >= d->record_count)
            return rc_fail(err, RC_EUSAGE, "'periods' number %zu belongs to no record",
                           i);
    for (size_t i = 0; i < d->tail_count; i++)
        if (d->tail[i].record >= d->record_count)
            return rc_fail(err, RC_EUSAGE, "'tail' number %zu belongs to no record", i);
    for (size_t i = 0; i < d->clock_count; i++)
        if (d->clock[i].record >= d->record_count)
            return rc_fail(err, RC_EUSAGE, "'clock' number %zu belongs to no record",
                           i);
    return RC_OK;
}

/* How long the lists are, which are read later. */
static int get_lists(struct rc_store *store, struct rc_noise_file_detours *out,
                     struct rc_error *err)
{
    hid_t group = H5Gopen2(store->file, records_table.name, H5P_DEFAULT);
    size_t count[RC_NOISE_LISTS] = {0};
    int64_t read = 0;
    int status;

    if (group < 0)
        return rc_h5_fail(err, "cannot read 'detours'");
    if ((status = rc_h5_get_integer(group, "journal_records", &read, err)))
        goto out;
    out->journal_records = (uint64_t)read;
    for (enum rc_noise_list l = 0; l < RC_NOISE_LISTS; l++)
        if ((status = rc_h5_get_shape(group, lists[l].name, 1, &count[l], err)))
            goto out;
    if ((status = rc_store_get_list(store, group, "causes", &out->who, &out->who_count,
                                    err)))
        goto out;
    if (count[RC_NOISE_LENGTH] != count[RC_NOISE_START] ||
        count[RC_NOISE_WHO] != count[RC_NOISE_START] ||
        count[RC_NOISE_BIN_GAPS] != count[RC_NOISE_BIN])
        status = rc_fail(err, RC_EUSAGE, "'detours': lists of different lengths");
    out->detour_count = count[RC_NOISE_START];
    out->bin_count = count[RC_NOISE_BIN];
out:
    return rc_h5_close(group, status, err);
}

int rc_noise_get_detours(struct rc_store *store, struct rc_noise_file_detours *out,
                         struct rc_error *err)
{
    void *items = NULL;
    size_t count = 0;
    int status;

    if (H5Lexists(store->file, records_table.name, H5P_DEFAULT) <= 0)
        return RC_OK; /* nothing was measured besides */
    status = rc_h5_get_table(store->pool, &store->arena, store->file, &records_table, 0,
                             &items, &out->record_count, err);
    if (status != RC_OK)
        return status;
    out->record = items;
    for (size_t t = 0; t < TABLES; t++) {
        status = rc_h5_get_table(store->pool, &store->arena, store->file,
                                 tables[t].table, 0, &items, &count, err);
        if (status != RC_OK)
            return status;
        memcpy((char *)out + tables[t].items, &items, sizeof items);
        memcpy((char *)out + tables[t].count, &count, sizeof count);
    }
    if ((status = get_lists(store, out, err)) != RC_OK)
        return status;
    return check_numbers(out, err);
}

/* Numbers of a list into the structs that begin at 'items'. */
static int get_list(hid_t group, enum rc_noise_list which, size_t first, size_t count,
                    uint64_t limit, void *items, size_t item_bytes,
                    struct rc_error *err)
{
    uint64_t *number = rc_calloc(count < PIECE ? count : PIECE, sizeof *number);
    char *to = (char *)items + lists[which].offset;
    int status = RC_OK;

    if (!number)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu detours", count);
    for (size_t done = 0; done < count; done += PIECE) {
        const size_t now = count - done < PIECE ? count - done : PIECE;
        if ((status = rc_h5_get_numbers(group, lists[which].name, H5T_NATIVE_UINT64,
                                        first + done, now, number, err)))
            goto out;
        for (size_t i = 0; i < now; i++, to += item_bytes) {
            if (number[i] >= limit) {
                status = rc_fail(
                    err, RC_EUSAGE, "'%s' number %zu is %llu, expected less than %llu",
                    lists[which].name, first + done + i, (unsigned long long)number[i],
                    (unsigned long long)limit);
                goto out;
            }
            *(uint64_t *)(void *)to = number[i];
        }
    }
out:
    free(number);
    return status;
}

/* Lists from .. to of the same items. */
static int get_items(const struct rc_store *file, enum rc_noise_list from,
                     enum rc_noise_list to, size_t first, size_t count, void *items,
                     size_t item_bytes, struct rc_error *err)
{
    const struct rc_noise_file_detours *d = file->results;
    hid_t group = H5Gopen2(file->file, records_table.name, H5P_DEFAULT);
    int status = group < 0 ? rc_h5_fail(err, "cannot read 'detours'") : RC_OK;

    for (enum rc_noise_list l = from; l <= to && status == RC_OK; l++)
        status = get_list(group, l, first, count,
                          l == RC_NOISE_WHO ? d->who_count : UINT64_MAX, items,
                          item_bytes, err);
    status = rc_h5_close(group, status, err);
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", file->path);
    return status;
}

int rc_noise_file_read_detours(const struct rc_store *file, size_t first, size_t count,
                               struct rc_noise_file_detour *out, struct rc_error *err)
{
    return get_items(file, RC_NOISE_START, RC_NOISE_WHO, first, count, out, sizeof *out,
                     err);
}

int rc_noise_file_read_bins(const struct rc_store *file, size_t first, size_t count,
                            struct rc_noise_file_bin *out, struct rc_error *err)
{
    return get_items(file, RC_NOISE_BIN, RC_NOISE_BIN_GAPS, first, count, out,
                     sizeof *out, err);
}
