/* A claim: what was promised of a release, as plain numbers and texts. The recount holds the
 * released values against it. It is filled from the settings (job/tell/claim_make.c), and takes
 * nothing from the kan_promise of the search or the states of privacy models, so that a mistake in
 * one does not make the other wrong.
 *
 * A claim has a k, and models. Those that look at sensitive values hold for each of the sensitive
 * columns that they look at by itself, in every released group; a kind with other numbers for other
 * columns is there once for each. The others look at the groups alone. The file of a kind
 * (recount_kind.h) says what it means. */
#ifndef KANON_ANALYZE_VERIFY_CLAIM_H
#define KANON_ANALYZE_VERIFY_CLAIM_H

#include "core/column_sets.h"
#include "core/options.h"
#include "core/text.h"

typedef enum kan_claim_distance {
    KAN_DISTANCE_EQUAL,       /* any two values are 1 apart */
    KAN_DISTANCE_ORDERED,     /* |rank - rank| / (n_ranks - 1) apart */
    KAN_DISTANCE_HIERARCHICAL /* the level of the lowest node that holds both, over the height */
} kan_claim_distance;

/* What released values decide: the recount fills it in. Nothing that is told of a column may follow
 * from values that only suppressed rows have. */
typedef struct kan_claim_settled {
    bool is_by_value;            /* they are numbers, or dates: spellings of one are one value */
    bool has_several;            /* one of them is spelled in several ways */
    kan_claim_distance distance; /* by which values are apart */
} kan_claim_settled;

/* A sensitive column. The values are those of the whole table, the one before anything was
 * suppressed, each once and in no order that matters; the arrays have an entry for each. */
typedef struct kan_claim_column {
    const char *name;
    uint64_t n_rows; /* of the whole table; with a person the different pairs of her and a value */
    size_t n_values;
    const kan_slice *values;
    const struct kan_spelling *spelling; /* how the table writes them; NULL: as they are here */
    const struct kan_ends *ends;         /* of a capped column; NULL: it is none */
    const uint64_t *rows;                /* of each value in the whole table, or people */
    /* Where spellings of one number are one value (recount_meant.h): by value the first of its
     * spellings, and what all of them together have there; NULL: no number has two. */
    const size_t *same_as;
    const uint64_t *same_rows;
    uint64_t
        n_same_rows; /* their sum; with a person who has two spellings it is less than n_rows */
    kan_claim_settled *settled;
    /* Where a model needs to know how far values are apart: where they are numbers or dates, and
     * where they are text. */
    kan_claim_distance distance_of_numbers, distance_of_text;
    /* Ordered: 0 is the least value; values that count as equal (7 and 07) have the same rank. */
    uint32_t n_ranks;
    const uint32_t *rank;
    /* Hierarchical: two values are in one node of a level when node[level][] is the same for both;
     * level 0 has each value by itself, level `height` has all in one node. */
    unsigned height;
    const uint32_t *const *node;
} kan_claim_column;

/* A model, and what its kind has read of its own settings; what it does not need is 0. */
typedef struct kan_claim_model {
    const struct kan_recount_kind *kind;
    const kan_options *options; /* the settings; what was named there is told again */
    const bool *looks_at;       /* by column of the claim; NULL: at all of them */
    /* Its decimal = numerator / denominator; denominator <= 10^18. */
    uint64_t numerator, denominator;
    const char *text; /* the decimal as the user wrote it; NULL without one */
    bool of_people;   /* people are counted */
    uint64_t whole;   /* its whole number */
    unsigned form;    /* which of its definitions, as the kind numbers them */
    /* By column of the claim, then by value: the values that it looks at; NULL, also for one
     * column: every value. */
    const bool *const *is_named;
} kan_claim_model;

static inline bool kan_claim_looks_at(const kan_claim_model *model, size_t column) {
    return !model->looks_at || model->looks_at[column];
}

/* The population that models hold groups against, with a column for each quasi-identifier. */
typedef struct kan_claim_population {
    const struct kan_table *table;
    /* Its columns that were treated as those of the table were, and the population before. */
    const struct kan_table *raw;
    const struct kan_treatment *treatments;
    size_t n_treatments;
    size_t n;
    const struct kan_column *person;                /* of each row, where people are counted */
    const size_t *columns;                          /* of the table, in any order */
    const struct kan_hierarchy *const *hierarchies; /* bound to them; NULL: none is known */
} kan_claim_population;

/* The model that needs no recount of its own: every recount begins with the sizes of groups. */
#define KAN_CLAIM_K "k-anonymity"
/* And what fits promises. */
#define KAN_CLAIM_MATCHES "matches"

enum { KAN_CLAIM_MODELS = 32 };

typedef struct kan_claim {
    uint64_t k; /* every group has at least k rows; 1 when the user named none */
    /* In place of groups: every released row fits so many people, and every one of these is fitted by
     * so many released rows (recount_fits.h); 0: that is not promised. */
    uint64_t fits;
    const char *strata; /* the column within whose values they do; NULL: there is none */
    /* In place of groups: every value that a column shows is shown by so many rows, each column by
     * itself (recount_columns.c); 0: that is not promised. */
    uint64_t by_column;
    /* In place of groups by all columns: of which sets of them groups are counted, each with its k; the
     * model of that name says whether they are large enough. n = 0: of none. */
    kan_column_sets subsets;
    /* The column that identifies the person, where a person may have several: then people are
     * counted. NULL: rows are. */
    const char *person;
    bool histories; /* what all rows of a person show is shown by k people */
    /* The column that identifies the household, where these are released whole or not at all. By composition
     * they are what `person` and `histories` say; else each row is somebody else, and rows are counted. */
    const char *household;
    size_t n_models;
    kan_claim_model models[KAN_CLAIM_MODELS];
    size_t n_columns; /* 0 when no model looks at any */
    const kan_claim_column *columns;
    const kan_claim_population *population; /* NULL: no model needs one */
    const char *weight; /* the column of sampling weights; NULL: no model needs one */
} kan_claim;

#endif
