/* io/stat: the code book of a release has what its values need, and no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat_formats.h"

/* Nobody who is left has a code of these, and no number needs so much room. */
static void a_release_has_the_code_book_of_its_values(void **state) {
    static const kan_value_label labels[] = {{S("1"), S("Yes")},
                                             {S("2"), S("No")},
                                             {S("3"), S("Secret")},
                                             {S("-9"), S("Refused")},
                                             {S("-8"), S("Hidden")}};
    static const kan_missing_range ranges[] = {{-99, -7}};
    static const char *const cells[] = {"1", "5", "2", "-3", "-9", "7"};
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const bool is_stata = stat_formats[i].sink == &kan_sink_dta;
        const char *family = is_stata ? "stata:long" : "spss",
                   *looks = is_stata ? "%12.0g" : "F12.2";
        const kan_field fields[] = {{.name = "X",
                                     .type = KAN_FIELD_NUMBER,
                                     .labels = labels,
                                     .n_labels = 5,
                                     .missing = ranges,
                                     .n_missing = 1,
                                     .family = family,
                                     .format = looks,
                                     .width = 40,
                                     .measure = 3},
                                    {.name = "N",
                                     .type = KAN_FIELD_NUMBER,
                                     .family = family,
                                     .format = looks,
                                     .width = 40}};
        const stat_table table = {
            .n_rows = 3, .n_columns = 2, .fields = fields, .cells = cells, .is_released = true};
        kan_source *source;
        kan_table *read;
        stat_must(run, stat_write(run, stat_formats[i].sink, &table, stat_path));
        stat_must(run,
                  stat_read(run, stat_formats[i].source, stat_path, NULL, true, &source, &read));
        const kan_field *x = kan_source_field(source, 0), *n = kan_source_field(source, 1);
        assert_int_equal(x->n_labels, 3);
        assert_int_equal(x->n_missing, is_stata ? 0 : 1);
        assert_true(is_stata || (x->missing[0].least == -9 && x->missing[0].most == -9));
        assert_int_not_equal(x->width, 40);
        assert_int_equal(x->measure, 0);
        assert_string_equal(n->family, is_stata ? "stata:byte" : "spss");
        assert_string_not_equal(n->format, looks);
        stat_assert_column(read, 1, (const char *const[]){"5", "-3", "7"});
        kan_table_destroy(read);
        kan_source_close(source);
    }
    kan_run_destroy(run);
}

/* More codes than can be named one by one: a range of them, from the first to the last. */
static void a_range_of_missing_codes_ends_where_its_values_do(void **state) {
    static const kan_missing_range ranges[] = {{-99, -7}};
    static const kan_field field = {.name = "X",
                                    .type = KAN_FIELD_NUMBER,
                                    .missing = ranges,
                                    .n_missing = 1,
                                    .family = "spss",
                                    .format = "F8.2"};
    static const char *const cells[] = {"-20", "-10", "-11", "3", "-12"};
    const stat_table table = {
        .n_rows = 5, .n_columns = 1, .fields = &field, .cells = cells, .is_released = true};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *read;
    (void)state;
    stat_must(run, stat_write(run, &kan_sink_sav, &table, stat_path));
    stat_must(run, stat_read(run, &kan_source_sav, stat_path, NULL, true, &source, &read));
    const kan_field *x = kan_source_field(source, 0);
    assert_int_equal(x->n_missing, 1);
    assert_true(x->missing[0].least == -20 && x->missing[0].most == -10);
    kan_table_destroy(read);
    kan_source_close(source);
    kan_run_destroy(run);
}

/* Columns that had one set of labels have different ones where they show different values. */
static void sets_of_labels_that_were_one_get_names_of_their_own(void **state) {
    static const kan_field fields[] = {{.name = "A",
                                        .type = KAN_FIELD_NUMBER,
                                        .labels = stat_sexes,
                                        .n_labels = 3,
                                        .family = "stata",
                                        .label_set = "B"},
                                       {.name = "B",
                                        .type = KAN_FIELD_NUMBER,
                                        .labels = stat_sexes,
                                        .n_labels = 3,
                                        .family = "stata",
                                        .label_set = "B"},
                                       {.name = "C",
                                        .type = KAN_FIELD_NUMBER,
                                        .labels = stat_sexes,
                                        .n_labels = 3,
                                        .family = "stata",
                                        .label_set = "B"}};
    static const char *const cells[] = {"1", "2", "9"};
    const stat_table table = {
        .n_rows = 1, .n_columns = 3, .fields = fields, .cells = cells, .is_released = true};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *read;
    (void)state;
    stat_must(run, stat_write(run, &kan_sink_dta, &table, stat_path));
    stat_must(run, stat_read(run, &kan_source_dta, stat_path, "labels", false, &source, &read));
    for (size_t c = 0; c < 3; c++) {
        assert_int_equal(kan_source_field(source, c)->n_labels, 1);
        assert_true(kan_slice_equal(kan_column_value(&read->columns[c], 0), stat_sexes[c].label));
    }
    kan_table_destroy(read);
    kan_source_close(source);
    kan_run_destroy(run);
}

/* With the whole code book, columns that had the same labels have one set. */
static void columns_that_share_labels_share_a_set_again(void **state) {
    static const kan_field fields[] = {{.name = "A",
                                        .type = KAN_FIELD_NUMBER,
                                        .labels = stat_sexes,
                                        .n_labels = 3,
                                        .family = "stata",
                                        .label_set = "sexes"},
                                       {.name = "B",
                                        .type = KAN_FIELD_NUMBER,
                                        .labels = stat_sexes,
                                        .n_labels = 3,
                                        .family = "stata",
                                        .label_set = "sexes"}};
    static const char *const cells[] = {"1", "2"};
    static const char *const shown[] = {"Male", "Female"};
    const stat_table table = {.n_rows = 1, .n_columns = 2, .fields = fields, .cells = cells};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *read;
    (void)state;
    stat_must(run, stat_write(run, &kan_sink_dta, &table, stat_path));
    stat_must(run, stat_read(run, &kan_source_dta, stat_path, NULL, false, &source, &read));
    for (size_t c = 0; c < 2; c++) {
        assert_string_equal(kan_source_field(source, c)->label_set, "sexes");
        assert_int_equal(kan_source_field(source, c)->n_labels, 3);
        stat_assert_column(read, c, &shown[c]);
    }
    kan_table_destroy(read);
    kan_source_close(source);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_has_the_code_book_of_its_values),
        cmocka_unit_test(a_range_of_missing_codes_ends_where_its_values_do),
        cmocka_unit_test(sets_of_labels_that_were_one_get_names_of_their_own),
        cmocka_unit_test(columns_that_share_labels_share_a_set_again),
    };
    return cmocka_run_group_tests(tests, stat_set_up, stat_tear_down);
}
