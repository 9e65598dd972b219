/* Verification: recount, cover, and the check of a file that was just written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/tuples/tuples.h"
#include "analyze/verify/verify.h"
#include "core/hash.h"

/* Rows of texts, NULL behind the last; fields are separated by commas. */
#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})

static kan_table *table_of(kan_run *run, const char *const *rows) {
    kan_table *table = NULL;
    for (size_t r = 0; rows[r]; r++) {
        char copy[256];
        const char *fields[8];
        size_t n = 0;
        snprintf(copy, sizeof copy, "%s", rows[r]);
        for (char *at = copy; at; n++) {
            fields[n] = at;
            at = strchr(at, ',');
            if (at)
                *at++ = '\0';
        }
        if (r == 0)
            assert_int_equal(kan_table_create(run, n, fields, &table), KAN_OK);
        else
            assert_int_equal(kan_table_add_row(table, fields), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static kan_recount recount(const char *const *rows, size_t n_columns, uint64_t k) {
    const size_t columns[] = {0, 1, 2, 3};
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, rows);
    kan_recount out;
    assert_int_equal(kan_verify_recount(run, table, columns, n_columns, k, &out), KAN_OK);
    kan_table_destroy(table);
    kan_run_destroy(run);
    return out;
}

/* ---- groups --------------------------------------------------------------------------------- */

static void recount_tells_every_number_of_a_small_table(void **state) {
    (void)state;
    kan_recount r = recount(ROWS("age,zip,ill", "3*,53,flu", "3*,53,cold", "*,*,flu", "4*,53,flu",
                                 "3*,53,flu", "3*,54,flu", "4*,53,cold"),
                            2, 3);
    assert_int_equal(r.n_rows, 7);
    assert_int_equal(r.n_groups, 4);
    assert_int_equal(r.smallest_group, 1);
    assert_int_equal(r.largest_group, 3);
    assert_int_equal(r.n_small_groups, 3);
    assert_int_equal(r.n_small_rows, 4);
    assert_int_equal(r.n_star_rows, 1);
    assert_true(r.star_is_small);
    assert_int_equal(r.n_examples, 3);
    assert_int_equal(r.examples[0], 2);
    assert_int_equal(r.examples[1], 3);
    assert_int_equal(r.examples[2], 5);
    assert_false(kan_recount_holds(&r));
}

static void rows_of_stars_are_a_group_like_any_other(void **state) {
    (void)state;
    kan_recount r = recount(ROWS("a,b", "1,2", "1,2", "*,*", "1,2"), 2, 3);
    assert_false(kan_recount_holds(&r));
    assert_int_equal(r.n_star_rows, 1);
    r = recount(ROWS("a,b", "1,2", "1,2", "*,*", "1,2", "*,*", "*,*"), 2, 3);
    assert_true(kan_recount_holds(&r));
    assert_int_equal(r.n_star_rows, 3);
    /* One * is not enough: the other value still shows. */
    r = recount(ROWS("a,b", "1,2", "1,2", "*,2", "1,2"), 2, 3);
    assert_int_equal(r.n_star_rows, 0);
    /* Nor is what only looks like one. */
    r = recount(ROWS("a,b", "1,2", "1,2", "**,*", "1,2"), 2, 3);
    assert_int_equal(r.n_star_rows, 0);
}

static void a_group_of_exactly_k_rows_is_large_enough(void **state) {
    (void)state;
    kan_recount r = recount(ROWS("a", "x", "x", "y", "y"), 1, 2);
    assert_true(kan_recount_holds(&r));
    r = recount(ROWS("a", "x", "x", "y", "y"), 1, 3);
    assert_false(kan_recount_holds(&r));
}

static void a_table_without_rows_never_holds(void **state) {
    (void)state;
    kan_recount r = recount(ROWS("a,b"), 2, 2);
    assert_int_equal(r.n_rows, 0);
    assert_int_equal(r.n_groups, 0);
    assert_false(kan_recount_holds(&r));
}

static void values_that_count_as_equal_are_different_values(void **state) {
    (void)state;
    /* 7 and 07 are one number, and yet two things to see. */
    kan_recount r = recount(ROWS("a", "7", "07", "7", "7.0"), 1, 2);
    assert_int_equal(r.n_groups, 3);
    assert_int_equal(r.n_small_groups, 2);
}

static void recount_tells_wide_codes_apart(void **state) {
    (void)state;
    /* 300 values need two bytes; values that agree in the lower one are still different. */
    kan_run *run = kan_run_create();
    const char *names[] = {"id", "one"};
    const size_t columns[] = {0, 1};
    kan_table *table;
    kan_recount r;
    assert_int_equal(kan_table_create(run, 2, names, &table), KAN_OK);
    for (int i = 0; i < 900; i++) {
        char value[16];
        snprintf(value, sizeof value, "%d", 1000 + i % 300);
        const char *row[] = {value, "same"};
        assert_int_equal(kan_table_add_row(table, row), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_int_equal(kan_verify_recount(run, table, columns, 2, 3, &r), KAN_OK);
    assert_int_equal(r.n_groups, 300);
    assert_int_equal(r.smallest_group, 3);
    assert_int_equal(r.largest_group, 3);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void tuples_of_one_hash_are_told_apart(void **state) {
    (void)state;
    /* The second word makes up for what the first one changes, so all hashes are the same. */
    enum { N = 40 };
    uint64_t tuples[N][2];
    kan_run *run = kan_run_create();
    kan_tuples set;
    kan_tuples_init(&set, run, sizeof tuples[0]);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t first = 16 * UINT64_C(0x9e3779b97f4a7c15) ^ (i + 1);
        tuples[i][0] = i + 1;
        tuples[i][1] = kan_mix(first, UINT64_C(0xd6e8feb86659fd93)) ^ 77;
        assert_int_equal(kan_hash_bytes(tuples[i], 16), kan_hash_bytes(tuples[0], 16));
    }
    for (size_t round = 0; round < 3; round++)
        for (size_t i = 0; i < N; i++) {
            size_t index;
            assert_int_equal(kan_tuples_add(&set, tuples[i], i, &index), KAN_OK);
            assert_int_equal(index, i);
            assert_int_equal(set.count[i], round + 1);
        }
    assert_int_equal(set.n, N);
    kan_tuples_destroy(&set);
    kan_run_destroy(run);
}

/* ---- cover ---------------------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    kan_table *original, *release;
    kan_hierarchy *age, *zip;
    kan_status status;
    kan_cover cover;
} cover_case;

/* Columns age (intervals of 10 and 20), zip (two digits) and ill (must be equal). */
static cover_case cover_with(const char *const *original, const char *const *release,
                             bool needs_order, uint64_t budget_bytes) {
    cover_case c = {.run = kan_run_create()};
    c.original = table_of(c.run, original);
    c.release = table_of(c.run, release);
    kan_problems_begin(c.run);
    assert_int_equal(kan_hierarchy_build(c.run, "intervals:10,20", &c.original->columns[0], &c.age),
                     KAN_OK);
    assert_int_equal(kan_hierarchy_build(c.run, "digits:2", &c.original->columns[1], &c.zip),
                     KAN_OK);
    const kan_cover_pair quasi[] = {{0, 0, c.age}, {1, 1, c.zip}}, others[] = {{2, 2, NULL}};
    kan_cover_question question = {.release = c.release,
                                   .original = c.original,
                                   .quasi = quasi,
                                   .n_quasi = 2,
                                   .others = others,
                                   .n_others = 1,
                                   .needs_order = needs_order};
    kan_run_set_memory(c.run, budget_bytes);
    c.status = kan_verify_cover(c.run, &question, &c.cover);
    return c;
}

static void cover_close(cover_case *c) {
    kan_hierarchy_destroy(c->age);
    kan_hierarchy_destroy(c->zip);
    kan_table_destroy(c->original);
    kan_table_destroy(c->release);
    kan_run_destroy(c->run);
}

static kan_cover cover_of(const char *const *original, const char *const *release) {
    cover_case c = cover_with(original, release, false, 0);
    assert_int_equal(c.status, KAN_OK);
    kan_cover cover = c.cover;
    cover.fault_column = !cover.fault_column                      ? NULL
                         : strcmp(cover.fault_column, "age") == 0 ? "age"
                         : strcmp(cover.fault_column, "zip") == 0 ? "zip"
                                                                  : "ill";
    cover_close(&c);
    return cover;
}

#define ORIGINAL                                                                                   \
    ROWS("age,zip,ill", "31,53111,flu", "34,53112,cold", "47,53111,flu", "62,54290,flu")

static void cover_accepts_labels_of_any_level_in_order(void **state) {
    (void)state;
    kan_cover c = cover_of(ORIGINAL, ROWS("age,zip,ill", "30-39,5311*,flu", "20-39,53112,cold",
                                          "47,*,flu", "*,542**,flu"));
    assert_true(c.holds);
    assert_true(c.in_order);
    assert_int_equal(c.n_not_released, 0);
    c = cover_of(ORIGINAL, ROWS("age,zip,ill", "30-39,5311*,flu", "*,542**,flu"));
    assert_true(c.holds);
    assert_true(c.in_order);
    assert_int_equal(c.n_not_released, 2);
}

static void cover_accepts_rows_in_another_order(void **state) {
    (void)state;
    const char *const *release =
        ROWS("age,zip,ill", "*,*,flu", "60-79,54290,flu", "30-39,53112,cold", "30-39,*,flu");
    kan_cover c = cover_of(ORIGINAL, release);
    assert_true(c.holds);
    assert_false(c.in_order);
    assert_int_equal(c.n_not_released, 0);
    cover_case ordered = cover_with(ORIGINAL, release, true, 0);
    assert_int_equal(ordered.status, KAN_OK);
    assert_false(ordered.cover.holds);
    assert_int_equal(ordered.cover.first_unmatched, 3); /* the row before took the last one */
    cover_close(&ordered);
}

static void cover_moves_an_earlier_match_to_make_room(void **state) {
    (void)state;
    /* Whatever rows of * take first, each of the others needs the one row that it covers. */
    kan_cover c = cover_of(ROWS("age,zip,ill", "31,53111,flu", "34,53111,flu", "39,53111,flu"),
                           ROWS("age,zip,ill", "30-39,53111,flu", "39,53111,flu", "34,53111,flu"));
    assert_true(c.holds);
    assert_false(c.in_order);
}

static void cover_names_the_row_and_the_column_at_fault(void **state) {
    (void)state;
    kan_cover c = cover_of(ORIGINAL, ROWS("age,zip,ill", "30-39,5311*,flu", "30-40,53112,cold"));
    assert_false(c.holds);
    assert_int_equal(c.n_unmatched, 1);
    assert_int_equal(c.first_unmatched, 2);
    assert_string_equal(c.fault_column, "age");
    assert_int_equal(c.n_not_released, 3);
    c = cover_of(ORIGINAL, ROWS("age,zip,ill", "31,53111,gout", "*,*,flu"));
    assert_int_equal(c.first_unmatched, 1);
    assert_string_equal(c.fault_column, "ill");
    /* Each value covers somebody's, but nobody has both. */
    c = cover_of(ORIGINAL, ROWS("age,zip,ill", "*,*,flu", "30-39,54290,flu"));
    assert_int_equal(c.first_unmatched, 2);
    assert_null(c.fault_column);
}

static void cover_finds_a_row_that_was_released_twice(void **state) {
    (void)state;
    kan_cover c = cover_of(ORIGINAL, ROWS("age,zip,ill", "31,53111,flu", "34,53112,cold",
                                          "31,53111,flu", "62,54290,flu"));
    assert_false(c.holds);
    assert_int_equal(c.n_unmatched, 1);
    assert_int_equal(c.first_unmatched, 3);
    assert_int_equal(c.n_not_released, 1);
}

static void a_star_covers_no_value_that_must_be_equal(void **state) {
    (void)state;
    kan_cover c = cover_of(ORIGINAL, ROWS("age,zip,ill", "31,53111,*"));
    assert_false(c.holds);
    assert_string_equal(c.fault_column, "ill");
}

static void cover_fails_cleanly_when_memory_is_out(void **state) {
    (void)state;
    const char *const *release =
        ROWS("age,zip,ill", "*,*,flu", "60-79,54290,flu", "30-39,53112,cold", "30-39,*,flu");
    size_t n_failed = 0;
    for (uint64_t budget = 1024;; budget += 512) {
        cover_case c = cover_with(ORIGINAL, release, false, budget);
        bool is_done = c.status == KAN_OK;
        if (is_done)
            assert_true(c.cover.holds);
        else
            assert_int_equal(c.status, KAN_FAILED);
        cover_close(&c);
        if (is_done)
            break;
        n_failed++;
    }
    assert_true(n_failed > 10);
}

/* A quarter of a million ranges, each holding hundreds of values: what a partition of many rows
 * shows. */
static void any_number_of_ranges_that_overlap_is_compared(void **state) {
    (void)state;
    enum { N_VALUES = 2500, N_TURNS = 100 };
    static const char *const names[] = {"x"};
    kan_run *run = kan_run_create();
    kan_table *original, *release;
    kan_cover cover;
    assert_int_equal(kan_table_create(run, 1, names, &original), KAN_OK);
    assert_int_equal(kan_table_create(run, 1, names, &release), KAN_OK);
    for (int turn = 0; turn < N_TURNS; turn++)
        for (int value = 0; value < N_VALUES; value++) {
            char text[32], range[64];
            const char *cell = text, *shown = range;
            snprintf(text, sizeof text, "%d", value);
            snprintf(range, sizeof range, "[%d..%d]", value - 6 * turn, value + 6 * turn + 1);
            assert_int_equal(kan_table_add_row(original, &cell), KAN_OK);
            assert_int_equal(kan_table_add_row(release, &shown), KAN_OK);
        }
    assert_int_equal(kan_table_seal(original), KAN_OK);
    assert_int_equal(kan_table_seal(release), KAN_OK);
    assert_int_equal(release->columns[0].dictionary.n, N_VALUES * N_TURNS);
    const kan_cover_pair pair = {0, 0, NULL};
    const kan_cover_question question = {.release = release,
                                         .original = original,
                                         .quasi = &pair,
                                         .n_quasi = 1,
                                         .reads_intervals = true,
                                         .needs_order = true};
    assert_int_equal(kan_verify_cover(run, &question, &cover), KAN_OK);
    assert_true(cover.holds);
    kan_table_destroy(original);
    kan_table_destroy(release);
    kan_run_destroy(run);
}

/* ---- a file that was just written ----------------------------------------------------------- */

typedef struct {
    kan_status status;
    char error[1024];
    kan_release_report report;
} release_case;

static const kan_release_check usual_check = {.kind = &kan_source_csv,
                                              .options = {.separator = ','},
                                              .n_columns = 4,
                                              .n_rows = 4,
                                              .k = 2,
                                              .n_quasi = 2,
                                              .n_others = 1};

/* Writes the text as a file and verifies it against four people. */
static release_case verify_text(const char *text, kan_release_check check) {
    static const char *const columns[] = {"age", "zip", "ill", "note"};
    static const char *const quasi[] = {"age", "zip"}, *const others[] = {"ill"};
    release_case out = {0};
    char path[] = "/tmp/kanon-verify-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    kan_run *run = kan_run_create();
    kan_table *original = table_of(run, ROWS("ill,age,zip", "flu,31,53111", "cold,34,53111",
                                             "flu,47,54290", "flu,41,54290", "cold,48,54290"));
    kan_hierarchy *hierarchies[2];
    kan_problems_begin(run);
    assert_int_equal(
        kan_hierarchy_build(run, "intervals:10", &original->columns[1], &hierarchies[0]), KAN_OK);
    assert_int_equal(kan_hierarchy_build(run, "suppress", &original->columns[2], &hierarchies[1]),
                     KAN_OK);
    check.path = path;
    check.columns = columns;
    check.original = original;
    check.quasi = quasi;
    check.others = others;
    check.hierarchies = (const kan_hierarchy *const *)hierarchies;
    out.status = kan_verify_release(run, &check, &out.report);
    if (out.status != KAN_OK)
        snprintf(out.error, sizeof out.error, "%s", kan_run_error(run));
    kan_hierarchy_destroy(hierarchies[0]);
    kan_hierarchy_destroy(hierarchies[1]);
    kan_table_destroy(original);
    kan_run_destroy(run);
    unlink(path);
    return out;
}

static void assert_refused(const release_case *r, const char *why) {
    assert_int_equal(r->status, KAN_FAILED);
    if (!strstr(r->error, why) ||
        !strstr(r->error, "internal error: the release failed its verification: ") ||
        !strstr(r->error, "; nothing was written; please report this"))
        fail_msg("expected <%s> in <%s>", why, r->error);
}

#define GOOD                                                                                       \
    "age,zip,ill,note\n30-39,53111,flu,a\n30-39,53111,cold,b\n40-49,54290,flu,c\n"                 \
    "40-49,54290,cold,d\n"

static void a_good_release_passes(void **state) {
    (void)state;
    release_case r = verify_text(GOOD, usual_check);
    assert_int_equal(r.status, KAN_OK);
    assert_int_equal(r.report.recount.n_groups, 2);
    assert_true(r.report.cover.in_order);
    assert_int_equal(r.report.cover.n_not_released, 1);
}

static void a_file_without_an_original_is_never_called_verified(void **state) {
    static const char *const columns[] = {"age"};
    kan_run *run = kan_run_create();
    kan_release_report report;
    const kan_release_check check = {.path = "/dev/null",
                                     .kind = &kan_source_csv,
                                     .columns = columns,
                                     .n_columns = 1,
                                     .k = 2,
                                     .quasi = columns,
                                     .n_quasi = 1};
    (void)state;
    assert_int_equal(kan_verify_release(run, &check, &report), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), "there is nothing to compare it with"));
    kan_run_destroy(run);
}

/* What a search would release: groups are counted, and nothing is compared. */
static void a_table_in_memory_is_refused_for_what_a_file_is(void **state) {
    static const char *const columns[] = {"age", "zip"};
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, ROWS("age,zip", "30-39,53111", "30-39,53111", "40-49,54290"));
    kan_release_report report;
    kan_release_check check = {.table = table,
                               .columns = columns,
                               .n_columns = 2,
                               .n_rows = 3,
                               .k = 1,
                               .quasi = columns,
                               .n_quasi = 2};
    (void)state;
    assert_int_equal(kan_verify_release(run, &check, &report), KAN_OK);
    assert_int_equal(report.recount.n_groups, 2);
    check.k = 2;
    assert_int_equal(kan_verify_release(run, &check, &report), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), "has fewer than 2 rows"));
    check.k = 1;
    check.n_rows = 4;
    assert_int_equal(kan_verify_release(run, &check, &report), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), "it has 3 rows instead of 4"));
    check.n_rows = 3;
    check.n_columns = 1;
    assert_int_equal(kan_verify_release(run, &check, &report), KAN_FAILED);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void a_row_in_a_group_of_its_own_is_found(void **state) {
    (void)state;
    release_case r = verify_text("age,zip,ill,note\n30-39,53111,flu,a\n30-39,53111,cold,b\n"
                                 "40-49,54290,flu,c\n40-49,54290,flu,d\n40-49,*,cold,e\n",
                                 (kan_release_check){.kind = &kan_source_csv,
                                                     .options = {.separator = ','},
                                                     .n_columns = 4,
                                                     .n_rows = 5,
                                                     .k = 2,
                                                     .n_quasi = 2,
                                                     .n_others = 1});
    assert_refused(&r, "1 of its 3 groups, with 1 row, has fewer than 2 rows");
}

