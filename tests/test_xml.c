/* The XML reader: what it accepts, event by event; what it refuses, with the place; and that no input,
 * however hostile, makes it read out of bounds, hang or take more than linear time. */
#include "unity.h"

#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "io/xml.h"

static slip_xml xml;
static slip_error err;
static char trace[4096];

void setUp(void)
{
    memset(&xml, 0x5A, sizeof xml);
    slip_error_clear(&err);
}
void tearDown(void) { }

/* ---- a document as one line of text -------------------------------------------------------------- */

static void put(const char *text, int length)
{
    const size_t used = strlen(trace);

    if (used + (size_t)length >= sizeof trace) return;
    memcpy(trace + used, text, (size_t)length);
    trace[used + (size_t)length] = '\0';
}

static void put_decoded(slip_xml_slice raw, int is_value)
{
    static char out[2048];

    if (raw.length < (int)sizeof out) put(out, slip_xml_decode(raw, is_value, out));
}

static void put_event(void)
{
    int i;

    switch (xml.event) {
    case SLIP_XML_START:
        put("<", 1);
        put(xml.full.text, xml.full.length);
        for (i = 0; i < xml.nattributes; ++i) {
            put(" ", 1);
            put(xml.attributes[i].full.text, xml.attributes[i].full.length);
            put("=", 1);
            put_decoded(xml.attributes[i].value, 1);
        }
        put(">", 1);
        break;
    case SLIP_XML_END:
        put("</", 2);
        put(xml.full.text, xml.full.length);
        put(">", 1);
        break;
    case SLIP_XML_TEXT:
        if (xml.text_is_cdata) put(xml.text.text, xml.text.length);
        else put_decoded(xml.text, 0);
        break;
    default: break;
    }
}

/* Reads all of a document into `trace`. The text is copied into a block of just its size, so that a
 * sanitizer sees any byte read beyond. */
static slip_status read_bytes(const char *text, size_t length)
{
    char *copy = (char *)malloc(length ? length : 1);
    slip_status s;

    memcpy(copy, text, length);
    trace[0] = '\0';
    slip_error_clear(&err);
    s = slip_xml_begin(&xml, copy, length, &err);
    while (s == SLIP_OK && xml.event != SLIP_XML_DONE) {
        s = slip_xml_next(&xml, &err);
        if (s == SLIP_OK) put_event();
    }
    free(copy);
    return s;
}

static void reads_as(const char *text, const char *expected)
{
    const slip_status s = read_bytes(text, strlen(text));

    TEST_ASSERT_EQUAL_STRING_MESSAGE("", err.what, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, s, text);
    TEST_ASSERT_EQUAL_STRING(expected, trace);
}

