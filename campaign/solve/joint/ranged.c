/* Solves events over the points of all suites, by what is known of caches and memory.
 *
 * On some points a suite knows the count of a loose ideal, on others a range, on the
 * rest nothing.  The search looks for the fewest families of loose ideals, at most
 * three, that explain an event up to noise on all points where something is known.
 * Weighted least squares use the middles of ranges, and half their widths as errors of
 * the readings; readings with a part of which nothing is known are not used.  Real
 * caches differ from the formulas: the search takes the smallest of several steps of
 * difference that suffices, and the event's coordinates stay in doubt by it.  See
 * docs/solve.md.
 */
#include "campaign/solve/joint/joint_parts.h"

#include "kernels/ideal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FAMILIES = 5,
    FAMILIES_MOST = 3, /* in one event */
    SETS = 8,          /* sets of points that are kept */
    PASSES = 8,
    COLUMNS_MOST = 20, /* of one event, before the last choice */
};

static const char *const families[FAMILIES] = {"branch", "dcache", "dcache-write",
                                               "icache", "memory"};

/* How far loose ideals may be off the formulas. */
static const double misfits[] = {0, 3e-3, 1e-2, 3e-2, 1e-1};
enum { MISFITS = sizeof misfits / sizeof *misfits };

/* Counts that the code around a kernel adds to a reading, in the event's unit: their
 * standard deviation, and the most.
 */
static const double rest_floor = 20;
static const double rest_most = 60;
static const double left_most = 1.5;  /* left of readings, in units of their errors */
static const double deviations = 4;   /* by which a single reading may be off */
static const double dependent = 1e-7; /* a column with a smaller rest is not new */
static const double significant = 16; /* squared deviations that a part must have */
static const double square_prior = 2,
                    free_prior = 8; /* as solve/algebra/coordinates.c */
static const double hopeless = 5; /* left by all columns: more than can be explained */
static const double nearly = 0.1; /* known nearly: half of a range, by its middle */
static const double told_least = 1e-4;  /* squared share that is left of a new column */
static const double undetermined = 0.1; /* deviation, by the largest part: not known */

/* The points of one source in some of the joined suites, and the ideals there in counts
 * of a reading.
 */
struct set {
    const char *source;
    uint64_t suites;
    size_t points;
    bool tells; /* it tells the exact ideals apart, and from the constant of readings */
    struct at *at;
    /* [ideal][point]; 'middle' has [sum][point] after these, 'half' is INFINITY where
     * nothing is known.
     */
    double *middle, *half;
    /* [point]: bits of the families with an ideal that is not known there at all; that
     * is not known nearly; that is not known exactly.
     */
    unsigned *blocked, *open, *ranged;
    double *value, *noise; /* [point] of the event at hand */
    double *left;          /* [point] the value without the ideals that are known */
    double *more;          /* [point]: errors other than noise, standard deviation */
};

struct ranged {
    struct rc_arena arena;
    unsigned *family; /* [ideal]: the bit of its family, 0 of an exact one */
    unsigned all;     /* those that this machine has */
    struct set set[SETS];
    size_t sets;
    double *x, *deviation, *own; /* [column]: room for a fit */
    size_t *index;               /* [column]: its ideal, or ideals + its sum */
    double *was;                 /* [ideal] coordinates that are known beforehand */
    double *normal, *row;        /* normal equations; [column] scratch for these */
    bool *taken;                 /* [column] */
    double *sum;          /* [sum][ideal]: metrics that are more than one ideal */
    unsigned *sum_family; /* [sum] */
    size_t sums;
    size_t *nonzero; /* [column]: of a row */
    double *matrix;  /* [column][point] */
    struct found *found;
};

/* A solution of an event. */
struct found {
    double *x, *deviation; /* [ideal] */
    double rest, noise, spread, doubt;
};

/* Lists the sums of ideals that metrics ask for.  They are candidates, too, since the
 * parts of a difference, one by one, may explain nothing.
 */
