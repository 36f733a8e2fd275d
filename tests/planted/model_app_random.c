/* Random planted programs, of kernels that get faster with p, and of parts that do not. */
#include "tests/planted/model_app.h"

#include "campaign/base/mix.h"

/* Instructions of a rank, but for their factor: some as Extra-P's terms have them, some
 * not.
 */
static const char *const scaling[] = {
    "n^3/p",         "n^2/p",     "n^2*log2(n)/p", "n^2/p^(2/3)", "n^2/p^(1/2)",
    "n^3*log2(p)/p", "n/p^(3/4)", "n^2/p^0.6",     "n^3/(p+3)",
};
static const char *const stopping[] = {
    "n^2", "n",           "n^2*log2(p)", "n*p^(1/4)", "n*p^(1/2)",
    "n*p", "n*log2(p)^2", "n^2*(p-1)/p", "n*p^0.4",
};
enum { LAWS = 9 };

static double uniform(uint64_t *state)
{
    return (double)(rc_mix_next(state) >> 11) * 0x1p-53;
}

static const char *one_of(uint64_t *state, const char *const *words, size_t count)
{
    return words[rc_mix_next(state) % count];
}

/* The factor by which a law is 'seconds' on 8 ranks with n = 128, one ns a unit. */
static double factor_of(const char *law, double seconds)
{
    const struct formula_name at[] = {{"p", 8}, {"n", 128}};

    return seconds * 1e9 / formula_value(law, at, 2);
}

static void put_kernel(uint64_t *state, size_t number, int stops, FILE *out)
{
    const double seconds = exp(log(0.003) + uniform(state) * log(300)),
                 cpi = 0.4 + 2 * uniform(state), bf = uniform(state);
    const char *const law =
        stops ? one_of(state, stopping, LAWS) : one_of(state, scaling, LAWS);

    fprintf(out, "kernel k%zu_%s instructions=%.6g*%s", number,
            stops ? "stops" : "scales", factor_of(law, seconds) * 2.5 / cpi, law);
    if (stops && uniform(state) < 0.3) { /* beside work that scales */
        const char *const more = one_of(state, scaling, LAWS);
        fprintf(out, "+%.6g*%s",
                factor_of(more, seconds * 3 * uniform(state)) * 2.5 / cpi, more);
    }
    fprintf(out, " cpi=%.4g", cpi);
    if (uniform(state) < 0.5)
        fprintf(out, " memory=%.6g*%s bf=%.4g",
                factor_of(law, seconds) / 80 * uniform(state), law, bf);
    if (uniform(state) < 0.5)
        fprintf(out, " imbalance=%.4g", 0.3 * uniform(state));
    fprintf(out, "\n");
}

void model_app_random(uint64_t seed, FILE *out)
{
    static const double noises[] = {0, 0.01, 0.02, 0.05, 0.1};
    static const char *const operations[] = {"Allreduce", "Bcast",  "Alltoall",
                                             "Barrier",   "Gather", "Reduce"};
    uint64_t state = rc_mix(seed + RC_GOLDEN);

    fprintf(out, "# a random program: number %llu\n", (unsigned long long)seed);
    fprintf(out, "machine ghz=2.5 memory=80 alpha=%.4g beta=%.4g\n",
            1e-6 * (1 + 4 * uniform(&state)), 1e-10 * (1 + 9 * uniform(&state)));
    fprintf(out, "noise %g\n", noises[rc_mix_next(&state) % 5]);
    const size_t kernels = 2 + rc_mix_next(&state) % 5, stops = rc_mix_next(&state) % 3;
    for (size_t i = 0; i < kernels + stops; i++)
        put_kernel(&state, i, i >= kernels, out);
    if (uniform(&state) < 0.7)
        fprintf(out, "message halo calls=%.0f*p bytes=%.6g*n^2*p^(1/3)\n",
                6 * floor(1 + 100 * uniform(&state)),
                48 * floor(1 + 100 * uniform(&state)));
    if (uniform(&state) < 0.7)
        fprintf(out, "collective all operation=%s calls=%.0f size=%.0f\n",
                one_of(&state, operations, 6), floor(1 + 200 * uniform(&state)),
                8 * floor(1 + 1000 * uniform(&state)));
}
