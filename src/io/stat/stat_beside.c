/* What a statistics file has beside its table: the part of its code book that is about values which no row
 * shows, and whatever else the format can hold. */
#include <math.h>
#include <stdio.h>

#include "io/stat/stat_dta.h"
#include "io/stat/stat_sav.h"
#include "io/stat/stat_source.h"

static bool has_value(const kan_dictionary *values, kan_slice value) {
    for (uint32_t code = 0; code < values->n; code++)
        if (kan_slice_equal(kan_dictionary_value(values, code), value))
            return true;
    return false;
}

static kan_status add_labels(const kan_stat_column *column, const kan_dictionary *values,
                             kan_beside *out) {
    char what[400], quoted[256];
    (void)snprintf(what, sizeof what, "labels of values that no row of column %s has",
                   kan_quote(kan_slice_of(column->field.name), quoted));
    for (size_t i = 0; i < column->field.n_labels; i++)
        if (!has_value(values, column->field.labels[i].value)) {
            KAN_TRY(kan_beside_add(out, what, column->field.labels[i].label));
            KAN_TRY(kan_beside_add(out, what, column->field.labels[i].value));
        }
    return KAN_OK;
}

/* Both ends of a range of missing codes are values that a row has. */
static kan_status add_missing(const kan_stat_column *column, const kan_dictionary *values,
                              kan_beside *out) {
    char what[400], quoted[256], room[KAN_STAT_CLOCK_ROOM];
    (void)snprintf(what, sizeof what, "missing codes that no row of column %s has",
                   kan_quote(kan_slice_of(column->field.name), quoted));
    for (size_t i = 0; i < column->field.n_missing; i++) {
        const double ends[] = {column->field.missing[i].least, column->field.missing[i].most};
        for (int end = 0; end < 2; end++) {
            uint64_t word;
            const double number = ends[end] + 0.0;
            memcpy(&word, &number, sizeof word);
            const kan_slice value =
                isfinite(number) ? kan_stat_number_text(column->storage, &column->clock, word, room)
                                 : (kan_slice){"", 0};
            if (value.size == 0 || !has_value(values, value))
                KAN_TRY(kan_beside_add(out, what, value));
        }
    }
    for (size_t i = 0; i < column->n_missing_texts; i++)
        if (!has_value(values, column->missing_texts[i]))
            KAN_TRY(kan_beside_add(out, what, column->missing_texts[i]));
    return KAN_OK;
}

static kan_status add_format(const kan_stat_source *source, kan_beside *out) {
    bool is_whole;
    switch (source->format) {
    case KAN_STAT_DTA:
        return kan_stat_dta_walk(source->run, &source->stream, out, &is_whole);
    case KAN_STAT_SAV:
        return kan_stat_sav_walk(source->run, &source->stream, out);
    case KAN_STAT_SAS7BDAT: /* its pages keep rows that were deleted, and are read by nobody here */
        KAN_TRY(kan_beside_add(out, "pages of a .sas7bdat file", (kan_slice){"", 0}));
        break;
    case KAN_STAT_POR:
    case KAN_STAT_XPT:
        break;
    }
    return source->label.size > 0 ? kan_beside_add(out, "the label of the file", source->label)
                                  : KAN_OK;
}

kan_status kan_stat_find_beside(const kan_stat_source *source, const kan_table *table,
                                bool book_is_public, kan_beside *out) {
    for (size_t i = 0; i < source->n_columns && !book_is_public; i++) {
        KAN_TRY(add_labels(&source->columns[i], &table->columns[i].dictionary, out));
        KAN_TRY(add_missing(&source->columns[i], &table->columns[i].dictionary, out));
    }
    for (size_t i = 0; i < source->n_unused && !book_is_public; i++)
        KAN_TRY(kan_beside_add(out, "labels that no column has", source->unused[i]));
    return add_format(source, out);
}
