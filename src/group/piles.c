/* Counting the people of piles: see piles.h. Whoever was met in a pile is marked with its number,
 * which no other pile has. */
#include "group/piles.h"

#include <stdlib.h>
#include <string.h>

/* ---- owners --------------------------------------------------------------------------------- */

void kan_owners_destroy(kan_owners *owners) {
    if (!owners->problem)
        return;
    kan_run *run = owners->problem->run;
    kan_free(run, owners->person);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        kan_free(run, owners->pair[t]);
    *owners = (kan_owners){.problem = NULL};
}

/* The tuples, those of a person one after the other. Counts stand two places further on at first, so
 * that filling in leaves each start in its own place. */
static void order_by_person(const kan_owners *owners, size_t *start, uint32_t *order) {
    const size_t n = kan_problem_tuples(owners->problem);
    for (size_t t = 0; t < n; t++)
        start[(size_t)owners->person[t] + 2]++;
    for (size_t p = 0; p < owners->problem->n_people; p++)
        start[p + 2] += start[p + 1];
    for (size_t t = 0; t < n; t++)
        order[start[(size_t)owners->person[t] + 1]++] = (uint32_t)t;
}

static void find_most_rows(kan_owners *owners, const size_t *start, const uint32_t *order) {
    owners->most_rows = 1;
    for (size_t p = 0; p < owners->problem->n_people; p++) {
        uint64_t n_rows = 0;
        for (size_t i = start[p]; i < start[p + 1]; i++)
            n_rows += kan_problem_tuple_rows(owners->problem, order[i]);
        owners->most_rows = n_rows > owners->most_rows ? n_rows : owners->most_rows;
    }
}

/* The pairs of a tail, numbered person by person. */
static kan_status number_pairs(kan_owners *owners, unsigned tail, const size_t *start,
                               const uint32_t *order) {
    const kan_problem *problem = owners->problem;
    const unsigned dimension = problem->space.n_attributes + tail;
    const size_t n_values = kan_dimension_groups(&problem->space.dimensions[dimension], 0);
    kan_run *run = problem->run;
    uint32_t *last = NULL, *pair = NULL; /* by value: who was met with it last, and her pair */
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, n_values, sizeof *last, &last));
    KAN_TRY_DONE(kan_alloc(run, n_values, sizeof *pair, &pair));
    KAN_TRY_DONE(kan_alloc(run, kan_problem_tuples(problem), sizeof *owners->pair[tail],
                           &owners->pair[tail]));
    for (uint32_t p = 0; p < problem->n_people; p++)
        for (size_t i = start[p]; i < start[p + 1]; i++) {
            const uint32_t value = kan_problem_tuple_value(problem, order[i], dimension);
            if (last[value] != p + 1)
                pair[value] = (uint32_t)owners->n_pairs[tail]++;
            last[value] = p + 1;
            owners->pair[tail][order[i]] = pair[value];
        }
done:
    kan_free(run, last);
    kan_free(run, pair);
    return status;
}

kan_status kan_owners_make(const kan_problem *problem, bool needs_tallies, kan_owners *out) {
    const size_t n = kan_problem_tuples(problem);
    kan_run *run = problem->run;
    size_t *start = NULL;
    uint32_t *order = NULL;
    kan_status status;
    *out = (kan_owners){.problem = problem};
    KAN_ASSERT(problem->has_person && !problem->is_unfolded);
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *out->person, &out->person));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *order, &order));
    KAN_TRY_DONE(kan_alloc_zero(run, (size_t)problem->n_people + 2, sizeof *start, &start));
    for (size_t t = 0; t < n; t++)
        out->person[t] = kan_problem_tuple_value(problem, t, problem->space.n_attributes);
    order_by_person(out, start, order);
    find_most_rows(out, start, order);
    for (unsigned t = 1; needs_tallies && t < problem->space.n_tails; t++)
        if ((int)t != problem->class_tail)
            KAN_TRY_DONE(number_pairs(out, t, start, order));
done:
    kan_free(run, start);
    kan_free(run, order);
    return status;
}

/* ---- counting ------------------------------------------------------------------------------- */

void kan_piles_destroy(kan_piles *piles) {
    if (!piles->owners)
        return;
    kan_run *run = piles->owners->problem->run;
    kan_free(run, piles->met);
    kan_free(run, piles->people);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++) {
        kan_free(run, piles->tails[t].met);
        kan_free(run, piles->tails[t].dense);
        kan_free(run, piles->tails[t].start);
        kan_free(run, piles->tails[t].total);
        kan_free(run, piles->tails[t].value);
        kan_free(run, piles->tails[t].count);
    }
    *piles = (kan_piles){.owners = NULL};
}

kan_status kan_piles_make(const kan_owners *owners, kan_piles *out) {
    const kan_problem *problem = owners->problem;
    kan_run *run = problem->run;
    *out = (kan_piles){.owners = owners};
    KAN_TRY(kan_alloc_zero(run, (size_t)problem->n_people, sizeof *out->met, &out->met));
    for (unsigned t = 0; t < problem->space.n_tails; t++) {
        const kan_dimension *d = &problem->space.dimensions[problem->space.n_attributes + t];
        if (!owners->pair[t])
            continue;
        KAN_TRY(kan_alloc_zero(run, owners->n_pairs[t], sizeof(uint32_t), &out->tails[t].met));
        KAN_TRY(kan_alloc_zero(run, kan_dimension_groups(d, 0), sizeof(uint64_t),
                               &out->tails[t].dense));
    }
    return KAN_OK;
}

