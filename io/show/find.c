/* Finds metrics and events by words.
 *
 * Each word has to be somewhere in a thing, and counts the more the nearer it is to
 * being a word of its name.  People's other words for the same stand in a table.
 */
#include "io/show/parts.h"

#include "campaign/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* How well a text has a word; a sum over all words is a thing's score. */
enum { NOT = 0, AROUND = 1, INSIDE = 2, BEGINS = 6, IS_ONE = 8, IS_ALL = 16 };

enum { WORDS_MOST = 32, VARIANTS_MOST = 4, WORD_MOST = 128 };

/* Words of people, and the words of names for them. */
static const char *const same[][2] = {
    {"flops", "operations"},    {"flop", "operations"},    {"dp", "double"},
    {"double", "dp"},           {"sp", "single"},          {"single", "sp"},
    {"ins", "instructions"},    {"instr", "instructions"}, {"ops", "operations"},
    {"instrs", "instructions"}, {"cyc", "cycles"},         {"misprediction", "mispred"},
    {"misses", "miss"},         {"fp", "floating-point"},
};

/* A word that is looked for, with others that will do. */
struct wanted {
    char text[WORD_MOST];
    const char *variant[VARIANTS_MOST];
    size_t count;
    char singular[WORD_MOST];
    bool seen;               /* somewhere */
    char nearest[WORD_MOST]; /* of all words of names, where it is nowhere */
};

struct search {
    const struct rc_show_request *request;
    struct wanted word[WORDS_MOST];
    size_t count;
    char phrase[RC_ERROR_TEXT]; /* all words with blanks between */
    size_t kind;                /* that is searched */
    bool suggests; /* nothing was found: words of names are compared instead */
    struct rc_show_hits *hits;
};

static bool is_edge(char c)
{
    return !isalnum((unsigned char)c);
}

/* How well the text has the word. */
static unsigned rate_text(const char *text, const char *word)
{
    const size_t length = strlen(word);
    unsigned best = NOT;

    if (strcasecmp(text, word) == 0)
        return IS_ALL;
    for (const char *at = text; (at = strcasestr(at, word)); at++) {
        const bool begins = at == text || is_edge(at[-1]) || is_edge(*word);
        const unsigned now = !begins ? INSIDE : is_edge(at[length]) ? IS_ONE : BEGINS;
        best = now > best ? now : best;
    }
    return best;
}

/* 'name' are what a thing is called, 'around' what else is known of it; both end with
 * NULL.
 */
static unsigned rate(struct search *s, const char *const *name,
                     const char *const *around)
{
    unsigned score = 0;
    bool all = true;

    for (size_t w = 0; w < s->count; w++) {
        unsigned best = NOT;
        for (size_t v = 0; v < s->word[w].count; v++) {
            for (size_t i = 0; name[i]; i++) {
                const unsigned now = rate_text(name[i], s->word[w].variant[v]);
                best = now > best ? now : best;
            }
            for (size_t i = 0; best == NOT && around[i]; i++)
                if (rate_text(around[i], s->word[w].variant[v]) >= BEGINS)
                    best = AROUND;
        }
        s->word[w].seen |= best != NOT;
        all &= best != NOT;
        score += best;
    }
    for (size_t i = 0; s->count > 1 && name[i]; i++)
        if (strcasecmp(name[i], s->phrase) == 0)
            score += IS_ALL * (unsigned)s->count;
    return all ? score : 0;
}

/* Compares a name, or a word of one, with the words that are nowhere. */
static void suggest_word(struct search *s, const char *word)
{
    for (size_t w = 0; w < s->count && strlen(word) > 2; w++) {
        struct wanted *wanted = &s->word[w];
        const char *const both[] = {wanted->nearest, word, NULL};
        const bool any = wanted->nearest[0];
        if (!wanted->seen && strlen(word) < sizeof wanted->nearest &&
            rc_text_nearest(wanted->text, any ? both : both + 1) == any)
            snprintf(wanted->nearest, sizeof wanted->nearest, "%s", word);
    }
}

