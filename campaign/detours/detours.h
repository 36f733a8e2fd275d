/* detours.h - the detours that a directory's journals hold
 *
 * They stand in journals of their own, DIR/journal/NODE.noise.rcj, so that who looks
 * for them need not read a campaign's readings.  struct rc_noise_detours is what one
 * core measured in one go.
 */
#ifndef RC_CAMPAIGN_DETOURS_DETOURS_H
#define RC_CAMPAIGN_DETOURS_DETOURS_H

#include "campaign/records/detours.h"

#include <mpi.h>

/* The end of the name of a journal of detours, after its node's. */
#define RC_NOISE_JOURNAL ".noise"

/* Called for each record on the rank that read it; 'd' and 'record' live until it
 * returns.  A journal that was copied delivers a record twice: with the same writer and
 * sequence.  Any status but RC_OK ends the reading of this rank.
 */
typedef int rc_noise_detours_visit(void *user, const struct rc_noise_detours *d,
                                   const struct rc_journal_record *record,
                                   struct rc_error *err);

/* The contents of all journals; the same on every rank. */
struct rc_noise_journals {
    struct rc_journal_id campaign;
    uint64_t records;        /* that were understood */
    uint64_t refused;        /* whole in the journal, but not understood */
    uint64_t damaged_places; /* runs of bytes that are not a whole record */
};

/* Collective over 'comm' (or alone): each journal of detours is read by one rank.
 * Without any the result is RC_OK and no record.  RC_ECONFLICT: files of several
 * campaigns.
 */
int rc_noise_detours_read(MPI_Comm comm, const char *dir, rc_noise_detours_visit *visit,
                          void *user, struct rc_noise_journals *out,
                          struct rc_error *err);

#endif
