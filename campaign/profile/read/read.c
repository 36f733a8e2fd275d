/* Reads the journals of a profile: each record once, in the order in which its node's
 * sampler wrote it.
 *
 * A journal is one node's, so that nothing has to be put into order.  Rows of paths and
 * calls are written as they are at a time: the last one holds.  Samplers of earlier
 * versions took the place of one that was killed: what these wrote is not read.
 */
#include "campaign/profile/read/read.h"

#include "campaign/base/clock.h"
#include "campaign/base/mix.h"
#include "campaign/base/text.h"
#include "campaign/records/campaign.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A list that is searched from end to end stays short, whoever wrote the file. */
#define LAUNCHES_MAX 4096

/* A sampler writes each tenth of a second, and for the last time that long after its
 * program at most: one that was silent for longer than this has been killed.
 */
enum { MOMENT_NS = 500000000, AGAIN_NS = 50000000 };

/* Journals that are being read. */
struct reading {
    struct rc_profile *profile;
    size_t file, first; /* number of the journal; of the first of its launches */
    bool marks;
};

static bool has_place(const void *context, size_t item, const void *key)
{
    const struct rc_profile_node *node = context;

    return node->thread[item].place.place == *(const uint64_t *)key;
}

/* The launch that the sampler with this number wrote of in this journal. */
static struct rc_profile_node *node_of(const struct reading *r, uint32_t writer)
{
    struct rc_profile *p = r->profile;

    for (size_t i = p->node_count; i > r->first; i--)
        if (p->node[i - 1].writer == writer)
            return &p->node[i - 1];
    return NULL;
}

/* The thread of that number; NULL: none has begun. */
static struct rc_profile_thread *thread_of(const struct rc_profile_node *node,
                                           uint64_t place)
{
    const size_t found = rc_map_find(&node->map, node, rc_mix(place), &place);

    return found == RC_MAP_NONE ? NULL : &node->thread[found];
}

/* When the node was last heard of: threads that nobody saw end are taken to end then.
 */
static void note_time(struct rc_profile_node *node, uint64_t at_ns)
{
    if (at_ns > node->last_ns)
        node->last_ns = at_ns;
}

static int take_launch(const struct reading *r, uint32_t writer,
                       const struct rc_profile_launch *launch, struct rc_error *err)
{
    struct rc_profile *p = r->profile;

    for (size_t i = r->first; i < p->node_count; i++)
        if (p->node[i].launch.launch == launch->launch)
            return rc_fail(err, RC_EUSAGE, "launch %" PRIu64 " begins twice",
                           launch->launch);
    if (p->node_count - r->first >= LAUNCHES_MAX)
        return rc_fail(err, RC_EUSAGE, "more than %d launches", LAUNCHES_MAX);
    struct rc_profile_node node = {
        .launch = *launch, .map.same = has_place, .writer = writer};
    if (!launch->set) /* of an earlier version */
        node.launch.set = "";
    rc_profile_samples_begin(&node.samples);
    note_time(&node, launch->at_ns);
    rc_arena_append(&p->lists, &p->node, sizeof node, &p->node_count, &p->node_room,
                    &node);
    return RC_OK;
}

static void take_events(struct rc_arena *memory, struct rc_profile_node *node,
                        const struct rc_profile_event *event, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rc_arena_append(memory, &node->series, sizeof *node->series,
                        &node->series_count, &node->series_room,
                        &(struct rc_profile_series){.event = event[i], .why = ""});
}

static void take_place(struct rc_arena *memory, struct rc_profile_node *node,
                       const struct rc_profile_place *place)
{
    const size_t number = node->thread_count;

    rc_arena_append(memory, &node->thread, sizeof *node->thread, &node->thread_count,
                    &node->thread_room, &(struct rc_profile_thread){.place = *place});
    note_time(node, place->began_ns);
    memory->failed =
        memory->failed ||
        rc_map_put(&node->map, node, rc_mix(place->place), &place->place, number) != 0;
}

/* Names come as pieces of one array of bytes; what was lost before a piece stays empty.
 * The last byte is a NUL in any case, since each piece ends with one.
 */
