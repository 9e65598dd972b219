/* Who is nearest to whom (global distance-based record linkage): every tuple of people against every group, by the sum
 * of squares over the columns that are known.
 *
 * Numbers and dates are as far apart as the value is from what the row shows, be it a number or a range, in standard
 * deviations of the list. What a row covers is no distance. All else is 1. Sums that differ by a relative 10^-9 are
 * the same, so that no tie depends on how sums are rounded. */
#include <math.h>

#include "analyze/intruder/register_inside.h"

enum { GROUPS_BETWEEN_CHECKS = 1 << 16 };
#define SAME 1e-9

typedef struct {
    bool is_number;  /* what is known of it */
    double *value;   /* by known code; NAN: it is none */
    double *lo, *hi; /* by released code: what it shows; NAN: nothing that is a number */
    double unit;     /* squares of differences are divided by it; 0: the column has one value */
} near_column;

struct kan_near {
    near_column *columns;
    size_t n;
    double **distances; /* by worker: of each group */
    double *limit;      /* by tuple: the nearest are no farther */
};

/* ---- what rows show --------------------------------------------------------------------------- */

typedef struct {
    const near_column *column;
    double lo, hi; /* of a label; NAN: none yet */
} extent;

static void widen(double *lo, double *hi, double from, double to) {
    if (!isnan(from) && !(*lo <= from))
        *lo = from;
    if (!isnan(to) && !(*hi >= to))
        *hi = to;
}

static kan_status on_codes(void *context, uint32_t first, uint32_t end) {
    extent *e = context;
    for (uint32_t code = first; code < end; code++)
        widen(&e->lo, &e->hi, e->column->value[code], e->column->value[code]);
    return KAN_OK;
}

static kan_status on_range(void *context, const kan_label_range *range) {
    extent *e = context;
    widen(&e->lo, &e->hi, range->lo, range->hi);
    return KAN_OK;
}

static void on_pair(void *context, uint32_t value, uint32_t code) {
    near_column *column = context;
    widen(&column->lo[code], &column->hi[code], column->value[value], column->value[value]);
}

static kan_status read_label(kan_label_reader *reader, kan_slice label, extent *e) {
    double number;
    if (!kan_label_number(reader, label, &number))
        return kan_label_read_ranges(reader, label, on_codes, on_range, e);
    widen(&e->lo, &e->hi, number, number);
    return KAN_OK;
}

/* Labels of hierarchies show what is below them, others what they say. */
static kan_status read_labels(const kan_asking *a, size_t c, kan_label_reader *reader,
                              near_column *out) {
    const kan_relation *relation = kan_asking_relation(a, c);
    const kan_dictionary *released = &relation->released->dictionary;
    KAN_TRY(kan_alloc(a->run, released->n, sizeof *out->lo, &out->lo));
    KAN_TRY(kan_alloc(a->run, released->n, sizeof *out->hi, &out->hi));
    for (uint32_t code = 0; code < released->n; code++)
        out->lo[code] = out->hi[code] = NAN;
    kan_relation_each_pair(relation, on_pair, out);
    for (uint32_t code = 0; code < released->n; code++) {
        extent e = {out, out->lo[code], out->hi[code]};
        KAN_TRY(read_label(reader, kan_dictionary_value(released, code), &e));
        out->lo[code] = e.lo;
        out->hi[code] = e.hi;
    }
    return kan_check_cancel(a->run);
}

/* ---- columns ---------------------------------------------------------------------------------- */

/* The variance of the list's numbers, of all of its rows. */
static kan_status measure_unit(const kan_asking *a, const kan_column *column, near_column *out) {
    uint64_t *rows;
    double sum = 0, squares = 0, n = 0;
    KAN_TRY(kan_alloc_zero(a->run, column->dictionary.n, sizeof *rows, &rows));
    for (uint64_t row = 0; row < column->n_rows; row++)
        rows[kan_column_code(column, row)]++;
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        if (!isnan(out->value[code])) {
            n += (double)rows[code];
            sum += (double)rows[code] * out->value[code];
        }
    for (uint32_t code = 0; n > 0 && code < column->dictionary.n; code++)
        if (!isnan(out->value[code])) {
            const double apart = out->value[code] - sum / n;
            squares += (double)rows[code] * (apart * apart);
        }
    out->unit = n > 0 ? squares / n : 0;
    kan_free(a->run, rows);
    return KAN_OK;
}

static kan_status open_column(const kan_asking *a, size_t c, near_column *out) {
    const kan_column *known = kan_asking_relation(a, c)->original;
    const uint32_t n = known->dictionary.n;
    kan_label_reader reader;
    kan_status status;
    if (known->dictionary.type == KAN_TYPE_TEXT || a->r->question.columns[a->columns[c]].is_exact)
        return KAN_OK;
    out->is_number = true;
    KAN_TRY(kan_alloc(a->run, n, sizeof *out->value, &out->value));
    KAN_TRY(kan_label_reader_init(&reader, a->run, known));
    for (uint32_t code = 0; code < n; code++)
        out->value[code] = code < reader.n_unknown ? NAN : reader.numbers[code];
    status = read_labels(a, c, &reader, out);
    if (status == KAN_OK)
        status = measure_unit(a, known, out);
    kan_label_reader_destroy(&reader);
    return status;
}

