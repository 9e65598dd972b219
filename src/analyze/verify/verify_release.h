/* Verification: is a table what it is said to be? Everything here is counted again from the
 * released values themselves, by code that shares nothing with the search that made them.
 *
 *   kan_verify_recount   how many rows look alike: the groups of a table
 *   kan_recount_holds    whether these groups keep the promise of k-anonymity
 *   kan_verify_recount_models   the same, and what the groups tell of sensitive values
 *   kan_verify_means     whether columns show the mean, median or mode of their group
 *   kan_verify_release   all of it, for a file that was just written
 */
#ifndef KANON_ANALYZE_VERIFY_VERIFY_RELEASE_H
#define KANON_ANALYZE_VERIFY_VERIFY_RELEASE_H

#include "analyze/calibrated/calibrated.h"
#include "analyze/cover/cover.h"
#include "analyze/tuples/tuples.h"
#include "analyze/verify/claim.h"
#include "analyze/verify/recount_kind.h"
#include "core/hash.h"
#include "data/hierarchies/hierarchies.h"
#include "data/treatment.h"
#include "io/source.h"

/* ---- groups --------------------------------------------------------------------------------- */

enum { KAN_RECOUNT_EXAMPLES = 5 };

/* What was counted. A group is a set of rows that show the same value in each of the columns; it is
 * small when it has fewer than k rows. Where a person may have several rows (kan_claim.person) all
 * sizes are numbers of different people, and so is what models count. */
typedef struct kan_recount {
    uint64_t k;
    uint64_t n_rows;
    uint64_t n_groups, smallest_group, largest_group; /* sizes in rows; 0 without any group */
    uint64_t n_small_groups, n_small_rows;
    bool counts_people;
    uint64_t n_star_rows; /* rows that show exactly * in each of the columns */
    bool star_is_small;   /* there are such rows, and fewer than k */
    size_t n_examples;
    uint64_t examples[KAN_RECOUNT_EXAMPLES]; /* rows, from 0, each the first of a small group; in
                                                order */
} kan_recount;

/* Groups the rows of a sealed table by encoded columns. O(rows * columns); memory for the distinct
 * tuples. */
KAN_MUST_USE kan_status kan_verify_recount(kan_run *run, const kan_table *release,
                                           const size_t *columns, size_t n_columns, uint64_t k,
                                           kan_recount *out);
/* The same of groups that were counted before. */
void kan_recount_sum(const kan_recount_groups *groups, uint64_t k, kan_recount *out);

/* Whether every group has at least k rows, that of * included: whoever knows that somebody was
 * suppressed looks for her there. Rows that show nothing at all are set aside before (blank.h). A
 * table without rows never holds. */
bool kan_recount_holds(const kan_recount *recount);

/* ---- sensitive values ----------------------------------------------------------------------- */

/* What was counted for one model, over all groups and all sensitive columns. */
typedef struct kan_model_recount {
    bool holds;
    /* Groups that fail in any column, and their rows, or people. Of histories: those of which a part
     * fails (recount_people.h), and their people. */
    uint64_t n_failing_groups, n_failing_rows;
    bool star_fails; /* the group of * rows is one of them */
    size_t n_examples;
    uint64_t examples[KAN_RECOUNT_EXAMPLES]; /* as in kan_recount, of failing groups */
    /* What was reached, where there is any group, in the worst of them: a fraction, such as the
     * largest share of one value or the greatest distance, or a whole number, such as the least l
     * (for recursive diversity the greatest that the group keeps with this c; 0: none), or neither:
     * exp(entropy). */
    bool is_reached;
    kan_u128 part, whole; /* whole > 0 where it is reached */
    uint64_t count;
    bool is_count;  /* what is told is the whole number */
    double reached; /* any of these as a number, for people */
    size_t column;  /* of the claim: where that is */
} kan_model_recount;

/* What all rows of a person show, over all people: kan_claim.histories. */
typedef struct kan_history_recount {
    uint64_t n_people, n_histories;
    uint64_t fewest_people; /* who have the same one; 0 without any */
    uint64_t n_rare_people; /* whose history fewer than k have */
} kan_history_recount;

/* Who fits whom where a hidden or missing cell fits anything: kan_claim.fits. */
typedef struct kan_fits_recount {
    bool is_counted, holds;
    uint64_t k;
    /* By sets of columns: how many there are, and by how many of them somebody has too few, or may have.
     * The numbers below are then of the set where they are worst, each by itself. */
    uint64_t n_sets, n_failing_sets;
    uint64_t fewest_people;                /* whom a released row fits */
    uint64_t fewest_rows;                  /* that fit a released person */
    uint64_t n_small_rows, n_small_people; /* with fewer than k */
    /* Where it is not known who is released: those who may have fewer than k. The fewest are then the
     * least that they may be. */
    uint64_t n_open_rows, n_open_people;
    uint64_t n_hidden;   /* cells of * and missing ones */
    double average_risk; /* over released people: one over the rows that fit her */
    size_t n_examples;
    uint64_t examples[KAN_RECOUNT_EXAMPLES]; /* rows that fit fewer than k people, from 0 */
} kan_fits_recount;

