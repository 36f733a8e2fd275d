/* Starts the program: finds the other ranks of the node, starts the sampler if this is
 * the first of them, and executes the program with the library preloaded.
 */
#include "campaign/profile/launch/launch.h"
#include "campaign/profile/launch/launches.h"
#include "campaign/profile/sampler/start.h"

#include "campaign/base/clock.h"
#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/limits.h"
#include "campaign/base/text.h"
#include "campaign/cli/launch.h"
#include "campaign/cli/tell.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/machine/machine.h"
#include "campaign/profile/passes/passes.h"
#include "campaign/profile/stacks/sampling.h"
#include "campaign/spec/options.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

RC_OPTION(rc_profile_option_source, "source", "A,B",
          "where series come from: sysfs (default), pcp[:HOST], nvml, papi",
          .letter = 's', .repeats = true);
RC_OPTION(
    rc_profile_option_rate, "rate", "HZ",
    "readings of series per second (10; 5 where no processor is free), from 0.01 to "
    "100");
RC_OPTION(rc_profile_option_every, "every", "N",
          "measure each N-th instance of a region only (1); all are counted");
RC_OPTION(rc_profile_option_trace, "trace", NULL,
          "keep each MPI call, not only the long ones");
RC_OPTION(
    rc_profile_option_stacks, "stacks", "HZ",
    "samples of stacks per second of processor time (97), off, or "
    "dwarf[:HZ[:KIB]]: with callers that have no frame pointers, found in so much "
    "of the stack (32), at a higher cost");
RC_OPTION(rc_profile_option_no_waiting, "no-waiting", NULL,
          "do not find out how long MPI calls wait for others");

RC_OPTION(
    rc_profile_option_passes, "passes", "N",
    "spread what threads count over N launches: this is the next one that is missing");

RC_OPTION(rc_profile_option_budget, "budget", "P%",
          "the most of the program's time that the profile may take (1%; with --trace "
          "2%): less is recorded before that is reached");
RC_OPTION(
    rc_profile_option_set, "set", "NAME=VALUE",
    "a parameter of this run, a number above 0 or a formula of earlier ones and of "
    "p, the number of processes: n=64,px=2,py=p/px; at most 3",
    .repeats = true);
RC_OPTION(rc_profile_option_strict, "strict", NULL,
          "do not start the program where nothing can be recorded, as on a full disk");
RC_OPTION(rc_profile_option_metrics, "metrics", "CAMPAIGN",
          "count the events of the metrics that this campaign has defined, and show "
          "the metrics");

RC_OPTION(rc_profile_option_trees, "hierarchy", "A,B",
          "count the events of these trees of metrics, of 'rollcall hierarchy' or of a "
          "file, a part in each launch, and show the trees",
          .repeats = true);

/* Series that are read without being asked for: few, and cheap to read. */
static const char *const default_patterns[] = {
    "program:::*",
    "sysfs:::stat:cpu_user",
    "sysfs:::stat:cpu_system",
    "sysfs:::stat:cpu_idle",
    "sysfs:::stat:cpu_iowait",
    "sysfs:::stat:cpu_steal",
    "sysfs:::stat:ctxt",
    "sysfs:::stat:procs_running",
    "sysfs:::pressure:*:some_us",
    "sysfs:::meminfo:MemAvailable",
    "sysfs:::net:*:rx_bytes",
    "sysfs:::net:*:tx_bytes",
    "!sysfs:::net:lo:*",
    "sysfs:::infiniband*:port_rcv_data",
    "sysfs:::infiniband*:port_xmit_data",
    "sysfs:::powercap:*",
    "sysfs:::cray:*power",
    "sysfs:::hwmon:*:power*",
    "nvml:::*",
    "!nvml:::*:pcie_*",
};

/* The key of this launch: of the job, the directory and the command line.  A process
 * that is alone has a key of its own.
 */
