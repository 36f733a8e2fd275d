/* Chooses a core for each rank of a node and binds the rank to it.
 *
 * All ranks of the node exchange the CPUs that each may use, and nothing else; then
 * each works out the same placement by itself.  The rules are in binding.h.
 */
#include "campaign/machine/binding.h"

#include "campaign/base/agree.h"
#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

/* CPUs that the ranks of the node may use, and the places that they got. */
struct board {
    struct rc_arena arena; /* of the arrays */
    const struct rc_machine *machine;
    const struct rc_cpu *cpu;
    size_t cpus, ranks;           /* their numbers */
    bool smt;                     /* a rank for each CPU, not for each core */
    bool *allowed;                /* [rank][cpu] */
    bool *usable;                 /* by CPU: any of the ranks may use it */
    size_t *cpu_load;             /* ranks on each CPU */
    size_t *load[RC_SCOPE_COUNT]; /* ranks in each unit; NULL where there is none */
    struct rc_binding *place;     /* of each rank */
    struct turn {
        size_t rank, choices; /* cores (with smt: CPUs) that it may use */
    } * turn;
};

static const enum rc_scope spread_over[] = {RC_SCOPE_PACKAGE, RC_SCOPE_NUMA,
                                            RC_SCOPE_L3, RC_SCOPE_L2};
enum { SPREADS = sizeof spread_over / sizeof spread_over[0] };

/* Allocates the board, the same on all ranks, and fills in this rank's row of
 * 'allowed'.
 */
static int board_init(struct board *board, const struct rc_binding_setup *setup,
                      int ranks, int rank, struct rc_error *err)
{
    size_t count = 0;

    *board = (struct board){
        .machine = setup->machine, .ranks = (size_t)ranks, .smt = setup->smt};
    board->cpu = rc_machine_cpus(setup->machine, &board->cpus);
    struct rc_arena *arena = &board->arena;
    board->allowed = rc_arena_array(arena, board->ranks, board->cpus);
    board->usable = rc_arena_array(arena, board->cpus, sizeof *board->usable);
    board->cpu_load = rc_arena_array(arena, board->cpus, sizeof *board->cpu_load);
    board->place = rc_arena_array(arena, board->ranks, sizeof *board->place);
    board->turn = rc_arena_array(arena, board->ranks, sizeof *board->turn);
    for (size_t s = 0; s < RC_SCOPE_COUNT; s++) {
        size_t units = rc_machine_unit_count(setup->machine, (enum rc_scope)s);
        board->load[s] = rc_arena_array(arena, units, sizeof *board->load[s]);
    }
    const int status = rc_arena_check(arena, err, "the cores of the ranks");
    if (status != RC_OK)
        return status;
    bool *mine = board->allowed + (size_t)rank * board->cpus;
    for (size_t i = 0; i < board->cpus; i++) {
        mine[i] = setup->allowed ? setup->allowed[i]
                                 : setup->simulated || board->cpu[i].allowed;
        count += mine[i];
    }
    return count ? RC_OK
                 : rc_fail(err, RC_EMISSING,
                           "this process may use none of the node's %zu CPUs",
                           board->cpus);
}

/* Collective.  Fails if a rank sees another machine than the first rank of its node:
 * they would place themselves by different numbers.
 */
static int same_machine(MPI_Comm node, const struct board *board, struct rc_error *err)
{
    uint64_t mine = rc_text_hash(rc_machine_shape(board->machine)), first;

    for (size_t i = 0; i < board->cpus; i++)
        mine = rc_text_hash_more(mine, &board->cpu[i].os_index,
                                 sizeof board->cpu[i].os_index);
    first = mine;
    rc_broadcast(node, 0, &first, sizeof first);
    if (first != mine)
        return rc_fail(
            err, RC_ECONFLICT,
            "this rank does not see the same machine (%zu CPUs) as the first "
            "rank of its node",
            board->cpus);
    return RC_OK;
}

/* Counts the allowed cores, with smt the allowed CPUs.  CPUs are sorted by core, so
 * counting changes of core counts cores.
 */
static size_t choices_of(const struct board *board, const bool *allowed, bool smt)
{
    uint32_t core = RC_NO_UNIT;
    size_t count = 0;

    for (size_t i = 0; i < board->cpus; i++) {
        if (!allowed[i])
            continue;
        count += smt || board->cpu[i].unit[RC_SCOPE_CORE] != core;
        core = board->cpu[i].unit[RC_SCOPE_CORE];
    }
    return count;
}

static size_t load_of(const struct board *board, size_t cpu, enum rc_scope scope)
{
    uint32_t unit = board->cpu[cpu].unit[scope];

    return unit == RC_NO_UNIT ? 0 : board->load[scope][unit];
}

/* Whether CPU 'a' is a better choice than 'b'; equal ones are not. */
static bool is_better(const struct board *board, size_t a, size_t b)
{
    size_t core_a = load_of(board, a, RC_SCOPE_CORE);
    size_t core_b = load_of(board, b, RC_SCOPE_CORE);

    if (board->smt && board->cpu_load[a] != board->cpu_load[b])
        return board->cpu_load[a] < board->cpu_load[b];
    if (core_a != core_b)
        return core_a < core_b;
    if (board->cpu[a].core_type != board->cpu[b].core_type)
        return board->cpu[a].core_type > board->cpu[b].core_type;
    for (size_t s = 0; s < SPREADS; s++) {
        size_t load_a = load_of(board, a, spread_over[s]);
        size_t load_b = load_of(board, b, spread_over[s]);
        if (load_a != load_b)
            return load_a < load_b;
    }
    return board->cpu_load[a] < board->cpu_load[b];
}

