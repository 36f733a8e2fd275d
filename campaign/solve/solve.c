/* campaign.h5 to metrics.h5: kind after kind. */
#include "campaign/solve/solve.h"

#include "campaign/assemble.h"
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/data.h"
#include "campaign/base/text.h"
#include "campaign/solve/parts.h"
#include "campaign/spec.h"
#include "io/import.h"
#include "io/metrics.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_measured(const struct rc_store *store, const char *suite)
{
    for (size_t k = 0; k < rc_store_kind_count(store); k++)
        if (rc_store_find_suite(store, k, suite) < rc_store_suite_count(store, k))
            return true;
    return false;
}

/* A user's file names suites that rollcall has, or that were measured all the same:
 * any other name is a slip, and its metrics would be missed without a word.
 */
static int check_names(const struct rc_definitions *definitions, size_t known,
                       const struct rc_store *store, struct rc_error *err)
{
    for (size_t i = known; i < rc_definitions_count(definitions); i++) {
        const struct rc_suite_definition *d = rc_definitions_suite(definitions, i);
        if (!is_measured(store, d->name))
            return rc_fail(err, RC_EUSAGE,
                           "%s: suite '%s', expected one that was measured", d->where,
                           d->name);
    }
    return RC_OK;
}

/* Whether a suite is a benchmark of the tool whose results were imported. */
static bool has_suites_of(const struct rc_store *store, const char *format)
{
    const size_t length = strlen(format);

    for (size_t k = 0; k < rc_store_kind_count(store); k++)
        for (size_t i = 0; i < rc_store_suite_count(store, k); i++) {
            const char *name = rc_store_suite(store, k, i)->name;
            if (strncmp(name, format, length) == 0 && name[length] == '-')
                return true;
        }
    return false;
}

/* Suites of other tools have metrics of the same names: they are only there for
 * campaigns that hold such suites.
 */
static int add_imported(struct rc_definitions *definitions,
                        const struct rc_store *store, struct rc_error *err)
{
    const struct rc_import_format *const *format = rc_import_formats();
    char path[PATH_MAX], name[64];
    int status = RC_OK;

    for (size_t i = 0; format[i] && status == RC_OK; i++) {
        if (!has_suites_of(store, format[i]->name))
            continue;
        snprintf(name, sizeof name, "%s.yaml", format[i]->name);
        status = rc_data_find("imports", name, path, sizeof path, err);
        if (status == RC_OK)
            status = rc_definitions_add_file(definitions, path, err);
    }
    return status;
}

/* Whether events that the machine has may be missing because nobody asked for them. */
static bool selects(const struct rc_spec *spec)
{
    return spec->events.count > 0 || spec->scopes.count > 0 ||
           spec->qualifiers == RC_QUALIFIERS_NONE;
}

/* rollcall's own definitions, then the campaign file's, then the user's files. */
static int get_definitions(const struct rc_solving *how, const struct rc_store *store,
                           struct rc_definitions **out, bool *selected,
                           struct rc_error *err)
{
    const char *text = rc_store_campaign(store)->spec;
    struct rc_spec spec = {0};
    int status = rc_definitions_create(out, err);

    if (status == RC_OK)
        status = add_imported(*out, store, err);
    if (status == RC_OK && how->spec) {
        status = rc_spec_definitions(how->spec, *out, err);
        *selected = selects(how->spec);
    } else if (status == RC_OK && text[0]) {
        status = rc_spec_from_text("campaign file", text, strlen(text), &spec, err);
        if (status == RC_OK)
            status = rc_spec_definitions(&spec, *out, err);
        if (status != RC_OK)
            rc_error_prefix(err, "'%s/campaign.h5': ", how->dir);
        *selected = selects(&spec);
        rc_spec_fini(&spec);
    }
    const size_t known = status == RC_OK ? rc_definitions_count(*out) : 0;
    for (size_t i = 0; status == RC_OK && how->definitions && how->definitions[i]; i++)
        status = rc_definitions_add_file(*out, how->definitions[i], err);
    return status == RC_OK ? check_names(*out, known, store, err) : status;
}

/* That the suites asked for are in the file. */
static int check_suites(const struct rc_solving *how, const struct rc_store *store,
                        struct rc_error *err)
{
    for (size_t w = 0; how->suites && how->suites[w]; w++) {
        char have[512] = "";
        if (is_measured(store, how->suites[w]))
            continue;
        for (size_t i = 0;
             rc_store_kind_count(store) && i < rc_store_suite_count(store, 0); i++)
            rc_text_append(have, sizeof have, "%s%s", i ? ", " : "",
                           rc_store_suite(store, 0, i)->name);
        return rc_fail(err, RC_EUSAGE,
                       "suite '%s' was not measured, expected one of: %s",
                       how->suites[w], have);
    }
    return RC_OK;
}

static int put_columns(struct rc_solve_kind *k, struct rc_solve_suite *s,
                       struct rc_metrics_file *file, struct rc_error *err)
{
    const size_t blocks = (k->layout.columns + k->layout.block - 1) / k->layout.block;
    const size_t rounds = (blocks + (size_t)k->grid.ranks - 1) / (size_t)k->grid.ranks;
    size_t local = 0;
    int status = RC_OK;

    for (size_t i = 0; i < rounds && status == RC_OK; i++) {
        size_t first = 0, count = rc_columns_run(&k->grid, &k->layout, local, &first);
        const struct rc_event_columns columns = {.first = first,
                                                 .count = count,
                                                 .noise = s->noise + local,
                                                 .residual = s->residual + local,
                                                 .representation =
                                                     s->x.data + local * s->coordinates,
                                                 .event_class = s->event_class + local,
                                                 .use = s->use + local,
                                                 .reason = s->reason + local};
        status = rc_metrics_put_columns(file, &columns, err);
        local += count;
    }
    return status;
}

