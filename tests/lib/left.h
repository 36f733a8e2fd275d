/* left.h - whether a file that is not whole is left in a directory */
#ifndef RC_TESTS_LIB_LEFT_H
#define RC_TESTS_LIB_LEFT_H

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>

static inline bool is_left(const char *directory)
{
    char pattern[256];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s/*.new", directory);
    const bool left = glob(pattern, 0, NULL, &found) != GLOB_NOMATCH;
    globfree(&found);
    return left;
}

#endif
