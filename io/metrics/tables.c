/* The tables of a suite, field by field: which member of which struct is which dataset
 * of metrics.h5, so that one writer and one reader (io/hdf5/table.c) serve all of them.
 * A new member is one line here.
 *
 * Tables whose rows belong to others, as terms belong to metrics, are described twice:
 * the rows as they lie in the file, and where owners have them in memory (struct
 * rc_metrics_owned).
 */
#include "io/metrics/parts.h"

#define FIELD(kind_of_it, structure, member, label)                                    \
    RC_H5_FIELD(kind_of_it, structure, member, label, NULL)

const struct rc_h5_field rc_metrics_settings[] = {
    FIELD(RC_H5_REAL, struct rc_suite_result, alpha, "alpha"),
    FIELD(RC_H5_REAL, struct rc_suite_result, alpha_low, "alpha_low"),
    FIELD(RC_H5_REAL, struct rc_suite_result, alpha_high, "alpha_high"),
    FIELD(RC_H5_REAL, struct rc_suite_result, tau, "tau"),
    FIELD(RC_H5_REAL, struct rc_suite_result, tau_low, "tau_low"),
    FIELD(RC_H5_REAL, struct rc_suite_result, tau_high, "tau_high"),
    FIELD(RC_H5_REAL, struct rc_suite_result, residual, "residual"),
    {0}};

static const struct rc_h5_field pivots[] = {
    FIELD(RC_H5_NAME, struct rc_chosen, name, "event"),
    FIELD(RC_H5_EVENT, struct rc_chosen, event, "event_number"),
    FIELD(RC_H5_REAL, struct rc_chosen, score, "score"),
    FIELD(RC_H5_REAL, struct rc_chosen, norm, "norm"),
    FIELD(RC_H5_FLAG, struct rc_chosen, completes, "completes"),
    FIELD(RC_H5_NUMBER, struct rc_chosen, others, "other_count"),
    {0}};
const struct rc_h5_table rc_metrics_pivots = {
    .name = "pivots", .item_bytes = sizeof(struct rc_chosen), .field = pivots};

static const struct rc_h5_field others[] = {
    FIELD(RC_H5_NAME, struct rc_metrics_event, name, "event"),
    FIELD(RC_H5_EVENT, struct rc_metrics_event, event, "event_number"),
    FIELD(RC_H5_NUMBER, struct rc_metrics_event, owner, "pivot"),
    {0}};
static const struct rc_h5_table others_table = {
    .name = "others", .item_bytes = sizeof(struct rc_metrics_event), .field = others};

const struct rc_metrics_owned rc_metrics_others = {
    .table = &others_table,
    .owner_bytes = sizeof(struct rc_chosen),
    .count = offsetof(struct rc_chosen, other_count),
    .part = {{.list = offsetof(struct rc_chosen, other),
              .member = offsetof(struct rc_metrics_event, event),
              .bytes = sizeof(size_t)},
             {.list = offsetof(struct rc_chosen, other_name),
              .member = offsetof(struct rc_metrics_event, name),
              .bytes = sizeof(const char *)}}};

static const struct rc_h5_field metrics[] = {
    FIELD(RC_H5_NAME, struct rc_metric_result, name, "metric"),
    FIELD(RC_H5_TEXT, struct rc_metric_result, description, "description"),
    FIELD(RC_H5_NAME, struct rc_metric_result, signature, "signature"),
    FIELD(RC_H5_NAME, struct rc_metric_result, preset, "preset"),
    FIELD(RC_H5_NAME, struct rc_metric_result, formula, "formula"),
    {.name = "verdict",
     .type = RC_H5_CODE,
     .offset = offsetof(struct rc_metric_result, verdict),
     .words = rc_metric_verdict_names},
    FIELD(RC_H5_TEXT, struct rc_metric_result, reason, "reason"),
    FIELD(RC_H5_REAL, struct rc_metric_result, error, "error"),
    FIELD(RC_H5_FLAG, struct rc_metric_result, rounded_holds, "rounded_holds"),
    {0}};
const struct rc_h5_table rc_metrics_metrics = {
    .name = "metrics", .item_bytes = sizeof(struct rc_metric_result), .field = metrics};

static const struct rc_h5_field terms[] = {
    FIELD(RC_H5_NAME, struct rc_metrics_term, term.name, "event"),
    FIELD(RC_H5_EVENT, struct rc_metrics_term, term.event, "event_number"),
    FIELD(RC_H5_NUMBER, struct rc_metrics_term, owner, "metric"),
    FIELD(RC_H5_REAL, struct rc_metrics_term, term.coefficient, "coefficient"),
    FIELD(RC_H5_REAL, struct rc_metrics_term, term.rounded, "rounded"),
    FIELD(RC_H5_REAL, struct rc_metrics_term, term.low, "low"),
    FIELD(RC_H5_REAL, struct rc_metrics_term, term.high, "high"),
    {0}};
static const struct rc_h5_table terms_table = {
    .name = "terms", .item_bytes = sizeof(struct rc_metrics_term), .field = terms};

