/* core/spill.h: arrays that lie on disk when the budget is short. What they hold is what was
 * written, what is done with leaves resident memory, and nothing is left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/pool.h"
#include "core/spill.h"
#include "io/csv/csv_source.h"

#define MIB (UINT64_C(1) << 20)

/* A sanitizer has memory of its own for each of ours. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

typedef struct {
    kan_run *run;
    char folder[64];
} scene;

static int set_up(void **state) {
    scene *s = calloc(1, sizeof *s);
    *state = s;
    strcpy(s->folder, "/tmp/kanon-spill-XXXXXX");
    s->run = kan_run_create();
    return !s->run || !mkdtemp(s->folder) || kan_run_set_tmp(s->run, s->folder) != KAN_OK;
}

static size_t count_files(const char *folder) {
    size_t n = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return n;
}

/* All was given back, and nothing is left. */
static int tear_down(void **state) {
    scene *s = *state;
    bool is_even = kan_run_temporary_bytes(s->run) == 0 && count_files(s->folder) == 0;
    kan_run_destroy(s->run);
    bool is_gone = rmdir(s->folder) == 0;
    free(s);
    return !is_even || !is_gone;
}

static uint64_t *alloc_words(kan_run *run, size_t n) {
    uint64_t *words = NULL;
    if (kan_spill_alloc(run, n, sizeof *words, &words) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    assert_int_equal((uintptr_t)words % 16, 0);
    return words;
}

static void fill(uint64_t *words, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++)
        words[i] = kan_hash_word(seed + i);
}

static void expect_filled(const uint64_t *words, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++)
        if (words[i] != kan_hash_word(seed + i))
            fail_msg("word %zu of %zu is wrong", i, n);
}

/* Bytes of this process that are resident now. */
static uint64_t resident(void) {
    unsigned long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &all, &here), 2);
    fclose(file);
    return (uint64_t)here * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- where an array lies -------------------------------------------------------------------- */

static void without_a_budget_arrays_are_memory(void **state) {
    kan_run *run = ((scene *)*state)->run;
    uint64_t *words = alloc_words(run, MIB);
    assert_int_equal(kan_run_temporary_bytes(run), 0);
    assert_true(kan_run_peak_memory(run) >= 8 * MIB);
    kan_spill_done(run, words, 8 * MIB);
    kan_free(run, words);
}

static void arrays_are_memory_up_to_half_of_the_budget(void **state) {
    enum { N = 7 };
    kan_run *run = ((scene *)*state)->run;
    kan_run_set_memory(run, 64 * MIB);
    const uint64_t left = kan_run_memory_left(run);
    uint64_t *arrays[N];
    for (unsigned i = 0; i < N; i++)
        arrays[i] = alloc_words(run, 4 * MIB / 8);
    assert_int_equal(kan_run_temporary_bytes(run), 0);
    assert_int_equal(kan_run_memory_left(run), left - N * 4 * MIB);
    uint64_t *next = alloc_words(run, 4 * MIB / 8), *more = alloc_words(run, 2 * MIB / 8),
             *small = alloc_words(run, 100);
    assert_true(kan_run_temporary_bytes(run) >= 2 * MIB);
    assert_true(kan_run_memory_left(run) > left - 32 * MIB - 2000);
    uint64_t peak = kan_run_temporary_bytes(run);
    for (unsigned i = 0; i < N; i++)
        kan_free(run, arrays[i]);
    kan_free(run, next);
    kan_free(run, more);
    kan_free(run, small);
    assert_int_equal(kan_run_memory_left(run), left);
    assert_int_equal(kan_run_temporary_bytes(run), 0);
    assert_int_equal(kan_run_peak_temporary(run), peak);
}

static void a_large_array_leaves_memory_to_others(void **state) {
    kan_run *run = ((scene *)*state)->run;
    kan_run_set_memory(run, 64 * MIB);
    const uint64_t left = kan_run_memory_left(run);
    uint64_t *large = alloc_words(run, 5 * MIB / 8);
    assert_true(kan_run_temporary_bytes(run) >= 5 * MIB);
    assert_true(kan_run_memory_left(run) > left - 2000);
    kan_free(run, large);
}

