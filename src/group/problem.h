/* The problem: the folded data with all that is known of its columns. Made once, then read only, by
 * every thread. */
#ifndef KANON_GROUP_PROBLEM_H
#define KANON_GROUP_PROBLEM_H

#include "data/domain/domain.h"
#include "group/freqsets/freqsets.h"
#include "group/population.h"
#include "group/view.h"

enum { KAN_NO_TAIL = -1 };

/* How many people of a population each row stands for, where a model asks: a tail, and for each of its
 * values the weight in whole units, so that sums are the same in any order. */
typedef struct kan_sampling {
    unsigned tail;
    uint32_t n_values;
    const uint64_t *units; /* by value of the tail */
    uint64_t total;        /* over all rows, below 2^62 */
    double one;            /* units of a person */
} kan_sampling;

typedef struct kan_problem {
    kan_run *run;
    kan_space space;  /* quasi-identifiers in the user's order, then tails */
    kan_freqset base; /* all of the space at level 0 */
    bool is_unfolded; /* there is no base, as it would not fit into memory: rows are looked at */
    uint64_t n_rows;  /* of the input, also where the table is a counted one and has fewer */
    double weights[KAN_MAX_ATTRIBUTES]; /* 1 unless the user said otherwise */
    bool is_weighted;
    int class_tail; /* place among the tails, or KAN_NO_TAIL */
    /* While a privacy model is created, a bit for each tail: those that it does not look at, and
     * those of them that none of its kind looks at. */
    unsigned passed_over, left_alone;
    /* A person may have several rows: the first tail says whose each is, and models count people.
     * Costs go on counting rows, but where they are told to count people. */
    bool has_person;
    uint64_t n_people;
    /* With has_person: the first tail is the household. Each row is somebody else, models count rows, and
     * the first tail says alone who leaves together. */
    bool counts_rows;
    /* With counts_rows: the first tail is the past of whoever has the row, which is what she shared with whom in
     * earlier releases. Models look at each part of a group by itself, the rows of one past, and a part
     * leaves without the others. */
    bool has_pasts;
    /* Where the first tail is the person: what each went through in earlier releases. Borrowed; NULL: nothing is
     * known of any. */
    const struct kan_pasts *pasts;
    const struct kan_person_weights *weights_of; /* where costs count people; else NULL */
    /* Of each tail: rows of each value (kan_problem_count_tails), with a person the people who have
     * it; and what is known of its values beside their order, for models that measure how far they
     * are apart; NULL where nothing is. */
    const uint64_t *tail_rows[KAN_MAX_TAILS];
    uint64_t tail_totals[KAN_MAX_TAILS]; /* with a person: the sum of these over all values */
    const kan_hierarchy *tail_trees[KAN_MAX_TAILS];
    const kan_sampling *sampling; /* borrowed; NULL: no model asks */
    bool has_room; /* the promise puts groups into an order: views have kan_groups.room */
    const kan_population *population;              /* borrowed; NULL: the promise needs none */
    const kan_domain *domains[KAN_MAX_ATTRIBUTES]; /* NULL unless the search cuts */
    const uint64_t *leaf_rows[KAN_MAX_ATTRIBUTES]; /* rows of each level-0 group */
    /* Shares of domains are summed as whole numbers, so that no order of summing changes a cost.
     * One is the least number of units in which every share of every attribute is whole, so that
     * costs that are equal by definition tie; where that is not known, or too large, a fixed
     * number, and shares are rounded. */
    uint64_t share_one;
    /* shares[a][level][group] in units of 1 / share_one, the greatest of a level, and their sum
     * over all rows. */
    uint64_t **shares[KAN_MAX_ATTRIBUTES];
    uint64_t *share_most[KAN_MAX_ATTRIBUTES];
    kan_u128 *share_sums[KAN_MAX_ATTRIBUTES];
} kan_problem;

/* Whether models count people in the place of rows. */
static inline bool kan_problem_counts_people(const kan_problem *problem) {
    return problem->has_person && !problem->counts_rows;
}

/* What the shares of a tail's values in the whole table are of. */
static inline uint64_t kan_problem_tail_total(const kan_problem *problem, unsigned tail) {
    return kan_problem_counts_people(problem) ? problem->tail_totals[tail] : problem->n_rows;
}

/* Whether a tail is that of the weights, which are no sensitive values. */
static inline bool kan_problem_is_sampling(const kan_problem *problem, unsigned tail) {
    return problem->sampling && problem->sampling->tail == tail;
}

/* ---- tuples: those of the base, or the rows of a problem that is not folded ---------------------
 */

static inline size_t kan_problem_tuples(const kan_problem *problem) {
    return problem->is_unfolded ? (size_t)problem->n_rows : problem->base.n;
}
static inline uint64_t kan_problem_tuple_rows(const kan_problem *problem, size_t tuple) {
    return problem->is_unfolded ? 1 : problem->base.counts[tuple];
}
/* The level-0 group of a tuple in an attribute, or its value in a tail. */
static inline uint32_t kan_problem_tuple_value(const kan_problem *problem, size_t tuple,
                                               unsigned dimension) {
    const kan_dimension *d = &problem->space.dimensions[dimension];
    if (!problem->is_unfolded)
        return kan_key_field_value(&problem->base.layout.fields[dimension],
                                   problem->base.keys + tuple * problem->base.layout.n_words);
    const uint32_t code = kan_column_code(d->column, tuple);
    return d->hierarchy ? d->hierarchy->leaf_of[code] : kan_dimension_value(d, code);
}
/* Tuples that were walked in order are not needed for a while. */
void kan_problem_done(const kan_problem *problem, size_t first, size_t n);

/* Counts the rows of each value of every tail, or the people who have it, from the columns: the
 * space has its tails, and nothing need be folded. Models look at these numbers when they are
 * created. n_rows are those of the table here and below. */
KAN_MUST_USE kan_status kan_problem_count_tails(kan_problem *problem, uint64_t n_rows);
/* Folds the table's rows. `problem->space`, class_tail and weights are set up before. */
KAN_MUST_USE kan_status kan_problem_fold(kan_problem *problem, uint64_t n_rows);
/* Counts what costs need of the folded rows: rows of each value, sums of shares. */
KAN_MUST_USE kan_status kan_problem_measure(kan_problem *problem);
/* The same before anything is folded, from columns of which each has its own rows: all its values,
 * each with its number of rows. */
KAN_MUST_USE kan_status kan_problem_measure_columns(kan_problem *problem);
void kan_problem_destroy(kan_problem *problem);

#endif
