/* Streams over files that the page has put into memory (lab_file() in lab.c): reading, and nothing else. */
#ifndef LAB_STDIO_H
#define LAB_STDIO_H

#include <stddef.h>

typedef struct lab_stream FILE;

#define EOF (-1)
#define stdout ((FILE *)0)
#define stderr ((FILE *)0)

FILE *fopen(const char *path, const char *mode);
int fclose(FILE *f);
size_t fread(void *to, size_t size, size_t count, FILE *f);
size_t fwrite(const void *from, size_t size, size_t count, FILE *f);
int fgetc(FILE *f);
int ferror(FILE *f);
int fputc(int c, FILE *f);
int fprintf(FILE *f, const char *format, ...);

#endif
