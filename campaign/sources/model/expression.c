#include "campaign/sources/model/expression.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/sources/model/random.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define NUMBER_MOST 1e18
#define WORD_MOST 63
#define EXPECTED "expected terms such as '2 SF_SCAL + S_SCAL - 0.5 M + 3'"

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\n");
}

/* Length of the decimal number at 'text': "2", "0.5", "1e-3"; an 'e' that no
 * digits follow is not part of it.
 */
static size_t number_length(const char *text)
{
    size_t length = strspn(text, "0123456789.");

    if (length > 0 && (text[length] == 'e' || text[length] == 'E')) {
        size_t sign = text[length + 1] == '-' || text[length + 1] == '+';
        size_t digits = strspn(text + length + 1 + sign, "0123456789");
        if (digits > 0)
            length += 1 + sign + digits;
    }
    return length;
}

static size_t word_length(const char *text)
{
    size_t length = 0;

    if (isalpha((unsigned char)text[0]) || text[0] == '_')
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
    return length;
}

static int read_number(const char *text, size_t length, double *out,
                       struct rc_error *err)
{
    char number[WORD_MOST + 1];

    if (length < sizeof number) {
        memcpy(number, text, length);
        number[length] = 0;
        if (rc_text_real(number, out) == 0 && *out <= NUMBER_MOST)
            return RC_OK;
    }
    return rc_fail(err, RC_EUSAGE,
                   "'%.*s' is not a coefficient, expected a number up to 1e18",
                   length < WORD_MOST ? (int)length : WORD_MOST, text);
}

static int no_such_ideal(const char *word, struct rc_error *err)
{
    const char *names[RC_IDEAL_COUNT + 1];

    for (unsigned i = 0; i < RC_IDEAL_COUNT; i++)
        names[i] = rc_ideal_name((enum rc_ideal)i);
    names[RC_IDEAL_COUNT] = NULL;
    int nearest = rc_text_nearest(word, names);
    if (nearest >= 0)
        return rc_fail(err, RC_EUSAGE, "no ideal '%s', did you mean '%s'?", word,
                       names[nearest]);
    return rc_fail(err, RC_EUSAGE, "no ideal '%s', expected one such as INS or S_SCAL",
                   word);
}

static int read_ideal(const char *text, size_t length, enum rc_ideal *out,
                      struct rc_error *err)
{
    char word[WORD_MOST + 1];
    size_t taken = length < WORD_MOST ? length : WORD_MOST;

    memcpy(word, text, taken);
    word[taken] = 0;
    *out = rc_ideal_find(word);
    return *out == RC_IDEAL_COUNT || taken < length ? no_such_ideal(word, err) : RC_OK;
}

static int unexpected(const char *at, struct rc_error *err)
{
    if (*at)
        return rc_fail(err, RC_EUSAGE, "unexpected '%.20s', " EXPECTED, at);
    return rc_fail(err, RC_EUSAGE, "a sum that ends too early, " EXPECTED);
}

/* A number, an ideal, or both; *text is behind it afterwards. */
static int read_term(const char **text, struct rc_model_term *term,
                     struct rc_error *err)
{
    const char *at = *text;
    size_t digits = number_length(at);
    bool times = false;

    *term = (struct rc_model_term){RC_IDEAL_COUNT, 1};
    if (digits > 0) {
        if (read_number(at, digits, &term->coefficient, err) != RC_OK)
            return RC_EUSAGE;
        at = skip_blanks(at + digits);
        times = *at == '*';
        at = skip_blanks(at + times);
    }
    size_t letters = word_length(at);
    if (letters == 0 && (digits == 0 || times))
        return unexpected(at, err);
    if (letters > 0 && read_ideal(at, letters, &term->ideal, err) != RC_OK)
        return RC_EUSAGE;
    *text = skip_blanks(at + letters);
    return RC_OK;
}

int rc_model_expression_read(const char *text, struct rc_model_terms *list,
                             struct rc_error *err)
{
    bool negative;

    text = skip_blanks(text);
    negative = *text == '-';
    if (negative)
        text = skip_blanks(text + 1);
    for (;;) {
        struct rc_model_term term;
        if (read_term(&text, &term, err) != RC_OK)
            return RC_EUSAGE;
        if (negative)
            term.coefficient = -term.coefficient;
        if (rc_grow(&list->term, sizeof term, list->count, &list->room))
            return rc_fail(err, RC_ENOMEM, "no memory for %zu terms", list->count);
        list->term[list->count++] = term;
        if (!*text)
            return RC_OK;
        negative = *text == '-';
        if (!negative && *text != '+')
            return unexpected(text, err);
        text = skip_blanks(text + 1);
    }
}

double rc_model_expression_value(const struct rc_model_term *term, size_t count,
                                 const struct rc_suite *suite,
                                 const struct rc_geometry *geometry,
                                 const struct rc_point *point, uint64_t key)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double ideal = 1;
        if (term[i].ideal != RC_IDEAL_COUNT)
            ideal = suite->expect(geometry, point, term[i].ideal);
        if (!isfinite(ideal))
            ideal = rc_model_uniform(rc_model_key(key, term[i].ideal));
        sum += term[i].coefficient * ideal;
    }
    return sum;
}
