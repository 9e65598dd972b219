/* core/text.h: slices, growing text, numbers and sizes as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/hash.h"
#include "core/memory.h"
#include "core/text.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

static void slices_compare_by_bytes_and_a_prefix_comes_first(void **state) {
    (void)state;
    static const char *const order[] = {"", "A", "AB", "a", "a b", "ab", "\x80", "\xff"};
    enum { N = sizeof order / sizeof *order };
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            kan_slice a = kan_slice_of(order[i]), b = kan_slice_of(order[j]);
            int sign = kan_slice_compare(a, b);
            assert_int_equal((sign > 0) - (sign < 0), (i > j) - (i < j));
            assert_int_equal(kan_slice_equal(a, b), i == j);
        }
    kan_slice with_nul = {"a\0b", 3}, other = {"a\0c", 3}, nothing = {NULL, 0};
    assert_true(kan_slice_compare(with_nul, other) < 0);
    assert_false(kan_slice_equal(with_nul, other));
    assert_true(kan_slice_equal(nothing, kan_slice_of("")));
    assert_int_equal(kan_slice_compare(nothing, nothing), 0);
    assert_true(kan_slice_is(kan_slice_of("zip"), "zip"));
    assert_false(kan_slice_is(with_nul, "a"));
}

static void a_text_grows_and_stays_terminated(void **state) {
    kan_text text;
    kan_text_init(&text, *state);
    kan_text_add(&text, "", 0);
    assert_string_equal(text.bytes, "");
    for (size_t i = 0; i < 10000; i++) {
        kan_text_add(&text, "abc", 3);
        assert_int_equal(text.size, 3 * (i + 1));
        assert_int_equal(text.bytes[text.size], 0);
    }
    assert_int_equal(kan_text_status(&text), KAN_OK);
    kan_text_destroy(&text);
    assert_null(text.bytes);
    assert_int_equal(text.size, 0);
    kan_text_destroy(&text);
}

/* Around 512 bytes printing changes its way. */
static void printing_text_of_any_length_is_exact(void **state) {
    char wide[1200];
    for (int width = 0; width<1100; width += width> 505 && width < 516 ? 1 : 7) {
        kan_text text;
        kan_text_init(&text, *state);
        kan_text_print(&text, "<%*d>", width, 7);
        snprintf(wide, sizeof wide, "<%*d>", width, 7);
        assert_string_equal(text.bytes, wide);
        assert_int_equal(text.size, strlen(wide));
        kan_text_print(&text, "%s", wide);
        assert_int_equal(text.size, 2 * strlen(wide));
        assert_string_equal(text.bytes + strlen(wide), wide);
        kan_text_destroy(&text);
    }
}

static void a_text_without_memory_fails_and_stays_failed(void **state) {
    kan_text text;
    kan_run_set_memory(*state, 64);
    kan_text_init(&text, *state);
    kan_text_add(&text, "short", 5);
    char much[1000];
    memset(much, 'x', sizeof much);
    kan_text_add(&text, much, sizeof much);
    assert_int_equal(kan_text_status(&text), KAN_FAILED);
    kan_text_add(&text, "!", 1);
    kan_text_print(&text, "%d", 1);
    kan_text_print(&text, "%600d", 1);
    assert_int_equal(kan_text_status(&text), KAN_FAILED);
    assert_string_equal(text.bytes, "short");
    kan_text_destroy(&text);
}

static void columns_are_code_points(void **state) {
    (void)state;
    assert_int_equal(kan_text_columns("", 0), 0);
    assert_int_equal(kan_text_columns("Bonn", 4), 4);
    assert_int_equal(kan_text_columns("K\xc3\xb6ln", 5), 4);
    assert_int_equal(kan_text_columns("\xe2\x82\xac\xf0\x9f\x98\x80", 7), 2);
}

/* The definition, without a table: what the three rows must compute. */
static unsigned distance_by_definition(const char *a, size_t n, const char *b, size_t m) {
    if (n == 0 || m == 0)
        return (unsigned)(n + m);
    unsigned best = distance_by_definition(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    unsigned other = distance_by_definition(a, n - 1, b, m) + 1;
    best = other < best ? other : best;
    other = distance_by_definition(a, n, b, m - 1) + 1;
    best = other < best ? other : best;
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
        other = distance_by_definition(a, n - 2, b, m - 2) + 1;
        best = other < best ? other : best;
    }
    return best;
}

static void edit_distance_equals_its_definition(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int round = 0; round < 2000; round++) {
        char a[8] = {0}, b[8] = {0};
        size_t n = kan_random_below(&random, 7), m = kan_random_below(&random, 7);
        for (size_t i = 0; i < n; i++)
            a[i] = (char)('a' + kan_random_below(&random, 3));
        for (size_t i = 0; i < m; i++)
            b[i] = (char)('a' + kan_random_below(&random, 3));
        assert_int_equal(kan_edit_distance(a, b), distance_by_definition(a, n, b, m));
    }
}

