/* Adds an executed instruction to all counters, with the accesses that it makes.
 *
 * Runs in the handler, before the instruction executes: addresses, masks and the
 * outcome of a branch are worked out from the registers that the kernel saved in the
 * signal frame.  Vector registers are there in the format of XSAVE (Intel SDM, volume
 * 1, 13.4).
 */
#include "campaign/sources/soft/count.h"

#include <cpuid.h>
#include <string.h>

#define PAGE_SHIFT 12
#define FP_XSTATE_MAGIC                                                                \
    0x46505853u /* FP_XSTATE_MAGIC1 of the kernel's sigcontext.h                       \
                 */

/* Bytes from the start of the frame's floating-point state. */
#define MAGIC_OFFSET 464u     /* where the kernel says that XSAVE data follow */
#define STATES_OFFSET 472u    /* which components have a place in the frame */
#define XSTATE_BV_OFFSET 512u /* which components are not in their initial state */
#define XMM_OFFSET 160u       /* the low 128 bits of registers 0 to 15 */

/* Components of the state, as XSAVE numbers them. */
enum { STATE_SSE = 1, STATE_YMM = 2, STATE_K = 5, STATE_ZMM = 6, STATE_ZMM_16 = 7 };

/* The kernel numbers registers in an order of its own. */
const uint8_t rc_soft_greg[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};

/* Where the processor puts a component of the state, by leaf 13 of CPUID. */
static uint32_t state_offset(unsigned component)
{
    unsigned a, b, c, d;
    if (__get_cpuid_max(0, NULL) < 13)
        return 0;
    __cpuid_count(13, component, a, b, c, d);
    return b;
}

int rc_soft_counter_init(struct rc_soft_counter *counter,
                         const struct rc_soft_options *options, struct rc_error *err)
{
    *counter = (struct rc_soft_counter){
        .frame = {.ymm_high = state_offset(STATE_YMM),
                  .k = state_offset(STATE_K),
                  .zmm_high = state_offset(STATE_ZMM),
                  .zmm_16_to_31 = state_offset(STATE_ZMM_16)},
        .line_bytes = options->geometry.line_bytes,
        .page_bytes = options->geometry.page_bytes,
        .window = options->window,
    };
    int status = rc_soft_caches_init(&counter->caches, &options->geometry,
                                     options->dtlb_ways, options->next_line, err);
    if (status != RC_OK)
        goto out;
    status =
        rc_soft_predictor_init(&counter->predictor, options->predictor_entries, err);
out:
    if (status != RC_OK)
        rc_soft_counter_fini(counter);
    return status;
}

void rc_soft_counter_fini(struct rc_soft_counter *counter)
{
    rc_soft_caches_fini(&counter->caches);
    rc_soft_predictor_fini(&counter->predictor);
}

void rc_soft_counter_zero(struct rc_soft_counter *counter)
{
    memset(counter->count, 0, sizeof counter->count);
}

void rc_soft_counter_drain(struct rc_soft_counter *counter)
{
    counter->count[RC_SOFT_SIM_MEMORY_DRAINED] =
        counter->count[RC_SOFT_SIM_MEMORY_WRITES] +
        rc_soft_caches_unwritten(&counter->caches) - counter->unwritten;
}

void rc_soft_counter_reset(struct rc_soft_counter *counter)
{
    rc_soft_counter_zero(counter);
    rc_soft_caches_empty(&counter->caches);
    counter->unwritten = 0;
    rc_soft_predictor_reset(&counter->predictor);
    memset(counter->page_seen, 0xff, sizeof counter->page_seen); /* no such page */
}

static uint64_t greg(const ucontext_t *context, unsigned reg)
{
    return (uint64_t)context->uc_mcontext.gregs[rc_soft_greg[reg & 15]];
}

