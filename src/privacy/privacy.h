/* Privacy models, and the promise that a release keeps: all models at once, with a suppression
 * limit.
 *
 * A model looks at groups and says which of them pass. Two flags say how that behaves when groups
 * merge; searches prune by them, so they must be true (a test tries them on random groups). Models
 * of sensitive values hold for each sensitive column by itself (alpha-k.txt, Definition 13); the
 * class is a tail, too, but none of these columns.
 *
 * A model of the whole table looks at all groups that the others let pass: while it does not hold,
 * the smallest of them leaves (settle.c), or the one of the highest risk (settle_risk.c). */
#ifndef KANON_PRIVACY_PRIVACY_H
#define KANON_PRIVACY_PRIVACY_H

#include "core/column_sets.h"
#include "core/options.h"
#include "group/problem.h"

/* What is left of the groups when the first of them have been left out. */
typedef struct kan_groups_left {
    uint64_t n_groups, n_rows;
    uint64_t n_small_rows; /* rows of groups that are smaller than the model's small_size */
    kan_u128 risk;         /* the sum of the model's risk_of */
} kan_groups_left;

/* What is left of the people, where they are counted: each stands for the people of the smallest
 * group that she is in. */
typedef struct kan_people_left {
    uint64_t n_people;
    size_t n_sizes;       /* sizes are below */
    const uint64_t *n_of; /* by size */
} kan_people_left;

/* The flags of a model of the whole table say of the rows that have to leave, where the other
 * models let groups pass that are merged of such: that none has to if none had before
 * (survives_merge), and that they never become more (absorbs_any). */
/* The released rows of a household. */
typedef struct kan_household_rows {
    kan_u128 parts;        /* the sum of household_part over its rows */
    size_t n;              /* groups, one after the other; they may repeat */
    const uint64_t *sizes; /* the rows of each, and */
    const uint64_t *times; /* how many of them are the household's */
} kan_household_rows;

enum { KAN_PRIVACY_TRIES = 3 };

typedef struct kan_privacy_kind {
    kan_kind kind; /* the first option turns the model on */
    /* For people who choose a promise: what it is to them, and some sentences that say more. NULL: the
     * name; the summary. */
    const char *title, *words;
    /* What is worth an estimate, each flags with values: "l 3", "at-risk 0.05 below 10". */
    const char *tries[KAN_PRIVACY_TRIES];
    bool survives_merge; /* ok(a) and ok(b) => ok(a+b): pruning is sound with nothing suppressed */
    bool absorbs_any;    /* ok(a) => ok(a+b) for any b: sound with suppression too */
    /* The two flags of a state, where its options decide them: then those above are true of every
     * state, and these may say more. NULL: they are those above. */
    void (*flags)(const void *state, bool *survives_merge, bool *absorbs_any);
    /* It is defined for people as well as for rows: what it is given may be a head count
     * (group/head_count.h). A model that does not say so is refused where people are counted. */
    bool counts_people;
    /* It holds values of a group against their shares in the table: a value is too frequent there
     * when its share is larger than that, not when it is larger than others. */
    bool is_relative;
    bool size_decides; /* a group passes exactly when it has least_size rows */
    /* Whether a group passes exactly when it has so many different values in each tail; then raises
     * least[tail] to these. NULL: false. */
    bool (*values_decide)(const void *state, uint64_t *least);
    bool needs_tallies; /* looks at sensitive values, or weights */
    bool
        needs_weights; /* looks at what rows stand for, and at no sensitive value: kan_problem.sampling */
    bool takes_size;   /* does not where --population-size or --sampling-fraction is given */
    bool needs_trees;  /* needs to know how far they are apart: kan_problem.tail_trees */
    bool needs_people; /* looks at kan_groups.people: kan_problem.population */
    bool needs_room;   /* puts groups into an order, in kan_groups.room: kan_problem.has_room */
    /* The state lives in the arena, and is immutable afterwards. */
    kan_status (*create)(kan_run *run, kan_arena *arena, const kan_options *options,
                         const kan_problem *problem, void **out);
    /* Fails with KAN_UNSATISFIED, and with what would be possible, when it is certain that no
     * release of at least one row keeps the model with at most `limit` rows suppressed. NULL:
     * nothing is certain. */
    kan_status (*check_possible)(kan_run *run, const void *state, const kan_problem *problem,
                                 uint64_t limit);
    /* Whether the model limits the rows that have that value of a tail: taking rows of another
     * value out of a group may break it, adding some cannot. NULL: any value. */
    bool (*limits)(const void *state, unsigned tail, uint32_t value);
    /* No smaller group can pass. */
    uint64_t (*least_size)(const void *state);
    /* It is known by what rows of the table have, those that will be left out among them, and so nothing
     * that is shared may tell it: kan_promise.least_told. */
    bool size_is_of_rows;
    /* Clears ok[g] of each group first .. end-1 that fails. Where ok[g] is cleared already, the
     * tallies of the group may be empty. */
    void (*check)(const void *state, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok);
    /* How many rows have to leave group g, at least, before what is left of it can pass, whichever
     * they are: any number that is not too large, 0 where the group passes. For models that
     * survive a merge; searches bound by it what is lost at nodes that they do not look at
     * (docs/papers/screen.md). NULL: one row where it fails. */
    uint64_t (*excess)(const void *state, const kan_groups *groups, size_t g);
    /* A model of the whole table, in place of `check`: whether it holds. It does for no group at
     * all, and once it holds, leaving out the smallest group keeps it. NULL: each group passes or
     * fails by itself. */
    bool (*holds)(const void *state, const kan_groups_left *left);
    uint64_t (*small_size)(const void *state); /* NULL: small rows are not looked at */
    /* The risk of the rows of a group, added up, in units of its own, at most 2^80. Where one model says
     * so, the group with the highest risk of a row leaves first, for all models of the whole table; one
     * such model at most is in a promise, and it needs room. NULL: the smallest leaves first. */
    kan_u128 (*risk_of)(const void *state, const kan_groups *groups, size_t g);
    /* A model of the whole table for which no group leaves by itself: whether it holds for the groups that
     * are released by all others. Where it does not, all groups of one row leave, and it holds of any groups
     * without these. It needs room. */
    bool (*holds_groups)(const void *state, const kan_groups *groups, const uint8_t *is_released);
    /* The same model where people are counted. It holds for nobody at all, and where it holds it does when
     * nobody leaves and any group grows. */
    bool (*holds_people)(const void *state, const kan_people_left *left);
    /* A model of households, in place of `check`: what each row of group g adds to its household, which never
     * grows when the group does; whether a household keeps the model, by the sum alone or, where `is_close` is
     * set, by its groups; and that it is about households (kan_problem.counts_rows), which leave whole. */
    kan_u128 (*household_part)(const void *state, const kan_groups *groups, size_t g);
    bool (*sum_decides)(const void *state, kan_u128 parts, bool *keeps);
    bool (*household_keeps)(const void *state, const kan_household_rows *rows);
    /* A group of so many rows is never left out for it. NULL: of the least size, where that decides; else
     * nobody knows. */
    uint64_t (*spared_size)(const void *state);
} kan_privacy_kind;

