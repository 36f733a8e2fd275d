/* Protocol Buffers, as far as exports need them. */
#include "campaign/profile/export/protobuf.h"

#include "campaign/base/text.h"

#include <string.h>

/* A field's key says how its value is written. */
enum wire { VARINT = 0, LENGTH = 2 };

/* Seven bits a byte, the lowest first; the eighth says that more follow. */
void rc_protobuf_packed(struct rc_bytes *out, uint64_t value)
{
    unsigned char byte[10];
    size_t used = 0;

    do {
        byte[used] = (unsigned char)(value & 127);
        value >>= 7;
        if (value)
            byte[used] |= 128;
        used++;
    } while (value);
    rc_bytes_add(out, byte, used);
}

static void put_key(struct rc_bytes *out, unsigned field, enum wire wire)
{
    rc_protobuf_packed(out, (uint64_t)field << 3 | (uint64_t)wire);
}

void rc_protobuf_number(struct rc_bytes *out, unsigned field, uint64_t value)
{
    put_key(out, field, VARINT);
    rc_protobuf_packed(out, value);
}

void rc_protobuf_message(struct rc_bytes *out, unsigned field, struct rc_bytes *message)
{
    put_key(out, field, LENGTH);
    rc_protobuf_packed(out, message->count);
    rc_bytes_add(out, message->byte, message->count);
    out->failed |= message->failed;
    message->count = 0;
}

void rc_protobuf_text(struct rc_bytes *out, unsigned field, const char *text)
{
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    struct rc_bytes clean = {0};

    while (*text) {
        const size_t length = (unsigned char)*text < 0x80 ? 1 : rc_text_utf8(text);
        rc_bytes_add(&clean, length ? text : unknown, length ? length : 3);
        text += length ? length : 1;
    }
    rc_protobuf_message(out, field, &clean);
    rc_bytes_fini(&clean);
}
