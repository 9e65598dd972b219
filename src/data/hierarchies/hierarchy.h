/* Generalization hierarchies, bound to a column.
 *
 * A hierarchy says for each value of a column what it becomes at level 1, 2, ... up to a single
 * value at the top. Level 0 is the value itself. Each level is a function of the one below, so the
 * values are the leaves of a tree.
 *
 * Groups. At each level the values that the data has fall into groups, numbered 0 .. n_groups-1 in
 * the preorder of the tree (children in the order of their first line in the file; numbers and
 * dates of built hierarchies in value order). Numbering by preorder makes every map from a level to
 * the next monotone: a sorted list of groups stays sorted when it is rolled up. Values that only
 * the hierarchy has, not the data, get no number, but count as leaves for the share of the domain.
 */
#ifndef KANON_DATA_HIERARCHIES_HIERARCHY_H
#define KANON_DATA_HIERARCHIES_HIERARCHY_H

#include "data/table.h"

/* Levels above the values. Far above any hierarchy that people make; it bounds what one damaged
 * line can cost. */
enum { KAN_HEIGHT_MOST = 64 };

typedef struct kan_level {
    uint32_t n_groups;
    uint32_t *up;        /* group -> group one level higher; NULL at the top; never decreasing */
    uint32_t *from_leaf; /* level-0 group -> group of this level; never decreasing */
    kan_slice *label;    /* what a release shows for the group */
    double *share;       /* share of the domain that the label covers, 0 (one value) .. 1 (all):
                            numbers and dates (hi-lo)/(max-min) over the leaves of the hierarchy,
                            text (leaves below - 1)/(leaves - 1), the larger of both for a group of
                            numbers that holds unknown values; 0 when the domain is one value; never
                            less than that of a group below */
} kan_level;

typedef struct kan_hierarchy {
    kan_run *run;
    const char *attribute; /* name of the column */
    const char *origin;    /* path of the file, or the spec: "intervals:5,10" */
    unsigned height;       /* number of the top level; at least 0 */
    kan_level *levels;     /* height + 1 of them */
    uint32_t n_codes;      /* values of the column; levels[0].n_groups is the same number */
    uint32_t *leaf_of;     /* code of the column -> level-0 group (its place in the preorder) */
    uint32_t *code_of;     /* level-0 group -> code */
    uint32_t n_leaves;     /* leaves of the whole hierarchy, absent values included */
    double length;         /* of the domain of numbers or dates, greatest less least; 0 for text */
    bool names_whole;      /* labels are those of whole numbers, though some value is none:
                              kan_hierarchy_name_whole */
    kan_arena arena;
} kan_hierarchy;

void kan_hierarchy_destroy(kan_hierarchy *hierarchy);

/* Writes the group at level `to` of each group of level `from` <= `to` into map. */
void kan_hierarchy_map(const kan_hierarchy *hierarchy, unsigned from, unsigned to, uint32_t *map);
/* The first leaf whose group at that level is not below `group`; n_codes when there is none. */
uint32_t kan_hierarchy_first_leaf(const kan_hierarchy *hierarchy, unsigned level, uint32_t group);

/* Writes for each value of the column, by code, the value that stands for its group at that level:
 * the first of the group in the preorder. So one that stands for a group stands for all groups below
 * that begin with it. */
void kan_hierarchy_stand_ins(const kan_hierarchy *hierarchy, unsigned level, uint32_t *codes);

/* ---- names of intervals --------------------------------------------------------------------- */

/* Intervals that were built are called 30-39 where all values are whole numbers, else [30, 40). One
 * value that only a suppressed row has must not decide that: who is suppressed is known after the
 * search, and then intervals are called what released values make of them. */

/* Whether intervals of whole bounds are called [30, 40). */
bool kan_hierarchy_has_open_names(const kan_hierarchy *hierarchy);
/* Calls them 30-39. */
KAN_MUST_USE kan_status kan_hierarchy_name_whole(kan_hierarchy *hierarchy);
/* The same where a release that was made with the hierarchy shows no interval by its other name. */
KAN_MUST_USE kan_status kan_hierarchy_fit_names(kan_hierarchy *hierarchy,
                                                const kan_column *released);
/* Whether a text is a whole number, or an end of a capped column: it is in no closed interval. */
bool kan_value_is_whole(kan_slice value);

/* ---- from the lines of a file --------------------------------------------------------------- */

/* Lines are collected, then bound. Every problem is added with kan_problem_add, with file and line.
 */
