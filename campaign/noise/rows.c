/* A row for each event: rank 0 prints them, and gets those of the others piece by
 * piece. */
#include "campaign/noise/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>

RC_COLUMNS(rc_noise_columns, RC_TEXT_HIDDEN("kind"), RC_TEXT("suite"), RC_TEXT("event"),
           RC_TEXT("verdict"), RC_NUMBER("median"), RC_NUMBER_HIDDEN("mad"),
           RC_NUMBER_HIDDEN("rms_repetition"), RC_NUMBER_HIDDEN("rms_core"),
           RC_NUMBER_HIDDEN("rms_node"), RC_NUMBER("sd_repetition"),
           RC_NUMBER_HIDDEN("sd_repetition_low"),
           RC_NUMBER_HIDDEN("sd_repetition_high"), RC_NUMBER("sd_core"),
           RC_NUMBER_HIDDEN("sd_core_low"), RC_NUMBER_HIDDEN("sd_core_high"),
           RC_NUMBER("sd_node"), RC_NUMBER_HIDDEN("sd_node_low"),
           RC_NUMBER_HIDDEN("sd_node_high"), RC_TEXT("remark"),
           RC_TEXT_HIDDEN("simulated"));

enum { CELLS = sizeof rc_noise_columns / sizeof *rc_noise_columns - 1, CELL = 32 };

static void put_event(const struct rc_noise_kind *k, const struct rc_noise_suite *s,
                      const struct rc_noise_event *e, const char *name,
                      struct rc_rows *rows)
{
    enum { FIRST = 4, NUMBERS = 2 + 4 * RC_LEVEL_COUNT };
    char text[NUMBERS][CELL], remark[200] = "";
    const char *cell[CELLS] = {k->labels->name, s->labels->name, name,
                               rc_noise_verdict_names[e->verdict]};
    const bool read = e->verdict != RC_NOISE_NOT_READ;
    double number[NUMBERS] = {read ? e->median : NAN, read ? e->mad : NAN};

    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        const struct rc_component *c = &e->component[l];
        double *deviation = number + 2 + RC_LEVEL_COUNT + 3 * l;
        number[2 + l] = e->distance[l];
        deviation[0] = e->has[l] ? sqrt(fmax(c->variance, 0)) : NAN;
        deviation[1] = e->has[l] ? sqrt(c->low) : NAN;
        deviation[2] = e->has[l] ? sqrt(c->high) : NAN;
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        snprintf(text[i], CELL, "%.4g", number[i]);
        cell[FIRST + i] = isfinite(number[i]) ? text[i] : NULL;
    }
    /* Remarks beyond the verdict: levels that are not resolved, and other oddities. */
    for (size_t l = 0; l < RC_LEVEL_COUNT && read; l++)
        if (!e->has[l])
            rc_text_append(remark, sizeof remark, "%s%s",
                           remark[0] ? ", " : "no level ", rc_noise_level_names[l]);
    if (e->heavy)
        rc_text_append(remark, sizeof remark, "%sbecause of a few outlying readings",
                       remark[0] ? "; " : "");
    if (e->classes)
        rc_text_append(remark, sizeof remark, "%snodes are of two classes",
                       remark[0] ? "; " : "");
    cell[FIRST + NUMBERS] = remark;
    cell[FIRST + NUMBERS + 1] = k->labels->simulated ? "true" : "false";
    rc_rows_add(rows, cell);
}

struct listing {
    const bool *verdict; /* of events that are listed */
    struct rc_rows *rows;
    struct rc_noise_event *event; /* of another rank's piece */
    struct rc_store_event *name;
    size_t done; /* of this rank's own */
};

/* Brings the events of a piece to rank 0, and their number. */
static const struct rc_noise_event *fetch(const struct rc_noise_kind *k,
                                          const struct rc_noise_suite *s, size_t piece,
                                          struct listing *l, size_t *count)
{
    const int owner = (int)(piece % (size_t)rc_team_size(k->comm));
    const int rank = rc_team_rank(k->comm);
    struct rc_noise_event *own = s->event + l->done;
    MPI_Status status;
    int bytes;

    *count = 0;
    while (rank == owner && l->done < s->count &&
           s->event[l->done].number < (piece + 1) * s->piece) {
        l->done++;
        ++*count;
    }
    if (rank == owner && owner != 0)
        MPI_Send(own, (int)(*count * sizeof *own), MPI_BYTE, 0, 0, k->comm);
    if (rank != 0 || owner == 0)
        return own;
    MPI_Recv(l->event, (int)(s->piece * sizeof *own), MPI_BYTE, owner, 0, k->comm,
             &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    *count = (size_t)bytes / sizeof *own;
    return l->event;
}

static int put_piece(const struct rc_noise_kind *k, const struct rc_noise_suite *s,
                     const struct rc_noise_event *event, size_t count,
                     const struct listing *l, struct rc_error *err)
{
    struct rc_pool *pool = rc_pool_create();
    const uint64_t first = count ? event[0].number / s->piece * s->piece : 0;
    const size_t left = k->labels->event_count - (size_t)first;
    const int status =
        rc_store_read_names(k->store, k->number, (size_t)first,
                            left < s->piece ? left : s->piece, l->name, pool, err);

    for (size_t i = 0; i < count && status == RC_OK; i++)
        if (!l->verdict || l->verdict[event[i].verdict])
            put_event(k, s, &event[i], l->name[event[i].number - first].name, l->rows);
    rc_pool_close(pool);
    return status;
}

int rc_noise_list(const struct rc_noise_kind *k, const bool *verdict,
                  struct rc_rows *rows, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < k->suite_count; i++) {
        const struct rc_noise_suite *s = &k->suite[i];
        struct rc_arena arena = {0};
        struct listing l = {.verdict = verdict,
                            .rows = rows,
                            .event = rc_arena_array(&arena, s->piece, sizeof *l.event),
                            .name = rc_arena_array(&arena, s->piece, sizeof *l.name)};
        const int all = rc_agree(k->comm, rc_arena_check(&arena, err, "events"), err);
        for (size_t p = 0; p < s->pieces && all == RC_OK; p++) {
            size_t count;
            const struct rc_noise_event *event = fetch(k, s, p, &l, &count);
            if (rc_team_rank(k->comm) == 0 && status == RC_OK && count > 0)
                status = put_piece(k, s, event, count, &l, err);
        }
        rc_arena_free(&arena);
        if ((status = rc_agree(k->comm, all == RC_OK ? status : all, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}
