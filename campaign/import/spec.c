/* Turns METRICS.SPEC, a definition of metrics for other tools, into a file of trees. */
#include "campaign/base/files/file.h"
#include "campaign/import/parts.h"
#include "solve/hierarchy/hierarchy.h"

#include <stdio.h>
#include <stdlib.h>

enum { FILE_MOST = 1 << 20 };

int rc_import_spec(const char *path, const char *to, bool surely, bool *is,
                   struct rc_error *err)
{
    struct rc_error why = {.rank = -1};
    char *text = NULL, *trees = NULL;
    size_t bytes, tree_bytes;
    int status = rc_file_read(path, RC_FILE_GIVEN, FILE_MOST, &text, &bytes, &why);

    *is = status == RC_OK && rc_hierarchy_is_spec(text, bytes);
    if (!*is) {
        free(text);
        if (!surely)
            return RC_OK;
        return rc_fail(err, status ? (enum rc_status)status : RC_EUSAGE, "%s%.200s%s",
                       why.text, status ? "" : path,
                       status ? ""
                              : ": expected a METRICS.SPEC, whose lines begin with "
                                "measure, aggroup, compose or compute");
    }
    status =
        rc_hierarchy_convert(path, text, bytes, "imported", &trees, &tree_bytes, err);
    if (status == RC_OK && to)
        status = rc_file_replace(to, RC_FILE_GIVEN, trees, tree_bytes, err);
    else if (status == RC_OK && fwrite(trees, 1, tree_bytes, stdout) != tree_bytes)
        status = rc_fail_errno(err, "the standard output cannot be written");
    free(trees);
    free(text);
    return status;
}
