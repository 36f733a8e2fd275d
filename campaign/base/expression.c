/* Reads formulas: those of metrics and trees, whose names stand in brackets, and those of
 * rates, with names as they are and functions over workers.
 *
 * A formula is kept in the order of its evaluation (postfix): an operand is put on a
 * stack, an operator takes its operands from there and puts the result back.  The
 * parser keeps operators waiting until their right side is complete (Dijkstra's
 * shunting yard).  So neither recurses, however deeply a stranger's formula is nested.
 */
#include "campaign/base/expression.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 2000 /* bytes of a formula */

/* The names that a formula may have. */
static const struct form {
    const char *operand, *names, *none; /* for messages */
} forms[] = {
    [false] = {"a metric in brackets such as [DP operations], a number or '('",
               "metrics", "metric"},
    [true] = {"an event, ideal or axis by its name, a metric in brackets, a number, "
              "sum(, max(, min( or '('",
              "names", "name"},
};

static const struct {
    const char *name;
    char what; /* of its step */
} functions[] = {
    {"sum", RC_EXPRESSION_SUM}, {"max", RC_EXPRESSION_MAX}, {"min", RC_EXPRESSION_MIN}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };
static const char function_steps[] = {RC_EXPRESSION_SUM, RC_EXPRESSION_MAX,
                                      RC_EXPRESSION_MIN, 0};

