/* parts.h - shared by the files of the command 'model' */
#ifndef RC_CAMPAIGN_MODEL_PARTS_H
#define RC_CAMPAIGN_MODEL_PARTS_H

#include "campaign/cli/args.h"
#include "io/model/model.h"
#include "io/text/rows.h"

#include <stdio.h>

#define RC_MODEL_TIME "time" /* the metric that kernels are chosen by */
#define RC_MODEL_MAX ".max"  /* ends the names of numbers of the slowest rank */
#define RC_MODEL_TIME_MAX RC_MODEL_TIME RC_MODEL_MAX
#define RC_MODEL_OTHERS                                                                \
    "(the rest)" /* the kernel of all that have no law of their own */

enum {
    RC_MODEL_AHEAD = 16,  /* so many times the largest value is looked ahead */
    RC_MODEL_TEXT = 1024, /* bytes of a law, a point or a name as text */
    RC_MODEL_STOPPING = 8,
    RC_MODEL_NUMBER = 48, /* bytes of a number with its unit */
};

/* A command line of 'rollcall model'. */
struct rc_model_request {
    MPI_Comm comm;
    const char *dir; /* of the model */
    const char *const *source;
    size_t sources;
    bool import; /* sources are files of other tools */
    const struct rc_laws_method *method;
    double threshold, accuracy;
    double suggest_s; /* of runs that are suggested; 0: none are */
    enum rc_format format;
};

/* kernels.c: the metric by which kernels are chosen; a series, 'series' where there is
 * none; a parameter by its name of so many bytes, 'parameters' likewise.
 */
size_t rc_model_main_metric(const struct rc_measured *m);
size_t rc_model_find_series(const struct rc_measured *m, size_t kernel, size_t metric);
size_t rc_model_find_parameter(const struct rc_measured *m, const char *name,
                               size_t bytes);

/* The parameter that is the number of processes, p where a profile says it; 'parameters'
 * where none is.
 */
size_t rc_model_find_processes(const struct rc_measured *m);

/* The mean of the readings of a point; NAN: there are none. */
double rc_model_mean(const struct rc_measured_series *s, size_t point);

/* The series of a kernel that holds all others, as the main function does where a tool
 * counts the time of what is called from a kernel as its own; 'series' where there is
 * none: then the kernels add up to the whole.
 */
size_t rc_model_find_whole(const struct rc_measured *m, size_t metric);

/* Takes off the numbers of call paths those of the paths inside, of metrics where they
 * hold these.
 */
int rc_model_unnest(struct rc_measured *m, struct rc_error *err);

struct rc_model_choice {
    double threshold; /* a share, in */
    size_t count;     /* of kernels that are modelled alone */
    double coverage;  /* the share of these, at the point where it is least */
    struct rc_model_kernel *kernel; /* of those that were measured, to be freed */
};

/* Chooses kernels; the caller closes *out, which has these and the rest. */
int rc_model_choose(const struct rc_measured *m, struct rc_model_choice *choice,
                    struct rc_measured **out, struct rc_error *err);

/* The same by a choice that is known, of each kernel of 'm'. */
int rc_model_gather_kernels(const struct rc_measured *m,
                            const struct rc_model_kernel *kernel,
                            struct rc_measured **out, struct rc_error *err);

/* sources.c: reads all sources and puts them together; the caller closes *out. */
int rc_model_read_sources(const struct rc_model_request *request,
                          struct rc_measured **out, struct rc_error *err);

/* profiles.c: the same of directories that 'profile -o' made. */
int rc_model_read_profiles(const char *const *dir, size_t count,
                           struct rc_measured **out, struct rc_error *err);

/* fit.c: collective; the laws of each series, on every rank.  rc_model_laws_fini() in
 * any case.
 */
int rc_model_fit_all(MPI_Comm comm, const struct rc_measured *m,
                     const struct rc_laws_method *method, struct rc_model_laws *out,
                     struct rc_error *err);

/* at.c: a series, and all kernels of a metric together, at a point; 'whole' is
 * rc_model_find_whole() of the metric.
 */
struct rc_predicted rc_model_series_at(const struct rc_model *model, size_t series,
                                       const double *at);
struct rc_predicted rc_model_total_at(const struct rc_model *model, size_t metric,
                                      size_t whole, const double *at);

/* Whether the numbers of kernels add up to one of the program. */
bool rc_model_adds_up(const struct rc_measured_metric *metric);

/* predict.c: reads "p=512,n=256" from all values of an option into at[], where parameters that were
 * not varied have their value already.
 */
int rc_model_read_target(const struct rc_model *model, const struct rc_args *args,
                         const struct rc_option *const *option, double *at,
                         struct rc_error *err);

int rc_model_show_prediction(const struct rc_model *model, const double *at,
                             enum rc_format format, struct rc_error *err);

/* tables.c */
int rc_model_show(const struct rc_model *model, const char *dir, enum rc_format format,
                  struct rc_error *err);

/* words.c: "p=512, n=9000", as the columns' names and in prose. */
const char *rc_model_put_point(const struct rc_measured *m, const double *at,
                               char out[RC_MODEL_TEXT]);
/* "12.3 ms" */
const char *rc_model_put_number(const char *unit, double value,
                                char out[RC_MODEL_NUMBER]);
/* A line for each word, with the kernels that it is said of: of predictions at a point,
 * or of the laws themselves (NULL).
 */
void rc_model_say_words(const struct rc_model *model, size_t metric, const double *at,
                        FILE *out);
/* Where the numbers come from. */
void rc_model_say_origin(const struct rc_model *model, FILE *out);

/* scaling.c: how a program scales with a parameter, by its laws. */
struct rc_model_scaling {
    size_t parameter;             /* p, else the first that varies */
    size_t metric;                /* of time */
    size_t whole;                 /* rc_model_find_whole() of it */
    double at[RC_LAW_PARAMETERS], /* the largest point that was measured */
        ahead[RC_LAW_PARAMETERS]; /* RC_MODEL_AHEAD times beyond, of the parameter */
    double total, total_ahead;
    size_t worst; /* series of the kernel that stops it; 'series': none does */
    double value, value_ahead; /* of that kernel */
    struct rc_model_list {
        size_t of[RC_MODEL_STOPPING], count; /* series, the first ones of so many */
    } stopping,                              /* of kernels that do not get faster */
        unknown;             /* of those whose interval is too wide to say that */
    double best, best_total; /* the parameter of the least time, if that is below;
                                * best is 0 where more is always better */
};
int rc_model_find_scaling(const struct rc_model *model, struct rc_model_scaling *out,
                          struct rc_error *err);

/* advise.c: which runs narrow the time at a point most, within so many seconds. */
int rc_model_suggest(const struct rc_model *model, const double *at, double budget,
                     enum rc_format format, struct rc_error *err);

/* validate.c: holds the model against what was measured elsewhere.  *off: some of it is
 * further off than 'accuracy'.
 */
int rc_model_validate(const struct rc_model *model, const struct rc_model_request *r,
                      bool *off, struct rc_error *err);

#endif
