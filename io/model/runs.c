/* Files of one run each: parameters come from names, "PROGRAM.p8n64.r1", which are
 * those of the files' directories or their own, or from what the files say of their
 * runs.
 *
 * Names are as Extra-P has them: what is in front of the first dot is the program, and
 * ".r" and a number the repetition.  Between them are parameters with their values,
 * whose decimals may follow a dot or a comma; dots, commas and underscores may stand
 * between them, too.
 */
#include "io/model/parts.h"

#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EXPECTED "expected a name such as 'app.p8n64.r1'"

enum { RUNS_MOST = 1 << 16, MOST = RC_MEASURED_DRAFT_PARAMETERS };

static const struct {
    const char *ending;
    const struct rc_measured_run *run;
} kinds[] = {{".cubex", &rc_measured_cubex}, {".cali", &rc_measured_cali}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct run {
    char *path;
    const struct rc_measured_run *kind;
    double at[MOST];
};

struct runs {
    struct run *run;
    size_t count, room;
    char *name[MOST]; /* of parameters */
    size_t parameters;
    char *program; /* in front of the first dot */
    bool named;    /* parameters are in names */
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for names of runs");
}

static size_t ending_of(const char *name)
{
    const size_t length = strlen(name);

    for (size_t i = 0; i < KINDS; i++) {
        const size_t end = strlen(kinds[i].ending);
        if (*name != '.' && length > end &&
            strcmp(name + length - end, kinds[i].ending) == 0)
            return i;
    }
    return KINDS;
}

/* The length of a name without ".r1" at its end. */
static size_t without_repetition(const char *name, size_t length)
{
    size_t at = length;

    while (at > 0 && isdigit((unsigned char)name[at - 1]))
        at--;
    return at < length && at >= 2 && name[at - 1] == 'r' && strchr(".,", name[at - 2])
               ? at - 2
               : length;
}

/* Takes the next "n64" of a name; false: it is none. */
static bool next_parameter(const char **at, const char *end, const char **name,
                           size_t *length, double *value)
{
    char digits[64] = "";
    size_t n = 0;

    while (*at < end && strchr(".,_", **at))
        (*at)++;
    *name = *at;
    while (*at < end && (isalpha((unsigned char)**at) || **at == '_'))
        (*at)++;
    *length = (size_t)(*at - *name);
    while (*at < end && (isdigit((unsigned char)**at) || strchr(".,", **at))) {
        if (n + 1 == sizeof digits)
            return false;
        digits[n++] = *(*at)++;
        if (digits[n - 1] == ',')
            digits[n - 1] = '.';
    }
    while (n > 0 && digits[n - 1] == '.')
        n--;
    return *length > 0 && rc_measured_number(digits, n, value);
}

/* Reads the parameters in a name of 'length' bytes; *found is 0 where it has none.  All
 * names are as that of the first run.
 */
static int read_name(struct runs *r, struct run *run, const char *name, size_t length,
                     size_t *found, struct rc_error *err)
{
    const char *end = name + without_repetition(name, length), *word;
    const char *dot = memchr(name, '.', (size_t)(end - name)),
               *at = dot ? dot + 1 : name;
    const size_t program = dot ? (size_t)(dot - name) : 0;
    const bool first = r->count == 0;
    bool same = true;
    size_t bytes, count = 0;
    double value;

    *found = 0;
    for (; at < end; run->at[count++] = value) {
        if (!next_parameter(&at, end, &word, &bytes, &value) || count == MOST)
            return RC_OK;
        if (first) {
            free(r->name[count]);
            if (!(r->name[count] = strndup(word, bytes)))
                return fail_memory(err);
        }
        same &= r->name[count] && strlen(r->name[count]) == bytes &&
                memcmp(r->name[count], word, bytes) == 0;
    }
    *found = count;
    if (first) {
        r->parameters = count;
        free(r->program);
        r->program = strndup(name, program);
        return r->program ? RC_OK : fail_memory(err);
    }
    if (count == 0 ||
        (same && count == r->parameters && strlen(r->program) == program &&
         memcmp(r->program, name, program) == 0))
        return RC_OK;
    return rc_fail(err, RC_EUSAGE,
                   "expected a name as that of '%.200s': the same program in front of "
                   "the first dot, and the same parameters in the same order",
                   r->run[0].path);
}

/* Adds a file; 'directory' is the name of the one that it is in. */
static int add_run(struct runs *r, const char *path, const char *directory,
                   struct rc_error *err)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const size_t kind = ending_of(file);
    struct run run = {.kind = kind < KINDS ? kinds[kind].run : NULL};
    const size_t length = kind < KINDS ? strlen(file) - strlen(kinds[kind].ending) : 0;
    size_t found = 0;
    int status = RC_OK;

    if (memchr(file, '.', length)) /* "profile1.cubex" has no parameter */
        status = read_name(r, &run, file, length, &found, err);
    if (status == RC_OK && found == 0)
        status = read_name(r, &run, directory, strlen(directory), &found, err);
    r->named = r->count == 0 ? found > 0 : r->named;
    if (status == RC_OK && (found > 0) != r->named)
        status = rc_fail(err, RC_EUSAGE,
                         "expected parameters in the names of all runs, or of none");
    if (status == RC_OK && r->count == RUNS_MOST)
        status = rc_fail(err, RC_EUSAGE, "more than %d runs", RUNS_MOST);
    if (status != RC_OK) {
        rc_error_prefix(err, "%.300s: ", path);
        return status;
    }
    if (!(run.path = strdup(path)) ||
        rc_grow(&r->run, sizeof *r->run, r->count, &r->room)) {
        free(run.path);
        return fail_memory(err);
    }
    r->run[r->count++] = run;
    return RC_OK;
}

