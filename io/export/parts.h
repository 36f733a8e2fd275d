/* parts.h - shared by the formats of exports */
#ifndef RC_IO_EXPORT_PARTS_H
#define RC_IO_EXPORT_PARTS_H

#include "io/export/export.h"

#include "campaign/base/memory.h"
#include "io/text/json.h"

extern rc_export_write rc_export_json, rc_export_csv, rc_export_papi, rc_export_likwid,
    rc_export_perf, rc_export_perf_stat;

/* Checks that the file has the kinds and suites of the choice, and, with 'one_kind',
 * that there is just one kind: *kind is its number, or that of the first.
 */
int rc_export_check(const struct rc_store *file, const struct rc_export_choice *choice,
                    bool one_kind, size_t *kind, struct rc_error *err);
/* Whether a kind, or a suite, belongs to the choice. */
bool rc_export_takes_kind(const struct rc_export_choice *choice, const char *kind);
bool rc_export_takes_suite(const struct rc_export_choice *choice, const char *suite);

/* A block of a kind's events, and their results in a suite. */
struct rc_export_block {
    const struct rc_store_event *event;
    struct rc_event_columns columns; /* without a suite only 'first' and 'count' */
};

/* Calls 'put' with all events of a kind, block by block, until it fails.  'suite' NULL:
 * without a suite; otherwise it is number 'suite_number' of the kind.
 */
typedef int rc_export_put_block(void *context, const struct rc_export_block *block,
                                struct rc_error *err);
int rc_export_blocks(struct rc_store *file, size_t kind,
                     const struct rc_suite_result *suite, size_t suite_number,
                     rc_export_put_block *put, void *context, struct rc_error *err);

/* Notes that something of use was written, if 'holds' is true. */
void rc_export_note(const struct rc_export_choice *choice, bool holds);

/* Whether a metric goes into formats with which others count. */
bool rc_export_takes_metric(const struct rc_export_choice *choice,
                            const struct rc_metric_result *metric);

/* One export of one kind, metric by metric. */
enum { RC_EXPORT_PROCESSORS = 8 };
struct rc_export {
    struct rc_store *file;
    const struct rc_export_choice *choice;
    FILE *out, *left_out; /* left_out: a line for each metric that was left out */
    size_t kind;          /* its number in the file */
    struct rc_pool *pool; /* of names of events, and of made names */
    char processors[RC_EXPORT_PROCESSORS]; /* the kind's, see below */
    const char **used;                     /* names that were made */
    size_t used_count, used_room;          /* names, and allocated ones */
};

/* Begins an export of the choice's only kind; rc_export_close() in any case.  'out' and
 * 'left_out' are borrowed, and may be NULL if nothing is written to them.
 */
int rc_export_open(struct rc_export *x, struct rc_store *file,
                   const struct rc_export_choice *choice, FILE *out, FILE *left_out,
                   struct rc_error *err);
void rc_export_close(struct rc_export *x);

