/* A comparison as one page of HTML: its JSON, and compare.js, which draws it. */
#include "io/text/html.h"
#include "io/compare/parts.h"

struct page {
    const struct rc_compare *compare;
    bool all; /* show all events of each change */
};

static int write_text(FILE *out, void *context, struct rc_error *err)
{
    const struct page *p = context;

    return rc_compare_write_text(p->compare, p->all, out, err);
}

static int write_json(FILE *out, void *context, struct rc_error *err)
{
    const struct page *p = context;

    return rc_compare_write_json(p->compare, true, out, err);
}

int rc_compare_write_html(const struct rc_compare *compare, bool all, FILE *out,
                          struct rc_error *err)
{
    const struct rc_html_page html = {.title = "rollcall compare",
                                      .simulated = compare->simulated,
                                      .scripts = {rc_html_compare_js}};
    struct page page = {.compare = compare, .all = all};
    const struct rc_file_writer text = {write_text, &page}, json = {write_json, &page};
    int status;

    rc_html_begin(out, &html);
    fprintf(out,
            "<h1>Comparison</h1>\n"
            "<nav class=\"top\" aria-label=\"sections\"><button type=\"button\" "
            "class=\"theme push\">light / dark</button></nav>\n"
            "<div id=\"comparison\"%s></div>\n",
            all ? " data-all=\"1\"" : "");
    if ((status = rc_html_without_script(out, &text, err)) == RC_OK &&
        (status = rc_html_data_of(out, "comparison-data", &json, err)) == RC_OK)
        rc_html_end(out, &html);
    return status;
}
