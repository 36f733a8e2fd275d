/* The schedulers' descriptors: what they read of recorded outputs (tests/data/jobs) and
 * of hostile ones, what they write into directives, and the commands by which they
 * submit.
 */
#include "tests/lib/test.h"

#include "campaign/base/child.h"
#include "jobs/fill.h"
#include "jobs/scheduler.h"
#include "jobs/template.h"
#include "tests/lib/own_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static char *read_data(const char *name)
{
    char path[1024];
    char *text = calloc(1, 1 << 16);

    snprintf(path, sizeof path, "%s/jobs/%s", RC_TEST_DATA, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("no file '%s'", path);
    assert_true(fread(text, 1, (1 << 16) - 1, file) < (1 << 16) - 1);
    fclose(file);
    return text;
}

struct answer_case {
    const char *what; /* a file in tests/data/jobs, or the answer itself */
    int exited;
    enum rc_job_state state;
    const char *word, *reason;
};

static const struct answer_case pbs_answers[] = {
    {"pbs.queued", 0, RC_JOB_WAITING, "Q", ""},
    {"pbs.held", 0, RC_JOB_WAITING, "H", ""},
    {"pbs.running", 0, RC_JOB_RUNNING, "R",
     "Job run at Tue Oct 04 at 21:23 on "
     "(charon24:ncpus=2:mem=4194304kb)+(charon21:ncpus=2:mem=4194304kb)"},
    {"pbs.exiting", 0, RC_JOB_RUNNING, "E", ""},
    {"pbs.ok", 0, RC_JOB_DONE, "F",
     "Job run at Mon Jan 24 at 08:39 on (edtb-01[0]:ncpus=1) and finished"},
    {"pbs.failed", 0, RC_JOB_DONE, "F", ""}, /* by itself, with a status */
    {"pbs.timeout", 0, RC_JOB_FAILED, "F", ""},
    {"pbs.cancelled", 0, RC_JOB_CANCELLED, "F", ""},
    {"pbs.deleted", 0, RC_JOB_CANCELLED, "F", ""},
    {"pbs.none", 0, RC_JOB_UNKNOWN, "", ""},
    {"pbs.unknown", 153, RC_JOB_GONE, "", ""},
    {"pbs.finished", 35, RC_JOB_GONE, "", ""},
    {NULL, 0, RC_JOB_UNKNOWN, NULL, NULL}};

static const struct answer_case lsf_answers[] = {
    {"lsf.queued", 0, RC_JOB_WAITING, "PEND", ""},
    {"lsf.held", 0, RC_JOB_WAITING, "PSUSP", ""},
    {"lsf.running", 0, RC_JOB_RUNNING, "RUN", ""},
    {"lsf.suspended", 0, RC_JOB_RUNNING, "SSUSP", ""},
    {"lsf.lost", 0, RC_JOB_RUNNING, "UNKWN", ""}, /* its node may come back */
    {"lsf.ok", 0, RC_JOB_DONE, "DONE", ""},
    {"lsf.failed", 0, RC_JOB_DONE, "EXIT", ""},
    {"lsf.timeout", 0, RC_JOB_FAILED, "EXIT",
     "TERM_RUNLIMIT: job killed after reaching LSF run time limit"},
    {"lsf.cancelled", 0, RC_JOB_CANCELLED, "EXIT", "TERM_OWNER: job killed by owner"},
    {"lsf.unknown", 255, RC_JOB_GONE, "", ""},
    {NULL, 0, RC_JOB_UNKNOWN, NULL, NULL}};

static const struct answer_case flux_answers[] = {
    {"flux.queued", 0, RC_JOB_WAITING, "SCHED", ""},
    {"flux.held", 0, RC_JOB_WAITING, "DEPEND", ""},
    {"flux.running", 0, RC_JOB_RUNNING, "RUN", ""},
    {"flux.exiting", 0, RC_JOB_RUNNING, "CLEANUP", ""},
    {"flux.ok", 0, RC_JOB_DONE, "COMPLETED", ""},
    {"flux.failed", 0, RC_JOB_DONE, "FAILED", ""},
    {"flux.dependency", 0, RC_JOB_FAILED, "FAILED", "dependency"},
    {"flux.timeout", 0, RC_JOB_FAILED, "TIMEOUT", "timeout"},
    {"flux.cancelled", 0, RC_JOB_CANCELLED, "CANCELED", "cancel"},
    {"flux.deleted", 0, RC_JOB_CANCELLED, "CANCELED", "cancel"},
    {"flux.unknown", 0, RC_JOB_GONE, "", ""},
    {"", 1, RC_JOB_UNKNOWN, "", ""}, /* Flux itself cannot be reached */
    {NULL, 0, RC_JOB_UNKNOWN, NULL, NULL}};

/* squeue(1), "JOB STATE CODES" and "JOB REASON CODES": '%i|%T|%r'. */
static const struct answer_case slurm_answers[] = {
    {"12|PENDING|Priority\n", 0, RC_JOB_WAITING, "PENDING", "Priority"},
    {"12|PENDING|BeginTime\n", 0, RC_JOB_WAITING, "PENDING", "BeginTime"},
    {"12|RUNNING|None\n", 0, RC_JOB_RUNNING, "RUNNING", ""},
    {"12|COMPLETING|None\n", 0, RC_JOB_RUNNING, "COMPLETING", ""},
    {"12|COMPLETED|None\n", 0, RC_JOB_DONE, "COMPLETED", ""},
    {"12|FAILED|NonZeroExitCode\n", 0, RC_JOB_FAILED, "FAILED", "NonZeroExitCode"},
    {"12|TIMEOUT|TimeLimit\n", 0, RC_JOB_FAILED, "TIMEOUT", "TimeLimit"},
    {"12|NODE_FAIL|NodeDown\n", 0, RC_JOB_FAILED, "NODE_FAIL", "NodeDown"},
    {"12|CANCELLED|None\n", 0, RC_JOB_CANCELLED, "CANCELLED", ""},
    {"12|SOMETHING_NEW|None\n", 0, RC_JOB_UNKNOWN, "SOMETHING_NEW", ""},
    {"", 1, RC_JOB_GONE, "", ""}, /* "Invalid job id specified" */
    {"", 0, RC_JOB_UNKNOWN, "", ""},
    {NULL, 0, RC_JOB_UNKNOWN, NULL, NULL}};

/* qstat(1) of Grid Engine, "Reduced Format": job 17 among others. */
#define SGE(state)                                                                     \
    "job-ID  prior   name       user         state submit/start at     queue\n"        \
    "-----------------------------------------------------------------------\n"        \
    "     16 0.55500 other      user         r     11/21/2026 16:00:00 all.q@a 1\n"    \
    "     17 0.55500 c-run      user         " state                                   \
    "     11/21/2026 16:00:00 all.q@a 1\n"
static const struct answer_case sge_answers[] = {
    {SGE("qw"), 0, RC_JOB_WAITING, "qw", ""},
    {SGE("hqw"), 0, RC_JOB_WAITING, "hqw", "held"},
    {SGE("Rq"), 0, RC_JOB_WAITING, "Rq", ""},
    {SGE("r"), 0, RC_JOB_RUNNING, "r", ""},
    {SGE("Rr"), 0, RC_JOB_RUNNING, "Rr", ""},
    {SGE("dr"), 0, RC_JOB_RUNNING, "dr", ""},
    {SGE("Eqw"), 0, RC_JOB_WAITING, "Eqw",
     "in error: 'qstat -j ID' says why, 'qmod -cj ID' clears it"},
    {"", 0, RC_JOB_GONE, "", ""},
    {"", 1, RC_JOB_UNKNOWN, "", ""},
    {NULL, 0, RC_JOB_UNKNOWN, NULL, NULL}};

static const struct {
    const char *scheduler;
    const struct answer_case *answers;
} answers[] = {{"pbs", pbs_answers},   {"lsf", lsf_answers},     {"jsrun", lsf_answers},
               {"flux", flux_answers}, {"slurm", slurm_answers}, {"sge", sge_answers}};

static bool is_file(const char *what)
{
    return strchr(what, '.') && !strchr(what, ' ');
}

static void check_answer(const struct rc_scheduler *s, const struct answer_case *c)
{
    struct rc_job_answer found = {.word = ""};
    char *text = is_file(c->what) ? read_data(c->what) : strdup(c->what);
    size_t all = 0;

    rc_job_answer_read(s, text, c->exited, "17", &found);
    for (size_t i = 0; i < RC_JOB_STATES; i++)
        all += found.count[i];
    if (all != 1 || found.count[c->state] != 1 || strcmp(found.word, c->word) != 0 ||
        strcmp(found.reason, c->reason) != 0)
        fail_msg("%s, '%s': %zu jobs, %zu of them %s, '%s', '%s'", s->name, c->what,
                 all, found.count[c->state], rc_job_state_names[c->state], found.word,
                 found.reason);
    free(text);
}

static void each_recorded_answer_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(answers); i++)
        for (const struct answer_case *c = answers[i].answers; c->what; c++)
            check_answer(rc_scheduler_find(answers[i].scheduler), c);
}

