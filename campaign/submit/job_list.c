/* Reads and writes DIR/jobs/jobs.txt, and reads the records that jobs leave next to it.
 *
 * Names and ids from these files get into command lines of shells and schedulers, and
 * strangers may have written the files: their characters and their number are checked.
 */
#include "campaign/submit/job_list.h"

#include "campaign/base/files/path.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD                                                                           \
    "rollcall jobs 1" /* first line of jobs.txt, with the version of the format */

const char *const rc_submit_kind_names[] = {"run",   "deal",    "finish",
                                            "noise", "profile", NULL};

enum { FILE_MOST = 64 << 20 /* bytes */, ROUNDS_MOST = 1000000000 };

bool rc_job_list_is_id(const char *id)
{
    char printable[RC_SUBMIT_JOB_ID];

    if (!id[0] || id[0] == '-' || strlen(id) >= RC_SUBMIT_JOB_ID ||
        strcmp(rc_text_printable(printable, sizeof printable, id), id) != 0)
        return false;
    for (; *id; id++)
        if (!isalnum((unsigned char)*id) && !strchr("_.-[]@:;", *id) &&
            (unsigned char)*id < 0x80)
            return false;
    return true;
}

int rc_job_list_add(struct rc_job_list *list, const struct rc_job_list_entry *entry,
                    struct rc_error *err)
{
    if (rc_grow(&list->entry, sizeof *list->entry, list->count, &list->room))
        return rc_fail(err, RC_ENOMEM, "no memory for the list of jobs");
    list->entry[list->count++] = *entry;
    return RC_OK;
}

void rc_job_list_fini(struct rc_job_list *list)
{
    free(list->entry);
    *list = (struct rc_job_list){0};
}

static int refuse_line(const char *path, size_t line, struct rc_error *err)
{
    return rc_fail(err, RC_EUSAGE, "%.400s:%zu: not a line of a list of jobs", path,
                   line);
}

/* A list that is being read. */
struct reading {
    struct rc_job_list *list;
    size_t jobs; /* read so far; each element of an array is one */
};

