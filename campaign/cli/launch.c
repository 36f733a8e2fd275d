/* Finds the launcher that started this process, and its rank, from the environment. */
#include "campaign/cli/launch.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A launcher's variables; of two, the first that is a number counts. */
struct launcher {
    const char *name;
    const char *rank, *size, *local_rank[2], *local_size[2];
    const char *job[2]; /* name the job, together */
    const char *needs;  /* must be set, too */
    bool pmi;           /* its ranks talk to it by the socket PMI_FD */
    bool step;          /* of srun, perhaps: then its variables complete these */
    bool team;          /* only with more than one rank */
    bool kills, copies; /* as in struct rc_launch */
};

/* The first that fits counts.  SLURM_PROCID alone does not suffice: a batch script has
 * it, too, and a shell that srun started.
 */
static const struct launcher launchers[] = {
    {.name = "Open MPI", /* and IBM Spectrum MPI */
     .rank = "OMPI_COMM_WORLD_RANK",
     .size = "OMPI_COMM_WORLD_SIZE",
     .local_rank = {"OMPI_COMM_WORLD_LOCAL_RANK"},
     .local_size = {"OMPI_COMM_WORLD_LOCAL_SIZE"},
     .job = {"PMIX_NAMESPACE"},
     .kills = true},
    {.name = "Hydra", /* of MPICH, MVAPICH and Intel MPI */
     .rank = "PMI_RANK",
     .size = "PMI_SIZE",
     .local_rank = {"MPI_LOCALRANKID"},
     .local_size = {"MPI_LOCALNRANKS"},
     .job = {"SLURM_JOB_ID", "SLURM_STEP_ID"},
     .needs = "MPI_LOCALRANKID",
     .pmi = true,
     .copies = true},
    {.name = "Hydra", /* with -pmi-port */
     .rank = "PMI_ID",
     .local_rank = {"MPI_LOCALRANKID"},
     .local_size = {"MPI_LOCALNRANKS"},
     .job = {"PMI_PORT"},
     .copies = true},
    {.name = "Flux",
     .rank = "FLUX_TASK_RANK",
     .size = "FLUX_JOB_SIZE",
     .local_rank = {"FLUX_TASK_LOCAL_ID"},
     .job = {"FLUX_JOB_ID"},
     .pmi = true},
    {.name = "PALS", /* of HPE Cray; with PMIx it does not give the number of ranks */
     .rank = "PALS_RANKID",
     .size = "PMI_SIZE",
     .local_rank = {"PALS_LOCAL_RANKID", "PMI_LOCAL_RANK"},
     .local_size = {"PALS_LOCAL_SIZE", "PMI_LOCAL_SIZE"},
     .job = {"PALS_APID"},
     .step = true},
    {.name = "jsrun",
     .rank = "JSM_NAMESPACE_RANK",
     .size = "JSM_NAMESPACE_SIZE",
     .local_rank = {"JSM_NAMESPACE_LOCAL_RANK"},
     .local_size = {"JSM_NAMESPACE_LOCAL_SIZE"},
     .job = {"PMIX_NAMESPACE"}},
    {.name = "PMIx", /* srun --mpi=pmix, prun */
     .rank = "PMIX_RANK",
     .job = {"PMIX_NAMESPACE"},
     .step = true},
    {.name = "PMI", /* srun --mpi=pmi2 */
     .rank = "PMI_RANK",
     .size = "PMI_SIZE",
     .local_rank = {"PMI_LOCAL_RANK"},
     .local_size = {"PMI_LOCAL_SIZE"},
     .job = {"PMI_JOBID"},
     .pmi = true,
     .step = true},
    {.name = "srun", /* --mpi=none */
     .rank = "SLURM_PROCID",
     .job = {"SLURM_JOB_ID", "SLURM_STEP_ID"},
     .step = true,
     .team = true},
};

/* -1: not a whole number from 'least' to INT_MAX. */
static int number_of(const char *name, int least)
{
    const char *value = name ? getenv(name) : NULL;
    const size_t bytes = value ? strspn(value, "0123456789") : 0;

    if (bytes == 0 || bytes > 10 || value[bytes])
        return -1;
    const long long number = strtoll(value, NULL, 10);
    return number >= least && number <= INT_MAX ? (int)number : -1;
}

static int first_number(const char *const name[2], int least)
{
    const int first = number_of(name[0], least);

    return first >= 0 ? first : number_of(name[1], least);
}

/* The ranks of this node, from Slurm's list of ranks by node, "2(x3),1"; 0: not known.
 */
static int step_local_size(void)
{
    const char *list = getenv("SLURM_STEP_TASKS_PER_NODE");
    long node = number_of("SLURM_NODEID", 0);

    while (list && node >= 0 && isdigit((unsigned char)*list)) {
        char *end;
        const long ranks = strtol(list, &end, 10);
        const bool more = strncmp(end, "(x", 2) == 0;
        const long nodes = more ? strtol(end + 2, &end, 10) : 1;
        if (more && *end++ != ')')
            return 0;
        if (node < nodes)
            return ranks <= INT_MAX ? (int)ranks : 0;
        node -= nodes;
        list = *end == ',' ? end + 1 : NULL;
    }
    return 0;
}

