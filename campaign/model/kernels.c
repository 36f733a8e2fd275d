/* Chooses the kernels that are modelled alone, and makes one of all others.
 *
 * A kernel is modelled alone where its share of the program's time reaches the threshold
 * at a point that was measured, or may reach it RC_MODEL_AHEAD times beyond: then by the upper
 * limit of its slope, of the logarithm of its time over that of a parameter, and a share
 * of LEAST is enough for one that does not fall with p.
 *
 * Some tools give a call path the time of the paths inside it, too.  These parts would
 * be counted twice in a sum, so each path keeps its own time only.
 */
#include "campaign/model/parts.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double LEAST = 0.01, FLAT = -0.1;
/* Children may exceed their parent by so much, and nest all the same: noise of clocks. */
static const double NESTED = 1.01;
/* The time of a kernel that holds the others: one of these has nearly all of it, and all
 * of these together have more than all of it.
 */
static const double NEARLY = 0.95, MORE = 1.05;
enum { TOLD = 10 }; /* readings, by which one kernel is told from a part of it */

size_t rc_model_main_metric(const struct rc_measured *m)
{
    size_t first = m->metrics;

    for (size_t i = m->metrics; i-- > 0;)
        if (m->metric[i].kind == RC_MEASURED_TIME)
            first = i;
    for (size_t i = m->metrics; i-- > 0;)
        if (m->metric[i].kind == RC_MEASURED_TIME &&
            strcmp(m->metric[i].name, RC_MODEL_TIME) == 0)
            first = i;
    return first < m->metrics ? first : 0;
}

size_t rc_model_find_series(const struct rc_measured *m, size_t kernel, size_t metric)
{
    for (size_t i = 0; i < m->series; i++)
        if (m->of[i].kernel == kernel && m->of[i].metric == metric)
            return i;
    return m->series;
}

size_t rc_model_find_parameter(const struct rc_measured *m, const char *name,
                               size_t bytes)
{
    for (size_t i = 0; i < m->parameters; i++)
        if (strlen(m->parameter[i]) == bytes &&
            strncmp(m->parameter[i], name, bytes) == 0)
            return i;
    return m->parameters;
}

size_t rc_model_find_processes(const struct rc_measured *m)
{
    static const char *const names[] = {"p",         "ranks", "processes", "procs",
                                        "mpi_ranks", "np",    "nprocs",    "nranks"};

    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t i = 0; i < m->parameters; i++)
            if (strcasecmp(m->parameter[i], names[n]) == 0)
                return i;
    return m->parameters;
}

double rc_model_mean(const struct rc_measured_series *s, size_t point)
{
    double sum = 0;

    for (size_t i = s->first[point]; i < s->first[point + 1]; i++)
        sum += s->value[i];
    return sum / (double)(s->first[point + 1] - s->first[point]); /* NAN: no reading */
}

/* [kernel][point] means of a metric, 0 where there are none; NULL: no memory. */
static double *means_of(const struct rc_measured *m, size_t metric)
{
    double *mean = rc_calloc(m->kernels * m->points, sizeof *mean);

    for (size_t i = 0; i < m->series && mean; i++)
        for (size_t p = 0; p < m->points && m->of[i].metric == metric; p++)
            if (m->of[i].first[p + 1] > m->of[i].first[p])
                mean[m->of[i].kernel * m->points + p] = rc_model_mean(&m->of[i], p);
    return mean;
}

/* Whether each reading of a series is at least that of another one.  False also where
 * there are so few that chance may do that.
 */
static bool holds(const struct rc_measured *m, const struct rc_measured_series *whole,
                  const struct rc_measured_series *part)
{
    size_t both = 0;

    for (size_t p = 0; p < m->points; p++) {
        const size_t have = whole->first[p + 1] - whole->first[p];
        if (part->first[p + 1] - part->first[p] != have)
            return false;
        for (size_t r = 0; r < have; r++)
            if (whole->value[whole->first[p] + r] < part->value[part->first[p] + r])
                return false;
        both += have;
    }
    return both >= TOLD;
}

