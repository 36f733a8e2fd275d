/* hdf5.h - HDF5 with rollcall's errors, and what result files have in common */
#ifndef RC_IO_HDF5_HDF5_H
#define RC_IO_HDF5_HDF5_H

#include "campaign/base/error.h"
#include "campaign/base/memory.h"
#include "io/hdf5/limits.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RC_H5_DIMS = 4 }; /* dimensions that a dataset has at most */

/* disk_reserve.c: reserves on the disk what a file will take at most so many bytes past
 * the end of the file, and gives back what was not taken.  A dataset takes its bytes as
 * they are before they are compressed, which makes them no longer, and what HDF5 notes
 * of each chunk.
 */
enum { RC_STORE_CHUNK_NOTES = 4096, RC_STORE_FILE_NOTES = 1 << 20 };
int rc_disk_reserve(const char *path, uint64_t bytes, struct rc_error *err);
/* Gives back what is reserved past the end of the file. */
int rc_disk_release(const char *path, struct rc_error *err);

/* staged_file.c: creates the file 'path_new', which will be called 'path' and has the
 * mode of what is there; '*created' where it is to be removed again.  The second one,
 * once the file is closed, gives it that name.
 */
int rc_h5_create_staged(const char *path_new, const char *path, bool *created,
                        hid_t *out, struct rc_error *err);
int rc_h5_place_staged(const char *path_new, const char *path, struct rc_error *err);

/* checksum.c: writes the checksum of a file of results that is closed into its first
 * bytes, which are HDF5's user block; and compares it, before anything else is read.
 * RC_OK also for files that have none, cannot be read or are not HDF5, of which readers
 * know more.  Both read all of the file.
 */
enum { RC_H5_BLOCK_BYTES = 512 };
int rc_h5_seal(const char *path, struct rc_error *err);
int rc_h5_check_seal(const char *path, const char *remedy, struct rc_error *err);

/* open.c: what a file is, as attributes of "/". */
struct rc_h5_form {
    const char *format; /* "rollcall noise" */
    int64_t version;
    const char *what;   /* "a rollcall campaign"; of forms that are read */
    const char *remedy; /* the command that makes it again; likewise */
};
int rc_h5_put_form(hid_t file, const struct rc_h5_form *form, struct rc_error *err);
/* Opens a file for reading, which is to be of that form, or says why it cannot be. */
int rc_h5_open(const char *path, const struct rc_h5_form *form, hid_t *out,
               struct rc_error *err);
/* Whether the open file is of that form and version.  A file without the attribute is a
 * stranger's, whatever else it holds.
 */
int rc_h5_check_form(hid_t file, const struct rc_h5_form *form, struct rc_pool *pool,
                     struct rc_error *err);

/* sandbox_read.c: whether HDF5 survives 'read', which a child process calls.  RC_OK also
 * for files that cannot be read, which a reader will be told.  Nothing of what 'read'
 * does is seen here; it may call rc_h5_try_all(), which with 'read' reads all
 * attributes, all small datasets and the two ends of large ones, and closes what readers
 * left open in the file.
 */
int rc_h5_sandbox_read(const char *path, const struct rc_h5_form *form,
                       void (*read)(const void *context), const void *context,
                       struct rc_error *err);
void rc_h5_try_all(hid_t file, bool read);

/* names.c: links that may hold any name, and text that may hold any byte.  The name
 * that a link stands for, as long as the pool; NULL: no memory.
 */
const char *rc_store_name_of(struct rc_pool *pool, const char *link);
/* Copies 'text' with U+FFFD for each byte that is not UTF-8, as many whole characters
 * as 'room' bytes hold, without a NUL after them.  Returns the bytes that it wrote;
 * with 'room' 0 nothing is written, and those that all of it would take are returned.
 */
size_t rc_store_utf8(char *out, size_t room, const char *text);
/* The link for a name, to be freed; NULL: no memory. */
char *rc_store_link_of(const char *name);
/* "/kinds/K" (suite NULL) or "/kinds/K/suites/S"; to be freed; NULL: no memory. */
char *rc_store_group_path(const char *kind, const char *suite);

/* get.c: readers check the shape and the class of what is in the file.  An attribute
 * that is one number:
 */
int rc_h5_get_integer(hid_t object, const char *name, int64_t *out,
                      struct rc_error *err);
int rc_h5_get_real(hid_t object, const char *name, double *out, struct rc_error *err);
/* Items first .. first + count - 1 of a list of codes, each of which must be less than
 * 'limit'.
 */
int rc_h5_get_codes(hid_t group, const char *name, size_t first, size_t count,
                    unsigned limit, uint8_t *codes, struct rc_error *err);
/* A text of any length: an attribute, and a dataset.  *out lives as long as the pool.
 */
int rc_h5_get_word(hid_t object, const char *name, struct rc_pool *pool,
                   const char **out, struct rc_error *err);
int rc_h5_get_text(hid_t group, const char *name, struct rc_pool *pool,
                   const char **out, struct rc_error *err);
/* The extents of a dataset that must have 'rank' dimensions: of an open one, or of one
 * that could not be opened just now, which is said; and by its name.
 */
int rc_h5_shape_of(hid_t set, const char *name, int rank, size_t *dims,
                   struct rc_error *err);
int rc_h5_get_shape(hid_t group, const char *name, int rank, size_t *dims,
                    struct rc_error *err);
/* Whether the file can hold all items that the dataset says it has: readers that take
 * any number of them ask before they ask for memory.
 */
int rc_h5_check_stored(hid_t group, const char *name, struct rc_error *err);
/* Items first .. first + count - 1 of a list, converted to 'type'; or all 'count' of a
 * table of more dimensions, with 'first' 0.
 */
