/* io/confined.h: a child that cannot be trusted. Also under threads, as the program has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/pool.h"
#include "io/confined.h"

static kan_confined *start(kan_run *run, void (*act)(void *, int), void *context, int file) {
    const kan_confined_task task = {
        .act = act, .context = context, .file = file, .memory_bytes = (uint64_t)64 << 20};
    kan_confined *child = NULL;
    assert_int_equal(kan_confined_start(run, &task, &child), KAN_OK);
    return child;
}

static void assert_no_child(void) {
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void send_much(void *context, int out) {
    static char bytes[1000];
    memset(bytes, *(const char *)context, sizeof bytes);
    for (int i = 0; i < 3000; i++)
        if (!kan_confined_send(out, bytes, sizeof bytes))
            return;
}

static void all_that_it_sends_comes(void **state) {
    kan_run *run = kan_run_create();
    char letter = 'x', *bytes = malloc(4000000);
    const char *cause;
    size_t n;
    (void)state;
    kan_confined *child = start(run, send_much, &letter, -1);
    assert_int_equal(kan_confined_read(child, bytes, 7, &n), KAN_OK);
    assert_int_equal(n, 7);
    assert_int_equal(kan_confined_read(child, bytes, 1500000, &n), KAN_OK);
    assert_int_equal(n, 1500000);
    assert_int_equal(kan_confined_read(child, bytes, 4000000, &n), KAN_OK);
    assert_int_equal(n, 3000000 - 1500007);
    assert_int_equal(bytes[n - 1], 'x');
    assert_int_equal(kan_confined_end(child, &cause), KAN_OK);
    assert_null(cause);
    kan_confined_close(child);
    assert_no_child();
    free(bytes);
    kan_run_destroy(run);
}

static void stop(void *context, int out) {
    (void)out;
    (void)raise(*(const int *)context);
    _exit(3);
}

static void how_it_stopped_is_told(void **state) {
    static const struct {
        int signal;
        const char *cause;
    } known[] = {{SIGSEGV, "stopped (signal 11)"},
                 {SIGXCPU, "took too long"},
                 {SIGKILL, "was ended from outside (signal 9)"},
                 {SIGINT, "stopped (status 3)"}}; /* not for it to decide */
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int signal = known[i].signal;
        const char *cause = NULL;
        char byte;
        size_t n;
        kan_confined *child = start(run, stop, &signal, -1);
        assert_int_equal(kan_confined_read(child, &byte, 1, &n), KAN_OK);
        assert_int_equal(n, 0);
        assert_int_equal(kan_confined_end(child, &cause), KAN_OK);
        assert_non_null(cause);
        assert_string_equal(cause, known[i].cause);
        kan_confined_close(child);
    }
    assert_no_child();
    kan_run_destroy(run);
}

/* What is open, and what can be written. */
static void look_around(void *context, int out) {
    char found[3] = "";
    const char *path = context;
    found[0] = 'n';
    for (int file = out + 1; file < 200; file++)
        if (fcntl(file, F_GETFD) >= 0)
            found[0] = 'y';
    char byte = '?';
    found[1] = pread(KAN_CONFINED_FILE, &byte, 1, 0) == 1 ? byte : '-';
    (void)signal(SIGXFSZ, SIG_IGN);
    const int file = open(path, O_WRONLY | O_APPEND);
    found[2] = file >= 0 && write(file, "abc", 3) == 3 ? 'y' : 'n';
    (void)kan_confined_send(out, found, sizeof found);
}

static void it_has_one_file_and_writes_none(void **state) {
    kan_run *run = kan_run_create();
    char path[] = "/tmp/kanon-confined-XXXXXX", found[3];
    size_t n;
    (void)state;
    const int file = mkstemp(path), other = dup(file);
    assert_true(other >= 0);
    assert_int_equal(write(file, "Q", 1), 1);
    kan_confined *child = start(run, look_around, path, file);
    assert_int_equal(kan_confined_read(child, found, sizeof found, &n), KAN_OK);
    assert_int_equal(n, sizeof found);
    assert_memory_equal(found, "nQn", 3);
    kan_confined_close(child);
    assert_int_equal(lseek(file, 0, SEEK_END), 1);
    close(file);
    close(other);
    unlink(path);
    kan_run_destroy(run);
}

static void take_memory(void *context, int out) {
    const size_t size = (size_t)1 << 30;
    (void)context;
    char *memory = malloc(size);
    const char answer = memory ? 'y' : 'n';
    (void)kan_confined_send(out, &answer, 1);
    free(memory);
}

static void its_memory_is_limited(void **state) {
    kan_run *run = kan_run_create();
    char answer = '?';
    size_t n;
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: sanitizers take all the address space\n");
    kan_run_destroy(run);
    return;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    print_message("skipped: sanitizers take all the address space\n");
    kan_run_destroy(run);
    return;
#endif
#endif
    kan_confined *child = start(run, take_memory, NULL, -1);
    assert_int_equal(kan_confined_read(child, &answer, 1, &n), KAN_OK);
    assert_int_equal(answer, 'n');
    kan_confined_close(child);
    kan_run_destroy(run);
}

static void sleep_on(void *context, int out) {
    (void)context;
    (void)out;
    for (;;)
        pause();
}

static void an_interrupt_ends_it(void **state) {
    kan_run *run = kan_run_create();
    char byte;
    size_t n;
    (void)state;
    kan_confined *child = start(run, sleep_on, NULL, -1);
    kan_run_cancel(run);
    assert_int_equal(kan_confined_read(child, &byte, 1, &n), KAN_CANCELLED);
    kan_confined_close(child);
    assert_no_child();
    kan_run_destroy(run);
}

static kan_status add_task(void *context, size_t task, unsigned worker) {
    (void)worker;
    ((uint64_t *)context)[task] = task;
    return KAN_OK;
}

static void threads_may_have_been_there(void **state) {
    kan_run *run = kan_run_create();
    uint64_t sums[64];
    char letter = 'y', bytes[1000];
    size_t n;
    (void)state;
    kan_run_set_threads(run, 4);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(kan_parallel(run, 64, add_task, sums), KAN_OK);
        kan_confined *child = start(run, send_much, &letter, -1);
        assert_int_equal(kan_confined_read(child, bytes, sizeof bytes, &n), KAN_OK);
        assert_int_equal(n, sizeof bytes);
        kan_confined_close(child);
    }
    assert_no_child();
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_it_sends_comes),
        cmocka_unit_test(how_it_stopped_is_told),
        cmocka_unit_test(it_has_one_file_and_writes_none),
        cmocka_unit_test(its_memory_is_limited),
        cmocka_unit_test(an_interrupt_ends_it),
        cmocka_unit_test(threads_may_have_been_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
