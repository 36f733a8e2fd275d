/* Which column is compared with which.
 *
 * A kind is compared with the same kind of the earliest campaign that has it; else with
 * one that differs only in its set of counters; else with the first column of all.
 * Within one campaign only different kinds can be compared.
 */
#include "campaign/compare/parts.h"

#include <stdlib.h>
#include <string.h>

/* "A" to "Z", then "AA" and so on, as columns of a spreadsheet. */
static void put_label(char *out, size_t number)
{
    char reversed[RC_COMPARE_LABEL];
    size_t length = 0;

    for (size_t n = number + 1; n > 0 && length + 1 < sizeof reversed; n = (n - 1) / 26)
        reversed[length++] = (char)('A' + (n - 1) % 26);
    for (size_t i = 0; i < length; i++)
        out[i] = reversed[length - 1 - i];
    out[length] = 0;
}

/* Kinds without keys are the same if their names are. */
static bool is_same_kind(const struct rc_store_kind *a, const struct rc_store_kind *b)
{
    return a->key[0] || b->key[0] ? strcmp(a->key, b->key) == 0
                                  : strcmp(a->name, b->name) == 0;
}

/* Length of a key without its set of counters, which is at its end: a new kernel or
 * library changes that, but not the machine. 0: it has none.
 */
static size_t machine_length(const char *key)
{
    const char *counters = strstr(key, "; counters=");

    return counters ? (size_t)(counters - key) : 0;
}

/* The same except for the set of counters. */
static bool is_same_machine(const struct rc_store_kind *a,
                            const struct rc_store_kind *b)
{
    const size_t length = machine_length(a->key);

    return length > 0 && length == machine_length(b->key) &&
           memcmp(a->key, b->key, length) == 0;
}

struct search {
    const struct rc_compare_column *column;
    const size_t *operand; /* [column] */
    size_t at;             /* the column that needs a reference */
    bool alone;            /* all columns are of one campaign */
};

/* The first column of an earlier campaign whose kind is alike, or RC_COMPARE_NONE. */
static size_t find_column(const struct search *s,
                          bool (*alike)(const struct rc_store_kind *a,
                                        const struct rc_store_kind *b))
{
    for (size_t i = 0; i < s->at && s->operand[i] < s->operand[s->at]; i++)
        if (alike(s->column[i].kind, s->column[s->at].kind))
            return i;
    return RC_COMPARE_NONE;
}

/* Lists kinds of the first campaign that later ones do not have: no column of theirs is
 * compared with them.
 */
static int find_absent(struct rc_compare *compare, const size_t *operand,
                       struct rc_error *err)
{
    const size_t count = compare->column_count;

    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && operand[end] == operand[first];)
            end++;
        for (size_t i = 0; i < first && operand[i] == operand[0]; i++) {
            size_t c = first;
            while (c < end && compare->column[c].reference != i)
                c++;
            if (c < end)
                continue;
            if (rc_grow(&compare->absent, sizeof *compare->absent,
                        compare->absent_count, &compare->absent_room))
                return rc_fail(err, RC_ENOMEM, "no memory for %zu kinds",
                               compare->absent_count);
            compare->absent[compare->absent_count++] = (struct rc_compare_absence){
                .column = i, .path = compare->column[first].path};
        }
    }
    return RC_OK;
}

int rc_compare_relate(struct rc_compare *compare, const size_t *operand,
                      bool as_one_kind, struct rc_error *err)
{
    const size_t count = compare->column_count;
    const bool alone = count == 0 || operand[count - 1] == operand[0];

    for (size_t i = 0; i < count; i++) {
        const struct search s = {compare->column, operand, i, alone};
        struct rc_compare_column *column = &compare->column[i];
        const size_t same = find_column(&s, is_same_kind);
        const size_t machine = find_column(&s, is_same_machine);
        put_label(column->label, i);
        /* The first rule that applies decides. */
        if (same != RC_COMPARE_NONE) {
            column->reference = same;
            column->relation = RC_RELATION_SAME;
        } else if (machine != RC_COMPARE_NONE) {
            column->reference = machine;
            column->relation = RC_RELATION_COUNTERS;
        } else if (as_one_kind && operand[i] != operand[0]) {
            /* The kind with this one's number in the first campaign, or else the first
             * column.
             */
            size_t number = 0;
            while (number < i && operand[i - number - 1] == operand[i])
                number++;
            column->reference = operand[number] == operand[0] ? number : 0;
            column->relation = RC_RELATION_TAKEN;
        } else if (i > 0 && (operand[i] != operand[0] || alone)) {
            column->reference = 0;
            column->relation = RC_RELATION_OTHER;
        } else {
            column->reference = RC_COMPARE_NONE;
            column->relation = RC_RELATION_FIRST;
        }
    }
    return find_absent(compare, operand, err);
}

void rc_compare_fini(struct rc_compare *compare)
{
    for (size_t i = 0; i < compare->column_count; i++)
        free(compare->column[i].group);
    free(compare->absent);
    rc_arena_free(&compare->arena);
    *compare = (struct rc_compare){0};
}
