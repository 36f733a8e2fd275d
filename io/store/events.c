/* Reading the events of a kind. */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <stdlib.h>

static int get_texts(hid_t group, const char *name, size_t first, size_t count,
                     struct rc_store_event *events, size_t offset, struct rc_pool *pool,
                     const char **scratch, struct rc_error *err)
{
    int status = rc_h5_get_column(group, name, first, count, pool, scratch, err);

    for (size_t i = 0; i < count && status == RC_OK; i++)
        *(const char **)(void *)((char *)&events[i] + offset) = scratch[i];
    return status;
}

/* Numbers of each event: the verdict, and the others where all are wanted. */
static int get_all_codes(hid_t group, size_t first, size_t count, bool all,
                         struct rc_store_event *events, struct rc_error *err)
{
    uint8_t *codes = rc_calloc(count, 1);
    int status = codes ? rc_h5_get_codes(group, "verdict", first, count,
                                         RC_VERDICT_COUNT, codes, err)
                       : rc_fail(err, RC_ENOMEM, "no memory for %zu events", count);

    for (size_t i = 0; i < count && status == RC_OK; i++)
        events[i].verdict = (enum rc_verdict)codes[i];
    if (status == RC_OK && all)
        status =
            rc_h5_get_codes(group, "scope", first, count, RC_SCOPE_COUNT, codes, err);
    for (size_t i = 0; i < count && status == RC_OK && all; i++)
        events[i].scope = (enum rc_scope)codes[i];
    if (status == RC_OK && all)
        status = rc_h5_get_codes(group, "simulated", first, count, 2, codes, err);
    for (size_t i = 0; i < count && status == RC_OK && all; i++)
        events[i].simulated = codes[i] != 0;
    free(codes);
    return status;
}

static int get_events(hid_t group, size_t first, size_t count, bool all,
                      struct rc_store_event *events, struct rc_pool *pool,
                      struct rc_error *err)
{
    const bool raw = H5Lexists(group, "event_bytes", H5P_DEFAULT) > 0;
    const struct {
        const char *name;
        size_t offset;
    } texts[] = {
        {raw ? "event_bytes" : "event", offsetof(struct rc_store_event, name)},
        {"source", offsetof(struct rc_store_event, source)},
        {"description", offsetof(struct rc_store_event, description)},
        {"evidence", offsetof(struct rc_store_event, evidence)},
        {"reason", offsetof(struct rc_store_event, reason)},
    };
    const size_t wanted = all ? sizeof texts / sizeof *texts : 2;
    const char **scratch = rc_calloc(count, sizeof *scratch);
    int status =
        scratch ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for %zu events", count);

    for (size_t i = 0; i < count && !all; i++)
        events[i] =
            (struct rc_store_event){.description = "", .evidence = "", .reason = ""};
    for (size_t i = 0; i < wanted && status == RC_OK; i++)
        status = get_texts(group, texts[i].name, first, count, events, texts[i].offset,
                           pool, scratch, err);
    if (status == RC_OK)
        status = get_all_codes(group, first, count, all, events, err);
    free((void *)scratch);
    return status;
}

int rc_store_open_events(const struct rc_store *store, size_t kind, hid_t *out,
                         struct rc_error *err)
{
    char *path = rc_store_group_path(store->kind[kind].labels.name, NULL);
    hid_t parent = path ? H5Gopen2(store->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    int status = RC_OK;

    *out = parent < 0 ? parent : H5Gopen2(parent, "events", H5P_DEFAULT);
    if (*out < 0)
        status = rc_h5_fail(err, "cannot read its events");
    free(path);
    return rc_h5_close(parent, status, err);
}

static int check(const struct rc_store *store, size_t kind, size_t first, size_t count,
                 struct rc_error *err)
{
    if (store->path_new)
        return rc_fail(err, RC_ECONFLICT, "'%s' is open for writing", store->path);
    if (kind >= store->count || first > store->kind[kind].labels.event_count ||
        count > store->kind[kind].labels.event_count - first)
        return rc_fail(
            err, RC_EUSAGE,
            "'%s': %zu events from number %zu on, of kind %zu, are not there",
            store->path, count, first, kind);
    return RC_OK;
}

static int read_events(struct rc_store *store, size_t kind, size_t first, size_t count,
                       bool all, struct rc_store_event *events, struct rc_pool *pool,
                       struct rc_error *err)
{
    int status = check(store, kind, first, count, err);

    if (status == RC_OK && count > 0) {
        hid_t group = H5I_INVALID_HID;
        status = rc_store_open_events(store, kind, &group, err);
        if (status == RC_OK)
            status = get_events(group, first, count, all, events, pool, err);
        status = rc_h5_close(group, status, err);
        if (status != RC_OK)
            rc_error_prefix(err, "'%s': kind '%s': ", store->path,
                            store->kind[kind].labels.name);
    }
    return status;
}

int rc_store_read_events(struct rc_store *store, size_t kind, size_t first,
                         size_t count, struct rc_store_event *events,
                         struct rc_pool *pool, struct rc_error *err)
{
    return rc_agree(store->comm,
                    read_events(store, kind, first, count, true, events, pool, err),
                    err);
}

int rc_store_read_names(struct rc_store *store, size_t kind, size_t first, size_t count,
                        struct rc_store_event *events, struct rc_pool *pool,
                        struct rc_error *err)
{
    return read_events(store, kind, first, count, false, events, pool, err);
}
