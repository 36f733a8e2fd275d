/* Reads XML piece by piece, as far as anchor.xml has it: no entities of its own, no
 * namespaces, UTF-8.  Texts are taken apart into room of their own, since escapes make
 * them shorter, never longer.
 */
#include "io/cubex/parts.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

void rc_xml_begin(struct rc_xml *xml, const char *document, size_t bytes, char *room)
{
    *xml = (struct rc_xml){.at = document, .end = document + bytes, .room = room};
}

static int fail_xml(const struct rc_xml *xml, struct rc_error *err, const char *what)
{
    return rc_fail(err, RC_EUSAGE, "%s, %zu bytes before its end", what,
                   (size_t)(xml->end - xml->at));
}

static bool begins(const struct rc_xml *xml, const char *text)
{
    const size_t length = strlen(text);

    return (size_t)(xml->end - xml->at) >= length &&
           strncmp(xml->at, text, length) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct rc_xml *xml)
{
    while (xml->at < xml->end && is_blank(*xml->at))
        xml->at++;
}

/* A character by its number, in UTF-8; it takes fewer bytes than "&#x...;" did. */
static void put_code(struct rc_xml *xml, unsigned long code)
{
    char *to = xml->room + xml->used;

    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        code = '?';
    if (code < 0x80) {
        to[0] = (char)code;
        xml->used += 1;
    } else if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 63));
        xml->used += 2;
    } else if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 63));
        to[2] = (char)(0x80 | (code & 63));
        xml->used += 3;
    } else {
        to[0] = (char)(0xf0 | code >> 18);
        to[1] = (char)(0x80 | (code >> 12 & 63));
        to[2] = (char)(0x80 | (code >> 6 & 63));
        to[3] = (char)(0x80 | (code & 63));
        xml->used += 4;
    }
}

/* What "&...;" stands for; what is none stays as it is. */
static const char *put_escape(struct rc_xml *xml, const char *from, const char *end)
{
    static const struct {
        const char *name;
        char stands_for;
    } known[] = {{"&amp;", '&'},
                 {"&lt;", '<'},
                 {"&gt;", '>'},
                 {"&quot;", '"'},
                 {"&apos;", '\''}};
    const char *semicolon = memchr(from, ';', (size_t)(end - from));

    if (semicolon && semicolon - from >= 3 && semicolon - from <= 10 &&
        from[1] == '#') {
        const bool hex = from[2] == 'x';
        char digits[12] = "", *rest;
        memcpy(digits, from + 2 + hex, (size_t)(semicolon - from) - 2 - hex);
        const unsigned long code = strtoul(digits, &rest, hex ? 16 : 10);
        if (rest != digits && !*rest) {
            /* "&#65;" is 5 bytes: one more than the longest character */
            put_code(xml, code);
            return semicolon + 1;
        }
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i].name);
        if ((size_t)(end - from) >= length &&
            strncmp(from, known[i].name, length) == 0) {
            xml->room[xml->used++] = known[i].stands_for;
            return from + length;
        }
    }
    xml->room[xml->used++] = '&';
    return from + 1;
}

/* Copies a text and takes its escapes apart.  Controls, which XML does not have, become
 * '?', and ends of lines and tabs become blanks.
 */
static const char *take_text(struct rc_xml *xml, const char *from, const char *end)
{
    char *out = xml->room + xml->used;

    while (from < end) {
        if (*from == '&')
            from = put_escape(xml, from, end);
        else
            xml->room[xml->used++] = *from++;
        if (!xml->room[xml->used - 1])
            xml->room[xml->used - 1] = '?';
    }
    xml->room[xml->used++] = 0;
    for (char *c = out; *c; c++)
        if (is_blank(*c))
            *c = ' ';
    return rc_text_printable(out, strlen(out) + 1, out);
}

/* Names of elements and attributes end at a blank, '=', '/' or '>'. */
static const char *take_name(struct rc_xml *xml)
{
    const char *from = xml->at;

    while (xml->at < xml->end && !is_blank(*xml->at) && !strchr("=/>", *xml->at))
        xml->at++;
    return take_text(xml, from, xml->at);
}

static int take_attributes(struct rc_xml *xml, struct rc_error *err)
{
    xml->attributes = 0;
    for (skip_blanks(xml); xml->at < xml->end && *xml->at != '>' && *xml->at != '/';
         skip_blanks(xml)) {
        const char *key = take_name(xml);
        skip_blanks(xml);
        if (!*key || !begins(xml, "="))
            return fail_xml(xml, err, "expected an attribute, NAME=\"...\"");
        xml->at++;
        skip_blanks(xml);
        char quote = '\0';
        if (xml->at < xml->end)
            quote = *xml->at;
        const char *end =
            quote == '"' || quote == '\''
                ? memchr(xml->at + 1, quote, (size_t)(xml->end - xml->at - 1))
                : NULL;
        if (!end || xml->attributes == RC_XML_ATTRIBUTES)
            return fail_xml(xml, err, "expected the value of an attribute in quotes");
        xml->key[xml->attributes] = key;
        xml->value[xml->attributes++] = take_text(xml, xml->at + 1, end);
        xml->at = end + 1;
    }
    xml->empty = begins(xml, "/");
    xml->at += xml->empty;
    return RC_OK;
}

/* What holds nothing for us, with where it ends; whether there was any. */
static int pass_over(struct rc_xml *xml, bool *passed, struct rc_error *err)
{
    static const struct {
        const char *begin, *end;
    } none[] = {{"<?", "?>"}, {"<!--", "-->"}, {"<!DOCTYPE", ">"}};

    *passed = false;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        if (!begins(xml, none[i].begin))
            continue;
        const char *end = memmem(xml->at, (size_t)(xml->end - xml->at), none[i].end,
                                 strlen(none[i].end));
        if (!end)
            return fail_xml(xml, err, "a comment or an instruction does not end");
        xml->at = end + strlen(none[i].end);
        *passed = true;
    }
    return RC_OK;
}

int rc_xml_next(struct rc_xml *xml, struct rc_error *err)
{
    bool passed = true;
    int status = RC_OK;

    if (xml->what == RC_XML_OPEN && xml->empty) {
        xml->what = RC_XML_CLOSE;
        return RC_OK;
    }
    while (passed)
        if ((status = pass_over(xml, &passed, err)) != RC_OK)
            return status;
    if (xml->at == xml->end) {
        xml->what = RC_XML_END;
    } else if (*xml->at != '<') {
        const char *end = memchr(xml->at, '<', (size_t)(xml->end - xml->at));
        xml->what = RC_XML_TEXT;
        end = end ? end : xml->end;
        xml->text = take_text(xml, xml->at, end);
        xml->at = end;
    } else {
        xml->what = begins(xml, "</") ? RC_XML_CLOSE : RC_XML_OPEN;
        xml->at += xml->what == RC_XML_CLOSE ? 2 : 1;
        xml->name = take_name(xml);
        if ((status = take_attributes(xml, err)) != RC_OK)
            return status;
        if (!*xml->name || !begins(xml, ">"))
            return fail_xml(xml, err, "an element does not end");
        xml->at++;
    }
    return RC_OK;
}

const char *rc_xml_value(const struct rc_xml *xml, const char *key)
{
    for (size_t i = 0; i < xml->attributes; i++)
        if (strcmp(xml->key[i], key) == 0)
            return xml->value[i];
    return NULL;
}
