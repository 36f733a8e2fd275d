/* Finds and reads files to be imported: what cannot be used is left out and told of. */
#include "campaign/base/file.h"
#include "campaign/base/text.h"
#include "campaign/import/parts.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES_MOST = 64 << 20,
    DECIMALS_MOST = 6 /* so that counts up to 10^12 keep all digits */
};

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the files");
}

static void tell(struct rc_import *m, const char *path, const char *why)
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

/* The event stays, so that it is known what became of it. */
static int leave_out(struct rc_import *m, struct rc_import_item *item, const char *why,
                     struct rc_error *err)
{
    item->left_out = rc_pool_intern(m->pool, why);
    rc_import_file_fini(&item->file);
    if (!item->left_out)
        return no_memory(err);
    tell(m, item->path, why);
    return RC_OK;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* False where the file is none of the format's. */
static bool add_item(struct rc_import *m, const char *path, int *status,
                     struct rc_error *err)
{
    char event[RC_ERROR_TEXT];
    size_t bytes;
    const struct rc_import_suite *suite = m->format->find(name_of(path), &bytes);

    if (!suite)
        return false;
    *status = RC_OK;
    if (bytes >= sizeof event || bytes == 0) {
        tell(m, path, "its name is too long or too short for an event");
        return true;
    }
    snprintf(event, sizeof event, "%.*s", (int)bytes, name_of(path));
    if (rc_grow(&m->item, sizeof *m->item, m->count, &m->room)) {
        *status = no_memory(err);
        return true;
    }
    m->item[m->count] = (struct rc_import_item){.path = rc_pool_copy(m->pool, path),
                                                .event = rc_pool_intern(m->pool, event),
                                                .suite = suite,
                                                .order = m->count};
    if (!m->item[m->count].path || !m->item[m->count].event)
        *status = no_memory(err);
    else
        m->count++;
    return true;
}

static int add_entry(struct rc_import *m, const char *dir, const char *name,
                     struct rc_error *err)
{
    const size_t bytes = strlen(dir) + strlen(name) + 2;
    char *path = malloc(bytes);
    struct stat info;
    int status = RC_OK;

    if (!path)
        return no_memory(err);
    snprintf(path, bytes, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
    /* Results lie in one directory: those below are not looked into. */
    if ((stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) &&
        !add_item(m, path, &status, err))
        m->strange++;
    free(path);
    return status;
}

/* In the order of their names, whatever order the system has. */
static int add_directory(struct rc_import *m, const char *path, struct rc_error *err)
{
    struct dirent **entry;
    int status = RC_OK;
    const size_t before = m->count;
    const int count = scandir(path, &entry, NULL, alphasort);

    if (count < 0) {
        struct rc_error why = {.text = ""};
        rc_fail_errno(&why, "cannot be read");
        tell(m, path, why.text);
        return RC_OK;
    }
    for (int i = 0; i < count; i++) {
        if (status == RC_OK)
            status = add_entry(m, path, entry[i]->d_name, err);
        free(entry[i]);
    }
    free(entry);
    if (status == RC_OK && m->count == before) {
        char why[RC_ERROR_TEXT];
        snprintf(why, sizeof why,
                 "the directory holds no results, expected names that end in %s",
                 m->format->endings);
        tell(m, path, why);
    }
    return status;
}

static int add_path(struct rc_import *m, const char *path, struct rc_error *err)
{
    char why[RC_ERROR_TEXT];
    struct rc_error no = {.text = ""};
    struct stat info;
    int status = RC_OK;

    if (stat(path, &info) != 0) {
        rc_fail_errno(&no, "cannot be read");
        tell(m, path, no.text);
        return RC_OK;
    }
    if (S_ISDIR(info.st_mode))
        return add_directory(m, path, err);
    if (add_item(m, path, &status, err))
        return status;
    snprintf(why, sizeof why, "expected a name that ends in %s", m->format->endings);
    tell(m, path, why);
    return RC_OK;
}

static int compare_items(const void *a, const void *b)
{
    const struct rc_import_item *x = a, *y = b;
    int order = strcmp(x->event, y->event);

    if (order == 0)
        order = strcmp(x->suite->name, y->suite->name);
    if (order == 0)
        order = x->order < y->order ? -1 : x->order > y->order;
    return order;
}

/* A file that is given twice is one repetition, not two. */
static bool is_given(const struct rc_import *m, const struct rc_import_item *item)
{
    struct stat mine, other;

    if (stat(item->path, &mine) != 0)
        return false;
    for (const struct rc_import_item *i = item; i > m->item; i--) {
        if (strcmp(i[-1].event, item->event) != 0)
            return false;
        if (stat(i[-1].path, &other) == 0 && other.st_dev == mine.st_dev &&
            other.st_ino == mine.st_ino)
            return true;
    }
    return false;
}

static int read_text(const char *path, char **text, size_t *bytes, struct rc_error *why)
{
    struct stat info;

    *text = NULL;
    if (stat(path, &info) != 0)
        return rc_fail_errno(why, "cannot be read");
    if (!S_ISREG(info.st_mode)) /* a pipe would have us wait for ever */
        return rc_fail(why, RC_EUSAGE, "it is no regular file");
    if (info.st_size > FILE_BYTES_MOST)
        return rc_fail(why, RC_EUSAGE, "it is larger than 64 MiB, which no result is");
    return rc_file_read(path, RC_FILE_GIVEN, FILE_BYTES_MOST, text, bytes, why);
}

static int read_item(struct rc_import *m, struct rc_import_item *item,
                     struct rc_error *err)
{
    struct rc_error why = {.text = ""};
    char *text = NULL;
    size_t bytes = 0;
    int status;

