/* model_sample.h - a small model: two parameters, two kernels, a time and bytes that are
 * simulated and were not measured at one point
 */
#ifndef RC_TESTS_LIB_MODEL_SAMPLE_H
#define RC_TESTS_LIB_MODEL_SAMPLE_H

#include "io/model/model.h"

#include <math.h>

enum { SAMPLE_POINTS = 4, SAMPLE_SERIES = 3 };

static const char *const sample_parameters[] = {"p", "n"};
static const double sample_at[] = {2, 64, 2, 128.5, 4, 64, 4, 128.5};
static const char *const sample_kernels[] = {"main;exchange", "main;solve"};
static const struct rc_measured_metric sample_metrics[] = {
    {"bytes", "bytes", RC_MEASURED_COUNT, true},
    {"time", "s", RC_MEASURED_TIME, false}};
static size_t sample_first[SAMPLE_SERIES][SAMPLE_POINTS + 1] = {
    {0, 1, 1, 2, 3}, {0, 2, 4, 6, 8}, {0, 2, 4, 6, 8}};
static double sample_value[SAMPLE_SERIES][8] = {
    {1024, 2048, 1e15 + 1},
    {0.25, 0.1 + 0.2, 0.5, 0.5, 1.0 / 3, 0.3, 0.4, 0.45},
    {2, 2.125, 8, 8.0625, 1, 1.0009765625, 4, 4.5}};
static const struct rc_measured_series sample_of[SAMPLE_SERIES] = {
    {0, 0, sample_first[0], sample_value[0], NULL},
    {0, 1, sample_first[1], sample_value[1], NULL},
    {1, 1, sample_first[2], sample_value[2], NULL}};
static const struct rc_measured sample_measured = {.parameters = 2,
                                                   .points = SAMPLE_POINTS,
                                                   .kernels = 2,
                                                   .metrics = 2,
                                                   .series = SAMPLE_SERIES,
                                                   .parameter = sample_parameters,
                                                   .at = sample_at,
                                                   .kernel = sample_kernels,
                                                   .metric = sample_metrics,
                                                   .of = sample_of,
                                                   .origin = "CSV"};
static const char *const sample_sources[] = {"runs.csv"};
static const struct rc_model_kernel sample_choice[] = {
    {"main;solve", RC_MODEL_SHARE, 0.9}, {"main;exchange", RC_MODEL_RISING, 0.1}};

/* 0.5 n^2 p^(-1) log2(n) + 0.25, and others; rc_model_laws_fini() of its laws.  The
 * result is RC_OK but where there is no memory.
 */
static inline int make_sample(struct rc_model *out, struct rc_error *err)
{
    static const struct rc_law_factor one = {0, 1, 0};
    static const struct rc_law_term constant = {.coefficient = 0.25,
                                                .of = {{0, 1, 0}, {0, 1, 0}}};
    const struct rc_law_term work = {.coefficient = 0.5,
                                     .of = {{-1, 1, 0}, {2, 1, 1}, one, one}};
    struct rc_laws none = {.parameters = 2, .words = RC_LAWS_ZEROS, .noise = NAN};
    struct rc_laws two = {.parameters = 2,
                          .least = {2, 64},
                          .most = {4, 128.5},
                          .noise = 0.02,
                          .degrees = 4,
                          .words = RC_LAWS_FEW_POINTS,
                          .count = 2};
    int status;

    two.choice[0] = (struct rc_laws_choice){.law = {2, {work, constant}},
                                            .weight = 0.75,
                                            .covariance = {{1e-4, 0}, {0, 4}}};
    two.choice[1] = (struct rc_laws_choice){
        .law = {1, {constant}}, .weight = 0.25, .covariance = {{0.01}}};
    *out = (struct rc_model){.created_by = "rollcall test",
                             .unix_time = 1780000000,
                             .method = "rollcall",
                             .source = sample_sources,
                             .sources = 1,
                             .accuracy = 0.1,
                             .threshold = 0.05,
                             .coverage = 0.99,
                             .simulated = true,
                             .measured = &sample_measured,
                             .kernel = sample_choice,
                             .kernels = 2};
    if ((status = rc_model_laws_add(&out->laws, &none, err)) == RC_OK &&
        (status = rc_model_laws_add(&out->laws, &two, err)) == RC_OK)
        status = rc_model_laws_add(&out->laws, &two, err);
    return status;
}

#endif