static void take_names(struct rc_arena *memory, struct rc_profile_thread *thread,
                       const struct rc_profile_names *names)
{
    static const char nothing[RC_SHARED_NAMES];
    struct rc_bytes *all = &thread->names;

    if (names->byte_count == 0)
        return;
    if (all->count < names->first + names->byte_count)
        rc_bytes_add(all, nothing, names->first + names->byte_count - all->count);
    memory->failed |= all->failed;
    if (!all->failed)
        memcpy(all->byte + names->first, names->byte, names->byte_count);
}

/* Makes rows up to that number; those that were lost are zeroed.  False: no memory. */
static bool make_path(struct rc_arena *memory, struct rc_profile_thread *thread,
                      uint64_t number)
{
    while (thread->path_count <= number && !memory->failed)
        rc_arena_append(memory, &thread->path, sizeof *thread->path,
                        &thread->path_count, &thread->path_room, NULL);
    return !memory->failed;
}

static bool make_call(struct rc_arena *memory, struct rc_profile_thread *thread,
                      uint64_t number)
{
    while (thread->call_count <= number && !memory->failed)
        rc_arena_append(memory, &thread->call, sizeof *thread->call,
                        &thread->call_count, &thread->call_room, NULL);
    return !memory->failed;
}

static void take_paths(struct rc_arena *memory, struct rc_profile_thread *thread,
                       const struct rc_profile_paths *paths)
{
    for (size_t i = 0; i < paths->path_count; i++) {
        const struct rc_profile_path *row = &paths->path[i];
        if (!make_path(memory, thread, row->number))
            return;
        thread->path[row->number] = *row;
        if (row->stands_for < row->measured) /* of a version that did not say */
            thread->path[row->number].stands_for = row->measured;
    }
}

static void take_calls(struct rc_arena *memory, struct rc_profile_thread *thread,
                       const struct rc_profile_calls *calls)
{
    for (size_t i = 0; i < calls->call_count; i++)
        if (make_call(memory, thread, calls->call[i].number))
            thread->call[calls->call[i].number] = calls->call[i];
}

static void take_waits(struct rc_arena *memory, struct rc_profile_thread *thread,
                       const struct rc_profile_waits *waits)
{
    thread->waits = *waits;
    thread->waits.wait = NULL; /* it does not outlive its record */
    thread->waits.wait_count = 0;
    for (size_t i = 0; i < waits->wait_count; i++) {
        const struct rc_profile_wait *row = &waits->wait[i];
        while (thread->wait_count <= row->number && !memory->failed)
            rc_arena_append(memory, &thread->wait, sizeof *thread->wait,
                            &thread->wait_count, &thread->wait_room, NULL);
        if (!memory->failed)
            thread->wait[row->number] = *row;
    }
}

static void take_spans(struct rc_arena *memory, struct rc_profile_node *node,
                       struct rc_profile_thread *thread,
                       const struct rc_profile_spans *spans, bool marks)
{
    for (size_t i = 0; i < spans->span_count; i++) {
        const struct rc_profile_span *span = &spans->span[i];
        note_time(node, span->at_ns);
        if (marks)
            rc_arena_append(memory, &thread->mark, sizeof *thread->mark,
                            &thread->mark_count, &thread->mark_room,
                            &(struct rc_profile_mark){span->at_ns,
                                                      (uint32_t)span->number,
                                                      (uint8_t)span->what});
    }
}

static int take_readings(struct rc_arena *memory, struct rc_profile_node *node,
                         const struct rc_profile_readings *readings,
                         struct rc_error *err)
{
    if (readings->event >= node->series_count)
        return rc_fail(err, RC_EUSAGE,
                       "readings of event %" PRIu64 ", expected less than %zu",
                       readings->event, node->series_count);
    struct rc_profile_series *series = &node->series[readings->event];
    for (size_t i = 0; i < readings->reading_count; i++) {
        if (series->count > 0 &&
            readings->reading[i].at_ns <= series->reading[series->count - 1].at_ns)
            continue; /* written again, as the disk was full after it */
        rc_arena_append(memory, &series->reading, sizeof *series->reading,
                        &series->count, &series->room, &readings->reading[i]);
        note_time(node, readings->reading[i].at_ns);
    }
    if (readings->why[0])
        series->why = readings->why;
    return RC_OK;
}

