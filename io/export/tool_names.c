/* Names of a processor's events for perf, LIKWID and PAPI, from the table
 * io/export/tool_names.txt, which tests/house/tool_names.py makes from the lists inside
 * the tools.  The first row with the event and one of the kind's processors counts.
 */
#include "io/export/parts.h"

#include <ctype.h>
#include <string.h>

enum { COLUMN = 160 };

struct row {
    char letters[16], event[COLUMN], perf[COLUMN], likwid[COLUMN], papi[COLUMN];
};

/* Reads the columns of the line at 'at'; missing ones become "". */
static void read_row(const char *at, struct row *row)
{
    char line[sizeof *row];

    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    *row = (struct row){0};
    sscanf(line, "%15s %159s %159s %159s %159s", row->letters, row->event, row->perf,
           row->likwid, row->papi);
}

/* The next processor of the table: "@ LETTER NAME TOOLS", read as event, perf and
 * likwid.
 */
static const char *next_processor(const char *at, struct row *row)
{
    at = at ? strstr(at + 1, "\n@ ") : strstr(rc_export_tool_names, "\n@ ");
    if (at)
        read_row(at + 1, row);
    return at;
}

/* Whether a name is a word of the text. */
static bool has_word(const char *text, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = text; at && (at = strstr(at, name)); at++)
        if ((at == text || strchr(" ,", at[-1])) && strchr(" ,;", at[length]))
            return true;
    return false;
}

/* Simulated machines have short names: "zen3" is libpfm's amd64_fam19h_zen3. */
void rc_export_find_processors(struct rc_export *x)
{
    const char *key = rc_store_kind(x->file, x->kind)->key, *at = NULL;
    const char *counters = x->choice->pmu ? x->choice->pmu : strstr(key, "perf_event ");
    const char *model = counters ? NULL : strstr(key, "model: model ");
    size_t count = 0;
    struct row row;

    while ((at = next_processor(at, &row)) && count + 1 < RC_EXPORT_PROCESSORS) {
        const char *last = strrchr(row.perf, '_');
        if (has_word(counters, row.perf) || (model && has_word(model, row.perf)) ||
            (model && last && has_word(model, last + 1)))
            x->processors[count++] = row.event[0];
    }
    x->processors[count] = 0;
}

const char *rc_export_processor(const struct rc_export *x, char out[RC_EXPORT_NAME])
{
    struct row row = {0};

    for (const char *at = NULL; (at = next_processor(at, &row));)
        if (row.event[0] == x->processors[0])
            return snprintf(out, RC_EXPORT_NAME, "%s", row.perf), out;
    return NULL;
}

static bool find_row(const struct rc_export *x, const char *event, struct row *row)
{
    char key[COLUMN + 2];

    snprintf(key, sizeof key, " %s ", event);
    for (const char *at = rc_export_tool_names; (at = strstr(at, key)); at++) {
        const char *start = at;
        while (start[-1] != '\n') /* the file begins with a comment */
            start--;
        read_row(start, row);
        if (row->letters[0] != '#' && strcmp(row->event, event) == 0 &&
            strpbrk(row->letters, x->processors))
            return true;
    }
    return false;
}

/* Whether LIKWID knows a processor of the kind. */
static bool is_likwids(const struct rc_export *x)
{
    struct row row;

    for (const char *at = NULL; (at = next_processor(at, &row));)
        if (strchr(x->processors, row.event[0]) && strstr(row.likwid, "likwid"))
            return true;
    return false;
}

void rc_export_spell(const struct rc_event_name *name, enum rc_export_which tool,
                     char out[RC_EXPORT_NAME])
{
    snprintf(out, RC_EXPORT_NAME, "%s%s%s", name->event, name->mask[0] ? ":" : "",
             name->mask);
    for (char *at = out; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if (tool == RC_EXPORT_PERF)
            *at = (char)(isalnum(c) || c == '_' ? tolower(c) : '.');
        else if (tool == RC_EXPORT_LIKWID)
            *at = (char)(isalnum(c) ? toupper(c) : '_');
    }
}

const char *rc_export_tool_name(const struct rc_export *x, enum rc_export_which tool,
                                const struct rc_event_name *name,
                                char out[RC_EXPORT_NAME])
{
    char event[RC_EXPORT_NAME];
    struct row row;

    rc_export_spell(name, RC_EXPORT_PAPI, event);
    if (!x->processors[0])
        return "is of a processor that is not in the lists of names, see --pmu";
    if (tool == RC_EXPORT_LIKWID && !is_likwids(x))
        return "is of a processor that LIKWID 5.2.2 does not know";
    if (!find_row(x, event, &row))
        return "is not in the lists of names of its processor";
    const char *found = tool == RC_EXPORT_PERF ? row.perf : row.likwid;
    if (strcmp(found, "-") == 0)
        return "has no name in LIKWID's list of its processor";
    if (strcmp(found, "=") == 0)
        rc_export_spell(name, tool, out);
    else
        snprintf(out, RC_EXPORT_NAME, "%s", found);
    return NULL;
}

const char *rc_export_papi_name(struct rc_export *x, const char *name)
{
    struct row row;

    return !find_row(x, name, &row) || !row.papi[0] ? name
                                                    : rc_pool_copy(x->pool, row.papi);
}
