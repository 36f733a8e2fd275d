/* Writes a cube as a .cubex file: first anchor.xml, then the rows of each metric. */
#include "io/cubex/parts.h"

#include "campaign/base/arena.h"
#include "campaign/base/version.h"
#include "io/text/deflate.h"
#include "io/text/html.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PART(member)                                                                   \
    {                                                                                  \
#member, offsetof(struct rc_cube_cell, member)                                 \
    }
const struct rc_cubex_part rc_cubex_part[RC_CUBEX_PARTS] = {PART(n), PART(min),
                                                            PART(max), PART(m2)};

/* A member of the tar is made in memory, since its head says how long it is. */
struct member {
    FILE *stream;
    char *byte;
    size_t bytes;
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the .cubex file");
}

static int member_begin(struct member *m, struct rc_error *err)
{
    *m = (struct member){.byte = NULL};
    m->stream = open_memstream(&m->byte, &m->bytes);
    return m->stream ? RC_OK : fail_memory(err);
}

/* Closes the member and puts it into the tar, filled up to 512 bytes. */
static int member_end(struct member *m, FILE *out, const char *name, int status,
                      struct rc_error *err)
{
    static const char zero[512];

    if (m->stream && fclose(m->stream) != 0 && status == RC_OK)
        status = fail_memory(err);
    if (status != RC_OK)
        goto out;
    if (m->bytes >= (size_t)1 << 33) {
        status = rc_fail(err, RC_EUSAGE, "%s: too long for a .cubex file", name);
        goto out;
    }
    /* The head of a member by POSIX.1-1988 (USTAR): numbers are octal, and the checksum
     * is that of the head with blanks in its place.
     */
    char head[512] = {0};
    unsigned sum = 0;
    snprintf(head, 100, "%s", name);
    memcpy(head + 100, "0000644", 8); /* mode */
    memcpy(head + 108, "0000000", 8); /* owner */
    memcpy(head + 116, "0000000", 8); /* group */
    snprintf(head + 124, 12, "%011zo", m->bytes);
    memcpy(head + 136, "00000000000", 12); /* time: none, so that files are equal */
    memset(head + 148, ' ', 8);
    head[156] = '0'; /* a regular file */
    memcpy(head + 257, "ustar", 6);
    head[263] = head[264] = '0';
    for (size_t i = 0; i < sizeof head; i++)
        sum += (unsigned char)head[i];
    snprintf(head + 148, 8, "%06o", sum);
    fwrite(head, 1, sizeof head, out);
    fwrite(m->byte, 1, m->bytes, out);
    fwrite(zero, 1, (512 - m->bytes % 512) % 512, out);
out:
    free(m->byte);
    return status;
}

static void put_element(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<%s>", name);
    rc_html_put(out, text);
    fprintf(out, "</%s>", name);
}

static void put_attribute(FILE *out, const char *key, const char *value)
{
    fprintf(out, "<attr key=\"%s\" value=\"", key);
    rc_html_put(out, value);
    fputs("\"/>\n", out);
}

/* Rows, and what is written of them. */
enum row { ROW_MISSING, ROW_ZERO, ROW_WRITTEN };

static enum row row_of(const struct rc_cube *cube, size_t metric, size_t path)
{
    size_t missing = 0, zero = 0;

    for (size_t l = 0; l < cube->places; l++) {
        const struct rc_cube_cell *cell = rc_cube_cell(cube, metric, path, l);
        missing += rc_cube_is_missing(cell);
        zero += cell->n == 1 && cell->mean == 0;
    }
    return missing == cube->places ? ROW_MISSING
           : zero == cube->places && cube->metric[metric].rule == RC_CUBE_ADDED
               ? ROW_ZERO
               : ROW_WRITTEN;
}

/* Numbers of a list as "3 5-9": from first to last, without a gap. */
static void put_range(FILE *out, const char **between, size_t first, size_t last)
{
    fprintf(out, "%s%zu", *between, first);
    if (last > first)
        fprintf(out, "-%zu", last);
    *between = ",";
}

