/* Shows what a kind's readings say about its nodes, for a terminal, and as JSON. */
#include "campaign/noise/parts.h"

#include "campaign/base/text.h"
#include "io/text/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_NODES_MOST = 16 /* more are listed only if they are off */, CELL = 32 };

static RC_COLUMNS(node_columns, RC_TEXT("node"), RC_TEXT("off"),
                  RC_NUMBER("events_off"), RC_NUMBER("of"), RC_NUMBER("p"),
                  RC_TEXT("worst"), RC_NUMBER("delta_%"), RC_NUMBER("z"),
                  RC_TEXT("suite"));

static RC_COLUMNS(level_columns, RC_TEXT("suite"), RC_NUMBER("exact"),
                  RC_NUMBER("differs"), RC_NUMBER("repetition"), RC_NUMBER("core"),
                  RC_NUMBER("node"), RC_NUMBER("unresolved"), RC_NUMBER("not_read"),
                  RC_NUMBER("two_classes"), RC_NUMBER("places"));

/* The same for a terminal. */
static RC_COLUMNS(short_columns, RC_TEXT("suite"), RC_NUMBER("exact"),
                  RC_NUMBER("differs"), RC_NUMBER("rep"), RC_NUMBER("core"),
                  RC_NUMBER("node"), RC_NUMBER("unresolved"), RC_NUMBER("not_read"),
                  RC_NUMBER("classes"), RC_NUMBER("places"));

/* Nodes with a p of more than 'least' and up to 'most'. */
static size_t nodes_off(const struct rc_noise_kind *k, double least, double most)
{
    size_t count = 0;

    for (size_t n = 0; n < k->nodes; n++)
        count += k->node[n].p > least && k->node[n].p <= most;
    return count;
}

/* Whether there is more to say of a node than its name. */
static bool is_notable(const struct rc_noise_node *node)
{
    return node->worst_event && (node->off > 0 || node->p <= RC_NOISE_PERHAPS_P);
}

/* The suite of the event that is farthest off. */
static const struct rc_noise_suite *suite_of(const struct rc_noise_kind *k,
                                             const struct rc_noise_node *node)
{
    size_t i = 0;

    while (i + 1 < k->suite_count && k->suite[i].number != node->worst.suite)
        i++;
    return &k->suite[i];
}

static void put_node(const struct rc_noise_kind *k, const struct rc_noise_node *node,
                     struct rc_rows *rows)
{
    char off[CELL], of[CELL], p[CELL], delta[CELL], z[CELL];
    const struct rc_noise_suite *s = is_notable(node) ? suite_of(k, node) : NULL;

    snprintf(off, sizeof off, "%" PRIu64, node->off);
    snprintf(of, sizeof of, "%" PRIu64, node->of);
    snprintf(p, sizeof p, "%.2g", node->p);
    snprintf(delta, sizeof delta, "%.2f", 100 * node->worst.delta);
    snprintf(z, sizeof z, "%.1f", node->worst.z);
    RC_ROWS_PUT(rows, node->name,
                node->p <= RC_NOISE_OFF_P       ? "off"
                : node->p <= RC_NOISE_PERHAPS_P ? "perhaps"
                                                : NULL,
                off, of, node->of ? p : NULL, s ? node->worst_event : NULL,
                s ? delta : NULL, s ? z : NULL, s ? s->labels->name : NULL);
}

/* Questions that a suite leaves open, and the commands that answer them: each is
 * printed once, for all suites that it concerns.
 */
enum { PLACES, NODES, THIRD, CORES, REPETITIONS, LACKS };
static const char *const lacks[LACKS] = {
    [PLACES] = "each unit was measured once, wherever a core was free, so nothing is "
               "known of cores and nodes: 'rollcall run --replicate core' measures "
               "every core of every node",
    [NODES] = "there is one node: start 'rollcall run' on several, under mpirun or "
              "srun, with the same DIR",
    [THIRD] = "two nodes can differ, but which one is off takes three at least, and "
              "seven to be sure",
    [CORES] = "cores were not measured apart: 'rollcall run --replicate core' does",
    [REPETITIONS] = "there is one repetition: 'rollcall run --repeat 3' or more",
};

