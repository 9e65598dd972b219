/* Filters: predicates of one column joined. Bounds are the tightest of all, a list is what is in
 * every list. Making one costs a look at each value of the column. */
#include "analyze/workload/workload_filter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "data/decimal.h"

/* More units than that are not counted exactly in a double, with room for sums of them. */
static const double MOST_UNITS = 1099511627776.0;

/* ---- columns -------------------------------------------------------------------------------- */

static void find_unit(kan_value_column *values) {
    const kan_dictionary *dictionary = values->dictionary;
    unsigned scale = 0;
    double greatest = 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        if (isnan(values->numbers[code]))
            continue;
        greatest = fmax(greatest, fabs(values->numbers[code]));
        if (!kan_decimal_scale(kan_dictionary_value(dictionary, code), &scale))
            scale = KAN_DECIMAL_SCALE_MOST;
    }
    for (; scale > 0 && values->per_unit * 10 * greatest <= MOST_UNITS; scale--)
        values->per_unit *= 10;
}

kan_status kan_value_column_init(kan_value_column *values, kan_run *run, const kan_column *column) {
    const kan_dictionary *dictionary = &column->dictionary;
    *values = (kan_value_column){
        .run = run, .name = column->name, .dictionary = dictionary, .per_unit = 1};
    if (dictionary->type == KAN_TYPE_TEXT)
        return KAN_OK;
    KAN_TRY(kan_alloc(run, dictionary->n, sizeof *values->numbers, &values->numbers));
    for (uint32_t code = 0; code < dictionary->n; code++)
        if (!kan_value_number(dictionary->type, kan_dictionary_value(dictionary, code),
                              &values->numbers[code]))
            values->numbers[code] = NAN;
    if (dictionary->type == KAN_TYPE_NUMBER)
        find_unit(values);
    return KAN_OK;
}

void kan_value_column_destroy(kan_value_column *values) {
    kan_free(values->run, values->numbers);
}

double kan_value_units(const kan_value_column *values, double number) {
    const double units = number * values->per_unit, whole = nearbyint(units);
    return fabs(units - whole) <= 1e-14 * fmax(1, fabs(units)) ? whole : units;
}

/* ---- what cannot be asked ------------------------------------------------------------------- */

static void check_constant(const kan_workload *workload, const kan_query *query,
                           const kan_predicate *predicate, const kan_constant *constant,
                           const kan_column *column) {
    const kan_type type = column->dictionary.type;
    char quoted[256];
    double unused;
    if (kan_value_number(type, constant->text, &unused))
        return;
    if (predicate->comparison == KAN_IS_IN && kan_value_is_unknown(constant->text))
        return;
    kan_problem_add(workload->run,
                    "%s:%" PRIu64 ":%zu: %s is not a %s, and column '%s' holds %ss%s",
                    workload->path, query->line, constant->place, kan_quote(constant->text, quoted),
                    kan_type_name(type), column->name, kan_type_name(type),
                    type == KAN_TYPE_DATE ? "; write year-month-day, such as 2003-11-16" : "");
}

static void check_predicate(const kan_workload *workload, const kan_query *query,
                            const kan_predicate *predicate, const kan_column *column) {
    const kan_constant *constants = workload->constants + predicate->first_constant;
    const kan_type type = column->dictionary.type;
    double lo, hi;
    if (type == KAN_TYPE_TEXT) {
        if (predicate->comparison != KAN_IS_IN)
            kan_problem_add(workload->run,
                            "%s:%" PRIu64 ":%zu: column '%s' holds text, and %s compares numbers "
                            "or dates; name the values with = or IN (a, b)",
                            workload->path, query->line, predicate->place, column->name,
                            predicate->sign);
        return;
    }
    for (size_t i = 0; i < predicate->n_constants; i++)
        check_constant(workload, query, predicate, &constants[i], column);
    if (predicate->comparison == KAN_IS_BETWEEN && kan_value_number(type, constants[0].text, &lo) &&
        kan_value_number(type, constants[1].text, &hi) && lo > hi)
        kan_problem_add(workload->run,
                        "%s:%" PRIu64 ":%zu: nothing lies between the two; write the smaller one "
                        "first",
                        workload->path, query->line, constants[0].place);
}

void kan_workload_check(const kan_workload *workload, uint32_t name, const kan_column *column) {
    for (size_t i = 0; i < workload->n_queries; i++) {
        const kan_query *query = &workload->queries[i];
        const kan_type type = column->dictionary.type;
        if (query->aggregate != KAN_AGGREGATE_COUNT && query->name == name &&
            type != KAN_TYPE_NUMBER)
            kan_problem_add(workload->run,
                            "%s:%" PRIu64 ":%zu: %s needs numbers, and column '%s' holds %s; "
                            "aggregate another column, or COUNT",
                            workload->path, query->line, query->place,
                            kan_aggregate_name(query->aggregate), column->name,
                            type == KAN_TYPE_DATE ? "dates" : "text");
        for (size_t p = 0; p < query->n_predicates; p++) {
            const kan_predicate *predicate = &workload->predicates[query->first_predicate + p];
            if (predicate->name == name)
                check_predicate(workload, query, predicate, column);
        }
    }
}

