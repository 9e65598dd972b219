/* Answering queries. Rows are counted once as distinct tuples of the columns that the workload
 * speaks of, column by column; a query then walks over them with one table look-up for each column
 * that it filters. */
#include <inttypes.h>
#include <math.h>

#include "analyze/verify/verify.h"
#include "analyze/workload/workload.h"
#include "analyze/workload/workload_cells.h"

enum { ROWS_BETWEEN_CHECKS = 1 << 14 };

/* Distinct rows. */
typedef struct {
    size_t n, n_columns;
    double *count;
    uint32_t *codes; /* column by column, n each */
} distinct_rows;

/* A column of the workload, ready to be asked. */
typedef struct {
    kan_value_column values;
    kan_released_cells cells;
    kan_cell_part *parts; /* by cell: what the query in hand allows */
    kan_filter filter;    /* of the query in hand */
    size_t n_predicates;  /* of the query in hand on this column */
    double *means;        /* by code of the released means; NaN: none. NULL: there are none */
    size_t means_at;      /* place of their codes among the columns of distinct rows */
} asked;

typedef struct {
    kan_run *run;
    const kan_utility_question *question;
    const kan_workload *workload;
    size_t n_columns;
    asked *columns;
    distinct_rows original, released;
    double *weight; /* by distinct row: rows, times the probability so far */
    uint8_t *fit;   /* by distinct row: kan_fit so far */
    double *scale;  /* by column: the mean of |x| */
} answering;

/* ---- distinct rows -------------------------------------------------------------------------- */

static kan_status count_rows(kan_run *run, const kan_column *const *columns, size_t n,
                             uint64_t n_rows, kan_tuples *tuples) {
    uint32_t *block;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc_zero(run, KAN_TUPLES_BLOCK * (n + 1), sizeof *block, &block));
    for (uint64_t row = 0; row < n_rows && status == KAN_OK; row += KAN_TUPLES_BLOCK) {
        const uint64_t left = n_rows - row;
        const size_t size = left < KAN_TUPLES_BLOCK ? (size_t)left : KAN_TUPLES_BLOCK;
        if (row % ROWS_BETWEEN_CHECKS == 0)
            status = kan_check_cancel(run);
        for (size_t c = 0; c < n; c++)
            for (size_t i = 0; i < size; i++)
                block[i * (n + 1) + c] = kan_column_code(columns[c], row + i);
        if (status == KAN_OK)
            status = kan_tuples_add_block(tuples, (const char *)block, size, row, NULL);
    }
    kan_free(run, block);
    return status;
}

/* A tuple has a last word of 0, so that a workload without columns has one. */
static kan_status make_distinct(kan_run *run, const kan_column *const *columns, size_t n,
                                uint64_t n_rows, distinct_rows *out) {
    kan_tuples tuples;
    kan_status status;
    kan_tuples_init(&tuples, run, (n + 1) * sizeof(uint32_t));
    KAN_TRY_DONE(count_rows(run, columns, n, n_rows, &tuples));
    out->n = tuples.n;
    out->n_columns = n;
    KAN_TRY_DONE(kan_alloc(run, tuples.n, sizeof *out->count, &out->count));
    KAN_TRY_DONE(kan_alloc(run, tuples.n * (n + 1), sizeof *out->codes, &out->codes));
    for (size_t t = 0; t < tuples.n; t++) {
        const char *tuple = kan_tuples_at(&tuples, t);
        out->count[t] = (double)tuples.count[t];
        for (size_t c = 0; c < n; c++)
            memcpy(&out->codes[c * tuples.n + t], tuple + c * sizeof(uint32_t), sizeof(uint32_t));
    }
done:
    kan_tuples_destroy(&tuples);
    return status;
}

static const uint32_t *codes_of(const distinct_rows *rows, size_t column) {
    return rows->codes + column * rows->n;
}

/* ---- preparing ------------------------------------------------------------------------------ */

static kan_status read_means(kan_run *run, const kan_column *means, double **out) {
    double *numbers;
    KAN_TRY(kan_alloc(run, means->dictionary.n, sizeof *numbers, &numbers));
    for (uint32_t code = 0; code < means->dictionary.n; code++)
        if (!kan_value_number(KAN_TYPE_NUMBER, kan_dictionary_value(&means->dictionary, code),
                              &numbers[code]))
            numbers[code] = NAN;
    *out = numbers;
    return KAN_OK;
}

