/* Tuples and people: see crowd.h. */
#include "group/crowd.h"

#include <string.h>

#include "group/head_count.h"

void kan_crowd_destroy(kan_crowd *crowd) {
    if (!crowd->run)
        return;
    kan_freqset_destroy(crowd->run, &crowd->tuples);
    kan_free(crowd->run, crowd->of_tuple);
    kan_free(crowd->run, crowd->people);
    kan_free(crowd->run, crowd->of_person);
    kan_free(crowd->run, crowd->tuple);
    kan_free(crowd->run, crowd->rows);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        kan_free(crowd->run, crowd->values[t]);
    kan_crowd_init(crowd, crowd->run);
}

/* Tuples of the set stand by attributes, then by person: the pairs are in order. */
static kan_status list_people(kan_crowd *crowd, const kan_head_count *heads) {
    const size_t n_pairs = heads->set->n, n_tuples = heads->n_groups;
    KAN_TRY(kan_alloc(crowd->run, n_tuples + 1, sizeof *crowd->of_tuple, &crowd->of_tuple));
    KAN_TRY(kan_alloc(crowd->run, n_pairs + 1, sizeof *crowd->people, &crowd->people));
    memcpy(crowd->of_tuple, heads->start, (n_tuples + 1) * sizeof *crowd->of_tuple);
    for (size_t i = 0; i < n_pairs; i++)
        crowd->people[i] = kan_head_count_person(heads, i);
    return KAN_OK;
}

/* What each of them has there, in every tail behind the person. */
static kan_status list_values(kan_crowd *crowd, const kan_problem *problem,
                              const kan_freqset *set) {
    for (unsigned f = problem->space.n_attributes + 1; f < set->layout.n_fields; f++) {
        const kan_key_field *field = &set->layout.fields[f];
        uint32_t **values = &crowd->values[field->dimension - problem->space.n_attributes];
        KAN_TRY(kan_alloc(crowd->run, set->n + 1, sizeof **values, values));
        for (size_t i = 0; i < set->n; i++)
            (*values)[i] = kan_key_field_value(field, set->keys + i * set->layout.n_words);
    }
    return KAN_OK;
}

/* The same the other way round: counted, then put in their places. */
static kan_status list_tuples(kan_crowd *crowd, const kan_freqset *set) {
    const size_t n_pairs = set->n, n_people = crowd->n_people;
    KAN_TRY(kan_alloc_zero(crowd->run, n_people + 2, sizeof *crowd->of_person, &crowd->of_person));
    KAN_TRY(kan_alloc(crowd->run, n_pairs + 1, sizeof *crowd->tuple, &crowd->tuple));
    KAN_TRY(kan_alloc(crowd->run, n_pairs + 1, sizeof *crowd->rows, &crowd->rows));
    size_t *next = crowd->of_person + 1; /* one ahead: it ends where it should begin */
    for (size_t i = 0; i < n_pairs; i++)
        crowd->of_person[crowd->people[i] + 2]++;
    for (size_t p = 2; p <= n_people; p++)
        crowd->of_person[p] += crowd->of_person[p - 1];
    for (size_t t = 0; t < crowd->tuples.n; t++)
        for (size_t i = crowd->of_tuple[t]; i < crowd->of_tuple[t + 1]; i++) {
            const size_t at = next[crowd->people[i]]++;
            crowd->tuple[at] = (uint32_t)t;
            crowd->rows[at] = set->counts[i];
        }
    return KAN_OK;
}

static uint64_t rows_of_person(const kan_crowd *crowd, size_t person) {
    uint64_t rows = 0;
    for (size_t i = crowd->of_person[person]; i < crowd->of_person[person + 1]; i++)
        rows += crowd->rows[i];
    return rows;
}

kan_status kan_crowd_make(kan_crowd *crowd, const kan_problem *problem, const kan_freqset *set,
                          kan_workspace *workspace) {
    kan_status status;
    unsigned dimensions[KAN_MAX_FIELDS];
    kan_head_count heads;
    const unsigned n = problem->space.n_attributes;
    KAN_ASSERT(set->layout.fields[n].dimension == n);
    for (unsigned f = 0; f < n; f++)
        dimensions[f] = set->layout.fields[f].dimension;
    crowd->n_people = (size_t)problem->n_people;
    kan_head_count_init(&heads, problem);
    KAN_TRY_DONE(kan_head_count_begin(&heads, set));
    KAN_TRY_DONE(
        kan_freqset_project(&problem->space, set, dimensions, n, workspace, &crowd->tuples));
    KAN_ASSERT(crowd->tuples.n == heads.n_groups);
    KAN_TRY_DONE(list_people(crowd, &heads));
    KAN_TRY_DONE(list_values(crowd, problem, set));
    KAN_TRY_DONE(list_tuples(crowd, set));
    crowd->most_rows = 1;
    for (size_t p = 0; p < crowd->n_people; p++) {
        const uint64_t rows = rows_of_person(crowd, p);
        crowd->most_rows = rows > crowd->most_rows ? rows : crowd->most_rows;
    }
done:
    kan_head_count_destroy(&heads);
    return status;
}

/* Whoever has so many rows or more is taken in any case. */
enum { MANY_ROWS = 4096 };

kan_status kan_crowd_rows_of(const kan_crowd *crowd, uint64_t n, uint64_t *out) {
    uint64_t *with, rows_of_many = 0, n_many = 0;
    KAN_TRY(kan_alloc_zero(crowd->run, MANY_ROWS, sizeof *with, &with));
    for (size_t p = 0; p < crowd->n_people; p++) {
        const uint64_t rows = rows_of_person(crowd, p);
        if (rows < MANY_ROWS) {
            with[rows]++;
        } else {
            rows_of_many += rows;
            n_many++;
        }
    }
    uint64_t left = n > n_many ? n - n_many : 0, sum = rows_of_many;
    for (uint64_t rows = MANY_ROWS; rows-- > 1 && left > 0;) {
        const uint64_t taken = with[rows] < left ? with[rows] : left;
        sum += taken * rows;
        left -= taken;
    }
    kan_free(crowd->run, with);
    *out = sum;
    return KAN_OK;
}
