/* page_lib.h - sections of the report as pages, and what a page must be whatever the
 * names in it are
 */
#ifndef RC_TESTS_PAGE_LIB_H
#define RC_TESTS_PAGE_LIB_H

#include "tests/test.h"

#include "io/report/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#define EVIL                                                                           \
    "</code></title></svg><script>alert(1)</script><img src=x onerror=alert(1)>"

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;

    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* HTML as it should be, and nothing of ours or of a stranger's that runs. */
static void assert_good_page(const char *text)
{
    char path[] = "/tmp/rc_page_XXXXXX", command[80], line[256] = "";
    const int fd = mkstemp(path);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    snprintf(command, sizeof command, "tidy -q -e %s 2>&1", path);
    FILE *tidy = popen(command, "r"); /* NOLINT(cert-env33-c): the path is ours */
    assert_non_null(tidy);
    if (fgets(line, sizeof line, tidy) && !strstr(line, "not found"))
        fail_msg("tidy of the package 'tidy': %s", line);
    pclose(tidy);
    unlink(path);
    assert_null(strstr(text, "<script>alert"));
    assert_null(strstr(text, "<img src"));
    assert_int_equal(count_of(text, "<figure>"), count_of(text, "<svg viewBox"));
}

/* A page of one section: begin, write the section, end. */
struct sheet {
    struct rc_report_page page;
    char *text;
    size_t bytes;
};

static struct rc_report_page *sheet_begin(struct sheet *s,
                                          const struct rc_report *report)
{
    const struct rc_html_page html = {.title = "test"};

    s->page = (struct rc_report_page){.report = report,
                                      .out = open_memstream(&s->text, &s->bytes),
                                      .figures = rc_figures_create()};
    rc_html_begin(s->page.out, &html);
    return &s->page;
}

/* The page, for the caller to free(); 'status' and 'err' are the section's. */
static char *sheet_end(struct sheet *s, int status, const struct rc_error *err)
{
    const struct rc_html_page html = {.title = "test"};

    if (status != RC_OK)
        fail_msg("%s", err->text);
    rc_html_end(s->page.out, &html);
    fclose(s->page.out);
    rc_figures_close(s->page.figures);
    assert_good_page(s->text);
    return s->text;
}

static void assert_said(const char *page, const char *words)
{
    if (!strstr(page, words))
        fail_msg("'%s' is not in: %.3000s", words, strstr(page, "<main"));
}

#endif
