/* Reads the options of 'submit', typed and from the campaign file, and checks them
 * together.
 *
 * The campaign file may hold options of 'submit' under the key 'submit'.  So the words
 * after "--", which name the campaign file, are read first, as 'run' would.  Then the
 * file's options join the typed ones, and all are read and checked.
 */
#include "campaign/submit/options.h"

#include "campaign/base/files/data_files.h"
#include "campaign/base/program.h"
#include "campaign/records/campaign.h"
#include "campaign/spec/options.h"
#include "campaign/submit/job_list.h"
#include "jobs/fill.h"

#include <string.h>
#include <unistd.h>

enum { TRIES_USUAL = 10 };
#define NOISE_NS UINT64_C(10000000000) /* time of 'noise' without --time */

static RC_OPTION(option_scheduler, "scheduler", "S",
                 "the batch system; 'auto' (default) takes the one that is here",
                 .words = rc_scheduler_names);
static RC_OPTION(option_template, "template", "FILE",
                 "a site's own texts in place of the scheduler's, see --show-template");
static RC_OPTION(option_nodes, "nodes", "N",
                 "nodes of the job (1), or 'MIN-MAX' where the scheduler takes that",
                 .repeats = true);
static RC_OPTION(option_ranks, "ranks-per-node", "R",
                 "ranks on each node, or 'cores' (default): one for each core",
                 .repeats = true);
static RC_OPTION(option_time, "time", "T",
                 "time limit: 90m, 1:30:00; 'auto' (default) by the plan's estimate",
                 .repeats = true);
static RC_OPTION(option_queue, "queue", "Q",
                 "queue or partition; with several, each gets a part of the campaign "
                 "and the options after it",
                 .repeats = true);
static RC_OPTION(option_account, "account", "A", "account or project", .repeats = true);
static RC_OPTION(option_array, "array", "K",
                 "deal the units out to K jobs of an array, and merge their results");
static RC_OPTION(option_after, "after", "JOB", "begin when that job has ended");
static RC_OPTION(option_set, "set", "KEY=VALUE",
                 "a placeholder of the template, 'env.NAME' for the job's environment, "
                 "'source' for the part's source",
                 .repeats = true);
static RC_OPTION(option_modules, "modules", "A,B",
                 "environment modules that the job loads", .repeats = true);
static RC_OPTION(option_tries, "tries", "N",
                 "how often a job may run until all is measured (10)");
static RC_OPTION(option_warn, "warn", "T",
                 "how long before the time limit the run is told to end (2m, at most a "
                 "quarter of the limit)");
static RC_OPTION(option_dry, "dry-run", NULL,
                 "print the scripts and commands; nothing is written");

RC_OPTION(rc_submit_status, "status", "DIR",
          "say how the jobs of a campaign are doing, and how far it is");
RC_OPTION(rc_submit_cancel, "cancel", "DIR", "end the jobs of a campaign");
RC_OPTION(rc_submit_watch, "watch", "DIR",
          "follow the jobs of a campaign until they have ended");
RC_OPTION(rc_submit_list, "list", NULL,
          "list the schedulers, and which of them are here");
RC_OPTION(rc_submit_show, "show-template", NULL,
          "print the scheduler's texts as a template file");

RC_OPTIONS(rc_submit_options, &rc_option_directory, &option_scheduler, &option_template,
           &option_nodes, &option_ranks, &option_time, &option_queue, &option_account,
           &option_array, &option_after, &option_set, &option_modules, &option_tries,
           &option_warn, &option_dry, &rc_submit_status, &rc_submit_cancel,
           &rc_submit_watch, &rc_submit_list, &rc_submit_show, &rc_option_format,
           &rc_option_quiet);

int rc_submit_read_time(const char *text, uint64_t *seconds)
{
    unsigned long days = 0, part[3] = {0};
    int used = 0, fields = 0;
    uint64_t ns;

    if (!strchr(text, ':')) {
        if (rc_text_duration(text, &ns) != 0)
            return -1;
        *seconds = (ns + 999999999) / 1000000000;
        return 0;
    }
    /* "[D-]HH:MM[:SS]", as schedulers take it. */
    if (sscanf(text, "%lu-%n", &days, &used) == 1 && used &&
        strspn(text, "0123456789-:") == strlen(text))
        text += used;
    else
        days = 0;
    if (strspn(text, "0123456789:") != strlen(text) || strlen(text) > 15)
        return -1;
    fields =
        sscanf(text, "%lu:%lu%n:%lu%n", &part[0], &part[1], &used, &part[2], &used);
    if (fields < 2 || text[used] || part[1] > 59 || part[2] > 59 || days > 10000)
        return -1;
    *seconds = ((days * 24 + part[0]) * 60 + part[1]) * 60 + part[2];
    return 0;
}

