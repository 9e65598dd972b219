/* Tables made row by row, dictionaries and encoders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "core/hash.h"
#include "data/encoder.h"
#include "data/table.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state == NULL;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

static kan_table *table_of_one(kan_run *run, const char *const *values, size_t n) {
    const char *name = "x";
    kan_table *table;
    assert_int_equal(kan_table_create(run, 1, &name, &table), KAN_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(kan_table_add_row(table, &values[i]), KAN_OK);
    return table;
}

static void assert_dictionary(const kan_table *table, kan_type type, const char *const *values,
                              size_t n) {
    const kan_dictionary *dictionary = &table->columns[0].dictionary;
    assert_int_equal(dictionary->type, type);
    assert_int_equal(dictionary->n, n);
    for (uint32_t i = 0; i < n; i++)
        assert_true(kan_slice_is(kan_dictionary_value(dictionary, i), values[i]));
}

static void dictionary_sorts_numbers_by_value_then_bytes(void **state) {
    static const char *const rows[] = {"10", "9", "7", "07", "?", "-1", "", "9", "7.0"};
    static const char *const sorted[] = {"", "?", "-1", "07", "7", "7.0", "9", "10"};
    kan_table *table = table_of_one(*state, rows, 9);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_dictionary(table, KAN_TYPE_NUMBER, sorted, 8);
    assert_int_equal(kan_column_code(&table->columns[0], 7), 6);
    kan_table_destroy(table);
}

static void dictionary_sorts_dates_by_date(void **state) {
    static const char *const rows[] = {"2003-11-16", "1999-01-01", "?"};
    static const char *const sorted[] = {"?", "1999-01-01", "2003-11-16"};
    kan_table *table = table_of_one(*state, rows, 3);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_dictionary(table, KAN_TYPE_DATE, sorted, 3);
    kan_table_destroy(table);
}

static void one_text_makes_the_column_text(void **state) {
    static const char *const rows[] = {"10", "9", "x", "2003-11-16"};
    static const char *const sorted[] = {"10", "2003-11-16", "9", "x"};
    kan_table *table = table_of_one(*state, rows, 4);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_dictionary(table, KAN_TYPE_TEXT, sorted, 4);
    kan_table_destroy(table);
}

static void unknown_values_alone_are_text(void **state) {
    static const char *const rows[] = {"?", ""};
    static const char *const sorted[] = {"", "?"};
    kan_table *table = table_of_one(*state, rows, 2);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_dictionary(table, KAN_TYPE_TEXT, sorted, 2);
    kan_table_destroy(table);
}

static void values_are_readable_before_and_after_sealing(void **state) {
    static const char *const names[] = {"a", "b"};
    static const char *const rows[][2] = {
        {"1", "x"}, {"2", NULL}, {"1", "a longer value, over 24"}};
    kan_table *table;
    size_t size;
    assert_int_equal(kan_table_create(*state, 2, names, &table), KAN_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(kan_table_add_row(table, rows[i]), KAN_OK);
    for (int sealed = 0; sealed < 2; sealed++) {
        for (uint64_t row = 0; row < 3; row++)
            for (size_t column = 0; column < 2; column++) {
                const char *expected = rows[row][column] ? rows[row][column] : "";
                const char *value = kan_table_value(table, row, column, &size);
                assert_true(kan_slice_is((kan_slice){value, size}, expected));
            }
        assert_int_equal(kan_table_seal(table), KAN_OK);
    }
    assert_int_equal(kan_table_n_rows(table), 3);
    assert_int_equal(kan_table_n_columns(table), 2);
    assert_string_equal(kan_table_column_name(table, 1), "b");
    assert_ptr_equal(kan_table_find(table, "b", &size), &table->columns[1]);
    assert_int_equal(size, 1);
    assert_null(kan_table_find(table, "c", NULL));
    assert_int_equal(kan_table_add_row(table, rows[0]), KAN_BAD_INPUT);
    assert_int_equal(kan_table_n_rows(table), 3);
    kan_table_destroy(table);
}

static void names_must_differ_and_not_be_empty(void **state) {
    static const char *const twice[] = {"a", "b", "a"};
    static const char *const empty[] = {"a", ""};
    kan_table *table = NULL;
    assert_int_equal(kan_table_create(*state, 3, twice, &table), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "columns 1 and 3 are both named 'a'"));
    assert_int_equal(kan_table_create(*state, 2, empty, &table), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "column 2 has no name"));
    assert_int_equal(kan_table_create(*state, 0, NULL, &table), KAN_BAD_INPUT);
    assert_null(table);
}

static void sealing_an_empty_table_gives_empty_dictionaries(void **state) {
    kan_table *table = table_of_one(*state, NULL, 0);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_int_equal(table->columns[0].dictionary.n, 0);
    assert_true(table->columns[0].is_encoded);
    kan_table_destroy(table);
}

/* Codes take 1, 2 or 4 bytes, and each row keeps its value, at and around the limits. */
static void codes_are_as_wide_as_their_number_needs(void **state) {
    static const struct {
        unsigned n, width;
    } cases[] = {{1, 1}, {256, 1}, {257, 2}, {65536, 2}, {65537, 4}, {200000, 4}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *name = "x";
        kan_table *table;
        char text[32];
        const char *value = text;
        assert_int_equal(kan_table_create(*state, 1, &name, &table), KAN_OK);
        for (unsigned i = 0; i < cases[c].n; i++) {
            snprintf(text, sizeof text, "%u", i * 7919 % 1000003);
            assert_int_equal(kan_table_add_row(table, &value), KAN_OK);
        }
        assert_int_equal(kan_table_seal(table), KAN_OK);
        assert_int_equal(table->columns[0].dictionary.n, cases[c].n);
        assert_int_equal(table->columns[0].width, cases[c].width);
        for (unsigned i = 0; i < cases[c].n; i++) {
            snprintf(text, sizeof text, "%u", i * 7919 % 1000003);
            assert_true(kan_slice_is(kan_column_value(&table->columns[0], i), text));
        }
        kan_table_destroy(table);
    }
}

