/* preload.c - variables that all files of the preloaded library share, of the process
 * and of each thread */
#include "campaign/profile/preload/preload.h"

RC_PRELOAD_OFTEN struct rc_shared *rc_preload_head;
RC_PRELOAD_OFTEN struct rc_preload_said rc_preload_said;
RC_PRELOAD_OFTEN atomic_bool rc_preload_on;
atomic_bool rc_preload_filtered;
void (*rc_preload_ends)(void);
_Thread_local struct rc_preload_thread rc_preload_self = {
    .until_timed = RC_SHARED_TIMED,
};
