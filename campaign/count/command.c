/* The count command: a campaign's trusted metrics over one command. */
#include "campaign/count/count.h"

#include "campaign/base/files/file.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/launch.h"
#include "campaign/cli/tell.h"
#include "campaign/machine/machine.h"
#include "campaign/profile/passes/program.h"
#include "campaign/spec/options.h"
#include "io/metrics/metric_words.h"
#include "io/text/rows.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char *const way_names[] = {"auto", "counters", "soft", NULL};

static RC_OPTION(option_metrics, "metrics", "A,B",
                 "metrics of the campaign, by name; all: those that count here",
                 .letter = 'm', .repeats = true);
static RC_OPTION(option_expect, "expect", "NAME=VALUE[~TOL]",
                 "what a metric should be, within TOL counts or TOL% (without: within "
                 "its interval); end with 1 where it is not",
                 .repeats = true);
static RC_OPTION(option_source, "source", "S",
                 "counters, soft (each instruction is stepped), or auto (default)",
                 .letter = 's', .words = way_names);
static RC_OPTION(option_output, "output", "FILE",
                 "where the result goes; by default to the standard error",
                 .letter = 'o');
static RC_OPTIONS(options, &option_metrics, &option_expect, &option_source,
                  &option_output, &rc_option_format, &rc_option_quiet);

static const char usage[] = "expected DIR --metrics NAMES -- COMMAND [ARGUMENT]...";

enum { RANK, COLUMNS = 13, CELL = 40 };
static const struct rc_column all_columns[COLUMNS + 1] = {
    RC_TEXT("rank"),
    RC_TEXT("metric"),
    RC_NUMBER("value"),
    RC_NUMBER("low"),
    RC_NUMBER("high"),
    RC_TEXT("how"),
    RC_TEXT("verdict"),
    RC_NUMBER("error"),
    RC_NUMBER("expected"),
    RC_TEXT("outcome"),
    RC_NUMBER_HIDDEN("difference"), /* for people a part of the outcome */
    RC_NUMBER_HIDDEN("signal"),
    RC_TEXT_HIDDEN("suite"),
    {.name = NULL}};

/* The output after the program has ended. */
struct result {
    struct rc_count *c;
    const struct rc_count_ranks *ranks;
    char *const *words;
    enum rc_format format;
    struct rc_rows *rows;
    size_t wrong; /* expectations that do not hold */
};

static const char *put_number(char out[CELL], const char *format, double value)
{
    if (!isfinite(value))
        return NULL;
    snprintf(out, CELL, format, value);
    return out;
}

/* "not as expected: +9218, 0.52 %", the difference only for people. */
static void put_outcome(char *out, size_t room, bool holds, double from, double value,
                        bool people)
{
    snprintf(out, room, "%sas expected", holds ? "" : "not ");
    if (!people || from == 0)
        return;
    rc_text_append(out, room, ": %+.15g", from);
    if (value != 0)
        rc_text_append(out, room, ", %.3g %%", fabs(100 * from / value));
}

/* Adds a row: one metric of rank number 'of'; ranks->ranks stands for all of them. */
static void put_metric(struct result *r, const struct rc_count_metric *metric,
                       size_t of, bool judged)
{
    const struct rc_metric_result *m = metric->result;
    const struct rc_count_expectation *e = &metric->expectation;
    const bool people = r->format == RC_FORMAT_TEXT;
    const char *bound = people ? "%.15g" : "%.17g"; /* without the noise of rounding */
    char text[7][CELL], verdict[64], error[RC_METRIC_ERROR + 1], outcome[2 * CELL],
        difference[CELL];
    double value, low, high;
    bool simulated = false;

    for (size_t t = 0; t < metric->term_count; t++)
        simulated |= r->c->event[metric->term[t].event].simulated;
    rc_count_value(metric, r->ranks->value + of * r->c->event_count, &value, &low,
                   &high);
    const bool holds = rc_count_holds(e, value, low, high),
               compared = judged && e->given && isfinite(value);
    if (judged && e->given && !holds)
        r->wrong++;
    if (of == r->ranks->ranks)
        snprintf(text[5], CELL, "all");
    else
        snprintf(text[5], CELL, "%d", r->ranks->rank[of]);
    snprintf(text[6], CELL, "%d", r->ranks->signal[of]);
    put_outcome(outcome, sizeof outcome, holds, value - e->value, e->value, people);
    snprintf(verdict, sizeof verdict, "%s%s", rc_metric_verdict_names[m->verdict],
             simulated ? " (simulated)" : "");
    rc_metric_put_error(error, m);
    const char *how = r->c->way == RC_COUNT_COUNTERS ? "counted"
                      : metric->by_definition        ? "stepped, its definition"
                                                     : "stepped";
    const char *cells[COLUMNS] = {
        text[5],
        m->name,
        put_number(text[0], "%.17g", value),
        put_number(text[1], bound, low),
        put_number(text[2], bound, high),
        how,
        verdict,
        metric->by_definition ? NULL
        : people              ? error
                              : put_number(text[3], "%.3g", m->error),
        judged && e->given ? put_number(text[4], "%.17g", e->value) : NULL,
        compared          ? outcome
        : isfinite(value) ? NULL
                          : "not counted",
        compared ? put_number(difference, "%.17g", value - e->value) : NULL,
        r->ranks->signal[of] ? text[6] : NULL,
        metric->suite};
    rc_rows_add(r->rows, cells);
}

