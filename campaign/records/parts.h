/* parts.h - the composition of each type of record */
#ifndef RC_CAMPAIGN_RECORDS_PARTS_H
#define RC_CAMPAIGN_RECORDS_PARTS_H

#include "campaign/records/record.h"
#include "io/payload/form.h"

/* Version of campaigns' records; other journals have versions of their own. */
#define RC_RECORD_VERSION 6

/* Codes of a value of a reading: these, or 2 plus the zigzag of its difference. */
#define RC_VALUE_NONE 0
#define RC_VALUE_FULL 1 /* the difference follows in 8 bytes */
#define RC_VALUE_CODES 2

/* The composition of a type of record: one struct of the form, or, where 'number_bytes'
 * is not 0, numbered things of a kind: the kind, the number of the first in so many
 * bytes, and a list of such structs (with 4 bytes: just one, without a count).
 */
struct rc_record_shape {
    const char *what; /* "a kind": for messages */
    const struct rc_form *form;
    uint8_t number_bytes;
};
const struct rc_record_shape *rc_record_shape(uint32_t type); /* NULL: unknown */

/* Events, suites or groups of a kind. */
struct rc_record_list {
    uint64_t kind, first;
    size_t count;
    const void *item; /* struct rc_record_event, _suite or _group */
};
void rc_list_get(struct rc_in *in, const struct rc_record_shape *shape,
                 struct rc_record_list *list);

#endif