/* Reads the cells of all columns: those that cannot be read are told together. */
static kan_status read_columns(answering *a) {
    kan_problems_begin(a->run);
    for (size_t c = 0; c < a->n_columns; c++) {
        const kan_asked_column *column = &a->question->columns[c];
        asked *to = &a->columns[c];
        const size_t before = kan_problems_count(a->run);
        KAN_TRY(kan_value_column_init(&to->values, a->run, column->original));
        const kan_status status =
            kan_released_cells_read(&to->cells, &to->values, column->original, column->released,
                                    column->hierarchy, a->question->release_name);
        if (status != KAN_OK && kan_problems_count(a->run) == before)
            return status;
        to->cells.shows_means = to->cells.shows_means || column->shows_middles;
        KAN_TRY(kan_alloc(a->run, column->released->dictionary.n, sizeof *to->parts, &to->parts));
        if (column->means)
            KAN_TRY(read_means(a->run, column->means, &to->means));
    }
    return kan_problems_end(a->run);
}

static kan_status read_rows(answering *a) {
    const kan_utility_question *question = a->question;
    const kan_column **columns;
    size_t n = a->n_columns;
    kan_status status;
    KAN_TRY(kan_alloc(a->run, 2 * n, sizeof *columns, &columns));
    for (size_t c = 0; c < n; c++)
        columns[c] = question->columns[c].original;
    KAN_TRY_DONE(make_distinct(a->run, columns, n, question->n_original, &a->original));
    for (size_t c = 0; c < a->n_columns; c++) {
        columns[c] = question->columns[c].released;
        a->columns[c].means_at = n;
        if (question->columns[c].means)
            columns[n++] = question->columns[c].means;
    }
    KAN_TRY_DONE(make_distinct(a->run, columns, n, question->n_released, &a->released));
    const size_t most = a->original.n > a->released.n ? a->original.n : a->released.n;
    KAN_TRY_DONE(kan_alloc(a->run, most, sizeof *a->weight, &a->weight));
    KAN_TRY_DONE(kan_alloc(a->run, most, sizeof *a->fit, &a->fit));
done:
    kan_free(a->run, columns);
    return status;
}

static kan_status find_scales(answering *a) {
    KAN_TRY(kan_alloc_zero(a->run, a->n_columns, sizeof *a->scale, &a->scale));
    for (size_t c = 0; c < a->n_columns; c++) {
        const double *numbers = a->columns[c].values.numbers;
        const uint32_t *codes = codes_of(&a->original, c);
        double sum = 0, n = 0;
        for (size_t t = 0; numbers && t < a->original.n; t++)
            if (!isnan(numbers[codes[t]])) {
                sum += a->original.count[t] * fabs(numbers[codes[t]]);
                n += a->original.count[t];
            }
        a->scale[c] = n > 0 ? sum / n : 0;
    }
    return KAN_OK;
}

/* ---- the original --------------------------------------------------------------------------- */

static void answer_original(answering *a, const kan_query *query, kan_query_result *result) {
    const size_t n = a->original.n;
    const bool is_count = query->aggregate == KAN_AGGREGATE_COUNT;
    double n_rows = 0, n_known = 0, sum = 0, least = INFINITY, greatest = -INFINITY;
    memset(a->fit, 1, n);
    for (size_t c = 0; c < a->n_columns; c++) {
        const uint8_t *allows = a->columns[c].filter.allows;
        const uint32_t *codes = codes_of(&a->original, c);
        for (size_t t = 0; a->columns[c].n_predicates > 0 && t < n; t++)
            a->fit[t] &= allows[codes[t]];
    }
    const double *numbers = is_count ? NULL : a->columns[query->name].values.numbers;
    const uint32_t *codes = is_count ? NULL : codes_of(&a->original, query->name);
    for (size_t t = 0; t < n; t++) {
        if (!a->fit[t])
            continue;
        n_rows += a->original.count[t];
        if (!numbers || isnan(numbers[codes[t]]))
            continue;
        n_known += a->original.count[t];
        sum += a->original.count[t] * numbers[codes[t]];
        least = fmin(least, numbers[codes[t]]);
        greatest = fmax(greatest, numbers[codes[t]]);
    }
    result->has_truth = is_count || query->aggregate == KAN_AGGREGATE_SUM || n_known > 0;
    if (!result->has_truth)
        return;
    result->truth = is_count                                ? n_rows
                    : query->aggregate == KAN_AGGREGATE_SUM ? sum
                    : query->aggregate == KAN_AGGREGATE_AVG ? sum / n_known
                    : query->aggregate == KAN_AGGREGATE_MIN ? least
                                                            : greatest;
}

