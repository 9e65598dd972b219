/* The problem: folding, and what is counted once for all searches. */
#include "group/problem.h"
#include "core/pool.h"

#include <math.h>

#include "core/number.h"
#include "core/spill.h"

/* Every number up to 36 divides the first; it is what shares are rounded to when they must be. The
 * second is as far as a double can be trusted. */
#define ROUNDED_ONE UINT64_C(144403552893600)
#define MOST_ONE    (UINT64_C(1) << 47)

static bool is_whole_in(const kan_hierarchy *hierarchy, double parts) {
    if (!(parts >= 1 && parts <= (double)MOST_ONE))
        return false;
    for (unsigned l = 0; l <= hierarchy->height; l++)
        for (uint32_t g = 0; g < hierarchy->levels[l].n_groups; g++) {
            double units = hierarchy->levels[l].share[g] * parts;
            if (fabs(units - round(units)) > 1e-6)
                return false;
        }
    return fabs(parts - round(parts)) <= 1e-6;
}

/* Parts of the domain of which every share is a whole number; 0 when none is found. Text counts
 * leaves; numbers have a length in units or decimals of them, and both together where values are
 * unknown. */
static uint64_t find_parts(const kan_hierarchy *hierarchy) {
    const double leaves = hierarchy->n_leaves > 1 ? (double)hierarchy->n_leaves - 1 : 1;
    double length = hierarchy->length > 0 ? hierarchy->length : 1;
    if (is_whole_in(hierarchy, leaves))
        return (uint64_t)round(leaves);
    for (int decimals = 0; decimals < 5; decimals++, length *= 10) {
        if (is_whole_in(hierarchy, length))
            return (uint64_t)round(length);
        if (is_whole_in(hierarchy, length * leaves))
            return (uint64_t)round(length * leaves);
    }
    return 0;
}

static uint64_t find_one(const kan_space *space) {
    uint64_t one = 1;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        uint64_t parts = find_parts(space->dimensions[a].hierarchy);
        if (parts == 0 ||
            __builtin_mul_overflow(one, parts / kan_common_divisor(one, parts), &one) ||
            one > MOST_ONE)
            return ROUNDED_ONE;
    }
    return one;
}

static kan_status make_shares(kan_problem *problem, unsigned a) {
    const kan_dimension *dimension = &problem->space.dimensions[a];
    kan_arena *arena = &problem->space.arena;
    unsigned n_levels = dimension->height + 1;
    KAN_TRY(kan_arena_alloc(arena, n_levels, sizeof *problem->shares[a], &problem->shares[a]));
    KAN_TRY(
        kan_arena_alloc(arena, n_levels, sizeof *problem->share_most[a], &problem->share_most[a]));
    KAN_TRY(
        kan_arena_alloc(arena, n_levels, sizeof *problem->share_sums[a], &problem->share_sums[a]));
    for (unsigned l = 0; l < n_levels; l++) {
        const kan_level *level = &dimension->hierarchy->levels[l];
        uint64_t *shares;
        KAN_TRY(kan_arena_alloc(arena, level->n_groups, sizeof *shares, &shares));
        for (uint32_t g = 0; g < level->n_groups; g++) {
            shares[g] = (uint64_t)round(level->share[g] * (double)problem->share_one);
            if (shares[g] > problem->share_most[a][l])
                problem->share_most[a][l] = shares[g];
        }
        problem->shares[a][l] = shares;
    }
    return KAN_OK;
}

void kan_problem_done(const kan_problem *problem, size_t first, size_t n) {
    const kan_space *space = &problem->space;
    for (unsigned d = 0; problem->is_unfolded && d < space->n_attributes + space->n_tails; d++) {
        const kan_column *column = space->dimensions[d].column;
        kan_spill_done(problem->run, (const char *)column->codes + first * column->width,
                       n * column->width);
    }
}

