/* Classifies instructions by mnemonic and operands: which counters they raise.
 *
 * An instruction is classified once, when it is first decoded; the result is a list of
 * counters to raise ("bumps") and of accesses to memory whose addresses are worked out
 * each time it executes.  FP arithmetic is recognized by names, since Zydis has some
 * hundred mnemonics of it that follow one pattern.
 */
#include "campaign/sources/soft/insn.h"

#include "campaign/base/words.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* FP arithmetic as the processors' own events define it, by the stem of the mnemonic:
 * between an optional "v" and the suffix for type and precision.  Stems of FMA4 have no
 * digits.
 */
#define FMA(stem) stem " " stem "132 " stem "213 " stem "231 "
static const struct {
    const char *stems;
    uint16_t operation;
    bool twice, fma; /* two operations a lane */
} fp_stems[] = {
    {"add sub hadd hsub addsub", RC_SOFT_FP_HP_ADD, false, false},
    {"mul", RC_SOFT_FP_HP_MUL, false, false},
    {"div", RC_SOFT_FP_HP_DIV, false, false},
    {"sqrt", RC_SOFT_FP_HP_SQRT, false, false},
    {"min max rcp rsqrt rcp14 rsqrt14 rcp28 rsqrt28", 0, false, false},
    {"dp", 0, true, false},
    {FMA("fmadd") FMA("fmsub") FMA("fnmadd") FMA("fnmsub"), 0, true, true},
    {FMA("fmaddsub") FMA("fmsubadd"), 0, true, true},
};

/* Integer instructions: the classes of kernels/ideal.h, and parts of these. */
static const struct {
    const char *names;
    uint16_t event[2];
} integers[] = {
    {"add adc sub sbb inc dec neg", {RC_SOFT_INT_ADD, 0}},
    {"cmp", {RC_SOFT_INT_ADD, RC_SOFT_INT_COMPARE}},
    {"mul imul mulx", {RC_SOFT_INT_MUL, 0}},
    {"div idiv", {RC_SOFT_INT_DIV, 0}},
    {"and or xor not andn test bt", {RC_SOFT_INT_LOGIC, 0}},
    {"shl shr sar rol ror rcl rcr shld shrd shlx shrx sarx rorx",
     {RC_SOFT_INT_LOGIC, RC_SOFT_INT_SHIFT}},
    {"mov movzx movsx movsxd", {RC_SOFT_INT_MOV, 0}},
    {"lea", {RC_SOFT_INT_LEA, 0}},
};

/* A name such as "fmadd213ps": the stem, packed or scalar, and the precision. */
static void fp_arithmetic(const char *name, struct rc_soft_mnemonic *out)
{
    char stem[32];
    const size_t length = strlen(name), bytes = length > 2 ? length - 2 : 0;
    const char *suffix = name + bytes;

    if (bytes == 0 || !strchr("ps", suffix[0]) || !strchr("sdh", suffix[1]))
        return;
    snprintf(stem, sizeof stem, "%.*s", (int)bytes, name);
    for (size_t k = 0; k < COUNT_OF(fp_stems); k++) {
        if (!rc_word_listed(fp_stems[k].stems, stem))
            continue;
        out->scalar = suffix[0] == 's';
        out->precision = (uint8_t)suffix[1];
        out->operation = fp_stems[k].operation;
        out->twice = fp_stems[k].twice;
        out->fma = fp_stems[k].fma;
    }
}

/* Bytes of an index of a gather or scatter, else 0: the letter after that word in the
 * mnemonic says so.
 */
static uint8_t index_bytes(const char *name)
{
    const char *word = strstr(name, "gather");
    size_t length = strlen("gather");
    if (!word) {
        word = strstr(name, "scatter");
        length = strlen("scatter");
    }
    if (!word)
        return 0;
    if (strncmp(word + length, "pf", 2) == 0) /* vgatherpf0dps */
        length += 3;
    return word[length] == 'q' ? 8 : 4;
}

