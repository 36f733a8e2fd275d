/* own_dir.h - tests in a directory of their own: cmocka's setup and teardown */
#ifndef RC_TESTS_LIB_OWN_DIR_H
#define RC_TESTS_LIB_OWN_DIR_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char own_dir[] = "/tmp/rollcall-test-XXXXXX";

static int enter_own_dir(void **state)
{
    (void)state;
    return !mkdtemp(own_dir) || chdir(own_dir);
}

static int remove_own_dir(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", own_dir);
    return chdir("/") || system(command);
}

#endif