/* A growing text. */
struct rc_export_text {
    char *text;          /* ends with 0; NULL while it is empty; free() it */
    size_t length, room; /* bytes without the 0; allocated bytes */
    bool failed;         /* no memory: the text is not complete */
};
/* Appends formatted text; a failure is noted in 'failed'. */
void rc_export_add(struct rc_export_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Calls 'take' with each metric to be exported, until it fails.  'take' writes the
 * metric to x->out; 'text' is empty, serves to assemble it, and is freed afterwards.
 * If the format cannot express the metric, 'why' gets the reason and the metric is left
 * out, with a line in 'left_out' and, unless 'comment' is NULL, a comment in 'out' that
 * begins with 'comment'.  Contradicted metrics are left out likewise.
 */
enum { RC_EXPORT_WHY = 512 };
typedef int rc_export_take(struct rc_export *x, const struct rc_suite_result *suite,
                           const struct rc_metric_result *metric,
                           struct rc_export_text *text, char why[RC_EXPORT_WHY],
                           void *context, struct rc_error *err);
int rc_export_each(struct rc_export *x, const char *comment, rc_export_take *take,
                   void *context, struct rc_error *err);

/* A metric of the kind by its name, first of 'suite', else of another one, if it is to
 * be exported; NULL: there is none.
 */
const struct rc_metric_result *rc_export_metric(const struct rc_export *x,
                                                const struct rc_suite_result *suite,
                                                const char *name);

/* Reads a term's event; strings live as long as 'x'. */
int rc_export_event(struct rc_export *x, const struct rc_term *term,
                    struct rc_store_event *event, struct rc_error *err);

/* Writes the head of a file, as comments: its origin. */
void rc_export_origin(const struct rc_export *x, const char *comment, const char *what);

/* Makes a name of letters, digits and '_' from any other: "RC_DP_OPERATIONS"; a
 * different one each time; NULL: no memory.  It lives as long as 'x'.
 */
const char *rc_export_name(struct rc_export *x, const char *prefix, const char *name,
                           bool upper, size_t most);

/* The parts of a name of PAPI's: "pmu::EVENT:UMASK:u=1:k=1". */
struct rc_event_name {
    char event[128], mask[128]; /* letters, digits and "_.-" */
    bool generic;               /* from the kernel's own list */
    bool user, kernel;          /* levels that count */
};

/* Splits the event's name; returns why it has no name in other tools ("is not ..."), or
 * NULL.
 */
const char *rc_export_take_apart(const struct rc_store_event *event,
                                 struct rc_event_name *out);

/* Parts of the format "json" that the report uses, too: "campaign"; the members of a
 * suite, within its object, without the columns of events.
 */
void rc_export_json_campaign(struct rc_json *json,
                             const struct rc_store_campaign *campaign);
void rc_export_json_suite(struct rc_json *json, const struct rc_suite_result *suite);

/* Writes the members of a metric, within its object. */
void rc_export_json_metric(struct rc_json *json, const struct rc_suite_result *suite,
                           const struct rc_metric_result *metric);

/* Makes text fit for one line: characters of 'not' are replaced, control characters and
 * bytes that are not UTF-8 become '?'; cut to 'room'.
 */
const char *rc_export_line(char *out, size_t room, const char *text, const char * not );

/* The shortest decimal that reads back as the same number, without '+' in an exponent.
 */
enum { RC_EXPORT_NUMBER = 32 };
const char *rc_export_number(char out[RC_EXPORT_NUMBER], double value);

/* Cells of tables: a number, or NULL, an empty cell, where it is not known; a flag. */
const char *rc_export_cell(char out[RC_EXPORT_NUMBER], double value);
const char *rc_export_yes(bool flag);

/* Makes the line to type or paste for counting one metric: an EVENT line for PAPI, a
 * call of perf stat or of likwid-perfctr.  'why' gets the reason if the tool cannot
 * express it, else "".
 */
typedef int rc_export_line_of(struct rc_export *x, const struct rc_suite_result *suite,
                              const struct rc_metric_result *metric,
                              struct rc_export_text *out, char why[RC_EXPORT_WHY],
                              struct rc_error *err);
rc_export_line_of rc_export_papi_line, rc_export_perf_line, rc_export_likwid_line;

/* The tools that have such lines: "PAPI", "perf", "LIKWID". */
struct rc_export_tool {
    const char *name;
    rc_export_line_of *line_of;
};
enum rc_export_which {
    RC_EXPORT_PAPI,
    RC_EXPORT_PERF,
    RC_EXPORT_LIKWID,
    RC_EXPORT_TOOLS
};
extern const struct rc_export_tool rc_export_tools[RC_EXPORT_TOOLS];

/* The table of names, io/export/tool_names.txt. */
extern const char rc_export_tool_names[];

/* Finds the processors of the choice or of the kind's key, "...; perf_event 6: perf,
 * skx; ...", in the table: x->processors gets a letter for each, "": there is none.
 */
void rc_export_find_processors(struct rc_export *x);

enum { RC_EXPORT_NAME = 260 }; /* bytes of a name */

/* libpfm's name of the kind's processor; NULL: it is not in the table. */
const char *rc_export_processor(const struct rc_export *x, char out[RC_EXPORT_NAME]);

/* The event's own name in the tool's letters: "EVENT:MASK", "event.mask", "EVENT_MASK".
 */
void rc_export_spell(const struct rc_event_name *name, enum rc_export_which tool,
                     char out[RC_EXPORT_NAME]);

/* perf's or LIKWID's name of an event of the kind's processor: a name (LIKWID's with a
 * fixed counter is "INSTR_RETIRED_ANY:FIXC0"), or for perf a code,
 * "event=0xc7,umask=0x18".  Returns why there is none ("is not ..."), or NULL.
 */
const char *rc_export_tool_name(const struct rc_export *x, enum rc_export_which tool,
                                const struct rc_event_name *name,
                                char out[RC_EXPORT_NAME]);

/* PAPI's name of an event; 'name' itself if the table has none.  It lives as long as
 * 'x' and 'name'; NULL: no memory.
 */
const char *rc_export_papi_name(struct rc_export *x, const char *name);

/* Writes the lines of a metric as an object: "PAPI": {"line": ...}, or {"why": ...} if
 * the tool cannot express it, and so on.
 */
int rc_export_json_lines(struct rc_export *x, const struct rc_suite_result *suite,
                         const struct rc_metric_result *metric, const char *key,
                         struct rc_json *json, struct rc_error *err);

/* Adds the formula of a metric, with the text that 'put' adds for each metric in it.
 * 'put' returns the reason if the tool cannot express that metric, or NULL, and so does
 * this.
 */
typedef const char *rc_export_put_input(struct rc_export_text *out, const char *metric,
                                        void *context);
const char *rc_export_formula(struct rc_export_text *out, const char *formula,
                              rc_export_put_input *put, void *context);

/* How a tool writes sums; zeroed except the members that it needs. */
struct rc_export_sum {
    struct rc_export *x;
    const char *space; /* around operators and in parentheses: " " or "" */
    bool capitals;     /* in numbers: "1E-05" */
    /* Adds the event in the tool's spelling; otherwise returns a reason ("is not ...").
     */
    const char *(*put_event)(struct rc_export_text *out,
                             const struct rc_store_event *event,
                             struct rc_export_sum *sum);
    void *context; /* for put_event() */
    /* The present metric; set by rc_export_expression(). */
    const struct rc_suite_result *suite;
    struct rc_error *err;
    int status; /* not RC_OK: an event could not be read; 'err' has the error */
    char why[RC_EXPORT_WHY]; /* the last reason, with the name of the event */
};

/* Adds a metric: a sum of events, or its formula with the sums of its metrics in
 * parentheses; 'why' gets the reason if the tool cannot express it, else "".  Fails if
 * an event cannot be read.
 */
int rc_export_expression(struct rc_export_text *out, struct rc_export_sum *sum,
                         const struct rc_suite_result *suite,
                         const struct rc_metric_result *metric, char why[RC_EXPORT_WHY],
                         struct rc_error *err);

#endif
