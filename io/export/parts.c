/* Shared by the formats of exports: the choice of kinds, suites and metrics, unique
 * names, numbers and lines that any tool reads, and a growing text.
 *
 * Names in metrics.h5 may have any bytes.  All text of a file that goes into a line or
 * a name passes rc_export_line() or rc_export_name().
 */
#include "io/export/parts.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool rc_export_takes_kind(const struct rc_export_choice *choice, const char *kind)
{
    return !choice->kind || strcmp(choice->kind, kind) == 0;
}

bool rc_export_takes_suite(const struct rc_export_choice *choice, const char *suite)
{
    return !choice->suite || rc_word_find(suite, choice->suite) >= 0;
}

void rc_export_note(const struct rc_export_choice *choice, bool holds)
{
    if (choice->holds && holds)
        *choice->holds = true;
}

bool rc_export_takes_metric(const struct rc_export_choice *choice,
                            const struct rc_metric_result *metric)
{
    return rc_metric_is_defined(metric) ||
           (choice->approximate && metric->verdict == RC_METRIC_APPROXIMATE);
}

/* Checks that a kind of the choice has the suite; otherwise lists the suites. */
static int check_suite(const struct rc_store *file,
                       const struct rc_export_choice *choice, const char *name,
                       struct rc_error *err)
{
    char have[RC_ERROR_TEXT / 2] = "";

    for (size_t k = 0; k < rc_store_kind_count(file); k++)
        for (size_t s = 0; s < rc_store_suite_count(file, k); s++) {
            const char *suite = rc_metrics_suite(file, k, s)->suite;
            if (!rc_export_takes_kind(choice, rc_store_kind(file, k)->name))
                continue;
            if (strcmp(suite, name) == 0)
                return RC_OK;
            if (!rc_word_listed(have, suite))
                rc_text_append(have, sizeof have, "%s%s", have[0] ? ", " : "", suite);
        }
    return rc_fail(err, RC_EMISSING, "suite '%s' is not there%s%s", name,
                   have[0] ? ", expected one of: " : "", have);
}

