/* Runs passes, times them and reports the results. */
#include "kernels/fft3d/rounds.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const pass_names[] = {"forward", "backward"};

/* Runs one pass, with its times in row 'round'; SIZE_MAX: the times are dropped. */
static void run_pass(struct rc_fft *fft, enum rc_fft_direction direction, size_t round,
                     struct rc_fft_rounds *out)
{
    const size_t *n = fft->options.n;
    double points = (double)n[0] * (double)n[1] * (double)n[2];
    MPI_Barrier(fft->comm);
    uint64_t begin = rc_clock_ns();
    if (direction == RC_FFT_FORWARD)
        rc_fft_forward(fft);
    else
        rc_fft_backward(fft, 1 / points);
    uint64_t whole = rc_clock_ns() - begin;
    if (round == SIZE_MAX)
        return;
    uint64_t *ns = out->ns[direction] + round * (out->phases + 1);
    for (size_t p = 0; p < out->phases; p++) {
        ns[p] = fft->phases.phase[p].ns;
        out->runs[direction][p] = fft->phases.phase[p].runs;
    }
    ns[out->phases] = whole;
}

int rc_fft_rounds_run(struct rc_fft *fft, size_t rounds, struct rc_fft_rounds *out,
                      struct rc_error *err)
{
    *out = (struct rc_fft_rounds){.rounds = rounds, .phases = fft->phases.count};
    size_t count = rounds * (out->phases + 1);
    for (int d = 0; d < 2; d++) {
        out->ns[d] = rc_arena_array(&out->arena, count, sizeof(uint64_t));
        out->slowest[d] = rc_arena_array(&out->arena, count, sizeof(uint64_t));
    }
    const int status =
        rc_agree(fft->comm, rc_arena_check(&out->arena, err, "rounds"), err);
    if (status)
        return status;
    rc_fft_fill(fft);
    fft->phases.named = false;
    run_pass(fft, RC_FFT_FORWARD, SIZE_MAX, out);
    run_pass(fft, RC_FFT_BACKWARD, SIZE_MAX, out);
    fft->phases.named = true;
    for (size_t i = 0; i < rounds; i++) {
        run_pass(fft, RC_FFT_FORWARD, i, out);
        run_pass(fft, RC_FFT_BACKWARD, i, out);
    }
    fft->phases.named = false;
    for (int d = 0; d < 2; d++) /* row by row: MPI counts in int */
        for (size_t i = 0; i < rounds; i++)
            MPI_Allreduce(out->ns[d] + i * (out->phases + 1),
                          out->slowest[d] + i * (out->phases + 1), (int)out->phases + 1,
                          MPI_UINT64_T, MPI_MAX, fft->comm);
    return RC_OK;
}

void rc_fft_rounds_fini(struct rc_fft_rounds *rounds)
{
    rc_arena_free(&rounds->arena);
    *rounds = (struct rc_fft_rounds){0};
}

/* The seconds of one column of times; zeros where there is no memory to sort them. */
static struct rc_fft_seconds seconds_of(const struct rc_fft_rounds *rounds,
                                        const uint64_t *ns, size_t phase)
{
    size_t count = rounds->rounds;
    double *sorted = rc_calloc(count + 1, sizeof *sorted);
    struct rc_fft_seconds s = {0};
    if (sorted && count > 0) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = (double)ns[i * (rounds->phases + 1) + phase] / 1e9;
        qsort(sorted, count, sizeof *sorted, rc_order_reals);
        s.least = sorted[0];
        s.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
        s.most = sorted[count - 1];
    }
    free(sorted);
    return s;
}

struct rc_fft_seconds rc_fft_rounds_seconds(const struct rc_fft_rounds *rounds,
                                            enum rc_fft_direction direction,
                                            size_t phase)
{
    return seconds_of(rounds, rounds->slowest[direction], phase);
}

/* A rank's report on a phase to the first rank: real numbers, exact up to 2^53. */
enum {
    CALLS,
    FLOPS_NOMINAL,
    FLOPS_PLANNED,
    LOAD_BYTES,
    STORE_BYTES,
    LINES_READ,
    LINES_WRITTEN,
    SENT_BYTES,
    MESSAGES,
    MPI_BYTES,
    MEDIAN_SECONDS,
    TOLD
};
static const char *const told_names[TOLD] = {
    "calls",       "flops_nominal", "flops_planned",  "load_bytes",
    "store_bytes", "lines_read",    "lines_written",  "sent_bytes",
    "messages",    "mpi_bytes",     "median_seconds",
};

