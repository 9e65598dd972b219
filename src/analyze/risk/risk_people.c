/* See risk_people.h. Whoever looks for a person knows one of her rows, or several: the smallest
 * group that she is in is where she is found most easily. */
#include "analyze/risk/risk_people.h"

static kan_status take_rows(kan_people_near *near, const kan_model_groups *by_group,
                            uint64_t n_rows, const uint32_t *person_of) {
    KAN_TRY(kan_alloc(near->run, (size_t)n_rows, sizeof *near->in_group, &near->in_group));
    for (uint64_t row = 0; row < n_rows; row++) {
        near->in_group[row] = by_group->groups.tuples.count[by_group->group_of[row]];
        if (person_of[row] >= near->n_numbers)
            near->n_numbers = (size_t)person_of[row] + 1;
    }
    KAN_TRY(kan_alloc_zero(near->run, near->n_numbers, sizeof *near->least, &near->least));
    for (uint64_t row = 0; row < n_rows; row++) {
        uint64_t *least = &near->least[person_of[row]];
        if (*least == 0 || near->in_group[row] < *least)
            *least = near->in_group[row];
    }
    return KAN_OK;
}

kan_status kan_people_near_find(kan_run *run, const kan_table *table, const size_t *columns,
                                size_t n_columns, const uint32_t *person_of, kan_people_near *out) {
    const kan_model_rows rows = {
        .table = table, .quasi = columns, .n_quasi = n_columns, .person_of = person_of};
    kan_people_near near = {.run = run};
    kan_model_groups by_group;
    kan_status status = kan_model_groups_make(run, &rows, &by_group);
    if (status == KAN_OK)
        status = take_rows(&near, &by_group, table->n_rows, person_of);
    kan_model_groups_destroy(&by_group);
    if (status == KAN_OK)
        *out = near;
    else
        kan_people_near_destroy(&near);
    return status;
}

void kan_people_near_destroy(kan_people_near *near) {
    if (!near->run)
        return;
    kan_free(near->run, near->in_group);
    kan_free(near->run, near->least);
    *near = (kan_people_near){.run = NULL};
}

kan_status kan_people_near_sizes(const kan_people_near *near, kan_group_sizes *out) {
    uint64_t *sizes;
    size_t n = 0;
    KAN_TRY(kan_alloc(near->run, near->n_numbers, sizeof *sizes, &sizes));
    for (size_t p = 0; p < near->n_numbers; p++)
        if (near->least[p] > 0)
            sizes[n++] = near->least[p];
    const kan_status status = kan_group_sizes_make(near->run, sizes, n, 0, out);
    kan_free(near->run, sizes);
    return status;
}

void kan_people_risk(const kan_group_sizes *sizes, uint64_t threshold, kan_risk *out) {
    kan_risk risk = {.threshold = threshold};
    double sum = 0;
    for (size_t i = 0; i < sizes->n; i++) {
        const uint64_t size = sizes->counts[i].size, n = sizes->counts[i].n_groups;
        risk.n_rows += n;
        risk.n_unique += size == 1 ? n : 0;
        risk.n_rows_at_risk += size < threshold ? n : 0;
        sum += (double)n / (double)size;
    }
    if (risk.n_rows > 0) {
        risk.highest = 1 / (double)sizes->counts[0].size;
        risk.average = sum / (double)risk.n_rows;
        risk.share_at_risk = (double)risk.n_rows_at_risk / (double)risk.n_rows;
        risk.share_unique = (double)risk.n_unique / (double)risk.n_rows;
    }
    *out = risk;
}
