/* Names of events for other tools: a name of PAPI's (libpfm's),
 * "pmu::EVENT:UMASK:u=1:k=1", is split, and each tool writes its parts in its own way.
 * An event with parts that only PAPI has is refused with a reason, rather than exported
 * under a name that counts something else.
 */
#include "io/export/parts.h"

#include <ctype.h>
#include <string.h>

/* Reads one part after the event: a level that counts, or the unit mask, of which there
 * is at most one. -1: *why has the fault.
 */
static int take_part(struct rc_event_name *out, const char *part, size_t length,
                     const char **why)
{
    static const struct {
        const char *word;
        bool user, set;
    } levels[] = {
        {"u=1", true, true},   {"u=0", true, false}, {"k=1", false, true},
        {"k=0", false, false}, {"u", true, true},    {"k", false, true},
    };

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strlen(levels[i].word) == length &&
            strncmp(part, levels[i].word, length) == 0) {
            *(levels[i].user ? &out->user : &out->kernel) = levels[i].set;
            return 0;
        }
    if (memchr(part, '=', length))
        *why = "has a modifier that other tools write elsewhere";
    else if (out->mask[0])
        *why = "has two unit masks";
    else if (length == 0 || length >= sizeof out->mask)
        *why = "has a unit mask that is empty or too long";
    else
        snprintf(out->mask, sizeof out->mask, "%.*s", (int)length, part);
    return *why ? -1 : 0;
}

const char *rc_export_take_apart(const struct rc_store_event *event,
                                 struct rc_event_name *out)
{
    const char *at = event->name, *pmu = NULL, *why = NULL;

    *out = (struct rc_event_name){.user = true}; /* PAPI's default */
    if (strcmp(event->source, "papi") != 0 && strcmp(event->source, "model") != 0)
        return "is not a counter's name";
    if (strncmp(at, "perf_event:::", 13) == 0)
        at += 13;
    if (strstr(at, ":::") || event->scope != RC_SCOPE_CORE)
        return "is not counted by a core";
    for (const char *c = at; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.:-=", *c))
            return "has characters in its name that are taken for something else";
    pmu = strstr(at, "::");
    if (pmu) {
        out->generic = strncmp(at, "perf::", 6) == 0;
        at = pmu + 2;
    }
    size_t length = strcspn(at, ":");
    if (length == 0 || length >= sizeof out->event || isdigit((unsigned char)*at))
        return "has a name that is empty, too long, or begins with a digit";
    snprintf(out->event, sizeof out->event, "%.*s", (int)length, at);
    if (strchr(out->event, '='))
        return "has a name that is taken for something else";
    for (at += length; *at == ':';) {
        length = strcspn(at + 1, ":");
        if (take_part(out, at + 1, length, &why) != 0)
            return why;
        at += 1 + length;
    }
    return NULL;
}
