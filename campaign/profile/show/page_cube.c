/* The cube of a profile for its page: trees of metrics, call paths and places.
 *
 * A row is of a metric and a path: the sum over all places as it is, and for each place
 * its share of the largest in 16 bits.  Rows of nothing but zeros are left out.  Call
 * paths that lie deepest are put into those around them until all rows have room.
 */
#include "campaign/profile/show/page_cube.h"

#include "campaign/base/text.h"
#include "campaign/profile/tables/cube.h"
#include "campaign/profile/tables/derive.h"
#include "io/text/html.h"
#include "io/text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARES_MOST = 6500000, /* of all rows */
    WHOLE = 65534,         /* the share of the largest; of -1 to 1 the half is 0 */
    MISSING = 65535,
    DIGITS = 9
};

struct drawn {
    const struct rc_cube *cube;
    struct rc_cube *folded; /* NULL: all paths are drawn */
    size_t *depth;          /* [path] */
    size_t deepest;         /* paths that are drawn */
    uint8_t *share;         /* of all rows, two bytes each */
    size_t bytes, room;
    struct rc_json *json;
    struct rc_arena arena;
};

static bool is_zero(const struct rc_cube *c, size_t metric, size_t path)
{
    for (size_t l = 0; l < c->places; l++) {
        const struct rc_cube_cell *cell = rc_cube_cell(c, metric, path, l);
        if (rc_cube_is_missing(cell) || cell->mean != 0)
            return false;
    }
    return true;
}

/* How deep paths may lie for their rows to have room: SIZE_MAX: as deep as they do. */
static int find_deepest(struct drawn *d, struct rc_error *err)
{
    const struct rc_cube *c = d->cube;
    size_t *rows = rc_arena_array(&d->arena, c->paths, sizeof *rows), all = 0;

    d->depth = rc_arena_array(&d->arena, c->paths, sizeof *d->depth);
    if (rc_arena_check(&d->arena, err, "the trees of the page"))
        return RC_ENOMEM;
    for (size_t p = 0; p < c->paths; p++) {
        d->depth[p] = p > 0 ? d->depth[c->path[p].parent] + 1 : 0;
        for (size_t m = 0; m < c->metrics; m++)
            rows[d->depth[p]] += !is_zero(c, m, p);
    }
    d->deepest = SIZE_MAX;
    for (size_t depth = 0; depth < c->paths; depth++) {
        all += rows[depth] * c->places;
        if (all > SHARES_MOST) {
            d->deepest = depth > 0 ? depth - 1 : 0;
            break;
        }
    }
    return RC_OK;
}

/* Paths that are too deep become a part of those around them. */
static int fold_paths(struct drawn *d, struct rc_error *err)
{
    const struct rc_cube *c = d->cube;
    size_t *to = rc_arena_array(&d->arena, c->paths, sizeof *to), unused;
    int status = RC_OK;

    d->folded = rc_cube_create(err);
    if (!to || !d->folded)
        return rc_fail(err, RC_ENOMEM, "no memory for the trees of the page");
    for (size_t m = 0; m < c->metrics; m++)
        if ((status = rc_cube_copy_metric(d->folded, c->metric[m].parent, &c->metric[m],
                                          &unused, err)) != RC_OK)
            return status;
    for (size_t p = 1; p < c->paths; p++) {
        to[p] = to[c->path[p].parent];
        if (d->depth[p] <= d->deepest &&
            (status = rc_cube_add_path(d->folded, (int64_t)to[c->path[p].parent],
                                       c->path[p].name, c->path[p].paradigm, &to[p],
                                       err)) != RC_OK)
            return status;
    }
    for (size_t l = 0; l < c->places; l++)
        if ((status = rc_cube_add_place(d->folded, &c->place[l], &unused, err)) !=
            RC_OK)
            return status;
    if ((status = rc_cube_seal(d->folded, err)) != RC_OK)
        return status;
    for (size_t m = 0; m < c->metrics; m++)
        for (size_t p = 0; p < c->paths; p++)
            for (size_t l = 0; l < c->places; l++) {
                const struct rc_cube_cell *cell = rc_cube_cell(c, m, p, l);
                if (!rc_cube_is_missing(cell))
                    rc_cube_put(d->folded, d->folded->metric_at[m],
                                d->folded->path_at[to[p]], d->folded->place_at[l],
                                cell->mean);
            }
    d->cube = d->folded;
    return RC_OK;
}

static int put_share(struct drawn *d, double value, double largest, bool negative)
{
    unsigned share = MISSING;

    if (rc_grow(&d->share, 1, d->bytes + 2, &d->room))
        return RC_ENOMEM;
    if (!isnan(value)) {
        const double part = largest > 0 ? value / largest : 0;
        share = (unsigned)lround(WHOLE * (negative ? (part + 1) / 2 : part));
    }
    d->share[d->bytes++] = (uint8_t)(share & 255);
    d->share[d->bytes++] = (uint8_t)(share >> 8);
    return RC_OK;
}

