/* Measurements of other tools: the format is known by the content.  A new format is a
 * file with its descriptor, and a row here.
 */
#include "io/model/parts.h"

#include "campaign/base/files/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The first one that takes a text for its own reads it.  Talpas is JSON Lines when it
 * was looked at.
 */
static const struct rc_measured_form *const forms[] = {
    &rc_measured_extrap_text, &rc_measured_talpas, &rc_measured_json_lines,
    &rc_measured_extrap_json, &rc_measured_csv,
};
enum { FORMS = sizeof forms / sizeof forms[0] };

const struct rc_measured_form *rc_measured_find_form(char *text, size_t bytes)
{
    for (size_t i = 0; i < FORMS && bytes > 0; i++)
        if (forms[i]->is(text, bytes))
            return forms[i];
    return NULL;
}

static int read_file(const char *path, struct rc_measured_draft **draft,
                     const char **origin, struct rc_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    int status =
        rc_file_read(path, RC_FILE_GIVEN, RC_MEASURED_FILE_MOST, &text, &bytes, err);

    if (status != RC_OK)
        return status;
    if (rc_measured_cubex.is(text, bytes) || rc_measured_cali.is(text, bytes)) {
        free(text);
        return rc_measured_read_runs(path, false, draft, origin, err);
    }
    const size_t mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of UTF-8 */
    const struct rc_measured_form *form =
        rc_measured_find_form(text + mark, bytes - mark);
    if (form) {
        *origin = form->origin;
        status = form->read(text + mark, bytes - mark, draft, err);
    } else {
        status = rc_fail(err, RC_EUSAGE,
                         "expected Extra-P's text or JSON, JSON Lines, Talpas, CSV, "
                         "a .cubex or a .cali file");
    }
    if (status != RC_OK)
        rc_error_prefix(err, "%.300s: ", path);
    free(text);
    return status;
}

int rc_measured_read(const char *path, struct rc_measured **out, struct rc_error *err)
{
    struct rc_measured_draft *draft = NULL;
    const char *origin = "";
    struct stat info;
    int status;

    *out = NULL;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        status = rc_measured_read_runs(path, true, &draft, &origin, err);
    else
        status = read_file(path, &draft, &origin, err);
    if (status != RC_OK) {
        rc_measured_drop(draft);
        return status;
    }
    if ((status = rc_measured_end(draft, origin, out, err)) != RC_OK)
        rc_error_prefix(err, "%.300s: ", path);
    return status;
}
