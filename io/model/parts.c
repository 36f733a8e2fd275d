/* Words, numbers and call paths, as all readers of measurements take them. */
#include "io/model/parts.h"

#include "campaign/base/text.h"
#include "campaign/base/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rc_measured_number(const char *word, size_t length, double *out)
{
    char copy[128];

    if (length >= sizeof copy || memchr(word, 0, length))
        return false;
    memcpy(copy, word, length);
    copy[length] = 0;
    return rc_text_real(copy, out) == 0;
}

struct rc_measured_metric rc_measured_guess(const char *name, const char *unit)
{
    static const char *const parts[] = {"time", "duration", "second", "latency"};
    static const char *const units[] = {"s",    "sec", "ms",   "us",
                                        "usec", "ns",  "nsec", NULL};
    bool time =
        !*name || rc_word_find(unit, units) >= 0 || rc_word_find(name, units) >= 0;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        time |= strcasestr(name, parts[i]) != NULL;
    return (struct rc_measured_metric){
        name, unit, time ? RC_MEASURED_TIME : RC_MEASURED_COUNT, false};
}

int rc_measured_add_path(struct rc_measured_draft *draft, const double *at,
                         const char *path, const struct rc_measured_metric *metric,
                         double value, double spread, struct rc_error *err)
{
    char *copy, *to;
    int status;

    if (!strstr(path, "->"))
        return rc_measured_add(draft, at, path, metric, value, spread, err);
    if (!(copy = to = strdup(path)))
        return rc_fail(err, RC_ENOMEM, "no memory for a call path");
    for (const char *from = path; *from; from++) {
        const bool arrow = from[0] == '-' && from[1] == '>' &&
                           !(from - path >= 8 && strncmp(from - 8, "operator", 8) == 0);
        *to++ = (char)(arrow ? ';' : *from);
        from += arrow;
    }
    *to = 0;
    status = rc_measured_add(draft, at, copy, metric, value, spread, err);
    free(copy);
    return status;
}

void rc_measured_place(struct rc_measured_places *places, double value)
{
    places->sum += value;
    if (places->count == 0 || value > places->most)
        places->most = value;
    places->count++;
}

int rc_measured_add_places(struct rc_measured_draft *draft, const double *at,
                           const char *path, const struct rc_measured_metric *metric,
                           const struct rc_measured_places *places,
                           struct rc_error *err)
{
    const bool time = metric->kind == RC_MEASURED_TIME;
    struct rc_measured_metric most = *metric;
    char name[RC_MEASURED_NAME + sizeof ".max"];
    int status;

    if (places->count == 0)
        return RC_OK;
    status =
        rc_measured_add(draft, at, path, metric,
                        time ? places->sum / places->count : places->sum, NAN, err);
    if (status != RC_OK || !time || !places->apart)
        return status;
    snprintf(name, sizeof name, "%s.max", metric->name);
    most.name = name;
    return rc_measured_add(draft, at, path, &most, places->most, NAN, err);
}
