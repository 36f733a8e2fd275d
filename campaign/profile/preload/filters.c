/* filters.c - notices when the program is about to filter its system calls (seccomp)
 */
#include "campaign/profile/preload/preload.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Notes that a filter is about to be set ('set'), or that setting it failed.  Strict
 * mode ends recording: the processor's time counter cannot be read in it.
 */
static void note_filter(bool set, bool strict)
{
    struct rc_shared *head = rc_preload_head;
    if (set && strict && rc_preload_ends)
        rc_preload_ends();
    if (atomic_exchange(&rc_preload_filtered, set) == set || !head)
        return;
    if (set)
        atomic_fetch_add(&head->filtered, 1);
    else
        atomic_fetch_sub(&head->filtered, 1);
}

/* The two functions of libc that can set a filter, for the program, libseccomp and all
 * other libraries.  A filter that was set before the program began allowed this
 * library to be loaded, and is not looked for.
 */
RC_PRELOAD_EXPORT int prctl(int option, ...)
{
    RC_PRELOAD_NEXT(prctl);
    const bool was = atomic_load(&rc_preload_filtered);
    unsigned long argument[4];
    va_list args;
    va_start(args, option);
    for (int i = 0; i < 4; i++)
        argument[i] = va_arg(args, unsigned long);
    va_end(args);
    if (option == PR_SET_SECCOMP)
        note_filter(true, argument[0] == SECCOMP_MODE_STRICT);
    const int status = next(option, argument[0], argument[1], argument[2], argument[3]);
    if (option == PR_SET_SECCOMP && status)
        note_filter(was, false);
    return status;
}

RC_PRELOAD_EXPORT long syscall(long number, ...)
{
    RC_PRELOAD_NEXT(syscall);
    const bool was = atomic_load(&rc_preload_filtered);
    long argument[6];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(args, long);
    va_end(args);
    const bool sets =
        (number == SYS_seccomp && argument[0] <= SECCOMP_SET_MODE_FILTER) ||
        (number == SYS_prctl && argument[0] == PR_SET_SECCOMP);
    if (sets)
        note_filter(true, number == SYS_prctl ? argument[1] == SECCOMP_MODE_STRICT
                                              : argument[0] == SECCOMP_SET_MODE_STRICT);
    const long status = next(number, argument[0], argument[1], argument[2], argument[3],
                             argument[4], argument[5]);
    if (sets && status)
        note_filter(was, false);
    return status;
}
