/* measure.h - measuring a unit: sweeps over a suite's points, again and again
 *
 * A sweep whose readings cannot be used is done again, at most twice; then what
 * spoiled it is left out, said and marked, and the rest of the unit goes on:
 * an event or a kernel that fails costs only itself.
 */
#ifndef RC_CAMPAIGN_MEASURE_MEASURE_H
#define RC_CAMPAIGN_MEASURE_MEASURE_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/measure/reading.h"
#include "campaign/records/campaign.h"
#include "campaign/records/event_numbers.h"

struct rc_measurer; /* opaque: the suites made ready for one process */

struct rc_measurer_setup {
    const struct rc_spec *spec;           /* repetitions and their target */
    const struct rc_catalogue *catalogue; /* of this process: its open sources */
    const struct rc_campaign_kind *kind;  /* whose suites and groups tasks name */
    const struct rc_event_numbers *map;   /* the kind's events at these sources */
    uint64_t kernel_bytes; /* kernels kept between repetitions may take so much;
                            * 0: the node's memory is this process's alone */
};

/* Everything in 'setup' is borrowed and must outlive the measurer.  The kind
 * must have its suites.
 */
int rc_measurer_create(const struct rc_measurer_setup *setup, struct rc_measurer **out,
                       struct rc_error *err);
void rc_measurer_close(struct rc_measurer *measurer); /* accepts NULL */

/* From now on 'pause' is called between readings; true: give the unit up. */
void rc_measurer_pause(struct rc_measurer *measurer, bool (*pause)(void *arg),
                       void *arg);

/* How far the unit at hand is: in which repetition, from 1 on, and of its points. */
struct rc_measure_at {
    const char *suite; /* its name; NULL: no unit is at hand */
    uint32_t repetition;
    size_t point, points; /* the one that is measured, from 1 on; of so many */
};
struct rc_measure_at rc_measurer_at(const struct rc_measurer *measurer);

struct rc_measure_task {
    uint32_t suite, group; /* numbers in the kind */
    struct rc_where where; /* for sources that simulate, and the next one, too: */
    uint32_t busy[RC_SCOPE_COUNT];      /* see struct rc_measurement */
    const struct rc_reading_team *team; /* others that run the kernels; may be NULL */

    /* Called before each repetition that may well be the last; may be NULL. */
    void (*ending)(void *arg);
    void *ending_arg;
};

/* Fills the part of 'unit' that is about measuring, from 'tries' on, and points
 * 'readings', for rc_record_put_sweeps(), to arrays that belong to the measurer until
 * the next call.  A unit
 * that fails is RC_OK with its reason; one that was given up has the repetitions that
 * were whole by then, or where there are none the status 0.
 */
int rc_measurer_run(struct rc_measurer *measurer, const struct rc_measure_task *task,
                    struct rc_record_unit *unit, struct rc_record_readings *readings,
                    struct rc_error *err);

/* Makes a point's kernel ready on this thread; the suite tears it down. */
int rc_measurer_kernel(const struct rc_measurer *measurer, uint32_t suite,
                       uint32_t point, const struct rc_suite **found,
                       struct rc_kernel **kernel, struct rc_error *err);

/* How long one sweep of a suite takes, guessed from a few points, with the first
 * group of 'source' that is armed; and one reading of a group on a cheap point,
 * with a guess from its noise there how many repetitions the group will need.
 * 0 where it cannot be told.
 */
uint64_t rc_measurer_time_sweep(struct rc_measurer *measurer, uint32_t source,
                                uint32_t suite);
uint64_t rc_measurer_time_group(struct rc_measurer *measurer, uint32_t group,
                                uint32_t *repetitions);

/* An eighth of the node's memory, shared by its workers. */
uint64_t rc_measurer_kernel_bytes(size_t workers);

/* Bytes that the measurer holds for a unit with so many events and points. */
uint64_t rc_measurer_bytes(uint64_t events, uint64_t points, uint64_t repetitions);

#endif
