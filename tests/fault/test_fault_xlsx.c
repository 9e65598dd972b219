/* Workbooks with failing calls: reading and writing end in a clean error, the accounts are even
 * afterwards, and nothing is left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault/fault.h"
#include "io/excel/excel.h"

typedef struct {
    char folder[48], input[64], output[64];
} scene;

static kan_status write_release(kan_run *run, const kan_table *table, const char *path) {
    kan_release_column columns[2];
    kan_slice labels[2][64];
    kan_sink *sink = NULL;
    kan_status status;
    for (size_t i = 0; i < 2; i++) {
        const kan_column *column = &table->columns[i];
        for (uint32_t code = 0; code < column->dictionary.n; code++)
            labels[i][code] = kan_dictionary_value(&column->dictionary, code);
        columns[i] = (kan_release_column){.name = column->name,
                                          .source_column = i,
                                          .width = column->width,
                                          .codes = column->codes,
                                          .labels = labels[i],
                                          .n_labels = column->dictionary.n,
                                          .shows_values = true};
    }
    const kan_release release = {
        .n_rows = table->n_rows, .n_released = table->n_rows, .n_columns = 2, .columns = columns};
    const kan_sink_order order = {.kind = &kan_sink_xlsx, .release = &release, .target = path};
    KAN_TRY_DONE(kan_sink_write(run, &order, &sink));
    KAN_TRY_DONE(kan_sink_sync(sink));
    KAN_TRY_DONE(kan_sink_commit(sink));
done:
    kan_sink_close(sink);
    return status;
}

static void make_input(const scene *s) {
    static const char *const names[] = {"day", "name"};
    kan_run *run = kan_run_create();
    kan_table *table;
    assert_int_equal(kan_table_create(run, 2, names, &table), KAN_OK);
    for (unsigned i = 0; i < 40; i++) {
        char day[16], name[16];
        snprintf(day, sizeof day, "2001-02-%02u", 1 + i % 28);
        snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(kan_table_add_row(table, (const char *[]){day, name}), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_int_equal(write_release(run, table, s->input), KAN_OK);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

/* From a workbook to a workbook. */
static kan_status copy_workbook(kan_run *run, const scene *s) {
    const kan_source_options options = {.separator = 0};
    const bool all[2] = {true, true};
    kan_source *source;
    kan_table *table = NULL;
    KAN_TRY(kan_source_open(run, &kan_source_xlsx, s->input, &options, &source));
    bool is_apart[2];
    kan_status status = kan_source_read(source, all, NULL, &table);
    if (status == KAN_OK)
        status = kan_source_xlsx.find_apart(source->state, all, is_apart);
    if (status == KAN_OK)
        status = write_release(run, table, s->output);
    kan_table_destroy(table);
    kan_source_close(source);
    return status;
}

static void every_failing_call_is_a_clean_error(void **state) {
    static const struct {
        fault_call call;
        int error;
    } faults[] = {{FAULT_ALLOCATE, ENOMEM},
                  {FAULT_OPEN, EMFILE},
                  {FAULT_READ, EIO},
                  {FAULT_WRITE, ENOSPC},
                  {FAULT_SYNC, EIO}};
    scene s = {.folder = "/tmp/kanon-fault-xlsx-XXXXXX"};
    (void)state;
    assert_non_null(mkdtemp(s.folder));
    snprintf(s.input, sizeof s.input, "%s/in.xlsx", s.folder);
    snprintf(s.output, sizeof s.output, "%s/out.xlsx", s.folder);
    fault_reset();
    make_input(&s);
    kan_run *run = kan_run_create();
    kan_run_set_memory(run, 64 << 20);
    kan_run_set_threads(run, 1); /* others stay with the run, and what they say */
    const uint64_t left = kan_run_memory_left(run);
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        uint64_t n = 1;
        for (bool is_done = false; !is_done; n++) {
            fault_reset();
            fault_fail_call_at(faults[f].call, n, faults[f].error);
            const kan_status status = copy_workbook(run, &s);
            is_done = !fault_happened();
            fault_reset();
            if (is_done)
                assert_int_equal(status, KAN_OK);
            if (status != KAN_OK) {
                if (status != KAN_FAILED)
                    fail_msg("call %d, %llu: %d: %s", (int)faults[f].call, (unsigned long long)n,
                             (int)status, kan_run_error(run));
                assert_string_not_equal(kan_run_error(run), "");
                assert_int_equal(access(s.output, F_OK) == 0,
                                 strstr(kan_run_error(run), "the file was written") != NULL);
            }
            assert_int_equal(kan_run_memory_left(run), left);
            assert_int_equal(kan_run_temporary_bytes(run), 0);
            (void)unlink(s.output);
        }
    }
    kan_run_destroy(run);
    assert_int_equal(unlink(s.input), 0);
    assert_int_equal(rmdir(s.folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failing_call_is_a_clean_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