/* How many rows show each value of each column by itself: kan_claim.by_column. */
typedef struct kan_columns_recount {
    bool is_counted, holds;
    uint64_t k;
    uint64_t fewest_rows;    /* that show a value of a column */
    size_t column;           /* where that is: a place in the question's quasi-identifiers */
    uint64_t n_small_values; /* that fewer than k rows show, over all columns */
    uint64_t n_small_rows;   /* that show such a value in some column */
    uint64_t n_alone;        /* rows that show in all columns together what no other does */
    size_t n_examples;
    uint64_t examples[KAN_RECOUNT_EXAMPLES]; /* of those of n_small_rows, from 0 */
} kan_columns_recount;

/* The fewest matches of any row or person. */
static inline uint64_t kan_fits_fewest(const kan_fits_recount *fits) {
    return fits->fewest_people < fits->fewest_rows ? fits->fewest_people : fits->fewest_rows;
}

typedef struct kan_models_recount {
    kan_recount groups;
    kan_fits_recount fits; /* where the claim is of them: whoever has the original counts them */
    kan_columns_recount columns; /* where the claim is of them */
    bool has_histories;
    kan_history_recount histories; /* where the claim is of them */
    size_t n_models;               /* those of the claim, in its order */
    kan_model_recount models[KAN_CLAIM_MODELS];
    /* With a population: rows of groups beyond the people who match them, the first row, from 1, of
     * such a group (0: none), and the quasi-identifier whose value there matches nobody at all, a
     * place in the question's (SIZE_MAX: no single one). */
    uint64_t n_missing_people, first_missing;
    size_t missing_fault;
} kan_models_recount;

typedef struct kan_models_question {
    const kan_table *release; /* sealed; the columns are encoded */
    const size_t *quasi;
    size_t n_quasi;
    const kan_claim *claim;
    /* By column of the claim: what the rows of the release show of it. Usually a column of the
     * release; another will do that has the same number of rows. */
    const kan_column *const *sensitive;
    /* By row, where the claim is about people: a number of the person who has it. */
    const uint32_t *person_of;
    /* Where the claim needs weights: a column that has them, and by row of the release its row there;
     * NULL: the same. */
    const kan_column *weight;
    const uint64_t *weight_row;
    /* By row, where a model of the claim is about households: a number of the one that has it. */
    const uint32_t *household_of;
} kan_models_question;

/* Groups the rows by the quasi-identifiers, counts the values of each sensitive column in each
 * group, and holds them against every model of the claim, by its definition. All is exact, in
 * integers of 128 bits, except entropy; KAN_FAILED where a table is so large (2^47 rows) that they
 * might not suffice.
 *
 * Distances are to the values' shares in the whole table, as the claim has them: suppressed rows
 * included where the claim was made from the original, else those of the release itself. A released
 * value that the whole table does not have is at distance 1.
 *
 * O(rows * columns) for counting, then for each group a sort of its values; memory for the distinct
 * tuples and for the distinct pairs of group and value. */
KAN_MUST_USE kan_status kan_verify_recount_models(kan_run *run, const kan_models_question *question,
                                                  kan_models_recount *out);

/* The part of it that looks at what each column shows by itself (kan_claim.by_column): every text of a
 * column counts its rows. O(rows * columns). */
KAN_MUST_USE kan_status kan_verify_columns(kan_run *run, const kan_models_question *question,
                                           kan_columns_recount *out);

/* Whether k, histories and every model hold. */
bool kan_models_recount_holds(const kan_models_recount *recount);
/* Whether every history is that of k people; true where none was promised. */
static inline bool kan_histories_hold(const kan_models_recount *recount) {
    return !recount->has_histories || recount->histories.n_rare_people == 0;
}

/* Suppressed rows are kept with what they show beside the quasi-identifiers: where the group of *
 * does not keep the promise that is not our fault but KAN_UNSATISFIED, with a remedy. */
KAN_MUST_USE kan_status kan_verify_shown_suppressed(kan_run *run, const kan_claim *claim,
                                                    const kan_models_recount *recount);

/* The recount of a table in which no row shows anything: there is no group, and every model holds.
 */
void kan_models_recount_nothing(const kan_claim *claim, kan_models_recount *out);

/* ---- means ---------------------------------------------------------------------------------- */

/* What stands in the middle of a group, and is shown in place of what covers it. */
typedef enum kan_middle {
    KAN_MIDDLE_NONE,
    KAN_MIDDLE_MEAN,
    KAN_MIDDLE_MEDIAN, /* the lower of two numbers in the middle */
    KAN_MIDDLE_MODE    /* the most common value, of several the first by its bytes */
} kan_middle;

/* "means", "medians", "modes". */
const char *kan_middle_plural(kan_middle middle);

/* A column of the release that shows the middle of an original column over the rows of its group. */
typedef struct kan_mean_pair {
    size_t released, original;
    kan_middle middle;
} kan_mean_pair;

/* Both tables have the same rows. A group is what shows the same in each of the columns, those of
 * means among them. */
