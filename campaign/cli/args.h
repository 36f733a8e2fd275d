/* args.h - tables of commands and options, and reading a command line by them */
#ifndef RC_CAMPAIGN_CLI_ARGS_H
#define RC_CAMPAIGN_CLI_ARGS_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* One option of a command. */
struct rc_option {
    const char *name;              /* "source": given as --source */
    char letter;                   /* 'o': given as -o, or 0 */
    const char *argument;          /* "DIR"; NULL: it has none */
    const char *summary;           /* one line for help */
    const char *const *words;      /* the only valid arguments, or NULL */
    const char *(*hint)(size_t i); /* for completion: argument i; NULL: no more */
    bool repeats; /* may be given more than once; otherwise the last counts */
};

/* Defines an option by its name, its argument (NULL: none) and its summary; other
 * members may follow: RC_OPTION(option_tries, "tries", "N", "...", .repeats = true).
 */
#define RC_OPTION(symbol, of_name, takes, ...)                                         \
    const struct rc_option symbol = {                                                  \
        .name = (of_name), .argument = (takes), .summary = __VA_ARGS__}

/* Defines a list of options, ended by NULL: static RC_OPTIONS(options, &a, &b); */
#define RC_OPTIONS(symbol, ...)                                                        \
    const struct rc_option *const symbol[] = {__VA_ARGS__, NULL}

struct rc_args;    /* a command line that was read: below */
struct rc_command; /* a row of the table of commands: below */

/* The team a command runs in. */
struct rc_session {
    const struct rc_command *const *commands; /* all of the program, ended by NULL */
    MPI_Comm comm;                            /* MPI_COMM_NULL: this process is alone */
    bool launched;                            /* started by mpirun, srun or the like */
    bool incomplete; /* set by a command that is done, but incomplete */
    bool differs;    /* set by a command that compared, and found differences */
    int trouble; /* set by a command that compares: as rc_command.trouble, this time */
    int exits;   /* set by a command that ran a program: its exit status */
};

/* Whether a command runs on all ranks. */
enum rc_mpi_use {
    RC_MPI_NONE,      /* never starts MPI; only the first rank of a team runs it */
    RC_MPI_NONE_EACH, /* never starts MPI, and every rank runs it */
    RC_MPI_LAUNCHED,  /* starts MPI if it was started by mpirun, srun or the like */
    RC_MPI_ALWAYS,    /* always starts MPI, alone as a team of one */
};

/* Files of a campaign's directory, and variables of the environment, that a command
 * uses: for its man page.
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
    RC_FILE_MODEL = 256, /* DIR/model.h5 */

    RC_VARIABLE_TERMINAL = 1, /* width of lines, and whether there are colours */
    RC_VARIABLE_DATA = 2,     /* place of machines, bases and metrics */
    RC_VARIABLE_JOB = 4,      /* the batch system's name of the job */
    RC_VARIABLE_RANKS = 8     /* whether ranks without a CPU of their own work */
};

/* A command of the program: a row of the table in commands.c. help.txt describes it. */
struct rc_command {
    const char *name;                /* "run": given as the program's first word */
    const struct rc_command *behind; /* command whose options follow "--"; or NULL */
    const char *summary;             /* one line for lists */
    const char *operands;            /* "[PATTERN]...", or "" */
    size_t operands_most;            /* SIZE_MAX: any number */
    const struct rc_option *const *options; /* ended by NULL */
    enum rc_mpi_use mpi;
    bool any_ranks;    /* ranks without a CPU of their own do not run it */
    bool few_files;    /* fails by itself if few files may be open */
    int trouble;       /* exit status of any failure; 0: 2 for wrong usage, else 1 */
    const char *exits; /* its exit statuses; NULL: as for the others */
    unsigned files, variables; /* sums of RC_FILE_ and RC_VARIABLE_ */
    const char *const *see;    /* commands to read about next, ended by NULL; or NULL */

    /* Called on every rank; a failure is agreed on: every rank returns it. */
    int (*run)(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err);
};

/* The command of that name in a list, or NULL. */
const struct rc_command *rc_command_find(const struct rc_command *const *commands,
                                         const char *name);

/* Fills 'err' with the line for a command that is not in the list; RC_EUSAGE. */
int rc_command_unknown(const struct rc_command *const *commands, const char *word,
                       struct rc_error *err);

/* One option that was given. */
struct rc_arg {
    const struct rc_option *option;
    const char *value; /* NULL for an option without an argument */
};

/* A command line that was read. */
struct rc_args {
    const struct rc_command *command;
    struct rc_arg *given; /* in the order of the command line */
    size_t given_count;
    const char *const *operands; /* words that are not options or their arguments */
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

/* The last value of an option; NULL: not given. */
const char *rc_args_value(const struct rc_args *args, const struct rc_option *option);
bool rc_args_has(const struct rc_args *args, const struct rc_option *option);

/* All values of an option, in their order; with 'lists' each is a list of names with
 * commas.  RC_EUSAGE if a name is empty. rc_arg_words_fini() in any case.
 */
struct rc_arg_words {
    const char **word; /* ended by NULL */
    size_t count;
    char *text; /* storage of the words */
};
int rc_args_words(const struct rc_args *args, const struct rc_option *option,
                  bool lists, struct rc_arg_words *out, struct rc_error *err);
void rc_arg_words_fini(struct rc_arg_words *words); /* accepts zeroed ones */

/* Sets chosen[i] for each of 'names' (ended by NULL) that an option lists, with commas;
 * leaves the others.  RC_EUSAGE: another word; 'expected' says which are valid.
 */
int rc_args_choose(const struct rc_args *args, const struct rc_option *option,
                   const char *const *names, const char *expected, bool *chosen,
                   struct rc_error *err);

#endif
