/* Prints the findings of 'status': as text for people, as JSON with the same facts, and
 * as CSV with the table of suites only.
 */
#include "campaign/commands/status_parts.h"

#include <inttypes.h>
#include <string.h>

enum {
    REASONS_OF_TEXT = 5, /* that are shown one by one */
    NUMBER = 24          /* characters of a 64-bit number */
};

static const struct rc_column columns[] = {
    RC_TEXT_HIDDEN("kind"), /* a heading */
    RC_TEXT("suite"),
    RC_NUMBER("units"),
    RC_NUMBER("ok"),
    RC_NUMBER("invalid"),
    RC_NUMBER("failed"),
    RC_NUMBER("missing"),
    RC_NUMBER("events"),
    RC_NUMBER("places"),
    RC_NUMBER_HIDDEN("repetitions_min"),
    RC_NUMBER_HIDDEN("repetitions_max"),
    RC_NUMBER_HIDDEN("mean_unit_ns"),
    {.name = "repeated", .type = RC_CELL_NUMBER, .text_only = true},
    {.name = NULL}};

/* Writes the table of suites, in any of the formats; as text one for each kind. */
static int put_suites(const struct rc_status_view *v, enum rc_format format,
                      struct rc_json *json, struct rc_error *err)
{
    struct rc_rows *rows = NULL;
    int status = RC_OK;

    if (format != RC_FORMAT_TEXT || v->state.count == 0)
        rows = rc_rows_create(stdout, format, columns, json);
    for (size_t i = 0; i < v->state.count; i++) {
        const struct rc_suite_state *s = &v->state.suite[i];
        const struct rc_campaign_kind *kind = &v->campaign->kind[s->kind];
        const uint64_t number[] = {
            s->units,  s->ok,     s->invalid,         s->failed,          s->missing,
            s->events, s->places, s->repetitions_min, s->repetitions_max, s->unit_ns};
        char text[sizeof number / sizeof number[0]][NUMBER], repeated[2 * NUMBER];
        const char *cells[3 + sizeof number / sizeof number[0]] = {
            kind->record.name, kind->suite[s->suite].name};
        if (format == RC_FORMAT_TEXT && (i == 0 || s->kind != s[-1].kind)) {
            status = rows ? rc_rows_end(rows, status, err) : RC_OK;
            printf("%skind %s\n", i ? "\n" : "", kind->record.name);
            rows = rc_rows_create(stdout, format, columns, json);
        }
        snprintf(repeated, sizeof repeated, "%" PRIu32, s->repetitions_min);
        if (s->repetitions_max != s->repetitions_min)
            rc_text_append(repeated, sizeof repeated, "-%" PRIu32, s->repetitions_max);
        cells[2 + sizeof number / sizeof number[0]] = repeated;
        for (size_t n = 0; n < sizeof number / sizeof number[0]; n++) {
            snprintf(text[n], NUMBER, "%" PRIu64, number[n]);
            cells[2 + n] = text[n];
        }
        rc_rows_add(rows, cells);
    }
    return rc_rows_end(rows, status, err);
}

static bool has_only_detours(const struct rc_campaign *h)
{
    return h->kind_count == 0 && h->detours > 0;
}

/* Prints the campaign: id, name, age, share, and for each kind of machine a line "kind
 * K on 3 nodes: model, simulated; soft, ...".
 */
