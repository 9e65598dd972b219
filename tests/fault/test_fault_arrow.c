/* Jobs on Arrow with failing allocations: each failure is a clean error, nothing leaks, and whatever
 * a producer handed over is released once. The arrays stand in the program itself. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fault/fault.h"
#include "kanon_arrow.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

/* ---- a table of eight rows ------------------------------------------------------------------ */

static int n_live;

static void release_array(struct ArrowArray *array) {
    assert_non_null(array->release);
    array->release = NULL;
    n_live--;
}

static void release_schema(struct ArrowSchema *schema) {
    assert_non_null(schema->release);
    schema->release = NULL;
    n_live--;
}

static void release_stream(struct ArrowArrayStream *stream) {
    assert_non_null(stream->release);
    stream->release = NULL;
    n_live--;
}

static const int32_t ages[] = {30, 31, 30, 31, 40, 41, 40, 90};
static const uint8_t known[] = {0xfd}; /* the second is missing */
static const int8_t towns[] = {0, 0, 1, 1, 0, 0, 1, 1};
static const int32_t offsets[] = {0, 3, 7};
static const char names[] = "UlmBonn";
static const int32_t note_offsets[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const char views[8 * 16] = "\1\0\0\0a";

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    static struct ArrowSchema columns[4], dictionary;
    static struct ArrowSchema *children[] = {&columns[0], &columns[1], &columns[2], &columns[3]};
    static const char *const formats[] = {"i", "c", "u", "vu"};
    static const char *const titles[] = {"age", "town", "note", "view"};
    (void)stream;
    for (size_t i = 0; i < 4; i++)
        columns[i] = (struct ArrowSchema){.format = formats[i], .name = titles[i], .flags = 2};
    dictionary = (struct ArrowSchema){.format = "u"};
    columns[1].dictionary = &dictionary;
    *out = (struct ArrowSchema){
        .format = "+s", .n_children = 4, .children = children, .release = release_schema};
    n_live++;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    static const int64_t sizes[1];
    static const void *buffers[][4] = {{known, ages},
                                       {NULL, towns},
                                       {NULL, note_offsets, "abcabcab"},
                                       {NULL, views, sizes},
                                       {NULL, offsets, names}};
    static struct ArrowArray arrays[5];
    static struct ArrowArray *children[] = {&arrays[0], &arrays[1], &arrays[2], &arrays[3]};
    static const void *none[1];
    int *n_left = stream->private_data;
    *out = (struct ArrowArray){0};
    if ((*n_left)-- <= 0)
        return 0;
    for (size_t i = 0; i < 5; i++)
        arrays[i] = (struct ArrowArray){.length = i == 4 ? 2 : 8,
                                        .null_count = -1,
                                        .n_buffers = i < 2 ? 2 : 3,
                                        .buffers = buffers[i],
                                        .release = release_array};
    arrays[1].dictionary = &arrays[4];
    *out = (struct ArrowArray){.length = 8,
                               .n_buffers = 1,
                               .buffers = none,
                               .n_children = 4,
                               .children = children,
                               .release = release_array};
    n_live++;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

/* ---- the job -------------------------------------------------------------------------------- */

static kan_status run_job(kan_run *run, bool verifies, kan_table **table, kan_job **job,
                          kan_result **result, struct ArrowArrayStream *out) {
    static const char *const settings[][2] = {
        {"qi", "age,town"}, {"k", "2"}, {"threads", "1"}, {"keep", "note,view"}, {"suppress", "2"}};
    static const char *const of_verify[][2] = {
        {"qi", "age,town,note,view"}, {"k", "2"}, {"threads", "1"}};
    static int n_left;
    n_left = 2;
    n_live++;
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream,
                                      &n_left};
    kan_status status = kan_table_from_arrow(run, &stream, table);
    assert_null(stream.release);
    if (status == KAN_OK)
        status = kan_job_create(run, job);
    if (status == KAN_OK)
        status = kan_job_use_table(*job, *table);
    for (size_t i = 0; i < (verifies ? 3 : 5) && status == KAN_OK; i++)
        status = verifies ? kan_job_set(*job, of_verify[i][0], of_verify[i][1])
                          : kan_job_set(*job, settings[i][0], settings[i][1]);
    if (status == KAN_OK)
        status = kan_job_use_table_as(*job, "original", *table);
    if (status == KAN_OK) {
        kan_job_want_figures(*job); /* no failure of theirs is one of the job */
        status = kan_job_run(*job, verifies ? "verify" : "anonymize", result);
    }
    return status == KAN_OK && !verifies ? kan_result_to_arrow(*result, out) : status;
}

/* The n-th allocation fails; whether there was one. */
static bool fails_cleanly(uint64_t n, bool verifies) {
    kan_table *table = NULL;
    kan_job *job = NULL;
    kan_result *result = NULL;
    struct ArrowArrayStream out = {0};
    n_live = 0;
    fault_reset();
    kan_run *run = kan_run_create();
    assert_non_null(run);
    fault_fail_allocation_at(n);
    const kan_status status = run_job(run, verifies, &table, &job, &result, &out);
    const bool has_failed = fault_happened();
    fault_reset();
    if (status != KAN_OK) {
        assert_true(has_failed);
        assert_int_equal(status, KAN_FAILED);
        assert_non_null(strstr(kan_run_error(run), "memory"));
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
    assert_int_equal(n_live, 0);
    if (status == KAN_OK && !verifies) {
        struct ArrowSchema schema;
        if (!has_failed) { /* what is handed out can be asked for as often as needed */
            assert_int_equal(out.get_schema(&out, &schema), 0);
            assert_int_equal(schema.n_children, 4);
            schema.release(&schema);
            fault_fail_allocation_at(2);
            assert_int_equal(out.get_schema(&out, &schema), ENOMEM);
            assert_string_equal(out.get_last_error(&out), "out of memory");
            fault_reset();
        }
        out.release(&out);
    }
    return has_failed;
}

static void allocations_that_fail_are_clean_errors(void **state) {
    uint64_t n = 1;
    (void)state;
    while (fails_cleanly(n, false))
        n++;
    assert_true(n > 300);
    n = 1;
    while (fails_cleanly(n, true))
        n++;
    assert_true(n > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(allocations_that_fail_are_clean_errors, reset, reset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
