/* Any bytes as a result file of another tool, the first byte choosing which: refused
 * with one line, or points with names of their own and a number for each place.
 */
#include "io/import/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct rc_import_file *file)
{
    size_t ideals = 0;
    int64_t scaled;

    while (file->suite->ideals[ideals])
        ideals++;
    if (file->is_empty ? file->number_count != 0
                       : file->number_count != file->point_count * file->place_count)
        abort();
    if (file->basis_count != file->point_count * ideals || file->place_count == 0)
        abort();
    for (size_t i = 0; i < file->point_count; i++)
        if (!file->point[i].name[0] || strchr(file->point[i].name, '\n'))
            abort();
    for (size_t i = 0; i < file->number_count; i++)
        if (rc_import_scale(file->number[i], file->number[i].decimals, &scaled) != 0 ||
            scaled < 0)
            abort();
    for (size_t i = 0; i < file->basis_count; i++)
        if (isinf(file->basis[i]) || file->basis[i] < 0)
            abort();
    if (!rc_import_is_alike(file, file))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"E.branch",    "E.vec",         "E.flops",
                                        "E.instr",     "E.data.writes", "E.icache",
                                        "E.data.reads"};
    const struct rc_import_format *format = rc_import_find("cat");
    struct rc_import_file file;
    struct rc_error err = {.text = ""};
    size_t event;

    if (size == 0)
        return 0;
    const char *name = names[data[0] % (sizeof names / sizeof names[0])];
    char *text = malloc(size > 1 ? size - 1 : 1); /* reading past it is seen */
    if (!text)
        return 0;
    memcpy(text, data + 1, size - 1);
    if (format->read(format->find(name, &event), text, size - 1, &file, &err) == RC_OK)
        look_at(&file);
    else if (!err.text[0] || strchr(err.text, '\n'))
        abort();
    rc_import_file_fini(&file);
    free(text);
    return 0;
}
