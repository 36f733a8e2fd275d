/* Writes, reads and compares records by the lists of their fields (see struct
 * rc_field).
 *
 * A field says at which offset of the struct its member lies, so the members are
 * reached by memcpy() of as many bytes as they have.  Payloads are little-endian and
 * packed, whatever this machine is; docs/formats/records.md describes them.
 */
#include "io/payload/form.h"

#include <stdlib.h>
#include <string.h>

/* A number of 1, 4 or 8 bytes. */
static uint64_t load_number(const void *member, size_t bytes)
{
    uint64_t number = 0;
    uint32_t half = 0;

    if (bytes == 1)
        return *(const uint8_t *)member;
    if (bytes == sizeof half) {
        memcpy(&half, member, sizeof half);
        return half;
    }
    memcpy(&number, member, sizeof number);
    return number;
}

static void store_number(void *member, size_t bytes, uint64_t number)
{
    const uint32_t half = (uint32_t)number;

    if (bytes == 1)
        *(uint8_t *)member = (uint8_t)number;
    else if (bytes == sizeof half)
        memcpy(member, &half, sizeof half);
    else
        memcpy(member, &number, sizeof number);
}

static const void *load_pointer(const void *record, size_t at)
{
    const void *pointer;

    memcpy(&pointer, (const char *)record + at, sizeof pointer);
    return pointer;
}

static void store_pointer(void *record, size_t at, const void *pointer)
{
    memcpy((char *)record + at, &pointer, sizeof pointer);
}

/* Counts are size_t. */
static size_t load_count(const void *record, size_t at)
{
    return (size_t)load_number((const char *)record + at, sizeof(size_t));
}

/* 'around' is the record that holds the list of which 'record' is an item, or 'record'
 * itself.
 */
/* NOLINTNEXTLINE(misc-no-recursion): items of lists hold no lists */
static void put_fields(struct rc_out *out, const struct rc_form *form,
                       const void *around, const void *record)
{
    for (size_t i = 0; i < form->field_count; i++) {
        const struct rc_field *f = &form->field[i];
        const void *member = (const char *)record + f->at;
        const char *item;
        size_t count;
        switch (f->sort) {
        case RC_FIELD_NUMBER:
            rc_out_number(out, load_number(member, f->bytes), f->stored);
            break;
        case RC_FIELD_TEXT:
        case RC_FIELD_NAME:
            rc_out_text(out, load_pointer(record, f->at));
            break;
        case RC_FIELD_BYTES:
            rc_out_bytes(out, member, f->bytes);
            break;
        case RC_FIELD_TABLE:
        case RC_FIELD_ROW:
            item = load_pointer(record, f->at);
            count = load_count(around, f->count_at);
            if (f->sort == RC_FIELD_TABLE)
                count *= load_count(record, f->columns_at);
            for (size_t n = 0; n < count; n++)
                rc_out_number(out, load_number(item + 8 * n, 8), 8);
            break;
        case RC_FIELD_LIST:
            item = load_pointer(record, f->at);
            count = load_count(record, f->count_at);
            rc_out_number(out, count, 4);
            for (size_t n = 0; n < count; n++)
                put_fields(out, f->item, record, item + n * f->item->bytes);
            break;
        }
    }
}

void rc_form_put(struct rc_out *out, const struct rc_form *form, const void *record)
{
    put_fields(out, form, record, record);
}

int rc_form_write(const struct rc_form *form, uint8_t version, const void *record,
                  struct rc_bytes *bytes, struct rc_error *err)
{
    struct rc_out out;

    rc_out_begin(&out, version, bytes);
    rc_form_put(&out, form, record);
    return rc_out_end(&out, form->what, err);
}

static void get_number(struct rc_in *in, const struct rc_field *f, void *member)
{
    uint64_t number;

    if (f->stored == 1) {
        number = rc_in_below(in, f->below, f->what);
        if (number < f->least)
            rc_in_wrong(in, "%s %d, expected %d to %d", f->what, (int)number, f->least,
                        f->below - 1);
    } else {
        number = rc_in_number(in, f->stored);
    }
    store_number(member, f->bytes, number);
}

/* So many rows of numbers of 64 bits, as they are in the memory of this machine. The
 * counts come from the payload: their product may overflow, and is compared with what
 * the payload can hold before memory is asked for.
 */