/* The document fails with this status at this place, and the message holds the word. */
static void fails_at(const char *text, slip_status status, int line, int column, const char *word)
{
    char message[600];
    const slip_status s = read_bytes(text, strlen(text));

    slip_format(message, (int)sizeof message, "%.*s: %s", 200, text, err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(status, s, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(status, err.status, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(line, err.line, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(column, err.column, message);
    TEST_ASSERT_MESSAGE(strstr(err.what, word) != NULL, message);
}

static void test_zero_bytes_at_the_end_are_not_read(void)
{
    static const char text[] = "<a/>\n\0\0";

    TEST_ASSERT_EQUAL_INT(SLIP_OK, read_bytes(text, sizeof text - 1));
    TEST_ASSERT_EQUAL_STRING("<a></a>", trace);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, read_bytes("<a>\0</a>", 8));
}

/* ---- what is accepted ---------------------------------------------------------------------------- */

static void test_elements_attributes_and_text_come_in_order(void)
{
    reads_as("<a/>", "<a></a>");
    reads_as("<a x='1' y=\"2\"><b/>t<c>u</c></a>", "<a x=1 y=2><b></b>t<c>u</c></a>");
}

static void test_elements_may_be_spread_over_lines(void)
{
    reads_as(" \n<a\n x = '1'\ty\r\n=\n\"2\" ><b ></b\n></a >\n ", "<a x=1 y=2><b></b></a>");
}

static void test_declaration_comments_and_instructions_are_skipped(void)
{
    reads_as("<?xml version=\"1.0\" encoding='utf-8'?><!-- <x> --><?pi a<b?><a><!-- - -- > --><?q?></a>"
             "<!--e-->\n<?r s?>",
             "<a></a>");
}

static void test_blank_text_is_not_reported_but_other_text_is(void)
{
    reads_as("<a> \n <b/> x <!-- c --> y </a>", "<a><b></b> x  y </a>");
}

static void test_cdata_is_text_as_it_stands(void)
{
    reads_as("<a><![CDATA[ <b> & ]] > ]]></a>", "<a> <b> & ]] > </a>");
    reads_as("<a><![CDATA[]]><![CDATA[ ]]></a>", "<a></a>");
}

static void test_references_are_decoded_to_utf8(void)
{
    reads_as("<a x='&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#x63;'>&amp;lt;</a>", "<a x=<>&\"'ABc>&lt;</a>");
    reads_as("<a>&#xE9;&#x20AC;&#x1F600;&#x10FFFF;</a>", "<a>\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF</a>");
    reads_as("<a>&#0000000000000000065;</a>", "<a>A</a>");
}

static void test_line_breaks_become_blanks_in_values_and_newlines_in_text(void)
{
    reads_as("<a x='1\n2\t3\r\n4\r5&#10;6'>p\r\nq\rr</a>", "<a x=1 2 3 4 5\n6>p\nq\nr</a>");
}

static void test_utf8_and_a_byte_order_mark_are_accepted(void)
{
    reads_as("\xEF\xBB\xBF<?xml version='1.0'?><gr\xC3\xBC\xC3\x9F name='\xE6\xBC\xA2'/>",
             "<gr\xC3\xBC\xC3\x9F name=\xE6\xBC\xA2></gr\xC3\xBC\xC3\x9F>");
}

static void test_prefixes_are_split_off_and_namespaces_count_as_read(void)
{
    static const char text[] = "<p:a xmlns='u' xmlns:p='v' p:x='1' xml:lang='de' y='2'/>";

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_xml_begin(&xml, text, strlen(text), &err));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_xml_next(&xml, &err));
    TEST_ASSERT(slip_xml_is(&xml, "a"));
    TEST_ASSERT(slip_xml_slice_is(slip_xml_prefix(&xml), "p"));
    TEST_ASSERT_EQUAL_INT(5, xml.nattributes);
    TEST_ASSERT_NOT_NULL(slip_xml_find(&xml, "x"));
    TEST_ASSERT_NULL(slip_xml_find(&xml, "lang"));
    TEST_ASSERT_NULL(slip_xml_find(&xml, "p"));
    TEST_ASSERT(xml.attributes[0].read && xml.attributes[1].read && xml.attributes[2].read);
    TEST_ASSERT(!xml.attributes[3].read && !xml.attributes[4].read);
    TEST_ASSERT(slip_xml_slice_is(slip_xml_find(&xml, "y")->value, "2"));
}

static void test_skip_ends_at_the_matching_end(void)
{
    static const char text[] = "<r><a><a/>x<a><b/></a></a><c/></r>";

    slip_xml_begin(&xml, text, strlen(text), &err);
    slip_xml_next(&xml, &err);
    slip_xml_next(&xml, &err);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_xml_skip(&xml, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_XML_END, xml.event);
    TEST_ASSERT_EQUAL_INT(1, xml.depth);
    slip_xml_next(&xml, &err);
    TEST_ASSERT(xml.event == SLIP_XML_START && slip_xml_is(&xml, "c"));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_xml_skip(&xml, &err));
    TEST_ASSERT(xml.event == SLIP_XML_END && slip_xml_is(&xml, "c"));
}

static void test_places_count_characters_and_all_line_ends(void)
{
    static const char text[] = "<a>\r\n\xC3\xA9\xC3\xA9<b\r x='\xE6\xBC\xA2 9\n8'/></a>";
    slip_xml_attribute *x;
    int line, column;

    slip_xml_begin(&xml, text, strlen(text), &err);
    slip_xml_next(&xml, &err);
    slip_xml_next(&xml, &err);                                 /* the text of two letters */
    TEST_ASSERT(xml.line == 1 && xml.column == 4);
    slip_xml_next(&xml, &err);
    TEST_ASSERT(xml.line == 2 && xml.column == 3);
    x = slip_xml_find(&xml, "x");
    TEST_ASSERT(x->line == 3 && x->column == 2);
    TEST_ASSERT(x->value_line == 3 && x->value_column == 5);
    slip_xml_value_place(x, 4, &line, &column);                /* the 9 */
    TEST_ASSERT(line == 3 && column == 7);
    slip_xml_value_place(x, 6, &line, &column);                /* the 8 */
    TEST_ASSERT(line == 4 && column == 1);
}

