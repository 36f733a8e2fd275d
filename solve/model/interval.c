/* interval.c - predictions from all laws that readings allow
 *
 * Each law predicts with the standard error of its coefficients, and with what it misses
 * at the points that were measured; that grows with the distance from them.  The
 * prediction is the median of these, by the laws' weights, and the interval has 5 % of
 * them below and above it.
 */
#include "solve/model/parts.h"

#include <math.h>

/* A law's prediction: normal in its logarithm, with this centre and width. */
struct single {
    double weight, value, centre, width;
};

struct mixture {
    size_t count;
    struct single of[RC_LAWS_CHOICES];
    double degrees;
    double low, high; /* no centre and hardly a prediction is outside of these */
};

/* How far a point is from those that were measured: in their own extent. */
static double distance(const struct rc_laws *fit, const double *at)
{
    double far = 0;

    for (size_t l = 0; l < fit->parameters; l++) {
        double extent = log(fit->most[l] / fit->least[l]), off;

        off = fmax(log(at[l] / fit->most[l]), log(fit->least[l] / at[l]));
        if (extent > 0 && off > 0)
            far = fmax(far, off / extent);
    }
    return far;
}

static double variance_at(const struct rc_laws_choice *choice, const double *at,
                          size_t parameters)
{
    double term[RC_LAW_TERMS], sum = 0;

    for (size_t i = 0; i < choice->law.terms; i++) {
        term[i] = rc_law_term_at(&choice->law.term[i], at, parameters);
        for (size_t j = 0; j <= i; j++)
            sum += (i == j ? 1 : 2) * term[i] * term[j] * choice->covariance[i][j];
    }
    return fmax(sum, 0);
}

/* Probability that Student's t is below 't', to two digits (Wallace). */
static double below_t(double t, double degrees)
{
    double z =
        sqrt(degrees * log1p(t * t / degrees)) * (8 * degrees + 1) / (8 * degrees + 3);

    return 0.5 * erfc((t > 0 ? -z : z) / sqrt(2));
}

static double below(const struct mixture *mixture, double x)
{
    double sum = 0;

    for (size_t i = 0; i < mixture->count; i++) {
        const struct single *of = &mixture->of[i];

        if (of->width > 0)
            sum += of->weight * below_t((x - of->centre) / of->width, mixture->degrees);
        else
            sum += x >= of->centre ? of->weight : 0;
    }
    return sum;
}

