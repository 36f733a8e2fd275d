/* What may be a job's id. */
#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "campaign/submit/job_list.h"
#include "campaign/submit/script.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rc_job_list_is_id(const char *id)
{
    char printable[RC_SUBMIT_JOB_ID];

    if (!id[0] || id[0] == '-' || strlen(id) >= RC_SUBMIT_JOB_ID ||
        strcmp(rc_text_printable(printable, sizeof printable, id), id) != 0)
        return false;
    for (; *id; id++)
        if (!isalnum((unsigned char)*id) && !strchr("_.-[]@:;", *id) &&
            (unsigned char)*id < 0x80)
            return false;
    return true;
}
