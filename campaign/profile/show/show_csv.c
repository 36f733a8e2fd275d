/* A profile as CSV: a row for each call path of each thread, for each count there, for
 * each row of MPI calls, for each series and for each parameter; as an export, after
 * these, a row for each instance and for each reading.
 */
#include "campaign/profile/export/export.h"
#include "campaign/profile/read/stacks.h"
#include "campaign/profile/show/show_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 48, PATH_TEXT = 4096 };

enum column {
    LAUNCH,
    NODE,
    RANK,
    PID,
    TID,
    SORT,
    PATH,
    NAME,
    SITE,
    COUNT,
    NS,
    OWN_NS,
    MPI_NS,
    SHORTEST_NS,
    LONGEST_NS,
    BYTES,
    KNOWN,
    WAITED_NS,
    MEAN,
    MIN,
    MAX,
    LAST,
    NODES,
    SHOWN, /* what follows are columns of the export only */
    BEGIN_NS = SHOWN,
    END_NS,
    HALF_NS,
    VALUE,
    COLUMNS
};
static const struct rc_column columns[COLUMNS + 1] = {
    [LAUNCH] = {.name = "launch", .type = RC_CELL_NUMBER},
    [NODE] = {.name = "node"},
    [RANK] = {.name = "rank", .type = RC_CELL_NUMBER},
    [PID] = {.name = "pid", .type = RC_CELL_NUMBER},
    [TID] = {.name = "tid", .type = RC_CELL_NUMBER},
    [SORT] = {.name = "sort"},
    [PATH] = {.name = "path"},
    [NAME] = {.name = "name"},
    [SITE] = {.name = "site"},
    [COUNT] = {.name = "count", .type = RC_CELL_NUMBER},
    [NS] = {.name = "ns", .type = RC_CELL_NUMBER},
    [OWN_NS] = {.name = "own_ns", .type = RC_CELL_NUMBER},
    [MPI_NS] = {.name = "mpi_ns", .type = RC_CELL_NUMBER},
    [SHORTEST_NS] = {.name = "shortest_ns", .type = RC_CELL_NUMBER},
    [LONGEST_NS] = {.name = "longest_ns", .type = RC_CELL_NUMBER},
    [BYTES] = {.name = "bytes", .type = RC_CELL_NUMBER},
    [KNOWN] = {.name = "known", .type = RC_CELL_NUMBER},
    [WAITED_NS] = {.name = "waited_ns", .type = RC_CELL_NUMBER},
    [MEAN] = {.name = "mean", .type = RC_CELL_NUMBER},
    [MIN] = {.name = "min", .type = RC_CELL_NUMBER},
    [MAX] = {.name = "max", .type = RC_CELL_NUMBER},
    [LAST] = {.name = "last", .type = RC_CELL_NUMBER},
    [NODES] = {.name = "nodes"},
    [BEGIN_NS] = {.name = "begin_ns", .type = RC_CELL_NUMBER},
    [END_NS] = {.name = "end_ns", .type = RC_CELL_NUMBER},
    [HALF_NS] = {.name = "half_ns", .type = RC_CELL_NUMBER},
    [VALUE] = {.name = "value", .type = RC_CELL_NUMBER},
};

/* A row: what is not set is an empty cell. */
struct row {
    const char *cell[COLUMNS];
    char text[COLUMNS][CELL];
};

/* Sets a cell; what is not set stays empty. */
static void set_number(struct row *row, enum column column, uint64_t value)
{
    snprintf(row->text[column], CELL, "%" PRIu64, value);
    row->cell[column] = row->text[column];
}

/* The same of a number that may be unknown. */
static void set_real(struct row *row, enum column column, double value)
{
    snprintf(row->text[column], CELL, "%.15g", value);
    row->cell[column] = isfinite(value) ? row->text[column] : NULL;
}

/* A share with its interval, in percent. */
static void set_share(struct row *row, struct rc_profile_share share)
{
    set_real(row, MEAN, 100 * share.is);
    set_real(row, MIN, 100 * share.low);
    set_real(row, MAX, 100 * share.high);
}

