/* data/domain/domain.h: places of values and of bins, and hierarchies in another order. */
#include "data/domain/domain.h"

#include "hierarchy_column.h"

typedef struct {
    kan_run *run;
    kan_column column;
    kan_hierarchy *hierarchy;
    kan_domain *domain;
} scene;

static void scene_begin(scene *s, kan_type type, const char *const *values) {
    *s = (scene){.run = kan_run_create(), .column = column_of(type, values)};
    assert_non_null(s->run);
    assert_int_equal(kan_hierarchy_build(s->run, "suppress", &s->column, &s->hierarchy), KAN_OK);
}

static kan_status scene_make(scene *s, const char *bins) {
    kan_problems_begin(s->run);
    return kan_domain_make(s->run, &s->column, s->hierarchy, false, bins, &s->domain);
}

static void scene_end(scene *s) {
    kan_domain_destroy(s->domain);
    kan_hierarchy_destroy(s->hierarchy);
    column_destroy(&s->column);
    kan_run_destroy(s->run);
}

/* What must hold for every domain. */
static void expect_places(const kan_domain *domain) {
    const uint32_t n = domain->hierarchy->n_codes;
    assert_true(domain->n_places >= 1);
    assert_int_equal(domain->place_of[0], 0);
    assert_int_equal(domain->first_leaf[0], 0);
    assert_int_equal(domain->first_leaf[domain->n_places], n);
    for (uint32_t leaf = 1; leaf < n; leaf++)
        assert_true(domain->place_of[leaf] - domain->place_of[leaf - 1] <= 1u);
    for (uint32_t place = 0; place < domain->n_places; place++) {
        assert_true(domain->first_leaf[place] < domain->first_leaf[place + 1]);
        assert_int_equal(domain->place_of[domain->first_leaf[place]], place);
    }
}

static void expect_slice(kan_slice slice, const char *text) {
    if (!kan_slice_is(slice, text))
        fail_msg("<%.*s> instead of <%s>", (int)slice.size, slice.bytes, text);
}

/* "[least greatest]" of each place, with the number of its values. */
static void expect_domain(const char *bins, const char *const *values, const char *expected) {
    scene s;
    char text[2048] = "";
    scene_begin(&s, KAN_TYPE_NUMBER, values);
    if (scene_make(&s, bins) != KAN_OK)
        fail_msg("%s", kan_run_error(s.run));
    expect_places(s.domain);
    for (uint32_t p = 0; p < s.domain->n_places; p++) {
        const kan_slice *least = &s.domain->least[p], *most = &s.domain->greatest[p];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "[%.*s %.*s]%u", (int)least->size, least->bytes,
                 (int)most->size, most->bytes,
                 s.domain->first_leaf[p + 1] - s.domain->first_leaf[p]);
    }
    assert_string_equal(text, expected);
    scene_end(&s);
}

static void every_value_is_a_place_without_bins(void **state) {
    (void)state;
    scene s;
    scene_begin(&s, KAN_TYPE_NUMBER, VALUES("", "?", "-3", "07", "7", "1e2"));
    assert_int_equal(scene_make(&s, NULL), KAN_OK);
    expect_places(s.domain);
    assert_int_equal(s.domain->n_places, 6);
    assert_true(s.domain->is_by_value);
    assert_int_equal(s.domain->n_unknown, 2);
    assert_true(s.domain->least_number == -3 && s.domain->greatest_number == 100);
    expect_slice(s.domain->least[3], "07");
    scene_end(&s);
}

static void text_is_not_a_range_of_numbers(void **state) {
    (void)state;
    scene s;
    scene_begin(&s, KAN_TYPE_TEXT, VALUES("", "?", "a", "b"));
    assert_int_equal(scene_make(&s, NULL), KAN_OK);
    expect_places(s.domain);
    assert_false(s.domain->is_by_value);
    assert_int_equal(s.domain->n_unknown, 0);
    scene_end(&s);
}

static void bins_begin_at_zero_whatever_the_least_value_is(void **state) {
    (void)state;
    expect_domain("5", VALUES("17", "18", "21", "22", "90"), "[15 19]2[20 24]2[90 94]1");
    expect_domain("5", VALUES("13", "18", "21", "22", "90"), "[10 14]1[15 19]1[20 24]2[90 94]1");
}

static void bins_begin_where_the_user_says(void **state) {
    (void)state;
    expect_domain("5@17", VALUES("17", "18", "21", "22", "90"), "[17 21]3[22 26]1[87 91]1");
    expect_domain("5@18", VALUES("17", "18", "21", "22", "90"), "[13 17]1[18 22]3[88 92]1");
    expect_domain("10@100", VALUES("-11", "-10", "-1", "0"), "[-20 -11]1[-10 -1]2[0 9]1");
}

