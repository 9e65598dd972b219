/* Frequency sets against rows: see sets.h. */
#include "support/sets.h"

#include <stdlib.h>
#include <string.h>

kan_u128 expect_sorted(const kan_freqset *set) {
    const unsigned words = set->layout.n_words;
    kan_u128 n_rows = 0;
    for (size_t i = 0; i < set->n; i++) {
        assert_true(set->counts[i] > 0);
        n_rows += set->counts[i];
        if (i == 0)
            continue;
        const uint64_t *before = set->keys + (i - 1) * words, *key = before + words;
        unsigned w = 0;
        while (w < words && before[w] == key[w])
            w++;
        assert_true(w < words && before[w] < key[w]);
    }
    return n_rows;
}

void expect_same_set(const kan_freqset *a, const kan_freqset *b) {
    assert_int_equal(a->layout.n_words, b->layout.n_words);
    assert_int_equal(a->layout.n_fields, b->layout.n_fields);
    assert_int_equal(a->n, b->n);
    if (a->n == 0)
        return;
    assert_memory_equal(a->keys, b->keys, a->n * a->layout.n_words * sizeof *a->keys);
    assert_memory_equal(a->counts, b->counts, a->n * sizeof *a->counts);
}

static kan_slice label_of(const test_problem *made, const kan_key_field *field,
                          const uint64_t *key) {
    uint32_t group = kan_key_field_value(field, key);
    const kan_dimension *dimension = &made->problem.space.dimensions[field->dimension];
    assert_true(group < kan_dimension_groups(dimension, field->level));
    if (!dimension->hierarchy)
        return kan_dictionary_value(&dimension->column->dictionary, group);
    return dimension->hierarchy->levels[field->level].label[group];
}

static void write_out(const test_problem *made, const kan_freqset *set, oracle_texts *out) {
    out->n = set->n;
    out->texts = calloc(set->n + 1, sizeof *out->texts);
    out->counts = calloc(set->n + 1, sizeof *out->counts);
    assert_true(out->texts && out->counts);
    for (size_t i = 0; i < set->n; i++) {
        char *text = calloc(set->layout.n_fields + 1, PLAIN_LABEL), *end = text;
        assert_non_null(text);
        for (unsigned f = 0; f < set->layout.n_fields; f++) {
            kan_slice label =
                label_of(made, &set->layout.fields[f], set->keys + i * set->layout.n_words);
            memcpy(end, label.bytes, label.size);
            end = stpcpy(end + label.size, ORACLE_SEPARATOR);
        }
        out->texts[i] = text;
        out->counts[i] = set->counts[i];
    }
    oracle_texts_merge(out);
}

void expect_set_is_that_of_rows(const test_problem *made, const plain_table *plain,
                                const kan_freqset *set) {
    unsigned columns[KAN_MAX_FIELDS], levels[KAN_MAX_FIELDS];
    oracle_texts expected, found;
    for (unsigned f = 0; f < set->layout.n_fields; f++) {
        columns[f] = set->layout.fields[f].dimension;
        levels[f] = set->layout.fields[f].level;
    }
    assert_true(expect_sorted(set) == plain->n_rows);
    oracle_count_rows(plain, columns, levels, set->layout.n_fields, &expected);
    write_out(made, set, &found);
    assert_int_equal(found.n, set->n); /* no two keys look the same */
    assert_int_equal(found.n, expected.n);
    for (size_t i = 0; i < found.n; i++) {
        assert_string_equal(found.texts[i], expected.texts[i]);
        assert_int_equal(found.counts[i], expected.counts[i]);
    }
    oracle_texts_destroy(&expected);
    oracle_texts_destroy(&found);
}

void random_layout(const kan_space *space, const kan_freqset *from, uint64_t *random,
                   kan_layout *out) {
    unsigned order[KAN_MAX_FIELDS], levels[KAN_MAX_FIELDS], n = 0;
    bool keeps_all = kan_random_below(random, 2), keeps_order = kan_random_below(random, 2);
    for (unsigned tails = 0; tails < 2; tails++) {
        unsigned first = n;
        for (unsigned f = 0; f < from->layout.n_fields; f++) {
            const kan_key_field *field = &from->layout.fields[f];
            const kan_dimension *dimension = &space->dimensions[field->dimension];
            if ((dimension->hierarchy == NULL) != tails ||
                (!keeps_all && kan_random_below(random, 3) == 0))
                continue;
            unsigned at =
                keeps_order ? n : first + (unsigned)kan_random_below(random, n - first + 1);
            memmove(order + at + 1, order + at, (n - at) * sizeof *order);
            memmove(levels + at + 1, levels + at, (n - at) * sizeof *levels);
            unsigned room = dimension->height - field->level;
            bool rises = kan_random_below(random, 2);
            order[at] = field->dimension;
            levels[at] = field->level + (rises ? (unsigned)kan_random_below(random, room + 1) : 0);
            n++;
        }
    }
    kan_layout_make(space, order, levels, n, out);
}
