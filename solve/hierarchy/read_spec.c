/* Reads METRICS.SPEC, which defined metrics for KOJAK and Scalasca 1 by statements
 *
 *     measure NAME = COUNTER          aggroup NAME = C1 C2 ...
 *     compose NAME = A + B + ...      compute NAME = A - B + ...
 *
 * one a line; '#' begins a comment.  A '$' in a name is dropped: DATA_HIT_L1$.
 */
#include "solve/hierarchy/parts.h"

#include "campaign/base/text.h"
#include "campaign/base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 8192, COLUMNS_MOST = 2 * LINE_MOST };
enum statement { MEASURE, AGGROUP, COMPOSE, COMPUTE };
static const char *const keywords[] = {[MEASURE] = "measure",
                                       [AGGROUP] = "aggroup",
                                       [COMPOSE] = "compose",
                                       [COMPUTE] = "compute",
                                       NULL};

struct reader {
    struct rc_hierarchies *all;
    const char *name;
    size_t line;
    char where[256];
    struct rc_error *err;
};

/* Copies the line up to a comment, with blanks around operators that no name has,
 * without '$'; *length includes the line's end.
 */
static bool put_line(const char *at, size_t bytes, char *out, size_t *length)
{
    const char *end = memchr(at, '\n', bytes);
    size_t used = 0;

    *length = end ? (size_t)(end - at) + 1 : bytes;
    for (size_t i = 0; i < *length && at[i] != '\n' && at[i] != '#'; i++) {
        if (i == LINE_MOST)
            return false;
        const bool apart = at[i] && strchr("+*/=()", at[i]);
        if (at[i] == '$')
            continue;
        if (apart)
            out[used++] = ' ';
        out[used++] = at[i];
        if (!at[i] || at[i] == '\t' || at[i] == '\r')
            out[used - 1] = ' ';
        if (apart)
            out[used++] = ' ';
    }
    out[used] = 0;
    return true;
}

/* The next word at '*at', ended by a 0; NULL: there is none. */
static char *next_word(char **at)
{
    return strtok_r(NULL, " ", at);
}

bool rc_hierarchy_is_spec(const char *text, size_t bytes)
{
    size_t at = 0;

    while (at < bytes) {
        const char *end = memchr(text + at, '\n', bytes - at);
        const size_t behind = end ? (size_t)(end - text) + 1 : bytes;
        while (at < behind && strchr(" \t\r\n", text[at]))
            at++;
        if (at < behind && text[at] != '#')
            break;
        at = behind;
    }
    for (size_t i = 0; keywords[i]; i++) {
        const size_t length = strlen(keywords[i]);
        if (bytes - at > length && strncmp(text + at, keywords[i], length) == 0 &&
            strchr(" \t", text[at + length]))
            return true;
    }
    return false;
}

/* The item of that name in this file, added where it is new. */
static struct rc_hierarchy_item *item_of(struct reader *r, const char *name,
                                         int *status)
{
    struct rc_hierarchies *all = r->all;
    const size_t file = all->file_count - 1;
    const struct rc_hierarchy_item item = {.name = rc_arena_text(&all->arena, name),
                                           .where =
                                               rc_arena_text(&all->arena, r->where),
                                           .hierarchy = "counters"};

    for (size_t i = all->count; i-- > 0 && all->item[i].file == file;)
        if (strcmp(all->item[i].name, name) == 0)
            return &all->item[i];
    *status = rc_hierarchies_add(all, &item, r->err);
    return *status ? NULL : &all->item[all->count - 1];
}

static int fail_twice(struct reader *r, const char *name, enum statement what,
                      const char *before)
{
    return rc_fail(r->err, RC_EUSAGE,
                   "%s: '%s' of '%.80s' a second time, first at %s, expected it once",
                   r->where, keywords[what], name, before);
}

/* Reads "C1 C2 ...": names without operators. */
static int read_group(struct reader *r, const char *name, char *rest)
{
    struct rc_hierarchies *all = r->all;
    char sum[3 * LINE_MOST] = "";
    struct rc_error why = {.rank = -1};
    struct rc_hierarchy_group group = {.name = rc_arena_text(&all->arena, name)};

    for (char *word = next_word(&rest); word; word = next_word(&rest))
        rc_text_append(sum, sizeof sum, "%s%s", sum[0] ? " + " : "", word);
    const int status =
        rc_hierarchy_read_sum(&all->arena, sum, false, &group.counters, &why);
    if (status != RC_OK)
        return rc_fail(r->err, (enum rc_status)status, "%s: aggroup: %s", r->where,
                       why.text);
    for (size_t g = 0; g < all->group_count; g++)
        if (strcmp(all->group[g].name, name) == 0)
            return fail_twice(r, name, AGGROUP, "a line before");
    if (all->group_count == RC_HIERARCHY_NODES_MAX)
        return rc_fail(r->err, RC_EUSAGE, "%s: more than %d groups, expected fewer",
                       r->where, RC_HIERARCHY_NODES_MAX);
    if (rc_grow(&all->group, sizeof *all->group, all->group_count, &all->group_room))
        return rc_fail(r->err, RC_ENOMEM, "no memory for groups");
    all->group[all->group_count++] = group;
    return RC_OK;
}

