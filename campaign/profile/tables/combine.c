/* Merges profiles, takes their mean or difference, and shows them side by side. */
#include "campaign/profile/tables/combine.h"

#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/profile/tables/derive.h"
#include "io/text/json.h"
#include "io/text/terminal.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

RC_OPTION(rc_profile_option_cut, "cut", "REGION",
          "of profiles: only what is inside regions of this name or pattern");
RC_OPTION(rc_profile_option_flat, "flat", NULL,
          "of profiles: each region once, wherever it was called");
RC_OPTION(rc_profile_option_collapse, "collapse", NULL,
          "of profiles: all ranks and threads added up");

RC_OPTION(rc_profile_option_hierarchy, "hierarchy", "A,B",
          "of profiles: these trees, of 'rollcall hierarchy' or of a file, filled from "
          "what they counted");

void rc_profile_combination_options(const struct rc_args *args,
                                    struct rc_profile_combination *out)
{
    out->operand = (const char *const *)args->operands;
    out->count = args->operand_count;
    out->cut = rc_args_value(args, &rc_profile_option_cut);
    out->flat = rc_args_has(args, &rc_profile_option_flat);
    out->collapse = rc_args_has(args, &rc_profile_option_collapse);
    out->hierarchy = rc_args_value(args, &rc_profile_option_hierarchy);
}

int rc_profile_combines(const struct rc_args *args, bool *out, struct rc_error *err)
{
    static const struct rc_option *const of_profiles[] = {
        &rc_profile_option_cut, &rc_profile_option_flat, &rc_profile_option_collapse,
        &rc_profile_option_hierarchy};
    size_t profiles = 0, first = 0;

    for (size_t i = 0; i < args->operand_count; i++) {
        const bool is = rc_profile_cube_is_in(args->operands[i]);
        first = !is && first == profiles ? i : first;
        profiles += is;
    }
    *out = profiles > 0;
    if (profiles > 0 && profiles < args->operand_count)
        return rc_fail(
            err, RC_EUSAGE,
            "'%s' is not a profile, as the others are: expected directories of "
            "profiles and .cubex files, or of campaigns",
            args->operands[first]);
    for (size_t i = 0; profiles == 0 && i < sizeof of_profiles / sizeof of_profiles[0];
         i++)
        if (rc_args_has(args, of_profiles[i]))
            return rc_fail(err, RC_EUSAGE,
                           "--%s is for profiles: expected directories that 'profile' "
                           "made, or .cubex files",
                           of_profiles[i]->name);
    return RC_OK;
}

/* Reads a profile; what is said of it goes to the standard error, a line each, under
 * the command's name.
 */
static int load_one(const char *command, const char *path, size_t *lines,
                    struct rc_cube **out, struct rc_error *err)
{
    char text[1024], *list = NULL;
    size_t bytes = 0;
    FILE *said = open_memstream(&list, &bytes);
    int status;

    if (!said)
        return rc_fail(err, RC_ENOMEM, "no memory to read '%s'", path);
    status = rc_profile_cube_load(path, NULL, said, out, err);
    if (fclose(said) != 0 && status == RC_OK)
        status = rc_fail(err, RC_ENOMEM, "no memory to read '%s'", path);
    char *rest = list;
    for (char *line; status == RC_OK && (line = strsep(&rest, "\n")) && *line; ++*lines)
        fprintf(stderr, "rollcall %s: left out: %s\n", command,
                rc_text_printable(text, sizeof text, line));
    free(list);
    return status;
}

/* One line of what was made. */
static void say_cube(const struct rc_cube *cube, const char *dir)
{
    char text[1024];

    printf("%s/" RC_PROFILE_CUBE_FILE ": %zu launch%s, %zu metrics of %zu call path%s "
           "on %zu place%s\n",
           rc_text_printable(text, sizeof text, dir), cube->sources,
           rc_text_plural(cube->sources, "", "es"), cube->metrics, cube->paths,
           rc_text_s(cube->paths), cube->places, rc_text_s(cube->places));
}

int rc_profile_import(const char *path, const char *dir, bool *left_out,
                      struct rc_error *err)
{
    struct rc_cube *cube = NULL;
    size_t lines = 0;
    int status = load_one("import", path, &lines, &cube, err);