/* The places of a row that are missing: " 12:0-3,7". */
static void put_missing_places(FILE *out, const struct rc_cube *cube, size_t metric,
                               size_t path)
{
    const char *between = ":";
    bool any = false;

    for (size_t l = 0; l < cube->places; l++) {
        size_t last = l;
        if (!rc_cube_is_missing(rc_cube_cell(cube, metric, path, l)))
            continue;
        while (last + 1 < cube->places &&
               rc_cube_is_missing(rc_cube_cell(cube, metric, path, last + 1)))
            last++;
        if (!any)
            fprintf(out, " %zu", path);
        any = true;
        put_range(out, &between, l, last);
        l = last;
    }
}

/* Where numbers of a metric are missing: rows, and places of rows. */
static void put_missing(FILE *out, const struct rc_cube *cube, size_t metric)
{
    bool any = false;

    for (size_t i = 0; i < cube->paths * cube->places && !any; i++)
        any = rc_cube_is_missing(rc_cube_cell(cube, metric, 0, i));
    if (!any)
        return;
    fprintf(out, "<attr key=\"" RC_CUBEX_MISSING "%zu\" value=\"", metric);
    for (size_t p = 0; p < cube->paths; p++) {
        const char *between = " ";
        size_t last = p;
        if (row_of(cube, metric, p) != ROW_MISSING) {
            put_missing_places(out, cube, metric, p);
            continue;
        }
        while (last + 1 < cube->paths && row_of(cube, metric, last + 1) == ROW_MISSING)
            last++;
        put_range(out, &between, p, last);
        p = last;
    }
    fputs("\"/>\n", out);
}

/* Whether a metric has a number that is of more than one run, or of none as such. */
static bool has_parts(const struct rc_cube *cube, size_t metric)
{
    for (size_t i = 0; i < cube->paths * cube->places; i++) {
        const struct rc_cube_cell *cell = rc_cube_cell(cube, metric, 0, i);
        if (!rc_cube_is_missing(cell) && (cell->n != 1 || cell->min != cell->mean ||
                                          cell->max != cell->mean || cell->m2 != 0))
            return true;
    }
    return false;
}

static void put_metric(FILE *out, size_t id, const char *hidden, const char *name,
                       const char *unit, const char *description,
                       enum rc_cube_rule rule)
{
    fprintf(out, "<metric id=\"%zu\" type=\"EXCLUSIVE\"%s><disp_name>", id,
            hidden ? " viztype=\"GHOST\"" : "");
    if (hidden)
        fprintf(out, RC_CUBEX_HIDDEN "%s:", hidden);
    rc_html_put(out, name);
    fputs("</disp_name><uniq_name>", out);
    if (hidden)
        fprintf(out, RC_CUBEX_HIDDEN "%s:", hidden);
    rc_html_put(out, name);
    fprintf(out, "</uniq_name><dtype>%sDOUBLE</dtype>",
            rule == RC_CUBE_ADDED   ? ""
            : rule == RC_CUBE_LEAST ? "MIN"
                                    : "MAX");
    put_element(out, "uom", unit);
    put_element(out, "url", "");
    put_element(out, "descr", description);
    fputs("\n", out);
}

/* Metrics that are not shown follow the tree of metrics, in its order. */
static void put_metrics(FILE *out, const struct rc_cube *cube)
{
    size_t id = cube->metrics;
    int64_t open = RC_CUBE_TOP;

    fputs("<metrics>\n", out);
    for (size_t m = 0; m < cube->metrics; m++) {
        const struct rc_cube_metric *metric = &cube->metric[m];
        for (; open != metric->parent; open = cube->metric[open].parent)
            fputs("</metric>\n", out);
        put_metric(out, m, NULL, metric->name, metric->unit, metric->description,
                   metric->rule);
        open = (int64_t)m;
    }
    for (; open >= 0; open = cube->metric[open].parent)
        fputs("</metric>\n", out);
    for (size_t m = 0; m < cube->metrics; m++)
        for (size_t i = 0; has_parts(cube, m) && i < RC_CUBEX_PARTS; i++) {
            put_metric(out, id++, rc_cubex_part[i].name, cube->metric[m].name,
                       i ? cube->metric[m].unit : "runs", "", RC_CUBE_ADDED);
            fputs("</metric>\n", out);
        }
    fputs("</metrics>\n", out);
}

