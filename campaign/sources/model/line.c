/* One line of 'events': its events, what they count and what they need of counters.
 *
 * A line with a range stands for thousands of events, so its texts stay templates,
 * which trial and measurement render for the event they need.  All that can be wrong in
 * a rendering is found here, once: that a rendered text is short enough, and that a sum
 * reads for every combination of the variables in it.
 */
#include "campaign/base/text.h"
#include "campaign/sources/model/counters.h"
#include "campaign/sources/model/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"
#define REASON_MAX 200
#define AMOUNT_MOST 1e18

/* The numbers of the line's events follow those of the lines before. */
static int read_range(struct rc_model_reader *r, const struct rc_model_event_text *text,
                      struct rc_model_line *line)
{
    struct rc_error problem = {0};
    const int status = rc_model_range_read(&line->range, &r->model->arena, text->range,
                                           text->range_count, &problem);
    if (status != RC_OK)
        return rc_model_pass_on(r, "for", status, &problem);
    uint64_t size = rc_model_range_size(&line->range);
    if (size > RC_MODEL_EVENTS_MAX - r->model->event_count)
        return rc_model_wrong(r, text->range_count ? "for" : NULL,
                              "more than %" PRIu64
                              " events in this file, expected at most "
                              "that many",
                              RC_MODEL_EVENTS_MAX);
    line->first = r->model->event_count;
    line->count = (uint32_t)size;
    r->model->event_count += line->count;
    return r->status;
}

/* Checks a text that may name variables; their bits go into *used. */
static int check_template(struct rc_model_reader *r, const char *key, const char *text,
                          const struct rc_model_line *line, size_t most, uint32_t *used)
{
    struct rc_error problem = {0};

    return rc_model_pass_on(
        r, key, rc_model_template_check(text, &line->range, most, used, &problem),
        &problem);
}

/* The name and the description, which are templates. */
static int read_names(struct rc_model_reader *r, const struct rc_model_event_text *text,
                      struct rc_model_line *line)
{
    uint32_t used;

    rc_model_check_name(r, text->name);
    check_template(r, "name", text->name, line, RC_MODEL_NAME_MAX, &used);
    /* All variables must be in the name: else events would have equal names. */
    for (size_t i = 0; i < line->range.count; i++)
        if (!(used >> i & 1) && line->range.variable[i].count > 1)
            return rc_model_wrong(r, "name",
                                  "variable '%s' is not in it, expected '{%s}' so that "
                                  "names differ",
                                  line->range.variable[i].name,
                                  line->range.variable[i].name);
    line->name = text->name;
    line->description = text->description;
    rc_model_check_line(r, "description", text->description, RC_MODEL_DESCRIPTION_MAX);
    if (!text->description)
        return r->status;
    return check_template(r, "description", text->description, line,
                          RC_MODEL_DESCRIPTION_MAX, &used);
}

/* Reads a sum for every combination of the variables in it: a variable may stand for a
 * coefficient or for an ideal's name.  Combinations of the other variables give the
 * same sum again and are left out: they stay at their first values.
 */
static int check_sum(struct rc_model_reader *r, const char *key, const char *text,
                     const struct rc_model_line *line)
{
    char sum[RC_MODEL_SUM_MAX + 1];
    struct rc_model_at at = {{0}};
    struct rc_model_terms terms = {0};
    struct rc_error problem = {0};
    uint32_t used;
    bool more;

    if (!text)
        return r->status;
    int status = check_template(r, key, text, line, RC_MODEL_SUM_MAX, &used);
    if (status != RC_OK)
        return status;
    do {
        rc_model_render(text, &line->range, &at, sum, sizeof sum);
        terms.count = 0;
        r->sum_bytes += strlen(sum);
        status = r->sum_bytes > RC_MODEL_SUMS_MAX
                     ? rc_fail(&problem, RC_EUSAGE,
                               "the sums of this file come to more than 16 MiB, "
                               "expected fewer values of the variables in it")
                     : rc_model_expression_read(sum, &terms, &problem);
        if (status != RC_OK)
            break;
        more = false; /* the next combination: the last variable changes fastest */
        for (size_t i = line->range.count; i-- > 0 && !more;) {
            if (!(used >> i & 1))
                continue;
            more = ++at.value[i] < line->range.variable[i].count;
            if (!more)
                at.value[i] = 0;
        }
    } while (more);
    free(terms.term);
    return rc_model_pass_on(r, key, status, &problem);
}

/* "relative 1e-3", "absolute 50", or both. */
static int read_noise(struct rc_model_reader *r, const char *text,
                      struct rc_model_line *line)
{
    while (text && *text) {
        char kind[16], number[16];
        double value;
        int taken = 0;
        if (sscanf(text, "%15s %15[^ ,\t\n]%n", kind, number, &taken) != 2 ||
            rc_text_real(number, &value) || value < 0 || value > AMOUNT_MOST ||
            (strcmp(kind, "relative") != 0 && strcmp(kind, "absolute") != 0))
            return rc_model_wrong(
                r, "noise",
                "found '%.40s', expected 'relative R', 'absolute A' or both, "
                "with numbers from 0 to 1e18",
                text);
        if (kind[0] == 'r')
            line->noise_relative = value;
        else
            line->noise_absolute = value;
        text += taken;
        text += strspn(text, BLANKS ",");
    }
    return r->status;
}

