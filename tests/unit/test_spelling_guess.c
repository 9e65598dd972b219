/* How columns are written, found by looking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "data/spelling_guess.h"

/* Words, with | between them; each is a row. */
static kan_table *column_of(kan_run *run, const char *words) {
    static const char *const names[] = {"a"};
    kan_table *table;
    char word[64];
    const char *row = word;
    assert_int_equal(kan_table_create(run, 1, names, &table), KAN_OK);
    for (const char *at = words;;) {
        const size_t size = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)size, at);
        assert_int_equal(kan_table_add_row(table, &row), KAN_OK);
        if (at[size] == '\0')
            break;
        at += size + 1;
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

typedef struct {
    const char *words;
    kan_type type;
    const char *signs; /* decimal and thousands, . is none */
    const char *format, *other, *missing, *suspects, *odd;
    bool is_sure;
} expectation;

static void assert_list(kan_run *run, const kan_guess_values *values, const char *expected) {
    kan_text text;
    kan_text_init(&text, run);
    kan_missing_add(&text, values);
    assert_string_equal(text.size ? text.bytes : "", expected);
    kan_text_destroy(&text);
}

static void check(const expectation *e) {
    kan_run *run = kan_run_create();
    kan_table *table = column_of(run, e->words);
    const kan_spelling_guess guess = kan_spelling_guess_find(&table->columns[0].dictionary, NULL);
    const char signs[] = {guess.decimal ? guess.decimal : '.',
                          guess.thousands ? guess.thousands : '.', '\0'};
    print_message("%s\n", e->words);
    assert_int_equal(guess.type, e->type);
    assert_string_equal(signs, e->signs ? e->signs : "..");
    assert_string_equal(guess.date_format, e->format ? e->format : "");
    assert_string_equal(guess.other_format, e->other ? e->other : "");
    assert_list(run, &guess.missing, e->missing ? e->missing : "");
    assert_list(run, &guess.suspects, e->suspects ? e->suspects : "");
    assert_list(run, &guess.odd, e->odd ? e->odd : "");
    assert_int_equal(guess.is_sure, e->is_sure);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void columns_are_recognised(void **state) {
    static const expectation expectations[] = {
        {"1|2|3|4", KAN_TYPE_NUMBER, .is_sure = true},
        {"1|2|3|NA|-", KAN_TYPE_NUMBER, .missing = "-,NA", .is_sure = true},
        {"1,5|2,25|3,1|4", KAN_TYPE_NUMBER, ",.", .is_sure = true},
        {"1.234,5|2,25|3.100", KAN_TYPE_NUMBER, ",.", .is_sure = true},
        {"1 234,5|2,25|3 100", KAN_TYPE_NUMBER, ", ", .is_sure = true},
        {"1'234|2.5|3'100", KAN_TYPE_NUMBER, ".'", .is_sure = true},
        {"1,234|2,500|12,345", KAN_TYPE_NUMBER, ".,", .is_sure = false},
        {"1.234|2.500|12.345", KAN_TYPE_NUMBER, .is_sure = false},
        {"1.234|2.5|12.345", KAN_TYPE_NUMBER, .is_sure = true},
        {"31|45|28|-9|-9|60", KAN_TYPE_NUMBER, .suspects = "-9"},
        {"31|45|28|999|60", KAN_TYPE_NUMBER, .suspects = "999"},
        {"-3|5|-9|2", KAN_TYPE_NUMBER, .is_sure = true},
        {"14.03.1980|01.04.1981|30.12.1979", KAN_TYPE_DATE, .format = "%d.%m.%Y", .is_sure = true},
        {"14.3.1980|1.4.1981|30.12.1979|NA", KAN_TYPE_DATE, .format = "%-d.%-m.%Y", .missing = "NA",
         .is_sure = true},
        {"03/04/1980|01/02/1981|11/12/1979", KAN_TYPE_DATE, .format = "%d/%m/%Y",
         .other = "%m/%d/%Y"},
        {"03/14/1980|01/02/1981|11/12/1979", KAN_TYPE_DATE, .format = "%m/%d/%Y", .is_sure = true},
        {"14.03.80|01.04.81|30.12.79", KAN_TYPE_DATE, .format = "%d.%m.%y@1930"},
        {"19800314|19810401|19791230", KAN_TYPE_DATE, .format = "%Y%m%d", .is_sure = true},
        {"19800314|19810401|19791299", KAN_TYPE_NUMBER, .is_sure = true},
        {"14Mar1980|01APR1981|30DEC1979", KAN_TYPE_DATE, .format = "%d%b%Y", .is_sure = true},
        {"1980-03-14|1981-04-01|1979-12-30", KAN_TYPE_DATE, .is_sure = true},
        {"1980-03-14 10:00:00|1981-04-01 11:00:00|1979-12-30 00:00:00", KAN_TYPE_DATE,
         .is_sure = true},
        {"1980-03-14T10:00:00Z|1981-04-01T11:00:00Z|1979-12-30T00:00:00Z", KAN_TYPE_DATE,
         .format = "%Y-%m-%dT%H:%M:%S%z", .is_sure = true},
        {"14.03.1980 10:00|01.04.1981 11:00|30.12.1979 00:00", KAN_TYPE_DATE,
         .format = "%d.%m.%Y %H:%M", .is_sure = true},
        {"1|2|3|4|5|6|7|8|9|10|x", KAN_TYPE_NUMBER, .odd = "x"},
        {"1|2|3|4|x", KAN_TYPE_TEXT, .odd = "1,2,3,4,x"},
        {"red|green|NA", KAN_TYPE_TEXT, .missing = "NA", .odd = "green,red"},
        {"1|2|3|4|5|6|7|8|9|10|a,b", KAN_TYPE_NUMBER, .odd = "\"a,b\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++)
        check(&expectations[i]);
}

static void frequent_values_come_first_and_all_are_counted(void **state) {
    static const char words[] = "1|2|3|4|5|6|NA|n.a.|NULL|-|--|.|..|xx|unknown|missing";
    kan_run *run = kan_run_create();
    kan_table *table = column_of(run, words);
    const kan_dictionary *values = &table->columns[0].dictionary;
    uint64_t counts[32];
    (void)state;
    for (uint32_t code = 0; code < values->n; code++)
        counts[code] = kan_slice_is(kan_dictionary_value(values, code), "unknown") ? 50 : 2;
    const kan_spelling_guess guess = kan_spelling_guess_find(values, counts);
    assert_int_equal(guess.type, KAN_TYPE_NUMBER);
    assert_int_equal(guess.missing.n, 10);
    assert_int_equal(guess.missing.n_rows, 68);
    assert_true(kan_slice_is(guess.missing.values[0], "unknown"));
    assert_int_equal(guess.n_fitting_rows, 12);
    assert_int_equal(guess.percent, 100);
    assert_true(kan_spelling_guess_helps(&guess));
    kan_table_destroy(table);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_recognised),
        cmocka_unit_test(frequent_values_come_first_and_all_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