    if (is_given(m, item))
        return leave_out(m, item, "it was given before", err);
    status = read_text(item->path, &text, &bytes, &why);
    if (status == RC_OK)
        status = m->format->read(item->suite, text, bytes, &item->file, &why);
    free(text);
    if (status == RC_ENOMEM)
        return rc_fail(err, status, "%s", why.text);
    if (status != RC_OK)
        return leave_out(m, item, why.text, err);
    item->suite = item->file.suite;
    if (item->file.is_empty)
        return leave_out(m, item, m->format->no_reading, err);
    return RC_OK;
}

/* Files that have the same points, and how many of them there are. */
struct likeness {
    const struct rc_import_item *first;
    size_t count;
};

static int count_likeness(struct likeness **list, size_t *count, size_t *room,
                          const struct rc_import_item *item, struct rc_error *err)
{
    for (size_t i = 0; i < *count; i++)
        if (rc_import_is_alike(&(*list)[i].first->file, &item->file)) {
            (*list)[i].count++;
            return RC_OK;
        }
    if (rc_grow(list, sizeof **list, *count, room))
        return no_memory(err);
    (*list)[(*count)++] = (struct likeness){item, 1};
    return RC_OK;
}

/* Readings over other points than those of most files are of another machine or
 * version: they cannot stand in the same suite.
 */
static int keep_alike(struct rc_import *m, const struct rc_import_suite *suite,
                      struct rc_error *err)
{
    struct likeness *list = NULL;
    size_t count = 0, room = 0, best = 0;
    char why[RC_ERROR_TEXT];
    int status = RC_OK;