static int list_sums(struct maker *m)
{
    const struct rc_solve_joint *j = m->j;
    struct ranged *r = m->ranged;
    size_t all = 0;
    bool told;

    for (size_t t = 0; t < m->joined; t++)
        all += m->suite[t]->definition->metric_count;
    r->sum = rc_arena_array(&r->arena, all * j->ideals, sizeof *r->sum);
    r->sum_family = rc_arena_array(&r->arena, all, sizeof *r->sum_family);
    const int status = rc_arena_check(&r->arena, m->k->err, "the points of all suites");
    for (size_t t = 0; status == RC_OK && t < m->joined; t++)
        for (size_t i = 0; i < m->suite[t]->definition->metric_count; i++) {
            const struct rc_metric_definition *d = &m->suite[t]->definition->metric[i];
            double *x = r->sum + r->sums * j->ideals;
            size_t terms = 0, same = 0;
            memset(x, 0, j->ideals * sizeof *x);
            r->sum_family[r->sums] = 0;
            if (d->formula[0] || !rc_solve_joint_signature(m->suite[t], j, d, x, &told))
                continue;
            for (size_t q = 0; q < j->ideals; q++)
                if (x[q] != 0) {
                    terms++;
                    r->sum_family[r->sums] |= r->family[q];
                }
            while (memcmp(r->sum + same * j->ideals, x, j->ideals * sizeof *x) != 0)
                same++;
            r->sums += terms > 1 && same == r->sums;
        }
    return status;
}

int rc_ranged_open(struct maker *m)
{
    const struct rc_solve_joint *j = m->j;
    struct ranged *r = m->ranged = rc_calloc(1, sizeof *r);
    size_t points = 0;

    if (!r)
        return rc_fail(m->k->err, RC_ENOMEM, "no memory for the points of all suites");
    r->family = rc_arena_array(&r->arena, j->ideals, sizeof *r->family);
    r->x = rc_arena_array(&r->arena, j->ideals + 1, sizeof *r->x);
    r->deviation = rc_arena_array(&r->arena, j->ideals + 1, sizeof *r->deviation);
    r->own = rc_arena_array(&r->arena, j->ideals + 1, sizeof *r->own);
    r->was = rc_arena_array(&r->arena, j->ideals, sizeof *r->was);
    for (size_t t = 0; t < m->joined; t++)
        points += m->suite[t]->labels->point_count;
    r->matrix = rc_arena_array(&r->arena, j->ideals * points, sizeof *r->matrix);
    r->found = rc_arena_array(&r->arena, 2, sizeof *r->found);
    for (size_t i = 0; i < 2 && r->found; i++) {
        r->found[i].x = rc_arena_array(&r->arena, j->ideals, sizeof *r->x);
        r->found[i].deviation = rc_arena_array(&r->arena, j->ideals, sizeof *r->x);
    }
    int status = rc_arena_check(&r->arena, m->k->err, "the points of all suites");
    for (size_t q = j->exact; status == RC_OK && q < j->ideals; q++)
        for (unsigned f = 0; f < FAMILIES; f++)
            if (strcmp(families[f], rc_ideal_suite(rc_ideal_find(j->ideal[q]))) == 0)
                r->all |= r->family[q] = 1U << f;
    if (status != RC_OK || (status = list_sums(m)) != RC_OK)
        return status;
    const size_t columns = j->ideals + r->sums + 2;
    r->index = rc_arena_array(&r->arena, columns, sizeof *r->index);
    r->normal = rc_arena_array(&r->arena, columns * columns, sizeof *r->normal);
    r->row = rc_arena_array(&r->arena, columns, sizeof *r->row);
    r->nonzero = rc_arena_array(&r->arena, columns, sizeof *r->nonzero);
    r->taken = rc_arena_array(&r->arena, columns, sizeof *r->taken);
    return rc_arena_check(&r->arena, m->k->err, "the points of all suites");
}

void rc_ranged_close(struct maker *m)
{
    struct ranged *r = m->ranged;

    if (!r)
        return;
    rc_arena_free(&r->arena);
    free(r);
    m->ranged = NULL;
}

/* s->noise is how far two vectors of readings differ, relative to their mean over all
 * points, which is small if an event counts on few points.  The result is relative to
 * the norm of the readings.
 */
