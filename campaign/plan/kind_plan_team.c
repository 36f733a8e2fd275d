/* One rank of a kind makes its plan as records and broadcasts them; every rank reads
 * them.
 */
#include "campaign/plan/kind_plan_team.h"

#include "campaign/base/agree.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 26 };

/* Records one behind the other: type, length, payload. */
struct tape {
    const struct rc_kind_plan_team *team;
    unsigned char *byte;
    uint64_t count;
};

static int tape_add(struct tape *tape, const void *data, size_t bytes,
                    struct rc_error *err)
{
    unsigned char *longer = realloc(tape->byte, tape->count + bytes + 1);

    if (!longer)
        return rc_fail(err, RC_ENOMEM, "no memory to tell the plan to others");
    tape->byte = longer;
    if (bytes)
        memcpy(tape->byte + tape->count, data, bytes);
    tape->count += bytes;
    return RC_OK;
}

static int emit(void *context, uint32_t type, const struct rc_bytes *payload,
                struct rc_error *err)
{
    struct tape *tape = context;
    uint64_t head[2] = {type, payload->count};
    int status = tape_add(tape, head, sizeof head, err);

    return status == RC_OK ? tape_add(tape, payload->byte, payload->count, err)
                           : status;
}

static void remark(void *context, const char *line)
{
    const struct tape *tape = context;

    if (tape->team->remark)
        tape->team->remark(tape->team->context, line);
}

/* The first words in which two keys differ. */
static void difference(const char *was, const char *is, size_t *at)
{
    size_t same = 0;

    while (was[same] && was[same] == is[same])
        same++;
    while (same > 0 && was[same - 1] != ' ')
        same--;
    *at = same;
}

/* A machine that the campaign has not seen is a mistake more often than a wish. */
static int check_kind(const struct rc_kind_plan_team *team, struct rc_error *err)
{
    const struct rc_campaign *campaign = team->campaign;
    const struct rc_kind *kind = &team->ranks->catalogue->kind;
    size_t at;

    if (campaign->kind_count == 0 || (team->extend && !rc_campaign_share(campaign)) ||
        rc_campaign_find_kind(campaign, rc_record_kind_id(kind->key)) <
            campaign->kind_count)
        return RC_OK;
    difference(campaign->kind[0].record.key, kind->key, &at);
    return rc_fail(err, RC_ECONFLICT,
                   "this machine is of another kind (%s) than the campaign measured "
                   "(%s): found '%.160s', expected '%.160s'; %s",
                   kind->name, campaign->kind[0].record.name, kind->key + at,
                   campaign->kind[0].record.key + at,
                   rc_campaign_share(campaign)
                       ? "this share was dealt out without it: deal out again with a "
                         "node of this kind in the job, or merge the shares and "
                         "--extend the whole"
                       : "--extend adds the kind");
}

/* New events are tried: with a catalogue of their own.  A share has the events and
 * groups that it was dealt, whatever else this node counts: only its suites are
 * checked against those of this build.
 */
static int speak(const struct rc_kind_plan_team *team, struct tape *tape,
                 struct rc_error *err)
{
    struct rc_catalogue *tried = NULL;
    struct rc_kind_plan plan = {.spec = team->spec,
                                .catalogue = team->ranks->catalogue,
                                .campaign = team->campaign,
                                .emit = emit,
                                .remark = remark,
                                .context = tape};
    const char *key = team->ranks->catalogue->kind.key;
    const bool share = rc_campaign_share(team->campaign) != NULL;
    bool is_new = false;
    int status = share ? RC_OK
                       : rc_kind_plan_is_new(team->campaign, team->ranks->catalogue,
                                             &is_new, err);

    if (status == RC_OK && is_new) {
        status = rc_catalogue_open(team->spec, true, &tried, err);
        plan.catalogue = tried;
    }
    if (status == RC_OK && is_new && strcmp(tried->kind.key, key) != 0)
        status = rc_fail(err, RC_ECONFLICT,
                         "the machine changed while it was looked at: kind %s, then %s",
                         team->ranks->catalogue->kind.name, tried->kind.name);
    if (status == RC_OK)
        rc_kind_plan_say_verdicts(&plan);
    if (status == RC_OK && !share && plan.catalogue->count > 0)
        status = rc_kind_plan_say_patterns(&plan, err);
    if (status == RC_OK)
        status = share ? rc_kind_plan_suites(&plan, rc_record_kind_id(key), err)
                       : rc_kind_plan_kind(&plan, err);
    rc_catalogue_close(tried);
    return status;
}

typedef int take_fn(const struct rc_kind_plan_team *team, uint32_t type,
                    const void *payload, size_t bytes, struct rc_error *err);

static int write_record(const struct rc_kind_plan_team *team, uint32_t type,
                        const void *payload, size_t bytes, struct rc_error *err)
{
    return rc_journal_append(team->journal, type, payload, bytes, err);
}

static int apply_record(const struct rc_kind_plan_team *team, uint32_t type,
                        const void *payload, size_t bytes, struct rc_error *err)
{
    return rc_campaign_apply(team->campaign, type, payload, bytes, err);
}

static int play(const struct rc_kind_plan_team *team, const struct tape *tape,
                take_fn *take, struct rc_error *err)
{
    uint64_t at = 0, head[2];
    int status = RC_OK;

    while (at < tape->count && status == RC_OK) {
        memcpy(head, tape->byte + at, sizeof head);
        at += sizeof head;
        status = take(team, (uint32_t)head[0], tape->byte + at, head[1], err);
        at += head[1];
    }
    return status;
}

static int tell(const struct rc_kind_plan_team *team, struct tape *tape,
                struct rc_error *err)
{
    MPI_Comm comm = team->ranks->kind;
    bool speaks = rc_team_rank(comm) == 0;
    int status = RC_OK;

    if (comm == MPI_COMM_NULL)
        return RC_OK;
    MPI_Bcast(&tape->count, 1, MPI_UINT64_T, 0, comm);
    if (!speaks && !(tape->byte = malloc(tape->count + 1)))
        status = rc_fail(err, RC_ENOMEM, "no memory for the plan");
    status = rc_agree(comm, status, err);
    for (uint64_t at = 0; at < tape->count && status == RC_OK; at += PIECE)
        MPI_Bcast(tape->byte + at,
                  (int)(tape->count - at < PIECE ? tape->count - at : PIECE), MPI_BYTE,
                  0, comm);
    if (status == RC_OK && !speaks)
        status = play(team, tape, apply_record, err);
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
        status = speak(team, &tape, err);
    status = rc_agree(ranks->comm, status, err);
    if (status == RC_OK)
        status = team->begin(team->context, err);
    if (status == RC_OK)
        status = rc_agree(ranks->comm, play(team, &tape, write_record, err), err);
    if (status == RC_OK)
        status = rc_agree(ranks->comm, tell(team, &tape, err), err);
    free(tape.byte);
    *kind = rc_campaign_find_kind(team->campaign,
                                  rc_record_kind_id(ranks->catalogue->kind.key));
    return status;
}
