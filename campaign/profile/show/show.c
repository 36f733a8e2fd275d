/* Shows a launch of a profile: for people the answer first, where the time went, and at
 * the end what it cost, what is lost and who made it; as JSON the same in one object.
 */
#include "campaign/profile/show/show.h"

#include "campaign/base/text.h"
#include "campaign/profile/export/export.h"
#include "campaign/profile/passes/passes.h"
#include "campaign/profile/show/show_parts.h"
#include "campaign/profile/tables/combine.h"
#include "campaign/profile/tables/metrics.h"
#include "campaign/profile/tables/trees.h"
#include "io/text/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Waiting for processors is the answer from this share of the time on. */
#define STARVED 0.05

enum { ROWS_MOST = 20, COUNTS_MOST = 5, LOST_MOST = 20 }; /* for people */

static void title(struct rc_page *page, const char *text)
{
    putchar('\n');
    rc_page_begin(page, 0);
    rc_page_styled(page, RC_STYLE_BOLD, "%s", text);
    rc_page_end(page);
}

/* The ranks with the least and the most of a share; NAN is neither. */
struct extremes {
    double least, most;
    size_t least_at, most_at;
};

static void add_share(struct extremes *x, size_t rank, double share)
{
    if (share < x->least)
        x->least = share, x->least_at = rank;
    if (share > x->most)
        x->most = share, x->most_at = rank;
}

/* Nothing of a single rank, or where no share is known. */
static void put_extremes(struct rc_page *page, const struct rc_profile_sums *s,
                         const struct extremes *x)
{
    char rank[2][RC_PROFILE_RANK_TEXT];

    if (s->rank_count > 1 && x->least <= x->most)
        rc_page_words(page, "(%.1f %% of %s, %.1f %% of %s)", 100 * x->least,
                      rc_profile_rank_text(s, x->least_at, rank[0]), 100 * x->most,
                      rc_profile_rank_text(s, x->most_at, rank[1]));
}

/* How much of the time ranks ran, the least and the most of all where they waited for
 * processors, and how many tasks there were for these.
 */
static void put_running(struct rc_page *page, const struct rc_profile_sums *s)
{
    const double tasks = rc_profile_tasks(s), processors = rc_profile_processors(s);
    struct extremes of_ranks = {.least = INFINITY, .most = -INFINITY};

    if (!(s->ran.seen_ns > 0))
        return;
    rc_page_words(page, "%s ran %.1f %% of the time",
                  s->rank[0].rank >= 0 ? "Ranks" : "Its threads",
                  100 * s->ran.ran_ns / s->ran.seen_ns);
    if (!(s->ran.waited_ns > STARVED * s->ran.seen_ns)) {
        rc_page_tail(page, ".");
        return;
    }
    for (size_t r = 0; r < s->rank_count; r++) {
        const struct rc_profile_ran *of = &s->rank[r].ran;
        const double share = of->seen_ns > 0 ? of->ran_ns / of->seen_ns : NAN;
        add_share(&of_ranks, r, share);
    }
    put_extremes(page, s, &of_ranks);
    rc_page_words(page, "and waited %.1f %% for a processor",
                  100 * s->ran.waited_ns / s->ran.seen_ns);
    if (tasks > 0 && processors > 0) {
        rc_page_tail(page, ":");
        rc_page_words(page,
                      "%s had %.1f runnable tasks, and the program %.*f processor%s",
                      s->node_count > 1 ? "a node" : "the node", tasks,
                      processors == floor(processors) ? 0 : 1, processors,
                      processors == 1 ? "" : "s");
    }
    rc_page_tail(page, ".");
}

/* The time that rank 'r', or with SIZE_MAX all ranks, took to begin MPI, which says
 * nothing of the program.
 */
