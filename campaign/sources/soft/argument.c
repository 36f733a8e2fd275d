/* Reads the argument of the soft source: sizes of simulated caches and TLB, prefetcher
 * and predictor.  Each setting is a row of the table 'settings'.
 */
#include "campaign/sources/soft/argument.h"

#include "campaign/base/text.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_CACHE (UINT64_C(1) << 30) /* bytes */
#define MOST_WAYS 64u

/* Caches are small, so that chains that outgrow the last level stay cheap to step.
 * Each level is four times the one before, so that some sizes hit in it alone.  The
 * data of the core suites fit into L1.  A way is not larger than a page, so that
 * conflicts do not depend on where the system puts pages.
 */
static const struct rc_soft_options defaults = {
    .geometry = {.l1d = {4096, 8},
                 .l1i = {4096, 8},
                 .l2 = {16384, 8},
                 .l3 = {65536, 16},
                 .line_bytes = 64,
                 .page_bytes = 4096,
                 .dtlb_entries = 16},
    .dtlb_ways = 16,
    .predictor_entries = 4096,
    .window = 32,
};

/* One "key=value" of the argument. */
struct setting {
    const char *key;
    int (*take)(const struct setting *setting, struct rc_soft_options *out,
                const char *value, struct rc_error *err);
    size_t at; /* offset in struct rc_soft_options of a cache, number or bool */
    uint32_t least, most;    /* of a number */
    bool power_of_two, must; /* the number has to be one; the cache cannot be "none" */
    const char *words[3];    /* for false and for true; NULL after them */
};

/* "32K/8", or "none". */
static int take_cache(const struct setting *setting, struct rc_soft_options *out,
                      const char *value, struct rc_error *err)
{
    struct rc_cache_geometry *cache = (void *)((char *)out + setting->at);
    char size[32];
    const char *slash = strchr(value, '/');
    uint64_t bytes, ways;

    if (strcmp(value, "none") == 0 && setting->must)
        return rc_fail(err, RC_EUSAGE,
                       "soft: l1d=none: expected SIZE/WAYS; there is always an L1 data "
                       "cache");
    if (strcmp(value, "none") == 0) {
        *cache = (struct rc_cache_geometry){0};
        return RC_OK;
    }
    snprintf(size, sizeof size, "%.*s", (int)strcspn(value, "/"), value);
    if (!slash || rc_text_size(size, &bytes) || rc_text_count(slash + 1, &ways) ||
        bytes == 0 || bytes > LARGEST_CACHE || ways == 0 || ways > MOST_WAYS)
        return rc_fail(err, RC_EUSAGE,
                       "soft: %s=%s: expected SIZE/WAYS such as 32K/8, at most 1G and "
                       "%u ways, or none",
                       setting->key, value, MOST_WAYS);
    *cache = (struct rc_cache_geometry){bytes, (uint32_t)ways};
    return RC_OK;
}

static bool is_power_of_two(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

static int take_number(const struct setting *setting, struct rc_soft_options *out,
                       const char *value, struct rc_error *err)
{
    uint32_t *number = (void *)((char *)out + setting->at);
    uint64_t given;

    if (rc_text_count(value, &given) || given < setting->least ||
        given > setting->most || (setting->power_of_two && !is_power_of_two(given)))
        return rc_fail(err, RC_EUSAGE, "soft: %s=%s: expected a %s from %u to %u",
                       setting->key, value,
                       setting->power_of_two ? "power of two" : "whole number",
                       setting->least, setting->most);
    *number = (uint32_t)given;
    return RC_OK;
}

/* "64" is fully associative, "64/4" has 16 sets of 4. */
static int take_dtlb(const struct setting *setting, struct rc_soft_options *out,
                     const char *value, struct rc_error *err)
{
    char entries[32];
    const char *slash = strchr(value, '/');
    uint64_t count, ways = 0;

    (void)setting;
    snprintf(entries, sizeof entries, "%.*s", (int)strcspn(value, "/"), value);
    if (rc_text_count(entries, &count) || count == 0 || count > 65536 ||
        (slash && (rc_text_count(slash + 1, &ways) || ways == 0 || count % ways)) ||
        (!slash && count > 4096))
        return rc_fail(err, RC_EUSAGE,
                       "soft: dtlb=%s: expected ENTRIES up to 4096, or ENTRIES/WAYS up "
                       "to 65536 that divide into sets",
                       value);
    out->geometry.dtlb_entries = (uint32_t)count;
    out->dtlb_ways = (uint32_t)(slash ? ways : count);
    return RC_OK;
}

/* One of two words. */
static int take_word(const struct setting *setting, struct rc_soft_options *out,
                     const char *value, struct rc_error *err)
{
    bool *second = (void *)((char *)out + setting->at);
    const int word = rc_word_find(value, setting->words);

    if (word < 0)
        return rc_fail(err, RC_EUSAGE, "soft: %s=%s: expected %s or %s", setting->key,
                       value, setting->words[0], setting->words[1]);
    *second = word == 1;
    return RC_OK;
}

#define SETTING(word, taker, member)                                                   \
    .key = (word), .take = (taker), .at = offsetof(struct rc_soft_options, member)

static const struct setting settings[] = {
    {SETTING("l1d", take_cache, geometry.l1d), .must = true},
    {SETTING("l1i", take_cache, geometry.l1i)},
    {SETTING("l2", take_cache, geometry.l2)},
    {SETTING("l3", take_cache, geometry.l3)},
    {SETTING("line", take_number, geometry.line_bytes), .least = 16, .most = 1024,
     .power_of_two = true},
    {SETTING("dtlb", take_dtlb, dtlb_ways)},
    {SETTING("prefetch", take_word, next_line), .words = {"none", "next"}},
    {SETTING("predictor", take_number, predictor_entries), .least = 16, .most = 1 << 20,
     .power_of_two = true},
    {SETTING("window", take_number, window), .most = 256},
    {SETTING("steps", take_word, trapped), .words = {"direct", "trapped"}},
};
#define SETTINGS (sizeof settings / sizeof settings[0])

/* Takes one "key=value" of the list; 'seen' has a bit for each key.  The error of an
 * unknown key names the nearest one.
 */
static int take_setting(struct rc_soft_options *out, char *item, unsigned *seen,
                        struct rc_error *err)
{
    const char *names[SETTINGS + 2] = {[SETTINGS] = "host"};
    char *equals = strchr(item, '=');
    size_t i = 0;

    if (equals)
        *equals = 0;
    while (i < SETTINGS && strcmp(settings[i].key, item) != 0) {
        names[i] = settings[i].key;
        i++;
    }
    if (i == SETTINGS) {
        const int nearest = rc_text_nearest(item, names);
        if (nearest >= 0)
            return rc_fail(err, RC_EUSAGE,
                           "soft: unknown setting '%s', did you mean '%s'?", item,
                           names[nearest]);
        return rc_fail(err, RC_EUSAGE, "soft: unknown setting '%s', expected %s", item,
                       RC_SOFT_ARGUMENT);
    }
    if (!equals)
        return rc_fail(err, RC_EUSAGE, "soft: '%s': expected %s=VALUE", item, item);
    if (*seen >> i & 1)
        return rc_fail(err, RC_EUSAGE, "soft: '%s' is given twice", item);
    *seen |= 1u << i;
    return settings[i].take(&settings[i], out, equals + 1, err);
}

/* "host": takes the caches of this machine, and defaults for what is not known. */
static int take_host(struct rc_soft_options *out, const struct rc_geometry *host,
                     struct rc_error *err)
{
    if (!host || !host->l1d.bytes)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "soft: host: the cache sizes of this machine are not known");
    out->geometry = *host;
    if (!is_power_of_two(host->line_bytes))
        out->geometry.line_bytes = defaults.geometry.line_bytes;
    if (!is_power_of_two(host->page_bytes))
        out->geometry.page_bytes = defaults.geometry.page_bytes;
    if (!host->dtlb_entries)
        out->geometry.dtlb_entries = 64;
    out->dtlb_ways = out->geometry.dtlb_entries;
    return RC_OK;
}

