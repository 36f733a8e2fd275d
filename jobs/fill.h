/* fill.h - the values of a job: in directives, and as variables of its script
 *
 * A value has a name.  In a template's header it replaces {{name}}, written as the
 * scheduler takes values in directives; a line with a placeholder that has no value is
 * left out.  The rest of a script is shell, at whose head each value is assigned to the
 * variable of that name, in quotes.  Values that users give by --set NAME=VALUE are
 * {{NAME}} in directives, and $set_NAME in the shell.
 */
#ifndef RC_JOBS_FILL_H
#define RC_JOBS_FILL_H

#include "campaign/base/error.h"
#include "jobs/scheduler.h"

#include <stdbool.h>
#include <stdio.h>

struct rc_fill; /* opaque: names with their values */

struct rc_fill *rc_fill_create(void);     /* NULL: no memory */
void rc_fill_close(struct rc_fill *fill); /* accepts NULL */

/* Sets a value, or replaces it.  NULL: there is no value, and the variable is empty.
 * rc_fill_check() reports failures, once for all values.
 */
void rc_fill_set(struct rc_fill *fill, const char *name, const char *value);
void rc_fill_set_count(struct rc_fill *fill, const char *name,
                       unsigned long long value); /* 0: there is none */
int rc_fill_check(const struct rc_fill *fill, struct rc_error *err);

/* A value that needs no quotes in directives: a pattern of the scheduler. */
void rc_fill_set_pattern(struct rc_fill *fill, const char *name, const char *value);

/* A value of --set; false: the name is taken by one of the values above. */
bool rc_fill_set_by_user(struct rc_fill *fill, const char *name, const char *value);

/* Whether it can be a name: a letter, then letters, digits and _. */
bool rc_fill_is_name(const char *name);

/* Copies the first name of a placeholder at or after 'at', and returns the text after
 * it; NULL: there is none.
 */
enum { RC_FILL_NAME = 64 };
const char *rc_fill_next(const char *at, char name[RC_FILL_NAME]);

/* Writes a header, which messages call 'where'.  RC_EUSAGE: a placeholder is malformed
 * or is in neither a directive nor a comment, or the scheduler cannot take a value.
 */
int rc_fill_header(const struct rc_fill *fill, const struct rc_scheduler *scheduler,
                   const char *where, const char *text, FILE *out,
                   struct rc_error *err);

/* Writes the shell's assignments, a line for each value. */
void rc_fill_assign(const struct rc_fill *fill, FILE *out);

/* Writes one word as a shell reads it back. */
void rc_fill_quote(const char *word, FILE *out);

#endif