static void text_head(const struct rc_status_view *v)
{
    const struct rc_campaign *h = v->campaign;
    const char *name = v->name;
    char id[RC_JOURNAL_ID_TEXT], printable[256], when[RC_TEXT_TIME];

    rc_journal_id_text(id, &h->campaign);
    printf("campaign %s%s%s\n", id, name[0] ? ", named " : "",
           rc_text_printable(printable, sizeof printable, name));
    if (h->record.spec)
        printf("created %s by %s\n", rc_text_put_time(when, h->record.unix_time),
               rc_text_printable(printable, sizeof printable, h->record.created_by));
    else if (h->kind_count > 0 || h->detours == 0)
        printf("its campaign file is not in the journals\n");
    if (h->detours)
        printf("%" PRIu64 " measurement%s of detours: 'rollcall noise' judges them%s\n",
               h->detours, rc_text_s(h->detours),
               has_only_detours(h) ? ", 'rollcall report' makes a page of them" : "");
    if (rc_campaign_share(h))
        printf("%s\n", rc_campaign_share_text(h, printable, sizeof printable));
    for (size_t k = 0; k < h->kind_count; k++) {
        const struct rc_record_kind *record = &h->kind[k].record;
        const size_t nodes = h->kind[k].node_count;
        char line[RC_ERROR_TEXT] = "";
        rc_text_append(line, sizeof line, "kind %s", record->name);
        if (nodes)
            rc_text_append(line, sizeof line, " on %zu node%s", nodes,
                           rc_text_s(nodes));
        for (size_t i = 0; i < record->source_count; i++)
            rc_text_append(line, sizeof line, "%s %s, %s", i ? ";" : ":",
                           record->source[i].name, record->source[i].label);
        printf("%s\n", rc_text_printable(line, sizeof line, line));
    }
}

/* Prints the campaigns that it was merged, averaged, subtracted or imported from;
 * nothing for a measured one.  An operand is shown by its directory, else its name,
 * else its id.
 */
static void text_origins(const struct rc_campaign *h)
{
    char line[RC_ERROR_TEXT], when[RC_TEXT_TIME], id[RC_JOURNAL_ID_TEXT];

    for (size_t i = 0; i < h->origin_count; i++) {
        const struct rc_record_origin *origin = &h->origin[i];
        line[0] = 0;
        for (size_t o = 0; o < origin->operand_count; o++) {
            const struct rc_record_operand *operand = &origin->operand[o];
            rc_journal_id_text(id, &operand->campaign);
            rc_text_append(line, sizeof line, "%s%s", o ? ", " : "",
                           operand->directory[0] ? operand->directory
                           : operand->name[0]    ? operand->name
                                                 : id);
        }
        printf("%s, %s, of %zu: %s\n", rc_operation_names()[origin->operation],
               rc_text_put_time(when, origin->unix_time), origin->operand_count,
               rc_text_printable(line, sizeof line, line));
    }
}

/* Prints a line for each run, and how it ended. */
static void text_runs(const struct rc_status_view *v)
{
    const struct rc_campaign *h = v->campaign;
    char when[RC_TEXT_TIME], until[RC_TEXT_TIME];

    for (size_t i = 0; i < h->run_count; i++) {
        const struct rc_campaign_run *run = &h->run[i];
        printf("run %zu: %s, %" PRIu32 " rank%s on %" PRIu32 " node%s, %" PRIu64
               " units to do; ",
               i + 1, rc_text_put_time(when, run->begin.unix_time), run->begin.ranks,
               rc_text_s(run->begin.ranks), run->begin.nodes,
               rc_text_s(run->begin.nodes), run->begin.units_left);
        if (run->ended)
            printf("%s %s with %" PRIu64 " left\n",
                   run->end.interrupted ? "stopped by a signal" : "ended",
                   rc_text_put_time(until, run->end.unix_time), run->end.units_left);
        else
            printf("did not end by itself%s\n",
                   i + 1 == h->run_count ? ", or is still running" : "");
    }
}

/* Prints a line for each journal: its size, or its damage. */
static void text_journals(const struct rc_status_view *v)
{
    const struct rc_campaign *h = v->campaign;
    char line[RC_ERROR_TEXT], bytes[RC_TEXT_SHORT];

    for (size_t i = 0; i < h->file_count; i++) {
        const struct rc_journal_report *report = &h->file[i].report;
        rc_journal_say(report, h->file[i].path, line, sizeof line);
        if (line[0])
            printf("%s\n", line);
        else
            printf("%s: %s, %" PRIu64 " record%s, all whole\n",
                   rc_text_printable(line, sizeof line, h->file[i].path),
                   rc_text_put_size(bytes, report->file_bytes), report->records,
                   rc_text_s(report->records));
    }
    if (h->records_refused)
        printf("%" PRIu64 " record%s not understood and left out, the first: %s\n",
               h->records_refused, rc_text_plural(h->records_refused, " was", "s were"),
               rc_text_printable(line, sizeof line, h->first_refusal));
}

