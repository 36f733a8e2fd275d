/* The page of a profile: its data, for the script of io/report/profile.js.
 *
 * A page stays small: 200 threads at most have a row of boxes, those among them that a
 * region or MPI call took longest or shortest on; instances that took longest; series
 * in bins of time with their least and most; frames of trees that took longest.
 */
#include "campaign/profile/show/page.h"

#include "campaign/base/text.h"
#include "campaign/profile/read/labels.h"
#include "campaign/profile/read/levels.h"
#include "campaign/profile/read/stacks.h"
#include "campaign/profile/show/page_cube.h"
#include "campaign/profile/show/show_parts.h"
#include "campaign/profile/tables/cube.h"
#include "campaign/profile/tables/derive.h"
#include "io/text/html.h"
#include "solve/study/outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TITLE = 200, /* bytes of the program, in the title */
    ROWS_MOST = 200,
    PIECES_MOST = 200000,  /* instances of regions and MPI calls, all threads */
    NUMBERS_MOST = 400000, /* bins of all series, each of three numbers */
    BINS_MOST = 2000,      /* of a series */
    FRAMES_MOST = 20000,   /* of a tree */
    DIGITS = 6,
    DEPTH_MOST = 2 * RC_SHARED_PATHS, /* of instances in each other */
    TEXT_WIDE = 100,                  /* columns of the text for those without script */
    WHOLE = 1 << 20 /* columns of a paragraph that stays in one line */
};

/* The first paragraph, in lines as long as columns are. */
struct head {
    const struct rc_profile_sums *sums;
    size_t columns;
};

static int write_head(FILE *out, void *context, struct rc_error *err)
{
    const struct head *head = context;
    struct rc_page page;

    (void)err;
    rc_page_init(&page, out);
    page.width = head->columns;
    rc_profile_show_head(&page, head->sums);
    if (head->columns < WHOLE)
        rc_page_line(&page, 0, "rollcall profile DIR shows all tables on a terminal.");
    rc_page_fini(&page);
    return RC_OK;
}

/* The page is made from these. */
struct tables {
    const struct rc_profile_sums *sums;
    const struct rc_profile_choice *choice;
};

/* All that 'rollcall profile DIR --format json' has. */
static int write_tables(FILE *out, void *context, struct rc_error *err)
{
    const struct tables *of = context;
    struct rc_json json;

    rc_json_begin(&json, out)->compact = true;
    rc_json_object(&json, NULL);
    int status = rc_profile_show_json(of->sums, &json, err);
    if (status == RC_OK)
        status = rc_profile_show_more(of->sums, of->choice->dir, of->choice->metrics,
                                      &json, err);
    rc_json_close(&json);
    return status;
}

/* The lanes of threads that are being written. */
struct lanes {
    const struct rc_profile_axis *axis;
    struct rc_json *json;
    struct rc_labels names;
    bool *wanted;              /* [track] it has a row */
    bool open;                 /* the row of the thread at hand is being written */
    size_t inside[DEPTH_MOST]; /* names of what the thread is in */
    size_t depth;
    uint64_t at_ns, written_ns; /* where the walk is; where the last box ends */
};

/* Which threads have a row: all, or those of ranks that stand for a number in the
 * tables, and others at equal distances.
 */
static size_t choose_rows(const struct rc_profile_sums *s, bool *wanted)
{
    size_t count = 0, track = 0;

    if (s->threads <= ROWS_MOST) {
        memset(wanted, true, s->threads * sizeof *wanted);
        return s->threads;
    }
    for (size_t n = 0; n < s->node_count; n++)
        for (size_t t = 0; t < s->node[n].thread_count; t++, track++) {
            const size_t rank =
                rc_profile_rank_number(s, &s->node[n], &s->node[n].thread[t]);
            for (size_t i = 0; i < s->region_count && i < ROWS_MOST / 8; i++)
                wanted[track] |= s->region[i].own.most_at == rank ||
                                 s->region[i].own.least_at == rank;
            for (size_t i = 0; i < s->function_count && i < ROWS_MOST / 8; i++)
                wanted[track] |= s->function[i].ns.most_at == rank ||
                                 s->function[i].ns.least_at == rank;
            if (count >= ROWS_MOST / 2) /* a rank may have many threads */
                wanted[track] = false;
            count += wanted[track];
        }
    const size_t left = ROWS_MOST - count, step = (track + left - 1) / left;
    for (size_t i = 0; i < track && count < ROWS_MOST; i += step) {
        count += !wanted[i];
        wanted[i] = true;
    }
    return count;
}

