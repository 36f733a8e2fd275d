/* The functions in which samples of stacks found a profile's threads. */
#include "campaign/profile/read/stacks.h"
#include "campaign/profile/show/show_parts.h"
#include "campaign/profile/wire/plan.h"

#include "campaign/base/text.h"
#include "io/text/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_LEAST 0.005 /* of the time: else it is not named in the first lines */

enum { CELL = 48, SENTENCE = 512, DWARF_KIB = 32, NAMED = 5 };

static const struct rc_column columns[] = {
    {.name = "function (file)", .text_only = true},
    {.name = "function", .text_hidden = true},
    {.name = "file", .text_hidden = true},
    {.name = "self_%", .type = RC_CELL_NUMBER},
    {.name = "low_%", .type = RC_CELL_NUMBER},
    {.name = "high_%", .type = RC_CELL_NUMBER},
    {.name = "inclusive_%", .type = RC_CELL_NUMBER},
    {.name = "truncated_%", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "samples", .type = RC_CELL_NUMBER},
    {.name = "inclusive", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "inclusive_low_%", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "inclusive_high_%", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "truncated", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = NULL}};

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* A share and its interval, as cells. */
static void put_share(const struct rc_profile_stacks_tree *tree, double ns,
                      char text[3][CELL])
{
    const struct rc_profile_share share = rc_profile_stack_share(tree, ns);

    snprintf(text[0], CELL, "%.1f", 100 * share.is);
    snprintf(text[1], CELL, "%.1f", 100 * share.low);
    snprintf(text[2], CELL, "%.1f", 100 * share.high);
}

/* "libfftw3.so.3+0x1a40", "[kernel]", "(start)" */
static bool is_named_by(const char *function, const char *file)
{
    const size_t bytes = strlen(file);

    return function[0] == '[' || (strncmp(function, file, bytes) == 0 &&
                                  (!function[bytes] || function[bytes] == '+'));
}

/* People see the file's name, unless the function is named by it; JSON has its path. */
static void put_function(const struct rc_profile_stacks_tree *tree,
                         const struct rc_profile_stack_function *f,
                         struct rc_rows *rows)
{
    const char *slash = strrchr(f->module, '/'), *file = slash ? slash + 1 : f->module;
    char self[3][CELL], inclusive[3][CELL], cut[CELL], count[3][CELL], both[SENTENCE];
    const char *const cell[] = {
        both,     f->function, f->module,    self[0],
        self[1],  self[2],     inclusive[0], f->own > 0 ? cut : NULL,
        count[0], count[1],    inclusive[1], inclusive[2],
        count[2]};

    both[0] = 0;
    rc_text_append(both, sizeof both, "%s", f->function);
    if (!is_named_by(f->function, file))
        rc_text_append(both, sizeof both, " (%s)", file);
    put_share(tree, f->own_ns, self);
    put_share(tree, f->total_ns, inclusive);
    snprintf(cut, CELL, "%.1f", percent(f->truncated, f->own));
    snprintf(count[0], CELL, "%" PRIu64, f->own);
    snprintf(count[1], CELL, "%" PRIu64, f->total);
    snprintf(count[2], CELL, "%" PRIu64, f->truncated);
    rc_rows_add(rows, cell);
}

/* Whether the budget left fewer samples than were asked for. */
static bool is_limited(const struct rc_profile_sums *sums)
{
    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t i = 0; i < sums->node[n].rate_count; i++)
            if (sums->node[n].rate[i].what == RC_PROFILE_RATED_STACKS &&
                sums->node[n].rate[i].every > 1)
                return true;
    return false;
}

/* That samples are too few for shares, and the option that brings more; "": they are
 * enough.
 */
static const char *too_few(const struct rc_profile_sums *sums,
                           const struct rc_profile_stacks_tree *tree,
                           char out[SENTENCE])
{
    const uint64_t all = tree->stack->total;

    out[0] = 0;
    if ((all > 0 || is_limited(sums)) && tree->effective < RC_PROFILE_SAMPLES_LEAST)
        snprintf(out, SENTENCE,
                 "%" PRIu64 " sample%s of %.3f s of processor time%s too few to say "
                 "where it went (%d are the least): %s.",
                 all, rc_text_s(all), tree->stack->total_ns / 1e9,
                 all == 1 ? " is" : " are", RC_PROFILE_SAMPLES_LEAST,
                 is_limited(sums)
                     ? "the budget left fewer than were asked for, and --budget 5% has "
                       "room for more, as a longer run has"
                     : "--stacks RATE takes more, up to 1000 a second, as a longer run "
                       "does");
    return out;
}

