/* Kinds and their events: checked and written by rank 0 alone, known by all ranks
 * afterwards.
 *
 * A kind is checked completely before anything of it is written, because what was half
 * defined cannot be taken back out of an HDF5 file: once writing has begun, a failure
 * breaks the store. Events come from memory (rc_store_define_kind()), or as whole
 * datasets from another file (rc_store_copy_kind()), which is how metrics.h5 gets
 * those of campaign.h5.
 */
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
    rc_broadcast(store->comm, 0, out, RC_STORE_NAME_MAX + 1);
}

void rc_store_share_broken(struct rc_store *store)
{
    int broken = store->broken;

    rc_broadcast(store->comm, 0, &broken, sizeof broken);
    store->broken = broken;
}

/* Names must not be cut, and codes must have names. */
static int check_events(const struct rc_store_kind *kind, struct rc_error *err)
{
    for (size_t e = 0; e < kind->event_count; e++) {
        const struct rc_store_event *event = &kind->events[e];
        const size_t bytes = event->name ? strlen(event->name) : 0;
        if (bytes < 1 || bytes > RC_STORE_TEXT_MAX)
            return rc_fail(err, RC_EUSAGE,
                           "the name of event %zu has %zu bytes, expected 1 to %d", e,
                           bytes, RC_STORE_TEXT_MAX);
        if ((unsigned)event->scope >= RC_SCOPE_COUNT ||
            (unsigned)event->verdict >= RC_VERDICT_COUNT)
            return rc_fail(err, RC_EUSAGE, "event '%s': scope %d, verdict %d",
                           event->name, (int)event->scope, (int)event->verdict);
    }
    return RC_OK;
}

/* Properties of events that are numbers with names.  The last is there only where it is
 * true of an event.
 */
enum event_code { SCOPE, VERDICT, SIMULATED, STATE, CODES };
static const char *const code_names[CODES] = {"scope", "verdict", "simulated", "state"};

/* The names that a code's numbers stand for, and how many there are. */
static const char *const *code_words(enum event_code code, size_t *count)
{
    static const char *const no_yes[] = {"no", "yes", NULL};
    const char *const *words = code == SCOPE     ? rc_scope_names()
                               : code == VERDICT ? rc_verdict_names()
                                                 : no_yes;

    for (*count = 0; words[*count];)
        ++*count;
    return words;
}

/* 'from' as in put_codes(); without it, by the kind's events. */
static bool has_states(const struct rc_store_kind *kind, hid_t from)
{
    bool any = from >= 0 && H5Lexists(from, code_names[STATE], H5P_DEFAULT) > 0;

    for (size_t e = 0; kind && from < 0 && e < kind->event_count; e++)
        any |= kind->events[e].state;
    return any;
}

/* Checks events of another file, which may come from a stranger: all columns must be
 * there, of one length, and each code must have a name.
 */
static int check_columns(hid_t from, size_t events, struct rc_error *err)
{
    uint8_t *code = rc_calloc(events, 1);
    size_t words;
    int status;

    if (!code)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", events);
    if ((status = rc_h5_check_column(from, "event", events, err)))
        goto out;
    if (H5Lexists(from, "event_bytes", H5P_DEFAULT) > 0 &&
        (status = rc_h5_check_column(from, "event_bytes", events, err)))
        goto out;
    for (size_t i = 0; i < RC_STORE_EVENT_TEXTS; i++)
        if ((status =
                 rc_h5_check_column(from, rc_store_event_texts[i].name, events, err)))
            goto out;
    for (enum event_code c = 0; c < CODES; c++) {
        if (c == STATE && !has_states(NULL, from))
            continue;
        code_words(c, &words);
        if ((status = rc_h5_get_codes(from, code_names[c], 0, events, (unsigned)words,
                                      code, err)))
            goto out;
    }
out:
    free(code);
    return status;
}

static const char *const by_event[] = {"event"};

/* 'from' is the group of events that they are taken from where it is not invalid. */
static int put_codes(hid_t group, enum event_code which,
                     const struct rc_store_kind *kind, hid_t from, struct rc_error *err)
{
    size_t words;
    const char *const *word = code_words(which, &words);
    uint8_t *code = rc_calloc(kind->event_count, 1);
    hid_t set = H5I_INVALID_HID;
    int status = RC_OK;

    if (!code)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", kind->event_count);
    for (size_t e = 0; e < kind->event_count && from < 0; e++) {
        const struct rc_store_event *event = &kind->events[e];
        code[e] = (uint8_t)(which == SCOPE     ? (unsigned)event->scope
                            : which == VERDICT ? (unsigned)event->verdict
                            : which == STATE   ? event->state
                                               : event->simulated);
    }
    if (from >= 0 &&
        (status = rc_h5_get_codes(from, code_names[which], 0, kind->event_count,
                                  (unsigned)words, code, err)))
        goto out;
    if ((status = rc_h5_put_numbers(group, code_names[which], H5T_NATIVE_UINT8, 1,
                                    &kind->event_count, code, &set, err)) ||
        (status = rc_h5_put_flags(set, word, words, err)))
        goto out;
    status = rc_h5_attach(group, set, by_event, 1, err);
out:
    free(code);
    return rc_h5_close(set, status, err);
}

/* A column of texts of the events, written from memory or copied from the group
 * 'from'. The column "event" is the scale that all the others are attached to.
 */
