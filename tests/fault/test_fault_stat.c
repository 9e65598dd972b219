/* Statistics files when memory runs out, a disk is full or a file cannot be read: every single call
 * is made to fail once. Each run ends in a clean error, with no child left and no file under the
 * final name.
 *
 * The child has counters of its own: a call that fails there is an error here, and no fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/run.h"
#include "fault/fault.h"
#include "support/stat_file.h"

static char directory[] = "/tmp/kanon-fault-stat-XXXXXX";
static char in_path[64], out_path[64];

#define S(text)                                                                                    \
    { text, sizeof text - 1 }
static const kan_value_label labels[] = {{S("1"), S("Yes")}, {S("2"), S("No")}};
static const kan_missing_range nine[] = {{9, 9}};
static const kan_field fields[] = {{.name = "A",
                                    .type = KAN_FIELD_NUMBER,
                                    .labels = labels,
                                    .n_labels = 2,
                                    .missing = nine,
                                    .n_missing = 1},
                                   {.name = "B", .type = KAN_FIELD_DATE, .label = "Born"},
                                   {.name = "C", .type = KAN_FIELD_TEXT}};
static const char *const cells[] = {"1", "1980-03-14", "x", "9", "", "some text", "2", "", ""};
static const stat_table table = {.n_rows = 3, .n_columns = 3, .fields = fields, .cells = cells};

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(directory));
    snprintf(in_path, sizeof in_path, "%s/in", directory);
    snprintf(out_path, sizeof out_path, "%s/out", directory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fault_reset();
    unlink(in_path);
    return rmdir(directory); /* nothing else is there */
}

typedef struct {
    const kan_sink_kind *sink;
    const kan_source_kind *source;
} format;

static const format formats[] = {{&kan_sink_sav, &kan_source_sav},
                                 {&kan_sink_zsav, &kan_source_zsav},
                                 {&kan_sink_por, &kan_source_por},
                                 {&kan_sink_dta, &kan_source_dta},
                                 {&kan_sink_xpt, &kan_source_xpt}};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static kan_status read_in(kan_run *run, const format *f) {
    kan_source *source;
    kan_table *read;
    const bool all[] = {true, true, true};
    bool is_apart[3];
    KAN_TRY(stat_read(run, f->source, in_path, NULL, false, &source, &read));
    kan_table_destroy(read);
    const kan_status status = f->source->find_apart(source->state, all, is_apart);
    kan_source_close(source);
    return status;
}

static kan_status write_out(kan_run *run, const format *f) {
    stat_table released = table;
    released.is_released = true;
    return stat_write(run, f->sink, &released, out_path);
}

static void fail_each(fault_call call, int error, const format *f,
                      kan_status (*work)(kan_run *run, const format *f)) {
    enum { MOST = 5000 };
    for (uint64_t n = 1; n < MOST; n++) {
        kan_run *run = kan_run_create();
        assert_non_null(run);
        kan_run_set_threads(run, 1);
        fault_reset();
        fault_fail_call_at(call, n, error);
        const kan_status status = work(run, f);
        const bool happened = fault_happened();
        fault_reset();
        if (status != KAN_OK &&
            ((status != KAN_FAILED && status != KAN_BAD_INPUT) || !*kan_run_error(run)))
            fail_msg("call %lu: status %d, '%s'", (unsigned long)n, status, kan_run_error(run));
        if (status != KAN_OK && (call == FAULT_ALLOCATE || call == FAULT_WRITE))
            assert_int_not_equal(access(out_path, F_OK), 0);
        unlink(out_path);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
        kan_run_destroy(run);
        if (status == KAN_OK && !happened)
            return;
    }
    fail_msg("the faults do not end");
}

static void reading_survives_every_failing_call(void **state) {
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        kan_run *run = kan_run_create();
        if (stat_write(run, formats[i].sink, &table, in_path) != KAN_OK)
            fail_msg("%s", kan_run_error(run));
        kan_run_destroy(run);
        fail_each(FAULT_ALLOCATE, ENOMEM, &formats[i], read_in);
        fail_each(FAULT_OPEN, EMFILE, &formats[i], read_in);
        fail_each(FAULT_READ, EIO, &formats[i], read_in);
    }
}

static void writing_survives_every_failing_call(void **state) {
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        fail_each(FAULT_ALLOCATE, ENOMEM, &formats[i], write_out);
        fail_each(FAULT_WRITE, ENOSPC, &formats[i], write_out);
        fail_each(FAULT_SYNC, EIO, &formats[i], write_out);
        fail_each(FAULT_RENAME, EIO, &formats[i], write_out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_survives_every_failing_call),
        cmocka_unit_test(writing_survives_every_failing_call),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
