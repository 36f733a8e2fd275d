/* form.h - structs stored in payloads by lists of their fields
 *
 * For rooms that have records of their own in a journal; fields.h has the words to
 * write such lists with.
 */
#ifndef RC_IO_PAYLOAD_FORM_H
#define RC_IO_PAYLOAD_FORM_H

#include "io/payload/payload.h"

/* How a member of a record is stored.  A record is described by the list of its
 * fields, in the order of the payload; writing, reading and comparing go by it.
 */
enum rc_field_sort {
    RC_FIELD_NUMBER, /* an integer, a flag or an enum */
    RC_FIELD_TEXT,   /* const char * */
    RC_FIELD_NAME,   /* the same, and not empty */
    RC_FIELD_BYTES,  /* as they are */
    RC_FIELD_TABLE,  /* rows x columns of 8 bytes; both counts stand before */
    RC_FIELD_ROW,    /* in an item: so many 8 bytes as the record around it says */
    RC_FIELD_LIST,   /* a count, and so many items of a form without lists */
};

struct rc_form;
struct rc_field {
    enum rc_field_sort sort;
    uint8_t stored;       /* of a number: its bytes in the payload */
    uint8_t least, below; /* of a number of 1 byte: the values that there are */
    uint8_t since;        /* version of the payload that brought it */
    size_t at;            /* the member's offset in the struct */
    size_t bytes;         /* of the member: a number's, or of 'as they are' */
    size_t count_at;      /* offset of the member (size_t) with its count, or rows */
    size_t columns_at;    /* likewise */
    size_t fewest;        /* items of a list */
    const char *what;     /* for messages: "a scope of", "sources" */
    const struct rc_form *item; /* of a list */
};

/* The fields of a record, or of an item of a list. */
struct rc_form {
    const char *what; /* "a kind": for messages */
    size_t bytes;     /* of the struct */
    const struct rc_field *field;
    size_t field_count;
    /* Refuses, by rc_in_wrong(), values that do not fit together.  May be NULL. */
    void (*check)(struct rc_in *in, const void *record);
};

void rc_form_put(struct rc_out *out, const struct rc_form *form, const void *record);
/* A payload of its own, from its version to its end. */
int rc_form_write(const struct rc_form *form, uint8_t version, const void *record,
                  struct rc_bytes *bytes, struct rc_error *err);
void rc_form_get(struct rc_in *in, const struct rc_form *form, void *record);

/* The fewest bytes that a record of the form takes in a payload of that version. */
size_t rc_form_least(const struct rc_form *form, uint8_t version);

/* Whether two records have the same content: NANs of a table are equal. */
int rc_form_same(const struct rc_form *form, const void *a, const void *b, bool *same,
                 struct rc_error *err);

#endif
