/* Reads a command line by the table of its command.
 *
 * getopt_long() does the reading.  It accepts prefixes of long names and operands
 * between options, but says little about mistakes: these are examined here, and the
 * nearest name is found.
 */
#include "campaign/cli/args.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMMANDS_MOST = 64, /* for the search of the nearest name */
    OPTIONS_MAX = 48,   /* of a command */
    FIRST_CODE = 256    /* getopt_long()'s code for option 0; above any letter */
};

/* The command's options for getopt_long().  All commands have --help. */
struct table {
    const struct rc_option *const *options;
    size_t count;                         /* of options, without --help */
    struct option longs[OPTIONS_MAX + 2]; /* with --help, ended by zeros */
    char shorts[2 * OPTIONS_MAX + 4];     /* ":ho:" */
    const char *names[OPTIONS_MAX + 2];   /* as 'longs', for the nearest name */
};

/* Says why getopt_long() did not know an option; 'letter' is 0 for a long one. */
static int unknown_option(const struct table *t, const struct rc_command *command,
                          const char *word, int letter, struct rc_error *err)
{
    char name[64];
    size_t matches = 0;

    if (letter)
        return rc_fail(err, RC_EUSAGE, "unknown option '-%c', see 'rollcall help %s'",
                       letter, command->name);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (size_t i = 0; i <= t->count; i++) {
        if (strcmp(t->names[i], name) == 0)
            return rc_fail(err, RC_EUSAGE, "option '--%s' takes no argument", name);
        matches += strncmp(t->names[i], name, strlen(name)) == 0;
    }
    if (matches > 1)
        return rc_fail(err, RC_EUSAGE, "option '--%s' is ambiguous, write it out",
                       name);
    for (size_t i = 0; command->behind && command->behind->options[i]; i++)
        if (strcmp(command->behind->options[i]->name, name) == 0)
            return rc_fail(err, RC_EUSAGE,
                           "--%s is for 'rollcall %s': expected after '--', as in "
                           "rollcall %s -o DIR -- --%s",
                           name, command->behind->name, command->name, name);
    int nearest = rc_text_nearest(name, t->names);
    if (nearest >= 0)
        return rc_fail(err, RC_EUSAGE, "unknown option '--%s', did you mean '--%s'?",
                       name, t->names[nearest]);
    return rc_fail(err, RC_EUSAGE, "unknown option '--%s', see 'rollcall help %s'",
                   name, command->name);
}

/* Names the argument that is missing after the last option. */
static int missing_argument(const struct table *t, const char *word, int code,
                            const struct rc_command *command, struct rc_error *err)
{
    const struct rc_option *option = NULL;

    if (code >= FIRST_CODE && (size_t)(code - FIRST_CODE) < t->count)
        option = t->options[code - FIRST_CODE];
    for (size_t i = 0; i < t->count && !option; i++)
        if (t->options[i]->letter == code)
            option = t->options[i];
    return rc_fail(err, RC_EUSAGE,
                   "option '%s' needs an argument%s%s, see 'rollcall help %s'", word,
                   option ? ": " : "", option ? option->argument : "", command->name);
}

/* Adds an option that was given, with its argument or NULL. */
static int take_option(struct rc_args *args, size_t *room,
                       const struct rc_option *option, const char *value,
                       struct rc_error *err)
{
    char list[256] = "";

    if (value && option->words && rc_word_find(value, option->words) < 0) {
        const int nearest = rc_text_nearest(value, option->words);
        rc_text_append_list(list, sizeof list, option->words);
        return rc_fail(err, RC_EUSAGE, "--%s: '%s', expected one of: %s%s%s%s",
                       option->name, value, list, nearest < 0 ? "" : "; did you mean '",
                       nearest < 0 ? "" : option->words[nearest],
                       nearest < 0 ? "" : "'?");
    }
    if (rc_grow(&args->given, sizeof *args->given, args->given_count, room))
        return rc_fail(err, RC_ENOMEM, "no memory for the command line");
    args->given[args->given_count++] = (struct rc_arg){option, value};
    return RC_OK;
}

/* Reads options up to the first mistake; operands are left in argv from 'optind' on.
 * getopt_long()'s code is a number, or a letter; --help is not in the table.
 */
static int parse_options(const struct table *t, int argc, char **argv,
                         struct rc_args *args, struct rc_error *err)
{
    size_t room = 0;
    int code;

