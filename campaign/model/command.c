/* The model command: makes a model from profiles or files of other tools, shows it,
 * predicts with it, and holds it against what was measured.
 */
#include "campaign/model/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "campaign/cli/commands.h"
#include "campaign/spec/options.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *method_hint(size_t i)
{
    return rc_laws_methods[i].name;
}

static RC_OPTION(option_output, "output", "DIR", "makes a model: DIR/model.h5",
                 .letter = 'o');
static RC_OPTION(option_import, "import", NULL,
                 "the operands are files of other tools: Extra-P's, Caliper's, CSV, "
                 "directories of .cubex");
static RC_OPTION(option_method, "method", "NAME",
                 "how laws are found: rollcall (default), or as other tools do",
                 .hint = method_hint);
static RC_OPTION(option_threshold, "threshold", "SHARE",
                 "kernels with such a share of the time have laws of their own (0.05)");
static RC_OPTION(option_predict, "predict", "NAME=N,...",
                 "predicts the point with these parameters, kernel by kernel",
                 .repeats = true);
static RC_OPTION(option_set, "set", "NAME=N,...", "further parameters of --predict",
                 .repeats = true);
static RC_OPTION(option_validate, "validate", NULL,
                 "holds the model against the operands after it; the exit status is 1 "
                 "where it is off");
static RC_OPTION(option_suggest, "suggest", "TIME",
                 "which runs of so long in all narrow the time at --predict, or at 16 "
                 "times the largest p, most");
static RC_OPTION(option_accuracy, "accuracy", "SHARE",
                 "validate: the error that is allowed, of the whole time (0.1)");
static RC_OPTIONS(options, &option_output, &option_import, &option_method,
                  &option_threshold, &option_predict, &option_set, &option_validate,
                  &option_accuracy, &option_suggest, &rc_option_format,
                  &rc_option_quiet, &rc_option_verbose);

static int take_share(const struct rc_args *args, const struct rc_option *option,
                      double *out, struct rc_error *err)
{
    const char *text = rc_args_value(args, option);

    if (text && (rc_text_real(text, out) || *out < 0 || *out > 1))
        return rc_fail(err, RC_EUSAGE, "--%s: '%s', expected a share from 0 to 1",
                       option->name, text);
    return RC_OK;
}

static int take_method(const struct rc_args *args, const struct rc_laws_method **out,
                       struct rc_error *err)
{
    const char *name = rc_args_value(args, &option_method);
    char names[256] = "";

    for (*out = rc_laws_methods;
         name && (*out)->name && strcmp((*out)->name, name) != 0;)
        rc_text_append(names, sizeof names, "%s%s", names[0] ? ", " : "",
                       (*out)++->name);
    return (*out)->name ? RC_OK
                        : rc_fail(err, RC_EUSAGE, "--method '%s': expected one of %s",
                                  name, names);
}

static int take_options(const struct rc_args *args, struct rc_model_request *r,
                        struct rc_error *err)
{
    const char *output = rc_args_value(args, &option_output);
    const bool validates = rc_args_has(args, &option_validate),
               predicts = rc_args_has(args, &option_predict);
    int status;

    r->format = rc_rows_format(rc_args_value(args, &rc_option_format));
    r->threshold = 0.05;
    r->accuracy = 0.1;
    if ((status = take_share(args, &option_threshold, &r->threshold, err)) != RC_OK ||
        (status = take_share(args, &option_accuracy, &r->accuracy, err)) != RC_OK ||
        (status = take_method(args, &r->method, err)) != RC_OK)
        return status;
    const char *suggest = rc_args_value(args, &option_suggest);
    uint64_t suggest_ns = 0;
    if (suggest && (rc_text_duration(suggest, &suggest_ns) || suggest_ns == 0))
        return rc_fail(err, RC_EUSAGE, "--suggest: '%s', expected " RC_TEXT_DURATION,
                       suggest);
    r->suggest_s = (double)suggest_ns / 1e9;
    r->import = rc_args_has(args, &option_import);
    r->dir = output ? output : args->operand_count ? args->operands[0] : NULL;
    r->source = args->operands + (output ? 0 : 1);
    r->sources = args->operand_count - (output || !args->operand_count ? 0 : 1);
    if (!r->dir || !r->dir[0])
        return rc_fail(err, RC_EUSAGE,
                       "expected -o DIR to make a model, or the directory of one");
    if (output && r->sources == 0)
        return rc_fail(
            err, RC_EUSAGE,
            "expected directories of profiles, or --import and files of other "
            "tools");
    if (output && (validates || predicts || suggest))
        return rc_fail(err, RC_EUSAGE, "--%s is for a model that is there, not with -o",
                       validates  ? "validate"
                       : predicts ? "predict"
                                  : "suggest");
    if (validates && predicts)
        return rc_fail(err, RC_EUSAGE, "--validate and --predict do not go together");
    if (!output && !validates && r->sources > 0)
        return rc_fail(
            err, RC_EUSAGE,
            "'%.200s': expected one model, or -o DIR before the sources of a new one",
            r->source[0]);
    if (validates && r->sources == 0)
        return rc_fail(err, RC_EUSAGE,
                       "--validate: expected what was measured after the model");
    return RC_OK;
}

