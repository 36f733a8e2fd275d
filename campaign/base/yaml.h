/* yaml.h - YAML files written by people
 *
 * The only home of libcyaml and libyaml.  A file is described by a libcyaml
 * schema in which every value is a mapping, a sequence or a STRING: text is
 * turned into numbers by its reader, who knows what it means and can say what
 * was expected (libcyaml 1.3 takes "8x" for 8).
 */
#ifndef RC_CAMPAIGN_BASE_YAML_H
#define RC_CAMPAIGN_BASE_YAML_H

#include "campaign/base/error.h"
#include "campaign/base/files/file.h"

#include <cyaml/cyaml.h>

/* The text of a file, and how it was read. */
struct rc_yaml {
    char *name;                         /* for messages: the file's name */
    char *text;                         /* ended by a 0 */
    size_t bytes;                       /* without it */
    const cyaml_schema_value_t *schema; /* what it was loaded by */
    struct rc_yaml_line *line;          /* of each value, made when one is asked for */
    size_t line_count;
};

/* Reads a whole file of at most 64 MiB.  On success the caller owns *out and
 * must rc_yaml_fini() it; on failure *out is empty.
 */
int rc_yaml_open(const char *path, enum rc_file_place place, struct rc_yaml *out,
                 struct rc_error *err);
int rc_yaml_from_text(const char *name, const char *text, size_t bytes,
                      struct rc_yaml *out, struct rc_error *err);
void rc_yaml_fini(struct rc_yaml *file);

/* Checks the text against the schema, whose top is a mapping by pointer, and
 * loads it.  Syntax errors, unknown, repeated and missing keys, wrong shapes,
 * anchors and aliases, and further documents are RC_EUSAGE with file, line and
 * what was expected.  On success free *out with rc_yaml_free().
 */
int rc_yaml_load(struct rc_yaml *file, const cyaml_schema_value_t *schema, void **out,
                 struct rc_error *err);
void rc_yaml_free(const cyaml_schema_value_t *schema, void *data);

/* RC_EUSAGE with "FILE:LINE: " in front, for what a reader finds wrong in a
 * value: 'where' is its path in the file, such as "events[3].counts".
 */
int rc_yaml_blame(struct rc_yaml *file, const char *where, struct rc_error *err,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The line on which the value of that path begins; 0 where there is none, or no memory.
 * The text is walked only once, so it may be called for many values.
 */
size_t rc_yaml_line(struct rc_yaml *file, const char *where);

/* The data as YAML text that rc_yaml_load() reads back; free() it. */
int rc_yaml_save(const cyaml_schema_value_t *schema, const void *data, char **text,
                 size_t *bytes, struct rc_error *err);

#endif
