/* Sums over the rows of a design. Rows are cut into stretches that depend on the table alone; each is
 * added up by itself, and the stretches in their order, whatever the number of threads.
 * O(rows * terms^2). */
#include "analyze/fit/fit_inside.h"
#include "core/memory.h"
#include "core/pool.h"

enum { STRETCH = 1 << 14, MOST_STRETCHES = 64, ROOM = 1 << 22 };

typedef struct {
    const kan_fit_pass *pass;
    size_t n_stretches;
    uint64_t rows; /* of a stretch */
    kan_fit_sums *sums;
} summing;

kan_status kan_fit_sums_make(kan_run *run, size_t n, bool has_spread, kan_fit_sums *out) {
    *out = (kan_fit_sums){.loss = 0};
    kan_status status = kan_alloc_zero(run, n * n, sizeof *out->cross, &out->cross);
    if (status == KAN_OK)
        status = kan_alloc_zero(run, n, sizeof *out->gradient, &out->gradient);
    if (status == KAN_OK && has_spread)
        status = kan_alloc_zero(run, n * n, sizeof *out->spread, &out->spread);
    if (status != KAN_OK)
        kan_fit_sums_destroy(run, out);
    return status;
}

void kan_fit_sums_destroy(kan_run *run, kan_fit_sums *sums) {
    kan_free(run, sums->cross);
    kan_free(run, sums->gradient);
    kan_free(run, sums->spread);
    *sums = (kan_fit_sums){.loss = 0};
}

/* The entries of a row that are not 0. */
typedef struct {
    size_t n;
    size_t *columns;
    double *values;
} row_entries;

static void find_entries(const kan_fit_frame *frame, uint64_t row, row_entries *out) {
    const size_t n_terms = frame->question->design->n_terms;
    out->columns[0] = 0;
    out->values[0] = 1;
    out->n = 1;
    for (size_t t = 0; t < n_terms; t++) {
        const kan_fit_term *term = &frame->terms[t];
        const uint32_t code = term->codes[row];
        if (!term->numbers && code == 0)
            continue;
        out->columns[out->n] = term->numbers ? term->first : term->first + code - 1;
        out->values[out->n++] = term->numbers ? term->numbers[code] : 1;
    }
}

static void add_products(const row_entries *row, double weight, size_t n, double *square) {
    for (size_t i = 0; i < row->n; i++) {
        double *line = square + row->columns[i] * n;
        const double scaled = weight * row->values[i];
        for (size_t j = i; j < row->n; j++)
            line[row->columns[j]] += scaled * row->values[j];
    }
}

static void add_row(const kan_fit_pass *pass, const row_entries *entries, uint64_t row,
                    double weight, kan_fit_sums *sums) {
    const kan_fit_question *question = pass->frame->question;
    const size_t n = pass->frame->n;
    double x = 0, mean, cross = weight;
    for (size_t i = 0; i < entries->n; i++)
        x += pass->b[entries->columns[i]] * entries->values[i];
    const double y = question->y[row];
    if (question->kind == KAN_FIT_LOGISTIC) {
        mean = kan_logistic(x);
        cross = weight * mean * (1 - mean);
        sums->loss += 2 * weight * kan_log_one_plus_exp(y > 0 ? -x : x);
    } else {
        mean = x;
        sums->loss += weight * (y - x) * (y - x);
    }
    const double rest = weight * (y - mean);
    for (size_t i = 0; i < entries->n; i++)
        sums->gradient[entries->columns[i]] += rest * entries->values[i];
    if (pass->wants_cross)
        add_products(entries, cross, n, sums->cross);
    if (pass->wants_spread)
        add_products(entries, rest * rest, n, sums->spread);
}

static kan_status add_stretch(void *context, size_t task, unsigned worker) {
    const summing *all = context;
    const kan_fit_frame *frame = all->pass->frame;
    const kan_design *design = frame->question->design;
    const uint64_t first = task * all->rows;
    const uint64_t end = first + all->rows < design->n_rows ? first + all->rows : design->n_rows;
    row_entries entries = {.columns = NULL};
    kan_status status =
        kan_alloc(frame->run, design->n_terms + 1, sizeof *entries.columns, &entries.columns);
    (void)worker;
    if (status == KAN_OK)
        status =
            kan_alloc(frame->run, design->n_terms + 1, sizeof *entries.values, &entries.values);
    for (uint64_t row = first; status == KAN_OK && row < end; row++) {
        const double weight = design->weights ? design->weights[row] : 1;
        if (row % STRETCH == 0)
            status = kan_check_cancel(frame->run);
        if (!(weight > 0))
            continue;
        find_entries(frame, row, &entries);
        add_row(all->pass, &entries, row, weight, &all->sums[task]);
    }
    kan_free(frame->run, entries.columns);
    kan_free(frame->run, entries.values);
    return status;
}

static void add_numbers(double *to, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

static void take_over(const kan_fit_pass *pass, const kan_fit_sums *from, bool is_first,
                      kan_fit_sums *out) {
    const size_t n = pass->frame->n;
    if (is_first) {
        out->loss = 0;
        for (size_t i = 0; i < n; i++)
            out->gradient[i] = 0;
        for (size_t i = 0; i < n * n; i++) {
            if (pass->wants_cross)
                out->cross[i] = 0;
            if (pass->wants_spread)
                out->spread[i] = 0;
        }
    }
    out->loss += from->loss;
    add_numbers(out->gradient, from->gradient, n);
    if (pass->wants_cross)
        add_numbers(out->cross, from->cross, n * n);
    if (pass->wants_spread)
        add_numbers(out->spread, from->spread, n * n);
}

kan_status kan_fit_add_up(const kan_fit_pass *pass, kan_fit_sums *out) {
    const kan_fit_frame *frame = pass->frame;
    const uint64_t n_rows = frame->question->design->n_rows;
    const size_t room = ROOM / (frame->n * frame->n);
    size_t most = room < MOST_STRETCHES ? room : MOST_STRETCHES;
    most = most > 0 ? most : 1;
    const uint64_t wanted = n_rows / STRETCH + 1;
    summing all = {.pass = pass, .n_stretches = wanted < most ? (size_t)wanted : most};
    all.rows = n_rows / all.n_stretches + 1;
    KAN_TRY(kan_alloc_zero(frame->run, all.n_stretches, sizeof *all.sums, &all.sums));
    kan_status status = KAN_OK;
    for (size_t i = 0; status == KAN_OK && i < all.n_stretches; i++)
        status = kan_fit_sums_make(frame->run, frame->n, pass->wants_spread, &all.sums[i]);
    if (status == KAN_OK)
        status = kan_parallel(frame->run, all.n_stretches, add_stretch, &all);
    for (size_t i = 0; i < all.n_stretches; i++) {
        if (status == KAN_OK)
            take_over(pass, &all.sums[i], i == 0, out);
        kan_fit_sums_destroy(frame->run, &all.sums[i]);
    }
    kan_free(frame->run, all.sums);
    return status;
}
