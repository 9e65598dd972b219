/* Treated values one by one, by hand; and that a column which was not treated so is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/verify/treated_inside.h"
#include "analyze/verify/verify.h"
#include "core/run.h"
#include "data/treat/treat_inside.h"

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

static kan_treatment treatment(const char *step, const char *low, const char *high,
                               const char *low_end, const char *high_end) {
    return (kan_treatment){.name = "x",
                           .step = kan_slice_of(step),
                           .low = kan_slice_of(low),
                           .high = kan_slice_of(high),
                           .ends = {kan_slice_of(low_end), kan_slice_of(high_end)}};
}

static void expect(const kan_treatment *t, const char *value, const char *wanted) {
    char room[KAN_TREATED_ROOM];
    kan_slice out;
    if (!kan_treat_value(t, kan_slice_of(value), room, &out))
        fail_msg("%s does not fit", value);
    if (!kan_slice_is(out, wanted))
        fail_msg("%s became %.*s, not %s", value, (int)out.size, out.bytes, wanted);
}

static void refuse(const kan_treatment *t, const char *value) {
    char room[KAN_TREATED_ROOM];
    kan_slice out;
    assert_false(kan_treat_value(t, kan_slice_of(value), room, &out));
}

/* ---- values --------------------------------------------------------------------------------- */

static void halves_are_rounded_away_from_zero(void **state) {
    (void)state;
    const kan_treatment one = treatment("1", "", "", "", "");
    expect(&one, "2.5", "3");
    expect(&one, "-2.5", "-3");
    expect(&one, "0.5", "1");
    expect(&one, "-0.4999999999999999999999", "0");
    expect(&one, "2.49999999999999999999999", "2");
    const kan_treatment odd = treatment("5", "", "", "", "");
    expect(&odd, "2.5", "5");
    expect(&odd, "2.4", "0");
    expect(&odd, "-7.5", "-10");
}

static void rounding_is_exact_where_binary_numbers_are_not(void **state) {
    (void)state;
    const kan_treatment tenth = treatment("0.1", "", "", "", "");
    expect(&tenth, "0.15", "0.2");
    expect(&tenth, "0.25", "0.3");
    expect(&tenth, "1.05", "1.1");
    expect(&tenth, "70.0", "70");
    expect(&tenth, "007", "7");
    const kan_treatment odd = treatment("0.3", "", "", "", "");
    expect(&odd, "0.45", "0.6");
    expect(&odd, "1e3", "999.9");
    refuse(&tenth, "1e300");
    refuse(&tenth, "ten");
    refuse(&tenth, "1980-03-14");
}

static void unknown_values_stay(void **state) {
    (void)state;
    const kan_treatment both = treatment("5", "10", "90", "<10", ">=90");
    expect(&both, "", "");
    expect(&both, "?", "?");
}

static void a_bound_belongs_to_what_is_above_it(void **state) {
    (void)state;
    const kan_treatment age = treatment("", "18", "90", "<18", ">=90");
    expect(&age, "18", "18");
    expect(&age, "18.0", "18.0");
    expect(&age, "17.9999999999999999999999", "<18");
    expect(&age, "89.9999999999999999999999", "89.9999999999999999999999");
    expect(&age, "90", ">=90");
    expect(&age, "90.0", ">=90");
    expect(&age, "1e300", ">=90");
    expect(&age, "-1e300", "<18");
    refuse(&age, "old");
    refuse(&age, "1980-03-14");
}

static void days_are_capped_and_the_time_of_day_does_not_count(void **state) {
    (void)state;
    const kan_treatment born =
        treatment("", "1935-01-01", "2000-12-31", "<1935-01-01", ">=2000-12-31");
    expect(&born, "1934-12-31", "<1935-01-01");
    expect(&born, "1934-12-31 23:59:59", "<1935-01-01");
    expect(&born, "1935-01-01", "1935-01-01");
    expect(&born, "2000-12-30 23:59:59", "2000-12-30 23:59:59");
    expect(&born, "2000-12-31 00:00:00", ">=2000-12-31");
    refuse(&born, "1935");
}

static void a_value_is_rounded_before_it_is_capped(void **state) {
    (void)state;
    const kan_treatment both = treatment("5", "18", "90", "<18", ">=90");
    expect(&both, "87", "85");
    expect(&both, "88", ">=90");
    expect(&both, "17.4", "<18");
    expect(&both, "17.6", "20");
}

/* ---- keys ----------------------------------------------------------------------------------- */

