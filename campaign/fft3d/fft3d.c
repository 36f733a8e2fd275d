/* Starts the 3D-FFT whose work is known under the profile, and has a small one stepped.
 *
 * The program is one of its own, since FFTW, which it links, is under the GPL.  It
 * names its phases by MPI_Pcontrol(), so that a library that is preloaded finds them:
 * the profile's, or the one of the soft source that steps through them.
 */
#include "campaign/fft3d/fft3d.h"

#include "campaign/fft3d/expected.h"
#include "campaign/profile/launch/launch.h"
#include "campaign/profile/show/show.h"

#include "campaign/base/child.h"
#include "campaign/base/files/path.h"
#include "campaign/base/program.h"
#include "campaign/base/text.h"
#include "campaign/cli/launch.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/machine/machine.h"
#include "campaign/spec/options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "rollcall-fft3d"
#define LIBRARY "librollcall-soft.so"
#define DIRECTORY "fft3d-profile" /* where none is given */

enum {
    GRID_MOST = 65536,
    STEPPED_MOST = 64, /* a larger grid would take hours */
    RANKS_MOST = 4096,
    PATIENCE_S = 3600, /* of the job, and of stepping */
    WORDS_MOST = 512
};

RC_OPTION(rc_profile_option_size, "size", "N",
          "of the built-in fft3d: a grid of N x N x N", .letter = 'n');
RC_OPTION(rc_profile_option_ranks, "ranks", "R",
          "of the built-in fft3d: ranks of this machine, as many as cores by default");
RC_OPTION(
    rc_profile_option_stepped, "stepped", "N",
    "of the built-in fft3d: the grid that one rank is stepped through (20); 0: none");

/* The program that is to be started. */
struct plan {
    const struct rc_args *args;
    const char *dir, *size, *ranks, *stepped;
    char program[PATH_MAX];
    char self[PATH_MAX]; /* this program */
    char ranks_text[32];
};

/* Words of a command, ended by NULL. */
struct words {
    const char *word[WORDS_MOST + 1];
    size_t count;
};

static void add_word(struct words *words, const char *word)
{
    if (words->count < WORDS_MOST)
        words->word[words->count++] = word;
}

bool rc_profile_is_fft3d(const struct rc_args *args)
{
    return args->operand_count > 0 && strcmp(args->operands[0], "fft3d") == 0 &&
           rc_args_has(args, &rc_profile_option_size);
}

static int check_count(const char *option, const char *text, uint64_t least,
                       uint64_t most, struct rc_error *err)
{
    uint64_t value;

    if (rc_text_count(text, &value) == 0 && value >= least && value <= most)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE,
                   "--%s: found '%.200s', expected a whole number from %" PRIu64
                   " to %" PRIu64,
                   option, text, least, most);
}

/* The program beside this one, or on the PATH. */
static int find_program(struct plan *plan, struct rc_error *err)
{
    if (rc_program_self("", plan->self, sizeof plan->self, err) != RC_OK)
        return err->status;
    const char *slash = strrchr(plan->self, '/');
    if (slash &&
        rc_path(plan->program, sizeof plan->program, NULL, "%.*s/%s",
                (int)(slash - plan->self), plan->self, PROGRAM) == RC_OK &&
        access(plan->program, X_OK) == 0)
        return RC_OK;
    if (!rc_child_is_there(PROGRAM))
        return rc_fail(err, RC_EMISSING,
                       "there is no %s beside rollcall or on the PATH: it is built "
                       "where FFTW is found",
                       PROGRAM);
    snprintf(plan->program, sizeof plan->program, "%s", PROGRAM);
    return RC_OK;
}

static int read_plan(const struct rc_args *args, struct plan *out, struct rc_error *err)
{
    const char *dir = rc_args_value(args, &rc_option_directory),
               *ranks = rc_args_value(args, &rc_profile_option_ranks),
               *stepped = rc_args_value(args, &rc_profile_option_stepped);
    struct rc_machine *machine;
    int status;

    *out = (struct plan){.args = args,
                         .dir = dir ? dir : DIRECTORY,
                         .size = rc_args_value(args, &rc_profile_option_size),
                         .ranks = ranks,
                         .stepped = stepped ? stepped : "20"};
    if ((status = check_count("size", out->size, 1, GRID_MOST, err)) != RC_OK ||
        (status = check_count("stepped", out->stepped, 0, STEPPED_MOST, err)) !=
            RC_OK ||
        (ranks && (status = check_count("ranks", ranks, 1, RANKS_MOST, err)) != RC_OK))
        return status;
    if (!ranks) {
        if ((status = rc_machine_open(RC_MACHINE_THIS, NULL, &machine, err)) != RC_OK)
            return status;
        snprintf(out->ranks_text, sizeof out->ranks_text, "%zu",
                 rc_machine_unit_count(machine, RC_SCOPE_CORE));
        rc_machine_close(machine);
        out->ranks = out->ranks_text;
    }
    return find_program(out, err);
}

/* The program's own words: words typed after fft3d come last, and so decide. */
static void add_program(struct words *words, const struct plan *plan, const char *grid,
                        const char *json)
{
    const char *const fixed[] = {plan->program, "--grid", grid, "--path",
                                 "steps",       "--json", json};

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        add_word(words, fixed[i]);
    for (size_t i = 1; i < plan->args->operand_count; i++)
        add_word(words, plan->args->operands[i]);
}

