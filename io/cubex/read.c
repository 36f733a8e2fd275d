/* Reads a .cubex file that anybody wrote: members of the tar, then anchor.xml, then the
 * rows of each metric, which lie in the order of the file's own numbers.
 *
 * Numbers of metrics, paths and places in the file may be any; what the rows name is
 * the place of a path in an order of the call tree: depth-first for EXCLUSIVE metrics.
 * For INCLUSIVE ones children are numbered together, before the children of the first
 * of them; what is inside of a path is taken off there.
 */
#include "io/cubex/anchor.h"
#include "io/cubex/parts.h"

#include "campaign/base/files/file.h"
#include "campaign/base/text.h"
#include "io/text/deflate.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, NAME_BYTES = 101 };
#define FILE_MOST ((size_t)1 << 30)

struct reading {
    const char *data;
    size_t bytes;
    struct rc_anchor a;
    struct rc_cube *cube;
    size_t *deep, *wide; /* [place in the order]: the cnode */
    size_t *column;      /* [column]: the place, in order */
    FILE *left_out;
    bool told; /* which heads of the tar have a wrong checksum */
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the .cubex file");
}

/* Reads a number of octal digits after blanks; SIZE_MAX where there is none. */
static size_t octal(const char *digits, size_t room)
{
    size_t value = 0, i = 0;

    while (i < room && digits[i] == ' ')
        i++;
    if (i == room || digits[i] < '0' || digits[i] > '7')
        return SIZE_MAX;
    for (; i < room && digits[i] >= '0' && digits[i] <= '7'; i++)
        value = value * 8 + (size_t)(digits[i] - '0');
    return i == room || digits[i] == 0 || digits[i] == ' ' ? value : SIZE_MAX;
}

/* The checksum of a head is that with blanks in its own place. */
static bool head_is_whole(const char *head)
{
    size_t sum = (size_t)8 * ' ';

    for (size_t i = 0; i < BLOCK; i++)
        if (i < 148 || i >= 156)
            sum += (unsigned char)head[i];
    return octal(head + 148, 8) == sum;
}

static const char *put_name(char out[NAME_BYTES], const char *head)
{
    snprintf(out, NAME_BYTES, "%.*s", NAME_BYTES - 1, head);
    return rc_text_printable(out, NAME_BYTES, out);
}

/* The member of that name; NULL and RC_OK: there is none.  A tar that is cut off is
 * found out by whoever goes through all of it.
 */
static int find_member(struct reading *r, const char *name, const char **out,
                       size_t *bytes, struct rc_error *err)
{
    char printable[NAME_BYTES];
    size_t at = 0;

    *out = NULL;
    while (at + BLOCK <= r->bytes && r->data[at]) {
        const char *head = r->data + at;
        const size_t length = octal(head + 124, 12);
        const bool whole = head_is_whole(head);
        if (!whole && (strncmp(head + 257, "ustar", 5) != 0 || length == SIZE_MAX))
            return rc_fail(err, RC_EUSAGE,
                           "no header of a tar member at byte %zu, or its checksum is "
                           "wrong",
                           at);
        if (!whole && !r->told)
            fprintf(r->left_out,
                    "nothing, but member '%s' of the tar has a wrong checksum, as "
                    "those of Cube 4.8 may have\n",
                    put_name(printable, head));
        if (length > r->bytes || at + BLOCK > r->bytes - length)
            return rc_fail(err, RC_EUSAGE, "%.100s: cut off, expected %zu bytes", head,
                           length);
        if (strncmp(head, name, NAME_BYTES - 1) == 0) {
            *out = head + BLOCK;
            *bytes = length;
            return RC_OK;
        }
        at += BLOCK + length + (BLOCK - length % BLOCK) % BLOCK;
    }
    r->told = true; /* by whoever went through all of it */
    if (r->bytes < BLOCK || at > r->bytes - BLOCK)
        return rc_fail(err, RC_EUSAGE, "the tar is cut off: it has no end");
    return RC_OK;
}

