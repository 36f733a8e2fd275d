/* form.h - numbers and texts of payloads, and records stored by lists of their fields
 *
 * For rooms that have records of their own in a journal; fields.h has the words to
 * write such lists with.
 */
#ifndef RC_CAMPAIGN_RECORDS_FORM_H
#define RC_CAMPAIGN_RECORDS_FORM_H

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/records/record.h"

/* Of the records of campaigns; others have versions of their own, from the same oldest
 * on.  Older versions are the same without the fields that came since; they are read,
 * not written.
 */
#define RC_RECORD_VERSION 4
#define RC_RECORD_OLDEST 2

/* Appends to 'bytes'.  What went wrong stays until rc_out_end(), and nothing more is
 * appended.
 */
struct rc_out {
    struct rc_bytes *bytes; /* the caller's */
    bool too_long; /* more than a record may have, or a number than its field */
};

/* Begins with the version of the payload. */
void rc_out_begin(struct rc_out *out, uint8_t version, struct rc_bytes *bytes);
void rc_out_bytes(struct rc_out *out, const void *data, size_t count);
void rc_out_number(struct rc_out *out, uint64_t number, size_t bytes);
void rc_out_varint(struct rc_out *out, uint64_t number);
void rc_out_text(struct rc_out *out, const char *text);
void rc_out_patch_32(struct rc_out *out, size_t at, uint32_t number); /* put before */
static inline bool rc_out_is_good(const struct rc_out *out)
{
    return !out->too_long && !out->bytes->failed;
}
int rc_out_end(struct rc_out *out, const char *what, struct rc_error *err);

/* Reads from a payload.  After the first thing that is wrong, which is in 'err',
 * all that is read is 0 and "".
 */
struct rc_in {
    const unsigned char *byte; /* the payload */
    size_t bytes, at;          /* its length; what is read next */
    const char *what;          /* "a unit": for messages */
    uint8_t version;           /* of the payload */
    int status;                /* of all that was read so far */
    struct rc_error *err;
    struct rc_pool *texts;  /* keeps texts; NULL: they point into the payload */
    struct rc_arena *lists; /* keeps arrays; NULL: there are none to be read */
};

/* Reads the version, which may be 'newest' at most. */
void rc_in_begin(struct rc_in *in, uint8_t newest, const char *what,
                 const void *payload, size_t bytes, struct rc_error *err);
static inline bool rc_in_is_good(const struct rc_in *in)
{
    return in->status == RC_OK;
}
size_t rc_in_left(const struct rc_in *in);
uint64_t rc_in_number(struct rc_in *in, size_t bytes);
uint64_t rc_in_varint(struct rc_in *in);
uint8_t rc_in_below(struct rc_in *in, uint8_t limit, const char *of); /* u8 */

/* A count (u32) of things that take at least 'each' bytes: never more than the
 * payload can hold.
 */
uint32_t rc_in_count(struct rc_in *in, size_t each, const char *of);
const char *rc_in_text(struct rc_in *in);
void rc_in_bytes(struct rc_in *in, void *out, size_t count); /* zeros if they lack */
#define RC_TEXT_LEAST 5                                      /* bytes of "" */

/* RC_EUSAGE with what was found, unless something was wrong before. */
void rc_in_wrong(struct rc_in *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int rc_in_end(struct rc_in *in); /* nothing may be left */

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

/* What a record, or an item of a list, consists of. */
struct rc_form {
    const char *what; /* "a kind": for messages */
    size_t bytes;     /* of the struct */
    const struct rc_field *field;
    size_t field_count;
    /* What else is to be refused, by rc_in_wrong().  May be NULL. */
    void (*check)(struct rc_in *in, const void *record);
};

void rc_form_put(struct rc_out *out, const struct rc_form *form, const void *record);
void rc_form_get(struct rc_in *in, const struct rc_form *form, void *record);

/* Zeroed and kept by in->lists; NULL after something was wrong. */
void *rc_in_room(struct rc_in *in, size_t count, size_t item_bytes);

/* The fewest bytes that a record of the form takes in a payload of that version. */
size_t rc_form_least(const struct rc_form *form, uint8_t version);

/* Whether two records have the same content: NANs of a table are equal. */
int rc_form_same(const struct rc_form *form, const void *a, const void *b, bool *same,
                 struct rc_error *err);

#endif
