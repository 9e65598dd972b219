/* Taxonomies: what a tree of text means, what is refused with its line, and how it is told from
 * columns. */
#include "hierarchy_column.h"
#include "io/side_files/hierarchy_file.h"
#include "io/side_files/taxonomy_file.h"

/* The columns of a tree, or NULL and the problems in the run. */
static char *columns_of(kan_run *run, const char *bytes, size_t size) {
    kan_hierarchy_lines *lines;
    kan_hierarchy_tree *tree;
    kan_text text;
    char *copy = NULL;
    kan_problems_begin(run);
    assert_int_equal(kan_hierarchy_lines_create(run, "tree.txt", &lines), KAN_OK);
    if (kan_taxonomy_parse(run, "tree.txt", bytes, size, lines) == KAN_OK &&
        kan_hierarchy_lines_check(lines, NULL, NULL) == KAN_OK) {
        kan_text_init(&text, run);
        assert_int_equal(kan_hierarchy_tree_make(lines, NULL, &tree), KAN_OK);
        assert_int_equal(kan_hierarchy_compose(tree, &text), KAN_OK);
        copy = strdup(text.bytes);
        kan_text_destroy(&text);
        kan_hierarchy_tree_destroy(tree);
    } else {
        assert_true(kan_problems_count(run) > 0);
    }
    (void)!kan_problems_end(run);
    kan_hierarchy_lines_destroy(lines);
    return copy;
}

static void expect_columns(const char *tree, const char *columns) {
    kan_run *run = kan_run_create();
    assert_non_null(run);
    char *found = columns_of(run, tree, strlen(tree));
    if (!found)
        fail_msg("%s", kan_run_error(run));
    assert_string_equal(found, columns);
    free(found);
    kan_run_destroy(run);
}

static void expect_problem(const char *tree, const char *text) {
    kan_run *run = kan_run_create();
    assert_non_null(run);
    char *found = columns_of(run, tree, strlen(tree));
    assert_null(found);
    assert_error_has(run, text);
    kan_run_destroy(run);
}

static void a_leaf_is_a_value_and_its_ancestors_are_its_labels(void **state) {
    (void)state;
    expect_columns("*\n  Europe\n    Germany\n    France\n  Asia\n    Japan\n",
                   "Germany;Europe;*\nFrance;Europe;*\nJapan;Asia;*\n");
}

static void a_shallow_leaf_stays_itself_as_long_as_possible(void **state) {
    (void)state;
    expect_columns("*\n  Europe\n    North\n      Norway\n    Monaco\n  Antarctica\n",
                   "Norway;North;Europe;*\nMonaco;Monaco;Europe;*\n"
                   "Antarctica;Antarctica;Antarctica;*\n");
}

static void comments_and_blank_lines_say_nothing(void **state) {
    (void)state;
    expect_columns("# of places\n\n*\n\n  # the south\n  a\n   \n  b # not a comment\n#end",
                   "a;*\nb # not a comment;*\n");
}

static void any_indentation_will_do_if_siblings_share_it(void **state) {
    (void)state;
    expect_columns("*\n\ta\n\t\tx\n\tb\n", "x;a;*\nb;b;*\n");
    expect_columns("   *\n      a\n       x\n      b\n", "x;a;*\nb;b;*\n");
    expect_columns("*\r\n a \r\n  x\t\r\n b\r\n", "x;a;*\nb;b;*\n");
    expect_columns("\xef\xbb\xbf*\n a\n", "a;*\n");
}

static void quotes_hold_what_cannot_be_written_plainly(void **state) {
    (void)state;
    expect_columns("*\n  \"\"\n  \" a\"\n  \"#1\"\n  \"say \\\"so\\\"\"\n  \"\\x41\\\\\"\n",
                   ";*\n a;*\n#1;*\n\"say \"\"so\"\"\";*\nA\\;*\n");
    expect_columns("*\n  \"a\\nb\"\n  c\"d\\\n", "\"a\nb\";*\n\"c\"\"d\\\";*\n");
}

static void a_child_may_bear_the_label_of_its_parent(void **state) {
    (void)state;
    expect_columns("*\n  Berlin\n    Berlin\n  Hesse\n    Kassel\n    Fulda\n",
                   "Berlin;Berlin;*\nKassel;Hesse;*\nFulda;Hesse;*\n");
}

