/* campaign.h5 to metrics.h5: kind after kind.
 *
 * The new metrics.h5 replaces the old one if all went well.  Suites that were not asked
 * for keep their old results if these come from the same readings, definitions and
 * settings ("origin"); else all suites are solved, and those asked for are shown.
 */
#include "campaign/solve/solve.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"
#include "campaign/cli/tell.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/run/progress.h"
#include "campaign/solve/origin.h"
#include "campaign/solve/parts.h"
#include "io/metrics/metrics.h"
#include "io/report/tables.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Notes what results depend on besides readings and definitions: the user's files, by
 * name and by content, and the options.  The seed is left out: it only moves the ends
 * of intervals.
 */
static int put_settings(const struct rc_solving *how, uint64_t definitions,
                        struct rc_solve_origin *origin, struct rc_error *err)
{
    const char *const *file = how->definitions;
    char digest[RC_DIGEST_TEXT], *out = origin->settings;
    const size_t room = sizeof origin->settings;
    size_t bytes = 1;

    for (size_t i = 0; file && file[i]; i++)
        bytes += strlen(file[i]) + strlen(", ");
    origin->added = rc_calloc(bytes, 1);
    if (!origin->added)
        return rc_fail(err, RC_ENOMEM, "no memory for the names of definitions");
    for (size_t i = 0; file && file[i]; i++)
        rc_text_append(origin->added, bytes, "%s%s", i ? ", " : "", file[i]);
    out[0] = 0;
    rc_text_append(out, room, how->plain ? "plain" : "cross-examined");
    if (how->alpha_scan || how->alpha > 0)
        rc_text_append(out, room, ", alpha %.17g", how->alpha_scan ? 0 : how->alpha);
    if (how->tau_gap || how->tau > 0)
        rc_text_append(out, room, ", noise %.17g", how->tau_gap ? 0 : how->tau);
    if (origin->added[0])
        rc_text_append(out, room, ", definitions %s",
                       rc_text_put_digest(digest, definitions));
    return RC_OK;
}

/* Reads rollcall's own definitions, then the campaign file's, then the user's files.  A
 * suite that only the user's files have must have been measured: any other name is a
 * mistake, and its metrics would be missing without a word.
 */
static int get_definitions(const struct rc_solving *how, const struct rc_store *store,
                           struct rc_definitions **out, bool *selected,
                           struct rc_solve_origin *origin, struct rc_error *err)
{
    int status = rc_solve_definitions(how->spec, store, out, selected, err);

    if (status != RC_OK) {
        if (!how->spec)
            rc_error_prefix(err, "'%s/campaign.h5': ", how->dir);
        return status;
    }
    const size_t known = rc_definitions_count(*out);
    rc_text_put_digest(origin->definitions, rc_solve_definitions_digest(*out, store));
    for (size_t i = 0; how->definitions && how->definitions[i]; i++)
        if ((status = rc_definitions_add_file(*out, how->definitions[i], err)) != RC_OK)
            return status;
    for (size_t i = known; i < rc_definitions_count(*out); i++) {
        const struct rc_suite_definition *d = rc_definitions_suite(*out, i);
        if (!rc_solve_is_measured(store, d->name))
            return rc_fail(err, RC_EUSAGE,
                           "%s: suite '%s', expected one that was measured", d->where,
                           d->name);
    }
    return put_settings(how, rc_solve_definitions_digest(*out, store), origin, err);
}

