/* parts.h - data and functions that the files of the solve share
 *
 * A kind's events are dealt out to the ranks in blocks (solve/algebra/grid.h); each
 * rank reads, judges and represents its own, "local" ones.  The chosen events and the
 * metrics are the same on every rank.
 */
#ifndef RC_CAMPAIGN_SOLVE_PARTS_H
#define RC_CAMPAIGN_SOLVE_PARTS_H

#include "campaign/base/agree.h"
#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/solve/solve.h"
#include "io/store/store.h"
#include "kernels/kernel.h"
#include "solve/algebra/cross_check.h"
#include "solve/algebra/grid.h"
#include "solve/algebra/pivot.h"
#include "solve/algebra/represent.h"
#include "solve/result.h"

#include <stddef.h>
#include <stdint.h>

/* Reasons for an event's class or use: indices into rc_suite_result.reason, whose words
 * are in kind.c.
 */
enum rc_solve_reason {
    RC_WHY_NOTHING,
    RC_WHY_NOT_MEASURED,
    RC_WHY_NO_VALID,
    RC_WHY_ONE_ONLY,
    RC_WHY_DEAD,
    RC_WHY_IRRELEVANT,
    RC_WHY_NOISY,
    RC_WHY_NO_BASIS,
    RC_WHY_OUTSIDE,
    RC_WHY_BESIDES,
    RC_WHY_EXPLAINED,
    RC_WHY_SPANNED,
    RC_WHY_RATE,
    RC_WHY_WAITS,
    /* Then for each verdict (not measured since ...), for each suite (fails there), and
     * where they occur those of rc_why_state() and rc_why_compiled().
     */
    RC_WHY_COUNT,
    RC_WHY_VERDICT = RC_WHY_COUNT,
    RC_WHY_SUITE = RC_WHY_COUNT + RC_VERDICT_COUNT
};

/* The readings of one source in a suite. */
struct rc_solve_source {
    size_t *point; /* points that it measures and where all ideals are known */
    size_t points;
    size_t measured;        /* all points that it measures */
    double *value;          /* the basis on 'point', points x coordinates, by column */
    struct rc_basis basis;  /* with 'value' */
    const char *no_basis;   /* why events of this source have no representation */
    double *overhead;       /* [coordinate]: what a constant of 1 in each reading looks
                             * like; NULL: readings have a coordinate of their own */
    struct rc_columns mean; /* points x events, until they are represented */
};

/* A suite of the kind.  Arrays are in the kind's arena unless they say otherwise. */
struct rc_solve_suite {
    size_t number; /* in the store's kind */
    const struct rc_store_suite *labels;
    const struct rc_suite_definition *definition; /* rc_solve_definition() */
    struct rc_solve_source *source;               /* as many as the store's suite has */
    double *ideal;           /* [point][ideal of the basis], NAN: not known */
    const char **coordinate; /* names: the basis's ideals, then nuisances */
    const char **left_out;   /* ideals that no measured point has */
    const char **remark;     /* result.remark, with room for all */
    size_t ideals, coordinates, left_out_count;

    /* For each local event: */
    double *noise, *residual; /* NAN: not known; as in rc_event_columns */
    struct rc_columns x;  /* coordinates x events; NAN: there is no representation */
    uint8_t *event_class; /* enum rc_class */
    uint8_t *use;         /* enum rc_use */
    uint8_t *tier;        /* RC_PIVOT_FIRST: pure, _LATER: impure, _NEVER: neither */
    bool *loose;          /* nearly a multiple of one loose ideal */
    uint64_t *tried;      /* a bit for each other suite that it could be tried on */
    uint32_t *reason;     /* enum rc_solve_reason, or beyond it */
    size_t *row;          /* in 'mean', or SIZE_MAX */
    double *mean;         /* [row][point] per iteration, NAN: not measured; malloc() */
    size_t rows, room;    /* rows of 'mean' in use and allocated */

    struct rc_pivot *pivot; /* the chosen events; room for 'ideals' */
    double *pivot_x;        /* ideals x pivots */
    double *pivot_all;      /* coordinates x pivots */
    bool *pivot_loose;      /* 'loose' of the pivots */
    size_t pure, chosen;    /* the first 'pure' pivots, then completing ones */
    const char **no_rate;   /* on rank 0: rates that are left out, and why */
    size_t no_rates;
    bool wanted;   /* its metrics are asked for, not only its points */
    size_t unread; /* events that can be counted, with too few valid readings */
    struct rc_suite_result result;
};

/* Stages whose time is reported at the end. */
enum rc_solve_stage {
    RC_STAGE_LABELS,
    RC_STAGE_READ,
    RC_STAGE_NOISE,
    RC_STAGE_REPRESENT,
    RC_STAGE_CROSS,
    RC_STAGE_JOINT,
    RC_STAGE_CHOOSE,
    RC_STAGE_FIT,
    RC_STAGE_WRITE,
    RC_STAGE_COUNT
};
extern const char *const rc_solve_stage_names[];

