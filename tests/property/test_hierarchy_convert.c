/* Random trees as text and in columns: both are read as what was meant, and converting there and
 * back changes nothing. What is meant is written down here a second time: the path of every leaf,
 * its own label repeated until the level of its parent. */
#include <unistd.h>

#include "core/hash.h"
#include "io/side_files/hierarchy_file.h"
#include "io/side_files/taxonomy_file.h"
#include "support/random_problem.h"
#include "unit/hierarchy_column.h"

enum { NODES_MOST = 40, DEPTH_MOST = 7, LABEL_BYTES = 48 };

typedef struct {
    struct {
        int parent, depth, n_children;
        char label[LABEL_BYTES];
    } nodes[NODES_MOST]; /* in preorder */
    int n, height;
    int leaves[NODES_MOST]; /* by value order of their labels */
    uint32_t n_leaves;
} random_tree;

/* ---- making --------------------------------------------------------------------------------- */

static const char *const odd[] = {
    "",   "",  "",     " ", "#",      "\"",           "\t",       "\n", "a;b", "\xff", "\xc3\xbc",
    "\\", ",", "\x01", "*", "a\n  b", "\xef\xbb\xbf", "\x1f\x8b", "?",  "\r",  "x\\n"};

static void make_label(uint64_t *random, int number, char *label) {
    const size_t n_odd = sizeof odd / sizeof *odd;
    snprintf(label, LABEL_BYTES, "%s%d%s", odd[kan_random_below(random, n_odd)], number,
             odd[kan_random_below(random, n_odd)]);
}

static int compare_slices(const void *a, const void *b) {
    return kan_slice_compare(*(const kan_slice *)a, *(const kan_slice *)b);
}

static void make_tree(uint64_t *random, random_tree *tree) {
    const int n = 2 + (int)kan_random_below(random, NODES_MOST - 2);
    *tree = (random_tree){.n = n};
    tree->nodes[0].parent = -1;
    make_label(random, 0, tree->nodes[0].label);
    for (int i = 1; i < n; i++) {
        /* below the one before, or below one of its ancestors: preorder */
        int parent = i - 1;
        while (tree->nodes[parent].parent >= 0 &&
               (tree->nodes[parent].depth >= DEPTH_MOST - 1 || kan_random_below(random, 2)))
            parent = tree->nodes[parent].parent;
        tree->nodes[i].parent = parent;
        tree->nodes[i].depth = tree->nodes[parent].depth + 1;
        /* the first child may be called like its parent */
        if (parent > 0 && parent == i - 1 && kan_random_below(random, 4) == 0)
            strcpy(tree->nodes[i].label, tree->nodes[parent].label);
        else
            make_label(random, i, tree->nodes[i].label);
        tree->nodes[parent].n_children++;
        if (tree->nodes[i].depth > tree->height)
            tree->height = tree->nodes[i].depth;
    }
}

static kan_column sort_leaves(random_tree *tree) {
    kan_slice values[NODES_MOST];
    for (int i = 0; i < tree->n; i++)
        if (tree->nodes[i].n_children == 0)
            values[tree->n_leaves++] = kan_slice_of(tree->nodes[i].label);
    qsort(values, tree->n_leaves, sizeof *values, compare_slices);
    for (uint32_t v = 0; v < tree->n_leaves; v++)
        for (int i = 0; i < tree->n; i++)
            if (tree->nodes[i].label == values[v].bytes)
                tree->leaves[v] = i;
    return column_of_slices(KAN_TYPE_TEXT, values, tree->n_leaves);
}

