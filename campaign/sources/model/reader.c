/* Errors and checks that all parts of the machine file's reader use. */
#include "campaign/sources/model/reader.h"

#include "campaign/base/text.h"

#include <stdarg.h>
#include <string.h>

int rc_model_wrong(struct rc_model_reader *r, const char *key, const char *format, ...)
{
    char text[RC_ERROR_TEXT], where[128];
    va_list args;

    if (r->status != RC_OK)
        return r->status;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(where, sizeof where, "%s%s%s", r->where, r->where[0] && key ? "." : "",
             key ? key : "");
    return r->status = rc_yaml_blame(r->file, where, r->err, "%s%s%s%s", key ? "'" : "",
                                     key ? key : "", key ? "': " : "", text);
}

int rc_model_pass_on(struct rc_model_reader *r, const char *key, int status,
                     const struct rc_error *problem)
{
    if (status == RC_EUSAGE)
        return rc_model_wrong(r, key, "%s", problem->text);
    if (status != RC_OK && r->status == RC_OK)
        r->status = rc_fail(r->err, (enum rc_status)status, "%s", problem->text);
    return r->status;
}

int rc_model_check_line(struct rc_model_reader *r, const char *key, const char *text,
                        size_t most)
{
    if (!text)
        return r->status;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return rc_model_wrong(r, key,
                                  "a line break or control character, expected one "
                                  "line");
    if (strlen(text) > most)
        return rc_model_wrong(r, key, "%zu characters long, expected at most %zu",
                              strlen(text), most);
    return r->status;
}

int rc_model_check_name(struct rc_model_reader *r, const char *text)
{
    if (!*text)
        return rc_model_wrong(r, "name", "empty, expected a name");
    return rc_model_check_line(r, "name", text, RC_MODEL_NAME_MAX);
}

int rc_model_read_number(struct rc_model_reader *r, const char *key, const char *text,
                         unsigned least, unsigned most, unsigned *out)
{
    uint64_t value;

    if (!text)
        return r->status;
    if (rc_text_count(text, &value) || value < least || value > most)
        return rc_model_wrong(r, key,
                              "found '%.40s', expected " RC_TEXT_COUNT " from %u to %u",
                              text, least, most);
    *out = (unsigned)value;
    return r->status;
}

int rc_model_read_scope(struct rc_model_reader *r, const char *text, enum rc_scope *out)
{
    if (!text)
        return r->status;
    int found = rc_word_find(text, rc_scope_names());
    if (found < 0)
        return rc_model_wrong(
            r, "scope",
            "found '%.40s', expected core, l2, l3, numa, package, node or "
            "device",
            text);
    *out = (enum rc_scope)found;
    return r->status;
}

int rc_model_find_bank(const struct rc_model *m, const char *name)
{
    for (size_t i = 0; i < m->bank_count; i++)
        if (strcmp(m->bank[i].name, name) == 0)
            return (int)i;
    return -1;
}

int rc_model_find_register(const struct rc_model *m, const char *name, size_t length)
{
    for (size_t i = 0; i < m->register_count; i++)
        if (strlen(m->reg[i].name) == length &&
            memcmp(m->reg[i].name, name, length) == 0)
            return (int)i;
    return -1;
}
