/* misfit.c - where points are off the laws, and points near them, too
 *
 * Programs follow no law to the last per cent, and what one point is off, its neighbours
 * are as well.  The misfit is a Gaussian process of the logarithms, whose correlation
 * falls with the distance; its reach is the most likely of a few.  Predictions near
 * points are moved by what these are off.
 */
#include "solve/model/parts.h"

#include <math.h>

enum { MOST = RC_LAWS_ANCHORS };

double rc_laws_apart(const struct rc_laws *fit, const double *a, const double *b)
{
    double sum = 0;

    for (size_t l = 0; l < fit->parameters; l++) {
        double extent = log(fit->most[l] / fit->least[l]);

        if (extent > 0)
            sum += pow(log(a[l] / b[l]) / extent, 2);
    }
    return sqrt(sum);
}

/* The logarithm of what the laws expect at a point, by their weights.  Along a single
 * parameter steps count below them, too: points there lead predictions down again.
 */
static double expected_at(const struct rc_weighed *weighed,
                          const struct rc_judged_list *list, size_t point)
{
    double sum = 0, weights = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct rc_judged *judged = &list->of[i];
        double weight = exp(judged->evidence - list->of[0].evidence), value = 0;

        if (weight < 1e-3)
            break;
        for (size_t t = 0; t < judged->form.terms; t++) {
            double term = judged->coefficient[t];

            for (size_t l = 0; l < weighed->parameters; l++)
                if (judged->form.of[t][l] &&
                    (judged->form.of[t][l] < rc_terms_count || weighed->parameters > 1))
                    term *=
                        weighed
                            ->table[l][judged->form.of[t][l] * weighed->points + point];
            value += term;
        }
        if (!(value > 0)) /* a step alone */
            continue;
        sum += weight * log(value);
        weights += weight;
    }
    return weights > 0 ? sum / weights : NAN;
}

/* Takes the points nearest the largest values, with what they are off. */
static size_t take_anchors(const struct rc_weighed *weighed,
                           const struct rc_judged_list *list, const struct rc_laws *fit,
                           struct rc_laws_anchor *out, double *noise2)
{
    double far[MOST];
    size_t count = 0;

    for (size_t i = 0; i < weighed->points; i++) {
        const double *at = weighed->at + i * weighed->parameters;
        double here = rc_laws_apart(fit, fit->most, at);
        double off = log(weighed->mean[i]) - expected_at(weighed, list, i);
        size_t k = count < MOST ? count : MOST - 1;

        if (!isfinite(off) || (count == MOST && here >= far[k]))
            continue;
        for (; k && far[k - 1] > here; k--) {
            far[k] = far[k - 1];
            out[k] = out[k - 1];
            noise2[k] = noise2[k - 1];
        }
        far[k] = here;
        for (size_t l = 0; l < weighed->parameters; l++)
            out[k].at[l] = at[l];
        out[k].off = off;
        noise2[k] = weighed->variance / weighed->weight[i];
        count += count < MOST;
    }
    return count;
}

/* Logarithm of the likelihood with a reach; 'out' is the inverse times what is off. */
static double likelihood(const struct rc_laws *fit, const double *noise2, double reach,
                         double *out)
{
    static const double jitter = 1e-9;
    double of[MOST][MOST], sum = 0, misfit2 = fit->misfit * fit->misfit;
    size_t n = fit->anchors;

    for (size_t i = 0; i < n; i++) {
        out[i] = fit->anchor[i].off;
        for (size_t j = 0; j <= i; j++) {
            double apart = rc_laws_apart(fit, fit->anchor[i].at, fit->anchor[j].at);

            of[i][j] = i == j      ? misfit2 * (1 + jitter) + noise2[i]
                       : reach > 0 ? misfit2 * exp(-apart / reach)
                                   : 0;
            for (size_t k = 0; k < j; k++)
                of[i][j] -= of[i][k] * of[j][k];
            of[i][j] = i == j ? sqrt(fmax(of[i][j], 1e-300)) : of[i][j] / of[j][j];
        }
        for (size_t k = 0; k < i; k++)
            out[i] -= of[i][k] * out[k];
        out[i] /= of[i][i];
        sum -= 0.5 * out[i] * out[i] + log(of[i][i]);
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            out[i] -= of[k][i] * out[k];
        out[i] /= of[i][i];
    }
    return sum;
}

void rc_laws_anchor(const struct rc_weighed *weighed, const struct rc_judged_list *list,
                    struct rc_laws *fit)
{
    static const double reach[] = {0, 0.25, 1, 4};
    double noise2[MOST], solved[4][MOST], likely[4], most, sum = 0;
    size_t best = 1;

    if (!(fit->misfit > 0) || weighed->points < 3)
        return;
    fit->anchors = take_anchors(weighed, list, fit, fit->anchor, noise2);
    for (size_t r = 0; r < 4; r++) {
        likely[r] = likelihood(fit, noise2, reach[r], solved[r]);
        if (r && likely[r] > likely[best])
            best = r;
    }
    most = fmax(likely[0], likely[best]);
    for (size_t r = 0; r < 4; r++)
        sum += exp(likely[r] - most);
    fit->reach = reach[best];
    for (size_t i = 0; i < fit->anchors; i++)
        fit->anchor[i].off = solved[best][i] * fit->misfit * fit->misfit *
                             (1 - exp(likely[0] - most) / sum);
}
