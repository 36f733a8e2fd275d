/* profile_lib.h - journals of a profile that never was: known regions, calls, series
 *
 * Rank r of R is one thread; all times are ns.  main takes 1.8 s of its life of 2 s;
 * in it solve takes (r + 1) * 0.1 s three times, and in that MPI_Allreduce 0.01 s each;
 * walk is within itself twice.  Series: rx counts 1000 in each 0.1 s (5000 in the one
 * after 1 s), power is a state.
 */
#ifndef RC_TESTS_LIB_PROFILE_LIB_H
#define RC_TESTS_LIB_PROFILE_LIB_H

#include "campaign/profile/wire/records.h"
#include "campaign/records/record.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SAMPLE_S UINT64_C(1000000000)
#define SAMPLE_MS UINT64_C(1000000)
#define SAMPLE_UNIX INT64_C(1700000000000000000)

enum { SAMPLE_MAIN = 1, SAMPLE_SOLVE, SAMPLE_WALK, SAMPLE_INNER };

struct sample_profile {
    const char *dir, *node;
    struct rc_journal_id id;
    struct rc_journal *journal;
    uint64_t launch, base_ns; /* of CLOCK_MONOTONIC_RAW when the sampler began */
    uint64_t sequence;        /* of the first record */
    uint32_t writer;
    const char *names[6];        /* of main, solve, walk, a call, a module, a counter */
    size_t instances;            /* of solve in the ring: 0 for the three */
    bool counts;                 /* threads count an event */
    const char *rx;              /* name of the first series; NULL: "net:rx" */
    const char *program;         /* NULL: "./app" */
    const char *set;             /* its parameters */
    uint64_t began_ns, ended_ns; /* of the program; 0: not known */
    uint64_t life_ns;            /* of each thread; 0: 2 s */
    bool starved; /* rank 0 waited for a processor for 0.6 of its first second */
    bool steps;   /* rx counts 5000 from 1 s on: two phases */
    bool waits;   /* 2 of 3 MPI_Allreduce waited 1 ms more than on the rank before */
    const struct rc_profile_offset *offset; /* comparisons of the node's clock */
    size_t offsets;
};

static inline struct sample_profile sample_profile(const char *dir, const char *node)
{
    return (struct sample_profile){
        .dir = dir,
        .node = node,
        .id = {"a profile of 16"},
        .base_ns = 5 * SAMPLE_S,
        .names = {"main", "solve", "walk", "MPI_Allreduce", "app", "instructions"},
        .counts = true};
}

static inline int sample_append(struct sample_profile *s,
                                const struct rc_profile_payload *of,
                                struct rc_error *err)
{
    struct rc_bytes bytes = {0};
    int status = rc_profile_encode(of, &bytes, err);

    if (status == RC_OK)
        status = rc_journal_append(s->journal, (uint32_t)of->type, bytes.byte,
                                   bytes.count, err);
    rc_bytes_fini(&bytes);
    return status;
}

