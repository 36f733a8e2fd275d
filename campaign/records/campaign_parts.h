/* campaign_parts.h - inside of campaign*.c only */
#ifndef RC_CAMPAIGN_RECORDS_CAMPAIGN_PARTS_H
#define RC_CAMPAIGN_RECORDS_CAMPAIGN_PARTS_H

#include "campaign/records/campaign.h"

/* The index of 'text' in a sorted list, or 'count'. */
size_t rc_campaign_find_text(const char *const *list, size_t count, const char *text);

/* Where a record is.  Goes from rank to rank as bytes, with what follows. */
struct rc_campaign_where {
    uint64_t sequence, offset, bytes; /* of the payload */
    uint32_t writer, file, type;
};

/* Of a unit; the texts of its place and node follow, each with its 0. */
struct rc_campaign_head {
    struct rc_campaign_unit unit; /* without kind, place and node */
    uint64_t kind;                /* its id */
    uint32_t events, points;
};

/* The first record, in the order of the files, that was not understood. */
struct rc_refusal {
    uint64_t count;  /* of all that were not understood */
    uint64_t offset; /* of the first one, in its file */
    uint32_t file;   /* the campaign's number of the file */
    char text[192];  /* what is wrong with it */
};

/* What one rank found in one file. */
struct rc_campaign_found {
    struct rc_bytes others; /* struct rc_campaign_where and the payload, one by one */
    struct rc_bytes heads;  /* struct rc_campaign_head and two texts, one by one */
    struct rc_refusal refusal;
    uint64_t detours; /* records of them, and a number above their rounds */
    uint32_t next_round;
};

/* Journals that are being read. */
struct rc_campaign_reading {
    MPI_Comm comm;                   /* of the ranks that read together */
    struct rc_campaign *campaign;    /* what becomes of it */
    struct rc_campaign_found *found; /* by file; of those that this rank scans */
    uint32_t file;                   /* that is being scanned */
    struct rc_bytes all;             /* what the ranks told each other */
    struct rc_refusal refusal;       /* of all files */
};

/* Counts a refusal and keeps the first, whatever the order in which ranks and
 * records come.
 */
void rc_campaign_refuse(struct rc_refusal *refusal, uint32_t file, uint64_t offset,
                        const char *text);

/* campaign_units.c: from the heads in reading->all, which all ranks have. */
int rc_campaign_take_units(struct rc_campaign_reading *reading, struct rc_error *err);

#endif
