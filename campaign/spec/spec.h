/* spec.h - the campaign file: what is to be measured, and how
 *
 * A campaign file says everything that options say, plus lists.  Options go
 * before the file, the file before the defaults.  docs/formats/campaign-file.md is its
 * manual for users.
 */
#ifndef RC_CAMPAIGN_SPEC_SPEC_H
#define RC_CAMPAIGN_SPEC_SPEC_H

#include "campaign/base/arena.h"
#include "campaign/base/files/file.h"
#include "campaign/base/words.h"
#include "campaign/cli/args.h"
#include "campaign/sources/source.h"
#include "campaign/spec/patterns.h"
#include "kernels/axes.h"
#include "solve/definitions/definitions.h"

#include <stdbool.h>
#include <stdint.h>

/* A list of strings, in the spec's arena. */
struct rc_list {
    char **item; /* 'room' of them are allocated */
    size_t count, room;
};

/* At how many places a unit is measured that could be measured anywhere. */
enum rc_replicate {
    RC_REPLICATE_NONE, /* once in each kind */
    RC_REPLICATE_NODE, /* once on each node */
    RC_REPLICATE_CORE, /* once on each core */
};

#define RC_SPEC_NAME "campaign" /* of a campaign without another name */

struct rc_spec {
    struct rc_arena arena;             /* has all texts except those of 'events' */
    const char *name;                  /* of the campaign, for people */
    struct rc_list sources;            /* "papi", "model:spr", "auto" */
    struct rc_list suites;             /* empty: all that are usable */
    struct rc_list axes;               /* "NAME=LIST", see kernels/axes.h */
    struct rc_patterns events;         /* "@FILE" already replaced by its lines */
    struct rc_list scopes;             /* empty: all */
    bool scope_wanted[RC_SCOPE_COUNT]; /* the same by scope */
    enum rc_qualifiers qualifiers; /* which qualified native events are counted, too */
    bool presets;                  /* PAPI's presets become events, too */
    uint32_t repeat_min, repeat_max; /* 0: the source's minimum, or 30 */
    double target;                   /* half-width of the mean's confidence, relative */
    uint64_t seed;
    uint32_t group_size;   /* largest group; 0: as many as count together */
    const char *reference; /* "auto", "none" or an event's name */
    enum rc_replicate replicate;
    bool smt;                       /* workers on the hardware threads of a core too */
    int64_t sync_ms;                /* of the journal, as io/journal/journal.h says */
    struct rc_list submit;          /* options of 'submit', as they are typed */
    struct rc_list definitions;     /* files of metrics, by the paths as given */
    struct rc_metric_text *metrics; /* of the campaign file itself */
    const char **metric_where;      /* "FILE:LINE" of each */
    size_t metric_count;
};

/* The defaults, the campaign file named by --campaign, then the options.  Without
 * --campaign the file 'base' takes its place (NULL: none); 'place' says where it is.
 * On success the caller owns *out and must rc_spec_fini() it; on failure it is empty.
 * Only this process; no rank talks to another.
 */
int rc_spec_resolve(const struct rc_args *args, const char *base,
                    enum rc_file_place place, struct rc_spec *out,
                    struct rc_error *err);

/* The same on every rank of 'comm', collectively: all succeed, or none. */
int rc_spec_agree(MPI_Comm comm, const struct rc_args *args, const char *base,
                  struct rc_spec *out, struct rc_error *err);

/* Replaces the sources by 'source'. */
int rc_spec_only_source(struct rc_spec *spec, const char *source, struct rc_error *err);

/* Repetitions of a unit by the spec; if it leaves them open, by the source. */
uint32_t rc_spec_repeat_min(const struct rc_spec *spec, bool deterministic);
uint32_t rc_spec_repeat_max(const struct rc_spec *spec, bool deterministic);

/* Whether the spec names the suite, or names none at all. */
bool rc_spec_names_suite(const struct rc_spec *spec, const struct rc_suite *suite);

/* Whether the spec wants the suite measured: it names it, or it names none and the suite
 * is one of the default.
 */
bool rc_spec_wants_suite(const struct rc_spec *spec, const struct rc_suite *suite);

/* The spec's axes for a request, whose texts it lends. */
struct rc_axes rc_spec_axes(const struct rc_spec *spec);

/* The same from the text of a campaign file alone: one that is kept in results, or for
 * tests and fuzzing.  Files of definitions are not opened.
 */
int rc_spec_from_text(const char *name, const char *text, size_t bytes,
                      struct rc_spec *out, struct rc_error *err);
void rc_spec_fini(struct rc_spec *spec);

/* Adds the spec's files of definitions, in their order, then its own metrics.  The
 * files are opened now, wherever the spec is from: a missing or wrong one fails with
 * its name.  On failure some of the files may have been added.
 */
int rc_spec_definitions(const struct rc_spec *spec, struct rc_definitions *definitions,
                        struct rc_error *err);

/* The full, resolved campaign file; free() it.  On failure *text is NULL. */
int rc_spec_text(const struct rc_spec *spec, char **text, size_t *bytes,
                 struct rc_error *err);

/* Writes it to a new file and renames that to 'path', so that an older file stays whole
 * until then.
 */
int rc_spec_write(const struct rc_spec *spec, const char *path,
                  enum rc_file_place place, struct rc_error *err);

/* The meaning of a change of the spec for a campaign that exists. */
enum rc_spec_change {
    RC_SPEC_SAME,     /* nothing: all that decides about readings is equal */
    RC_SPEC_MORE,     /* it can be added to the campaign: --extend */
    RC_SPEC_CONFLICT, /* readings would not be comparable: other seed, source gone */
};

/* Compares two campaign files key by key.  Names, how a run works (smt, sync) and
 * metrics do not count as differences, nor does the order of sources, suites or scopes.
 * 'lines' gets the differences with ';' between them, long lists cut: "suites: flops,
 * branch; now flops".  Text that does not fit is cut off.
 */
enum rc_spec_change rc_spec_compare(const struct rc_spec *was, const struct rc_spec *is,
                                    char *lines, size_t room);

/* A campaign file that wants everything that any of several wants.  Where patterns of
 * events cannot be joined, it lists the names in 'event'.  For other settings it has
 * the value that wants more, or the first; 'say' (may be NULL) gets a line for each
 * that differs.
 */
struct rc_spec_unite {
    const struct rc_spec *const *spec;
    size_t count; /* 1 or more */
    const char *const *event;
    size_t event_count;
    void (*say)(void *arg, const char *line);
    void *arg;
};
int rc_spec_unite(const struct rc_spec_unite *job, char **text, size_t *bytes,
                  struct rc_error *err); /* free() *text */

/* Whether patterns and scopes include an event, or may do so once items that no event
 * has are prefixes (rc_patterns_widen()).
 */
bool rc_spec_takes(const struct rc_spec *spec, const char *event, enum rc_scope scope);

/* A campaign's name: from its file, or, where that has the default, from its directory.
 */
const char *rc_spec_name(char *out, size_t room, const char *name, const char *dir);

#endif
