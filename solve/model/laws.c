/* laws.c - the method 'rollcall': from readings to the laws that they allow */
#include "campaign/base/text.h"
#include "solve/model/exact.h"
#include "solve/model/parts.h"

#include <math.h>
#include <string.h>

enum { ENOUGH_VALUES = 5, MOST_WORDS = 11 };

const char *rc_laws_word_text(enum rc_laws_word word)
{
    static const char *const text[MOST_WORDS] = {
        "fewer than 5 values of a parameter",
        "more than 16 times beyond what was measured",
        "logarithms of a parameter below 1",
        "laws that fit as well differ by more than 2 times",
        "a parameter was measured at one value only",
        "parameters vary together: their parts cannot be told apart",
        "0 at some points, which are left out",
        "not known: the interval is wider than twice the value",
        "no law holds at all points: this one is of the upper ones",
        "an exact law, which all points exceed by the same share",
        "no point was measured twice: noise is what is left around the law",
    };

    for (size_t i = 0; i < MOST_WORDS; i++)
        if (word == (enum rc_laws_word)(1u << i))
            return text[i];
    return "";
}

const char *rc_laws_words_text(uint32_t words, char *out, size_t room)
{
    out[0] = 0;
    for (unsigned bit = 0; bit < MOST_WORDS; bit++)
        if (words >> bit & 1)
            rc_text_append(out, room, "%s%s", out[0] ? "; " : "",
                           rc_laws_word_text((enum rc_laws_word)(1u << bit)));
    return out;
}

static size_t values_of(const struct rc_weighed *weighed, size_t parameter)
{
    size_t count = 0;

    for (size_t i = 0; i < weighed->points && count < ENOUGH_VALUES; i++) {
        bool again = false;

        for (size_t j = 0; j < i && !again; j++)
            again = weighed->at[i * weighed->parameters + parameter] ==
                    weighed->at[j * weighed->parameters + parameter];
        count += !again;
    }
    return count;
}

/* Whether logarithms of parameters are sums of one another, up to a small part. */
static bool vary_together(const struct rc_weighed *weighed, struct rc_arena *arena)
{
    size_t points = weighed->points, n = 0;
    double *direction =
        rc_arena_array(arena, RC_LAW_PARAMETERS * points, sizeof *direction);

    for (size_t l = 0; l < weighed->parameters && !arena->failed; l++) {
        double *own = direction + n * points, mean = 0, before = 0, after = 0;

        if (!weighed->table[l])
            continue;
        for (size_t i = 0; i < points; i++) {
            own[i] = log(weighed->at[i * weighed->parameters + l]);
            mean += own[i] / (double)points;
        }
        for (size_t i = 0; i < points; i++) {
            own[i] -= mean;
            before += own[i] * own[i];
        }
        for (size_t k = 0; k < n; k++) {
            double product = 0;

            for (size_t i = 0; i < points; i++)
                product += own[i] * direction[k * points + i];
            for (size_t i = 0; i < points; i++)
                own[i] -= product * direction[k * points + i];
        }
        for (size_t i = 0; i < points; i++)
            after += own[i] * own[i];
        if (after < 1e-3 * before)
            return true;
        for (size_t i = 0; i < points; i++)
            own[i] /= sqrt(after);
        n++;
    }
    return false;
}

/* The logarithm by which a law's steps raise it at the largest values. */
static double step_of(const struct rc_judged *judged, const struct rc_laws *fit)
{
    double all = 0, steps = 0;

    for (size_t t = 0; t < judged->form.terms; t++) {
        struct rc_law_term term = {judged->coefficient[t], {{0}}};
        bool step = false;

        for (size_t l = 0; l < RC_LAW_PARAMETERS; l++) {
            size_t factor = l < fit->parameters ? judged->form.of[t][l] : 0;

            term.of[l] = rc_terms[factor];
            step = step || factor >= rc_terms_count;
        }
        term.coefficient *= rc_law_term_at(&term, fit->most, fit->parameters);
        all += term.coefficient;
        steps += step ? term.coefficient : 0;
    }
    return steps > 0 ? log(all / fmax(all - steps, 0.1 * all)) : 0;
}

