/* Compresses bytes with zlib, as gzip does, and writes them raw or as Base64: for data
 * in pages, which a script unpacks with DecompressionStream.  Data are handled in
 * pieces, so that neither the compressed bytes nor their letters are ever in memory as
 * a whole.
 */
#include "io/text/deflate.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

enum {
    PIECE = 3 << 14, /* a multiple of 3: only the last piece is padded */
    LEVEL = 4,       /* 6 takes twice as long and saves 3 % */
    PAD = 64,        /* index of '=', for missing bytes */
    GZIP = 16,       /* added to the window's bits: with gzip's head and tail */
};

/* Base64 (RFC 4648): three bytes are four letters; missing bytes of the last three are
 * padded.
 */
static void put_letters(FILE *out, const unsigned char *byte, size_t count)
{
    static const char letter[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

    char text[4 * PIECE / 3];
    size_t used = 0;

    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned long bits = (unsigned long)byte[i] << 16 |
                                   (left > 1 ? (unsigned long)byte[i + 1] << 8 : 0) |
                                   (left > 2 ? byte[i + 2] : 0);
        text[used++] = letter[bits >> 18];
        text[used++] = letter[bits >> 12 & 63];
        text[used++] = letter[left > 1 ? bits >> 6 & 63 : PAD];
        text[used++] = letter[left > 2 ? bits & 63 : PAD];
    }
    /* cppcheck-suppress uninitvar ; if count is 0, nothing is written */
    fwrite(text, 1, used, out);
}

static void put_bytes(FILE *out, const unsigned char *byte, size_t count)
{
    fwrite(byte, 1, count, out);
}

static int deflate_to(FILE *out, const void *data, size_t bytes,
                      void (*put)(FILE *out, const unsigned char *byte, size_t count),
                      int head, struct rc_error *err)
{
    static const size_t whole = PIECE;
    unsigned char piece[PIECE];
    const unsigned char *at = data;
    z_stream z = {0};
    int end = Z_OK;

    if (deflateInit2(&z, LEVEL, Z_DEFLATED, MAX_WBITS + head, 9, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return rc_fail(err, RC_ENOMEM, "no memory to compress %zu bytes", bytes);
    while (end != Z_STREAM_END) {
        z.next_out = piece;
        z.avail_out = (unsigned)whole;
        while (z.avail_out > 0 && end != Z_STREAM_END) {
            /* zlib counts in unsigned int: longer data are passed in parts. */
            if (z.avail_in == 0 && bytes > 0) {
                z.avail_in = bytes < UINT_MAX ? (unsigned)bytes : UINT_MAX;
                z.next_in = (unsigned char *)at; /* only read by zlib */
                at += z.avail_in;
                bytes -= z.avail_in;
            }
            end = deflate(&z, bytes ? Z_NO_FLUSH : Z_FINISH);
        }
        put(out, piece, whole - z.avail_out);
    }
    deflateEnd(&z);
    return RC_OK;
}

int rc_deflate(FILE *out, const void *data, size_t bytes, struct rc_error *err)
{
    return deflate_to(out, data, bytes, put_letters, GZIP, err);
}

int rc_gzip(FILE *out, const void *data, size_t bytes, struct rc_error *err)
{
    return deflate_to(out, data, bytes, put_bytes, GZIP, err);
}

int rc_zlib(FILE *out, const void *data, size_t bytes, struct rc_error *err)
{
    return deflate_to(out, data, bytes, put_bytes, 0, err);
}

/* Unpacks all at once: the caller knows the size. */
int rc_zlib_unpack(const void *data, size_t bytes, void *out, size_t room)
{
    unsigned char none = 0;
    z_stream z = {.next_in = (unsigned char *)data, .next_out = room ? out : &none};
    int end;

    if (bytes > UINT_MAX || room > UINT_MAX || inflateInit(&z) != Z_OK)
        return -1;
    z.avail_in = (unsigned)bytes;
    z.avail_out = (unsigned)room;
    end = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return end == Z_STREAM_END && z.avail_out == 0 ? 0 : -1;
}