static double init_ns(const struct rc_profile_sums *s, size_t r)
{
    double ns = 0;

    for (size_t i = 0; i < s->function_count; i++) {
        const struct rc_profile_function *f = &s->function[i];
        if (strcmp(f->name, "MPI_Init") == 0 || strcmp(f->name, "MPI_Init_thread") == 0)
            ns += r == SIZE_MAX ? f->ns.total : f->by_rank[r];
    }
    return ns;
}

/* The share of a rank's time in MPI, the least and the most of all ranks; without
 * MPI_Init, in time and calls.
 */
static void put_mpi_share(struct rc_page *page, const struct rc_profile_sums *s)
{
    struct extremes of_ranks = {.least = INFINITY, .most = -INFINITY};
    char took[RC_TEXT_SHORT];

    const double init = init_ns(s, SIZE_MAX);

    if (!(s->ns > init) || s->function_count == 0)
        return;
    rc_page_words(page, "%.1f %% of the time was spent in MPI calls",
                  100 * (s->mpi_ns - init) / (s->ns - init));
    for (size_t r = 0; r < s->rank_count; r++) {
        const struct rc_profile_rank *of = &s->rank[r];
        const double begin = init_ns(s, r),
                     share =
                         of->ns > begin ? (of->mpi_ns - begin) / (of->ns - begin) : 0;
        add_share(&of_ranks, r, share);
    }
    put_extremes(page, s, &of_ranks);
    if (s->starved_ns > STARVED * s->mpi_ns) {
        rc_page_tail(page, ",");
        rc_page_words(page, "%.1f %% of that while another rank waited for a processor",
                      100 * s->starved_ns / s->mpi_ns);
    }
    if (init > 0) {
        rc_page_tail(page, ",");
        rc_page_words(
            page, "without MPI_Init, which took %s of a rank",
            rc_text_put_duration(took, (uint64_t)(init / (double)s->rank_count)));
    }
    rc_page_tail(page, ".");
}

/* The first paragraph: what ran, for how long, how much of that it ran, and how much of
 * it was in MPI.
 */
void rc_profile_show_head(struct rc_page *page, const struct rc_profile_sums *s)
{
    char wall[RC_TEXT_SHORT];

    rc_page_begin(page, 0);
    for (size_t i = 0; i < s->node->launch.word_count; i++)
        rc_page_word(page, s->node->launch.word[i]);
    rc_page_tail(page, ":");
    rc_page_words(page, "%s on %zu node%s, %zu rank%s with %" PRIu64 " thread%s.",
                  rc_text_put_duration(wall, s->wall_ns), s->node_count,
                  rc_text_s(s->node_count), s->rank_count, rc_text_s(s->rank_count),
                  s->threads, rc_text_s(s->threads));
    put_running(page, s);
    put_mpi_share(page, s);
    rc_profile_show_most(page, s);
    if (s->profile->launches > 1)
        rc_page_words(page,
                      "This is launch %" PRIu64 " of 0 to %" PRIu64
                      "; --launch shows another.",
                      s->node->launch.launch, s->profile->launches - 1);
    rc_page_end(page);
}

/* The counts of threads in other launches, where those are passes of this one; as JSON
 * all passes, those that are missing, too.
 */
static int show_passes(struct rc_page *page, const struct rc_profile_sums *s,
                       const struct rc_profile_passes *passes, const char *within,
                       struct rc_json *json, struct rc_error *err)
{
    int status = RC_OK;

    if (json)
        rc_json_array(json, "passes");
    for (size_t p = 0; p < passes->passes; p++) {
        const uint64_t launch = passes->launch[p];
        const bool other =
            launch != RC_PROFILE_NO_LAUNCH && launch != s->node->launch.launch;
        struct rc_profile_sums sums = {0};
        char text[128];
        if (json) {
            rc_json_object(json, NULL);
            rc_json_integer(json, "pass", (int64_t)p);
            rc_json_integer(json, "launch",
                            launch == RC_PROFILE_NO_LAUNCH ? -1 : (int64_t)launch);
        }
        if (other)
            status = rc_profile_sum(s->profile, launch, within, &sums, err);
        if (other && status == RC_OK && sums.node->launch.counter_count > 0) {
            snprintf(text, sizeof text,
                     "What threads counted in pass %zu, launch %" PRIu64, p, launch);
            if (!json)
                title(page, text);
            status = rc_profile_show_counts(&sums, COUNTS_MOST, json, err);
        }
        if (status == RC_EMISSING) /* that launch has no such region */
            status = RC_OK;
        if (json)
            rc_json_end(json);
        rc_profile_sums_fini(&sums);
        if (status != RC_OK)
            break;
    }
    if (json)
        rc_json_end(json);
    return status;
}

