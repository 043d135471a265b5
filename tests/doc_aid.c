/* See doc_aid.h. */
#include "doc_aid.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "unity.h"

static char doc_page[1 << 16];

/* The cell of a row, 0-terminated in place. */
static char *doc_cell(const char *page, const char *row, int column)
{
    char *at;

    command_read(page, doc_page, sizeof doc_page);
    for (at = doc_page; at && strncmp(at, row, strlen(row)) != 0; ) {
        at = strchr(at, '\n');
        if (at) ++at;
    }
    for (; at && column > 0; --column) at = strchr(at + 1, '|');
    TEST_ASSERT_NOT_NULL_MESSAGE(at, row);
    at[strcspn(at + 1, "|\n") + 1] = 0;
    return at + 1;
}

int doc_numbers(const char *page, const char *row, int column, double *out, int most)
{
    char *at = doc_cell(page, row, column);
    int n = 0;

    while (*at && n < most) {
        char *end = at + 1;

        if (isdigit((unsigned char)*at)) out[n++] = strtod(at, &end);
        else if (isalpha((unsigned char)*at) || *at == '_') while (isalnum((unsigned char)*end) || *end == '_') ++end;
        at = end;
    }
    return n;
}

void doc_states(const char *page, const char *row, int column, int n, const double *expected)
{
    double stated[16];
    char message[256];
    int i;

    snprintf(message, sizeof message, "%s, '%s', cell %d", page, row, column);
    TEST_ASSERT_EQUAL_INT_MESSAGE(n, doc_numbers(page, row, column, stated, 16), message);
    for (i = 0; i < n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6*fabs(expected[i]), stated[i], expected[i], message);
}