/* A row with what all rows have: launch, node, thread (NULL: it is of a node), sort. */
static void begin_row(struct row *row, const struct rc_profile_node *node,
                      const struct rc_profile_thread *thread, const char *sort)
{
    *row = (struct row){.cell = {[NODE] = node->launch.node, [SORT] = sort}};
    set_number(row, LAUNCH, node->launch.launch);
    if (!thread)
        return;
    if (thread->place.rank >= 0)
        set_number(row, RANK, (uint64_t)thread->place.rank);
    set_number(row, PID, thread->place.pid);
    set_number(row, TID, thread->place.tid);
}

/* The rows that are being written. */
struct csv {
    struct rc_rows *rows;
    const struct rc_profile_sums *sums;
    const char *within;
    struct rc_profile_own *own; /* of the thread at hand */
    bool inside[RC_SHARED_PATHS];
};

/* A row for each path that is wanted, the thread itself being the root; after it its
 * counts, with the regions inside, as the thread took them.
 */
static void put_paths(struct csv *csv, const struct rc_profile_node *node,
                      const struct rc_profile_thread *thread)
{
    char path[PATH_TEXT];
    struct row row;

    for (size_t p = 0; p < thread->path_count; p++) {
        const struct rc_profile_path *of = &thread->path[p];
        if (!csv->inside[p])
            continue;
        begin_row(&row, node, thread, p > 0 ? "region" : "thread");
        row.cell[PATH] = rc_profile_path_text(thread, 0, p, ";", path, sizeof path);
        row.cell[NAME] = p > 0 ? rc_profile_region_name(thread, p) : NULL;
        set_number(&row, COUNT, p > 0 ? of->visits : 1);
        set_real(&row, NS,
                 p > 0 ? rc_profile_path_ns(of) : (double)rc_profile_thread_ns(thread));
        set_real(&row, OWN_NS, csv->own->ns[p]);
        set_real(&row, MPI_NS, csv->own->mpi_ns[p]);
        if (p > 0 && of->measured > 0) {
            set_number(&row, SHORTEST_NS, of->shortest_ns);
            set_number(&row, LONGEST_NS, of->longest_ns);
        }
        rc_rows_add(csv->rows, row.cell);
        for (size_t c = 0; c < node->launch.counter_count; c++) {
            begin_row(&row, node, thread, "count");
            row.cell[PATH] = path;
            row.cell[NAME] = node->launch.counter[c];
            set_number(&row, COUNT, of->count[c]);
            rc_rows_add(csv->rows, row.cell);
        }
    }
}

/* A row for each row of MPI calls in a path that is wanted. */
static void put_calls(struct csv *csv, const struct rc_profile_node *node,
                      const struct rc_profile_thread *thread)
{
    char path[PATH_TEXT];
    struct row row;

    for (size_t i = 0; i < thread->call_count; i++) {
        const struct rc_profile_call *call = &thread->call[i];
        if (call->calls == 0 || !csv->inside[call->path])
            continue;
        begin_row(&row, node, thread, "call");
        row.cell[PATH] =
            rc_profile_path_text(thread, 0, call->path, ";", path, sizeof path);
        row.cell[NAME] = rc_profile_call_name(thread, call);
        snprintf(row.text[SITE], CELL, "%.24s+0x%" PRIx64,
                 call->module ? rc_profile_name(thread, call->module) : "", call->site);
        row.cell[SITE] = row.text[SITE];
        row.cell[NODES] = rc_profile_nodes_name(call->nodes);
        set_number(&row, COUNT, call->calls);
        set_number(&row, NS, call->ns);
        set_number(&row, LONGEST_NS, call->longest_ns);
        set_number(&row, BYTES, call->bytes);
        const struct rc_profile_wait *wait = rc_profile_wait_of(thread, call);
        if (wait) {
            set_number(&row, KNOWN, wait->known);
            set_number(&row, WAITED_NS, wait->waited_ns);
        }
        rc_rows_add(csv->rows, row.cell);
    }
}

/* A row for each series of a node, in short. */
static void put_series(struct csv *csv, const struct rc_profile_node *node)
{
    struct row row;

    for (size_t i = 0; i < node->series_count; i++) {
        const struct rc_profile_series *series = &node->series[i];
        const struct rc_profile_series_sum sum = rc_profile_series_sum(series);
        begin_row(&row, node, NULL,
                  series->event.simulated ? "simulated series" : "series");
        row.cell[NAME] = series->event.name;
        set_number(&row, COUNT, sum.valid);
        set_real(&row, MEAN, sum.mean);
        set_real(&row, MIN, sum.least);
        set_real(&row, MAX, sum.most);
        set_real(&row, LAST, sum.last);
        rc_rows_add(csv->rows, row.cell);
    }
}