size_t rc_model_find_whole(const struct rc_measured *m, size_t metric)
{
    size_t whole = m->series;
    bool nearly = false;

    for (size_t i = 0; i < m->series; i++)
        if (m->of[i].metric == metric &&
            (whole == m->series || holds(m, &m->of[i], &m->of[whole])))
            whole = i;
    for (size_t i = 0; i < m->series; i++)
        if (i != whole && m->of[i].metric == metric &&
            !holds(m, &m->of[whole], &m->of[i]))
            return m->series;
    for (size_t p = 0; p < m->points && whole < m->series; p++) {
        const double all = rc_model_mean(&m->of[whole], p);
        double sum = 0;
        bool one = false;
        for (size_t i = 0; i < m->series; i++) {
            const double mean = i != whole && m->of[i].metric == metric
                                    ? rc_model_mean(&m->of[i], p)
                                    : 0;
            sum += mean > 0 ? mean : 0;
            one = one || mean >= NEARLY * all;
        }
        if (all > 0 && (!one || sum < MORE * all))
            return m->series;
        nearly = nearly || all > 0;
    }
    return nearly ? whole : m->series;
}

/* The kernel whose path is so many bytes of 'path', by halves: kernels are sorted. */
static size_t find_path(const struct rc_measured *m, const char *path, size_t bytes)
{
    size_t low = 0, high = m->kernels;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *here = m->kernel[middle];
        int order = strncmp(here, path, bytes);
        if (order == 0)
            order = here[bytes] != 0;
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return m->kernels;
}

/* [kernel] the kernel of the nearest path around it, or 'kernels'; NULL: no memory. */
static size_t *find_parents(const struct rc_measured *m)
{
    size_t *parent = rc_calloc(m->kernels, sizeof *parent);

    for (size_t k = 0; k < m->kernels && parent; k++) {
        const char *path = m->kernel[k];
        size_t bytes = strlen(path);
        parent[k] = m->kernels;
        while (bytes > 0 && parent[k] == m->kernels)
            if (path[--bytes] == ';' && bytes > 0)
                parent[k] = find_path(m, path, bytes);
    }
    return parent;
}

/* Whether numbers of paths hold those of the paths inside: none is less than these
 * together, at any point.
 */
static bool is_nested(const struct rc_measured *m, const double *mean,
                      const size_t *parent, double *inside)
{
    bool any = false;

    memset(inside, 0, m->kernels * m->points * sizeof *inside);
    for (size_t k = 0; k < m->kernels; k++)
        for (size_t p = 0; p < m->points && parent[k] < m->kernels; p++)
            inside[parent[k] * m->points + p] += mean[k * m->points + p];
    for (size_t i = 0; i < m->kernels * m->points; i++) {
        if (inside[i] > NESTED * mean[i])
            return false;
        any = any || inside[i] > 0;
    }
    return any;
}

/* The reading of a kernel that goes with number 'i' at a point of another one: of the
 * same repetition where both have as many, else the mean; 0 where there is none.
 */
static double reading_beside(const struct rc_measured_series *s, size_t point, size_t i,
                             size_t count)
{
    const size_t have = s->first[point + 1] - s->first[point];

    return have == 0       ? 0
           : have == count ? s->value[s->first[point] + i]
                           : rc_model_mean(s, point);
}

/* Takes off each reading those of the paths inside.  'place' is room for the
 * number of each kernel's series, from 1 on.
 */
static void subtract_inside(const struct rc_measured *m, size_t metric,
                            const size_t *parent, size_t *place)
{
    memset(place, 0, m->kernels * sizeof *place);
    /* Paths are sorted by name: a path comes before those inside it, and is taken off the
     * path around it before these are taken off it.
     */
    for (size_t i = 0; i < m->series; i++) {
        const struct rc_measured_series *child = &m->of[i], *s = NULL;
        if (child->metric != metric)
            continue;
        place[child->kernel] = i + 1;
        if (parent[child->kernel] < m->kernels && place[parent[child->kernel]] > 0)
            s = &m->of[place[parent[child->kernel]] - 1];
        for (size_t p = 0; p < m->points && s; p++)
            for (size_t r = s->first[p]; r < s->first[p + 1]; r++)
                s->value[r] -= reading_beside(child, p, r - s->first[p],
                                              s->first[p + 1] - s->first[p]);
    }
    for (size_t i = 0; i < m->series; i++)
        for (size_t r = 0; r < m->of[i].first[m->points] && m->of[i].metric == metric;
             r++)
            m->of[i].value[r] = fmax(m->of[i].value[r], 0);
}

