/* crc32c.h - the checksum of the journal: CRC-32C (Castagnoli, as in iSCSI) */
#ifndef RC_IO_JOURNAL_CRC32C_H
#define RC_IO_JOURNAL_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of 'bytes' bytes that follow others whose checksum is 'crc'; begin with
 * 0.  So checksums of parts chain: that of b with 'crc' of a is that of a and b
 * together.  Uses the processor's instruction if it has one.
 */
uint32_t rc_crc32c(uint32_t crc, const void *data, size_t bytes);

/* The same by table, on any processor: for tests. */
uint32_t rc_crc32c_table(uint32_t crc, const void *data, size_t bytes);

#endif
