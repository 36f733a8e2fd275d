/* parts.h - shared by the files of this room only */
#ifndef RC_CAMPAIGN_SPEC_PARTS_H
#define RC_CAMPAIGN_SPEC_PARTS_H

#include "campaign/base/yaml.h"
#include "campaign/spec/spec.h"
#include "solve/definitions/metric_text.h"

/* The file as libcyaml sees it: all values are text, so that settings.c words the
 * errors, with the key.  Keys that are not there are NULL and 0.
 */
struct rc_spec_raw_list {
    char **item;
    uint32_t count;
};

struct rc_spec_raw {
    char *name, *qualifiers, *presets, *repeat, *target, *seed, *group_size, *reference;
    char *replicate, *smt, *sync;
    struct rc_spec_raw_list source, suites, axes, events, scopes, definitions, submit;
    struct rc_metric_text *metrics;
    uint32_t metrics_count;
};

extern const cyaml_schema_value_t rc_spec_schema; /* of struct rc_spec_raw */

/* A setting's sources: a key of the file, an option, or both. */
struct rc_spec_setting {
    const char *key;                /* of the file */
    const struct rc_option *option; /* that means the same, or NULL */

    /* Returns NULL, or a text of what was expected, with the spec as it was.  A lack of
     * memory is left to rc_spec_check_memory().  NULL: the value is an event pattern.
     */
    const char *(*set)(struct rc_spec *spec, const char *text);
    size_t text;  /* offset in struct rc_spec_raw of a text, or of a list */
    size_t clear; /* for lists: offset in struct rc_spec; a new list replaces it */
    enum rc_spec_change change; /* what another value means for a campaign */
    bool is_list;
    bool commas; /* an option's "A,B" are two values of the list */
};

enum { RC_SPEC_SETTINGS = 18 };
extern const struct rc_spec_setting rc_spec_settings[RC_SPEC_SETTINGS];

/* Fails if any setting so far found no memory. */
int rc_spec_check_memory(const struct rc_spec *spec, struct rc_error *err);

/* Every setting as it is without file and options. */
void rc_spec_defaults(struct rc_spec *spec);

/* A text of what is expected instead of 'text', which is not a suite, with the nearest;
 * the spec owns it.
 */
const char *rc_spec_suite_expected(struct rc_spec *spec, const char *text);

/* Checks and copies the metrics of a file. */
int rc_spec_metrics_read(struct rc_spec *spec, struct rc_yaml *file,
                         const struct rc_spec_raw *raw, struct rc_error *err);

/* Checks that all definitions of the spec can be read and agree. */
int rc_spec_metrics_check(const struct rc_spec *spec, struct rc_error *err);

/* The spec as texts; those of 'raw' point into the spec and into this struct. */
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