/* Reads "4", or "2-4" if the scheduler may choose. */
static int set_nodes(struct rc_submit_part *part, const char *text,
                     struct rc_error *err)
{
    char least[16] = "";
    const char *dash = strchr(text, '-'), *most = dash ? dash + 1 : text;
    uint64_t a = 0, b = 0;

    if (dash && (size_t)(dash - text) < sizeof least)
        memcpy(least, text, (size_t)(dash - text));
    if (rc_text_count(most, &b) != 0 || (dash && rc_text_count(least, &a) != 0) ||
        b < 1 || b > RC_SUBMIT_NODES || (dash && (a < 1 || a > b)))
        return rc_fail(err, RC_EUSAGE,
                       "--nodes '%.80s', expected 1 to %d, or MIN-MAX of them", text,
                       RC_SUBMIT_NODES);
    part->nodes = text;
    part->nodes_least = (uint32_t)(dash ? a : b);
    part->nodes_most = (uint32_t)b;
    return RC_OK;
}

/* Reads "qos=long", "env.PATH=/x" or "source=model:spr". */
static int add_set(struct rc_submit_part *part, const char *text, struct rc_error *err)
{
    char key[80] = "";
    const char *equals = strchr(text, '=');
    const size_t bytes = equals ? (size_t)(equals - text) : sizeof key;
    const char *name = key;

    if (bytes < sizeof key)
        memcpy(key, text, bytes);
    if (strncmp(key, "env.", 4) == 0)
        name = key + 4;
    if (!rc_fill_is_name(name))
        return rc_fail(
            err, RC_EUSAGE,
            "--set '%.80s', expected KEY=VALUE with a KEY of letters, digits "
            "and _, or env.NAME=VALUE",
            text);
    if (strcmp(key, "source") == 0) {
        part->source = equals + 1;
        return RC_OK;
    }
    part->set[part->set_count++] = text;
    return RC_OK;
}

/* Reads an option of a part; others are ignored. */
static int read_part_option(struct rc_submit_part *part, const struct rc_arg *arg,
                            struct rc_error *err)
{
    const char *text = arg->value;
    uint64_t number = 0;

    if (arg->option == &option_nodes)
        return set_nodes(part, text, err);
    if (arg->option == &option_set)
        return add_set(part, text, err);
    if (arg->option == &option_account)
        part->account = text;
    if (arg->option == &option_ranks) {
        if (strcmp(text, "cores") != 0 && (rc_text_count(text, &number) != 0 ||
                                           number < 1 || number > RC_SUBMIT_RANKS))
            return rc_fail(err, RC_EUSAGE,
                           "--ranks-per-node '%.80s', expected 1 to %d, or cores", text,
                           RC_SUBMIT_RANKS);
        part->ranks = (uint32_t)number;
    }
    if (arg->option == &option_time) {
        if (strcmp(text, "auto") != 0 && (rc_submit_read_time(text, &number) != 0 ||
                                          number < 1 || number > RC_SUBMIT_SECONDS))
            return rc_fail(err, RC_EUSAGE,
                           "--time '%.80s', expected 90m, 1h30m, 01:30:00, 2-00:00:00 "
                           "or auto",
                           text);
        part->seconds = number;
    }
    return RC_OK;
}

/* Options before the first queue are for all queues, those after a queue for that one.
 */
static int read_parts(const struct rc_args *args, struct rc_submit_setting *o,
                      struct rc_error *err)
{
    const size_t count = args->given_count;
    struct rc_submit_part common = {.nodes = "1", .nodes_least = 1, .nodes_most = 1};
    struct rc_submit_part *part = &common;
    int status;

