/* Executes copies of instructions with the registers of the signal frame.
 *
 * A copy is followed by a jump to code that puts the registers back into the frame.
 * The stack pointer is the stepped code's meanwhile, so no signal may come: the handler
 * blocks all but faults.  Vector registers are loaded from the frame by XRSTOR and
 * stored there by XSAVE, as the kernel does (Intel SDM, volume 1, 13.7 and 13.8).
 */
#include "campaign/sources/soft/direct.h"

#include <string.h>
#include <sys/mman.h>

#define TRAP_FLAG 0x100
#define SLOT ((size_t)32) /* bytes: an instruction, a jump and its target */
#define CODE_BYTES (RC_SOFT_DECODED * SLOT)
#define PAGE ((size_t)4096)

/* The registers in the order of their numbers, and what the switch needs to know; the
 * assembly below uses the offsets of the members.
 */
struct rc_soft_switch {
    uint64_t reg[16], flags;
    const uint8_t *slot;
    void *frame; /* of the vector state; NULL: it is not switched */
    uint64_t states;
    uint64_t stack, mxcsr; /* the handler's own */
};
extern struct rc_soft_switch rc_soft_switched;
void rc_soft_direct_enter(void);
extern const uint8_t rc_soft_direct_back[];

__asm__(".pushsection .text\n"
        ".macro rc_soft_load reg at\n"
        "mov rc_soft_switched+\\at(%rip), %\\reg\n"
        ".endm\n"
        ".macro rc_soft_store reg at\n"
        "mov %\\reg, rc_soft_switched+\\at(%rip)\n"
        ".endm\n"
        ".macro rc_soft_each move\n"
        "\\move rax 0\n"
        "\\move rcx 8\n"
        "\\move rdx 16\n"
        "\\move rbx 24\n"
        "\\move rbp 40\n"
        "\\move rsi 48\n"
        "\\move rdi 56\n"
        "\\move r8 64\n"
        "\\move r9 72\n"
        "\\move r10 80\n"
        "\\move r11 88\n"
        "\\move r12 96\n"
        "\\move r13 104\n"
        "\\move r14 112\n"
        "\\move r15 120\n"
        "\\move rsp 32\n"
        ".endm\n"
        ".macro rc_soft_vectors insn\n"
        "mov rc_soft_switched+144(%rip), %rdi\n"
        "test %rdi, %rdi\n"
        "jz 1f\n"
        "mov rc_soft_switched+152(%rip), %eax\n"
        "xor %edx, %edx\n"
        "\\insn (%rdi)\n"
        "1:\n"
        ".endm\n"
        ".hidden rc_soft_switched\n"
        ".comm rc_soft_switched, 192, 64\n"
        ".p2align 6\n"
        ".hidden rc_soft_direct_enter\n"
        ".globl rc_soft_direct_enter\n"
        ".type rc_soft_direct_enter, @function\n"
        "rc_soft_direct_enter:\n"
        "push %rbx\n"
        "push %rbp\n"
        "push %r12\n"
        "push %r13\n"
        "push %r14\n"
        "push %r15\n"
        "pushfq\n"
        "stmxcsr rc_soft_switched+168(%rip)\n"
        "mov %rsp, rc_soft_switched+160(%rip)\n"
        "rc_soft_vectors xrstor64\n"
        "pushq rc_soft_switched+128(%rip)\n"
        "popfq\n"
        "rc_soft_each rc_soft_load\n"
        "jmp *rc_soft_switched+136(%rip)\n"
        ".hidden rc_soft_direct_back\n"
        ".globl rc_soft_direct_back\n"
        "rc_soft_direct_back:\n"
        "rc_soft_each rc_soft_store\n"
        "mov rc_soft_switched+160(%rip), %rsp\n"
        "pushfq\n"
        "popq rc_soft_switched+128(%rip)\n"
        "cld\n"
        "rc_soft_vectors xsave64\n"
        "ldmxcsr rc_soft_switched+168(%rip)\n"
        "popfq\n"
        "pop %r15\n"
        "pop %r14\n"
        "pop %r13\n"
        "pop %r12\n"
        "pop %rbp\n"
        "pop %rbx\n"
        "ret\n"
        ".size rc_soft_direct_enter, . - rc_soft_direct_enter\n"
        ".popsection\n");

_Static_assert(offsetof(struct rc_soft_switch, flags) == 128 &&
                   offsetof(struct rc_soft_switch, slot) == 136 &&
                   offsetof(struct rc_soft_switch, frame) == 144 &&
                   offsetof(struct rc_soft_switch, states) == 152 &&
                   offsetof(struct rc_soft_switch, stack) == 160 &&
                   offsetof(struct rc_soft_switch, mxcsr) == 168 &&
                   sizeof(struct rc_soft_switch) <= 192,
               "as the assembly has it");

/* A shadow stack of the processor would miss the calls that branch() works out. */
static bool has_shadow_stack(void)
{
    uint64_t pointer = 0;

    __asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" /* rdsspq rax, or nothing */
                     : "+a"(pointer));
    return pointer != 0;
}

void rc_soft_direct_init(struct rc_soft_direct *direct)
{
    *direct = (struct rc_soft_direct){0};
    if (has_shadow_stack())
        return;
    void *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return;
    if (mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC) != 0)
        munmap(code, CODE_BYTES);
    else
        direct->code = code;
}

