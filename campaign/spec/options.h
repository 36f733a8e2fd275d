/* options.h - options that several commands share, and words that they take */
#ifndef RC_CAMPAIGN_SPEC_OPTIONS_H
#define RC_CAMPAIGN_SPEC_OPTIONS_H

#include "campaign/cli/args.h"

/* Options that several commands share. */
extern const struct rc_option rc_option_campaign;  /* -c FILE */
extern const struct rc_option rc_option_directory; /* -o DIR */
extern const struct rc_option rc_option_format;    /* --format F */
extern const struct rc_option rc_option_source;
extern const struct rc_option rc_option_suite;
extern const struct rc_option rc_option_axis;         /* --axis NAME=LIST */
extern const struct rc_option rc_option_kernel;       /* --kernel FILE */
extern const struct rc_option rc_option_result_suite; /* --suite for results */
extern const struct rc_option rc_option_result_kind;
extern const struct rc_option rc_option_result_file; /* -o FILE */
extern const struct rc_option rc_option_name;
extern const struct rc_option rc_option_events;
extern const struct rc_option rc_option_scope;
extern const struct rc_option rc_option_qualifiers;
extern const struct rc_option rc_option_presets;
extern const struct rc_option rc_option_repeat;
extern const struct rc_option rc_option_seed;
extern const struct rc_option rc_option_replicate;
extern const struct rc_option rc_option_smt; /* takes no argument */
extern const struct rc_option rc_option_sync;
extern const struct rc_option rc_option_quiet;   /* -q; main() handles both */
extern const struct rc_option rc_option_verbose; /* -v */

/* For options that name suites: rc_option.hint. */
const char *rc_suite_hint(size_t i);

extern const char *const rc_qualifiers_names[];
extern const char *const rc_replicate_names[];

#endif
