/* The parts of the certificate's check. For src/analyze alone. */
#ifndef KANON_ANALYZE_CERTIFICATE_CERTIFICATE_INSIDE_H
#define KANON_ANALYZE_CERTIFICATE_CERTIFICATE_INSIDE_H

#include "analyze/certificate/certificate.h"

/* ---- the subject: the table as distinct tuples, and what each becomes ------------------------ */

/* One level of one attribute, by code of the column. */
typedef struct kan_subject_level {
    uint32_t n_labels;
    uint32_t *label_of; /* codes that show the same label have the same number */
    double *share;      /* of the domain that the label covers */
} kan_subject_level;

typedef struct kan_subject {
    kan_run *run;
    kan_arena arena;
    const kan_certificate_data *data;
    uint64_t n_rows;
    size_t n_tuples;
    uint32_t *codes[KAN_CERTIFICATE_ATTRIBUTES]; /* by tuple */
    uint32_t *class_of;                          /* by tuple; NULL: no class is looked at */
    uint32_t n_classes;
    /* By tuple: its rows, and those before it. Tuples stand in the order of their values, and so are
     * rows numbered. */
    uint64_t *count, *first_row;
    uint32_t *person_of; /* by tuple; NULL: rows are counted */
    uint32_t n_people;
    uint32_t *by_person; /* the tuples, those of a person one after the other */
    unsigned heights[KAN_CERTIFICATE_ATTRIBUTES];
    kan_subject_level *levels[KAN_CERTIFICATE_ATTRIBUTES];
} kan_subject;

/* Initialised by this call, also when it fails: always destroy it. `data` must outlive it. */
KAN_MUST_USE kan_status kan_subject_make(kan_run *run, const kan_certificate_data *data,
                                         kan_subject *out);
void kan_subject_destroy(kan_subject *subject);

KAN_MUST_USE kan_status kan_checksum_table(const kan_certificate_data *data, kan_checksum *out);
KAN_MUST_USE kan_status kan_checksum_hierarchy(kan_run *run, const kan_hierarchy *hierarchy,
                                               kan_checksum *out);

/* ---- counting nodes -------------------------------------------------------------------------- */

/* A cost, as a fraction of whole numbers where its definition gives one. */
typedef struct kan_counted_cost {
    bool is_exact;
    bool is_whole; /* below is 1 */
    kan_u128 above;
    uint64_t below; /* 0: nothing is released, worse than any number */
    double real;
} kan_counted_cost;

/* Below, equal or above 0. Costs that are not exact and agree in nine digits are equal. */
int kan_counted_compare(const kan_counted_cost *a, const kan_counted_cost *b);

typedef struct kan_counted {
    uint64_t n_groups;
    uint64_t n_small_rows,
        n_released_groups;    /* of groups with fewer than k rows, and of the rest; where people are
                                 counted, what is left out and what is not */
    uint64_t n_left_out;      /* what the limit is about: these rows, or people */
    uint64_t first_small_row; /* from 0; UINT64_MAX: none */
    kan_counted_cost cost;
    kan_counted_cost least; /* no node above this one costs less */
} kan_counted;

/* Counts n nodes, on all threads; cost and least are all 0 unless they are wanted. */
KAN_MUST_USE kan_status kan_count_nodes(const kan_subject *subject,
                                        const kan_certificate *certificate, bool wants_cost,
                                        const uint8_t *levels, size_t n, kan_counted *out);
/* By row, from 1, of each of n nodes: how many rows are in its group, or people have one there; 0 for
 * a row that does not exist. */
KAN_MUST_USE kan_status kan_count_witnesses(const kan_subject *subject, const uint8_t *levels,
                                            const uint64_t *rows, size_t n, uint64_t *out);

/* certificate_people.c: what one node is where people are counted. */
typedef struct kan_people_table {
    uint64_t *heads;  /* by group: different people who are there */
    uint32_t *last;   /* by group: who was met last */
    uint8_t *is_gone; /* by person */
    struct kan_people_visit {
        uint32_t group;
        uint64_t n_rows;
    } * visits; /* by tuple, in the order of people */
    struct kan_people_history {
        const struct kan_people_visit *visits; /* hers, by group */
        size_t n;
        uint32_t person;
    } * histories; /* by person */
} kan_people_table;

KAN_MUST_USE kan_status kan_people_table_make(const kan_subject *subject, bool histories,
                                              kan_people_table *out);
void kan_people_table_destroy(kan_run *run, kan_people_table *people);
/* Who leaves, into is_gone; by row nobody does. Returns how many. `first_row` is the first in a group
 * that is too small while everybody is there, or the first of somebody whose history is rare; it is
 * left as it is where there is none. */
uint64_t kan_people_count_node(const kan_subject *subject, const kan_certificate *certificate,
                               const uint32_t *group_of, size_t n_groups, kan_people_table *people,
                               uint64_t *first_row);

/* ---- the lattice ----------------------------------------------------------------------------- */

typedef struct kan_covering {
    bool is_covered;
    uint8_t hole[KAN_CERTIFICATE_ATTRIBUTES]; /* else a node that no list speaks of */
    bool is_countable;
    uint64_t n_nodes, n_satisfying; /* when is_countable; n_satisfying when is_covered */
    bool is_comparable[2];          /* of minimal and of failing nodes: one is above another */
    size_t lower[2], upper[2];      /* these */
} kan_covering;

/* Whether every node is above a minimal or below a failing one, and whether the lists hold nothing
 * that follows from something else in them. */
KAN_MUST_USE kan_status kan_certificate_cover(const kan_certificate *certificate,
                                              kan_covering *out);

/* ---- the optimum ----------------------------------------------------------------------------- */

typedef struct kan_optimum {
    kan_optimality optimality;
    uint64_t n_measured;
    uint8_t
        better[KAN_CERTIFICATE_ATTRIBUTES]; /* when refuted: a node that should have been chosen */
    double better_cost;
} kan_optimum;

/* Whether a node is better than the solution; its count and those of the minimal nodes are given.
 * Right as far as the lists are: ask only when they hold. With a limit of suppressed rows it looks
 * at up to most_nodes nodes; where they do not suffice, the answer is that it was not checked. */
KAN_MUST_USE kan_status kan_certificate_optimum(const kan_subject *subject,
                                                const kan_certificate *certificate,
                                                const kan_counted *solution,
                                                const kan_counted *minimal, uint64_t most_nodes,
                                                kan_optimum *out);

#endif
