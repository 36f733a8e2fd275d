/* Patterns of events, in the order in which they include and exclude names.
 *
 * The last pattern that matches a name decides about it.  Lists may hold every event of
 * a machine by name, so names are looked up in a map, and only the patterns that are
 * globs are tried one by one, from the last.
 */
#include "campaign/spec/patterns.h"

#include "campaign/base/files/file.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)256 << 20)

/* The name or glob of an item, after its "!". */
static const char *body(const char *item)
{
    return item + (item[0] == '!');
}

/* A name, or the first 'length' bytes of one. */
struct key {
    const char *name;
    size_t length;
};

static bool is_body_of(const void *patterns, size_t item, const void *key)
{
    const struct key *k = key;
    const char *name = body(((const struct rc_patterns *)patterns)->item[item]);

    return strncasecmp(name, k->name, k->length) == 0 && !name[k->length];
}

/* The hash with one more letter: upper and lower case hash alike. */
static uint64_t hash_more(uint64_t hash, char letter)
{
    const unsigned char small = (unsigned char)tolower((unsigned char)letter);

    return rc_text_hash_more(hash, &small, 1);
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash = rc_text_hash("");

    for (; *name; name++)
        hash = hash_more(hash, *name);
    return hash;
}

/* The last item that is this name and not a glob, or RC_MAP_NONE. */
static size_t find_name(const struct rc_patterns *p, const char *name)
{
    if (p->count == p->glob_count)
        return RC_MAP_NONE;
    return rc_map_find(&p->by_name, p, hash_of(name),
                       &(struct key){name, strlen(name)});
}

/* Calls 'take' with each item, not a glob, that is a proper prefix of the name. */
static void each_beginning(const struct rc_patterns *p, const char *name,
                           void (*take)(const struct rc_patterns *p, size_t item,
                                        void *to),
                           void *to)
{
    uint64_t hash = rc_text_hash("");
    struct key key = {name, 0};

    for (; p->count > p->glob_count && name[key.length]; key.length++) {
        const size_t item =
            key.length ? rc_map_find(&p->by_name, p, hash, &key) : RC_MAP_NONE;
        if (item != RC_MAP_NONE)
            take(p, item, to);
        hash = hash_more(hash, name[key.length]);
    }
}

static int add_one(struct rc_patterns *p, const char *text, const char **expected,
                   struct rc_error *err)
{
    const size_t item = p->count;
    char *copy = NULL;

    if (!*body(text)) {
        *expected = "a pattern: GLOB, !GLOB or @FILE";
        return RC_EUSAGE;
    }
    int failed = rc_grow(&p->item, sizeof *p->item, p->count, &p->room) ||
                 rc_grow(&p->glob, sizeof *p->glob, p->glob_count, &p->glob_room) ||
                 !(copy = strdup(text));
    if (!failed) {
        const char *name = body(copy);
        p->item[p->count++] = copy;
        p->by_name.same = is_body_of;
        if (strpbrk(name, "*?[\\"))
            p->glob[p->glob_count++] = item;
        else
            failed = rc_map_put(&p->by_name, p, hash_of(name),
                                &(struct key){name, strlen(name)}, item);
    }
    return failed
               ? rc_fail(err, RC_ENOMEM, "no memory for more than %zu patterns", item)
               : RC_OK;
}

/* Adds a pattern for each line, except for empty lines and those that begin with '#'.
 * A file that names another one is refused.
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

/* The patterns of a file are added as if they were given one by one. */
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
                    "%s: holds a NUL character, expected patterns, one per line", path);
    else if ((status = add_lines(patterns, path, lines, err)) == RC_OK &&
             patterns->count == before)
        status = rc_fail(err, RC_EUSAGE, "%s: holds no pattern, expected one per line",
                         path);
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

static void take_last(const struct rc_patterns *p, size_t item, void *to)
{
    size_t *last = to; /* 1 + index of the last item that matches */

    if (p->begins[item] && item >= *last)
        *last = item + 1;
}