/* ---- what is refused ----------------------------------------------------------------------------- */

static void test_documents_need_exactly_one_root(void)
{
    fails_at("", SLIP_ERR_PARSE, 1, 1, "no root");
    fails_at("<!-- a -->\n ", SLIP_ERR_PARSE, 2, 2, "no root");
    fails_at("<a/><b/>", SLIP_ERR_PARSE, 1, 5, "second root");
    fails_at("<a/>\n x", SLIP_ERR_PARSE, 2, 2, "after the root");
    fails_at("hello", SLIP_ERR_PARSE, 1, 1, "before the root");
    fails_at("<a/></a>", SLIP_ERR_PARSE, 1, 5, "closes nothing");
    fails_at("<a/>&amp;", SLIP_ERR_PARSE, 1, 5, "after the root");
    fails_at("<a/><![CDATA[x]]>", SLIP_ERR_PARSE, 1, 5, "outside the root");
}

static void test_tags_must_match(void)
{
    fails_at("<a>\n<b>\n</a>", SLIP_ERR_PARSE, 3, 1, "expected </b> for the <b> of line 2");
    fails_at("<p:a></a>", SLIP_ERR_PARSE, 1, 6, "expected </p:a>");
    fails_at("<a><b>", SLIP_ERR_PARSE, 1, 7, "inside the <b> of line 1");
    fails_at("<a></a", SLIP_ERR_PARSE, 1, 7, "text ends");
    fails_at("<a", SLIP_ERR_PARSE, 1, 3, "text ends");
    fails_at("<", SLIP_ERR_PARSE, 1, 2, "a name");
    fails_at("<1a/>", SLIP_ERR_PARSE, 1, 2, "expected a name");
    fails_at("< a/>", SLIP_ERR_PARSE, 1, 2, "blank");
    fails_at("<a / >", SLIP_ERR_PARSE, 1, 4, "expected a name");
    fails_at("<a\"/>", SLIP_ERR_PARSE, 1, 3, "expected a blank");
}

static void test_attributes_must_be_well_formed(void)
{
    fails_at("<a x/>", SLIP_ERR_PARSE, 1, 5, "'='");
    fails_at("<a x=1/>", SLIP_ERR_PARSE, 1, 6, "quotes");
    fails_at("<a x='1/>", SLIP_ERR_PARSE, 1, 6, "never closed");
    fails_at("<a x='1<b'/>", SLIP_ERR_PARSE, 1, 8, "closing quote");
    fails_at("<a x='1'y='2'/>", SLIP_ERR_PARSE, 1, 9, "blank");
    fails_at("<a x='1'\n x=\"2\"/>", SLIP_ERR_PARSE, 2, 2, "twice");
}

static void test_unknown_references_are_refused(void)
{
    static const char *const bad[] = { "&nbsp;", "&", "& ", "&;", "&#;", "&#x;", "&#12a;", "&#xG;", "&#0;", "&#x1F;",
                                      "&#xD800;",
                                       "&#xFFFE;", "&#x110000;", "&#99999999999999999999;", "&#-1;", "&lt", "&#65",
                                       "&LT;" };
    char text[64];
    int i;

    for (i = 0; i < (int)(sizeof bad/sizeof *bad); ++i) {
        slip_format(text, (int)sizeof text, "<a x='%s'/>", bad[i]);
        fails_at(text, SLIP_ERR_PARSE, 1, 7, "is no known entity");
        slip_format(text, (int)sizeof text, "<a>%s</a>", bad[i]);
        fails_at(text, SLIP_ERR_PARSE, 1, 4, "is no known entity");
    }
}

static void test_document_types_are_refused(void)
{
    fails_at("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", SLIP_ERR_UNSUPPORTED, 1, 1, "refused");
    fails_at("<?xml version='1.0'?>\n<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", SLIP_ERR_UNSUPPORTED, 2, 1,
             "refused");
    fails_at("<a><!ENTITY x 'y'></a>", SLIP_ERR_UNSUPPORTED, 1, 4, "refused");
}

static void test_what_never_closes_is_named_at_its_beginning(void)
{
    fails_at("<a>\n  <!-- x --", SLIP_ERR_PARSE, 2, 3, "comment");
    fails_at("<a><![CDATA[ ]]", SLIP_ERR_PARSE, 1, 4, "CDATA");
    fails_at("<?xml version='1.0'", SLIP_ERR_PARSE, 1, 1, "instruction");
    fails_at("<?", SLIP_ERR_PARSE, 1, 1, "instruction");
}

