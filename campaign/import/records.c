/* Files that were read as records of a campaign. */
#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "campaign/import/parts.h"
#include "campaign/records/record.h"
#include "kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Items of one event, which stand together. */
struct event {
    size_t first, count;
    uint32_t group;
    bool counts; /* some of its files are used: it has a group */
};

struct work {
    const struct rc_import *import;
    const struct rc_import_target *target;
    const struct rc_import_sink *sink;
    uint64_t kind;
    struct event *event;
    size_t event_count;
    struct rc_bytes payload;
};

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for what was imported");
}

static int emit(struct work *w, uint32_t type, int status, struct rc_error *err)
{
    return status == RC_OK ? w->sink->emit(w->sink->context, type, w->payload.byte,
                                           w->payload.count, err)
                           : status;
}

static int put_campaign(struct work *w, const char *spec, struct rc_error *err)
{
    const struct rc_record_campaign campaign = {
        .spec = spec, .created_by = "rollcall " RC_VERSION, .unix_time = time(NULL)};

    return emit(w, RC_RECORD_CAMPAIGN,
                rc_record_put_campaign(&campaign, &w->payload, err), err);
}

static int put_origin(struct work *w, struct rc_error *err)
{
    const size_t count = w->target->path_count;
    struct rc_record_operand *operand = rc_calloc(count, sizeof *operand);
    const struct rc_record_origin origin = {.operation = RC_OPERATION_IMPORT,
                                            .unix_time = time(NULL),
                                            .created_by = "rollcall " RC_VERSION,
                                            .operand = operand,
                                            .operand_count = count};

    if (!operand)
        return no_memory(err);
    for (size_t i = 0; i < count; i++)
        operand[i] =
            (struct rc_record_operand){.name = w->import->format->name,
                                       .created_by = w->import->format->summary,
                                       .directory = w->target->path[i]};
    int status =
        emit(w, RC_RECORD_ORIGIN, rc_record_put_origin(&origin, &w->payload, err), err);
    free(operand);
    return status;
}

static int put_kind(struct work *w, struct rc_error *err)
{
    char key[1024];
    const struct rc_record_source source = {.name = w->import->format->source,
                                            .label = w->import->format->label};
    const struct rc_record_kind kind = {
        .name = w->target->kind, .key = key, .source = &source, .source_count = 1};

    snprintf(key, sizeof key, "imported by %s: %s", w->import->format->name,
             w->target->kind);
    w->kind = rc_record_kind_id(key);
    return emit(w, RC_RECORD_KIND, rc_record_put_kind(&kind, &w->payload, err), err);
}

static int find_events(struct work *w, struct rc_error *err)
{
    const struct rc_import *m = w->import;
    uint32_t groups = 0;

    w->event = rc_calloc(m->count, sizeof *w->event);
    if (!w->event)
        return no_memory(err);
    for (size_t i = 0; i < m->count; i++) {
        if (i == 0 || strcmp(m->item[i].event, m->item[i - 1].event) != 0)
            w->event[w->event_count++] = (struct event){.first = i};
        struct event *e = &w->event[w->event_count - 1];
        e->count++;
        e->counts = e->counts || !m->item[i].left_out;
    }
    for (size_t i = 0; i < w->event_count; i++)
        if (w->event[i].counts)
            w->event[i].group = groups++;
    return RC_OK;
}

static int put_events(struct work *w, struct rc_error *err)
{
    const struct rc_import_format *format = w->import->format;
    struct rc_record_event *event = rc_calloc(w->event_count, sizeof *event);

    if (!event)
        return no_memory(err);
    for (size_t i = 0; i < w->event_count; i++) {
        const struct rc_import_item *item = &w->import->item[w->event[i].first];
        event[i] = (struct rc_record_event){.name = item->event,
                                            .evidence = format->evidence,
                                            .scope = RC_SCOPE_CORE,
                                            .verdict = RC_VERDICT_OK};
        if (w->event[i].counts)
            continue;
        event[i].verdict = strcmp(item->left_out, format->no_reading) == 0
                               ? RC_VERDICT_UNSUPPORTED
                               : RC_VERDICT_UNTRIED;
        event[i].reason = item->left_out;
    }
    int status = emit(
        w, RC_RECORD_EVENTS,
        rc_record_put_events(w->kind, 0, event, w->event_count, &w->payload, err), err);
    free(event);
    return status;
}

