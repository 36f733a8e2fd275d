/* Makes curves of a rate: points that differ in size alone, with their levels of memory. */
#include "io/report/rates.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "solve/study/plateau.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The axes that say where the data are, and how many work. */
enum axis { BYTES, LEVEL, CACHE, WORKERS, AXES };
static const char *const axis_names[AXES] = {"bytes", "level", "cache", "workers"};

struct points {
    const struct rc_rate_result *rate;
    size_t axis[AXES]; /* of the suite; its axis_count: it has none */
};

static int64_t value_of(const struct points *p, size_t point, enum axis axis)
{
    const struct rc_rate_result *r = p->rate;

    return p->axis[axis] < r->axis_count
               ? r->parameter[point * r->axis_count + p->axis[axis]]
               : 0;
}

/* Whether two points are on one curve. */
static bool is_same_curve(const struct points *p, size_t one, size_t other)
{
    const size_t axes = p->rate->axis_count;
    bool same = p->axis[BYTES] < axes;

    for (size_t a = 0; a < axes && same; a++)
        same =
            a == p->axis[BYTES] || a == p->axis[LEVEL] || a == p->axis[CACHE] ||
            p->rate->parameter[one * axes + a] == p->rate->parameter[other * axes + a];
    return same || one == other;
}

/* A point's name has a word for each axis: those that all points of a curve have in
 * common are the kernel's name, then the variant, apart from the number of workers.
 */
static void name_curve(const struct points *p, struct rc_rate_curve *c)
{
    char text[RC_RATE_NAME], *rest = text, workers[32];
    uint64_t bytes;

    snprintf(text, sizeof text, "%s", p->rate->point[c->at[0].point]);
    snprintf(workers, sizeof workers, "w%" PRId64, c->workers);
    for (char *word; (word = strsep(&rest, "-"));) {
        const size_t length = strlen(word), from = (size_t)(word - text);
        bool common = strcmp(word, workers) != 0 &&
                      (rc_text_size(word, &bytes) || (int64_t)bytes != c->at[0].bytes);
        for (size_t i = 1; i < c->count && common; i++) {
            /* Words before it may be shorter or longer there: it is looked for. */
            const char *name = p->rate->point[c->at[i].point];
            const char *at = strstr(name, word);
            while (at && !((at == name || at[-1] == '-') &&
                           (at[length] == '-' || at[length] == 0)))
                at = strstr(at + 1, word);
            common = at != NULL;
        }
        if (!common)
            continue;
        char *out = from && c->kernel[0] ? c->variant : c->kernel;
        rc_text_append(out, RC_RATE_NAME, "%s%s", out[0] ? " " : "", word);
    }
}

/* The middle of numbers, which it sorts. */
static double middle_of(double *number, size_t count)
{
    qsort(number, count, sizeof *number, rc_order_reals);
    return (number[(count - 1) / 2] + number[count / 2]) / 2;
}

/* The numbers of all nodes at a point; 'room' holds two for each.  False: no node has the
 * rate there.
 */
static bool sum_up(const struct rc_rate_result *r, size_t point, double *room,
                   struct rc_rate_at *at)
{
    double *best = room + r->node_count;

    *at = (struct rc_rate_at){.point = point};
    for (size_t n = 0; n < r->node_count; n++) {
        const size_t i = n * r->point_count + point;
        if (isnan(r->median[i]))
            continue;
        if (at->nodes == 0 ||
            r->median[i] < r->median[at->slow * r->point_count + point])
            at->slow = n;
        best[at->nodes] = r->best[i];
        room[at->nodes++] = r->median[i];
        at->low = r->low[i];
        at->high = r->high[i];
    }
    if (at->nodes == 0)
        return false;
    at->median = middle_of(room, at->nodes);
    at->best = middle_of(best, at->nodes);
    if (at->nodes > 1) {
        at->low = room[0];
        at->high = room[at->nodes - 1];
    }
    return true;
}

/* Points by their level, as long as they stand together; and each level's plateau. */
static void find_levels(const struct points *p, struct rc_rate_curve *c, double *room)
{
    struct rc_rate_level *level = c->level;
    int64_t number = -1;

    if (p->axis[LEVEL] == p->rate->axis_count)
        return;
    for (size_t i = 0; i < c->count; i++) {
        const int64_t of = value_of(p, c->at[i].point, LEVEL);
        if (c->levels == 0 || (of != number && c->levels < RC_RATE_LEVELS)) {
            level = &c->level[c->levels++];
            number = of;
            level->first = i;
            level->bytes = value_of(p, c->at[i].point, CACHE);
            snprintf(level->name, sizeof level->name, "L%" PRId64, of);
            if (level->bytes == 0)
                snprintf(level->name, sizeof level->name, "memory");
        }
        level->count++;
    }
    for (size_t l = 0; l < c->levels; l++) {
        level = &c->level[l];
        for (size_t i = 0; i < level->count; i++)
            room[i] = c->at[level->first + i].best;
        const size_t found = rc_plateau_find(room, level->count);
        level->plateau = found < level->count ? level->first + found : SIZE_MAX;
    }
}

/* Whether a curve before this one is of the same kernel. */
static bool is_of_kernel(const struct rc_rate_curve *first,
                         const struct rc_rate_curve *c)
{
    while (first < c && strcmp(first->kernel, c->kernel) != 0)
        first++;
    return first < c;
}

static void add_point(struct rc_rate_curve *c, const struct rc_rate_at *at)
{
    size_t i = c->count++;

    for (; i > 0 && c->at[i - 1].bytes > at->bytes; i--)
        c->at[i] = c->at[i - 1];
    c->at[i] = *at;
}