/* Metrics of a campaign, for people or into 'json'. */
static int show_metrics(struct rc_page *page, const struct rc_profile_sums *s,
                        const struct rc_profile_passes *passes,
                        const struct rc_profile_request *request, struct rc_json *json,
                        struct rc_error *err)
{
    struct rc_results metrics = {.file = NULL};
    char why[RC_ERROR_TEXT] = "";
    int status;

    if (!request->metrics || request->tree)
        return RC_OK;
    status = rc_results_open(request->metrics, s->node->launch.node, &metrics, why,
                             sizeof why, err);
    if (status != RC_OK)
        return status;
    if (why[0])
        fprintf(stderr, "rollcall profile: '%.200s': %s\n", request->metrics, why);
    if (page)
        title(page, "Metrics of the campaign there");
    status = rc_profile_show_metrics(&metrics, s, passes, request->region, COUNTS_MOST,
                                     json, err);
    rc_results_close(&metrics);
    return status;
}

/* Trees of a cube, or of what is inside of a region there. */
static int show_cube_trees(const struct rc_cube *cube,
                           const struct rc_profile_request *request, const char *node,
                           struct rc_json *json, struct rc_error *err)
{
    struct rc_cube *other = NULL, *part = NULL, *other_part = NULL;
    int status = RC_OK;

    if (request->reference)
        status = rc_profile_cube_load(request->reference, NULL, stderr, &other, err);
    if (status == RC_OK && request->region &&
        (status = rc_cube_cut(cube, request->region, &part, err)) == RC_OK && other)
        status = rc_cube_cut(other, request->region, &other_part, err);
    const struct rc_profile_trees_request of = {.word = request->tree,
                                                .campaign = request->metrics,
                                                .node = node,
                                                .reference =
                                                    other_part ? other_part : other};
    if (status == RC_OK)
        status = rc_profile_show_trees(&of, part ? part : cube, json, err);
    rc_cube_close(other);
    rc_cube_close(part);
    rc_cube_close(other_part);
    return status;
}

/* Trees over all launches, or over the one that is asked for. */
static int show_trees(struct rc_page *page, const struct rc_profile_sums *s,
                      const struct rc_profile_request *request, struct rc_json *json,
                      struct rc_error *err)
{
    struct rc_cube *cube = NULL;
    int status;

    if (!request->tree)
        return RC_OK;
    if ((status = request->launch
                      ? rc_profile_cube_load(request->dir, request->launch, stderr,
                                             &cube, err)
                      : rc_profile_cube_all(s->profile, &cube, err)) != RC_OK)
        goto out;
    if (page)
        title(page, request->launch ? "Trees of metrics"
                                    : "Trees of metrics, means of all launches");
    status = show_cube_trees(cube, request, s->node->launch.node, json, err);
    if (status == RC_OK && !request->launch)
        status = rc_profile_show_references(s->profile, json, err);
out:
    rc_cube_close(cube);
    return status;
}

static int show_study(struct rc_page *page, const struct rc_profile_sums *s,
                      const struct rc_profile_request *request, struct rc_json *json,
                      size_t *off, struct rc_error *err)
{
    *off = 0;
    if (request->region || !request->study || !request->study->is_of(request->dir, s))
        return RC_OK;
    const int status = request->study->show(request->dir, s, json, off, err);
    if (page)
        putchar('\n');
    return status;
}