double rc_joint_noise(const struct maker *m, const struct rc_solve_suite *s,
                      size_t local, double *own)
{
    const double rounded = 0.5; /* of the difference, squared */
    const size_t points = s->labels->point_count;
    const size_t source = rc_solve_source_number(s, m->k->source_name[local]);
    const uint64_t *n = s->labels->iterations + source * points;
    double sum = 0, grain = 0;

    *own = 0;
    if (s->row[local] == SIZE_MAX || !(s->noise[local] > 0))
        return 0;
    const double *mean = s->mean + s->row[local] * points;
    for (size_t p = 0; p < points; p++) {
        sum += mean[p];
        grain += n[p] > 0 ? rounded / ((double)n[p] * (double)n[p]) : 0;
    }
    const double differ = s->noise[local] * sum, norm = rc_norm(mean, points);
    const double square = differ * differ / (double)points;
    *own = square > grain ? sqrt((square - grain) / 2) / norm : 0;
    return sqrt(square / 2) / norm;
}

static bool knows_exact(const struct maker *m, const struct rc_solve_suite *s,
                        size_t point)
{
    for (size_t q = 0; q < m->j->exact; q++)
        if (!isfinite(rc_solve_ideal(s, m->j->ideal[q], point)))
            return false;
    return true;
}

static int fill_set(struct maker *m, struct set *set)
{
    const struct rc_solve_joint *j = m->j;
    struct rc_arena *arena = &m->ranged->arena;
    size_t all = 0;

    for (size_t t = 0; t < m->joined; t++)
        all += set->suites >> t & 1 ? m->suite[t]->labels->point_count : 0;
    set->at = rc_arena_array(arena, all, sizeof *set->at);
    set->middle =
        rc_arena_array(arena, all * (j->ideals + m->ranged->sums), sizeof *set->middle);
    set->half = rc_arena_array(arena, all * j->ideals, sizeof *set->half);
    set->blocked = rc_arena_array(arena, all, sizeof *set->blocked);
    set->open = rc_arena_array(arena, all, sizeof *set->open);
    set->ranged = rc_arena_array(arena, all, sizeof *set->ranged);
    set->value = rc_arena_array(arena, all, sizeof *set->value);
    set->noise = rc_arena_array(arena, all, sizeof *set->noise);
    set->left = rc_arena_array(arena, all, sizeof *set->left);
    set->more = rc_arena_array(arena, all, sizeof *set->more);
    const int status = rc_arena_check(arena, m->k->err, "the points of all suites");
    if (status != RC_OK)
        return status;
    for (size_t t = 0; t < m->joined; t++) {
        const struct rc_solve_suite *s = m->suite[t];
        const size_t points = s->labels->point_count;
        const size_t source = rc_solve_source_number(s, set->source);
        if (!(set->suites >> t & 1) || source == s->labels->source_count)
            continue;
        for (size_t p = 0; p < points; p++) {
            const double n = (double)s->labels->iterations[source * points + p];
            if (n > 0 && knows_exact(m, s, p))
                set->at[set->points++] = (struct at){s, p, n};
        }
    }
    for (size_t q = 0; q < j->ideals; q++)
        for (size_t p = 0; p < set->points; p++) {
            const struct at *at = &set->at[p];
            const struct rc_range range =
                rc_solve_range(at->suite, j->ideal[q], at->point);
            const bool known = isfinite(range.high);
            set->middle[q * set->points + p] =
                known ? (range.low + range.high) / 2 * at->iterations : 0;
            const double half = known ? (range.high - range.low) / 2 : INFINITY;
            set->half[q * set->points + p] = half * at->iterations;
            set->blocked[p] |= known ? 0 : m->ranged->family[q];
            set->open[p] |=
                !known || half > nearly * (range.low + half) ? m->ranged->family[q] : 0;
            set->ranged[p] |= half > 0 ? m->ranged->family[q] : 0;
        }
    for (size_t i = 0; i < m->ranged->sums; i++)
        for (size_t q = 0; q < j->ideals; q++)
            for (size_t p = 0; p < set->points; p++)
                set->middle[(j->ideals + i) * set->points + p] +=
                    m->ranged->sum[i * j->ideals + q] *
                    set->middle[q * set->points + p];
    return RC_OK;
}

/* Lists the ideals that are columns of a fit: exact ones unless these are 'known', and
 * those of the families 'with'.
 */
