/* Resolves defaults, campaign file and options into one spec, the same on all ranks.
 *
 * Every setting is a row of rc_spec_settings[], and every value, whether from the file
 * or from an option, is a text that goes through the row's setter.  A new list replaces
 * the old one: options replace the file's list, the file's list the default.
 */
#include "campaign/spec/options.h"
#include "campaign/spec/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "kernels/own/own.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void clear_list(struct rc_spec *spec, const struct rc_spec_setting *setting)
{
    if (setting->clear == offsetof(struct rc_spec, events))
        rc_patterns_fini(&spec->events);
    else
        ((struct rc_list *)(void *)((char *)spec + setting->clear))->count = 0;
    if (setting->clear == offsetof(struct rc_spec, scopes))
        memset(spec->scope_wanted, 0, sizeof spec->scope_wanted);
}

/* Sets one setting to one value.  On a bad value returns RC_EUSAGE with *expected set,
 * or with the line already in 'err' and *expected NULL.
 */
static int put_value(struct rc_spec *spec, const struct rc_spec_setting *setting,
                     const char *text, const char **expected, struct rc_error *err)
{
    if (!setting->set)
        return rc_patterns_add(&spec->events, text, expected, err);
    *expected = setting->set(spec, text);
    return *expected ? RC_EUSAGE : RC_OK;
}

/* 'where' is the key, or "KEY[INDEX]", for messages that name the line of the file. */
static int from_file_text(struct rc_spec *spec, struct rc_yaml *file,
                          const struct rc_spec_setting *setting, const char *text,
                          const char *where, struct rc_error *err)
{
    const char *expected;
    const int status = put_value(spec, setting, text, &expected, err);

    return expected ? rc_yaml_blame(file, where, err, "%s: '%s', expected %s", where,
                                    text, expected)
                    : status;
}

/* A key that the file does not have leaves the setting; an empty list clears it. */
static int from_file_setting(struct rc_spec *spec, struct rc_yaml *file,
                             const struct rc_spec_raw *raw,
                             const struct rc_spec_setting *setting,
                             struct rc_error *err)
{
    const char *base = (const char *)raw + setting->text;
    const struct rc_spec_raw_list *list = (const void *)base;
    char *const *text = (const void *)base;
    char where[64];
    int status = RC_OK;

    if (!setting->is_list)
        return *text ? from_file_text(spec, file, setting, *text, setting->key, err)
                     : RC_OK;
    if (!list->item)
        return RC_OK;
    clear_list(spec, setting);
    for (uint32_t i = 0; i < list->count; i++) {
        snprintf(where, sizeof where, "%s[%" PRIu32 "]", setting->key, i);
        if ((status = from_file_text(spec, file, setting, list->item[i], where, err)) !=
            RC_OK)
            return status;
    }
    return RC_OK;
}

static int from_file(struct rc_spec *spec, struct rc_yaml *file, struct rc_error *err)
{
    void *raw;
    int status;

    if ((status = rc_yaml_load(file, &rc_spec_schema, &raw, err)) != RC_OK)
        return status;
    for (size_t i = 0; i < RC_SPEC_SETTINGS; i++)
        if ((status = from_file_setting(spec, file, raw, &rc_spec_settings[i], err)) !=
            RC_OK)
            goto out;
    if ((status = rc_spec_metrics_read(spec, file, raw, err)) == RC_OK)
        status = rc_spec_check_memory(spec, err);
out:
    rc_yaml_free(&rc_spec_schema, raw);
    return status;
}

/* "A,B" gives two values; event patterns may have commas and are not split.  An option
 * without an argument means yes.
 */
static int from_option_value(struct rc_spec *spec,
                             const struct rc_spec_setting *setting, const char *value,
                             struct rc_error *err)
{
    int status = RC_OK;

