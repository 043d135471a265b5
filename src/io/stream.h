/* A buffered output stream over a function of the caller. A failure is remembered: check once at the end. put.h writes
 * numbers and text to it. */
#ifndef SLIP_IO_STREAM_H
#define SLIP_IO_STREAM_H

#include <stdio.h>
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

void slip_stream_open(slip_write_function *write, void *context, slip_stream *out);

/* A stream over a C stream, which stays the caller's to close. */
void slip_stream_file(FILE *file, slip_stream *out);

/* Writes the buffered bytes. SLIP_ERR_FILE when any write so far failed. */
slip_status slip_stream_flush(slip_stream *out);

/* Memory as a target: bytes that do not fit make the stream fail. text[used] is kept 0. */
typedef struct { char *text; size_t size, used; } slip_stream_memory;
void slip_stream_to_memory(slip_stream_memory *memory, slip_stream *out);

#endif
