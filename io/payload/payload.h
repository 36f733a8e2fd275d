/* payload.h - numbers and texts of the payloads of a journal's records
 *
 * Every length is checked.  Errors are sticky, so that callers check once, at the end
 * of a payload.
 */
#ifndef RC_IO_PAYLOAD_PAYLOAD_H
#define RC_IO_PAYLOAD_PAYLOAD_H

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The oldest version of payloads that is read.  Older versions are the same without the
 * fields that came since; they are read, not written.
 */
#define RC_PAYLOAD_OLDEST 2

/* Bytes that grow; a zeroed one is empty. */
struct rc_bytes {
    unsigned char *byte;
    size_t count, room;
    bool failed; /* there was no memory for something that was to be appended */
};
void rc_bytes_fini(struct rc_bytes *bytes);

/* Makes room for 'count' more, and for as many again as there are then, so that
 * appending stays cheap.  -1: no memory, and 'failed' is set; the bytes are intact.
 */
int rc_bytes_reserve(struct rc_bytes *bytes, size_t count);

/* Appends a copy.  After a failure, which is in 'failed', nothing more is appended: who
 * appends several things checks once.
 */
void rc_bytes_add(struct rc_bytes *bytes, const void *data, size_t count);

/* Appends to 'bytes'.  A failure stays until rc_out_end(), and nothing more is
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

/* Zeroed and kept by in->lists; NULL after something was wrong. */
void *rc_in_room(struct rc_in *in, size_t count, size_t item_bytes);

#endif