static int write_kind(struct rc_solve_kind *k, struct rc_metrics_file *file,
                      struct rc_error *err)
{
    const uint64_t began = rc_clock_ns();
    int status = rc_metrics_copy_kind(file, k->store, k->number, err);

    for (size_t i = 0; i < k->count && status == RC_OK; i++) {
        if (!k->suite[i].wanted)
            continue;
        status = rc_metrics_put_suite(file, &k->suite[i].result, err);
        if (status == RC_OK)
            status = put_columns(k, &k->suite[i], file, err);
    }
    k->seconds[RC_STAGE_WRITE] += (double)(rc_clock_ns() - began) / 1e9;
    return status;
}

/* All that a solve works with. */
struct work {
    const struct rc_solving *how;
    struct rc_store *store;
    struct rc_definitions *definitions;
    struct rc_metrics_file *file;
    struct rc_solve_presets *presets;
    double seconds[RC_STAGE_COUNT];
    bool incomplete, selected;
};

static int solve_kind(struct work *w, size_t number, struct rc_error *err)
{
    struct rc_solve_kind k = {.how = w->how,
                              .definitions = w->definitions,
                              .store = w->store,
                              .presets = w->presets,
                              .selected = w->selected,
                              .number = number};
    int status = rc_solve_kind_init(&k, err);

    if (status == RC_OK)
        status = rc_solve_kind_work(&k, err);
    if (status == RC_OK)
        status = write_kind(&k, w->file, err);
    if (status == RC_OK && w->how->out && rc_team_rank(w->how->comm) == 0)
        rc_solve_show(&k, w->how->out);
    for (int i = 0; i < RC_STAGE_COUNT; i++)
        w->seconds[i] += k.seconds[i];
    w->incomplete |= k.incomplete;
    rc_solve_kind_fini(&k);
    return status;
}

static void say_seconds(const struct work *w, double all)
{
    char line[512] = "";

    for (int i = 0; i < RC_STAGE_COUNT; i++)
        rc_text_append(line, sizeof line, "%s%s %.3g s", i ? ", " : "",
                       rc_solve_stage_names[i], w->seconds[i]);
    fprintf(stderr, "solved in %.3g s: %s\n", all, line);
}

/* That there is a campaign.h5, where there are journals that one can be made of. */
static int check_packed(const char *dir, const char *path, struct rc_error *err)
{
    char journal[PATH_MAX];

    if (access(path, F_OK) == 0 || errno != ENOENT ||
        snprintf(journal, sizeof journal, "%s/journal", dir) >= (int)sizeof journal ||
        access(journal, F_OK) != 0)
        return RC_OK;
    return rc_fail(
        err, RC_EMISSING,
        "no '%s', expected it: 'rollcall pack' makes it of the journals in '%s'", path,
        dir);
}

/* The ideals of a difference are 0 at every point. */
static int check_solvable(const struct rc_store *store, const char *path,
                          struct rc_error *err)
{
    if (!rc_assemble_is_difference(rc_store_campaign(store)))
        return RC_OK;
    return rc_fail(err, RC_EUSAGE,
                   "'%.300s' is a difference of campaigns: all its expected counts are "
                   "0, and there is nothing to solve for",
                   path);
}

static int open_all(struct work *w, char *path, size_t room, struct rc_error *err)
{
    char from[PATH_MAX];
    int status = rc_assemble_path(w->how->dir, from, sizeof from, err);

    if (status == RC_OK &&
        snprintf(path, room, "%s/metrics.h5", w->how->dir) >= (int)room)
        status = rc_fail(err, RC_EUSAGE, "the directory's name is too long");
    if (status == RC_OK)
        status = rc_agree(w->how->comm, check_packed(w->how->dir, from, err), err);
    if (status == RC_OK)
        status = rc_store_open(w->how->comm, from, &w->store, err);
    if (status == RC_OK)
        status = check_solvable(w->store, from, err);
    if (status == RC_OK)
        status = check_suites(w->how, w->store, err);
    if (status == RC_OK)
        status = rc_agree(
            w->how->comm,
            get_definitions(w->how, w->store, &w->definitions, &w->selected, err), err);
    if (status == RC_OK)
        status = rc_solve_presets_open(w->how->comm, &w->presets, err);
    if (status == RC_OK)
        status = rc_metrics_create(w->how->comm, path, rc_store_campaign(w->store),
                                   &w->file, err);
    return status;
}

int rc_solve(const struct rc_solving *how, bool *incomplete, struct rc_error *err)
{
    const bool first = rc_team_rank(how->comm) == 0;
    const uint64_t began = rc_clock_ns();
    struct work w = {.how = how};
    struct rc_error late;
    char path[PATH_MAX];
    int status = open_all(&w, path, sizeof path, err);

    for (size_t k = 0; status == RC_OK && k < rc_store_kind_count(w.store); k++)
        status = solve_kind(&w, k, err);
    if (status == RC_OK) {
        status = rc_metrics_close(w.file, err);
        w.file = NULL;
    }
    if (w.file)
        rc_metrics_abandon(w.file);
    int closed = rc_store_close(w.store, status == RC_OK ? err : &late);
    if (status == RC_OK)
        status = closed;
    rc_definitions_close(w.definitions);
    rc_solve_presets_close(w.presets);
    if (how->out)
        fflush(how->out);
    if (status == RC_OK && first)
        say_seconds(&w, (double)(rc_clock_ns() - began) / 1e9);
    if (status == RC_OK && first && how->out)
        fprintf(how->out, "\n%s\n", path);
    *incomplete = w.incomplete;
    return status;
}
