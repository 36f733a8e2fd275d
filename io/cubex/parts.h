/* parts.h - what the files of io/cubex share among themselves */
#ifndef RC_IO_CUBEX_PARTS_H
#define RC_IO_CUBEX_PARTS_H

#include "io/cubex/cubex.h"

/* The words of our own files, in names and attributes. */
#define RC_CUBEX_MISSING "rollcall missing " /* and the metric's id: an attribute */
#define RC_CUBEX_SOURCES "rollcall sources"
#define RC_CUBEX_DERIVED "rollcall derived"
#define RC_CUBEX_SIMULATED "rollcall simulated"
#define RC_CUBEX_TITLE "rollcall title"
#define RC_CUBEX_HIDDEN "rollcall:" /* metrics that are not shown begin so */

/* What a number has beside its mean, by the members of struct rc_cube_cell. */
enum { RC_CUBEX_PARTS = 4 };
extern const struct rc_cubex_part {
    const char *name; /* "n": of "rollcall:n:NAME" */
    size_t offset;    /* in the cell */
} rc_cubex_part[RC_CUBEX_PARTS];

/* xml.c: a document of elements, attributes and text, piece by piece.  Comments,
 * instructions and the document's type are passed over.
 */
enum rc_xml_what { RC_XML_END, RC_XML_OPEN, RC_XML_CLOSE, RC_XML_TEXT };

enum { RC_XML_ATTRIBUTES = 16 };
struct rc_xml {
    const char *at, *end; /* of the document */
    char *room;           /* as long as the document: texts are copied there */
    size_t used;
    enum rc_xml_what what;
    const char *name; /* of the element that opens or closes */
    const char *text;
    const char *key[RC_XML_ATTRIBUTES], *value[RC_XML_ATTRIBUTES];
    size_t attributes;
    bool empty; /* <name/>: it closes next */
};

/* 'document' and 'room', which has bytes + 1 bytes, must live as long as the texts. */
void rc_xml_begin(struct rc_xml *xml, const char *document, size_t bytes, char *room);
/* RC_EUSAGE where it is no XML. */
int rc_xml_next(struct rc_xml *xml, struct rc_error *err);
/* An attribute of the element that opened; NULL: it has none. */
const char *rc_xml_value(const struct rc_xml *xml, const char *key);

#endif
