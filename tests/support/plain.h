/* Plain tables: rows and hierarchies as texts, the raw material of tests. From one the library's
 * own problem is made, through the calls that a program would use; the oracle works on the texts.
 */
#ifndef KANON_TESTS_PLAIN_H
#define KANON_TESTS_PLAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "group/problem.h"

enum { PLAIN_LABEL = 48, PLAIN_LEVELS = 7 };

typedef char plain_label[PLAIN_LABEL];

/* One line of a hierarchy: the value, then its label at each level. */
typedef struct plain_leaf {
    plain_label at[PLAIN_LEVELS];
} plain_leaf;

typedef struct plain_attribute {
    unsigned height;
    size_t n_leaves;
    plain_leaf *leaves;
    double weight;
} plain_attribute;

typedef struct plain_table {
    size_t n_rows;
    unsigned n_attributes, n_tails;
    int class_tail; /* place among the tails, or KAN_NO_TAIL */
    bool is_weighted;
    plain_attribute attributes[KAN_MAX_ATTRIBUTES];
    plain_label *cells; /* row by row: the attributes, then the tails */
} plain_table;

/* A table without rows, columns and tails. */
void plain_init(plain_table *plain);
void plain_destroy(plain_table *plain);
/* Room for `n_rows` rows of the attributes and tails that the table has. */
void plain_add_rows(plain_table *plain, size_t n_rows);
/* One more attribute, of `n_leaves` empty lines. */
plain_attribute *plain_add_attribute(plain_table *plain, size_t n_leaves, unsigned height);

static inline char *plain_cell(const plain_table *plain, size_t row, unsigned column) {
    return plain->cells[row * (plain->n_attributes + plain->n_tails) + column];
}

/* Reads texts: `rows` has one line per row with commas between its fields, hierarchies[i] one line
 * per leaf with semicolons. Field columns[i] of each row is attribute i; others are passed over. */
void plain_parse(const char *rows, unsigned n_attributes, const unsigned *columns,
                 const char *const *hierarchies, plain_table *out);

/* The problem of a plain table. */
typedef struct test_problem {
    kan_run *run;
    kan_table *table;
    kan_hierarchy *hierarchies[KAN_MAX_ATTRIBUTES];
    kan_problem problem;
} test_problem;

/* Fails the test when the library refuses anything. */
void test_problem_make(kan_run *run, const plain_table *plain, test_problem *out);
void test_problem_destroy(test_problem *made);

/* Fails the test, with the run's error text, unless the status is KAN_OK. */
#define EXPECT_OK(run, call)                                                                       \
    do {                                                                                           \
        if ((call) != KAN_OK)                                                                      \
            fail_msg("%s: %s", #call, kan_run_error(run));                                         \
    } while (0)

#endif
