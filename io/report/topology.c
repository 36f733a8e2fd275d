/* The machine of a kind, and the cores of it that measured. */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/report/topology_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    CORES_MOST = 1 << 12, /* that are drawn */
    NODES_DRAWN_MOST = 4, /* each by itself */
    ROWS_MOST = 200,      /* of the table */
    WIDTH = 760,
    NARROW = 460
};

static const struct {
    const char *word, *one, *many;
} levels[RC_LEVELS] = {
    [RC_LEVEL_PACKAGE] = {"package", "package", "packages"},
    [RC_LEVEL_DIE] = {"die", "die", "dies"},
    [RC_LEVEL_NUMA] = {"numa", "NUMA domain", "NUMA domains"},
    [RC_LEVEL_L3] = {"l3", "L3 cache", "L3 caches"},
    [RC_LEVEL_L2] = {"l2", "L2 cache", "L2 caches"},
    [RC_LEVEL_CORE] = {"core", "core", "cores"},
    [RC_LEVEL_PU] = {"pu", "hardware thread", "hardware threads"},
};

static int level_of(const char *word, size_t length)
{
    int l = 0;

    while (l < RC_LEVELS && (strlen(levels[l].word) != length ||
                             memcmp(levels[l].word, word, length) != 0))
        l++;
    return l;
}

