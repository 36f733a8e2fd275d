/* Compares the presets of PAPI with the metrics that were derived.
 *
 * A preset is read as a sum of events with factors.  If it has the same events as the
 * metric, factors are compared.  Otherwise both sums are written in the suite's
 * coordinates, in which an event is what it counts, and the vectors are compared.
 */
#include "campaign/catalogue/presets.h"

#include "campaign/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVENTS_MOST = 16, /* of a preset; PAPI has at most 12 */
    DEPTH_MOST = 32,  /* of the stack of a postfix expression */
    WORDS = 1024      /* bytes of an outcome */
};

/* One check of a preset against the metric that has its name. */
struct work {
    const struct rc_suite_result *suite;
    const struct rc_preset_places *places; /* or NULL */
    const struct rc_preset *preset;        /* NULL: the library has none here */
    const struct rc_metric_result *metric;
    double factor[EVENTS_MOST]; /* by event of the preset */
    char outcome[WORDS];
};

bool rc_preset_same_event(const char *a, const char *b)
{
    const char *pmu = strstr(a, "::");

    if (pmu && pmu[2] != ':')
        a = pmu + 2;
    pmu = strstr(b, "::");
    if (pmu && pmu[2] != ':')
        b = pmu + 2;
    return strcasecmp(a, b) == 0;
}

/* The value of a postfix expression, "N0|N1|+|2|*|", if the event N0 has counted
 * count[0], and so on; NAN: it is not an expression of this kind.
 */
static double evaluate(const char *postfix, const double *count, size_t events)
{
    double stack[DEPTH_MOST] = {0};
    size_t depth = 0;

    for (const char *at = postfix; *at; at += *at == '|') {
        const char *word = at;
        char *end = (char *)word;
        at += strcspn(at, "|");
        if (at == word)
            continue;
        if (at == word + 1 && strchr("+-*/", *word)) {
            if (depth < 2)
                return NAN;
            const double b = stack[--depth], a = stack[depth - 1];
            stack[depth - 1] = *word == '+'   ? a + b
                               : *word == '-' ? a - b
                               : *word == '*' ? a * b
                                              : a / b;
            continue;
        }
        if (depth == DEPTH_MOST)
            return NAN;
        if (isdigit((unsigned char)*word))
            stack[depth] = strtod(word, &end);
        else if (*word == 'N' && isdigit((unsigned char)word[1])) {
            const unsigned long number = strtoul(word + 1, &end, 10);
            stack[depth] = number < events ? count[number] : NAN;
        }
        if (end != at)
            return NAN;
        depth++;
    }
    return depth == 1 ? stack[0] : NAN;
}

/* Reads the preset as a sum of its events; false: it is not one.  A factor is the
 * expression's value for its event alone; evaluating it with all events checks that it
 * is linear.
 */
static bool take_preset(const struct rc_preset *preset, double *factor)
{
    const size_t events = preset->event_count;
    double count[EVENTS_MOST] = {0}, sum = 0;

    if (events == 0 || events > EVENTS_MOST)
        return false;
    if (strcmp(preset->derived, "DERIVED_POSTFIX") == 0) {
        if (evaluate(preset->postfix, count, events) != 0)
            return false;
        for (size_t i = 0; i < events; i++) {
            count[i] = 1;
            factor[i] = evaluate(preset->postfix, count, events);
            count[i] = 0;
        }
        for (size_t i = 0; i < events; i++) {
            count[i] = (double)(3 * i + 2);
            sum += factor[i] * count[i];
        }
        return fabs(evaluate(preset->postfix, count, events) - sum) <=
               1e-9 * fmax(1, fabs(sum));
    }
    if (strcmp(preset->derived, "NOT_DERIVED") == 0 && events == 1) {
        factor[0] = 1;
        return true;
    }
    bool add = strcmp(preset->derived, "DERIVED_ADD") == 0;
    if (!add && strcmp(preset->derived, "DERIVED_SUB") != 0)
        return false;
    for (size_t i = 0; i < events; i++)
        factor[i] = add || i == 0 ? 1 : -1;
    return true;
}

/* Whether all events of the preset are events of the metric. */
static bool all_in_metric(const struct work *w)
{
    for (size_t i = 0; i < w->preset->event_count; i++) {
        bool there = w->factor[i] == 0;
        for (size_t t = 0; t < w->metric->term_count && !there; t++)
            there = rc_preset_same_event(w->metric->term[t].name, w->preset->event[i]);
        if (!there)
            return false;
    }
    return true;
}

