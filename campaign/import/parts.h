/* parts.h - what the files of the import command share */
#ifndef RC_CAMPAIGN_IMPORT_PARTS_H
#define RC_CAMPAIGN_IMPORT_PARTS_H

#include "campaign/base/arena.h"
#include "io/import/import.h"

struct rc_journal;

/* One file that was found. */
struct rc_import_item {
    const char *path, *event;            /* the arena's */
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
    struct rc_arena arena;          /* of all but 'item' and the files */
    void (*tell)(const char *line); /* what is left out, and why; printable */
    const char *kind;               /* name of the kind of machine that was measured */
    const char *const *path;        /* as given, also for the origin */
    size_t path_count;
};

/* read.c: finds and reads the files.  'import' holds the format, 'tell' and the paths;
 * the caller calls rc_import_fini() in any case.  A file that cannot be used is
 * left out and told of, with those that do not have the points that most files of
 * their suite have.  RC_EMISSING: nothing is left.
 */
int rc_import_read(struct rc_import *import, struct rc_error *err);
void rc_import_fini(struct rc_import *import);

/* records.c: appends what was read to the journal, as the records of a campaign with
 * one kind.  'import' is a struct rc_import: for rc_merge_stage_write().  On failure
 * some may have been appended.
 */
int rc_import_records(void *import, struct rc_journal *journal, struct rc_error *err);

/* spec.c: a METRICS.SPEC as a file of trees at 'to' (NULL: the standard output).  Where
 * it is not 'surely' one, *is tells whether its text is; a file that cannot be read is
 * left to others then.
 */
int rc_import_spec(const char *path, const char *to, bool surely, bool *is,
                   struct rc_error *err);

#endif
