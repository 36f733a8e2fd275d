/* Any bytes as a template file, and their first line as a value: refused with one line,
 * or a template that is written as it was read, and whose texts are filled in for a
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

/* Words and the command for a shell are made of the same or refused alike. */
static void fill_command(const struct rc_fill *fill, const char *text)
{
    struct rc_error err = {.text = ""}, other = {.text = ""};
    struct rc_fill_words words;
    char *shell = NULL;
    size_t bytes;
    FILE *out = open_memstream(&shell, &bytes);
    int status = rc_fill_words(fill, "here", text, &words, &err);

    if (!out || rc_fill_command(fill, "here", text, out, &other) != status ||
        strcmp(err.text, other.text) != 0)
        abort();
    fclose(out);
    if (status != RC_OK)
        expect_line(&err);
    else if (!words.count || words.word[words.count] || !shell[0])
        abort();
    rc_fill_words_fini(&words);
    free(shell);
}

static void fill_texts(const struct rc_template *t, const char *value)
{
    struct rc_fill *fill = rc_fill_create();
    char names[1000];

    rc_template_names(t, names, sizeof names);
    for (char *name = strtok(names, ", "); fill && name; name = strtok(NULL, ", "))
        if (name[0] != 'n' && rc_fill_set(fill, name, value, NULL) != RC_OK)
            abort();
    for (size_t i = 0; i < RC_JOB_TEXTS; i++) {
        struct rc_error err = {.text = ""};
        if (strncmp(t->where[i], "fuzz", 4) != 0)
            continue; /* what a scheduler has is tested elsewhere */
        char *text = NULL;
        size_t bytes;
        FILE *out = open_memstream(&text, &bytes);
        if (!fill || !out)
            abort();
        if (rc_fill_text(fill, t->scheduler, t->where[i], t->text[i], out, &err) !=
            RC_OK)
            expect_line(&err);
        fclose(out);
        free(text);
        fill_command(fill, t->text[i]);
    }
    rc_fill_close(fill);
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
        fill_texts(&t, value);
        rc_template_fini(&t);
    } else {
        expect_line(&err);
    }
    free(value);
    return 0;
}