static uint64_t job_key(const struct rc_profile_plan *plan)
{
    char job[256];

    if (!rc_launch_job(job, sizeof job))
        snprintf(job, sizeof job, "%ld %llu %.64s", (long)getpid(),
                 (unsigned long long)rc_profile_process_began((uint32_t)getpid()),
                 plan->node);
    uint64_t key = rc_text_hash(job);
    key = rc_text_hash_more(key, plan->dir, strlen(plan->dir) + 1);
    for (size_t i = 0; i < plan->word_count; i++)
        key = rc_text_hash_more(key, plan->word[i], strlen(plan->word[i]) + 1);
    return key;
}

static bool is_within(const char *text, uint64_t most, uint64_t *out)
{
    return rc_text_count(text, out) == 0 && *out >= 1 && *out <= most;
}

/* "97" samples a second, "dwarf", "dwarf:97" or "dwarf:97:32", of so many KiB of the
 * stack; a prime number meets few loops in step.
 */
static int take_stacks(const struct rc_args *args, struct rc_profile_plan *plan,
                       struct rc_error *err)
{
    static const char dwarf[] = "dwarf";
    const char *stacks = rc_args_value(args, &rc_profile_option_stacks);
    const char *why = rc_profile_symbols_no_callers();
    char hz[32];
    uint64_t kib = 32;

    plan->stacks_hz = 97;
    if (!stacks)
        return RC_OK;
    const bool unwind = strncmp(stacks, dwarf, strlen(dwarf)) == 0;
    if (unwind && why)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "--stacks dwarf: %s, expected 1 to 1000, or off", why);
    const char *rate = !unwind                        ? stacks
                       : stacks[strlen(dwarf)] == ':' ? stacks + strlen(dwarf) + 1
                       : stacks[strlen(dwarf)]        ? "?"
                                                      : "97";
    const char *size = unwind ? strchr(rate, ':') : NULL;
    snprintf(hz, sizeof hz, "%.*s", (int)(size ? size - rate : (ptrdiff_t)strlen(rate)),
             rate);
    if (strcmp(stacks, "off") == 0)
        plan->stacks_hz = 0;
    else if (!is_within(hz, 1000, &plan->stacks_hz) ||
             (size && !is_within(size + 1, RC_PROFILE_STACK_KIB, &kib)))
        return rc_fail(err, RC_EUSAGE,
                       "--stacks: found '%.200s', expected 1 to 1000, off, dwarf, "
                       "dwarf:1 to dwarf:1000, or dwarf:HZ:1 to dwarf:HZ:%d",
                       stacks, RC_PROFILE_STACK_KIB);
    plan->stack_bytes = unwind ? kib << 10 : 0;
    return RC_OK;
}

/* "10" readings a second. */
static int take_numbers(const struct rc_args *args, struct rc_profile_plan *plan,
                        struct rc_error *err)
{
    const char *rate = rc_args_value(args, &rc_profile_option_rate);
    const char *every = rc_args_value(args, &rc_profile_option_every);
    const char *passes = rc_args_value(args, &rc_profile_option_passes);
    const char *given = rc_args_value(args, &rc_profile_option_budget);
    const bool trace = rc_args_has(args, &rc_profile_option_trace);
    const char *budget = given ? given : trace ? "2%" : "1%";
    char number[32];
    double hz = 0, percent = 0;