static int put_event_text(hid_t group, const struct rc_h5_column *column, hid_t from,
                          bool scale, struct rc_error *err)
{
    hid_t set = H5I_INVALID_HID;
    int status = from < 0 ? rc_h5_put_column(group, column, &set, err)
                          : rc_h5_copy_column(from, group, column, &set, err);

    if (status != RC_OK)
        goto out;
    status = scale ? rc_h5_scale(set, column->name, err)
                   : rc_h5_attach(group, set, by_event, 1, err);
out:
    return rc_h5_close(set, status, err);
}

/* Names that are not UTF-8 are kept a second time, as the bytes that they are, so that
 * the names of events are without loss (docs/formats/campaign-h5.md).
 */
static int put_event_names(hid_t group, const struct rc_store_kind *kind, hid_t from,
                           struct rc_error *err)
{
    const bool given = from < 0 && kind->event_count > 0;
    struct rc_h5_column column = {.name = "event",
                                  .first = given ? &kind->events->name : NULL,
                                  .stride = sizeof *kind->events,
                                  .count = kind->event_count};
    bool plain = from < 0 || H5Lexists(from, "event_bytes", H5P_DEFAULT) <= 0;
    int status = put_event_text(group, &column, from, true, err);

    if (status != RC_OK)
        return status;
    for (size_t e = 0; given && e < kind->event_count && plain; e++)
        plain = rc_text_is_utf8(kind->events[e].name);
    if (plain)
        return RC_OK;
    column.name = "event_bytes";
    column.raw = true;
    return put_event_text(group, &column, from, false, err);
}

static int put_events(hid_t parent, const struct rc_store_kind *kind, hid_t from,
                      struct rc_error *err)
{
    const char *first =
        from < 0 && kind->event_count > 0 ? (const char *)kind->events : NULL;
    hid_t group = H5I_INVALID_HID;
    int status;

    if ((status = rc_h5_group(parent, "events", &group, err)) ||
        (status = put_event_names(group, kind, from, err)))
        goto out;
    for (size_t i = 0; i < RC_STORE_EVENT_TEXTS; i++) {
        const struct rc_store_event_text *text = &rc_store_event_texts[i];
        const struct rc_h5_column column = {.name = text->name,
                                            .first =
                                                first ? first + text->offset : NULL,
                                            .stride = sizeof *kind->events,
                                            .count = kind->event_count};
        if ((status = put_event_text(group, &column, from, false, err)))
            goto out;
    }
    for (enum event_code c = 0; c < CODES; c++)
        if ((c != STATE || has_states(kind, from)) &&
            (status = put_codes(group, c, kind, from, err)))
            goto out;
out:
    return rc_h5_close(group, status, err);
}

/* The group of a kind: its labels, its events, and a group for suites to come. */
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
    return RC_H5_CLOSE(status, err, suites, part, group);
}

/* On rank 0; 'from' as in put_codes(). */
static int define_kind(struct rc_store *store, const struct rc_store_kind *kind,
                       hid_t from, struct rc_error *err)
{
    int status;

    if ((status = rc_store_check_open(store, err)) ||
        (status = rc_store_check_name("kind", kind->name, err)))
        return status;
    for (size_t k = 0; k < store->count; k++)
        if (strcmp(store->kind[k].labels.name, kind->name) == 0)
            return rc_fail(err, RC_ECONFLICT, "kind '%s' is there already", kind->name);
    if ((status = from < 0 ? check_events(kind, err)
                           : check_columns(from, kind->event_count, err)))
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

/* Notes on all ranks what rank 0 defined, or failed to define ('status'): collective.
 * 'kind' is NULL on the others, which learn the name and the number of events.
 */
static int note_kind(struct rc_store *store, const struct rc_store_kind *kind,
                     int status, size_t *number, struct rc_error *err)
{
    unsigned long long events = kind ? kind->event_count : 0;
    char name[RC_STORE_NAME_MAX + 1] = "";

    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    status = rc_agree(store->comm, status, err);
    if (status != RC_OK) {
        rc_store_share_broken(store);
        return rc_store_break(store, status, err);
    }
    rc_store_tell_name(store, kind ? kind->name : NULL, name);
    status = rc_store_add_kind(store, name, err);
    status = rc_agree(store->comm, status, err);
    if (status != RC_OK) {
        store->broken = true;
        return status;
    }
    rc_broadcast(store->comm, 0, &events, sizeof events);
    store->kind[store->count - 1].labels.event_count = events;
    if (number)
        *number = store->count - 1;
    return RC_OK;
}

int rc_store_define_kind(struct rc_store *store, const struct rc_store_kind *kind,
                         size_t *number, struct rc_error *err)
{
    const bool first = rc_team_rank(store->comm) == 0;
    int status = rc_store_take_back(store, err);

    if (status != RC_OK)
        return status;
    if (first)
        status = define_kind(store, kind, H5I_INVALID_HID, err);
    return note_kind(store, first ? kind : NULL, status, number, err);
}

/* The file that is copied from is open on rank 0. */
int rc_store_copy_kind(struct rc_store *store, const struct rc_store *from, size_t kind,
                       size_t *number, struct rc_error *err)
{
    const bool first = rc_team_rank(store->comm) == 0;
    const struct rc_store_kind *labels = first ? &from->kind[kind].labels : NULL;
    hid_t events = H5I_INVALID_HID;
    int status = rc_store_take_back(store, err);

    if (status != RC_OK)
        return status;
    if (first && !(status = rc_store_open_events(from, kind, &events, err)))
        status = rc_h5_close(events, define_kind(store, labels, events, err), err);
    if (status != RC_OK)
        rc_error_prefix(err, "from '%s': ", from->path);
    return note_kind(store, labels, status, number, err);
}