static void suggest(struct search *s, const char *name)
{
    char text[RC_ERROR_TEXT], *rest = text;

    suggest_word(s, name);
    snprintf(text, sizeof text, "%s", name);
    for (char *word; (word = strsep(&rest, " :_.-/='\"(),"));)
        suggest_word(s, word);
}

static int add_hit(struct search *s, const struct rc_show_hit *hit,
                   struct rc_error *err)
{
    struct rc_show_hits *hits = s->hits;

    if (rc_grow(&hits->item, sizeof *hits->item, hits->count, &hits->room))
        return rc_fail(err, RC_ENOMEM, "no memory for what was found");
    hits->item[hits->count] = *hit;
    hits->item[hits->count].kind = s->kind;
    hits->item[hits->count].name = rc_pool_copy(hits->pool, hit->name);
    return hits->item[hits->count++].name
               ? RC_OK
               : rc_fail(err, RC_ENOMEM, "no memory for what was found");
}

static int look_at_metric(struct search *s, const struct rc_suite_result *suite,
                          const struct rc_metric_result *m, struct rc_error *err)
{
    static const unsigned rank[RC_METRIC_VERDICT_COUNT] = {
        [RC_METRIC_DEFINED] = 0,     [RC_METRIC_APPROXIMATE] = 1,
        [RC_METRIC_REJECTED] = 2,    [RC_METRIC_ABSENT] = 3,
        [RC_METRIC_UNKNOWN] = 4,     [RC_METRIC_REFERENCE] = 0,
        [RC_METRIC_CONTRADICTED] = 2};
    const char *const name[] = {m->name, m->preset, NULL};
    const char *const around[] = {m->description, suite->suite, m->signature, NULL};
    struct rc_show_hit hit = {.suite = suite,
                              .metric = m,
                              .name = m->name,
                              .score = rate(s, name, around),
                              .rank = rank[m->verdict]};

    if (s->suggests) {
        suggest(s, m->name);
        suggest(s, m->preset);
        return RC_OK;
    }
    return hit.score ? add_hit(s, &hit, err) : RC_OK;
}

/* rc_export_blocks(): events of the kind that is searched. */
static int look_at_events(void *context, const struct rc_export_block *block,
                          struct rc_error *err)
{
    enum { BEHIND_METRICS = 8, BEHIND_OTHERS = 16 };
    struct search *s = context;
    int status = RC_OK;