    if (rate && (rc_text_real(rate, &hz) != 0 || hz < 0.01 || hz > 100))
        return rc_fail(err, RC_EUSAGE, "--rate: found '%.200s', expected 0.01 to 100",
                       rate);
    plan->period_ns = rate ? (uint64_t)(1e9 / hz) : RC_PROFILE_PERIOD_NS;
    plan->every = 1;
    if (every && (rc_text_count(every, &plan->every) != 0 || plan->every == 0 ||
                  plan->every > UINT32_MAX))
        return rc_fail(err, RC_EUSAGE,
                       "--every: found '%.200s', expected a whole number, 1 or more",
                       every);
    if (passes && (rc_text_count(passes, &plan->passes) != 0 || plan->passes == 0 ||
                   plan->passes > RC_PROFILE_PASSES))
        return rc_fail(err, RC_EUSAGE, "--passes: found '%.200s', expected 1 to %d",
                       passes, RC_PROFILE_PASSES);
    plan->metrics = rc_args_value(args, &rc_profile_option_metrics);
    plan->trace = trace;
    plan->no_waiting = rc_args_has(args, &rc_profile_option_no_waiting);
    snprintf(number, sizeof number, "%.*s", (int)strcspn(budget, "%"), budget);
    const char *behind = budget + strlen(number);
    if ((*behind && strcmp(behind, "%") != 0) || rc_text_real(number, &percent) != 0 ||
        percent < 0.01 || percent > 100)
        return rc_fail(err, RC_EUSAGE,
                       "--budget: found '%.200s', expected 0.01%% to 100%%", budget);
    plan->budget_ppm = (uint64_t)(percent * 1e4 + 0.5);
    return RC_OK;
}

/* Network interfaces that nothing goes through now are not read without being asked
 * for.  Events have other names where these hold anything unusual.
 */
static int leave_out_interfaces(struct rc_patterns *patterns, const char **expected,
                                struct rc_error *err)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    int status = RC_OK;
    glob_t found;

    if (glob("/sys/class/net/*/operstate", 0, NULL, &found) != 0)
        return RC_OK;
    for (size_t i = 0; i < found.gl_pathc && status == RC_OK; i++) {
        const char *name = found.gl_pathv[i] + strlen("/sys/class/net/");
        const size_t length = strspn(name, plain);
        char state[32], pattern[64];
        if (name[length] != '/' ||
            rc_text_first_line(found.gl_pathv[i], state, sizeof state) != 0 ||
            (strcmp(state, "down") != 0 && strcmp(state, "lowerlayerdown") != 0))
            continue;
        snprintf(pattern, sizeof pattern, "!sysfs:::net:%.*s:*", (int)length, name);
        status = rc_patterns_add(patterns, pattern, expected, err);
    }
    globfree(&found);
    return status;
}

/* All items of all --set, with commas between them. */
static int take_set(const struct rc_args *args, struct rc_profile_plan *plan,
                    struct rc_error *err)
{
    const int ranks = rc_launched() ? rc_launch_size() : 1; /* 0: not known */
    struct rc_profile_parameters parameters;
    const char *between = "";
    size_t bytes = 0;

    for (size_t i = 0; i < args->given_count; i++) {
        if (args->given[i].option != &rc_profile_option_set)
            continue;
        if (!args->given[i].value[0])
            return rc_fail(err, RC_EUSAGE, "--set: found nothing, expected NAME=VALUE");
        bytes += (size_t)snprintf(plan->set + bytes, sizeof plan->set - bytes, "%s%s",
                                  between, args->given[i].value);
        if (bytes >= sizeof plan->set)
            return rc_fail(err, RC_EUSAGE,
                           "--set: more than %zu bytes in all, expected shorter names "
                           "and formulas",
                           sizeof plan->set - 1);
        between = ",";
    }
    if (plan->set[strcspn(plan->set, " \t\n")])
        return rc_fail(err, RC_EUSAGE, "--set: a blank in '%.200s', expected none",
                       plan->set);
    return rc_profile_parameters_take(
        plan->set, ranks > 0 ? (double)ranks : (double)NAN, &parameters, err);
}

/* The default patterns, then the user's: the last one that matches decides. */
static int take_patterns(const struct rc_args *args, struct rc_profile_plan *plan,
                         struct rc_error *err)
{
    const char *expected = NULL;
    int status = RC_OK;

    for (size_t i = 0; i < sizeof default_patterns / sizeof default_patterns[0]; i++)
        if ((status = rc_patterns_add(&plan->patterns, default_patterns[i], &expected,
                                      err)) != RC_OK)
            break;
    if (status == RC_OK)
        status = leave_out_interfaces(&plan->patterns, &expected, err);
    plan->default_count = plan->patterns.count;
    return status != RC_OK
               ? status
               : rc_patterns_read(&plan->patterns, args, &rc_option_events, err);
}

