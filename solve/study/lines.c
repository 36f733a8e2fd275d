/* Finds lines one after the other: in the likeliest family of frequencies the one that
 * explains most in time.  Its detours are taken out, and the rest is searched again; at
 * the end only the longest of the rest.
 */
#include "solve/study/lines_parts.h"

#include "campaign/base/arena.h"
#include "solve/study/outliers.h"

#include <math.h>
#include <stdlib.h>

/* Families that are tried before a search ends. */
enum { FAMILIES = 12 };
/* Fractions of a family's frequency that may be the fundamental, and multiples. */
enum { FRACTIONS = 12, MULTIPLES = 3 };
/* Harmonics between multiples do not exist below the first share of the multiples'
 * power, and are as strong above the second.
 */
static const double power_none = 0.25, power_all = 0.75;

struct search {
    struct rc_comb_room room;
    struct rc_spectrum spectrum;
    size_t *origin; /* [room.count] number in the caller's list */
    double *length; /* [room.count] scratch */

    struct rc_comb comb; /* the line found last */
    double hz_error;
    double most_ns;  /* the longest of its detours */
    double least_ns; /* the shortest detours that are left; 0: all */
};

static int search_init(struct search *s, struct rc_arena *arena,
                       const struct rc_detour *detour, size_t count,
                       uint64_t duration_ns, struct rc_error *err)
{
    struct rc_comb_room *room = &s->room;

    room->duration = (double)duration_ns * 1e-9;
    const int status = rc_spectrum_init(&s->spectrum, arena, room->duration, err);
    if (status != RC_OK)
        return status;
    const double highest = (double)s->spectrum.count * s->spectrum.step;
    room->pulses_most = (size_t)(highest * room->duration) + 4;
    room->blocks = 256 * s->spectrum.pieces;
    room->detour = rc_arena_array(arena, count, sizeof *room->detour);
    room->start = rc_arena_array(arena, count, sizeof *room->start);
    room->phase = rc_arena_array(arena, count, sizeof *room->phase);
    room->inside = rc_arena_array(arena, room->pulses_most, sizeof *room->inside);
    room->number = rc_arena_array(arena, room->pulses_most, sizeof *room->number);
    room->block =
        rc_arena_array(arena, room->blocks, sizeof *room->block * 2 * RC_COMB_TOGETHER);
    s->origin = rc_arena_array(arena, count, sizeof *s->origin);
    s->length = rc_arena_array(arena, count, sizeof *s->length);
    if (rc_arena_check(arena, err, "a search for lines") != RC_OK)
        return RC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        room->detour[i] = detour[i];
        room->start[i] = (double)detour[i].start_ns * 1e-9;
        s->origin[i] = i;
    }
    room->count = count;
    return RC_OK;
}

/* Replaces the best comb so far if 'hz' is better. */
static bool is_better(struct search *s, double hz, struct rc_comb *best)
{
    const struct rc_comb own = rc_comb_judge(&s->room, hz);

    if (own.score <= best->score)
        return false;
    *best = own;
    return true;
}

/* The member of a candidate's family that explains most, reached step by step through
 * fractions that the spectrum allows, and multiples.  A frequency with power only in
 * every second or third harmonic is a fraction of the true one: a comb that misses many
 * pulses has fractions that happen to miss fewer.
 */
static struct rc_comb fundamental(struct search *s, double candidate)
{
    static const size_t primes[] = {2, 3, 5, 7, 11};
    double hz = rc_comb_refine(&s->room, candidate, s->spectrum.step);

    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        while (rc_spectrum_between(&s->spectrum, hz, primes[i]) < power_none)
            hz *= (double)primes[i];
    struct rc_comb best = rc_comb_judge(&s->room, hz);
    for (bool better = true; better;) {
        better = false;
        hz = best.hz;
        for (size_t m = 2; m <= FRACTIONS; m++)
            if (rc_spectrum_between(&s->spectrum, hz / (double)m, m) > power_none)
                better |= is_better(s, hz / (double)m, &best);
        for (size_t m = 2; m <= MULTIPLES; m++)
            if (rc_spectrum_between(&s->spectrum, hz, m) < power_all)
                better |= is_better(s, hz * (double)m, &best);
    }
    return best;
}

/* Chance must be less than 1/100 likely to do as well, even at the best of all
 * frequencies, phases and widths that were tried.
 */
static bool is_line(const struct search *s, const struct rc_comb *comb)
{
    const double widths = 25;
    const double tried = (double)s->spectrum.count * (double)s->room.count * widths;

    return comb->pulses >= RC_LINES_PULSES && comb->score > 0 &&
           comb->unlikely > log(100 * tried);
}

