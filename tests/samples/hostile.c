/* Writes the journals of a campaign whose every text wants to be more than text:
 * hostile DIR.  Prints a line for each, "WHERE HEX", so that a script can look for it
 * in the campaign's files and pages.  A script that gets to run sets 'hit' in the
 * window.
 */
#include "campaign/base/memory.h"
#include "campaign/records/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 10000, GROUP = 8, POINTS = 6, REPETITIONS = 3, SUITES = 4 };

static char long_text[LONG + 1];

static const char *const text[] = {
    "<script>window.hit='a script'</script>",
    "</script><script>window.hit='behind a script'</script>",
    "\"><img src=x onerror=\"window.hit='an attribute'\">",
    "' onmouseover='window.hit=\"another attribute\"",
    "--><svg onload=window.hit='behind_a_comment'>",
    "]]><svg/onload=window.hit='behind_CDATA'>",
    "</title></style></textarea></noscript><script>window.hit='behind all'</script>",
    "</code></td></tr></table></details></svg><script>window.hit=1</script>",
    "javascript:window.hit='a link'",
    "<!--<script>",
    "<plaintext>",
    "&lt;script&gt; &amp;amp; &#60;b&#x3e; &notanentity; &",
    "\\u003cscript\\u003e \\\\ \\x3c \\n \\",
    "new\nline\r\ttab\vand\x01\x1b[31mmore\x7f",
    "four bytes \xf0\x9f\x98\x80\xf0\x9f\x8f\xb4\xf0\x90\x8d\x88 and tags "
    "\xf3\xa0\x81\xa7",
    "turned \xe2\x80\xae"
    "gnp.exe\xe2\x81\xa6\xe2\x80\x8f\xe2\x80\x8b\xef\xbb\xbf\xe2\x80\xa8 around",
    "not UTF-8 \xff\xfe\xc3(\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82 <b>",
    "no characters \xef\xbf\xbe\xef\xb7\x90\xf0\x9f\xbf\xbf\xc2\x85\xef\xbf\xbd",
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe4\xb8\xad\xe6\x96\x87 caf\xc3\xa9 "
    "a\xcc\x81\xcc\xa7",
    "%s%n%d%%%1$s {0} ${x} #{x}",
    "__proto__",
    "constructor",
    "toString",
    "{/Symbol a}_{b}^2 @x '`touch evil`' $(touch evil); system('touch evil') #",
    "\"; reset; print system(\"touch evil\"); \"",
    "=1+cmd|' /C evil'!A0",
    "../../../evil",
    "  blanks   around  ",
    "]]]]><![CDATA[>",
    "null",
    "true",
    "0",
    long_text,
};
#define TEXTS (sizeof text / sizeof *text)

/* Those of the suite flops: the first two are on its points, the others are not. */
static const char *const ideals[] = {
    "D_SCAL",  "D_128",  "D_256",  "D_512",  "S_SCAL",  "S_128",  "S_256",  "S_512",
    "DF_SCAL", "DF_128", "DF_256", "DF_512", "SF_SCAL", "SF_128", "SF_256", "SF_512"};
enum { IDEALS = sizeof ideals / sizeof *ideals };
static const char *const suites[SUITES] = {"flops",
                                           "<script>window.hit='a suite'</script>",
                                           "__proto__", "\"'&\\\xf0\x9f\x98\x80\n\xff"};
static const char *const nodes[] = {
    "\"><img src=x onerror=window.hit='a_node'>",
    "n\n\xff\xf0\x9f\x98\x80 '`touch evil`' %s \\ <script>window.hit='a node'"};

static const char spec[] =
    "name: \"</title><script>window.hit='a name'</script> \\\"\\\\ \\e \\u202E %s\"\n"
    "source: [model:spr]\n"
    "suites: [flops]\n"
    "metrics:\n"
    "- metric: \"<script>window.hit='a metric'</script>\"\n"
    "  suite: flops\n"
    "  signature: D_SCAL + 2 D_128\n"
    "  description: \"\\\" onfocus=window.hit='a_tip' x=\\\"<img src=x "
    "onerror=window.hit='a_tip'>\"\n"
    "  unit: \"<b>%s\"\n";

static void say(const char *where, const char *what)
{
    printf("%s ", where);
    for (; *what; what++)
        printf("%02x", (unsigned char)*what);
    putchar('\n');
}

static const char *other(size_t i, size_t by)
{
    return text[(i + by) % TEXTS];
}

static int append(struct rc_journal *journal, uint32_t type, int status,
                  struct rc_bytes *bytes, struct rc_error *err)
{
    if (status == RC_OK)
        status = rc_journal_append(journal, type, bytes->byte, bytes->count, err);
    rc_bytes_fini(bytes);
    *bytes = (struct rc_bytes){0};
    return status;
}

