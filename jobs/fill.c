/* Writes the values of a job into directives, and as assignments of the shell.
 *
 * Directives are read by batch systems, each with its own rules of quoting, or none.
 * So a value is either written in a way that the scheduler reads back as it is, or
 * refused with the reason.  In shell, quotes can hold anything.
 */
#include "jobs/fill.h"

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1 << 16 }; /* of a value in its written form */

struct value {
    const char *name;
    const char *text; /* NULL: none */
    bool by_user;     /* it is from --set */
    bool pattern;     /* directives have it without quotes */
};

struct rc_fill {
    struct rc_arena arena; /* of all names and texts; it fails for all values */
    struct value *value;   /* in the order in which they were first set */
    size_t count, room;
};

struct rc_fill *rc_fill_create(void)
{
    return rc_calloc(1, sizeof(struct rc_fill));
}

void rc_fill_close(struct rc_fill *fill)
{
    if (!fill)
        return;
    rc_arena_free(&fill->arena);
    free(fill->value);
    free(fill);
}

/* A script has some thirty values: a search from the front suffices. */
static struct value *find_value(const struct rc_fill *fill, const char *name)
{
    for (size_t i = 0; i < fill->count; i++)
        if (strcmp(fill->value[i].name, name) == 0)
            return &fill->value[i];
    return NULL;
}

/* Sets or replaces a value; a replaced one keeps its place in the list. */
static void set_value(struct rc_fill *fill, struct value made)
{
    struct value *value = find_value(fill, made.name);

    if (made.text)
        made.text = rc_arena_text(&fill->arena, made.text);
    made.name = rc_arena_text(&fill->arena, made.name);
    if (value)
        *value = made;
    else if (rc_grow(&fill->value, sizeof made, fill->count, &fill->room) == 0)
        fill->value[fill->count++] = made;
    else
        fill->arena.failed = true;
}

void rc_fill_set(struct rc_fill *fill, const char *name, const char *value)
{
    set_value(fill, (struct value){.name = name, .text = value});
}

void rc_fill_set_pattern(struct rc_fill *fill, const char *name, const char *value)
{
    set_value(fill, (struct value){.name = name, .text = value, .pattern = true});
}

void rc_fill_set_count(struct rc_fill *fill, const char *name, unsigned long long value)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%llu", value);
    rc_fill_set(fill, name, value ? digits : NULL);
}

bool rc_fill_set_by_user(struct rc_fill *fill, const char *name, const char *value)
{
    const struct value *found = find_value(fill, name);

    if (found && !found->by_user)
        return false;
    set_value(fill, (struct value){.name = name, .text = value, .by_user = true});
    return true;
}

int rc_fill_check(const struct rc_fill *fill, struct rc_error *err)
{
    return rc_arena_check(&fill->arena, err, "a job's script");
}

bool rc_fill_is_name(const char *name)
{
    const size_t bytes = strlen(name);

    if (!isalpha((unsigned char)name[0]) || bytes >= RC_FILL_NAME)
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return true;
}

/* The placeholder at "{{": its name, and the text after it; NULL: it is not one. */
static const char *read_name(const char *at, char name[RC_FILL_NAME])
{
    const char *from = at + 2;
    const size_t bytes = strcspn(from, "{}\n");

    if (bytes >= RC_FILL_NAME || strncmp(from + bytes, "}}", 2) != 0)
        return NULL;
    memcpy(name, from, bytes);
    name[bytes] = '\0';
    return rc_fill_is_name(name) ? from + bytes + 2 : NULL;
}

const char *rc_fill_next(const char *at, char name[RC_FILL_NAME])
{
    for (; (at = strstr(at, "{{")); at++) {
        const char *behind = read_name(at, name);
        if (behind)
            return behind;
    }
    return NULL;
}

/* No line of the output begins as a line of the word does: some batch systems search
 * the whole script for directives.
 */
