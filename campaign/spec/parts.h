/* parts.h - what the files of the spec share: only for this room */
#ifndef RC_CAMPAIGN_SPEC_PARTS_H
#define RC_CAMPAIGN_SPEC_PARTS_H

#include "campaign/base/yaml.h"
#include "campaign/spec/spec.h"
#include "solve/definitions/metric_text.h"

/* The file as libcyaml sees it: all values are text, so that errors are said in the
 * words of settings.c, with the key.  What the file does not have is NULL and 0.
 */
struct rc_spec_raw_list {
    char **item;
    uint32_t count;
};

struct rc_spec_raw {
    char *name, *qualifiers, *presets, *repeat, *target, *seed, *group_size, *reference;
    char *replicate, *smt, *sync;
    struct rc_spec_raw_list source, suites, events, scopes, definitions, submit;
    struct rc_metric_text *metrics;
    uint32_t metrics_count;
};

extern const cyaml_schema_value_t rc_spec_schema; /* of struct rc_spec_raw */

/* Where each setting comes from: a key of the file, an option, or both. */
struct rc_spec_setting {
    const char *key;                /* of the file */
    const struct rc_option *option; /* that means the same, or NULL */

    /* Returns NULL, or what was expected, with the spec as it was.  That memory is
     * lacking rc_spec_check_memory() says.  NULL: the value is an event pattern.
     */
    const char *(*set)(struct rc_spec *spec, const char *text);
    size_t text;  /* offset in struct rc_spec_raw of a text, or of a list */
    size_t clear; /* for lists: offset in struct rc_spec; given anew, it starts empty */
    enum rc_spec_change change; /* what another value is to a campaign that is there */
    bool is_list;
    bool commas; /* an option's "A,B" are two values of the list */
};

enum { RC_SPEC_SETTINGS = 17 };
extern const struct rc_spec_setting rc_spec_settings[RC_SPEC_SETTINGS];

/* That all settings so far have found memory. */
int rc_spec_check_memory(const struct rc_spec *spec, struct rc_error *err);

/* Every setting as it is where neither file nor option says anything. */
void rc_spec_defaults(struct rc_spec *spec);

/* What was expected where 'text' is no suite, with the nearest; it belongs to the spec.
 */
const char *rc_spec_suite_expected(struct rc_spec *spec, const char *text);

/* The metrics of a file: checked one by one, and copied. */
int rc_spec_metrics_read(struct rc_spec *spec, struct rc_yaml *file,
                         const struct rc_spec_raw *raw, struct rc_error *err);

/* Whether all definitions of the spec can be read and go together. */
int rc_spec_metrics_check(const struct rc_spec *spec, struct rc_error *err);

/* The spec as texts; those of 'raw' point into the spec and into this. */
struct rc_spec_texts {
    struct rc_spec_raw raw;
    char presets[4], repeat[32], target[32], seed[32], group_size[32], qualifiers[16];
    char replicate[8], smt[4], sync[32];
};
void rc_spec_show(const struct rc_spec *spec, struct rc_spec_texts *out);

/* compare.c: whether the list has the item; the same items in the same order. */
bool rc_spec_list_holds(const struct rc_spec_raw_list *list, const char *text);
bool rc_spec_same_list(const struct rc_spec_raw_list *a,
                       const struct rc_spec_raw_list *b);

#endif