/* Reads the counts of the line's events, and how long a reading takes. */
static int read_value(struct rc_model_reader *r, const struct rc_model_event_text *text,
                      struct rc_model_line *line)
{
    check_sum(r, "counts", text->counts, line);
    check_sum(r, "background", text->background, line);
    if (text->offset && (rc_text_real(text->offset, &line->offset) ||
                         line->offset < 0 || line->offset > AMOUNT_MOST))
        rc_model_wrong(r, "offset", "found '%.40s', expected a number from 0 to 1e18",
                       text->offset);
    read_noise(r, text->noise, line);
    line->effects = r->model->effects;
    rc_model_read_effects(r, text->effects, &line->effects);
    rc_model_read_number(r, "bits", text->bits, 1, RC_MODEL_BITS_MAX, &line->bits);
    line->counts = text->counts;
    line->background = text->background;
    if (text->time && (rc_text_duration(text->time, &line->time_ns) ||
                       line->time_ns > RC_MODEL_TIME_MAX))
        return rc_model_wrong(
            r, "time", "found '%.40s', expected " RC_TEXT_DURATION ", at most 10s",
            text->time);
    return r->status;
}

/* "NAME VALUE": the register that the event programs, and the value it needs there. */
static int read_event_register(struct rc_model_reader *r, const char *text,
                               struct rc_model_line *line)
{
    uint32_t used;

    if (!text)
        return r->status;
    size_t length = strcspn(text, BLANKS);
    const char *value = text + length + strspn(text + length, BLANKS);
    line->register_index = rc_model_find_register(r->model, text, length);
    line->register_value = value;
    if (line->register_index < 0)
        return rc_model_wrong(
            r, "register", "no register '%.*s' in 'registers', expected 'NAME VALUE'",
            length < 40 ? (int)length : 40, text);
    if (!*value)
        return rc_model_wrong(r, "register",
                              "no value after '%s', expected 'NAME VALUE'", text);
    unsigned choices = 1;
    for (const char *c = value; *c; c++)
        choices += *c == '|';
    if (choices > 1 && (r->model->reg[line->register_index].values != 1 ||
                        choices > RC_MODEL_VALUES_MAX || strstr(value, "||") ||
                        value[0] == '|' || value[strlen(value) - 1] == '|'))
        return rc_model_wrong(
            r, "register",
            "'%.60s', expected one value, or up to %d with '|' between "
            "for a register that holds one",
            value, RC_MODEL_VALUES_MAX);
    return check_template(r, "register", value, line, RC_MODEL_NAME_MAX, &used);
}

/* Reads the bank, the counters and the register's value that the line's events need.
 * Scope and width of counters are the bank's unless the line gives its own.
 */
static int read_constraints(struct rc_model_reader *r,
                            const struct rc_model_event_text *text,
                            struct rc_model_line *line)
{
    int bank = text->bank ? rc_model_find_bank(r->model, text->bank) : 0;
    struct rc_error problem = {0};

    if (bank < 0)
        return rc_model_wrong(r, "bank", "no bank '%.40s' in 'banks'", text->bank);
    const struct rc_model_bank *b = &r->model->bank[bank];
    line->bank = (uint32_t)bank;
    line->scope = b->scope;
    line->bits = b->bits;
    rc_model_read_scope(r, text->scope, &line->scope);
    if (b->unlimited && text->counters)
        return rc_model_wrong(
            r, "counters", "bank '%s' has unlimited counters, expected none", b->name);
    if (!b->unlimited)
        rc_model_pass_on(r, text->counters ? "counters" : NULL,
                         rc_model_counters_read(text->counters ? text->counters : "any",
                                                b->programmable, b->fixed,
                                                &line->counters, &problem),
                         &problem);
    return read_event_register(r, text->reg, line);
}

/* Reads the verdict of a trial of the line's events, with a reason for all verdicts but
 * ok. */
static int read_verdict(struct rc_model_reader *r,
                        const struct rc_model_event_text *text,
                        struct rc_model_line *line)
{
    int found =
        text->verdict ? rc_word_find(text->verdict, rc_verdict_names()) : RC_VERDICT_OK;

    if (found <= RC_VERDICT_UNTRIED)
        return rc_model_wrong(
            r, "verdict",
            "found '%.40s', expected ok, not permitted, unsupported, cannot "
            "be scheduled or counts nothing",
            text->verdict);
    line->verdict = (enum rc_verdict)found;
    line->reason = text->reason;
    if (line->verdict == RC_VERDICT_COUNTS_NOTHING && !line->reason)
        line->reason = "reads 0 whatever runs";
    if (line->verdict == RC_VERDICT_OK && line->reason)
        return rc_model_wrong(r, "reason",
                              "a reason for the verdict ok, expected none");
    if (line->verdict != RC_VERDICT_OK && (!line->reason || !*line->reason))
        return rc_model_wrong(r, "verdict", "no 'reason' goes with it, expected one");
    return rc_model_check_line(r, "reason", line->reason, REASON_MAX);
}

int rc_model_read_event(struct rc_model_reader *r,
                        const struct rc_model_event_text *text,
                        struct rc_model_line *line)
{
    /* In the order in which mistakes are reported.  Texts are templates of the range's
     * variables, so the range comes first.
     */
    int (*const steps[])(struct rc_model_reader *, const struct rc_model_event_text *,
                         struct rc_model_line *) = {
        read_range, read_names, read_constraints, read_value, read_verdict};

    line->register_index = -1;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (steps[i](r, text, line) != RC_OK)
            break;
    return r->status;
}
