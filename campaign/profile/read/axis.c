/* Puts the instances and readings of a launch on one axis of time and chooses those
 * that a limit leaves room for.
 *
 * Which instances are the longest is known only once all were seen, so that threads are
 * gone through twice: first their lengths are kept, 8 bytes each, then the pieces of
 * one thread at a time.  Without a limit no lengths are needed.
 */
#include "campaign/profile/read/axis.h"

#include "campaign/base/text.h"
#include "campaign/profile/read/instances.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char pieces[] = "the instances of the profile";

/* Times of strangers may be any: differences are taken without a sign. */
uint64_t rc_profile_axis_ns(const struct rc_profile_axis *axis,
                            const struct rc_profile_node *node, uint64_t at_ns)
{
    const int64_t ns = (int64_t)((uint64_t)rc_profile_unix_ns(node, at_ns) -
                                 (uint64_t)axis->zero_unix_ns);

    return ns > 0 ? (uint64_t)ns : 0;
}

const char *rc_profile_piece_name(const struct rc_profile_piece *piece)
{
    const struct rc_profile_thread *thread = piece->thread;

    return piece->call ? rc_profile_call_name(thread, &thread->call[piece->number])
                       : rc_profile_region_name(thread, piece->number);
}

const char *rc_profile_rank_title(const struct rc_profile_rank *rank,
                                  char out[RC_PROFILE_TITLE])
{
    if (rank->rank >= 0)
        snprintf(out, RC_PROFILE_TITLE, "rank %" PRId64 " on %.250s", rank->rank,
                 rank->node);
    else
        snprintf(out, RC_PROFILE_TITLE, "pid %" PRIu64 " on %.250s", rank->pid,
                 rank->node);
    return out;
}

/* Cuts a stretch to what is wanted; whether anything of it is.  To touch it is not
 * enough for what has a length.
 */
static bool cut_stretch(const struct rc_profile_choice *choice, uint64_t *begin,
                        uint64_t *end)
{
    const uint64_t to = choice->to_ns ? choice->to_ns : UINT64_MAX;

    if (*begin > to || *end < choice->from_ns || *begin > *end ||
        (*begin < *end && (*begin == to || *end == choice->from_ns)))
        return false;
    if (*begin < choice->from_ns)
        *begin = choice->from_ns;
    if (*end > to)
        *end = to;
    return true;
}

/* The instances of a thread are being taken. */
struct taking {
    struct rc_profile_axis *axis;
    const struct rc_profile_node *node;
    const struct rc_profile_thread *thread;
    size_t track;
    uint64_t *length; /* of all instances of all threads */
    size_t lengths, length_room;
    struct rc_profile_piece *piece; /* of the thread */
    size_t count, room;
    size_t ties;            /* that have been taken */
    struct rc_arena memory; /* notes what found none */
};

/* As a piece of the axis; false: it is not in the wanted time. */
static bool make_piece(const struct taking *t, const struct rc_profile_instance *of,
                       struct rc_profile_piece *out)
{
    *out = (struct rc_profile_piece){
        .node = t->node,
        .thread = t->thread,
        .track = t->track,
        .begin_ns = rc_profile_axis_ns(t->axis, t->node, of->begin_ns),
        .end_ns = rc_profile_axis_ns(t->axis, t->node, of->end_ns),
        .first = of->first,
        .last = of->last,
        .number = of->number,
        .call = of->call,
        .open = of->open};
    return cut_stretch(t->axis->choice, &out->begin_ns, &out->end_ns);
}

static void measure_instance(void *arg, const struct rc_profile_instance *instance)
{
    struct taking *t = arg;
    struct rc_profile_piece piece;

    if (!make_piece(t, instance, &piece))
        return;
    t->axis->instances++;
    if (t->axis->choice->limit == SIZE_MAX)
        return;
    const uint64_t length = piece.end_ns - piece.begin_ns;
    rc_arena_append(&t->memory, &t->length, sizeof *t->length, &t->lengths,
                    &t->length_room, &length);
}

