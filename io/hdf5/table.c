/* Writes an array of structs as a group of datasets, one for each member, and reads it
 * back.
 *
 * Files may come from strangers: sizes, codes and numbers of events are
 * checked before they are used.
 */
#include "io/hdf5/table.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

static const char *const flag_words[] = {"no", "yes", NULL};

/* The names of a code, by number. */
static const char *const *words_of(const struct rc_h5_field *field)
{
    return field->type == RC_H5_FLAG ? flag_words : field->words;
}

static size_t word_count(const struct rc_h5_field *field)
{
    const char *const *words = words_of(field);
    size_t count = 0;

    while (words[count])
        count++;
    return count;
}

/* The first field of a table is the scale that labels its items; all others are
 * attached to it.
 */
static int put_column(hid_t group, const struct rc_h5_column *column, const char *scale,
                      struct rc_error *err)
{
    hid_t set = H5I_INVALID_HID;
    int status = rc_h5_put_column(group, column, &set, err);

    if (status != RC_OK)
        return status;
    status = strcmp(scale, column->name) == 0
                 ? rc_h5_scale(set, column->name, err)
                 : rc_h5_attach(group, set, &scale, 1, err);
    return rc_h5_close(set, status, err);
}

/* Names are refused where they are too long, and kept a second time, as bytes, where
 * one is not UTF-8, as those of events are.  Other texts are cut.
 */
static int put_text(hid_t group, const struct rc_h5_table *table,
                    const struct rc_h5_field *field, const char *items, size_t count,
                    struct rc_error *err)
{
    const char *scale = table->field->name;
    struct rc_h5_column column = {.name = field->name,
                                  .first = count > 0 ? items + field->offset : NULL,
                                  .stride = table->item_bytes,
                                  .count = count};
    bool plain = true;
    char name[64];

    for (size_t i = 0; i < count && field->type == RC_H5_NAME; i++) {
        const char *text;
        memcpy(&text, items + i * table->item_bytes + field->offset, sizeof text);
        text = text ? text : "";
        const size_t bytes = strlen(text);
        if (bytes > RC_STORE_TEXT_MAX)
            return rc_fail(err, RC_EUSAGE,
                           "'%s' number %zu has %zu bytes, expected at most %d",
                           field->name, i, bytes, RC_STORE_TEXT_MAX);
        plain = plain && rc_text_is_utf8(text);
    }
    int status = put_column(group, &column, scale, err);
    if (status != RC_OK || plain)
        return status;
    snprintf(name, sizeof name, "%s_bytes", field->name);
    column.name = name;
    column.raw = true;
    return put_column(group, &column, scale, err);
}

/* The type in the file; codes and flags are bytes. */
static hid_t type_of(const struct rc_h5_field *field)
{
    switch (field->type) {
    case RC_H5_REAL:
        return H5T_NATIVE_DOUBLE;
    case RC_H5_NUMBER:
    case RC_H5_WIDE:
    case RC_H5_EVENT:
        return H5T_NATIVE_UINT64;
    case RC_H5_SIGNED:
        return H5T_NATIVE_INT64;
    case RC_H5_TINY:
        return H5T_NATIVE_INT8;
    default:
        return H5T_NATIVE_UINT8;
    }
}

/* A member is in the file as it is in memory, but codes, whose enums are as wide as an
 * unsigned.
 */
_Static_assert(sizeof(size_t) == 8 && sizeof(double) == 8 && sizeof(bool) == 1,
               "numbers and flags are copied");

static bool has_words(const struct rc_h5_field *field)
{
    return field->type == RC_H5_FLAG || field->type == RC_H5_CODE;
}

/* A column of numbers, with the names of codes as attributes. */
static int put_numbers(hid_t group, const struct rc_h5_table *table,
                       const struct rc_h5_field *field, const char *items, size_t count,
                       struct rc_error *err)
{
    hid_t type = type_of(field), set = H5I_INVALID_HID;
    const size_t bytes = H5Tget_size(type);
    char *data = rc_calloc(count, bytes);

    if (!data)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu items", count);
    for (size_t i = 0; i < count; i++) {
        const void *from = items + i * table->item_bytes + field->offset;
        if (field->type == RC_H5_CODE)
            data[i] = (char)*(const unsigned *)from;
        else
            memcpy(data + i * bytes, from, bytes);
    }
    int status =
        rc_h5_put_numbers(group, field->name, type, 1, &count, data, &set, err);
    free(data);
    if (status != RC_OK)
        return status;
    if (has_words(field) &&
        (status = rc_h5_put_flags(set, words_of(field), word_count(field), err)))
        goto out;
    if (field->unit && (status = rc_h5_put_word(set, "units", field->unit, err)))
        goto out;
    status = field == table->field
                 ? rc_h5_scale(set, field->name, err)
                 : rc_h5_attach(group, set, &table->field->name, 1, err);
out:
    return rc_h5_close(set, status, err);
}

static bool is_text(const struct rc_h5_field *field)
{
    return field->type == RC_H5_TEXT || field->type == RC_H5_NAME;
}

/* Padding to the longest text is compressed, and a name that is not UTF-8 is there twice.
 */
static uint64_t text_bytes(const struct rc_h5_table *table,
                           const struct rc_h5_field *field, const char *items,
                           size_t count)
{
    uint64_t longest = 0, all = 0;

    for (size_t i = 0; i < count; i++) {
        const char *text;
        memcpy(&text, items + i * table->item_bytes + field->offset, sizeof text);
        const uint64_t bytes = text ? strlen(text) : 0;
        longest = bytes > longest ? bytes : longest;
        all += bytes;
    }
    return 4 * all + count * longest / 128;
}

