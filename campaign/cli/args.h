/* args.h - commands and options as tables, and reading a command line by them */
#ifndef RC_CAMPAIGN_CLI_ARGS_H
#define RC_CAMPAIGN_CLI_ARGS_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* One option of a command. */
struct rc_option {
    const char *name;         /* "source": given as --source */
    char letter;              /* 'o': given as -o, or 0 */
    const char *argument;     /* "DIR", or NULL: takes none */
    const char *summary;      /* one line for help */
    const char *const *words; /* the only arguments that are taken, or NULL */
    const char *(*hint)(
        size_t i); /* for completion: argument i of those that are well
                    * known, NULL behind the last; NULL: there are none */
    bool repeats;  /* may be given more than once; else the last counts */
};

/* Defines an option by its name, what it takes (NULL: nothing) and its summary; other
 * members may follow: RC_OPTION(option_tries, "tries", "N", "...", .repeats = true).
 */
#define RC_OPTION(symbol, of_name, takes, ...)                                         \
    const struct rc_option symbol = {                                                  \
        .name = (of_name), .argument = (takes), .summary = __VA_ARGS__}

/* Defines a list of options, ended by NULL: static RC_OPTIONS(options, &a, &b); */
#define RC_OPTIONS(symbol, ...)                                                        \
    const struct rc_option *const symbol[] = {__VA_ARGS__, NULL}

struct rc_args;    /* what was given on a command line: below */
struct rc_command; /* a row of the table of commands: below */

/* The team a command runs in. */
struct rc_session {
    const struct rc_command *const *commands; /* all of the program, ended by NULL */
    MPI_Comm comm;                            /* MPI_COMM_NULL: this process is alone */
    bool launched;                            /* mpirun, srun or the like started us */
    bool incomplete; /* set by a command that is done, but not with everything */
    bool differs;    /* set by a command that compared, and found differences */
    int trouble; /* set by a command that compares: as rc_command.trouble, this time */
    int exits;   /* set by a command that ran a program: what that ended with */
};

/* Whether a command is of all ranks. */
enum rc_mpi_use {
    RC_MPI_NONE,      /* never starts MPI; of a team only the first rank runs it */
    RC_MPI_NONE_EACH, /* never starts MPI, and every rank runs it */
    RC_MPI_LAUNCHED,  /* starts MPI where mpirun, srun or the like started us */
    RC_MPI_ALWAYS,    /* starts MPI in any case, as a team of one where we are alone */
};

/* Files of a campaign's directory, and variables of the environment, that a command
 * has to do with: for its man page.
 */
enum {
    RC_FILE_SPEC = 1,    /* DIR/campaign.yaml */
    RC_FILE_JOURNAL = 2, /* DIR/journal/ */
    RC_FILE_STORE = 4,   /* DIR/campaign.h5 */
    RC_FILE_METRICS = 8, /* DIR/metrics.h5 */
    RC_FILE_REPORT = 16, /* DIR/report.html */
    RC_FILE_LOG = 32,    /* DIR/log.txt */
    RC_FILE_JOBS = 64,   /* DIR/jobs/ */
    RC_FILE_NOISE = 128, /* DIR/noise.h5 */

    RC_VARIABLE_TERMINAL = 1, /* how wide a line is, and whether there are colours */
    RC_VARIABLE_DATA = 2,     /* where machines, bases and metrics are */
    RC_VARIABLE_JOB = 4,      /* what the batch system calls the job */
    RC_VARIABLE_RANKS = 8     /* whether ranks without a CPU of their own work */
};

/* A command of the program: a row of the table in commands.c.  What it does is said in
 * help.txt.
 */
struct rc_command {
    const char *name;                /* "run": given as the program's first word */
    const struct rc_command *behind; /* whose options stand behind "--"; or NULL */
    const char *summary;             /* one line for lists */
    const char *operands;            /* "[PATTERN]...", or "" */
    size_t operands_most;            /* SIZE_MAX: any number */
    const struct rc_option *const *options; /* ended by NULL */
    enum rc_mpi_use mpi;
    bool
        any_ranks; /* any number of ranks do: none that has no CPU of its own runs it */
    bool few_files; /* it says itself what it cannot do where few may be open at once */
    int trouble;    /* exit status of any failure; 0: 2 for wrong usage, else 1 */
    const char *exits; /* what its exit statuses mean; NULL: as those of the others */
    unsigned files, variables; /* RC_FILE_ and RC_VARIABLE_, added up */
    const char *const *see;    /* commands to read of next, ended by NULL; or NULL */

    /* Called on every rank; a failure is agreed on: every rank returns it. */
    int (*run)(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err);
};

/* The one of a list with that name, or NULL. */
const struct rc_command *rc_command_find(const struct rc_command *const *commands,
                                         const char *name);

/* Fills 'err' with the line for a command that is none of the list; RC_EUSAGE. */
int rc_command_unknown(const struct rc_command *const *commands, const char *word,
                       struct rc_error *err);

/* One option that was given. */
struct rc_arg {
    const struct rc_option *option;
    const char *value; /* NULL for an option that takes none */
};

/* A command line that was read. */
struct rc_args {
    const struct rc_command *command;
    struct rc_arg *given; /* in the order of the command line */
    size_t given_count;
    const char *const *operands; /* what is neither an option nor its argument */
    size_t operand_count;
    bool wants_help; /* -h or --help was among the options */
};

/* Reads argv (argv[0] is the command's name) by the command's table.  The
 * order of argv may change and must outlive the result.  RC_EUSAGE names the
 * option and, for an unknown one, the nearest.  rc_args_fini() after success.
 */
int rc_args_parse(const struct rc_command *command, int argc, char **argv,
                  struct rc_args *out, struct rc_error *err);
void rc_args_fini(struct rc_args *args);

/* The last value given for an option; NULL: not given. */
const char *rc_args_value(const struct rc_args *args, const struct rc_option *option);
bool rc_args_has(const struct rc_args *args, const struct rc_option *option);

/* All values given for an option, in their order; with 'lists' each is names with
 * commas between.  RC_EUSAGE where such a name is empty.  rc_arg_words_fini() in any
 * case.
 */
struct rc_arg_words {
    const char **word; /* ended by NULL */
    size_t count;
    char *text; /* what the words point into */
};
int rc_args_words(const struct rc_args *args, const struct rc_option *option,
                  bool lists, struct rc_arg_words *out, struct rc_error *err);
void rc_arg_words_fini(struct rc_arg_words *words); /* accepts zeroed ones */

/* Sets chosen[i] for each of 'names' (ended by NULL) that an option lists, with commas
 * between; leaves the others.  RC_EUSAGE: another word, where 'expected' says which are
 * names.
 */
int rc_args_choose(const struct rc_args *args, const struct rc_option *option,
                   const char *const *names, const char *expected, bool *chosen,
                   struct rc_error *err);

#endif
