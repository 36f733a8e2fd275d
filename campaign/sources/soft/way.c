/* Decides which instructions the handler can execute itself: those that act only on
 * their operands, in memory or in registers of the signal frame, and branches whose
 * target can be worked out.
 */
#include "campaign/sources/soft/insn.h"

#include "campaign/base/words.h"

/* Whether an instruction acts only on its operands: by the names of categories, the
 * exceptions in these ('strange'), and such instructions of other categories.
 */
static bool is_known(const ZydisDecodedInstruction *insn)
{
    static const char categories[] =
        "ADOX_ADCX AES AVX AVX2 AVX2GATHER AVX512 AVX512_BITALG AVX512_VBMI "
        "BINARY BITBYTE BLEND BMI1 BMI2 BROADCAST CMOV COMPRESS CONFLICT CONVERT "
        "DATAXFER EXPAND FMA4 FP16 GATHER GFNI IFMA KMASK LOGICAL LOGICAL_FP "
        "LZCNT NOP PCLMULQDQ PREFETCH PUSH ROTATE SCATTER SEMAPHORE SETCC SHA "
        "SHIFT SSE STTNI TBM VAES VBMI2 VFMA VPCLMULQDQ WIDENOP XOP";
    static const char others[] = "endbr64 lea leave pause pop";
    static const char strange[] = "fxrstor fxrstor64 fxsave fxsave64 pushf pushfq";
    const char *mnemonic = ZydisMnemonicGetString(insn->mnemonic),
               *category = ZydisCategoryGetString(insn->meta.category);

    return rc_word_listed(others, mnemonic) ||
           (rc_word_listed(categories, category) && !rc_word_listed(strange, mnemonic));
}

/* Whether direct.c switches a register; sets 'vector' for the vector registers. */
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

/* The way of a jump or call: those to other segments trap. */
static uint8_t way_to(const ZydisDecodedInstruction *insn,
                      const ZydisDecodedOperand *to, struct rc_soft_insn *out)
{
    if (to->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return RC_SOFT_WAY_BRANCH;
    if (insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || to->size != 64)
        return RC_SOFT_WAY_TRAP;
    out->to = RC_SOFT_NO_REGISTER;
    if (to->type == ZYDIS_OPERAND_TYPE_REGISTER)
        out->to = (uint8_t)ZydisRegisterGetId(to->reg.value);
    return RC_SOFT_WAY_TO;
}

static uint8_t way_of_branch(const ZydisDecodedInstruction *insn,
                             const ZydisDecodedOperand *operand,
                             struct rc_soft_insn *out)
{
    switch (insn->mnemonic) {
    case ZYDIS_MNEMONIC_JMP:
    case ZYDIS_MNEMONIC_CALL:
        return way_to(insn, operand, out);
    case ZYDIS_MNEMONIC_RET:
        return insn->operand_count_visible == 0 ? RC_SOFT_WAY_RETURN : RC_SOFT_WAY_TRAP;
    default:
        /* 0x70 and 0x0f80 branch by flags; loops and others need registers, too */
        return insn->meta.category == ZYDIS_CATEGORY_COND_BR &&
                       (insn->opcode >> 4 == 7 || insn->opcode >> 4 == 8)
                   ? RC_SOFT_WAY_BRANCH
                   : RC_SOFT_WAY_TRAP;
    }
}

/* Whether a copy can have this operand.  The distance of an operand that is relative to
 * the instruction pointer changes in the copy: 'relative' says where it is.
 */
static bool knows_memory(const ZydisDecodedInstruction *insn,
                         const ZydisDecodedOperand *memory, bool *vector,
                         struct rc_soft_insn *out)
{
    if (memory->mem.base == ZYDIS_REGISTER_RIP && insn->raw.disp.size == 32)
        out->relative = insn->raw.disp.offset;
    else if (memory->mem.base == ZYDIS_REGISTER_RIP ||
             memory->mem.base == ZYDIS_REGISTER_EIP)
        return false;
    *vector = *vector || memory->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    return memory->mem.type != ZYDIS_MEMOP_TYPE_MIB;
}

void rc_soft_find_way(const ZydisDecodedInstruction *insn,
                      const ZydisDecodedOperand *operand, struct rc_soft_insn *out)
{
    /* AVX switches vector registers even without operands, as vzeroupper. */
    bool vector = insn->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
                  insn->meta.category == ZYDIS_CATEGORY_SSE;

    if (!is_known(insn)) {
        out->way = way_of_branch(insn, operand, out);
        return;
    }
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const ZydisDecodedOperand *o = &operand[i];
        if ((o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
             !knows_register(o->reg.value, &vector)) ||
            (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
             !knows_memory(insn, o, &vector, out)))
            return; /* it traps */
    }
    out->way = vector ? RC_SOFT_WAY_VECTOR : RC_SOFT_WAY_COPY;
}
