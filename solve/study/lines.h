/* lines.h - what takes time from a core again and again at equal distances
 *
 * Detours (gaps in a loop that only reads the time: somebody else ran) are searched for
 * lines: pulses at phase + k/hz.  Candidates come from the spectrum of the detours'
 * starts; they are judged in time, where the fundamental explains most: at three times
 * its frequency two pulses of three are missing, at half of it half of the detours.  A
 * line has more than half of its pulses hit, and more than chance hits.
 * docs/noise.md says how well that works.
 */
#ifndef RC_SOLVE_STUDY_LINES_H
#define RC_SOLVE_STUDY_LINES_H

#include "campaign/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct rc_detour {
    uint64_t start_ns; /* since the measurement of its core began */
    uint64_t length_ns;
};

struct rc_line {
    double hz, hz_error;        /* of the fundamental; standard error */
    double phase_ns, window_ns; /* pulses begin at phase + k/hz, +- window */
    double stolen_ns;           /* by a pulse that hit: the median, without what */
                                /* windows beside the pulses have */
    double share;               /* of the measured time: of all its detours */
    uint64_t pulses; /* in the measured time, but not those inside a longer detour */
    uint64_t hits;   /* pulses in whose window a detour begins */
};

/* More lines are not looked for, and fewer pulses than these are not called a line. */
enum { RC_LINES_MOST = 12, RC_LINES_PULSES = 8 };

/* Finds lines of 8 periods in the time measured up to 1.2 kHz, the one with the largest
 * share first.  'detour' is in order of starts, all before 'duration_ns'.  *line_of,
 * where it is not NULL, gets for each detour the number of its line, or -1.  Of trains
 * of detours that come at random, less than one in a hundred is said to have a line.
 */
int rc_lines_find(const struct rc_detour *detour, size_t count, uint64_t duration_ns,
                  struct rc_line line[RC_LINES_MOST], size_t *found, int8_t *line_of,
                  struct rc_error *err);

#endif
