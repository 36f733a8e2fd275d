/* Fills texts with placeholders: values, conditions and quoting for the shell. */
#include "jobs/fill.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64, LINE_BYTES = 1 << 16 };

struct value {
    char *name;
    char **word;
    size_t count, room;
    bool raw;
};

struct rc_fill {
    struct value *value;
    size_t count, room;
};

/* What a line is, which decides how values stand in it. */
enum line { LINE_SHELL, LINE_DIRECTIVE, LINE_COMMENT };

struct filling {
    const struct rc_fill *fill;
    const struct rc_scheduler *scheduler;
    const char *where;
    size_t number; /* of the line */
    char quote;    /* that is open, 0: none; it may be from a line before */
    bool left_out;
    FILE *out;
};

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for a job's script");
}

struct rc_fill *rc_fill_create(void)
{
    return rc_calloc(1, sizeof(struct rc_fill));
}

static void clear(struct value *value)
{
    for (size_t i = 0; i < value->count; i++)
        free(value->word[i]);
    value->count = 0;
}

void rc_fill_close(struct rc_fill *fill)
{
    for (size_t i = 0; fill && i < fill->count; i++) {
        clear(&fill->value[i]);
        free(fill->value[i].word);
        free(fill->value[i].name);
    }
    if (fill)
        free(fill->value);
    free(fill);
}

static struct value *find(const struct rc_fill *fill, const char *name)
{
    for (size_t i = 0; i < fill->count; i++)
        if (strcmp(fill->value[i].name, name) == 0)
            return &fill->value[i];
    return NULL;
}

static struct value *find_or_add(struct rc_fill *fill, const char *name)
{
    struct value *found = find(fill, name);

    if (found)
        return found;
    if (rc_grow(&fill->value, sizeof *fill->value, fill->count, &fill->room))
        return NULL;
    fill->value[fill->count] = (struct value){.name = strdup(name)};
    return fill->value[fill->count].name ? &fill->value[fill->count++] : NULL;
}

static int add_word(struct value *value, const char *word)
{
    if (rc_grow(&value->word, sizeof *value->word, value->count, &value->room))
        return -1;
    value->word[value->count] = strdup(word);
    return value->word[value->count] ? (int)(value->count++, 0) : -1;
}

int rc_fill_add(struct rc_fill *fill, const char *name, const char *word,
                struct rc_error *err)
{
    struct value *value = find_or_add(fill, name);

    return value && add_word(value, word) == 0 ? RC_OK : no_memory(err);
}

int rc_fill_set(struct rc_fill *fill, const char *name, const char *value,
                struct rc_error *err)
{
    struct value *found = find_or_add(fill, name);

    if (!found)
        return no_memory(err);
    clear(found);
    found->raw = false;
    return !value || add_word(found, value) == 0 ? RC_OK : no_memory(err);
}

int rc_fill_set_raw(struct rc_fill *fill, const char *name, const char *shell,
                    struct rc_error *err)
{
    int status = rc_fill_set(fill, name, shell, err);

    if (status == RC_OK)
        find(fill, name)->raw = true;
    return status;
}

int rc_fill_set_count(struct rc_fill *fill, const char *name, unsigned long long value,
                      struct rc_error *err)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%llu", value);
    return rc_fill_set(fill, name, digits, err);
}

struct rc_fill *rc_fill_copy(const struct rc_fill *fill)
{
    struct rc_fill *copy = rc_fill_create();

    for (size_t i = 0; copy && i < fill->count; i++) {
        const struct value *from = &fill->value[i];
        struct value *to = find_or_add(copy, from->name);
        bool failed = !to;
        for (size_t w = 0; w < from->count && !failed; w++)
            failed = add_word(to, from->word[w]) != 0;
        if (failed) {
            rc_fill_close(copy);
            return NULL;
        }
        to->raw = from->raw;
    }
    return copy;
}

const char *rc_fill_value(const struct rc_fill *fill, const char *name)
{
    const struct value *value = find(fill, name);

    return value && value->count ? value->word[0] : NULL;
}

bool rc_fill_is_name(const char *name)
{
    size_t bytes = strlen(name);

    if (!isalpha((unsigned char)name[0]) || bytes >= NAME_BYTES)
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return true;
}

/* The placeholder at "{{": its name, and what stands behind it; NULL: it is none. */
static const char *read_name(const char *at, char name[NAME_BYTES])
{
    const char *from = at + 2;
    const size_t bytes = strcspn(from, "{}\n");

    if (bytes >= NAME_BYTES || strncmp(from + bytes, "}}", 2) != 0)
        return NULL;
    memcpy(name, from, bytes);
    name[bytes] = '\0';
    return rc_fill_is_name(name) ? from + bytes + 2 : NULL;
}