static void elements_of_an_array_are_counted(void **state)
{
    static const struct {
        const char *scheduler, *what, *job;
    } arrays[] = {
        {"pbs", "pbs.array", "18[].pbs"},
        {"lsf", "lsf.array", "18"},
        {"jsrun", "lsf.array", "18"},
        {"slurm", "18_1|COMPLETED|None\n18_2|RUNNING|None\n18_3|PENDING|Resources\n",
         "18"},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(arrays); i++) {
        struct rc_job_answer found = {.word = ""};
        char *text = is_file(arrays[i].what) ? read_data(arrays[i].what)
                                             : strdup(arrays[i].what);
        rc_job_answer_read(rc_scheduler_find(arrays[i].scheduler), text, 0,
                           arrays[i].job, &found);
        assert_int_equal(found.count[RC_JOB_DONE], 1);
        assert_int_equal(found.count[RC_JOB_RUNNING], 1);
        assert_int_equal(found.count[RC_JOB_WAITING], 1);
        assert_int_equal(found.count[RC_JOB_UNKNOWN], 0);
        free(text);
    }
}

/* Whatever comes, the answer is of some jobs, printable and ended. */
static void check_hostile(const struct rc_scheduler *s, const char *text, int exited)
{
    struct rc_job_answer found = {.word = ""};
    size_t all = 0;

    rc_job_answer_read(s, text, exited, "17", &found);
    for (size_t i = 0; i < RC_JOB_STATES; i++)
        all += found.count[i];
    assert_true(all > 0);
    for (const char *at = found.word; *at; at++)
        assert_true((unsigned char)*at >= ' ');
    for (const char *at = found.reason; *at; at++)
        assert_true((unsigned char)*at >= ' ');
}

