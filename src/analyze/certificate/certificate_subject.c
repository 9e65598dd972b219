/* What a certificate is about: the table folded into distinct tuples once, and for each level of
 * each attribute which label a value shows there. Two values fall together when a release would
 * show the same bytes for both; how the hierarchy numbers its groups is not looked at. Costs one
 * look-up per row and a sort of the labels of each level. */
#include <stdlib.h>

#include "analyze/certificate/certificate_inside.h"
#include "analyze/verify/verify.h"
#include "recode/recoding.h"

/* ---- checksums ------------------------------------------------------------------------------ */

static void add_word(kan_checksum *sum, uint64_t word) {
    sum->words[0] = kan_mix(sum->words[0] ^ word, UINT64_C(0x9e3779b97f4a7c15)) + word;
    sum->words[1] = kan_mix(sum->words[1] + word, UINT64_C(0xd6e8feb86659fd93)) ^ sum->words[0];
}

static void add_bytes(kan_checksum *sum, const char *bytes, size_t size) {
    add_word(sum, size);
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
        add_word(sum, word);
    }
}

static const kan_checksum first_checksum = {
    {UINT64_C(0x2545f4914f6cdd1d), UINT64_C(0xa0761d6478bd642f)}};

/* The checksums of a column's values, by code. */
static kan_status sum_values(kan_run *run, const kan_column *column, kan_checksum **out) {
    kan_checksum *sums;
    KAN_TRY(kan_alloc(run, column->dictionary.n, sizeof *sums, &sums));
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        sums[code] = first_checksum;
        add_bytes(&sums[code], value.bytes, value.size);
    }
    *out = sums;
    return KAN_OK;
}

/* The sum over all rows of what each row's values give: the same for the same rows in any order,
 * counted or one by one, however the table is written. */
static kan_status sum_rows(const kan_table *table, const kan_column *const *columns,
                           kan_checksum *const *values, size_t n, kan_u128 *out) {
    enum { PART = 1 << 16 };
    kan_u128 total = 0;
    for (uint64_t row = 0; row < table->n_rows; row++) {
        kan_checksum sum = first_checksum;
        if (row % PART == 0)
            KAN_TRY(kan_check_cancel(table->run));
        for (size_t i = 0; i < n; i++) {
            const kan_checksum *value = &values[i][kan_column_code(columns[i], row)];
            add_word(&sum, value->words[0]);
            add_word(&sum, value->words[1]);
        }
        total += ((kan_u128)sum.words[0] << 64 | sum.words[1]) * kan_table_count(table, row);
    }
    *out = total;
    return KAN_OK;
}

kan_status kan_checksum_table(const kan_certificate_data *data, kan_checksum *out) {
    const kan_table *table = data->table;
    const kan_column *columns[KAN_CERTIFICATE_ATTRIBUTES + 2];
    kan_checksum *values[KAN_CERTIFICATE_ATTRIBUTES + 2] = {NULL}, sum = first_checksum;
    size_t n = 0, n_made = 0;
    kan_u128 total;
    kan_status status = KAN_OK;
    for (unsigned a = 0; a < data->n_attributes; a++)
        columns[n++] = &table->columns[data->columns[a]];
    if (data->has_class)
        columns[n++] = &table->columns[data->class_column];
    if (data->has_person)
        columns[n++] = &table->columns[data->person_column];
    for (; n_made < n; n_made++)
        KAN_TRY_DONE(sum_values(table->run, columns[n_made], &values[n_made]));
    KAN_TRY_DONE(sum_rows(table, columns, values, n, &total));
    add_word(&sum, kan_table_total(table));
    add_word(&sum, data->n_attributes);
    add_word(&sum, (uint64_t)(total >> 64));
    add_word(&sum, (uint64_t)total);
    *out = sum;
done:
    for (size_t i = 0; i < n_made; i++)
        kan_free(table->run, values[i]);
    return status;
}

/* Which values fall together at each level, and the share of the domain that they then cover.
 * Groups are numbered by their first value, so the order of a file's lines does not matter; labels
 * are not part of it. */
kan_status kan_checksum_hierarchy(kan_run *run, const kan_hierarchy *hierarchy, kan_checksum *out) {
    const uint32_t n = hierarchy->n_codes;
    kan_checksum sum = first_checksum;
    uint32_t *number;
    KAN_TRY(kan_alloc(run, n, sizeof *number, &number));
    add_word(&sum, hierarchy->height);
    add_word(&sum, n);
    for (unsigned l = 0; l <= hierarchy->height; l++) {
        const kan_level *level = &hierarchy->levels[l];
        uint32_t n_seen = 0;
        for (uint32_t g = 0; g < level->n_groups; g++)
            number[g] = UINT32_MAX;
        for (uint32_t code = 0; code < n; code++) {
            uint32_t group = level->from_leaf[hierarchy->leaf_of[code]];
            uint64_t share;
            if (number[group] == UINT32_MAX)
                number[group] = n_seen++;
            memcpy(&share, &level->share[group], sizeof share);
            add_word(&sum, number[group]);
            add_word(&sum, share);
        }
    }
    kan_free(run, number);
    *out = sum;
    return KAN_OK;
}

