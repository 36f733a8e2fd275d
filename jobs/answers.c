/* What descriptors of schedulers share: lines of their answers, and directives of
 * scripts. */
#include "campaign/base/text.h"
#include "jobs/scheduler.h"

#include <stdio.h>
#include <string.h>

const char *rc_job_directive_plain(const char *value, char *out, size_t room)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.,:=+@/%^~-";
    const char *odd = value + strspn(value, plain);

    if (!*value)
        return "it is empty";
    if (*value == '-')
        return "it begins with a dash and would be an option";
    if (*odd)
        return "expected letters, digits and _.,:=+@/%^~- only";
    if (strlen(value) >= room)
        return "it is too long";
    snprintf(out, room, "%s", value);
    return NULL;
}

const char *rc_job_directive_quoted(const struct rc_job_quoting *quoting,
                                    const char *value, char *out, size_t room)
{
    const char *unfit = rc_job_directive_plain(value, out, room);

    if (!unfit || *value == '-' || !*value)
        return unfit;
    for (const char *at = value; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return "it has a character that cannot be printed";
    if (strpbrk(value, quoting->bad))
        return quoting->why;
    if ((size_t)snprintf(out, room, "%c%s%c", quoting->quote, value, quoting->quote) >=
        room)
        return "it is too long";
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

enum rc_job_state rc_job_word_state(const struct rc_job_word *words, const char *word)
{
    for (; words->word; words++)
        if (strcmp(words->word, word) == 0)
            return words->state;
    return RC_JOB_UNKNOWN;
}

const char *rc_job_next_line(const char *at, char *line, size_t room)
{
    const size_t bytes = strcspn(at, "\n");
    const size_t kept = bytes < room ? bytes : room - 1;

    if (!*at)
        return NULL;
    memcpy(line, at, kept);
    line[kept] = '\0';
    return at + bytes + (at[bytes] == '\n');
}