/* MPI knows the rank better than the environment did when the thread began. */
static void take_close(struct rc_profile_node *node, struct rc_profile_thread *thread,
                       const struct rc_profile_close *close)
{
    thread->close = *close;
    thread->closed = true;
    if (close->rank >= 0)
        thread->place.rank = close->rank;
    note_time(node, close->ended_ns);
}

static void take_cost(struct rc_arena *memory, struct rc_profile_node *node,
                      const struct rc_profile_cost *cost)
{
    rc_arena_append(memory, &node->cost, sizeof *cost, &node->cost_count,
                    &node->cost_room, cost);
    note_time(node, cost->at_ns);
}

/* Places become numbers of threads. */
static int take_rate(struct rc_arena *memory, struct rc_profile_node *node,
                     const struct rc_profile_rate *rate, struct rc_error *err)
{
    struct rc_profile_rate out = *rate;

    if (rate->what == RC_PROFILE_RATED_SERIES) {
        if (rate->number >= node->series_count)
            return rc_fail(err, RC_EUSAGE,
                           "a rate of event %" PRIu64 ", expected less than %zu",
                           rate->number, node->series_count);
    } else if (rate->what != RC_PROFILE_RATED_STACKS) {
        struct rc_profile_thread *thread = thread_of(node, rate->place);
        if (!thread)
            return rc_fail(err, RC_EUSAGE,
                           "a rate of thread %" PRIu64
                           ", whose beginning is in no record",
                           rate->place);
        out.place = (uint64_t)(thread - node->thread);
        if (rate->what != RC_PROFILE_RATED_CALL && /* its row may have been lost */
            rate->what != RC_PROFILE_RATED_POLLS)
            (void)make_path(memory, thread, rate->number);
        else
            (void)make_call(memory, thread, rate->number);
    }
    rc_arena_append(memory, &node->rate, sizeof out, &node->rate_count,
                    &node->rate_room, &out);
    note_time(node, rate->at_ns);
    return RC_OK;
}

static int take_runs(struct rc_arena *memory, const struct rc_profile_node *node,
                     const struct rc_profile_runs *runs, struct rc_error *err)
{
    for (size_t i = 0; i < runs->run_count; i++) {
        const struct rc_profile_run *run = &runs->run[i];
        struct rc_profile_thread *thread = thread_of(node, run->place);
        if (!thread)
            return rc_fail(err, RC_EUSAGE,
                           "a stretch of thread %" PRIu64
                           ", whose beginning is in no record",
                           run->place);
        rc_arena_append(memory, &thread->run, sizeof *run, &thread->run_count,
                        &thread->run_room, run);
    }
    return RC_OK;
}

static void take_end(struct rc_profile_node *node, const struct rc_profile_end *end)
{
    node->end = *end;
    node->ended = true;
    note_time(node, end->at_ns);
}

/* Comparisons are in the order of time; one that cannot follow those before is left
 * out.
 */
static int take_offset(struct rc_arena *memory, struct rc_profile_node *node,
                       const struct rc_profile_offset *offset, struct rc_error *err)
{
    struct rc_clock *clock = &node->clock;
    struct rc_clock one;
    const struct rc_clock_offset last = {offset->at_ns, offset->low_ns,
                                         offset->high_ns};
    const int status = rc_clock_decode(&last, 1, &one, err);

    if (status != RC_OK)
        return status;
    rc_clock_fini(&one);
    if (clock->count > 0 && clock->offset[clock->count - 1].at_ns >= last.at_ns)
        return RC_OK;
    rc_arena_append(memory, &clock->offset, sizeof last, &clock->count, &clock->room,
                    &last);
    return RC_OK;
}