    common.set = rc_arena_array(&o->arena, count, sizeof *common.set);
    if ((status = rc_arena_check(&o->arena, err, "options")) != RC_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const struct rc_arg *arg = &args->given[i];
        if (arg->option != &option_queue) {
            if ((status = read_part_option(part, arg, err)) != RC_OK)
                return status;
            continue;
        }
        if (o->part_count == RC_SUBMIT_PARTS)
            return rc_fail(err, RC_EUSAGE, "more than %d queues", RC_SUBMIT_PARTS);
        /* A part begins with the options for all parts, in a list of its own. */
        part = &o->part[o->part_count++];
        *part = common;
        part->queue = arg->value;
        part->set = rc_arena_array(&o->arena, count, sizeof *part->set);
        if ((status = rc_arena_check(&o->arena, err, "options")) != RC_OK)
            return status;
        for (size_t s = 0; s < common.set_count; s++)
            part->set[s] = common.set[s];
    }
    if (o->part_count == 0)
        o->part[o->part_count++] = common;
    return RC_OK;
}

/* Reads a whole number from 'least' to 'most'; 'usual' if the option is not given. */
static int read_count(const struct rc_args *args, const struct rc_option *option,
                      uint32_t usual, uint32_t least, uint32_t most, uint32_t *out,
                      struct rc_error *err)
{
    const char *text = rc_args_value(args, option);
    uint64_t count = usual;

    if (text && (rc_text_count(text, &count) != 0 || count < least || count > most))
        return rc_fail(err, RC_EUSAGE, "--%s '%.80s', expected %u to %u", option->name,
                       text, least, most);
    *out = (uint32_t)count;
    return RC_OK;
}

int rc_submit_template(const struct rc_scheduler *scheduler, const char *file,
                       struct rc_template *out, struct rc_error *err)
{
    char site[PATH_MAX], wanted[64];

    snprintf(wanted, sizeof wanted, "%s.template", scheduler->name);
    if (!file && rc_data_file_find("jobs", wanted, site, sizeof site, NULL) == RC_OK)
        file = site;
    return rc_template_open(scheduler, file, out, err);
}

int rc_submit_scheduler(const struct rc_args *args, struct rc_template *out,
                        struct rc_error *err)
{
    const char *name = rc_args_value(args, &option_scheduler);
    const struct rc_scheduler *scheduler =
        name ? rc_scheduler_find(name) : NULL; /* 'auto' is not a scheduler */

    return rc_submit_template(scheduler ? scheduler : rc_scheduler_detect(),
                              rc_args_value(args, &option_template), out, err);
}

/* Explains that DIR is missing; perhaps it is elsewhere on the command line. */
static int missing_directory(const struct rc_args *args, struct rc_error *err)
{
    const char *const *word = args->operands;

    for (size_t i = 0; i < args->operand_count; i++)
        if (strncmp(word[i], "-o", 2) == 0 || strncmp(word[i], "--output", 8) == 0)
            return rc_fail(err, RC_EUSAGE,
                           "%s stands after '--': expected before it, as in "
                           "rollcall submit -o DIR -- ...",
                           word[i]);
    if (args->operand_count && word[0][0] != '-' && strcmp(word[0], "noise") != 0 &&
        strcmp(word[0], "profile") != 0)
        return rc_fail(err, RC_EUSAGE,
                       "expected -o DIR: a new directory, or that of a campaign to "
                       "resume; did you mean 'rollcall submit -o %s'?",
                       word[0]);
    return rc_fail(err, RC_EUSAGE,
                   "expected -o DIR: a new directory, or that of a campaign to resume");
}

/* The directory may be missing. */
static int read_paths(const struct rc_args *args, struct rc_submit_setting *o,
                      struct rc_error *err)
{
    const char *dir = rc_args_value(args, &rc_option_directory);
    int used;

    if (!dir || !dir[0])
        return missing_directory(args, err);
    if (!getcwd(o->cwd, sizeof o->cwd))
        return rc_fail_errno(err, "cannot determine the name of this directory");
    if (rc_program_self("", o->rollcall, sizeof o->rollcall, err) != RC_OK)
        return err->status;
    used = dir[0] == '/' ? snprintf(o->dir, sizeof o->dir, "%s", dir)
                         : snprintf(o->dir, sizeof o->dir, "%s/%s", o->cwd, dir);
    if (used < 0 || (size_t)used + 64 > sizeof o->dir)
        return rc_fail(err, RC_EUSAGE, "the directory's name is too long");
    while (used > 1 && o->dir[used - 1] == '/')
        o->dir[--used] = '\0';
    return RC_OK;
}

/* Finds the campaign file of an earlier submission or run: it continues, unless options
 * say otherwise.
 */
