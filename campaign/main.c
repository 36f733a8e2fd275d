/* Starts the command that the command line names, and ends with its exit status. */
#include "campaign/base/agree.h"
#include "campaign/base/limits.h"
#include "campaign/cli/args.h"
#include "campaign/cli/become.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/launch.h"
#include "campaign/cli/mpi.h"
#include "campaign/cli/tell.h"
#include "campaign/machine/crowd.h"
#include "campaign/spec/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { EXIT_DIFFERS = 1, EXIT_INCOMPLETE = 3 };

/* A command whose answer is an exit status has one of its own for trouble, always or
 * with some options.
 */
static int exit_status_of(const struct rc_command *command,
                          const struct rc_session *session, int status)
{
    const int trouble = session->trouble ? session->trouble
                        : command        ? command->trouble
                                         : 0;

    return status != RC_OK && trouble ? trouble : rc_exit_status(status);
}

static const struct rc_command *command_of(const char *word, struct rc_error *err)
{
    const struct rc_command *command;

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return &rc_command_help;
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return &rc_command_version;
    command = rc_command_find(rc_commands(), word);
    if (!command)
        rc_command_unknown(rc_commands(), word, err);
    return command;
}

/* Checks that all output has been written: a full disk is a failure. */
static int flush_output(int status, struct rc_error *err)
{
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout);

    if (!failed || status != RC_OK)
        return status;
    return errno ? rc_fail_errno(err, "cannot write the standard output")
                 : rc_fail(err, RC_EIO, "cannot write the standard output");
}

static int run_on_team(const struct rc_command *command, const struct rc_args *args,
                       struct rc_session *session, struct rc_error *err)
{
    struct rc_crowd crowd;
    int status = RC_OK;

    if (!command->any_ranks)
        return flush_output(command->run(session, args, err), err);
    rc_crowd_begin(session->comm, &crowd);
    session->comm = crowd.working;
    if (crowd.works)
        status = flush_output(command->run(session, args, err), err);
    session->comm = crowd.all;
    status = rc_crowd_end(&crowd, status, err);
    rc_broadcast(session->comm, 0, &session->incomplete, sizeof session->incomplete);
    return status;
}

/* Ranks agree on wrong usage, too: if one just left, the launcher would kill the one
 * that is about to say why.  Ranks that the launcher of another MPI started do not form
 * a team: the launcher's first rank says so.
 */
static int run_with_mpi(const struct rc_command *command, const struct rc_args *args,
                        struct rc_session *session, int status, struct rc_error *err)
{
    struct rc_launch launch;

    rc_launch_find(&launch);
    rc_launch_settings();
    MPI_Init(NULL, NULL);
    session->comm = MPI_COMM_WORLD;
    const bool alone = rc_mpi_check_launch(&launch, err) != RC_OK;
    status = rc_agree(session->comm, alone ? RC_EUSAGE : status, err);
    if (status == RC_OK)
        status = run_on_team(command, args, session, err);
    status = rc_agree(session->comm, status, err);
    if (status != RC_OK && rc_team_rank(session->comm) == 0 &&
        !(alone && launch.rank > 0))
        rc_tell_failure(command ? command->name : NULL, err,
                        rc_team_size(session->comm));
    if (alone && launch.rank > 0)
        sleep(2); /* Open MPI's mpirun kills the others as one ends: the first speaks */
    if (status == RC_EBROKEN) { /* MPI_Finalize() would let HDF5 close its files */
        MPI_Barrier(session->comm);
        MPI_Abort(session->comm, exit_status_of(command, session, status));
    }
    MPI_Finalize();
    return status;
}

/* Runs a command without MPI: the first rank of a launcher answers for all, unless each
 * rank has a task.
 */
static int run_alone(const struct rc_command *command, const struct rc_args *args,
                     struct rc_session *session, int status, struct rc_error *err)
{
    const bool each = command && command->mpi == RC_MPI_NONE_EACH;

    if (status == RC_OK && (each || rc_launch_rank() == 0))
        status = flush_output(command->run(session, args, err), err);
    if (status != RC_OK)
        rc_tell_failure(command ? command->name : NULL, err, 1);
    return status;
}

static bool wants_mpi(const struct rc_command *command,
                      const struct rc_session *session, int status)
{
    if (status != RC_OK)
        return session->launched && !(command && command->mpi == RC_MPI_NONE_EACH);
    return command->mpi == RC_MPI_ALWAYS ||
           (command->mpi == RC_MPI_LAUNCHED && session->launched);
}

int main(int argc, char **argv)
{
    prctl(PR_SET_NAME, "rollcall"); /* users look for this name, not rollcall-main */
    rc_become_forget();
    rc_tell_open_streams();

    /* Asked before MPI starts: Open MPI sets the same variables for itself. */
    struct rc_session session = {
        .commands = rc_commands(), .comm = MPI_COMM_NULL, .launched = rc_launched()};
    struct rc_error err = {.rank = -1};
    struct rc_args args = {0};
    const struct rc_command *command =
        argc < 2 ? &rc_command_help : command_of(argv[1], &err);
    int skip = argc < 2 ? 0 : 1, status = command ? rc_limits_raise(&err) : RC_EUSAGE;

    if (status == RC_EIO && command->few_files)
        status = RC_OK;
    if (status == RC_OK)
        status = rc_args_parse(command, argc - skip, argv + skip, &args, &err);
    if (status == RC_OK && args.wants_help)
        command = &rc_command_help;
    if (rc_args_has(&args, &rc_option_verbose))
        rc_tell_set_level(RC_TELL_VERBOSE);
    if (rc_args_has(&args, &rc_option_quiet))
        rc_tell_set_level(RC_TELL_QUIET);
    status = wants_mpi(command, &session, status)
                 ? run_with_mpi(command, &args, &session, status, &err)
                 : run_alone(command, &args, &session, status, &err);
    rc_args_fini(&args);
    /* After these failures exit() is avoided: OpenBLAS would wait there for threads
     * that have no memory, and HDF5 would try again to write what it could not write,
     * and crash.
     */
    if (status == RC_ENOMEM || status == RC_EIO || status == RC_EBROKEN)
        _exit(exit_status_of(command, &session, status));
    if (status != RC_OK)
        return exit_status_of(command, &session, status);
    if (session.exits)
        return session.exits;
    if (session.differs)
        return EXIT_DIFFERS;
    if (session.incomplete)
        return EXIT_INCOMPLETE;
    return exit_status_of(command, &session, status);
}
