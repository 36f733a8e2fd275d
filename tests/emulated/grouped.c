/* grouped [-n TURNS] [-b COMMAND]... EVENT...: tries the events as one group, then has
 * it count a loop all the same, whatever the trial said, and prints each event's value,
 * and whether it counted all of the time; once more after each of the commands.  0: it
 * could be armed, started and stopped.
 */
#include "campaign/sources/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 16
#define TURNS 100000

struct sink {
    struct rc_event_sink sink;
    char **name;
    size_t names;
    uint32_t count, found[MOST];
};

static const struct rc_source *papi;

static int find_events(struct rc_event_sink *sink, const struct rc_event_info *info,
                       struct rc_error *err)
{
    struct sink *s = (struct sink *)sink;

    (void)err;
    for (size_t i = 0; i < s->names; i++)
        if (strcmp(info->name, s->name[i]) == 0)
            s->found[i] = s->count;
    s->count++;
    return RC_OK;
}

static int complain(const char *what, const struct rc_error *err)
{
    printf("%s: %s\n", what, err->text);
    fflush(stdout);
    return 1;
}

/* As many instructions in each turn, some thirty, whatever the processor. */
static void turn(uint64_t count)
{
    uint64_t sum = 0;

    for (; count > 0; count--) {
#define ADD                                                                            \
    __asm__ volatile("" : "+r"(sum));                                                  \
    sum += count;
#define TEN ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
        TEN TEN TEN
#undef TEN
#undef ADD
    }
    __asm__ volatile("" : : "r"(sum));
}

/* A group that does not start may do so later. */
static int count_loop(struct rc_group_state *group, const struct sink *s,
                      uint64_t turns, struct rc_error *err)
{
    struct rc_reading reading[MOST];
    int status = papi->start(group, NULL, err);

    if (status != RC_OK) {
        complain("start", err);
        return RC_OK;
    }
    turn(turns);
    status = papi->stop(group, reading, err);
    for (size_t i = 0; i < s->names && status == RC_OK; i++)
        printf("%s %lld %s\n", s->name[i], (long long)reading[i].value,
               reading[i].running_ns == reading[i].enabled_ns ? "valid" : "invalid");
    return status;
}

/* 'command': as many commands as are asked for, then NULL. */
static int count_loops(struct rc_source_state *state, const struct sink *s,
                       uint64_t turns, char **command)
{
    struct rc_group_state *group;
    struct rc_error err = {0};

    if (papi->arm(state, s->found, s->names, &group, &err) != RC_OK)
        return complain("arm", &err);
    int status = count_loop(group, s, turns, &err);
    for (; *command && status == RC_OK; command++) {
        if (system(*command) != 0)
            status = rc_fail(&err, RC_EIO, "'%s' failed", *command);
        else
            status = count_loop(group, s, turns, &err);
    }
    papi->disarm(group);
    return status == RC_OK ? 0 : complain("count", &err);
}

int main(int argc, char **argv)
{
    struct sink s = {.sink.add = find_events};
    const struct rc_source_setup setup = {0};
    const struct rc_enumerate what = {0};
    struct rc_source_state *state;
    struct rc_error err = {0};
    struct rc_trial trial;
    uint64_t turns = TURNS;
    char *command[MOST] = {NULL};
    size_t commands = 0;
    int option;

    while ((option = getopt(argc, argv, "n:b:")) != -1) {
        if (option == 'n')
            turns = strtoull(optarg, NULL, 10);
        else if (option == 'b' && commands < MOST - 1)
            command[commands++] = optarg;
        else
            return 2;
    }
    s.name = argv + optind;
    s.names = (size_t)(argc - optind);

    papi = rc_source_find("papi");
    if (s.names < 1 || s.names > MOST)
        return 2;
    memset(s.found, 0xff, sizeof s.found);
    if (papi->open(&setup, &state, &err) != RC_OK)
        return complain("open", &err);
    if (papi->enumerate(state, &what, &s.sink, &err) != RC_OK)
        return complain("enumerate", &err);
    for (size_t i = 0; i < s.names; i++) {
        if (s.found[i] >= s.count) {
            printf("%s: no such event\n", s.name[i]);
            return 2;
        }
    }
    papi->trial(state, s.found, s.names, &trial);
    printf("trial: %s %s\n", rc_verdict_name(trial.verdict), trial.reason);
    int status = count_loops(state, &s, turns, command);
    papi->close(state);
    return status;
}
