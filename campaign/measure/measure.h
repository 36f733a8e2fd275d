/* measure.h - measuring a unit: repeated sweeps over a suite's points
 *
 * A sweep with unusable readings is repeated, at most twice; then the event or kernel
 * that spoiled it is left out and marked, with the reason, and the rest of the unit
 * continues: a failure costs only itself.
 */
#ifndef RC_CAMPAIGN_MEASURE_MEASURE_H
#define RC_CAMPAIGN_MEASURE_MEASURE_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/measure/reading.h"
#include "campaign/records/campaign.h"
#include "campaign/records/event_numbers.h"

struct rc_measurer; /* opaque: a process's suites, ready to run */

struct rc_measurer_setup {
    const struct rc_spec *spec;           /* repetitions and their target */
    const struct rc_catalogue *catalogue; /* of this process: its open sources */
    const struct rc_campaign_kind *kind;  /* has the suites and groups of tasks */
    const struct rc_event_numbers *map;   /* the kind's events at these sources */
    uint64_t kernel_bytes; /* for kernels that are kept; 0: as if alone on the node */
};

/* Everything in 'setup' is borrowed and must outlive the measurer.  The kind must have
 * its suites.
 */
int rc_measurer_create(const struct rc_measurer_setup *setup, struct rc_measurer **out,
                       struct rc_error *err);
void rc_measurer_close(struct rc_measurer *measurer); /* accepts NULL */

/* Has 'pause' called between readings from now on; if it returns true, the unit is
 * given up.
 */
void rc_measurer_pause(struct rc_measurer *measurer, bool (*pause)(void *arg),
                       void *arg);

/* Progress of the present unit: its repetition, from 1 on, and its point. */
struct rc_measure_at {
    const char *suite; /* its name; NULL: there is no unit */
    uint32_t repetition;
    size_t point, points; /* the present one, from 1 on, and their number */
};
struct rc_measure_at rc_measurer_at(const struct rc_measurer *measurer);

struct rc_measure_task {
    uint32_t suite, group;         /* numbers in the kind */
    struct rc_where where;         /* for sources that simulate; so is 'busy': */
    uint32_t busy[RC_SCOPE_COUNT]; /* see struct rc_measurement */

    /* NULL, or all workers of the team are given the same unit.  With 'unread' this one
     * runs the kernels for the others and reads nothing.
     */
    const struct rc_measure_team *team;
    bool unread;
    uint64_t begin_ns; /* when the unit was taken, since 1970; 0: now */

    /* Called before each repetition that may be the last; may be NULL. */
    void (*ending)(void *arg);
    void *ending_arg;
};

/* Fills in the results of 'unit', from 'tries' on, and points 'readings', for
 * rc_record_put_sweeps(), to arrays that belong to the measurer until the next call.  A
 * unit that fails is RC_OK with its reason; one that was given up has the complete
 * repetitions, or the status 0 if there are none.  Collective over the task's team, of
 * which all get the same results but for times and values.
 */
int rc_measurer_run(struct rc_measurer *measurer, const struct rc_measure_task *task,
                    struct rc_record_unit *unit, struct rc_record_readings *readings,
                    struct rc_error *err);

/* The time of a sweep of a suite, estimated from a few points, with the first group of
 * 'source' that is armed; and of a reading of a group on a cheap point, with the number
 * of repetitions that its noise there lets expect. 0: not known.
 */
uint64_t rc_measurer_time_sweep(struct rc_measurer *measurer, uint32_t source,
                                uint32_t suite);
uint64_t rc_measurer_time_group(struct rc_measurer *measurer, uint32_t group,
                                uint32_t *repetitions);

/* An eighth of the node's memory, shared by its workers. */
uint64_t rc_measurer_kernel_bytes(size_t workers);

/* Bytes that the measurer needs for such a unit. */
uint64_t rc_measurer_bytes(uint64_t events, uint64_t points, uint64_t repetitions);

#endif
