/* profile_dump FILE.rcj...: what the records of profiles say, a line each, for tests */
#include "campaign/profile/wire/records.h"
#include "io/journal/journal.h"

#include "campaign/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Memory for a file's records. */
struct dump {
    struct rc_pool *texts;
    struct rc_arena lists;
};

static void print_launch(const struct rc_profile_launch *l)
{
    printf("launch %" PRIu64 " node %s period %" PRIu64 " every %" PRIu64
           " trace %d cpu '%s'",
           l->launch, l->node, l->period_ns, l->every, l->trace, l->sampler_cpu);
    for (size_t i = 0; i < l->counter_count; i++)
        printf(" counter %s", l->counter[i]);
    for (size_t i = 0; i < l->word_count; i++)
        printf(" '%s'", l->word[i]);
    printf("\n");
}

static void print_events(const struct rc_profile_events *events)
{
    for (size_t i = 0; i < events->event_count; i++)
        printf("event %s scope %d state %d %s\n", events->event[i].name,
               events->event[i].scope, events->event[i].state, events->event[i].reason);
}

static void print_names(const struct rc_profile_names *names)
{
    for (size_t i = 0; i < names->byte_count; i += strlen(names->byte + i) + 1)
        printf("name %" PRIu64 " %zu '%s'\n", names->place, names->first + i,
               names->byte + i);
}

static void print_rows(const struct rc_profile_payload *p)
{
    for (size_t i = 0; p->type == RC_PROFILE_PATHS && i < p->paths.path_count; i++) {
        const struct rc_profile_path *path = &p->paths.path[i];
        printf("path %" PRIu64 " %" PRIu64 " parent %" PRIu64 " name %" PRIu64
               " visits %" PRIu64 " ns %" PRIu64 " count %" PRIu64 "\n",
               p->paths.place, path->number, path->parent, path->name, path->visits,
               path->ns, path->count[0]);
    }
    for (size_t i = 0; p->type == RC_PROFILE_CALLS && i < p->calls.call_count; i++) {
        const struct rc_profile_call *call = &p->calls.call[i];
        printf("call %" PRIu64 " %" PRIu64 " name %" PRIu64 " calls %" PRIu64
               " bytes %" PRIu64 "\n",
               p->calls.place, call->number, call->name, call->calls, call->bytes);
    }
    for (size_t i = 0; p->type == RC_PROFILE_SPANS && i < p->spans.span_count; i++)
        printf("span %" PRIu64 " %" PRIu64 " %" PRIu64 " at %" PRIu64 "\n",
               p->spans.place, p->spans.span[i].what, p->spans.span[i].number,
               p->spans.span[i].at_ns);
}

static void print_waits(const struct rc_profile_waits *w)
{
    printf("waits %" PRIu64 " exchanges %" PRIu64 " unmatched %" PRIu64
           " impossible %" PRIu64 "\n",
           w->place, w->exchanges, w->unmatched, w->impossible);
    for (size_t i = 0; i < w->wait_count; i++)
        printf("wait %" PRIu64 " %" PRIu64 " kind %" PRIu64 " known %" PRIu64
               " ns %" PRIu64 "\n",
               w->place, w->wait[i].number, w->wait[i].kind, w->wait[i].known,
               w->wait[i].waited_ns);
}

static void print_readings(const struct rc_profile_readings *r)
{
    for (size_t i = 0; i < r->reading_count; i++)
        printf("reading %" PRIu64 " %" PRId64 " at %" PRIu64 " since %" PRIu64
               " half %" PRIu64 "%s%s\n",
               r->event, r->reading[i].value, r->reading[i].at_ns,
               r->reading[i].since_ns, r->reading[i].half_ns, r->why[0] ? " why " : "",
               r->why);
}