static bool is_lacking(const struct rc_noise_suite *s, int what)
{
    const struct rc_noise_places *p = &s->places;
    const bool is[LACKS] = {[PLACES] = p->any,
                            [NODES] = !p->any && p->nodes == 1,
                            [THIRD] = p->nodes == 2,
                            [CORES] = !p->any && !p->cores,
                            [REPETITIONS] = s->labels->repetitions < 2};

    return is[what];
}

static void say_nodes(const struct rc_noise_kind *k, FILE *out)
{
    const size_t off = nodes_off(k, -1, RC_NOISE_OFF_P);
    const size_t perhaps = nodes_off(k, RC_NOISE_OFF_P, RC_NOISE_PERHAPS_P);
    const char *const word = k->cores ? "core" : "node";

    if (k->tests == 0 && k->cores)
        fputs("no cores were compared: that needs events that are not exact on seven "
              "cores in all, and on four of a node\n",
              out);
    else if (k->tests == 0)
        fprintf(out, "no nodes were compared: %s\n",
                k->nodes < RC_NODES_FOR_ONE
                    ? "at least three nodes of a kind are needed"
                    : "every event is exact or has two classes");
    else {
        if (off == 0)
            fprintf(out, "no %s of %zu is off", word, k->nodes);
        else
            fprintf(out, "%zu of %zu %ss %s off", off, k->nodes, word,
                    off == 1 ? "is" : "are");
        if (perhaps > 0)
            fprintf(out, ", %zu perhaps", perhaps);
        putc('\n', out);
    }
}

