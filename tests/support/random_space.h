/* Random spaces of choices, made without a table, and the truth about their nodes.
 *
 * A border is a place above 0 of some attribute. What a set of choices costs is counted from the
 * borders that each tuple stands above, tuple by tuple: it shares nothing with the library but the
 * space itself. Small enough for thousands of spaces, and for all sets of choices below a node. */
#ifndef KANON_TESTS_RANDOM_SPACE_H
#define KANON_TESTS_RANDOM_SPACE_H

#include "search/k_optimize/cut_axis.h"
#include "support/random_problem.h"

enum { SPACE_CHOICES = 64, SPACE_TUPLES = 64, SPACE_OPEN = 11 };

typedef struct made_space {
    kan_cut_space space;
    uint64_t borders[SPACE_CHOICES]; /* by choice: a bit for each of its places */
    uint64_t above[SPACE_TUPLES];    /* by tuple: the borders that it stands at or above */
} made_space;

/* Either cost and recoding; k from 1 to more than there are rows; limits of 0, 3, none or any; few
 * places or many attributes (keys of two words); evenly spread, skewed, or with a tuple of more
 * than half of all rows; two classes or more. */
void random_space(kan_run *run, uint64_t *random, made_space *out);
void made_space_destroy(made_space *made);

/* What the tuples of one class cost: those that stand above the same borders of `head` as `key`.
 * The limit is not looked at. */
typedef struct space_count {
    uint64_t cost, n_lost, n_rows;
} space_count;
space_count count_space(const made_space *made, uint64_t borders, uint64_t head, uint64_t key);

/* A node: decisions, and what every set of choices below it costs. */
typedef struct space_node {
    const made_space *made;
    uint64_t limit;
    uint8_t decision[SPACE_CHOICES];
    uint64_t head; /* borders of the made choices */
    unsigned n_open;
    uint32_t open[SPACE_OPEN];
    uint64_t costs[1 << SPACE_OPEN]; /* by open choices that are made; UINT64_MAX: not allowed */
} space_node;

/* Decisions at random, at most `most_open` choices open; counted by count_node. */
void random_node(const made_space *made, uint64_t limit, unsigned most_open, uint64_t *random,
                 space_node *out);
/* A space whose choices are few enough to try all sets, and the node at which all are open. */
void random_whole(kan_run *run, uint64_t *random, made_space *made, space_node *out);
/* The costs of a class, or with head and key 0 of all: sets that the parents do not allow are
 * UINT64_MAX, and so are those beyond the limit where `is_limited`. */
void count_node(const space_node *node, uint64_t head, uint64_t key, bool is_limited,
                uint64_t *costs);

/* Decides a choice, and what follows from that; false when it cannot be decided so. */
bool decide(const kan_cut_space *space, uint8_t *decision, unsigned choice,
            kan_cut_decision as_what);
bool is_ancestor(const kan_cut_space *space, unsigned upper, unsigned choice);

/* The least cost of the sets below the node that agree with further decisions. */
uint64_t least_cost(const space_node *node, const uint64_t *costs, const uint8_t *decision);
/* What a set below the node costs; fails the test when it is not below it. */
uint64_t cost_of_set(const space_node *node, const uint8_t *is_made);

/* None, or any attribute that can be one. */
int random_axis(const made_space *made, uint64_t *random);

/* A set that is allowed, and not always a good one; false when none was met. */
bool random_allowed_set(const kan_cut_space *space, uint64_t *random, uint8_t *is_made);

/* For spaces that a test makes in its own way: numbers, chances, and room in the space's arena,
 * which is zero. */
uint64_t between(uint64_t *random, uint64_t least, uint64_t most);
bool once_in(uint64_t *random, uint64_t n);
void *space_room(kan_cut_space *space, size_t n, size_t size);
/* The tuple with these places by attribute, or n_tuples if there is none yet. */
size_t find_tuple(const kan_cut_space *space, const uint32_t *row);

/* Prints a node so that it can be made again by hand. */
void print_node(const space_node *node);

/* Fails the test, and prints the node, unless it holds. */
#define EXPECT_OF(node, condition)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_node(node);                                                                      \
            fail_msg("%s", #condition);                                                            \
        }                                                                                          \
    } while (0)

#endif
