/* A transform: checks its options, chooses and creates its path, runs its passes. */
#include "kernels/fft3d/fft3d.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "kernels/fft3d/split.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct rc_fft_path *const rc_fft_paths[] = {
    &rc_fft_node, &rc_fft_slab, &rc_fft_pencil, &rc_fft_w, &rc_fft_steps, NULL,
};

enum { BLOCK_BYTES = 256 }; /* columns that are transformed together: 4 lines */

/* Fills 'columns', 'element' and 'block'. */
static int check_grid(struct rc_fft *fft, struct rc_error *err)
{
    struct rc_fft_options *o = &fft->options;
    size_t bytes;
    for (int d = 0; d < 3; d++)
        if (o->n[d] < 1 || o->n[d] > INT_MAX)
            return rc_fail(err, RC_EUSAGE,
                           "a grid of %zux%zux%zu: expected numbers from 1 to %d",
                           o->n[0], o->n[1], o->n[2], INT_MAX);
    fft->columns = o->real ? o->n[2] / 2 + 1 : o->n[2];
    fft->element = o->single ? 8 : 16;
    if (o->block == 0)
        o->block = BLOCK_BYTES / fft->element;
    /* Eight times the grid: rows and planes are padded, messages take memory, too. */
    if (__builtin_mul_overflow(o->n[0], o->n[1], &bytes) ||
        __builtin_mul_overflow(bytes, fft->columns + 8, &bytes) ||
        __builtin_mul_overflow(bytes, 8 * fft->element, &bytes))
        return rc_fail(err, RC_EUSAGE,
                       "a grid of %zux%zux%zu has more bytes than there are addresses",
                       o->n[0], o->n[1], o->n[2]);
    return RC_OK;
}

static int check_procs(struct rc_fft *fft, struct rc_error *err)
{
    struct rc_fft_options *o = &fft->options;
    size_t product;
    if (o->procs[0] == 0)
        rc_fft_procs_choose(&fft->nodes, fft->ranks, o->n, o->procs);
    if (__builtin_mul_overflow(o->procs[0], o->procs[1], &product) ||
        product != fft->ranks)
        return rc_fail(err, RC_EUSAGE, "--procs %zux%zu: expected a grid of %zu rank%s",
                       o->procs[0], o->procs[1], fft->ranks, rc_text_s(fft->ranks));
    return RC_OK;
}

/* Fails where a node has not the memory for its part of the array, once. */
static int check_memory(const struct rc_fft *fft, struct rc_error *err)
{
    const struct rc_fft_options *o = &fft->options;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t there =
        pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    uint64_t all = (uint64_t)o->n[0] * o->n[1] * fft->columns * fft->element;
    uint64_t wanted = all / fft->ranks * fft->nodes.ranks * (o->apart ? 2 : 1);
    char has[RC_TEXT_SHORT], wants[RC_TEXT_SHORT];
    if (wanted <= there)
        return RC_OK;
    return rc_fail(err, RC_ENOMEM,
                   "a grid of %zux%zux%zu needs %s on a node that has %s of memory",
                   o->n[0], o->n[1], o->n[2], rc_text_put_size(wants, wanted),
                   rc_text_put_size(has, there));
}

static const struct rc_fft_path *choose_path(const struct rc_fft *fft)
{
    char why[200];
    static const struct rc_fft_path *const best[] = {&rc_fft_node, &rc_fft_slab};
    for (size_t i = 0; i < sizeof best / sizeof best[0]; i++)
        if (best[i]->usable(fft, why, sizeof why))
            return best[i];
    return &rc_fft_pencil;
}

static int check_path(struct rc_fft *fft, struct rc_error *err)
{
    struct rc_fft_options *o = &fft->options;
    char why[200];
    if (!o->path)
        o->path = choose_path(fft);
    if (!o->path->usable(fft, why, sizeof why))
        return rc_fail(err, RC_EUSAGE, "--path %s: %s", o->path->name, why);
    if (o->apart && o->path != &rc_fft_node)
        return rc_fail(
            err, RC_EUSAGE,
            "--place out: path %s works in place, expected path node, on one "
            "node",
            o->path->name);
    if (o->path->only_transposed)
        o->transposed = true;
    return RC_OK;
}