    for (size_t i = 0; i < block->columns.count; i++) {
        const struct rc_store_event *e = &block->event[i];
        const char *const name[] = {e->name, NULL};
        const char *const around[] = {e->description, NULL};
        struct rc_show_hit hit = {.event = block->columns.first + i,
                                  .name = e->name,
                                  .rank = e->verdict == RC_VERDICT_OK ? BEHIND_METRICS
                                                                      : BEHIND_OTHERS};
        if (s->suggests)
            suggest(s, e->name);
        else if ((hit.score = rate(s, name, around)))
            status = add_hit(s, &hit, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

static int look_at_all(struct search *s, struct rc_error *err)
{
    struct rc_store *file = s->request->metrics;
    int status = RC_OK;

    for (s->kind = 0; s->kind < rc_store_kind_count(file); s->kind++) {
        if (s->request->kind &&
            strcmp(s->request->kind, rc_store_kind(file, s->kind)->name) != 0)
            continue;
        struct rc_metrics_walk walk = {.at = 0};
        while (status == RC_OK && rc_metrics_next(file, s->kind, &walk))
            status = look_at_metric(s, walk.suite, walk.metric, err);
        if (status != RC_OK ||
            (status = rc_export_blocks(file, s->kind, NULL, 0, look_at_events, s,
                                       err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Where hits fit equally well, metrics come first, then those that can be counted, then
 * short names. */
static int order_hits(const void *left, const void *right)
{
    const struct rc_show_hit *a = left, *b = right;
    const uint64_t x[] = {b->score, a->rank, strlen(a->name), a->kind,
                          a->metric ? 0 : a->event},
                   y[] = {a->score, b->rank, strlen(b->name), b->kind,
                          b->metric ? 0 : b->event};
    const int order = rc_compare_numbers(x, y, sizeof x / sizeof *x);

    return order ? order : strcmp(a->name, b->name);
}

/* The words as they were given: one argument may hold several. */
static int take_words(struct search *s, struct rc_error *err)
{
    const struct rc_show_request *r = s->request;

    for (size_t i = 0; i < r->word_count; i++)
        for (const char *at = r->word[i] + strspn(r->word[i], " "); *at;
             at += strspn(at, " ")) {
            const size_t length = strcspn(at, " ");
            struct wanted *w = &s->word[s->count];
            if (s->count == WORDS_MOST || length >= sizeof w->text)
                return rc_fail(err, RC_EUSAGE,
                               "expected at most %d words, each shorter than %d bytes",
                               WORDS_MOST, WORD_MOST);
            snprintf(w->text, sizeof w->text, "%.*s", (int)length, at);
            rc_text_append(s->phrase, sizeof s->phrase, "%s%s", s->count ? " " : "",
                           w->text);
            w->variant[w->count++] = w->text;
            if (length > 3 && tolower((unsigned char)w->text[length - 1]) == 's') {
                snprintf(w->singular, sizeof w->singular, "%.*s", (int)length - 1, at);
                w->variant[w->count++] = w->singular;
            }
            for (size_t k = 0; k < sizeof same / sizeof *same; k++)
                if (strcasecmp(same[k][0], w->text) == 0 && w->count < VARIANTS_MOST)
                    w->variant[w->count++] = same[k][1];
            s->count++;
            at += length;
        }
    return s->count ? RC_OK
                    : rc_fail(err, RC_EUSAGE,
                              "expected words of the name or description of an event "
                              "or a metric");
}

/* Nothing has all of the words: which of them is nowhere, and what is near it. */
static int fail_search(struct search *s, struct rc_error *err)
{
    char text[WORD_MOST], near[WORD_MOST];
    size_t hits = s->hits->count;
    int status;

    s->suggests = true;
    if ((status = look_at_all(s, err)))
        return status;
    s->hits->count = hits;
    for (size_t w = 0; w < s->count; w++) {
        if (s->word[w].seen)
            continue;
        rc_text_printable(text, sizeof text, s->word[w].text);
        rc_text_printable(near, sizeof near, s->word[w].nearest);
        return near[0]
                   ? rc_fail(err, RC_EMISSING,
                             "no event or metric has '%s', did you mean '%s'?", text,
                             near)
                   : rc_fail(err, RC_EMISSING,
                             "no event or metric has '%s', 'rollcall report --text' "
                             "lists the metrics",
                             text);
    }
    return rc_fail(err, RC_EMISSING,
                   "each word is somewhere, but no event or metric has all of them: %s",
                   rc_text_printable(s->phrase, sizeof s->phrase, s->phrase));
}

int rc_show_find(const struct rc_show_request *request, struct rc_show_hits *out,
                 struct rc_error *err)
{
    struct search s = {.request = request, .hits = out};
    const struct rc_export_choice choice = {.kind = request->kind};
    size_t kind = 0;
    int status = rc_export_check(request->metrics, &choice, false, &kind, err);

    *out = (struct rc_show_hits){.pool = rc_pool_create()};
    if (status != RC_OK)
        return status;
    if (!out->pool)
        return rc_fail(err, RC_ENOMEM, "no memory for what was found");
    if ((status = take_words(&s, err)) != RC_OK ||
        (status = look_at_all(&s, err)) != RC_OK)
        return status;
    if (out->count == 0)
        return fail_search(&s, err);
    qsort(out->item, out->count, sizeof *out->item, order_hits);
    return RC_OK;
}

void rc_show_hits_fini(struct rc_show_hits *hits)
{
    free(hits->item);
    rc_pool_close(hits->pool);
}
