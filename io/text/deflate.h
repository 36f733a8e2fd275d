/* deflate.h - compressed bytes, and the same as text, for data in pages
 *
 * Only this module uses zlib.
 */
#ifndef RC_IO_TEXT_DEFLATE_H
#define RC_IO_TEXT_DEFLATE_H

#include "campaign/base/error.h"

#include <stddef.h>
#include <stdio.h>

/* Writes the bytes compressed (gzip) in Base64.  RC_ENOMEM: zlib has no memory;
 * ferror() says whether 'out' could be written.
 */
int rc_deflate(FILE *out, const void *data, size_t bytes, struct rc_error *err);

/* The same without Base64: the content of a gzip file. */
int rc_gzip(FILE *out, const void *data, size_t bytes, struct rc_error *err);
/* Likewise, without gzip's head and tail: zlib's own format. */
int rc_zlib(FILE *out, const void *data, size_t bytes, struct rc_error *err);

/* Unpacks data that zlib packed. -1: they are damaged, or not 'room' bytes long. */
int rc_zlib_unpack(const void *data, size_t bytes, void *out, size_t room);

#endif
