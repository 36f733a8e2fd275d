/* Which launcher started a process, as which rank: by environments that were recorded,
 * tests/data/launchers, and by wrong ones.
 */
#include "tests/lib/test.h"

#include "campaign/cli/launch.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char behind[] = "the process behind PMI_FD";

/* "PID TICKS" of this process, as of the one that made the socket PMI_FD. */
static bool is_own(const char *job)
{
    char own[32];

    snprintf(own, sizeof own, "%ld ", (long)getpid());
    return strncmp(job, own, strlen(own)) == 0 && strtoull(job + strlen(own), NULL, 10);
}

static void put_number(char *out, int value)
{
    if (value < 0)
        snprintf(out, 16, "?");
    else
        snprintf(out, 16, "%d", value);
}

/* "Hydra: rank 1 of 2, 1 of 2 on the node, job 'J'", or "none". */
static void say(char *out, size_t room)
{
    struct rc_launch l;
    char size[16], local[16], locals[16], job[256] = "";

    if (!rc_launch_find(&l)) {
        snprintf(out, room, "none");
        return;
    }
    put_number(size, l.size ? l.size : -1);
    put_number(local, l.local_rank);
    put_number(locals, l.local_size ? l.local_size : -1);
    const bool named = rc_launch_job(job, sizeof job);
    snprintf(out, room, "%s: rank %d of %s, %s of %s on the node%s%s%s", l.launcher,
             l.rank, size, local, locals, named ? ", job '" : "",
             named && is_own(job) ? behind : job, named ? "'" : "");
}

/* "NAME=VALUE" */
static void set(char *variable)
{
    char *value = strchr(variable, '=');

    assert_non_null(value);
    *value = 0;
    assert_int_equal(setenv(variable, value + 1, 1), 0);
}

static void expect(const char *what, const char *expected)
{
    char found[512];

    say(found, sizeof found);
    if (strcmp(found, expected) != 0)
        fail_msg("%s: found '%s', expected '%s'", what, found, expected);
}

/* Comments, "= WHAT IS EXPECTED", and the environment.  Where the job is known by the
 * process at the other end of PMI_FD, the socket is this process's.
 */
