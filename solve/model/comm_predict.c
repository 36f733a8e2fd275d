/* comm_predict.c - times of MPI calls that were not measured, from fitted laws */
#include "solve/model/comm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct rc_comm_segment *rc_comm_segment_at(const struct rc_comm_law *law,
                                                 double ranks, double bytes)
{
    size_t s = law->segments - 1;

    while (s > 0 &&
           (law->by == RC_COMM_BY_RANKS ? ranks : bytes) < law->segment[s].from)
        s--;
    return &law->segment[s];
}

static double choice_variance(const struct rc_comm_choice *choice, double ranks,
                              double bytes)
{
    double costs[RC_COMM_COSTS], sum = 0;

    rc_comm_choice_costs(choice, ranks, bytes, costs);
    for (size_t i = 0; i < RC_COMM_COSTS; i++)
        for (size_t j = 0; j < RC_COMM_COSTS; j++)
            sum += costs[i] * costs[j] * choice->covariance[i][j];
    return sum;
}

struct rc_predicted rc_comm_predict(const struct rc_comm *fit,
                                    enum rc_comm_operation operation, double ranks,
                                    double bytes)
{
    const struct rc_comm_law *law = &fit->of[operation];
    struct rc_predicted p = {NAN, NAN, NAN, NAN, law->words};
    struct rc_alternative each[RC_COMM_CHOICES];
    const double at[2] = {ranks, bytes};
    const struct rc_comm_segment *segment;

    if (law->segments == 0 || !(ranks >= 1 && isfinite(ranks)) ||
        !(bytes >= 0 && isfinite(bytes)))
        return p;
    for (size_t k = 0; k < 2; k++) {
        if (law->least[k] == law->most[k] && at[k] != law->most[k])
            p.words |= RC_LAWS_FIXED_PARAMETER;
        else if (at[k] > 16 * law->most[k] || at[k] * 16 < law->least[k])
            p.words |= RC_LAWS_FAR;
    }
    segment = rc_comm_segment_at(law, ranks, bytes);
    for (size_t i = 0; i < segment->count; i++) {
        const struct rc_comm_choice *choice = &segment->choice[i];
        double time = rc_comm_choice_time(choice, ranks, bytes);
        double miss = law->misfit * time;

        each[i] = (struct rc_alternative){
            choice->weight, time,
            sqrt(choice_variance(choice, ranks, bytes) + miss * miss)};
    }
    rc_predicted_mix(each, segment->count, law->degrees, &p);
    return p;
}

/* The choice as terms of P and s; 'fixed' above 0 stands for s.  False where it is none. */
static bool choice_terms(const struct rc_comm_choice *c, bool all_powers, bool fixed,
                         double bytes, struct rc_laws_choice *out)
{
    double times[RC_LAW_TERMS][RC_COMM_COSTS] = {{0}};
    struct rc_law *law = &out->law;

    if (c->powers != c->others || c->powers->segment > 0 ||
        (c->powers->fold_messages > 0 && !all_powers))
        return false;
    *law = (struct rc_law){.terms = 0};
    for (size_t i = 0; i < (size_t)RC_COMM_COSTS * RC_COMM_TERMS; i++) {
        const struct rc_comm_term *t =
            &c->powers->of[i / RC_COMM_TERMS][i % RC_COMM_TERMS];
        struct rc_law_term term = {0, {{t->halves, 2, t->steps}, {t->bytes, 1, 0}}};
        size_t at = 0, cost = i / RC_COMM_TERMS;

        if (t->times == 0 || !(c->costs & RC_COMM_BIT(cost)))
            continue;
        if (t->halves % 2 == 0)
            term.of[0] =
                (struct rc_law_factor){(signed char)(t->halves / 2), 1, t->steps};
        if (t->steps && !all_powers)
            return false;
        if (fixed)
            term.of[1] = (struct rc_law_factor){0, 1, 0};
        while (at < law->terms &&
               memcmp(term.of, law->term[at].of, sizeof term.of) != 0)
            at++;
        if (at == RC_LAW_TERMS)
            return false;
        if (at == law->terms)
            law->term[law->terms++] = term;
        times[at][cost] += t->times * (fixed ? pow(bytes, t->bytes) : 1);
    }
    memset(out->covariance, 0, sizeof out->covariance);
    for (size_t i = 0; i < law->terms; i++)
        for (size_t x = 0; x < RC_COMM_COSTS; x++) {
            law->term[i].coefficient += times[i][x] * c->coefficient[x];
            for (size_t j = 0; j < law->terms; j++)
                for (size_t y = 0; y < RC_COMM_COSTS; y++)
                    out->covariance[i][j] +=
                        times[i][x] * times[j][y] * c->covariance[x][y];
        }
    return true;
}

bool rc_comm_laws(const struct rc_comm *fit, enum rc_comm_operation operation,
                  double ranks, double bytes, struct rc_laws *out)
{
    const struct rc_comm_law *law = &fit->of[operation];
    bool fixed = law->least[1] == law->most[1];
    const struct rc_comm_segment *segment;
    double sum = 0;

    *out = (struct rc_laws){.parameters = fixed ? 1 : 2,
                            .misfit = law->misfit,
                            .degrees = law->degrees,
                            .words = law->words};
    memcpy(out->least, law->least, sizeof law->least);
    memcpy(out->most, law->most, sizeof law->most);
    if (law->segments == 0)
        return false;
    segment = rc_comm_segment_at(law, ranks, bytes);
    for (size_t i = 0; i < segment->count && out->count < RC_LAWS_CHOICES; i++) {
        struct rc_laws_choice *choice = &out->choice[out->count];

        choice->weight = segment->choice[i].weight;
        if (!choice_terms(&segment->choice[i], law->all_powers, fixed, law->most[1],
                          choice))
            continue;
        sum += choice->weight;
        out->count++;
    }
    for (size_t i = 0; i < out->count; i++)
        out->choice[i].weight /= sum;
    return out->count > 0;
}
