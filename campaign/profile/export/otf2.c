/* A profile as an archive of OTF2 (Open Trace Format 2), which Vampir, Score-P's tools
 * and otf2-print read: a directory with files for each thread and series.  Only home of
 * OTF2.
 *
 * Threads are locations in the groups of their ranks, below their nodes.  Each series
 * is a metric of its node, recorded by a location of its own: values are those that
 * were read, so that counts add up to the whole.  Definitions are written last, when it
 * is known how many events each location has.
 */
#include "campaign/profile/export/export.h"

#ifndef RC_HAVE_OTF2

static int write_otf2(const struct rc_profile_sums *sums,
                      const struct rc_profile_choice *choice, FILE *out, FILE *left_out,
                      struct rc_error *err)
{
    (void)sums;
    (void)choice;
    (void)out;
    (void)left_out;
    return rc_fail(
        err, RC_EUNSUPPORTED,
        "--format otf2: this rollcall was built without OTF2, from version 3 "
        "on (Debian: libopen-trace-format2-dev)");
}

#else

#include "campaign/base/files/path.h"
#include "campaign/base/files/staged_dir.h"
#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "campaign/profile/read/labels.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK = 1 << 20 }; /* bytes of a location's events in memory */

/* An archive that is being written. */
struct otf2 {
    struct rc_profile_axis axis;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *defs;
    OTF2_EvtWriter *events;   /* of the location at hand */
    uint64_t *count;          /* of events, by location */
    size_t locations, room;   /* threads, then series */
    struct rc_labels regions; /* names of regions and of MPI functions */
    bool *is_call;            /* of MPI, by region */
    size_t is_calls, is_call_room, series;
    struct rc_labels texts; /* strings of the archive */
    size_t outside;         /* readings across the ends of the wanted time */
    char why[256];          /* the last thing that OTF2 said */
    int status;             /* the first failure of definitions */
    struct rc_error *err;
};

/* OTF2 would print it to the standard error. */
static OTF2_ErrorCode keep_error(void *data, const char *file, uint64_t line,
                                 const char *function, OTF2_ErrorCode code,
                                 const char *format, va_list list)
{
    struct otf2 *o = data;
    char text[160] = "";

    (void)file;
    (void)line;
    (void)function;
    vsnprintf(text, sizeof text, format, list);
    if (!o->why[0]) /* the first says most */
        snprintf(o->why, sizeof o->why, "%s%s%s", OTF2_Error_GetDescription(code),
                 text[0] ? ": " : "", text);
    return code;
}

