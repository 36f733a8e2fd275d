/* json.h - writing JSON of any size as a stream
 *
 * Only this room uses jansson.  Strings may have any encoding: bytes that are not UTF-8
 * become U+FFFD, so that the output is always valid (RFC 8259).
 */
#ifndef RC_IO_TEXT_JSON_H
#define RC_IO_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { RC_JSON_DEPTH = 32 }; /* nested objects and arrays; rollcall's need less */

/* A stream of JSON, and its state: only for json.c. */
struct rc_json {
    FILE *out;                        /* borrowed */
    unsigned depth;                   /* objects and arrays that are open */
    bool compact;                     /* without line breaks and blanks, for programs */
    char closer[RC_JSON_DEPTH];       /* of open ones: '}' or ']' */
    bool has_item[RC_JSON_DEPTH + 1]; /* by depth: the next item has a comma in front */
};

/* Begins a stream and returns it.  It needs no end if nothing is open. */
struct rc_json *rc_json_begin(struct rc_json *json, FILE *out);

/* Closes everything that is open and writes a last newline; accepts NULL. */
void rc_json_close(struct rc_json *json);

/* 'key' is NULL inside an array and at the top. */
void rc_json_object(struct rc_json *json, const char *key);
void rc_json_array(struct rc_json *json, const char *key);
void rc_json_end(struct rc_json *json); /* of the innermost object or array */

/* A string of any length, with its escapes; NULL is null. */
void rc_json_text(struct rc_json *json, const char *key, const char *value);

/* A name of any bytes: if it is not UTF-8, KEY_hex beside it has all bytes as
 * hexadecimal digits.  'key' is shorter than 60 bytes.
 */
void rc_json_name(struct rc_json *json, const char *key, const char *name);

/* Values: a whole number; a real number that reads back the same (not finite: null);
 * true or false; the text of a number as it is (NULL: null).
 */
void rc_json_integer(struct rc_json *json, const char *key, int64_t value);
void rc_json_real(struct rc_json *json, const char *key, double value);
void rc_json_flag(struct rc_json *json, const char *key, bool value);
void rc_json_bare(struct rc_json *json, const char *key, const char *number);

/* A number to 'digits' digits (0: as by rc_json_real()); not finite: null. */
void rc_json_short(struct rc_json *json, const char *key, double value, int digits);

/* Arrays of texts (NULL: null), of whole numbers, and of numbers to 'digits' digits. */
void rc_json_texts(struct rc_json *json, const char *key, const char *const *value,
                   size_t count);
void rc_json_sizes(struct rc_json *json, const char *key, const size_t *value,
                   size_t count);
void rc_json_reals(struct rc_json *json, const char *key, const double *value,
                   size_t count, int digits);

/* A member of a struct that is also a member of a JSON object: a row of a table, as
 *
 *     static const struct rc_json_member members[] = {
 *         RC_JSON_EACH(rc_term, coefficient, low, high),
 *         RC_JSON_AS("number", rc_term, event), {0}};
 *
 * The type follows from the struct: const char *, bool, double, and whole numbers of 8,
 * 32 and 64 bits.
 */
struct rc_json_member {
    const char *key; /* NULL ends the table */
    size_t at;       /* bytes from the struct's begin */
    enum {
        RC_JSON_TEXT,
        RC_JSON_FLAG,
        RC_JSON_REAL,
        RC_JSON_BYTE,
        RC_JSON_WORD,
        RC_JSON_LONG
    } type;
    int digits; /* of a real number: as for rc_json_short() */
};
/* clang-format off */
#define RC_JSON_TYPE(value)                                                            \
    _Generic((value), const char *: RC_JSON_TEXT, bool: RC_JSON_FLAG,                  \
             double: RC_JSON_REAL, uint8_t: RC_JSON_BYTE, uint32_t: RC_JSON_WORD,      \
             uint64_t: RC_JSON_LONG, int64_t: RC_JSON_LONG)
/* clang-format on */
#define RC_JSON_DIGITS(name, tag, member, most)                                        \
    {                                                                                  \
        .key = (name), .at = offsetof(struct tag, member),                             \
        .type = RC_JSON_TYPE((struct tag){.member = 0}.member), .digits = (most)       \
    }
#define RC_JSON_AS(name, tag, member) RC_JSON_DIGITS(name, tag, member, 0)
#define RC_JSON(tag, member) RC_JSON_AS(#member, tag, member)

/* RC_JSON() of each of up to ten members: RC_JSON_EACH(rc_term, rounded, low, high). */
/* clang-format off */
#define RC_JSON_EACH(tag, ...)                                                         \
    RC_JSON_PICK(__VA_ARGS__, RC_JSON_10, RC_JSON_9, RC_JSON_8, RC_JSON_7, RC_JSON_6,  \
                 RC_JSON_5, RC_JSON_4, RC_JSON_3, RC_JSON_2, RC_JSON, )(tag, __VA_ARGS__)
#define RC_JSON_PICK(a, b, c, d, e, f, g, h, i, j, chosen, ...) chosen
#define RC_JSON_2(tag, member, ...) RC_JSON(tag, member), RC_JSON(tag, __VA_ARGS__)
#define RC_JSON_3(tag, member, ...) RC_JSON(tag, member), RC_JSON_2(tag, __VA_ARGS__)
#define RC_JSON_4(tag, member, ...) RC_JSON(tag, member), RC_JSON_3(tag, __VA_ARGS__)
#define RC_JSON_5(tag, member, ...) RC_JSON(tag, member), RC_JSON_4(tag, __VA_ARGS__)
#define RC_JSON_6(tag, member, ...) RC_JSON(tag, member), RC_JSON_5(tag, __VA_ARGS__)
#define RC_JSON_7(tag, member, ...) RC_JSON(tag, member), RC_JSON_6(tag, __VA_ARGS__)
#define RC_JSON_8(tag, member, ...) RC_JSON(tag, member), RC_JSON_7(tag, __VA_ARGS__)
#define RC_JSON_9(tag, member, ...) RC_JSON(tag, member), RC_JSON_8(tag, __VA_ARGS__)
#define RC_JSON_10(tag, member, ...) RC_JSON(tag, member), RC_JSON_9(tag, __VA_ARGS__)
/* clang-format on */

/* Writes the members of the struct 'of' into the open object; and an array of such
 * objects, from 'count' structs of 'bytes'.
 */
void rc_json_members(struct rc_json *json, const struct rc_json_member *members,
                     const void *of);
void rc_json_list(struct rc_json *json, const char *key,
                  const struct rc_json_member *members, const void *of, size_t count,
                  size_t bytes);

#endif
