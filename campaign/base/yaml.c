/* YAML files read with libcyaml, with errors that name file, line and key.
 *
 * libcyaml reports neither the line nor the key of an error, so the text is walked with
 * libyaml along the same schema before libcyaml loads it.  The same walk finds the
 * lines of values, for readers that refuse one later.
 */
#include "campaign/base/yaml.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define FILE_BYTES_MAX ((size_t)64 << 20)
#define PATH_MAX_TEXT 256 /* bytes of "events[3].counts" */
#define KEYS_MAX 64       /* in one mapping: each is a bit of a number */

int rc_yaml_from_text(const char *name, const char *text, size_t bytes,
                      struct rc_yaml *out, struct rc_error *err)
{
    *out = (struct rc_yaml){.bytes = bytes};
    out->name = strdup(name);
    out->text = malloc(bytes + 1);
    if (!out->name || !out->text) {
        rc_yaml_fini(out);
        return rc_fail(err, RC_ENOMEM, "no memory for the text of '%s'", name);
    }
    memcpy(out->text, text, bytes);
    out->text[bytes] = 0;
    return RC_OK;
}

int rc_yaml_open(const char *path, enum rc_file_place place, struct rc_yaml *out,
                 struct rc_error *err)
{
    char *text;
    size_t bytes;

    *out = (struct rc_yaml){0};
    int status = rc_file_read(path, place, FILE_BYTES_MAX, &text, &bytes, err);
    if (status == RC_OK)
        status = rc_yaml_from_text(path, text, bytes, out, err);
    free(text);
    return status;
}

void rc_yaml_fini(struct rc_yaml *file)
{
    free(file->name);
    free(file->text);
    free(file->line);
    *file = (struct rc_yaml){0};
}

/* The line on which the value of that path begins. */
struct rc_yaml_line {
    uint64_t path; /* its hash */
    size_t line;
};

struct lines {
    struct rc_yaml_line *line;
    size_t count, room;
};

/* One walk over the text along the schema: checks it, and notes the line of each value
 * if 'lines' is not NULL.
 */
struct walk {
    const struct rc_yaml *file;
    yaml_parser_t parser;
    yaml_event_t event; /* parsed last */
    bool event_is_set;
    char path[PATH_MAX_TEXT]; /* the value at hand: "events[3].counts" */
    struct lines *lines;      /* NULL: not wanted */
    struct rc_error *err;
};

static size_t line_of(const struct walk *w)
{
    return w->event.start_mark.line + 1;
}

__attribute__((format(printf, 2, 3))) static int wrong(struct walk *w,
                                                       const char *format, ...)
{
    va_list args;
    char text[RC_ERROR_TEXT];

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rc_fail(w->err, RC_EUSAGE, "%s:%zu: %s", w->file->name, line_of(w), text);
}

/* Goes on to the next event of the text. */
static int next_event(struct walk *w)
{
    if (w->event_is_set)
        yaml_event_delete(&w->event);
    w->event_is_set = yaml_parser_parse(&w->parser, &w->event);
    if (w->event_is_set)
        return RC_OK;
    if (w->parser.error == YAML_MEMORY_ERROR)
        return rc_fail(w->err, RC_ENOMEM, "no memory to read '%s'", w->file->name);
    if (w->parser.error == YAML_READER_ERROR) /* its mark is not set */
        return rc_fail(w->err, RC_EUSAGE,
                       "%s: not YAML, but binary: %s at byte %zu, expected text",
                       w->file->name, w->parser.problem, w->parser.problem_offset);
    return rc_fail(w->err, RC_EUSAGE, "%s:%zu: not YAML: %s", w->file->name,
                   w->parser.problem_mark.line + 1,
                   w->parser.problem ? w->parser.problem : "unreadable text");
}

static const char *shape_name(cyaml_type_e type)
{
    return type == CYAML_MAPPING    ? "a mapping of keys"
           : type == CYAML_SEQUENCE ? "a list"
                                    : "a single value";
}

static const char *event_shape(yaml_event_type_t type)
{
    return type == YAML_MAPPING_START_EVENT    ? "a mapping"
           : type == YAML_SEQUENCE_START_EVENT ? "a list"
           : type == YAML_ALIAS_EVENT          ? "an alias"
                                               : "a single value";
}

static const char *anchor_of(const yaml_event_t *event)
{
    const yaml_char_t *anchor =
        event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
        : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
        : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
        : event->type == YAML_ALIAS_EVENT          ? event->data.alias.anchor
                                                   : NULL;
    return (const char *)anchor;
}

static int check_value(struct walk *w, const cyaml_schema_value_t *schema);

/* The number of the field whose key is the event at hand.  Each key may come once:
 * 'seen' has a bit for each field.  The error for an unknown key names the nearest one,
 * or all.
 */
