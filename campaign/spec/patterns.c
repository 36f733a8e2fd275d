/* Patterns of events, in the order in which they take names in and out.
 *
 * The last pattern that matches a name decides about it.  Lists may hold every event of
 * a machine by name, so names are looked up in a map, and only the patterns that are
 * globs are tried one by one, from the last.
 */
#include "campaign/spec/patterns.h"

#include "campaign/base/file.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)256 << 20)

/* The name or glob of an item, behind its "!". */
static const char *body(const char *item)
{
    return item + (item[0] == '!');
}

static bool is_body_of(const void *patterns, size_t item, const void *name)
{
    return strcmp(body(((const struct rc_patterns *)patterns)->item[item]), name) == 0;
}

/* The last item that is this name and no glob, or RC_MAP_NONE. */
static size_t find_name(const struct rc_patterns *p, const char *name)
{
    return rc_map_find(&p->by_name, p, rc_text_hash(name), name);
}

static int fail_memory(const struct rc_patterns *p, struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for more than %zu patterns", p->count);
}

static int add_one(struct rc_patterns *p, const char *text, const char **expected,
                   struct rc_error *err)
{
    if (!*body(text)) {
        *expected = "a pattern: GLOB, !GLOB or @FILE";
        return RC_EUSAGE;
    }
    if (rc_grow(&p->item, sizeof *p->item, p->count, &p->room))
        return fail_memory(p, err);
    char *copy = strdup(text);
    if (!copy)
        return fail_memory(p, err);
    const size_t item = p->count++;
    const char *name = body(copy);
    p->item[item] = copy;
    if (strpbrk(name, "*?[\\")) {
        if (rc_grow(&p->glob, sizeof *p->glob, p->glob_count, &p->glob_room))
            return fail_memory(p, err);
        p->glob[p->glob_count++] = item;
        return RC_OK;
    }
    p->by_name.same = is_body_of;
    return rc_map_put(&p->by_name, p, rc_text_hash(name), name, item)
               ? fail_memory(p, err)
               : RC_OK;
}

/* A pattern a line; empty lines and those that begin with '#' are none.  A file that
 * names another one is refused.
 */
static int add_lines(struct rc_patterns *p, const char *path, char *text,
                     struct rc_error *err)
{
    size_t number = 1;

    for (char *line; (line = strsep(&text, "\n")); number++) {
        line[strcspn(line, "\r")] = 0;
        line += strspn(line, " \t");
        if (!*line || *line == '#')
            continue;
        const char *expected = "GLOB or !GLOB";
        const int status = *line == '@' ? RC_EUSAGE : add_one(p, line, &expected, err);
        if (status == RC_EUSAGE)
            return rc_fail(err, status, "%s:%zu: '%s', expected %s", path, number, line,
                           expected);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* The patterns of a file stand in the list as if they had been given one by one. */
int rc_patterns_add(struct rc_patterns *patterns, const char *text,
                    const char **expected, struct rc_error *err)
{
    const char *path = text + 1;
    const size_t before = patterns->count;
    char *lines;
    size_t bytes;

    *expected = NULL;
    if (text[0] != '@')
        return add_one(patterns, text, expected, err);
    int status = rc_file_read(path, RC_FILE_GIVEN, FILE_BYTES_MAX, &lines, &bytes, err);
    if (status != RC_OK)
        return status;
    if (strlen(lines) != bytes)
        status =
            rc_fail(err, RC_EUSAGE,
                    "%s: holds a NUL character, expected patterns, a line each", path);
    else if ((status = add_lines(patterns, path, lines, err)) == RC_OK &&
             patterns->count == before)
        status =
            rc_fail(err, RC_EUSAGE, "%s: holds no pattern, expected one a line", path);
    free(lines);
    return status;
}

int rc_patterns_read(struct rc_patterns *patterns, const struct rc_args *args,
                     const struct rc_option *option, struct rc_error *err)
{
    for (size_t i = 0; i < args->given_count; i++) {
        const char *expected = NULL, *text = args->given[i].value;
        if (args->given[i].option != option)
            continue;
        const int status = rc_patterns_add(patterns, text, &expected, err);
        if (status != RC_OK)
            return expected ? rc_fail(err, RC_EUSAGE, "--%s %s: expected %s",
                                      option->name, text, expected)
                            : status;
    }
    return RC_OK;
}

void rc_patterns_fini(struct rc_patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        free(patterns->item[i]);
    free(patterns->item);
    free(patterns->glob);
    rc_map_fini(&patterns->by_name);
    *patterns = (struct rc_patterns){0};
}

bool rc_patterns_take(const struct rc_patterns *patterns, const char *name)
{
    const struct rc_patterns *p = patterns;

    if (p->count == 0)
        return true;
    size_t last = find_name(p, name) + 1; /* 1 + index of the last item that matches */
    for (size_t g = p->glob_count; g-- > 0 && p->glob[g] >= last;)
        if (rc_text_glob(body(p->item[p->glob[g]]), name)) {
            last = p->glob[g] + 1;
            break;
        }
    return last ? p->item[last - 1][0] != '!' : p->item[0][0] == '!';
}

/* Notes which items match the name; of items that are this very name, the last one. */
void rc_patterns_note(const struct rc_patterns *patterns, const char *name, bool *used)
{
    const struct rc_patterns *p = patterns;

    for (size_t g = 0; g < p->glob_count; g++)
        used[p->glob[g]] =
            used[p->glob[g]] || rc_text_glob(body(p->item[p->glob[g]]), name);
    const size_t last = find_name(p, name);
    if (last != RC_MAP_NONE)
        used[last] = true;
}

bool rc_patterns_is_noted(const struct rc_patterns *patterns, size_t item,
                          const bool *used)
{
    const size_t last = find_name(patterns, body(patterns->item[item]));

    return used[item] || (last != RC_MAP_NONE && used[last]);
}
