/* model_programs.c - planted programs (simulated): what is found of them from few ranks
 *
 *     bench_model_programs random [PROGRAMS [FIRST [tell]]]    1,000 random ones
 *     bench_model_programs DIR                                 those of published programs
 *
 * The time of a part is fitted as a whole; or calls, bytes, and the time of one call are
 * fitted apart, and the time is composed of them.
 *
 * A part does not scale where its time per rank falls by less than p^-0.1 from the most
 * ranks that were measured to 16 times as many, and is 1 % of the whole there.  Those near
 * to one of these limits (p^-0.05 to p^-0.2; 0.5 to 2 %) are not counted.
 */
#include "campaign/base/mix.h"
#include "solve/model/comm.h"
#include "solve/model/parts.h"
#include "tests/planted/model_app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 25, MOST_READINGS = 5, NOISES = 5, AHEAD = 16 };
static const double FLAT = -0.1, LEAST = 0.01;

/* Values of p and n at which a program is measured, and how often. */
struct design {
    size_t parameters, points, readings;
    double at[POINTS][2];
};

/* A program, fitted: the time of each part as a whole; and, of those that communicate,
 * calls, bytes, and what a call takes by its ranks and bytes.
 */
struct fitted {
    struct model_app app;
    struct design design;
    struct rc_laws time[MODEL_PARTS], calls[MODEL_PARTS], bytes[MODEL_PARTS];
    struct rc_comm *comm; /* NULL: no part communicates */
};

static uint64_t state;

static void must(int status, const struct rc_error *err)
{
    if (status == RC_OK)
        return;
    fprintf(stderr, "bench_model_programs: %s\n", err->text);
    exit(1);
}

/* All combinations; where n has one value, it is not a parameter. */
static struct design design_of(const double *p, size_t ps, const double *n, size_t ns,
                               size_t readings)
{
    struct design design = {ns > 1 ? 2 : 1, 0, readings, {{0}}};

    for (size_t i = 0; i < ps; i++)
        for (size_t k = 0; k < ns; k++) {
            design.at[design.points][0] = p[i];
            design.at[design.points++][1] = n[k];
        }
    return design;
}

static struct model_taken taken_at(const struct fitted *f, size_t part, double p,
                                   double n)
{
    const struct formula_name names[] = {{"p", p}, {"n", n}};

    return model_app_at(&f->app, &f->app.part[part], names, 2);
}

enum number { TIME, CALLS, BYTES };

static void fit_part(const struct fitted *f, size_t part, enum number number,
                     struct rc_laws *out)
{
    const struct design *design = &f->design;
    double at[2 * POINTS], value[POINTS * MOST_READINGS];
    size_t first[POINTS + 1] = {0};
    struct rc_error err;

    for (size_t i = 0; i < design->points; i++) {
        const struct model_taken taken =
            taken_at(f, part, design->at[i][0], design->at[i][1]);
        for (size_t l = 0; l < design->parameters; l++)
            at[i * design->parameters + l] = design->at[i][l];
        first[i + 1] = first[i] + design->readings;
        for (size_t r = first[i]; r < first[i + 1]; r++)
            value[r] = number == BYTES ? taken.bytes
                       : number == CALLS
                           ? taken.calls
                           : model_app_measured(&f->app, taken.mean_s, &state);
    }
    const enum rc_laws_kind kind = number == TIME ? RC_LAWS_MEASURED : RC_LAWS_COUNTED;
    const struct rc_observed observed = {
        kind, design->parameters, design->points, at, first, value, NULL};
    must(rc_laws_methods[0].fit(&observed, out, &err), &err);
}

static enum rc_comm_operation operation_of(const struct model_part *part)
{
    for (int i = RC_COMM_BARRIER; i < RC_COMM_OPERATIONS; i++)
        if (strcmp(rc_comm_operation_name((enum rc_comm_operation)i) + 4,
                   part->operation) == 0)
            return (enum rc_comm_operation)i;
    return RC_COMM_FAR;
}

static double ranks_of(const struct model_part *part, double p)
{
    return part->kind == MODEL_MESSAGE ? 2 : p;
}

/* Bytes of a call, of the root where there is one, from sums over all p ranks. */
static double bytes_of_call(const struct model_part *part, double calls, double bytes,
                            double p)
{
    const enum rc_comm_operation operation = operation_of(part);

    if (operation == RC_COMM_BCAST || operation == RC_COMM_SCATTER)
        bytes *= p;
    return calls > 0 ? bytes / calls : 0;
}

