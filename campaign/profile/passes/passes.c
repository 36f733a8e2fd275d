/* Passes: which one a launch takes, and which are missing. */
#include "campaign/profile/passes/passes.h"

#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/grouping/grouping.h"
#include "campaign/sources/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 16 << 20, LINE = 128 };

/* A line of the file. */
struct taken {
    uint64_t launch, pass, passes, key;
};

static int passes_path(const char *dir, char out[PATH_MAX], struct rc_error *err)
{
    return rc_path(out, PATH_MAX, err, "%s/passes.txt", dir);
}

/* The lines of the file; free(*out).  A line that is none, as one that was being
 * written when its launcher was killed, is passed over.
 */
static int read_taken(const char *dir, struct taken **out, size_t *count,
                      struct rc_error *err)
{
    char path[PATH_MAX], *text = NULL;
    size_t bytes = 0, room = 0;
    int status = passes_path(dir, path, err);

    *out = NULL;
    *count = 0;
    if (status != RC_OK || (access(path, F_OK) != 0 && errno == ENOENT))
        return status;
    if ((status = rc_file_read(path, RC_FILE_IN, FILE_BYTES, &text, &bytes, err)))
        return status;
    for (const char *line = text; *line;) {
        struct taken t;
        if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %16" SCNx64, &t.launch,
                   &t.pass, &t.passes, &t.key) == 4 &&
            t.passes >= 1 && t.passes <= RC_PROFILE_PASSES && t.pass < t.passes) {
            if (rc_grow(out, sizeof **out, *count, &room)) {
                status = rc_fail(err, RC_ENOMEM, "no memory for '%.400s'", path);
                break;
            }
            (*out)[(*count)++] = t;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    free(text);
    return status;
}

/* Whether the launch is there, and ended as it should on all of its nodes: its
 * samplers, and the first threads of its processes.
 */
static bool is_whole(const struct rc_profile *profile, uint64_t launch)
{
    bool whole = true;
    size_t nodes = 0;

    for (size_t n = 0; n < profile->node_count; n++) {
        const struct rc_profile_node *node = &profile->node[n];
        if (node->launch.launch != launch)
            continue;
        nodes++;
        whole &= node->ended;
        for (size_t t = 0; t < node->thread_count; t++) {
            const struct rc_profile_place *place = &node->thread[t].place;
            if (place->tid == place->pid && !place->child)
                whole &= node->thread[t].closed && !node->thread[t].close.killed;
        }
    }
    return nodes > 0 && whole;
}

/* Passes of the key; 'profile' is NULL where there are no journals yet. */
static void find_passes(const struct taken *taken, size_t count, uint64_t key,
                        const struct rc_profile *profile, struct rc_profile_passes *out)
{
    out->key = key;
    out->passes = 0;
    for (size_t i = 0; i < RC_PROFILE_PASSES; i++)
        out->launch[i] = RC_PROFILE_NO_LAUNCH;
    for (size_t i = 0; i < count; i++) {
        if (taken[i].key != key)
            continue;
        out->passes = taken[i].passes;
        if (profile && is_whole(profile, taken[i].launch))
            out->launch[taken[i].pass] = taken[i].launch;
    }
    out->missing = 0;
    for (size_t i = 0; i < out->passes; i++)
        out->missing += out->launch[i] == RC_PROFILE_NO_LAUNCH;
}

int rc_profile_passes_find(const char *dir, const struct rc_profile *profile,
                           struct rc_profile_passes *out, struct rc_error *err)
{
    struct taken *taken;
    size_t count;
    const int status = read_taken(dir, &taken, &count, err);

    if (status == RC_OK)
        find_passes(taken, count, count ? taken[count - 1].key : 0, profile, out);
    free(taken);
    return status;
}

/* The key of the request: its patterns in their order, its parameters, and the number
 * of passes.
 */
static uint64_t request_key(const struct rc_profile_plan *plan)
{
    uint64_t key = rc_text_hash("passes");

    for (size_t i = plan->default_count; i < plan->patterns.count; i++)
        key = rc_text_hash_more(key, plan->patterns.item[i],
                                strlen(plan->patterns.item[i]) + 1);
    if (plan->set[0])
        key = rc_text_hash_more(key, plan->set, strlen(plan->set) + 1);
    return rc_text_hash_more(key, &plan->passes, sizeof plan->passes);
}

static int add_line(const struct rc_profile_plan *plan, uint64_t key,
                    struct rc_error *err)
{
    char path[PATH_MAX], line[LINE], digest[RC_DIGEST_TEXT];
    int status = passes_path(plan->dir, path, err);

    if (status != RC_OK)
        return status;
    snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
             plan->launch, plan->pass, plan->passes, rc_text_put_digest(digest, key));
    const int fd =
        rc_file_open(path, RC_FILE_IN, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return rc_file_fail_open(err, path);
    errno = ENOSPC; /* of a write that is short */
    if (write(fd, line, strlen(line)) != (ssize_t)strlen(line))
        status = rc_fail_errno(err, "cannot write '%.400s'", path);
    if (close(fd) != 0 && status == RC_OK)
        status = rc_fail_errno(err, "cannot write '%.400s'", path);
    return status;
}

/* The pass that is missing and was begun least often; where all are there, that which
 * was begun least often.
 */
static uint64_t next_pass(const struct taken *taken, size_t count, uint64_t passes,
                          const struct rc_profile_passes *have)
{
    size_t begun[RC_PROFILE_PASSES] = {0};
    uint64_t best = 0;

    for (size_t i = 0; i < count; i++)
        if (taken[i].key == have->key)
            begun[taken[i].pass]++;
    for (uint64_t p = 1; p < passes; p++) {
        const bool missing = have->launch[p] == RC_PROFILE_NO_LAUNCH,
                   best_missing = have->launch[best] == RC_PROFILE_NO_LAUNCH;
        if (missing != best_missing ? missing : begun[p] < begun[best])
            best = p;
    }
    return best;
}

