/* trial.h - which events of a simulated machine start, alone and together */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_TRIAL_H
#define RC_CAMPAIGN_SOURCES_MODEL_TRIAL_H

#include "campaign/sources/model/file.h"
#include "campaign/sources/source.h"

/* As rc_source.trial.  A group starts when all its events start alone and belong to
 * one bank, each finds a counter among those that it may use, and they put no more
 * values into a register than it holds.
 */
void rc_model_trial(const struct rc_model *model, const uint32_t *events, size_t count,
                    struct rc_trial *out);

#endif