bool rc_patterns_take(const struct rc_patterns *patterns, const char *name)
{
    const struct rc_patterns *p = patterns;

    if (p->count == 0)
        return true;
    size_t last = find_name(p, name) + 1;
    if (p->begins)
        each_beginning(p, name, take_last, &last);
    for (size_t g = p->glob_count; g-- > 0 && p->glob[g] >= last;)
        if (rc_text_glob_any_case(body(p->item[p->glob[g]]), name)) {
            last = p->glob[g] + 1;
            break;
        }
    return last ? p->item[last - 1][0] != '!' : p->item[0][0] == '!';
}

static void note_positive(const struct rc_patterns *p, size_t item, void *to)
{
    if (p->item[item][0] != '!')
        *(bool *)to = true;
}

bool rc_patterns_may_take(const struct rc_patterns *patterns, const char *name)
{
    bool may = rc_patterns_take(patterns, name);

    if (!may)
        each_beginning(patterns, name, note_positive, &may);
    return may;
}

static void note_beginning(const struct rc_patterns *p, size_t item, void *to)
{
    bool *used = to;

    used[item] = used[item] || p->begins[item];
}

/* Notes the items that match the name; of items that are this very name, only the last
 * one.
 */
void rc_patterns_note(const struct rc_patterns *patterns, const char *name, bool *used)
{
    const struct rc_patterns *p = patterns;

    for (size_t g = 0; g < p->glob_count; g++)
        used[p->glob[g]] =
            used[p->glob[g]] || rc_text_glob_any_case(body(p->item[p->glob[g]]), name);
    const size_t last = find_name(p, name);
    if (last != RC_MAP_NONE)
        used[last] = true;
    if (p->begins)
        each_beginning(p, name, note_beginning, used);
}

void rc_patterns_widen(struct rc_patterns *patterns, const bool *used, bool *begins)
{
    for (size_t i = 0; i < patterns->count; i++)
        begins[i] = !rc_patterns_is_noted(patterns, i, used);
    patterns->begins = begins;
}

/* The longest literal run of a pattern, cut to PIECE - 1 bytes. */
enum { PIECE = 64 };

static void find_piece(const char *pattern, char piece[PIECE])
{
    size_t best = 0;

    piece[0] = 0;
    for (const char *at = pattern; *at;) {
        const size_t length = strcspn(at, "*?[]\\");
        if (length > best) {
            best = length;
            snprintf(piece, PIECE, "%.*s", (int)(length < PIECE ? length : PIECE - 1),
                     at);
        }
        at += length + (at[length] != 0);
    }
}

bool rc_patterns_is_nearer(const struct rc_patterns *patterns, size_t item,
                           const char *best, const char *name)
{
    enum { LEAST = 3 }; /* shorter pieces are near to nothing */
    const char *behind = strstr(name, "::");
    char piece[PIECE], cut[3][PIECE];

    find_piece(body(patterns->item[item]), piece);
    const size_t length = strlen(piece);
    if (length < LEAST || (best && strcasestr(best, piece)))
        return false;
    if (strcasestr(name, piece))
        return true;
    /* Prefixes as long as the piece: of the best so far, of the name, and of the name
     * without its PMU.
     */
    snprintf(cut[0], PIECE, "%.*s", (int)length, best ? best : name);
    snprintf(cut[1], PIECE, "%.*s", (int)length, name);
    snprintf(cut[2], PIECE, "%.*s", (int)length, behind ? behind + 2 : name);
    const char *const names[] = {cut[0], cut[1], cut[2], NULL};
    const int nearest = rc_text_nearest(piece, best ? names : names + 1);
    return best ? nearest > 0 : nearest >= 0;
}

bool rc_patterns_is_noted(const struct rc_patterns *patterns, size_t item,
                          const bool *used)
{
    const size_t last = find_name(patterns, body(patterns->item[item]));

    return used[item] || (last != RC_MAP_NONE && used[last]);
}
