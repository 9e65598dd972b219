/* The door of job/setup: the first half of the walk, the same for `anonymize`, `search` and
 * `compare`: from settings to a folded problem with its promise and its objective. Every problem of
 * one kind (columns, hierarchies) is told at once.
 *
 * May touch core, data, data/formula, io, group, privacy, cost, recode, search, analyze/workload, engine/star,
 * job/settings, job/input and job/tell. */
#ifndef KANON_JOB_SETUP_SETUP_H
#define KANON_JOB_SETUP_SETUP_H

#include "core/column_sets.h"
#include "data/formula/formula.h"
#include "group/pasts.h"
#include "job/input/input.h"
#include "job/tell/tell.h"
#include "ledger/ledger.h"
#include "search/search.h"

enum { KAN_MAX_METRICS = 32 };

/* --ledger: see setup_past.c. */
typedef struct kan_setup_past {
    kan_ledger *ledger;     /* NULL: there is none yet, and none is made */
    const kan_column *id;   /* whose values name people */
    kan_ledger_mark *marks; /* by code of it */
    kan_ledger_classes classes;
    /* Where there are earlier releases, one of: */
    kan_column column;               /* the past of each row */
    kan_pasts pasts;                 /* of each person */
    uint32_t *rank;                  /* --leavers repair */
    struct kan_setup_covers *covers; /* --attacker knows-if */
} kan_setup_past;

/* --for: see setup_purpose.c. */
typedef struct kan_setup_purpose {
    const char *text; /* as the user wrote it */
    kan_formula formula;
    size_t outcome;   /* its column */
    bool has_weights; /* columns that it does not use weigh less */
    bool is_taken;    /* it has an effect on the search */
    bool is_followed; /* on cuts, which look at the outcome; else by these weights */
    kan_purpose of;
} kan_setup_purpose;

