/* Kinds and their events: checked and written by rank 0, known by all. */
#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "io/store/parts.h"

#include <stdlib.h>
#include <string.h>

int rc_store_check_name(const char *what, const char *name, struct rc_error *err)
{
    if (!name || !*name || strlen(name) > RC_STORE_NAME_MAX)
        return rc_fail(err, RC_EUSAGE,
                       "the name of a %s has %zu bytes, expected 1 to %d", what,
                       name ? strlen(name) : 0, RC_STORE_NAME_MAX);
    return RC_OK;
}

int rc_store_check_open(const struct rc_store *store, struct rc_error *err)
{
    if (!store->path_new || store->writing || store->broken)
        return rc_fail(err, RC_ECONFLICT, "it takes no more kinds and suites: %s",
                       !store->path_new ? "it is open for reading"
                       : store->broken  ? "writing failed"
                                        : "results were written already");
    return RC_OK;
}

void rc_store_tell_name(const struct rc_store *store, const char *name,
                        char out[RC_STORE_NAME_MAX + 1])
{
    if (name)
        memcpy(out, name, strlen(name) + 1);
    if (store->comm != MPI_COMM_NULL)
        MPI_Bcast(out, RC_STORE_NAME_MAX + 1, MPI_CHAR, 0, store->comm);
}

static int check_kind(const struct rc_store *store, const struct rc_store_kind *kind,
                      struct rc_error *err)
{
    int status = rc_store_check_open(store, err);

    if (status == RC_OK)
        status = rc_store_check_name("kind", kind->name, err);
    for (size_t k = 0; k < store->count && status == RC_OK; k++)
        if (strcmp(store->kind[k].labels.name, kind->name) == 0)
            status =
                rc_fail(err, RC_ECONFLICT, "kind '%s' is there already", kind->name);
    return status;
}

static int check_events(const struct rc_store_kind *kind, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t e = 0; e < kind->event_count && status == RC_OK; e++) {
        const struct rc_store_event *event = &kind->events[e];
        size_t bytes = event->name ? strlen(event->name) : 0;
        if (bytes < 1 || bytes > RC_STORE_TEXT_MAX)
            status = rc_fail(err, RC_EUSAGE,
                             "the name of event %zu has %zu bytes, expected 1 to %d", e,
                             bytes, RC_STORE_TEXT_MAX);
        else if ((unsigned)event->scope >= RC_SCOPE_COUNT ||
                 (unsigned)event->verdict >= RC_VERDICT_COUNT)
            status = rc_fail(err, RC_EUSAGE, "event '%s': scope %d, verdict %d",
                             event->name, (int)event->scope, (int)event->verdict);
    }
    return status;
}

static const struct rc_store_event *event_at(const void *list, size_t index)
{
    return &((const struct rc_store_event *)list)[index];
}

static const char *name_at(const void *list, size_t index)
{
    return event_at(list, index)->name;
}

static const char *source_at(const void *list, size_t index)
{
    return event_at(list, index)->source;
}

static const char *description_at(const void *list, size_t index)
{
    return event_at(list, index)->description;
}

static const char *evidence_at(const void *list, size_t index)
{
    return event_at(list, index)->evidence;
}

static const char *reason_at(const void *list, size_t index)
{
    return event_at(list, index)->reason;
}

static const struct {
    const char *name;
    const char *(*get)(const void *list, size_t index);
} texts[] = {
    {"source", source_at},
    {"description", description_at},
    {"evidence", evidence_at},
    {"reason", reason_at},
};

static uint8_t scope_at(const struct rc_store_event *event)
{
    return (uint8_t)event->scope;
}

static uint8_t verdict_at(const struct rc_store_event *event)
{
    return (uint8_t)event->verdict;
}

static uint8_t simulated_at(const struct rc_store_event *event)
{
    return event->simulated;
}

static const char *const simulated_names[] = {"no", "yes", NULL};

static const struct {
    const char *name;
    uint8_t (*get)(const struct rc_store_event *event);
    const char *const *(*meanings)(void); /* NULL: no and yes */
} codes[] = {
    {"scope", scope_at, rc_scope_names},
    {"verdict", verdict_at, rc_verdict_names},
    {"simulated", simulated_at, NULL},
};