static void a_changed_value_is_found(void **state) {
    (void)state;
    release_case r = verify_text("age,zip,ill,note\n30-39,53111,flu,a\n30-39,53111,gout,b\n"
                                 "40-49,54290,flu,c\n40-49,54290,cold,d\n",
                                 usual_check);
    assert_refused(&r, "its row 2 stands for no row of the input (column 'ill')");
    /* Another label than the row's own, in both rows of the group: the groups still hold. */
    r = verify_text("age,zip,ill,note\n40-49,53111,flu,a\n40-49,53111,cold,b\n"
                    "40-49,54290,flu,c\n40-49,54290,cold,d\n",
                    usual_check);
    assert_refused(&r, "its row 1 stands for no row of the input");
}

static void lost_rows_and_columns_are_found(void **state) {
    (void)state;
    release_case r =
        verify_text("age,zip,ill,note\n30-39,53111,flu,a\n30-39,53111,cold,b\n", usual_check);
    assert_refused(&r, "it has 2 rows instead of 4");
    r = verify_text("age,zip,ill\n30-39,53111,flu\n30-39,53111,cold\n", usual_check);
    assert_refused(&r, "it has 3 columns instead of 4");
    r = verify_text("age,zip,note,ill\n30-39,53111,flu,a\n", usual_check);
    assert_refused(&r, "its column 3 is not 'ill'");
    r = verify_text("age,zip,ill,note\n", usual_check);
    assert_refused(&r, "it cannot be read again");
    r = verify_text("age,zip,ill,note\n30-39,53111\n", usual_check);
    assert_refused(&r, "it cannot be read again");
}

