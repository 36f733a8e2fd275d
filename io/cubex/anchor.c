/* Reads anchor.xml of a .cubex file; expat takes the XML apart.
 *
 * Declarations in the document are refused, so there are no entities but XML's own
 * five: a text is never longer than its source, and room as long as the document holds
 * all.
 */
#include "io/cubex/anchor.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "solve/cube/cube.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* An element that is open. */
enum element {
    OTHER,
    METRICS,
    METRIC,
    REGION,
    CNODE,
    NODE,
    GROUP,
    LOCATION,
    TEXT, /* of one of these: a name, a unit, ... */
};

struct parsing {
    struct rc_anchor *a;
    size_t metric_room, region_room, cnode_room, location_room, group_room, word_room;
    const char **node; /* systemtreenodes that are open, the innermost last */
    size_t nodes, node_room;
    enum element open[RC_ANCHOR_DEPTH];
    size_t depth;
    int64_t metric_open, cnode_open;
    bool in_text; /* the innermost element is of the kind TEXT */
    size_t used;  /* bytes of the anchor's texts */
    XML_Parser parser;
    struct rc_error *err;
    int status;
};

static enum element element_of(const char *name)
{
    static const char *const names[] = {
        "",      "metrics",        "metric",        "region",
        "cnode", "systemtreenode", "locationgroup", "location",
        NULL};

    for (int i = METRICS; names[i]; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum element)i;
    return OTHER;
}

/* Appends to the last text, or begins one with 'bytes' 0; blanks of any kind are one.
 */
static const char *keep_text(struct parsing *p, const char *text, size_t bytes)
{
    char *to = p->a->texts + p->used;

    memcpy(to, text, bytes);
    to[bytes] = 0;
    for (char *c = to; *c; c++)
        if (*c == '\t' || *c == '\n' || *c == '\r')
            *c = ' ';
    rc_text_printable(to, bytes + 1, to);
    p->used += strlen(to);
    return to;
}

/* A copy of an attribute of the element that opens; 'otherwise': it has none. */
static const char *attribute_of(struct parsing *p, const XML_Char **attribute,
                                const char *key, const char *otherwise)
{
    for (; attribute[0]; attribute += 2)
        if (strcmp(attribute[0], key) == 0) {
            const char *copy = keep_text(p, attribute[1], strlen(attribute[1]));
            p->used++;
            return copy;
        }
    return otherwise;
}

uint64_t rc_anchor_number(const char *text)
{
    uint64_t value = UINT64_MAX;

    (void)rc_text_count(text, &value);
    return value;
}

static uint64_t number_of(struct parsing *p, const XML_Char **attribute,
                          const char *key)
{
    return rc_anchor_number(attribute_of(p, attribute, key, ""));
}

/* An item at the end of a list, which is not full. */
#define APPEND(list, count, room, ...)                                                 \
    (rc_grow(&(list), sizeof *(list), (count), &(room)) || (count) >= RC_CUBE_MOST     \
         ? -1                                                                          \
         : ((list)[(count)++] = __VA_ARGS__, 0))

static int open_metric(struct parsing *p, const XML_Char **attribute)
{
    struct rc_anchor *a = p->a;
    const int64_t parent = p->metric_open;

    p->metric_open = (int64_t)a->metrics;
    return APPEND(
        a->metric, a->metrics, p->metric_room,
        (struct rc_anchor_metric){
            .unit = "",
            .description = "",
            .type = attribute_of(p, attribute, "type", "EXCLUSIVE"),
            .dtype = "",
            .id = attribute_of(p, attribute, "id", ""),
            .parent = parent,
            .hidden = strcmp(attribute_of(p, attribute, "viztype", ""), "GHOST") == 0,
            .number = SIZE_MAX});
}

static int open_cnode(struct parsing *p, const XML_Char **attribute)
{
    struct rc_anchor *a = p->a;
    const int64_t parent = p->cnode_open;

    p->cnode_open = (int64_t)a->cnodes;
    return APPEND(a->cnode, a->cnodes, p->cnode_room,
                  (struct rc_anchor_cnode){
                      .region = number_of(p, attribute, "calleeId"), .parent = parent});
}

