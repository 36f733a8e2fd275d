/* parts.h - shared by the files of the import command */
#ifndef RC_CAMPAIGN_IMPORT_PARTS_H
#define RC_CAMPAIGN_IMPORT_PARTS_H

#include "campaign/base/arena.h"
#include "io/import/import.h"

struct rc_journal;

/* One result file. */
struct rc_import_item {
    const char *path, *event;            /* the arena's */
    const struct rc_import_suite *suite; /* of the format, by the file's name */
    struct rc_import_file file;          /* zeroed if the file is left out */
    const char *left_out;                /* the reason, or NULL */
    size_t order;                        /* in which the files were found */
    size_t number;                       /* index of the event in rc_import.event */
};

/* A suite and its items, which are neighbours: [first, end). */
struct rc_import_part {
    const struct rc_import_suite *suite;
    const struct rc_import_file *sample; /* a file that is used: all have its points */
    size_t first, end;
    unsigned decimals; /* of all its numbers in the campaign */
};

struct rc_import {
    const struct rc_import_format *format; /* of all files */
    struct rc_import_item *item;           /* sorted by suite, event and order */
    size_t count, room;
    size_t left_out;             /* items, and paths that are not items */
    size_t strange;              /* other files in the directories */
    struct rc_import_part *part; /* suites of which a file is used, by name */
    size_t part_count;
    const char **event; /* of all items, each once, sorted */
    size_t event_count;
    struct rc_arena arena;          /* of all but 'item' and the files */
    void (*tell)(const char *line); /* gets a line on each thing that is left out */
    const char *kind;               /* name of the measured kind of machine */
    const char *const *path;        /* as given, also for the origin */
    size_t path_count;
};

/* read.c: finds and reads the files.  'import' has the format, 'tell' and the paths;
 * the caller calls rc_import_fini() in any case.  A file that cannot be used is left
 * out and reported; so is one that does not have the points of most files of its suite.
 * RC_EMISSING: nothing is left.
 */
int rc_import_read(struct rc_import *import, struct rc_error *err);
void rc_import_fini(struct rc_import *import);

/* records.c: appends the results to the journal, as the records of a campaign with one
 * kind.  'import' is a struct rc_import: for rc_merge_stage_write().  On failure some
 * records may have been appended.
 */
int rc_import_records(void *import, struct rc_journal *journal, struct rc_error *err);

/* spec.c: writes a METRICS.SPEC as a file of trees to 'to' (NULL: the standard output).
 * If the file need not be one ('surely' is false), *is says whether it is; then it is
 * not an error if it cannot be read.
 */
int rc_import_spec(const char *path, const char *to, bool surely, bool *is,
                   struct rc_error *err);

#endif