static int order_regions(const void *a, const void *b)
{
    const struct rc_anchor_region *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Call paths by the names of their regions; the root of the file is the cube's where we
 * wrote it, or where there are several all are below it.
 */
static int take_paths(struct reading *r, bool ours, struct rc_error *err)
{
    struct rc_anchor *a = &r->a;
    int status = RC_OK;

    if (a->regions > 0)
        qsort(a->region, a->regions, sizeof *a->region, order_regions);
    for (size_t i = 0; i < a->cnodes; i++) {
        struct rc_anchor_cnode *c = &a->cnode[i];
        const struct rc_anchor_region key = {.id = c->region};
        const struct rc_anchor_region *region =
            a->regions ? bsearch(&key, a->region, a->regions, sizeof key, order_regions)
                       : NULL;
        if (!region)
            return rc_fail(err, RC_EUSAGE,
                           "cnode %zu calls region %" PRIu64 ", which is not there", i,
                           c->region);
        if (ours && region->mangled && !*region->mangled && c->parent < 0)
            c->number = 0;
        else
            status = rc_cube_add_path(
                r->cube, c->parent >= 0 ? (int64_t)a->cnode[c->parent].number : 0,
                ours && region->mangled ? region->mangled : region->name,
                region->paradigm, &c->number, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

static int order_locations(const void *a, const void *b)
{
    const struct rc_anchor_location *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Columns are in the order of the locations' numbers. */
static int take_places(struct reading *r, bool ours, struct rc_error *err)
{
    struct rc_anchor *a = &r->a;
    int status = RC_OK;

    qsort(a->location, a->locations, sizeof *a->location, order_locations);
    for (size_t i = 0; i < a->locations; i++) {
        struct rc_anchor_location *l = &a->location[i];
        const struct rc_anchor_group *g = &a->group[l->group];
        const uint64_t rank = rc_anchor_number(g->rank),
                       thread = rc_anchor_number(l->thread);
        char name[512];
        struct rc_cube_place place = {.name = l->name, .node = l->node, .rank = -1};
        if (rank < INT32_MAX && (!ours || strncmp(l->name, "rank ", 5) == 0))
            place.rank = (int64_t)rank;
        place.thread = thread < INT32_MAX ? (size_t)thread : 0;
        if (!ours && place.rank >= 0)
            snprintf(name, sizeof name, "rank %" PRId64 " thread %zu", place.rank,
                     place.thread);
        else
            snprintf(name, sizeof name, "%.500s", l->name);
        place.name = name;
        if (i > 0 && l->id == l[-1].id)
            return rc_fail(err, RC_EUSAGE,
                           "two locations have the same number, %" PRIu64, l->id);
        if ((status = rc_cube_add_place(r->cube, &place, &l->number, err)) != RC_OK)
            return status;
        if (r->cube->places != i + 1)
            return rc_fail(err, RC_EUSAGE, "two locations are '%s'", name);
    }
    return RC_OK;
}

/* Whether rows of a metric can be taken; if not, it is said. */
static bool is_taken(const struct reading *r, const struct rc_anchor_metric *m)
{
    static const char *const types[] = {
        "MINDOUBLE", "MAXDOUBLE", "DOUBLE", "FLOAT", "INT64", "UINT64",  "INT32",
        "UINT32",    "INT16",     "UINT16", "INT8",  "UINT8", "INTEGER", NULL};
    const bool stored =
        strcmp(m->type, "EXCLUSIVE") == 0 || strcmp(m->type, "INCLUSIVE") == 0;
    bool known = false;

    for (size_t i = 0; types[i] && !known; i++)
        known = strcmp(m->dtype, types[i]) == 0;
    if (!stored || !known)
        fprintf(r->left_out, "%s: %s numbers of the type %s\n", m->name, m->type,
                m->dtype);
    return stored && known;
}

static enum rc_cube_rule rule_of(const struct rc_anchor_metric *m)
{
    return strcmp(m->dtype, "MINDOUBLE") == 0   ? RC_CUBE_LEAST
           : strcmp(m->dtype, "MAXDOUBLE") == 0 ? RC_CUBE_GREATEST
                                                : RC_CUBE_ADDED;
}

static bool is_part(const struct rc_anchor_metric *m)
{
    return strncmp(m->name, RC_CUBEX_HIDDEN, strlen(RC_CUBEX_HIDDEN)) == 0;
}

/* A parent that is left out leaves its children to its own parent. */
static int take_metrics(struct reading *r, struct rc_error *err)
{
    struct rc_anchor *a = &r->a;
    char text[1024];

    for (size_t i = 0; i < a->metrics; i++) {
        struct rc_anchor_metric *m = &a->metric[i];
        if (!m->name || !m->name[0] || strlen(m->id) > 20)
            return rc_fail(err, RC_EUSAGE, "metric %zu has no name, or no id", i);
        rc_text_printable(text, sizeof text, m->name);
        if (is_part(m) || !is_taken(r, m))
            continue;
        int64_t parent = m->parent;
        while (parent >= 0 && a->metric[parent].number == SIZE_MAX)
            parent = a->metric[parent].parent;
        const size_t before = r->cube->metrics;
        const int status = rc_cube_add_metric(
            r->cube, parent >= 0 ? (int64_t)a->metric[parent].number : RC_CUBE_TOP,
            m->name, m->unit, m->description, &m->number, err);
        if (status != RC_OK)
            return status;
        if (r->cube->metrics == before)
            return rc_fail(err, RC_EUSAGE, "two metrics are called '%s'", text);
        r->cube->metric[m->number].rule = rule_of(m);
    }
    return RC_OK;
}

/* The orders of the call tree: cnodes are in the document's, which is depth-first; for
 * the other one those of a parent follow each other when it is gone through.
 */
static int make_orders(struct reading *r, struct rc_arena *arena, struct rc_error *err)
{
    const struct rc_anchor *a = &r->a;
    size_t *first = rc_arena_array(arena, a->cnodes, sizeof *first),
           *next = rc_arena_array(arena, a->cnodes, sizeof *next),
           *last = rc_arena_array(arena, a->cnodes, sizeof *last);
    size_t count = 0;

    r->deep = rc_arena_array(arena, a->cnodes, sizeof *r->deep);
    r->wide = rc_arena_array(arena, a->cnodes, sizeof *r->wide);
    r->column = rc_arena_array(arena, a->locations, sizeof *r->column);
    const int status = rc_arena_check(arena, err, "the call tree");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < a->cnodes; i++) {
        const int64_t parent = a->cnode[i].parent;
        r->deep[i] = i;
        if (parent < 0)
            continue;
        if (first[parent] == 0)
            first[parent] = i;
        else
            next[last[parent]] = i;
        last[parent] = i;
    }
    for (size_t i = 0; i < a->cnodes; i++) {
        if (a->cnode[i].parent < 0)
            r->wide[count++] = i;
        for (size_t child = first[i]; child > 0; child = next[child])
            r->wide[count++] = child;
    }
    for (size_t i = 0; i < a->locations; i++)
        r->column[i] = r->cube->place_at[a->location[i].number];
    return RC_OK;
}

/* Bytes of the file's order, as a number of ours. */
static uint64_t get_number(const unsigned char *byte, size_t bytes, bool swapped)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | byte[swapped ? i : bytes - 1 - i];
    return value;
}

static bool is_double(const char *dtype)
{
    const char *end = strstr(dtype, "DOUBLE");

    return end && !end[strlen("DOUBLE")];
}

static size_t bytes_of(const char *dtype)
{
    const size_t length = strlen(dtype);

    return is_double(dtype)                                      ? 8
           : strcmp(dtype, "FLOAT") == 0                         ? 4
           : strcmp(dtype, "INTEGER") == 0                       ? 4
           : length > 2 && strcmp(dtype + length - 2, "64") == 0 ? 8
           : length > 2 && strcmp(dtype + length - 2, "32") == 0 ? 4
           : length > 2 && strcmp(dtype + length - 2, "16") == 0 ? 2
                                                                 : 1;
}

static double value_of(const char *dtype, const unsigned char *byte, bool swapped)
{
    const size_t bytes = bytes_of(dtype);
    const uint64_t bits = get_number(byte, bytes, swapped);

    if (is_double(dtype)) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (strcmp(dtype, "FLOAT") == 0) {
        const uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    if (dtype[0] == 'U')
        return (double)bits;
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (double)(int64_t)((bits ^ sign) - sign);
}

/* The rows of a metric, as they are in the file. */
struct rows {
    const unsigned char *row; /* numbers of the rows, 4 bytes each */
    size_t count, row_bytes;
    unsigned char *byte; /* of all rows, to be freed */
    bool swapped;
};

static int read_index(const char *data, size_t bytes, size_t most, struct rows *out,
                      struct rc_error *err)
{
    const unsigned char *byte = (const unsigned char *)data;

    if (bytes < 22 || strncmp(data, "CUBEX.INDEX", 11) != 0)
        return rc_fail(err, RC_EUSAGE, "it is not an index of rows");
    out->swapped = get_number(byte + 11, 4, false) != 1;
    if (get_number(byte + 11, 4, out->swapped) != 1)
        return rc_fail(err, RC_EUSAGE, "the order of its bytes is unknown");
    if (byte[17] != 1)
        return rc_fail(err, RC_EUSAGE, "it is an index of the form %d, expected 1",
                       byte[17]);
    out->count = (size_t)get_number(byte + 18, 4, out->swapped);
    if (out->count > most || (bytes - 22) / 4 < out->count)
        return rc_fail(err, RC_EUSAGE,
                       "%zu rows in %zu bytes, of %zu call paths: it is damaged",
                       out->count, bytes, most);
    out->row = byte + 22;
    return RC_OK;
}

/* Blocks are unpacked one after the other, and must fill the rows. */
static int unpack(const unsigned char *data, size_t bytes, struct rows *out,
                  struct rc_error *err)
{
    const size_t room = out->count * out->row_bytes;
    const size_t blocks =
        bytes < 8 ? SIZE_MAX : (size_t)get_number(data, 8, out->swapped);
    size_t at, filled = 0;

    if (blocks > bytes / 24 || 8 + 24 * blocks > bytes)
        return rc_fail(err, RC_EUSAGE, "its list of blocks is cut off or damaged");
    at = 8 + 24 * blocks;
    for (size_t i = 0; i < blocks; i++) {
        const unsigned char *entry = data + 8 + 24 * i;
        const uint64_t begin = get_number(entry, 8, out->swapped);
        const uint64_t end =
            i + 1 < blocks ? get_number(entry + 24, 8, out->swapped) : (uint64_t)room;
        const uint64_t length = get_number(entry + 16, 8, out->swapped);
        if (begin != filled || end < begin || end > room || length > bytes - at ||
            (length > 0 && rc_zlib_unpack(data + at, (size_t)length, out->byte + filled,
                                          (size_t)(end - begin))))
            return rc_fail(err, RC_EUSAGE, "block %zu is damaged", i);
        at += (size_t)length;
        filled = (size_t)end;
    }
    if (filled != room)
        return rc_fail(err, RC_EUSAGE, "%zu bytes of rows, expected %zu", filled, room);
    return RC_OK;
}

static int read_data(const char *data, size_t bytes, struct rows *out,
                     struct rc_error *err)
{
    const size_t room = out->count * out->row_bytes;

    if (out->row_bytes > 0 && out->count > FILE_MOST / out->row_bytes)
        return rc_fail(err, RC_EUSAGE, "%zu rows: too many", out->count);
    if (!(out->byte = rc_calloc(room, 1)))
        return fail_memory(err);
    if (bytes >= 11 && strncmp(data, "ZCUBEX.DATA", 11) == 0)
        return unpack((const unsigned char *)data + 11, bytes - 11, out, err);
    if (bytes < 10 || strncmp(data, "CUBEX.DATA", 10) != 0)
        return rc_fail(err, RC_EUSAGE, "it has no rows of numbers");
    if (bytes - 10 != room)
        return rc_fail(err, RC_EUSAGE, "%zu bytes of rows, expected %zu", bytes - 10,
                       room);
    memcpy(out->byte, data + 10, room);
    return RC_OK;
}

/* The two members of a metric; none: it has no rows. */
static int read_rows(struct reading *r, const struct rc_anchor_metric *m,
                     struct rows *out, struct rc_error *err)
{
    const char *data;
    char name[64];
    size_t bytes;
    int status;

    *out = (struct rows){.row_bytes = r->a.locations * bytes_of(m->dtype)};
    snprintf(name, sizeof name, "%s.index", m->id);
    if ((status = find_member(r, name, &data, &bytes, err)) || !data)
        return status;
    status = read_index(data, bytes, r->a.cnodes, out, err);
    if (status == RC_OK) {
        snprintf(name, sizeof name, "%s.data", m->id);
        if ((status = find_member(r, name, &data, &bytes, err)) == RC_OK)
            status = data ? read_data(data, bytes, out, err)
                          : rc_fail(err, RC_EUSAGE, "it is not there");
    }
    if (status != RC_OK)
        rc_error_prefix(err, "%s: ", name);
    return status;
}

/* The numbers of a metric by cnode and column; of rows that are not there they are 0,
 * where numbers add up, or missing.
 */
static int take_rows(struct reading *r, const struct rc_anchor_metric *m, double *value,
                     struct rc_error *err)
{
    const size_t places = r->a.locations, bytes = bytes_of(m->dtype);
    const bool inclusive = strcmp(m->type, "INCLUSIVE") == 0;
    const enum rc_cube_rule rule = rule_of(m);
    const size_t *order = inclusive ? r->wide : r->deep;
    struct rows rows;
    int status = read_rows(r, m, &rows, err);

    for (size_t i = 0; i < r->a.cnodes * places; i++)
        value[i] = rule == RC_CUBE_ADDED ? 0 : NAN;
    for (size_t i = 0; i < rows.count && status == RC_OK; i++) {
        const size_t row = (size_t)get_number(rows.row + 4 * i, 4, rows.swapped);
        if (row >= r->a.cnodes) {
            status = rc_fail(err, RC_EUSAGE, "%s.index: row %zu of %zu", m->id, row,
                             r->a.cnodes);
            break;
        }
        for (size_t l = 0; l < places; l++)
            value[order[row] * places + l] =
                value_of(m->dtype, rows.byte + (i * places + l) * bytes, rows.swapped);
    }
    free(rows.byte);
    /* what is inside is taken off a path while it still has what is inside of itself */
    for (size_t c = 0; inclusive && rule == RC_CUBE_ADDED && c < r->a.cnodes; c++)
        for (size_t l = 0; r->a.cnode[c].parent >= 0 && l < places; l++)
            value[(size_t)r->a.cnode[c].parent * places + l] -= value[c * places + l];
    return status;
}

/* "12-14" at the beginning of a text, which is moved past it; false: it is none, or
 * not below 'most'.
 */
static bool take_range(const char **text, size_t most, size_t *first, size_t *last)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    *first = *last = (size_t)strtoull(*text, &end, 10);
    if (*end == '-') {
        if (end[1] < '0' || end[1] > '9')
            return false;
        *last = (size_t)strtoull(end + 1, &end, 10);
    }
    *text = end;
    return *first <= *last && *last < most;
}

/* Rows and numbers that are missing, as write.c names them. */
static int take_missing(struct reading *r, const struct rc_anchor_metric *m,
                        struct rc_error *err)
{
    const struct rc_anchor *a = &r->a;
    char key[64];
    size_t first, last, from, to;

    snprintf(key, sizeof key, RC_CUBEX_MISSING "%s", m->id);
    const char *text = rc_anchor_attribute(a, key);
    while (text && *text) {
        while (*text == ' ' || *text == ',')
            text++;
        if (!take_range(&text, a->cnodes, &first, &last))
            return rc_fail(err, RC_EUSAGE,
                           "attribute '%s': expected numbers of call paths", key);
        bool more = *text == ':';
        do {
            from = 0;
            to = a->locations - 1;
            if (more) {
                text++;
                if (!take_range(&text, a->locations, &from, &to))
                    return rc_fail(err, RC_EUSAGE,
                                   "attribute '%s': expected numbers of places", key);
            }
            for (size_t c = first; c <= last; c++)
                for (size_t l = from; l <= to; l++)
                    *rc_cube_cell(r->cube, r->cube->metric_at[m->number],
                                  r->cube->path_at[a->cnode[c].number], r->column[l]) =
                        (struct rc_cube_cell){0, NAN, NAN, NAN, NAN};
        } while (more && *text == ',');
    }
    return RC_OK;
}

/* A number that is not finite is missing, too, and so are the least and the greatest of
 * nothing, the ends of what a double can be.
 */
static void put_values(struct reading *r, const struct rc_anchor_metric *m,
                       const double *value)
{
    const struct rc_cube *cube = r->cube;

    for (size_t c = 0; c < r->a.cnodes; c++)
        for (size_t l = 0; l < r->a.locations; l++) {
            const double v = value[c * r->a.locations + l];
            if (isfinite(v) && (rule_of(m) == RC_CUBE_ADDED || fabs(v) < DBL_MAX))
                rc_cube_put(r->cube, cube->metric_at[m->number],
                            cube->path_at[r->a.cnode[c].number], r->column[l], v);
        }
}

/* Stores a number beside the means; its name ends with the metric's. */
static int put_part(struct reading *r, const struct rc_anchor_metric *m, double *value,
                    struct rc_error *err)
{
    const struct rc_cube *cube = r->cube;
    const char *rest = m->name + strlen(RC_CUBEX_HIDDEN);

    for (size_t i = 0; i < RC_CUBEX_PARTS; i++) {
        const struct rc_cubex_part *part = &rc_cubex_part[i];
        const size_t length = strlen(part->name);
        if (strncmp(rest, part->name, length) != 0 || rest[length] != ':')
            continue;
        const size_t of = rc_cube_find_metric(cube, rest + length + 1);
        const int status = of == SIZE_MAX ? RC_OK : take_rows(r, m, value, err);
        for (size_t c = 0; of != SIZE_MAX && status == RC_OK && c < r->a.cnodes; c++)
            for (size_t l = 0; l < r->a.locations; l++) {
                struct rc_cube_cell *cell = rc_cube_cell(
                    cube, of, cube->path_at[r->a.cnode[c].number], r->column[l]);
                const double v = value[c * r->a.locations + l];
                const bool bad = !isfinite(v) || (part->offset == 0 && !(v >= 1));
                if (!rc_cube_is_missing(cell) && !bad)
                    memcpy((char *)cell + part->offset, &v, sizeof v);
            }
        return status;
    }
    return RC_OK;
}

static int take_values(struct reading *r, struct rc_error *err)
{
    const struct rc_anchor *a = &r->a;
    double *value;
    int status = RC_OK;

    if (a->cnodes > RC_CUBE_CELLS_MOST / a->locations)
        return rc_fail(err, RC_EUSAGE, "%zu call paths on %zu places: too many",
                       a->cnodes, a->locations);
    value = rc_calloc(a->cnodes * a->locations, sizeof *value);
    if (!value)
        return fail_memory(err);
    for (size_t i = 0; i < a->metrics; i++) {
        const struct rc_anchor_metric *m = &a->metric[i];
        if (m->number == SIZE_MAX)
            continue;
        if ((status = take_rows(r, m, value, err)) == RC_OK) {
            put_values(r, m, value);
            status = take_missing(r, m, err);
        }
        if (status != RC_OK)
            goto out;
    }
    for (size_t i = 0; i < a->metrics; i++)
        if (is_part(&a->metric[i]) && is_taken(r, &a->metric[i]) &&
            (status = put_part(r, &a->metric[i], value, err)) != RC_OK)
            goto out;
out:
    free(value);
    return status;
}

/* The contents of another tool's file are its source, so that copies are recognized. */
static int take_sources(struct reading *r, const char *list, struct rc_error *err)
{
    char word[256];
    int status = RC_OK;

    if (!list || !*list) {
        char digest[RC_DIGEST_TEXT];
        rc_text_put_digest(digest,
                           rc_text_hash_more(rc_text_hash(""), r->data, r->bytes));
        snprintf(word, sizeof word, "cubex/%s", digest);
        return rc_cube_add_source(r->cube, word, err);
    }
    while (*list) {
        const size_t length = strcspn(list, " ");
        snprintf(word, sizeof word, "%.*s", (int)(length < 255 ? length : 255), list);
        if (length > 0)
            status = rc_cube_add_source(r->cube, word, err);
        list += length + (list[length] == ' ');
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

static int take_words(struct reading *r, struct rc_error *err)
{
    const char *title = rc_anchor_attribute(&r->a, RC_CUBEX_TITLE),
               *derived = rc_anchor_attribute(&r->a, RC_CUBEX_DERIVED);

    r->cube->title = rc_pool_copy(r->cube->texts, title);
    r->cube->derived = rc_pool_copy(r->cube->texts, derived);
    r->cube->simulated = rc_anchor_attribute(&r->a, RC_CUBEX_SIMULATED) != NULL;
    if (!r->cube->title || !r->cube->derived)
        return fail_memory(err);
    return take_sources(r, rc_anchor_attribute(&r->a, RC_CUBEX_SOURCES), err);
}

int rc_cubex_read(const void *data, size_t bytes, struct rc_cube **out, FILE *left_out,
                  struct rc_error *err)
{
    struct reading *r = rc_calloc(1, sizeof *r);
    struct rc_arena arena = {0};
    const char *document = NULL;
    size_t length = 0;
    int status = r ? RC_OK : fail_memory(err);

    *out = NULL;
    if (status != RC_OK)
        return status;
    r->data = data;
    r->bytes = bytes;
    r->left_out = left_out;
    if (!(r->cube = rc_cube_create(err))) {
        status = RC_ENOMEM;
        goto out;
    }
    /* all of the tar is gone through once: whether it is whole */
    if ((status = find_member(r, "/", &document, &length, err)) != RC_OK ||
        (status = find_member(r, "anchor.xml", &document, &length, err)) != RC_OK)
        goto out;
    if (!document) {
        status =
            rc_fail(err, RC_EUSAGE, "it has no anchor.xml, so it is not a .cubex file");
        goto out;
    }
    if ((status = rc_anchor_read(&r->a, document, length, err)) == RC_OK) {
        const bool ours = rc_anchor_attribute(&r->a, RC_CUBEX_TITLE) != NULL;
        if ((status = take_paths(r, ours, err)) == RC_OK &&
            (status = take_places(r, ours, err)) == RC_OK &&
            (status = take_metrics(r, err)) == RC_OK &&
            (status = take_words(r, err)) == RC_OK &&
            (status = rc_cube_seal(r->cube, err)) == RC_OK)
            status = make_orders(r, &arena, err);
    }
    if (status != RC_OK) {
        rc_error_prefix(err, "anchor.xml: ");
        goto out;
    }
    status = take_values(r, err);
out:
    rc_arena_free(&arena);
    rc_anchor_fini(&r->a);
    if (status == RC_OK)
        *out = r->cube;
    else
        rc_cube_close(r->cube);
    free(r);
    return status;
}

bool rc_cubex_is_name(const char *path)
{
    const size_t length = strlen(path);

    return length > 6 && strcmp(path + length - 6, ".cubex") == 0;
}

int rc_cubex_read_file(const char *path, struct rc_cube **out, FILE *left_out,
                       struct rc_error *err)
{
    char *data = NULL;
    size_t bytes = 0;
    int status = rc_file_read(path, RC_FILE_GIVEN, FILE_MOST, &data, &bytes, err);

    *out = NULL;
    if (status != RC_OK)
        return status;
    if ((status = rc_cubex_read(data, bytes, out, left_out, err)) != RC_OK)
        rc_error_prefix(err, "'%s': ", path);
    free(data);
    return status;
}
