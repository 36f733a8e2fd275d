/* The report of a directory that has detours and no campaign: the time that cores lost,
 * and the causes, as text or as a page.
 */
#include "campaign/detours/losses.h"
#include "campaign/records/campaign.h"
#include "campaign/report/parts.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

bool rc_report_has_only_detours(const char *dir)
{
    struct rc_error ignored = {.rank = -1};
    struct rc_campaign *campaign = NULL;
    const bool only =
        rc_campaign_read(MPI_COMM_NULL, dir, &campaign, &ignored) == RC_OK &&
        campaign->kind_count == 0 && campaign->detours > 0;

    rc_campaign_close(campaign);
    return only;
}

/* "vm core 1 lost most of all cores: 42.9 % of the time"; the tables follow. */
int rc_report_detours_text(FILE *out, void *dir, struct rc_error *err)
{
    struct rc_noise_losses losses;
    const struct rc_noise_loss *most = NULL;
    int status = rc_noise_losses_read(MPI_COMM_NULL, dir, &losses, err);

    if (status != RC_OK ||
        (status = rc_noise_together_find(MPI_COMM_NULL, dir, &losses, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < losses.count; i++)
        if (!losses.loss[i].work[0] && (!most || losses.loss[i].lost > most->lost))
            most = &losses.loss[i];
    if (most)
        fprintf(out, "%s core %u lost most of all cores: %.3g %% of the time\n\n",
                most->node, most->core, 100 * most->lost);
    status = rc_noise_losses_show(&losses, out, RC_FORMAT_TEXT, NULL, err);
out:
    rc_noise_losses_fini(&losses);
    return status;
}

int rc_report_detours_page(FILE *out, void *dir, struct rc_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    int status = memory ? rc_report_detours_text(memory, dir, err)
                        : rc_fail(err, RC_ENOMEM, "no memory for the report");

    if (memory && fclose(memory) != 0 && status == RC_OK)
        status = rc_fail(err, RC_ENOMEM, "no memory for the report");
    if (status == RC_OK) {
        fputs("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
              "<title>rollcall: noise</title><h1>Noise: who took the cores' time</h1>"
              "<pre>\n",
              out);
        for (size_t i = 0; i < bytes; i++)
            if (text[i] == '<' || text[i] == '&')
                fputs(text[i] == '<' ? "&lt;" : "&amp;", out);
            else
                putc(text[i], out);
        fputs("</pre></html>\n", out);
    }
    free(text);
    return status;
}
