/* grouped EVENT...: tries the events as one group, then has it count a loop all the
 * same, whatever the trial said, and prints each event's value with the share of the
 * time that it counted.  0: it could be armed, started and stopped.
 */
#include "campaign/sources/source.h"

#include <stdio.h>
#include <string.h>

#define MOST 16

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
    return 1;
}

static int count_loop(struct rc_source_state *state, const struct sink *s)
{
    struct rc_reading reading[MOST];
    struct rc_group_state *group;
    struct rc_error err = {0};

    if (papi->arm(state, s->found, s->names, &group, &err) != RC_OK)
        return complain("arm", &err);
    int status = papi->start(group, NULL, &err);
    for (volatile unsigned long i = 0; i < 100000; i++)
        ;
    if (status == RC_OK)
        status = papi->stop(group, reading, &err);
    for (size_t i = 0; i < s->names && status == RC_OK; i++)
        printf("%s %lld %s\n", s->name[i], (long long)reading[i].value,
               reading[i].running_ns == reading[i].enabled_ns ? "valid" : "invalid");
    papi->disarm(group);
    return status == RC_OK ? 0 : complain("count", &err);
}

int main(int argc, char **argv)
{
    struct sink s = {
        .sink.add = find_events, .name = argv + 1, .names = (size_t)argc - 1};
    const struct rc_source_setup setup = {0};
    const struct rc_enumerate what = {0};
    struct rc_source_state *state;
    struct rc_error err = {0};
    struct rc_trial trial;

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
    int status = count_loop(state, &s);
    papi->close(state);
    return status;
}
