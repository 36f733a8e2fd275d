/* From which readings, definitions and settings the results of a solve come. */
#include "campaign/solve/origin.h"

#include "campaign/base/files/data_files.h"
#include "campaign/base/mix.h"
#include "campaign/base/text.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/spec/spec.h"
#include "io/import/import.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool rc_solve_is_measured(const struct rc_store *store, const char *suite)
{
    for (size_t k = 0; k < rc_store_kind_count(store); k++)
        if (rc_store_find_suite(store, k, suite) < rc_store_suite_count(store, k))
            return true;
    return false;
}

/* Whether a suite is a benchmark of the tool whose results were imported: "TOOL-NAME".
 */
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

int rc_solve_definitions(const struct rc_spec *spec, const struct rc_store *store,
                         struct rc_definitions **out, bool *selected,
                         struct rc_error *err)
{
    const char *text = rc_store_campaign(store)->spec;
    char path[PATH_MAX], name[64];
    struct rc_spec own = {0};
    int status = rc_definitions_create(out, err);

    if (status != RC_OK)
        return status;
    for (const struct rc_import_format *const *f = rc_import_formats(); *f; f++) {
        if (!has_suites_of(store, (*f)->name))
            continue;
        snprintf(name, sizeof name, "%s.yaml", (*f)->name);
        if ((status = rc_data_file_find("imports", name, path, sizeof path, err)) !=
                RC_OK ||
            (status = rc_definitions_add_file(*out, path, err)) != RC_OK)
            return status;
    }
    if (!spec && !text[0])
        return status;
    if (!spec && (status = rc_spec_from_text("campaign file", text, strlen(text), &own,
                                             err)) != RC_OK)
        return status;
    const struct rc_spec *from = spec ? spec : &own;
    status = rc_spec_definitions(from, *out, err);
    *selected = from->events.count > 0 || from->scopes.count > 0 ||
                from->qualifiers == RC_QUALIFIERS_NONE;
    rc_spec_fini(&own);
    return status;
}

uint64_t rc_solve_definitions_digest(const struct rc_definitions *definitions,
                                     const struct rc_store *store)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < rc_definitions_count(definitions); i++) {
        const struct rc_suite_definition *d = rc_definitions_suite(definitions, i);
        if (rc_solve_is_measured(store, d->name))
            sum += rc_mix(rc_suite_definition_digest(d));
    }
    return sum;
}

void rc_solve_mismatch(const struct rc_store_campaign *results,
                       const struct rc_store *store, char *out, size_t room)
{
    const struct rc_store_campaign *campaign = rc_store_campaign(store);
    const char *why = "";
    struct rc_error unknown = {.rank = -1};
    struct rc_definitions *now = NULL;
    char digest[RC_DIGEST_TEXT];
    bool selected;

    out[0] = 0;
    /* Definitions cannot always be read again: a campaign file may name files that are
     * gone.
     */
    if (strcmp(results->id, campaign->id) != 0)
        why = "metrics.h5 belongs to another campaign than campaign.h5 beside it: "
              "'rollcall "
              "solve DIR' makes it again";
    else if (!results->digest[0] || !campaign->digest[0] || !results->definitions[0])
        why = "it is not known whether metrics.h5 was made from the readings in "
              "campaign.h5 and with these definitions: an older rollcall made one of "
              "them";
    else if (strcmp(results->digest, campaign->digest) != 0)
        why = "metrics.h5 was made from other readings than campaign.h5 holds now: "
              "'rollcall solve DIR' makes it again";
    else if (rc_solve_definitions(NULL, store, &now, &selected, &unknown) != RC_OK)
        rc_text_append(
            out, room,
            "it is not known whether metrics.h5 was made with these definitions: "
            "%.300s",
            unknown.text);
    else if (strcmp(rc_text_put_digest(digest, rc_solve_definitions_digest(now, store)),
                    results->definitions) != 0)
        why = "metrics.h5 was solved with other definitions than rollcall and the "
              "campaign file have now: 'rollcall solve DIR' makes it again";
    rc_text_append(out, room, "%s", why);
    rc_definitions_close(now);
}

int rc_solve_open_results(const char *dir, struct rc_store **out, char *why,
                          size_t room, struct rc_error *err)
{
    struct rc_error problem = {.rank = -1}; /* of campaign.h5, which is not needed */
    struct rc_store *store = NULL;
    char path[PATH_MAX];
    int status = rc_campaign_dir_find_results(dir, true, path, sizeof path, err);

    why[0] = 0;
    if (status != RC_OK)
        return status;
    status = rc_metrics_open(MPI_COMM_NULL, path, out, err);
    if (status != RC_OK ||
        rc_campaign_dir_results(dir, path, sizeof path, &problem) != RC_OK ||
        access(path, F_OK) != 0)
        return status;
    if (rc_store_open_part(MPI_COMM_NULL, path, RC_STORE_NAMES, &store, &problem) ==
        RC_OK)
        rc_solve_mismatch(rc_store_campaign(*out), store, why, room);
    else
        rc_text_append(why, room,
                       "it is not known whether metrics.h5 was made from the readings "
                       "in campaign.h5: %.300s",
                       problem.text);
    (void)rc_store_close(store, &problem);
    return RC_OK;
}
