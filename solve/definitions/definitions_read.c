/* Reads a file of definitions.
 *
 * A file has either the keys of one suite, or a list of suites, or only metrics that
 * name theirs.  All values are read as text, so that errors in them are reported with
 * their line and in the same words everywhere.
 */
#include "solve/definitions/definitions_parts.h"

#include "campaign/base/expression.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOISE_MOST 1e6   /* largest threshold, relative */
#define COUNT_MOST 1e18  /* largest count of an ideal in an iteration */
#define RATE_TEXT_MAX 80 /* bytes of a rate's name and unit */
#define PLACE_MAX 256    /* bytes of "FILE:LINE" */

struct list {
    char **item;
    unsigned count;
};

struct column_text {
    char *ideal;
    struct list values;
};

struct rate_text {
    char *rate, *unit, *convention, *formula;
};

/* The file, or one of its 'suites'. */
struct suite_text {
    char *suite, *alpha, *noise, *residual, *purity, *nuisance, *places, *within,
        *single, *reference, *note;
    struct list ideals, loose;
    struct column_text *columns;
    unsigned columns_count;
    struct rc_metric_text *metrics;
    unsigned metrics_count;
    struct rate_text *rates;
    unsigned rates_count;
    struct suite_text *suites;
    unsigned suites_count;
};

#define OPTIONAL (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)
#define TEXT(key)                                                                      \
    CYAML_FIELD_STRING_PTR(#key, OPTIONAL, struct suite_text, key, 0, CYAML_UNLIMITED)
#define ITEMS(key, entry)                                                              \
    CYAML_FIELD_SEQUENCE_COUNT(#key, OPTIONAL, struct suite_text, key, key##_count,    \
                               entry, 0, CYAML_UNLIMITED)

static const cyaml_schema_value_t word = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t column_fields[] = {
    CYAML_FIELD_STRING_PTR("ideal", CYAML_FLAG_POINTER, struct column_text, ideal, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE_COUNT("values", CYAML_FLAG_POINTER, struct column_text,
                               values.item, values.count, &word, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t column = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct column_text, column_fields)};

#define RATE_TEXT(key, flags)                                                          \
    CYAML_FIELD_STRING_PTR(#key, flags, struct rate_text, key, 0, CYAML_UNLIMITED)
static const cyaml_schema_field_t rate_fields[] = {
    RATE_TEXT(rate, CYAML_FLAG_POINTER),
    RATE_TEXT(unit, CYAML_FLAG_POINTER),
    RATE_TEXT(convention, OPTIONAL),
    RATE_TEXT(formula, CYAML_FLAG_POINTER),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t rate = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct rate_text, rate_fields)};

/* Fields of both the file and an item of 'suites'. */
#define SUITE_FIELDS                                                                   \
    CYAML_FIELD_SEQUENCE_COUNT("ideals", OPTIONAL, struct suite_text, ideals.item,     \
                               ideals.count, &word, 0, CYAML_UNLIMITED),               \
        CYAML_FIELD_SEQUENCE_COUNT("loose", OPTIONAL, struct suite_text, loose.item,   \
                                   loose.count, &word, 0, CYAML_UNLIMITED),            \
        TEXT(within), TEXT(alpha), TEXT(noise), TEXT(residual), TEXT(purity),          \
        TEXT(nuisance), TEXT(places), TEXT(single), TEXT(reference), TEXT(note),       \
        ITEMS(columns, &column), ITEMS(metrics, &rc_metric_text_schema),               \
        ITEMS(rates, &rate)

static const cyaml_schema_field_t suite_fields[] = {
    CYAML_FIELD_STRING_PTR("suite", CYAML_FLAG_POINTER, struct suite_text, suite, 0,
                           CYAML_UNLIMITED),
    SUITE_FIELDS,
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t suite = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct suite_text, suite_fields)};

static const cyaml_schema_field_t file_fields[] = {
    TEXT(suite),
    SUITE_FIELDS,
    ITEMS(suites, &suite),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct suite_text, file_fields)};

struct reader {
    struct rc_yaml *file;
    struct rc_definitions_draft *draft;
    char where[64];        /* the part that is read: "suites[1].metrics[3]" */
    char place[PLACE_MAX]; /* its place: "FILE:LINE" */
    size_t points;         /* values of columns, over the whole file */
    size_t metrics;
    struct rc_error *err;
};

