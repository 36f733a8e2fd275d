/* No batch system: jobs are processes of this machine, in the background, one after the
 * other.
 */
#include "jobs/descriptors.h"
#include "jobs/templates/texts.h"

#include <string.h>

/* "running", or nothing: the job's record says how it ended. */
static void read_line(const char *line, const char *job, struct rc_job_answer *out)
{
    (void)job;
    if (strcmp(line, "running") == 0)
        rc_job_answer_add(out, RC_JOB_RUNNING, line, "");
}

const struct rc_scheduler rc_scheduler_local = {
    .name = "local",
    .summary = "this machine",
    .manual = "bash(1)",
    .directive = "",
    .signals = "",
    .whole_nodes = true,
    .one_node = true,
    .unlimited = true,
    .texts = {rc_template_local},
    .read_line = read_line,
    .silent_of_gone = true,
};
