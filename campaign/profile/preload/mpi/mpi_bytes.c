/* Finds how many bytes a call of MPI moves, and among how many ranks, by asking MPI. */
#include "campaign/profile/preload/mpi/mpi_abi.h"
#include "campaign/profile/preload/mpi/mpi_layer.h"
#include "campaign/profile/preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Pointers to MPI's functions: a program without MPI would not start if these were
 * undefined symbols.
 */
static RC_PRELOAD_OFTEN struct {
    int (*Comm_size)(rc_mpi_handle, int *);
    int (*Comm_remote_size)(rc_mpi_handle, int *);
    int (*Comm_rank)(rc_mpi_handle, int *);
    int (*Comm_test_inter)(rc_mpi_handle, int *);
    int (*Topo_test)(rc_mpi_handle, int *);
    int (*Cartdim_get)(rc_mpi_handle, int *);
    int (*Graph_neighbors_count)(rc_mpi_handle, int, int *);
    int (*Dist_graph_neighbors_count)(rc_mpi_handle, int *, int *, int *);
    int (*Type_size_x)(rc_mpi_handle, int64_t *);
    /* Only used if Fortran's handles differ from those of C. */
    rc_mpi_handle (*Comm_f2c)(int);
    rc_mpi_handle (*Type_f2c)(int);
    rc_mpi_handle (*Request_f2c)(int);
    rc_mpi_handle (*Win_f2c)(int);
    rc_mpi_handle (*Group_f2c)(int);
    /* Fortran's MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE. */
    const void *in_place[RC_MPI_OBJECTS], *status_ignore[RC_MPI_OBJECTS],
        *statuses_ignore[RC_MPI_OBJECTS];
} mpi;

enum { NEW, MAKING, USABLE, OTHER_MPI };
static RC_PRELOAD_OFTEN _Atomic int state;

/* The program's own variable of this name, else a library's.  A program may have a copy
 * of a library's variable (a copy relocation), which is used instead of that.
 */
static void *data_find(const char *name)
{
    void *own = dlsym(RTLD_DEFAULT, name);
    return own ? own : rc_preload_next(name, NULL);
}

bool rc_mpi_constant_find(const struct rc_mpi_constant *constant, rc_mpi_handle *out)
{
    *out = constant->variable ? (rc_mpi_handle)data_find(constant->variable)
                              : constant->number;
    return *out != 0;
}

static void objects_find(const struct rc_mpi_object *object, const void **address)
{
    for (int i = 0; i < RC_MPI_OBJECTS && object[i].variable; i++) {
        const char *data = data_find(object[i].variable);
        address[i] = data ? data + object[i].offset : NULL;
    }
}

static bool is_object(const void *word, const void *const *address)
{
    return word && (word == address[0] || word == address[1]);
}

