/* The inside of the command `verify`: reading and checking (walk_verify.c, verify_models.c,
 * verify_means.c, verify_columns.c), and telling (verify_result.c). */
#ifndef KANON_JOB_VERIFY_VERIFY_INSIDE_H
#define KANON_JOB_VERIFY_VERIFY_INSIDE_H

#include "analyze/over_time/over_time.h"
#include "analyze/recodings/recodings.h"
#include "job/tell/tell.h"
#include "job/verify/verify_side.h"
#include "ledger/ledger.h"

/* Rows whose lines are told: examples of groups that are small or fail a model, and the first row
 * without an original one. */
enum { KAN_MOST_PLACES = KAN_RECOUNT_EXAMPLES * (1 + KAN_CLAIM_MODELS) + 1 };

/* What became of the means of groups. */
typedef enum kan_means_state {
    KAN_MEANS_NONE,
    KAN_MEANS_HOLD,
    KAN_MEANS_WRONG,     /* a column shows something else */
    KAN_MEANS_SHUFFLED,  /* not checked: which rows are of a group is not known */
    KAN_MEANS_INCOMPLETE /* not checked: rows of the original are missing, or rows have none */
} kan_means_state;

/* What became of the people of the original. */
typedef enum kan_people_state {
    KAN_PEOPLE_UNASKED, /* rows are counted, or leave by themselves; or there is no original */
    KAN_PEOPLE_WHOLE,
    KAN_PEOPLE_TORN, /* somebody has some of her rows in the release, whichever they are */
    KAN_PEOPLE_FEWER /* suppressed rows are said to be kept, and the release has fewer, or more */
} kan_people_state;

/* A column NAME-mean of the release, of quasi-identifier NAME. */
typedef struct kan_mean_column {
    bool is_there;
    size_t column;
} kan_mean_column;

/* --ledger: the release together with the earlier ones (verify_ledger.c). */
typedef struct kan_verify_ledger {
    kan_ledger *file;     /* NULL: it is not asked about */
    size_t id;            /* the column of the original whose values name people */
    bool is_known;        /* the ledger has a release of the very bytes of this one: */
    size_t at;            /* which it is; those before it are the earlier ones */
    bool agrees;          /* rows, people and groups are those that the ledger has */
    const char *why_open; /* who is in which group cannot be told; NULL: it can */
    bool is_counted;
    kan_over_time_recount found;
} kan_verify_ledger;

/* The tables that roles are held against. */
enum { KAN_VERIFY_RELEASE, KAN_VERIFY_ORIGINAL };

typedef struct kan_verification {
    kan_job *job;
    kan_run *run;
    kan_verify_side release, original;
    bool has_original;
    kan_roles roles;
    size_t n_quasi;
    size_t *quasi_columns;       /* of the release */
    size_t *quasi_originals;     /* the same of the original */
    const char **specs;          /* hierarchy of each as the user wrote it, or NULL */
    kan_mean_column *mean_of;    /* of each */
    kan_hierarchy **hierarchies; /* of each, or NULL */
    kan_summary_form summary;    /* what numbers are said to be shown as */
    bool shows_modes;            /* text is said to be shown as modes */
    size_t n_groups_by;          /* columns of the release by which rows are grouped: */
    size_t *groups_by;           /* the quasi-identifiers, and their means */
    size_t n_covers, n_others;   /* columns to be compared: */
    kan_cover_pair *covers;      /* quasi-identifiers, except those that show means */
    kan_cover_pair *others;      /* must be equal */
    size_t n_means;              /* columns that show means: */
    kan_mean_pair *means;
    /* --person: the column of the release, or else of the original; NULL: rows are counted. Where households
     * leave whole that of --household, and they are meant wherever people are: they are counted by
     * composition (claim.person), else rows are. */
    const char *person;
    bool of_households;
    bool person_is_released;
    uint32_t *person_of; /* by row of the release */
    uint64_t *
        original_of; /* the same: its row of the original, where that is how it is known whose it is */
    uint64_t n_people;   /* in the table that says who has which row */
    uint64_t n_left_out; /* of these, who has no row in the release */
    /* Whose the rows are is not known, and why; person_of is NULL then. */
    bool people_are_open, is_uncounted; /* and what is promised needs to know it */
    char why_open[200];
    /* --missing-matches: it is not known who was left out, and whether it holds depends on that; or that
     * nothing could be counted, and why. */
    bool matches_are_open;
    const char *why_uncounted;
    bool
        has_strata; /* --strata: a column of the original; and of the release, where that has it, too */
    size_t stratum, stratum_released;
    /* People are released whole (--suppress-by person), with the original. */
    kan_people_state people_state;
    /* Where a model needs weights: a column that has them, and by row of the release its row there;
     * NULL: the same. */
    bool needs_weights;
    const kan_column *weight;
    uint64_t *weight_row;
    size_t n_strata,
        *strata;        /* --calibrate: columns of the original; none: weights are as they were */
    bool is_unchanged;  /* and no row is missing: these make nothing of them */
    bool is_calibrated; /* and they are what these make of them */
    kan_claim claim;
    /* Where a model needs a population: */
    bool has_people;
    kan_verify_side people;
    size_t *people_columns;             /* of each quasi-identifier */
    kan_hierarchy **people_hierarchies; /* of each, or NULL */
    kan_claim_population claimed;
    size_t people_person;  /* its column of --person, where people are counted */
    bool keeps_suppressed; /* rows of nothing but * were suppressed, and tell nothing */
    kan_models_recount models;
    kan_recount recount; /* the groups of the models */
    kan_cover cover;
    /* --recoding: what became of the rule; and cells whose label means less than it says, where
     * the rows of the original are known (counts_narrow). */
    const char *recoding;
    kan_shape_verdict shape;
    bool counts_narrow;
    uint64_t n_narrow;
    bool groups_hold, models_hold; /* k; k and all models */
    bool columns_are_decided;      /* somebody said what becomes of columns without a role */
    kan_text column_faults;        /* one line each */
    size_t n_column_faults;
    /* Rows that were left out, where there is a limit, and the number is known. */
    bool has_limit, knows_suppressed;
    uint64_t limit, n_suppressed;
    bool blank_is_open;     /* rows of nothing but * may be a group, and are not among these */
    bool blank_is_unjudged; /* and of such a group more was promised than its size */
    kan_verify_ledger ledger;
    kan_beside beside;        /* what the file has beside the table */
    const char *beside_fault; /* of that, what has a value that no released row shows; NULL: none */
    kan_means_state means_state;
    const kan_mean_pair *means_fault; /* KAN_MEANS_WRONG: the first such column */
    const char *new_numbers; /* a quasi-identifier whose numbers no original row has; NULL: none */
    /* Places in the release: rows from 0, in order, and the lines on which they start. */
    size_t n_places;
    uint64_t rows[KAN_MOST_PLACES], lines[KAN_MOST_PLACES];
    bool has_lines;
    double start_ms, read_ms, verify_ms;
} kan_verification;

