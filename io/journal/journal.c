/* Opens a node's journal and appends records, each with one write.
 *
 * All workers of a node write to one file without a lock, thanks to O_APPEND and one
 * writev() for each record: the system appends each call's bytes as one piece.  Nothing
 * that was written is ever changed or cut, not even the rest of a failed write, since
 * others may have written after it; a scan skips such a rest.
 */
#include "io/journal/journal.h"

#include "campaign/base/clock.h"
#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/memory.h"
#include "io/journal/crc32c.h"
#include "io/journal/format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

struct rc_journal {
    int fd;
    char *path;
    struct rc_journal_id campaign;
    uint32_t writer;    /* the rank */
    uint64_t sequence;  /* of the next record */
    int64_t sync_ms;    /* least time between syncs, or RC_JOURNAL_SYNC_NEVER */
    uint64_t synced_ns; /* time of the last sync, by rc_clock_ns() */
    bool unsynced;      /* records were appended since */
    FILE *held; /* NULL: records are not held back; otherwise uses the members below */
    char *held_byte;
    size_t held_bytes;
};

int rc_journal_path(const char *dir, const char *node, char *out, size_t room,
                    struct rc_error *err)
{
    if (!node[0] || node[0] == '.' || strchr(node, '/'))
        return rc_fail(err, RC_EUSAGE,
                       "node '%s': expected a name that is not empty, begins with no "
                       "dot and holds no '/'",
                       node);
    return rc_path(out, room, err, "%s/journal/%s.rcj", dir, node);
}

/* Gives the finished file its name, unless another process did so first: its file has
 * the same header.  NFS supports only the second way.
 */
