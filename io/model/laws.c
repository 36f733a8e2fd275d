/* The laws of many series, one after the other in four arrays. */
#include "io/model/model.h"

#include "campaign/base/arena.h"

#include <stdlib.h>
#include <string.h>

int rc_model_laws_add(struct rc_model_laws *l, const struct rc_laws *fit,
                      struct rc_error *err)
{
    const struct rc_model_laws before = *l;
    struct rc_arena note = {0}; /* whether memory lacked */
    struct rc_model_fit head = {.over_count = fit->over_count,
                                .noise = fit->noise,
                                .degrees = fit->degrees,
                                .misfit = fit->misfit,
                                .reach = fit->reach,
                                .anchors = fit->anchors,
                                .exact = fit->exact,
                                .words = fit->words,
                                .first = l->laws,
                                .count = fit->count};

    memcpy(head.least, fit->least, sizeof head.least);
    memcpy(head.most, fit->most, sizeof head.most);
    memcpy(head.anchor, fit->anchor, sizeof head.anchor);
    rc_arena_append(&note, &l->fit, sizeof head, &l->fits, &l->fit_room, &head);
    for (size_t c = 0; c < fit->count; c++) {
        const struct rc_laws_choice *choice = &fit->choice[c];
        const struct rc_model_law law = {.weight = choice->weight,
                                         .terms = choice->law.terms,
                                         .first_term = l->terms,
                                         .first_covariance = l->covariances};
        rc_arena_append(&note, &l->law, sizeof law, &l->laws, &l->law_room, &law);
        for (size_t i = 0; i < law.terms; i++) {
            rc_arena_append(&note, &l->term, sizeof *l->term, &l->terms, &l->term_room,
                            &choice->law.term[i]);
            for (size_t k = 0; k <= i; k++)
                rc_arena_append(&note, &l->covariance, sizeof *l->covariance,
                                &l->covariances, &l->covariance_room,
                                &choice->covariance[i][k]);
        }
    }
    if (note.failed) {
        l->fits = before.fits;
        l->laws = before.laws;
        l->terms = before.terms;
        l->covariances = before.covariances;
        return rc_fail(err, RC_ENOMEM, "no memory for the laws of %zu series",
                       l->fits + 1);
    }
    l->parameters = fit->parameters;
    return RC_OK;
}

void rc_model_laws_get(const struct rc_model_laws *l, size_t series,
                       struct rc_laws *out)
{
    const struct rc_model_fit *fit = &l->fit[series];

    *out = (struct rc_laws){.parameters = l->parameters,
                            .exact = fit->exact,
                            .over_count = fit->over_count,
                            .noise = fit->noise,
                            .degrees = fit->degrees,
                            .misfit = fit->misfit,
                            .reach = fit->reach,
                            .anchors = fit->anchors,
                            .words = (uint32_t)fit->words,
                            .count = fit->count};
    memcpy(out->least, fit->least, sizeof out->least);
    memcpy(out->most, fit->most, sizeof out->most);
    memcpy(out->anchor, fit->anchor, sizeof out->anchor);
    for (size_t c = 0; c < fit->count; c++) {
        const struct rc_model_law *law = &l->law[fit->first + c];
        const double *covariance = l->covariance + law->first_covariance;
        struct rc_laws_choice *choice = &out->choice[c];
        choice->weight = law->weight;
        choice->law.terms = law->terms;
        for (size_t i = 0; i < law->terms; i++) {
            choice->law.term[i] = l->term[law->first_term + i];
            for (size_t k = 0; k <= i; k++)
                choice->covariance[i][k] = choice->covariance[k][i] = *covariance++;
        }
    }
}

void rc_model_laws_fini(struct rc_model_laws *laws)
{
    free(laws->fit);
    free(laws->law);
    free(laws->term);
    free(laws->covariance);
    *laws = (struct rc_model_laws){0};
}