/* DIR is new, empty, or the directory of a model; *made: it was not there. */
static int open_directory(const char *dir, const char *path, bool *made,
                          struct rc_error *err)
{
    struct stat found;

    *made = mkdir(dir, 0777) == 0;
    if (*made || lstat(path, &found) == 0)
        return access(dir, W_OK) == 0
                   ? RC_OK
                   : rc_fail_errno(err, "cannot write into '%s'", dir);
    if (errno == ENOENT && rmdir(dir) == 0 && mkdir(dir, 0777) == 0)
        return RC_OK;
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
        return rc_fail(
            err, RC_ECONFLICT,
            "'%.400s' holds something else, expected the directory of a model, "
            "or one that is not there",
            dir);
    return rc_fail_errno(err, "cannot make '%s'", dir);
}

/* Collective. */
static int make_model(const struct rc_model_request *r, const char *path,
                      struct rc_error *err)
{
    struct rc_model_choice choice = {.threshold = r->threshold};
    struct rc_measured *all = NULL, *measured = NULL;
    struct rc_model model = {.created_by = "rollcall " RC_VERSION,
                             .unix_time = (int64_t)(rc_clock_unix_ns() / 1000000000),
                             .method = r->method->name,
                             .source = r->source,
                             .sources = r->sources,
                             .accuracy = r->accuracy,
                             .threshold = r->threshold};
    int status = rc_model_read_sources(r, &all, err);

    if (status == RC_OK)
        status = rc_model_choose(all, &choice, &measured, err);
    if ((status = rc_agree(r->comm, status, err)) != RC_OK ||
        (status = rc_model_fit_all(r->comm, measured, r->method, &model.laws, err)) !=
            RC_OK)
        goto out;
    model.coverage = choice.coverage;
    model.measured = measured;
    model.kernel = choice.kernel;
    model.kernels = all->kernels;
    if (rc_team_rank(r->comm) == 0 &&
        (status = rc_model_write(path, &model, err)) == RC_OK) {
        for (size_t i = 0; i < measured->metrics; i++)
            model.simulated = model.simulated || measured->metric[i].simulated;
        status = rc_model_show(&model, r->dir, r->format, err);
    }
out:
    rc_model_laws_fini(&model.laws);
    free(choice.kernel);
    rc_measured_close(measured);
    rc_measured_close(all);
    return rc_agree(r->comm, status, err);
}

static int use_model(struct rc_session *session, const struct rc_args *args,
                     const struct rc_model_request *r, const char *path,
                     struct rc_error *err)
{
    static const struct rc_option *const of_target[] = {&option_predict, &option_set,
                                                        NULL};
    const bool predicts =
        rc_args_has(args, &option_predict) || rc_args_has(args, &option_set);
    struct rc_model_scaling scaling;
    struct rc_model *model = NULL;
    int status = rc_model_read(path, &model, err);

    if (status != RC_OK)
        return status;
    if (predicts)
        status = rc_model_read_target(model, args, of_target, scaling.ahead, err);
    else
        status = rc_model_find_scaling(model, &scaling, err);
    if (status != RC_OK)
        goto out;
    if (r->suggest_s > 0)
        status = rc_model_suggest(model, scaling.ahead, r->suggest_s, r->format, err);
    else if (predicts)
        status = rc_model_show_prediction(model, scaling.ahead, r->format, err);
    else if (rc_args_has(args, &option_validate))
        status = rc_model_validate(model, r, &session->differs, err);
    else
        status = rc_model_show(model, r->dir, r->format, err);
out:
    rc_model_close(model);
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct rc_model_request r = {.comm = session->comm};
    const bool first = rc_team_rank(r.comm) == 0;
    char path[PATH_MAX];
    bool made = false;
    int status = take_options(args, &r, err);

    signal(SIGXFSZ, SIG_IGN); /* makes a limit of file sizes an error like any other */
    if (status == RC_OK)
        status = rc_path(path, sizeof path, err, "%s/" RC_MODEL_FILE, r.dir);
    const bool makes = rc_args_has(args, &option_output);
    if (status == RC_OK && first)
        status = makes ? open_directory(r.dir, path, &made, err)
                       : use_model(session, args, &r, path, err);
    status = rc_agree(r.comm, status, err);
    if (status == RC_OK && makes)
        status = make_model(&r, path, err);
    if (status != RC_OK && made)
        (void)rmdir(r.dir);
    return status;
}

const struct rc_command rc_command_model = {
    .name = "model",
    .summary = "says how long a program takes on more processes or a larger problem",
    .operands = "[DIR|FILE]...",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_LAUNCHED,
    .variables = RC_VARIABLE_TERMINAL,
    .see = (const char *const[]){"profile", "compare", "export", NULL},
    .exits = "0 done, 1 failed, or off in what --validate compares, 2 wrong usage.",
    .run = run,
};
