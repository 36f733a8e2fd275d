/* node_view.h - what commands that show a node's catalogue share */
#ifndef RC_CAMPAIGN_COMMANDS_NODE_VIEW_H
#define RC_CAMPAIGN_COMMANDS_NODE_VIEW_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/commands/each_kind.h"
#include "io/text/rows.h"

/* First member of the context of such a command. */
struct rc_node_view {
    const struct rc_spec *spec;
    struct rc_catalogue *catalogue; /* NULL on ranks that do not lead a node */
    enum rc_format format;          /* of what is printed */
    bool trial; /* each event is tried; else events are only listed */
};

/* A view of each kind that opens the catalogue on each node and compares verdicts; the
 * caller sets render(), and look() where it has more to do.
 */
struct rc_each_kind rc_node_view_each_kind(struct rc_node_view *context);

/* rc_each_kind.look: opens the catalogue. */
int rc_node_view_open(void *context, struct rc_kind *kind, struct rc_error *err);

/* On a kind's speaker: says on the standard error which patterns take in none of its
 * events, in one line.
 */
int rc_node_view_say_patterns(const struct rc_node_view *look, const char *command,
                              struct rc_error *err);

/* Collective.  RC_EMISSING where patterns were given and take in nothing on any node.
 */
int rc_node_view_check_any(MPI_Comm comm, const struct rc_node_view *look,
                           struct rc_error *err);

/* What stands before the events of a kind, and the tally behind them. */
void rc_node_view_text_head(const struct rc_node_view *look,
                            const struct rc_each_kind_view *view, FILE *out);
void rc_node_view_text_tail(const struct rc_node_view *look,
                            const struct rc_each_kind_view *view, FILE *out);

/* Opens an object and writes what all answers have: kind, key, nodes, what
 * differs.  The caller goes on in the object.
 */
void rc_node_view_json_kind(struct rc_json *json, const struct rc_kind *kind,
                            const struct rc_each_kind_view *view);

/* As above, and the sources. */
void rc_node_view_json_head(struct rc_json *json, const struct rc_node_view *look,
                            const struct rc_each_kind_view *view);

#endif
