/* Which instructions the handler can execute itself: those that do nothing but what
 * their operands say, with registers that are in the signal frame, and branches whose
 * way is known.
 */
#include "campaign/sources/soft/insn.h"

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

/* A jump or call to where a register or memory says, but for those to other segments.
 */
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
        /* 0x70 and 0x0f80: by condition; loops and others change or ask registers */
        return insn->meta.category == ZYDIS_CATEGORY_COND_BR &&
                       (insn->opcode >> 4 == 7 || insn->opcode >> 4 == 8)
                   ? RC_SOFT_WAY_BRANCH
                   : RC_SOFT_WAY_TRAP;
    }
}

/* What is relative to the instruction pointer has another distance to the copy. */
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
    /* vzeroupper has no operands */
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