static int put_begin(struct rc_journal *journal, struct rc_error *err)
{
    static const struct rc_record_campaign campaign = {
        .spec = spec, .created_by = "<b onclick=window.hit='program'>", .unix_time = 1};
    static const struct rc_record_run run = {
        .unix_time = 1763726400,
        .ranks = 2,
        .nodes = 2,
        .created_by = "</td><script>window.hit='a program'</script>",
        .job = "\"><img src=x onerror=window.hit='a_job'>",
        .units_left = 1};
    static const struct rc_record_operand operand[] = {
        {.name = "<script>window.hit='an origin'</script>",
         .created_by = "<i>\xff",
         .directory = "../<script>window.hit='a directory'</script>"}};
    static const struct rc_record_origin origin = {.operation = RC_OPERATION_MERGE,
                                                   .created_by = "<u>",
                                                   .operand = operand,
                                                   .operand_count = 1};
    struct rc_bytes bytes = {0};
    int status =
        append(journal, RC_RECORD_CAMPAIGN,
               rc_record_put(RC_RECORD_CAMPAIGN, &campaign, &bytes, err), &bytes, err);

    if (status == RC_OK)
        status = append(journal, RC_RECORD_RUN,
                        rc_record_put(RC_RECORD_RUN, &run, &bytes, err), &bytes, err);
    if (status == RC_OK)
        status =
            append(journal, RC_RECORD_ORIGIN,
                   rc_record_put(RC_RECORD_ORIGIN, &origin, &bytes, err), &bytes, err);
    say("static", run.created_by);
    say("static", run.job);
    say("static", operand->name);
    say("static", operand->directory);
    return status;
}

/* A kind with all texts as events; each event's other texts are others of them. */
static int put_kind(struct rc_journal *journal, const char *name, struct rc_error *err)
{
    static const struct rc_record_source sources[] = {
        {.name = "<script>window.hit='a source'</script>",
         .label = "</dd><script>window.hit='a label'</script>",
         .counter_set = "<x>",
         .simulated = true}};
    const struct rc_record_kind kind = {.name = name,
                                        .key = name,
                                        .shape = "core:2",
                                        .source = sources,
                                        .source_count = 1};
    struct rc_record_event event[TEXTS];
    struct rc_bytes bytes = {0};
    int status = append(journal, RC_RECORD_KIND,
                        rc_record_put(RC_RECORD_KIND, &kind, &bytes, err), &bytes, err);

    for (size_t i = 0; i < TEXTS; i++)
        event[i] = (struct rc_record_event){
            .name = text[i],
            .description = i == 0 ? long_text : other(i, 1),
            .evidence = other(i, 2),
            .reason = i % 4 == 3 ? other(i, 3) : "",
            .verdict = i % 4 == 3 ? RC_VERDICT_NOT_PERMITTED : RC_VERDICT_OK,
            .simulated = true};
    if (status == RC_OK)
        status = append(journal, RC_RECORD_EVENTS,
                        rc_record_put_list(RC_RECORD_EVENTS, rc_record_kind_id(name), 0,
                                           event, TEXTS, &bytes, err),
                        &bytes, err);
    say("static", name);
    say("static", sources[0].label);
    return status;
}

/* Suite 0 has ideals that definitions know of, the others have hostile ones. */
static int put_suite(struct rc_journal *journal, const char *kind, size_t number,
                     struct rc_error *err)
{
    static const uint64_t iterations[POINTS] = {10, 10, 10, 10, 10, 10};
    static const double two[POINTS][2] = {{1, 0}, {2, 0}, {4, 0},
                                          {0, 1}, {0, 2}, {0, 4}};
    static double all[POINTS][IDEALS];
    struct rc_record_point point[POINTS];
    const char *const strange[] = {other(number, 0), other(number, 7)};
    const char *const axes[] = {"<svg onload=window.hit='an_axis'>"};
    int64_t axis[POINTS];
    struct rc_bytes bytes = {0};

    for (size_t p = 0; p < POINTS; p++) {
        axis[p] = (int64_t)p + 1;
        point[p] = (struct rc_record_point){other(number * POINTS, p), &axis[p]};
        memcpy(all[p], two[p], sizeof two[p]);
    }
    const struct rc_record_suite suite = {.name = suites[number],
                                          .summary = "<script>window.hit=2</script>",
                                          .axes = axes,
                                          .axis_count = 1,
                                          .point = point,
                                          .point_count = POINTS,
                                          .ideals = number ? strange : ideals,
                                          .ideal_count = number ? 2 : IDEALS,
                                          .own_count = number ? 2 : IDEALS,
                                          .basis = number ? two[0] : all[0],
                                          .iterations = iterations,
                                          .source_count = 1};
    return append(journal, RC_RECORD_SUITE,
                  rc_record_put_list(RC_RECORD_SUITE, rc_record_kind_id(kind), number,
                                     &suite, 1, &bytes, err),
                  &bytes, err);
}

static size_t members(size_t group)
{
    return TEXTS - group * GROUP < GROUP ? TEXTS - group * GROUP : GROUP;
}

static int put_groups(struct rc_journal *journal, const char *kind,
                      struct rc_error *err)
{
    uint32_t member[GROUP];
    struct rc_bytes bytes = {0};
    int status = RC_OK;