int rc_h5_get_numbers(hid_t group, const char *name, hid_t type, size_t first,
                      size_t count, void *out, struct rc_error *err);
/* Likewise of a column of strings (column.c); the strings live as long as the pool. */
int rc_h5_get_column(hid_t group, const char *name, size_t first, size_t count,
                     struct rc_pool *pool, const char **out, struct rc_error *err);

/* Names for the codes 0 .. count - 1 (at most 256) of a dataset, as attributes. */
int rc_h5_put_flags(hid_t set, const char *const *names, size_t count,
                    struct rc_error *err);
/* hdf5.c: HDF5 with rollcall's errors.  All return RC_OK or fail, and say
 * what they were about: "cannot write 'values': HDF5: no space left".
 */
void rc_h5_quiet(void); /* HDF5 prints nothing from here on */
/* "WHAT: HDF5: REASON", with the reason of the call of HDF5 that failed last; RC_EIO.
 */
int rc_h5_fail(struct rc_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int rc_h5_close(hid_t id, int status, struct rc_error *err); /* the first error wins */
/* The same of several: return RC_H5_CLOSE(status, err, memory, space, set); */
#define RC_H5_CLOSE(status, err, ...)                                                  \
    rc_h5_close_each((const hid_t[]){__VA_ARGS__},                                     \
                     sizeof((const hid_t[]){__VA_ARGS__}) / sizeof(hid_t), status,     \
                     err)
int rc_h5_close_each(const hid_t *ids, size_t count, int status, struct rc_error *err);
/* HDF5 keeps the order in which the members of these groups were defined. */
int rc_h5_group(hid_t parent, const char *name, hid_t *out, struct rc_error *err);
/* An attribute of numbers; one is a scalar. */
int rc_h5_put_attribute(hid_t object, const char *name, hid_t type, size_t count,
                        const void *data, struct rc_error *err);
/* A text of any length, as an attribute and as a dataset; NULL is "". */
int rc_h5_put_word(hid_t object, const char *name, const char *text,
                   struct rc_error *err);
int rc_h5_put_text(hid_t group, const char *name, const char *text,
                   struct rc_error *err);
/* Reads or writes a piece of a dataset; with an extent of 0 in the first dimension
 * it takes part with nothing.
 */
struct rc_h5_piece {
    hid_t set, type;  /* the dataset, open, and the type of the numbers in memory */
    const char *name; /* of the dataset, for errors */
    int rank;         /* at most RC_H5_DIMS */
    hsize_t start[RC_H5_DIMS], extent[RC_H5_DIMS]; /* in numbers, by dimension */
    /* In the first dimension: blocks, the last of which may be short, and from where
     * each begins to where the next one does; 0: all of 'extent' is one.
     */
    hsize_t block, stride;
};
int rc_h5_transfer(const struct rc_h5_piece *piece, bool write, bool collective,
                   void *data, struct rc_error *err);
/* Numbers, written whole; *out stays open for attributes where it is not NULL. */
int rc_h5_put_numbers(hid_t group, const char *name, hid_t type, int rank,
                      const size_t *dims, const void *data, hid_t *out,
                      struct rc_error *err);
/* How numbers or strings lie in a file. */
struct rc_h5_layout {
    int rank; /* at most RC_H5_DIMS */
    /* In items, by dimension.  In chunks, each with a checksum of HDF5's, is all but an
     * empty dataset: chunks have a size.
     */
    hsize_t dims[RC_H5_DIMS], chunk[RC_H5_DIMS];
    bool compressed;  /* chunks are */
    bool shuffled;    /* before that, which numbers want */
    const void *fill; /* what is there before it is written; NULL: 0 */
};
/* H5I_INVALID_HID, and no error yet, where it cannot be. */
hid_t rc_h5_create(hid_t group, const char *name, hid_t type,
                   const struct rc_h5_layout *layout);
/* A column of strings of one length, compressed: members of structs in an array. */
struct rc_h5_column {
    const char *name; /* of the dataset */
    const void
        *first;    /* the address of the first string's pointer, which may be NULL */
    size_t stride; /* bytes from one pointer to the next */
    size_t count;  /* of strings */
    bool raw;      /* bytes as they are, not made UTF-8 */
};
int rc_h5_put_column(hid_t group, const struct rc_h5_column *column, hid_t *out,
                     struct rc_error *err);
/* The same from a group of another file; 'first' and 'stride' have no part in it.  That
 * the column is one, of 'count' strings, is checked before.
 */
int rc_h5_check_column(hid_t group, const char *name, size_t count,
                       struct rc_error *err);
int rc_h5_copy_column(hid_t from, hid_t group, const struct rc_h5_column *column,
                      hid_t *out, struct rc_error *err);
/* The same of an array of strings. */
int rc_h5_put_list(hid_t group, const char *name, const char *const *texts,
                   size_t count, hid_t *out, struct rc_error *err);
/* scale.c: a list of labels that is a scale, and scales of 'group' for the
 * first 'count' dimensions of a dataset.
 */
int rc_h5_scale(hid_t set, const char *name, struct rc_error *err);
int rc_h5_put_scale(hid_t group, const char *name, const char *const *texts,
                    size_t count, struct rc_error *err);
int rc_h5_attach(hid_t group, hid_t set, const char *const *scales, int count,
                 struct rc_error *err);
/* Numbers, written whole, under a scale of the group for each dimension; 'units' may be
 * NULL.
 */
int rc_h5_put_labelled(hid_t group, const char *name, hid_t type, int rank,
                       const char *const *scales, const size_t *dims, const void *data,
                       const char *units, struct rc_error *err);

#endif
