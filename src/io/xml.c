/* See xml.h. One pass checks the encoding, the second cuts the text into events; the only memory is the
 * stack of open elements, kept to match end tags. After XML 1.0 (fifth edition), less its DTDs. */
#include "io/xml.h"

#include <string.h>
#include "base/fail.h"
#include "base/text.h"

/* ---- characters ------------------------------------------------------------------------------- */

/* The code point at p[0..n), its length in *size; -1 when it is not shortest-form UTF-8. */
static long xml_utf8(const unsigned char *p, int n, int *size)
{
    static const long least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    long c = p[0];
    int i;

    *size = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
    if (*size == 0 || *size > n) return -1;
    if (*size == 1) return c;
    c &= 0x7F >> *size;
    for (i = 1; i < *size; ++i) {
        if ((p[i] & 0xC0) != 0x80) return -1;
        c = c << 6 | (p[i] & 0x3F);
    }
    return c < least[*size] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? -1 : c;
}

/* Whether XML's production [2] Char allows the code point. */
static int xml_is_char(long c)
{
    if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
    return c < 0xD800 || (c >= 0xE000 && c < 0xFFFE) || (c >= 0x10000 && c <= 0x10FFFF);
}

static int xml_is_name_start(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || c >= 0x80;
}

static int xml_is_name_char(int c)
{
    return xml_is_name_start(c) || slip_is_digit(c) || c == '-' || c == '.';
}

/* ---- the cursor ------------------------------------------------------------------------------- */

/* The byte `ahead` places on; -1 beyond the end, which no text contains. */
static int xml_peek(const slip_xml *x, int ahead)
{
    return ahead < x->length - x->at ? (unsigned char)x->bytes[x->at + ahead] : -1;
}

static int xml_at(const slip_xml *x, const char *word)
{
    const int n = (int)strlen(word);

    return n <= x->length - x->at && memcmp(x->bytes + x->at, word, (size_t)n) == 0;
}

/* Moves a place over the byte c when `next` follows it. */
static void xml_count(int c, int next, int *line, int *column)
{
    if (c == '\n' || (c == '\r' && next != '\n')) {
        ++*line;
        *column = 1;
    } else if (c != '\r' && (c & 0xC0) != 0x80) {     /* not the rest of a character */
        ++*column;
    }
}

static void xml_step(slip_xml *x)
{
    xml_count(xml_peek(x, 0), xml_peek(x, 1), &x->at_line, &x->at_column);
    ++x->at;
}

static void xml_steps(slip_xml *x, int n)
{
    while (n-- > 0) xml_step(x);
}

static void xml_blanks(slip_xml *x)
{
    while (slip_is_blank(xml_peek(x, 0))) xml_step(x);
}

static slip_xml_slice xml_slice(const slip_xml *x, int from, int to)
{
    slip_xml_slice s;

    s.text = x->bytes + from;
    s.length = to - from;
    return s;
}

/* ---- encoding --------------------------------------------------------------------------------- */

static slip_status xml_check_bytes(slip_xml *x, slip_error *err)
{
    const unsigned char *p = (const unsigned char *)x->bytes;
    int size, line = 1, column = 1, i = x->start;

    for (; i < x->length; i += size) {
        const long c = xml_utf8(p + i, x->length - i, &size);

        if (c < 0)
            return slip_fail(err, SLIP_ERR_PARSE, line, column, "byte %d is not valid UTF-8; save the file as UTF-8",
                             (int)p[i]);
        if (!xml_is_char(c))
            return slip_fail(err, SLIP_ERR_PARSE, line, column, "character number %d is not allowed in XML", (int)c);
        if (c >= 0x80) x->is_ascii = 0;
        xml_count(p[i], i + 1 < x->length ? p[i + 1] : -1, &line, &column);
    }
    return SLIP_OK;
}

