/* See stream.h and put.h. */
#include "io/put.h"

#include <string.h>
#include "base/base.h"

void slip_stream_open(slip_write_function *write, void *context, slip_stream *out)
{
    out->write = write;
    out->context = context;
    out->total = out->used = 0;
    out->failed = 0;
}

#ifndef SLIP_NO_IO
static int stream_to_file(void *context, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, (FILE *)context) != n;
}

void slip_stream_file(FILE *file, slip_stream *out)
{
    slip_stream_open(stream_to_file, file, out);
}
#endif

static int stream_to_memory(void *context, const void *bytes, size_t n)
{
    slip_stream_memory *m = (slip_stream_memory *)context;

    if (m->size == 0 || n > m->size - 1 - m->used) return 1;
    memcpy(m->text + m->used, bytes, n);
    m->used += n;
    m->text[m->used] = '\0';
    return 0;
}

void slip_stream_to_memory(slip_stream_memory *memory, slip_stream *out)
{
    slip_stream_open(stream_to_memory, memory, out);
}

static void stream_send(slip_stream *out, const void *bytes, size_t n)
{
    if (n > 0 && !out->failed && out->write(out->context, bytes, n) != 0) out->failed = 1;
}

slip_status slip_stream_flush(slip_stream *out)
{
    stream_send(out, out->buffer, out->used);
    out->used = 0;
    return out->failed ? SLIP_ERR_FILE : SLIP_OK;
}

void slip_put(slip_stream *out, const void *bytes, size_t n)
{
    out->total += n;
    if (n > SLIP_STREAM_BUFFER - out->used) slip_stream_flush(out);
    if (n > SLIP_STREAM_BUFFER) stream_send(out, bytes, n);
    else {
        memcpy(out->buffer + out->used, bytes, n);
        out->used += n;
    }
}

void slip_put_text(slip_stream *out, const char *text)
{
    slip_put(out, text, strlen(text));
}

void slip_put_int(slip_stream *out, long long x)
{
    char text[SLIP_NUMBER_SIZE];

    slip_put(out, text, (size_t)slip_print_int(x, text));
}

void slip_put_real(slip_stream *out, double x, int digits)
{
    char text[SLIP_NUMBER_SIZE];

    slip_put(out, text, (size_t)slip_print_double(x, digits, text));
}

void slip_put_reals(slip_stream *out, int n, const slip_real *x)
{
    char text[SLIP_NUMBER_SIZE];
    int i;

    for (i = 0; i < n; ++i) {
        slip_put(out, " ", 1);
        slip_put(out, text, (size_t)slip_print_real(x[i], 0, text));
    }
}

void slip_put_fixed(slip_stream *out, double x, int decimals)
{
    char text[SLIP_NUMBER_SIZE];
    int n = slip_print_fixed(x, decimals, text);

    if (memchr(text, '.', (size_t)n) && !memchr(text, 'e', (size_t)n)) {
        while (text[n - 1] == '0') --n;
        if (text[n - 1] == '.') --n;
    }
    if (n == 2 && text[0] == '-' && text[1] == '0') slip_put(out, "0", 1);
    else slip_put(out, text, (size_t)n);
}

void slip_put_format(slip_stream *out, const char *format, ...)
{
    char text[256];
    va_list args;
    int n;

    va_start(args, format);
    n = slip_format_list(text, (int)sizeof text, format, args);
    va_end(args);
    slip_put(out, text, n < (int)sizeof text ? (size_t)n : strlen(text));
}

/* ---- text made safe ----------------------------------------------------------------------------- */

/* Length of the UTF-8 character at s, 0 when there is none: overlong forms, surrogates and what is beyond
 * U+10FFFF do not count. *code is its number. */