static void hostile_answers_are_survived(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "\n\n\n",
        "|",
        "|||||||",
        "||\n||\n",
        "12|",
        "12|RUN",
        "17|0|EXIT|",
        "{",
        "}",
        "}}}}}}}}\n{{{{\n",
        "\"Jobs\":{\n\"",
        "{\n\"Jobs\":{\n\"17\":{\n\"",
        "{\n\"Jobs\":{\n\"17\":{\n\"job_state\":\"\n}\n}\n}\n",
        "{\n\"Jobs\":{\n\"17\":{\n\"job_state\":\n\"Exit_status\":\n}}}",
        ("{\n\"Jobs\":{\n\"17\":{\n\"job_state\":\"F\",\n\"Exit_status\":"
         "999999999999999999999999999999\n}\n}\n}\n"),
        "17|\033[31mRUN\033[0m|\a\n",
        "RUN|\033]0;x\a|\177\n",
        "\xff\xfe|\x80|\xc3\n",
        "Job <",
        "Job <>",
        "Job <\n>",
        "Job <\033[2J> is submitted",
        "Job <12",
        ".",
        ";",
        ".1-3:1\n",
        ";cluster",
        "\033[2J\n",
        "\t \n\t"};

    (void)state;
    for (const struct rc_scheduler *const *s = rc_schedulers(); *s; s++)
        for (size_t i = 0; i < LENGTH(texts); i++)
            for (int exited = 0; exited < 2; exited++)
                check_hostile(*s, texts[i], exited);
}

