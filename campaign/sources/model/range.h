/* range.h - one line of a machine file that stands for many events
 *
 * A range is a list of variables, each with its values: "cpu = 0..175" or
 * "way = READ WRITE".  The events of a line are all combinations, the last
 * variable changing fastest.  A text of the line is a template: "{cpu}" stands
 * for the value of 'cpu', "{{" for a brace.
 */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_RANGE_H
#define RC_CAMPAIGN_SOURCES_MODEL_RANGE_H

#include "campaign/base/arena.h"

#include <stddef.h>
#include <stdint.h>

#define RC_MODEL_VARIABLES_MAX 8
#define RC_MODEL_VARIABLE_NAME 32

/* One variable and its values: consecutive numbers, or words. */
struct rc_model_variable {
    char name[RC_MODEL_VARIABLE_NAME];
    uint32_t count;     /* of values, at least 1 */
    uint64_t first;     /* numbers: first, first + 1, ... */
    char **word;        /* or words; NULL for numbers */
    size_t length_most; /* of a value, in characters */
};

/* Without variables it stands for one event. */
struct rc_model_range {
    size_t count; /* of variables, at most RC_MODEL_VARIABLES_MAX */
    struct rc_model_variable *variable;
};

/* Which value each variable has: indices below its 'count'. */
struct rc_model_at {
    uint32_t value[RC_MODEL_VARIABLES_MAX];
};

/* Makes a range from the variables that the texts describe, in memory of the arena.
 * RC_EUSAGE with what is wrong and what was expected.
 */
int rc_model_range_read(struct rc_model_range *range, struct rc_arena *arena,
                        char *const *text, size_t count, struct rc_error *err);

/* How many combinations there are; UINT64_MAX where that is too much. */
uint64_t rc_model_range_size(const struct rc_model_range *range);

/* The values of combination 'index', below rc_model_range_size(). */
void rc_model_range_at(const struct rc_model_range *range, uint64_t index,
                       struct rc_model_at *at);

/* Checks a template: the variables it names, which go into the bit mask '*used',
 * and that no rendering is longer than 'most' characters.
 */
int rc_model_template_check(const char *text, const struct rc_model_range *range,
                            size_t most, uint32_t *used, struct rc_error *err);

/* Writes a checked template out; 'room' is one more than 'most' was. */
void rc_model_render(const char *text, const struct rc_model_range *range,
                     const struct rc_model_at *at, char *out, size_t room);

#endif
