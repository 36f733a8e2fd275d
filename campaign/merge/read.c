/* Reads the operands of a merge, and checks that they may be merged.
 *
 * Operands with the same campaign id are a family, copies or shares of one campaign:
 * each unit counts once.  Different campaigns must not contain the same one from an
 * earlier merge; their records of origin tell.
 */
#include "campaign/merge/parts.h"

#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/pack/journal_to_store.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPEC_BYTES_MAX ((size_t)256 << 20) /* of a campaign.yaml */

void rc_merge_operand_fini(struct rc_merge_operand *o)
{
    rc_unit_reader_fini(&o->reader);
    rc_spec_fini(&o->spec);
    rc_campaign_close(o->campaign);
}

/* Takes the journal's campaign file or, if that was lost, the one next to the journals.
 */
static int read_spec(struct rc_merge_operand *o, struct rc_error *err)
{
    const char *text = o->campaign->record.spec;
    char path[PATH_MAX], *other = NULL;
    size_t bytes = 0;
    int status;

    if (text)
        return rc_spec_from_text("campaign file", text, strlen(text), &o->spec, err);
    if ((status = rc_path(path, sizeof path, err, "%s/campaign.yaml", o->dir)) != RC_OK)
        return status;
    if (access(path, F_OK) != 0)
        return rc_fail(err, RC_ECONFLICT,
                       "%s: the journal has lost the campaign file, and there is no "
                       "campaign.yaml: expected it there",
                       o->dir);
    if ((status = rc_file_read(path, RC_FILE_IN, SPEC_BYTES_MAX, &other, &bytes,
                               err)) == RC_OK)
        status = rc_spec_from_text(path, other, bytes, &o->spec, err);
    free(other);
    return status;
}

static bool same_id(const struct rc_journal_id *a, const struct rc_journal_id *b)
{
    return memcmp(a->byte, b->byte, sizeof a->byte) == 0;
}

static int read_operand(struct rc_merge *m, struct rc_merge_operand *o,
                        struct rc_error *err)
{
    char path[PATH_MAX];
    int status = rc_campaign_read(MPI_COMM_NULL, o->dir, &o->campaign, err);

    if (status == RC_EMISSING &&
        rc_campaign_dir_results(o->dir, path, sizeof path, NULL) == RC_OK &&
        access(path, F_OK) == 0)
        return rc_fail(err, RC_EMISSING,
                       "%s: has a campaign.h5, and the journals that it was made from "
                       "are not there: the journals are needed",
                       o->dir);
    if (status != RC_OK)
        return status;
    rc_campaign_say_damage(o->campaign, m->job->say, m->job->arg);
    const uint64_t detours = o->campaign->detours;
    if (detours)
        rc_merge_say(m,
                     "%" PRIu64 " measurement%s of detours stay%s in '%.200s': results "
                     "of a merge have none",
                     detours, rc_text_s(detours), detours == 1 ? "s" : "", o->dir);
    if (o->campaign->kind_count == 0)
        return rc_fail(err, RC_EMISSING, "%s: the journals name no kind of machine yet",
                       o->dir);
    o->family = o->number;
    for (size_t i = o->number; i-- > 0 && !rc_merge_is_aligned(m);)
        if (same_id(&m->operand[i].campaign->campaign, &o->campaign->campaign))
            o->family = i;
    o->reader.campaign = o->campaign;
    return read_spec(o, err);
}

/* A model with another seed counts something else, and a campaign file holds one seed.
 */
static void check_seeds(struct rc_merge *m)
{
    const struct rc_merge_operand *first = NULL;

    for (size_t i = 0; i < m->count; i++) {
        const struct rc_merge_operand *o = &m->operand[i];
        bool simulated = false;
        for (size_t k = 0; k < o->campaign->kind_count; k++)
            for (size_t s = 0; s < o->campaign->kind[k].record.source_count; s++)
                simulated |= o->campaign->kind[k].record.source[s].simulated;
        if (!simulated)
            continue;
        if (first && first->spec.seed != o->spec.seed)
            rc_merge_conflict(
                m, "the seed of the model is %" PRIu64 " in '%s', %" PRIu64 " in '%s'",
                first->spec.seed, first->dir, o->spec.seed, o->dir);
        first = first ? first : o;
    }
}

