/* What tests of reading CSV share. */
#ifndef KANON_TESTS_CSV_READING_H
#define KANON_TESTS_CSV_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "io/csv/csv_source.h"

/* A test whose state is a run. */
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, csv_open_run, csv_close_run)
int csv_open_run(void **state);
int csv_close_run(void **state);
/* A folder of the program's own, in which it leaves t.csv. */
int csv_make_home(void **state);
int csv_remove_home(void **state);

/* KANON_TEST_ROUNDS asks for fewer rounds where they are slow, as under a sanitizer. */
int csv_rounds(int normal);

extern const bool csv_all[64]; /* the first twelve columns */
kan_status csv_read_bytes(kan_run *run, const char *text, size_t size, char separator,
                          kan_csv_tuning tuning, kan_table **out);
void csv_write_file(const char *path, const void *bytes, size_t size);
void csv_assert_cell(const kan_table *table, uint64_t row, size_t column, const char *expected);

#endif
