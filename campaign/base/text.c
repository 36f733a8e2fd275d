/* Numbers, sizes, times and names as people type and read them.
 *
 * The C library's readers take blanks, signs, hexadecimal numbers and what follows a
 * number; people's mistakes have to be refused, so each reader checks the characters
 * itself.  The locale is never set: a point is a decimal point.
 */
#include "campaign/base/text.h"

#include "campaign/base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

int rc_text_count(const char *text, uint64_t *out)
{
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return -1; /* strtoull would take blanks, signs and wrap "-1" around */
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end)
        return -1;
    *out = value;
    return 0;
}

bool rc_text_next_range(const char **list, unsigned long *low, unsigned long *high)
{
    char *end;

    if (!isdigit((unsigned char)**list))
        return false;
    *low = *high = strtoul(*list, &end, 10);
    if (*end == '-') {
        const char *from = end + 1;
        *high = strtoul(from, &end, 10);
        if (end == from)
            return false;
    }
    if (*end && (*end != ',' || !end[1]))
        return false;
    *list = *end ? end + 1 : end;
    return true;
}

/* Reads a finite decimal number at 'text'; *end is the first character after it. */
static int read_decimal(const char *text, double *out, const char **end)
{
    size_t length = strspn(text, "+-0123456789.eE");
    char *stop;

    if (length == 0 || text[0] == 'e' || text[0] == 'E')
        return -1;
    double value = strtod(text, &stop);
    if (stop == text || stop > text + length || !isfinite(value))
        return -1;
    *out = value;
    *end = stop;
    return 0;
}

int rc_text_real(const char *text, double *out)
{
    const char *end;
    double value;

    if (read_decimal(text, &value, &end) || *end)
        return -1;
    *out = value;
    return 0;
}

size_t rc_text_number_length(const char *text)
{
    size_t length = strspn(text, "0123456789.");

    if (length > 0 && (text[length] == 'e' || text[length] == 'E')) {
        size_t sign = text[length + 1] == '-' || text[length + 1] == '+';
        size_t digits = strspn(text + length + 1 + sign, "0123456789");
        if (digits > 0)
            length += 1 + sign + digits;
    }
    return length;
}

/* A unit and its value in bytes or nanoseconds. */
struct scale {
    const char *unit;
    double factor;
};

static const struct scale sizes[] = {
    {"", 1},         {"B", 1},       {"K", 0x1p10},   {"KB", 0x1p10},  {"KiB", 0x1p10},
    {"M", 0x1p20},   {"MB", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30},   {"GB", 0x1p30},
    {"GiB", 0x1p30}, {"T", 0x1p40},  {"TB", 0x1p40},  {"TiB", 0x1p40},
};

static const struct scale durations[] = {
    {"ns", 1},   {"us", 1e3},   {"ms", 1e6},   {"s", 1e9},
    {"m", 6e10}, {"min", 6e10}, {"h", 3.6e12}, {"d", 8.64e13},
};

/* The value of a unit, in lower or upper case; 0 if it is none of them. */
static double factor_of(const struct scale *scales, size_t count, const char *unit,
                        size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(scales[i].unit) == length &&
            strncasecmp(scales[i].unit, unit, length) == 0)
            return scales[i].factor;
    return 0;
}

static int to_u64(double value, uint64_t *out)
{
    if (!(value >= 0) || value >= 0x1p63)
        return -1;
    *out = (uint64_t)(value + 0.5);
    return 0;
}

int rc_text_size(const char *text, uint64_t *bytes)
{
    const char *unit;
    double value;

    if (!isdigit((unsigned char)text[0]) || read_decimal(text, &value, &unit))
        return -1;
    double factor =
        factor_of(sizes, sizeof sizes / sizeof sizes[0], unit, strlen(unit));
    return factor > 0 ? to_u64(value * factor, bytes) : -1;
}

int rc_text_duration(const char *text, uint64_t *ns)
{
    double total = 0;

    do {
        const char *unit;
        double value;
        if (!isdigit((unsigned char)text[0]) || read_decimal(text, &value, &unit))
            return -1;
        size_t length = strcspn(unit, "0123456789");
        double factor =
            factor_of(durations, sizeof durations / sizeof durations[0], unit, length);
        if (factor <= 0)
            return -1;
        total += value * factor;
        text = unit + length;
    } while (*text);
    return to_u64(total, ns);
}

int rc_text_bool(const char *text, bool *out)
{
    static const char *const yes[] = {"yes", "true", "on", "1"};
    static const char *const no[] = {"no", "false", "off", "0"};

    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        bool is_yes = strcasecmp(text, yes[i]) == 0;
        if (is_yes || strcasecmp(text, no[i]) == 0) {
            *out = is_yes;
            return 0;
        }
    }
    return -1;
}

const char *rc_text_put_size(char *out, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    snprintf(out, RC_TEXT_SHORT, value == floor(value) ? "%.0f %s" : "%.1f %s", value,
             units[unit]);
    return out;
}

const char *rc_text_put_duration(char *out, uint64_t ns)
{
    double s = (double)ns / 1e9;

    if (ns < 1000)
        snprintf(out, RC_TEXT_SHORT, "%" PRIu64 " ns", ns);
    else if (s < 1e-3)
        snprintf(out, RC_TEXT_SHORT, "%.1f us", s * 1e6);
    else if (s < 1)
        snprintf(out, RC_TEXT_SHORT, "%.1f ms", s * 1e3);
    else if (s < 120)
        snprintf(out, RC_TEXT_SHORT, "%.1f s", s);
    else if (s < 7200)
        snprintf(out, RC_TEXT_SHORT, "%.0f min", s / 60);
    else
        snprintf(out, RC_TEXT_SHORT, "%.1f h", s / 3600);
    return out;
}