/* Takes those that are longer than the shortest that stays, and of those that are just
 * as long as many as there is room for.
 */
static void take_instance(void *arg, const struct rc_profile_instance *instance)
{
    struct taking *t = arg;
    struct rc_profile_piece piece;

    if (!make_piece(t, instance, &piece))
        return;
    const uint64_t length = piece.end_ns - piece.begin_ns;
    if (length < t->axis->shortest ||
        (length == t->axis->shortest && t->ties == t->axis->ties))
        return;
    t->ties += length == t->axis->shortest;
    rc_arena_append(&t->memory, &t->piece, sizeof piece, &t->count, &t->room, &piece);
}

static int order_lengths(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

/* As they began: times may be equal, numbers of entries are not. */
static int order_pieces(const void *a, const void *b)
{
    const struct rc_profile_piece *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* A reading as a point of the axis; false: it is not valid, or not wanted. */
static bool make_point(const struct rc_profile_axis *axis, size_t node,
                       const struct rc_profile_series *series, size_t reading,
                       struct rc_profile_point *out)
{
    const struct rc_profile_reading *r = &series->reading[reading];
    const struct rc_profile_node *of = &axis->sums->node[node];

    *out = (struct rc_profile_point){
        .node = node,
        .series = series,
        .reading = r,
        .begin_ns =
            rc_profile_axis_ns(axis, of, series->event.state ? r->at_ns : r->since_ns),
        .end_ns = rc_profile_axis_ns(axis, of, r->at_ns),
        .value = rc_profile_reading_value(&series->event, r)};
    return !isnan(out->value) &&
           cut_stretch(axis->choice, &out->begin_ns, &out->end_ns);
}

static size_t count_points(const struct rc_profile_axis *axis, size_t node,
                           const struct rc_profile_series *series)
{
    struct rc_profile_point point;
    size_t count = 0;

    for (size_t i = 0; i < series->count; i++)
        count += make_point(axis, node, series, i, &point);
    return count;
}

/* Series get the part of the limit that instances leave, and at least half of it. */
static void share_limit(struct rc_profile_axis *axis, uint64_t *length)
{
    const size_t limit = axis->choice->limit;
    size_t series = 0, room = limit > axis->instances ? limit - axis->instances : 0;

    for (size_t n = 0; n < axis->sums->node_count; n++)
        for (size_t i = 0; i < axis->sums->node[n].series_count; i++) {
            const size_t count = count_points(axis, n, &axis->sums->node[n].series[i]);
            axis->readings += count;
            series += count > 0;
        }
    if (room < limit / 2)
        room = limit / 2;
    if (room > axis->readings)
        room = axis->readings;
    if (axis->choice->no_series)
        room = 0;
    axis->reading_most =
        room == axis->readings || series == 0 ? SIZE_MAX : room / series;
    axis->ties = axis->instances_stay = axis->instances;
    if (limit - room >= axis->instances)
        return;
    axis->instances_stay = limit - room;
    axis->shortest = UINT64_MAX;
    axis->ties = 0;
    if (axis->instances_stay == 0 || !length)
        return;
    qsort(length, axis->instances, sizeof *length, order_lengths);
    axis->shortest = length[axis->instances_stay - 1];
    for (size_t i = axis->instances_stay; i-- > 0 && length[i] == axis->shortest;)
        axis->ties++;
}

int rc_profile_axis_make(const struct rc_profile_sums *sums,
                         const struct rc_profile_choice *choice,
                         struct rc_profile_axis *out, struct rc_error *err)
{
    struct taking t = {.axis = out};

    *out = (struct rc_profile_axis){
        .sums = sums,
        .choice = choice,
        .zero_unix_ns = rc_profile_zero_ns(sums->node, sums->node_count)};
    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t i = 0; i < sums->node[n].thread_count; i++) {
            t.node = &sums->node[n];
            t.thread = &t.node->thread[i];
            out->unmatched += rc_profile_instances(t.thread, measure_instance, &t);
        }
    if (!t.memory.failed)
        share_limit(out, t.length);
    free(t.length);
    return rc_arena_check(&t.memory, err, pieces);
}

/* Begins and ends as the thread wrote them.  A piece is cut where a damaged journal
 * lets it go back in time, or outlive the piece around it.
 */
static int tell_pieces(struct taking *t, const struct rc_profile_teller *teller,
                       struct rc_error *err)
{
    size_t *open = rc_calloc(t->count, sizeof *open); /* numbers of pieces */
    uint64_t now = 0;
    size_t depth = 0;
    int status = open ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for %s", pieces);

    if (t->count > 0)
        qsort(t->piece, t->count, sizeof *t->piece, order_pieces);
    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i <= t->count; i++) {
        struct rc_profile_piece *piece = i < t->count ? &t->piece[i] : NULL;
        while (depth > 0 && status == RC_OK &&
               (!piece || t->piece[open[depth - 1]].last < piece->first)) {
            const struct rc_profile_piece *over = &t->piece[open[--depth]];
            now = over->end_ns;
            status = teller->end ? teller->end(teller->arg, over, err) : RC_OK;
        }
        if (!piece || status != RC_OK)
            continue;
        const uint64_t most = depth > 0 ? t->piece[open[depth - 1]].end_ns : UINT64_MAX;
        piece->begin_ns = piece->begin_ns > now ? piece->begin_ns : now;
        piece->begin_ns = piece->begin_ns < most ? piece->begin_ns : most;
        piece->end_ns = piece->end_ns < most ? piece->end_ns : most;
        if (piece->end_ns < piece->begin_ns)
            piece->end_ns = piece->begin_ns;
        now = piece->begin_ns;
        open[depth++] = i;
        if (teller->begin)
            status = teller->begin(teller->arg, piece, err);
        if (status != RC_OK)
            goto out;
    }
out:
    free(open);
    return status;
}

