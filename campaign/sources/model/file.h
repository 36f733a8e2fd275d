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

/* The most that a file may ask for: it may come from a stranger.  Lengths are in bytes,
 * without the 0 after a string.
 */
#define RC_MODEL_EVENTS_MAX ((uint64_t)1 << 22) /* all combinations of all ranges */
#define RC_MODEL_BANKS_MAX 256
#define RC_MODEL_REGISTERS_MAX 16
#define RC_MODEL_VALUES_MAX 16 /* of one register at once */
#define RC_MODEL_NAME_MAX 255
#define RC_MODEL_DESCRIPTION_MAX 1000
#define RC_MODEL_SUM_MAX 2000 /* of one 'counts' or 'background', rendered */
#define RC_MODEL_SUMS_MAX ((uint64_t)16 << 20) /* bytes, of all sums of a file */
#define RC_MODEL_BITS_MAX 63
#define RC_MODEL_TIME_MAX ((uint64_t)10000000000) /* ns, of one reading */
#define RC_MODEL_NODES_MAX 65536
#define RC_MODEL_CLOCK_MAX 100000
#define RC_MODEL_OUTLIERS_MAX 16 /* of one 'effects' */

/* Counters that can be used together. */
struct rc_model_bank {
    const char *name;
    enum rc_scope scope;   /* of its events, where they say nothing else */
    bool unlimited;        /* any number of events count together */
    unsigned programmable; /* counters that take any event of the bank */
    unsigned fixed;        /* counters that take what is declared for them */
    unsigned bits;         /* width of a counter: readings are modulo 2^bits */
};

/* A register that events program; it holds a limited number of values at once. */
struct rc_model_register {
    const char *name;
    unsigned values; /* how many different ones it holds at once */
};

/* How much more or less an event counts on one node than on another, on one core than
 * on another of its node, and for one worker of a team, as parts of the value.
 */
struct rc_model_effects {
    double node, core; /* standard deviations over nodes and cores */
    struct rc_model_outlier {
        bool workers;         /* of workers of a team, not of nodes: */
        uint32_t first, last; /* their numbers */
        double part; /* of the value, by which they count more; below 0: less */
    } outlier[RC_MODEL_OUTLIERS_MAX];
    size_t outlier_count;
};

/* One line of the file: an event, or one for each combination of its range.
 * All texts but 'reason' are templates; NULL where they are not given.
 */
struct rc_model_line {
    const char *name, *description;
    const char *counts;          /* a sum of ideals, per iteration (expression.h) */
    const char *background;      /* such a sum that each busy neighbour adds */
    struct rc_model_range range; /* without variables: one event */
    uint32_t first, count;       /* its events are numbers first to first + count - 1 */
    enum rc_scope scope;
    uint32_t bank;              /* index into the model's banks */
    uint64_t counters;          /* that it may use, as counters.h says */
    int register_index;         /* into the model's registers, or -1: needs none */
    const char *register_value; /* set where register_index is not -1 */
    unsigned bits;              /* of its counter, 1 to RC_MODEL_BITS_MAX */
    double offset;              /* counts that each reading adds */
    double noise_relative;      /* standard deviation, as a part of the value */
    double noise_absolute;      /* standard deviation in counts; both add as squares */
    struct rc_model_effects effects; /* the file's where the line has none */
    uint64_t time_ns; /* of a reading of a group with such an event; 0: none */
    enum rc_verdict verdict;
    const char *reason; /* why the verdict is not ok; else NULL */
    uint32_t alike;     /* class of equal constraints, as in struct rc_event_info */
};

/* All that a machine file says. */
struct rc_model {
    const char *name;
    const char *summary, *processor; /* "": not given */
    const char *topology;            /* hwloc's synthetic form; NULL: not given */
    uint64_t seed;                   /* of all that is drawn by chance */
    uint64_t digest;                 /* of the file's text */
    unsigned nodes;                  /* that are simulated; 0: those of the job */
    unsigned clock_mhz;              /* cycles of a core in a us; 0: not given */
    struct rc_model_effects effects; /* of events that give none */
    struct rc_model_bank *bank;
    struct rc_model_register *reg;
    struct rc_model_line *line;
    size_t bank_count, register_count, line_count;
    uint32_t event_count;       /* of all lines */
    const char **references;    /* names of events, ended by NULL */
    struct rc_model_text *text; /* owns the strings */
    struct rc_arena arena;      /* of the lists */
};

/* On success the caller owns *out and must rc_model_file_close() it; on failure
 * *out is NULL.  A mistake in the file is RC_EUSAGE with file and line.
 */
int rc_model_file_open(const char *path, struct rc_model **out, struct rc_error *err);

/* As rc_model_file_open(), of a text in memory; errors call it 'name'. */
int rc_model_from_text(const char *name, const char *text, size_t bytes,
                       struct rc_model **out, struct rc_error *err);

void rc_model_file_close(struct rc_model *model); /* accepts NULL */

/* The line of an event, and where in its range the event is. */
const struct rc_model_line *rc_model_line_of(const struct rc_model *model,
                                             uint32_t event, struct rc_model_at *at);

/* An event's name; 'out' holds RC_MODEL_NAME_MAX + 1 bytes. */
void rc_model_event_name(const struct rc_model *model, uint32_t event, char *out);

#endif
