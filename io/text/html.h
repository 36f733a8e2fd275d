/* html.h - pages of HTML that hold everything themselves
 *
 * A page needs no network and no other file: its style, its script, its figures and
 * its data are in it.  Markup is written with fputs() by those who know it; every
 * text that is not ours goes through the functions here, which escape it.  Whether
 * 'out' could be written, ferror() tells in the end.
 */
#ifndef RC_IO_TEXT_HTML_H
#define RC_IO_TEXT_HTML_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What goes around the contents of a page. */
struct rc_html_page {
    const char *title;
    bool simulated;         /* a banner says that readings are simulated */
    const char *scripts[4]; /* behind the page's own: rc_html_events_js, ...; NULL */
};

/* The beginning up to and with <main>, and the end. */
void rc_html_begin(FILE *out, const struct rc_html_page *page);
void rc_html_end(FILE *out, const struct rc_html_page *page);

/* Text in an element or in an attribute within double quotes.  What is not UTF-8
 * becomes U+FFFD; control characters and those that turn the direction of writing
 * are shown as "\n", "\x1b", "\u202e".
 */
void rc_html_put(FILE *out, const char *text);

/* The same as rc_html_put(), formatted: numbers and short words, cut to RC_HTML_SAY_MAX
 * - 1 bytes.
 */
#define RC_HTML_SAY_MAX 1024
void rc_html_say(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A name that may be anything: in a <code> that breaks anywhere; one that is very
 * long scrolls in a box.
 */
void rc_html_name(FILE *out, const char *name);

/* The head of a table up to and with <tbody>: its caption, and the heads of the
 * columns, ended by NULL; one with '>' in front is of numbers, one with '-' is not
 * for sorting.  The rows are <tr>; numbers are in <td class="r">, which rc_html_cell
 * writes.  The end is "</tbody></table></div>".
 */
void rc_html_table(FILE *out, const char *caption, const char *const *heads);
void rc_html_table_end(FILE *out);

/* A cell with a number, formatted; and one with a name. */
void rc_html_cell(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rc_html_cell_name(FILE *out, const char *name);

/* Data for scripts: an element that holds it compressed, as 'rcData(id)' of the
 * page's script reads it.  'id' is ours.  Fails for want of memory only.
 */
int rc_html_data(FILE *out, const char *id, const void *data, size_t bytes,
                 struct rc_error *err);

/* JSON as it is, for scripts: JSON.parse() of the element's text. */
void rc_html_json(FILE *out, const char *id, const char *json);

/* The files of io/report/ by these names. */
extern const char rc_html_page_css[], rc_html_page_js[], rc_html_figures_js[],
    rc_html_events_js[], rc_html_noise_js[], rc_html_report_js[], rc_html_report_html[];

#endif
