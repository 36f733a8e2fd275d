/* The table of the soft source's events, and which of them stand for ideals.
 *
 * An event's number is that of its counter: the named ones first, in the order of
 * events.h, then Zydis's categories, then its ISA sets.
 */
#include "campaign/sources/soft/events.h"

#include "campaign/sources/soft/soft.h"

#include <Zydis/Zydis.h>

#include <ctype.h>
#include <stdio.h>

#define CATEGORIES (ZYDIS_CATEGORY_MAX_VALUE + 1)
#define ISA_SETS (ZYDIS_ISA_SET_MAX_VALUE + 1)

_Static_assert(RC_SOFT_NAMED_COUNT + CATEGORIES + ISA_SETS <= RC_SOFT_EVENT_MAX,
               "RC_SOFT_EVENT_MAX is too small for this Zydis");

static const struct {
    const char *name, *what;
} named[RC_SOFT_NAMED_COUNT] = {
#define X(symbol, name, what) [RC_SOFT_##symbol] = {"soft::" name, what},
    RC_SOFT_EXACT(X)
#undef X
#define X(symbol, name, what)                                                          \
    [RC_SOFT_##symbol] = {"soft::" name, what " (simulated, from the real stream)"},
        RC_SOFT_SIMULATED(X)
#undef X
};

/* The event that counts an ideal; 0: none.  INS is missing: its event has number 0. */
static const uint16_t of_ideal[RC_IDEAL_COUNT] = {
    [RC_IDEAL_S_SCAL] = RC_SOFT_FP_SP_SCALAR,
    [RC_IDEAL_S_128] = RC_SOFT_FP_SP_128,
    [RC_IDEAL_S_256] = RC_SOFT_FP_SP_256,
    [RC_IDEAL_S_512] = RC_SOFT_FP_SP_512,
    [RC_IDEAL_D_SCAL] = RC_SOFT_FP_DP_SCALAR,
    [RC_IDEAL_D_128] = RC_SOFT_FP_DP_128,
    [RC_IDEAL_D_256] = RC_SOFT_FP_DP_256,
    [RC_IDEAL_D_512] = RC_SOFT_FP_DP_512,
    [RC_IDEAL_SF_SCAL] = RC_SOFT_FP_SP_SCALAR_FMA,
    [RC_IDEAL_SF_128] = RC_SOFT_FP_SP_128_FMA,
    [RC_IDEAL_SF_256] = RC_SOFT_FP_SP_256_FMA,
    [RC_IDEAL_SF_512] = RC_SOFT_FP_SP_512_FMA,
    [RC_IDEAL_DF_SCAL] = RC_SOFT_FP_DP_SCALAR_FMA,
    [RC_IDEAL_DF_128] = RC_SOFT_FP_DP_128_FMA,
    [RC_IDEAL_DF_256] = RC_SOFT_FP_DP_256_FMA,
    [RC_IDEAL_DF_512] = RC_SOFT_FP_DP_512_FMA,
    [RC_IDEAL_CE] = RC_SOFT_SIM_BRANCH_EXECUTED,
    [RC_IDEAL_CR] = RC_SOFT_BRANCH_CONDITIONAL,
    [RC_IDEAL_T] = RC_SOFT_BRANCH_TAKEN,
    [RC_IDEAL_D] = RC_SOFT_BRANCH_DIRECT,
    [RC_IDEAL_M] = RC_SOFT_SIM_BRANCH_MISPREDICTED,
    [RC_IDEAL_L1DM] = RC_SOFT_SIM_L1D_LOAD_MISS,
    [RC_IDEAL_L1DH] = RC_SOFT_SIM_L1D_LOAD_HIT,
    [RC_IDEAL_L2DH] = RC_SOFT_SIM_L2_LOAD_HIT,
    [RC_IDEAL_L3DH] = RC_SOFT_SIM_L3_LOAD_HIT,
    [RC_IDEAL_L1DWH] = RC_SOFT_SIM_L1D_STORE_HIT,
    [RC_IDEAL_L1DWM] = RC_SOFT_SIM_L1D_STORE_MISS,
    [RC_IDEAL_L1WB] = RC_SOFT_SIM_L1D_WRITEBACKS,
    [RC_IDEAL_L2WB] = RC_SOFT_SIM_L2_WRITEBACKS,
    [RC_IDEAL_L3WB] = RC_SOFT_SIM_L3_WRITEBACKS,
    [RC_IDEAL_L1IM] = RC_SOFT_SIM_L1I_MISS,
    [RC_IDEAL_L1IH] = RC_SOFT_SIM_L1I_HIT,
    [RC_IDEAL_L2IH] = RC_SOFT_SIM_L2_CODE_HIT,
    [RC_IDEAL_MEM_RD] = RC_SOFT_SIM_MEMORY_READS,
    [RC_IDEAL_MEM_WR] = RC_SOFT_SIM_MEMORY_DRAINED,
    [RC_IDEAL_OPS_SP] = RC_SOFT_FP_SP_OPERATIONS,
    [RC_IDEAL_OPS_DP] = RC_SOFT_FP_DP_OPERATIONS,
    [RC_IDEAL_INT_ADD] = RC_SOFT_INT_ADD,
    [RC_IDEAL_INT_MUL] = RC_SOFT_INT_MUL,
    [RC_IDEAL_INT_LOGIC] = RC_SOFT_INT_LOGIC,
    [RC_IDEAL_INT_MOV] = RC_SOFT_INT_MOV,
    [RC_IDEAL_LOADS] = RC_SOFT_LOADS,
    [RC_IDEAL_STORES] = RC_SOFT_STORES,
};

const char *rc_soft_event_of_ideal(enum rc_ideal ideal)
{
    /* Its event has number 0, which means "none" in the table. */
    if (ideal == RC_IDEAL_INS)
        return named[RC_SOFT_INSTRUCTIONS].name;
    return of_ideal[ideal] ? named[of_ideal[ideal]].name : NULL;
}

size_t rc_soft_event_count(void)
{
    return RC_SOFT_NAMED_COUNT + CATEGORIES + ISA_SETS;
}

uint16_t rc_soft_event_of_category(unsigned category)
{
    return (uint16_t)(RC_SOFT_NAMED_COUNT + category);
}

uint16_t rc_soft_event_of_isa_set(unsigned isa_set)
{
    return (uint16_t)(RC_SOFT_NAMED_COUNT + CATEGORIES + isa_set);
}

static int add_event(struct rc_event_sink *sink, const char *name, const char *what,
                     bool simulated, struct rc_error *err)
{
    const struct rc_event_info info = {
        .name = name,
        .description = what,
        .scope = RC_SCOPE_CORE,
        .evidence = "one thread is stepped, on one core",
        .simulated = simulated,
        .alike = 1,
    };
    return sink->add(sink, &info, err);
}

/* "soft::category_cond_br": Zydis's own word in lower case. */
static int add_class(struct rc_event_sink *sink, const char *prefix, const char *words,
                     const char *zydis, struct rc_error *err)
{
    char name[96], what[160];
    int length = snprintf(name, sizeof name, "soft::%s_", prefix);

    snprintf(what, sizeof what, "instructions of %s %s", words, zydis);
    for (; *zydis && length < (int)sizeof name - 1; zydis++)
        name[length++] = (char)tolower((unsigned char)*zydis);
    name[length] = 0;
    return add_event(sink, name, what, false, err);
}

int rc_soft_events_enumerate(struct rc_source_state *state,
                             const struct rc_enumerate *what,
                             struct rc_event_sink *sink, struct rc_error *err)
{
    int status;

    (void)state;
    (void)what;
    for (int i = 0; i < RC_SOFT_NAMED_COUNT; i++)
        if ((status = add_event(sink, named[i].name, named[i].what,
                                i >= RC_SOFT_SIM_L1D_HIT, err)) != RC_OK)
            return status;
    for (int i = 0; i < CATEGORIES; i++) {
        status = add_class(sink, "category", "Zydis category",
                           ZydisCategoryGetString((ZydisInstructionCategory)i), err);
        if (status != RC_OK)
            return status;
    }
    for (int i = 0; i < ISA_SETS; i++)
        if ((status = add_class(sink, "isa", "ISA set",
                                ZydisISASetGetString((ZydisISASet)i), err)) != RC_OK)
            return status;
    return RC_OK;
}