/* The number of the thread that a record is of; NULL: it is of none. */
static const uint64_t *place_of(const struct rc_profile_payload *of)
{
    switch (of->type) {
    case RC_PROFILE_NAMES:
        return &of->names.place;
    case RC_PROFILE_PATHS:
        return &of->paths.place;
    case RC_PROFILE_CALLS:
        return &of->calls.place;
    case RC_PROFILE_SPANS:
        return &of->spans.place;
    case RC_PROFILE_CLOSE:
        return &of->close.place;
    case RC_PROFILE_WAITS:
        return &of->waits.place;
    default:
        return NULL;
    }
}

/* Takes in one record, as it was decoded. */
static int apply(const struct reading *r, uint32_t writer,
                 const struct rc_profile_payload *of, struct rc_error *err)
{
    struct rc_profile_node *node = node_of(r, writer);
    const uint64_t *place = place_of(of);
    struct rc_arena *memory = &r->profile->lists;

    if (writer % RC_PROFILE_WRITERS != 0)
        return RC_OK;
    if (of->type == RC_PROFILE_LAUNCH)
        return take_launch(r, writer, &of->launch, err);
    if (!node)
        return rc_fail(err, RC_EUSAGE, "the record of its launch is not there");
    struct rc_profile_thread *thread = place ? thread_of(node, *place) : NULL;
    if (place && !thread)
        return rc_fail(err, RC_EUSAGE,
                       "thread %" PRIu64 ", whose beginning is in no record", *place);
    switch (of->type) {
    case RC_PROFILE_EVENTS:
        take_events(memory, node, of->events.event, of->events.event_count);
        break;
    case RC_PROFILE_PLACE:
        take_place(memory, node, &of->place);
        break;
    case RC_PROFILE_NAMES:
        take_names(memory, thread, &of->names);
        break;
    case RC_PROFILE_PATHS:
        take_paths(memory, thread, &of->paths);
        break;
    case RC_PROFILE_CALLS:
        take_calls(memory, thread, &of->calls);
        break;
    case RC_PROFILE_SPANS:
        take_spans(memory, node, thread, &of->spans, r->marks);
        break;
    case RC_PROFILE_CLOSE:
        take_close(node, thread, &of->close);
        break;
    case RC_PROFILE_READINGS:
        return take_readings(memory, node, &of->readings, err);
    case RC_PROFILE_COST:
        take_cost(memory, node, &of->cost);
        break;
    case RC_PROFILE_STACKS:
        note_time(node, of->stacks.at_ns);
        return rc_profile_samples_take(&node->samples, &of->stacks, memory, err);
    case RC_PROFILE_WAITS:
        take_waits(memory, thread, &of->waits);
        break;
    case RC_PROFILE_CLOCK:
        return take_offset(memory, node, &of->offset, err);
    case RC_PROFILE_RATE:
        return take_rate(memory, node, &of->rate, err);
    case RC_PROFILE_RUNS:
        return take_runs(memory, node, &of->runs, err);
    default: /* RC_PROFILE_END */
        take_end(node, &of->end);
    }
    return RC_OK;
}

/* Told of each whole record: what is not understood is counted and no error, what finds
 * no memory is one.
 */
static int take_record(void *user, const struct rc_journal_record *record,
                       struct rc_error *err)
{
    struct reading *r = user;
    struct rc_profile *p = r->profile;
    struct rc_arena once = {0};
    struct rc_error why = {.rank = -1};
    struct rc_profile_payload of;
    int status = rc_profile_decode(
        record->type, record->payload, record->bytes, p->texts,
        record->type == RC_PROFILE_LAUNCH ? &p->lists : &once, &of, &why);

    if (status == RC_OK)
        status = apply(r, record->writer, &of, &why);
    rc_arena_free(&once);
    p->records += status == RC_OK;
    if (status == RC_OK)
        return rc_arena_check(&p->lists, err, "the profile");
    if (status != RC_EUSAGE && status != RC_EUNSUPPORTED) {
        *err = why;
        return status;
    }
    if (p->refused++ == 0)
        p->refusal = rc_arena_text(&p->lists, why.text);
    return rc_arena_check(&p->lists, err, "the profile");
}

