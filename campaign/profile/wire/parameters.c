/* Reads what --set says, and evaluates its formulas. */
#include "campaign/profile/wire/parameters.h"

#include "campaign/base/expression.h"
#include "campaign/base/text.h"
#include "campaign/cli/launch.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t number_of(const struct rc_profile_parameters *all, const char *name)
{
    size_t i = 0;

    while (i < all->count && strcmp(all->of[i].name, name) != 0)
        i++;
    return i;
}

/* Checks the name, in the first bytes of 'item'. */
static int take_name(const char *item, size_t bytes,
                     const struct rc_profile_parameters *all,
                     struct rc_profile_parameter *out, struct rc_error *err)
{
    bool good = bytes < sizeof out->name && isalpha((unsigned char)item[0]);

    for (size_t i = 0; i < bytes; i++)
        good = good && (isalnum((unsigned char)item[i]) || item[i] == '_');
    if (!good || item[bytes] != '=')
        return rc_fail(
            err, RC_EUSAGE,
            "--set: found '%.60s', expected NAME=NUMBER or NAME=FORMULA, the "
            "name being a letter and then letters, digits and _, %d at most",
            item, RC_PROFILE_PARAMETER_NAME - 1);
    memcpy(out->name, item, bytes);
    if (strcmp(out->name, all->of[0].name) == 0)
        return rc_fail(err, RC_EUSAGE,
                       "--set %.60s: p is the number of processes, which 'profile' "
                       "finds itself: expected another name",
                       item);
    if (number_of(all, out->name) < all->count)
        return rc_fail(err, RC_EUSAGE, "--set: '%s' is given twice, expected once",
                       out->name);
    if (all->count == RC_PROFILE_PARAMETERS)
        return rc_fail(err, RC_EUSAGE,
                       "--set: '%s' is one too many, expected at most %d beside p",
                       out->name, RC_PROFILE_PARAMETERS - 1);
    return RC_OK;
}

/* The value of a formula; all of its names are p or parameters before it. */
static int evaluate(const struct rc_profile_parameters *all, const char *text,
                    double *out, struct rc_error *err)
{
    long double value[RC_PROFILE_PARAMETERS], room[RC_EXPRESSION_DEPTH];
    struct rc_expression *formula;
    int status = rc_expression_create(text, true, &formula, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < formula->name_count && status == RC_OK; i++) {
        const struct rc_expression_name *name = &formula->name[i];
        const size_t at = number_of(all, name->text);
        if (name->metric || at == all->count)
            status =
                rc_fail(err, RC_EUSAGE,
                        "column %zu: found '%.60s', expected p or a parameter that "
                        "is given before",
                        name->column, name->text);
        else
            value[i] = all->of[at].value;
    }
    if (status == RC_OK)
        *out = rc_expression_over_workers(formula, value, 1, room);
    rc_expression_close(formula);
    return status;
}

static int take_value(const char *text, const struct rc_profile_parameters *all,
                      struct rc_profile_parameter *out, struct rc_error *err)
{
    const double p = all->of[0].value;

    if (rc_text_real(text, &out->value) != 0) {
        const int status = evaluate(all, text, &out->value, err);
        if (status != RC_OK) {
            rc_error_prefix(err, "--set %s=%.60s: ", out->name, text);
            return status;
        }
        snprintf(out->formula, sizeof out->formula, "%s", text);
    }
    if ((isnan(p) && isnan(out->value)) || (isfinite(out->value) && out->value > 0))
        return RC_OK;
    if (out->formula[0])
        return rc_fail(err, RC_EUSAGE,
                       "--set %s=%.60s: it is %.15g with p = %g, expected a number "
                       "above 0",
                       out->name, text, out->value, p);
    return rc_fail(err, RC_EUSAGE, "--set %s=%.60s: expected a number above 0",
                   out->name, text);
}

int rc_profile_parameters_take(const char *set, double p,
                               struct rc_profile_parameters *out, struct rc_error *err)
{
    char item[RC_PROFILE_SET];

    *out =
        (struct rc_profile_parameters){.of = {{.name = "p", .value = p}}, .count = 1};
    for (const char *at = set; *set;) {
        const size_t bytes = strcspn(at, ",");
        struct rc_profile_parameter next = {.name = ""};
        int status;
        if (bytes >= sizeof item)
            return rc_fail(err, RC_EUSAGE,
                           "--set: found %zu bytes, expected at most %d", bytes,
                           RC_PROFILE_SET - 1);
        snprintf(item, sizeof item, "%.*s", (int)bytes, at);
        const size_t name = strcspn(item, "=");
        if ((status = take_name(item, name, out, &next, err)) != RC_OK ||
            (status = take_value(item + name + 1, out, &next, err)) != RC_OK)
            return status;
        out->of[out->count++] = next;
        if (!at[bytes])
            break;
        at += bytes + 1;
    }
    return RC_OK;
}

const char *rc_profile_parameters_text(const struct rc_profile_parameters *parameters,
                                       char out[RC_PROFILE_PARAMETERS_TEXT])
{
    out[0] = 0;
    for (size_t i = 0; i < parameters->count; i++) {
        const struct rc_profile_parameter *of = &parameters->of[i];
        rc_text_append(out, RC_PROFILE_PARAMETERS_TEXT, "%s%s=%s%s%.15g", i ? ", " : "",
                       of->name, of->formula, of->formula[0] ? "=" : "", of->value);
    }
    return out;
}

int rc_profile_parameters_agree(const char *set, const char *there,
                                struct rc_error *err)
{
    size_t same = 0, from = 0; /* bytes, and where their last item begins */

    if (strcmp(set, there) == 0)
        return RC_OK;
    for (; set[same] && set[same] == there[same]; same++)
        if (set[same] == ',')
            from = same + 1;
    if (strchr(",", set[same]) && strchr(",", there[same])) /* it ends in both */
        from = same;
    set += from + (set[from] == ',');
    there += from + (there[from] == ',');
    const size_t bytes[] = {strcspn(set, ","), strcspn(there, ",")};
    return rc_fail(err, RC_EUSAGE,
                   "--set: rank %d has %.*s, and another rank of this launch has %.*s: "
                   "expected the same on all ranks",
                   rc_launch_rank(), bytes[0] ? (int)bytes[0] : 7,
                   bytes[0] ? set : "nothing", bytes[1] ? (int)bytes[1] : 7,
                   bytes[1] ? there : "nothing");
}
