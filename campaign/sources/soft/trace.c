/* Steps through a program, its children and threads, as their tracer (ptrace(2)).
 *
 * A thread stops before each instruction.  The instruction is decoded then, with the
 * registers kept, and counted at the next stop if it was executed: one that faults, or
 * that a signal comes before, is not.  One counter counts all threads, so that they
 * share its simulated caches and its predictor.
 */
#include "campaign/sources/soft/trace.h"

#include "campaign/base/memory.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    VECTOR_BYTES = 16384, /* room for the XSAVE area; no processor has a larger one */
    MAGIC_OFFSET = 464,   /* where a signal frame has the mark of an XSAVE area, */
    MAGIC = 0x46505853,   /* which rc_soft_count() looks for */
    CODE_64_BIT = 0x33,   /* the code segment of 64-bit programs */
    TRAP_BY_STEP = TRAP_TRACE,
    TRAP_BEHIND_CALL = TRAP_BRKPT,
    TRAP_AT_HANDLER = SIGTRAP /* the first instruction of a signal's handler is next */
};

/* A thread that is traced. */
struct thread {
    pid_t tid;
    bool begun;   /* exec() has begun its program: it is stepped */
    bool pending; /* 'insn' comes next and is not counted yet */
    bool known;   /* 'now' has the registers of this stop */
    struct user_regs_struct now;
    uint64_t last;             /* address of the instruction counted last */
    struct rc_soft_insn insn;  /* a copy: others are decoded meanwhile */
    ucontext_t context;        /* the registers before 'insn' */
    uint64_t fs_base, gs_base; /* likewise */
    unsigned char *vectors;    /* vector registers; NULL: not needed so far */
};

struct trace {
    struct rc_soft_stepper *stepper;
    struct thread **thread;
    size_t count, room;
    struct rc_followed *out;
    const struct rc_program_watch *watch; /* NULL: nobody watches */
    uint64_t steps;                       /* of this program */
    bool failed;                          /* memory was missing for a thread */
};

static long ask(enum __ptrace_request request, pid_t tid, uintptr_t data)
{
    return ptrace(request, tid, NULL, (void *)data); // NOLINT: numbers, to the kernel
}

/* Finds a thread in the list, or adds it: a new one was created by one that is stepped.
 */
static struct thread *thread_of(struct trace *t, pid_t tid)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->thread[i]->tid == tid)
            return t->thread[i];
    struct thread *h = rc_calloc(1, sizeof *h);
    if (!h || rc_grow(&t->thread, sizeof(void *), t->count, &t->room)) {
        free(h);
        t->failed = true;
        return NULL;
    }
    h->tid = tid;
    h->begun = true;
    t->out->threads++;
    return t->thread[t->count++] = h;
}

static void forget(struct trace *t, pid_t tid)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->thread[i]->tid == tid) {
            free(t->thread[i]->vectors);
            free(t->thread[i]);
            t->thread[i] = t->thread[--t->count];
            return;
        }
}

static bool read_registers(struct thread *h)
{
    if (!h->known)
        h->known = ptrace(PTRACE_GETREGS, h->tid, NULL, &h->now) == 0;
    return h->known;
}