bool rc_soft_is_taken(const struct rc_soft_insn *insn, const ucontext_t *context)
{
    uint64_t flags = (uint64_t)context->uc_mcontext.gregs[REG_EFL];
    bool c = flags & 1, p = flags >> 2 & 1, z = flags >> 6 & 1, s = flags >> 7 & 1;
    bool o = flags >> 11 & 1;
    const bool holds[8] = {o, c, z, c || z, s, p, s != o, z || s != o};
    uint64_t rcx = greg(context, 1);

    if (insn->condition < 16)
        return holds[insn->condition >> 1] != (insn->condition & 1);
    if (insn->narrow_count)
        rcx &= UINT32_MAX;
    switch (insn->condition) {
    case RC_SOFT_LOOPNE:
        return rcx != 1 && !z;
    case RC_SOFT_LOOPE:
        return rcx != 1 && z;
    case RC_SOFT_LOOP:
        return rcx != 1;
    default:
        return rcx == 0;
    }
}

/* Whether the frame holds a component; one in its initial state may be left out. */
static bool has_state(const uint8_t *frame, unsigned component)
{
    uint32_t magic;
    uint64_t present;

    memcpy(&magic, frame + MAGIC_OFFSET, sizeof magic);
    memcpy(&present, frame + XSTATE_BV_OFFSET, sizeof present);
    return magic == FP_XSTATE_MAGIC && (present >> component & 1);
}

uint64_t rc_soft_frame_states(const ucontext_t *context)
{
    const uint64_t known = 1u << STATE_SSE | 1u << STATE_YMM | 1u << STATE_K |
                           1u << STATE_ZMM | 1u << STATE_ZMM_16;
    const uint8_t *frame = (const uint8_t *)context->uc_mcontext.fpregs;
    uint32_t magic = 0;
    uint64_t states = 0;

    if (frame) {
        memcpy(&magic, frame + MAGIC_OFFSET, sizeof magic);
        memcpy(&states, frame + STATES_OFFSET, sizeof states);
    }
    return magic == FP_XSTATE_MAGIC ? states & known : 0;
}

/* One byte of a vector register.  A component that the frame does not hold is
 * in its initial state, which is 0.
 */
static uint8_t vector_byte(const struct rc_soft_frame_layout *layout,
                           const ucontext_t *context, unsigned reg, unsigned byte)
{
    const uint8_t *frame = (const uint8_t *)context->uc_mcontext.fpregs;

    if (reg >= 16)
        return has_state(frame, STATE_ZMM_16)
                   ? frame[layout->zmm_16_to_31 + 64 * (reg - 16) + byte]
                   : 0;
    if (byte < 16)
        return has_state(frame, STATE_SSE) ? frame[XMM_OFFSET + 16 * reg + byte] : 0;
    if (byte < 32)
        return has_state(frame, STATE_YMM)
                   ? frame[layout->ymm_high + 16 * reg + byte - 16]
                   : 0;
    return has_state(frame, STATE_ZMM) ? frame[layout->zmm_high + 32 * reg + byte - 32]
                                       : 0;
}

/* One bit for each element that is really accessed. */
static uint64_t active_elements(const struct rc_soft_frame_layout *layout,
                                const ucontext_t *context,
                                const struct rc_soft_access *access)
{
    uint64_t all = access->elements >= 64 ? UINT64_MAX //
                                          : (UINT64_C(1) << access->elements) - 1;
    uint64_t mask = 0;

    if (access->flags & RC_SOFT_MASK_IS_K) {
        const uint8_t *frame = (const uint8_t *)context->uc_mcontext.fpregs;
        if (has_state(frame, STATE_K))
            memcpy(&mask, frame + layout->k + sizeof mask * access->mask, sizeof mask);
        return mask & all;
    }
    if (!(access->flags & RC_SOFT_MASK_IS_VECTOR))
        return all;
    for (unsigned i = 0; i < access->elements; i++) {
        unsigned top = (i + 1) * access->element_bytes - 1;
        if (vector_byte(layout, context, access->mask, top) & 0x80)
            mask |= UINT64_C(1) << i;
    }
    return mask;
}

static uint64_t address_of(const struct rc_soft_counter *counter,
                           const ucontext_t *context,
                           const struct rc_soft_access *access, int64_t index)
{
    uint64_t address = (uint64_t)access->displacement + (uint64_t)index * access->scale;

    if (access->base != RC_SOFT_NO_REGISTER)
        address += greg(context, access->base);
    if (access->address_bits == 32)
        address &= UINT32_MAX;
    if (access->segment)
        address += access->segment == 'f' ? counter->fs_base : counter->gs_base;
    return address;
}

