/* data_files.h - where rollcall's data files are: machines, bases, signatures, ...
 *
 * Files of one kind are in one directory with a short name.  It is looked for in
 * $ROLLCALL_DATA, then beside the running program (../share/rollcall, where the build
 * also puts links), then where rollcall was installed, then in the build that compiled
 * it.  A directory becomes known by a line rc_data(NAME FILES...) in a CMakeLists.txt.
 */
#ifndef RC_CAMPAIGN_BASE_FILES_DATA_FILES_H
#define RC_CAMPAIGN_BASE_FILES_DATA_FILES_H

#include "campaign/base/error.h"

#include <stddef.h>

/* Writes the path of the first one that is there.  Neither name may be empty, begin
 * with a dot or hold a '/': such names are RC_EUSAGE, so that nothing outside the
 * directories is ever found.  RC_EMISSING: it is nowhere.
 */
int rc_data_file_find(const char *directory, const char *name, char *path, size_t room,
                      struct rc_error *err);

/* The names of the files there that end in 'ending', without it, each once and
 * sorted, as "a, b, c"; cut to 'room' bytes.  "" where there are none.
 */
void rc_data_file_list(const char *directory, const char *ending, char *out,
                       size_t room);

#endif
