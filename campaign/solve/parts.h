/* parts.h - what the files of the solve share among themselves
 *
 * A kind's events are dealt out to the ranks in blocks (solve/grid.h); each rank
 * reads, judges and represents its own, "local" ones.  What was chosen, and the
 * metrics, are the same on every rank.
 */
#ifndef RC_CAMPAIGN_SOLVE_PARTS_H
#define RC_CAMPAIGN_SOLVE_PARTS_H

#include "campaign/base/memory.h"
#include "campaign/solve/solve.h"
#include "io/store/store.h"
#include "solve/cross_check.h"
#include "solve/grid.h"
#include "solve/pivot.h"
#include "solve/represent.h"
#include "solve/result.h"

#include <stddef.h>
#include <stdint.h>

/* Why an event has its class or use: numbers in rc_suite_result.reason. */
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
    RC_WHY_COUNT,                                  /* then for each verdict: */
    RC_WHY_VERDICT = RC_WHY_COUNT,                 /* not measured since ... */
    RC_WHY_SUITE = RC_WHY_COUNT + RC_VERDICT_COUNT /* and for each suite: fails there */
};

/* The readings of one source in a suite. */
struct rc_solve_source {
    size_t *point; /* those that it measures and whose ideals are known */
    size_t points;
    size_t measured;       /* points that it measures */
    double *value;         /* the basis there, points x coordinates, by column */
    struct rc_basis basis; /* of it */
    const char *no_basis;  /* why events of this source have no representation */
    double *rest; /* the ideals that one count in each reading looks like, or NULL */
    struct rc_columns mean; /* points x events */
};

struct rc_solve_suite {
    size_t number;
    const struct rc_store_suite *labels;
    const struct rc_suite_definition *definition;
    struct rc_solve_source *source; /* as many as the store's suite has */
    double *ideal;                  /* [point][ideal of the basis], NAN: not known */
    const char **coordinate, **left_out;
    size_t ideals, coordinates, left_out_count;

    /* Of local events. */
    double *noise, *residual;
    struct rc_columns x; /* coordinates x events; NAN: there is no representation */
    uint8_t *event_class, *use, *tier;
    bool *loose;     /* one loose ideal, nearly */
    uint64_t *tried; /* the bits of those other suites that could say yes or no */
    uint32_t *reason;
    size_t *row;  /* in 'mean', or SIZE_MAX */
    double *mean; /* [row][point] per iteration, NAN: not measured */
    size_t rows, room;

    struct rc_pivot *pivot; /* room for 'ideals' */
    double *pivot_x;        /* ideals x pivots */
    double *pivot_all;      /* coordinates x pivots */
    bool *pivot_loose;
    size_t pure, chosen; /* the first 'pure' pivots, then completing ones */
    bool wanted;         /* its metrics are asked for, not only its points */
    size_t unread;       /* events that can be counted, with too few valid readings */
    struct rc_suite_result result;
};

enum rc_solve_stage {
    RC_STAGE_LABELS,
    RC_STAGE_READ,
    RC_STAGE_NOISE,
    RC_STAGE_REPRESENT,
    RC_STAGE_CROSS,
    RC_STAGE_CHOOSE,
    RC_STAGE_FIT,
    RC_STAGE_WRITE,
    RC_STAGE_COUNT
};
extern const char *const rc_solve_stage_names[];

struct rc_solve_presets;

struct rc_solve_kind {
    const struct rc_solving *how;
    const struct rc_definitions *definitions;
    struct rc_store *store;
    struct rc_solve_presets *presets;
    struct rc_pool *pool; /* of names and words of the results */
    size_t number;
    const struct rc_store_kind *labels;
    struct rc_grid grid;
    struct rc_columns layout; /* of the events, one row */
    const char **name;        /* of local events */
    const char **source_name; /* interned */
    uint8_t *verdict;
    struct rc_solve_suite *suite;
    size_t count;
    double seconds[RC_STAGE_COUNT];
    bool incomplete; /* events that count have no valid readings */
    bool selected;   /* the campaign left out events of the machine on purpose */
};

int rc_solve_no_memory(struct rc_error *err);
#ifdef __clang_analyzer__ /* it does not see by itself that this is not RC_OK */
#define rc_solve_no_memory(err) (rc_solve_no_memory(err), RC_ENOMEM)
#endif

/* kind.c: collective */
int rc_solve_kind_init(struct rc_solve_kind *k, struct rc_error *err);
int rc_solve_kind_work(struct rc_solve_kind *k, struct rc_error *err);
void rc_solve_kind_fini(struct rc_solve_kind *k);

/* basis.c: the basis of a suite for each of its sources; not collective, the
 * same on every rank.
 */
int rc_solve_basis(struct rc_solve_kind *k, struct rc_solve_suite *s,
                   struct rc_error *err);
