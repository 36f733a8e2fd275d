/* DIR/launches.txt: which launches of programs a directory of profiles holds.
 *
 *     rollcall profile 1 0123456789abcdef0123456789abcdef
 *     0 61c8864680b583eb node17 1795428158 --set n=256 ./fft3d -n 256
 *
 * The first line has the id that all journals carry.  Below it stands a line for each
 * sampler that was started: the number of the launch, the key of the job, by which
 * nodes find that they belong to the same launch, the node, the time, what --set says,
 * if anything, and the program.
 * Lines are added under a lock of the file, and none is ever changed.
 */
#include "campaign/profile/launch/launches.h"
#include "campaign/profile/wire/records.h"

#include "campaign/base/clock.h"
#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/directory/campaign_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "rollcall profile 1 "

enum {
    BYTES_MOST = 64 << 20,
    LINE = 1024, /* bytes of a line at most */
    SAMPLERS_MOST = 1 << 24,
};

static int read_id(const char *text, struct rc_journal_id *out)
{
    for (size_t i = 0; i < sizeof out->byte; i++)
        if (sscanf(text + 2 * i, "%2hhx", &out->byte[i]) != 1)
            return -1;
    return text[2 * sizeof out->byte] == '\n' ? 0 : -1;
}

/* Whether the sampler of another node of this launch has the same --set. */
static int check_set(const char *line, const struct rc_profile_plan *plan,
                     struct rc_error *err)
{
    char there[RC_PROFILE_SET] = "";

    _Static_assert(sizeof there == 256, "the width below");
    sscanf(line, "%*s %*s %*s %*s --set %255s", there);
    return rc_profile_parameters_agree(plan->set, there, err);
}

/* Takes the text of the file apart: the id, the launch of that key or the next one, and
 * how many samplers were started.  A last line without an end was being written when
 * its launcher was killed; it counts.
 */
static int read_launches(const char *text, uint64_t key, struct rc_profile_plan *plan,
                         const char *path, struct rc_error *err)
{
    uint64_t launch, digest, next = 0, lines = 0;
    bool found = false;

    if (strncmp(text, HEAD, strlen(HEAD)) != 0 ||
        read_id(text + strlen(HEAD), &plan->id) != 0)
        return rc_fail(err, RC_EUSAGE,
                       "%.400s: expected '" HEAD "' and an id in the first line", path);
    for (const char *line = strchr(text, '\n') + 1; *line; lines++) {
        if (sscanf(line, "%" SCNu64 " %16" SCNx64 " ", &launch, &digest) == 2 &&
            launch < SAMPLERS_MOST) {
            next = launch >= next ? launch + 1 : next;
            if (digest == key)
                plan->launch = launch;
            found |= digest == key;
            if (digest == key && check_set(line, plan, err) != RC_OK)
                return RC_EUSAGE;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    if (lines >= SAMPLERS_MOST)
        return rc_fail(err, RC_EUSAGE, "%.400s: more lines than there can be", path);
    if (!found)
        plan->launch = next;
    plan->writer = (uint32_t)lines * RC_PROFILE_WRITERS;
    return RC_OK;
}

/* At the end, all of it or nothing. */
static int write_text(int fd, const char *text, const char *path, struct rc_error *err)
{
    const off_t end = lseek(fd, 0, SEEK_END);
    const size_t bytes = strlen(text);
    const ssize_t written = write(fd, text, bytes);

    if (written == (ssize_t)bytes)
        return RC_OK;
    if (written >= 0)
        errno = ENOSPC;
    rc_fail_errno(err, "cannot write '%.400s'", path);
    if (written > 0 && ftruncate(fd, end) != 0)
        return rc_fail_errno(err, "cannot take a part of a line out of '%.400s'", path);
    return RC_EIO;
}

/* The line of this sampler; the program's words are for people. */
static int add_line(int fd, const struct rc_profile_plan *plan, uint64_t key, bool torn,
                    const char *path, struct rc_error *err)
{
    char line[LINE], words[LINE / 4] = "", digest[RC_DIGEST_TEXT];

    for (size_t i = 0; i < plan->word_count; i++)
        rc_text_append(words, sizeof words, " %s", plan->word[i]);
    rc_text_printable(words, sizeof words, words);
    snprintf(line, sizeof line, "%s%" PRIu64 " %s %s %" PRIu64 "%s%s%s\n",
             torn ? "\n" : "", plan->launch, rc_text_put_digest(digest, key),
             plan->node, rc_clock_unix_ns() / 1000000000, plan->set[0] ? " --set " : "",
             plan->set, words);
    return write_text(fd, line, path, err);
}

/* The open file is this process's own now; what it has is read, and added to. */
static int add_to_file(int fd, struct rc_profile_plan *plan, uint64_t key,
                       const char *path, struct rc_error *err)
{
    char head[LINE], id[RC_JOURNAL_ID_TEXT], *text = NULL;
    size_t bytes = 0;
    int status = rc_file_read(path, RC_FILE_IN, BYTES_MOST, &text, &bytes, err);

    if (status != RC_OK)
        goto out;
    if (bytes == 0) {
        free(text);
        if ((status = rc_campaign_dir_new_id(&plan->id, err)) != RC_OK)
            return status;
        snprintf(head, sizeof head, HEAD "%s\n", rc_journal_id_text(id, &plan->id));
        status = write_text(fd, head, path, err);
        text = strdup(head);
        bytes = strlen(head);
        if (status == RC_OK && !text)
            status = rc_fail(err, RC_ENOMEM, "no memory for '%.400s'", path);
    }
    if (status != RC_OK ||
        (status = read_launches(text, key, plan, path, err)) != RC_OK ||
        (plan->passes > 0 && (status = plan->hooks->choose_pass(plan, err)) != RC_OK))
        goto out;
    status = add_line(fd, plan, key, text[bytes - 1] != '\n', path, err);
out:
    free(text);
    return status;
}

int rc_profile_launches_add(struct rc_profile_plan *plan, uint64_t key,
                            struct rc_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[PATH_MAX];
    int status = rc_path(path, sizeof path, err, "%s/campaign.yaml", plan->dir);

    if (status != RC_OK)
        return status;
    if (access(path, F_OK) == 0)
        return rc_fail(err, RC_EUSAGE,
                       "'%.400s' is the directory of a campaign, expected one of its "
                       "own for profiles",
                       plan->dir);
    if ((status = rc_path(path, sizeof path, err, "%s/" RC_PROFILE_LAUNCHES,
                          plan->dir)) != RC_OK)
        return status;
    const int fd =
        rc_file_open(path, RC_FILE_IN, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return rc_file_fail_open(err, path);
    while (fcntl(fd, F_OFD_SETLKW, &lock) != 0 && errno == EINTR)
        ; /* a file system without locks goes without */
    status = add_to_file(fd, plan, key, path, err);
    close(fd);
    return status;
}
