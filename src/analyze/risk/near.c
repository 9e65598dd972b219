/* What numbers tell of those that they stand for: see near.h. Rows that show the same are one query,
 * and rows of the original that are alike one point; points stand in the order of the leading
 * column, and are looked at from where the query stands to both sides, until that column alone is
 * farther than the best. */
#include "analyze/risk/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/pool.h"

/* A standard deviation, in distances. */
#define STEPS 65536.0

enum { QUERIES_AT_ONCE = 64 };

/* Rows that are alike, as one. */
typedef struct {
    const double *at; /* numbers of one of them */
    size_t row;
    uint64_t n_rows;
} point;

typedef struct {
    kan_run *run;
    const kan_near_question *question;
    unsigned leading;
    double scale[KAN_NEAR_COLUMNS]; /* steps of a unit; 0: it is in no distance */
    /* By the leading column; unknown ones last. */
    size_t n_points, n_known;
    point *points;
    size_t n_queries;
    point *queries;
    size_t *first;  /* by query: where its rows stand in `rows`; one more entry */
    size_t *rows;   /* query by query */
    double *linked; /* by query: rows that are linked right, as an expected number */
} linking;

/* ---- near ------------------------------------------------------------------------------------ */

static double released_at(const kan_near_question *q, size_t row, unsigned column) {
    return q->released[row * q->n_columns + column];
}

static double original_at(const kan_near_question *q, size_t row, unsigned column) {
    return q->original[row * q->n_columns + column];
}

/* Of the numbers that are shown, as of a sample; from the first one on, so that equal numbers have
 * none. */
static double deviation_of(const kan_near_question *q, unsigned column) {
    double n = 0, first = 0, sum = 0, squares = 0;
    for (size_t row = 0; row < q->n_rows; row++) {
        const double at = released_at(q, row, column);
        if (isnan(at))
            continue;
        if (n == 0)
            first = at;
        n++;
        sum += at - first;
    }
    for (size_t row = 0; row < q->n_rows; row++) {
        const double off = released_at(q, row, column) - first - sum / n;
        squares += isnan(off) ? 0 : off * off;
    }
    return n > 1 && isfinite(squares) ? sqrt(squares / (n - 1)) : 0;
}

static void count_near(const kan_near_question *q, kan_near *out) {
    out->n_rows = q->n_rows;
    for (size_t row = 0; row < q->n_rows; row++) {
        unsigned n = 0;
        for (unsigned c = 0; c < q->n_columns; c++) {
            const double off = fabs(released_at(q, row, c) - original_at(q, row, c));
            const bool is_near = off <= q->share * out->deviation[c]; /* false of NAN */
            out->n_column[c] += is_near;
            n += is_near;
        }
        out->n_all += n == q->n_columns;
        out->n_but_one += n + 1 >= q->n_columns;
    }
}

/* ---- points ---------------------------------------------------------------------------------- */

static int compare_numbers(double a, double b) {
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a > b) - (a < b);
}

/* The leading column first, which stands in front in sorted copies. */
typedef struct {
    const double *at;
    unsigned n, leading;
    size_t row;
} sorted_row;

static int compare_cells(const sorted_row *x, const sorted_row *y) {
    int order = compare_numbers(x->at[x->leading], y->at[x->leading]);
    for (unsigned c = 0; c < x->n && order == 0; c++)
        order = compare_numbers(x->at[c], y->at[c]);
    return order;
}

