/* The keys of a campaign file: schema, options, defaults and checks, in one table.
 *
 * A setter gets a text, from the file or from an option, and returns NULL, or a text of
 * what it expected; the caller, who knows where the value stood, writes the message.
 */
#include "campaign/spec/options.h"
#include "campaign/spec/parts.h"

#include "campaign/base/text.h"
#include "io/journal/journal.h"
#include "kernels/own/own.h"

#include <string.h>

enum {
    REPEAT_USUAL = 30,
    REPEAT_LIMIT = 1000000,
    NAME_BYTES_MAX = 4096,
    DEFINITIONS_MAX = 100,
    SUBMIT_MAX = 1000
};

static const cyaml_schema_value_t text_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};

/* NOLINTBEGIN(bugprone-macro-parentheses): 'key' names a member */
#define TEXT(key)                                                                      \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,             \
                           struct rc_spec_raw, key, 0, CYAML_UNLIMITED)
#define LIST(key)                                                                      \
    CYAML_FIELD_SEQUENCE_COUNT(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,         \
                               struct rc_spec_raw, key.item, key.count, &text_schema,  \
                               0, CYAML_UNLIMITED)
/* NOLINTEND(bugprone-macro-parentheses) */
static const cyaml_schema_field_t raw_fields[] = {
    TEXT(name),
    LIST(source),
    LIST(suites),
    LIST(axes),
    LIST(events),
    LIST(scopes),
    TEXT(qualifiers),
    TEXT(presets),
    TEXT(repeat),
    TEXT(target),
    TEXT(seed),
    TEXT(group_size),
    TEXT(reference),
    TEXT(replicate),
    TEXT(smt),
    TEXT(sync),
    LIST(submit),
    LIST(definitions),
    CYAML_FIELD_SEQUENCE_COUNT("metrics", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                               struct rc_spec_raw, metrics, metrics_count,
                               &rc_metric_text_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};

const cyaml_schema_value_t rc_spec_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct rc_spec_raw, raw_fields)};

/* Appends a copy; with 'once' only if the list does not have it. */
static const char *add_to_list(struct rc_spec *spec, struct rc_list *list,
                               const char *text, bool once)
{
    for (size_t i = 0; once && i < list->count; i++)
        if (strcmp(list->item[i], text) == 0)
            return NULL;
    if (rc_grow(&list->item, sizeof *list->item, list->count, &list->room))
        spec->arena.failed = true;
    else
        list->item[list->count++] = (char *)rc_arena_text(&spec->arena, text);
    return NULL;
}

int rc_spec_check_memory(const struct rc_spec *spec, struct rc_error *err)
{
    return rc_arena_check(&spec->arena, err, "the campaign's settings");
}

static const char *set_name(struct rc_spec *spec, const char *text)
{
    if (!*text || strlen(text) > NAME_BYTES_MAX)
        return "a name of 1 to 4096 bytes";
    spec->name = rc_arena_text(&spec->arena, text);
    return NULL;
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

/* "auto" leaves the minimum to the source, which is 0; without MAX the usual maximum
 * holds.
 */
static const char *set_repeat(struct rc_spec *spec, const char *text)
{
    static const char expected[] =
        "MIN, MIN:MAX, auto or auto:MAX, whole numbers with 1 <= MIN <= MAX <= 1000000";
    uint64_t low = 0, high = 0;
    char part[32];
    size_t length = strcspn(text, ":");

    if (length >= sizeof part)
        return expected;
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    if (strcmp(part, "auto") != 0 &&
        (rc_text_count(part, &low) || low < 1 || low > REPEAT_LIMIT))
        return expected;
    if (!text[length])
        high = low > REPEAT_USUAL ? low : REPEAT_USUAL;
    else if (rc_text_count(text + length + 1, &high))
        return expected;
    if (high < low || high < 1 || high > REPEAT_LIMIT)
        return expected;
    spec->repeat_min = (uint32_t)low;
    spec->repeat_max = (uint32_t)high;
    return NULL;
}

/* "0.5%" and "0.005" are the same share. */
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
    if (!*text)
        return "auto, none or an event's name";
    spec->reference = rc_arena_text(&spec->arena, text);
    return NULL;
}

