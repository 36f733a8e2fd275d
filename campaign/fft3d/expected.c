/* Compares what rollcall-fft3d says of its work, phase by phase, with what was
 * measured.
 *
 * Its phases are regions of the profile, by MPI_Pcontrol().  Three sources measure
 * them: regions say how often and how long, the layer around MPI which bytes were sent
 * in them, and on one rank soft has stepped through a small problem and counted
 * operations, bytes and, simulated, transactions of memory.
 */
#include "campaign/fft3d/expected.h"

#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/text/json_tree.h"
#include "solve/waiting/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OFF_MOST = 10 /* that are said one by one */ };
enum { FILE_MOST = 64 << 20 /* bytes */, CELL = 48, NAME = 128 };

/* Numbers of a phase, of all ranks and runs together. */
enum number { CALLS, FLOPS, LOADED, STORED, READ, WRITTEN, SENT, HANDED, NUMBERS };
static const char *const keys[NUMBERS] = {
    [FLOPS] = "flops_planned",   [LOADED] = "load_bytes",
    [STORED] = "store_bytes",    [READ] = "lines_read",
    [WRITTEN] = "lines_written", [SENT] = "sent_bytes",
    [HANDED] = "mpi_bytes",      [CALLS] = "calls"};

struct phase {
    char name[NAME];
    bool exact;             /* bytes loaded and stored are exact, else at least */
    double runs;            /* of a rank */
    double longest_s;       /* of a run of the slowest rank */
    double nominal;         /* operations, at most */
    double number[NUMBERS]; /* NAN: not known */
};

/* The program's own numbers. */
struct said {
    struct rc_json_tree *tree;
    struct phase *phase;
    size_t count;
    double ranks;
};

/* A phase as stepping counted it. */
struct stepped {
    char name[NAME];
    double visits, instructions, dp, sp, loaded, stored, read, written;
};

struct table {
    struct rc_rows *rows;
    size_t off, checks;   /* rows that are not as expected; that could be compared */
    struct rc_bytes said; /* a line of each that is off, for people */
    double elsewhere[2];  /* bytes handed to MPI but in exchanges: expected, measured */
};

static const struct rc_column columns[] = {
    {.name = "phase"},
    {.name = "what"},
    {.name = "source"},
    {.name = "expected", .type = RC_CELL_NUMBER},
    {.name = "measured", .type = RC_CELL_NUMBER},
    {.name = "off_%", .type = RC_CELL_NUMBER, .text_only = true},
    {.name = "deviation_%", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "verdict"},
    {.name = NULL}};

static void said_fini(struct said *said)
{
    rc_json_tree_free(said->tree);
    free(said->phase);
    *said = (struct said){0};
}

/* The phase of that name, a new one at the end; the same name in several passes is one.
 */
static struct phase *find_phase(struct said *said, const char *name)
{
    char printable[NAME];
    size_t i = 0;

    rc_text_printable(printable, sizeof printable, name);
    while (i < said->count && strcmp(said->phase[i].name, printable) != 0)
        i++;
    if (i == said->count) {
        said->phase[i] = (struct phase){.exact = true};
        memcpy(said->phase[i].name, printable, sizeof printable);
        said->count++;
    }
    return &said->phase[i];
}

/* Adds a phase of a pass, which has run 'repeat' times. */
static void add_phase(struct said *said, const struct rc_json_tree *tree, double repeat)
{
    const struct rc_json_tree *ranks = rc_json_tree_member(tree, "ranks");
    const char *name = rc_json_tree_text(tree, "name");
    const double runs = rc_json_tree_number(tree, "runs");
    struct phase *phase = find_phase(said, name ? name : "?");
    const double longest =
        rc_json_tree_number(rc_json_tree_member(tree, "seconds"), "max");

    phase->exact = phase->exact && rc_json_tree_flag(tree, "exact");
    phase->runs += repeat * (runs > 0 ? runs : 1);
    phase->longest_s = fmax(phase->longest_s, longest);
    for (size_t r = 0; r < rc_json_tree_count(ranks); r++) {
        const struct rc_json_tree *rank = rc_json_tree_item(ranks, r);
        phase->nominal += repeat * rc_json_tree_number(rank, "flops_nominal");
        for (unsigned n = 0; n < NUMBERS; n++)
            phase->number[n] += repeat * rc_json_tree_number(rank, keys[n]);
    }
}