/* The place of the text of an element within the innermost known one. */
static const char **text_of(struct parsing *p, enum element in, const char *name)
{
    struct rc_anchor *a = p->a;
    struct rc_anchor_metric *m = in == METRIC ? &a->metric[p->metric_open] : NULL;
    struct rc_anchor_region *r = in == REGION ? &a->region[a->regions - 1] : NULL;
    struct rc_anchor_group *g = in == GROUP ? &a->group[a->groups - 1] : NULL;
    struct rc_anchor_location *l =
        in == LOCATION ? &a->location[a->locations - 1] : NULL;
    const struct {
        const char *name;
        const char **text;
    } all[] = {{"uniq_name", m ? &m->name : NULL},
               {"uom", m ? &m->unit : NULL},
               {"descr", m ? &m->description : NULL},
               {"dtype", m ? &m->dtype : NULL},
               {"name", r ? &r->name : NULL},
               {"mangled_name", r ? &r->mangled : NULL},
               {"paradigm", r ? &r->paradigm : NULL},
               {"name", g ? &g->name : NULL},
               {"rank", g ? &g->rank : NULL},
               {"name", l ? &l->name : NULL},
               {"rank", l ? &l->thread : NULL},
               {"name", in == NODE ? &p->node[p->nodes - 1] : NULL}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].text && strcmp(name, all[i].name) == 0)
            return all[i].text;
    return NULL;
}

/* Adds what the element is to its list; -1 where the list is full. */
static int add_element(struct parsing *p, enum element is, const XML_Char **attribute)
{
    struct rc_anchor *a = p->a;

    switch (is) {
    case METRIC:
        return open_metric(p, attribute);
    case CNODE:
        return open_cnode(p, attribute);
    case REGION:
        return APPEND(a->region, a->regions, p->region_room,
                      (struct rc_anchor_region){.id = number_of(p, attribute, "id"),
                                                .name = "",
                                                .paradigm = "user"});
    case NODE:
        return APPEND(p->node, p->nodes, p->node_room, "");
    case GROUP:
        return APPEND(a->group, a->groups, p->group_room,
                      (struct rc_anchor_group){"", ""});
    case LOCATION:
        return APPEND(
            a->location, a->locations, p->location_room,
            (struct rc_anchor_location){.id = number_of(p, attribute, "Id"),
                                        .name = "",
                                        .node = p->nodes ? p->node[p->nodes - 1] : "",
                                        .thread = "",
                                        .group = a->groups - 1});
    default:
        return 0;
    }
}

static void fail_and_stop(struct parsing *p, int status)
{
    p->status = status;
    XML_StopParser(p->parser, XML_FALSE);
}

static void XMLCALL on_open(void *context, const XML_Char *name,
                            const XML_Char **attribute)
{
    struct parsing *p = context;
    const enum element in = p->depth > 0 ? p->open[p->depth - 1] : OTHER;
    enum element is = element_of(name);
    const char **text;
    int failed = 0;

    p->used += p->in_text;
    p->in_text = false;
    if (p->depth == RC_ANCHOR_DEPTH) {
        fail_and_stop(p, rc_fail(p->err, RC_EUSAGE, "elements in more than %d others",
                                 RC_ANCHOR_DEPTH));
        return;
    }
    if (is == LOCATION && p->a->groups == 0) {
        fail_and_stop(
            p, rc_fail(p->err, RC_EUSAGE, "a location that is in no locationgroup"));
        return;
    }
    if (is != OTHER) {
        failed = add_element(p, is, attribute);
    } else if ((text = text_of(p, in, name))) {
        *text = keep_text(p, "", 0);
        p->in_text = true;
        is = TEXT;
    } else if (p->depth == 1 && strcmp(name, "attr") == 0) {
        const struct rc_anchor_word word = {attribute_of(p, attribute, "key", NULL),
                                            attribute_of(p, attribute, "value", NULL)};
        if (word.key && word.value)
            failed = APPEND(p->a->word, p->a->words, p->word_room, word);
    }
    if (failed)
        fail_and_stop(p, rc_fail(p->err, RC_EUSAGE,
                                 "no memory, or more than %d items in a list",
                                 RC_CUBE_MOST));
    p->open[p->depth++] = is;
}

