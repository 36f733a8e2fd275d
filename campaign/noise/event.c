/* One event's readings: how far they scatter, at which level, and on which nodes they
 * are unlike those of the others.
 */
#include "campaign/noise/parts.h"

#include "campaign/records/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_noise_verdict_names[] = {
    "not-read", "unresolved", "exact", "differs", "repetition", "core", "node", NULL};
const char *const rc_noise_level_names[RC_LEVEL_COUNT] = {"repetition", "core", "node"};

/* For normal numbers: the standard deviation over the median absolute deviation, and
 * the median's deviation over the mean's.
 */
static const double normal_mad = 1.4826, normal_median = 1.2533;

int rc_noise_study_init(const struct rc_noise_suite *suite, bool cores,
                        struct rc_noise_study *study, struct rc_error *err)
{
    const size_t places = suite->places.count, points = suite->labels->point_count;
    const size_t readings = places * suite->labels->repetitions, real = sizeof(double);
    struct rc_arena a = {0};

    *study = (struct rc_noise_study){
        .suite = suite,
        .cores = cores,
        .vector = rc_arena_array(&a, readings, points * real),
        .reading = rc_arena_array(&a, readings, real),
        .room = rc_arena_array(&a, 2 * readings + 4 * points + 2 * places, real),
        .node = rc_arena_array(&a, places, sizeof *study->node),
        .count = rc_arena_array(&a, places, sizeof *study->count),
        .node_median = rc_arena_array(&a, places, real),
        .node_error = rc_arena_array(&a, places, real),
        .node_number = rc_arena_array(&a, places, sizeof *study->node_number),
        .place = rc_arena_array(&a, places, sizeof *study->place),
        .place_median = rc_arena_array(&a, places, sizeof *study->place_median)};
    study->arena = a;
    return rc_arena_check(&a, err, "the readings of an event");
}

void rc_noise_study_fini(struct rc_noise_study *study)
{
    rc_arena_free(&study->arena);
    *study = (struct rc_noise_study){0};
}

/* The readings that an event has. */
struct sample {
    struct rc_nesting nesting;
    size_t readings, points; /* points: those that the event's source measures */
    bool same_everywhere, same_in_places;
};

/* Turns a reading into counts per iteration, by point; false if it is not valid. */
static bool get_vector(const struct rc_store_suite *l, const int64_t *value,
                       size_t source, double *out)
{
    const uint64_t *iterations = l->iterations + source * l->point_count;
    size_t to = 0;

    for (size_t i = 0; i < l->point_count; i++) {
        if (iterations[i] == 0)
            continue;
        if (value[i] == RC_STORE_MISSING_VALUE)
            return false;
        out[to++] = (double)value[i] / (double)iterations[i];
    }
    return to > 0;
}

static struct sample take_readings(struct rc_noise_study *study, const int64_t *values,
                                   const uint8_t *status, size_t source)
{
    const struct rc_noise_places *places = &study->suite->places;
    const struct rc_store_suite *l = study->suite->labels;
    struct sample s = {.same_everywhere = true, .same_in_places = true};
    const size_t bytes = l->point_count * sizeof *values;
    const int64_t *first = NULL;

    study->nodes = 0;
    for (size_t i = 0; i < l->point_count; i++)
        s.points += l->iterations[source * l->point_count + i] != 0;
    for (size_t p = 0; p < places->count; p++) {
        const int64_t *own = NULL;
        size_t count = 0;
        for (size_t r = 0; r < l->repetitions; r++) {
            const size_t row = places->place[p] * l->repetitions + r;
            const int64_t *value = values + row * l->point_count;
            if (status[row] != RC_READING_OK ||
                !get_vector(l, value, source, study->vector + s.readings * s.points))
                continue;
            first = first ? first : value;
            own = own ? own : value;
            s.same_everywhere = s.same_everywhere && memcmp(first, value, bytes) == 0;
            s.same_in_places = s.same_in_places && memcmp(own, value, bytes) == 0;
            count++;
            s.readings++;
        }
        if (count == 0)
            continue;
        const size_t before = s.nesting.places ? study->place[s.nesting.places - 1] : 0;
        if (study->nodes == 0 || places->node[before] != places->node[p])
            study->node_number[study->nodes++] =
                study->suite->node[study->cores ? p : places->node[p]];
        study->node[s.nesting.places] = study->nodes - 1;
        study->place[s.nesting.places] = p;
        study->count[s.nesting.places++] = count;
    }
    s.nesting.nodes = study->nodes;
    s.nesting.node = study->node;
    s.nesting.count = study->count;
    return s;
}

