/* The rates of a suite: what all of its kernels reach, or the card of one. */
#include "io/show/parts.h"

#include "campaign/base/text.h"
#include "io/report/rates.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WORDS_MOST = 16, LIST = 512 };

/* The words after the suite's name, and which of them was found anywhere. */
struct words {
    char text[LIST];
    char *word[WORDS_MOST];
    bool seen[WORDS_MOST];
    size_t count;
};

static int take_words(const struct rc_show_request *r, struct words *w,
                      struct rc_error *err)
{
    char *rest = w->text;

    for (size_t i = 0; i < r->word_count; i++)
        rc_text_append(w->text, sizeof w->text, "%s ", r->word[i]);
    for (char *word; (word = strsep(&rest, " "));) {
        if (!word[0])
            continue;
        if (w->count == WORDS_MOST)
            return rc_fail(err, RC_EUSAGE, "expected at most %d words", WORDS_MOST);
        w->word[w->count++] = word;
    }
    w->count--; /* the first is the suite */
    memmove(w->word, w->word + 1, w->count * sizeof *w->word);
    return RC_OK;
}

const char *rc_show_suite(const struct rc_show_request *r)
{
    const char *word = r->word[0] + strspn(r->word[0], " ");
    const size_t length = strcspn(word, " ");

    for (size_t k = 0, count; k < rc_store_kind_count(r->metrics); k++) {
        const struct rc_rate_result *rate = rc_metrics_rates(r->metrics, k, &count);
        for (size_t i = 0; i < count; i++)
            if (strlen(rate[i].suite) == length &&
                strncasecmp(rate[i].suite, word, length) == 0)
                return rate[i].suite;
    }
    return NULL;
}

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = text; (at = strcasestr(at, word)); at++)
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return true;
    return false;
}

static bool is_of_rate(const char *word, const struct rc_rate_result *r)
{
    return has_word(r->name, word) || strcasecmp(r->convention, word) == 0;
}

static bool is_of_curve(const char *word, const struct rc_rate_curve *c)
{
    char workers[32];

    snprintf(workers, sizeof workers, "w%" PRId64, c->workers);
    return has_word(c->kernel, word) || has_word(c->variant, word) ||
           (c->workers && strcasecmp(workers, word) == 0);
}

/* A kind's rate that is shown, and those of its curves that the words mean: they stand
 * first.
 */
struct shown {
    const struct rc_store_kind *kind;
    const struct rc_rate_result *rate, *all; /* 'all' of the kind */
    size_t all_count;
    struct rc_rate_curves curves;
    size_t count;
};

/* The first rate that the words name, else the first of the suite; and its curves of
 * which each other word is.
 */
static int read_kind(const struct rc_show_request *r, size_t k, const char *suite,
                     struct words *w, struct shown *out, struct rc_error *err)
{
    *out = (struct shown){.kind = rc_store_kind(r->metrics, k)};
    out->all = rc_metrics_rates(r->metrics, k, &out->all_count);
    bool named = false, of_rate[WORDS_MOST] = {false};
    for (size_t i = 0; i < out->all_count; i++) {
        bool wanted = false;
        if (strcmp(out->all[i].suite, suite) != 0)
            continue;
        for (size_t n = 0; n < w->count; n++)
            wanted |= is_of_rate(w->word[n], &out->all[i]);
        if (!out->rate || (wanted && !named))
            out->rate = &out->all[i];
        named |= wanted;
    }
    if (!out->rate)
        return RC_OK;
    const int status = rc_rate_curves_make(out->rate, &out->curves, err);
    for (size_t n = 0; n < w->count; n++)
        w->seen[n] |= of_rate[n] = is_of_rate(w->word[n], out->rate);
    for (size_t i = 0; i < out->curves.count && status == RC_OK; i++) {
        const struct rc_rate_curve c = out->curves.curve[i];
        bool wanted = true;
        for (size_t n = 0; n < w->count; n++) {
            const bool is = is_of_curve(w->word[n], &c);
            w->seen[n] |= is;
            wanted &= is || of_rate[n];
        }
        if (wanted)
            out->curves.curve[out->count++] = c;
    }
    return status;
}