/* RFC 4231, test cases 1 to 4, 6 and 7: keys that are shorter and longer than a block. */
static void the_recount_has_the_hmac_of_the_standard(void **state) {
    static const struct {
        size_t key_size;
        int key_byte; /* -1: 1, 2, 3 .. */
        const char *key, *message;
        size_t message_size; /* 0: the text */
        int message_byte;
        const char *digest;
    } cases[] = {
        {20, 0x0b, NULL, "Hi There", 0, 0,
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {4, 0, "Jefe", "what do ya want for nothing?", 0, 0,
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {20, 0xaa, NULL, NULL, 50, 0xdd,
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {25, -1, NULL, NULL, 50, 0xcd,
         "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
        {131, 0xaa, NULL, "Test Using Larger Than Block-Size Key - Hash Key First", 0, 0,
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {131, 0xaa, NULL,
         "This is a test using a larger than block-size key and a larger than block-size data. The "
         "key needs to be hashed before being used by the HMAC algorithm.",
         0, 0, "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char key[256], message[256], text[65];
        uint8_t digest[32];
        memset(key, cases[i].key_byte, sizeof key);
        for (size_t b = 0; cases[i].key_byte < 0 && b < sizeof key; b++)
            key[b] = (char)(b + 1);
        memset(message, cases[i].message_byte, sizeof message);
        const kan_slice said = cases[i].message ? kan_slice_of(cases[i].message)
                                                : (kan_slice){message, cases[i].message_size};
        kan_verify_hmac((kan_slice){cases[i].key ? cases[i].key : key, cases[i].key_size}, said,
                        digest);
        for (int b = 0; b < 32; b++)
            snprintf(text + 2 * b, 3, "%02x", digest[b]);
        assert_string_equal(text, cases[i].digest);
    }
}

/* Worked out with the hmac module of Python, apart from both programs here. */
static void a_pseudonym_is_what_its_definition_says(void **state) {
    static const struct {
        const char *domain, *value, *shown;
    } cases[] = {
        {"name", "Ann", "paf16528090d7e1148bd39920b7986895"},
        {"name", "Bob", "p97418bc20b0f9988693589eb10d5f141"},
        {"clinic", "Ann", "pdbdd81e89ccfec4bca92230504b44c2c"},
        {"n\xc3\xa4me", "Wei\xc3\x9f", "pb1b15e33e2a7f456d122bda22ce3c4f9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kan_treatment t = {.name = "x",
                                 .is_pseudonym = true,
                                 .key = kan_slice_of("0123456789abcdef0123456789abcdef"),
                                 .domain = kan_slice_of(cases[i].domain)};
        kan_text room;
        bool is_right;
        expect(&t, cases[i].value, cases[i].shown);
        expect(&t, "", "");
        kan_text_init(&room, *state);
        assert_int_equal(kan_verify_pseudonym(&t, kan_slice_of(cases[i].value),
                                              kan_slice_of(cases[i].shown), &room, &is_right),
                         KAN_OK);
        assert_true(is_right);
        assert_int_equal(kan_verify_pseudonym(&t, kan_slice_of("Cem"), kan_slice_of(cases[i].shown),
                                              &room, &is_right),
                         KAN_OK);
        assert_false(is_right);
        kan_text_destroy(&room);
    }
}

/* Where a domain ends and a value begins is part of the message. */
static void domain_and_value_do_not_run_into_each_other(void **state) {
    const kan_slice key = kan_slice_of("0123456789abcdef");
    const kan_treatment t = {.is_pseudonym = true, .key = key, .domain = kan_slice_of("a")};
    const kan_treatment u = {.is_pseudonym = true, .key = key, .domain = kan_slice_of("ab")};
    char room[2][KAN_TREATED_ROOM];
    kan_slice out[2];
    (void)state;
    assert_true(kan_treat_value(&t, kan_slice_of("bc"), room[0], &out[0]));
    assert_true(kan_treat_value(&u, kan_slice_of("c"), room[1], &out[1]));
    assert_false(kan_slice_equal(out[0], out[1]));
}

/* The numbers are those of Python, as above. */
static void a_shift_is_what_its_definition_says(void **state) {
    static const struct {
        const char *person;
        uint64_t within;
        int64_t days;
    } cases[] = {{"Ann", 1, 1},    {"Ann", 30, -28}, {"Ann", 365, -265}, {"Bob", 1, -1},
                 {"Bob", 30, -13}, {"Bob", 365, 78}, {"Cem", 30, 5},     {"Cem", 365, 42}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kan_treatment t = {.is_shifted = true,
                                 .within = cases[i].within,
                                 .key = kan_slice_of("0123456789abcdef0123456789abcdef"),
                                 .domain = kan_slice_of("patient")};
        kan_text room;
        int64_t again;
        kan_text_init(&room, *state);
        assert_int_equal(kan_treat_shift(&t, kan_slice_of(cases[i].person)), cases[i].days);
        assert_int_equal(kan_verify_shift(&t, kan_slice_of(cases[i].person), &room, &again),
                         KAN_OK);
        assert_int_equal(again, cases[i].days);
        kan_text_destroy(&room);
    }
}

static void dates_move_over_months_and_leap_days(void **state) {
    static const struct {
        const char *from;
        int64_t days;
        const char *to; /* NULL: there is no such date */
    } cases[] = {{"2000-02-28", 1, "2000-02-29"},
                 {"1900-02-28", 1, "1900-03-01"},
                 {"2000-03-01", -1, "2000-02-29"},
                 {"2003-12-31 23:59:59.5+00", 1, "2004-01-01 23:59:59.5+00"},
                 {"1600-01-01", 146097, "2000-01-01"},
                 {"2000-01-01", -146097, "1600-01-01"},
                 {"0000-01-01", 0, "0000-01-01"},
                 {"0000-01-01", -1, NULL},
                 {"9999-12-31", 0, "9999-12-31"},
                 {"9999-12-31", 1, NULL},
                 {"2003", 1, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[KAN_TREATED_ROOM];
        kan_slice out;
        assert_int_equal(kan_treat_date(kan_slice_of(cases[i].from), cases[i].days, room, &out),
                         cases[i].to != NULL);
        if (cases[i].to)
            assert_true(kan_slice_is(out, cases[i].to));
    }
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_table *table_of(kan_run *run, const char *const *values, size_t n) {
    const char *name = "x";
    kan_table *table;
    assert_int_equal(kan_table_create(run, 1, &name, &table), KAN_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(kan_table_add_row(table, &values[i]), KAN_OK);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static void ends_stand_before_and_behind_all_numbers(void **state) {
    static const char *const values[] = {"95", "7", "20", "3", "", "89", "90"};
    static const char *const order[] = {"", "<10", "20", "89", ">=90"};
    const kan_treatment t = treatment("", "10", "90", "<10", ">=90");
    kan_table *raw = table_of(*state, values, 7), *treated;
    const char *fault;
    kan_problems_begin(*state);
    assert_int_equal(kan_table_treat(*state, raw, "t", &t, 1, &treated), KAN_OK);
    assert_int_equal(kan_problems_end(*state), KAN_OK);
    const kan_dictionary *made = &treated->columns[0].dictionary;
    assert_int_equal(made->type, KAN_TYPE_NUMBER);
    assert_int_equal(made->n, 5);
    for (uint32_t code = 0; code < 5; code++)
        assert_true(kan_slice_is(kan_dictionary_value(made, code), order[code]));
    assert_int_equal(kan_verify_treated(*state, raw, treated, &t, 1, &fault), KAN_OK);
    assert_null(fault);
    kan_treated_destroy(treated, raw);
    kan_table_destroy(raw);
}

/* A table that claims to be treated, and is not. */
static void expect_fault(kan_run *run, const kan_treatment *t, const char *const *raw_values,
                         const char *const *shown_values, size_t n, bool is_wrong) {
    kan_table *raw = table_of(run, raw_values, n), *shown = table_of(run, shown_values, n);
    const char *fault;
    assert_int_equal(kan_verify_treated(run, raw, shown, t, 1, &fault), KAN_OK);
    if ((fault != NULL) != is_wrong)
        fail_msg("%s was %s", shown_values[0], is_wrong ? "accepted" : "refused");
    kan_table_destroy(raw);
    kan_table_destroy(shown);
}

static void a_column_that_was_not_treated_so_is_found(void **state) {
    static const struct {
        const char *step, *low, *high, *raw, *shown;
        bool is_wrong;
    } cases[] = {
        {"", "10", "90", "95", ">=90", false},
        {"", "10", "90", "95", "95", true},
        {"", "10", "90", "89", ">=90", true},
        {"", "10", "90", "9", ">=90", true},
        {"", "10", "90", "9", "<10", false},
        {"", "10", "90", "10", "<10", true},
        {"", "10", "90", "50", "51", true},
        {"", "10", "90", "95", ">=91", true},
        {"5", "", "", "52.5", "55", false},
        {"5", "", "", "52.5", "50", true},
        {"5", "", "", "-52.5", "-55", false},
        {"5", "", "", "-52.5", "-50", true},
        {"5", "", "", "51", "51", true},
        {"5", "", "", "", "0", true},
        {"5", "", "90", "88", ">=90", false},
        {"5", "", "90", "88", "90", true},
        {"", "1935-01-01", "", "1934-12-31", "<1935-01-01", false},
        {"", "1935-01-01", "", "1934-12-31", "1934-12-31", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kan_treatment t = treatment(cases[i].step, cases[i].low, cases[i].high, "", "");
        expect_fault(*state, &t, &cases[i].raw, &cases[i].shown, 1, cases[i].is_wrong);
    }
    /* one raw value, two things that it became */
    static const char *const raw[] = {"88", "88"}, *const shown[] = {"90", "85"};
    const kan_treatment t = treatment("5", "", "", "", "");
    expect_fault(*state, &t, raw, shown, 2, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLAIM(halves_are_rounded_away_from_zero),
        CLAIM(rounding_is_exact_where_binary_numbers_are_not),
        CLAIM(unknown_values_stay),
        CLAIM(a_bound_belongs_to_what_is_above_it),
        CLAIM(days_are_capped_and_the_time_of_day_does_not_count),
        CLAIM(a_value_is_rounded_before_it_is_capped),
        CLAIM(the_recount_has_the_hmac_of_the_standard),
        CLAIM(a_pseudonym_is_what_its_definition_says),
        CLAIM(domain_and_value_do_not_run_into_each_other),
        CLAIM(a_shift_is_what_its_definition_says),
        CLAIM(dates_move_over_months_and_leap_days),
        CLAIM(ends_stand_before_and_behind_all_numbers),
        CLAIM(a_column_that_was_not_treated_so_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
