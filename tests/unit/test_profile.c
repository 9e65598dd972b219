/* What names and values of columns suggest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "core/run.h"

enum { MOST_ROWS = 64 };

typedef struct {
    kan_run *run;
    kan_table *table;
    kan_profile_column column;
} scene;

/* A table of one column, `values` being its rows, and what is suggested for it. */
static void look(scene *s, const char *name, const char *const *values, size_t n) {
    *s = (scene){.run = kan_run_create()};
    assert_non_null(s->run);
    kan_run_set_threads(s->run, 1);
    assert_int_equal(kan_table_create(s->run, 1, &name, &s->table), KAN_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(kan_table_add_row(s->table, &values[i]), KAN_OK);
    assert_int_equal(kan_table_seal(s->table), KAN_OK);
    assert_int_equal(
        kan_profile_column_make(s->run, &s->table->columns[0], s->table->n_rows, &s->column),
        KAN_OK);
    kan_profile_suggest(&s->column, 0);
    assert_int_equal(kan_profile_suggest_hierarchy(s->run, &s->table->columns[0], &s->column),
                     KAN_OK);
}

static void leave(scene *s) {
    kan_table_destroy(s->table);
    kan_run_destroy(s->run);
}

/* Rows printed from a number. */
static void look_at_series(scene *s, const char *name, const char *format, int n, int step) {
    static char room[MOST_ROWS][48];
    const char *values[MOST_ROWS];
    assert_true(n <= MOST_ROWS);
    for (int i = 0; i < n; i++) {
        snprintf(room[i], sizeof room[i], format, 1 + i * step);
        values[i] = room[i];
    }
    look(s, name, values, (size_t)n);
}

static void names_speak_in_several_languages(void **state) {
    static const struct {
        const char *name;
        kan_role role;
    } wanted[] = {{"age", KAN_ROLE_QUASI},
                  {"Alter", KAN_ROLE_QUASI},
                  {"patientAge", KAN_ROLE_QUASI},
                  {"age_at_visit", KAN_ROLE_QUASI},
                  {"Geburtsdatum", KAN_ROLE_QUASI},
                  {"fecha de nacimiento", KAN_ROLE_QUASI},
                  {"Straße", KAN_ROLE_ID},
                  {"código postal", KAN_ROLE_QUASI},
                  {"zip", KAN_ROLE_QUASI},
                  {"native-country", KAN_ROLE_QUASI},
                  {"性别", KAN_ROLE_QUASI},
                  {"возраст", KAN_ROLE_QUASI},
                  {"Nachname", KAN_ROLE_ID},
                  {"e-mail", KAN_ROLE_ID},
                  {"patient_id", KAN_ROLE_ID},
                  {"diagnosis_code", KAN_ROLE_SENSITIVE},
                  {"salary-class", KAN_ROLE_SENSITIVE},
                  {"Einkommen", KAN_ROLE_SENSITIVE},
                  {"voltage", KAN_ROLE_OTHER},
                  {"page", KAN_ROLE_OTHER},
                  {"essex", KAN_ROLE_OTHER},
                  {"sexual_orientation", KAN_ROLE_SENSITIVE},
                  {"", KAN_ROLE_OTHER},
                  {"\xc3", KAN_ROLE_OTHER}};
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (kan_profile_name_hint(wanted[i].name, 0).role != wanted[i].role)
            fail_msg("'%s' is taken for %d", wanted[i].name,
                     (int)kan_profile_name_hint(wanted[i].name, 0).role);
}

static void what_all_names_begin_with_says_nothing(void **state) {
    static const char *const names[] = {"iage", "irace", "isex"};
    static const char *const others[] = {"age", "alter", "art"};
    static const char *const shorts[] = {"xa", "xab", "xabc"};
    (void)state;
    assert_int_equal(kan_profile_common(names, 3), 1);
    assert_int_equal(kan_profile_common(names, 2), 0);
    assert_int_equal(kan_profile_common(others, 3), 1);
    assert_int_equal(kan_profile_common(shorts, 3), 0);
    assert_int_equal(kan_profile_name_hint("iage", 1).role, KAN_ROLE_QUASI);
    assert_int_equal(kan_profile_name_hint("iage", 0).role, KAN_ROLE_OTHER);
    assert_int_equal(kan_profile_name_hint("age", 1).role, KAN_ROLE_QUASI);
}

static void values_that_are_all_different_suggest_an_id(void **state) {
    scene s;
    (void)state;
    look_at_series(&s, "x", "v%d", 40, 1);
    assert_int_equal(s.column.role, KAN_ROLE_ID);
    assert_int_equal(s.column.certainty, KAN_LIKELY);
    assert_non_null(strstr(s.column.reason, "all rows"));
    leave(&s);
    /* Few rows say little. */
    look_at_series(&s, "x", "v%d", 4, 1);
    assert_int_not_equal(s.column.role, KAN_ROLE_ID);
    leave(&s);
    /* A date of birth is one all the same. */
    look_at_series(&s, "birth", "19%02d-03-01", 40, 2);
    assert_int_equal(s.column.role, KAN_ROLE_QUASI);
    assert_string_equal(s.column.spec, "date:decade");
    leave(&s);
}

static void a_column_that_tells_nobody_apart_is_undecided(void **state) {
    static const char *const same[] = {"DE", "DE", "DE"}, *const none[] = {"", "?", ""};
    scene s;
    (void)state;
    look(&s, "country", same, 3);
    assert_int_equal(s.column.role, KAN_ROLE_OTHER);
    leave(&s);
    look(&s, "country", none, 3);
    assert_int_equal(s.column.role, KAN_ROLE_OTHER);
    assert_int_equal(s.column.n_missing, 3);
    assert_int_equal(s.column.n_distinct, 0);
    leave(&s);
}

static void values_suggest_what_a_name_does_not(void **state) {
    scene s;
    (void)state;
    look_at_series(&s, "a", "m%d@example.org", 5, 1);
    assert_int_equal(s.column.shape, KAN_SHAPE_EMAIL);
    assert_int_equal(s.column.role, KAN_ROLE_ID);
    leave(&s);
    look_at_series(&s, "a", "0%04d", 9, 17);
    assert_int_equal(s.column.shape, KAN_SHAPE_POSTCODE);
    assert_string_equal(s.column.spec, "prefix:3"); /* 0**** is all of them */
    leave(&s);
    look_at_series(&s, "a", "2%04d", 9, 17); /* might be an amount */
    assert_int_equal(s.column.shape, KAN_SHAPE_NONE);
    leave(&s);
    look_at_series(&s, "a", "%d.12.1999", 9, 1);
    assert_int_equal(s.column.shape, KAN_SHAPE_OTHER_DATE);
    leave(&s);
    look_at_series(&s, "a", "E1%d.9", 8, 1);
    assert_int_equal(s.column.shape, KAN_SHAPE_ICD);
    assert_int_equal(s.column.role, KAN_ROLE_SENSITIVE);
    leave(&s);
    look_at_series(&s, "a", "195%d", 9, 1);
    assert_int_equal(s.column.shape, KAN_SHAPE_YEAR);
    leave(&s);
}

static void codes_that_look_like_diagnoses_and_are_shared_name_nobody(void **state) {
    static const char *const codes[] = {"E11.9", "I10.9", "F18.8", "Z10.9", "J45.0", "C50.1"};
    enum { SHARED = 72, FEW = 12 };
    const char *values[SHARED];
    scene s;
    (void)state;
    for (size_t i = 0; i < SHARED; i++)
        values[i] = codes[i % (sizeof codes / sizeof *codes)];
    look(&s, "code", values, SHARED);
    assert_int_equal(s.column.role, KAN_ROLE_SENSITIVE);
    leave(&s);
    look(&s, "code", values, FEW); /* each may be somebody's locker */
    assert_int_equal(s.column.role, KAN_ROLE_ID);
    leave(&s);
    look(&s, "patient code", values, SHARED);
    assert_int_equal(s.column.role, KAN_ROLE_ID);
    leave(&s);
}

static void widths_of_intervals_divide_each_other(void **state) {
    static const struct {
        const char *format;
        int n, step;
        const char *spec;
    } wanted[] = {{"%d", 40, 2, "intervals:5,10,20"},
                  {"%d", 9, 1, "intervals:2"},
                  {"0.00%03d", 60, 10, "intervals:0.0005,0.001,0.002"},
                  {"%d00000", 50, 3, "intervals:1000000,5000000,10000000"},
                  {"%d", 5, 1, "intervals:2"},
                  {"1000000000000000000000000000000000000000000%02d", 20, 1, "suppress"}};
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        scene s;
        look_at_series(&s, "age", wanted[i].format, wanted[i].n, wanted[i].step);
        assert_string_equal(s.column.spec, wanted[i].spec);
        leave(&s);
    }
}