static void an_array_on_disk_may_be_larger_than_the_budget(void **state) {
    scene *s = *state;
    kan_run_set_memory(s->run, MIB);
    const size_t n = 20 * MIB / 8;
    uint64_t *words = alloc_words(s->run, n);
    fill(words, n, 7);
    assert_int_equal(count_files(s->folder), 0); /* it has no name even now */
    kan_spill_done(s->run, words, n * sizeof *words);
    expect_filled(words, n, 7);
    kan_spill_done(s->run, words + n / 3, n / 3 * sizeof *words);
    expect_filled(words, n, 7);
    kan_free(s->run, words);
}

static void an_array_that_is_made_anew_lies_on_disk_where_memory_is_short(void **state) {
    kan_run *run = ((scene *)*state)->run;
    enum { WORDS = 1 << 18 }; /* 2 MiB */
    uint64_t *words = NULL;
    size_t room = 0;
    kan_run_set_memory(run, 3 * MIB);
    assert_int_equal(kan_spill_reserve(run, 100, sizeof *words, &room, &words), KAN_OK);
    assert_int_equal(kan_run_temporary_bytes(run), 0);
    assert_int_equal(kan_spill_reserve(run, WORDS, sizeof *words, &room, &words), KAN_OK);
    assert_true(room >= WORDS);
    assert_true(kan_run_temporary_bytes(run) > 0);
    fill(words, WORDS, 7);
    expect_filled(words, WORDS, 7);
    const uint64_t *before = words;
    assert_int_equal(kan_spill_reserve(run, WORDS / 2, sizeof *words, &room, &words), KAN_OK);
    assert_ptr_equal(words, before);
    kan_free(run, words);
    assert_int_equal(kan_run_temporary_bytes(run), 0);
}

static void small_arrays_share_a_mapping_and_go_with_the_last(void **state) {
    kan_run *run = ((scene *)*state)->run;
    enum { N = 300, WORDS = 100000 / 8 };
    uint64_t *arrays[N];
    kan_run_set_memory(run, 100000);
    const uint64_t left = kan_run_memory_left(run);
    for (size_t i = 0; i < N; i++) {
        arrays[i] = alloc_words(run, WORDS + i);
        fill(arrays[i], WORDS + i, i * 1000003);
        kan_spill_done(run, arrays[i], (WORDS + i) * 8);
    }
    assert_true(kan_run_temporary_bytes(run) < 3 * 16 * MIB + 1);
    for (size_t i = 0; i < N; i += 2)
        kan_free(run, arrays[i]);
    for (size_t i = 1; i < N; i += 2)
        expect_filled(arrays[i], WORDS + i, i * 1000003);
    for (size_t i = 1; i < N; i += 2)
        kan_free(run, arrays[i]);
    assert_int_equal(kan_run_temporary_bytes(run), 0);
    assert_int_equal(kan_run_memory_left(run), left);
}

static void a_resized_array_keeps_what_it_holds(void **state) {
    kan_run *run = ((scene *)*state)->run;
    kan_run_set_memory(run, MIB);
    uint64_t *words = alloc_words(run, MIB / 8);
    fill(words, MIB / 8, 3);
    assert_int_equal(kan_resize(run, 6 * MIB, 1, &words), KAN_OK);
    expect_filled(words, MIB / 8, 3);
    words[6 * MIB / 8 - 1] = 1;
    assert_int_equal(kan_resize(run, 1000, sizeof *words, &words), KAN_OK); /* memory again */
    assert_int_equal(kan_run_temporary_bytes(run), 0);
    expect_filled(words, 1000, 3);
    kan_free(run, words);
}

/* ---- resident memory ------------------------------------------------------------------------ */

static void what_is_done_with_leaves_resident_memory(void **state) {
    kan_run *run = ((scene *)*state)->run;
    const size_t n = 96 * MIB / 8;
    kan_run_set_memory(run, MIB);
    uint64_t *words = alloc_words(run, n);
    fill(words, n, 1);
    uint64_t before = resident();
    kan_spill_done(run, words, n * sizeof *words);
    uint64_t after = resident();
    assert_true(IS_SANITIZED || before - after > 80 * MIB);
    /* A walk in order that calls behind itself never has more than a few windows. */
    for (size_t at = 0; at < n; at += n / 96) {
        expect_filled(words + at, n / 96, 1 + at);
        kan_spill_done(run, words + at, MIB);
        assert_true(IS_SANITIZED || resident() < after + 8 * MIB);
    }
    kan_free(run, words);
}

