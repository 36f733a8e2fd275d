/* The nodes of a kind and what is off on them, field by field, and the labels of a
 * suite: which member of which struct is which dataset of noise.h5.
 */
#include "io/noise/parts.h"

static const struct rc_h5_field nodes[] = {
    RC_H5_FIELD(RC_H5_NAME, struct rc_noise_file_node, node, "node", NULL),
    RC_H5_FIELD(RC_H5_NUMBER, struct rc_noise_file_node, off, "events_off", "1"),
    RC_H5_FIELD(RC_H5_NUMBER, struct rc_noise_file_node, of, "of", "1"),
    RC_H5_FIELD(RC_H5_REAL, struct rc_noise_file_node, p, "p", "1"),
    RC_H5_FIELD(RC_H5_NAME, struct rc_noise_file_node, event, "worst", NULL),
    RC_H5_FIELD(RC_H5_NAME, struct rc_noise_file_node, suite, "suite", NULL),
    RC_H5_FIELD(RC_H5_REAL, struct rc_noise_file_node, delta, "delta", "1"),
    RC_H5_FIELD(RC_H5_REAL, struct rc_noise_file_node, z, "z", "1"),
    {0}};
static const struct rc_h5_table nodes_table = {
    .name = "by_node", .item_bytes = sizeof(struct rc_noise_file_node), .field = nodes};

static const struct rc_h5_field outliers[] = {
    RC_H5_FIELD(RC_H5_NAME, struct rc_noise_file_off, event, "event", NULL),
    RC_H5_FIELD(RC_H5_EVENT, struct rc_noise_file_off, number, "event_number", NULL),
    RC_H5_FIELD(RC_H5_NAME, struct rc_noise_file_off, suite, "suite", NULL),
    RC_H5_FIELD(RC_H5_NUMBER, struct rc_noise_file_off, node, "node", NULL),
    RC_H5_FIELD(RC_H5_REAL, struct rc_noise_file_off, delta, "delta", "1"),
    RC_H5_FIELD(RC_H5_REAL, struct rc_noise_file_off, z, "z", "1"),
    RC_H5_FIELD(RC_H5_REAL, struct rc_noise_file_off, p, "p", "1"),
    {0}};
static const struct rc_h5_table outliers_table = {.name = "outliers",
                                                  .item_bytes =
                                                      sizeof(struct rc_noise_file_off),
                                                  .field = outliers};

int rc_noise_put_found(hid_t group, const struct rc_noise_file_kind *kind,
                       struct rc_error *err)
{
    int status =
        rc_h5_put_table(group, &nodes_table, kind->node, kind->node_count, NULL, err);

    if (status != RC_OK)
        return status;
    status =
        rc_h5_put_table(group, &outliers_table, kind->off, kind->off_count, NULL, err);
    if (status != RC_OK)
        return status;
    return rc_h5_put_attribute(group, "tests", H5T_NATIVE_UINT64, 1, &kind->tests, err);
}

int rc_noise_get_found(struct rc_store *store, size_t kind,
                       struct rc_noise_file_kind *out, struct rc_error *err)
{
    const struct rc_store_kind *labels = &store->kind[kind].labels;
    void *node = NULL, *off = NULL;
    hid_t group = H5I_INVALID_HID;
    int64_t tests = 0;
    int status;

    if ((status = rc_store_open_group(store, kind, NULL, &group, err)) ||
        (status = rc_h5_get_table(store->pool, &store->arena, group, &nodes_table, 0,
                                  &node, &out->node_count, err)) ||
        (status = rc_h5_get_table(store->pool, &store->arena, group, &outliers_table,
                                  labels->event_count, &off, &out->off_count, err)) ||
        (status = rc_h5_get_integer(group, "tests", &tests, err)))
        goto out;
    out->node = node;
    out->off = off;
    out->tests = (uint64_t)tests;
    for (size_t i = 0; i < out->off_count; i++)
        if (out->off[i].node >= out->node_count) {
            status = rc_fail(err, RC_EUSAGE,
                             "'outliers': 'node' number %zu is %zu, expected less than "
                             "%zu",
                             i, out->off[i].node, out->node_count);
            goto out;
        }
out:
    return rc_h5_close(group, status, err);
}

int rc_noise_put_labels(hid_t group, const struct rc_store_kind *kind,
                        const void *results, struct rc_error *err)
{
    static const char *const scale[] = {"place"};
    const struct rc_noise_file_suite *suite = results;
    int status;

    if ((status = rc_h5_put_word(group, "name", suite->name, err)) ||
        (status = rc_store_link_events(group, kind->name, err)) ||
        (status =
             rc_h5_put_scale(group, "level", suite->level, suite->level_count, err)) ||
        (status =
             rc_h5_put_scale(group, "place", suite->place, suite->place_count, err)) ||
        (status = rc_h5_put_labelled(group, "node", H5T_NATIVE_UINT64, 1, scale,
                                     &suite->place_count, suite->node, NULL, err)))
        return status;
    return rc_h5_put_scale(group, "verdicts", suite->verdict, suite->verdict_count,
                           err);
}

int rc_noise_get_labels(struct rc_store *store, hid_t group,
                        struct rc_noise_file_suite *out, struct rc_error *err)
{
    uint64_t *node;
    size_t nodes_of = 0;
    int status;

    if ((status = rc_store_get_list(store, group, "level", &out->level,
                                    &out->level_count, err)) ||
        (status = rc_store_get_list(store, group, "place", &out->place,
                                    &out->place_count, err)) ||
        (status = rc_store_get_list(store, group, "verdicts", &out->verdict,
                                    &out->verdict_count, err)) ||
        (status = rc_h5_get_shape(group, "node", 1, &nodes_of, err)))
        return status;
    if (nodes_of != out->place_count || out->verdict_count < 1 ||
        out->verdict_count > 256)
        return rc_fail(err, RC_EUSAGE,
                       "%zu nodes of %zu places, %zu verdicts: these do not fit",
                       nodes_of, out->place_count, out->verdict_count);
    node = rc_store_array(store, nodes_of, sizeof *node);
    if (!node)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu places", nodes_of);
    out->node = node;
    return rc_h5_get_numbers(group, "node", H5T_NATIVE_UINT64, 0, nodes_of, node, err);
}
