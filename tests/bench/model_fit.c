/* model_fit.c - laws of series that are read from standard input, for scripts
 *
 *     2 at 32 5000 = 406.5 405.6      parameters, their values, readings
 *     2 near 64 = 14.3 0.2            a value and its standard error
 *     2 ask 512 9000                  a point to predict
 *     fit                             prints "value low high words" for each, and a law
 */
#include "solve/model/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

struct series {
    size_t parameters, points, asked;
    double at[MOST], value[MOST], spread[MOST], ask[MOST];
    size_t first[MOST];
    bool near;
};

static void print_law(const struct rc_law *law, size_t parameters)
{
    for (size_t t = 0; t < law->terms; t++) {
        printf("%s%.4g", t ? " + " : "", law->term[t].coefficient);
        for (size_t l = 0; l < parameters; l++) {
            struct rc_law_factor of = law->term[t].of[l];

            if (of.over)
                printf(" %c^%d/%d", "abcd"[l], of.over, of.under);
            if (of.logs)
                printf(" log^%d %c", of.logs, "abcd"[l]);
        }
    }
}

static void fit(struct series *series)
{
    struct rc_observed observed = {RC_LAWS_MEASURED,
                                   series->parameters,
                                   series->points,
                                   series->at,
                                   series->first,
                                   series->value,
                                   series->near ? series->spread : NULL};
    struct rc_error err;
    struct rc_laws laws;

    if (rc_laws_rollcall(&observed, &laws, &err) != RC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    for (size_t i = 0; i < series->asked; i++) {
        struct rc_predicted out =
            rc_laws_predict(&laws, series->ask + i * series->parameters);

        printf("%.10g %.10g %.10g %u\n", out.value, out.low, out.high, out.words);
    }
    printf("law noise %.3g misfit %.3g:", laws.noise, laws.misfit);
    for (size_t k = 0; k < laws.count && k < 4; k++) {
        printf("  [%.2f] ", laws.choice[k].weight);
        print_law(&laws.choice[k].law, series->parameters);
    }
    printf("\n");
    memset(series, 0, sizeof *series);
}

/* "value..." or "value... = value...": what stands before '=' goes to 'at'. */
static void take_line(struct series *series, const char *word, char *rest)
{
    size_t values = series->first[series->points], count = 0;
    double *at = !strcmp(word, "ask")
                     ? series->ask + series->asked++ * series->parameters
                     : series->at + series->points * series->parameters;

    for (char *text = strtok(rest, " \n"); text; text = strtok(NULL, " \n")) {
        if (text[0] == '=')
            continue;
        if (count < series->parameters)
            at[count] = strtod(text, NULL);
        else if (!strcmp(word, "near") && count > series->parameters)
            series->spread[series->points] = strtod(text, NULL);
        else
            series->value[values++] = strtod(text, NULL);
        count++;
    }
    series->near = series->near || !strcmp(word, "near");
    if (strcmp(word, "ask") != 0)
        series->first[++series->points] = values;
}

int main(void)
{
    static struct series series;
    char line[4096], word[16];
    int used;

    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "fit", 3))
            fit(&series);
        else if (sscanf(line, "%zu %15s %n", &series.parameters, word, &used) == 2)
            take_line(&series, word, line + used);
    }
    return 0;
}
