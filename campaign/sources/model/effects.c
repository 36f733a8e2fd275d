/* Reads "node 5e-3, core 2e-3, outlier 7 +3%, worker 1 +2%": what nodes, cores and
 * workers make of events.
 */
#include "campaign/base/text.h"
#include "campaign/sources/model/reader.h"

#include <inttypes.h>
#include <string.h>

#define BLANKS " \t\n"

enum { PIECE = 64, WORD = 32 };

/* A standard deviation over nodes or cores. */
static int read_deviation(const char *text, double *out)
{
    return rc_text_real(text, out) || *out < 0 || *out > 1 ? -1 : 0;
}

/* "7" or "0-12". */
static int read_numbers(char *text, struct rc_model_outlier *out)
{
    char *to = strchr(text, '-');
    uint64_t first, last;

    if (to)
        *to++ = 0;
    if (rc_text_count(text, &first) || rc_text_count(to ? to : text, &last) ||
        first > last || last > UINT32_MAX)
        return -1;
    out->first = (uint32_t)first;
    out->last = (uint32_t)last;
    return 0;
}

/* "+3%" or "-0.5%". */
static int read_percent(char *text, double *out)
{
    const size_t length = strlen(text);

    if (length < 3 || !strchr("+-", text[0]) || text[length - 1] != '%')
        return -1;
    text[length - 1] = 0;
    if (strchr("+-", text[1]) || rc_text_real(text, out) || *out < -100 || *out > 100)
        return -1;
    *out /= 100;
    return 0;
}

/* One effect, without the commas around it; -1: it is not an effect. */
static int read_piece(const char *text, size_t length, struct rc_model_effects *out)
{
    char piece[PIECE], word[3][WORD], more[2];
    struct rc_model_outlier outlier;

    if (length >= sizeof piece)
        return -1;
    memcpy(piece, text, length);
    piece[length] = 0;
    const int words =
        sscanf(piece, "%31s %31s %31s %1s", word[0], word[1], word[2], more);
    if (words == 2 && strcmp(word[0], "node") == 0)
        return read_deviation(word[1], &out->node);
    if (words == 2 && strcmp(word[0], "core") == 0)
        return read_deviation(word[1], &out->core);
    outlier.workers = words == 3 && strcmp(word[0], "worker") == 0;
    if (words != 3 || (!outlier.workers && strcmp(word[0], "outlier") != 0) ||
        out->outlier_count == RC_MODEL_OUTLIERS_MAX ||
        read_numbers(word[1], &outlier) || read_percent(word[2], &outlier.part))
        return -1;
    out->outlier[out->outlier_count++] = outlier;
    return 0;
}

int rc_model_read_effects(struct rc_model_reader *r, const char *text,
                          struct rc_model_effects *out)
{
    const char *const whole = text;

    if (!text)
        return r->status;
    *out = (struct rc_model_effects){.node = 0};
    for (;; text++) {
        const size_t length = strcspn(text, ",");
        if (read_piece(text, length, out))
            return rc_model_wrong(
                r, "effects",
                "found '%.60s', expected 'node R', 'core R', 'outlier N +P%%', 'worker "
                "N +P%%', at most %d of these two, with commas between, R up to 1 and "
                "P up to 100",
                whole, RC_MODEL_OUTLIERS_MAX);
        text += length;
        if (!*text)
            break;
    }
    for (size_t i = 0; i < out->outlier_count; i++)
        if (!out->outlier[i].workers && out->outlier[i].last >= r->model->nodes)
            return rc_model_wrong(r, "effects",
                                  "an outlier %" PRIu32
                                  " of %u nodes, which are numbered from 0",
                                  out->outlier[i].last, r->model->nodes);
    return r->status;
}
