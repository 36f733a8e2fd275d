/* Makes campaign.h5 from journals: finds the best records, then writes block after
 * block.
 *
 * The campaign that was read has the best record of each unit.  All ranks make the same
 * plan from it: the kinds by name, and for each event the group from which its readings
 * are taken.  Then the suites are written one after the other; in each round every rank
 * fills a block of other events (block.c), and all write together.
 */
#include "campaign/pack/journal_to_store.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/pack/parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 32 << 20 };

bool rc_journal_to_store_is_made(const struct rc_campaign *campaign,
                                 const struct rc_store_campaign *made)
{
    const char *spec = campaign->record.spec ? campaign->record.spec : "";
    char id[RC_JOURNAL_ID_TEXT], digest[RC_DIGEST_TEXT];

    rc_journal_id_text(id, &campaign->campaign);
    rc_text_put_digest(digest, rc_campaign_digest(campaign));
    return strcmp(made->id, id) == 0 && strcmp(made->digest, digest) == 0 &&
           strcmp(made->spec, spec) == 0;
}

bool rc_journal_to_store_is_difference(const struct rc_store_campaign *campaign)
{
    char sign[32];
    const size_t length = (size_t)snprintf(
        sign, sizeof sign, "%s: of ", rc_operation_names()[RC_OPERATION_DIFFERENCE]);

    for (size_t i = 0; i < campaign->source_label_count; i++)
        if (strncmp(campaign->source_labels[i], sign, length) == 0)
            return true;
    return false;
}

/* Gives events without a group the lowest one that qualifies: with readings in the
 * suite or without, and having them as own events or as references.
 */
static void take_groups(struct rc_event_suite_place *home,
                        const struct rc_campaign_kind *k, const bool *has_readings,
                        bool readings, bool own)
{
    for (uint32_t g = 0; g < k->group_count; g++) {
        const struct rc_record_group *group = &k->group[g];
        const size_t end = own ? group->own : group->count;
        if (has_readings[g] != readings)
            continue;
        for (size_t m = own ? 0 : group->own; m < end; m++)
            if (home[group->event[m]].group == RC_NOWHERE)
                home[group->event[m]] = (struct rc_event_suite_place){g, (uint32_t)m};
    }
}

/* Finds the group of each event's readings.  A group with readings comes first: a
 * campaign that was extended may have an event in an older group, too, which was not
 * measured in this suite.
 */
static int find_homes(struct rc_arena *arena, struct rc_block_filling *s,
                      struct rc_error *err)
{
    const struct rc_campaign_kind *k = &s->campaign->kind[s->kind];
    struct rc_event_suite_place *home =
        rc_arena_array(arena, k->event_count, sizeof *home);
    bool *has_readings = rc_arena_array(arena, k->group_count, sizeof *has_readings);
    const int status = rc_arena_check(arena, err, "the events of a suite");

    s->home = home;
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < s->unit_count; i++)
        if (s->unit[i].status != RC_UNIT_FAILED)
            has_readings[s->unit[i].group] = true;
    for (size_t e = 0; e < k->event_count; e++)
        home[e] = (struct rc_event_suite_place){RC_NOWHERE, RC_NOWHERE};
    take_groups(home, k, has_readings, true, true);
    take_groups(home, k, has_readings, false, true);
    take_groups(home, k, has_readings, true, false);
    take_groups(home, k, has_readings, false, false);
    return RC_OK;
}

/* Finds the places at which the suite was measured, and the most repetitions of a unit.
 */
static int find_places(struct rc_arena *arena, struct rc_block_filling *s,
                       struct rc_error *err)
{
    bool *seen = rc_arena_array(arena, s->campaign->place_count, sizeof *seen);

    s->place = rc_arena_array(arena, s->campaign->place_count, sizeof *s->place);
    const int status = rc_arena_check(arena, err, "the places of a suite");
    if (status != RC_OK)
        return status;
    s->repetitions = 1;
    for (size_t i = 0; i < s->unit_count; i++) {
        seen[s->unit[i].place] = true;
        if (s->unit[i].repetitions > s->repetitions)
            s->repetitions = s->unit[i].repetitions;
    }
    seen[0] = seen[0] || s->unit_count == 0; /* a suite has at least one place */
    for (uint32_t p = 0; p < s->campaign->place_count; p++)
        if (seen[p])
            s->place[s->place_count++] = p;
    return RC_OK;
}

/* Prepares the writing of one suite; its units are neighbours in the campaign's list.
 */
static int find_suite(struct rc_store_making *a, uint32_t kind, uint32_t suite,
                      struct rc_error *err)
{
    const struct rc_campaign *h = a->campaign;
    struct rc_block_filling *s = &a->suite[a->suite_count++];
    const size_t first = rc_campaign_first_unit(h, kind, suite, 0);
    const size_t last = rc_campaign_first_unit(h, kind, suite + 1, 0);

    *s = (struct rc_block_filling){.campaign = h,
                                   .kind = kind,
                                   .suite = suite,
                                   .unit = h->unit ? h->unit + first : NULL,
                                   .unit_count = h->unit ? last - first : 0,
                                   .event_count = h->kind[kind].event_count,
                                   .point_count =
                                       h->kind[kind].suite[suite].point_count};
    a->total += s->event_count;
    int status;
    if ((status = find_homes(&a->arena, s, err)) != RC_OK ||
        (status = find_places(&a->arena, s, err)) != RC_OK)
        return status;
    /* The workers that measured units of the suite, each once; worker[0] stands for
     * nobody.
     */
    const size_t count = s->unit_count + 1;
    size_t worker = 0;
    s->worker = rc_arena_array(&a->arena, count, sizeof *s->worker);
    if (!s->worker)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu units", s->unit_count);
    for (size_t i = 1; i < count; i++)
        s->worker[i] = rc_who_of(&s->unit[i - 1]);
    qsort(s->worker + 1, count - 1, sizeof *s->worker, rc_who_compare);
    for (size_t i = 1; i < count; i++)
        if (i == 1 || rc_who_compare(&s->worker[worker], &s->worker[i]) != 0)
            s->worker[++worker] = s->worker[i];
    s->worker_count = worker + 1;
    return RC_OK;
}

