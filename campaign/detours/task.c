/* Reads the options of the noise command that say what to measure, and how. */
#include "campaign/base/text.h"
#include "campaign/detours/measure.h"
#include "campaign/spec/options.h"
#include "kernels/detour.h"

enum { ROUNDS_MOST = 1000 };

RC_OPTION(rc_noise_option_time, "time", "TIME",
          "how long to measure detours in each pass; 10s by default");
RC_OPTION(rc_noise_option_work, "work", "A,B:POINT",
          "one more pass with a kernel of each of these suites as fixed work: the "
          "first that can run, or POINT",
          .repeats = true);
RC_OPTION(rc_noise_option_alone, "alone", NULL,
          "each pass again on one core of a node at a time, the others asleep");
RC_OPTION(rc_noise_option_rounds, "rounds", "N",
          "all of it N times, each time in another order");
RC_OPTION(rc_noise_option_no_tracepoints, "no-tracepoints", NULL,
          "do not ask the kernel what caused each detour");

/* Options that only say how to measure. */
static RC_OPTIONS(measuring, &rc_noise_option_time, &rc_noise_option_work,
                  &rc_noise_option_alone, &rc_noise_option_rounds,
                  &rc_noise_option_no_tracepoints);

static int take_numbers(const struct rc_args *args, struct rc_noise_task *task,
                        struct rc_error *err)
{
    const char *time = rc_args_value(args, &rc_noise_option_time);
    const char *rounds = rc_args_value(args, &rc_noise_option_rounds);
    uint64_t count = 1;

    task->duration_ns = UINT64_C(10000000000);
    if (time && (rc_text_duration(time, &task->duration_ns) || task->duration_ns == 0 ||
                 task->duration_ns > RC_DETOUR_LONGEST_NS))
        return rc_fail(err, RC_EUSAGE,
                       "--time: '%.60s', expected " RC_TEXT_DURATION
                       ", more than 0 and a day at most",
                       time);
    if (rounds && (rc_text_count(rounds, &count) || count == 0 || count > ROUNDS_MOST))
        return rc_fail(err, RC_EUSAGE,
                       "--rounds: '%.60s', expected a whole number from 1 to %d",
                       rounds, ROUNDS_MOST);
    task->rounds = (uint32_t)count;
    return RC_OK;
}

int rc_noise_task_take(const struct rc_args *args, struct rc_noise_task *task,
                       const char **dir, struct rc_error *err)
{
    *task = (struct rc_noise_task){.dir = rc_args_value(args, &rc_option_directory)};
    *dir = args->operand_count ? args->operands[0] : task->dir;
    if (!*dir || !**dir)
        return rc_fail(
            err, RC_EUSAGE,
            "expected DIR, the directory of a campaign, or -o DIR to measure "
            "detours");
    if (task->dir && args->operand_count)
        return rc_fail(err, RC_EUSAGE,
                       "'%.100s' and -o '%.100s': expected DIR to judge, or -o DIR to "
                       "measure and judge",
                       *dir, task->dir);
    for (size_t i = 0; !task->dir && measuring[i]; i++)
        if (rc_args_has(args, measuring[i]))
            return rc_fail(err, RC_EUSAGE,
                           "--%s is for measuring, expected -o DIR with it",
                           measuring[i]->name);
    task->alone = rc_args_has(args, &rc_noise_option_alone);
    task->tracepoints = !rc_args_has(args, &rc_noise_option_no_tracepoints);
    const int status = take_numbers(args, task, err);
    return status == RC_OK
               ? rc_args_words(args, &rc_noise_option_work, true, &task->work, err)
               : status;
}

void rc_noise_task_fini(struct rc_noise_task *task)
{
    rc_arg_words_fini(&task->work);
}