/* Writes what the thread was in up to then: the gap since the box before, the length,
 * the number of the name.
 */
static void put_box(struct lanes *l, uint64_t to_ns)
{
    if (l->depth > 0 && to_ns > l->at_ns) {
        rc_json_integer(l->json, NULL, (int64_t)(l->at_ns - l->written_ns));
        rc_json_integer(l->json, NULL, (int64_t)(to_ns - l->at_ns));
        rc_json_integer(l->json, NULL, (int64_t)l->inside[l->depth - 1]);
        l->written_ns = to_ns;
    }
    if (to_ns > l->at_ns)
        l->at_ns = to_ns;
}

static int begin_row(void *arg, const struct rc_profile_node *node,
                     const struct rc_profile_thread *thread, size_t track,
                     struct rc_error *err)
{
    struct lanes *l = arg;
    const struct rc_profile_sums *s = l->axis->sums;
    char rank[RC_PROFILE_RANK_TEXT];

    (void)err;
    l->open = l->wanted[track];
    l->depth = 0;
    l->at_ns = l->written_ns = 0;
    if (!l->open)
        return RC_OK;
    rc_json_object(l->json, NULL);
    rc_json_text(
        l->json, "rank",
        rc_profile_rank_text(s, rc_profile_rank_number(s, node, thread), rank));
    rc_json_text(l->json, "node", node->launch.node);
    rc_json_integer(l->json, "tid", (int64_t)thread->place.tid);
    rc_json_integer(l->json, "begin_ns",
                    (int64_t)rc_profile_axis_ns(l->axis, node, thread->place.began_ns));
    rc_json_integer(l->json, "end_ns",
                    (int64_t)rc_profile_axis_ns(l->axis, node, thread->ended_ns));
    rc_json_array(l->json, "boxes");
    return RC_OK;
}

static int end_row(void *arg, struct rc_error *err)
{
    struct lanes *l = arg;

    (void)err;
    if (l->open) {
        rc_json_end(l->json);
        rc_json_end(l->json);
    }
    return RC_OK;
}

static int begin_piece(void *arg, const struct rc_profile_piece *piece,
                       struct rc_error *err)
{
    struct lanes *l = arg;

    if (!l->open)
        return RC_OK;
    const size_t name = rc_labels_find(&l->names, rc_profile_piece_name(piece));
    put_box(l, piece->begin_ns);
    if (l->depth < DEPTH_MOST)
        l->inside[l->depth++] = name;
    return rc_labels_check(&l->names, err);
}

static int end_piece(void *arg, const struct rc_profile_piece *piece,
                     struct rc_error *err)
{
    struct lanes *l = arg;

    (void)err;
    if (!l->open)
        return RC_OK;
    put_box(l, piece->end_ns);
    l->depth -= l->depth > 0;
    return RC_OK;
}

/* The number of an event's row in the table of series, which has all nodes'. */
static size_t series_row(const struct rc_profile_sums *s,
                         const struct rc_profile_event *event)
{
    size_t row = 0;

    for (size_t n = 0; n < s->node_count; n++)
        for (size_t i = 0; i < s->node[n].series_count; i++, row++)
            if (&s->node[n].series[i].event == event)
                return row;
    return row;
}

/* The series of all nodes in bins; what is the same in a bin has a mean alone. */
static int put_series(const struct rc_profile_sums *s, struct rc_json *json,
                      struct rc_error *err)
{
    struct rc_profile_levels levels;
    const size_t series = s->node->series_count + 1, share = NUMBERS_MOST / series,
                 most = share > BINS_MOST ? BINS_MOST
                        : share > 100     ? share
                                          : 100;
    int status = rc_profile_levels_find(s, most, &levels, err);

