/* Any bytes as a .cubex file: refused with one line, or taken, and then the same after
 * it was written and read again.  A file that is taken goes through all its uses.
 */
#include "io/cubex/cubex.h"
#include "solve/cube/algebra.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
    if (!good)
        abort();
}

/* The checksums of a tar are not to be guessed: those of all heads are put right. */
static void put_sums(unsigned char *file, size_t size)
{
    for (size_t at = 0; at + 512 <= size && file[at]; at += 512) {
        unsigned sum = 8 * ' ';
        char text[8];
        if (memcmp(file + at + 257, "ustar", 5) != 0)
            continue;
        for (size_t i = 0; i < 512; i++)
            sum += i < 148 || i >= 156 ? file[at + i] : 0;
        snprintf(text, sizeof text, "%06o", sum & 0777777);
        memcpy(file + at + 148, text, 7);
        file[at + 155] = ' ';
    }
}

static void make_all(const struct rc_cube *cube, struct rc_error *err)
{
    const struct rc_cube *const of[] = {cube, cube};
    struct rc_cube *out;

    if (rc_cube_merge(of, 2, &out, err) == RC_OK)
        rc_cube_close(out);
    if (rc_cube_mean(of, 2, &out, err) == RC_OK)
        rc_cube_close(out);
    if (rc_cube_cut(cube, "*", &out, err) == RC_OK)
        rc_cube_close(out);
    if (rc_cube_flat(cube, &out, err) == RC_OK)
        rc_cube_close(out);
    if (rc_cube_collapse(cube, &out, err) == RC_OK)
        rc_cube_close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rc_error err;
    FILE *null = fopen("/dev/null", "w");
    unsigned char *file = malloc(size + 1);
    struct rc_cube *cube = NULL, *again = NULL;

    must(null && file);
    memcpy(file, data, size);
    put_sums(file, size);
    err.text[0] = 0;
    if (rc_cubex_read(file, size, &cube, null, &err) != RC_OK) {
        must(err.text[0] && !strchr(err.text, '\n') && !cube);
    } else if (cube->metrics * cube->paths * cube->places < 1 << 16) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        must(out && rc_cubex_write(cube, out, &err) == RC_OK && fclose(out) == 0);
        must(rc_cubex_read(text, bytes, &again, null, &err) == RC_OK);
        must(again->places == cube->places && again->metrics == cube->metrics);
        make_all(cube, &err);
        free(text);
    }
    rc_cube_close(again);
    rc_cube_close(cube);
    free(file);
    fclose(null);
    return 0;
}