static void count_leaves(const kan_problem *problem, unsigned a, uint64_t *rows) {
    enum { WINDOW = 1 << 20 };
    const kan_freqset *base = &problem->base;
    const kan_key_field *field = &base->layout.fields[a];
    const uint64_t mask = field->bits ? ~UINT64_C(0) >> (64 - field->bits) : 0;
    const unsigned shift = field->shift, words = base->layout.n_words;
    for (size_t i = 0; i < base->n; i++)
        rows[base->keys[i * words + field->word] >> shift & mask] += base->counts[i];
    for (size_t i = 0; problem->is_unfolded && i < problem->n_rows; i++) {
        rows[kan_problem_tuple_value(problem, i, a)]++;
        if ((i + 1) % WINDOW == 0)
            kan_problem_done(problem, i + 1 - WINDOW, WINDOW);
    }
}

/* The same of a column by itself. */
static void count_column(const kan_problem *problem, unsigned a, uint64_t *rows) {
    const kan_dimension *dimension = &problem->space.dimensions[a];
    for (uint64_t row = 0; row < dimension->column->n_rows; row++)
        rows[dimension->hierarchy->leaf_of[kan_column_code(dimension->column, row)]] +=
            kan_column_rows(dimension->column, row);
}

typedef struct {
    kan_problem *problem;
    bool by_column;
    uint64_t *rows[KAN_MAX_ATTRIBUTES]; /* by leaf */
} measuring;

/* Rows of each value of the attribute, and from them the sums of shares over all rows. */
static kan_status sum_shares(void *context, size_t task, unsigned worker) {
    const measuring *m = context;
    kan_problem *problem = m->problem;
    const unsigned a = (unsigned)task;
    const kan_dimension *dimension = &problem->space.dimensions[a];
    const uint32_t n_leaves = kan_dimension_groups(dimension, 0);
    uint64_t *rows = m->rows[a];
    (void)worker;
    if (m->by_column)
        count_column(problem, a, rows);
    else
        count_leaves(problem, a, rows);
    for (unsigned l = 0; l <= dimension->height; l++) {
        const uint32_t *group_of = dimension->hierarchy->levels[l].from_leaf;
        for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
            problem->share_sums[a][l] +=
                (kan_u128)problem->shares[a][l][group_of[leaf]] * rows[leaf];
    }
    return KAN_OK;
}

/* The rows in the order of their people, each person's from start[person] on. */
static kan_status order_by_person(const kan_problem *problem, uint64_t n_rows, uint64_t *start,
                                  uint64_t **out) {
    const kan_column *person = problem->space.dimensions[problem->space.n_attributes].column;
    uint64_t *rows;
    KAN_TRY(kan_alloc(problem->run, n_rows, sizeof *rows, &rows));
    for (uint64_t row = 0; row < n_rows; row++)
        start[kan_column_code(person, row) + 2]++;
    for (uint32_t p = 0; p < person->dictionary.n; p++)
        start[p + 2] += start[p + 1];
    for (uint64_t row = 0; row < n_rows; row++)
        rows[start[kan_column_code(person, row) + 1]++] = row;
    *out = rows;
    return KAN_OK;
}

/* People who have each value of a tail: every person counts once, however often she has it. */
static kan_status count_people(kan_problem *problem, unsigned t, const uint64_t *start,
                               const uint64_t *rows) {
    const kan_space *space = &problem->space;
    const kan_dimension *tail = &space->dimensions[space->n_attributes + t];
    const uint32_t n_people = space->dimensions[space->n_attributes].column->dictionary.n;
    uint64_t *people;
    uint32_t *met; /* by value: the last person who has it, from 1 */
    KAN_TRY(kan_arena_alloc(&problem->space.arena, tail->n_values, sizeof *people, &people));
    KAN_TRY(kan_alloc_zero(problem->run, tail->n_values, sizeof *met, &met));
    problem->tail_totals[t] = 0;
    for (uint32_t p = 0; p < n_people; p++)
        for (uint64_t i = start[p]; i < start[p + 1]; i++) {
            const uint32_t value =
                kan_dimension_value(tail, kan_column_code(tail->column, rows[i]));
            problem->tail_totals[t] += met[value] != p + 1;
            people[value] += met[value] != p + 1;
            met[value] = p + 1;
        }
    kan_free(problem->run, met);
    problem->tail_rows[t] = people;
    return KAN_OK;
}

