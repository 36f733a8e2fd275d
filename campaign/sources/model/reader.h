/* reader.h - what the parts of a machine file's reader share */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_READER_H
#define RC_CAMPAIGN_SOURCES_MODEL_READER_H

#include "campaign/base/yaml.h"
#include "campaign/sources/model/file.h"
#include "campaign/sources/model/schema.h"

/* A file while it is read. */
struct rc_model_reader {
    struct rc_yaml *file;   /* for its name and its lines in messages */
    struct rc_model *model; /* filled step by step */
    char where[64];         /* the part that is read: "events[3]" */
    uint64_t sum_bytes;     /* of the sums that were checked: what a file costs */
    int status;             /* RC_OK, or that of the first mistake */
    struct rc_error *err;
};

/* Mistakes are reported in the order in which they are found, and only the first: the
 * functions below return the reader's status, which stays, so that several of them may
 * be called before it is looked at.
 */

/* Blames the value of 'key' of the part that is read; NULL: the part itself. */
int rc_model_wrong(struct rc_model_reader *r, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Passes on what another module found wrong in the value of 'key'. */
int rc_model_pass_on(struct rc_model_reader *r, const char *key, int status,
                     const struct rc_error *problem);

/* RC_EUSAGE for a text with control characters or more than 'most' bytes: texts end up
 * in tables, one line each.  NULL passes.  A name must not be empty, too.
 */
int rc_model_check_line(struct rc_model_reader *r, const char *key, const char *text,
                        size_t most);
int rc_model_check_name(struct rc_model_reader *r, const char *text);

/* Values that may be left out: where 'text' is NULL, *out stays what it is. */
int rc_model_read_number(struct rc_model_reader *r, const char *key, const char *text,
                         unsigned least, unsigned most, unsigned *out);
int rc_model_read_scope(struct rc_model_reader *r, const char *text,
                        enum rc_scope *out);

/* Reads "node R, core R, outlier N +P%" in place of what *out held; where 'text' is
 * NULL *out stays.  'nodes' must have been read.
 */
int rc_model_read_effects(struct rc_model_reader *r, const char *text,
                          struct rc_model_effects *out);

/* Indices of what was read so far, or -1.  A register's name need not end with a 0. */
int rc_model_find_bank(const struct rc_model *m, const char *name);
int rc_model_find_register(const struct rc_model *m, const char *name, size_t length);

/* Reads one entry of 'events' into a line that is zero. */
int rc_model_read_event(struct rc_model_reader *r,
                        const struct rc_model_event_text *text,
                        struct rc_model_line *line);

#endif