    if (status == RC_OK && (status = rc_profile_cube_save(cube, dir, err)) == RC_OK)
        say_cube(cube, dir);
    *left_out = lines > 0;
    rc_cube_close(cube);
    return status;
}

/* The cube is replaced by the result. */
static int replace(struct rc_cube **cube, int status, struct rc_cube *by)
{
    rc_cube_close(*cube);
    *cube = by;
    return status;
}

/* An operand, of which only what is wanted is left. */
static int load(const struct rc_profile_combination *how, const char *path,
                struct rc_cube **out, struct rc_error *err)
{
    struct rc_cube *part = NULL;
    size_t lines = 0;
    int status = load_one(how->command, path, &lines, out, err);

    if (status != RC_OK)
        return status;
    if (how->cut) {
        status = rc_cube_cut(*out, how->cut, &part, err);
        if ((status = replace(out, status, part)) != RC_OK) {
            rc_error_prefix(err, "'%s': ", path);
            return status;
        }
    }
    if (how->flat) {
        status = rc_cube_flat(*out, &part, err);
        if ((status = replace(out, status, part)) != RC_OK)
            return status;
    }
    if (how->collapse) {
        status = rc_cube_collapse(*out, &part, err);
        if ((status = replace(out, status, part)) != RC_OK)
            return status;
    }
    if (how->hierarchy) {
        status = rc_profile_derive(*out, how->hierarchy, NULL, &part, err);
        status = replace(out, status, part);
    }
    return status;
}

static int load_all(const struct rc_profile_combination *how, struct rc_cube ***out,
                    struct rc_error *err)
{
    struct rc_cube **cube = rc_calloc(how->count, sizeof(struct rc_cube *));
    int status = cube ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for the profiles");

    for (size_t i = 0; i < how->count && status == RC_OK; i++)
        status = load(how, how->operand[i], &cube[i], err);
    *out = cube;
    return status;
}

int rc_profile_combine(const struct rc_profile_combination *how,
                       enum rc_profile_combine operation, const char *dir,
                       struct rc_error *err)
{
    struct rc_cube **cube = NULL, *result = NULL;
    int status;

    if (!dir || !dir[0])
        return rc_fail(err, RC_EUSAGE, "expected -o DIR: the directory for the result");
    if (operation == RC_PROFILE_DIFFERENCE && how->count != 2)
        return rc_fail(err, RC_EUSAGE, "--difference: %zu profiles, expected two",
                       how->count);
    if ((status = load_all(how, &cube, err)) != RC_OK)
        goto out;
    const struct rc_cube *const *of = (const struct rc_cube *const *)cube;
    if ((status = operation == RC_PROFILE_MERGE
                      ? rc_cube_merge(of, how->count, &result, err)
                  : operation == RC_PROFILE_MEAN
                      ? rc_cube_mean(of, how->count, &result, err)
                      : rc_cube_difference(of[0], of[1], &result, err)) != RC_OK ||
        (status = rc_profile_cube_save(result, dir, err)) != RC_OK)
        goto out;
    say_cube(result, dir);
out:
    rc_cube_close(result);
    rc_profile_cube_close_each(cube, how->count);
    return status;
}

/* One share: each so many-th launch. */
static int save_share(struct rc_cube *const *each, size_t count, uint64_t share,
                      uint64_t shares, const char *dir, struct rc_error *err)
{
    const struct rc_cube **of = rc_calloc(count, sizeof(const struct rc_cube *));
    struct rc_cube *cube = NULL;
    char path[PATH_MAX];
    size_t taken = 0;
    int status = of ? rc_path(path, sizeof path, err, "%s/%" PRIu64, dir, share)
                    : rc_fail(err, RC_ENOMEM, "no memory for the shares");

    for (size_t i = (size_t)share; of && i < count; i += (size_t)shares)
        of[taken++] = each[i];
    if (status != RC_OK || (status = rc_cube_merge(of, taken, &cube, err)) != RC_OK ||
        (status = rc_profile_cube_save(cube, path, err)) != RC_OK)
        goto out;
    printf("%s\n", path);
out:
    rc_cube_close(cube);
    free((void *)of);
    return status;
}