/* ---- the release ---------------------------------------------------------------------------- */

/* Weighs every distinct row with what the query asks of one column; the aggregated column changes
 * the fit alone, as its values are weighed one by one. */
static void weigh_column(answering *a, size_t column, bool is_aggregated) {
    const uint32_t *codes = codes_of(&a->released, column);
    const kan_cell_part *parts = a->columns[column].parts;
    for (size_t t = 0; t < a->released.n; t++) {
        const kan_cell_part *part = &parts[codes[t]];
        const uint8_t fit = (uint8_t)kan_cell_fit(part);
        a->fit[t] = fit < a->fit[t] ? fit : a->fit[t];
        if (!is_aggregated)
            a->weight[t] *= isfinite(part->n) ? part->n_allowed / part->n : NAN;
    }
}

typedef struct {
    double n_known, sum, least, greatest;
} expectation;

/* What rows have of the aggregated column, on average and at most. */
static expectation expect(const answering *a, const asked *column, size_t at) {
    const uint32_t *codes = codes_of(&a->released, at);
    const uint32_t *mean_codes = column->means ? codes_of(&a->released, column->means_at) : NULL;
    expectation e = {0, 0, INFINITY, -INFINITY};
    for (size_t t = 0; t < a->released.n; t++) {
        const kan_cell_part *part = &column->parts[codes[t]];
        if (a->fit[t] == KAN_FIT_OUTSIDE || part->n_valued == 0)
            continue;
        const double known = a->weight[t] * (part->n_valued / part->n);
        const double mean = mean_codes ? column->means[mean_codes[t]] : NAN;
        e.n_known += known;
        if (part->n_valued == part->n_known && !isnan(mean))
            e.sum += known * mean;
        else
            e.sum += a->weight[t] * (part->sum / part->n);
        e.least = fmin(e.least, part->least);
        e.greatest = fmax(e.greatest, part->greatest);
    }
    return e;
}

static void answer_release(answering *a, const kan_query *query, kan_query_result *result) {
    const size_t n = a->released.n;
    const bool is_count = query->aggregate == KAN_AGGREGATE_COUNT;
    double rows = 0;
    memcpy(a->weight, a->released.count, n * sizeof *a->weight);
    memset(a->fit, KAN_FIT_INSIDE, n);
    result->matches = true;
    for (size_t c = 0; c < a->n_columns; c++)
        if (a->columns[c].n_predicates > 0) {
            weigh_column(a, c, !is_count && query->name == c);
            result->matches = result->matches && !a->columns[c].cells.shows_means;
        }
    for (size_t t = 0; t < n; t++) {
        rows += a->weight[t];
        result->matches = result->matches && a->fit[t] != KAN_FIT_CUT;
    }
    if (is_count) {
        result->has_estimate = true;
        result->estimate = rows;
        return;
    }
    const expectation e = expect(a, &a->columns[query->name], query->name);
    result->has_estimate = query->aggregate == KAN_AGGREGATE_SUM || e.n_known > 0;
    if (result->has_estimate)
        result->estimate = query->aggregate == KAN_AGGREGATE_SUM   ? e.sum
                           : query->aggregate == KAN_AGGREGATE_AVG ? e.sum / e.n_known
                           : query->aggregate == KAN_AGGREGATE_MIN ? e.least
                                                                   : e.greatest;
}

/* ---- predicates ----------------------------------------------------------------------------- */

static bool matches_column(const asked *column) {
    for (uint32_t cell = 0; cell < column->cells.n; cell++)
        if (kan_cell_fit(&column->parts[cell]) == KAN_FIT_CUT)
            return false;
    return !column->cells.shows_means;
}

/* How many predicates of the query match by themselves. Where a column has one, that is what its
 * parts say already; they are put back when there are several. */
