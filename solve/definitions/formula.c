/* Reads formulas of metrics and evaluates them.
 *
 * A formula is kept in the order of its evaluation (postfix): an operand is put on a
 * stack, an operator takes its operands from there and puts the result back.  The
 * parser keeps operators waiting until their right side is complete (Dijkstra's
 * shunting yard).  So neither recurses, however deeply a stranger's formula is nested.
 */
#include "solve/definitions/formula.h"

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 2000 /* bytes of a formula */
#define DEPTH_MAX 64  /* levels of nesting, and of the stack */
#define OPERAND "a metric in brackets such as [DP operations], a number or '('"

/* A step of the evaluation: operands first, then the operator that joins them. */
struct step {
    char what;     /* 'n' a number, 'i' an input, '~' the negative, or + - * / */
    size_t input;  /* of 'i' */
    double number; /* of 'n' */
};

struct rc_formula {
    struct rc_arena arena; /* of steps and names */
    struct step *step;     /* room for one of each character of the text */
    size_t count;
    const char *input[RC_FORMULA_INPUTS_MAX]; /* names */
    size_t input_count;
};

struct parser {
    const char *text, *at; /* at: the next character to read */
    struct rc_formula *formula;
    char waiting[DEPTH_MAX]; /* operators and '(' whose right side is not read yet */
    size_t waiting_count;
    size_t depth; /* operands on the stack at this point of the evaluation */
    struct rc_error *err;
};

/* RC_EUSAGE, with the present column. */
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

static int unexpected(struct parser *p, const char *expected)
{
    if (!*p->at)
        return wrong(p, "the formula ends, expected %s", expected);
    return wrong(p, "found '%.*s', expected %s", (int)rc_text_utf8(p->at), p->at,
                 expected);
}

/* Adds a step, whose operands have been added. */
static int emit_step(struct parser *p, struct step step)
{
    struct rc_formula *f = p->formula;
    const bool is_operand = step.what == 'n' || step.what == 'i';

    if (is_operand && ++p->depth > DEPTH_MAX)
        return wrong(p,
                     "more than %d operands wait for each other, expected a "
                     "simpler formula",
                     DEPTH_MAX);
    if (!is_operand && step.what != '~')
        p->depth--;
    f->step[f->count++] = step;
    return RC_OK;
}

static int wait_for_right_side(struct parser *p, char sign)
{
    if (p->waiting_count == DEPTH_MAX)
        return wrong(p, "nested deeper than %d levels, expected a simpler formula",
                     DEPTH_MAX);
    p->waiting[p->waiting_count++] = sign;
    p->at++;
    return RC_OK;
}

/* The higher, the earlier the operator is evaluated; a '(' waits for its ')'. */
static int binding_of(char sign)
{
    switch (sign) {
    case '(':
        return 0;
    case '~':
        return 3;
    case '*':
    case '/':
        return 2;
    default: /* + and - */
        return 1;
    }
}

