/* Any bytes as names of links and as UTF-8. Names of kinds and suites may hold any
 * byte but NUL, while HDF5 wants links that are UTF-8 and takes '/' for the end of a
 * group: in links, what does not fit is written as %XX, like in a URL. Texts cannot be
 * decoded in other tools, so a byte that is not UTF-8 becomes U+FFFD in them.
 */
#include "campaign/base/text.h"
#include "io/hdf5/hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

size_t rc_store_utf8(char *out, size_t room, const char *text)
{
    size_t length = 0;

    while (*text) {
        size_t bytes = rc_text_utf8(text), put = bytes ? bytes : sizeof replacement - 1;
        if (room && length + put > room)
            break;
        if (room)
            memcpy(out + length, bytes ? text : replacement, put);
        length += put;
        text += bytes ? bytes : 1;
    }
    return length;
}

/* A link is UTF-8 without '/', and neither "." nor "..". */
char *rc_store_link_of(const char *name)
{
    char *link = malloc(3 * strlen(name) + 1), *at = link;

    if (!link)
        return NULL;
    for (const char *from = name; *from;) {
        size_t bytes = rc_text_utf8(from);
        bool plain = bytes > 0 && (unsigned char)*from >= ' ' && *from != '/' &&
                     *from != '%' && *from != 0x7f && (*from != '.' || from != name);
        if (plain) {
            memcpy(at, from, bytes);
            at += bytes;
            from += bytes;
        } else {
            at += sprintf(at, "%%%02X", (unsigned char)*from++);
        }
    }
    *at = 0;
    return link;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *rc_store_group_path(const char *kind, const char *suite)
{
    char *first = rc_store_link_of(kind),
         *second = suite ? rc_store_link_of(suite) : NULL;
    char *path = NULL;

    if (first && (second || !suite) &&
        asprintf(&path, second ? "/kinds/%s/suites/%s" : "/kinds/%s", first, second) <
            0)
        path = NULL;
    free(first);
    free(second);
    return path;
}

/* A "%" that no two digits follow stays, as in files of others; "%00" does, too, since
 * a name has no NUL.
 */
const char *rc_store_name_of(struct rc_pool *pool, const char *link)
{
    char *name = strdup(link), *at = name;

    if (!name)
        return NULL;
    for (const char *from = name; *from; at++) {
        const bool coded =
            *from == '%' && hex_digit(from[1]) >= 0 && hex_digit(from[2]) >= 0;
        const int byte = coded ? 16 * hex_digit(from[1]) + hex_digit(from[2]) : 0;
        *at = (char)(byte > 0 ? byte : *from);
        from += byte > 0 ? 3 : 1;
    }
    *at = 0;
    const char *copy = rc_pool_copy(pool, name);
    free(name);
    return copy;
}
