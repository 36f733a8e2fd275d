/* Finds and reads files to be imported; a file that cannot be used is left out and
 * reported, and does not stop the others.
 *
 * There are four steps: paths and directories become items, one for each result file;
 * items are sorted by suite and event, so that the repetitions of an event are
 * neighbours, and read; each suite keeps the files that have the points of most of its
 * files; and each suite gets as many decimals as its numbers need, since a campaign has
 * whole numbers.
 */
#include "campaign/base/files/file.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/import/parts.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES_MOST = 64 << 20,
    DECIMALS_MOST = 6 /* so that counts up to 10^12 keep all digits */
};

static void tell_left_out(struct rc_import *m, const char *path, const char *why)
{
    char line[RC_ERROR_TEXT] = "left out: ";
    const size_t length = strlen(path);

    if (length > 400)
        rc_text_append(line, sizeof line, "%.180s...%s", path, path + length - 200);
    else
        rc_text_append(line, sizeof line, "%s", path);
    rc_text_append(line, sizeof line, ": %s", why);
    m->tell(rc_text_printable(line, sizeof line, line));
    m->left_out++;
}

/* Leaves out the file; its event stays in the list, and gets the reason. */
static void leave_out(struct rc_import *m, struct rc_import_item *item, const char *why)
{
    item->left_out = rc_arena_text(&m->arena, why);
    rc_import_file_fini(&item->file);
    tell_left_out(m, item->path, why);
}

/* The name after the last '/'. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Adds a result file: the first 'event_bytes' of its name are the event. */
static void add_item(struct rc_import *m, const char *path,
                     const struct rc_import_suite *suite, size_t event_bytes)
{
    char event[RC_ERROR_TEXT];

    if (event_bytes >= sizeof event || event_bytes == 0) {
        tell_left_out(m, path, "its name is too long or too short for an event");
    } else if (rc_grow(&m->item, sizeof *m->item, m->count, &m->room)) {
        m->arena.failed = true;
    } else {
        snprintf(event, sizeof event, "%.*s", (int)event_bytes, name_of(path));
        m->item[m->count] =
            (struct rc_import_item){.path = rc_arena_text(&m->arena, path),
                                    .event = rc_arena_text(&m->arena, event),
                                    .suite = suite,
                                    .order = m->count};
        m->count++;
    }
}

/* Adds the files of a directory in the order of their names.  Directories below it are
 * not entered: all results are in one.
 */
static void add_directory(struct rc_import *m, const char *path)
{
    struct dirent **entry = NULL;
    struct rc_error why = {.text = ""};
    const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    char file[PATH_MAX];
    struct stat info;
    size_t event_bytes;
    const size_t before = m->count;
    const int count = scandir(path, &entry, NULL, alphasort);

    if (count < 0)
        rc_fail_errno(&why, "cannot be read");
    else
        rc_fail(&why, RC_EMISSING,
                "the directory holds no results, expected names that end in %s",
                m->format->endings);
    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name;
        const struct rc_import_suite *suite = m->format->find(name, &event_bytes);
        const bool fits =
            snprintf(file, sizeof file, "%s%s%s", path, slash, name) < (int)sizeof file;
        const bool is_folder = fits && stat(file, &info) == 0 && S_ISDIR(info.st_mode);
        if (!fits)
            tell_left_out(m, file, "the name is too long");
        else if (suite && !is_folder)
            add_item(m, file, suite, event_bytes);
        else if (!is_folder)
            m->strange++;
        free(entry[i]);
    }
    free(entry);
    if (m->count == before)
        tell_left_out(m, path, why.text);
}

/* Adds a path of the user's: a result file, or a directory of them. */
static void add_path(struct rc_import *m, const char *path)
{
    struct rc_error why = {.text = ""};
    struct stat info;
    size_t event_bytes;
    const struct rc_import_suite *suite = m->format->find(name_of(path), &event_bytes);

    if (stat(path, &info) != 0)
        rc_fail_errno(&why, "cannot be read");
    else if (S_ISDIR(info.st_mode))
        add_directory(m, path);
    else if (suite)
        add_item(m, path, suite, event_bytes);
    else
        rc_fail(&why, RC_EUSAGE, "expected a name that ends in %s", m->format->endings);
    if (why.text[0])
        tell_left_out(m, path, why.text);
}

