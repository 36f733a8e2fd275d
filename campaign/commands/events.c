/* The events command: the catalogue of each kind of machine, as text, CSV or JSON. */
#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/commands/beside.h"
#include "campaign/commands/node_view.h"
#include "campaign/spec/options.h"

#include <inttypes.h>
#include <stdlib.h>

static RC_OPTION(option_untried, "no-trial", NULL,
                 "list only: do not add, start and read each event");
/* The verdicts as single words, in their order. */
static const char *const verdict_words[RC_VERDICT_COUNT + 1] = {
    [RC_VERDICT_UNTRIED] = "untried",
    [RC_VERDICT_OK] = "ok",
    [RC_VERDICT_NOT_PERMITTED] = "not-permitted",
    [RC_VERDICT_UNSUPPORTED] = "unsupported",
    [RC_VERDICT_CANNOT_SCHEDULE] = "cannot-be-scheduled",
    [RC_VERDICT_COUNTS_NOTHING] = "counts-nothing",
};
static RC_OPTION(option_verdict, "verdict", "V",
                 "show only events with this verdict, such as ok or not-permitted",
                 .words = verdict_words);

static RC_OPTION(option_with, "with", "A,B",
                 "only events that count together with these in one group, by trial",
                 .repeats = true);

static RC_OPTIONS(options, &rc_option_source, &rc_option_events, &rc_option_scope,
                  &option_verdict, &option_with, &rc_option_format,
                  &rc_option_qualifiers, &rc_option_presets, &option_untried,
                  &rc_option_campaign, &rc_option_seed, &rc_option_quiet,
                  &rc_option_verbose);

static RC_COLUMNS(columns, RC_TEXT_HIDDEN("kind"), RC_TEXT("event"), RC_TEXT("source"),
                  RC_TEXT("scope"), RC_TEXT("verdict"), RC_TEXT_HIDDEN("reason"),
                  RC_TEXT_HIDDEN("description"), RC_TEXT_HIDDEN("scope_evidence"),
                  RC_TEXT_HIDDEN("preset"), RC_TEXT_HIDDEN("simulated"));

struct work {
    struct rc_node_view look; /* first: rc_node_view_open() casts its address */
    int verdict;              /* show only this one, or -1 */
    struct rc_arg_words with; /* show only events that count beside these */
    struct rc_beside beside;  /* those events, if 'with' has any */
};

/* Thousands of events have the same few reasons: in text an event has the number of its
 * reason, and a list of the reasons comes at the end.
 */
struct notes {
    const char **reason; /* interned: equal ones are one pointer */
    size_t count, room;
};

static void put_notes(const struct notes *notes, FILE *out)
{
    char text[sizeof((struct rc_trial *)0)->reason];

    if (notes->count)
        fputc('\n', out);
    for (size_t i = 0; i < notes->count; i++)
        fprintf(out, "[%zu] %s\n", i + 1,
                rc_text_printable(text, sizeof text, notes->reason[i]));
}

/* Writes the table of events, and in text the reasons after it. */
static int put_rows(const struct work *w, FILE *out, struct rc_json *json,
                    struct rc_error *err)
{
    const struct rc_catalogue *c = w->look.catalogue;
    struct rc_rows *rows = rc_rows_create(out, w->look.format, columns, json);
    struct notes notes = {NULL, 0, 0};
    const bool is_text = w->look.format == RC_FORMAT_TEXT;
    int status = RC_OK;

    for (size_t i = 0; i < c->count; i++) {
        const struct rc_event *e = &c->event[i];
        char verdict[64];
        size_t number = 0; /* of its reason, from 1 on */
        if ((w->verdict >= 0 && w->verdict != e->verdict) ||
            (w->beside.fits && !w->beside.fits[i]))
            continue;
        snprintf(verdict, sizeof verdict, "%s", rc_verdict_name(e->verdict));
        if (is_text && e->reason[0]) {
            while (number < notes.count && notes.reason[number] != e->reason)
                number++;
            if (number == notes.count) {
                if (rc_grow(&notes.reason, sizeof *notes.reason, notes.count,
                            &notes.room)) {
                    status = rc_fail(err, RC_ENOMEM, "no memory for %zu reasons",
                                     notes.count);
                    break;
                }
                notes.reason[notes.count++] = e->reason;
            }
            rc_text_append(verdict, sizeof verdict, " [%zu]", number + 1);
        }
        RC_ROWS_PUT(rows, c->kind.name, e->name, c->source[e->source].source->name,
                    rc_scope_name(e->scope), verdict, e->reason, e->description,
                    e->evidence, e->preset ? "yes" : "no", e->simulated ? "yes" : "no");
    }
    status = rc_rows_end(rows, status, err);
    if (is_text)
        put_notes(&notes, out);
    free(notes.reason);
    return status;
}

