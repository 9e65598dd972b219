/* Many threads that write one file: its bytes are those of one writer, also where the system
 * refuses room or a mapping; and what cannot be written is an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/pool.h"
#include "fault/fault.h"
#include "io/streams/streams.h"

enum { N_PARTS = 40, HEAD = 4099 };

/* Parts of a file; one is larger than a window. */
typedef struct {
    kan_target *target;
    kan_place places[N_PARTS];
    char *bytes;
    size_t starts[N_PARTS + 1];
} parts;

static void make_parts(parts *p) {
    uint64_t random = 5;
    p->starts[0] = HEAD;
    for (size_t i = 0; i < N_PARTS; i++)
        p->starts[i + 1] = p->starts[i] + (i == 20  ? (size_t)70 << 20
                                           : i == 7 ? 1
                                                    : kan_random_below(&random, 3 << 20));
    p->bytes = malloc(p->starts[N_PARTS]);
    assert_non_null(p->bytes);
    for (size_t i = 0; i < p->starts[N_PARTS]; i += 8)
        memcpy(p->bytes + i, &(uint64_t){kan_random(&random)},
               p->starts[N_PARTS] - i < 8 ? p->starts[N_PARTS] - i : 8);
}

/* In another order than that of the places. */
static kan_status fill_task(void *context, size_t task, unsigned worker) {
    const parts *p = context;
    const size_t part = task * 7 % N_PARTS;
    (void)worker;
    return kan_target_fill(p->target, &p->places[part], p->bytes + p->starts[part]);
}

static kan_status write_parts(kan_run *run, parts *p) {
    KAN_TRY(kan_target_write(p->target, p->bytes, HEAD));
    assert_true(kan_target_has_places(p->target));
    for (size_t i = 0; i < N_PARTS; i++)
        KAN_TRY(kan_target_take(p->target, p->starts[i + 1] - p->starts[i], &p->places[i]));
    KAN_TRY(kan_parallel(run, N_PARTS, fill_task, p));
    return kan_target_finish(p->target);
}

static void expect_bytes(const char *path, const parts *p) {
    struct stat state;
    FILE *file = fopen(path, "rb");
    char *read = malloc(p->starts[N_PARTS]);
    assert_non_null(file);
    assert_non_null(read);
    assert_int_equal(fstat(fileno(file), &state), 0);
    assert_int_equal(state.st_size, p->starts[N_PARTS]);
    assert_int_equal(fread(read, 1, p->starts[N_PARTS], file), p->starts[N_PARTS]);
    assert_memory_equal(read, p->bytes, p->starts[N_PARTS]);
    free(read);
    fclose(file);
}

typedef struct {
    fault_call call;
    uint64_t from; /* 0: none fails */
    int error;
    bool fails;
} refusal;

static void try(const refusal *r) {
    char path[] = "/tmp/kanon-places-XXXXXX";
    kan_run *run = kan_run_create();
    parts p;
    make_parts(&p);
    assert_true(mkstemp(path) >= 0);
    kan_run_set_threads(run, 5);
    assert_int_equal(kan_target_open(run, path, true, KAN_TARGET_SHARED, &p.target), KAN_OK);
    fault_reset();
    if (r->from > 0)
        fault_fail_calls_from(r->call, r->from, r->error);
    const kan_status status = write_parts(run, &p);
    const bool happened = fault_happened();
    fault_reset();
    assert_int_equal(happened, r->from > 0);
    assert_int_equal(status, r->fails ? KAN_FAILED : KAN_OK);
    if (r->fails)
        assert_non_null(strstr(kan_run_error(run), strerror(r->error)));
    else
        expect_bytes(kan_target_path(p.target), &p);
    kan_target_close(p.target);
    kan_run_destroy(run);
    unlink(path);
    free(p.bytes);
}

static void places_that_threads_fill_make_the_file(void **state) {
    (void)state;
    try(&(refusal){FAULT_WRITE, 0, 0, false});
}

static void where_room_or_a_mapping_is_refused_bytes_are_written(void **state) {
    (void)state;
    try(&(refusal){FAULT_MAP, 1, ENODEV, false});
    try(&(refusal){FAULT_MAP, 2, ENOMEM, false});
    try(&(refusal){FAULT_RESIZE, 1, EOPNOTSUPP, true}); /* nor can the file be cut at its end */
}

static void a_full_disk_is_an_error(void **state) {
    char path[] = "/tmp/kanon-places-XXXXXX";
    kan_run *run = kan_run_create();
    parts p;
    (void)state;
    make_parts(&p);
    assert_true(mkstemp(path) >= 0);
    kan_run_set_threads(run, 5);
    assert_int_equal(kan_target_open(run, path, true, KAN_TARGET_SHARED, &p.target), KAN_OK);
    fault_reset();
    fault_fail_call_at(FAULT_RESIZE, 1, ENOSPC);       /* no room ahead, */
    fault_fail_write_after(HEAD + (30 << 20), ENOSPC); /* and then none at all */
    assert_int_equal(write_parts(run, &p), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), strerror(ENOSPC)));
    fault_reset();
    kan_target_close(p.target);
    kan_run_destroy(run);
    unlink(path);
    free(p.bytes);
}

static void no_memory_for_a_window_is_an_error(void **state) {
    (void)state;
    for (uint64_t n = 1;; n++) {
        char path[] = "/tmp/kanon-places-XXXXXX";
        kan_run *run = kan_run_create();
        kan_place place;
        kan_target *target;
        assert_true(mkstemp(path) >= 0);
        kan_run_set_threads(run, 2);
        assert_int_equal(kan_target_open(run, path, true, KAN_TARGET_SHARED, &target), KAN_OK);
        fault_reset();
        fault_fail_allocation_at(n);
        kan_status status = kan_target_take(target, 100, &place);
        if (status == KAN_OK)
            status = kan_target_finish(target);
        const bool happened = fault_happened();
        fault_reset();
        assert_int_equal(status, happened ? KAN_FAILED : KAN_OK);
        kan_target_close(target);
        kan_run_destroy(run);
        unlink(path);
        if (!happened)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_that_threads_fill_make_the_file),
        cmocka_unit_test(where_room_or_a_mapping_is_refused_bytes_are_written),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(no_memory_for_a_window_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