#define FIND(function)                                                                 \
    ((mpi.function =                                                                   \
          (__typeof__(mpi.function))rc_preload_next("PMPI_" #function, NULL)) != NULL)

/* Finds all functions and objects that the rules need; false: one is missing. */
static bool mpi_find(rc_mpi_handle *world)
{
    const struct rc_mpi_names *names = rc_mpi_abi.names;
    objects_find(names->in_place, mpi.in_place);
    objects_find(names->status_ignore, mpi.status_ignore);
    objects_find(names->statuses_ignore, mpi.statuses_ignore);
    return rc_mpi_constant_find(&names->world, world) && FIND(Comm_size) &&
           FIND(Comm_remote_size) && FIND(Comm_rank) && FIND(Comm_test_inter) &&
           FIND(Topo_test) && FIND(Cartdim_get) && FIND(Graph_neighbors_count) &&
           FIND(Dist_graph_neighbors_count) && FIND(Type_size_x) &&
           (rc_mpi_abi.spare_bits ||
            (FIND(Comm_f2c) && FIND(Type_f2c) && FIND(Request_f2c) && FIND(Win_f2c) &&
             FIND(Group_f2c)));
}

/* Looks for MPI, once.  Returns whether it can be used; false also while another thread
 * looks for it.
 */
static bool mpi_open(void)
{
    int making = NEW;
    if (!atomic_compare_exchange_strong(&state, &making, MAKING))
        return false;
    rc_mpi_handle world;
    if (!rc_mpi_abi_find() || !mpi_find(&world)) {
        atomic_store_explicit(&state, OTHER_MPI, memory_order_release);
        return false;
    }
    int rank = -1, ranks = 0;
    mpi.Comm_rank(world, &rank);
    mpi.Comm_size(world, &ranks);
    rc_preload_world(rank, ranks);
    atomic_store_explicit(&state, USABLE, memory_order_release);
    return true;
}

static bool is_usable(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == USABLE;
}

/* Fortran's handles are integers; if those of C are integers they are the same. */
#define OF_FORTRAN(what, handle)                                                       \
    (rc_mpi_abi.spare_bits ? (rc_mpi_handle)(handle) : mpi.what##_f2c(handle))

/* The argument of the call that a rule has as its number 'at': as a word, as an
 * integer.
 */
static void *word_at(const struct rc_mpi_args *args, unsigned at)
{
    return args->word[args->call->at[at] - 1];
}

static int integer_at(const struct rc_mpi_args *args, unsigned at)
{
    void *word = word_at(args, at);
    return args->fortran ? *(const int *)word : (int)(intptr_t)word;
}

/* The same as an array of integers. */
static const int *integers_at(const struct rc_mpi_args *args, unsigned at)
{
    return word_at(args, at);
}

static uint64_t type_bytes(rc_mpi_handle type)
{
    int64_t bytes = 0;
    mpi.Type_size_x(type, &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* The size of the type that the argument is.  A word from C is passed on unchanged. */
static uint64_t size_at(const struct rc_mpi_args *args, unsigned at)
{
    void *word = word_at(args, at);
    return type_bytes(args->fortran ? OF_FORTRAN(Type, *(const int *)word)
                                    : (rc_mpi_handle)word);
}

static inline rc_mpi_handle comm_of(const struct rc_mpi_args *args)
{
    void *word = args->word[args->call->comm - 1];
    return args->fortran ? OF_FORTRAN(Comm, *(const int *)word) : (rc_mpi_handle)word;
}

static bool in_place_at(const struct rc_mpi_args *args, unsigned at)
{
    const void *word = word_at(args, at);
    if (args->call->descriptors) /* whose first member is the buffer's address */
        word = *(void *const *)word;
    return args->fortran ? is_object(word, mpi.in_place)
                         : (intptr_t)word == rc_mpi_abi.in_place;
}

/* Define functions that return a handle: one passed to a call by value, and one that it
 * makes or frees, which is passed by address.
 */
#define GIVEN(name, What)                                                              \
    rc_mpi_handle name(const struct rc_mpi_args *args, unsigned n)                     \
    {                                                                                  \
        void *word = args->word[n - 1];                                                \
        return args->fortran ? OF_FORTRAN(What, *(const int *)word)                    \
                             : rc_mpi_handle_of(word);                                 \
    }
#define MADE(name, What)                                                               \
    rc_mpi_handle name(const struct rc_mpi_args *args, unsigned n)                     \
    {                                                                                  \
        void *word = args->word[n - 1];                                                \
        return args->fortran ? OF_FORTRAN(What, *(const int *)word)                    \
                             : rc_mpi_handle_at(word, 0);                              \
    }
GIVEN(rc_mpi_comm, Comm)
GIVEN(rc_mpi_window, Win)
GIVEN(rc_mpi_group, Group)
MADE(rc_mpi_comm_made, Comm)
MADE(rc_mpi_window_made, Win)

RC_PRELOAD_HOT bool rc_mpi_statuses_ignored(const struct rc_mpi_args *args, unsigned n)
{
    const void *word = args->word[n - 1];
    return args->fortran ? is_object(word, mpi.statuses_ignore)
                         : (intptr_t)word == rc_mpi_abi.status_ignore;
}

bool rc_mpi_usable(void)
{
    return is_usable() || mpi_open();
}

static uint32_t ranks_of(const struct rc_mpi_args *args)
{
    int ranks = 0;
    if (args->call->comm)
        mpi.Comm_size(comm_of(args), &ranks);
    return (uint32_t)ranks;
}

static uint64_t product_at(const struct rc_mpi_args *args, unsigned count,
                           unsigned type)
{
    int n = integer_at(args, count);
    return n > 0 ? (uint64_t)n * size_at(args, type) : 0;
}

bool rc_mpi_fortran_status_ignored(const void *word)
{
    return is_usable() && is_object(word, mpi.status_ignore);
}

/* Bytes received, from the status; without one the size of the buffer, by argument
 * 'count' of the rule and the type after it.
 */
static uint64_t bytes_received(const struct rc_mpi_args *args, unsigned count)
{
    const char *status = args->word[args->call->status - 1];
    if (rc_mpi_status_ignored(status, args->fortran))
        return product_at(args, count, count + 1);
    uint64_t bytes; /* copied, as a status of Fortran's may not be aligned */
    memcpy(&bytes, status + rc_mpi_abi.count_at, sizeof bytes);
    if (rc_mpi_abi.spare_bits) /* two integers; bit 0 of the second is "cancelled" */
        bytes = (uint32_t)bytes | bytes >> 33 << 32;
    return bytes;
}

static rc_mpi_handle request_of(const struct rc_mpi_args *args, const void *word, int i)
{
    return args->fortran ? OF_FORTRAN(Request, ((const int *)word)[i])
                         : rc_mpi_handle_at(word, i);
}

/* Adds the bytes of persistent requests that the call starts. */
static void ask_started(const struct rc_mpi_args *args, struct rc_mpi_record *record)
{
    const uint8_t *who = args->call->who;
    const int count = who[0] ? rc_mpi_integer(args, who[0]) : 1;
    for (int i = 0; i < count; i++) {
        const uint64_t found =
            rc_mpi_requests_find(request_of(args, args->word[who[1] - 1], i));
        const uint64_t bytes = found & ((UINT64_C(1) << RC_MPI_REQUEST_NODES) - 1);
        record->nodes |= found >> RC_MPI_REQUEST_NODES & RC_SHARED_SEVERAL_NODES;
        record->moved.bytes += bytes;
        record->moved.started++;
        if (found & RC_MPI_REQUEST_RECEIVES) {
            record->moved.started_receives++;
            record->moved.received += bytes;
        }
    }
}

/* A call that makes a persistent request moves nothing: its bytes are kept. */
static __attribute__((noinline)) void ask_lasting(const struct rc_mpi_args *args,
                                                  struct rc_mpi_record *record)
{
    const enum rc_mpi_matched matched = args->call->matched;
    if (matched == RC_MPI_STARTS) {
        ask_started(args, record);
        return;
    }
    rc_mpi_requests_keep(
        request_of(args, word_at(args, 3), 0),
        record->moved.bytes | (uint64_t)record->nodes << RC_MPI_REQUEST_NODES |
            (matched == RC_MPI_RECEIVES_OFTEN ? RC_MPI_REQUEST_RECEIVES : 0));
    record->moved.bytes = 0;
}

RC_PRELOAD_HOT void rc_mpi_ask(const struct rc_mpi_args *args,
                               struct rc_mpi_record *record)
{
    if (!is_usable() && !mpi_open())
        return;
    record->ranks = ranks_of(args);
    if (args->call->bytes)
        record->moved.bytes = args->call->bytes(args);
    if (args->call->exchanges)
        record->moved.received = bytes_received(args, 3);
    if (args->call->matched >= RC_MPI_SENDS_OFTEN &&
        args->call->matched <= RC_MPI_STARTS)
        ask_lasting(args, record);
}

/* The number of neighbours to which data goes, in a communicator with a topology. */
static int neighbours_of(rc_mpi_handle comm)
{
    int shape = RC_MPI_UNDEFINED, in = 0, out = 0, weighted = 0;
    mpi.Topo_test(comm, &shape);
    if (shape == rc_mpi_abi.names->cart) {
        mpi.Cartdim_get(comm, &out);
        return 2 * out;
    }
    if (shape == rc_mpi_abi.names->graph) {
        int rank = 0;
        mpi.Comm_rank(comm, &rank);
        mpi.Graph_neighbors_count(comm, rank, &out);
    } else if (shape == rc_mpi_abi.names->dist_graph) {
        mpi.Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    }
    return out;
}

/* The number of parts of a rank's data, one for each receiver: the length of an array
 * of counts.
 */
static size_t parts_of(const struct rc_mpi_args *args)
{
    const rc_mpi_handle comm = comm_of(args);
    int parts = 0, inter = 0;
    if (args->call->neighbours)
        return (size_t)neighbours_of(comm);
    mpi.Comm_test_inter(comm, &inter);
    (inter ? mpi.Comm_remote_size : mpi.Comm_size)(comm, &parts);
    return (size_t)parts;
}

static size_t rank_in(const struct rc_mpi_args *args)
{
    int rank = 0;
    mpi.Comm_rank(comm_of(args), &rank);
    return (size_t)rank;
}

/* Whether this rank is the root.  Between two groups the root passes MPI_ROOT, and a
 * number that is not negative is the rank of a root in the other group.
 */
static bool is_root(const struct rc_mpi_args *args, unsigned at)
{
    int root = integer_at(args, at), inter = 0;
    if (root < 0)
        return root == rc_mpi_abi.root;
    mpi.Comm_test_inter(comm_of(args), &inter);
    return !inter && (size_t)root == rank_in(args);
}

/* Whether an argument is MPI_PROC_NULL or MPI_ROOT; false also if the rule has no such
 * argument.
 */
static bool is_nobody(const struct rc_mpi_args *args, unsigned at)
{
    if (!args->call->at[at])
        return false;
    int peer = integer_at(args, at);
    return peer == rc_mpi_abi.proc_null || peer == rc_mpi_abi.root;
}

static uint64_t sum_of(const int *count, size_t parts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < parts; i++)
        sum += (uint64_t)count[i];
    return sum;
}

RC_PRELOAD_HOT uint64_t rc_mpi_message(const struct rc_mpi_args *args)
{
    return is_nobody(args, 2) ? 0 : product_at(args, 0, 1);
}

uint64_t rc_mpi_element(const struct rc_mpi_args *args)
{
    return is_nobody(args, 1) ? 0 : size_at(args, 0);
}

RC_PRELOAD_HOT uint64_t rc_mpi_received(const struct rc_mpi_args *args)
{
    return bytes_received(args, 0);
}

uint64_t rc_mpi_own(const struct rc_mpi_args *args)
{
    if (is_nobody(args, 5))
        return 0;
    return in_place_at(args, 0) ? product_at(args, 3, 4) : product_at(args, 1, 2);
}

uint64_t rc_mpi_own_of_counts(const struct rc_mpi_args *args)
{
    if (is_nobody(args, 5))
        return 0;
    if (!in_place_at(args, 0))
        return product_at(args, 1, 2);
    return (uint64_t)integers_at(args, 3)[rank_in(args)] * size_at(args, 4);
}

uint64_t rc_mpi_each(const struct rc_mpi_args *args)
{
    return rc_mpi_own(args) * parts_of(args);
}

uint64_t rc_mpi_counts(const struct rc_mpi_args *args)
{
    const unsigned at = in_place_at(args, 0) ? 3 : 1;
    uint64_t sum = sum_of(integers_at(args, at), parts_of(args));
    return sum ? sum * size_at(args, at + 1) : 0;
}

uint64_t rc_mpi_counts_types(const struct rc_mpi_args *args)
{
    const unsigned at = in_place_at(args, 0) ? 3 : 1;
    const int *count = integers_at(args, at);
    const void *types = word_at(args, at + 1);
    uint64_t bytes = 0;
    for (size_t i = 0, parts = parts_of(args); i < parts; i++) {
        if (count[i])
            bytes +=
                (uint64_t)count[i] *
                type_bytes(args->fortran ? OF_FORTRAN(Type, ((const int *)types)[i])
                                         : rc_mpi_handle_at(types, (int)i));
    }
    return bytes;
}

uint64_t rc_mpi_root(const struct rc_mpi_args *args)
{
    return is_root(args, 2) ? product_at(args, 0, 1) : 0;
}

uint64_t rc_mpi_root_each(const struct rc_mpi_args *args)
{
    return rc_mpi_root(args) * (is_root(args, 2) ? parts_of(args) : 0);
}

uint64_t rc_mpi_root_counts(const struct rc_mpi_args *args)
{
    if (!is_root(args, 2))
        return 0;
    return sum_of(integers_at(args, 0), parts_of(args)) * size_at(args, 1);
}

/* The result of a reduction is scattered: a part for each rank of the own group. */
uint64_t rc_mpi_reduced(const struct rc_mpi_args *args)
{
    return sum_of(integers_at(args, 0), ranks_of(args)) * size_at(args, 1);
}

uint64_t rc_mpi_reduced_each(const struct rc_mpi_args *args)
{
    return product_at(args, 0, 1) * ranks_of(args);
}

RC_PRELOAD_HOT rc_mpi_handle rc_mpi_request(const struct rc_mpi_args *args, unsigned n,
                                            int i)
{
    return request_of(args, args->word[n - 1], i);
}

void rc_mpi_request_freed(const struct rc_mpi_args *args)
{
    if (is_usable())
        rc_mpi_requests_forget(request_of(args, args->word[0], 0));
}

/* Asks the kernel to change the signal mask in an invalid way.  It reads the new mask
 * from 'address' before it finds that error.
 */
bool rc_mpi_is_readable(uintptr_t address)
{
    const int saved_errno = errno;
    const bool readable =
        syscall(SYS_rt_sigprocmask, -1, address, NULL, 8) != 0 && errno == EINVAL;

    errno = saved_errno;
    return readable;
}