static void fit_calls(struct fitted *f)
{
    static struct rc_comm_row row[MODEL_PARTS * POINTS];
    const double readings = (double)f->design.readings;
    struct rc_error err;
    size_t rows = 0;

    for (size_t i = 0; i < f->app.parts; i++) {
        const struct model_part *part = &f->app.part[i];
        if (part->kind == MODEL_KERNEL)
            continue;
        fit_part(f, i, CALLS, &f->calls[i]);
        fit_part(f, i, BYTES, &f->bytes[i]);
        for (size_t d = 0; d < f->design.points; d++) {
            const double p = f->design.at[d][0];
            const struct model_taken taken = taken_at(f, i, p, f->design.at[d][1]);
            const double each = taken.mean_s / (taken.calls / p);
            double sum = 0;
            for (size_t r = 0; r < f->design.readings; r++)
                sum += model_app_measured(&f->app, each, &state);
            row[rows++] = (struct rc_comm_row){
                operation_of(part), ranks_of(part, p),
                bytes_of_call(part, taken.calls, taken.bytes, p), sum / readings,
                each * f->app.noise / sqrt(readings)};
        }
    }
    f->comm = NULL;
    if (rows > 0)
        must(rc_comm_fit(row, rows, RC_COMM_FITTED, &f->comm, &err), &err);
}

static void fit_program(struct fitted *f)
{
    for (size_t i = 0; i < f->app.parts; i++)
        fit_part(f, i, TIME, &f->time[i]);
    fit_calls(f);
}

/* The time of a part on a rank. */
static struct rc_predicted predict_part(const struct fitted *f, size_t i,
                                        const double *at, bool composed)
{
    const struct model_part *part = &f->app.part[i];

    if (part->kind == MODEL_KERNEL || !composed)
        return rc_laws_predict(&f->time[i], at);
    const double calls = rc_laws_predict(&f->calls[i], at).value,
                 bytes = rc_laws_predict(&f->bytes[i], at).value, each = calls / at[0];
    struct rc_predicted of =
        rc_comm_predict(f->comm, operation_of(part), ranks_of(part, at[0]),
                        bytes_of_call(part, calls, bytes, at[0]));
    of.value *= each;
    of.low *= each;
    of.high *= each;
    return of;
}

/* The rates of the programs of a noise. */
struct rates {
    size_t programs, stopping, found, scaling, wrong, inside;
    double *error; /* of the whole time ahead, relative */
};

static bool stops(double now, double ahead, double all_ahead, double flat, double least)
{
    return log(ahead / now) / log(AHEAD) >= flat && ahead / all_ahead >= least;
}

