#include "campaign/spec.h"

#include "campaign/base/agree.h"
#include "campaign/base/file.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/base/yaml.h"
#include "campaign/commands.h"
#include "kernels/kernel.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_qualifiers_names[] = {"none", "umasks", "all", NULL};

enum { REPEAT_LIMIT = 1000000, NAME_BYTES_MAX = 4096 };

/* The file as libcyaml sees it: all values are text. */
struct raw_list {
    char **item;
    uint32_t count;
};

struct raw {
    char *name, *qualifiers, *presets, *repeat, *target, *seed, *group_size, *reference;
    struct raw_list source, suites, events, scopes;
};

static const cyaml_schema_value_t text_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};

/* NOLINTBEGIN(bugprone-macro-parentheses): 'key' names a member */
#define TEXT(key)                                                                      \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw, \
                           key, 0, CYAML_UNLIMITED)
#define LIST(key)                                                                      \
    CYAML_FIELD_SEQUENCE_COUNT(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,         \
                               struct raw, key.item, key.count, &text_schema, 0,       \
                               CYAML_UNLIMITED)
/* NOLINTEND(bugprone-macro-parentheses) */
static const cyaml_schema_field_t raw_fields[] = {
    TEXT(name),       LIST(source),    LIST(suites),   LIST(events), LIST(scopes),
    TEXT(qualifiers), TEXT(presets),   TEXT(repeat),   TEXT(target), TEXT(seed),
    TEXT(group_size), TEXT(reference), CYAML_FIELD_END};
static const cyaml_schema_value_t raw_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw, raw_fields)};

static int list_add(struct rc_list *list, const char *text, size_t length)
{
    if (rc_grow(&list->item, sizeof *list->item, list->count, &list->room))
        return -1;
    char *copy = strndup(text, length);
    if (!copy)
        return -1;
    list->item[list->count++] = copy;
    return 0;
}

static void list_fini(struct rc_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->item[i]);
    free(list->item);
    *list = (struct rc_list){0};
}

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the campaign's settings");
}

/* Setters return NULL, or what was expected.  They leave the spec as it was
 * when they fail for anything but memory.
 */
#define NO_MEMORY "more memory"

static const char *replace(char **slot, const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        return NO_MEMORY;
    free(*slot);
    *slot = copy;
    return NULL;
}

static const char *set_name(struct rc_spec *spec, const char *text)
{
    if (!*text || strlen(text) > NAME_BYTES_MAX)
        return "a name of 1 to 4096 bytes";
    return replace(&spec->name, text);
}

static const char *set_qualifiers(struct rc_spec *spec, const char *text)
{
    int word = rc_word_find(text, rc_qualifiers_names);

    if (word < 0)
        return "none, umasks or all";
    spec->qualifiers = (enum rc_qualifiers)word;
    return NULL;
}

static const char *set_presets(struct rc_spec *spec, const char *text)
{
    return rc_text_bool(text, &spec->presets) ? RC_TEXT_BOOL : NULL;
}

static const char *set_repeat(struct rc_spec *spec, const char *text)
{
    static const char expected[] =
        "MIN or MIN:MAX, whole numbers with 1 <= MIN <= MAX <= 1000000, or auto";
    uint64_t low, high;
    char part[32];
    size_t length = strcspn(text, ":");

    if (strcmp(text, "auto") == 0) {
        spec->repeat_min = 0;
        spec->repeat_max = 30;
        return NULL;
    }
    if (length >= sizeof part)
        return expected;
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    if (rc_text_count(part, &low) || low < 1 || low > REPEAT_LIMIT)
        return expected;
    high = low > 30 ? low : 30;
    if (text[length] && rc_text_count(text + length + 1, &high))
        return expected;
    if (high < low || high > REPEAT_LIMIT)
        return expected;
    spec->repeat_min = (uint32_t)low;
    spec->repeat_max = (uint32_t)high;
    return NULL;
}

static const char *set_target(struct rc_spec *spec, const char *text)
{
    static const char expected[] = "a share such as 0.5% or 0.005, above 0 and below 1";
    char number[64];
    double value;
    size_t length = strlen(text);
    bool percent = length > 1 && text[length - 1] == '%';

    if (length >= sizeof number)
        return expected;
    snprintf(number, sizeof number, "%.*s", (int)(percent ? length - 1 : length), text);
    if (rc_text_real(number, &value))
        return expected;
    value = percent ? value / 100 : value;
    if (!(value > 0 && value < 1))
        return expected;
    spec->target = value;
    return NULL;
}