typedef struct kan_means_question {
    const kan_table *release, *original; /* sealed; all columns are encoded */
    const size_t *columns;               /* of the release */
    size_t n_columns;
    bool is_by_column; /* a group is what shows the same in the column of means alone */
    const kan_mean_pair *means;
    size_t n_means;
    const uint64_t *order; /* as in kan_cover_question */
} kan_means_question;

/* *fault is NULL when every group shows in each column of means the mean of the numbers that its
 * original rows have, to six digits after the point, rounded half away from zero, or the median or
 * mode of what they have, and * where all of it is unknown; else it is the first pair that does
 * not, one of the question's. Sums are exact; where they do not fit it is KAN_FAILED.
 * O(rows * columns). */
KAN_MUST_USE kan_status kan_verify_means(kan_run *run, const kan_means_question *question,
                                         const kan_mean_pair **fault);
/* The same of one column of modes, whatever its middle is said to be: group_of[row] < n_groups, and
 * what a group shows is what its first row does. */
KAN_MUST_USE kan_status kan_verify_modes(kan_run *run, const kan_means_question *question,
                                         const kan_mean_pair *pair, const uint32_t *group_of,
                                         const uint64_t *first_row, size_t n_groups, bool *holds);

/* ---- a file that was just written ----------------------------------------------------------- */

typedef struct kan_release_check {
    const kan_table *table; /* the release, where it is in memory; NULL: it is in a file */
    const char *path;       /* where the bytes are, and how they are read */
    const kan_source_kind *kind;
    kan_source_options options;
    const char *const *columns; /* names that the header must have, in order */
    size_t n_columns;
    const bool *as_is; /* by column: read as they are (io/source.h); NULL: none */
    uint64_t n_rows;   /* that the file must have */
    uint64_t k;
    const kan_claim *claim; /* k and models; NULL: k alone is promised */
    /* Suppressed rows are kept: at least so many show nothing but *, in every column, and are set
     * aside. */
    uint64_t n_blank;
    bool shows_suppressed;      /* kan_verify_shown_suppressed; with `claim` */
    bool is_shuffled;           /* rows may stand in another order than the original's: */
    const uint64_t *order;      /* that of kan_cover_question; NULL: in any */
    const uint8_t *is_left_out; /* as in kan_cover_question */
    /* Where the claim is about people, or needs weights, or these were calibrated, or strata: whose each row of the original is, what it
     * stands for, in which stratum it is, and every row of it once, those that the release shows first, in its order, and
     * behind them those that were left out. */
    const kan_column *person, *weight, *strata;
    /* The same of households that are released whole or not at all, which is checked. */
    const kan_column *household;
    const uint64_t *row_of;
    /* Is asked of the table that was read again, and of what is promised of it; row_of[row] is the row of the
     * original, which the cover holds it against afterwards. Not asked where no row shows anything. Needs a
     * claim, row_of and the original; NULL: nobody is asked. */
    const struct kan_release_follower {
        kan_status (*follow)(void *context, const kan_models_question *question,
                             const uint64_t *row_of);
        void *context;
    } * follower;
    /* A counted release may come with what each row of the original shows, and every row of the
     * original once, first those that are shown, in this order: rows need not be searched for then.
     * It is not believed (told.c). NULL: nobody says. */
    const kan_table *told;
    const uint64_t *told_rows;
    /* NULL, for a table alone: groups are counted, and nothing is compared. */
    const kan_table *original;
    /* Where the claim is of matches: the table before, also without `original`, and which of its rows
     * have no released one; NULL: each has. */
    const kan_table *people;
    const uint8_t *has_left;
    struct kan_fits_sizes *fits_sizes; /* is made (recount_fits.h); NULL: nobody asks */
    /* Columns of the original that were treated, and the table before; also without `original`,
     * which is `treated` then. */
    const kan_table *raw, *treated;
    const kan_treatment *treatments;
    size_t n_treatments;
    const char *const *quasi;                /* names of the quasi-identifiers, means aside */
    const kan_hierarchy *const *hierarchies; /* one per quasi-identifier, bound to the original */
    size_t n_quasi;
    bool reads_intervals; /* as in kan_cover_question */
    const char *const
        *others; /* names of further columns to be compared; encoded in the original */
    size_t n_others;
    /* Released weights that were calibrated, with row_of: these are no `others`. NULL: there are none. */
    const kan_calibrated_claim *calibrated;
    const struct kan_mean_names {
        const char *released, *original;
        kan_middle middle;
    } * means; /* columns that show means, and what of; they count as quasi-identifiers */
    size_t n_means;
} kan_release_check;

typedef struct kan_release_report {
    kan_recount recount;
    kan_models_recount models; /* with `claim` */
    kan_cover cover;
} kan_release_report;

/* The one check of a release, in a file, which is read again, or in memory: columns, number of
 * rows, groups, models, cover, means. What does not hold is KAN_FAILED with a text that asks for a
 * report: it is a fault of ours, never the user's. */
KAN_MUST_USE kan_status kan_verify_release(kan_run *run, const kan_release_check *check,
                                           kan_release_report *out);

#endif