/* A row for each sampled function: samples and time of its own, its time with what it
 * called, and the share of its own with its interval, in percent.
 */
static int put_functions(struct csv *csv, const struct rc_profile_sums *sums,
                         struct rc_error *err)
{
    struct rc_profile_stack_function *of = NULL;
    struct rc_profile_stacks_tree tree;
    size_t count = 0;
    int status = rc_profile_stacks_tree(sums->node, sums->node_count, &tree, err);

    if (status == RC_OK)
        status = rc_profile_stack_functions(&tree, &of, &count, err);
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        const struct rc_profile_share share =
            rc_profile_stack_share(&tree, of[i].own_ns);
        struct row row = {
            .cell = {
                [SORT] = "function", [NAME] = of[i].function, [SITE] = of[i].module}};
        set_number(&row, LAUNCH, sums->node->launch.launch);
        set_number(&row, COUNT, of[i].own);
        set_real(&row, NS, of[i].total_ns);
        set_real(&row, OWN_NS, of[i].own_ns);
        set_share(&row, share);
        rc_rows_add(csv->rows, row.cell);
    }
    free(of);
    rc_profile_stacks_tree_fini(&tree);
    return status;
}

/* A row for each library: samples, their time, and its share with its interval. */
static int put_libraries(struct csv *csv, const struct rc_profile_sums *sums,
                         struct rc_error *err)
{
    struct rc_profile_libraries all;
    const int status = rc_profile_libraries(sums->node, sums->node_count, &all, err);

    for (size_t i = 0; status == RC_OK && i < all.count; i++) {
        const struct rc_profile_share share =
            rc_profile_share_of(all.item[i].ns, all.ns, all.effective);
        struct row row = {.cell = {[SORT] = "library", [NAME] = all.item[i].name}};
        set_number(&row, LAUNCH, sums->node->launch.launch);
        set_number(&row, COUNT, all.item[i].samples);
        set_real(&row, NS, all.item[i].ns);
        set_share(&row, share);
        rc_rows_add(csv->rows, row.cell);
    }
    free(all.item);
    return status;
}

/* A row for each parameter of the launch, if --set has given it any. */
static void put_parameters(struct csv *csv, const struct rc_profile_sums *sums)
{
    const struct rc_profile_launch *launch = &sums->node->launch;
    struct rc_profile_parameters all;
    struct rc_error ignored = {.rank = -1}; /* those before the wrong one are there */

    (void)rc_profile_parameters_of(sums->profile, launch->launch, &all, &ignored);
    for (size_t i = 0; launch->set[0] && i < all.count; i++) {
        struct row row = {.cell = {[SORT] = "parameter", [NAME] = all.of[i].name}};
        set_number(&row, LAUNCH, launch->launch);
        set_real(&row, MEAN, all.of[i].value);
        rc_rows_add(csv->rows, row.cell);
    }
}

/* All rows of sums, thread by thread, so that memory does not grow with their number.
 */
static int put_sums(struct csv *csv, const struct rc_profile_sums *sums,
                    struct rc_error *err)
{
    csv->own = rc_calloc(1, sizeof *csv->own);
    if (!csv->own)
        return rc_fail(err, RC_ENOMEM, "no memory for the rows of the profile");
    for (size_t n = 0; n < sums->node_count; n++) {
        const struct rc_profile_node *node = &sums->node[n];
        for (size_t t = 0; t < node->thread_count; t++) {
            rc_profile_own(&node->thread[t], csv->own);
            rc_profile_choose(&node->thread[t], csv->within, csv->inside);
            put_paths(csv, node, &node->thread[t]);
            put_calls(csv, node, &node->thread[t]);
        }
        if (!csv->within)
            put_series(csv, node);
    }
    free(csv->own);
    if (csv->within)
        return RC_OK;
    put_parameters(csv, sums);
    const int status = put_functions(csv, sums, err);
    return status == RC_OK ? put_libraries(csv, sums, err) : status;
}

int rc_profile_show_csv(const struct rc_profile_sums *sums, const char *within,
                        enum rc_format format, struct rc_error *err)
{
    struct rc_column shown[SHOWN + 1];
    struct csv csv = {.within = within};