static double quantile(const struct mixture *mixture, double p)
{
    double low = mixture->low, high = mixture->high;

    for (int i = 0; i < 60 && high - low > 1e-12; i++) {
        double middle = 0.5 * (low + high);

        if (below(mixture, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return exp(0.5 * (low + high));
}

static double value_at(const struct rc_laws *fit, size_t choice, const double *at)
{
    return rc_law_at(&fit->choice[choice].law, at, fit->parameters) *
           (1 + fit->over_count);
}

/* The shift of predictions by anchors. */
static double shift_at(const struct rc_laws *fit, const double *at)
{
    double sum = 0;

    for (size_t i = 0; i < fit->anchors; i++)
        sum += fit->anchor[i].off *
               exp(-rc_laws_apart(fit, at, fit->anchor[i].at) / fit->reach);
    return sum;
}

/* Laws that are 0 there, or too large for a number, are left out. */
static struct mixture mix(const struct rc_laws *fit, const double *at, double miss,
                          double *ratio)
{
    struct mixture out = {
        .degrees = fmax(fit->degrees, 1), .low = INFINITY, .high = -INFINITY};
    double shift = shift_at(fit, at), sum = 0;
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < fit->count; i++) {
        double value = value_at(fit, i, at), relative;
        struct single *of = &out.of[out.count];

        if (!(value > 0) || !isfinite(value))
            continue;
        relative = variance_at(&fit->choice[i], at, fit->parameters) / value / value;
        *of = (struct single){fit->choice[i].weight, value * exp(shift),
                              log(value) + shift, sqrt(log1p(relative) + miss * miss)};
        out.low = fmin(out.low, of->centre - 12 * of->width);
        out.high = fmax(out.high, of->centre + 12 * of->width);
        sum += of->weight;
        out.count++;
        if (fit->choice[i].weight > 0.1) {
            least = fmin(least, value);
            most = fmax(most, value);
        }
    }
    for (size_t i = 0; i < out.count; i++)
        out.of[i].weight /= sum;
    *ratio = most / least;
    return out;
}

static uint32_t words_of_target(const struct rc_laws *fit, const double *at)
{
    uint32_t words = 0;

    for (size_t l = 0; l < fit->parameters; l++) {
        if (fit->least[l] == fit->most[l] && at[l] != fit->most[l])
            words |= RC_LAWS_FIXED_PARAMETER | RC_LAWS_UNKNOWN;
        else if (at[l] > 16 * fit->most[l] || at[l] < fit->least[l] / 16)
            words |= RC_LAWS_FAR;
        for (size_t i = 0; i < fit->count && at[l] < 1; i++)
            for (size_t t = 0; t < fit->choice[i].law.terms; t++)
                if (fit->choice[i].law.term[t].of[l].logs)
                    words |= RC_LAWS_SMALL_LOGS;
    }
    return words;
}

struct rc_predicted rc_laws_predict(const struct rc_laws *fit, const double *at)
{
    struct rc_predicted out = {NAN, NAN, NAN, NAN, fit->words};
    struct mixture mixture;
    /* A share that is over-counted does not grow. */
    double ratio = 1, growth = fit->over_count > 0 ? 1 : 1 + 4 * distance(fit, at);

    out.words |= words_of_target(fit, at);
    if (!fit->count) {
        out.words |= RC_LAWS_UNKNOWN;
        return out;
    }
    out.value = value_at(fit, 0, at);
    if (isnan(fit->noise)) /* a method that knows no intervals */
        return out;
    if (fit->exact) {
        out.low = out.high = out.value;
        out.spread = 0;
    } else if ((mixture = mix(fit, at, 0, &ratio)).count) {
        out.value = mixture.count > 1 ? quantile(&mixture, 0.5) : mixture.of[0].value;
        mixture = mix(fit, at, fit->misfit * growth, &ratio);
        out.low = fmin(quantile(&mixture, 0.05), out.value);
        out.high = fmax(quantile(&mixture, 0.95), out.value);
        out.spread = (out.high - out.low) / 3.29;
    }
    if (!(out.value >= 0) || !isfinite(out.value))
        out.value = NAN;
    if (out.words & RC_LAWS_FIXED_PARAMETER || !isfinite(out.value))
        out.low = out.high = out.spread = NAN;
    if (!(out.high - out.low <= 2 * out.value))
        out.words |= RC_LAWS_UNKNOWN;
    if (ratio > 2)
        out.words |= RC_LAWS_CHOICES_DIFFER;
    return out;
}

void rc_predicted_mix(const struct rc_alternative *each, size_t count, double degrees,
                      struct rc_predicted *out)
{
    struct mixture mixture = {
        .degrees = fmax(degrees, 1), .low = INFINITY, .high = -INFINITY};
    double sum = 0, least = INFINITY, most = 0;

    for (size_t i = 0; i < count; i++) {
        struct single *of = &mixture.of[mixture.count];
        double relative = each[i].spread / each[i].value;

        if (!(each[i].value > 0) || !isfinite(each[i].value))
            continue;
        *of = (struct single){each[i].weight, each[i].value, log(each[i].value),
                              sqrt(log1p(relative * relative))};
        mixture.low = fmin(mixture.low, of->centre - 12 * of->width);
        mixture.high = fmax(mixture.high, of->centre + 12 * of->width);
        least = fmin(least, of->value);
        most = fmax(most, of->value);
        sum += of->weight;
        mixture.count++;
    }
    for (size_t i = 0; i < mixture.count; i++)
        mixture.of[i].weight /= sum;
    if (mixture.count == 0)
        return;
    out->value = quantile(&mixture, 0.5);
    out->low = quantile(&mixture, 0.05);
    out->high = quantile(&mixture, 0.95);
    out->spread = (out->high - out->low) / 3.29;
    out->words |= out->high - out->low <= 2 * out->value ? 0 : RC_LAWS_UNKNOWN;
    out->words |= most > 2 * least ? RC_LAWS_CHOICES_DIFFER : 0;
}
