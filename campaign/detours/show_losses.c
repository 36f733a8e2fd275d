/* Shows the cost of detours on each core, for a terminal, and as CSV and JSON. */
#include "campaign/detours/losses.h"

#include "campaign/base/text.h"
#include "io/text/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_MOST = 32 /* rows: of more those are listed that lost most */, CELL = 400 };

/* A column: what it is called in the table of the loop, in that of work, and in CSV and
 * JSON; NULL: it is not there.  Tables show numbers 'factor' times, to so many
 * decimals, the others as they are to so many digits.
 */
enum view { LOOP, WORK, LIST, VIEWS };
static const struct field {
    const char *name[VIEWS];
    enum { TEXT, FLAG, SMALL, LARGE, REAL, KERNEL, PERIODS } type;
    size_t offset;
    double factor;
    int decimals, digits;
} fields[] = {
#define AT(member) offsetof(struct rc_noise_loss, member)
    {{"node", "node", "node"}, TEXT, AT(node), 0, 0, 0},
    {{"core", "core", "core"}, SMALL, AT(core), 0, 0, 0},
    {{"round", "round", "round"}, SMALL, AT(round), 0, 0, 0},
    {{"alone", "alone", "alone"}, FLAG, AT(alone), 0, 0, 0},
    {{NULL, "work", NULL}, KERNEL, 0, 0, 0, 0},
    {{NULL, NULL, "work"}, TEXT, AT(work), 0, 0, 0},
    {{NULL, NULL, "point"}, TEXT, AT(point), 0, 0, 0},
    {{NULL, NULL, "time_s"}, REAL, AT(time_s), 0, 0, 12},
    {{NULL, "us", NULL}, REAL, AT(quantum_us), 1, 2, 0},
    {{"lost_%", "stolen_%", "lost"}, REAL, AT(lost), 100, 3, 6},
    {{">1us/s", NULL, NULL}, REAL, AT(per_second), 1, 0, 0},
    {{NULL, NULL, "detours"}, LARGE, AT(detours), 0, 0, 0},
    {{NULL, NULL, "dropped"}, LARGE, AT(dropped), 0, 0, 0},
    {{"p50_us", NULL, "p50_us"}, REAL, AT(p50_us), 1, 1, 6},
    {{"p99_us", NULL, "p99_us"}, REAL, AT(p99_us), 1, 0, 6},
    {{"max_us", NULL, "max_us"}, REAL, AT(max_us), 1, 0, 9},
    {{"slowdown_1e4", NULL, "slowdown_1e4"}, REAL, AT(slowdown), 1, 2, 6},
    {{NULL, NULL, "steal"}, REAL, AT(steal), 0, 0, 6},
    {{NULL, NULL, "quantum_us"}, REAL, AT(quantum_us), 0, 0, 6},
    {{NULL, "slower_%", "slower"}, REAL, AT(slower), 100, 2, 6},
    {{NULL, "by_clock_%", "slower_by_clock"}, REAL, AT(clock), 100, 2, 6},
    {{NULL, "GHz", "clock_hz"}, REAL, AT(hz), 1e-9, 3, 9},
    {{NULL, NULL, "clock_hz_low"}, REAL, AT(hz_low), 1e-9, 3, 9},
    {{NULL, NULL, "periods"}, PERIODS, 0, 0, 0, 0},
#undef AT
};
enum { FIELDS = sizeof fields / sizeof *fields };

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

/* A field's text; NULL: it is empty, as that of a number that is not known. */
static const char *put_field(const struct field *f, const struct rc_noise_loss *l,
                             enum view view, char out[CELL])
{
    const void *at = (const char *)l + f->offset;
    const double real = f->type == REAL ? *(const double *)at : 0;

    switch (f->type) {
    case TEXT:
        return at;
    case FLAG:
        if (view == LIST)
            return *(const bool *)at ? "true" : "false";
        return *(const bool *)at ? f->name[view] : NULL;
    case SMALL:
        snprintf(out, CELL, "%" PRIu32, *(const uint32_t *)at);
        return out;
    case LARGE:
        snprintf(out, CELL, "%" PRIu64, *(const uint64_t *)at);
        return out;
    case KERNEL:
        snprintf(out, CELL, "%s:%s", l->work, l->point);
        return out;
    case PERIODS:
        return put_periods(l, out, CELL);
    default:
        if (view == LIST)
            snprintf(out, CELL, "%.*g", f->digits, real);
        else
            snprintf(out, CELL, "%.*f", f->decimals, f->factor * real);
        return isfinite(real) ? out : NULL;
    }
}