/* A random value; short alphabets and shared ends make neighbours hard to tell apart. */
static size_t random_value(uint64_t *random, char *out) {
    size_t size = kan_random_below(random, kan_random_below(random, 4) ? 12 : 90);
    for (size_t i = 0; i < size; i++)
        out[i] = "aab\xff"[kan_random_below(random, 4)];
    if (size > 30 && kan_random_below(random, 2))
        memset(out, 'p', size - 9 - kan_random_below(random, 4));
    return size;
}

static void encoder_tells_every_two_values_apart(void **state) {
    enum { N = 20000 };
    kan_run *run = *state;
    kan_encoder encoder;
    uint64_t random = 11;
    char value[128];
    uint32_t code, again;
    assert_int_equal(kan_encoder_init(&encoder, run), KAN_OK);
    for (int i = 0; i < N; i++) {
        kan_slice slice = {value, random_value(&random, value)};
        uint32_t before = encoder.n;
        assert_int_equal(kan_encoder_add(&encoder, slice, &code), KAN_OK);
        assert_true(kan_slice_equal(kan_encoder_value(&encoder, code), slice));
        assert_true(encoder.n == before ? code < before : code == before);
        assert_int_equal(kan_encoder_add(&encoder, slice, &again), KAN_OK);
        assert_int_equal(again, code);
    }
    /* Each value is there once: sorted, neighbours differ. */
    uint32_t *map;
    kan_dictionary dictionary;
    assert_int_equal(kan_dictionary_build(run, &encoder, 1, 1, &map, &dictionary), KAN_OK);
    for (uint32_t i = 1; i < dictionary.n; i++)
        assert_true(kan_slice_compare(kan_dictionary_value(&dictionary, i - 1),
                                      kan_dictionary_value(&dictionary, i)) < 0);
    for (uint32_t i = 0; i < encoder.n; i++) {
        assert_true(kan_slice_equal(kan_encoder_value(&encoder, i),
                                    kan_dictionary_value(&dictionary, map[i])));
        assert_true(kan_dictionary_find(&dictionary, kan_encoder_value(&encoder, i), &code));
        assert_int_equal(code, map[i]);
    }
    assert_false(kan_dictionary_find(&dictionary, kan_slice_of("absent"), &code));
    kan_free(run, map);
    kan_dictionary_destroy(run, &dictionary);
    kan_encoder_destroy(&encoder);
}