    for (const char *p = value ? value : "yes"; p;) {
        size_t length = setting->commas ? strcspn(p, ",") : strlen(p);
        char *text = strndup(p, length);
        const char *expected;
        if (!text)
            return rc_fail(err, RC_ENOMEM, "no memory for the campaign's settings");
        status = put_value(spec, setting, text, &expected, err);
        if (expected)
            rc_fail(err, RC_EUSAGE, "--%s: '%s', expected %s", setting->option->name,
                    text, expected);
        free(text);
        p = p[length] ? p + length + 1 : NULL;
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* The index of an option's setting, or RC_SPEC_SETTINGS. */
static size_t setting_of(const struct rc_option *option)
{
    size_t s = 0;

    while (s < RC_SPEC_SETTINGS && rc_spec_settings[s].option != option)
        s++;
    return s;
}

/* Operands are patterns of events, after those of --events. */
static int from_options(struct rc_spec *spec, const struct rc_args *args,
                        struct rc_error *err)
{
    const struct rc_spec_setting *operands =
        &rc_spec_settings[setting_of(&rc_option_events)];
    bool cleared[RC_SPEC_SETTINGS] = {false};
    int status;

    for (size_t i = 0; i < args->given_count; i++) {
        const size_t s = setting_of(args->given[i].option);
        if (s == RC_SPEC_SETTINGS)
            continue;
        if (rc_spec_settings[s].is_list && !cleared[s])
            clear_list(spec, &rc_spec_settings[s]);
        cleared[s] = true;
        if ((status = from_option_value(spec, &rc_spec_settings[s],
                                        args->given[i].value, err)) != RC_OK)
            return status;
    }
    if (args->operand_count && !rc_args_has(args, &rc_option_events))
        clear_list(spec, operands);
    for (size_t i = 0; i < args->operand_count; i++)
        if ((status = from_option_value(spec, operands, args->operands[i], err)) !=
            RC_OK)
            return status;
    return rc_spec_check_memory(spec, err);
}

/* Adds the files of --kernel: only the user names them, for each run, since their code
 * is executed.
 */
static int add_kernels(const struct rc_args *args, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].option == &rc_option_kernel &&
            (status = rc_own_add(args->given[i].value, err)) != RC_OK)
            return status;
    return status;
}

static bool is_wanted(const struct rc_suite *suite, const void *of)
{
    return rc_spec_wants_suite(of, suite);
}

/* Axes that the user names in this call must be those of suites that are wanted; a
 * campaign that exists may have axes of suites that are not wanted this time.
 */
static int check_axes(const struct rc_args *args, const struct rc_spec *spec,
                      struct rc_error *err)
{
    const struct rc_axes axes = rc_spec_axes(spec);

    return rc_args_has(args, &rc_option_axis) || rc_args_has(args, &rc_option_campaign)
               ? rc_axes_check(&axes, rc_suites(), is_wanted, spec, err)
               : RC_OK;
}

/* A command that has --kernel needs the file of each suite that comes from one. */
static int check_kernels(const struct rc_args *args, const struct rc_spec *spec,
                         struct rc_error *err)
{
    static const struct rc_option *const none[] = {NULL};
    const struct rc_option *const *option =
        args->command ? args->command->options : none;

    while (*option && *option != &rc_option_kernel)
        option++;
    for (size_t i = 0; i < spec->suites.count && *option; i++)
        if (!rc_suite_find(spec->suites.item[i]))
            return rc_fail(
                err, RC_EUSAGE,
                "suite '%.60s' comes from a file of yours: expected --kernel FILE",
                spec->suites.item[i]);
    return RC_OK;
}

int rc_spec_resolve(const struct rc_args *args, const char *base,
                    enum rc_file_place place, struct rc_spec *out, struct rc_error *err)
{
    const char *given = rc_args_value(args, &rc_option_campaign);
    const char *path = given ? given : base;
    struct rc_yaml file = {0};
    int status;

