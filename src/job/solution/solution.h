/* The door of job/solution: what a search found, measured: the solution's groups, its costs, and
 * which rows it suppresses.
 *
 * What `anonymize`, `search` and `compare` have in common. Nothing of an answer is believed: its
 * groups are made from the base again and held against the promise, every tuple must lie in what
 * its region shows of it, and what cuts cost must be what the search says. May touch what job/setup
 * may, and job/setup. */
#ifndef KANON_JOB_SOLUTION_SOLUTION_H
#define KANON_JOB_SOLUTION_SOLUTION_H

#include "analyze/verify/verify.h"
#include "group/person_sums.h"
#include "group/viewer.h"
#include "job/setup/setup.h"
#include "job/solution/proof_file.h"
#include "recode/apply.h"
#include "search/fits/fits.h"
#include "search/leavers.h"
#include "search/sets/sets.h"

enum { KAN_MAX_GROUP_COLUMNS = 2 * KAN_MAX_ATTRIBUTES };

/* Regions: rows in groups that show the same, and what each group shows. */
typedef struct kan_group_release {
    kan_cell_names names[KAN_MAX_ATTRIBUTES];
    size_t n_groups;
    uint32_t *group_of_region;
    /* Quasi-identifiers in the user's order, each with its mean right behind it where both are
     * wanted. */
    size_t n_columns;
    kan_group_column columns[KAN_MAX_GROUP_COLUMNS];
    unsigned attribute_of[KAN_MAX_GROUP_COLUMNS];
    kan_middle middle[KAN_MAX_GROUP_COLUMNS]; /* KAN_MIDDLE_NONE: it shows cells */
    uint32_t n_shown[KAN_MAX_GROUP_COLUMNS];  /* different values that groups show */
    uint32_t *codes;        /* [column * n_groups + group]: those of the columns */
    uint32_t *group_of_row; /* NULL until kan_solution_find_rows */
    kan_arena arena;
} kan_group_release;

typedef struct kan_solution {
    const kan_setup *setup;
    kan_answer answer;
    kan_shown shown[KAN_MAX_ATTRIBUTES]; /* what each column shows */
    /* What is measured. Full-domain: the setup's problem. Cuts: the same rows, with hierarchies of
     * intervals instead of the user's. */
    const kan_problem *problem;
    kan_problem interval_problem; /* cuts: that problem; its base is the setup's */
    kan_problem cost_problem;     /* cuts: the same with the heights of the user's hierarchies;
                                     regions: the setup's, with finer shares */
    kan_freqset set;              /* quasi-identifiers and tails as they are shown */
    kan_freqset quasi_set;        /* the same without tails: a tuple is a group */
    kan_group_release by_group;   /* regions alone: these take the place of the sets */
    kan_viewer viewer;
    /* Where people are counted: who is left out. By person, the sets hold the rows of those who
     * stay, and all of their groups are released. */
    kan_leavers leavers;
    kan_freqset gone;       /* with pasts (kan_problem.has_pasts): the tuples of parts that left */
    uint64_t fewest_people; /* of a released group; 0 when there is none */
    /* Regions: by person, the people of the smallest group that she is in; 0: none is released. */
    uint64_t *people_near;
    kan_person_summer summer; /* where costs count people */
    kan_groups groups;
    /* Where rows were counted at levels and some are suppressed: released rows of each value, by
     * level-0 group; in the job's arena. NULL: the base tells. */
    uint64_t *leaf_rows[KAN_MAX_ATTRIBUTES];
    bool has_sse;      /* some column of numbers that differ shows means or medians, or could: */
    double sse;        /* how far its numbers are from these; see solution_squares.c */
    uint64_t n_narrow; /* cells whose label means less than it says */
    uint64_t smallest_group, largest_group; /* of those released, in rows; 0 when there is none */
    size_t n_metrics;
    struct {
        const char *name;
        bool is_known; /* false: the cost needs what the data does not have */
        kan_score score;
    } metrics[KAN_MAX_METRICS];
    double search_ms;
    double values_ms;     /* kan_solution_count_leaves: of folding */
    bool is_interrupted;  /* the search was: its answer is the best by then */
    bool is_best_of_more; /* proven, of what keeps more than is promised (kan_setup_asks_more) */
    kan_fits_found fits;  /* kan_setup.matches_missing: what was shown again */
} kan_solution;

