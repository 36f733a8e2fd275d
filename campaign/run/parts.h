/* parts.h - what the files of the run command share */
#ifndef RC_CAMPAIGN_RUN_PARTS_H
#define RC_CAMPAIGN_RUN_PARTS_H

#include "campaign/catalogue/ranks.h"
#include "campaign/records/campaign_open.h"
#include "campaign/run/progress.h"
#include "campaign/run/worker.h"

/* One run, on one rank. */
struct rc_run {
    /* Set by the caller. */
    MPI_Comm comm;   /* of all ranks; MPI_COMM_NULL: this process is alone */
    const char *dir; /* the campaign's */
    bool extend;     /* the spec may ask for more than the campaign's */
    bool anew;       /* 'dir' is a stage: remains of a killed process are removed */

    /* Set by rc_run_open(). */
    struct rc_campaign_open opening;
    struct rc_ranks ranks;
    struct rc_journal *journal; /* this rank's, in the file of its node */
    struct rc_log *log;
    struct rc_progress *progress; /* on rank 0 */

    /* Set by rc_run_plan(). */
    size_t kind;                 /* of this rank: index in the campaign */
    struct rc_event_numbers map; /* of that kind */
    struct rc_measurer *measurer;
    struct rc_costs costs; /* zeros if nothing is left */
    struct rc_units_setup setup;
    struct rc_units units; /* of this rank's place, without those that are done */
    uint64_t totals[2];    /* of the job: units that are left, and their cost */
    uint64_t wall_ns;      /* estimated time for these units, of this kind */
    uint64_t wanted;       /* units at all places of the job, done or not */

    /* During the run. */
    struct rc_rank_counters *rank_counters;
    struct rc_worker *worker;
    uint64_t began_ns; /* by rc_clock_ns() */
    bool interrupted;  /* by a signal, on any rank */
    bool incomplete;   /* on the first rank: units are missing or not ok */
    bool said_signal;  /* people were told that it came */
    char at[128];      /* what is being measured, for the line of progress */
};

/* steps.c: the steps that a run shares with the dealing out of its units.  Collective;
 * rc_run_fini() in any case.
 */
int rc_run_open(struct rc_run *w, const struct rc_args *args, struct rc_error *err);
int rc_run_plan(struct rc_run *w, struct rc_error *err); /* sets all but 'units' */
void rc_run_fini(struct rc_run *w);

/* shares.c: collective: the command with --shares; 'text' is the number. */
int rc_run_shares(struct rc_session *session, const struct rc_args *args,
                  const char *dir, const char *text, struct rc_error *err);

/* shares_write.c: collective: deals out the units of all kinds and writes the
 * directories 'stage'/0, 'stage'/1, ...; 'campaign' was read from the plan's journals.
 * 'units' gets the number of units on every rank.
 */
struct rc_run_shares {
    const char *stage;
    uint32_t shares;
    const struct rc_campaign *campaign;
};
int rc_run_write_shares(struct rc_run *w, const struct rc_run_shares *job,
                        uint64_t *units, struct rc_error *err);

bool rc_run_is_first(const struct rc_run *w);

/* say.c: for people, from the first rank, and into the log. */
void rc_run_say(struct rc_run *w, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* "" says nothing */
void rc_run_warn(struct rc_run *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));       /* also with --quiet */
void rc_run_remark(void *run, const char *line); /* from any rank */
void rc_run_detail(void *run,
                   const char *line); /* likewise; for the log, and shown with -v */
void rc_run_say_ranks(struct rc_run *w);
void rc_run_say_work(struct rc_run *w);
void rc_run_say_signal(struct rc_run *w);   /* collective; sets 'interrupted' */
void rc_run_say_problems(struct rc_run *w); /* sets 'incomplete' on the first rank */
void rc_run_log_queue(struct rc_run *w);
void rc_run_tick(void *run);                  /* shows progress if it is due */
void rc_run_close_progress(struct rc_run *w); /* with its last line */

/* campaign/commands/run_store.c: collective: writes DIR/campaign.h5 from all that the
 * journals hold by now; the results stay held from then on.  On the first rank
 * 'incomplete' says whether it lacks any.
 */
int rc_run_store(struct rc_run *w, struct rc_error *err);

/* steps.c: opens this rank's journal. */
int rc_run_open_journal(struct rc_run *w, const struct rc_campaign *campaign,
                        struct rc_error *err);

/* units.c: collective: lists the units that are left, in order, and sets 'totals'. */
int rc_run_prepare_units(struct rc_run *w, struct rc_error *err);

/* units.c: append records of the run itself; on the first rank. */
int rc_run_append_campaign(struct rc_run *w, struct rc_error *err);
int rc_run_append_run(struct rc_run *w, uint32_t type, uint64_t left,
                      struct rc_error *err);

#endif
