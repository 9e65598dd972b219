/* From an answer by groups to rows and what they hide, and the whole search. */
#include "search/fits/fits.h"

#include "search/fits/fits_inside.h"

/* More rows than that stay as they are. */
#define MOST_ROWS  (UINT64_C(1) << 27)
#define MOST_STEPS (UINT64_C(1) << 28)

/* ---- columns -------------------------------------------------------------------------------- */

/* What a cell gives up by being hidden. Where that is nothing it is shown all the same. */
static double weigh(const kan_fits_job *m, unsigned a) {
    static const double least = 1e-6;
    const kan_problem *problem = m->question->problem;
    const kan_cost_kind *cost = kan_cost_followed(m->question->objective->kind);
    const kan_cell_price *price = cost->price ? cost->price : &kan_price_by_step;
    const double height = kan_fits_hierarchy(m, a)->height;
    const double weight = cost->uses_weights ? problem->weights[a] : 1;
    const double lost = price->shown(height, weight, price->is_by_share ? 1 : height) -
                        price->shown(height, weight, 0);
    return lost > least ? lost : least;
}

static void take_columns(kan_fits_job *m) {
    kan_fits *fits = &m->fits;
    fits->n_columns = m->question->problem->space.n_attributes;
    fits->n_values = fits->n_columns + m->question->keeps_apart;
    fits->counts_cells = m->wants->n_ranks > 0;
    fits->n_ranks = fits->counts_cells ? m->wants->n_ranks : 1;
    for (unsigned a = 0; a < fits->n_columns; a++) {
        const kan_dimension *dimension = &m->question->problem->space.dimensions[a];
        fits->may_show |= (uint64_t)(dimension->lowest == 0) << a;
        fits->may_hide |= (uint64_t)(dimension->highest > 0) << a;
        fits->rank[a] = fits->counts_cells ? m->wants->rank[a] : 0;
        fits->weight[a] = fits->counts_cells ? 1 : weigh(m, a);
    }
}

/* Values that stand for nothing: what a reader takes for hidden, or missing. */
static bool says_nothing(const kan_fits_job *m, unsigned a, uint32_t leaf) {
    const kan_slice label = kan_fits_hierarchy(m, a)->levels[0].label[leaf];
    return label.size == 0 || kan_slice_is(label, "*");
}

/* ---- what it begins with -------------------------------------------------------------------- */

static uint64_t hidden_in(const kan_regions *regions, uint32_t region) {
    uint64_t hidden = 0;
    for (unsigned a = 0; a < regions->n_attributes; a++) {
        const uint32_t cell = regions->cell_of[(size_t)region * regions->n_attributes + a];
        hidden |= (uint64_t)(regions->cells[a].cells[cell].a > 0) << a;
    }
    return hidden;
}

static size_t portions_of(const kan_fits_job *m, size_t tuple, kan_portion *single,
                          const kan_portion **out) {
    return kan_regions_portions(m->regions, tuple,
                                kan_problem_tuple_rows(m->question->problem, tuple), single, out);
}

static uint64_t released_of(const kan_fits_job *m, size_t tuple) {
    kan_portion single;
    const kan_portion *portions;
    const size_t n = portions_of(m, tuple, &single, &portions);
    uint64_t n_rows = 0;
    for (size_t i = 0; i < n; i++)
        n_rows += portions[i].region < kan_regions_released(m->regions) ? portions[i].n_rows : 0;
    return n_rows;
}

static kan_status make_room(kan_fits_job *m, uint64_t *n_rows) {
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
    KAN_TRY(kan_alloc(fits->run, n * fits->n_values, sizeof *fits->value, &fits->value));
    KAN_TRY(kan_alloc_zero(fits->run, n, sizeof *fits->missing, &fits->missing));
    KAN_TRY(kan_alloc(fits->run, n, sizeof *fits->n_rows, &fits->n_rows));
    KAN_TRY(kan_alloc(fits->run, n + 1, sizeof *fits->first, &fits->first));
    KAN_TRY(kan_alloc(fits->run, fits->n_all, sizeof *fits->tuple_of, &fits->tuple_of));
    return kan_alloc(fits->run, fits->n_all, sizeof *fits->hidden, &fits->hidden);
}

