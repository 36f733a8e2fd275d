/* How many events have how much noise, as a figure of characters. */
#include "io/report/text_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Decades of noise; the first bin is for 0, and the ends take what lies outside. */
enum { LEAST = -16, MOST = 2, BINS = MOST - LEAST + 2, BAR_MOST = 50, PIECE = 16384 };
enum { COUNT_END = 16 }; /* the column behind counts */

struct histogram {
    size_t count[BINS];
    size_t first, last; /* bins that are shown */
    size_t threshold;   /* the last bin with noise up to it, or BINS */
};

static size_t bin_of(double noise)
{
    double decade;

    if (!(noise > 0))
        return 0;
    decade = floor(log10(noise));
    decade = decade < LEAST ? LEAST : decade > MOST ? MOST : decade;
    return (size_t)(decade - LEAST + 1);
}

static void count_piece(struct histogram *h, const struct rc_event_columns *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->event_class[i] >= RC_CLASS_NOISY && !isnan(c->noise[i]))
            h->count[bin_of(c->noise[i])]++;
}

static int count_all(const struct rc_report *r, size_t kind, size_t suite,
                     struct histogram *h, struct rc_error *err)
{
    const size_t events = rc_metrics_kind(r->metrics, kind)->event_count;
    double *noise = rc_calloc(PIECE, sizeof *noise);
    uint8_t *event_class = rc_calloc(PIECE, sizeof *event_class);
    int status = noise && event_class
                     ? RC_OK
                     : rc_fail(err, RC_ENOMEM, "no memory for %d events", PIECE);

    for (size_t first = 0; first < events && status == RC_OK; first += PIECE) {
        struct rc_event_columns c = {.first = first,
                                     .count = events - first < PIECE ? events - first
                                                                     : PIECE,
                                     .noise = noise,
                                     .event_class = event_class};
        status = rc_metrics_read_columns(r->metrics, kind, suite, &c, err);
        if (status == RC_OK)
            count_piece(h, &c);
    }
    free(noise);
    free(event_class);
    return status;
}

/* From the least to the most of what was counted, the threshold within. */
static bool choose_range(struct histogram *h, const struct rc_suite_result *r)
{
    h->first = BINS;
    for (size_t i = 0; i < BINS; i++)
        if (h->count[i]) {
            h->first = h->first < i ? h->first : i;
            h->last = i;
        }
    if (h->first == BINS)
        return false;
    h->threshold = r->tau > 0 && isfinite(r->tau) ? bin_of(r->tau * (1 - 1e-9)) : BINS;
    if (h->threshold < BINS) {
        h->first = h->first < h->threshold ? h->first : h->threshold;
        h->last = h->last > h->threshold ? h->last : h->threshold;
    }
    return true;
}

/* Bins without events between others: the number of those from 'bin' on. */
static size_t empty_from(const struct histogram *h, size_t bin)
{
    size_t empty = 0;

    while (bin + empty < h->last && h->count[bin + empty] == 0 &&
           bin + empty != h->threshold)
        empty++;
    return empty;
}

static void show_bar(struct rc_page *page, size_t count, size_t most)
{
    const size_t room = page->width > page->at + 2 ? page->width - page->at - 2 : 0;
    const size_t full = room < BAR_MOST ? room : BAR_MOST;
    size_t wide = (size_t)((double)count / (double)most * (double)full);
    char bar[BAR_MOST + 1];

    wide = count && !wide && full ? 1 : wide;
    memset(bar, '#', wide);
    bar[wide] = 0;
    if (wide)
        rc_page_word(page, bar);
}

static void show_bin(struct rc_page *page, const struct histogram *h, size_t bin,
                     size_t most, double tau)
{
    char count[24];
    const int digits = snprintf(count, sizeof count, "%zu", h->count[bin]);

    rc_report_text_begin(page, 4);
    if (bin == 0)
        rc_page_word(page, "0");
    else
        rc_page_words(page, "1e%+03d", (int)bin - 1 + LEAST);
    rc_page_column(page, (size_t)(digits < COUNT_END - 10 ? COUNT_END - digits : 10));
    rc_page_word(page, count);
    show_bar(page, h->count[bin], most);
    if (bin == h->threshold)
        rc_page_words(page, "<- up to %.2g", tau);
}

int rc_report_text_noise(const struct rc_report *report, struct rc_page *page,
                         size_t kind, size_t suite, struct rc_error *err)
{
    const struct rc_suite_result *r = rc_metrics_suite(report->metrics, kind, suite);
    struct histogram h = {0};
    size_t most = 0;
    int status = count_all(report, kind, suite, &h, err);

    if (status != RC_OK || !choose_range(&h, r))
        return status;
    for (size_t i = 0; i < BINS; i++)
        most = h.count[i] > most ? h.count[i] : most;
    rc_report_text_begin(page, 2);
    rc_page_words(page, "events by the decade of their noise:");
    for (size_t i = h.first; i <= h.last; i++) {
        const size_t empty = empty_from(&h, i);
        if (empty > 2) {
            rc_report_text_begin(page, 4);
            rc_page_words(page, "...");
            i += empty - 1;
        } else
            show_bin(page, &h, i, most, r->tau);
    }
    rc_page_end(page);
    return RC_OK;
}
