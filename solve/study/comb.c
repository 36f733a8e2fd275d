/* Combs in time: how well pulses at equal distances explain the starts of detours. */
#include "solve/study/lines_parts.h"

#include "campaign/base/memory.h"
#include "solve/study/outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* TOGETHER harmonics are held in phase at once, then as many at HIGHER times the
 * frequency, up to harmonics whose period is shorter than the jitter of any pulse.
 */
enum { TOGETHER = RC_COMB_TOGETHER, HIGHER = 8 };
static const double highest_hz = 50e3;

/* Sums exp(2 pi i h hz start), h = 1 .. TOGETHER, over blocks of time so short that a
 * slightly different frequency only turns each sum as a whole.
 */
static void sum_blocks(struct rc_comb_room *room, double hz)
{
    const size_t numbers = (size_t)2 * TOGETHER; /* of a block */

    memset(room->block, 0, numbers * room->blocks * sizeof *room->block);
    for (size_t i = 0; i < room->count; i++) {
        const double part = room->start[i] / room->duration;
        const size_t b = (size_t)(part * (double)room->blocks);
        double *z = room->block + numbers * (b < room->blocks ? b : b - 1);
        const double turns = room->start[i] * hz;
        const double angle = 2 * pi * (turns - floor(turns));
        const double c = cos(angle), s = sin(angle);
        double re = c, im = s;
        for (size_t h = 0; h < TOGETHER; h++, z += 2) {
            const double next = re * c - im * s;
            z[0] += re;
            z[1] += im;
            im = re * s + im * c;
            re = next;
        }
    }
}

/* The mean power of the harmonics when the frequency of the sums changes by 'by'. */
static double power_at(const struct rc_comb_room *room, double by)
{
    double re[TOGETHER] = {0}, im[TOGETHER] = {0}, power = 0;
    const double *z = room->block;

    for (size_t b = 0; b < room->blocks; b++) {
        const double middle = ((double)b + 0.5) / (double)room->blocks * room->duration;
        const double angle = 2 * pi * by * middle;
        const double c = cos(angle), s = sin(angle);
        double turn_re = c, turn_im = s;
        for (size_t h = 0; h < TOGETHER; h++, z += 2) {
            const double next = turn_re * c - turn_im * s;
            re[h] += z[0] * turn_re - z[1] * turn_im;
            im[h] += z[0] * turn_im + z[1] * turn_re;
            turn_im = turn_re * s + turn_im * c;
            turn_re = next;
        }
    }
    for (size_t h = 0; h < TOGETHER; h++)
        power += re[h] * re[h] + im[h] * im[h];
    return power / TOGETHER;
}

double rc_comb_refine(struct rc_comb_room *room, double hz, double error)
{
    const double random = (double)room->count; /* the power of random starts */
    double before = 0;

    for (double base = 1; base * hz < highest_hz; base *= HIGHER) {
        const double step = 1 / (4 * TOGETHER * room->duration);
        double power = -1;
        sum_blocks(room, base * hz);
        /* The change within +- error that has the most power: the best of equal steps,
         * and the top of the parabola through it and its neighbours.
         */
        const int reach = (int)ceil(base * error / step);
        double best = 0;
        for (int i = -reach; i <= reach; i++) {
            const double own = power_at(room, i * step);
            if (own > power) {
                power = own;
                best = i * step;
            }
        }
        const double left = power_at(room, best - step),
                     right = power_at(room, best + step);
        const double bend = left + right - 2 * power;
        if (power - random < before / 2)
            break;
        before = power - random;
        hz += (bend < 0 ? best + step * (left - right) / 2 / bend : best) / base;
        error = step / base;
    }
    return hz;
}

bool rc_comb_has(const struct rc_comb *comb, double start, int64_t *pulse)
{
    const double turns = start * comb->hz - comb->from;
    const double whole = floor(turns);

    *pulse = (int64_t)whole;
    return turns - whole <= comb->width;
}

/* Judges hits by Chernoff's bound for the tail of a binomial distribution. */
static void judge_hits(struct rc_comb *comb)
{
    const double hit = fmin(comb->hits / comb->pulses, 1), miss = 1 - hit;

    comb->score = 2 * comb->hits - comb->pulses * (1 + comb->chance);
    comb->unlikely = 0;
    if (hit > comb->chance)
        comb->unlikely =
            comb->pulses * (hit * log(hit / comb->chance) +
                            (miss > 0 ? miss * log(miss / (1 - comb->chance)) : 0));
}

/* The window of that width with the most hits.  It begins at the phase of a start; as
 * it moves through a period, the detours in it are counted by pulse.
 */
static struct rc_comb best_window(struct rc_comb_room *room, double hz, double width)
{
    struct rc_comb best = {.hz = hz, .width = width, .pulses = room->duration * hz};
    size_t hits = 0, end = 0, within = 0;