/* Rows that others name and that were lost, and when threads ended. */
static void finish_thread(struct rc_arena *memory, const struct rc_profile_node *node,
                          struct rc_profile_thread *thread)
{
    uint64_t path = 0, call = 0;

    for (size_t i = 0; i < thread->call_count; i++)
        if (thread->call[i].path > path)
            path = thread->call[i].path;
    for (size_t i = 0; i < thread->mark_count; i++) {
        const struct rc_profile_mark *m = &thread->mark[i];
        uint64_t *most =
            m->what == RC_SHARED_ENTER || m->what == RC_SHARED_LEAVE ? &path : &call;
        if (m->number > *most)
            *most = m->number;
    }
    thread->ended_ns = thread->closed ? thread->close.ended_ns : node->last_ns;
    (void)make_path(memory, thread, path);
    (void)make_call(memory, thread, call);
}

static int compare_nodes(const void *a, const void *b)
{
    const struct rc_profile_node *x = a, *y = b;

    if (x->launch.launch != y->launch.launch)
        return x->launch.launch < y->launch.launch ? -1 : 1;
    return strcmp(x->launch.node, y->launch.node);
}

/* Joins the times of a launch's nodes: that with which the others were compared is the
 * one that is not off against itself.  Where its records are lost, or of a node without
 * a comparison, wall clocks must do.
 */
static void join_clocks(struct rc_profile_node *node, size_t count)
{
    const struct rc_profile_node *first = NULL;

    for (size_t n = 0; n < count; n++) {
        const struct rc_clock *clock = &node[n].clock;
        bool is_first = clock->count > 0;
        for (size_t i = 0; i < clock->count; i++)
            is_first &= clock->offset[i].low_ns == 0 && clock->offset[i].high_ns == 0;
        if (is_first && !first)
            first = &node[n];
    }
    for (size_t n = 0; n < count; n++) {
        node[n].compared = first && node[n].clock.count > 0;
        if (&node[n] == first || !node[n].compared)
            node[n].clock.count = 0;
        const struct rc_profile_launch *of =
            node[n].compared ? &first->launch : &node[n].launch;
        node[n].axis_ns = (int64_t)((uint64_t)of->unix_ns - of->at_ns);
    }
}

/* Frees what a node owns; its texts are the profile's. */
static void node_fini(struct rc_profile_node *node)
{
    for (size_t i = 0; i < node->thread_count; i++) {
        struct rc_profile_thread *thread = &node->thread[i];
        rc_bytes_fini(&thread->names);
        free(thread->path);
        free(thread->call);
        free(thread->wait);
        free(thread->mark);
        free(thread->run);
    }
    for (size_t i = 0; i < node->series_count; i++)
        free(node->series[i].reading);
    free(node->thread);
    free(node->series);
    free(node->cost);
    free(node->rate);
    rc_clock_fini(&node->clock);
    rc_map_fini(&node->map);
    rc_profile_samples_fini(&node->samples);
}

/* A sampler counts the cost as soon as its rounds begin, so one that has not was not
 * ready, and its program went without: there is nothing of it.
 */
static void leave_out_unready(struct rc_profile *p)
{
    size_t kept = 0;

    p->launches = 0;
    for (size_t n = 0; n < p->node_count; n++) {
        struct rc_profile_node *node = &p->node[n];
        if (node->cost_count == 0 && node->thread_count == 0 && !node->ended) {
            node_fini(node);
            continue;
        }
        const uint64_t launch = node->launch.launch;
        if (launch < UINT64_MAX && launch >= p->launches)
            p->launches = launch + 1;
        p->node[kept++] = *node;
    }
    p->node_count = kept;
}

/* Launches by number, then nodes by name, whatever the names of files are. */
static int finish(struct rc_profile *p, struct rc_error *err)
{
    leave_out_unready(p);
    if (p->node_count == 0)
        return RC_OK;
    qsort(p->node, p->node_count, sizeof *p->node, compare_nodes);
    for (size_t n = 0, next; n < p->node_count; n = next) {
        for (next = n + 1; next < p->node_count &&
                           p->node[next].launch.launch == p->node[n].launch.launch;)
            next++;
        join_clocks(&p->node[n], next - n);
    }
    for (size_t n = 0; n < p->node_count; n++)
        for (size_t t = 0; t < p->node[n].thread_count; t++)
            finish_thread(&p->lists, &p->node[n], &p->node[n].thread[t]);
    return rc_arena_check(&p->lists, err, "the profile");
}

