/* See fuzz.h. */
#include "fuzz.h"

#include <string.h>

const fuzz_target *fuzz_find(const char *name, int k)
{
    const fuzz_target *const lists[] = { fuzz_library, fuzz_tools, fuzz_worlds };
    size_t i;

    for (i = 0; i < sizeof lists/sizeof *lists; ++i) {
        const fuzz_target *t;

        for (t = lists[i]; t->name; ++t) if (name ? strcmp(t->name, name) == 0 : k-- == 0) return t;
    }
    return NULL;
}