static int take_trees(const struct rc_args *args, struct rc_profile_plan *plan,
                      struct rc_error *err)
{
    static struct rc_arg_words words; /* as long as the process */

    if (!rc_args_has(args, &rc_profile_option_trees))
        return RC_OK;
    if (plan->passes > 0)
        return rc_fail(err, RC_EUSAGE,
                       "--passes with --hierarchy: found both, expected --hierarchy "
                       "alone, which takes as few passes as count its events");
    const int status = rc_args_words(args, &rc_profile_option_trees, true, &words, err);
    plan->tree = words.word;
    return status;
}

static int take_sources(const struct rc_args *args, struct rc_profile_plan *plan,
                        struct rc_error *err)
{
    static const char *const default_sources[] = {"sysfs"};
    static const char *const known[] = {"sysfs", "pcp", "nvml", "papi", NULL};
    static struct rc_arg_words words; /* as long as the process */

    plan->source = default_sources;
    plan->source_count = 1;
    if (!rc_args_has(args, &rc_profile_option_source))
        return RC_OK;
    int status = rc_args_words(args, &rc_profile_option_source, true, &words, err);
    for (size_t i = 0; i < words.count && status == RC_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(words.word[i], ":"),
                 words.word[i]);
        bool is_known = false;
        for (size_t k = 0; known[k]; k++)
            is_known |= strcmp(known[k], name) == 0;
        if (!is_known)
            status = rc_fail(err, RC_EUSAGE,
                             "--source: found '%.200s', expected sysfs, pcp[:HOST], "
                             "nvml or papi",
                             words.word[i]);
    }
    plan->source = words.word;
    plan->source_count = words.count;
    return status;
}

/* DIR is made, and its path is made absolute: the sampler lives elsewhere. */
static int take_directory(const struct rc_args *args, struct rc_profile_plan *plan,
                          struct rc_error *err)
{
    const char *dir = rc_args_value(args, &rc_option_directory);
    int status = rc_campaign_dir_make(dir, err);

    if (status != RC_OK)
        return status;
    if (!realpath(dir, plan->dir))
        return rc_fail_errno(err, "cannot find '%.400s'", dir);
    if (access(plan->dir, W_OK | X_OK) != 0)
        return rc_fail_errno(err, "cannot write into '%.400s'", dir);
    if (!getcwd(plan->here, sizeof plan->here))
        plan->here[0] = 0;
    snprintf(plan->node, sizeof plan->node, "%s", rc_machine_node_name());
    return RC_OK;
}

/* A library of another version would find that it does not understand what it shares
 * with the sampler, and record nothing without a word.
 */
static int check_library(const char *path, struct rc_error *err)
{
    struct rc_shared_mark mark = {.text = ""};
    struct stat is = {.st_size = 0};
    const int fd = rc_file_open(path, RC_FILE_GIVEN, O_RDONLY);

    if (fd < 0)
        return rc_file_fail_open(err, path);
    const size_t bytes = fstat(fd, &is) == 0 ? (size_t)is.st_size : 0;
    char *text = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (text != MAP_FAILED) {
        const char *at = memmem(text, bytes, RC_SHARED_MARK, sizeof RC_SHARED_MARK);
        if (at && bytes - (size_t)(at - text) >= sizeof mark)
            memcpy(&mark, at, sizeof mark);
        munmap(text, bytes);
    }
    if (mark.version == RC_SHARED_VERSION)
        return RC_OK;
    return rc_fail(err, RC_EUNSUPPORTED,
                   "'%.400s' belongs to another version of rollcall and would record "
                   "nothing: found "
                   "version %" PRIu32 " of what both share, expected %d: install both "
                   "together",
                   path, mark.version, RC_SHARED_VERSION);
}

