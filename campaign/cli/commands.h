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
extern const struct rc_command rc_command_report;
extern const struct rc_command rc_command_export;
extern const struct rc_command rc_command_import;
extern const struct rc_command rc_command_compare;
extern const struct rc_command rc_command_merge;
extern const struct rc_command rc_command_submit;
extern const struct rc_command rc_command_verify;
extern const struct rc_command rc_command_help;
extern const struct rc_command rc_command_version;

/* Options that several commands share. */
extern const struct rc_option rc_option_campaign;  /* -c FILE */
extern const struct rc_option rc_option_directory; /* -o DIR */
extern const struct rc_option rc_option_format;    /* --format F */
extern const struct rc_option rc_option_source;
extern const struct rc_option rc_option_suite;
extern const struct rc_option rc_option_events;
extern const struct rc_option rc_option_scope;
extern const struct rc_option rc_option_qualifiers;
extern const struct rc_option rc_option_presets;
extern const struct rc_option rc_option_repeat;
extern const struct rc_option rc_option_seed;
extern const struct rc_option rc_option_replicate;
extern const struct rc_option rc_option_smt; /* takes no argument */
extern const struct rc_option rc_option_sync;

/* Fills 'err' with the line for a command that does not exist; RC_EUSAGE. */
int rc_command_unknown(const char *word, struct rc_error *err);

#endif
