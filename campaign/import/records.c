/* Writes imported files as records of a campaign.
 *
 * Other tools measure each event by itself, so each event is a group of its own, and
 * the files of an event and suite are the repetitions of one unit at each place
 * (thread).  A number with decimals is multiplied by a power of ten, which is the
 * point's iterations: the solver divides by it.
 */
#include "campaign/base/version.h"
#include "campaign/import/parts.h"
#include "campaign/records/campaign_write.h"
#include "campaign/spec/spec.h"
#include "kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The campaign's kind, as lists of records. */
struct work {
    const struct rc_import *import;
    struct rc_journal *journal;
    uint64_t kind;                 /* the kind's id */
    struct rc_record_event *event; /* in the order of import->event */
    struct rc_record_group *group;
    uint32_t *group_of; /* by event: its group; UINT32_MAX: none */
    uint32_t *number;   /* 0, 1, 2, ...: each group points to its event here */
    size_t group_count;
    struct rc_record_suite *suite; /* in the order of import->part */
    struct rc_bytes payload;       /* of the record being written */
    struct rc_arena arena;         /* of all of these except the payload */
};

/* Writes a campaign file that asks for nothing beyond the imported readings. */
static int write_campaign(const struct work *w, struct rc_error *err)
{
    static const char words[] = "name: imported\nrepeat: \"1:1\"\n";
    struct rc_record_campaign campaign = {.created_by = "rollcall " RC_VERSION,
                                          .unix_time = time(NULL)};
    struct rc_spec spec = {0};
    char *text = NULL;
    size_t bytes;
    int status;

    if ((status = rc_spec_from_text("imported", words, strlen(words), &spec, err)) ||
        (status = rc_spec_text(&spec, &text, &bytes, err)))
        goto out;
    campaign.spec = text;
    status = rc_campaign_write(w->journal, RC_RECORD_CAMPAIGN, &campaign, err);
out:
    free(text);
    rc_spec_fini(&spec);
    return status;
}

/* Writes an origin whose operands are the paths that were given. */
static int write_origin(struct work *w, struct rc_error *err)
{
    const size_t count = w->import->path_count;
    struct rc_record_operand *operand =
        rc_arena_array(&w->arena, count, sizeof *operand);
    const struct rc_record_origin origin = {.operation = RC_OPERATION_IMPORT,
                                            .unix_time = time(NULL),
                                            .created_by = "rollcall " RC_VERSION,
                                            .operand = operand,
                                            .operand_count = count};

    for (size_t i = 0; operand && i < count; i++)
        operand[i] =
            (struct rc_record_operand){.name = w->import->format->name,
                                       .created_by = w->import->format->summary,
                                       .directory = w->import->path[i]};
    int status;
    if ((status = rc_arena_check(&w->arena, err, "the files' names")) == RC_OK)
        status = rc_campaign_write(w->journal, RC_RECORD_ORIGIN, &origin, err);
    return status;
}

/* Fills in the events, and a group for each that has a used file.  Other events get the
 * reason of their first file that was left out.
 */
static void fill_events(struct work *w)
{
    const struct rc_import *m = w->import;

    for (size_t i = 0; i < m->event_count; i++) {
        w->event[i] = (struct rc_record_event){.name = m->event[i],
                                               .evidence = m->format->evidence,
                                               .scope = RC_SCOPE_CORE};
        w->number[i] = (uint32_t)i;
        w->group_of[i] = UINT32_MAX;
    }
    for (size_t i = 0; i < m->count; i++) {
        struct rc_record_event *event = &w->event[m->item[i].number];
        if (!m->item[i].left_out)
            w->group_of[m->item[i].number] = 0;
        else if (!event->reason)
            event->reason = m->item[i].left_out;
    }
    for (size_t i = 0; i < m->event_count; i++) {
        struct rc_record_event *event = &w->event[i];
        if (w->group_of[i] == UINT32_MAX) {
            event->verdict =
                event->reason && strcmp(event->reason, m->format->no_reading) == 0
                    ? RC_VERDICT_UNSUPPORTED
                    : RC_VERDICT_UNTRIED;
            continue;
        }
        event->verdict = RC_VERDICT_OK;
        event->reason = NULL;
        w->group_of[i] = (uint32_t)w->group_count;
        w->group[w->group_count++] = (struct rc_record_group){
            .scope = RC_SCOPE_CORE, .event = &w->number[i], .count = 1, .own = 1};
    }
}

static size_t count_words(const char *const *words)
{
    size_t count = 0;

    while (words[count])
        count++;
    return count;
}

/* Basis and names of points are borrowed from the sample, a file of the suite. */
static struct rc_record_suite suite_of(struct rc_arena *arena,
                                       const struct rc_import_part *part)
{
    const struct rc_import_suite *s = part->suite;
    const struct rc_import_file *file = part->sample;
    struct rc_record_point *point =
        rc_arena_array(arena, file->point_count, sizeof *point);
    uint64_t *iterations = rc_arena_array(arena, file->point_count, sizeof *iterations);
    uint64_t scale = 1;

    for (unsigned i = 0; i < part->decimals; i++)
        scale *= 10;
    for (size_t i = 0; point && iterations && i < file->point_count; i++) {
        point[i] = (struct rc_record_point){file->point[i].name, file->point[i].axis};
        iterations[i] = scale;
    }
    return (struct rc_record_suite){.name = s->name,
                                    .summary = s->summary,
                                    .footprint = s->leaves_core ? RC_FOOTPRINT_MEMORY
                                                                : RC_FOOTPRINT_CORE,
                                    .axes = s->axes,
                                    .axis_count = count_words(s->axes),
                                    .point = point,
                                    .point_count = file->point_count,
                                    .ideals = s->ideals,
                                    .ideal_count = count_words(s->ideals),
                                    .own_count = count_words(s->ideals),
                                    .basis = file->basis,
                                    .iterations = iterations,
                                    .source_count = 1};
}