/* A judged law as others see it.  Steps are 1, so that terms may be alike: they become
 * one.
 */
static struct rc_laws_choice choice_of(const struct rc_judged *judged,
                                       size_t parameters)
{
    struct rc_laws_choice out = {.law.terms = 0};
    size_t as[RC_FORM_TERMS];

    for (size_t t = 0; t < judged->form.terms; t++) {
        struct rc_law_term term = {0};
        size_t k = 0;

        for (size_t l = 0; l < RC_LAW_PARAMETERS; l++)
            term.of[l] = rc_terms[l < parameters ? judged->form.of[t][l] : 0];
        while (k < out.law.terms &&
               memcmp(out.law.term[k].of, term.of, sizeof term.of) != 0)
            k++;
        as[t] = k;
        if (k == out.law.terms)
            out.law.term[out.law.terms++] = term;
        out.law.term[k].coefficient += judged->coefficient[t];
        for (size_t s = 0; s <= t; s++) {
            out.covariance[as[t]][as[s]] += judged->covariance[t][s];
            if (s < t)
                out.covariance[as[s]][as[t]] += judged->covariance[t][s];
        }
    }
    return out;
}

enum { FAR_POINTS = RC_LAW_PARAMETERS + 1 };

/* Logarithms of a law far outside: along each parameter, and along all. */
static void far_values(const struct rc_laws *fit, const struct rc_law *law,
                       double out[FAR_POINTS])
{
    memset(out, 0, FAR_POINTS * sizeof *out);
    for (size_t far = 0; far <= fit->parameters; far++) {
        double at[RC_LAW_PARAMETERS];

        for (size_t l = 0; l < fit->parameters; l++)
            at[l] =
                far == l || far == fit->parameters ? 16 * fit->most[l] : fit->most[l];
        if (far < fit->parameters || far > 1)
            out[far] = log(rc_law_at(law, at, fit->parameters));
    }
    if (fit->parameters == 1)
        out[1] = out[0];
}

/* Which of the laws kept, whose values are 'far', is most like another one. */
static size_t most_alike(double far[][FAR_POINTS], size_t kept, size_t parameters,
                         const double *other, double *off)
{
    size_t nearest = 0;

    *off = INFINITY;
    for (size_t k = 0; k < kept; k++) {
        double most = 0;

        for (size_t i = 0; i <= parameters; i++) {
            double here = fabs(far[k][i] - other[i]);

            if (here > most)
                most = here;
        }
        if (most < *off) {
            *off = most;
            nearest = k;
        }
    }
    return nearest;
}

/* The laws that readings allow.  Where there are more than a fit holds, a law adds its
 * weight to the one that is most like it.
 */
static void choose_laws(const struct rc_judged_list *list, struct rc_laws *out)
{
    const double allowed = 5, alike = 0.002;
    double sum = 0, misfit2 = 0, far[RC_LAWS_CHOICES + 1][FAR_POINTS];

    for (size_t i = 0; i < list->count; i++) {
        const struct rc_judged *judged = &list->of[i];
        struct rc_laws_choice choice = choice_of(judged, out->parameters);
        double weight = exp(judged->evidence - list->of[0].evidence);
        double off;
        size_t nearest;

        if (weight < exp(-allowed))
            break;
        sum += weight;
        misfit2 += weight * judged->misfit2;
        far_values(out, &choice.law, far[out->count]);
        nearest = most_alike(far, out->count, out->parameters, far[out->count], &off);
        if (off > alike && out->count < RC_LAWS_CHOICES) {
            choice.weight = weight;
            out->choice[out->count++] = choice;
        } else {
            out->choice[nearest].weight += weight;
        }
    }
    for (size_t k = 0; k < out->count; k++)
        out->choice[k].weight /= sum;
    out->misfit = sqrt(misfit2 / sum);
}

static void search_laws(struct rc_weighed *weighed, struct rc_arena *arena,
                        struct rc_judged_list *list)
{
    size_t varying = 0, which = 0;