static size_t list_columns(const struct maker *m, bool known, unsigned with)
{
    const struct rc_solve_joint *j = m->j;
    struct ranged *r = m->ranged;
    size_t count = 0;

    for (size_t q = 0; q < j->ideals; q++)
        if (r->family[q] ? r->family[q] & with : !known)
            r->index[count++] = q;
    return count;
}

static int create_joint(struct maker *m, const struct set *set, size_t columns,
                        struct rc_joint **out)
{
    struct ranged *r = m->ranged;

    for (size_t c = 0; c < columns; c++)
        memcpy(r->matrix + c * set->points, set->middle + r->index[c] * set->points,
               set->points * sizeof *r->matrix);
    const struct rc_joint_points points = {
        .points = set->points, .ideals = columns, .ideal = r->matrix};
    return rc_joint_create(&points, out, m->k->err);
}

static int open_set(struct maker *m, struct set *set)
{
    struct rc_joint *joint = NULL;
    int status = fill_set(m, set);

    if (status == RC_OK)
        status = create_joint(m, set, list_columns(m, false, 0), &joint);
    set->tells = joint != NULL;
    rc_joint_close(joint);
    return status;
}

static int find_set(struct maker *m, const char *source, uint64_t suites,
                    struct set **out)
{
    struct ranged *r = m->ranged;
    size_t i = 0;
    int status = RC_OK;

    while (i < r->sets && (r->set[i].source != source || r->set[i].suites != suites))
        i++;
    *out = i < SETS ? &r->set[i] : NULL;
    if (i == r->sets && i < SETS) {
        **out = (struct set){.source = source, .suites = suites};
        status = open_set(m, *out);
        r->sets++;
    }
    return status;
}

void rc_joint_fill(const struct maker *m, const struct at *at, size_t points,
                   size_t local, double *value, double *noise)
{
    const struct rc_solve_suite *before = NULL;
    double relative = 0, own;

    for (size_t p = 0; p < points; p++) {
        const struct rc_solve_suite *s = at[p].suite;
        const size_t row = s->row[local];
        if (s != before)
            relative = rc_joint_noise(m, s, local, &own);
        before = s;
        value[p] = row == SIZE_MAX
                       ? 0
                       : s->mean[row * s->labels->point_count + at[p].point] *
                             at[p].iterations;
        noise[p] = fmax(relative, JOINT_NOISE_LEAST) * value[p];
    }
}

/* Appends the sums of these ideals to the columns; if there are families, only sums
 * with a part in them.
 */
static size_t list_sums_of(const struct maker *m, bool known, unsigned with,
                           size_t columns)
{
    struct ranged *r = m->ranged;

    for (size_t i = 0; i < r->sums && !known; i++)
        if ((r->sum_family[i] & with) == r->sum_family[i] &&
            (r->sum_family[i] || !with))
            r->index[columns++] = m->j->ideals + i;
    return columns;
}

/* The unit of an event: its largest coordinate, at least 1, as some count in thousands.
 */
