/* The doctor command: one finding for each check, with a remedy.
 *
 * The checks are in checks.c (of a node) and checks_team.c (of a job); here they are
 * compared between the nodes of a kind and printed.
 */
#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/commands/checks.h"
#include "campaign/commands/node_view.h"
#include "campaign/spec/options.h"

#include <stdlib.h>
#include <string.h>

static RC_OPTIONS(options, &rc_option_directory, &rc_option_format, &rc_option_quiet,
                  &rc_option_verbose);

static RC_COLUMNS(columns, RC_TEXT_HIDDEN("kind"), RC_TEXT("check"), RC_TEXT("level"),
                  RC_TEXT("finding"), RC_TEXT_HIDDEN("mend"));

struct work {
    const char *directory; /* for results */
    bool launched;         /* by mpirun, srun or the like */
    enum rc_format format;
    struct rc_findings findings; /* of the job, then of this node */
    struct rc_kind kind;
    struct rc_machine *machine; /* NULL: it could not be opened */
    char counter_set[512];      /* PAPI's, a part of the kind; "": none */
};

/* rc_each_kind.look: the checks of a node, on its leader. */
static int look_at_node(void *context, struct rc_kind *kind, struct rc_error *err)
{
    struct work *w = context;
    struct rc_error why = {.text = ""};

    (void)err; /* a failure is a finding, and the other checks continue */
    rc_machine_open(RC_MACHINE_THIS, NULL, &w->machine, &why);
    rc_checks_of_node(&w->findings, w->machine, why.text, w->launched, w->directory,
                      w->counter_set, sizeof w->counter_set);
    if (w->machine)
        rc_machine_kind(w->machine, NULL, w->counter_set, kind);
    else
        snprintf(kind->name, sizeof kind->name, "unknown");
    w->kind = *kind;
    rc_machine_kind_only(&w->kind); /* no source is named */
    return RC_OK;
}

/* rc_each_kind.answer */
static int level_of(void *context, size_t index, const char **name)
{
    const struct rc_findings *findings = &((struct work *)context)->findings;

    if (index == findings->count)
        return -1;
    *name = findings->finding[index].check;
    return (int)findings->finding[index].level;
}

static void render_text(const struct work *w, const struct rc_each_kind_view *view,
                        FILE *out)
{
    static const char *const marks[] = {"  ok      ", "  note    ", "! warning ",
                                        "# problem "};
    size_t tally[4] = {0};
    char nodes[600];

    fprintf(out, "kind %s %s\n\n", w->kind.name,
            rc_each_kind_nodes(view, nodes, sizeof nodes));
    for (size_t i = 0; i < w->findings.count; i++) {
        const struct rc_finding *f = &w->findings.finding[i];
        fprintf(out, "%s %-14s %s\n", marks[f->level], f->check, f->said);
        if (f->mend[0])
            fprintf(out, "%26s> %s\n", "", f->mend);
        tally[f->level]++;
    }
    fprintf(out, "\n%zu problem%s, %zu warning%s, %zu note%s, %zu ok\n%s", tally[3],
            rc_text_s(tally[3]), tally[2], rc_text_s(tally[2]), tally[1],
            rc_text_s(tally[1]), tally[0], view->differences);
}

/* rc_each_kind.render: the findings of a kind, on the node that speaks for it. */
static int render(void *context, const struct rc_each_kind_view *view, FILE *out,
                  struct rc_error *err)
{
    const struct work *w = context;
    struct rc_json own, *json = rc_rows_json(w->format, &own, out);

    if (w->format == RC_FORMAT_TEXT) {
        render_text(w, view, out);
        return RC_OK;
    }
    if (json) {
        rc_node_view_json_kind(json, &w->kind, view);
        rc_json_array(json, "findings");
    }
    struct rc_rows *rows = rc_rows_create(out, w->format, columns, json);
    for (size_t i = 0; i < w->findings.count; i++) {
        const struct rc_finding *f = &w->findings.finding[i];
        RC_ROWS_PUT(rows, w->kind.name, f->check, rc_level_names[f->level], f->said,
                    f->mend);
    }
    const int status = rc_rows_end(rows, RC_OK, err);
    rc_json_close(json);
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const char *format = rc_args_value(args, &rc_option_format);
    const char *directory = rc_args_value(args, &rc_option_directory);
    struct work *w = calloc(1, sizeof *w);
    struct rc_each_kind each_kind = {.look = look_at_node,
                                     .answer = level_of,
                                     .doing = "looking at this machine",
                                     .values = rc_level_names,
                                     .render = render};
    int problems = 0, all = 0;
    int status = w ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for the findings");

    status = rc_agree(session->comm, status, err);
    if (status != RC_OK)
        goto out;
    each_kind.context = w;
    w->directory = directory ? directory : ".";
    w->launched = session->launched;
    w->format = rc_rows_format(format);
    rc_rows_envelope(w->format, columns, &each_kind.before, &each_kind.between,
                     &each_kind.after);
    rc_checks_of_team(&w->findings, session->comm, session->launched, w->directory);
    status = rc_each_kind_run(session->comm, &each_kind, stdout, err);
    if (status == RC_OK) {
        /* Problems anywhere in the job make the command fail, for scripts. */
        for (size_t i = 0; i < w->findings.count; i++)
            problems += w->findings.finding[i].level == RC_LEVEL_PROBLEM;
        all = rc_team_most(session->comm, problems);
    }
    if (all)
        status = rc_fail(err, RC_EUNSUPPORTED, "%d problem%s to fix before measuring",
                         all, rc_text_s((uint64_t)all));
out:
    if (w)
        rc_machine_close(w->machine);
    free(w);
    return status;
}

const struct rc_command rc_command_doctor = {
    .name = "doctor",
    .summary = "checks counters, rights, topology, binding, MPI, HDF5; says how to fix "
               "what is wrong",
    .operands = "",
    .options = options,
    .mpi = RC_MPI_ALWAYS,
    .variables = RC_VARIABLE_DATA,
    .see = (const char *const[]){"events", "plan", NULL},
    .run = run,
};
