/* The panel 'curves': rates over the size of data, of all kinds, with their plateaus. */
#include "io/report/parts.h"
#include "io/report/rates.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 5 };

bool rc_report_has_rates(const void *report)
{
    const struct rc_report *r = report;
    size_t rates = 0;

    for (size_t k = 0, count; r->metrics && k < rc_store_kind_count(r->metrics); k++) {
        rc_metrics_rates(r->metrics, k, &count);
        rates += count;
    }
    return rates > 0;
}

/* The points by rising size: numbers over the nodes, and each node's median, least and
 * best.
 */
static void put_points(const struct rc_rate_result *r, const struct rc_rate_curve *c,
                       struct rc_json *json)
{
    static const struct {
        const char *name;
        size_t at;
    } column[] = {{"best", offsetof(struct rc_rate_at, best)},
                  {"median", offsetof(struct rc_rate_at, median)},
                  {"low", offsetof(struct rc_rate_at, low)},
                  {"high", offsetof(struct rc_rate_at, high)}};
    const struct {
        const char *name;
        const double *value;
    } node[] = {{"medians", r->median}, {"leasts", r->least}, {"bests", r->best}};

    rc_json_array(json, "bytes");
    for (size_t i = 0; i < c->count; i++)
        rc_json_integer(json, NULL, c->at[i].bytes);
    rc_json_end(json);
    for (size_t k = 0; k < sizeof column / sizeof *column; k++) {
        rc_json_array(json, column[k].name);
        for (size_t i = 0; i < c->count; i++) {
            double value;
            memcpy(&value, (const char *)&c->at[i] + column[k].at, sizeof value);
            rc_json_short(json, NULL, value, DIGITS);
        }
        rc_json_end(json);
    }
    for (size_t k = 0; k < sizeof node / sizeof *node; k++) {
        rc_json_array(json, node[k].name); /* [node][point] */
        for (size_t n = 0; n < r->node_count; n++)
            for (size_t i = 0; i < c->count; i++)
                rc_json_short(json, NULL,
                              node[k].value[n * r->point_count + c->at[i].point],
                              DIGITS);
        rc_json_end(json);
    }
}

void rc_rate_put_curve(const struct rc_rate_result *r, const struct rc_rate_curve *c,
                       struct rc_json *json)
{
    rc_json_object(json, NULL);
    rc_json_text(json, "kernel", c->kernel);
    rc_json_text(json, "variant", c->variant);
    rc_json_integer(json, "workers", c->workers);
    put_points(r, c, json);
    rc_json_array(json, "levels");
    for (size_t l = 0; l < c->levels; l++) {
        const struct rc_rate_level *level = &c->level[l];
        rc_json_object(json, NULL);
        rc_json_text(json, "level", level->name);
        rc_json_integer(json, "cache", level->bytes);
        rc_json_integer(json, "plateau",
                        level->plateau == SIZE_MAX ? -1 : (int64_t)level->plateau);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_end(json);
}

/* A list by kind of the store, each of the rates of that kind. */
int rc_report_rates(struct rc_json *json, const void *report, struct rc_error *err)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_rate_result, name, unit, convention, formula, suite), {0}};
    const struct rc_report *r = report;

    rc_json_array(json, NULL);
    for (size_t k = 0; k < rc_store_kind_count(r->store); k++) {
        const size_t in = rc_report_metrics_kind(r, k);
        size_t count = 0;
        const struct rc_rate_result *rate =
            in == SIZE_MAX ? NULL : rc_metrics_rates(r->metrics, in, &count);
        rc_json_array(json, NULL);
        for (size_t i = 0; i < count; i++) {
            struct rc_rate_curves curves = {.count = 0};
            const int status = rc_rate_curves_make(&rate[i], &curves, err);
            if (status != RC_OK)
                return status;
            rc_json_object(json, NULL);
            rc_json_members(json, members, &rate[i]);
            rc_json_flag(json, "simulated", rc_store_kind(r->metrics, in)->simulated);
            rc_json_integer(json, "repetitions", (int64_t)rate[i].repetitions);
            rc_json_texts(json, "nodes", rate[i].node, rate[i].node_count);
            rc_json_array(json, "curves");
            for (size_t c = 0; c < curves.count; c++)
                rc_rate_put_curve(&rate[i], &curves.curve[c], json);
            rc_json_end(json);
            rc_json_end(json);
            rc_arena_free(&curves.arena);
        }
        rc_json_end(json);
    }
    return RC_OK;
}