/* Reduces each reading to one number: its count relative to the median of all readings
 * on a point, averaged over the points whose median is not 0.  If all medians are 0:
 * its sum over the points, relative to the mean of these sums.  Returns the medians'
 * sum.
 */
static double reduce(struct rc_noise_study *study, const struct sample *s)
{
    double *median = study->room + s->readings; /* [point] */
    double sum = 0;
    size_t used = 0;

    memset(study->reading, 0, s->readings * sizeof *study->reading);
    for (size_t i = 0; i < s->points; i++) {
        for (size_t r = 0; r < s->readings; r++)
            study->room[r] = study->vector[r * s->points + i];
        median[i] = rc_median(study->room, s->readings);
        used += median[i] != 0;
        sum += median[i];
    }
    if (used > 0) {
        for (size_t r = 0; r < s->readings; r++) {
            const double *vector = study->vector + r * s->points;
            double own = 0;
            for (size_t i = 0; i < s->points; i++)
                own += median[i] != 0 ? vector[i] / median[i] : 0;
            study->reading[r] = own / (double)used;
        }
        return sum;
    }
    double mean = 0;
    for (size_t r = 0; r < s->readings; r++) {
        for (size_t i = 0; i < s->points; i++)
            study->reading[r] += study->vector[r * s->points + i];
        mean += study->reading[r] / (double)s->readings;
    }
    for (size_t r = 0; r < s->readings && mean != 0; r++)
        study->reading[r] /= mean;
    return sum;
}

static bool is_balanced(const struct rc_nesting *n)
{
    size_t places = 0, first = 0;

    for (size_t p = 0; p < n->places; p++) {
        if (n->count[p] != n->count[0])
            return false;
        places++;
        if (p + 1 == n->places || n->node[p + 1] != n->node[p]) {
            first = first ? first : places;
            if (places != first)
                return false;
            places = 0;
        }
    }
    return true;
}

/* Finds the variances by level, and whether a few readings make most of the scatter.
 * They do if limiting readings to 3 deviations from the median halves the largest
 * variance, or more.
 */
static void find_components(struct rc_noise_study *study, const struct sample *s,
                            struct rc_noise_event *out)
{
    struct rc_component cut[RC_LEVEL_COUNT];
    double likely[RC_LEVEL_COUNT];
    size_t largest = 0;

    rc_components_anova(&s->nesting, study->reading, &study->intervals, out->component);
    if (!is_balanced(&s->nesting)) {
        rc_components_reml(&s->nesting, study->reading, study->room, likely);
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++)
            out->component[l].variance = likely[l];
    }
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        out->has[l] = !isnan(out->component[l].variance);
        if (out->component[l].variance > out->component[largest].variance)
            largest = l;
    }
    memcpy(study->room, study->reading, s->readings * sizeof *study->room);
    const double median = rc_median(study->room, s->readings);
    for (size_t r = 0; r < s->readings; r++)
        study->room[r] = fabs(study->reading[r] - median);
    out->mad = rc_median(study->room, s->readings);
    const double most = 3 * normal_mad * out->mad;
    for (size_t r = 0; r < s->readings; r++)
        study->room[r] = fmin(fmax(study->reading[r], median - most), median + most);
    rc_components_anova(&s->nesting, study->room, NULL, cut);
    out->heavy = out->has[largest] &&
                 out->component[largest].variance > 2 * fmax(cut[largest].variance, 0);
}

/* The level that has most of the scatter, if that is sure. */
static uint8_t find_verdict(const struct rc_noise_event *e)
{
    double all = 0;
    size_t known = 0;

    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        known += e->has[l];
        all += e->has[l] ? fmax(e->component[l].variance, 0) : 0;
    }
    for (size_t l = 0; l < RC_LEVEL_COUNT && known > 1; l++)
        if (e->has[l] && e->component[l].low > 0 && e->component[l].variance > all / 2)
            return (uint8_t)(RC_NOISE_REPETITION + l);
    return RC_NOISE_UNRESOLVED;
}

/* Finds the median of each place, NAN without readings; 1 where all readings are the
 * same.
 */
static void find_place_medians(struct rc_noise_study *study, const struct sample *s)
{
    const double *reading = study->reading;

    for (size_t p = 0; p < study->suite->places.count; p++)
        study->place_median[p] = NAN;
    for (size_t p = 0; p < s->nesting.places; p++) {
        const size_t count = study->count[p];
        memcpy(study->room, reading, count * sizeof *reading);
        study->place_median[study->place[p]] =
            s->same_everywhere ? 1 : (float)rc_median(study->room, count);
        reading += count;
    }
}