struct rc_solve_presets;
struct rc_solve_joint;

/* A kind of machine while it is solved.  The caller sets the first seven; the rest is
 * rc_solve_kind_init()'s, and goes with rc_solve_kind_fini().
 */
struct rc_solve_kind {
    struct rc_error *err; /* where functions that take the kind report failures */
    const struct rc_solving *how;
    const struct rc_definitions *definitions;
    struct rc_store *store;
    struct rc_solve_presets *presets;
    bool selected;         /* the campaign left out events of the machine on purpose */
    size_t number;         /* in the store */
    struct rc_arena arena; /* memory that lives as long as the kind, with its texts */
    struct rc_arena step;  /* memory that lives until the present step ends (kind.c) */
    struct rc_pool *pool;  /* of names of events and sources */
    const struct rc_store_kind *labels;
    struct rc_grid grid;
    struct rc_columns layout; /* of the events, one row */
    const char **name;        /* of local events */
    const char **source_name; /* of local events; interned */
    uint8_t *verdict;         /* of local events: enum rc_verdict */
    bool *state;              /* of local events: it does not count */
    bool has_states;          /* any event of any rank */
    struct rc_solve_suite *suite;
    size_t count;                   /* suites */
    struct rc_solve_joint *joint;   /* joint.h; NULL: there is none */
    double seconds[RC_STAGE_COUNT]; /* of this rank */
    bool incomplete;                /* events that count have no valid readings */
};

/* The reason of a state, and that of all events in a compiled suite, are the last ones,
 * and absent where there are none.
 */
static inline uint32_t rc_why_state(const struct rc_solve_kind *k)
{
    return RC_WHY_SUITE + (uint32_t)k->count;
}
static inline uint32_t rc_why_compiled(const struct rc_solve_kind *k)
{
    return rc_why_state(k) + k->has_states;
}

/* As rc_agree(), for all ranks of the solve; the second fails, too, if memory for
 * 'what' was missing in an arena of the kind.
 */
static inline int rc_solve_agree(const struct rc_solve_kind *k, int status)
{
    return rc_agree(k->how->comm, status, k->err);
}
static inline int rc_solve_agree_room(const struct rc_solve_kind *k, int status,
                                      const char *what)
{
    if (status == RC_OK)
        status = rc_arena_check(k->arena.failed ? &k->arena : &k->step, k->err, what);
    return rc_solve_agree(k, status);
}

/* kind.c: collective.  Call rc_solve_kind_fini() after init(), even if that failed. */
int rc_solve_kind_init(struct rc_solve_kind *k);
int rc_solve_kind_work(struct rc_solve_kind *k);
void rc_solve_kind_fini(struct rc_solve_kind *k);

/* basis.c: a text that lives as long as the kind; "" where there is no memory, which
 * the next check of the arena reports.
 */