static int read_text(const char *dir, const char *name, char **text, size_t *bytes,
                     char path[PATH_MAX], struct rc_error *err)
{
    const int status = rc_path(path, PATH_MAX, err, "%s/%s", dir, name);

    return status != RC_OK
               ? status
               : rc_file_read(path, RC_FILE_BELOW, FILE_MOST, text, bytes, err);
}

static int read_said(const char *dir, const char *name, struct said *out,
                     struct rc_error *err)
{
    char path[PATH_MAX], *text = NULL;
    size_t bytes = 0, room = 0;
    int status = read_text(dir, name, &text, &bytes, path, err);

    *out = (struct said){0};
    if (status != RC_OK)
        return status;
    status = rc_json_tree_read(path, text, bytes, &out->tree, err);
    free(text);
    if (status != RC_OK)
        return status;
    const struct rc_json_tree *passes = rc_json_tree_member(out->tree, "passes");
    const double repeat = rc_json_tree_number(out->tree, "repeat");
    for (size_t p = 0; p < rc_json_tree_count(passes); p++)
        room += rc_json_tree_count(
            rc_json_tree_member(rc_json_tree_item(passes, p), "phases"));
    out->ranks = rc_json_tree_number(out->tree, "ranks");
    if (room == 0 || !(repeat > 0) || !(out->ranks > 0)) {
        said_fini(out);
        return rc_fail(err, RC_EUSAGE,
                       "%s: expected ranks, repeat and phases as rollcall-fft3d --json "
                       "has them",
                       path);
    }
    out->phase = calloc(room, sizeof *out->phase);
    if (!out->phase) {
        said_fini(out);
        return rc_fail(err, RC_ENOMEM, "no memory for %zu phases", room);
    }
    for (size_t p = 0; p < rc_json_tree_count(passes); p++) {
        const struct rc_json_tree *phases =
            rc_json_tree_member(rc_json_tree_item(passes, p), "phases");
        for (size_t i = 0; i < rc_json_tree_count(phases); i++)
            add_phase(out, rc_json_tree_item(phases, i), repeat);
    }
    return RC_OK;
}

static void put_row(struct table *t, const char *phase, const char *what,
                    const char *source, double expected, double measured,
                    const char *verdict)
{
    const bool known = isfinite(expected) && isfinite(measured);
    char cell[3][CELL];

    snprintf(cell[0], CELL, "%.6g", expected);
    snprintf(cell[1], CELL, "%.6g", measured);
    snprintf(cell[2], CELL, "%.2f", 100 * (measured - expected) / expected);
    if (expected == floor(expected) && fabs(expected) < 1e15)
        snprintf(cell[0], CELL, "%.0f", expected);
    if (measured == floor(measured) && fabs(measured) < 1e15)
        snprintf(cell[1], CELL, "%.0f", measured);
    rc_rows_add(t->rows, (const char *const[]){
                             phase, what, source, isfinite(expected) ? cell[0] : NULL,
                             isfinite(measured) ? cell[1] : NULL,
                             known && expected != 0 ? cell[2] : NULL,
                             known && expected != 0 ? cell[2] : NULL, verdict});
}

static void note_off(struct table *t, const char *phase, const char *what,
                     const char *source, double expected, double measured)
{
    char line[4 * CELL + NAME];

    snprintf(line, sizeof line, "  %s, %s (%s): expected %.9g, measured %.9g\n", phase,
             what, source, expected, measured);
    rc_bytes_add(&t->said, line, strlen(line));
}

/* The answer, before the table. */
static void put_verdict(const struct table *t)
{
    if (t->off == 0)
        printf("fft3d: all %zu checks are as expected.\n", t->checks);
    else
        printf("fft3d: %zu of %zu checks are off:\n%.*s", t->off, t->checks,
               (int)t->said.count, (const char *)t->said.byte);
    if (t->off > OFF_MOST)
        printf("  and %zu more, in the table\n", t->off - OFF_MOST);
    puts("\nExpected and measured, of all ranks and runs");
}

