/* data/table.h: rows of each code, counted on any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "core/hash.h"
#include "data/table.h"

enum { N_ROWS = 700001, MOST = 1 << 15 };

/* A column as a table has it. */
static kan_column make_column(uint16_t *codes, uint32_t n_codes, const uint64_t *counts) {
    uint64_t random = n_codes;
    for (size_t row = 0; row < N_ROWS; row++)
        codes[row] = (uint16_t)kan_random_below(&random, n_codes);
    return (kan_column){.name = "a",
                        .is_encoded = true,
                        .width = sizeof *codes,
                        .n_rows = N_ROWS,
                        .codes = codes,
                        .counts = counts,
                        .dictionary = {.n = n_codes}};
}

static void every_row_is_counted_once(void **state) {
    const uint32_t n_codes[] = {1, 3, 300, MOST}; /* the last ones are too many to be divided */
    uint16_t *codes = malloc(N_ROWS * sizeof *codes);
    uint64_t *counts = malloc(N_ROWS * sizeof *counts), *is = malloc(MOST * sizeof *is);
    (void)state;
    for (size_t row = 0; row < N_ROWS; row++)
        counts[row] = row % 9 + 1;
    for (unsigned round = 0; round < 24; round++) {
        kan_run *run = kan_run_create();
        const unsigned threads[] = {1, 2, 7};
        const kan_column column =
            make_column(codes, n_codes[round % 4], round < 12 ? NULL : counts);
        uint64_t *should = calloc(MOST, sizeof *should);
        kan_run_set_threads(run, threads[round / 4 % 3]);
        for (uint64_t row = 0; row < N_ROWS; row++)
            should[codes[row]] += round < 12 ? 1 : counts[row];
        is[0] = 77; /* what was there is forgotten */
        assert_int_equal(kan_column_count_codes(run, &column, is), KAN_OK);
        assert_memory_equal(is, should, column.dictionary.n * sizeof *is);
        free(should);
        kan_run_destroy(run);
    }
    free(codes);
    free(counts);
    free(is);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
