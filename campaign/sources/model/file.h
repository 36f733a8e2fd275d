/* file.h - a machine file: the simulated machine that it describes
 *
 * docs/formats/machine-file.md is its manual.
 */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_FILE_H
#define RC_CAMPAIGN_SOURCES_MODEL_FILE_H

#include "campaign/base/error.h"
#include "campaign/base/words.h"
#include "campaign/sources/model/expression.h"
#include "campaign/sources/model/range.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a file may ask for at most: it may come from a stranger. */
#define RC_MODEL_EVENTS_MAX ((uint64_t)1 << 22)
#define RC_MODEL_BANKS_MAX 256
#define RC_MODEL_REGISTERS_MAX 16
#define RC_MODEL_VALUES_MAX 16
#define RC_MODEL_NAME_MAX 255
#define RC_MODEL_DESCRIPTION_MAX 1000
#define RC_MODEL_SUM_MAX 2000
#define RC_MODEL_SUMS_MAX ((uint64_t)16 << 20) /* bytes, of all sums of a file */
#define RC_MODEL_BITS_MAX 63
#define RC_MODEL_TIME_MAX ((uint64_t)10000000000) /* ns, of one reading */

/* Counters that can be used together. */
struct rc_model_bank {
    const char *name;
    enum rc_scope scope;
    bool unlimited; /* any number of events count together */
    unsigned programmable, fixed, bits;
};

/* A register that events program: only so many values of it at once. */
struct rc_model_register {
    const char *name;
    unsigned values;
};

/* One line of the file: an event, or one for each combination of its range.
 * All texts but 'reason' are templates; NULL where they are not given.
 */
struct rc_model_line {
    const char *name, *description, *counts, *background;
    struct rc_model_range range;
    uint32_t first, count; /* numbers of its events */
    enum rc_scope scope;
    uint32_t bank;
    uint64_t counters;  /* that it may use, as counters.h says */
    int register_index; /* or -1 */
    const char *register_value;
    unsigned bits;
    double offset, noise_relative, noise_absolute;
    uint64_t time_ns; /* of a reading of a group with such an event; 0: none */
    enum rc_verdict verdict;
    const char *reason;
    uint32_t alike; /* as in struct rc_event_info */
};

struct rc_model {
    const char *name, *summary, *processor, *topology; /* "" or NULL: not given */
    uint64_t seed;
    uint64_t digest; /* of the file's text */
    struct rc_model_bank *bank;
    struct rc_model_register *reg;
    struct rc_model_line *line;
    size_t bank_count, register_count, line_count;
    uint32_t event_count;
    const char **references;    /* names of events, ended by NULL */
    struct rc_model_text *text; /* owns the strings */
};

/* On success the caller owns *out and must rc_model_close() it; on failure
 * *out is NULL.  What is wrong in the file is RC_EUSAGE with file and line.
 */
int rc_model_open(const char *path, struct rc_model **out, struct rc_error *err);
int rc_model_from_text(const char *name, const char *text, size_t bytes,
                       struct rc_model **out, struct rc_error *err);
void rc_model_close(struct rc_model *model); /* accepts NULL */

/* The line of an event, and where in its range the event is. */
const struct rc_model_line *rc_model_line_of(const struct rc_model *model,
                                             uint32_t event, struct rc_model_at *at);

/* An event's name; 'out' holds RC_MODEL_NAME_MAX + 1 bytes. */
void rc_model_event_name(const struct rc_model *model, uint32_t event, char *out);

#endif