const char *rc_solve_words(struct rc_solve_kind *k, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* basis.c: the basis of a suite for each of its sources; not collective, the
 * same on every rank.
 */
int rc_solve_basis(struct rc_solve_kind *k, struct rc_solve_suite *s);

/* Adds a remark for readers of the suite's tables; 'text' lives as long as the kind.
 * At most RC_SOLVE_REMARKS in all, and one for each source and rate.
 */
enum { RC_SOLVE_REMARKS = 9 };
void rc_solve_remark(struct rc_solve_suite *s, const char *text);

/* The definition of a suite in the files, else one with defaults and no metrics. */
const struct rc_suite_definition *
rc_solve_definition(const struct rc_definitions *definitions, const char *suite);

/* Index of a word in a list, or 'count'. */
size_t rc_solve_find(const char *const *list, size_t count, const char *word);

/* The range in which an ideal is known to be on a point of a suite; and its exact
 * value, or NAN.
 */
struct rc_range rc_solve_range(const struct rc_solve_suite *s, const char *ideal,
                               size_t point);
double rc_solve_ideal(const struct rc_solve_suite *s, const char *ideal, size_t point);

/* read.c: collective; noises, means and first classes */
int rc_solve_read(struct rc_solve_kind *k, struct rc_solve_suite *s);

/* read.c: collective; the threshold of noise, and the class of events above it */
int rc_solve_threshold(struct rc_solve_kind *k, struct rc_solve_suite *s);

/* The readings of one event in a suite: [vector][point], kept until the step ends.
 * 'source' is its number in the suite.  Not collective.
 */
int rc_solve_vectors(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                     size_t event, size_t source, double **vector, size_t *count);

/* Number of a source in a suite; source_count where it has no such one. */
size_t rc_solve_source_number(const struct rc_solve_suite *s, const char *name);

/* reading_overhead.c: subtracts from the coordinates 'x' the constant that every
 * reading adds; 'overhead' is what a constant of 1 looks like.  'room' holds 'count'
 * items.
 */
struct rc_solve_overhead {
    double size, weight;
};
void rc_solve_subtract_overhead(double *x, const double *overhead, size_t count,
                                struct rc_solve_overhead *room);

/* choose.c: collective; readings become coordinates */
int rc_solve_represent(struct rc_solve_kind *k, struct rc_solve_suite *s);

/* choose.c: not collective; which events are pure by all suites */
int rc_solve_cross_check(struct rc_solve_kind *k, struct rc_solve_suite *s);

/* choose.c: collective; the pivots, and the range of alpha that gives the same ones */
int rc_solve_choose(struct rc_solve_kind *k, struct rc_solve_suite *s);

/* The largest relative error that a pure event may have on other suites. */
double rc_solve_event_purity(const struct rc_solve_suite *s, size_t local);

/* Whether the definition says that the ideal is known only approximately. */
bool rc_solve_is_loose(const struct rc_solve_suite *s, const char *ideal);

/* choose.c: an event's means on the points of a suite.  Returns 'zero', which holds a 0
 * for each point, if the event counts nothing there; NULL if it was not measured.
 */
const double *rc_solve_counted(const struct rc_solve_suite *s, size_t local,
                               const double *zero);

/* explain.c: not collective; after all suites were cross-examined.  Events that only
 * seem to count the suite's ideals become impure.
 */
int rc_solve_explain(struct rc_solve_kind *k, size_t suite);

/* metrics.c, formulas.c: collective; the metrics of a suite; and then, for all suites,
 * those that are formulas of others
 */
int rc_solve_metrics(struct rc_solve_kind *k, struct rc_solve_suite *s);
int rc_solve_formulas(struct rc_solve_kind *k);

/* implied.c: collective, after all metrics; the metrics whose values on the points of a
 * user's kernel follow from its counts
 */
int rc_solve_implied(struct rc_solve_kind *k);

/* rates/values.c: collective, after all metrics; the rates are on rank 0 */
int rc_solve_rates(struct rc_solve_kind *k);

/* rates/show.c: a line for each rate of a suite, with 'all' also for those that are left
 * out, which are remarks of its table, too
 */
struct rc_page;
void rc_solve_show_rates(struct rc_page *page, const struct rc_solve_suite *s,
                         bool all);

/* contradict.c: collective, after metrics() and before formulas(); contradicts metrics
 * that break a tree or a law
 */
int rc_solve_contradict(struct rc_solve_kind *k);

/* reference.c, for suites whose ideal is a clock: before the choice, which local events
 * are that clock (not collective); after the fit, the verdicts of metrics (collective).
 */
void rc_solve_reference_events(struct rc_solve_kind *k, struct rc_solve_suite *s);
int rc_solve_reference_metrics(struct rc_solve_kind *k, struct rc_solve_suite *s);

/* presets.c: collective.  The presets of the library at hand are asked for once;
 * then their events are found among those of a kind, and each suite is checked.
 */
int rc_solve_presets_open(MPI_Comm comm, struct rc_solve_presets **out,
                          struct rc_error *err);
void rc_solve_presets_close(struct rc_solve_presets *presets); /* accepts NULL */
void rc_solve_presets_find(const struct rc_solve_kind *k);     /* not collective */
int rc_solve_check_presets(struct rc_solve_kind *k,
                           struct rc_solve_suite *s); /* the outcome is on rank 0 */

/* share_means.c: collective.  The means of some events on all suites, on every rank:
 * [event][suite] gives NULL or [point] per iteration.  The step's arena has them.
 */
struct rc_solve_means {
    double **mean; /* [event * suites + suite] */
    double *noise; /* likewise; 0 where there is no mean */
};
int rc_solve_share_means(struct rc_solve_kind *k, const size_t *event, size_t events,
                         struct rc_solve_means *out);

/* The names of events, and of their sources ('source' may be NULL), in the kind's pool,
 * on every rank.
 */
int rc_solve_names(struct rc_solve_kind *k, const size_t *event, size_t count,
                   const char **name, const char **source);

/* equivalents.c: collective.  Finds, for many requests at once, the pure events whose
 * ideals are 'x' within alpha, without the event 'self'.  The lists hold the first
 * RC_EQUIVALENTS_MAX of them in order, and 'all' counts every one.  With 'told', events
 * that no other suite could try are not listed but counted in 'untold'.  The lists are
 * in the kind's arena and are set on success only.
 */
struct rc_solve_equivalents {
    const double *x; /* [ideal] */
    size_t self;     /* SIZE_MAX: none */
    bool told;       /* list only events that another suite could try */
    /* [joint ideal] or NULL: events with other joint coordinates are left out. */
    const double *joint;
    const size_t *event;
    const char *const *name;
    size_t count, all, untold;
};
int rc_solve_equivalents(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                         struct rc_solve_equivalents *others, size_t count);

#endif
