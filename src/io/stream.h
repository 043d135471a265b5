/* A buffered output stream over a function of the caller. A failure is remembered: check once at the end. put.h writes
 * numbers and text to it. */
#ifndef SLIP_IO_STREAM_H
#define SLIP_IO_STREAM_H

#ifndef SLIP_NO_IO
#include <stdio.h>
#endif
#include "base/status.h"

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

/* A stream over a function, which gets `context`; out is the caller's, about SLIP_STREAM_BUFFER bytes. */
void slip_stream_open(slip_write_function *write, void *context, slip_stream *out);

#ifndef SLIP_NO_IO
/* A stream over a C stream, which stays the caller's to close. */
void slip_stream_file(FILE *file, slip_stream *out);
#endif

/* Writes the buffered bytes. SLIP_ERR_FILE when any write so far failed. */
slip_status slip_stream_flush(slip_stream *out);

#endif
