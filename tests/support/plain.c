/* Plain tables: see plain.h. Memory is the C library's: what the tests hold should not stand in the
 * account of the run that they look at. */
#include "support/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plain_init(plain_table *plain) {
    memset(plain, 0, sizeof *plain);
    plain->class_tail = KAN_NO_TAIL;
}

void plain_destroy(plain_table *plain) {
    for (unsigned a = 0; a < plain->n_attributes; a++)
        free(plain->attributes[a].leaves);
    free(plain->cells);
    plain_init(plain);
}

void plain_add_rows(plain_table *plain, size_t n_rows) {
    plain->n_rows = n_rows;
    plain->cells =
        calloc(n_rows * (plain->n_attributes + plain->n_tails) + 1, sizeof *plain->cells);
    assert_non_null(plain->cells);
}

plain_attribute *plain_add_attribute(plain_table *plain, size_t n_leaves, unsigned height) {
    assert_true(plain->n_attributes < KAN_MAX_ATTRIBUTES && height < PLAIN_LEVELS);
    plain_attribute *attribute = &plain->attributes[plain->n_attributes++];
    *attribute = (plain_attribute){.height = height, .n_leaves = n_leaves, .weight = 1};
    attribute->leaves = calloc(n_leaves, sizeof *attribute->leaves);
    assert_non_null(attribute->leaves);
    return attribute;
}

/* ---- from texts ----------------------------------------------------------------------------- */

static size_t count_lines(const char *text) {
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n' || text[1] == '\0';
    return n;
}

/* Copies the field at *at, and moves on behind its separator or to the end of the line. */
static void take_field(const char **at, char separator, char *out) {
    /* Not strcspn: a sanitizer that checks its argument reads the whole text for every field. */
    size_t size = 0;
    while ((*at)[size] && (*at)[size] != separator && (*at)[size] != '\n')
        size++;
    assert_true(size < PLAIN_LABEL);
    memcpy(out, *at, size);
    out[size] = '\0';
    *at += size + ((*at)[size] == separator);
}

static void parse_hierarchy(const char *text, plain_table *out) {
    unsigned n_fields = 1;
    for (const char *at = text; *at && *at != '\n'; at++)
        n_fields += *at == ';';
    plain_attribute *attribute = plain_add_attribute(out, count_lines(text), n_fields - 1);
    for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++) {
        for (unsigned level = 0; level < n_fields; level++)
            take_field(&text, ';', attribute->leaves[leaf].at[level]);
        text += *text == '\n';
    }
}

void plain_parse(const char *rows, unsigned n_attributes, const unsigned *columns,
                 const char *const *hierarchies, plain_table *out) {
    plain_init(out);
    for (unsigned a = 0; a < n_attributes; a++)
        parse_hierarchy(hierarchies[a], out);
    plain_add_rows(out, count_lines(rows));
    for (size_t row = 0; row < out->n_rows; row++) {
        for (unsigned column = 0; *rows && *rows != '\n'; column++) {
            plain_label field;
            take_field(&rows, ',', field);
            for (unsigned a = 0; a < n_attributes; a++)
                if (columns[a] == column)
                    strcpy(plain_cell(out, row, a), field);
        }
        rows += *rows == '\n';
    }
}

/* ---- the library's problem ------------------------------------------------------------------ */

static void make_table(kan_run *run, const plain_table *plain, test_problem *out) {
    enum { MOST = KAN_MAX_FIELDS };
    char names[MOST][16];
    const char *pointers[MOST];
    unsigned n = plain->n_attributes + plain->n_tails;
    for (unsigned i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], i < plain->n_attributes ? "quasi%u" : "tail%u", i);
        pointers[i] = names[i];
    }
    EXPECT_OK(run, kan_table_create(run, n, pointers, &out->table));
    for (size_t row = 0; row < plain->n_rows; row++) {
        for (unsigned i = 0; i < n; i++)
            pointers[i] = plain_cell(plain, row, i);
        EXPECT_OK(run, kan_table_add_row(out->table, pointers));
    }
    EXPECT_OK(run, kan_table_seal(out->table));
}

/* No file can describe a hierarchy without a level above its one value, yet the layers above the
 * data must be able to work with it: it is made by cutting the top off one of height 1. */
static void cut_top(kan_hierarchy *hierarchy) {
    assert_int_equal(hierarchy->n_codes, 1);
    hierarchy->height = 0;
    hierarchy->levels[0].up = NULL;
}

static void bind_hierarchy(kan_run *run, const plain_table *plain, unsigned a, test_problem *out) {
    const plain_attribute *attribute = &plain->attributes[a];
    kan_hierarchy_lines *lines;
    EXPECT_OK(run, kan_hierarchy_lines_create(run, "plain", &lines));
    for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++) {
        kan_slice fields[PLAIN_LEVELS];
        for (unsigned level = 0; level <= attribute->height; level++)
            fields[level] = kan_slice_of(attribute->leaves[leaf].at[level]);
        if (attribute->height == 0)
            fields[1] = kan_slice_of("*");
        EXPECT_OK(run, kan_hierarchy_lines_add(lines, leaf + 1, fields,
                                               attribute->height > 0 ? attribute->height + 1 : 2));
    }
    kan_problems_begin(run);
    kan_status status = kan_hierarchy_bind(lines, &out->table->columns[a], &out->hierarchies[a]);
    EXPECT_OK(run, kan_problems_end(run));
    EXPECT_OK(run, status);
    if (attribute->height == 0)
        cut_top(out->hierarchies[a]);
    kan_hierarchy_lines_destroy(lines);
}

void test_problem_make(kan_run *run, const plain_table *plain, test_problem *out) {
    memset(out, 0, sizeof *out);
    out->run = run;
    make_table(run, plain, out);
    kan_problem *problem = &out->problem;
    problem->run = run;
    problem->class_tail = plain->class_tail;
    problem->is_weighted = plain->is_weighted;
    kan_space_init(&problem->space, run);
    for (unsigned a = 0; a < plain->n_attributes; a++) {
        bind_hierarchy(run, plain, a, out);
        problem->weights[a] = plain->attributes[a].weight;
        EXPECT_OK(run, kan_space_add_attribute(&problem->space, &out->table->columns[a],
                                               out->hierarchies[a]));
    }
    for (unsigned t = 0; t < plain->n_tails; t++)
        EXPECT_OK(run, kan_space_add_tail(&problem->space,
                                          &out->table->columns[plain->n_attributes + t]));
    problem->n_rows = kan_table_n_rows(out->table);
    EXPECT_OK(run, kan_problem_count_tails(problem, problem->n_rows));
    EXPECT_OK(run, kan_problem_fold(problem, kan_table_n_rows(out->table)));
    EXPECT_OK(run, kan_problem_measure(problem));
}

void test_problem_destroy(test_problem *made) {
    kan_problem_destroy(&made->problem);
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES; a++)
        kan_hierarchy_destroy(made->hierarchies[a]);
    kan_table_destroy(made->table);
}