void rc_soft_direct_fini(struct rc_soft_direct *direct)
{
    if (direct->code)
        munmap(direct->code, CODE_BYTES);
    *direct = (struct rc_soft_direct){0};
}

/* Copies an instruction into its slot, which has the same index as the decoded one. */
static bool copy(struct rc_soft_direct *direct, const struct rc_soft_decoder *decoder,
                 struct rc_soft_insn *insn)
{
    /* A jump to the address that follows it. */
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    const uint64_t back = (uint64_t)(uintptr_t)rc_soft_direct_back;
    const size_t at = (size_t)(insn - decoder->slot) * SLOT;
    uint8_t *slot = direct->code + at;
    uint8_t *page = direct->code + at / PAGE * PAGE;

    const int64_t moved = (int64_t)(insn->address - (uint64_t)(uintptr_t)slot);
    int32_t distance = 0; /* from the instruction to its operand, if it has one */

    memcpy(&distance, insn->code + insn->relative, sizeof distance);
    if (insn->relative &&
        (moved + distance > INT32_MAX || moved + distance < INT32_MIN)) {
        insn->way = RC_SOFT_WAY_TRAP;
        return false;
    }
    distance += (int32_t)moved;
    if (mprotect(page, PAGE, PROT_READ | PROT_WRITE) != 0)
        return false;
    memcpy(slot, insn->code, insn->length);
    if (insn->relative)
        memcpy(slot + insn->relative, &distance, sizeof distance);
    memcpy(slot + insn->length, jump, sizeof jump);
    memcpy(slot + insn->length + sizeof jump, &back, sizeof back);
    if (mprotect(page, PAGE, PROT_READ | PROT_EXEC) != 0) {
        munmap(direct->code, CODE_BYTES);
        direct->code = NULL;
        return false;
    }
    insn->copy = slot;
    return true;
}

static void execute(const struct rc_soft_insn *insn, ucontext_t *context, void *frame,
                    uint64_t states)
{
    greg_t *reg = context->uc_mcontext.gregs;
    struct rc_soft_switch *s = &rc_soft_switched;

    for (unsigned i = 0; i < 16; i++)
        s->reg[i] = (uint64_t)reg[rc_soft_greg[i]];
    s->flags = (uint64_t)reg[REG_EFL] & ~(uint64_t)TRAP_FLAG;
    s->slot = insn->copy;
    s->frame = frame;
    s->states = states;
    rc_soft_direct_enter();
    for (unsigned i = 0; i < 16; i++)
        reg[rc_soft_greg[i]] = (greg_t)s->reg[i];
    reg[REG_EFL] = (greg_t)(s->flags | ((uint64_t)reg[REG_EFL] & TRAP_FLAG));
}

__attribute__((no_sanitize("address"))) static uint64_t *word_at(uint64_t address)
{
    return (uint64_t *)(uintptr_t)address; // NOLINT: an address from a register
}

/* Where a branch goes to. */
__attribute__((no_sanitize("address"))) static uint64_t
target_of(const struct rc_soft_insn *insn, const struct rc_soft_counter *counter,
          const ucontext_t *context, uint64_t next)
{
    if (insn->way == RC_SOFT_WAY_BRANCH)
        return insn->branch == RC_SOFT_BRANCH_IF && !rc_soft_is_taken(insn, context)
                   ? next
                   : insn->target;
    if (insn->to != RC_SOFT_NO_REGISTER)
        return (uint64_t)context->uc_mcontext.gregs[rc_soft_greg[insn->to & 15]];
    return *word_at(rc_soft_address(counter, context, &insn->access[0]));
}

__attribute__((no_sanitize("address"))) static void
branch(const struct rc_soft_insn *insn, const struct rc_soft_counter *counter,
       ucontext_t *context, uint64_t next)
{
    greg_t *reg = context->uc_mcontext.gregs;

    if (insn->way == RC_SOFT_WAY_RETURN) {
        reg[REG_RIP] = (greg_t)*word_at((uint64_t)reg[REG_RSP]);
        reg[REG_RSP] += 8;
        return;
    }
    const uint64_t target = target_of(insn, counter, context, next);
    if (insn->call) {
        reg[REG_RSP] -= 8;
        *word_at((uint64_t)reg[REG_RSP]) = next;
    }
    reg[REG_RIP] = (greg_t)target;
}

bool rc_soft_direct_go(struct rc_soft_direct *direct,
                       const struct rc_soft_decoder *decoder,
                       const struct rc_soft_counter *counter, struct rc_soft_insn *insn,
                       ucontext_t *context)
{
    const uint64_t next = insn->address + insn->length;
    void *frame = NULL;
    uint64_t states = 0;

    if (!direct->code || insn->way == RC_SOFT_WAY_TRAP)
        return false;
    if (insn->way >= RC_SOFT_WAY_BRANCH) {
        branch(insn, counter, context, next);
        return true;
    }
    if (insn->way == RC_SOFT_WAY_VECTOR) {
        states = rc_soft_frame_states(context);
        frame = context->uc_mcontext.fpregs;
        if (!states)
            return false;
    }
    if (!insn->copy && !copy(direct, decoder, insn))
        return false;
    execute(insn, context, frame, states);
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)next;
    return true;
}
