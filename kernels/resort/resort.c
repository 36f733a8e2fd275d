/* The re-sorts as nests of loops: which index is where in memory, and in which order.
 *
 * Every re-sort is a list of nests of five loops around one load and one store; one
 * routine of assembly for each body executes all of them.  Tiles that do not divide an
 * axis leave a rest, which has a nest of its own.
 */
#include "kernels/resort/resort.h"

#include <string.h>

#define TILE 16 /* rows and columns: of 16 bytes, 4 lines of 64 bytes */

/* An axis of the array, as a loop visits it. */
struct axis {
    uint64_t count;
    int64_t in, out; /* bytes from one index to the next */
};

const char *rc_resort_name(enum rc_resort which)
{
    static const char *const names[RC_RESORT_COUNT] = {
        [RC_RESORT_S1CF_NEST1] = "s1cf-nest1",
        [RC_RESORT_S1CF_NEST2] = "s1cf-nest2",
        [RC_RESORT_COMBINED] = "s1cf-combined",
        [RC_RESORT_TILED] = "s1cf-tiled",
        [RC_RESORT_TILED_NT] = "s1cf-tiled-nt",
        [RC_RESORT_S2CF] = "s2cf",
        [RC_RESORT_S1PF] = "s1pf",
        [RC_RESORT_S2PF] = "s2pf",
        [RC_RESORT_S2CF_NT] = "s2cf-nt",
        [RC_RESORT_S2PF_NT] = "s2pf-nt",
    };

    return names[which];
}

static bool is_second(enum rc_resort which)
{
    return which == RC_RESORT_S2CF || which == RC_RESORT_S2PF ||
           which == RC_RESORT_S2CF_NT || which == RC_RESORT_S2PF_NT;
}

enum rc_resort_body rc_resort_body(enum rc_resort which, size_t element)
{
    const bool streams = which == RC_RESORT_TILED_NT || which == RC_RESORT_S2CF_NT ||
                         which == RC_RESORT_S2PF_NT;

    if (element == 8)
        return streams ? RC_RESORT_8_NT : RC_RESORT_8;
    return streams ? RC_RESORT_16_NT : RC_RESORT_16;
}

/* Appends a nest, 'axis' from the innermost loop on, which begins 'in_at' and 'out_at'
 * bytes after the arrays' beginnings.
 */
static void add_nest(struct rc_resort_work *work, size_t *count, bool back,
                     unsigned char *out, const unsigned char *in,
                     const struct axis axis[RC_RESORT_LEVELS], int64_t in_at,
                     int64_t out_at)
{
    struct rc_resort_nest *nest = &work->nest[(*count)++];

    *nest = (struct rc_resort_nest){.in = in + (back ? out_at : in_at),
                                    .out = out + (back ? in_at : out_at)};
    for (unsigned i = 0; i < RC_RESORT_LEVELS; i++) {
        nest->count[i] = axis[i].count;
        nest->in_step[i] = back ? axis[i].out : axis[i].in;
        nest->out_step[i] = back ? axis[i].in : axis[i].out;
    }
    /* The inner loop has advanced by all of its steps. */
    for (unsigned i = RC_RESORT_LEVELS - 1; i > 0; i--) {
        nest->in_step[i] -=
            (int64_t)axis[i - 1].count * (back ? axis[i - 1].out : axis[i - 1].in);
        nest->out_step[i] -=
            (int64_t)axis[i - 1].count * (back ? axis[i - 1].in : axis[i - 1].out);
    }
}

/* Appends tiles of b by c within each a: as many as fit, then the rest of c, of b, and
 * of both.
 */