static void another_order_is_found_unless_rows_were_shuffled(void **state) {
    (void)state;
    const char *text = "age,zip,ill,note\n40-49,54290,cold,d\n30-39,53111,flu,a\n"
                       "40-49,54290,flu,c\n30-39,53111,cold,b\n";
    kan_release_check check = usual_check;
    release_case r = verify_text(text, check);
    assert_refused(&r, "its row 2 stands for no row of the input");
    check.is_shuffled = true;
    r = verify_text(text, check);
    assert_int_equal(r.status, KAN_OK);
    assert_true(r.report.cover.holds);
    assert_false(r.report.cover.in_order);
}

static void kept_suppressed_rows_pass_only_when_they_show_nothing(void **state) {
    (void)state;
    const char *const rows = "age,zip,ill,note\n30-39,53111,flu,a\n30-39,53111,cold,b\n"
                             "40-49,54290,flu,c\n40-49,54290,flu,d\n";
    static const char *const kept[] = {"*,*,*,*\n", "*,*,*,e\n", "*,*,cold,*\n", "*,*,cold,e\n"};
    for (int i = 0; i < 4; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", rows, kept[i]);
        kan_release_check check = usual_check;
        check.n_rows = 5;
        release_case r = verify_text(text, check);
        assert_refused(&r, "1 of its 3 groups, with 1 row");
        check.n_blank = 1;
        r = verify_text(text, check);
        if (i > 0) {
            assert_refused(&r, "0 rows show nothing but *, and 1 are suppressed");
            continue;
        }
        assert_int_equal(r.status, KAN_OK);
        assert_int_equal(r.report.recount.n_groups, 2);
        assert_int_equal(r.report.recount.n_star_rows, 0);
    }
}

