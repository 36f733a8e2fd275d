/* html.h - self-contained pages of HTML
 *
 * A page is data and a script of rollcall's that draws them: it needs no network and no
 * other file.  Constant markup is written with fputs(); all other text goes through the
 * functions here, which escape it. ferror() says at the end whether 'out' could be
 * written.
 */
#ifndef RC_IO_TEXT_HTML_H
#define RC_IO_TEXT_HTML_H

#include "campaign/base/files/file.h"
#include "io/text/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The frame of a page. */
struct rc_html_page {
    const char *title;
    bool simulated;         /* show a banner that readings are simulated */
    const char *scripts[5]; /* after the page's own: rc_html_events_js, ...; NULL */
};

/* The beginning up to <main>, and the end. */
void rc_html_begin(FILE *out, const struct rc_html_page *page);
void rc_html_end(FILE *out, const struct rc_html_page *page);

/* Writes text in an element or in an attribute within double quotes.  Bytes that are
 * not UTF-8 become U+FFFD; control characters and those that change the direction of
 * writing are shown as "\n", "\x1b", "\u202e".
 */
void rc_html_put(FILE *out, const char *text);

/* For browsers without scripts: the text that 'write' writes for people. */
int rc_html_without_script(FILE *out, const struct rc_file_writer *writer,
                           struct rc_error *err);

/* Data for scripts: an element with compressed data, which 'rcData(id)' of the page's
 * script reads.  'id' is not escaped.  Fails only for lack of memory.
 */
int rc_html_data(FILE *out, const char *id, const void *data, size_t bytes,
                 struct rc_error *err);

/* The same of what 'writer' writes; nothing, if that is nothing but an end of line. */
int rc_html_data_of(FILE *out, const char *id, const struct rc_file_writer *writer,
                    struct rc_error *err);

/* JSON in clear text, for scripts: JSON.parse() of the element's text. */
void rc_html_json(FILE *out, const char *id, const char *json);

/* A panel of a page: a row of the page's table, and one of the registry in its script,
 * which says what fills the element "ID-all".  The page is made from 'page'.
 */
struct rc_html_panel {
    const char *id;                   /* of the heading; NULL ends the table */
    const char *title;                /* the heading */
    const char *link;                 /* words of the link to it; NULL: the title */
    const char *markup;               /* in place of heading and element; NULL: those */
    bool (*wanted)(const void *page); /* NULL: always */

    /* Its data, which the page holds as "ID-data" if there are any; NULL: none. */
    int (*put)(struct rc_json *json, const void *page, struct rc_error *err);
};

/* Writes the links, then the panels in an element 'id', which the script shows. */
void rc_html_panels(FILE *out, const char *id, const struct rc_html_panel *panel,
                    const void *page);
/* Writes their data. */
int rc_html_panels_data(FILE *out, const struct rc_html_panel *panel, const void *page,
                        struct rc_error *err);

/* The files of io/report/ and io/compare/ by these names. */
extern const char rc_html_page_css[], rc_html_page_js[], rc_html_figures_js[],
    rc_html_events_js[], rc_html_noise_js[], rc_html_rates_js[], rc_html_report_js[],
    rc_html_metrics_html[], rc_html_words_html[], rc_html_compare_js[],
    rc_html_cube_js[], rc_html_profile_js[];

#endif