uint64_t rc_soft_address(const struct rc_soft_counter *counter,
                         const ucontext_t *context, const struct rc_soft_access *access)
{
    return address_of(counter, context, access,
                      access->index == RC_SOFT_NO_REGISTER
                          ? 0
                          : (int64_t)greg(context, access->index));
}

/* Index of a counter by size: 0 to 6 for 1, 2, 4, ... 64 bytes; 7: any other size. */
static unsigned size_index(uint64_t bytes)
{
    unsigned i = 0;
    while (i < 7 && (UINT64_C(1) << i) != bytes)
        i++;
    return i;
}

/* 'span' bytes from 'address' on are reached, 'bytes' of them accessed. */
static void count_access(struct rc_soft_counter *counter, unsigned flags,
                         uint64_t address, uint64_t span, uint64_t bytes)
{
    uint64_t *count = counter->count;
    uint64_t last = address + span - 1;
    bool over_line = address / counter->line_bytes != last / counter->line_bytes;
    bool over_page = address / counter->page_bytes != last / counter->page_bytes;

    if (flags & RC_SOFT_IS_PREFETCH)
        rc_soft_caches_data(&counter->caches, address, 1, RC_SOFT_PREFETCH, count);
    if (flags & RC_SOFT_IS_LOAD) {
        count[RC_SOFT_BYTES_LOADED] += bytes;
        count[RC_SOFT_LOAD_1 + size_index(bytes)]++;
        count[RC_SOFT_LOAD_LINE_CROSSINGS] += over_line;
        count[RC_SOFT_LOAD_PAGE_CROSSINGS] += over_page;
        rc_soft_caches_data(&counter->caches, address, span, RC_SOFT_LOAD, count);
    }
    if (flags & RC_SOFT_IS_STORE) {
        count[RC_SOFT_BYTES_STORED] += bytes;
        count[RC_SOFT_STORE_1 + size_index(bytes)]++;
        count[RC_SOFT_STORE_LINE_CROSSINGS] += over_line;
        count[RC_SOFT_STORE_PAGE_CROSSINGS] += over_page;
        rc_soft_caches_data(
            &counter->caches, address, span,
            flags & RC_SOFT_IS_STREAMING ? RC_SOFT_STREAM : RC_SOFT_STORE, count);
    }
}

/* Counts the accesses of a gather or scatter: one for each element that its mask
 * selects.
 */
static void count_gather(struct rc_soft_counter *counter, const ucontext_t *context,
                         const struct rc_soft_access *access)
{
    uint64_t active = active_elements(&counter->frame, context, access);

    for (unsigned i = 0; i < access->elements; i++) {
        uint64_t index = 0; /* an element of the vector register */
        if (!(active >> i & 1))
            continue;
        for (unsigned b = 0; b < access->index_bytes; b++)
            index |= (uint64_t)vector_byte(&counter->frame, context, access->index,
                                           i * access->index_bytes + b)
                     << (8 * b);
        if (access->index_bytes == 4)
            index = (uint64_t)(int32_t)(uint32_t)index;
        count_access(counter, access->flags,
                     address_of(counter, context, access, (int64_t)index),
                     access->bytes, access->bytes);
    }
}

/* Counts one access under a mask: it reaches from the first active element to the last,
 * or, where active elements lie side by side, over as many elements from the address.
 */
static void count_masked(struct rc_soft_counter *counter, const ucontext_t *context,
                         const struct rc_soft_access *access, uint64_t address)
{
    uint64_t active = active_elements(&counter->frame, context, access);
    uint64_t size = access->element_bytes;

    if (active == 0)
        return;
    unsigned number = (unsigned)__builtin_popcountll(active);
    unsigned first = (unsigned)__builtin_ctzll(active);
    unsigned beyond = 64 - (unsigned)__builtin_clzll(active);
    if (access->flags & RC_SOFT_IS_PACKED) {
        first = 0;
        beyond = number;
    }
    count_access(counter, access->flags, address + first * size,
                 (beyond - first) * size, number * size);
}

