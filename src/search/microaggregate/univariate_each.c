/* univariate --per-column: every column in its own best groups of k or more rows. What a row shows
 * in one column says nothing of what it shows in another, so that rows may be unique by all of them:
 * each value of each column is shown by k rows, and no more is promised (docs/papers/univariate.md).
 *
 * A region is what some rows of a tuple show; regions that show the same become one later. Rows of a
 * tuple are handed out in each column in the order of its groups, so that with p pieces in all of
 * them a tuple has less than p regions. Time: rows times k times columns. Memory: 4 bytes for each
 * row and column. */
#include "core/spill.h"
#include "search/microaggregate/univariate_inside.h"

typedef struct {
    const kan_partition_space *space;
    size_t n_rows, n_portions;
    size_t *first; /* by tuple, and one more: where its rows stand */
    /* By row, in the order of tuples: its cell in the column. */
    uint32_t *cell_at[KAN_MAX_ATTRIBUTES];
    kan_regions *to;
} showing;

/* ---- cells ----------------------------------------------------------------------------------- */

static uint32_t place_of(const kan_univariate_column *c, size_t i) {
    return kan_partition_lane(kan_partition_record(c->space, c->tuples[i]), c->space->is_wide,
                              c->d);
}

/* The cell from place to place; that of the group before, where both have one value. */
static kan_status add_cell(showing *s, unsigned d, size_t *room, uint32_t low, uint32_t high) {
    const kan_domain *domain = s->space->dimensions[d].domain;
    kan_cells *cells = &s->to->cells[d];
    const kan_cell cell = {domain->first_leaf[low], domain->first_leaf[high + 1] - 1};
    if (cells->n > 0 && cells->cells[cells->n - 1].a == cell.a &&
        cells->cells[cells->n - 1].b == cell.b)
        return KAN_OK;
    KAN_TRY(kan_reserve(s->space->run, (size_t)cells->n + 1, sizeof *cells->cells, room,
                        &cells->cells));
    cells->cells[cells->n++] = cell;
    return KAN_OK;
}

/* Group by group along the tuples in order. */
static kan_status show_groups(showing *s, const kan_univariate_column *column) {
    const kan_partition_space *space = s->space;
    const unsigned d = column->d;
    size_t i = 0, room = 0, used = 0;
    KAN_TRY(kan_alloc(space->run, s->n_rows, sizeof *s->cell_at[d], &s->cell_at[d]));
    for (size_t row = 0; row < s->n_rows;) {
        size_t left = (size_t)column->at[row], at = i, behind = used + left;
        row += left;
        while (behind > s->first[column->tuples[at] + 1] - s->first[column->tuples[at]]) {
            behind -= s->first[column->tuples[at] + 1] - s->first[column->tuples[at]];
            at++;
        }
        KAN_TRY(add_cell(s, d, &room, place_of(column, i), place_of(column, at)));
        for (; left > 0; left--) {
            const size_t tuple = column->tuples[i];
            s->cell_at[d][s->first[tuple] + used++] = s->to->cells[d].n - 1;
            if (s->first[tuple] + used < s->first[tuple + 1])
                continue;
            used = 0;
            i++;
        }
    }
    return KAN_OK;
}

