/* Text of other encodings with failing calls: each is a clean error, the accounts are even
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
#include "io/streams/stream.h"
#include "io/streams/target.h"

#define MIB (UINT64_C(1) << 20)

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

static void write_table(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a,b\n");
    for (unsigned i = 0; i < 300000; i++)
        fprintf(file, "K\xf6ln,%u\n", i);
    assert_int_equal(fclose(file), 0);
}

static kan_status read_table(kan_run *run, const char *path, bool if_needed) {
    kan_stream stream;
    const kan_stream_encoding said = {"latin1", if_needed};
    KAN_TRY(kan_stream_open_table(run, path, said, &stream));
    assert_memory_equal(stream.bytes, "a,b\nK\xc3\xb6ln,0\n", 12);
    kan_stream_close(&stream);
    return KAN_OK;
}

static void every_failing_call_of_decoding_is_a_clean_error(void **state) {
    (void)state;
    static const struct {
        fault_call call;
        int error;
    } faults[] = {{FAULT_ALLOCATE, ENOMEM},
                  {FAULT_OPEN, EMFILE},
                  {FAULT_READ, EIO},
                  {FAULT_WRITE, ENOSPC},
                  {FAULT_MAP, ENOMEM}};
    char folder[] = "/tmp/kanon-fault-encoding-XXXXXX", path[] = "/tmp/kanon-fault-csv-XXXXXX";
    close(mkstemp(path));
    write_table(path);
    kan_run *run = kan_run_create();
    assert_non_null(run);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(kan_run_set_tmp(run, folder), KAN_OK);
    kan_run_set_memory(run, 6 * MIB); /* what comes out lies in a file */
    const uint64_t left = kan_run_memory_left(run);
    for (size_t f = 0; f < 2 * sizeof faults / sizeof *faults; f++) {
        const size_t which = f / 2;
        uint64_t n = 1;
        for (bool is_done = false; !is_done; n++) {
            fault_reset();
            fault_fail_calls_from(faults[which].call, n, faults[which].error);
            const kan_status status = read_table(run, path, f % 2);
            is_done = !fault_happened();
            fault_reset();
            assert_int_equal(status, is_done ? KAN_OK : KAN_FAILED);
            assert_int_equal(kan_run_memory_left(run), left);
            assert_int_equal(kan_run_temporary_bytes(run), 0);
        }
        assert_true(n > 2);
    }
    kan_run_destroy(run);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static kan_status write_all(kan_run *run, const char *path) {
    static const char line[] = "K\xc3\xb6ln;M\xc3\xbcnchen;some text that is plain\n";
    kan_target *target;
    kan_status status;
    KAN_TRY(kan_target_open(run, path, false, KAN_TARGET_SHARED, &target));
    KAN_TRY_DONE(kan_target_set_encoding(target, "utf-16"));
    for (unsigned i = 0; i < 3000; i++)
        KAN_TRY_DONE(kan_target_write(target, line, sizeof line - 1));
    KAN_TRY_DONE(kan_target_finish(target));
    KAN_TRY_DONE(kan_target_sync(target));
    KAN_TRY_DONE(kan_target_commit(target));
done:
    kan_target_close(target);
    return status;
}

static void every_failing_call_of_encoding_leaves_nothing_behind(void **state) {
    (void)state;
    static const struct {
        fault_call call;
        int error;
    } faults[] = {{FAULT_ALLOCATE, ENOMEM}, {FAULT_WRITE, ENOSPC}};
    static const char *const names[] = {"out.csv", "out.csv.gz"};
    char folder[] = "/tmp/kanon-fault-encoding-XXXXXX", path[64];
    kan_run *run = kan_run_create();
    assert_non_null(run);
    assert_non_null(mkdtemp(folder));
    const uint64_t left = kan_run_memory_left(run);
    for (size_t f = 0; f < 4; f++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[f % 2]);
        for (uint64_t n = 1, is_done = 0; !is_done; n++) {
            fault_reset();
            fault_fail_calls_from(faults[f / 2].call, n, faults[f / 2].error);
            const kan_status status = write_all(run, path);
            is_done = !fault_happened();
            fault_reset();
            assert_int_equal(status, is_done ? KAN_OK : KAN_FAILED);
            assert_int_equal(access(path, F_OK) == 0, is_done);
            assert_int_equal(kan_run_memory_left(run), left);
        }
        unlink(path);
    }
    kan_run_destroy(run);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_failing_call_of_decoding_is_a_clean_error, reset,
                                        reset),
        cmocka_unit_test_setup_teardown(every_failing_call_of_encoding_leaves_nothing_behind, reset,
                                        reset),
    };
    return cmocka_run_group_tests_name("fault: encoding", tests, NULL, NULL);
}
