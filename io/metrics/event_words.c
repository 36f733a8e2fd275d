/* Says what the solve found out about an event, in a word and in a sentence.
 *
 * Suites say different things of one event: the sentence combines the one that knows it
 * best with those that contradict.
 */
#include "io/metrics/event_words.h"

#include "campaign/base/text.h"

#include <math.h>
#include <string.h>

enum { TERMS_SHOWN = 4 };

/* How well a suite knows an event, the best last. */
enum knows {
    KNOWS_NOTHING, /* there are no readings */
    KNOWS_ZERO,
    KNOWS_NOISE,
    KNOWS_OUTSIDE,
    KNOWS_IMPURE,
    KNOWS_BACKGROUND, /* a sum of what the suite counts besides its ideals */
    KNOWS_SUM
};

/* The coordinates that are not 0, of the ideals. */
static size_t count_terms(const struct rc_event_in_suite *in)
{
    size_t terms = 0;

    for (size_t i = 0; i < in->suite->ideal_count; i++)
        terms += fabs(in->x[i]) >= in->suite->alpha;
    return terms;
}

static enum knows knows(const struct rc_event_in_suite *in)
{
    switch (in->class) {
    case RC_CLASS_INVALID:
        return KNOWS_NOTHING;
    case RC_CLASS_DEAD:
    case RC_CLASS_IRRELEVANT:
        return KNOWS_ZERO;
    case RC_CLASS_NOISY:
        return KNOWS_NOISE;
    default:
        break;
    }
    if (in->use == RC_USE_IMPURE)
        return KNOWS_IMPURE;
    if (in->use < RC_USE_DEPENDENT || in->suite->coordinate_count == 0 ||
        isnan(in->x[0]))
        return KNOWS_OUTSIDE;
    return count_terms(in) ? KNOWS_SUM : KNOWS_BACKGROUND;
}

const char *rc_event_word(const struct rc_event_in_suite *in)
{
    switch (knows(in)) {
    case KNOWS_NOTHING:
        return in->suite->coordinate_count ? "not measured" : "not used here";
    case KNOWS_NOISE:
        return "too noisy for this suite";
    case KNOWS_SUM:
        return in->class == RC_CLASS_EXACT ? "exact" : "good";
    default:
        return "not used here";
    }
}

/* The metric that this event is all by itself, and how much of it one count is; NULL:
 * there is none.
 */
static const struct rc_metric_result *find_metric(const struct rc_suite_result *r,
                                                  size_t event, double *each)
{
    *each = 1;
    for (size_t m = 0; m < r->metric_count; m++) {
        const struct rc_metric_result *metric = &r->metric[m];
        if (!rc_metric_is_defined(metric))
            continue;
        for (size_t i = 0; i < metric->alone_count; i++)
            if (metric->alone[i] == event)
                return metric;
        if (metric->term_count == 1 && metric->term->event == event &&
            rc_term_value(metric, metric->term) != 0) {
            *each = 1 / rc_term_value(metric, metric->term);
            return metric;
        }
    }
    return NULL;
}

/* The metric that is this ideal alone, by whose name people know it; NULL: none. */
static const char *name_of_ideal(const struct rc_suite_result *r, const char *ideal)
{
    for (size_t m = 0; m < r->metric_count; m++)
        if (strcmp(r->metric[m].signature, ideal) == 0)
            return r->metric[m].name;
    return NULL;
}

static void put_term(char *out, size_t room, double value, const char *name, bool first)
{
    if (!first || value < 0)
        rc_text_append(out, room, first ? "-" : value < 0 ? " - " : " + ");
    value = fabs(value);
    if (fabs(value - 1) > 5e-4)
        rc_text_append(out, room, "%.3g ", value);
    rc_text_append(out, room, "%s", name);
}

const char *rc_event_sum(char *out, size_t room, const struct rc_event_in_suite *in,
                         size_t event)
{
    const struct rc_suite_result *r = in->suite;
    double each = 1;
    const struct rc_metric_result *metric = find_metric(r, event, &each);
    const char *only = metric ? metric->name : NULL, *known = NULL;
    size_t terms, shown = 0;

    out[0] = 0;
    if (knows(in) < KNOWS_OUTSIDE || r->coordinate_count == 0 || isnan(in->x[0]))
        return out;
    terms = count_terms(in);
    for (size_t i = 0; !only && terms == 1 && i < r->ideal_count; i++)
        if (fabs(in->x[i]) >= r->alpha) {
            only = r->coordinate[i];
            known = name_of_ideal(r, only);
            each = in->x[i];
        }
    if (only) {
        if (known)
            rc_text_append(out, room, "'%s' (%s), %.3g each", known, only, each);
        else
            rc_text_append(out, room, metric ? "'%s', %.3g each" : "%s, %.3g each",
                           only, each);
        return out;
    }
    for (size_t i = 0; i < r->ideal_count; i++)
        if (fabs(in->x[i]) >= r->alpha && shown++ < TERMS_SHOWN)
            put_term(out, room, in->x[i], r->coordinate[i], shown == 1);
    if (shown > TERMS_SHOWN)
        rc_text_append(out, room, " and %zu more", shown - TERMS_SHOWN);
    return out;
}