/* Prints campaign.h5, metrics.h5 and noise.h5.  A problem that names its remedy gets no
 * second one.
 */
static void text_files(const struct rc_status_view *v)
{
    char printable[PATH_MAX], bytes[RC_TEXT_SHORT], problem[sizeof v->metrics_problem];

    rc_text_printable(printable, sizeof printable, v->store);
    if (!v->store_there)
        printf("%s: is not there; 'rollcall pack' makes it\n", printable);
    else if (v->store_problem[0])
        printf("%s: %s%s\n", printable,
               rc_text_printable(problem, sizeof problem, v->store_problem),
               strstr(v->store_problem, "rollcall pack")
                   ? ""
                   : "; 'rollcall pack' makes it again");
    else
        printf(
            "%s: %s%s\n", printable, rc_text_put_size(bytes, v->store_bytes),
            v->store_old
                ? ", does not hold all of the journals; 'rollcall pack' makes it again"
                : ", holds all of the journals");
    if (v->metrics_there)
        printf("%s: %s\n", rc_text_printable(printable, sizeof printable, v->metrics),
               v->metrics_problem[0]
                   ? rc_text_printable(problem, sizeof problem, v->metrics_problem)
                   : "solved from campaign.h5 as it is");
    rc_text_printable(printable, sizeof printable, v->noise_path);
    if (v->noise.there)
        printf("%s: %s\n", printable,
               v->noise.problem[0]
                   ? rc_text_printable(problem, sizeof problem, v->noise.problem)
               : v->campaign->detours
                   ? "made from campaign.h5 and the detours as they are"
                   : "made from campaign.h5 as it is");
    else if (v->store_there && v->campaign->detours)
        printf("%s: is not there; 'rollcall noise' makes it\n", printable);
}

/* The ranks of the last run, for the estimate of the rest. */
static uint64_t ranks_of_last_run(const struct rc_campaign *h)
{
    const uint32_t ranks = h->run_count ? h->run[h->run_count - 1].begin.ranks : 1;

    return ranks ? ranks : 1;
}

/* Prints the campaign's progress, and the time that the rest takes. */
static void text_left(const struct rc_status_view *v)
{
    const uint64_t ranks = ranks_of_last_run(v->campaign);
    const struct rc_suite_state *all = &v->state.all;
    char took[RC_TEXT_SHORT];

    printf("%" PRIu64 " of %" PRIu64 " unit%s ok", all->ok, all->units,
           rc_text_s(all->units));
    if (v->state.complete)
        printf(": complete%s\n", rc_campaign_share(v->campaign) ? ", as a share" : "");
    else if (v->state.left_ns == 0)
        printf(": incomplete; how long the rest takes is not known\n");
    else
        printf(": incomplete; the rest takes %s%s on %" PRIu64 " rank%s\n",
               v->state.left_known ? "about " : "more than ",
               rc_text_put_duration(took, v->state.left_ns / ranks), ranks,
               rc_text_s(ranks));
}

static void json_kinds(const struct rc_campaign *h, struct rc_json *json)
{
    static const struct rc_json_member members[] = {
        RC_JSON_AS("kind", rc_campaign_kind, record.name),
        RC_JSON_AS("nodes", rc_campaign_kind, node_count),
        RC_JSON_AS("events", rc_campaign_kind, event_count),
        {0}};
    static const struct rc_json_member sources[] = {
        RC_JSON_AS("source", rc_record_source, name),
        RC_JSON_EACH(rc_record_source, label, simulated),
        {0}};

    rc_json_array(json, "kinds");
    for (size_t k = 0; k < h->kind_count; k++) {
        const struct rc_record_kind *record = &h->kind[k].record;
        rc_json_object(json, NULL);
        rc_json_members(json, members, &h->kind[k]);
        rc_json_list(json, "sources", sources, record->source, record->source_count,
                     sizeof *record->source);
        rc_json_end(json);
    }
    rc_json_end(json);
}

