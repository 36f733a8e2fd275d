/* preload.c - what all files of the preloaded library share, in a process and in each
 * of its threads */
#include "campaign/profile/preload/preload.h"

struct rc_shared *rc_preload_head;
atomic_bool rc_preload_on;
_Thread_local struct rc_preload_thread rc_preload_self = {
    .until_timed = RC_SHARED_TIMED,
};