/* Says what it counts besides, by each iteration or reading. */
static void put_background(char *out, size_t room, const struct rc_event_in_suite *in,
                           const char *before)
{
    const struct rc_suite_result *r = in->suite;

    for (size_t i = r->ideal_count; i < r->coordinate_count; i++)
        if (fabs(in->x[i]) >= r->alpha) {
            rc_text_append(out, room, "%s%.3g in %s", before, in->x[i],
                           r->coordinate[i]);
            before = " and ";
        }
}

/* "suites flops and branch": those that know the event so. */
static void put_suites(char *out, size_t room, const struct rc_event_in_suite *in,
                       size_t count, enum knows what)
{
    size_t all = 0, at = 0;

    for (size_t i = 0; i < count; i++)
        all += knows(&in[i]) == what;
    rc_text_append(out, room, "suite%s ", rc_text_s(all));
    for (size_t i = 0; i < count; i++)
        if (knows(&in[i]) == what) {
            rc_text_append(out, room, "%s%s",
                           at == 0         ? ""
                           : at + 1 == all ? " and "
                                           : ", ",
                           in[i].suite->suite);
            at++;
        }
}

/* The suite whose sentence is told: that which knows most, by the fewest terms. */
static const struct rc_event_in_suite *find_best(const struct rc_event_in_suite *in,
                                                 size_t count)
{
    const struct rc_event_in_suite *best = count ? in : NULL;

    for (size_t i = 1; i < count; i++) {
        const enum knows now = knows(&in[i]), before = knows(best);
        if (now > before || (now == before && now == KNOWS_SUM &&
                             count_terms(&in[i]) < count_terms(best)))
            best = &in[i];
    }
    return best;
}

static void put_known(char *out, size_t room, const struct rc_event_in_suite *best,
                      size_t event)
{
    char sum[400];

    rc_event_sum(sum, sizeof sum, best, event);
    switch (knows(best)) {
    case KNOWS_SUM:
        rc_text_append(out, room, "counts %s", sum);
        put_background(out, room, best, "; a background of ");
        break;
    case KNOWS_BACKGROUND:
        rc_text_append(out, room, "counts nothing that the kernels do");
        put_background(out, room, best, ", but ");
        break;
    case KNOWS_IMPURE:
        rc_text_append(out, room,
                       "looks like %s in suite %s, but counts something else",
                       sum[0] ? sum : "a sum of ideals", best->suite->suite);
        break;
    default:
        if (best->residual <= best->suite->residual && sum[0]) {
            rc_text_append(out, room, "counts %s in suite %s", sum, best->suite->suite);
            break;
        }
        rc_text_append(out, room, "is not a sum of what the kernels of suite %s do",
                       best->suite->suite);
        if (!isnan(best->residual))
            rc_text_append(out, room, "; a part of %.2g is left over", best->residual);
    }
    if (knows(best) != KNOWS_SUM && best->reason[0])
        rc_text_append(out, room, " (%s)", best->reason);
}

const char *rc_event_sentence(char *out, size_t room,
                              const struct rc_store_event *described, size_t event,
                              const struct rc_event_in_suite *in, size_t count)
{
    const struct rc_event_in_suite *best = find_best(in, count);
    const enum knows most = best ? knows(best) : KNOWS_NOTHING;

    out[0] = 0;
    if (described->verdict != RC_VERDICT_OK) {
        rc_text_append(out, room, "cannot be counted: %s%s%s",
                       rc_verdict_name(described->verdict),
                       described->reason[0] ? ", " : "", described->reason);
    } else if (most == KNOWS_NOTHING && best && best->suite->coordinate_count == 0) {
        rc_text_append(out, room, "can be counted, and is not solved for: %s",
                       best->reason);
    } else if (most == KNOWS_NOTHING) {
        rc_text_append(out, room, "can be counted, and has no valid readings yet");
    } else if (most == KNOWS_ZERO) {
        rc_text_append(out, room, "counted 0 on every point of ");
        put_suites(out, room, in, count, KNOWS_ZERO);
    } else if (most == KNOWS_NOISE) {
        rc_text_append(out, room,
                       "differs from one repetition to the next by %.2g: too "
                       "noisy for ",
                       best->noise);
        put_suites(out, room, in, count, KNOWS_NOISE);
    } else {
        put_known(out, room, best, event);
    }
    return out;
}