static void put_seconds(FILE *out, struct rc_fft_seconds s)
{
    fprintf(out, "\"seconds\": {\"min\": %.9g, \"median\": %.9g, \"max\": %.9g}",
            s.least, s.median, s.most);
}

/* 'all' has the reports: [phase][rank][TOLD]. */
static void put_json_pass(FILE *out, const struct rc_fft *fft,
                          const struct rc_fft_rounds *rounds,
                          enum rc_fft_direction direction, const double *all)
{
    const char *comma = "";
    fprintf(out, "{\"name\": \"%s\", ", pass_names[direction]);
    put_seconds(out, rc_fft_rounds_seconds(rounds, direction, rounds->phases));
    fprintf(out, ", \"phases\": [");
    for (size_t p = 0; p < rounds->phases; p++) {
        if (rounds->runs[direction][p] == 0)
            continue;
        const struct rc_fft_phase *phase = &fft->phases.phase[p];
        fprintf(out, "%s\n  {\"name\": \"%s\", \"runs\": %u, \"exact\": %s, ", comma,
                phase->name, rounds->runs[direction][p],
                phase->work.exact ? "true" : "false");
        put_seconds(out, rc_fft_rounds_seconds(rounds, direction, p));
        fprintf(out, ", \"ranks\": [");
        for (size_t rank = 0; rank < fft->ranks; rank++) {
            const double *told = all + (p * fft->ranks + rank) * TOLD;
            for (size_t i = 0; i < TOLD; i++)
                fprintf(out, "%s\"%s\": %.17g",
                        i      ? ", "
                        : rank ? ", {"
                               : "{",
                        told_names[i], told[i]);
            fprintf(out, "}");
        }
        fprintf(out, "]}");
        comma = ",";
    }
    fprintf(out, "]}");
}