/* Each path has a region of its own number, so that none is looked for. */
static void put_program(FILE *out, const struct rc_cube *cube)
{
    int64_t open = RC_CUBE_TOP;

    fputs("<program>\n", out);
    for (size_t p = 0; p < cube->paths; p++) {
        const struct rc_cube_path *path = &cube->path[p];
        fprintf(out, "<region id=\"%zu\" mod=\"\" begin=\"-1\" end=\"-1\">", p);
        put_element(out, "name", path->name[0] ? path->name : "(program)");
        put_element(out, "mangled_name", path->name);
        put_element(out, "paradigm", path->paradigm);
        put_element(out, "role", "function");
        fputs("<url></url><descr></descr></region>\n", out);
    }
    for (size_t p = 0; p < cube->paths; p++) {
        for (; open != cube->path[p].parent; open = cube->path[open].parent)
            fputs("</cnode>\n", out);
        fprintf(out, "<cnode id=\"%zu\" calleeId=\"%zu\">", p, p);
        open = (int64_t)p;
    }
    for (; open >= 0; open = cube->path[open].parent)
        fputs("</cnode>\n", out);
    fputs("</program>\n", out);
}

/* Nodes of the machine, ranks of nodes, threads of ranks. */
static void put_system(FILE *out, const struct rc_cube *cube)
{
    size_t nodes = 0, ranks = 0;

    fputs("<system>\n<systemtreenode Id=\"0\"><name>machine</name>"
          "<class>machine</class>\n",
          out);
    for (size_t l = 0; l < cube->places; l++) {
        const struct rc_cube_place *place = &cube->place[l],
                                   *before = l > 0 ? place - 1 : NULL;
        const bool new_node = !before || strcmp(before->node, place->node) != 0;
        const bool new_rank =
            new_node || place->rank < 0 || before->rank != place->rank;
        if (new_rank && before)
            fputs("</locationgroup>\n", out);
        if (new_node && before)
            fputs("</systemtreenode>\n", out);
        if (new_node) {
            fprintf(out, "<systemtreenode Id=\"%zu\">", ++nodes);
            put_element(out, "name", place->node);
            fputs("<class>node</class>\n", out);
        }
        if (new_rank) {
            fprintf(out, "<locationgroup Id=\"%zu\"><name>", ranks++);
            if (place->rank >= 0)
                fprintf(out, "rank %" PRId64, place->rank);
            else
                fputs("process", out);
            fprintf(out, "</name><rank>%" PRId64 "</rank><type>process</type>\n",
                    place->rank >= 0 ? place->rank : 0);
        }
        fprintf(out, "<location Id=\"%zu\">", l);
        put_element(out, "name", place->name);
        fprintf(out, "<rank>%zu</rank><type>thread</type></location>\n", place->thread);
    }
    fputs(cube->places ? "</locationgroup>\n</systemtreenode>\n" : "", out);
    fputs("</systemtreenode>\n</system>\n", out);
}

static int write_anchor(const struct rc_cube *cube, FILE *out, struct rc_error *err)
{
    struct member m;
    int status = member_begin(&m, err);

    if (status != RC_OK)
        return status;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n",
          m.stream);
    put_attribute(m.stream, "Creator", "rollcall " RC_VERSION);
    put_attribute(m.stream, RC_CUBEX_TITLE, cube->title);
    put_attribute(m.stream, RC_CUBEX_DERIVED, cube->derived);
    if (cube->simulated)
        put_attribute(m.stream, RC_CUBEX_SIMULATED, "yes");
    fputs("<attr key=\"" RC_CUBEX_SOURCES "\" value=\"", m.stream);
    for (size_t i = 0; i < cube->sources; i++) {
        fputs(i ? " " : "", m.stream);
        rc_html_put(m.stream, cube->source[i]);
    }
    fputs("\"/>\n", m.stream);
    for (size_t i = 0; i < cube->metrics; i++)
        put_missing(m.stream, cube, i);
    put_metrics(m.stream, cube);
    put_program(m.stream, cube);
    put_system(m.stream, cube);
    fputs("</cube>\n", m.stream);
    return member_end(&m, out, "anchor.xml", RC_OK, err);
}

/* Which rows there are: a list of their numbers. */
static int write_index(FILE *out, size_t id, const uint32_t *row, uint32_t rows,
                       struct rc_error *err)
{
    const uint32_t order = 1; /* of bytes, as readers find out by it */
    char name[32];
    struct member m;
    int status = member_begin(&m, err);

