/* Any bytes as measurements of another tool, or as those of one run: refused with one
 * line, or numbers that are finite and from 0 on, with names that can be shown.
 */
#include "io/model/parts.h"

#include "campaign/base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
    if (!good)
        abort();
}

static void check_name(const char *name)
{
    must(*name && strlen(name) < RC_MEASURED_NAME && rc_text_is_utf8(name) &&
         !strpbrk(name, "\n\033"));
}

static void check(const struct rc_measured *m)
{
    must(m->parameters > 0 && m->parameters <= RC_MEASURED_PARAMETERS && m->series > 0);
    for (size_t i = 0; i < m->parameters; i++)
        check_name(m->parameter[i]);
    for (size_t i = 0; i < m->points * m->parameters; i++)
        must(isfinite(m->at[i]) && m->at[i] > 0);
    for (size_t i = 0; i < m->kernels; i++)
        check_name(m->kernel[i]);
    for (size_t i = 0; i < m->metrics; i++)
        check_name(m->metric[i].name);
    for (size_t i = 0; i < m->series; i++) {
        const struct rc_measured_series *s = &m->of[i];
        must(s->kernel < m->kernels && s->metric < m->metrics && s->first[0] == 0);
        for (size_t p = 0; p < m->points; p++)
            must(s->first[p] <= s->first[p + 1]);
        for (size_t k = 0; k < s->first[m->points]; k++)
            must(isfinite(s->value[k]) && s->value[k] >= 0);
    }
}

static int put(void *context, const char *name, double value)
{
    (void)value;
    must(context && *name);
    return RC_OK;
}

static int read_run(const struct rc_measured_run *run, char *text, size_t size,
                    struct rc_measured_draft **draft, struct rc_error *err)
{
    static const char *const parameter[] = {"p"};
    char *copy = malloc(size + 1);

    must(copy && rc_measured_begin(parameter, 1, draft, err) == RC_OK);
    memcpy(copy, text, size + 1);
    if (run->head)
        (void)run->head(copy, size, put, copy, err);
    free(copy);
    return run->add(text, size, (double[]){4}, *draft, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rc_error err;
    struct rc_measured_draft *draft = NULL;
    struct rc_measured *m = NULL;
    char *text = malloc(size + 1);
    int status = RC_EUSAGE;

    must(text);
    memcpy(text, data, size);
    text[size] = 0;
    strcpy(err.text, "no format");
    if (rc_measured_cubex.is(text, size)) {
        status = read_run(&rc_measured_cubex, text, size, &draft, &err);
    } else if (rc_measured_cali.is(text, size)) {
        status = read_run(&rc_measured_cali, text, size, &draft, &err);
    } else {
        const struct rc_measured_form *form = rc_measured_find_form(text, size);
        err.text[0] = form ? 0 : 'n';
        if (form)
            status = form->read(text, size, &draft, &err);
    }
    if (status == RC_OK)
        status = rc_measured_end(draft, "", &m, &err);
    else
        rc_measured_drop(draft);
    if (status == RC_OK)
        check(m);
    else
        must(err.text[0] && !strchr(err.text, '\n') && !m);
    rc_measured_close(m);
    free(text);
    return 0;
}
