/* collectives.c - times of collectives that others measured, predicted from fewer
 * ranks: bench_model_collectives FILE.csv [RANKS...]; see collectives.sh
 */
#include "solve/model/comm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1000, LIBRARIES = 8 };

struct measured {
    char library[64];
    struct rc_comm_row row;
};

/* Sizes of messages are not in the file.  They did not vary: 1 stands for the bytes that
 * a rank has for one other, so an all-to-all has P of them.
 */
static size_t read_rows(FILE *file, struct measured *rows)
{
    char line[4096], name[64];
    size_t n = 0;

    while (n < ROWS && fgets(line, sizeof line, file)) {
        double ranks, median, low, high;

        if (sscanf(line,
                   "%63[^,],%63[^,],%lf,%*f,%*f,%*f,%lf,%*f,%*f,%*f,%*f,%*f,%lf,%lf,",
                   rows[n].library, name, &ranks, &median, &low, &high) != 6)
            continue;
        for (int o = RC_COMM_BARRIER; o < RC_COMM_OPERATIONS; o++)
            if (!strcmp(name, rc_comm_operation_name((enum rc_comm_operation)o))) {
                rows[n].row = (struct rc_comm_row){
                    .operation = (enum rc_comm_operation)o,
                    .ranks = ranks,
                    .bytes = o == RC_COMM_BARRIER    ? 0
                             : o == RC_COMM_ALLTOALL ? ranks
                                                     : 1,
                    .seconds = median * 1e-6,
                    .spread = (high - low) / 2 / 1.96 * 1e-6,
                };
                n++;
            }
    }
    return n;
}

static int number_order(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

struct score {
    size_t asked, within, held;
    double error[ROWS];
};

static void ask(const struct measured *rows, size_t n, const char *library,
                double target, enum rc_comm_method method, struct score *score)
{
    struct rc_comm_row fewer[ROWS] = {{.ranks = 0}};
    struct rc_comm *fit;
    struct rc_error err;
    size_t count = 0;

    for (size_t r = 0; r < n; r++)
        if (!strcmp(rows[r].library, library) && rows[r].row.ranks < target)
            fewer[count++] = rows[r].row;
    if (rc_comm_fit(fewer, count, method, &fit, &err) != RC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    for (size_t r = 0; r < n; r++) {
        const struct rc_comm_row *row = &rows[r].row;
        const struct rc_comm_law *law = &fit->of[row->operation];
        struct rc_predicted p;
        double off;
        bool held;

        if (strcmp(rows[r].library, library) != 0 || row->ranks != target)
            continue;
        p = rc_comm_predict(fit, row->operation, target, row->bytes);
        off = p.value / row->seconds - 1;
        held = p.low <= row->seconds && row->seconds <= p.high;
        score->error[score->asked++] = fabs(off);
        score->within += fabs(off) <= 0.2 ? 1 : 0;
        score->held += held ? 1 : 0;
        if (method == RC_COMM_PUBLISHED)
            continue;
        printf("%-9s %-14s %4.0f %9.1f %9.1f %9.1f %9.1f %+6.1f  %-3s %5.1f  %s%s",
               library, rc_comm_operation_name(row->operation), target,
               row->seconds * 1e6, p.value * 1e6, p.low * 1e6, p.high * 1e6, 100 * off,
               held ? "yes" : "no", 100 * law->misfit,
               law->segment[law->segments - 1].choice[0].powers->name,
               law->segments > 1 ? " (segments)" : "");
        for (uint32_t word = 1; word; word <<= 1)
            if (p.words & word & ~(uint32_t)RC_LAWS_FEW_POINTS)
                printf("; %s", rc_laws_word_text((enum rc_laws_word)word));
        putchar('\n');
    }
    free(fit);
}

int main(int argc, char **argv)
{
    static struct measured rows[ROWS];
    static struct score score;
    const char *libraries[LIBRARIES];
    size_t n, count = 0;
    double median;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;

    if (!file) {
        fprintf(stderr, "usage: bench_model_collectives FILE.csv [RANKS...]\n");
        return 2;
    }
    n = read_rows(file, rows);
    fclose(file);
    for (size_t r = 0, l; r < n; r++) {
        for (l = 0; l < count && strcmp(libraries[l], rows[r].library) != 0; l++)
            ;
        if (l == count && count < LIBRARIES)
            libraries[count++] = rows[r].library;
    }
    puts("library   operation      ranks measured predicted       low      high  off_% "
         " held"
         " misfit_% best");
    for (int a = 2; a < argc; a++)
        for (int method = RC_COMM_FITTED; method <= RC_COMM_PUBLISHED; method++) {
            score = (struct score){.asked = 0};
            for (size_t l = 0; l < count; l++)
                ask(rows, n, libraries[l], strtod(argv[a], NULL),
                    (enum rc_comm_method)method, &score);
            if (score.asked == 0)
                continue;
            qsort(score.error, score.asked, sizeof *score.error, number_order);
            median = score.error[score.asked / 2] + score.error[(score.asked - 1) / 2];
            printf("%s at %s ranks: %zu of %zu within 20 %%, median %.1f %%",
                   method == RC_COMM_FITTED ? "laws of algorithms"
                                            : "a log P + b s + c",
                   argv[a], score.within, score.asked, 50 * median);
            if (method == RC_COMM_FITTED)
                printf(", intervals hold %zu", score.held);
            putchar('\n');
        }
    return n > 0 ? 0 : 1;
}
