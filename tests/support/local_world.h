/* A random table and promise as the parts of a local recoding see them, and sets of its rows. */
#ifndef KANON_TESTS_LOCAL_WORLD_H
#define KANON_TESTS_LOCAL_WORLD_H

#include "search/local/local_inside.h"
#include "support/plain_local.h"
#include "support/question.h"
#include "support/random_problem.h"

enum { WORLD_ROWS = 40 };

typedef struct local_world {
    uint64_t random;
    plain_table plain;
    test_problem made;
    plain_privacy models;
    test_asked asked;
    kan_local_space space;
    size_t tuple_of[WORLD_ROWS]; /* by row */
} local_world;

/* What is promised: any models; strict alpha on one value of the one sensitive column, on all of
 * them, or refined on one; or nothing. */
typedef enum world_promise {
    PROMISE_ANY,
    PROMISE_SINGLE,
    PROMISE_GENERAL,
    PROMISE_REFINED,
    PROMISE_NOTHING
} world_promise;

local_world *local_world_begin(kan_run *run, uint64_t seed, world_promise promise);
void local_world_end(local_world *w);
size_t world_below(local_world *w, size_t bound);
/* A row of a tuple. */
size_t world_row(const local_world *w, size_t tuple);

/* A set of rows of the table, and its tally. */
typedef struct row_set {
    bool is_in[WORLD_ROWS];
    kan_local_tally tally;
} row_set;

size_t row_set_list(const local_world *w, const row_set *set, size_t *rows);
/* By the definitions. */
bool row_set_passes(const local_world *w, const row_set *set);

#endif