/* Checks that the suites asked for are in the file. */
static int check_suites(const struct rc_solving *how, const struct rc_store *store,
                        struct rc_error *err)
{
    for (size_t w = 0; how->suites && how->suites[w]; w++) {
        char have[512] = "";
        if (rc_solve_is_measured(store, how->suites[w]))
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

enum { COPY_EVENTS = 4096 }; /* that a rank copies at once */

/* Collective.  Copies the old results of a suite that is not asked for.  Each rank in
 * turn takes the next COPY_EVENTS events of the columns; ranks for which none are left
 * read and write nothing.
 */
static int keep_suite(const struct rc_solve_kind *k, const char *name,
                      struct rc_store *from, struct rc_store *to)
{
    const size_t first = COPY_EVENTS * (size_t)rc_team_rank(k->how->comm);
    struct rc_arena arena = {0};
    size_t kind = 0, suite = 0;

    while (kind < rc_store_kind_count(from) &&
           strcmp(rc_store_kind(from, kind)->name, k->labels->name) != 0)
        kind++;
    if (kind == rc_store_kind_count(from))
        return RC_OK;
    while (suite < rc_store_suite_count(from, kind) &&
           strcmp(rc_metrics_suite(from, kind, suite)->suite, name) != 0)
        suite++;
    if (suite == rc_store_suite_count(from, kind))
        return RC_OK;
    const struct rc_suite_result *result = rc_metrics_suite(from, kind, suite);
    const size_t all = rc_store_kind(from, kind)->event_count;
    struct rc_event_columns c;
    int status = rc_metrics_make_columns(&arena, COPY_EVENTS, result->coordinate_count,
                                         &c, k->err);
    if ((status = rc_solve_agree(k, status)) != RC_OK ||
        (status = rc_metrics_put_suite(to, result, COPY_EVENTS, k->err)) != RC_OK)
        goto out;
    for (size_t at = 0; at < all; at += COPY_EVENTS * (size_t)k->grid.ranks) {
        const size_t mine = at + first, left = mine < all ? all - mine : 0;
        c.first = left ? mine : 0;
        c.count = left < COPY_EVENTS ? left : COPY_EVENTS;
        if ((status = rc_metrics_read_columns(from, kind, suite, &c, k->err)) !=
                RC_OK ||
            (status = rc_metrics_put_columns(to, &c, k->err)) != RC_OK)
            goto out;
    }
out:
    rc_arena_free(&arena);
    return status;
}

/* Collective.  Each rank's blocks of events are written at once. */
static int write_kind(struct rc_solve_kind *k, struct rc_store *before,
                      struct rc_store *file)
{
    const struct rc_columns *l = &k->layout;
    int status = rc_store_copy_kind(file, k->store, k->number, NULL, k->err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < k->count; i++) {
        const struct rc_solve_suite *s = &k->suite[i];
        const struct rc_event_columns columns = {
            .first = l->local ? rc_columns_global(&k->grid, l, 0) : 0,
            .count = l->local,
            .stride = l->block * (size_t)k->grid.ranks,
            .noise = s->noise,
            .residual = s->residual,
            .representation = s->x.data,
            .event_class = s->event_class,
            .use = s->use,
            .reason = s->reason};
        if (!s->wanted)
            status = before ? keep_suite(k, s->labels->name, before, file) : RC_OK;
        else if ((status = rc_metrics_put_suite(file, &s->result, l->block, k->err)) ==
                 RC_OK)
            status = rc_metrics_put_columns(file, &columns, k->err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* The state of a solve, at first all 0; rc_solve() frees all of it. */
struct work {
    struct rc_solving own; /* asks for all suites if old results cannot be kept */
    const struct rc_solving *how; /* 'own' */
    const char *const *shown;     /* suites whose tables are printed; NULL: all */
    struct rc_store *store;
    struct rc_definitions *definitions;
    struct rc_solve_origin origin;
    struct rc_store *file;
    struct rc_store *before; /* the old file, if results are kept, else NULL */
    struct rc_solve_presets *presets;
    double seconds[RC_STAGE_COUNT]; /* of this rank */
    bool incomplete;                /* events that count have no valid readings */
    bool selected; /* the campaign left out events of the machine on purpose */
};

/* Prints the summary of a kind, in one line if there are many, and no more than the
 * first few kinds.
 */
static void show_summary(struct rc_solve_kind *k, size_t number, struct rc_page *page)
{
    enum { KINDS_WHOLE = 2, KINDS_SHOWN = 6 };
    const size_t kinds = rc_store_kind_count(k->store);
    const struct rc_suite_result **suite =
        rc_arena_array(&k->arena, k->count, sizeof(const struct rc_suite_result *));

    if (number == KINDS_SHOWN)
        rc_page_line(page, 0, "and %zu more kinds: 'rollcall solve' prints them",
                     kinds - number);
    if (!suite || number >= KINDS_SHOWN)
        return;
    for (size_t i = 0; i < k->count; i++)
        suite[i] = &k->suite[i].result;
    rc_tables_summary(page, suite, k->count, k->labels->name, k->labels->simulated,
                      kinds > KINDS_WHOLE);
    for (size_t i = 0; i < k->count; i++)
        if (k->suite[i].labels->made_by)
            rc_page_line(page, 2,
                         "%s: no event is solved on it, since a compiler made its "
                         "kernels",
                         k->suite[i].labels->name);
    rc_page_end(page);
    for (size_t i = 0; i < k->count && kinds <= KINDS_WHOLE; i++)
        rc_solve_show_rates(page, &k->suite[i], true);
}

static int solve_kind(struct work *w, size_t number, struct rc_error *err)
{
    struct rc_solve_kind k = {.err = err,
                              .how = w->how,
                              .definitions = w->definitions,
                              .store = w->store,
                              .presets = w->presets,
                              .selected = w->selected,
                              .number = number};
    struct rc_page page;
    uint64_t began;
    int status;

    rc_progress_stage(w->how->progress, "solving %s",
                      rc_store_kind(w->store, number)->name);
    if ((status = rc_solve_kind_init(&k)) != RC_OK ||
        (status = rc_solve_kind_work(&k)) != RC_OK)
        goto out;
    began = rc_clock_ns();
    status = write_kind(&k, w->before, w->file);
    k.seconds[RC_STAGE_WRITE] = (double)(rc_clock_ns() - began) / 1e9;
    rc_progress_hide(w->how->progress);
    if (status != RC_OK || !w->how->out || rc_team_rank(w->how->comm) != 0)
        goto out;
    rc_page_init(&page, w->how->out);
    if (w->how->summary)
        show_summary(&k, number, &page);
    for (size_t i = 0; i < k.count && !w->how->summary; i++) {
        const struct rc_suite_result *r = &k.suite[i].result;
        if (!k.suite[i].wanted || (w->shown && rc_word_find(r->suite, w->shown) < 0))
            continue;
        fputc('\n', w->how->out);
        rc_tables_head(&page, r, k.labels->name, k.labels->event_count,
                       k.labels->simulated);
        rc_tables_metrics(&page, r);
        rc_solve_show_rates(&page, &k.suite[i], false);
    }
    rc_page_fini(&page);
out:
    rc_progress_hide(w->how->progress);
    for (int i = 0; i < RC_STAGE_COUNT; i++)
        w->seconds[i] += k.seconds[i];
    w->incomplete |= k.incomplete;
    rc_solve_kind_fini(&k);
    return status;
}

static bool is_defined(const struct work *w, const char *suite, const char *metric)
{
    const struct rc_suite_definition *d = rc_definitions_find(w->definitions, suite);

    for (size_t m = 0; d && m < d->metric_count; m++)
        if (strcmp(d->metric[m].name, metric) == 0)
            return true;
    return false;
}

/* Rank 0 says which of the old metrics the new results will not have, since the files
 * that define them were not given again.
 */
static void say_dropped(const struct work *w, const char *path)
{
    enum { NAMED_MOST = 5 };
    char names[RC_ERROR_TEXT / 2] = "";
    struct rc_error ignored = {.rank = -1};
    struct rc_store *file;
    size_t count = 0;

    if (rc_metrics_open_part(MPI_COMM_NULL, path, RC_STORE_LABELS, &file, &ignored) !=
        RC_OK)
        return;
    for (size_t k = 0; k < rc_store_kind_count(file); k++)
        for (size_t s = 0; s < rc_store_suite_count(file, k); s++) {
            const struct rc_suite_result *r = rc_metrics_suite(file, k, s);
            for (size_t m = 0; m < r->metric_count; m++)
                if (!is_defined(w, r->suite, r->metric[m].name) && count++ < NAMED_MOST)
                    rc_text_append(names, sizeof names, "%s'%.80s'",
                                   count > 1 ? ", " : "", r->metric[m].name);
        }
    if (count > NAMED_MOST)
        rc_text_append(names, sizeof names, " and %zu more", count - NAMED_MOST);
    fprintf(stderr,
            "'%s' was made with --definitions %s, which this solve was not given: "
            "%s%s; give them again to keep it\n",
            path, rc_store_campaign(file)->added,
            count ? "dropped " : "what they say is lost", names);
    (void)rc_store_close(file, &ignored);
}

/* Collective.  Opens the file that will be replaced, to keep the suites that are not
 * asked for; if all are asked for only its head is read.  A file that cannot be read is
 * not an error: it is replaced.
 */
static void open_before(struct work *w, const char *path,
                        const struct rc_store_campaign *campaign)
{
    struct rc_error why = {.rank = -1};
    const enum rc_store_depth depth = w->how->suites ? RC_STORE_WHOLE : RC_STORE_NAMES;
    int status = RC_OK;

    if (access(path, F_OK) != 0)
        status = rc_fail(&why, RC_EMISSING, "there is none");
    if ((status = rc_agree(w->how->comm, status, &why)) != RC_OK ||
        (status = rc_metrics_open_part(w->how->comm, path, depth, &w->before, &why)) !=
            RC_OK) {
        if (status != RC_EMISSING && rc_team_rank(w->how->comm) == 0)
            fprintf(stderr, "what was in '%s' is lost: %s\n", path, why.text);
        return;
    }
    const struct rc_store_campaign *before = rc_store_campaign(w->before);
    const bool same = strcmp(before->id, campaign->id) == 0 && before->digest[0] &&
                      strcmp(before->digest, campaign->digest) == 0 &&
                      strcmp(before->definitions, campaign->definitions) == 0 &&
                      strcmp(before->settings, campaign->settings) == 0;
    if (rc_team_rank(w->how->comm) == 0 && before->added[0] && !w->origin.added[0])
        say_dropped(w, path);
    if (rc_team_rank(w->how->comm) == 0 && w->how->suites && !same)
        fprintf(
            stderr,
            "'%s' comes from other readings, definitions or settings: all suites are "
            "solved for, those asked for are shown\n",
            path);
    if (w->how->suites && !same)
        w->own.suites = NULL;
    if (!same || !w->how->suites) {
        rc_store_close(w->before, &why);
        w->before = NULL;
    }
}

/* Collective; 'path' gets the name of metrics.h5.  A difference of campaigns is
 * refused: its ideals are 0 on every point, so that there is nothing to solve for.
 */
static int open_all(struct work *w, char *path, size_t room, struct rc_error *err)
{
    MPI_Comm comm = w->how->comm;
    char from[PATH_MAX];
    int status;

    if ((status = rc_path(path, room, err, "%s/metrics.h5", w->how->dir)) == RC_OK)
        status =
            rc_campaign_dir_find_results(w->how->dir, false, from, sizeof from, err);
    if ((status = rc_agree(comm, status, err)) != RC_OK ||
        (status = rc_store_open(comm, from, &w->store, err)) != RC_OK)
        return status;
    if (rc_journal_to_store_is_difference(rc_store_campaign(w->store)))
        return rc_fail(err, RC_EUSAGE,
                       "'%.300s' is a difference of campaigns: all its expected counts "
                       "are 0, and there is nothing to solve for",
                       from);
    if ((status = check_suites(w->how, w->store, err)) != RC_OK)
        return status;
    status = get_definitions(w->how, w->store, &w->definitions, &w->selected,
                             &w->origin, err);
    if ((status = rc_agree(comm, status, err)) != RC_OK ||
        (status = rc_solve_presets_open(comm, &w->presets, err)) != RC_OK)
        return status;
    struct rc_store_campaign campaign = *rc_store_campaign(w->store);
    campaign.definitions = w->origin.definitions;
    campaign.settings = w->origin.settings;
    campaign.added = w->origin.added;
    open_before(w, path, &campaign);
    return rc_metrics_create(comm, path, &campaign, &w->file, err);
}

int rc_solve(const struct rc_solving *how, bool *incomplete, struct rc_error *err)
{
    const uint64_t began = rc_clock_ns();
    struct work w = {.own = *how, .how = &w.own, .shown = how->suites};
    struct rc_error late;
    char path[PATH_MAX], line[512] = "";
    int status = open_all(&w, path, sizeof path, err);

    for (size_t k = 0; status == RC_OK && k < rc_store_kind_count(w.store); k++)
        status = solve_kind(&w, k, err);
    if (status == RC_OK)
        status = rc_store_close(w.file, err); /* puts it in place, or removes it */
    else if (w.file)
        rc_store_abandon(w.file);
    const int closed = rc_store_close(w.store, status == RC_OK ? err : &late);
    if (status == RC_OK)
        status = closed;
    if (w.before) /* it was only read */
        (void)rc_store_close(w.before, &late);
    free(w.origin.added);
    rc_definitions_close(w.definitions);
    rc_solve_presets_close(w.presets);
    if (how->out)
        fflush(how->out);
    *incomplete = w.incomplete;
    if (status != RC_OK || rc_team_rank(how->comm) != 0)
        return status;
    for (int i = 0; i < RC_STAGE_COUNT; i++)
        rc_text_append(line, sizeof line, "%s%s %.3g s", i ? ", " : "",
                       rc_solve_stage_names[i], w.seconds[i]);
    if (rc_tell_level() > RC_TELL_QUIET)
        fprintf(stderr, "solved in %.3g s: %s\n", (double)(rc_clock_ns() - began) / 1e9,
                line);
    if (how->out && how->summary)
        fprintf(how->out,
                "next:\n"
                "  rollcall show %s WORD...  one metric or event, with lines to paste\n"
                "  rollcall report %s        the page; with --text for a terminal\n"
                "  rollcall solve %s         the tables of all metrics\n",
                how->dir, how->dir, how->dir);
    if (how->out)
        fprintf(how->out, "%s%s\n", how->summary ? "" : "\n", path);
    return status;
}