typedef struct kan_setup {
    kan_job *job;
    kan_run *run;
    kan_input input;
    const kan_table *table; /* of the input, once it is read */
    const kan_role *roles;  /* by column of the table; in the job's arena */
    bool shows_person;      /* the column of --person is released as pseudonyms */
    bool keeps_others;      /* columns without a role are released as they are */
    const bool
        *modelled; /* by column: --regress or --classify look at it; NULL: neither is asked for */

    unsigned n_quasi;
    size_t quasi[KAN_MAX_ATTRIBUTES];      /* columns, in the order of the level vector */
    const char *specs[KAN_MAX_ATTRIBUTES]; /* hierarchy of each as the user wrote it, or NULL */
    kan_hierarchy *hierarchies[KAN_MAX_ATTRIBUTES];
    /* For searches that cut: the ordered domain of each, and what the user said of it, or NULL.
     * Local searches have domains, too, in the order of the hierarchies. */
    kan_domain *domains[KAN_MAX_ATTRIBUTES];
    const char *bins[KAN_MAX_ATTRIBUTES], *orders[KAN_MAX_ATTRIBUTES];
    /* Levels that may be chosen: what --level says of each, or NULL, and what it means. */
    const char *level_ranges[KAN_MAX_ATTRIBUTES];
    unsigned lowest[KAN_MAX_ATTRIBUTES], highest[KAN_MAX_ATTRIBUTES];
    bool is_torn[KAN_MAX_ATTRIBUTES]; /* the order of the domain is not that of the hierarchy */
    /* A solution that was given (--levels, --apply): nothing is searched. Cuts are in the job's
     * arena. */
    bool has_given;
    kan_recoding given;
    const char *given_path; /* of the result; NULL: --levels */
    json_t *given_result;
    bool has_seed;
    kan_recoding seed; /* has_seed: cuts to begin with; in the job's arena */
    /* What kan_setup_workload found; in the job's arena. */
    kan_query_box *queries;
    size_t n_queries;
    kan_setup_purpose *purpose; /* NULL: without; in the job's arena */

    kan_hierarchy *trees[KAN_MAX_TAILS]; /* of tails; NULL where there is none */
    unsigned is_second; /* a bit for each tail: the column of the one before, counted by number */
    const kan_column *person;    /* whose each row is, where people are counted (--person), or
                               * households by composition; or NULL */
    const kan_column *household; /* --household, or NULL */
    const kan_column
        *whose; /* the first tail of the space, where it has_person: one of these two */
    const kan_column *weight; /* how many people each row stands for, where a model asks; or NULL */
    kan_setup_past *past;     /* --ledger; NULL: without. In the job's arena */
    bool shows_weight;        /* the column of --sampling-weight is kept, too */
    /* --calibrate: its columns, whose values make strata; none: weights stay as they are. In the
     * job's arena. And the column of the weights. */
    size_t n_strata, *strata;
    size_t calibrated;
    kan_sampling sampling; /* of `weight`; its units are in the job's arena */

    /* What kan_setup_population found, where a model needs one. */
    kan_input people;
    bool has_people;
    size_t people_person; /* its column of --person, where people are counted */
    size_t people_columns[KAN_MAX_ATTRIBUTES]; /* of the quasi-identifiers, in the same order */
    kan_hierarchy *people_hierarchies[KAN_MAX_ATTRIBUTES];
    kan_population population;
    kan_claim_population claimed; /* the same for the recount */

    /* Where rows are counted at levels, in the engine that has them (setup_values.c): all values of the
     * columns, each column by itself, and how many rows there are; and once they are counted, at
     * which levels. The base knows nothing below these: a value stands there for its group. */
    kan_table *values, **value_tables;
    uint64_t n_valued;
    bool is_at_levels;
    unsigned fold_levels[KAN_MAX_ATTRIBUTES];
    bool is_counted; /* --counting engine: nothing is folded before the levels are known */
    struct kan_setup_star *star; /* what is counted in meanwhile; NULL: nothing is */

    kan_problem problem;
    uint64_t n_tuples; /* distinct quasi-identifiers; of is_at_levels those at the levels */
    kan_promise promise;
    /* --subsets: of which sets of quasi-identifiers groups are promised, each with its k. Searches over
     * levels look at them (kan_promise.subsets); the others promise groups of the largest k by all
     * columns at once, which is more. n = 0: all columns at once are meant. */
    kan_column_sets subsets;
    /* Groups of the promise are what a search begins with, and a release is held against the sets in
     * their place (search/sets/sets.h). */
    bool shows_sets;
    /* --missing-matches: groups of the promise are what a search begins with, and a release is held
     * against matches in their place (search/fits/fits.h). */
    bool matches_missing;
    /* --per-column: each value of each column is shown by k rows, and rows are in no groups. */
    bool is_per_column;
    kan_promise of_rows; /* the same limit, and nothing else */
    /* --strata: the column that keeps rows apart, its dimension in the problem; NULL: nothing does. */
    const kan_column *stratum;
    unsigned stratum_dimension;
    /* --importance: by quasi-identifier its rank, from 0; those that are not named share the last one.
     * n_ranks = 0: weights are followed. */
    unsigned n_ranks;
    uint8_t rank[KAN_MAX_ATTRIBUTES];
    /* Every cost of the registry, in its order, as it is measured here: of rows, or with --count people
     * of people; NULL: nobody has said what that would be. The one that searches make small is one of
     * them. */
    const kan_cost_kind *costs[KAN_MAX_METRICS], *cost;
    kan_objective objective;
    const kan_search_kind *search;
    /* What the search is to make, --recoding or its own; NULL: a search that says nothing of it. */
    const kan_recoding_kind *model;
    double read_ms, fold_ms;
} kan_setup;

/* Whether a cost of `costs` can be measured of this table. */
static inline bool kan_setup_can_measure(const kan_setup *setup, const kan_cost_kind *cost) {
    return cost && !(cost->needs_class && setup->problem.class_tail == KAN_NO_TAIL);
}

