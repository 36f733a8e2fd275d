/* checks.h - the doctor's checks: one finding for each
 *
 * A check never fails: what it cannot find out is a finding, too.
 */
#ifndef RC_CAMPAIGN_COMMANDS_CHECKS_H
#define RC_CAMPAIGN_COMMANDS_CHECKS_H

#include "campaign/machine/machine.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Severity.  PROBLEM: results will be wrong or missing. */
enum rc_level { RC_LEVEL_OK, RC_LEVEL_NOTE, RC_LEVEL_WARNING, RC_LEVEL_PROBLEM };
extern const char *const rc_level_names[];

struct rc_finding {
    const char *check; /* name: at most 14 bytes, the width of its column */
    enum rc_level level;
    char said[400]; /* the finding */
    char mend[400]; /* the remedy, or "" */
};

enum { RC_FINDINGS_MOST = 128 }; /* three times the number of PAPI's components */

struct rc_findings {
    struct rc_finding finding[RC_FINDINGS_MOST];
    size_t count;
};

/* Adds one finding; 'mend' may be NULL.  The text is formatted as by printf. */
void rc_finding_add(struct rc_findings *findings, const char *check,
                    enum rc_level level, const char *mend, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Checks this node; 'machine' may be NULL if it could not be opened, with the reason in
 * 'why'.  If a papi source opens, its counter set is written into 'counter_set', else
 * "".
 */
void rc_checks_of_node(struct rc_findings *findings, const struct rc_machine *machine,
                       const char *why, bool launched, const char *directory,
                       char *counter_set, size_t room);

/* Collective over 'comm': MPI, binding of the ranks, parallel HDF5 in
 * 'directory', ScaLAPACK.  Every rank gets the findings.
 */
void rc_checks_of_team(struct rc_findings *findings, MPI_Comm comm, bool launched,
                       const char *directory);

#endif
