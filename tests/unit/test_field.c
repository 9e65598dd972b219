/* Values of known types as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "io/field.h"

static void assert_text(double number, const char *expected) {
    char room[KAN_NUMBER_ROOM];
    const size_t size = kan_number_text(number, room);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(room, expected, size);
}

static void numbers_have_one_short_form(void **state) {
    (void)state;
    assert_text(0, "0");
    assert_text(-0.0, "0");
    assert_text(7, "7");
    assert_text(-12, "-12");
    assert_text(0.1, "0.1");
    assert_text(-0.5, "-0.5");
    assert_text(0.1 + 0.2, "0.30000000000000004");
    assert_text(1e15, "1000000000000000");
    assert_text(9007199254740993.0, "9007199254740992");
    assert_text(1e300, "1e+300");
    assert_text(1.7976931348623157e308, "1.7976931348623157e+308");
}

static void numbers_read_back_as_they_were(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 200000; i++) {
        double number, again;
        char room[KAN_NUMBER_ROOM];
        random = kan_hash_word(random);
        memcpy(&number, &random, sizeof number);
        if (i % 2)
            number = (double)(int64_t)(random % 2000000) / 1000 - 1000;
        if (!isfinite(number))
            continue;
        const size_t size = kan_number_text(number, room);
        assert_true(size < KAN_NUMBER_ROOM);
        assert_true(kan_parse_real(room, size, &again));
        assert_true(again == number);
        assert_true(kan_field_holds(KAN_FIELD_NUMBER, (kan_slice){room, size}));
    }
}

static void assert_holds(kan_field_type type, const char *text, bool expected) {
    if (kan_field_holds(type, kan_slice_of(text)) != expected)
        fail_msg("type %d and '%s'", (int)type, text);
}

static void only_the_form_that_reads_back_is_held(void **state) {
    (void)state;
    static const char *const no_numbers[] = {
        "007", "1.50", "+1", "-0", "1e5", "x", " 1", "1.", "12345678901234567890"};
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++)
        assert_holds(KAN_FIELD_NUMBER, no_numbers[i], false);
    assert_holds(KAN_FIELD_NUMBER, "1.5", true);
    assert_holds(KAN_FIELD_NUMBER, "9007199254740993", false);
    for (kan_field_type type = KAN_FIELD_TEXT; type <= KAN_FIELD_BOOLEAN; type++)
        assert_holds(type, "", true);
    assert_holds(KAN_FIELD_DATE, "1980-02-29", true);
    assert_holds(KAN_FIELD_DATE, "1981-02-29", false);
    assert_holds(KAN_FIELD_DATE, "1980-2-29", false);
    assert_holds(KAN_FIELD_DATE, "1980-02-29 06:00:00", false);
    assert_holds(KAN_FIELD_TIME, "23:59:59", true);
    assert_holds(KAN_FIELD_TIME, "23:59:59.5", true);
    assert_holds(KAN_FIELD_TIME, "23:59:59.50", false);
    assert_holds(KAN_FIELD_TIME, "24:00:00", false);
    assert_holds(KAN_FIELD_TIME, "23:59", false);
    assert_holds(KAN_FIELD_TIMESTAMP, "1980-03-14 13:45:00", true);
    assert_holds(KAN_FIELD_TIMESTAMP, "1980-03-14 13:45:00+00", true);
    assert_holds(KAN_FIELD_TIMESTAMP, "1980-03-14 13:45:00.25+00", true);
    assert_holds(KAN_FIELD_TIMESTAMP, "1980-03-14T13:45:00", false);
    assert_holds(KAN_FIELD_TIMESTAMP, "1980-03-14", false);
    assert_holds(KAN_FIELD_BOOLEAN, "true", true);
    assert_holds(KAN_FIELD_BOOLEAN, "True", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_one_short_form),
        cmocka_unit_test(numbers_read_back_as_they_were),
        cmocka_unit_test(only_the_form_that_reads_back_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