/* Formats of several kinds go through all of them, so *kind is only the first. */
int rc_export_check(const struct rc_store *file, const struct rc_export_choice *choice,
                    bool one_kind, size_t *kind, struct rc_error *err)
{
    char kinds[RC_ERROR_TEXT / 2] = "";
    size_t taken = 0;

    for (size_t k = 0; k < rc_store_kind_count(file); k++) {
        const char *name = rc_store_kind(file, k)->name;
        rc_text_append(kinds, sizeof kinds, "%s'%s'", k ? ", " : "", name);
        if (rc_export_takes_kind(choice, name) && taken++ == 0)
            *kind = k;
    }
    if (taken == 0 && choice->kind)
        return rc_fail(err, RC_EMISSING, "kind '%s' is not there, expected one of %s",
                       choice->kind, kinds);
    if (taken == 0 && one_kind)
        return rc_fail(err, RC_EMISSING, "there is no kind of machine in it");
    if (taken > 1 && one_kind)
        return rc_fail(err, RC_EUSAGE,
                       "the format holds one kind, expected --kind with one of %s",
                       kinds);
    for (size_t i = 0; choice->suite && choice->suite[i]; i++) {
        const int status = check_suite(file, choice, choice->suite[i], err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_export_blocks(struct rc_store *file, size_t kind,
                     const struct rc_suite_result *suite, size_t suite_number,
                     rc_export_put_block *put, void *context, struct rc_error *err)
{
    enum { EVENTS = 4096 };
    const size_t total = rc_store_kind(file, kind)->event_count;
    struct rc_arena arena = {0};
    struct rc_store_event *event = rc_arena_array(&arena, EVENTS, sizeof *event);
    struct rc_export_block block = {.event = event};
    int status = suite
                     ? rc_metrics_make_columns(&arena, EVENTS, suite->coordinate_count,
                                               &block.columns, err)
                     : rc_arena_check(&arena, err, "events");

    if (status != RC_OK)
        goto out;
    for (size_t first = 0; first < total; first += EVENTS) {
        struct rc_pool *pool = rc_pool_create(); /* of the block's names */
        const size_t left = total - first, count = left < EVENTS ? left : EVENTS;
        block.columns.first = first;
        block.columns.count = count;
        status = rc_store_read_events(file, kind, first, count, event, pool, err);
        if (status == RC_OK && suite)
            status =
                rc_metrics_read_columns(file, kind, suite_number, &block.columns, err);
        if (status == RC_OK)
            status = put(context, &block, err);
        rc_pool_close(pool);
        if (status != RC_OK)
            goto out;
    }
out:
    rc_arena_free(&arena);
    return status;
}

static int look_for_gap(void *context, const struct rc_export_block *block,
                        struct rc_error *err)
{
    bool *lacks = context;

    (void)err;
    for (size_t i = 0; i < block->columns.count; i++)
        *lacks = *lacks || (block->columns.event_class[i] == RC_CLASS_INVALID &&
                            block->event[i].verdict == RC_VERDICT_OK);
    return RC_OK;
}

static int look_for_event(void *context, const struct rc_export_block *block,
                          struct rc_error *err)
{
    bool *counts = context;

    (void)err;
    for (size_t i = 0; i < block->columns.count; i++)
        *counts = *counts || block->event[i].verdict == RC_VERDICT_OK ||
                  block->event[i].verdict == RC_VERDICT_UNTRIED;
    return RC_OK;
}

int rc_export_find_gaps(struct rc_store *file, const struct rc_export_choice *choice,
                        const char **why, struct rc_error *err)
{
    bool lacks = false;
    int status = RC_OK;

    *why = NULL;
    for (size_t k = 0; k < rc_store_kind_count(file); k++) {
        bool counts = false;
        if (!rc_export_takes_kind(choice, rc_store_kind(file, k)->name))
            continue;
        for (size_t s = 0; s < rc_store_suite_count(file, k) && !lacks; s++) {
            const struct rc_suite_result *suite = rc_metrics_suite(file, k, s);
            for (size_t m = 0; m < suite->metric_count; m++)
                counts |= suite->metric[m].verdict == RC_METRIC_DEFINED;
            if (!suite->compiled && rc_export_takes_suite(choice, suite->suite) &&
                suite->class_count[RC_CLASS_INVALID] > 0 &&
                (status = rc_export_blocks(file, k, suite, s, look_for_gap, &lacks,
                                           err)) != RC_OK)
                return status;
        }
        if (lacks)
            *why = "events that can be counted have too few valid readings";
        else if (!counts && (status = rc_export_blocks(file, k, NULL, 0, look_for_event,
                                                       &counts, err)) != RC_OK)
            return status;
        else if (!counts)
            *why = "no event counts on a machine of it";
    }
    return RC_OK;
}

int rc_export_open(struct rc_export *x, struct rc_store *file,
                   const struct rc_export_choice *choice, FILE *out, FILE *left_out,
                   struct rc_error *err)
{
    *x = (struct rc_export){
        .file = file, .choice = choice, .out = out, .left_out = left_out};
    int status = rc_export_check(file, choice, true, &x->kind, err);
    if (status != RC_OK)
        return status;
    if (!(x->pool = rc_pool_create()))
        return rc_fail(err, RC_ENOMEM, "no memory for the export");
    rc_export_find_processors(x);
    return status;
}

void rc_export_close(struct rc_export *x)
{
    rc_pool_close(x->pool);
    free((void *)x->used);
}

/* The reason without the name of an event, which other metrics may share. */
static const char *reason_of(const char *why)
{
    const char *end = NULL;

    if (strncmp(why, "event '", 7) == 0)
        for (const char *at = why; (at = strstr(at, "' ")); at++)
            end = at + 2;
    return end ? end : why;
}

static void leave_out(const struct rc_export *x, const char *comment,
                      const struct rc_suite_result *suite,
                      const struct rc_metric_result *metric, const char *why)
{
    char line[RC_ERROR_TEXT], all[RC_ERROR_TEXT] = "", reason[RC_EXPORT_WHY];
    const char *same = reason_of(why);

    rc_text_append(all, sizeof all, "%.100s: %.200s: %s", suite->suite, metric->name,
                   why);
    rc_export_line(line, sizeof line, all, "");
    fprintf(x->left_out, "%s\t%s%s\n", line, same == why ? "" : "an event ",
            rc_export_line(reason, sizeof reason, same, ""));
    if (comment)
        fprintf(x->out, "%sleft out: %s\n", comment, line);
}

/* A metric that was left out does not count as content of the file. */
int rc_export_each(struct rc_export *x, const char *comment, rc_export_take *take,
                   void *context, struct rc_error *err)
{
    struct rc_metrics_walk walk = {.at = 0};

    while (rc_metrics_next(x->file, x->kind, &walk)) {
        struct rc_export_text text = {0};
        char why[RC_EXPORT_WHY] = "";
        int status = RC_OK;
        if (!rc_export_takes_suite(x->choice, walk.suite->suite))
            continue;
        if (walk.metric->verdict == RC_METRIC_CONTRADICTED)
            snprintf(why, sizeof why, "contradicted: %s", walk.metric->reason);
        else if (rc_export_takes_metric(x->choice, walk.metric))
            status = take(x, walk.suite, walk.metric, &text, why, context, err);
        else
            continue;
        if (status == RC_OK && text.failed)
            status = rc_fail(err, RC_ENOMEM, "no memory for the export");
        free(text.text);
        if (status != RC_OK)
            return status;
        if (why[0])
            leave_out(x, comment, walk.suite, walk.metric, why);
        rc_export_note(x->choice, !why[0]);
    }
    return RC_OK;
}

/* A metric of one suite, if it is to be exported. */
static const struct rc_metric_result *find_in(const struct rc_export *x,
                                              const struct rc_suite_result *suite,
                                              const char *name)
{
    for (size_t m = 0; m < suite->metric_count; m++)
        if (strcmp(suite->metric[m].name, name) == 0 &&
            rc_export_takes_metric(x->choice, &suite->metric[m]))
            return &suite->metric[m];
    return NULL;
}

const struct rc_metric_result *rc_export_metric(const struct rc_export *x,
                                                const struct rc_suite_result *suite,
                                                const char *name)
{
    const struct rc_metric_result *found = find_in(x, suite, name);

    for (size_t s = 0; !found && s < rc_store_suite_count(x->file, x->kind); s++)
        found = find_in(x, rc_metrics_suite(x->file, x->kind, s), name);
    return found;
}

int rc_export_event(struct rc_export *x, const struct rc_term *term,
                    struct rc_store_event *event, struct rc_error *err)
{
    return rc_store_read_events(x->file, x->kind, term->event, 1, event, x->pool, err);
}

void rc_export_origin(const struct rc_export *x, const char *comment, const char *what)
{
    const struct rc_store_campaign *campaign = rc_store_campaign(x->file);
    const struct rc_store_kind *labels = rc_store_kind(x->file, x->kind);
    char kind[200], id[100], by[100];

    rc_export_line(kind, sizeof kind, labels->name, "");
    rc_export_line(id, sizeof id, campaign->id, "");
    rc_export_line(by, sizeof by, campaign->created_by, "");
    fprintf(x->out,
            "%s%s of kind '%s',\n%sderived from the readings of campaign %s, %s.\n",
            comment, what, kind, comment, id, by);
    if (labels->simulated)
        fprintf(x->out,
                "%sSIMULATED: some or all of the readings are, no hardware was "
                "measured.\n",
                comment);
}

/* Tools ignore case in names. */
static bool is_used(const struct rc_export *x, const char *name)
{
    for (size_t i = 0; i < x->used_count; i++)
        if (strcasecmp(x->used[i], name) == 0)
            return true;
    return false;
}

/* A letter or a digit for a name, '_' for all other characters, whatever the locale. */
static char letter_of(char c, bool upper)
{
    if (c >= 'a' && c <= 'z')
        return (char)(upper ? c - 'a' + 'A' : c);
    if (c >= 'A' && c <= 'Z')
        return (char)(upper ? c : c - 'A' + 'a');
    return (char)(c >= '0' && c <= '9' ? c : '_');
}

/* Keeps the characters allowed in a name, without two '_' in a row, and appends a
 * number if the name is in use.
 */
const char *rc_export_name(struct rc_export *x, const char *prefix, const char *name,
                           bool upper, size_t most)
{
    enum { ROOM = 128, NUMBER = 12 };
    char made[ROOM], all[ROOM];
    size_t length = (size_t)snprintf(made, sizeof made, "%s", prefix);

    most = most < ROOM - 1 ? most : ROOM - 1;
    for (; *name && length + NUMBER < most; name++) {
        char c = letter_of(*name, upper);
        if (c != '_' || made[length - 1] != '_')
            made[length++] = c;
    }
    while (length > 1 && made[length - 1] == '_')
        length--;
    made[length] = 0;
    snprintf(all, sizeof all, "%s", made);
    for (unsigned number = 2; is_used(x, all); number++)
        snprintf(all, sizeof all, "%.100s_%u", made, number);
    const char *copy = rc_pool_copy(x->pool, all);
    if (!copy || rc_grow(&x->used, sizeof *x->used, x->used_count, &x->used_room))
        return NULL;
    return x->used[x->used_count++] = copy;
}

const char *rc_export_line(char *out, size_t room, const char *text, const char * not )
{
    rc_text_printable(out, room, text);
    for (char *at = out; *at; at++)
        if (strchr(not, *at))
            *at = *at == ',' ? ';' : '\'';
    return out;
}

/* 15 digits suffice for most numbers, 17 for all. */
const char *rc_export_number(char out[RC_EXPORT_NUMBER], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, RC_EXPORT_NUMBER, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    /* some tools do not read "1e+20" */
    char *plus = strchr(out, '+');
    if (plus)
        memmove(plus, plus + 1, strlen(plus));
    return out;
}

const char *rc_export_cell(char out[RC_EXPORT_NUMBER], double value)
{
    return isnan(value) ? NULL : rc_export_number(out, value);
}

const char *rc_export_yes(bool flag)
{
    return flag ? "yes" : "no";
}

void rc_export_add(struct rc_export_text *text, const char *format, ...)
{
    char *piece = NULL;
    va_list list;

    va_start(list, format);
    int bytes = vasprintf(&piece, format, list);
    va_end(list);
    if (bytes < 0) {
        text->failed = true;
        return;
    }
    for (int i = 0; i <= bytes && !text->failed; i++) {
        if (rc_grow(&text->text, 1, text->length, &text->room))
            text->failed = true;
        else
            text->text[text->length++] = piece[i];
    }
    if (!text->failed)
        text->length--; /* the 0 stays after the end */
    free(piece);
}

/* A formula has names of metrics in brackets, numbers, operators and parentheses, which
 * all tools write alike.
 */
const char *rc_export_formula(struct rc_export_text *out, const char *formula,
                              rc_export_put_input *put, void *context)
{
    for (const char *at = formula; *at; at++) {
        const char *end = *at == '[' ? strchr(at, ']') : NULL;
        if (end) {
            char *name = strndup(at + 1, (size_t)(end - at - 1));
            const char *reason = name ? put(out, name, context) : "no memory";
            free(name);
            if (reason)
                return reason;
            at = end;
        } else if (strchr("0123456789.+-*/()eE", *at)) {
            rc_export_add(out, "%c", *at);
        } else if (*at != ' ') {
            return "its formula has a character that is not known";
        }
    }
    return out->failed ? "no memory" : NULL;
}
