/* Single steps: a handler of SIGTRAP sees the state before each instruction, and
 * executes most of them itself (direct.h).
 *
 * A process can step itself, since a signal saves the trap flag with the other flags
 * and its return restores it.  Some code needs care: system calls and a few
 * instructions that delay the trap, instructions that store the flags, and code that
 * blocks SIGTRAP or replaces its handler.  The handler allocates nothing and takes no
 * lock, since the stepped code may be anywhere.
 */
#include "campaign/sources/soft/step.h"

#include "campaign/base/memory.h"

#include <asm/prctl.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#define TRAP_FLAG 0x100
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31) /* as the kernel has it */
#endif
#define AT_ONCE 4096u /* instructions, at most, of one trap */
#define HANDLER_STACK_BYTES (UINT64_C(256) << 10)

/* A handler gets no argument: it finds its stepper by the thread that it runs in.  The
 * action that it replaced is found by 'in_process', as one stepper runs at a time.
 */
static _Thread_local struct rc_soft_stepper *volatile stepped_here;
static _Atomic(struct rc_soft_stepper *) in_process;

/* After a system call the trap comes one instruction late.  The call is made here, with
 * a nop after it, so that no instruction of the program goes uncounted.
 */
void rc_soft_syscall_pad(void);
void rc_soft_syscall_pad_end(void);
__asm__(".pushsection .text\n"
        ".p2align 6\n"
        ".hidden rc_soft_syscall_pad\n"
        ".globl rc_soft_syscall_pad\n"
        ".type rc_soft_syscall_pad, @function\n"
        "rc_soft_syscall_pad:\n"
        "syscall\n"
        "nop\n"
        ".hidden rc_soft_syscall_pad_end\n"
        ".globl rc_soft_syscall_pad_end\n"
        "rc_soft_syscall_pad_end:\n"
        "ud2\n"
        ".size rc_soft_syscall_pad, . - rc_soft_syscall_pad\n"
        ".popsection\n");

static uint64_t pad_begin(void)
{
    return (uint64_t)(uintptr_t)rc_soft_syscall_pad;
}

/* The fences keep the compiler from moving stores across the change of the flag: the
 * handler must see all stores before it, and none after it.
 */
static void set_trap_flag(bool on)
{
    uint64_t flags = __builtin_ia32_readeflags_u64() & ~(uint64_t)TRAP_FLAG;

    atomic_signal_fence(memory_order_seq_cst);
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags);
    atomic_signal_fence(memory_order_seq_cst);
}

/* An address in the stepped code's memory, parts of which the sanitizer does not know.
 */
__attribute__((no_sanitize("address"))) static uint64_t *word_at(long long address)
{
    return (uint64_t *)(uintptr_t)address; // NOLINT: an address from a register
}

/* Updates the phase before the instruction at 'rip' executes. */
__attribute__((no_sanitize("address"))) static void
change_phase(struct rc_soft_stepper *stepper, uint64_t rip, uint64_t rsp)
{
    int begun = stepper->only ? RC_SOFT_WAITING : RC_SOFT_COUNTING;

    if (stepper->phase == RC_SOFT_LEAVING && rip == stepper->leave_to &&
        rsp > stepper->leave_stack)
        stepper->phase = begun;
    if (stepper->phase == RC_SOFT_WAITING && rip == stepper->only) {
        stepper->phase = RC_SOFT_COUNTING;
        stepper->only_return = *word_at((long long)rsp);
        stepper->only_stack = rsp;
    } else if (stepper->only && stepper->phase == RC_SOFT_COUNTING &&
               rip == stepper->only_return && rsp > stepper->only_stack) {
        stepper->phase = RC_SOFT_WAITING;
    }
    if (stepper->phase != RC_SOFT_LEAVING &&
        (rip == stepper->end[0] || rip == stepper->end[1]))
        stepper->phase = RC_SOFT_ENDED;
}

/* The thread must not block SIGTRAP: the next trap would end the process.  A call that
 * would do so is carried out here instead, for all signals but SIGTRAP; true: it was.
 */