static kan_status count_tails_by_person(kan_problem *problem, uint64_t n_rows) {
    const kan_space *space = &problem->space;
    const uint32_t n_people = space->dimensions[space->n_attributes].column->dictionary.n;
    uint64_t *start = NULL, *rows = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(problem->run, (size_t)n_people + 2, sizeof *start, &start));
    KAN_TRY_DONE(order_by_person(problem, n_rows, start, &rows));
    for (unsigned t = 0; t < space->n_tails; t++)
        KAN_TRY_DONE(count_people(problem, t, start, rows));
done:
    kan_free(problem->run, start);
    kan_free(problem->run, rows);
    return status;
}

kan_status kan_problem_count_tails(kan_problem *problem, uint64_t n_rows) {
    kan_space *space = &problem->space;
    if (kan_problem_counts_people(problem))
        return count_tails_by_person(problem, n_rows);
    for (unsigned t = 0; t < space->n_tails; t++) {
        const kan_dimension *tail = &space->dimensions[space->n_attributes + t];
        const uint32_t n_codes = tail->column->dictionary.n;
        uint64_t *rows, *by_code;
        KAN_TRY(kan_arena_alloc(&space->arena, tail->n_values, sizeof *rows, &rows));
        KAN_TRY(kan_alloc(problem->run, n_codes, sizeof *by_code, &by_code));
        const kan_status status = kan_column_count_codes(problem->run, tail->column, by_code);
        for (uint32_t code = 0; code < n_codes && status == KAN_OK; code++)
            rows[kan_dimension_value(tail, code)] += by_code[code];
        kan_free(problem->run, by_code);
        KAN_TRY(status);
        problem->tail_rows[t] = rows;
    }
    return KAN_OK;
}

kan_status kan_problem_fold(kan_problem *problem, uint64_t n_rows) {
    const uint64_t *counts = kan_space_counts(&problem->space);
    problem->n_rows = counts ? 0 : n_rows;
    for (uint64_t row = 0; counts && row < n_rows; row++)
        problem->n_rows += counts[row];
    KAN_TRY(kan_freqset_fold(&problem->space, n_rows, &problem->base));
    return kan_freqset_put_aside(problem->run, &problem->base);
}

static kan_status measure(kan_problem *problem, bool by_column) {
    problem->share_one = find_one(&problem->space);
    measuring m = {.problem = problem, .by_column = by_column};
    const unsigned n = problem->space.n_attributes;
    for (unsigned a = 0; a < n; a++) {
        KAN_TRY(make_shares(problem, a));
        KAN_TRY(kan_arena_alloc(&problem->space.arena,
                                kan_dimension_groups(&problem->space.dimensions[a], 0),
                                sizeof *m.rows[a], &m.rows[a]));
        problem->leaf_rows[a] = m.rows[a];
    }
    if (!problem->is_unfolded) /* rows that may lie on disk are read column by column */
        return kan_parallel(problem->run, n, sum_shares, &m);
    for (unsigned a = 0; a < n; a++)
        KAN_TRY(sum_shares(&m, a, 0));
    return KAN_OK;
}

kan_status kan_problem_measure(kan_problem *problem) {
    return measure(problem, false);
}

kan_status kan_problem_measure_columns(kan_problem *problem) {
    return measure(problem, true);
}

void kan_problem_destroy(kan_problem *problem) {
    kan_freqset_destroy(problem->run, &problem->base);
    kan_space_destroy(&problem->space);
}