int rc_profile_split(const struct rc_profile_combination *how, uint64_t shares,
                     const char *dir, struct rc_error *err)
{
    struct rc_profile *profile = NULL;
    struct rc_cube **each = NULL;
    size_t count = 0;
    int status;

    if (how->count != 1 || !rc_profile_is_in(how->operand[0]))
        return rc_fail(err, RC_EUSAGE,
                       "--split: expected one directory that 'profile -o' made, whose "
                       "launches become shares");
    if ((status = rc_profile_read(how->operand[0], false, &profile, err)) == RC_OK &&
        (status = rc_profile_cube_each(profile, &each, &count, err)) == RC_OK &&
        shares > count)
        status = rc_fail(err, RC_EUSAGE,
                         "--split: %" PRIu64 " shares, expected at most %zu, the "
                         "launches of '%s'",
                         shares, count, how->operand[0]);
    if (status != RC_OK)
        goto out;
    if (mkdir(dir, 0777) != 0) {
        status = rc_fail_errno(err, "cannot make '%s'", dir);
        goto out;
    }
    for (uint64_t i = 0; i < shares; i++)
        if ((status = save_share(each, count, i, shares, dir, err)) != RC_OK)
            goto out;
out:
    rc_profile_cube_close_each(each, count);
    rc_profile_close(profile);
    return status;
}

/* Profiles side by side: the trees are those of their union, and each profile's numbers
 * are found in it by name.
 */
struct side {
    const struct rc_profile_combination *how;
    struct rc_cube **cube;
    const struct rc_cube *all; /* the trees of all */
    size_t **metric, **path;   /* [profile][of all]; SIZE_MAX: it has none */
    struct total {
        double value, most; /* of all places; of one */
        size_t missing;     /* numbers that are missing in it */
    } * *total;             /* [profile][metric of its own][path likewise] */
};

/* All numbers of a metric with the paths inside, from the innermost on; 'inside' has
 * room for a number of each path and place.
 */
static void add_up(const struct rc_cube *c, size_t metric, double *inside,
                   struct total *out)
{
    for (size_t p = 0; p < c->paths; p++)
        out[p] = (struct total){NAN, NAN, 0};
    for (size_t i = 0; i < c->paths * c->places; i++) {
        const struct rc_cube_cell *cell = rc_cube_cell(c, metric, 0, i);
        inside[i] = cell->mean; /* NAN: it is missing */
        out[i / c->places].missing += rc_cube_is_missing(cell);
    }
    for (size_t p = c->paths; p-- > 0;) {
        double *own = &inside[p * c->places];
        const int64_t parent = c->path[p].parent;
        for (size_t l = 0; l < c->places; l++) {
            if (isnan(own[l]))
                continue;
            out[p].value = rc_cube_join(c->metric[metric].rule, out[p].value, own[l]);
            out[p].most = fmax(out[p].most, own[l]);
            if (parent >= 0) {
                double *around = &inside[(size_t)parent * c->places + l];
                *around = rc_cube_join(c->metric[metric].rule, *around, own[l]);
            }
        }
        if (parent >= 0)
            out[parent].missing += out[p].missing;
    }
}

static int add_up_all(struct side *s, struct rc_arena *arena, struct rc_error *err)
{
    int status = RC_OK;

    s->total = rc_arena_array(arena, s->how->count, sizeof(struct total *));
    for (size_t i = 0; !arena->failed && i < s->how->count; i++) {
        const struct rc_cube *c = s->cube[i];
        double *inside = rc_calloc(c->paths * c->places, sizeof *inside);
        s->total[i] = rc_arena_array(arena, c->metrics * c->paths, sizeof **s->total);
        if (!inside)
            status = rc_fail(err, RC_ENOMEM, "no memory for profiles side by side");
        for (size_t m = 0; inside && !arena->failed && m < c->metrics; m++)
            add_up(c, m, inside, s->total[i] + m * c->paths);
        free(inside);
    }
    return status ? status : rc_arena_check(arena, err, "profiles side by side");
}

