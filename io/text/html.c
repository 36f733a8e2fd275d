/* Writes the parts of a page of HTML around its data: text escaped, style and scripts.
 *
 * Names of events, kinds and files come from strangers.  Besides markup, invisible
 * characters and those that change how others are shown are escaped, so that no name
 * can look like another one.
 */
#include "io/text/html.h"

#include "campaign/base/text.h"
#include "io/text/deflate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void rc_html_put(FILE *out, const char *text)
{
    for (size_t length; *text; text += length ? length : 1) {
        uint32_t code;
        length = rc_text_code_point(text, &code);
        if (length == 0)
            fputs("\xef\xbf\xbd", out);
        else if (code == '\n')
            fputs("\\n", out);
        else if (code == '\t')
            fputs("\\t", out);
        else if (rc_text_is_hidden(code))
            fprintf(out, code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code);
        else if (code == '&')
            fputs("&amp;", out);
        else if (code == '<')
            fputs("&lt;", out);
        else if (code == '>')
            fputs("&gt;", out);
        else if (code == '"')
            fputs("&quot;", out);
        else if (code == '\'')
            fputs("&#39;", out);
        else
            fwrite(text, 1, length, out);
    }
}

/* Lines stay; everything else in them is escaped. */
int rc_html_without_script(FILE *out, const struct rc_file_writer *writer,
                           struct rc_error *err)
{
    char *text = NULL, *rest, *line;
    size_t bytes = 0;
    int status = rc_file_to_memory(&text, &bytes, writer, err);

    fputs("<noscript>\n<p>Without its script the page is no more than this text.</p>\n"
          "<pre>",
          out);
    for (rest = text; status == RC_OK && (line = strsep(&rest, "\n"));) {
        rc_html_put(out, line);
        fputs(rest ? "\n" : "", out);
    }
    fputs("</pre>\n</noscript>\n", out);
    free(text);
    return status;
}

int rc_html_data(FILE *out, const char *id, const void *data, size_t bytes,
                 struct rc_error *err)
{
    fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
    int status = rc_deflate(out, data, bytes, err);
    fputs("</script>\n", out);
    return status;
}

int rc_html_data_of(FILE *out, const char *id, const struct rc_file_writer *writer,
                    struct rc_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    int status = rc_file_to_memory(&text, &bytes, writer, err);

    if (status == RC_OK && bytes > 1) /* more than the end of a line */
        status = rc_html_data(out, id, text, bytes, err);
    free(text);
    return status;
}

/* "</script>" in a text would end the element: so '<' and hidden characters are written
 * by their numbers.  They occur only in texts, where JSON allows that.
 */
void rc_html_json(FILE *out, const char *id, const char *json)
{
    fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
    while (*json) {
        uint32_t code;
        const size_t length = rc_text_code_point(json, &code);
        if (code != '<' && (code == '\n' || !rc_text_is_hidden(code)))
            fwrite(json, 1, length ? length : 1, out);
        else if (code < 0x10000)
            fprintf(out, "\\u%04x", (unsigned)code);
        else /* beyond 16 bits JSON needs two numbers for a character */
            fprintf(out, "\\u%04x\\u%04x",
                    (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
                    (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
        json += length ? length : 1;
    }
    fputs("</script>\n", out);
}

/* The policy forbids the page to load or send anything, whatever its data are; its own
 * styles and scripts run.
 */
void rc_html_begin(FILE *out, const struct rc_html_page *page)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
          "base-uri 'none'; form-action 'none'\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    rc_html_put(out, page->title);
    fputs("</title>\n<style>\n", out);
    fputs(rc_html_page_css, out);
    fputs("</style>\n</head>\n<body>\n"
          "<a class=\"skip\" href=\"#main\">to the contents</a>\n",
          out);
    if (page->simulated)
        fputs("<p class=\"simulated\" role=\"note\"><strong>Simulated:</strong> "
              "readings on this page, or some of them, were made up by a model of a "
              "machine or by a simulator and not counted by hardware.</p>\n",
              out);
    fputs("<main id=\"main\" tabindex=\"-1\">\n", out);
}

void rc_html_end(FILE *out, const struct rc_html_page *page)
{
    fputs("</main>\n<script>\n", out);
    fputs(rc_html_page_js, out);
    fputs("</script>\n", out);
    for (size_t i = 0; i < sizeof page->scripts / sizeof *page->scripts; i++)
        if (page->scripts[i]) {
            fputs("<script>\n", out);
            fputs(page->scripts[i], out);
            fputs("</script>\n", out);
        }
    fputs("</body>\n</html>\n", out);
}

static bool is_wanted(const struct rc_html_panel *panel, const void *page)
{
    return !panel->wanted || panel->wanted(page);
}

void rc_html_panels(FILE *out, const char *id, const struct rc_html_panel *panel,
                    const void *page)
{
    fputs("<ul class=\"sum\" id=\"summary\"></ul>\n"
          "<nav class=\"top\" aria-label=\"sections\">\n",
          out);
    for (const struct rc_html_panel *p = panel; p->id; p++)
        if (is_wanted(p, page))
            fprintf(out, "<a href=\"#%s\">%s</a>\n", p->id,
                    p->link ? p->link : p->title);
    fprintf(out,
            "<button type=\"button\" class=\"theme push\">light / dark</button>\n"
            "</nav>\n<div id=\"%s\" hidden>\n",
            id);
    for (const struct rc_html_panel *p = panel; p->id; p++)
        if (p->markup)
            fputs(p->markup, out);
        else if (is_wanted(p, page))
            fprintf(out, "<h2 id=\"%s\">%s</h2>\n<div id=\"%s-all\"></div>\n", p->id,
                    p->title, p->id);
    fputs("</div>\n", out);
}

/* A panel whose data are written, of a page. */
struct data {
    const struct rc_html_panel *panel;
    const void *page;
};

static int write_panel(FILE *out, void *context, struct rc_error *err)
{
    const struct data *d = context;
    struct rc_json json;

    rc_json_begin(&json, out)->compact = true;
    const int status = d->panel->put(&json, d->page, err);
    rc_json_close(&json);
    return status;
}

int rc_html_panels_data(FILE *out, const struct rc_html_panel *panel, const void *page,
                        struct rc_error *err)
{
    int status = RC_OK;

    for (const struct rc_html_panel *p = panel; p->id && status == RC_OK; p++) {
        struct data data = {p, page};
        const struct rc_file_writer writer = {write_panel, &data};
        char id[64];
        snprintf(id, sizeof id, "%s-data", p->id);
        if (p->put && is_wanted(p, page))
            status = rc_html_data_of(out, id, &writer, err);
    }
    return status;
}
