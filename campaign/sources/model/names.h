/* names.h - the events of a machine file by their names */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_NAMES_H
#define RC_CAMPAIGN_SOURCES_MODEL_NAMES_H

#include "campaign/sources/model/file.h"

/* An open-addressed table that holds numbers of events, not names: those are
 * made from their lines when they are compared.
 */
struct rc_model_names {
    const struct rc_model *model;
    struct rc_model_slot *slot;
    size_t slot_count; /* a power of two */
};

/* Makes room for the events of 'model'; 0, or -1 when there is no memory. */
int rc_model_names_init(struct rc_model_names *names, const struct rc_model *model);
void rc_model_names_fini(struct rc_model_names *names);

/* Adds an event, unless one of that name is there: returns that one's number,
 * or 'event' itself where it was added.
 */
uint32_t rc_model_names_add(struct rc_model_names *names, uint32_t event,
                            const char *name);

bool rc_model_names_has(const struct rc_model_names *names, const char *name);

#endif
