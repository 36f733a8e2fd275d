/* model_parts.h - shared by the formats of models */
#ifndef RC_IO_EXPORT_MODEL_PARTS_H
#define RC_IO_EXPORT_MODEL_PARTS_H

#include "io/export/model.h"

/* model_tables.c */
int rc_export_model_csv(const struct rc_model *model,
                        const struct rc_export_model_choice *choice, FILE *out,
                        FILE *left_out, struct rc_error *err);
int rc_export_model_json(const struct rc_model *model,
                         const struct rc_export_model_choice *choice, FILE *out,
                         FILE *left_out, struct rc_error *err);

#endif