int rc_profile_passes_choose(struct rc_profile_plan *plan, struct rc_error *err)
{
    const uint64_t key = request_key(plan);
    struct rc_profile *profile = NULL;
    struct rc_profile_passes have;
    struct taken *taken = NULL;
    size_t count;
    int status = read_taken(plan->dir, &taken, &count, err);

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < count; i++)
        if (taken[i].launch == plan->launch && taken[i].key == key) {
            plan->pass = taken[i].pass; /* of another node */
            goto out;
        }
    if (count > 0)
        status = rc_profile_read(plan->dir, false, &profile, err);
    if (status == RC_EMISSING) /* whatever was begun has written nothing */
        status = RC_OK;
    if (status != RC_OK)
        goto out;
    find_passes(taken, count, key, profile, &have);
    plan->pass = next_pass(taken, count, plan->passes, &have);
    status = add_line(plan, key, err);
out:
    rc_profile_close(profile);
    free(taken);
    return status;
}

/* Events that are being spread. */
struct spreading {
    const char *const *name;
    struct rc_error why; /* of an event that cannot be counted at all */
};

/* Whether threads can count these together. */
static void try_together(void *context, const uint32_t *events, size_t count,
                         struct rc_trial *out)
{
    struct spreading *s = context;
    struct rc_shared_event event[RC_SHARED_COUNTERS];
    struct rc_error why = {.rank = -1};

    out->verdict = RC_VERDICT_OK;
    out->reason[0] = 0;
    for (size_t i = 0; i < count && out->verdict == RC_VERDICT_OK; i++) {
        struct rc_shared_event found;
        if (rc_profile_counter_find(s->name[events[i]], event, i, &found, &why)) {
            out->verdict = RC_VERDICT_CANNOT_SCHEDULE;
            snprintf(out->reason, sizeof out->reason, "%.200s", why.text);
            if (count == 1)
                s->why = why;
            return;
        }
        event[i] = found;
    }
}

static int refuse_event(void *to, size_t index, const struct rc_trial *why,
                        struct rc_error *err)
{
    const struct spreading *s = to;

    (void)index;
    *err = s->why;
    return s->why.status != RC_OK ? s->why.status
                                  : rc_fail(err, RC_EUNSUPPORTED, "%s", why->reason);
}

/* At most 'cap' events of those that count together in each group; free() *group. */
static int group_events(const char *const *name, size_t count, size_t cap,
                        uint32_t **group, size_t *groups, struct rc_error *err)
{
    struct spreading s = {.name = name, .why = {.rank = -1}};
    const struct rc_grouping_setup setup = {
        .fits = try_together,
        .context = &s,
        .cap = cap < RC_SHARED_COUNTERS ? cap : RC_SHARED_COUNTERS};
    struct rc_groups_found found = {.group_of = NULL};
    uint32_t *event = rc_calloc(count, sizeof *event);
    int status = RC_OK;

    if (!event)
        return rc_fail(err, RC_ENOMEM, "no memory for events");
    for (size_t i = 0; i < count; i++)
        event[i] = (uint32_t)i;
    if (count > 0)
        status = rc_grouping(event, NULL, count, &setup, refuse_event, &s, &found, err);
    free(event);
    *group = found.group_of;
    *groups = found.groups;
    return status;
}

int rc_profile_passes_fewest(struct rc_profile_plan *plan, struct rc_error *err)
{
    const struct rc_patterns *patterns = &plan->patterns;
    const char **name = rc_calloc(patterns->count, sizeof *name);
    struct rc_shared_event found;
    struct rc_error ignored = {.rank = -1};
    uint32_t *group = NULL;
    size_t count = 0, groups = 0;

    if (!name)
        return rc_fail(err, RC_ENOMEM, "no memory for events");
    for (size_t i = plan->default_count; i < patterns->count; i++)
        if (patterns->item[i][0] != '!' &&
            rc_profile_counter_find(patterns->item[i], NULL, 0, &found, &ignored) ==
                RC_OK)
            name[count++] = patterns->item[i];
    const int status =
        group_events(name, count, RC_SHARED_COUNTERS, &group, &groups, err);
    free(group);
    free((void *)name);
    if (status)
        return status;
    if (groups > RC_PROFILE_PASSES)
        return rc_fail(err, RC_EUSAGE,
                       "--hierarchy: its %zu events take %zu passes, expected trees "
                       "that take at most %d",
                       count, groups, RC_PROFILE_PASSES);
    plan->passes = groups > 0 ? groups : 1;
    plan->fewest = true;
    return RC_OK;
}

/* As many in each pass as spread evenly, unless passes are as few as there can be. */
int rc_profile_passes_spread(const struct rc_profile_plan *plan,
                             const char *const *name, size_t count, uint32_t *group,
                             struct rc_error *err)
{
    const size_t passes = (size_t)plan->passes, even = (count + passes - 1) / passes;
    uint32_t *group_of = NULL;
    size_t groups = 0;
    int status = group_events(name, count, plan->fewest ? RC_SHARED_COUNTERS : even,
                              &group_of, &groups, err);

    if (status)
        goto out;
    if (groups != passes && !(plan->fewest && count == 0))
        status = rc_fail(err, RC_EUSAGE,
                         "--passes %zu: the %zu event%s that threads count make %zu "
                         "pass%s, expected that number",
                         passes, count, rc_text_s(count), groups,
                         rc_text_plural(groups, "", "es"));
    for (size_t i = 0; i < count; i++)
        group[i] = group_of[i];
out:
    free(group_of);
    return status;
}