void rc_solve_remark(struct rc_solve_kind *k, struct rc_solve_suite *s,
                     const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Index of a word in a list, or 'count'. */
size_t rc_solve_find(const char *const *list, size_t count, const char *word);

/* The values of an ideal on the points of a suite, NAN where it is not known. */
double rc_solve_ideal(const struct rc_solve_suite *s, const char *ideal, size_t point);

/* read.c: collective; noises, means and first classes */
int rc_solve_read(struct rc_solve_kind *k, struct rc_solve_suite *s,
                  struct rc_error *err);
int rc_solve_threshold(struct rc_solve_kind *k, struct rc_solve_suite *s,
                       struct rc_error *err);
/* The readings of one event in a suite: [vector][point], free() it.  'source' is its
 * number in the suite.  Not collective.
 */
int rc_solve_vectors(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                     size_t event, size_t source, double **vector, size_t *count,
                     struct rc_error *err);
/* Number of a source in a suite; source_count where it has no such one. */
size_t rc_solve_source_number(const struct rc_solve_suite *s, const char *name);

/* reading_overhead.c: takes off 'x' the constant rest that looks like 'rest' for each
 * count of a reading.  'room' holds 'count' items.
 */
struct rc_solve_overhead {
    double size, weight;
};
void rc_solve_subtract_overhead(double *x, const double *rest, size_t count,
                                struct rc_solve_overhead *room);

/* choose.c: collective */
int rc_solve_represent(struct rc_solve_kind *k, struct rc_solve_suite *s,
                       struct rc_error *err);
int rc_solve_cross_check(struct rc_solve_kind *k, struct rc_solve_suite *s,
                         struct rc_error *err); /* not collective */
/* explain.c: not collective; after all suites were cross-examined */
int rc_solve_explain(struct rc_solve_kind *k, size_t suite, struct rc_error *err);
double rc_solve_purity(const struct rc_solve_suite *s);
double rc_solve_event_purity(const struct rc_solve_suite *s, size_t local);
bool rc_solve_is_loose(const struct rc_solve_suite *s, const char *ideal);
int rc_solve_choose(struct rc_solve_kind *k, struct rc_solve_suite *s,
                    struct rc_error *err);

/* metrics.c, formulas.c: collective */
int rc_solve_metrics(struct rc_solve_kind *k, struct rc_solve_suite *s,
                     struct rc_error *err);
int rc_solve_formulas(struct rc_solve_kind *k, struct rc_error *err);

/* presets.c: collective.  The presets of the library at hand are asked for once;
 * then their events are found among those of a kind, and each suite is checked.
 */
struct rc_solve_presets;
int rc_solve_presets_open(MPI_Comm comm, struct rc_solve_presets **out,
                          struct rc_error *err);
void rc_solve_presets_close(struct rc_solve_presets *presets); /* accepts NULL */
void rc_solve_presets_find(const struct rc_solve_kind *k);     /* not collective */
int rc_solve_check_presets(struct rc_solve_kind *k, struct rc_solve_suite *s,
                           struct rc_error *err); /* the outcome is on rank 0 */

/* share_means.c: collective.  The means of some events on all suites, on every rank:
 * [event][suite] gives NULL or [point] per iteration.  rc_solve_means_fini() accepts a
 * zeroed one.
 */
struct rc_solve_means {
    size_t events, suites;
    double **mean; /* [event * suites + suite] */
    double *noise; /* likewise; 0 where there is no mean */
    double *data;
};
int rc_solve_share_means(struct rc_solve_kind *k, const size_t *event, size_t events,
                         struct rc_solve_means *out, struct rc_error *err);
void rc_solve_means_fini(struct rc_solve_means *means);

/* The names of events, and of their sources, in the kind's pool, on every rank. */
int rc_solve_names(struct rc_solve_kind *k, const size_t *event, size_t count,
                   const char **name, const char **source, struct rc_error *err);

/* equivalents.c: collective.  The pure events whose ideals are 'x' within alpha, but
 * for the event 'self', in order; at most RC_EQUIVALENTS_MAX of 'all'.  Asked for many
 * at once. The caller owns 'event' and 'name', which are set on success only.
 */
struct rc_solve_equivalents {
    const double *x; /* [ideal] */
    size_t self;     /* SIZE_MAX: none */
    size_t *event;
    const char **name;
    size_t count, all;
};
int rc_solve_equivalents(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                         struct rc_solve_equivalents *others, size_t count,
                         struct rc_error *err);

/* metrics.c: frees the arrays of chosen events and metrics */
void rc_solve_result_fini(struct rc_suite_result *result);

/* show.c: on rank 0 */
void rc_solve_show(const struct rc_solve_kind *k, FILE *out);

#endif
