#include "campaign/machine_parts.h"

#include "campaign/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int fd, char *text, size_t bytes, size_t *used)
{
    *used = 0;
    while (*used < bytes) {
        ssize_t got = read(fd, text + *used, bytes - *used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        *used += (size_t)got;
    }
    return 0;
}

/* O_NONBLOCK, so that a FIFO cannot make us wait for a writer. */
int rc_machine_read(const char *path, char **text, size_t *bytes, struct rc_error *err)
{
    int status = RC_OK;
    char *buffer = NULL;
    struct stat is;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *text = NULL;
    if (fd < 0)
        return rc_fail_errno(err, "cannot open '%s'", path);
    if (fstat(fd, &is)) {
        status = rc_fail_errno(err, "cannot read '%s'", path);
        goto out;
    }
    if (!S_ISREG(is.st_mode)) {
        status = rc_fail(err, RC_EUSAGE,
                         "'%s' is not a file, expected hwloc XML as "
                         "written by lstopo",
                         path);
        goto out;
    }
    if (is.st_size < 0 || (uintmax_t)is.st_size > RC_MACHINE_XML_MAX) {
        status = rc_fail(err, RC_EUSAGE,
                         "'%s' has more than %zu MiB, expected hwloc XML "
                         "as written by lstopo",
                         path, RC_MACHINE_XML_MAX >> 20);
        goto out;
    }
    buffer = rc_calloc((size_t)is.st_size + 1, 1);
    if (!buffer) {
        status = rc_fail(err, RC_ENOMEM, "no memory for '%s'", path);
        goto out;
    }
    if (read_all(fd, buffer, (size_t)is.st_size, bytes)) {
        status = rc_fail_errno(err, "cannot read '%s'", path);
        goto out;
    }
    *text = buffer;
    buffer = NULL;
out:
    free(buffer);
    close(fd);
    return status;
}

/* The number of children that a word of a synthetic description asks for:
 * "l3:8(size=32M)", "8".  1 where hwloc must say what it thinks of the word.
 */
static uint64_t arity(const char *word, size_t length)
{
    const char *colon = memchr(word, ':', length);
    const char *digits = colon ? colon + 1 : word;
    char *end;

    if (digits >= word + length || *digits < '0' || *digits > '9')
        return 1;
    errno = 0;
    unsigned long long number = strtoull(digits, &end, 0);
    return errno ? UINT64_MAX : number;
}

/* Attached memory "[numa(...)]" and attributes "(...)" multiply nothing. */
int rc_machine_check_synthetic(const char *text, struct rc_error *err)
{
    uint64_t total = 1;
    size_t words = 0;

    while (*text) {
        size_t length = strcspn(text, " \t\n([");
        if (length) {
            uint64_t number = arity(text, length);
            if (number > RC_MACHINE_CPUS_MAX || total * number > RC_MACHINE_CPUS_MAX)
                return rc_fail(err, RC_EUSAGE,
                               "synthetic machine with more than %d processing units",
                               RC_MACHINE_CPUS_MAX);
            total *= number;
            words++;
            text += length;
        } else if (*text == '(' || *text == '[') {
            text += strcspn(text, *text == '(' ? ")" : "]");
            text += *text != 0;
        } else {
            text++;
        }
    }
    if (words == 0)
        return rc_fail(err, RC_EUSAGE,
                       "empty synthetic description of a machine, expected "
                       "such as \"package:2 l3:4 core:8 pu:2\"");
    return RC_OK;
}