/* What groups of a solution have to keep. */
static inline const kan_promise *kan_setup_of_groups(const kan_setup *setup) {
    return setup->matches_missing || setup->is_per_column || setup->shows_sets ? &setup->of_rows
                                                                               : &setup->promise;
}
/* Takes --subsets, before the promise is made; KAN_BAD_INPUT where it fits no quasi-identifiers. */
KAN_MUST_USE kan_status kan_setup_take_subsets(kan_setup *setup);
/* Adds what the search can keep of it to the promise, of which the models are there. */
KAN_MUST_USE kan_status kan_setup_promise_subsets(kan_setup *setup);
/* Whether more is promised than was asked for, as the search knows no sets of columns. */
static inline bool kan_setup_asks_more(const kan_setup *setup) {
    return setup->subsets.n > 0 && !setup->promise.subsets && !setup->shows_sets;
}
/* No figure that is shared tells of fewer rows than this. */
static inline uint64_t kan_setup_least_told(const kan_setup *setup) {
    const uint64_t least = setup->promise.least_told;
    const uint64_t most = kan_column_sets_most_k(&setup->subsets);
    return least > most ? least : most;
}
/* KAN_BAD_INPUT where it is not defined beside what else is asked for. The promise is made. */
KAN_MUST_USE kan_status kan_setup_check_subsets(const kan_setup *setup);
/* How many sets of quasi-identifiers --subsets is about; UINT64_MAX: more than can be counted. */
uint64_t kan_setup_count_sets(const kan_setup *setup);
/* Whether --strata names a column. */
bool kan_setup_is_stratum(const kan_setup *setup, size_t column);
/* Takes --strata and --importance, which are for matches alone. The promise is made. */
KAN_MUST_USE kan_status kan_setup_take_strata(kan_setup *setup);
KAN_MUST_USE kan_status kan_setup_take_importance(kan_setup *setup);
/* Takes --missing-matches; KAN_BAD_INPUT where it is not defined. The promise is made. */
KAN_MUST_USE kan_status kan_setup_take_matches(kan_setup *setup);
/* The same of --per-column. */
KAN_MUST_USE kan_status kan_setup_take_per_column(kan_setup *setup);

/* Whether people are left out one by one, and told as people: with --person. With a ledger rows may be, each of
 * somebody else. */
static inline bool kan_setup_leaves_people(const kan_setup *setup) {
    return setup->promise.by_person && setup->whose;
}
/* The column that says whose each row is, where somebody leaves with all of hers. */
const kan_column *kan_setup_whose(const kan_setup *setup);
/* Whether there is --ledger; how many earlier releases it has. */
bool kan_setup_wants_ledger(const kan_setup *setup);
size_t kan_setup_n_earlier(const kan_setup *setup);
/* KAN_BAD_INPUT where it is not defined beside what else was set, before anything is read; the roles are
 * known. */
KAN_MUST_USE kan_status kan_setup_check_ledger(const kan_setup *setup);
/* Opens it, finds the past of each row, and adds it to the space as its first tail. */
KAN_MUST_USE kan_status kan_setup_take_past(kan_setup *setup);
/* What may not be relied on of the promise, which is made, where others leave for those who are out. */
void kan_setup_past_promise(kan_setup *setup);
/* The same once the promise and the search are known. */
KAN_MUST_USE kan_status kan_setup_check_past(const kan_setup *setup);
void kan_setup_destroy_past(kan_setup *setup);
/* What earlier groups showed, beside the pasts of people (setup_covers.c). */
KAN_MUST_USE kan_status kan_setup_take_covers(kan_setup *setup);
void kan_setup_destroy_covers(kan_setup *setup);

/* Whether costs count people (--count people). */
bool kan_setup_counts_people(const kan_setup *setup);

/* Whether a search needs domains (kan_problem.domains), and may release ranges and lists. */
static inline bool kan_search_orders(const kan_search_kind *kind) {
    return kind->cuts || kind->regions;
}