static size_t count_codes(size_t which)
{
    const char *const *names =
        codes[which].meanings ? codes[which].meanings() : simulated_names;
    size_t count = 0;

    while (names[count])
        count++;
    return count;
}

/* Of events that are taken from another file. */
static int check_columns(hid_t from, size_t events, struct rc_error *err)
{
    uint8_t *code = rc_calloc(events, 1);
    int status = code ? rc_h5_check_column(from, "event", events, err)
                      : rc_fail(err, RC_ENOMEM, "no memory for %zu events", events);

    if (status == RC_OK && H5Lexists(from, "event_bytes", H5P_DEFAULT) > 0)
        status = rc_h5_check_column(from, "event_bytes", events, err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == RC_OK; i++)
        status = rc_h5_check_column(from, texts[i].name, events, err);
    for (size_t i = 0; i < sizeof codes / sizeof *codes && status == RC_OK; i++)
        status = rc_h5_get_codes(from, codes[i].name, 0, events,
                                 (unsigned)count_codes(i), code, err);
    free(code);
    return status;
}

static const char *const by_event[] = {"event"};

/* 'from' is the group of events that they are taken from where it is not invalid. */
static int put_codes(hid_t group, size_t which, const struct rc_store_kind *kind,
                     hid_t from, struct rc_error *err)
{
    const char *const *names =
        codes[which].meanings ? codes[which].meanings() : simulated_names;
    const size_t count = count_codes(which);
    uint8_t *code = rc_calloc(kind->event_count, 1);
    hid_t set = H5I_INVALID_HID;
    int status = RC_OK;

    if (!code)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", kind->event_count);
    if (from >= 0)
        status = rc_h5_get_codes(from, codes[which].name, 0, kind->event_count,
                                 (unsigned)count, code, err);
    for (size_t e = 0; e < kind->event_count && from < 0; e++)
        code[e] = codes[which].get(&kind->events[e]);
    if (status == RC_OK)
        status = rc_h5_put_numbers(group, codes[which].name, H5T_NATIVE_UINT8, 1,
                                   &kind->event_count, code, &set, err);
    if (status == RC_OK)
        status = rc_h5_put_flags(set, names, count, err);
    if (status == RC_OK)
        status = rc_h5_attach(group, set, by_event, 1, err);
    free(code);
    return rc_h5_close(set, status, err);
}

static int put_event_text(hid_t group, const struct rc_h5_column *column, hid_t from,
                          bool scale, struct rc_error *err)
{
    hid_t set = H5I_INVALID_HID;
    int status = from < 0 ? rc_h5_put_column(group, column, &set, err)
                          : rc_h5_copy_column(from, group, column, &set, err);

    if (status == RC_OK)
        status = scale ? rc_h5_scale(set, column->name, err)
                       : rc_h5_attach(group, set, by_event, 1, err);
    return rc_h5_close(set, status, err);
}

static int put_event_names(hid_t group, const struct rc_store_kind *kind, hid_t from,
                           struct rc_error *err)
{
    struct rc_h5_column column = {.name = "event",
                                  .get = name_at,
                                  .list = kind->events,
                                  .count = kind->event_count};
    int status = put_event_text(group, &column, from, true, err);
    bool plain = from < 0 || H5Lexists(from, "event_bytes", H5P_DEFAULT) <= 0;

    for (size_t e = 0; e < kind->event_count && from < 0 && plain; e++)
        plain = rc_text_is_utf8(kind->events[e].name);
    column.name = "event_bytes";
    column.raw = true;
    return plain || status != RC_OK ? status
                                    : put_event_text(group, &column, from, false, err);
}

static int put_events(hid_t parent, const struct rc_store_kind *kind, hid_t from,
                      struct rc_error *err)
{
    hid_t group = H5I_INVALID_HID;
    int status = rc_h5_group(parent, "events", &group, err);