static void print_stacks(const struct rc_profile_stacks *s)
{
    printf("stacks modules %zu frames %zu kernel %d lost %" PRIu64 " full %" PRIu64
           " missed %" PRIu64 " why '%s'\n",
           s->module_count, s->frame_count, s->kernel, s->lost, s->full, s->missed,
           s->why);
    for (size_t i = 0; i < s->task_count; i++)
        printf("task %" PRIu64 " pid %" PRIu64 " tid %" PRIu64 " rank %" PRId64 "\n",
               s->tasks + i, s->task[i].pid, s->task[i].tid, s->task[i].rank);
    for (size_t i = 0; i < s->module_count; i++)
        printf("module %" PRIu64 " %s %s\n", s->modules + i + 1, s->module[i].path,
               s->module[i].build_id);
    for (size_t i = 0; i < s->frame_count; i++)
        printf("frame %" PRIu64 " parent %" PRIu64 " module %" PRIu64 " at %" PRIx64
               " start %d\n",
               s->frames + i + 1, s->frame[i].parent, s->frame[i].module,
               s->frame[i].offset, s->frame[i].start);
    for (size_t i = 0; i < s->count_count; i++)
        printf("samples %" PRIu64 " task %" PRIu64 " frame %" PRIu64 "\n",
               s->count[i].samples, s->count[i].task, s->count[i].frame);
}

static int print_record(void *user, const struct rc_journal_record *record,
                        struct rc_error *err)
{
    struct dump *dump = user;
    struct rc_profile_payload p;
    const int status = rc_profile_decode(record->type, record->payload, record->bytes,
                                         dump->texts, &dump->lists, &p, err);

    if (status != RC_OK)
        return status;
    if (p.type == RC_PROFILE_LAUNCH)
        print_launch(&p.launch);
    else if (p.type == RC_PROFILE_EVENTS)
        print_events(&p.events);
    else if (p.type == RC_PROFILE_PLACE)
        printf("place %" PRIu64 " pid %" PRIu64 " tid %" PRIu64 " rank %" PRId64
               " child %d program %s cpus %s why '%s' began %" PRIu64 "\n",
               p.place.place, p.place.pid, p.place.tid, p.place.rank, p.place.child,
               p.place.program, p.place.cpus, p.place.counters_why, p.place.began_ns);
    else if (p.type == RC_PROFILE_NAMES)
        print_names(&p.names);
    else if (p.type == RC_PROFILE_READINGS)
        print_readings(&p.readings);
    else if (p.type == RC_PROFILE_CLOSE)
        printf("close %" PRIu64 " rank %" PRId64 " killed %d lost %" PRIu64
               " lost_paths %" PRIu64 " repaired %" PRIu64 " ended %" PRIu64 "\n",
               p.close.place, p.close.rank, p.close.killed, p.close.lost_entries,
               p.close.lost_paths, p.close.repaired, p.close.ended_ns);
    else if (p.type == RC_PROFILE_COST)
        printf("cost sampler %" PRIu64 " program %" PRIu64 " entries %" PRIu64
               " visits %" PRIu64 " calls %" PRIu64 "\n",
               p.cost.sampler_ns, p.cost.program_ns, p.cost.entries, p.cost.visits,
               p.cost.calls);
    else if (p.type == RC_PROFILE_END)
        printf("end no_block %" PRIu64 " late %" PRIu64 " restarted %" PRIu64 "\n",
               p.end.no_block, p.end.late_ns, p.end.restarted);
    else if (p.type == RC_PROFILE_STACKS)
        print_stacks(&p.stacks);
    else if (p.type == RC_PROFILE_WAITS)
        print_waits(&p.waits);
    else if (p.type == RC_PROFILE_CLOCK)
        printf("clock at %" PRId64 " low %" PRId64 " high %" PRId64 "\n",
               p.offset.at_ns, p.offset.low_ns, p.offset.high_ns);
    else
        print_rows(&p);
    return RC_OK;
}

int main(int argc, char **argv)
{
    struct dump dump = {.texts = rc_pool_create()};
    const struct rc_journal_visitor visitor = {.record = print_record, .user = &dump};
    struct rc_error err = {.text = ""};
    struct rc_journal_report report;
    int status = dump.texts ? RC_OK : RC_ENOMEM;

    for (int i = 1; i < argc && status == RC_OK; i++)
        status = rc_journal_scan(argv[i], NULL, &visitor, &report, &err);
    if (status != RC_OK)
        fprintf(stderr, "profile_dump: %s\n", err.text);
    rc_pool_close(dump.texts);
    rc_arena_free(&dump.lists);
    return status != RC_OK;
}
