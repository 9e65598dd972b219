/* core/encoding.h, io/streams/decode.h, io/streams/transcode.h: text of other encodings, read and written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/encoding.h"
#include "core/hash.h"
#include "io/streams/stream.h"
#include "io/streams/target.h"

enum { MIB = 1 << 20 };

typedef struct {
    kan_run *run;
    char path[64];
} files;

static int start(void **state) {
    files *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->run = kan_run_create();
    assert_non_null(f->run);
    strcpy(f->path, "/tmp/kanon-encoding-XXXXXX");
    close(mkstemp(f->path));
    *state = f;
    return 0;
}

static int stop(void **state) {
    files *f = *state;
    unlink(f->path);
    kan_run_destroy(f->run);
    free(f);
    return 0;
}

static void put(const files *f, const char *bytes, size_t size) {
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static kan_stream open_as(const files *f, const char *encoding, bool if_needed) {
    kan_stream stream;
    const kan_stream_encoding said = {encoding, if_needed};
    if (kan_stream_open_table(f->run, f->path, said, &stream) != KAN_OK)
        fail_msg("%s", kan_run_error(f->run));
    assert_int_equal(kan_stream_complete(&stream), KAN_OK);
    return stream;
}

static void write_as(const files *f, const char *encoding, const char *text, size_t size) {
    kan_target *target;
    assert_int_equal(kan_target_open(f->run, f->path, true, KAN_TARGET_PRIVATE, &target), KAN_OK);
    assert_int_equal(kan_target_set_encoding(target, encoding), KAN_OK);
    assert_int_equal(kan_target_write(target, text, size), KAN_OK);
    assert_int_equal(kan_target_n_lost(target), 0);
    assert_int_equal(kan_target_finish(target), KAN_OK);
    assert_int_equal(kan_target_commit(target), KAN_OK);
    kan_target_close(target);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void usual_names_are_known(void **state) {
    (void)state;
    static const char *const known[] = {"latin1",   "LATIN1", "iso-8859-15", "windows-1252",
                                        "cp1250",   "utf-8",  "UTF8",        "utf-16",
                                        "UTF-16BE", "utf-32", "koi8-r",      "shift_jis"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!kan_encoding_is_known(known[i]))
            fail_msg("%s", known[i]);
    assert_false(kan_encoding_is_known(""));
    assert_false(kan_encoding_is_known("klingon"));
    assert_false(kan_encoding_is_known("latin1//IGNORE"));
    assert_true(kan_encoding_has_units("utf16", 2));
    assert_true(kan_encoding_has_units("UTF-32LE", 4));
    assert_false(kan_encoding_has_units("utf-16-and-something-longer", 2));
    assert_false(kan_encoding_has_units("latin1", 2));
}

static void the_first_bad_byte_of_utf8_is_found(void **state) {
    (void)state;
    char text[64];
    for (size_t at = 0; at < 40; at++)
        for (size_t before = 0; before < 3; before++) {
            memset(text, 'a', sizeof text);
            if (at >= 2 * before)
                for (size_t i = 0; i < before; i++)
                    memcpy(text + 2 * i, "\xc3\xa4", 2);
            assert_int_equal(kan_utf8_find_bad(text, 40), 40);
            text[at] = '\xe4';
            if (at >= 2 * before)
                assert_int_equal(kan_utf8_find_bad(text, 40), at);
        }
    assert_int_equal(kan_utf8_find_bad("a\xc3", 2), 1);
    assert_int_equal(kan_utf8_find_bad("", 0), 0);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Characters of one to four bytes in UTF-8, so that windows end within them at some place. */
static size_t make_text(char *out, size_t size, uint64_t seed, bool is_western) {
    static const char *const parts[] = {"a", "\n", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    size_t used = 0;
    while (used + 4 <= size) {
        const char *part = parts[kan_random(&seed) % (is_western ? 3 : 5)];
        memcpy(out + used, part, strlen(part));
        used += strlen(part);
    }
    return used;
}

static void text_larger_than_a_window_is_read_whole(void **state) {
    const files *f = *state;
    static const struct {
        const char *encoding;
        bool is_western;
    } cases[] = {{"latin1", true},    {"windows-1252", true}, {"utf-8", false},
                 {"utf-16", false},   {"utf-16le", false},    {"utf-16be", false},
                 {"utf-32be", false}, {"gb18030", false},     {"utf-7", false}};
    char *text = malloc(3 * MIB);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t size = make_text(text, 3 * MIB - i, i + 1, cases[i].is_western);
        write_as(f, cases[i].encoding, text, size);
        kan_stream stream = open_as(f, cases[i].encoding, false);
        const size_t mark = strcmp(cases[i].encoding, "utf-16") == 0 ? 3 : 0;
        assert_int_equal(stream.size, size + mark);
        assert_memory_equal(stream.bytes + mark, text, size);
        kan_stream_close(&stream);
    }
    free(text);
}