    memcpy(shown, columns, sizeof shown);
    shown[SHOWN].name = NULL;
    rc_rows_head(stdout, format, shown);
    csv.rows = rc_rows_create(stdout, format, shown, NULL);
    const int status = put_sums(&csv, sums, err);
    return rc_rows_end(csv.rows, status, err);
}

/* An instance: of a region, or a long call of MPI. */
static int put_instance(void *arg, const struct rc_profile_piece *piece,
                        struct rc_error *err)
{
    const struct csv *csv = arg;
    const struct rc_profile_thread *thread = piece->thread;
    char path[PATH_TEXT];
    struct row row;

    (void)err;
    begin_row(&row, piece->node, thread, piece->call ? "call instance" : "instance");
    row.cell[PATH] = rc_profile_path_text(
        thread, 0, piece->call ? thread->call[piece->number].path : piece->number, ";",
        path, sizeof path);
    row.cell[NAME] = rc_profile_piece_name(piece);
    set_number(&row, NS, piece->end_ns - piece->begin_ns);
    set_number(&row, BEGIN_NS, piece->begin_ns);
    set_number(&row, END_NS, piece->end_ns);
    rc_rows_add(csv->rows, row.cell);
    return RC_OK;
}

/* A reading: 'value' is what was counted between begin and end, or the state; 'mean'
 * the rate.
 */
static int put_reading(void *arg, const struct rc_profile_point *point,
                       struct rc_error *err)
{
    const struct csv *csv = arg;
    const struct rc_profile_event *event = &point->series->event;
    struct row row;

    (void)err;
    begin_row(&row, &csv->sums->node[point->node], NULL,
              event->simulated ? "simulated reading" : "reading");
    row.cell[NAME] = event->name;
    set_real(&row, MEAN, point->value);
    set_number(&row, BEGIN_NS, point->begin_ns);
    set_number(&row, END_NS, point->end_ns);
    set_number(&row, HALF_NS, point->reading->half_ns);
    snprintf(row.text[VALUE], CELL, "%" PRId64, point->reading->value);
    row.cell[VALUE] = row.text[VALUE];
    rc_rows_add(csv->rows, row.cell);
    return RC_OK;
}

/* Sums are of the whole launch: with a stretch of time of it they are left out. */
static int export_csv(const struct rc_profile_sums *sums,
                      const struct rc_profile_choice *choice, FILE *out, FILE *left_out,
                      enum rc_format format, struct rc_error *err)
{
    struct csv csv = {.sums = sums};
    struct rc_profile_axis axis;
    const struct rc_profile_teller teller = {
        .arg = &csv, .begin = put_instance, .reading = put_reading};
    int status = rc_profile_axis_make(sums, choice, &axis, err);

    if (status != RC_OK)
        return status;
    rc_rows_head(out, format, columns);
    csv.rows = rc_rows_create(out, format, columns, NULL);
    if (choice->from_ns == 0 && choice->to_ns == 0)
        status = put_sums(&csv, sums, err);
    else
        fprintf(left_out, "rows of sums, which are of the whole launch\n");
    if (status != RC_OK ||
        (status = rc_profile_axis_pieces(&axis, &teller, err)) != RC_OK)
        goto out;
    status = rc_profile_axis_readings(&axis, &teller, err);
out:
    rc_profile_axis_say(&axis, left_out);
    return rc_rows_end(csv.rows, status, err);
}

static int write_csv(const struct rc_profile_sums *sums,
                     const struct rc_profile_choice *choice, FILE *out, FILE *left_out,
                     struct rc_error *err)
{
    return export_csv(sums, choice, out, left_out, RC_FORMAT_CSV, err);
}

static int write_csv_raw(const struct rc_profile_sums *sums,
                         const struct rc_profile_choice *choice, FILE *out,
                         FILE *left_out, struct rc_error *err)
{
    return export_csv(sums, choice, out, left_out, RC_FORMAT_CSV_RAW, err);
}

const struct rc_profile_export_format rc_profile_csv = {
    .name = "csv", .marks = true, .limit = SIZE_MAX, .write = write_csv};
const struct rc_profile_export_format rc_profile_csv_raw = {
    .name = "csv-raw", .marks = true, .limit = SIZE_MAX, .write = write_csv_raw};