/* Opens the journal and begins a launch, with its two series. */
static inline int sample_begin(struct sample_profile *s, struct rc_error *err)
{
    const char *const words[] = {s->program ? s->program : "./app", "-n", "3"};
    const struct rc_profile_event events[] = {{.name = s->rx ? s->rx : "net:rx",
                                               .source = "sysfs",
                                               .description = "",
                                               .scope = RC_SCOPE_NODE,
                                               .reason = ""},
                                              {.name = "power",
                                               .source = "model",
                                               .description = "watts",
                                               .scope = RC_SCOPE_PACKAGE,
                                               .state = true,
                                               .simulated = true,
                                               .reason = ""},
                                              {.name = "energy",
                                               .source = "sysfs",
                                               .description = "",
                                               .scope = RC_SCOPE_PACKAGE,
                                               .reason = "not permitted"}};
    const struct rc_journal_setting setting = {.dir = s->dir,
                                               .node = s->node,
                                               .campaign = s->id,
                                               .writer = s->writer,
                                               .first_sequence = s->sequence,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    int status = rc_journal_open(&setting, &s->journal, err);

    if (status != RC_OK)
        return status;
    status = sample_append(
        s,
        &(struct rc_profile_payload){
            .type = RC_PROFILE_LAUNCH,
            .launch = {.node = s->node,
                       .word = words,
                       .word_count = 3,
                       .created_by = "a test",
                       .directory = "/somewhere",
                       .sampler_cpu = "7",
                       .launch = s->launch,
                       .unix_ns = SAMPLE_UNIX + (int64_t)(s->launch * 100 * SAMPLE_S),
                       .at_ns = s->base_ns,
                       .period_ns = 100 * SAMPLE_MS,
                       .long_ns = SAMPLE_MS,
                       .every = 1,
                       .counter = &s->names[5],
                       .counter_count = s->counts,
                       .set = s->set}},
        err);
    for (size_t i = 0; i < s->offsets && status == RC_OK; i++)
        status = sample_append(s,
                               &(struct rc_profile_payload){.type = RC_PROFILE_CLOCK,
                                                            .offset = s->offset[i]},
                               err);
    if (status != RC_OK)
        return status;
    return sample_append(
        s,
        &(struct rc_profile_payload){.type = RC_PROFILE_EVENTS,
                                     .events = {.event = events, .event_count = 3}},
        err);
}

static inline int sample_readings(struct sample_profile *s, struct rc_error *err)
{
    struct rc_profile_reading counts[20], states[20];

    for (uint64_t i = 0; i < 20; i++) {
        const uint64_t at = s->base_ns + i * 100 * SAMPLE_MS;
        counts[i] = (struct rc_profile_reading){
            at, 50, i == 11 || (s->steps && i > 11) ? 5000 : 1000,
            i ? at - 100 * SAMPLE_MS : 0};
        states[i] = (struct rc_profile_reading){at, 60, (int64_t)(100 + i), 0};
    }
    const struct rc_profile_payload first = {
        .type = RC_PROFILE_READINGS,
        .readings = {.event = 0, .reading = counts, .reading_count = 20, .why = ""}};
    const struct rc_profile_payload second = {
        .type = RC_PROFILE_READINGS,
        .readings = {.event = 1, .reading = states, .reading_count = 20, .why = ""}};
    const int status = sample_append(s, &first, err);
    return status == RC_OK ? sample_append(s, &second, err) : status;
}

/* A rank's names in one record; offsets[i] is the number of names[i]. */
static inline int sample_names(struct sample_profile *s, uint64_t place,
                               uint64_t offsets[5], struct rc_error *err)
{
    char bytes[4096] = "";
    size_t used = 1; /* number 0 is "" */

    for (size_t i = 0; i < 5; i++) {
        offsets[i] = s->names[i][0] ? used : 0;
        used +=
            (size_t)snprintf(bytes + used, sizeof bytes - used, "%s", s->names[i]) + 1;
    }
    return sample_append(
        s,
        &(struct rc_profile_payload){
            .type = RC_PROFILE_NAMES,
            .names = {.place = place, .first = 0, .byte = bytes, .byte_count = used}},
        err);
}

static inline int sample_place(struct sample_profile *s, uint64_t place, int64_t rank,
                               struct rc_error *err)
{
    return sample_append(
        s,
        &(struct rc_profile_payload){.type = RC_PROFILE_PLACE,
                                     .place = {.place = place,
                                               .pid = 1000 + (uint64_t)rank,
                                               .tid = 1000 + (uint64_t)rank,
                                               .rank = -1, /* MPI tells it later */
                                               .began_ns = s->base_ns,
                                               .program = "/bin/app",
                                               .cpus = "0-3",
                                               .counters_why = ""}},
        err);
}

/* All that a rank says but its end. */
static inline int sample_rows(struct sample_profile *s, uint64_t place, uint64_t rank,
                              struct rc_error *err)
{
    const uint64_t solve = (rank + 1) * 100 * SAMPLE_MS;
    uint64_t name[5];
    int status = sample_names(s, place, name, err);
    const struct rc_profile_path paths[] = {{.number = 0},
                                            {.number = SAMPLE_MAIN,
                                             .name = name[0],
                                             .visits = 1,
                                             .measured = 1,
                                             .ns = 1800 * SAMPLE_MS,
                                             .shortest_ns = 1800 * SAMPLE_MS,
                                             .longest_ns = 1800 * SAMPLE_MS,
                                             .count = {900}},
                                            {.number = SAMPLE_SOLVE,
                                             .parent = SAMPLE_MAIN,
                                             .name = name[1],
                                             .visits = 3,
                                             .measured = 3,
                                             .ns = 3 * solve,
                                             .shortest_ns = solve,
                                             .longest_ns = solve,
                                             .count = {300}},
                                            {.number = SAMPLE_WALK,
                                             .parent = SAMPLE_MAIN,
                                             .name = name[2],
                                             .visits = 1,
                                             .measured = 1,
                                             .ns = 40 * SAMPLE_MS,
                                             .count = {40}},
                                            {.number = SAMPLE_INNER,
                                             .parent = SAMPLE_WALK,
                                             .name = name[2],
                                             .visits = 1,
                                             .measured = 1,
                                             .ns = 10 * SAMPLE_MS,
                                             .count = {10}}};
    const struct rc_profile_call calls[] = {{.number = 0},
                                            {.number = 1,
                                             .path = SAMPLE_SOLVE,
                                             .name = name[3],
                                             .module = name[4],
                                             .site = 0x1234,
                                             .ranks = 4,
                                             .log_bytes = 4,
                                             .calls = 3,
                                             .ns = 30 * SAMPLE_MS,
                                             .longest_ns = 12 * SAMPLE_MS,
                                             .bytes = 24,
                                             .time = {[15] = 3}}};

    if (status == RC_OK)
        status = sample_append(
            s,
            &(struct rc_profile_payload){
                .type = RC_PROFILE_PATHS,
                .paths = {.place = place, .path = paths, .path_count = 5}},
            err);
    if (status == RC_OK)
        status = sample_append(
            s,
            &(struct rc_profile_payload){
                .type = RC_PROFILE_CALLS,
                .calls = {.place = place, .call = calls, .call_count = 2}},
            err);
    const struct rc_profile_wait wait = {.number = 1,
                                         .kind = 4,
                                         .known = 2,
                                         .waited_ns = (rank + 1) * SAMPLE_MS,
                                         .completing_ns = SAMPLE_MS};
    if (status == RC_OK && s->waits)
        status = sample_append(
            s,
            &(struct rc_profile_payload){
                .type = RC_PROFILE_WAITS,
                .waits = {.place = place, .wait = &wait, .wait_count = 1}},
            err);
    return status;
}

/* The instances of solve, the first of them with a long call, within main. */
static inline int sample_ring(struct sample_profile *s, uint64_t place, uint64_t rank,
                              struct rc_error *err)
{
    const size_t count = s->instances ? s->instances : 3;
    const uint64_t begin = s->base_ns + 100 * SAMPLE_MS,
                   solve = s->instances ? 1500 * SAMPLE_MS / count
                                        : (rank + 1) * 100 * SAMPLE_MS;
    struct rc_profile_span span[512];
    uint64_t at = begin;
    size_t used = 0;
    int status = RC_OK;

    span[used++] = (struct rc_profile_span){begin, RC_SHARED_ENTER, SAMPLE_MAIN};
    for (size_t i = 0; i <= count && status == RC_OK; i++) {
        if (i < count) {
            span[used++] = (struct rc_profile_span){at, RC_SHARED_ENTER, SAMPLE_SOLVE};
            if (i == 0) {
                span[used++] = (struct rc_profile_span){at, RC_SHARED_CALL_BEGAN, 1};
                span[used++] = (struct rc_profile_span){
                    at + (s->instances ? solve / 2 : 12 * SAMPLE_MS),
                    RC_SHARED_CALL_ENDED, 1};
            }
            at += solve;
            span[used++] = (struct rc_profile_span){at, RC_SHARED_LEAVE, SAMPLE_SOLVE};
        } else {
            span[used++] = (struct rc_profile_span){begin + 1800 * SAMPLE_MS,
                                                    RC_SHARED_LEAVE, SAMPLE_MAIN};
        }
        if (used + 4 < 512 && i < count)
            continue;
        status = sample_append(
            s,
            &(struct rc_profile_payload){
                .type = RC_PROFILE_SPANS,
                .spans = {.place = place, .span = span, .span_count = used}},
            err);
        used = 0;
    }
    return status;
}

static inline uint64_t sample_life(const struct sample_profile *s)
{
    return s->life_ns ? s->life_ns : 2 * SAMPLE_S;
}

static inline int sample_close(struct sample_profile *s, uint64_t place, int64_t rank,
                               int64_t ranks, struct rc_error *err)
{
    return sample_append(s,
                         &(struct rc_profile_payload){
                             .type = RC_PROFILE_CLOSE,
                             .close = {.place = place,
                                       .rank = rank,
                                       .ranks = ranks,
                                       .ended_ns = s->base_ns + sample_life(s)}},
                         err);
}

static inline int sample_end(struct sample_profile *s, struct rc_error *err)
{
    int status = sample_append(
        s,
        &(struct rc_profile_payload){.type = RC_PROFILE_COST,
                                     .cost = {.at_ns = s->base_ns + SAMPLE_S,
                                              .sampler_ns = 2 * SAMPLE_MS,
                                              .program_ns = 4 * SAMPLE_S,
                                              .entries = 10,
                                              .calls = 3,
                                              .visits = 6}},
        err);

    if (status == RC_OK)
        status = sample_append(
            s,
            &(struct rc_profile_payload){.type = RC_PROFILE_END,
                                         .end = {.at_ns = s->base_ns + sample_life(s),
                                                 .program_began_ns = s->began_ns,
                                                 .program_ended_ns = s->ended_ns}},
            err);
    const int closed = rc_journal_close(s->journal, err);
    s->journal = NULL;
    return status == RC_OK ? closed : status;
}

/* Rank 0 ran 0.3 of its first second and waited 0.6 of it for a processor; the second
 * one it ran, and so do the other ranks all of their time.
 */
static inline int sample_runs(struct sample_profile *s, uint64_t place, uint64_t rank,
                              struct rc_error *err)
{
    const uint64_t half = s->base_ns + SAMPLE_S, end = s->base_ns + 2 * SAMPLE_S;
    const struct rc_profile_run runs[] = {{place, s->base_ns, half,
                                           rank ? SAMPLE_S : 300 * SAMPLE_MS,
                                           rank ? 0 : 600 * SAMPLE_MS},
                                          {place, half, end, SAMPLE_S, 0}};

    return sample_append(
        s,
        &(struct rc_profile_payload){.type = RC_PROFILE_RUNS,
                                     .runs = {.run = runs, .run_count = 2}},
        err);
}

/* A whole launch: ranks first .. first + count - 1 of 'ranks' on this node. */
static inline int sample_launch(struct sample_profile *s, uint64_t first,
                                uint64_t count, uint64_t ranks, struct rc_error *err)
{
    int status = sample_begin(s, err);

    for (uint64_t r = first; r < first + count && status == RC_OK; r++) {
        const uint64_t place = r - first;
        if ((status = sample_place(s, place, (int64_t)r, err)) == RC_OK &&
            (status = sample_rows(s, place, r, err)) == RC_OK &&
            (!s->starved || (status = sample_runs(s, place, r, err)) == RC_OK) &&
            (status = sample_ring(s, place, r, err)) == RC_OK)
            status = sample_close(s, place, (int64_t)r, (int64_t)ranks, err);
    }
    if (status == RC_OK)
        status = sample_readings(s, err);
    if (s->journal && status != RC_OK)
        (void)rc_journal_close(s->journal, NULL);
    else if (status == RC_OK)
        status = sample_end(s, err);
    return status;
}

#endif