const char *rc_text_plural(uint64_t count, const char *one, const char *more)
{
    return count == 1 ? one : more;
}

const char *rc_text_s(uint64_t count)
{
    return rc_text_plural(count, "", "s");
}

const char *rc_text_put_time(char *out, int64_t unix_time)
{
    const time_t seconds = (time_t)unix_time;
    struct tm parts;

    if (!gmtime_r(&seconds, &parts) ||
        strftime(out, RC_TEXT_TIME, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        snprintf(out, RC_TEXT_TIME, "%" PRId64, unix_time);
    return out;
}

bool rc_text_glob(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

bool rc_text_glob_any_case(const char *pattern, const char *name)
{
    return strcasecmp(pattern, name) == 0 || fnmatch(pattern, name, FNM_CASEFOLD) == 0;
}

/* How many letters have to be inserted, deleted, replaced or swapped with a neighbour
 * (Damerau, Levenshtein; only the last three rows of the table are kept).  Lower and
 * upper case are the same.
 */
static size_t edit_distance(const char *a, const char *b)
{
    enum { MOST = 64 };
    size_t n = strlen(a), m = strlen(b);
    size_t row[3][MOST + 1];

    if (n > MOST || m > MOST)
        return MOST;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (tolower((unsigned char)a[i - 1]) !=
                                         tolower((unsigned char)b[j - 1]));
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

int rc_text_nearest(const char *word, const char *const *names)
{
    size_t length = strlen(word);
    size_t best = length / 3 + 2; /* more edits than this is another word */
    int found = -1;

    if (length == 0)
        return -1;
    for (int i = 0; names[i]; i++) {
        size_t d = edit_distance(word, names[i]);
        if (length >= 3 && strncasecmp(names[i], word, length) == 0)
            d = 1; /* the beginning of a name is nearly the name */
        if (d < best) {
            best = d;
            found = i;
        }
    }
    return found;
}

size_t rc_text_utf8(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;
    size_t length = p[0] < 0x80   ? 1
                    : p[0] < 0xc2 ? 0
                    : p[0] < 0xe0 ? 2
                    : p[0] < 0xf0 ? 3
                    : p[0] < 0xf5 ? 4
                                  : 0;

    if (p[0] == 0)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0; /* overlong, a surrogate, or beyond Unicode */
    return length;
}

size_t rc_text_code_point(const char *s, uint32_t *code)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07}; /* by length */
    const size_t length = rc_text_utf8(s);

    *code = length ? (unsigned char)s[0] & first[length] : 0xfffd;
    for (size_t i = 1; i < length; i++)
        *code = *code << 6 | ((unsigned char)s[i] & 0x3f);
    return length;
}

bool rc_text_is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
           code == 0x61c || code == 0x180e || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
           code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe ||
           (code >= 0xe0000 && code <= 0xe0fff);
}

const char *rc_text_printable(char *out, size_t room, const char *text)
{
    size_t used = 0;

    while (*text) {
        if (*text >= ' ' && *text <= '~' && used + 1 < room) { /* most characters are */
            out[used++] = *text++;
            continue;
        }
        const unsigned char *p = (const unsigned char *)text;
        bool control = p[0] < 0x20 || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
        size_t length = rc_text_utf8(text);
        bool plain = length > 0 && !control;
        size_t wanted = plain ? length : 1;
        if (used + wanted + 1 > room)
            break;
        memmove(out + used, plain ? text : "?", wanted);
        used += wanted;
        text += length ? length : 1;
    }
    out[used] = 0;
    return out;
}

void rc_text_append(char *out, size_t room, const char *format, ...)
{
    size_t used = strlen(out);
    va_list args;

    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 errs */
    vsnprintf(out + used, room - used, format, args);
    va_end(args);
}

void rc_text_append_list(char *out, size_t room, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        rc_text_append(out, room, "%s%s", i ? ", " : "", words[i]);
}

int rc_text_first_line(const char *path, char *out, size_t room)
{
    return rc_text_value_of(path, "", out, room);
}

int rc_text_value_of(const char *path, const char *key, char *out, size_t room)
{
    enum { LINE = 8192 }; /* flags of a processor take thousands of bytes */
    char line[LINE];
    size_t length = strlen(key);
    FILE *stream = fopen(path, "re");
    bool got = false;

    out[0] = 0;
    while (stream && !got && fgets(line, sizeof line, stream)) {
        got = strncmp(line, key, length) == 0 &&
              (length == 0 || strchr(" \t:", line[length]));
        if (!got)
            continue;
        const char *value = line + length + strspn(line + length, " \t:");
        snprintf(out, room, "%.*s", (int)strcspn(value, "\n"), value);
    }
    if (stream)
        fclose(stream);
    rc_text_printable(out, room, out);
    return got ? 0 : -1;
}

uint64_t rc_text_hash_more(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

bool rc_text_is_utf8(const char *text)
{
    while (*text) {
        size_t bytes = rc_text_utf8(text);
        if (bytes == 0)
            return false;
        text += bytes;
    }
    return true;
}

uint64_t rc_text_hash(const char *text)
{
    return rc_text_hash_more(UINT64_C(0xcbf29ce484222325), text, strlen(text));
}

const char *rc_text_put_digest(char out[RC_DIGEST_TEXT], uint64_t hash)
{
    snprintf(out, RC_DIGEST_TEXT, "%016" PRIx64, hash);
    return out;
}
