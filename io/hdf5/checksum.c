/* The checksum of a whole file of results: CRC-32C over all of its bytes, names and
 * attributes and what HDF5 notes for itself as well as numbers.
 *
 * It stands in the file's first 512 bytes, which HDF5 leaves to others (the user block)
 * and tools skip, as one line of text, followed by zeros.  Each of these bytes is
 * determined by the others of the file, so that no bit can change unnoticed.  Older
 * files have no such block: they begin with HDF5's own mark.
 */
#include "campaign/base/files/file.h"
#include "io/hdf5/hdf5.h"
#include "io/journal/crc32c.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 18 };

static const char mark[] = "rollcall: CRC-32C";
static const unsigned char hdf5_mark[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* The block for a file that has so many bytes after it. */
static void fill_block(char block[RC_H5_BLOCK_BYTES], uint64_t bytes, uint32_t crc)
{
    memset(block, 0, RC_H5_BLOCK_BYTES);
    (void)snprintf(block, RC_H5_BLOCK_BYTES,
                   "%s of the %" PRIu64 " bytes after these %d is %08" PRIx32 "\n",
                   mark, bytes, RC_H5_BLOCK_BYTES, crc);
}

/* The block that belongs to the bytes after it in the file. */
static int make_block(int file, char block[RC_H5_BLOCK_BYTES])
{
    char *piece = rc_calloc(PIECE_BYTES, 1);
    off_t at = RC_H5_BLOCK_BYTES;
    ssize_t bytes = piece ? 1 : -1;
    uint32_t crc = 0;

    while (bytes > 0 && (bytes = pread(file, piece, PIECE_BYTES, at)) > 0) {
        crc = rc_crc32c(crc, piece, (size_t)bytes);
        at += bytes;
    }
    free(piece);
    fill_block(block, (uint64_t)(at - RC_H5_BLOCK_BYTES), crc);
    return bytes < 0 ? -1 : 0;
}

int rc_h5_seal(const char *path, struct rc_error *err)
{
    char block[RC_H5_BLOCK_BYTES];
    const int file = open(path, O_RDWR | O_CLOEXEC);
    int status = RC_OK;

    if (file < 0 || make_block(file, block) ||
        pwrite(file, block, sizeof block, 0) != (ssize_t)sizeof block)
        status = rc_fail_errno(err, "cannot write the checksum of '%s'", path);
    if (file >= 0)
        close(file);
    return status;
}

int rc_h5_check_seal(const char *path, const char *remedy, struct rc_error *err)
{
    char found[RC_H5_BLOCK_BYTES] = "", expected[RC_H5_BLOCK_BYTES];
    const int file = rc_file_open(path, RC_FILE_IN, O_RDONLY);
    const ssize_t bytes = file < 0 ? 0 : pread(file, found, sizeof found, 0);
    int status = RC_OK;

    /* Readers report files that cannot be read, or are not ours, in their own words. */
    if (bytes < (ssize_t)sizeof found ||
        memcmp(found, hdf5_mark, sizeof hdf5_mark) == 0)
        goto out;
    unsigned char behind[sizeof hdf5_mark] = {0};
    const bool marked = memcmp(found, mark, sizeof mark - 1) == 0;
    if (!marked && (pread(file, behind, sizeof behind, sizeof found) < 0 ||
                    memcmp(behind, hdf5_mark, sizeof behind) != 0))
        goto out;
    if (make_block(file, expected))
        status = rc_fail_errno(err, "cannot read '%s'", path);
    else if (memcmp(found, expected, sizeof found) != 0)
        status = rc_fail(err, RC_EIO,
                         "'%s' is damaged: its checksum is not that of what it holds; "
                         "%s",
                         path, remedy);
out:
    if (file >= 0)
        close(file);
    return status;
}