/* Writes the kind with its one source, and all events, suites and groups. */
static int write_kind(struct work *w, struct rc_error *err)
{
    const struct rc_import *m = w->import;
    const struct rc_record_source source = {.name = m->format->source,
                                            .label = m->format->label};
    char key[1024];
    const struct rc_record_kind kind = {
        .name = w->import->kind, .key = key, .source = &source, .source_count = 1};

    snprintf(key, sizeof key, "imported by %s: %s", m->format->name, w->import->kind);
    w->kind = rc_record_kind_id(key);
    fill_events(w);
    for (size_t i = 0; i < m->part_count; i++)
        w->suite[i] = suite_of(&w->arena, &m->part[i]);
    const int status = rc_arena_check(&w->arena, err, "the points of the suites");
    if (status != RC_OK)
        return status;
    const struct rc_campaign_kind whole = {.record = kind,
                                           .event = w->event,
                                           .suite = w->suite,
                                           .group = w->group,
                                           .event_count = m->event_count,
                                           .suite_count = m->part_count,
                                           .group_count = w->group_count};
    return rc_campaign_write_kind(w->journal, &whole, err);
}

/* A unit at each place: the items of an event and suite are its repetitions. */
struct unit {
    uint32_t suite, group;
    const struct rc_import_item **item;
    size_t count;
};

/* Writes the readings of an event in a suite at one place (thread), from all of its
 * files.
 */
static int write_unit(struct work *w, const struct unit *u, size_t place,
                      struct rc_error *err)
{
    const struct rc_import_file *first = &u->item[0]->file;
    const size_t points = first->point_count;
    struct rc_arena arena = {0};
    struct rc_record_readings readings = {
        rc_arena_array(&arena, u->count * points, sizeof *readings.values),
        rc_arena_array(&arena, u->count, sizeof *readings.enabled_ns),
        rc_arena_array(&arena, u->count, sizeof *readings.running_ns),
        rc_arena_array(&arena, u->count, 1)};
    char name[32] = "";
    int status = rc_arena_check(&arena, err, "the readings of an event");

    if (status != RC_OK)
        goto out;
    if (first->place_count > 1)
        snprintf(name, sizeof name, "thread %zu", place);
    for (size_t r = 0; r < u->count; r++) {
        const struct rc_import_file *file = &u->item[r]->file;
        readings.status[r] = RC_READING_OK;
        for (size_t p = 0; p < points; p++) /* scale_part() has checked that they fit */
            (void)rc_import_scale(file->number[p * file->place_count + place],
                                  w->import->part[u->suite].decimals,
                                  &readings.values[r * points + p]);
    }
    const struct rc_record_unit unit = {.kind = w->kind,
                                        .suite = u->suite,
                                        .group = u->group,
                                        .place = name,
                                        .node = w->import->kind,
                                        .core = (uint32_t)place,
                                        .status = RC_UNIT_OK,
                                        .stop = RC_STOP_MOST,
                                        .events = 1,
                                        .repetitions = (uint32_t)u->count,
                                        .points = (uint32_t)points};
    if ((status = rc_record_put_unit(&unit, &readings, &w->payload, err)) == RC_OK)
        status = rc_journal_append(w->journal, RC_RECORD_UNIT, w->payload.byte,
                                   w->payload.count, err);
out:
    rc_arena_free(&arena);
    return status;
}

/* Writes the units of a suite, each from the used items of one event. */
static int write_units(struct work *w, uint32_t suite, struct rc_error *err)
{
    const struct rc_import *m = w->import;
    const struct rc_import_part *part = &m->part[suite];
    struct unit u = {.suite = suite,
                     .item = rc_arena_array(&w->arena, part->end - part->first,
                                            sizeof(const struct rc_import_item *))};
    int status = rc_arena_check(&w->arena, err, "the files of a suite");

    if (status != RC_OK)
        return status;
    for (size_t i = part->first; i < part->end; i++) {
        const struct rc_import_item *item = &m->item[i];
        if (!item->left_out)
            u.item[u.count++] = item;
        if (u.count == 0 ||
            (i + 1 < part->end && strcmp(item->event, item[1].event) == 0))
            continue;
        u.group = w->group_of[item->number];
        for (size_t p = 0; p < u.item[0]->file.place_count; p++)
            if ((status = write_unit(w, &u, p, err)) != RC_OK)
                return status;
        u.count = 0;
    }
    return RC_OK;
}

int rc_import_records(void *import, struct rc_journal *journal, struct rc_error *err)
{
    const struct rc_import *m = import;
    struct work w = {.import = m, .journal = journal};
    int status;

    w.event = rc_arena_array(&w.arena, m->event_count, sizeof *w.event);
    w.group = rc_arena_array(&w.arena, m->event_count, sizeof *w.group);
    w.group_of = rc_arena_array(&w.arena, m->event_count, sizeof *w.group_of);
    w.number = rc_arena_array(&w.arena, m->event_count, sizeof *w.number);
    w.suite = rc_arena_array(&w.arena, m->part_count, sizeof *w.suite);
    if ((status = rc_arena_check(&w.arena, err, "the events that were read")) ||
        (status = write_campaign(&w, err)) || (status = write_kind(&w, err)) ||
        (status = write_origin(&w, err)))
        goto out;
    for (uint32_t s = 0; s < m->part_count; s++)
        if ((status = write_units(&w, s, err)) != RC_OK)
            goto out;
out:
    rc_arena_free(&w.arena);
    rc_bytes_fini(&w.payload);
    return status;
}