void rc_soft_mnemonics(struct rc_soft_mnemonic *table)
{
    static const char *const integer_stems[] = {"aes", "sha", "gf2p8"};

    for (int i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++) {
        const char *name = ZydisMnemonicGetString((ZydisMnemonic)i);
        if (!name)
            continue;
        const char *stem = name[0] == 'v' ? name + 1 : name;
        fp_arithmetic(stem, &table[i]);
        table[i].index_bytes = index_bytes(name);
        table[i].integer_vector = stem[0] == 'p';
        table[i].streaming = strncmp(stem, "movnt", strlen("movnt")) == 0;
        for (size_t k = 0; k < COUNT_OF(integer_stems); k++)
            if (strncmp(stem, integer_stems[k], strlen(integer_stems[k])) == 0)
                table[i].integer_vector = true;
        for (size_t k = 0; k < COUNT_OF(integers); k++)
            if (rc_word_listed(integers[k].names, name))
                memcpy(table[i].integer, integers[k].event, sizeof table[i].integer);
    }
}

/* Adds a counter to those that the instruction raises. */
static void bump(struct rc_soft_insn *out, unsigned event, unsigned amount)
{
    if (out->bump_count < RC_SOFT_BUMPS)
        out->bump[out->bump_count++] =
            (struct rc_soft_bump){(uint16_t)event, (uint16_t)amount};
}

static bool is_vector(ZydisRegister reg)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    return class == ZYDIS_REGCLASS_MMX || class == ZYDIS_REGCLASS_XMM ||
           class == ZYDIS_REGCLASS_YMM || class == ZYDIS_REGCLASS_ZMM;
}

static unsigned width_index(unsigned bits)
{
    return bits == 512 ? 3 : bits == 256 ? 2 : bits == 128 ? 1 : 0;
}

/* Computes which counters FP arithmetic raises: in events.h they are in the order of
 * precision, then width, each without and with FMA.
 */
static void bump_fp(const struct rc_soft_mnemonic *mnemonic, unsigned bits,
                    struct rc_soft_insn *out)
{
    unsigned p = mnemonic->precision == 'h' ? 0 : mnemonic->precision == 's' ? 1 : 2;
    unsigned operations = RC_SOFT_FP_SP_ADD - RC_SOFT_FP_HP_ADD;
    unsigned lanes = mnemonic->scalar ? 1 : bits / (16u << p);

    bump(out,
         RC_SOFT_FP_HP_SCALAR + 8 * p + 2 * (mnemonic->scalar ? 0 : width_index(bits)) +
             mnemonic->fma,
         1);
    if (mnemonic->operation)
        bump(out, mnemonic->operation + operations * p, 1);
    bump(out, RC_SOFT_FP_HP_OPERATIONS + operations * p,
         mnemonic->twice ? 2 * lanes : lanes);
}

/* A mov is a load, a store, or a move between general registers or of a constant; only
 * the last two are counted as moves.
 */
static bool is_register_move(const ZydisDecodedInstruction *insn,
                             const ZydisDecodedOperand *operand)
{
    for (unsigned i = 0; i < insn->operand_count; i++) {
        if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            operand[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN)
            return false;
        if (i < insn->operand_count_visible &&
            operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER) {
            ZydisRegisterClass class = ZydisRegisterGetClass(operand[i].reg.value);
            if (class < ZYDIS_REGCLASS_GPR8 || class > ZYDIS_REGCLASS_GPR64)
                return false;
        }
    }
    return true;
}

/* FP arithmetic, integer arithmetic on vectors, or one of the classes of integers. */
static void bump_arithmetic(const struct rc_soft_mnemonic *mnemonic,
                            const ZydisDecodedInstruction *insn,
                            const ZydisDecodedOperand *operand,
                            struct rc_soft_insn *out)
{
    unsigned bits = 0; /* of its vectors: 64 (MMX), 128, 256, 512; 0 without any */
    const ZydisInstructionCategory category = insn->meta.category;
    const bool moves_data =
        category == ZYDIS_CATEGORY_DATAXFER || category == ZYDIS_CATEGORY_GATHER ||
        category == ZYDIS_CATEGORY_AVX2GATHER || category == ZYDIS_CATEGORY_SCATTER;

    for (unsigned i = 0; i < insn->operand_count_visible; i++)
        if (operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            is_vector(operand[i].reg.value)) {
            const unsigned width =
                ZydisRegisterGetWidth(insn->machine_mode, operand[i].reg.value);
            bits = width > bits ? width : bits;
        }
    if (mnemonic->precision && bits) {
        bump_fp(mnemonic, bits, out);
    } else if (mnemonic->integer_vector && bits && !moves_data &&
               operand[0].element_type < ZYDIS_ELEMENT_TYPE_FLOAT16) {
        bump(out,
             bits == 64 ? RC_SOFT_INT_SIMD_64 : RC_SOFT_INT_SIMD_64 + width_index(bits),
             1);
    } else if (mnemonic->integer[0] != RC_SOFT_INT_MOV ||
               is_register_move(insn, operand)) {
        for (unsigned i = 0; i < 2; i++)
            if (mnemonic->integer[i])
                bump(out, mnemonic->integer[i], 1);
    }
}