/* Rows of a table in a database come sorted by their values, and those of a file that was made of it by
 * what they show: where both look alike in order, that is chance. */
bool kan_verify_comes_unordered(const kan_verification *v);

/* ---- verify_models.c ------------------------------------------------------------------------ */

/* A problem where a sensitive column is one of means, which are found. */
KAN_MUST_USE kan_status kan_verify_check_sensitive(const kan_verification *v);
/* Recounts the groups, and holds them against k and every model. */
KAN_MUST_USE kan_status kan_verify_check_models(kan_verification *v,
                                                const kan_cover_question *question);

/* ---- verify_strata.c, verify_matches.c ------------------------------------------------------ */

/* --strata, before the tables are read: which column of the original it is. */
KAN_MUST_USE kan_status kan_verify_find_strata(kan_verification *v);
/* Whether it is known in which stratum each row of the release is, by the order of the rows; row_of[row] is
 * then a row of the original that is in it. Of a release of all rows, and of one as far as it is known which
 * rows it has. */
KAN_MUST_USE kan_status kan_verify_strata_in_place(const kan_verification *v,
                                                   const kan_cover_question *question,
                                                   uint64_t *row_of, bool *is_known);
KAN_MUST_USE kan_status kan_verify_strata_in_order(const kan_verification *v,
                                                   const kan_rows_open *rows, uint64_t *row_of,
                                                   bool *is_known);

/* --missing-matches: recounts whom rows match, of the people who are released. */
KAN_MUST_USE kan_status kan_verify_check_matches(kan_verification *v,
                                                 const kan_cover_question *question);

/* ---- verify_lookalikes.c ------------------------------------------------------------------------- */

/* KAN_BAD_INPUT where the release, which was read, shows values of its columns apart that are counted as
 * one. */
KAN_MUST_USE kan_status kan_verify_check_apart(const kan_verification *v);
/* ---- verify_beside.c ------------------------------------------------------------------------ */

/* Lists what the file has beside the table, and looks for values of the original in it. The tables were
 * read. */
KAN_MUST_USE kan_status kan_verify_check_beside(kan_verification *v);

/* ---- verify_population.c -------------------------------------------------------------------- */

/* Opens the population, where a model needs one, and finds the quasi-identifiers in it. */
KAN_MUST_USE kan_status kan_verify_open_population(kan_verification *v);
/* Reads it, and binds hierarchies to it. The release is read. */
KAN_MUST_USE kan_status kan_verify_read_population(kan_verification *v);
/* KAN_BAD_INPUT where it lacks people of the release; the groups are recounted. */
KAN_MUST_USE kan_status kan_verify_check_population(const kan_verification *v);
void kan_verify_close_population(kan_verification *v);

/* ---- verify_ledger.c, verify_ledger_rows.c ------------------------------------------------------------------------ */

/* Opens the ledger, and asks for the column that names people. Both tables are open, roles are known. */
KAN_MUST_USE kan_status kan_verify_open_ledger(kan_verification *v);
/* Finds the release in it, and counts its cells. Groups and models are known. */
KAN_MUST_USE kan_status kan_verify_check_ledger(kan_verification *v,
                                                const kan_cover_question *question);