/* The kernel numbers registers here in one way and in signal frames in another. */
static void keep_registers(struct thread *h)
{
    greg_t *g = h->context.uc_mcontext.gregs;
    const struct user_regs_struct *r = &h->now;
    const struct {
        int number;
        unsigned long long value;
    } all[] = {{REG_RAX, r->rax}, {REG_RBX, r->rbx}, {REG_RCX, r->rcx},
               {REG_RDX, r->rdx}, {REG_RSI, r->rsi}, {REG_RDI, r->rdi},
               {REG_RBP, r->rbp}, {REG_RSP, r->rsp}, {REG_R8, r->r8},
               {REG_R9, r->r9},   {REG_R10, r->r10}, {REG_R11, r->r11},
               {REG_R12, r->r12}, {REG_R13, r->r13}, {REG_R14, r->r14},
               {REG_R15, r->r15}, {REG_RIP, r->rip}, {REG_EFL, r->eflags}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        g[all[i].number] = (greg_t)all[i].value;
    h->fs_base = r->fs_base;
    h->gs_base = r->gs_base;
}

static bool needs_vectors(const struct rc_soft_insn *insn)
{
    unsigned flags = 0;

    for (unsigned i = 0; i < insn->access_count; i++)
        flags |= insn->access[i].flags;
    return flags & (RC_SOFT_IS_VECTOR | RC_SOFT_MASK_IS_K | RC_SOFT_MASK_IS_VECTOR);
}

/* Reads the vector registers; without memory for them they count as 0. */
static void read_vectors(struct trace *t, struct thread *h)
{
    const uint32_t magic = MAGIC;

    if (!h->vectors && !(h->vectors = rc_calloc(1, VECTOR_BYTES))) {
        t->failed = true;
        return;
    }
    struct iovec to = {h->vectors, VECTOR_BYTES};
    if (ptrace(PTRACE_GETREGSET, h->tid, (void *)NT_X86_XSTATE, &to) == 0)
        memcpy(h->vectors + MAGIC_OFFSET, &magic, sizeof magic);
    h->context.uc_mcontext.fpregs = (void *)h->vectors;
}

static void count_insn(struct trace *t, struct thread *h,
                       const struct rc_soft_insn *insn)
{
    struct rc_soft_stepper *s = t->stepper;

    s->counter.fs_base = h->fs_base;
    s->counter.gs_base = h->gs_base;
    s->decoder.other = h->tid;
    rc_soft_count(&s->counter, &s->decoder, insn, &h->context,
                  insn->repeated && insn->address == h->last);
    h->last = insn->address;
    s->steps++;
}

/* Counts the pending instruction, which has been executed.  If it pushed the flags, the
 * trap flag is cleared on the stack.  If it delays the trap, the instruction after it
 * has been executed, too, and is counted.
 */
static void count_pending(struct trace *t, struct thread *h)
{
    const struct rc_soft_insn *insn = &h->insn;
    const uint64_t behind = insn->address + insn->length;

    h->pending = false;
    count_insn(t, h, insn);
    if (insn->special == RC_SOFT_PUSHF) {
        uint8_t flags;
        struct iovec here = {&flags, 1};
        struct iovec there = {(void *)(uintptr_t)(h->now.rsp + 1), 1}; // NOLINT
        if (process_vm_readv(h->tid, &here, 1, &there, 1, 0) == 1) {
            flags &= (uint8_t)~1u;
            (void)!process_vm_writev(h->tid, &here, 1, &there, 1, 0);
        }
    } else if (insn->special == RC_SOFT_SHADOW && h->now.rip != behind) {
        const struct rc_soft_insn shadowed =
            *rc_soft_decode(&t->stepper->decoder, behind);
        count_insn(t, h, &shadowed);
    }
}

/* Whether the thread is about to execute a file that gives privileges, which the kernel
 * would not give to a traced program.
 */
static bool gives_rights(const struct thread *h)
{
    const greg_t *g = h->context.uc_mcontext.gregs;
    const bool at = g[REG_RAX] == SYS_execveat;
    char name[PATH_MAX] = "", path[PATH_MAX + 64];

    if (h->insn.special != RC_SOFT_SYSCALL || geteuid() == 0 ||
        (g[REG_RAX] != SYS_execve && !at))
        return false;
    const uint64_t from = (uint64_t)g[at ? REG_RSI : REG_RDI];
    for (size_t i = 0; i < sizeof name - 1; i++) {
        struct iovec here = {name + i, 1}, there = {(void *)(from + i), 1}; // NOLINT
        if (process_vm_readv(h->tid, &here, 1, &there, 1, 0) != 1 || !name[i])
            break;
    }
    if (name[0] == '/')
        snprintf(path, sizeof path, "/proc/%d/root%s", (int)h->tid, name);
    else if (at && (int)g[REG_RDI] != -100) /* AT_FDCWD */
        snprintf(path, sizeof path, "/proc/%d/fd/%d/%s", (int)h->tid, (int)g[REG_RDI],
                 name);
    else
        snprintf(path, sizeof path, "/proc/%d/cwd/%s", (int)h->tid, name);
    return rc_program_gives_rights(path);
}

/* Whether the thread is about to ask its parent to trace it: a thread can have only one
 * tracer, so it is not followed any further.
 */
static bool asks_for_tracer(const struct thread *h)
{
    const greg_t *g = h->context.uc_mcontext.gregs;

    return h->insn.special == RC_SOFT_SYSCALL && g[REG_RAX] == SYS_ptrace &&
           g[REG_RDI] == PTRACE_TRACEME;
}

/* Whether nothing was executed since the last stop: at the first stop of a new thread,
 * or where the kernel restarts a system call.
 */
static bool is_still_pending(const struct thread *h)
{
    return h->now.rip == h->insn.address && h->insn.branch == RC_SOFT_BRANCH_NONE &&
           !(h->insn.repeated &&
             (greg_t)h->now.rcx != h->context.uc_mcontext.gregs[REG_RCX]);
}

/* Reports a step, now and then, and a system call that comes next. */
static void tell_watch(struct trace *t, const struct thread *h)
{
    enum { NOW_AND_THEN = 1024 };
    const greg_t *g = h->context.uc_mcontext.gregs;

    if (++t->steps % NOW_AND_THEN == 0)
        t->watch->stepped(t->watch->context, t->steps);
    if (h->insn.special == RC_SOFT_SYSCALL) {
        const struct rc_program_call call = {
            h->tid,
            g[REG_RAX],
            {(uint64_t)g[REG_RDI], (uint64_t)g[REG_RSI], (uint64_t)g[REG_RDX]}};
        t->watch->calls(t->watch->context, &call);
    }
}

/* Lets the thread execute its next instruction, with a signal or 0; a thread that
 * cannot be followed continues without its tracer.
 */
static void step(struct trace *t, struct thread *h, int signal)
{
    const pid_t tid = h->tid;
    const char *why = NULL;

    if (!h->begun) {
        ask(PTRACE_CONT, tid, (uintptr_t)signal);
        return;
    }
    if (!h->pending && read_registers(h)) {
        keep_registers(h);
        t->stepper->decoder.other = tid;
        h->insn = *rc_soft_decode(&t->stepper->decoder, h->now.rip);
        h->pending = true;
        if (needs_vectors(&h->insn))
            read_vectors(t, h);
        if (h->now.cs != CODE_64_BIT)
            why = "a program is not of this machine's 64-bit kind";
        else if (gives_rights(h))
            why = "a program runs with the privileges of another user";
        else if (asks_for_tracer(h))
            why = "it is traced by its own parent";
    }
    h->known = false;
    if (t->watch)
        tell_watch(t, h);
    if (!why) {
        ask(PTRACE_SINGLESTEP, tid, (uintptr_t)signal);
        return;
    }
    t->out->left++;
    t->out->why = why;
    forget(t, tid);
    ask(PTRACE_DETACH, tid, (uintptr_t)signal);
}

/* Handles a stop by a signal: counts the instruction before it.  Returns the signal if
 * it is the program's own, else 0.
 */
static int see_signal(struct trace *t, struct thread *h, int signal)
{
    siginfo_t info = {0};
    bool ours = false;

    if (signal == SIGTRAP && ptrace(PTRACE_GETSIGINFO, h->tid, NULL, &info) == 0)
        ours = info.si_code == TRAP_BY_STEP || info.si_code == TRAP_BEHIND_CALL ||
               info.si_code == TRAP_AT_HANDLER;
    if (ours && info.si_code == TRAP_AT_HANDLER)
        h->pending = false;
    else if (h->pending && read_registers(h) && !is_still_pending(h))
        count_pending(t, h);
    return ours ? 0 : signal;
}

/* Handles exec(): of a process's threads one is left, which has the process's number.
 */
static void see_exec(struct trace *t, struct thread *h)
{
    unsigned long was = 0;

    if (ptrace(PTRACE_GETEVENTMSG, h->tid, NULL, &was) == 0 && (pid_t)was != h->tid)
        forget(t, (pid_t)was);
    if (h->pending) /* the system call, which has no other stop after it */
        count_insn(t, h, &h->insn);
    h->pending = false;
    h->begun = true;
}

/* Handles a stop of one thread and lets it continue; a thread that job control stopped
 * stays stopped.
 */
static void see_stop(struct trace *t, struct thread *h, int status)
{
    const int event = status >> 16, signal = WSTOPSIG(status);

    if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        ask(PTRACE_LISTEN, h->tid, 0);
        return;
    }
    if (event == PTRACE_EVENT_EXEC)
        see_exec(t, h);
    t->out->processes += event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK;
    step(t, h, event ? 0 : see_signal(t, h, signal));
}

