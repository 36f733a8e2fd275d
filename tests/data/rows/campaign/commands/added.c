/* The added command: prints a line. */
#include "campaign/cli/commands.h"
#include "campaign/spec/options.h"

#include <stdio.h>

static RC_OPTIONS(options, &rc_option_quiet);

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    (void)session, (void)args, (void)err;
    puts("the command 'added' ran");
    return RC_OK;
}

const struct rc_command rc_command_added = {
    .name = "added",
    .summary = "prints a line",
    .operands = "",
    .options = options,
    .mpi = RC_MPI_NONE,
    .run = run,
};
