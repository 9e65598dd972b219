/* Random tables for searches over regions, and what their rows say.
 *
 * A column is a list of values in the order of its domain; a row draws from it. What a value is
 * worth as a number, in which bin it lies and which nodes stand above it is written down while the
 * values are made: it is not asked of the library, whose problem and domains are made from the
 * texts alone. */
#ifndef KANON_TESTS_REGION_PROBLEM_H
#define KANON_TESTS_REGION_PROBLEM_H

#include "support/question.h"
#include "support/random_problem.h"

enum { REGION_ATTRIBUTES = 8, REGION_TAILS = 3, REGION_LEVELS = 6 };

typedef enum region_kind { REGION_NUMBERS, REGION_DATES, REGION_TEXTS, REGION_TREE } region_kind;

/* What a column is to be. */
typedef struct region_spec_column {
    region_kind kind;
    uint32_t n_values;  /* that may be drawn, unknown ones not counted */
    unsigned n_unknown; /* numbers: 0 to 2 */
    unsigned bins;      /* numbers: their width; 0: none */
    bool has_bins_origin;
    bool has_twins;  /* numbers: some are written in two ways */
    bool has_tree;   /* numbers: a hierarchy of intervals */
    unsigned height; /* REGION_TREE */
    bool is_skewed;
    double weight;
} region_spec_column;

typedef struct region_spec {
    size_t n_rows;
    unsigned n_attributes, n_tails;
    region_spec_column columns[REGION_ATTRIBUTES];
    unsigned copies;    /* one row in so many is the copy of another; 0: none */
    unsigned n_classes; /* values of each tail */
    bool has_class, is_weighted;
} region_spec;

/* A column as its rows know it. Leaves are the values that rows have, in order. */
typedef struct region_axis {
    region_kind kind;
    bool has_tree, has_bins;
    double weight;
    unsigned height;
    uint32_t n_leaves, n_places, n_unknown; /* n_unknown: places of unknown values */
    uint32_t *place_of;                     /* by leaf */
    uint32_t *first_leaf;                   /* by place, and the end */
    double *position;                       /* by place: 0 at the least known, 1 at the greatest */
    uint32_t *node[REGION_LEVELS];          /* by leaf: some number of its node at the level */
    double *share[REGION_LEVELS];           /* REGION_TREE, by leaf: of that node */
    uint32_t *leaf;                         /* by row */
    uint32_t *place;                        /* by row */
} region_axis;

typedef struct region_problem {
    size_t n_rows;
    unsigned n_attributes, n_tails;
    int class_tail;
    region_axis axes[REGION_ATTRIBUTES];
    uint32_t *values[REGION_TAILS]; /* by row */
    /* Rows that are alike in all columns are a tuple; tuples are numbered in the order of their
     * leaves, then values. */
    size_t n_tuples;
    size_t *tuple; /* by row */
    size_t *rows;  /* all rows, those of the first tuple first, each tuple's in the table's order */
    test_problem made;
    kan_domain *domains[REGION_ATTRIBUTES];
} region_problem;

void region_problem_make(kan_run *run, const region_spec *spec, uint64_t *random,
                         region_problem *out);
void region_problem_destroy(region_problem *problem);

/* A spec: 1 to 6 attributes of all kinds, few copies or many. `most_rows` bounds the rows. */
void random_region_spec(uint64_t *random, size_t most_rows, region_spec *out);
/* Some thousands of tuples, so many values that counters, lanes or bits have to give way. */
void random_large_region_spec(uint64_t *random, region_spec *out);

/* Which of an answer's regions each row lies in; fails the test unless the answer is well formed:
 * every row is in one region, tuples that are not split lie in one, portions add up, and each
 * region has the rows that it says. Only recodings that share may split. To be freed. */
uint32_t *region_of_rows(const region_problem *problem, const kan_answer *answer);

#endif
