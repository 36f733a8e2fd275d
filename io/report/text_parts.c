/* Shared by the sections of the report for a terminal: titles, and the choice of kinds
 * and suites.
 */
#include "io/report/text_parts.h"

#include <string.h>

void rc_report_text_title(struct rc_page *page, const char *text)
{
    rc_page_begin(page, 0);
    fputc('\n', page->out);
    rc_page_styled(page, RC_STYLE_BOLD, "%s", text);
    rc_page_end(page);
}

bool rc_report_text_wants(const struct rc_report *report, const char *kind,
                          const char *suite)
{
    if (report->only_kind && strcmp(report->only_kind, kind) != 0)
        return false;
    return !report->only_suites || !suite ||
           rc_word_find(suite, report->only_suites) >= 0;
}
