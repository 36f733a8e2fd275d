/* The schema by which libcyaml reads a machine file. */
#include "campaign/sources/model/schema.h"

#define REQUIRED(key, type, member)                                                    \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, struct rc_model_##type, member, 0, \
                           CYAML_UNLIMITED)
#define OPTIONAL(key, type, member)                                                    \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,              \
                           struct rc_model_##type, member, 0, CYAML_UNLIMITED)
#define LIST(key, flags, type, member, entry)                                          \
    CYAML_FIELD_SEQUENCE(key, CYAML_FLAG_POINTER | (flags), struct rc_model_##type,    \
                         member, entry, 0, CYAML_UNLIMITED)

static const cyaml_schema_value_t word = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t bank_fields[] = {
    REQUIRED("name", bank_text, name),   REQUIRED("counters", bank_text, counters),
    OPTIONAL("fixed", bank_text, fixed), OPTIONAL("scope", bank_text, scope),
    OPTIONAL("bits", bank_text, bits),   CYAML_FIELD_END,
};
static const cyaml_schema_value_t bank = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct rc_model_bank_text, bank_fields)};

static const cyaml_schema_field_t register_fields[] = {
    REQUIRED("name", register_text, name),
    REQUIRED("values", register_text, values),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t reg = {CYAML_VALUE_MAPPING(
    CYAML_FLAG_DEFAULT, struct rc_model_register_text, register_fields)};

static const cyaml_schema_field_t event_fields[] = {
    REQUIRED("name", event_text, name),
    OPTIONAL("description", event_text, description),
    LIST("for", CYAML_FLAG_OPTIONAL, event_text, range, &word),
    OPTIONAL("counts", event_text, counts),
    OPTIONAL("offset", event_text, offset),
    OPTIONAL("noise", event_text, noise),
    OPTIONAL("effects", event_text, effects),
    OPTIONAL("background", event_text, background),
    OPTIONAL("scope", event_text, scope),
    OPTIONAL("bank", event_text, bank),
    OPTIONAL("counters", event_text, counters),
    OPTIONAL("register", event_text, reg),
    OPTIONAL("bits", event_text, bits),
    OPTIONAL("time", event_text, time),
    OPTIONAL("verdict", event_text, verdict),
    OPTIONAL("reason", event_text, reason),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t event = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct rc_model_event_text, event_fields)};

static const cyaml_schema_field_t fields[] = {
    REQUIRED("name", text, name),
    OPTIONAL("summary", text, summary),
    OPTIONAL("processor", text, processor),
    OPTIONAL("topology", text, topology),
    OPTIONAL("seed", text, seed),
    OPTIONAL("nodes", text, nodes),
    OPTIONAL("clock", text, clock),
    OPTIONAL("effects", text, effects),
    LIST("banks", 0, text, banks, &bank),
    LIST("registers", CYAML_FLAG_OPTIONAL, text, registers, &reg),
    LIST("references", CYAML_FLAG_OPTIONAL, text, references, &word),
    LIST("events", 0, text, events, &event),
    CYAML_FIELD_END,
};

const cyaml_schema_value_t rc_model_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct rc_model_text, fields)};
