/* fill.h - texts with placeholders, {{name}}, filled in
 *
 * A line with a placeholder that has no value is left out.  How a value is written
 * depends on the line: in a directive as the scheduler takes it, in a comment
 * printable on one line, else as words of the shell, quoted where they need it.
 */
#ifndef RC_JOBS_FILL_H
#define RC_JOBS_FILL_H

#include "campaign/base/error.h"
#include "jobs/scheduler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rc_fill; /* opaque: names with their values */

struct rc_fill *rc_fill_create(void);     /* NULL: no memory */
void rc_fill_close(struct rc_fill *fill); /* accepts NULL */
struct rc_fill *rc_fill_copy(const struct rc_fill *fill);

/* A value replaces the one that was there; NULL takes it away. */
int rc_fill_set(struct rc_fill *fill, const char *name, const char *value,
                struct rc_error *err);
int rc_fill_set_count(struct rc_fill *fill, const char *name, unsigned long long value,
                      struct rc_error *err);
int rc_fill_add(struct rc_fill *fill, const char *name, const char *word,
                struct rc_error *err); /* one word more */

/* What stands in a shell's lines as it is, such as "$job". */
int rc_fill_set_raw(struct rc_fill *fill, const char *name, const char *shell,
                    struct rc_error *err);

/* The first word, or NULL. */
const char *rc_fill_value(const struct rc_fill *fill, const char *name);

/* Whether a name is one: a letter, then letters, digits and _. */
bool rc_fill_is_name(const char *name);

/* Whether the text has that placeholder. */
bool rc_fill_uses(const char *text, const char *name);

/* Writes 'text', of which messages speak as 'where'.  RC_EUSAGE: a placeholder that is
 * none or stands between quotes, a value that the scheduler cannot take.
 */
int rc_fill_text(const struct rc_fill *fill, const struct rc_scheduler *scheduler,
                 const char *where, const char *text, FILE *out, struct rc_error *err);

/* A command that no shell reads: words with blanks between, "\ " is a blank in a word;
 * a placeholder holds one word, or part of one; of several words it makes several.
 */
struct rc_fill_words {
    char **word; /* ended by NULL */
    size_t count, room;
};
int rc_fill_words(const struct rc_fill *fill, const char *where, const char *text,
                  struct rc_fill_words *out, struct rc_error *err);
void rc_fill_words_fini(struct rc_fill_words *words); /* accepts zeroed ones */

/* The same command for a shell, on one line without its end; of a placeholder of
 * several words all stand there.
 */
int rc_fill_command(const struct rc_fill *fill, const char *where, const char *text,
                    FILE *out, struct rc_error *err);

/* One word as a shell reads it back. */
void rc_fill_quote(const char *word, FILE *out);

#endif
