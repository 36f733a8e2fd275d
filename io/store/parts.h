/* parts.h - what the files of the store share among themselves */
#ifndef RC_IO_STORE_PARTS_H
#define RC_IO_STORE_PARTS_H

#include "campaign/base/arena.h"
#include "io/hdf5/hdf5.h"
#include "io/store/event_sets.h"
#include "io/store/store.h"

#include <hdf5.h>

struct rc_store_suite_part;

/* The kind of a file, and its particular parts: campaign.h5, metrics.h5 and noise.h5
 * are built alike.
 */
struct rc_store_form {
    struct rc_h5_form file;
    /* Reads a suite, whose group is open; called in their order. */
    int (*read_suite)(struct rc_store *store, size_t kind,
                      struct rc_store_suite_part *suite, hid_t group,
                      struct rc_error *err);
    /* Reads everything else, after all suites; NULL: there is nothing. */
    int (*read_rest)(struct rc_store *store, struct rc_error *err);
    /* A suite is written before the next one is defined, by rank 0 alone; else all are
     * defined first, and all ranks write.
     */
    bool in_turns;
    /* On rank 0: whether a suite can be written, and all of it but numbers of events.
     * 'results' is a struct of the form's own.
     */
    int (*check_suite)(const void *results, size_t events, struct rc_error *err);
    int (*put_suite)(hid_t group, const struct rc_store_kind *kind, const void *results,
                     struct rc_error *err);
    /* Datasets by event.  size_set() fills in what depends on the suite: 'dim',
     * 'chunk', 'limit' and 'words'; events are given in blocks of 'block'.
     */
    const struct rc_event_set *set;
    size_t set_count;
    void (*size_set)(struct rc_event_set *set, const void *results, size_t block);
};
extern const struct rc_store_form rc_store_campaign_form;

enum {
    RC_STORE_SETS = 6,        /* datasets of readings in a suite */
    RC_STORE_NAME_MAX = 1024, /* bytes in the name of a kind or suite */
};

/* A suite of an open store. */
struct rc_store_suite_part {
    /* The name; and all of a campaign's where it was opened. */
    struct rc_store_suite labels;
    void *results; /* of another form's own, where the file was opened */
    size_t events; /* of the kind */
    size_t block;  /* events that a rank gives at once; where it is written */
    struct rc_event_set *by_event; /* datasets, as many as the form has */
};

/* A kind of an open store. */
struct rc_store_kind_part {
    struct rc_store_kind labels; /* likewise: the name and the number of events */
    struct rc_store_suite_part *suite;
    size_t count, room; /* suites, and how many the array has room for */
    void *results;      /* of a form's own, where the file was opened */
};

struct rc_store {
    MPI_Comm comm; /* the store's own; MPI_COMM_NULL: a process alone */
    const struct rc_store_form *form;
    enum rc_store_depth depth;         /* of a store that was opened */
    char *path, *path_new;             /* path_new is NULL in a store that was opened */
    hid_t file;                        /* while things are defined: on rank 0 only */
    bool created;                      /* path_new, by this rank */
    bool writing;                      /* the datasets are open on every rank */
    bool parallel;                     /* and through MPI */
    bool broken;                       /* HDF5 failed: never to be put in place */
    struct rc_pool *pool;              /* of all strings of this store */
    struct rc_arena arena;             /* of arrays that live as long as this store */
    struct rc_store_campaign campaign; /* what was read */
    struct rc_store_kind_part *kind;
    size_t count, room; /* kinds, and how many the array has room for */
    void *results;      /* of a form's own, where the file was opened */
};

/* As rc_store_create() and rc_store_open(), for a file of another form. */
int rc_store_create_as(MPI_Comm comm, const char *path,
                       const struct rc_store_form *form,
                       const struct rc_store_campaign *campaign, struct rc_store **out,
                       struct rc_error *err);
int rc_store_open_as(MPI_Comm comm, const char *path, const struct rc_store_form *form,
                     enum rc_store_depth depth, struct rc_store **out,
                     struct rc_error *err);

/* handle.c.  A store without a file, kinds and suites; collective; NULL on every rank
 * where any has no memory.
 */
struct rc_store *rc_store_new(MPI_Comm comm, const char *path,
                              const struct rc_store_form *form, bool write,
                              struct rc_error *err);
void rc_store_free(struct rc_store *store); /* accepts NULL; collective */
/* Handles a failure that all ranks agreed on. One of HDF5's (RC_EIO) breaks the store:
 * it must not be called for that file again, and RC_EBROKEN tells so.
 */