    for (size_t i = 0; i < m->count && status == RC_OK; i++)
        if (!m->item[i].left_out && m->item[i].suite == suite)
            status = count_likeness(&list, &count, &room, &m->item[i], err);
    for (size_t i = 1; i < count; i++)
        if (list[i].count > list[best].count)
            best = i;
    for (size_t i = 0; i < m->count && status == RC_OK && count > 1; i++) {
        struct rc_import_item *item = &m->item[i];
        if (item->left_out || item->suite != suite || item == list[best].first ||
            rc_import_is_alike(&list[best].first->file, &item->file))
            continue;
        snprintf(why, sizeof why,
                 "its %zu points are not those of most files of %s, such as the %zu of "
                 "%.300s: expected another directory for it",
                 item->file.point_count, suite->name,
                 list[best].first->file.point_count, name_of(list[best].first->path));
        status = leave_out(m, item, why, err);
    }
    free(list);
    return status;
}

/* Decimals that all digits of a file need, once noughts at their ends are gone. */
static unsigned decimals_of(const struct rc_import_file *file)
{
    unsigned most = 0;
    int64_t ignored;

    for (size_t i = 0; i < file->number_count; i++)
        while (rc_import_scale(file->number[i], most, &ignored) != 0 &&
               most < file->number[i].decimals)
            most++;
    return most;
}

static bool fits(const struct rc_import_file *file, unsigned decimals)
{
    int64_t scaled;

    for (size_t i = 0; i < file->number_count; i++)
        if (rc_import_scale(file->number[i], decimals, &scaled) != 0)
            return false;
    return true;
}

/* As many decimals for a suite as its files need; a file that would need more, or whose
 * numbers are too large for them, is left out before a digit of it is lost.
 */
static int scale_suite(struct rc_import *m, size_t s, struct rc_error *err)
{
    unsigned decimals = m->suite[s]->decimals;
    int status = RC_OK;

    for (size_t i = 0; i < m->count; i++)
        if (!m->item[i].left_out && m->item[i].suite == m->suite[s]) {
            const unsigned need = decimals_of(&m->item[i].file);
            if (need > decimals && need <= DECIMALS_MOST)
                decimals = need;
        }
    m->decimals[s] = decimals;
    for (size_t i = 0; i < m->count && status == RC_OK; i++)
        if (!m->item[i].left_out && m->item[i].suite == m->suite[s] &&
            !fits(&m->item[i].file, decimals))
            status = leave_out(m, &m->item[i],
                               "a number in it has more digits than can be kept: "
                               "expected at most 6 decimals and 18 digits",
                               err);
    return status;
}

static int compare_suites(const void *a, const void *b)
{
    const struct rc_import_suite *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

static bool has_suite(const struct rc_import *m, const struct rc_import_suite *suite)
{
    for (size_t i = 0; i < m->suite_count; i++)
        if (m->suite[i] == suite)
            return true;
    return false;
}

static int list_suites(struct rc_import *m, struct rc_error *err)
{
    size_t room = 0;

    m->suite_count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct rc_import_suite *suite = m->item[i].suite;
        if (m->item[i].left_out || has_suite(m, suite))
            continue;
        if (rc_grow(&m->suite, sizeof(void *), m->suite_count, &room))
            return no_memory(err);
        m->suite[m->suite_count++] = suite;
    }
    if (m->suite_count)
        qsort(m->suite, m->suite_count, sizeof(void *), compare_suites);
    free(m->decimals);
    m->decimals = rc_calloc(m->suite_count, sizeof *m->decimals);
    return m->decimals ? RC_OK : no_memory(err);
}

static void drop_empty_suites(struct rc_import *m)
{
    size_t kept = 0;

    for (size_t s = 0; s < m->suite_count; s++) {
        bool used = false;
        for (size_t i = 0; i < m->count && !used; i++)
            used = !m->item[i].left_out && m->item[i].suite == m->suite[s];
        m->suite[kept] = m->suite[s];
        m->decimals[kept] = m->decimals[s];
        kept += used;
    }
    m->suite_count = kept;
}

int rc_import_read(struct rc_import *m, const char *const *path, size_t count,
                   struct rc_error *err)
{
    m->pool = rc_pool_create();
    int status = m->pool ? RC_OK : no_memory(err);

    for (size_t i = 0; i < count && status == RC_OK; i++)
        status = add_path(m, path[i], err);
    if (m->count)
        qsort(m->item, m->count, sizeof *m->item, compare_items);
    for (size_t i = 0; i < m->count && status == RC_OK; i++)
        status = read_item(m, &m->item[i], err);
    if (m->count) /* what a file's content says of its suite may differ */
        qsort(m->item, m->count, sizeof *m->item, compare_items);
    if (status == RC_OK)
        status = list_suites(m, err);
    for (size_t s = 0; s < m->suite_count && status == RC_OK; s++)
        status = keep_alike(m, m->suite[s], err);
    for (size_t s = 0; s < m->suite_count && status == RC_OK; s++)
        status = scale_suite(m, s, err);
    if (status == RC_OK)
        drop_empty_suites(m);
    if (status == RC_OK && m->suite_count == 0)
        status = rc_fail(err, RC_EMISSING,
                         "nothing to import: of %zu result file%s none can be used",
                         m->count, m->count == 1 ? "" : "s");
    return status;
}

void rc_import_fini(struct rc_import *m)
{
    for (size_t i = 0; i < m->count; i++)
        rc_import_file_fini(&m->item[i].file);
    free(m->item);
    free((void *)m->suite);
    free(m->decimals);
    rc_pool_close(m->pool);
}