/* The library that goes into the program: where it was installed to beside this
 * program, or in the build.
 */
static int find_library(char *out, size_t room, struct rc_error *err)
{
    static const char *const folders[] = {RC_PROFILE_LIBRARY_DIR, "lib"};
    static const char name[] = "librollcall-profile.so";
    char self[PATH_MAX];
    const ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);

    self[bytes > 0 ? bytes : 0] = 0;
    self[strrchr(self, '/') ? strrchr(self, '/') - self : 0] = 0;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (rc_path(out, room, NULL, "%s/../%s/%s", self, folders[i], name) != RC_OK ||
            access(out, R_OK) != 0)
            continue;
        if (strpbrk(out, " :"))
            return rc_fail(err, RC_EUNSUPPORTED,
                           "'%.400s' cannot be preloaded: the linker accepts no path "
                           "with a blank or a colon",
                           out);
        return check_library(out, err);
    }
    return rc_fail(err, RC_EMISSING,
                   "'%s' is not in '%.400s/../" RC_PROFILE_LIBRARY_DIR "'", name, self);
}

/* The environment that the program is to have. */
static int set_environment(const char *library, const char *path, int rank,
                           struct rc_error *err)
{
    const char *was = getenv("LD_PRELOAD");
    char self[64], *preload = NULL;

    snprintf(self, sizeof self, "%ld %d", (long)getpid(), rank);
    if (asprintf(&preload, "%s%s%s", library, was && *was ? ":" : "", was ? was : "") <
        0)
        return rc_fail(err, RC_ENOMEM, "no memory for LD_PRELOAD");
    const int failed = setenv("LD_PRELOAD", preload, 1) ||
                       setenv(RC_SHARED_PATH_VARIABLE, path, 1) ||
                       setenv(RC_SHARED_SELF_VARIABLE, self, 1);
    free(preload);
    return failed ? rc_fail(err, RC_ENOMEM, "no memory for the environment") : RC_OK;
}

/* Whether nothing can be recorded for what the machine is like now, and for no mistake
 * of the user's: then the program runs all the same, and it is said.
 */
static bool go_without(int status, const struct rc_args *args,
                       const struct rc_error *err)
{
    struct rc_error said = {.rank = -1};

    if (rc_args_has(args, &rc_profile_option_strict) ||
        (status != RC_EIO && status != RC_ENOMEM && status != RC_EPERM))
        return false;
    rc_fail(&said, RC_EIO, "%s: the program runs, and nothing is recorded", err->text);
    if (rc_launch_speaks())
        rc_tell_failure("profile", &said, 1);
    return true;
}

/* The first of the node starts the sampler. */
static int join_others(struct rc_profile_plan *plan, const char *library,
                       struct rc_error *err)
{
    const int rank = rc_launched() ? rc_launch_rank() : -1;
    const uint64_t key = job_key(plan);
    struct rc_profile_shared shared;
    char line[RC_SHARED_WHY + 64];
    int status = rc_profile_shared_join(key, &shared, err);

    if (status != RC_OK)
        return status;
    if (shared.first) {
        shared.head->launcher_began_ns = plan->began_ns;
        memcpy(shared.head->set, plan->set, sizeof plan->set);
    } else {
        status = rc_profile_parameters_agree(plan->set, shared.head->set, err);
    }
    if (status == RC_OK && shared.first && plan->tree)
        status = plan->hooks->plan_trees(plan, err);
    else if (status == RC_OK && shared.first && plan->metrics)
        status = plan->hooks->plan_metrics(plan, err);
    if (status != RC_OK ||
        (shared.first && (status = rc_profile_launches_add(plan, key, err)) != RC_OK) ||
        (shared.first &&
         (status = rc_profile_sampler_start(plan, &shared, err)) != RC_OK))
        goto out;
    if (shared.first && plan->passes > 0 && rc_launch_rank() == 0) {
        snprintf(line, sizeof line,
                 "pass %" PRIu64 " of 0 to %" PRIu64
                 ": 'rollcall status' says which are missing",
                 plan->pass, plan->passes - 1);
        if (plan->passes > 1 || !plan->fewest)
            rc_tell(line);
    }
    if (shared.head->no_stacks[0] && rc_launch_rank() == 0) {
        snprintf(line, sizeof line, "%.*s: all else is recorded", RC_SHARED_WHY - 1,
                 shared.head->no_stacks);
        rc_tell(line);
    }
    if ((status = set_environment(library, shared.path, rank, err)) != RC_OK)
        goto out;
    rc_profile_shared_enter(&shared, rank);
out:
    rc_profile_shared_unlock(&shared);
    rc_profile_shared_close(&shared, status != RC_OK && shared.first);
    return status;
}