static void huge_answers_are_survived(void **state)
{
    static const char *const pieces[] = {"x",
                                         "|",
                                         "{",
                                         "}",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "12|RUN|",
                                         "Job <",
                                         "{\n",
                                         "\xff",
                                         "12|PENDING|Priority\n",
                                         "\"job_state\":\"F\",\n"};
    const size_t room = 1 << 20;
    char *text = malloc(room + 1);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH(pieces); i++) {
        const size_t bytes = strlen(pieces[i]);
        for (size_t at = 0; at < room; at++)
            text[at] = pieces[i][at % bytes];
        text[room] = '\0';
        for (const struct rc_scheduler *const *s = rc_schedulers(); *s; s++)
            check_hostile(*s, text, 0);
    }
    free(text);
}

/* At every byte: what a full disk or an ended pipe leaves. */
static void answers_cut_off_anywhere_are_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(answers); i++)
        for (const struct answer_case *c = answers[i].answers; c->what; c++) {
            char *text = is_file(c->what) ? read_data(c->what) : strdup(c->what);
            for (size_t bytes = strlen(text); bytes-- > 0;) {
                text[bytes] = '\0';
                check_hostile(rc_scheduler_find(answers[i].scheduler), text, 0);
            }
            free(text);
        }
}

/* Runs a scheduler's submit section in a directory of its own, where the program that
 * it calls is a function which writes its words to 'words', a line each, and says
 * 'answer'.  The section's output.
 */
static void submit(const char *scheduler, const char *variables, const char *answer,
                   char *said, size_t room)
{
    static const char *const programs[] = {"sbatch", "qsub", "bsub", "flux"};
    struct rc_template t;
    FILE *file = fopen("script", "w");

    assert_non_null(file);
    assert_int_equal(rc_template_open(rc_scheduler_find(scheduler), NULL, &t, NULL),
                     RC_OK);
    for (size_t i = 0; i < LENGTH(programs); i++)
        fprintf(file, "%s() { printf '%%s\\n' %s \"$@\" >words; cat answer; }\n",
                programs[i], programs[i]);
    fprintf(file,
            "name=me part=run script=answer after='' index='' shares='' fewer=''\n"
            "%s\n%s",
            variables, t.text[RC_JOB_SUBMIT]);
    assert_int_equal(fclose(file), 0);
    file = fopen("answer", "w");
    assert_non_null(file);
    fputs(answer, file);
    assert_int_equal(fclose(file), 0);
    FILE *pipe = popen("exec bash -u script", "r");
    assert_non_null(pipe);
    said[fread(said, 1, room - 1, pipe)] = '\0';
    if (pclose(pipe) != 0)
        fail_msg("%s, %s: it failed", scheduler, variables);
    rc_template_fini(&t);
}

static void ids_are_read(void **state)
{
    static const struct {
        const char *scheduler, *answer, *id;
    } ids[] = {
        {"slurm", "123\n", "123\n"},
        {"slurm", "123;cluster\n", "123\n"}, /* sbatch(1) --parsable */
        {"slurm", "", "\n"},
        {"pbs", "2154.edtb-01.mcp.alcf.anl.gov\n", "2154.edtb-01.mcp.alcf.anl.gov\n"},
        {"pbs", "18[].pbs\n", "18[].pbs\n"}, /* qsub(1B) -J */
        {"pbs", "", ""},
        {"lsf", "Job <17> is submitted to default queue <normal>.\n", "17\n"},
        {"lsf", "Welcome\nJob <17> is submitted to queue <x>.\n", "17\n"},
        {"lsf", "Job not submitted.\n", "Job not submitted.\n"},
        {"jsrun", "Job <17> is submitted to queue <batch>.\n", "17\n"},
        {"flux", "\u0192\u0192Z2Ab\n", "\u0192\u0192Z2Ab\n"},
        {"flux", "f8FtZ2Ab\n", "f8FtZ2Ab\n"},
        {"sge", "85\n", "85\n"},
        {"sge", "85.1-3:1\n", "85\n"}, /* qsub(1) -terse, of an array */
    };
    char said[200];

    (void)state;
    for (size_t i = 0; i < LENGTH(ids); i++) {
        submit(ids[i].scheduler, "", ids[i].answer, said, sizeof said);
        assert_string_equal(said, ids[i].id);
    }
}

