/* Tables that are counted where they are, and have more than need be read: columns of ids, of times, of
 * free text. What can be counted there is (io/source.h); of the values as many are read as tell what they
 * look like. Which these are follows from what the table holds, so that it is always told the same. */
#include <math.h>

#include "job/profile/profile_inside.h"

static bool is_part(const kan_profile_walk *p) {
    return p->input.source && p->input.source->some.clock > 0;
}

/* No more different values than this are read of a column, and about as many rows of combinations. */
static uint64_t most_read(const kan_profile_walk *p) {
    const uint64_t sample = kan_options_count(&p->job->options, "sample", KAN_PROFILE_SAMPLE);
    return sample > KAN_PROFILE_SAMPLE ? sample : KAN_PROFILE_SAMPLE;
}

static kan_status sum_up(kan_profile_walk *p, size_t column) {
    kan_source *source = p->input.source;
    if (!p->sums)
        KAN_TRY(kan_alloc_zero(p->run, p->input.n_columns, sizeof *p->sums, &p->sums));
    if (!p->sums[column].is_there)
        KAN_TRY(source->kind->sum_up(source->state, column, most_read(p), &p->sums[column].sum));
    p->sums[column].is_there = true;
    return KAN_OK;
}

/* A column that is different in every row, by which rows can be drawn. */
static void find_row_column(const kan_profile_walk *p, kan_source_some *some) {
    for (size_t c = 0; c < p->input.n_columns && !some->is_by_row; c++) {
        const kan_profile_sum *sum = &p->sums[c];
        some->is_by_row = sum->is_there && sum->sum.n_rows > 1 && sum->sum.n_most == 1;
        some->row_column = c;
    }
}

/* Columns are read one by one, and so it is known how many rows there are before any are read together. */
kan_status kan_profile_some_ask(kan_profile_walk *p) {
    kan_source *source = p->input.source;
    const uint64_t most = most_read(p);
    size_t n = 0, column = 0;
    source->some = (kan_source_some){0};
    for (size_t c = 0; c < p->input.n_columns; c++)
        if (p->input.encode[c]) {
            column = c;
            n++;
        }
    if (!source->kind->count_some || n == 0)
        return KAN_OK;
    KAN_TRY(sum_up(p, column));
    const kan_source_sum *sum = &p->sums[column].sum;
    if (!sum->can_draw || (n == 1 ? sum->n_distinct : sum->n_rows) <= most)
        return KAN_OK;
    source->some.clock =
        -log1p(-(double)most / (double)sum->n_rows); /* before which so many come */
    if (n == 1)
        source->some.n_most = sum->n_most;
    else
        find_row_column(p, &source->some);
    return KAN_OK;
}

void kan_profile_some_take(kan_profile_walk *p) {
    if (!is_part(p)) {
        p->n_rows = kan_table_total(p->input.table);
        return;
    }
    for (size_t c = 0; c < p->input.n_columns; c++)
        if (p->input.encode[c])
            p->n_rows = p->sums[c].sum.n_rows;
}

kan_status kan_profile_some_count(kan_profile_walk *p, size_t column) {
    const kan_column *values = &p->input.table->columns[column];
    if (!is_part(p))
        return kan_profile_column_make(p->run, values, p->n_rows, &p->columns[column]);
    const kan_source_sum *sum = &p->sums[column].sum;
    const bool is_spelled =
        kan_spellings_find(p->input.spellings, p->input.columns[column]) != NULL;
    kan_profile_whole whole = {.clock = p->input.source->some.clock,
                               .n_rows = sum->n_rows,
                               .n_missing = sum->n_missing,
                               .n_distinct = sum->n_distinct,
                               .n_once = sum->n_once};
    if (sum->has_range && !is_spelled) { /* else an end may be a code for a missing value */
        whole.least = kan_slice_of(sum->least);
        whole.greatest = kan_slice_of(sum->greatest);
    }
    return kan_profile_column_make_some(p->run, values, &whole, &p->columns[column]);
}

/* Of n rows of a combination that is here, those that came before the clock: as many as are to be expected,
 * and at least the one by which it is here. What is left of a row comes with that chance. */
static uint64_t draw(uint64_t n, double clock, uint64_t *random) {
    const double expected = (double)n * expm1(-clock) / expm1(-(double)n * clock);
    const double whole = floor(expected);
    const double chance = (double)(kan_random(random) >> 11) / 9007199254740992.0;
    const double drawn = whole + (chance < expected - whole);
    return drawn < 1 ? 1 : drawn < (double)n ? (uint64_t)drawn : n;
}

void kan_profile_some_draw(kan_profile_walk *p) {
    uint64_t random = 0;
    kan_table *table = p->input.owned;
    if (!is_part(p) || p->input.source->some.is_by_row)
        return;
    KAN_ASSERT(table == p->input.table && table->counts);
    table->n_counted = 0;
    for (uint64_t row = 0; row < table->n_rows; row++) {
        table->counts[row] = draw(table->counts[row], p->input.source->some.clock, &random);
        table->n_counted += table->counts[row];
    }
}