static int execute(const char *path, char *const *words, int *exits,
                   struct rc_error *err)
{
    rc_limits_restore();
    execvp(words[0], words);
    *exits = 126;
    return rc_fail_errno(err, "cannot run '%.400s'", path);
}

/* Whether all hooks are here that the launch needs. */
static bool has_hooks(const struct rc_args *args, const struct rc_profile_hooks *hooks)
{
    static const char sysfs[] = "sysfs:::";

    for (size_t i = 0; i < args->given_count; i++) {
        const struct rc_option *option = args->given[i].option;
        const char *name = args->given[i].value;
        if ((option == &rc_profile_option_source && !hooks->find_source) ||
            (option == &rc_profile_option_metrics && !hooks->plan_metrics) ||
            (option == &rc_profile_option_trees && !hooks->plan_trees) ||
            (option == &rc_profile_option_passes && !hooks->choose_pass) ||
            (option == &rc_option_events && !hooks->native &&
             strncmp(name + (*name == '!'), sysfs, strlen(sysfs)) != 0 &&
             !rc_profile_counter_is_generic(name)))
            return false;
    }
    return true;
}

int rc_profile_launch(const struct rc_args *args, const struct rc_profile_hooks *hooks,
                      int *exits, struct rc_error *err)
{
    static struct rc_profile_plan plan; /* as long as the process */
    char path[PATH_MAX], library[PATH_MAX], line[PATH_MAX + 256];
    struct rc_error low = {.rank = -1};
    int status;

    if (!has_hooks(args, hooks))
        return RC_OK;
    const bool limited = rc_limits_raise(&low) != RC_OK;
    plan.hooks = hooks;
    plan.began_ns = rc_clock_raw_ns();
    plan.word = (char *const *)args->operands;
    plan.word_count = args->operand_count;
    if ((status = take_numbers(args, &plan, err)) != RC_OK ||
        (status = take_stacks(args, &plan, err)) != RC_OK ||
        (status = take_sources(args, &plan, err)) != RC_OK ||
        (status = take_patterns(args, &plan, err)) != RC_OK ||
        (status = take_trees(args, &plan, err)) != RC_OK ||
        (status = take_set(args, &plan, err)) != RC_OK ||
        (status = rc_profile_program_find(plan.word, "profile -o DIR", path,
                                          sizeof path, exits, err)) != RC_OK)
        return status;
    const char *remark = rc_profile_program_remark(path);
    if (remark && rc_launch_rank() == 0) {
        snprintf(line, sizeof line,
                 "'%s': %s, so only series are recorded, no regions and no MPI calls",
                 path, remark);
        rc_tell(line);
    }
    void (*was)(int) = signal(SIGXFSZ, SIG_IGN); /* limits of file sizes are errors */
    if (limited)
        status = rc_fail(err, RC_EIO, "%s", low.text);
    else if ((status = find_library(library, sizeof library, err)) == RC_OK &&
             (status = take_directory(args, &plan, err)) == RC_OK)
        status = join_others(&plan, library, err);
    signal(SIGXFSZ, was);
    return status == RC_OK || go_without(status, args, err)
               ? execute(path, plan.word, exits, err)
               : status;
}