static const char *set_replicate(struct rc_spec *spec, const char *text)
{
    int word = rc_word_find(text, rc_replicate_names);

    if (word < 0)
        return "none, node or core";
    spec->replicate = (enum rc_replicate)word;
    return NULL;
}

static const char *set_smt(struct rc_spec *spec, const char *text)
{
    return rc_text_bool(text, &spec->smt) ? RC_TEXT_BOOL : NULL;
}

/* Kept in milliseconds, or as one of the journal's two special values. */
static const char *set_sync(struct rc_spec *spec, const char *text)
{
    enum { NS_IN_MS = 1000000 };
    uint64_t ns;

    if (strcmp(text, "never") == 0) {
        spec->sync_ms = RC_JOURNAL_SYNC_NEVER;
    } else if (strcmp(text, "always") == 0) {
        spec->sync_ms = RC_JOURNAL_SYNC_EACH;
    } else {
        if (rc_text_duration(text, &ns) || ns < NS_IN_MS)
            return "never, always or " RC_TEXT_DURATION " of at least 1ms";
        spec->sync_ms = (int64_t)(ns / NS_IN_MS);
    }
    return NULL;
}

enum { NAMES_MOST = 64 }; /* suites or sources that are searched */

/* "a suite of this build, did you mean 'flops'?", or all names if none is near.  The
 * spec owns it.
 */
static const char *one_of(struct rc_spec *spec, const char *what, const char *text,
                          const char *const *names)
{
    const int nearest = rc_text_nearest(text, names);
    char line[1024] = "";

    rc_text_append(line, sizeof line, "%s", what);
    if (nearest >= 0) {
        rc_text_append(line, sizeof line, ", did you mean '%s'?", names[nearest]);
    } else {
        rc_text_append(line, sizeof line, ": ");
        rc_text_append_list(line, sizeof line, names);
    }
    const char *kept = rc_arena_text(&spec->arena, line);
    return kept ? kept : what;
}

const char *rc_spec_suite_expected(struct rc_spec *spec, const char *text)
{
    const char *names[NAMES_MOST + 1] = {NULL};

    for (size_t i = 0; i < NAMES_MOST && rc_suites()[i]; i++)
        names[i] = rc_suites()[i]->name;
    return one_of(spec, "a suite of this build", text, names);
}

/* "NAME" or "NAME:ARGUMENT"; the argument is checked when the source is opened. */
static const char *add_source(struct rc_spec *spec, const char *text)
{
    char name[64];
    size_t length = strcspn(text, ":");

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const bool known = strcmp(text, "auto") == 0 ||
                       (length > 0 && length < sizeof name && rc_source_find(name));
    if (!known && strcmp(name, "pcp") == 0)
        return "a source of this build, which was made without libpcp";
    if (!known) {
        const char *names[NAMES_MOST + 1] = {"auto"};
        for (size_t i = 0; i + 1 < NAMES_MOST && rc_sources()[i]; i++)
            names[i + 1] = rc_sources()[i]->name;
        return one_of(spec, "a source of this build", name, names);
    }
    return add_to_list(spec, &spec->sources, text, true);
}

static const char *add_suite(struct rc_spec *spec, const char *text)
{
    if (!rc_suite_find(text) && !rc_own_is_name(text))
        return rc_spec_suite_expected(spec, text);
    return add_to_list(spec, &spec->suites, text, true);
}

/* Each axis has one list.  Only suites know which words and numbers they can take. */
static const char *add_axis(struct rc_spec *spec, const char *text)
{
    const size_t name = strcspn(text, "=") + 1;
    struct rc_error err;

    if (rc_axes_check_text(text, &err) != RC_OK) {
        const char *kept = rc_arena_text(&spec->arena, err.text);
        return kept ? kept : "NAME=LIST";
    }
    for (size_t i = 0; i < spec->axes.count; i++)
        if (strncmp(spec->axes.item[i], text, name) == 0)
            return "one list for each axis";
    return add_to_list(spec, &spec->axes, text, false);
}

