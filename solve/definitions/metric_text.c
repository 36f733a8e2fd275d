/* Checks metrics of files: each value by itself, as text. */
#include "solve/definitions/metric_text.h"

#include "campaign/base/text.h"
#include "solve/definitions/formula.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Limits in bytes. */
#define SUITE_NAME_MAX 63
#define PRESET_NAME_MAX 63 /* PAPI_MIN_STR_LEN with its 0 */
#define UNIT_MAX 80
#define DESCRIPTION_MAX 1000
#define SIGNATURE_MAX 4000

#define REQUIRED(key)                                                                  \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, struct rc_metric_text, key, 0,    \
                           CYAML_UNLIMITED)
#define OPTIONAL(key)                                                                  \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,             \
                           struct rc_metric_text, key, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t fields[] = {
    REQUIRED(metric),  OPTIONAL(suite),  OPTIONAL(description), OPTIONAL(signature),
    OPTIONAL(formula), OPTIONAL(preset), OPTIONAL(unit),        CYAML_FIELD_END,
};
const cyaml_schema_value_t rc_metric_text_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct rc_metric_text, fields)};

static bool is_made_of(const char *text, size_t length, const char *besides)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr(besides, text[i]))
            return false;
    return true;
}

const char *rc_suite_name_wrong(const char *name)
{
    size_t length = strlen(name);

    if (length > 0 && length <= SUITE_NAME_MAX && is_made_of(name, length, "-_"))
        return NULL;
    return "expected a suite's name such as flops: letters, digits, '-' and '_'";
}

const char *rc_ideal_name_wrong(const char *name, size_t length)
{
    if (length > 0 && length <= RC_IDEAL_NAME_MAX && !isdigit((unsigned char)*name) &&
        is_made_of(name, length, "_"))
        return NULL;
    return "expected an ideal's name such as S_SCAL: a letter, then letters, digits "
           "and '_', 31 at most";
}

const char *rc_line_wrong(const char *text, bool may_be_empty, size_t most)
{
    if (!*text && !may_be_empty)
        return "expected some text";
    if (strlen(text) > most)
        return "too long, expected at most 80 bytes for a name or unit, 1000 for a "
               "description";
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return "a line break or control character in it, expected one line";
    return NULL;
}

static const char *metric_name_wrong(const char *name)
{
    const char *wrong = rc_line_wrong(name, false, RC_EXPRESSION_METRIC_MAX);

    if (wrong)
        return wrong;
    if (strpbrk(name, "[]"))
        return "expected a name without '[' and ']', which stand around names in "
               "formulas";
    if (name[0] == ' ' || name[strlen(name) - 1] == ' ')
        return "expected a name without blanks at its ends";
    return NULL;
}

/* A summary of a signature, for its check. */
struct seen {
    size_t terms;
    bool some; /* a coefficient is not 0 */
};

static int see_term(void *context, const struct rc_linear_sum_term *term,
                    struct rc_error *err)
{
    struct seen *seen = context;

    if (term->length == 0)
        return rc_fail(err, RC_EUSAGE,
                       "the number %g stands alone, expected it with an ideal",
                       term->coefficient);
    const char *wrong = rc_ideal_name_wrong(term->word, term->length);
    if (wrong)
        return rc_fail(err, RC_EUSAGE, "'%.*s', %s",
                       term->length < 40 ? (int)term->length : 40, term->word, wrong);
    if (++seen->terms > RC_TERMS_MAX)
        return rc_fail(err, RC_EUSAGE, "more than %d terms, expected at most that many",
                       RC_TERMS_MAX);
    seen->some = seen->some || term->coefficient != 0;
    return RC_OK;
}

static int check_texts(const struct rc_metric_text *text, const char **key,
                       struct rc_error *err)
{
    const struct {
        const char *key, *text, *wrong;
    } check[] = {
        {"metric", text->metric, metric_name_wrong(text->metric)},
        {"suite", text->suite, text->suite ? rc_suite_name_wrong(text->suite) : NULL},
        {"description", text->description,
         text->description ? rc_line_wrong(text->description, true, DESCRIPTION_MAX)
                           : NULL},
        {"preset", text->preset,
         text->preset && (strlen(text->preset) > PRESET_NAME_MAX ||
                          !is_made_of(text->preset, strlen(text->preset), "_"))
             ? "expected a name such as PAPI_DP_OPS: letters, digits and '_', 63 at "
               "most"
             : NULL},
        {"unit", text->unit,
         text->unit ? rc_line_wrong(text->unit, true, UNIT_MAX) : NULL},
    };

    for (size_t i = 0; i < sizeof check / sizeof check[0]; i++) {
        *key = check[i].key;
        if (check[i].wrong)
            return rc_fail(err, RC_EUSAGE, "'%.80s', %s", check[i].text,
                           check[i].wrong);
    }
    return RC_OK;
}

int rc_metric_text_check(const struct rc_metric_text *text, const char **key,
                         struct rc_error *err)
{
    struct rc_expression *formula;
    struct seen seen = {0};
    int status = check_texts(text, key, err);

    if (status != RC_OK)
        return status;
    *key = NULL;
    if (!text->signature == !text->formula)
        return rc_fail(err, RC_EUSAGE,
                       "metric '%s' has %s, expected one of 'signature' "
                       "and 'formula'",
                       text->metric, text->formula ? "both" : "neither");
    *key = text->signature ? "signature" : "formula";
    if (text->formula) {
        status = rc_expression_create(text->formula, false, &formula, err);
        rc_expression_close(formula);
        return status;
    }
    if (strlen(text->signature) > SIGNATURE_MAX)
        return rc_fail(err, RC_EUSAGE, "%zu bytes long, expected at most %d",
                       strlen(text->signature), SIGNATURE_MAX);
    status = rc_linear_sum_read(text->signature, see_term, &seen, err);
    if (status != RC_OK || seen.some)
        return status;
    return rc_fail(err, RC_EUSAGE, "all coefficients are 0, expected one that is not");
}