static int create_path(struct rc_fft *fft, struct rc_error *err)
{
    const struct rc_fft_path *path = fft->options.path;
    fft->own = rc_calloc(1, path->own_bytes);
    int status = RC_OK;
    if (!fft->own)
        status = rc_fail(err, RC_ENOMEM, "no memory for a path");
    status = rc_agree(fft->comm, status, err);
    if (status) { /* there is nothing to destroy yet */
        free(fft->own);
        fft->own = NULL;
        return status;
    }
    status = path->create(fft, err);
    if (status || !fft->options.real)
        return status;
    /* The input is real numbers in the places of complex ones. */
    fft->in.real = true;
    fft->in.extent[2] = fft->in.base ? fft->options.n[2] : 0;
    fft->in.stride[0] *= 2;
    fft->in.stride[1] *= 2;
    return RC_OK;
}

static int create_on_nodes(MPI_Comm comm, struct rc_fft *fft, struct rc_error *err)
{
    struct rc_fft_options *o = &fft->options;
    int status = rc_fft_nodes_init(comm, o->node_size, &fft->comm, &fft->nodes, err);
    if (status)
        return status;
    fft->rank = (size_t)rc_team_rank(fft->comm);
    fft->ranks = (size_t)rc_team_size(fft->comm);
    status = check_grid(fft, err);
    if (status == RC_OK)
        status = check_procs(fft, err);
    if (status == RC_OK)
        status = check_path(fft, err);
    if (status == RC_OK)
        status = check_memory(fft, err);
    if (status == RC_OK)
        status = rc_fft_planner_init(&fft->planner, fft->comm, o->single, o->effort,
                                     o->wisdom, err);
    status = rc_agree(fft->comm, status, err);
    return status ? status : create_path(fft, err);
}

/* '*unshared': a node's ranks had no memory to share. */
static int create_once(MPI_Comm comm, const struct rc_fft_options *options,
                       struct rc_fft **out, bool *unshared, struct rc_error *err)
{
    struct rc_fft *fft = *out = rc_calloc(1, sizeof *fft);
    int status = RC_OK;
    *unshared = false;
    if (!fft)
        status = rc_fail(err, RC_ENOMEM, "no memory for a transform");
    status = rc_agree(comm, status, err);
    if (fft)
        *fft = (struct rc_fft){.comm = MPI_COMM_NULL, .options = *options};
    if (status == RC_OK)
        status = create_on_nodes(comm, fft, err);
    if (status) {
        *unshared = fft && fft->unshared && fft->ranks > fft->nodes.count;
        rc_fft_close(fft);
        *out = NULL;
    }
    return status;
}

/* Where ranks have no memory to share, each becomes a node of its own. */
int rc_fft_create(MPI_Comm comm, const struct rc_fft_options *options,
                  struct rc_fft **out, struct rc_error *err)
{
    bool unshared;
    int status = create_once(comm, options, out, &unshared, err);
    if (!unshared)
        return status;
    struct rc_error why = *err;
    struct rc_fft_options alone = *options;
    alone.node_size = 1;
    alone.path = NULL;
    if ((status = create_once(comm, &alone, out, &unshared, err)) != RC_OK)
        return status;
    snprintf((*out)->fallback, sizeof(*out)->fallback, "%.150s: path %s instead",
             why.text, (*out)->options.path->name);
    return RC_OK;
}

void rc_fft_close(struct rc_fft *fft)
{
    if (!fft)
        return;
    if (fft->own)
        fft->options.path->destroy(fft);
    free(fft->own);
    rc_fft_planner_fini(&fft->planner);
    rc_fft_nodes_fini(&fft->nodes);
    if (fft->comm != MPI_COMM_NULL)
        MPI_Comm_free(&fft->comm);
    free(fft);
}

void rc_fft_forward(struct rc_fft *fft)
{
    rc_fft_pass_begin(&fft->phases, "forward");
    fft->options.path->forward(fft);
    rc_fft_pass_end(&fft->phases, "forward");
}

void rc_fft_backward(struct rc_fft *fft, double scale)
{
    rc_fft_pass_begin(&fft->phases, "backward");
    fft->options.path->backward(fft, scale);
    rc_fft_pass_end(&fft->phases, "backward");
}
