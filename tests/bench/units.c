/* units - a campaign's units, a line for each: suite, source, status, repetitions,
 * ns in all, ns in sources and kernels; for overhead.sh.  units DIR
 */
#include "campaign/records/campaign.h"

#include <inttypes.h>
#include <stdio.h>

static void show(const struct rc_campaign *campaign,
                 const struct rc_campaign_unit *unit)
{
    const struct rc_campaign_kind *kind = &campaign->kind[unit->kind];
    uint32_t source = kind->group[unit->group].source;

    printf("%s %s %s %u %" PRIu64 " %" PRIu64 "\n", kind->suite[unit->suite].name,
           kind->record.source[source].name, rc_unit_status_names()[unit->status],
           unit->repetitions, unit->wall_ns, unit->kernel_ns);
}

int main(int argc, char **argv)
{
    struct rc_campaign *campaign;
    struct rc_error err = {.rank = -1};

    if (argc != 2) {
        fprintf(stderr, "units: expected the directory of a campaign\n");
        return 2;
    }
    if (rc_campaign_read(MPI_COMM_NULL, argv[1], &campaign, &err) != RC_OK) {
        fprintf(stderr, "units: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < campaign->unit_count; i++)
        show(campaign, &campaign->unit[i]);
    rc_campaign_close(campaign);
    return fflush(stdout) != 0;
}
