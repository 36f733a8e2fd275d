/* Reads the texts of a scheduler's jobs, with a site's own in their place.
 *
 * First the sections that all schedulers share are read, then the scheduler's, then the
 * site's file: each takes the place of a section that was there.  A mistake in a site's
 * file is refused with its line before any job is written.
 */
#include "jobs/template.h"

#include "campaign/base/files/file.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"
#include "jobs/fill.h"
#include "jobs/templates/texts.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 20 }; /* bytes of a site's file */

static const char in_a_name[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

/* The section that a line begins.  RC_JOB_TEXTS: the line is "[word]" with an unknown
 * word; -1: it is an ordinary line.
 */
static int section_of(const char *line, size_t bytes)
{
    char word[32];

    if (bytes > 2 && strncmp(line, "# [", 3) == 0) {
        line += 2;
        bytes -= 2;
    }
    if (bytes < 3 || bytes - 2 >= sizeof word || line[0] != '[' ||
        line[bytes - 1] != ']' || strspn(line + 1, in_a_name) != bytes - 2)
        return -1;
    snprintf(word, sizeof word, "%.*s", (int)bytes - 2, line + 1);
    const int found = rc_word_find(word, rc_job_text_names);
    return found < 0 ? RC_JOB_TEXTS : found;
}

static int fail_section(const char *name, size_t line, const char *found, size_t bytes,
                        struct rc_error *err)
{
    char text[80], names[200] = "";

    snprintf(text, sizeof text, "%.*s", (int)(bytes < 70 ? bytes : 70), found);
    rc_text_append_list(names, sizeof names, rc_job_text_names);
    return rc_fail(err, RC_EUSAGE,
                   "%.300s:%zu: found '%s', expected a section in brackets: one of %s",
                   name, line, rc_text_printable(text, sizeof text, text), names);
}

/* Replaces a section, and its place for messages. */
static int set_section(struct rc_template *t, int section, const char *name,
                       const char *text, size_t bytes, struct rc_error *err)
{
    free(t->text[section]);
    free(t->where[section]);
    t->text[section] = strndup(text, bytes);
    if (asprintf(&t->where[section], "%s's %s", name, rc_job_text_names[section]) < 0)
        t->where[section] = NULL;
    if (!t->text[section] || !t->where[section])
        return rc_fail(err, RC_ENOMEM, "no memory for a template");
    return RC_OK;
}

/* Replaces sections by those of a file. */
static int read_sections(struct rc_template *t, const char *name, const char *text,
                         struct rc_error *err)
{
    bool seen[RC_JOB_TEXTS] = {false};
    const char *begin = NULL; /* of the present section */
    int status, section = -1;
    size_t number = 0;

    for (const char *at = text; *at;) {
        const size_t bytes = strcspn(at, "\n");
        const char *next = at + bytes + (at[bytes] == '\n');
        const int found = section_of(at, bytes);
        number++;
        if (found == RC_JOB_TEXTS || (section < 0 && found < 0 && bytes && *at != '#'))
            return fail_section(name, number, at, bytes, err);
        if (found >= 0 && seen[found])
            return rc_fail(err, RC_EUSAGE,
                           "%.300s:%zu: the section [%s] is there twice", name, number,
                           rc_job_text_names[found]);
        if (found >= 0) {
            if (section >= 0 && (status = set_section(t, section, name, begin,
                                                      (size_t)(at - begin), err)))
                return status;
            section = found;
            seen[found] = true;
            begin = next;
        }
        at = next;
    }
    if (section < 0)
        return fail_section(name, number + 1, "the end of the file", 19, err);
    return set_section(t, section, name, begin, strlen(begin), err);
}

/* Refuses placeholders outside the header.  Old templates had them everywhere; the
 * shell has variables now.
 */
static int check_shell(const struct rc_template *t, struct rc_error *err)
{
    for (size_t i = 0; i < RC_JOB_TEXTS; i++) {
        char name[RC_FILL_NAME];
        const char *behind = i == RC_JOB_HEADER ? NULL : rc_fill_next(t->text[i], name);
        size_t line = 1;
        if (!behind)
            continue;
        for (const char *at = t->text[i]; at < behind; at++)
            line += *at == '\n';
        return rc_fail(err, RC_EUSAGE,
                       "%s, line %zu: {{%s}} in shell, expected variables: \"$%s\", or "
                       "\"$set_%s\" of --set, as --show-template has them",
                       t->where[i], line, name, name, name);
    }
    return RC_OK;
}

int rc_template_from_text(const struct rc_scheduler *scheduler, const char *name,
                          const char *text, size_t bytes, struct rc_template *out,
                          struct rc_error *err)
{
    static const char *const shared[] = {
        rc_template_head,   rc_template_common, rc_template_run,    rc_template_deal,
        rc_template_finish, rc_template_noise,  rc_template_profile};
    char *copy = text ? strndup(text, bytes) : NULL;
    int status = RC_OK;

    *out = (struct rc_template){.scheduler = scheduler};
    /* The program's own texts for this scheduler come first. */
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++)
        if ((status = read_sections(out, scheduler->name, shared[i], err)) != RC_OK)
            goto out;
    for (const char *const *own = scheduler->texts; *own; own++)
        if ((status = read_sections(out, scheduler->name, *own, err)) != RC_OK)
            goto out;
    if (!text)
        goto out;
    if (!copy)
        status = rc_fail(err, RC_ENOMEM, "no memory for a template");
    else if (strlen(copy) != bytes)
        status = rc_fail(err, RC_EUSAGE, "%.300s: a zero byte, expected text", name);
    else if ((status = read_sections(out, name, copy, err)) == RC_OK)
        status = check_shell(out, err);
out:
    free(copy);
    if (status != RC_OK)
        rc_template_fini(out);
    return status;
}

