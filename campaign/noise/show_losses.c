/* What detours cost each core, for a terminal, and as CSV and JSON. */
#include "campaign/noise/losses.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_MOST = 32 /* rows: of more those are listed that lost most */, CELL = 32 };

/* One table for the loop and one for work: columns that say nothing there are left out
 * of the text.
 */
static const struct rc_column loop_columns[] = {
    {.name = "node"},
    {.name = "core", .type = RC_CELL_NUMBER},
    {.name = "round", .type = RC_CELL_NUMBER},
    {.name = "alone"},
    {.name = "lost_%", .type = RC_CELL_NUMBER},
    {.name = ">1us/s", .type = RC_CELL_NUMBER},
    {.name = "p50_us", .type = RC_CELL_NUMBER},
    {.name = "p99_us", .type = RC_CELL_NUMBER},
    {.name = "max_us", .type = RC_CELL_NUMBER},
    {.name = "slowdown_1e4", .type = RC_CELL_NUMBER},
    {.name = "periods (Hz, us stolen, share, who)"},
    {.name = NULL}};

static const struct rc_column work_columns[] = {
    {.name = "node"},
    {.name = "core", .type = RC_CELL_NUMBER},
    {.name = "round", .type = RC_CELL_NUMBER},
    {.name = "alone"},
    {.name = "work"},
    {.name = "quantum_us", .type = RC_CELL_NUMBER},
    {.name = "stolen_%", .type = RC_CELL_NUMBER},
    {.name = "max_us", .type = RC_CELL_NUMBER},
    {.name = "slower_%", .type = RC_CELL_NUMBER},
    {.name = "by_clock_%", .type = RC_CELL_NUMBER},
    {.name = "GHz", .type = RC_CELL_NUMBER},
    {.name = "GHz_low", .type = RC_CELL_NUMBER},
    {.name = NULL}};

static const struct rc_column csv_columns[] = {
    {.name = "node"},
    {.name = "core", .type = RC_CELL_NUMBER},
    {.name = "round", .type = RC_CELL_NUMBER},
    {.name = "alone"},
    {.name = "work"},
    {.name = "point"},
    {.name = "time_s", .type = RC_CELL_NUMBER},
    {.name = "lost", .type = RC_CELL_NUMBER},
    {.name = "detours", .type = RC_CELL_NUMBER},
    {.name = "dropped", .type = RC_CELL_NUMBER},
    {.name = "p50_us", .type = RC_CELL_NUMBER},
    {.name = "p99_us", .type = RC_CELL_NUMBER},
    {.name = "max_us", .type = RC_CELL_NUMBER},
    {.name = "slowdown_1e4", .type = RC_CELL_NUMBER},
    {.name = "steal", .type = RC_CELL_NUMBER},
    {.name = "quantum_us", .type = RC_CELL_NUMBER},
    {.name = "slower", .type = RC_CELL_NUMBER},
    {.name = "slower_by_clock", .type = RC_CELL_NUMBER},
    {.name = "clock_hz", .type = RC_CELL_NUMBER},
    {.name = "clock_hz_low", .type = RC_CELL_NUMBER},
    {.name = "periods"},
    {.name = NULL}};

/* A number that is not known is an empty cell. */
static const char *number(char out[CELL], const char *format, double value)
    __attribute__((format(printf, 2, 0)));

static const char *number(char out[CELL], const char *format, double value)
{
    if (!isfinite(value))
        return NULL;
    snprintf(out, CELL, format, value);
    return out;
}

static const char *whole(char out[CELL], uint64_t value)
{
    snprintf(out, CELL, "%" PRIu64, value);
    return out;
}

/* "250.000 44 1.09 % tick | 322.581 80 2.57 %" */
static const char *put_periods(const struct rc_noise_loss *l, char *out, size_t room)
{
    out[0] = 0;
    for (size_t i = 0; i < l->periods; i++) {
        const struct rc_noise_period *p = &l->period[i];
        rc_text_append(out, room, "%s%.3f %.0f %.2f %%%s%s", i ? " | " : "", p->line.hz,
                       p->line.stolen_ns / 1e3, 100 * p->line.share,
                       p->who[0] ? " " : "", p->who);
    }
    return out;
}

static void put_loop(const struct rc_noise_loss *l, struct rc_rows *rows)
{
    char text[9][CELL], periods[400];
    const char *const cells[] = {l->node,
                                 whole(text[0], l->core),
                                 whole(text[1], l->round),
                                 l->alone ? "alone" : NULL,
                                 number(text[2], "%.3f", 100 * l->lost),
                                 number(text[3], "%.0f", l->per_second),
                                 number(text[4], "%.1f", l->p50_us),
                                 number(text[5], "%.0f", l->p99_us),
                                 number(text[6], "%.0f", l->max_us),
                                 number(text[7], "%.2f", l->slowdown),
                                 put_periods(l, periods, sizeof periods)};
    rc_rows_add(rows, cells);
}

