/* Asks every node of a job and prints one answer for each kind, with the nodes that
 * differ.
 *
 * The leader of each node has a list of answers, each a name and a byte.  Leaders of
 * one kind compare theirs with those of the first of them, which speaks for the kind:
 * it renders the kind's part into memory, and rank 0 prints the parts in order.
 */
#include "campaign/commands/each_kind.h"

#include "campaign/base/agree.h"
#include "campaign/base/files/file.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/run/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 640,    /* bytes of the line on a node that differs */
    NAMED_MOST = 4 /* answers that it names */
};

/* The answers of one node. */
struct answers {
    uint64_t count;
    uint64_t names;       /* a hash of all names in their order */
    unsigned char *value; /* by answer */
};

/* Collects the command's answers for this node. */
static int collect_answers(const struct rc_each_kind *each_kind, struct answers *out,
                           struct rc_error *err)
{
    const char *name;
    size_t room = 0;
    int value;

    *out = (struct answers){.names = rc_text_hash("")};
    while ((value = each_kind->answer(each_kind->context, out->count, &name)) >= 0) {
        if (rc_grow(&out->value, 1, out->count, &room))
            return rc_fail(err, RC_ENOMEM, "no memory to compare %" PRIu64 " answers",
                           out->count);
        out->names = rc_text_hash_more(out->names, name, strlen(name) + 1);
        out->value[out->count++] = (unsigned char)value;
    }
    return RC_OK;
}

/* Writes "node n2: 3 differ: A (ok, here: unsupported), ..." into 'line'. */
static void describe(const struct rc_each_kind *each_kind, const char *node,
                     const struct answers *first, const struct answers *own, char *line)
{
    const char *name = "";
    size_t differing = 0;
    char names[480] = "";

    if (first->count != own->count || first->names != own->names) {
        snprintf(line, LINE,
                 "node %s differs: %" PRIu64 " answers, elsewhere %" PRIu64 "%s", node,
                 own->count, first->count,
                 first->count == own->count ? ", under other names" : "");
        return;
    }
    for (size_t i = 0; i < own->count; i++) {
        if (own->value[i] == first->value[i] || differing++ >= NAMED_MOST)
            continue;
        (void)each_kind->answer(each_kind->context, i, &name);
        rc_text_append(names, sizeof names, "%s%s: %s, not %s", names[0] ? "; " : "",
                       name, each_kind->values[own->value[i]],
                       each_kind->values[first->value[i]]);
    }
    line[0] = 0;
    if (differing)
        snprintf(line, LINE, "node %s differs in %zu: %.400s%s", node, differing, names,
                 differing > NAMED_MOST ? "; ..." : "");
    rc_text_printable(line, LINE, line); /* events may have any name */
}

/* Collective over a kind's node leaders.  On the first one, *text has the lines of the
 * others; free() it.
 */
static int compare_nodes(const struct rc_each_kind *each_kind, const char *node,
                         MPI_Comm leaders, char **text, struct rc_error *err)
{
    struct answers own, first = {0};
    int size = rc_team_size(leaders), rank = rc_team_rank(leaders);
    char line[LINE] = "";
    char *lines = rc_calloc((size_t)size, LINE);
    int status = collect_answers(each_kind, &own, err);

    *text = rc_calloc((size_t)size, LINE + 1);
    if (status == RC_OK && (!lines || !*text))
        status = rc_fail(err, RC_ENOMEM, "no memory to compare %d nodes", size);
    status = rc_agree(leaders, status, err);
    if (status != RC_OK)
        goto out;
    first = own;
    first.value = NULL;
    rc_broadcast(leaders, 0, &first.count, sizeof first.count);
    rc_broadcast(leaders, 0, &first.names, sizeof first.names);
    first.value = rank == 0 ? own.value : rc_calloc(first.count, 1);
    if (!first.value && first.count > 0)
        status = rc_fail(err, RC_ENOMEM, "no memory to compare nodes");
    status = rc_agree(leaders, status, err);
    if (status != RC_OK)
        goto out;
    rc_broadcast(leaders, 0, first.value, first.count);
    describe(each_kind, node, &first, &own, line);
    MPI_Gather(line, LINE, MPI_CHAR, lines, LINE, MPI_CHAR, 0, leaders);
    for (int i = 0; i < size && rank == 0; i++)
        if (lines[(size_t)i * LINE]) {
            char *end = *text + strlen(*text);
            snprintf(end, LINE + 1, "%s\n", lines + (size_t)i * LINE);
        }
out:
    if (first.value != own.value)
        free(first.value);
    free(own.value);
    free(lines);
    return status;
}