/* Writes null for a campaign that is not a share. */
static void json_share(const struct rc_campaign *h, struct rc_json *json)
{
    const struct rc_record_share *share = rc_campaign_share(h);

    if (!share) {
        rc_json_text(json, "share", NULL);
        return;
    }
    rc_json_object(json, "share");
    rc_json_integer(json, "number", share->number);
    rc_json_integer(json, "of", share->of);
    rc_json_integer(json, "units", (int64_t)rc_campaign_share_units(h, true));
    rc_json_integer(json, "campaign_units", (int64_t)rc_campaign_share_units(h, false));
    rc_json_end(json);
}

static void json_time(struct rc_json *json, const char *key, int64_t time, bool known)
{
    char text[RC_TEXT_TIME];

    rc_json_text(json, key, known ? rc_text_put_time(text, time) : NULL);
}

static void json_origins(const struct rc_campaign *h, struct rc_json *json)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_record_operand, name, created_by, directory), {0}};
    static const struct rc_journal_id none;
    char id[RC_JOURNAL_ID_TEXT];

    rc_json_array(json, "origins");
    for (size_t i = 0; i < h->origin_count; i++) {
        const struct rc_record_origin *origin = &h->origin[i];
        rc_json_object(json, NULL);
        rc_json_text(json, "operation", rc_operation_names()[origin->operation]);
        json_time(json, "when", origin->unix_time, true);
        rc_json_text(json, "created_by", origin->created_by);
        rc_json_array(json, "operands");
        for (size_t o = 0; o < origin->operand_count; o++) {
            const struct rc_record_operand *operand = &origin->operand[o];
            const bool known = memcmp(&operand->campaign, &none, sizeof none) != 0;
            rc_journal_id_text(id, &operand->campaign);
            rc_json_object(json, NULL);
            rc_json_text(json, "campaign", known ? id : NULL);
            json_time(json, "created", operand->unix_time, operand->unix_time != 0);
            rc_json_members(json, members, operand);
            rc_json_end(json);
        }
        rc_json_end(json);
        rc_json_end(json);
    }
    rc_json_end(json);
}

static void json_runs(const struct rc_campaign *h, struct rc_json *json)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_record_run, ranks, nodes, created_by),
        RC_JSON_AS("units_to_do", rc_record_run, units_left),
        {0}};

    rc_json_array(json, "runs");
    for (size_t i = 0; i < h->run_count; i++) {
        const struct rc_campaign_run *run = &h->run[i];
        rc_json_object(json, NULL);
        json_time(json, "begin", run->begin.unix_time, true);
        rc_json_members(json, members, &run->begin);
        rc_json_text(json, "job", run->begin.job[0] ? run->begin.job : NULL);
        json_time(json, "end", run->end.unix_time, run->ended);
        rc_json_flag(json, "interrupted", run->ended && run->end.interrupted);
        rc_json_end(json);
    }
    rc_json_end(json);
}

static void json_journals(const struct rc_status_view *v, struct rc_json *json)
{
    static const struct rc_json_member reasons[] = {
        RC_JSON_AS("reason", rc_status_reason, text),
        RC_JSON(rc_status_reason, units),
        {0}};
    static const struct rc_json_member files[] = {
        RC_JSON(rc_campaign_file, path),
        RC_JSON_AS("bytes", rc_campaign_file, report.file_bytes),
        RC_JSON_AS("records", rc_campaign_file, report.records),
        RC_JSON_AS("damaged_bytes", rc_campaign_file, report.damaged_bytes),
        RC_JSON_AS("damaged_places", rc_campaign_file, report.damaged_places),
        RC_JSON_AS("header_damaged", rc_campaign_file, report.header_damaged),
        {0}};
    const struct rc_campaign *h = v->campaign;

    rc_json_list(json, "reasons", reasons, v->reason, v->reason_count,
                 sizeof *v->reason);
    rc_json_list(json, "journals", files, h->file, h->file_count, sizeof *h->file);
    rc_json_integer(json, "records_refused", (int64_t)h->records_refused);
    rc_json_integer(json, "detours", (int64_t)h->detours);
}