static void put_sentence(const char *text)
{
    struct rc_page page;

    rc_page_init(&page, stdout);
    rc_page_begin(&page, 0);
    rc_page_words(&page, "%s", text);
    rc_page_end(&page);
    rc_page_fini(&page);
}

/* How many stacks are truncated and why, with the option that helps, if one does; "":
 * none.
 */
static const char *why_truncated(const struct rc_profile_stacks_tree *tree,
                                 char out[SENTENCE])
{
    const uint64_t all = tree->stack->total, kib = tree->stack_bytes >> 10;

    out[0] = 0;
    if (tree->truncated == 0)
        return out;
    rc_text_append(out, SENTENCE,
                   "%.1f %% of them do not reach the program's start (truncated): "
                   "callers are missing there, and inclusive shares are too small.",
                   percent(tree->truncated, all));
    if (tree->brief > 0)
        rc_text_append(out, SENTENCE,
                       " Of %.1f %% the %" PRIu64 " KiB of stack that were copied are "
                       "too short%s.",
                       percent(tree->brief, all), kib,
                       kib < DWARF_KIB              ? ": --stacks dwarf copies 32"
                       : kib < RC_PROFILE_STACK_KIB ? ": --stacks dwarf:97:63 copies 63"
                                                    : ", and more cannot be copied");
    if (tree->deep > 0)
        rc_text_append(
            out, SENTENCE, " %.1f %% are deeper than the %d calls followed%s.",
            percent(tree->deep, all), kib > 0 ? RC_PROFILE_PLACES : RC_PROFILE_POINTERS,
            kib > 0 ? "" : " by frame pointers");
    if (tree->truncated > tree->brief + tree->deep)
        rc_text_append(out, SENTENCE,
                       kib > 0 ? " Of %.1f %% files do not say where the caller is, or "
                                 "memory of the stack was never used."
                               : " Code without frame pointers ended %.1f %%.",
                       percent(tree->truncated - tree->brief - tree->deep, all));
    return out;
}

/* The meaning of the samples, and their limits. */
static void put_remarks(const struct rc_profile_stacks_tree *tree)
{
    const uint64_t all = tree->stack->total;
    char text[SENTENCE];
    struct rc_page page;

    rc_page_init(&page, stdout);
    rc_page_begin(&page, 0);
    rc_page_words(&page,
                  "%" PRIu64 " samples, each for about %.2f ms of a thread's processor "
                  "time: %.2f s of it together.",
                  all, tree->period_ns / 1e6, tree->stack->total_ns / 1e9);
    if (!tree->kernel)
        rc_page_words(&page, "Time in the kernel is not included.");
    if (*why_truncated(tree, text))
        rc_page_words(&page, "%s", text);
    if (tree->unnamed > 0)
        rc_page_words(&page, "%.1f %% are in functions without a name.",
                      percent(tree->unnamed, all));
    if (tree->unread_count > 0)
        rc_page_words(&page, "%zu file%s gave no names, the first: %s: %s.",
                      tree->unread_count, rc_text_s(tree->unread_count), tree->unread,
                      tree->unread_why);
    rc_page_end(&page);
    rc_page_fini(&page);
}

/* The numbers of all samples, and their functions. */
static void put_json(const struct rc_profile_sums *sums,
                     const struct rc_profile_stacks_tree *tree, struct rc_json *json)
{
    char text[SENTENCE];

    rc_json_object(json, "stacks");
    rc_json_integer(json, "samples", (int64_t)tree->stack->total);
    rc_json_short(json, "effective", tree->effective, 0);
    rc_json_text(json, "too_few", too_few(sums, tree, text));
    rc_json_short(json, "period_ns", tree->period_ns, 0);
    rc_json_flag(json, "kernel", tree->kernel);
    rc_json_integer(json, "truncated", (int64_t)tree->truncated);
    rc_json_integer(json, "stack_bytes", (int64_t)tree->stack_bytes);
    rc_json_integer(json, "too_short", (int64_t)tree->brief);
    rc_json_integer(json, "too_deep", (int64_t)tree->deep);
    rc_json_text(json, "truncated_why", why_truncated(tree, text));
    rc_json_integer(json, "unnamed", (int64_t)tree->unnamed);
    rc_json_integer(json, "unread_files", (int64_t)tree->unread_count);
    rc_json_text(json, "unread_why", tree->unread_why);
    rc_json_end(json);
    rc_json_array(json, "functions");
}