void rc_fill_quote(const char *word, FILE *out)
{
    /* Words of these characters are the same with and without quotes. */
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.,:=+@/%^-";

    if (*word && *word != '=' && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else if (*word == '\n')
            fputs("\n''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

void rc_fill_assign(const struct rc_fill *fill, FILE *out)
{
    for (size_t i = 0; i < fill->count; i++) {
        const struct value *value = &fill->value[i];
        fprintf(out, "%s%s=", value->by_user ? "set_" : "", value->name);
        rc_fill_quote(value->text ? value->text : "", out);
        fputc('\n', out);
    }
}

/* A line of a header that is being written. */
struct line {
    const struct rc_fill *fill;
    const struct rc_scheduler *scheduler;
    const char *where; /* the header, for messages */
    size_t number;     /* of the line, from 1 on */
    FILE *out;
    bool directive; /* else it is a comment, or the site's own text */
    bool comment;
    bool left_out; /* one of its placeholders has no value */
};

/* Writes a value into a directive as the scheduler takes it, or into a comment as it
 * is.
 */
static int put_value(const struct line *line, const struct value *value,
                     struct rc_error *err)
{
    char written[LINE_BYTES], copy[LINE_BYTES];

    if (line->comment || value->pattern) {
        fputs(rc_text_printable(written, sizeof written, value->text), line->out);
        return RC_OK;
    }
    const char *unfit =
        rc_job_directive_value(line->scheduler, value->text, written, sizeof written);
    if (!unfit && strcmp(rc_text_printable(copy, sizeof copy, written), written) != 0)
        unfit = "it has a character that cannot be printed";
    if (unfit)
        return rc_fail(err, RC_EUSAGE, "%s cannot take the %s '%s': %s",
                       line->scheduler->summary, value->name,
                       rc_text_printable(copy, 200, value->text), unfit);
    fputs(written, line->out);
    return RC_OK;
}

/* Writes a line without its end. */
static int put_line(struct line *line, const char *text, size_t bytes,
                    struct rc_error *err)
{
    char name[RC_FILL_NAME];
    int status;

    for (const char *at = text; at < text + bytes;) {
        if (strncmp(at, "{{", 2) != 0) {
            fputc(*at++, line->out);
            continue;
        }
        const size_t rest = (size_t)(text + bytes - at);
        const char *behind = read_name(at, name);
        if (!behind)
            return rc_fail(
                err, RC_EUSAGE,
                "%s, line %zu: '%.*s' is not a placeholder, expected {{name}}",
                line->where, line->number, (int)(rest < 70 ? rest : 70), at);
        if (!line->directive && !line->comment)
            return rc_fail(err, RC_EUSAGE,
                           "%s, line %zu: {{%s}} stands neither in a directive nor in "
                           "a comment",
                           line->where, line->number, name);
        const struct value *value = find_value(line->fill, name);
        at = behind;
        if (!value || !value->text)
            line->left_out = true;
        else if ((status = put_value(line, value, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_fill_header(const struct rc_fill *fill, const struct rc_scheduler *scheduler,
                   const char *where, const char *text, FILE *out, struct rc_error *err)
{
    const char *prefix = scheduler->directive;
    size_t number = 1;

    for (const char *at = text; *at; number++) {
        const size_t bytes = strcspn(at, "\n");
        char *written = NULL; /* in memory first: the line may be left out */
        size_t size;
        struct line line = {.fill = fill,
                            .scheduler = scheduler,
                            .where = where,
                            .number = number,
                            .out = open_memstream(&written, &size)};
        if (!line.out)
            return rc_fail(err, RC_ENOMEM, "no memory for a job's script");
        line.directive = *prefix && strncmp(at, prefix, strlen(prefix)) == 0;
        line.comment = !line.directive && at[strspn(at, " \t")] == '#';
        int status = put_line(&line, at, bytes, err);
        if (fclose(line.out) != 0 && status == RC_OK)
            status = rc_fail(err, RC_ENOMEM, "no memory for a job's script");
        if (status == RC_OK && !line.left_out)
            fprintf(out, "%s\n", written);
        free(written);
        if (status != RC_OK)
            return status;
        at += bytes + (at[bytes] == '\n');
    }
    return RC_OK;
}