int rc_model_unnest(struct rc_measured *m, struct rc_error *err)
{
    size_t *parent = find_parents(m);
    double *inside = rc_calloc(m->kernels * m->points, sizeof *inside), *mean = NULL;
    size_t *place = rc_calloc(m->kernels, sizeof *place);
    int status = parent && inside && place
                     ? RC_OK
                     : rc_fail(err, RC_ENOMEM, "no memory for the call paths");

    for (size_t i = 0; i < m->metrics && status == RC_OK; i++) {
        if (!(mean = means_of(m, i)))
            status = rc_fail(err, RC_ENOMEM, "no memory for the call paths");
        else if (is_nested(m, mean, parent, inside))
            subtract_inside(m, i, parent, place);
        free(mean);
    }
    free(parent);
    free(inside);
    free(place);
    return status;
}

/* The slope of log(value) over log(parameter) along lines on which the other parameters
 * stay, and its upper limit (95 %); false: it cannot be told.
 */
static bool slope_of(const struct rc_measured *m, const double *value, size_t parameter,
                     double *slope, double *upper)
{
    double xx = 0, xy = 0, yy = 0, freedom = -1;

    /* Pairs of a line: no group has to be made. */
    for (size_t a = 0; a < m->points; a++)
        for (size_t b = a + 1; b < m->points; b++) {
            const double *at = &m->at[a * m->parameters],
                         *to = &m->at[b * m->parameters];
            if (at[parameter] == to[parameter] || !(value[a] > 0) || !(value[b] > 0) ||
                !rc_law_same_line(at, to, m->parameters, parameter))
                continue;
            const double x = log(to[parameter] / at[parameter]),
                         y = log(value[b] / value[a]);
            xx += x * x;
            xy += x * y;
            yy += y * y;
            freedom++;
        }
    if (!(xx > 0))
        return false;
    *slope = xy / xx;
    *upper = *slope + 2 * sqrt(fmax(yy - *slope * xy, 0) / xx / fmax(freedom, 1));
    return true;
}

/* Whether a kernel's share may reach what is worth a law of its own, beyond the points
 * that were measured.
 */
static bool grows(const struct rc_measured *m, const double *mean, const double *total,
                  double threshold)
{
    for (size_t x = 0; x < m->parameters; x++) {
        double own, upper, all, unused, share = 0, most = 0;
        if (!slope_of(m, mean, x, &own, &upper) ||
            !slope_of(m, total, x, &all, &unused))
            continue;
        for (size_t p = 0; p < m->points; p++)
            most = fmax(most, m->at[p * m->parameters + x]);
        for (size_t p = 0; p < m->points; p++)
            if (m->at[p * m->parameters + x] == most && total[p] > 0)
                share = fmax(share, mean[p] / total[p]);
        share *= pow(RC_MODEL_AHEAD, fmin(upper, own + 1) - all);
        const bool ranks = x == rc_model_find_processes(m);
        if (share >= (ranks && upper >= FLAT ? LEAST : threshold))
            return true;
    }
    return false;
}

/* Decides, and says which share the chosen ones have at least. */
static void decide(const struct rc_measured *m, const double *mean, double *total,
                   struct rc_model_choice *choice)
{
    const size_t whole = rc_model_find_whole(m, rc_model_main_metric(m));

