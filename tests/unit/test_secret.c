/* core/secret.h: numbers that nobody can guess. The constants were computed by HMAC-SHA-256 and
 * ChaCha20 as RFC 2104 and RFC 8439 define them, written down in another language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/secret.h"

static char home[] = "/tmp/kanon-secret-XXXXXX";

static int make_home(void **state) {
    (void)state;
    return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int remove_home(void **state) {
    (void)state;
    return unlink("key") == 0 && chdir("/") == 0 ? rmdir(home) : -1;
}

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

/* A key of the bytes 0, 1, 2 ... */
static void put_key(size_t size, mode_t mode) {
    FILE *file = fopen("key", "w");
    assert_non_null(file);
    for (size_t i = 0; i < size; i++)
        assert_int_not_equal(fputc((int)(i % 256), file), EOF);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod("key", mode), 0);
}

static void a_key_gives_the_numbers_of_the_standards(void **state) {
    static const uint64_t below_thousand[] = {92, 725, 778, 631, 359, 568, 63, 912};
    kan_secret secret;
    put_key(40, 0600);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &secret), KAN_OK);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(kan_secret_below(&secret, 1000), below_thousand[i]);
}

/* The third, fourth and fifth word of the stream are above the last multiple of the bound. */
static void words_that_would_favour_some_numbers_are_passed_over(void **state) {
    const uint64_t bound = (UINT64_C(1) << 63) + 1;
    static const uint64_t expected[] = {UINT64_C(0x0cdd0c28931e6cfc), UINT64_C(0x57cc288709e368e5),
                                        UINT64_C(0x443515fd5eddb868), UINT64_C(0x43cd5fef1fee9080)};
    kan_secret secret;
    put_key(40, 0600);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &secret), KAN_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(kan_secret_below(&secret, bound), expected[i]);
    assert_int_equal(kan_secret_below(&secret, 1), 0);
}

static void another_purpose_is_another_stream(void **state) {
    kan_secret a, b;
    put_key(40, 0600);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &a), KAN_OK);
    assert_int_equal(kan_secret_read(*state, "key", "another", &b), KAN_OK);
    assert_int_not_equal(kan_secret_below(&a, UINT64_MAX), kan_secret_below(&b, UINT64_MAX));
}

static void every_byte_of_a_key_counts(void **state) {
    kan_secret a, b;
    put_key(4096, 0600);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &a), KAN_OK);
    put_key(4097, 0600);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &b), KAN_OK);
    assert_int_not_equal(kan_secret_below(&a, UINT64_MAX), kan_secret_below(&b, UINT64_MAX));
}

static void two_draws_have_nothing_in_common(void **state) {
    kan_secret a, b;
    assert_int_equal(kan_secret_draw(*state, &a), KAN_OK);
    assert_int_equal(kan_secret_draw(*state, &b), KAN_OK);
    for (int i = 0; i < 100; i++)
        assert_int_not_equal(kan_secret_below(&a, UINT64_MAX), kan_secret_below(&b, UINT64_MAX));
}

static void what_is_no_key_is_refused(void **state) {
    kan_secret secret;
    put_key(15, 0600);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &secret), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "at least 16 bytes"));
    put_key(16, 0600);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &secret), KAN_OK);
    put_key(KAN_SECRET_MOST_KEY + 1, 0600);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &secret), KAN_BAD_INPUT);
    assert_int_equal(kan_secret_read(*state, "none", "a purpose", &secret), KAN_BAD_INPUT);
    assert_int_equal(kan_secret_read(*state, ".", "a purpose", &secret), KAN_BAD_INPUT);
}

static void count_note(void *user, const char *text) {
    *(int *)user += strstr(text, "chmod 600") != NULL;
}

static void a_key_that_everybody_may_read_gets_a_note(void **state) {
    kan_secret secret;
    int n = 0;
    kan_run_on_note(*state, count_note, &n);
    put_key(20, 0600);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &secret), KAN_OK);
    assert_int_equal(n, 0);
    put_key(20, 0644);
    assert_int_equal(kan_secret_read(*state, "key", "a purpose", &secret), KAN_OK);
    assert_int_equal(n, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_key_gives_the_numbers_of_the_standards, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(words_that_would_favour_some_numbers_are_passed_over,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_purpose_is_another_stream, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_byte_of_a_key_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_draws_have_nothing_in_common, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_key_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_key_that_everybody_may_read_gets_a_note, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("core: secrets", tests, make_home, remove_home);
}
