/* lines.h - interruptions that take time from a core at equal distances
 *
 * Detours (gaps in a loop that only reads the time: the core did something else) are
 * searched for lines: pulses at phase + k/hz.  Candidates come from the spectrum of the
 * detours' starts.  They are judged in time, where the fundamental explains most: at
 * three times its frequency two pulses of three are missing, at half of it half of the
 * detours.  A line has more than half of its pulses hit, and more than chance hits.
 * docs/noise.md has its error rates.
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
    double stolen_ns;           /* by a pulse that hit: the median, less that of */
                                /* windows beside the pulses */
    double share;               /* of the measured time, over all its detours */
    uint64_t pulses; /* in the measured time, without those inside a longer detour */
    uint64_t hits;   /* pulses in whose window a detour begins */
};

/* The most lines that are looked for, and the fewest pulses of a line. */
enum { RC_LINES_MOST = 12, RC_LINES_PULSES = 8 };

/* Finds lines from 8 periods in the measured time up to 1.2 kHz, the one with the
 * largest share first.  'detour' is in order of starts, all before 'duration_ns'.
 * Unless it is NULL, line_of gets for each detour the number of its line, or -1.  Fewer
 * than one in a hundred trains of random detours are said to have a line.
 */
int rc_lines_find(const struct rc_detour *detour, size_t count, uint64_t duration_ns,
                  struct rc_line line[RC_LINES_MOST], size_t *found, int8_t *line_of,
                  struct rc_error *err);

#endif
