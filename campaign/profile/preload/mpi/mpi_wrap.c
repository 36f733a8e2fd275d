/* The functions that replace those of MPI: see mpi_layer.h.
 *
 * All their arguments are words, so MPI's own header, which declares them otherwise,
 * must not be included.
 */
#include "campaign/profile/preload/mpi/mpi_layer.h"
#include "campaign/profile/preload/preload.h"
#include "solve/waiting/waiting.h"

#include <stddef.h>

/* The words of mpi_calls.h, as members of struct rc_mpi_call. */
#define COMM(n) .comm = (n)
#define NEIGHBOURS .neighbours = true
#define BEGINS .begins = true
#define ENDS .ends = true
#define NOTHING .bytes = NULL
#define POLLS(which, n) .poll = RC_MPI_##which, .flag = (n)
#define REQUEST_FREED .forgets = true, .matched = RC_MPI_FORGETS
#define MESSAGE(...) .bytes = rc_mpi_message, .at = {__VA_ARGS__}
#define EXCHANGED(...) MESSAGE(__VA_ARGS__), .exchanges = true
#define ELEMENT(...) .bytes = rc_mpi_element, .at = {__VA_ARGS__}
#define RECEIVED(count, type, n)                                                       \
    .bytes = rc_mpi_received, .at = {(count), (type)}, .status = (n)
#define OWN(...) .bytes = rc_mpi_own, .at = {__VA_ARGS__}
#define OWN_OF_COUNTS(...) .bytes = rc_mpi_own_of_counts, .at = {__VA_ARGS__}
#define EACH(...) .bytes = rc_mpi_each, .at = {__VA_ARGS__}
#define COUNTS(...) .bytes = rc_mpi_counts, .at = {__VA_ARGS__}
#define COUNTS_TYPES(...) .bytes = rc_mpi_counts_types, .at = {__VA_ARGS__}
#define ROOT(...) .bytes = rc_mpi_root, .at = {__VA_ARGS__}
#define ROOT_EACH(...) .bytes = rc_mpi_root_each, .at = {__VA_ARGS__}
#define ROOT_COUNTS(...) .bytes = rc_mpi_root_counts, .at = {__VA_ARGS__}
#define REDUCED(...) .bytes = rc_mpi_reduced, .at = {__VA_ARGS__}
#define REDUCED_EACH(...) .bytes = rc_mpi_reduced_each, .at = {__VA_ARGS__}
#define REQUEST_MADE(...) MESSAGE(__VA_ARGS__)
/* Arguments that are needed to find waiting: see enum rc_mpi_matched. */
#define STATUS(n) .status = (n)
#define SENDS(...) .matched = RC_MPI_SENDS, .who = {__VA_ARGS__}
#define RECEIVES(...) .matched = RC_MPI_RECEIVES, .who = {__VA_ARGS__}
#define SENDS_AND_RECEIVES(...)                                                        \
    .matched = RC_MPI_SENDS_AND_RECEIVES, .who = {__VA_ARGS__}