static void put_work(const struct rc_noise_loss *l, struct rc_rows *rows)
{
    char text[9][CELL], work[96];

    snprintf(work, sizeof work, "%s:%s", l->work, l->point);
    const char *const cells[] = {l->node,
                                 whole(text[0], l->core),
                                 whole(text[1], l->round),
                                 l->alone ? "alone" : NULL,
                                 work,
                                 number(text[2], "%.2f", l->quantum_us),
                                 number(text[3], "%.3f", 100 * l->lost),
                                 number(text[4], "%.0f", l->max_us),
                                 number(text[5], "%.2f", 100 * l->slower),
                                 number(text[6], "%.2f", 100 * l->clock),
                                 number(text[7], "%.3f", l->hz / 1e9),
                                 number(text[8], "%.3f", l->hz_low / 1e9)};
    rc_rows_add(rows, cells);
}

static void put_csv(const struct rc_noise_loss *l, struct rc_rows *rows)
{
    char text[17][CELL], periods[400];
    const char *const cells[] = {l->node,
                                 whole(text[0], l->core),
                                 whole(text[1], l->round),
                                 l->alone ? "true" : "false",
                                 l->work,
                                 l->point,
                                 number(text[2], "%.9g", l->time_s),
                                 number(text[3], "%.6g", l->lost),
                                 whole(text[4], l->detours),
                                 whole(text[5], l->dropped),
                                 number(text[6], "%.6g", l->p50_us),
                                 number(text[7], "%.6g", l->p99_us),
                                 number(text[8], "%.6g", l->max_us),
                                 number(text[9], "%.6g", l->slowdown),
                                 number(text[10], "%.6g", l->steal),
                                 number(text[11], "%.6g", l->quantum_us),
                                 number(text[12], "%.6g", l->slower),
                                 number(text[13], "%.6g", l->clock),
                                 number(text[14], "%.9g", l->hz),
                                 number(text[15], "%.9g", l->hz_low),
                                 put_periods(l, periods, sizeof periods)};
    rc_rows_add(rows, cells);
}

static void json_period(struct rc_json *json, const struct rc_noise_period *p)
{
    rc_json_object(json, NULL);
    rc_json_short(json, "hz", p->line.hz, 12);
    rc_json_short(json, "hz_error", p->line.hz_error, 3);
    rc_json_short(json, "stolen_us", p->line.stolen_ns / 1e3, 6);
    rc_json_short(json, "share", p->line.share, 6);
    rc_json_short(json, "phase_us", p->line.phase_ns / 1e3, 9);
    rc_json_integer(json, "pulses", (int64_t)p->line.pulses);
    rc_json_integer(json, "hits", (int64_t)p->line.hits);
    rc_json_text(json, "who", p->who[0] ? p->who : NULL);
    rc_json_end(json);
}

static void json_loss(struct rc_json *json, const struct rc_noise_loss *l)
{
    rc_json_object(json, NULL);
    rc_json_text(json, "node", l->node);
    rc_json_integer(json, "core", l->core);
    rc_json_integer(json, "round", l->round);
    rc_json_flag(json, "alone", l->alone);
    rc_json_text(json, "work", l->work[0] ? l->work : NULL);
    rc_json_text(json, "point", l->work[0] ? l->point : NULL);
    rc_json_short(json, "time_s", l->time_s, 12);
    rc_json_short(json, "lost", l->lost, 6);
    rc_json_integer(json, "detours", (int64_t)l->detours);
    rc_json_integer(json, "dropped", (int64_t)l->dropped);
    rc_json_short(json, "p50_us", l->p50_us, 6);
    rc_json_short(json, "p99_us", l->p99_us, 6);
    rc_json_short(json, "max_us", l->max_us, 9);
    rc_json_short(json, "slowdown_1e4", l->slowdown, 6);
    rc_json_short(json, "steal", l->steal, 6);
    if (l->work[0]) {
        rc_json_short(json, "quantum_us", l->quantum_us, 6);
        rc_json_short(json, "slower", l->slower, 6);
        rc_json_short(json, "slower_by_clock", l->clock, 6);
        rc_json_short(json, "clock_hz", l->hz, 9);
        rc_json_short(json, "clock_hz_low", l->hz_low, 9);
    }
    rc_json_text(json, "quota", l->quota[0] ? l->quota : NULL);
    rc_json_text(json, "memory_not_locked", l->unlocked[0] ? l->unlocked : NULL);
    rc_json_text(json, "who_not_known", l->untraced[0] ? l->untraced : NULL);
    rc_json_array(json, "periods");
    for (size_t i = 0; i < l->periods; i++)
        json_period(json, &l->period[i]);
    rc_json_end(json);
    rc_json_end(json);
}

/* Those that lost most first. */
static int compare_lost(const void *a, const void *b)
{
    const struct rc_noise_loss *x = *(const struct rc_noise_loss *const *)a;
    const struct rc_noise_loss *y = *(const struct rc_noise_loss *const *)b;

    if (x->lost != y->lost)
        return x->lost > y->lost ? -1 : 1;
    return x < y ? -1 : x > y;
}

enum { COLUMNS = 16, AT_ROUND = 2, AT_ALONE = 3 };

