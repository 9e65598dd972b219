/* io/streams/stream.h: streams that wait for their bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "io/streams/stream.h"

static void *interrupt_soon(void *run) {
    (void)usleep(20 * 1000);
    kan_run_cancel(run);
    return NULL;
}

/* A pipe with a table in it, and the name of its reading end. */
static void fill_pipe(int *ends, char *path, size_t room) {
    assert_int_equal(pipe(ends), 0);
    (void)snprintf(path, room, "/dev/fd/%d", ends[0]);
    assert_int_equal(write(ends[1], "a\n1\n", 4), 4);
}

/* As when a signal comes just before the read: nothing wakes it up. */
static void an_interrupt_ends_a_read_that_waits(void **state) {
    (void)state;
    int ends[2];
    char path[32];
    pthread_t other;
    kan_stream stream;
    kan_run *run = kan_run_create();
    assert_non_null(run);
    fill_pipe(ends, path, sizeof path);
    assert_int_equal(pthread_create(&other, NULL, interrupt_soon, run), 0);
    assert_int_equal(kan_stream_open(run, path, &stream), KAN_CANCELLED);
    assert_int_equal(pthread_join(other, NULL), 0);
    close(ends[0]);
    close(ends[1]);
    kan_run_destroy(run);
}

static void a_pipe_is_read_to_its_end(void **state) {
    (void)state;
    int ends[2];
    char path[32];
    kan_stream stream;
    kan_run *run = kan_run_create();
    assert_non_null(run);
    fill_pipe(ends, path, sizeof path);
    close(ends[1]);
    assert_int_equal(kan_stream_open(run, path, &stream), KAN_OK);
    assert_int_equal(stream.size, 4);
    assert_memory_equal(stream.bytes, "a\n1\n", 4);
    kan_stream_close(&stream);
    close(ends[0]);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupt_ends_a_read_that_waits),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
