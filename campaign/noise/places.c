/* Finds the node of each place, by the labels that 'run --replicate' gives to places.
 */
#include "campaign/noise/parts.h"

#include <stdlib.h>
#include <string.h>

/* The length of the node's name in "NODE SCOPE NUMBER"; all of a label that has no
 * other form, since a node may have any name.
 */
static size_t node_length(const char *label)
{
    const size_t length = strlen(label);
    size_t at = length;

    while (at > 0 && label[at - 1] >= '0' && label[at - 1] <= '9')
        at--;
    if (at == length || at == 0 || label[at - 1] != ' ')
        return length;
    for (const char *const *scope = rc_scope_names(); *scope; scope++) {
        const size_t own = strlen(*scope);
        if (at > own + 2 && label[at - 2 - own] == ' ' &&
            memcmp(label + at - 1 - own, *scope, own) == 0)
            return at - 2 - own;
    }
    return length;
}

struct labelled {
    const char *label;
    size_t place, length; /* of the node's name in 'label' */
};

static int compare_nodes(const struct labelled *x, const struct labelled *y)
{
    const size_t shorter = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->label, y->label, shorter);

    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static int compare_places(const void *a, const void *b)
{
    const struct labelled *x = a, *y = b;
    const int order = compare_nodes(x, y);

    return order ? order : (x->place > y->place) - (x->place < y->place);
}

int rc_noise_places_find(const struct rc_store_kind *kind,
                         const struct rc_store_suite *suite, struct rc_arena *arena,
                         struct rc_noise_places *places, struct rc_error *err)
{
    const size_t count = suite->place_count;
    struct labelled *label = rc_arena_array(arena, count, sizeof *label);

    *places = (struct rc_noise_places){
        .count = count,
        .place = rc_arena_array(arena, count, sizeof *places->place),
        .node = rc_arena_array(arena, count, sizeof *places->node),
        .node_name = rc_arena_array(arena, count, sizeof *places->node_name)};
    if (rc_arena_check(arena, err, "places") != RC_OK)
        return RC_ENOMEM;
    /* A node may be called "any", but then the kind lists it. */
    places->any = count == 1 && strcmp(suite->places[0], "any") == 0;
    for (size_t i = 0; i < kind->node_count && places->any; i++)
        places->any = strcmp(kind->nodes[i], "any") != 0;
    for (size_t i = 0; i < count; i++)
        label[i] =
            (struct labelled){suite->places[i], i, node_length(suite->places[i])};
    qsort(label, count, sizeof *label, compare_places);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_nodes(&label[i - 1], &label[i]) != 0) {
            char *name = rc_arena_array(arena, label[i].length + 1, 1);
            if (!name)
                break;
            memcpy(name, label[i].label, label[i].length);
            places->node_name[places->nodes++] = name;
        }
        places->place[i] = label[i].place;
        places->node[i] = places->nodes - 1;
        places->cores = places->cores || label[i].label[label[i].length];
    }
    return rc_arena_check(arena, err, "places");
}
