/* Finds whether all ranks of a program have this library, and makes communicators for
 * messages between them.
 */
#include "campaign/profile/preload/matching/mpi_world.h"
#include "campaign/cli/launch.h"
#include "campaign/clock/messages.h"
#include "campaign/profile/preload/mpi/mpi_layer.h"
#include "campaign/profile/preload/preload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* State of this rank.  'usable': all ranks are together; until MPI_Finalize. */
static RC_PRELOAD_OFTEN struct {
    struct rc_mpi_world world;
    bool usable;
    bool marked; /* this process has called MPI_Init, as one of the program's ranks */
    uint32_t order; /* how many processes of the node were marked before this one */
    uint32_t local; /* ranks on this node, from the environment; 0: not known */
    uint64_t key;   /* world_key() */
    pid_t pid;
} own;

struct rc_mpi_world *rc_mpi_world_get(void)
{
    return own.usable ? &own.world : NULL;
}

#define FIND(function)                                                                 \
    ((w->mpi.function = (__typeof__(w->mpi.function))rc_preload_next(                  \
          "PMPI_" #function, NULL)) != NULL)
#define CONSTANT(member) rc_mpi_constant_find(&rc_mpi_abi.names->member, &w->mpi.member)

/* Finds all functions and constants that are needed; false: the MPI is unknown, or
 * lacks one of them.
 */
static bool mpi_find(struct rc_mpi_world *w)
{
    return rc_mpi_abi_find() && FIND(Initialized) && FIND(Comm_size) &&
           FIND(Comm_rank) && FIND(Comm_dup) && FIND(Comm_split) && FIND(Comm_free) &&
           FIND(Comm_group) && FIND(Comm_test_inter) && FIND(Group_translate_ranks) &&
           FIND(Group_free) && FIND(Group_size) && FIND(Query_thread) && FIND(Send) &&
           FIND(Recv) && FIND(Bcast) && FIND(Allreduce) && FIND(Exscan) &&
           FIND(Alltoall) && FIND(Alltoallv) && FIND(Test_cancelled) &&
           CONSTANT(world) && CONSTANT(null) && CONSTANT(request_null) &&
           CONSTANT(int64) && CONSTANT(integer) && CONSTANT(most) && CONSTANT(sum);
}

static uint64_t text_hash(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* A number for this process's MPI_COMM_WORLD.  Processes that the program spawns have
 * another MPI_COMM_WORLD, but the same shared file.
 */
static uint64_t world_key(void)
{
    char job[256] = "-";
    rc_launch_job(job, sizeof job);
    return text_hash(UINT64_C(0xcbf29ce484222325), job) | 1;
}

/* Names of files in DIR.  They begin with a part that all nodes of this launch have in
 * common.  The name of a node's file continues with a number, from the moment when its
 * shared file was made, and with the number of its ranks.
 */
enum { NAME_BYTES = 128 };
static void common_name(char out[NAME_BYTES])
{
    const char *path = getenv(RC_SHARED_PATH_VARIABLE);
    snprintf(out, NAME_BYTES, ".ranks-%016llx-",
             (unsigned long long)text_hash(own.key, path ? path : ""));
}

static bool path_put(char out[PATH_MAX], const char *name, uint32_t count)
{
    const struct rc_shared *head = rc_preload_head;
    int bytes = count ? snprintf(out, PATH_MAX, "%s/%s%016llx-%u", head->dir, name,
                                 (unsigned long long)(head->anchor_ns ^
                                                      head->anchor_ticks *
                                                          UINT64_C(0x9e3779b97f4a7c15)),
                                 count)
                      : snprintf(out, PATH_MAX, "%s/%sall", head->dir, name);
    return head->dir[0] && bytes < PATH_MAX;
}

void rc_mpi_world_mark(void)
{
    struct rc_shared *head = rc_preload_head;
    char name[NAME_BYTES], path[PATH_MAX];
    struct rc_launch launch;
    uint64_t none = 0;
    if (!head || own.marked)
        return;
    int kept = errno;
    own.key = world_key();
    rc_launch_find(&launch);
    errno = kept;
    if (!atomic_compare_exchange_strong(&head->world, &none, own.key) &&
        none != own.key)
        return;
    own.marked = true;
    own.pid = getpid();
    own.local = (uint32_t)launch.local_size;
    own.order = atomic_fetch_add(&head->marked, 1);
    if (own.local == 0 || own.order + 1 != own.local)
        return;
    common_name(name); /* this is the node's last rank */
    int file = path_put(path, name, own.local)
                   ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                   : -1;
    if (file >= 0)
        close(file);
    errno = kept;
}

/* Sums the numbers of ranks in the names of all nodes' files. */
static uint64_t ranks_in_dir(const char *name)
{
    const size_t bytes = strlen(name);
    uint64_t sum = 0;
    DIR *dir = opendir(rc_preload_head->dir);
    for (const struct dirent *each; dir && (each = readdir(dir));) {
        const char *count = strrchr(each->d_name, '-');
        if (strncmp(each->d_name, name, bytes) == 0 && count)
            sum += strtoul(count + 1, NULL, 10); /* "all" is 0 */
    }
    if (dir)
        closedir(dir);
    return sum;
}

/* Whether the ranks of several nodes are together; decides that unless it is decided.
 */
static bool are_nodes_together(uint32_t ranks)
{
    char name[NAME_BYTES], path[PATH_MAX], said[16] = "";
    common_name(name);
    if (!path_put(path, name, 0))
        return false;
    if (symlink(ranks_in_dir(name) == ranks ? "together" : "apart", path) != 0 &&
        errno != EEXIST)
        return false;
    ssize_t bytes = readlink(path, said, sizeof said - 1);
    return bytes > 0 && strcmp(said, "together") == 0;
}

/* Whether all ranks are on this node; only valid if they are together. */
static bool is_one_node(int ranks)
{
    return own.local == 0 || own.local >= (uint32_t)ranks;
}

/* Whether all ranks are together.  With several nodes one rank of each finds that out,
 * and the others wait for it.
 */
static bool are_together(int count)
{
    static const struct timespec nap = {.tv_nsec = 100000};
    struct rc_shared *head = rc_preload_head;
    const uint32_t ranks = (uint32_t)count;
    uint32_t is = RC_SHARED_UNDECIDED;
    if (own.order >= ranks || (own.local && own.order >= own.local))
        return false; /* another program of the job has marked processes here */
    if (is_one_node(count)) {
        const uint32_t here =
            atomic_load(&head->marked) == ranks ? RC_SHARED_TOGETHER : RC_SHARED_APART;
        return atomic_compare_exchange_strong(&head->together, &is, here)
                   ? here == RC_SHARED_TOGETHER
                   : is == RC_SHARED_TOGETHER;
    }
    if (atomic_compare_exchange_strong(&head->together, &is, RC_SHARED_ASKING)) {
        is = are_nodes_together(ranks) ? RC_SHARED_TOGETHER : RC_SHARED_APART;
        atomic_store(&head->together, is);
    }
    while ((is = atomic_load(&head->together)) == RC_SHARED_ASKING)
        nanosleep(&nap, NULL);
    return is == RC_SHARED_TOGETHER;
}

/* Removes the names in DIR once all ranks have read the decision. */
static void names_remove(const struct rc_mpi_world *w)
{
    char name[NAME_BYTES], path[PATH_MAX];
    common_name(name);
    if (w->leads && own.local && path_put(path, name, own.local))
        unlink(path);
    if (w->rank == 0 && w->node_count > 1 && path_put(path, name, 0))
        unlink(path);
}

/* Makes the library's own communicators if there are several nodes, which compare their
 * clocks by messages.  Ranks of one node are those with the same shared file, which is
 * recognised by the moment when it was made.
 *
 * On one node MPI_COMM_WORLD itself is used.  The library only calls collectives on it
 * then, all ranks in the same call of the program, so they do not mix with the
 * program's.  Making a communicator would cost time: from then to MPI_Finalize Open MPI
 * looks for collectives that do not block in each poll of a request, which takes 8 % of
 * the time of a program that polls a lot.
 */
static void comms_make(struct rc_mpi_world *w)
{
    const uint64_t file = (rc_preload_head->anchor_ns ^ rc_preload_head->anchor_ticks) *
                          UINT64_C(0x9e3779b97f4a7c15);
    rc_mpi_handle half;
    int in_node = 0;
    if (is_one_node(w->ranks)) {
        w->tool = w->node = w->nodes = w->mpi.world;
        w->node_count = 1;
        w->leads = w->rank == 0;
        return;
    }
    w->mpi.Comm_dup(w->mpi.world, &w->tool);
    rc_mpi_handle_made(&w->tool);
    w->mpi.Comm_split(w->tool, (int)(file >> 33), w->rank, &half);
    rc_mpi_handle_made(&half);
    w->mpi.Comm_split(half, (int)(file >> 2 & INT32_MAX), w->rank, &w->node);
    rc_mpi_handle_made(&w->node);
    w->mpi.Comm_free(&half);
    w->mpi.Comm_rank(w->node, &in_node);
    w->leads = in_node == 0;
    w->mpi.Comm_split(w->tool, w->leads ? 0 : RC_MPI_UNDEFINED, w->rank, &w->nodes);
    rc_mpi_handle_made(&w->nodes);
    if (w->leads)
        w->mpi.Comm_size(w->nodes, &w->node_count);
    w->mpi.Bcast(&w->node_count, 1, w->mpi.integer, 0, w->node);
}

int64_t rc_mpi_raw_ns(void)
{
    return (int64_t)rc_ticks(RC_SHARED_NS);
}

/* The messages of rc_clock_measure_tree(). */
static void send_numbers(void *context, int peer, int tag, const int64_t *number,
                         int count)
{
    struct rc_mpi_world *w = context;
    w->mpi.Send(number, count, w->mpi.int64, peer, tag, w->nodes);
}

static void receive_numbers(void *context, int peer, int tag, int64_t *number,
                            int count)
{
    struct rc_mpi_world *w = context;
    struct rc_mpi_status status;
    w->mpi.Recv(number, count, w->mpi.int64, peer, tag, w->nodes, &status);
}

/* Puts a comparison of clocks into the shared file for the sampler, if there is room.
 */
static void offset_put(const struct rc_clock_offset *offset)
{
    struct rc_shared *head = rc_preload_head;
    uint32_t at = atomic_load(&head->offset_head);
    if (at - atomic_load(&head->offset_tail) >= RC_SHARED_OFFSETS)
        return;
    head->offset[at % RC_SHARED_OFFSETS] =
        (struct rc_shared_offset){offset->at_ns, offset->low_ns, offset->high_ns};
    atomic_store(&head->offset_head, at + 1);
}

void rc_mpi_world_compare_clocks(struct rc_mpi_world *w)
{
    enum { TICKS, TIME, HALF, NUMBERS };
    const struct rc_clock_wire wire = {send_numbers, receive_numbers, rc_mpi_raw_ns, w};
    struct rc_clock_offset found = {.at_ns = 0};
    int64_t point[NUMBERS] = {0};
    w->compared_ns = rc_mpi_raw_ns();
    if (w->node_count < 2)
        return;
    if (w->leads) {
        int rank = 0;
        w->mpi.Comm_rank(w->nodes, &rank);
        if (!rc_clock_measure_tree(&wire, rank, w->node_count, &found))
            found.at_ns = rc_mpi_raw_ns();
        offset_put(&found);
        const int64_t before = rc_mpi_raw_ns();
        point[TICKS] = (int64_t)rc_preload_ticks();
        point[TIME] = before + (rc_mpi_raw_ns() - before) / 2 + found.low_ns +
                      rc_clock_width(&found) / 2;
        point[HALF] = rc_clock_width(&found) / 2;
    }
    w->mpi.Bcast(point, NUMBERS, w->mpi.int64, 0, w->node);
    /* The line through the last two comparisons; after the first one, through it with
     * the nominal length of a tick.
     */
    const uint64_t ticks = (uint64_t)point[TICKS];
    w->line.rate =
        w->points++ > 0 && ticks > w->line.ticks
            ? (double)(point[TIME] - w->line.time) / (double)(ticks - w->line.ticks)
            : (double)rc_preload_said.ticks_ns * 0x1p-32;
    w->line.ticks = ticks;
    w->line.time = point[TIME];
    w->bounds = point[HALF];
}

struct rc_mpi_world *rc_mpi_world_begin(void)
{
    struct rc_mpi_world *w = &own.world;
    int initialized = 0;
    if (!own.marked || own.usable || own.pid != getpid() || !mpi_find(w))
        return NULL;
    w->mpi.Initialized(&initialized);
    if (!initialized)
        return NULL;
    w->mpi.Comm_rank(w->mpi.world, &w->rank);
    w->mpi.Comm_size(w->mpi.world, &w->ranks);
    w->mpi.Query_thread(&w->level);
    if (w->ranks < 2) {
        w->node_count = 1;
        w->leads = true;
        rc_mpi_nodes_begin(w);
        names_remove(w);
    }
    if (w->ranks < 2 || !are_together(w->ranks))
        return NULL;
    w->line.rate = 1;
    comms_make(w);
    rc_mpi_nodes_begin(w);
    names_remove(w);
    rc_mpi_world_compare_clocks(w);
    own.usable = true;
    return w;
}

bool rc_mpi_world_is_copy(void)
{
    return own.pid != getpid();
}

void rc_mpi_world_end(struct rc_mpi_world *w)
{
    own.usable = false;
    if (w->tool == w->mpi.world)
        return;
    w->mpi.Comm_free(&w->tool);
    w->mpi.Comm_free(&w->node);
    if (w->leads)
        w->mpi.Comm_free(&w->nodes);
}