static int put_groups(struct work *w, struct rc_error *err)
{
    struct rc_record_group *group = rc_calloc(w->event_count, sizeof *group);
    uint32_t *event = rc_calloc(w->event_count, sizeof *event);
    size_t count = 0;
    int status = group && event ? RC_OK : no_memory(err);

    for (size_t i = 0; i < w->event_count && status == RC_OK; i++) {
        if (!w->event[i].counts)
            continue;
        event[count] = (uint32_t)i;
        group[count] = (struct rc_record_group){
            .scope = RC_SCOPE_CORE, .event = &event[count], .count = 1, .own = 1};
        count++;
    }
    if (status == RC_OK)
        status =
            emit(w, RC_RECORD_GROUPS,
                 rc_record_put_groups(w->kind, 0, group, count, &w->payload, err), err);
    free(event);
    free(group);
    return status;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;

    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* Any file of a suite has its points and basis. */
static const struct rc_import_file *file_of(const struct rc_import *m, size_t suite)
{
    for (size_t i = 0; i < m->count; i++)
        if (!m->item[i].left_out && m->item[i].suite == m->suite[suite])
            return &m->item[i].file;
    return NULL; /* there would be no such suite */
}

static size_t count_words(const char *const *words)
{
    size_t count = 0;

    while (words[count])
        count++;
    return count;
}

static int put_suite(struct work *w, size_t number, struct rc_error *err)
{
    const struct rc_import *m = w->import;
    const struct rc_import_suite *s = m->suite[number];
    const struct rc_import_file *file = file_of(m, number);
    const uint64_t scale = power_of_ten(m->decimals[number]);
    struct rc_record_point *point = rc_calloc(file->point_count, sizeof *point);
    uint64_t *iterations = rc_calloc(file->point_count, sizeof *iterations);
    const struct rc_record_suite suite = {
        .name = s->name,
        .summary = s->summary,
        .footprint = s->leaves_core ? RC_FOOTPRINT_MEMORY : RC_FOOTPRINT_CORE,
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
    int status = point && iterations ? RC_OK : no_memory(err);

    for (size_t i = 0; i < file->point_count && status == RC_OK; i++) {
        point[i] = (struct rc_record_point){file->point[i].name, file->point[i].axis};
        iterations[i] = file->point[i].iterations * scale;
    }
    if (status == RC_OK)
        status =
            emit(w, RC_RECORD_SUITE,
                 rc_record_put_suite(w->kind, number, &suite, &w->payload, err), err);
    free(iterations);
    free(point);
    return status;
}

/* The items of an event and suite: its repetitions. */
struct run {
    const struct rc_import_item **item;
    size_t count;
};

static void fill_values(const struct run *run, size_t place, unsigned decimals,
                        struct rc_record_readings *out)
{
    const size_t points = run->item[0]->file.point_count;

    for (size_t r = 0; r < run->count; r++) {
        const struct rc_import_file *file = &run->item[r]->file;
        out->status[r] = RC_READING_OK;
        for (size_t p = 0; p < points; p++)
            (void)rc_import_scale(file->number[p * file->place_count + place], decimals,
                                  &out->values[r * points + p]); /* it was tried */
    }
}

static int put_unit(struct work *w, size_t suite, uint32_t group, const struct run *run,
                    size_t place, struct rc_error *err)
{
    const struct rc_import_file *file = &run->item[0]->file;
    struct rc_record_readings readings = {
        rc_calloc(run->count * file->point_count, sizeof *readings.values),
        rc_calloc(run->count, sizeof *readings.enabled_ns),
        rc_calloc(run->count, sizeof *readings.running_ns), rc_calloc(run->count, 1)};
    char name[32] = "";
    int status =
        readings.values && readings.enabled_ns && readings.running_ns && readings.status
            ? RC_OK
            : no_memory(err);

    if (file->place_count > 1 || file->cpu)
        snprintf(name, sizeof name, "thread %zu", place);
    const struct rc_record_unit unit = {.kind = w->kind,
                                        .suite = (uint32_t)suite,
                                        .group = group,
                                        .place = name,
                                        .node = w->target->kind,
                                        .core = (uint32_t)place,
                                        .cpu = file->cpu ? file->cpu[place] : 0,
                                        .status = RC_UNIT_OK,
                                        .stop = RC_STOP_MOST,
                                        .events = 1,
                                        .repetitions = (uint32_t)run->count,
                                        .points = (uint32_t)file->point_count};
    if (status == RC_OK) {
        fill_values(run, place, w->import->decimals[suite], &readings);
        status = emit(w, RC_RECORD_UNIT,
                      rc_record_put_unit(&unit, &readings, &w->payload, err), err);
    }
    free(readings.values);
    free(readings.enabled_ns);
    free(readings.running_ns);
    free(readings.status);
    return status;
}

static int put_units(struct work *w, const struct event *e, size_t suite,
                     struct rc_error *err)
{
    const struct rc_import *m = w->import;
    struct run run = {rc_calloc(e->count, sizeof(void *)), 0};
    int status = run.item ? RC_OK : no_memory(err);

    for (size_t i = 0; i < e->count && status == RC_OK; i++) {
        const struct rc_import_item *item = &m->item[e->first + i];
        if (!item->left_out && item->suite == m->suite[suite])
            run.item[run.count++] = item;
    }
    for (size_t p = 0; run.count && p < run.item[0]->file.place_count; p++)
        if (status == RC_OK)
            status = put_unit(w, suite, e->group, &run, p, err);
    free((void *)run.item);
    return status;
}

static int put_all_units(struct work *w, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t s = 0; s < w->import->suite_count; s++)
        for (size_t i = 0; i < w->event_count && status == RC_OK; i++)
            if (w->event[i].counts)
                status = put_units(w, &w->event[i], s, err);
    return status;
}

int rc_import_records(const struct rc_import *import,
                      const struct rc_import_target *target, const char *spec,
                      const struct rc_import_sink *sink, struct rc_error *err)
{
    struct work w = {.import = import, .target = target, .sink = sink};
    int status = put_campaign(&w, spec, err);

    if (status == RC_OK)
        status = put_origin(&w, err);
    if (status == RC_OK)
        status = put_kind(&w, err);
    if (status == RC_OK)
        status = find_events(&w, err);
    if (status == RC_OK)
        status = put_events(&w, err);
    for (size_t s = 0; s < import->suite_count && status == RC_OK; s++)
        status = put_suite(&w, s, err);
    if (status == RC_OK)
        status = put_groups(&w, err);
    if (status == RC_OK)
        status = put_all_units(&w, err);
    free(w.event);
    rc_bytes_fini(&w.payload);
    return status;
}
