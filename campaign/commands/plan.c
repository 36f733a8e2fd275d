/* The plan command: what a run would do on each kind of machine.
 *
 * plan/preview.c makes the plan that a run would make, with the same trials, and
 * measures a few points for the estimate; here it is printed: groups, events that fit
 * into none, units by lane, time, memory and bytes.
 */
#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/commands/node_view.h"
#include "campaign/plan/estimate.h"
#include "campaign/plan/preview.h"
#include "campaign/spec/options.h"
#include "io/text/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static RC_OPTION(option_write, "write", "FILE",
                 "write the full, resolved campaign file");

static RC_OPTION(option_all, "all", NULL, "list the events of each group, too");

static RC_OPTIONS(options, &rc_option_campaign, &rc_option_source, &rc_option_suite,
                  &rc_option_axis, &rc_option_kernel, &rc_option_events,
                  &rc_option_scope, &rc_option_repeat, &rc_option_format,
                  &rc_option_qualifiers, &rc_option_presets, &rc_option_seed,
                  &rc_option_replicate, &option_write, &option_all, &rc_option_quiet,
                  &rc_option_verbose);

static RC_COLUMNS(columns, RC_TEXT("kind"), RC_TEXT("source"), RC_NUMBER("group"),
                  RC_TEXT("scope"), RC_TEXT("role"), RC_TEXT("event"),
                  RC_TEXT("reason"));

struct work {
    struct rc_node_view look; /* first: rc_node_view_open() casts its address */
    struct rc_preview preview;
    uint32_t ranks;     /* of a node, the fewest */
    bool all;           /* list groups with their events */
    bool *unfit;        /* by event of the kind: it is in no group */
    char remarks[2048]; /* lines of the preview for people */
};

static void remark(void *context, const char *line)
{
    struct work *w = context;

    rc_text_append(w->remarks, sizeof w->remarks, "%s\n", line);
}

static const struct rc_campaign_kind *kind_of(const struct work *w)
{
    return &w->preview.campaign->kind[w->preview.setup.kind];
}

/* rc_each_kind.look: plans on the leader of each node, since a node may differ, and
 * finds the events that are in no group.
 */
static int look_at_node(void *context, struct rc_kind *kind, struct rc_error *err)
{
    struct work *w = context;
    const struct rc_campaign_kind *planned;
    int status = rc_node_view_open(context, kind, err);

    if (status != RC_OK)
        return status;
    w->preview = (struct rc_preview){.spec = w->look.spec,
                                     .catalogue = w->look.catalogue,
                                     .remark = remark,
                                     .context = w};
    const size_t cores =
        rc_machine_unit_count(w->look.catalogue->machine, RC_SCOPE_CORE);
    w->look.catalogue->workers = w->ranks < cores ? w->ranks : (uint32_t)cores;
    status = rc_preview_make(&w->preview, err);
    if (status != RC_OK)
        return status;
    planned = kind_of(w);
    w->unfit = rc_calloc(planned->event_count, sizeof *w->unfit);
    if (!w->unfit)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events",
                       planned->event_count);
    for (size_t i = 0; i < planned->event_count; i++)
        w->unfit[i] = true;
    for (size_t g = 0; g < planned->group_count; g++)
        for (size_t i = 0; i < planned->group[g].count; i++)
            w->unfit[planned->group[g].event[i]] = false;
    return RC_OK;
}

static const char *source_name(const struct work *w, uint32_t source)
{
    return w->look.catalogue->source[source].source->name;
}

/* Whether an earlier group has the same source and scope. */
static bool is_like_an_earlier(const struct rc_campaign_kind *kind, size_t group)
{
    for (size_t i = 0; i < group; i++)
        if (kind->group[i].source == kind->group[group].source &&
            kind->group[i].scope == kind->group[group].scope)
            return true;
    return false;
}

/* Prints "model, core: 64 groups of 2 to 12 events", a line for each source and scope.
 */
static void text_group_counts(const struct work *w, FILE *out)
{
    const struct rc_campaign_kind *kind = kind_of(w);

    for (size_t i = 0; i < kind->group_count; i++) {
        const struct rc_record_group *first = &kind->group[i];
        size_t groups = 0, least = first->count, most = first->count;
        if (is_like_an_earlier(kind, i))
            continue;
        for (size_t j = i; j < kind->group_count; j++) {
            const struct rc_record_group *g = &kind->group[j];
            if (g->source != first->source || g->scope != first->scope)
                continue;
            groups++;
            least = g->count < least ? g->count : least;
            most = g->count > most ? g->count : most;
        }
        fprintf(out, "%s, %s: %zu group%s of ", source_name(w, first->source),
                rc_scope_name((enum rc_scope)first->scope), groups, rc_text_s(groups));
        if (least < most)
            fprintf(out, "%zu to ", least);
        fprintf(out, "%zu event%s\n", most, rc_text_s(most));
    }
}