/* A row.  'most' is the part of the expectation by which it may be off; below 0: the
 * expectation is a bound, of what is measured at least with -1 and at most with -2.
 */
static void add_row(struct table *t, const char *phase, const char *what,
                    const char *source, double expected, double measured, double most)
{
    const double off = measured - expected;
    const bool holds = most == -1   ? off >= 0
                       : most == -2 ? off <= 0
                                    : fabs(off) <= most * fabs(expected);
    char verdict[CELL] = "off";

    if (!isfinite(measured))
        snprintf(verdict, sizeof verdict, "not measured");
    else if (!isfinite(expected))
        snprintf(verdict, sizeof verdict, "not known");
    else if (off == 0)
        snprintf(verdict, sizeof verdict, "exact");
    else if (holds && most < 0)
        snprintf(verdict, sizeof verdict, most == -1 ? "at least" : "at most");
    else if (holds)
        snprintf(verdict, sizeof verdict, "within %.2g %%", 100 * most);
    else if (most == -2) /* a time, by the program's own clock: others may have had the
                          * processor in between */
        snprintf(verdict, sizeof verdict, "longer");
    else if (t->off++ < OFF_MOST)
        note_off(t, phase, what, source, expected, measured);
    t->checks += isfinite(measured) && isfinite(expected);
    put_row(t, phase, what, source, expected, measured, verdict);
}

/* Counters of whole nodes count what others do there, too, and a cache that holds what
 * is read again takes some away: 'more' and 'less' do not blame the program.
 */
#define AROUND_SERIES 0.25

static void add_seen(struct table *t, const char *phase, const char *what,
                     const char *source, double expected, double measured)
{
    const double off = measured - expected;
    char verdict[CELL];

    if (!isfinite(measured))
        snprintf(verdict, sizeof verdict, "not measured");
    else if (fabs(off) <= AROUND_SERIES * fabs(expected))
        snprintf(verdict, sizeof verdict, "within %.2g %%", 100 * AROUND_SERIES);
    else
        snprintf(verdict, sizeof verdict, off > 0 ? "more" : "less");
    put_row(t, phase, what, source, expected, measured, verdict);
}

/* The re-sorts of the published study: 1 and 3 read twice what they write, 2 and 4 as
 * much.  0: it is none of them.
 */
static double published_ratio(const char *phase)
{
    static const struct {
        const char *name;
        double reads;
    } resorts[] = {{"s1cf", 2}, {"s1pf", 2}, {"s2cf", 1}, {"s2pf", 1}};
    const char *slash = strrchr(phase, '/');

    for (size_t i = 0; i < sizeof resorts / sizeof resorts[0]; i++)
        if (slash && strcmp(slash + 1, resorts[i].name) == 0)
            return resorts[i].reads;
    return 0;
}

/* Memory traffic, where a series has it, and the network: at most what ranks send to
 * each other, since those of a node need none.
 */
static int add_traffic(struct table *t, const struct rc_profile_sums *sums,
                       const struct phase *phase, double visits, struct rc_error *err)
{
    static const struct {
        enum rc_profile_traffic traffic;
        const char *what;
        enum number number;
        double bytes;
    } rows[] = {{RC_PROFILE_MEMORY_READ, "bytes read from memory", READ, 64},
                {RC_PROFILE_MEMORY_WRITTEN, "bytes written to memory", WRITTEN, 64},
                {RC_PROFILE_NETWORK_SENT, "bytes through the network", SENT, 1}};
    struct rc_profile_traffic_seen seen[3];
    char source[CELL];
    int status;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((status = rc_profile_traffic_of(sums, phase->name, rows[i].traffic,
                                            &seen[i], err)) != RC_OK)
            return status;
        if (!seen[i].source[0])
            continue;
        if ((double)seen[i].instances < visits)
            seen[i].bytes = NAN; /* some are not on the axis of time */
        snprintf(source, sizeof source, "%s%s", seen[i].source,
                 seen[i].simulated ? ", simulated" : "");
        add_seen(t, phase->name, rows[i].what, source,
                 phase->number[rows[i].number] * rows[i].bytes, seen[i].bytes);
    }
    const double ratio = published_ratio(phase->name);
    if (ratio > 0 && seen[0].source[0] && seen[1].source[0] && seen[1].bytes > 0)
        add_seen(t, phase->name, "read for each written", source, ratio,
                 seen[0].bytes / seen[1].bytes);
    return RC_OK;
}