static const char *set_seed(struct rc_spec *spec, const char *text)
{
    return rc_text_count(text, &spec->seed) ? RC_TEXT_COUNT : NULL;
}

static const char *set_group_size(struct rc_spec *spec, const char *text)
{
    uint64_t value;

    if (rc_text_count(text, &value) || value > 1000000)
        return "a whole number up to 1000000; 0: as many as count together";
    spec->group_size = (uint32_t)value;
    return NULL;
}

static const char *set_reference(struct rc_spec *spec, const char *text)
{
    return *text ? replace(&spec->reference, text) : "auto, none or an event's name";
}

static const char *add_source(struct rc_spec *spec, const char *text)
{
    char name[64];
    size_t length = strcspn(text, ":");

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (length == 0 || length >= sizeof name ||
        (strcmp(text, "auto") != 0 && !rc_source_find(name)))
        return "a source of this build: see 'rollcall help events'";
    for (size_t i = 0; i < spec->sources.count; i++)
        if (strcmp(spec->sources.item[i], text) == 0)
            return NULL;
    return list_add(&spec->sources, text, strlen(text)) ? NO_MEMORY : NULL;
}

static const char *add_suite(struct rc_spec *spec, const char *text)
{
    if (!rc_suite_find(text))
        return "a suite of this build";
    for (size_t i = 0; i < spec->suites.count; i++)
        if (strcmp(spec->suites.item[i], text) == 0)
            return NULL;
    return list_add(&spec->suites, text, strlen(text)) ? NO_MEMORY : NULL;
}

static const char *add_scope(struct rc_spec *spec, const char *text)
{
    int scope = rc_word_find(text, rc_scope_names());

    if (scope < 0)
        return "core, l2, l3, numa, package, node or device";
    if (spec->scope_wanted[scope])
        return NULL;
    spec->scope_wanted[scope] = true;
    return list_add(&spec->scopes, text, strlen(text)) ? NO_MEMORY : NULL;
}

/* Where each setting comes from: a key of the file, an option, or both. */
struct setting {
    const char *key;
    const struct rc_option *option;
    const char *(*set)(struct rc_spec *spec, const char *text);
    size_t text;  /* offset in struct raw of a text, or of a list */
    size_t clear; /* for lists: offset in struct rc_spec; given anew, it starts empty */
    bool is_list;
};

#define ONE(key, option, set)                                                          \
    {                                                                                  \
#key, option, set, offsetof(struct raw, key), 0, false                         \
    }
#define MANY(key, option, set, list)                                                   \
    {                                                                                  \
#key, option, set, offsetof(struct raw, key), offsetof(struct rc_spec, list),  \
            true                                                                       \
    }