/* ---- labels --------------------------------------------------------------------------------- */

typedef struct {
    kan_slice label;
    uint32_t code;
} shown;

static int compare_shown(const void *a, const void *b) {
    return kan_slice_compare(((const shown *)a)->label, ((const shown *)b)->label);
}

static void number_labels(const kan_slice *labels, uint32_t n, shown *sorted,
                          kan_subject_level *level) {
    for (uint32_t code = 0; code < n; code++)
        sorted[code] = (shown){labels[code], code};
    qsort(sorted, n, sizeof *sorted, compare_shown);
    level->n_labels = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || !kan_slice_equal(sorted[i].label, sorted[i - 1].label))
            level->n_labels++;
        level->label_of[sorted[i].code] = level->n_labels - 1;
    }
}

static kan_status make_levels(kan_subject *subject, unsigned a) {
    kan_status status;
    kan_run *run = subject->run;
    const kan_hierarchy *hierarchy = subject->data->hierarchies[a];
    const uint32_t n = hierarchy->n_codes;
    kan_slice *labels = NULL;
    shown *sorted = NULL;
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *labels, &labels));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *sorted, &sorted));
    KAN_TRY_DONE(kan_arena_alloc(&subject->arena, hierarchy->height + 1, sizeof *subject->levels[a],
                                 &subject->levels[a]));
    for (unsigned l = 0; l <= hierarchy->height; l++) {
        const kan_level *from = &hierarchy->levels[l];
        kan_subject_level *level = &subject->levels[a][l];
        KAN_TRY_DONE(kan_check_cancel(run));
        KAN_TRY_DONE(
            kan_arena_alloc(&subject->arena, n, sizeof *level->label_of, &level->label_of));
        KAN_TRY_DONE(kan_arena_alloc(&subject->arena, n, sizeof *level->share, &level->share));
        kan_recoding_labels(hierarchy, l, labels);
        number_labels(labels, n, sorted, level);
        for (uint32_t code = 0; code < n; code++)
            level->share[code] = from->share[from->from_leaf[hierarchy->leaf_of[code]]];
    }
    subject->heights[a] = hierarchy->height;
done:
    kan_free(run, labels);
    kan_free(run, sorted);
    return status;
}

/* ---- tuples --------------------------------------------------------------------------------- */

static kan_status fold_rows(const kan_subject *subject, kan_tuples *tuples) {
    const kan_certificate_data *data = subject->data;
    const kan_table *table = data->table;
    uint32_t tuple[KAN_CERTIFICATE_ATTRIBUTES + 3] = {0};
    size_t index;
    for (uint64_t row = 0; row < table->n_rows; row++) {
        if (row % 65536 == 0) {
            KAN_TRY(kan_check_cancel(subject->run));
            kan_report_progress(subject->run, "verify", row, table->n_rows);
        }
        for (unsigned a = 0; a < data->n_attributes; a++)
            tuple[a] = kan_column_code(&table->columns[data->columns[a]], row);
        if (data->has_class)
            tuple[data->n_attributes] = kan_column_code(&table->columns[data->class_column], row);
        if (data->has_person)
            tuple[data->n_attributes + data->has_class] =
                kan_column_code(&table->columns[data->person_column], row);
        KAN_TRY(kan_tuples_add_rows(tuples, tuple, row, kan_table_count(table, row), &index));
    }
    return KAN_OK;
}

/* Puts the tuples of a person one after the other. */
static kan_status order_people(kan_subject *subject) {
    const size_t n = subject->n_tuples;
    size_t *next;
    subject->n_people = subject->data->table->columns[subject->data->person_column].dictionary.n;
    KAN_TRY(kan_arena_alloc(&subject->arena, n, sizeof *subject->by_person, &subject->by_person));
    KAN_TRY(kan_alloc_zero(subject->run, (size_t)subject->n_people + 1, sizeof *next, &next));
    for (size_t i = 0; i < n; i++)
        next[subject->person_of[i] + 1]++;
    for (size_t p = 0; p < subject->n_people; p++)
        next[p + 1] += next[p];
    for (size_t i = 0; i < n; i++)
        subject->by_person[next[subject->person_of[i]]++] = (uint32_t)i;
    kan_free(subject->run, next);
    return KAN_OK;
}

static uint32_t code_of(const kan_tuples *tuples, size_t tuple, unsigned column) {
    return ((const uint32_t *)kan_tuples_at(tuples, tuple))[column];
}

