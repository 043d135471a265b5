/* Targets for fuzzing: each takes any bytes, hands them to one reader or to the world, and checks what is promised for
 * hostile input (SECURITY.md). `make fuzz` gives them to libFuzzer (entry.c); tests/test_fuzz.c runs the seeds in
 * tests/fuzz/corpus/NAME and mutants of them with any compiler. */
#ifndef SLIP_TESTS_FUZZ_H
#define SLIP_TESTS_FUZZ_H

#include <stddef.h>

typedef struct {
    const char *name;                /* and the folder of its seeds                        */
    void (*run)(const unsigned char *bytes, size_t size);
} fuzz_target;

extern const fuzz_target fuzz_library[], fuzz_tools[], fuzz_worlds[];      /* each ends with a NULL name */

/* The target of that name, NULL when there is none; with NULL the k-th. */
const fuzz_target *fuzz_find(const char *name, int k);

/* A promise that was not kept: ends the program (entry.c) or the test (test_fuzz.c). */
void fuzz_broken(const char *promise, const char *file, int line);
#define FUZZ_CHECK(promise) ((promise) ? (void)0 : fuzz_broken(#promise, __FILE__, __LINE__))

#endif
