/* Puts sampled frames together by function.
 *
 * Frames are places in files: each gets the name of its function first, and then the
 * frames that were called from the same stack and have the same name become one.
 */
#include "campaign/profile/read/stacks.h"

#include "campaign/base/mix.h"
#include "campaign/base/text.h"
#include "campaign/profile/stacks/symbols.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME_TEXT = 1024, START_DEPTH = 3 };

static const char unknown[] = "[not known]";

/* One node that is being added: by number of the frame, 0 being none. */
struct adding {
    struct rc_profile_stacks_tree *tree;
    const struct rc_profile_samples *samples;
    struct rc_arena arena;
    const char **name;
    bool *unnamed;
    bool *wanted;   /* there are samples in it, or in what it called */
    bool *start;    /* what is called from there is whole */
    bool *counted;  /* there are samples in it */
    size_t *stack;  /* of what it calls */
    size_t *own;    /* of its own samples */
    size_t *thread; /* by number of the task */
};

static const char stacks[] = "the stacks of the profile";

static const struct rc_profile_module *module_of(const struct rc_profile_samples *s,
                                                 const struct rc_profile_frame *frame)
{
    static const struct rc_profile_module none = {.path = unknown, .build_id = ""};

    return frame->module > 0 ? &s->module[frame->module - 1] : &none;
}

/* The name of a frame whose function has none: the file, and where the function begins
 * in it, if that is known.
 */
static const char *name_by_file(struct rc_profile_stacks_tree *tree, const char *path,
                                uint64_t begin)
{
    char text[NAME_TEXT];
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

    if (begin)
        snprintf(text, sizeof text, "%s+0x%" PRIx64, file, begin);
    else
        snprintf(text, sizeof text, path[0] == '[' ? "%s" : "[%s]", file);
    return rc_pool_intern(tree->texts, text);
}

/* Names of all frames in samples, module by module, so that one file's symbols are in
 * memory at a time.  NULL: no memory.
 */
static void find_names(struct adding *a)
{
    const struct rc_profile_samples *s = a->samples;
    char text[NAME_TEXT];
    const char *why;

    for (size_t m = 0; m <= s->modules; m++) {
        struct rc_profile_symbols *symbols = NULL;
        bool tried = m == 0;
        for (size_t f = 1; f <= s->frames; f++) {
            const struct rc_profile_frame *frame = &s->frame[f - 1];
            const char *path = module_of(s, frame)->path;
            if (frame->module != m || !a->wanted[f])
                continue;
            if (!tried && path[0] == '/' &&
                !(symbols = rc_profile_symbols_open(&s->module[m - 1], &why)) &&
                a->tree->unread_count++ == 0) {
                a->tree->unread = rc_pool_intern(a->tree->texts, path);
                a->tree->unread_why = why;
            }
            tried = true;
            const char *name = rc_profile_symbols_find(symbols, frame->offset);
            a->name[f] =
                name ? rc_pool_intern(a->tree->texts, rc_profile_symbols_readable(
                                                          name, text, sizeof text))
                     : name_by_file(a->tree, path,
                                    rc_profile_symbols_begin(symbols, frame->offset));
            a->unnamed[f] = !name && strcmp(path, RC_PROFILE_KERNEL) != 0;
        }
        rc_profile_symbols_close(symbols);
    }
}

/* Whether a function of that name is called by what a program, or a thread, starts
 * with, or is that itself.
 */
