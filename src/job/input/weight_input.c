/* From texts of weights to whole units. */
#include "job/input/weight_input.h"

#include <inttypes.h>
#include <string.h>

#include "core/text.h"
#include "data/decimal.h"

#define MOST_UNITS ((kan_wide)1 << 62)

/* The weights in units of 10^-scale; a code that is no number above 0 is marked. */
typedef struct {
    const kan_column *column;
    unsigned scale;
    uint64_t *units;
    bool *is_bad;
    kan_wide total;
} reading;

static unsigned find_scale(const kan_dictionary *dictionary) {
    unsigned scale = 0;
    for (uint32_t code = 0; code < dictionary->n; code++)
        if (!kan_decimal_scale(kan_dictionary_value(dictionary, code), &scale))
            scale = KAN_DECIMAL_SCALE_MOST;
    return scale;
}

/* What is more than MOST_UNITS is refused, or read again with fewer decimals. */
static void read_units(reading *r) {
    const kan_dictionary *dictionary = &r->column->dictionary;
    r->total = 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        bool is_exact = true;
        kan_wide units = 0;
        const bool is_number =
            kan_decimal_floor(kan_dictionary_value(dictionary, code), r->scale, &units, &is_exact);
        r->is_bad[code] = !is_number || units < 0 || (units == 0 && is_exact);
        r->units[code] = (uint64_t)(r->is_bad[code] ? 0 : units < MOST_UNITS ? units : MOST_UNITS);
    }
    for (uint64_t row = 0; row < r->column->n_rows; row++) {
        r->total += (kan_wide)r->units[kan_column_code(r->column, row)];
        if (r->total > MOST_UNITS)
            r->total = MOST_UNITS;
    }
}

static void describe(const reading *r, kan_row_weights *out) {
    uint64_t one = 1;
    for (unsigned i = 0; i < r->scale; i++)
        one *= 10;
    *out = (kan_row_weights){.units = r->units, .total = (uint64_t)r->total, .one = (double)one};
    for (uint64_t row = r->column->n_rows; row-- > 0;) {
        const uint32_t code = kan_column_code(r->column, row);
        out->n_small += r->units[code] < one;
        if (r->is_bad[code]) {
            out->has_bad = true;
            out->first_bad = row;
        }
    }
}

kan_status kan_row_weights_read(const kan_input *input, const kan_column *column,
                                kan_row_weights *out) {
    const size_t n = column->dictionary.n;
    reading r = {.column = column, .scale = find_scale(&column->dictionary)};
    *out = (kan_row_weights){.units = NULL};
    KAN_TRY(kan_alloc_zero(input->run, n, sizeof *r.is_bad, &r.is_bad));
    const kan_status status = kan_alloc_zero(input->run, n, sizeof *r.units, &r.units);
    if (status == KAN_OK) {
        read_units(&r);
        while (r.total >= MOST_UNITS && r.scale > 0) {
            r.scale--;
            read_units(&r);
        }
        describe(&r, out);
    }
    kan_free(input->run, r.is_bad);
    KAN_TRY(status);
    return out->has_bad || r.total < MOST_UNITS
               ? KAN_OK
               : kan_fail(input->run, KAN_BAD_INPUT,
                          "%s: the weights of column '%s' (--sampling-weight) add up to more than "
                          "4 * 10^18; is it the right column?",
                          input->name, column->name);
}

/* Numbers that are no weight all the same: too large, or spelled in a way that nobody said. */
static const char *remedy_of(kan_slice value) {
    double number;
    if (kan_parse_real(value.bytes, value.size, &number) && number > 0)
        return "; all of them may add up to 4 * 10^18: is it the right column?";
    if (memchr(value.bytes, ',', value.size))
        return ": correct it, or take the row out; where a comma is the decimal point, add "
               "--decimal ,";
    return ": correct it, or take the row out";
}

kan_status kan_row_weights_refuse(const kan_input *input, const kan_column *column,
                                  const kan_row_weights *weights, uint64_t row) {
    const kan_slice value = kan_column_value(column, weights->first_bad);
    uint64_t line = row + 1;
    bool is_line = false;
    char quoted[256];
    if (!input->source ||
        kan_source_find_lines(input->source, &row, 1, &line, &is_line) != KAN_OK || !is_line)
        line = row + 1;
    return kan_fail(input->run, KAN_BAD_INPUT,
                    "%s, %s %" PRIu64
                    ": column '%s' (--sampling-weight) has %s; a weight is a number "
                    "above 0, the people of the population that the row stands for%s",
                    input->name, is_line ? "line" : "row", line, column->name,
                    kan_quote(value, quoted), remedy_of(value));
}

void kan_row_weights_note(const kan_input *input, const kan_column *column,
                          const kan_row_weights *weights) {
    const double people = kan_row_weights_people(weights, weights->total);
    /* sums of rounded weights */
    static const double NEARLY = 1.000001;
    char small[32], rows[32];
    kan_count_text(weights->n_small, small);
    kan_count_text(column->n_rows, rows);
    if (people < (double)column->n_rows)
        kan_note(input->run,
                 "%s: the weights of column '%s' add up to %.6g, less than the %s rows: they look "
                 "normalized. Give weights that add up to the population; with these the risk of a "
                 "row is 1 / its group",
                 input->name, column->name, people, rows);
    else if (weights->n_small > 0 && people <= (double)column->n_rows * NEARLY)
        kan_note(input->run,
                 "%s: the weights of column '%s' add up to the number of rows, %s: they look "
                 "normalized. Give weights that add up to the population; with these the risk of a "
                 "row is about 1 / its group",
                 input->name, column->name, rows);
    if (weights->n_small > 0)
        kan_note(input->run,
                 "%s: %s %s below 1 in column '%s' (--sampling-weight): a row that "
                 "stands for less than itself",
                 input->name, small, kan_plural(weights->n_small, "weight is", "weights are"),
                 column->name);
}