__attribute__((no_sanitize("address"))) static bool
keep_trap_unblocked(ucontext_t *context)
{
    greg_t *reg = context->uc_mcontext.gregs;
    const uint64_t trap = UINT64_C(1) << (SIGTRAP - 1);
    const uint64_t never = UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1);
    uint64_t mask, given;

    if (reg[REG_RAX] != SYS_rt_sigprocmask || !reg[REG_RSI] || reg[REG_R10] != 8 ||
        (reg[REG_RDI] != SIG_BLOCK && reg[REG_RDI] != SIG_SETMASK))
        return false;
    given = *word_at(reg[REG_RSI]);
    if (!(given & trap))
        return false;
    memcpy(&mask, &context->uc_sigmask, sizeof mask);
    if (reg[REG_RDX])
        *word_at(reg[REG_RDX]) = mask;
    mask = (reg[REG_RDI] == SIG_BLOCK ? mask | given : given) & ~(trap | never);
    memcpy(&context->uc_sigmask, &mask, sizeof mask);
    reg[REG_RAX] = 0;
    return true;
}

/* Counts, ahead of time, an instruction for which no trap will come. */
static void count_shadowed(struct rc_soft_stepper *stepper, uint64_t address,
                           const ucontext_t *context)
{
    stepper->shadowed = address;
    if (stepper->phase != RC_SOFT_COUNTING)
        return;
    const struct rc_soft_insn *insn = rc_soft_decode(&stepper->decoder, address);
    rc_soft_count(&stepper->counter, &stepper->decoder, insn, context, false);
}

/* Prepares a system call.  True: it is done already, and the instruction after it is
 * to be looked at next.
 */
static bool prepare_syscall(struct rc_soft_stepper *stepper, uint64_t next,
                            ucontext_t *context)
{
    greg_t *reg = context->uc_mcontext.gregs;
    const long long number = reg[REG_RAX];

    /* These return twice, elsewhere or never, or replace our handler: they are made in
     * their place, and the next instruction is counted with them.
     */
    if ((number == SYS_rt_sigaction && reg[REG_RDI] == SIGTRAP) ||
        number == SYS_clone || number == SYS_clone3 || number == SYS_fork ||
        number == SYS_vfork || number == SYS_rt_sigreturn || number == SYS_execve ||
        number == SYS_execveat) {
        count_shadowed(stepper, next, context);
        return false;
    }
    if (keep_trap_unblocked(context)) {
        reg[REG_RIP] = (greg_t)next;
        reg[REG_RCX] = (greg_t)next;
        reg[REG_R11] = reg[REG_EFL] & ~(greg_t)TRAP_FLAG;
        return true;
    }
    stepper->syscall_return = next;
    reg[REG_RIP] = (greg_t)pad_begin();
    return false;
}

/* Undoes what stepping the last instruction left visible: the trap flag in stored
 * flags, and the system call's other place.
 */
__attribute__((no_sanitize("address"))) static void
tidy_up(struct rc_soft_stepper *stepper, ucontext_t *context)
{
    greg_t *reg = context->uc_mcontext.gregs;
    uint64_t rip = (uint64_t)reg[REG_RIP];

    if (stepper->pushed_flags)
        *((volatile uint8_t *)word_at(reg[REG_RSP]) + 1) &= (uint8_t)~1u;
    stepper->pushed_flags = false;
    const uint64_t pad_end = (uint64_t)(uintptr_t)rc_soft_syscall_pad_end;
    if (stepper->syscall_return && rip > pad_begin() && rip <= pad_end) {
        reg[REG_RIP] = (greg_t)stepper->syscall_return;
        reg[REG_RCX] = reg[REG_RIP];
        reg[REG_R11] &= ~(greg_t)TRAP_FLAG;
    }
    stepper->syscall_return = 0;
}

/* Looks at the next instruction.  True: the instruction was executed here, so the one
 * after it is to be looked at, too.
 */
static bool look_at_instruction(struct rc_soft_stepper *stepper, ucontext_t *context,
                                bool directly)
{
    greg_t *reg = context->uc_mcontext.gregs;
    uint64_t rip = (uint64_t)reg[REG_RIP];
    bool ahead = rip == stepper->shadowed;

    change_phase(stepper, rip, (uint64_t)reg[REG_RSP]);
    if (stepper->phase == RC_SOFT_ENDED)
        return false;
    const struct rc_soft_insn *insn = rc_soft_decode(&stepper->decoder, rip);
    int special = insn->special; /* counting may decode others in place of 'insn' */
    uint64_t next = rip + insn->length;
    if (stepper->phase == RC_SOFT_COUNTING && !ahead)
        rc_soft_count(&stepper->counter, &stepper->decoder, insn, context,
                      insn->repeated && rip == stepper->last);
    stepper->last = rip;
    stepper->shadowed = 0;
    switch (special) {
    case RC_SOFT_PUSHF:
        stepper->pushed_flags = true;
        return false;
    case RC_SOFT_SHADOW:
        count_shadowed(stepper, next, context);
        return false;
    case RC_SOFT_SYSCALL:
        return prepare_syscall(stepper, next, context);
    default:
        return directly && stepper->phase != RC_SOFT_LEAVING &&
               rc_soft_direct_go(&stepper->direct, &stepper->decoder, &stepper->counter,
                                 rc_soft_decode(&stepper->decoder, rip), context);
    }
}