bool rc_profile_has_samples(const struct rc_profile_sums *sums)
{
    for (size_t n = 0; n < sums->node_count; n++)
        if (sums->node[n].samples.total > 0)
            return true;
    return is_limited(sums);
}

static const struct rc_column library_columns[] = {
    {.name = "library"},
    {.name = "share_%", .type = RC_CELL_NUMBER},
    {.name = "low_%", .type = RC_CELL_NUMBER},
    {.name = "high_%", .type = RC_CELL_NUMBER},
    {.name = "samples", .type = RC_CELL_NUMBER},
    {.name = NULL}};

/* Programs, libraries, MPI and the kernel by processor time. */
int rc_profile_show_libraries(const struct rc_profile_sums *sums, size_t most,
                              struct rc_json *json, struct rc_error *err)
{
    struct rc_profile_libraries all;
    int status = rc_profile_libraries(sums->node, sums->node_count, &all, err);

    if (status != RC_OK)
        return status;
    if (json)
        rc_json_array(json, "libraries");
    struct rc_rows *rows = rc_rows_create(
        stdout, json ? RC_FORMAT_JSON : RC_FORMAT_TEXT, library_columns, json);
    for (size_t i = 0; i < all.count && (json || i < most); i++) {
        const struct rc_profile_share share =
            rc_profile_share_of(all.item[i].ns, all.ns, all.effective);
        char text[4][CELL];
        snprintf(text[0], CELL, "%.1f", 100 * share.is);
        snprintf(text[1], CELL, "%.1f", 100 * share.low);
        snprintf(text[2], CELL, "%.1f", 100 * share.high);
        snprintf(text[3], CELL, "%" PRIu64, all.item[i].samples);
        rc_rows_add(rows, (const char *const[]){all.item[i].name, text[0], text[1],
                                                text[2], text[3]});
    }
    status = rc_rows_end(rows, RC_OK, err);
    if (json)
        rc_json_end(json);
    else if (all.count > most && status == RC_OK)
        printf("(and %zu more: --format json has all)\n", all.count - most);
    free(all.item);
    return status;
}

/* "libfftw3.so.3 39 %, pw.x 21 %, ..." of samples that are enough to say so. */
void rc_profile_show_most(struct rc_page *page, const struct rc_profile_sums *sums)
{
    struct rc_profile_libraries all;
    struct rc_error ignored;

    if (rc_profile_libraries(sums->node, sums->node_count, &all, &ignored) != RC_OK)
        return;
    if (all.effective >= RC_PROFILE_SAMPLES_LEAST) {
        rc_page_words(page, "Processor time by library:");
        size_t named = 1;
        while (named < all.count && named < NAMED &&
               all.item[named].ns >= NAMED_LEAST * all.ns)
            named++;
        for (size_t i = 0; i < named; i++) {
            rc_page_words(page, "%s %.0f %%", all.item[i].name,
                          100 * all.item[i].ns / all.ns);
            rc_page_tail(page, i + 1 < named ? "," : ".");
        }
    }
    free(all.item);
}

/* Those with most samples of their own come first, then those that called them. */
int rc_profile_show_functions(const struct rc_profile_sums *sums, size_t most,
                              struct rc_json *json, struct rc_error *err)
{
    struct rc_profile_stack_function *function = NULL;
    struct rc_profile_stacks_tree tree;
    size_t count = 0, shown = 0;
    char text[SENTENCE];
    int status = rc_profile_stacks_tree(sums->node, sums->node_count, &tree, err);

    if (status != RC_OK ||
        (status = rc_profile_stack_functions(&tree, &function, &count, err)))
        goto out;
    if (json)
        put_json(sums, &tree, json);
    else if (*too_few(sums, &tree, text)) {
        put_sentence(text);
        goto out;
    }
    struct rc_rows *rows =
        rc_rows_create(stdout, json ? RC_FORMAT_JSON : RC_FORMAT_TEXT, columns, json);
    rc_rows_fit(rows);
    while (shown < count && (json || shown < most))
        put_function(&tree, &function[shown++], rows);
    status = rc_rows_end(rows, RC_OK, err);
    if (json)
        rc_json_end(json);
    else if (status == RC_OK) {
        if (shown < count)
            printf("(and %zu more: --format json has all)\n", count - shown);
        put_remarks(&tree);
    }
out:
    free(function);
    rc_profile_stacks_tree_fini(&tree);
    return status;
}
