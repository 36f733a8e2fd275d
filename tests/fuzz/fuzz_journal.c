/* Any bytes as a journal: refused with one line, or scanned to the end with each
 * byte told to be whole or damaged, and the same the second time.  Where the
 * last byte is odd the checksums in the file are fixed first, so that the code after
 * them is reached.
 */
#include "io/journal/crc32c.h"
#include "io/journal/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sums {
    uint64_t records, end, damaged, hash;
};

static int add_record(void *user, const struct rc_journal_record *record,
                      struct rc_error *err)
{
    struct sums *sums = user;

    (void)err;
    if (record->offset < sums->end)
        abort();
    sums->end = record->offset + RC_JOURNAL_BEFORE + record->bytes + RC_JOURNAL_AFTER;
    sums->records++;
    sums->hash = sums->hash * 31 + rc_crc32c(0, record->payload, record->bytes);
    sums->hash = sums->hash * 31 + record->sequence + record->writer + record->type;
    return RC_OK;
}

static void add_damage(void *user, uint64_t offset, uint64_t bytes)
{
    struct sums *sums = user;

    if (offset < sums->end || bytes == 0)
        abort();
    sums->end = offset + bytes;
    sums->damaged += bytes;
}

static void mend(unsigned char *data, size_t size)
{
    const size_t least = RC_JOURNAL_BEFORE + RC_JOURNAL_AFTER;

    if (size >= RC_JOURNAL_HEADER)
        rc_journal_put32(data + 60, rc_crc32c(0, data, 60));
    for (size_t at = 0; at + least <= size; at++) {
        unsigned char *record = data + at;
        if (memcmp(record, rc_journal_mark, RC_JOURNAL_MARK) != 0)
            continue;
        uint32_t crc = rc_crc32c(0, record, 44);
        size_t bytes = rc_journal_get32(record + 40);
        rc_journal_put32(record + 44, crc);
        if (bytes <= size - at - least && record[39] == 0) /* leave some wrong */
            rc_journal_put32(record + 48 + bytes, rc_crc32c(crc, record + 48, bytes));
    }
}

static int scan(const char *path, struct sums *sums, struct rc_error *err)
{
    const struct rc_journal_visitor visitor = {add_record, add_damage, sums};
    struct rc_journal_report report;
    char line[RC_ERROR_TEXT];
    int status;

    *sums = (struct sums){0};
    status = rc_journal_scan(path, NULL, &visitor, &report, err);
    rc_journal_say(&report, path, line, sizeof line);
    if (strchr(line, '\n') || sums->records != report.records)
        abort();
    if (status == RC_OK &&
        (report.whole_bytes + report.damaged_bytes != report.file_bytes ||
         sums->damaged != report.damaged_bytes))
        abort();
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    char path[32];
    struct rc_error err = {.text = ""};
    struct sums once, again;
    unsigned char *copy = malloc(size + 1);

    if (fd < 0)
        fd = memfd_create("journal", 0);
    if (!copy || fd < 0)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    if (size > 0 && data[size - 1] % 2)
        mend(copy, size);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, copy, size, 0) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int status = scan(path, &once, &err);
    if (status != RC_OK && (!err.text[0] || strchr(err.text, '\n')))
        abort();
    if (scan(path, &again, &err) != status || memcmp(&once, &again, sizeof once) != 0)
        abort();
    free(copy);
    return 0;
}
