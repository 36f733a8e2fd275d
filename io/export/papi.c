/* Definitions for PAPI, in the form of its papi_events.csv.
 *
 * PAPI's treatment of them is known from its source and from trials with 7.0.0: lines
 * of an unknown PMU and terms from the ninth on are silently skipped, and a name is
 * everything between two commas.
 */
#include "io/export/parts.h"

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TERMS_MOST = 8,   /* papi.h says 12, but the library uses 8 */
    LINE_MOST = 2046, /* bytes of a line that it reads */
    DESCRIPTION = 200,
    EVENTS_MOST = 50,       /* user events, the limit of PAPI */
    DENOMINATOR_MOST = 1000 /* largest one that is tried */
};

static const char comment[] = "# ";

struct job {
    size_t events;       /* EVENT lines so far */
    const char **preset; /* PRESET lines so far */
    size_t count, room;
    const char *unnamed; /* the kind, if neither it nor the user names a PMU */
};

/* Coefficients as whole numbers over one denominator. */
struct combination {
    size_t count;
    const char *event[TERMS_MOST];
    long long factor[TERMS_MOST]; /* the coefficient times the denominator */
    long long denominator;
};

/* Finds the least denominator with which all coefficients are whole numbers, since
 * PAPI's formulas have no others.  Returns the reason if there is none, or NULL.
 */
static const char *find_factors(const struct rc_metric_result *metric,
                                const struct rc_term *const term[TERMS_MOST],
                                struct combination *out)
{
    for (out->denominator = 1; out->denominator <= DENOMINATOR_MOST;
         out->denominator++) {
        size_t t = 0;
        for (; t < out->count; t++) {
            double factor = rc_term_value(metric, term[t]) * (double)out->denominator;
            double whole = round(factor);
            if (!(fabs(factor - whole) <= 4 * DBL_EPSILON * fabs(factor)) ||
                fabs(factor) > INT_MAX || whole == 0)
                break;
            out->factor[t] = llround(factor);
        }
        if (t == out->count)
            return NULL;
    }
    return metric->rounded_holds
               ? "a coefficient is not a fraction of small whole numbers, and PAPI's "
                 "constants are whole numbers"
               : "a coefficient is not a fraction of small whole numbers, and the "
                 "rounded "
                 "ones do not hold";
}

/* Why an event cannot be a term, or NULL. */
static const char *refuse_event(const struct rc_store_event *event)
{
    static const char *const words[] = {"NOTE", "LDESC", "SDESC", NULL};
    const char *name = event->name, *component = strstr(name, ":::");
    size_t length = strlen(name);

    if (strcmp(event->source, "papi") != 0 && strcmp(event->source, "model") != 0)
        return "is not an event of PAPI's";
    if (strncasecmp(name, "PAPI_", 5) == 0)
        return "is itself a preset";
    if (component && strncmp(name, "perf_event:::", 13) != 0)
        return "is not of PAPI's first component, and PAPI derives of no other";
    if (event->scope != RC_SCOPE_CORE)
        return "belongs to a shared unit, and PAPI derives of events of a core only";
    if (length == 0 || isblank((unsigned char)name[0]) ||
        isblank((unsigned char)name[length - 1]))
        return "has blanks at its ends, which PAPI takes away";
    for (const char *at = name; *at; at++)
        if (*at == ',' || iscntrl((unsigned char)*at))
            return "has a comma or control characters in its name, which end it for "
                   "PAPI";
    for (size_t i = 0; words[i]; i++)
        if (strcasecmp(name, words[i]) == 0)
            return "has the name of a field";
    return NULL;
}

/* Puts added terms before subtracted ones, otherwise in the old order: DERIVED_SUB
 * subtracts all events from the first one.
 */
static void sort_terms(struct combination *c)
{
    for (size_t i = 1; i < c->count; i++)
        for (size_t k = i; k > 0 && c->factor[k] > 0 && c->factor[k - 1] < 0; k--) {
            long long factor = c->factor[k];
            const char *event = c->event[k];
            c->factor[k] = c->factor[k - 1];
            c->event[k] = c->event[k - 1];
            c->factor[k - 1] = factor;
            c->event[k - 1] = event;
        }
}

/* Makes PAPI's form of the metric in *out, which is zeroed; 'why' gets the reason if
 * that is not possible.
 */
static int make_combination(struct rc_export *x, const struct rc_metric_result *metric,
                            struct combination *out, char why[RC_EXPORT_WHY],
                            struct rc_error *err)
{
    const struct rc_term *term[TERMS_MOST] = {NULL};
    const char *reason = NULL;

