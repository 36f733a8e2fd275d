/* Any bytes as a template file, and their first line as a value: refused with one line,
 * or a template that is written as it was read, and whose header is filled in for a
 * scheduler, or refused with one line.
 */
#include "jobs/fill.h"
#include "jobs/template.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_line(const struct rc_error *err)
{
    if (!err->text[0] || strchr(err->text, '\n'))
        abort();
}

static char *written(const struct rc_template *t)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        abort();
    rc_template_write(t, out);
    fclose(out);
    return text;
}

static void read_back(const struct rc_template *t)
{
    struct rc_error err = {.text = ""};
    struct rc_template back;
    char *text = written(t), *again;

    if (rc_template_from_text(t->scheduler, "back", text, strlen(text), &back, &err) !=
        RC_OK)
        abort();
    again = written(&back);
    if (strcmp(text, again) != 0)
        abort();
    free(again);
    free(text);
    rc_template_fini(&back);
}

static void fill_header(const struct rc_template *t, const char *value)
{
    struct rc_fill *fill = rc_fill_create();
    struct rc_error err = {.text = ""};
    char name[RC_FILL_NAME], *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!fill || !out)
        abort();
    for (const char *at = t->text[RC_JOB_HEADER]; (at = rc_fill_next(at, name));)
        if (name[0] != 'n')
            rc_fill_set(fill, name, value);
    if (rc_fill_header(fill, t->scheduler, t->where[RC_JOB_HEADER],
                       t->text[RC_JOB_HEADER], out, &err) != RC_OK)
        expect_line(&err);
    rc_fill_assign(fill, out);
    fclose(out);
    free(text);
    rc_fill_close(fill);
}

static void list_names(const struct rc_template *t)
{
    char names[1000];

    rc_template_names(t, names, sizeof names);
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", "))
        if (strlen(names) + 70 < sizeof names && !rc_template_uses(t, name))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, '\n', size);
    const size_t first = end ? (size_t)(end - data) : 0, skip = end ? first + 1 : 0;
    char *value = strndup((const char *)data, first);
    struct rc_error err = {.text = ""};
    struct rc_template t;
    size_t count = 0;

    while (rc_schedulers()[count])
        count++;
    const struct rc_scheduler *scheduler = rc_schedulers()[first % count];
    if (rc_template_from_text(scheduler, "fuzz", (const char *)data + skip, size - skip,
                              &t, &err) == RC_OK) {
        read_back(&t);
        fill_header(&t, value);
        list_names(&t);
        rc_template_fini(&t);
    } else {
        expect_line(&err);
    }
    free(value);
    return 0;
}