/* Emits the operators whose right side is complete. */
static int emit_waiting(struct parser *p, int least)
{
    while (p->waiting_count > 0 &&
           binding_of(p->waiting[p->waiting_count - 1]) >= least) {
        const struct step step = {.what = p->waiting[--p->waiting_count]};
        const int status = emit_step(p, step);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

static int read_name(struct parser *p)
{
    struct rc_formula *f = p->formula;
    const char *name = p->at + 1;
    size_t length = strcspn(name, "[]");
    char copy[RC_METRIC_NAME_MAX + 1];

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
    size_t input = 0; /* the metric is one input however often it stands there */
    while (input < f->input_count && (strlen(f->input[input]) != length ||
                                      memcmp(f->input[input], name, length) != 0))
        input++;
    if (input == RC_FORMULA_INPUTS_MAX)
        return wrong(p, "more than %d metrics, expected a simpler formula",
                     RC_FORMULA_INPUTS_MAX);
    if (input == f->input_count) {
        snprintf(copy, sizeof copy, "%.*s", (int)length, name);
        f->input[f->input_count++] = rc_arena_text(&f->arena, copy);
    }
    int status = emit_step(p, (struct step){.what = 'i', .input = input});
    p->at = end + 1;
    return status;
}

/* Reads a piece where an operand may begin; *complete: it was one. */
static int read_operand(struct parser *p, bool *complete)
{
    const size_t length = rc_text_number_length(p->at);
    char number[TEXT_MAX + 1];
    double value;

    *complete = false;
    if (*p->at == '(')
        return wait_for_right_side(p, '(');
    if (*p->at == '-')
        return wait_for_right_side(p, '~');
    *complete = true;
    if (*p->at == '[')
        return read_name(p);
    if (length == 0)
        return unexpected(p, OPERAND);
    snprintf(number, sizeof number, "%.*s", (int)length, p->at);
    if (rc_text_real(number, &value))
        return wrong(p, "'%.*s' is not a number, expected one such as 2, 0.5 or 1e-3",
                     length < 40 ? (int)length : 40, p->at);
    const int status = emit_step(p, (struct step){.what = 'n', .number = value});
    p->at += length;
    return status;
}

/* Reads a piece after an operand; *complete: another may follow. */
static int read_operator(struct parser *p, bool *complete)
{
    int status;

    *complete = *p->at == ')';
    if (*complete) {
        if ((status = emit_waiting(p, 1)) != RC_OK)
            return status;
        if (p->waiting_count == 0)
            return wrong(p, "a ')' without its '(', expected + - * or /");
        p->waiting_count--;
        p->at++;
        return RC_OK;
    }
    if (!*p->at || !strchr("+-*/", *p->at))
        return unexpected(p, "+ - * / or ')'");
    if ((status = emit_waiting(p, binding_of(*p->at))) != RC_OK)
        return status;
    return wait_for_right_side(p, *p->at);
}

static int parse_formula(struct parser *p)
{
    bool complete = false; /* an operand stands before p->at */
    int status;

    for (;;) {
        p->at += strspn(p->at, " \t\n");
        if (complete && !*p->at)
            break;
        status = complete ? read_operator(p, &complete) : read_operand(p, &complete);
        if (status != RC_OK)
            return status;
    }
    if ((status = emit_waiting(p, 1)) != RC_OK)
        return status;
    if (p->waiting_count > 0)
        return wrong(p, "a '(' without its ')', expected one");
    if (p->formula->input_count == 0)
        return wrong(p, "no metric in it, expected " OPERAND);
    return RC_OK;
}

int rc_formula_create(const char *text, struct rc_formula **out, struct rc_error *err)
{
    struct parser p = {.text = text, .at = text, .err = err};
    const size_t length = strlen(text);

    *out = NULL;
    if (length > TEXT_MAX)
        return wrong(&p, "a formula of %zu bytes, expected at most %d", length,
                     TEXT_MAX);
    struct rc_formula *f = p.formula = rc_calloc(1, sizeof *f);
    if (!f)
        return rc_fail(err, RC_ENOMEM, "no memory for a formula");
    f->step = rc_arena_array(&f->arena, length, sizeof *f->step);
    int status;
    if ((status = rc_arena_check(&f->arena, err, "a formula")) ||
        (status = parse_formula(&p)) ||
        (status = rc_arena_check(&f->arena, err, "a formula"))) {
        rc_formula_close(f);
        return status;
    }
    *out = f;
    return RC_OK;
}

void rc_formula_close(struct rc_formula *formula)
{
    if (!formula)
        return;
    rc_arena_free(&formula->arena);
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

/* A bound of 0 times an open one is 0: the factor is 0 whatever the other one is. */
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
    default: /* a division by an interval that holds 0 may give any number */
        if (b.low <= 0 && b.high >= 0)
            return unknown;
        const struct rc_interval inverse = {1 / b.high, 1 / b.value, 1 / b.low};
        struct rc_interval quotient = multiply(a, inverse);
        quotient.value = a.value / b.value;
        return orderly(quotient);
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
