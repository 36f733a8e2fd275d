/* Reading the events of a kind: any part of them, by each rank for itself. Half a
 * million events are more than each rank of a node should hold, so readers ask for
 * blocks of them.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <stdlib.h>
#include <string.h>

const struct rc_store_event_text rc_store_event_texts[RC_STORE_EVENT_TEXTS] = {
    {"source", offsetof(struct rc_store_event, source)},
    {"description", offsetof(struct rc_store_event, description)},
    {"evidence", offsetof(struct rc_store_event, evidence)},
    {"reason", offsetof(struct rc_store_event, reason)},
};

/* Numbers of each event, each less than the count of names: the verdict and whether it is
 * a state, which a file may lack, and the others where all are wanted.
 */
static int get_event_codes(hid_t group, size_t first, size_t count, bool all,
                           struct rc_store_event *events, struct rc_error *err)
{
    static const struct {
        const char *name;
        unsigned limit;
    } code[] = {{"verdict", RC_VERDICT_COUNT},
                {"state", 2},
                {"scope", RC_SCOPE_COUNT},
                {"simulated", 2}};
    uint8_t *codes = rc_calloc(count, 1);
    int status = RC_OK;

    if (!codes)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", count);
    for (size_t c = 0; c < (all ? sizeof code / sizeof *code : 2); c++) {
        const bool absent = c == 1 && H5Lexists(group, code[c].name, H5P_DEFAULT) <= 0;
        if (absent)
            memset(codes, 0, count);
        else if ((status = rc_h5_get_codes(group, code[c].name, first, count,
                                           code[c].limit, codes, err)))
            goto out;
        for (size_t i = 0; i < count; i++)
            if (c == 0)
                events[i].verdict = (enum rc_verdict)codes[i];
            else if (c == 1)
                events[i].state = codes[i] != 0;
            else if (c == 2)
                events[i].scope = (enum rc_scope)codes[i];
            else
                events[i].simulated = codes[i] != 0;
    }
out:
    free(codes);
    return status;
}

/* The name, the source and the verdict of each event, and the rest where 'all' is
 * wanted.
 */
static int get_events(hid_t group, size_t first, size_t count, bool all,
                      struct rc_store_event *events, struct rc_pool *pool,
                      struct rc_error *err)
{
    const bool raw = H5Lexists(group, "event_bytes", H5P_DEFAULT) > 0;
    const char **text = rc_calloc(count, sizeof *text);
    int status;

    if (!text)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", count);
    if ((status = rc_h5_get_column(group, raw ? "event_bytes" : "event", first, count,
                                   pool, text, err)))
        goto out;
    for (size_t i = 0; i < count; i++) {
        if (!all)
            events[i] = (struct rc_store_event){
                .description = "", .evidence = "", .reason = ""};
        events[i].name = text[i];
    }
    for (size_t t = 0; t < (all ? RC_STORE_EVENT_TEXTS : 1); t++) { /* 0: the source */
        const struct rc_store_event_text *member = &rc_store_event_texts[t];
        if ((status =
                 rc_h5_get_column(group, member->name, first, count, pool, text, err)))
            goto out;
        for (size_t i = 0; i < count; i++)
            memcpy((char *)&events[i] + member->offset, &text[i], sizeof *text);
    }
    status = get_event_codes(group, first, count, all, events, err);
out:
    free((void *)text);
    return status;
}

int rc_store_open_events(const struct rc_store *store, size_t kind, hid_t *out,
                         struct rc_error *err)
{
    hid_t parent = H5I_INVALID_HID;
    int status = rc_store_open_group(store, kind, NULL, &parent, err);

    *out = parent < 0 ? parent : H5Gopen2(parent, "events", H5P_DEFAULT);
    if (parent >= 0 && *out < 0)
        status = rc_h5_fail(err, "cannot read its events");
    return rc_h5_close(parent, status, err);
}

/* On each rank for itself. */
static int read_events(struct rc_store *store, size_t kind, size_t first, size_t count,
                       bool all, struct rc_store_event *events, struct rc_pool *pool,
                       struct rc_error *err)
{
    hid_t group = H5I_INVALID_HID;

    if (store->path_new)
        return rc_fail(err, RC_ECONFLICT, "'%s' is open for writing", store->path);
    if (kind >= store->count || first > store->kind[kind].labels.event_count ||
        count > store->kind[kind].labels.event_count - first)
        return rc_fail(
            err, RC_EUSAGE,
            "'%s': %zu events from number %zu on, of kind %zu, are not there",
            store->path, count, first, kind);
    if (count == 0)
        return RC_OK;
    int status = rc_store_open_events(store, kind, &group, err);
    if (status != RC_OK)
        goto out;
    status = get_events(group, first, count, all, events, pool, err);
    status = rc_h5_close(group, status, err);
out:
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': kind '%s': ", store->path,
                        store->kind[kind].labels.name);
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

int rc_store_each_name(struct rc_store *store, size_t kind, rc_store_take_name *take,
                       void *context, struct rc_error *err)
{
    enum { PIECE = 16384 }; /* events that are read at once */
    const size_t events = store->kind[kind].labels.event_count;
    struct rc_store_event *event = rc_calloc(PIECE, sizeof *event);
    int status =
        event ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for names of events");
    bool more = true;

    for (size_t first = 0; first < events && more && status == RC_OK; first += PIECE) {
        const size_t left = events - first, count = left < PIECE ? left : PIECE;
        struct rc_pool *pool = rc_pool_create();
        status = rc_store_read_names(store, kind, first, count, event, pool, err);
        for (size_t i = 0; i < count && more && status == RC_OK; i++)
            more = take(context, first + i, &event[i]);
        rc_pool_close(pool);
    }
    free(event);
    return status;
}
