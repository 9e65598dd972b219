/* See match_heads.h. */
#include "analyze/cover/match_heads.h"

#include <string.h>

kan_status kan_match_heads_begin(kan_run *run, uint64_t n_rows, const size_t *tuple_of,
                                 const uint32_t *person_of, size_t n_tuples, kan_match_heads *out) {
    uint8_t *is_known;
    *out = (kan_match_heads){.run = run, .n_tuples = n_tuples};
    KAN_TRY(kan_alloc_zero(run, n_tuples + 2, sizeof *out->start, &out->start));
    KAN_TRY(kan_alloc(run, (size_t)n_rows, sizeof *out->person, &out->person));
    for (uint64_t row = 0; row < n_rows; row++) {
        out->start[tuple_of[row] + 2]++;
        if (person_of[row] >= out->n_numbers)
            out->n_numbers = (size_t)person_of[row] + 1;
    }
    for (size_t t = 0; t < n_tuples; t++)
        out->start[t + 2] += out->start[t + 1];
    /* start[t + 1] is where the next row of tuple t goes, and ends where t does */
    for (uint64_t row = 0; row < n_rows; row++)
        out->person[out->start[tuple_of[row] + 1]++] = person_of[row];
    KAN_TRY(kan_alloc_zero(run, out->n_numbers, 1, &is_known));
    for (uint64_t row = 0; row < n_rows; row++) {
        out->n_people += !is_known[person_of[row]];
        is_known[person_of[row]] = 1;
    }
    kan_free(run, is_known);
    return KAN_OK;
}

void kan_match_heads_destroy(kan_match_heads *heads) {
    kan_run *run = heads->run;
    if (!run)
        return;
    kan_free(run, heads->start);
    kan_free(run, heads->person);
    kan_free(run, heads->pairs);
    *heads = (kan_match_heads){.run = NULL};
}

kan_status kan_match_heads_add(kan_match_heads *heads, size_t group, size_t tuple) {
    KAN_TRY(kan_reserve(heads->run, heads->n_pairs + 1, sizeof *heads->pairs, &heads->room,
                        &heads->pairs));
    heads->pairs[heads->n_pairs++] = (struct kan_match_pair_found){group, tuple};
    return KAN_OK;
}

/* The tuples of each group together: first[g] .. first[g + 1] - 1. */
static void sort_pairs(const kan_match_heads *heads, size_t n_groups, size_t *first,
                       size_t *tuples) {
    memset(first, 0, (n_groups + 2) * sizeof *first);
    for (size_t i = 0; i < heads->n_pairs; i++)
        first[heads->pairs[i].group + 2]++;
    for (size_t g = 0; g < n_groups; g++)
        first[g + 2] += first[g + 1];
    for (size_t i = 0; i < heads->n_pairs; i++)
        tuples[first[heads->pairs[i].group + 1]++] = heads->pairs[i].tuple;
}

/* met[person] is the last group, from 1, that she was met in. */
static uint64_t count_group(const kan_match_heads *heads, size_t group, const size_t *tuples,
                            size_t n, size_t *met) {
    uint64_t people = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t at = heads->start[tuples[i]]; at < heads->start[tuples[i] + 1]; at++) {
            people += met[heads->person[at]] != group + 1;
            met[heads->person[at]] = group + 1;
        }
    return people;
}

kan_status kan_match_heads_count(kan_match_heads *heads, size_t n_groups, uint64_t *people) {
    kan_run *run = heads->run;
    size_t *first = NULL, *tuples = NULL, *met = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, n_groups + 2, sizeof *first, &first));
    KAN_TRY_DONE(kan_alloc(run, heads->n_pairs, sizeof *tuples, &tuples));
    KAN_TRY_DONE(kan_alloc_zero(run, heads->n_numbers, sizeof *met, &met));
    sort_pairs(heads, n_groups, first, tuples);
    for (size_t g = 0; g < n_groups; g++) {
        KAN_TRY_DONE(kan_check_cancel(run));
        people[g] = count_group(heads, g, tuples + first[g], first[g + 1] - first[g], met);
    }
done:
    kan_free(run, first);
    kan_free(run, tuples);
    kan_free(run, met);
    return status;
}
