/* A ledger when calls of the system fail: whatever happens at whichever moment, the file is a whole
 * ledger afterwards, with the release or without it, and no earlier one is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "fault/fault.h"
#include "ledger/ledger.h"

enum { PEOPLE = 40, BUDGET = 1 << 28 };

static char home[] = "/tmp/kanon-ledger-XXXXXX";

static int make_home(void **state) {
    (void)state;
    return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int remove_home(void **state) {
    (void)state;
    return unlink("key") == 0 && chdir("/") == 0 && rmdir(home) == 0 ? 0 : -1;
}

static void put(const char *path, const void *bytes, size_t size) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    assert_int_equal(close(file), 0);
}

static size_t get(const char *path, uint8_t *bytes, size_t room) {
    const int file = open(path, O_RDONLY);
    if (file < 0)
        return 0;
    const ssize_t size = read(file, bytes, room);
    assert_true(size >= 0);
    assert_int_equal(close(file), 0);
    return (size_t)size;
}

/* Whether the release was handed out, as its maker sees it. */
static kan_status add_release(kan_run *run, bool abandons) {
    static const char id[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
    const kan_ledger_release facts = {
        .name = "release", .place = "", .content = "", .job = "", .settings = "", .n_groups = 8};
    kan_ledger *ledger = NULL;
    kan_ledger_classes classes = {0};
    kan_ledger_mark marks[PEOPLE];
    kan_slice ids[PEOPLE];
    uint32_t groups[PEOPLE];
    kan_status status;
    for (unsigned i = 0; i < PEOPLE; i++) {
        ids[i] = (kan_slice){id + i % 26, 1 + i / 26};
        groups[i] = i / 5;
    }
    KAN_TRY_DONE(kan_ledger_open(run, "ledger", "key", KAN_LEDGER_WRITE, &ledger));
    KAN_TRY_DONE(kan_ledger_bind(ledger, "id"));
    KAN_TRY_DONE(kan_ledger_make_marks(ledger, ids, PEOPLE, marks));
    KAN_TRY_DONE(kan_ledger_find_classes(ledger, marks, PEOPLE, &classes));
    KAN_TRY_DONE(kan_ledger_stage(ledger, &facts, marks, groups, PEOPLE));
    if (abandons)
        kan_ledger_abandon(ledger);
    else
        kan_ledger_commit(ledger);
done:
    kan_ledger_classes_destroy(run, &classes);
    kan_ledger_close(ledger);
    return status;
}

static bool is_told; /* that a release stays which could not be taken back */

static void on_note(void *user, const char *text) {
    (void)user;
    is_told |= strstr(text, "stays in the ledger") != NULL;
}

static size_t count_releases(void) {
    kan_run *run = kan_run_create();
    kan_ledger *ledger = NULL;
    if (access("ledger", F_OK) != 0) {
        kan_run_destroy(run);
        return 0;
    }
    if (kan_ledger_open(run, "ledger", "key", KAN_LEDGER_READ, &ledger) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    const size_t n = kan_ledger_n_releases(ledger);
    kan_ledger_close(ledger);
    kan_run_destroy(run);
    return n;
}

static void count_files(void) {
    FILE *list = popen("ls -A | grep -cv -e '^key$' -e '^ledger$'", "r");
    char line[16] = "";
    assert_non_null(list);
    assert_non_null(fgets(line, sizeof line, list));
    (void)pclose(list);
    assert_string_equal(line, "0\n");
}

/* The ledger that each attempt begins with: none, or one with a release. */
static uint8_t before[8192];
static size_t size_before;

static bool try_once(fault_call call, bool goes_on, uint64_t n, int error, bool abandons) {
    uint8_t after[8192];
    if (size_before > 0)
        put("ledger", before, size_before);
    else
        (void)unlink("ledger");
    const size_t n_before = count_releases();
    kan_run *run = kan_run_create();
    kan_run_set_memory(run, BUDGET);
    kan_run_set_threads(run, 1);
    kan_run_on_note(run, on_note, NULL);
    is_told = false;
    fault_reset();
    if (goes_on)
        fault_fail_calls_from(call, n, error);
    else
        fault_fail_call_at(call, n, error);
    const kan_status status = add_release(run, abandons);
    const bool has_happened = fault_happened();
    fault_reset();
    assert_int_equal(kan_run_memory_left(run), BUDGET);
    const size_t n_after = count_releases(), size = get("ledger", after, sizeof after);
    if (status != KAN_OK) {
        assert_true(strlen(kan_run_error(run)) > 0);
        assert_true(n_after == n_before || (goes_on && n_after == n_before + 1));
    } else {
        /* what could not be taken back stays, as pending, and is told */
        assert_true(n_after == n_before + 1 || abandons);
        assert_int_equal(is_told, abandons && n_after > n_before);
    }
    if (n_after == n_before && n_before > 0) {
        assert_int_equal(size, size_before);
        assert_memory_equal(after, before, size);
    }
    kan_run_destroy(run);
    count_files();
    return has_happened;
}

static void try_each(bool abandons) {
    static const struct {
        fault_call call;
        int error;
    } faults[] = {{FAULT_ALLOCATE, ENOMEM}, {FAULT_OPEN, EIO},   {FAULT_OPEN, EMFILE},
                  {FAULT_READ, EIO},        {FAULT_WRITE, EIO},  {FAULT_WRITE, ENOSPC},
                  {FAULT_SYNC, EIO},        {FAULT_RENAME, EIO}, {FAULT_RENAME, ENOSPC},
                  {FAULT_RENAME, EPERM}};
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++)
        for (unsigned goes_on = 0; goes_on < 2; goes_on++)
            for (uint64_t n = 1;
                 try_once(faults[f].call, goes_on != 0, n, faults[f].error, abandons); n++) {
            }
}

static void every_failing_call_leaves_a_whole_ledger(void **state) {
    (void)state;
    put("key", "0123456789abcdefghijklmnopqrstuv", 32);
    for (unsigned with_one = 0; with_one < 2; with_one++) {
        (void)unlink("ledger");
        if (with_one) {
            kan_run *run = kan_run_create();
            assert_int_equal(add_release(run, false), KAN_OK);
            kan_run_destroy(run);
        }
        size_before = get("ledger", before, sizeof before);
        try_each(false);
        try_each(true);
    }
    (void)unlink("ledger");
}

static void an_interrupted_call_is_made_again(void **state) {
    (void)state;
    static const fault_call calls[] = {FAULT_READ, FAULT_WRITE, FAULT_SYNC};
    size_before = 0;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (uint64_t n = 1;; n++) {
            (void)unlink("ledger");
            kan_run *run = kan_run_create();
            fault_reset();
            fault_fail_call_at(calls[c], n, EINTR);
            const kan_status status = add_release(run, false);
            const bool has_happened = fault_happened();
            fault_reset();
            assert_int_equal(status, KAN_OK);
            assert_int_equal(count_releases(), 1);
            kan_run_destroy(run);
            if (!has_happened)
                break;
        }
    (void)unlink("ledger");
}

static void a_full_disk_at_any_byte_leaves_what_was_there(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    assert_int_equal(add_release(run, false), KAN_OK);
    kan_run_destroy(run);
    const size_t size = get("ledger", before, sizeof before);
    bool has_happened = true;
    for (uint64_t bytes = 0; has_happened; bytes += 37) {
        uint8_t after[8192];
        put("ledger", before, size);
        run = kan_run_create();
        fault_reset();
        fault_fail_write_after(bytes, ENOSPC);
        const kan_status status = add_release(run, false);
        has_happened = fault_happened();
        fault_reset();
        if (status == KAN_OK) {
            assert_int_equal(count_releases(), 2); /* settled, or its seal is not whole */
        } else {
            assert_non_null(strstr(kan_run_error(run), "free some space"));
            assert_int_equal(get("ledger", after, sizeof after), size);
            assert_memory_equal(after, before, size);
        }
        kan_run_destroy(run);
    }
    (void)unlink("ledger");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_call_leaves_a_whole_ledger),
        cmocka_unit_test(an_interrupted_call_is_made_again),
        cmocka_unit_test(a_full_disk_at_any_byte_leaves_what_was_there),
    };
    return cmocka_run_group_tests_name("fault: ledger", tests, make_home, remove_home);
}