static void jobs_are_submitted_by_the_words_of_the_manuals(void **state)
{
    static const struct {
        const char *scheduler, *variables, *words;
    } commands[] = {
        {"slurm", "", "sbatch\n--parsable\nanswer\n"},
        {"slurm", "after='1 2' fewer=3",
         "sbatch\n--parsable\n--nodes=3\n--dependency=afterany:1:2\nanswer\n"},
        {"slurm", "shares=3", "sbatch\n--parsable\n--array=0-2\nanswer\n"},
        {"slurm", "shares=3 index=1",
         "sbatch\n--parsable\n--output=jobs/run-1.log\n--export=ALL,RC_INDEX=1\n"
         "answer\n"},
        {"pbs", "after='1.a 2.a'", "qsub\n-W\ndepend=afterany:1.a:2.a\nanswer\n"},
        {"pbs", "shares=3", "qsub\n-J\n0-2\nanswer\n"},
        {"pbs", "shares=3 index=1",
         "qsub\n-o\njobs/run-1.log\n-v\nRC_INDEX=1\nanswer\n"},
        {"lsf", "after='1 2'", "bsub\n-w\nended(1) && ended(2)\n"},
        {"jsrun", "shares=3", "bsub\n-J\nme[1-3]\n"},
        {"flux", "after='f1 f2'",
         "flux\nbatch\n--dependency=afterany:f1\n--dependency=afterany:f2\nanswer\n"},
        {"flux", "shares=3 index=1",
         "flux\nbatch\n--env=RC_INDEX=1\n--output=jobs/run-1.out\nanswer\n"},
        {"sge", "after='1 2'", "qsub\n-terse\n-hold_jid\n1,2\nanswer\n"},
        {"sge", "shares=3", "qsub\n-terse\n-t\n1-3\nanswer\n"},
        {"sge", "shares=3 index=1",
         "qsub\n-terse\n-o\njobs/run-2.log\n-v\nRC_INDEX=1\nanswer\n"},
    };
    char said[200], words[400];

    (void)state;
    for (size_t i = 0; i < LENGTH(commands); i++) {
        submit(commands[i].scheduler, commands[i].variables, "1\n", said, sizeof said);
        FILE *file = fopen("words", "r");
        assert_non_null(file);
        words[fread(words, 1, sizeof words - 1, file)] = '\0';
        fclose(file);
        assert_string_equal(words, commands[i].words);
    }
}

static void names_agree_with_the_table(void **state)
{
    const struct rc_scheduler *const *s = rc_schedulers();

    (void)state;
    assert_string_equal(rc_scheduler_names[0], "auto");
    for (size_t i = 0; s[i]; i++) {
        assert_string_equal(rc_scheduler_names[i + 1], s[i]->name);
        assert_ptr_equal(rc_scheduler_find(s[i]->name), s[i]);
        assert_true(s[i]->manual[0] && s[i]->summary[0]);
        assert_true(s[i]->texts[0] && (s[i]->read_line || s[i]->read_all));
        if (!s[i + 1])
            assert_string_equal(s[i]->name, "local");
    }
    assert_null(rc_scheduler_find("auto"));
    assert_null(rc_scheduler_find(""));
}

