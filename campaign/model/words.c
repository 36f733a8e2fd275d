/* Points, numbers, warnings and the origin of a model in words. */
#include "campaign/model/parts.h"

#include "campaign/base/text.h"
#include "io/text/terminal.h"

#include <math.h>
#include <string.h>

enum { WORDS = 32, NAMED = 3 };

const char *rc_model_put_point(const struct rc_measured *m, const double *at,
                               char out[RC_MODEL_TEXT])
{
    out[0] = 0;
    for (size_t i = 0; i < m->parameters; i++)
        rc_text_append(out, RC_MODEL_TEXT, "%s%s=%.10g", i ? ", " : "", m->parameter[i],
                       at[i]);
    return out;
}

const char *rc_model_put_number(const char *unit, double value,
                                char out[RC_MODEL_NUMBER])
{
    static const struct {
        double least, scale;
        const char *unit;
    } scales[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    size_t i = 0;

    if (strcmp(unit, "s") == 0) {
        while (i + 1 < sizeof scales / sizeof *scales && fabs(value) < scales[i].least)
            i++;
        value *= scales[i].scale;
        unit = value == 0 ? "s" : scales[i].unit;
    }
    const bool bare = !unit[0] || strcmp(unit, "1") == 0;
    snprintf(out, RC_MODEL_NUMBER, "%.*g%s%.20s", value >= 1000 && value < 1e6 ? 6 : 3,
             value >= 1000 && value < 1e6 ? round(value) : value, bare ? "" : " ",
             bare ? "" : unit);
    return out;
}

static uint32_t words_of(const struct rc_model *model, size_t series, const double *at)
{
    return at ? rc_model_series_at(model, series, at).words
              : (uint32_t)model->laws.fit[series].words;
}

void rc_model_say_words(const struct rc_model *model, size_t metric, const double *at,
                        FILE *out)
{
    const struct rc_measured *m = model->measured;
    struct rc_page page;
    bool any = false;

    rc_page_init(&page, out);
    for (unsigned bit = 0; bit < WORDS; bit++) {
        size_t have = 0, all = 0;
        for (size_t i = 0; i < m->series; i++) {
            all += m->of[i].metric == metric;
            have += m->of[i].metric == metric && words_of(model, i, at) >> bit & 1;
        }
        if (have == 0)
            continue;
        any = true;
        rc_page_line(&page, 0, "note:");
        rc_page_words(&page, "%s", rc_laws_word_text((enum rc_laws_word)(1u << bit)));
        if (have == all) {
            rc_page_words(&page, "(all kernels)");
            continue;
        }
        size_t named = 0;
        for (size_t i = 0; i < m->series && named < NAMED; i++)
            if (m->of[i].metric == metric && words_of(model, i, at) >> bit & 1) {
                rc_page_word(&page, named ? "" : "(");
                rc_page_tail(&page, m->kernel[m->of[i].kernel]);
                rc_page_tail(&page, ++named < have ? "," : ")");
            }
        if (have > NAMED)
            rc_page_words(&page, "and %zu more)", have - NAMED);
    }
    rc_page_end(&page);
    if (any)
        fputc('\n', out);
    rc_page_fini(&page);
}

void rc_model_say_origin(const struct rc_model *model, FILE *out)
{
    const struct rc_measured *m = model->measured;
    size_t least = SIZE_MAX, most = 0;
    struct rc_page page;

    for (size_t i = 0; i < m->series; i++)
        for (size_t p = 0; p < m->points; p++) {
            const size_t have = m->of[i].first[p + 1] - m->of[i].first[p];
            least = have > 0 && have < least ? have : least;
            most = have > most ? have : most;
        }
    rc_page_init(&page, out);
    rc_page_words(&page, "From %zu point%s of", m->points, rc_text_s(m->points));
    for (size_t i = 0; i < m->parameters; i++)
        rc_page_words(&page, "%s%s", m->parameter[i],
                      i + 1 < m->parameters ? "," : ";");
    if (least < most)
        rc_page_words(&page, "%zu to", least);
    rc_page_words(&page, "%zu reading%s each;", most, rc_text_s(most));
    const size_t whole = rc_model_find_whole(m, rc_model_main_metric(m));
    if (whole < m->series) {
        rc_page_word(&page, m->kernel[m->of[whole].kernel]);
        rc_page_words(&page, "holds the other kernels, so that its time is the whole;");
    }
    if (model->kernels > 0) {
        size_t alone = 0;
        for (size_t i = 0; i < model->kernels; i++)
            alone += model->kernel[i].why != RC_MODEL_REST;
        rc_page_words(&page,
                      "%zu of %zu kernels have laws of their own, with %.4g %% of the "
                      "time or more at each point;",
                      alone, model->kernels, 100 * model->coverage);
    }
    rc_page_words(&page, "method %s;%s", model->method,
                  model->simulated ? " some numbers are simulated;" : "");
    for (size_t i = 0; i < model->sources && i < NAMED; i++)
        rc_page_listed(&page, model->source[i],
                       i + 1 < model->sources && i + 1 < NAMED ? "," : "");
    if (model->sources > NAMED)
        rc_page_words(&page, "and %zu more", model->sources - NAMED);
    rc_page_words(&page, "(%s).", m->origin);
    rc_page_end(&page);
    rc_page_fini(&page);
}
