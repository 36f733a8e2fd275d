/* rollcall-fft3d: its options and what they do. */
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/files/file.h"
#include "campaign/base/text.h"
#include "kernels/fft3d/rounds.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { WISDOM_MOST = 1 << 24, TUNE_ROUNDS = 5 };

/* The settings of a run. */
struct settings {
    struct rc_fft_options fft;
    size_t repeat, seconds; /* rounds; most seconds of tuning */
    bool check, tune, help;
    const char *json, *wisdom; /* files, or NULL */
    bool natural;              /* --order natural was given */
};

/* One option. */
struct option_row {
    const char *name, *argument, *summary;
    const char *const *words; /* the only ones that are accepted, or NULL */
    bool (*take)(struct settings *s, const char *text, int word);
};

static bool take_numbers(const char *text, size_t count, size_t *out)
{
    char piece[24];
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(text, "x");
        uint64_t number;
        if (length >= sizeof piece || (i + 1 < count) != (text[length] == 'x'))
            return false;
        memcpy(piece, text, length);
        piece[length] = '\0';
        if (rc_text_count(piece, &number) || number < 1)
            return false;
        out[i] = number;
        text += length + (text[length] == 'x');
    }
    return true;
}

static bool take_grid(struct settings *s, const char *text, int word)
{
    (void)word;
    if (strchr(text, 'x'))
        return take_numbers(text, 3, s->fft.n);
    bool taken = take_numbers(text, 1, s->fft.n);
    s->fft.n[1] = s->fft.n[2] = s->fft.n[0];
    return taken;
}

static bool take_procs(struct settings *s, const char *text, int word)
{
    (void)word;
    return take_numbers(text, 2, s->fft.procs);
}

static bool take_kind(struct settings *s, const char *text, int word)
{
    (void)text;
    s->fft.real = word;
    return true;
}

static bool take_precision(struct settings *s, const char *text, int word)
{
    (void)text;
    s->fft.single = word;
    return true;
}

static bool take_path(struct settings *s, const char *text, int word)
{
    (void)text;
    s->fft.path = word ? rc_fft_paths[word - 1] : NULL;
    return true;
}

static bool take_place(struct settings *s, const char *text, int word)
{
    (void)text;
    s->fft.apart = word;
    return true;
}

static bool take_order(struct settings *s, const char *text, int word)
{
    (void)text;
    s->fft.transposed = word;
    s->natural = !word;
    return true;
}

static bool take_pitch(struct settings *s, const char *text, int word)
{
    (void)text;
    s->fft.plain = word;
    return true;
}

static bool take_resort(struct settings *s, const char *text, int word)
{
    (void)text;
    s->fft.resort = (enum rc_fft_resort)word;
    return true;
}

static bool take_effort(struct settings *s, const char *text, int word)
{
    (void)text;
    s->fft.effort = (enum rc_fft_effort)word;
    return true;
}

static bool take_block(struct settings *s, const char *text, int word)
{
    (void)word;
    return take_numbers(text, 1, &s->fft.block) && s->fft.block <= 1024;
}

static bool take_node_size(struct settings *s, const char *text, int word)
{
    (void)word;
    return take_numbers(text, 1, &s->fft.node_size);
}

static bool take_repeat(struct settings *s, const char *text, int word)
{
    (void)word;
    return take_numbers(text, 1, &s->repeat) && s->repeat <= 1000000;
}

static bool take_seconds(struct settings *s, const char *text, int word)
{
    (void)word;
    return take_numbers(text, 1, &s->seconds) && s->seconds <= 86400;
}

static bool take_json(struct settings *s, const char *text, int word)
{
    (void)word;
    s->json = text;
    return *text;
}

static bool take_wisdom(struct settings *s, const char *text, int word)
{
    (void)word;
    s->wisdom = text;
    return *text;
}

static bool take_check(struct settings *s, const char *text, int word)
{
    (void)text, (void)word;
    return s->check = true;
}

static bool take_tune(struct settings *s, const char *text, int word)
{
    (void)text, (void)word;
    return s->tune = true;
}

static bool take_help(struct settings *s, const char *text, int word)
{
    (void)text, (void)word;
    return s->help = true;
}

#define WORDS(...)                                                                     \
    (const char *const[])                                                              \
    {                                                                                  \
        __VA_ARGS__, NULL                                                              \
    }

