/* Reads formulas of metrics and evaluates them. */
#include "solve/formula.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 2000
#define DEPTH_MAX 64
#define OPERAND "a metric in brackets such as [DP operations], a number or '('"

/* In the order of evaluation: operands first, then what joins them. */
struct step {
    char what;     /* 'n' a number, 'i' an input, '~' the negative, or + - * / */
    size_t input;  /* of 'i' */
    double number; /* of 'n' */
};

struct rc_formula {
    struct step *step;
    size_t count, room;
    char **input;
    size_t input_count, input_room;
};

struct parser {
    const char *text, *at;
    struct rc_formula *formula;
    char waiting[DEPTH_MAX]; /* operators and '(' whose right side is not read yet */
    size_t waiting_count;
    size_t depth; /* operands that evaluation holds at this moment */
    struct rc_error *err;
};

__attribute__((format(printf, 2, 3))) static int wrong(struct parser *p,
                                                       const char *format, ...)
{
    char text[RC_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rc_fail(p->err, RC_EUSAGE, "column %td: %s", p->at - p->text + 1, text);
}

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for a formula");
}

static int unexpected(struct parser *p, const char *expected)
{
    if (!*p->at)
        return wrong(p, "the formula ends, expected %s", expected);
    return wrong(p, "found '%.*s', expected %s", (int)rc_text_utf8(p->at), p->at,
                 expected);
}

static bool is_operand(char what)
{
    return what == 'n' || what == 'i';
}

static int emit(struct parser *p, struct step step)
{
    struct rc_formula *f = p->formula;

    if (is_operand(step.what) && ++p->depth > DEPTH_MAX)
        return wrong(p,
                     "more than %d operands wait for each other, expected a "
                     "simpler formula",
                     DEPTH_MAX);
    if (!is_operand(step.what) && step.what != '~')
        p->depth--;
    if (rc_grow(&f->step, sizeof step, f->count, &f->room))
        return no_memory(p->err);
    f->step[f->count++] = step;
    return RC_OK;
}

static int wait_for_right_side(struct parser *p, char operator)
{
    if (p->waiting_count == DEPTH_MAX)
        return wrong(p, "nested deeper than %d levels, expected a simpler formula",
                     DEPTH_MAX);
    p->waiting[p->waiting_count++] = operator;
    p->at++;
    return RC_OK;
}

static int binding(char operator)
{
    return operator== '~'                   ? 3 :
           operator== '*' || operator== '/' ? 2
           :
           operator== '(' ? 0
                          : 1;
}

/* Emits the operators whose right side is complete. */
static int join(struct parser *p, int least)
{
    int status = RC_OK;

    while (status == RC_OK && p->waiting_count > 0 &&
           binding(p->waiting[p->waiting_count - 1]) >= least)
        status = emit(p, (struct step){.what = p->waiting[--p->waiting_count]});
    return status;
}

static int add_input(struct parser *p, const char *name, size_t length)
{
    struct rc_formula *f = p->formula;

    for (size_t i = 0; i < f->input_count; i++)
        if (strlen(f->input[i]) == length && memcmp(f->input[i], name, length) == 0)
            return emit(p, (struct step){.what = 'i', .input = i});
    if (f->input_count == RC_FORMULA_INPUTS_MAX)
        return wrong(p, "more than %d metrics, expected a simpler formula",
                     RC_FORMULA_INPUTS_MAX);
    if (rc_grow(&f->input, sizeof *f->input, f->input_count, &f->input_room))
        return no_memory(p->err);
    f->input[f->input_count] = strndup(name, length);
    if (!f->input[f->input_count])
        return no_memory(p->err);
    return emit(p, (struct step){.what = 'i', .input = f->input_count++});
}

static int read_name(struct parser *p)
{
    const char *name = p->at + 1;
    size_t length = strcspn(name, "[]");

    if (name[length] != ']')
        return wrong(p, "a '[' without its ']', expected " OPERAND);
    const char *end = name + length;
    name += strspn(name, " \t");
    length = (size_t)(end - name);
    while (length > 0 && (name[length - 1] == ' ' || name[length - 1] == '\t'))
        length--;
    if (length == 0 || length > RC_METRIC_NAME_MAX)
        return wrong(p, "a name of %zu bytes, expected a metric's name of 1 to %d",
                     length, RC_METRIC_NAME_MAX);
    int status = add_input(p, name, length);
    p->at = end + 1;
    return status;
}

static int read_number(struct parser *p)
{
    size_t length = rc_text_number_length(p->at);
    char *number = strndup(p->at, length);
    double value;

    if (!number)
        return no_memory(p->err);
    int bad = rc_text_real(number, &value);
    free(number);
    if (bad)
        return wrong(p, "'%.*s' is not a number, expected one such as 2, 0.5 or 1e-3",
                     length < 40 ? (int)length : 40, p->at);
    int status = emit(p, (struct step){.what = 'n', .number = value});
    p->at += length;
    return status;
}

/* One piece where an operand may begin; *complete: it was one. */
static int read_operand(struct parser *p, bool *complete)
{
    *complete = false;
    if (*p->at == '(')
        return wait_for_right_side(p, '(');
    if (*p->at == '-')
        return wait_for_right_side(p, '~');
    *complete = true;
    if (*p->at == '[')
        return read_name(p);
    if (rc_text_number_length(p->at) > 0)
        return read_number(p);
    return unexpected(p, OPERAND);
}

