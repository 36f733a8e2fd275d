/* protobuf.h - messages of Protocol Buffers, written field by field into bytes
 *
 * A message within another is made in bytes of its own and then put as a field.  A lack
 * of memory is noted in the bytes ('failed'), which is asked once at the end.
 * https://protobuf.dev/programming-guides/encoding describes the format.
 */
#ifndef RC_CAMPAIGN_PROFILE_EXPORT_PROTOBUF_H
#define RC_CAMPAIGN_PROFILE_EXPORT_PROTOBUF_H

#include "io/payload/payload.h"

/* A whole number, also of the types bool and enum; int64 as its two's complement. */
void rc_protobuf_number(struct rc_bytes *out, unsigned field, uint64_t value);

/* A string: bytes that are not UTF-8 become U+FFFD. */
void rc_protobuf_text(struct rc_bytes *out, unsigned field, const char *text);

/* A message, or packed numbers; 'message' is empty then, and may be used again. */
void rc_protobuf_message(struct rc_bytes *out, unsigned field,
                         struct rc_bytes *message);

/* One more of packed numbers: without its field. */
void rc_protobuf_packed(struct rc_bytes *out, uint64_t value);

#endif