static const struct option_row rows[] = {
    {"grid", "N or AxBxC", "the points (64)", NULL, take_grid},
    {"kind", "c2c,r2c", "complex or real numbers", WORDS("c2c", "r2c"), take_kind},
    {"precision", "double,single", "of numbers", WORDS("double", "single"),
     take_precision},
    {"path", "NAME", "how it is done (auto)",
     WORDS("auto", "node", "slab", "pencil", "w", "steps"), take_path},
    {"procs", "RxC", "the grid of ranks for pencil, w and steps", NULL, take_procs},
    {"place", "in,out",
     "of the result: where the input was, or apart from it (path node)",
     WORDS("in", "out"), take_place},
    {"order", "natural,transposed", "of the result", WORDS("natural", "transposed"),
     take_order},
    {"resort", "NAME", "the re-sort S1CF of steps: nests, combined, tiled, nt",
     WORDS("nests", "combined", "tiled", "nt"), take_resort},
    {"pitch", "odd,plain", "rows and planes padded to odd lines, or not padded",
     WORDS("odd", "plain"), take_pitch},
    {"block", "COLUMNS", "transformed together (as many as 256 bytes have)", NULL,
     take_block},
    {"effort", "NAME", "of the planner: estimate, measure (the default), patient",
     WORDS("estimate", "measure", "patient"), take_effort},
    {"node-size", "RANKS", "makes up nodes of so many, for tests", NULL,
     take_node_size},
    {"repeat", "ROUNDS", "forward and backward, timed (5)", NULL, take_repeat},
    {"check", NULL, "first checks that it is a Fourier transform", NULL, take_check},
    {"tune", NULL, "times paths and block widths, and keeps what is best", NULL,
     take_tune},
    {"seconds", "S", "that tuning takes at most (60)", NULL, take_seconds},
    {"wisdom", "FILE", "what the planner found, taken and kept", NULL, take_wisdom},
    {"json", "FILE", "the result as JSON; '-': standard output", NULL, take_json},
    {"help", NULL, "says this", NULL, take_help},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void put_help(void)
{
    printf("Usage: mpirun -n RANKS rollcall-fft3d [OPTION]...\n"
           "A distributed 3D-FFT whose work is known, phase by phase.\n\n");
    for (size_t i = 0; i < ROWS; i++)
        printf("  --%-10s %-19s %s\n", rows[i].name,
               rows[i].argument ? rows[i].argument : "", rows[i].summary);
    printf("\nPaths:\n");
    for (size_t i = 0; rc_fft_paths[i]; i++)
        printf("  %-8s %s\n", rc_fft_paths[i]->name, rc_fft_paths[i]->summary);
    printf("\nThis program is linked with FFTW, which is under the GNU GPL.\n");
}

static int read_option(struct settings *s, const struct option_row *row,
                       const char *text, struct rc_error *err)
{
    char expected[200] = "";
    int word = 0;
    if (row->words) {
        while (row->words[word] && strcmp(row->words[word], text) != 0)
            word++;
        if (!row->words[word]) {
            rc_text_append_list(expected, sizeof expected, row->words);
            return rc_fail(err, RC_EUSAGE, "--%s %s: expected one of %s", row->name,
                           text, expected);
        }
    }
    if (row->take(s, text, word))
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "--%s %s: expected %s, whole numbers from 1 on",
                   row->name, text, row->argument);
}

static int read_options(int argc, char **argv, struct settings *s, struct rc_error *err)
{
    struct option options[ROWS + 1] = {{0}};
    int which, status = RC_OK;
    for (size_t i = 0; i < ROWS; i++)
        options[i] = (struct option){rows[i].name,
                                     rows[i].argument ? required_argument : no_argument,
                                     NULL, 'o'};
    opterr = 0;
    while (true) {
        which = -1;
        int found = getopt_long(argc, argv, ":", options, &which);
        if (found == -1)
            break;
        if (found == 'o')
            status = read_option(s, &rows[which], optarg ? optarg : "", err);
        else if (found == ':')
            status =
                rc_fail(err, RC_EUSAGE, "%s: expected an argument", argv[optind - 1]);
        else
            status = rc_fail(err, RC_EUSAGE, "unknown option '%s': see --help",
                             argv[optind - 1]);
        if (status != RC_OK)
            return status;
    }
    if (status != RC_OK)
        return status;
    if (optind < argc)
        return rc_fail(err, RC_EUSAGE, "'%s' is not an option: see --help",
                       argv[optind]);
    if (s->fft.path && s->fft.path->only_transposed && s->natural)
        return rc_fail(err, RC_EUSAGE, "--path %s: expected --order transposed",
                       s->fft.path->name);
    return status;
}