static int publish_file(int directory, const char *aside, const char *name)
{
    if (renameat2(directory, aside, directory, name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EEXIST && linkat(directory, aside, directory, name, 0) != 0 &&
        errno != EEXIST)
        return -1;
    unlinkat(directory, aside, 0);
    return 0;
}

/* Makes a file with a random name that nobody else has. */
static int open_aside(int directory, char *name, size_t room)
{
    uint64_t word = 0;
    int fd;

    do {
        if (getrandom(&word, sizeof word, 0) < 0)
            return -1;
        snprintf(name, room, ".new.%016" PRIx64, word);
        fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EEXIST);
    return fd;
}

/* The header is written to another file first, so that nobody ever sees a part of it.
 */
static int create_in(int directory, const struct rc_journal_setting *setting,
                     const char *path, struct rc_error *err)
{
    const bool sync = setting->sync_ms != RC_JOURNAL_SYNC_NEVER;
    unsigned char header[RC_JOURNAL_HEADER];
    char aside[32];
    int status = RC_OK, fd = open_aside(directory, aside, sizeof aside);

    if (fd < 0)
        return rc_fail_errno(err, "cannot create a file in the directory of '%s'",
                             path);
    rc_journal_put_header(header, &setting->campaign);
    ssize_t written = write(fd, header, sizeof header);
    if (written >= 0 && written < (ssize_t)sizeof header)
        errno = ENOSPC;
    /* A name in a directory survives a power cut once the directory is synced. */
    if (written != (ssize_t)sizeof header || (sync && fsync(fd) != 0) ||
        publish_file(directory, aside, strrchr(path, '/') + 1) != 0 ||
        (sync && fsync(directory) != 0)) {
        status = rc_fail_errno(err, "cannot create the journal '%s'", path);
        unlinkat(directory, aside, 0);
    }
    close(fd);
    return status;
}

/* Opens the journal, which is created, with the directory of journals, if it does not
 * exist.
 */
static int open_file(struct rc_journal *journal,
                     const struct rc_journal_setting *setting, struct rc_error *err)
{
    const int flags = O_RDWR | O_APPEND; /* for reading, too: the header is checked */
    unsigned char header[RC_JOURNAL_HEADER];
    enum rc_journal_header found;

    journal->fd = rc_file_open(journal->path, RC_FILE_BELOW, flags);
    if (journal->fd < 0 && errno == ENOENT) {
        char directory[PATH_MAX];
        snprintf(directory, sizeof directory, "%s/journal", setting->dir);
        if (mkdir(directory, 0777) != 0 && errno != EEXIST)
            return rc_fail_errno(err, "cannot create the directory '%s'", directory);
        int fd = rc_file_open(directory, RC_FILE_IN, O_RDONLY | O_DIRECTORY);
        if (fd < 0)
            return rc_file_fail_open(err, directory);
        int status = create_in(fd, setting, journal->path, err);
        close(fd);
        if (status != RC_OK)
            return status;
        journal->fd = rc_file_open(journal->path, RC_FILE_BELOW, flags);
    }
    if (journal->fd < 0)
        return rc_file_fail_open(err, journal->path);
    /* Nothing is appended to a file that is not a journal, or of another campaign. */
    ssize_t got = pread(journal->fd, header, sizeof header, 0);
    if (got < 0)
        return rc_fail_errno(err, "%s: cannot read at offset 0", journal->path);
    int status = rc_journal_check_header(journal->path, header, (size_t)got,
                                         &journal->campaign, &found, err);
    if (status != RC_OK)
        return status;
    if (found == RC_JOURNAL_HEADER_STRANGE)
        return rc_fail(
            err, RC_EUSAGE,
            "%s: offset 0: not a journal; nothing is appended to it, expected "
            "a journal or no file",
            journal->path);
    return RC_OK;
}

int rc_journal_open(const struct rc_journal_setting *setting, struct rc_journal **out,
                    struct rc_error *err)
{
    char path[PATH_MAX];
    int status = rc_journal_path(setting->dir, setting->node, path, sizeof path, err);

    *out = NULL;
    if (status != RC_OK)
        return status;
    struct rc_journal *journal = rc_calloc(1, sizeof *journal);
    if (!journal)
        return rc_fail(err, RC_ENOMEM, "%s: no memory for the journal", path);
    *journal = (struct rc_journal){.fd = -1,
                                   .path = strdup(path),
                                   .campaign = setting->campaign,
                                   .writer = setting->writer,
                                   .sequence = setting->first_sequence,
                                   .sync_ms = setting->sync_ms,
                                   .synced_ns = rc_clock_ns()};
    status = journal->path
                 ? open_file(journal, setting, err)
                 : rc_fail(err, RC_ENOMEM, "%s: no memory for the journal", path);
    if (status == RC_OK) {
        *out = journal;
        return RC_OK;
    }
    if (journal->fd >= 0)
        close(journal->fd);
    free(journal->path);
    free(journal);
    return status;
}

/* Why a record was written in part: the system gives the reason only to the next call,
 * which must not be made.
 */
static const char *why_short(int fd, uint64_t wanted)
{
    struct statvfs system;
    struct rlimit limit;
    struct stat file;

    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        fstat(fd, &file) == 0 && (uint64_t)file.st_size + wanted > limit.rlim_cur)
        return "the limit of file sizes (ulimit -f) is reached";
    if (fstatvfs(fd, &system) == 0 && system.f_bavail * system.f_frsize < wanted)
        return "no space is left on the device";
    return "the system took no more";
}

/* Writes with one call, so that records of several writers do not mix.  A partial
 * record stays, since others may have written after it.  'what' names the record in
 * messages.
 */
static int put_parts(struct rc_journal *journal, struct iovec *part, int parts,
                     size_t total, const char *what, struct rc_error *err)
{
    struct stat file;
    ssize_t done;

    do {
        done = writev(journal->fd, part, parts);
    } while (done < 0 && errno == EINTR);
    journal->unsynced = true;
    if (done < 0)
        return rc_fail_errno(
            err, "%s: cannot append %s %" PRIu64 " of writer %" PRIu32 " (%zu bytes)",
            journal->path, what, journal->sequence, journal->writer, total);
    if ((size_t)done < total)
        return rc_fail(err, RC_EIO,
                       "%s: only %zd of %zu bytes of %s %" PRIu64 " of writer %" PRIu32
                       " could be appended: %s",
                       journal->path, done, total, what, journal->sequence,
                       journal->writer, why_short(journal->fd, total - (size_t)done));
    /* A removed file still accepts data, and is gone when it is closed. */
    if (fstat(journal->fd, &file) != 0)
        return rc_fail_errno(err, "cannot examine '%s'", journal->path);
    if (file.st_nlink == 0)
        return rc_fail(err, RC_EMISSING,
                       "%s: the journal was removed while it was being written",
                       journal->path);
    if (journal->sync_ms < 0 ||
        rc_clock_ns() - journal->synced_ns < (uint64_t)journal->sync_ms * 1000000)
        return RC_OK;
    return rc_journal_sync(journal, err);
}