/* Blames the value of 'key' in the present part; NULL: the part itself. */
__attribute__((format(printf, 3, 4))) static int
wrong(struct reader *r, const char *key, const char *format, ...)
{
    char text[RC_ERROR_TEXT], where[128];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(where, sizeof where, "%s%s%s", r->where, r->where[0] && key ? "." : "",
             key ? key : "");
    return rc_yaml_blame(r->file, where, r->err, "%s%s%s", where, where[0] ? ": " : "",
                         text);
}

/* Enters item 'i' of a list of the present part; returns the length of r->where outside
 * it, for leaving it.
 */
static size_t enter_item(struct reader *r, const char *key, size_t i)
{
    size_t outside = strlen(r->where);

    rc_text_append(r->where, sizeof r->where, "%s%s[%zu]", outside ? "." : "", key, i);
    size_t line = rc_yaml_line(r->file, r->where);
    snprintf(r->place, sizeof r->place, "%s:%zu", r->file->name, line);
    return outside;
}

/* Reads a number in the range, above 0 if that is 0 to 1; without text *out stays. */
static int read_number(struct reader *r, const char *key, const char *text,
                       const char *expected, double least, double most, double *out)
{
    double value;

    if (!text)
        return RC_OK;
    if (rc_text_real(text, &value) || value < least || value > most ||
        (least == 0 && value == 0 && most <= 1))
        return wrong(r, key, "'%.40s', expected %s", text, expected);
    *out = value;
    return RC_OK;
}

static int read_share(struct reader *r, const char *key, const char *text, double *out)
{
    return read_number(r, key, text, "a number above 0 and at most 1", 0, 1, out);
}

static int read_words(struct reader *r, const struct suite_text *text,
                      struct rc_suite_definition *out)
{
    static const char *const places[] = {
        [RC_PLACES_POOL] = "pool", [RC_PLACES_MEDIAN] = "median", NULL};

    if (text->nuisance && rc_text_bool(text->nuisance, &out->nuisance))
        return wrong(r, "nuisance", "'%.40s', expected " RC_TEXT_BOOL, text->nuisance);
    if (text->single && rc_text_bool(text->single, &out->single))
        return wrong(r, "single", "'%.40s', expected " RC_TEXT_BOOL, text->single);
    if (text->reference && rc_text_bool(text->reference, &out->reference))
        return wrong(r, "reference", "'%.40s', expected " RC_TEXT_BOOL,
                     text->reference);
    if (!text->places)
        return RC_OK;
    int found = rc_word_find(text->places, places);
    if (found < 0)
        return wrong(r, "places", "'%.40s', expected pool or median", text->places);
    out->places = (enum rc_places)found;
    return RC_OK;
}

/* Reads the ideals of the list 'what', each once. */
static int read_ideals(struct reader *r, const char *what, const struct list *ideals,
                       const char *const **out, size_t *count)
{
    struct rc_arena *arena = r->draft->arena;
    char key[32];

    if (ideals->count == 0)
        return RC_OK;
    if (ideals->count > RC_TERMS_MAX)
        return wrong(r, what, "%u ideals, expected at most %d", ideals->count,
                     RC_TERMS_MAX);
    const char **name = rc_arena_array(arena, ideals->count, sizeof *name);
    if (!name)
        return rc_definitions_draft_no_memory(r->err);
    for (unsigned i = 0; i < ideals->count; i++) {
        const char *problem =
            rc_ideal_name_wrong(ideals->item[i], strlen(ideals->item[i]));
        snprintf(key, sizeof key, "%s[%u]", what, i);
        if (problem)
            return wrong(r, key, "'%.40s', %s", ideals->item[i], problem);
        for (unsigned j = 0; j < i; j++)
            if (strcmp(name[j], ideals->item[i]) == 0)
                return wrong(r, key, "'%s' is given twice", name[j]);
        name[i] = rc_arena_text(arena, ideals->item[i]);
    }
    *out = name;
    *count = ideals->count;
    return RC_OK;
}

static int read_settings(struct reader *r, const struct suite_text *text,
                         struct rc_suite_definition *out)
{
    const bool automatic = text->noise && strcmp(text->noise, "auto") == 0;
    int status;