static bool fits(const struct launcher *l, struct rc_launch *out)
{
    const int rank = number_of(l->rank, 0);
    const bool step = l->step && getenv("SLURM_STEP_ID") && rank >= 0 &&
                      number_of("SLURM_PROCID", 0) == rank;
    int size = number_of(l->size, 1), local = first_number(l->local_rank, 0),
        locals = first_number(l->local_size, 1);

    if (step) {
        size = size > 0 ? size : number_of("SLURM_STEP_NUM_TASKS", 1);
        local = local >= 0 ? local : number_of("SLURM_LOCALID", 0);
        locals = locals > 0 ? locals : step_local_size();
    }
    if (rank < 0 || (size > 0 && rank >= size) || (l->team && size < 2) ||
        (l->needs && !getenv(l->needs)))
        return false;
    if (locals < 0 || (size > 0 && locals > size))
        locals = 0;
    *out = (struct rc_launch){.launcher = l->name,
                              .rank = rank,
                              .size = size > 0 ? size : 0,
                              .local_rank = locals && local >= locals ? -1 : local,
                              .local_size = locals,
                              .kills = l->kills,
                              .copies = l->copies};
    return true;
}

/* The process that made PMI's socket; 0: it is not open here. */
static pid_t pmi_server(void)
{
    struct ucred who = {.pid = 0};
    socklen_t bytes = sizeof who;
    const int fd = number_of("PMI_FD", 0);

    return fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0
               ? who.pid
               : 0;
}

/* Launchers may be nested, and programs inherit the variables of all of them, but only
 * the socket of the innermost: so sockets are checked first.
 */
static const struct launcher *find_launcher(struct rc_launch *out)
{
    for (int all = pmi_server() == 0; all < 2; all++)
        for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
            if ((all || launchers[i].pmi) && fits(&launchers[i], out))
                return &launchers[i];
    *out = (struct rc_launch){.local_rank = -1};
    return NULL;
}

bool rc_launch_find(struct rc_launch *out)
{
    return find_launcher(out) != NULL;
}

bool rc_launched(void)
{
    struct rc_launch l;

    return rc_launch_find(&l);
}

int rc_launch_rank(void)
{
    struct rc_launch l;

    rc_launch_find(&l);
    return l.rank;
}

bool rc_launch_speaks(void)
{
    struct rc_launch l;

    rc_launch_find(&l);
    return l.local_rank <= 0;
}

int rc_launch_size(void)
{
    struct rc_launch l;

    rc_launch_find(&l);
    return l.size;
}

/* Reads /proc/PID/NAME, or its first bytes; "" if it cannot be read. */
static size_t read_process(pid_t pid, const char *name, char *out, size_t room)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = fd >= 0 ? read(fd, out, room - 1) : 0;
    if (fd >= 0)
        close(fd);
    out[bytes > 0 ? bytes : 0] = 0;
    return bytes > 0 ? (size_t)bytes : 0;
}

/* "HOST:PORT" of Hydra's mpiexec, from the command line of its process on each node. */
static bool put_control_port(pid_t pid, char *out, size_t room)
{
    static const char option[] = "--control-port";
    char text[4096];
    const size_t bytes = read_process(pid, "cmdline", text, sizeof text);

    for (const char *at = text; at < text + bytes; at += strlen(at) + 1)
        if (strcmp(at, option) == 0) {
            snprintf(out, room, "%s", at + sizeof option);
            return at + sizeof option < text + bytes;
        }
    return false;
}

/* "PID TICKS": a process, and its start time. */
static void put_process(pid_t pid, char *out, size_t room)
{
    enum { BEGAN = 20 }; /* place in /proc/PID/stat, from the program's name on */
    char text[1024];

    read_process(pid, "stat", text, sizeof text);
    const char *at = strrchr(text, ')');
    for (int i = 0; at && i < BEGAN; i++)
        at = strchr(at + 1, ' ');
    snprintf(out, room, "%ld %.*s", (long)pid, at ? (int)strcspn(at + 1, " ") : 0,
             at ? at + 1 : "");
}

bool rc_launch_job(char *out, size_t room)
{
    struct rc_launch found;
    const struct launcher *l = find_launcher(&found);
    const pid_t pid = l && l->pmi ? pmi_server() : 0;
    const char *job = l ? getenv(l->job[0]) : NULL;
    const char *more = l && l->job[1] ? getenv(l->job[1]) : "";

    if (job && more && !(pid && found.size && found.local_size == found.size))
        snprintf(out, room, "%s%s%s", job, *more ? " " : "", more);
    else if (pid &&
             (found.local_size == found.size || !put_control_port(pid, out, room)))
        put_process(pid, out, room);
    else
        return pid != 0;
    return true;
}

void rc_launch_settings(void)
{
    setenv("OMPI_MCA_osc", "^ucx", 0);
}