/* Checks that each cache divides into sets: sizes that a user gave are not rounded. */
static int check_sets(const struct rc_geometry *g, struct rc_error *err)
{
    const struct {
        const char *key;
        struct rc_cache_geometry cache;
    } caches[] = {{"l1d", g->l1d}, {"l1i", g->l1i}, {"l2", g->l2}, {"l3", g->l3}};

    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        if (caches[i].cache.bytes &&
            caches[i].cache.bytes % ((uint64_t)caches[i].cache.ways * g->line_bytes))
            return rc_fail(
                err, RC_EUSAGE,
                "soft: %s: %llu bytes do not divide into sets of %u lines of "
                "%u bytes",
                caches[i].key, (unsigned long long)caches[i].cache.bytes,
                caches[i].cache.ways, g->line_bytes);
    return RC_OK;
}

int rc_soft_argument(const char *text, const struct rc_geometry *host,
                     struct rc_soft_options *out, struct rc_error *err)
{
    char copy[512];
    unsigned seen = 0;
    bool is_host = false;

    *out = defaults;
    if (!text || !text[0])
        return RC_OK;
    if (strlen(text) >= sizeof copy)
        return rc_fail(err, RC_EUSAGE, "soft: the argument is too long, expected %s",
                       RC_SOFT_ARGUMENT);
    memcpy(copy, text, strlen(text) + 1);
    for (char *item = copy, *next; item; item = next) {
        int status;
        next = strchr(item, ',');
        if (next)
            *next++ = 0;
        if (strcmp(item, "host") == 0 && item == copy) {
            status = take_host(out, host, err);
            is_host = true;
        } else {
            status = take_setting(out, item, &seen, err);
        }
        if (status != RC_OK)
            return status;
    }
    return is_host ? RC_OK : check_sets(&out->geometry, err);
}

static void put_cache(char *out, size_t room, const char *key,
                      struct rc_cache_geometry cache)
{
    if (cache.bytes)
        rc_text_append(out, room, "%s=%llu/%u,", key, (unsigned long long)cache.bytes,
                       cache.ways);
    else
        rc_text_append(out, room, "%s=none,", key);
}

void rc_soft_argument_put(const struct rc_soft_options *options, char *out, size_t room)
{
    const struct rc_geometry *g = &options->geometry;

    out[0] = 0;
    put_cache(out, room, "l1d", g->l1d);
    put_cache(out, room, "l1i", g->l1i);
    put_cache(out, room, "l2", g->l2);
    put_cache(out, room, "l3", g->l3);
    rc_text_append(out, room, "line=%u,dtlb=%u/%u,prefetch=%s,predictor=%u,window=%u",
                   g->line_bytes, g->dtlb_entries, options->dtlb_ways,
                   options->next_line ? "next" : "none", options->predictor_entries,
                   options->window);
    if (options->trapped)
        rc_text_append(out, room, ",steps=trapped");
}
