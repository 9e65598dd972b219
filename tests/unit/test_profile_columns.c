/* Suggested roles against a list of columns with the right answers (profile_columns.txt). Nothing
 * that names people may get into a release by a suggestion; the share of right answers is printed,
 * and may not fall. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "core/run.h"
#include "unit/profile_values.h"

enum { ROWS = 300 };

static const double LEAST_RIGHT = 0.98;

static const char *role_word(kan_role role) {
    switch (role) {
    case KAN_ROLE_ID:
        return "id";
    case KAN_ROLE_QUASI:
        return "quasi";
    case KAN_ROLE_SENSITIVE:
        return "sensitive";
    case KAN_ROLE_DROP:
        return "drop";
    case KAN_ROLE_OTHER:
        return "undecided";
    default:
        return "keep";
    }
}

/* A table of one column of that name, and what is suggested for it. */
static void suggest_for(const char *name, const char *kind, kan_profile_column *out) {
    kan_run *run = kan_run_create();
    kan_table *table;
    assert_non_null(run);
    kan_run_set_threads(run, 1);
    assert_int_equal(kan_table_create(run, 1, &name, &table), KAN_OK);
    for (unsigned row = 0; row < ROWS; row++) {
        char value[VALUE_BYTES];
        const char *values[] = {value};
        if (!make_value(kind, row, value))
            fail_msg("no values of the kind '%s'", kind);
        assert_int_equal(kan_table_add_row(table, values), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_int_equal(kan_profile_column_make(run, &table->columns[0], ROWS, out), KAN_OK);
    out->name = name;
    kan_profile_suggest(out, 0);
    assert_int_equal(kan_profile_suggest_hierarchy(run, &table->columns[0], out), KAN_OK);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static bool stays_out(kan_role role) {
    return role == KAN_ROLE_ID || role == KAN_ROLE_DROP || role == KAN_ROLE_OTHER;
}

typedef struct {
    char right[16], kind[16], name[128];
} listed;

static FILE *open_list(void) {
    FILE *file = fopen(KANON_TESTS_DIR "/unit/profile_columns.txt", "r");
    assert_non_null(file);
    return file;
}

static bool next_listed(FILE *file, listed *out) {
    char line[256];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        assert_int_equal(sscanf(line, "%15s %15s %127[^\n]", out->right, out->kind, out->name), 3);
        return true;
    }
    return false;
}

static bool is_direct(const listed *column) {
    return strcmp(column->right, "id") == 0 || strcmp(column->right, "drop") == 0;
}

static void no_direct_identifier_of_the_list_is_suggested_into_a_release(void **state) {
    FILE *file = open_list();
    listed column;
    unsigned n_leaks = 0;
    (void)state;
    while (next_listed(file, &column)) {
        kan_profile_column found;
        if (!is_direct(&column))
            continue;
        suggest_for(column.name, column.kind, &found);
        if (!stays_out(found.role)) {
            print_message("'%s' with values of the kind %s: %s\n", column.name, column.kind,
                          role_word(found.role));
            n_leaks++;
        }
    }
    fclose(file);
    assert_int_equal(n_leaks, 0);
}

static void nothing_is_ever_suggested_to_be_kept(void **state) {
    static const char *const kinds[] = {"cat5", "int", "yesno", "constant", "decimal"};
    FILE *file = open_list();
    listed column;
    (void)state;
    while (next_listed(file, &column))
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            kan_profile_column found;
            suggest_for(column.name, kinds[i], &found);
            assert_string_not_equal(role_word(found.role), "keep");
        }
    fclose(file);
}

static void the_share_of_right_answers_does_not_fall(void **state) {
    FILE *file = open_list();
    listed column;
    unsigned n = 0, n_right = 0;
    (void)state;
    while (next_listed(file, &column)) {
        kan_profile_column found;
        suggest_for(column.name, column.kind, &found);
        const bool is_right = strcmp(role_word(found.role), column.right) == 0;
        if (!is_right)
            print_message("'%s' with values of the kind %s is %s, and suggested as %s: %s\n",
                          column.name, column.kind, column.right, role_word(found.role),
                          found.reason);
        n_right += is_right;
        n++;
    }
    fclose(file);
    print_message("%u of %u suggested roles are right\n", n_right, n);
    assert_true(n >= 300);
    assert_true(n_right >= LEAST_RIGHT * n);
}

/* A name that means a person is enough, whatever the values are. */
static void names_of_identifiers_keep_a_column_out_whatever_its_values(void **state) {
    static const char *const kinds[] = {"cat5", "cat40", "int", "yesno", "constant", "decimal"};
    FILE *file = open_list();
    listed column;
    unsigned n = 0;
    (void)state;
    while (next_listed(file, &column)) {
        const kan_profile_hint hint = kan_profile_name_hint(column.name, 0);
        if (!is_direct(&column) || hint.role != KAN_ROLE_ID || hint.is_weak)
            continue;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            kan_profile_column found;
            suggest_for(column.name, kinds[i], &found);
            assert_string_equal(role_word(found.role), "id");
        }
        n++;
    }
    fclose(file);
    assert_true(n >= 200);
}

/* Masking the end of 14.03.1980 would hide the year and keep the day. */
static void no_date_gets_masked_digits(void **state) {
    static const char *const kinds[] = {"iso", "isona",   "german",  "germanna",
                                        "us",  "compact", "datetime"};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kan_profile_column found;
        suggest_for("born", kinds[i], &found);
        assert_int_equal(found.role, KAN_ROLE_QUASI);
        assert_string_equal(found.spec, i == 0 ? "date:month,year,decade" : "suppress");
        if (i > 0)
            assert_non_null(strstr(found.reason, "dates, but"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_direct_identifier_of_the_list_is_suggested_into_a_release),
        cmocka_unit_test(names_of_identifiers_keep_a_column_out_whatever_its_values),
        cmocka_unit_test(nothing_is_ever_suggested_to_be_kept),
        cmocka_unit_test(the_share_of_right_answers_does_not_fall),
        cmocka_unit_test(no_date_gets_masked_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
