/* threads.c - gives threads their blocks when they begin, if events are counted */
#include "campaign/profile/preload/preload.h"

#include <pthread.h>
#include <stdlib.h>

/* The function that a thread was created to run, and its argument. */
struct purpose {
    void *(*function)(void *);
    void *argument;
};

static void *thread_begin(void *data)
{
    struct purpose purpose = *(struct purpose *)data;
    free(data);
    if (rc_preload_enter())
        rc_preload_leave();
    return purpose.function(purpose.argument);
}

/* If no events are counted a thread claims its block when it first has something to
 * record.
 */
RC_PRELOAD_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                                     void *(*function)(void *), void *argument)
{
    RC_PRELOAD_NEXT(pthread_create);
    struct purpose *purpose = NULL;
    if (atomic_load(&rc_preload_on) && rc_preload_head->event_count)
        purpose = malloc(sizeof *purpose);
    if (!purpose)
        return next(thread, attr, function, argument);
    *purpose = (struct purpose){function, argument};
    int status = next(thread, attr, thread_begin, purpose);
    if (status)
        free(purpose);
    return status;
}