/* Each rank's row, then the sum of all, to which expectations apply. */
static void put_metrics(struct result *r)
{
    const size_t ranks = r->ranks->ranks;

    for (size_t i = 0; i < r->c->metric_count; i++) {
        for (size_t k = 0; k < ranks; k++)
            put_metric(r, &r->c->metric[i], k, ranks == 1);
        if (ranks > 1)
            put_metric(r, &r->c->metric[i], ranks, true);
    }
}

/* "stepped: 2.1 s, 1 process, 3 threads" and possible doubts. */
static void put_remarks(const struct rc_count *c, const struct rc_count_ranks *ranks,
                        char *out, size_t room)
{
    const struct rc_followed *f = &c->followed;
    char took[RC_TEXT_SHORT];

    out[0] = 0;
    for (size_t k = 0; k < ranks->ranks && !out[0]; k++)
        if (ranks->signal[k]) {
            rc_text_append(out, room, "signal %d (%.40s) ended the program",
                           ranks->signal[k], strsignal(ranks->signal[k]));
            if (ranks->ranks > 1)
                rc_text_append(out, room, " of rank %d", ranks->rank[k]);
            rc_text_append(out, room, "%s; ",
                           c->why[0] ? "" : ": the counts are of what ran until then");
        }
    if (c->why[0])
        rc_text_append(out, room, "nothing was counted: %.600s", c->why);
    else if (c->way == RC_COUNT_STEPS)
        rc_text_append(out, room,
                       "exact: each instruction of %zu process%s, %zu thread%s was "
                       "stepped, in %s",
                       f->processes, f->processes == 1 ? "" : "es", f->threads,
                       rc_text_s(f->threads), rc_text_put_duration(took, c->took_ns));
    else
        rc_text_append(out, room, "by the processor's counters, in %s",
                       rc_text_put_duration(took, c->took_ns));
    for (size_t e = 0; e < c->event_count && !c->why[0]; e++)
        if (c->event[e].running_ns < c->event[e].enabled_ns) {
            rc_text_append(out, room,
                           "; more events than count at once: '%.100s', for one, did "
                           "not count all the time; ask for fewer metrics",
                           c->event[e].name);
            break;
        }
    if (f->left)
        rc_text_append(out, room, "; %zu %s not counted to the end: %s", f->left,
                       f->left == 1 ? "process was" : "processes were", f->why);
    if (ranks->why[0])
        rc_text_append(out, room, "; %.400s", ranks->why);
}

static int write_result(FILE *out, void *context, struct rc_error *err)
{
    struct result *r = context;
    struct rc_json own, *json = rc_rows_json(r->format, &own, out);
    struct rc_column columns[COLUMNS + 1];
    char remarks[2048];
    size_t words = 0;

    r->wrong = 0;
    memcpy(columns, all_columns, sizeof columns);
    columns[RANK].text_hidden = r->ranks->ranks == 1;
    put_remarks(r->c, r->ranks, remarks, sizeof remarks);
    while (r->words[words])
        words++;
    if (json) {
        const int ended = r->c->followed.ended;
        rc_json_object(json, NULL);
        rc_json_text(json, "campaign", r->c->dir);
        rc_json_texts(json, "command", (const char *const *)r->words, words);
        rc_json_integer(json, "exit",
                        WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended));
        rc_json_text(json, "remark", remarks);
        rc_json_array(json, "metrics");
    } else if (r->format == RC_FORMAT_TEXT) {
        fputs("\n", out);
    } else {
        rc_rows_head(out, r->format, columns);
    }
    r->rows = rc_rows_create(out, r->format, columns, json);
    if (r->rows)
        put_metrics(r);
    const int status = rc_rows_end(r->rows, RC_OK, err);
    rc_json_close(json);
    if (r->format == RC_FORMAT_TEXT)
        fprintf(out, "%s\n", remarks);
    return status;
}

/* Appends the sums to the ranks' counts. */
static int add_sums(struct rc_count *c, struct rc_count_ranks *ranks,
                    struct rc_error *err)
{
    const size_t events = c->event_count, all = ranks->ranks * events;
    double *value = rc_arena_array(&c->arena, all + events, sizeof *value);
    int *signal = rc_arena_array(&c->arena, ranks->ranks + 1, sizeof *signal);

    if (!value || !signal)
        return rc_fail(err, RC_ENOMEM, "no memory for the sums");
    memcpy(value, ranks->value, all * sizeof *value);
    for (size_t i = 0; i < all; i++)
        value[all + i % events] += value[i];
    memcpy(signal, ranks->signal, ranks->ranks * sizeof *signal);
    for (size_t k = 0; k < ranks->ranks && !signal[ranks->ranks]; k++)
        signal[ranks->ranks] = signal[k];
    ranks->value = value;
    ranks->signal = signal;
    return RC_OK;
}

