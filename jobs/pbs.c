/* OpenPBS and PBS Professional: qsub(1B), qstat(1B), qdel(1B).
 *
 * 'qstat -x' also lists jobs that are over, with their exit status, where the server
 * keeps a history of them.
 */
#include "jobs/descriptors.h"
#include "jobs/templates/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* job_state of pbs_job_attributes(7B). */
static const char *const words[RC_JOB_STATES] = {[RC_JOB_WAITING] = "Q H W T M",
                                                 [RC_JOB_RUNNING] = "R B E S U",
                                                 [RC_JOB_DONE] = "F X"};

enum { EXIT_SIGNAL = 256 }; /* a larger exit status is this plus a signal's number */

/* One job of 'qstat -f': state, exit status and comment. */
struct found {
    char state[8], status[16], comment[160];
    bool is_array;
};

/* qdel leaves a job without an exit status, or with that of a signal; a negative status
 * means that PBS itself could not run the job.  Any other status is the job's own, and
 * its record says what it means.
 */
static void add_found(const struct found *f, struct rc_job_answer *out)
{
    enum rc_job_state state = rc_job_word_state(words, f->state);
    const long status = strtol(f->status, NULL, 10);

    if (state == RC_JOB_DONE && !f->status[0])
        state = RC_JOB_CANCELLED; /* it was deleted before it ran */
    else if (state == RC_JOB_DONE && status != 0)
        state = status > EXIT_SIGNAL ? RC_JOB_CANCELLED
                : status < 0         ? RC_JOB_FAILED
                                     : RC_JOB_DONE;
    rc_job_answer_add(out, state, f->state, f->comment);
}

/* Copies the value in a line '"name":"value",' or '"name":number,'. */
static void read_value(const char *line, size_t bytes, const char *name, char *out,
                       size_t room)
{
    const size_t length = strlen(name);
    const char *at = line + 1, *end = line + bytes;

    if (bytes < length + 4 || strncmp(at, name, length) != 0 ||
        strncmp(at + length, "\":", 2) != 0)
        return;
    at += length + 2;
    if (end[-1] == ',')
        end--;
    if (*at == '"' && end - at >= 2) {
        at++;
        end--;
    }
    snprintf(out, room, "%.*s", (int)(end - at), at);
}

/* How many more braces a line opens than it closes, outside strings. */
static int count_braces(const char *line, size_t bytes)
{
    bool quoted = false;
    int sum = 0;

    for (size_t i = 0; i < bytes; i++) {
        if (quoted && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            quoted = !quoted;
        else if (!quoted)
            sum += (line[i] == '{') - (line[i] == '}');
    }
    return sum;
}

/* Reads 'qstat -F json' line by line: versions of it print malformed JSON (a comma too
 * many, quotes in values), but always an attribute a line.  An array itself counts only
 * where qstat lists none of its elements.
 */
static void read_all(const char *answer, struct rc_job_answer *out)
{
    enum { OF_JOBS = 2, OF_A_JOB = 3 };
    struct found f = {.state = ""}, array = {.state = ""};
    int depth = 0;

    for (const char *at = answer; *at; at += *at == '\n') {
        at += strspn(at, " \t");
        const size_t bytes = strcspn(at, "\n");
        const int before = depth;
        depth += count_braces(at, bytes);
        if (before == OF_JOBS && depth == OF_A_JOB)
            f = (struct found){.is_array = memmem(at, bytes, "[]", 2) != NULL};
        if (before == OF_A_JOB && depth == OF_A_JOB) {
            read_value(at, bytes, "job_state", f.state, sizeof f.state);
            read_value(at, bytes, "Exit_status", f.status, sizeof f.status);
            read_value(at, bytes, "comment", f.comment, sizeof f.comment);
        }
        if (before == OF_A_JOB && depth < OF_A_JOB && f.state[0]) {
            if (f.is_array)
                array = f;
            else
                add_found(&f, out);
        }
        at += bytes;
    }
    if (!out->word[0] && array.state[0])
        add_found(&array, out);
}

const struct rc_scheduler rc_scheduler_pbs = {
    .name = "pbs",
    .summary = "OpenPBS, PBS Pro",
    .no_such_job = "Unknown Job Id",
    .manual = "qsub(1B)",
    .programs = (const char *const[]){"qsub", "qstat", "qdel", "pbsnodes", NULL},
    .ask = (const char *const[]){"qstat", "-B", NULL},
    .directive = "#PBS",
    .signals = "", /* TERM comes at the limit, and KILL soon after it */
    .log_index = "^array_index^",
    .arrays = true,
    .texts = {rc_template_pbs},
    /* Quotes have no escapes inside, so a value cannot have both kinds. */
    .quoting = {.quote = '"',
                .bad = "\"",
                .why = "it has a double quote, and quotes have no escapes there"},
    .read_all = read_all,
};
