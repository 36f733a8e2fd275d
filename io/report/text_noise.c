/* Events by noise, as a figure of characters: one bar for each decade, with the
 * threshold that was used.  It shows whether the threshold lies in a gap, or cuts
 * through similar events.
 */
#include "io/report/text_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Decades of noise; the first bin is for 0, and the outer bins include everything
 * beyond.
 */
enum {
    LEAST = -16, /* decades */
    MOST = 2,
    BINS = MOST - LEAST + 2,
    BAR_MOST = 50,  /* columns of the longest bar */
    PIECE = 16384,  /* events that are read at once */
    COUNT_END = 16, /* column after the counts */
};

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

/* Counts the events that are not zero and have valid readings. */
static int count_all(const struct rc_report *r, size_t kind, size_t suite,
                     struct histogram *h, struct rc_error *err)
{
    const size_t events = rc_store_kind(r->metrics, kind)->event_count;
    double *noise = rc_calloc(PIECE, sizeof *noise);
    uint8_t *class = rc_calloc(PIECE, sizeof *class);
    int status = RC_OK;

    if (!noise || !class) {
        status = rc_fail(err, RC_ENOMEM, "no memory for %d events", PIECE);
        goto out;
    }
    for (size_t first = 0; first < events; first += PIECE) {
        const size_t left = events - first, count = left < PIECE ? left : PIECE;
        struct rc_event_columns c = {
            .first = first, .count = count, .noise = noise, .event_class = class};
        if ((status = rc_metrics_read_columns(r->metrics, kind, suite, &c, err)))
            goto out;
        for (size_t i = 0; i < count; i++)
            if (class[i] >= RC_CLASS_NOISY && !isnan(noise[i]))
                h->count[bin_of(noise[i])]++;
    }
out:
    free(noise);
    free(class);
    return status;
}

/* Chooses the bins that are shown: from the least to the largest with events, including
 * the threshold.  False: there are no events.
 */
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

/* Shows " 1e-03 12 ####", with a mark at the threshold. */
static void show_bin(struct rc_page *page, const struct histogram *h, size_t bin,
                     size_t most, double tau)
{
    char count[24], bar[BAR_MOST + 1];
    const int digits = snprintf(count, sizeof count, "%zu", h->count[bin]);

    rc_page_begin(page, 4);
    if (bin == 0)
        rc_page_word(page, "0");
    else
        rc_page_words(page, "1e%+03d", (int)bin - 1 + LEAST);
    rc_page_column(page, (size_t)(digits < COUNT_END - 10 ? COUNT_END - digits : 10));
    rc_page_word(page, count);

    const size_t room = page->width > page->at + 2 ? page->width - page->at - 2 : 0;
    const size_t full = room < BAR_MOST ? room : BAR_MOST;
    size_t wide = (size_t)((double)h->count[bin] / (double)most * (double)full);
    wide = h->count[bin] && !wide && full ? 1 : wide;
    memset(bar, '#', wide);
    bar[wide] = 0;
    if (wide)
        rc_page_word(page, bar);
    if (bin == h->threshold)
        rc_page_words(page, "<- up to %.2g", tau);
}

/* Three or more empty bins are one line "...". */
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
    rc_page_line(page, 2, "events by the decade of their noise:");
    for (size_t i = h.first; i <= h.last; i++) {
        size_t empty = 0; /* number of empty bins from here on, between others */
        while (i + empty < h.last && h.count[i + empty] == 0 &&
               i + empty != h.threshold)
            empty++;
        if (empty > 2) {
            rc_page_line(page, 4, "...");
            i += empty - 1;
        } else
            show_bin(page, &h, i, most, r->tau);
    }
    rc_page_end(page);
    return RC_OK;
}