static double load_now(void)
{
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

static void put_json_head(FILE *out, const struct rc_fft *fft,
                          const struct rc_fft_rounds *rounds,
                          const struct rc_fft_check *check)
{
    const struct rc_fft_options *o = &fft->options;
    fprintf(out,
            "{\"program\": \"rollcall-fft3d\", \"grid\": [%zu, %zu, %zu], "
            "\"kind\": \"%s\", \"precision\": \"%s\",\n \"path\": \"%s\", "
            "\"order\": \"%s\", \"place\": \"%s\", \"pitch\": \"%s\", \"block\": %zu, "
            "\"procs\": "
            "[%zu, %zu],\n \"ranks\": %zu, \"nodes\": %zu, \"element_bytes\": %zu, "
            "\"repeat\": %zu, \"load\": %.2f,\n \"fallback\": \"%s\",\n \"check\": ",
            o->n[0], o->n[1], o->n[2], o->real ? "r2c" : "c2c",
            o->single ? "single" : "double", o->path->name,
            o->transposed ? "transposed" : "natural", o->apart ? "out" : "in",
            o->plain ? "plain" : "odd", o->block, o->procs[0], o->procs[1], fft->ranks,
            fft->nodes.count, fft->element, rounds->rounds, load_now(), fft->fallback);
    if (check)
        fprintf(out, "{\"error\": %.3g, \"limit\": %.0e, \"bits\": \"%016" PRIx64 "\"}",
                check->error, check->limit, check->bits);
    else
        fprintf(out, "null");
    fprintf(out, ",\n \"passes\": [");
}

static void put_table_head(FILE *out, const struct rc_fft *fft,
                           const struct rc_fft_check *check)
{
    const struct rc_fft_options *o = &fft->options;
    fprintf(out, "%zux%zux%zu %s %s, path %s, %s order, %s, %s pitch, blocks of %zu\n",
            o->n[0], o->n[1], o->n[2], o->real ? "r2c" : "c2c",
            o->single ? "single" : "double", o->path->name,
            o->transposed ? "transposed" : "natural",
            o->apart ? "out of place" : "in place", o->plain ? "plain" : "odd",
            o->block);
    fprintf(out, "%zu rank%s on %zu node%s, grid %zux%zu; load %.2f\n", fft->ranks,
            rc_text_s(fft->ranks), fft->nodes.count, rc_text_s(fft->nodes.count),
            o->procs[0], o->procs[1], load_now());
    if (check)
        fprintf(out, "check: passed, error %.2g of at most %.0e; bits %016" PRIx64 "\n",
                check->error, check->limit, check->bits);
}

/* Work is summed over all ranks. */
static void put_table_pass(FILE *out, const struct rc_fft *fft,
                           const struct rc_fft_rounds *rounds,
                           enum rc_fft_direction direction, const double *all)
{
    struct rc_fft_seconds s = rc_fft_rounds_seconds(rounds, direction, rounds->phases);
    fprintf(out, "\n%s: %.3f ms, median of %zu (%.3f to %.3f)\n", pass_names[direction],
            s.median * 1e3, rounds->rounds, s.least * 1e3, s.most * 1e3);
    fprintf(out, "%-20s %10s %9s %11s %11s %11s %11s %11s %11s %11s\n", "phase", "ms",
            "calls", "MFLOP", "planned", "MB loaded", "MB stored", "MB read",
            "MB written", "MB sent");
    for (size_t p = 0; p < rounds->phases; p++) {
        double sum[TOLD] = {0};
        if (rounds->runs[direction][p] == 0)
            continue;
        for (size_t i = 0; i < fft->ranks * TOLD; i++)
            sum[i % TOLD] += all[p * fft->ranks * TOLD + i];
        fprintf(out,
                "%-20s %10.3f %9.0f %11.3f %11.3f %11.3f %11.3f %11.3f %11.3f %11.3f\n",
                fft->phases.phase[p].name,
                rc_fft_rounds_seconds(rounds, direction, p).median * 1e3, sum[CALLS],
                sum[FLOPS_NOMINAL] / 1e6, sum[FLOPS_PLANNED] / 1e6,
                sum[LOAD_BYTES] / 1e6, sum[STORE_BYTES] / 1e6,
                64 * sum[LINES_READ] / 1e6, 64 * sum[LINES_WRITTEN] / 1e6,
                sum[SENT_BYTES] / 1e6);
    }
}

/* Gathers the ranks' reports on a pass on the first rank. */
static void gather_pass(const struct rc_fft *fft, const struct rc_fft_rounds *rounds,
                        enum rc_fft_direction direction, double *all)
{
    for (size_t p = 0; p < rounds->phases; p++) {
        double told[TOLD];
        const struct rc_fft_work *w = &fft->phases.phase[p].work;
        told[CALLS] = (double)rc_fft_work_calls(w);
        told[FLOPS_NOMINAL] = w->flops;
        told[FLOPS_PLANNED] = rc_fft_work_planned(w, direction);
        told[LOAD_BYTES] = (double)w->load_bytes;
        told[STORE_BYTES] = (double)w->store_bytes;
        told[LINES_READ] = (double)w->lines_read;
        told[LINES_WRITTEN] = (double)w->lines_written;
        told[SENT_BYTES] = (double)w->sent_bytes;
        told[MESSAGES] = (double)w->messages;
        told[MPI_BYTES] = (double)w->mpi_bytes;
        told[MEDIAN_SECONDS] = seconds_of(rounds, rounds->ns[direction], p).median;
        MPI_Gather(told, TOLD, MPI_DOUBLE, all ? all + p * fft->ranks * TOLD : NULL,
                   TOLD, MPI_DOUBLE, 0, fft->comm);
    }
}

int rc_fft_rounds_tell(FILE *out, const struct rc_fft *fft,
                       const struct rc_fft_rounds *rounds,
                       const struct rc_fft_check *check, bool json,
                       struct rc_error *err)
{
    double *all = NULL;
    int status = RC_OK;
    if (fft->rank == 0)
        all = rc_calloc(rounds->phases * fft->ranks, TOLD * sizeof *all);
    if (fft->rank == 0 && !all)
        status =
            rc_fail(err, RC_ENOMEM, "no memory for what %zu ranks tell", fft->ranks);
    status = rc_agree(fft->comm, status, err);
    if (status == RC_OK && all && json)
        put_json_head(out, fft, rounds, check);
    else if (status == RC_OK && all)
        put_table_head(out, fft, check);
    for (int d = 0; d < 2 && status == RC_OK; d++) {
        gather_pass(fft, rounds, (enum rc_fft_direction)d, all);
        if (all && json && d > 0)
            fprintf(out, ",\n ");
        if (all)
            (json ? put_json_pass : put_table_pass)(out, fft, rounds,
                                                    (enum rc_fft_direction)d, all);
    }
    if (all && status == RC_OK && json)
        fprintf(out, "]}\n");
    free(all);
    return status;
}