/* Handles the end of a thread; counts a system call that ended it, as no stop followed.
 */
static void see_end(struct trace *t, pid_t tid, int status)
{
    for (size_t i = 0; i < t->count; i++) {
        struct thread *h = t->thread[i];
        if (h->tid == tid && WIFEXITED(status) && h->pending &&
            h->insn.special == RC_SOFT_SYSCALL)
            count_insn(t, h, &h->insn);
    }
    forget(t, tid);
}

/* After the program's end: lets processes that it left running continue untraced. */
static void let_others_go(struct trace *t)
{
    int status;
    pid_t tid;

    for (size_t i = 0; i < t->count; i++)
        ask(PTRACE_INTERRUPT, t->thread[i]->tid, 0);
    t->out->left += t->count;
    if (t->count)
        t->out->why = "processes were left running when the program ended";
    while (t->count > 0 &&
           ((tid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR)) {
        if (tid < 0)
            continue;
        forget(t, tid);
        const int signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
        if (WIFSTOPPED(status))
            ask(PTRACE_DETACH, tid,
                (uintptr_t)(status >> 16 || signal == SIGTRAP ? 0 : signal));
    }
}

int rc_soft_trace(struct rc_soft_stepper *stepper, struct rc_program *program,
                  struct rc_followed *out, struct rc_error *err)
{
    struct trace t = {.stepper = stepper, .out = out, .watch = program->watch};
    bool ended = false;
    int status;

    *out = (struct rc_followed){.processes = 1};
    struct thread *first = thread_of(&t, program->pid);
    if (!first)
        return rc_fail(err, RC_ENOMEM, "no memory for the program's threads");
    first->begun = false;
    if (ask(PTRACE_SEIZE, program->pid,
            PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                PTRACE_O_TRACEEXEC) != 0) {
        forget(&t, program->pid);
        free(t.thread);
        return rc_fail_errno(err, "cannot step through the program");
    }
    rc_program_go(program);
    while (!ended) {
        const pid_t tid = waitpid(-1, &status, __WALL);
        if (tid < 0 && errno != EINTR)
            break;
        if (tid < 0)
            continue;
        struct thread *h = WIFSTOPPED(status) ? thread_of(&t, tid) : NULL;
        ended = !WIFSTOPPED(status) && tid == program->pid;
        if (h)
            see_stop(&t, h, status);
        else if (WIFSTOPPED(status)) /* no memory: it continues untraced */
            ask(PTRACE_DETACH, tid, 0);
        else
            see_end(&t, tid, status);
    }
    out->ended = ended ? status : 0;
    let_others_go(&t);
    free(t.thread);
    stepper->decoder.other = 0;
    if (!ended)
        return rc_fail(err, RC_EIO, "the program was waited for by somebody else");
    return t.failed ? rc_fail(err, RC_ENOMEM, "no memory for the program's threads")
                    : RC_OK;
}
