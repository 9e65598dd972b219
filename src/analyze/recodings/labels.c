/* Labels of a release: see labels.h. Which values a label covers is the relation of the cover, which
 * reads labels of hierarchies, intervals and lists by their text alone. */
#include "analyze/recodings/labels.h"

void kan_shape_blame(kan_shape_verdict *verdict, const kan_labels *labels, uint64_t row,
                     uint64_t other_row, const char *fault) {
    if (!verdict->holds)
        return;
    const bool is_turned = other_row > 0 && other_row < row;
    *verdict = (kan_shape_verdict){.holds = false,
                                   .column = labels ? labels->column->name : NULL,
                                   .row = is_turned ? other_row : row,
                                   .other_row = is_turned ? row : other_row,
                                   .fault = fault,
                                   .unchecked = verdict->unchecked};
}

/* A label of several levels stands for its lowest node: what holds of a larger one holds of it. */
static void add_level(kan_labels *labels, uint32_t code, unsigned level, uint32_t value) {
    if (code == KAN_NO_CODE)
        return;
    const uint64_t bit = UINT64_C(1) << (level < 63 ? level : 63);
    if (labels->levels[code] == 0 || bit < (labels->levels[code] & -labels->levels[code]))
        labels->leaf[code] = value;
    labels->levels[code] |= bit;
}

static kan_status make_labels(kan_run *run, const kan_shape_question *question,
                              const kan_shape_column *pair, kan_labels *out) {
    const kan_cover_question cover = {
        .release = question->release, .original = pair->values, .reads_intervals = true};
    const kan_cover_pair columns = {pair->released, pair->value_column, pair->hierarchy};
    const kan_column *released = &question->release->columns[pair->released];
    out->column = released;
    out->n = released->dictionary.n;
    out->n_values = pair->values->columns[pair->value_column].dictionary.n;
    KAN_TRY(kan_relation_init(&out->relation, run, &cover, &columns, true));
    out->top = out->relation.n_levels > 1 ? out->relation.n_levels - 1 : 1;
    KAN_TRY(kan_alloc_zero(run, out->n, sizeof *out->first_row, &out->first_row));
    KAN_TRY(kan_alloc_zero(run, out->n, sizeof *out->levels, &out->levels));
    KAN_TRY(kan_alloc(run, out->n, sizeof *out->any_levels, &out->any_levels));
    KAN_TRY(kan_alloc(run, out->n, sizeof *out->is_named, &out->is_named));
    KAN_TRY(kan_alloc(run, out->n, sizeof *out->leaf, &out->leaf));
    for (uint32_t code = 0; code < out->n; code++)
        out->leaf[code] = KAN_NO_CODE;
    for (unsigned level = 0; level < out->relation.n_levels; level++)
        for (uint32_t value = 0; value < out->n_values; value++)
            add_level(out, out->relation.shown_as[value * (size_t)out->relation.n_levels + level],
                      level, value);
    add_level(out, out->relation.star, out->top, 0);
    memcpy(out->any_levels, out->levels, out->n * sizeof *out->levels);
    for (uint32_t code = 0; code < out->n; code++)
        out->is_named[code] = out->levels[code] != 0;
    return KAN_OK;
}

static kan_status fold_rows(kan_shape *shape) {
    const kan_table *release = shape->question->release;
    uint32_t tuple[KAN_MAX_ATTRIBUTES];
    enum { ROWS_BETWEEN_CHECKS = 1 << 16 };
    for (uint64_t row = 0; row < release->n_rows; row++) {
        size_t number;
        bool is_star = true;
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(shape->run));
        for (size_t c = 0; c < shape->n_columns; c++) {
            tuple[c] = kan_column_code(shape->labels[c].column, row);
            is_star = is_star && kan_labels_is_star(&shape->labels[c], tuple[c]);
        }
        KAN_TRY(kan_tuples_add_rows(&shape->tuples, tuple, row, kan_table_count(release, row),
                                    &number));
        if (is_star) {
            shape->has_star_row = true;
            shape->star_row = number;
        }
    }
    return KAN_OK;
}

static void note_rows(kan_shape *shape) {
    for (size_t i = 0; i < shape->tuples.n; i++) {
        const uint32_t *tuple = kan_shape_tuple(shape, i);
        for (size_t c = 0; c < shape->n_columns && !kan_shape_skips(shape, i); c++)
            if (shape->labels[c].first_row[tuple[c]] == 0)
                shape->labels[c].first_row[tuple[c]] = shape->tuples.first_row[i] + 1;
    }
}

bool kan_shape_leaves_out(const kan_shape *shape, uint64_t row) {
    bool is_star = shape->has_star_row;
    for (size_t c = 0; c < shape->n_columns && is_star; c++)
        is_star =
            kan_labels_is_star(&shape->labels[c], kan_column_code(shape->labels[c].column, row));
    return is_star;
}

kan_status kan_shape_make(kan_run *run, const kan_shape_question *question, bool is_wide,
                          kan_shape *out) {
    *out = (kan_shape){.run = run, .question = question};
    kan_tuples_init(&out->tuples, run, question->n_columns * sizeof(uint32_t));
    if (question->n_columns == 0 || question->n_columns > KAN_MAX_ATTRIBUTES)
        return kan_fail(run, KAN_BAD_INPUT, "a recoding is checked for 1 to %d quasi-identifiers",
                        KAN_MAX_ATTRIBUTES);
    KAN_TRY(kan_alloc_zero(run, question->n_columns, sizeof *out->labels, &out->labels));
    out->n_columns = question->n_columns;
    for (size_t c = 0; c < out->n_columns; c++)
        KAN_TRY(make_labels(run, question, &question->columns[c], &out->labels[c]));
    KAN_TRY(fold_rows(out));
    for (size_t c = 0; c < out->n_columns; c++)
        KAN_TRY(kan_labels_read(out, c, is_wide));
    note_rows(out);
    return KAN_OK;
}

void kan_shape_destroy(kan_shape *shape) {
    for (size_t c = 0; c < shape->n_columns; c++) {
        kan_relation_destroy(&shape->labels[c].relation, shape->run);
        kan_free(shape->run, shape->labels[c].first_row);
        kan_free(shape->run, shape->labels[c].levels);
        kan_free(shape->run, shape->labels[c].any_levels);
        kan_free(shape->run, shape->labels[c].is_named);
        kan_free(shape->run, shape->labels[c].leaf);
    }
    kan_free(shape->run, shape->labels);
    kan_tuples_destroy(&shape->tuples);
}
