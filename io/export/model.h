/* model.h - a performance model in the formats of other tools
 *
 * As io/export/export.h for metrics: a table of formats, each of which writes to a
 * stream.
 */
#ifndef RC_IO_EXPORT_MODEL_H
#define RC_IO_EXPORT_MODEL_H

#include "io/export/export.h"
#include "io/model/model.h"

#include <stdio.h>

struct rc_export_model_choice {
    enum rc_export_table table; /* csv: laws or points */
    bool raw;    /* csv: without marks on texts that a spreadsheet runs */
    bool *holds; /* set if any series was written */
};

struct rc_export_model_format {
    const char *name; /* "extrap" */
    /* 'left_out' gets a line for each thing that the format cannot express: the reason,
     * then a tab and the reason without names; names in it are printable.  ferror()
     * says whether 'out' could be written.
     */
    int (*write)(const struct rc_model *model,
                 const struct rc_export_model_choice *choice, FILE *out, FILE *left_out,
                 struct rc_error *err);
};

/* A format by its name; NULL: no such format. */
const struct rc_export_model_format *rc_export_model_find(const char *name);

#endif
