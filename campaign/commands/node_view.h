/* node_view.h - shared by commands that show a node's catalogue */
#ifndef RC_CAMPAIGN_COMMANDS_NODE_VIEW_H
#define RC_CAMPAIGN_COMMANDS_NODE_VIEW_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/commands/each_kind.h"
#include "io/text/rows.h"

/* First member of the context of such a command. */
struct rc_node_view {
    const struct rc_spec *spec;
    struct rc_catalogue *catalogue; /* NULL on ranks that do not lead a node */
    enum rc_format format;          /* of the output */
    bool trial;                     /* events are tried, not only listed */
};

/* A view of each kind that opens the catalogue on each node and compares verdicts; the
 * caller sets render(), and look() if it needs another one.
 */
struct rc_each_kind rc_node_view_each_kind(struct rc_node_view *context);

/* rc_each_kind.look: opens the catalogue. */
int rc_node_view_open(void *context, struct rc_kind *kind, struct rc_error *err);

/* On a kind's speaker: names patterns that match none of its events on the standard
 * error, in one line.
 */
int rc_node_view_say_patterns(const struct rc_node_view *look, const char *command,
                              struct rc_error *err);

/* Collective.  RC_EMISSING: patterns were given and match nothing on any node. */
int rc_node_view_check_any(MPI_Comm comm, const struct rc_node_view *look,
                           struct rc_error *err);

/* Prints the lines before the events of a kind, and the tally after them. */
void rc_node_view_text_head(const struct rc_node_view *look,
                            const struct rc_each_kind_view *view, FILE *out);
void rc_node_view_text_tail(const struct rc_node_view *look,
                            const struct rc_each_kind_view *view, FILE *out);

/* Opens an object and writes the members that all answers have: kind, key, nodes,
 * differences.  The caller adds to the object.
 */
void rc_node_view_json_kind(struct rc_json *json, const struct rc_kind *kind,
                            const struct rc_each_kind_view *view);

/* As above, and the sources. */
void rc_node_view_json_head(struct rc_json *json, const struct rc_node_view *look,
                            const struct rc_each_kind_view *view);

#endif
