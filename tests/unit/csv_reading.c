/* What tests of reading CSV share: see csv_reading.h. */
#include "unit/csv_reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int csv_open_run(void **state) {
    *state = kan_run_create();
    return *state == NULL;
}

int csv_close_run(void **state) {
    kan_run_destroy(*state);
    return 0;
}

static char home[sizeof "/tmp/kanon-csv-read-XXXXXX"];

int csv_make_home(void **state) {
    (void)state;
    memcpy(home, "/tmp/kanon-csv-read-XXXXXX", sizeof home); /* another test may have been here */
    return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

int csv_remove_home(void **state) {
    (void)state;
    return unlink("t.csv") == 0 && chdir("/") == 0 ? rmdir(home) : -1;
}

void csv_write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

int csv_rounds(int normal) {
    const char *text = getenv("KANON_TEST_ROUNDS");
    const long asked = text ? strtol(text, NULL, 10) : 1000;
    return asked > 0 && asked < 1000 ? (int)(normal * asked / 1000) + 1 : normal;
}

const bool csv_all[64] = {true, true, true, true, true, true, true, true, true, true, true, true};

kan_status csv_read_bytes(kan_run *run, const char *text, size_t size, char separator,
                          kan_csv_tuning tuning, kan_table **out) {
    kan_csv_source *source;
    KAN_TRY(kan_csv_open_bytes(run, "t.csv", text, size, separator, &source));
    kan_status status = kan_csv_read_tuned(source, csv_all, tuning, out);
    kan_csv_close(source);
    return status;
}

void csv_assert_cell(const kan_table *table, uint64_t row, size_t column, const char *expected) {
    kan_slice value = kan_column_value(&table->columns[column], row);
    if (!kan_slice_is(value, expected))
        fail_msg("row %d, column %d: '%.*s' instead of '%s'", (int)row, (int)column,
                 (int)value.size, value.bytes, expected);
}