static const struct rc_h5_field checks[] = {
    FIELD(RC_H5_NAME, struct rc_metrics_check, check.suite, "suite"),
    FIELD(RC_H5_NUMBER, struct rc_metrics_check, owner, "metric"),
    FIELD(RC_H5_NUMBER, struct rc_metrics_check, check.points, "points"),
    FIELD(RC_H5_REAL, struct rc_metrics_check, check.error, "error"),
    FIELD(RC_H5_REAL, struct rc_metrics_check, check.rounded, "rounded"),
    FIELD(RC_H5_FLAG, struct rc_metrics_check, check.passed, "passed"),
    {0}};
static const struct rc_h5_table checks_table = {
    .name = "checks", .item_bytes = sizeof(struct rc_metrics_check), .field = checks};

static const struct rc_h5_field alone[] = {
    FIELD(RC_H5_NAME, struct rc_metrics_event, name, "event"),
    FIELD(RC_H5_EVENT, struct rc_metrics_event, event, "event_number"),
    FIELD(RC_H5_NUMBER, struct rc_metrics_event, owner, "metric"),
    {0}};
static const struct rc_h5_table alone_table = {
    .name = "alone", .item_bytes = sizeof(struct rc_metrics_event), .field = alone};

static const struct rc_h5_field inputs[] = {
    FIELD(RC_H5_NAME, struct rc_metrics_input, metric, "input"),
    FIELD(RC_H5_NUMBER, struct rc_metrics_input, owner, "metric"),
    {0}};
static const struct rc_h5_table inputs_table = {
    .name = "inputs", .item_bytes = sizeof(struct rc_metrics_input), .field = inputs};

const struct rc_metrics_owned rc_metrics_lists[RC_METRICS_LISTS] = {
    {.table = &terms_table,
     .owner_bytes = sizeof(struct rc_metric_result),
     .count = offsetof(struct rc_metric_result, term_count),
     .part = {{.list = offsetof(struct rc_metric_result, term),
               .member = offsetof(struct rc_metrics_term, term),
               .bytes = sizeof(struct rc_term)}}},
    {.table = &checks_table,
     .owner_bytes = sizeof(struct rc_metric_result),
     .count = offsetof(struct rc_metric_result, check_count),
     .part = {{.list = offsetof(struct rc_metric_result, check),
               .member = offsetof(struct rc_metrics_check, check),
               .bytes = sizeof(struct rc_metric_check)}}},
    {.table = &alone_table,
     .owner_bytes = sizeof(struct rc_metric_result),
     .count = offsetof(struct rc_metric_result, alone_count),
     .part = {{.list = offsetof(struct rc_metric_result, alone),
               .member = offsetof(struct rc_metrics_event, event),
               .bytes = sizeof(size_t)},
              {.list = offsetof(struct rc_metric_result, alone_name),
               .member = offsetof(struct rc_metrics_event, name),
               .bytes = sizeof(const char *)}}},
    {.table = &inputs_table,
     .owner_bytes = sizeof(struct rc_metric_result),
     .count = offsetof(struct rc_metric_result, input_count),
     .part = {{.list = offsetof(struct rc_metric_result, input),
               .member = offsetof(struct rc_metrics_input, metric),
               .bytes = sizeof(const char *)}}},
};

static const struct rc_h5_field presets[] = {
    FIELD(RC_H5_NAME, struct rc_preset_check, preset, "preset"),
    FIELD(RC_H5_NAME, struct rc_preset_check, metric, "metric"),
    FIELD(RC_H5_TEXT, struct rc_preset_check, definition, "definition"),
    FIELD(RC_H5_TEXT, struct rc_preset_check, outcome, "outcome"),
    {0}};
const struct rc_h5_table rc_metrics_presets = {
    .name = "presets", .item_bytes = sizeof(struct rc_preset_check), .field = presets};

static const struct rc_h5_field implied[] = {
    FIELD(RC_H5_NAME, struct rc_implied, metric, "metric"),
    FIELD(RC_H5_NAME, struct rc_implied, suite, "suite"),
    {.name = "verdict",
     .type = RC_H5_CODE,
     .offset = offsetof(struct rc_implied, verdict),
     .words = rc_metric_verdict_names},
    FIELD(RC_H5_NAME, struct rc_implied, point, "point"),
    FIELD(RC_H5_REAL, struct rc_implied, expected, "expected"),
    FIELD(RC_H5_REAL, struct rc_implied, counted, "counted"),
    FIELD(RC_H5_FLAG, struct rc_implied, agrees, "agrees"),
    {0}};
const struct rc_h5_table rc_metrics_implied = {
    .name = "implied", .item_bytes = sizeof(struct rc_implied), .field = implied};

static const struct rc_h5_field rates[] = {
    FIELD(RC_H5_NAME, struct rc_rate_result, name, "rate"),
    FIELD(RC_H5_TEXT, struct rc_rate_result, unit, "unit"),
    FIELD(RC_H5_TEXT, struct rc_rate_result, convention, "convention"),
    FIELD(RC_H5_NAME, struct rc_rate_result, formula, "formula"),
    {0}};
const struct rc_h5_table rc_metrics_rate_table = {
    .name = "rates", .item_bytes = sizeof(struct rc_rate_result), .field = rates};

#define NUMBERS(member) #member, offsetof(struct rc_rate_result, member)
const struct rc_metrics_rate_numbers rc_metrics_rate_numbers[RC_METRICS_RATE_NUMBERS] =
    {{NUMBERS(values), true}, {NUMBERS(least), false}, {NUMBERS(median), false},
     {NUMBERS(best), false},  {NUMBERS(low), false},   {NUMBERS(high), false}};
