/* Hierarchy files: separators, quotes, problems with their lines, and the way out and back in. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "hierarchy_column.h"
#include "io/side_files/hierarchy_file.h"

typedef struct {
    char folder[64], path[96];
    kan_run *run;
    kan_column column;
    kan_hierarchy *hierarchy;
} fixture;

static void write_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void begin(fixture *f, kan_column column) {
    *f = (fixture){.column = column};
    snprintf(f->folder, sizeof f->folder, "/tmp/kanon-hierarchy-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/place.csv", f->folder);
    f->run = kan_run_create();
    assert_non_null(f->run);
}

static void finish(fixture *f) {
    kan_hierarchy_destroy(f->hierarchy);
    column_destroy(&f->column);
    kan_run_destroy(f->run);
    unlink(f->path);
    /* nothing else was left in the folder */
    assert_int_equal(rmdir(f->folder), 0);
}

/* Reads what was written to the path. */
static kan_status read_path(fixture *f) {
    kan_problems_begin(f->run);
    kan_status status = kan_hierarchy_read(f->run, f->path, &f->column, &f->hierarchy);
    assert_int_equal(kan_problems_end(f->run), status);
    if (status == KAN_OK)
        assert_is_hierarchy(f->hierarchy, &f->column);
    else
        assert_null(f->hierarchy);
    return status;
}

static kan_status read_text(fixture *f, const char *text, const char *const *values) {
    begin(f, column_of(KAN_TYPE_TEXT, values));
    write_bytes(f->path, text, strlen(text));
    return read_path(f);
}

static void expect_labels(const char *text, const char *const *values, uint32_t code,
                          const char *const *labels) {
    fixture f;
    if (read_text(&f, text, values) != KAN_OK)
        fail_msg("%s", kan_run_error(f.run));
    unsigned level = 0;
    for (; labels[level]; level++) {
        assert_true(level < f.hierarchy->height);
        assert_string_equal(label_at(f.hierarchy, code, level + 1), labels[level]);
    }
    assert_int_equal(level, f.hierarchy->height);
    finish(&f);
}

static void expect_problem(const char *text, const char *const *values, const char *problem) {
    fixture f;
    assert_int_equal(read_text(&f, text, values), KAN_BAD_INPUT);
    assert_error_has(f.run, problem);
    assert_error_has(f.run, f.path);
    finish(&f);
}

static void a_semicolon_wins_over_commas_within_labels(void **state) {
    (void)state;
    expect_labels("0;[0, 5[;*\n4;[0, 5[;*\n5;[5, 10[;*\n", VALUES("0", "4", "5"), 2,
                  VALUES("[5, 10[", "*"));
    /* one comma on every line would split evenly as well */
    expect_labels("a;x, y\nb;x, y\n", VALUES("a", "b"), 0, VALUES("x, y"));
}

static void tabs_and_commas_are_found(void **state) {
    (void)state;
    expect_labels("a\tx, y\t*\nb\tx, y\t*\n", VALUES("a", "b"), 0, VALUES("x, y", "*"));
    expect_labels("a,A,*\nb,A,*\n", VALUES("a", "b"), 1, VALUES("A", "*"));
    /* a semicolon on one line only is part of a label */
    expect_labels("a,A;B,*\nb,A;B,*\nc,C,*", VALUES("a", "b", "c"), 0, VALUES("A;B", "*"));
}

static void separators_within_quotes_do_not_count(void **state) {
    (void)state;
    expect_labels("\"a;1\",A,*\n\"b;2\",A,*\n", VALUES("a;1", "b;2"), 0, VALUES("A", "*"));
    expect_labels("\"say \"\"a;b;\"\"\",A,*\nb,A,*\nc,B,*\n", VALUES("b", "c", "say \"a;b;\""), 2,
                  VALUES("A", "*"));
    expect_labels("\"two\nlines\";A;*\nb;A;*\n", VALUES("b", "two\nlines"), 1, VALUES("A", "*"));
}

static void marks_line_ends_and_blank_lines_are_no_values(void **state) {
    (void)state;
    expect_labels("\xef\xbb\xbf"
                  "a;A;*\r\nb;B;*\r\n\r\n",
                  VALUES("a", "b"), 0, VALUES("A", "*"));
    expect_labels("a;A;*\nb;B;*", VALUES("a", "b"), 1, VALUES("B", "*"));
    expect_labels(";unknown;*\nb;B;*\n", VALUES("", "b"), 0, VALUES("unknown", "*"));
    expect_labels("male;*\n", VALUES("male"), 0, VALUES("*"));
}