    for (size_t k = 0; k < m->kernels; k++)
        for (size_t p = 0; p < m->points; p++)
            if (whole == m->series || m->of[whole].kernel == k)
                total[p] += mean[k * m->points + p];
    for (size_t k = 0; k < m->kernels; k++) {
        struct rc_model_kernel *kernel = &choice->kernel[k];
        *kernel = (struct rc_model_kernel){.name = m->kernel[k]};
        for (size_t p = 0; p < m->points; p++)
            if (total[p] > 0)
                kernel->share = fmax(kernel->share, mean[k * m->points + p] / total[p]);
        if (kernel->share >= choice->threshold * (1 - 1e-9))
            kernel->why = RC_MODEL_SHARE;
        else if (grows(m, &mean[k * m->points], total, choice->threshold))
            kernel->why = RC_MODEL_RISING;
        choice->count += kernel->why != RC_MODEL_REST;
    }
    choice->coverage = 1;
    for (size_t p = 0; p < m->points; p++) {
        double covered = 0;
        for (size_t k = 0; k < m->kernels; k++)
            if (choice->kernel[k].why != RC_MODEL_REST &&
                (whole == m->series || m->of[whole].kernel == k))
                covered += mean[k * m->points + p];
        if (total[p] > 0)
            choice->coverage = fmin(choice->coverage, covered / total[p]);
    }
}

/* Adds the readings of a kernel to the draft, under its name. */
static int add_alone(const struct rc_measured *m, const struct rc_measured_series *s,
                     struct rc_measured_draft *draft, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t p = 0; p < m->points; p++)
        for (size_t r = s->first[p]; r < s->first[p + 1] && status == RC_OK; r++)
            status = rc_measured_add(draft, &m->at[p * m->parameters],
                                     m->kernel[s->kernel], &m->metric[s->metric],
                                     s->value[r], s->spread ? s->spread[p] : NAN, err);
    return status;
}

/* Adds the sums of the readings of all others, of a metric. */
static int add_rest(const struct rc_measured *m, const struct rc_model_kernel *kernel,
                    size_t metric, struct rc_measured_draft *draft,
                    struct rc_error *err)
{
    int status = RC_OK;

    for (size_t p = 0; p < m->points && status == RC_OK; p++) {
        size_t count = 0;
        double squares = 0;
        for (size_t i = 0; i < m->series; i++) {
            const struct rc_measured_series *s = &m->of[i];
            const size_t have = s->first[p + 1] - s->first[p];
            if (s->metric != metric || kernel[s->kernel].why != RC_MODEL_REST)
                continue;
            count = have > count ? have : count;
            if (have > 0)
                squares += s->spread ? s->spread[p] * s->spread[p] : NAN;
        }
        for (size_t r = 0; r < count && status == RC_OK; r++) {
            double sum = 0;
            for (size_t i = 0; i < m->series; i++)
                if (m->of[i].metric == metric &&
                    kernel[m->of[i].kernel].why == RC_MODEL_REST)
                    sum += reading_beside(&m->of[i], p, r, count);
            status = rc_measured_add(draft, &m->at[p * m->parameters], RC_MODEL_OTHERS,
                                     &m->metric[metric], sum, sqrt(squares), err);
        }
    }
    return status;
}

int rc_model_gather_kernels(const struct rc_measured *m,
                            const struct rc_model_kernel *kernel,
                            struct rc_measured **out, struct rc_error *err)
{
    struct rc_measured_draft *draft = NULL;
    int status = rc_measured_begin(m->parameter, m->parameters, &draft, err);

    for (size_t i = 0; i < m->series && status == RC_OK; i++)
        if (kernel[m->of[i].kernel].why != RC_MODEL_REST)
            status = add_alone(m, &m->of[i], draft, err);
    for (size_t i = 0; i < m->metrics && status == RC_OK; i++)
        status = add_rest(m, kernel, i, draft, err);
    if (status == RC_OK)
        return rc_measured_end(draft, m->origin, out, err);
    rc_measured_drop(draft);
    return status;
}

int rc_model_choose(const struct rc_measured *m, struct rc_model_choice *choice,
                    struct rc_measured **out, struct rc_error *err)
{
    double *mean = means_of(m, rc_model_main_metric(m)),
           *total = rc_calloc(m->points, sizeof *total);
    int status;

    choice->kernel = rc_calloc(m->kernels, sizeof *choice->kernel);
    if (!mean || !total || !choice->kernel)
        status = rc_fail(err, RC_ENOMEM, "no memory to choose kernels");
    else {
        decide(m, mean, total, choice);
        status = rc_model_gather_kernels(m, choice->kernel, out, err);
    }
    free(mean);
    free(total);
    return status;
}
