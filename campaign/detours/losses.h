/* losses.h - what detours cost each core, by the journals of a directory */
#ifndef RC_CAMPAIGN_DETOURS_LOSSES_H
#define RC_CAMPAIGN_DETOURS_LOSSES_H

#include "campaign/detours/detours.h"
#include "campaign/machine/machine.h"
#include "io/noise/noise.h"
#include "io/text/rows.h"

enum { RC_NOISE_PERIODS = 4, RC_NOISE_CAUSES = 6, RC_NOISE_WHO_TEXT = 48 };

#define RC_NOISE_TICK "tick?" /* who makes a line, by its frequency alone */

/* A periodic cause of detours. */
struct rc_noise_period {
    struct rc_line line;
    char who[RC_NOISE_WHO_TEXT]; /* who made most of its detours; "": not known */
};

/* A cause, and its share of the measured time. */
struct rc_noise_cause {
    char who[RC_NOISE_WHO_TEXT];
    double share;
};

/* One core in one pass of one round.  Goes from rank to rank as bytes; shares are of
 * the measured time, numbers that are not known are NAN.
 */
struct rc_noise_loss {
    char node[RC_NODE_NAME];
    char work[32], point[48]; /* "": the bare loop */
    char quota[48];           /* cpu.max, or "" */
    char held[96];            /* that quota and the period that it looks like, or "" */
    char unlocked[64];        /* why its memory was not locked, or "" */
    char untraced[192];       /* why not all is known of who made detours, or "" */
    uint32_t core, round, writer, bins;
    bool alone, shared; /* one core at a time; other ranks were on the core */
    int reader;         /* the rank that read its record */
    uint64_t sequence;  /* with the writer: of its record */
    uint64_t detours, dropped, faults, names;

    /* Over that time all detours are listed, since the list was not full; on the clock
     * of the first node of its job, to within 'unsure_ns'.  'compared': its own clock
     * is another one, and was compared with that.
     */
    int64_t begin_ns, end_ns;
    double unsure_ns;
    bool compared;

    double time_s, lost, per_second;
    double p50_us, p99_us, max_us; /* of detours that were kept */
    double steal;                  /* share that the host took, by the kernel's count */
    double slowdown; /* of a program with 1 ms between barriers on 1e4 such cores */
    struct rc_noise_period period[RC_NOISE_PERIODS]; /* largest share first */
    size_t periods;
    struct rc_noise_cause
        cause[RC_NOISE_CAUSES]; /* largest first; their sum is 'lost' */
    size_t causes;

    /* Only for work: the time of a quantum, by what share quanta without detours are
     * slower than the fastest of them, how much of that the core's clock explains, and
     * that clock's rate (by dependent additions): the median and the lowest of windows
     * but one in twenty.
     */
    double quantum_us, slower, clock, hz, hz_low;
};

/* The loss of a program that waits, after each grain of work, for all cores that were
 * measured together.
 */
struct rc_noise_step {
    size_t cores;
    double grain_ns;
    double slowdown, independent; /* as measured; if cores were independent */
    double synchrony, error;      /* what is lost over that; its standard error */
};

struct rc_noise_together {
    struct rc_noise_step *step;
    size_t count;
    char missing[160]; /* what keeps us from knowing it, or some of it; or "" */
};

struct rc_noise_losses {
    struct rc_noise_loss *loss; /* by node, core, work, alone, round */
    size_t count;
    struct rc_noise_journals journals;
    struct rc_noise_together together;
};

/* Works one out of a record. */
int rc_noise_loss_find(const struct rc_noise_detours *d, struct rc_noise_loss *out,
                       struct rc_error *err);

/* causes.c: fills 'cause' of a loss whose periods are found, by the names of detours
 * or, where nobody asked for these, by what the kernel counted.
 */
int rc_noise_causes_find(const struct rc_noise_detours *d, struct rc_noise_loss *out,
                         struct rc_error *err);

/* The same of all cores of the node that losses[0] is of, in the bare loop, each of
 * which counts the same: the mean of their causes, and of what they lost.  '*cores' is
 * how many there are, '*end' the number of losses of that node; these stand together.
 */
int rc_noise_causes_of_node(const struct rc_noise_loss *losses, size_t count,
                            size_t *end, struct rc_noise_loss *out, size_t *cores,
                            struct rc_error *err);

/* The time over which a record's list has all detours: it ends where that was full. */
uint64_t rc_noise_listed_ns(const struct rc_noise_detours *d);

/* Collective over 'comm' (or alone): of all records of DIR, the same on every rank;
 * none where there are no journals.  rc_noise_losses_fini() in any case.
 */
int rc_noise_losses_read(MPI_Comm comm, const char *dir, struct rc_noise_losses *out,
                         struct rc_error *err);
void rc_noise_losses_fini(struct rc_noise_losses *losses); /* accepts a zeroed one */

/* The loss of a record that is read again; NULL: there was none when they were read,
 * or it was another.
 */
const struct rc_noise_loss *rc_noise_loss_of(const struct rc_noise_losses *losses,
                                             const struct rc_noise_detours *d,
                                             const struct rc_journal_record *record);

/* together.c: collective, with the ranks that read the losses.  Fills
 * losses->together, on rank 0, from DIR's journals.
 */
int rc_noise_together_find(MPI_Comm comm, const char *dir,
                           struct rc_noise_losses *losses, struct rc_error *err);

/* write_detours.c: collective.  Puts the records of DIR's journals, of which these are
 * the losses, into the file; nothing where there are none.
 */
int rc_noise_write_detours(MPI_Comm comm, const char *dir,
                           const struct rc_noise_losses *losses, struct rc_store *file,
                           struct rc_error *err);

/* show_losses.c: on rank 0.  As text; as a list "detours" of the object that is open in
 * 'json'; as CSV.
 */
int rc_noise_losses_show(const struct rc_noise_losses *losses, FILE *out,
                         enum rc_format format, struct rc_json *json,
                         struct rc_error *err);

#endif