static void problems_have_the_line_of_the_file(void **state) {
    (void)state;
    expect_problem("a;A;*\n\"b\nb\";A;*\nc;*\n", VALUES("a", "b\nb", "c"),
                   "place.csv:4: 2 fields, line 1 has 3");
    expect_problem("a;A;X;*\n\nb;A;Y;*\n", VALUES("a", "b"),
                   "place.csv:3: 'A' (level 1) lies in 'Y' here and in 'X' on line 1");
    expect_problem("a\nb\n", VALUES("a", "b"), "place.csv:1: only one column");
    expect_problem("\n\n", VALUES("a", "b"), "place.csv: it has no lines");
    expect_problem("a;A;*\n", VALUES("a", "b"), "no line for the value 'b' of column place");
}

static void a_malformed_line_fails_even_when_no_value_needs_it(void **state) {
    (void)state;
    expect_problem("a;A;*\nb;\"B\"x;*\n", VALUES("a"), "place.csv:2: ");
}

static void a_file_that_cannot_be_read_is_one_problem_of_several(void **state) {
    (void)state;
    fixture f;
    begin(&f, column_of(KAN_TYPE_TEXT, VALUES("a")));
    char missing[128];
    snprintf(missing, sizeof missing, "%s/missing.csv", f.folder);
    write_bytes(f.path, "b;*\n", 4);
    kan_problems_begin(f.run);
    assert_int_equal(kan_hierarchy_read(f.run, f.path, &f.column, &f.hierarchy), KAN_BAD_INPUT);
    assert_int_equal(kan_hierarchy_read(f.run, missing, &f.column, &f.hierarchy), KAN_BAD_INPUT);
    assert_int_equal(kan_hierarchy_read(f.run, f.path, &f.column, &f.hierarchy), KAN_BAD_INPUT);
    assert_int_equal(kan_problems_count(f.run), 3);
    assert_int_equal(kan_problems_end(f.run), KAN_BAD_INPUT);
    const char *first = strstr(kan_run_error(f.run), "no line for the value 'a'");
    assert_non_null(first);
    assert_error_has(f.run, "missing.csv: ");
    assert_non_null(strstr(first + 1, "no line for the value 'a'"));
    /* alone, it is the first problem */
    kan_problems_begin(f.run);
    assert_int_equal(kan_hierarchy_read(f.run, missing, &f.column, &f.hierarchy), KAN_BAD_INPUT);
    assert_int_equal(kan_problems_end(f.run), KAN_BAD_INPUT);
    assert_true(strncmp(kan_run_error(f.run), missing, strlen(missing)) == 0);
    finish(&f);
}

static void an_empty_file_is_refused(void **state) {
    (void)state;
    expect_problem("", VALUES("a"), "place.csv: it has no lines; write one line for each value");
}

/* ---- writing -------------------------------------------------------------------------------- */

static void assert_same(const kan_hierarchy *a, const kan_hierarchy *b) {
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->n_codes, b->n_codes);
    assert_memory_equal(a->leaf_of, b->leaf_of, a->n_codes * sizeof *a->leaf_of);
    for (unsigned level = 0; level <= a->height; level++) {
        const kan_level *x = &a->levels[level], *y = &b->levels[level];
        assert_int_equal(x->n_groups, y->n_groups);
        assert_memory_equal(x->from_leaf, y->from_leaf, a->n_codes * sizeof *x->from_leaf);
        for (uint32_t group = 0; group < x->n_groups; group++) {
            assert_true(kan_slice_equal(x->label[group], y->label[group]));
            assert_true(x->share[group] == y->share[group]);
        }
    }
}

/* Writes what `kanon hierarchy build` would. */
static kan_status write_built(fixture *f, kan_run *run, const char *spec) {
    kan_hierarchy_lines *lines = NULL;
    kan_hierarchy_tree *tree = NULL;
    kan_text text;
    kan_status status;
    kan_text_init(&text, run);
    KAN_TRY_DONE(kan_hierarchy_build_lines(run, spec, &f->column, &lines));
    KAN_TRY_DONE(kan_hierarchy_lines_check(lines, NULL, NULL));
    KAN_TRY_DONE(kan_hierarchy_tree_make(lines, NULL, &tree));
    KAN_TRY_DONE(kan_hierarchy_compose(tree, &text));
    write_bytes(f->path, text.bytes, text.size);
done:
    kan_text_destroy(&text);
    kan_hierarchy_tree_destroy(tree);
    kan_hierarchy_lines_destroy(lines);
    return status;
}

