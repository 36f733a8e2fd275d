/* deflate.h - compressed bytes, and the same as text, for data within pages
 *
 * Only home of zlib.
 */
#ifndef RC_IO_TEXT_DEFLATE_H
#define RC_IO_TEXT_DEFLATE_H

#include "campaign/base/error.h"

#include <stddef.h>
#include <stdio.h>

/* Writes the bytes compressed (gzip) in Base64.  RC_ENOMEM where zlib has no memory;
 * whether 'out' could be written, ferror() tells.
 */
int rc_deflate(FILE *out, const void *data, size_t bytes, struct rc_error *err);

/* The same as it is: what a file of gzip holds. */
int rc_gzip(FILE *out, const void *data, size_t bytes, struct rc_error *err);
/* Likewise, without the head and tail of gzip: what zlib calls its format. */
int rc_zlib(FILE *out, const void *data, size_t bytes, struct rc_error *err);

/* Unpacks what zlib packed.  -1: it is damaged, or not 'room' bytes long. */
int rc_zlib_unpack(const void *data, size_t bytes, void *out, size_t room);

#endif
