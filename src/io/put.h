/* Numbers, text, XML, JSON and base64 onto a stream: the same bytes in every locale. */
#ifndef SLIP_IO_PUT_H
#define SLIP_IO_PUT_H

#include "base/real.h"
#include "io/stream.h"

/* Memory as a target: bytes that do not fit make the stream fail. text[used] is kept 0. */
typedef struct { char *text; size_t size, used; } slip_stream_memory;
void slip_stream_to_memory(slip_stream_memory *memory, slip_stream *out);

/* ---- putting ------------------------------------------------------------------------------------------ */

/* Each writes to the stream; a stream that refused once is left alone. */
void slip_put(slip_stream *out, const void *bytes, size_t n);
void slip_put_text(slip_stream *out, const char *text);                  /* as it stands                    */
void slip_put_int(slip_stream *out, long long x);
void slip_put_real(slip_stream *out, double x, int digits);              /* like slip_print_double()        */
void slip_put_fixed(slip_stream *out, double x, int decimals);           /* without trailing zeros          */
void slip_put_reals(slip_stream *out, int n, const slip_real *x);        /* each behind a blank, in the shortest form
                                                                            that reads back to the same bits */
void slip_put_format(slip_stream *out, const char *format, ...);         /* slip_format(), up to 255 bytes  */

/* Text inside XML or HTML, also inside attributes: < > & " ' as entities. Bytes that are not UTF-8 and
 * control characters become U+FFFD. NULL counts as "". */
void slip_put_xml(slip_stream *out, const char *text);

/* A JSON string with its quotes that is also harmless inside a <script> element: characters that could begin or end a
 * tag or a comment, and the line separators of JavaScript, are escaped. NULL becomes "". */
void slip_put_json(slip_stream *out, const char *text);

/* A JSON number; null for NaN and infinities. */
void slip_put_json_real(slip_stream *out, double x, int digits);

/* ---- base64 (RFC 4648, padded, no line breaks) --------------------------------------------------------- */

/* An encoder that takes bytes in pieces. Begin with a zeroed struct; the end puts the rest and the padding. */
typedef struct { unsigned char rest[3]; int n; } slip_base64;
void slip_base64_put(slip_base64 *state, slip_stream *out, const void *bytes, size_t n);
void slip_base64_end(slip_base64 *state, slip_stream *out);

/* Decodes text[0..length) into bytes (3*length/4 at most); returns how many, or -1 when it is no base64. */
long slip_base64_read(const char *text, size_t length, unsigned char *bytes);

#endif
