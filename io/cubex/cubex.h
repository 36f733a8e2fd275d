/* cubex.h - a cube as a .cubex file, which Cube and others open
 *
 * The file is a tar of anchor.xml, which has the trees, and of two members for each
 * metric, ID.index and ID.data, which have its rows: a row for each call path with a
 * number for each place.  All metrics are EXCLUSIVE, a call path's number is its place
 * depth-first, and the numbers are DOUBLE.
 *
 * Such a file cannot say that a number is missing: there 0 is written, or the row is
 * left out, and an attribute names it.  The runs, least, most and deviations beside a
 * mean are in metrics that are not shown, "rollcall:n:NAME" and so on, where it is not
 * of one run.  So a cube that was written reads back the same, but for hidden
 * characters of names.
 */
#ifndef RC_IO_CUBEX_CUBEX_H
#define RC_IO_CUBEX_CUBEX_H

#include "solve/cube/cube.h"

#include <stdio.h>

/* Whether 'out' could be written, ferror() tells. */
int rc_cubex_write(const struct rc_cube *cube, FILE *out, struct rc_error *err);

/* Reads a file that anybody wrote.  RC_EUSAGE: it is not one, or damaged; 'err' names
 * the member.  Content that cannot be read (metrics that are computed, other types of
 * numbers) is named in 'left_out', a line each.  On success the caller owns *out; else
 * it is NULL.
 */
int rc_cubex_read(const void *data, size_t bytes, struct rc_cube **out, FILE *left_out,
                  struct rc_error *err);
int rc_cubex_read_file(const char *path, struct rc_cube **out, FILE *left_out,
                       struct rc_error *err);

/* Whether a file with this name is meant to be one: by its ending. */
bool rc_cubex_is_name(const char *path);

#endif