static double unit_of(const double *x, size_t count)
{
    double most = 1;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* The errors of a reading by its loose ideals: '*range' becomes the most by their
 * ranges, INFINITY where one is not known; returns the standard deviation by 'misfit'.
 */
static double off_by_ideals(const struct maker *m, const struct set *set, size_t p,
                            const double *x, double misfit, double *range)
{
    double square = 0;

    *range = 0;
    for (size_t q = m->j->exact; q < m->j->ideals; q++) {
        if (x[q] == 0)
            continue;
        const double part = misfit * x[q] * set->middle[q * set->points + p];
        square += part * part;
        *range += fabs(x[q]) * set->half[q * set->points + p];
    }
    return sqrt(square);
}

/* The part of a reading that coordinates and the constant do not explain. */
static double left_of(const struct maker *m, const struct set *set, size_t p,
                      const double *x, double rest)
{
    double left = set->value[p] - rest;

    for (size_t q = 0; q < m->j->ideals; q++)
        if (x[q] != 0)
            left -= x[q] * set->middle[q * set->points + p];
    return left;
}

/* True if coordinates with these deviations explain all readings of the suites from
 * number 'from' on, up to noise.
 */
static bool are_readings(const struct maker *m, const struct set *set, size_t from,
                         const double *x, const double *deviation, double rest,
                         double misfit)
{
    const double unit = unit_of(x, m->j->ideals);
    double square = 0;
    size_t count = 0;

    for (size_t p = 0; p < set->points; p++) {
        const struct at *at = &set->at[p];
        size_t t = 0;
        double range, doubt = 0;
        while (m->suite[t] != at->suite)
            t++;
        const double misfits_off = off_by_ideals(m, set, p, x, misfit, &range);
        if (t < from || isinf(range))
            continue;
        for (size_t q = 0; q < m->j->ideals && deviation; q++)
            if (deviation[q] > 0)
                doubt = hypot(doubt, deviation[q] * set->middle[q * set->points + p]);
        const double off = fabs(left_of(m, set, p, x, rest));
        const double own = hypot(hypot(set->noise[p], misfits_off), doubt);
        if (off > range + rest_most * unit + deviations * own)
            return false;
        const double beyond = fmax(off - range, 0) / hypot(own, rest_floor * unit);
        square += beyond * beyond;
        count++;
        if (p + 1 < set->points && set->at[p + 1].suite == at->suite)
            continue;
        if (square > left_most * left_most * (double)count)
            return false;
        square = 0;
        count = 0;
    }
    return true;
}

int rc_ranged_hold(struct maker *m, size_t local, double doubt, bool *holds)
{
    struct set *set;
    const int status = find_set(m, m->k->source_name[local], m->view[local].all, &set);

    *holds = false;
    if (status != RC_OK || !set)
        return status;
    rc_joint_fill(m, set->at, set->points, local, set->value, set->noise);
    *holds = are_readings(m, set, m->suites, m->x, doubt > 0 ? m->deviation : NULL,
                          m->rest, 0);
    return RC_OK;
}

/* Sets set->more for the coordinates x.  INFINITY leaves a point out: where an ideal of
 * the families 'with' is not known, or, before there are coordinates ('first'), where
 * one is not known nearly.
 */
static void put_more(const struct maker *m, struct set *set, unsigned with,
                     const double *x, bool first, double misfit)
{
    const double unit = unit_of(x, m->j->ideals);

    for (size_t p = 0; p < set->points; p++) {
        double range = 0, off = misfit * fabs(set->left[p]);
        if (!first)
            off = off_by_ideals(m, set, p, x, misfit, &range);
        else if (set->ranged[p] & with)
            range = nearly * fabs(set->left[p]);
        set->more[p] = (first ? set->open[p] : set->blocked[p]) & with
                           ? INFINITY
                           : sqrt(range * range + off * off +
                                  rest_floor * rest_floor * unit * unit);
    }
}

/* Fills in the weighted normal equations: the columns that may be chosen, the constant
 * of readings, and the readings last.  All but the readings are scaled to norm 1.
 */
static void fill_normal(const struct maker *m, const struct set *set, size_t columns)
{
    struct ranged *r = m->ranged;
    const size_t n = columns + 2;

    memset(r->normal, 0, n * n * sizeof *r->normal);
    for (size_t p = 0; p < set->points; p++) {
        const double weight =
            1 / sqrt(set->more[p] * set->more[p] + set->noise[p] * set->noise[p]);
        if (!(weight > 0))
            continue;
        for (size_t c = 0; c < columns; c++)
            r->row[c] = weight * set->middle[r->index[c] * set->points + p];
        r->row[columns] = weight;
        r->row[columns + 1] = weight * set->left[p];
        size_t nonzero = 0;
        for (size_t a = 0; a < n; a++)
            if (r->row[a] != 0)
                r->nonzero[nonzero++] = a;
        for (size_t a = 0; a < nonzero; a++)
            for (size_t b = 0; b <= a; b++)
                r->normal[r->nonzero[a] * n + r->nonzero[b]] +=
                    r->row[r->nonzero[a]] * r->row[r->nonzero[b]];
    }
    for (size_t a = 0; a < n; a++)
        r->row[a] = a <= columns && r->normal[a * n + a] > 0
                        ? 1 / sqrt(r->normal[a * n + a])
                        : 1;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++)
            r->normal[b * n + a] = r->normal[a * n + b] *= r->row[a] * r->row[b];
}