static const char *add_scope(struct rc_spec *spec, const char *text)
{
    int scope = rc_word_find(text, rc_scope_names());

    if (scope < 0)
        return "core, l2, l3, numa, package, node or device";
    spec->scope_wanted[scope] = true;
    return add_to_list(spec, &spec->scopes, text, true);
}

/* Only 'submit' knows which options there are, and their meaning. */
static const char *add_submit(struct rc_spec *spec, const char *text)
{
    if (strncmp(text, "--", 2) != 0 || strlen(text) > NAME_BYTES_MAX)
        return "an option of submit as it is typed, --nodes=4";
    if (spec->submit.count == SUBMIT_MAX)
        return "at most 1000 options";
    return add_to_list(spec, &spec->submit, text, false);
}

static const char *add_definitions(struct rc_spec *spec, const char *text)
{
    if (!*text || strlen(text) > NAME_BYTES_MAX)
        return "a file's path of 1 to 4096 bytes";
    if (spec->definitions.count == DEFINITIONS_MAX)
        return "at most 100 files";
    return add_to_list(spec, &spec->definitions, text, false);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): 'member' and 'list' name members */
#define ONE(member) .key = #member, .text = offsetof(struct rc_spec_raw, member)
#define MANY(member, list)                                                             \
    ONE(member), .clear = offsetof(struct rc_spec, list), .is_list = true
/* NOLINTEND(bugprone-macro-parentheses) */

const struct rc_spec_setting rc_spec_settings[RC_SPEC_SETTINGS] = {
    {ONE(name), .option = &rc_option_name, .set = set_name},
    {MANY(source, sources), .option = &rc_option_source, .set = add_source,
     .change = RC_SPEC_MORE},
    {MANY(suites, suites), .option = &rc_option_suite, .set = add_suite, .commas = true,
     .change = RC_SPEC_MORE},
    {MANY(axes, axes), .option = &rc_option_axis, .set = add_axis,
     .change = RC_SPEC_CONFLICT},
    {MANY(events, events), .option = &rc_option_events, .change = RC_SPEC_MORE},
    {MANY(scopes, scopes), .option = &rc_option_scope, .set = add_scope, .commas = true,
     .change = RC_SPEC_MORE},
    {ONE(qualifiers), .option = &rc_option_qualifiers, .set = set_qualifiers,
     .change = RC_SPEC_MORE},
    {ONE(presets), .option = &rc_option_presets, .set = set_presets,
     .change = RC_SPEC_MORE},
    {ONE(repeat), .option = &rc_option_repeat, .set = set_repeat,
     .change = RC_SPEC_MORE},
    {ONE(target), .set = set_target, .change = RC_SPEC_MORE},
    {ONE(seed), .option = &rc_option_seed, .set = set_seed, .change = RC_SPEC_CONFLICT},
    {ONE(group_size), .set = set_group_size, .change = RC_SPEC_MORE},
    {ONE(reference), .set = set_reference, .change = RC_SPEC_MORE},
    {ONE(replicate), .option = &rc_option_replicate, .set = set_replicate,
     .change = RC_SPEC_MORE},
    {ONE(smt), .option = &rc_option_smt, .set = set_smt},
    {ONE(sync), .option = &rc_option_sync, .set = set_sync},
    {MANY(submit, submit), .set = add_submit},
    {MANY(definitions, definitions), .set = add_definitions},
};

void rc_spec_defaults(struct rc_spec *spec)
{
    *spec = (struct rc_spec){.name = RC_SPEC_NAME,
                             .reference = "auto",
                             .qualifiers = RC_QUALIFIERS_UMASKS,
                             .repeat_max = REPEAT_USUAL,
                             .target = 0.005,
                             .seed = 1,
                             .sync_ms = 1000};
    add_source(spec, "auto");
}

int rc_spec_only_source(struct rc_spec *spec, const char *source, struct rc_error *err)
{
    spec->sources.count = 0;
    const char *expected = add_source(spec, source);
    return expected ? rc_fail(err, RC_EUSAGE, "--source: '%s', expected %s", source,
                              expected)
                    : rc_spec_check_memory(spec, err);
}