/* Rows of the original: the group of each in the ledger, 0 where she is left out; and all of them, those first
 * that the released rows are, in their order. */
typedef struct kan_verify_ledger_rows {
    const uint32_t *group_of;
    uint64_t *order;
} kan_verify_ledger_rows;
/* Puts such an order into `order`, where there may be one; as many rows are in groups as are released. */
KAN_MUST_USE kan_status kan_verify_match_ledger(const kan_verification *v,
                                                const kan_cover_question *question,
                                                const kan_verify_ledger_rows *rows, bool *found);
/* Whether nothing of it is wrong; true without one. */
bool kan_verify_ledger_holds(const kan_verification *v);
json_t *kan_verify_ledger_json(const kan_verification *v);
void kan_verify_add_ledger(const kan_verification *v, kan_text *text);

/* ---- verify_people.c ------------------------------------------------------------------------ */

/* Before the tables are read: which column identifies the person. */
KAN_MUST_USE kan_status kan_verify_find_person(kan_verification *v);
/* Once they are read: it says whose each row is. */
KAN_MUST_USE kan_status kan_verify_check_person(const kan_verification *v);
/* Whose each row of the release is, and whether its people are whole; nothing where rows are
 * counted. */
KAN_MUST_USE kan_status kan_verify_find_people(kan_verification *v,
                                               const kan_cover_question *question);
/* Whether what is promised cannot be counted without knowing whose each row is. */
bool kan_verify_needs_whose(const kan_verification *v);
/* Whether people were left out whole, and the limit is of them. */
bool kan_verify_leaves_by_person(const kan_verification *v);

/* Which row of the original each row of the release is, into row_of, by what both show; otherwise
 * people_are_open, and why. */
KAN_MUST_USE kan_status kan_verify_place_rows(kan_verification *v,
                                              const kan_cover_question *question, uint64_t *row_of);

/* ---- verify_weights.c ----------------------------------------------------------------------- */

/* Before the tables are read: which of them has the weights. */
KAN_MUST_USE kan_status kan_verify_find_weight(kan_verification *v);
/* What each row of the release stands for; KAN_BAD_INPUT where that is not known. */
KAN_MUST_USE kan_status kan_verify_find_weights(kan_verification *v,
                                                const kan_cover_question *question);

/* ---- verify_calibrate.c --------------------------------------------------------------------- */

/* Before the tables are read: which columns make strata. */
KAN_MUST_USE kan_status kan_verify_find_calibration(kan_verification *v);
/* Whether a column of the release has calibrated weights, and so none of the original's. */
bool kan_verify_is_calibrated(const kan_verification *v, size_t column);
/* Once the tables are read: where no row is missing weights are as they were, and compared like other columns
 * that are kept, in any order. */
void kan_verify_settle_calibration(kan_verification *v);
/* Holds them against the original; a column fault where they are something else. KAN_BAD_INPUT where it is
 * not known which of its rows these are. The models were counted. */
KAN_MUST_USE kan_status kan_verify_check_calibration(kan_verification *v,
                                                     const kan_cover_question *question);

/* ---- verify_recoding.c ---------------------------------------------------------------------- */

/* Holds the release against the rule of --recoding, and with the original counts cells whose label
 * means less than it says; the cover is known. Does nothing without --recoding. */
KAN_MUST_USE kan_status kan_verify_check_recoding(kan_verification *v,
                                                  const kan_cover_question *question);

/* ---- verify_means.c ------------------------------------------------------------------------- */

/* Before the tables are read: looks for columns NAME-mean, and asks for them to be read. A column
 * that looks like one, and is not said to be, is noted. */
KAN_MUST_USE kan_status kan_verify_find_means(kan_verification *v);
/* Whether a column of the release shows means, or may, so that it has no counterpart. */
bool kan_verify_is_mean_column(const kan_verification *v, size_t column);
/* When both are read: which columns show means, and by which ones rows are grouped. */
KAN_MUST_USE kan_status kan_verify_choose_means(kan_verification *v);
/* Compares them with the original. The cover is known. */
KAN_MUST_USE kan_status kan_verify_check_means(kan_verification *v);

/* ---- verify_columns.c ----------------------------------------------------------------------- */

/* Holds the names of columns against what the settings say of them. Both tables are open, means are
 * found. */
KAN_MUST_USE kan_status kan_verify_check_columns(kan_verification *v);
/* Holds treated columns against what they are made of, or, without the original, against what they
 * may show. The tables are read. */
KAN_MUST_USE kan_status kan_verify_check_treated(kan_verification *v);
/* The same of columns of means; the tables are read. */
KAN_MUST_USE kan_status kan_verify_check_mean_columns(kan_verification *v);
/* How many rows were left out, and how many may be. Groups and cover are known. */
void kan_verify_count_suppressed(kan_verification *v);

/* ---- verify_result.c ------------------------------------------------------------------------ */

/* JSON and summary of what was found; out->holds. */
KAN_MUST_USE kan_status kan_verification_write(const kan_verification *v, kan_result *out);

#endif