/* Whether a search cuts them: their order matters, and bins may make them. */
static inline bool kan_search_cuts(const kan_search_kind *kind) {
    return kan_search_orders(kind) && !kind->local;
}
/* Whether a flag that does nothing for the chosen search is an error. Where a solution is given, flags
 * may be those with which it was found. */
static inline bool kan_setup_refuses_unused(const kan_setup *setup) {
    return !setup->has_given && !setup->job->tolerates_unused;
}

/* Whether what is shown are nodes of the hierarchies: --recoding full-subtree, or local. */
bool kan_setup_shows_nodes(const kan_setup *setup);

/* Opens the table, and decides which of its columns are read, without reading them. Initialises the setup as
 * kan_setup_make does. */
KAN_MUST_USE kan_status kan_setup_open(kan_job *job, kan_setup *setup);
/* Reads the table, and finds its columns; kan_setup_bind may follow. Initialises the setup as
 * kan_setup_make does. */
KAN_MUST_USE kan_status kan_setup_read(kan_job *job, kan_setup *setup);

/* Whether the values of the columns are read first, each column by itself, and rows are counted
 * afterwards, at levels: where an engine has them, and levels are bounded from below, or --counting
 * engine says so. KAN_BAD_INPUT where it says so and something else would need more. See
 * setup_values.c. */
KAN_MUST_USE kan_status kan_setup_wants_values(const kan_setup *setup, bool *out);
/* A note where the rows of an engine were nearly all different, with the --level that would help. */
void kan_setup_tell_fold(const kan_setup *setup);
/* Reads them, in place of rows: columns of the table are not of one length then. */
KAN_MUST_USE kan_status kan_setup_read_values(kan_setup *setup);
/* KAN_BAD_INPUT where --counting engine cannot search this; the promise and the objective are made. */
KAN_MUST_USE kan_status kan_setup_check_counted(const kan_setup *setup);
/* n_tuples of what was folded. */
KAN_MUST_USE kan_status kan_setup_count_tuples(kan_setup *setup);
/* Counts the rows at these levels, and folds them. */
KAN_MUST_USE kan_status kan_setup_fold_at(kan_setup *setup, const unsigned *levels);
/* The same at the lowest levels that may be chosen, or lower where more is asked of the base. */
KAN_MUST_USE kan_status kan_setup_fold_low(kan_setup *setup);
/* Counts the rows where they are, once, at the lowest levels: before what follows. */
KAN_MUST_USE kan_status kan_setup_open_counted(kan_setup *setup);
/* Takes away what was counted in. */
KAN_MUST_USE kan_status kan_setup_end_counted(kan_setup *setup);
/* Searches where the rows are; the answer is as that of setup->search. */
KAN_MUST_USE kan_status kan_setup_search_counted(const kan_setup *setup,
                                                 const kan_question *question, kan_answer *out);
/* leaf_rows[leaf] becomes how many rows of groups of at least least_size rows, at these levels, have
 * each value of attribute `a`. One scan of the table, or none (kan_setup_open_counted). */
KAN_MUST_USE kan_status kan_setup_count_values(const kan_setup *setup, const unsigned *levels,
                                               unsigned a, uint64_t *leaf_rows);
/* Says that the table was changed between two counts. */
KAN_MUST_USE kan_status kan_setup_changed(const kan_setup *setup);
void kan_setup_destroy_values(kan_setup *setup);

/* Reads, binds, folds. The setup is initialised by this call, also when it fails: always destroy
 * it. */
KAN_MUST_USE kan_status kan_setup_make(kan_job *job, kan_setup *setup);
void kan_setup_destroy(kan_setup *setup);

/* The search and the recoding model, of --algorithm and --recoding; see setup_recoding.c. */
KAN_MUST_USE kan_status kan_setup_choose_search(kan_setup *setup);
/* For remedies that name a search over levels: what has to be done before, as the model that was
 * asked for would refuse it, or have this search chosen again. "" where nothing has. */