int rc_profile_axis_pieces(struct rc_profile_axis *axis,
                           const struct rc_profile_teller *teller, struct rc_error *err)
{
    const struct rc_profile_sums *s = axis->sums;
    struct taking t = {.axis = axis};
    int status = RC_OK;

    for (size_t n = 0; n < s->node_count; n++)
        for (size_t i = 0; i < s->node[n].thread_count && status == RC_OK; i++) {
            t.node = &s->node[n];
            t.thread = &t.node->thread[i];
            t.count = 0;
            (void)rc_profile_instances(t.thread, take_instance, &t);
            status = rc_arena_check(&t.memory, err, pieces);
            if (status == RC_OK && teller->thread)
                status = teller->thread(teller->arg, t.node, t.thread, t.track, err);
            if (status == RC_OK)
                status = tell_pieces(&t, teller, err);
            if (status == RC_OK && teller->thread_end)
                status = teller->thread_end(teller->arg, err);
            t.track++;
        }
    free(t.piece);
    return status;
}

/* The least and the most reading of each stretch of 'stretch', in order. */
static int tell_series(struct rc_profile_axis *axis, size_t node,
                       const struct rc_profile_series *series, size_t stretch,
                       const struct rc_profile_teller *teller, struct rc_error *err)
{
    struct rc_profile_point least = {.reading = NULL}, most = least, at;
    size_t in = 0;
    int status = RC_OK;

    for (size_t i = 0; i <= series->count; i++) {
        if (i < series->count && make_point(axis, node, series, i, &at)) {
            if (!least.reading || at.value < least.value)
                least = at;
            if (!most.reading || at.value > most.value)
                most = at;
            in++;
        }
        if (!least.reading || (i < series->count && in < stretch))
            continue;
        const bool one = least.reading == most.reading,
                   first = least.reading < most.reading;
        status = teller->reading(teller->arg, first ? &least : &most, err);
        if (status == RC_OK && !one)
            status = teller->reading(teller->arg, first ? &most : &least, err);
        axis->readings_stay += one ? 1 : 2;
        least.reading = most.reading = NULL;
        in = 0;
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_profile_axis_readings(struct rc_profile_axis *axis,
                             const struct rc_profile_teller *teller,
                             struct rc_error *err)
{
    const struct rc_profile_sums *s = axis->sums;
    const size_t pairs = axis->reading_most / 2;
    int status = RC_OK;

    for (size_t n = 0; n < s->node_count; n++)
        for (size_t i = 0; i < s->node[n].series_count && status == RC_OK; i++) {
            const struct rc_profile_series *series = &s->node[n].series[i];
            const size_t count = count_points(axis, n, series);
            if (teller->series)
                status = teller->series(teller->arg, n, series, err);
            if (status != RC_OK || (count > axis->reading_most && pairs == 0))
                continue;
            status = tell_series(
                axis, n, series,
                count <= axis->reading_most ? 1 : (count + pairs - 1) / pairs, teller,
                err);
        }
    return status;
}

void rc_profile_axis_say(const struct rc_profile_axis *axis, FILE *left_out)
{
    if (axis->instances_stay < axis->instances)
        fprintf(left_out,
                "%zu of %zu instances, the shortest ones: --limit says how many stay\n",
                axis->instances - axis->instances_stay, axis->instances);
    if (axis->readings_stay < axis->readings)
        fprintf(left_out,
                "%zu of %zu readings, between the least and the most of their time\n",
                axis->readings - axis->readings_stay, axis->readings);
}

void rc_profile_axis_notes(const struct rc_profile_axis *axis, rc_profile_note *note,
                           void *arg)
{
    const struct rc_profile_sums *s = axis->sums;
    const struct rc_profile_launch *launch = &s->node->launch;
    char id[RC_JOURNAL_ID_TEXT], clocks[RC_PROFILE_CLOCKS_TEXT],
        command[4096] = "", parameters[RC_PROFILE_PARAMETERS_TEXT];
    uint64_t half = 0;
    int64_t simulated = 0;

    for (size_t i = 0; i < launch->word_count; i++)
        rc_text_append(command, sizeof command, "%s%s", i ? " " : "", launch->word[i]);
    for (size_t n = 0; n < s->node_count; n++)
        for (size_t i = 0; i < s->node[n].series_count; i++) {
            const struct rc_profile_series *series = &s->node[n].series[i];
            simulated += series->event.simulated;
            for (size_t r = 0; r < series->count; r++)
                if (series->reading[r].half_ns > half)
                    half = series->reading[r].half_ns;
        }
    note(arg, "profile", rc_journal_id_text(id, &s->profile->id), 0);
    note(arg, "launch", NULL, (int64_t)launch->launch);
    note(arg, "created_by", launch->created_by, 0);
    note(arg, "command", command, 0);
    if (launch->set[0])
        note(arg, "parameters",
             rc_profile_parameters_said(s->profile, launch->launch, parameters), 0);
    note(arg, "zero_unix_ns", NULL, axis->zero_unix_ns);
    note(arg, "program_unix_ns", NULL, s->began_unix_ns);
    note(arg, "program_ns", NULL, (int64_t)s->wall_ns);
    note(arg, "clocks", rc_profile_clocks_text(s->node, s->node_count, clocks), 0);
    note(arg, "from_ns", NULL, (int64_t)axis->choice->from_ns);
    if (axis->choice->to_ns)
        note(arg, "to_ns", NULL, (int64_t)axis->choice->to_ns);
    note(arg, "instances", NULL, (int64_t)axis->instances);
    note(arg, "instances_written", NULL, (int64_t)axis->instances_stay);
    note(arg, "instances_without_begin_or_end", NULL, (int64_t)axis->unmatched);
    note(arg, "readings", NULL, (int64_t)axis->readings);
    note(arg, "readings_written", NULL, (int64_t)axis->readings_stay);
    note(arg, "reading_half_ns_most", NULL, (int64_t)half);
    note(arg, "simulated_series", NULL, simulated);
}