static int find_field(struct walk *w, const cyaml_schema_field_t *fields,
                      uint64_t *seen, size_t *index)
{
    if (w->event.type != YAML_SCALAR_EVENT)
        return wrong(w, "expected a key, found %s", event_shape(w->event.type));
    const char *key = (const char *)w->event.data.scalar.value;
    const char *names[KEYS_MAX + 1] = {NULL};
    char list[512] = "";
    if (anchor_of(&w->event))
        return wrong(w, "anchors and aliases are not accepted here: write it out");
    for (size_t i = 0; fields[i].key; i++) {
        if (strcmp(fields[i].key, key) != 0)
            continue;
        if (*seen & (UINT64_C(1) << i))
            return wrong(w, "key '%s' is given twice", key);
        *seen |= UINT64_C(1) << i;
        *index = i;
        return RC_OK;
    }
    for (size_t i = 0; i < KEYS_MAX && fields[i].key; i++)
        names[i] = fields[i].key;
    const int nearest = rc_text_nearest(key, names);
    if (nearest >= 0)
        return wrong(w, "unknown key '%s', did you mean '%s'?", key, names[nearest]);
    rc_text_append_list(list, sizeof list, names);
    return wrong(w, "unknown key '%s', expected one of: %s", key, list);
}

/* These functions call each other as deep as the schema goes, not as the file. */
/* NOLINTBEGIN(misc-no-recursion) */
static int check_mapping(struct walk *w, const cyaml_schema_field_t *fields)
{
    size_t depth = strlen(w->path), first_line = line_of(w);
    uint64_t seen = 0;
    int status;

    while ((status = next_event(w)) == RC_OK &&
           w->event.type != YAML_MAPPING_END_EVENT) {
        size_t i = 0;
        if ((status = find_field(w, fields, &seen, &i)) != RC_OK)
            return status;
        snprintf(w->path + depth, sizeof w->path - depth, "%s%s", depth ? "." : "",
                 fields[i].key);
        if ((status = next_event(w)) != RC_OK ||
            (status = check_value(w, &fields[i].value)) != RC_OK)
            return status;
        w->path[depth] = 0;
    }
    if (status != RC_OK)
        return status;
    for (size_t i = 0; fields[i].key; i++)
        if (!(fields[i].value.flags & CYAML_FLAG_OPTIONAL) &&
            !(seen & (UINT64_C(1) << i)))
            return rc_fail(w->err, RC_EUSAGE, "%s:%zu: key '%s' is missing",
                           w->file->name, first_line, fields[i].key);
    return RC_OK;
}

static int check_sequence(struct walk *w, const cyaml_schema_value_t *entry)
{
    size_t depth = strlen(w->path);
    int status;

    for (size_t i = 0;
         (status = next_event(w)) == RC_OK && w->event.type != YAML_SEQUENCE_END_EVENT;
         i++) {
        snprintf(w->path + depth, sizeof w->path - depth, "[%zu]", i);
        if ((status = check_value(w, entry)) != RC_OK)
            return status;
        w->path[depth] = 0;
    }
    return status;
}

static int check_value(struct walk *w, const cyaml_schema_value_t *schema)
{
    yaml_event_type_t found = w->event.type;
    yaml_event_type_t expected =
        schema->type == CYAML_MAPPING    ? YAML_MAPPING_START_EVENT
        : schema->type == CYAML_SEQUENCE ? YAML_SEQUENCE_START_EVENT
                                         : YAML_SCALAR_EVENT;

    struct lines *lines = w->lines;

    if (lines && rc_grow(&lines->line, sizeof *lines->line, lines->count, &lines->room))
        return rc_fail(w->err, RC_ENOMEM, "no memory for the lines of '%s'",
                       w->file->name);
    if (lines)
        lines->line[lines->count++] =
            (struct rc_yaml_line){rc_text_hash(w->path), line_of(w)};
    if (anchor_of(&w->event))
        return wrong(w, "anchors and aliases are not accepted here: write it out");
    if (found != expected)
        return wrong(w, "%s%s%sexpected %s, found %s", w->path[0] ? "'" : "", w->path,
                     w->path[0] ? "': " : "", shape_name(schema->type),
                     event_shape(found));
    if (found == YAML_MAPPING_START_EVENT)
        return check_mapping(w, schema->mapping.fields);
    if (found == YAML_SEQUENCE_START_EVENT)
        return check_sequence(w, schema->sequence.entry);
    if (memchr(w->event.data.scalar.value, 0, w->event.data.scalar.length))
        return wrong(w, "a NUL character in a value");
    return RC_OK;
}
/* NOLINTEND(misc-no-recursion) */