/* "package:2 numa:8 form:..."; words that are not known are left alone. */
static void parse_shape(const char *text, struct rc_shape *s)
{
    *s = (struct rc_shape){0};
    while (*(text += strspn(text, " "))) {
        const size_t length = strcspn(text, " "), name = strcspn(text, ": ");
        const int level = level_of(text, name);
        char number[24] = "";
        uint64_t count = 0;

        if (name < length && length - name - 1 < sizeof number)
            memcpy(number, text + name + 1, length - name - 1);
        if (level < RC_LEVELS) {
            if (rc_text_count(number, &count) != 0 || count == 0 || s->count[level])
                s->odd = true;
            else
                s->count[level] = count;
        }
        text += length;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct rc_used *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->core < y->core ? -1 : x->core > y->core;
}

/* Units of the same place become one. */
static void melt(struct rc_topology *p)
{
    size_t kept = 0;

    if (p->used_count > 0)
        qsort(p->used, p->used_count, sizeof *p->used, by_place);
    for (size_t i = 0; i < p->used_count; i++) {
        if (kept > 0 && by_place(&p->used[kept - 1], &p->used[i]) == 0) {
            p->used[kept - 1].units += p->used[i].units;
            p->used[kept - 1].wall_ns += p->used[i].wall_ns;
        } else
            p->used[kept++] = p->used[i];
    }
    p->used_count = kept;
}

/* A unit of a simulated machine is of no node and has a core that means nothing. */
static bool has_place(const struct rc_report *r, const struct rc_topology *p,
                      const struct rc_report_unit *u)
{
    const uint64_t cores = p->shape.count[RC_LEVEL_CORE];

    return u->node < r->node_count && r->node[u->node][0] && u->core < CORES_MOST &&
           (cores == 0 || u->core < cores);
}

static int find_used(const struct rc_report *r, size_t kind, struct rc_topology *p,
                     struct rc_error *err)
{
    for (size_t i = 0; i < r->unit_count; i++) {
        const struct rc_report_unit *u = &r->unit[i];
        if (u->kind != kind)
            continue;
        p->units++;
        if (!has_place(r, p, u)) {
            p->elsewhere++;
            continue;
        }
        if (rc_grow(&p->used, sizeof *p->used, p->used_count, &p->room))
            return rc_fail(err, RC_ENOMEM, "no memory for the places of %zu units",
                           p->used_count);
        p->used[p->used_count++] = (struct rc_used){u->node, u->core, 1, u->wall_ns};
    }
    melt(p);
    return RC_OK;
}

static void find_cores(struct rc_topology *p)
{
    p->cores_said = p->shape.count[RC_LEVEL_CORE] > 0;
    p->cores = p->shape.count[RC_LEVEL_CORE] <= CORES_MOST
                   ? (size_t)p->shape.count[RC_LEVEL_CORE]
                   : 0;
    if (p->cores_said)
        return;
    for (size_t i = 0; i < p->used_count; i++)
        if (p->used[i].core + 1 > p->cores)
            p->cores = p->used[i].core + 1;
}

/* Whether a level can be drawn: its boxes hold the same number of cores each, and
 * divide those around them evenly.
 */
static bool divides(const struct rc_topology *p, int level, size_t around)
{
    const uint64_t count = p->shape.count[level];

    return count > 0 && count <= p->cores && p->cores % count == 0 &&
           count % around == 0;
}

static void add_word(struct rc_topology_box *b, const char *word)
{
    if (b->name[0])
        rc_text_append(b->name, sizeof b->name, ", ");
    rc_text_append(b->name, sizeof b->name, "%s", word);
}

/* Levels of as many boxes share one; those of as many as there are cores are the
 * cores themselves.  The fewer there are the further out they stand.
 */
static void find_boxes(struct rc_topology *p)
{
    bool done[RC_LEVEL_CORE] = {false};
    size_t around = 1;

    add_word(&p->box[0], "node");
    for (int round = RC_LEVEL_PACKAGE; round < RC_LEVEL_CORE; round++) {
        int l = -1;
        for (int i = RC_LEVEL_PACKAGE; i < RC_LEVEL_CORE; i++)
            if (!done[i] && (l < 0 || p->shape.count[i] < p->shape.count[l]))
                l = i;
        done[l] = true;
        if (!divides(p, l, around) || p->shape.count[l] == p->cores)
            continue;
        if (p->shape.count[l] > around) {
            p->box[p->depth++].each = (size_t)p->shape.count[l] / around;
            around = (size_t)p->shape.count[l];
        }
        p->drawn[l] = true;
        add_word(&p->box[p->depth], levels[l].one);
    }
    p->box[p->depth++].each = p->cores / around;
}

/* The units of each core on one node, or on all (SIZE_MAX). */
static size_t sum_units(const struct rc_topology *p, size_t node, uint64_t *units)
{
    size_t used = 0;

    memset(units, 0, p->cores * sizeof *units);
    for (size_t i = 0; i < p->used_count; i++)
        if ((node == SIZE_MAX || p->used[i].node == node) &&
            p->used[i].core < p->cores) {
            used += units[p->used[i].core] == 0;
            units[p->used[i].core] += p->used[i].units;
        }
    return used;
}

static size_t nodes_used(const struct rc_topology *p)
{
    size_t nodes = 0;

    for (size_t i = 0; i < p->used_count; i++)
        nodes += i == 0 || p->used[i].node != p->used[i - 1].node;
    return nodes;
}

/* "2 packages, 8 NUMA domains, ...". */
static void write_levels(FILE *out, const struct rc_topology *p)
{
    bool any = false;

    for (int l = 0; l < RC_LEVELS; l++)
        if (p->shape.count[l]) {
            rc_html_say(out, "%s%llu %s", any ? ", " : "",
                        (unsigned long long)p->shape.count[l],
                        p->shape.count[l] == 1 ? levels[l].one : levels[l].many);
            any = true;
        }
}

/* What the shape does not say, and what cannot be drawn of what it says. */
static void write_doubts(FILE *out, const struct rc_topology *p, const char *shape)
{
    if (!*shape)
        fputs(" What the machine is made of was not recorded.", out);
    else if (p->shape.odd || !p->cores_said) {
        fputs(" Its shape is not of the form that this report knows: ", out);
        rc_html_name(out, shape);
        fputs(".", out);
    }
    if (!p->cores_said && p->cores > 0)
        rc_html_say(out,
                    " The cores drawn are those up to the last one that was used.");
    if (p->shape.count[RC_LEVEL_CORE] > CORES_MOST) {
        rc_html_say(out, " More than %d cores are not drawn.", (int)CORES_MOST);
        return;
    }
    for (int l = RC_LEVEL_PACKAGE; l < RC_LEVEL_CORE && p->cores > 0; l++)
        if (p->shape.count[l] && p->shape.count[l] != p->cores && !p->drawn[l])
            rc_html_say(out,
                        " %llu %s do not hold equally many cores each: they are not "
                        "drawn.",
                        (unsigned long long)p->shape.count[l], levels[l].many);
    for (int l = RC_LEVEL_PACKAGE; l < RC_LEVEL_CORE && p->cores > 1; l++)
        if (p->shape.count[l] == p->cores)
            rc_html_say(out, " Each core has %s %s of its own.",
                        l >= RC_LEVEL_L3 ? "an" : "a", levels[l].one);
}

static void write_use(FILE *out, const struct rc_topology *p)
{
    if (p->units == 0)
        fputs(" No unit is recorded on it.", out);
    if (p->elsewhere > 0)
        rc_html_say(out,
                    " %llu of %llu units are recorded at no core of such a machine, as "
                    "those of a simulated machine are: they are not in here.",
                    (unsigned long long)p->elsewhere, (unsigned long long)p->units);
}

/* From outside in: "Boxes within each other are a node, a package, ...". */
static void write_nesting(FILE *out, const struct rc_topology *p)
{
    fputs(" Boxes from outside in: ", out);
    for (size_t l = 0; l < p->depth; l++)
        rc_html_say(out, "%s; ", p->box[l].name);
    fputs("the smallest are cores, shaded by the number of units that each measured.",
          out);
    if (p->depth > 1)
        fputs(
            " The boxes are drawn as if the cores were spread over them evenly and in "
            "order: the shape says how many there are, not which holds which.",
            out);
}

static void write_caption(FILE *out, const struct rc_topology *p, size_t nodes,
                          size_t used)
{
    if (nodes == 0)
        fputs("The machine; no core of it is known to have measured.", out);
    else
        rc_html_say(out, "%zu of %zu cores measured", used, p->cores);
    if (nodes > 1)
        rc_html_say(out, ", the cores of %zu nodes taken together", nodes);
    if (nodes > 0)
        fputs(".", out);
    write_nesting(out, p);
}

static void write_table(FILE *out, const struct rc_report *r,
                        const struct rc_topology *p)
{
    static const char *const heads[] = {"node", ">core", ">units", ">seconds", NULL};
    const size_t rows = p->used_count < ROWS_MOST ? p->used_count : ROWS_MOST;

    if (rows == 0)
        return;
    fputs("<details><summary>Cores and what they measured</summary>\n", out);
    rc_html_table(out, "Units and the time that they took, by node and core", heads);
    for (size_t i = 0; i < rows; i++) {
        const struct rc_used *u = &p->used[i];
        fputs("<tr>", out);
        rc_html_cell_name(out, r->node[u->node]);
        rc_html_cell(out, "%lu", (unsigned long)u->core);
        rc_html_cell(out, "%llu", (unsigned long long)u->units);
        rc_html_cell(out, "%.3f", (double)u->wall_ns * 1e-9);
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
    if (rows < p->used_count)
        rc_html_say(out, "These are the first %zu of %zu.", rows, p->used_count);
    fputs("</details>\n", out);
}

/* All nodes together. */
static int draw_all(struct rc_report_page *page, struct rc_topology *p, uint64_t *units,
                    struct rc_error *err)
{
    const size_t used = sum_units(p, SIZE_MAX, units), nodes = nodes_used(p);
    char *caption = NULL, title[160];
    size_t bytes;
    FILE *words = open_memstream(&caption, &bytes);

    if (words)
        write_caption(words, p, nodes, used);
    int status = words && fclose(words) == 0
                     ? RC_OK
                     : rc_fail(err, RC_ENOMEM, "no memory for a figure");
    snprintf(title, sizeof title,
             "A machine of %zu cores as nested boxes; %zu of them measured", p->cores,
             used);
    if (status == RC_OK)
        status = rc_topology_draw(page, p, units, title, WIDTH, err);
    if (status == RC_OK)
        status = rc_report_draw(page, (const char *const[]){caption}, NULL, NULL, err);
    free(caption);
    return status;
}

static int add_node(struct rc_report_page *page, struct rc_topology *p, uint32_t node,
                    uint64_t *units, char **caption, struct rc_error *err)
{
    const size_t used = sum_units(p, node, units);
    size_t bytes;
    FILE *words = open_memstream(caption, &bytes);
    char title[160];

    if (words) {
        rc_html_name(words, page->report->node[node]);
        rc_html_say(words, ": %zu of %zu cores measured.", used, p->cores);
    }
    if (!words || fclose(words) != 0)
        return rc_fail(err, RC_ENOMEM, "no memory for a figure");
    snprintf(title, sizeof title, "One node: %zu of its %zu cores measured", used,
             p->cores);
    return rc_topology_draw(page, p, units, title, NARROW, err);
}

/* Where there are few nodes, each by itself, too. */
static int draw_each(struct rc_report_page *page, struct rc_topology *p,
                     uint64_t *units, struct rc_error *err)
{
    char *caption[NODES_DRAWN_MOST] = {NULL};
    const size_t nodes = nodes_used(p);
    size_t count = 0;
    int status = RC_OK;

    if (nodes < 2 || nodes > NODES_DRAWN_MOST)
        return RC_OK;
    for (size_t i = 0; i < p->used_count && status == RC_OK; i++)
        if (i == 0 || p->used[i].node != p->used[i - 1].node)
            status = add_node(page, p, p->used[i].node, units, &caption[count++], err);
    if (status == RC_OK) {
        fputs("<div class=\"figures\">\n", page->out);
        status = rc_report_draw(page, (const char *const *)caption, NULL, NULL, err);
        fputs("</div>\n", page->out);
    }
    while (count > 0)
        free(caption[--count]);
    return status;
}

static int draw_machine(struct rc_report_page *page, struct rc_topology *p,
                        struct rc_error *err)
{
    uint64_t *units = rc_calloc(p->cores, sizeof *units);
    int status = units ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a figure");

    if (status == RC_OK)
        status = draw_all(page, p, units, err);
    if (status == RC_OK)
        status = draw_each(page, p, units, err);
    free(units);
    return status;
}

int rc_report_topology(struct rc_report_page *page, size_t kind, struct rc_error *err)
{
    const struct rc_report *r = page->report;
    const struct rc_store_kind *k = rc_store_kind(r->store, kind);
    struct rc_topology p = {.depth = 0};

    parse_shape(k->shape, &p.shape);
    int status = find_used(r, kind, &p, err);
    find_cores(&p);
    if (p.cores > 0)
        find_boxes(&p);
    if (status == RC_OK) {
        fputs("<h3>The machine</h3>\n<p>Each node has ", page->out);
        write_levels(page->out, &p);
        fputs(".", page->out);
        write_doubts(page->out, &p, k->shape);
        write_use(page->out, &p);
        fputs("</p>\n", page->out);
        if (p.cores > 0)
            status = draw_machine(page, &p, err);
    }
    if (status == RC_OK)
        write_table(page->out, r, &p);
    free(p.used);
    return status;
}