slip_status slip_xml_begin(slip_xml *xml, const char *bytes, size_t length, slip_error *err)
{
    memset(xml, 0, sizeof *xml);
    xml->bytes = bytes;
    xml->at_line = xml->at_column = xml->line = xml->column = 1;
    xml->is_ascii = 1;
    if (length > SLIP_XML_MAX_BYTES)
        return xml->status = slip_fail(err, SLIP_ERR_LIMIT, 0, 0, "%z bytes of text, at most %d are read", length,
                                       (int)SLIP_XML_MAX_BYTES);
    while (length > 0 && bytes[length - 1] == '\0') --length;
    xml->length = (int)length;
    if (xml_at(xml, "\xFF\xFE") || xml_at(xml, "\xFE\xFF"))
        return xml->status = slip_fail(err, SLIP_ERR_UNSUPPORTED, 1, 1, "text is UTF-16; save the file as UTF-8");
    if (xml_at(xml, "\xEF\xBB\xBF")) xml->start = xml->at = 3;
    return xml->status = xml_check_bytes(xml, err);
}

/* ---- failures --------------------------------------------------------------------------------- */

/* At the cursor: something else was expected in `where`. */
static slip_status xml_unexpected(const slip_xml *x, slip_error *err, const char *where, const char *expected)
{
    int size = 1, n = x->length - x->at;

    if (n <= 0)
        return slip_fail(err, SLIP_ERR_PARSE, x->at_line, x->at_column, "text ends in %s, expected %s", where,
                         expected);
    xml_utf8((const unsigned char *)x->bytes + x->at, n, &size);
    if (slip_is_blank(xml_peek(x, 0)))
        return slip_fail(err, SLIP_ERR_PARSE, x->at_line, x->at_column, "blank in %s, expected %s", where, expected);
    return slip_fail(err, SLIP_ERR_PARSE, x->at_line, x->at_column, "'%.*s' in %s, expected %s", size,
                     x->bytes + x->at, where, expected);
}

/* Fails at the beginning of a construct that is not closed. */
static slip_status xml_unclosed(int line, int column, slip_error *err, const char *what, const char *end)
{
    return slip_fail(err, SLIP_ERR_PARSE, line, column, "%s that begins here is never closed by '%s'", what, end);
}

/* ---- names and references --------------------------------------------------------------------- */

/* Reads a name; splits the prefix off at its first colon. */
static slip_status xml_read_name(slip_xml *x, const char *where, slip_xml_slice *full, slip_xml_slice *local,
                                 slip_error *err)
{
    const int from = x->at, line = x->at_line, column = x->at_column;
    int colon = -1;

    if (!xml_is_name_start(xml_peek(x, 0))) return xml_unexpected(x, err, where, "a name");
    while (xml_is_name_char(xml_peek(x, 0))) {
        if (colon < 0 && xml_peek(x, 0) == ':') colon = x->at;
        xml_step(x);
        if (x->at - from > SLIP_XML_MAX_NAME)
            return slip_fail(err, SLIP_ERR_LIMIT, line, column, "name is longer than %d bytes", SLIP_XML_MAX_NAME);
    }
    *full = xml_slice(x, from, x->at);
    *local = colon < 0 || colon + 1 == x->at ? *full : xml_slice(x, colon + 1, x->at);
    return SLIP_OK;
}

/* Bytes of the reference at p[0..n), from '&' to ';', and its code point; 0 when it is not one. */
static int xml_reference(const char *p, int n, long *code)
{
    static const struct { const char *name; int length; char c; } named[5] = {
        { "&lt;", 4, '<' }, { "&gt;", 4, '>' }, { "&amp;", 5, '&' }, { "&quot;", 6, '"' }, { "&apos;", 6, '\'' } };
    long c = 0;
    int i, hex;

    for (i = 0; i < 5; ++i)
        if (n >= named[i].length && memcmp(p, named[i].name, (size_t)named[i].length) == 0) {
            *code = named[i].c;
            return named[i].length;
        }
    if (n < 4 || p[1] != '#') return 0;
    hex = p[2] == 'x';
    for (i = hex ? 3 : 2; i < n && p[i] != ';'; ++i) {
        const int lower = p[i] | 0x20;
        const int is_hex = hex && lower >= 'a' && lower <= 'f';
        const int digit = slip_is_digit(p[i]) ? p[i] - '0' : is_hex ? lower - 'a' + 10 : -1;

        if (digit < 0) return 0;
        c = c*(hex ? 16 : 10) + digit;
        if (c > 0x10FFFF) return 0;
    }
    if (i == n || i == (hex ? 3 : 2) || !xml_is_char(c)) return 0;
    *code = c;
    return i + 1;
}