    if (status == RC_OK)
        status = put_event_names(group, kind, from, err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == RC_OK; i++) {
        struct rc_h5_column column = {.name = texts[i].name,
                                      .get = texts[i].get,
                                      .list = kind->events,
                                      .count = kind->event_count};
        status = put_event_text(group, &column, from, false, err);
    }
    for (size_t i = 0; i < sizeof codes / sizeof *codes && status == RC_OK; i++)
        status = put_codes(group, i, kind, from, err);
    return rc_h5_close(group, status, err);
}

static int put_kind(hid_t file, const char *path, const struct rc_store_kind *kind,
                    hid_t from, struct rc_error *err)
{
    hid_t group = H5I_INVALID_HID, part = H5I_INVALID_HID, suites = H5I_INVALID_HID;
    int status;

    if ((status = rc_h5_group(file, path, &group, err)) ||
        (status = rc_h5_put_word(group, "name", kind->name, err)) ||
        (status = rc_h5_group(group, "topology", &part, err)) ||
        (status = rc_h5_put_text(part, "key", kind->key, err)) ||
        (status = rc_h5_put_text(part, "shape", kind->shape, err)) ||
        (status =
             rc_h5_put_scale(group, "nodes", kind->nodes, kind->node_count, err)) ||
        (status = put_events(group, kind, from, err)))
        goto out;
    status = rc_h5_group(group, "suites", &suites, err);
out:
    status = rc_h5_close(suites, status, err);
    status = rc_h5_close(part, status, err);
    return rc_h5_close(group, status, err);
}

/* What was half defined cannot be taken back out of an HDF5 file. */
static int define(struct rc_store *store, const struct rc_store_kind *kind, hid_t from,
                  struct rc_error *err)
{
    int status = check_kind(store, kind, err);

    if (status == RC_OK)
        status = from < 0 ? check_events(kind, err)
                          : check_columns(from, kind->event_count, err);
    if (status != RC_OK)
        return status;
    char *path = rc_store_group_path(kind->name, NULL);
    if (!path)
        return rc_fail(err, RC_ENOMEM, "no memory for kind '%s'", kind->name);
    status = put_kind(store->file, path, kind, from, err);
    store->broken = status != RC_OK;
    if (status != RC_OK)
        rc_error_prefix(err, "kind '%s': ", kind->name);
    free(path);
    return status;
}

/* What rank 0 defined, or failed to, on all ranks. */
static int note_kind(struct rc_store *store, const struct rc_store_kind *kind,
                     int status, size_t *number, struct rc_error *err)
{
    unsigned long long events = kind ? kind->event_count : 0;
    char name[RC_STORE_NAME_MAX + 1] = "";

    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    status = rc_agree(store->comm, status, err);
    if (status != RC_OK)
        return rc_store_break(store, status, err);
    rc_store_tell_name(store, kind ? kind->name : NULL, name);
    status = rc_store_add_kind(store, name, err);
    status = rc_agree(store->comm, status, err);
    if (status != RC_OK) {
        store->broken = true;
        return status;
    }
    if (store->comm != MPI_COMM_NULL)
        MPI_Bcast(&events, 1, MPI_UNSIGNED_LONG_LONG, 0, store->comm);
    *number = store->count - 1;
    store->kind[*number].labels.event_count = events;
    return RC_OK;
}

int rc_store_define_kind(struct rc_store *store, const struct rc_store_kind *kind,
                         size_t *number, struct rc_error *err)
{
    const bool first = rc_team_rank(store->comm) == 0;
    int status = first ? define(store, kind, H5I_INVALID_HID, err) : RC_OK;

    return note_kind(store, first ? kind : NULL, status, number, err);
}

int rc_store_copy_kind(struct rc_store *store, const struct rc_store *from, size_t kind,
                       size_t *number, struct rc_error *err)
{
    const bool first = rc_team_rank(store->comm) == 0;
    const struct rc_store_kind *labels = first ? &from->kind[kind].labels : NULL;
    hid_t events = H5I_INVALID_HID;
    int status = RC_OK;

    if (first) {
        status = rc_store_open_events(from, kind, &events, err);
        if (status == RC_OK)
            status = define(store, labels, events, err);
        status = rc_h5_close(events, status, err);
        if (status != RC_OK)
            rc_error_prefix(err, "from '%s': ", from->path);
    }
    return note_kind(store, labels, status, number, err);
}