/* A phase as regions and the layer around MPI have it. */
static int add_profiled(struct table *t, const struct rc_profile_sums *all,
                        const struct said *said, const struct phase *phase,
                        struct rc_error *err)
{
    struct rc_profile_sums sums = {0};
    const double handed =
        isfinite(phase->number[HANDED]) ? phase->number[HANDED] : phase->number[SENT];
    double visits = 0, measured = 0, ns = 0, bytes = 0;
    struct rc_error none = {0};
    int status = rc_profile_sum(all->profile, all->node->launch.launch, phase->name,
                                &sums, &none);

    if (status == RC_OK) {
        for (size_t i = 0; i < sums.region_count; i++)
            if (strcmp(sums.region[i].name, phase->name) == 0) {
                visits += (double)sums.region[i].visits;
                measured += (double)sums.region[i].measured;
                ns += sums.region[i].inclusive_ns;
            }
        for (size_t i = 0; i < sums.function_count; i++)
            if (rc_waiting_moves_of(sums.function[i].name) != RC_WAITING_RECEIVES)
                bytes += (double)sums.function[i].bytes;
    } else if (status == RC_EMISSING) {
        status = RC_OK; /* the program never was there */
    } else {
        *err = none;
    }
    add_row(t, phase->name, "runs", "regions", phase->runs * said->ranks, visits, 0);
    if (measured > 0)
        add_row(t, phase->name, "seconds of a run", "regions", phase->longest_s,
                ns / 1e9 / visits, -2);
    add_row(t, phase->name, "bytes handed to MPI", "PMPI", handed, bytes, 0);
    if (!strstr(phase->name, "a2a") && !strstr(phase->name, "exchange")) {
        t->elsewhere[0] += handed;
        t->elsewhere[1] += bytes;
    }
    rc_profile_sums_fini(&sums);
    return status == RC_OK ? add_traffic(t, all, phase, visits, err) : status;
}

/* A line of the file that stepping has left; false: it is none. */
static bool read_stepped(const char *line, struct stepped *out)
{
    const size_t length = strcspn(line, "\t\n");
    int used = 0;

    if (length == 0 || length >= sizeof out->name || line[length] != '\t')
        return false;
    memcpy(out->name, line, length);
    out->name[length] = 0;
    return sscanf(line + length, "\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf%n",
                  &out->visits, &out->instructions, &out->dp, &out->sp, &out->loaded,
                  &out->stored, &out->read, &out->written, &used) == 8 &&
           line[length + (size_t)used] == '\n';
}

/* Loops, calls and plans need more than the elements: bytes of a run, and the part of
 * lines, for which caches are cold and code is read, too.
 */
#define AROUND_BYTES 2048
#define AROUND_LINES 0.05
#define AROUND_PLANS 0.1

/* FFTW counts instructions of its vectors.  Lanes that it may have used: those by which
 * its number comes next to what was counted.
 */
static unsigned lanes_of(double planned, double counted)
{
    unsigned lanes = 1;

    while (lanes < 16 &&
           fabs(2 * lanes * planned - counted) < fabs(lanes * planned - counted))
        lanes *= 2;
    return lanes;
}