/* Puts the tuples of `from` into the order of what they have in a column, into `to`; tuples that
 * have the same stay as they are. */
static kan_status sort_column(kan_run *run, const kan_tuples *tuples, unsigned column,
                              const uint32_t *from, uint32_t *to) {
    uint32_t most = 0;
    size_t *next;
    for (size_t i = 0; i < tuples->n; i++)
        most = code_of(tuples, i, column) > most ? code_of(tuples, i, column) : most;
    KAN_TRY(kan_alloc_zero(run, (size_t)most + 2, sizeof *next, &next));
    for (size_t i = 0; i < tuples->n; i++)
        next[code_of(tuples, i, column) + 1]++;
    for (size_t code = 0; code < most; code++)
        next[code + 1] += next[code];
    for (size_t i = 0; i < tuples->n; i++)
        to[next[code_of(tuples, from[i], column)]++] = from[i];
    kan_free(run, next);
    return KAN_OK;
}

/* The order of their values, the first column before the others: so nothing depends on the order of
 * rows, which a database does not have. O(tuples) per column. */
static kan_status sort_tuples(kan_run *run, const kan_tuples *tuples, unsigned n_columns,
                              uint32_t **out) {
    kan_status status;
    uint32_t *order = NULL, *other = NULL;
    KAN_TRY_DONE(kan_alloc(run, tuples->n, sizeof *order, &order));
    KAN_TRY_DONE(kan_alloc(run, tuples->n, sizeof *other, &other));
    for (size_t i = 0; i < tuples->n; i++)
        order[i] = (uint32_t)i;
    for (unsigned column = n_columns; column-- > 0;) {
        KAN_TRY_DONE(sort_column(run, tuples, column, order, other));
        uint32_t *sorted = other;
        other = order;
        order = sorted;
    }
    *out = order;
    order = NULL;
done:
    kan_free(run, order);
    kan_free(run, other);
    return status;
}

/* Column by column, as counting wants them. */
static kan_status take_sorted(kan_subject *subject, const kan_tuples *tuples,
                              const uint32_t *order) {
    const kan_certificate_data *data = subject->data;
    kan_arena *arena = &subject->arena;
    const size_t n = tuples->n;
    uint64_t n_before = 0;
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *subject->count, &subject->count));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *subject->first_row, &subject->first_row));
    for (size_t t = 0; t < n; t++) {
        subject->count[t] = tuples->count[order[t]];
        subject->first_row[t] = n_before;
        n_before += subject->count[t];
    }
    const unsigned n_columns = data->n_attributes + data->has_class + data->has_person;
    for (unsigned a = 0; a < n_columns; a++) {
        uint32_t *codes;
        KAN_TRY(kan_arena_alloc(arena, n, sizeof *codes, &codes));
        for (size_t t = 0; t < n; t++)
            codes[t] = code_of(tuples, order[t], a);
        if (a < data->n_attributes)
            subject->codes[a] = codes;
        else if (a == data->n_attributes && data->has_class)
            subject->class_of = codes;
        else
            subject->person_of = codes;
    }
    subject->n_tuples = n;
    return data->has_person ? order_people(subject) : KAN_OK;
}

static kan_status take_tuples(kan_subject *subject, const kan_tuples *tuples) {
    const kan_certificate_data *data = subject->data;
    uint32_t *order;
    if (tuples->n >= UINT32_MAX)
        return kan_fail(subject->run, KAN_FAILED, "too many distinct rows to be counted");
    KAN_TRY(sort_tuples(subject->run, tuples,
                        data->n_attributes + data->has_class + data->has_person, &order));
    const kan_status status = take_sorted(subject, tuples, order);
    kan_free(subject->run, order);
    return status;
}

kan_status kan_subject_make(kan_run *run, const kan_certificate_data *data, kan_subject *out) {
    *out = (kan_subject){.run = run, .data = data, .n_rows = kan_table_total(data->table)};
    kan_arena_init(&out->arena, run);
    if (data->has_class)
        out->n_classes = data->table->columns[data->class_column].dictionary.n;
    for (unsigned a = 0; a < data->n_attributes; a++)
        KAN_TRY(make_levels(out, a));
    kan_tuples tuples;
    size_t n_columns = data->n_attributes + data->has_class + data->has_person;
    kan_tuples_init(&tuples, run, (n_columns * sizeof(uint32_t) + 7) / 8 * 8);
    kan_status status = fold_rows(out, &tuples);
    if (status == KAN_OK)
        status = take_tuples(out, &tuples);
    kan_tuples_destroy(&tuples);
    return status;
}

void kan_subject_destroy(kan_subject *subject) {
    kan_arena_destroy(&subject->arena);
}