static void adult_ages_by_five_years_make_fifteen_bins(void **state) {
    (void)state;
    enum { FIRST = 17, LAST = 90 };
    char room[LAST + 1][4];
    const char *values[LAST - FIRST + 2] = {NULL};
    scene s;
    for (int age = FIRST; age <= LAST; age++) {
        snprintf(room[age], sizeof room[age], "%d", age);
        values[age - FIRST] = room[age];
    }
    scene_begin(&s, KAN_TYPE_NUMBER, values);
    assert_int_equal(scene_make(&s, "5@17"), KAN_OK);
    expect_places(s.domain);
    assert_int_equal(s.domain->n_places, 15);
    expect_slice(s.domain->greatest[14], "91");
    scene_end(&s);
}

static void unknown_values_are_one_place_before_the_bins(void **state) {
    (void)state;
    expect_domain("10@0", VALUES("", "?", "3", "12"), "[? ?]2[0 9]1[10 19]1");
    expect_domain("10@0", VALUES("?", "3"), "[? ?]1[0 9]1");
}

static void bounds_of_bins_are_exact_decimals(void **state) {
    (void)state;
    scene s;
    expect_domain("0.1@0", VALUES("0.1", "0.2", "0.29", "0.3", "0.7"),
                  "[0.1 0.2]1[0.2 0.3]2[0.3 0.4]1[0.7 0.8]1");
    expect_domain("2.5@0", VALUES("-0.5", "0", "2.4999", "2.5", "5e0"),
                  "[-2.5 0]1[0 2.5]2[2.5 5]1[5 7.5]1");
    /* whole bins of values that are not */
    expect_domain("5@0", VALUES("1.5", "4.99", "5"), "[0 5]2[5 10]1");
    scene_begin(&s, KAN_TYPE_NUMBER, VALUES("1.5", "5"));
    assert_int_equal(scene_make(&s, "5@0"), KAN_OK);
    assert_true(s.domain->is_open);
    scene_end(&s);
    scene_begin(&s, KAN_TYPE_NUMBER, VALUES("1.0", "5"));
    assert_int_equal(scene_make(&s, "5@0"), KAN_OK);
    assert_false(s.domain->is_open);
    scene_end(&s);
}

static void expect_refused(kan_type type, const char *const *values, const char *bins,
                           const char *text) {
    scene s;
    scene_begin(&s, type, values);
    assert_int_equal(scene_make(&s, bins), KAN_BAD_INPUT);
    assert_null(s.domain);
    assert_int_equal(kan_problems_count(s.run), 1);
    assert_error_has(s.run, text);
    assert_error_has(s.run, "'place'");
    scene_end(&s);
}

static void bins_that_cannot_be_are_refused(void **state) {
    (void)state;
    expect_refused(KAN_TYPE_TEXT, VALUES("1", "a"), "5", "not all of its values are numbers");
    expect_refused(KAN_TYPE_DATE, VALUES("2003-01-01"), "5", "date:month,year");
    expect_refused(KAN_TYPE_NUMBER, VALUES("1"), "1e-30", "too many digits");
    expect_refused(KAN_TYPE_NUMBER, VALUES("1"), "5@1e-30", "5@0");
    expect_refused(KAN_TYPE_NUMBER, VALUES("1", "1e300"), "5", "has too many digits for bins");
    expect_refused(KAN_TYPE_NUMBER, VALUES("1"), "0", "is not a width above 0");
    /* 9.99.. is the binary number 10, and stands behind it by its bytes */
    expect_refused(KAN_TYPE_NUMBER, VALUES("10", "9.99999999999999999999"), "1@0",
                   "told apart from the next bin");
}

/* ---- orders --------------------------------------------------------------------------------- */

static kan_hierarchy *bind_lines(kan_run *run, const kan_column *column,
                                 const char *const (*lines)[3]) {
    kan_hierarchy_lines *collected;
    kan_hierarchy *hierarchy;
    assert_int_equal(kan_hierarchy_lines_create(run, "lines", &collected), KAN_OK);
    for (uint64_t i = 0; lines[i][0]; i++) {
        kan_slice fields[3];
        for (int f = 0; f < 3; f++)
            fields[f] = kan_slice_of(lines[i][f]);
        assert_int_equal(kan_hierarchy_lines_add(collected, i + 1, fields, 3), KAN_OK);
    }
    assert_int_equal(kan_hierarchy_bind(collected, column, &hierarchy), KAN_OK);
    kan_hierarchy_lines_destroy(collected);
    return hierarchy;
}

static const char *const cities[][3] = {{"Bonn", "Germany", "*"},   {"Lyon", "France", "*"},
                                        {"Kiel", "Germany", "*"},   {"Nice", "France", "*"},
                                        {"Porto", "Portugal", "*"}, {NULL, NULL, NULL}};

