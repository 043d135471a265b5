/* libFuzzer's entry: the target is the one that the environment's SLIP_FUZZ names; without it the program lists
 * them. */
#include "fuzz.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const fuzz_target *entry_target;

void fuzz_broken(const char *promise, const char *file, int line)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("SLIP_FUZZ");
    int k;

    (void)argc;
    (void)argv;
    if (!name || !*name) {
        for (k = 0; fuzz_find(NULL, k); ++k) puts(fuzz_find(NULL, k)->name);
        exit(0);
    }
    entry_target = fuzz_find(name, 0);
    if (!entry_target) {
        fprintf(stderr, "SLIP_FUZZ names no target\n");
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    entry_target->run(data, size);
    return 0;
}
