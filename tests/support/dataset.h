/* Real tables with hierarchies, for tests.
 *
 * The data is not part of the sources. It is looked for in the folder that the environment variable
 * KANON_DATA names, then beside the sources in ../shared/data; without it the test is skipped. */
#ifndef KANON_TESTS_DATASET_H
#define KANON_TESTS_DATASET_H

#include "support/plain.h"

enum { DATASET_COLUMNS = 9 };

typedef struct dataset_kind {
    const char *name; /* of its folder, and of the table in it */
    size_t n_rows;
    unsigned n_columns;
    const char *columns[DATASET_COLUMNS]; /* in the order of the table */
} dataset_kind;

extern const dataset_kind dataset_adult;   /* hierarchies of Incognito's Figure 9 */
extern const dataset_kind dataset_fars;    /* accidents */
extern const dataset_kind dataset_ss13acs; /* a survey */

typedef struct dataset {
    const dataset_kind *kind;
    char *rows, *hierarchies[DATASET_COLUMNS]; /* as plain_parse wants them */
} dataset;

/* `tests` is the folder of the tests (KANON_TESTS_DIR). */
void dataset_read(const char *tests, const dataset_kind *kind, dataset *out);
void dataset_destroy(dataset *data);

/* The first n columns as texts. */
void dataset_plain(const dataset *data, unsigned n, plain_table *out);
/* The problem of the first n columns. */
void dataset_problem(kan_run *run, const dataset *data, unsigned n, test_problem *out);

#endif