static void add_tiles(struct rc_resort_work *work, size_t *count, bool back,
                      unsigned char *out, const unsigned char *in,
                      const struct axis axis[3])
{
    const struct axis *a = &axis[0], *b = &axis[1], *c = &axis[2];

    for (unsigned part = 0; part < 4; part++) {
        const bool rest_b = part & 2, rest_c = part & 1;
        const uint64_t in_b = rest_b ? b->count % TILE : TILE;
        const uint64_t in_c = rest_c ? c->count % TILE : TILE;
        const uint64_t tiles_b = rest_b ? 1 : b->count / TILE;
        const uint64_t tiles_c = rest_c ? 1 : c->count / TILE;
        const struct axis loops[RC_RESORT_LEVELS] = {
            {in_b, b->in, b->out},
            {in_c, c->in, c->out},
            {tiles_c, TILE * c->in, TILE * c->out},
            {tiles_b, TILE * b->in, TILE * b->out},
            *a,
        };
        const int64_t at_b = rest_b ? (int64_t)(b->count - in_b) : 0;
        const int64_t at_c = rest_c ? (int64_t)(c->count - in_c) : 0;
        if (in_b && in_c && tiles_b && tiles_c)
            add_nest(work, count, back, out, in, loops, at_b * b->in + at_c * c->in,
                     at_b * b->out + at_c * c->out);
    }
}

size_t rc_resort_nests(enum rc_resort which, bool back, void *out, const void *in,
                       const size_t extent[3], size_t parts, size_t element,
                       struct rc_resort_work *work)
{
    const int64_t e = (int64_t)element;
    const int64_t a = (int64_t)extent[0], b = (int64_t)extent[1],
                  c = (int64_t)extent[2], piece = c / (int64_t)parts;
    const struct axis one = {1, 0, 0};
    /* The axes of in[A][B][C] and out[C][A][B]. */
    const struct axis sorted[3] = {{extent[0], b * c * e, b * e},
                                   {extent[1], c * e, e},
                                   {extent[2], e, a * b * e}};
    size_t count = 0;

    if (a && b && c) {
        struct axis loops[RC_RESORT_LEVELS] = {one, one, one, one, one};
        switch (which) {
        case RC_RESORT_S1CF_NEST1:
            for (unsigned i = 0; i < 3; i++) {
                loops[i] = sorted[2 - i];
                loops[i].out = loops[i].in;
            }
            break;
        case RC_RESORT_S1CF_NEST2:
            loops[0] = sorted[1];
            loops[1] = sorted[0];
            loops[2] = sorted[2];
            break;
        case RC_RESORT_TILED:
        case RC_RESORT_TILED_NT:
            add_tiles(work, &count, back, out, in, sorted);
            break;
        default:
            for (unsigned i = 0; i < 3; i++)
                loops[i] = sorted[2 - i];
            if (!is_second(which))
                break;
            loops[0] = (struct axis){(uint64_t)piece, e, e};
            loops[1] = (struct axis){parts, a * b * piece * e, piece * e};
            loops[2] = (struct axis){extent[1], piece * e, c * e};
            loops[3] = (struct axis){extent[0], b * piece * e, b * c * e};
        }
        if (!count)
            add_nest(work, &count, back, out, in, loops, 0, 0);
    }
    work->nest[count].in = NULL;
    return count;
}

struct rc_resort_shape rc_resort_shape(const struct rc_resort_work *work)
{
    struct rc_resort_shape shape = {0};

    for (const struct rc_resort_nest *nest = work->nest; nest->in; nest++) {
        uint64_t entrances = 1;
        for (unsigned i = RC_RESORT_LEVELS - 1; i > 0; i--) {
            entrances *= nest->count[i];
            shape.loops += entrances;
        }
        shape.elements += entrances * nest->count[0];
        shape.nests++;
    }
    return shape;
}

/* Loops for processors that no assembly was written for. */
static void run_compiled(enum rc_resort_body body, const struct rc_resort_nest *nest)
{
    const bool wide = body == RC_RESORT_16 || body == RC_RESORT_16_NT;
    const unsigned char *in = nest->in;
    unsigned char *out = nest->out;
    uint64_t left[RC_RESORT_LEVELS];
    unsigned level = 0;

    memcpy(left, nest->count, sizeof left);
    while (level < RC_RESORT_LEVELS) {
        if (level == 0)
            memcpy(out, in, wide ? 16 : 8);
        in += nest->in_step[level];
        out += nest->out_step[level];
        if (--left[level]) {
            level = 0;
        } else {
            left[level] = nest->count[level];
            level++;
        }
    }
}