    why[0] = 0;
    for (size_t t = 0; t < metric->term_count; t++) {
        if (rc_term_value(metric, &metric->term[t]) == 0)
            continue; /* it was rounded to 0 */
        if (out->count < TERMS_MOST)
            term[out->count] = &metric->term[t];
        out->count++;
    }
    if (metric->formula[0])
        reason =
            "is a quotient or something similar, and PAPI's values are whole numbers";
    else if (out->count == 0)
        reason = "has no terms";
    else if (out->count > TERMS_MOST)
        reason = "has more than 8 terms, and PAPI silently drops the rest";
    else
        reason = find_factors(metric, term, out);
    if (reason)
        snprintf(why, RC_EXPORT_WHY, "%s", reason);
    for (size_t t = 0; !why[0] && t < out->count; t++) {
        struct rc_store_event event;
        int status = rc_export_event(x, term[t], &event, err);
        if (status != RC_OK)
            return status;
        out->event[t] = rc_export_papi_name(x, event.name);
        if (!out->event[t])
            return rc_fail(err, RC_ENOMEM, "no memory for the export");
        reason = refuse_event(&event);
        if (reason)
            snprintf(why, RC_EXPORT_WHY, "event '%.200s' %s", event.name, reason);
    }
    if (!why[0])
        sort_terms(out);
    return RC_OK;
}

static size_t count_factor(const struct combination *c, long long factor)
{
    size_t count = 0;

    for (size_t i = 0; i < c->count; i++)
        count += c->factor[i] == factor;
    return count;
}

/* Writes a line EVENT or PRESET, in the simplest of PAPI's forms for the combination;
 * otherwise in reverse Polish notation: "N0|N1|2|*|+|" is N0 + 2 N1.  PAPI's constants
 * have no sign: a sum that begins with a subtraction begins with 0.
 */
static void put_line(struct rc_export_text *line, const char *tag, const char *name,
                     const struct combination *c, const char *description)
{
    const size_t plus = count_factor(c, 1), minus = count_factor(c, -1);
    const bool plain = c->denominator == 1, starts_below = c->factor[0] < 0;

    rc_export_add(line, "%s,%s,", tag, name);
    if (plain && c->count == 1 && plus == 1)
        rc_export_add(line, "NOT_DERIVED");
    else if (plain && plus == c->count)
        rc_export_add(line, "DERIVED_ADD");
    else if (plain && plus == 1 && minus == c->count - 1)
        rc_export_add(line, "DERIVED_SUB");
    else {
        rc_export_add(line, "DERIVED_POSTFIX,%s", starts_below ? "0|" : "");
        for (size_t i = 0; i < c->count; i++) {
            rc_export_add(line, "N%zu|", i);
            if (llabs(c->factor[i]) != 1)
                rc_export_add(line, "%lld|*|", llabs(c->factor[i]));
            if (i > 0 || starts_below)
                rc_export_add(line, "%s", c->factor[i] < 0 ? "-|" : "+|");
        }
        if (!plain)
            rc_export_add(line, "%lld|/|", c->denominator);
    }
    for (size_t i = 0; i < c->count; i++)
        rc_export_add(line, ",%s", c->event[i]);
    rc_export_add(line, ",LDESC,\"%s\"\n", description);
}

static bool is_preset(const char *name)
{
    if (strncmp(name, "PAPI_", 5) != 0 || strlen(name) > 40)
        return false;
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return false;
    return true;
}