/* Whoever wrote the rows in another order may say in which. */
static void an_order_that_is_told_is_checked(void **state) {
    (void)state;
    static const uint64_t right[] = {4, 0, 2, 1, 3}, wrong[] = {0, 1, 2, 3, 4},
                          twice[] = {4, 0, 2, 0, 3}, beyond[] = {4, 0, 2, 5, 3};
    const char *text = "age,zip,ill,note\n40-49,54290,cold,d\n30-39,53111,flu,a\n"
                       "40-49,54290,flu,c\n30-39,53111,cold,b\n";
    kan_release_check check = usual_check;
    check.is_shuffled = true;
    check.order = right;
    release_case r = verify_text(text, check);
    assert_int_equal(r.status, KAN_OK);
    check.order = wrong;
    r = verify_text(text, check);
    assert_refused(&r, "stands for no row of the input");
    check.order = twice;
    r = verify_text(text, check);
    assert_int_equal(r.status, KAN_FAILED);
    check.order = beyond;
    r = verify_text(text, check);
    assert_int_equal(r.status, KAN_FAILED);
}

/* ---- means ---------------------------------------------------------------------------------- */

/* The name of the column at fault, "" when there is none; the original is x and y, the release x
 * by its mean. */
static const char *fault_in(const char *const *original_rows, const char *const *release_rows,
                            const uint64_t *order, kan_middle middle) {
    static char name[32];
    static const size_t columns[] = {0, 1};
    const kan_mean_pair means[] = {{0, 0, middle}};
    kan_run *run = kan_run_create();
    kan_table *original = table_of(run, original_rows), *release = table_of(run, release_rows);
    const kan_mean_pair *fault = NULL;
    kan_means_question question = {.release = release,
                                   .original = original,
                                   .columns = columns,
                                   .n_columns = 2,
                                   .means = means,
                                   .n_means = 1,
                                   .order = order};
    if (kan_verify_means(run, &question, &fault) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    snprintf(name, sizeof name, "%s", fault ? release->columns[fault->released].name : "");
    kan_table_destroy(original);
    kan_table_destroy(release);
    kan_run_destroy(run);
    return name;
}

static const char *fault_of(const char *const *original, const char *const *release,
                            const uint64_t *order) {
    return fault_in(original, release, order, KAN_MIDDLE_MEAN);
}

static void medians_are_the_lower_of_two_in_the_middle(void **state) {
    (void)state;
    const char *const *original = ROWS("x,y", "1,a", "2.5,a", "9,a", "7,a", "?,b", "3,b");
    assert_string_equal(fault_in(original,
                                 ROWS("x,y", "2.5,a", "2.50,a", "2.5,a", "2.5,a", "3,b", "3,b"),
                                 NULL, KAN_MIDDLE_MEDIAN),
                        "x"); /* two ways to write it are two groups */
    assert_string_equal(fault_in(original,
                                 ROWS("x,y", "2.5,a", "2.5,a", "2.5,a", "2.5,a", "3,b", "3,b"),
                                 NULL, KAN_MIDDLE_MEDIAN),
                        "");
    assert_string_equal(fault_in(original, ROWS("x,y", "7,a", "7,a", "7,a", "7,a", "3,b", "3,b"),
                                 NULL, KAN_MIDDLE_MEDIAN),
                        "x");
    assert_string_equal(fault_in(original, ROWS("x,y", "3,a", "3,a", "3,a", "3,a", "3,b", "3,b"),
                                 NULL, KAN_MIDDLE_MEDIAN),
                        "x"); /* between the two, and no number of the group */
    assert_string_equal(fault_in(original,
                                 ROWS("x,y", "2.5,a", "2.5,a", "2.5,a", "2.5,a", "*,b", "*,b"),
                                 NULL, KAN_MIDDLE_MEDIAN),
                        "x");
    assert_string_equal(
        fault_in(ROWS("x,y", "?,a", "?,a"), ROWS("x,y", "*,a", "*,a"), NULL, KAN_MIDDLE_MEDIAN),
        "");
    assert_string_equal(
        fault_in(ROWS("x,y", "?,a", "?,a"), ROWS("x,y", "0,a", "0,a"), NULL, KAN_MIDDLE_MEDIAN),
        "x");
}

static void modes_are_the_most_common_value_and_of_several_the_first(void **state) {
    (void)state;
    /* y keeps groups apart; x: b twice in a, c and a once each in b, nothing known in c */
    const char *const *original =
        ROWS("x,y", "b,a", "z,a", "b,a", "?,a", "?,a", "?,a", "c,b", "a,b", "?,c", "?,c");
    assert_string_equal(
        fault_in(original,
                 ROWS("x,y", "b,a", "b,a", "b,a", "b,a", "b,a", "b,a", "a,b", "a,b", "*,c", "*,c"),
                 NULL, KAN_MIDDLE_MODE),
        "");
    assert_string_equal(
        fault_in(original,
                 ROWS("x,y", "z,a", "z,a", "z,a", "z,a", "z,a", "z,a", "a,b", "a,b", "*,c", "*,c"),
                 NULL, KAN_MIDDLE_MODE),
        "x"); /* fewer rows have it */
    assert_string_equal(
        fault_in(original,
                 ROWS("x,y", "b,a", "b,a", "b,a", "b,a", "b,a", "b,a", "c,b", "c,b", "*,c", "*,c"),
                 NULL, KAN_MIDDLE_MODE),
        "x"); /* as many as a, which stands before it */
    assert_string_equal(
        fault_in(original,
                 ROWS("x,y", "b,a", "b,a", "b,a", "b,a", "b,a", "b,a", "z,b", "z,b", "*,c", "*,c"),
                 NULL, KAN_MIDDLE_MODE),
        "x"); /* nobody of the group has it */
    assert_string_equal(fault_in(original,
                                 ROWS("x,y", "b,a", "b,a", "b,a", "b,a", "b,a", "b,a", "new,b",
                                      "new,b", "*,c", "*,c"),
                                 NULL, KAN_MIDDLE_MODE),
                        "x"); /* nobody at all has it */
    assert_string_equal(
        fault_in(original,
                 ROWS("x,y", "b,a", "b,a", "b,a", "b,a", "b,a", "b,a", "a,b", "a,b", "a,c", "a,c"),
                 NULL, KAN_MIDDLE_MODE),
        "x"); /* nothing is known there */
    assert_string_equal(
        fault_in(original,
                 ROWS("x,y", "b,a", "b,a", "b,a", "b,a", "b,a", "b,a", "*,b", "*,b", "*,c", "*,c"),
                 NULL, KAN_MIDDLE_MODE),
        "x"); /* something is known there */
}

static void means_are_those_of_the_group(void **state) {
    (void)state;
    static const uint64_t order[] = {2, 1, 0};
    const char *const *original = ROWS("x,y", "1,a", "2,a", "7.5,b");
    assert_string_equal(fault_of(original, ROWS("x,y", "1.5,a", "1.5,a", "7.5,b"), NULL), "");
    assert_string_equal(fault_of(original, ROWS("x,y", "1.50,a", "1.50,a", "7.5,b"), NULL), "");
    assert_string_equal(fault_of(original, ROWS("x,y", "1.6,a", "1.6,a", "7.5,b"), NULL), "x");
    assert_string_equal(fault_of(original, ROWS("x,y", "1.5,a", "1.5,a", "*,b"), NULL), "x");
    assert_string_equal(fault_of(original, ROWS("x,y", "[1-2],a", "[1-2],a", "7.5,b"), NULL), "x");
    assert_string_equal(fault_of(original, ROWS("x,y", "7.5,b", "1.5,a", "1.5,a"), order), "");
    assert_string_equal(fault_of(original, ROWS("x,y", "7.5,b", "1.5,a", "1.5,a"), NULL), "x");
}

static void means_have_six_digits_and_are_rounded_away_from_zero(void **state) {
    (void)state;
    const char *const *thirds = ROWS("x,y", "1,a", "0,a", "1,a");
    assert_string_equal(
        fault_of(thirds, ROWS("x,y", "0.666667,a", "0.666667,a", "0.666667,a"), NULL), "");
    assert_string_equal(
        fault_of(thirds, ROWS("x,y", "0.666666,a", "0.666666,a", "0.666666,a"), NULL), "x");
    assert_string_equal(
        fault_of(thirds, ROWS("x,y", "0.6666667,a", "0.6666667,a", "0.6666667,a"), NULL), "x");
    const char *const *halves = ROWS("x,y", "0.000001,a", "0,a", "-0.000001,b", "0,b");
    assert_string_equal(
        fault_of(halves, ROWS("x,y", "0.000001,a", "0.000001,a", "-0.000001,b", "-0.000001,b"),
                 NULL),
        "");
    assert_string_equal(
        fault_of(halves, ROWS("x,y", "0,a", "0,a", "-0.000001,b", "-0.000001,b"), NULL), "x");
    assert_string_equal(
        fault_of(halves, ROWS("x,y", "0.000001,a", "0.000001,a", "0,b", "0,b"), NULL), "x");
}

static void means_leave_unknown_values_out(void **state) {
    (void)state;
    const char *const *original = ROWS("x,y", "1,a", "?,a", "?,b", ",b");
    assert_string_equal(fault_of(original, ROWS("x,y", "1,a", "1,a", "*,b", "*,b"), NULL), "");
    assert_string_equal(fault_of(original, ROWS("x,y", "0.5,a", "0.5,a", "*,b", "*,b"), NULL), "x");
    assert_string_equal(fault_of(original, ROWS("x,y", "1,a", "1,a", "0,b", "0,b"), NULL), "x");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recount_tells_every_number_of_a_small_table),
        cmocka_unit_test(rows_of_stars_are_a_group_like_any_other),
        cmocka_unit_test(a_group_of_exactly_k_rows_is_large_enough),
        cmocka_unit_test(a_table_without_rows_never_holds),
        cmocka_unit_test(values_that_count_as_equal_are_different_values),
        cmocka_unit_test(recount_tells_wide_codes_apart),
        cmocka_unit_test(tuples_of_one_hash_are_told_apart),
        cmocka_unit_test(cover_accepts_labels_of_any_level_in_order),
        cmocka_unit_test(cover_accepts_rows_in_another_order),
        cmocka_unit_test(cover_moves_an_earlier_match_to_make_room),
        cmocka_unit_test(cover_names_the_row_and_the_column_at_fault),
        cmocka_unit_test(cover_finds_a_row_that_was_released_twice),
        cmocka_unit_test(a_star_covers_no_value_that_must_be_equal),
        cmocka_unit_test(cover_fails_cleanly_when_memory_is_out),
        cmocka_unit_test(any_number_of_ranges_that_overlap_is_compared),
        cmocka_unit_test(a_good_release_passes),
        cmocka_unit_test(a_file_without_an_original_is_never_called_verified),
        cmocka_unit_test(a_table_in_memory_is_refused_for_what_a_file_is),
        cmocka_unit_test(a_row_in_a_group_of_its_own_is_found),
        cmocka_unit_test(a_changed_value_is_found),
        cmocka_unit_test(lost_rows_and_columns_are_found),
        cmocka_unit_test(another_order_is_found_unless_rows_were_shuffled),
        cmocka_unit_test(kept_suppressed_rows_pass_only_when_they_show_nothing),
        cmocka_unit_test(an_order_that_is_told_is_checked),
        cmocka_unit_test(medians_are_the_lower_of_two_in_the_middle),
        cmocka_unit_test(modes_are_the_most_common_value_and_of_several_the_first),
        cmocka_unit_test(means_are_those_of_the_group),
        cmocka_unit_test(means_have_six_digits_and_are_rounded_away_from_zero),
        cmocka_unit_test(means_leave_unknown_values_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