static const struct setting settings[] = {
    ONE(name, NULL, set_name),
    MANY(source, &rc_option_source, add_source, sources),
    MANY(suites, &rc_option_suite, add_suite, suites),
    MANY(events, &rc_option_events, NULL, events),
    MANY(scopes, &rc_option_scope, add_scope, scopes),
    ONE(qualifiers, &rc_option_qualifiers, set_qualifiers),
    ONE(presets, &rc_option_presets, set_presets),
    ONE(repeat, &rc_option_repeat, set_repeat),
    ONE(target, NULL, set_target),
    ONE(seed, &rc_option_seed, set_seed),
    ONE(group_size, NULL, set_group_size),
    ONE(reference, NULL, set_reference),
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static void clear(struct rc_spec *spec, const struct setting *setting)
{
    if (setting->clear == offsetof(struct rc_spec, events))
        rc_patterns_fini(&spec->events);
    else
        list_fini((struct rc_list *)(void *)((char *)spec + setting->clear));
    if (setting->clear == offsetof(struct rc_spec, scopes))
        memset(spec->scope_wanted, 0, sizeof spec->scope_wanted);
}

/* One value for one setting.  On a bad value returns RC_EUSAGE with *expected
 * set, or with the line already in 'err' and *expected NULL.
 */
static int put(struct rc_spec *spec, const struct setting *setting, const char *text,
               const char **expected, struct rc_error *err)
{
    if (!setting->set)
        return rc_patterns_add(&spec->events, text, expected, err);
    *expected = setting->set(spec, text);
    if (!*expected)
        return RC_OK;
    return strcmp(*expected, NO_MEMORY) == 0 ? RC_ENOMEM : RC_EUSAGE;
}

static int from_file_text(struct rc_spec *spec, const struct rc_yaml *file,
                          const struct setting *setting, const char *text,
                          const char *where, struct rc_error *err)
{
    const char *expected = NULL;
    int status = put(spec, setting, text, &expected, err);

    if (status == RC_ENOMEM)
        return no_memory(err);
    if (status == RC_EUSAGE && expected)
        return rc_yaml_blame(file, where, err, "%s: '%s', expected %s", where, text,
                             expected);
    return status;
}

static int from_file_setting(struct rc_spec *spec, const struct rc_yaml *file,
                             const struct raw *raw, const struct setting *setting,
                             struct rc_error *err)
{
    const char *base = (const char *)raw + setting->text;
    const struct raw_list *list = (const void *)base;
    char *const *text = (const void *)base;
    char where[64];
    int status = RC_OK;

    if (!setting->is_list)
        return *text ? from_file_text(spec, file, setting, *text, setting->key, err)
                     : RC_OK;
    if (!list->item)
        return RC_OK;
    clear(spec, setting);
    for (uint32_t i = 0; i < list->count && status == RC_OK; i++) {
        snprintf(where, sizeof where, "%s[%" PRIu32 "]", setting->key, i);
        status = from_file_text(spec, file, setting, list->item[i], where, err);
    }
    return status;
}

static int from_file(struct rc_spec *spec, struct rc_yaml *file, struct rc_error *err)
{
    void *raw;
    int status = rc_yaml_load(file, &raw_schema, &raw, err);

    for (size_t i = 0; i < SETTINGS && status == RC_OK; i++)
        status = from_file_setting(spec, file, raw, &settings[i], err);
    rc_yaml_free(&raw_schema, raw);
    return status;
}

/* "A,B" gives two values; event patterns may hold commas and are whole. */
static int from_option_value(struct rc_spec *spec, const struct setting *setting,
                             const char *value, struct rc_error *err)
{
    bool split = setting->is_list && setting->set && setting->set != add_source;
    int status = RC_OK;

    for (const char *p = value; p && status == RC_OK;) {
        size_t length = split ? strcspn(p, ",") : strlen(p);
        char *text = strndup(p, length);
        const char *expected = NULL;
        if (!text)
            return no_memory(err);
        status = put(spec, setting, text, &expected, err);
        if (status == RC_ENOMEM)
            no_memory(err);
        else if (expected)
            rc_fail(err, RC_EUSAGE, "--%s: '%s', expected %s", setting->option->name,
                    text, expected);
        free(text);
        p = p[length] ? p + length + 1 : NULL;
    }
    return status;
}

static int from_options(struct rc_spec *spec, const struct rc_args *args,
                        struct rc_error *err)
{
    bool cleared[SETTINGS] = {false};
    int status = RC_OK;

    for (size_t i = 0; i < args->given_count && status == RC_OK; i++)
        for (size_t s = 0; s < SETTINGS; s++) {
            if (settings[s].option != args->given[i].option || !settings[s].option)
                continue;
            if (settings[s].is_list && !cleared[s])
                clear(spec, &settings[s]);
            cleared[s] = true;
            status = from_option_value(spec, &settings[s], args->given[i].value, err);
            break;
        }
    for (size_t i = 0; i < args->operand_count && status == RC_OK; i++) {
        const struct setting events = MANY(events, &rc_option_events, NULL, events);
        if (i == 0 && !rc_args_has(args, &rc_option_events))
            clear(spec, &events);
        status = from_option_value(spec, &events, args->operands[i], err);
    }
    return status;
}

static int defaults(struct rc_spec *spec, struct rc_error *err)
{
    *spec = (struct rc_spec){.qualifiers = RC_QUALIFIERS_UMASKS,
                             .repeat_max = 30,
                             .target = 0.005,
                             .seed = 1};
    if (set_name(spec, "campaign") || set_reference(spec, "auto") ||
        list_add(&spec->sources, "auto", 4))
        return no_memory(err);
    return RC_OK;
}

int rc_spec_resolve(const struct rc_args *args, struct rc_spec *out,
                    struct rc_error *err)
{
    const char *path = rc_args_value(args, &rc_option_campaign);
    struct rc_yaml file = {0};
    int status = defaults(out, err);

    if (status == RC_OK && path)
        status = rc_yaml_open(path, &file, err);
    if (status == RC_OK && path)
        status = from_file(out, &file, err);
    if (status == RC_OK)
        status = from_options(out, args, err);
    rc_yaml_fini(&file);
    if (status != RC_OK)
        rc_spec_fini(out);
    return status;
}

int rc_spec_agree(MPI_Comm comm, const struct rc_args *args, struct rc_spec *out,
                  struct rc_error *err)
{
    int status = rc_agree(comm, rc_spec_resolve(args, out, err), err);

    if (status != RC_OK)
        rc_spec_fini(out);
    return status;
}

int rc_spec_from_text(const char *name, const char *text, size_t bytes,
                      struct rc_spec *out, struct rc_error *err)
{
    struct rc_yaml file = {0};
    int status = defaults(out, err);

    if (status == RC_OK)
        status = rc_yaml_from_text(name, text, bytes, &file, err);
    if (status == RC_OK)
        status = from_file(out, &file, err);
    rc_yaml_fini(&file);
    if (status != RC_OK)
        rc_spec_fini(out);
    return status;
}

int rc_spec_only_source(struct rc_spec *spec, const char *source, struct rc_error *err)
{
    list_fini(&spec->sources);
    const char *expected = add_source(spec, source);
    if (!expected)
        return RC_OK;
    return strcmp(expected, NO_MEMORY) == 0
               ? no_memory(err)
               : rc_fail(err, RC_EUSAGE, "--source: '%s', expected %s", source,
                         expected);
}

bool rc_spec_names_suite(const struct rc_spec *spec, const struct rc_suite *suite)
{
    for (size_t i = 0; i < spec->suites.count; i++)
        if (strcmp(spec->suites.item[i], suite->name) == 0)
            return true;
    return spec->suites.count == 0;
}

void rc_spec_fini(struct rc_spec *spec)
{
    free(spec->name);
    free(spec->reference);
    list_fini(&spec->sources);
    list_fini(&spec->suites);
    rc_patterns_fini(&spec->events);
    list_fini(&spec->scopes);
    *spec = (struct rc_spec){0};
}

static struct raw_list raw_list(const struct rc_list *list)
{
    return (struct raw_list){list->item, (uint32_t)list->count};
}

int rc_spec_text(const struct rc_spec *spec, char **text, size_t *bytes,
                 struct rc_error *err)
{
    char presets[] = "yes", repeat[32] = "auto", target[32], seed[32], group_size[32];
    char qualifiers[16];

    if (!spec->presets)
        snprintf(presets, sizeof presets, "no");
    if (spec->repeat_min)
        snprintf(repeat, sizeof repeat, "%" PRIu32 ":%" PRIu32, spec->repeat_min,
                 spec->repeat_max);
    snprintf(target, sizeof target, "%.15g", spec->target);
    if (strtod(target, NULL) != spec->target) /* short where that says it all */
        snprintf(target, sizeof target, "%.17g", spec->target);
    snprintf(seed, sizeof seed, "%" PRIu64, spec->seed);
    snprintf(group_size, sizeof group_size, "%" PRIu32, spec->group_size);
    snprintf(qualifiers, sizeof qualifiers, "%s",
             rc_qualifiers_names[spec->qualifiers]);
    struct raw raw = {.name = spec->name,
                      .source = raw_list(&spec->sources),
                      .suites = raw_list(&spec->suites),
                      .events = {spec->events.item, (uint32_t)spec->events.count},
                      .scopes = raw_list(&spec->scopes),
                      .qualifiers = qualifiers,
                      .presets = presets,
                      .repeat = repeat,
                      .target = target,
                      .seed = seed,
                      .group_size = group_size,
                      .reference = spec->reference};
    return rc_yaml_save(&raw_schema, &raw, text, bytes, err);
}

int rc_spec_write(const struct rc_spec *spec, const char *path, struct rc_error *err)
{
    char *text;
    size_t bytes;
    int status = rc_spec_text(spec, &text, &bytes, err);

    if (status == RC_OK)
        status = rc_file_replace(path, text, bytes, err);
    free(text);
    return status;
}

bool rc_spec_takes(const struct rc_spec *spec, const char *event, enum rc_scope scope)
{
    if (spec->scopes.count && !spec->scope_wanted[scope])
        return false;
    return rc_patterns_take(&spec->events, event);
}