/* Reads "job NAME KIND PART FIRST COUNT ID QUEUE"; false: another line. */
static bool read_job(const char *line, struct reading *r, struct rc_job_list_entry *out)
{
    /* Names of scripts begin with a letter. */
    static const char name[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    const size_t shares = r->list->shares;
    const size_t most = r->list->parts * (1 + (shares ? shares : 1)) + 1;
    char kind[16];
    int used = 0;

    *out = (struct rc_job_list_entry){.name = ""};
    if (sscanf(line, "job %31s %15s %zu %" SCNu32 " %" SCNu32 " %127s %n", out->name,
               kind, &out->number, &out->first, &out->count, out->id, &used) != 6)
        return false;
    const int found = rc_word_find(kind, rc_submit_kind_names);
    if (found < 0 || isdigit((unsigned char)out->name[0]) ||
        out->name[strspn(out->name, name)] || !rc_job_list_is_id(out->id))
        return false;
    /* A stranger's file must not make us ask a scheduler for millions of jobs: a
     * submission of this size has at most a deal and the shares of each part, and the
     * job that puts all together.
     */
    r->jobs += out->count ? out->count : 1;
    if (out->number >= r->list->parts || r->jobs > most ||
        (out->count ? (size_t)out->first + out->count > shares : out->first != 0))
        return false;
    out->kind = (enum rc_submit_kind)found;
    rc_text_printable(out->queue, sizeof out->queue, line + used);
    return true;
}

/* Reads "KEY NUMBER"; false: another line, or an impossible number. */
static bool read_number(const char *line, const char *key, uint64_t least,
                        uint64_t most, uint64_t *out)
{
    const size_t bytes = strlen(key);

    return strncmp(line, key, bytes) == 0 && line[bytes] == ' ' &&
           rc_text_count(line + bytes + 1, out) == 0 && *out >= least && *out <= most;
}

/* Reads a line that comes before all jobs; false: another line. */
static bool read_size(const char *line, struct rc_job_list *list)
{
    uint64_t number;

    if (strncmp(line, "scheduler ", 10) == 0) {
        list->scheduler = rc_scheduler_find(line + 10);
        return list->scheduler != NULL;
    }
    if (read_number(line, "round", 1, ROUNDS_MOST, &number))
        list->round = (unsigned)number;
    else if (read_number(line, "parts", 1, RC_SUBMIT_PARTS, &number))
        list->parts = number;
    else if (read_number(line, "shares", 0, RC_SUBMIT_SHARES, &number))
        list->shares = (uint32_t)number;
    else
        return false;
    return true;
}

/* Reads a whole list; sizes come before all jobs.  Changes 'text': lines end with 0. */
static int read_text(const char *path, char *text, struct rc_job_list *list,
                     struct rc_error *err)
{
    struct reading r = {.list = list};
    struct rc_job_list_entry entry;
    size_t number = 0;
    int status;

    while (text && *text) {
        const char *line = strsep(&text, "\n");
        number++;
        if (number > 1 && strncmp(line, "job ", 4) == 0) {
            if (!read_job(line, &r, &entry))
                return refuse_line(path, number, err);
            if ((status = rc_job_list_add(list, &entry, err)) != RC_OK)
                return status;
        } else if (number == 1 ? strcmp(line, HEAD) != 0
                               : r.jobs || !read_size(line, list)) {
            return refuse_line(path, number, err);
        }
    }
    if (!number || !list->scheduler || !list->parts || !list->round)
        return refuse_line(path, number + 1, err);
    return RC_OK;
}

static int list_path(const char *dir, char path[PATH_MAX], struct rc_error *err)
{
    return rc_path(path, PATH_MAX, err, "%s/jobs/jobs.txt", dir);
}

int rc_job_list_read(const char *dir, struct rc_job_list *out, struct rc_error *err)
{
    char path[PATH_MAX];
    char *text = NULL;
    size_t bytes;

    *out = (struct rc_job_list){0};
    int status = list_path(dir, path, err);
    if (status != RC_OK)
        return status;
    if (access(path, F_OK) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? rc_fail(err, RC_EMISSING, "no jobs were submitted for '%.400s'",
                             dir)
                   : rc_fail_errno(err, "cannot read '%.400s'", path);
    status = rc_file_read(path, RC_FILE_BELOW, FILE_MOST, &text, &bytes, err);
    if (status != RC_OK)
        return status;
    if (memchr(text, '\0', bytes))
        status = rc_fail(err, RC_EUSAGE, "%.400s: a zero byte, expected text", path);
    else
        status = read_text(path, text, out, err);
    free(text);
    if (status != RC_OK)
        rc_job_list_fini(out);
    return status;
}

/* Writes the format that read_text() reads. */
static int write_job_list(FILE *out, void *context, struct rc_error *err)
{
    const struct rc_job_list *r = context;

    (void)err;
    fprintf(out, HEAD "\nscheduler %s\nround %u\nparts %zu\nshares %" PRIu32 "\n",
            r->scheduler->name, r->round, r->parts, r->shares);
    for (size_t i = 0; i < r->count; i++)
        fprintf(out, "job %s %s %zu %" PRIu32 " %" PRIu32 " %s %s\n", r->entry[i].name,
                rc_submit_kind_names[r->entry[i].kind], r->entry[i].number,
                r->entry[i].first, r->entry[i].count, r->entry[i].id,
                r->entry[i].queue);
    return RC_OK;
}

int rc_job_list_write(const char *dir, const struct rc_job_list *list,
                      struct rc_error *err)
{
    const struct rc_file_writer writer = {.write = write_job_list,
                                          .context = (void *)list};
    char path[PATH_MAX];
    const int status = list_path(dir, path, err);

    if (status != RC_OK)
        return status;
    return rc_file_replace_by(path, RC_FILE_BELOW, &writer, err);
}

int rc_job_list_cancel(const char *dir, unsigned round, struct rc_error *err)
{
    char path[PATH_MAX], text[32];
    int status = rc_path(path, sizeof path, err, "%s/jobs/cancelled", dir);

    if (status != RC_OK)
        return status;
    snprintf(text, sizeof text, "%u\n", round);
    return rc_file_replace(path, RC_FILE_BELOW, text, strlen(text), err);
}

void rc_job_list_uncancel(const char *dir)
{
    char path[PATH_MAX];

    if (rc_path(path, sizeof path, NULL, "%s/jobs/cancelled", dir) == RC_OK)
        unlink(path);
}

/* Reads a record's line, "TIME ROUND JOB EVENT...", if it is of this round.  Events:
 * "begun", "ended STATUS", "again ID" of the job that continues, "cancelled".
 */
static void read_event(const char *line, unsigned round, struct rc_job_list_record *out)
{
    char time[RC_TEXT_TIME], job[RC_SUBMIT_JOB_ID], event[80];
    uint64_t exited;
    unsigned of;

    if (sscanf(line, "%31s r%u %127s %79[^\n]", time, &of, job, event) != 4 ||
        of != round || !rc_job_list_is_id(job))
        return;
    rc_text_printable(out->time, sizeof out->time, time);
    rc_text_printable(out->job, sizeof out->job, job);
    rc_text_printable(out->event, sizeof out->event, event);
    if (strncmp(event, "begun", 5) == 0) {
        out->tries++;
        out->cancelled = false;
    }
    out->cancelled = out->cancelled || strcmp(event, "cancelled") == 0;
    out->ended = false;
    if (strncmp(event, "ended ", 6) == 0 && rc_text_count(event + 6, &exited) == 0 &&
        exited < 256) {
        out->ended = true;
        out->exited = (int)exited;
    }
    if (strncmp(event, "again ", 6) == 0 && rc_job_list_is_id(event + 6))
        snprintf(out->job, sizeof out->job, "%.*s", (int)sizeof out->job - 1,
                 event + 6);
}

int rc_job_list_record_read(const char *dir, const char *name, int64_t element,
                            unsigned round, struct rc_job_list_record *out,
                            struct rc_error *err)
{
    char path[PATH_MAX], number[32] = "", *text = NULL;
    size_t bytes;

    *out = (struct rc_job_list_record){.exited = -1};
    if (element >= 0)
        snprintf(number, sizeof number, "-%" PRId64, element);
    int status =
        rc_path(path, sizeof path, err, "%s/jobs/%s%s.record", dir, name, number);
    if (status != RC_OK || access(path, F_OK) != 0)
        return status;
    status = rc_file_read(path, RC_FILE_BELOW, FILE_MOST, &text, &bytes, err);
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        read_event(line, round, out);
    free(text);
    return status;
}