/* No kernel is meant: which word is of none, what is near it, and all kernels. */
static int fail_words(const struct words *w, const char *suite,
                      const struct rc_rate_curves *c, struct rc_error *err)
{
    const char *name[LIST / 2 + 1] = {NULL};
    char list[LIST] = "", text[RC_RATE_NAME];
    size_t count = 0, wrong = 0;

    for (size_t i = 0; i < c->count && count < LIST / 2; i++)
        if (i == 0 || strcmp(c->curve[i].kernel, c->curve[i - 1].kernel) != 0) {
            name[count++] = c->curve[i].kernel;
            rc_text_append(list, sizeof list, "%s%s", list[0] ? ", " : "",
                           c->curve[i].kernel);
        }
    if (count == 0)
        return rc_fail(err, RC_EMISSING,
                       "suite '%s' has no rate of any kernel: no repetition is whole",
                       suite);
    while (wrong < w->count && w->seen[wrong])
        wrong++;
    if (wrong == w->count)
        return rc_fail(err, RC_EMISSING,
                       "suite '%s' has no rates of all of these words together, "
                       "expected a kernel of: %s",
                       suite, list);
    const int near = rc_text_nearest(w->word[wrong], name);
    return rc_fail(err, RC_EMISSING,
                   "suite '%s' has no rates of '%s', expected a kernel of: %s%s%s%s",
                   suite, rc_text_printable(text, sizeof text, w->word[wrong]), list,
                   near < 0 ? "" : "; did you mean '", near < 0 ? "" : name[near],
                   near < 0 ? "" : "'?");
}

static const char *put_number(char *out, double number)
{
    if (isnan(number))
        out[0] = 0;
    else
        rc_rate_number(out, 4, number);
    return out;
}

/* A row of a table, and what makes one: columns without any cell are left out. */
enum { COLUMNS = 3 + RC_RATE_LEVELS };
struct cells {
    char text[COLUMNS][RC_RATE_NAME];
};

static int put_table(struct rc_page *page, const struct rc_table_column *column,
                     struct cells *row, size_t rows, struct rc_error *err)
{
    struct rc_table_column columns[COLUMNS + 1] = {{0}};
    size_t used[COLUMNS], shown = 0;

    for (size_t c = 0; c < COLUMNS; c++)
        for (size_t i = 0; i < rows; i++)
            if (row[i].text[c][0]) {
                columns[shown] = column[c];
                used[shown++] = c;
                break;
            }
    struct rc_table *table = rc_table_create(columns);
    for (size_t i = 0; i < rows; i++) {
        const char *cell[COLUMNS];
        for (size_t c = 0; c < shown; c++)
            cell[c] = row[i].text[used[c]];
        rc_table_put(table, RC_STYLE_PLAIN, cell);
    }
    rc_page_begin(page, 2);
    const int status = rc_table_write(table, page, err);
    rc_table_close(table);
    return status;
}

/* The card's table: level by level the curves, by what is on their plateaus; without
 * levels the best point of each.
 */
static int put_levels(struct rc_page *page, const struct shown *s, struct rc_error *err)
{
    enum { LEVEL, CACHE, WORKERS, VARIANT, PLATEAU, BEST, MEDIAN, LOW, HIGH };
    static const struct rc_table_column columns[COLUMNS] = {
        [LEVEL] = {"level", false},    [CACHE] = {"cache", true},
        [WORKERS] = {"workers", true}, [VARIANT] = {"variant", false},
        [PLATEAU] = {"plateau", true}, [MEDIAN] = {"median", true},
        [LOW] = {"low", true},         [HIGH] = {"high", true},
        [BEST] = {"best", true}};
    struct rc_arena arena = {0};
    struct cells *row = rc_arena_array(&arena, s->count, RC_RATE_LEVELS * sizeof *row);
    size_t rows = 0;
    int status = rc_arena_check(&arena, err, "a table");

    for (size_t l = 0; l < RC_RATE_LEVELS && status == RC_OK; l++)
        for (size_t i = 0; i < s->count; i++) {
            const struct rc_rate_curve *c = &s->curves.curve[i];
            const struct rc_rate_level *level = l < c->levels ? &c->level[l] : NULL;
            char(*cell)[RC_RATE_NAME] = row[rows].text;
            size_t at = level ? level->plateau : 0;
            if (!level && (l > 0 || c->levels))
                continue;
            rows++;
            for (size_t k = 1; k < c->count && !level; k++)
                at = c->at[k].best > c->at[at].best ? k : at;
            snprintf(cell[LEVEL], RC_RATE_NAME, "%s", level ? level->name : "");
            rc_rate_size(cell[CACHE], level ? level->bytes : 0);
            if (c->workers)
                snprintf(cell[WORKERS], RC_RATE_NAME, "%" PRId64, c->workers);
            snprintf(cell[VARIANT], RC_RATE_NAME, "%s", c->variant);
            snprintf(cell[PLATEAU], RC_RATE_NAME, "none");
            if (at == SIZE_MAX)
                continue;
            rc_rate_size(cell[PLATEAU], c->at[at].bytes);
            put_number(cell[BEST], c->at[at].best);
            put_number(cell[MEDIAN], c->at[at].median);
            put_number(cell[LOW], c->at[at].low);
            put_number(cell[HIGH], c->at[at].high);
        }
    if (status == RC_OK)
        status = put_table(page, columns, row, rows, err);
    rc_arena_free(&arena);
    return status;
}

