/* planted_parts.h - what the makers of planted machines share */
#ifndef RC_TESTS_PLANTED_PLANTED_PARTS_H
#define RC_TESTS_PLANTED_PLANTED_PARTS_H

#include "tests/planted/planted.h"

/* A machine in the making, and the state of its draws. */
struct planted_maker {
    struct planted *m;
    uint64_t state;
};

/* Draws: of (0, 1), of 0 .. count - 1, and whether something of that share is. */
double planted_uniform(struct planted_maker *maker);
size_t planted_below(struct planted_maker *maker, size_t count);
bool planted_chance(struct planted_maker *maker, double share);

/* Appends a suite with its points and ideals for the machine's geometry. */
int planted_add_suite(struct planted *machine, const char *name, struct rc_error *err);

/* Whether an event would count less than 0 on some point; and whether an ideal is not 0
 * on all points.
 */
bool planted_counts_down(const struct planted *machine, size_t event);
bool planted_occurs(const struct planted *machine, size_t ideal);

/* Metrics of a suite: two that events make up, if there are such, and one at random. */
void planted_make_metrics(struct planted_maker *maker, size_t suite);

/* Readings of all events in a suite, with their rests and noise. */
int planted_make_readings(struct planted_maker *maker, size_t suite,
                          struct rc_error *err);

#endif
