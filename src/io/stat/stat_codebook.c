/* The code book of a release: what a file says of the values of a column beside the values, such as
 * their labels.
 *
 * The book of a table is about all of its rows, and what nobody has whose row is released may stand in
 * it. So a release has what follows from released values alone, unless its user says that the book is
 * known to everybody (--codebook public).
 *
 * Labels cost a sort of the values that are shown, and a search for each label. */
#include <stdlib.h>

#include "io/stat/stat_sink.h"

const kan_option_spec kan_stat_codebook_options[KAN_STAT_CODEBOOK_OPTIONS] = {
    {.name = "codebook",
     .argument = "released|public",
     .summary = "what the code book of a release for SPSS, Stata or SAS covers: the values that it "
                "shows, or everything in the table's own code book, because that is public: "
                "labels, missing codes, types, formats, widths",
     .type = KAN_OPTION_CHOICE,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAIT_TABLES | KAN_TRAIT_EACH_TABLE,
     .choices = "released|public",
     .fallback = "released"},
};

bool kan_stat_codebook_is_public(const kan_options *given) {
    const char *said = given ? kan_options_find(given, "codebook") : NULL;
    return said && strcmp(said, "public") == 0;
}

/* ---- values that are shown ------------------------------------------------------------------ */

static int compare_values(const void *a, const void *b) {
    return kan_slice_compare(*(const kan_slice *)a, *(const kan_slice *)b);
}

typedef struct {
    kan_slice *values; /* ascending */
    size_t n;
} shown_values;

static kan_status list_shown(kan_arena *arena, const kan_sink_column *column, shown_values *out) {
    const uint32_t n = column->column->n_labels;
    out->n = 0;
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *out->values, &out->values));
    for (uint32_t code = 0; code < n; code++)
        if (column->is_shown[code] && column->values[code].size > 0)
            out->values[out->n++] = column->values[code];
    if (out->n > 0)
        qsort(out->values, out->n, sizeof *out->values, compare_values);
    return KAN_OK;
}

static bool is_shown(const shown_values *shown, kan_slice value) {
    return shown->n > 0 &&
           bsearch(&value, shown->values, shown->n, sizeof value, compare_values) != NULL;
}

static kan_status take_labels(kan_arena *arena, const kan_field *field, const shown_values *shown,
                              kan_stat_codebook *out) {
    kan_value_label *labels;
    if (field->n_labels == 0)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(arena, field->n_labels, sizeof *labels, &labels));
    for (size_t i = 0; i < field->n_labels; i++)
        if (is_shown(shown, field->labels[i].value))
            labels[out->n_labels++] = field->labels[i];
    out->labels = labels;
    return KAN_OK;
}

/* ---- missing codes -------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The numbers that are shown and lie in a range, ascending; their number. */
static size_t list_within(kan_stat_target target, const kan_field *field, const shown_values *shown,
                          const kan_missing_range *range, double *out) {
    size_t n = 0;
    for (size_t i = 0; i < shown->n; i++) {
        uint64_t word;
        double number;
        if (!kan_stat_label_word(target, field, shown->values[i], &word) ||
            kan_stat_is_missing(word))
            continue;
        memcpy(&number, &word, sizeof number);
        if (number >= range->least && number <= range->most)
            out[n++] = number;
    }
    if (n > 0)
        qsort(out, n, sizeof *out, compare_numbers);
    return n;
}

/* Codes one by one, as many as a format takes; else each range from its first code that is shown to
 * its last. How they were declared does not show where they are few. */
static kan_status take_missing(kan_arena *arena, kan_stat_target target, const kan_field *field,
                               const shown_values *shown, kan_stat_codebook *out) {
    enum { MOST_SINGLE = 3 };
    kan_missing_range *single, *ranges;
    double *numbers;
    size_t n_single = 0, n_all = 0;
    KAN_TRY(kan_arena_alloc(arena, MOST_SINGLE, sizeof *single, &single));
    KAN_TRY(kan_arena_alloc(arena, field->n_missing, sizeof *ranges, &ranges));
    KAN_TRY(kan_arena_alloc(arena, shown->n, sizeof *numbers, &numbers));
    for (size_t i = 0; i < field->n_missing; i++) {
        const size_t n = list_within(target, field, shown, &field->missing[i], numbers);
        for (size_t j = 0; j < n && n_single < MOST_SINGLE; j++)
            single[n_single++] = (kan_missing_range){numbers[j], numbers[j]};
        if (n > 0)
            ranges[out->n_missing++] = (kan_missing_range){numbers[0], numbers[n - 1]};
        n_all += n;
    }
    out->missing = ranges;
    if (n_all > MOST_SINGLE)
        return KAN_OK;
    qsort(single, n_single, sizeof *single, compare_numbers); /* by the first member */
    out->missing = single;
    out->n_missing = n_single;
    return KAN_OK;
}

kan_status kan_stat_codebook_make(kan_arena *arena, kan_stat_target target,
                                  const kan_sink_column *column, bool is_public,
                                  kan_stat_codebook *out) {
    const kan_field *field = &column->field;
    shown_values shown;
    *out = (kan_stat_codebook){.is_public = is_public,
                               .labels = field->labels,
                               .n_labels = field->n_labels,
                               .missing = field->missing,
                               .n_missing = field->n_missing};
    if (is_public || field->n_labels + field->n_missing == 0)
        return KAN_OK;
    out->n_labels = out->n_missing = 0;
    KAN_TRY(list_shown(arena, column, &shown));
    KAN_TRY(take_labels(arena, field, &shown, out));
    return field->n_missing > 0 ? take_missing(arena, target, field, &shown, out) : KAN_OK;
}