/* All files of a directory have one id, which the first has. */
static int scan_file(struct reading *r, const char *path, struct rc_error *err)
{
    const struct rc_journal_visitor visitor = {.record = take_record, .user = r};
    struct rc_profile *p = r->profile;
    struct rc_journal_report report = {0};

    r->first = p->node_count;
    const int status =
        rc_journal_scan(path, r->file > 0 ? &p->id : NULL, &visitor, &report, err);
    if (status != RC_OK)
        return status;
    if (r->file == 0)
        p->id = report.campaign;
    /* The scan's line on a journal in which something is wrong. */
    char line[RC_ERROR_TEXT];
    rc_journal_say(&report, path, line, sizeof line);
    if (!line[0])
        return RC_OK;
    const char *copy = rc_arena_text(&p->lists, line);
    rc_arena_append(&p->lists, &p->damage, sizeof copy, &p->damage_count,
                    &p->damage_room, &copy);
    return rc_arena_check(&p->lists, err, "the profile");
}

/* The names of journals, in order; 'list' and the array are to be freed in any case. */
static int list_files(const char *dir, struct rc_bytes *list, const char ***path,
                      size_t *count, struct rc_error *err)
{
    struct rc_arena memory = {0};
    size_t room = 0;
    const int status = rc_campaign_list_journals(dir, ".rcj", list, err);

    if (status != RC_OK)
        return status;
    for (size_t at = 0; at < list->count;) {
        const char *name = (const char *)list->byte + at;
        rc_arena_append(&memory, path, sizeof name, count, &room, &name);
        at += strlen(name) + 1;
    }
    if (*count > 0)
        qsort(*path, *count, sizeof **path, rc_order_texts);
    return rc_arena_check(&memory, err, "the names of journals");
}

static int read_once(const char *dir, bool marks, struct rc_profile **out,
                     struct rc_error *err)
{
    struct reading r = {.marks = marks};
    struct rc_bytes list = {0};
    const char **path = NULL;
    size_t count = 0;
    int status;

    *out = NULL;
    r.profile = rc_calloc(1, sizeof *r.profile);
    if (!r.profile)
        return rc_fail(err, RC_ENOMEM, "no memory for the profile");
    r.profile->refusal = "";
    r.profile->texts = rc_pool_create();
    r.profile->lists.failed = !r.profile->texts;
    if ((status = rc_arena_check(&r.profile->lists, err, "the profile")) != RC_OK ||
        (status = list_files(dir, &list, &path, &count, err)) != RC_OK)
        goto out;
    for (; r.file < count; r.file++)
        if ((status = scan_file(&r, path[r.file], err)) != RC_OK)
            goto out;
    status = finish(r.profile, err);
    if (status == RC_OK && r.profile->node_count == 0)
        status = rc_fail(err, RC_EMISSING,
                         "%s: no profile is here, expected what 'rollcall profile -o "
                         "DIR -- PROGRAM' wrote",
                         dir);
out:
    free((void *)path);
    rc_bytes_fini(&list);
    if (status != RC_OK)
        rc_profile_close(r.profile);
    else
        *out = r.profile;
    return status;
}

void rc_profile_close(struct rc_profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->node_count; i++)
        node_fini(&profile->node[i]);
    free(profile->node);
    free((void *)profile->damage);
    rc_arena_free(&profile->lists);
    rc_pool_close(profile->texts);
    free(profile);
}

/* Whether a sampler that has not ended was heard of just now. */
static bool is_ending(const struct rc_profile *p)
{
    const int64_t now = (int64_t)rc_clock_unix_ns();

    for (size_t n = 0; n < p->node_count; n++) {
        const struct rc_profile_node *node = &p->node[n];
        const int64_t heard = rc_profile_unix_ns(node, node->last_ns);
        if (!node->ended && heard > now - MOMENT_NS && heard < now + MOMENT_NS)
            return true;
    }
    return false;
}

