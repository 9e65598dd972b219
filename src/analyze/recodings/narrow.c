/* Labels that mean less than they say: see kan_shape_count_narrow. A bit for each label and value
 * says whether some row with the value shows the label. */
#include "analyze/recodings/labels.h"

/* Bits that are kept: beyond that nothing is counted. */
#define MOST_BITS (UINT64_C(1) << 34)

typedef struct {
    uint64_t *bits;    /* [label * n_values + value] */
    uint64_t *n_cells; /* rows that show each label, of those whose original is known */
    uint8_t *is_met;   /* by value: such a row has it */
} usage;

static bool is_set(const usage *u, size_t bit) {
    return u->bits[bit / 64] >> (bit % 64) & 1;
}

static void read_rows(const kan_shape *shape, const kan_labels *l, usage *u) {
    const kan_shape_question *q = shape->question;
    for (uint64_t row = 0; row < q->release->n_rows; row++) {
        if (q->row_of[row] == KAN_NO_ROW)
            continue;
        const uint32_t code = kan_column_code(l->column, row);
        const uint32_t value = kan_column_code(l->relation.original, q->row_of[row]);
        const size_t bit = (size_t)code * l->n_values + value;
        u->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
        u->n_cells[code]++;
        u->is_met[value] = 1;
    }
}

static bool is_narrow(const kan_labels *l, const usage *u, uint32_t code) {
    for (uint32_t value = 0; value < l->n_values; value++)
        if (u->is_met[value] && kan_relation_covers(&l->relation, code, value) &&
            !is_set(u, (size_t)code * l->n_values + value))
            return true;
    return false;
}

static kan_status count_column(const kan_shape *shape, const kan_labels *l, uint64_t *count) {
    kan_run *run = shape->run;
    usage u = {0};
    kan_status status;
    *count = 0;
    if ((uint64_t)l->n * l->n_values > MOST_BITS)
        return kan_fail(run, KAN_FAILED,
                        "column '%s' has too many labels to say what each of them means",
                        l->column->name);
    KAN_TRY_DONE(kan_alloc_zero(run, (size_t)l->n * l->n_values / 64 + 1, sizeof *u.bits, &u.bits));
    KAN_TRY_DONE(kan_alloc_zero(run, l->n, sizeof *u.n_cells, &u.n_cells));
    KAN_TRY_DONE(kan_alloc_zero(run, l->n_values, sizeof *u.is_met, &u.is_met));
    read_rows(shape, l, &u);
    /* a label of level 0 alone is one value, and intervals are named by what they hold */
    for (uint32_t code = 0; code < l->n; code++)
        if (u.n_cells[code] && l->levels[code] > 1 && is_narrow(l, &u, code))
            *count += u.n_cells[code];
done:
    kan_free(run, u.bits);
    kan_free(run, u.n_cells);
    kan_free(run, u.is_met);
    return status;
}

kan_status kan_shape_count_narrow(kan_run *run, const kan_shape_question *question,
                                  uint64_t *counts) {
    kan_shape shape;
    kan_status status = kan_shape_make(run, question, false, &shape);
    for (size_t c = 0; c < question->n_columns && status == KAN_OK; c++)
        status = count_column(&shape, &shape.labels[c], &counts[c]);
    kan_shape_destroy(&shape);
    return status;
}