const char *kan_setup_before_levels(const kan_setup *setup);
/* The model of a solution that was given; the search is known. */
KAN_MUST_USE kan_status kan_setup_model_of_given(kan_setup *setup);
/* What the model means for hierarchies, before they are bound: those of values and * alone take the
 * place of the user's, or KAN_BAD_INPUT where a model that was asked for would have none. */
KAN_MUST_USE kan_status kan_setup_fit_specs(kan_setup *setup);

/* Gives every column its role; see setup_roles.c. The input is open. */
KAN_MUST_USE kan_status kan_setup_take_roles(kan_setup *setup);
/* Finds the columns that are treated; they have to be released. */
KAN_MUST_USE kan_status kan_setup_take_treatments(kan_setup *setup);
/* Finds the columns that --regress and --classify of a comparison look at; see setup_formulas.c. */
KAN_MUST_USE kan_status kan_setup_take_formulas(kan_setup *setup);
bool kan_setup_is_modelled(const kan_setup *setup, size_t column);
/* Whether a release shows it as what it is, so that a model can look at it. */
bool kan_setup_can_model(const kan_setup *setup, size_t column);
/* A note of the columns that nobody decided about. */
void kan_setup_tell_others(const kan_setup *setup);
/* Whether a column is in the release. */
bool kan_setup_releases(const kan_setup *setup, size_t column);
/* Whether it is released as pseudonyms. */
bool kan_setup_is_pseudonym(const kan_setup *setup, size_t column);
/* Whether it stands there as it is, though no model looks at it. */
bool kan_setup_keeps(const kan_setup *setup, size_t column);

/* What is released does not depend on who is left out: KAN_BAD_INPUT where rows may be, as `suppress` says, and decide
 * what a column is (kan_input_check_decided). */
KAN_MUST_USE kan_status kan_setup_check_decided(const kan_setup *setup, const char *suppress);

/* Binds a hierarchy to every quasi-identifier, and for a search that cuts its ordered domain; see
 * setup_domains.c. */
KAN_MUST_USE kan_status kan_setup_bind(kan_setup *setup);
KAN_MUST_USE kan_status kan_setup_bind_domains(kan_setup *setup);

/* What the user wants numbers to be shown as; KAN_SUMMARY_RANGE unless the search is one over
 * regions that are not nodes. */
kan_summary_form kan_setup_summary(const kan_setup *setup);
/* Whether a quasi-identifier has a mean: its numbers stand by value. */
bool kan_setup_has_mean(const kan_setup *setup, unsigned a);
/* What takes the place of the cells of a quasi-identifier; KAN_MIDDLE_NONE where they are shown. */
kan_middle kan_setup_middle(const kan_setup *setup, unsigned a);

/* Reads --apply, and chooses what stands in place of a search, with --levels too; then, once the
 * domains are bound, what was given becomes a recoding. See setup_given.c. */
KAN_MUST_USE kan_status kan_setup_read_given(kan_setup *setup);
KAN_MUST_USE kan_status kan_setup_take_given(kan_setup *setup);

/* Reads --level; the hierarchies are bound. See setup_levels.c. */
KAN_MUST_USE kan_status kan_setup_take_levels(kan_setup *setup);
/* Whether --level bounds any column. */
bool kan_setup_has_bounds(const kan_setup *setup);
/* "age 1..3, zip 2", as the user wrote it. */
void kan_setup_add_bounds(const kan_setup *setup, kan_text *text);

/* People with several rows; see setup_person.c. The column becomes the first tail of the space. */
KAN_MUST_USE kan_status kan_setup_take_person(kan_setup *setup);
/* How people are left out, before the promise is made; and what is refused, after it. */
void kan_setup_person_promise(kan_setup *setup);
KAN_MUST_USE kan_status kan_setup_check_person(const kan_setup *setup);

