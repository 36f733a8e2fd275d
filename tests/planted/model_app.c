/* Planted programs: what each part takes by its laws, read from text.  See model_app.h. */
#include "tests/planted/model_app.h"

#include "campaign/base/mix.h"

static const char *const law_names[MODEL_LAWS] = {
    [MODEL_INSTRUCTIONS] = "instructions",
    [MODEL_CPI] = "cpi",
    [MODEL_L1] = "l1",
    [MODEL_L2] = "l2",
    [MODEL_L3] = "l3",
    [MODEL_MEMORY] = "memory",
    [MODEL_BF] = "bf",
    [MODEL_IMBALANCE] = "imbalance",
    [MODEL_CALLS] = "calls",
    [MODEL_BYTES] = "bytes",
    [MODEL_SIZE] = "size",
};
static const char *const rate_names[MODEL_RATES] = {
    [MODEL_GHZ] = "ghz",   [MODEL_NS_L1] = "l1",         [MODEL_NS_L2] = "l2",
    [MODEL_NS_L3] = "l3",  [MODEL_NS_MEMORY] = "memory", [MODEL_ALPHA] = "alpha",
    [MODEL_BETA] = "beta", [MODEL_GAMMA] = "gamma",
};

/* The number of the name before '=' among 'names'; 'value' is after it. */
static size_t word_of(const char *word, const char *const *names, size_t count,
                      const char **value)
{
    const char *const equals = strchr(word, '=');
    const size_t length = equals ? (size_t)(equals - word) : 0;
    size_t i = 0;

    while (i < count &&
           (strlen(names[i]) != length || strncmp(names[i], word, length) != 0))
        i++;
    *value = equals ? equals + 1 : "";
    return i;
}

static int take_machine(struct model_app *app, char **rest)
{
    const char *value;

    for (char *word; (word = strtok_r(NULL, " \n", rest));) {
        const size_t i = word_of(word, rate_names, MODEL_RATES, &value);
        if (i == MODEL_RATES)
            return 0;
        app->rate[i] = formula_value(value, NULL, 0);
    }
    return 1;
}

static int take_part(struct model_app *app, enum model_kind kind, char **rest)
{
    const char *const name = strtok_r(NULL, " \n", rest), *value;

    if (!name || strlen(name) >= MODEL_WORD || app->parts == MODEL_PARTS)
        return 0;
    struct model_part *part = &app->part[app->parts++];
    *part = (struct model_part){.kind = kind, .law = {[MODEL_CPI] = "1"}};
    strcpy(part->name, name);
    for (char *word; (word = strtok_r(NULL, " \n", rest));) {
        const size_t i = word_of(word, law_names, MODEL_LAWS, &value);
        if (i < MODEL_LAWS && strlen(value) < MODEL_WORD)
            strcpy(part->law[i], value);
        else if (strncmp(word, "operation=", 10) == 0 &&
                 strlen(word + 10) < sizeof part->operation)
            strcpy(part->operation, word + 10);
        else
            return 0;
    }
    return 1;
}

static int take_line(struct model_app *app, char *line)
{
    char *rest, *const word = strtok_r(line, " \n", &rest);

    if (!word || word[0] == '#')
        return 1;
    if (strcmp(word, "machine") == 0)
        return take_machine(app, &rest);
    if (strcmp(word, "kernel") == 0)
        return take_part(app, MODEL_KERNEL, &rest);
    if (strcmp(word, "message") == 0)
        return take_part(app, MODEL_MESSAGE, &rest);
    if (strcmp(word, "collective") == 0)
        return take_part(app, MODEL_COLLECTIVE, &rest);
    if (strcmp(word, "noise") != 0 || !(rest && *rest))
        return 0;
    app->noise = strtod(rest, NULL);
    return 1;
}

size_t model_app_read(FILE *file, struct model_app *out)
{
    char line[4096];
    size_t number = 0;

    *out = (struct model_app){.rate = {2.5, 1.6, 4.8, 16, 80, 1.5e-6, 1e-10, 2e-10}};
    while (fgets(line, sizeof line, file)) {
        number++;
        if (!take_line(out, line))
            return number;
    }
    return 0;
}

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

