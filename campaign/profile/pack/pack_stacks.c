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

    for (size_t i = 0; i < count && status == RC_OK; i++) {
        const struct rc_profile_share self = rc_profile_stack_share(tree, of[i].own_ns),
                                      all =
                                          rc_profile_stack_share(tree, of[i].total_ns);
        rc_profile_file_add(
            &k->lists, RC_PROFILE_FILE_FUNCTIONS,
            &(struct rc_profile_file_function){.function = of[i].function,
                                               .file = of[i].module,
                                               .self = of[i].own,
                                               .inclusive = of[i].total,
                                               .share = self.is,
                                               .low = self.low,
                                               .high = self.high,
                                               .inclusive_share = all.is,
                                               .inclusive_low = all.low,
                                               .inclusive_high = all.high});
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
    for (size_t i = 0; i < all.count; i++) {
        const struct rc_profile_library *of = &all.item[i];
        const struct rc_profile_share share =
            rc_profile_share_of(of->ns, all.ns, all.effective);
        rc_profile_file_add(&k->lists, RC_PROFILE_FILE_LIBRARIES,
                            &(struct rc_profile_file_library){of->name, of->samples,
                                                              of->ns, share.is,
                                                              share.low, share.high});
    }
    free(all.item);
    return RC_OK;
}

/* The root of the tree has no row, so that rows are one less than stacks. */
int rc_profile_pack_stacks(struct rc_profile_packing *k, struct rc_error *err)
{
    struct rc_profile_stacks_tree *tree = &k->tree;
    int status =
        rc_profile_stacks_tree(k->profile->node, k->profile->node_count, tree, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 1; i < tree->stack_count; i++) {
        const struct rc_profile_stack *stack = &tree->stack[i];
        rc_profile_file_add(
            &k->lists, RC_PROFILE_FILE_STACKS,
            &(struct rc_profile_file_stack){.function = stack->function,
                                            .file = stack->module,
                                            .parent = (int64_t)stack->parent - 1,
                                            .self = stack->own,
                                            .inclusive = stack->total,
                                            .truncated = stack->truncated});
    }
    for (size_t i = 0; i < tree->sum_count; i++) {
        const struct rc_profile_stack_sum *sum = &tree->sum[i];
        const struct rc_profile_stack_thread *thread = &tree->thread[sum->thread];
        rc_profile_file_add(&k->lists, RC_PROFILE_FILE_SAMPLES,
                            &(struct rc_profile_file_sample){
                                .stack = sum->stack - 1,
                                .launch = thread->node->launch.launch,
                                .node = thread->node->launch.node,
                                .rank = thread->rank,
                                .pid = thread->pid,
                                .tid = thread->tid,
                                .samples = sum->samples,
                                .period_ns = (size_t)fmin(
                                    1e18, thread->node->samples.ns /
                                              (double)thread->node->samples.total)});
    }
    if ((status = pack_functions(k, err)) == RC_OK &&
        (status = pack_libraries(k, err)) == RC_OK && k->lists.failed)
        status = rc_fail(err, RC_ENOMEM, "no memory to pack the profile");
    return status;
}