    rc_json_integer(json, "bin_ns", (int64_t)levels.bin_ns);
    rc_json_integer(json, "bins", (int64_t)levels.bins);
    rc_json_array(json, "series");
    for (size_t i = 0; i < levels.count && status == RC_OK; i++) {
        const struct rc_profile_level *level = &levels.level[i];
        bool same = true;
        for (size_t b = 0; b < levels.bins && same; b++)
            same = !(level->given[b] > 0) || level->least[b] == level->most[b];
        rc_json_object(json, NULL);
        rc_json_integer(json, "row", (int64_t)series_row(s, level->event));
        rc_json_integer(json, "nodes", (int64_t)level->nodes);
        rc_json_reals(json, "mean", level->mean, levels.bins, DIGITS);
        if (!same) {
            rc_json_reals(json, "least", level->least, levels.bins, DIGITS);
            rc_json_reals(json, "most", level->most, levels.bins, DIGITS);
        }
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_profile_levels_fini(&levels);
    return status;
}

/* Threads and series on one axis of time. */
static int put_axis(struct rc_json *json, const void *page, struct rc_error *err)
{
    const struct rc_profile_sums *s = ((const struct tables *)page)->sums;
    const struct rc_profile_choice choice = {.limit = PIECES_MOST, .no_series = true};
    const struct rc_profile_teller teller = {.thread = begin_row,
                                             .begin = begin_piece,
                                             .end = end_piece,
                                             .thread_end = end_row};
    struct rc_profile_axis axis;
    struct lanes *l = rc_calloc(1, sizeof *l);
    struct rc_profile_teller told = teller;
    int status = RC_OK;

    if (l)
        l->wanted = rc_calloc(s->threads, sizeof *l->wanted);
    if (!l || !l->wanted) {
        status = rc_fail(err, RC_ENOMEM, "no memory for the lanes of the page");
        goto out;
    }
    if ((status = rc_profile_axis_make(s, &choice, &axis, err)))
        goto out;
    l->axis = &axis;
    told.arg = l;
    l->json = json;
    rc_json_object(json, NULL);
    rc_json_integer(json, "length_ns", (int64_t)s->axis_ns);
    rc_json_integer(json, "threads", (int64_t)s->threads);
    rc_json_integer(json, "rows_wanted", (int64_t)choose_rows(s, l->wanted));
    rc_json_integer(json, "instances", (int64_t)axis.instances);
    rc_json_integer(json, "unmatched", (int64_t)axis.unmatched);
    rc_json_array(json, "rows");
    status = rc_profile_axis_pieces(&axis, &told, err);
    if (status != RC_OK) /* whoever holds the text throws it away */
        goto out;
    rc_json_end(json);
    rc_json_integer(json, "instances_drawn", (int64_t)axis.instances_stay);
    rc_json_texts(json, "names", l->names.text, l->names.count);
    status = put_series(s, json, err);
out:
    if (l) {
        rc_labels_fini(&l->names);
        free(l->wanted);
    }
    free(l);
    return status;
}

/* A tree of frames: a frame's parent has a lower number, the first is the root. */
struct frame {
    const char *name, *file;
    size_t parent;
    double total, count; /* with those inside; visits, calls or samples */
    bool call, truncated;
};
struct frames {
    struct frame *frame;
    size_t count;
    double truncated;     /* of the total, in a frame whose outer ones are not known */
    struct rc_cube *cube; /* whose paths the frames are, or NULL */
    struct rc_arena arena;
};

static int make_frames(struct frames *f, size_t count, struct rc_error *err)
{
    f->count = count;
    f->frame = rc_arena_array(&f->arena, count, sizeof *f->frame);
    return rc_arena_check(&f->arena, err, "the tree of the page");
}

static void add_time(struct frame *of, uint64_t ns, uint64_t count)
{
    of->total += (double)ns;
    of->count += (double)count;
}

/* Call paths of all threads together, MPI calls as frames in them. */
static int add_paths(const struct rc_profile_sums *s, struct frames *f,
                     struct rc_error *err)
{
    struct rc_profile_member *member;
    int status;