typedef struct kan_hierarchy_lines kan_hierarchy_lines;

KAN_MUST_USE kan_status kan_hierarchy_lines_create(kan_run *run, const char *path,
                                                   kan_hierarchy_lines **out);
/* One line: the value, then its labels from level 1 to the top. Bytes are copied. */
KAN_MUST_USE kan_status kan_hierarchy_lines_add(kan_hierarchy_lines *lines, uint64_t line_number,
                                                const kan_slice *fields, size_t n_fields);
void kan_hierarchy_lines_destroy(kan_hierarchy_lines *lines);
/* Lines that are added from here on are written as the spelling says (data/spelling.h; NULL: as
 * kanon writes), and taken so. Values that become one may have several lines that say the same. */
void kan_hierarchy_lines_spell(kan_hierarchy_lines *lines, const struct kan_spelling *spelling);

/* Checks the lines against each other and against the column's values:
 *   - every line has the same number of levels, 1 to KAN_HEIGHT_MOST; the lines of a value
 *     all say the same;
 *   - every value of the data has a line;
 *   - a label has one parent: each group of a level lies in one group of the next;
 *   - the top is a single value.
 * All problems are added to the run's (kan_problem_add) and KAN_BAD_INPUT is returned when there
 * were any; the caller has called kan_problems_begin, and kan_problems_end is the caller's too, so
 * that the problems of several hierarchies are told together. */
KAN_MUST_USE kan_status kan_hierarchy_bind(const kan_hierarchy_lines *lines,
                                           const kan_column *column, kan_hierarchy **out);

/* ---- built ---------------------------------------------------------------------------------- */

/* Whether the text is the spec of a built hierarchy rather than a path: a known builder name, alone
 * or before a colon. */
bool kan_hierarchy_is_spec(const char *text);
/* Whether it was built of how many rows have each value, suppressed ones included: which values are
 * one of its nodes tells of rows then. */
bool kan_hierarchy_follows_rows(const kan_hierarchy *hierarchy);
bool kan_hierarchy_spec_follows_rows(const char *spec);

/* Builds from a spec, for the values that the column has:
 *   intervals:5,10,20[@origin]  numbers, widths that divide each other, then *
 *   digits:N                    the last 1, 2 .. N characters masked with *, then *
 *   prefix:3,1                  the first 3 characters, then the first 1, then *
 *   date:month,quarter,year     parts of a date (week, month, quarter, half, year, five-years,
 *                               decade), then *
 *   age:1,5,10@2025-12-31       of a date of birth: the age on that day, in years, then in steps of
 *                               5 and 10 years, then *
 *   quantiles:20,5              numbers or dates, 20 intervals of about equally many rows, merged
 *                               into 5, then *
 *   frequency:10,100            values of fewer than 10 rows as one, then of fewer than 100, then *
 *   suppress                    the value, then *
 * Quantiles and frequency depend on the rows, and so say something of them: a note tells so.
 * Unknown values ("" and "?") of numbers and dates keep their own label up to the top. Bounds of
 * intervals are exact decimals. A character is a UTF-8 one; a byte that belongs to none counts as
 * one. Problems as for kan_hierarchy_bind. */
KAN_MUST_USE kan_status kan_hierarchy_build(kan_run *run, const char *spec,
                                            const kan_column *column, kan_hierarchy **out);

/* The same, but the lines before they are bound. */
KAN_MUST_USE kan_status kan_hierarchy_build_lines(kan_run *run, const char *spec,
                                                  const kan_column *column,
                                                  kan_hierarchy_lines **out);

enum { KAN_SPEC_BYTES = 128 };

/* The spec that suits a column for want of better knowledge: in `room`, or a constant. NULL where
 * the column is almost dates or numbers (data/mixture.h), and has to be written otherwise first. */
const char *kan_hierarchy_propose(const kan_column *column, char room[KAN_SPEC_BYTES]);
/* The same after it was built: no level has as many labels as the one below it, or one label alone.
 * KAN_BAD_INPUT, with a problem, where it cannot be built. *out is NULL as above. O(values). */
KAN_MUST_USE kan_status kan_hierarchy_propose_tried(kan_run *run, const kan_column *column,
                                                    char room[KAN_SPEC_BYTES], const char **out);

/* Names and one-line descriptions of the builders, for help: NULL-terminated pairs. */
const char *const *kan_hierarchy_builders(void);

#endif
