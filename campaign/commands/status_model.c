/* The status of a directory that holds a performance model: what it was made from, and
 * the commands that read it.
 */
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/commands/status_parts.h"
#include "io/model/model.h"

#include <stdio.h>

static RC_COLUMNS(columns, RC_TEXT("model"), RC_NUMBER("series"), RC_NUMBER("kernels"),
                  RC_NUMBER("metrics"), RC_NUMBER("points"), RC_TEXT("parameters"),
                  RC_TEXT("origin"), RC_TEXT("method"), RC_TEXT("simulated"));

static void print_text(const char *path, const struct rc_model *model,
                       const char *parameters)
{
    const struct rc_measured *m = model->measured;
    char printable[PATH_MAX], origin[256], by[256], when[RC_TEXT_TIME];

    printf("%s: a performance model of %zu series (kernels %zu, metrics %zu), measured "
           "at %zu point%s of %s%s\n",
           rc_text_printable(printable, sizeof printable, path), m->series, m->kernels,
           m->metrics, m->points, rc_text_s(m->points),
           rc_text_printable(by, sizeof by, parameters),
           model->simulated ? "; SIMULATED: some of the numbers are" : "");
    printf("made %s by %s from %s, method %s\n",
           rc_text_put_time(when, model->unix_time),
           rc_text_printable(by, sizeof by, model->created_by),
           rc_text_printable(origin, sizeof origin, m->origin), model->method);
    printf("'rollcall model DIR' shows it, with --predict what it says of other "
           "points; 'rollcall export DIR' writes it for other tools\n");
}

int rc_status_model(const char *dir, enum rc_format format, struct rc_error *err)
{
    struct rc_json stream, *json = rc_rows_json(format, &stream, stdout);
    char path[PATH_MAX], parameters[256] = "", number[4][24];
    struct rc_model *model = NULL;
    int status = rc_path(path, sizeof path, err, "%s/" RC_MODEL_FILE, dir);

    if (status != RC_OK || (status = rc_model_read(path, &model, err)) != RC_OK)
        return status;
    const struct rc_measured *m = model->measured;
    for (size_t i = 0; i < m->parameters; i++)
        rc_text_append(parameters, sizeof parameters, "%s%s", i ? ", " : "",
                       m->parameter[i]);
    if (format == RC_FORMAT_TEXT) {
        print_text(path, model, parameters);
    } else {
        const size_t counts[] = {m->series, m->kernels, m->metrics, m->points};
        if (json) {
            rc_json_object(json, NULL);
            rc_json_array(json, "models");
        }
        rc_rows_head(stdout, format, columns);
        struct rc_rows *rows = rc_rows_create(stdout, format, columns, json);
        for (size_t i = 0; i < 4; i++)
            snprintf(number[i], sizeof number[i], "%zu", counts[i]);
        RC_ROWS_PUT(rows, path, number[0], number[1], number[2], number[3], parameters,
                    m->origin, model->method, model->simulated ? "yes" : "no");
        status = rc_rows_end(rows, status, err);
        rc_json_close(json);
    }
    rc_model_close(model);
    return status;
}
