/* Makes the directory of a campaign or a profile, and a campaign's random id; without
 * MPI.
 */
#include "campaign/directory/campaign_dir.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

/* Names in messages are cut, so that the reason after them is not. */
#define NAME "'%.400s'"

static bool is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Makes one directory whose parent exists; it may exist already. */
static int make_one(const char *path, struct rc_error *err)
{
    struct stat info;
    int number = mkdir(path, 0777) == 0 ? 0 : errno;

    if (number == 0 || is_directory(path))
        return RC_OK;
    if (number != EEXIST) {
        errno = number;
        return rc_fail_errno(err, "cannot make directory " NAME, path);
    }
    return rc_fail(err, RC_EUSAGE,
                   stat(path, &info) == 0 ? NAME " is a file, expected a directory"
                                          : NAME " is a dangling link",
                   path);
}

int rc_campaign_dir_make(const char *dir, struct rc_error *err)
{
    struct stat info;
    int status = RC_OK;

    if (!*dir)
        return rc_fail(err, RC_EUSAGE, "the directory's name is empty");
    if (is_directory(dir))
        return RC_OK;
    if (stat(dir, &info) != 0 && errno == ENAMETOOLONG) /* before half of it is made */
        return rc_fail_errno(err, "cannot make directory " NAME, dir);
    char *path = strdup(dir);
    if (!path)
        return rc_fail(err, RC_ENOMEM, "no memory for the directory's name");
    for (char *p = path + 1; p[-1]; p++) {
        const char was = *p; /* a part of the name ends before a '/' and at the end */
        if (was && (was != '/' || p[-1] == '/'))
            continue;
        *p = 0;
        status = make_one(path, err);
        *p = was;
        if (status != RC_OK)
            break;
    }
    free(path);
    return status;
}

int rc_campaign_dir_new_id(struct rc_journal_id *out, struct rc_error *err)
{
    if (getrandom(out->byte, sizeof out->byte, 0) != (ssize_t)sizeof out->byte)
        return rc_fail_errno(err, "the system gives no random numbers");
    return RC_OK;
}
