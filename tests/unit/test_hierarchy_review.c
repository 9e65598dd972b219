/* What a careful eye sees in a hierarchy, which builder is proposed for a column, and what the
 * builders that look at rows refuse. */
#include "data/hierarchies/hierarchy_tree.h"
#include "hierarchy_column.h"

typedef struct {
    kan_run *run;
    kan_column column;
    kan_hierarchy_lines *lines;
    kan_hierarchy_tree *tree;
    uint8_t codes[64];
    uint32_t code_of_node[64];
    kan_tree_finding findings[KAN_TREE_FINDINGS_MOST];
    size_t n_findings;
} fixture;

/* Lines of columns; the row of a value is its digit in `rows`. */
static void review(fixture *f, const char *text, const char *const *values, const char *rows) {
    *f = (fixture){.run = kan_run_create(), .column = column_of(KAN_TYPE_TEXT, values)};
    assert_non_null(f->run);
    f->column.width = 1;
    f->column.codes = f->codes;
    f->column.n_rows = strlen(rows);
    assert_true(f->column.n_rows < sizeof f->codes);
    for (size_t row = 0; rows[row]; row++)
        f->codes[row] = (uint8_t)(rows[row] - '0');
    kan_problems_begin(f->run);
    assert_int_equal(kan_hierarchy_lines_create(f->run, "tree", &f->lines), KAN_OK);
    for (uint64_t number = 1; *text; number++) {
        kan_slice fields[8];
        size_t n = 0;
        for (;; text++) {
            const size_t size = strcspn(text, ";\n");
            fields[n++] = (kan_slice){text, size};
            text += size;
            if (*text != ';')
                break;
        }
        text += *text == '\n';
        assert_int_equal(kan_hierarchy_lines_add(f->lines, number, fields, n), KAN_OK);
    }
    assert_int_equal(kan_hierarchy_lines_check(f->lines, &f->column, f->code_of_node), KAN_OK);
    assert_int_equal(kan_hierarchy_tree_make(f->lines, &f->column, &f->tree), KAN_OK);
    kan_hierarchy_tree_check_labels(f->tree, f->lines);
    f->n_findings = kan_hierarchy_tree_review(f->tree, f->lines, f->code_of_node, f->findings);
}

static void finish(fixture *f) {
    kan_hierarchy_tree_destroy(f->tree);
    kan_hierarchy_lines_destroy(f->lines);
    column_destroy(&f->column);
    kan_run_destroy(f->run);
}

static void rows_and_values_are_summed_up_the_tree(void **state) {
    fixture f;
    (void)state;
    review(&f, "a;x;*\nb;x;*\nc;y;*\n", VALUES("a", "b"), "11101");
    assert_int_equal(f.tree->levels[0].rows[1], 4);
    assert_int_equal(f.tree->levels[1].rows[0], 5);
    assert_int_equal(f.tree->levels[1].leaves[0], 2);
    assert_int_equal(f.tree->levels[1].rows[1], 0);
    assert_int_equal(f.tree->levels[2].rows[0], 5);
    assert_int_equal(f.tree->levels[2].leaves[0], 3);
    assert_int_equal(f.tree->n_absent, 1);
    finish(&f);
}

static void absent_values_are_counted(void **state) {
    fixture f;
    (void)state;
    review(&f, "a;*\nq;*\nb;*\nr;*\n", VALUES("a", "b"), "1100");
    assert_int_equal(f.n_findings, 1);
    assert_int_equal(f.findings[0].remark, KAN_TREE_ABSENT);
    assert_int_equal(f.findings[0].count, 2);
    assert_int_equal(f.findings[0].node, 1);
    finish(&f);
}

static void a_level_that_merges_nothing_is_remarked(void **state) {
    fixture f;
    (void)state;
    review(&f, "a;x;*\nb;y;*\n", VALUES("a", "b"), "1100");
    assert_int_equal(f.n_findings, 1);
    assert_int_equal(f.findings[0].remark, KAN_TREE_IDLE);
    assert_int_equal(f.findings[0].level, 1);
    finish(&f);
}