/* The columns of a view.  Those of several rounds and of cores alone are left out of
 * tables where there are none.
 */
static void make_columns(const struct rc_noise_losses *all, enum view view,
                         struct rc_column column[FIELDS + 1])
{
    bool rounds = false, alone = false;
    size_t count = 0;

    for (size_t l = 0; l < all->count; l++) {
        rounds |= all->loss[l].round != all->loss[0].round;
        alone |= all->loss[l].alone;
    }
    for (const struct field *f = fields; f < fields + FIELDS; f++)
        if (f->name[view])
            column[count++] = (struct rc_column){
                .name = f->name[view],
                .type = f->type == SMALL || f->type == LARGE || f->type == REAL
                            ? RC_CELL_NUMBER
                            : RC_CELL_TEXT,
                .text_hidden =
                    (f->offset == offsetof(struct rc_noise_loss, round) && !rounds) ||
                    (f->type == FLAG && !alone)};
    column[count] = (struct rc_column){.name = NULL};
}

static void put_row(const struct rc_noise_loss *l, enum view view, struct rc_rows *rows)
{
    char text[FIELDS][CELL];
    const char *cell[FIELDS];
    size_t count = 0;

    for (size_t f = 0; f < FIELDS; f++)
        if (fields[f].name[view])
            cell[count++] = put_field(&fields[f], l, view, text[f]);
    rc_rows_add(rows, cell);
}

