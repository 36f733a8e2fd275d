/* Reads what a model is made from, or held against: profiles, and files of other tools. */
#include "campaign/model/parts.h"

#include "campaign/base/memory.h"
#include "campaign/profile/read/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds what a source has to the draft, whose parameters may stand in another order. */
static int add_source(const struct rc_measured *m, const struct rc_measured *first,
                      const char *name, struct rc_measured_draft *draft,
                      struct rc_error *err)
{
    size_t from[RC_MEASURED_PARAMETERS];
    double at[RC_MEASURED_PARAMETERS];
    int status = RC_OK;

    for (size_t i = 0; i < first->parameters; i++) {
        from[i] = rc_model_find_parameter(m, first->parameter[i],
                                          strlen(first->parameter[i]));
        if (from[i] == m->parameters || m->parameters != first->parameters)
            return rc_fail(
                err, RC_EUSAGE,
                "'%s' has %zu parameter%s without '%.100s', expected those of "
                "the first source",
                name, m->parameters, m->parameters == 1 ? "" : "s",
                from[i] == m->parameters ? first->parameter[i] : "others");
    }
    for (size_t i = 0; i < m->series; i++) {
        const struct rc_measured_series *s = &m->of[i];
        for (size_t p = 0; p < m->points && status == RC_OK; p++) {
            for (size_t k = 0; k < first->parameters; k++)
                at[k] = m->at[p * m->parameters + from[k]];
            for (size_t r = s->first[p]; r < s->first[p + 1] && status == RC_OK; r++)
                status = rc_measured_add(draft, at, m->kernel[s->kernel],
                                         &m->metric[s->metric], s->value[r],
                                         s->spread ? s->spread[p] : NAN, err);
        }
    }
    return status;
}

static int join_sources(struct rc_measured *const *each, const char *const *name,
                        size_t count, struct rc_measured **out, struct rc_error *err)
{
    struct rc_measured_draft *draft = NULL;
    int status =
        rc_measured_begin(each[0]->parameter, each[0]->parameters, &draft, err);

    for (size_t i = 0; i < count && status == RC_OK; i++)
        status = add_source(each[i], each[0], name[i], draft, err);
    if (status == RC_OK)
        return rc_measured_end(draft, each[0]->origin, out, err);
    rc_measured_drop(draft);
    return status;
}

/* How many of the sources are profiles; the first that is not one. */
static size_t count_profiles(const struct rc_model_request *r, size_t *other)
{
    size_t profiles = 0;

    *other = r->sources;
    for (size_t i = r->sources; i-- > 0;)
        if (!r->import && rc_profile_is_in(r->source[i]))
            profiles++;
        else
            *other = i;
    return profiles;
}

static int read_files(const struct rc_model_request *r, struct rc_measured **out,
                      struct rc_error *err)
{
    struct rc_measured **each = rc_calloc(r->sources, sizeof(struct rc_measured *));
    int status = each ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for the sources");

    for (size_t i = 0; i < r->sources && status == RC_OK; i++)
        if ((status = rc_measured_read(r->source[i], &each[i], err)) == RC_OK)
            status = rc_model_unnest(each[i], err);
    if (status == RC_OK && r->sources == 1) {
        *out = each[0];
        each[0] = NULL;
    } else if (status == RC_OK)
        status = join_sources(each, r->source, r->sources, out, err);
    for (size_t i = 0; i < r->sources && each; i++)
        rc_measured_close(each[i]);
    free(each);
    return status;
}

int rc_model_read_sources(const struct rc_model_request *r, struct rc_measured **out,
                          struct rc_error *err)
{
    size_t other;
    const size_t profiles = count_profiles(r, &other);
    int status;

    if (profiles > 0 && profiles < r->sources)
        return rc_fail(
            err, RC_EUSAGE,
            "'%s' is not a profile, as others are: expected one or the other",
            r->source[other]);
    status = profiles > 0 ? rc_model_read_profiles(r->source, r->sources, out, err)
                          : read_files(r, out, err);
    if (status == RC_OK && ((*out)->series == 0 || (*out)->points == 0)) {
        rc_measured_close(*out);
        *out = NULL;
        status = rc_fail(err, RC_EUSAGE, "'%s' has no readings", r->source[0]);
    }
    return status;
}
