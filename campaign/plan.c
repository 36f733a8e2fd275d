/* The plan command: which events are counted together. */
#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/commands.h"
#include "campaign/groups.h"
#include "campaign/look.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rc_option option_write = {
    .name = "write",
    .argument = "FILE",
    .summary = "write the full, resolved campaign file"};

static const struct rc_option *const options[] = {
    &rc_option_campaign, &rc_option_source, &rc_option_suite,  &rc_option_events,
    &rc_option_scope,    &rc_option_repeat, &rc_option_format, &rc_option_qualifiers,
    &rc_option_presets,  &rc_option_seed,   &option_write,     NULL};

static const struct rc_column columns[] = {
    {.name = "kind"},   {.name = "source"}, {.name = "group", .type = RC_CELL_NUMBER},
    {.name = "scope"},  {.name = "role"},   {.name = "event"},
    {.name = "reason"}, {.name = NULL}};

/* The groups of one source of the catalogue. */
struct part {
    struct rc_groups groups;
    uint32_t *event_of_number; /* index in the catalogue by the source's number */
    uint32_t numbers;
    size_t candidates; /* events that go into groups */
};

struct work {
    struct rc_look look;
    struct part *parts;
};

/* An event that the trial did not see count may count under a kernel. */
static bool is_candidate(const struct rc_event *event)
{
    return event->verdict == RC_VERDICT_OK ||
           event->verdict == RC_VERDICT_COUNTS_NOTHING;
}

static struct rc_group_event group_event(const struct rc_event *e)
{
    return (struct rc_group_event){e->number, e->domain, e->alike,
                                   (enum rc_scope)e->scope};
}

static int index_events(struct part *part, const struct rc_catalogue *c,
                        uint32_t source, struct rc_group_event *out)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->event[i].source == source && c->event[i].number >= part->numbers)
            part->numbers = c->event[i].number + 1;
    part->event_of_number = rc_calloc(part->numbers, sizeof *part->event_of_number);
    if (!part->event_of_number)
        return -1;
    for (size_t i = 0; i < c->count; i++) {
        const struct rc_event *e = &c->event[i];
        if (e->source != source)
            continue;
        part->event_of_number[e->number] = (uint32_t)i;
        if (is_candidate(e))
            out[part->candidates++] = group_event(e);
    }
    return 0;
}

static int group_source(struct work *w, uint32_t source, struct rc_error *err)
{
    const struct rc_catalogue *c = w->look.catalogue;
    const struct rc_open_source *s = &c->source[source];
    struct part *part = &w->parts[source];
    struct rc_group_event *events = rc_calloc(c->count, sizeof *events);
    struct rc_group_event reference = group_event(&s->reference);
    struct rc_groups_setup setup = {.cap = w->look.spec->group_size};
    int status = RC_OK;

    if (!events || index_events(part, c, source, events))
        status = rc_fail(err, RC_ENOMEM, "no memory to group %zu events", c->count);
    if (s->reference.name)
        setup.reference = &reference;
    if (status == RC_OK)
        status = rc_groups_of_source(s->source, s->state, events, part->candidates,
                                     &setup, &part->groups, err);
    free(events);
    return status;
}

static int look(void *context, struct rc_kind *kind, struct rc_error *err)
{
    struct work *w = context;
    int status = rc_look_open(context, kind, err);

    if (status != RC_OK)
        return status;
    w->parts = rc_calloc(w->look.catalogue->source_count, sizeof *w->parts);
    if (!w->parts)
        return rc_fail(err, RC_ENOMEM, "no memory for the groups");
    for (uint32_t i = 0; i < w->look.catalogue->source_count && status == RC_OK; i++)
        status = group_source(w, i, err);
    return status;
}

static const char *event_name(const struct work *w, size_t source, uint32_t number)
{
    const struct rc_catalogue *c = w->look.catalogue;
    const struct rc_event *reference = &c->source[source].reference;

    if (reference->name && reference->number == number)
        return reference->name;
    return c->event[w->parts[source].event_of_number[number]].name;
}

static void text_groups(const struct work *w, size_t source, FILE *out)
{
    const struct rc_groups *g = &w->parts[source].groups;
    const char *from = w->look.catalogue->source[source].source->name;
    char name[256], reason[256];

    for (size_t i = 0; i < g->count; i++) {
        fprintf(out, "%s group %zu, %s:", from, i, rc_scope_name(g->group[i].scope));
        for (size_t j = 0; j < g->group[i].count; j++)
            fprintf(out, "%s %s", j ? "," : "",
                    rc_text_printable(name, sizeof name,
                                      event_name(w, source, g->group[i].events[j])));
        fputc('\n', out);
    }
    for (size_t i = 0; i < g->unfit_count; i++)
        fprintf(out, "%s in no group: %s: %s\n", from,
                rc_text_printable(name, sizeof name,
                                  event_name(w, source, g->unfit[i].event)),
                rc_text_printable(reason, sizeof reason, g->unfit[i].reason));
}

static void text_summary(const struct work *w, size_t source, FILE *out)
{
    const struct rc_open_source *s = &w->look.catalogue->source[source];
    const struct part *part = &w->parts[source];
    const struct rc_groups *g = &part->groups;
    size_t placed = part->candidates - g->unfit_count;
    char took[RC_TEXT_SHORT], name[256];

    fprintf(out,
            "%s: %zu event%s in %zu group%s, at most %zu together, %" PRIu64
            " trials in %s\n",
            s->source->name, placed, placed == 1 ? "" : "s", g->count,
            g->count == 1 ? "" : "s", g->statistics.largest, g->statistics.trials,
            rc_text_put_duration(took, g->statistics.wall_ns));
    if (s->reference.name)
        fprintf(out, "%s: reference %s in %zu of %zu group%s\n", s->source->name,
                rc_text_printable(name, sizeof name, s->reference.name),
                g->statistics.with_reference, g->count, g->count == 1 ? "" : "s");
}