static bool page_is_seen(const struct rc_soft_counter *counter, uint64_t address)
{
    uint64_t page = address >> PAGE_SHIFT;
    return counter->page_seen[page % 64] == page;
}

/* How many conditional branches a core may execute on a wrong path: 1 if there is one
 * within the window, else 0.  The walk ends at the first, whose outcome nobody knows.
 * It enters only pages that code ran on: these can be read.
 */
static unsigned wrong_path(const struct rc_soft_counter *counter,
                           struct rc_soft_decoder *decoder, uint64_t address)
{
    for (uint32_t i = 0; i < counter->window; i++) {
        if (!page_is_seen(counter, address) || !page_is_seen(counter, address + 15))
            return 0;
        const struct rc_soft_insn *insn = rc_soft_decode(decoder, address);
        switch (insn->branch) {
        case RC_SOFT_BRANCH_IF:
            return 1;
        case RC_SOFT_BRANCH_JUMP:
        case RC_SOFT_BRANCH_CALL:
            address = insn->target;
            break;
        case RC_SOFT_BRANCH_ELSEWHERE:
            return 0;
        default:
            address += insn->length;
        }
    }
    return 0;
}

/* Counts a conditional branch, and whether the simulated predictor was right. */
static void count_branch(struct rc_soft_counter *counter,
                         struct rc_soft_decoder *decoder,
                         const struct rc_soft_insn *insn, const ucontext_t *context)
{
    uint64_t *count = counter->count;
    bool taken = rc_soft_is_taken(insn, context);
    uint64_t wrong_way = taken ? insn->address + insn->length : insn->target;

    count[taken ? RC_SOFT_BRANCH_TAKEN : RC_SOFT_BRANCH_NOT_TAKEN]++;
    count[RC_SOFT_SIM_BRANCH_EXECUTED]++;
    if (rc_soft_predictor_see(&counter->predictor, insn->address, taken)) {
        count[RC_SOFT_SIM_BRANCH_PREDICTED]++;
        return;
    }
    count[RC_SOFT_SIM_BRANCH_MISPREDICTED]++;
    unsigned extra = wrong_path(counter, decoder, wrong_way);
    count[RC_SOFT_SIM_BRANCH_WRONG_PATH] += extra;
    count[RC_SOFT_SIM_BRANCH_EXECUTED] += extra;
}

void rc_soft_count(struct rc_soft_counter *counter, struct rc_soft_decoder *decoder,
                   const struct rc_soft_insn *insn, const ucontext_t *context,
                   bool again)
{
    const uint64_t rcx = greg(context, 1), page = insn->address >> PAGE_SHIFT;

    if (!again) {
        for (unsigned i = 0; i < insn->bump_count; i++)
            counter->count[insn->bump[i].event] += insn->bump[i].amount;
        rc_soft_caches_fetch(&counter->caches, insn->address, insn->length,
                             counter->count);
    }
    /* Notes the page that code runs on.  Another page with the same number modulo 64
     * takes its place later; wrong_path() then stops earlier than a processor would.
     */
    counter->page_seen[page % 64] = page;
    if (insn->repeated && (insn->narrow_count ? rcx & UINT32_MAX : rcx) == 0)
        return;
    counter->count[RC_SOFT_STRING_ITERATIONS] += insn->string;
    /* Counts the loads, stores and prefetches of the instruction. */
    for (unsigned i = 0; i < insn->access_count; i++) {
        const struct rc_soft_access *access = &insn->access[i];
        if (access->flags & RC_SOFT_IS_VECTOR) {
            count_gather(counter, context, access);
            continue;
        }
        uint64_t address = rc_soft_address(counter, context, access);
        if (access->flags & (RC_SOFT_MASK_IS_K | RC_SOFT_MASK_IS_VECTOR))
            count_masked(counter, context, access, address);
        else
            count_access(counter, access->flags, address, access->bytes, access->bytes);
    }
    if (insn->branch == RC_SOFT_BRANCH_IF)
        count_branch(counter, decoder, insn, context);
}