static size_t find_path(const struct rc_cube *cube, const struct rc_cube *all,
                        const size_t *at, size_t path)
{
    const int64_t parent = all->path[path].parent;

    if (parent < 0)
        return 0;
    if (at[parent] == SIZE_MAX)
        return SIZE_MAX;
    for (size_t p = at[parent] + 1, end = rc_cube_path_end(cube, at[parent]); p < end;
         p++)
        if (cube->path[p].parent == (int64_t)at[parent] &&
            strcmp(cube->path[p].name, all->path[path].name) == 0)
            return p;
    return SIZE_MAX;
}

static int side_find(struct side *s, struct rc_arena *arena, struct rc_error *err)
{
    s->metric = rc_arena_array(arena, s->how->count, sizeof(size_t *));
    s->path = rc_arena_array(arena, s->how->count, sizeof(size_t *));
    for (size_t i = 0; !arena->failed && i < s->how->count; i++) {
        s->metric[i] = rc_arena_array(arena, s->all->metrics, sizeof **s->metric);
        s->path[i] = rc_arena_array(arena, s->all->paths, sizeof **s->path);
        for (size_t m = 0; !arena->failed && m < s->all->metrics; m++)
            s->metric[i][m] = rc_cube_find_metric(s->cube[i], s->all->metric[m].name);
        for (size_t p = 0; !arena->failed && p < s->all->paths; p++)
            s->path[i][p] = find_path(s->cube[i], s->all, s->path[i], p);
    }
    return rc_arena_check(arena, err, "profiles side by side");
}

/* The cells of a row for one profile: all, the most of a place, shares. */
struct cell {
    double value, most, of_root, of;
    size_t missing;
};

/* A number of a profile, the paths inside included; NAN where nothing is known. */
static struct total number_of(const struct side *s, size_t profile, int64_t metric,
                              size_t path)
{
    const struct total unknown = {NAN, NAN, 0}, none = {0, NAN, 0};

    if (metric < 0 || s->metric[profile][metric] == SIZE_MAX)
        return unknown;
    if (s->path[profile][path] == SIZE_MAX)
        return none;
    return s->total[profile][s->metric[profile][metric] * s->cube[profile]->paths +
                             s->path[profile][path]];
}

/* 'of': of a metric as a whole its share of the parent, of a path that of the metric.
 */
static struct cell cell_of(const struct side *s, size_t profile, size_t metric,
                           size_t path)
{
    const int64_t parent = s->all->metric[metric].parent;
    int64_t root = (int64_t)metric;
    struct cell c;

    while (s->all->metric[root].parent >= 0)
        root = s->all->metric[root].parent;
    const struct total total = number_of(s, profile, (int64_t)metric, path);
    c.value = total.value;
    c.most = total.most;
    c.missing = total.missing;
    c.of_root = 100 * c.value / number_of(s, profile, root, 0).value;
    c.of = 100 * c.value /
           number_of(s, profile, path == 0 && parent >= 0 ? parent : (int64_t)metric, 0)
               .value;
    return c;
}

/* A path that has less than this share of its metric in all profiles gets no row,
 * unless all are wanted.
 */
#define SHARE_LEAST 0.05

static bool is_shown(const struct side *s, size_t metric, size_t path)
{
    bool shown = s->how->all && path > 0;

    for (size_t i = 0; i < s->how->count && !shown; i++) {
        const struct cell c = cell_of(s, i, metric, path);
        shown = path == 0 ? c.value != 0 : fabs(c.of) >= SHARE_LEAST;
    }
    return shown;
}

/* "main;solve;MPI_Allreduce" */
static void path_text(const struct rc_cube *cube, size_t path, char *out, size_t room)
{
    const char *name[64];
    size_t depth = 0;

    for (; path > 0 && depth < sizeof name / sizeof *name;
         path = (size_t)cube->path[path].parent)
        name[depth++] = cube->path[path].name;
    out[0] = 0;
    while (depth-- > 0)
        rc_text_append(out, room, "%s%s", *out ? ";" : "", name[depth]);
}

enum { CELL = 48, EACH = 4, COLUMNS_MOST = 2 + EACH * 8 };

/* The value, ns in s, with '~' where numbers are missing in it; the most of a place;
 * shares.
 */
