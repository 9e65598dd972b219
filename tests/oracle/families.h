/* Random families of tables that belong together, small enough for brute force, and the brute force: every
 * node is tried, and every set of people. Trees are texts, written out row by row, and so are the chains of
 * trees above a row, by which models of sensitive values know its part. */
#ifndef KANON_TESTS_ORACLE_FAMILIES_H
#define KANON_TESTS_ORACLE_FAMILIES_H

#include <stdint.h>

#include "oracle/people.h"

enum {
    TABLES = 4,
    ATTRIBUTES = 3,
    LEAVES = 5,
    HEIGHT = 3,
    PEOPLE = 9,
    ROWS = 16,
    NODES = 64,
    TEXT = 4096,
    SECRETS = 2
};

typedef struct {
    unsigned n_attributes, heights[ATTRIBUTES], n_leaves[ATTRIBUTES];
    uint32_t group[ATTRIBUTES][HEIGHT + 1][LEAVES];
    size_t n_tables, parent[TABLES], n_columns[TABLES];
    unsigned column[TABLES][ATTRIBUTES]; /* its attribute */
    uint64_t price[TABLES][ATTRIBUTES][HEIGHT + 1][LEAVES], suppressed[TABLES][ATTRIBUTES];
    uint32_t n_rows[TABLES], above[TABLES][ROWS], value[TABLES][ATTRIBUTES][ROWS];
    /* What the rows of a table have in its sensitive columns, each as a question of its own, which says
     * what is promised of it. */
    size_t n_secrets[TABLES];
    people_question secret[TABLES][SECRETS];
    bool by_groups; /* k people in each group of every table, and no trees */
    uint64_t k, limit;
    unsigned low[ATTRIBUTES], high[ATTRIBUTES];
} family;

typedef struct {
    unsigned levels[ATTRIBUTES];
    bool is_left[PEOPLE];
    uint64_t n_left, n_trees, fewest, n_rare;
    uint64_t cost;
} family_node;

typedef struct {
    uint32_t of[TABLES][ROWS];
} family_parts;

/* What brute force came upon, over all families. */
typedef struct {
    size_t nodes, leaving, failing_models, coming_back, by_groups;
} family_counts;
extern family_counts family_tried;

/* The row of table 0 that a row hangs below. */
uint32_t family_person(const family *f, size_t t, uint32_t row);
bool family_has_models(const family *f);
/* Whether who stays at a node stays above it. */
bool family_absorbs(const family *f);
void family_draw(family *f, uint64_t *random);
/* To be freed. */
char *family_write_tree(const family *f, const unsigned *levels, size_t t, uint32_t row);
void family_number_parts(const family *f, const unsigned *levels, bool all, family_parts *out);
bool family_show_alike(const family *f, const unsigned *levels, size_t t, uint32_t a, uint32_t b);
/* All nodes, and how many there are. */
size_t family_try_all(const family *f, family_node *nodes);
/* NULL: none is within the limit. */
const family_node *family_find_best(const family *f, const family_node *nodes, size_t n);
void family_expect_monotone(const family *f, const family_node *nodes, size_t n);

#endif
