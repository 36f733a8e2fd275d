/* Ranges: the variables of one line of a machine file, and templates that name them.
 *
 * "core = 0..15" and "way = READ WRITE" are read into variables; the name
 * "pmu{core}::{way}" is rendered for one combination of them.  The longest value of
 * each variable is known, so that a template is checked once for its length and not
 * again for every event.
 */
#include "campaign/sources/model/range.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"
#define CONTROLS                                                                       \
    "\1\2\3\4\5\6\7\10\13\14\15\16\17\20\21\22\23\24\25\26\27\30\31\32\33\34\35\36"    \
    "\37\177"
#define VALUES_MAX ((uint64_t)1 << 24)
#define EXPECTED "expected 'NAME = FIRST..LAST' or 'NAME = WORD WORD ...'"

static size_t name_length(const char *text)
{
    size_t length = 0;

    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

static size_t digits_of(uint64_t value)
{
    size_t digits = 1;

    while (value >= 10) {
        value /= 10;
        digits++;
    }
    return digits;
}

/* "FIRST..LAST": the numbers; false where it is something else. */
static bool split_numbers(const char *text, uint64_t *first, uint64_t *last)
{
    const char *dots = strstr(text, "..");
    char low[24];

    if (!dots || (size_t)(dots - text) >= sizeof low)
        return false;
    memcpy(low, text, (size_t)(dots - text));
    low[dots - text] = 0;
    return !rc_text_count(low, first) && !rc_text_count(dots + 2, last);
}

/* "READ WRITE": the words of a variable, in their order.  Equal words would give equal
 * names of events: refused.
 */
static int read_words(struct rc_model_variable *v, struct rc_arena *arena,
                      const char *text, struct rc_error *err)
{
    char *words = rc_arena_array(arena, strlen(text) + 1, 1), *rest = NULL;
    const size_t most = (strlen(text) + 1) / 2;
    size_t count = 0;
    int status;

    v->word = rc_arena_array(arena, most, sizeof *v->word);
    if ((status = rc_arena_check(arena, err, "the words of a variable")) != RC_OK)
        return status;
    memcpy(words, text, strlen(text) + 1);
    for (char *word = strtok_r(words, BLANKS, &rest); word && count < most;
         word = strtok_r(NULL, BLANKS, &rest)) {
        v->word[count++] = word;
        if (word[strcspn(word, CONTROLS)])
            return rc_fail(err, RC_EUSAGE, "a control character in a word of '%s'",
                           v->name);
        if (strlen(word) > v->length_most)
            v->length_most = strlen(word);
    }
    if (count == 0)
        return rc_fail(err, RC_EUSAGE, "variable '%s' has no values, " EXPECTED,
                       v->name);
    v->count = (uint32_t)count; /* a file has at most 64 MiB */
    char **sorted = rc_arena_array(arena, count, sizeof *sorted);
    if ((status = rc_arena_check(arena, err, "the words of a variable")) != RC_OK)
        return status;
    memcpy(sorted, v->word, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, rc_order_texts);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return rc_fail(err, RC_EUSAGE, "variable '%s' has the word '%s' twice",
                           v->name, sorted[i]);
    return RC_OK;
}

static int find_variable(const struct rc_model_range *range, const char *name,
                         size_t length)
{
    for (size_t i = 0; i < range->count; i++)
        if (strlen(range->variable[i].name) == length &&
            memcmp(range->variable[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

/* Reads "NAME = VALUES", a variable that is not in 'range' yet. */
static int read_variable(const struct rc_model_range *range, struct rc_arena *arena,
                         struct rc_model_variable *v, const char *text,
                         struct rc_error *err)
{
    text += strspn(text, BLANKS);
    size_t length = name_length(text);
    const char *rest = text + length + strspn(text + length, BLANKS);
    uint64_t last = 0;

    if (length == 0 || *rest != '=')
        return rc_fail(err, RC_EUSAGE, "'%.40s' is not a variable, " EXPECTED, text);
    if (length >= sizeof v->name)
        return rc_fail(err, RC_EUSAGE,
                       "variable '%.40s...' has too long a name, expected at most %d "
                       "characters",
                       text, RC_MODEL_VARIABLE_NAME - 1);
    memcpy(v->name, text, length);
    if (find_variable(range, v->name, length) >= 0)
        return rc_fail(err, RC_EUSAGE, "variable '%s' is given twice", v->name);
    const char *values = rest + 1 + strspn(rest + 1, BLANKS);
    if (!split_numbers(values, &v->first, &last))
        return read_words(v, arena, values, err);
    if (last < v->first)
        return rc_fail(err, RC_EUSAGE,
                       "variable '%s' runs downwards, expected FIRST..LAST", v->name);
    if (last - v->first >= VALUES_MAX)
        return rc_fail(err, RC_EUSAGE,
                       "variable '%s' has too many values, expected at most %llu",
                       v->name, (unsigned long long)VALUES_MAX);
    v->count = (uint32_t)(last - v->first + 1);
    v->length_most = digits_of(last);
    return RC_OK;
}

int rc_model_range_read(struct rc_model_range *range, struct rc_arena *arena,
                        char *const *text, size_t count, struct rc_error *err)
{
    int status;

    if (count > RC_MODEL_VARIABLES_MAX)
        return rc_fail(err, RC_EUSAGE, "too many variables, expected at most %d",
                       RC_MODEL_VARIABLES_MAX);
    *range = (struct rc_model_range){
        .variable = rc_arena_array(arena, count, sizeof *range->variable)};
    if ((status = rc_arena_check(arena, err, "the variables of a range")) != RC_OK)
        return status;
    for (; range->count < count; range->count++)
        if ((status = read_variable(range, arena, &range->variable[range->count],
                                    text[range->count], err)) != RC_OK)
            return status;
    return RC_OK;
}

uint64_t rc_model_range_size(const struct rc_model_range *range)
{
    uint64_t size = 1;

    for (size_t i = 0; i < range->count; i++)
        if (__builtin_mul_overflow(size, range->variable[i].count, &size))
            return UINT64_MAX;
    return size;
}

void rc_model_range_at(const struct rc_model_range *range, uint64_t index,
                       struct rc_model_at *at)
{
    for (size_t i = range->count; i-- > 0;) {
        at->value[i] = (uint32_t)(index % range->variable[i].count);
        index /= range->variable[i].count;
    }
}

/* One step through a template: a character, or the variable at "{name}".
 * Returns how many characters of the template it took, 0 at the end or where
 * no variable has that name.
 */
static size_t step_template(const char *text, const struct rc_model_range *range,
                            int *variable)
{
    *variable = -1;
    if (*text != '{')
        return *text ? 1 : 0;
    if (text[1] == '{')
        return 2;
    size_t length = name_length(text + 1);
    *variable = find_variable(range, text + 1, length);
    return *variable >= 0 && text[1 + length] == '}' ? length + 2 : 0;
}

int rc_model_template_check(const char *text, const struct rc_model_range *range,
                            size_t most, uint32_t *used, struct rc_error *err)
{
    size_t length = 0, taken;
    int variable;

    *used = 0;
    while ((taken = step_template(text, range, &variable)) > 0) {
        length += variable >= 0 ? range->variable[variable].length_most : 1;
        if (variable >= 0)
            *used |= UINT32_C(1) << variable;
        text += taken;
    }
    if (*text)
        return rc_fail(err, RC_EUSAGE,
                       "'%.40s' names no variable of 'for' (a brace itself is '{{')",
                       text);
    if (length > most)
        return rc_fail(err, RC_EUSAGE, "text of %zu characters, expected at most %zu",
                       length, most);
    return RC_OK;
}

/* Writes a value without a 0 after it; returns its length.  No printf(): millions of
 * names are rendered.
 */
static size_t put_value(const struct rc_model_variable *v, uint32_t value, char *out)
{
    if (v->word) {
        size_t length = strlen(v->word[value]);
        memcpy(out, v->word[value], length);
        return length;
    }
    uint64_t number = v->first + value;
    size_t length = digits_of(number);
    for (size_t i = length; i-- > 0; number /= 10)
        out[i] = (char)('0' + number % 10);
    return length;
}

void rc_model_render(const char *text, const struct rc_model_range *range,
                     const struct rc_model_at *at, char *out, size_t room)
{
    size_t used = 0, taken;
    int variable;

    while ((taken = step_template(text, range, &variable)) > 0) {
        size_t length = variable >= 0 ? range->variable[variable].length_most : 1;
        if (used + length >= room)
            break;
        if (variable >= 0)
            used +=
                put_value(&range->variable[variable], at->value[variable], out + used);
        else
            out[used++] = *text;
        text += taken;
    }
    out[used] = 0;
}
