/* schema.h - the keys of a machine file, as libcyaml reads them: all text */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_SCHEMA_H
#define RC_CAMPAIGN_SOURCES_MODEL_SCHEMA_H

#include "campaign/base/yaml.h"

struct rc_model_bank_text {
    char *name, *scope, *counters, *fixed, *bits;
};

struct rc_model_register_text {
    char *name, *values;
};

struct rc_model_event_text {
    char *name, *description, *counts, *background, *offset, *noise;
    char *scope, *bank, *counters, *reg, *bits, *time, *verdict, *reason;
    char **range;
    unsigned range_count;
};

struct rc_model_text {
    char *name, *summary, *processor, *topology, *seed;
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