static void XMLCALL on_close(void *context, const XML_Char *name)
{
    struct parsing *p = context;

    (void)name;
    if (p->status != RC_OK) /* expat closes the empty element that stopped it */
        return;
    const enum element was = p->open[--p->depth];
    p->used += p->in_text;
    p->in_text = false;
    if (was == METRIC)
        p->metric_open = p->a->metric[p->metric_open].parent;
    else if (was == CNODE)
        p->cnode_open = p->a->cnode[p->cnode_open].parent;
    else if (was == NODE)
        p->nodes--;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int bytes)
{
    struct parsing *p = context;

    if (p->in_text)
        (void)keep_text(p, text, (size_t)bytes);
}

static void XMLCALL on_doctype(void *context, const XML_Char *name,
                               const XML_Char *system, const XML_Char *public,
                               int declares)
{
    struct parsing *p = context;

    (void)name, (void)system, (void)public;
    if (declares)
        fail_and_stop(p, rc_fail(p->err, RC_EUSAGE,
                                 "it declares entities or elements of its own"));
}

static int parse(struct parsing *p, const char *document, size_t bytes)
{
    XML_SetUserData(p->parser, p);
    XML_SetElementHandler(p->parser, on_open, on_close);
    XML_SetCharacterDataHandler(p->parser, on_text);
    XML_SetStartDoctypeDeclHandler(p->parser, on_doctype);
    if (bytes > INT_MAX)
        return rc_fail(p->err, RC_EUSAGE, "%zu bytes: too long", bytes);
    if (XML_Parse(p->parser, document, (int)bytes, true) != XML_STATUS_OK &&
        p->status == RC_OK) {
        const enum XML_Error code = XML_GetErrorCode(p->parser);
        return rc_fail(
            p->err, code == XML_ERROR_NO_MEMORY ? RC_ENOMEM : RC_EUSAGE, "line %lu: %s",
            (unsigned long)XML_GetCurrentLineNumber(p->parser), XML_ErrorString(code));
    }
    if (p->status == RC_OK && (p->a->cnodes == 0 || p->a->locations == 0))
        return rc_fail(p->err, RC_EUSAGE,
                       "%zu cnodes and %zu locations: expected at least one of each",
                       p->a->cnodes, p->a->locations);
    return p->status;
}

int rc_anchor_read(struct rc_anchor *a, const char *document, size_t bytes,
                   struct rc_error *err)
{
    struct parsing *p = rc_calloc(1, sizeof *p);
    XML_Parser parser = XML_ParserCreate("UTF-8");
    int status;

    *a = (struct rc_anchor){.texts = rc_calloc(bytes + 1, 1)};
    if (p && parser && a->texts) {
        *p = (struct parsing){
            .a = a, .metric_open = -1, .cnode_open = -1, .parser = parser, .err = err};
        status = parse(p, document, bytes);
        free((void *)p->node);
    } else {
        status = rc_fail(err, RC_ENOMEM, "no memory for its elements");
    }
    XML_ParserFree(parser);
    free(p);
    return status;
}

void rc_anchor_fini(struct rc_anchor *a)
{
    free(a->metric);
    free(a->region);
    free(a->cnode);
    free(a->location);
    free(a->group);
    free(a->word);
    free(a->texts);
}

const char *rc_anchor_attribute(const struct rc_anchor *a, const char *key)
{
    for (size_t i = 0; i < a->words; i++)
        if (strcmp(a->word[i].key, key) == 0)
            return a->word[i].value;
    return NULL;
}
