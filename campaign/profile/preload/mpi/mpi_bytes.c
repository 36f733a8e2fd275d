/* How many bytes a call of MPI moves, and among how many ranks: asked of MPI itself. */
#include "campaign/profile/preload/mpi/mpi_layer.h"
#include "campaign/profile/preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* MPI's functions, by pointers to them: an undefined symbol would keep a program
 * without MPI from starting.
 */
static RC_PRELOAD_OFTEN struct {
    int (*Comm_size)(MPI_Comm, int *);
    int (*Comm_remote_size)(MPI_Comm, int *);
    int (*Comm_rank)(MPI_Comm, int *);
    int (*Comm_test_inter)(MPI_Comm, int *);
    int (*Topo_test)(MPI_Comm, int *);
    int (*Cartdim_get)(MPI_Comm, int *);
    int (*Graph_neighbors_count)(MPI_Comm, int, int *);
    int (*Dist_graph_neighbors_count)(MPI_Comm, int *, int *, int *);
    int (*Type_size_x)(MPI_Datatype, MPI_Count *);
    int (*Get_count)(const MPI_Status *, MPI_Datatype, int *);
    int (*Query_thread)(int *);
#ifdef OPEN_MPI
    MPI_Comm (*Comm_f2c)(MPI_Fint);
    MPI_Datatype (*Type_f2c)(MPI_Fint);
    MPI_Request (*Request_f2c)(MPI_Fint);
    MPI_Win (*Win_f2c)(MPI_Fint);
    MPI_Group (*Group_f2c)(MPI_Fint);
#endif
    void *fortran_in_place, *fortran_status_ignore, *fortran_statuses_ignore;
} mpi;

#ifdef OPEN_MPI /* mpi_send_() calls PMPI_Send() */
const bool rc_mpi_fortran_calls_c = false;
#else
const bool rc_mpi_fortran_calls_c = true;
#endif

enum { NEW, MAKING, USABLE, OTHER_MPI };
static RC_PRELOAD_OFTEN _Atomic int state;

void *rc_mpi_data_find(const char *name)
{
    void *own = dlsym(RTLD_DEFAULT, name);
    return own ? own : rc_preload_next(name, NULL);
}