/* Prints a line for each group, with its events in their order. */
static void text_groups(const struct work *w, FILE *out)
{
    const struct rc_campaign_kind *kind = kind_of(w);
    char name[256];

    if (!w->all) {
        text_group_counts(w, out);
        return;
    }
    for (size_t i = 0; i < kind->group_count; i++) {
        const struct rc_record_group *group = &kind->group[i];
        fprintf(out, "group %zu, %s, %s:", i, source_name(w, group->source),
                rc_scope_name((enum rc_scope)group->scope));
        for (size_t j = 0; j < group->count; j++)
            fprintf(out, "%s %s", j ? "," : "",
                    rc_text_printable(name, sizeof name,
                                      kind->event[group->event[j]].name));
        fputc('\n', out);
    }
}

/* Whether an event is in no group although its trial alone succeeded; events that fail
 * alone are shown by 'events'.
 */
static bool is_unfit(const struct work *w, size_t event)
{
    uint32_t listed = w->preview.map.listed[event];

    if (listed == RC_EVENT_ABSENT)
        return false;
    enum rc_verdict trial = (enum rc_verdict)w->look.catalogue->event[listed].verdict;
    return (trial == RC_VERDICT_OK || trial == RC_VERDICT_COUNTS_NOTHING) &&
           w->unfit[event];
}

/* Prints the lanes in the order in which they are measured. */
static void text_lanes(const struct rc_estimate_team *team,
                       const struct rc_estimate *estimate, FILE *out)
{
    char work[RC_TEXT_SHORT], wall[RC_TEXT_SHORT];

    fprintf(out, "\n%-10s %8s %8s %12s %12s\n", "lane", "units", "workers", "work",
            "wall");
    for (size_t l = 0; l < RC_LANE_COUNT; l++)
        if (estimate->lane[l].units)
            fprintf(out, "%-10s %8zu %8zu %12s %12s\n", rc_lane_name(l),
                    estimate->lane[l].units, team->workers[l],
                    rc_text_put_duration(work, estimate->lane[l].work_ns),
                    rc_text_put_duration(wall, estimate->lane[l].wall_ns));
}

static void text_time(const struct rc_estimate *estimate, const char *who, FILE *out)
{
    char least[RC_TEXT_SHORT], most[RC_TEXT_SHORT];

    fprintf(out, "about %s on %s, %s with the most repetitions\n",
            rc_text_put_duration(least, estimate->least_ns), who,
            rc_text_put_duration(most, estimate->most_ns));
}

/* Estimates for the present team, and for one of a rank for each core. */
static void text_estimate(const struct work *w, const struct rc_each_kind_view *view,
                          FILE *out)
{
    const struct rc_machine *machine = w->look.catalogue->machine;
    size_t nodes = view->kind->node_count, ranks = 0,
           cores = rc_machine_unit_count(machine, RC_SCOPE_CORE);
    char who[128], rank_bytes[RC_TEXT_SHORT], journal[RC_TEXT_SHORT];
    enum rc_replicate replicate = rc_units_replicate(&w->preview.setup);
    struct rc_estimate estimate;

    for (size_t i = 0; i < nodes; i++)
        ranks += (size_t)view->nodes->node[view->kind->nodes[i]].ranks;
    size_t each = nodes ? ranks / nodes : 0;
    struct rc_estimate_team team = rc_estimate_team(machine, each, nodes, replicate);
    rc_estimate(&w->preview.setup, &w->preview.units, &team, &estimate);
    text_lanes(&team, &estimate, out);
    fputc('\n', out);
    snprintf(who, sizeof who, "%zu rank%s", ranks, rc_text_s(ranks));
    text_time(&estimate, who, out);
    if (each < cores) {
        team = rc_estimate_team(machine, cores, nodes, replicate);
        rc_estimate(&w->preview.setup, &w->preview.units, &team, &estimate);
        snprintf(who, sizeof who, "all %zu cores (a rank each)", nodes * cores);
        text_time(&estimate, who, out);
    }
    fprintf(out,
            "%" PRIu64
            " readings of events; at most %s of readings in a rank's memory, "
            "%s in the journals\n",
            estimate.readings, rc_text_put_size(rank_bytes, estimate.rank_bytes),
            rc_text_put_size(journal, estimate.journal_bytes));
}

/* Adds a row for each event of each group, then one for each event in no group. */
static int put_rows(const struct work *w, FILE *out, struct rc_json *json,
                    struct rc_error *err)
{
    const struct rc_campaign_kind *kind = kind_of(w);
    struct rc_rows *rows = rc_rows_create(out, w->look.format, columns, json);

    for (size_t i = 0; i < kind->group_count; i++) {
        const struct rc_record_group *group = &kind->group[i];
        char index[32];
        snprintf(index, sizeof index, "%zu", i);
        for (size_t j = 0; j < group->count; j++) {
            RC_ROWS_PUT(rows, kind->record.name, source_name(w, group->source), index,
                        rc_scope_name((enum rc_scope)group->scope),
                        j < group->own ? "own" : "reference",
                        kind->event[group->event[j]].name, NULL);
        }
    }
    for (size_t i = 0; i < kind->event_count; i++) {
        const struct rc_record_event *e = &kind->event[i];
        if (is_unfit(w, i))
            RC_ROWS_PUT(rows, kind->record.name, source_name(w, e->source), NULL,
                        rc_scope_name((enum rc_scope)e->scope), "none", e->name,
                        e->reason);
    }
    return rc_rows_end(rows, RC_OK, err);
}

