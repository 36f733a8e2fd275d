/* event_words.h - what the solve found out of an event, in a word and in a sentence */
#ifndef RC_IO_METRICS_EVENT_WORDS_H
#define RC_IO_METRICS_EVENT_WORDS_H

#include "io/store/store.h"
#include "solve/result.h"

#include <stddef.h>

/* A suite's findings about an event. */
struct rc_event_in_suite {
    const struct rc_suite_result *suite;
    enum rc_class class;
    enum rc_use use;
    double noise, residual;
    const double *x; /* [coordinate]; NAN: not known */
    const char *reason;
};

/* The event in a suite by one of the words of docs/words.md: "exact", "good", "too
 * noisy for this suite", "not used here", "not measured".
 */
const char *rc_event_word(const struct rc_event_in_suite *in);

/* Its count as a sum of the suite's coordinates, "D_SCAL + 2 D_128"; "" where it
 * is none.  A metric that says the same as the whole sum stands for it by name.
 */
const char *rc_event_sum(char *out, size_t room, const struct rc_event_in_suite *in,
                         size_t event);

/* One sentence without its subject: "counts 'L2 demand hits', 0.997 each; a background
 * of 20 in each reading".  'in' are all suites of the kind; 'event' is its number.
 */
const char *rc_event_sentence(char *out, size_t room,
                              const struct rc_store_event *described, size_t event,
                              const struct rc_event_in_suite *in, size_t count);

#endif