int rc_journal_append(struct rc_journal *journal, uint32_t type, const void *payload,
                      size_t bytes, struct rc_error *err)
{
    const struct rc_journal_record record = {.type = type,
                                             .writer = journal->writer,
                                             .sequence = journal->sequence,
                                             .bytes = bytes};
    unsigned char before[RC_JOURNAL_BEFORE], after[RC_JOURNAL_AFTER];
    /* writev() only reads them, but its struct is not const. */
    struct iovec part[3] = {
        {before, sizeof before}, {(void *)payload, bytes}, {after, sizeof after}};
    const size_t total = sizeof before + bytes + sizeof after;

    if (bytes > RC_JOURNAL_PAYLOAD_MAX)
        return rc_fail(err, RC_EUSAGE,
                       "%s: a record of %zu bytes, expected at most %" PRIu32,
                       journal->path, bytes, RC_JOURNAL_PAYLOAD_MAX);
    uint32_t crc = rc_journal_put_before(before, &journal->campaign, &record);
    rc_journal_put32(after, rc_crc32c(crc, payload, bytes));
    int status = RC_OK;
    for (int i = 0; i < 3 && journal->held; i++)
        fwrite(part[i].iov_base, 1, part[i].iov_len, journal->held);
    if (!journal->held)
        status = put_parts(journal, part, 3, total, "record", err);
    journal->sequence++; /* also on failure: a part may be in the file */
    return status;
}

void rc_journal_hold(struct rc_journal *journal)
{
    if (journal->held)
        return;
    journal->held_byte = NULL;
    journal->held = open_memstream(&journal->held_byte, &journal->held_bytes);
}

/* Ends holding back: 0, or -1 if there was no memory for all records. */
static int end_hold(struct rc_journal *journal)
{
    const int failed = ferror(journal->held), closed = fclose(journal->held);

    journal->held = NULL;
    return failed || closed != 0 || !journal->held_byte ? -1 : 0;
}

int rc_journal_release(struct rc_journal *journal, struct rc_error *err)
{
    int status = RC_OK;

    if (!journal->held)
        return RC_OK;
    if (end_hold(journal) != 0)
        status = rc_fail(err, RC_ENOMEM, "%s: no memory for records", journal->path);
    struct iovec part = {journal->held_byte, journal->held_bytes};
    if (status == RC_OK && part.iov_len > 0)
        status = put_parts(journal, &part, 1, part.iov_len, "records before", err);
    free(journal->held_byte);
    return status;
}

int rc_journal_append_of(struct rc_journal *journal, uint32_t writer, uint32_t type,
                         const void *payload, size_t bytes, struct rc_error *err)
{
    const uint32_t own = journal->writer;

    journal->writer = writer;
    int status = rc_journal_append(journal, type, payload, bytes, err);
    journal->writer = own;
    return status;
}

int rc_journal_sync(struct rc_journal *journal, struct rc_error *err)
{
    if (!journal->unsynced)
        return RC_OK;
    journal->synced_ns = rc_clock_ns();
    if (fdatasync(journal->fd) != 0)
        return rc_fail_errno(err, "%s: cannot sync what was appended to disk",
                             journal->path);
    journal->unsynced = false;
    return RC_OK;
}

int rc_journal_close(struct rc_journal *journal, struct rc_error *err)
{
    int status = RC_OK;

    if (!journal)
        return RC_OK;
    if (journal->sync_ms >= 0)
        status = rc_journal_sync(journal, err);
    if (close(journal->fd) != 0 && status == RC_OK)
        status = rc_fail_errno(err, "%s: cannot close the journal", journal->path);
    if (journal->held) {
        (void)end_hold(journal);
        free(journal->held_byte);
    }
    free(journal->path);
    free(journal);
    return status;
}