int rc_rate_curves_make(const struct rc_rate_result *rate, struct rc_rate_curves *out,
                        struct rc_error *err)
{
    struct points p = {.rate = rate};
    const size_t most = 2 * rate->node_count + rate->point_count;
    int status;

    *out = (struct rc_rate_curves){.rate = rate};
    double *room = rc_arena_array(&out->arena, most, sizeof *room);
    struct rc_rate_at *at = rc_arena_array(&out->arena, rate->point_count, sizeof *at);
    size_t *of = rc_arena_array(&out->arena, rate->point_count, sizeof *of);
    out->curve = rc_arena_array(&out->arena, rate->point_count, sizeof *out->curve);
    if ((status = rc_arena_check(&out->arena, err, "curves of rates")) != RC_OK)
        return status;
    for (size_t a = 0; a < AXES; a++)
        while (p.axis[a] < rate->axis_count &&
               strcmp(rate->axis[p.axis[a]], axis_names[a]) != 0)
            p.axis[a]++;
    /* First each curve gets room for its points, then these. */
    for (size_t i = 0; i < rate->point_count; i++) {
        size_t first = 0; /* the first point of the same curve */
        while (!is_same_curve(&p, first, i))
            first++;
        of[i] = first;
    }
    for (size_t first = 0, used = 0; first < rate->point_count; first++) {
        struct rc_rate_curve *c = &out->curve[out->count];
        c->at = at + used;
        c->workers = value_of(&p, first, WORKERS);
        for (size_t i = first; i < rate->point_count; i++) {
            struct rc_rate_at here;
            if (of[i] != first || !sum_up(rate, i, room, &here))
                continue;
            here.bytes = value_of(&p, i, BYTES);
            add_point(c, &here);
        }
        if (c->count == 0)
            continue;
        used += c->count;
        name_curve(&p, c);
        find_levels(&p, c, room);
        out->count++;
        for (; c > out->curve && is_of_kernel(out->curve, c) &&
               strcmp(c[-1].kernel, c->kernel) != 0;
             c--) {
            const struct rc_rate_curve moved = *c;
            *c = c[-1];
            c[-1] = moved;
        }
    }
    return RC_OK;
}

const char *rc_rate_words(char *out, const struct rc_rate_curve *c, const char *unit)
{
    char flat[RC_RATE_LINE] = ""; /* levels without a plateau */
    char number[RC_TEXT_SHORT];
    double best = NAN;

    out[0] = 0;
    for (size_t i = 0; i < c->count; i++)
        best = fmax(best, c->at[i].best);
    for (size_t l = 0; l < c->levels; l++) {
        const struct rc_rate_level *level = &c->level[l];
        if (level->plateau == SIZE_MAX)
            rc_text_append(flat, sizeof flat, "%s%s", flat[0] ? ", " : "", level->name);
        else
            rc_text_append(out, RC_RATE_LINE, "%s%s%s%s in %s", out[0] ? ", " : "",
                           rc_rate_number(number, 3, c->at[level->plateau].best),
                           out[0] ? "" : " ", out[0] ? "" : unit, level->name);
    }
    if (!out[0])
        rc_text_append(out, RC_RATE_LINE, "%s %s", rc_rate_number(number, 3, best),
                       unit);
    if (flat[0])
        rc_text_append(out, RC_RATE_LINE, " (no plateau in %s)", flat);
    return out;
}

const char *rc_rate_curve_words(char *out, const struct rc_rate_curve *c)
{
    out[0] = 0;
    if (c->workers)
        rc_text_append(out, RC_RATE_LINE, "%" PRId64 " worker%s", c->workers,
                       rc_text_s((uint64_t)c->workers));
    rc_text_append(out, RC_RATE_LINE, "%s%s", out[0] && c->variant[0] ? ", " : "",
                   c->variant);
    return out;
}

const char *rc_rate_slowest(char *out, const struct rc_rate_result *r,
                            const struct rc_rate_curve *c)
{
    const struct rc_rate_at *worst = NULL;
    char size[RC_TEXT_SHORT];

    out[0] = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->at[i].nodes > 1 &&
            (!worst || c->at[i].low / c->at[i].median < worst->low / worst->median))
            worst = &c->at[i];
    if (worst)
        rc_text_append(out, RC_RATE_LINE, "%.3g %% less on %s at %s",
                       100 * (1 - worst->low / worst->median), r->node[worst->slow],
                       rc_rate_size(size, worst->bytes));
    return out;
}

const char *rc_rate_convention_words(const char *convention)
{
    static const char *const words[][2] = {
        {"stream", ": each array that is read or written counts once"},
        {"allocate", ": a line that is written is read first"},
        {"once", ": what is copied counts once"},
        {"useful", ": as the algorithm names them"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], convention) == 0)
            return words[i][1];
    return "";
}

const char *rc_rate_number(char *out, int digits, double rate)
{
    if (rate >= pow(10, digits))
        snprintf(out, RC_TEXT_SHORT, "%.0f", rate);
    else
        snprintf(out, RC_TEXT_SHORT, "%.*g", digits, rate);
    return out;
}

const char *rc_rate_size(char *out, int64_t bytes)
{
    static const char *const units[] = {"", "K", "M", "G", "T"};
    double number = (double)bytes;
    size_t unit = 0;

    out[0] = 0;
    if (bytes == 0)
        return out;
    for (; number >= 1024 && unit < 4; unit++)
        number /= 1024;
    snprintf(out, RC_TEXT_SHORT, "%.4g%s", number, units[unit]);
    return out;
}
