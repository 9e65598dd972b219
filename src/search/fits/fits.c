/* From the regions of a local recoding to rows and what they hide, and back. */
#include "search/fits/fits.h"

#include <stdlib.h>

#include "search/fits/fits_inside.h"

/* More rows than that stay as they are. */
#define MOST_ROWS  (UINT64_C(1) << 27)
#define MOST_STEPS (UINT64_C(1) << 28)
/* Tuples of all patterns that are kept, and what each may take. */
#define MOST_ENTRIES (UINT64_C(1) << 24)
enum { ENTRY_BYTES = 20, LEAST_PATTERNS = 8, MOST_PATTERNS = 1 << 16 };

typedef struct {
    kan_fits fits;
    const kan_question *question;
    const kan_regions *regions;
    uint32_t *tuple_at; /* of fits: the tuple of the base */
} improvement;

/* ---- in ------------------------------------------------------------------------------------- */

static const kan_hierarchy *hierarchy_of(const improvement *m, unsigned a) {
    return m->question->problem->space.dimensions[a].hierarchy;
}

/* What a cell gives up by being hidden. Where that is nothing it is shown all the same. */
static double weigh(const improvement *m, unsigned a) {
    static const double least = 1e-6;
    const kan_problem *problem = m->question->problem;
    const kan_cost_kind *cost = kan_cost_followed(m->question->objective->kind);
    const kan_cell_price *price = cost->price ? cost->price : &kan_price_by_step;
    const double height = hierarchy_of(m, a)->height;
    const double weight = cost->uses_weights ? problem->weights[a] : 1;
    const double lost = price->shown(height, weight, price->is_by_share ? 1 : height) -
                        price->shown(height, weight, 0);
    return lost > least ? lost : least;
}

static void take_columns(improvement *m) {
    kan_fits *fits = &m->fits;
    fits->n_columns = m->regions->n_attributes;
    for (unsigned a = 0; a < fits->n_columns; a++) {
        const kan_dimension *dimension = &m->question->problem->space.dimensions[a];
        fits->may_show |= (uint64_t)(dimension->lowest == 0) << a;
        fits->may_hide |= (uint64_t)(dimension->highest > 0) << a;
        fits->weight[a] = weigh(m, a);
    }
}

/* Values that stand for nothing: what a reader takes for hidden, or missing. */
static bool says_nothing(const improvement *m, unsigned a, uint32_t leaf) {
    const kan_slice label = hierarchy_of(m, a)->levels[0].label[leaf];
    return label.size == 0 || kan_slice_is(label, "*");
}

static uint64_t hidden_in(const improvement *m, uint32_t region) {
    const kan_regions *regions = m->regions;
    uint64_t hidden = 0;
    for (unsigned a = 0; a < regions->n_attributes; a++) {
        const uint32_t cell = regions->cell_of[(size_t)region * regions->n_attributes + a];
        hidden |= (uint64_t)(regions->cells[a].cells[cell].a > 0) << a;
    }
    return hidden;
}

static size_t portions_of(const improvement *m, size_t tuple, kan_portion *single,
                          const kan_portion **out) {
    return kan_regions_portions(m->regions, tuple,
                                kan_problem_tuple_rows(m->question->problem, tuple), single, out);
}

static uint64_t released_of(const improvement *m, size_t tuple) {
    kan_portion single;
    const kan_portion *portions;
    const size_t n = portions_of(m, tuple, &single, &portions);
    uint64_t n_rows = 0;
    for (size_t i = 0; i < n; i++)
        n_rows += portions[i].region < kan_regions_released(m->regions) ? portions[i].n_rows : 0;
    return n_rows;
}