static void put_cells(const struct side *s, size_t metric, const struct cell *c,
                      char text[EACH][CELL])
{
    const bool ns = strcmp(s->all->metric[metric].unit, "ns") == 0;

    text[0][0] = text[1][0] = text[2][0] = text[3][0] = 0;
    if (isnan(c->value))
        return;
    snprintf(text[0], CELL, "%s%.6g%s", c->missing ? "~" : "",
             ns ? c->value / 1e9 : c->value, ns ? " s" : "");
    if (isfinite(c->most))
        snprintf(text[1], CELL, "%.6g%s", ns ? c->most / 1e9 : c->most, ns ? " s" : "");
    if (isfinite(c->of_root))
        snprintf(text[2], CELL, "%.2f", c->of_root);
    if (isfinite(c->of))
        snprintf(text[3], CELL, "%.2f", c->of);
}

/* A node of which counters lack. */
static bool is_incomplete(const struct side *s, size_t metric)
{
    return strncmp(s->all->metric[metric].description, RC_PROFILE_INCOMPLETE,
                   strlen(RC_PROFILE_INCOMPLETE)) == 0;
}

static void put_row(const struct side *s, struct rc_table *table, size_t metric,
                    size_t path)
{
    char text[COLUMNS_MOST][CELL], name[512] = "", where[4096];
    const char *cells[COLUMNS_MOST] = {name, where};

    for (int64_t m = s->all->metric[metric].parent; m >= 0;
         m = s->all->metric[m].parent)
        rc_text_append(name, sizeof name, "  ");
    rc_text_append(name, sizeof name, "%s%s", is_incomplete(s, metric) ? "~" : "",
                   s->all->metric[metric].name);
    path_text(s->all, path, where, sizeof where);
    for (size_t i = 0; i < s->how->count; i++) {
        const struct cell c = cell_of(s, i, metric, path);
        put_cells(s, metric, &c, &text[EACH * i]);
        for (size_t k = 0; k < EACH; k++)
            cells[2 + EACH * i + k] = text[EACH * i + k];
    }
    rc_table_put(table, RC_STYLE_PLAIN, cells);
}

static int write_table(const struct side *s, struct rc_page *page, struct rc_error *err)
{
    struct rc_table_column column[COLUMNS_MOST + 1] = {{.name = "metric"},
                                                       {.name = "path"}};
    char title[COLUMNS_MOST][16];
    int status;

    for (size_t i = 0; i < s->how->count; i++)
        for (size_t k = 0; k < EACH; k++) {
            static const char *const what[] = {"", "_max", "_%root", "_%"};
            snprintf(title[EACH * i + k], sizeof title[0], "%c%s", (char)('A' + i),
                     what[k]);
            column[2 + EACH * i + k] =
                (struct rc_table_column){title[EACH * i + k], .right = true};
        }
    struct rc_table *table = rc_table_create(column);
    for (size_t m = 0; m < s->all->metrics; m++)
        for (size_t p = 0; p < s->all->paths; p++)
            if (is_shown(s, m, p))
                put_row(s, table, m, p);
    status = rc_table_write(table, page, err);
    rc_table_close(table);
    return status;
}

/* Whether metrics that one profile alone has are leaves in all trees. */
static bool are_leaves(const struct side *s, size_t one, size_t other)
{
    for (size_t m = 0; m < s->all->metrics; m++) {
        const bool differs =
            (s->metric[one][m] == SIZE_MAX) != (s->metric[other][m] == SIZE_MAX);
        for (size_t child = m + 1; differs && child < s->all->metrics; child++)
            if (s->all->metric[child].parent == (int64_t)m)
                return false;
    }
    return true;
}

static int write_trees(const struct side *s, size_t i, struct rc_page *page,
                       bool *differ, struct rc_error *err)
{
    struct rc_cube_common c;
    const int status = rc_cube_compare(s->cube[0], s->cube[i], &c, err);

    if (status != RC_OK)
        return status;
    const bool same =
        c.only_paths[0] + c.only_paths[1] + c.only_places[0] + c.only_places[1] == 0;
    *differ |= !same;
    rc_page_line(page, 0, "A and %c: %zu call paths and %zu places in both",
                 'A' + (int)i, c.paths, c.places);
    if (same)
        rc_page_words(page, "and none else;");
    else
        rc_page_words(
            page, "; %zu and %zu call paths, %zu and %zu places in one alone;",
            c.only_paths[0], c.only_paths[1], c.only_places[0], c.only_places[1]);
    rc_page_words(page, "%zu metrics in both, %zu and %zu in one alone%s.", c.metrics,
                  c.only_metrics[0], c.only_metrics[1],
                  c.only_metrics[0] + c.only_metrics[1] == 0 ? ""
                  : are_leaves(s, 0, i)                      ? ", leaves of trees"
                                                             : "");
    rc_page_end(page);
    return RC_OK;
}