static void edit_distance_counts_a_swap_once_and_holds_for_long_names(void **state) {
    (void)state;
    assert_int_equal(kan_edit_distance("serach", "search"), 1);
    assert_int_equal(kan_edit_distance("", ""), 0);
    assert_int_equal(kan_edit_distance("", "suppress"), 8);
    char longest[64], longer[65];
    memset(longest, 'a', 63);
    longest[63] = '\0';
    memset(longer, 'a', 64);
    longer[64] = '\0';
    assert_int_equal(kan_edit_distance(longest, longest), 0);
    assert_int_equal(kan_edit_distance(longest, ""), 63);
    assert_true(kan_edit_distance(longest, longer) > 63);
}

static void expect_quoted(const char *bytes, size_t size, const char *want) {
    char room[256];
    assert_ptr_equal(kan_quote((kan_slice){bytes, size}, room), room);
    assert_string_equal(room, want);
}

static void quoting_shows_text_and_hides_what_steers_a_terminal(void **state) {
    (void)state;
    expect_quoted("", 0, "''");
    expect_quoted("K\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x98\x80", 14,
                  "'K\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x98\x80'");
    expect_quoted("a\x1b[31m\0\n\x7f", 9, "'a\\x1b[31m\\x00\\x0a\\x7f'");
    expect_quoted("\xc2\x9b"
                  "1m",
                  4, "'\\xc2\\x9b1m'");
    expect_quoted("\xc2\xa0", 2, "'\xc2\xa0'");
}

static void quoting_shows_invalid_utf8_as_bytes(void **state) {
    (void)state;
    expect_quoted("\xff\xc3", 2, "'\\xff\\xc3'");
    expect_quoted("\xc0\xaf", 2, "'\\xc0\\xaf'");
    expect_quoted("\xe0\x80\xaf", 3, "'\\xe0\\x80\\xaf'");
    expect_quoted("\xed\xa0\x80", 3, "'\\xed\\xa0\\x80'");
    expect_quoted("\xf4\x90\x80\x80", 4, "'\\xf4\\x90\\x80\\x80'");
    expect_quoted("\xf0\x8f\xbf\xbf", 4, "'\\xf0\\x8f\\xbf\\xbf'");
    expect_quoted("\xef\xbf\xbd\xf4\x8f\xbf\xbf", 7, "'\xef\xbf\xbd\xf4\x8f\xbf\xbf'");
}

static void quoting_cuts_long_values_and_never_overruns(void **state) {
    (void)state;
    char value[400], room[256 + 8];
    for (size_t size = 0; size < sizeof value; size++)
        for (int kind = 0; kind < 3; kind++) {
            memset(value, kind == 0 ? 'a' : kind == 1 ? 0x01 : 0xf0, sizeof value);
            memset(room, '#', sizeof room);
            kan_quote((kan_slice){value, size}, room);
            assert_true(strlen(room) < 256);
            assert_memory_equal(room + 256, "########", 8);
            assert_int_equal(strstr(room, "...'") != NULL, size > 40);
        }
}

static void counts_are_shown_in_threes(void **state) {
    (void)state;
    char room[32];
    assert_string_equal(kan_count_text(0, room), "0");
    assert_string_equal(kan_count_text(999, room), "999");
    assert_string_equal(kan_count_text(1000, room), "1,000");
    assert_string_equal(kan_count_text(45222, room), "45,222");
    assert_string_equal(kan_count_text(UINT64_MAX, room), "18,446,744,073,709,551,615");
}

static void sizes_are_shown_with_their_unit(void **state) {
    (void)state;
    char room[32];
    assert_string_equal(kan_bytes_text(0, room), "0 bytes");
    assert_string_equal(kan_bytes_text(1023, room), "1023 bytes");
    assert_string_equal(kan_bytes_text(1536, room), "1.5 KiB");
    assert_string_equal(kan_bytes_text(UINT64_C(5) << 30, room), "5.0 GiB");
    assert_string_equal(kan_bytes_text(UINT64_MAX, room), "16.0 EiB");
}

static void counts_are_read_exactly_or_not_at_all(void **state) {
    (void)state;
    uint64_t count = 42;
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "-1",
                                      "+1",
                                      "1.0",
                                      "0x1",
                                      "1e3",
                                      "1,000",
                                      "18446744073709551616",
                                      "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(kan_parse_count(bad[i], &count));
        assert_int_equal(count, 42);
    }
    assert_true(kan_parse_count("0", &count));
    assert_int_equal(count, 0);
    assert_true(kan_parse_count("007", &count));
    assert_int_equal(count, 7);
    assert_true(kan_parse_count("18446744073709551615", &count));
    assert_true(count == UINT64_MAX);
}

