/* lines_parts.h - what the files of the search for lines share among themselves */
#ifndef RC_SOLVE_STUDY_LINES_PARTS_H
#define RC_SOLVE_STUDY_LINES_PARTS_H

#include "solve/study/fft.h"
#include "solve/study/lines.h"

#include <stdbool.h>

/* spectrum.c: the spectrum of starts as counts in short bins of time. */
struct rc_spectrum {
    double duration; /* of what was measured, s */
    size_t pieces;   /* of time, whose spectra are averaged: more would not fit */
    double bin;      /* of time, s */
    double step;     /* between numbers of the spectrum, Hz */
    size_t count;    /* of them */
    double *power;   /* [count] about 1 where nothing is periodic */
    double *sum;     /* [count] scratch: of harmonics */
    struct rc_fft fft;
    double *series; /* [2 * count] scratch */
};

/* Its arrays are in 'arena', which is checked. */
int rc_spectrum_init(struct rc_spectrum *spectrum, struct rc_arena *arena,
                     double duration, struct rc_error *err);

/* Of 'count' ascending starts, in s. */
void rc_spectrum_take(struct rc_spectrum *spectrum, const double *start, size_t count);

/* Frequencies whose harmonics have more power together than random starts give them
 * once in a hundred spectra, the likeliest first: at most 'most', whose number is
 * returned.  Each stands for a family of multiples, all of which have power; it is the
 * lowest of them that has about as much as the strongest.
 */
size_t rc_spectrum_candidates(struct rc_spectrum *spectrum, double *hz, size_t most);

/* Power of those harmonics of 'hz' that are not multiples of 'by', over that of those
 * that are: about 1 for a comb at 'hz', about 0 for one at 'by' times 'hz'; NAN where
 * 'hz' is too high or low to tell.
 */
double rc_spectrum_between(const struct rc_spectrum *spectrum, double hz, size_t by);

/* comb.c: starts against pulses at equal distances.  Phases are in periods. */
struct rc_comb {
    double hz;
    double from, width; /* the window: pulse k is at from .. from + width + k */
    double hits;        /* pulses in whose window a detour begins */
    double pulses;      /* that could have been hit */
    double chance;      /* part of them that is hit by chance, whatever their phase */
    double score;       /* (hits - by chance) - misses: largest at the fundamental */
    double unlikely;    /* -ln of the probability of as many hits by chance, or less */
};

enum { RC_COMB_TOGETHER = 16 }; /* harmonics that a frequency is refined by at once */

/* What combs are held against, and room for it. */
struct rc_comb_room {
    struct rc_detour *detour; /* [count] those that belong to no line yet, in order */
    double *start;            /* [count] theirs, in s */
    size_t count;
    double duration; /* s */
    struct rc_comb_phase {
        double phase; /* first: they are sorted by it */
        int64_t cycle;
    } * phase;        /* [count], sorted by phase */
    uint32_t *inside; /* [pulses_most] 0: detours in each pulse's window */
    double *number;   /* [pulses_most] scratch */
    size_t pulses_most;
    double *block; /* [blocks][harmonic][2] scratch: sums over parts of the time */
    size_t blocks;
};

/* The frequency near 'hz', at most 'error' off, at which the starts are most in phase;
 * goes to higher and higher harmonics as long as those are in phase, too.
 */
double rc_comb_refine(struct rc_comb_room *room, double hz, double error);

/* The window that explains most at that frequency. */
struct rc_comb rc_comb_judge(struct rc_comb_room *room, double hz);

/* The same comb with the frequency corrected by how phases move in time; the standard
 * error of it, in Hz.
 */
double rc_comb_correct(const struct rc_comb_room *room, struct rc_comb *comb);

/* Whether a start, in s, lies in the window of a pulse, and of which one: from -1. */
bool rc_comb_has(const struct rc_comb *comb, double start, int64_t *pulse);

/* What a hit steals, in ns: the median over hits, less that of windows beside them. */
double rc_comb_stolen(struct rc_comb_room *room, const struct rc_comb *comb);

#endif