/* Nodes that are off come first, then those with most events off, then by name. */
static int compare_nodes(const void *a, const void *b)
{
    const struct rc_noise_node *x = a, *y = b;
    const bool first = x->p <= RC_NOISE_PERHAPS_P, second = y->p <= RC_NOISE_PERHAPS_P;

    if ((first || second) && x->p != y->p)
        return x->p < y->p ? -1 : 1;
    if (x->off != y->off)
        return x->off > y->off ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* "n7: farthest off on EVENT_5_OF_7 (flops)" */
static void say_worst(const struct rc_noise_kind *k, const struct rc_noise_node *node)
{
    struct rc_page page;

    rc_page_init(&page, stdout);
    page.indent = 2;
    page.hang = 4;
    rc_page_words(&page, "%s: farthest off on", node->name);
    rc_page_word(&page, node->worst_event);
    rc_page_words(&page, "(%s)", suite_of(k, node)->labels->name);
    rc_page_end(&page);
    rc_page_fini(&page);
}

/* The table of nodes, or of cores, as text or as a list in 'json'. */
static int put_nodes(const struct rc_noise_kind *k, struct rc_json *json,
                     struct rc_error *err)
{
    const bool all = json || (k->nodes <= ALL_NODES_MOST && !k->cores);
    struct rc_noise_node *order = rc_calloc(k->nodes, sizeof *order);
    struct rc_column column[sizeof node_columns / sizeof *node_columns];

    if (!order)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu nodes", k->nodes);
    memcpy(column, node_columns, sizeof column);
    if (k->cores)
        column[0].name = "core";
    for (struct rc_column *c = column; c->name && !json;
         c++) /* on lines of their own */
        c->text_hidden = strcmp(c->name, "worst") == 0 || strcmp(c->name, "suite") == 0;
    if (json)
        rc_json_array(json, k->cores ? "cores" : "nodes");
    struct rc_rows *rows =
        rc_rows_create(stdout, json ? RC_FORMAT_JSON : RC_FORMAT_TEXT, column, json);
    for (size_t n = 0; n < k->nodes; n++)
        order[n] = k->node[n];
    qsort(order, k->nodes, sizeof *order, compare_nodes);
    for (size_t n = 0; n < k->nodes; n++)
        if (all || order[n].p <= RC_NOISE_PERHAPS_P)
            put_node(k, &order[n], rows);
    if (!json &&
        (k->tests == 0 || (k->cores && nodes_off(k, -1, RC_NOISE_PERHAPS_P) == 0)))
        rc_rows_drop(rows);
    const int status = rc_rows_end(rows, RC_OK, err);
    if (json)
        rc_json_end(json);
    for (size_t n = 0; n < k->nodes && !json; n++)
        if (order[n].p <= RC_NOISE_PERHAPS_P && order[n].worst_event)
            say_worst(k, &order[n]);
    free(order);
    return status;
}

/* Prints both tables, as text or as lists in 'json'.  A suite's row has the number of
 * events with each verdict, of events with two classes of nodes, and of places.
 */
static int put_tables(const struct rc_noise_kind *k, struct rc_json *json,
                      struct rc_error *err)
{
    static const enum rc_noise_verdict order[] = {
        RC_NOISE_EXACT, RC_NOISE_DIFFERS,    RC_NOISE_REPETITION, RC_NOISE_CORE,
        RC_NOISE_NODE,  RC_NOISE_UNRESOLVED, RC_NOISE_NOT_READ};
    enum { VERDICTS = sizeof order / sizeof *order };
    char text[VERDICTS + 2][CELL];
    const enum rc_format format = json ? RC_FORMAT_JSON : RC_FORMAT_TEXT;
    uint64_t events = 0; /* those that were looked at; in each suite the same */
    int status = put_nodes(k, json, err);

    for (size_t v = 0; v < RC_NOISE_VERDICTS && k->suite_count; v++)
        events += k->suite[0].tally[v];
    if (json)
        rc_json_array(json, "suites");
    else
        printf("\nwhere the scatter of %" PRIu64 " events is:\n", events);
    if (status != RC_OK)
        return status;
    struct rc_rows *suites =
        rc_rows_create(stdout, format, json ? level_columns : short_columns, json);
    for (size_t i = 0; i < k->suite_count; i++) {
        const struct rc_noise_suite *s = &k->suite[i];
        const char *cell[VERDICTS + 3] = {s->labels->name};
        for (size_t v = 0; v < VERDICTS; v++)
            snprintf(text[v], CELL, "%" PRIu64, s->tally[order[v]]);
        snprintf(text[VERDICTS], CELL, "%" PRIu64, s->classes);
        snprintf(text[VERDICTS + 1], CELL, "%zu", s->places.any ? 0 : s->places.count);
        for (size_t c = 0; c < VERDICTS + 2; c++)
            cell[c + 1] = text[c];
        rc_rows_add(suites, cell);
    }
    status = rc_rows_end(suites, RC_OK, err);
    if (json)
        rc_json_end(json);
    return status;
}

int rc_noise_show(const struct rc_noise_kind *k, struct rc_json *json,
                  struct rc_error *err)
{
    if (json) {
        rc_json_name(json, "kind", k->labels->name);
        rc_json_flag(json, "simulated", k->labels->simulated);
        return put_tables(k, json, err);
    }
    char name[128];
    printf("kind %s%s: ", rc_text_printable(name, sizeof name, k->labels->name),
           k->labels->simulated ? " (simulated readings)" : "");
    say_nodes(k, stdout);
    const int status = put_tables(k, NULL, err);
    for (int l = 0; l < LACKS; l++) {
        size_t count = 0;
        for (size_t i = 0; i < k->suite_count; i++)
            count += is_lacking(&k->suite[i], l);
        if (count == 0)
            continue;
        printf("  ! ");
        for (size_t i = 0; i < k->suite_count && count < k->suite_count; i++)
            if (is_lacking(&k->suite[i], l))
                printf("%s: ", k->suite[i].labels->name);
        printf("%s\n", lacks[l]);
    }
    return status;
}

int rc_noise_show_cores(const struct rc_noise_kind *k, struct rc_json *json,
                        struct rc_error *err)
{
    if (!json) {
        putchar('\n');
        say_nodes(k, stdout);
    }
    return put_nodes(k, json, err);
}
