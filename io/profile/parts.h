/* parts.h - what the files of io/profile share among themselves */
#ifndef RC_IO_PROFILE_PARTS_H
#define RC_IO_PROFILE_PARTS_H

#include "io/hdf5/table.h"
#include "io/profile/profile.h"

/* lists.c: the tables of the file, in "/". */
int rc_profile_put_lists(hid_t file, const struct rc_profile_file_lists *lists,
                         struct rc_error *err);

#endif
