/* The door of analyze/links: which columns of tables point to keys of others, and how the tables hang
 * together. All of it is about raw data. May touch core and data.
 *
 *   links_count.c   keys, and who points to them: every value of a key is put into one table of hashes,
 *                   and each value of each column is looked up there once
 *   links_names.c   whether a column is named like a key
 *   links_choose.c  what counts as a link, and the tree of tables
 *   links_rows.c    the first row that dangles, keys of several columns
 *
 * docs/papers/links.md has the definitions. Order of calls: kan_links_find, kan_links_choose. */
#ifndef KANON_ANALYZE_LINKS_LINKS_H
#define KANON_ANALYZE_LINKS_LINKS_H

#include "data/table.h"

enum { KAN_LINK_TABLES = 16 };
#define KAN_NO_LINK SIZE_MAX

/* What is known of a column. */
enum {
    KAN_LINK_TIES = 1 << 0,  /* it can point to a key: text or whole numbers, no free text */
    KAN_LINK_KEY = 1 << 1,   /* it can be one: nothing says that it is something else */
    KAN_LINK_PERSON = 1 << 2 /* by its name the number of a person */
};

typedef struct kan_link_table {
    const char *name;         /* what it is called */
    const kan_table *rows;    /* borrowed; fewer than 2^32, each counts once */
    const unsigned char *can; /* by column; those that can tie are encoded */
    bool has_quasi;           /* something in it tells of people */
} kan_link_table;

/* A column whose values name rows. */
typedef struct kan_link_key {
    size_t table, column;
    uint64_t n_values;              /* known and different */
    uint64_t n_missing, n_repeated; /* rows without one, and with that of an earlier row */
    bool is_chosen;                 /* by kan_links_choose: of the keys of its table this one */
} kan_link_key;

/* Whether a column is named like a key. */
typedef enum kan_link_names {
    KAN_NAMES_DIFFER,
    KAN_NAMES_PART, /* one word of several is the key's: `last_stay`, `patient_age` */
    KAN_NAMES_ALIKE
} kan_link_names;

/* What a link is taken for, the better the greater. */
typedef enum kan_link_kind {
    KAN_LINK_ACCIDENT, /* values that two columns happen to have */
    KAN_LINK_NEAR,     /* named like the key, and few rows have a value of it */
    KAN_LINK_VALUES,   /* its values speak for it, its name does not, or in part */
    KAN_LINK_CLEAR     /* both do */
} kan_link_kind;

/* What became of it. */
typedef enum kan_link_use {
    KAN_LINK_UNUSED,
    KAN_LINK_TAKEN,    /* the rows of the child belong to those of the parent by it */
    KAN_LINK_EQUAL,    /* as good as the one that was taken */
    KAN_LINK_ABOVE,    /* to a table above the parent: the parent's own link says it */
    KAN_LINK_CIRCLE,   /* to a table below the child */
    KAN_LINK_OTHER_KEY /* to a second key of a table that has one */
} kan_link_use;

typedef struct kan_link {
    size_t child, column; /* the table that points, and its column */
    size_t key;           /* of kan_links.keys */
    kan_link_names names;
    uint64_t n_values, n_values_matching; /* known and different values of the column */
    uint64_t n_rows, n_rows_matching;     /* of the child; those that match dangle not */
    uint64_t n_missing;                   /* rows without a value: they dangle */
    kan_link_kind kind;                   /* by kan_links_choose */
    kan_link_use use;
} kan_link;

typedef struct kan_links {
    kan_run *run;
    kan_link_key *keys; /* in the order of tables and columns */
    size_t n_keys;
    kan_link *list; /* in the order of children, columns and keys; without those that nothing
                       speaks for */
    size_t n;
} kan_links;

/* Counts every pair of a column and a key of another table that have a value in common, or are named
 * alike. O(values of all columns), and a step more for each pair of equal values. */
KAN_MUST_USE kan_status kan_links_find(kan_run *run, const kan_link_table *tables, size_t n,
                                       kan_links *out);
void kan_links_destroy(kan_links *links);

static inline uint64_t kan_link_dangling(const kan_link *link) {
    return link->n_rows - link->n_rows_matching;
}
/* Values of the key that no row points to: parents without a child. */
static inline uint64_t kan_link_childless(const kan_links *links, const kan_link *link) {
    return links->keys[link->key].n_values - link->n_values_matching;
}
/* Whether every row has a key of its own. */
static inline bool kan_link_key_is_sound(const kan_link_key *key) {
    return key->n_missing == 0 && key->n_repeated == 0;
}

/* The tree: one table of people, others below it. */
typedef struct kan_link_tree {
    size_t people;                 /* its table; KAN_NO_LINK: no table points to another */
    size_t other_people;           /* one that would do as well; KAN_NO_LINK: none */
    size_t taken[KAN_LINK_TABLES]; /* by table, the link that ties it to its parent; KAN_NO_LINK */
    size_t n_placed;
} kan_link_tree;

/* Says of each link what it is taken for, and chooses the tree. */
void kan_links_choose(const kan_link_table *tables, size_t n, kan_links *links, kan_link_tree *out);
bool kan_link_is_placed(const kan_link_tree *tree, size_t table);

/* The first row of the child that dangles; there is one. */
KAN_MUST_USE kan_status kan_links_first_dangling(const kan_link_table *tables,
                                                 const kan_links *links, const kan_link *link,
                                                 uint64_t *row);
/* The first row without a key of its own; there is one. */
KAN_MUST_USE kan_status kan_links_first_faulty(kan_run *run, const kan_link_table *tables,
                                               const kan_link_key *key, uint64_t *row);
/* Whether no two rows agree in all of these columns, which are encoded. O(rows). */
KAN_MUST_USE kan_status kan_links_name_rows(kan_run *run, const kan_table *rows,
                                            const size_t *columns, size_t n, bool *is_key);

/* Whether a column is called as one would call what points to that key: `patient_id` or `patient` to
 * `id` of patients, `Patientennr` to `PatientenNr`. */
kan_link_names kan_link_compare_names(const char *column, const char *key, const char *parent);

#endif