/* Samplers end a moment after the program.  A reader who asks as soon as that is over
 * is to get all of it, and no line on samplers that have not ended.
 */
int rc_profile_read(const char *dir, bool marks, struct rc_profile **out,
                    struct rc_error *err)
{
    const uint64_t until = rc_clock_ns() + MOMENT_NS;
    int status = read_once(dir, marks, out, err);

    while (status == RC_OK && is_ending(*out) && rc_clock_ns() < until) {
        rc_profile_close(*out);
        nanosleep(&(struct timespec){.tv_nsec = AGAIN_NS}, NULL);
        status = read_once(dir, marks, out, err);
    }
    if (status == RC_OK && (status = rc_profile_name_teams(*out, err)) != RC_OK) {
        rc_profile_close(*out);
        *out = NULL;
    }
    return status;
}

/* The kind of the first record of the first journal that has one. */
enum what { NOTHING, A_PROFILE, ANOTHER };

static int look_at_type(void *user, const struct rc_journal_record *record,
                        struct rc_error *err)
{
    *(enum what *)user =
        record->type >= RC_PROFILE_LAUNCH && record->type <= RC_PROFILE_LAST ? A_PROFILE
                                                                             : ANOTHER;
    return rc_fail(err, RC_EUSAGE, "one record is enough");
}

bool rc_profile_is_in(const char *dir)
{
    struct rc_error ignored = {.rank = -1};
    struct rc_journal_report report;
    struct rc_bytes list = {0};
    const char **path = NULL;
    size_t count = 0;
    enum what what = NOTHING;
    const struct rc_journal_visitor visitor = {.record = look_at_type, .user = &what};

    if (list_files(dir, &list, &path, &count, &ignored) == RC_OK)
        for (size_t i = 0; i < count && what == NOTHING; i++)
            (void)rc_journal_scan(path[i], NULL, &visitor, &report, &ignored);
    free((void *)path);
    rc_bytes_fini(&list);
    return what == A_PROFILE;
}

int64_t rc_profile_unix_ns(const struct rc_profile_node *node, uint64_t at_ns)
{
    const int64_t on_axis =
        node->clock.count > 0
            ? rc_clock_global(&node->clock, (int64_t)at_ns, NULL, NULL)
            : (int64_t)at_ns;

    return (int64_t)((uint64_t)node->axis_ns + (uint64_t)on_axis);
}

int64_t rc_profile_zero_ns(const struct rc_profile_node *node, size_t count)
{
    int64_t zero = INT64_MAX;

    for (size_t n = 0; n < count; n++) {
        const int64_t begin = rc_profile_unix_ns(&node[n], node[n].launch.at_ns);
        zero = begin < zero ? begin : zero;
    }
    return zero;
}

const char *rc_profile_clocks_text(const struct rc_profile_node *node, size_t count,
                                   char out[RC_PROFILE_CLOCKS_TEXT])
{
    char half[RC_TEXT_SHORT];
    int64_t widest = 0, low, high;
    size_t compared = 0;

    for (size_t n = 0; n < count; n++) {
        const struct rc_profile_node *of = &node[n];
        compared += of->compared;
        if (of->clock.count == 0)
            continue;
        const int64_t from = of->clock.offset[0].at_ns,
                      to = of->clock.offset[of->clock.count - 1].at_ns;
        for (int i = 0; i <= 16; i++) { /* bounds are widest between comparisons */
            (void)rc_clock_global(&of->clock, from + (to - from) / 16 * i, &low, &high);
            widest = high - low > widest ? high - low : widest;
        }
    }
    if (count < 2)
        snprintf(out, RC_PROFILE_CLOCKS_TEXT, "of one node");
    else if (compared == 0)
        snprintf(out, RC_PROFILE_CLOCKS_TEXT, "wall clocks of nodes, not compared");
    else
        snprintf(out, RC_PROFILE_CLOCKS_TEXT,
                 "clocks of %zu of %zu nodes compared, known to %s%s", compared, count,
                 rc_text_put_duration(half, (uint64_t)widest / 2),
                 compared < count ? ", wall clocks of the others" : "");
    return out;
}

