/* The formats of results that can be imported, and their common parts.  A new one is a
 * file with its descriptor, and a line here.
 */
#include "io/import/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct rc_import_format *const formats[] = {&rc_import_cat, NULL};

const struct rc_import_format *const *rc_import_formats(void)
{
    return formats;
}

const struct rc_import_format *rc_import_find(const char *name)
{
    for (size_t i = 0; formats[i]; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

void rc_import_file_fini(struct rc_import_file *file)
{
    for (size_t i = 0; i < file->point_count; i++)
        free(file->point[i].name);
    free(file->point);
    free(file->basis);
    free(file->number);
    *file = (struct rc_import_file){0};
}

/* Files of one suite are imported together if their points are the same; NAN equals
 * NAN.
 */
bool rc_import_is_alike(const struct rc_import_file *a, const struct rc_import_file *b)
{
    if (a->suite != b->suite || a->point_count != b->point_count)
        return false;
    for (size_t i = 0; i < a->point_count; i++) {
        const struct rc_import_point *x = &a->point[i], *y = &b->point[i];
        if (strcmp(x->name, y->name) != 0 ||
            memcmp(x->axis, y->axis, sizeof x->axis) != 0)
            return false;
    }
    for (size_t i = 0; i < a->basis_count; i++)
        if (a->basis[i] != b->basis[i] && !(isnan(a->basis[i]) && isnan(b->basis[i])))
            return false;
    return true;
}

/* Zeros at the end may be removed or added; losing any other digit is a failure. */
int rc_import_scale(struct rc_import_number number, unsigned decimals, int64_t *out)
{
    while (number.decimals > decimals && number.digits % 10 == 0) {
        number.digits /= 10;
        number.decimals--;
    }
    if (number.decimals > decimals)
        return -1;
    for (; number.decimals < decimals && number.digits; number.decimals++) {
        if (number.digits > INT64_MAX / 10)
            return -1;
        number.digits *= 10;
    }
    *out = number.digits;
    return 0;
}
