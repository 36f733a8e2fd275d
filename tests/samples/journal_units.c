/* journal_units.c - lists what is whole in journals, for scripts: a line for each
 * record of a unit, "unit KIND SUITE GROUP PLACE", or "part ..." of one that was
 * interrupted, then for each file "damage BYTES".
 */
#include "campaign/base/text.h"
#include "campaign/records/record.h"
#include "io/journal/journal.h"

#include <inttypes.h>
#include <stdio.h>

static int show(void *user, const struct rc_journal_record *record,
                struct rc_error *err)
{
    struct rc_record_unit unit;
    char place[512];

    (void)user;
    if (record->type != RC_RECORD_UNIT)
        return RC_OK;
    int status = rc_record_get_unit(record->payload, record->bytes, &unit, err);
    if (status == RC_OK)
        printf("%s %016" PRIx64 " %u %u %s\n",
               unit.stop == RC_STOP_INTERRUPTED ? "part" : "unit", unit.kind,
               unit.suite, unit.group,
               rc_text_printable(place, sizeof place, unit.place));
    return status;
}

int main(int argc, char **argv)
{
    const struct rc_journal_visitor visitor = {.record = show};
    struct rc_journal_report report;
    struct rc_error err = {.rank = -1};

    for (int i = 1; i < argc; i++) {
        if (rc_journal_scan(argv[i], NULL, &visitor, &report, &err) != RC_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        printf("damage %" PRIu64 "\n", report.damaged_bytes);
    }
    return fflush(stdout) != 0;
}
