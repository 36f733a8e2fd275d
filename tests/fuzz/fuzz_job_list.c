/* Any bytes as the list of a campaign's jobs and as the record of one: refused with one
 * line, or jobs within their bounds that read back as they were written.
 */
#include "campaign/submit/job_list.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/dev/shm/rollcall-fuzz-XXXXXX";

static void clear_up(void)
{
    static const char *const names[] = {"jobs/jobs.txt", "jobs/run.record", "jobs",
                                        "."};
    char path[80];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, i < 3 ? names[i] : "");
        remove(path);
    }
}

static void prepare(void)
{
    char path[80];

    if (strcmp(dir + sizeof dir - 7, "XXXXXX") != 0)
        return;
    if (!mkdtemp(dir))
        abort();
    snprintf(path, sizeof path, "%s/jobs", dir);
    if (mkdir(path, 0700) != 0)
        abort();
    atexit(clear_up);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
    char path[80];

    snprintf(path, sizeof path, "%s/jobs/%s", dir, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void expect_printable(const char *text)
{
    char copy[256];

    if (strcmp(rc_text_printable(copy, sizeof copy, text), text) != 0)
        abort();
}

static void expect_bounds(const struct rc_job_list *r)
{
    const size_t shares = r->shares ? r->shares : 1;
    size_t jobs = 0;

    for (size_t i = 0; i < r->count; i++) {
        const struct rc_job_list_entry *e = &r->entry[i];
        jobs += e->count ? e->count : 1;
        if (e->number >= r->parts || !rc_job_list_is_id(e->id) ||
            strchr(e->name, '/') || (e->count && e->first + e->count > r->shares))
            abort();
        expect_printable(e->id);
        expect_printable(e->queue);
    }
    if (jobs > r->parts * (shares + 1) + 1)
        abort();
}

static void read_back(const struct rc_job_list *r)
{
    struct rc_job_list back;
    struct rc_error err;

    if (rc_job_list_write(dir, r, &err) != RC_OK ||
        rc_job_list_read(dir, &back, &err) != RC_OK || back.count != r->count ||
        back.scheduler != r->scheduler || back.round != r->round ||
        back.parts != r->parts || back.shares != r->shares)
        abort();
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(back.entry[i].id, r->entry[i].id) != 0 ||
            strcmp(back.entry[i].name, r->entry[i].name) != 0 ||
            back.entry[i].count != r->entry[i].count)
            abort();
    rc_job_list_fini(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rc_error err = {.text = ""};
    struct rc_job_list_record record;
    struct rc_job_list r;

    prepare();
    put("jobs.txt", data, size);
    if (rc_job_list_read(dir, &r, &err) == RC_OK) {
        expect_bounds(&r);
        read_back(&r);
    } else if (!err.text[0] || strchr(err.text, '\n') || r.entry) {
        abort();
    }
    rc_job_list_fini(&r);
    put("run.record", data, size);
    if (rc_job_list_record_read(dir, "run", -1, 1, &record, &err) != RC_OK)
        abort();
    if (record.job[0] && !rc_job_list_is_id(record.job))
        abort();
    expect_printable(record.time);
    expect_printable(record.event);
    return 0;
}
