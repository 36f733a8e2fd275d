/* parts.h - what the files of the papi source share
 *
 * Private to campaign/sources/papi/.  Files that need papi.h include it
 * themselves.
 */
#ifndef RC_CAMPAIGN_SOURCES_PAPI_PARTS_H
#define RC_CAMPAIGN_SOURCES_PAPI_PARTS_H

#include "campaign/base/memory.h"
#include "campaign/machine/machine.h"
#include "campaign/sources/source.h"

/* An event of the catalogue, by its number. */
struct rc_papi_event {
    const char *name;    /* full, with qualifiers */
    int code;            /* PAPI's number for it, valid until the process ends;
                          * 0: not asked for yet */
    int code_kernel;     /* number of the event at user and kernel level; 0: unused */
    uint32_t component;  /* PAPI's index */
    uint32_t plain;      /* number of the event without modifiers, or its own */
    bool absent;         /* the kernel said that there is no such event */
    const char *useless; /* why it is never added, or NULL */
};

/* The source while it is open; PAPI itself is opened once for the process. */
struct rc_source_state {
    struct rc_papi_event *event; /* in the order in which they were enumerated */
    size_t count, room;          /* of 'event': in use and allocated */
    struct rc_pool *pool;        /* of the names */
    struct rc_cpu *cpu;          /* a copy of the setup's */
    size_t cpu_count;            /* 0: the topology is not known */
};

/* The scope of an event, and how it is known, as a line for people. */
struct rc_papi_scope {
    enum rc_scope scope;
    char evidence[256];
};

/* Finds the scope of a component's events: by the cpumask of their PMU if the kernel
 * publishes one, else by a table of components.  'pmu' is libpfm's name of the PMU, ""
 * where there is none.  'sys' is "/sys", or a recorded directory.  'cpu_count' 0: the
 * topology is not known, and the evidence says so.
 */
void rc_papi_scope(const char *sys, const struct rc_cpu *cpu, size_t cpu_count,
                   const char *component, const char *pmu, struct rc_papi_scope *out);

/* Whether the kernel shows a PMU of the CPU cores under 'sys'. */
bool rc_papi_has_core_pmu(const char *sys);

/* Starts PAPI if it is not started.  NULL, or why it cannot be used. */
const char *rc_papi_library(void);

/* The functions of the descriptor in papi.c: source.h says what they do. */
int rc_papi_enumerate(struct rc_source_state *state, const struct rc_enumerate *what,
                      struct rc_event_sink *sink, struct rc_error *err);

void rc_papi_trial(struct rc_source_state *state, const uint32_t *events, size_t count,
                   struct rc_trial *out);
int rc_papi_arm(struct rc_source_state *state, const uint32_t *events, size_t count,
                struct rc_group_state **out, struct rc_error *err);
void rc_papi_disarm(struct rc_group_state *group);
int rc_papi_start(struct rc_group_state *group, const struct rc_measurement *what,
                  struct rc_error *err);
int rc_papi_stop(struct rc_group_state *group, struct rc_reading *readings,
                 struct rc_error *err);

bool rc_papi_hardware(struct rc_source_state *state, char *why, size_t room);

/* Does a little of everything that events commonly count, in about 0.1 ms. */
void rc_papi_stimulus(void);

#endif
