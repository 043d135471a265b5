/* An output stream of our own: bytes through a function of the caller, buffered; numbers the same in every
 * locale; text made safe for where it goes. A failure is remembered, so one look at the end is enough. */
#ifndef SLIP_IO_STREAM_H
#define SLIP_IO_STREAM_H

#include <stdio.h>
#include "base/base.h"

enum { SLIP_STREAM_BUFFER = 1024 };

/* Writes n bytes; returns 0 when done, anything else when not. */
typedef int slip_write_function(void *context, const void *bytes, size_t n);

typedef struct {
    slip_write_function *write;
    void *context;
    size_t total;                    /* bytes put so far                                                */
    size_t used;                     /* of the buffer                                                   */
    int failed;                      /* the function refused once: all that follows is dropped          */
    char buffer[SLIP_STREAM_BUFFER];
} slip_stream;

void slip_stream_open(slip_write_function *write, void *context, slip_stream *out);

/* A stream over a C stream, which stays the caller's to close. */
void slip_stream_file(FILE *file, slip_stream *out);

/* Hands on what is buffered. SLIP_ERR_FILE when any byte so far was refused. */
slip_status slip_stream_flush(slip_stream *out);

/* Memory as a target: bytes that do not fit make the stream fail. text[used] is kept 0. */
typedef struct { char *text; size_t size, used; } slip_stream_memory;
void slip_stream_to_memory(slip_stream_memory *memory, slip_stream *out);

/* ---- putting ------------------------------------------------------------------------------------------ */

void slip_put(slip_stream *out, const void *bytes, size_t n);
void slip_put_text(slip_stream *out, const char *text);                  /* as it stands                    */
void slip_put_int(slip_stream *out, long long x);
void slip_put_real(slip_stream *out, double x, int digits);              /* like slip_print_double()        */
void slip_put_fixed(slip_stream *out, double x, int decimals);           /* without trailing zeros          */
void slip_put_format(slip_stream *out, const char *format, ...);         /* slip_format(), up to 255 bytes  */

/* Text inside XML or HTML, also inside attributes: < > & " ' as entities. Bytes that are not UTF-8 and
 * control characters become U+FFFD. NULL counts as "". */
void slip_put_xml(slip_stream *out, const char *text);

/* A JSON string with its quotes that is also harmless inside a <script> element: what could end or open a
 * tag or a comment, and the line separators of JavaScript, are escaped. NULL becomes "". */
void slip_put_json(slip_stream *out, const char *text);

/* A JSON number: what is not finite becomes null. */
void slip_put_json_real(slip_stream *out, double x, int digits);

/* ---- base64 (RFC 4648, padded, no line breaks) --------------------------------------------------------- */

/* An encoder that takes bytes in pieces. Begin with a zeroed struct; the end puts the rest and the padding. */
typedef struct { unsigned char rest[3]; int n; } slip_base64;
void slip_base64_put(slip_base64 *state, slip_stream *out, const void *bytes, size_t n);
void slip_base64_end(slip_base64 *state, slip_stream *out);

/* Decodes text[0..length) into bytes (3*length/4 at most); returns how many, or -1 when it is no base64. */
long slip_base64_read(const char *text, size_t length, unsigned char *bytes);

#endif
