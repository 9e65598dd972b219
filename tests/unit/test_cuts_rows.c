/* What `kanon-bench cuts` keeps of its cells: saved and read again they are the same, the last of a
 * cell counts, foreign lines are refused; what cannot be true together is found; and who is ahead
 * at equal times is told from their moments. These parts of the bench program are taken in here. */
#include "../../bench/cuts_rows.c"
#include "../../bench/cuts_tables.c"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

static const cuts_cell here = {CUTS_COARSE, CUTS_K50, CUTS_LIMIT_100, CUTS_CLASSIFICATION,
                               CUTS_UNSEEDED};

/* A temporary file with that text; its name goes into path. */
static void make_file(const char *text, char *path) {
    strcpy(path, "/tmp/kanon-cuts-XXXXXX");
    int made = mkstemp(path);
    assert_true(made >= 0);
    assert_int_equal(write(made, text, strlen(text)), strlen(text));
    close(made);
}

static cuts_row sample(cuts_state state, uint64_t cost, uint64_t bound) {
    return (cuts_row){.state = state,
                      .threads = 2,
                      .budget_s = 0.1,
                      .seconds = 0.0625,
                      .cpu_s = 0.125,
                      .n_states = UINT64_C(12345678901),
                      .cost = cost,
                      .bound = bound,
                      .n_suppressed = 7,
                      .early_bytes = 1000,
                      .peak_bytes = 2000};
}

static void put(cuts_rows *rows, cuts_cell cell, cuts_row row) {
    cuts_rows_take(rows, cell, &row);
}

static void what_is_saved_is_read_again(void **state) {
    (void)state;
    char path[64];
    cuts_moment moments[] = {{0.25, 1, 900, 1}, {0.5, 2, 800, 5}};
    cuts_row row = sample(CUTS_STOPPED, 800, 500);
    cuts_rows *rows = cuts_rows_create();
    row.moments = moments;
    row.n_moments = 2;
    make_file("", path);
    assert_int_equal(cuts_row_save(path, here, &row), 0);
    assert_int_equal(cuts_rows_read(path, false, rows), 0);
    const cuts_row *read = cuts_rows_find(rows, here);
    assert_int_equal(read->state, CUTS_STOPPED);
    assert_int_equal(read->threads, 2);
    assert_true(read->budget_s == 0.1 && read->seconds == 0.0625 && read->cpu_s == 0.125);
    assert_true(read->n_states == row.n_states && read->cost == 800 && read->bound == 500);
    assert_true(read->n_suppressed == 7 && read->early_bytes == 1000 && read->peak_bytes == 2000);
    assert_int_equal(read->n_moments, 2);
    assert_memory_equal(read->moments, moments, sizeof moments);
    assert_true(cuts_row_gap(read) == 37.5);
    cuts_rows_destroy(rows);
    unlink(path);
}

static void the_last_of_a_cell_counts(void **state) {
    (void)state;
    char path[64];
    cuts_moment moment = {0.25, 1, 900, 1};
    cuts_row first = sample(CUTS_STOPPED, 900, 500), second = sample(CUTS_PROVEN, 800, 800);
    cuts_rows *rows = cuts_rows_create();
    first.moments = &moment;
    first.n_moments = 1;
    make_file("", path);
    assert_int_equal(cuts_row_save(path, here, &first), 0);
    assert_int_equal(cuts_row_save(path, here, &second), 0);
    assert_int_equal(cuts_rows_read(path, false, rows), 0);
    assert_int_equal(cuts_rows_find(rows, here)->cost, 800);
    assert_int_equal(cuts_rows_find(rows, here)->n_moments, 0);
    assert_true(cuts_row_gap(cuts_rows_find(rows, here)) == 0);
    cuts_rows_destroy(rows);
    unlink(path);
}