    if (automatic)
        out->tau = NAN;
    if ((status = read_share(r, "alpha", text->alpha, &out->alpha)) ||
        (!automatic && (status = read_number(r, "noise", text->noise,
                                             "auto or a number from 0 to 1e6", 0,
                                             NOISE_MOST, &out->tau))) ||
        (status = read_share(r, "residual", text->residual, &out->residual)) ||
        (status = read_share(r, "purity", text->purity, &out->purity)) ||
        (status = read_words(r, text, out)) ||
        (status = read_share(r, "within", text->within, &out->within)) ||
        (status =
             read_ideals(r, "loose", &text->loose, &out->loose, &out->loose_count)) ||
        (status =
             read_ideals(r, "ideals", &text->ideals, &out->ideal, &out->ideal_count)))
        return status;
    if (text->ideals.count)
        out->where = rc_arena_text(r->draft->arena, r->place);
    if (text->note)
        out->note = rc_arena_text(r->draft->arena, text->note);
    return RC_OK;
}

/* "POINT NUMBER": the blank before the number is the last one. */
static int read_value(struct reader *r, const char *text, unsigned i,
                      const char **point, double *value)
{
    const char *blank = strrchr(text, ' ');
    size_t length = blank ? (size_t)(blank - text) : 0;
    char key[32], name[PLACE_MAX + 1];

    while (length > 0 && text[length - 1] == ' ')
        length--;
    snprintf(key, sizeof key, "values[%u]", i);
    if (length == 0 || rc_text_real(blank + 1, value) || *value < 0 ||
        *value > COUNT_MOST || rc_line_wrong(text, false, PLACE_MAX))
        return wrong(r, key,
                     "'%.60s', expected a point's name and its count from 0 to 1e18, "
                     "such as 'sp-scalar-24 24'",
                     text);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    *point = rc_arena_text(r->draft->arena, name);
    return RC_OK;
}

static int read_column(struct reader *r, const struct column_text *text, size_t to)
{
    struct rc_arena *arena = r->draft->arena;
    const char *problem = rc_ideal_name_wrong(text->ideal, strlen(text->ideal));

    if (problem)
        return wrong(r, "ideal", "'%.40s', %s", text->ideal, problem);
    r->points += text->values.count;
    if (text->values.count == 0 || r->points > RC_POINTS_MAX)
        return wrong(r, "values",
                     "%u values, expected at least 1, and at most %d in all",
                     text->values.count, RC_POINTS_MAX);
    const char **point = rc_arena_array(arena, text->values.count, sizeof *point);
    double *value = rc_arena_array(arena, text->values.count, sizeof *value);
    if (!point || !value)
        return rc_definitions_draft_no_memory(r->err);
    for (unsigned i = 0; i < text->values.count; i++) {
        int status = read_value(r, text->values.item[i], i, &point[i], &value[i]);
        if (status != RC_OK)
            return status;
    }
    struct rc_column_definition read = {rc_arena_text(arena, text->ideal), point, value,
                                        text->values.count,
                                        rc_arena_text(arena, r->place)};
    return rc_definitions_draft_column(r->draft, to, &read, r->err);
}

static int read_metric(struct reader *r, const struct rc_metric_text *text,
                       const char *suite_name)
{
    struct rc_error problem = {0};
    const char *key;
    size_t to;
    int status = rc_metric_text_check(text, &key, &problem);

    if (status == RC_EUSAGE)
        return wrong(r, key, "%s", problem.text);
    if (status != RC_OK)
        return rc_definitions_draft_no_memory(r->err);
    if (!text->suite && !suite_name)
        return wrong(r, NULL, "metric '%s' has no suite, expected the key 'suite'",
                     text->metric);
    status = rc_definitions_draft_suite(
        r->draft, text->suite ? text->suite : suite_name, r->place, &to, r->err);
    if (status != RC_OK)
        return status;
    return rc_definitions_draft_metric(r->draft, to, text, r->place, r->err);
}