/* Whether threads were in regions of the program's, or in those of OpenMP. */
static bool has_regions(const struct rc_profile_sums *s)
{
    for (size_t n = 0; n < s->node_count; n++)
        for (size_t t = 0; t < s->node[n].thread_count; t++)
            if (s->node[n].thread[t].path_count > 1)
                return true;
    return false;
}

static int show_libraries(struct rc_page *page, const struct rc_profile_sums *s,
                          struct rc_error *err)
{
    if (!rc_profile_has_samples(s))
        return RC_OK;
    title(page, "Processor time by library, by samples of stacks");
    return rc_profile_show_libraries(s, ROWS_MOST, NULL, err);
}

static int show_tables(struct rc_page *page, const struct rc_profile_sums *s,
                       const struct rc_profile_passes *passes,
                       const struct rc_profile_request *request, struct rc_error *err)
{
    const char *within = request->region;
    int status = show_trees(page, s, request, NULL, err);

    if (status)
        return status;
    if (within || has_regions(s) || !rc_profile_has_samples(s)) {
        title(page, within ? "Where the time went inside, seconds of a rank's threads"
                           : "Where the time went, seconds of a rank's threads");
        if ((status = rc_profile_show_regions(s, ROWS_MOST, NULL, err)))
            return status;
    }
    if (!within && (status = show_libraries(page, s, err)))
        return status;
    if (s->node->launch.counter_count > 0) {
        title(page, "What threads counted there");
        if ((status = rc_profile_show_counts(s, COUNTS_MOST, NULL, err)))
            return status;
    }
    if ((status = show_passes(page, s, passes, within, NULL, err)) ||
        (status = show_metrics(page, s, passes, request, NULL, err)))
        return status;
    if (s->function_count > 0) {
        title(page,
              "MPI calls, seconds of a rank's threads; bytes of all, and in a second");
        if ((status = rc_profile_show_calls(s, NULL, err)))
            return status;
    }
    if (s->function_count > 0 && s->node_count > 1) {
        title(page, "MPI calls by the nodes of the ranks that they are with");
        if ((status = rc_profile_show_nodes(s, NULL, err)))
            return status;
    }
    if (within)
        return RC_OK;
    if (rc_profile_has_samples(s)) {
        title(page, "Functions, by samples of stacks");
        if ((status = rc_profile_show_functions(s, ROWS_MOST, NULL, err)))
            return status;
    }
    title(page, "Series: rates of counts, and states");
    if ((status = rc_profile_show_series(s, NULL, err)))
        return status;
    title(page, "Phases: where series jump to other levels");
    return rc_profile_show_phases(s, ROWS_MOST, NULL, err);
}

/* By how much the program took longer, and where; older journals do not tell. */
static void show_longer(struct rc_page *page, const struct rc_profile_costs *cost,
                        double wall_ns)
{
    const double alone = wall_ns + cost->start_ns - cost->longer_ns;

    if (cost->start_ns <= 0 || alone <= 0)
        return;
    rc_page_begin(page, 0);
    rc_page_words(page,
                  "The program took about %.3f s longer (%.2g %%), by the profile's "
                  "own account:",
                  cost->longer_ns / 1e9, 100 * cost->longer_ns / alone);
    rc_page_words(page,
                  "%.3f s to start, %.3f s in which a sampler had one of its "
                  "processors, and, of the time of all its threads together, "
                  "%.3f s for what they noted and %.3f s for samples of stacks.",
                  cost->start_ns / 1e9, cost->crowded_ns / 1e9,
                  (cost->own_ns + cost->exchange_ns) / 1e9, cost->samples_ns / 1e9);
    rc_page_end(page);
}