static void try_file(const char *path)
{
    char line[512], expected[512] = "";
    int ends[2] = {-1, -1};
    FILE *in = fopen(path, "r");

    assert_non_null(in);
    clearenv();
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '=')
            snprintf(expected, sizeof expected, "%s", line + 2);
        else if (line[0] != '#')
            set(line);
    }
    fclose(in);
    if (strstr(expected, behind)) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        snprintf(line, sizeof line, "%d", ends[0]);
        setenv("PMI_FD", line, 1);
    } else if (getenv("PMI_FD")) {
        setenv("PMI_FD", "1000", 1); /* what was recorded may be open here */
    }
    expect(path, expected);
    for (size_t i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

static void each_launcher_is_known_by_its_environment(void **state)
{
    glob_t files;

    (void)state;
    assert_int_equal(glob(RC_TEST_DATA "/launchers/*", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        try_file(files.gl_pathv[i]);
    globfree(&files);
}

/* Environments, their variables separated by blanks. */
static const struct {
    const char *environment, *expected;
} wrong[] = {
    {"", "none"},
    /* a number that is none, or none that can be */
    {"PMI_RANK=abc PMI_SIZE=2", "none"},
    {"PMI_RANK= PMI_SIZE=2", "none"},
    {"PMI_RANK=-1 PMI_SIZE=2", "none"},
    {"PMI_RANK=1x PMI_SIZE=2", "none"},
    {"PMI_RANK=99999999999 PMI_SIZE=2", "none"},
    {"PMI_RANK=2 PMI_SIZE=2", "none"},
    {"OMPI_COMM_WORLD_RANK=4 OMPI_COMM_WORLD_SIZE=2", "none"},
    {"PMI_RANK=1 PMI_SIZE=many", "PMI: rank 1 of ?, ? of ? on the node"},
    {"PMI_RANK=1 PMI_SIZE=0", "PMI: rank 1 of ?, ? of ? on the node"},
    {"PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=7 MPI_LOCALNRANKS=2",
     "Hydra: rank 1 of 2, ? of 2 on the node"},
    {"PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=64",
     "Hydra: rank 1 of 2, 1 of ? on the node"},
    /* half of the variables */
    {"PMI_SIZE=2", "none"},
    {"MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", "none"},
    {"OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=1", "none"},
    {"OMPI_COMM_WORLD_RANK=1", "Open MPI: rank 1 of ?, ? of ? on the node"},
    {"PALS_RANKID=1 PALS_APID=x", "PALS: rank 1 of ?, ? of ? on the node, job 'x'"},
    {"PMIX_RANK=0 PMIX_NAMESPACE=x", "PMIx: rank 0 of ?, ? of ? on the node, job 'x'"},
    /* a broken launcher hides none that is whole */
    {"OMPI_COMM_WORLD_RANK=9 OMPI_COMM_WORLD_SIZE=1 PMI_RANK=1 PMI_SIZE=2",
     "PMI: rank 1 of 2, ? of ? on the node"},
    /* a shell in a step of Slurm is not a team; a step of others is not this one */
    {"SLURM_PROCID=0 SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1", "none"},
    {"SLURM_PROCID=0 SLURM_JOB_ID=7 SLURM_STEP_ID=0", "none"},
    {"SLURM_PROCID=3 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2", "none"},
    {"PMIX_RANK=2 PMIX_NAMESPACE=x SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_LOCALID=0 "
     "SLURM_STEP_NUM_TASKS=2",
     "PMIx: rank 2 of ?, ? of ? on the node, job 'x'"},
    /* Slurm's list of nodes, and what is none */
    {"SLURM_PROCID=5 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=7 SLURM_LOCALID=1 "
     "SLURM_NODEID=2 SLURM_STEP_TASKS_PER_NODE=2(x3),1",
     "srun: rank 5 of 7, 1 of 2 on the node"},
    {"SLURM_PROCID=6 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=7 SLURM_LOCALID=0 "
     "SLURM_NODEID=3 SLURM_STEP_TASKS_PER_NODE=2(x3),1",
     "srun: rank 6 of 7, 0 of 1 on the node"},
    {"SLURM_PROCID=6 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=7 SLURM_LOCALID=0 "
     "SLURM_NODEID=4 SLURM_STEP_TASKS_PER_NODE=2(x3),1",
     "srun: rank 6 of 7, 0 of ? on the node"},
    {"SLURM_PROCID=6 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=7 SLURM_LOCALID=0 "
     "SLURM_NODEID=1 SLURM_STEP_TASKS_PER_NODE=2(x,?",
     "srun: rank 6 of 7, 0 of ? on the node"},
};

static void wrong_environments_are_no_launchers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[512];
        clearenv();
        snprintf(text, sizeof text, "%s", wrong[i].environment);
        for (char *save, *at = strtok_r(text, " ", &save); at;
             at = strtok_r(NULL, " ", &save))
            set(at);
        expect(wrong[i].environment, wrong[i].expected);
    }
}

/* PMI_FD that is not a number, not open, and a file instead of a socket. */
static void a_socket_that_is_none_names_no_job(void **state)
{
    static const char *const fd[] = {"x", "1000", "-1"};
    char text[16];
    int ends[2];

    (void)state;
    clearenv();
    setenv("PMI_RANK", "0", 1);
    setenv("PMI_SIZE", "1", 1);
    for (size_t i = 0; i < sizeof fd / sizeof fd[0]; i++) {
        setenv("PMI_FD", fd[i], 1);
        expect(fd[i], "PMI: rank 0 of 1, ? of ? on the node");
    }
    assert_int_equal(pipe(ends), 0);
    snprintf(text, sizeof text, "%d", ends[0]);
    setenv("PMI_FD", text, 1);
    expect("a pipe", "PMI: rank 0 of 1, ? of ? on the node");
    close(ends[0]);
    close(ends[1]);
}

/* Ranks of several nodes have no process in common: this one's command line does not
 * name Hydra's mpiexec, so that those of a node are together, and no others.
 */
static void ranks_of_several_nodes_are_together_by_node(void **state)
{
    char text[16], job[256];
    int ends[2];

    (void)state;
    clearenv();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    snprintf(text, sizeof text, "%d", ends[0]);
    setenv("PMI_FD", text, 1);
    setenv("PMI_RANK", "3", 1);
    setenv("PMI_SIZE", "4", 1);
    setenv("MPI_LOCALRANKID", "1", 1);
    setenv("MPI_LOCALNRANKS", "2", 1);
    assert_true(rc_launch_job(job, sizeof job) && is_own(job));
    setenv("SLURM_JOB_ID", "12", 1);
    setenv("SLURM_STEP_ID", "3", 1);
    assert_true(rc_launch_job(job, sizeof job));
    assert_string_equal(job, "12 3");
    setenv("MPI_LOCALNRANKS", "4", 1);
    assert_true(rc_launch_job(job, sizeof job) && is_own(job));
    close(ends[0]);
    close(ends[1]);
}

static void the_first_of_a_node_speaks(void **state)
{
    (void)state;
    clearenv();
    assert_false(rc_launched());
    assert_int_equal(rc_launch_rank(), 0);
    assert_int_equal(rc_launch_size(), 0);
    assert_true(rc_launch_speaks());
    setenv("PMI_RANK", "3", 1);
    setenv("PMI_SIZE", "4", 1);
    assert_true(rc_launched() && rc_launch_speaks());
    assert_int_equal(rc_launch_rank(), 3);
    assert_int_equal(rc_launch_size(), 4);
    setenv("MPI_LOCALRANKID", "0", 1);
    assert_true(rc_launch_speaks());
    setenv("MPI_LOCALRANKID", "1", 1);
    assert_false(rc_launch_speaks());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_launcher_is_known_by_its_environment),
        cmocka_unit_test(wrong_environments_are_no_launchers),
        cmocka_unit_test(a_socket_that_is_none_names_no_job),
        cmocka_unit_test(ranks_of_several_nodes_are_together_by_node),
        cmocka_unit_test(the_first_of_a_node_speaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
