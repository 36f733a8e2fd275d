/* model_app - planted programs as other tools would have measured them (simulated)
 *
 *     model_app random SEED                                   a program, as text
 *     model_app FILE jsonl|csv|truth [seed=S] [repeat=R] [noise=X] NAME=VALUE,... [+ NAME=...]...
 *
 * The points are all combinations of the values of a group; groups have + between them.
 * 'jsonl' is Extra-P's JSON Lines, 'csv' a table of the same: times are means over the
 * ranks, and, as "time_max", of the slowest one; counts are sums over all ranks.
 * 'truth' has no noise: PART POINT MEAN_S MOST_S SHARE SLOPE INSTRUCTIONS CALLS BYTES,
 * where the share is that of the mean times, and the slope d log(time) / d log(p).
 */
#include "tests/planted/model_app.h"

#include "campaign/base/mix.h"

#include <stdbool.h>

enum { PARAMETERS = 4, VALUES = 64 };

struct group {
    size_t count;
    char name[PARAMETERS][32];
    double value[PARAMETERS][VALUES];
    size_t values[PARAMETERS];
};

struct output {
    const struct model_app *app;
    enum { JSONL, CSV, TRUTH } format;
    uint64_t random;
    size_t repeat;
    bool headed;
};

static void put(struct output *out, const struct formula_name *names, size_t count,
                const char *part, const char *metric, double value)
{
    if (out->format == JSONL) {
        printf("{\"params\":{");
        for (size_t i = 0; i < count; i++)
            printf("%s\"%s\":%.15g", i ? "," : "", names[i].name, names[i].value);
        printf("},\"callpath\":\"%s\",\"metric\":\"%s\",\"value\":%.15g}\n", part,
               metric, value);
        return;
    }
    for (size_t i = 0; i < count && !out->headed; i++)
        printf("%s,", names[i].name);
    if (!out->headed)
        printf("kernel,metric,value\n");
    out->headed = true;
    for (size_t i = 0; i < count; i++)
        printf("%.15g,", names[i].value);
    printf("%s,%s,%.15g\n", part, metric, value);
}

static void put_part(struct output *out, const struct formula_name *names, size_t count,
                     const struct model_part *part)
{
    static const char *const hits[] = {"l1 hits", "l2 hits", "l3 hits",
                                       "memory accesses"};
    const struct model_taken taken = model_app_at(out->app, part, names, count);
    const double time = model_app_measured(out->app, taken.mean_s, &out->random);

    put(out, names, count, part->name, "time", time);
    put(out, names, count, part->name, "time_max",
        taken.mean_s > 0 ? time * taken.most_s / taken.mean_s : 0);
    if (part->kind != MODEL_KERNEL) {
        put(out, names, count, part->name, "calls", round(taken.calls));
        put(out, names, count, part->name, "bytes", round(taken.bytes));
        return;
    }
    put(out, names, count, part->name, "instructions", round(taken.instructions));
    put(out, names, count, part->name, "cycles", taken.cycles * time / taken.mean_s);
    put(out, names, count, part->name, "stall cycles",
        taken.stall_cycles * time / taken.mean_s);
    for (int i = 0; i < 4; i++)
        if (part->law[MODEL_L1 + i][0])
            put(out, names, count, part->name, hits[i], round(taken.hits[i]));
}

/* Seconds of a part, and of all, on 'p' ranks. */
static double seconds_at(const struct model_app *app, const struct model_part *part,
                         const struct formula_name *names, size_t count, double p)
{
    struct formula_name at[PARAMETERS];

    memcpy(at, names, count * sizeof *at);
    at[0].value = p;
    return model_app_at(app, part, at, count).mean_s;
}

static void put_truth(const struct output *out, const struct formula_name *names,
                      size_t count)
{
    const double p = names[0].value;
    double all = 0;

    for (size_t i = 0; i < out->app->parts; i++)
        all += seconds_at(out->app, &out->app->part[i], names, count, p);
    for (size_t i = 0; i < out->app->parts; i++) {
        const struct model_part *part = &out->app->part[i];
        const struct model_taken taken = model_app_at(out->app, part, names, count);
        const double slope = log(seconds_at(out->app, part, names, count, 2 * p) /
                                 seconds_at(out->app, part, names, count, p / 2)) /
                             log(4);
        printf("%s ", part->name);
        for (size_t k = 0; k < count; k++)
            printf("%s%s=%.15g", k ? "," : "", names[k].name, names[k].value);
        printf(" %.9g %.9g %.6g %.4f %.15g %.15g %.15g\n", taken.mean_s, taken.most_s,
               taken.mean_s / all, slope, taken.instructions, taken.calls, taken.bytes);
    }
}

