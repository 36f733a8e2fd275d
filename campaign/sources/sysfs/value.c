/* Reads small files of the kernel, and finds numbers in them. */
#include "campaign/sources/sysfs/parts.h"

#include "campaign/base/files/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A single number comes by one call; tables of /proc may come page by page. */
long rc_sysfs_read(int fd, char *out, size_t room, bool whole)
{
    size_t used = 0;
    ssize_t got;

    do {
        got = pread(fd, out + used, room - 1 - used, (off_t)used);
        if (got > 0)
            used += (size_t)got;
    } while ((whole && got > 0 && used + 1 < room) || (got < 0 && errno == EINTR));
    out[used] = 0;
    return got < 0 ? -1 : (long)used;
}

char *rc_sysfs_slurp(const char *path)
{
    enum { FIRST = 1 << 16, MOST = 1 << 24 };
    int fd = rc_file_open(path, RC_FILE_GIVEN, O_RDONLY);
    char *text = NULL;
    long got = -1;

    for (size_t room = FIRST; fd >= 0 && room <= MOST; room *= 2) {
        free(text);
        text = rc_calloc(room, 1);
        got = text ? rc_sysfs_read(fd, text, room, true) : -1;
        if (got < 0 || (size_t)got + 1 < room)
            break;
        got = -1;
        errno = EFBIG;
    }
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (got < 0) {
        free(text);
        text = NULL;
    }
    errno = why;
    return text;
}

/* The text after a key at the beginning of a line, or NULL. */
static const char *find_line(const char *text, const char *key)
{
    size_t length = strlen(key);

    while (text) {
        if (strncmp(text, key, length) == 0 && text[length] &&
            strchr(": \t", text[length]))
            return text + length + 1;
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return NULL;
}

const char *rc_sysfs_find(const char *text, const char *key, unsigned column,
                          struct rc_counter_number *out)
{
    static const char blanks[] = " \t";
    struct rc_counter_number number = {0};

    if (key)
        text = find_line(text, key);
    if (!text)
        return "its line is gone";
    for (text += strspn(text, blanks); column > 0; column--) {
        text += strcspn(text, " \t\n");
        text += strspn(text, blanks);
    }
    size_t length = strcspn(text, " \t\n");
    const char *equals = memchr(text, '=', length);
    const char *digit = equals ? equals + 1 : text;
    number.negative = *digit == '-';
    digit += number.negative;
    if (!isdigit((unsigned char)*digit))
        return length ? "not a whole number" : "its file is empty or shorter";
    for (; isdigit((unsigned char)*digit); digit++) {
        const uint64_t next = (uint64_t)(*digit - '0');
        if (number.size > (UINT64_MAX - next) / 10)
            return "too large a number";
        number.size = number.size * 10 + next;
    }
    if (digit != text + length)
        return "not a whole number";
    *out = number;
    return NULL;
}
