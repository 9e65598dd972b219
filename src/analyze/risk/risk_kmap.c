/* The k-map: what it means for the rows of a release how many people of a population match their
 * groups. Who matches is found by analyze/cover/match_people.c. */
#include "analyze/risk/risk_groups.h"

static void add_unmatched(const kan_matched *found, size_t group, kan_kmap *out) {
    out->n_unmatched_groups++;
    out->n_unmatched_rows += found->rows[group];
}

static void sum_up(const kan_kmap_question *question, const kan_matched *found, kan_kmap *out) {
    kan_kmap sum = {.n_people = found->n_people,
                    .first_unmatched = found->first_unmatched,
                    .fault = found->fault};
    double expected = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < found->n; i++) {
        const uint64_t rows = found->rows[i], people = found->people[i];
        sum.n_groups++;
        sum.n_rows += rows;
        if (question->people)
            question->people[found->first_row[i]] = people;
        least = people < least ? people : least;
        sum.largest = people > sum.largest ? people : sum.largest;
        if (people == 0) {
            add_unmatched(found, i, &sum);
            continue;
        }
        expected += (double)rows / (double)people;
        sum.n_unique += people == 1;
        sum.n_short_groups += people < rows;
        if (people < question->threshold) {
            sum.n_groups_at_risk++;
            sum.n_rows_at_risk += rows;
        }
    }
    if (sum.n_rows > 0) {
        sum.k = least;
        sum.highest = least > 0 ? 1 / (double)least : 1;
        sum.average = expected / (double)sum.n_rows;
        sum.share_at_risk = (double)sum.n_rows_at_risk / (double)sum.n_rows;
    }
    *out = sum;
}

/* Puts the different people of each group in the place of its rows. */
static kan_status count_heads(kan_run *run, const kan_kmap_question *question, kan_matched *found) {
    kan_model_rows rows = {
        .table = question->release, .n_quasi = question->n_quasi, .person_of = question->person_of};
    kan_model_groups by_group;
    size_t *columns;
    KAN_TRY(kan_alloc(run, question->n_quasi, sizeof *columns, &columns));
    for (size_t i = 0; i < question->n_quasi; i++)
        columns[i] = question->quasi[i].released;
    rows.quasi = columns;
    const kan_status status = kan_model_groups_make(run, &rows, &by_group);
    KAN_ASSERT(status != KAN_OK || by_group.groups.tuples.n == found->n);
    /* both number groups as the release shows them */
    for (size_t g = 0; status == KAN_OK && g < found->n; g++)
        found->rows[g] = by_group.groups.tuples.count[g];
    kan_model_groups_destroy(&by_group);
    kan_free(run, columns);
    return status;
}

kan_status kan_kmap_measure(kan_run *run, const kan_kmap_question *question, kan_kmap *out) {
    const kan_match_question match = {.release = question->release,
                                      .population = question->population,
                                      .quasi = question->quasi,
                                      .n_quasi = question->n_quasi,
                                      .person_of = question->population_person_of};
    kan_matched found;
    KAN_ASSERT(!question->person_of == !question->population_person_of);
    KAN_TRY(kan_match_people(run, &match, &found));
    const kan_status status = question->person_of ? count_heads(run, question, &found) : KAN_OK;
    if (status == KAN_OK)
        sum_up(question, &found, out);
    kan_matched_destroy(&found);
    return status;
}