/* The table of all kernels: a row for each curve, with the best on each plateau. */
static int put_kernels(struct rc_page *page, const struct shown *s,
                       struct rc_error *err)
{
    const struct rc_rate_curve *c = s->curves.curve;
    struct rc_table_column columns[COLUMNS] = {
        {"kernel", false}, {"workers", true}, {"variant", false}};
    struct rc_arena arena = {0};
    struct cells *row = rc_arena_array(&arena, s->count, sizeof *row);
    int status = rc_arena_check(&arena, err, "a table");

    for (size_t l = 0; l < RC_RATE_LEVELS; l++)
        columns[3 + l] = (struct rc_table_column){s->rate->unit, true};
    for (size_t i = 0; i < s->count && status == RC_OK; i++) {
        char(*cell)[RC_RATE_NAME] = row[i].text;
        snprintf(cell[0], RC_RATE_NAME, "%s", c[i].kernel);
        if (c[i].workers)
            snprintf(cell[1], RC_RATE_NAME, "%" PRId64, c[i].workers);
        snprintf(cell[2], RC_RATE_NAME, "%s", c[i].variant);
        if (c[i].levels == 0)
            put_number(cell[3], c[i].at[0].best);
        for (size_t l = 0; l < c[i].levels; l++) {
            const size_t at = c[i].level[l].plateau;
            columns[3 + l].name = c[i].level[l].name;
            snprintf(cell[3 + l], RC_RATE_NAME, "none");
            if (at != SIZE_MAX)
                put_number(cell[3 + l], c[i].at[at].best);
        }
    }
    if (status == RC_OK)
        status = put_table(page, columns, row, s->count, err);
    rc_arena_free(&arena);
    return status;
}

/* Rows of both: whether it is simulated, and the rate with its convention. */
static void put_rate(struct rc_page *page, const struct shown *s, const char *more)
{
    const struct rc_rate_result *r = s->rate;
    char text[2 * RC_RATE_LINE];

    if (s->kind->simulated)
        rc_show_row(page, "SIMULATED", "no hardware was measured");
    snprintf(text, sizeof text, "%s in %s%s%s%s%s%s", r->name, r->unit,
             r->convention[0] ? ", convention '" : "", r->convention,
             r->convention[0] ? "'" : "", rc_rate_convention_words(r->convention),
             more);
    rc_show_row(page, "rate", text);
}

/* "'triad' reaches 210 GB/s in L1, ... with 1 worker; ... with 8 workers": the first curve,
 * and the first of those with the most workers.
 */
static void put_answer(struct rc_page *page, const struct shown *s)
{
    const struct rc_rate_curve *c = s->curves.curve;
    char words[RC_RATE_LINE];
    size_t most = 0;

    for (size_t i = 0; i < s->count; i++)
        most = c[i].workers > c[most].workers ? i : most;
    rc_page_begin(page, 0);
    rc_page_style(page, RC_STYLE_BOLD);
    rc_page_words(page, "'%s' reaches at best", c->kernel);
    for (size_t i = 0; i <= most; i += most ? most : 1) {
        rc_page_words(page, "%s", rc_rate_words(words, &c[i], s->rate->unit));
        rc_rate_curve_words(words, &c[i]);
        rc_page_words(page, "%s%s", words[0] ? "with " : "", words);
        rc_page_tail(page, i < most ? ";" : ".");
    }
    rc_page_style(page, RC_STYLE_PLAIN);
    rc_page_end(page);
}

static int put_card(struct rc_page *page, const struct rc_show_request *r,
                    const struct shown *s, struct rc_error *err)
{
    const struct rc_store_campaign *c = rc_store_campaign(r->metrics);
    const struct rc_rate_result *rate = s->rate;
    char text[2 * RC_RATE_LINE];
    const char *kernel = s->curves.curve[0].kernel;

    put_answer(page, s);
    put_rate(page, s, "");
    const int status = put_levels(page, s, err);
    if (status != RC_OK)
        return status;
    snprintf(
        text, sizeof text,
        "%zu repetition%s on %zu node%s; best and median are %s; the plateau is the "
        "largest size of a level whose best rate is within 5 %% of the next smaller "
        "one's",
        rate->repetitions, rc_text_s(rate->repetitions), rate->node_count,
        rc_text_s(rate->node_count),
        rate->node_count > 1 ? "of the nodes' medians"
                             : "of the repetitions, low and high the median's 95 % "
                               "interval");
    rc_show_row(page, "measured", text);
    for (size_t i = 0; i < s->count; i++) {
        char slow[RC_RATE_LINE], words[RC_RATE_LINE];
        if (rc_rate_slowest(slow, rate, &s->curves.curve[i])[0]) {
            snprintf(text, sizeof text, "%s: %s",
                     rc_rate_curve_words(words, &s->curves.curve[i]), slow);
            rc_show_row(page, i ? "" : "slowest node", text);
        }
    }
    rc_show_row(page, "formula", rate->formula);
    for (size_t i = 0; i < s->all_count; i++)
        if (&s->all[i] != rate && strcmp(s->all[i].suite, rate->suite) == 0) {
            snprintf(text, sizeof text, "%s in %s%s%s: rollcall show %s %s %s %s",
                     s->all[i].name, s->all[i].unit,
                     s->all[i].convention[0] ? ", convention " : "",
                     s->all[i].convention, r->dir, rate->suite, kernel,
                     s->all[i].convention[0] ? s->all[i].convention : s->all[i].name);
            rc_show_row(page, "also", text);
        }
    rc_show_row(page, "suite", rate->suite);
    rc_show_row(page, "kind", s->kind->name);
    snprintf(text, sizeof text, "%s, %s", c->id, c->created_by);
    rc_show_row(page, "campaign", text);
    return RC_OK;
}