/* Checks the reference at the cursor and steps over it. */
static slip_status xml_step_reference(slip_xml *x, slip_error *err)
{
    long code;
    int n = xml_reference(x->bytes + x->at, x->length - x->at, &code);

    if (n) {
        xml_steps(x, n);
        return SLIP_OK;
    }
    while (n < 16 && xml_peek(x, n) >= 0 && xml_peek(x, n) < 0x80 && !slip_is_blank(xml_peek(x, n)) &&
           (n == 0 || strchr(";&<\"'", xml_peek(x, n)) == NULL)) ++n;
    return slip_fail(err, SLIP_ERR_PARSE, x->at_line, x->at_column,
                     "'%.*s%s' is no known entity or character (write '&amp;' for '&')", n, x->bytes + x->at,
                     xml_peek(x, n) == ';' ? ";" : "");
}

static int xml_put_utf8(long c, char *out)
{
    if (c < 0x80) { out[0] = (char)c; return 1; }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

int slip_xml_decode(slip_xml_slice raw, int is_value, char *out)
{
    int i = 0, n = 0;
    long code = 0;

    while (i < raw.length) {
        const char c = raw.text[i];
        const int size = c == '&' ? xml_reference(raw.text + i, raw.length - i, &code) : 0;

        if (size) {
            i += size;
            n += xml_put_utf8(code, out + n);
            continue;
        }
        ++i;
        if (c == '\r') {                              /* "\r\n" and "\r" count as one "\n" */
            if (i < raw.length && raw.text[i] == '\n') ++i;
            out[n++] = is_value ? ' ' : '\n';
        } else {
            out[n++] = (char)(is_value && (c == '\n' || c == '\t') ? ' ' : c);
        }
    }
    return n;
}

/* ---- what is skipped -------------------------------------------------------------------------- */

/* Steps over text up to and including `end`; the cursor stands at the beginning of `what`. */
static slip_status xml_skip_past(slip_xml *x, int opening, const char *end, const char *what, slip_error *err)
{
    const int line = x->at_line, column = x->at_column, n = (int)strlen(end);

    xml_steps(x, opening);
    while (x->at < x->length && !xml_at(x, end)) xml_step(x);
    if (x->at >= x->length) return xml_unclosed(line, column, err, what, end);
    xml_steps(x, n);
    return SLIP_OK;
}

/* Compares without regard to the case of letters. */
static int xml_same_word(const char *a, int n, const char *word)
{
    int i;

    for (i = 0; i < n && word[i]; ++i)
        if ((a[i] | 0x20) != (word[i] | 0x20)) return 0;
    return i == n && word[i] == '\0';
}

/* Refuses a declared encoding that is neither UTF-8 nor without consequence. */
static slip_status xml_check_encoding(const slip_xml *x, int from, int to, int line, slip_error *err)
{
    int i = from, n = 0;
    char quote;

    while (i + 8 < to && memcmp(x->bytes + i, "encoding", 8) != 0) ++i;
    for (i += 8; i < to && (slip_is_blank(x->bytes[i]) || x->bytes[i] == '='); ++i) { }
    if (i >= to) return SLIP_OK;
    quote = x->bytes[i++];
    while (i + n < to && x->bytes[i + n] != quote) ++n;
    if (x->is_ascii || xml_same_word(x->bytes + i, n, "utf-8") || xml_same_word(x->bytes + i, n, "utf8"))
        return SLIP_OK;
    return slip_fail(err, SLIP_ERR_UNSUPPORTED, line, 1, "encoding '%.*s' is not supported; save the file as UTF-8",
                     n < 40 ? n : 40, x->bytes + i);
}

/* A processing instruction, or the XML declaration, which should be at the very beginning. */
static slip_status xml_skip_instruction(slip_xml *x, slip_error *err)
{
    const int from = x->at, line = x->at_line;
    const int is_declaration = xml_at(x, "<?xml") && !xml_is_name_char(xml_peek(x, 5));
    const slip_status s = xml_skip_past(x, 2, "?>", "processing instruction", err);

    if (s < 0) return s;
    if (!is_declaration) return SLIP_OK;
    return xml_check_encoding(x, from, x->at - 2, line, err);
}

/* ---- elements --------------------------------------------------------------------------------- */

static int xml_slices_equal(slip_xml_slice a, slip_xml_slice b)
{
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

/* The part of a full name before the colon. */
static slip_xml_slice xml_prefix_of(slip_xml_slice full, slip_xml_slice local)
{
    slip_xml_slice p = full;

    p.length = full.length > local.length ? full.length - local.length - 1 : 0;
    return p;
}

/* Reads the quoted value at the cursor. */
static slip_status xml_read_value(slip_xml *x, slip_xml_attribute *a, slip_error *err)
{
    const int quote = xml_peek(x, 0), line = x->at_line, column = x->at_column;
    int from;

    if (quote != '"' && quote != '\'') return xml_unexpected(x, err, "attribute", "a value in quotes");
    xml_step(x);
    from = x->at;
    a->value_line = x->at_line;
    a->value_column = x->at_column;
    while (xml_peek(x, 0) != quote) {
        const int c = xml_peek(x, 0);

        if (c < 0) return xml_unclosed(line, column, err, "attribute value", quote == '"' ? "\"" : "'");
        if (c == '<')
            return slip_fail(err, SLIP_ERR_PARSE, x->at_line, x->at_column,
                             "'<' in the value of attribute '%.*s', expected its closing quote (or '&lt;')",
                             slip_xml_shown(a->full), a->full.text);
        if (c == '&') {
            const slip_status s = xml_step_reference(x, err);

            if (s < 0) return s;
        } else {
            xml_step(x);
        }
        if (x->at - from > SLIP_XML_MAX_VALUE)
            return slip_fail(err, SLIP_ERR_LIMIT, line, column, "value of attribute '%.*s' is longer than %d bytes",
                             slip_xml_shown(a->full), a->full.text, SLIP_XML_MAX_VALUE);
    }
    a->value = xml_slice(x, from, x->at);
    xml_step(x);
    return SLIP_OK;
}

/* Refuses a second attribute of the same full name. */
static slip_status xml_check_duplicate(const slip_xml *x, const slip_xml_attribute *a, slip_error *err)
{
    int i;

    for (i = 0; i < x->nattributes; ++i)
        if (xml_slices_equal(x->attributes[i].full, a->full))
            return slip_fail(err, SLIP_ERR_PARSE, a->line, a->column, "attribute '%.*s' is given twice in <%.*s>",
                             slip_xml_shown(a->full), a->full.text, slip_xml_shown(x->full), x->full.text);
    return SLIP_OK;
}

static slip_status xml_read_attribute(slip_xml *x, slip_error *err)
{
    slip_xml_attribute a;
    slip_status s;

    memset(&a, 0, sizeof a);
    a.line = x->at_line;
    a.column = x->at_column;
    if ((s = xml_read_name(x, "start tag", &a.full, &a.name, err)) < 0) return s;
    if (x->nattributes == SLIP_XML_MAX_ATTRIBUTES)
        return slip_fail(err, SLIP_ERR_LIMIT, a.line, a.column, "element <%.*s> has more than %d attributes",
                         slip_xml_shown(x->full), x->full.text, SLIP_XML_MAX_ATTRIBUTES);
    if ((s = xml_check_duplicate(x, &a, err)) < 0) return s;
    xml_blanks(x);
    if (xml_peek(x, 0) != '=') return xml_unexpected(x, err, "attribute", "'='");
    xml_step(x);
    xml_blanks(x);
    if ((s = xml_read_value(x, &a, err)) < 0) return s;
    a.read = slip_xml_slice_is(a.full, "xmlns") || slip_xml_slice_is(xml_prefix_of(a.full, a.name), "xmlns");
    x->attributes[x->nattributes++] = a;
    return SLIP_OK;
}

/* "<name a='…' …>" or "<name …/>", the cursor at '<'. */
static slip_status xml_start_tag(slip_xml *x, slip_error *err)
{
    slip_status s;

    if (x->depth == 0 && x->seen_root)
        return slip_fail(err, SLIP_ERR_PARSE, x->at_line, x->at_column, "a second root element, expected the end");
    if (x->depth == SLIP_XML_MAX_DEPTH)
        return slip_fail(err, SLIP_ERR_LIMIT, x->at_line, x->at_column, "elements are nested deeper than %d",
                         SLIP_XML_MAX_DEPTH);
    xml_step(x);
    if ((s = xml_read_name(x, "tag", &x->full, &x->name, err)) < 0) return s;
    x->nattributes = 0;
    for (;;) {
        const int before = x->at;

        xml_blanks(x);
        if (xml_peek(x, 0) == '>' || xml_at(x, "/>")) break;
        if (x->at == before) return xml_unexpected(x, err, "start tag", "a blank, '>' or '/>'");
        if ((s = xml_read_attribute(x, err)) < 0) return s;
    }
    x->close_pending = xml_peek(x, 0) == '/';
    xml_steps(x, x->close_pending ? 2 : 1);
    x->open[x->depth].name = x->full;
    x->open[x->depth++].line = x->line;
    x->seen_root = 1;
    x->event = SLIP_XML_START;
    return SLIP_OK;
}

/* "</name>", the cursor at '<'. */
static slip_status xml_end_tag(slip_xml *x, slip_error *err)
{
    const slip_xml_open *open;
    slip_status s;

    xml_steps(x, 2);
    if ((s = xml_read_name(x, "end tag", &x->full, &x->name, err)) < 0) return s;
    if (x->depth == 0)
        return slip_fail(err, SLIP_ERR_PARSE, x->line, x->column, "</%.*s> closes nothing", slip_xml_shown(x->full),
                         x->full.text);
    open = &x->open[x->depth - 1];
    if (!xml_slices_equal(open->name, x->full))
        return slip_fail(err, SLIP_ERR_PARSE, x->line, x->column,
                         "</%.*s> found, expected </%.*s> for the <%.*s> of line %d",
                         slip_xml_shown(x->full), x->full.text, slip_xml_shown(open->name), open->name.text,
                         slip_xml_shown(open->name), open->name.text, open->line);
    xml_blanks(x);
    if (xml_peek(x, 0) != '>') return xml_unexpected(x, err, "end tag", "'>'");
    xml_step(x);
    --x->depth;
    x->event = SLIP_XML_END;
    return SLIP_OK;
}

/* The END of an element that closed itself; its name is still in place. */
static void xml_close_empty(slip_xml *x)
{
    x->close_pending = 0;
    x->nattributes = 0;
    --x->depth;
    x->event = SLIP_XML_END;
}

/* ---- text ------------------------------------------------------------------------------------- */

/* Reads text up to the next '<'; *found tells whether any of it is not blank. */
static slip_status xml_read_text(slip_xml *x, int *found, slip_error *err)
{
    const int from = x->at;
    slip_status s = SLIP_OK;

    *found = 0;
    while (s == SLIP_OK && xml_peek(x, 0) >= 0 && xml_peek(x, 0) != '<') {
        if (!slip_is_blank(xml_peek(x, 0))) {
            if (x->depth == 0)
                return xml_unexpected(x, err,
                                      x->seen_root ? "text after the root element" : "text before the root element",
                                      x->seen_root ? "nothing" : "'<'");
            *found = 1;
        }
        if (xml_peek(x, 0) == '&') s = xml_step_reference(x, err);
        else                       xml_step(x);
    }
    x->text = xml_slice(x, from, x->at);
    x->text_is_cdata = 0;
    return s;
}

static slip_status xml_read_cdata(slip_xml *x, int *found, slip_error *err)
{
    const int from = x->at + 9;
    slip_status s;
    int i;

    if (x->depth == 0) return xml_unexpected(x, err, "text outside the root element", "no CDATA");
    if ((s = xml_skip_past(x, 9, "]]>", "CDATA section", err)) < 0) return s;
    x->text = xml_slice(x, from, x->at - 3);
    x->text_is_cdata = 1;
    for (*found = 0, i = 0; i < x->text.length && !*found; ++i) *found = !slip_is_blank(x->text.text[i]);
    return SLIP_OK;
}

static slip_status xml_at_end(slip_xml *x, slip_error *err)
{
    if (x->depth > 0) {
        const slip_xml_open *open = &x->open[x->depth - 1];

        return slip_fail(err, SLIP_ERR_PARSE, x->at_line, x->at_column, "text ends inside the <%.*s> of line %d",
                         slip_xml_shown(open->name), open->name.text, open->line);
    }
    if (!x->seen_root)
        return slip_fail(err, SLIP_ERR_PARSE, x->at_line, x->at_column, "text has no root element");
    x->event = SLIP_XML_DONE;
    return SLIP_OK;
}

/* ---- events ----------------------------------------------------------------------------------- */

/* Reads one piece of text; *event tells whether it makes an event. */
static slip_status xml_piece(slip_xml *x, int *event, slip_error *err)
{
    slip_status s;

    *event = 1;
    x->line = x->at_line;
    x->column = x->at_column;
    if (x->at >= x->length) return xml_at_end(x, err);
    if (xml_at(x, "</")) return xml_end_tag(x, err);
    if (xml_at(x, "<?")) { *event = 0; return xml_skip_instruction(x, err); }
    if (xml_at(x, "<!--")) { *event = 0; return xml_skip_past(x, 4, "-->", "comment", err); }
    if (xml_at(x, "<!")) {
        if (!xml_at(x, "<![CDATA["))
            return slip_fail(err, SLIP_ERR_UNSUPPORTED, x->line, x->column,
                             "'<!' begins a document type or entity declaration, which is refused; remove it");
        s = xml_read_cdata(x, event, err);
    } else if (xml_peek(x, 0) == '<') {
        return xml_start_tag(x, err);
    } else {
        s = xml_read_text(x, event, err);
    }
    if (s == SLIP_OK && *event) x->event = SLIP_XML_TEXT;
    return s;
}

slip_status slip_xml_next(slip_xml *xml, slip_error *err)
{
    int event = 0;

    if (xml->status < 0) return xml->status;
    if (xml->close_pending) {
        xml_close_empty(xml);
        return SLIP_OK;
    }
    while (!event && xml->status == SLIP_OK) xml->status = xml_piece(xml, &event, err);
    return xml->status;
}

slip_status slip_xml_skip(slip_xml *xml, slip_error *err)
{
    const int depth = xml->depth;
    slip_status s = SLIP_OK;

    while (s == SLIP_OK && xml->depth >= depth) s = slip_xml_next(xml, err);
    return s;
}

/* ---- questions -------------------------------------------------------------------------------- */

int slip_xml_shown(slip_xml_slice s)
{
    int n = s.length < 60 ? s.length : 60;

    while (n > 0 && n < s.length && ((unsigned char)s.text[n] & 0xC0) == 0x80) --n;
    return n;
}

int slip_xml_slice_is(slip_xml_slice slice, const char *text)
{
    return slip_text_equal_n(slice.text, slice.length, text);
}

int slip_xml_is(const slip_xml *xml, const char *name)
{
    return slip_xml_slice_is(xml->name, name);
}

slip_xml_slice slip_xml_prefix(const slip_xml *xml)
{
    return xml_prefix_of(xml->full, xml->name);
}

int slip_xml_is_misspelt(slip_xml_slice slice, const char *name)
{
    const char *a = slice.text;
    int n = slice.length, m = (int)strlen(name);

    if (n < 3 || m < 3) return 0;
    while (n > 0 && m > 0 && *a == *name) { ++a;  ++name;  --n;  --m; }
    while (n > 0 && m > 0 && a[n - 1] == name[m - 1]) { --n;  --m; }
    return (n <= 1 && m <= 1) || (n == 2 && m == 2 && a[0] == name[1] && a[1] == name[0]);
}

/* For each attribute similar to `name`, remembers that it may be a misspelling of it. */
static void xml_not_found(slip_xml *xml, const char *name)
{
    int i;

    for (i = 0; i < xml->nattributes; ++i)
        if (slip_xml_is_misspelt(xml->attributes[i].name, name)) xml->attributes[i].meant = name;
}

slip_xml_attribute *slip_xml_find(slip_xml *xml, const char *name)
{
    int i;

    for (i = 0; i < xml->nattributes; ++i) {
        slip_xml_attribute *a = &xml->attributes[i];
        const slip_xml_slice prefix = xml_prefix_of(a->full, a->name);

        if (!slip_xml_slice_is(a->name, name)) continue;
        if (slip_xml_slice_is(prefix, "xml") || slip_xml_slice_is(prefix, "xmlns")) continue;
        a->read = 1;
        return a;
    }
    xml_not_found(xml, name);
    return NULL;
}

void slip_xml_value_place(const slip_xml_attribute *attribute, int offset, int *line, int *column)
{
    const slip_xml_slice v = attribute->value;
    int i;

    *line = attribute->value_line;
    *column = attribute->value_column;
    for (i = 0; i < offset && i < v.length; ++i)
        xml_count((unsigned char)v.text[i], i + 1 < v.length ? (unsigned char)v.text[i + 1] : -1, line, column);
}
