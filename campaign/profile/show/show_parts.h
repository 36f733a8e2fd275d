/* show_parts.h - inside of show*.c and page.c only: the tables of a profile */
#ifndef RC_CAMPAIGN_PROFILE_SHOW_SHOW_PARTS_H
#define RC_CAMPAIGN_PROFILE_SHOW_SHOW_PARTS_H

#include "campaign/profile/read/sums.h"
#include "io/text/rows.h"
#include "io/text/terminal.h"

enum { RC_PROFILE_RANK_TEXT = 64 };
/* "rank 3", or "pid 4711 on n0"; "" where there is no rank.  Returns 'out'. */
const char *rc_profile_rank_text(const struct rc_profile_sums *sums, size_t rank,
                                 char out[RC_PROFILE_RANK_TEXT]);

/* show.c: the first paragraph, what ran, for how long, and how much of it was in MPI;
 * all that there is as members of the object that is open.
 */
void rc_profile_show_head(struct rc_page *page, const struct rc_profile_sums *s);
int rc_profile_show_json(const struct rc_profile_sums *s, struct rc_json *json,
                         struct rc_error *err);

/* show.c: after these as members "passes", with what threads counted in them, and where
 * 'metrics' is not NULL "metrics" of that campaign.
 */
int rc_profile_show_more(const struct rc_profile_sums *s, const char *dir,
                         const char *metrics, struct rc_json *json,
                         struct rc_error *err);

/* show_tables.c: tables for people and, with 'json', arrays in the object that is open
 * there.  For people at most 'most' rows, and of many nodes one row for each event.
 */
int rc_profile_show_regions(const struct rc_profile_sums *sums, size_t most,
                            struct rc_json *json, struct rc_error *err);
int rc_profile_show_counts(const struct rc_profile_sums *sums, size_t most,
                           struct rc_json *json, struct rc_error *err);
int rc_profile_show_calls(const struct rc_profile_sums *sums, struct rc_json *json,
                          struct rc_error *err);
/* The same of calls whose ranks' nodes are known, by these. */
int rc_profile_show_nodes(const struct rc_profile_sums *sums, struct rc_json *json,
                          struct rc_error *err);
/* show_stacks.c: where samples of stacks were; whether there are any, or the budget
 * left none.
 */
bool rc_profile_has_samples(const struct rc_profile_sums *sums);
int rc_profile_show_libraries(const struct rc_profile_sums *sums, size_t most,
                              struct rc_json *json, struct rc_error *err);
void rc_profile_show_most(struct rc_page *page, const struct rc_profile_sums *sums);
int rc_profile_show_functions(const struct rc_profile_sums *sums, size_t most,
                              struct rc_json *json, struct rc_error *err);
int rc_profile_show_series(const struct rc_profile_sums *sums, struct rc_json *json,
                           struct rc_error *err);
int rc_profile_show_phases(const struct rc_profile_sums *sums, size_t most,
                           struct rc_json *json, struct rc_error *err);

/* show_rates.c: what was recorded less to keep within the budget, a row for each name;
 * how many changes there were; what one of them is of, in words.
 */
int rc_profile_show_rates(const struct rc_profile_sums *sums, struct rc_json *json,
                          struct rc_error *err);
size_t rc_profile_rate_count(const struct rc_profile_sums *sums);
const char *rc_profile_rate_what(const struct rc_profile_rate *rate);
const char *rc_profile_rate_name(const struct rc_profile_node *node,
                                 const struct rc_profile_rate *rate, char *out,
                                 size_t room); /* returns 'out' */

/* show_csv.c: a row for each call path, count, row of MPI calls and series. */
int rc_profile_show_csv(const struct rc_profile_sums *sums, const char *within,
                        enum rc_format format, struct rc_error *err);

/* show_remarks.c: the cost of the profile; what is lost in a launch, and of the
 * journals of all launches, a line for each sort, told to 'tell'.
 */
struct rc_profile_costs {
    double sampler_ns, program_ns; /* processor time */
    double own_ns;                 /* what the library took in the program's threads */
    double samples_ns;             /* what samples of stacks took there */
    double crowded_ns; /* what samplers took that had no processor of their own */
    double start_ns;   /* the longest that a node waited for its sampler */
    double longer_ns;  /* the program takes so much longer, by all of these */
    uint64_t entries, calls, visits;
    uint64_t exchanges; /* of waiting: the most that a rank took part in */
    double exchange_ns; /* of all ranks */
};
struct rc_profile_costs rc_profile_cost_of(const struct rc_profile_sums *sums);
void rc_profile_say_lost(const struct rc_profile_sums *sums,
                         void (*tell)(void *arg, const char *line), void *arg);
void rc_profile_say_damage(const struct rc_profile *profile,
                           void (*tell)(void *arg, const char *line), void *arg);

#endif
