/* table.h - an array of structs as a group of HDF5, each member a dataset */
#ifndef RC_IO_HDF5_TABLE_H
#define RC_IO_HDF5_TABLE_H

#include "campaign/base/arena.h"
#include "io/hdf5/hdf5.h"

#define RC_H5_TABLE_MAX ((size_t)1 << 20) /* items, but of tables of any length */

struct rc_h5_field {
    const char *name; /* of the dataset */
    enum {
        RC_H5_TEXT,   /* const char *; cut where it is too long */
        RC_H5_NAME,   /* const char *, any bytes but NUL; refused likewise */
        RC_H5_REAL,   /* double */
        RC_H5_NUMBER, /* size_t */
        RC_H5_WIDE,   /* size_t that may be more than a file has items, as times */
        RC_H5_SIGNED, /* int64_t */
        RC_H5_TINY,   /* signed char */
        RC_H5_EVENT,  /* size_t, less than the kind's events */
        RC_H5_FLAG,   /* bool */
        RC_H5_CODE,   /* an enum, with the names in 'words' */
    } type;
    size_t offset;            /* of the member in the struct */
    const char *const *words; /* of a code, by number, ended by NULL */
    const char *unit;         /* an attribute of the dataset; NULL: none */
};

#define RC_H5_FIELD(kind_of_it, structure, member, label, of_unit)                     \
    {                                                                                  \
        .name = (label), .type = (kind_of_it), .offset = offsetof(structure, member),  \
        .unit = (of_unit)                                                              \
    }

/* A table: a group of datasets of one length. */
struct rc_h5_table {
    const char *name;  /* of the group */
    size_t item_bytes; /* of the struct */
    bool any_length;   /* may have more than RC_H5_TABLE_MAX items */
    /* Ended by a NULL name; the first labels the items. */
    const struct rc_h5_field *field;
};

/* 'out', where it is not NULL, is the open group, for more. */
int rc_h5_put_table(hid_t parent, const struct rc_h5_table *table, const void *items,
                    size_t count, hid_t *out, struct rc_error *err);

/* The most bytes that a table takes in a file, for rc_disk_reserve(): numbers as they
 * are.
 */
uint64_t rc_h5_table_bytes(const struct rc_h5_table *table, const void *items,
                           size_t count);

/* *items lives as long as the arena, its texts as the pool.  Codes and events are
 * checked.
 */
int rc_h5_get_table(struct rc_pool *pool, struct rc_arena *arena, hid_t parent,
                    const struct rc_h5_table *table, size_t events, void **items,
                    size_t *count, struct rc_error *err);

#endif