static void numbers_in_other_clothes_are_not_numbers(void **state) {
    (void)state;
    double number = 42;
    static const char *const bad[] = {"",     " ",     "-",      "+",    ".",     "-.",
                                      "e5",   "1e",    "1e+",    "0x10", "inf",   "nan",
                                      "1 ",   " 1",    "1,5",    "1.5.", "--1",   "1-",
                                      "1e5.", "1e999", "-1e999", "1f",   "1_000", "\xd9\xa1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(kan_parse_real(bad[i], strlen(bad[i]), &number));
        assert_true(number == 42);
    }
    assert_false(kan_parse_real("1\0", 2, &number));
}

static void a_number_is_read_within_its_size_alone(void **state) {
    (void)state;
    double number;
    assert_true(kan_parse_real("12345", 3, &number));
    assert_true(number == 123);
    assert_true(kan_parse_real("1.59", 3, &number));
    assert_true(number == 1.5);
}

/* What is read must be the nearest double, as strtod in the C locale finds it. */
static void numbers_are_read_to_the_last_bit(void **state) {
    (void)state;
    static const char *const good[] = {"0",
                                       "-0",
                                       "+7",
                                       ".5",
                                       "5.",
                                       "1e3",
                                       "1E-3",
                                       "0.1",
                                       "-2.50",
                                       "123456789012345",
                                       "1234567890123456",
                                       "9007199254740993",
                                       "1e308",
                                       "4.9e-324",
                                       "1e-400",
                                       "00012",
                                       "-999999999999999"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double number, want = strtod(good[i], NULL);
        assert_true(kan_parse_real(good[i], strlen(good[i]), &number));
        assert_memory_equal(&number, &want, sizeof want);
    }
    uint64_t random = 11;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        double want, number;
        uint64_t bits = kan_random(&random);
        memcpy(&want, &bits, sizeof want);
        if (!isfinite(want))
            continue;
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.3f", i % 2 ? want : fmod(want, 1e12));
        want = strtod(text, NULL);
        assert_true(kan_parse_real(text, strlen(text), &number));
        assert_memory_equal(&number, &want, sizeof want);
    }
}

static void a_number_of_hundreds_of_digits_is_refused_or_read_without_harm(void **state) {
    (void)state;
    char digits[1000];
    double number;
    memset(digits, '0', sizeof digits);
    assert_true(kan_parse_real(digits, 400, &number));
    assert_true(number == 0);
    assert_false(kan_parse_real(digits, 401, &number));
    memset(digits, '9', sizeof digits);
    assert_false(kan_parse_real(digits, 400, &number));
}

static void sizes_are_read_with_their_unit(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"1048576", 1048576},
                {"64K", 65536},
                {"64k", 65536},
                {"512M", 512u << 20},
                {"2G", UINT64_C(2) << 30},
                {"1T", UINT64_C(1) << 40},
                {"1.5G", 1610612736u},
                {"2GB", UINT64_C(2) << 30},
                {"2GiB", UINT64_C(2) << 30},
                {"100B", 100}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t bytes = 1;
        assert_true(kan_parse_bytes(good[i].text, &bytes));
        assert_int_equal(bytes, good[i].bytes);
    }
    static const char *const bad[] = {"",   "B",   "G",  "GB",   "-1",   "1X",  "1 G", "1GG",
                                      "1i", "1iB", "iB", "1Gb1", "9e30", "nan", "K1",  "1KiBB"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bytes = 42;
        assert_false(kan_parse_bytes(bad[i], &bytes));
        assert_int_equal(bytes, 42);
    }
}

static void random_numbers_depend_on_the_seed_alone_and_stay_below_the_bound(void **state) {
    (void)state;
    uint64_t a = 1, b = 1, c = 2, seen = 0;
    bool differ = false;
    for (int i = 0; i < 1000; i++) {
        uint64_t x = kan_random_below(&a, 60);
        assert_true(x < 60);
        seen |= UINT64_C(1) << x;
        assert_int_equal(x, kan_random_below(&b, 60));
        differ |= x != kan_random_below(&c, 60);
    }
    assert_true(differ);
    assert_int_equal(__builtin_popcountll(seen), 60);
    assert_int_equal(kan_random_below(&a, 1), 0);
}

