/* The table of all commands. */
#include "campaign/cli/commands.h"

#include "campaign/base/version.h"

static const struct rc_command *const commands[] = {
    &rc_command_doctor,
    &rc_command_events,
    &rc_command_kernels,
    &rc_command_plan,
    &rc_command_run,
    &rc_command_status,
    &rc_command_pack,
    &rc_command_solve,
    &rc_command_show,
    &rc_command_report,
    &rc_command_noise,
    &rc_command_export,
    &rc_command_import,
    &rc_command_compare,
    &rc_command_merge,
    &rc_command_submit,
    &rc_command_verify,
    &rc_command_profile,
    &rc_command_count,
    &rc_command_hierarchy,
    &rc_command_model,
    &rc_command_help,
    NULL,
};

const struct rc_command *const *rc_commands(void)
{
    return commands;
}