/* Searches the remaining detours; false: there is no line. */
static bool next_line(struct search *s)
{
    static const double narrower = 0.9; /* windows, as the frequency becomes right */
    double hz[FAMILIES];

    if (s->room.count < RC_LINES_PULSES / 2)
        return false;
    rc_spectrum_take(&s->spectrum, s->room.start, s->room.count);
    const size_t families = rc_spectrum_candidates(&s->spectrum, hz, FAMILIES);
    for (size_t f = 0; f < families; f++) {
        s->comb = fundamental(s, hz[f]);
        if (!is_line(s, &s->comb))
            continue;
        double width = 1;
        while (s->comb.width < narrower * width) {
            width = s->comb.width;
            s->hz_error = rc_comb_correct(&s->room, &s->comb);
            s->comb = rc_comb_judge(&s->room, s->comb.hz);
        }
        return is_line(s, &s->comb);
    }
    return false;
}

/* Keeps the remaining detours for which 'keep' is true. */
static void leave(struct search *s, bool (*keep)(const struct search *s, size_t i))
{
    struct rc_comb_room *room = &s->room;
    size_t left = 0;

    for (size_t i = 0; i < room->count; i++)
        if (keep(s, i)) {
            room->detour[left] = room->detour[i];
            room->start[left] = room->start[i];
            s->origin[left++] = s->origin[i];
        }
    room->count = left;
}

/* Whether a detour is not in the line found last: outside its windows, or so long that
 * the core did something else, too.  A timer of 20 ms is in phase with a tick of 4 ms.
 */
static bool is_other(const struct search *s, size_t i)
{
    int64_t pulse = 0;

    return !rc_comb_has(&s->comb, s->room.start[i], &pulse) ||
           (double)s->room.detour[i].length_ns > s->most_ns;
}

static bool is_long(const struct search *s, size_t i)
{
    return (double)s->room.detour[i].length_ns >= s->least_ns;
}

/* Finds one line after the other in the remaining detours. */
static void find_lines(struct search *s, struct rc_line *line, size_t *found,
                       int8_t *line_of)
{
    static const double longer = 4; /* a pulse is at most so many times the median */
    const struct rc_comb *comb = &s->comb;

    while (*found < RC_LINES_MOST && next_line(s)) {
        const double stolen = rc_comb_stolen(&s->room, comb);
        const double middle = comb->from + comb->width / 2;
        line[*found] = (struct rc_line){
            .hz = comb->hz,
            .hz_error = s->hz_error,
            .phase_ns = (middle - floor(middle)) / comb->hz * 1e9,
            .window_ns = comb->width / 2 / comb->hz * 1e9,
            .stolen_ns = stolen,
            .pulses = (uint64_t)llround(fmax(comb->pulses, comb->hits)),
            .hits = (uint64_t)comb->hits,
        };
        s->most_ns = stolen > 0 ? longer * stolen : INFINITY;
        double all_ns =
            0; /* total length of its detours: bounded by the measured time */
        for (size_t i = 0; i < s->room.count; i++) {
            if (is_other(s, i))
                continue;
            all_ns += (double)s->room.detour[i].length_ns;
            if (line_of)
                line_of[s->origin[i]] = (int8_t)*found;
        }
        line[*found].share = all_ns / s->room.duration * 1e-9;
        leave(s, is_other);
        ++*found;
    }
}

/* Sorts by share, the largest first; there are few, so they are inserted one by one. */
static void sort_lines(struct rc_line *line, size_t found, int8_t *line_of,
                       size_t count)
{
    int8_t place[RC_LINES_MOST] = {0}, from[RC_LINES_MOST] = {0};

    for (size_t i = 0; i < found; i++) {
        const struct rc_line own = line[i];
        size_t at = i;
        for (; at && line[at - 1].share < own.share; at--) {
            line[at] = line[at - 1];
            from[at] = from[at - 1];
        }
        line[at] = own;
        from[at] = (int8_t)i;
    }
    for (size_t i = 0; i < found; i++)
        place[from[i]] = (int8_t)i;
    for (size_t i = 0; line_of && i < count; i++)
        if (line_of[i] >= 0)
            line_of[i] = place[line_of[i]];
}

int rc_lines_find(const struct rc_detour *detour, size_t count, uint64_t duration_ns,
                  struct rc_line line[RC_LINES_MOST], size_t *found, int8_t *line_of,
                  struct rc_error *err)
{
    struct search s = {.least_ns = 0};
    struct rc_arena arena = {0};

    *found = 0;
    for (size_t i = 0; line_of && i < count; i++)
        line_of[i] = -1;
    if (count == 0 || duration_ns == 0)
        return RC_OK;
    const int status = search_init(&s, &arena, detour, count, duration_ns, err);
    if (status != RC_OK)
        goto out;
    find_lines(&s, line, found, line_of);
    /* Few long pulses are lost among many short detours: the longest tenth stays. */
    const size_t left = s.room.count;
    for (size_t i = 0; i < left; i++)
        s.length[i] = (double)s.room.detour[i].length_ns;
    if (left > 0)
        s.least_ns = rc_select(s.length, left, left - 1 - left / 10);
    leave(&s, is_long);
    find_lines(&s, line, found, line_of);
    sort_lines(line, *found, line_of, count);
out:
    rc_arena_free(&arena);
    return status;
}
