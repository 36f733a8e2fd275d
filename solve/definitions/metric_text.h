/* metric_text.h - a metric as a file has it: all text */
#ifndef RC_SOLVE_DEFINITIONS_METRIC_TEXT_H
#define RC_SOLVE_DEFINITIONS_METRIC_TEXT_H

#include "campaign/base/linear_sum.h"
#include "campaign/base/yaml.h"

#include <stdbool.h>

/* The texts of a metric.  NULL: not given. */
struct rc_metric_text {
    char *metric, *suite, *description, *signature, *formula, *preset, *unit;
};

extern const cyaml_schema_value_t rc_metric_text_schema; /* an item of a list */

/* Checks the form of each value by itself: names, the sum, the formula, and that one of
 * these two is given.  On RC_EUSAGE *key is the key whose value is wrong (NULL: the
 * metric as a whole), and 'err' says what is wrong.
 */
int rc_metric_text_check(const struct rc_metric_text *text, const char **key,
                         struct rc_error *err);

/* The fault of a value, as "expected ...", or NULL: for names of suites and ideals, and
 * texts of one line for tables.
 */
const char *rc_suite_name_wrong(const char *name);
const char *rc_ideal_name_wrong(const char *name, size_t length);
const char *rc_line_wrong(const char *text, bool may_be_empty, size_t most);

#define RC_IDEAL_NAME_MAX 31
#define RC_TERMS_MAX 256 /* of a signature */

#endif