static int read_measure(struct reader *r, struct rc_hierarchy_item *item, char *rest)
{
    const char *counter = next_word(&rest), *more = next_word(&rest);
    const char *problem = counter ? rc_hierarchy_name_wrong(counter) : NULL;

    if (!counter || more || problem)
        return rc_fail(r->err, RC_EUSAGE,
                       "%s: measure: found '%.60s', expected one counter and no "
                       "operator",
                       r->where,
                       !counter ? ""
                       : more   ? more
                                : counter);
    if (item->event_count)
        return fail_twice(r, item->name, MEASURE, item->where);
    const char **event = rc_arena_array(&r->all->arena, 1, sizeof *event);
    if (!event)
        return rc_fail(r->err, RC_ENOMEM, "no memory for a counter");
    event[0] = rc_arena_text(&r->all->arena, counter);
    item->event = event;
    item->event_count = 1;
    return RC_OK;
}

/* Reads a sum, or a formula where '*', '/' or parentheses occur. */
static int read_compute(struct reader *r, struct rc_hierarchy_item *item, char *rest)
{
    char formula[COLUMNS_MOST] = "", sum[COLUMNS_MOST] = "";
    struct rc_error why = {.rank = -1};
    struct rc_expression *made = NULL;
    bool linear = true;
    double number;
    int status;

    if (item->difference.count || item->formula)
        return fail_twice(r, item->name, COMPUTE, item->where);
    for (char *word = next_word(&rest); word; word = next_word(&rest)) {
        const bool bare = (word[0] && !word[1] && strchr("+-*/()", word[0])) ||
                          rc_text_real(word, &number) == 0;
        if (!bare && rc_hierarchy_name_wrong(word))
            return rc_fail(r->err, RC_EUSAGE, "%s: compute: '%.60s', %s", r->where,
                           word, rc_hierarchy_name_wrong(word));
        linear = linear && !(word[0] && !word[1] && strchr("*/()", word[0]));
        rc_text_append(sum, sizeof sum, " %s", word);
        rc_text_append(formula, sizeof formula, bare ? " %s" : " [%s]", word);
    }
    if (linear)
        status =
            rc_hierarchy_read_sum(&r->all->arena, sum, true, &item->difference, &why);
    else {
        status = rc_expression_create(formula, false, &made, &why);
        rc_expression_close(made);
        item->formula = rc_arena_text(&r->all->arena, formula + 1);
    }
    if (status != RC_OK)
        return rc_fail(r->err, (enum rc_status)status, "%s: compute: %s", r->where,
                       why.text);
    return RC_OK;
}

static int read_statement(struct reader *r, char *line)
{
    struct rc_error why = {.rank = -1};
    char *rest = NULL;
    const char *word = strtok_r(line, " ", &rest);
    int status = RC_OK;

    if (!word)
        return RC_OK;
    snprintf(r->where, sizeof r->where, "%.200s:%zu", r->name, r->line);
    const int what = rc_word_find(word, keywords);
    if (what < 0)
        return rc_fail(r->err, RC_EUSAGE,
                       "%s: '%.60s', expected measure, aggroup, compose or compute",
                       r->where, word);
    const char *name = next_word(&rest);
    const char *equals = name ? next_word(&rest) : NULL;
    const char *problem = name ? rc_hierarchy_name_wrong(name) : NULL;
    if (!equals || strcmp(equals, "=") != 0 || problem)
        return rc_fail(r->err, RC_EUSAGE,
                       "%s: %s: found '%.60s', expected NAME = ...%s%s", r->where,
                       keywords[what], name ? name : "", problem ? ", and " : "",
                       problem ? problem : "");
    if (what == AGGROUP)
        return read_group(r, name, rest);
    struct rc_hierarchy_item *item = item_of(r, name, &status);
    if (!item)
        return status;
    if (what == MEASURE)
        return read_measure(r, item, rest);
    if (what == COMPUTE)
        return read_compute(r, item, rest);
    if (item->sum.count)
        return fail_twice(r, name, COMPOSE, item->where);
    status = rc_hierarchy_read_sum(&r->all->arena, rest, false, &item->sum, &why);
    return status ? rc_fail(r->err, (enum rc_status)status, "%s: compose: %s", r->where,
                            why.text)
                  : RC_OK;
}

int rc_hierarchies_read_spec(struct rc_hierarchies *all, const char *name,
                             const char *text, size_t bytes, struct rc_error *err)
{
    struct reader r = {.all = all, .name = name, .err = err};
    char *line = rc_calloc(1, 3 * LINE_MOST + 1);
    size_t length;
    int status = RC_OK;

    if (!line)
        return rc_fail(err, RC_ENOMEM, "no memory for a line");
    for (size_t at = 0; at < bytes; at += length) {
        r.line++;
        if (put_line(text + at, bytes - at, line, &length))
            status = read_statement(&r, line);
        else
            status = rc_fail(err, RC_EUSAGE,
                             "%.200s:%zu: a line of more than %d bytes, expected a "
                             "statement of METRICS.SPEC",
                             name, r.line, LINE_MOST);
        if (status != RC_OK)
            break;
    }
    free(line);
    return status;
}