/* All kernels of the suite. */
static int put_list(struct rc_page *page, const struct rc_show_request *r,
                    const struct shown *s, struct rc_error *err)
{
    const struct rc_rate_curve *c = s->curves.curve;
    size_t kernels = 1;

    for (size_t i = 1; i < s->count; i++)
        kernels += strcmp(c[i].kernel, c[i - 1].kernel) != 0;
    rc_page_begin(page, 0);
    rc_page_styled(page, RC_STYLE_BOLD,
                   "Suite '%s' has rates of %zu kernels on %s: 'rollcall show %s %s "
                   "%s' shows one.",
                   s->rate->suite, kernels, s->kind->name, r->dir, s->rate->suite,
                   c[0].kernel);
    rc_page_end(page);
    put_rate(page, s, "; the best on each level's plateau, none: it has none");
    return put_kernels(page, s, err);
}

/* A card in JSON: the members of the rate, and its curves as the page has them. */
static void put_json(struct rc_json *json, const struct shown *s)
{
    static const struct rc_json_member members[] = {
        RC_JSON_AS("rate", rc_rate_result, name),
        RC_JSON_EACH(rc_rate_result, unit, convention, formula, suite),
        {0}};

    rc_json_object(json, NULL);
    rc_json_text(json, "kind", s->kind->name);
    rc_json_flag(json, "simulated", s->kind->simulated);
    rc_json_members(json, members, s->rate);
    rc_json_integer(json, "repetitions", (int64_t)s->rate->repetitions);
    rc_json_texts(json, "nodes", s->rate->node, s->rate->node_count);
    rc_json_array(json, "curves");
    for (size_t i = 0; i < s->count; i++)
        rc_rate_put_curve(s->rate, &s->curves.curve[i], json);
    rc_json_end(json);
    rc_json_end(json);
}

int rc_show_rates(const struct rc_show_request *r, const char *suite, FILE *out,
                  struct rc_error *err)
{
    const struct rc_export_choice choice = {.kind = r->kind};
    struct words words = {.count = 0};
    struct shown s = {.count = 0};
    struct rc_page page;
    struct rc_json json;
    size_t number, found = 0;
    int status = rc_export_check(r->metrics, &choice, false, &number, err);

    if (status != RC_OK || (status = take_words(r, &words, err)) != RC_OK)
        return status;
    rc_page_init(&page, out);
    for (size_t k = 0; k < rc_store_kind_count(r->metrics) && status == RC_OK; k++) {
        if (r->kind && strcmp(rc_store_kind(r->metrics, k)->name, r->kind) != 0)
            continue;
        rc_arena_free(&s.curves.arena);
        if ((status = read_kind(r, k, suite, &words, &s, err)) != RC_OK || s.count == 0)
            continue;
        if (found++ == 0 && r->format == RC_FORMAT_JSON) {
            rc_json_object(rc_json_begin(&json, out), NULL);
            rc_json_texts(&json, "words", r->word, r->word_count);
            rc_json_array(&json, "cards");
        } else if (found > 1 && r->format != RC_FORMAT_JSON) {
            fputc('\n', out);
        }
        if (r->format == RC_FORMAT_JSON)
            put_json(&json, &s);
        else if (strcmp(s.curves.curve[0].kernel, s.curves.curve[s.count - 1].kernel) ==
                 0)
            status = put_card(&page, r, &s, err);
        else
            status = put_list(&page, r, &s, err);
    }
    if (status == RC_OK && found == 0)
        status = fail_words(&words, suite, &s.curves, err);
    if (found && r->format == RC_FORMAT_JSON) {
        rc_json_end(&json);
        rc_json_integer(&json, "found", (int64_t)found);
        rc_json_array(&json, "others");
        rc_json_close(&json);
    }
    rc_arena_free(&s.curves.arena);
    rc_page_fini(&page);
    return status;
}