    optind = 0; /* glibc: start afresh */
    opterr = 0;
    while ((code = getopt_long(argc, argv, t->shorts, t->longs, NULL)) != -1) {
        const struct rc_option *option =
            code >= FIRST_CODE ? t->options[code - FIRST_CODE] : NULL;
        for (size_t i = 0; i < t->count && !option; i++)
            if (t->options[i]->letter == code)
                option = t->options[i];
        if (code == ':')
            return missing_argument(t, argv[optind - 1], optopt, args->command, err);
        if (code == '?')
            return unknown_option(t, args->command, argv[optind - 1],
                                  optopt < FIRST_CODE ? optopt : 0, err);
        if (!option) {
            args->wants_help = true;
            continue;
        }
        int status = take_option(args, &room, option, optarg, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_args_parse(const struct rc_command *command, int argc, char **argv,
                  struct rc_args *out, struct rc_error *err)
{
    struct table t = {.options = command->options};
    char *s = t.shorts;

    *out = (struct rc_args){.command = command};
    *s++ = ':'; /* distinguishes a missing argument from an unknown option */
    *s++ = 'h';
    for (; t.options[t.count] && t.count < OPTIONS_MAX; t.count++) {
        const struct rc_option *o = t.options[t.count];
        t.names[t.count] = o->name;
        t.longs[t.count] =
            (struct option){o->name, o->argument ? required_argument : no_argument,
                            NULL, FIRST_CODE + (int)t.count};
        if (o->letter) {
            *s++ = o->letter;
            if (o->argument)
                *s++ = ':';
        }
    }
    t.names[t.count] = "help";
    t.longs[t.count] = (struct option){"help", no_argument, NULL, 'h'};
    int status = parse_options(&t, argc, argv, out, err);
    if (status != RC_OK)
        goto out;
    out->operands = (const char *const *)argv + optind;
    out->operand_count = (size_t)(argc - optind);
    if (out->operand_count > command->operands_most && !out->wants_help)
        status = rc_fail(err, RC_EUSAGE,
                         "unexpected argument '%s', expected: "
                         "rollcall %s%s%s",
                         out->operands[command->operands_most], command->name,
                         command->operands[0] ? " " : "", command->operands);
out:
    if (status != RC_OK)
        rc_args_fini(out);
    return status;
}

void rc_args_fini(struct rc_args *args)
{
    free(args->given);
    *args = (struct rc_args){0};
}

const char *rc_args_value(const struct rc_args *args, const struct rc_option *option)
{
    for (size_t i = args->given_count; i-- > 0;)
        if (args->given[i].option == option)
            return args->given[i].value;
    return NULL;
}

bool rc_args_has(const struct rc_args *args, const struct rc_option *option)
{
    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].option == option)
            return true;
    return false;
}

void rc_arg_words_fini(struct rc_arg_words *words)
{
    free(words->text);
    free(words->word);
    *words = (struct rc_arg_words){0};
}

/* Splits "A,B,C" in place; -1: one of the names is empty. */
static int split_names(struct rc_arg_words *out, char *value)
{
    for (char *end; (end = strchr(value, ',')); value = end + 1) {
        *end = 0;
        out->word[out->count++] = value;
        if (end == value)
            return -1;
    }
    out->word[out->count++] = value;
    return *value ? 0 : -1;
}

int rc_args_words(const struct rc_args *args, const struct rc_option *option,
                  bool lists, struct rc_arg_words *out, struct rc_error *err)
{
    size_t bytes = 1;
    char *at;

    *out = (struct rc_arg_words){0};
    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].option == option)
            bytes += strlen(args->given[i].value) + 1;
    out->text = at = rc_calloc(bytes, 1);
    out->word = rc_calloc(bytes + 1, sizeof *out->word);
    if (!out->text || !out->word)
        return rc_fail(err, RC_ENOMEM, "no memory for options");
    for (size_t i = 0; i < args->given_count; i++) {
        if (args->given[i].option != option)
            continue;
        const size_t length = strlen(args->given[i].value) + 1;
        char *value = memcpy(at, args->given[i].value, length);
        at += length;
        if (!lists)
            out->word[out->count++] = value;
        else if (split_names(out, value))
            return rc_fail(err, RC_EUSAGE, "--%s: expected names, found '%s'",
                           option->name, args->given[i].value);
    }
    return RC_OK;
}

int rc_args_choose(const struct rc_args *args, const struct rc_option *option,
                   const char *const *names, const char *expected, bool *chosen,
                   struct rc_error *err)
{
    struct rc_arg_words words;
    int status = rc_args_words(args, option, true, &words, err);

    for (size_t i = 0; i < words.count && status == RC_OK; i++) {
        const int number = rc_word_find(words.word[i], names);
        if (number >= 0)
            chosen[number] = true;
        else {
            const int nearest = rc_text_nearest(words.word[i], names);
            status = rc_fail(
                err, RC_EUSAGE, "--%s: found '%.200s', expected %s%s%s%s", option->name,
                words.word[i], expected, nearest < 0 ? "" : "; did you mean '",
                nearest < 0 ? "" : names[nearest], nearest < 0 ? "" : "'?");
        }
    }
    rc_arg_words_fini(&words);
    return status;
}

const struct rc_command *rc_command_find(const struct rc_command *const *commands,
                                         const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

int rc_command_unknown(const struct rc_command *const *commands, const char *word,
                       struct rc_error *err)
{
    const char *names[COMMANDS_MOST + 1] = {NULL};

    for (size_t i = 0; i < COMMANDS_MOST && commands[i]; i++)
        names[i] = commands[i]->name;
    int nearest = rc_text_nearest(word, names);
    if (nearest >= 0)
        return rc_fail(err, RC_EUSAGE, "unknown command '%s', did you mean '%s'?", word,
                       names[nearest]);
    return rc_fail(err, RC_EUSAGE, "unknown command '%s', see 'rollcall help'", word);
}