void kan_workload_note_absent(const kan_workload *workload, uint32_t name,
                              const kan_column *column) {
    const kan_constant *first = NULL;
    uint64_t line = 0;
    size_t n = 0;
    char quoted[256], more[64] = "";
    for (size_t i = 0; column->dictionary.type == KAN_TYPE_TEXT && i < workload->n_queries; i++) {
        const kan_query *query = &workload->queries[i];
        for (size_t p = 0; p < query->n_predicates; p++) {
            const kan_predicate *predicate = &workload->predicates[query->first_predicate + p];
            for (size_t c = 0; predicate->name == name && c < predicate->n_constants; c++) {
                const kan_constant *constant = &workload->constants[predicate->first_constant + c];
                uint32_t unused;
                if (kan_dictionary_find(&column->dictionary, constant->text, &unused))
                    continue;
                if (n++ == 0) {
                    first = constant;
                    line = query->line;
                }
            }
        }
    }
    if (n > 1)
        snprintf(more, sizeof more, ", and %zu more like it", n - 1);
    if (n > 0)
        kan_note(
            workload->run, "%s:%" PRIu64 ":%zu: column '%s' has no value %s%s; is it misspelt?",
            workload->path, line, first->place, column->name, kan_quote(first->text, quoted), more);
}

/* Where the column is spoken of first. */
static void find_mention(const kan_workload *workload, uint32_t name, uint64_t *line,
                         size_t *place) {
    for (size_t i = 0; i < workload->n_queries; i++) {
        const kan_query *query = &workload->queries[i];
        *line = query->line;
        *place = query->place;
        if (query->aggregate != KAN_AGGREGATE_COUNT && query->name == name)
            return;
        for (size_t p = 0; p < query->n_predicates; p++) {
            const kan_predicate *predicate = &workload->predicates[query->first_predicate + p];
            *place = predicate->place;
            if (predicate->name == name)
                return;
        }
    }
}

void kan_workload_report_missing(const kan_workload *workload, uint32_t name, const char *table,
                                 const char *const *columns, size_t n_columns) {
    enum { MOST_TOLD = 20 };
    const char *wanted = workload->names[name], *near = NULL;
    char quoted[256], meant[256];
    uint64_t line = 0;
    size_t place = 0;
    if (kan_problems_count(workload->run) >= MOST_TOLD) { /* counted, no longer shown */
        kan_problem_add(workload->run, "%s", "");
        return;
    }
    find_mention(workload, name, &line, &place);
    for (size_t i = 0; i < n_columns && !near; i++)
        if (strcasecmp(columns[i], wanted) == 0)
            near = columns[i];
    if (!near)
        near = kan_nearest(wanted, columns, n_columns);
    kan_problem_add(workload->run, "%s:%" PRIu64 ":%zu: %s has no column %s%s%s%s", workload->path,
                    line, place, table, kan_quote(kan_slice_of(wanted), quoted),
                    near ? "; did you mean " : "; the first line of the table names its columns",
                    near ? kan_quote(kan_slice_of(near), meant) : "", near ? "?" : "");
}

/* ---- filters -------------------------------------------------------------------------------- */

static bool is_within_bounds(const kan_filter *filter, double number) {
    return number >= filter->lo && number <= filter->hi &&
           !(number == filter->lo && filter->lo_is_open) &&
           !(number == filter->hi && filter->hi_is_open);
}

