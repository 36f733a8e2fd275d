/* Options that several commands share, whose values are names of suites and sources. */
#include "campaign/sources/source.h"
#include "campaign/spec/options.h"
#include "kernels/kernel.h"

const char *rc_suite_hint(size_t i)
{
    return rc_suites()[i] ? rc_suites()[i]->name : NULL;
}

static const char *source_hint(size_t i)
{
    return i == 0 ? "auto" : rc_sources()[i - 1] ? rc_sources()[i - 1]->name : NULL;
}

RC_OPTION(rc_option_source, "source", "S[:ARG]",
          "where numbers come from; 'auto' (default) takes what counts here",
          .letter = 's', .repeats = true, .hint = source_hint);

RC_OPTION(rc_option_suite, "suite", "A,B",
          "suites of kernels; all that are usable by default", .repeats = true,
          .hint = rc_suite_hint);

/* Axis i of all suites together. */
static const char *axis_hint(size_t i)
{
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++)
        for (const struct rc_axis *axis = (*suite)->chosen; axis && axis->name; axis++)
            if (i-- == 0)
                return axis->name;
    return NULL;
}

RC_OPTION(rc_option_axis, "axis", "NAME=LIST",
          "values of an axis of suites: A,B or FROM..TO, with /STEP or *FACTOR",
          .repeats = true, .hint = axis_hint);

RC_OPTION(rc_option_result_suite, "suite", "A,B",
          "only results of these suites of kernels; all by default", .repeats = true,
          .hint = rc_suite_hint);