static void bins_of_few_whole_numbers_hold_one_each(void **state) {
    static const char *const values[] = {"3", "1", "1", "7", "?", "07"};
    scene s;
    (void)state;
    look(&s, "n", values, 6);
    assert_int_equal(s.column.n_bins, 7);
    assert_int_equal(s.column.bins[0], 2);
    assert_int_equal(s.column.bins[2], 1);
    assert_int_equal(s.column.bins[6], 2);
    assert_int_equal(s.column.n_missing, 1);
    assert_int_equal(s.column.n_distinct, 4); /* 7 and 07 are two values */
    assert_int_equal(s.column.n_once, 3);
    assert_memory_equal(s.column.median.bytes, "3", 1);
    leave(&s);
}

static void numbers_too_far_apart_to_subtract_have_bins(void **state) {
    static const char *const values[] = {"-1.5e308", "0", "1.5e308"};
    scene s;
    (void)state;
    look(&s, "n", values, 3);
    assert_int_equal(s.column.type, KAN_TYPE_NUMBER);
    assert_int_equal(s.column.bins[0], 1);
    assert_int_equal(s.column.bins[s.column.n_bins / 2], 1);
    assert_int_equal(s.column.bins[s.column.n_bins - 1], 1);
    leave(&s);
}

static void long_values_are_cut_between_characters(void **state) {
    char text[400] = "x";
    for (size_t i = 0; i < 150; i++)
        strcat(text, "ü");
    const char *values[] = {text, text};
    scene s;
    (void)state;
    look(&s, "t", values, 2);
    assert_true(s.column.top[0].is_cut);
    assert_int_equal(s.column.top[0].size, 95);
    leave(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_speak_in_several_languages),
        cmocka_unit_test(what_all_names_begin_with_says_nothing),
        cmocka_unit_test(values_that_are_all_different_suggest_an_id),
        cmocka_unit_test(a_column_that_tells_nobody_apart_is_undecided),
        cmocka_unit_test(values_suggest_what_a_name_does_not),
        cmocka_unit_test(codes_that_look_like_diagnoses_and_are_shared_name_nobody),
        cmocka_unit_test(widths_of_intervals_divide_each_other),
        cmocka_unit_test(bins_of_few_whole_numbers_hold_one_each),
        cmocka_unit_test(numbers_too_far_apart_to_subtract_have_bins),
        cmocka_unit_test(long_values_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