struct conversion {
    const struct rc_hierarchies *all;
    const char *hierarchy;
    const char **name; /* of the nodes, in order */
    bool any;          /* a counter was written */
};

/* Writes a name of a sum unless it is a node's. */
static void put_counter(FILE *out, struct conversion *c, const char *name)
{
    if (bsearch(&name, c->name, c->all->count, sizeof *c->name, rc_order_texts))
        return;
    fprintf(out, "%s- \"%s\"\n", c->any ? "" : "events:\n", name);
    c->any = true;
}

static void put_counters(FILE *out, struct conversion *c,
                         const struct rc_hierarchy_item *item)
{
    struct rc_expression *formula = NULL;
    struct rc_error ignored = {.rank = -1};

    for (size_t o = 0; o < item->sum.count; o++)
        put_counter(out, c, item->sum.operand[o].name);
    for (size_t o = 0; o < item->difference.count; o++)
        put_counter(out, c, item->difference.operand[o].name);
    if (!item->formula ||
        rc_expression_create(item->formula, false, &formula, &ignored))
        return;
    for (size_t i = 0; i < formula->name_count; i++)
        put_counter(out, c, formula->name[i].text);
    rc_expression_close(formula);
}

static void put_sum(FILE *out, const char *key, const struct rc_hierarchy_sum *sum)
{
    if (sum->count)
        fprintf(out, "  %s: \"", key);
    for (size_t o = 0; o < sum->count; o++) {
        const double factor = sum->operand[o].factor;
        fputs(o == 0 ? "" : factor < 0 ? " - " : " + ", out);
        if (factor != 1 && factor != -1)
            fprintf(out, "%.17g ", factor < 0 ? -factor : factor);
        fputs(sum->operand[o].name, out);
    }
    fputs(sum->count ? "\"\n" : "", out);
}

static int write_conversion(FILE *out, void *context, struct rc_error *err)
{
    struct conversion *c = context;
    const struct rc_hierarchies *all = c->all;

    (void)err;
    fprintf(out, "hierarchy: \"%s\"\n", c->hierarchy);
    for (size_t g = 0; g < all->group_count; g++) {
        fprintf(out, "# one run, %s:", all->group[g].name);
        for (size_t i = 0; i < all->group[g].counters.count; i++)
            fprintf(out, " %s", all->group[g].counters.operand[i].name);
        fputc('\n', out);
    }
    c->any = false;
    for (size_t i = 0; i < all->count; i++)
        put_counters(out, c, &all->item[i]);
    fputs(all->count ? "nodes:\n" : "nodes: []\n", out);
    for (size_t i = 0; i < all->count; i++) {
        const struct rc_hierarchy_item *item = &all->item[i];
        fprintf(out, "- node: \"%s\"\n", item->name);
        put_sum(out, "sum", &item->sum);
        put_sum(out, "difference", &item->difference);
        if (item->event_count)
            fprintf(out, "  event: \"%s\"\n", item->event[0]);
        if (item->formula)
            fprintf(out, "  formula: \"%s\"\n", item->formula);
    }
    return RC_OK;
}

int rc_hierarchy_convert(const char *name, const char *text, size_t bytes,
                         const char *hierarchy, char **out, size_t *out_bytes,
                         struct rc_error *err)
{
    struct rc_hierarchies all = {0};
    struct conversion c = {.all = &all, .hierarchy = hierarchy};
    const struct rc_file_writer writer = {write_conversion, &c};
    int status = RC_EUSAGE;

    *out = NULL;
    if (rc_hierarchy_name_wrong(hierarchy))
        return rc_fail(err, RC_EUSAGE, "'%.60s': %s", hierarchy,
                       rc_hierarchy_name_wrong(hierarchy));
    all.file = rc_calloc(1, sizeof *all.file);
    all.file_count = 1;
    if (!all.file)
        return rc_fail(err, RC_ENOMEM, "no memory for hierarchies");
    if ((status = rc_hierarchies_read_spec(&all, name, text, bytes, err)) == RC_OK &&
        (status = rc_arena_check(&all.arena, err, "hierarchies")) == RC_OK) {
        c.name = rc_arena_array(&all.arena, all.count, sizeof *c.name);
        for (size_t i = 0; c.name && i < all.count; i++)
            c.name[i] = all.item[i].name;
        if (c.name)
            qsort(c.name, all.count, sizeof *c.name, rc_order_texts);
        status = rc_arena_check(&all.arena, err, "hierarchies");
    }
    if (status == RC_OK)
        status = rc_file_to_memory(out, out_bytes, &writer, err);
    free(all.item);
    free(all.file);
    free(all.group);
    rc_arena_free(&all.arena);
    return status;
}