/* Households; see setup_household.c. Where it matters who is in one the column becomes the first tail. */
KAN_MUST_USE kan_status kan_setup_take_household(kan_setup *setup);
/* What is refused, after the promise is made. */
KAN_MUST_USE kan_status kan_setup_check_household(const kan_setup *setup);
/* Why no report can tell of such a release; NULL: one can. */
const char *kan_setup_lacks_report(const kan_setup *setup);
/* Whether households leave whole, and the limit is of them. */
bool kan_setup_leaves_households(const kan_setup *setup);
/* Whom the limit counts, and how many there are: "rows", "people", "households". */
const char *kan_setup_unit(const kan_setup *setup, uint64_t n);
uint64_t kan_setup_units(const kan_setup *setup);
/* The last of the kinds that are asked for which is_like says; NULL: there is none. */
KAN_MUST_USE kan_status kan_setup_wants_kind(const kan_setup *setup,
                                             bool (*is_like)(const kan_privacy_kind *),
                                             const kan_privacy_kind **out);

/* Reads the weights of --sampling-weight, and where a model asks for them makes them a tail; see
 * setup_weights.c. */
KAN_MUST_USE kan_status kan_setup_take_weights(kan_setup *setup);

/* Takes --calibrate, and asks for its columns to be read; KAN_BAD_INPUT where there are no released
 * weights, or it is not defined. The roles are known. See setup_calibrate.c. */
KAN_MUST_USE kan_status kan_setup_take_calibration(kan_setup *setup);
static inline bool kan_setup_calibrates(const kan_setup *setup, size_t column) {
    return setup->n_strata > 0 && setup->calibrated == column;
}
/* A column of --calibrate as it was read, before anything was done to it. */
static inline const kan_column *kan_setup_stratum(const kan_setup *setup, size_t i) {
    return &setup->input.raw->columns[setup->strata[i]];
}
/* "region, size" into `text`, as the user names them. */
void kan_setup_add_strata(const kan_setup *setup, kan_text *text);

/* Makes the other tails of the space: the sensitive columns, if a model looks at them, and the
 * class. Counts their values, and binds hierarchies to them. */
KAN_MUST_USE kan_status kan_setup_tails(kan_setup *setup);
/* Makes the models of the promise that the settings ask for, and notes sensitive columns that none
 * of them looks at. */
KAN_MUST_USE kan_status kan_setup_models(kan_setup *setup);

/* Reads the population, where a model needs one, binds the hierarchies to it and folds it. The space
 * is made. */
KAN_MUST_USE kan_status kan_setup_population(kan_setup *setup);
/* KAN_BAD_INPUT unless the population has everybody of the table, which is folded. */
KAN_MUST_USE kan_status kan_setup_check_people(kan_setup *setup);
void kan_setup_destroy_population(kan_setup *setup);

/* Reads the file of `seed-solution` into the seed, if the search has that option. The domains are
 * bound. */
KAN_MUST_USE kan_status kan_setup_read_seed(kan_setup *setup);

/* Reads the file of `workload`, if there is one, into boxes of places, for searches over regions.
 * The table is read and the domains are bound. */
KAN_MUST_USE kan_status kan_setup_workload(kan_setup *setup);

/* Takes --for; the promise, the search and the cost are known. KAN_BAD_INPUT where it is not defined, or has
 * no effect. */
KAN_MUST_USE kan_status kan_setup_take_purpose(kan_setup *setup);
/* Whether it has an effect; and the weight that it gives to a quasi-identifier. */
bool kan_setup_has_purpose(const kan_setup *setup);
double kan_setup_purpose_weight(const kan_setup *setup, unsigned a);

/* "'age', 'zip' and 3 more" into `room`, for notes: the columns of the quasi-identifiers that
 * is_listed says. Returns how many they are. */
size_t kan_setup_list_columns(const kan_setup *setup, const bool *is_listed, char *room,
                              size_t size);

#endif
