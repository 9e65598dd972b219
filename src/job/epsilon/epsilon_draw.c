/* Drawing, and counting by sorting: drawn rows are put in the order of their keys column by column, the
 * last one first, each time keeping the order that they had. */
#include "job/epsilon/epsilon_draw.h"

#include "core/memory.h"

enum { LOOK_UP = 1 << 16 };

typedef struct {
    kan_run *run;
    const kan_draw_column *columns;
    size_t n_columns;
    uint64_t *rows, *other; /* drawn ones; room for as many */
    uint64_t n;
} draw;

/* Every row has its own number, whatever became of those before it. */
static kan_status choose(draw *d, uint64_t n_rows, const kan_draws *draws, kan_secret *secret) {
    size_t capacity = 0;
    for (uint64_t row = 0; row < n_rows; row++) {
        if (row % LOOK_UP == 0)
            KAN_TRY(kan_check_cancel(d->run));
        if (kan_secret_below(secret, KAN_DRAW_OF) >= draws->rate)
            continue;
        KAN_TRY(kan_reserve(d->run, d->n + 1, sizeof *d->rows, &capacity, &d->rows));
        d->rows[d->n++] = row;
    }
    return KAN_OK;
}

static uint32_t shown_of(const kan_draw_column *column, uint64_t row) {
    return column->shown[kan_column_code(column->column, row)];
}

static kan_status sort_by(draw *d, const kan_draw_column *column) {
    uint64_t *start;
    KAN_TRY(kan_check_cancel(d->run));
    KAN_TRY(kan_alloc_zero(d->run, (size_t)column->n_shown + 1, sizeof *start, &start));
    for (uint64_t i = 0; i < d->n; i++)
        start[shown_of(column, d->rows[i]) + 1]++;
    for (uint32_t s = 0; s < column->n_shown; s++)
        start[s + 1] += start[s];
    for (uint64_t i = 0; i < d->n; i++)
        d->other[start[shown_of(column, d->rows[i])]++] = d->rows[i];
    kan_free(d->run, start);
    uint64_t *swap = d->rows;
    d->rows = d->other;
    d->other = swap;
    return KAN_OK;
}

static bool is_same(const draw *d, uint64_t a, uint64_t b) {
    for (size_t c = 0; c < d->n_columns; c++)
        if (shown_of(&d->columns[c], a) != shown_of(&d->columns[c], b))
            return false;
    return true;
}

static kan_status take(const draw *d, uint64_t first, uint64_t size, size_t *room, size_t *key_room,
                       kan_drawn *out) {
    KAN_TRY(kan_reserve(d->run, out->n_groups + 1, sizeof *out->size, room, &out->size));
    KAN_TRY(kan_reserve(d->run, (out->n_groups + 1) * d->n_columns, sizeof *out->key, key_room,
                        &out->key));
    for (size_t c = 0; c < d->n_columns; c++)
        out->key[out->n_groups * d->n_columns + c] = shown_of(&d->columns[c], d->rows[first]);
    out->size[out->n_groups++] = size;
    out->n_rows += size;
    if (out->smallest == 0 || size < out->smallest)
        out->smallest = size;
    return KAN_OK;
}

static kan_status count(const draw *d, uint64_t k, kan_drawn *out) {
    size_t room = 0, key_room = 0;
    for (uint64_t first = 0, end; first < d->n; first = end) {
        for (end = first + 1; end < d->n && is_same(d, d->rows[first], d->rows[end]);)
            end++;
        if (end - first >= k)
            KAN_TRY(take(d, first, end - first, &room, &key_room, out));
    }
    return KAN_OK;
}

kan_status kan_draw_groups(kan_run *run, const kan_draw_column *columns, size_t n_columns,
                           uint64_t n_rows, const kan_draws *draws, kan_secret *secret,
                           kan_drawn *out) {
    draw d = {.run = run, .columns = columns, .n_columns = n_columns};
    kan_status status;
    *out = (kan_drawn){.run = run, .n_columns = n_columns};
    KAN_TRY_DONE(choose(&d, n_rows, draws, secret));
    KAN_TRY_DONE(kan_alloc(run, d.n, sizeof *d.other, &d.other));
    for (size_t c = n_columns; c-- > 0;)
        KAN_TRY_DONE(sort_by(&d, &columns[c]));
    KAN_TRY_DONE(count(&d, draws->k, out));
done:
    kan_free(run, d.rows);
    kan_free(run, d.other);
    return status;
}

void kan_drawn_destroy(kan_drawn *drawn) {
    kan_free(drawn->run, drawn->size);
    kan_free(drawn->run, drawn->key);
}