static void get_table(struct rc_in *in, const struct rc_field *f, size_t rows,
                      void *record)
{
    const size_t columns =
        f->sort == RC_FIELD_TABLE ? load_count(record, f->columns_at) : 1;
    size_t count = 0;
    uint64_t *number;

    if (__builtin_mul_overflow(rows, columns, &count) || count > rc_in_left(in) / 8)
        rc_in_wrong(in, "%zu bytes are left for %s, expected %zu times %zu numbers",
                    rc_in_left(in), f->what, rows, columns);
    number = rc_in_room(in, count, sizeof *number);
    for (size_t i = 0; number && i < count; i++)
        number[i] = rc_in_number(in, sizeof *number);
    store_pointer(record, f->at, number);
}

static void get_fields(struct rc_in *in, const struct rc_form *form, const void *around,
                       void *record);

/* A count, and so many items. */
/* NOLINTNEXTLINE(misc-no-recursion): items of lists hold no lists */
static void get_list(struct rc_in *in, const struct rc_field *f, void *record)
{
    const size_t count = rc_in_count(in, rc_form_least(f->item, in->version), f->what);

    if (count < f->fewest)
        rc_in_wrong(in, "%zu %s, expected %zu or more", count, f->what, f->fewest);
    store_number((char *)record + f->count_at, sizeof count, count);
    char *item = rc_in_room(in, count, f->item->bytes);
    store_pointer(record, f->at, item);
    for (size_t n = 0; n < count && rc_in_is_good(in); n++)
        get_fields(in, f->item, record, item + n * f->item->bytes);
}

/* 'around' is as in put_fields().  A field that came with a later version of the
 * payload stays zero, and so do those after the first that was wrong.
 */
/* NOLINTNEXTLINE(misc-no-recursion): items of lists hold no lists */
static void get_fields(struct rc_in *in, const struct rc_form *form, const void *around,
                       void *record)
{
    for (size_t i = 0; i < form->field_count && rc_in_is_good(in); i++) {
        const struct rc_field *f = &form->field[i];
        void *member = (char *)record + f->at;
        const char *text;
        if (f->since > in->version)
            continue;
        switch (f->sort) {
        case RC_FIELD_NUMBER:
            get_number(in, f, member);
            break;
        case RC_FIELD_TEXT:
        case RC_FIELD_NAME:
            text = rc_in_text(in);
            if (f->sort == RC_FIELD_NAME && !*text)
                rc_in_wrong(in, "%s without a name", f->what);
            store_pointer(record, f->at, text);
            break;
        case RC_FIELD_BYTES:
            rc_in_bytes(in, member, f->bytes);
            break;
        case RC_FIELD_TABLE:
        case RC_FIELD_ROW:
            get_table(in, f, load_count(around, f->count_at), record);
            break;
        case RC_FIELD_LIST:
            get_list(in, f, record);
            break;
        }
    }
    if (rc_in_is_good(in) && form->check)
        form->check(in, record);
}

void rc_form_get(struct rc_in *in, const struct rc_form *form, void *record)
{
    memset(record, 0, form->bytes);
    get_fields(in, form, record, record);
}

size_t rc_form_least(const struct rc_form *form, uint8_t version)
{
    static const size_t least[] = {[RC_FIELD_TEXT] = RC_TEXT_LEAST,
                                   [RC_FIELD_NAME] = RC_TEXT_LEAST,
                                   [RC_FIELD_TABLE] = 0,
                                   [RC_FIELD_ROW] = 0,
                                   [RC_FIELD_LIST] = 4};
    size_t bytes = 0;

    for (size_t i = 0; i < form->field_count; i++) {
        const struct rc_field *f = &form->field[i];
        if (f->since > version)
            continue;
        bytes += f->sort == RC_FIELD_NUMBER  ? f->stored
                 : f->sort == RC_FIELD_BYTES ? f->bytes
                                             : least[f->sort];
    }
    return bytes;
}

/* Equal contents are equal payloads, since each number has one code. */
int rc_form_same(const struct rc_form *form, const void *a, const void *b, bool *same,
                 struct rc_error *err)
{
    struct rc_bytes payload[2] = {{0}};
    int status = rc_form_write(form, RC_PAYLOAD_OLDEST, a, &payload[0], err);

    if (status == RC_OK)
        status = rc_form_write(form, RC_PAYLOAD_OLDEST, b, &payload[1], err);
    *same = status == RC_OK && payload[0].count == payload[1].count &&
            memcmp(payload[0].byte, payload[1].byte, payload[0].count) == 0;
    rc_bytes_fini(&payload[0]);
    rc_bytes_fini(&payload[1]);
    return status;
}