/* One piece behind an operand; *complete: another may follow. */
static int read_operator(struct parser *p, bool *complete)
{
    int status;

    *complete = *p->at == ')';
    if (*complete) {
        status = join(p, 1);
        if (status == RC_OK && p->waiting_count == 0)
            return wrong(p, "a ')' without its '(', expected + - * or /");
        p->waiting_count -= status == RC_OK;
        p->at++;
        return status;
    }
    if (!*p->at || !strchr("+-*/", *p->at))
        return unexpected(p, "+ - * / or ')'");
    status = join(p, binding(*p->at));
    return status == RC_OK ? wait_for_right_side(p, *p->at) : status;
}

static int parse(struct parser *p)
{
    bool complete = false; /* an operand stands before p->at */
    int status = RC_OK;

    if (strlen(p->text) > TEXT_MAX)
        return wrong(p, "a formula of %zu bytes, expected at most %d", strlen(p->text),
                     TEXT_MAX);
    for (;;) {
        p->at += strspn(p->at, " \t\n");
        if (status != RC_OK || (complete && !*p->at))
            break;
        status = complete ? read_operator(p, &complete) : read_operand(p, &complete);
    }
    if (status == RC_OK)
        status = join(p, 1);
    if (status == RC_OK && p->waiting_count > 0)
        return wrong(p, "a '(' without its ')', expected one");
    if (status == RC_OK && p->formula->input_count == 0)
        return wrong(p, "no metric in it, expected " OPERAND);
    return status;
}

int rc_formula_create(const char *text, struct rc_formula **out, struct rc_error *err)
{
    struct parser p = {.text = text, .at = text, .err = err};

    *out = NULL;
    p.formula = rc_calloc(1, sizeof *p.formula);
    if (!p.formula)
        return no_memory(err);
    int status = parse(&p);
    if (status == RC_OK)
        *out = p.formula;
    else
        rc_formula_close(p.formula);
    return status;
}

void rc_formula_close(struct rc_formula *formula)
{
    if (!formula)
        return;
    for (size_t i = 0; i < formula->input_count; i++)
        free(formula->input[i]);
    free(formula->input);
    free(formula->step);
    free(formula);
}

size_t rc_formula_input_count(const struct rc_formula *formula)
{
    return formula->input_count;
}

const char *rc_formula_input(const struct rc_formula *formula, size_t number)
{
    return formula->input[number];
}

static const struct rc_interval unknown = {-INFINITY, NAN, INFINITY};

/* Puts the bounds in order; a bound that is not a number is open. */
static struct rc_interval orderly(struct rc_interval x)
{
    if (!isfinite(x.value))
        return unknown;
    double low = isnan(x.low) ? -INFINITY : x.low;
    double high = isnan(x.high) ? INFINITY : x.high;
    return (struct rc_interval){fmin(fmin(low, high), x.value), x.value,
                                fmax(fmax(low, high), x.value)};
}

/* A bound of 0 times an open one is 0: the factor is 0 whatever the other is. */
static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static struct rc_interval multiply(struct rc_interval a, struct rc_interval b)
{
    double ll = times(a.low, b.low), lh = times(a.low, b.high);
    double hl = times(a.high, b.low), hh = times(a.high, b.high);

    return (struct rc_interval){fmin(fmin(ll, lh), fmin(hl, hh)), a.value * b.value,
                                fmax(fmax(ll, lh), fmax(hl, hh))};
}

static struct rc_interval divide(struct rc_interval a, struct rc_interval b)
{
    if (b.low <= 0 && b.high >= 0)
        return unknown;
    struct rc_interval inverse = {1 / b.high, 1 / b.value, 1 / b.low};
    struct rc_interval out = multiply(a, inverse);
    out.value = a.value / b.value;
    return out;
}

static struct rc_interval combine(char what, struct rc_interval a, struct rc_interval b)
{
    if (isnan(a.value) || isnan(b.value))
        return unknown;
    switch (what) {
    case '+':
        return orderly(
            (struct rc_interval){a.low + b.low, a.value + b.value, a.high + b.high});
    case '-':
        return orderly(
            (struct rc_interval){a.low - b.high, a.value - b.value, a.high - b.low});
    case '*':
        return orderly(multiply(a, b));
    default:
        return orderly(divide(a, b));
    }
}

struct rc_interval rc_formula_value(const struct rc_formula *formula,
                                    const struct rc_interval *input)
{
    struct rc_interval stack[DEPTH_MAX] = {{0}};
    size_t count = 0;

    for (size_t i = 0; i < formula->count; i++) {
        const struct step *step = &formula->step[i];
        struct rc_interval *top = count ? &stack[count - 1] : stack;
        if (step->what == 'n')
            stack[count++] =
                (struct rc_interval){step->number, step->number, step->number};
        else if (step->what == 'i')
            stack[count++] = orderly(input[step->input]);
        else if (step->what == '~')
            *top = orderly((struct rc_interval){-top->high, -top->value, -top->low});
        else {
            stack[count - 2] = combine(step->what, stack[count - 2], *top);
            count--;
        }
    }
    return stack[0];
}