/* rc_each_kind.render: the catalogue of a kind, on the node that speaks for it. */
static int render(void *context, const struct rc_each_kind_view *view, FILE *out,
                  struct rc_error *err)
{
    struct work *w = context;
    const bool is_text = w->look.format == RC_FORMAT_TEXT;
    struct rc_json own, *json;
    int status = rc_node_view_say_patterns(&w->look, "events", err);

    if (status != RC_OK ||
        (w->with.count && (status = rc_beside_find(w->look.catalogue, w->with.word,
                                                   &w->beside, err)) != RC_OK))
        return status;
    json = rc_rows_json(w->look.format, &own, out);
    if (json) {
        rc_node_view_json_head(json, &w->look, view);
        if (w->with.count)
            rc_json_texts(json, "with", w->with.word, w->with.count);
        rc_json_array(json, "events");
    }
    if (is_text)
        rc_node_view_text_head(&w->look, view, out);
    status = put_rows(w, out, json, err);
    rc_json_close(json);
    if (is_text)
        rc_node_view_text_tail(&w->look, view, out);
    if (is_text && w->with.count)
        fprintf(out,
                "%zu of %zu other event%s that count%s alone count%s beside these, by "
                "%" PRIu64 " trial%s\n",
                w->beside.count, w->beside.of, rc_text_s(w->beside.of),
                w->beside.of == 1 ? "s" : "", w->beside.count == 1 ? "s" : "",
                w->beside.trials, rc_text_s(w->beside.trials));
    return status;
}

/* If patterns choose events, the events of --with are added to them. */
static int take_with(struct work *w, const struct rc_args *args, struct rc_spec *spec,
                     struct rc_error *err)
{
    int status = rc_args_words(args, &option_with, true, &w->with, err);

    if (status != RC_OK)
        return status;
    if (w->with.count && !w->look.trial)
        return rc_fail(err, RC_EUSAGE, "--with: expected trials, found --no-trial");
    for (size_t i = 0; i < w->with.count && spec->events.count; i++) {
        const char *expected = NULL;
        status = rc_patterns_add(&spec->events, w->with.word[i], &expected, err);
        if (expected)
            status = rc_fail(err, RC_EUSAGE, "--with %s: expected names of events",
                             w->with.word[i]);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const char *format = rc_args_value(args, &rc_option_format);
    const char *verdict = rc_args_value(args, &option_verdict);
    struct rc_spec spec;
    struct work work = {.look = {.spec = &spec,
                                 .format = rc_rows_format(format),
                                 .trial = !rc_args_has(args, &option_untried)},
                        .verdict = verdict ? rc_word_find(verdict, verdict_words) : -1};
    struct rc_each_kind each_kind = rc_node_view_each_kind(&work.look);

    each_kind.render = render;
    int status = rc_spec_agree(session->comm, args, NULL, &spec, err);
    if (status != RC_OK)
        return status;
    if ((status = rc_agree(session->comm, take_with(&work, args, &spec, err), err)) !=
        RC_OK)
        goto out;
    rc_rows_envelope(work.look.format, columns, &each_kind.before, &each_kind.between,
                     &each_kind.after);
    if ((status = rc_each_kind_run(session->comm, &each_kind, stdout, err)) == RC_OK)
        status = rc_node_view_check_any(session->comm, &work.look, err);
    rc_catalogue_close(work.look.catalogue);
out:
    free(work.beside.fits);
    rc_arg_words_fini(&work.with);
    rc_spec_fini(&spec);
    return status;
}

const struct rc_command rc_command_events = {
    .name = "events",
    .summary = "lists every event of this machine, with a verdict from a real trial",
    .operands = "[PATTERN]...",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_LAUNCHED,
    .variables = RC_VARIABLE_DATA,
    .see = (const char *const[]){"doctor", "kernels", "plan", NULL},
    .run = run,
};