static bool starts_by_name(const char *name)
{
    static const char *const names[] = {
        "main",    "_start",      "__libc_start_main",
        "clone",   "clone3",      "__libc_start_call_main",
        "__clone", "start_thread"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (name && strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* A stack is whole if one of its outermost frames is a place where programs or threads
 * are known to start: by address as the sampler found it, or by name.
 */
static void find_starts(struct adding *a)
{
    const struct rc_profile_samples *s = a->samples;

    for (size_t f = 1; f <= s->frames; f++) {
        size_t outer = f, depth = 1;
        bool is_start = s->frame[f - 1].start || starts_by_name(a->name[f]);
        for (size_t k = 0; k < s->frames && !is_start && s->frame[k].start; k++)
            is_start = s->frame[k].module == s->frame[f - 1].module &&
                       s->frame[k].offset == s->frame[f - 1].offset;
        for (; s->frame[outer - 1].parent && depth <= START_DEPTH; depth++)
            outer = s->frame[outer - 1].parent;
        if (is_start && depth <= START_DEPTH)
            a->start[outer] = true;
    }
}

/* A stack by the one around it, function and file: equal texts are the same text. */
static bool has_stack(const void *context, size_t item, const void *key)
{
    const struct rc_profile_stacks_tree *tree = context;
    const struct rc_profile_stack *is = &tree->stack[item], *wanted = key;

    return is->parent == wanted->parent && is->function == wanted->function &&
           is->module == wanted->module && is->truncated == wanted->truncated;
}

static size_t find_stack(struct rc_profile_stacks_tree *tree,
                         const struct rc_profile_stack *like)
{
    const uint64_t hash =
        rc_mix(rc_mix(rc_mix(like->parent) + (uintptr_t)like->function) +
               (uintptr_t)like->module + like->truncated);
    const size_t found = rc_map_find(&tree->map, tree, hash, like);

    if (found != RC_MAP_NONE)
        return found;
    if (rc_grow(&tree->stack, sizeof *tree->stack, tree->stack_count,
                &tree->stack_room))
        return 0;
    tree->stack[tree->stack_count] = *like;
    if (rc_map_put(&tree->map, tree, hash, like, tree->stack_count))
        return 0;
    return tree->stack_count++;
}

/* A frame of the library that profiles is none of the program's: what it calls is
 * called by its caller; samples in it are one function of that.
 */
static int hide_frame(struct adding *a, size_t f, size_t parent, bool truncated)
{
    const char *name = rc_pool_intern(a->tree->texts, RC_PROFILE_STACK_ROLLCALL);
    const struct rc_profile_stack like = {
        .parent = parent, .function = name, .module = name, .truncated = truncated};

    a->stack[f] = parent;
    if (a->counted[f])
        a->own[f] = name ? find_stack(a->tree, &like) : 0;
    return a->counted[f] && a->own[f] == 0 ? -1 : 0;
}

/* The stacks of the frames that have samples, callers first; what nothing is known of
 * is in a stack of its own.  -1: no memory.
 */
static int add_frames(struct adding *a)
{
    const struct rc_profile_samples *s = a->samples;
    struct rc_profile_stack none = {.truncated = true};

    for (size_t f = 0; f <= s->frames; f++) {
        if (!a->wanted[f])
            continue;
        const struct rc_profile_frame *frame = f ? &s->frame[f - 1] : NULL;
        const size_t caller = f ? frame->parent : 0;
        struct rc_profile_stack like = none;
        like.function = f ? a->name[f] : rc_pool_intern(a->tree->texts, unknown);
        like.module = f ? rc_pool_intern(a->tree->texts, module_of(s, frame)->path)
                        : like.function;
        like.unnamed = f == 0 || a->unnamed[f];
        if (f && caller && a->stack[caller]) {
            like.parent = a->stack[caller];
            like.truncated = a->tree->stack[like.parent].truncated;
        } else if (a->start[f]) {
            like.function = like.module =
                rc_pool_intern(a->tree->texts, RC_PROFILE_STACK_START);
            like.truncated = like.unnamed = false;
        }
        if (f && rc_profile_owner_of(module_of(s, frame)->path) ==
                     RC_PROFILE_OWNER_ROLLCALL) {
            if (hide_frame(a, f, like.parent, like.truncated) != 0)
                return -1;
            continue;
        }
        if (!like.function || !like.module ||
            !(a->stack[f] = a->own[f] = find_stack(a->tree, &like)))
            return -1;
    }
    return 0;
}

/* The rank as MPI told it to a thread of the same process, else as it was launched. */
static void add_threads(struct adding *a, const struct rc_profile_node *node)
{
    struct rc_profile_stacks_tree *tree = a->tree;

    for (size_t i = 0; i < a->samples->tasks; i++) {
        const struct rc_profile_task *task = &a->samples->task[i];
        struct rc_profile_stack_thread thread = {
            .node = node, .rank = task->rank, .pid = task->pid, .tid = task->tid};
        for (size_t t = 0; t < node->thread_count; t++)
            if (node->thread[t].place.pid == task->pid &&
                node->thread[t].place.rank >= 0)
                thread.rank = node->thread[t].place.rank;
        a->thread[i] = tree->thread_count;
        rc_arena_append(&a->arena, &tree->thread, sizeof thread, &tree->thread_count,
                        &tree->thread_room, &thread);
    }
}

static int add_node(struct rc_profile_stacks_tree *tree,
                    const struct rc_profile_node *node, struct rc_error *err)
{
    const struct rc_profile_samples *s = &node->samples;
    struct adding a = {.tree = tree, .samples = s};

    a.name = rc_arena_array(&a.arena, s->frames + 1, sizeof(char *));
    a.unnamed = rc_arena_array(&a.arena, s->frames + 1, sizeof *a.unnamed);
    a.wanted = rc_arena_array(&a.arena, s->frames + 1, sizeof *a.wanted);
    a.start = rc_arena_array(&a.arena, s->frames + 1, sizeof *a.start);
    a.counted = rc_arena_array(&a.arena, s->frames + 1, sizeof *a.counted);
    a.stack = rc_arena_array(&a.arena, s->frames + 1, sizeof *a.stack);
    a.own = rc_arena_array(&a.arena, s->frames + 1, sizeof *a.own);
    a.thread = rc_arena_array(&a.arena, s->tasks, sizeof *a.thread);
    if (a.arena.failed)
        goto out;
    for (size_t i = 0; i < s->counts; i++)
        a.wanted[s->count[i].frame] = a.counted[s->count[i].frame] = true;
    for (size_t f = s->frames; f > 0; f--)
        if (a.wanted[f] && s->frame[f - 1].parent)
            a.wanted[s->frame[f - 1].parent] = true;
    tree->period_ns += s->ns;
    tree->effective += s->squares;
    tree->stack_bytes =
        s->stack_bytes > tree->stack_bytes ? s->stack_bytes : tree->stack_bytes;
    tree->brief += s->brief;
    tree->deep += s->deep;
    find_names(&a);
    find_starts(&a);
    add_threads(&a, node);
    if (!tree->unread || add_frames(&a) != 0)
        a.arena.failed = true;
    for (size_t i = 0; i < s->counts && !a.arena.failed; i++) {
        const struct rc_profile_sampled *count = &s->count[i];
        tree->stack[a.own[count->frame]].own += count->samples;
        tree->stack[a.own[count->frame]].own_ns += count->ns;
        rc_arena_append(
            &a.arena, &tree->sum, sizeof *tree->sum, &tree->sum_count, &tree->sum_room,
            &(struct rc_profile_stack_sum){a.own[count->frame], a.thread[count->task],
                                           count->samples});
    }
out:;
    const int status = rc_arena_check(&a.arena, err, stacks);
    rc_arena_free(&a.arena);
    return status;
}

static int compare_sums(const void *a, const void *b)
{
    const struct rc_profile_stack_sum *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->stack, x->thread},
                              (uint64_t[]){y->stack, y->thread}, 2);
}

/* Whether it is a function of MPI that programs call, in C or Fortran. */
static bool is_mpi_call(const struct rc_profile_stack *stack)
{
    return strncasecmp(stack->function, "mpi_", 4) == 0;
}

/* Which stack each counts as in sums of functions: what MPI does inside of a call is
 * the call's.  NULL: no memory.
 */
static size_t *find_calls(const struct rc_profile_stacks_tree *tree)
{
    size_t *as = rc_calloc(tree->stack_count, sizeof *as);

    for (size_t i = 1; as && i < tree->stack_count; i++) {
        const struct rc_profile_stack *stack = &tree->stack[i];
        const size_t outer = as[stack->parent];
        const bool inside = outer > 0 && is_mpi_call(&tree->stack[outer]);
        as[i] = inside && !is_mpi_call(stack) &&
                        rc_profile_owner_of(stack->module) == RC_PROFILE_OWNER_MPI
                    ? outer
                    : i;
    }
    return as;
}

/* Sums of the same stack and thread become one; samples are added up to the root. */
static void finish_tree(struct rc_profile_stacks_tree *tree)
{
    size_t kept = 0;

    if (tree->sum_count > 0)
        qsort(tree->sum, tree->sum_count, sizeof *tree->sum, compare_sums);
    for (size_t i = 0; i < tree->sum_count; i++)
        if (kept > 0 && compare_sums(&tree->sum[kept - 1], &tree->sum[i]) == 0)
            tree->sum[kept - 1].samples += tree->sum[i].samples;
        else
            tree->sum[kept++] = tree->sum[i];
    tree->sum_count = kept;
    for (size_t i = tree->stack_count; i-- > 0;) {
        struct rc_profile_stack *stack = &tree->stack[i];
        stack->total += stack->own;
        stack->total_ns += stack->own_ns;
        if (i > 0) {
            tree->stack[stack->parent].total += stack->total;
            tree->stack[stack->parent].total_ns += stack->total_ns;
        }
        tree->truncated += stack->truncated ? stack->own : 0;
    }
    size_t *as = find_calls(tree);
    for (size_t i = 0; i < tree->stack_count; i++)
        tree->unnamed += tree->stack[as ? as[i] : i].unnamed ? tree->stack[i].own : 0;
    free(as);
    if (tree->effective > 0)
        tree->effective = tree->period_ns * tree->period_ns / tree->effective;
    if (tree->stack->total > 0)
        tree->period_ns /= (double)tree->stack->total;
}

struct rc_profile_share rc_profile_share_of(double ns, double all_ns, double effective)
{
    static const double z = 1.959963984540054; /* of the normal distribution: 95 % */
    const double p = all_ns > 0 ? fmin(ns / all_ns, 1) : 0, scale = effective + z * z,
                 middle = (effective * p + z * z / 2) / scale,
                 half = z * sqrt(effective * p * (1 - p) + z * z / 4) / scale;

    return (struct rc_profile_share){p, fmax(0, middle - half), fmin(1, middle + half)};
}

struct rc_profile_share
rc_profile_stack_share(const struct rc_profile_stacks_tree *tree, double ns)
{
    return rc_profile_share_of(ns, tree->stack->total_ns, tree->effective);
}

int rc_profile_stacks_tree(const struct rc_profile_node *node, size_t nodes,
                           struct rc_profile_stacks_tree *out, struct rc_error *err)
{
    *out = (struct rc_profile_stacks_tree){.map.same = has_stack,
                                           .texts = rc_pool_create(),
                                           .kernel = true,
                                           .unread = "",
                                           .unread_why = ""};
    struct rc_arena memory = {.failed = !out->texts};
    rc_arena_append(&memory, &out->stack, sizeof *out->stack, &out->stack_count,
                    &out->stack_room,
                    &(struct rc_profile_stack){.function = "", .module = ""});
    int status = rc_arena_check(&memory, err, stacks);
    for (size_t n = 0; n < nodes && status == RC_OK; n++) {
        status = add_node(out, &node[n], err);
        out->kernel &= node[n].samples.counts == 0 || node[n].samples.kernel;
    }
    if (status == RC_OK)
        finish_tree(out);
    return status;
}

void rc_profile_stacks_tree_fini(struct rc_profile_stacks_tree *tree)
{
    free(tree->stack);
    free(tree->thread);
    free(tree->sum);
    rc_map_fini(&tree->map);
    rc_pool_close(tree->texts);
}

/* Functions that are being put together. */
struct functions {
    struct rc_profile_stack_function *item;
    size_t count, room;
};

static bool has_function(const void *context, size_t item, const void *key)
{
    const struct rc_profile_stack_function *is =
        &((const struct functions *)context)->item[item];
    const struct rc_profile_stack *wanted = key;

    return is->function == wanted->function && is->module == wanted->module;
}

static int compare_functions(const void *a, const void *b)
{
    const struct rc_profile_stack_function *x = a, *y = b;
    const int own = (y->own_ns > x->own_ns) - (y->own_ns < x->own_ns),
              all = (y->total_ns > x->total_ns) - (y->total_ns < x->total_ns);

    return own ? own : all ? all : strcmp(x->function, y->function);
}

/* Whether the stack is not within another one of the same function. */
static bool is_outermost(const struct rc_profile_stacks_tree *tree, size_t stack)
{
    const struct rc_profile_stack *of = &tree->stack[stack];

    for (size_t i = of->parent; i > 0; i = tree->stack[i].parent)
        if (tree->stack[i].function == of->function &&
            tree->stack[i].module == of->module)
            return false;
    return true;
}

int rc_profile_stack_functions(const struct rc_profile_stacks_tree *tree,
                               struct rc_profile_stack_function **out, size_t *count,
                               struct rc_error *err)
{
    struct functions all = {.item = NULL};
    struct rc_map map = {.same = has_function};
    size_t *as = find_calls(tree);
    struct rc_arena memory = {.failed = !as};

    for (size_t i = 1; i < tree->stack_count && !memory.failed; i++) {
        const struct rc_profile_stack *stack = &tree->stack[as[i]];
        const uint64_t hash =
            rc_mix(rc_mix((uintptr_t)stack->function) + (uintptr_t)stack->module);
        size_t found = rc_map_find(&map, &all, hash, stack);
        if (found == RC_MAP_NONE) {
            found = all.count;
            rc_arena_append(&memory, &all.item, sizeof *all.item, &all.count, &all.room,
                            &(struct rc_profile_stack_function){
                                .function = stack->function, .module = stack->module});
            if (memory.failed || rc_map_put(&map, &all, hash, stack, found)) {
                memory.failed = true;
                break;
            }
        }
        const struct rc_profile_stack *of = &tree->stack[i];
        const bool outermost = as[i] == i && is_outermost(tree, i);
        all.item[found].own += of->own;
        all.item[found].own_ns += of->own_ns;
        all.item[found].total += outermost ? of->total : 0;
        all.item[found].total_ns += outermost ? of->total_ns : 0;
        all.item[found].truncated += of->truncated ? of->own : 0;
    }
    free(as);
    rc_map_fini(&map);
    if (all.count > 0)
        qsort(all.item, all.count, sizeof *all.item, compare_functions);
    if (memory.failed)
        free(all.item);
    *out = memory.failed ? NULL : all.item;
    *count = all.count;
    return rc_arena_check(&memory, err, stacks);
}
