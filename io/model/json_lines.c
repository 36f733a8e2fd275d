/* JSON Lines, an object for each reading, and Talpas, the same with ';' in place of
 * ',':
 *
 *     {"params":{"p":4,"n":100},"callpath":"main->solve","metric":"time","value":1.5}
 *     {"parameters":{"p":4,"n":100};"metric":"time";"callpath":"solve";"value":1.5}
 *
 * 'value' may be a list of repetitions; call path and metric may be left out.  A reading
 * with "simulated":true is, as rollcall's own export says it.
 */
#include "io/model/parts.h"

#include "io/text/json_tree.h"
#include "io/text/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(const struct rc_lines *lines)
{
    return strspn(lines->line, " \t") >= lines->length;
}

/* The object that a line is; NULL: it is none. */
static struct rc_json_tree *read_line(char *line, size_t length, bool *talpas)
{
    struct rc_json_tree *tree;
    struct rc_error err;
    bool quoted = false;

    *talpas = false;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '"') {
            quoted = !quoted;
        } else if (line[i] == '\\') {
            i++;
        } else if (line[i] == ';' && !quoted) {
            line[i] = ',';
            *talpas = true;
        }
    }
    return rc_json_tree_read(NULL, line, length, &tree, &err) == RC_OK ? tree : NULL;
}

static const struct rc_json_tree *parameters_of(const struct rc_json_tree *tree)
{
    const struct rc_json_tree *params = rc_json_tree_member(tree, "params");

    return params ? params : rc_json_tree_member(tree, "parameters");
}

/* Whether the first line is an object with an object of parameters. */
static bool begins_as(char *text, size_t bytes, bool wanted)
{
    struct rc_lines lines = {.at = text, .end = text + bytes, .open = true};
    bool talpas = false, is = false;
    int status;

    if (text[strspn(text, " \t\r\n")] != '{')
        return false;
    do {
        if (!rc_lines_next(&lines, &status, NULL))
            return false;
    } while (is_blank(&lines));
    struct rc_json_tree *tree =
        read_line(text + (lines.line - text), lines.length, &talpas);
    is = rc_json_tree_key(parameters_of(tree), NULL) && talpas == wanted;
    rc_json_tree_free(tree);
    return is;
}

static bool is_json_lines(char *text, size_t bytes)
{
    return begins_as(text, bytes, false);
}

static bool is_talpas(char *text, size_t bytes)
{
    return begins_as(text, bytes, true);
}

/* The names of all parameters: those of the first line. */
struct names {
    char *name[RC_MEASURED_DRAFT_PARAMETERS];
    size_t count;
};

static int begin(const struct rc_json_tree *params, struct names *names,
                 struct rc_measured_draft **draft, struct rc_error *err)
{
    for (const char *key = NULL; (key = rc_json_tree_key(params, key));) {
        if (names->count == RC_MEASURED_DRAFT_PARAMETERS)
            return rc_fail(err, RC_EUSAGE, "expected at most %d parameters that vary",
                           RC_MEASURED_PARAMETERS);
        if (!(names->name[names->count] = strdup(key)))
            return rc_fail(err, RC_ENOMEM, "no memory for a parameter");
        names->count++;
    }
    if (names->count == 0)
        return rc_fail(err, RC_EUSAGE, "expected 'params' with a parameter");
    return rc_measured_begin((const char *const *)names->name, names->count, draft,
                             err);
}

static int add_line(const struct rc_json_tree *tree, struct names *names,
                    struct rc_measured_draft **draft, struct rc_error *err)
{
    const struct rc_json_tree *params = parameters_of(tree),
                              *value = rc_json_tree_member(tree, "value");
    const char *path = rc_json_tree_text(tree, "callpath"),
               *name = rc_json_tree_text(tree, "metric");
    struct rc_measured_metric metric = rc_measured_guess(name ? name : "", "");
    const size_t values = rc_json_tree_count(value);
    double at[RC_MEASURED_DRAFT_PARAMETERS];
    size_t given = 0;
    int status = RC_OK;

    metric.simulated = rc_json_tree_flag(tree, "simulated");
    if (!*draft)
        status = begin(params, names, draft, err);
    for (const char *key = NULL; (key = rc_json_tree_key(params, key));)
        given++;
    for (size_t i = 0; i < names->count && status == RC_OK; i++) {
        at[i] = rc_json_tree_number(params, names->name[i]);
        if (isnan(at[i]) || given != names->count)
            return rc_fail(err, RC_EUSAGE,
                           "expected %zu parameters with numbers, as in the first "
                           "line, among them '%.100s'",
                           names->count, names->name[i]);
    }
    if (status == RC_OK && values == 0 && isnan(rc_json_tree_real(value)))
        return rc_fail(err, RC_EUSAGE, "expected 'value', a number or a list of them");
    for (size_t i = 0; i < (values ? values : 1) && status == RC_OK; i++)
        status = rc_measured_add_path(
            *draft, at, path ? path : "", &metric,
            rc_json_tree_real(values ? rc_json_tree_item(value, i) : value), NAN, err);
    return status;
}

static int read_lines(char *text, size_t bytes, struct rc_measured_draft **draft,
                      struct rc_error *err)
{
    struct rc_lines lines = {.at = text, .end = text + bytes, .open = true};
    struct names names = {.count = 0};
    int status = RC_OK;

    while (status == RC_OK && rc_lines_next(&lines, &status, err)) {
        bool talpas;
        if (is_blank(&lines))
            continue;
        struct rc_json_tree *tree =
            read_line(text + (lines.line - text), lines.length, &talpas);
        status = tree ? add_line(tree, &names, draft, err)
                      : rc_fail(err, RC_EUSAGE, "expected an object of JSON");
        if (status != RC_OK)
            rc_error_prefix(err, "line %zu: ", lines.number);
        rc_json_tree_free(tree);
    }
    for (size_t i = 0; i < names.count; i++)
        free(names.name[i]);
    return status;
}

const struct rc_measured_form rc_measured_json_lines = {
    .origin = "JSON Lines", .is = is_json_lines, .read = read_lines};
const struct rc_measured_form rc_measured_talpas = {
    .origin = "Talpas", .is = is_talpas, .read = read_lines};
