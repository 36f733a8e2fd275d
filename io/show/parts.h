/* parts.h - what finding and showing cards share; only this room includes it */
#ifndef RC_IO_SHOW_PARTS_H
#define RC_IO_SHOW_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "io/export/parts.h"
#include "io/metrics/event_words.h"
#include "io/show/show.h"
#include "io/text/terminal.h"

enum { RC_SHOW_SENTENCE = 1024 };

/* A thing that has all words: a metric, or an event. */
struct rc_show_hit {
    size_t kind;
    const struct rc_suite_result *suite;   /* of a metric; NULL: an event */
    const struct rc_metric_result *metric; /* likewise */
    size_t event;                          /* its number, of an event */
    const char *name;                      /* lives as long as the hits */
    unsigned score;                        /* the higher, the better it fits */
    unsigned rank;                         /* of equal ones the least comes first */
};

/* Hits, the best first. */
struct rc_show_hits {
    struct rc_show_hit *item;
    size_t count, room;
    struct rc_pool *pool; /* of names */
};

/* rc_show_hits_fini() in any case. */
int rc_show_find(const struct rc_show_request *request, struct rc_show_hits *out,
                 struct rc_error *err);
void rc_show_hits_fini(struct rc_show_hits *hits);

/* An event with what all suites of its kind say of it. */
struct rc_show_event {
    struct rc_store_event is;
    struct rc_event_in_suite *in;
    size_t count;
    struct rc_pool *pool;
    struct rc_arena arena;
};

/* rc_show_event_fini() in any case. */
int rc_show_event_read(struct rc_store *metrics, const struct rc_show_hit *hit,
                       struct rc_show_event *out, struct rc_error *err);
void rc_show_event_fini(struct rc_show_event *event);

/* Whether an event of the metric is simulated, or of a formula any of the kind.  */
int rc_show_is_simulated(struct rc_store *metrics, const struct rc_show_hit *hit,
                         bool *simulated, struct rc_error *err);

/* The metric that an event is, for the lines that count it alone. */
struct rc_show_alone {
    struct rc_term term;
    struct rc_metric_result metric;
};
void rc_show_alone(const struct rc_show_hit *hit, struct rc_show_alone *out);

/* "'DP operations' can be counted on KIND: a sum of 4 events, exact on 36 points of 4
 * suites" and "BR_MISP... counts 'mispredicted', 1 each", without a full stop.
 */
const char *rc_show_sentence(char out[RC_SHOW_SENTENCE], struct rc_store *metrics,
                             const struct rc_show_hit *hit,
                             const struct rc_show_event *event);

/* rates.c: the rates of a suite. */
int rc_show_rates(const struct rc_show_request *request, const char *suite, FILE *out,
                  struct rc_error *err);

/* The row of a card: a label, then words; none where there are no words. */
void rc_show_row(struct rc_page *page, const char *label, const char *text);

/* The cards. */
int rc_show_text_card(struct rc_page *page, const struct rc_show_request *request,
                      const struct rc_show_hit *hit, struct rc_error *err);
int rc_show_json_card(struct rc_json *json, struct rc_store *metrics,
                      const struct rc_show_hit *hit, struct rc_error *err);

#endif