static void a_hierarchy_takes_an_order_that_agrees_with_its_tree(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_column column = column_of(KAN_TYPE_TEXT, VALUES("Bonn", "Kiel", "Lyon", "Nice"));
    kan_hierarchy *h = bind_lines(run, &column, cities);
    const uint32_t order[] = {3, 2, 1, 0}; /* Nice, Lyon, Kiel, Bonn */
    bool agrees = false;
    assert_int_equal(h->leaf_of[0], 0);
    assert_int_equal(kan_hierarchy_reorder(h, order, &agrees), KAN_OK);
    assert_true(agrees);
    assert_is_hierarchy(h, &column);
    for (uint32_t leaf = 0; leaf < 4; leaf++)
        assert_int_equal(h->code_of[leaf], order[leaf]);
    assert_string_equal(label_at(h, 0, 1), "Germany");
    assert_string_equal(label_at(h, 1, 1), "Germany");
    assert_string_equal(label_at(h, 2, 1), "France");
    assert_string_equal(label_at(h, 3, 1), "France");
    assert_int_equal(h->levels[1].from_leaf[0], 0);
    assert_int_equal(h->n_leaves, 5); /* Porto is not forgotten */
    kan_hierarchy_destroy(h);
    column_destroy(&column);
    kan_run_destroy(run);
}

static void an_order_that_tears_a_node_apart_changes_nothing(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_column column = column_of(KAN_TYPE_TEXT, VALUES("Bonn", "Kiel", "Lyon", "Nice"));
    kan_hierarchy *h = bind_lines(run, &column, cities);
    const uint32_t order[] = {0, 2, 1, 3};
    bool agrees = true;
    assert_int_equal(kan_hierarchy_reorder(h, order, &agrees), KAN_OK);
    assert_false(agrees);
    assert_is_hierarchy(h, &column);
    assert_int_equal(h->leaf_of[0], 0);
    assert_int_equal(h->leaf_of[1], 1);
    kan_hierarchy_destroy(h);
    column_destroy(&column);
    kan_run_destroy(run);
}

static void numbers_in_another_order_have_no_ranges_and_no_bins(void **state) {
    (void)state;
    scene s;
    const uint32_t order[] = {1, 0, 2};
    bool agrees;
    scene_begin(&s, KAN_TYPE_NUMBER, VALUES("1", "2", "3"));
    assert_int_equal(kan_hierarchy_reorder(s.hierarchy, order, &agrees), KAN_OK);
    assert_true(agrees);
    assert_int_equal(scene_make(&s, "2"), KAN_BAD_INPUT);
    assert_error_has(s.run, "--order gives it another order");
    assert_int_equal(scene_make(&s, NULL), KAN_OK);
    assert_false(s.domain->is_by_value);
    expect_slice(s.domain->least[0], "2");
    scene_end(&s);
}

static void a_domain_that_finds_no_room_is_an_error_and_leaves_nothing(void **state) {
    (void)state;
    scene s;
    scene_begin(&s, KAN_TYPE_NUMBER, VALUES("?", "17", "18", "44", "90"));
    for (int has_bins = 0; has_bins < 2; has_bins++) {
        kan_status status = KAN_FAILED;
        size_t n_refused = 0;
        kan_run_set_memory(s.run, UINT64_C(1) << 40);
        const uint64_t used = (UINT64_C(1) << 40) - kan_run_memory_left(s.run);
        for (uint64_t more = 0; status != KAN_OK; more += 8) {
            kan_run_set_memory(s.run, used + more);
            status = scene_make(&s, has_bins ? "5" : NULL);
            n_refused += status != KAN_OK;
            kan_domain_destroy(s.domain);
            s.domain = NULL;
            assert_int_equal(kan_run_memory_left(s.run), more);
        }
        assert_true(n_refused > 5);
        kan_run_set_memory(s.run, 0);
    }
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_a_place_without_bins),
        cmocka_unit_test(text_is_not_a_range_of_numbers),
        cmocka_unit_test(bins_begin_at_zero_whatever_the_least_value_is),
        cmocka_unit_test(bins_begin_where_the_user_says),
        cmocka_unit_test(adult_ages_by_five_years_make_fifteen_bins),
        cmocka_unit_test(unknown_values_are_one_place_before_the_bins),
        cmocka_unit_test(bounds_of_bins_are_exact_decimals),
        cmocka_unit_test(bins_that_cannot_be_are_refused),
        cmocka_unit_test(a_hierarchy_takes_an_order_that_agrees_with_its_tree),
        cmocka_unit_test(an_order_that_tears_a_node_apart_changes_nothing),
        cmocka_unit_test(numbers_in_another_order_have_no_ranges_and_no_bins),
        cmocka_unit_test(a_domain_that_finds_no_room_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