static void test_only_utf8_without_control_characters_is_read(void)
{
    static const char *const bad[] = { "\x80", "\xC0\x80", "\xC3", "\xC3(", "\xE2\x82", "\xE0\x80\x80", "\xED\xA0\x80",
                                       "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xFE" };
    char text[32];
    int i;

    for (i = 0; i < (int)(sizeof bad/sizeof *bad); ++i) {
        slip_format(text, (int)sizeof text, "<a>\n%s</a>", bad[i]);
        fails_at(text, SLIP_ERR_PARSE, 2, 1, "UTF-8");
    }
    fails_at("<a>\x01</a>", SLIP_ERR_PARSE, 1, 4, "not allowed");
    fails_at("<a>\xEF\xBF\xBF</a>", SLIP_ERR_PARSE, 1, 4, "not allowed");
    fails_at("\xFF\xFE<", SLIP_ERR_UNSUPPORTED, 1, 1, "UTF-16");
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, read_bytes("<a>\0</a>", 8));
}

static void test_other_encodings_are_refused_when_it_matters(void)
{
    reads_as("<!-- c -->\n <?xml version='1.0'?><a/>", "<a></a>");
    reads_as("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "<a></a>");
    fails_at("<?xml version='1.0' encoding=\"ISO-8859-1\"?><a>\xC3\xA9</a>", SLIP_ERR_UNSUPPORTED, 1, 1, "ISO-8859-1");
    reads_as("<?xml version='1.0' encoding = 'Utf-8' ?><a>\xC3\xA9</a>", "<a>\xC3\xA9</a>");
    reads_as("<?xml encoding?><a>\xC3\xA9</a>", "<a>\xC3\xA9</a>");
}

static void test_a_failure_stays(void)
{
    static const char text[] = "<a><b></a></b>";

    slip_xml_begin(&xml, text, strlen(text), &err);
    while (slip_xml_next(&xml, &err) == SLIP_OK) { }
    slip_error_clear(&err);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_xml_next(&xml, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_xml_skip(&xml, &err));
    TEST_ASSERT_EQUAL_STRING("", err.what);
}

/* ---- limits and hostility ------------------------------------------------------------------------ */

/* `head`, then `body` as often as asked, then `tail`, in one block. */
static slip_status read_repeated(const char *head, const char *body, int times, const char *tail)
{
    const size_t h = strlen(head), b = strlen(body), t = strlen(tail), n = h + b*(size_t)times + t;
    char *text = (char *)malloc(n);
    slip_status s;
    int i;

    memcpy(text, head, h);
    for (i = 0; i < times; ++i) memcpy(text + h + b*(size_t)i, body, b);
    memcpy(text + n - t, tail, t);
    s = read_bytes(text, n);
    free(text);
    return s;
}

static void test_limits_hold_and_are_met_exactly(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, read_repeated("", "<a>", SLIP_XML_MAX_DEPTH, ""));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_repeated("", "<a>", SLIP_XML_MAX_DEPTH + 1, ""));
    TEST_ASSERT_EQUAL_INT(1 + 3*SLIP_XML_MAX_DEPTH, err.column);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, read_repeated("<", "n", SLIP_XML_MAX_NAME, "/>"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_repeated("<", "n", SLIP_XML_MAX_NAME + 1, "/>"));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, read_repeated("<a x='", "v", SLIP_XML_MAX_VALUE, "'/>"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_repeated("<a x='", "v", SLIP_XML_MAX_VALUE + 1, "'/>"));
}

static void test_the_number_of_attributes_is_limited(void)
{
    char text[2048] = "<a";
    int i, n = 2;

    for (i = 0; i < SLIP_XML_MAX_ATTRIBUTES; ++i) n += slip_format(text + n, (int)sizeof text - n, " x%d=''", i);
    slip_format(text + n, (int)sizeof text - n, "/>");
    TEST_ASSERT_EQUAL_INT(SLIP_OK, read_bytes(text, strlen(text)));
    slip_format(text + n, (int)sizeof text - n, " y=''/>");
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_bytes(text, strlen(text)));
}

static void test_hostile_documents_end_in_an_error_at_once(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_repeated("", "<a>", 100000, ""));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_repeated("<a x='", "0123456789", 100000, "'/>"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_repeated("<a x='", "&amp;", 200000, "'/>"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, read_repeated("<", "a", 1000000, "/>"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, read_repeated("<a", " x=''", 1000000, "/>"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, read_repeated("<a>", "<!--", 1000000, ""));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, read_repeated("<a>", "<b/>", 1000000, ""));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, read_repeated("<a>&#", "0", 1000000, ""));
}