static int find_base(struct rc_submit_setting *o, struct rc_error *err)
{
    static const struct {
        const char *name;
        enum rc_file_place place;
    } files[] = {{"jobs/campaign.yaml", RC_FILE_BELOW}, {"campaign.yaml", RC_FILE_IN}};
    char path[PATH_MAX + 64];

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", o->dir, files[i].name);
        if (access(path, F_OK) != 0)
            continue;
        o->base = rc_arena_text(&o->arena, path);
        o->base_place = files[i].place;
        break;
    }
    return rc_arena_check(&o->arena, err, "a path");
}

/* The last value of another command's option, or "" if it takes none; NULL: not given.
 */
static const char *value_of(const struct rc_args *args, const char *name)
{
    for (size_t i = args->given_count; i-- > 0;)
        if (strcmp(args->given[i].option->name, name) == 0)
            return args->given[i].value ? args->given[i].value : "";
    return NULL;
}

/* Reads words as the command would. */
static int read_words(const struct rc_command *command, const char *const *word,
                      size_t count, struct rc_arena *arena, struct rc_args *out,
                      struct rc_error *err)
{
    char **argv = rc_arena_array(arena, count + 2, sizeof *argv);
    const int status = rc_arena_check(arena, err, "options");

    if (status != RC_OK)
        return status;
    argv[0] = (char *)command->name;
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = (char *)word[i];
    return rc_args_parse(command, (int)count + 1, argv, out, err);
}

/* Finds how long 'noise' measures: --time for the bare loop and for each suite of
 * --work, --rounds times.
 */
static int read_noise_time(struct rc_submit_setting *o, struct rc_error *err)
{
    const char *time = value_of(&o->run_args, "time"),
               *round = value_of(&o->run_args, "rounds");
    uint64_t each_ns = NOISE_NS, rounds = 1, passes = 1;

    if (o->run_args.operand_count > 0)
        return rc_fail(err, RC_EUSAGE, "'%.80s', expected an option",
                       o->run_args.operands[0]);
    if (time && (rc_text_duration(time, &each_ns) != 0 || each_ns == 0))
        return rc_fail(err, RC_EUSAGE, "--time: '%.60s', expected %s", time,
                       RC_TEXT_DURATION);
    if (round &&
        (rc_text_count(round, &rounds) != 0 || rounds < 1 || rounds > RC_SUBMIT_ROUNDS))
        return rc_fail(err, RC_EUSAGE,
                       "--rounds: '%.60s', expected a whole number from 1 to %d", round,
                       RC_SUBMIT_ROUNDS);
    for (size_t i = 0; i < o->run_args.given_count; i++) {
        const struct rc_arg *arg = &o->run_args.given[i];
        if (strcmp(arg->option->name, "work") == 0)
            for (const char *at = arg->value; at; at = strchr(at + 1, ','))
                passes++;
    }
    const double seconds = (double)each_ns / 1e9 * (double)rounds * (double)passes;
    if (seconds > RC_SUBMIT_SECONDS)
        return rc_fail(err, RC_EUSAGE, "more than a job can take, %d days",
                       RC_SUBMIT_SECONDS / 86400);
    o->noise_seconds = (uint64_t)seconds + 1;
    o->noise_alone = value_of(&o->run_args, "alone") != NULL;
    return RC_OK;
}

/* A profile needs a program, as the command itself does. */
static int check_profile(const struct rc_args *args, struct rc_error *err)
{
    const size_t count = args->operand_count;

    if (count > 0 && strcmp(args->operands[-1], "--") == 0)
        return RC_OK;
    if (count == 1 && strcmp(args->operands[0], "fft3d") == 0)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE,
                   "no program, expected -- profile [OPTION]... -- PROGRAM "
                   "[ARGUMENT]..., or -- profile fft3d -n N");
}

/* Reads the words after "--", or after "noise" or "profile" in these words or before
 * them.
 */
static int read_run(const struct rc_args *args, struct rc_submit_setting *o,
                    struct rc_error *err)
{
    static const struct rc_command *const others[] = {&rc_command_noise,
                                                      &rc_command_profile};

