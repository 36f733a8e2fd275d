/* The samples of stacks of all launches, for profile.h5. */
#include "campaign/profile/pack/pack_parts.h"

#include <math.h>
#include <stdlib.h>

/* All stacks of a function together, with the intervals of their shares. */
static int pack_functions(struct rc_profile_packing *k, struct rc_error *err)
{
    const struct rc_profile_stacks_tree *tree = &k->tree;
    struct rc_profile_stack_function *of = NULL;
    size_t count = 0;
    int status = rc_profile_stack_functions(tree, &of, &count, err);

    if (status == RC_OK &&
        !(k->function = rc_arena_array(&k->arena, count, sizeof *k->function)))
        status = rc_fail(err, RC_ENOMEM, "no memory to pack the functions");
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        const struct rc_profile_share self = rc_profile_stack_share(tree, of[i].own_ns),
                                      all =
                                          rc_profile_stack_share(tree, of[i].total_ns);
        k->function[k->functions++] =
            (struct rc_profile_file_function){.function = of[i].function,
                                              .file = of[i].module,
                                              .self = of[i].own,
                                              .inclusive = of[i].total,
                                              .share = self.is,
                                              .low = self.low,
                                              .high = self.high,
                                              .inclusive_share = all.is,
                                              .inclusive_low = all.low,
                                              .inclusive_high = all.high};
    }
    free(of);
    return status;
}

static int pack_libraries(struct rc_profile_packing *k, struct rc_error *err)
{
    struct rc_profile_libraries all;
    const int status =
        rc_profile_libraries(k->profile->node, k->profile->node_count, &all, err);

    if (status != RC_OK)
        return status;
    k->library = rc_arena_array(&k->arena, all.count, sizeof *k->library);
    for (size_t i = 0; k->library && i < all.count; i++) {
        const struct rc_profile_library *of = &all.item[i];
        const struct rc_profile_share share =
            rc_profile_share_of(of->ns, all.ns, all.effective);
        k->library[k->libraries++] = (struct rc_profile_file_library){
            of->name, of->samples, of->ns, share.is, share.low, share.high};
    }
    free(all.item);
    return k->library ? RC_OK
                      : rc_fail(err, RC_ENOMEM, "no memory to pack the libraries");
}

/* The root of the tree is no row, so that rows are one less than stacks. */
int rc_profile_pack_stacks(struct rc_profile_packing *k, struct rc_error *err)
{
    struct rc_profile_stacks_tree *tree = &k->tree;
    int status =
        rc_profile_stacks_tree(k->profile->node, k->profile->node_count, tree, err);

    if (status != RC_OK)
        return status;
    k->stack = rc_arena_array(&k->arena, tree->stack_count, sizeof *k->stack);
    k->sample = rc_arena_array(&k->arena, tree->sum_count, sizeof *k->sample);
    if (!k->stack || !k->sample)
        return rc_fail(err, RC_ENOMEM, "no memory to pack the stacks of the profile");
    for (size_t i = 1; i < tree->stack_count; i++) {
        const struct rc_profile_stack *stack = &tree->stack[i];
        k->stack[k->stacks++] =
            (struct rc_profile_file_stack){.function = stack->function,
                                           .file = stack->module,
                                           .parent = (int64_t)stack->parent - 1,
                                           .self = stack->own,
                                           .inclusive = stack->total,
                                           .truncated = stack->truncated};
    }
    for (size_t i = 0; i < tree->sum_count; i++) {
        const struct rc_profile_stack_sum *sum = &tree->sum[i];
        const struct rc_profile_stack_thread *thread = &tree->thread[sum->thread];
        k->sample[k->samples++] = (struct rc_profile_file_sample){
            .stack = sum->stack - 1,
            .launch = thread->node->launch.launch,
            .node = thread->node->launch.node,
            .rank = thread->rank,
            .pid = thread->pid,
            .tid = thread->tid,
            .samples = sum->samples,
            .period_ns = (size_t)fmin(1e18, thread->node->samples.ns /
                                                (double)thread->node->samples.total)};
    }
    status = pack_functions(k, err);
    return status == RC_OK ? pack_libraries(k, err) : status;
}