void rc_resort_run(enum rc_resort_body body, const struct rc_resort_work *work,
                   uint64_t iterations)
{
    if (rc_resort_loops[body]) {
        rc_resort_loops[body](work, iterations);
        return;
    }
    for (; iterations; iterations--) {
        ++*work->mark;
        for (const struct rc_resort_nest *nest = work->nest; nest->in; nest++)
            run_compiled(body, nest);
    }
}

/* Streaming stores of 16 bytes fault where ordinary ones do not: then it uses these. */
static enum rc_resort_body body_for(enum rc_resort which, const void *out,
                                    size_t element)
{
    const enum rc_resort_body body = rc_resort_body(which, element);

    return body == RC_RESORT_16_NT && (uintptr_t)out % 16 ? RC_RESORT_16 : body;
}

/* Re-sorts in one nest or tiles: all blocks are even. */
static void resort_part(enum rc_resort which, bool back, unsigned char *out,
                        const unsigned char *in, const size_t extent[3], size_t parts,
                        size_t element)
{
    uint64_t mark = 0;
    struct rc_resort_work work;

    work.mark = &mark;
    if (rc_resort_nests(which, back, out, in, extent, parts, element, &work))
        rc_resort_run(body_for(which, out, element), &work, 1);
}

/* Re-sorts blocks of different lengths, one after the other: each is a copy of A B rows
 * of 'length' elements into rows of C.
 */
static void resort_blocks(enum rc_resort which, bool back, unsigned char *out,
                          const unsigned char *in, const size_t extent[3], size_t parts,
                          size_t element)
{
    const size_t rows = extent[0] * extent[1], whole = extent[2];
    uint64_t mark = 0;

    for (size_t y = 0; y < parts; y++) {
        const size_t first = whole / parts * y + whole % parts * y / parts;
        const size_t next = whole / parts * (y + 1) + whole % parts * (y + 1) / parts;
        const int64_t e = (int64_t)element, length = (int64_t)(next - first);
        const struct axis loops[RC_RESORT_LEVELS] = {
            {next - first, e, e},
            {rows, length * e, (int64_t)whole * e},
            {1, 0, 0},
            {1, 0, 0},
            {1, 0, 0},
        };
        struct rc_resort_work work;
        size_t count = 0;
        work.mark = &mark;
        if (!rows || next == first)
            continue;
        add_nest(&work, &count, back, out, in, loops, (int64_t)(rows * first) * e,
                 (int64_t)first * e);
        work.nest[count].in = NULL;
        rc_resort_run(body_for(which, out, element), &work, 1);
    }
}

static void resort(enum rc_resort which, bool back, void *out, const void *in,
                   const size_t extent[3], size_t parts, size_t element)
{
    if (is_second(which) && extent[2] % parts)
        resort_blocks(which, back, out, in, extent, parts, element);
    else
        resort_part(which, back, out, in, extent, is_second(which) ? parts : 1,
                    element);
}

void rc_resort(enum rc_resort which, void *out, const void *in, void *tmp,
               const size_t extent[3], size_t parts, size_t element)
{
    resort(which, false, which == RC_RESORT_S1CF_NEST1 ? tmp : out,
           which == RC_RESORT_S1CF_NEST2 ? tmp : in, extent, parts, element);
}

void rc_resort_back(enum rc_resort which, void *out, const void *in, void *tmp,
                    const size_t extent[3], size_t parts, size_t element)
{
    resort(which, true, which == RC_RESORT_S1CF_NEST2 ? tmp : out,
           which == RC_RESORT_S1CF_NEST1 ? tmp : in, extent, parts, element);
}