    o->command = &rc_command_run;
    for (size_t i = 0; i < sizeof others / sizeof others[0] && args->operand_count; i++)
        if (strcmp(args->operands[0], others[i]->name) == 0)
            o->command = others[i];
    const bool is_run = o->command == &rc_command_run;
    const char *const *word = args->operands + !is_run;
    const size_t words = args->operand_count - !is_run;
    int status = read_words(o->command, word, words, &o->arena, &o->run_args, err);

    if (status == RC_OK &&
        (value_of(&o->run_args, "output") || value_of(&o->run_args, "shares")))
        status = rc_fail(
            err, RC_EUSAGE,
            "-o and --shares after '--': expected -o DIR and --array K before it");
    else if (status == RC_OK && o->command == &rc_command_noise)
        status = read_noise_time(o, err);
    else if (status == RC_OK && o->command == &rc_command_profile)
        status = check_profile(&o->run_args, err);
    if (status != RC_OK) {
        rc_error_prefix(err, "the options of %s: ", o->command->name);
        return status;
    }
    if (!is_run) {
        o->word = word;
        o->words = words;
        return RC_OK;
    }
    o->extend = value_of(&o->run_args, "extend") != NULL;
    if ((status = find_base(o, err)) != RC_OK)
        return status;
    return rc_spec_resolve(&o->run_args, o->base, o->base_place, &o->spec, err);
}

/* Whether the scheduler's texts use the keys of --set for a part. */
static int check_sets(const struct rc_submit_setting *o,
                      const struct rc_submit_part *part, struct rc_error *err)
{
    char key[80], names[512];

    for (size_t i = 0; i < part->set_count; i++) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(part->set[i], "="),
                 part->set[i]);
        if (strncmp(key, "env.", 4) == 0 || rc_template_uses(&o->template, key))
            continue;
        rc_template_names(&o->template, names, sizeof names);
        return rc_fail(err, RC_EUSAGE,
                       "--set '%.80s': the texts for %s have no {{%s}}; they have %s",
                       part->set[i], o->scheduler->summary, key, names);
    }
    return RC_OK;
}