/* Metric, path, sum, largest (less than 0: shares are of -1 to 1 of it). */
static int put_row(struct drawn *d, size_t metric, size_t path)
{
    const struct rc_cube *c = d->cube;
    double sum = NAN, largest = 0;
    bool negative = false;

    for (size_t l = 0; l < c->places; l++) {
        const struct rc_cube_cell *cell = rc_cube_cell(c, metric, path, l);
        if (rc_cube_is_missing(cell))
            continue;
        sum = rc_cube_join(c->metric[metric].rule, sum, cell->mean);
        largest = fmax(largest, fabs(cell->mean));
        negative |= cell->mean < 0;
    }
    rc_json_integer(d->json, NULL, (int64_t)metric);
    rc_json_integer(d->json, NULL, (int64_t)path);
    rc_json_short(d->json, NULL, sum, DIGITS);
    rc_json_short(d->json, NULL, negative ? -largest : largest, DIGITS);
    for (size_t l = 0; l < c->places; l++) {
        const struct rc_cube_cell *cell = rc_cube_cell(c, metric, path, l);
        if (put_share(d, rc_cube_is_missing(cell) ? NAN : cell->mean, largest,
                      negative))
            return RC_ENOMEM;
    }
    return RC_OK;
}

static void put_trees(const struct drawn *d)
{
    const struct rc_cube *c = d->cube;

    rc_json_array(d->json, "metrics");
    for (size_t m = 0; m < c->metrics; m++) {
        rc_json_array(d->json, NULL);
        rc_json_text(d->json, NULL, c->metric[m].name);
        rc_json_integer(d->json, NULL, c->metric[m].parent);
        rc_json_text(d->json, NULL, c->metric[m].unit);
        rc_json_text(d->json, NULL, c->metric[m].description);
        rc_json_integer(d->json, NULL, c->metric[m].rule);
        rc_json_end(d->json);
    }
    rc_json_end(d->json);
    rc_json_array(d->json, "paths");
    for (size_t p = 0; p < c->paths; p++) {
        rc_json_array(d->json, NULL);
        rc_json_text(d->json, NULL, c->path[p].name);
        rc_json_integer(d->json, NULL, c->path[p].parent);
        rc_json_end(d->json);
    }
    rc_json_end(d->json);
    rc_json_array(d->json, "places");
    for (size_t l = 0; l < c->places; l++) {
        rc_json_array(d->json, NULL);
        rc_json_text(d->json, NULL, c->place[l].name);
        rc_json_text(d->json, NULL, c->place[l].node);
        rc_json_end(d->json);
    }
    rc_json_end(d->json);
}

static int write_cube(FILE *out, void *context, struct rc_error *err)
{
    struct drawn *d = context;
    const struct rc_cube *c = d->cube;
    struct rc_json json;
    int status = RC_OK;

    d->json = rc_json_begin(&json, out);
    json.compact = true;
    rc_json_object(d->json, NULL);
    rc_json_text(d->json, "title", c->title ? c->title : "");
    rc_json_text(d->json, "derived", c->derived ? c->derived : "");
    rc_json_integer(d->json, "sources", (int64_t)c->sources);
    rc_json_integer(d->json, "deepest", d->folded ? (int64_t)d->deepest : -1);
    put_trees(d);
    rc_json_array(d->json, "rows");
    for (size_t m = 0; m < c->metrics; m++) {
        for (size_t p = 0; p < c->paths; p++)
            if (!is_zero(c, m, p) && (status = put_row(d, m, p)) != RC_OK)
                break;
        if (status != RC_OK)
            break;
    }
    rc_json_close(d->json);
    return status ? rc_fail(err, status, "no memory for the trees of the page") : RC_OK;
}

int rc_profile_page_cube(const struct rc_cube *cube, FILE *out, struct rc_error *err)
{
    struct drawn d = {.cube = cube};
    const struct rc_file_writer writer = {write_cube, &d};
    int status = find_deepest(&d, err);

    if (status != RC_OK ||
        (d.deepest != SIZE_MAX && (status = fold_paths(&d, err)) != RC_OK) ||
        (status = rc_html_data_of(out, "cube-data", &writer, err)) != RC_OK)
        goto out;
    status = rc_html_data(out, "shares-data", d.share, d.bytes, err);
out:
    free(d.share);
    rc_cube_close(d.folded);
    rc_arena_free(&d.arena);
    return status;
}

int rc_profile_page_of_cube(const char *path, const char *trees, const char *campaign,
                            FILE *out, struct rc_error *err)
{
    char title[256];
    struct rc_html_page html = {.title = title, .scripts = {rc_html_cube_js}};
    struct rc_cube *cube = NULL, *derived = NULL;
    int status = rc_profile_cube_load(path, NULL, stderr, &cube, err);

    if (status != RC_OK ||
        (trees &&
         (status = rc_profile_derive(cube, trees, campaign, &derived, err)) != RC_OK))
        goto out;
    snprintf(title, sizeof title, "%.200s - profile, rollcall",
             cube->title && cube->title[0] ? cube->title : path);
    html.simulated = cube->simulated;
    rc_html_begin(out, &html);
    fputs("<h1><small>Profile of</small> ", out);
    rc_html_put(out, cube->title && cube->title[0] ? cube->title : path);
    fputs("</h1>\n<p>", out);
    rc_html_put(out, cube->derived);
    fputs("</p>\n<h2 id=\"trees\">Metrics, calls and places</h2>\n"
          "<div id=\"trees-all\"><p class=\"note\">The trees are drawn by a script: "
          "'rollcall profile DIR' has them as text.</p></div>\n"
          "<nav class=\"top\" aria-label=\"page\">"
          "<button type=\"button\" class=\"theme push\">light / "
          "dark</button></nav>\n",
          out);
    status = rc_profile_page_cube(derived ? derived : cube, out, err);
    rc_html_end(out, &html);
out:
    rc_cube_close(cube);
    rc_cube_close(derived);
    return status;
}
