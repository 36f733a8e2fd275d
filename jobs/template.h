/* template.h - the texts of a scheduler, and a site's own in their place
 *
 * A template file has sections, "[header]" or, so that a file of shell can have it,
 * "# [header]", and the others of rc_job_text_names; each is the text down to the next
 * one.  Lines before the first section are blank or begin with '#'.  Sections that it
 * does not have are the scheduler's, which are such files themselves: jobs/templates.
 * docs/schedulers.md describes the sections.
 */
#ifndef RC_JOBS_TEMPLATE_H
#define RC_JOBS_TEMPLATE_H

#include "jobs/scheduler.h"

#include <stdbool.h>
#include <stdio.h>

/* The texts of one scheduler, all of them set. */
struct rc_template {
    const struct rc_scheduler *scheduler; /* they use its words and directives */
    char *text[RC_JOB_TEXTS];             /* "": it has none */
    char *where[RC_JOB_TEXTS]; /* for messages: "slurm's header", "FILE's header" */
};

/* 'path' NULL: the scheduler's own texts.  RC_EUSAGE: FILE:LINE and what was expected.
 * After success call rc_template_fini(); on failure *out is empty.
 */
int rc_template_open(const struct rc_scheduler *scheduler, const char *path,
                     struct rc_template *out, struct rc_error *err);

/* The same for a text in memory, or NULL; errors call it 'name'. */
int rc_template_from_text(const struct rc_scheduler *scheduler, const char *name,
                          const char *text, size_t bytes, struct rc_template *out,
                          struct rc_error *err);

void rc_template_fini(struct rc_template *template); /* accepts a zeroed one */

/* All sections as a template file. */
void rc_template_write(const struct rc_template *template, FILE *out);

/* Whether --set can give that value: the header has {{name}}, or the shell $set_name.
 * The second function lists all such names, and those of the header, for messages.
 */
bool rc_template_uses(const struct rc_template *template, const char *name);
void rc_template_names(const struct rc_template *template, char *out, size_t room);

#endif