static void judge_nodes(struct rc_noise_study *study, const struct sample *s,
                        struct rc_noise_event *out)
{
    const double variance =
        out->has[0] ? fmax(out->component[RC_LEVEL_REPETITION].variance, 0) : 0;
    const double *reading = study->reading;
    double edge;
    size_t low;

    for (size_t p = 0, node = 0, count = 0; p < s->nesting.places; p++) {
        count += study->count[p];
        if (p + 1 < s->nesting.places && study->node[p + 1] == study->node[p])
            continue;
        memcpy(study->room, reading, count * sizeof *reading);
        study->node_median[node] = rc_median(study->room, count);
        study->node_error[node++] = normal_median * sqrt(variance / (double)count);
        reading += count;
        count = 0;
    }
    out->judged = study->nodes >= RC_NODES_FOR_ONE;
    if (!out->judged)
        return;
    out->classes = rc_two_classes(study->node_median, study->node_error, study->nodes,
                                  study->room, &low, &edge);
    out->judged = !out->classes;
}

/* Compares each core with all cores of the kind, by its distance from the median of the
 * other cores of its node.  A single one of these must not move that median, so the
 * cores of a node are judged only if there are at least four.
 */
static void judge_cores(struct rc_noise_study *study, const struct sample *s,
                        struct rc_noise_event *out)
{
    enum { CORES_LEAST = 4 };
    const double variance =
        out->has[0] ? fmax(out->component[RC_LEVEL_REPETITION].variance, 0) : 0;
    const struct rc_nesting *n = &s->nesting;
    double *median = study->room + s->readings; /* [place], after the scratch */
    const double *reading = study->reading;

    for (size_t p = 0; p < n->places; reading += n->count[p++]) {
        memcpy(study->room, reading, n->count[p] * sizeof *reading);
        median[p] = rc_median(study->room, n->count[p]);
    }
    study->nodes = 0;
    for (size_t p = 0, end; p < n->places; p = end) {
        for (end = p; end < n->places && n->node[end] == n->node[p];)
            end++;
        const size_t others = end - p - 1;
        for (size_t c = p; c < end && others + 1 >= CORES_LEAST; c++) {
            memcpy(study->room, median + p, (c - p) * sizeof *median);
            memcpy(study->room + (c - p), median + c + 1,
                   (end - c - 1) * sizeof *median);
            study->node_median[study->nodes] =
                median[c] - rc_median(study->room, others);
            study->node_error[study->nodes] =
                normal_median *
                sqrt(variance / (double)n->count[c] * (1 + 1 / (double)others));
            study->node_number[study->nodes++] = study->suite->node[study->place[c]];
        }
    }
    out->judged = study->nodes >= RC_NODES_FOR_DEVIATE;
}

void rc_noise_study_event(struct rc_noise_study *study, const int64_t *values,
                          const uint8_t *status, size_t source,
                          struct rc_noise_event *out)
{
    const struct sample s = take_readings(study, values, status, source);

    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        out->has[l] = s.readings > 0 && rc_nesting_has(&s.nesting, (enum rc_level)l);
        out->distance[l] = out->has[l] ? 0 : NAN;
        const double none = out->has[l] ? 0 : NAN;
        out->component[l] = (struct rc_component){none, none, none};
    }
    find_place_medians(study, &s); /* NAN or 1; found again below if readings differ */
    if (s.readings == 0)
        return;
    if (s.same_everywhere) {
        for (size_t i = 0; i < s.points; i++)
            out->median += study->vector[i];
        out->verdict = s.readings > 1 ? RC_NOISE_EXACT : RC_NOISE_UNRESOLVED;
        return;
    }
    out->median = reduce(study, &s);
    find_place_medians(study, &s);
    /* Scaled as the noise of solve is: by the mean of all readings and points. */
    const size_t numbers = s.readings * s.points;
    double mean = 0;
    for (size_t i = 0; i < numbers; i++)
        mean += study->vector[i];
    mean /= (double)numbers;
    rc_distances(&s.nesting, study->vector, s.points, study->room, out->distance);
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++)
        out->distance[l] = out->distance[l] > 0
                               ? sqrt(out->distance[l] / (double)s.points) / fabs(mean)
                               : out->distance[l];
    find_components(study, &s, out);
    out->verdict = s.same_in_places && s.readings > s.nesting.places
                       ? (uint8_t)RC_NOISE_DIFFERS
                       : find_verdict(out);
    if (study->cores)
        judge_cores(study, &s, out);
    else
        judge_nodes(study, &s, out);
}
