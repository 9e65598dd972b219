/* The Adult table with the hierarchies of Incognito's Figure 9: shorter names for what dataset.h
 * says of all tables. */
#ifndef KANON_TESTS_ADULT_H
#define KANON_TESTS_ADULT_H

#include "support/dataset.h"

enum { ADULT_COLUMNS = 9, ADULT_ROWS = 45222 };

typedef dataset adult;

/* `tests` is the folder of the tests (KANON_TESTS_DIR). Without the data the test is skipped. */
static inline void adult_read(const char *tests, adult *out) {
    dataset_read(tests, &dataset_adult, out);
}

static inline void adult_destroy(adult *data) {
    dataset_destroy(data);
}

/* The problem of the first n columns. */
static inline void adult_problem(kan_run *run, const adult *data, unsigned n, test_problem *out) {
    dataset_problem(run, data, n, out);
}

#endif
