/* io/file_hash.h: what `sha256sum` says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file_hash.h"

static void expect_hash(const char *bytes, size_t size, const char *wanted) {
    kan_hash hash;
    char text[KAN_HASH_TEXT];
    kan_hash_begin(&hash);
    kan_hash_add(&hash, bytes, size);
    kan_hash_end(&hash, text);
    assert_string_equal(text, wanted);
}

static void the_examples_of_the_standard_come_out(void **state) {
    (void)state;
    expect_hash("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters_come_out_however_they_are_cut(void **state) {
    (void)state;
    static const size_t parts[] = {1000, 7, 64, 55, 63, 65, 129};
    char *letters = malloc(1000000);
    assert_non_null(letters);
    memset(letters, 'a', 1000000);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        kan_hash hash;
        char text[KAN_HASH_TEXT];
        kan_hash_begin(&hash);
        for (size_t at = 0; at < 1000000; at += parts[p])
            kan_hash_add(&hash, letters + at, 1000000 - at < parts[p] ? 1000000 - at : parts[p]);
        kan_hash_end(&hash, text);
        assert_string_equal(text,
                            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
    free(letters);
}

static void a_file_is_hashed_as_its_bytes_are(void **state) {
    (void)state;
    char path[] = "/tmp/kanon-hash-XXXXXX", text[KAN_HASH_TEXT];
    const int file = mkstemp(path);
    uint64_t n_bytes = 0;
    assert_true(file >= 0);
    assert_int_equal(write(file, "abc", 3), 3);
    close(file);
    kan_run *run = kan_run_create();
    assert_int_equal(kan_hash_file(run, path, text, &n_bytes), KAN_OK);
    assert_int_equal(n_bytes, 3);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    unlink(path);
    assert_int_equal(kan_hash_file(run, path, text, &n_bytes), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), path));
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standard_come_out),
        cmocka_unit_test(a_million_letters_come_out_however_they_are_cut),
        cmocka_unit_test(a_file_is_hashed_as_its_bytes_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
