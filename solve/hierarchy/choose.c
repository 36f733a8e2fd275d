/* Chooses nodes by words, and finds the events that these need. */
#include "solve/hierarchy/parts.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Whether a word names the node, its hierarchy, or the file that defines it. */
static bool is_named(const struct rc_hierarchy_node *node, const char *word)
{
    const size_t length = strlen(word);

    return strcmp(node->hierarchy, word) == 0 || strcmp(node->name, word) == 0 ||
           (strncmp(node->where, word, length) == 0 && node->where[length] == ':');
}

int rc_hierarchy_choose(const struct rc_hierarchy *h, const char *option,
                        const char *const *words, bool *chosen, struct rc_error *err)
{
    for (size_t i = 0; words && words[i]; i++) {
        bool any = false;
        for (size_t n = 0; n < h->count; n++)
            any |= !h->node[n].is_event && is_named(&h->node[n], words[i]);
        if (!any)
            return rc_fail(err, RC_EUSAGE,
                           "--%s '%.200s': no hierarchy or node of that name, expected "
                           "one such as data, tlb or DATA_ACCESS",
                           option, words[i]);
    }
    for (size_t n = 0; n < h->count; n++) {
        const struct rc_hierarchy_node *node = &h->node[n];
        const bool inside = node->parent != RC_HIERARCHY_NONE;
        bool wanted = !words;
        for (size_t i = 0; words && words[i]; i++)
            wanted |= is_named(node, words[i]);
        chosen[n] =
            (inside && chosen[node->parent]) || (wanted && (!node->is_event || inside));
    }
    return RC_OK;
}

int rc_hierarchy_needs(const struct rc_hierarchy *h, const bool *chosen, bool *needed,
                       struct rc_error *err)
{
    bool *is_part = rc_calloc(h->count, sizeof *is_part);

    if (!is_part)
        return rc_fail(err, RC_ENOMEM, "no memory for hierarchies");
    for (size_t i = h->count; i-- > 0;) { /* parts precede their wholes in 'order' */
        const size_t n = h->order[i];
        const struct rc_hierarchy_node *node = &h->node[n];
        if (!chosen[n] && !is_part[n])
            continue;
        for (size_t t = 0; t < node->term_count; t++)
            needed[node->term[t].event] = true;
        for (size_t p = 0; !node->linear && p < node->part_count; p++)
            is_part[node->part[p].node] = true;
    }
    free(is_part);
    return RC_OK;
}

const char *rc_hierarchy_marks(const struct rc_hierarchy_node *node,
                               char out[RC_HIERARCHY_MARKS])
{
    out[0] = 0;
    if (node->status == RC_HIERARCHY_INCOMPLETE)
        rc_text_append(out, RC_HIERARCHY_MARKS, "~");
    if (node->approximate)
        rc_text_append(out, RC_HIERARCHY_MARKS, "≈");
    if (node->simulated)
        rc_text_append(out, RC_HIERARCHY_MARKS, "%ssim", out[0] ? " " : "");
    return out;
}

/* Collects names, as many as there is room for. */
struct names {
    const char **name;
    size_t room, count;
};

static void add_name(struct names *names, const char *name)
{
    if (names->count < names->room)
        names->name[names->count] = name;
    names->count++;
}

static void add_operands(struct names *names, const struct rc_hierarchy_sum *sum)
{
    for (size_t i = 0; i < sum->count; i++)
        add_name(names, sum->operand[i].name);
}

/* Adds the names in a formula such as "[A] / [B]". */
static void add_inputs(struct names *names, struct rc_arena *arena, const char *formula)
{
    for (const char *at = strchr(formula, '['); at; at = strchr(at + 1, '[')) {
        const size_t length = strcspn(at + 1, "]");
        char *name = rc_arena_array(arena, length + 1, 1);
        if (name)
            add_name(names, memcpy(name, at + 1, length));
    }
}

size_t rc_hierarchies_events(struct rc_hierarchies *all, const char **name, size_t room)
{
    struct names names = {.name = name, .room = room};

    for (size_t i = 0; i < all->count; i++) {
        const struct rc_hierarchy_item *item = &all->item[i];
        for (size_t e = 0; e < item->event_count; e++)
            if (!strpbrk(item->event[e], "*?["))
                add_name(&names, item->event[e]);
        if (!all->file[item->file].open)
            continue;
        add_operands(&names, &item->sum);
        add_operands(&names, &item->difference);
        if (item->formula)
            add_inputs(&names, &all->arena, item->formula);
    }
    for (size_t f = 0; f < all->file_count; f++)
        for (size_t e = 0; e < all->file[f].event_count; e++)
            add_name(&names, all->file[f].event[e]);
    return names.count;
}

/* Event i that is the metric by itself: first its term, then the others. */
static const char *single_of(const struct rc_metric_result *metric, size_t i)
{
    return i == 0 ? metric->term->name : metric->alone_name[i - 1];
}

const char *rc_hierarchy_alike(const struct rc_hierarchy_machine *machine,
                               const char *event, size_t n)
{
    for (size_t s = 0; s < machine->suite_count; s++)
        for (size_t m = 0; m < machine->suite[s]->metric_count; m++) {
            const struct rc_metric_result *metric = &machine->suite[s]->metric[m];
            bool has = false;
            if (metric->verdict != RC_METRIC_DEFINED || metric->formula[0] ||
                metric->term_count != 1 || rc_term_value(metric, metric->term) != 1)
                continue;
            for (size_t i = 0; i <= metric->alone_count && !has; i++)
                has = strcmp(single_of(metric, i), event) == 0;
            for (size_t i = 0; i <= metric->alone_count && has; i++)
                if (strcmp(single_of(metric, i), event) != 0 && n-- == 0)
                    return single_of(metric, i);
        }
    return NULL;
}