/* Values that differ only where the key words of short values do not look, or that share the upper
 * bits of the hash: slower, never wrong. */
static void encoder_stays_right_when_values_collide(void **state) {
    enum { N = 3000 };
    kan_encoder encoder;
    uint32_t code;
    assert_int_equal(kan_encoder_init(&encoder, *state), KAN_OK);
    /* The hash is a sum of products: a value of eight bytes x and the constants' sum c give x * c;
     * x = i / c modulo 2^64 makes the products small, so that all fall into slot 0. */
    uint64_t c = 0x9e3779b97f4a7c15u + 0xd6e8feb86659fd93u + 0xa0761d6478bd642fu, inverse = c;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - c * inverse;
    for (uint64_t i = 0; i < N; i++) {
        uint64_t word = i * inverse;
        kan_slice value = {(const char *)&word, sizeof word};
        kan_encoder_key key = kan_encoder_key_of(value.bytes, value.size);
        assert_int_equal(kan_encoder_hash_key(key) >> encoder.shift, 0);
        assert_int_equal(kan_encoder_add(&encoder, value, &code), KAN_OK);
        assert_int_equal(code, i);
    }
    for (uint64_t i = 0; i < N; i++) {
        uint64_t word = i * inverse;
        assert_int_equal(kan_encoder_add(&encoder, (kan_slice){(const char *)&word, 8}, &code),
                         KAN_OK);
        assert_int_equal(code, i);
    }
    kan_encoder_destroy(&encoder);
}

static void joining_encoders_gives_one_dictionary(void **state) {
    kan_run *run = *state;
    kan_encoder encoders[3];
    uint32_t *maps[3], code;
    kan_dictionary dictionary;
    uint64_t random = 5;
    char text[16];
    for (int e = 0; e < 3; e++) {
        assert_int_equal(kan_encoder_init(&encoders[e], run), KAN_OK);
        for (int i = 0; i < 500 * e; i++) {
            snprintf(text, sizeof text, "%u", (unsigned)kan_random_below(&random, 700));
            assert_int_equal(kan_encoder_add(&encoders[e], kan_slice_of(text), &code), KAN_OK);
        }
    }
    uint32_t n[3] = {encoders[0].n, encoders[1].n, encoders[2].n};
    assert_int_equal(kan_dictionary_build(run, encoders, 3, 1, maps, &dictionary), KAN_OK);
    assert_int_equal(dictionary.type, KAN_TYPE_NUMBER);
    for (uint32_t i = 1; i < dictionary.n; i++)
        assert_true(kan_value_compare(KAN_TYPE_NUMBER, kan_dictionary_value(&dictionary, i - 1),
                                      kan_dictionary_value(&dictionary, i)) < 0);
    for (int e = 0; e < 3; e++) {
        for (uint32_t i = 0; i < n[e]; i++)
            assert_true(kan_slice_equal(kan_encoder_value(&encoders[e], i),
                                        kan_dictionary_value(&dictionary, maps[e][i])));
        kan_free(run, maps[e]);
        kan_encoder_destroy(&encoders[e]);
    }
    assert_false(kan_dictionary_find(&dictionary, kan_slice_of("no number"), &code));
    assert_false(kan_dictionary_find(&dictionary, kan_slice_of(""), &code));
    kan_dictionary_destroy(run, &dictionary);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dictionary_sorts_numbers_by_value_then_bytes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(dictionary_sorts_dates_by_date, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_text_makes_the_column_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_values_alone_are_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_are_readable_before_and_after_sealing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(names_must_differ_and_not_be_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sealing_an_empty_table_gives_empty_dictionaries, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(codes_are_as_wide_as_their_number_needs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(encoder_tells_every_two_values_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(encoder_stays_right_when_values_collide, set_up, tear_down),
        cmocka_unit_test_setup_teardown(joining_encoders_gives_one_dictionary, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