/* Removes from all other columns their part along one column. */
static void sweep(double *normal, size_t n, size_t at)
{
    const double pivot = normal[at * n + at];

    for (size_t a = 0; a < n; a++) {
        const double share = a == at ? 0 : normal[a * n + at] / pivot;
        for (size_t b = 0; b < n && share != 0; b++)
            if (b != at)
                normal[a * n + b] -= share * normal[at * n + b];
    }
    for (size_t a = 0; a < n; a++)
        normal[a * n + at] = normal[at * n + a] = 0;
}

/* Sweeps a column, or each ideal of a sum; returns how many of these are new. */
static size_t sweep_ideals(struct maker *m, size_t ideals, size_t n, size_t at)
{
    struct ranged *r = m->ranged;
    const size_t sum = r->index[at] - m->j->ideals;
    size_t count = 0;

    for (size_t c = 0; c < ideals; c++)
        if ((c == at ||
             (at >= ideals && r->sum[sum * m->j->ideals + r->index[c]] != 0)) &&
            !r->taken[c] && r->normal[c * n + c] > dependent) {
            sweep(r->normal, n, c);
            r->taken[c] = true;
            count++;
        }
    return count;
}

/* Chooses the columns that readings need: takes the column or sum that leaves the
 * least, then the next, until only noise is left, and goes further while that leaves
 * clearly less.  Returns their number, and r->index becomes their list; SIZE_MAX: no
 * columns come near the readings.  'lean': exact ideals are taken only as parts of
 * sums.
 */
static size_t choose_columns(struct maker *m, const struct set *set, size_t ideals,
                             size_t columns, bool lean)
{
    struct ranged *r = m->ranged;
    const size_t n = columns + 2, rhs = columns + 1;
    double *normal = r->normal, points = 0;
    size_t count = 0;

    fill_normal(m, set, columns);
    for (size_t p = 0; p < set->points; p++)
        points += !isinf(set->more[p]);
    memset(r->taken, 0, columns * sizeof *r->taken);
    sweep(normal, n, columns);
    while (count < COLUMNS_MOST) {
        double best = 0;
        size_t at = columns, more;
        for (size_t c = 0; c < columns; c++) {
            const double own = normal[c * n + c];
            const bool exact = c < ideals && r->family[r->index[c]] == 0;
            if ((c < ideals && r->taken[c]) || (lean && exact) || !(own > dependent))
                continue;
            const double less = normal[c * n + rhs] * normal[c * n + rhs] / own;
            if (less > best) {
                best = less;
                at = c;
            }
        }
        const double free = points - (double)count - 2 + free_prior;
        const double left = normal[rhs * n + rhs] + square_prior;
        if (at == columns ||
            (left <= left_most * left_most * free &&
             best * free < significant * (left - best)) ||
            (more = sweep_ideals(m, ideals, n, at)) == 0)
            break;
        count += more;
    }
    if (normal[rhs * n + rhs] > hopeless * hopeless * points)
        return SIZE_MAX;
    count = 0;
    for (size_t c = 0; c < ideals; c++)
        if (r->taken[c])
            r->index[count++] = r->index[c];
    return count;
}

/* Solves for coordinates on these columns, several times, since the errors of readings
 * depend on the coordinates.
 */
static struct rc_joint_fit iterate(struct maker *m, struct set *set,
                                   struct rc_joint *joint, size_t columns,
                                   double misfit, struct found *out)
{
    struct ranged *r = m->ranged;
    struct rc_joint_fit fit = {.left = INFINITY};

    for (int pass = 0; pass < PASSES; pass++) {
        double change = 0, most = 0;
        fit = rc_joint_solve(joint,
                             &(struct rc_joint_readings){.value = set->left,
                                                         .noise = set->noise,
                                                         .more = set->more},
                             r->x);
        if (!(fit.left < INFINITY))
            break;
        for (size_t c = 0; c < columns; c++) {
            change = fmax(change, fabs(r->x[c] - out->x[r->index[c]]));
            most = fmax(most, fabs(r->x[c]));
            out->x[r->index[c]] = r->x[c];
        }
        if (pass > 0 && change < 1e-4 * most)
            break;
        put_more(m, set, 0, out->x, false, misfit);
    }
    return fit;
}

/* Rounds the coordinates of a fit as far as their deviations allow.  False: a part of
 * caches is not determined.
 */