static void add_stepped(struct table *t, const struct phase *phase,
                        const struct stepped *s)
{
    const double *number = phase->number, lines = number[READ] + number[WRITTEN];
    const double most = phase->exact ? AROUND_LINES : AROUND_PLANS;
    const double beside = AROUND_BYTES * phase->runs;
    /* The other number alone has the part that no plan of FFTW does. */
    const double flops = number[FLOPS] > 0 ? number[FLOPS] : phase->nominal;
    const unsigned lanes = number[FLOPS] > 0 ? lanes_of(flops, s->dp + s->sp) : 1;
    char what[CELL];
    const double ratio = published_ratio(phase->name);

    add_row(t, phase->name, "runs", "soft", phase->runs, s->visits, 0);
    add_row(t, phase->name, "instructions", "soft", NAN, s->instructions, 0);
    snprintf(what, sizeof what, lanes > 1 ? "operations, %u lanes" : "operations",
             lanes);
    add_row(t, phase->name, what, "soft", flops * lanes, s->dp + s->sp, AROUND_PLANS);
    if (number[FLOPS] > 0)
        add_row(t, phase->name, "operations of 5 n log2 N", "soft", phase->nominal,
                s->dp + s->sp, s->dp + s->sp > phase->nominal ? 0 : -2);
    if (number[LOADED] > 0)
        add_row(t, phase->name, "bytes loaded", "soft", number[LOADED], s->loaded,
                phase->exact ? beside / number[LOADED] : -1);
    if (number[STORED] > 0)
        add_row(t, phase->name, "bytes stored", "soft", number[STORED], s->stored,
                phase->exact ? beside / number[STORED] : -1);
    if (lines > 0) {
        add_row(t, phase->name, "lines read", "soft, simulated", number[READ], s->read,
                most);
        add_row(t, phase->name, "lines written", "soft, simulated", number[WRITTEN],
                s->written, most);
    }
    if (ratio > 0 && s->written > 0)
        add_row(t, phase->name, "read for each written", "soft, simulated", ratio,
                s->read / s->written, AROUND_LINES);
}

/* All phases that were stepped; without the files none was. */
static int add_all_stepped(struct table *t, const char *dir, struct rc_error *err)
{
    char path[PATH_MAX], *text = NULL;
    struct said said = {0};
    size_t bytes = 0;
    int status = read_text(dir, RC_PROFILE_STEPPED, &text, &bytes, path, err);

    if (status == RC_EMISSING)
        return RC_OK;
    if (status != RC_OK ||
        (status = read_said(dir, RC_PROFILE_EXPECTED_STEPPED, &said, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < said.count; i++)
        for (const char *line = text; line; line = strchr(line, '\n')) {
            struct stepped stepped = {.visits = 0};
            line += *line == '\n';
            if (read_stepped(line, &stepped) &&
                strcmp(stepped.name, said.phase[i].name) == 0) {
                add_stepped(t, &said.phase[i], &stepped);
                break;
            }
        }
out:
    said_fini(&said);
    free(text);
    return status;
}

static bool is_expected(const char *dir, const struct rc_profile_sums *sums)
{
    const struct rc_profile_launch *launch = &sums->node->launch;
    char path[PATH_MAX];

    return launch->word_count > 0 && strstr(launch->word[0], "fft3d") &&
           rc_path(path, sizeof path, NULL, "%s/%s", dir, RC_PROFILE_EXPECTED) ==
               RC_OK &&
           access(path, R_OK) == 0;
}

static int show_expected(const char *dir, const struct rc_profile_sums *sums,
                         struct rc_json *json, size_t *off, struct rc_error *err)
{
    struct table table = {0};
    struct said said;
    int status = read_said(dir, RC_PROFILE_EXPECTED, &said, err);

    *off = 0;
    if (status != RC_OK)
        return status;
    if (json)
        rc_json_array(json, "fft3d");
    table.rows =
        rc_rows_create(stdout, json ? RC_FORMAT_JSON : RC_FORMAT_TEXT, columns, json);
    rc_rows_fit(table.rows);
    for (size_t i = 0; i < said.count; i++)
        if ((status = add_profiled(&table, sums, &said, &said.phase[i], err)) != RC_OK)
            goto out;
    add_row(&table, "(all others)", "bytes but in all-to-alls", "PMPI",
            table.elsewhere[0], table.elsewhere[1], 0);
    status = add_all_stepped(&table, dir, err);
    if (!json && status == RC_OK)
        put_verdict(&table);
out:
    status = rc_rows_end(table.rows, status, err);
    rc_bytes_fini(&table.said);
    if (json)
        rc_json_end(json);
    said_fini(&said);
    *off = table.off;
    return status;
}

const struct rc_profile_study rc_fft3d_study = {
    .name = "fft3d", .is_of = is_expected, .show = show_expected};
