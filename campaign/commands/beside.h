/* beside.h - events that count beside some others, in one group */
#ifndef RC_CAMPAIGN_COMMANDS_BESIDE_H
#define RC_CAMPAIGN_COMMANDS_BESIDE_H

#include "campaign/catalogue/catalogue.h"

struct rc_beside {
    bool *fits;       /* by event of the catalogue; free() it */
    size_t count, of; /* such events; events of the same source that count alone */
    uint64_t trials;  /* number of trials */
};

/* Tries the events 'name' (ended by NULL) of a catalogue with trials as a group, then
 * each other event of their source beside them, as grouping does.  RC_EMISSING: an
 * event does not exist; RC_ECONFLICT: they do not count together. free(out->fits) in
 * any case.
 */
int rc_beside_find(const struct rc_catalogue *catalogue, const char *const *name,
                   struct rc_beside *out, struct rc_error *err);

#endif
