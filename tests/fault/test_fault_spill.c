/* Temporary data with failing calls: no memory, no file, no room, no mapping. Each is a clean error
 * or goes another way, the accounts are even afterwards, and the folder is empty. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/spill.h"
#include "fault/fault.h"
#include "io/csv/csv_source.h"
#include "io/streams/spool.h"

#define MIB (UINT64_C(1) << 20)

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

/* Fails unless the folder is empty, and removes it. */
static void remove_folder(const char *folder) {
    if (rmdir(folder) != 0)
        fail_msg("%s: %s", folder, strerror(errno));
}

static kan_run *start_run(char *folder, uint64_t budget) {
    kan_run *run = kan_run_create();
    assert_non_null(run);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(kan_run_set_tmp(run, folder), KAN_OK);
    kan_run_set_memory(run, budget);
    return run;
}

static void expect_even(kan_run *run, uint64_t left) {
    assert_int_equal(kan_run_memory_left(run), left);
    assert_int_equal(kan_run_temporary_bytes(run), 0);
}

/* ---- arrays --------------------------------------------------------------------------------- */

static void one_failing_call(fault_call call, int error, const char *message) {
    char folder[] = "/tmp/kanon-fault-spill-XXXXXX";
    kan_run *run = start_run(folder, 2 * MIB);
    const uint64_t left = kan_run_memory_left(run);
    for (size_t size = 1 << 20; size <= 8 << 20; size *= 8) { /* in a shared mapping, in its own */
        char *array = NULL, *first = NULL;
        assert_int_equal(kan_alloc(run, 1 << 20, 1, &first), KAN_OK);
        fault_reset();
        fault_fail_calls_from(call, 1, error);
        assert_int_equal(kan_spill_alloc(run, size, 1, &array), KAN_FAILED);
        assert_true(fault_happened());
        fault_reset();
        assert_null(array);
        if (!strstr(kan_run_error(run), message))
            fail_msg("'%s' lacks '%s'", kan_run_error(run), message);
        kan_free(run, first);
        expect_even(run, left);
        assert_int_equal(kan_spill_alloc(run, size, 1, &array), KAN_OK); /* and then it goes */
        kan_free(run, array);
        expect_even(run, left);
    }
    kan_run_destroy(run);
    remove_folder(folder);
}

static void a_full_disk_is_told_with_its_remedy(void **state) {
    (void)state;
    one_failing_call(FAULT_RESIZE, ENOSPC,
                     "No space left on device; free some, name another place "
                     "with --tmp, or allow more with --memory");
    one_failing_call(FAULT_RESIZE, ENOSPC, "MiB of temporary data: ");
    one_failing_call(FAULT_RESIZE, EDQUOT, "no room for ");
    one_failing_call(FAULT_RESIZE, EIO, "of temporary data cannot be kept there");
}

static void a_file_that_cannot_be_made_is_a_clean_error(void **state) {
    (void)state;
    one_failing_call(FAULT_OPEN, EACCES,
                     "temporary files cannot be created there: Permission denied");
    one_failing_call(FAULT_OPEN, EMFILE, "Too many open files");
}

static void a_mapping_that_is_refused_is_a_clean_error(void **state) {
    (void)state;
    one_failing_call(FAULT_MAP, ENOMEM, "of temporary data could not be mapped");
    one_failing_call(FAULT_ALLOCATE, ENOMEM, "out of memory");
}

static void a_file_system_without_nameless_files_leaves_no_name(void **state) {
    (void)state;
    char folder[] = "/tmp/kanon-fault-spill-XXXXXX", *array = NULL;
    kan_run *run = start_run(folder, MIB);
    fault_fail_call_at(FAULT_OPEN, 1, EOPNOTSUPP);
    assert_int_equal(kan_spill_alloc(run, 3 * MIB, 1, &array), KAN_OK);
    assert_true(fault_happened());
    memset(array, 'x', 3 * MIB);
    remove_folder(folder); /* empty while the array is in use */
    assert_int_equal(array[3 * MIB - 1], 'x');
    kan_free(run, array);
    kan_run_destroy(run);
}

static void a_large_block_that_is_refused_is_out_of_memory(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    char *block = NULL;
    kan_run_set_memory(run, 64 * MIB);
    fault_fail_call_at(FAULT_MAP, 1, ENOMEM);
    assert_int_equal(kan_alloc(run, 4 * MIB, 1, &block), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), "out of memory"));
    assert_int_equal(kan_run_memory_left(run), 64 * MIB);
    assert_int_equal(kan_alloc(run, 1000, 1, &block), KAN_OK);
    block[999] = 'x';
    fault_fail_call_at(FAULT_MAP, 1, ENOMEM);
    assert_int_equal(kan_resize(run, 4 * MIB, 1, &block), KAN_FAILED);
    assert_int_equal(block[999], 'x');
    kan_free(run, block);
    assert_int_equal(kan_run_memory_left(run), 64 * MIB);
    kan_run_destroy(run);
}

/* ---- what comes in piece by piece ----------------------------------------------------------- */