uint64_t rc_h5_table_bytes(const struct rc_h5_table *table, const void *items,
                           size_t count)
{
    uint64_t bytes = 0;

    for (const struct rc_h5_field *field = table->field; field->name; field++)
        bytes += is_text(field) ? text_bytes(table, field, items, count)
                                : count * H5Tget_size(type_of(field));
    return bytes + bytes / 32; /* and notes on chunks of 256 KiB */
}

int rc_h5_put_table(hid_t parent, const struct rc_h5_table *table, const void *items,
                    size_t count, hid_t *out, struct rc_error *err)
{
    hid_t group = H5I_INVALID_HID;
    int status = rc_h5_group(parent, table->name, &group, err);

    if (status != RC_OK)
        goto out;
    if (count > RC_H5_TABLE_MAX && !table->any_length) {
        status = rc_fail(err, RC_EUSAGE, "%zu items, expected at most %zu", count,
                         RC_H5_TABLE_MAX);
        goto out;
    }
    for (const struct rc_h5_field *field = table->field; field->name; field++)
        if ((status = is_text(field)
                          ? put_text(group, table, field, items, count, err)
                          : put_numbers(group, table, field, items, count, err)))
            goto out;
    if (out) {
        *out = group;
        return RC_OK;
    }
out:
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", table->name);
    return rc_h5_close(group, status, err);
}

/* Names as their bytes where the file has them, as put_text() wrote them. */
static int get_texts(struct rc_pool *pool, hid_t group, const struct rc_h5_field *field,
                     char *items, size_t item_bytes, size_t count, struct rc_error *err)
{
    char name[64];
    const char **texts = rc_calloc(count, sizeof *texts);

    if (!texts)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu items", count);
    snprintf(name, sizeof name, "%s_bytes", field->name);
    if (field->type != RC_H5_NAME || H5Lexists(group, name, H5P_DEFAULT) <= 0)
        snprintf(name, sizeof name, "%s", field->name);
    int status = rc_h5_get_column(group, name, 0, count, pool, texts, err);
    for (size_t i = 0; i < count && status == RC_OK; i++)
        memcpy(items + i * item_bytes + field->offset, &texts[i], sizeof *texts);
    free((void *)texts);
    return status;
}

/* Checks that each number of the file stands for something; 'events' is how many the
 * kind has.
 */
static int get_numbers(hid_t group, const struct rc_h5_field *field, char *items,
                       size_t item_bytes, size_t count, size_t events,
                       struct rc_error *err)
{
    const hid_t type = type_of(field);
    const size_t bytes = H5Tget_size(type);
    const uint64_t limit = has_words(field)             ? word_count(field)
                           : field->type == RC_H5_EVENT ? events
                           : field->type == RC_H5_WIDE  ? UINT64_MAX
                                                        : RC_STORE_ITEMS_MAX;
    char *data = rc_calloc(count, bytes);
    int status;

    if (!data)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu items", count);
    if ((status = rc_h5_get_numbers(group, field->name, type, 0, count, data, err)))
        goto out;
    for (size_t i = 0; i < count; i++) {
        const void *number = data + i * bytes;
        const uint64_t value = field->type == RC_H5_REAL ||
                                       field->type == RC_H5_SIGNED ||
                                       field->type == RC_H5_TINY
                                   ? 0
                               : has_words(field) ? *(const uint8_t *)number
                                                  : *(const uint64_t *)number;
        if (value >= limit) {
            status = rc_fail(
                err, RC_EUSAGE, "'%s' number %zu is %llu, expected less than %llu",
                field->name, i, (unsigned long long)value, (unsigned long long)limit);
            goto out;
        }
        void *to = items + i * item_bytes + field->offset;
        if (field->type == RC_H5_CODE)
            *(unsigned *)to = (unsigned)value;
        else
            memcpy(to, number, bytes);
    }
out:
    free(data);
    return status;
}

/* All fields must have as many items as the first one. */
static int get_fields(struct rc_pool *pool, struct rc_arena *arena, hid_t group,
                      const struct rc_h5_table *table, size_t events, void **items,
                      size_t *count, struct rc_error *err)
{
    int status = rc_h5_get_shape(group, table->field->name, 1, count, err);

    if (status != RC_OK)
        return status;
    if (*count > RC_H5_TABLE_MAX && !table->any_length)
        return rc_fail(err, RC_EUSAGE, "%zu items, expected at most %zu", *count,
                       RC_H5_TABLE_MAX);
    if (table->any_length &&
        (status = rc_h5_check_stored(group, table->field->name, err)))
        return status;
    *items = rc_arena_array(arena, *count, table->item_bytes);
    if (!*items)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu items", *count);
    for (const struct rc_h5_field *field = table->field; field->name; field++) {
        size_t have = 0;
        if ((status = rc_h5_get_shape(group, field->name, 1, &have, err)))
            return status;
        if (have != *count)
            return rc_fail(err, RC_EUSAGE, "'%s' has %zu items, expected %zu",
                           field->name, have, *count);
        status = is_text(field) ? get_texts(pool, group, field, *items,
                                            table->item_bytes, *count, err)
                                : get_numbers(group, field, *items, table->item_bytes,
                                              *count, events, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_h5_get_table(struct rc_pool *pool, struct rc_arena *arena, hid_t parent,
                    const struct rc_h5_table *table, size_t events, void **items,
                    size_t *count, struct rc_error *err)
{
    hid_t group = H5Gopen2(parent, table->name, H5P_DEFAULT);
    int status = group < 0
                     ? rc_h5_fail(err, "cannot read it")
                     : get_fields(pool, arena, group, table, events, items, count, err);

    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", table->name);
    return rc_h5_close(group, status, err);
}