static void test_long_documents_take_linear_time(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_OK, read_repeated("<a>", "<b c='d'/>", 1000000, "</a>"));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, read_repeated("<a>", "x &lt; y ", 1000000, "</a>"));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, read_repeated("<a><!--", "-- ->", 1000000, "--></a>"));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, read_repeated("<a>", "<![CDATA[]]]]>", 500000, "</a>"));
}

static void test_documents_beyond_the_size_limit_are_not_looked_at(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, slip_xml_begin(&xml, "<a/>", (size_t)SLIP_XML_MAX_BYTES + 1, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT, slip_xml_next(&xml, &err));
}

static const char sample[] =
    "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>\n<!-- c --><r a='1' b:c=\"&lt;&#x41;\">\n"
    "<x/>t\xC3\xA9xt &amp; more<![CDATA[<&]]><y z='\xE6\xBC\xA2'></y><?p q?></r>\n";

static void test_every_truncation_fails_and_the_whole_does_not(void)
{
    const size_t n = sizeof sample - 1;
    size_t i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, read_bytes(sample, n));
    for (i = 0; i + 1 < n; ++i) {                              /* without its last line break it is whole */
        TEST_ASSERT_MESSAGE(read_bytes(sample, i) < 0, sample + i);
        TEST_ASSERT(err.what[0] != '\0' && err.line >= 1 && err.column >= 1);
    }
}

static void test_random_mutations_never_break_it(void)
{
    slip_random rng = slip_random_seed(3);
    char text[sizeof sample];
    int round, k, accepted = 0;

    for (round = 0; round < 20000; ++round) {
        memcpy(text, sample, sizeof sample);
        for (k = slip_random_int(&rng, 1, 4); k > 0; --k)
            text[slip_random_int(&rng, 0, (int)sizeof sample - 2)] =
                slip_random_int(&rng, 0, 1) ? (char)slip_random_bits(&rng)
                                            : "<>/='\"&;!?-[] ax"[slip_random_int(&rng, 0, 15)];
        slip_error_clear(&err);
        if (read_bytes(text, sizeof sample - 1) == SLIP_OK) ++accepted;
        else TEST_ASSERT(err.what[0] != '\0');
    }
    TEST_ASSERT(accepted > 100 && accepted < 19000);           /* both ways are taken */
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_elements_attributes_and_text_come_in_order);
    RUN_TEST(test_elements_may_be_spread_over_lines);
    RUN_TEST(test_declaration_comments_and_instructions_are_skipped);
    RUN_TEST(test_blank_text_is_not_reported_but_other_text_is);
    RUN_TEST(test_cdata_is_text_as_it_stands);
    RUN_TEST(test_references_are_decoded_to_utf8);
    RUN_TEST(test_line_breaks_become_blanks_in_values_and_newlines_in_text);
    RUN_TEST(test_utf8_and_a_byte_order_mark_are_accepted);
    RUN_TEST(test_prefixes_are_split_off_and_namespaces_count_as_read);
    RUN_TEST(test_skip_ends_at_the_matching_end);
    RUN_TEST(test_places_count_characters_and_all_line_ends);
    RUN_TEST(test_documents_need_exactly_one_root);
    RUN_TEST(test_tags_must_match);
    RUN_TEST(test_attributes_must_be_well_formed);
    RUN_TEST(test_unknown_references_are_refused);
    RUN_TEST(test_document_types_are_refused);
    RUN_TEST(test_what_never_closes_is_named_at_its_beginning);
    RUN_TEST(test_only_utf8_without_control_characters_is_read);
    RUN_TEST(test_other_encodings_are_refused_when_it_matters);
    RUN_TEST(test_a_failure_stays);
    RUN_TEST(test_limits_hold_and_are_met_exactly);
    RUN_TEST(test_the_number_of_attributes_is_limited);
    RUN_TEST(test_hostile_documents_end_in_an_error_at_once);
    RUN_TEST(test_long_documents_take_linear_time);
    RUN_TEST(test_documents_beyond_the_size_limit_are_not_looked_at);
    RUN_TEST(test_every_truncation_fails_and_the_whole_does_not);
    RUN_TEST(test_random_mutations_never_break_it);
    RUN_TEST(test_zero_bytes_at_the_end_are_not_read);
    return UNITY_END();
}
