/* What searches over cut sets work on: the choices, and the tuples by their places.
 *
 * A choice is a cut that may be made or left: one place of one attribute (recoding `ordered-set`),
 * or all places between the children of one node of a hierarchy (recoding `full-subtree`), which
 * can be made only when the choice of the node's parent is made too. An anonymization is a set of
 * choices. Choices are numbered by attribute, then by first place; of
 * equally cheap sets that a search has met it keeps the least in the lexicographic order of sorted
 * cut sets. */
#ifndef KANON_SEARCH_CUTS_CUT_SPACE_H
#define KANON_SEARCH_CUTS_CUT_SPACE_H

#include "search/search.h"

typedef enum kan_cut_cost { KAN_CUT_DISCERNIBILITY, KAN_CUT_CLASSIFICATION } kan_cut_cost;

typedef struct kan_choice {
    unsigned attribute;
    uint32_t n_places;
    const uint32_t *places; /* ascending, none 0; each place belongs to one choice at most */
    int parent;             /* the choice that must be made first, or -1; always a lower number
                               is not promised */
} kan_choice;

typedef struct kan_cut_people kan_cut_people;

typedef struct kan_cut_space {
    kan_run *run;
    const kan_question *question;
    double start_ms;            /* when it was made, which is when the search began */
    kan_recoding_type recoding; /* KAN_RECODING_CUTS or KAN_RECODING_SUBTREES */
    kan_cut_cost cost;
    uint64_t k;         /* a group passes with this many rows, or people */
    uint64_t limit;     /* most rows that may be suppressed, or by person people */
    uint64_t n_people;  /* in the whole table, by person; 0: rows are left out */
    uint64_t n_rows;    /* below 2^31: every cost fits into 63 bits */
    bool wants_release; /* at least one row must be released */
    unsigned n_attributes;
    /* Places are those of the domains; where values may not be told apart below a level, all places
     * of one of its nodes are one here. */
    uint32_t n_places[KAN_MAX_ATTRIBUTES];
    uint32_t *first_place[KAN_MAX_ATTRIBUTES]; /* by place: the first one of the domain's */
    uint32_t *place_in[KAN_MAX_ATTRIBUTES];    /* by place of the domain: the place here */
    unsigned n_choices;
    kan_choice *choices;
    /* By choice: it must be made, because what it cuts apart stands together only at levels that
     * may not be chosen; its parent must be then, too. So the least set is this one, not the empty
     * one. */
    const uint8_t *is_forced;           /* NULL: none must */
    int *choice_at[KAN_MAX_ATTRIBUTES]; /* by place: its choice, or -1 (place 0; never cut) */

    size_t n_tuples;                      /* distinct by their places */
    uint32_t *places[KAN_MAX_ATTRIBUTES]; /* by tuple */
    uint32_t *rows;                       /* by tuple, at least 1 */
    unsigned n_classes;           /* values of the class column; 0 unless the cost needs them */
    uint32_t *class_rows;         /* [tuple * n_classes + value] */
    const kan_cut_people *people; /* where people are counted (cut_people.h); else NULL */
    kan_arena arena;
} kan_cut_space;

/* Rows, or by person people, that there are to be suppressed. */
static inline uint64_t kan_cut_space_all(const kan_cut_space *space) {
    return space->n_people > 0 ? space->n_people : space->n_rows;
}

static inline bool kan_cut_is_forced(const kan_cut_space *space, unsigned choice) {
    return space->is_forced && space->is_forced[choice];
}

/* The square of a group's rows, or its rows outside the majority class, is what can be bounded. */
extern const kan_search_costs kan_cut_costs;

/* Refuses, with the remedy, what cannot be cut soundly: a promise that is not decided by the size
 * of groups, another cost, 2^31 rows or more. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_cut_space_make(kan_run *run, const kan_question *question,
                                           kan_cut_space *out);
void kan_cut_space_destroy(kan_cut_space *space);

/* Whether an attribute is cut place by place, and has not too many of them: then its best cuts,
 * those of all others given, are a shortest path over its intervals. */
enum { KAN_CUT_MOST_PLACES = 128 };
bool kan_cut_is_by_place(const kan_cut_space *space, unsigned attribute);

/* What a set of choices costs; UINT64_MAX when it suppresses more rows than the limit (or people, by
 * person), or releases none where one is wanted. The obvious way: every tuple into its group.
 * is_made[c] for each choice; *n_suppressed may be NULL. Scratch is allocated. */
KAN_MUST_USE kan_status kan_cut_space_cost(const kan_cut_space *space, const uint8_t *is_made,
                                           uint64_t *n_suppressed, uint64_t *out);

/* Fills in the answer's recoding, score, n_cuts (not the bound, the moments or the states). */
KAN_MUST_USE kan_status kan_cut_space_answer(const kan_cut_space *space, const uint8_t *is_made,
                                             uint64_t cost, kan_answer *answer);

/* Options of searches that look for the best and prove it. */
#define KAN_CUT_SEED_OPTION                                                                        \
    {                                                                                              \
        .name = "seed-cost", .argument = "C",                                                      \
        .summary = "look only for what costs C or less, which is known to exist: saves time",      \
        .type = KAN_OPTION_COUNT, .traits = KAN_TRAIT_SHOWN                                        \
    }

/* Option of searches that begin with what is known already (kan_question.seed). */
#define KAN_CUT_SOLUTION_OPTION                                                                    \
    {                                                                                              \
        .name = "seed-solution", .argument = "FILE",                                               \
        .summary = "begin with the cuts of an earlier result, which --json wrote",                 \
        .type = KAN_OPTION_PATH, .traits = KAN_TRAIT_SHOWN                                         \
    }

#endif