static void with_a_budget_large_blocks_follow_the_account(void **state) {
    kan_run *run = ((scene *)*state)->run;
    kan_run_set_memory(run, 256 * MIB);
    uint64_t *words = NULL;
    const uint64_t start = resident(), left = kan_run_memory_left(run);
    assert_int_equal(kan_alloc_zero(run, 8 * MIB, 1, &words), KAN_OK);
    assert_int_equal(words[0] | words[MIB - 1], 0);
    fill(words, MIB, 5);
    for (uint64_t size = 12; size <= 64; size += 4) { /* growing moves, and does not copy */
        assert_int_equal(kan_resize(run, size * MIB, 1, &words), KAN_OK);
        words[size * MIB / 8 - 1] = size;
        assert_int_equal(kan_run_memory_left(run), left - size * MIB);
    }
    expect_filled(words, MIB, 5);
    assert_int_equal(kan_resize(run, 1000, 8, &words), KAN_OK);
    expect_filled(words, 1000, 5);
    assert_true(IS_SANITIZED || resident() < start + 4 * MIB);
    assert_int_equal(kan_resize(run, 3 * MIB, 1, &words), KAN_OK);
    expect_filled(words, 1000, 5);
    /* A small block of malloc's that grows becomes a large one. */
    uint64_t *other = NULL;
    assert_int_equal(kan_alloc(run, 1000, 8, &other), KAN_OK);
    fill(other, 1000, 6);
    assert_int_equal(kan_resize(run, 2 * MIB, 1, &other), KAN_OK);
    expect_filled(other, 1000, 6);
    kan_run_set_memory(run, 0); /* how a block was made is written in it */
    kan_free(run, words);
    assert_int_equal(kan_resize(run, 4 * MIB, 1, &other), KAN_OK);
    expect_filled(other, 1000, 6);
    kan_free(run, other);
}

/* ---- threads -------------------------------------------------------------------------------- */

static kan_status use_arrays(void *context, size_t task, unsigned worker) {
    kan_run *run = context;
    (void)worker;
    for (size_t round = 0; round < 8; round++) {
        const size_t n = 9000 + (task * 7919 + round * 104729) % 700000 / (round + 1);
        uint64_t *words = NULL;
        KAN_TRY(kan_spill_alloc(run, n, sizeof *words, &words));
        fill(words, n, task * 31 + round);
        kan_spill_done(run, words + n / 2, (n - n / 2) * sizeof *words);
        for (size_t i = 0; i < n; i++)
            if (words[i] != kan_hash_word(task * 31 + round + i))
                return kan_fail(run, KAN_BAD_INPUT, "task %zu lost what it wrote", task);
        kan_free(run, words);
    }
    return KAN_OK;
}

static void threads_do_not_disturb_each_other(void **state) {
    kan_run *run = ((scene *)*state)->run;
    kan_run_set_threads(run, 4);
    kan_run_set_memory(run, 4 * MIB);
    if (kan_parallel(run, 24, use_arrays, run) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    assert_true(kan_run_peak_temporary(run) > 0);
}

/* ---- folders -------------------------------------------------------------------------------- */

static void a_place_that_is_no_folder_is_refused(void **state) {
    scene *s = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/missing", s->folder);
    assert_int_equal(kan_run_set_tmp(s->run, path), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(s->run), "No such file or directory"));
    assert_non_null(strstr(kan_run_error(s->run), "--tmp"));
    assert_int_equal(kan_run_set_tmp(s->run, "/proc/self/statm"), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(s->run), "it is not a directory"));
    assert_string_equal(kan_run_tmp(s->run), s->folder);
}