static kan_status reserve(kan_piles *piles, size_t n_piles, size_t n_tuples) {
    kan_run *run = piles->owners->problem->run;
    const size_t room = n_piles + n_piles / 4 + 1;
    const bool grows = n_piles + 1 > piles->pile_room;
    if (grows) {
        piles->pile_room = 0; /* until all arrays have grown */
        KAN_TRY(kan_resize(run, room, sizeof *piles->people, &piles->people));
    }
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++) {
        struct kan_pile_tail *tail = &piles->tails[t];
        if (!piles->owners->pair[t])
            continue;
        if (grows) {
            KAN_TRY(kan_resize(run, room, sizeof *tail->start, &tail->start));
            KAN_TRY(kan_resize(run, room, sizeof *tail->total, &tail->total));
        }
        if (n_tuples > tail->room) {
            const size_t n = n_tuples + n_tuples / 4;
            tail->room = 0;
            KAN_TRY(kan_resize(run, n, sizeof *tail->value, &tail->value));
            KAN_TRY(kan_resize(run, n, sizeof *tail->count, &tail->count));
            tail->room = n;
        }
    }
    piles->pile_room = grows ? room : piles->pile_room;
    return KAN_OK;
}

/* Marks of earlier calls are below this one's, until numbers run out. */
static void make_marks_old(kan_piles *piles, size_t n_piles) {
    const kan_owners *owners = piles->owners;
    if (piles->n_looks < UINT32_MAX - n_piles)
        return;
    memset(piles->met, 0, (size_t)owners->problem->n_people * sizeof *piles->met);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        if (owners->pair[t])
            memset(piles->tails[t].met, 0, owners->n_pairs[t] * sizeof *piles->tails[t].met);
    piles->n_looks = 0;
}

static uint64_t count_people(const kan_piles *piles, const uint32_t *tuples, size_t n,
                             uint32_t mark) {
    uint64_t people = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t *met = &piles->met[piles->owners->person[tuples[i]]];
        people += *met != mark;
        *met = mark;
    }
    return people;
}

static int compare_values(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The values of one pile into value[] and count[]; returns how many. */
static size_t tally(const kan_piles *piles, unsigned t, const uint32_t *tuples, size_t n,
                    uint32_t mark, uint32_t *value, uint64_t *count) {
    const kan_problem *problem = piles->owners->problem;
    const struct kan_pile_tail *tail = &piles->tails[t];
    size_t n_values = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t *met = &tail->met[piles->owners->pair[t][tuples[i]]];
        if (*met == mark)
            continue;
        *met = mark;
        const uint32_t v =
            kan_problem_tuple_value(problem, tuples[i], problem->space.n_attributes + t);
        if (tail->dense[v]++ == 0)
            value[n_values++] = v;
    }
    if (n_values > 1)
        qsort(value, n_values, sizeof *value, compare_values);
    for (size_t i = 0; i < n_values; i++) {
        count[i] = tail->dense[value[i]];
        tail->dense[value[i]] = 0;
    }
    return n_values;
}

static void tally_all(kan_piles *piles, unsigned t, const uint32_t *tuples, const size_t *start,
                      size_t n_piles) {
    struct kan_pile_tail *tail = &piles->tails[t];
    size_t at = 0;
    for (size_t p = 0; p < n_piles; p++) {
        tail->start[p] = at;
        tail->total[p] = 0;
        at += tally(piles, t, tuples + start[p], start[p + 1] - start[p],
                    piles->n_looks + (uint32_t)p + 1, tail->value + at, tail->count + at);
        for (size_t i = tail->start[p]; i < at; i++)
            tail->total[p] += tail->count[i];
    }
    tail->start[n_piles] = at;
    piles->tallies[t] = (kan_tally){tail->start, tail->value, tail->count};
    piles->totals[t] = tail->total;
}

kan_status kan_piles_count(kan_piles *piles, const uint32_t *tuples, const size_t *start,
                           size_t n_piles, kan_groups *out) {
    const kan_owners *owners = piles->owners;
    KAN_ASSERT(n_piles < UINT32_MAX / 2);
    piles->edition++;
    KAN_TRY(reserve(piles, n_piles, start[n_piles]));
    make_marks_old(piles, n_piles);
    for (size_t p = 0; p < n_piles; p++)
        piles->people[p] = count_people(piles, tuples + start[p], start[p + 1] - start[p],
                                        piles->n_looks + (uint32_t)p + 1);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        if (owners->pair[t])
            tally_all(piles, t, tuples, start, n_piles);
    piles->n_looks += (uint32_t)n_piles;
    *out = (kan_groups){.n_groups = n_piles,
                        .n_rows = owners->problem->n_people,
                        .count = piles->people,
                        .tallies = piles->tallies,
                        .totals = piles->totals};
    kan_groups_borrow(out, &piles->edition);
    return KAN_OK;
}