static void json_loss(struct rc_json *json, const struct rc_noise_loss *l)
{
    char text[CELL];

    rc_json_object(json, NULL);
    for (const struct field *f = fields; f < fields + FIELDS; f++) {
        if (!f->name[LIST] || f->type == PERIODS)
            continue;
        const char *value = put_field(f, l, LIST, text);
        if (f->type == TEXT)
            rc_json_text(json, f->name[LIST], *value ? value : NULL);
        else
            rc_json_bare(json, f->name[LIST], value);
    }
    rc_json_text(json, "quota", l->quota[0] ? l->quota : NULL);
    rc_json_text(json, "memory_not_locked", l->unlocked[0] ? l->unlocked : NULL);
    rc_json_text(json, "who_not_known", l->untraced[0] ? l->untraced : NULL);
    rc_json_array(json, "causes");
    for (size_t i = 0; i < l->causes; i++) {
        rc_json_object(json, NULL);
        rc_json_text(json, "who", l->cause[i].who);
        rc_json_short(json, "share", l->cause[i].share, 6);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_array(json, "periods");
    for (size_t i = 0; i < l->periods; i++) {
        const struct rc_noise_period *p = &l->period[i];
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
    rc_json_end(json);
    rc_json_end(json);
}

/* Puts the largest losses first. */
static int compare_lost(const void *a, const void *b)
{
    const struct rc_noise_loss *x = *(const struct rc_noise_loss *const *)a;
    const struct rc_noise_loss *y = *(const struct rc_noise_loss *const *)b;

    if (x->lost != y->lost)
        return x->lost > y->lost ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* "vm core 1 lost 42.9 %: thread cc1:77 30, thread ld:78 11, tick? 1, unknown 0.9", and
 * the periods of a core.
 */
static void say_causes(struct rc_page *page, const struct rc_noise_loss *l,
                       const char *what)
{
    page->hang = 4;
    rc_page_words(page, "%s%s lost %.3g %%:", l->node, what, 100 * l->lost);
    for (size_t i = 0; i < l->causes; i++) {
        char text[RC_NOISE_WHO_TEXT + 16];
        snprintf(text, sizeof text, "%s %.2g", l->cause[i].who,
                 100 * l->cause[i].share);
        rc_page_listed(page, text, i + 1 < l->causes ? "," : "");
    }
    rc_page_end(page);
    page->indent = 2;
    for (size_t i = 0; i < l->periods; i++) {
        const struct rc_noise_period *p = &l->period[i];
        const bool longer = p->line.stolen_ns * p->line.hz > 1e9; /* they end later */
        rc_page_words(page, "%s%.3f Hz, %.0f us %s, %.2f %%%s%s",
                      longer ? "begin with " : "", p->line.hz, p->line.stolen_ns / 1e3,
                      longer ? "each" : "a pulse", 100 * p->line.share,
                      p->who[0] ? ", " : "", p->who);
        rc_page_end(page);
    }
    page->indent = 0;
}

/* Shows the causes of each node that has several cores, and of each core in the table
 * of the loop.
 */
static int show_causes(const struct rc_noise_losses *all,
                       const struct rc_noise_loss *const *shown, size_t count,
                       FILE *out, struct rc_error *err)
{
    struct rc_page page;
    char what[64];
    int status = RC_OK;

    rc_page_init(&page, out);
    putc('\n', out);
    for (size_t i = 0, end; i < all->count && i < ALL_MOST; i += end) {
        struct rc_noise_loss node;
        size_t cores;
        status = rc_noise_causes_of_node(all->loss + i, all->count - i, &end, &node,
                                         &cores, err);
        if (status != RC_OK)
            break;
        if (cores > 1)
            say_causes(&page, &node, "");
    }
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        snprintf(what, sizeof what, " core %" PRIu32, shown[i]->core);
        if (all->loss[all->count - 1].round > 0 || shown[i]->round > 0)
            rc_text_append(what, sizeof what, " round %" PRIu32, shown[i]->round);
        rc_text_append(what, sizeof what, "%s", shown[i]->alone ? " alone" : "");
        say_causes(&page, shown[i], what);
    }
    rc_page_fini(&page);
    if (status == RC_OK && all->count > count)
        putc('\n', out);
    return status;
}

/* The rows of the loop, or of work, as a table.  Where there are too many, those that
 * lost most, and what the others lost.
 */
static int show_table(const struct rc_noise_losses *all, enum view view, FILE *out,
                      struct rc_error *err)
{
    const struct rc_noise_loss **order =
        rc_calloc(all->count, sizeof(const struct rc_noise_loss *));
    struct rc_column column[FIELDS + 1];
    size_t count = 0;
    int status = RC_OK;

    if (!order)
        return rc_fail(err, RC_ENOMEM, "no memory for a table");
    make_columns(all, view, column);
    for (size_t i = 0; i < all->count; i++)
        if ((all->loss[i].work[0] != 0) == (view == WORK))
            order[count++] = &all->loss[i];
    if (count == 0)
        goto out;
    if (count > ALL_MOST)
        qsort(order, count, sizeof(const struct rc_noise_loss *), compare_lost);
    struct rc_rows *rows = rc_rows_create(out, RC_FORMAT_TEXT, column, NULL);
    for (size_t i = 0; i < count && i < ALL_MOST; i++)
        put_row(order[i], view, rows);
    status = rc_rows_end(rows, RC_OK, err);
    if (count > ALL_MOST && status == RC_OK)
        fprintf(out, "%zu more lost less, the median of all is %.3f %%\n",
                count - ALL_MOST, 100 * order[count / 2]->lost);
    if (view == LOOP && status == RC_OK)
        status = show_causes(all, order, count < ALL_MOST ? count : ALL_MOST, out, err);
out:
    free(order);
    return status;
}

/* One remark, in lines of the page's width. */
static void say_remark(struct rc_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say_remark(struct rc_page *page, const char *format, ...)
{
    char text[RC_ERROR_TEXT];
    va_list words;

    va_start(words, format);
    vsnprintf(text, sizeof text, format, words);
    va_end(words);
    page->indent = 2;
    page->hang = 4;
    rc_page_words(page, "! %s", text);
    rc_page_end(page);
}

/* Says for how many losses a text is not empty, and the last such text. */
static void say_texts(const struct rc_noise_losses *all, size_t offset,
                      struct rc_page *page, const char *what)
{
    const char *last = NULL;
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++) {
        const char *text = (const char *)&all->loss[i] + offset;
        last = *text ? text : last;
        count += *text != 0;
    }
    if (last)
        say_remark(page, "%zu of %zu: %s: %s", count, all->count, what, last);
}

/* Remarks on the tables, each said once, with how many losses it is true of. */
static void say_remarks(const struct rc_noise_losses *all, struct rc_page *page)
{
    uint64_t shared = 0, dropped = 0, faults = 0;

    for (size_t i = 0; i < all->count; i++) {
        shared += all->loss[i].shared;
        dropped += all->loss[i].dropped;
        faults += all->loss[i].faults;
    }
    say_texts(all, offsetof(struct rc_noise_loss, held), page,
              "a control group's quota stops them once in each period, which is not "
              "noise of the machine");
    say_texts(all, offsetof(struct rc_noise_loss, unlocked), page,
              "memory was not locked");
    say_texts(all, offsetof(struct rc_noise_loss, untraced), page,
              "who made detours is not fully known");
    if (shared)
        say_remark(page, "%" PRIu64 " of %zu: other ranks were on the same core",
                   shared, all->count);
    if (dropped)
        say_remark(page,
                   "%" PRIu64
                   " detours did not fit into the lists: they count in lost_%% only",
                   dropped);
    if (faults)
        say_remark(page, "%" PRIu64 " page faults while detours were measured", faults);
    if (all->journals.refused)
        say_remark(page, "%" PRIu64 " record%s of detours not understood and left out",
                   all->journals.refused,
                   rc_text_plural(all->journals.refused, " was", "s were"));
}

static RC_COLUMNS(step_columns, RC_NUMBER("cores"), RC_NUMBER("grain_ms"),
                  RC_NUMBER("slowdown"), RC_NUMBER("if_independent"),
                  RC_NUMBER("synchrony"), RC_NUMBER("error"));

/* Whether cores are stopped at the same time, as a table or a list of JSON, and what
 * keeps us from knowing it.
 */
static int show_together(const struct rc_noise_together *t, FILE *out,
                         struct rc_json *json, struct rc_error *err)
{
    enum { COLUMNS = sizeof step_columns / sizeof *step_columns - 1 };
    const enum rc_format format = json ? RC_FORMAT_JSON : RC_FORMAT_TEXT;
    char text[COLUMNS][CELL];

    if (json)
        rc_json_array(json, "together");
    else if (t->count > 0)
        fprintf(out, "\ncores that wait for each other after each grain of work:\n");
    struct rc_rows *rows = rc_rows_create(out, format, step_columns, json);
    for (size_t i = 0; i < t->count; i++) {
        const struct rc_noise_step *s = &t->step[i];
        const double number[COLUMNS] = {(double)s->cores, s->grain_ns / 1e6,
                                        s->slowdown,      s->independent,
                                        s->synchrony,     s->error};
        const char *cell[COLUMNS];
        for (size_t c = 0; c < COLUMNS; c++) {
            snprintf(text[c], CELL, "%.*g", c < 4 ? 6 : 3, number[c]);
            cell[c] = isfinite(number[c]) ? text[c] : NULL;
        }
        rc_rows_add(rows, cell);
    }
    if (t->count == 0 && !json)
        rc_rows_drop(rows);
    const int status = rc_rows_end(rows, RC_OK, err);
    if (json) {
        rc_json_end(json);
        rc_json_text(json, "together_missing", t->missing[0] ? t->missing : NULL);
    } else if (t->missing[0]) {
        struct rc_page page;
        rc_page_init(&page, out);
        say_remark(&page,
                   "whether cores are stopped at the same time is not%s known: %s",
                   t->count ? " wholly" : "", t->missing);
        rc_page_fini(&page);
    }
    return status;
}

int rc_noise_losses_show(const struct rc_noise_losses *losses, FILE *out,
                         enum rc_format format, struct rc_json *json,
                         struct rc_error *err)
{
    struct rc_column column[FIELDS + 1];
    int status;

    if (json) {
        rc_json_array(json, "detours");
        for (size_t i = 0; i < losses->count; i++)
            json_loss(json, &losses->loss[i]);
        rc_json_end(json);
        return show_together(&losses->together, out, json, err);
    }
    if (!rc_rows_is_csv(format)) {
        if ((status = show_table(losses, LOOP, out, err)) != RC_OK ||
            (status = show_table(losses, WORK, out, err)) != RC_OK ||
            (status = show_together(&losses->together, out, NULL, err)) != RC_OK)
            return status;
        struct rc_page page;
        rc_page_init(&page, out);
        say_remarks(losses, &page);
        rc_page_fini(&page);
        return RC_OK;
    }
    make_columns(losses, LIST, column);
    rc_rows_head(out, format, column);
    struct rc_rows *rows = rc_rows_create(out, format, column, NULL);
    for (size_t i = 0; i < losses->count; i++)
        put_row(&losses->loss[i], LIST, rows);
    return rc_rows_end(rows, RC_OK, err);
}
