/* parts.h - what the files of the import command share */
#ifndef RC_CAMPAIGN_IMPORT_PARTS_H
#define RC_CAMPAIGN_IMPORT_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "io/import/import.h"

struct rc_journal;

/* One file that was found. */
struct rc_import_item {
    const char *path, *event;            /* the pool's */
    const struct rc_import_suite *suite; /* of the format, by the file's name */
    struct rc_import_file file;          /* zeroed again where it is left out */
    const char *left_out;                /* why, or NULL */
    size_t order;                        /* as it was found */
    size_t number;                       /* of the event in rc_import.event */
};

/* A suite and its items, which stand together: [first, end). */
struct rc_import_part {
    const struct rc_import_suite *suite;
    const struct rc_import_file *sample; /* one that is used: all have its points */
    size_t first, end;
    unsigned decimals; /* that all its numbers are kept with */
};

struct rc_import {
    const struct rc_import_format *format; /* that all files are in */
    struct rc_import_item *item;           /* sorted by suite, event and order */
    size_t count, room;
    size_t left_out; /* items, and paths that are no items */
    size_t strange;  /* files in directories that are none of the format's */
    struct rc_import_part *part; /* suites of which a file is used, by name */
    size_t part_count;
    const char **event; /* of all items, each once, sorted */
    size_t event_count;
    struct rc_pool *pool;           /* of paths, events and reasons */
    void (*tell)(const char *line); /* what is left out, and why; printable */
};

/* read.c: finds and reads the files.  'import' holds the format and 'tell'; the
 * caller calls rc_import_fini() in any case.  A file that cannot be used is
 * left out and told of, with those that do not have the points that most files of
 * their suite have.  RC_EMISSING: nothing is left.
 */
int rc_import_read(struct rc_import *import, const char *const *path, size_t count,
                   struct rc_error *err);
void rc_import_fini(struct rc_import *import);

/* The campaign that is made. */
struct rc_import_target {
    const char *dir;         /* where it is to be */
    const char *kind;        /* name of the kind of machine that was measured */
    const char *const *path; /* as given, for the origin */
    size_t path_count;
};

/* records.c: appends what was read to the journal, as the records of a campaign with
 * one kind.  On failure some may have been appended.
 */
int rc_import_records(const struct rc_import *import,
                      const struct rc_import_target *target, struct rc_journal *journal,
                      struct rc_error *err);

#endif
