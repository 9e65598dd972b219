/* How many people somebody cannot be told from: the people of the smallest group that she is in, or, of histories,
 * those who have hers.
 *
 * Before, a group is a combination of quasi-identifiers as it was; of released rows alone where not
 * all may be told. */
#include "job/outcome/outcome_people.h"

#include <string.h>

/* By person: 0 where she has no row. */
typedef struct {
    const kan_setup *setup;
    kan_problem alone; /* without what is known of people from earlier releases */
    uint64_t *sizes;
    kan_head_count heads;
    kan_histories histories;
} looking;

static kan_status looking_begin(looking *l, const kan_setup *setup) {
    l->setup = setup;
    l->alone = setup->problem;
    l->alone.pasts = NULL;
    kan_head_count_init(&l->heads, &l->alone);
    kan_histories_init(&l->histories, &l->alone);
    return kan_alloc_zero(setup->run, (size_t)setup->problem.n_people, sizeof *l->sizes, &l->sizes);
}

static void looking_end(looking *l) {
    kan_head_count_destroy(&l->heads);
    kan_histories_destroy(&l->histories);
    kan_free(l->setup->run, l->sizes);
}

static void take_smallest(looking *l, const kan_groups *people, const uint8_t *is_released) {
    for (size_t g = 0; g < people->n_groups; g++)
        for (size_t i = l->heads.start[g]; i < l->heads.start[g + 1]; i++) {
            uint64_t *size = &l->sizes[kan_head_count_person(&l->heads, i)];
            if ((!is_released || is_released[g]) && (*size == 0 || people->count[g] < *size))
                *size = people->count[g];
        }
}

static kan_status take_histories(looking *l) {
    KAN_TRY(kan_histories_find(&l->histories, &l->heads));
    for (size_t i = 0; i < l->heads.set->n; i++) {
        const uint32_t person = kan_head_count_person(&l->heads, i);
        l->sizes[person] = kan_histories_like(&l->histories, person);
    }
    return KAN_OK;
}

/* is_released by group; NULL: all are. */
static kan_status look(looking *l, const kan_freqset *set, const uint8_t *is_released) {
    kan_groups people;
    uint8_t *is_gone; /* the set has nobody who is */
    KAN_TRY(kan_head_count_begin(&l->heads, set));
    if (l->setup->promise.histories)
        return take_histories(l);
    KAN_TRY(kan_alloc_zero(l->setup->run, (size_t)l->setup->problem.n_people, 1, &is_gone));
    const kan_status status = kan_head_count_groups(&l->heads, is_gone, false, &people);
    if (status == KAN_OK)
        take_smallest(l, &people, is_released);
    kan_free(l->setup->run, is_gone);
    return status;
}

/* The tuples of the base whose rows are released. */
static kan_status keep_released(const kan_solution *solution, kan_freqset *out) {
    const kan_freqset *base = &solution->problem->base;
    const unsigned words = base->layout.n_words;
    kan_run *run = solution->setup->run;
    uint64_t *rows;
    KAN_TRY(kan_alloc(run, base->n, sizeof *rows, &rows));
    kan_status status = kan_solution_tuple_rows(solution, rows);
    out->layout = base->layout;
    out->n = 0;
    if (status == KAN_OK)
        status = kan_freqset_reserve(run, out, base->n);
    for (size_t t = 0; status == KAN_OK && t < base->n; t++) {
        if (rows[t] == 0)
            continue;
        memcpy(out->keys + out->n * words, base->keys + t * words, words * sizeof *out->keys);
        out->counts[out->n++] = base->counts[t];
    }
    kan_free(run, rows);
    return status;
}

static kan_status look_before(const kan_solution *solution, bool tells_all, looking *l) {
    kan_freqset kept;
    if (tells_all)
        return look(l, &solution->problem->base, NULL);
    kan_freqset_init(&kept);
    kan_status status = keep_released(solution, &kept);
    if (status == KAN_OK)
        status = look(l, &kept, NULL);
    kan_freqset_destroy(l->setup->run, &kept);
    return status;
}

/* The sizes of the people who have one, from `sizes` by person, which is put in order. */
static kan_status sizes_make(looking *l, kan_group_sizes *out) {
    const kan_setup *setup = l->setup;
    size_t n = 0;
    for (size_t p = 0; p < setup->problem.n_people; p++)
        if (l->sizes[p] > 0)
            l->sizes[n++] = l->sizes[p];
    return kan_group_sizes_make(setup->run, l->sizes, n, 0, out);
}

kan_status kan_people_sizes_before(const kan_solution *solution, bool tells_all,
                                   kan_group_sizes *out) {
    looking l = {0};
    kan_status status = looking_begin(&l, solution->setup);
    if (status == KAN_OK)
        status = look_before(solution, tells_all, &l);
    if (status == KAN_OK)
        status = sizes_make(&l, out);
    looking_end(&l);
    return status;
}

kan_status kan_people_sizes_released(const kan_solution *solution, kan_group_sizes *out) {
    looking l = {0};
    kan_status status = looking_begin(&l, solution->setup);
    if (status == KAN_OK && solution->people_near)
        memcpy(l.sizes, solution->people_near,
               (size_t)solution->setup->problem.n_people * sizeof *l.sizes);
    else if (status == KAN_OK)
        status = look(&l, &solution->set, kan_solution_groups(solution)->is_released);
    if (status == KAN_OK)
        status = sizes_make(&l, out);
    looking_end(&l);
    return status;
}
