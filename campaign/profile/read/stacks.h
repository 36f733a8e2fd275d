/* stacks.h - where the samples of stacks were: functions as they were called
 *
 * Frames of all threads that are wanted, put together by the functions that they are
 * in: one tree, which flame graphs are drawn of.  A sample stands for so much processor
 * time of its thread as lies between two of them on average.
 *
 *     struct rc_profile_stacks_tree tree;
 *     int status = rc_profile_stacks_tree(sums->node, sums->node_count, &tree, err);
 *     for (size_t i = 1; status == RC_OK && i < tree.stack_count; i++)
 *         ... tree.stack[i].function in tree.stack[tree.stack[i].parent].function ...
 *     rc_profile_stacks_tree_fini(&tree);
 */
#ifndef RC_CAMPAIGN_PROFILE_READ_STACKS_H
#define RC_CAMPAIGN_PROFILE_READ_STACKS_H

#include "campaign/profile/read/read.h"

#define RC_PROFILE_STACK_START                                                         \
    "(start)" /* what calls main(), or a thread's function                             \
               */

#define RC_PROFILE_STACK_ROLLCALL "[rollcall]" /* the library that profiles */

/* A function that was called from that of its parent. */
struct rc_profile_stack {
    const char *function; /* "libm.so.6+0x1a40": without a name, begins there in that
                           * file; "[libm.so.6]": in that file, and it tells nothing;
                           * "[kernel]"; "[not known]": in no code that was found */
    const char *module;   /* the file's path; where that is not a file, the function
                           * again */
    size_t parent;        /* a lower number; 0 is the root, which is in no function */
    uint64_t own;         /* samples in it itself */
    uint64_t total;       /* with those in what it called from here */
    double own_ns, total_ns; /* what these stand for */
    bool unnamed;            /* the function has no name, as far as is known */
    bool truncated; /* its stack does not go back to the start: outer frames are
                     * missing, or could not be told from what begins a thread */
};

/* A thread that was sampled; there twice where two samplers knew it. */
struct rc_profile_stack_thread {
    const struct rc_profile_node *node;
    int64_t rank; /* -1: none */
    uint64_t pid, tid;
};

/* How often a thread was in a stack, itself. */
struct rc_profile_stack_sum {
    size_t stack, thread;
    uint64_t samples;
};

struct rc_profile_stacks_tree {
    struct rc_profile_stack *stack; /* the first is the root: its total is of all */
    size_t stack_count, stack_room;
    struct rc_profile_stack_thread *thread;
    size_t thread_count, thread_room;
    struct rc_profile_stack_sum *sum; /* by stack, then by thread; each pair once */
    size_t sum_count, sum_room;
    uint64_t truncated, unnamed; /* samples; innermost in a function without a name */
    uint64_t stack_bytes, brief, deep; /* as in struct rc_profile_stacks */
    size_t unread_count;               /* files whose symbols could not be read */
    const char *unread, *unread_why;   /* the first of them, or "" */
    double period_ns;                  /* mean over samples; 0: there are none */
    double effective;  /* so many samples of equal time would tell as much */
    bool kernel;       /* on all nodes the kernel's work is among them */
    struct rc_map map; /* for the maker alone */
    struct rc_pool *texts;
};

/* Makes the tree of so many nodes, which may be of several launches; they must live as
 * long.  Symbols are looked for in the files of this machine.  To be given back in any
 * case.
 */
int rc_profile_stacks_tree(const struct rc_profile_node *node, size_t nodes,
                           struct rc_profile_stacks_tree *out, struct rc_error *err);
void rc_profile_stacks_tree_fini(struct rc_profile_stacks_tree *tree);

/* A share of the sampled time and its interval, which has the true one in 95 of 100
 * cases as far as samples are independent of each other: Wilson's, which is right of
 * few samples and next to 0 and 1 as well.  Samples that stand for different times
 * count as (sum of times)^2 / (sum of their squares), Kish's effective number.  Without
 * samples it is from 0 to 1.
 */
struct rc_profile_share {
    double is, low, high;
};
struct rc_profile_share rc_profile_share_of(double ns, double all_ns, double effective);
struct rc_profile_share
rc_profile_stack_share(const struct rc_profile_stacks_tree *tree, double ns);

/* With fewer (effective) samples shares are not worth saying. */
enum { RC_PROFILE_SAMPLES_LEAST = 30 };

/* libraries.c: whose a file is, by its name. */
enum rc_profile_owner {
    RC_PROFILE_OWNER_PROGRAM, /* the program's, or a library's that it uses */
    RC_PROFILE_OWNER_MPI,     /* of what MPI consists of */
    RC_PROFILE_OWNER_ROLLCALL /* the library that a profile puts into programs */
};
enum rc_profile_owner rc_profile_owner_of(const char *path);

/* Where samples were, by file, the most first; all files of MPI are one.  No symbols
 * are read for it.  'item' is the caller's, to be freed.
 */
struct rc_profile_library {
    const char *name; /* of the file, without folders; "MPI" */
    uint64_t samples;
    double ns;
};
struct rc_profile_libraries {
    struct rc_profile_library *item;
    size_t count;
    uint64_t samples;
    double ns, effective; /* of all; as in struct rc_profile_stacks_tree */
};
int rc_profile_libraries(const struct rc_profile_node *node, size_t nodes,
                         struct rc_profile_libraries *out, struct rc_error *err);

/* A function, all its stacks together.  MPI's work inside of a call counts as the
 * call's, where the stack goes back to it.
 */
struct rc_profile_stack_function {
    const char *function, *module;
    uint64_t own, total; /* a function within itself counts once */
    double own_ns, total_ns;
    uint64_t truncated; /* of own */
};

/* By falling time of their own; the array is the caller's, to be freed. */
int rc_profile_stack_functions(const struct rc_profile_stacks_tree *tree,
                               struct rc_profile_stack_function **out, size_t *count,
                               struct rc_error *err);

#endif