/* The tree as text, in a hand that differs from tree to tree. */
static void write_text(uint64_t *random, const random_tree *tree, kan_text *text) {
    static const char *const steps[] = {" ", "  ", "\t", "    "};
    const char *step = steps[kan_random_below(random, 4)];
    for (int i = 0; i < tree->n; i++) {
        const char *label = tree->nodes[i].label;
        const size_t size = strlen(label);
        bool is_plain = kan_random_below(random, 3) > 0 && !strchr(" \t#\"", label[0]) &&
                        !strchr(" \t", label[size - 1]) && (i > 0 || (label[0] & 0xe0) > 0x20);
        for (size_t c = 0; c < size; c++)
            is_plain &= (unsigned char)label[c] >= ' ';
        if (i == 0 && (unsigned char)label[0] >= 0x80)
            is_plain = false;
        if (kan_random_below(random, 8) == 0)
            kan_text_print(text, "\n   # a word\n");
        for (int d = 0; d < tree->nodes[i].depth; d++)
            kan_text_print(text, "%s", step);
        if (!is_plain)
            kan_text_print(text, "\"");
        for (size_t c = 0; c < size; c++) {
            if (!is_plain && ((unsigned char)label[c] < ' ' || strchr("\"\\", label[c])))
                kan_text_print(text, "\\x%02X", (unsigned char)label[c]);
            else
                kan_text_add(text, label + c, 1);
        }
        kan_text_print(text, "%s%s", is_plain ? "" : "\"",
                       kan_random_below(random, 4) ? "\n" : " \r\n");
    }
}

/* ---- judging -------------------------------------------------------------------------------- */

static void write_file(const char *path, const kan_text *text) {
    assert_int_equal(kan_text_status(text), KAN_OK);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text->bytes, 1, text->size, file), text->size);
    assert_int_equal(fclose(file), 0);
}

/* Reads the file, and holds every label of every value against the tree. */
static void expect_tree(kan_run *run, const char *path, const kan_column *column,
                        const random_tree *tree) {
    kan_hierarchy *h = NULL;
    kan_problems_begin(run);
    if (kan_hierarchy_read(run, path, column, &h) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    assert_int_equal(kan_problems_end(run), KAN_OK);
    assert_is_hierarchy(h, column);
    assert_int_equal(h->height, tree->height);
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        int node = tree->leaves[code];
        for (int level = 0; level <= tree->height; level++) {
            while (tree->nodes[node].depth > tree->height - level)
                node = tree->nodes[node].parent;
            assert_string_equal(label_at(h, code, (unsigned)level), tree->nodes[node].label);
        }
    }
    kan_hierarchy_destroy(h);
}

/* Composes the file again, in columns or as text. */
static void convert(kan_run *run, const char *from, bool to_text, kan_text *out) {
    kan_hierarchy_lines *lines;
    kan_hierarchy_tree *tree;
    kan_problems_begin(run);
    assert_int_equal(kan_hierarchy_read_lines(run, from, NULL, &lines), KAN_OK);
    assert_int_equal(kan_hierarchy_lines_check(lines, NULL, NULL), KAN_OK);
    assert_int_equal(kan_problems_end(run), KAN_OK);
    assert_int_equal(kan_hierarchy_tree_make(lines, NULL, &tree), KAN_OK);
    kan_text_init(out, run);
    assert_int_equal(to_text ? kan_taxonomy_compose(tree, out) : kan_hierarchy_compose(tree, out),
                     KAN_OK);
    kan_hierarchy_tree_destroy(tree);
    kan_hierarchy_lines_destroy(lines);
}

static char folder[] = "/tmp/kanon-convert-XXXXXX";

static void round_trip(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    random_tree tree;
    kan_text text, columns, again, columns_again;
    char as_text[64], as_columns[64];
    snprintf(as_text, sizeof as_text, "%s/tree.txt", folder);
    snprintf(as_columns, sizeof as_columns, "%s/tree.csv", folder);
    make_tree(&random, &tree);
    kan_column column = sort_leaves(&tree);
    kan_text_init(&text, run);
    write_text(&random, &tree, &text);
    write_file(as_text, &text);
    expect_tree(run, as_text, &column, &tree);
    convert(run, as_text, false, &columns);
    write_file(as_columns, &columns);
    expect_tree(run, as_columns, &column, &tree);
    convert(run, as_columns, true, &again);
    write_file(as_text, &again);
    expect_tree(run, as_text, &column, &tree);
    convert(run, as_text, false, &columns_again);
    assert_string_equal(columns.bytes, columns_again.bytes);
    kan_text_destroy(&text);
    kan_text_destroy(&columns);
    kan_text_destroy(&again);
    kan_text_destroy(&columns_again);
    column_destroy(&column);
}

static void trees_and_columns_say_the_same_there_and_back(void **state) {
    (void)state;
    random_rounds(60, round_trip);
}

static int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "%s/tree.txt", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/tree.csv", folder);
    unlink(path);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(trees_and_columns_say_the_same_there_and_back, random_tear_down),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
