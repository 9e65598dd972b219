/* See earlier_labels.h. */
#include "job/verify/earlier_labels.h"

/* Where people had several rows, a group of people is not one of rows, and has no label of its own. */
static bool has_labels(const kan_ledger_release *release) {
    return release->n_rows == release->n_people && release->n_tuples == release->n_groups;
}

static kan_status list_columns(kan_arena *arena, const kan_ledger_release *release,
                               kan_over_time_labels *out) {
    kan_over_time_label_column *columns;
    KAN_TRY(kan_arena_alloc(arena, release->n_shown, sizeof *columns, &columns));
    for (uint32_t c = 0; c < release->n_shown; c++) {
        const kan_ledger_shown *shown = &release->shown[c];
        columns[c] =
            (kan_over_time_label_column){shown->column, shown->texts, shown->n_texts, shown->codes};
    }
    *out = (kan_over_time_labels){.are_known = true,
                                  .columns = columns,
                                  .n_columns = release->n_shown,
                                  .n_groups = release->n_groups};
    return KAN_OK;
}

kan_status kan_earlier_labels_make(kan_arena *arena, const kan_ledger *ledger, size_t n,
                                   const kan_over_time_labels **out) {
    kan_over_time_labels *labels;
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *labels, &labels));
    for (size_t r = 0; r < n; r++) {
        const kan_ledger_release *release = kan_ledger_release_at(ledger, r);
        labels[r] = (kan_over_time_labels){.are_known = false};
        if (has_labels(release))
            KAN_TRY(list_columns(arena, release, &labels[r]));
    }
    *out = labels;
    return KAN_OK;
}
