/* The inside of register.h: both tables folded to tuples, and what is found of each tuple of people, by what rows
 * cover (register.c), or by which are nearest (nearest.c), or all at once (assign.c). */
#ifndef KANON_ANALYZE_INTRUDER_REGISTER_INSIDE_H
#define KANON_ANALYZE_INTRUDER_REGISTER_INSIDE_H

#include "analyze/cover/cover.h"
#include "analyze/intruder/register.h"

struct kan_register {
    kan_run *run;
    kan_register_question question;
    kan_relation *relations; /* by column of the question */
    size_t n_relations;
};

/* Distinct tuples of a table. */
typedef struct kan_folded {
    size_t n;
    uint32_t *of_row; /* the tuple of each row */
    uint64_t *rows, *first_row;
    uint32_t *codes; /* of the columns, one after the other, for each */
} kan_folded;

/* By group, from start[group] to start[group + 1]: the values that it shows, and in how many rows. */
typedef struct kan_values_shown {
    size_t *start;
    kan_register_guess *shown;
} kan_values_shown;

/* Groups by their code in a column, and codes by the value that they cover. */
typedef struct kan_finder {
    size_t column;                /* of those that are asked about */
    size_t *group_start, *groups; /* by code */
    size_t *code_start;           /* by value */
    uint32_t *codes;
    uint64_t *n_groups; /* by code */
    uint64_t *n_pairs;  /* by value: groups that come up */
} kan_finder;

typedef struct kan_near kan_near;

typedef struct kan_asking {
    const kan_register *r;
    kan_run *run;
    const size_t *columns; /* numbers of the question's */
    size_t n;
    kan_folded groups, people;
    kan_values_shown *shown;     /* by sensitive column */
    kan_finder find;             /* without `near` */
    kan_near *near;              /* NULL: rows that match are looked for */
    uint32_t *n_asked;           /* by tuple: people who are asked about */
    _Atomic uint64_t *people_of; /* by group: people who match it */
    uint64_t **count;   /* by worker and sensitive column: by code, 0 before and afterwards */
    uint32_t **touched; /* the same: codes that are counted */
    kan_register_answer *out;
} kan_asking;

static inline const kan_relation *kan_asking_relation(const kan_asking *a, size_t column) {
    return &a->r->relations[a->columns[column]];
}

/* Calls with each pair of a value and a released code that covers it, each once. */
typedef void (*kan_pair_fn)(void *context, uint32_t value, uint32_t code);
void kan_relation_each_pair(const kan_relation *relation, kan_pair_fn fn, void *context);

/* Adds what a group shows; `n_touched` is by sensitive column. */
void kan_asking_add_group(const kan_asking *a, size_t group, unsigned worker, uint32_t *n_touched);
/* The most common value of each sensitive column. */
KAN_MUST_USE kan_status kan_asking_conclude(const kan_asking *a, size_t tuple, unsigned worker,
                                            uint32_t *n_touched);

/* ---- nearest.c -------------------------------------------------------------------------------- */

/* Both tables are folded. */
KAN_MUST_USE kan_status kan_near_create(const kan_asking *a, kan_near **out);
void kan_near_destroy(kan_run *run, kan_near *near); /* NULL is none */
KAN_MUST_USE kan_status kan_near_ask(const kan_asking *a, size_t tuple, unsigned worker,
                                     uint32_t *n_touched);
/* The square of how far they are apart; not exact where it is more than `most`. */
double kan_near_distance(const kan_asking *a, size_t tuple, size_t group, double most);
/* Which of the people who were asked about have their own row among the nearest. */
KAN_MUST_USE kan_status kan_near_hold(const kan_asking *a, const uint64_t *row_of);

/* ---- assign.c --------------------------------------------------------------------------------- */

/* Whether time and memory suffice. */
bool kan_assign_is_possible(kan_run *run, size_t n_tuples, size_t n_groups);
/* Both tables are folded, and `near` is made. */
KAN_MUST_USE kan_status kan_assign(const kan_asking *asked, const uint64_t *row_of,
                                   kan_assigned *out);

#endif