/* The groups of the solution, to be looked at one by one. */
static inline const kan_groups *kan_solution_groups(const kan_solution *solution) {
    KAN_ASSERT(kan_groups_is_fresh(&solution->groups));
    return &solution->groups;
}

/* What is wanted beyond the best solution. */
typedef struct kan_solution_wants {
    bool release;     /* the best alone; false: the solution space, too */
    bool all;         /* the solution space, too */
    bool certificate; /* the nodes that fail, for a certificate */
    bool nodes;       /* the nodes that satisfy, the first of them */
} kan_solution_wants;

/* Searches and measures. Fails with KAN_UNSATISFIED, and what would help, when nothing was found.
 * The solution is initialised by this call, also when it fails: always destroy it. */
KAN_MUST_USE kan_status kan_solution_find(kan_setup *setup, const kan_solution_wants *wants,
                                          kan_solution *out);
void kan_solution_destroy(kan_solution *solution);

/* Sets is_suppressed of every row whose group is not released; regions: the groups of rows have
 * been found. */
KAN_MUST_USE kan_status kan_solution_mark_rows(const kan_solution *solution,
                                               uint8_t *is_suppressed);

/* How many rows of each tuple of the base are released; of levels and cuts all of them or none.
 * O(tuples * log groups). */
KAN_MUST_USE kan_status kan_solution_tuple_rows(const kan_solution *solution, uint64_t *rows);

/* Regions: finds the group of every row, by_group.group_of_row. Rows of one tuple that lie in
 * several regions are handed out in the order of the table; rows of a counted table are divided for
 * it (kan_input_divide), so that the setup's table has more of them afterwards. */
KAN_MUST_USE kan_status kan_solution_find_rows(kan_solution *solution);

/* How many cells of released rows stand at each level of the hierarchy of quasi-identifier `a`,
 * into n_cells[0 .. height]. Intervals and regions stand at the level of the lowest node that
 * covers what they show. */
void kan_solution_cell_levels(const kan_solution *solution, unsigned a, uint64_t *n_cells);
/* How much of the height of its hierarchy quasi-identifier `a` gave up: the levels of all cells,
 * over those of the fully generalized column; suppressed rows count as fully generalized. 0 .. 1.
 */
double kan_solution_distortion(const kan_solution *solution, unsigned a);
/* Regions: released rows that show the value of an attribute that they have. */
uint64_t kan_solution_exact_rows(const kan_solution *solution, unsigned a);

/* Cells of released rows whose label means less than it says; see solution_narrow.c. */
KAN_MUST_USE kan_status kan_solution_count_narrow(const kan_solution *solution, uint64_t *out);

/* ---- for solution*.c ------------------------------------------------------------------------ */

/* Counts leaf_rows where the base does not tell them; the groups are checked. */
KAN_MUST_USE kan_status kan_solution_count_leaves(kan_solution *solution);

/* What the answer shows, except the names of intervals; for cuts, the problem of the intervals. */
KAN_MUST_USE kan_status kan_solution_show(kan_solution *solution);
/* Levels and cuts: built intervals and bins are called as the values of released rows make them,
 * whatever suppressed ones have. */
KAN_MUST_USE kan_status kan_solution_fit_names(const kan_solution *solution);
/* The same of one attribute: has_leaf[leaf] says whether a released row has the value. */
KAN_MUST_USE kan_status kan_solution_fit_name(const kan_solution *solution, unsigned a,
                                              const uint8_t *has_leaf);
/* Cuts: names the intervals by the values of released rows, which solution->groups tells, and
 * measures what the names cover. */
KAN_MUST_USE kan_status kan_solution_name(kan_solution *solution);

/* Fails with KAN_UNSATISFIED: nothing was found within what --level allows, and what would have to
 * give way. `is_least`: answer->least_suppressed is of all nodes there. */
KAN_MUST_USE kan_status kan_solution_beyond_bounds(const kan_setup *setup, const kan_answer *answer,
                                                   bool is_least);
/* By person, and with pasts: takes the rows of those who leave out of the set. Nothing, where whole groups
 * leave. */
KAN_MUST_USE kan_status kan_solution_keep_people(kan_solution *solution);
/* The groups where people are counted, with what they have of them. */
KAN_MUST_USE kan_status kan_solution_check_people(kan_solution *solution);
/* The same of regions. */
KAN_MUST_USE kan_status kan_solution_check_piles(kan_solution *solution);

