/* Models of sensitive values by their definitions, on rows and texts: the other half of the oracle.
 * Nothing is shared with the library; every number is a whole one, except entropy. */
#ifndef KANON_TESTS_PLAIN_PRIVACY_H
#define KANON_TESTS_PLAIN_PRIVACY_H

#include "privacy/privacy.h"
#include "support/oracle.h"

enum { PLAIN_NAMED = 4 };

typedef enum plain_distance { PLAIN_EQUAL, PLAIN_ORDERED, PLAIN_HIERARCHICAL } plain_distance;

/* What is promised beside k. A model whose number is 0 in `parts` (or l) is not promised. */
typedef struct plain_privacy {
    const plain_table *plain;
    /* alpha = alpha / alpha_parts, in hundredths or thousandths */
    uint64_t k, alpha, alpha_parts;
    bool is_refined, is_combined;
    size_t n_named;
    plain_label named[PLAIN_NAMED];
    uint64_t l, l_parts; /* l / l_parts; a decimal with entropy alone */
    const char *l_kind;  /* as the option says it */
    uint64_t c, c_parts;
    uint64_t t, t_parts;
    const char *t_distance; /* as the option says it */
    uint64_t delta, delta_parts;
    uint64_t beta, beta_parts;
    bool is_basic; /* beta-likeness */
    /* Of each tail: what holds for it in place of the above, but for k and what is named; NULL: the
     * above. Every column is then named in the settings. */
    struct plain_privacy *of_tail[ORACLE_TAILS];
    /* The hierarchy of each tail, for t-closeness; no leaves: none. */
    plain_attribute trees[ORACLE_TAILS];
    kan_hierarchy *bound[ORACLE_TAILS];
    struct plain_values *values; /* of each tail, counted once */
} plain_privacy;

/* Nothing but k = 1 is promised. */
void plain_privacy_init(plain_privacy *privacy, const plain_table *plain);

/* Models at random, at least one; the table has a tail that is not a class. Hierarchies are bound
 * to the problem, until plain_privacy_destroy. */
void random_privacy(const plain_table *plain, uint64_t *random, test_problem *made,
                    plain_privacy *out);
/* One model alone, in one of its kinds: k, alpha (strict, refined), l (distinct, entropy, recursive,
 * entropy of a decimal number), t, delta, beta (basic, enhanced); the last is as above. */
enum { PLAIN_MODELS = 12 };
void plain_privacy_one(const plain_table *plain, unsigned which, uint64_t *random,
                       test_problem *made, plain_privacy *out);
void plain_privacy_destroy(plain_privacy *privacy, test_problem *made);

/* Nothing but k is promised any more. */
void plain_promise_k_alone(plain_privacy *privacy);

/* Whether the table has a sensitive column. */
bool plain_is_sensitive(const plain_table *plain);

/* `context` is a plain_privacy: whether a group keeps k and all models. */
bool plain_privacy_passes(const void *context, const oracle_group *group);

/* Adds the settings, and the models to the promise. */
/* `tails` are the names of the tails, for numbers that columns have by themselves. */
void plain_privacy_options(const plain_privacy *privacy, kan_run *run, const char *const *tails,
                           kan_options *options);
void plain_privacy_promise(const plain_privacy *privacy, const test_problem *made, kan_arena *arena,
                           kan_options *options, kan_promise *promise);
/* What was promised, for a message. */
void plain_privacy_print(const plain_privacy *privacy);

#endif
