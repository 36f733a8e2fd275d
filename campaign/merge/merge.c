/* The steps of a merge, in their order.
 *
 * First the operands' journals are read, and the result is settled without a file being
 * written; all conflicts are said, not only the first.  Readings are read when they are
 * written, one unit at a time.
 */
#include "campaign/merge/merge.h"

#include "campaign/base/text.h"
#include "campaign/merge/parts.h"

#include <inttypes.h>
#include <stdlib.h>

#define EXPECTED_SEVERAL "expected two or more directories of campaigns"

/* Settles what the result is, before anything is written. */
static int define_result(struct rc_merge *m, struct rc_error *err)
{
    int status;

    if ((status = rc_merge_read(m, err)) != RC_OK)
        return status;
    /* One operand alone makes sense if it is a share, which becomes a campaign that a
     * run can continue, and with --replace, since more may follow.
     */
    if (m->count == 1 &&
        (rc_merge_is_aligned(m) ||
         !(m->job->replaces || rc_campaign_share(m->operand[0].campaign))))
        return rc_fail(err, RC_EUSAGE, EXPECTED_SEVERAL);
    if ((status = rc_merge_stage_check(m->job->dir, m->job->replaces, err)) != RC_OK ||
        (status = rc_merge_kinds(m, err)) != RC_OK)
        return status;
    if (m->conflicts)
        return rc_fail(err, RC_ECONFLICT,
                       "the campaigns do not go together: %" PRIu64
                       " conflict%s; nothing is written",
                       m->conflicts, rc_text_s(m->conflicts));
    if ((status = rc_merge_number(m, err)) != RC_OK ||
        (status = rc_merge_groups(m, err)) != RC_OK)
        return status;
    return rc_merge_spec(m, err);
}

static int write_records(void *merge, struct rc_journal *journal, struct rc_error *err)
{
    struct rc_merge *m = merge;
    int status;

    m->journal = journal;
    if ((status = rc_merge_write_head(m, err)) == RC_OK)
        status = rc_merge_units(m, err);
    return status;
}

int rc_merge(const struct rc_merge_job *job, struct rc_merge_result *out,
             struct rc_error *err)
{
    struct rc_merge m = {.job = job, .count = job->operand_count};
    const struct rc_merge_stage stage = {.dir = job->dir,
                                         .node = RC_MERGE_NODE,
                                         .campaign = &m.campaign,
                                         .replaces = job->replaces,
                                         .write = write_records,
                                         .arg = &m};
    int status;

    *out = (struct rc_merge_result){0};
    if (job->operation == RC_OPERATION_DIFFERENCE && job->operand_count != 2)
        return rc_fail(err, RC_EUSAGE, "expected two campaigns, A and B for A - B");
    if (job->operand_count == 0)
        return rc_fail(err, RC_EUSAGE, EXPECTED_SEVERAL);
    for (size_t i = 0; i < job->operand_count; i++)
        if (!job->operand[i][0])
            return rc_fail(err, RC_EUSAGE,
                           "expected directories of campaigns, found an empty name");
    m.operand = rc_arena_array(&m.arena, m.count, sizeof *m.operand);
    if ((status = rc_arena_check(&m.arena, err, "the campaigns")) == RC_OK &&
        (status = define_result(&m, err)) == RC_OK)
        status = rc_merge_stage_write(&stage, out, err);
    for (size_t i = 0; m.operand && i < m.count; i++)
        rc_merge_operand_fini(&m.operand[i]);
    rc_merge_kinds_fini(&m);
    free(m.spec_text);
    rc_arena_free(&m.arena);
    return status;
}