/* Adds "2 x EVENT" to the outcome: "differs by -1 x A + 2 x B". */
static void say_difference(struct work *w, double difference, const char *what)
{
    const bool first = !w->outcome[0];

    rc_text_append(w->outcome, sizeof w->outcome, "%s%.4g x %s",
                   first ? (difference < 0 ? "differs by -" : "differs by ")
                         : (difference < 0 ? " - " : " + "),
                   fabs(difference), what);
}

/* With the same events, a factor agrees if it equals the derived one, up to rounding,
 * or lies in the term's interval of confidence.
 */
static void compare_terms(struct work *w)
{
    for (size_t t = 0; t < w->metric->term_count; t++) {
        const struct rc_term *term = &w->metric->term[t];
        double derived = rc_term_value(w->metric, &w->metric->term[t]);
        double theirs = 0;
        for (size_t i = 0; i < w->preset->event_count; i++)
            if (rc_preset_same_event(w->preset->event[i], term->name))
                theirs += w->factor[i];
        bool same = fabs(theirs - derived) <= 1e-6 * fmax(1, fabs(derived)) ||
                    (theirs >= term->low && theirs <= term->high);
        if (!same)
            say_difference(w, theirs - derived, term->name);
    }
    if (!w->outcome[0])
        rc_text_append(w->outcome, sizeof w->outcome, "agrees");
}

/* An event in the suite's coordinates, by the file's chosen events and those that count
 * the same; NULL: it is none of them.
 */
static const double *of_chosen(const struct rc_suite_result *suite, const char *event)
{
    for (size_t i = 0; i < suite->chosen_count; i++) {
        const struct rc_chosen *chosen = &suite->chosen[i];
        if (rc_preset_same_event(chosen->name, event))
            return chosen->coordinate;
        for (size_t k = 0; k < chosen->other_count; k++)
            if (rc_preset_same_event(chosen->other_name[k], event))
                return chosen->coordinate;
    }
    return NULL;
}

/* Adds 'factor' times the representation of an event; false: it has none. */
static bool add_event(const struct work *w, const char *event, double factor,
                      double *scratch, double *total)
{
    const double *coordinate = of_chosen(w->suite, event);

    if (!coordinate && w->places &&
        w->places->represent(w->places->context, event, scratch))
        coordinate = scratch;
    for (size_t k = 0; coordinate && k < w->suite->coordinate_count; k++) {
        if (isnan(coordinate[k]))
            return false;
        total[k] += factor * coordinate[k];
    }
    return coordinate != NULL;
}

/* Represents both sums; returns an event whose representation is not known, or NULL. */
static const char *represent(const struct work *w, double *scratch, double *theirs,
                             double *derived)
{
    for (size_t i = 0; i < w->preset->event_count; i++)
        if (w->factor[i] != 0 &&
            !add_event(w, w->preset->event[i], w->factor[i], scratch, theirs))
            return w->preset->event[i];
    for (size_t t = 0; t < w->metric->term_count; t++)
        if (!add_event(w, w->metric->term[t].name,
                       rc_term_value(w->metric, &w->metric->term[t]), scratch, derived))
            return w->metric->term[t].name;
    return NULL;
}

/* Other events agree if they count the same, in each coordinate up to 'alpha' times the
 * largest, which is the bound with which the suite was solved.
 */
static int compare_places(struct work *w, struct rc_error *err)
{
    size_t width = w->suite->coordinate_count;
    double *room = rc_calloc(width, 3 * sizeof *room), largest = 1;

    if (!room)
        return rc_fail(err, RC_ENOMEM, "no memory to check presets");
    double *scratch = room, *theirs = room + width, *derived = room + 2 * width;
    const char *unknown = represent(w, scratch, theirs, derived);
    for (size_t k = 0; k < width; k++)
        largest = fmax(largest, fabs(derived[k]));
    if (unknown)
        rc_text_append(w->outcome, sizeof w->outcome,
                       "cannot be checked: what '%s' counts is not known", unknown);
    for (size_t k = 0; k < width && !unknown; k++)
        if (!(fabs(theirs[k] - derived[k]) <= w->suite->alpha * largest))
            say_difference(w, theirs[k] - derived[k], w->suite->coordinate[k]);
    if (!w->outcome[0])
        rc_text_append(w->outcome, sizeof w->outcome,
                       "agrees: other events that count the same");
    free(room);
    return RC_OK;
}