static kan_status match_predicates(answering *a, const kan_query *query, size_t *n_matching) {
    *n_matching = 0;
    for (size_t p = 0; p < query->n_predicates; p++) {
        const kan_predicate *predicate = &a->workload->predicates[query->first_predicate + p];
        asked *column = &a->columns[predicate->name];
        if (column->n_predicates == 1) {
            *n_matching += matches_column(column);
            continue;
        }
        kan_filter filter;
        KAN_TRY(kan_filter_init_one(&filter, &column->values, a->workload, predicate));
        kan_released_cells_filter(&column->cells, &column->values, &filter, column->parts);
        *n_matching += matches_column(column);
        kan_filter_destroy(&filter);
    }
    return KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Filters the columns that the query speaks of. */
static kan_status filter_columns(answering *a, const kan_query *query) {
    for (size_t c = 0; c < a->n_columns; c++) {
        asked *column = &a->columns[c];
        bool is_asked = query->aggregate != KAN_AGGREGATE_COUNT && query->name == c;
        kan_filter_destroy(&column->filter);
        column->n_predicates = 0;
        for (size_t p = 0; p < query->n_predicates; p++)
            is_asked = is_asked || a->workload->predicates[query->first_predicate + p].name == c;
        if (!is_asked)
            continue;
        KAN_TRY(kan_filter_init(&column->filter, &column->values, a->workload, query, (uint32_t)c,
                                &column->n_predicates));
        kan_released_cells_filter(&column->cells, &column->values, &column->filter, column->parts);
    }
    return KAN_OK;
}

/* Sums of numbers near the greatest that there are end nowhere: no answer is made up of them. */
static kan_status check_answer(const answering *a, const kan_query *query,
                               const kan_query_result *result) {
    const bool is_count = query->aggregate == KAN_AGGREGATE_COUNT;
    if (isfinite(result->truth) && isfinite(result->estimate) &&
        (is_count || isfinite(a->scale[query->name])))
        return KAN_OK;
    return kan_fail(a->run, KAN_BAD_INPUT,
                    "%s:%" PRIu64
                    ":%zu: the numbers that this query asks about are too large to be "
                    "added up; leave it out",
                    a->workload->path, query->line, query->place);
}

static kan_status answer_all(answering *a, kan_query_result *results) {
    const size_t n = a->workload->n_queries;
    for (size_t i = 0; i < n; i++) {
        const kan_query *query = &a->workload->queries[i];
        KAN_TRY(kan_check_cancel(a->run));
        kan_report_units(a->run, "answer", "queries", i, n);
        KAN_TRY(filter_columns(a, query));
        answer_original(a, query, &results[i]);
        answer_release(a, query, &results[i]);
        KAN_TRY(check_answer(a, query, &results[i]));
        KAN_TRY(match_predicates(a, query, &results[i].n_matching));
    }
    return KAN_OK;
}

static void answering_destroy(answering *a) {
    for (size_t c = 0; a->columns && c < a->n_columns; c++) {
        asked *column = &a->columns[c];
        column->filter.run = column->cells.run = column->values.run = a->run;
        kan_filter_destroy(&column->filter);
        kan_released_cells_destroy(&column->cells);
        kan_value_column_destroy(&column->values);
        kan_free(a->run, column->parts);
        kan_free(a->run, column->means);
    }
    kan_free(a->run, a->columns);
    kan_free(a->run, a->original.count);
    kan_free(a->run, a->original.codes);
    kan_free(a->run, a->released.count);
    kan_free(a->run, a->released.codes);
    kan_free(a->run, a->weight);
    kan_free(a->run, a->fit);
    kan_free(a->run, a->scale);
}

kan_status kan_utility_measure(kan_run *run, const kan_utility_question *question,
                               kan_utility *out) {
    answering a = {.run = run,
                   .question = question,
                   .workload = question->workload,
                   .n_columns = question->workload->n_names};
    kan_utility utility = {.run = run};
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, a.n_columns, sizeof *a.columns, &a.columns));
    for (size_t c = 0; c < a.n_columns; c++)
        a.columns[c].filter.run = run;
    KAN_TRY_DONE(
        kan_alloc_zero(run, a.workload->n_queries, sizeof *utility.results, &utility.results));
    KAN_TRY_DONE(read_columns(&a));
    KAN_TRY_DONE(read_rows(&a));
    KAN_TRY_DONE(find_scales(&a));
    KAN_TRY_DONE(answer_all(&a, utility.results));
    KAN_TRY_DONE(kan_utility_judge(&utility, a.workload, a.scale));
    *out = utility;
    utility.results = NULL;
done:
    kan_utility_destroy(&utility);
    answering_destroy(&a);
    return status;
}

void kan_utility_destroy(kan_utility *utility) {
    kan_free(utility->run, utility->results);
    utility->results = NULL;
}