static int compare_items(const void *a, const void *b)
{
    const struct rc_import_item *x = a, *y = b;
    int order = strcmp(x->suite->name, y->suite->name);

    if (order == 0)
        order = strcmp(x->event, y->event);
    if (order == 0)
        order = x->order < y->order ? -1 : x->order > y->order;
    return order;
}

/* Whether the same file is among the items before: a file that is given twice is one
 * repetition.
 */
static bool is_given(const struct rc_import *m, const struct rc_import_item *item)
{
    struct stat mine, other;

    if (stat(item->path, &mine) != 0)
        return false;
    for (const struct rc_import_item *i = item; i > m->item; i--) {
        if (i[-1].suite != item->suite || strcmp(i[-1].event, item->event) != 0)
            return false;
        if (stat(i[-1].path, &other) == 0 && other.st_dev == mine.st_dev &&
            other.st_ino == mine.st_ino)
            return true;
    }
    return false;
}

/* Reads a file; one that cannot be used is left out with the reason, and only a lack of
 * memory fails.
 */
static int read_item(struct rc_import *m, struct rc_import_item *item,
                     struct rc_error *err)
{
    struct rc_error why = {.text = ""};
    struct stat info;
    char *text = NULL;
    size_t bytes = 0;
    const char *left_out = NULL;
    int status = RC_OK;

    if (is_given(m, item))
        left_out = "it was given before";
    else if (stat(item->path, &info) != 0)
        status = rc_fail_errno(&why, "cannot be read");
    else if (!S_ISREG(info.st_mode)) /* opening a pipe might wait for ever */
        left_out = "it is not a regular file";
    else if (info.st_size > FILE_BYTES_MOST)
        left_out = "it is larger than 64 MiB, which no result is";
    else if ((status = rc_file_read(item->path, RC_FILE_GIVEN, FILE_BYTES_MOST, &text,
                                    &bytes, &why)) == RC_OK)
        status = m->format->read(item->suite, text, bytes, &item->file, &why);
    free(text);
    if (status == RC_ENOMEM)
        return rc_fail(err, status, "%s", why.text);
    if (status != RC_OK)
        left_out = why.text;
    else if (item->file.is_empty)
        left_out = m->format->no_reading;
    if (left_out)
        leave_out(m, item, left_out);
    return RC_OK;
}

/* Leaves out the files of a suite that do not have the points of most of its files:
 * they come from another machine or version.  If two sets of points have equally many
 * files, the first is kept.
 */
static void keep_alike(struct rc_import *m, const struct rc_import_part *part)
{
    /* By item: the first item that it is like, and the number of items like this one.
     */
    size_t *first = rc_arena_array(&m->arena, part->end, sizeof *first);
    size_t *alike = rc_arena_array(&m->arena, part->end, sizeof *alike);
    size_t best = part->first;
    struct rc_error why = {.text = ""};

    if (!first || !alike)
        return;
    for (size_t i = part->first; i < part->end; i++) {
        if (m->item[i].left_out)
            continue;
        for (first[i] = part->first; first[i] < i; first[i]++)
            if (alike[first[i]] &&
                rc_import_is_alike(&m->item[first[i]].file, &m->item[i].file))
                break;
        if (++alike[first[i]] > alike[best])
            best = first[i];
    }
    for (size_t i = part->first; i < part->end; i++) {
        const struct rc_import_item *like = &m->item[best];
        if (m->item[i].left_out || first[i] == best)
            continue;
        rc_fail(&why, RC_EUSAGE,
                "its %zu points are not those of most files of %s, such as the %zu of "
                "%.300s: expected another directory for it",
                m->item[i].file.point_count, part->suite->name, like->file.point_count,
                name_of(like->path));
        leave_out(m, &m->item[i], why.text);
    }
}

