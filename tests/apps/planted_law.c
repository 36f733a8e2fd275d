/* Loops whose iterations follow any law, and calls of MPI that do so, too:
 *
 *     planted_law [NAME=VALUE | REGION:LAW | REGION:allreduce:LAW]...
 *     planted_law n=64 'solve:1000*n^2/p' 'root:1e6*(1-min(rank,1))' 'sum:allreduce:log2(p)'
 *
 * A law is a formula (tests/lib/formula.h) of the names, and of p and rank; its value,
 * rounded down, is the number of iterations, of 2 instructions each, or of calls of
 * MPI_Allreduce with 8 bytes.  Regions follow each other, all within 'planted'.  The
 * sums over all ranks are those of the laws over 'rank'; the iterations of all loops are
 * counted and compared with them.
 */
#include "tests/apps/app.h"
#include "tests/apps/work.h"
#include "tests/lib/formula.h"

#include <stdint.h>

enum { NAMES = 16 };

struct laws {
    struct formula_name name[NAMES];
    size_t names;
    char words[NAMES][32]; /* the names */
    uint64_t wanted, done;
    int right;
};

static void refuse(const char *word)
{
    fprintf(stderr,
            "planted_law: found '%s', expected NAME=VALUE, REGION:LAW or "
            "REGION:allreduce:LAW with a law of 0 to 1e15\n",
            word);
    exit(2);
}

/* Takes NAME=VALUE; 0: it is a law. */
static int take_name(struct laws *laws, const char *word)
{
    const size_t length = strcspn(word, "=:");

    if (word[length] != '=')
        return 0;
    if (length == 0 || length >= sizeof laws->words[0] || laws->names == NAMES)
        refuse(word);
    memcpy(laws->words[laws->names], word, length);
    laws->name[laws->names] = (struct formula_name){
        laws->words[laws->names],
        formula_value(word + length + 1, laws->name, laws->names)};
    if (!isfinite(laws->name[laws->names++].value))
        refuse(word);
    return 1;
}

/* Splits REGION:LAW into its region, and the law's value at this rank. */
static uint64_t value_of(const struct laws *laws, const char *word, char *region,
                         size_t room, int *calls)
{
    const char *law = strchr(word, ':');

    if (!law || law == word || (size_t)(law - word) >= room)
        refuse(word);
    memcpy(region, word, (size_t)(law - word));
    region[law - word] = '\0';
    *calls = strncmp(law, ":allreduce:", 11) == 0;
    const double value =
        formula_value(law + (*calls ? 11 : 1), laws->name, laws->names);
    if (!(value >= 0 && value <= 1e15))
        refuse(word);
    return (uint64_t)value;
}

static void run(struct laws *laws, const char *word)
{
    char region[64];
    int calls;
    const uint64_t value = value_of(laws, word, region, sizeof region, &calls);

    rc_region_begin(region);
    for (uint64_t i = 0; calls && i < value; i++) {
        const int64_t one = 1;
        int64_t sum;
        MPI_Allreduce(&one, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        laws->right = laws->right && sum == (int64_t)laws->name[0].value;
    }
    if (!calls) {
        laws->wanted += value;
        laws->done += work_loop(value);
    }
    rc_region_end(region);
}

int main(int argc, char **argv)
{
    struct laws laws = {.name = {{"p", 1}, {"rank", 0}}, .names = 2, .right = 1};
    char region[64];
    int rank, ranks, calls;

    for (int i = 1; i < argc; i++) /* before MPI_Init: what is wrong is said at once */
        if (!take_name(&laws, argv[i]))
            value_of(&laws, argv[i], region, sizeof region, &calls);
    laws.names = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    laws.name[0].value = ranks;
    laws.name[1].value = rank;

    rc_region_begin("planted");
    for (int i = 1; i < argc; i++)
        if (!take_name(&laws, argv[i]))
            run(&laws, argv[i]);
    rc_region_end("planted");

    return app_end("planted_law", laws.right && laws.done == laws.wanted);
}