static int stream_utf8(const unsigned char *s, unsigned long *code)
{
    const int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    unsigned long c = n == 1 ? s[0] : n == 2 ? s[0] & 0x1fu : n == 3 ? s[0] & 0x0fu : s[0] & 0x07u;
    int i;

    for (i = 1; i < n; ++i) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if ((n == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (n == 4 && (c < 0x10000 || c > 0x10ffff))) return 0;
    *code = c;
    return n;
}

static int stream_is_control(unsigned long c)
{
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff;
}

static const char stream_unknown[] = "\xef\xbf\xbd";             /* U+FFFD */

void slip_put_xml(slip_stream *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");

    while (*s) {
        unsigned long c = 0;
        const int n = stream_utf8(s, &c);
        const char *as = n == 0 || stream_is_control(c) ? stream_unknown : c == '<' ? "&lt;" : c == '>' ? "&gt;"
                       : c == '&' ? "&amp;" : c == '"' ? "&quot;" : c == '\'' ? "&#39;" : NULL;

        if (as) slip_put_text(out, as);
        else slip_put(out, s, (size_t)n);
        s += n > 0 ? n : 1;
    }
}

/* \u003c and the like. */
static void stream_escape(slip_stream *out, unsigned long c)
{
    static const char digit[] = "0123456789abcdef";
    char text[6] = { '\\', 'u', 0, 0, 0, 0 };
    int i;

    for (i = 0; i < 4; ++i) text[2 + i] = digit[c >> (12 - 4*i) & 15u];
    slip_put(out, text, sizeof text);
}

void slip_put_json(slip_stream *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");

    slip_put(out, "\"", 1);
    while (*s) {
        unsigned long c = 0;
        const int n = stream_utf8(s, &c);

        if (n == 0) slip_put_text(out, stream_unknown);
        else if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == '\'' || c == 0x7f
                 || c == 0x2028 || c == 0x2029) stream_escape(out, c);
        else slip_put(out, s, (size_t)n);
        s += n > 0 ? n : 1;
    }
    slip_put(out, "\"", 1);
}

void slip_put_json_real(slip_stream *out, double x, int digits)
{
    if (x - x == 0) slip_put_real(out, x, digits);
    else slip_put_text(out, "null");
}

/* ---- base64 ------------------------------------------------------------------------------------- */

static const char base64_digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void base64_group(const unsigned char b[3], char text[4])
{
    text[0] = base64_digit[b[0] >> 2];
    text[1] = base64_digit[(b[0] & 3) << 4 | b[1] >> 4];
    text[2] = base64_digit[(b[1] & 15) << 2 | b[2] >> 6];
    text[3] = base64_digit[b[2] & 63];
}

void slip_base64_put(slip_base64 *state, slip_stream *out, const void *bytes, size_t n)
{
    const unsigned char *b = (const unsigned char *)bytes;
    char text[4];

    while (n > 0) {
        state->rest[state->n++] = *b++;
        --n;
        if (state->n < 3) continue;
        base64_group(state->rest, text);
        slip_put(out, text, 4);
        state->n = 0;
    }
}

void slip_base64_end(slip_base64 *state, slip_stream *out)
{
    char text[4];
    int i;

    if (state->n == 0) return;
    for (i = state->n; i < 3; ++i) state->rest[i] = 0;
    base64_group(state->rest, text);
    for (i = state->n + 1; i < 4; ++i) text[i] = '=';
    slip_put(out, text, 4);
    state->n = 0;
}

long slip_base64_read(const char *text, size_t length, unsigned char *bytes)
{
    size_t i, pad = 0;
    unsigned long group = 0;
    long n = 0;

    if (length%4 != 0) return -1;
    while (pad < 2 && pad < length && text[length - 1 - pad] == '=') ++pad;
    for (i = 0; i < length; ++i) {
        const char *at = i < length - pad && text[i] ? strchr(base64_digit, text[i]) : NULL;

        if (!at && i < length - pad) return -1;
        group = group << 6 | (at ? (unsigned long)(at - base64_digit) : 0ul);
        if (i%4 != 3) continue;
        bytes[n++] = (unsigned char)(group >> 16 & 255u);
        if (i < length - 1 || pad < 2) bytes[n++] = (unsigned char)(group >> 8 & 255u);
        if (i < length - 1 || pad < 1) bytes[n++] = (unsigned char)(group & 255u);
        group = 0;
    }
    return n;
}