#define FIND(function)                                                                 \
    ((mpi.function =                                                                   \
          (__typeof__(mpi.function))rc_preload_next("PMPI_" #function, NULL)) != NULL)

/* Whether all that the rules need is there. */
static bool mpi_find(MPI_Comm *world)
{
    bool all = FIND(Comm_size) && FIND(Comm_remote_size) && FIND(Comm_rank) &&
               FIND(Comm_test_inter) && FIND(Topo_test) && FIND(Cartdim_get) &&
               FIND(Graph_neighbors_count) && FIND(Dist_graph_neighbors_count) &&
               FIND(Type_size_x) && FIND(Get_count) && FIND(Query_thread);
    void *ompi_world = rc_mpi_data_find("ompi_mpi_comm_world");
#ifdef OPEN_MPI
    mpi.fortran_in_place = rc_mpi_data_find("mpi_fortran_in_place_");
    mpi.fortran_status_ignore = rc_mpi_data_find("mpi_fortran_status_ignore_");
    mpi.fortran_statuses_ignore = rc_mpi_data_find("mpi_fortran_statuses_ignore_");
    *world = (MPI_Comm)ompi_world;
    all = all && FIND(Win_f2c) && FIND(Group_f2c);
    return all && FIND(Comm_f2c) && FIND(Type_f2c) && FIND(Request_f2c) && ompi_world;
#else
    *world = MPI_COMM_WORLD;
    return all && !ompi_world;
#endif
}

/* Looks for it once: whether it is there, which it is not while another thread looks.
 */
static bool mpi_open(void)
{
    int making = NEW;
    if (!atomic_compare_exchange_strong(&state, &making, MAKING))
        return false;
    MPI_Comm world;
    if (!mpi_find(&world)) {
        atomic_store_explicit(&state, OTHER_MPI, memory_order_release);
        return false;
    }
    int rank = -1, ranks = 0, threads = 0;
    mpi.Comm_rank(world, &rank);
    mpi.Comm_size(world, &ranks);
    mpi.Query_thread(&threads);
    rc_preload_world(rank, ranks, (uint32_t)threads);
    atomic_store_explicit(&state, USABLE, memory_order_release);
    return true;
}

static bool is_usable(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == USABLE;
}

/* A handle that came as a word, and one of Fortran's: Open MPI has addresses in C and
 * integers in Fortran, others have the same integers in both.
 */
#ifdef OPEN_MPI
#define HANDLE(type, word) ((type)(word))
#define OF_FORTRAN(what, handle) (mpi.what##_f2c(handle))
#else
#define HANDLE(type, word) ((type)(intptr_t)(word))
#define OF_FORTRAN(what, handle) (handle)
#endif

/* Argument 'at' of a rule, by its place in the call's list: as it came, as an integer,
 * as a handle.
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

/* How long an array's elements at 'at' are is the rule's to know. */
static const int *integers_at(const struct rc_mpi_args *args, unsigned at)
{
    return word_at(args, at);
}

static uint64_t type_bytes(MPI_Datatype type)
{
    MPI_Count bytes = 0;
    mpi.Type_size_x(type, &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static uint64_t size_at(const struct rc_mpi_args *args, unsigned at)
{
    void *word = word_at(args, at);
    return type_bytes(args->fortran ? OF_FORTRAN(Type, *(const int *)word)
                                    : HANDLE(MPI_Datatype, word));
}

static MPI_Comm comm_of(const struct rc_mpi_args *args)
{
    void *word = args->word[args->call->comm - 1];
    return args->fortran ? OF_FORTRAN(Comm, *(const int *)word)
                         : HANDLE(MPI_Comm, word);
}

static bool in_place_at(const struct rc_mpi_args *args, unsigned at)
{
    return word_at(args, at) == (args->fortran ? mpi.fortran_in_place : MPI_IN_PLACE);
}

/* A handle that a call was given, and one that it has made or that it frees. */
#define GIVEN(name, What, type)                                                        \
    intptr_t name(const struct rc_mpi_args *args, unsigned n)                          \
    {                                                                                  \
        void *word = args->word[n - 1];                                                \
        return (intptr_t)(args->fortran ? OF_FORTRAN(What, *(const int *)word)         \
                                        : HANDLE(type, word));                         \
    }
#define MADE(name, What, type)                                                         \
    intptr_t name(const struct rc_mpi_args *args, unsigned n)                          \
    {                                                                                  \
        void *word = args->word[n - 1];                                                \
        return (intptr_t)(args->fortran ? OF_FORTRAN(What, *(const int *)word)         \
                                        : *(const type *)word);                        \
    }
GIVEN(rc_mpi_comm, Comm, MPI_Comm)
GIVEN(rc_mpi_window, Win, MPI_Win)
GIVEN(rc_mpi_group, Group, MPI_Group)
MADE(rc_mpi_comm_made, Comm, MPI_Comm)
MADE(rc_mpi_window_made, Win, MPI_Win)

RC_PRELOAD_HOT bool rc_mpi_statuses_ignored(const struct rc_mpi_args *args, unsigned n)
{
    const void *word = args->word[n - 1];
    return word == (args->fortran ? mpi.fortran_statuses_ignore
                                  : (const void *)MPI_STATUSES_IGNORE);
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

RC_PRELOAD_HOT bool rc_mpi_status_ignored(const void *word, bool fortran)
{
    return is_usable() && word == (fortran ? mpi.fortran_status_ignore
                                           : (const void *)MPI_STATUS_IGNORE);
}

_Static_assert(sizeof(MPI_Status) <= sizeof(struct rc_mpi_status),
               "a status needs more room");

/* What came, by the status; 'count' and the argument behind it say what there was room
 * for.
 */
static uint64_t bytes_received(const struct rc_mpi_args *args, unsigned count)
{
    const char *status = args->word[args->call->status - 1];
    if (rc_mpi_status_ignored(status, args->fortran))
        return product_at(args, count, count + 1);
#ifdef OPEN_MPI /* in Fortran it need not be aligned as this member */
    size_t bytes;
    memcpy(&bytes, status + offsetof(MPI_Status, _ucount), sizeof bytes);
    return bytes;
#else
    int came = 0;
    mpi.Get_count((const MPI_Status *)status,
                  HANDLE(MPI_Datatype, word_at(args, count + 1)), &came);
    return came > 0 ? (uint64_t)came * size_at(args, count + 1) : 0;
#endif
}

static intptr_t request_of(const struct rc_mpi_args *args, const void *word, int i)
{
    return (intptr_t)(args->fortran ? OF_FORTRAN(Request, ((const int *)word)[i])
                                    : ((const MPI_Request *)word)[i]);
}

/* Persistent requests that are started: how many argument who[0] says, else one. */
static void ask_started(const struct rc_mpi_args *args, struct rc_mpi_record *record)
{
    const uint8_t *who = args->call->who;
    const int count = who[0] ? rc_mpi_integer(args, who[0]) : 1;
    for (int i = 0; i < count; i++) {
        const uint64_t found =
            rc_mpi_requests_find(request_of(args, args->word[who[1] - 1], i));
        const uint64_t bytes = found & ~RC_MPI_REQUEST_RECEIVES;
        record->bytes += bytes;
        record->started++;
        if (found & RC_MPI_REQUEST_RECEIVES) {
            record->started_receives++;
            record->received += bytes;
        }
    }
}

RC_PRELOAD_HOT void rc_mpi_ask(const struct rc_mpi_args *args,
                               struct rc_mpi_record *record)
{
    if (!is_usable() && !mpi_open())
        return;
    record->ranks = ranks_of(args);
    if (args->call->bytes)
        record->bytes = args->call->bytes(args);
    if (args->call->exchanges)
        record->received = bytes_received(args, 3);
    if (args->call->matched == RC_MPI_STARTS)
        ask_started(args, record);
}

/* How many neighbours data goes to. */
static int neighbours_of(MPI_Comm comm)
{
    int shape = MPI_UNDEFINED, in = 0, out = 0, weighted = 0;
    mpi.Topo_test(comm, &shape);
    if (shape == MPI_CART) {
        mpi.Cartdim_get(comm, &out);
        return 2 * out;
    }
    if (shape == MPI_GRAPH) {
        int rank = 0;
        mpi.Comm_rank(comm, &rank);
        mpi.Graph_neighbors_count(comm, rank, &out);
    } else if (shape == MPI_DIST_GRAPH) {
        mpi.Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    }
    return out;
}

/* How many parts a rank's data for others has: the length of an array of counts. */
static size_t parts_of(const struct rc_mpi_args *args)
{
    MPI_Comm comm = comm_of(args);
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

/* Whether this rank is the root; between two groups of ranks the root says so, and a
 * rank's number is one of the other group's.
 */
static bool is_root(const struct rc_mpi_args *args, unsigned at)
{
    int root = integer_at(args, at), inter = 0;
    if (root < 0)
        return root == MPI_ROOT;
    mpi.Comm_test_inter(comm_of(args), &inter);
    return !inter && (size_t)root == rank_in(args);
}

/* Whether what an argument names is no rank to send to; 0: there is no such argument.
 */
static bool is_nobody(const struct rc_mpi_args *args, unsigned at)
{
    if (!args->call->at[at])
        return false;
    int peer = integer_at(args, at);
    return peer == MPI_PROC_NULL || peer == MPI_ROOT;
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
                                         : ((const MPI_Datatype *)types)[i]);
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

/* A reduction that is scattered has a part for each rank of its own group. */
uint64_t rc_mpi_reduced(const struct rc_mpi_args *args)
{
    return sum_of(integers_at(args, 0), ranks_of(args)) * size_at(args, 1);
}

uint64_t rc_mpi_reduced_each(const struct rc_mpi_args *args)
{
    return product_at(args, 0, 1) * ranks_of(args);
}

bool rc_mpi_are_words(void)
{
    return is_usable() && sizeof(MPI_Request) == sizeof(void *);
}

RC_PRELOAD_HOT intptr_t rc_mpi_request(const struct rc_mpi_args *args, unsigned n,
                                       int i)
{
    return request_of(args, args->word[n - 1], i);
}

uint64_t rc_mpi_request_made(const struct rc_mpi_args *args)
{
    const bool receives = args->call->matched == RC_MPI_RECEIVES_OFTEN;
    rc_mpi_requests_keep(request_of(args, word_at(args, 3), 0),
                         rc_mpi_message(args) |
                             (receives ? RC_MPI_REQUEST_RECEIVES : 0));
    return 0;
}

void rc_mpi_request_freed(const struct rc_mpi_args *args)
{
    if (is_usable())
        rc_mpi_requests_forget(request_of(args, args->word[0], 0));
}

/* The kernel reads a set of signals before it finds that nothing is to be done with it.
 */
bool rc_mpi_is_readable(uintptr_t address)
{
    const int saved_errno = errno;
    const bool readable =
        syscall(SYS_rt_sigprocmask, -1, address, NULL, 8) != 0 && errno == EINVAL;

    errno = saved_errno;
    return readable;
}