/* Whether the presets are for the counters of the kind with that key: one of the key's
 * words, separated by commas and blanks, is the name of their PMU.
 */
static bool counts_alike(const struct rc_preset_list *presets, const char *key)
{
    for (size_t i = 0; i < presets->pmu_count; i++) {
        const char *name = presets->pmu[i];
        const size_t length = strlen(name);
        for (const char *at = strstr(key, name); at; at = strstr(at + 1, name))
            if ((at == key || strchr(" ,;:", at[-1])) &&
                (!at[length] || strchr(" ,;:", at[length])))
                return true;
    }
    return false;
}

/* Writes the outcome, or the first reason for which there is none. */
static int check_preset(struct work *w, const struct rc_preset_list *presets,
                        const char *key, struct rc_error *err)
{
    const char *verdict = rc_metric_verdict_names[w->metric->verdict];
    char *out = w->outcome;

    if (!counts_alike(presets, key))
        rc_text_append(
            out, WORDS,
            "cannot be checked: %s here knows counters other than the kind's",
            presets->library);
    else if (!w->preset)
        rc_text_append(out, WORDS,
                       "cannot be checked: %s has no definition of it for these "
                       "counters",
                       presets->library);
    else if (w->metric->formula[0])
        rc_text_append(out, WORDS, "cannot be checked: the metric is a formula");
    else if (!rc_metric_is_usable(w->metric))
        rc_text_append(out, WORDS, "cannot be checked: the metric is %s", verdict);
    else if (!take_preset(w->preset, w->factor))
        rc_text_append(out, WORDS, "cannot be checked: it is not a sum of events");
    else if (all_in_metric(w))
        compare_terms(w);
    else
        return compare_places(w, err);
    return RC_OK;
}

/* "N0|N1|+ of A, B" */
static const char *write_definition(const struct rc_preset *preset,
                                    struct rc_pool *pool)
{
    char text[4 * WORDS] = "";
    size_t length = preset ? strlen(preset->postfix) : 0;

    if (!preset)
        return "";
    if (length > 0 && preset->postfix[length - 1] == '|')
        length--;
    if (length > 0)
        rc_text_append(text, sizeof text, "%.*s of ", (int)length, preset->postfix);
    else
        rc_text_append(text, sizeof text, "%s of ", preset->derived);
    for (size_t i = 0; i < preset->event_count; i++)
        rc_text_append(text, sizeof text, "%s%s", i ? ", " : "", preset->event[i]);
    return rc_pool_copy(pool, text);
}

int rc_preset_check(const struct rc_preset_list *presets, const char *key,
                    const struct rc_suite_result *suite,
                    const struct rc_preset_places *places, struct rc_pool *pool,
                    struct rc_preset_check **out, size_t *count, struct rc_error *err)
{
    int status = RC_OK;

    *count = 0;
    *out = rc_calloc(suite->metric_count, sizeof **out);
    if (!*out)
        return rc_fail(err, RC_ENOMEM, "no memory to check presets");
    for (size_t m = 0; m < suite->metric_count; m++) {
        struct work w = {.suite = suite, .places = places, .metric = &suite->metric[m]};
        if (!w.metric->preset[0])
            continue;
        for (size_t i = 0; i < presets->count && !w.preset; i++)
            if (strcasecmp(presets->preset[i].name, w.metric->preset) == 0)
                w.preset = &presets->preset[i];
        status = check_preset(&w, presets, key, err);
        struct rc_preset_check *entry = &(*out)[(*count)++];
        *entry =
            (struct rc_preset_check){.preset = w.metric->preset,
                                     .metric = w.metric->name,
                                     .definition = write_definition(w.preset, pool),
                                     .outcome = rc_pool_copy(pool, w.outcome)};
        if (status != RC_OK)
            break;
        if (!entry->definition || !entry->outcome) {
            status = rc_fail(err, RC_ENOMEM, "no memory to check presets");
            break;
        }
    }
    if (status != RC_OK) {
        free(*out);
        *out = NULL;
        *count = 0;
    }
    return status;
}
