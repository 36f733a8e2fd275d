/* json.h - writing JSON of any size as a stream
 *
 * Only home of jansson.  Strings in any encoding are taken: bytes that are not
 * UTF-8 become U+FFFD, so that the output is always valid (RFC 8259).
 */
#ifndef RC_IO_TEXT_JSON_H
#define RC_IO_TEXT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rc_json; /* opaque; one stream of JSON */

struct rc_json *rc_json_create(FILE *out); /* NULL: no memory; 'out' is borrowed */

/* From here on without line breaks and blanks: for programs, not for people. */
void rc_json_compact(struct rc_json *json);

/* Closes what is open, writes a last newline, frees; accepts NULL. */
void rc_json_close(struct rc_json *json);

/* 'key' is NULL inside an array and at the top. */
void rc_json_object(struct rc_json *json, const char *key);
void rc_json_array(struct rc_json *json, const char *key);
void rc_json_end(struct rc_json *json); /* the innermost object or array */

/* A string of any length, with its escapes; NULL is null. */
void rc_json_text(struct rc_json *json, const char *key, const char *value);

/* A name that may be any bytes: where it is not UTF-8, KEY_hex beside it has all of
 * them as hexadecimal digits.  'key' is shorter than 60 bytes.
 */
void rc_json_name(struct rc_json *json, const char *key, const char *name);

/* Values: a whole number; a number that reads back as the same (not finite: null); true
 * or false; the text of a number as it is (NULL: null).
 */
void rc_json_integer(struct rc_json *json, const char *key, int64_t value);
void rc_json_real(struct rc_json *json, const char *key, double value);
void rc_json_flag(struct rc_json *json, const char *key, bool value);
void rc_json_bare(struct rc_json *json, const char *key, const char *number);

/* A number to so many digits; not finite: null. */
void rc_json_short(struct rc_json *json, const char *key, double value, int digits);

#endif