/* Writes campaign.h5, metrics.h5 or noise.h5: whether it matches the present data. */
static void json_file(struct rc_json *json, const char *key, const char *path,
                      bool there, bool current, const char *problem)
{
    rc_json_object(json, key);
    rc_json_text(json, "path", path);
    rc_json_flag(json, "there", there);
    rc_json_flag(json, "current", there && current && !problem[0]);
    rc_json_text(json, "problem", problem);
    rc_json_end(json);
}

static int show_json(const struct rc_status_view *v, struct rc_error *err)
{
    const struct rc_campaign *h = v->campaign;
    struct rc_json own, *json = rc_json_begin(&own, stdout);
    char id[RC_JOURNAL_ID_TEXT];

    rc_journal_id_text(id, &h->campaign);
    rc_json_object(json, NULL);
    rc_json_text(json, "campaign", id);
    rc_json_text(json, "name", v->spec_known ? v->name : NULL);
    json_time(json, "created", h->record.unix_time, h->record.spec != NULL);
    rc_json_text(json, "created_by", h->record.created_by);
    json_share(h, json);
    json_kinds(h, json);
    json_origins(h, json);
    json_runs(h, json);
    rc_json_array(json, "suites");
    int status = put_suites(v, RC_FORMAT_JSON, json, err);
    rc_json_end(json);
    rc_json_array(json, "jobs");
    if (v->submitted && status == RC_OK)
        status = rc_job_view_show(&v->jobs, RC_FORMAT_JSON, json, err);
    rc_json_end(json);
    json_journals(v, json);
    json_file(json, "store", v->store, v->store_there, !v->store_old, v->store_problem);
    json_file(json, "metrics", v->metrics, v->metrics_there, true, v->metrics_problem);
    json_file(json, "noise", v->noise_path, v->noise.there, true, v->noise.problem);
    rc_json_flag(json, "complete", v->state.complete);
    if (v->state.left_known)
        rc_json_integer(json, "left_ns",
                        (int64_t)(v->state.left_ns / ranks_of_last_run(h)));
    else
        rc_json_text(json, "left_ns", NULL);
    rc_json_close(json);
    return status;
}

int rc_status_show(const struct rc_status_view *view, enum rc_format format,
                   struct rc_error *err)
{
    if (format == RC_FORMAT_JSON)
        return show_json(view, err);
    if (format != RC_FORMAT_TEXT) {
        rc_rows_head(stdout, format, columns);
        return put_suites(view, format, NULL, err);
    }
    /* From the campaign to what is left to do. */
    text_head(view);
    text_origins(view->campaign);
    text_runs(view);
    putchar('\n');
    int status = view->state.count ? put_suites(view, format, NULL, err) : RC_OK;
    if (view->state.count)
        putchar('\n');
    else if (!has_only_detours(view->campaign))
        printf("nothing has been measured: the journals name no suites\n\n");
    if (view->submitted && status == RC_OK) {
        status = rc_job_view_show(&view->jobs, format, NULL, err);
        putchar('\n');
    }
    /* The most frequent reasons why units are not ok; the rest is counted. */
    uint64_t others = view->other_reasons;
    char printable[512];
    for (size_t i = 0; i < view->reason_count; i++)
        if (i < REASONS_OF_TEXT)
            printf(
                "%" PRIu64 " unit%s not ok: %s\n", view->reason[i].units,
                rc_text_s(view->reason[i].units),
                rc_text_printable(printable, sizeof printable, view->reason[i].text));
        else
            others += view->reason[i].units;
    if (others)
        printf("%" PRIu64 " unit%s not ok for other reasons\n", others,
               rc_text_s(others));
    text_journals(view);
    if (has_only_detours(view->campaign))
        return status; /* no files are made from them, and nothing is left to do */
    text_files(view);
    text_left(view);
    return status;
}