/* The line on the threads' own notes was measured in some of them. */
static void show_cost(struct rc_page *page, const struct rc_profile_sums *s)
{
    const struct rc_profile_costs cost = rc_profile_cost_of(s);

    title(page, "Cost of the profile");
    show_longer(page, &cost, (double)s->wall_ns);
    rc_page_begin(page, 0);
    rc_page_words(page, "The samplers took %.3f s of processor time",
                  cost.sampler_ns / 1e9);
    if (cost.program_ns > 0)
        rc_page_words(page, "(%.2f %% of the program's %.3f s)",
                      100 * cost.sampler_ns / cost.program_ns, cost.program_ns / 1e9);
    rc_page_tail(page, ";");
    rc_page_words(page,
                  "the program's threads noted %" PRIu64 " visits of regions, %" PRIu64
                  " MPI calls and %" PRIu64 " entries for the axis of time",
                  cost.visits, cost.calls, cost.entries);
    if (s->node->launch.budget_ppm == 0) { /* of an older version */
        rc_page_tail(page, ",");
        rc_page_words(page, "at a cost that is part of their own time.");
    } else {
        rc_page_words(page, "in %.3f s of their own time", cost.own_ns / 1e9);
        if (cost.program_ns > 0)
            rc_page_words(page, "(%.2f %%)", 100 * cost.own_ns / cost.program_ns);
        rc_page_tail(page, ",");
        rc_page_words(page, "by the time of one in %d. The budget was %g %%.",
                      RC_SHARED_TIMED, (double)s->node->launch.budget_ppm / 1e4);
    }
    if (cost.exchanges > 0)
        rc_page_words(
            page,
            "To find out what calls waited for, a rank spent %.6f s on average "
            "in %" PRIu64 " exchanges.",
            cost.exchange_ns / 1e9 / (double)s->rank_count, cost.exchanges);
    rc_page_end(page);
}

/* The things that were recorded less, so that the profile stays within its budget. */
static int show_rates(struct rc_page *page, const struct rc_profile_sums *s,
                      struct rc_error *err)
{
    if (rc_profile_rate_count(s) == 0)
        return RC_OK;
    title(
        page,
        "Rates that the budget changed: at least one in so many was recorded, 0: none");
    return rc_profile_show_rates(s, NULL, err);
}

/* Lines on what is lost, as many as people read. */
struct lost {
    struct rc_page *page;
    struct rc_json *json;
    size_t count;
};

static void put_lost(void *arg, const char *line)
{
    struct lost *lost = arg;

    if (lost->json)
        rc_json_text(lost->json, NULL, line);
    else if (lost->count < LOST_MOST)
        rc_page_line(lost->page, 0, "%s", line);
    lost->count++;
}

/* That nothing is lost can only be said as far as it is known. */
static void show_lost(struct rc_page *page, const struct rc_profile_sums *s)
{
    struct lost lost = {.page = page};

    title(page, "What is lost");
    rc_profile_say_damage(s->profile, put_lost, &lost);
    rc_profile_say_lost(s, put_lost, &lost);
    if (lost.count == 0)
        rc_page_line(page, 0, "Nothing that is known.");
    if (lost.count > LOST_MOST)
        rc_page_line(page, 0, "... and %zu more lines: --format json has all.",
                     lost.count - LOST_MOST);
    rc_page_end(page);
}

/* The provenance: by which version, when and how it was made, and on which processors
 * the samplers were, since they may have taken time from the program there.
 */
