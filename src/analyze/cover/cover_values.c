/* The cover relation, asked for every pair of a label and a value. */
#include "analyze/cover/cover_values.h"

#include "analyze/cover/relation.h"
#include "core/memory.h"

static kan_status list(const kan_relation *relation, kan_covered_values *out) {
    const uint32_t n_labels = relation->released->dictionary.n;
    const uint32_t n_values = relation->original->dictionary.n;
    size_t n = 0, capacity = 0;
    KAN_TRY(kan_alloc(out->run, (size_t)n_labels + 1, sizeof *out->start, &out->start));
    for (uint32_t label = 0; label < n_labels; label++) {
        out->start[label] = n;
        KAN_TRY(kan_reserve(out->run, n + n_values, sizeof *out->codes, &capacity, &out->codes));
        for (uint32_t value = 0; value < n_values; value++)
            if (kan_relation_covers(relation, label, value))
                out->codes[n++] = value;
        KAN_TRY(kan_check_cancel(out->run));
    }
    out->start[n_labels] = n;
    return KAN_OK;
}

kan_status kan_cover_list_values(kan_run *run, const kan_cover_question *question,
                                 const kan_cover_pair *pair, kan_covered_values *out) {
    kan_covered_values made = {.run = run};
    kan_relation relation;
    KAN_TRY(kan_relation_init(&relation, run, question, pair, true));
    const kan_status status = list(&relation, &made);
    kan_relation_destroy(&relation, run);
    if (status == KAN_OK)
        *out = made;
    else
        kan_covered_values_destroy(&made);
    return status;
}

void kan_covered_values_destroy(kan_covered_values *values) {
    kan_free(values->run, values->start);
    kan_free(values->run, values->codes);
    *values = (kan_covered_values){.run = values->run};
}