/* The names in a directory, sorted; they do not begin with a dot. */
static int list(const char *path, char ***names, size_t *count, struct rc_error *err)
{
    DIR *dir = rc_file_open_directory(path, RC_FILE_GIVEN);
    size_t room = 0;
    int status = RC_OK;

    *names = NULL;
    *count = 0;
    if (!dir)
        return rc_fail_errno(err, "%.300s", path);
    for (struct dirent *e; status == RC_OK && (errno = 0, e = readdir(dir));) {
        if (*e->d_name == '.')
            continue;
        if (*count == RUNS_MOST)
            status =
                rc_fail(err, RC_EUSAGE, "%.300s: more than %d names", path, RUNS_MOST);
        else if (rc_grow(names, sizeof **names, *count, &room) ||
                 !((*names)[*count] = strdup(e->d_name)))
            status = fail_memory(err);
        else
            ++*count;
    }
    if (status == RC_OK && errno)
        status = rc_fail_errno(err, "%.300s", path);
    closedir(dir);
    if (*count > 0)
        qsort(*names, *count, sizeof **names, rc_order_texts);
    return status;
}

static void free_list(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* Adds the files of a directory, whose own name is 'inside'. */
static int add_files(struct runs *r, const char *path, const char *inside,
                     struct rc_error *err)
{
    char **names = NULL, file[PATH_MAX];
    size_t count = 0;
    int status = list(path, &names, &count, err);

    for (size_t i = 0; i < count && status == RC_OK; i++)
        if (ending_of(names[i]) < KINDS &&
            (status = rc_path(file, sizeof file, err, "%s/%s", path, names[i])) ==
                RC_OK)
            status = add_run(r, file, inside, err);
    free_list(names, count);
    return status;
}

/* Adds the files of a directory, and those of the directories in it. */
static int add_all(struct runs *r, const char *path, struct rc_error *err)
{
    char **names = NULL, below[PATH_MAX];
    size_t count = 0;
    struct stat info;
    int status = add_files(r, path, "", err);

    if (status == RC_OK)
        status = list(path, &names, &count, err);
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        status = rc_path(below, sizeof below, err, "%s/%s", path, names[i]);
        if (status == RC_OK && stat(below, &info) == 0 && S_ISDIR(info.st_mode))
            status = add_files(r, below, names[i], err);
    }
    free_list(names, count);
    return status;
}

/* Numbers of one run are being taken from its file. */
struct heads {
    struct runs *runs;
    size_t run;
    struct rc_error *err;
};

static int put_head(void *context, const char *name, double value)
{
    struct heads *h = context;
    struct runs *r = h->runs;

    for (size_t i = 0; i < r->parameters; i++)
        if (strcmp(r->name[i], name) == 0) {
            r->run[h->run].at[i] = value;
            return RC_OK;
        }
    if (h->run > 0 || r->parameters == MOST)
        return RC_OK;
    free(r->name[r->parameters]);
    if (!(r->name[r->parameters] = strdup(name)))
        return fail_memory(h->err);
    r->run[0].at[r->parameters++] = value;
    return RC_OK;
}