/* Whether the readings of campaign 'id' are among those of 'o'. */
static bool has_readings_of(const struct rc_merge_operand *o,
                            const struct rc_journal_id *id)
{
    static const struct rc_journal_id none;

    if (same_id(&o->campaign->campaign, id))
        return true;
    if (same_id(id, &none))
        return false;
    for (size_t i = 0; i < o->campaign->origin_count; i++) {
        const struct rc_record_origin *origin = &o->campaign->origin[i];
        for (size_t p = 0; p < origin->operand_count; p++)
            if (origin->operation == RC_OPERATION_MERGE &&
                same_id(&origin->operand[p].campaign, id))
                return true;
    }
    return false;
}

/* Whether 'a' and 'b' hold readings of the same campaign. */
static bool share_readings(const struct rc_merge_operand *a,
                           const struct rc_merge_operand *b)
{
    if (has_readings_of(a, &b->campaign->campaign))
        return true;
    for (size_t i = 0; i < b->campaign->origin_count; i++) {
        const struct rc_record_origin *origin = &b->campaign->origin[i];
        for (size_t p = 0; p < origin->operand_count; p++)
            if (origin->operation == RC_OPERATION_MERGE &&
                has_readings_of(a, &origin->operand[p].campaign))
                return true;
    }
    return false;
}

static bool is_older(const struct rc_merge_operand *a, const struct rc_merge_operand *b)
{
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns;
    return memcmp(&a->campaign->campaign, &b->campaign->campaign,
                  sizeof a->campaign->campaign) < 0;
}

/* Sorts the operands into 'by_age', by their first unit. */
static int sort_by_age(struct rc_merge *m, struct rc_error *err)
{
    m->by_age = rc_arena_array(&m->arena, m->count, sizeof *m->by_age);
    int status = rc_arena_check(&m->arena, err, "the campaigns");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < m->count; i++) {
        struct rc_merge_operand *o = &m->operand[i];
        size_t at = i;
        o->begin_ns = UINT64_MAX;
        for (size_t u = 0; u < o->campaign->unit_count; u++)
            if (o->campaign->unit[u].begin_ns < o->begin_ns)
                o->begin_ns = o->campaign->unit[u].begin_ns;
        for (; at > 0 && is_older(o, &m->operand[m->by_age[at - 1]]); at--)
            m->by_age[at] = m->by_age[at - 1];
        m->by_age[at] = i;
    }
    return RC_OK;
}

int rc_merge_read(struct rc_merge *m, struct rc_error *err)
{
    bool one = !rc_merge_is_aligned(m);
    int status;

    for (size_t i = 0; i < m->count; i++)
        m->operand[i] =
            (struct rc_merge_operand){.dir = m->job->operand[i], .number = i};
    for (size_t i = 0; i < m->count; i++)
        if ((status = read_operand(m, &m->operand[i], err)) != RC_OK)
            return status;
    if ((status = sort_by_age(m, err)) != RC_OK)
        return status;
    for (size_t i = 0; i < m->count; i++)
        one = one && m->operand[i].family == 0;
    if (!rc_merge_is_aligned(m)) {
        check_seeds(m);
        /* A reading that was merged before would count twice. */
        for (size_t i = 0; i < m->count; i++)
            for (size_t j = 0; j < i; j++)
                if (m->operand[i].family != m->operand[j].family &&
                    share_readings(&m->operand[j], &m->operand[i]))
                    rc_merge_conflict(m,
                                      "'%s' and '%s' were merged from the same "
                                      "campaign: its readings would count twice",
                                      m->operand[j].dir, m->operand[i].dir);
    }
    /* A family is merged to its campaign, other operands to a new one. */
    if (!one)
        return rc_campaign_dir_new_id(&m->campaign, err);
    m->campaign = m->operand[0].campaign->campaign;
    return RC_OK;
}
