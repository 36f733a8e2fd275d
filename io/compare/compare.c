/* Shared by all formats of a comparison: the words for changes, how a cell of a metric
 * differs, and combinations of events as text.  So text and JSON, from which the page
 * of HTML is made, cannot disagree.
 */
#include "campaign/base/text.h"
#include "io/compare/parts.h"
#include "io/metrics/metric_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_compare_check_names[] = {"metrics", "events", "counts", "noise",
                                              "use",     "rates",  NULL};

const char *const rc_relation_names[] = {"first",
                                         "same kind",
                                         "same machine with another set of counters",
                                         "another kind, taken for the same",
                                         "another kind",
                                         NULL};

const char *const rc_change_names[] = {"gone", "new",    "verdict", "scope", "class",
                                       "use",  "counts", "rates",   NULL};

const char *const rc_differs_names[] = {
    "gone", "new", "verdict", "signature", "formula", "events", "coefficients", NULL};

/* The check (--check) to which a change belongs. */
enum rc_compare_check rc_change_check(enum rc_change_what what)
{
    return what == RC_CHANGE_CLASS    ? RC_COMPARE_NOISE
           : what == RC_CHANGE_USE    ? RC_COMPARE_USE
           : what == RC_CHANGE_COUNTS ? RC_COMPARE_COUNTS
           : what == RC_CHANGE_RATES  ? RC_COMPARE_RATES
                                      : RC_COMPARE_EVENTS;
}

const char *rc_change_word(enum rc_change_what what, unsigned state)
{
    switch (what) {
    case RC_CHANGE_VERDICT:
        return rc_verdict_name((enum rc_verdict)state);
    case RC_CHANGE_SCOPE:
        return rc_scope_name((enum rc_scope)state);
    case RC_CHANGE_CLASS:
        return rc_class_names[state];
    case RC_CHANGE_USE:
        return rc_use_names[state];
    default:
        return "";
    }
}

/* An absent kind always counts, as nothing of it could be compared. */
bool rc_compare_differs(const struct rc_compare *compare)
{
    for (size_t i = 0; i < RC_COMPARE_CHECKS; i++)
        if (compare->checked[i] && compare->differences[i] > 0)
            return true;
    return compare->absent_count > 0;
}

/* The added terms come first, then the subtracted ones. */
void rc_compare_each_term(const struct rc_metric_result *metric,
                          rc_compare_put_term *put, void *context)
{
    size_t shown = 0;

    for (int negative = 0; negative < 2; negative++)
        for (size_t i = 0; i < metric->term_count; i++) {
            const struct rc_term *t = &metric->term[i];
            const double c = rc_term_value(metric, t);
            char before[48] = "";
            if (c == 0 || (c < 0) != (negative != 0))
                continue;
            if (shown++)
                rc_text_append(before, sizeof before, negative ? "- " : "+ ");
            else if (negative)
                rc_text_append(before, sizeof before, "-");
            if (fabs(c) != 1)
                rc_text_append(before, sizeof before, "%.6g x ", fabs(c));
            put(before, t->name, context);
        }
}

/* Joins the words of a combination by blanks. */
static void join_term(const char *before, const char *event, void *context)
{
    FILE *out = context;

    fprintf(out, "%s%s%s", ftell(out) > 0 ? " " : "", before, event);
}

char *rc_compare_combination(const struct rc_metric_result *metric)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    if (metric->formula[0])
        fputs(metric->formula, out);
    else
        rc_compare_each_term(metric, join_term, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Writes the change of a term: its coefficient changed, its event was exchanged, it is
 * gone or new.
 */
static void put_term(FILE *out, const struct rc_compare_term *t)
{
    const struct rc_term *before = t->before, *after = t->after;
    char old[256] = "", new[256] = "";

    if (before)
        rc_metric_put_coefficient(old, sizeof old, before, false);
    if (after)
        rc_metric_put_coefficient(new, sizeof new, after, false);
    if (before && after && t->exchanged)
        fprintf(out, "%s in place of %s, which counts the same", after->name,
                before->name);
    else if (before && after)
        fprintf(out, "coefficient of %s %s -> %s", after->name, old, new);
    else if (before || after) {
        const char *coefficient = before ? old : new;
        fputs(before ? "without " : "with ", out);
        if (strcmp(coefficient, "1") != 0)
            fprintf(out, "%s x ", coefficient);
        fputs(before ? before->name : after->name, out);
    }
}

/* Writes how a cell differs from that of its reference, in the order of the bits, with
 * "; " between.
 */
static void put_cell(FILE *out, const struct rc_compare_cell *before,
                     const struct rc_compare_cell *cell)
{
    const char *between = "";
    const unsigned d = cell->differs | cell->chance;

    if (cell->chance)
        fputs("by chance: ", out);
    if (d & RC_DIFFERS_GONE)
        fputs("is not there", out);
    if (d & RC_DIFFERS_NEW)
        fputs("is only here", out);
    if (d & (RC_DIFFERS_GONE | RC_DIFFERS_NEW))
        return;
    if (d & RC_DIFFERS_VERDICT) {
        fprintf(out, "%s -> %s%s%s", rc_metric_verdict_names[before->metric->verdict],
                rc_metric_verdict_names[cell->metric->verdict],
                cell->metric->reason[0] ? ": " : "", cell->metric->reason);
        between = "; ";
    }
    if (d & RC_DIFFERS_SIGNATURE) {
        fprintf(out, "%sstands for %s, not for %s", between, cell->metric->signature,
                before->metric->signature);
        between = "; ";
    }
    if (d & RC_DIFFERS_FORMULA) {
        fprintf(out, "%sanother formula", between);
        between = "; ";
    }
    for (size_t i = 0; i < cell->term_count; i++) {
        fputs(between, out);
        put_term(out, &cell->term[i]);
        between = "; ";
    }
}

char *rc_compare_say_cell(const struct rc_compare *compare,
                          const struct rc_compare_metric *metric, size_t column)
{
    const size_t reference = compare->column[column].reference;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    if (reference != RC_COMPARE_NONE)
        put_cell(out, &metric->cell[reference], &metric->cell[column]);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

const struct rc_compare_event *rc_compare_event_of(
    const struct rc_compare *compare, const struct rc_compare_column *column,
    const struct rc_compare_group *group, const struct rc_compare_change *change)
{
    if (group->what == RC_CHANGE_RATES)
        return &group->rate[change->after];
    return group->what == RC_CHANGE_GONE
               ? &compare->column[column->reference].event[change->before]
               : &column->event[change->after];
}
