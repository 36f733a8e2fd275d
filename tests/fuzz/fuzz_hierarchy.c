/* Any bytes as a file of trees, of either form: refused with one line, or trees that
 * can be filled, whose parents come before their children and whose values have their
 * bounds in order.  A METRICS.SPEC that is taken is taken as rollcall's own form, too.
 */
#include "solve/hierarchy/hierarchy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct rc_hierarchy_event event[] = {
    {"DC_ACCESS", "", true, false},
    {"papi::DC_MISS", "", true, true},
    {"FR_BR", "not permitted", false, false},
    {"A", "", true, false}};
static const struct rc_hierarchy_machine machine = {
    .kind = "amd-opteron-5", .shape = "l2:1 core:2", .event = event, .event_count = 4};

static void check_error(int status, const struct rc_error *err)
{
    if (status != RC_OK && (!err->text[0] || strchr(err->text, '\n')))
        abort();
}

static void look_at(const struct rc_hierarchy *h)
{
    const double count[] = {1000, 10, 5, NAN};
    struct rc_interval *value = malloc((h->count + 1) * sizeof *value);

    if (!value)
        return;
    rc_hierarchy_value(h, count, value);
    for (size_t n = 0; n < h->count; n++) {
        const struct rc_hierarchy_node *node = &h->node[n];
        if (node->parent != RC_HIERARCHY_NONE &&
            (node->parent >= n || node->depth != h->node[node->parent].depth + 1))
            abort();
        for (size_t i = 0; i < node->child_count; i++)
            if (node->child[i].node >= h->count)
                abort();
        if (isnan(value[n].value)
                ? !isinf(value[n].low)
                : !(value[n].low <= value[n].value && value[n].value <= value[n].high))
            abort();
    }
    free(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct rc_hierarchies *all;
    struct rc_error err = {.text = ""};
    struct rc_hierarchy h = {0};
    char *yaml = NULL;
    size_t bytes;

    if (rc_hierarchies_create_empty(&all, &err) != RC_OK)
        return 0;
    int status = rc_hierarchies_add_text(all, "fuzz", text, size, &err);
    check_error(status, &err);
    if (status == RC_OK) {
        const int filled = rc_hierarchy_fill(all, &machine, &h, &err);
        check_error(filled, &err);
        if (filled == RC_OK)
            look_at(&h);
        rc_hierarchy_fini(&h);
    }
    rc_hierarchies_close(all);
    if (status == RC_OK && rc_hierarchy_is_spec(text, size)) {
        if (rc_hierarchy_convert("fuzz", text, size, "x", &yaml, &bytes, &err) !=
                RC_OK ||
            rc_hierarchies_create_empty(&all, &err) != RC_OK)
            abort();
        if (rc_hierarchies_add_text(all, "yaml", yaml, bytes, &err) != RC_OK)
            abort();
        rc_hierarchies_close(all);
    }
    free(yaml);
    return 0;
}
