/* The k-map: what it means for the rows of a release how many people of a population match their
 * groups. Who matches is found by analyze/cover/match_people.c. */
#include "analyze/risk/risk_groups.h"

static void add_unmatched(const kan_matched *found, size_t group, kan_kmap *out) {
    out->n_unmatched_groups++;
    out->n_unmatched_rows += found->rows[group];
}

static void sum_up(const kan_kmap_question *question, const kan_matched *found, kan_kmap *out) {
    kan_kmap sum = {.n_people = kan_table_total(question->population),
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

kan_status kan_kmap_measure(kan_run *run, const kan_kmap_question *question, kan_kmap *out) {
    const kan_match_question match = {.release = question->release,
                                      .population = question->population,
                                      .quasi = question->quasi,
                                      .n_quasi = question->n_quasi};
    kan_matched found;
    KAN_TRY(kan_match_people(run, &match, &found));
    sum_up(question, &found, out);
    kan_matched_destroy(&found);
    return KAN_OK;
}