static void a_value_that_stands_twice_below_one_node_is_one(void **state) {
    (void)state;
    expect_columns("*\n  a\n  a\n", "a;*\n");
    expect_columns("*\n  x\n    a\n    b\n    a\n  y\n    c\n", "a;x;*\nb;x;*\nc;y;*\n");
}

static void every_mistake_is_told_with_its_line(void **state) {
    (void)state;
    expect_problem("*\n    a\n  b\n", "tree.txt:3: no line above has this indentation");
    expect_problem("*\n  a\n\tb\n", "tree.txt:3: no line above has this indentation");
    expect_problem("a\nb\n", "tree.txt:2: a second top, the first is on line 1");
    expect_problem("*\n  x\n    a\n  y\n    a\n",
                   "tree.txt:5: the value 'a' has other labels here than on line 3");
    expect_problem("*\n  \"a\n", "tree.txt:2: the quote that begins the node does not end");
    expect_problem("*\n  \"a\" b\n", "tree.txt:2: something follows the closing quote");
    expect_problem("*\n  \"\\q\"\n", "tree.txt:2: a backslash in quotes begins");
    expect_problem("*\n  \"\\x00\"\n", "tree.txt:2: a NUL byte");
    expect_problem("*\n", "tree.txt:1: the top has nothing below it");
    expect_problem("# nothing\n", "tree.txt: it has no lines");
}

static void two_nodes_never_become_one(void **state) {
    (void)state;
    expect_problem(
        "*\n  x\n    a\n  x\n    b\n",
        "tree.txt:4: the label 'x' is already on line 2, and both would be shown at level 1");
    /* the shallow value would be shown like the node beside it */
    expect_problem("*\n  Berlin\n  Berlin\n    Mitte\n",
                   "tree.txt:3: the label 'Berlin' is already on line 2");
}

static void a_tree_deeper_than_a_hierarchy_can_be_is_refused(void **state) {
    (void)state;
    char text[8192];
    size_t size = 0;
    for (int depth = 0; depth <= KAN_HEIGHT_MOST + 1; depth++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%*sn%d\n", depth, "", depth);
    expect_problem(text, "tree.txt:66: the tree is deeper than 64 levels");
}

static void a_tree_is_told_from_columns(void **state) {
    static const struct {
        const char *path, *text;
        bool is_tree;
    } cases[] = {
        {"a.csv", "x;*\ny;*\n", false},
        {"a.csv", "*\n  x\n", false},
        {"a.csv", "x;*\n y;*\n", false},
        {"a.txt", "x;*\ny;*\n", false},
        {"a.txt", "*\nx\n", true},
        {"a.txt", "all, of it\n  x\n", true},
        {"a.txt", "x\t*\ny\t*\n", false},
        {"a", "# c\n*\n\tx\n", true},
        {"a", "\"a\n  b\";*\n", false},
        {"a.csv", "x\ny\n", false},
        {"a.csv", "", false},
        {"a.csv", "x\ny\n  z\n", false},
        {"a.txt", "x\ny\n  z\n", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (kan_taxonomy_is(cases[i].path, cases[i].text, strlen(cases[i].text)) !=
            cases[i].is_tree)
            fail_msg("case %zu", i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leaf_is_a_value_and_its_ancestors_are_its_labels),
        cmocka_unit_test(a_shallow_leaf_stays_itself_as_long_as_possible),
        cmocka_unit_test(comments_and_blank_lines_say_nothing),
        cmocka_unit_test(any_indentation_will_do_if_siblings_share_it),
        cmocka_unit_test(quotes_hold_what_cannot_be_written_plainly),
        cmocka_unit_test(a_child_may_bear_the_label_of_its_parent),
        cmocka_unit_test(a_value_that_stands_twice_below_one_node_is_one),
        cmocka_unit_test(every_mistake_is_told_with_its_line),
        cmocka_unit_test(two_nodes_never_become_one),
        cmocka_unit_test(a_tree_deeper_than_a_hierarchy_can_be_is_refused),
        cmocka_unit_test(a_tree_is_told_from_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