static void a_label_of_nearly_all_rows_is_remarked_where_it_begins(void **state) {
    fixture f;
    (void)state;
    review(&f, "a;x;u;*\nb;x;u;*\nc;y;u;*\nd;z;v;*\n", VALUES("a", "b", "c", "d"),
           "000000000011111111111100000111111111123");
    assert_int_equal(f.n_findings, 1);
    assert_int_equal(f.findings[0].remark, KAN_TREE_LOPSIDED);
    assert_int_equal(f.findings[0].level, 2);
    assert_int_equal(f.findings[0].count, 38);
    finish(&f);
    /* a value has them all: no hierarchy could help */
    review(&f, "a;x;*\nb;x;*\nc;y;*\n", VALUES("a", "b", "c"),
           "0000000000000000000000000000000000000000");
    finish(&f);
}

static void a_label_with_two_meanings_is_a_problem(void **state) {
    fixture f;
    (void)state;
    review(&f, "a;x;*\nb;x;*\nx;y;*\nc;y;*\n", VALUES("a", "b", "c", "x"), "11");
    assert_int_equal(kan_problems_end(f.run), KAN_BAD_INPUT);
    assert_error_has(f.run, "tree:3: 'x' (level 0) is also a label of level 1, line 1, where it "
                            "covers other values");
    finish(&f);
}

static void a_label_that_covers_more_higher_up_is_remarked(void **state) {
    fixture f;
    (void)state;
    review(&f, "x;x;*\nb;x;*\ny;y;*\nc;c;*\n", VALUES("b", "c", "x", "y"), "1231");
    assert_int_equal(kan_problems_end(f.run), KAN_OK);
    assert_int_equal(f.n_findings, 1);
    assert_int_equal(f.findings[0].remark, KAN_TREE_NESTED);
    assert_int_equal(f.findings[0].count, 1);
    assert_int_equal(f.findings[0].upper, 1);
    finish(&f);
}

/* ---- proposals ------------------------------------------------------------------------------ */

static void expect_proposal(const char *name, kan_type type, const char *const *values,
                            uint64_t n_rows, const char *spec) {
    kan_column column = column_of(type, values);
    char room[KAN_SPEC_BYTES];
    column.name = name;
    column.n_rows = n_rows;
    assert_string_equal(kan_hierarchy_propose(&column, room), spec);
    column_destroy(&column);
}

static void proposals_suit_the_values(void **state) {
    (void)state;
    expect_proposal("age", KAN_TYPE_NUMBER, VALUES("17", "40", "90"), 100, "intervals:5,10,20");
    expect_proposal("pay", KAN_TYPE_NUMBER, VALUES("?", "1200", "5400", "39000"), 100,
                    "intervals:2000,10000,20000");
    expect_proposal("share", KAN_TYPE_NUMBER, VALUES("0.01", "0.5", "0.93"), 100,
                    "intervals:0.05,0.1,0.2");
    expect_proposal("children", KAN_TYPE_NUMBER, VALUES("0", "1", "2", "7"), 100, "intervals:2");
    expect_proposal(
        "zip", KAN_TYPE_NUMBER,
        VALUES("53111", "53113", "53115", "53117", "53119", "53121", "53123", "53125", "53127"),
        100, "digits:4");
    /* few codes are codes all the same: an interval of them says nothing */
    expect_proposal("ward", KAN_TYPE_NUMBER, VALUES("04100", "04110", "04120"), 100, "digits:4");
    expect_proposal("plz", KAN_TYPE_NUMBER, VALUES("53111", "53113", "53115"), 100, "digits:4");
    expect_proposal("code", KAN_TYPE_TEXT,
                    VALUES("A01", "A02", "A03", "B01", "B02", "B03", "C01", "C02", "C03"), 100,
                    "digits:2");
    expect_proposal("born", KAN_TYPE_DATE, VALUES("1950-01-02", "1980-05-06", "2001-02-03"), 9,
                    "date:month,year,decade");
    expect_proposal("seen", KAN_TYPE_DATE, VALUES("2020-01-02", "2020-03-04", "2020-05-06"), 9,
                    "date:month,quarter");
    expect_proposal("sex", KAN_TYPE_TEXT, VALUES("Female", "Male"), 100, "suppress");
    expect_proposal("job", KAN_TYPE_TEXT,
                    VALUES("baker", "cook", "driver", "farmer", "joiner", "nurse", "smith",
                           "teacher", "turner"),
                    10000, "frequency:20,200");
}