    for (size_t l = 0; l < weighed->parameters; l++)
        if (weighed->table[l]) {
            varying++;
            which = l;
        }
    list->count = 0;
    if (varying > 1)
        rc_search_several(weighed, arena, list);
    else
        rc_search_one(weighed, which, arena, list);
    if (varying == 1)
        rc_segments(weighed, which, arena, list);
}

static void fit_weighed(struct rc_weighed *weighed, struct rc_arena *arena,
                        struct rc_laws *out)
{
    struct rc_judged_list *list = rc_arena_array(arena, 1, sizeof *list);
    double lightest = INFINITY, misfit, step;

    if (arena->failed)
        return;
    search_laws(weighed, arena, list);
    for (size_t i = 0; i < weighed->points; i++)
        lightest = fmin(lightest, weighed->weight[i]);
    misfit = list->count ? sqrt(list->of[0].misfit2) : 0;
    if (weighed->variance > 0 && lightest < 0.5 &&
        misfit * misfit > 0.5 * weighed->variance) {
        rc_weigh_misfit(weighed, misfit);
        search_laws(weighed, arena, list);
    }
    if (arena->failed || !list->count)
        return;
    out->words |= weighed->words;
    if (weighed->words & RC_LAWS_SEGMENTS)
        for (size_t l = 0; l < out->parameters; l++)
            out->least[l] = fmax(out->least[l], weighed->at[l]);
    choose_laws(list, out);
    step = step_of(&list->of[0], out);
    if (step > 0) { /* others may come, of a part of it */
        out->words |= RC_LAWS_SEGMENTS;
        out->misfit = hypot(out->misfit, fmin(0.25 * step, 0.2));
    }
    rc_laws_anchor(weighed, list, out);
    out->degrees = (double)weighed->points - (double)list->of[0].form.terms;
    if (weighed->degrees > 0 && out->misfit * out->misfit < weighed->variance)
        out->degrees += weighed->degrees;
    out->degrees = fmax(out->degrees, 3); /* the prior tells as much */
    out->noise = weighed->noise;
    if (weighed->degrees == 0)
        out->noise = 2 * out->misfit;
}

/* A number that was 0 at all points is 0. */
static void fit_nothing(const struct rc_observed *observed, struct rc_laws *out)
{
    size_t readings = observed->first[observed->points] - observed->first[0];

    for (size_t i = 0; i < readings; i++)
        if (observed->value[observed->first[0] + i] != 0) {
            out->words |= RC_LAWS_ZEROS;
            return;
        }
    if (!readings)
        return;
    out->count = 1;
    out->exact = true;
    out->choice[0].weight = 1;
    out->choice[0].law.terms = 1;
    for (size_t l = 0; l < RC_LAW_PARAMETERS; l++)
        out->choice[0].law.term[0].of[l] = rc_terms[0];
}

int rc_laws_rollcall(const struct rc_observed *observed, struct rc_laws *out,
                     struct rc_error *err)
{
    struct rc_arena arena = {0};
    struct rc_weighed weighed;
    int status;

    if (observed->kind == RC_LAWS_COUNTED) {
        status = rc_laws_exact(observed, out, err);
        if (status != RC_OK || out->count)
            return status;
    }
    memset(out, 0, sizeof *out);
    out->parameters = observed->parameters;
    rc_laws_extent(observed, out);
    rc_weigh(observed, &arena, &weighed);
    if (!arena.failed && weighed.points) {
        for (size_t l = 0; l < weighed.parameters; l++) {
            if (out->least[l] < 1)
                out->words |= RC_LAWS_SMALL_LOGS;
            if (weighed.table[l] && values_of(&weighed, l) < ENOUGH_VALUES)
                out->words |= RC_LAWS_FEW_POINTS;
        }
        if (weighed.points == 1)
            out->words |= RC_LAWS_FEW_POINTS;
        if (vary_together(&weighed, &arena))
            out->words |= RC_LAWS_TOGETHER;
        fit_weighed(&weighed, &arena, out);
    } else if (!arena.failed) {
        fit_nothing(observed, out);
    }
    status = rc_arena_check(&arena, err, "laws");
    rc_arena_free(&arena);
    return status;
}