static void a_folder_that_goes_away_is_a_clean_error(void **state) {
    scene *s = *state;
    char path[128];
    uint64_t *words = NULL;
    snprintf(path, sizeof path, "%s/%s", s->folder, "inner");
    char *inner = mkdtemp(strcat(path, "-XXXXXX"));
    assert_non_null(inner);
    assert_int_equal(kan_run_set_tmp(s->run, inner), KAN_OK);
    assert_int_equal(rmdir(inner), 0);
    kan_run_set_memory(s->run, MIB);
    const uint64_t left = kan_run_memory_left(s->run);
    assert_int_equal(kan_spill_alloc(s->run, 2 * MIB, 1, &words), KAN_FAILED);
    assert_null(words);
    assert_non_null(strstr(kan_run_error(s->run), "--tmp"));
    assert_int_equal(kan_run_memory_left(s->run), left);
}

static void the_environment_names_the_folder_unless_the_run_does(void **state) {
    scene *s = *state;
    const char *before = getenv("TMPDIR");
    char *kept = before ? strdup(before) : NULL;
    assert_string_equal(kan_run_tmp(s->run), s->folder);
    assert_int_equal(kan_run_set_tmp(s->run, NULL), KAN_OK);
    setenv("TMPDIR", "/somewhere", 1);
    assert_string_equal(kan_run_tmp(s->run), "/somewhere");
    setenv("TMPDIR", "", 1);
    assert_string_equal(kan_run_tmp(s->run), "/tmp");
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
}

/* ---- tables --------------------------------------------------------------------------------- */

static void expect_same_table(const kan_table *a, const kan_table *b) {
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_columns, b->n_columns);
    for (size_t i = 0; i < a->n_columns; i++) {
        const kan_column *left = &a->columns[i], *right = &b->columns[i];
        assert_int_equal(left->width, right->width);
        assert_int_equal(left->dictionary.n, right->dictionary.n);
        assert_memory_equal(left->codes, right->codes, a->n_rows * left->width);
    }
}

static kan_status read_text(kan_run *run, const char *text, size_t size, kan_table **out) {
    const bool encode[] = {true, true, true};
    kan_csv_source *source;
    KAN_TRY(kan_csv_open_bytes(run, "t.csv", text, size, ',', &source));
    kan_status status = kan_csv_read_tuned(source, encode, (kan_csv_tuning){1 << 20, false}, out);
    kan_csv_close(source);
    return status;
}

static void a_table_on_disk_is_the_same_table(void **state) {
    kan_run *run = ((scene *)*state)->run;
    enum { ROWS = 300000 };
    char *text = malloc(ROWS * 20 + 100);
    size_t size = (size_t)sprintf(text, "a,b,c\n");
    for (unsigned i = 0; i < ROWS; i++)
        size += (size_t)sprintf(text + size, "%u,%u,\"%u\"\n", i % 3, i * 7 % 900, i % 40000);
    kan_table *plain, *spilled;
    for (unsigned threads = 1; threads <= 3; threads++) {
        kan_run_set_threads(run, threads);
        kan_run_set_memory(run, 0);
        assert_int_equal(read_text(run, text, size, &plain), KAN_OK);
        kan_run_set_memory(run, 96 * MIB);
        /* Half of the budget is in use by somebody else. */
        void *filler;
        assert_int_equal(kan_alloc(run, 48 * MIB, 1, &filler), KAN_OK);
        if (read_text(run, text, size, &spilled) != KAN_OK)
            fail_msg("%s", kan_run_error(run));
        assert_true(kan_run_temporary_bytes(run) > 0);
        for (uint64_t row = 0; row < ROWS; row += 50000)
            kan_table_done(spilled, row, 50000);
        expect_same_table(plain, spilled);
        kan_table_destroy(plain);
        kan_table_destroy(spilled);
        kan_free(run, filler);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_budget_arrays_are_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arrays_are_memory_up_to_half_of_the_budget, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_large_array_leaves_memory_to_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_array_on_disk_may_be_larger_than_the_budget, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            an_array_that_is_made_anew_lies_on_disk_where_memory_is_short, set_up, tear_down),
        cmocka_unit_test_setup_teardown(small_arrays_share_a_mapping_and_go_with_the_last, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_resized_array_keeps_what_it_holds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_done_with_leaves_resident_memory, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(with_a_budget_large_blocks_follow_the_account, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(threads_do_not_disturb_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_place_that_is_no_folder_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_goes_away_is_a_clean_error, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_environment_names_the_folder_unless_the_run_does,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_table_on_disk_is_the_same_table, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("spill", tests, NULL, NULL);
}