/* Every proposal builds. */
static void what_is_proposed_can_be_built(void **state) {
    static const char *const sets[][4] = {
        {"-5", "-1", "3", "8"}, {"0.001", "2.5", "1000000", "1e9"}, {"1", "1.0", "1.5", "2"}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        kan_run *run = kan_run_create();
        kan_column column =
            column_of(KAN_TYPE_NUMBER, VALUES(sets[i][0], sets[i][1], sets[i][2], sets[i][3]));
        char room[KAN_SPEC_BYTES];
        kan_hierarchy *h = NULL;
        assert_non_null(run);
        kan_problems_begin(run);
        if (kan_hierarchy_build(run, kan_hierarchy_propose(&column, room), &column, &h) != KAN_OK)
            fail_msg("%s", kan_run_error(run));
        kan_hierarchy_destroy(h);
        column_destroy(&column);
        kan_run_destroy(run);
    }
}

/* ---- specs ---------------------------------------------------------------------------------- */

static void expect_problem(const char *spec, const char *text) {
    kan_run *run = kan_run_create();
    kan_column column = column_of(KAN_TYPE_TEXT, VALUES("1", "2", "b"));
    kan_hierarchy *h = NULL;
    assert_non_null(run);
    kan_problems_begin(run);
    assert_int_equal(kan_hierarchy_build(run, spec, &column, &h), KAN_BAD_INPUT);
    assert_error_has(run, text);
    column_destroy(&column);
    kan_run_destroy(run);
}

static void specs_that_say_nothing_sensible_are_refused(void **state) {
    (void)state;
    expect_problem("quantiles:", "'' is not a number of intervals");
    expect_problem("quantiles:5,20", "'20' is not a number of intervals; write falling");
    expect_problem("quantiles:1", "'1' is not a number of intervals");
    expect_problem("quantiles:4", "1 of the 3 values of column place is not a number or a date");
    expect_problem("frequency:", "'' is not a number of rows");
    expect_problem("frequency:10,5", "'5' is not a number of rows; write rising");
    expect_problem("frequency:1", "'1' is not a number of rows");
}

static void the_name_of_the_rare_is_none_of_the_values(void **state) {
    kan_run *run = kan_run_create();
    kan_column column = column_of(KAN_TYPE_TEXT, VALUES("a", "b", "c", "other"));
    kan_hierarchy *h = NULL;
    (void)state;
    assert_non_null(run);
    column.width = 1;
    column.codes = (void *)(uintptr_t) "\3\3\3\2\2\1\0\3";
    column.n_rows = 8;
    kan_problems_begin(run);
    assert_int_equal(kan_hierarchy_build(run, "frequency:2", &column, &h), KAN_OK);
    assert_string_equal(label_at(h, 0, 1), "(other)");
    assert_string_equal(label_at(h, 1, 1), "(other)");
    assert_string_equal(label_at(h, 2, 1), "c");
    assert_string_equal(label_at(h, 3, 1), "other");
    kan_hierarchy_destroy(h);
    column_destroy(&column);
    kan_run_destroy(run);
}

static void dates_have_quantiles_too(void **state) {
    kan_run *run = kan_run_create();
    kan_column column = column_of(
        KAN_TYPE_DATE, VALUES("?", "2020-01-02", "2020-03-04", "2020-05-06", "2021-07-08"));
    kan_hierarchy *h = NULL;
    (void)state;
    assert_non_null(run);
    kan_problems_begin(run);
    assert_int_equal(kan_hierarchy_build(run, "quantiles:4,2", &column, &h), KAN_OK);
    assert_int_equal(h->height, 3);
    assert_string_equal(label_at(h, 0, 2), "?");
    assert_string_equal(label_at(h, 1, 1), "<2020-03-04");
    assert_string_equal(label_at(h, 2, 1), "[2020-03-04, 2020-05-06)");
    assert_string_equal(label_at(h, 4, 2), ">=2020-05-06");
    kan_hierarchy_destroy(h);
    column_destroy(&column);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_values_are_summed_up_the_tree),
        cmocka_unit_test(absent_values_are_counted),
        cmocka_unit_test(a_level_that_merges_nothing_is_remarked),
        cmocka_unit_test(a_label_of_nearly_all_rows_is_remarked_where_it_begins),
        cmocka_unit_test(a_label_with_two_meanings_is_a_problem),
        cmocka_unit_test(a_label_that_covers_more_higher_up_is_remarked),
        cmocka_unit_test(proposals_suit_the_values),
        cmocka_unit_test(what_is_proposed_can_be_built),
        cmocka_unit_test(specs_that_say_nothing_sensible_are_refused),
        cmocka_unit_test(the_name_of_the_rare_is_none_of_the_values),
        cmocka_unit_test(dates_have_quantiles_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