static bool is_prefetch(const ZydisDecodedInstruction *insn)
{
    return insn->meta.category == ZYDIS_CATEGORY_PREFETCH ||
           insn->meta.category == ZYDIS_CATEGORY_PREFETCHWT1 ||
           insn->meta.isa_set == ZYDIS_ISA_SET_AVX512PF_512;
}

/* Instructions with a memory operand that they do not access. */
static bool only_names_memory(const ZydisDecodedInstruction *insn)
{
    return rc_word_listed("NOP WIDENOP CLDEMOTE CLFLUSHOPT CLWB MPX",
                          ZydisCategoryGetString(insn->meta.category)) ||
           rc_word_listed("clflush invlpg", ZydisMnemonicGetString(insn->mnemonic));
}

static uint8_t register_number(ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP ||
        reg == ZYDIS_REGISTER_EIP)
        return RC_SOFT_NO_REGISTER;
    return (uint8_t)ZydisRegisterGetId(reg);
}

/* Notes how the address of an operand is worked out.  One that is relative to the
 * instruction pointer is known already.  A push stores below the stack pointer; the
 * memory operand of a pop is addressed with the pointer already moved.
 */
static void address_of(uint64_t address, const ZydisDecodedInstruction *insn,
                       const ZydisDecodedOperand *operand, struct rc_soft_access *out)
{
    const bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

    out->base = register_number(operand->mem.base);
    out->index = register_number(operand->mem.index);
    out->scale = operand->mem.scale ? operand->mem.scale : 1;
    out->displacement = operand->mem.disp.value;
    out->address_bits = insn->address_width;
    out->segment = (uint8_t)(operand->mem.segment == ZYDIS_REGISTER_FS   ? 'f'
                             : operand->mem.segment == ZYDIS_REGISTER_GS ? 'g'
                                                                         : 0);
    if (operand->mem.base == ZYDIS_REGISTER_RIP ||
        operand->mem.base == ZYDIS_REGISTER_EIP)
        out->displacement += (int64_t)(address + insn->length);
    if (insn->mnemonic == ZYDIS_MNEMONIC_LEAVE)
        out->base = register_number(ZYDIS_REGISTER_RBP);
    else if (hidden && (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
             operand->mem.base == ZYDIS_REGISTER_RSP)
        out->displacement -= out->bytes;
    else if (!hidden && insn->meta.category == ZYDIS_CATEGORY_POP &&
             operand->mem.base == ZYDIS_REGISTER_RSP)
        out->displacement += out->bytes;
}

/* Finds the mask.  AVX-512 has it in a k register, AVX in a vector of integers: the
 * second operand of vmaskmov, the last one of an AVX2 gather.
 */
static void mask_of(const ZydisDecodedInstruction *insn,
                    const ZydisDecodedOperand *operand, struct rc_soft_access *out)
{
    ZydisRegister mask = ZYDIS_REGISTER_NONE;

    if (insn->avx.mask.reg > ZYDIS_REGISTER_K0 &&
        insn->avx.mask.reg <= ZYDIS_REGISTER_K7) {
        out->flags |= RC_SOFT_MASK_IS_K;
        mask = insn->avx.mask.reg;
    } else if (insn->meta.category == ZYDIS_CATEGORY_AVX2GATHER) {
        mask = operand[2].reg.value;
    } else if (rc_word_listed("vmaskmovps vmaskmovpd vpmaskmovd vpmaskmovq",
                              ZydisMnemonicGetString(insn->mnemonic))) {
        mask = operand[1].reg.value;
    }
    if (mask == ZYDIS_REGISTER_NONE)
        return;
    if (!(out->flags & RC_SOFT_MASK_IS_K))
        out->flags |= RC_SOFT_MASK_IS_VECTOR;
    out->mask = (uint8_t)ZydisRegisterGetId(mask);
    if (insn->meta.category == ZYDIS_CATEGORY_COMPRESS ||
        insn->meta.category == ZYDIS_CATEGORY_EXPAND)
        out->flags |= RC_SOFT_IS_PACKED;
}

/* As many elements as both the data and the index register hold. */
static unsigned gather_elements(const ZydisDecodedInstruction *insn,
                                const ZydisDecodedOperand *operand,
                                const struct rc_soft_access *access,
                                ZydisRegister index)
{
    unsigned held =
        ZydisRegisterGetWidth(insn->machine_mode, index) / 8u / access->index_bytes;
    for (unsigned i = 0; i < insn->operand_count_visible; i++)
        if (operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            is_vector(operand[i].reg.value)) {
            unsigned data =
                ZydisRegisterGetWidth(insn->machine_mode, operand[i].reg.value) / 8u /
                access->bytes;
            return data < held ? data : held;
        }
    return held;
}

/* Adds the access of operand 'which'. */
static void add_access(const struct rc_soft_mnemonic *mnemonic, uint64_t address,
                       const ZydisDecodedInstruction *insn,
                       const ZydisDecodedOperand *operand, unsigned which,
                       struct rc_soft_insn *out)
{
    const ZydisDecodedOperand *memory = &operand[which];
    struct rc_soft_access *access = &out->access[out->access_count++];

    if (is_prefetch(insn))
        access->flags = RC_SOFT_IS_PREFETCH;
    else
        access->flags = (uint8_t)((memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ
                                       ? RC_SOFT_IS_LOAD
                                       : 0) |
                                  (memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE
                                       ? RC_SOFT_IS_STORE
                                       : 0));
    if (mnemonic->streaming && (access->flags & RC_SOFT_IS_STORE))
        access->flags |= RC_SOFT_IS_STREAMING;
    access->bytes = (uint16_t)(memory->size / 8);
    access->element_bytes = (uint8_t)(memory->element_size / 8);
    access->elements =
        (uint8_t)(memory->element_count > 64 ? 64 : memory->element_count);
    address_of(address, insn, memory, access);
    if (memory->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
        access->flags |= RC_SOFT_IS_VECTOR;
        access->index_bytes = mnemonic->index_bytes ? mnemonic->index_bytes : 4;
        access->elements =
            (uint8_t)gather_elements(insn, operand, access, memory->mem.index);
    }
    mask_of(insn, operand, access);
}

/* Loads, stores, gathers, scatters and locked instructions. */
static void take_memory(const struct rc_soft_mnemonic *mnemonic, uint64_t address,
                        const ZydisDecodedInstruction *insn,
                        const ZydisDecodedOperand *operand, struct rc_soft_insn *out)
{
    unsigned flags = 0;

    if (only_names_memory(insn))
        return;
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            (operand[i].mem.type == ZYDIS_MEMOP_TYPE_MEM ||
             operand[i].mem.type == ZYDIS_MEMOP_TYPE_VSIB) &&
            operand[i].size >= 8 && out->access_count < RC_SOFT_ACCESSES) {
            add_access(mnemonic, address, insn, operand, i, out);
            flags |= out->access[out->access_count - 1].flags;
        }
    if (flags & RC_SOFT_IS_LOAD)
        bump(out, RC_SOFT_LOADS, 1);
    if (flags & RC_SOFT_IS_STORE)
        bump(out, RC_SOFT_STORES, 1);
    if (flags & RC_SOFT_IS_STREAMING)
        bump(out, RC_SOFT_STREAMING_STORES, 1);
    if ((flags & RC_SOFT_IS_VECTOR) && (flags & RC_SOFT_IS_LOAD))
        bump(out, RC_SOFT_GATHERS, 1);
    if ((flags & RC_SOFT_IS_VECTOR) && (flags & RC_SOFT_IS_STORE))
        bump(out, RC_SOFT_SCATTERS, 1);
    if ((insn->attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
        (insn->mnemonic == ZYDIS_MNEMONIC_XCHG && out->access_count))
        bump(out, RC_SOFT_LOCKED, 1);
}

/* Conditional branches: only those that a predictor predicts, so not xbegin. */
static void take_conditional(const ZydisDecodedInstruction *insn,
                             struct rc_soft_insn *out)
{
    switch (insn->mnemonic) {
    case ZYDIS_MNEMONIC_XBEGIN:
        return;
    case ZYDIS_MNEMONIC_LOOPNE:
        out->condition = RC_SOFT_LOOPNE;
        break;
    case ZYDIS_MNEMONIC_LOOPE:
        out->condition = RC_SOFT_LOOPE;
        break;
    case ZYDIS_MNEMONIC_LOOP:
        out->condition = RC_SOFT_LOOP;
        break;
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_JECXZ:
        out->condition = RC_SOFT_IF_RCX_ZERO;
        break;
    default:
        out->condition = insn->opcode & 15;
    }
    out->branch = RC_SOFT_BRANCH_IF;
    bump(out, RC_SOFT_BRANCH_CONDITIONAL, 1);
}

/* Notes the kind of a branch, and its target. */
static void take_branch(uint64_t address, const ZydisDecodedInstruction *insn,
                        const ZydisDecodedOperand *operand, struct rc_soft_insn *out)
{
    bool direct = operand[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

    switch (insn->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        take_conditional(insn, out);
        break;
    case ZYDIS_CATEGORY_UNCOND_BR:
        out->branch = direct ? RC_SOFT_BRANCH_JUMP : RC_SOFT_BRANCH_ELSEWHERE;
        bump(out, direct ? RC_SOFT_BRANCH_DIRECT : RC_SOFT_BRANCH_INDIRECT, 1);
        break;
    case ZYDIS_CATEGORY_CALL:
        out->branch = direct ? RC_SOFT_BRANCH_CALL : RC_SOFT_BRANCH_ELSEWHERE;
        bump(out, RC_SOFT_CALLS, 1);
        if (!direct)
            bump(out, RC_SOFT_CALLS_INDIRECT, 1);
        break;
    case ZYDIS_CATEGORY_RET:
        out->branch = RC_SOFT_BRANCH_ELSEWHERE;
        bump(out, RC_SOFT_RETURNS, 1);
        break;
    default:
        break;
    }
    if (out->branch == RC_SOFT_BRANCH_NONE)
        return;
    bump(out, RC_SOFT_BRANCHES, 1);
    if (direct)
        out->target = address + insn->length + (uint64_t)operand[0].imm.value.s;
}

/* Notes properties that stepping needs, and string instructions, which repeat. */
static void take_special(const ZydisDecodedInstruction *insn,
                         const ZydisDecodedOperand *operand, struct rc_soft_insn *out)
{
    switch (insn->mnemonic) {
    case ZYDIS_MNEMONIC_PUSHF:
    case ZYDIS_MNEMONIC_PUSHFQ:
        out->special = RC_SOFT_PUSHF;
        break;
    case ZYDIS_MNEMONIC_SYSCALL:
        out->special = RC_SOFT_SYSCALL;
        bump(out, RC_SOFT_SYSCALLS, 1);
        break;
    case ZYDIS_MNEMONIC_INT:
        out->special = RC_SOFT_SHADOW;
        bump(out, RC_SOFT_SYSCALLS, 1);
        break;
    case ZYDIS_MNEMONIC_MOV:
        if (operand[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            operand[0].reg.value == ZYDIS_REGISTER_SS)
            out->special = RC_SOFT_SHADOW;
        break;
    default:
        break;
    }
    out->string = insn->meta.category == ZYDIS_CATEGORY_STRINGOP;
    out->repeated = out->string &&
                    (insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
                                         ZYDIS_ATTRIB_HAS_REPNE)) != 0;
    out->narrow_count = insn->address_width == 32;
    out->call = insn->meta.category == ZYDIS_CATEGORY_CALL;
}

void rc_soft_classify(const struct rc_soft_mnemonic *mnemonics, uint64_t address,
                      const ZydisDecodedInstruction *insn,
                      const ZydisDecodedOperand *operand, struct rc_soft_insn *out)
{
    const struct rc_soft_mnemonic *mnemonic = &mnemonics[insn->mnemonic];

    *out = (struct rc_soft_insn){.length = insn->length};
    bump(out, RC_SOFT_INSTRUCTIONS, 1);
    bump(out, rc_soft_event_of_category(insn->meta.category), 1);
    bump(out, rc_soft_event_of_isa_set(insn->meta.isa_set), 1);
    if (is_prefetch(insn))
        bump(out, RC_SOFT_PREFETCHES, 1);
    bump_arithmetic(mnemonic, insn, operand, out);
    take_memory(mnemonic, address, insn, operand, out);
    take_branch(address, insn, operand, out);
    take_special(insn, operand, out);
    rc_soft_find_way(insn, operand, out);
}