    rc_spec_defaults(out);
    if ((status = add_kernels(args, err)) != RC_OK)
        goto out;
    if (path && ((status = rc_yaml_open(path, given ? RC_FILE_GIVEN : place, &file,
                                        err)) != RC_OK ||
                 (status = from_file(out, &file, err)) != RC_OK))
        goto out;
    if ((status = rc_spec_metrics_check(out, err)) == RC_OK)
        status = from_options(out, args, err);
    if (status != RC_OK)
        goto out;
    if ((status = check_kernels(args, out, err)) == RC_OK)
        status = check_axes(args, out, err);
out:
    rc_yaml_fini(&file);
    if (status != RC_OK)
        rc_spec_fini(out);
    return status;
}

int rc_spec_agree(MPI_Comm comm, const struct rc_args *args, const char *base,
                  struct rc_spec *out, struct rc_error *err)
{
    int status = rc_agree(comm, rc_spec_resolve(args, base, RC_FILE_IN, out, err), err);

    if (status != RC_OK)
        rc_spec_fini(out);
    return status;
}

int rc_spec_from_text(const char *name, const char *text, size_t bytes,
                      struct rc_spec *out, struct rc_error *err)
{
    struct rc_yaml file = {0};
    int status;

    rc_spec_defaults(out);
    if ((status = rc_yaml_from_text(name, text, bytes, &file, err)) == RC_OK)
        status = from_file(out, &file, err);
    rc_yaml_fini(&file);
    if (status != RC_OK)
        rc_spec_fini(out);
    return status;
}

bool rc_spec_names_suite(const struct rc_spec *spec, const struct rc_suite *suite)
{
    for (size_t i = 0; i < spec->suites.count; i++)
        if (strcmp(spec->suites.item[i], suite->name) == 0)
            return true;
    return spec->suites.count == 0;
}

bool rc_spec_wants_suite(const struct rc_spec *spec, const struct rc_suite *suite)
{
    return spec->suites.count ? rc_spec_names_suite(spec, suite) : suite->by_default;
}

struct rc_axes rc_spec_axes(const struct rc_spec *spec)
{
    return (struct rc_axes){(const char *const *)spec->axes.item, spec->axes.count};
}

void rc_spec_fini(struct rc_spec *spec)
{
    free(spec->sources.item);
    free(spec->suites.item);
    free(spec->axes.item);
    rc_patterns_fini(&spec->events);
    free(spec->scopes.item);
    free(spec->submit.item);
    free(spec->definitions.item);
    rc_arena_free(&spec->arena);
    *spec = (struct rc_spec){0};
}

bool rc_spec_takes(const struct rc_spec *spec, const char *event, enum rc_scope scope)
{
    if (spec->scopes.count && !spec->scope_wanted[scope])
        return false;
    return rc_patterns_may_take(&spec->events, event);
}

enum { REPEAT_MIN = 5, REPEAT_MIN_DETERMINISTIC = 2, REPEAT_MAX = 30 };

uint32_t rc_spec_repeat_min(const struct rc_spec *spec, bool deterministic)
{
    if (spec->repeat_min)
        return spec->repeat_min;
    return deterministic ? REPEAT_MIN_DETERMINISTIC : REPEAT_MIN;
}

uint32_t rc_spec_repeat_max(const struct rc_spec *spec, bool deterministic)
{
    uint32_t min = rc_spec_repeat_min(spec, deterministic);
    uint32_t max = spec->repeat_max ? spec->repeat_max : REPEAT_MAX;

    return max > min ? max : min;
}

const char *rc_spec_name(char *out, size_t room, const char *name, const char *dir)
{
    char path[PATH_MAX];
    const char *base;

    out[0] = 0;
    if (strcmp(name, RC_SPEC_NAME) == 0 && realpath(dir, path) &&
        (base = strrchr(path, '/')) && base[1])
        name = base + 1;
    rc_text_append(out, room, "%s", name);
    return out;
}
