/* See local_world.h. */
#include "support/local_world.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

size_t world_below(local_world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static void find_tuples(local_world *w) {
    size_t n_found = 0;
    for (size_t t = 0; t < w->space.n_tuples; t++)
        for (size_t row = 0; row < w->plain.n_rows; row++)
            if (plain_is_of_tuple(&w->made, t, row)) {
                w->tuple_of[row] = t;
                n_found++;
            }
    assert_int_equal(n_found, w->plain.n_rows);
}

/* Strict alpha on one value of one column, or on all of them, for what is exact then. */
static void make_single(local_world *w) {
    const plain_table *plain = &w->plain;
    const unsigned tail = plain->class_tail == 0 ? 1 : 0;
    plain_privacy *p = &w->models;
    plain_promise_k_alone(p);
    p->is_refined = p->is_combined = false;
    p->alpha_parts = 20;
    p->alpha = 1 + world_below(w, 19);
    p->n_named = 1;
    strcpy(p->named[0],
           plain_cell(plain, world_below(w, plain->n_rows), plain->n_attributes + tail));
}

local_world *local_world_begin(kan_run *run, uint64_t seed, world_promise promise) {
    local_world *w = calloc(1, sizeof *w);
    random_spec spec = random_small;
    static const kan_cost_kind *const costs[] = {&kan_cost_discernibility, &kan_cost_ncp,
                                                 &kan_cost_distortion, &kan_cost_precision};
    bool is_fit;
    assert_non_null(w);
    w->random = seed * 31337 + promise;
    spec.most_attributes = 3;
    spec.most_rows = WORLD_ROWS;
    do {
        random_plain(&spec, &w->random, &w->plain);
        const unsigned n_sensitive =
            w->plain.n_tails - (w->plain.class_tail == KAN_NO_TAIL ? 0 : 1);
        is_fit = promise >= PROMISE_SINGLE && promise <= PROMISE_REFINED ? n_sensitive == 1
                                                                         : n_sensitive > 0;
        if (!is_fit)
            plain_destroy(&w->plain);
    } while (!is_fit);
    test_problem_make(run, &w->plain, &w->made);
    random_privacy(&w->plain, &w->random, &w->made, &w->models);
    if (promise >= PROMISE_SINGLE && promise <= PROMISE_REFINED)
        make_single(w);
    if (promise == PROMISE_GENERAL)
        w->models.n_named = 0;
    w->models.is_refined |= promise == PROMISE_REFINED;
    if (promise == PROMISE_NOTHING) {
        w->models.k = 1;
        plain_promise_k_alone(&w->models);
    }
    const test_question question = {.models = &w->models,
                                    .cost = costs[world_below(w, 4)],
                                    .k = w->models.k,
                                    .limit =
                                        world_below(w, 2) ? world_below(w, w->plain.n_rows + 1) : 0,
                                    .wants_best_alone = true};
    test_ask(&w->made, &question, &w->asked);
    EXPECT_OK(run, kan_local_space_make(run, &w->asked.question, &w->space));
    find_tuples(w);
    return w;
}

void local_world_end(local_world *w) {
    kan_local_space_destroy(&w->space);
    test_asked_destroy(&w->asked);
    plain_privacy_destroy(&w->models, &w->made);
    test_problem_destroy(&w->made);
    plain_destroy(&w->plain);
    free(w);
}

size_t world_row(const local_world *w, size_t tuple) {
    size_t row = 0;
    while (w->tuple_of[row] != tuple)
        row++;
    return row;
}

size_t row_set_list(const local_world *w, const row_set *set, size_t *rows) {
    size_t n = 0;
    for (size_t row = 0; row < w->plain.n_rows; row++)
        if (set->is_in[row])
            rows[n++] = row;
    return n;
}

bool row_set_passes(const local_world *w, const row_set *set) {
    size_t rows[WORLD_ROWS];
    const size_t n = row_set_list(w, set, rows);
    return n > 0 && plain_privacy_passes(&w->models, &(oracle_group){.n_rows = n, .rows = rows});
}