kan_status kan_near_create(const kan_asking *a, kan_near **out) {
    const unsigned n_workers = kan_run_threads(a->run);
    kan_near *made;
    kan_status status;
    KAN_TRY(kan_alloc_zero(a->run, 1, sizeof *made, &made));
    made->n = a->n;
    KAN_TRY_DONE(kan_alloc_zero(a->run, a->n, sizeof *made->columns, &made->columns));
    KAN_TRY_DONE(kan_alloc_zero(a->run, n_workers, sizeof *made->distances, &made->distances));
    for (unsigned worker = 0; worker < n_workers; worker++)
        KAN_TRY_DONE(
            kan_alloc(a->run, a->groups.n, sizeof **made->distances, &made->distances[worker]));
    KAN_TRY_DONE(kan_alloc(a->run, a->people.n, sizeof *made->limit, &made->limit));
    for (size_t c = 0; c < a->n; c++)
        KAN_TRY_DONE(open_column(a, c, &made->columns[c]));
    *out = made;
    return KAN_OK;
done:
    kan_near_destroy(a->run, made);
    return status;
}

void kan_near_destroy(kan_run *run, kan_near *near) {
    if (!near)
        return;
    for (size_t c = 0; near->columns && c < near->n; c++) {
        kan_free(run, near->columns[c].value);
        kan_free(run, near->columns[c].lo);
        kan_free(run, near->columns[c].hi);
    }
    for (unsigned worker = 0; near->distances && worker < kan_run_threads(run); worker++)
        kan_free(run, near->distances[worker]);
    kan_free(run, near->distances);
    kan_free(run, near->columns);
    kan_free(run, near->limit);
    kan_free(run, near);
}

/* ---- distances -------------------------------------------------------------------------------- */

static double apart(const near_column *column, uint32_t known, uint32_t shown) {
    const double value = column->value[known], lo = column->lo[shown], hi = column->hi[shown];
    const double by = value < lo ? lo - value : value > hi ? value - hi : 0;
    if (by == 0 || column->unit == 0)
        return by == 0 ? 0 : 1;
    return by * by / column->unit;
}

static double column_distance(const kan_asking *a, size_t c, uint32_t known, uint32_t shown) {
    const near_column *column = &a->near->columns[c];
    const bool has_both = column->is_number && !isnan(column->value[known]) &&
                          !isnan(column->lo[shown]) && !isnan(column->hi[shown]);
    if (has_both)
        return shown == kan_asking_relation(a, c)->star ? 0 : apart(column, known, shown);
    return kan_relation_covers(kan_asking_relation(a, c), shown, known) ? 0 : 1;
}

double kan_near_distance(const kan_asking *a, size_t tuple, size_t group, double most) {
    const uint32_t *known = a->people.codes + tuple * a->n;
    const uint32_t *shown = a->groups.codes + group * a->n;
    double sum = 0;
    for (size_t c = 0; c < a->n && sum <= most; c++)
        sum += column_distance(a, c, known[c], shown[c]);
    return sum;
}

kan_status kan_near_ask(const kan_asking *a, size_t tuple, unsigned worker, uint32_t *n_touched) {
    double *distances = a->near->distances[worker];
    double limit = INFINITY;
    for (size_t group = 0; group < a->groups.n; group++) {
        distances[group] = kan_near_distance(a, tuple, group, limit);
        limit = fmin(limit, distances[group] * (1 + SAME));
        if ((group + 1) % GROUPS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(a->run));
    }
    a->near->limit[tuple] = limit;
    uint64_t first = UINT64_MAX;
    for (size_t group = 0; group < a->groups.n; group++) {
        if (!(distances[group] <= limit))
            continue;
        a->out->rows[tuple] += a->groups.rows[group];
        if (a->groups.first_row[group] < first)
            first = a->groups.first_row[group];
        kan_asking_add_group(a, group, worker, n_touched);
    }
    a->out->row[tuple] = first;
    return kan_asking_conclude(a, tuple, worker, n_touched);
}

kan_status kan_near_hold(const kan_asking *a, const uint64_t *row_of) {
    kan_register_answer *out = a->out;
    KAN_TRY(kan_alloc_zero(a->run, (size_t)out->n_asked, sizeof *out->holds, &out->holds));
    for (uint64_t i = 0; row_of && i < out->n_asked; i++) {
        const uint64_t row = row_of[out->asked[i]];
        const double limit = a->near->limit[out->tuple_of[i]];
        out->holds[i] =
            row != UINT64_MAX &&
            kan_near_distance(a, out->tuple_of[i], a->groups.of_row[row], limit) <= limit;
    }
    return kan_check_cancel(a->run);
}

/* ---- numbers that were changed ----------------------------------------------------------------- */

static void mark_pair(void *context, uint32_t value, uint32_t code) {
    uint8_t *covers = context;
    (void)value;
    covers[code] = 1;
}

kan_status kan_register_new_numbers(kan_register *r, size_t column, const kan_column *original,
                                    uint64_t *n) {
    const kan_relation *relation = &r->relations[column];
    const kan_dictionary *released = &relation->released->dictionary;
    kan_label_reader reader;
    uint8_t *covers;
    uint32_t code_there;
    double number;
    *n = 0;
    KAN_TRY(kan_alloc_zero(r->run, released->n, sizeof *covers, &covers));
    kan_relation_each_pair(relation, mark_pair, covers);
    const kan_status status = kan_label_reader_init(&reader, r->run, original);
    for (uint32_t code = 0; status == KAN_OK && code < released->n; code++) {
        const kan_slice label = kan_dictionary_value(released, code);
        *n += !covers[code] && kan_label_number(&reader, label, &number) &&
              !kan_dictionary_find(&original->dictionary, label, &code_there);
    }
    kan_label_reader_destroy(&reader);
    kan_free(r->run, covers);
    return status;
}
