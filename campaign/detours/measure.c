/* Measures detours on all cores of a job: rounds of passes, each in another order.
 *
 * A pass is the bare loop or a suite's kernel, on all cores of the nodes at once or on
 * one core of a node at a time.  All ranks begin a pass together and wait asleep: a
 * rank that spun would take the time of those that share its core, and keep the
 * system's daemons off its own.  Nothing is written while anybody measures.
 */
#include "campaign/detours/measure.h"

#include "campaign/base/agree.h"
#include "campaign/base/files/path.h"
#include "campaign/base/mix.h"
#include "campaign/base/text.h"
#include "campaign/cli/signals.h"
#include "campaign/cli/tell.h"
#include "campaign/clock/measure.h"
#include "campaign/detours/detours.h"
#include "campaign/detours/measure_core.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/machine/binding.h"
#include "campaign/machine/nodes.h"
#include "campaign/records/campaign.h"
#include "io/journal/format.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One measurement of all cores, or of each core alone. */
struct pass {
    const char *work; /* a word of the task's, NULL: the bare loop */
    bool alone;
};

/* A job that measures, as one rank sees it. */
struct job {
    MPI_Comm comm, node; /* all ranks; those of our node */
    const struct rc_noise_task *task;
    struct rc_campaign_dir *dir;
    struct rc_journal_id campaign;
    uint64_t sequence;    /* of the first record */
    uint32_t first_round; /* above those that are there */
    struct rc_nodes nodes;
    struct rc_machine *machine;
    int most_ranks; /* of a node */
    struct rc_noise_core_setup setup;
    struct rc_noise_core *core;
    struct rc_journal *journal;
    struct pass *pass;
    size_t passes;
    int *turn;        /* [most_ranks] ranks of a node in the order of their turns */
    uint64_t written; /* passes of which there are records */
    struct rc_clock
        clock; /* of our node: measured before the first pass, and after each */
    struct rc_clock_quality quality; /* of its last measurement */
    bool stopped;
    struct rc_arena arena; /* of the passes and their orders */
};

static void say_clocks(const struct job *job)
{
    char line[RC_ERROR_TEXT];

    if (job->nodes.count > 1 && rc_team_rank(job->comm) == 0)
        rc_tell(rc_clock_quality_put(line, sizeof line, &job->nodes, &job->quality));
}

/* Collective: between two of these, times of one node are known on all others. */
static int measure_clocks(struct job *job, struct rc_error *err)
{
    const int status = rc_clock_measure(&job->nodes, &job->clock, &job->quality, err);

    if (status != RC_OK)
        return status;
    if (!rc_clock_holds(&job->quality))
        say_clocks(job);
    return RC_OK;
}

/* With the clock as it was before and after. */
static int append_record(struct job *job, struct rc_error *err)
{
    struct rc_bytes payload = {0};
    const size_t count = job->clock.count, kept = count < 2 ? count : 2;
    int status = rc_noise_core_record(
        job->core, kept ? &job->clock.offset[count - kept] : NULL, kept, &payload, err);

    if (status == RC_OK)
        status = rc_journal_append(job->journal, RC_RECORD_DETOURS, payload.byte,
                                   payload.count, err);
    rc_bytes_fini(&payload);
    return status;
}

/* Collective: one pass, turn by turn where one core of a node measures at a time. */
static int run_pass(struct job *job, const struct pass *pass, uint32_t round,
                    struct rc_error *err)
{
    const int turns = pass->alone ? job->most_ranks : 1;
    struct rc_noise_work work = {.suite = NULL};
    int status = RC_OK;

    if (pass->work)
        status = rc_noise_work_find(pass->work, &job->setup.request, &work, err);
    if (pass->work && status == RC_OK)
        status = rc_noise_work_begin(job->core, &work, err);
    status = rc_agree(job->comm, status, err);
    for (int t = 0; t < turns && status == RC_OK && !job->stopped; t++) {
        const bool mine = !pass->alone || job->turn[t] == rc_team_rank(job->node);
        rc_meet_asleep(job->comm, NULL, NULL);
        if (mine)
            status = rc_noise_core_measure(job->core, &work, round, pass->alone, err);
        rc_meet_asleep(job->comm, NULL, NULL);
        job->stopped = rc_team_most(job->comm, rc_signals_came()) != 0;
        status = rc_agree(job->comm, status, err);
        if (status != RC_OK || job->stopped)
            break;
        status = measure_clocks(job, err);
        if (status != RC_OK)
            break;
        job->written++;
        status = rc_agree(job->comm, mine ? append_record(job, err) : RC_OK, err);
    }
    rc_noise_work_end(&work);
    return status;
}

/* Numbers from 0 on in an order that a key makes. */
static void shuffle(int *number, size_t count, uint64_t key)
{
    for (size_t i = 0; i < count; i++)
        number[i] = (int)i;
    for (size_t i = count; i > 1; i--) {
        const size_t other = rc_mix_next(&key) % i;
        const int kept = number[i - 1];
        number[i - 1] = number[other];
        number[other] = kept;
    }
}