/* Whether the scheduler can do what the options ask for together. */
static int check_options(const struct rc_submit_setting *o, struct rc_error *err)
{
    int status;

    if (o->after && !rc_job_list_is_id(o->after))
        return rc_fail(err, RC_EUSAGE, "--after '%.80s', expected the id of a job",
                       o->after);
    if (o->scheduler->directory_bad && strpbrk(o->dir, o->scheduler->directory_bad))
        return rc_fail(err, RC_EUSAGE,
                       "%s cannot take '%.400s' as a job's directory: it has a "
                       "character with a special meaning there",
                       o->scheduler->summary, o->dir);
    if (o->command != &rc_command_run &&
        (o->shares || o->part_count > 1 || o->part[0].source))
        return rc_fail(err, RC_EUSAGE,
                       "'%s' is one job: expected no --array, one --queue, and no "
                       "--set source",
                       o->command->name);
    if (o->shares && o->spec.replicate != RC_REPLICATE_NONE)
        return rc_fail(err, RC_EUSAGE,
                       "--array with --replicate %s: elements run on nodes that only "
                       "the scheduler knows; expected --replicate none",
                       rc_replicate_names[o->spec.replicate]);
    for (size_t p = 0; p < o->part_count; p++) {
        const struct rc_submit_part *part = &o->part[p];
        if (part->nodes_least != part->nodes_most && !o->scheduler->node_ranges)
            return rc_fail(err, RC_EUSAGE,
                           "--nodes '%.80s': %s takes one number of nodes", part->nodes,
                           o->scheduler->summary);
        if (o->scheduler->one_node && part->nodes_most > 1)
            return rc_fail(err, RC_EUSAGE, "--nodes %s, expected 1: there is only %s",
                           part->nodes, o->scheduler->summary);
        if ((status = check_sets(o, part, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

static const struct rc_option *const not_in_files[] = {
    &rc_option_directory, &rc_submit_status, &rc_submit_cancel, &rc_submit_watch,
    &rc_submit_list,      &rc_submit_show,   &rc_option_format, &option_dry};
enum { NOT_IN_FILES = sizeof not_in_files / sizeof not_in_files[0] };

/* Reads the list under 'submit' in the campaign file as if it were typed.  Options
 * about one call, and operands, make no sense there.
 */
static int read_file_options(const struct rc_args *typed, struct rc_submit_setting *o,
                             struct rc_error *err)
{
    const struct rc_list *list = &o->spec.submit;
    int status = read_words(typed->command, (const char *const *)list->item,
                            list->count, &o->arena, &o->file_args, err);

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < NOT_IN_FILES; i++)
        if (rc_args_has(&o->file_args, not_in_files[i])) {
            status = rc_fail(err, RC_EUSAGE, "--%s belongs to the command line",
                             not_in_files[i]->name);
            goto out;
        }
    if (o->file_args.operand_count)
        status = rc_fail(err, RC_EUSAGE, "'%.80s', expected an option",
                         o->file_args.operands[0]);
out:
    if (status != RC_OK)
        rc_error_prefix(err, "'submit' of the campaign file: ");
    return status;
}

/* Joins typed options and the file's in one list.  A typed option replaces the file's.
 * Typed ones come first and apply to all queues of the file, unless queues are typed.
 */
static int join_options(const struct rc_args *typed, struct rc_submit_setting *o,
                        struct rc_error *err)
{
    const struct rc_args *file = &o->file_args;
    const bool last = rc_args_has(typed, &option_queue);
    struct rc_arg *given = rc_arena_array(
        &o->arena, typed->given_count + file->given_count, sizeof *given);
    const int status = rc_arena_check(&o->arena, err, "options");
    size_t count = 0;

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < typed->given_count && !last; i++)
        given[count++] = typed->given[i];
    for (size_t i = 0; i < file->given_count; i++)
        if (!rc_args_has(typed, file->given[i].option))
            given[count++] = file->given[i];
    for (size_t i = 0; i < typed->given_count && last; i++)
        given[count++] = typed->given[i];
    o->args = *typed;
    o->args.given = given;
    o->args.given_count = count;
    return RC_OK;
}

/* Reads all options except those of 'run', in the order in which mistakes are reported.
 */
static int read_options(struct rc_submit_setting *o, struct rc_error *err)
{
    const struct rc_args *args = &o->args;
    const char *warn = rc_args_value(args, &option_warn);
    int status;

    if ((status = rc_submit_scheduler(args, &o->template, err)) != RC_OK)
        return status;
    o->scheduler = o->template.scheduler;
    o->after = rc_args_value(args, &option_after);
    if ((status = read_parts(args, o, err)) != RC_OK ||
        (status = rc_args_words(args, &option_modules, true, &o->modules, err)) !=
            RC_OK ||
        (status = read_count(args, &option_array, 0, 2, RC_SUBMIT_SHARES, &o->shares,
                             err)) != RC_OK ||
        (status = read_count(args, &option_tries, TRIES_USUAL, 1, RC_SUBMIT_TRIES,
                             &o->tries, err)) != RC_OK)
        return status;
    if (warn && (rc_submit_read_time(warn, &o->warn_seconds) != 0 ||
                 o->warn_seconds < 1 || o->warn_seconds > RC_SUBMIT_SECONDS))
        return rc_fail(err, RC_EUSAGE, "--warn '%.80s', expected %s", warn,
                       RC_TEXT_DURATION);
    return RC_OK;
}

int rc_submit_setting_read(const struct rc_args *args, struct rc_submit_setting *out,
                           struct rc_error *err)
{
    int status;

    *out = (struct rc_submit_setting){.dry = rc_args_has(args, &option_dry)};
    if ((status = read_paths(args, out, err)) != RC_OK ||
        (status = read_run(args, out, err)) != RC_OK ||
        (status = read_file_options(args, out, err)) != RC_OK ||
        (status = join_options(args, out, err)) != RC_OK ||
        (status = read_options(out, err)) != RC_OK)
        return status;
    return check_options(out, err);
}

int rc_submit_part_spec(const struct rc_submit_setting *setting,
                        const struct rc_submit_part *part, struct rc_spec *out,
                        struct rc_error *err)
{
    int status;

    if ((status = rc_spec_resolve(&setting->run_args, setting->base,
                                  setting->base_place, out, err)) == RC_OK &&
        (status = rc_spec_only_source(out, part->source, err)) != RC_OK)
        rc_spec_fini(out);
    return status;
}

void rc_submit_setting_fini(struct rc_submit_setting *setting)
{
    rc_template_fini(&setting->template);
    rc_arg_words_fini(&setting->modules);
    rc_args_fini(&setting->run_args);
    rc_args_fini(&setting->file_args);
    rc_spec_fini(&setting->spec);
    rc_arena_free(&setting->arena);
}
