/* The door of search/codes: how sets of codes are shown, so that whoever knows up to M codes of somebody
 * finds at least K people with them, or none (k^m-anonymity; docs/papers/codes.md).
 *
 * A person has a set of codes, the leaves of one hierarchy. Each leaf is shown at one level, the same for
 * everybody; equal labels of a person become one. A recoding decides who cannot be released:
 * codes_count.c finds these people, the fewest there can be. codes_levels.c looks at one level for all
 * codes, codes_cuts.c at every set of nodes that divides the hierarchy, by branch and bound. One thread:
 * the answer is the same on any machine. May touch core. */
#ifndef KANON_SEARCH_CODES_CODES_H
#define KANON_SEARCH_CODES_CODES_H

#include "core/hash.h"
#include "core/memory.h"

/* Codes that somebody may know of a person. */
enum { KAN_CODES_KNOWN_MOST = 16 };

/* Who has which codes: those of person p are leaves[start[p] .. start[p + 1]), ascending, each once. */
typedef struct kan_codes_people {
    uint32_t n;
    const uint64_t *start;
    const uint32_t *leaves;
} kan_codes_people;

/* The hierarchy: what each leaf is shown as. Leaves stand in the preorder, so that groups of a level
 * ascend with them. */
typedef struct kan_codes_tree {
    uint32_t n_leaves;
    unsigned height;
    const uint32_t *const *groups; /* [level][leaf] */
    const uint64_t *const *prices; /* [level][leaf]: what a code costs there; never falls upwards */
    uint64_t suppressed;           /* what a code costs that is left out; no other costs more */
} kan_codes_tree;

typedef struct kan_codes_question {
    kan_codes_people people;
    kan_codes_tree tree;
    uint64_t k;
    unsigned known;      /* M: 1 .. KAN_CODES_KNOWN_MOST */
    uint64_t limit;      /* people who may be left out, though never all of them */
    bool by_cuts;        /* each code has a level of its own */
    uint64_t most_steps; /* with by_cuts: recodings that are looked at, at most */
} kan_codes_question;

typedef struct kan_codes_answer {
    kan_run *run;
    bool is_found;    /* false: no recoding is within the limit, for certain */
    bool is_proven;   /* none costs less */
    uint8_t *levels;  /* by leaf */
    uint8_t *is_left; /* by person */
    uint64_t n_left;  /* people; where nothing was found, those whom the highest level leaves out */
    kan_u128 cost, bound; /* nothing costs less than the bound */
    uint64_t n_checked;   /* recodings */
} kan_codes_answer;

/* The least cost. Over levels the lowest of those that cost the same; over cuts the first that is found,
 * beginning with the best level. A time limit or an interrupt ends a search over cuts as most_steps
 * does, once there is an answer. Initialises the answer, also when it fails: always destroy it. */
KAN_MUST_USE kan_status kan_codes_search(kan_run *run, const kan_codes_question *question,
                                         kan_codes_answer *out);
void kan_codes_answer_destroy(kan_codes_answer *answer);

/* What the codes of released people cost with an answer. */
kan_u128 kan_codes_released_cost(const kan_codes_question *question,
                                 const kan_codes_answer *answer);

#endif