/* Runs words; whatever it said goes to where we say ours. */
static int run_words(struct words *words, const char *what, struct rc_error *err)
{
    struct rc_child child;

    words->word[words->count] = NULL;
    int status =
        rc_child_run((char *const *)words->word, NULL, NULL, PATIENCE_S, &child, err);
    if (status != RC_OK)
        return status;
    if (child.exited)
        status = rc_child_failed(&child, what, err);
    else
        fputs(child.messages, stderr);
    rc_child_fini(&child);
    return status;
}

/* A job of this machine: MPI's launcher starts this program, which becomes another. */
static int run_job(const struct plan *plan, const char *json, struct rc_error *err)
{
    const char *const begin[] = {RC_MPIRUN, "-n", plan->ranks, plan->self,
                                 "profile", "-o", plan->dir};
    struct words words = {.count = 0};
    char option[WORDS_MOST][64];
    size_t used = 0;

    for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++)
        add_word(&words, begin[i]);
    for (size_t i = 0; i < plan->args->given_count && used < WORDS_MOST / 2; i++) {
        const struct rc_arg *given = &plan->args->given[i];
        if (given->option == &rc_profile_option_size ||
            given->option == &rc_profile_option_ranks ||
            given->option == &rc_profile_option_stepped ||
            given->option == &rc_option_directory)
            continue;
        snprintf(option[used], sizeof option[used], "--%s", given->option->name);
        add_word(&words, option[used++]);
        if (given->value)
            add_word(&words, given->value);
    }
    add_word(&words, "--");
    add_program(&words, plan, plan->size, json);
    return run_words(&words, PROGRAM, err);
}

/* One rank, stepped: no launcher, which would have the library, too. */
static int run_stepped(const struct plan *plan, struct rc_error *err)
{
    char library[PATH_MAX], json[PATH_MAX], counts[PATH_MAX];
    const char *slash = strrchr(plan->self, '/');
    static const char *const folders[] = {RC_PROFILE_LIBRARY_DIR, "lib"};
    struct words words = {.count = 0};
    bool found = false;
    int status = RC_OK;

    if (strcmp(plan->stepped, "0") == 0)
        return RC_OK;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && slash && !found; i++)
        found = rc_path(library, sizeof library, NULL, "%.*s/../%s/%s",
                        (int)(slash - plan->self), plan->self, folders[i],
                        LIBRARY) == RC_OK &&
                access(library, R_OK) == 0;
    if (!found) {
        fprintf(stderr, "rollcall profile: nothing is stepped: there is no %s\n",
                LIBRARY);
        return RC_OK;
    }
    if ((status = rc_path(json, sizeof json, err, "%s/%s", plan->dir,
                          RC_PROFILE_EXPECTED_STEPPED)) != RC_OK ||
        (status = rc_path(counts, sizeof counts, err, "%s/%s", plan->dir,
                          RC_PROFILE_STEPPED)) != RC_OK)
        return status;
    fprintf(
        stderr,
        "rollcall profile: one rank is stepped, instruction by instruction, through "
        "a grid of %s x %s x %s\n",
        plan->stepped, plan->stepped, plan->stepped);
    add_program(&words, plan, plan->stepped, json);
    add_word(&words, "--repeat");
    add_word(&words, "1");
    if (setenv("LD_PRELOAD", library, 1) || setenv("LD_BIND_NOW", "1", 1) ||
        setenv("ROLLCALL_PHASES", counts, 1))
        return rc_fail(err, RC_ENOMEM, "no memory for the environment");
    status = run_words(&words, PROGRAM ", stepped", err);
    unsetenv("LD_PRELOAD");
    unsetenv("LD_BIND_NOW");
    unsetenv("ROLLCALL_PHASES");
    return status;
}

int rc_profile_fft3d(const struct rc_args *args, int *exits, struct rc_error *err)
{
    char json[PATH_MAX], dir[PATH_MAX];
    struct rc_profile_request request = {.format = RC_FORMAT_TEXT};
    struct plan plan;
    int status = read_plan(args, &plan, err);

    *exits = 0;
    if (status != RC_OK)
        return status;
    if (rc_launched() && !rc_args_has(args, &rc_option_directory))
        return rc_fail(err, RC_EUSAGE, "expected -o DIR under a launcher");
    if ((status = rc_campaign_dir_make(plan.dir, err)) != RC_OK)
        return status;
    if (!realpath(plan.dir, dir))
        return rc_fail_errno(err, "cannot find '%.400s'", plan.dir);
    plan.dir = dir;
    if ((status = rc_path(json, sizeof json, err, "%s/%s", dir, RC_PROFILE_EXPECTED)) !=
        RC_OK)
        return status;
    if (rc_launched()) {
        static struct words words; /* as long as the process */
        struct rc_args launch = *args;
        add_word(&words, "--");
        add_program(&words, &plan, plan.size, json);
        launch.operands = words.word + 1;
        launch.operand_count = words.count - 1;
        return rc_profile_launch(&launch, &rc_profile_hooks, exits, err);
    }
    fprintf(
        stderr,
        "rollcall profile: a grid of %s x %s x %s runs on %s rank%s (some seconds up "
        "to 128)\n",
        plan.size, plan.size, plan.size, plan.ranks,
        strcmp(plan.ranks, "1") == 0 ? "" : "s");
    if ((status = run_job(&plan, json, err)) != RC_OK ||
        (status = run_stepped(&plan, err)) != RC_OK)
        return status;
    sleep(1); /* the sampler ends a moment after the program */
    request.dir = dir;
    request.study = &rc_fft3d_study;
    request.strict = true;
    status = rc_profile_show(&request, err);
    fprintf(stderr,
            "rollcall profile: kept in %s: 'rollcall profile %s' shows it again\n", dir,
            dir);
    return status;
}
