/* One rank of a kind makes its plan as records and broadcasts them; every rank reads
 * them.
 *
 * There are three steps, each agreed on by all ranks of the job: the first rank of each
 * kind plans and keeps the records in memory; if every kind could be planned, these
 * ranks write their records into their journals; the other ranks of the kind then get
 * the same bytes and decode them like a journal.  So a plan that fails on one kind
 * leaves nothing on the disks.
 */
#include "campaign/plan/kind_plan_team.h"

#include "campaign/base/agree.h"

#include <string.h>

/* Records in a row: type and length, 8 bytes each, and the payload. */
struct tape {
    const struct rc_kind_plan_team *team;
    struct rc_bytes bytes;
};

/* A payload is never empty: its first byte is the version. */
static int keep_record(void *context, uint32_t type, const struct rc_bytes *payload,
                       struct rc_error *err)
{
    struct rc_bytes *tape = &((struct tape *)context)->bytes;
    const uint64_t head[2] = {type, payload->count};

    rc_bytes_add(tape, head, sizeof head);
    rc_bytes_add(tape, payload->byte, payload->count);
    return tape->failed ? rc_fail(err, RC_ENOMEM,
                                  "no memory to send the plan to the other ranks")
                        : RC_OK;
}

static void pass_remark(void *context, const char *line)
{
    const struct tape *tape = context;

    if (tape->team->remark)
        tape->team->remark(tape->team->context, line);
}

/* Refuses a machine of a kind that the campaign has not measured, since it is usually a
 * mistake; the line shows the first part in which the keys of the kinds differ.
 */
static int check_kind(const struct rc_kind_plan_team *team, struct rc_error *err)
{
    const struct rc_campaign *campaign = team->campaign;
    const struct rc_kind *kind = &team->ranks->catalogue->kind;
    char found[RC_KIND_PART], expected[RC_KIND_PART];

    if (campaign->kind_count == 0 || (team->extend && !rc_campaign_share(campaign)) ||
        rc_campaign_find_kind(campaign, rc_record_kind_id(kind->key)) <
            campaign->kind_count)
        return RC_OK;
    const char *was = campaign->kind[0].record.key;
    rc_machine_kind_part(kind->key, was, found);
    rc_machine_kind_part(was, kind->key, expected);
    return rc_fail(err, RC_ECONFLICT,
                   "this machine belongs to another kind (%s) than the campaign "
                   "measured (%s): found '%s', expected '%s'; %s",
                   kind->name, campaign->kind[0].record.name, found, expected,
                   rc_campaign_share(campaign)
                       ? "this share was dealt out without it: deal it out again with "
                         "a node of this kind in the job, or merge the shares and "
                         "--extend the whole"
                       : "--extend adds the kind");
}

/* On the first rank of a kind: makes the plan, as records in the tape.  Events that the
 * campaign does not know are tried first, in a catalogue that is opened for it.  A
 * share has the events and groups that it was dealt, whatever else this node counts:
 * only its suites are checked against those of this build.
 */
static int plan_kind(const struct rc_kind_plan_team *team, struct tape *tape,
                     struct rc_error *err)
{
    struct rc_catalogue *tried = NULL;
    struct rc_kind_plan plan = {.spec = team->spec,
                                .catalogue = team->ranks->catalogue,
                                .campaign = team->campaign,
                                .emit = keep_record,
                                .remark = pass_remark,
                                .context = tape};
    const char *key = team->ranks->catalogue->kind.key;
    const bool share = rc_campaign_share(team->campaign) != NULL;
    bool is_new = false;
    int status = RC_OK;

    if (!share && (status = rc_kind_plan_is_new(team->campaign, plan.catalogue, &is_new,
                                                err)) != RC_OK)
        return status;
    if (is_new) {
        if ((status = rc_catalogue_open(team->spec, true, &tried, err)) != RC_OK)
            return status;
        tried->workers = plan.catalogue->workers;
        plan.catalogue = tried;
        if (strcmp(tried->kind.key, key) != 0) {
            status =
                rc_fail(err, RC_ECONFLICT,
                        "the machine changed while it was examined: kind %s, then %s",
                        team->ranks->catalogue->kind.name, tried->kind.name);
            goto out;
        }
    }
    rc_kind_plan_say_verdicts(&plan);
    if (share)
        status = rc_kind_plan_suites(&plan, rc_record_kind_id(key), err);
    else if (plan.catalogue->count == 0 ||
             (status = rc_kind_plan_say_patterns(&plan, err)) == RC_OK)
        status = rc_kind_plan_kind(&plan, err);
out:
    rc_catalogue_close(tried);
    return status;
}

/* Puts each record of the tape into 'journal', or, if that is NULL, into the campaign.
 */
static int play_tape(const struct tape *tape, struct rc_journal *journal,
                     struct rc_error *err)
{
    uint64_t at = 0, head[2];
    int status = RC_OK;

    while (at < tape->bytes.count) {
        memcpy(head, tape->bytes.byte + at, sizeof head);
        at += sizeof head;
        const unsigned char *payload = tape->bytes.byte + at;
        status = journal ? rc_journal_append(journal, (uint32_t)head[0], payload,
                                             head[1], err)
                         : rc_campaign_apply(tape->team->campaign, (uint32_t)head[0],
                                             payload, head[1], err);
        at += head[1];
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Collective over the ranks of a kind: sends the first one's records to the others,
 * which apply them to their campaigns.
 */
static int tell_plan(const struct rc_kind_plan_team *team, struct tape *tape,
                     struct rc_error *err)
{
    MPI_Comm comm = team->ranks->kind;
    const bool speaks = rc_team_rank(comm) == 0;
    uint64_t count = tape->bytes.count;
    int status = RC_OK;

    if (comm == MPI_COMM_NULL)
        return RC_OK;
    rc_broadcast(comm, 0, &count, sizeof count);
    if (rc_bytes_reserve(&tape->bytes, speaks ? 0 : count))
        status = rc_fail(err, RC_ENOMEM, "no memory for the plan");
    if ((status = rc_agree(comm, status, err)) != RC_OK)
        return status;
    tape->bytes.count = count;
    rc_broadcast(comm, 0, tape->bytes.byte, count);
    if (!speaks)
        status = play_tape(tape, NULL, err);
    return rc_agree(comm, status, err);
}

int rc_kind_plan_team(const struct rc_kind_plan_team *team, size_t *kind,
                      struct rc_error *err)
{
    const struct rc_ranks *ranks = team->ranks;
    struct tape tape = {.team = team};
    int status = rc_agree(ranks->comm, check_kind(team, err), err);

    if (status != RC_OK)
        return status;
    if (rc_team_rank(ranks->kind) == 0)
        status = plan_kind(team, &tape, err);
    if ((status = rc_agree(ranks->comm, status, err)) != RC_OK ||
        (status = team->begin(team->context, err)) != RC_OK)
        goto out;
    /* Only the first rank of a kind has records in its tape by now. */
    if ((status = rc_agree(ranks->comm, play_tape(&tape, team->journal, err), err)) !=
        RC_OK)
        goto out;
    status = rc_agree(ranks->comm, tell_plan(team, &tape, err), err);
out:
    rc_bytes_fini(&tape.bytes);
    *kind = rc_campaign_find_kind(team->campaign,
                                  rc_record_kind_id(ranks->catalogue->kind.key));
    return status;
}
