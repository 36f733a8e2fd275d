/* step.h - stepping through code with the processor's trap flag
 *
 * An instruction of the stepped thread ends in a SIGTRAP, whose handler looks at the
 * next instructions and counts them if they belong to the code that is to be counted.
 * Private to the soft source.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_STEP_H
#define RC_CAMPAIGN_SOURCES_SOFT_STEP_H

#include "campaign/sources/soft/count.h"
#include "campaign/sources/soft/direct.h"

#include <signal.h>

/* Where the stepped thread is. */
enum rc_soft_phase {
    RC_SOFT_IDLE,
    RC_SOFT_LEAVING,  /* still inside the function that began to step */
    RC_SOFT_WAITING,  /* outside 'only', the function to be counted */
    RC_SOFT_COUNTING, /* every instruction counts */
    RC_SOFT_ENDED     /* the end was reached, the trap flag is off */
};

/* All that the handler needs, allocated before. */
struct rc_soft_stepper {
    struct rc_soft_decoder decoder;
    struct rc_soft_counter counter;
    struct rc_soft_direct direct;
    bool trapped;       /* the handler does not execute instructions itself */
    uint64_t steps;     /* instructions looked at */
    uint64_t ticks;     /* of the time stamp counter, inside the handler */
    uint64_t all_ticks; /* from enter() to leave() */
    uint64_t entered;   /* the time stamp of enter() */

    volatile int phase;               /* enum rc_soft_phase */
    uint64_t leave_to, leave_stack;   /* return address and frame of the beginner */
    uint64_t only;                    /* entry of the one function to count, or 0 */
    uint64_t only_return, only_stack; /* where it returns to, and its stack */
    uint64_t end[2];                  /* entries at which stepping ends */
    uint64_t last;                    /* address of the last instruction looked at */
    uint64_t shadowed;                /* address of one counted ahead of time, or 0 */
    uint64_t syscall_return;          /* where to continue after the system call pad */
    bool pushed_flags;                /* the last instruction stored the flags */

    void *stack;                 /* the handler's own */
    struct sigaction old_action; /* what leave() puts back */
    sigset_t old_mask;
    stack_t old_stack;
};

/* rc_soft_stepper_fini() after success; on failure nothing is left. */
int rc_soft_stepper_init(struct rc_soft_stepper *stepper,
                         const struct rc_soft_options *options, struct rc_error *err);
void rc_soft_stepper_fini(struct rc_soft_stepper *stepper);

/* Takes SIGTRAP, and an alternate stack for the handler; leave() restores what was
 * there before.  A process can have one stepper at a time.
 */
int rc_soft_stepper_enter(struct rc_soft_stepper *stepper, struct rc_error *err);
void rc_soft_stepper_leave(struct rc_soft_stepper *stepper);

/* Sets the trap flag.  Counting begins once the calling function has returned to
 * 'leave_to', with the stack pointer above 'leave_stack'.
 */
void rc_soft_stepper_go(struct rc_soft_stepper *stepper, const void *leave_to,
                        const void *leave_stack);

/* Tries whether stepping works in this process: NULL, or why it does not. */
const char *rc_soft_step_trial(void);

#endif
