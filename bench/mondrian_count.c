/* Counting groups anew: rows are put in the order of their groups, and each group is looked at once
 * per column. Nothing of the search, of its costs or of its labels is used. */
#include <stdlib.h>

#include "mondrian.h"

typedef struct {
    uint64_t *start; /* by group, n_groups + 1 */
    uint64_t *rows;  /* in the order of groups */
    uint32_t *seen;  /* by value: the last group that had it, + 1 */
    uint64_t n_rows;
    size_t n_groups;
} sorted_rows;

static bool sort_rows(const uint32_t *group_of_row, sorted_rows *s) {
    s->start = calloc(s->n_groups + 2, sizeof *s->start);
    s->rows = calloc(s->n_rows + 1, sizeof *s->rows);
    if (!s->start || !s->rows)
        return false;
    for (uint64_t row = 0; row < s->n_rows; row++)
        s->start[group_of_row[row] + 2]++;
    for (size_t g = 2; g <= s->n_groups; g++)
        s->start[g] += s->start[g - 1];
    for (uint64_t row = 0; row < s->n_rows; row++)
        s->rows[s->start[group_of_row[row] + 1]++] = row;
    return true;
}

/* Sum over rows of what the groups of a column of numbers cover of it. */
static double cover_numbers(const kan_column *column, const sorted_rows *s) {
    const kan_dictionary *dictionary = &column->dictionary;
    double least, most, sum = 0;
    if (!kan_value_number(dictionary->type, kan_dictionary_value(dictionary, 0), &least) ||
        !kan_value_number(dictionary->type, kan_dictionary_value(dictionary, dictionary->n - 1),
                          &most) ||
        most <= least)
        return 0;
    for (size_t g = 0; g < s->n_groups; g++) {
        uint32_t low = UINT32_MAX, high = 0;
        double from = 0, to = 0;
        for (uint64_t i = s->start[g]; i < s->start[g + 1]; i++) {
            const uint32_t code = kan_column_code(column, s->rows[i]);
            low = code < low ? code : low;
            high = code > high ? code : high;
        }
        if (low > high)
            continue;
        kan_value_number(dictionary->type, kan_dictionary_value(dictionary, low), &from);
        kan_value_number(dictionary->type, kan_dictionary_value(dictionary, high), &to);
        sum += (to - from) / (most - least) * (double)(s->start[g + 1] - s->start[g]);
    }
    return sum;
}

static double cover_text(const kan_column *column, const sorted_rows *s) {
    double sum = 0;
    for (size_t g = 0; g < s->n_groups; g++) {
        uint32_t n_values = 0;
        for (uint64_t i = s->start[g]; i < s->start[g + 1]; i++) {
            uint32_t *seen = &s->seen[kan_column_code(column, s->rows[i])];
            n_values += *seen != g + 1;
            *seen = (uint32_t)g + 1;
        }
        if (n_values > 1)
            sum +=
                (double)n_values / column->dictionary.n * (double)(s->start[g + 1] - s->start[g]);
    }
    return sum;
}

static bool cover_columns(const kan_column *const *columns, unsigned n_columns, sorted_rows *s,
                          double *sum) {
    for (unsigned c = 0; c < n_columns; c++) {
        s->seen = calloc((size_t)columns[c]->dictionary.n + 1, sizeof *s->seen);
        if (!s->seen)
            return false;
        *sum += columns[c]->dictionary.type == KAN_TYPE_TEXT ? cover_text(columns[c], s)
                                                             : cover_numbers(columns[c], s);
        free(s->seen);
    }
    return true;
}

bool mondrian_count_make(const kan_column *const *columns, unsigned n_columns, uint64_t n_rows,
                         const uint32_t *group_of_row, size_t n_groups, mondrian_count *out) {
    sorted_rows s = {.n_rows = n_rows, .n_groups = n_groups};
    mondrian_count count = {.smallest = UINT64_MAX};
    double sum = 0;
    bool is_made = sort_rows(group_of_row, &s) && cover_columns(columns, n_columns, &s, &sum);
    for (size_t g = 0; is_made && g < n_groups; g++) {
        const uint64_t size = s.start[g + 1] - s.start[g];
        if (size == 0)
            continue;
        count.n_groups++;
        count.smallest = size < count.smallest ? size : count.smallest;
        count.discernibility += (double)size * (double)size;
    }
    count.average = (double)n_rows / (double)count.n_groups;
    count.tight_ncp = sum / ((double)n_rows * n_columns);
    free(s.start);
    free(s.rows);
    if (is_made)
        *out = count;
    return is_made;
}
