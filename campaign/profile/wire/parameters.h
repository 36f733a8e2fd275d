/* parameters.h - the parameters of a launch: p, and those that --set gives it
 *
 *     --set n=64,px=2,py=p/px
 *
 * p is the number of processes, of MPI_COMM_WORLD where there is one.  The others are
 * numbers above 0, or formulas of p and of the parameters before them.
 */
#ifndef RC_CAMPAIGN_PROFILE_WIRE_PARAMETERS_H
#define RC_CAMPAIGN_PROFILE_WIRE_PARAMETERS_H

#include "campaign/base/error.h"
#include "campaign/profile/wire/shared.h"

#include <stddef.h>

enum {
    RC_PROFILE_PARAMETERS = 4,      /* with p */
    RC_PROFILE_PARAMETER_NAME = 32, /* bytes, with the end */
    RC_PROFILE_SET = RC_SHARED_SET, /* likewise: of all that --set says */
    RC_PROFILE_PARAMETERS_TEXT = 1024,
};

struct rc_profile_parameter {
    char name[RC_PROFILE_PARAMETER_NAME];
    char formula[RC_PROFILE_SET]; /* "": it was given as a number */
    double value;                 /* NAN: p, which it needs, is not known */
};

struct rc_profile_parameters {
    struct rc_profile_parameter of[RC_PROFILE_PARAMETERS]; /* p is the first */
    size_t count;
};

/* Takes 'set' apart; "" has none but p.  'p' is NAN where it is not known yet.
 * RC_EUSAGE: an item is wrong; 'out' has those before it then.
 */
int rc_profile_parameters_take(const char *set, double p,
                               struct rc_profile_parameters *out, struct rc_error *err);

/* "p=4, n=64, py=p/px=2"; returns 'out'. */
const char *rc_profile_parameters_text(const struct rc_profile_parameters *parameters,
                                       char out[RC_PROFILE_PARAMETERS_TEXT]);

/* Whether this rank has what 'there', another one of the launch, has.  RC_EUSAGE says
 * what differs.
 */
int rc_profile_parameters_agree(const char *set, const char *there,
                                struct rc_error *err);

#endif
