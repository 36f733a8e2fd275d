/* A profile as folded stacks, which flame graphs are drawn from: a line for each call
 * path of each thread, "node;rank 3;region;region us", with the time that it took
 * itself in microseconds, and a line for the MPI calls in it.  With --stacks a line for
 * each stack of functions, with the number of samples in it.
 */
#include "campaign/profile/export/export.h"

#include "campaign/base/text.h"
#include "campaign/profile/read/stacks.h"

#include <math.h>
#include <stdlib.h>

enum { NAME_TEXT = 512 };

/* A frame ends at ';', and the line at its end. */
static void put_frame(FILE *out, const char *name)
{
    char text[NAME_TEXT];

    rc_text_printable(text, sizeof text, name);
    for (char *at = text; *at; at++)
        if (*at == ';')
            *at = ':';
    fputs(text, out);
}

static void put_process(FILE *out, const struct rc_profile_node *node, int64_t rank,
                        uint64_t pid)
{
    put_frame(out, node->launch.node);
    if (rank >= 0)
        fprintf(out, ";rank %lld", (long long)rank);
    else
        fprintf(out, ";pid %llu", (unsigned long long)pid);
}

/* Node, rank, then the regions from the root to the path. */
static void put_stack(FILE *out, const struct rc_profile_node *node,
                      const struct rc_profile_thread *thread, uint64_t path)
{
    uint64_t chain[RC_SHARED_PATHS];
    size_t depth = 0;

    for (; path > 0; path = thread->path[path].parent)
        chain[depth++] = path;
    put_process(out, node, thread->place.rank, thread->place.pid);
    while (depth-- > 0) {
        fputc(';', out);
        put_frame(out, rc_profile_region_name(thread, chain[depth]));
    }
}

/* MPI calls are frames of their own, so their time is taken from the region around
 * them. Less than half a microsecond gets no line.
 */
static void put_thread(FILE *out, const struct rc_profile_node *node,
                       const struct rc_profile_thread *thread,
                       const struct rc_profile_own *own)
{
    for (size_t p = 0; p < thread->path_count; p++) {
        const double us = round(fmax(own->ns[p] - own->mpi_ns[p], 0) / 1000);
        if (us < 1)
            continue;
        put_stack(out, node, thread, p);
        fprintf(out, " %.0f\n", us);
    }
    for (size_t i = 0; i < thread->call_count; i++) {
        const struct rc_profile_call *call = &thread->call[i];
        const double us = round((double)call->ns / 1000);
        if (us < 1)
            continue;
        put_stack(out, node, thread, call->path);
        fputc(';', out);
        put_frame(out, rc_profile_call_name(thread, call));
        fprintf(out, " %.0f\n", us);
    }
}

/* Functions as they were found by samples, from the outermost in, with their number. */
static int write_samples(const struct rc_profile_sums *sums, FILE *out, FILE *left_out,
                         struct rc_error *err)
{
    struct rc_profile_stacks_tree tree;
    size_t chain[RC_SHARED_PATHS];
    const int status = rc_profile_stacks_tree(sums->node, sums->node_count, &tree, err);

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < tree.sum_count; i++) {
        const struct rc_profile_stack_thread *thread = &tree.thread[tree.sum[i].thread];
        size_t depth = 0;
        for (size_t s = tree.sum[i].stack; s > 0 && depth < RC_SHARED_PATHS;
             s = tree.stack[s].parent)
            chain[depth++] = s;
        put_process(out, thread->node, thread->rank, thread->pid);
        while (depth-- > 0) {
            fputc(';', out);
            put_frame(out, tree.stack[chain[depth]].function);
        }
        fprintf(out, " %llu\n", (unsigned long long)tree.sum[i].samples);
    }
    if (tree.sum_count == 0)
        fprintf(left_out, "no samples of stacks are in this launch\n");
out:
    rc_profile_stacks_tree_fini(&tree);
    return status;
}

/* Threads of a rank have lines of their own; who draws them adds equal ones up. */
static int write_folded(const struct rc_profile_sums *sums,
                        const struct rc_profile_choice *choice, FILE *out,
                        FILE *left_out, struct rc_error *err)
{
    struct rc_profile_own *own = rc_calloc(1, sizeof *own);

    if (choice->stacks) {
        free(own);
        return write_samples(sums, out, left_out, err);
    }
    if (!own)
        return rc_fail(err, RC_ENOMEM, "no memory for the stacks of the profile");
    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t t = 0; t < sums->node[n].thread_count; t++) {
            rc_profile_own(&sums->node[n].thread[t], own);
            put_thread(out, &sums->node[n], &sums->node[n].thread[t], own);
        }
    free(own);
    return RC_OK;
}

const struct rc_profile_export_format rc_profile_folded = {.name = "folded",
                                                           .write = write_folded};
