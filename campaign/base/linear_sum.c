/* A reader of sums such as "2 SF_SCAL + S_SCAL - 0.5 M + 3".  Terms are passed on as
 * they are read: what a word means is for the caller to know.
 */
#include "campaign/base/linear_sum.h"

#include "campaign/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_MOST 1e18  /* the largest coefficient */
#define NUMBER_LONGEST 63 /* characters of a coefficient */
#define EXPECTED "expected terms such as '2 SF_SCAL + S_SCAL - 0.5 M + 3'"

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\n");
}

static int fail_unexpected(const char *at, struct rc_error *err)
{
    if (*at)
        return rc_fail(err, RC_EUSAGE, "unexpected '%.20s', " EXPECTED, at);
    return rc_fail(err, RC_EUSAGE, "a sum that ends too early, " EXPECTED);
}

/* Reads a number, a word, or both; *text is left after them. */
static int read_term(const char **text, struct rc_linear_sum_term *term,
                     struct rc_error *err)
{
    const char *at = *text;
    size_t digits = rc_text_number_length(at);
    char number[NUMBER_LONGEST + 1];
    bool times = false;

    *term = (struct rc_linear_sum_term){.coefficient = 1};
    if (digits > 0) {
        /* With larger coefficients, sums would lose the small ones. */
        snprintf(number, sizeof number, "%.*s", (int)digits, at);
        if (digits >= sizeof number || rc_text_real(number, &term->coefficient) ||
            term->coefficient > NUMBER_MOST)
            return rc_fail(err, RC_EUSAGE,
                           "'%.*s' is not a coefficient, expected a number up to 1e18",
                           digits < NUMBER_LONGEST ? (int)digits : NUMBER_LONGEST, at);
        at = skip_blanks(at + digits);
        times = *at == '*';
        at = skip_blanks(at + times);
    }
    term->word = at;
    if (isalpha((unsigned char)*at) || *at == '_')
        while (isalnum((unsigned char)at[term->length]) || at[term->length] == '_')
            term->length++;
    if (term->length == 0 && (digits == 0 || times))
        return fail_unexpected(at, err);
    *text = skip_blanks(at + term->length);
    return RC_OK;
}

int rc_linear_sum_read(const char *text,
                       int (*add)(void *context, const struct rc_linear_sum_term *term,
                                  struct rc_error *err),
                       void *context, struct rc_error *err)
{
    text = skip_blanks(text);
    bool negative = *text == '-';
    if (negative)
        text = skip_blanks(text + 1);
    for (;;) {
        struct rc_linear_sum_term term;
        int status = read_term(&text, &term, err);
        if (negative)
            term.coefficient = -term.coefficient;
        if (status != RC_OK || (status = add(context, &term, err)) != RC_OK || !*text)
            return status;
        negative = *text == '-';
        if (!negative && *text != '+')
            return fail_unexpected(text, err);
        text = skip_blanks(text + 1);
    }
}