/* What costs by people look at: of levels and cuts, and of regions; the groups are checked, and their loss
 * is there. Nothing, where costs count rows. */
KAN_MUST_USE kan_status kan_solution_sum_people(kan_solution *solution);
KAN_MUST_USE kan_status kan_solution_sum_region_people(kan_solution *solution);

/* A search that begins with levels (kan_search_kind.begins_with_levels), with these, and with whole
 * subtrees. */
KAN_MUST_USE kan_status kan_solution_search_seeded(const kan_setup *setup,
                                                   const kan_question *question, kan_answer *out);

/* What was given as the answer of a search that found it: its costs are measured later. */
KAN_MUST_USE kan_status kan_solution_take_given(const kan_setup *setup, kan_answer *out);
/* KAN_UNSATISFIED, with what it would need, when what was given does not keep the promise. */
KAN_MUST_USE kan_status kan_solution_check_given(const kan_solution *solution, bool wants_release);

/* The score of the answer's groups by the job's cost. */
KAN_MUST_USE kan_status kan_solution_score(const kan_solution *solution, kan_score *out);

/* --missing-matches: shows cells of the answer again; see solution_matches.c. */
KAN_MUST_USE kan_status kan_solution_match(const kan_question *question, kan_solution *solution);

/* Regions: checks them against the base, names what they show, makes and checks the groups, and
 * sets the answer's score. */
KAN_MUST_USE kan_status kan_solution_group(kan_solution *solution);
/* What a search says of its regions is not so: an internal error, and nothing is released. */
KAN_MUST_USE kan_status kan_solution_fail_region(const kan_solution *solution, const char *what);
void kan_group_release_destroy(kan_run *run, kan_group_release *release);
/* Rows of a tuple that go to a group. */
typedef struct kan_group_part {
    size_t tuple;
    uint64_t n_rows;
} kan_group_part;

typedef struct kan_group_parts {
    size_t *start; /* by group, and one more: where its parts begin */
    kan_group_part *parts;
} kan_group_parts;

/* Regions: the tuples of each group. All NULL before; the caller frees both, also when this fails. */
KAN_MUST_USE kan_status kan_solution_list_parts(const kan_solution *solution, kan_group_parts *out);
/* Regions, with pasts: every part of a released group keeps the promise. */
KAN_MUST_USE kan_status kan_solution_check_pasts(kan_solution *solution);
/* With pasts: the released rows of each, by past, and those of the smallest part of a group; 0 without any. */
KAN_MUST_USE kan_status kan_solution_count_pasts(const kan_solution *solution, uint64_t *released,
                                                 uint64_t *smallest);
/* Regions: the values of each tail in each group, into the viewer. */
KAN_MUST_USE kan_status kan_solution_tally(kan_solution *solution);
/* Before the search: KAN_BAD_INPUT when means or medians are to be shown of numbers that decimals do
 * not reach. */
KAN_MUST_USE kan_status kan_solution_check_digits(const kan_setup *setup);
/* What a column shows the mean or median of: the rows of a region. With --per-column those of its
 * cell, of which there are no more than regions. */
static inline uint32_t kan_solution_pile(const kan_solution *solution, size_t region, unsigned a) {
    const kan_regions *regions = solution->answer.recoding.regions;
    return solution->setup->is_per_column ? regions->cell_of[region * regions->n_attributes + a]
                                          : (uint32_t)region;
}
/* --per-column: each value that a column shows is shown by k rows, or it is an internal error. */
KAN_MUST_USE kan_status kan_solution_check_columns(const kan_solution *solution);
/* The mean of attribute `a` in each region, as labels without repetition and a code per region.
 * KAN_BAD_INPUT when there are sums that decimals do not reach. */
KAN_MUST_USE kan_status kan_solution_means(kan_solution *solution, unsigned a,
                                           kan_group_column *column, uint32_t *codes);
/* The same of medians or modes, which are values of the table as they are written there. */
KAN_MUST_USE kan_status kan_solution_middles(kan_solution *solution, unsigned a, kan_middle middle,
                                             kan_group_column *column, uint32_t *codes);
/* Sets the solution's sse; the groups are made. */
KAN_MUST_USE kan_status kan_solution_measure_squares(kan_solution *solution);
/* Says what ranges and means give away together. */
KAN_MUST_USE kan_status kan_solution_note_means(const kan_solution *solution);

#endif