/* Collective: all passes of a round. */
static int run_round(struct job *job, uint32_t round, struct rc_error *err)
{
    /* The orders of a round: the same on all ranks, other for each round. */
    uint64_t key =
        rc_text_hash_more(rc_text_hash("noise"), &job->campaign, sizeof job->campaign);
    key = rc_mix(rc_text_hash_more(key, &round, sizeof round));
    int *order = rc_arena_array(&job->arena, job->passes, sizeof *order);
    int status = rc_agree(job->comm, rc_arena_check(&job->arena, err, "passes"), err);

    if (status != RC_OK)
        return status;
    shuffle(order, job->passes, key);
    for (size_t i = 0; i < job->passes && !job->stopped; i++) {
        shuffle(job->turn, (size_t)job->most_ranks, rc_mix(key + i + 1));
        if ((status = run_pass(job, &job->pass[order[i]], round, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Collective: DIR, held, and the campaign that its journals are of: a new one where
 * there is none.
 */
static int open_dir(struct job *job, struct rc_error *err)
{
    struct rc_campaign *campaign = NULL;
    char remark[512] = "", results[PATH_MAX];
    int status =
        rc_campaign_dir_open(job->comm, job->task->dir, RC_CAMPAIGN_DIR_CAMPAIGN,
                             rc_tell, &job->dir, remark, sizeof remark, err);

    if (status != RC_OK)
        return status;
    if (remark[0] && rc_team_rank(job->comm) == 0)
        rc_tell(remark);
    status = rc_campaign_read(job->comm, job->task->dir, &campaign, err);
    if (status == RC_OK) {
        job->campaign = campaign->campaign;
        job->sequence = campaign->next_sequence;
        job->first_round = campaign->next_round;
        rc_campaign_close(campaign);
        if (job->task->rounds > RC_NOISE_ROUNDS_MOST - job->first_round)
            return rc_fail(err, RC_EUSAGE,
                           "'%.200s' has %" PRIu32
                           " rounds, expected no more than %d with the new ones",
                           job->task->dir, job->first_round, RC_NOISE_ROUNDS_MOST);
        return RC_OK;
    }
    if (status != RC_EMISSING)
        return status;
    status = rc_campaign_dir_results(job->task->dir, results, sizeof results, err);
    if (status == RC_OK && access(results, F_OK) == 0)
        status = rc_fail(err, RC_ECONFLICT,
                         "'%.200s' has a campaign.h5, but the journal it was made from "
                         "is not there: expected its journal, or another directory",
                         job->task->dir);
    if (status == RC_OK && rc_team_rank(job->comm) == 0)
        status = rc_campaign_dir_new_id(&job->campaign, err);
    if ((status = rc_agree(job->comm, status, err)) != RC_OK)
        return status;
    rc_broadcast(job->comm, 0, &job->campaign, sizeof job->campaign);
    return RC_OK;
}

/* Collective: nodes, and this rank on a core of its own. */
static int take_places(struct job *job, struct rc_error *err)
{
    const struct rc_binding_setup setup = {.machine = job->machine};
    struct rc_binding place;
    char remark[512];
    size_t cpus;
    int status = rc_nodes_find(job->comm, &job->nodes, err);

    if (status != RC_OK)
        return status;
    if (job->comm != MPI_COMM_NULL)
        MPI_Comm_split(job->comm, (int)job->nodes.mine, rc_team_rank(job->comm),
                       &job->node);
    job->most_ranks = rc_team_most(job->comm, rc_team_size(job->node));
    status = rc_binding_find(job->node, &setup, &place, remark, sizeof remark, err);
    status = rc_agree(job->comm, status, err);
    if (status != RC_OK)
        return status;
    if (remark[0] && rc_team_rank(job->comm) == 0)
        rc_tell(remark);
    job->setup.node = job->nodes.node[job->nodes.mine].name;
    job->setup.cpu = rc_machine_cpus(job->machine, &cpus)[place.cpu].os_index;
    job->setup.sharing = place.sharing;
    return RC_OK;
}

/* This rank's passes, loop and journal. */
static int open_rank(struct job *job, struct rc_error *err)
{
    char name[RC_NODE_NAME + sizeof RC_NOISE_JOURNAL];
    const struct rc_journal_setting setting = {.dir = job->task->dir,
                                               .node = name,
                                               .campaign = job->campaign,
                                               .writer =
                                                   (uint32_t)rc_team_rank(job->comm),
                                               .first_sequence = job->sequence,
                                               .sync_ms = RC_JOURNAL_SYNC_EACH};
    const size_t works = job->task->work.count;

    job->pass = rc_arena_array(&job->arena, 2 * (works + 1), sizeof *job->pass);
    job->turn = rc_arena_array(&job->arena, (size_t)job->most_ranks, sizeof *job->turn);
    int status = rc_arena_check(&job->arena, err, "passes");
    if (status != RC_OK)
        return status;
    /* A round is the bare loop and each work, with all cores and alone. */
    for (size_t i = 0; i <= works; i++) {
        const char *work = i ? job->task->work.word[i - 1] : NULL;
        job->pass[job->passes++] = (struct pass){work, false};
        if (job->task->alone)
            job->pass[job->passes++] = (struct pass){work, true};
    }
    status = rc_noise_core_create(&job->setup, &job->core, err);
    if (status != RC_OK)
        return status;
    snprintf(name, sizeof name, "%s" RC_NOISE_JOURNAL, job->setup.node);
    return rc_journal_open(&setting, &job->journal, err);
}

static void say_plan(const struct job *job)
{
    char line[RC_ERROR_TEXT] = "", each[RC_TEXT_SHORT], all[RC_TEXT_SHORT];
    uint64_t goes = 0;

    for (size_t i = 0; i < job->passes; i++)
        goes += job->pass[i].alone ? (uint64_t)job->most_ranks : 1;
    goes *= job->task->rounds;
    const int ranks = rc_team_size(job->comm);
    rc_text_append(line, sizeof line,
                   "measuring detours on %d core%s of %zu node%s: %" PRIu64
                   " time%s %s, %s",
                   ranks, rc_text_s((uint64_t)ranks), job->nodes.count,
                   rc_text_s(job->nodes.count), goes, rc_text_s(goes),
                   rc_text_put_duration(each, job->task->duration_ns),
                   rc_text_put_duration(all, goes * job->task->duration_ns));
    rc_tell(line);
}

/* Collective.  A measurement that left no record removes its own empty journals, and
 * what was made for them.
 */
static void close_job(struct job *job)
{
    char path[PATH_MAX];
    struct stat info;

    (void)rc_journal_close(job->journal, NULL);
    if (job->dir && job->written == 0) {
        if (job->nodes.count > 0 && job->nodes.leads &&
            rc_path(path, sizeof path, NULL, "%s/journal/%s" RC_NOISE_JOURNAL ".rcj",
                    job->task->dir, job->nodes.node[job->nodes.mine].name) == RC_OK &&
            lstat(path, &info) == 0 && S_ISREG(info.st_mode) &&
            info.st_size == RC_JOURNAL_HEADER)
            unlink(path);
        rc_meet_asleep(job->comm, NULL, NULL);
        if (rc_team_rank(job->comm) == 0 &&
            rc_path(path, sizeof path, NULL, "%s/journal", job->task->dir) == RC_OK)
            rmdir(path); /* stays where others are in it */
        rc_campaign_dir_leave(job->dir);
    } else {
        rc_campaign_dir_close(job->dir);
    }
    if (job->node != MPI_COMM_NULL)
        MPI_Comm_free(&job->node);
    rc_nodes_fini(&job->nodes);
    rc_machine_close(job->machine);
    rc_noise_core_close(job->core);
    rc_clock_fini(&job->clock);
    rc_arena_free(&job->arena);
}

/* Checks everything that can be checked before DIR is touched. */
static int check_task(struct job *job, struct rc_error *err)
{
    struct rc_noise_work work;
    int status = rc_detour_check_clock(err);

    if (status != RC_OK ||
        (status = rc_machine_open(RC_MACHINE_THIS, NULL, &job->machine, err)) != RC_OK)
        return status;
    job->setup.duration_ns = job->task->duration_ns;
    job->setup.tracepoints = job->task->tracepoints;
    job->setup.request.geometry = rc_machine_geometry(job->machine);
    for (size_t i = 0; i < job->task->work.count; i++)
        if ((status = rc_noise_work_find(job->task->work.word[i], &job->setup.request,
                                         &work, err)) != RC_OK)
            return status;
    return status;
}

int rc_noise_measure(MPI_Comm comm, const struct rc_noise_task *task, bool *stopped,
                     struct rc_error *err)
{
    struct job job = {.comm = comm, .node = MPI_COMM_NULL, .task = task};

    rc_signals_watch();
    int status = rc_agree(comm, check_task(&job, err), err);

    if (status != RC_OK || (status = open_dir(&job, err)) != RC_OK ||
        (status = take_places(&job, err)) != RC_OK ||
        (status = rc_agree(comm, open_rank(&job, err), err)) != RC_OK)
        goto out;
    if (rc_team_rank(comm) == 0)
        say_plan(&job);
    status = measure_clocks(&job, err);
    for (uint32_t r = 0; r < task->rounds && status == RC_OK && !job.stopped; r++)
        status = run_round(&job, job.first_round + r, err);
    if (job.written > 0)
        say_clocks(&job);
out:
    if (job.stopped && rc_team_rank(comm) == 0)
        rc_tell("stopped: passes that were complete are kept");
    close_job(&job);
    *stopped = job.stopped;
    return status;
}