static void show_origin(struct rc_page *page, const struct rc_profile_sums *s)
{
    const struct rc_profile_launch *launch = &s->node->launch;
    char time[RC_TEXT_TIME], period[RC_TEXT_SHORT], shortest[RC_TEXT_SHORT],
        crowded[64] = "", clocks[RC_PROFILE_CLOCKS_TEXT],
        parameters[RC_PROFILE_PARAMETERS_TEXT];

    title(page, "How it was made");
    if (launch->period_ns == RC_PROFILE_PERIOD_NS)
        snprintf(crowded, sizeof crowded,
                 " (%s where a sampler has no processor of its own)",
                 rc_text_put_duration(period, RC_PROFILE_CROWDED_NS));
    rc_page_line(page, 0, "Begun at %s in",
                 rc_text_put_time(time, launch->unix_ns / 1000000000));
    rc_page_word(page, launch->directory);
    rc_page_words(page,
                  "by %s. Series were read every %s%s, MPI calls of %s and more are "
                  "on the axis of time%s.",
                  launch->created_by, rc_text_put_duration(period, launch->period_ns),
                  crowded, rc_text_put_duration(shortest, launch->long_ns),
                  launch->trace ? ", and with --trace all others, too" : "");
    if (launch->set[0])
        rc_page_words(
            page, "Parameters: %s.",
            rc_profile_parameters_said(s->profile, launch->launch, parameters));
    if (s->node_count > 1)
        rc_page_words(page, "Times of nodes: %s.",
                      rc_profile_clocks_text(s->node, s->node_count, clocks));
    for (size_t n = 0; n < s->node_count && n < ROWS_MOST; n++)
        rc_page_line(page, 0, "The sampler of %s began on processor: %s.",
                     s->node[n].launch.node, s->node[n].launch.sampler_cpu);
    rc_page_end(page);
}

/* The answer first, where it comes from last. */
static int show_text(const struct rc_profile_sums *s,
                     const struct rc_profile_passes *passes,
                     const struct rc_profile_request *request, size_t *off,
                     struct rc_error *err)
{
    struct rc_page page;

    rc_page_init(&page, stdout);
    int status = show_study(&page, s, request, NULL, off, err);
    if (status == RC_OK) {
        rc_profile_show_head(&page, s);
        status = show_tables(&page, s, passes, request, err);
    }
    if (status == RC_OK) {
        show_cost(&page, s);
        status = show_rates(&page, s, err);
        show_lost(&page, s);
        show_origin(&page, s);
    }
    rc_page_fini(&page);
    return status;
}

static void json_ran(struct rc_json *json, const struct rc_profile_ran *ran)
{
    rc_json_short(json, "seen_s", ran->seen_ns / 1e9, 0);
    rc_json_short(json, "ran_s", ran->ran_ns / 1e9, 0);
    rc_json_short(json, "waited_s", ran->waited_ns / 1e9, 0);
}

/* Parameters by name, and formulas by which they were found. */
static void json_parameters(struct rc_json *json, const struct rc_profile_sums *s)
{
    struct rc_profile_parameters all;
    struct rc_error ignored = {.rank = -1}; /* those before the wrong one are there */

    (void)rc_profile_parameters_of(s->profile, s->node->launch.launch, &all, &ignored);
    rc_json_object(json, "parameters");
    for (size_t i = 0; i < all.count; i++)
        rc_json_short(json, all.of[i].name, all.of[i].value, 0);
    rc_json_end(json);
    rc_json_object(json, "formulas");
    for (size_t i = 0; i < all.count; i++)
        if (all.of[i].formula[0])
            rc_json_text(json, all.of[i].name, all.of[i].formula);
    rc_json_end(json);
}