/* Checks one document whose top has the schema's shape, and that nothing follows it. */
static int check_stream(struct walk *w, const cyaml_schema_value_t *schema)
{
    int status = next_event(w); /* stream start */

    if (status != RC_OK || (status = next_event(w)) != RC_OK)
        return status;
    if (w->event.type == YAML_STREAM_END_EVENT)
        return rc_fail(w->err, RC_EUSAGE, "%s:1: empty, expected %s", w->file->name,
                       shape_name(schema->type));
    if ((status = next_event(w)) != RC_OK ||
        (status = check_value(w, schema)) != RC_OK ||
        (status = next_event(w)) != RC_OK || (status = next_event(w)) != RC_OK)
        return status;
    if (w->event.type != YAML_STREAM_END_EVENT)
        return wrong(w, "a second document, expected one");
    return RC_OK;
}

/* Walks over the text once; 'lines' may be NULL. */
static int walk_file(const struct rc_yaml *file, struct lines *lines,
                     struct rc_error *err)
{
    struct walk w = {.file = file, .lines = lines, .err = err};

    if (!yaml_parser_initialize(&w.parser))
        return rc_fail(err, RC_ENOMEM, "no memory to read '%s'", file->name);
    yaml_parser_set_input_string(&w.parser, (const unsigned char *)file->text,
                                 file->bytes);
    int status = check_stream(&w, file->schema);
    if (w.event_is_set)
        yaml_event_delete(&w.event);
    yaml_parser_delete(&w.parser);
    return status;
}

/* libcyaml would print what it finds wrong, which the walk has said before. */
static void log_nothing(cyaml_log_t level, void *context, const char *format,
                        va_list args)
{
    (void)level;
    (void)context;
    (void)format;
    (void)args;
}

static const cyaml_config_t config = {
    .log_fn = log_nothing,
    .log_level = CYAML_LOG_ERROR,
    .mem_fn = cyaml_mem,
    .flags = CYAML_CFG_NO_ALIAS,
};

int rc_yaml_load(struct rc_yaml *file, const cyaml_schema_value_t *schema, void **out,
                 struct rc_error *err)
{
    *out = NULL;
    file->schema = schema;
    int status = walk_file(file, NULL, err);
    if (status != RC_OK)
        return status;
    cyaml_err_t problem = cyaml_load_data((const uint8_t *)file->text, file->bytes,
                                          &config, schema, out, NULL);
    if (problem == CYAML_ERR_OOM)
        return rc_fail(err, RC_ENOMEM, "no memory to read '%s'", file->name);
    if (problem != CYAML_OK || !*out)
        return rc_fail(err, RC_EUSAGE, "%s: %s", file->name, cyaml_strerror(problem));
    return RC_OK;
}

void rc_yaml_free(const cyaml_schema_value_t *schema, void *data)
{
    if (data)
        cyaml_free(&config, schema, data, 0);
}

int rc_yaml_blame(struct rc_yaml *file, const char *where, struct rc_error *err,
                  const char *format, ...)
{
    char text[RC_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rc_fail(err, RC_EUSAGE, "%s:%zu: %s", file->name, rc_yaml_line(file, where),
                   text);
}

static int by_path(const void *a, const void *b)
{
    const struct rc_yaml_line *x = a, *y = b;

    return (x->path > y->path) - (x->path < y->path);
}

size_t rc_yaml_line(struct rc_yaml *file, const char *where)
{
    struct rc_yaml_line key = {.path = rc_text_hash(where)};

    if (!file->line) {
        struct lines lines = {0};
        if (walk_file(file, &lines, NULL) != RC_OK)
            lines.count = 0;
        if (lines.count)
            qsort(lines.line, lines.count, sizeof key, by_path);
        file->line = lines.line;
        file->line_count = lines.count;
    }
    const struct rc_yaml_line *found = NULL;
    if (file->line_count)
        found = bsearch(&key, file->line, file->line_count, sizeof key, by_path);
    return found ? found->line : 0;
}

int rc_yaml_save(const cyaml_schema_value_t *schema, const void *data, char **text,
                 size_t *bytes, struct rc_error *err)
{
    char *out = NULL;
    size_t length = 0;

    *text = NULL;
    *bytes = 0;
    cyaml_err_t problem =
        cyaml_save_data(&out, &length, &config, schema, (cyaml_data_t *)data, 0);
    if (problem != CYAML_OK)
        return rc_fail(err, problem == CYAML_ERR_OOM ? RC_ENOMEM : RC_EIO,
                       "cannot write YAML: %s", cyaml_strerror(problem));
    *text = malloc(length + 1);
    if (*text) {
        memcpy(*text, out, length);
        (*text)[length] = 0;
        *bytes = length;
    }
    config.mem_fn(NULL, out, 0);
    return *text ? RC_OK
                 : rc_fail(err, RC_ENOMEM, "no memory for %zu bytes of YAML", length);
}
