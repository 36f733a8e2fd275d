/* Lays text out for the width, colours and letters of a terminal.
 *
 * Words are written at once: page->at is the number of used columns in the line, and a
 * word that does not fit begins the next line.  Columns are counted by character, by
 * wcwidth() in a UTF-8 locale, whatever the process's locale is.
 */
#include "io/text/terminal.h"

#include "campaign/base/text.h"
#include "io/text/terminal_parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

/* A terminal without a width does not count as one: mpirun puts such terminals between
 * its processes and a file.
 */
void rc_page_init(struct rc_page *page, FILE *out)
{
    const char *columns = getenv("COLUMNS"), *term = getenv("TERM");
    const char *no_colour = getenv("NO_COLOR");
    const int file = fileno(out);
    struct winsize size = {0};
    uint64_t width = RC_PAGE_WIDTH;

    if (file < 0 || !isatty(file) || ioctl(file, TIOCGWINSZ, &size) != 0)
        size.ws_col = 0;
    const bool terminal = size.ws_col > 0;
    if (terminal)
        width = size.ws_col;
    else if (columns && (rc_text_count(columns, &width) != 0 || width == 0))
        width = RC_PAGE_WIDTH;
    width = width < RC_PAGE_LEAST  ? RC_PAGE_LEAST
            : width > RC_PAGE_MOST ? RC_PAGE_MOST
                                   : width;
    *page = (struct rc_page){
        .out = out,
        .width = (size_t)width,
        .whole = !terminal,
        .colour = terminal && term && term[0] && strcmp(term, "dumb") != 0 &&
                  !(no_colour && no_colour[0]),
        .locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0)};
}

void rc_page_fini(struct rc_page *page)
{
    if (page->locale)
        freelocale(page->locale);
    page->locale = (locale_t)0;
}

/* The character at 'text', and how it is shown; bytes that are not UTF-8 are characters
 * of one byte.
 */
struct rc_glyph rc_glyph_at(const struct rc_page *page, const char *text)
{
    uint32_t code;
    const size_t bytes = rc_text_code_point(text, &code);

    if (!text[0])
        return (struct rc_glyph){.shown = text};
    if (bytes == 0 || rc_text_is_hidden(code))
        return (struct rc_glyph){"?", 1, 1, bytes ? bytes : 1};
    if (code < 0x7f || !page->locale)
        return (struct rc_glyph){text, bytes, 1, bytes};
    const locale_t before = uselocale(page->locale);
    const int width = wcwidth((wchar_t)code); /* < 0: the locale does not know it */
    uselocale(before);
    return (struct rc_glyph){text, bytes, width < 0 ? 1 : (size_t)width, bytes};
}

size_t rc_page_columns(const struct rc_page *page, const char *text)
{
    size_t columns = 0;

    for (struct rc_glyph g; (g = rc_glyph_at(page, text)).bytes; text += g.bytes)
        columns += g.columns;
    return columns;
}

size_t rc_page_show(const struct rc_page *page, const char *text, const char *end)
{
    size_t columns = 0;

    for (struct rc_glyph g; text != end && (g = rc_glyph_at(page, text)).bytes;
         text += g.bytes) {
        fwrite(g.shown, 1, g.shown_bytes, page->out);
        columns += g.columns;
    }
    return columns;
}

/* Fits as much of 'text' as possible into *columns, up to a blank if there is one;
 * *columns becomes its width.  If words stay whole, a longer word sticks out.
 */
const char *rc_page_fit(const struct rc_page *page, const char *text, size_t *columns)
{
    const size_t most = *columns;
    const char *at = text, *blank = NULL;
    size_t used = 0, used_at_blank = 0;
    struct rc_glyph g;

    while ((g = rc_glyph_at(page, at)).bytes) {
        if (*at == ' ' && at > text) {
            blank = at;
            used_at_blank = used;
        }
        if (used + g.columns > most && (blank || (!page->whole && at > text)))
            break;
        used += g.columns;
        at += g.bytes;
    }
    *columns = g.bytes && blank ? used_at_blank : used;
    return g.bytes && blank ? blank : at;
}

/* Ends the line, if it is not empty, and indents the next one. */
static void begin_line(struct rc_page *page, size_t indent)
{
    if (page->at)
        fputc('\n', page->out);
    fprintf(page->out, "%*s", (int)indent, "");
    page->at = indent;
}

/* Columns that are left in a line after 'used'. */
static size_t left_of(const struct rc_page *page, size_t used)
{
    return used < page->width ? page->width - used : 0;
}