    if (status != RC_OK)
        return status;
    fputs("CUBEX.INDEX", m.stream);
    fwrite(&order, sizeof order, 1, m.stream);
    fwrite("\0\0\1", 1, 3, m.stream); /* version 0; sparse */
    fwrite(&rows, sizeof rows, 1, m.stream);
    fwrite(row, sizeof *row, rows, m.stream);
    snprintf(name, sizeof name, "%zu.index", id);
    return member_end(&m, out, name, RC_OK, err);
}

/* The rows of a metric, or of one of the parts of its cells, each packed by itself,
 * after a list of where they are.
 */
static int write_rows(const struct rc_cube *cube, size_t metric, size_t offset,
                      FILE *out, size_t id, const uint32_t *row, uint32_t rows,
                      struct rc_error *err)
{
    const int64_t count = rows, row_bytes = (int64_t)(cube->places * sizeof(double));
    const enum rc_cube_rule rule = cube->metric[metric].rule;
    struct rc_arena arena = {0};
    double *value = rc_arena_array(&arena, cube->places, sizeof *value);
    int64_t *block = rc_arena_array(&arena, 3 * ((size_t)rows + 1), sizeof *block);
    struct member packed = {.byte = NULL}, all = {.byte = NULL};
    char name[32];
    int status = arena.failed ? fail_memory(err) : member_begin(&packed, err);

    if (status == RC_OK)
        status = member_begin(&all, err);
    for (uint32_t r = 0; r < rows && status == RC_OK; r++) {
        for (size_t l = 0; l < cube->places; l++) {
            const struct rc_cube_cell *cell = rc_cube_cell(cube, metric, row[r], l);
            value[l] =
                offset != offsetof(struct rc_cube_cell, mean) || rule == RC_CUBE_ADDED
                    ? 0
                : rule == RC_CUBE_LEAST ? DBL_MAX
                                        : -DBL_MAX;
            if (!rc_cube_is_missing(cell))
                memcpy(&value[l], (const char *)cell + offset, sizeof *value);
        }
        const int64_t from = (int64_t)ftello(packed.stream);
        status = rc_zlib(packed.stream, value, (size_t)row_bytes, err);
        int64_t *entry = block + 3 * (size_t)r;
        entry[0] = r * row_bytes;
        entry[1] = from;
        entry[2] = (int64_t)ftello(packed.stream) - from;
    }
    if (packed.stream && fclose(packed.stream) != 0 && status == RC_OK)
        status = fail_memory(err);
    if (status == RC_OK) {
        fputs("ZCUBEX.DATA", all.stream);
        fwrite(&count, sizeof count, 1, all.stream);
        fwrite(block, sizeof *block, 3 * (size_t)rows, all.stream);
        fwrite(packed.byte, 1, packed.bytes, all.stream);
    }
    snprintf(name, sizeof name, "%zu.data", id);
    status = member_end(&all, out, name, status, err);
    free(packed.byte);
    rc_arena_free(&arena);
    return status;
}

/* Members of a metric and of those that are not shown beside it have the same rows. */
static int write_metric(const struct rc_cube *cube, size_t metric, size_t *hidden,
                        uint32_t *row, FILE *out, struct rc_error *err)
{
    const bool parts = has_parts(cube, metric);
    uint32_t rows = 0;
    int status;

    for (size_t p = 0; p < cube->paths; p++)
        if (row_of(cube, metric, p) == ROW_WRITTEN)
            row[rows++] = (uint32_t)p;
    if ((status = write_index(out, metric, row, rows, err)) ||
        (status = write_rows(cube, metric, offsetof(struct rc_cube_cell, mean), out,
                             metric, row, rows, err)))
        return status;
    for (size_t i = 0; parts && i < RC_CUBEX_PARTS; i++, ++*hidden)
        if ((status = write_index(out, *hidden, row, rows, err)) ||
            (status = write_rows(cube, metric, rc_cubex_part[i].offset, out, *hidden,
                                 row, rows, err)))
            return status;
    return RC_OK;
}

/* A tar ends with two empty heads. */
int rc_cubex_write(const struct rc_cube *cube, FILE *out, struct rc_error *err)
{
    static const char end[1024];
    uint32_t *row = rc_calloc(cube->paths, sizeof *row);
    size_t hidden = cube->metrics;
    int status = row ? write_anchor(cube, out, err) : fail_memory(err);

    for (size_t m = 0; m < cube->metrics && status == RC_OK; m++)
        status = write_metric(cube, m, &hidden, row, out, err);
    fwrite(end, 1, sizeof end, out);
    free(row);
    return status;
}