static void hashes_of_bytes_tell_length_and_every_byte_apart(void **state) {
    (void)state;
    unsigned char bytes[40] = {0};
    uint64_t seen[41 + 40];
    size_t n = 0;
    for (size_t size = 0; size <= 40; size++)
        seen[n++] = kan_hash_bytes(bytes, size);
    for (size_t i = 0; i < 40; i++) {
        bytes[i] = 1;
        seen[n++] = kan_hash_bytes(bytes, 40);
        bytes[i] = 0;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
}

/* A locale that writes 3,5: one that is installed, or one made for the occasion. */
static bool set_comma_locale(void) {
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        return true;
    char folder[] = "/tmp/kanon-locale-XXXXXX", command[200];
    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1",
             folder, folder);
    bool is_set = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
                  setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && is_set;
}

static void numbers_are_the_same_in_every_locale(void **state) {
    if (!set_comma_locale())
        skip();
    char room[32];
    double number = 0;
    bool is_read = kan_parse_real("3.75", 4, &number);
    bool comma_is_read = kan_parse_real("3,75", 4, &(double){0});
    kan_text text;
    kan_text_init(&text, *state);
    kan_text_print(&text, "%.2f %s", 3.75, kan_bytes_text(1536, room));
    snprintf(room, sizeof room, "%.2f", 3.75);
    setlocale(LC_ALL, "C");
    assert_string_equal(room, "3,75"); /* the locale was the one, and is in force again */
    assert_true(is_read && !comma_is_read);
    assert_true(number == 3.75);
    assert_string_equal(text.bytes, "3.75 1.5 KiB");
    kan_text_destroy(&text);
}

static void plain_text_steers_no_terminal(void **state) {
    static const struct {
        const char *from, *to;
    } cases[] = {{"a\x1b[31mb\x7f", "a?[31mb?"},
                 {"\xc2\x9b"
                  "31m \xc2\x85",
                  "?31m ?"},
                 {"\u202eabc\u202c \u2066x\u2069", "?abc? ?x?"},
                 {"\u2028\u2029", "??"},
                 {"two\nlines\ttab\r", "two\nlines?tab?"},
                 {"\x9b\xff\xc3", "???"},
                 {"caf\u00e9 \u2192 \u05d0\u200f \u4e2d", "caf\u00e9 \u2192 \u05d0\u200f \u4e2d"},
                 {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kan_text text;
        kan_text_init(&text, *state);
        kan_text_add(&text, cases[i].from, strlen(cases[i].from));
        kan_text_make_plain(&text);
        assert_string_equal(text.bytes, cases[i].to);
        assert_int_equal(text.size, strlen(cases[i].to));
        kan_text_destroy(&text);
    }
    kan_text nothing;
    kan_text_init(&nothing, *state);
    kan_text_make_plain(&nothing);
    assert_int_equal(nothing.size, 0);
    kan_text_destroy(&nothing);
}

static void a_quoted_value_steers_nothing(void **state) {
    char room[256];
    (void)state;
    assert_string_equal(kan_quote(kan_slice_of("a\u202eb"), room), "'a\\xe2\\x80\\xaeb'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_text_steers_no_terminal, set_up, tear_down),
        cmocka_unit_test(a_quoted_value_steers_nothing),
        cmocka_unit_test(slices_compare_by_bytes_and_a_prefix_comes_first),
        cmocka_unit_test_setup_teardown(a_text_grows_and_stays_terminated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(printing_text_of_any_length_is_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_text_without_memory_fails_and_stays_failed, set_up,
                                        tear_down),
        cmocka_unit_test(columns_are_code_points),
        cmocka_unit_test(edit_distance_equals_its_definition),
        cmocka_unit_test(edit_distance_counts_a_swap_once_and_holds_for_long_names),
        cmocka_unit_test(quoting_shows_text_and_hides_what_steers_a_terminal),
        cmocka_unit_test(quoting_shows_invalid_utf8_as_bytes),
        cmocka_unit_test(quoting_cuts_long_values_and_never_overruns),
        cmocka_unit_test(counts_are_shown_in_threes),
        cmocka_unit_test(sizes_are_shown_with_their_unit),
        cmocka_unit_test(counts_are_read_exactly_or_not_at_all),
        cmocka_unit_test(numbers_in_other_clothes_are_not_numbers),
        cmocka_unit_test(a_number_is_read_within_its_size_alone),
        cmocka_unit_test(numbers_are_read_to_the_last_bit),
        cmocka_unit_test(a_number_of_hundreds_of_digits_is_refused_or_read_without_harm),
        cmocka_unit_test(sizes_are_read_with_their_unit),
        cmocka_unit_test_setup_teardown(numbers_are_the_same_in_every_locale, set_up, tear_down),
        cmocka_unit_test(random_numbers_depend_on_the_seed_alone_and_stay_below_the_bound),
        cmocka_unit_test(hashes_of_bytes_tell_length_and_every_byte_apart),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
