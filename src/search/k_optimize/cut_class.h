/* One class of the head set, and what it says about every open choice.
 *
 * The branch and bound over cut sets (cut_tree.h) stands at a node: some choices are made, some are
 * left, the others are open. The made ones divide the rows into classes. For each class that can
 * still be released this file works out, from its tuples alone,
 *
 *   bound     what its rows cost at least, however the open choices are decided;
 *   per open choice that divides it: the rows that are lost when it is made, and by how much the
 *             bound rises when it is made, or when it is left;
 *   per pair of open choices: the rows that are lost when both are made.
 *
 * A class never changes. Nodes below share it as long as no decision divides it or joins its cells,
 * and sums over classes are kept up to date by taking away an old class and adding the new ones.
 *
 * Cells. A choice is good in a class when at least two of the parts that it divides the class into
 * have k rows, and by classification not all of them the same only possible majority. Only good
 * choices divide a class into cells: making any other choice loses all but one part, or sets groups
 * of the same majority apart, and taking that back costs no more. The proofs of this and of the
 * bounds are in docs/papers/k-optimize.md. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_CLASS_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_CLASS_H

#include "core/stack.h"
#include "search/cuts/cuts.h"

/* The effect on a class of deciding an open choice that divides it. */
typedef struct kan_cut_effect {
    uint32_t choice;
    bool divides_cells; /* leaving it joins cells */
    uint32_t n_lost;    /* rows in parts of less than k, when it is made */
    /* Pairs of rows that it can set apart in released groups; by classification the root of the
       number of those of different values, at least 1. */
    uint64_t apart;
    uint64_t left; /* by how much the bound rises when it is left */
    uint64_t made; /* ... and when it is made */
    /* The same in parts that add up over choices, whatever else is decided: */
    uint64_t left_part; /* over choices that are left */
    uint64_t made_part; /* and of one that is made, beside any that are left */
    /* and of any that are made, beside all that are left: each row that would be lost is shared
       among the choices that would lose it (0 by classification) */
    uint64_t made_share;
} kan_cut_effect;

typedef struct kan_cut_class {
    size_t n_atoms; /* tuples that no open choice divides, when it was made */
    uint64_t *keys; /* words of a key each */
    uint32_t *rows;
    uint32_t *class_rows;
    uint32_t *least, *greatest; /* places, by attribute */
    uint64_t n_rows;            /* at least k */
    uint64_t cost;              /* as a released group */
    uint64_t bound;
    /* By how much it rises anyway: of every choice, the lesser of what making and leaving it
     * costs; of these the most. */
    uint64_t anyway;
    uint64_t largest; /* cell, in rows; at least k */
    bool is_kept;     /* copied by kan_cut_class_keep */
    bool is_raw;      /* tuples as they are in the table: no decision to leave was looked at */
    int axis;         /* when raw: the only attribute by which they are to be joined, or -1: all */
    unsigned n_effects;
    kan_cut_effect *effects; /* by attribute, then by first place */
    /* By pair i < j of effects, at kan_cut_pair(i, j): rows that are lost when both are made. Where
     * the maker wants pairs, room is taken with the class, up to KAN_CUT_MOST_PAIRED effects;
     * kan_cut_class_pairs fills it in. */
    bool has_pairs;
    uint32_t *pair_lost;
} kan_cut_class;

enum { KAN_CUT_MOST_PAIRED = 160 }; /* open choices, for pairs of them to be looked at */

static inline size_t kan_cut_pair(size_t i, size_t j) {
    return j * (j - 1) / 2 + i;
}

/* What classes are made with: the layout of keys, the decisions, scratch. One per thread. */
typedef struct kan_cut_maker {
    const kan_cut_space *space;
    uint64_t limit;    /* of suppressed rows: the space's, or less */
    uint8_t *decision; /* by choice */
    bool wants_pairs, wants_shares, wants_anyway;
    bool is_binary;  /* class values, and choices of one place each: see cut_class_binary.c */
    uint64_t n_work; /* tuples that were looked at, to measure work by */
    kan_stack stack; /* classes, and what the tree keeps by node */
    unsigned words;  /* of a key */
    struct kan_cut_field {
        unsigned word, shift;
        uint64_t mask;
    } fields[KAN_MAX_ATTRIBUTES];
    struct kan_cut_scratch *scratch;
} kan_cut_maker;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_cut_maker_create(const kan_cut_space *space, uint64_t limit,
                                             kan_cut_maker *out);
void kan_cut_maker_destroy(kan_cut_maker *maker);

/* All tuples as one class, whatever the number of its rows, without anything said about choices: to
 * be divided first. */
KAN_MUST_USE kan_status kan_cut_class_whole(kan_cut_maker *maker, kan_cut_class **out);

/* The classes that made choices divide a class into, those with k rows at least; by the decisions
 * of now. `out` has room for n_rows / k of them, or n_atoms if that is less; *n_lost are the rows
 * of all others. With no made choice dividing it, the class is made again by the decisions of now.
 */
KAN_MUST_USE kan_status kan_cut_class_divide(kan_cut_maker *maker, const kan_cut_class *from,
                                             kan_cut_class **out, size_t *n_out, uint64_t *n_lost);

/* A copy in another stack, and the most bytes that it takes. */
KAN_MUST_USE kan_status kan_cut_class_keep(const kan_cut_maker *maker, const kan_cut_class *class_,
                                           kan_stack *to, kan_cut_class **out);
size_t kan_cut_class_size(const kan_cut_maker *maker, const kan_cut_class *class_);

/* Fills in pair_lost. */
KAN_MUST_USE kan_status kan_cut_class_pairs(kan_cut_maker *maker, kan_cut_class *class_);

/* What it costs to lose n rows. */
static inline uint64_t kan_cut_lost_cost(const kan_cut_space *space, uint64_t n) {
    return space->cost == KAN_CUT_DISCERNIBILITY ? n * space->n_rows : n;
}

#endif