struct rendering {
    const struct rc_each_kind *each_kind;
    const struct rc_each_kind_view *view;
};

static int render(FILE *out, void *context, struct rc_error *err)
{
    const struct rendering *r = context;

    return r->each_kind->render(r->each_kind->context, r->view, out, err);
}

/* Collective over 'comm': compares, renders and prints. */
static int print_answers(MPI_Comm comm, const struct rc_each_kind *each_kind,
                         const struct rc_nodes *nodes, const struct rc_kinds *kinds,
                         FILE *out, struct rc_error *err)
{
    char *differences = NULL, *text = NULL;
    size_t bytes = 0;
    int status = RC_OK;

    if (kinds->leaders != MPI_COMM_NULL)
        status = compare_nodes(each_kind, nodes->node[nodes->mine].name, kinds->leaders,
                               &differences, err);
    status = rc_agree(comm, status, err);
    if (status != RC_OK)
        goto out;
    const struct rc_each_kind_view view = {
        nodes, kinds->speaks ? &kinds->kind[kinds->mine] : NULL,
        differences ? differences : ""};
    if (comm == MPI_COMM_NULL) { /* alone: nothing to gather */
        fputs(each_kind->before, out);
        status = each_kind->render(each_kind->context, &view, out, err);
        fputs(each_kind->after, out);
        goto out;
    }
    if (kinds->speaks)
        status = rc_file_to_memory(
            &text, &bytes,
            &(struct rc_file_writer){render, &(struct rendering){each_kind, &view}},
            err);
    status = rc_agree(comm, status, err);
    if (status != RC_OK)
        goto out;
    const bool prints = rc_team_rank(comm) == 0;
    if (prints)
        fputs(each_kind->before, out);
    rc_kinds_print(nodes, kinds, text, bytes, each_kind->between, out);
    if (prints)
        fputs(each_kind->after, out);
out:
    free(text);
    free(differences);
    return status;
}

int rc_each_kind_run(MPI_Comm comm, const struct rc_each_kind *each_kind, FILE *out,
                     struct rc_error *err)
{
    struct rc_nodes nodes = {.comm = MPI_COMM_NULL};
    struct rc_kinds kinds = {.leaders = MPI_COMM_NULL};
    struct rc_kind kind = {{0}, {0}};
    int status = rc_nodes_find(comm, &nodes, err);

    if (status != RC_OK)
        return status;
    struct rc_progress *progress = each_kind->doing ? rc_progress_of(comm) : NULL;
    rc_progress_stage(progress, "%s", each_kind->doing ? each_kind->doing : "");
    for (size_t i = 0; i < nodes.count && each_kind->ranks; i++)
        if (i == 0 || (uint32_t)nodes.node[i].ranks < *each_kind->ranks)
            *each_kind->ranks = (uint32_t)nodes.node[i].ranks;
    if (nodes.leads)
        status = each_kind->look(each_kind->context, &kind, err);
    status = rc_agree(comm, status, err);
    rc_progress_close(progress, NULL);
    if (status != RC_OK)
        goto out;
    status = rc_kinds_sort(&nodes, &kind, &kinds, err);
    if (status != RC_OK)
        goto out;
    status = print_answers(comm, each_kind, &nodes, &kinds, out, err);
out:
    rc_kinds_fini(&kinds);
    rc_nodes_fini(&nodes);
    return status;
}

const char *rc_each_kind_nodes(const struct rc_each_kind_view *view, char *out,
                               size_t room)
{
    const struct rc_node_kind *kind = view->kind;

    out[0] = 0;
    if (kind->node_count == 1)
        rc_text_append(out, room, "on node ");
    else
        rc_text_append(out, room, "on %zu nodes: ", kind->node_count);
    for (size_t i = 0; i < kind->node_count && i < 8; i++)
        rc_text_append(out, room, "%s%s", i ? ", " : "",
                       view->nodes->node[kind->nodes[i]].name);
    if (kind->node_count > 8)
        rc_text_append(out, room, ", ...");
    return out;
}