/* Writes a word that is longer than a line into several lines. */
static void put_broken(struct rc_page *page, const char *word)
{
    for (const char *end; *word; word = end) {
        size_t left = left_of(page, page->at), used = 0;
        for (struct rc_glyph g; (g = rc_glyph_at(page, word)).bytes; word += g.bytes) {
            if (used + g.columns > left && used > 0)
                break;
            fwrite(g.shown, 1, g.shown_bytes, page->out);
            used += g.columns;
        }
        page->at += used;
        end = word;
        if (*end)
            begin_line(page, page->hang);
    }
}

/* Writes a word; 'columns' is its width with the text that must follow directly. */
static void put_word(struct rc_page *page, const char *word, size_t columns)
{
    if (page->at == 0)
        begin_line(page, page->indent);
    else if (columns + 1 > left_of(page, page->at))
        begin_line(page, page->hang);
    else {
        fputc(' ', page->out);
        page->at++;
    }
    if (columns <= left_of(page, page->at) || page->whole)
        page->at += rc_page_show(page, word, NULL);
    else
        put_broken(page, word);
    if (page->at == 0)
        page->at = 1; /* even an empty word begins the line */
}

/* Writes text directly after the last word, or in the next line if it does not fit. */
static void put_tail(struct rc_page *page, const char *text, size_t columns)
{
    if (!page->whole && columns > left_of(page, page->at))
        begin_line(page, page->hang);
    page->at += rc_page_show(page, text, NULL);
}

void rc_page_listed(struct rc_page *page, const char *word, const char *mark)
{
    const size_t columns = rc_page_columns(page, mark);

    put_word(page, word, rc_page_columns(page, word) + columns);
    if (mark[0])
        put_tail(page, mark, columns);
}

void rc_page_word(struct rc_page *page, const char *word)
{
    put_word(page, word, rc_page_columns(page, word));
}

void rc_page_tail(struct rc_page *page, const char *text)
{
    const size_t columns = rc_page_columns(page, text);

    if (page->at == 0)
        put_word(page, text, columns);
    else
        put_tail(page, text, columns);
}

/* One column less, since a blank comes before the word. */
void rc_page_column(struct rc_page *page, size_t column)
{
    const size_t at = column > 1 ? column - 1 : 1;

    if (page->at >= column)
        rc_page_end(page);
    if (page->at < at)
        fprintf(page->out, "%*s", (int)(at - page->at), "");
    page->at = page->at < at ? at : page->at;
}

static void put_words(struct rc_page *page, const char *format, va_list args)
{
    char *text = NULL;

    if (vasprintf(&text, format, args) < 0)
        return; /* no memory, so little that nothing else will work */
    for (char *word = text + strspn(text, " "); *word;) {
        const size_t length = strcspn(word, " ");
        const size_t blanks = strspn(word + length, " ");
        word[length] = 0;
        rc_page_word(page, word);
        word += length + blanks;
    }
    free(text);
}

void rc_page_words(struct rc_page *page, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_words(page, format, args);
    va_end(args);
}

void rc_page_line(struct rc_page *page, size_t indent, const char *format, ...)
{
    va_list args;

    rc_page_begin(page, indent);
    va_start(args, format);
    put_words(page, format, args);
    va_end(args);
}

void rc_page_end(struct rc_page *page)
{
    if (page->at)
        fputc('\n', page->out);
    page->at = 0;
}

void rc_page_begin(struct rc_page *page, size_t indent)
{
    rc_page_end(page);
    page->indent = indent;
    page->hang = indent + 2;
}

void rc_page_text(struct rc_page *page, char *text)
{
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = 0;
        if (rc_page_columns(page, line) <= page->width) {
            (void)rc_page_show(page, line, NULL);
            fputc('\n', page->out);
            continue;
        }
        rc_page_begin(page, strspn(line, " "));
        for (char *at = line, *word; (word = strsep(&at, " "));)
            if (word[0])
                rc_page_word(page, word);
        rc_page_end(page);
    }
}

/* By ANSI escape sequences. */
void rc_page_style(struct rc_page *page, enum rc_style style)
{
    static const char *const code[] = {
        [RC_STYLE_PLAIN] = "0", [RC_STYLE_BOLD] = "1",  [RC_STYLE_DIM] = "2",
        [RC_STYLE_BAD] = "31",  [RC_STYLE_GOOD] = "32", [RC_STYLE_DOUBTFUL] = "33"};

    if (page->colour)
        fprintf(page->out, "\x1b[%sm", code[style]);
}

void rc_page_styled(struct rc_page *page, enum rc_style style, const char *format, ...)
{
    va_list args;

    rc_page_style(page, style);
    va_start(args, format);
    put_words(page, format, args);
    va_end(args);
    rc_page_style(page, RC_STYLE_PLAIN);
}