struct parser {
    const char *text, *at; /* at: the next character to read */
    bool words;            /* names stand without brackets, too */
    const struct form *form;
    struct rc_expression *formula;
    size_t functions; /* that are open */
    char waiting
        [RC_EXPRESSION_DEPTH]; /* operators and '(' whose right side is not read yet */
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
static int emit_step(struct parser *p, struct rc_expression_step step)
{
    struct rc_expression *f = p->formula;
    const bool is_operand =
        step.what == RC_EXPRESSION_NUMBER || step.what == RC_EXPRESSION_NAME;
    const bool joins = strchr("+-*/", step.what) != NULL;

    if (is_operand && ++p->depth > RC_EXPRESSION_DEPTH)
        return wrong(p,
                     "more than %d operands wait for each other, expected a "
                     "simpler formula",
                     RC_EXPRESSION_DEPTH);
    if (joins)
        p->depth--;
    f->step[f->count++] = step;
    return RC_OK;
}

/* Reads on after 'length' bytes, where the right side of 'sign' begins. */
static int wait_for_right_side(struct parser *p, char sign, size_t length)
{
    if (p->waiting_count == RC_EXPRESSION_DEPTH)
        return wrong(p, "nested deeper than %d levels, expected a simpler formula",
                     RC_EXPRESSION_DEPTH);
    p->waiting[p->waiting_count++] = sign;
    p->at += length;
    return RC_OK;
}

/* The higher, the earlier the operator is evaluated; a '(' waits for its ')', and a
 * function for that, too.
 */
static int binding_of(char sign)
{
    switch (sign) {
    case RC_EXPRESSION_NEGATIVE:
        return 3;
    case '*':
    case '/':
        return 2;
    case '+':
    case '-':
        return 1;
    default:
        return 0;
    }
}

/* Emits the operators whose right side is complete. */
static int emit_waiting(struct parser *p, int least)
{
    while (p->waiting_count > 0 &&
           binding_of(p->waiting[p->waiting_count - 1]) >= least) {
        const struct rc_expression_step step = {.what = p->waiting[--p->waiting_count]};
        const int status = emit_step(p, step);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Adds a name, one however often it stands there, and its step; reads on at 'end'. */
static int take_name(struct parser *p, const char *text, size_t length, bool metric,
                     const char *end)
{
    struct rc_expression *f = p->formula;
    size_t n = 0;

    while (n < f->name_count &&
           (f->name[n].metric != metric || strlen(f->name[n].text) != length ||
            memcmp(f->name[n].text, text, length) != 0))
        n++;
    if (n == RC_EXPRESSION_NAMES_MAX)
        return wrong(p, "more than %d %s, expected a simpler formula",
                     RC_EXPRESSION_NAMES_MAX, p->form->names);
    if (n == f->name_count) {
        char *copy = rc_arena_array(&f->arena, length + 1, 1);
        if (!copy)
            return rc_fail(p->err, RC_ENOMEM, "no memory for a formula");
        memcpy(copy, text, length);
        f->name[f->name_count++] = (struct rc_expression_name){
            .text = copy, .metric = metric, .column = (size_t)(p->at - p->text) + 1};
    }
    f->name[n].outside |= p->functions == 0;
    const int status = emit_step(
        p, (struct rc_expression_step){.what = RC_EXPRESSION_NAME, .name = n});
    p->at = end;
    return status;
}

/* Reads "[NAME]", with blanks around the name. */
static int read_metric(struct parser *p)
{
    const char *name = p->at + 1;
    size_t length = strcspn(name, "[]");

    if (name[length] != ']')
        return wrong(p, "a '[' without its ']', expected %s", p->form->operand);
    const char *end = name + length;
    name += strspn(name, " \t");
    length = (size_t)(end - name);
    while (length > 0 && (name[length - 1] == ' ' || name[length - 1] == '\t'))
        length--;
    if (length == 0 || length > RC_EXPRESSION_METRIC_MAX)
        return wrong(p, "a name of %zu bytes, expected a metric's name of 1 to %d",
                     length, RC_EXPRESSION_METRIC_MAX);
    return take_name(p, name, length, true, end + 1);
}

/* Reads a name in quotes, a function and its '(', or a name of letters, digits and
 * "_:.@"; *complete: not of a function.
 */
static int read_word(struct parser *p, bool *complete)
{
    const char quote = *p->at;
    const char *name = p->at;
    size_t length = 0;

    if (quote == '\'' || quote == '"') {
        const char *end = strchr(++name, quote);
        if (!end || end == name)
            return wrong(p, "a quote without a name and a quote after it, expected %s",
                         p->form->operand);
        return take_name(p, name, (size_t)(end - name), false, end + 1);
    }
    while (isalnum((unsigned char)name[length]) ||
           (name[length] && strchr("_:.@", name[length])))
        length++;
    const char *next = name + length + strspn(name + length, " \t\n");
    for (size_t i = 0; i < FUNCTIONS && *next == '('; i++)
        if (strlen(functions[i].name) == length &&
            memcmp(functions[i].name, name, length) == 0) {
            *complete = false;
            p->functions++;
            const int status =
                wait_for_right_side(p, functions[i].what, (size_t)(next - name));
            return status ? status : wait_for_right_side(p, '(', 1);
        }
    if (*next == '(')
        return wrong(p, "'%.*s(', expected one of the functions sum, max and min",
                     length < 40 ? (int)length : 40, name);
    return take_name(p, name, length, false, name + length);
}

/* Reads a piece where an operand may begin; *complete: it was one. */
static int read_operand(struct parser *p, bool *complete)
{
    const size_t length = rc_text_number_length(p->at);
    char number[TEXT_MAX + 1];
    double value;

    *complete = false;
    if (*p->at == '(')
        return wait_for_right_side(p, '(', 1);
    if (*p->at == '-')
        return wait_for_right_side(p, RC_EXPRESSION_NEGATIVE, 1);
    *complete = true;
    if (*p->at == '[')
        return read_metric(p);
    if (p->words && *p->at &&
        (isalpha((unsigned char)*p->at) || strchr("_'\"", *p->at)))
        return read_word(p, complete);
    if (length == 0)
        return unexpected(p, p->form->operand);
    snprintf(number, sizeof number, "%.*s", (int)length, p->at);
    if (rc_text_real(number, &value))
        return wrong(p, "'%.*s' is not a number, expected one such as 2, 0.5 or 1e-3",
                     length < 40 ? (int)length : 40, p->at);
    const int status = emit_step(
        p, (struct rc_expression_step){.what = RC_EXPRESSION_NUMBER, .number = value});
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
        p->waiting_count--; /* the '(', and its function, if there is one */
        if (p->waiting_count > 0 &&
            strchr(function_steps, p->waiting[p->waiting_count - 1])) {
            const char what = p->waiting[--p->waiting_count];
            p->functions--;
            status = emit_step(p, (struct rc_expression_step){.what = what});
        }
        p->at++;
        return status;
    }
    if (!*p->at || !strchr("+-*/", *p->at))
        return unexpected(p, "+ - * / or ')'");
    if ((status = emit_waiting(p, binding_of(*p->at))) != RC_OK)
        return status;
    return wait_for_right_side(p, *p->at, 1);
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
    if (p->formula->name_count == 0)
        return wrong(p, "no %s in it, expected %s", p->form->none, p->form->operand);
    return RC_OK;
}

int rc_expression_create(const char *text, bool words, struct rc_expression **out,
                         struct rc_error *err)
{
    struct parser p = {
        .text = text, .at = text, .words = words, .form = &forms[words], .err = err};
    const size_t length = strlen(text);

    *out = NULL;
    if (length > TEXT_MAX)
        return wrong(&p, "a formula of %zu bytes, expected at most %d", length,
                     TEXT_MAX);
    struct rc_expression *f = p.formula = rc_calloc(1, sizeof *f);
    if (!f)
        return rc_fail(err, RC_ENOMEM, "no memory for a formula");
    f->step = rc_arena_array(&f->arena, length, sizeof *f->step);
    int status;
    if ((status = rc_arena_check(&f->arena, err, "a formula")) ||
        (status = parse_formula(&p)) ||
        (status = rc_arena_check(&f->arena, err, "a formula"))) {
        rc_expression_close(f);
        return status;
    }
    *out = f;
    return RC_OK;
}

void rc_expression_close(struct rc_expression *formula)
{
    if (!formula)
        return;
    rc_arena_free(&formula->arena);
    free(formula);
}

/* Each worker gets what the function says of all. */
static void combine_workers(char what, long double *of, size_t workers)
{
    long double all = of[0];

    for (size_t w = 1; w < workers; w++)
        if (what == RC_EXPRESSION_SUM || isnan(of[w]))
            all += of[w];
        else if (what == RC_EXPRESSION_MAX ? of[w] > all : of[w] < all)
            all = of[w];
    for (size_t w = 0; w < workers; w++)
        of[w] = all;
}

static long double combine(char what, long double a, long double b)
{
    switch (what) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return b == 0 ? NAN : a / b;
    }
}

double rc_expression_over_workers(const struct rc_expression *formula,
                                  const long double *value, size_t workers,
                                  long double *room)
{
    size_t depth = 0;

    for (size_t i = 0; i < formula->count; i++) {
        const struct rc_expression_step *step = &formula->step[i];
        long double *top = room + depth * workers;
        if (step->what == RC_EXPRESSION_NUMBER || step->what == RC_EXPRESSION_NAME) {
            for (size_t w = 0; w < workers; w++)
                top[w] = step->what == RC_EXPRESSION_NUMBER
                             ? (long double)step->number
                             : value[step->name * workers + w];
            depth++;
            continue;
        }
        top -= workers;
        if (strchr(function_steps, step->what)) {
            combine_workers(step->what, top, workers);
        } else if (step->what == RC_EXPRESSION_NEGATIVE) {
            for (size_t w = 0; w < workers; w++)
                top[w] = -top[w];
        } else {
            long double *const left = top - workers;
            for (size_t w = 0; w < workers; w++)
                left[w] = combine(step->what, left[w], top[w]);
            depth--;
        }
    }
    return (double)room[0];
}