static void put_points(struct output *out, const struct group *group)
{
    struct formula_name names[PARAMETERS];
    size_t points = 1;

    for (size_t k = 0; k < group->count; k++)
        points *= group->values[k];
    for (size_t i = 0; i < points; i++) {
        size_t left = i;
        for (size_t k = group->count; k-- > 0;) {
            names[k].name = group->name[k];
            names[k].value = group->value[k][left % group->values[k]];
            left /= group->values[k];
        }
        if (out->format == TRUTH) {
            put_truth(out, names, group->count);
            continue;
        }
        for (size_t r = 0; r < out->repeat; r++)
            for (size_t k = 0; k < out->app->parts; k++)
                put_part(out, names, group->count, &out->app->part[k]);
    }
}

/* Takes NAME=VALUE,...; p has to come first. */
static bool take_values(struct group *group, const char *word)
{
    const size_t length = strcspn(word, "="), k = group->count;
    const char *at = word + length;

    if (!*at || length == 0 || length >= sizeof group->name[0] || k == PARAMETERS ||
        (k == 0 && strncmp(word, "p=", 2) != 0))
        return false;
    memcpy(group->name[k], word, length);
    group->name[k][length] = '\0';
    for (group->values[k] = 0; *at && group->values[k] < VALUES;) {
        char *end;
        const double value = strtod(at + 1, &end);
        if (end == at + 1 || !(value > 0) || (*end && *end != ','))
            return false;
        group->value[k][group->values[k]++] = value;
        at = end;
    }
    group->count++;
    return !*at;
}

static int refuse(const char *word)
{
    fprintf(stderr,
            "model_app: found '%s', expected 'random SEED', or 'FILE jsonl|csv|truth "
            "[seed=S] [repeat=R] [noise=X] p=VALUE,... [NAME=VALUE,...] [+ ...]'\n",
            word);
    return 2;
}

int main(int argc, char **argv)
{
    static const char *const formats[] = {"jsonl", "csv", "truth"};
    static struct model_app app;
    struct output out = {.app = &app, .repeat = 1};
    struct group group = {.count = 0};
    double noise = -1;

    if (argc == 3 && strcmp(argv[1], "random") == 0) {
        model_app_random(strtoull(argv[2], NULL, 10), stdout);
        return 0;
    }
    if (argc < 4)
        return refuse("nothing more");
    FILE *file = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "r");
    if (!file)
        return refuse(argv[1]);
    const size_t line = model_app_read(file, &app);
    if (line > 0) {
        fprintf(stderr, "model_app: %s: line %zu: not a part of a program\n", argv[1],
                line);
        return 1;
    }
    if (file != stdin)
        fclose(file);
    int format = 0;
    while (format < 3 && strcmp(formats[format], argv[2]) != 0)
        format++;
    if (format == 3)
        return refuse(argv[2]);
    out.format = format == 0 ? JSONL : format == 1 ? CSV : TRUTH;
    for (int i = 3; i < argc; i++) {
        if (strncmp(argv[i], "seed=", 5) == 0)
            out.random = rc_mix(strtoull(argv[i] + 5, NULL, 10) + RC_GOLDEN);
        else if (strncmp(argv[i], "repeat=", 7) == 0)
            out.repeat = strtoull(argv[i] + 7, NULL, 10);
        else if (strncmp(argv[i], "noise=", 6) == 0)
            noise = strtod(argv[i] + 6, NULL);
        else if (strcmp(argv[i], "+") == 0) {
            app.noise = noise >= 0 ? noise : app.noise;
            put_points(&out, &group);
            group.count = 0;
        } else if (!take_values(&group, argv[i]))
            return refuse(argv[i]);
    }
    app.noise = noise >= 0 ? noise : app.noise;
    put_points(&out, &group);
    return 0;
}
