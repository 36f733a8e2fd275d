/* commands.h - the commands and options of the program, by name */
#ifndef RC_CAMPAIGN_CLI_COMMANDS_H
#define RC_CAMPAIGN_CLI_COMMANDS_H

#include "campaign/cli/args.h"

extern const struct rc_command rc_command_doctor;
extern const struct rc_command rc_command_events;
extern const struct rc_command rc_command_kernels;
extern const struct rc_command rc_command_plan;
extern const struct rc_command rc_command_run;
extern const struct rc_command rc_command_status;
extern const struct rc_command rc_command_pack;
extern const struct rc_command rc_command_solve;
extern const struct rc_command rc_command_show;
extern const struct rc_command rc_command_report;
extern const struct rc_command rc_command_noise;
extern const struct rc_command rc_command_profile;
extern const struct rc_command rc_command_count;
extern const struct rc_command rc_command_hierarchy;
extern const struct rc_command rc_command_model;
extern const struct rc_command rc_command_export;
extern const struct rc_command rc_command_import;
extern const struct rc_command rc_command_compare;
extern const struct rc_command rc_command_merge;
extern const struct rc_command rc_command_submit;
extern const struct rc_command rc_command_verify;
extern const struct rc_command rc_command_help;
extern const struct rc_command rc_command_version;

/* All commands, ended by NULL. */
const struct rc_command *const *rc_commands(void);

#endif