    if (!(f->cube = rc_cube_create(err)))
        return RC_ENOMEM;
    if ((status = rc_profile_cube_join(s, true, f->cube, &f->arena, &member, err)) ||
        (status = make_frames(f, f->cube->paths, err)))
        return status;
    for (size_t i = 0; i < f->count; i++) {
        const int64_t parent = f->cube->path[i].parent;
        f->frame[i].name = f->cube->path[i].name;
        f->frame[i].parent = parent < 0 ? 0 : (size_t)parent;
    }
    for (size_t m = 0; m < s->threads; m++) {
        const struct rc_profile_thread *thread = member[m].thread;
        add_time(f->frame, rc_profile_thread_ns(thread), 1);
        for (size_t p = 1; p < thread->path_count; p++)
            add_time(&f->frame[member[m].path[p]], thread->path[p].ns,
                     thread->path[p].visits);
        for (size_t i = 0; i < thread->call_count; i++) {
            struct frame *of = &f->frame[member[m].call[i]];
            if (thread->call[i].calls == 0)
                continue;
            of->call = true;
            add_time(of, thread->call[i].ns, thread->call[i].calls);
        }
    }
    return RC_OK;
}

/* Functions that were sampled, in ns of processor time. */
static int add_stacks(const struct rc_profile_sums *s, struct frames *f,
                      struct rc_error *err)
{
    struct rc_profile_stacks_tree tree;
    int status = rc_profile_stacks_tree(s->node, s->node_count, &tree, err);

    if (status == RC_OK)
        status = make_frames(f, tree.stack_count, err);
    for (size_t i = 0; i < tree.stack_count && status == RC_OK; i++) {
        const struct rc_profile_stack *stack = &tree.stack[i];
        f->frame[i] = (struct frame){
            .name = i > 0 ? rc_arena_text(&f->arena, stack->function) : "",
            .file = rc_arena_text(&f->arena, stack->module),
            .parent = stack->parent,
            .total = stack->total_ns,
            .count = (double)stack->total,
            .truncated = stack->truncated};
    }
    f->truncated = (double)tree.truncated * tree.period_ns;
    rc_profile_stacks_tree_fini(&tree);
    return status == RC_OK ? rc_arena_check(&f->arena, err, "the stacks of the page")
                           : status;
}

/* The frames that took longest, each after the one around it; those that are left out
 * are in the time of that one itself.
 */
static int put_frames(struct rc_json *json, const struct frames *f,
                      struct rc_error *err)
{
    struct rc_arena arena = {0};
    double *total = rc_arena_array(&arena, f->count, sizeof *total), least = 0;
    size_t *number = rc_arena_array(&arena, f->count, sizeof *number), drawn = 0;
    const int status = rc_arena_check(&arena, err, "the tree of the page");

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < f->count; i++)
        total[i] = f->frame[i].total;
    if (f->count > FRAMES_MOST)
        least = rc_select(total, f->count, f->count - FRAMES_MOST);
    rc_json_object(json, NULL);
    rc_json_integer(json, "frames_all", (int64_t)f->count);
    rc_json_short(json, "truncated_ns", f->truncated, DIGITS);
    rc_json_array(json, "frames");
    for (size_t i = 0; i < f->count; i++) {
        const struct frame *of = &f->frame[i];
        number[i] = drawn < FRAMES_MOST && of->total >= least &&
                            (i == 0 || number[of->parent] != SIZE_MAX)
                        ? drawn++
                        : SIZE_MAX;
        if (number[i] == SIZE_MAX)
            continue;
        rc_json_array(json, NULL);
        rc_json_text(json, NULL, of->name);
        rc_json_integer(json, NULL, i > 0 ? (int64_t)number[of->parent] : -1);
        rc_json_short(json, NULL, of->total, 9);
        rc_json_short(json, NULL, of->count, 15);
        rc_json_integer(json, NULL, of->call + 2 * of->truncated);
        if (of->file)
            rc_json_text(json, NULL, of->file);
        rc_json_end(json);
    }
out:
    rc_arena_free(&arena);
    return status;
}

