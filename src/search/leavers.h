/* Leavers: which groups of a set keep the promise where a person may have several rows, and who is
 * left out. Models are given head counts (group/head_count.h), costs go on seeing rows, or
 * what they weigh.
 *
 *   by row      the rows of a group that fails leave. Other groups keep theirs, so one look is
 *               enough. The limit is of rows.
 *   by person   whoever has a row in a group that fails leaves with all of hers. Then other groups
 *               have fewer people, and may fail, too: it is repeated until none does. The limit is
 *               of people.
 *   histories   a person's history is what her rows show, each with how often she has it. Models look
 *               at the people of one history, in each of its rows by itself. Where one fails, all who
 *               have that history leave with all rows; nobody else's changes.
 *
 * Let a set of people be good at a node when all groups of their rows pass. Where a group that
 * passes absorbs any other (kan_promise.absorbs_any) the union of good sets is good, so there is a
 * greatest one, and it is what the repetition ends with: whoever belongs to a good set has rows in
 * passing groups alone, and never leaves. Going up merges groups, so a set that is good at a node
 * is good above it. Hence on the way up nobody leaves who stayed: searches may prune. Equal
 * histories stay equal on the way up, and what their people have in a row is still there, which is the
 * same. For other promises the repetition ends
 * with some good set, and a higher node may lose more people; searches that prune are refused.
 *
 * Where rows are counted and sets of columns are promised (kan_promise.subsets), it is the same with groups in
 * place of people: one that shows something too rare leaves, and others may have to (rare_sets.h).
 *
 * Households (kan_problem.counts_rows) are people here, but that models count rows: the groups of a set of
 * households are the union of theirs all the same, and whatever is said above holds. A model of households
 * (household_part) looks at the groups of all rows of one. Whoever fails it leaves once no group fails. What a row
 * adds never grows with its group, so that the union of good sets stays good (docs/papers/households.md).
 *
 * With pasts (kan_problem.has_pasts) models look at the parts of groups, the rows of one past in a group, and
 * those that fail leave, each by itself. Groups that merge merge the parts of one past and no others. So what
 * holds of groups holds of parts: where a part that passes absorbs any other, who stays at a node stays above it,
 * and where passing parts survive a merge, all stay where all did (docs/papers/over-time.md).
 *
 * Where the past of each person is known instead (kan_problem.pasts) histories begin with it, others may leave for
 * those who are out (repair.h), and newcomers may stay whose history fails (newcomers.h). With repair who stays at
 * a node need not stay above it.
 *
 * A model of the whole table (kan_promise.weighs_people) looks at all who are left. While it does not hold,
 * groups of the fewest people fail, too, and all of it goes on, until it holds or nobody is left. */
#ifndef KANON_SEARCH_LEAVERS_H
#define KANON_SEARCH_LEAVERS_H

#include "group/head_count.h"
#include "group/viewer.h"
#include "privacy/privacy.h"
#include "search/histories.h"
#include "search/newcomers.h"
#include "search/rare_sets.h"
#include "search/repair.h"

typedef struct kan_leavers {
    const kan_problem *problem;
    kan_head_count heads;
    kan_histories histories;
    kan_repair repair;       /* where those who are out are to be k */
    kan_newcomers newcomers; /* where they may be hidden */
    uint8_t *passes;         /* by group */
    size_t pass_room;
    uint8_t *is_gone; /* by person */
    uint64_t n_gone;
    const uint64_t *people; /* of a population, by group of the set in hand; NULL: there is none */
    uint64_t least;         /* smaller groups fail, for the models of the whole table */
    uint64_t *near;         /* by person: the people of her smallest group; 0: she is not there */
    uint64_t *n_of;         /* by such a number: people who have it */
    kan_freqset kept;       /* the tuples of those who stay */
    kan_rare_sets rare;     /* where sets of columns are promised */
    kan_viewer pasts; /* of the set in hand, where there are pasts: released are those that stay */
    kan_groups parted;
    /* For models of households: what a row of each group adds, the sum of each household, and where it
     * is close the tuples of each, with room for what they are judged by. */
    kan_u128 *parts, *sums;
    struct kan_household_tuple {
        size_t group;
        uint64_t n_rows;
    } * rows_of;
    size_t *start_of;
    uint64_t *sizes;
    size_t part_room, row_room, size_room;
} kan_leavers;

void kan_leavers_init(kan_leavers *leavers, const kan_problem *problem);
void kan_leavers_destroy(kan_leavers *leavers);

/* The groups of a set where kan_leavers_decide, checked: as kan_viewer_groups has them, with all
 * their rows, and the flags and numbers that kan_promise_check sets. A group is released when rows
 * of it stay. Beyond `enough` left out, n_left_out need not be exact, and n_suppressed is not; then
 * nothing else is to be used. */
KAN_MUST_USE kan_status kan_leavers_check(kan_leavers *leavers, const kan_promise *promise,
                                          const kan_freqset *set, uint64_t enough,
                                          kan_viewer *viewer, kan_groups *out);

/* Whether groups do not pass or fail each by itself, so that kan_leavers_check has to look at all. */
static inline bool kan_leavers_decide(const kan_problem *problem, const kan_promise *promise) {
    return problem->has_person || promise->subsets != NULL;
}

/* Whether a row may leave a group in which others stay: then costs see what kan_leavers_keep makes. */
static inline bool kan_leavers_thin(const kan_problem *problem, const kan_promise *promise) {
    return problem->has_pasts || promise->by_person;
}

/* The groups of a set, checked, whether people or rows are counted. */
KAN_MUST_USE kan_status kan_leavers_see(kan_leavers *leavers, const kan_promise *promise,
                                        const kan_freqset *set, kan_viewer *viewer,
                                        kan_groups *out);

/* Where they thin groups, after the check: the groups as costs measure them, the rows of those who stay.
 * Returns the set of these rows, which lives until the next call. */
KAN_MUST_USE kan_status kan_leavers_keep(kan_leavers *leavers, const kan_freqset *set,
                                         kan_viewer *viewer, kan_groups *groups,
                                         const kan_freqset **kept);
/* With pasts, after the check: the tuples of the parts that stay, or of those that leave, into a set that has
 * room for all and the layout of the one in hand. */
void kan_leavers_list_parts(const kan_leavers *leavers, bool stay, kan_freqset *to);

#endif
