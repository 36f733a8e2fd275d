/* Patterns of events, in the order in which they take names in and out. */
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

/* Where 'name' has its slot, or would have it. */
static size_t *slot_of(const struct rc_patterns *p, size_t *slots, size_t count,
                       const char *name)
{
    size_t i = (size_t)rc_text_hash(name) & (count - 1);

    while (slots[i] && strcmp(body(p->item[slots[i] - 1]), name) != 0)
        i = (i + 1) & (count - 1);
    return &slots[i];
}

static int more_slots(struct rc_patterns *p)
{
    size_t count = p->slot_count ? p->slot_count * 2 : 64;
    size_t *slots = rc_calloc(count, sizeof *slots);

    if (!slots)
        return -1;
    for (size_t i = 0; i < p->slot_count; i++)
        if (p->slot[i])
            *slot_of(p, slots, count, body(p->item[p->slot[i] - 1])) = p->slot[i];
    free(p->slot);
    p->slot = slots;
    p->slot_count = count;
    return 0;
}

static int index_item(struct rc_patterns *p, size_t item)
{
    const char *name = body(p->item[item]);

    if (strpbrk(name, "*?[\\")) {
        if (rc_grow(&p->glob, sizeof *p->glob, p->glob_count, &p->glob_room))
            return -1;
        p->glob[p->glob_count++] = item;
        return 0;
    }
    if (p->names * 2 >= p->slot_count && more_slots(p))
        return -1;
    size_t *slot = slot_of(p, p->slot, p->slot_count, name);
    p->names += *slot == 0;
    *slot = item + 1;
    return 0;
}

static int no_memory(const struct rc_patterns *p, struct rc_error *err)
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
        return no_memory(p, err);
    char *copy = strdup(text);
    if (!copy)
        return no_memory(p, err);
    p->item[p->count++] = copy;
    return index_item(p, p->count - 1) ? no_memory(p, err) : RC_OK;
}

static int add_line(struct rc_patterns *p, const char *path, size_t number,
                    const char *line, struct rc_error *err)
{
    const char *expected = "GLOB or !GLOB";
    int status = *line == '@' ? RC_EUSAGE : add_one(p, line, &expected, err);

    if (status == RC_EUSAGE)
        rc_fail(err, status, "%s:%zu: '%s', expected %s", path, number, line, expected);
    return status;
}

static int add_lines(struct rc_patterns *p, const char *path, char *text,
                     struct rc_error *err)
{
    size_t number = 1;
    int status = RC_OK;

    for (char *line = text, *end; line && status == RC_OK; line = end, number++) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        line[strcspn(line, "\r")] = 0;
        line += strspn(line, " \t");
        if (*line && *line != '#')
            status = add_line(p, path, number, line, err);
    }
    return status;
}

static int add_file(struct rc_patterns *p, const char *path, struct rc_error *err)
{
    char *text;
    size_t bytes;
    size_t before = p->count;
    int status = rc_file_read(path, RC_FILE_GIVEN, FILE_BYTES_MAX, &text, &bytes, err);

    if (status != RC_OK)
        return status;
    if (strlen(text) != bytes)
        status =
            rc_fail(err, RC_EUSAGE,
                    "%s: holds a NUL character, expected patterns, a line each", path);
    else
        status = add_lines(p, path, text, err);
    if (status == RC_OK && p->count == before)
        status =
            rc_fail(err, RC_EUSAGE, "%s: holds no pattern, expected one a line", path);
    free(text);
    return status;
}

int rc_patterns_add(struct rc_patterns *patterns, const char *text,
                    const char **expected, struct rc_error *err)
{
    *expected = NULL;
    return text[0] == '@' ? add_file(patterns, text + 1, err)
                          : add_one(patterns, text, expected, err);
}

void rc_patterns_fini(struct rc_patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        free(patterns->item[i]);
    free(patterns->item);
    free(patterns->glob);
    free(patterns->slot);
    *patterns = (struct rc_patterns){0};
}

bool rc_patterns_take(const struct rc_patterns *patterns, const char *name)
{
    const struct rc_patterns *p = patterns;
    size_t last = 0; /* 1 + index of the last item that matches */

    if (p->count == 0)
        return true;
    if (p->slot_count)
        last = *slot_of(p, p->slot, p->slot_count, name);
    for (size_t g = p->glob_count; g-- > 0 && p->glob[g] >= last;)
        if (rc_text_glob(body(p->item[p->glob[g]]), name)) {
            last = p->glob[g] + 1;
            break;
        }
    return last ? p->item[last - 1][0] != '!' : p->item[0][0] == '!';
}

/* Of items that name the same, the last has the slot. */
void rc_patterns_note(const struct rc_patterns *patterns, const char *name, bool *used)
{
    const struct rc_patterns *p = patterns;

    for (size_t g = 0; g < p->glob_count; g++)
        used[p->glob[g]] =
            used[p->glob[g]] || rc_text_glob(body(p->item[p->glob[g]]), name);
    if (p->slot_count && *slot_of(p, p->slot, p->slot_count, name))
        used[*slot_of(p, p->slot, p->slot_count, name) - 1] = true;
}

bool rc_patterns_is_noted(const struct rc_patterns *patterns, size_t item,
                          const bool *used)
{
    const struct rc_patterns *p = patterns;
    const size_t last =
        p->slot_count ? *slot_of(p, p->slot, p->slot_count, body(p->item[item])) : 0;

    return used[item] || (last && used[last - 1]);
}