/* The first rank reads, all ranks get the text; NULL: there is no such file yet. */
static int read_wisdom(const char *path, char **text, struct rc_error *err)
{
    size_t bytes = 0;
    int rank = rc_team_rank(MPI_COMM_WORLD), status = RC_OK;
    *text = NULL;
    if (!path)
        return RC_OK;
    if (rank == 0) {
        status = rc_file_read(path, RC_FILE_GIVEN, WISDOM_MOST, text, &bytes, err);
        if (status == RC_EMISSING)
            status = RC_OK;
    }
    status = rc_agree(MPI_COMM_WORLD, status, err);
    if (status)
        return status;
    MPI_Bcast(&bytes, sizeof bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (bytes == 0)
        return RC_OK;
    if (rank > 0 && !(*text = calloc(1, bytes + 1)))
        status = rc_fail(err, RC_ENOMEM, "no memory for '%s'", path);
    if ((status = rc_agree(MPI_COMM_WORLD, status, err)) != RC_OK)
        return status;
    rc_broadcast(MPI_COMM_WORLD, 0, *text, bytes);
    return RC_OK;
}

/* Puts the planner's wisdom into *text on all ranks, for the next transform. */
static int keep_wisdom(struct rc_fft *fft, char **text, struct rc_error *err)
{
    char *found = fft->rank == 0 ? rc_fft_planner_wisdom(&fft->planner) : NULL;
    size_t bytes = found ? strlen(found) + 1 : 0;
    MPI_Bcast(&bytes, sizeof bytes, MPI_BYTE, 0, fft->comm);
    if (bytes > 0 && !found)
        found = malloc(bytes);
    int status = RC_OK;
    if (!found)
        status = rc_fail(err, RC_ENOMEM, "no memory for what the planner found");
    status = rc_agree(fft->comm, status, err);
    if (status) {
        free(found);
        return status;
    }
    rc_broadcast(fft->comm, 0, found, bytes);
    free(*text);
    *text = found;
    return RC_OK;
}

static int write_wisdom(const struct settings *s, const char *text,
                        struct rc_error *err)
{
    int status = RC_OK;
    if (s->wisdom && text && rc_team_rank(MPI_COMM_WORLD) == 0)
        status = rc_file_replace(s->wisdom, RC_FILE_GIVEN, text, strlen(text), err);
    return rc_agree(MPI_COMM_WORLD, status, err);
}

/* Times one path and block width; on failure 'err' has the reason. */
static int tune_one(const struct rc_fft_options *options, char **wisdom,
                    double *seconds, struct rc_error *err)
{
    struct rc_fft *fft = NULL;
    struct rc_fft_rounds rounds = {0};
    struct rc_fft_options one = *options;
    one.wisdom = *wisdom;
    int status = rc_fft_create(MPI_COMM_WORLD, &one, &fft, err);
    if (status != RC_OK ||
        (status = rc_fft_rounds_run(fft, TUNE_ROUNDS, &rounds, err)) != RC_OK)
        goto out;
    *seconds = rc_fft_rounds_seconds(&rounds, RC_FFT_FORWARD, rounds.phases).median;
    status = keep_wisdom(fft, wisdom, err);
out:
    rc_fft_rounds_fini(&rounds);
    rc_fft_close(fft);
    return status;
}

/* Whether the first rank finds time left. */
static bool goes_on(uint64_t begin, size_t seconds)
{
    int on = rc_clock_ns() - begin < seconds * 1000000000U;
    MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return on;
}

static int tune(struct settings *s, char **wisdom, struct rc_error *err)
{
    static const size_t blocks[] = {4, 8, 16};
    struct rc_fft_options best = s->fft, o = s->fft;
    bool first = rc_team_rank(MPI_COMM_WORLD) == 0;
    double least = 0, seconds = 0;
    uint64_t begin = rc_clock_ns();
    for (size_t p = 0; rc_fft_paths[p]; p++) {
        o.path = rc_fft_paths[p];
        if (o.path->only_transposed && !s->fft.transposed)
            continue;
        for (size_t b = 0; b < 3 && goes_on(begin, s->seconds); b++) {
            o.block = blocks[b];
            int status = tune_one(&o, wisdom, &seconds, err);
            if (status && first)
                printf("%-8s %s\n", o.path->name, err->text);
            if (status)
                break;
            if (first)
                printf("%-8s block %2zu  %10.3f ms\n", o.path->name, o.block,
                       seconds * 1e3);
            if (least == 0 || seconds < least) {
                least = seconds;
                best = o;
            }
        }
    }
    if (least == 0)
        return rc_fail(err, RC_EIO, "no path could be timed in %zu s", s->seconds);
    s->fft = best;
    if (first)
        printf("best: --path %s --block %zu\n\n", best.path->name, best.block);
    return RC_OK;
}

/* On the first rank: writes the result to the --json file, or to standard output. */
static int tell(const struct settings *s, struct rc_fft *fft,
                const struct rc_fft_rounds *rounds, const struct rc_fft_check *check,
                struct rc_error *err)
{
    bool to_file = s->json && strcmp(s->json, "-") != 0;
    char *text = NULL;
    size_t bytes = 0;
    int status = RC_OK;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        status = rc_fail_errno(err, "no memory for the result");
    status = rc_agree(fft->comm, status, err);
    if (status == RC_OK)
        status = rc_fft_rounds_tell(memory, fft, rounds, check, s->json, err);
    if (memory && fclose(memory) && status == RC_OK)
        status = rc_fail_errno(err, "no memory for the result");
    if (status == RC_OK && fft->rank == 0 && to_file)
        status = rc_file_replace(s->json, RC_FILE_GIVEN, text, bytes, err);
    else if (status == RC_OK && fft->rank == 0 &&
             (fwrite(text, 1, bytes, stdout) != bytes || fflush(stdout)))
        status = rc_fail_errno(err, "standard output");
    free(text);
    return rc_agree(fft->comm, status, err);
}

static int run(struct settings *s, struct rc_error *err)
{
    struct rc_fft *fft = NULL;
    struct rc_fft_rounds rounds = {0};
    struct rc_fft_check check;
    char *wisdom = NULL;
    int status = read_wisdom(s->wisdom, &wisdom, err);
    if (status == RC_OK && s->tune)
        status = tune(s, &wisdom, err);
    s->fft.wisdom = wisdom;
    if (status != RC_OK ||
        (status = rc_fft_create(MPI_COMM_WORLD, &s->fft, &fft, err)) != RC_OK)
        goto out;
    if (fft->fallback[0] && fft->rank == 0)
        fprintf(stderr, "rollcall-fft3d: %s\n", fft->fallback);
    if ((s->check && (status = rc_fft_check(fft, &check, err)) != RC_OK) ||
        (status = rc_fft_rounds_run(fft, s->repeat, &rounds, err)) != RC_OK ||
        (status = tell(s, fft, &rounds, s->check ? &check : NULL, err)) != RC_OK ||
        (s->wisdom && (status = keep_wisdom(fft, &wisdom, err)) != RC_OK))
        goto out;
    status = write_wisdom(s, wisdom, err);
out:
    rc_fft_rounds_fini(&rounds);
    rc_fft_close(fft);
    free(wisdom);
    return status;
}

int main(int argc, char **argv)
{
    struct rc_error err = {.text = ""};
    struct settings s = {.fft = {.n = {64, 64, 64}, .effort = RC_FFT_MEASURE},
                         .repeat = 5,
                         .seconds = 60};
    MPI_Init(&argc, &argv);
    bool first = rc_team_rank(MPI_COMM_WORLD) == 0;
    int status = read_options(argc, argv, &s, &err);
    if (status == RC_OK && s.help && first)
        put_help();
    else if (status == RC_OK && !s.help)
        status = run(&s, &err);
    if (status && first)
        fprintf(stderr, "rollcall-fft3d: %s\n", err.text);
    MPI_Finalize();
    return rc_exit_status(status);
}