/* Gives a suite as many decimals as its files need; a file that would need more, or
 * whose numbers are too large with them, is left out, so that no digit is lost.
 */
static void scale_part(struct rc_import *m, struct rc_import_part *part)
{
    int64_t ignored;

    part->decimals = part->suite->decimals;
    for (size_t i = part->first; i < part->end; i++) {
        const struct rc_import_file *file = &m->item[i].file;
        unsigned need = 0; /* trailing zeros of numbers do not count */
        for (size_t n = 0; n < file->number_count; n++)
            while (rc_import_scale(file->number[n], need, &ignored) != 0 &&
                   need < file->number[n].decimals)
                need++;
        if (need > part->decimals && need <= DECIMALS_MOST)
            part->decimals = need;
    }
    for (size_t i = part->first; i < part->end; i++) {
        if (m->item[i].left_out)
            continue;
        const struct rc_import_file *file = &m->item[i].file;
        bool fits = true; /* all numbers fit 64 bits, times 10^decimals */
        for (size_t n = 0; n < file->number_count; n++)
            fits =
                fits && rc_import_scale(file->number[n], part->decimals, &ignored) == 0;
        if (fits)
            part->sample = file;
        else
            leave_out(m, &m->item[i],
                      "a number in it has more digits than can be kept: expected at "
                      "most 6 decimals and 18 digits");
    }
}

static int compare_events(const void *a, const void *b)
{
    const struct rc_import_item *const *x = a, *const *y = b;

    return strcmp((*x)->event, (*y)->event);
}

/* Lists all events, also those of files that were left out: the campaign has the
 * reasons.
 */
static void list_events(struct rc_import *m)
{
    struct rc_import_item **item =
        rc_arena_array(&m->arena, m->count, sizeof(struct rc_import_item *));

    m->event = rc_arena_array(&m->arena, m->count, sizeof *m->event);
    if (!item || !m->event)
        return;
    for (size_t i = 0; i < m->count; i++)
        item[i] = &m->item[i];
    qsort((void *)item, m->count, sizeof(struct rc_import_item *), compare_events);
    for (size_t i = 0; i < m->count; i++) {
        if (i == 0 || strcmp(item[i]->event, item[i - 1]->event) != 0)
            m->event[m->event_count++] = item[i]->event;
        item[i]->number = m->event_count - 1;
    }
}

int rc_import_read(struct rc_import *m, struct rc_error *err)
{
    int status;

    for (size_t i = 0; i < m->path_count; i++)
        add_path(m, m->path[i]);
    if (m->count)
        qsort(m->item, m->count, sizeof *m->item, compare_items);
    for (size_t i = 0; i < m->count; i++)
        if ((status = read_item(m, &m->item[i], err)) != RC_OK)
            return status;
    /* Keeps the suites of which a file can be used. */
    m->part = rc_arena_array(&m->arena, m->count, sizeof *m->part);
    for (size_t i = 0, end; m->part && i < m->count; i = end) {
        struct rc_import_part part = {.suite = m->item[i].suite, .first = i};
        for (end = i; end < m->count && m->item[end].suite == part.suite;)
            end++;
        part.end = end;
        keep_alike(m, &part);
        scale_part(m, &part);
        if (part.sample)
            m->part[m->part_count++] = part;
    }
    list_events(m);
    if ((status = rc_arena_check(&m->arena, err, "the files")) != RC_OK ||
        m->part_count > 0)
        return status;
    return rc_fail(err, RC_EMISSING,
                   "nothing to import: of %zu result file%s none can be used", m->count,
                   rc_text_s(m->count));
}

void rc_import_fini(struct rc_import *m)
{
    for (size_t i = 0; i < m->count; i++)
        rc_import_file_fini(&m->item[i].file);
    free(m->item);
    rc_arena_free(&m->arena);
}
