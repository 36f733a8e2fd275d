/* axes.h - the values that users give to axes, as lists: --axis NAME=LIST
 *
 * A list has values and ranges, with commas between them: "1,2,8", "32K..4M*2",
 * "1..16/5".  A range with a step or without one (1) ends at or before its end, one with
 * a factor, too.  K, M, G and T are powers of 1024.  An axis with words takes words.
 */
#ifndef RC_KERNELS_AXES_H
#define RC_KERNELS_AXES_H

#include "campaign/base/error.h"
#include "kernels/kernel.h"

enum { RC_AXIS_VALUES_MOST = 4096 };

struct rc_axes {
    const char *const *item; /* "NAME=LIST", each name once; borrowed */
    size_t count;
};

/* Values in the order of the list, each once; words are 0, 1, ... */
struct rc_axis_values {
    int64_t *value;
    size_t count;
};

/* Reads a list.  RC_EUSAGE: it is not one, or the axis cannot take a value; the message
 * is what was expected, "values of 1 to 8, not '9'".  rc_axis_values_fini() in any case.
 */
int rc_axis_read(const struct rc_axis *axis, const char *list,
                 struct rc_axis_values *out, struct rc_error *err);
void rc_axis_values_fini(struct rc_axis_values *values);

/* For suites: the values of one of their axes, by the user's list, else by the axis's
 * standard; none where there is neither.
 */
int rc_axis_chosen(const struct rc_suite_request *request, const struct rc_axis *axis,
                   struct rc_axis_values *out, struct rc_error *err);

/* The same before any suite is asked: whether "NAME=LIST" is one for some axis. */
int rc_axes_check_text(const char *text, struct rc_error *err);

/* Checks that each item is of an axis of a suite that is 'wanted' of 'suites', a list ended
 * by NULL, and that all of these suites that have the axis can take its values.
 */
int rc_axes_check(const struct rc_axes *axes, const struct rc_suite *const *suites,
                  bool (*wanted)(const struct rc_suite *suite, const void *of),
                  const void *of, struct rc_error *err);

#endif