/* Lists the work, on this rank alone but the same on all. */
static int find_work(struct rc_store_making *a, struct rc_error *err)
{
    const struct rc_campaign *h = a->campaign;
    size_t suites = 0;

    for (size_t k = 0; k < h->kind_count; k++)
        suites += h->kind[k].suite_count;
    a->kind = rc_arena_array(&a->arena, h->kind_count, sizeof *a->kind);
    a->suite = rc_arena_array(&a->arena, suites, sizeof *a->suite);
    int status = rc_arena_check(&a->arena, err, "kinds and suites");
    if (status != RC_OK)
        return status;
    /* By name, since their order in the campaign depends on who wrote first.  Insertion
     * sort: kinds are few.
     */
    for (size_t i = 0; i < h->kind_count; i++) {
        size_t at = i;
        for (; at > 0 &&
               strcmp(h->kind[a->kind[at - 1]].record.name, h->kind[i].record.name) > 0;
             at--)
            a->kind[at] = a->kind[at - 1];
        a->kind[at] = (uint32_t)i;
    }
    for (size_t i = 0; i < h->kind_count; i++)
        for (uint32_t s = 0; s < h->kind[a->kind[i]].suite_count; s++)
            if ((status = find_suite(a, a->kind[i], s, err)) != RC_OK)
                return status;
    return RC_OK;
}

/* Events in a block: whole chunks, within BLOCK_BYTES, and work for all ranks. */
static size_t block_events(const struct rc_store_making *a,
                           const struct rc_block_filling *s)
{
    const size_t chunk = rc_store_chunk(a->store, s->store_kind, s->store_suite);
    const size_t ranks = (size_t)rc_team_size(a->comm);
    const size_t each =
        s->place_count * (s->repetitions * (8 * s->point_count + 17) + 5);
    const size_t share = (s->event_count + ranks - 1) / ranks;
    size_t events = BLOCK_BYTES / each;

    if (events > share)
        events = share + chunk - 1;
    events -= events % chunk;
    return events > 0 ? events : chunk;
}

/* Collective: in each round, rank r writes the r-th of the next blocks.  A rank without
 * events left writes an empty block, since all enter rc_store_write().
 */
static int write_suite(struct rc_store_making *a, const struct rc_block_filling *s,
                       struct rc_error *err)
{
    const size_t events = block_events(a, s), ranks = (size_t)rc_team_size(a->comm);
    const size_t rows = events * s->place_count, readings = rows * s->repetitions;
    const size_t values = readings * s->point_count;
    struct rc_arena arena = {0};
    struct rc_store_block block = {
        .values = rc_arena_array(&arena, values, sizeof *block.values),
        .enabled_ns = rc_arena_array(&arena, readings, sizeof *block.enabled_ns),
        .running_ns = rc_arena_array(&arena, readings, sizeof *block.running_ns),
        .status = rc_arena_array(&arena, readings, sizeof *block.status),
        .stop = rc_arena_array(&arena, rows, sizeof *block.stop),
        .worker = rc_arena_array(&arena, rows, sizeof *block.worker)};
    int status =
        rc_agree(a->comm, rc_arena_check(&arena, err, "a block of readings"), err);

    for (size_t begin = 0; begin < s->event_count && status == RC_OK;
         begin += ranks * events) {
        const size_t mine = begin + (size_t)rc_team_rank(a->comm) * events;
        const size_t left = mine < s->event_count ? s->event_count - mine : 0;
        const size_t rest = s->event_count - begin;
        block.first = left ? mine : 0;
        block.count = left < events ? left : events;
        if (block.count > 0)
            status = rc_block_filling_fill(s, &block, err);
        status = rc_agree(a->comm, status, err);
        if (status != RC_OK)
            break;
        status = rc_store_write(a->store, s->store_kind, s->store_suite, &block, err);
        a->done += rest < ranks * events ? rest : ranks * events;
        if (status == RC_OK && a->tell)
            a->tell(a->arg, a->done, a->total);
    }
    rc_arena_free(&arena);
    return status;
}

int rc_journal_to_store(MPI_Comm comm, const char *dir,
                        const struct rc_campaign *campaign,
                        void (*tell)(void *arg, size_t done, size_t total), void *arg,
                        struct rc_error *err)
{
    struct rc_store_making a = {
        .comm = comm, .campaign = campaign, .tell = tell, .arg = arg};
    char path[PATH_MAX];
    int status;

    if ((status = rc_campaign_dir_results(dir, path, sizeof path, err)) == RC_OK)
        status = find_work(&a, err);
    if ((status = rc_agree(comm, status, err)) != RC_OK ||
        (status = rc_store_making_create(&a, path, err)) != RC_OK)
        goto out;
    if ((status = rc_store_making_define(&a, err)) != RC_OK)
        goto out;
    for (size_t s = 0; s < a.suite_count; s++)
        if ((status = write_suite(&a, &a.suite[s], err)) != RC_OK)
            goto out;
out:
    if (status == RC_OK)
        status = rc_store_close(a.store, err);
    else
        rc_store_abandon(a.store);
    rc_arena_free(&a.arena);
    return status;
}
