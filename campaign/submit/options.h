/* options.h - options of 'submit', and what follows from them */
#ifndef RC_CAMPAIGN_SUBMIT_OPTIONS_H
#define RC_CAMPAIGN_SUBMIT_OPTIONS_H

#include "campaign/base/arena.h"
#include "campaign/base/files/file.h"
#include "campaign/cli/commands.h"
#include "campaign/spec/spec.h"
#include "jobs/template.h"

#include <limits.h>

/* Limits of options. */
enum {
    RC_SUBMIT_PARTS = 100,           /* --queue, each a part of the campaign */
    RC_SUBMIT_NODES = 1000000,       /* --nodes, of one job */
    RC_SUBMIT_RANKS = 100000,        /* --ranks-per-node */
    RC_SUBMIT_SHARES = 10000,        /* --array */
    RC_SUBMIT_TRIES = 1000,          /* --tries */
    RC_SUBMIT_SECONDS = 400 * 86400, /* --time, --warn */
    RC_SUBMIT_ROUNDS = 1000          /* --rounds of 'noise' */
};

/* A queue of the batch system, and the job that measures a part of the campaign there.
 * Texts are from the command line or the campaign file.
 */
struct rc_submit_part {
    const char *queue, *account;      /* NULL: not given */
    const char *source;               /* --set source=S; NULL: the campaign's */
    const char *nodes;                /* as typed: "4", or "2-4" */
    uint32_t nodes_least, nodes_most; /* the same as numbers */
    uint32_t ranks;                   /* on a node; 0: one for each core */
    uint64_t seconds;                 /* time limit; 0: the plan's estimate */
    const char **set;                 /* --set: "KEY=VALUE" */
    size_t set_count;                 /* of 'set' */
};

/* All that a submission needs. */
struct rc_submit_setting {
    const struct rc_scheduler *scheduler;
    struct rc_template template; /* the scheduler's own texts, or the site's */
    char dir[PATH_MAX];      /* -o: the campaign's directory; this and the next two */
    char cwd[PATH_MAX];      /* are absolute: the directory in which 'submit' runs, */
    char rollcall[PATH_MAX]; /* and the program */
    const char *after;       /* --after: a job's id, or NULL */
    struct rc_arg_words modules; /* --modules */
    uint32_t shares;             /* --array; 0: the campaign is not split */
    uint32_t tries;              /* --tries */
    uint64_t warn_seconds;       /* --warn; 0: derived from the time limit */
    struct rc_submit_part part[RC_SUBMIT_PARTS];
    size_t part_count;                /* at least 1 */
    bool dry;                         /* --dry-run */
    bool extend;                      /* 'run' gets --extend */
    const struct rc_command *command; /* submitted command: run, noise or profile */
    const char *const *word;          /* typed words for noise and profile, borrowed */
    size_t words;                     /* how many words */
    uint64_t noise_seconds;           /* how long noise measures */
    bool noise_alone;                 /* and as long again on each core */
    struct rc_args run_args;          /* the options of that command */
    struct rc_args file_args;         /* options under 'submit' in the campaign file */
    struct rc_args args;              /* typed options and the file's, joined */
    const char *base; /* campaign file of an earlier submission or run, or NULL */
    enum rc_file_place base_place; /* where that file is */
    struct rc_spec spec;           /* the campaign; empty for noise and profile */
    struct rc_arena arena;         /* of option lists and 'base' */
};

/* All options of the command, ended by NULL, and those that choose an action. */
extern const struct rc_option *const rc_submit_options[];
extern const struct rc_option rc_submit_status, rc_submit_cancel, rc_submit_watch,
    rc_submit_list, rc_submit_show;

/* Reads all options; RC_EUSAGE names the option.  Call rc_submit_setting_fini() in any
 * case.
 */
int rc_submit_setting_read(const struct rc_args *args, struct rc_submit_setting *out,
                           struct rc_error *err);
void rc_submit_setting_fini(struct rc_submit_setting *setting);

/* Makes the campaign of a part that has its own source; after success call
 * rc_spec_fini().
 */
int rc_submit_part_spec(const struct rc_submit_setting *setting,
                        const struct rc_submit_part *part, struct rc_spec *out,
                        struct rc_error *err);

/* Finds the scheduler that --scheduler names, or the one that is here, and reads its
 * template.
 */
int rc_submit_scheduler(const struct rc_args *args, struct rc_template *out,
                        struct rc_error *err);

/* Reads a scheduler's texts: those of 'file', else the site's
 * (ROLLCALL_DATA/jobs/NAME.template), else its own.
 */
int rc_submit_template(const struct rc_scheduler *scheduler, const char *file,
                       struct rc_template *out, struct rc_error *err);

/* Reads a time limit as people write it: 90m, 1h30m, 01:30:00, 2-00:00:00.  Returns 0,
 * or -1 if it is not a time limit.
 */
int rc_submit_read_time(const char *text, uint64_t *seconds);

#endif