/* Members of the launch, and what it cost. */
static void json_launch(struct rc_json *json, const struct rc_profile_sums *s)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_profile_launch, launch, created_by, directory, unix_ns,
                     period_ns, long_ns, every, trace, budget_ppm),
        {0}};
    const struct rc_profile_costs cost = rc_profile_cost_of(s);
    char id[RC_JOURNAL_ID_TEXT], clocks[RC_PROFILE_CLOCKS_TEXT];

    rc_json_text(json, "profile", rc_journal_id_text(id, &s->profile->id));
    rc_json_members(json, members, &s->node->launch);
    rc_json_texts(json, "command", s->node->launch.word, s->node->launch.word_count);
    json_parameters(json, s);
    rc_json_integer(json, "launches", (int64_t)s->profile->launches);
    rc_json_text(json, "clocks",
                 rc_profile_clocks_text(s->node, s->node_count, clocks));
    rc_json_integer(json, "program_unix_ns", s->began_unix_ns);
    rc_json_integer(json, "wall_ns", (int64_t)s->wall_ns);
    rc_json_integer(json, "ranks", (int64_t)s->rank_count);
    rc_json_integer(json, "threads", (int64_t)s->threads);
    rc_json_short(json, "time_s", s->ns / 1e9, 0);
    rc_json_short(json, "mpi_s", s->mpi_ns / 1e9, 0);
    if (s->ran.seen_ns > 0) {
        rc_json_object(json, "running");
        json_ran(json, &s->ran);
        rc_json_short(json, "tasks", rc_profile_tasks(s), 6);
        rc_json_short(json, "processors", rc_profile_processors(s), 6);
        rc_json_short(json, "mpi_starved_s", s->starved_ns / 1e9, 0);
        rc_json_array(json, "ranks");
        for (size_t r = 0; r < s->rank_count; r++) {
            char rank[RC_PROFILE_RANK_TEXT];
            rc_json_object(json, NULL);
            rc_json_text(json, "rank", rc_profile_rank_text(s, r, rank));
            json_ran(json, &s->rank[r].ran);
            rc_json_end(json);
        }
        rc_json_end(json);
        rc_json_end(json);
    }
    rc_json_array(json, "nodes");
    for (size_t n = 0; n < s->node_count; n++) {
        rc_json_object(json, NULL);
        rc_json_text(json, "node", s->node[n].launch.node);
        rc_json_text(json, "sampler_cpu", s->node[n].launch.sampler_cpu);
        rc_json_flag(json, "ended", s->node[n].ended);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_object(json, "cost");
    rc_json_short(json, "sampler_s", cost.sampler_ns / 1e9, 0);
    rc_json_short(json, "program_s", cost.program_ns / 1e9, 0);
    if (cost.start_ns > 0) { /* older journals have none of these */
        rc_json_short(json, "longer_s", cost.longer_ns / 1e9, 0);
        rc_json_short(json, "start_s", cost.start_ns / 1e9, 0);
        rc_json_short(json, "crowded_s", cost.crowded_ns / 1e9, 0);
        rc_json_short(json, "samples_s", cost.samples_ns / 1e9, 0);
    }
    if (s->node->launch.budget_ppm > 0)
        rc_json_short(json, "own_s", cost.own_ns / 1e9, 0);
    rc_json_integer(json, "visits", (int64_t)cost.visits);
    rc_json_integer(json, "calls", (int64_t)cost.calls);
    rc_json_integer(json, "entries", (int64_t)cost.entries);
    rc_json_end(json);
}

int rc_profile_show_json(const struct rc_profile_sums *s, struct rc_json *json,
                         struct rc_error *err)
{
    struct lost lost = {.json = json};
    int status;

    json_launch(json, s);
    rc_json_array(json, "lost");
    rc_profile_say_damage(s->profile, put_lost, &lost);
    rc_profile_say_lost(s, put_lost, &lost);
    rc_json_end(json);
    if ((status = rc_profile_show_regions(s, 0, json, err)) == RC_OK &&
        (status = rc_profile_show_counts(s, 0, json, err)) == RC_OK &&
        (status = rc_profile_show_calls(s, json, err)) == RC_OK &&
        (status = rc_profile_show_nodes(s, json, err)) == RC_OK &&
        (status = rc_profile_show_rates(s, json, err)) == RC_OK &&
        (status = rc_profile_show_libraries(s, 0, json, err)) == RC_OK &&
        (status = rc_profile_show_functions(s, 0, json, err)) == RC_OK &&
        (status = rc_profile_show_series(s, json, err)) == RC_OK)
        status = rc_profile_show_phases(s, 0, json, err);
    return status;
}

/* The parts that other launches and a campaign add to it. */
static int show_more(const struct rc_profile_sums *s,
                     const struct rc_profile_passes *passes,
                     const struct rc_profile_request *request, struct rc_json *json,
                     struct rc_error *err)
{
    const int status = show_passes(NULL, s, passes, request->region, json, err);

    return status == RC_OK ? show_metrics(NULL, s, passes, request, json, err) : status;
}