static kan_status show_column(showing *s, unsigned d, double *gap) {
    kan_univariate_column column;
    kan_status status = kan_univariate_column_make(s->space, d, &column);
    s->to->cells[d].type = KAN_CELL_RANGE;
    if (status == KAN_OK)
        status = show_groups(s, &column);
    if (status == KAN_OK && kan_univariate_gap(&column) > *gap)
        *gap = kan_univariate_gap(&column);
    kan_univariate_column_destroy(&column);
    return status;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Whether a row shows something else than the one before it. */
static bool begins(const showing *s, size_t row) {
    for (unsigned d = 0; d < s->space->n_dimensions; d++)
        if (s->cell_at[d][row] != s->cell_at[d][row - 1])
            return true;
    return false;
}

static size_t count_portions(const showing *s, size_t tuple) {
    size_t n = 1;
    for (size_t row = s->first[tuple] + 1; row < s->first[tuple + 1]; row++)
        n += begins(s, row);
    return n;
}

/* The rows from `row` on that show the same, before `end`, as a region. */
static size_t add_region(showing *s, size_t row, size_t end) {
    const unsigned n = s->space->n_dimensions;
    kan_regions *to = s->to;
    size_t behind = row + 1;
    while (behind < end && !begins(s, behind))
        behind++;
    for (unsigned d = 0; d < n; d++)
        to->cell_of[(size_t)to->n_regions * n + d] = s->cell_at[d][row];
    to->n_rows[to->n_regions++] = behind - row;
    return behind;
}

static void add_tuple(showing *s, size_t tuple, size_t *at) {
    kan_regions *to = s->to;
    size_t row = s->first[tuple];
    const size_t end = s->first[tuple + 1];
    KAN_ASSERT(kan_partition_tuple(kan_partition_record(s->space, tuple)) == tuple);
    if (count_portions(s, tuple) == 1) {
        to->region_of[tuple] = to->n_regions;
        (void)add_region(s, row, end);
        return;
    }
    to->region_of[tuple] = KAN_REGION_SPLIT | (uint32_t)to->n_splits++;
    while (row < end) {
        const size_t behind = add_region(s, row, end);
        to->portions[(*at)++] = (kan_portion){to->n_regions - 1, behind - row};
        row = behind;
    }
    to->split_start[to->n_splits] = *at;
}

static kan_status add_regions(showing *s) {
    kan_run *run = s->space->run;
    kan_regions *to = s->to;
    size_t n_portions = 0, n_splits = 0, n_regions = 0, at = 0;
    for (size_t t = 0; t < s->space->n_records; t++) {
        const size_t n = count_portions(s, t);
        n_regions += n;
        n_splits += n > 1;
        n_portions += n > 1 ? n : 0;
    }
    if (n_regions >= KAN_REGION_SPLIT)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--per-column: more than 2^31 combinations of groups; ask for larger ones");
    to->n_tuples = s->space->n_records;
    KAN_TRY(kan_spill_alloc(run, to->n_tuples, sizeof *to->region_of, &to->region_of));
    KAN_TRY(kan_spill_alloc(run, n_regions, sizeof *to->n_rows, &to->n_rows));
    KAN_TRY(kan_spill_alloc(run, n_regions * to->n_attributes, sizeof *to->cell_of, &to->cell_of));
    KAN_TRY(kan_alloc_zero(run, n_splits + 1, sizeof *to->split_start, &to->split_start));
    KAN_TRY(kan_alloc(run, n_portions, sizeof *to->portions, &to->portions));
    for (size_t t = 0; t < to->n_tuples; t++)
        add_tuple(s, t, &at);
    return KAN_OK;
}

/* ---- from first to last ---------------------------------------------------------------------- */

static kan_status count_rows(showing *s) {
    const kan_partition_space *space = s->space;
    KAN_TRY(kan_alloc(space->run, space->n_records + 1, sizeof *s->first, &s->first));
    for (size_t t = 0; t < space->n_records; t++) {
        s->first[t] = s->n_rows;
        s->n_rows += kan_partition_rows(kan_partition_record(space, t));
    }
    s->first[space->n_records] = s->n_rows;
    return KAN_OK;
}

static kan_status show(showing *s, double *gap) {
    kan_run *run = s->space->run;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *s->to, &s->to));
    s->to->run = run;
    s->to->n_attributes = s->space->n_dimensions;
    KAN_TRY(count_rows(s));
    for (unsigned d = 0; d < s->space->n_dimensions; d++)
        KAN_TRY(show_column(s, d, gap));
    return add_regions(s);
}

kan_status kan_univariate_each(const kan_partition_space *space, kan_answer *out) {
    showing s = {.space = space};
    double gap = 0;
    const kan_status status = show(&s, &gap);
    if (status == KAN_OK) {
        out->is_found = out->has_squares = true;
        out->squares_gap = gap;
        out->recoding.type = KAN_RECODING_SHARED;
        out->recoding.n_attributes = space->n_dimensions;
        out->recoding.regions = s.to;
        s.to = NULL;
    }
    if (s.to)
        kan_regions_destroy(s.to);
    kan_free(space->run, s.first);
    for (unsigned d = 0; d < space->n_dimensions; d++)
        kan_free(space->run, s.cell_at[d]);
    return status;
}
