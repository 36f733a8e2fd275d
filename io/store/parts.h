/* parts.h - what the files of the store share among themselves */
#ifndef RC_IO_STORE_PARTS_H
#define RC_IO_STORE_PARTS_H

#include "io/store/store.h"

#include <hdf5.h>

/* What a file is, and what is particular in reading it: campaign.h5 and metrics.h5
 * are built alike.
 */
struct rc_store_form {
    const char *format; /* the attribute 'format' of "/" */
    int64_t version;
    const char *what;   /* "a rollcall campaign" */
    const char *remedy; /* what makes it again */
    int (*read_suite)(struct rc_store *store, size_t kind, hid_t suites,
                      const char *link, struct rc_error *err);
};
extern const struct rc_store_form rc_store_campaign_form;

/* The datasets of results in a suite. */
enum rc_store_set {
    RC_STORE_VALUES,
    RC_STORE_ENABLED,
    RC_STORE_RUNNING,
    RC_STORE_STATUS,
    RC_STORE_STOP,
    RC_STORE_WORKER,
    RC_STORE_SETS
};

enum {
    RC_STORE_DIMS = 4,        /* event, place, repetition, point */
    RC_STORE_NAME_MAX = 1024, /* bytes in the name of a kind or suite */
};

struct rc_store_suite_part {
    struct rc_store_suite
        labels; /* all of it where the file was opened, else the name */
    size_t dims[RC_STORE_DIMS];
    size_t chunk; /* events */
    hid_t set[RC_STORE_SETS];
};

struct rc_store_kind_part {
    struct rc_store_kind labels; /* likewise */
    struct rc_store_suite_part *suite;
    size_t count, room;
};

struct rc_store {
    MPI_Comm comm;
    const struct rc_store_form *form;
    void *owner;           /* of a form's own, for read_suite() */
    char *path, *path_new; /* path_new is NULL in a store that was opened */
    hid_t file;            /* while things are defined: on rank 0 only */
    bool created;          /* path_new, by this rank */
    bool writing;          /* the datasets are open on every rank */
    bool parallel;         /* and through MPI */
    bool broken;           /* HDF5 failed: never to be put in place */
    struct rc_pool *pool;
    void **owned; /* arrays that are freed with the store */
    size_t owned_count, owned_room;
    struct rc_store_campaign campaign;
    struct rc_store_kind_part *kind;
    size_t count, room;
};

/* As rc_store_create() and rc_store_open(), for a file of another form. */
int rc_store_create_as(MPI_Comm comm, const char *path,
                       const struct rc_store_form *form,
                       const struct rc_store_campaign *campaign, struct rc_store **out,
                       struct rc_error *err);
int rc_store_open_as(MPI_Comm comm, const char *path, const struct rc_store_form *form,
                     void *owner, struct rc_store **out, struct rc_error *err);

/* store.c */
struct rc_store *rc_store_new(MPI_Comm comm, const char *path, bool write,
                              struct rc_error *err);
void rc_store_free(struct rc_store *store); /* accepts NULL; collective */
/* Of a failure that all ranks agreed on.  One of HDF5's (RC_EIO) breaks the store:
 * it must not be called for that file again, and RC_EBROKEN tells so.
 */
int rc_store_break(struct rc_store *store, int status, struct rc_error *err);
int rc_store_add_kind(struct rc_store *store, const char *name, struct rc_error *err);
int rc_store_add_suite(struct rc_store *store, size_t kind, const char *name,
                       struct rc_error *err);
void *rc_store_array(struct rc_store *store, size_t count, size_t item_bytes);
int rc_store_close_sets(struct rc_store *store, struct rc_error *err);

/* io/hdf5/disk_reserve.c, on rank 0: reserves what will take at most so many bytes
 * behind the end of the file, and gives back what was not taken.  A dataset takes its
 * bytes as they are before they are compressed, which makes them no longer, and what
 * HDF5 notes of each chunk.
 */
enum { RC_STORE_CHUNK_NOTES = 4096, RC_STORE_FILE_NOTES = 1 << 20 };
int rc_store_take_room(const struct rc_store *store, uint64_t bytes,
                       struct rc_error *err);
int rc_store_give_room(const struct rc_store *store, struct rc_error *err);