/* Whether numbers of the runs differ, and are not those of a parameter before it. */
static bool is_parameter(const struct runs *r, size_t column, size_t kept)
{
    bool varies = false;

    for (size_t i = 0; i < r->count; i++) {
        if (!(r->run[i].at[column] > 0))
            return false;
        varies |= r->run[i].at[column] != r->run[0].at[column];
    }
    for (size_t k = 0; k < kept && varies; k++) {
        bool same = true;
        for (size_t i = 0; i < r->count && same; i++)
            same = r->run[i].at[column] == r->run[i].at[k];
        varies = !same;
    }
    return varies;
}

static int read_run(const struct run *run, char **text, size_t *bytes,
                    struct rc_error *err)
{
    int status =
        rc_file_read(run->path, RC_FILE_GIVEN, RC_MEASURED_FILE_MOST, text, bytes, err);

    if (status == RC_OK && !run->kind->is(*text, *bytes))
        status = rc_fail(err, RC_EUSAGE, "%.300s: expected one of %s", run->path,
                         run->kind->origin);
    return status;
}

/* Finds parameters where names have none. */
static int read_heads(struct runs *r, struct rc_error *err)
{
    size_t kept = 0;
    int status = RC_OK;

    r->parameters = 0;
    for (size_t i = 0; i < r->count && status == RC_OK; i++) {
        struct heads heads = {r, i, err};
        char *text = NULL;
        size_t bytes;
        for (size_t k = 0; k < MOST; k++)
            r->run[i].at[k] = NAN;
        if (!r->run[i].kind->head)
            return rc_fail(err, RC_EUSAGE, "%.300s: " EXPECTED " of its directory",
                           r->run[i].path);
        status = read_run(&r->run[i], &text, &bytes, err);
        if (status == RC_OK &&
            (status = r->run[i].kind->head(text, bytes, put_head, &heads, err)))
            rc_error_prefix(err, "%.300s: ", r->run[i].path);
        free(text);
    }
    for (size_t k = 0; k < r->parameters && status == RC_OK; k++) {
        if (!is_parameter(r, k, kept))
            continue;
        char *name = r->name[kept];
        r->name[kept] = r->name[k];
        r->name[k] = name;
        for (size_t i = 0; i < r->count; i++)
            r->run[i].at[kept] = r->run[i].at[k];
        kept++;
    }
    r->parameters = kept;
    if (status == RC_OK && kept == 0)
        status = rc_fail(err, RC_EUSAGE,
                         "%.300s: " EXPECTED ", or runs that name numbers which differ",
                         r->run[0].path);
    return status;
}

static void fini(struct runs *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->run[i].path);
    for (size_t i = 0; i < MOST; i++)
        free(r->name[i]);
    free(r->program);
    free(r->run);
}

int rc_measured_read_runs(const char *path, bool directory,
                          struct rc_measured_draft **draft, const char **origin,
                          struct rc_error *err)
{
    struct runs r = {.count = 0};
    int status;

    if (directory) {
        status = add_all(&r, path, err);
        if (status == RC_OK && r.count == 0)
            status = rc_fail(err, RC_EUSAGE,
                             "%.300s: expected directories such as 'app.p8n64.r1', "
                             "each with a .cubex or .cali file",
                             path);
    } else {
        char *around = strdup(path), *slash = around ? strrchr(around, '/') : NULL;
        if (slash)
            *slash = 0;
        char *last = slash ? strrchr(around, '/') : NULL;
        status = around ? add_run(&r, path,
                                  last    ? last + 1
                                  : slash ? around
                                          : "",
                                  err)
                        : fail_memory(err);
        free(around);
        if (status == RC_OK && !r.run[0].kind)
            status = rc_fail(err, RC_EUSAGE,
                             "%.300s: expected the ending .cubex or "
                             ".cali",
                             path);
    }
    if (status == RC_OK && !r.named)
        status = read_heads(&r, err);
    if (status == RC_OK)
        status =
            rc_measured_begin((const char *const *)r.name, r.parameters, draft, err);
    for (size_t i = 0; i < r.count && status == RC_OK; i++) {
        char *text = NULL;
        size_t bytes;
        *origin = r.run[i].kind->origin;
        status = read_run(&r.run[i], &text, &bytes, err);
        if (status == RC_OK &&
            (status = r.run[i].kind->add(text, bytes, r.run[i].at, *draft, err)))
            rc_error_prefix(err, "%.300s: ", r.run[i].path);
        free(text);
    }
    fini(&r);
    return status;
}