/* Handles one trap: looks at up to AT_ONCE instructions, then returns, so that signals
 * can come in; clears the trap flag if the end was reached.
 */
static void handle_step(struct rc_soft_stepper *stepper, ucontext_t *context)
{
    uint64_t begin = __rdtsc();

    tidy_up(stepper, context);
    for (unsigned left = AT_ONCE;
         look_at_instruction(stepper, context, !stepper->trapped && left > 0);
         left -= left > 0)
        stepper->steps++;
    if (stepper->phase == RC_SOFT_ENDED)
        context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    else
        context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    stepper->steps++;
    stepper->ticks += __rdtsc() - begin;
}

/* Passes on a SIGTRAP that is not ours: int3, a hardware breakpoint, raise(). */
static void pass_on(int number, siginfo_t *info, void *context)
{
    struct rc_soft_stepper *stepper = atomic_load(&in_process);
    if (!stepper)
        return;
    const struct sigaction *old = &stepper->old_action;
    bool forced = info->si_code > 0;

    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(number, info, context);
    } else if (old->sa_handler == SIG_DFL || (old->sa_handler == SIG_IGN && forced)) {
        const struct sigaction fatal = {.sa_handler = SIG_DFL};
        sigaction(SIGTRAP, &fatal, NULL);
        raise(SIGTRAP); /* pending until this handler returns */
    } else if (old->sa_handler != SIG_IGN) {
        old->sa_handler(number);
    }
}

/* Whether a trap comes from a step.  The host of a virtual machine loses the cause of
 * one trap in some millions; the kernel then takes it for the instruction int1.
 */
static bool is_step(const struct rc_soft_stepper *stepper, const siginfo_t *info,
                    const ucontext_t *context)
{
    enum { INT1 = 0xf1 };

    if (info->si_code != TRAP_BRKPT)
        return info->si_code == TRAP_TRACE;
    if (!(context->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG))
        return false;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): code that has just been executed */
    const unsigned char *last = stepper ? (const unsigned char *)stepper->last : NULL;
    return !last || *last != INT1;
}

/* The handler.  It keeps the stepped code's errno. */
static void on_trap(int number, siginfo_t *info, void *context)
{
    struct rc_soft_stepper *stepper = stepped_here;
    ucontext_t *here = context;
    int saved_errno = errno;

    if (is_step(stepper, info, here)) {
        if (stepper)
            handle_step(stepper, here);
        else /* a thread that the stepped one created */
            here->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    } else {
        pass_on(number, info, context);
        if (stepper && info->si_code == SI_KERNEL) /* int3: no trap comes for what */
            handle_step(stepper, here);            /* follows it */
    }
    errno = saved_errno;
}

int rc_soft_stepper_init(struct rc_soft_stepper *stepper,
                         const struct rc_soft_options *options, struct rc_error *err)
{
    *stepper = (struct rc_soft_stepper){.phase = RC_SOFT_IDLE};
    int status;
    if ((status = rc_soft_decoder_init(&stepper->decoder, err)) != RC_OK ||
        (status = rc_soft_counter_init(&stepper->counter, options, err)) != RC_OK)
        goto out;
    stepper->trapped = options->trapped;
    rc_soft_direct_init(&stepper->direct);
    stepper->stack = malloc(HANDLER_STACK_BYTES);
    if (!stepper->stack)
        status = rc_fail(err, RC_ENOMEM, "no memory for a signal stack");
out:
    if (status != RC_OK)
        rc_soft_stepper_fini(stepper);
    return status;
}

void rc_soft_stepper_fini(struct rc_soft_stepper *stepper)
{
    rc_soft_decoder_fini(&stepper->decoder);
    rc_soft_counter_fini(&stepper->counter);
    rc_soft_direct_fini(&stepper->direct);
    free(stepper->stack);
    stepper->stack = NULL;
}