static kan_status make_room(improvement *m, uint64_t *n_rows) {
    kan_fits *fits = &m->fits;
    size_t n = 0;
    *n_rows = 0;
    for (size_t t = 0; t < m->regions->n_tuples; t++) {
        const uint64_t n_of = released_of(m, t);
        n += n_of > 0;
        *n_rows += n_of;
    }
    if (*n_rows > MOST_ROWS)
        return KAN_OK;
    fits->n_tuples = n;
    fits->n_all = (size_t)*n_rows;
    KAN_TRY(kan_alloc(fits->run, n, sizeof *m->tuple_at, &m->tuple_at));
    KAN_TRY(kan_alloc(fits->run, n * fits->n_columns, sizeof *fits->value, &fits->value));
    KAN_TRY(kan_alloc_zero(fits->run, n, sizeof *fits->missing, &fits->missing));
    KAN_TRY(kan_alloc(fits->run, n, sizeof *fits->n_rows, &fits->n_rows));
    KAN_TRY(kan_alloc(fits->run, n + 1, sizeof *fits->first, &fits->first));
    KAN_TRY(kan_alloc(fits->run, fits->n_all, sizeof *fits->tuple_of, &fits->tuple_of));
    return kan_alloc(fits->run, fits->n_all, sizeof *fits->hidden, &fits->hidden);
}

/* The rows of tuple `t` of the base, which has some that are released, as tuple `at`. */
static void take_tuple(improvement *m, size_t t, size_t at, uint32_t *row) {
    kan_fits *fits = &m->fits;
    kan_portion single;
    const kan_portion *portions;
    const size_t n = portions_of(m, t, &single, &portions);
    m->tuple_at[at] = (uint32_t)t;
    fits->first[at] = *row;
    for (unsigned a = 0; a < fits->n_columns; a++) {
        const uint32_t leaf = kan_problem_tuple_value(m->question->problem, t, a);
        fits->value[at * fits->n_columns + a] = leaf;
        fits->missing[at] |= (uint64_t)says_nothing(m, a, leaf) << a;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t region = portions[i].region;
        if (region >= kan_regions_released(m->regions))
            continue;
        for (uint64_t j = 0; j < portions[i].n_rows; j++) {
            fits->tuple_of[*row] = (uint32_t)at;
            /* a cell that says nothing anyway is as it was */
            fits->hidden[(*row)++] = hidden_in(m, region) & ~(fits->missing[at] & fits->may_show);
        }
    }
    fits->n_rows[at] = *row - fits->first[at];
}

static void take_rows(improvement *m) {
    size_t at = 0;
    uint32_t row = 0;
    for (size_t t = 0; t < m->regions->n_tuples; t++)
        if (released_of(m, t) > 0)
            take_tuple(m, t, at++, &row);
    m->fits.first[at] = row;
}

static uint64_t count_hidden(const kan_fits *fits) {
    uint64_t n = 0;
    for (size_t row = 0; row < fits->n_all; row++)
        n +=
            (uint64_t)__builtin_popcountll(fits->hidden[row] & ~fits->missing[fits->tuple_of[row]]);
    return n;
}

static void limit(kan_fits *fits) {
    const uint64_t left = kan_run_memory_left(fits->run);
    uint64_t entries = MOST_ENTRIES;
    if (left / 4 / ENTRY_BYTES < entries)
        entries = left / 4 / ENTRY_BYTES;
    fits->most_patterns = entries / (fits->n_tuples + 1);
    if (fits->most_patterns < LEAST_PATTERNS)
        fits->most_patterns = LEAST_PATTERNS;
    if (fits->most_patterns > MOST_PATTERNS)
        fits->most_patterns = MOST_PATTERNS;
    fits->most_steps = MOST_STEPS;
}

/* ---- out ------------------------------------------------------------------------------------ */