/* Writes the result, if this rank has all of it, and compares it with the expectations.
 */
static int say_result(struct rc_count *c, const struct rc_args *args,
                      char *const *words, struct rc_session *session,
                      struct rc_error *err)
{
    const char *file = rc_args_value(args, &option_output);
    struct rc_count_ranks ranks;
    struct result r = {.c = c,
                       .ranks = &ranks,
                       .words = words,
                       .format =
                           rc_rows_format(rc_args_value(args, &rc_option_format))};
    const struct rc_file_writer writer = {write_result, &r};
    int status;

    if ((status = rc_count_gather(c, words, &ranks, err)) != RC_OK || ranks.others ||
        (status = add_sums(c, &ranks, err)) != RC_OK)
        return status;
    if (file && strcmp(file, "-") == 0)
        status = write_result(stdout, &r, err);
    else if (file)
        status = rc_file_replace_by(file, RC_FILE_GIVEN, &writer, err);
    else
        status = write_result(stderr, &r, err);
    session->differs = r.wrong > 0;
    return status;
}

/* Ends this process as the program ended. */
static void end_as_program(int ended, struct rc_session *session)
{
    const struct rlimit none = {0, 0};

    session->exits = WIFEXITED(ended) ? WEXITSTATUS(ended) : 0;
    if (!WIFSIGNALED(ended))
        return;
    fflush(NULL);
    setrlimit(RLIMIT_CORE, &none); /* the program has left one already */
    signal(WTERMSIG(ended), SIG_DFL);
    raise(WTERMSIG(ended));
    session->exits = 128 + WTERMSIG(ended);
}

/* Reads the metrics and their expectations, and plans. */
static int take_metrics(struct rc_count *c, const struct rc_args *args,
                        struct rc_error *err)
{
    struct rc_arg_words names = {0}, expectations = {0};
    int status;

    if (!rc_args_has(args, &option_metrics) && !rc_args_has(args, &option_expect))
        return rc_fail(err, RC_EUSAGE, "no metrics: %s", usage);
    if ((status = rc_args_words(args, &option_metrics, true, &names, err)) == RC_OK &&
        (status = rc_args_words(args, &option_expect, false, &expectations, err)) ==
            RC_OK)
        status = rc_count_choose(c, names.word, names.count, err);
    for (size_t i = 0; i < expectations.count && status == RC_OK; i++)
        status = rc_count_expect(c, expectations.word[i], err);
    rc_arg_words_fini(&names);
    rc_arg_words_fini(&expectations);
    return status == RC_OK ? rc_count_plan(c, err) : status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const char *way = rc_args_value(args, &option_source);
    char why[RC_ERROR_TEXT] = "", path[PATH_MAX];
    struct rc_count c = {.way = way ? (enum rc_count_way)rc_word_find(way, way_names)
                                    : RC_COUNT_CHOOSE};
    char *const *words = (char *const *)args->operands + 1;
    int status;

    if (args->operand_count < 2)
        return rc_fail(err, RC_EUSAGE, "no %s: %s",
                       args->operand_count ? "command" : "campaign", usage);
    if (strcmp(args->operands[-1], "--") != 0)
        return rc_fail(err, RC_EUSAGE, "no -- before '%.200s': %s", words[0], usage);
    c.dir = args->operands[0];
    if ((status = rc_profile_program_find(words, "count DIR --metrics NAMES", path,
                                          sizeof path, &session->trouble, err)) !=
            RC_OK ||
        (status = rc_results_open(c.dir, rc_machine_node_name(), &c.campaign, why,
                                  sizeof why, err)) != RC_OK ||
        (status = take_metrics(&c, args, err)) != RC_OK)
        goto out;
    if (rc_launch_rank() == 0 && why[0])
        rc_tell(why);
    if (rc_launch_rank() == 0 && c.way == RC_COUNT_STEPS)
        rc_tell("no counter is used: each instruction is stepped, which is exact and "
                "slow: some 30,000 instructions a second");
    rc_count_gather_begin(&c, words);
    if ((status = rc_count_follow(&c, words, path, &session->trouble, err)) != RC_OK)
        goto out;
    status = say_result(&c, args, words, session, err);
out:
    rc_results_close(&c.campaign);
    rc_arena_free(&c.arena);
    free(c.metric);
    free(c.event);
    if (status != RC_OK)
        return status;
    end_as_program(c.followed.ended, session);
    return RC_OK;
}

const struct rc_command rc_command_count = {
    .name = "count",
    .summary = "counts a campaign's trusted metrics over one command",
    .operands = "DIR -- COMMAND [ARGUMENT]...",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_NONE_EACH,
    .exits =
        "That of the command, or the signal that ended it; 1 if it ended with 0 and a "
        "metric is not as expected; 126 if it cannot be run, 127 if it does not exist; "
        "otherwise as for the other commands.",
    .files = RC_FILE_METRICS,
    .see = (const char *const[]){"solve", "profile", "verify", NULL},
    .run = run,
};