/* Seconds of one collective of p ranks by its fastest algorithm: the table of the
 * specification.
 */
static double collective_s(const struct model_app *app, const char *operation, double p,
                           double s)
{
    const double a = app->rate[MODEL_ALPHA], b = app->rate[MODEL_BETA],
                 g = app->rate[MODEL_GAMMA], steps = ceil(log2(p)),
                 part = (p - 1) / p * s;

    if (p <= 1)
        return 0;
    if (strcmp(operation, "Barrier") == 0)
        return steps * a;
    if (strcmp(operation, "Bcast") == 0)
        return least_of(steps * (a + s * b), (steps + p - 1) * a + 2 * part * b);
    if (strcmp(operation, "Reduce") == 0)
        return least_of(steps * (a + s * (b + g)), 2 * steps * a + part * (2 * b + g));
    if (strcmp(operation, "Allreduce") == 0)
        return least_of(steps * (a + s * (b + g)), 2 * steps * a + part * (2 * b + g));
    if (strcmp(operation, "Allgather") == 0 || strcmp(operation, "Scatter") == 0 ||
        strcmp(operation, "Gather") == 0)
        return steps * a + part * b;
    if (strcmp(operation, "Alltoall") == 0)
        return least_of(steps * (a + s / 2 * b), (p - 1) * a + part * b);
    if (strcmp(operation, "Reduce_scatter") == 0)
        return steps * a + part * (b + g);
    return NAN;
}

/* Bytes of a collective as profiles count them, of all ranks. */
static double collective_bytes(const char *operation, double p, double s)
{
    if (strcmp(operation, "Barrier") == 0)
        return 0;
    return strstr("Bcast Allgather Gather Scatter", operation) ? s : p * s;
}

struct model_taken model_app_at(const struct model_app *app,
                                const struct model_part *part,
                                const struct formula_name *names, size_t count)
{
    struct model_taken taken = {0};
    const double p = names[0].value, hz = app->rate[MODEL_GHZ] * 1e9;
    double is[MODEL_LAWS], stalled = 0;

    for (int i = 0; i < MODEL_LAWS; i++)
        is[i] = part->law[i][0] ? formula_value(part->law[i], names, count) : 0;
    switch (part->kind) {
    case MODEL_KERNEL:
        for (int i = 0; i < 4; i++) {
            taken.hits[i] = p * is[MODEL_L1 + i];
            stalled +=
                is[MODEL_L1 + i] * app->rate[MODEL_NS_L1 + i] * 1e-9 * is[MODEL_BF];
        }
        taken.mean_s = is[MODEL_INSTRUCTIONS] * is[MODEL_CPI] / hz + stalled;
        taken.instructions = p * is[MODEL_INSTRUCTIONS];
        taken.cycles = p * taken.mean_s * hz;
        taken.stall_cycles = p * stalled * hz;
        break;
    case MODEL_MESSAGE:
        taken.calls = is[MODEL_CALLS];
        taken.bytes = is[MODEL_BYTES];
        taken.mean_s = (taken.calls * app->rate[MODEL_ALPHA] +
                        taken.bytes * app->rate[MODEL_BETA]) /
                       p;
        break;
    case MODEL_COLLECTIVE:
        taken.calls = p * is[MODEL_CALLS];
        taken.bytes =
            is[MODEL_CALLS] * collective_bytes(part->operation, p, is[MODEL_SIZE]);
        taken.mean_s =
            is[MODEL_CALLS] * collective_s(app, part->operation, p, is[MODEL_SIZE]);
        break;
    }
    taken.most_s = taken.mean_s * (1 + is[MODEL_IMBALANCE]);
    return taken;
}

static double normal(uint64_t *random)
{
    double u[2];

    for (int i = 0; i < 2; i++)
        u[i] = ((double)(rc_mix_next(random) >> 11) + 0.5) * 0x1p-53;
    return sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]);
}

double model_app_measured(const struct model_app *app, double seconds, uint64_t *random)
{
    return seconds * fmax(0.05, 1 + app->noise * normal(random));
}