/* write.c, collective: rank 0 hands the file over to all ranks, to
 * write 'bytes' in all at most, and takes it back, to define more.  Datasets are
 * closed then.  'file' is open on all ranks between.
 */
int rc_store_share(struct rc_store *store, uint64_t bytes, struct rc_error *err);
int rc_store_unshare(struct rc_store *store, struct rc_error *err);

/* shape.c: of the results of a suite */
const char *rc_store_set_name(enum rc_store_set set);
hid_t rc_store_set_type(enum rc_store_set set); /* in memory; not to be closed */
int rc_store_set_rank(enum rc_store_set set);
size_t rc_store_event_items(const struct rc_store_suite_part *suite,
                            enum rc_store_set set);
void *rc_store_block_data(const struct rc_store_block *block, enum rc_store_set set);
bool rc_store_set_optional(enum rc_store_set set); /* on writing */

/* That all numbers of a block that stand for names have one. */
int rc_store_check_codes(const struct rc_store_suite_part *part,
                         const struct rc_store_block *block, struct rc_error *err);
size_t rc_store_chunk_of(const size_t dims[RC_STORE_DIMS]);
int rc_store_check_block(const struct rc_store *store, size_t kind, size_t suite,
                         const struct rc_store_block *block, struct rc_error *err);

/* Reads or writes one piece of a dataset; 'count' 0 takes part with nothing. */
int rc_store_transfer(const struct rc_store_suite_part *suite, enum rc_store_set set,
                      bool write, bool collective, size_t first, size_t count,
                      void *data, struct rc_error *err);

/* io/hdf5/names.c: links that may hold any name, and text that may hold any byte */
const char *rc_store_name_of(struct rc_pool *pool, const char *link);
size_t rc_store_utf8(char *out, size_t room, const char *text); /* room 0: its length */

/* "/kinds/K" (suite NULL) or "/kinds/K/suites/S"; to be freed; NULL: no memory. */
char *rc_store_group_path(const char *kind, const char *suite);

/* suite.c: the events of a kind under a name in the group of a suite, so that
 * whoever opens the suite finds all labels in it.
 */
int rc_store_link_events(hid_t group, const char *kind, struct rc_error *err);

/* read.c: an integer attribute, and a list of any length, which lives as long
 * as the store.
 */
int rc_h5_get_integer(hid_t object, const char *name, int64_t *out,
                      struct rc_error *err);
int rc_store_get_list(struct rc_store *store, hid_t group, const char *name,
                      const char *const **out, size_t *count, struct rc_error *err);

/* Also of read.c: opens the file and reads all that describes it.  Not
 * collective. */
int rc_store_read_labels(struct rc_store *store, struct rc_error *err);

/* sandbox_read.c: whether HDF5 survives reading the file, which a child process tries.
 * RC_OK also for files that cannot be read, which a reader will be told.  Not
 * collective; costs as much as reading what describes the file, and all of small
 * datasets.
 */
int rc_store_try(const char *path, const struct rc_store_form *form, void *owner,
                 struct rc_error *err);

/* events.c: the group of the events of a kind, and numbers in it that are less
 * than 'limit'.
 */
int rc_store_open_events(const struct rc_store *store, size_t kind, hid_t *out,
                         struct rc_error *err);
int rc_h5_get_codes(hid_t group, const char *name, size_t first, size_t count,
                    unsigned limit, uint8_t *codes, struct rc_error *err);

/* As rc_store_define_kind(), for a kind of a store that is open for reading on rank 0.
 * The columns of its events are copied as they lie in the file: nobody needs them in
 * memory.
 */
int rc_store_copy_kind(struct rc_store *store, const struct rc_store *from, size_t kind,
                       size_t *number, struct rc_error *err);

/* define.c, for suite.c too */
int rc_store_check_name(const char *what, const char *name, struct rc_error *err);
int rc_store_check_open(const struct rc_store *store, struct rc_error *err);
/* From rank 0, where 'name' is not NULL, to all. */
void rc_store_tell_name(const struct rc_store *store, const char *name,
                        char out[RC_STORE_NAME_MAX + 1]);
int rc_h5_put_flags(hid_t set, const char *const *names, size_t count,
                    struct rc_error *err);

