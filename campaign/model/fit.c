/* Finds the laws of all series, which are dealt out to the ranks.
 *
 * Laws differ in cost, and neighbours are alike: they are of one kernel.  So rank r takes
 * each so-many-th series, from number r on.
 */
#include "campaign/model/parts.h"

#include "campaign/base/gather.h"

#include <stdlib.h>
#include <string.h>

static int fit_series(const struct rc_measured *m, const struct rc_measured_series *s,
                      const struct rc_laws_method *method, struct rc_laws *out,
                      struct rc_error *err)
{
    const struct rc_observed observed = {
        .kind = m->metric[s->metric].kind == RC_MEASURED_COUNT ? RC_LAWS_COUNTED
                                                               : RC_LAWS_MEASURED,
        .parameters = m->parameters,
        .points = m->points,
        .at = m->at,
        .first = s->first,
        .value = s->value,
        .spread = s->spread};

    return method->fit(&observed, out, err);
}

/* The arrays of packed laws, one after the other, their numbers first. */
struct part {
    size_t fits, laws, terms, covariances;
};

static size_t bytes_of(const struct part *part)
{
    return sizeof *part + part->fits * sizeof(struct rc_model_fit) +
           part->laws * sizeof(struct rc_model_law) +
           part->terms * sizeof(struct rc_law_term) +
           part->covariances * sizeof(double);
}

/* Copies an array, which may be NULL where it is empty; the place after it. */
static char *put_array(char *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
    return to + bytes;
}

static char *pack(const struct rc_model_laws *laws, size_t *bytes)
{
    const struct part part = {laws->fits, laws->laws, laws->terms, laws->covariances};
    char *packed = malloc(*bytes = bytes_of(&part));
    char *at = packed ? put_array(packed, &part, sizeof part) : NULL;

    if (!packed)
        return NULL;
    at = put_array(at, laws->fit, part.fits * sizeof *laws->fit);
    at = put_array(at, laws->law, part.laws * sizeof *laws->law);
    at = put_array(at, laws->term, part.terms * sizeof *laws->term);
    put_array(at, laws->covariance, part.covariances * sizeof *laws->covariance);
    return packed;
}

/* The laws of a rank where they lie: all of their arrays have items of whole words. */
static struct rc_model_laws unpack(unsigned char *bytes, size_t parameters)
{
    struct part part;

    memcpy(&part, bytes, sizeof part);
    struct rc_model_laws laws = {.parameters = parameters,
                                 .fits = part.fits,
                                 .laws = part.laws,
                                 .terms = part.terms,
                                 .covariances = part.covariances};
    laws.fit = (void *)(bytes + sizeof part);
    laws.law = (void *)(laws.fit + part.fits);
    laws.term = (void *)(laws.law + part.laws);
    laws.covariance = (void *)(laws.term + part.terms);
    return laws;
}

/* Collective. */
static int gather_laws(MPI_Comm comm, const struct rc_measured *m, const char *mine,
                       size_t bytes, struct rc_model_laws *out, struct rc_error *err)
{
    const size_t ranks = (size_t)rc_team_size(comm);
    struct rc_gathered all;
    struct rc_laws fit;
    int status = rc_gather(comm, mine, bytes, &all, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < m->series && status == RC_OK; i++) {
        const struct rc_model_laws part =
            unpack(all.byte + all.from[i % ranks], m->parameters);
        rc_model_laws_get(&part, i / ranks, &fit);
        status = rc_model_laws_add(out, &fit, err);
    }
    rc_gathered_fini(&all);
    return rc_agree(comm, status, err);
}

int rc_model_fit_all(MPI_Comm comm, const struct rc_measured *m,
                     const struct rc_laws_method *method, struct rc_model_laws *out,
                     struct rc_error *err)
{
    const size_t rank = (size_t)rc_team_rank(comm), ranks = (size_t)rc_team_size(comm);
    struct rc_model_laws mine = {0};
    struct rc_laws *fit = malloc(sizeof *fit);
    char *packed = NULL;
    size_t bytes = 0;
    int status = fit ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for laws");

    for (size_t i = rank; i < m->series && status == RC_OK; i += ranks)
        if ((status = fit_series(m, &m->of[i], method, fit, err)) == RC_OK)
            status = rc_model_laws_add(&mine, fit, err);
    if (status == RC_OK && !(packed = pack(&mine, &bytes)))
        status = rc_fail(err, RC_ENOMEM, "no memory for laws");
    if ((status = rc_agree(comm, status, err)) == RC_OK)
        status = gather_laws(comm, m, packed, bytes, out, err);
    free(packed);
    free(fit);
    rc_model_laws_fini(&mine);
    return status;
}