static int compare_hidden(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Rows of a tuple that hide the same are a region. Sorts what they hide; the number of these. */
static uint64_t sort_hidden(const kan_fits *fits) {
    uint64_t n = 0;
    for (size_t t = 0; t < fits->n_tuples; t++) {
        const uint32_t first = fits->first[t], end = fits->first[t + 1];
        qsort(fits->hidden + first, end - first, sizeof *fits->hidden, compare_hidden);
        for (uint32_t row = first; row < end; row++)
            n += row == first || fits->hidden[row] != fits->hidden[row - 1];
    }
    return n;
}

/* Every value, and behind all of them *. */
static kan_status list_cells(const improvement *m, kan_regions *out) {
    for (unsigned a = 0; a < out->n_attributes; a++) {
        kan_cells *cells = &out->cells[a];
        const kan_hierarchy *h = hierarchy_of(m, a);
        const uint32_t n = h->levels[0].n_groups;
        cells->type = KAN_CELL_NODE;
        KAN_TRY(kan_alloc(out->run, (size_t)n + 1, sizeof *cells->cells, &cells->cells));
        for (uint32_t leaf = 0; leaf < n; leaf++)
            cells->cells[leaf] = (kan_cell){0, leaf};
        cells->cells[n] = (kan_cell){h->height, 0};
        cells->n = n + (h->height > 0);
    }
    return KAN_OK;
}

static kan_status make_regions(const improvement *m, uint64_t n_shown, kan_regions *out) {
    const kan_regions *from = m->regions;
    out->n_attributes = from->n_attributes;
    out->n_tuples = from->n_tuples;
    out->has_lost = from->has_lost;
    out->n_regions = (uint32_t)n_shown + from->has_lost;
    KAN_TRY(kan_alloc_zero(out->run, out->n_regions, sizeof *out->n_rows, &out->n_rows));
    KAN_TRY(kan_alloc_zero(out->run, (size_t)out->n_regions * out->n_attributes,
                           sizeof *out->cell_of, &out->cell_of));
    KAN_TRY(kan_alloc(out->run, out->n_tuples, sizeof *out->region_of, &out->region_of));
    KAN_TRY(
        kan_alloc_zero(out->run, out->n_tuples + 1, sizeof *out->split_start, &out->split_start));
    KAN_TRY(kan_alloc(out->run, (size_t)out->n_regions + out->n_tuples, sizeof *out->portions,
                      &out->portions));
    return list_cells(m, out);
}

static void show_region(const improvement *m, kan_regions *out, uint32_t region, size_t at,
                        uint64_t hidden) {
    const kan_fits *fits = &m->fits;
    for (unsigned a = 0; a < fits->n_columns; a++)
        out->cell_of[(size_t)region * fits->n_columns + a] =
            hidden >> a & 1 ? hierarchy_of(m, a)->levels[0].n_groups
                            : fits->value[at * fits->n_columns + a];
}

/* The portions of tuple `t`, of which tuple `at` are those that are released; SIZE_MAX: none is. */
static size_t hand_out(const improvement *m, kan_regions *out, size_t t, size_t at,
                       uint32_t *region, kan_portion *portions) {
    const kan_fits *fits = &m->fits;
    const uint64_t n_rows = kan_problem_tuple_rows(m->question->problem, t);
    uint64_t n_released = 0;
    size_t n = 0;
    if (at != SIZE_MAX) {
        n_released = fits->n_rows[at];
        for (uint32_t row = fits->first[at]; row < fits->first[at + 1]; row++) {
            if (row == fits->first[at] || fits->hidden[row] != fits->hidden[row - 1]) {
                show_region(m, out, *region, at, fits->hidden[row]);
                portions[n++] = (kan_portion){(*region)++, 0};
            }
            portions[n - 1].n_rows++;
        }
    }
    if (n_rows > n_released)
        portions[n++] = (kan_portion){out->n_regions - 1, n_rows - n_released};
    for (size_t i = 0; i < n; i++)
        out->n_rows[portions[i].region] += portions[i].n_rows;
    return n;
}

static void fill_regions(const improvement *m, kan_regions *out) {
    uint32_t region = 0;
    size_t at = 0, n_portions = 0;
    for (size_t t = 0; t < out->n_tuples; t++) {
        const bool is_there = at < m->fits.n_tuples && m->tuple_at[at] == t;
        kan_portion *portions = out->portions + n_portions;
        const size_t n = hand_out(m, out, t, is_there ? at++ : SIZE_MAX, &region, portions);
        if (n == 1) {
            out->region_of[t] = portions[0].region;
            continue;
        }
        out->region_of[t] = KAN_REGION_SPLIT | (uint32_t)out->n_splits;
        n_portions += n;
        out->split_start[++out->n_splits] = n_portions;
    }
}

/* Cells that no region has are none: a value that is hidden in every row is in no name. */
static kan_status drop_unused(kan_regions *out, unsigned a) {
    kan_cells *cells = &out->cells[a];
    uint32_t *number; /* by cell: what it becomes, and 1 */
    uint32_t n = 0;
    KAN_TRY(kan_alloc_zero(out->run, cells->n, sizeof *number, &number));
    for (size_t r = 0; r < out->n_regions; r++)
        number[out->cell_of[r * out->n_attributes + a]] = 1;
    for (uint32_t cell = 0; cell < cells->n; cell++)
        if (number[cell]) {
            cells->cells[n] = cells->cells[cell];
            number[cell] = ++n;
        }
    cells->n = n;
    for (size_t r = 0; r < out->n_regions; r++)
        out->cell_of[r * out->n_attributes + a] =
            number[out->cell_of[r * out->n_attributes + a]] - 1;
    kan_free(out->run, number);
    return KAN_OK;
}

/* What the cells of the last region are means nothing where its rows are left out: they are those of
 * the first. */
static kan_status drop_all_unused(kan_regions *out) {
    const unsigned n = out->n_attributes;
    if (out->has_lost && out->n_regions > 1)
        memcpy(out->cell_of + (size_t)(out->n_regions - 1) * n, out->cell_of,
               n * sizeof *out->cell_of);
    for (unsigned a = 0; a < n; a++)
        KAN_TRY(drop_unused(out, a));
    return KAN_OK;
}

static kan_status replace(const improvement *m, kan_answer *answer) {
    kan_regions *made;
    const uint64_t n_shown = sort_hidden(&m->fits);
    if (n_shown >= KAN_REGION_SPLIT - 1)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(m->fits.run, 1, sizeof *made, &made));
    made->run = m->fits.run;
    kan_status status = make_regions(m, n_shown, made);
    if (status == KAN_OK) {
        fill_regions(m, made);
        status = drop_all_unused(made);
    }
    if (status != KAN_OK) {
        kan_regions_destroy(made);
        return status;
    }
    kan_regions_destroy(answer->recoding.regions);
    answer->recoding.regions = made;
    return KAN_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

static kan_status improve(improvement *m, kan_answer *answer, kan_fits_found *found) {
    kan_fits *fits = &m->fits;
    uint64_t n_rows;
    take_columns(m);
    KAN_TRY(make_room(m, &n_rows));
    if (n_rows > MOST_ROWS) {
        kan_note(fits->run, "--missing-matches: so many rows stay as groups show them");
        return KAN_OK;
    }
    take_rows(m);
    limit(fits);
    KAN_TRY(kan_fits_count(fits));
    found->n_before = count_hidden(fits);
    KAN_TRY(kan_fits_least(fits, found));
    KAN_TRY(kan_fits_search(fits, found->has_least ? &found->least : NULL));
    found->n_hidden = count_hidden(fits);
    found->is_known = true;
    return replace(m, answer);
}

kan_status kan_fits_improve(kan_run *run, const kan_question *question, kan_answer *answer,
                            kan_fits_found *found) {
    improvement m = {.fits = {.run = run, .k = question->promise->k},
                     .question = question,
                     .regions = answer->recoding.regions};
    *found = (kan_fits_found){.n_before = 0};
    KAN_ASSERT(answer->recoding.type == KAN_RECODING_LOCAL && m.regions->n_attributes < 64);
    kan_report_progress(run, "matches", 0, 0);
    const kan_status status = improve(&m, answer, found);
    kan_fits_destroy(&m.fits);
    kan_free(run, m.tuple_at);
    return status;
}
