/* parts.h - numbers and texts in the payloads of records
 *
 * Inside of this room and campaign*.c only.  Numbers are little-endian.  A text
 * is its length (u32), its bytes, none of which is 0, and a 0.
 */
#ifndef RC_CAMPAIGN_RECORDS_PARTS_H
#define RC_CAMPAIGN_RECORDS_PARTS_H

#include "campaign/records/record.h"

/* Version 2 is the same without the begin of a unit: it is read, not written. */
#define RC_RECORD_VERSION 3
#define RC_RECORD_OLDEST 2

/* A value of a reading: its code, or 2 and the zigzag of its difference. */
#define RC_VALUE_NONE 0
#define RC_VALUE_FULL 1 /* the difference follows in 8 bytes */
#define RC_VALUE_CODES 2

/* Appends to 'bytes'.  What went wrong first stays until rc_out_end(). */
struct rc_out {
    struct rc_bytes *bytes;
    enum { RC_OUT_GOOD, RC_OUT_NO_MEMORY, RC_OUT_TOO_LONG } state;
};

void rc_out_begin(struct rc_out *out, struct rc_bytes *bytes); /* and the version */
void rc_out_bytes(struct rc_out *out, const void *data, size_t count);
void rc_out_8(struct rc_out *out, uint8_t number);
void rc_out_32(struct rc_out *out, uint32_t number);
void rc_out_64(struct rc_out *out, uint64_t number);
void rc_out_varint(struct rc_out *out, uint64_t number);
void rc_out_count(struct rc_out *out, size_t count); /* u32 */
void rc_out_text(struct rc_out *out, const char *text);
void rc_out_patch_32(struct rc_out *out, size_t at, uint32_t number); /* put before */
int rc_out_end(struct rc_out *out, const char *what, struct rc_error *err);

/* Reads from a payload.  After the first thing that is wrong, which is in 'err',
 * all that is read is 0 and "".
 */
struct rc_in {
    const unsigned char *byte;
    size_t bytes, at;
    const char *what; /* "a unit": for messages */
    uint8_t version;
    int status;
    struct rc_error *err;
};

void rc_in_begin(struct rc_in *in, const char *what, const void *payload, size_t bytes,
                 struct rc_error *err); /* and the version */
size_t rc_in_left(const struct rc_in *in);
uint8_t rc_in_8(struct rc_in *in);
uint32_t rc_in_32(struct rc_in *in);
uint64_t rc_in_64(struct rc_in *in);
uint64_t rc_in_varint(struct rc_in *in);
uint8_t rc_in_below(struct rc_in *in, uint8_t limit, const char *of); /* u8 */
bool rc_in_flag(struct rc_in *in);

/* A count (u32) of things that take at least 'each' bytes: never more than the
 * payload can hold.
 */
uint32_t rc_in_count(struct rc_in *in, size_t each, const char *of);
const char *rc_in_text(struct rc_in *in); /* points into the payload */
void rc_in_bytes(struct rc_in *in, void *out, size_t count); /* zeros if they lack */
#define RC_TEXT_LEAST 5                                      /* bytes of "" */

/* RC_EUSAGE with what was found, unless something was wrong before. */
void rc_in_wrong(struct rc_in *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int rc_in_end(struct rc_in *in); /* nothing may be left */

/* What the campaign reads.  The strings point into the payload; arrays that a
 * get allocates are freed by its fini, which accepts a zeroed record.
 */
int rc_record_get_campaign(const void *payload, size_t bytes,
                           struct rc_record_campaign *out, struct rc_error *err);
int rc_record_get_run(const void *payload, size_t bytes, struct rc_record_run *out,
                      struct rc_error *err);
int rc_record_get_kind(const void *payload, size_t bytes, struct rc_record_kind *out,
                       struct rc_error *err);
void rc_record_kind_fini(struct rc_record_kind *kind);
int rc_record_get_origin(const void *payload, size_t bytes,
                         struct rc_record_origin *out, struct rc_error *err);
void rc_record_origin_fini(struct rc_record_origin *origin);

int rc_record_get_share(const void *payload, size_t bytes, struct rc_record_share *out,
                        struct rc_error *err);
void rc_record_share_fini(struct rc_record_share *share);

/* A suite, and whose it is.  The arrays are const for its readers, not for us. */
struct rc_record_suite_of {
    uint64_t kind;
    uint32_t number;
    struct rc_record_suite suite;
};
int rc_record_get_suite(const void *payload, size_t bytes,
                        struct rc_record_suite_of *out, struct rc_error *err);
void rc_record_suite_fini(struct rc_record_suite *suite);

/* Events and groups: first .. first + count - 1 of a kind. */
struct rc_record_list {
    uint64_t kind, first;
    uint32_t count;
    struct rc_record_event *event;
    struct rc_record_group *group;
    uint32_t *members; /* of the groups */
};
int rc_record_get_events(const void *payload, size_t bytes, struct rc_record_list *out,
                         struct rc_error *err);
int rc_record_get_groups(const void *payload, size_t bytes, struct rc_record_list *out,
                         struct rc_error *err);
void rc_record_list_fini(struct rc_record_list *list);

#endif