/* Without those of several rounds and of cores alone, where there are none. */
static void choose_columns(const struct rc_noise_losses *all, bool work,
                           struct rc_column column[COLUMNS])
{
    const struct rc_column *from = work ? work_columns : loop_columns;
    bool rounds = false, alone = false;
    size_t i = 0;

    for (size_t l = 0; l < all->count; l++) {
        rounds |= all->loss[l].round != all->loss[0].round;
        alone |= all->loss[l].alone;
    }
    do
        column[i] = from[i];
    while (from[i++].name);
    column[AT_ROUND].text_hidden = !rounds;
    column[AT_ALONE].text_hidden = !alone;
}

/* The rows of the loop, or of work, as a table.  Where there are too many, those that
 * lost most, and what the others lost.
 */
static int show_table(const struct rc_noise_losses *all, bool work,
                      struct rc_error *err)
{
    const struct rc_noise_loss **order =
        rc_calloc(all->count, sizeof(const struct rc_noise_loss *));
    struct rc_column column[COLUMNS];
    size_t count = 0;
    int status = RC_OK;

    if (!order)
        return rc_fail(err, RC_ENOMEM, "no memory for a table");
    choose_columns(all, work, column);
    for (size_t i = 0; i < all->count; i++)
        if ((all->loss[i].work[0] != 0) == work)
            order[count++] = &all->loss[i];
    if (count == 0)
        goto out;
    if (count > ALL_MOST)
        qsort(order, count, sizeof(const struct rc_noise_loss *), compare_lost);
    struct rc_rows *rows = rc_rows_create(stdout, RC_FORMAT_TEXT, column, NULL);
    for (size_t i = 0; i < count && i < ALL_MOST; i++)
        (work ? put_work : put_loop)(order[i], rows);
    status = rc_rows_end(rows, RC_OK, err);
    if (count > ALL_MOST && status == RC_OK)
        printf("%zu more lost less, the median of all is %.3f %%\n", count - ALL_MOST,
               100 * order[count / 2]->lost);
out:
    free(order);
    return status;
}

/* What a reader of the tables should know; said once, with how many it is true of. */
static void say_remarks(const struct rc_noise_losses *all)
{
    const struct rc_noise_loss *quota = NULL, *unlocked = NULL, *untraced = NULL;
    uint64_t quotas = 0, unlocked_ones = 0, shared = 0, dropped = 0, faults = 0;
    uint64_t untraced_ones = 0;

    for (size_t i = 0; i < all->count; i++) {
        const struct rc_noise_loss *l = &all->loss[i];
        quota = l->quota[0] ? l : quota;
        quotas += l->quota[0] != 0;
        unlocked = l->unlocked[0] ? l : unlocked;
        unlocked_ones += l->unlocked[0] != 0;
        untraced = l->untraced[0] ? l : untraced;
        untraced_ones += l->untraced[0] != 0;
        shared += l->shared;
        dropped += l->dropped;
        faults += l->faults;
    }
    if (quota)
        printf("  ! %" PRIu64 " of %zu: a control group's quota, cpu.max '%s', stops "
               "them once in each period: no noise of the machine\n",
               quotas, all->count, quota->quota);
    if (shared)
        printf("  ! %" PRIu64 " of %zu: other ranks were on the same core\n", shared,
               all->count);
    if (unlocked)
        printf("  ! %" PRIu64 " of %zu: memory was not locked: %s\n", unlocked_ones,
               all->count, unlocked->unlocked);
    if (untraced)
        printf("  ! %" PRIu64 " of %zu: who made detours is not fully known: %s\n",
               untraced_ones, all->count, untraced->untraced);
    if (dropped)
        printf("  ! %" PRIu64
               " detours were more than lists hold: they count in lost_%% "
               "only\n",
               dropped);
    if (faults)
        printf("  ! %" PRIu64 " page faults while detours were measured\n", faults);
    if (all->journals.refused)
        printf("  ! %" PRIu64 " record%s of detours not understood and left out\n",
               all->journals.refused,
               rc_text_plural(all->journals.refused, " was", "s were"));
}

static int show_text(const struct rc_noise_losses *all, struct rc_error *err)
{
    int status = show_table(all, false, err);

    if (status == RC_OK)
        status = show_table(all, true, err);
    if (status == RC_OK)
        say_remarks(all);
    return status;
}

static int show_csv(const struct rc_noise_losses *all, enum rc_format format,
                    struct rc_error *err)
{
    rc_rows_head(stdout, format, csv_columns);
    struct rc_rows *rows = rc_rows_create(stdout, format, csv_columns, NULL);
    for (size_t i = 0; i < all->count; i++)
        put_csv(&all->loss[i], rows);
    return rc_rows_end(rows, RC_OK, err);
}

int rc_noise_losses_show(const struct rc_noise_losses *losses, enum rc_format format,
                         struct rc_json *json, struct rc_error *err)
{
    if (rc_rows_is_csv(format))
        return show_csv(losses, format, err);
    if (!json)
        return show_text(losses, err);
    rc_json_array(json, "detours");
    for (size_t i = 0; i < losses->count; i++)
        json_loss(json, &losses->loss[i]);
    rc_json_end(json);
    return RC_OK;
}
