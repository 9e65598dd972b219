/* The door of group/kin: rows of several tables that belong together, as trees.
 *
 * Table 0 has a row per person; each row of any other table hangs below one row of its parent table.
 * What a person shows at levels (one per attribute, over all tables) is her tree: the class of a row is
 * what it shows, with the multiset of classes of its children in each table below. Children without
 * quasi-identifiers and without children count by their number. People with the same tree are one class.
 *
 * Items. Rows that are alike at the lowest levels that may be chosen are alike at all of them; they are
 * folded into one item once, and all else looks at items. See docs/papers/tables.md.
 *
 * Classes are numbered by comparing what they are made of, word by word: a hash finds candidates, and
 * decides nothing.
 *
 * Parts. Rows of people of one class that cannot be told apart, because they and all that they are below
 * are of the same classes, are a part. Everybody of the class has rows in each of its parts. Models of
 * sensitive values look at parts as they look at groups. May touch core and group/view.h. */
#ifndef KANON_GROUP_KIN_KIN_H
#define KANON_GROUP_KIN_KIN_H

#include "core/hash.h"
#include "core/memory.h"
#include "group/view.h"

enum { KAN_KIN_TABLES = 16 };

/* A quasi-identifier of one table. */
typedef struct kan_kin_column {
    unsigned attribute;    /* several tables may have the same one */
    const uint32_t *codes; /* by item */
    uint32_t n_codes;
    const uint32_t *const *groups; /* [level][code]: what is shown there */
    const uint64_t *const *prices; /* [level][code]: what a cell costs there; never falls upwards */
    uint64_t suppressed;           /* what a cell costs that is left out; no other costs more */
} kan_kin_column;

/* The children that items have in one table: those of item i are members[start[i] .. start[i + 1]). */
typedef struct kan_kin_children {
    size_t table;
    const uint64_t *start;
    const uint32_t *members; /* items of that table; NULL where only their number counts */
} kan_kin_children;

typedef struct kan_kin_table {
    uint32_t n; /* items */
    size_t n_columns;
    const kan_kin_column *columns;
    size_t n_children;
    const kan_kin_children *children;
    const uint64_t
        *counts; /* by item of table 0: people; elsewhere not looked at. NULL: one each */
} kan_kin_table;

typedef struct kan_kin {
    size_t n_tables;
    kan_kin_table tables[KAN_KIN_TABLES]; /* each behind its parent */
    unsigned n_attributes;
    const unsigned *heights; /* by attribute: its greatest level */
    unsigned n_levels;       /* more than any of these */
} kan_kin;

/* The room that numbering needs, kept from one node to the next. */
typedef struct kan_kin_space kan_kin_space;
KAN_MUST_USE kan_status kan_kin_space_create(kan_run *run, const kan_kin *kin, kan_kin_space **out);
void kan_kin_space_destroy(kan_kin_space *space); /* NULL is none */

/* Numbers the classes of every table at these levels: kan_kin_classes. */
KAN_MUST_USE kan_status kan_kin_number(kan_kin_space *space, const unsigned *levels);
/* The class of each item of a table, and how many there are; until the next numbering. */
const uint32_t *kan_kin_classes(const kan_kin_space *space, size_t table, uint32_t *n);

/* After numbering: is_left[item of table 0] says whether fewer than k people have the tree of the item;
 * returns how many people these are. */
uint64_t kan_kin_leave(kan_kin_space *space, uint64_t k, uint8_t *is_left);
/* Marks those whose class of table 0 fails as well; returns how many people are marked in all. */
uint64_t kan_kin_leave_classes(const kan_kin_space *space, const uint8_t *fails, uint8_t *is_left);
/* What the rows of all others cost. sums[attribute * n_levels + level] becomes the price of all
 * cells of that attribute at that level, over all rows of people who stay; the result is what the
 * rows of those who are left out cost, at any level. */
kan_u128 kan_kin_price(kan_kin_space *space, const uint8_t *is_left, kan_u128 *sums);
/* After that: whether each table that has rows keeps one of somebody who stays. On the way down people
 * only leave, so that below a node where it does not it never does. */
bool kan_kin_keeps_all_tables(const kan_kin_space *space);

/* The same trees with rows that are alike at `lowest` as one item. `item_of`: by table, then by row, borrowed
 * from the result; rows of a table that only count are all of one item that is not there. Columns share groups and prices with the kin they are made from, which must outlive
 * them. */
typedef struct kan_kin_folded {
    kan_kin kin;
    uint32_t *item_of[KAN_KIN_TABLES];
    kan_run *run;
    kan_arena arena;
} kan_kin_folded;
KAN_MUST_USE kan_status kan_kin_fold(kan_run *run, const kan_kin *rows, const unsigned *lowest,
                                     kan_kin_folded *out);
void kan_kin_folded_destroy(kan_kin_folded *folded);

/* ---- parts: kin_parts.c --------------------------------------------------------------------- */

/* What the rows of a table have that models look at. */
typedef struct kan_kin_secrets {
    size_t n_tails;                /* 0: no model looks at the table */
    const uint32_t *const *values; /* by tail, then by row; NULL: nobody looks at that tail */
} kan_kin_secrets;

typedef struct kan_kin_parts kan_kin_parts;
/* Of each table, `secrets` by table; both are borrowed for this call alone. `items` are those that are
 * numbered, and item_of says which each row is; NULL: rows are the items. */
KAN_MUST_USE kan_status kan_kin_parts_create(kan_run *run, const kan_kin *rows,
                                             uint32_t *const *item_of,
                                             const kan_kin_secrets *secrets, kan_kin_parts **out);
void kan_kin_parts_destroy(kan_kin_parts *parts); /* NULL is none */
/* The same parts as groups of people, after numbering and kan_kin_leave: the count is people of the
 * class, tallies are those of them who have a row with the value there. `classes`: by group, the class
 * of table 0. Both are good until the next call for that table. */
KAN_MUST_USE kan_status kan_kin_parts_groups(kan_kin_parts *parts, const kan_kin_space *space,
                                             size_t table, kan_groups *out,
                                             const uint32_t **classes);

/* ---- groups: kin_heads.c -------------------------------------------------------------------- */

/* Rows of one table that show the same, of whomever they are. */
typedef struct kan_kin_heads kan_kin_heads;
/* `items` are the people that are counted, and item_of says which each row of table 0 is; NULL: itself.
 * Both are borrowed. Levels below `lowest` are never asked for. */
KAN_MUST_USE kan_status kan_kin_heads_create(kan_run *run, const kan_kin *rows,
                                             const kan_kin *items, const uint32_t *item_of,
                                             const unsigned *lowest, kan_kin_heads **out);
void kan_kin_heads_destroy(kan_kin_heads *heads); /* NULL is none */
/* is_left[item] says who has a row in a group of fewer than k people, of those who are left; returns
 * how many people these are. All others are the largest set with which no group fails. */
uint64_t kan_kin_heads_leave(kan_kin_heads *heads, const unsigned *levels, uint64_t k,
                             uint8_t *is_left);

#endif