int rc_template_open(const struct rc_scheduler *scheduler, const char *path,
                     struct rc_template *out, struct rc_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    int status = RC_OK;

    *out = (struct rc_template){.scheduler = scheduler};
    if (path)
        status = rc_file_read(path, RC_FILE_GIVEN, FILE_MOST, &text, &bytes, err);
    if (status != RC_OK)
        return status;
    status = rc_template_from_text(scheduler, path, text, bytes, out, err);
    free(text);
    return status;
}

void rc_template_fini(struct rc_template *template)
{
    for (size_t i = 0; i < RC_JOB_TEXTS; i++) {
        free(template->text[i]);
        free(template->where[i]);
    }
    *template = (struct rc_template){.scheduler = template->scheduler};
}

void rc_template_write(const struct rc_template *template, FILE *out)
{
    fprintf(
        out,
        "# rollcall submit --scheduler %s: what is not changed here may be deleted.\n",
        template->scheduler->name);
    for (size_t i = 0; i < RC_JOB_TEXTS; i++) {
        const char *text = template->text[i];
        const size_t bytes = strlen(text);
        fprintf(out, "# [%s]\n%s%s", rc_job_text_names[i], text,
                bytes && text[bytes - 1] != '\n' ? "\n" : "");
    }
}

/* The next name of a section at or after 'at', and where to continue; NULL: none. */
static const char *next_name(size_t section, const char *at, char name[RC_FILL_NAME])
{
    if (section == RC_JOB_HEADER)
        return rc_fill_next(at, name);
    for (; (at = strpbrk(at, "${")); at++) {
        if (strncmp(at + 1, "set_", 4) != 0)
            continue;
        const char *own = at + 5;
        snprintf(name, RC_FILL_NAME, "%.*s", (int)strspn(own, in_a_name), own);
        name[strcspn(name, "-")] = '\0'; /* as in ${set_name-} */
        if (rc_fill_is_name(name))
            return own;
    }
    return NULL;
}

bool rc_template_uses(const struct rc_template *template, const char *name)
{
    char found[RC_FILL_NAME];

    for (size_t i = 0; i < RC_JOB_TEXTS; i++)
        for (const char *at = template->text[i]; (at = next_name(i, at, found));)
            if (strcmp(found, name) == 0)
                return true;
    return false;
}

void rc_template_names(const struct rc_template *template, char *out, size_t room)
{
    char name[RC_FILL_NAME];

    out[0] = '\0';
    for (size_t i = 0; i < RC_JOB_TEXTS; i++)
        for (const char *at = template->text[i]; (at = next_name(i, at, name));)
            if (!rc_word_listed(out, name))
                rc_text_append(out, room, "%s%s", out[0] ? ", " : "", name);
}
