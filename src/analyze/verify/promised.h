/* What was promised of a release, as plain numbers and texts: what the recount holds the released
 * values against. It is filled from the settings (job/tell/promised_make.c), and has nothing from
 * the states of privacy models, so that one who is wrong does not make the other wrong.
 *
 * A promise has a k, and models that look at sensitive values. Each model holds for each of the
 * sensitive columns by itself, in every released group E. Let |E| be the rows of E, (E,s) those
 * with the value s; everything below is compared exactly, but for entropy. */
#ifndef KANON_ANALYZE_VERIFY_PROMISED_H
#define KANON_ANALYZE_VERIFY_PROMISED_H

#include "core/text.h"

typedef enum kan_promised_kind {
    /* |(E,s)| <= alpha |E|; refined: |(E,s)| <= ceil(alpha |E|). For each value s of the column, or
     * for each that is named; combined: s is any of the named ones, counted together. */
    KAN_PROMISED_ALPHA,
    KAN_PROMISED_DISTINCT, /* at least l different values */
    /* At least l different values, and the entropy of their shares of E is at least log l, less
     * KAN_ENTROPY_TOLERANCE. Here l is a decimal. */
    KAN_PROMISED_ENTROPY,
    /* r_1 < c (r_l + ... + r_m), r_i being the rows of the i-th most frequent of m values; with
     * m < l it does not hold. */
    KAN_PROMISED_RECURSIVE,
    /* The earth mover's distance between the values' shares of E and those of the whole table is at
     * most t. */
    KAN_PROMISED_CLOSE
} kan_promised_kind;

/* Natural logarithms. What is equal to log l by definition, l values with equal shares, must not
 * fail by the last bit. */
#define KAN_ENTROPY_TOLERANCE 1e-9

typedef enum kan_promised_distance {
    KAN_DISTANCE_EQUAL,       /* any two values are 1 apart */
    KAN_DISTANCE_ORDERED,     /* |rank - rank| / (n_ranks - 1) apart */
    KAN_DISTANCE_HIERARCHICAL /* the level of the lowest node that holds both, over the height */
} kan_promised_distance;

/* A sensitive column. The values are those of the whole table, the one before anything was
 * suppressed, each once and in no order that matters; the arrays have an entry for each. */
typedef struct kan_promised_column {
    const char *name;
    uint64_t n_rows; /* of the whole table */
    size_t n_values;
    const kan_slice *values;
    const uint64_t *rows; /* of each value in the whole table */
    const bool *is_named; /* alpha: the values that must be rare; NULL: every one */
    /* t-closeness: */
    kan_promised_distance distance;
    /* Ordered: 0 is the least value; values that count as equal (7 and 07) have the same rank. */
    uint32_t n_ranks;
    const uint32_t *rank;
    /* Hierarchical: two values are in one node of a level when node[level][] is the same for both;
     * level 0 has each value by itself, level `height` has all in one node. */
    unsigned height;
    const uint32_t *const *node;
} kan_promised_column;

typedef struct kan_promised_model {
    kan_promised_kind kind;
    const char *name; /* as in the registry: "alpha", "l-diversity", "t-closeness" */
    /* alpha, c, t, or the l of entropy = numerator / denominator, a decimal; denominator <= 10^18
     */
    uint64_t numerator, denominator;
    const char *text;             /* the decimal as the user wrote it; NULL without one */
    uint64_t l;                   /* of distinct and recursive l-diversity */
    bool is_refined, is_combined; /* alpha */
} kan_promised_model;

enum { KAN_PROMISED_MODELS = 3 };

typedef struct kan_promised {
    uint64_t k; /* every group has at least k rows; 1 when the user named none */
    size_t n_models;
    kan_promised_model models[KAN_PROMISED_MODELS];
    size_t n_columns; /* 0 when there is no model */
    const kan_promised_column *columns;
} kan_promised;

#endif