static void utf8_is_recognised_across_windows(void **state) {
    const files *f = *state;
    const size_t size = 2 * MIB + 10;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'a', size);
        memcpy(text + MIB - shift, "\xf0\x9f\x98\x80", 4);
        put(f, text, size);
        kan_stream stream = open_as(f, "latin1", true);
        assert_int_equal(stream.size, size);
        kan_stream_close(&stream);
        text[MIB - shift + 1] = 'a'; /* now it is none */
        put(f, text, size);
        stream = open_as(f, "latin1", true);
        assert_true(stream.size > size);
        kan_stream_close(&stream);
    }
    free(text);
}

static void the_order_of_bytes_is_found_without_a_mark(void **state) {
    const files *f = *state;
    static const char *const forms[] = {"utf-16le", "utf-16be", "utf-32le", "utf-32be"};
    for (size_t i = 0; i < 4; i++) {
        write_as(f, forms[i], "a,b\n1,2\n", 8);
        kan_stream stream = open_as(f, i < 2 ? "utf-16" : "UTF32", false);
        assert_int_equal(stream.size, 8);
        assert_memory_equal(stream.bytes, "a,b\n1,2\n", 8);
        kan_stream_close(&stream);
    }
}

static void what_is_no_text_is_bad_input(void **state) {
    const files *f = *state;
    static const struct {
        const char *encoding, *bytes;
        size_t size;
        const char *message;
    } cases[] = {
        {"utf-16le", "a\0\n\0b", 5, ":2: the file ends within a character"},
        {"utf-16le", "a\0\n\0b\0\x00\xd8", 8, ":2: the file ends within a character"},
        {"utf-16le", "a\0\n\0b\0\x00\xd8z\0", 10, ":2: character 2 of the line (bytes 00 d8)"},
        {"utf-16be", "\0a\xdc\0\0a", 6, ":1: character 2 of the line (bytes dc 00)"},
        {"utf-8", "\xc3\xa4\n\xc3\xa4\xff", 6, ":2: character 2 of the line (byte ff)"},
        {"utf-8", "ab\xc3", 3, ":1: the file ends within a character"},
        {"ascii", "ab\xc3", 3, ":1: character 3 of the line (byte c3)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kan_stream stream;
        const kan_stream_encoding said = {cases[i].encoding, false};
        put(f, cases[i].bytes, cases[i].size);
        assert_int_equal(kan_stream_open_table(f->run, f->path, said, &stream), KAN_BAD_INPUT);
        if (!strstr(kan_run_error(f->run), cases[i].message))
            fail_msg("'%s' lacks '%s'", kan_run_error(f->run), cases[i].message);
    }
}

/* ---- writing -------------------------------------------------------------------------------- */

static void characters_that_an_encoding_lacks_are_counted_and_refused(void **state) {
    const files *f = *state;
    const char text[] = "a\xe2\x82\xac\xc3\xa4\xe2\x82\xac\n\xff";
    kan_target *target;
    assert_int_equal(kan_target_open(f->run, f->path, true, KAN_TARGET_PRIVATE, &target), KAN_OK);
    assert_int_equal(kan_target_set_encoding(target, "latin1"), KAN_OK);
    assert_int_equal(kan_target_write(target, text, sizeof text - 1), KAN_OK);
    assert_int_equal(kan_target_n_lost(target), 3);
    assert_int_equal(kan_target_write(target, "b", 1), KAN_OK);
    assert_int_equal(kan_target_finish(target), KAN_BAD_INPUT);
    kan_target_close(target);
}

static void utf16_is_written_with_its_mark(void **state) {
    const files *f = *state;
    char bytes[16];
    write_as(f, "utf-16", "a\xc3\xa4", 3);
    FILE *file = fopen(f->path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), 6);
    assert_memory_equal(bytes,
                        "\xff\xfe"
                        "a\0"
                        "\xe4\0",
                        6);
    (void)fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_names_are_known),
        cmocka_unit_test(the_first_bad_byte_of_utf8_is_found),
        cmocka_unit_test_setup_teardown(text_larger_than_a_window_is_read_whole, start, stop),
        cmocka_unit_test_setup_teardown(utf8_is_recognised_across_windows, start, stop),
        cmocka_unit_test_setup_teardown(the_order_of_bytes_is_found_without_a_mark, start, stop),
        cmocka_unit_test_setup_teardown(what_is_no_text_is_bad_input, start, stop),
        cmocka_unit_test_setup_teardown(characters_that_an_encoding_lacks_are_counted_and_refused,
                                        start, stop),
        cmocka_unit_test_setup_teardown(utf16_is_written_with_its_mark, start, stop),
    };
    return cmocka_run_group_tests_name("encoding", tests, NULL, NULL);
}
