/* origin.h - from which readings, definitions and settings results of a solve come */
#ifndef RC_CAMPAIGN_SOLVE_ORIGIN_H
#define RC_CAMPAIGN_SOLVE_ORIGIN_H

#include "campaign/solve/solve.h"
#include "io/metrics/metrics.h"
#include "io/store/store.h"

/* rollcall's own definitions, those for the tools whose results the store holds, and
 * those of the campaign file: 'spec', or NULL for the store's.  '*selected' tells
 * whether the campaign file leaves out events of the machine.  Not collective.
 */
int rc_solve_definitions(const struct rc_spec *spec, const struct rc_store *store,
                         struct rc_definitions **out, bool *selected,
                         struct rc_error *err);

bool rc_solve_is_measured(const struct rc_store *store, const char *suite);

/* The digest of the definitions of all suites that the store has. */
uint64_t rc_solve_definitions_digest(const struct rc_definitions *definitions,
                                     const struct rc_store *store);

/* Facts that the results of a solve keep besides those of the campaign. */
struct rc_solve_origin {
    char definitions[17]; /* digest, without the user's files */
    char settings[256];
    char *added; /* "A, B": the user's files; free() it */
};

/* Compares results with those that the store and the current definitions would give:
 * "" if they are the same, else a sentence, without its full stop, that says why they
 * differ or why that is not known.
 */
void rc_solve_mismatch(const struct rc_store_campaign *results,
                       const struct rc_store *store, char *out, size_t room);

/* Opens DIR/metrics.h5.  'why' becomes what rc_solve_mismatch() says of it and
 * DIR/campaign.h5; "" if there is no campaign.h5.  RC_EMISSING: there are no results.
 */
int rc_solve_open_results(const char *dir, struct rc_store **out, char *why,
                          size_t room, struct rc_error *err);

#endif