/* Installs the handler on a stack of its own, since the stepped code may use memory
 * below its stack pointer, and unblocks SIGTRAP.  The handler executes instructions of
 * the stepped code, so faults stay unblocked: the program's own handlers get them, and
 * on the program's stack, since SS_AUTODISARM reserves the other one meanwhile.
 */
static int take_signal(struct rc_soft_stepper *stepper, struct rc_error *err)
{
    const stack_t stack = {.ss_sp = stepper->stack,
                           .ss_size = HANDLER_STACK_BYTES,
                           .ss_flags = (int)SS_AUTODISARM};
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction action = {.sa_sigaction = on_trap,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigset_t trap;

    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&action.sa_mask, faults[i]);
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    if (sigaltstack(&stack, &stepper->old_stack) != 0)
        return rc_fail_errno(err, "cannot set a signal stack");
    if (sigaction(SIGTRAP, &action, &stepper->old_action) != 0) {
        sigaltstack(&stepper->old_stack, NULL);
        return rc_fail_errno(err, "cannot handle SIGTRAP");
    }
    pthread_sigmask(SIG_UNBLOCK, &trap, &stepper->old_mask);
    return RC_OK;
}

int rc_soft_stepper_enter(struct rc_soft_stepper *stepper, struct rc_error *err)
{
    struct rc_soft_stepper *none = NULL;
    unsigned long fs = 0, gs = 0;

    if (!atomic_compare_exchange_strong(&in_process, &none, stepper))
        return rc_fail(err, RC_ECONFLICT,
                       "the soft source is counting in this process already");
    int status = take_signal(stepper, err);
    if (status != RC_OK) {
        atomic_store(&in_process, NULL);
        return status;
    }
    syscall(SYS_arch_prctl, ARCH_GET_FS, &fs);
    syscall(SYS_arch_prctl, ARCH_GET_GS, &gs);
    stepper->counter.fs_base = fs;
    stepper->counter.gs_base = gs;
    stepper->last = stepper->shadowed = 0;
    stepper->syscall_return = 0;
    stepper->pushed_flags = false;
    stepped_here = stepper;
    stepper->entered = __rdtsc();
    return RC_OK;
}

void rc_soft_stepper_leave(struct rc_soft_stepper *stepper)
{
    sigset_t trap;
    stack_t now;

    set_trap_flag(false);
    stepped_here = NULL;
    stepper->all_ticks += __rdtsc() - stepper->entered;
    stepper->phase = RC_SOFT_IDLE;
    sigaction(SIGTRAP, &stepper->old_action, NULL);
    if (sigismember(&stepper->old_mask, SIGTRAP) == 1) {
        sigemptyset(&trap);
        sigaddset(&trap, SIGTRAP);
        pthread_sigmask(SIG_BLOCK, &trap, NULL);
    }
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == stepper->stack)
        sigaltstack(&stepper->old_stack, NULL);
    atomic_store(&in_process, NULL);
}

void rc_soft_stepper_go(struct rc_soft_stepper *stepper, const void *leave_to,
                        const void *leave_stack)
{
    stepper->leave_to = (uint64_t)(uintptr_t)leave_to;
    stepper->leave_stack = (uint64_t)(uintptr_t)leave_stack;
    stepper->phase = RC_SOFT_LEAVING;
    set_trap_flag(true);
}

/* The trial has a handler of its own: it needs no stepper, no memory. */
static volatile sig_atomic_t trial_traps;

static void on_trial_trap(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    trial_traps++;
}

const char *rc_soft_step_trial(void)
{
    struct sigaction action = {.sa_sigaction = on_trial_trap, .sa_flags = SA_SIGINFO};
    struct sigaction old;
    sigset_t trap, mask;

    if (atomic_load(&in_process))
        return NULL; /* it is stepping right now */
    sigemptyset(&action.sa_mask);
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    if (sigaction(SIGTRAP, &action, &old) != 0)
        return "SIGTRAP cannot be handled in this process";
    pthread_sigmask(SIG_UNBLOCK, &trap, &mask);
    trial_traps = 0;
    set_trap_flag(true);
    __asm__ volatile("nop\nnop\nnop\nnop");
    set_trap_flag(false);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTRAP, &old, NULL);
    return trial_traps >= 4 ? NULL
                            : "the trap flag brings no SIGTRAP here: a debugger, "
                              "an emulator or a sandbox keeps it";
}
