/* show.h - events and metrics that people ask for by words, each as a card
 *
 * A card is a sentence, which says whether the thing can be counted and what it counts,
 * then the evidence, and what to type to count it.  Words may come in any order;
 * letters may be small or large; names, PAPI's names, descriptions and suites are
 * searched.
 */
#ifndef RC_IO_SHOW_SHOW_H
#define RC_IO_SHOW_SHOW_H

#include "campaign/base/error.h"
#include "io/store/store.h"
#include "io/text/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rc_show_request {
    struct rc_store *metrics; /* open for reading, alone: metrics.h5 */
    const char *dir;          /* of the campaign, as the user says it */
    const char *const *word;  /* at least one */
    size_t word_count;
    const char *kind;      /* of machine; NULL: all */
    bool all;              /* a card for each thing that has all words */
    enum rc_format format; /* text or JSON */
};

/* The suite with rates that the first word is the name of, or NULL. */
const char *rc_show_suite(const struct rc_show_request *request);

/* Where the first word is the name of a suite with rates, writes the rates of all of its
 * kernels, or the card of one.  The other words are that of a kernel, of a variant, "w2"
 * for two workers, and of a rate or its convention.
 *
 * Else writes the card of what fits best, and a line for each of the next best things.  A
 * name in several suites or kinds has as many cards.  RC_EMISSING: nothing has all of
 * the words, with the nearest word where there is one; or no such kind.
 */
int rc_show(const struct rc_show_request *request, FILE *out, struct rc_error *err);

#endif