extern const kan_privacy_kind kan_privacy_k_anonymity;
extern const kan_privacy_kind kan_privacy_alpha;
extern const kan_privacy_kind kan_privacy_l_diversity;
extern const kan_privacy_kind kan_privacy_t_closeness;
extern const kan_privacy_kind kan_privacy_delta_disclosure;
extern const kan_privacy_kind kan_privacy_beta_likeness;
extern const kan_privacy_kind kan_privacy_average_risk;
extern const kan_privacy_kind kan_privacy_at_risk;
extern const kan_privacy_kind kan_privacy_k_map;
extern const kan_privacy_kind kan_privacy_presence;
extern const kan_privacy_kind kan_privacy_individual_risk;
extern const kan_privacy_kind kan_privacy_global_risk;
extern const kan_privacy_kind kan_privacy_household_risk;
extern const kan_privacy_kind kan_privacy_population_uniques;

/* Whether it is a model of the whole table. */
static inline bool kan_privacy_is_of_table(const kan_privacy_kind *kind) {
    return kind->holds || kind->holds_groups;
}

/* The two flags of a state of the kind. */
void kan_privacy_flags(const kan_privacy_kind *kind, const void *state, bool *survives_merge,
                       bool *absorbs_any);

enum { KAN_MAX_MODELS = 32 };

typedef struct kan_promise {
    unsigned n_models;
    struct {
        const kan_privacy_kind *kind;
        void *state;
    } models[KAN_MAX_MODELS];
    uint64_t limit; /* most rows that may be suppressed, or people */
    /* Where people are counted (kan_problem.has_person); search/leavers.h says what becomes of it.
     */
    bool by_person; /* whoever has a row that must leave leaves with all of hers */
    bool histories; /* k people have the same rows in all, not only in each group */
    /* Groups by every set of so many quasi-identifiers have their k rows (docs/papers/subsets.md): then
     * a group by all of them may leave for what others show. search/leavers.h settles it. NULL: nothing
     * is promised of sets. Borrowed. */
    const kan_column_sets *subsets;
    /* Of all models together: */
    uint64_t least_size;
    uint64_t least_told; /* the same by what was asked for alone, whatever rows have */
    uint64_t k; /* the least size of the models that the size decides; 1 where there is none */
    bool size_decides, needs_tallies, survives_merge, absorbs_any;
    uint64_t spared_size; /* no group of so many rows is left out; UINT64_MAX: nobody knows */
    /* A group passes exactly when it has k people, and so many different values in each tail. */
    bool people_decide;
    uint64_t least_values[KAN_MAX_TAILS];
    bool is_of_table;      /* some model is one of the whole table, and rows are counted */
    bool is_by_risk;       /* some model has a risk_of */
    bool needs_room;       /* some model puts groups into an order */
    bool weighs_people;    /* the same, and people are: search/leavers.h settles it */
    bool is_relative;      /* some model is */
    bool holds_households; /* some model is one of households */
} kan_promise;

