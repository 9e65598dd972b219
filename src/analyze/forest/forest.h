/* The door of analyze/forest: tables that belong together, counted again.
 *
 * Rows find their parents by the texts of their keys; the tree of a person is written out as a text (what
 * each row shows, and behind it those of its children in the order of their texts), and equal trees
 * are found by sorting these texts. Nothing is shared with group/kin or with what searched or wrote.
 * May touch core and data. */
#ifndef KANON_ANALYZE_FOREST_FOREST_H
#define KANON_ANALYZE_FOREST_FOREST_H

#include "data/hierarchies/hierarchies.h"

enum { KAN_FOREST_TABLES = 16, KAN_FOREST_BANDS = 10 };
#define KAN_FOREST_NONE SIZE_MAX

/* A table; the first is that of people, and each stands behind its parent. */
typedef struct kan_forest_table {
    const kan_table *table; /* sealed; the columns below are encoded */
    size_t key;             /* its column that names its rows; KAN_FOREST_NONE: it has none */
    size_t parent, link;    /* the parent's place, and its column with the parent's key */
    const size_t *quasi;
    size_t n_quasi;
    const size_t *others; /* kan_forest_cover: columns that show what they have */
    size_t n_others;
    const kan_hierarchy *const *hierarchies; /* kan_forest_cover, of originals: by quasi */
} kan_forest_table;

typedef struct kan_forest_rows {
    uint64_t *start; /* by person, and one more */
    uint64_t *rows;  /* those of each person, ascending */
    uint64_t *place; /* by row: its place among those of its person */
} kan_forest_rows;

typedef struct kan_forest {
    kan_run *run;
    size_t n;
    const kan_forest_table *tables;
    uint64_t *parent_row[KAN_FOREST_TABLES]; /* by row; NULL: of people */
    uint64_t *person_of[KAN_FOREST_TABLES];  /* by row: a row of the first table */
    kan_forest_rows of_person[KAN_FOREST_TABLES];
} kan_forest;

typedef enum kan_forest_fault {
    KAN_FOREST_SOUND,
    KAN_FOREST_NO_KEY,     /* a row without a key, or without that of its parent */
    KAN_FOREST_DOUBLE_KEY, /* a key that an earlier row of the table has */
    KAN_FOREST_DANGLES     /* a row whose parent is not there */
} kan_forest_fault;

/* The first row, from 0, of a table that does not fit; by table, keys before parents. */
typedef struct kan_forest_finding {
    kan_forest_fault fault;
    size_t table, column;
    uint64_t row;
} kan_forest_finding;

/* Ties rows to their parents. Where a row does not fit the finding says so, and nothing else may be asked
 * of the forest. Always destroy it. O(rows log rows). */
KAN_MUST_USE kan_status kan_forest_make(kan_run *run, const kan_forest_table *tables, size_t n,
                                        kan_forest *out, kan_forest_finding *finding);
void kan_forest_destroy(kan_forest *forest);

typedef struct kan_forest_recount {
    uint64_t n_people, n_trees,
        fewest;          /* who have the same tree, of the rarest; 0: nobody is there */
    uint64_t n_rare;     /* people whose tree fewer than k have */
    uint64_t first_rare; /* the row of the first of them, from 0 */
    /* Trees, and people who have them, by how many have the same: fewer than k; k to 2k - 1; 2k to
     * 4k - 1; and so on, the last without an end. */
    uint64_t trees_of[KAN_FOREST_BANDS], people_of[KAN_FOREST_BANDS];
} kan_forest_recount;

/* How many have the same tree, at least, in a band. */
uint64_t kan_forest_band_least(uint64_t k, size_t band);

/* Counts who shows the same. O(bytes log people). */
KAN_MUST_USE kan_status kan_forest_count(const kan_forest *forest, uint64_t k,
                                         kan_forest_recount *out);
/* How many people have each tree: sizes[0 .. *n), of which there may be as many as people. The same. */
KAN_MUST_USE kan_status kan_forest_sizes(const kan_forest *forest, uint64_t *sizes, size_t *n);

/* part_of[table][row], all of them the caller's, becomes a number that two rows of a table share when their
 * people have the same tree, and so have all rows on the way to them: whoever knows the tree, and which
 * row of it she asks about, finds these. Models of sensitive values are held against them.
 * O(bytes log rows). */
KAN_MUST_USE kan_status kan_forest_find_parts(const kan_forest *forest, uint64_t *const *part_of);
/* How sure somebody who knows the tree of a person, and which row of it she asks about, can be of a value
 * there: the greatest share of the people of one part who have one value of this column in it. same_as[code] is
 * a code of its value, one for all that are the same. Parts are those of kan_forest_find_parts for the table. O(rows log rows). */
KAN_MUST_USE kan_status kan_forest_sure(const kan_forest *forest, size_t table, size_t column,
                                        const size_t *same_as, const uint64_t *part_of,
                                        double *out);

typedef struct kan_forest_match {
    bool holds;
    uint64_t n_matched; /* people of the release before the first that nobody stands for */
    /* Where it does not hold: a row of that person that covers no row of the original table at all;
     * is_certain is false where there is none, because rows may stand in another order. */
    bool is_certain;
    size_t table;
    uint64_t row;
} kan_forest_match;

/* Whether each person of the release can be another person of the original, in the same order, each of
 * whose rows is there, in its order, below the row that stands for its parent. A released
 * quasi-identifier covers a value when it is the value, its label at some level, or *; others are
 * equal. Both have the same tables and columns. O(rows * columns). */
KAN_MUST_USE kan_status kan_forest_cover(const kan_forest *release, const kan_forest *original,
                                         kan_forest_match *out);

/* ---- without keys: forest_tie.c -------------------------------------------------------------- */

/* Ties a release that has no keys as its original is, of which released row i of a table is row_of[table][i].
 * holds: no row is there twice, each covers its original, and whoever is there is so with all rows.
 * Nobody believes who says row_of: what is counted is what it would have to be. Else nothing may be asked
 * of the forest. Always destroy it. O(rows * columns). */
KAN_MUST_USE kan_status kan_forest_tie(kan_run *run, const kan_forest_table *tables, size_t n,
                                       const kan_forest *origin, uint64_t *const *row_of,
                                       kan_forest *out, bool *holds);

/* ---- groups of each table: forest_groups.c --------------------------------------------------- */

/* Rows of a table that show the same, over all tables. */
typedef struct kan_forest_groups {
    uint64_t n_groups, fewest; /* people of the smallest; 0: there is none */
    uint64_t n_small;          /* groups of fewer than k people */
    size_t table; /* where there are some: the first row of the first table that has some */
    uint64_t row;
} kan_forest_groups;

KAN_MUST_USE kan_status kan_forest_count_groups(const kan_forest *forest, uint64_t k,
                                                kan_forest_groups *out);
/* fewest[person]: the people of the smallest group that any of her rows is in, in any table: whoever knows
 * that row alone finds these. O(bytes log rows). */
KAN_MUST_USE kan_status kan_forest_nearest(const kan_forest *forest, uint64_t *fewest);

#endif