static int compare_rows(const void *a, const void *b) {
    const sorted_row *x = a, *y = b;
    const int order = compare_cells(x, y);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static kan_status sort_rows(const linking *w, const double *at, sorted_row **out) {
    const kan_near_question *q = w->question;
    sorted_row *sorted;
    KAN_TRY(kan_alloc(w->run, q->n_rows, sizeof *sorted, &sorted));
    for (size_t row = 0; row < q->n_rows; row++)
        sorted[row] = (sorted_row){at + row * q->n_columns, q->n_columns, w->leading, row};
    qsort(sorted, q->n_rows, sizeof *sorted, compare_rows);
    *out = sorted;
    return KAN_OK;
}

/* Rows of one run of equal ones after the other. */
static size_t gather(const linking *w, const sorted_row *sorted, point *points) {
    size_t n = 0;
    for (size_t i = 0; i < w->question->n_rows; i++) {
        if (i == 0 || compare_cells(&sorted[i - 1], &sorted[i]) != 0)
            points[n++] = (point){sorted[i].at, sorted[i].row, 0};
        points[n - 1].n_rows++;
    }
    return n;
}

static size_t count_different(const sorted_row *sorted, size_t n, unsigned column) {
    size_t n_different = 0;
    for (size_t i = 0; i < n; i++)
        n_different +=
            i == 0 || compare_numbers(sorted[i - 1].at[column], sorted[i].at[column]) != 0;
    return n_different;
}

/* The column with the most different numbers tells rows apart best. */
static kan_status choose_leading(linking *w) {
    size_t most = 0;
    unsigned best = 0;
    for (unsigned c = 0; c < w->question->n_columns; c++) {
        sorted_row *sorted;
        if (w->scale[c] <= 0)
            continue;
        w->leading = c;
        KAN_TRY(sort_rows(w, w->question->original, &sorted));
        const size_t n = count_different(sorted, w->question->n_rows, c);
        kan_free(w->run, sorted);
        if (n > most) {
            most = n;
            best = c;
        }
    }
    w->leading = best;
    return KAN_OK;
}

static kan_status make_points(linking *w) {
    sorted_row *sorted;
    const size_t n = w->question->n_rows;
    KAN_TRY(kan_alloc(w->run, n, sizeof *w->points, &w->points));
    KAN_TRY(sort_rows(w, w->question->original, &sorted));
    w->n_points = gather(w, sorted, w->points);
    for (size_t i = 0; i < w->n_points; i++)
        w->n_known += isnan(w->points[i].at[w->leading]) ? 0 : 1;
    kan_free(w->run, sorted);
    return KAN_OK;
}

static kan_status make_queries(linking *w) {
    sorted_row *sorted;
    const size_t n = w->question->n_rows;
    KAN_TRY(kan_alloc(w->run, n, sizeof *w->queries, &w->queries));
    KAN_TRY(kan_alloc(w->run, n, sizeof *w->rows, &w->rows));
    KAN_TRY(kan_alloc(w->run, n + 1, sizeof *w->first, &w->first));
    KAN_TRY(kan_alloc_zero(w->run, n, sizeof *w->linked, &w->linked));
    KAN_TRY(sort_rows(w, w->question->released, &sorted));
    w->n_queries = gather(w, sorted, w->queries);
    for (size_t i = 0; i < n; i++)
        w->rows[i] = sorted[i].row;
    w->first[0] = 0;
    for (size_t i = 0; i < w->n_queries; i++)
        w->first[i + 1] = w->first[i] + w->queries[i].n_rows;
    kan_free(w->run, sorted);
    return KAN_OK;
}

/* ---- means and medians ----------------------------------------------------------------------- */

/* What a row shows in a column, and what it had. */
typedef struct {
    double shown, original;
} pair;

static int compare_pairs(const void *a, const void *b) {
    const pair *x = a, *y = b;
    const int order = compare_numbers(x->shown, y->shown);
    return order ? order : compare_numbers(x->original, y->original);
}

/* Of n rows that show the same: a mean is shown with six digits behind the point, or as many as it
 * has; a median is the lower of two in the middle. Unknown numbers stand last, and do not count. */
static void look_at_pairs(const pair *pairs, size_t n, kan_near *out) {
    double sum = 0, most = fabs(pairs[0].shown);
    size_t n_known = 0;
    for (; n_known < n && !isnan(pairs[n_known].original); n_known++) {
        sum += pairs[n_known].original - pairs[0].shown;
        most = fmax(most, fabs(pairs[n_known].original));
    }
    if (n_known == 0)
        return;
    out->shows_means &= fabs(sum / (double)n_known) <= 1e-6 + 1e-9 * most;
    out->shows_medians &= compare_numbers(pairs[(n_known - 1) / 2].original, pairs[0].shown) == 0;
}

/* Column by column: where groups are made of all columns, what several of them show alike is the mean,
 * or median, of all of their rows. */
static kan_status look_at_middles(const linking *w, kan_near *out) {
    const kan_near_question *q = w->question;
    pair *pairs;
    KAN_TRY(kan_alloc(w->run, q->n_rows, sizeof *pairs, &pairs));
    out->shows_means = out->shows_medians = true;
    for (unsigned c = 0; c < q->n_columns; c++) {
        for (size_t row = 0; row < q->n_rows; row++)
            pairs[row] = (pair){released_at(q, row, c), original_at(q, row, c)};
        qsort(pairs, q->n_rows, sizeof *pairs, compare_pairs);
        for (size_t i = 0, end; i < q->n_rows && !isnan(pairs[i].shown); i = end) {
            for (end = i;
                 end < q->n_rows && compare_numbers(pairs[end].shown, pairs[i].shown) == 0;)
                end++;
            look_at_pairs(pairs + i, end - i, out);
        }
    }
    kan_free(w->run, pairs);
    return KAN_OK;
}

/* ---- distances ------------------------------------------------------------------------------- */

static double squared(const linking *w, unsigned c, double shown, double original) {
    if (isnan(shown) || w->scale[c] <= 0)
        return 0;
    const double steps = isnan(original) ? STEPS : rint((shown - original) * w->scale[c]);
    return steps * steps;
}

static double distance_of(const linking *w, const double *shown, const double *original) {
    double sum = 0;
    for (unsigned c = 0; c < w->question->n_columns; c++)
        sum += squared(w, c, shown[c], original[c]);
    return sum;
}

typedef struct {
    double distance;
    uint64_t n_rows; /* that are so near */
} nearest;

static void look_at(const linking *w, const double *shown, const point *p, nearest *best) {
    const double distance = distance_of(w, shown, p->at);
    if (distance < best->distance)
        *best = (nearest){distance, 0};
    if (distance == best->distance)
        best->n_rows += p->n_rows;
}

/* The first known point that is not below. */
static size_t find_place(const linking *w, double at) {
    size_t low = 0, high = w->n_known;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (w->points[middle].at[w->leading] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool may_be_near(const linking *w, const double *shown, size_t i, const nearest *best) {
    return squared(w, w->leading, shown[w->leading], w->points[i].at[w->leading]) <= best->distance;
}

static nearest find_nearest(const linking *w, const double *shown) {
    nearest best = {HUGE_VAL, 0};
    const bool is_shown = !isnan(shown[w->leading]) && w->scale[w->leading] > 0;
    const size_t place = is_shown ? find_place(w, shown[w->leading]) : 0;
    for (size_t i = place; i < w->n_known && may_be_near(w, shown, i, &best); i++)
        look_at(w, shown, &w->points[i], &best);
    for (size_t i = place; i-- > 0 && may_be_near(w, shown, i, &best);)
        look_at(w, shown, &w->points[i], &best);
    for (size_t i = w->n_known; i < w->n_points; i++)
        look_at(w, shown, &w->points[i], &best);
    return best;
}

static void link_query(const linking *w, size_t query) {
    const kan_near_question *q = w->question;
    const double *shown = w->queries[query].at;
    const nearest best = find_nearest(w, shown);
    uint64_t n = 0;
    for (size_t i = w->first[query]; i < w->first[query + 1]; i++)
        n += distance_of(w, shown, q->original + w->rows[i] * q->n_columns) == best.distance;
    w->linked[query] = (double)n / (double)best.n_rows;
}

static kan_status link_some(void *context, size_t task, unsigned worker) {
    const linking *w = context;
    const size_t end = (task + 1) * QUERIES_AT_ONCE;
    (void)worker;
    kan_report_progress(w->run, "links", task * QUERIES_AT_ONCE, w->n_queries);
    for (size_t query = task * QUERIES_AT_ONCE; query < end && query < w->n_queries; query++)
        link_query(w, query);
    return kan_check_cancel(w->run);
}

static kan_status link_all(linking *w, kan_near *out) {
    for (unsigned c = 0; c < w->question->n_columns; c++) {
        const double scale = STEPS / out->deviation[c];
        w->scale[c] = isfinite(scale) ? scale : 0;
    }
    KAN_TRY(choose_leading(w));
    KAN_TRY(make_points(w));
    KAN_TRY(make_queries(w));
    KAN_TRY(look_at_middles(w, out));
    KAN_TRY(
        kan_parallel(w->run, (w->n_queries + QUERIES_AT_ONCE - 1) / QUERIES_AT_ONCE, link_some, w));
    for (size_t query = 0; query < w->n_queries; query++)
        out->linked += w->linked[query];
    return KAN_OK;
}

kan_status kan_near_measure(kan_run *run, const kan_near_question *question, kan_near *out) {
    linking w = {.run = run, .question = question};
    kan_near made = {.n_columns = question->n_columns};
    KAN_ASSERT(question->n_columns > 0 && question->n_columns <= KAN_NEAR_COLUMNS);
    for (unsigned c = 0; c < question->n_columns; c++)
        made.deviation[c] = deviation_of(question, c);
    count_near(question, &made);
    const kan_status status = link_all(&w, &made);
    if (status == KAN_OK)
        *out = made;
    kan_free(run, w.points);
    kan_free(run, w.queries);
    kan_free(run, w.rows);
    kan_free(run, w.first);
    kan_free(run, w.linked);
    return status;
}
