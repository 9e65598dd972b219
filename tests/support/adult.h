/* The Adult table with the hierarchies of Incognito's Figure 9.
 *
 * The data is not part of the sources. It is looked for in the folder that the environment variable
 * KANON_DATA names, then beside the sources in ../shared/data; without it the test is skipped. */
#ifndef KANON_TESTS_ADULT_H
#define KANON_TESTS_ADULT_H

#include "support/plain.h"

enum { ADULT_COLUMNS = 9, ADULT_ROWS = 45222 };

typedef struct adult {
    char *rows, *hierarchies[ADULT_COLUMNS];
} adult;

/* `tests` is the folder of the tests (KANON_TESTS_DIR). */
void adult_read(const char *tests, adult *out);
void adult_destroy(adult *data);

/* The problem of the first n columns. */
void adult_problem(kan_run *run, const adult *data, unsigned n, test_problem *out);

#endif