static void judge(const struct fitted *f, bool composed, struct rates *rates, bool tell)
{
    const double *last = f->design.at[f->design.points - 1];
    const double now[2] = {last[0], last[1]}, ahead[2] = {AHEAD * last[0], last[1]};
    double was[MODEL_PARTS], is[MODEL_PARTS], all = 0, predicted = 0, variance = 0;
    struct rc_predicted before[MODEL_PARTS], then[MODEL_PARTS];

    for (size_t i = 0; i < f->app.parts; i++) {
        was[i] = taken_at(f, i, now[0], now[1]).mean_s;
        is[i] = taken_at(f, i, ahead[0], ahead[1]).mean_s;
        before[i] = predict_part(f, i, now, composed);
        then[i] = predict_part(f, i, ahead, composed);
        const double half = (then[i].high - then[i].low) / 2;
        all += is[i];
        predicted += then[i].value;
        variance += half * half;
    }
    for (size_t i = 0; i < f->app.parts; i++) {
        const bool found =
                       stops(before[i].value, then[i].value, predicted, FLAT, LEAST),
                   is_one = stops(was[i], is[i], all, FLAT / 2, 2 * LEAST);
        if (is_one) {
            rates->stopping++;
            rates->found += found;
        } else if (!stops(was[i], is[i], all, 2 * FLAT, LEAST / 2)) {
            rates->scaling++;
            rates->wrong += found;
        } else {
            continue;
        }
        if (tell && found != is_one)
            printf("%s: %s: %.4g to %.4g of %.4g, expected %.4g to %.4g of %.4g\n",
                   found ? "false" : "missed", f->app.part[i].name, before[i].value,
                   then[i].value, predicted, was[i], is[i], all);
    }
    rates->inside += fabs(predicted - all) <= sqrt(variance) + 1e-9 * all;
    rates->error[rates->programs++] = fabs(predicted / all - 1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double percent(size_t part, size_t all)
{
    return all ? 100 * (double)part / (double)all : NAN;
}

static void put_rates(const char *noise, struct rates *of)
{
    qsort(of->error, of->programs, sizeof *of->error, compare);
    printf("%-7s  %8zu  %5zu  %7.2f  %5zu  %7.2f  %8.2f  %9.2f  %8.1f\n", noise,
           of->programs, of->stopping, percent(of->found, of->stopping), of->scaling,
           percent(of->wrong, of->scaling), 100 * of->error[of->programs / 2],
           100 * of->error[of->programs * 9 / 10], percent(of->inside, of->programs));
}

static void add_rates(const struct rates *of, struct rates *sum)
{
    for (size_t k = 0; k < of->programs; k++)
        sum->error[sum->programs++] = of->error[k];
    sum->stopping += of->stopping;
    sum->found += of->found;
    sum->scaling += of->scaling;
    sum->wrong += of->wrong;
    sum->inside += of->inside;
}

static const double noises[NOISES] = {0, 0.01, 0.02, 0.05, 0.1};

static void read_random(size_t seed, struct fitted *f)
{
    static const double p[] = {4, 8, 16, 32, 64}, n[] = {128},
                        ns[] = {32, 64, 128, 256, 512};
    FILE *file = tmpfile();

    if (!file)
        exit(3);
    model_app_random(seed, file);
    rewind(file);
    if (model_app_read(file, &f->app) != 0)
        exit(1);
    fclose(file);
    f->design = seed % 2 ? design_of(p, 5, n, 1, 3) : design_of(p, 5, ns, 5, 3);
    state = rc_mix(seed * 3 + 1);
}

static void run_random(size_t count, size_t start, bool tell)
{
    static struct fitted f;
    static struct rates rates[2][NOISES + 1]; /* as a whole, composed */

    for (size_t i = 0; i <= NOISES; i++)
        for (int c = 0; c < 2; c++)
            if (!(rates[c][i].error = calloc(count + 1, sizeof(double))))
                exit(3);
    for (size_t seed = start; seed < start + count; seed++) {
        size_t noise = 0;
        read_random(seed, &f);
        while (noises[noise] < f.app.noise)
            noise++;
        fit_program(&f);
        for (int c = 0; c < 2; c++) {
            if (tell)
                printf("program %zu, noise %g%s\n", seed, f.app.noise,
                       c ? ", composed" : "");
            judge(&f, c, &rates[c][noise], tell);
        }
        free(f.comm);
    }
    for (int c = 0; c < 2; c++) {
        printf("%s\nnoise_%%  programs  stops  found_%%  scale  false_%%  median_%%  "
               "9_of_10_%%  inside_%%\n",
               c ? "\ntimes of messages and collectives composed"
                 : "each time as a whole");
        for (size_t i = 0; i <= NOISES; i++) {
            char noise[16] = "all";
            if (i < NOISES)
                snprintf(noise, sizeof noise, "%g", 100 * noises[i]);
            put_rates(noise, &rates[c][i]);
            if (i < NOISES)
                add_rates(&rates[c][i], &rates[c][NOISES]);
            free(rates[c][i].error);
        }
    }
}

/* How times are found: they are known, fitted as a whole, or composed. */
enum way { TRUTH, WHOLE, COMPOSED };

/* Seconds on p ranks, of parts that communicate, or of those that compute. */
static double seconds(const struct fitted *f, double p, bool communicates, enum way way)
{
    const double at[2] = {p, 32};
    double sum = 0;

    for (size_t i = 0; i < f->app.parts; i++)
        if ((f->app.part[i].kind != MODEL_KERNEL) == communicates)
            sum += way == TRUTH ? taken_at(f, i, p, 32).mean_s
                                : predict_part(f, i, at, way == COMPOSED).value;
    return sum;
}

enum { FAR_AWAY = 4096 };

/* The p from which on communication takes more than computation; "-": none to FAR_AWAY. */
static void put_crossing(const struct fitted *f, enum way way)
{
    double p = 2;

    while (p < FAR_AWAY && seconds(f, p, true, way) < seconds(f, p, false, way))
        p *= 1.002;
    if (p < FAR_AWAY)
        printf("  %8.1f", p);
    else
        printf("  %8s", "-");
}

/* The p of the least time. */
static void put_least_time(const struct fitted *f, enum way way)
{
    double best = 2, least = INFINITY;

    for (double p = 2; p < FAR_AWAY; p *= 1.002) {
        const double s = seconds(f, p, false, way) + seconds(f, p, true, way);
        best = s < least ? p : best;
        least = s < least ? s : least;
    }
    if (best * 1.002 < FAR_AWAY)
        printf("  %8.1f", best);
    else
        printf("  %8s", "-");
}

/* The mean error of the whole time on 2, 4, 8 and 16 times the ranks. */
static double mean_error(const struct fitted *f, enum way way)
{
    double sum = 0;

    for (double p = 2 * f->design.at[f->design.points - 1][0], i = 0; i < 4;
         i++, p *= 2)
        sum += fabs((seconds(f, p, false, way) + seconds(f, p, true, way)) /
                        (seconds(f, p, false, TRUTH) + seconds(f, p, true, TRUTH)) -
                    1);
    return sum / 4;
}

/* The law of a part's bytes, and how far it is off at 16 times the ranks. */
static void put_bytes(const struct fitted *f, const char *program, size_t part)
{
    const double p = AHEAD * f->design.at[f->design.points - 1][0];
    const struct rc_laws *fit = &f->bytes[part];

    printf("%s, %s from %zu points: ", program, f->app.part[part].name,
           f->design.points);
    for (size_t t = 0; fit->count > 0 && t < fit->choice[0].law.terms; t++) {
        const struct rc_law_term *term = &fit->choice[0].law.term[t];
        printf("%s%.12g", t ? " + " : "", term->coefficient);
        if (term->of[0].over)
            printf(" p^(%d/%d)", term->of[0].over, term->of[0].under);
        if (term->of[0].logs)
            printf(" log^%d p", term->of[0].logs);
    }
    printf("%s, off by %.2g at p = %g\n", fit->exact ? " (exact)" : "",
           rc_laws_predict(fit, &p).value / taken_at(f, part, p, 32).bytes - 1, p);
}

static void read_published(const char *dir, const char *name, const double *p,
                           size_t ps, struct fitted *f)
{
    static const double n[] = {32};
    char path[4096];

    snprintf(path, sizeof path, "%s/%s.app", dir, name);
    FILE *file = fopen(path, "r");
    if (!file || model_app_read(file, &f->app) != 0) {
        fprintf(stderr, "bench_model_programs: no program '%s'\n", path);
        exit(1);
    }
    fclose(file);
    f->design = design_of(p, ps, n, 1, MOST_READINGS);
    state = rc_mix(17);
}

static void run_published(const char *dir)
{
    static const struct {
        const char *name;
        double p[5];
        size_t ps;
        int bytes; /* part whose bytes are published, or -1 */
    } of[] = {{"lu", {2, 4, 8}, 3, 3},  {"sp", {4, 9, 16}, 3, 3},
              {"mg", {2, 4, 8}, 3, 2},  {"cg", {2, 4, 8}, 3, 1},
              {"ft", {2, 4, 8}, 3, -1}, {"ep", {2, 4, 8}, 3, -1},
              {"bt", {4, 9, 16}, 3, 4}, {"homme", {24, 48, 96, 192, 384}, 5, 3}};
    static struct fitted f;
    const size_t count = sizeof of / sizeof of[0];
    double errors[2] = {0};

    printf("program  p             communication above: truth, whole, composed   least "
           "time "
           "at: truth, whole, composed   error_%%: whole, composed\n");
    for (size_t i = 0; i < count; i++) {
        char p[64];
        read_published(dir, of[i].name, of[i].p, of[i].ps, &f);
        fit_program(&f);
        snprintf(p, sizeof p, "%g..%g (%zu)", of[i].p[0], of[i].p[of[i].ps - 1],
                 of[i].ps);
        printf("%-7s  %-12s", of[i].name, p);
        for (enum way way = TRUTH; way <= COMPOSED; way++)
            put_crossing(&f, way);
        for (enum way way = TRUTH; way <= COMPOSED; way++)
            put_least_time(&f, way);
        for (enum way way = WHOLE; way <= COMPOSED; way++) {
            const double error = mean_error(&f, way);
            errors[way - WHOLE] += error / (double)count;
            printf("  %8.2f", 100 * error);
        }
        printf("\n");
        free(f.comm);
    }
    printf("mean error of the time at 2, 4, 8 and 16 times the ranks: %.2f %%, "
           "composed %.2f "
           "%%\nbytes:\n",
           100 * errors[0], 100 * errors[1]);
    for (size_t i = 0; i < count; i++) {
        if (of[i].bytes < 0)
            continue;
        read_published(dir, of[i].name, of[i].p, of[i].ps, &f);
        fit_program(&f);
        put_bytes(&f, of[i].name, (size_t)of[i].bytes);
        free(f.comm);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr,
                "bench_model_programs random [PROGRAMS [FIRST [tell]]] | DIR\n");
        return 2;
    }
    if (strcmp(argv[1], "random") == 0)
        run_random(argc > 2 ? strtoull(argv[2], NULL, 10) : 1000,
                   argc > 3 ? strtoull(argv[3], NULL, 10) : 1, argc > 4);
    else
        run_published(argv[1]);
    return 0;
}
