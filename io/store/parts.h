/* parts.h - what the files of the store share among themselves */
#ifndef RC_IO_STORE_PARTS_H
#define RC_IO_STORE_PARTS_H

#include "io/hdf5/hdf5.h"
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
    /* Reads the suite at 'link' in the group 'suites'; called in their order. */
    int (*read_suite)(struct rc_store *store, size_t kind, hid_t suites,
                      const char *link, struct rc_error *err);
};
extern const struct rc_store_form rc_store_campaign_form;

/* The datasets of results in a suite: a member of struct rc_store_block each. */
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
    RC_STORE_DIMS = RC_H5_DIMS, /* event, place, repetition, point */
    RC_STORE_NAME_MAX = 1024,   /* bytes in the name of a kind or suite */
};

/* A suite of an open store. */
struct rc_store_suite_part {
    /* All of it where the file was opened, else the name and the counts of names. */
    struct rc_store_suite labels;
    size_t dims[RC_STORE_DIMS]; /* events, places, repetitions, points */
    size_t chunk;               /* events in a chunk of the file */
    hid_t set[RC_STORE_SETS];   /* the datasets, where they are open */
};

/* A kind of an open store. */
struct rc_store_kind_part {
    struct rc_store_kind labels; /* likewise: the name and the number of events */
    struct rc_store_suite_part *suite;
    size_t count, room; /* suites, and how many the array has room for */
};

struct rc_store {
    MPI_Comm comm; /* the store's own; MPI_COMM_NULL: a process alone */
    const struct rc_store_form *form; /* of a store that was opened */
    void *owner;                      /* of a form's own, for read_suite() */
    char *path, *path_new;            /* path_new is NULL in a store that was opened */
    hid_t file;                       /* while things are defined: on rank 0 only */
    bool created;                     /* path_new, by this rank */
    bool writing;                     /* the datasets are open on every rank */
    bool parallel;                    /* and through MPI */
    bool broken;                      /* HDF5 failed: never to be put in place */
    struct rc_pool *pool;             /* of all strings of this store */
    void **owned;                     /* arrays that are freed with the store */
    size_t owned_count, owned_room;
    struct rc_store_campaign campaign; /* what was read */
    struct rc_store_kind_part *kind;
    size_t count, room; /* kinds, and how many the array has room for */
};

/* As rc_store_create() and rc_store_open(), for a file of another form. */
int rc_store_create_as(MPI_Comm comm, const char *path,
                       const struct rc_store_form *form,
                       const struct rc_store_campaign *campaign, struct rc_store **out,
                       struct rc_error *err);
int rc_store_open_as(MPI_Comm comm, const char *path, const struct rc_store_form *form,
                     void *owner, struct rc_store **out, struct rc_error *err);

/* handle.c.  A store without a file, kinds and suites; collective; NULL on every rank
 * where any has no memory.
 */
struct rc_store *rc_store_new(MPI_Comm comm, const char *path, bool write,
                              struct rc_error *err);
void rc_store_free(struct rc_store *store); /* accepts NULL; collective */
/* Of a failure that all ranks agreed on.  One of HDF5's (RC_EIO) breaks the store:
 * it must not be called for that file again, and RC_EBROKEN tells so.
 */
int rc_store_break(struct rc_store *store, int status, struct rc_error *err);
/* Append a kind, and a suite of kind number 'kind', on this rank. */
int rc_store_add_kind(struct rc_store *store, const char *name, struct rc_error *err);
int rc_store_add_suite(struct rc_store *store, size_t kind, const char *name,
                       struct rc_error *err);
/* Zeroed memory that lives as long as the store; NULL: no memory. */
void *rc_store_array(struct rc_store *store, size_t count, size_t item_bytes);
/* Closes the file where it is open. */
int rc_store_close_file(struct rc_store *store, struct rc_error *err);

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

/* suite.c: the events of a kind under a name in the group of a suite, so that
 * whoever opens the suite finds all labels in it.
 */
int rc_store_link_events(hid_t group, const char *kind, struct rc_error *err);

int rc_store_get_list(struct rc_store *store, hid_t group, const char *name,
                      const char *const **out, size_t *count, struct rc_error *err);

/* Also of labels.c: opens the file and reads all that describes it.  Not
 * collective.
 */
int rc_store_read_labels(struct rc_store *store, struct rc_error *err);

/* sandbox_read.c: whether HDF5 survives reading the file, which a child process tries.
 * RC_OK also for files that cannot be read, which a reader will be told.  Not
 * collective; costs as much as reading what describes the file, and all of small
 * datasets.
 */
int rc_store_sandbox_read(const char *path, const struct rc_store_form *form,
                          void *owner, struct rc_error *err);

/* events.c: the texts of an event but its name, which are columns of that name.
 * 'offset' is that of the member of struct rc_store_event.
 */
enum { RC_STORE_EVENT_TEXTS = 4 };
struct rc_store_event_text {
    const char *name;
    size_t offset;
};
extern const struct rc_store_event_text rc_store_event_texts[RC_STORE_EVENT_TEXTS];

/* Opens the group of the events of a kind; the caller closes it. */
int rc_store_open_events(const struct rc_store *store, size_t kind, hid_t *out,
                         struct rc_error *err);
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
/* Collective, behind a definition that failed: whether rank 0 had begun to write it, on
 * all ranks.  A broken store is closed without HDF5, by all or by none.
 */
void rc_store_share_broken(struct rc_store *store);

#endif
