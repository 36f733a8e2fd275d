/* text.h - reading and writing the numbers and names that people type */
#ifndef RC_CAMPAIGN_BASE_TEXT_H
#define RC_CAMPAIGN_BASE_TEXT_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Readers take the whole string or nothing: "8x" is not 8.  They return 0, or -1 and
 * leave the result alone.  These constants name what they accept, for messages:
 * "expected " RC_TEXT_SIZE.
 */
#define RC_TEXT_COUNT "a whole number"
#define RC_TEXT_REAL "a number"
#define RC_TEXT_SIZE "a size such as 64K, 1.5M or 4096 (K, M, G, T are powers of 1024)"
#define RC_TEXT_DURATION "a duration such as 250ms, 30s, 5m, 1h30m or 2d"
#define RC_TEXT_BOOL "yes or no"

int rc_text_count(const char *text, uint64_t *out);

/* Takes the next range, 'low' to 'high', from a list of CPUs as the kernel writes them,
 * "0-3,8"; *list moves on.  False: nothing is left, or the rest is not such a list.
 */
bool rc_text_next_range(const char **list, unsigned long *low, unsigned long *high);
int rc_text_real(const char *text, double *out); /* finite only */
int rc_text_size(const char *text, uint64_t *bytes);
int rc_text_duration(const char *text, uint64_t *ns);
int rc_text_bool(const char *text, bool *out);

/* Length of the decimal number at 'text', 0 where there is none: "2", "0.5", "1e-3"; an
 * 'e' that no digits follow is not part of it.  Its value, and whether it is a number
 * at all ("1.2.3"), is for rc_text_real() to say.
 */
size_t rc_text_number_length(const char *text);

/* Writers for people: "1.5 MiB", "2.3 s".  'out' holds RC_TEXT_SHORT bytes. */
#define RC_TEXT_SHORT 32
const char *rc_text_put_size(char *out, uint64_t bytes);
const char *rc_text_put_duration(char *out, uint64_t ns);

/* The end of a noun, "%zu event%s": "" for one, else "s". */
const char *rc_text_s(uint64_t count);

/* The word that fits the number: rc_text_plural(n, "is", "are"). */
const char *rc_text_plural(uint64_t count, const char *one, const char *more);

/* "2026-11-21T06:12:03Z", or the plain number for times that no calendar has; 'out'
 * holds RC_TEXT_TIME bytes.
 */
#define RC_TEXT_TIME 64
const char *rc_text_put_time(char *out, int64_t unix_time);

/* Glob over a whole name: * ? [a-z]; \ takes a special character's meaning away.  A
 * name always matches itself.  ':' and '/' are ordinary characters: event names are
 * opaque.
 */
bool rc_text_glob(const char *pattern, const char *name);
bool rc_text_glob_any_case(const char *pattern, const char *name); /* A is a */

/* Index of the name nearest to 'word' among 'names' (ended by NULL), or -1
 * where none is near enough to be meant.
 */
int rc_text_nearest(const char *word, const char *const *names);

/* A printable copy for one line of a terminal: control characters and bytes
 * that are not UTF-8 become '?'.  Cut to 'room' bytes, never inside a
 * character; ends with a 0.  'out' may be 'text'.  Returns 'out'.
 */
const char *rc_text_printable(char *out, size_t room, const char *text);

/* Appends to the text in 'out', which holds 'room' bytes; what does not fit is
 * cut off.
 */
void rc_text_append(char *out, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends "a, b, c": the words of a list that ends with NULL. */
void rc_text_append_list(char *out, size_t room, const char *const *words);

/* The first line of a small file of the system, printable, without its newline and
 * leading blanks; -1 and "" where there is none.
 */
int rc_text_first_line(const char *path, char *out, size_t room);

/* The value in the first line that begins with the word 'key' ("": in the first line):
 * the text after blanks or colons, printable; -1 and "" where there is none.
 */
int rc_text_value_of(const char *path, const char *key, char *out, size_t room);

/* Length in bytes of the UTF-8 character at 's', 0 where there is none. */
size_t rc_text_utf8(const char *s);
bool rc_text_is_utf8(const char *text); /* all of it */
/* The same, with the character's number in *code; U+FFFD where it returns 0. */
size_t rc_text_code_point(const char *s, uint32_t *code);
/* True for characters that nobody sees, that change how others look, or that a terminal
 * obeys: controls, marks and overrides of direction, blanks without a width, ends of
 * lines, tags, and codes that are not characters.
 */
bool rc_text_is_hidden(uint32_t code);

/* 64-bit FNV-1a: stable over machines and releases, for keys in files. */
uint64_t rc_text_hash(const char *text);
uint64_t rc_text_hash_more(uint64_t hash, const void *data, size_t bytes);

enum { RC_DIGEST_TEXT = 17 };
/* Such a key as 16 hexadecimal digits.  Returns 'out'. */
const char *rc_text_put_digest(char out[RC_DIGEST_TEXT], uint64_t hash);

#endif
