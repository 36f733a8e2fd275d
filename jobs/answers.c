/* Functions that descriptors of schedulers share: lines of their answers, and
 * directives of scripts.
 */
#include "campaign/base/text.h"
#include "campaign/base/words.h"
#include "jobs/scheduler.h"

#include <string.h>

const char *rc_job_directive_value(const struct rc_scheduler *scheduler,
                                   const char *value, char *out, size_t room)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.,:=+@/%^~-";
    const struct rc_job_quoting *quoting = &scheduler->quoting;
    const bool is_plain = !value[strspn(value, plain)];
    size_t used = 0;

    if (!*value)
        return "it is empty";
    if (*value == '-')
        return "it begins with a dash and would be an option";
    if (!is_plain && !quoting->quote)
        return "expected letters, digits and _.,:=+@/%^~- only";
    if (!is_plain && quoting->bad && strpbrk(value, quoting->bad))
        return quoting->why;
    if (!is_plain)
        out[used++] = quoting->quote;
    for (; *value; value++) {
        const bool escaped = quoting->escaped && strchr(quoting->escaped, *value);
        if ((unsigned char)*value < ' ' || *value == 0x7f)
            return "it has a character that cannot be printed";
        if (used + escaped + 1 + !is_plain >= room)
            return "it is too long";
        if (escaped)
            out[used++] = '\\';
        out[used++] = *value;
    }
    if (!is_plain)
        out[used++] = quoting->quote;
    out[used] = '\0';
    return NULL;
}

void rc_job_answer_add(struct rc_job_answer *answer, enum rc_job_state state,
                       const char *word, const char *reason)
{
    answer->count[state]++;
    if (!answer->word[0])
        rc_text_printable(answer->word, sizeof answer->word, word);
    if (!answer->reason[0])
        rc_text_printable(answer->reason, sizeof answer->reason, reason);
}

enum rc_job_state rc_job_word_state(const char *const words[RC_JOB_STATES],
                                    const char *word)
{
    for (unsigned i = 0; i < RC_JOB_STATES && *word; i++)
        if (words[i] && rc_word_listed(words[i], word))
            return (enum rc_job_state)i;
    return RC_JOB_UNKNOWN;
}

/* Copies each line, as scanning the answer itself would read all of it for each. */
void rc_job_answer_read(const struct rc_scheduler *scheduler, const char *answer,
                        int exited, const char *job, struct rc_job_answer *out)
{
    char line[512]; /* the rest of a longer line is dropped */

    if (scheduler->read_all)
        scheduler->read_all(answer, out);
    for (const char *at = answer; *at && scheduler->read_line;) {
        const size_t bytes = strcspn(at, "\n");
        const size_t kept = bytes < sizeof line ? bytes : sizeof line - 1;
        memcpy(line, at, kept);
        line[kept] = '\0';
        scheduler->read_line(line, job, out);
        at += bytes + (at[bytes] == '\n');
    }
    if (!out->word[0])
        rc_job_answer_add(out,
                          (exited != 0) == scheduler->silent_of_gone ? RC_JOB_UNKNOWN
                                                                     : RC_JOB_GONE,
                          "", "");
}