static int by_choices(const void *a, const void *b)
{
    const struct turn *one = a, *other = b;

    return rc_compare_numbers((uint64_t[]){one->choices, one->rank},
                              (uint64_t[]){other->choices, other->rank}, 2);
}

/* Gives each rank the best CPU that it may use.  Ranks with the fewest choices choose
 * first: if the sets of cores are equal, disjoint or nested, as launchers make them, no
 * rank shares a core without need.
 */
static void spread_ranks(struct board *board)
{
    for (size_t r = 0; r < board->ranks; r++)
        board->turn[r] = (struct turn){
            r, choices_of(board, board->allowed + r * board->cpus, board->smt)};
    qsort(board->turn, board->ranks, sizeof *board->turn, by_choices);
    for (size_t t = 0; t < board->ranks; t++) {
        const size_t rank = board->turn[t].rank;
        const bool *allowed = board->allowed + rank * board->cpus;
        size_t best = board->cpus;
        for (size_t i = 0; i < board->cpus; i++) {
            board->usable[i] = board->usable[i] || allowed[i];
            if (allowed[i] && (best == board->cpus || is_better(board, i, best)))
                best = i;
        }
        board->cpu_load[best]++;
        for (size_t s = 0; s < RC_SCOPE_COUNT; s++)
            if (board->cpu[best].unit[s] != RC_NO_UNIT)
                board->load[s][board->cpu[best].unit[s]]++;
        board->place[rank] = (struct rc_binding){
            .cpu = best, .core = board->cpu[best].unit[RC_SCOPE_CORE]};
    }
    for (size_t r = 0; r < board->ranks; r++) {
        struct rc_binding *place = &board->place[r];
        place->sharing = (board->smt ? board->cpu_load[place->cpu]
                                     : board->load[RC_SCOPE_CORE][place->core]) -
                         1;
    }
}

/* Says how many ranks share a core, and why. */
static void remark_sharing(const struct board *board, char *out, size_t room)
{
    const char *what = board->smt ? "hardware thread" : "core";
    size_t places = choices_of(board, board->usable, board->smt);
    size_t sharers = 0, most = 0;

    for (size_t r = 0; r < board->ranks; r++) {
        size_t sharing = board->place[r].sharing;
        sharers += sharing > 0;
        most = sharing > most ? sharing : most;
    }
    if (!sharers)
        return;
    if (board->ranks > places)
        rc_text_append(out, room,
                       "%zu ranks have %zu %s%s: up to %zu share one and disturb what "
                       "the others measure",
                       board->ranks, places, what, rc_text_s(places), most + 1);
    else
        rc_text_append(out, room,
                       "%zu of %zu ranks share a %s, up to %zu one, since the launcher "
                       "allows them no other: they disturb what the others measure",
                       sharers, board->ranks, what, most + 1);
    if (!board->smt && choices_of(board, board->usable, true) > places)
        rc_text_append(out, room, " (--smt gives each hardware thread a worker)");
}

/* Collective: says why memory cannot be bound.  With one NUMA domain it does not
 * matter.
 */
static void remark_memory(MPI_Comm node, const struct board *board, size_t rank,
                          char *out, size_t room)
{
    struct rc_error problem = {.rank = -1};
    int status = RC_OK;

    if (rc_machine_unit_count(board->machine, RC_SCOPE_NUMA) > 1)
        status =
            rc_machine_bind_memory(board->machine, board->place[rank].cpu, &problem);
    if (rc_agree(node, status, &problem) != RC_OK)
        rc_text_append(out, room, "%smemory may be far away: %s", *out ? "; " : "",
                       problem.text);
}

int rc_binding_find(MPI_Comm node, const struct rc_binding_setup *setup,
                    struct rc_binding *out, char *remark, size_t room,
                    struct rc_error *err)
{
    int rank = rc_team_rank(node);
    struct board board;
    int status = board_init(&board, setup, rc_team_size(node), rank, err);

    remark[0] = 0;
    status = rc_agree(node, status, err);
    if (status != RC_OK)
        goto out;
    status = rc_agree(node, same_machine(node, &board, err), err);
    if (status != RC_OK)
        goto out;
    if (node != MPI_COMM_NULL)
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, board.allowed,
                      (int)board.cpus, MPI_C_BOOL, node);
    spread_ranks(&board);
    if (!setup->simulated) {
        /* A rank that may use only one CPU is there, even if binding fails. */
        status = rc_machine_bind(board.machine, board.place[rank].cpu, err);
        if (choices_of(&board, board.allowed + (size_t)rank * board.cpus, true) == 1)
            status = RC_OK;
        status = rc_agree(node, status, err);
        if (status != RC_OK)
            goto out;
    }
    *out = board.place[rank];
    remark_sharing(&board, remark, room);
    /* Says how many ranks work on cores that are slower than the fastest in use. */
    uint8_t fastest = 0;
    size_t slower = 0;
    for (size_t r = 0; r < board.ranks; r++)
        if (board.cpu[board.place[r].cpu].core_type > fastest)
            fastest = board.cpu[board.place[r].cpu].core_type;
    for (size_t r = 0; r < board.ranks; r++)
        slower += board.cpu[board.place[r].cpu].core_type < fastest;
    if (slower)
        rc_text_append(remark, room,
                       "%s%zu of %zu ranks work on slower cores than the rest",
                       *remark ? "; " : "", slower, board.ranks);
    if (!setup->simulated)
        remark_memory(node, &board, (size_t)rank, remark, room);
out:
    rc_arena_free(&board.arena);
    return status;
}