/* Without a model nothing is promised: add at least one, or take sets of columns. */
void kan_promise_init(kan_promise *promise, uint64_t limit);
KAN_MUST_USE kan_status kan_promise_add(kan_promise *promise, kan_run *run, kan_arena *arena,
                                        const kan_privacy_kind *kind, const kan_options *options,
                                        const kan_problem *problem);

/* Promises groups by sets of columns, beside the models, or alone. Rows are counted. */
void kan_promise_take_subsets(kan_promise *promise, const kan_column_sets *subsets);

/* The models of a promise that the size of a group decides, alone, with the same limit: whatever
 * keeps the promise keeps these. Its states stay those of the promise. */
void kan_promise_by_size(const kan_promise *promise, kan_promise *out);

/* Whether generalizing further never breaks the promise once it holds, so that searches may prune:
 * no merge spoils a group, or, where nothing may be suppressed, no merge of passing groups does.
 *
 * Where people are counted only the first is left, because the people of two groups overlap: with
 * the people {1,2} and {2,3}, of whom 1 and 3 have a value, each group has it for one in two, and
 * both together for two in three. The models of the whole table look at each person by herself, in the
 * smallest group that she is in, which no merge makes smaller: where nobody may be left out they
 * survive any. */
bool kan_promise_is_monotone(const kan_promise *promise);

/* Whether everything may be left out. */
static inline bool kan_promise_takes_all(const kan_promise *promise, const kan_problem *problem) {
    return promise->limit >= (promise->by_person ? problem->n_people : problem->n_rows);
}

/* Fails with KAN_UNSATISFIED, and with what would be possible, when it is certain before any search
 * that nothing can be released under the promise. */
KAN_MUST_USE kan_status kan_promise_check_possible(const kan_promise *promise, kan_run *run,
                                                   const kan_problem *problem);

/* Whether some model limits the rows of that value: see kan_privacy_kind.limits. */
bool kan_promise_limits(const kan_promise *promise, unsigned tail, uint32_t value);

/* Rows of the groups with fewer than least_size rows; stops counting soon after `enough`. */
uint64_t kan_promise_small_rows(const kan_promise *promise, const kan_groups *groups,
                                uint64_t enough);
/* Checks every group: flags in is_released (room for n_groups), and the groups' members for costs.
 */
void kan_promise_check(const kan_promise *promise, kan_groups *groups, uint8_t *is_released);

/* Of the groups first .. end-1: clears ok[g] of each that fails a model of its own. */
void kan_promise_check_some(const kan_promise *promise, const kan_groups *groups, size_t first,
                            size_t end, uint8_t *ok);
/* Rows that have to leave group g, at least, before the rest of it can keep all models: see
 * kan_privacy_kind.excess. All of them where it has fewer than least_size. The group failed:
 * ok[g] is cleared, and is so afterwards. */
uint64_t kan_promise_excess(const kan_promise *promise, const kan_groups *groups, size_t g,
                            uint8_t *ok);

/* Whether every model of the whole table holds for the people who are left. */
bool kan_promise_weighs(const kan_promise *promise, const kan_people_left *left);

/* Clears is_released of the smallest groups until every model of the whole table holds: as few
 * groups as that takes, and so as few rows (docs/papers/table-models.md). Of groups of one size
 * those with the least values leave, attribute by attribute, so that every search and the release
 * leave out the same. A few passes over the groups, no memory. Where some model has a risk_of, it is
 * kan_promise_settle_by_risk. */
void kan_promise_settle(const kan_promise *promise, const kan_groups *groups, uint8_t *is_released);

/* The same from the highest risk of a row on, one group after the other until all models hold. Of groups
 * of one risk the smaller one leaves first, then that with the least values. In kan_groups.room; n + m
 * log n steps where m of n groups leave. */
void kan_promise_settle_by_risk(const kan_promise *promise, const kan_groups *groups,
                                uint8_t *is_released);

#endif
