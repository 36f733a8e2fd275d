/* lines_parts.h - shared by the files of the search for lines */
#ifndef RC_SOLVE_STUDY_LINES_PARTS_H
#define RC_SOLVE_STUDY_LINES_PARTS_H

#include "solve/study/fft.h"
#include "solve/study/lines.h"

#include <stdbool.h>

/* spectrum.c: the spectrum of starts as counts in short bins of time. */
struct rc_spectrum {
    double duration; /* of the measurement, s */
    size_t pieces;   /* of time, whose spectra are averaged, as more would not fit */
    double bin;      /* of time, s */
    double step;     /* between numbers of the spectrum, Hz */
    size_t count;    /* of these numbers */
    double *power;   /* [count] about 1 where nothing is periodic */
    double *sum;     /* [count] scratch: sums over harmonics */
    struct rc_fft fft;
    double *series; /* [2 * count] scratch */
};

/* Makes the arrays in 'arena', and checks it. */
int rc_spectrum_init(struct rc_spectrum *spectrum, struct rc_arena *arena,
                     double duration, struct rc_error *err);

/* Computes the spectrum of 'count' ascending starts, in s. */
void rc_spectrum_take(struct rc_spectrum *spectrum, const double *start, size_t count);

/* Frequencies whose harmonics together have more power than random starts give them
 * once in a hundred spectra, the likeliest first, at most 'most'; returns their number.
 * Each stands for a family of multiples, all of which have power: it is the lowest of
 * them that has about as much as the strongest.
 */
size_t rc_spectrum_candidates(struct rc_spectrum *spectrum, double *hz, size_t most);

/* Power of the harmonics of 'hz' that are not multiples of 'by', over that of the other
 * harmonics: about 1 for a comb at 'hz', about 0 for one at 'by' times 'hz'; NAN where
 * 'hz' is too high or low to tell.
 */
double rc_spectrum_between(const struct rc_spectrum *spectrum, double hz, size_t by);

/* comb.c: starts compared with pulses at equal distances.  Phases are in periods. */
struct rc_comb {
    double hz;
    double from, width; /* the window: pulse k is at from .. from + width + k */
    double hits;        /* pulses in whose window a detour begins */
    double pulses;      /* that could have been hit */
    double chance;      /* share of pulses that chance hits, whatever their phase */
    double score;       /* (hits - by chance) - misses: largest at the fundamental */
    double unlikely;    /* -ln of the probability of as many hits by chance, or less */
};

enum { RC_COMB_TOGETHER = 16 }; /* harmonics that refine a frequency at once */

/* The detours that combs are compared with, and scratch memory. */
struct rc_comb_room {
    struct rc_detour *detour; /* [count] in no line yet, in order */
    double *start;            /* [count] their starts, in s */
    size_t count;
    double duration; /* s */
    struct rc_comb_phase {
        double phase; /* first member: they are sorted by it */
        int64_t cycle;
    } * phase;        /* [count], sorted by phase */
    uint32_t *inside; /* [pulses_most] detours by pulse; 0 between calls */
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

/* Corrects the comb's frequency by the drift of phases in time; returns its standard
 * error, in Hz.
 */
double rc_comb_correct(const struct rc_comb_room *room, struct rc_comb *comb);

/* Whether a start, in s, lies in the window of a pulse, and of which one: from -1. */
bool rc_comb_has(const struct rc_comb *comb, double start, int64_t *pulse);

/* The time that a hit steals, in ns: the median over hits, less that beside them. */
double rc_comb_stolen(struct rc_comb_room *room, const struct rc_comb *comb);

#endif