/* Writes a tree; nothing where it is no more than a root. */
static int put_tree(struct rc_json *json, const void *page,
                    int (*add)(const struct rc_profile_sums *s, struct frames *f,
                               struct rc_error *err),
                    struct rc_error *err)
{
    struct frames f = {.frame = NULL};
    int status = add(((const struct tables *)page)->sums, &f, err);

    if (status == RC_OK && f.count > 1)
        status = put_frames(json, &f, err);
    rc_cube_close(f.cube);
    rc_arena_free(&f.arena);
    return status;
}

static int put_paths(struct rc_json *json, const void *page, struct rc_error *err)
{
    return put_tree(json, page, add_paths, err);
}

static int put_functions(struct rc_json *json, const void *page, struct rc_error *err)
{
    return put_tree(json, page, add_stacks, err);
}

/* A panel needs a row here and one in io/report/profile.js. */
static const struct rc_html_panel panels[] = {
    {.id = "time", .title = "All on one axis of time", .link = "Time", .put = put_axis},
    {.id = "regions", .title = "Where the time went", .link = "Regions"},
    {.id = "mpi", .title = "MPI calls", .link = "MPI"},
    {.id = "paths", .title = "Call paths", .put = put_paths},
    {.id = "trees", .title = "Metrics, calls and places", .link = "Trees"},
    {.id = "functions", .title = "Functions", .put = put_functions},
    {.id = "cost", .title = "What the profile cost, and what is lost", .link = "Cost"},
    {.id = "provenance", .title = "Provenance"},
    {0}};

/* Trees over all launches; those that are asked for have values in them. */
static int put_cube(const struct rc_profile_sums *s,
                    const struct rc_profile_choice *choice, FILE *out,
                    struct rc_error *err)
{
    struct rc_cube *cube = NULL, *derived = NULL;
    int status = rc_profile_cube_all(s->profile, &cube, err);

    if (status != RC_OK || (choice->trees && (status = rc_profile_derive(
                                                  cube, choice->trees, choice->metrics,
                                                  &derived, err)) != RC_OK))
        goto out;
    status = rc_profile_page_cube(derived ? derived : cube, out, err);
out:
    rc_cube_close(cube);
    rc_cube_close(derived);
    return status;
}

/* Head, skeleton that the script fills, text for browsers without scripts, data. */
static int write_page(const struct rc_profile_sums *sums,
                      const struct rc_profile_choice *choice, FILE *out, FILE *left_out,
                      struct rc_error *err)
{
    struct head head = {.sums = sums, .columns = TEXT_WIDE},
                answer = {.sums = sums, .columns = WHOLE};
    struct tables tables = {sums, choice};
    const struct rc_file_writer text = {write_head, &head},
                                words = {write_head, &answer},
                                json = {write_tables, &tables};
    char title[TITLE + 32] = "";
    struct rc_html_page html = {
        .title = title,
        .scripts = {rc_html_figures_js, rc_html_cube_js, rc_html_profile_js}};
    int status;

    (void)left_out;
    for (size_t i = 0; i < sums->node->launch.word_count; i++)
        rc_text_append(title, TITLE, "%s ", sums->node->launch.word[i]);
    rc_text_append(title, sizeof title, "- profile, rollcall");
    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t i = 0; i < sums->node[n].series_count; i++)
            html.simulated |= sums->node[n].series[i].event.simulated;
    rc_html_begin(out, &html);
    fputs("<h1><small>Profile of</small> ", out);
    for (size_t i = 0; i < sums->node->launch.word_count; i++) {
        fputs(i > 0 ? " " : "", out);
        rc_html_put(out, sums->node->launch.word[i]);
    }
    fputs("</h1>\n", out);
    rc_html_panels(out, "profile-all", panels, &tables);
    if ((status = rc_html_without_script(out, &text, err)) == RC_OK &&
        (status = rc_html_data_of(out, "answer-data", &words, err)) == RC_OK &&
        (status = rc_html_data_of(out, "profile-data", &json, err)) == RC_OK &&
        (status = put_cube(sums, choice, out, err)) == RC_OK)
        status = rc_html_panels_data(out, panels, &tables, err);
    rc_html_end(out, &html);
    return status;
}

const struct rc_profile_export_format rc_profile_page = {
    .name = "page", .marks = true, .write = write_page};