/* 12 MiB through a spool, and read again where they ended up. */
static kan_status spool_all(kan_spool *spool) {
    uint64_t total = 0;
    while (total < 12 * MIB) {
        char *at;
        size_t room;
        KAN_TRY(kan_spool_room(spool, &at, &room));
        size_t size = room < 50000 ? room : 50000;
        for (size_t i = 0; i < size; i++)
            at[i] = (char)((total + i) % 251);
        kan_spool_add(spool, size);
        total += size;
    }
    KAN_TRY(kan_spool_end(spool));
    assert_true(spool->file >= 0);
    assert_int_equal(spool->n_in_file, total);
    for (uint64_t at = 0; at < total; at += 99991) {
        char byte;
        assert_int_equal(pread(spool->file, &byte, 1, (off_t)at), 1);
        assert_int_equal(byte, (char)(at % 251));
    }
    return KAN_OK;
}

static void every_failing_call_of_a_spool_is_a_clean_error(void **state) {
    (void)state;
    static const struct {
        fault_call call;
        int error;
        const char *message;
    } faults[] = {{FAULT_ALLOCATE, ENOMEM, "out of memory"},
                  {FAULT_MAP, ENOMEM, "out of memory"},
                  {FAULT_OPEN, EACCES, "temporary files cannot be created there"},
                  {FAULT_WRITE, ENOSPC, "of temporary data"}};
    char folder[] = "/tmp/kanon-fault-spill-XXXXXX";
    kan_run *run = start_run(folder, 8 * MIB);
    const uint64_t left = kan_run_memory_left(run);
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++)
        for (uint64_t n = 1, is_done = 0; !is_done; n++) {
            kan_spool spool;
            kan_spool_init(&spool, run, "a pipe", 64);
            fault_reset();
            fault_fail_calls_from(faults[f].call, n, faults[f].error);
            fault_shorten_writes(300000);
            kan_status status = spool_all(&spool);
            is_done = !fault_happened();
            fault_reset();
            assert_int_equal(status, is_done ? KAN_OK : KAN_FAILED);
            if (!is_done && !strstr(kan_run_error(run), faults[f].message))
                fail_msg("'%s' lacks '%s'", kan_run_error(run), faults[f].message);
            kan_spool_destroy(&spool);
            expect_even(run, left);
        }
    kan_run_destroy(run);
    remove_folder(folder);
}

/* ---- reading -------------------------------------------------------------------------------- */

static kan_status read_file(kan_run *run, const char *path, kan_table **out) {
    const bool encode[] = {true, true};
    kan_csv_source *source;
    KAN_TRY(kan_csv_open(run, path, ',', &source));
    kan_status status = kan_csv_read_tuned(source, encode, (kan_csv_tuning){1 << 20, false}, out);
    kan_csv_close(source);
    return status;
}

static void every_failing_call_of_a_reader_short_of_memory_is_a_clean_error(void **state) {
    (void)state;
    static const struct {
        fault_call call;
        int error;
    } faults[] = {{FAULT_OPEN, EMFILE}, {FAULT_RESIZE, ENOSPC}, {FAULT_MAP, ENOMEM}};
    char folder[] = "/tmp/kanon-fault-spill-XXXXXX", path[] = "/tmp/kanon-fault-csv-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fprintf(file, "a,b\n");
    for (unsigned i = 0; i < 400000; i++)
        fprintf(file, "%u,%u\n", i % 7, i * 31 % 70000);
    fclose(file);
    kan_run *run = start_run(folder, 32 * MIB);
    kan_run_set_threads(run, 1);
    char *filler; /* nothing but small things finds room in memory beside it */
    assert_int_equal(kan_alloc(run, 16 * MIB, 1, &filler), KAN_OK);
    const uint64_t left = kan_run_memory_left(run);
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        uint64_t n = 1;
        for (bool is_done = false; !is_done; n++) {
            kan_table *table = NULL;
            fault_reset();
            fault_fail_calls_from(faults[f].call, n, faults[f].error);
            kan_status status = read_file(run, path, &table);
            is_done = !fault_happened();
            fault_reset();
            if (is_done && status != KAN_OK)
                fail_msg("%s", kan_run_error(run));
            if (!is_done)
                assert_int_equal(status, KAN_FAILED);
            kan_table_destroy(table);
            expect_even(run, left);
        }
        assert_true(n > 2); /* the first call that can fail is not the only one */
    }
    kan_free(run, filler);
    kan_run_destroy(run);
    unlink(path);
    remove_folder(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_full_disk_is_told_with_its_remedy, reset, reset),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_made_is_a_clean_error, reset, reset),
        cmocka_unit_test_setup_teardown(a_mapping_that_is_refused_is_a_clean_error, reset, reset),
        cmocka_unit_test_setup_teardown(a_file_system_without_nameless_files_leaves_no_name, reset,
                                        reset),
        cmocka_unit_test_setup_teardown(a_large_block_that_is_refused_is_out_of_memory, reset,
                                        reset),
        cmocka_unit_test_setup_teardown(every_failing_call_of_a_spool_is_a_clean_error, reset,
                                        reset),
        cmocka_unit_test_setup_teardown(
            every_failing_call_of_a_reader_short_of_memory_is_a_clean_error, reset, reset),
    };
    return cmocka_run_group_tests_name("fault: spill", tests, NULL, NULL);
}
