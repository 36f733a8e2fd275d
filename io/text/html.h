/* html.h - pages of HTML that hold everything themselves
 *
 * A page is data and a script of ours that draws them: it needs no network and no other
 * file.  Markup is written with fputs() by those who know it; every text that is not
 * ours goes through the functions here, which escape it.  Whether
 * 'out' could be written, ferror() tells in the end.
 */
#ifndef RC_IO_TEXT_HTML_H
#define RC_IO_TEXT_HTML_H

#include "campaign/base/files/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The frame around the contents of a page. */
struct rc_html_page {
    const char *title;
    bool simulated;         /* a banner says that readings are simulated */
    const char *scripts[5]; /* after the page's own: rc_html_events_js, ...; NULL */
};

/* The beginning up to and with <main>, and the end. */
void rc_html_begin(FILE *out, const struct rc_html_page *page);
void rc_html_end(FILE *out, const struct rc_html_page *page);

/* Text in an element or in an attribute within double quotes.  Bytes that are not UTF-8
 * become U+FFFD; control characters and those that turn the direction of writing are
 * shown as "\n", "\x1b", "\u202e".
 */
void rc_html_put(FILE *out, const char *text);

/* For browsers that run no script: what 'write' writes as text for people, as it is. */
int rc_html_without_script(FILE *out, const struct rc_file_writer *writer,
                           struct rc_error *err);

/* Data for scripts: an element that holds it compressed, as 'rcData(id)' of the
 * page's script reads it.  'id' is ours.  Fails for want of memory only.
 */
int rc_html_data(FILE *out, const char *id, const void *data, size_t bytes,
                 struct rc_error *err);

/* JSON as it is, for scripts: JSON.parse() of the element's text. */
void rc_html_json(FILE *out, const char *id, const char *json);

/* The files of io/report/ and io/compare/ by these names. */
extern const char rc_html_page_css[], rc_html_page_js[], rc_html_figures_js[],
    rc_html_events_js[], rc_html_noise_js[], rc_html_report_js[], rc_html_report_html[],
    rc_html_compare_js[], rc_html_cube_js[], rc_html_profile_js[],
    rc_html_profile_html[];

#endif