bool rc_fill_uses(const char *text, const char *name)
{
    char found[NAME_BYTES];

    for (const char *at = text; (at = strstr(at, "{{")); at += 2)
        if (read_name(at, found) && strcmp(found, name) == 0)
            return true;
    return false;
}

/* Words of these characters are the same with quotes and without. */
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.,:=+@/%^-";

    return *word && *word != '=' && word[strspn(word, plain)] == '\0';
}

/* No line begins as the word has it: some batch systems look for their directives down
 * to the end of a script.
 */
void rc_fill_quote(const char *word, FILE *out)
{
    if (is_plain(word)) {
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

static int blame(const struct filling *f, struct rc_error *err, const char *at)
{
    const size_t bytes = strcspn(at, "\n");
    char text[80];

    snprintf(text, sizeof text, "%.*s", (int)(bytes < 70 ? bytes : 70), at);
    return rc_fail(err, RC_EUSAGE,
                   "%s, line %zu: '%s' is no placeholder, expected {{name}}", f->where,
                   f->number, text);
}

static bool is_printable(const char *value)
{
    char copy[LINE_BYTES];

    return strcmp(rc_text_printable(copy, sizeof copy, value), value) == 0;
}

static int put_directive(struct filling *f, const char *name, const char *word,
                         struct rc_error *err)
{
    char value[LINE_BYTES];
    const char *unfit = f->scheduler->directive_value
                            ? f->scheduler->directive_value(word, value, sizeof value)
                            : rc_job_directive_plain(word, value, sizeof value);

    if (!unfit && !is_printable(value))
        unfit = "it has a character that cannot be printed";
    if (unfit) {
        rc_text_printable(value, 200, word);
        return rc_fail(err, RC_EUSAGE, "%s cannot take the %s '%s': %s",
                       f->scheduler->summary, name, value, unfit);
    }
    fputs(value, f->out);
    return RC_OK;
}

static int put_comment(struct filling *f, const char *word, struct rc_error *err)
{
    const size_t room = strlen(word) + 1;
    char *copy = malloc(room);

    if (!copy)
        return no_memory(err);
    fputs(rc_text_printable(copy, room, word), f->out);
    free(copy);
    return RC_OK;
}

static int put_value(struct filling *f, enum line line, const char *name,
                     struct rc_error *err)
{
    const struct value *value = find(f->fill, name);
    int status = RC_OK;

    if (!value || value->count == 0) {
        f->left_out = true;
        return RC_OK;
    }
    for (size_t i = 0; i < value->count && status == RC_OK; i++) {
        if (i)
            fputc(' ', f->out);
        if (line == LINE_DIRECTIVE && !value->raw)
            status = put_directive(f, name, value->word[i], err);
        else if (line == LINE_COMMENT)
            status = put_comment(f, value->word[i], err);
        else if (value->raw)
            fputs(value->word[i], f->out);
        else
            rc_fill_quote(value->word[i], f->out);
    }
    return status;
}

static enum line line_of(const struct rc_scheduler *scheduler, const char *line)
{
    const char *prefix = scheduler ? scheduler->directive : "";

    if (*prefix && strncmp(line, prefix, strlen(prefix)) == 0)
        return LINE_DIRECTIVE;
    return line[strspn(line, " \t")] == '#' ? LINE_COMMENT : LINE_SHELL;
}

/* One line, without its end.  A value between quotes would end them. */
static int fill_line(struct filling *f, const char *text, const char *end,
                     struct rc_error *err)
{
    enum line line = f->quote ? LINE_SHELL : line_of(f->scheduler, text);
    char name[NAME_BYTES];
    int status = RC_OK;

    for (const char *at = text; at < end && status == RC_OK;) {
        if (strncmp(at, "{{", 2) == 0) {
            const char *behind = read_name(at, name);
            if (!behind)
                return blame(f, err, at);
            if (f->quote)
                return rc_fail(err, RC_EUSAGE,
                               "%s, line %zu: {{%s}} stands between quotes, expected "
                               "it outside: it is quoted where it needs to be",
                               f->where, f->number, name);
            status = put_value(f, line, name, err);
            at = behind;
            continue;
        }
        if (*at == '#' && !f->quote && line == LINE_SHELL && at > text &&
            strchr(" \t;&|()", at[-1]))
            line = LINE_COMMENT; /* up to its end */
        if (*at == '\\' && f->quote != '\'' && at + 1 < end)
            fputc(*at++, f->out);
        else if ((*at == '\'' || *at == '"') && line == LINE_SHELL &&
                 (!f->quote || f->quote == *at))
            f->quote = (char)(f->quote ? '\0' : *at);
        fputc(*at++, f->out);
    }
    return status;
}

/* Each line into memory first: it may be left out. */
static int each_line(struct filling *f, const char *text,
                     int (*take)(void *context, char *line, struct rc_error *err),
                     void *context, struct rc_error *err)
{
    int status = RC_OK;

    for (const char *at = text; *at && status == RC_OK;) {
        const char *end = at + strcspn(at, "\n");
        const char quote = f->quote;
        char *line = NULL;
        size_t bytes;
        f->number++;
        f->left_out = false;
        f->out = open_memstream(&line, &bytes);
        if (!f->out)
            return no_memory(err);
        status = fill_line(f, at, end, err);
        if (fclose(f->out) != 0 && status == RC_OK)
            status = no_memory(err);
        if (f->left_out)
            f->quote = quote;
        else if (status == RC_OK)
            status = take(context, line, err);
        free(line);
        at = *end ? end + 1 : end;
    }
    return status;
}

static int print_line(void *context, char *line, struct rc_error *err)
{
    (void)err;
    fprintf(context, "%s\n", line);
    return RC_OK;
}

int rc_fill_text(const struct rc_fill *fill, const struct rc_scheduler *scheduler,
                 const char *where, const char *text, FILE *out, struct rc_error *err)
{
    struct filling f = {.fill = fill, .scheduler = scheduler, .where = where};

    return each_line(&f, text, print_line, out, err);
}

void rc_fill_words_fini(struct rc_fill_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct rc_fill_words){0};
}

/* A command is walked word by word.  Parts of words go to 'part', the end of a word to
 * 'end'; a line with a placeholder without a value is told by 'left_out' at its end.
 */
struct walk {
    struct filling *f;
    int (*part)(void *context, const char *text, size_t bytes,
                const struct value *value, struct rc_error *err);
    int (*end)(void *context, struct rc_error *err);
    int (*line)(void *context, bool left_out, struct rc_error *err);
    void *context;
};

static int walk_word(const struct walk *w, const char **at, struct rc_error *err)
{
    char name[NAME_BYTES];
    int status = RC_OK;

    while (**at && !strchr(" \t\n", **at) && status == RC_OK) {
        const char *from = *at, *behind;
        if (*from == '\\' && from[1] && from[1] != '\n') { /* as it is: a blank */
            *at += 2;
            status = w->part(w->context, from + 1, 1, NULL, err);
            continue;
        }
        if (strncmp(from, "{{", 2) != 0) {
            while (**at && !strchr(" \t\n\\", **at) && strncmp(*at, "{{", 2) != 0)
                (*at)++;
            *at += *at == from; /* a backslash at a line's end */
            status = w->part(w->context, from, (size_t)(*at - from), NULL, err);
            continue;
        }
        behind = read_name(from, name);
        if (!behind)
            return blame(w->f, err, from);
        const struct value *value = find(w->f->fill, name);
        *at = behind;
        if (value && value->count)
            status = w->part(w->context, NULL, 0, value, err);
        else
            w->f->left_out = true;
    }
    return status == RC_OK ? w->end(w->context, err) : status;
}

static int walk(const struct walk *w, const char *text, struct rc_error *err)
{
    int status = RC_OK;

    for (const char *at = text; *at && status == RC_OK;) {
        w->f->number++;
        w->f->left_out = false;
        while (*at && *at != '\n' && status == RC_OK) {
            at += strspn(at, " \t");
            if (*at && *at != '\n')
                status = walk_word(w, &at, err);
        }
        if (status == RC_OK)
            status = w->line(w->context, w->f->left_out, err);
        at += *at == '\n';
    }
    return status;
}

/* Words for a list. */
struct listing {
    struct rc_fill_words *words;
    size_t line_began;
    char *part; /* of the word at hand */
    size_t bytes;
    FILE *out;
    const struct value *several; /* words, each of which makes one of it */
    size_t before;               /* bytes of it in front of them */
};

static int list_part(void *context, const char *text, size_t bytes,
                     const struct value *value, struct rc_error *err)
{
    struct listing *l = context;

    if (!l->out && !(l->out = open_memstream(&l->part, &l->bytes)))
        return no_memory(err);
    if (value && value->count > 1) {
        fflush(l->out);
        l->several = value;
        l->before = l->bytes;
    }
    fprintf(l->out, "%.*s", value ? -1 : (int)bytes, value ? value->word[0] : text);
    return RC_OK;
}

/* Takes over 'word', which may be NULL. */
static int list_word(struct rc_fill_words *words, char *word, struct rc_error *err)
{
    if (!word ||
        rc_grow(&words->word, sizeof *words->word, words->count + 1, &words->room)) {
        free(word);
        return no_memory(err);
    }
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
    return RC_OK;
}

/* "--after=1", and "--after=2", "--after=3" behind it. */
static int list_others(struct listing *l, const char *first, struct rc_error *err)
{
    const struct value *value = l->several;
    int status = RC_OK;

    for (size_t i = 1; value && i < value->count && status == RC_OK; i++) {
        char *word = NULL;
        if (asprintf(&word, "%.*s%s%s", (int)l->before, first, value->word[i],
                     first + l->before + strlen(value->word[0])) < 0)
            word = NULL;
        status = list_word(l->words, word, err);
    }
    l->several = NULL;
    return status;
}

static int list_end(void *context, struct rc_error *err)
{
    struct listing *l = context;
    const bool failed = !l->out || fclose(l->out) != 0;
    char *word = l->part;

    l->out = NULL;
    l->part = NULL;
    if (failed && !word) /* a word that was a placeholder without a value only */
        return RC_OK;
    if (failed) {
        free(word);
        return no_memory(err);
    }
    int status = list_word(l->words, word, err);
    return status == RC_OK ? list_others(l, word, err) : status;
}

static int list_line(void *context, bool left_out, struct rc_error *err)
{
    struct listing *l = context;
    struct rc_fill_words *words = l->words;

    (void)err;
    while (left_out && words->count > l->line_began) {
        free(words->word[--words->count]);
        words->word[words->count] = NULL;
    }
    l->line_began = words->count;
    return RC_OK;
}

static int expect_words(size_t count, const char *where, struct rc_error *err)
{
    return count
               ? RC_OK
               : rc_fail(err, RC_EUSAGE, "%s: expected the words of a command", where);
}

int rc_fill_words(const struct rc_fill *fill, const char *where, const char *text,
                  struct rc_fill_words *out, struct rc_error *err)
{
    struct filling f = {.fill = fill, .where = where};
    struct listing l = {.words = out};
    const struct walk w = {&f, list_part, list_end, list_line, &l};

    *out = (struct rc_fill_words){0};
    int status = walk(&w, text, err);
    if (l.out)
        fclose(l.out);
    free(l.part);
    if (status == RC_OK)
        status = expect_words(out->count, where, err);
    if (status != RC_OK)
        rc_fill_words_fini(out);
    return status;
}

/* Words for a shell: those of a line wait for its end. */
struct spelling {
    FILE *out, *line;
    char *text;
    size_t bytes, words;
};

static int spell_part(void *context, const char *text, size_t bytes,
                      const struct value *value, struct rc_error *err)
{
    struct spelling *s = context;

    if (!s->line && !(s->line = open_memstream(&s->text, &s->bytes)))
        return no_memory(err);
    for (size_t i = 0; value && i < value->count; i++) {
        if (i)
            fputc(' ', s->line);
        if (value->raw)
            fputs(value->word[i], s->line);
        else
            rc_fill_quote(value->word[i], s->line);
    }
    if (value)
        return RC_OK;
    char *copy = strndup(text, bytes);
    if (!copy)
        return no_memory(err);
    rc_fill_quote(copy, s->line);
    free(copy);
    return RC_OK;
}

static int spell_end(void *context, struct rc_error *err)
{
    struct spelling *s = context;

    (void)err;
    if (s->line)
        fputc(' ', s->line);
    return RC_OK;
}

static int spell_line(void *context, bool left_out, struct rc_error *err)
{
    struct spelling *s = context;
    const bool failed = s->line && fclose(s->line) != 0;

    if (!failed && s->line && !left_out) {
        s->text[s->bytes - 1] = '\0'; /* the blank behind the last word */
        fprintf(s->out, "%s%s", s->words++ ? " " : "", s->text);
    }
    s->line = NULL;
    free(s->text);
    s->text = NULL;
    return failed ? no_memory(err) : RC_OK;
}

int rc_fill_command(const struct rc_fill *fill, const char *where, const char *text,
                    FILE *out, struct rc_error *err)
{
    struct filling f = {.fill = fill, .where = where};
    struct spelling s = {.out = out};
    const struct walk w = {&f, spell_part, spell_end, spell_line, &s};
    int status = walk(&w, text, err);

    if (s.line)
        fclose(s.line);
    free(s.text);
    return status == RC_OK ? expect_words(s.words, where, err) : status;
}
