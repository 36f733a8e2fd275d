/* schema.h - the keys of a machine file, as libcyaml reads them: all text
 *
 * A member is named like its key in the file, but 'range' ("for") and 'reg'
 * ("register"), which are words of C.  NULL: not given.  file.c and line.c read the
 * meaning of the texts; docs/formats/machine-file.md is the manual.
 */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_SCHEMA_H
#define RC_CAMPAIGN_SOURCES_MODEL_SCHEMA_H

#include "campaign/base/yaml.h"

/* One entry of 'banks'. */
struct rc_model_bank_text {
    char *name, *scope, *counters, *fixed, *bits;
};

/* One entry of 'registers'. */
struct rc_model_register_text {
    char *name, *values;
};

/* One entry of 'events'. */
struct rc_model_event_text {
    char *name, *description, *counts, *background, *offset, *noise;
    char *effects, *scope, *bank, *counters, *reg, *bits, *time, *verdict, *reason;
    char **range; /* "cpu = 0..175", one text for each variable */
    unsigned range_count;
};

/* The whole file.  rc_yaml_load() makes it, rc_yaml_free() frees it. */
struct rc_model_text {
    char *name, *summary, *processor, *topology, *seed, *nodes, *clock, *effects;
    struct rc_model_bank_text *banks;
    unsigned banks_count;
    struct rc_model_register_text *registers;
    unsigned registers_count;
    struct rc_model_event_text *events;
    unsigned events_count;
    char **references;
    unsigned references_count;
};

extern const cyaml_schema_value_t rc_model_schema;

#endif
