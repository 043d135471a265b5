/* See text.h. */
#include "base/text.h"
#include "base/vec.h"

#include <limits.h>
#include <string.h>
#include "base/number.h"

/* The output of a format: text beyond its size is counted, not kept. */
typedef struct {
    char *out;
    int   size, length;
    va_list args;            /* what the conversions take, in their order */
} text_sink;

static void text_put(text_sink *sink, const char *text, size_t bytes)
{
    const size_t room = sink->length < sink->size - 1 ? (size_t)(sink->size - 1 - sink->length) : 0;

    if (room) memcpy(sink->out + sink->length, text, bytes < room ? bytes : room);
    sink->length = bytes < (size_t)(INT_MAX - sink->length) ? sink->length + (int)bytes : INT_MAX;
}

/* Bytes of the UTF-8 character that starts with c; 1 for bytes that start none. */
static int text_utf8_bytes(unsigned char c)
{
    return c >= 0xf0 && c < 0xf8 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc0 && c < 0xe0 ? 2 : 1;
}

/* The longest length <= n at which out[0..n) ends with a whole character. */
static int text_whole(const char *out, int n)
{
    int back;

    for (back = 1; back <= 3 && back <= n; ++back) {
        const unsigned char c = (unsigned char)out[n - back];

        if ((c & 0xc0) != 0x80) return text_utf8_bytes(c) > back ? n - back : n;
    }
    return n;
}

/* A string's length, without looking beyond `most` bytes. */
static size_t text_length(const char *text, int most)
{
    size_t n = 0;

    if (most < 0) return strlen(text);
    while (n < (size_t)most && text[n]) ++n;
    return n;
}

static void text_put_size(text_sink *sink, size_t x)
{
    char digits[24];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + x % 10);
        x /= 10;
    } while (x);
    text_put(sink, digits + at, sizeof digits - at);
}

static void text_put_string(text_sink *sink, const char *text, int most)
{
    if (text) text_put(sink, text, text_length(text, most));
    else text_put(sink, "(null)", 6);
}

/* A conversion that begins with a point; f is at the point. See text_convert. */
static const char *text_convert_precise(text_sink *sink, const char *f)
{
    const char *end = f + 1;
    char number[SLIP_NUMBER_SIZE];
    int digits = 0;

    if (f[1] == '*' && f[2] == 's') {
        const int most = va_arg(sink->args, int);

        text_put_string(sink, va_arg(sink->args, const char *), most);
        return f + 3;
    }
    while (end < f + 3 && slip_is_digit(*end)) digits = 10*digits + (*end++ - '0');
    if (end == f + 1 || digits > 17 || (*end != 'g' && *end != 'f')) {
        text_put(sink, "%", 1);
        return f;
    }
    if (*end == 'f') text_put(sink, number, (size_t)slip_print_fixed(va_arg(sink->args, double), digits, number));
    else text_put(sink, number, (size_t)slip_print_double(va_arg(sink->args, double), digits ? digits : 1, number));
    return end + 1;
}

/* Prints the conversion at f, which stands behind its percent sign, and returns where the format goes
 * on: behind it, or at f when it is unknown and only the percent sign was printed. */
static const char *text_convert(text_sink *sink, const char *f)
{
    char number[SLIP_NUMBER_SIZE];

    switch (*f) {
    case '.': return text_convert_precise(sink, f);
    case 's': text_put_string(sink, va_arg(sink->args, const char *), -1); break;
    case 'c': number[0] = (char)va_arg(sink->args, int); text_put(sink, number, 1); break;
    case 'd': text_put(sink, number, (size_t)slip_print_int(va_arg(sink->args, int), number)); break;
    case 'z': text_put_size(sink, va_arg(sink->args, size_t)); break;
    case 'g': text_put(sink, number, (size_t)slip_print_double(va_arg(sink->args, double), 0, number)); break;
    case '%': text_put(sink, "%", 1); break;
    default:  text_put(sink, "%", 1); return f;
    }
    return f + 1;
}

int slip_format_list(char *out, int size, const char *format, va_list args)
{
    text_sink sink;
    const char *f = format, *percent;

    sink.out = out;
    sink.size = size;
    sink.length = 0;
    va_copy(sink.args, args);
    while ((percent = strchr(f, '%')) != NULL) {
        text_put(&sink, f, (size_t)(percent - f));
        f = text_convert(&sink, percent + 1);
    }
    text_put(&sink, f, strlen(f));
    va_end(sink.args);
    if (size > 0) out[sink.length < size ? sink.length : text_whole(out, size - 1)] = '\0';
    return sink.length;
}

int slip_format(char *out, int size, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = slip_format_list(out, size, format, args);
    va_end(args);
    return length;
}

int slip_text_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

int slip_text_equal_n(const char *a, int length, const char *b)
{
    int i;

    if (!a || !b) return a == b;
    for (i = 0; i < length; ++i) if (b[i] == '\0' || a[i] != b[i]) return 0;
    return length >= 0 && b[length] == '\0';
}

int slip_text_word(const char *words, const char *text, int length)
{
    int i = 0;

    while (*words) {
        const char *end = strchr(words, ' ');
        const int n = end ? (int)(end - words) : (int)strlen(words);

        if (n == length && memcmp(words, text, (size_t)n) == 0) return i;
        words += n + (end != NULL);
        ++i;
    }
    return -1;
}

int slip_read_reals(const char *text, int length, slip_real *x, int most, int *at)
{
    int i = 0, count = 0;

    for (;;) {
        slip_real value;
        int start, used;

        while (i < length && slip_is_blank((unsigned char)text[i])) ++i;
        if (i >= length) return count;
        for (start = i; i < length && !slip_is_blank((unsigned char)text[i]);) ++i;
        if (count < most) {
            used = slip_read_real(text + start, i - start, &value);
            if (used != i - start || !slip_is_finite(value)) {
                if (at) *at = start;
                return -1 - count;
            }
            x[count] = value;
        }
        ++count;
    }
}

int slip_text_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL;                     /* the last *, and what it was tried against */

    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == '?' || *pattern == *name) {
            ++pattern;
            ++name;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return 0;
        }
    }
    while (*pattern == '*') ++pattern;
    return *pattern == '\0';
}