    for (size_t first = 0; first < room->count; first++) {
        for (; end < first + room->count; end++) {
            const size_t i = end % room->count, round = end / room->count;
            if (room->phase[i].phase + (double)round > room->phase[first].phase + width)
                break;
            /* A window past the end of a period belongs to the pulse before. */
            hits += room->inside[room->phase[i].cycle - (int64_t)round + 1]++ == 0;
        }
        if ((double)hits > best.hits) {
            best.hits = (double)hits;
            best.from = room->phase[first].phase;
            within = end - first;
        }
        hits -= --room->inside[room->phase[first].cycle + 1] == 0;
    }
    for (size_t e = room->count; e < end; e++)
        room->inside[room->phase[e - room->count].cycle]--;
    const double beside =
        (double)(room->count - within + 1) / best.pulses / (1 - width);
    best.chance = 1 - exp(-beside * width);
    judge_hits(&best);
    return best;
}

/* Pulses that began and ended inside a detour: these cannot be seen. */
static double hidden_pulses(const struct rc_comb_room *room, const struct rc_comb *comb)
{
    double hidden = 0;

    for (size_t i = 0; i < room->count; i++) {
        const double length = (double)room->detour[i].length_ns * 1e-9 * comb->hz;
        const double from = room->start[i] * comb->hz - comb->from;
        if (length > comb->width)
            hidden += fmax(floor(from + length - comb->width) - floor(from), 0);
    }
    return hidden;
}

struct rc_comb rc_comb_judge(struct rc_comb_room *room, double hz)
{
    static const double narrowest = 10e-6, widest = 0.25, wider = 1.5; /* s, periods */
    enum { WIDTHS = 40 };
    static const double rounding = 1e-9;
    /* A window that is e times as wide must hold 1 % more of the pulses, and at least
     * two more: late pulses widen it, a stray detour does not.
     */
    const double wider_cost = fmax(0.01 * hz * room->duration, 2);
    struct rc_comb best = {.hz = hz, .score = -INFINITY};
    double most = -INFINITY;

    if (!(hz > 0) || hz * room->duration + 3 > (double)room->pulses_most)
        return best;
    for (size_t i = 0; i < room->count; i++) {
        const double turns = room->start[i] * hz, whole = floor(turns);
        room->phase[i] = (struct rc_comb_phase){turns - whole, (int64_t)whole};
    }
    qsort(room->phase, room->count, sizeof *room->phase, rc_order_reals);
    for (size_t step = 0; step < WIDTHS; step++) {
        const double width = widest * pow(wider, -(double)step);
        if (step && width < narrowest * hz)
            break;
        const struct rc_comb own = best_window(room, hz, width);
        const double worth = own.score - wider_cost * log(width);
        if (worth > most) {
            most = worth;
            best = own;
        }
    }
    best.from -= rounding;
    best.width += 2 * rounding;
    best.pulses -= hidden_pulses(room, &best);
    judge_hits(&best);
    return best;
}

/* Parts of the time whose mean phases are compared. */
enum { PARTS = 8 };

double rc_comb_correct(const struct rc_comb_room *room, struct rc_comb *comb)
{
    double hits[PARTS] = {0}, at[PARTS] = {0}, off[PARTS] = {0};
    double all = 0, mean_at = 0, mean_off = 0, square = 0, slope = 0, rest = 0,
           used = 0;
    int64_t pulse = 0;

    for (size_t i = 0; i < room->count; i++) {
        if (!rc_comb_has(comb, room->start[i], &pulse))
            continue;
        const double part = room->start[i] / room->duration * PARTS;
        const size_t p = part < PARTS ? (size_t)part : PARTS - 1;
        hits[p]++;
        at[p] += room->start[i];
        off[p] += room->start[i] * comb->hz - comb->from - (double)pulse;
    }
    for (size_t p = 0; p < PARTS; p++) {
        all += hits[p];
        mean_at += at[p];
        mean_off += off[p];
        used += hits[p] > 0;
        at[p] /= fmax(hits[p], 1);
        off[p] /= fmax(hits[p], 1);
    }
    mean_at /= all;
    mean_off /= all;
    for (size_t p = 0; p < PARTS; p++) {
        square += hits[p] * (at[p] - mean_at) * (at[p] - mean_at);
        slope += hits[p] * (at[p] - mean_at) * (off[p] - mean_off);
    }
    slope /= square;
    for (size_t p = 0; p < PARTS; p++)
        rest += hits[p] * pow(off[p] - mean_off - slope * (at[p] - mean_at), 2);
    comb->hz -= slope;
    return sqrt(rest / fmax(used - 2, 1) / square);
}

double rc_comb_stolen(struct rc_comb_room *room, const struct rc_comb *comb)
{
    static const double aside = 0.37; /* periods; not a simple fraction */
    const size_t pulses = (size_t)(room->duration * comb->hz) + 2; /* from -1 */
    double stolen[2] = {0};

    for (size_t beside = 0; beside < 2; beside++) {
        struct rc_comb own = *comb;
        size_t count = 0;
        own.from += beside ? aside : 0;
        memset(room->number, 0, pulses * sizeof *room->number);
        for (size_t i = 0; i < room->count; i++) {
            int64_t pulse = 0;
            if (rc_comb_has(&own, room->start[i], &pulse) &&
                (size_t)(pulse + 1) < pulses)
                room->number[pulse + 1] += (double)room->detour[i].length_ns;
        }
        for (size_t p = 0; p < pulses; p++)
            if (beside || room->number[p] > 0)
                room->number[count++] = room->number[p];
        stolen[beside] = count ? rc_median(room->number, count) : 0;
    }
    return fmax(stolen[0] - stolen[1], 0);
}
