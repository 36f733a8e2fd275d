/* parts.h - what the files of the import command share */
#ifndef RC_CAMPAIGN_IMPORT_PARTS_H
#define RC_CAMPAIGN_IMPORT_PARTS_H

#include "campaign/base/memory.h"
#include "io/import/import.h"

/* One file that was found. */
struct rc_import_item {
    const char *path, *event;
    const struct rc_import_suite *suite;
    struct rc_import_file file; /* zeroed again where it is left out */
    const char *left_out;       /* why, or NULL */
    size_t order;               /* as it was found */
};

struct rc_import {
    const struct rc_import_format *format;
    struct rc_import_item *item; /* sorted by event, suite and order */
    size_t count, room;
    size_t left_out; /* items, and paths that are no items */
    size_t strange;  /* files in directories that are none of the format's */
    const struct rc_import_suite **suite; /* of which there is a file, by name */
    unsigned *decimals;                   /* of each suite: its scale */
    size_t suite_count;
    struct rc_pool *pool;
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

/* write.c: what was read as a campaign in 'dir', where there is none: journal,
 * campaign.yaml, campaign.h5.
 */
struct rc_import_target {
    const char *dir, *kind;
    const char *const *path; /* as given, for the origin */
    size_t path_count;
};
int rc_import_write(const struct rc_import *import,
                    const struct rc_import_target *target, struct rc_error *err);

/* records.c: the records before the units, and the units, each to 'emit'. */
struct rc_import_sink {
    int (*emit)(void *context, uint32_t type, const void *payload, size_t bytes,
                struct rc_error *err);
    void *context;
};
int rc_import_records(const struct rc_import *import,
                      const struct rc_import_target *target, const char *spec,
                      const struct rc_import_sink *sink, struct rc_error *err);

#endif