int rc_profile_show_more(const struct rc_profile_sums *s, const char *dir,
                         const char *metrics, struct rc_json *json,
                         struct rc_error *err)
{
    const struct rc_profile_request request = {.metrics = metrics};
    struct rc_profile_passes passes;
    const int status = rc_profile_passes_find(dir, s->profile, &passes, err);

    return status == RC_OK ? show_more(s, &passes, &request, json, err) : status;
}

/* Damage is said before the tables, so that it stands first in a terminal, and apart
 * from results in a pipe.
 */
/* A profile that merge, compare or import made has numbers, and nothing else that is
 * shown.
 */
static int show_cube(const struct rc_profile_request *request, struct rc_error *err)
{
    const struct rc_profile_combination how = {.command = "profile",
                                               .operand = &request->dir,
                                               .count = 1,
                                               .cut = request->region,
                                               .json =
                                                   request->format == RC_FORMAT_JSON};
    struct rc_cube *cube = NULL;
    bool unused;
    int status;

    if (request->launch || (request->metrics && !request->tree) ||
        rc_rows_is_csv(request->format))
        return rc_fail(
            err, RC_EUSAGE,
            "'%s' was made from profiles: expected --region, and --format text "
            "or json",
            request->dir);
    if (!request->tree)
        return rc_profile_compare(&how, stdout, &unused, err);
    status = rc_profile_cube_load(request->dir, NULL, stderr, &cube, err);
    if (status == RC_OK) {
        struct rc_json own, *json = rc_rows_json(request->format, &own, stdout);
        if (json)
            rc_json_object(json, NULL);
        status = show_cube_trees(cube, request, cube->places ? cube->place[0].node : "",
                                 json, err);
        if (json)
            rc_json_close(json);
    }
    rc_cube_close(cube);
    return status;
}

int rc_profile_show(const struct rc_profile_request *request, struct rc_error *err)
{
    struct rc_profile *profile = NULL;
    struct rc_profile_sums sums = {0};
    struct rc_profile_passes passes;
    char line[RC_ERROR_TEXT];
    uint64_t launch = 0;
    size_t off = 0;
    int status;

    if (!rc_profile_is_in(request->dir) && rc_profile_cube_is_in(request->dir))
        return show_cube(request, err);
    status = rc_profile_read(request->dir, true, &profile, err);
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < profile->damage_count; i++)
        fprintf(stderr, "rollcall profile: %s\n",
                rc_text_printable(line, sizeof line, profile->damage[i]));
    if ((status = rc_profile_choose_launch(profile, request->launch, &launch, err)) ||
        (status = rc_profile_sum(profile, launch, request->region, &sums, err)) ||
        (status = rc_profile_starve(&sums, request->region, err))) {
        rc_error_prefix(err, "%s: ", request->dir);
        goto out;
    }
    if ((status = rc_profile_passes_find(request->dir, profile, &passes, err)))
        goto out;
    if (request->format == RC_FORMAT_JSON) {
        struct rc_json json;
        rc_json_object(rc_json_begin(&json, stdout), NULL);
        status = rc_profile_show_json(&sums, &json, err);
        if (status == RC_OK)
            status = show_more(&sums, &passes, request, &json, err);
        if (status == RC_OK)
            status = show_trees(NULL, &sums, request, &json, err);
        if (status == RC_OK)
            status = show_study(NULL, &sums, request, &json, &off, err);
        rc_json_close(&json);
        goto out;
    }
    if ((status = request->format == RC_FORMAT_TEXT
                      ? show_text(&sums, &passes, request, &off, err)
                      : rc_profile_show_csv(&sums, request->region, request->format,
                                            err)) != RC_OK)
        goto out;
    if (request->strict && off > 0)
        status = rc_fail(err, RC_ECONFLICT, "%zu rows of %s are off", off,
                         request->study->name);
out:
    rc_profile_sums_fini(&sums);
    rc_profile_close(profile);
    return status;
}
