/* Executes copies of instructions with the registers of the signal frame.
 *
 * A copy is followed by a jump to where the registers are put back into the frame. The
 * stack pointer is the stepped code's meanwhile: all signals are blocked in the
 * handler. Vector registers are taken from and put into the frame by XRSTOR and XSAVE,
 * which is what the kernel does with it (Intel SDM, volume 1, 13.7 and 13.8).
 */
#include "campaign/sources/soft/direct.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define TRAP_FLAG 0x100
#define SLOT ((size_t)32) /* bytes: an instruction, a jump and where to */
#define CODE_BYTES (RC_SOFT_DECODED * SLOT)
#define PAGE ((size_t)4096)

/* The registers in the order of their numbers, and what the switch has to know. */
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

/* Calls are worked out, which a shadow stack would not know of. */
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

/* Categories whose instructions do nothing but what their operands say. */
static bool is_known(const ZydisDecodedInstruction *insn)
{
    switch (insn->meta.category) {
    case ZYDIS_CATEGORY_ADOX_ADCX:
    case ZYDIS_CATEGORY_AES:
    case ZYDIS_CATEGORY_AVX:
    case ZYDIS_CATEGORY_AVX2:
    case ZYDIS_CATEGORY_AVX2GATHER:
    case ZYDIS_CATEGORY_AVX512:
    case ZYDIS_CATEGORY_AVX512_BITALG:
    case ZYDIS_CATEGORY_AVX512_VBMI:
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_BITBYTE:
    case ZYDIS_CATEGORY_BLEND:
    case ZYDIS_CATEGORY_BMI1:
    case ZYDIS_CATEGORY_BMI2:
    case ZYDIS_CATEGORY_BROADCAST:
    case ZYDIS_CATEGORY_CMOV:
    case ZYDIS_CATEGORY_COMPRESS:
    case ZYDIS_CATEGORY_CONFLICT:
    case ZYDIS_CATEGORY_CONVERT:
    case ZYDIS_CATEGORY_DATAXFER:
    case ZYDIS_CATEGORY_EXPAND:
    case ZYDIS_CATEGORY_FMA4:
    case ZYDIS_CATEGORY_FP16:
    case ZYDIS_CATEGORY_GATHER:
    case ZYDIS_CATEGORY_GFNI:
    case ZYDIS_CATEGORY_IFMA:
    case ZYDIS_CATEGORY_KMASK:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_LOGICAL_FP:
    case ZYDIS_CATEGORY_LZCNT:
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_PCLMULQDQ:
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_SCATTER:
    case ZYDIS_CATEGORY_SEMAPHORE:
    case ZYDIS_CATEGORY_SETCC:
    case ZYDIS_CATEGORY_SHA:
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_STTNI:
    case ZYDIS_CATEGORY_TBM:
    case ZYDIS_CATEGORY_VAES:
    case ZYDIS_CATEGORY_VBMI2:
    case ZYDIS_CATEGORY_VFMA:
    case ZYDIS_CATEGORY_VPCLMULQDQ:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_XOP:
        return insn->mnemonic != ZYDIS_MNEMONIC_PUSHF &&
               insn->mnemonic != ZYDIS_MNEMONIC_PUSHFQ;
    case ZYDIS_CATEGORY_SSE:
        return insn->mnemonic != ZYDIS_MNEMONIC_FXSAVE &&
               insn->mnemonic != ZYDIS_MNEMONIC_FXSAVE64 &&
               insn->mnemonic != ZYDIS_MNEMONIC_FXRSTOR &&
               insn->mnemonic != ZYDIS_MNEMONIC_FXRSTOR64;
    case ZYDIS_CATEGORY_CET:
        return insn->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
    case ZYDIS_CATEGORY_POP:
        return insn->mnemonic == ZYDIS_MNEMONIC_POP;
    case ZYDIS_CATEGORY_MISC:
        return insn->mnemonic == ZYDIS_MNEMONIC_LEA ||
               insn->mnemonic == ZYDIS_MNEMONIC_LEAVE ||
               insn->mnemonic == ZYDIS_MNEMONIC_PAUSE;
    default:
        return false;
    }
}

/* Registers that the switch knows of; 'vector' is set where vector ones are meant. */
static bool knows_register(ZydisRegister reg, bool *vector)
{
    switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
    case ZYDIS_REGCLASS_FLAGS:
        return true;
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
    case ZYDIS_REGCLASS_MASK:
        *vector = true;
        return true;
    default:
        *vector = *vector || reg == ZYDIS_REGISTER_MXCSR;
        return reg == ZYDIS_REGISTER_MXCSR;
    }
}