/* io/hdf5/hdf5.c: HDF5 with rollcall's errors.  All return RC_OK or fail, and say
 * what they were about: "cannot write 'values': HDF5: no space left".
 */
void rc_h5_quiet(void); /* HDF5 prints nothing from here on */
int rc_h5_fail(struct rc_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int rc_h5_close(hid_t id, int status, struct rc_error *err); /* the first error wins */

/* Of the groups made here, HDF5 keeps in which order their members were defined. */
int rc_h5_group(hid_t parent, const char *name, hid_t *out, struct rc_error *err);
int rc_h5_put_attribute(hid_t object, const char *name, hid_t type, size_t count,
                        const void *data, struct rc_error *err);
int rc_h5_put_word(hid_t object, const char *name, const char *text,
                   struct rc_error *err);
int rc_h5_put_text(hid_t group, const char *name, const char *text,
                   struct rc_error *err);

/* Reads or writes a piece of a dataset; with an extent of 0 in the first dimension
 * it takes part with nothing.
 */
struct rc_h5_piece {
    hid_t set, type;
    const char *name;
    int rank; /* at most RC_STORE_DIMS */
    hsize_t start[RC_STORE_DIMS], extent[RC_STORE_DIMS];
};
int rc_h5_transfer(const struct rc_h5_piece *piece, bool write, bool collective,
                   void *data, struct rc_error *err);

/* Numbers, written whole; *out stays open for attributes where it is not NULL. */
int rc_h5_put_numbers(hid_t group, const char *name, hid_t type, int rank,
                      const size_t *dims, const void *data, hid_t *out,
                      struct rc_error *err);

/* How numbers or strings lie in a file. */
struct rc_h5_layout {
    int rank; /* at most RC_STORE_DIMS */
    hsize_t dims[RC_STORE_DIMS], chunk[RC_STORE_DIMS];
    bool compressed;  /* in chunks: not where nothing is, a chunk of that is none */
    bool shuffled;    /* before that, which numbers want */
    const void *fill; /* what is there before it is written; NULL: 0 */
};
/* H5I_INVALID_HID, and no error yet, where it cannot be. */
hid_t rc_h5_create(hid_t group, const char *name, hid_t type,
                   const struct rc_h5_layout *layout);

/* A column of strings of one length, compressed.  'raw': bytes as they are. */
struct rc_h5_column {
    const char *name;
    const char *(*get)(const void *list, size_t index);
    const void *list;
    size_t count;
    bool raw;
};
int rc_h5_put_column(hid_t group, const struct rc_h5_column *column, hid_t *out,
                     struct rc_error *err);
/* The same from a group of another file; 'get' and 'list' have no part in it.  That the
 * column is one, of 'count' strings, is checked before.
 */
int rc_h5_check_column(hid_t group, const char *name, size_t count,
                       struct rc_error *err);
int rc_h5_copy_column(hid_t from, hid_t group, const struct rc_h5_column *column,
                      hid_t *out, struct rc_error *err);
int rc_h5_put_list(hid_t group, const char *name, const char *const *texts,
                   size_t count, hid_t *out, struct rc_error *err);

/* io/hdf5/scale.c: a list of labels that is a scale, and scales of 'group' for the
 * first 'count' dimensions of a dataset.
 */
int rc_h5_scale(hid_t set, const char *name, struct rc_error *err);
int rc_h5_put_scale(hid_t group, const char *name, const char *const *texts,
                    size_t count, struct rc_error *err);
int rc_h5_attach(hid_t group, hid_t set, const char *const *scales, int count,
                 struct rc_error *err);

/* Readers check the shape and the class of what is in the file. */
int rc_h5_get_word(hid_t object, const char *name, struct rc_pool *pool,
                   const char **out, struct rc_error *err);
int rc_h5_get_text(hid_t group, const char *name, struct rc_pool *pool,
                   const char **out, struct rc_error *err);
int rc_h5_get_shape(hid_t group, const char *name, int rank, size_t *dims,
                    struct rc_error *err);
int rc_h5_get_numbers(hid_t group, const char *name, hid_t type, size_t first,
                      size_t count, void *out, struct rc_error *err);
int rc_h5_get_column(hid_t group, const char *name, size_t first, size_t count,
                     struct rc_pool *pool, const char **out, struct rc_error *err);
#endif
