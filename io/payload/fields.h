/* fields.h - words to write lists of fields with, in a .c that describes records
 *
 * The order of such a list is the order in the payload, which is a format of files: a
 * field that is added says since which version of the payload it is there, and no field
 * goes or moves.
 */
#ifndef RC_IO_PAYLOAD_FIELDS_H
#define RC_IO_PAYLOAD_FIELDS_H

#include "io/payload/form.h"

#include <stddef.h>

/* A member that is an integer: in so many bytes, from the first version of payloads on
 * or a later one, or in one byte that has its values.
 */
#define NUMBER_SINCE(version, type, member, in_payload)                                \
    {                                                                                  \
        .sort = RC_FIELD_NUMBER, .at = offsetof(struct type, member),                  \
        .bytes = sizeof(((struct type *)0)->member), .stored = (in_payload),           \
        .since = (version)                                                             \
    }
#define NUMBER(type, member, in_payload) NUMBER_SINCE(0, type, member, in_payload)
#define BYTE_SINCE(version, type, member, first, end, name)                            \
    {                                                                                  \
        .sort = RC_FIELD_NUMBER, .at = offsetof(struct type, member),                  \
        .bytes = sizeof(((struct type *)0)->member), .stored = 1, .least = (first),    \
        .below = (end), .what = (name), .since = (version)                             \
    }
#define BYTE(type, member, first, end, name)                                           \
    BYTE_SINCE(0, type, member, first, end, name)
#define FLAG(type, member) BYTE(type, member, 0, 2, "a flag of")
#define TEXT_SINCE(version, type, member)                                              \
    {                                                                                  \
        .sort = RC_FIELD_TEXT, .at = offsetof(struct type, member), .since = (version) \
    }
#define TEXT(type, member) TEXT_SINCE(0, type, member)
#define NAME(type, member, name)                                                       \
    {                                                                                  \
        .sort = RC_FIELD_NAME, .at = offsetof(struct type, member), .what = (name)     \
    }
/* Arrays, with the member that has their count. */
#define ARRAY(its_sort, type, member, count, name)                                     \
    .sort = (its_sort), .at = offsetof(struct type, member),                           \
    .count_at = offsetof(struct type, count), .what = (name)
/* The form NAME_form of what has the fields NAME_fields. */
#define FORM(name, its_name, type, its_check)                                          \
    static const struct rc_form name##_form = {.what = (its_name),                     \
                                               .bytes = sizeof(struct type),           \
                                               .field = name##_fields,                 \
                                               .field_count = sizeof name##_fields /   \
                                                              sizeof name##_fields[0], \
                                               .check = (its_check)}

/* The item of a list of texts. */
static const struct rc_field text_field = {.sort = RC_FIELD_TEXT};
static const struct rc_form text_form = {
    .what = "a text", .bytes = sizeof(char *), .field = &text_field, .field_count = 1};

#endif
