/* parts.h - what the files of io/cubex share among themselves */
#ifndef RC_IO_CUBEX_PARTS_H
#define RC_IO_CUBEX_PARTS_H

#include "io/cubex/cubex.h"

/* The words of our own files, in names and attributes. */
#define RC_CUBEX_MISSING "rollcall missing " /* and the metric's id: an attribute */
#define RC_CUBEX_SOURCES "rollcall sources"
#define RC_CUBEX_DERIVED "rollcall derived"
#define RC_CUBEX_SIMULATED "rollcall simulated"
#define RC_CUBEX_TITLE "rollcall title"
#define RC_CUBEX_HIDDEN "rollcall:" /* metrics that are not shown begin so */

/* Numbers beside a mean, by the members of struct rc_cube_cell. */
enum { RC_CUBEX_PARTS = 4 };
extern const struct rc_cubex_part {
    const char *name; /* "n": of "rollcall:n:NAME" */
    size_t offset;    /* in the cell */
} rc_cubex_part[RC_CUBEX_PARTS];

#endif