static char *filled(const struct rc_fill *fill, const struct rc_template *t)
{
    struct rc_error err = {.text = ""};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (rc_fill_header(fill, t->scheduler, "header", t->text[RC_JOB_HEADER], out,
                       &err) != RC_OK)
        fail_msg("%s: %s", t->scheduler->name, err.text);
    fclose(out);
    return text;
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;

    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

/* With all values no line is left out and no placeholder is left; with none every line
 * with one is.
 */
static void every_header_can_be_filled_in(void **state)
{
    struct rc_fill *all = rc_fill_create(), *none = rc_fill_create();
    char name[RC_FILL_NAME];

    (void)state;
    for (const struct rc_scheduler *const *s = rc_schedulers(); *s; s++) {
        struct rc_template t;
        assert_int_equal(rc_template_open(*s, NULL, &t, NULL), RC_OK);
        for (const char *at = t.text[RC_JOB_HEADER]; (at = rc_fill_next(at, name));)
            rc_fill_set(all, name, "1");
        char *full = filled(all, &t), *empty = filled(none, &t);
        assert_null(strstr(empty, "{{"));
        assert_null(strstr(full, "{{"));
        assert_int_equal(lines_of(full), lines_of(t.text[RC_JOB_HEADER]));
        free(full);
        free(empty);
        rc_template_fini(&t);
    }
    rc_fill_close(all);
    rc_fill_close(none);
}

/* The text of each value in a directive, or NULL where it is refused. */
enum { PLAIN, SLURM, PBS, LSF, FLUX, SYSTEMS };
#define Q(text) "\"" text "\""
static const struct {
    const char *value, *written[SYSTEMS];
} values[] = {
    {"", {NULL}},
    {"project", {"project", "project", "project", "project", "project"}},
    {"a_b.c,d:e=f+g@h/i%j^k~l-m",
     {"a_b.c,d:e=f+g@h/i%j^k~l-m", "a_b.c,d:e=f+g@h/i%j^k~l-m",
      "a_b.c,d:e=f+g@h/i%j^k~l-m", "a_b.c,d:e=f+g@h/i%j^k~l-m",
      "a_b.c,d:e=f+g@h/i%j^k~l-m"}},
    {"-n", {NULL}},
    {"--account=x", {NULL}},
    {" ", {NULL, Q(" "), Q(" "), Q(" "), "' '"}},
    {"two words",
     {NULL, Q("two words"), Q("two words"), Q("two words"), "'two words'"}},
    {"tab\tin", {NULL}},
    {"line\nfeed", {NULL}},
    {"\033[2J", {NULL}},
    {"\177", {NULL}},
    {"it's", {NULL, Q("it's"), Q("it's"), Q("it's"), NULL}},
    {"say \"so\"", {NULL, Q("say \\\"so\\\""), NULL, NULL, "'say \"so\"'"}},
    {"'\"", {NULL, Q("'\\\""), NULL, NULL, NULL}},
    {"$HOME", {NULL, Q("$HOME"), Q("$HOME"), NULL, "'$HOME'"}},
    {"`id`", {NULL, Q("`id`"), Q("`id`"), NULL, "'`id`'"}},
    {"back\\slash", {NULL, Q("back\\\\slash"), Q("back\\slash"), NULL, NULL}},
    {"end\\", {NULL, Q("end\\\\"), Q("end\\"), NULL, NULL}},
    {"# comment",
     {NULL, Q("# comment"), Q("# comment"), Q("# comment"), "'# comment'"}},
    {"a;b&c|d<e>f(g)",
     {NULL, Q("a;b&c|d<e>f(g)"), Q("a;b&c|d<e>f(g)"), Q("a;b&c|d<e>f(g)"),
      "'a;b&c|d<e>f(g)'"}},
    {"{{id}}", {NULL, Q("{{id}}"), Q("{{id}}"), Q("{{id}}"), NULL}},
    {"!", {NULL, Q("!"), Q("!"), Q("!"), "'!'"}},
    {"gr\303\266\303\237e",
     {NULL, Q("gr\303\266\303\237e"), Q("gr\303\266\303\237e"),
      Q("gr\303\266\303\237e"), "'gr\303\266\303\237e'"}},
};

static const struct {
    const char *name;
    int column;
    const char *reads; /* the mock that reads it back */
} directives[] = {{"slurm", SLURM, NULL}, {"sge", PLAIN, NULL},
                  {"pbs", PBS, "pbs"},    {"lsf", LSF, "lsf"},
                  {"jsrun", LSF, "lsf"},  {"flux", FLUX, "flux"}};

static void values_in_directives_are_quoted_or_refused(void **state)
{
    char out[256];

    (void)state;
    for (size_t d = 0; d < LENGTH(directives); d++)
        for (size_t v = 0; v < LENGTH(values); v++) {
            const char *wanted = values[v].written[directives[d].column];
            const char *unfit =
                rc_job_directive_value(rc_scheduler_find(directives[d].name),
                                       values[v].value, out, sizeof out);
            if (!unfit != (wanted != NULL))
                fail_msg("%s, '%s': %s", directives[d].name, values[v].value,
                         unfit ? unfit : out);
            if (wanted)
                assert_string_equal(out, wanted);
            else
                assert_true(unfit[0] != '\0');
        }
}

static void values_that_are_too_long_are_refused(void **state)
{
    char out[8];

    (void)state;
    for (size_t d = 0; d < LENGTH(directives); d++) {
        const struct rc_scheduler *s = rc_scheduler_find(directives[d].name);
        assert_non_null(rc_job_directive_value(s, "12345678", out, sizeof out));
        assert_non_null(rc_job_directive_value(s, "1234 678", out, sizeof out));
        assert_null(rc_job_directive_value(s, "1234567", out, sizeof out));
    }
}

/* A line for each value that is taken. */
static void write_directives(const struct rc_scheduler *s, int column, FILE *out)
{
    struct rc_error err = {.text = ""};
    char line[64];

    fputs("#!/bin/bash\n", out);
    snprintf(line, sizeof line, "%s -A {{account}}\n", s->directive);
    for (size_t v = 0; v < LENGTH(values); v++) {
        struct rc_fill *fill = rc_fill_create();
        if (values[v].written[column]) {
            rc_fill_set(fill, "account", values[v].value);
            if (rc_fill_header(fill, s, "text", line, out, &err) != RC_OK)
                fail_msg("%s: %s", s->name, err.text);
        }
        rc_fill_close(fill);
    }
}

static void directives_are_read_back_as_they_were_meant(void **state)
{
    char python[] = "python3", isolated[] = "-SE", system[16];
    char program[] = RC_SOURCE_DIR "/tests/mock/read_back.py";

    (void)state;
    if (!rc_child_is_there(python))
        skip();
    for (size_t d = 0; d < LENGTH(directives); d++) {
        struct rc_child child;
        struct rc_error err = {.text = ""};
        char path[] = "/tmp/rc-directives-XXXXXX";
        if (!directives[d].reads)
            continue;
        FILE *out = fdopen(mkstemp(path), "w");
        write_directives(rc_scheduler_find(directives[d].name), directives[d].column,
                         out);
        fclose(out);
        snprintf(system, sizeof system, "%s", directives[d].reads);
        char *words[] = {python, isolated, program, system, path, NULL};
        assert_int_equal(rc_child_run(words, NULL, NULL, 60, &child, &err), RC_OK);
        unlink(path);
        if (child.exited)
            fail_msg("%s: %s", system, child.messages);
        char *wanted = NULL;
        size_t bytes;
        FILE *expected = open_memstream(&wanted, &bytes);
        for (size_t v = 0; v < LENGTH(values); v++)
            if (values[v].written[directives[d].column])
                fprintf(expected, "-A\n%s\n", values[v].value);
        fclose(expected);
        assert_string_equal(child.output, wanted);
        free(wanted);
        rc_child_fini(&child);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_answers_are_survived),
        cmocka_unit_test(huge_answers_are_survived),
        cmocka_unit_test(answers_cut_off_anywhere_are_survived),
        cmocka_unit_test(each_recorded_answer_is_read),
        cmocka_unit_test(elements_of_an_array_are_counted),
        cmocka_unit_test(ids_are_read),
        cmocka_unit_test(jobs_are_submitted_by_the_words_of_the_manuals),
        cmocka_unit_test(names_agree_with_the_table),
        cmocka_unit_test(every_header_can_be_filled_in),
        cmocka_unit_test(values_in_directives_are_quoted_or_refused),
        cmocka_unit_test(values_that_are_too_long_are_refused),
        cmocka_unit_test(directives_are_read_back_as_they_were_meant),
    };

    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}
