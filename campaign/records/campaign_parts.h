/* campaign_parts.h - inside of campaign*.c only */
#ifndef RC_CAMPAIGN_RECORDS_CAMPAIGN_PARTS_H
#define RC_CAMPAIGN_RECORDS_CAMPAIGN_PARTS_H

#include "campaign/records/campaign.h"

/* The index of 'text' in a sorted list, or 'count'. */
size_t rc_campaign_find_text(const char *const *list, size_t count, const char *text);

/* The place of a record.  Ranks exchange it as bytes, followed by the payload. */
struct rc_campaign_where {
    uint64_t sequence, offset, bytes; /* of the payload */
    uint32_t writer, file, type;
};

/* The head of a unit's record; the texts of its place and node follow, each with its 0.
 */
struct rc_campaign_head {
    struct rc_campaign_unit unit; /* without kind, place and node */
    uint64_t kind;                /* its id */
    uint32_t events, points;
};

/* The first record, in the order of the files, that was not understood. */
struct rc_refusal {
    uint64_t count;  /* of all records that were not understood */
    uint64_t offset; /* of the first one, in its file */
    uint32_t file;   /* the campaign's number of the file */
    char text[192];  /* what is wrong with it */
};

/* The findings of one rank in one file. */
struct rc_campaign_found {
    struct rc_bytes others; /* struct rc_campaign_where and the payload, one by one */
    struct rc_bytes heads;  /* struct rc_campaign_head and two texts, one by one */
    struct rc_refusal refusal;
    uint64_t detours; /* number of these records, and a number above their rounds */
    uint32_t next_round;
};

/* Journals that are being read. */
struct rc_campaign_reading {
    MPI_Comm comm;                   /* of the ranks that read together */
    struct rc_campaign *campaign;    /* that is built */
    struct rc_campaign_found *found; /* by file; filled by the rank that scans it */
    uint32_t file;                   /* the one that is being scanned */
    struct rc_bytes all;             /* bytes gathered from all ranks */
    struct rc_refusal refusal;       /* of all files */
};

/* Counts a refusal and keeps the first in the order of files and offsets, in whatever
 * order they come.
 */
void rc_campaign_refuse(struct rc_refusal *refusal, uint32_t file, uint64_t offset,
                        const char *text);

/* campaign_units.c: makes the units from the heads in reading->all, which all ranks
 * have.
 */
int rc_campaign_take_units(struct rc_campaign_reading *reading, struct rc_error *err);

#endif