bool kan_filter_allows_number(const kan_filter *filter, double number) {
    if (!is_within_bounds(filter, number))
        return false;
    if (!filter->has_list)
        return true;
    size_t low = 0, high = filter->n_list;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (filter->list[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < filter->n_list && filter->list[low] == number;
}

static void raise_lo(kan_filter *filter, double lo, bool is_open) {
    if (lo > filter->lo || (lo == filter->lo && is_open)) {
        filter->lo = lo;
        filter->lo_is_open = is_open;
    }
}

static void lower_hi(kan_filter *filter, double hi, bool is_open) {
    if (hi < filter->hi || (hi == filter->hi && is_open)) {
        filter->hi = hi;
        filter->hi_is_open = is_open;
    }
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The numbers of a list that are within what is allowed so far. */
static kan_status add_list(kan_filter *filter, const kan_value_column *values,
                           const kan_workload *workload, const kan_predicate *predicate) {
    double *list, number;
    size_t n = 0, n_distinct = 0;
    KAN_TRY(kan_alloc(filter->run, predicate->n_constants, sizeof *list, &list));
    for (size_t i = 0; i < predicate->n_constants; i++)
        if (kan_value_number(values->dictionary->type,
                             workload->constants[predicate->first_constant + i].text, &number) &&
            kan_filter_allows_number(filter, number))
            list[n++] = number;
    qsort(list, n, sizeof *list, compare_numbers);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[n_distinct++] = list[i];
    kan_free(filter->run, filter->list);
    filter->list = list;
    filter->n_list = n_distinct;
    filter->has_list = true;
    return KAN_OK;
}

static void add_bounds(kan_filter *filter, const kan_value_column *values,
                       const kan_workload *workload, const kan_predicate *predicate) {
    const kan_constant *constants = workload->constants + predicate->first_constant;
    const kan_comparison comparison = predicate->comparison;
    double x = NAN, y = NAN;
    (void)kan_value_number(values->dictionary->type, constants[0].text, &x);
    if (comparison == KAN_IS_BETWEEN)
        (void)kan_value_number(values->dictionary->type, constants[1].text, &y);
    if (isnan(x) || (comparison == KAN_IS_BETWEEN && isnan(y))) {
        filter->hi = -INFINITY;
        filter->lo = INFINITY;
    } else if (comparison == KAN_IS_BETWEEN) {
        raise_lo(filter, x, false);
        lower_hi(filter, y, false);
    } else if (comparison == KAN_IS_BELOW || comparison == KAN_IS_AT_MOST) {
        lower_hi(filter, x, comparison == KAN_IS_BELOW);
    } else {
        raise_lo(filter, x, comparison == KAN_IS_ABOVE);
    }
}

/* Text, and unknown values: whether the predicate names the value. Each constant is looked up once,
 * however many values the column has. */
static kan_status keep_named(kan_filter *filter, const kan_value_column *values,
                             const kan_workload *workload, const kan_predicate *predicate) {
    const kan_dictionary *dictionary = values->dictionary;
    bool *is_named;
    uint32_t named;
    KAN_TRY(kan_alloc_zero(filter->run, dictionary->n, sizeof *is_named, &is_named));
    for (size_t i = 0; predicate->comparison == KAN_IS_IN && i < predicate->n_constants; i++)
        if (kan_dictionary_find(dictionary, workload->constants[predicate->first_constant + i].text,
                                &named))
            is_named[named] = true;
    for (uint32_t code = 0; code < dictionary->n; code++)
        if (!values->numbers || isnan(values->numbers[code]))
            filter->allows[code] = filter->allows[code] && is_named[code];
    kan_free(filter->run, is_named);
    return KAN_OK;
}

static kan_status begin(kan_filter *filter, const kan_value_column *values) {
    *filter = (kan_filter){.run = values->run, .lo = -INFINITY, .hi = INFINITY};
    KAN_TRY(kan_alloc(values->run, values->dictionary->n, sizeof *filter->allows, &filter->allows));
    memset(filter->allows, 1, values->dictionary->n);
    return KAN_OK;
}

static kan_status add(kan_filter *filter, const kan_value_column *values,
                      const kan_workload *workload, const kan_predicate *predicate) {
    KAN_TRY(keep_named(filter, values, workload, predicate));
    if (!values->numbers)
        return KAN_OK;
    if (predicate->comparison == KAN_IS_IN)
        return add_list(filter, values, workload, predicate);
    add_bounds(filter, values, workload, predicate);
    return KAN_OK;
}

static void end(kan_filter *filter, const kan_value_column *values) {
    size_t n = 0;
    if (!values->numbers)
        return;
    for (size_t i = 0; i < filter->n_list; i++) /* bounds may have come behind the list */
        if (is_within_bounds(filter, filter->list[i])) {
            KAN_ASSERT(n == 0 || filter->list[n - 1] < filter->list[i]);
            filter->list[n++] = filter->list[i];
        }
    filter->n_list = n;
    for (uint32_t code = 0; code < values->dictionary->n; code++)
        if (!isnan(values->numbers[code]))
            filter->allows[code] = kan_filter_allows_number(filter, values->numbers[code]);
}

kan_status kan_filter_init(kan_filter *filter, const kan_value_column *values,
                           const kan_workload *workload, const kan_query *query, uint32_t name,
                           size_t *n_out) {
    size_t n = 0;
    KAN_TRY(begin(filter, values));
    for (size_t p = 0; p < query->n_predicates; p++) {
        const kan_predicate *predicate = &workload->predicates[query->first_predicate + p];
        if (predicate->name != name)
            continue;
        kan_status status = add(filter, values, workload, predicate);
        if (status != KAN_OK) {
            kan_filter_destroy(filter);
            return status;
        }
        n++;
    }
    end(filter, values);
    *n_out = n;
    return KAN_OK;
}

kan_status kan_filter_init_one(kan_filter *filter, const kan_value_column *values,
                               const kan_workload *workload, const kan_predicate *predicate) {
    KAN_TRY(begin(filter, values));
    kan_status status = add(filter, values, workload, predicate);
    if (status == KAN_OK)
        end(filter, values);
    else
        kan_filter_destroy(filter);
    return status;
}

void kan_filter_destroy(kan_filter *filter) {
    kan_free(filter->run, filter->allows);
    kan_free(filter->run, filter->list);
    filter->allows = NULL;
    filter->list = NULL;
}