static int write_text(const struct side *s, FILE *out, bool *differ,
                      struct rc_error *err)
{
    struct rc_page page;
    char text[1024];
    int status = RC_OK;

    rc_page_init(&page, out);
    for (size_t i = 0; i < s->how->count; i++) {
        rc_page_line(&page, 0, "%c: %s", 'A' + (int)i,
                     rc_text_printable(text, sizeof text, s->how->operand[i]));
        if (s->cube[i]->derived[0])
            rc_page_words(&page, "(%s)",
                          rc_text_printable(text, sizeof text, s->cube[i]->derived));
        if (s->cube[i]->simulated)
            rc_page_words(&page, "(simulated)");
        rc_page_end(&page);
    }
    for (size_t i = 1; i < s->how->count; i++)
        if ((status = write_trees(s, i, &page, differ, err)) != RC_OK)
            goto out;
    status = write_table(s, &page, err);
out:
    rc_page_fini(&page);
    return status;
}

/* A row for each number, with all that text has. */
static int write_json(const struct side *s, FILE *out, bool *differ,
                      struct rc_error *err)
{
    struct rc_json stream, *json = rc_json_begin(&stream, out);
    char path[4096];
    int status = RC_OK;

    rc_json_object(json, NULL);
    rc_json_array(json, "rows");
    for (size_t m = 0; m < s->all->metrics; m++)
        for (size_t p = 0; p < s->all->paths; p++)
            for (size_t i = 0; is_shown(s, m, p) && i < s->how->count; i++) {
                const struct cell c = cell_of(s, i, m, p);
                path_text(s->all, p, path, sizeof path);
                rc_json_object(json, NULL);
                rc_json_text(json, "metric", s->all->metric[m].name);
                rc_json_text(json, "unit", s->all->metric[m].unit);
                rc_json_flag(json, "incomplete", is_incomplete(s, m));
                rc_json_text(json, "path", path);
                rc_json_text(json, "profile", s->how->operand[i]);
                rc_json_real(json, "value", c.value);
                rc_json_real(json, "most_of_a_place", c.most);
                rc_json_real(json, "of_root_percent", c.of_root);
                rc_json_real(json, "of_percent", c.of);
                rc_json_integer(json, "missing", (int64_t)c.missing);
                rc_json_end(json);
            }
    rc_json_end(json);
    for (size_t i = 1; i < s->how->count; i++) {
        struct rc_cube_common c;
        if ((status = rc_cube_compare(s->cube[0], s->cube[i], &c, err)) == RC_OK)
            *differ |= c.only_paths[0] + c.only_paths[1] + c.only_places[0] +
                           c.only_places[1] >
                       0;
        if (status != RC_OK)
            break;
    }
    rc_json_flag(json, "trees_differ", *differ);
    rc_json_close(json);
    return status;
}

int rc_profile_compare(const struct rc_profile_combination *how, FILE *out,
                       bool *differ, struct rc_error *err)
{
    struct side s = {.how = how};
    struct rc_cube *all = NULL;
    struct rc_arena arena = {0};
    int status;

    *differ = false;
    if (how->count > 8)
        return rc_fail(err, RC_EUSAGE, "%zu profiles: expected at most eight",
                       how->count);
    if ((status = load_all(how, &s.cube, err)) == RC_OK &&
        (status = rc_cube_mean((const struct rc_cube *const *)s.cube, how->count, &all,
                               err)) == RC_OK) {
        s.all = all;
        if ((status = side_find(&s, &arena, err)) == RC_OK)
            status = add_up_all(&s, &arena, err);
    }
    if (status == RC_OK)
        status = how->json ? write_json(&s, out, differ, err)
                           : write_text(&s, out, differ, err);
    rc_arena_free(&arena);
    rc_cube_close(all);
    rc_profile_cube_close_each(s.cube, how->count);
    return status;
}
