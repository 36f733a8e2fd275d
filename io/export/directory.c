/* A directory with a file for each suite, for formats whose files are groups of events;
 * and the number of metrics to be exported.
 */
#include "io/export/parts.h"

#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One suite of an export. */
struct part {
    struct rc_store *file;
    const struct rc_export_format *format;
    struct rc_export_choice choice;
    FILE *left_out;
};

static int write_part(FILE *out, void *context, struct rc_error *err)
{
    const struct part *part = context;

    return part->format->write(part->file, &part->choice, out, part->left_out, err);
}

/* "DIR/RC_DCACHE_WRITE.txt". */
static int name_part(char path[PATH_MAX], const char *dir, const char *suite,
                     const char *ending, struct rc_error *err)
{
    char name[128] = "RC_";
    size_t length = strlen(name);

    for (; *suite && length + 1 < sizeof name; suite++)
        name[length++] =
            (char)(isalnum((unsigned char)*suite) ? toupper((unsigned char)*suite)
                                                  : '_');
    name[length] = 0;
    return rc_path(path, PATH_MAX, err, "%s/%s%s", dir, name, ending);
}

static int write_suite(struct part *part, const char *dir, const char *suite,
                       void (*tell)(const char *path), struct rc_error *err)
{
    const struct rc_file_writer writer = {write_part, part};
    char path[PATH_MAX], *text = NULL;
    size_t bytes = 0;
    int status = rc_file_to_memory(&text, &bytes, &writer, err);

    if (status == RC_OK && *part->choice.holds &&
        (status = name_part(path, dir, suite, part->format->each_suite, err)) ==
            RC_OK &&
        (status = rc_file_replace(path, RC_FILE_GIVEN, text, bytes, err)) == RC_OK)
        tell(path);
    free(text);
    return status;
}

int rc_export_each_suite(struct rc_store *file, const struct rc_export_format *format,
                         const struct rc_export_choice *choice, const char *dir,
                         FILE *left_out, void (*tell)(const char *path),
                         struct rc_error *err)
{
    const char *name[2] = {NULL, NULL};
    struct part part = {file, format, *choice, left_out};
    struct stat there;
    bool holds;
    size_t kind = 0;
    int status = rc_export_check(file, choice, true, &kind, err);

    part.choice.suite = name;
    part.choice.holds = &holds;
    if (status != RC_OK)
        return status;
    if (mkdir(dir, 0777) != 0 &&
        (errno != EEXIST || stat(dir, &there) != 0 || !S_ISDIR(there.st_mode)))
        status = errno == EEXIST
                     ? rc_fail(err, RC_EUSAGE,
                               "'%s' is not a directory, and --format %s writes a file "
                               "for each suite",
                               dir, format->name)
                     : rc_fail_errno(err, "cannot make '%s'", dir);
    if (status != RC_OK)
        return status;
    for (size_t s = 0; s < rc_store_suite_count(file, kind); s++) {
        name[0] = rc_metrics_suite(file, kind, s)->suite;
        holds = false;
        if (!rc_export_takes_suite(choice, name[0]))
            continue;
        status = write_suite(&part, dir, name[0], tell, err);
        rc_export_note(choice, holds);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

size_t rc_export_count(const struct rc_store *file,
                       const struct rc_export_choice *choice, char *why, size_t room)
{
    size_t all = 0, taken = 0, of[RC_METRIC_VERDICT_COUNT] = {0};
    const char *before = ":";

    for (size_t k = 0; k < rc_store_kind_count(file); k++) {
        struct rc_metrics_walk walk = {.at = 0};
        while (rc_export_takes_kind(choice, rc_store_kind(file, k)->name) &&
               rc_metrics_next(file, k, &walk)) {
            if (!rc_export_takes_suite(choice, walk.suite->suite))
                continue;
            taken += rc_export_takes_metric(choice, walk.metric);
            of[walk.metric->verdict]++;
            all++;
        }
    }
    why[0] = 0;
    if (all == 0)
        rc_text_append(why, room, "there are no metrics");
    else
        rc_text_append(why, room, "of %zu metric%s none is defined", all,
                       rc_text_s(all));
    for (int v = 0; v < RC_METRIC_VERDICT_COUNT; v++)
        if (of[v]) {
            rc_text_append(why, room, "%s %zu %s", before, of[v],
                           rc_metric_verdict_names[v]);
            before = ",";
        }
    return taken;
}
