/* open_files.h - tests that look whether files are left open */
#ifndef RC_TESTS_LIB_OPEN_FILES_H
#define RC_TESTS_LIB_OPEN_FILES_H

#include <fcntl.h>

static inline int open_files(void)
{
    int count = 0;

    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) != -1;
    return count;
}

#endif