static void render_text(const struct work *w, const struct rc_survey_view *view,
                        FILE *out)
{
    rc_look_text_head(&w->look, view, out);
    for (size_t i = 0; i < w->look.catalogue->source_count; i++)
        text_groups(w, i, out);
    for (size_t i = 0; i < w->look.catalogue->source_count; i++)
        text_summary(w, i, out);
    rc_look_text_tail(&w->look, view, out);
}

static int put_group(const struct work *w, struct rc_rows *rows, size_t source,
                     const struct rc_group *group, struct rc_error *err)
{
    const struct rc_catalogue *c = w->look.catalogue;
    char index[32];
    int status = RC_OK;

    snprintf(index, sizeof index, "%zu", group->index);
    for (size_t j = 0; j < group->count && status == RC_OK; j++) {
        const char *cells[] = {c->kind.name,
                               c->source[source].source->name,
                               index,
                               rc_scope_name(group->scope),
                               j < group->own ? "own" : "reference",
                               event_name(w, source, group->events[j]),
                               NULL};
        status = rc_rows_put(rows, cells, err);
    }
    return status;
}

static int put_unfit(const struct work *w, struct rc_rows *rows, size_t source,
                     const struct rc_group_unfit *unfit, struct rc_error *err)
{
    const struct rc_catalogue *c = w->look.catalogue;
    const struct part *part = &w->parts[source];
    const struct rc_event *e = &c->event[part->event_of_number[unfit->event]];
    const char *cells[] = {c->kind.name, c->source[source].source->name,
                           NULL,         rc_scope_name(e->scope),
                           "none",       e->name,
                           unfit->reason};

    return rc_rows_put(rows, cells, err);
}

static int put_rows(const struct work *w, FILE *out, struct rc_json *json,
                    struct rc_error *err)
{
    struct rc_rows *rows = rc_rows_create(out, w->look.format, columns, json);
    int status = rows ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for the table");

    for (size_t s = 0; s < w->look.catalogue->source_count; s++) {
        const struct rc_groups *g = &w->parts[s].groups;
        for (size_t i = 0; i < g->count && status == RC_OK; i++)
            status = put_group(w, rows, s, &g->group[i], err);
        for (size_t i = 0; i < g->unfit_count && status == RC_OK; i++)
            status = put_unfit(w, rows, s, &g->unfit[i], err);
    }
    rc_rows_close(rows);
    return status;
}

static int render(void *context, const struct rc_survey_view *view, FILE *out,
                  struct rc_error *err)
{
    const struct work *w = context;

    if (w->look.format == RC_FORMAT_TEXT) {
        render_text(w, view, out);
        return RC_OK;
    }
    if (w->look.format == RC_FORMAT_CSV)
        return put_rows(w, out, NULL, err);
    struct rc_json *json = rc_json_create(out);
    if (!json)
        return rc_fail(err, RC_ENOMEM, "no memory for JSON");
    rc_look_json_head(json, &w->look, view);
    rc_json_array(json, "groups");
    int status = put_rows(w, out, json, err);
    rc_json_close(json);
    return status;
}

static void work_fini(struct work *w)
{
    for (size_t i = 0; w->parts && i < w->look.catalogue->source_count; i++) {
        rc_groups_fini(&w->parts[i].groups);
        free(w->parts[i].event_of_number);
    }
    free(w->parts);
    rc_catalogue_close(w->look.catalogue);
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const char *path = rc_args_value(args, &option_write);
    struct rc_spec spec;
    struct work work = {
        .look = {.spec = &spec,
                 .format = rc_rows_format(rc_args_value(args, &rc_option_format)),
                 .trial = true}};
    struct rc_survey survey = rc_look_survey();
    int status = rc_spec_agree(session->comm, args, &spec, err);

    if (status != RC_OK)
        return status;
    if (path && rc_team_rank(session->comm) == 0)
        status = rc_spec_write(&spec, path, err);
    status = rc_agree(session->comm, status, err);
    if (status != RC_OK)
        goto out;
    survey.look = look;
    survey.render = render;
    rc_rows_envelope(work.look.format, columns, &survey.before, &survey.between,
                     &survey.after);
    status = rc_survey_run(session->comm, &survey, &work, stdout, err);
out:
    work_fini(&work);
    rc_spec_fini(&spec);
    return status;
}

const struct rc_command rc_command_plan = {
    .name = "plan",
    .summary = "shows which events are counted together",
    .operands = "[PATTERN]...",
    .operands_most = SIZE_MAX,
    .description =
        "Tries every event as 'events' does and packs those that count into groups "
        "that "
        "the hardware really counts at once, found by trial and never by multiplexing. "
        "Each group carries a cheap reference event where a counter is free, by which "
        "groups can be checked against each other.\n\n"
        "--write puts down the campaign file in full, with every default: what the "
        "campaign file and the options together mean.",
    .examples = "  rollcall plan --source model:spr 'FP_ARITH*' 'BR_*'\n"
                "  rollcall plan -c campaign.yaml --write resolved.yaml\n",
    .options = options,
    .mpi = RC_MPI_LAUNCHED,
    .run = run,
};