/* Notes a preset; *is_new: it is the first of its name. */
static int note_preset(struct job *job, const char *preset, bool *is_new,
                       struct rc_error *err)
{
    *is_new = false;
    for (size_t i = 0; i < job->count; i++)
        if (strcmp(job->preset[i], preset) == 0)
            return RC_OK;
    if (rc_grow(&job->preset, sizeof *job->preset, job->count, &job->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu presets", job->count);
    job->preset[job->count++] = preset;
    *is_new = true;
    return RC_OK;
}

/* Makes the name of a metric's event, a new one each time, NULL: no memory; and its
 * description with warnings, for one field.
 */
static const char *describe(struct rc_export *x, const struct rc_metric_result *metric,
                            char description[DESCRIPTION], struct rc_error *err)
{
    const char *name = rc_export_name(x, "RC_", metric->name, true, 60);
    char text[256];

    snprintf(text, sizeof text, "%s%s%.100s%s%.100s",
             rc_store_kind(x->file, x->kind)->simulated ? "simulated; " : "",
             metric->verdict == RC_METRIC_APPROXIMATE ? "approximate; " : "",
             metric->name, metric->description[0] ? ": " : "", metric->description);
    rc_export_line(description, DESCRIPTION, text, ",\"");
    if (!name)
        rc_fail(err, RC_ENOMEM, "no memory for the export");
    return name;
}

/* Writes an EVENT line under rollcall's name, after a PRESET line if the metric is a
 * preset of PAPI's.
 */
static int put_metric(struct rc_export *x, const struct rc_suite_result *suite,
                      const struct rc_metric_result *metric,
                      struct rc_export_text *text, char why[RC_EXPORT_WHY],
                      void *context, struct rc_error *err)
{
    struct combination c = {0};
    struct job *job = context;
    char description[DESCRIPTION];
    bool preset = false;
    int status = make_combination(x, metric, &c, why, err);

    (void)suite;
    if (status != RC_OK)
        return status;
    if (!why[0] && job->events == EVENTS_MOST)
        snprintf(why, RC_EXPORT_WHY,
                 "PAPI takes at most 50 events of a user, see --suite");
    if (why[0])
        return status;
    if (job->unnamed) /* only now, since an empty export needs none */
        return rc_fail(err, RC_EMISSING,
                       "kind '%s' does not say which PMU counted, expected --pmu "
                       "with libpfm's name for it, such as 'skx'",
                       job->unnamed);
    const char *name = describe(x, metric, description, err);
    if (!name)
        return RC_ENOMEM;
    if (is_preset(metric->preset) &&
        (status = note_preset(job, metric->preset, &preset, err)))
        return status;
    if (preset)
        put_line(text, "PRESET", metric->preset, &c, description);
    const size_t first = text->length;
    put_line(text, "EVENT", name, &c, description);
    if (text->failed)
        return RC_OK;
    if (first > LINE_MOST || text->length - first > LINE_MOST) {
        snprintf(why, RC_EXPORT_WHY,
                 "its line is longer than the 2046 bytes that PAPI reads");
        return RC_OK;
    }
    fwrite(text->text, 1, text->length, x->out);
    job->events++;
    return RC_OK;
}

int rc_export_papi_line(struct rc_export *x, const struct rc_suite_result *suite,
                        const struct rc_metric_result *metric,
                        struct rc_export_text *out, char why[RC_EXPORT_WHY],
                        struct rc_error *err)
{
    struct combination c = {0};
    char description[DESCRIPTION];
    int status = make_combination(x, metric, &c, why, err);

    (void)suite;
    if (status != RC_OK || why[0])
        return status;
    const char *name = describe(x, metric, description, err);
    if (name)
        put_line(out, "EVENT", name, &c, description);
    return name ? RC_OK : RC_ENOMEM;
}

/* Writes the PMUs of the counters, from the kind's key, "...; perf_event 6: perf, skx;
 * ...": a line for each.  'perf' and 'perf_raw' are the kernel's own.  For a simulated
 * machine it is the PMU of its original, else its own name.
 */
static size_t put_pmus(const struct rc_export *x)
{
    char key[4096], name[RC_EXPORT_NAME];
    const char *at, *model;
    size_t count = 0;

    rc_export_line(key, sizeof key, rc_store_kind(x->file, x->kind)->key, "");
    at = strstr(key, "perf_event ");
    model = strstr(key, "model: model ");

    at = at ? strchr(at, ':') : NULL;
    while (at && *at && *at != ';') {
        at += strspn(at, ":, ");
        size_t length = strcspn(at, ",; ");
        bool own = (length == 4 && strncmp(at, "perf", 4) == 0) ||
                   (length == 8 && strncmp(at, "perf_raw", 8) == 0);
        if (length > 0 && !own) {
            fprintf(x->out, "CPU,%.*s\n", (int)length, at);
            count++;
        }
        at += length;
    }
    if (count == 0 && model) {
        model += strlen("model: model ");
        if (!rc_export_processor(x, name))
            snprintf(name, sizeof name, "%.*s", (int)strcspn(model, " ;,"), model);
        fprintf(x->out, "CPU,%s\n", name);
        count = name[0] != 0;
    }
    return count;
}

int rc_export_papi(struct rc_store *file, const struct rc_export_choice *choice,
                   FILE *out, FILE *left_out, struct rc_error *err)
{
    const char *pmu = choice->pmu;
    struct rc_export x;
    struct job job = {0};
    int status = rc_export_open(&x, file, choice, out, left_out, err);

    if (status != RC_OK)
        goto out;
    const struct rc_store_kind *kind = rc_store_kind(file, x.kind);
    if (pmu && (!*pmu || strpbrk(pmu, ", \t\r\n"))) {
        status =
            rc_fail(err, RC_EUSAGE,
                    "'%s' is not the name of a PMU, expected one such as 'skx'", pmu);
        goto out;
    }
    rc_export_origin(&x, comment, "PAPI events");
    fputs("# EVENT lines: set PAPI_USER_EVENTS_FILE to this file.\n"
          "# PRESET lines: set PAPI_CSV_EVENT_FILE to it; its presets take the place "
          "of all of PAPI's own.\n",
          out);
    if (pmu)
        fprintf(out, "CPU,%s\n", pmu);
    else if (put_pmus(&x) == 0)
        job.unnamed = kind->name;
    status = rc_export_each(&x, comment, put_metric, &job, err);
out:
    rc_export_close(&x);
    free((void *)job.preset);
    return status;
}
