/* An XML pull reader over text in memory: call slip_xml_next() and look at the event.
 *
 * Reads elements, attributes in either quotes, text, CDATA, comments, processing instructions, the five
 * named entities and character references, in UTF-8 with or without a byte order mark. Namespaces are
 * not resolved: a prefix is split off and names are compared without it. DTDs, and with them entities of
 * one's own and external files, are refused. Allocates nothing, never recurses, takes linear time.
 *
 * More tolerant than the standard in four places, as real files need it: "--" may stand inside a comment
 * and "]]>" in text, blanks and comments before the XML declaration, and zero bytes at the end. Lines and
 * columns count from 1; a column is one character (code point), also a tab; "\n", "\r\n" and "\r" each end
 * a line; a byte order mark has no column. */
#ifndef SLIP_IO_XML_H
#define SLIP_IO_XML_H

#include <stddef.h>
#include "base/status.h"

/* Limits; a document beyond one of them is refused with SLIP_ERR_LIMIT. */
#define SLIP_XML_MAX_BYTES      (64*1024*1024)   /* the whole document                     */
#define SLIP_XML_MAX_DEPTH      64               /* elements open at once                  */
#define SLIP_XML_MAX_ATTRIBUTES 32               /* of one element                         */
#define SLIP_XML_MAX_NAME       256              /* bytes of a name with its prefix        */
#define SLIP_XML_MAX_VALUE      65536            /* bytes of an attribute value as written */

typedef enum {
    SLIP_XML_BEGIN,          /* nothing read yet                                              */
    SLIP_XML_START,          /* start tag: name, attributes                                   */
    SLIP_XML_END,            /* end tag, also after a start tag that closes itself: name      */
    SLIP_XML_TEXT,           /* text or CDATA inside an element that is not all blanks: text  */
    SLIP_XML_DONE            /* end of the document                                           */
} slip_xml_event;

/* All text is a slice of the document, not terminated, and lives as long as the document does. */
typedef struct {
    const char *text;
    int length;
} slip_xml_slice;

typedef struct {
    slip_xml_slice full;     /* the name with its prefix                                      */
    slip_xml_slice name;     /* the name without it                                           */
    slip_xml_slice value;    /* between the quotes, as written; see slip_xml_decode()         */
    int line, column;        /* of the name                                                   */
    int value_line, value_column;
    int read;                /* set by slip_xml_find(), so that the rest can be complained of */
    const char *meant;       /* a name that was asked for, not there, and similar to this name */
} slip_xml_attribute;

typedef struct {
    slip_xml_slice name;     /* with prefix */
    int line;
} slip_xml_open;

/* The reader; about 4 KB, so better take it from an arena rather than the stack. Fields above the rule are for
 * the caller to read. */
typedef struct {
    slip_xml_event event;
    slip_xml_slice full, name;                    /* START, END: with and without prefix      */
    slip_xml_slice text;                          /* TEXT: as written; see slip_xml_decode()  */
    int text_is_cdata;                            /* TEXT: nothing to decode                  */
    int line, column;                             /* where the event begins                   */
    int depth;                                    /* open elements; 1 at the root's START, 0 after its END */
    int nattributes;                              /* START                                    */
    slip_xml_attribute attributes[SLIP_XML_MAX_ATTRIBUTES];
    /* ------------------------------------------------------------------------------------- */
    const char *bytes;
    int length, at, at_line, at_column;
    int start;                                    /* first byte after a byte order mark       */
    int is_ascii, seen_root, close_pending;
    slip_status status;                           /* first failure, which stays               */
    slip_xml_open open[SLIP_XML_MAX_DEPTH];
} slip_xml;

/* Sets a reader to the beginning of bytes[0..length), which must outlive it, and checks all of it to be
 * UTF-8 made of characters XML allows. SLIP_ERR_PARSE, SLIP_ERR_LIMIT, SLIP_ERR_UNSUPPORTED (UTF-16). */
slip_status slip_xml_begin(slip_xml *xml, const char *bytes, size_t length, slip_error *err);

/* Reads the next event into xml. SLIP_ERR_PARSE: malformed; SLIP_ERR_LIMIT; SLIP_ERR_UNSUPPORTED: a DTD
 * or another encoding. After a failure every further call fails with the same status, err untouched. */
slip_status slip_xml_next(slip_xml *xml, slip_error *err);

/* At a START: reads on to the END of the same element, over everything in it. */
slip_status slip_xml_skip(slip_xml *xml, slip_error *err);

/* Whether the element's name, or a slice, is this one. */
int slip_xml_is(const slip_xml *xml, const char *name);
int slip_xml_slice_is(slip_xml_slice slice, const char *text);

/* Whether a slice is this name with one typing error: a letter too many, too few, wrong, or two exchanged. */
int slip_xml_is_misspelt(slip_xml_slice slice, const char *name);

/* Number of bytes of a slice to print in a message: at most 60, whole characters. */
int slip_xml_shown(slip_xml_slice slice);

/* The element's prefix, without the colon; an empty slice when there is none. */
slip_xml_slice slip_xml_prefix(const slip_xml *xml);

/* At a START: the attribute of this name, whatever its prefix, marked as read; NULL when there is none.
 * Attributes of the prefixes xml and xmlns are never found; the latter count as read. */
slip_xml_attribute *slip_xml_find(slip_xml *xml, const char *name);

/* Resolves entities and character references, and turns line breaks and tabs into blanks when
 * `is_value` (attribute values; in text "\r\n" and "\r" become "\n"). `out` has room for
 * raw.length bytes, as the result is never longer; it may be raw.text's own memory. Not terminated;
 * returns the length. `raw` must come from a reader, which has checked it. */
int slip_xml_decode(slip_xml_slice raw, int is_value, char *out);

/* Line and column of the byte `offset` of an attribute's value as written. */
void slip_xml_value_place(const slip_xml_attribute *attribute, int offset, int *line, int *column);

#endif
