/* words.h - the words that every room shares, as numbers with names */
#ifndef RC_CAMPAIGN_BASE_WORDS_H
#define RC_CAMPAIGN_BASE_WORDS_H

#include "campaign/base/error.h"

#include <stdbool.h>

/* The part of a machine that an event belongs to, from the smallest to the largest.
 * The numbers are stored in files: append only.
 */
enum rc_scope {
    RC_SCOPE_CORE,
    RC_SCOPE_L2,
    RC_SCOPE_L3,
    RC_SCOPE_NUMA,
    RC_SCOPE_PACKAGE,
    RC_SCOPE_NODE,
    RC_SCOPE_DEVICE,
    RC_SCOPE_COUNT
};

/* The result of trying an event (add, start, read).  Stored in files. */
enum rc_verdict {
    RC_VERDICT_UNTRIED,
    RC_VERDICT_OK,
    RC_VERDICT_NOT_PERMITTED,
    RC_VERDICT_UNSUPPORTED,
    RC_VERDICT_CANNOT_SCHEDULE,
    RC_VERDICT_COUNTS_NOTHING,
    RC_VERDICT_COUNT
};

/* "core", "not permitted", ...  rc_*_names() end with NULL. */
const char *rc_scope_name(enum rc_scope scope);
const char *const *rc_scope_names(void);
const char *rc_verdict_name(enum rc_verdict verdict);
const char *const *rc_verdict_names(void);

/* The status of a function that fails for the reason that a verdict gives. */
enum rc_status rc_verdict_status(enum rc_verdict verdict);

/* Index of 'word' among 'names' (ended by NULL), or -1. */
int rc_word_find(const char *word, const char *const *names);

/* Whether "a, b, c", with commas or blanks between its words, has 'word'. */
bool rc_word_listed(const char *list, const char *word);

#endif