static int read_metrics(struct reader *r, const struct suite_text *text)
{
    r->metrics += text->metrics_count;
    if (r->metrics > RC_METRICS_MAX)
        return wrong(r, "metrics", "%zu metrics up to here, expected at most %d",
                     r->metrics, RC_METRICS_MAX);
    for (unsigned i = 0; i < text->metrics_count; i++) {
        const size_t outside = enter_item(r, "metrics", i);
        const int status = read_metric(r, &text->metrics[i], text->suite);
        r->where[outside] = 0;
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

static int read_rate(struct reader *r, const struct rate_text *text, size_t to)
{
    const char *const convention = text->convention ? text->convention : "";
    const struct {
        const char *key, *text, *wrong;
    } check[] = {
        {"rate", text->rate, rc_line_wrong(text->rate, false, RATE_TEXT_MAX)},
        {"unit", text->unit, rc_line_wrong(text->unit, false, RATE_TEXT_MAX)},
        {"convention", convention, rc_line_wrong(convention, true, RATE_TEXT_MAX)},
    };
    struct rc_arena *arena = r->draft->arena;
    struct rc_error why = {.rank = -1};
    struct rc_expression *formula;

    for (size_t i = 0; i < sizeof check / sizeof *check; i++)
        if (check[i].wrong)
            return wrong(r, check[i].key, "'%.80s', %s", check[i].text, check[i].wrong);
    const int status = rc_expression_create(text->formula, true, &formula, &why);
    rc_expression_close(formula);
    if (status == RC_EUSAGE)
        return wrong(r, "formula", "%s", why.text);
    if (status != RC_OK)
        return rc_definitions_draft_no_memory(r->err);
    const struct rc_rate_definition read = {
        rc_arena_text(arena, text->rate), rc_arena_text(arena, text->unit),
        rc_arena_text(arena, convention), rc_arena_text(arena, text->formula),
        rc_arena_text(arena, r->place)};
    return rc_definitions_draft_rate(r->draft, to, &read, r->err);
}

/* Reads a file without the key 'suite': settings and columns need one. */
static int read_homeless(struct reader *r, const struct suite_text *text)
{
    if (text->alpha || text->noise || text->residual || text->purity ||
        text->nuisance || text->loose.count || text->within || text->places ||
        text->single || text->reference || text->note || text->ideals.count ||
        text->columns_count || text->rates_count)
        return wrong(r, NULL, "settings without a suite, expected the key 'suite'");
    if (!text->metrics_count && !text->suites_count)
        return wrong(r, NULL,
                     "nothing is defined, expected 'suite', 'suites' or "
                     "'metrics'");
    return read_metrics(r, text);
}

static int read_suite(struct reader *r, const struct suite_text *text)
{
    const char *problem = rc_suite_name_wrong(text->suite);
    char key[32];
    size_t to;
    int status;

    if (problem)
        return wrong(r, "suite", "'%.80s', %s", text->suite, problem);
    if ((status = rc_definitions_draft_suite(r->draft, text->suite, r->place, &to,
                                             r->err)) != RC_OK ||
        (status = read_settings(r, text, &r->draft->suite[to].known)) != RC_OK)
        return status;
    if (text->columns_count > RC_COLUMNS_MAX)
        return wrong(r, "columns", "%u columns, expected at most %d",
                     text->columns_count, RC_COLUMNS_MAX);
    for (unsigned i = 0; i < text->columns_count; i++) {
        const size_t outside = enter_item(r, "columns", i);
        status = read_column(r, &text->columns[i], to);
        r->where[outside] = 0;
        if (status != RC_OK)
            return status;
    }
    for (unsigned i = 0; i < text->loose.count; i++) { /* columns may be loose, too */
        const char *ideal = text->loose.item[i];
        if (rc_definitions_draft_has_ideal(&r->draft->suite[to], ideal))
            continue;
        snprintf(key, sizeof key, "loose[%u]", i);
        return wrong(r, key,
                     "'%s' is not in the basis of suite '%s', expected one that is",
                     ideal, text->suite);
    }
    for (unsigned i = 0; i < text->rates_count; i++) {
        const size_t outside = enter_item(r, "rates", i);
        status = read_rate(r, &text->rates[i], to);
        r->where[outside] = 0;
        if (status != RC_OK)
            return status;
    }
    return read_metrics(r, text);
}

int rc_definitions_draft_read(struct rc_definitions_draft *draft, struct rc_yaml *file,
                              struct rc_error *err)
{
    struct reader r = {.file = file, .draft = draft, .err = err};
    struct suite_text *text;
    void *loaded;
    int status = rc_yaml_load(file, &schema, &loaded, err);

    if (status != RC_OK)
        return status;
    snprintf(r.place, sizeof r.place, "%s:1", file->name);
    text = loaded;
    status = text->suite ? read_suite(&r, text) : read_homeless(&r, text);
    for (unsigned i = 0; i < text->suites_count && status == RC_OK; i++) {
        const size_t outside = enter_item(&r, "suites", i);
        status = read_suite(&r, &text->suites[i]);
        r.where[outside] = 0;
    }
    rc_yaml_free(&schema, loaded);
    return status;
}