static bool settle(struct maker *m, struct rc_joint *joint, size_t columns,
                   double misfit, const struct rc_joint_fit *fit, struct found *out)
{
    struct ranged *r = m->ranged;
    const double left = fmax(fit->left, 0.1);
    double most = 0;

    for (size_t c = 0; c < columns; c++)
        most = fmax(most, fabs(r->x[c]));
    memset(out->deviation, 0, m->j->ideals * sizeof *out->deviation);
    out->spread = out->doubt = 0;
    for (size_t c = 0; c < columns; c++) {
        const bool loose = r->family[r->index[c]] != 0;
        r->own[c] = loose ? misfit * fabs(r->x[c]) : 0;
        if (loose && fit->deviation[c] * left > undetermined * most)
            return false;
        out->spread = fmax(out->spread, hypot(fit->deviation[c] * left, r->own[c]));
    }
    r->own[columns] = 0;
    const bool snapped = rc_joint_snap(joint, left, r->own, r->x, r->deviation);
    out->rest = r->x[columns];
    for (size_t c = 0; c < columns; c++) {
        const size_t q = r->index[c];
        const double own =
            snapped ? r->deviation[c] : hypot(fit->deviation[c] * left, r->own[c]);
        out->x[q] = fabs(r->x[c]) < 3 * own ? 0 : r->x[c];
        out->deviation[q] = own;
        out->doubt = fmax(out->doubt, own);
    }
    out->noise = fit->noise;
    return true;
}

/* True if each column without a part in the event occurs on the points in use, and is
 * not a sum of the event's columns there: else the event may have it, too (m->untold).
 */
static bool are_told(struct maker *m, const struct set *set, bool known, unsigned with,
                     const struct found *out)
{
    struct ranged *r = m->ranged;
    const size_t columns = list_columns(m, known, with), n = columns + 2;

    fill_normal(m, set, columns);
    sweep(r->normal, n, columns);
    for (size_t c = 0; c < columns; c++)
        if (out->x[r->index[c]] != 0 && r->normal[c * n + c] > dependent)
            sweep(r->normal, n, c);
    for (size_t c = 0; c < columns; c++)
        if (out->x[r->index[c]] == 0 && !(r->normal[c * n + c] > told_least)) {
            m->untold = r->index[c];
            return false;
        }
    return true;
}

/* Chooses columns and finds coordinates for them.  '*fits' is set to true if these have
 * a part of each family 'with', explain the readings, and are told apart from others.
 */
static int fit_chosen(struct maker *m, struct set *set, bool known, unsigned with,
                      bool lean, double misfit, struct found *out, bool *fits)
{
    struct ranged *r = m->ranged;
    const size_t ideals = list_columns(m, known, with);
    const size_t chosen =
        choose_columns(m, set, ideals, list_sums_of(m, known, with, ideals), lean);
    struct rc_joint *joint = NULL;
    unsigned parts = 0;
    int status = RC_OK;

    for (size_t c = 0; c < chosen && chosen != SIZE_MAX; c++)
        parts |= r->family[r->index[c]];
    if (chosen != SIZE_MAX && parts == with)
        status = create_joint(m, set, chosen, &joint);
    if (status != RC_OK || !joint)
        return status;
    memcpy(out->x, r->was, m->j->ideals * sizeof *out->x);
    const struct rc_joint_fit fit = iterate(m, set, joint, chosen, misfit, out);
    *fits = fit.left <= left_most && settle(m, joint, chosen, misfit, &fit, out) &&
            are_readings(m, set, 0, out->x, out->deviation, out->rest, misfit) &&
            are_told(m, set, known, with, out);
    rc_joint_close(joint);
    return RC_OK;
}

/* Rounds that are tried one after the other.  LEAN and STRICT use points where all
 * ideals are nearly known, LEAN with exact ideals only as parts of sums; ALL uses every
 * point where something is known.
 */
enum { LEAN, STRICT, ALL };

/* Tries to explain an event by the families 'with', and by the exact ideals unless
 * these are 'known'.  '*fits': only noise is left, and each family has a part.
 */
