/* What the solve says where there is no memory. */
#include "campaign/solve/parts.h"

#include <math.h>
#include <string.h>

int(rc_solve_no_memory)(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory to solve");
}
