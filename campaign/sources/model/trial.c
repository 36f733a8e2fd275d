/* Tries events and groups on a simulated machine: banks, counters and registers are
 * checked as hardware would refuse them, with the reason in words.
 */
#include "campaign/sources/model/trial.h"

#include "campaign/base/text.h"
#include "campaign/sources/model/counters.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static void
set_verdict(struct rc_trial *out, enum rc_verdict word, const char *format, ...)
{
    char text[RC_MODEL_NAME_MAX + 128];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    out->verdict = word;
    rc_text_printable(out->reason, sizeof out->reason, text);
}

/* The different values that the events of a group put into a register.  Where it holds
 * a single value: the choices left, each of which suits all events so far.
 */
struct values {
    bool some; /* an event uses the register */
    unsigned count;
    uint64_t hash[RC_MODEL_VALUES_MAX];
};

/* Takes an event's choices, "A|B|C": keeps those that suit the events before it, too.
 * Returns false where none is left.
 */
static bool add_choice(char *text, struct values *v)
{
    struct values both = {.some = true};
    char *rest = NULL;

    for (char *word = strtok_r(text, "|", &rest); word;
         word = strtok_r(NULL, "|", &rest)) {
        const uint64_t hash = rc_text_hash(word);
        bool suits = !v->some;
        for (unsigned i = 0; i < v->count; i++)
            suits |= v->hash[i] == hash;
        if (suits && both.count < RC_MODEL_VALUES_MAX)
            both.hash[both.count++] = hash;
    }
    *v = both;
    return both.count > 0;
}

/* Puts the event's value into its register; false where the register is full. */
static bool add_value(const struct rc_model *model, const struct rc_model_line *line,
                      const struct rc_model_at *at, struct values *values)
{
    char text[RC_MODEL_NAME_MAX + 1];
    struct values *v = &values[line->register_index];

    rc_model_render(line->register_value, &line->range, at, text, sizeof text);
    if (model->reg[line->register_index].values == 1)
        return add_choice(text, v);
    uint64_t hash = rc_text_hash(text);
    for (unsigned i = 0; i < v->count; i++)
        if (v->hash[i] == hash)
            return true;
    if (v->count == model->reg[line->register_index].values)
        return false;
    v->hash[v->count++] = hash;
    return true;
}

/* A group while it is tried. */
struct attempt {
    const struct rc_model *model;
    uint32_t bank; /* of the first event, and so of all */
    struct values values[RC_MODEL_REGISTERS_MAX];
    uint64_t allowed[RC_MODEL_COUNTERS_MAX + 1]; /* counters, by event of the group */
};

/* Whether event 'i' of a group starts together with those before it; counters are
 * checked later.
 */
static bool try_event(struct attempt *a, uint32_t event, size_t i, struct rc_trial *out)
{
    struct rc_model_at at;
    const struct rc_model_line *line = rc_model_line_of(a->model, event, &at);
    char name[RC_MODEL_NAME_MAX + 1];

    if (i == 0)
        a->bank = line->bank;
    if (i <= RC_MODEL_COUNTERS_MAX)
        a->allowed[i] = line->counters;
    if (line->verdict != RC_VERDICT_OK && line->verdict != RC_VERDICT_COUNTS_NOTHING) {
        set_verdict(out, line->verdict, "%s", line->reason);
        return false;
    }
    if (line->bank != a->bank) {
        set_verdict(out, RC_VERDICT_CANNOT_SCHEDULE,
                    "banks '%.80s' and '%.80s' do not count together",
                    a->model->bank[a->bank].name, a->model->bank[line->bank].name);
        return false;
    }
    if (line->register_index >= 0 && !add_value(a->model, line, &at, a->values)) {
        rc_model_event_name(a->model, event, name);
        set_verdict(out, RC_VERDICT_CANNOT_SCHEDULE,
                    "register '%.80s' holds no further value for '%s'",
                    a->model->reg[line->register_index].name, name);
        return false;
    }
    return true;
}

void rc_model_trial(const struct rc_model *model, const uint32_t *events, size_t count,
                    struct rc_trial *out)
{
    struct attempt a;
    struct rc_model_at at;
    char name[RC_MODEL_NAME_MAX + 1];
    size_t stuck = 0;

    a.model = model;
    for (size_t i = 0; i < a.model->register_count; i++)
        a.values[i] = (struct values){0};
    out->verdict = RC_VERDICT_OK;
    out->reason[0] = 0;
    for (size_t i = 0; i < count; i++)
        if (!try_event(&a, events[i], i, out))
            return;
    if (count == 0)
        return;
    const struct rc_model_bank *bank = &a.model->bank[a.bank];
    if (!bank->unlimited && !rc_model_counters_fit(a.allowed, count, &stuck)) {
        rc_model_event_name(a.model, events[stuck], name);
        set_verdict(out, RC_VERDICT_CANNOT_SCHEDULE,
                    "no counter of bank '%.80s' is left for '%s'", bank->name, name);
    } else if (count == 1) {
        const struct rc_model_line *line = rc_model_line_of(a.model, events[0], &at);
        if (line->verdict == RC_VERDICT_COUNTS_NOTHING)
            set_verdict(out, line->verdict, "%s", line->reason);
    }
}