#define SENDS_LATER(...) .matched = RC_MPI_SENDS_LATER, .who = {__VA_ARGS__}
#define RECEIVES_LATER(...) .matched = RC_MPI_RECEIVES_LATER, .who = {__VA_ARGS__}
#define COMPLETES(count, requests, statuses, how)                                      \
    .matched = RC_MPI_COMPLETES, .who = {(count), (requests), (statuses), RC_MPI_##how}
#define TESTS(count, requests, statuses, how)                                          \
    .matched = RC_MPI_TESTS, .who = {(count), (requests), (statuses), RC_MPI_##how}
#define TOGETHER(kind, root)                                                           \
    .matched = RC_MPI_TOGETHER, .who = {RC_WAITING_##kind, (root)}
#define TOGETHER_LATER(kind, root, request)                                            \
    .matched = RC_MPI_TOGETHER_LATER, .who = {RC_WAITING_##kind, (root), (request)}
#define SENDS_OFTEN(...) .matched = RC_MPI_SENDS_OFTEN, .who = {__VA_ARGS__}
#define RECEIVES_OFTEN(...) .matched = RC_MPI_RECEIVES_OFTEN, .who = {__VA_ARGS__}
#define STARTS(...) .matched = RC_MPI_STARTS, .who = {__VA_ARGS__}
#define ASKS(n) .asks = (n)
#define ASKS_ALWAYS .asks = RC_MPI_ASKS_ALWAYS
#define MAKES_WINDOW(n) .matched = RC_MPI_MAKES_WINDOW, .who = {(n)}
#define FREES_WINDOW .matched = RC_MPI_FREES_WINDOW
#define FENCES(n) .matched = RC_MPI_FENCES, .who = {RC_WAITING_FENCE, 0, (n)}
#define STARTS_ACCESS(...) .matched = RC_MPI_STARTS_ACCESS, .who = {__VA_ARGS__}
#define ENDS_ACCESS(n) .matched = RC_MPI_ENDS_ACCESS, .who = {(n)}
#define POSTS(...) .matched = RC_MPI_POSTS, .who = {__VA_ARGS__}
#define WAITS_FOR_ACCESS(n) .matched = RC_MPI_WAITS_FOR_ACCESS, .who = {(n)}
#define TESTS_ACCESS(...) .matched = RC_MPI_WAITS_FOR_ACCESS, .who = {__VA_ARGS__}
#define ACCESSES(n) .matched = RC_MPI_ACCESSES, .who = {(n)}
#define MAKES(n) .matched = RC_MPI_MAKES, .who = {(n)}
#define FREES .matched = RC_MPI_FREES

enum {
#define CALL(c, f, Name, ...) NUMBER_##Name,
#include "solve/waiting/mpi_calls.h"
#undef CALL
    CALLS,
};
_Static_assert((int)CALLS <= (int)RC_PRELOAD_MPI_CALLS,
               "a block has no room for so many names");

#define FUNCTION(c, f, Name, ...)                                                      \
    {                                                                                  \
        .name = "MPI_" #Name, .number = NUMBER_##Name,                                 \
        .ierror = (c) < (f)-1 ? (c) + 1 : (f), __VA_ARGS__                             \
    }

/* LISTn(x, none) is x(1), ..., x(n); for n = 0 it is 'none'. */
#define LIST0(x, none) none
#define LIST1(x, none) x(1)
#define LIST2(x, none) LIST1(x, none), x(2)
#define LIST3(x, none) LIST2(x, none), x(3)
#define LIST4(x, none) LIST3(x, none), x(4)
#define LIST5(x, none) LIST4(x, none), x(5)
#define LIST6(x, none) LIST5(x, none), x(6)
#define LIST7(x, none) LIST6(x, none), x(7)
#define LIST8(x, none) LIST7(x, none), x(8)
#define LIST9(x, none) LIST8(x, none), x(9)
#define LIST10(x, none) LIST9(x, none), x(10)
#define LIST11(x, none) LIST10(x, none), x(11)
#define LIST12(x, none) LIST11(x, none), x(12)
#define LIST13(x, none) LIST12(x, none), x(13)
#define LIST14(x, none) LIST13(x, none), x(14)
/* NOLINTNEXTLINE(bugprone-macro-parentheses): it is not an expression */
#define PARAMETER(n) void *a##n
#define ARGUMENT(n) a##n
#define WORD(n) word[(n)-1]

/* A function that replaces one of MPI, in one language. */
struct stand_in {
    struct rc_mpi_call call;
    _Atomic(void *) next; /* the function that the program would have called */
    bool fortran;
    const char *name; /* "mpi_send_" */
    void *own;
};

/* A call that is under way. */
struct under_way {
    uintptr_t frame;             /* stack frame of the function that replaces MPI's */
    struct rc_mpi_record record; /* 'call' is NULL: it is not recorded */
    struct rc_mpi_status status; /* used if the program passed none */
    int code;                    /* used if the program passed none (Fortran 2008) */
};

static RC_PRELOAD_OFTEN _Atomic bool switched_off; /* by MPI_Pcontrol(0) */

/* Called if the program's MPI does not have a function, which the program found because
 * this library has it.  Returns an error, as MPI's functions do.
 */
static int next_missing(void)
{
    return 1;
}

static void *next_find(struct stand_in *s, void *const *word)
{
    void *found = rc_preload_next(s->name, s->own);
    int *ierror = s->fortran ? word[s->call.ierror - 1] : NULL;
    if (found)
        atomic_store_explicit(&s->next, found, memory_order_relaxed);
    else if (ierror)
        *ierror = next_missing();
    return found ? found : (void *)next_missing;
}

/* Stack frames of two calls from one function of the program may differ by at most
 * this, as the calls have different numbers of arguments on the stack.  A call inside
 * of another one is deeper by more: the frame of our function is larger.
 */
enum { ARGUMENTS_BYTES = 128 };

/* Whether a call with this stack frame is inside of one that is under way, and so made
 * by MPI itself: its frame is deeper in the stack.  If it is not deeper the program has
 * left the other call by longjmp().
 */
static bool is_inside(uintptr_t frame)
{
    return frame + ARGUMENTS_BYTES < rc_preload_self.outer;
}

/* Calls rc_mpi_match_ask(), but only once for a call in Fortran whose function in turn
 * calls the one in C, as in MPICH.
 */
static __attribute__((noinline)) uint64_t
call_asks(const struct stand_in *s, void **word, uintptr_t frame, uint64_t *asked)
{
    struct rc_preload_thread *self = &rc_preload_self;
    const uint32_t number = s->call.number + 1U;
    const bool again = !s->fortran && self->asked == number &&
                       frame + ARGUMENTS_BYTES < self->asked_frame;
    self->asked = s->fortran && rc_mpi_abi.spare_bits ? number : 0;
    self->asked_frame = frame;
    return again ? 0
                 : rc_mpi_match_ask(&(struct rc_mpi_args){&s->call, word, s->fortran},
                                    asked);
}

/* Ends a call that is recorded: asks MPI for bytes and ranks, and adds it to a row. */
static RC_PRELOAD_HOT __attribute__((noinline)) void
call_ends(const struct rc_mpi_args *args, struct rc_mpi_record *record, int code)
{
    const struct rc_mpi_call *call = args->call;
    record->ended = rc_preload_ticks();
    if (args->fortran)
        code = *(const int *)args->word[call->ierror - 1];
    if (code == 0) {
        record->nodes = rc_mpi_nodes(args);
        rc_mpi_ask(args, record);
    }
    if (call->begins) {
        rc_mpi_match_init();
        record->apart = rc_preload_ticks() - record->ended;
    }
    if (call->poll) {
        const bool tells = record->in_vain;
        record->in_vain = code == 0 && !*(const int *)args->word[call->flag - 1] &&
                          rc_mpi_usable() && (tells || !rc_mpi_match_takes_any());
        if (record->in_vain && !tells && !args->fortran)
            record->request = rc_mpi_request(args, call->who[1], 0);
    }
    const uint32_t row = rc_mpi_record(record);
    if (call->matched)
        rc_mpi_match_end(args, record, row, code);
    rc_preload_self.outer = 0;
}

/* Sets members one by one: to clear the struct as a whole would take longer. */
static inline void record_begin(struct rc_mpi_record *record,
                                const struct rc_mpi_call *call, const void *site)
{
    record->call = call;
    record->site = site;
    record->ranks = record->nodes = 0;
    record->moved = (struct rc_mpi_moved){0};
    record->apart = record->own = 0;
    record->request = 0;
}

/* The time now, in ticks; 0: there is no shared file. */
static uint64_t own_ticks(void)
{
    return rc_preload_head ? rc_preload_ticks() : 0;
}

/* Begins a call with the arguments 'word', some of which it may change.  Returns the
 * function to call.
 */
static RC_PRELOAD_HOT __attribute__((noinline)) void *
call_begins(struct stand_in *s, void **word, struct under_way *way)
{
    const struct rc_mpi_call *call = &s->call;
    const uint64_t entered = rc_preload_self.until_timed == 1 ? rc_preload_ticks() : 0;
    void *next = atomic_load_explicit(&s->next, memory_order_relaxed);
    if (!next)
        next = next_find(s, word);
    way->record.call = NULL;
    uint64_t waited = 0;
    if (call->begins)
        rc_mpi_world_mark();
    uint64_t asked = call->ends ? own_ticks() : 0;
    if (call->ends)
        waited = rc_mpi_match_finalize();
    if (call->asks)
        waited = call_asks(s, word, way->frame, &asked);
    if (call->matched == RC_MPI_MAKES || call->matched == RC_MPI_FREES)
        rc_mpi_nodes_forget();
    if (!atomic_load_explicit(&rc_preload_on, memory_order_relaxed) ||
        atomic_load_explicit(&switched_off, memory_order_relaxed) ||
        is_inside(way->frame))
        return next;
    if (s->fortran && !word[call->ierror - 1])
        word[call->ierror - 1] = &way->code;
    const bool tells = !call->poll || !call->who[2] ||
                       !rc_mpi_status_ignored(word[call->who[2] - 1], s->fortran);
    if (call->status && rc_mpi_status_ignored(word[call->status - 1], s->fortran))
        word[call->status - 1] = &way->status;
    if (call->forgets)
        rc_mpi_request_freed(&(struct rc_mpi_args){call, word, s->fortran});
    if (call->matched >= RC_MPI_COMPLETES)
        rc_mpi_match_begin(&(struct rc_mpi_args){call, word, s->fortran}, word);
    rc_preload_self.outer = way->frame;
    rc_mpi_record_expect(way->record.site);
    if (call->matched)
        rc_mpi_match_expect();
    record_begin(&way->record, call, way->record.site);
    way->record.in_vain = tells;
    way->record.began = rc_preload_ticks() - waited;
    if (asked)
        way->record.apart = way->record.began - asked;
    if (entered && !waited)
        way->record.own = way->record.began - entered;
    return next;
}

/* A poll that is not timed unless it finds something.  Its requests are kept here,
 * since MPI removes those that have ended from the program's array.
 */
struct quick_poll {
    int count;
    rc_mpi_handle request[RC_MPI_POLL_REQUESTS];
};

/* Whether this poll need not be timed; called before it. */
static inline __attribute__((always_inline)) bool
quick_begins(const struct rc_mpi_call *call, void *const *word,
             struct quick_poll *quick)
{
    struct rc_preload_thread *self = &rc_preload_self;
    struct rc_preload_block *block = self->block;
    const unsigned count = call->who[0], array = call->who[1];
    quick->count = 0;
    if (!block || self->outer ||
        atomic_load_explicit(&switched_off, memory_order_relaxed))
        return false;
    struct rc_preload_poll *poll = &block->poll[call->poll - 1];
    if (!poll->left)
        return false;
    if (array) {
        const void *request = word[array - 1];
        quick->count = count ? (int)(intptr_t)word[count - 1] : 1;
        if (quick->count < 0 || quick->count > RC_MPI_POLL_REQUESTS || !request ||
            (poll->request && poll->request != rc_mpi_handle_at(request, 0)))
            return false;
        for (int i = 0; i < RC_MPI_POLL_REQUESTS;
             i++) /* a loop up to count is a memcpy() */
            if (i < quick->count)
                quick->request[i] = rc_mpi_handle_at(request, i);
    }
    poll->left--;
    return true;
}

/* Ends a poll that was not timed but found something, or failed: it is recorded with
 * the time of the last timed one.  The thread has no block if this is the child of a
 * fork() in a signal handler.
 */
static __attribute__((noinline)) void quick_ends(const struct stand_in *s, void **word,
                                                 const struct quick_poll *quick,
                                                 const void *site, int code)
{
    struct rc_mpi_record record;
    record_begin(&record, &s->call, site);
    record.in_vain = false;
    record.began = record.ended = rc_preload_ticks();
    struct rc_preload_block *block = rc_preload_self.block;
    if (block) {
        struct rc_preload_poll *poll = &block->poll[s->call.poll - 1];
        record.began -= poll->took;
        poll->left += poll->left != poll->given; /* unless it was added meanwhile */
    }
    rc_mpi_match_hold(quick->request, quick->count);
    call_ends(&(struct rc_mpi_args){&s->call, word, s->fortran}, &record, code);
}

/* Defines call_n(), which calls a function of n arguments. */
#define CALLER(n)                                                                      \
    static RC_PRELOAD_HOT int call_##n(void *function, void *const *word)              \
    {                                                                                  \
        (void)word;                                                                    \
        return ((int (*)(LIST##n(PARAMETER, void)))function)(LIST##n(WORD, ));         \
    }
CALLER(0)
CALLER(1)
CALLER(2)
CALLER(3)
CALLER(4)
CALLER(5)
CALLER(6)
CALLER(7)
CALLER(8)
CALLER(9)
CALLER(10)
CALLER(11)
CALLER(12)
CALLER(13)
CALLER(14)

/* Makes a call, and records it unless recording is off.  The function that replaces
 * MPI's has the stack frame 'frame' and returns to 'site'.
 */
static RC_PRELOAD_HOT int call_through(struct stand_in *s, void **word,
                                       int (*caller)(void *, void *const *),
                                       uintptr_t frame, const void *site)
{
    struct under_way way;
    way.frame = frame;
    way.record.site = site;
    const int code = caller(call_begins(s, word, &way), word);
    const struct rc_mpi_args args = {&s->call, word, s->fortran};
    if (s->fortran)
        rc_preload_self.asked = 0;
    if (way.record.call)
        call_ends(&args, &way.record, code);
    else if (s->call.begins && !is_inside(frame))
        rc_mpi_match_init();
    return code;
}

/* Defines a function that replaces one of MPI.  'place' names sections, so that all
 * functions of one language lie together, and so do their data.
 */
#define STAND_IN(symbol, place, count, in_fortran, ...)                                \
    RC_PRELOAD_EXPORT int symbol(LIST##count(PARAMETER, void))                         \
        __attribute__((section(place "_text")));                                       \
    int symbol(LIST##count(PARAMETER, void))                                           \
    {                                                                                  \
        static const struct rc_mpi_call call = __VA_ARGS__;                            \
        static __attribute__((section(place))) struct stand_in s = {                   \
            .call = __VA_ARGS__,                                                       \
            .fortran = (in_fortran),                                                   \
            .name = #symbol,                                                           \
            .own = (void *)(symbol)};                                                  \
        const void *site = __builtin_return_address(0);                                \
        if (call.poll && !(in_fortran)) {                                              \
            void *const asked[] = {LIST##count(ARGUMENT, 0)};                          \
            struct quick_poll quick;                                                   \
            if (quick_begins(&call, asked, &quick)) {                                  \
                int (*next)(LIST##count(PARAMETER, void)) =                            \
                    (__typeof__(next))atomic_load_explicit(&s.next,                    \
                                                           memory_order_relaxed);      \
                int code = next(LIST##count(ARGUMENT, ));                              \
                if (code || *(const int *)asked[call.flag - 1])                        \
                    quick_ends(&s, (void *[]){LIST##count(ARGUMENT, 0)}, &quick, site, \
                               code);                                                  \
                return code;                                                           \
            }                                                                          \
        }                                                                              \
        return call_through(&s, (void *[]){LIST##count(ARGUMENT, 0)}, call_##count,    \
                            (uintptr_t)__builtin_frame_address(0), site);              \
    }

/* Fortran compilers append one or two underscores to a name.  Some append none, but
 * such names are not defined here: libraries for large numbers have an mpi_init(), too.
 */
#define CALL(c, f, Name, name, group, kind, moves, ...)                                \
    STAND_IN(MPI_##Name, "rc_calls_c", c, false, FUNCTION(c, f, Name, __VA_ARGS__))    \
    STAND_IN(mpi_##name##_, "rc_calls_mpi", f, true,                                   \
             FUNCTION(c, f, Name, __VA_ARGS__))                                        \
    STAND_IN(mpi_##name##_f08_, "rc_calls_f08", f, true,                               \
             FUNCTION(c, f, Name, __VA_ARGS__))                                        \
    STAND_IN(mpi_##name##_f08ts_, "rc_calls_f08ts", f, true,                           \
             FUNCTION(c, f, Name, __VA_ARGS__, .descriptors = true))                   \
    RC_PRELOAD_EXPORT int mpi_##name##__(LIST##f(PARAMETER, void))                     \
        __attribute__((alias("mpi_" #name "_")));
#include "solve/waiting/mpi_calls.h"
#undef CALL

/* MPI_Pcontrol(0) switches the recording of calls off, and any other level on.  Returns
 * whether it was off.
 */
static bool recording_switch(int level)
{
    const bool was_off =
        atomic_exchange_explicit(&switched_off, level == 0, memory_order_relaxed);
    if (level == 0) {
        struct rc_preload_block *block = rc_preload_enter();
        if (block) {
            rc_mpi_polls_add(block);
            rc_preload_leave();
        }
        rc_mpi_match_mute();
    }
    return was_off;
}

/* Whether the second argument is the name of a region.  If the program passed none it
 * is the contents of a register: a number, or an address that cannot be read or is not
 * that of a text.
 */
static bool is_label(uintptr_t address)
{
    enum { PAGE = 4096 };
    const char *text = (const char *)address; // NOLINT: the word may be an address

    if (address < PAGE || !rc_mpi_is_readable(address & ~(uintptr_t)7))
        return false;
    for (size_t i = 0; i < RC_PRELOAD_NAME; i++) {
        if ((address + i) % PAGE == 0 && !rc_mpi_is_readable(address + i))
            return false;
        if (!text[i])
            return i > 0;
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    }
    return false;
}

/* MPI_Pcontrol(1, "name") begins a region and MPI_Pcontrol(-1, "name") ends it, as in
 * the profiler IPM.  The first call after MPI_Pcontrol(0) only switches recording on.
 */
static void label_take(int level, const void *label)
{
    if ((level == 1 || level == -1) && is_label((uintptr_t)label)) {
        if (level == 1)
            rc_preload_region_begin(label, RC_PRELOAD_NAMED);
        else
            rc_preload_region_end(label, RC_PRELOAD_NAMED);
    }
}

RC_PRELOAD_EXPORT int MPI_Pcontrol(LIST4(PARAMETER, void));
int MPI_Pcontrol(LIST4(PARAMETER, void))
{
    int (*next)(LIST4(PARAMETER, void));
    next = (__typeof__(next))rc_preload_next("MPI_Pcontrol", (void *)MPI_Pcontrol);
    if (!recording_switch((int)(intptr_t)a1))
        label_take((int)(intptr_t)a1, a2);
    return next ? next(LIST4(ARGUMENT, void)) : 0;
}

RC_PRELOAD_EXPORT void mpi_pcontrol_(const int *level);
void mpi_pcontrol_(const int *level)
{
    recording_switch(*level);
}
RC_PRELOAD_EXPORT void mpi_pcontrol(const int *)
    __attribute__((alias("mpi_pcontrol_")));
RC_PRELOAD_EXPORT void mpi_pcontrol__(const int *)
    __attribute__((alias("mpi_pcontrol_")));
RC_PRELOAD_EXPORT void mpi_pcontrol_f08_(const int *)
    __attribute__((alias("mpi_pcontrol_")));