/* The rows of tuple `t` of the base, which has some that are released, as tuple `at`. */
static void take_tuple(kan_fits_job *m, size_t t, size_t at, uint32_t *row) {
    kan_fits *fits = &m->fits;
    kan_portion single;
    const kan_portion *portions;
    const size_t n = portions_of(m, t, &single, &portions);
    m->tuple_at[at] = (uint32_t)t;
    fits->first[at] = *row;
    for (unsigned a = 0; a < fits->n_columns; a++) {
        const uint32_t leaf = kan_problem_tuple_value(m->question->problem, t, a);
        fits->value[at * fits->n_values + a] = leaf;
        fits->missing[at] |= (uint64_t)says_nothing(m, a, leaf) << a;
    }
    if (m->question->keeps_apart)
        fits->value[at * fits->n_values + fits->n_columns] =
            kan_problem_tuple_value(m->question->problem, t, m->question->apart);
    for (size_t i = 0; i < n; i++) {
        const uint32_t region = portions[i].region;
        if (region >= kan_regions_released(m->regions))
            continue;
        for (uint64_t j = 0; j < portions[i].n_rows; j++) {
            fits->tuple_of[*row] = (uint32_t)at;
            /* a cell that says nothing anyway is as it was */
            fits->hidden[(*row)++] =
                hidden_in(m->regions, region) & ~(fits->missing[at] & fits->may_show);
        }
    }
    fits->n_rows[at] = *row - fits->first[at];
}

static void take_rows(kan_fits_job *m) {
    size_t at = 0;
    uint32_t row = 0;
    for (size_t t = 0; t < m->regions->n_tuples; t++)
        if (released_of(m, t) > 0)
            take_tuple(m, t, at++, &row);
    m->fits.first[at] = row;
}

/* ---- all ------------------------------------------------------------------------------------ */

static void count_hidden(const kan_fits *fits, uint64_t *n, uint64_t *by) {
    *n = 0;
    memset(by, 0, KAN_MAX_ATTRIBUTES * sizeof *by);
    for (size_t row = 0; row < fits->n_all; row++) {
        uint64_t left = fits->hidden[row] & ~fits->missing[fits->tuple_of[row]];
        for (; left; left &= left - 1, (*n)++)
            by[fits->rank[__builtin_ctzll(left)]]++;
    }
}

static kan_status make_views(kan_fits_job *m) {
    const kan_fits_set whole = {kan_fits_first_columns(m->fits.n_columns), m->question->promise->k};
    const bool has_sets = m->wants->n_sets > 0;
    return kan_fits_make_views(&m->fits, has_sets ? m->wants->n_sets : 1,
                               has_sets ? m->wants->sets : &whole);
}

static kan_status improve(kan_fits_job *m, kan_answer *answer, kan_fits_found *found) {
    kan_fits *fits = &m->fits;
    kan_regions *made;
    uint64_t n_rows;
    take_columns(m);
    KAN_TRY(make_room(m, &n_rows));
    if (n_rows > MOST_ROWS) {
        kan_note(fits->run, "--missing-matches: so many rows stay as groups show them");
        return KAN_OK;
    }
    take_rows(m);
    fits->most_steps = MOST_STEPS;
    KAN_TRY(make_views(m));
    KAN_TRY(kan_fits_count(fits));
    count_hidden(fits, &found->n_before, found->hidden_by);
    KAN_TRY(kan_fits_least(fits, found));
    KAN_TRY(kan_fits_search(fits, found));
    count_hidden(fits, &found->n_hidden, found->hidden_by);
    found->is_known = true;
    KAN_TRY(kan_fits_release(m, &made));
    if (!made)
        return KAN_OK;
    kan_regions_destroy(answer->recoding.regions);
    answer->recoding.regions = made;
    return KAN_OK;
}

static void destroy(kan_fits_job *m) {
    kan_fits *fits = &m->fits;
    kan_fits_destroy_views(fits);
    kan_free(fits->run, fits->value);
    kan_free(fits->run, fits->missing);
    kan_free(fits->run, fits->n_rows);
    kan_free(fits->run, fits->first);
    kan_free(fits->run, fits->tuple_of);
    kan_free(fits->run, fits->hidden);
    kan_free(fits->run, m->tuple_at);
}

kan_status kan_fits_improve(kan_run *run, const kan_question *question, const kan_fits_wants *wants,
                            kan_answer *answer, kan_fits_found *found) {
    kan_fits_job m = {.fits = {.run = run},
                      .question = question,
                      .wants = wants,
                      .regions = answer->recoding.regions};
    *found = (kan_fits_found){.n_before = 0};
    KAN_ASSERT(answer->recoding.type == KAN_RECODING_LOCAL && m.regions->n_attributes < 64);
    kan_report_progress(run, "matches", 0, 0);
    const kan_status status = improve(&m, answer, found);
    destroy(&m);
    return status;
}
