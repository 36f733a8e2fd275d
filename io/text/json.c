/* Writes JSON piece by piece, with commas and escapes.  Only open objects and arrays
 * are kept, so that a list of half a million events takes no memory. jansson writes
 * real numbers, with as many digits as make them exact.
 */
#include "io/text/json.h"

#include "campaign/base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

struct rc_json *rc_json_begin(struct rc_json *json, FILE *out)
{
    *json = (struct rc_json){.out = out};
    return json;
}

void rc_json_close(struct rc_json *json)
{
    if (!json)
        return;
    while (json->depth)
        rc_json_end(json);
    fputc('\n', json->out);
}

/* Bytes that are not UTF-8 become U+FFFD.  Texts do not go through jansson, since a
 * report has millions of them: runs without escapes are written in one piece.
 */
static void put_text(FILE *out, const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";

    fputc('"', out);
    while (*text) {
        const char *end = text; /* of the run without escapes */
        size_t length = 1;
        while ((unsigned char)*end >= 0x20 && *end != '"' && *end != '\\' && length) {
            length = (unsigned char)*end < 0x80 ? 1 : rc_text_utf8(end);
            end += length;
        }
        fwrite(text, 1, (size_t)(end - text), out);
        text = end;
        const char *at = *text ? strchr(escaped, *text) : NULL;
        if (length == 0)
            fputs("\xef\xbf\xbd", out);
        else if (at)
            fprintf(out, "\\%c", letter[at - escaped]);
        else if (*text)
            fprintf(out, "\\u%04X", (unsigned)*text);
        text += *text != 0;
    }
    fputc('"', out);
}

/* Writes the prefix of a value: the comma after the one before, a line break, the key.
 */
static void put_key(struct rc_json *json, const char *key)
{
    if (json->has_item[json->depth])
        fputc(',', json->out);
    if (json->depth && !json->compact)
        fprintf(json->out, "\n%*s", (int)json->depth, "");
    json->has_item[json->depth] = true;
    if (key) {
        put_text(json->out, key);
        fputs(json->compact ? ":" : ": ", json->out);
    }
}

static void open_level(struct rc_json *json, const char *key, char opener, char closer)
{
    put_key(json, key);
    fputc(opener, json->out);
    assert(json->depth < RC_JSON_DEPTH);
    json->closer[json->depth++] = closer;
    json->has_item[json->depth] = false;
}

void rc_json_object(struct rc_json *json, const char *key)
{
    open_level(json, key, '{', '}');
}

void rc_json_array(struct rc_json *json, const char *key)
{
    open_level(json, key, '[', ']');
}

void rc_json_end(struct rc_json *json)
{
    assert(json->depth > 0);
    fputc(json->closer[--json->depth], json->out);
}

void rc_json_text(struct rc_json *json, const char *key, const char *value)
{
    put_key(json, key);
    if (value)
        put_text(json->out, value);
    else
        fputs("null", json->out);
}

void rc_json_integer(struct rc_json *json, const char *key, int64_t value)
{
    put_key(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void rc_json_real(struct rc_json *json, const char *key, double value)
{
    put_key(json, key);
    json_t *number = isfinite(value) ? json_real(value) : NULL;
    if (number)
        json_dumpf(number, json->out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    else
        fputs("null", json->out);
    json_decref(number);
}

void rc_json_flag(struct rc_json *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->out);
}

void rc_json_bare(struct rc_json *json, const char *key, const char *number)
{
    put_key(json, key);
    fputs(number ? number : "null", json->out);
}

void rc_json_short(struct rc_json *json, const char *key, double value, int digits)
{
    char text[64] = "0"; /* the most frequent value */

    if (digits == 0) {
        rc_json_real(json, key, value);
        return;
    }
    if (value != 0)
        snprintf(text, sizeof text, "%.*g", digits, value);
    rc_json_bare(json, key, isfinite(value) ? text : NULL);
}

void rc_json_name(struct rc_json *json, const char *key, const char *name)
{
    char hex_key[64];

    rc_json_text(json, key, name);
    if (rc_text_is_utf8(name))
        return;
    snprintf(hex_key, sizeof hex_key, "%s_hex", key);
    put_key(json, hex_key);
    fputc('"', json->out);
    for (const char *at = name; *at; at++)
        fprintf(json->out, "%02x", (unsigned)(unsigned char)*at);
    fputc('"', json->out);
}

void rc_json_texts(struct rc_json *json, const char *key, const char *const *value,
                   size_t count)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < count; i++)
        rc_json_text(json, NULL, value[i]);
    rc_json_end(json);
}

void rc_json_sizes(struct rc_json *json, const char *key, const size_t *value,
                   size_t count)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < count; i++)
        rc_json_integer(json, NULL, (int64_t)value[i]);
    rc_json_end(json);
}

void rc_json_reals(struct rc_json *json, const char *key, const double *value,
                   size_t count, int digits)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < count; i++)
        rc_json_short(json, NULL, value[i], digits);
    rc_json_end(json);
}

void rc_json_members(struct rc_json *json, const struct rc_json_member *members,
                     const void *of)
{
    for (const struct rc_json_member *m = members; m->key; m++) {
        const void *at = (const char *)of + m->at;
        switch (m->type) {
        case RC_JSON_TEXT:
            rc_json_text(json, m->key, *(const char *const *)at);
            break;
        case RC_JSON_FLAG:
            rc_json_flag(json, m->key, *(const bool *)at);
            break;
        case RC_JSON_REAL:
            rc_json_short(json, m->key, *(const double *)at, m->digits);
            break;
        case RC_JSON_BYTE:
            rc_json_integer(json, m->key, *(const uint8_t *)at);
            break;
        case RC_JSON_WORD:
            rc_json_integer(json, m->key, *(const uint32_t *)at);
            break;
        case RC_JSON_LONG:
            rc_json_integer(json, m->key, *(const int64_t *)at);
            break;
        }
    }
}

void rc_json_list(struct rc_json *json, const char *key,
                  const struct rc_json_member *members, const void *of, size_t count,
                  size_t bytes)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        rc_json_object(json, NULL);
        rc_json_members(json, members, (const char *)of + i * bytes);
        rc_json_end(json);
    }
    rc_json_end(json);
}