    for (size_t g = 0; g * GROUP < TEXTS && status == RC_OK; g++) {
        const struct rc_record_group group = {
            .event = member, .count = members(g), .own = members(g)};
        for (size_t i = 0; i < group.count; i++)
            member[i] = (uint32_t)(g * GROUP + i);
        status = append(journal, RC_RECORD_GROUPS,
                        rc_record_put_list(RC_RECORD_GROUPS, rc_record_kind_id(kind), g,
                                           &group, 1, &bytes, err),
                        &bytes, err);
    }
    return status;
}

/* Counts of an event on a point: the one ideal, the other, both, or noise. */
static int64_t value(size_t event, size_t repetition, size_t point)
{
    const int64_t one = point < POINTS / 2 ? 10 << point : 0;
    const int64_t two = point < POINTS / 2 ? 0 : 10 << (point - POINTS / 2);

    switch (event % 4) {
    case 0:
        return one;
    case 1:
        return two;
    case 2:
        return one + 2 * two;
    default:
        return (int64_t)((event * 31 + point * 17 + repetition * 7) % 23);
    }
}

static int put_unit(struct rc_journal *journal, const char *kind, size_t suite,
                    size_t group, struct rc_error *err)
{
    static int64_t values[GROUP * REPETITIONS * POINTS];
    static uint64_t times[GROUP * REPETITIONS];
    static uint8_t status[GROUP * REPETITIONS];
    const bool failed = suite == 1 && group == 1;
    const struct rc_record_unit unit = {
        .kind = rc_record_kind_id(kind),
        .suite = (uint32_t)suite,
        .group = (uint32_t)group,
        .place = "",
        .node = nodes[group % 2],
        .core = (uint32_t)(suite % 2),
        .begin_ns = UINT64_C(1763726400000000000) + (suite * 10 + group) * 1000000,
        .wall_ns = 900000,
        .kernel_ns = 800000,
        .status = failed ? RC_UNIT_FAILED : RC_UNIT_OK,
        .stop = failed ? RC_STOP_NONE : RC_STOP_PRECISE,
        .reason = failed ? "<script>window.hit='a reason'</script>" : "",
        .events = (uint32_t)members(group),
        .repetitions = failed ? 0 : REPETITIONS,
        .points = POINTS};
    const struct rc_record_readings readings = {values, times, times, status};
    struct rc_bytes bytes = {0};

    for (size_t i = 0; i < (size_t)unit.events * REPETITIONS; i++) {
        times[i] = 1000;
        status[i] = RC_READING_OK;
        for (size_t p = 0; p < POINTS; p++)
            values[i * POINTS + p] =
                value(group * GROUP + i / REPETITIONS, i % REPETITIONS, p);
    }
    return append(journal, RC_RECORD_UNIT,
                  rc_record_put_unit(&unit, failed ? NULL : &readings, &bytes, err),
                  &bytes, err);
}

static int put_all(struct rc_journal *const *journal, struct rc_error *err)
{
    static const char *const kinds[] = {
        "</h2><script>window.hit='a kind'</script> \"'&\\ 100%", "__proto__"};
    int status = put_begin(journal[0], err);

    for (size_t k = 0; k < 2 && status == RC_OK; k++) {
        status = put_kind(journal[0], kinds[k], err);
        for (size_t s = 0; s < SUITES && status == RC_OK; s++)
            status = put_suite(journal[0], kinds[k], s, err);
        if (status == RC_OK)
            status = put_groups(journal[0], kinds[k], err);
        for (size_t s = 0; s < SUITES && status == RC_OK; s++)
            for (size_t g = 0; g * GROUP < TEXTS && status == RC_OK; g++)
                status = put_unit(journal[g % 2], kinds[k], s, g, err);
    }
    for (size_t i = 0; i < TEXTS; i++)
        say("event", text[i]);
    for (size_t s = 0; s < SUITES; s++)
        say("static", suites[s]);
    for (size_t n = 0; n < 2; n++)
        say("static", nodes[n]);
    say("static", "<script>window.hit='a metric'</script>");
    say("name",
        "</title><script>window.hit='a name'</script> \"\\ \x1b \xe2\x80\xae %s");
    return status;
}

int main(int argc, char **argv)
{
    struct rc_journal *journal[2] = {NULL, NULL};
    struct rc_error err = {.rank = -1};
    int status = RC_OK;

    if (argc != 2)
        return 2;
    for (size_t i = 0; i < LONG; i++)
        long_text[i] = "<b>very long"[i % 12];
    for (uint32_t n = 0; n < 2 && status == RC_OK; n++) {
        const struct rc_journal_setting setting = {.dir = argv[1],
                                                   .node = nodes[n],
                                                   .campaign = {"hostile <names>"},
                                                   .writer = n,
                                                   .sync_ms = RC_JOURNAL_SYNC_NEVER};
        status = rc_journal_open(&setting, &journal[n], &err);
    }
    if (status == RC_OK)
        status = put_all(journal, &err);
    for (size_t n = 0; n < 2; n++)
        if (rc_journal_close(journal[n], &err) != RC_OK)
            status = RC_EIO;
    if (status != RC_OK)
        fprintf(stderr, "hostile: %s\n", err.text);
    return status == RC_OK ? 0 : 1;
}