static void what_is_written_is_read_back(void **state) {
    (void)state;
    fixture f;
    begin(&f, column_of(KAN_TYPE_TEXT,
                        VALUES("", " ", "\"", "\"x", ",", "a;b", "a\nb", "a\r", "x\"y", "x,y\tz",
                               "\x1f\x8b", "\xef\xbb\xbf", "\xef\xbb\xbfz", "\xff\xfe")));
    kan_hierarchy *built = NULL;
    kan_problems_begin(f.run);
    assert_int_equal(kan_hierarchy_build(f.run, "prefix:2,1", &f.column, &built), KAN_OK);
    assert_int_equal(write_built(&f, f.run, "prefix:2,1"), KAN_OK);
    if (read_path(&f) != KAN_OK)
        fail_msg("%s", kan_run_error(f.run));
    assert_same(built, f.hierarchy);
    kan_hierarchy_destroy(built);
    finish(&f);
}

static void random_bytes_are_read_back(void **state) {
    (void)state;
    static const char alphabet[] = {'a', ';', ',', '\t', '"', '\n', '\r', ' ', '\xc3', '\xa9'};
    uint64_t seed = 17;
    for (int round = 0; round < 100; round++) {
        enum { N = 30, LONGEST = 5 };
        char bytes[N][LONGEST];
        kan_slice values[N];
        uint32_t n = 0;
        for (int draw = 0; draw < N; draw++) {
            kan_slice value = {bytes[n], kan_random_below(&seed, LONGEST + 1)};
            for (size_t i = 0; i < value.size; i++)
                bytes[n][i] = alphabet[kan_random_below(&seed, sizeof alphabet)];
            uint32_t at = 0;
            while (at < n && !kan_slice_equal(values[at], value))
                at++;
            if (at == n)
                values[n++] = value;
        }
        fixture f;
        begin(&f, column_of_slices(KAN_TYPE_TEXT, values, n));
        kan_hierarchy *built = NULL;
        kan_problems_begin(f.run);
        const char *spec = round % 2 ? "prefix:3,1" : "digits:2";
        assert_int_equal(kan_hierarchy_build(f.run, spec, &f.column, &built), KAN_OK);
        assert_int_equal(write_built(&f, f.run, spec), KAN_OK);
        if (read_path(&f) != KAN_OK)
            fail_msg("round %d: %s", round, kan_run_error(f.run));
        assert_same(built, f.hierarchy);
        kan_hierarchy_destroy(built);
        finish(&f);
    }
}

static void running_out_of_memory_is_a_clean_failure(void **state) {
    (void)state;
    fixture f;
    begin(&f, column_of(KAN_TYPE_TEXT, VALUES("a", "b", "c")));
    write_bytes(f.path, "a;A;*\nb;\"A\";*\nc;C;*\n", 20);
    size_t n_failed = 0;
    for (uint64_t budget = 1;; budget += 137) {
        kan_run *run = kan_run_create();
        kan_hierarchy *h = NULL;
        kan_run_set_memory(run, budget);
        kan_problems_begin(run);
        kan_status status = kan_hierarchy_read(run, f.path, &f.column, &h);
        if (status == KAN_OK)
            status = write_built(&f, run, "suppress");
        kan_hierarchy_destroy(h);
        assert_int_equal(kan_run_memory_left(run), budget);
        if (status != KAN_OK) {
            assert_error_has(run, "out of memory");
            assert_int_equal(status, KAN_FAILED);
            n_failed++;
        }
        kan_run_destroy(run);
        if (status == KAN_OK)
            break;
    }
    assert_true(n_failed > 10);
    finish(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_semicolon_wins_over_commas_within_labels),
        cmocka_unit_test(tabs_and_commas_are_found),
        cmocka_unit_test(separators_within_quotes_do_not_count),
        cmocka_unit_test(marks_line_ends_and_blank_lines_are_no_values),
        cmocka_unit_test(problems_have_the_line_of_the_file),
        cmocka_unit_test(a_malformed_line_fails_even_when_no_value_needs_it),
        cmocka_unit_test(a_file_that_cannot_be_read_is_one_problem_of_several),
        cmocka_unit_test(an_empty_file_is_refused),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(random_bytes_are_read_back),
        cmocka_unit_test(running_out_of_memory_is_a_clean_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