/* RC_OK, or a failure of what was done to the archive. */
static int check_otf2(struct otf2 *o, OTF2_ErrorCode code, struct rc_error *err)
{
    if (code == OTF2_SUCCESS)
        return RC_OK;
    return rc_fail(err, RC_EIO, "cannot write the archive '%.200s': %s",
                   o->axis.choice->path, o->why[0] ? o->why : "OTF2 does not say why");
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type,
                                   OTF2_LocationRef location, void *caller, bool final)
{
    (void)data;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

/* The next location, whose events follow. */
static int begin_location(struct otf2 *o, struct rc_error *err)
{
    if (rc_grow(&o->count, sizeof *o->count, o->locations, &o->room))
        return rc_fail(err, RC_ENOMEM, "no memory for the archive");
    o->count[o->locations] = 0;
    o->events = OTF2_Archive_GetEvtWriter(o->archive, o->locations++);
    return check_otf2(o, o->events ? OTF2_SUCCESS : OTF2_ERROR_INVALID, err);
}

static int end_location(void *arg, struct rc_error *err)
{
    struct otf2 *o = arg;
    OTF2_EvtWriter *events = o->events;

    o->events = NULL;
    return events ? check_otf2(o, OTF2_Archive_CloseEvtWriter(o->archive, events), err)
                  : RC_OK;
}

static int begin_thread(void *arg, const struct rc_profile_node *node,
                        const struct rc_profile_thread *thread, size_t track,
                        struct rc_error *err)
{
    (void)node;
    (void)thread;
    (void)track;
    return begin_location(arg, err);
}

/* The archive's number of a region. */
static int find_region(struct otf2 *o, const struct rc_profile_piece *piece,
                       OTF2_RegionRef *region, struct rc_error *err)
{
    const size_t number = rc_labels_find(&o->regions, rc_profile_piece_name(piece));

    *region = (OTF2_RegionRef)number;
    if (number == o->is_calls)
        rc_arena_append(&o->regions.memory, &o->is_call, sizeof *o->is_call,
                        &o->is_calls, &o->is_call_room, &piece->call);
    return rc_labels_check(&o->regions, err);
}

/* OTF2_EvtWriter_Enter() or _Leave(). */
typedef OTF2_ErrorCode put_function(OTF2_EvtWriter *, OTF2_AttributeList *,
                                    OTF2_TimeStamp, OTF2_RegionRef);

static int put_region(struct otf2 *o, const struct rc_profile_piece *piece,
                      put_function *put, uint64_t at_ns, struct rc_error *err)
{
    OTF2_RegionRef region;
    const int status = find_region(o, piece, &region, err);

    if (status != RC_OK)
        return status;
    o->count[o->locations - 1]++;
    return check_otf2(o, put(o->events, NULL, at_ns, region), err);
}

static int enter_region(void *arg, const struct rc_profile_piece *piece,
                        struct rc_error *err)
{
    return put_region(arg, piece, OTF2_EvtWriter_Enter, piece->begin_ns, err);
}

static int leave_region(void *arg, const struct rc_profile_piece *piece,
                        struct rc_error *err)
{
    return put_region(arg, piece, OTF2_EvtWriter_Leave, piece->end_ns, err);
}

static int begin_series(void *arg, size_t node, const struct rc_profile_series *series,
                        struct rc_error *err)
{
    struct otf2 *o = arg;
    const int status = o->events ? end_location(o, err) : RC_OK;

    (void)node;
    (void)series;
    return status == RC_OK ? begin_location(o, err) : status;
}

/* Metrics are the classes of all series, then their instances. */
static OTF2_MetricRef metric_of(const struct otf2 *o, size_t location)
{
    return (OTF2_MetricRef)(o->series + location - o->axis.sums->threads);
}

/* A count belongs to the whole stretch of time before it: one that lies across an end
 * of the wanted stretch cannot be cut.
 */
static int put_reading(void *arg, const struct rc_profile_point *point,
                       struct rc_error *err)
{
    static const OTF2_Type type = OTF2_TYPE_INT64;
    struct otf2 *o = arg;
    const struct rc_profile_node *node = &o->axis.sums->node[point->node];
    const struct rc_profile_reading *r = point->reading;
    const size_t number = o->locations - 1;
    const OTF2_MetricValue value = {.signed_int = r->value};

    if (!point->series->event.state &&
        (rc_profile_axis_ns(&o->axis, node, r->since_ns) != point->begin_ns ||
         rc_profile_axis_ns(&o->axis, node, r->at_ns) != point->end_ns)) {
        o->outside++;
        return RC_OK;
    }
    o->count[number]++;
    return check_otf2(o,
                      OTF2_EvtWriter_Metric(o->events, NULL, point->end_ns,
                                            metric_of(o, number), 1, &type, &value),
                      err);
}

/* Keeps the first failure of a definition. */
static void note_status(struct otf2 *o, OTF2_ErrorCode code)
{
    if (o->status == RC_OK)
        o->status = check_otf2(o, code, o->err);
}

/* The archive's number of a string: what terminals would act on is '?'. */
static OTF2_StringRef string_number(struct otf2 *o, const char *text)
{
    const size_t before = o->texts.count;
    char clean[4096];
    const size_t number =
        rc_labels_copy(&o->texts, rc_text_printable(clean, sizeof clean, text));

    if (o->status == RC_OK)
        o->status = rc_labels_check(&o->texts, o->err);
    if (o->texts.count > before)
        note_status(o, OTF2_GlobalDefWriter_WriteString(o->defs, (OTF2_StringRef)number,
                                                        o->texts.text[number]));
    return (OTF2_StringRef)number;
}

/* The program as the root of the system tree, the nodes below it, and in these ranks.
 */
static void define_system(struct otf2 *o)
{
    const struct rc_profile_sums *s = o->axis.sums;
    char name[RC_PROFILE_TITLE];

    note_status(o, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                       o->defs, 0, string_number(o, "launch"),
                       string_number(o, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (size_t n = 0; n < s->node_count; n++)
        note_status(o, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                           o->defs, (OTF2_SystemTreeNodeRef)n + 1,
                           string_number(o, s->node[n].launch.node),
                           string_number(o, "node"), 0));
    for (size_t r = 0; r < s->rank_count; r++) {
        size_t n = 0;
        while (n + 1 < s->node_count &&
               strcmp(s->node[n].launch.node, s->rank[r].node) != 0)
            n++;
        rc_profile_rank_title(&s->rank[r], name);
        note_status(o,
                    OTF2_GlobalDefWriter_WriteLocationGroup(
                        o->defs, (OTF2_LocationGroupRef)r, string_number(o, name),
                        OTF2_LOCATION_GROUP_TYPE_PROCESS, (OTF2_SystemTreeNodeRef)n + 1,
                        OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (size_t n = 0; n < s->node_count; n++) {
        snprintf(name, sizeof name, "sampler of %.250s", s->node[n].launch.node);
        note_status(o,
                    OTF2_GlobalDefWriter_WriteLocationGroup(
                        o->defs, (OTF2_LocationGroupRef)(s->rank_count + n),
                        string_number(o, name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                        (OTF2_SystemTreeNodeRef)n + 1, OTF2_UNDEFINED_LOCATION_GROUP));
    }
}

static void define_threads(struct otf2 *o)
{
    const struct rc_profile_sums *s = o->axis.sums;
    char name[64];
    size_t track = 0;

    for (size_t n = 0; n < s->node_count; n++)
        for (size_t t = 0; t < s->node[n].thread_count; t++, track++) {
            const struct rc_profile_thread *thread = &s->node[n].thread[t];
            const size_t rank = rc_profile_rank_number(s, &s->node[n], thread);
            snprintf(name, sizeof name, "thread %" PRIu64 " of pid %" PRIu64,
                     thread->place.tid, thread->place.pid);
            note_status(o, OTF2_GlobalDefWriter_WriteLocation(
                               o->defs, track, string_number(o, name),
                               OTF2_LOCATION_TYPE_CPU_THREAD, o->count[track],
                               (OTF2_LocationGroupRef)rank));
        }
}

static void define_regions(struct otf2 *o)
{
    for (size_t i = 0; i < o->regions.count; i++) {
        const OTF2_StringRef name = string_number(o, o->regions.text[i]);
        note_status(
            o, OTF2_GlobalDefWriter_WriteRegion(
                   o->defs, (OTF2_RegionRef)i, name, name, string_number(o, ""),
                   o->is_call[i] ? OTF2_REGION_ROLE_FUNCTION : OTF2_REGION_ROLE_CODE,
                   o->is_call[i] ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
                   OTF2_REGION_FLAG_NONE, string_number(o, ""), 0, 0));
    }
}

/* The location of a series of node 'n', its metric and the class of that. */
static void define_series(struct otf2 *o, size_t n,
                          const struct rc_profile_event *event, size_t location)
{
    const size_t number = location - o->axis.sums->threads;
    const OTF2_MetricMemberRef member = (OTF2_MetricMemberRef)number;
    char name[RC_SHARED_EVENT_NAME + 32] = "";

    rc_text_append(name, sizeof name, "%s%s", event->name,
                   event->simulated ? " (simulated)" : "");
    note_status(o, OTF2_GlobalDefWriter_WriteLocation(
                       o->defs, location, string_number(o, name),
                       OTF2_LOCATION_TYPE_METRIC, o->count[location],
                       (OTF2_LocationGroupRef)(o->axis.sums->rank_count + n)));
    note_status(
        o, OTF2_GlobalDefWriter_WriteMetricMember(
               o->defs, member, string_number(o, name),
               string_number(o, event->description), OTF2_METRIC_TYPE_OTHER,
               event->state ? OTF2_METRIC_ABSOLUTE_POINT : OTF2_METRIC_RELATIVE_LAST,
               OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, string_number(o, "#")));
    note_status(o, OTF2_GlobalDefWriter_WriteMetricClass(
                       o->defs, (OTF2_MetricRef)number, 1, &member,
                       OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT));
}

static void define_all_series(struct otf2 *o)
{
    const struct rc_profile_sums *s = o->axis.sums;
    size_t at = s->threads;

    for (size_t n = 0; n < s->node_count; n++)
        for (size_t i = 0; i < s->node[n].series_count; i++, at++)
            define_series(o, n, &s->node[n].series[i].event, at);
    at = s->threads;
    for (size_t n = 0; n < s->node_count; n++)
        for (size_t i = 0; i < s->node[n].series_count; i++, at++)
            note_status(o, OTF2_GlobalDefWriter_WriteMetricInstance(
                               o->defs, metric_of(o, at),
                               (OTF2_MetricRef)(at - s->threads), at,
                               OTF2_SCOPE_SYSTEM_TREE_NODE, n + 1));
}

/* Properties have names in capitals. */
static void put_note(void *arg, const char *key, const char *text, int64_t number)
{
    struct otf2 *o = arg;
    char name[64], digits[32], clean[4096];

    snprintf(name, sizeof name, "ROLLCALL::%s", key);
    for (char *at = name; *at; at++)
        if (*at >= 'a' && *at <= 'z')
            *at = (char)(*at - 'a' + 'A');
    snprintf(digits, sizeof digits, "%" PRId64, number);
    rc_text_printable(clean, sizeof clean, text ? text : digits);
    if (clean[0]) /* "" would remove it */
        note_status(o, OTF2_Archive_SetProperty(o->archive, name, clean, true));
}

/* Events, then definitions. */
static int write_archive(struct otf2 *o, struct rc_error *err)
{
    const struct rc_profile_teller teller = {.arg = o,
                                             .thread = begin_thread,
                                             .begin = enter_region,
                                             .end = leave_region,
                                             .thread_end = end_location,
                                             .series = begin_series,
                                             .reading = put_reading};
    const struct rc_profile_choice *choice = o->axis.choice;
    const uint64_t wall = o->axis.sums->axis_ns;
    int status = check_otf2(o, OTF2_Archive_OpenEvtFiles(o->archive), err);

    for (size_t n = 0; n < o->axis.sums->node_count; n++)
        o->series += o->axis.sums->node[n].series_count;
    if (status != RC_OK || (status = rc_profile_axis_pieces(&o->axis, &teller, err)) ||
        (status = rc_profile_axis_readings(&o->axis, &teller, err)) ||
        (status = end_location(o, err)) ||
        (status = check_otf2(o, OTF2_Archive_CloseEvtFiles(o->archive), err)) ||
        (status = check_otf2(o, OTF2_Archive_OpenDefFiles(o->archive), err)))
        return status;
    for (size_t i = 0; i < o->locations; i++) {
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(o->archive, i);
        if ((status = check_otf2(o,
                                 local ? OTF2_Archive_CloseDefWriter(o->archive, local)
                                       : OTF2_ERROR_INVALID,
                                 err)) != RC_OK)
            return status;
    }
    if ((status = check_otf2(o, OTF2_Archive_CloseDefFiles(o->archive), err)))
        return status;
    o->defs = OTF2_Archive_GetGlobalDefWriter(o->archive);
    if (!o->defs)
        return check_otf2(o, OTF2_ERROR_INVALID, err);
    note_status(o, OTF2_GlobalDefWriter_WriteClockProperties(
                       o->defs, 1000000000, choice->from_ns,
                       choice->to_ns && choice->to_ns < wall ? choice->to_ns : wall,
                       (uint64_t)o->axis.zero_unix_ns));
    (void)string_number(o, "");
    define_system(o);
    define_threads(o);
    define_regions(o);
    define_all_series(o);
    rc_profile_axis_notes(&o->axis, put_note, o);
    note_status(o, OTF2_Archive_SetCreator(o->archive, "rollcall " RC_VERSION));
    return o->status;
}

/* The archive grows beside its place and is put there when it is whole. */
static int write_aside(struct otf2 *o, const char *stage, struct rc_error *err)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
    OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(keep_error, o);
    int status;

    o->archive = OTF2_Archive_Open(stage, "traces", OTF2_FILEMODE_WRITE, CHUNK, CHUNK,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    status = check_otf2(o, o->archive ? OTF2_SUCCESS : OTF2_ERROR_INVALID, err);
    if (status != RC_OK)
        goto out;
    if ((status =
             check_otf2(o, OTF2_Archive_SetFlushCallbacks(o->archive, &flush, NULL),
                        err)) == RC_OK &&
        (status = check_otf2(o, OTF2_Archive_SetSerialCollectiveCallbacks(o->archive),
                             err)) == RC_OK)
        status = write_archive(o, err);
    const OTF2_ErrorCode closed = OTF2_Archive_Close(o->archive);
    if (status != RC_OK)
        goto out;
    status = check_otf2(o, closed, err);
out:
    OTF2_Error_RegisterCallback(before, NULL);
    return status;
}

static int write_otf2(const struct rc_profile_sums *sums,
                      const struct rc_profile_choice *choice, FILE *out, FILE *left_out,
                      struct rc_error *err)
{
    struct otf2 o = {.err = err};
    char stage[PATH_MAX];
    struct stat there;
    int status;

    (void)out;
    if (lstat(choice->path, &there) == 0)
        status = rc_fail(err, RC_EUSAGE,
                         "-o '%.200s': it is there already, expected a new directory",
                         choice->path);
    else if ((status = rc_profile_axis_make(sums, choice, &o.axis, err)) == RC_OK &&
             (status = rc_path(stage, sizeof stage, err, "%s.rollcall-new",
                               choice->path)) == RC_OK &&
             (status = rc_staged_dir_make(stage, err)) == RC_OK) {
        status = write_aside(&o, stage, err);
        if (status == RC_OK && rename(stage, choice->path) != 0)
            status = rc_fail(err, RC_EIO, "cannot make '%.200s': %s", choice->path,
                             strerror(errno));
        rc_staged_dir_remove(stage);
    }
    if (o.outside > 0)
        fprintf(left_out, "%zu readings across the ends of the stretch of time\n",
                o.outside);
    free(o.count);
    free(o.is_call);
    rc_labels_fini(&o.regions);
    rc_labels_fini(&o.texts);
    return status;
}

#endif

const struct rc_profile_export_format rc_profile_otf2 = {.name = "otf2",
                                                         .marks = true,
                                                         .directory = true,
                                                         .limit = SIZE_MAX,
                                                         .write = write_otf2};