int rc_store_break(struct rc_store *store, int status, struct rc_error *err);
/* Likewise of a failure that left the half of something: any breaks the store. */
int rc_store_break_off(struct rc_store *store, int status, struct rc_error *err);
/* Append a kind, and a suite of kind number 'kind', on this rank.  The suite's address
 * is good until the next one is added.
 */
int rc_store_add_kind(struct rc_store *store, const char *name, struct rc_error *err);
int rc_store_add_suite(struct rc_store *store, size_t kind, const char *name,
                       struct rc_store_suite_part **out, struct rc_error *err);
/* Opens the group of a kind, or of a suite of it; the caller closes it. */
int rc_store_open_group(const struct rc_store *store, size_t kind, const char *suite,
                        hid_t *out, struct rc_error *err);
/* Zeroed memory that lives as long as the store; NULL: no memory. */
void *rc_store_array(struct rc_store *store, size_t count, size_t item_bytes);
/* Closes the datasets of results, on this rank; and then the file, on all. */
int rc_store_close_sets(struct rc_store *store, struct rc_error *err);
int rc_store_close_file(struct rc_store *store, struct rc_error *err);

/* write_first.c, collective: numbers of a set in 'range', on rank 0 alone; NULL: this
 * rank gives none.
 */
int rc_event_set_write_first(const struct rc_store *store,
                             const struct rc_store_suite_part *suite,
                             const struct rc_event_set *set,
                             const struct rc_event_range *range, const char *data,
                             struct rc_error *err);

/* share.c, collective: rank 0 hands the file over to all ranks, to write 'bytes' in all
 * at most; 'file' is open on all of them then.  Where suites are written in turns rank
 * 0 keeps it, and goes on defining: that closes the datasets, and does nothing where
 * nobody wrote.
 */
int rc_store_share(struct rc_store *store, uint64_t bytes, struct rc_error *err);
int rc_store_take_back(struct rc_store *store, struct rc_error *err);

/* shape.c and suite.c: what campaign.h5 is, in the form's words. */
extern const struct rc_event_set rc_store_sets[RC_STORE_SETS];
void rc_store_size_set(struct rc_event_set *set, const void *results, size_t block);
int rc_store_check_suite(const void *results, size_t events, struct rc_error *err);
int rc_store_put_suite(hid_t group, const struct rc_store_kind *kind,
                       const void *results, struct rc_error *err);

/* suite.c: the events of a kind under a name in the group of a suite, so that
 * whoever opens the suite finds all labels in it.
 */
int rc_store_link_events(hid_t group, const char *kind, struct rc_error *err);

/* suite.c: the labels of repetitions are their numbers, so that the dimension has a
 * scale as the others have.
 */
int rc_store_put_repetitions(hid_t group, size_t count, struct rc_error *err);

/* shape.c: attributes that older files do not have, and others not all of them;
 * 'offset' is that of the member of struct rc_store_campaign, a text.
 */
enum { RC_STORE_MADE_FROM = 4 };
struct rc_store_attribute {
    const char *name;
    size_t offset;
};
extern const struct rc_store_attribute rc_store_made_from[RC_STORE_MADE_FROM];

/* labels.c: a list of texts, and a table of two dimensions, which must be 'dims', from
 * a file that is being opened; they live as long as the store.
 */
#define RC_STORE_TABLE_MAX ((size_t)1 << 27) /* numbers in a table */
int rc_store_get_list(struct rc_store *store, hid_t group, const char *name,
                      const char *const **out, size_t *count, struct rc_error *err);
int rc_store_get_table(struct rc_store *store, hid_t group, const char *name,
                       hid_t type, const size_t dims[2], void **out,
                       struct rc_error *err);

/* Also of labels.c: opens the file and reads all that describes it.  Not
 * collective.
 */
int rc_store_read_labels(struct rc_store *store, struct rc_error *err);

/* Likewise: whether HDF5 survives reading the file, which a child process tries.  RC_OK
 * also for files that cannot be read, which a reader will be told.  Not collective; costs
 * as much as reading what describes the file and, if not only labels will be read, all of
 * small datasets.
 */
int rc_store_sandbox_read(const char *path, const struct rc_store_form *form,
                          enum rc_store_depth depth, struct rc_error *err);

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
/* define.c, for suite.c too */
int rc_store_check_name(const char *what, const char *name, struct rc_error *err);
int rc_store_check_open(const struct rc_store *store, struct rc_error *err);
/* From rank 0, where 'name' is not NULL, to all. */
void rc_store_tell_name(const struct rc_store *store, const char *name,
                        char out[RC_STORE_NAME_MAX + 1]);
/* Collective, after a definition that failed: whether rank 0 had begun to write it, on
 * all ranks.  A broken store is closed without HDF5, by all or by none.
 */
void rc_store_share_broken(struct rc_store *store);

#endif