/* Writes every unit, in the order in which units are drawn. */
static void json_units(const struct work *w, struct rc_json *json)
{
    const struct rc_campaign_kind *kind = kind_of(w);

    rc_json_array(json, "units");
    for (size_t l = 0; l < RC_LANE_COUNT; l++)
        for (size_t i = 0; i < w->preview.units.lane[l].count; i++) {
            const struct rc_plan_unit *unit = &w->preview.units.lane[l].unit[i];
            char place[RC_PLACE_LABEL];
            (void)rc_units_where(&w->preview.setup, l, unit, "", RC_NO_WORKER, place);
            rc_json_object(json, NULL);
            rc_json_text(json, "lane", rc_lane_name(l));
            if (place[0]) /* of a simulated node */
                rc_json_text(json, "place", place);
            rc_json_text(json, "suite", kind->suite[unit->suite].name);
            rc_json_integer(json, "group", unit->group);
            rc_json_real(json, "seconds", (double)unit->cost_ns / 1e9);
            rc_json_end(json);
        }
    rc_json_end(json);
}

static void put_text(const struct work *w, const struct rc_each_kind_view *view,
                     FILE *out)
{
    const struct rc_campaign_kind *kind = kind_of(w);
    char name[256], reason[256];

    rc_node_view_text_head(&w->look, view, out);
    text_groups(w, out);
    for (size_t i = 0; i < kind->event_count; i++)
        if (is_unfit(w, i))
            fprintf(out, "%s in no group: %s: %s\n",
                    source_name(w, kind->event[i].source),
                    rc_text_printable(name, sizeof name, kind->event[i].name),
                    rc_text_printable(reason, sizeof reason, kind->event[i].reason));
    fprintf(out, "\n%s", w->remarks);
    text_estimate(w, view, out);
    rc_node_view_text_tail(&w->look, view, out);
}

/* Prints the same, wrapped to the width of the standard output. */
static int render_text(const struct work *w, const struct rc_each_kind_view *view,
                       FILE *out, struct rc_error *err)
{
    char *text = NULL;
    size_t bytes;
    FILE *whole = open_memstream(&text, &bytes);
    struct rc_page page;

    if (whole)
        put_text(w, view, whole);
    if (!whole || fclose(whole) != 0) {
        free(text);
        return rc_fail(err, RC_ENOMEM, "no memory for the plan");
    }
    rc_page_init(&page, stdout);
    page.out = out;
    rc_page_text(&page, text);
    rc_page_fini(&page);
    free(text);
    return RC_OK;
}

/* rc_each_kind.render: the plan of a kind, on the node that speaks for it. */
static int render(void *context, const struct rc_each_kind_view *view, FILE *out,
                  struct rc_error *err)
{
    const struct work *w = context;
    struct rc_json own, *json = rc_rows_json(w->look.format, &own, out);
    int status = rc_node_view_say_patterns(&w->look, "plan", err);

    if (status != RC_OK)
        return status;
    if (w->look.format == RC_FORMAT_TEXT)
        return render_text(w, view, out, err);
    if (json) {
        rc_node_view_json_head(json, &w->look, view);
        json_units(w, json);
        rc_json_array(json, "groups");
    }
    status = put_rows(w, out, json, err);
    rc_json_close(json);
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const char *path = rc_args_value(args, &option_write);
    struct rc_spec spec;
    struct work work = {
        .look = {.spec = &spec,
                 .format = rc_rows_format(rc_args_value(args, &rc_option_format)),
                 .trial = true},
        .all = rc_args_has(args, &option_all)};
    struct rc_each_kind each_kind = rc_node_view_each_kind(&work.look);
    int status = rc_spec_agree(session->comm, args, NULL, &spec, err);

    if (status != RC_OK)
        return status;
    if (path && rc_team_rank(session->comm) == 0)
        status = rc_spec_write(&spec, path, RC_FILE_GIVEN, err);
    status = rc_agree(session->comm, status, err);
    if (status != RC_OK)
        goto out;
    each_kind.ranks = &work.ranks;
    each_kind.look = look_at_node;
    each_kind.render = render;
    each_kind.doing = "trying events, groups and kernels";
    rc_rows_envelope(work.look.format, columns, &each_kind.before, &each_kind.between,
                     &each_kind.after);
    status = rc_each_kind_run(session->comm, &each_kind, stdout, err);
out:
    rc_preview_fini(&work.preview);
    rc_catalogue_close(work.look.catalogue);
    free(work.unfit);
    rc_spec_fini(&spec);
    return status;
}

const struct rc_command rc_command_plan = {
    .name = "plan",
    .summary = "shows what 'run' would do: groups, units, time",
    .operands = "[PATTERN]...",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_LAUNCHED,
    .variables = RC_VARIABLE_DATA,
    .see = (const char *const[]){"run", "doctor", "events", NULL},
    .run = run,
};
