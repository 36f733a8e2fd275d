/* Opens a node's catalogue and prints the parts around its events, as text and JSON. */
#include "campaign/commands/node_view.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"

/* rc_each_kind.answer */
static int verdict_of(void *context, size_t index, const char **name)
{
    const struct rc_catalogue *catalogue = ((struct rc_node_view *)context)->catalogue;

    if (index == catalogue->count)
        return -1;
    *name = catalogue->event[index].name;
    return catalogue->event[index].verdict;
}

int rc_node_view_open(void *context, struct rc_kind *kind, struct rc_error *err)
{
    struct rc_node_view *look = context;
    const int status =
        rc_catalogue_open(look->spec, look->trial, &look->catalogue, err);

    if (status != RC_OK)
        return status;
    *kind = look->catalogue->kind;
    return RC_OK;
}

struct rc_each_kind rc_node_view_each_kind(struct rc_node_view *context)
{
    return (struct rc_each_kind){.context = context,
                                 .look = rc_node_view_open,
                                 .doing = context->trial ? "trying events" : NULL,
                                 .answer = verdict_of,
                                 .values = rc_verdict_names()};
}

int rc_node_view_say_patterns(const struct rc_node_view *look, const char *command,
                              struct rc_error *err)
{
    char line[RC_PATTERNS_LINE];
    int status = rc_catalogue_idle_patterns(look->catalogue, &look->spec->events, line,
                                            sizeof line, err);

    if (line[0])
        fprintf(stderr, "rollcall %s: %s\n", command, line);
    return status;
}

int rc_node_view_check_any(MPI_Comm comm, const struct rc_node_view *look,
                           struct rc_error *err)
{
    const bool any =
        !look->spec->events.count || (look->catalogue && look->catalogue->count);

    return rc_team_most(comm, any)
               ? RC_OK
               : rc_fail(err, RC_EMISSING,
                         "no event matches the patterns, see 'rollcall events'");
}

void rc_node_view_text_head(const struct rc_node_view *look,
                            const struct rc_each_kind_view *view, FILE *out)
{
    const struct rc_catalogue *c = look->catalogue;
    char nodes[600];

    fprintf(out, "kind %s %s\n", c->kind.name,
            rc_each_kind_nodes(view, nodes, sizeof nodes));
    for (size_t i = 0; i < c->source_count; i++)
        fprintf(out, "source %s, %s: %s\n", c->source[i].source->name,
                c->source[i].label, c->source[i].counter_set);
    if (c->remark[0])
        fprintf(out, "%s\n", c->remark);
    fputc('\n', out);
}

void rc_node_view_text_tail(const struct rc_node_view *look,
                            const struct rc_each_kind_view *view, FILE *out)
{
    const struct rc_catalogue *c = look->catalogue;
    size_t tally[RC_VERDICT_COUNT];
    char took[RC_TEXT_SHORT];

    rc_catalogue_tally(c, tally);
    fprintf(out, "\n%zu event%s of %zu:", c->count, rc_text_s(c->count), c->offered);
    for (int v = 0, some = 0; v < RC_VERDICT_COUNT; v++)
        if (tally[v])
            fprintf(out, "%s %zu %s", some++ ? "," : "", tally[v],
                    rc_verdict_name((enum rc_verdict)v));
    if (c->count == 0)
        fputs(" no match", out);
    if (look->trial)
        fprintf(out, "; tried in %s", rc_text_put_duration(took, c->trial_ns));
    fprintf(out, "\n%s", view->differences);
}

void rc_node_view_json_kind(struct rc_json *json, const struct rc_kind *kind,
                            const struct rc_each_kind_view *view)
{
    rc_json_object(json, NULL);
    rc_json_text(json, "kind", kind->name);
    rc_json_text(json, "key", kind->key);
    rc_json_array(json, "nodes");
    for (size_t i = 0; i < view->kind->node_count; i++)
        rc_json_text(json, NULL, view->nodes->node[view->kind->nodes[i]].name);
    rc_json_end(json);
    rc_json_text(json, "differences", view->differences);
}

void rc_node_view_json_head(struct rc_json *json, const struct rc_node_view *look,
                            const struct rc_each_kind_view *view)
{
    const struct rc_catalogue *c = look->catalogue;

    rc_node_view_json_kind(json, &c->kind, view);
    rc_json_array(json, "sources");
    for (size_t i = 0; i < c->source_count; i++) {
        rc_json_object(json, NULL);
        rc_json_text(json, "source", c->source[i].source->name);
        rc_json_text(json, "label", c->source[i].label);
        rc_json_text(json, "counter_set", c->source[i].counter_set);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_text(json, "remark", c->remark);
}
