/* Causes of the time that a core lost: they add up to all of it, the largest first. */
#include "campaign/detours/losses.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/detours/conditions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char unknown[] = "unknown", others[] = "others";

/* Causes without a name come last. */
static int compare_causes(const void *a, const void *b)
{
    const struct rc_noise_cause *x = a, *y = b;
    const bool rest[] = {!x->who[0], !y->who[0]};

    if (rest[0] != rest[1])
        return rest[0] ? 1 : -1;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return strcmp(x->who, y->who);
}

static struct rc_noise_cause make_cause(const char *who, double share)
{
    struct rc_noise_cause out = {.share = share};

    rc_text_printable(out.who, sizeof out.who, who);
    return out;
}

/* The largest of 'named', whose names differ, then "others", then what is left of
 * 'lost', as the causes of 'out'; these in order.  A cause without a name is unknown.
 */
static void rank_causes(struct rc_noise_cause *named, size_t count,
                        struct rc_noise_loss *out)
{
    double left = out->lost, rest = 0;

    out->causes = 0;
    qsort(named, count, sizeof *named, compare_causes);
    for (size_t i = 0; i < count && named[i].who[0]; i++) {
        named[i].share = fmin(named[i].share, left);
        left -= named[i].share;
        if (i >= RC_NOISE_CAUSES - 2 || strcmp(named[i].who, others) == 0)
            rest += named[i].share;
        else if (named[i].share > 0)
            out->cause[out->causes++] = named[i];
    }
    if (rest > 0)
        out->cause[out->causes++] = make_cause(others, rest);
    if (left > 1e-6 * out->lost)
        out->cause[out->causes++] = make_cause(unknown, left);
    qsort(out->cause, out->causes, sizeof *out->cause, compare_causes);
}

/* Nobody was asked: what the kernel counted of other threads and of the host, and lines
 * that look like a tick.
 */
static size_t count_causes(const struct rc_noise_detours *d,
                           const struct rc_noise_loss *loss,
                           struct rc_noise_cause *named)
{
    double tick = 0;
    size_t count = 0;

    for (size_t i = 0; i < d->totals; i++)
        if (strcmp(d->total[i].name, RC_NOISE_WAITED) == 0)
            named[count++] = make_cause("other threads", (double)d->total[i].count /
                                                             (double)d->duration_ns);
    for (size_t i = 0; i < loss->periods; i++)
        if (strcmp(loss->period[i].who, RC_NOISE_TICK) == 0)
            tick += loss->period[i].line.share;
    named[count++] = make_cause(RC_NOISE_TICK, tick);
    if (isfinite(loss->steal))
        named[count++] = make_cause(rc_noise_who_names[RC_NOISE_WHO_HOST], loss->steal);
    return count;
}

int rc_noise_causes_find(const struct rc_noise_detours *d, struct rc_noise_loss *out,
                         struct rc_error *err)
{
    struct rc_noise_cause *named = rc_calloc(d->names + 3, sizeof *named);
    size_t count = 0;
    bool asked = false;

    if (!named)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu names", d->names);
    for (size_t i = 0; i < d->count && !asked; i++)
        asked = d->who[i] != RC_NOISE_WHO_NOT_ASKED;
    if (!asked) {
        count = count_causes(d, out, named);
    } else { /* each detour is of who had most of it */
        for (; count < d->names; count++)
            named[count] =
                make_cause(count < RC_NOISE_WHO_HOST ? "" : d->name[count], 0);
        for (size_t i = 0; i < d->count; i++)
            named[d->who[i]].share +=
                (double)d->detour[i].length_ns / (double)d->duration_ns;
    }
    rank_causes(named, count, out);
    free(named);
    return RC_OK;
}

int rc_noise_causes_of_node(const struct rc_noise_loss *losses, size_t count,
                            size_t *end, struct rc_noise_loss *out, size_t *cores,
                            struct rc_error *err)
{
    struct rc_noise_cause *named;
    size_t names = 0;

    memset(out, 0, sizeof *out);
    *cores = *end = 0;
    while (*end < count && strcmp(losses[*end].node, losses->node) == 0)
        ++*end;
    named = rc_calloc(*end * RC_NOISE_CAUSES, sizeof *named);
    if (!named)
        return rc_fail(err, RC_ENOMEM, "no memory for causes of detours");
    snprintf(out->node, sizeof out->node, "%s", losses->node);
    for (size_t i = 0; i < *end; i++) {
        const struct rc_noise_loss *l = &losses[i];
        if (l->work[0] || l->alone)
            continue;
        ++*cores;
        out->lost += l->lost;
        for (size_t c = 0; c < l->causes; c++) {
            size_t at = 0;
            const bool known = strcmp(l->cause[c].who, unknown) != 0;
            while (at < names && strcmp(named[at].who, l->cause[c].who) != 0)
                at++;
            if (known && at == names)
                named[names++] = make_cause(l->cause[c].who, 0);
            if (known)
                named[at].share += l->cause[c].share;
        }
    }
    out->lost /= (double)*cores;
    for (size_t i = 0; i < names; i++)
        named[i].share /= (double)*cores;
    rank_causes(named, names, out);
    free(named);
    return RC_OK;
}