static void a_foreign_line_is_refused(void **state) {
    (void)state;
    static const char *const lines[] = {
        "nonsense\n",
        "\n",
        "moment,1,2,3,4\n", /* of which cell? */
        "cell,fine,50,all,discernibility,k-optimize,proven,2,8,1,1,5,9,9,0,1\n",
        "cell,fine,51,all,discernibility,k-optimize,proven,2,8,1,1,5,9,9,0,1,1\n",
        "cell,fine,50,all,discernibility,k-optimize,proven,2,8,1,1,5,-9,9,0,1,1\n",
        "cell,fine,50,all,discernibility,k-optimize,proven,2,8,1,1,5,9,9,0,1,1", /* cut off */
    };
    char path[64];
    cuts_rows *rows = cuts_rows_create();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        make_file(lines[i], path);
        assert_int_equal(cuts_rows_read(path, false, rows), 1);
        unlink(path);
    }
    make_file("# words\ncell,fine,50,all,discernibility,k-optimize,proven,2,8,1,1,5,9,9,0,1,1\n",
              path);
    assert_int_equal(cuts_rows_read(path, false, rows), 0);
    unlink(path);
    assert_int_equal(cuts_rows_read(path, true, rows), 0); /* it is gone, and may be */
    assert_int_equal(cuts_rows_read(path, false, rows), 1);
    cuts_rows_destroy(rows);
}

/* A proven cell may not be dearer than what was found for a question that allows less. */
static void a_bound_above_what_was_found_is_told(void **state) {
    (void)state;
    const cuts_cell stricter = {CUTS_COARSE, CUTS_K100, CUTS_LIMIT_0, CUTS_CLASSIFICATION,
                                CUTS_K_OPTIMIZE};
    cuts_rows *rows = cuts_rows_create();
    put(rows, here, sample(CUTS_PROVEN, 800, 800));
    put(rows, stricter, sample(CUTS_STOPPED, 800, 100));
    assert_int_equal(cuts_check(rows), 0);
    put(rows, stricter, sample(CUTS_STOPPED, 799, 100));
    assert_int_equal(cuts_check(rows), 1);
    put(rows, stricter, sample(CUTS_PROVEN, 900, 900)); /* it allows less: it may be dearer */
    assert_int_equal(cuts_check(rows), 0);
    cuts_rows_destroy(rows);
}

/* The names in the file must stay in step with the places by which cells are known. */
static void the_names_stand_at_their_places(void **state) {
    (void)state;
    assert_string_equal(cuts_data[CUTS_COARSE], "coarse");
    assert_string_equal(cuts_ks[CUTS_K50], "50");
    assert_string_equal(cuts_limits[CUTS_LIMIT_ALL], "all");
    assert_string_equal(cuts_costs[CUTS_CLASSIFICATION], "classification");
    assert_string_equal(cuts_searches[CUTS_K_OPTIMIZE].name, "k-optimize");
    assert_string_equal(cuts_searches[CUTS_UNSEEDED].option, "unseeded");
    cuts_rows *rows = cuts_rows_create();
    for (size_t i = 0; i < sizeof *rows / sizeof(cuts_row); i++)
        assert_ptr_equal(cuts_rows_find(rows, cell_at(i)), (cuts_row *)rows->at + i);
    cuts_rows_destroy(rows);
}

static void a_lag_is_measured_at_equal_times(void **state) {
    (void)state;
    cuts_moment ours[] = {{0.01, 1, 1000, 1}, {0.5, 2, 200, 1}, {3, 3, 90, 90}};
    cuts_moment theirs[] = {{0.01, 1, 1000, 1}, {0.2, 2, 400, 1}, {1, 3, 100, 1}};
    cuts_row a = sample(CUTS_PROVEN, 90, 90), b = sample(CUTS_STOPPED, 100, 1);
    a.seconds = 3;
    b.seconds = b.budget_s = a.budget_s = 8;
    a.moments = ours;
    b.moments = theirs;
    a.n_moments = b.n_moments = 3;
    /* 1000 against 400 from 0.2 to 0.5, 200 against 100 from 1 to 3. */
    race_lag lag = lag_behind(&a, &b, 8);
    assert_true(fabs(lag.seconds - 2.3) < 1e-9);
    assert_true(lag.until == 3 && lag.worst == 1.5);
    lag = lag_behind(&a, &a, 8);
    assert_true(lag.seconds == 0);
    /* What was proven holds; nothing is known of what was stopped. */
    assert_int_equal(cuts_row_moment(&a, 100)->cost, 90);
    assert_null(cuts_row_moment(&b, 8.5));
    assert_null(cuts_row_moment(&b, 0.001));
    assert_int_equal(cuts_row_moment(&b, 0.2)->cost, 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_read_again),
        cmocka_unit_test(the_last_of_a_cell_counts),
        cmocka_unit_test(a_foreign_line_is_refused),
        cmocka_unit_test(a_bound_above_what_was_found_is_told),
        cmocka_unit_test(the_names_stand_at_their_places),
        cmocka_unit_test(a_lag_is_measured_at_equal_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