static int fit_families(struct maker *m, struct set *set, bool known, unsigned with,
                        double misfit, struct found *out, bool *fits)
{
    struct ranged *r = m->ranged;
    int status = RC_OK;

    *fits = false;
    memcpy(out->x, r->was, m->j->ideals * sizeof *out->x);
    for (int round = with && !known ? LEAN : STRICT;
         round <= ALL && status == RC_OK && !*fits; round++) {
        put_more(m, set, with, round == LEAN ? r->was : out->x, round < ALL, misfit);
        status = fit_chosen(m, set, known, with, round == LEAN, misfit, out, fits);
    }
    return status;
}

static bool is_other(struct maker *m, const struct found *a, const struct found *b)
{
    for (size_t q = 0; q < m->j->ideals; q++)
        if (fabs(a->x[q] - b->x[q]) >
            1e-9 + 3 * hypot(a->deviation[q], b->deviation[q])) {
            m->untold = q;
            return true;
        }
    return false;
}

/* True if the families come near the readings on points where all their ideals are
 * nearly known, with the largest difference from the formulas.
 */
static bool is_hopeful(struct maker *m, struct set *set, bool known, unsigned with)
{
    struct ranged *r = m->ranged;
    const size_t columns = list_columns(m, known, with), n = columns + 2;
    double used = 0;

    put_more(m, set, with, r->was, true, misfits[MISFITS - 1]);
    fill_normal(m, set, columns);
    for (size_t c = columns + 1; c-- > 0;)
        if (r->normal[c * n + c] > dependent)
            sweep(r->normal, n, c);
    for (size_t p = 0; p < set->points; p++)
        used += !isinf(set->more[p]);
    return r->normal[n * n - 1] <= hopeless * hopeless * used;
}

/* Searches for the fewest families that suffice; '*doubt' is NAN if none do, or if
 * several do with different coordinates.
 */
static int search(struct maker *m, struct set *set, bool known, double *doubt)
{
    struct ranged *r = m->ranged;
    const size_t ideals = m->j->ideals;
    struct found *first = &r->found[0], *other = &r->found[1];
    unsigned hopeful[1 << FAMILIES];
    size_t hopefuls = 0;
    int status;

    *doubt = NAN;
    for (size_t p = 0; p < set->points; p++)
        set->left[p] = left_of(m, set, p, r->was, 0);
    for (int count = 0; count <= FAMILIES_MOST; count++)
        for (unsigned f = 0; f < 1 << FAMILIES; f++)
            if ((f & r->all) == f && __builtin_popcount(f) == count &&
                is_hopeful(m, set, known, f))
                hopeful[hopefuls++] = f;
    for (size_t i = 0; i < MISFITS; i++)
        for (size_t at = 0, next; at < hopefuls; at = next) {
            const int count = __builtin_popcount(hopeful[at]);
            bool found = false;
            for (next = at;
                 next < hopefuls && __builtin_popcount(hopeful[next]) == count;
                 next++) {
                struct found *to = found ? other : first;
                bool fits;
                if (count == 0 && i > 0)
                    continue;
                if ((status = fit_families(m, set, known, hopeful[next], misfits[i], to,
                                           &fits)) != RC_OK)
                    return status;
                if (fits && found && is_other(m, first, to))
                    return RC_OK;
                found |= fits;
            }
            if (!found)
                continue;
            memcpy(m->x, first->x, ideals * sizeof *m->x);
            memcpy(m->deviation, first->deviation, ideals * sizeof *m->x);
            m->rest = first->rest;
            m->noise = first->noise;
            m->spread = first->spread;
            m->untold = SIZE_MAX;
            *doubt = first->doubt;
            return RC_OK;
        }
    return RC_OK;
}

int rc_ranged_solve(struct maker *m, size_t local, bool known, double *doubt)
{
    struct ranged *r = m->ranged;
    struct set *set;
    const int status = find_set(m, m->k->source_name[local], m->view[local].all, &set);

    *doubt = NAN;
    if (status != RC_OK || !set || (!known && !set->tells))
        return status;
    rc_joint_fill(m, set->at, set->points, local, set->value, set->noise);
    memset(r->was, 0, m->j->ideals * sizeof *r->was);
    for (size_t q = 0; q < m->j->exact && known; q++)
        r->was[q] = m->x[q];
    return search(m, set, known, doubt);
}
