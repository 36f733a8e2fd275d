/* Reads a template of a scheduler's job, with a site's own parts in place of ours. */
#include "jobs/template.h"

#include "campaign/base/file.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"
#include "jobs/fill.h"
#include "jobs/scripts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 20 };

static const char *const shared[RC_JOB_TEXTS] = {
    [RC_JOB_HEAD] = rc_script_head,     [RC_JOB_COMMON] = rc_script_common,
    [RC_JOB_RUN] = rc_script_run,       [RC_JOB_DEAL] = rc_script_deal,
    [RC_JOB_FINISH] = rc_script_finish,
};

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for a template");
}

static int name_text(struct rc_template *t, size_t text, const char *owner,
                     struct rc_error *err)
{
    free(t->where[text]);
    return asprintf(&t->where[text], "%s's %s", owner, rc_job_text_names[text]) < 0
               ? (t->where[text] = NULL, no_memory(err))
               : RC_OK;
}

static int init(const struct rc_scheduler *scheduler, struct rc_template *out,
                struct rc_error *err)
{
    int status = RC_OK;

    *out = (struct rc_template){.scheduler = scheduler};
    for (size_t i = 0; i < RC_JOB_TEXTS && status == RC_OK; i++) {
        out->text[i] = i < RC_JOB_HEAD ? scheduler->text[i] : shared[i];
        if (!out->text[i])
            out->text[i] = "";
        status = name_text(out, i, scheduler->name, err);
    }
    return status;
}

/* The section that a line begins, RC_JOB_TEXTS: it is "[word]" and none of them, -1:
 * it is an ordinary line.
 */
static int section_of(const char *line, size_t bytes)
{
    static const char in_a_name[] = "abcdefghijklmnopqrstuvwxyz"
                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    char word[32];

    if (bytes < 3 || bytes - 2 >= sizeof word || line[0] != '[' ||
        line[bytes - 1] != ']' || strspn(line + 1, in_a_name) != bytes - 2)
        return -1;
    memcpy(word, line + 1, bytes - 2);
    word[bytes - 2] = '\0';
    int found = rc_word_find(word, rc_job_text_names);
    return found < 0 ? RC_JOB_TEXTS : found;
}

static int blame(const char *name, size_t line, struct rc_error *err, const char *found,
                 size_t bytes)
{
    char text[80], names[200] = "";

    snprintf(text, sizeof text, "%.*s", (int)(bytes < 70 ? bytes : 70), found);
    rc_text_append_list(names, sizeof names, rc_job_text_names);
    return rc_fail(err, RC_EUSAGE,
                   "%.300s:%zu: found '%s', expected a section in brackets: one of %s",
                   name, line, rc_text_printable(text, sizeof text, text), names);
}

/* Cuts the file into sections, in place. */
static int read_sections(struct rc_template *t, const char *name, struct rc_error *err)
{
    bool seen[RC_JOB_TEXTS] = {false};
    int section = -1, status = RC_OK;
    size_t number = 0;

    for (char *at = t->file; *at && status == RC_OK;) {
        const size_t bytes = strcspn(at, "\n");
        char *next = at + bytes + (at[bytes] == '\n');
        const int found = section_of(at, bytes);
        number++;
        if (found == RC_JOB_TEXTS || (found >= 0 && seen[found]))
            return found < RC_JOB_TEXTS
                       ? rc_fail(err, RC_EUSAGE,
                                 "%.300s:%zu: the section [%s] is there twice", name,
                                 number, rc_job_text_names[found])
                       : blame(name, number, err, at, bytes);
        if (found >= 0) {
            *at = '\0'; /* the end of the section before it */
            section = found;
            seen[found] = true;
            t->text[found] = next;
            status = name_text(t, (size_t)found, name, err);
        } else if (section < 0 && bytes && *at != '#') {
            return blame(name, number, err, at, bytes);
        }
        at = next;
    }
    if (status == RC_OK && section < 0)
        status = blame(name, number + 1, err, "the end of the file", 19);
    return status;
}

int rc_template_from_text(const struct rc_scheduler *scheduler, const char *name,
                          const char *text, size_t bytes, struct rc_template *out,
                          struct rc_error *err)
{
    int status = init(scheduler, out, err);

    if (status == RC_OK && memchr(text, '\0', bytes))
        status = rc_fail(err, RC_EUSAGE, "%.300s: a zero byte, expected a text", name);
    if (status == RC_OK && !(out->file = strndup(text, bytes)))
        status = no_memory(err);
    if (status == RC_OK)
        status = read_sections(out, name, err);
    if (status != RC_OK)
        rc_template_fini(out);
    return status;
}

int rc_template_open(const struct rc_scheduler *scheduler, const char *path,
                     struct rc_template *out, struct rc_error *err)
{
    char *text;
    size_t bytes;
    int status;

    if (!path) {
        status = init(scheduler, out, err);
        if (status != RC_OK)
            rc_template_fini(out);
        return status;
    }
    *out = (struct rc_template){.scheduler = scheduler};
    status = rc_file_read(path, RC_FILE_GIVEN, FILE_MOST, &text, &bytes, err);
    if (status != RC_OK)
        return status;
    status = rc_template_from_text(scheduler, path, text, bytes, out, err);
    free(text);
    return status;
}

void rc_template_fini(struct rc_template *template)
{
    for (size_t i = 0; i < RC_JOB_TEXTS; i++)
        free(template->where[i]);
    free(template->file);
    *template = (struct rc_template){.scheduler = template->scheduler};
}

void rc_template_write(const struct rc_template *template, FILE *out)
{
    fprintf(out, "# rollcall submit --scheduler %s: what is not changed here may go.\n",
            template->scheduler->name);
    for (size_t i = 0; i < RC_JOB_TEXTS; i++) {
        const char *text = template->text[i];
        const size_t bytes = strlen(text);
        fprintf(out, "[%s]\n%s%s", rc_job_text_names[i], text,
                bytes && text[bytes - 1] != '\n' ? "\n" : "");
    }
}

bool rc_template_uses(const struct rc_template *template, const char *name)
{
    for (size_t i = 0; i < RC_JOB_TEXTS; i++)
        if (rc_fill_uses(template->text[i], name))
            return true;
    return false;
}

static bool is_listed(const char *list, const char *name, size_t bytes)
{
    for (const char *at = list; (at = strstr(at, name)); at += bytes)
        if ((at == list || at[-1] == ' ') && (at[bytes] == ',' || !at[bytes]))
            return true;
    return false;
}

void rc_template_names(const struct rc_template *template, char *out, size_t room)
{
    char name[64];

    out[0] = '\0';
    for (size_t i = 0; i < RC_JOB_TEXTS; i++)
        for (const char *at = template->text[i]; (at = strstr(at, "{{")); at += 2) {
            const size_t bytes = strcspn(at + 2, "}\n");
            if (bytes == 0 || bytes >= sizeof name)
                continue;
            memcpy(name, at + 2, bytes);
            name[bytes] = '\0';
            if (rc_fill_is_name(name) && !is_listed(out, name, bytes))
                rc_text_append(out, room, "%s%s", out[0] ? ", " : "", name);
        }
}
