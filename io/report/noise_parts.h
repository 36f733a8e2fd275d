/* noise_parts.h - noises of a suite: inside of noise*.c only */
#ifndef RC_IO_REPORT_NOISE_PARTS_H
#define RC_IO_REPORT_NOISE_PARTS_H

#include "io/report/parts.h"

/* An event with a noise. */
struct rc_noisy {
    double noise;
    size_t event;
    uint8_t event_class;
};

struct rc_noises {
    const struct rc_suite_result *result;
    struct rc_noisy *of; /* in rising order */
    size_t count, room, events;
    size_t zero;                     /* the first so many are 0 */
    size_t in_class[RC_CLASS_COUNT]; /* of those with a noise */
};

/* noise_draw.c: their figure; there must be some. */
int rc_noises_draw(struct rc_report_page *page, const struct rc_noises *noises,
                   struct rc_error *err);

#endif