/* Bytes of names that were lost are zeros, and so is the name of a row that was. */
static bool has_name(const struct rc_profile_thread *thread, uint64_t number)
{
    return number > 0 && number < thread->names.count && thread->names.byte[number];
}

const char *rc_profile_name(const struct rc_profile_thread *thread, uint64_t number)
{
    return has_name(thread, number) ? (const char *)thread->names.byte + number
                                    : "(name lost)";
}

/* A row that was lost, which others refer to, has the number 0. */
const char *rc_profile_region_name(const struct rc_profile_thread *thread,
                                   uint64_t path)
{
    const struct rc_profile_path *of = &thread->path[path];

    return of->name == 0 && of->number == path ? "(no name)"
                                               : rc_profile_name(thread, of->name);
}

size_t rc_profile_names_lost(const struct rc_profile_thread *thread)
{
    size_t lost = 0;

    for (size_t i = 1; i < thread->path_count; i++)
        lost += !has_name(thread, thread->path[i].name) &&
                (thread->path[i].name > 0 || thread->path[i].number != i);
    for (size_t i = 1; i < thread->call_count; i++)
        lost += !has_name(thread, thread->call[i].name);
    return lost;
}

const char *rc_profile_call_name(const struct rc_profile_thread *thread,
                                 const struct rc_profile_call *call)
{
    return call == thread->call ? "other calls" : rc_profile_name(thread, call->name);
}

const char *rc_profile_nodes_name(uint64_t nodes)
{
    static const char *const names[] = {[RC_SHARED_NODES_UNKNOWN] = "",
                                        [RC_SHARED_SAME_NODE] = "same node",
                                        [RC_SHARED_OTHER_NODE] = "other node",
                                        [RC_SHARED_SEVERAL_NODES] = "several nodes"};

    return names[nodes];
}

const char *rc_profile_path_text(const struct rc_profile_thread *thread, uint64_t above,
                                 uint64_t path, const char *between, char *out,
                                 size_t room)
{
    uint64_t chain[RC_SHARED_PATHS];
    size_t depth = 0;

    for (; path > 0 && path != above; path = thread->path[path].parent)
        chain[depth++] = path; /* parents have lower numbers: there is room for all */
    out[0] = 0;
    for (size_t i = depth; i-- > 0;)
        rc_text_append(out, room, "%s%s", i + 1 < depth ? between : "",
                       rc_profile_region_name(thread, chain[i]));
    return out;
}

const struct rc_profile_wait *rc_profile_wait_of(const struct rc_profile_thread *thread,
                                                 const struct rc_profile_call *call)
{
    const size_t number = (size_t)(call - thread->call);

    return number < thread->wait_count && thread->wait[number].known > 0
               ? &thread->wait[number]
               : NULL;
}

double rc_profile_path_ns(const struct rc_profile_path *path)
{
    const bool scaled = path->stands_for > 0 && path->measured + 1 < path->visits;

    return scaled ? (double)path->ns * (double)path->visits / (double)path->stands_for
                  : (double)path->ns;
}

uint64_t rc_profile_thread_ns(const struct rc_profile_thread *thread)
{
    return thread->ended_ns > thread->place.began_ns
               ? thread->ended_ns - thread->place.began_ns
               : 0;
}

struct rc_profile_ran rc_profile_ran_of(const struct rc_profile_thread *thread)
{
    struct rc_profile_ran out = {0};

    for (size_t i = 0; i < thread->run_count; i++) {
        const struct rc_profile_run *run = &thread->run[i];
        out.seen_ns += (double)(run->at_ns - run->since_ns);
        out.ran_ns += (double)run->ran_ns;
        out.waited_ns += (double)run->waited_ns;
    }
    /* the scheduler counts a wait when it ends, also what was before the first reading
     */
    out.waited_ns = fmin(out.waited_ns, fmax(out.seen_ns - out.ran_ns, 0));
    return out;
}