static uint8_t way_of_branch(const ZydisDecodedInstruction *insn,
                             const ZydisDecodedOperand *operand)
{
    switch (insn->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        /* 0x70 and 0x0f80: by condition; loops and others change or ask registers */
        return insn->opcode >> 4 == 7 || insn->opcode >> 4 == 8 ? RC_SOFT_WAY_BRANCH
                                                                : RC_SOFT_WAY_TRAP;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return insn->mnemonic == ZYDIS_MNEMONIC_JMP &&
                       operand[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE
                   ? RC_SOFT_WAY_BRANCH
                   : RC_SOFT_WAY_TRAP;
    case ZYDIS_CATEGORY_CALL:
        return insn->mnemonic == ZYDIS_MNEMONIC_CALL &&
                       operand[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE
                   ? RC_SOFT_WAY_BRANCH
                   : RC_SOFT_WAY_TRAP;
    case ZYDIS_CATEGORY_RET:
        return insn->mnemonic == ZYDIS_MNEMONIC_RET && insn->operand_count_visible == 0
                   ? RC_SOFT_WAY_RETURN
                   : RC_SOFT_WAY_TRAP;
    default:
        return RC_SOFT_WAY_TRAP;
    }
}

/* What is relative to the instruction pointer would be so to the copy. */
uint8_t rc_soft_direct_way(const ZydisDecodedInstruction *insn,
                           const ZydisDecodedOperand *operand)
{
    bool vector = false;

    if (!is_known(insn))
        return way_of_branch(insn, operand);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const ZydisDecodedOperand *o = &operand[i];
        if ((o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
             !knows_register(o->reg.value, &vector)) ||
            (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
             (o->mem.base == ZYDIS_REGISTER_RIP || o->mem.base == ZYDIS_REGISTER_EIP ||
              o->mem.type == ZYDIS_MEMOP_TYPE_MIB)))
            return RC_SOFT_WAY_TRAP;
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
            o->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
            vector = true;
    }
    if (insn->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
        insn->meta.category == ZYDIS_CATEGORY_SSE)
        vector = true; /* vzeroupper has no operands */
    return vector ? RC_SOFT_WAY_VECTOR : RC_SOFT_WAY_COPY;
}

/* Copies the instruction into the slot of its place among the decoded ones. */
static bool copy(struct rc_soft_direct *direct, const struct rc_soft_decoder *decoder,
                 struct rc_soft_insn *insn)
{
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* to what is behind it */
    const uint64_t back = (uint64_t)(uintptr_t)rc_soft_direct_back;
    const size_t at = (size_t)(insn - decoder->slot) * SLOT;
    uint8_t *slot = direct->code + at;
    uint8_t *page = direct->code + at / PAGE * PAGE;

    if (mprotect(page, PAGE, PROT_READ | PROT_WRITE) != 0)
        return false;
    memcpy(slot, insn->code, insn->length);
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

__attribute__((no_sanitize("address"))) static void
branch(const struct rc_soft_insn *insn, ucontext_t *context, uint64_t next)
{
    greg_t *reg = context->uc_mcontext.gregs;

    if (insn->way == RC_SOFT_WAY_RETURN) {
        reg[REG_RIP] = (greg_t)*word_at((uint64_t)reg[REG_RSP]);
        reg[REG_RSP] += 8;
        return;
    }
    if (insn->branch == RC_SOFT_BRANCH_CALL) {
        reg[REG_RSP] -= 8;
        *word_at((uint64_t)reg[REG_RSP]) = next;
    }
    const bool on =
        insn->branch == RC_SOFT_BRANCH_IF && !rc_soft_is_taken(insn, context);
    reg[REG_RIP] = (greg_t)(on ? next : insn->target);
}

bool rc_soft_direct_go(struct rc_soft_direct *direct,
                       const struct rc_soft_decoder *decoder, struct rc_soft_insn *insn,
                       ucontext_t *context)
{
    const uint64_t next = insn->address + insn->length;
    void *frame = NULL;
    uint64_t states = 0;

    if (!direct->code || insn->way == RC_SOFT_WAY_TRAP)
        return false;
    if (insn->way == RC_SOFT_WAY_BRANCH || insn->way == RC_SOFT_WAY_RETURN) {
        branch(insn, context, next);
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
