/* Counting the parts of piles: see past_piles.h. Parts are numbered in the order in which they come, so those of
 * a pile stand one after the other. */
#include "group/past_piles.h"

#include <stdlib.h>
#include <string.h>

void kan_past_piles_destroy(kan_past_piles *piles) {
    if (!piles->problem)
        return;
    kan_run *run = piles->problem->run;
    kan_free(run, piles->number);
    kan_free(run, piles->start);
    kan_free(run, piles->count);
    kan_free(run, piles->part_of);
    kan_free(run, piles->order);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++) {
        kan_free(run, piles->tails[t].dense);
        kan_free(run, piles->tails[t].start);
        kan_free(run, piles->tails[t].value);
        kan_free(run, piles->tails[t].count);
    }
    *piles = (kan_past_piles){.problem = NULL};
}

kan_status kan_past_piles_make(const kan_problem *problem, bool needs_tallies,
                               kan_past_piles *out) {
    kan_run *run = problem->run;
    *out = (kan_past_piles){.problem = problem};
    KAN_ASSERT(problem->has_pasts && !problem->is_unfolded);
    KAN_TRY(kan_alloc_zero(run, (size_t)problem->n_people, sizeof *out->number, &out->number));
    for (unsigned t = 1; needs_tallies && t < problem->space.n_tails; t++)
        KAN_TRY(kan_alloc_zero(
            run,
            kan_dimension_groups(&problem->space.dimensions[problem->space.n_attributes + t], 0),
            sizeof *out->tails[t].dense, &out->tails[t].dense));
    return KAN_OK;
}

static kan_status reserve_rows(kan_past_piles *piles, size_t n_rows) {
    kan_run *run = piles->problem->run;
    const size_t room = n_rows + n_rows / 4 + 1;
    if (n_rows <= piles->rows_room)
        return KAN_OK;
    piles->rows_room = 0; /* until all arrays have grown */
    KAN_TRY(kan_resize(run, room, sizeof *piles->part_of, &piles->part_of));
    KAN_TRY(kan_resize(run, room, sizeof *piles->order, &piles->order));
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++) {
        if (!piles->tails[t].dense)
            continue;
        KAN_TRY(kan_resize(run, room, sizeof(uint32_t), &piles->tails[t].value));
        KAN_TRY(kan_resize(run, room, sizeof(uint64_t), &piles->tails[t].count));
    }
    piles->rows_room = room;
    return KAN_OK;
}

static kan_status reserve_parts(kan_past_piles *piles, size_t n_parts) {
    kan_run *run = piles->problem->run;
    const size_t room = n_parts + n_parts / 4 + 2;
    if (n_parts + 2 <= piles->part_room)
        return KAN_OK;
    piles->part_room = 0;
    KAN_TRY(kan_resize(run, room, sizeof *piles->start, &piles->start));
    KAN_TRY(kan_resize(run, room, sizeof *piles->count, &piles->count));
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        if (piles->tails[t].dense)
            KAN_TRY(kan_resize(run, room, sizeof(size_t), &piles->tails[t].start));
    piles->part_room = room;
    return KAN_OK;
}

/* Returns how many parts there are. */
static size_t number_parts(kan_past_piles *piles, const kan_past_rows *rows, const size_t *start,
                           size_t n_piles) {
    size_t n_parts = 0;
    for (size_t p = 0; p < n_piles; p++) {
        for (size_t i = start[p]; i < start[p + 1]; i++) {
            uint32_t *number = &piles->number[rows[i].past];
            if (*number == 0)
                *number = (uint32_t)++n_parts;
            piles->part_of[i] = *number - 1;
        }
        for (size_t i = start[p]; i < start[p + 1]; i++)
            piles->number[rows[i].past] = 0;
    }
    return n_parts;
}

/* Numbers of rows stand one place further on at first, so that filling in leaves each start in its own place. */
static void order_rows(kan_past_piles *piles, const kan_past_rows *rows, size_t n, size_t n_parts) {
    size_t *start = piles->start;
    memset(start, 0, (n_parts + 2) * sizeof *start);
    memset(piles->count, 0, n_parts * sizeof *piles->count);
    for (size_t i = 0; i < n; i++) {
        piles->count[piles->part_of[i]] += rows[i].n_rows;
        start[(size_t)piles->part_of[i] + 2]++;
    }
    for (size_t p = 0; p < n_parts; p++)
        start[p + 2] += start[p + 1];
    for (size_t i = 0; i < n; i++)
        piles->order[start[(size_t)piles->part_of[i] + 1]++] = (uint32_t)i;
}

static int compare_values(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void tally(kan_past_piles *piles, unsigned t, const kan_past_rows *rows, size_t n_parts) {
    const kan_problem *problem = piles->problem;
    struct kan_past_tail *tail = &piles->tails[t];
    size_t at = 0;
    for (size_t p = 0; p < n_parts; p++) {
        tail->start[p] = at;
        for (size_t i = piles->start[p]; i < piles->start[p + 1]; i++) {
            const kan_past_rows *row = &rows[piles->order[i]];
            const uint32_t v =
                kan_problem_tuple_value(problem, row->tuple, problem->space.n_attributes + t);
            if (tail->dense[v] == 0)
                tail->value[at++] = v;
            tail->dense[v] += row->n_rows;
        }
        if (at - tail->start[p] > 1)
            qsort(tail->value + tail->start[p], at - tail->start[p], sizeof *tail->value,
                  compare_values);
        for (size_t i = tail->start[p]; i < at; i++) {
            tail->count[i] = tail->dense[tail->value[i]];
            tail->dense[tail->value[i]] = 0;
        }
    }
    tail->start[n_parts] = at;
    piles->tallies[t] = (kan_tally){tail->start, tail->value, tail->count};
}

kan_status kan_past_piles_count(kan_past_piles *piles, const kan_past_rows *rows,
                                const size_t *start, size_t n_piles, kan_groups *out) {
    const size_t n = start[n_piles];
    KAN_ASSERT(n < UINT32_MAX);
    piles->edition++;
    KAN_TRY(reserve_rows(piles, n));
    const size_t n_parts = number_parts(piles, rows, start, n_piles);
    KAN_TRY(reserve_parts(piles, n_parts));
    order_rows(piles, rows, n, n_parts);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        if (piles->tails[t].dense)
            tally(piles, t, rows, n_parts);
    *out = (kan_groups){.n_groups = n_parts,
                        .n_rows = piles->problem->n_rows,
                        .count = piles->count,
                        .tallies = piles->tallies};
    kan_groups_borrow(out, &piles->edition);
    return KAN_OK;
}
