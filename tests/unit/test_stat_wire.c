/* io/stat: what the child that reads a file says, written by hand. Labels and missing codes of texts, which our sinks do
 * not write; and answers that nobody can understand, which end in words about the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/run.h"
#include "io/stat/stat_source.h"
#include "support/stat_file.h"

/* ---- frames --------------------------------------------------------------------------------- */

/* What a child says. */
typedef struct wire {
    size_t size, at, frame; /* `frame` is where the last one begins */
    char bytes[1 << 14];
    const char *cause; /* why it ended; NULL: it just did */
} wire;

static void put(wire *w, const void *bytes, size_t size) {
    assert_true(w->size + size <= sizeof w->bytes);
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
    kan_stat_header header;
    memcpy(&header, w->bytes + w->frame, sizeof header);
    header.size = (uint32_t)(w->size - w->frame - sizeof header);
    memcpy(w->bytes + w->frame, &header, sizeof header);
}

static void put_u32(wire *w, uint32_t number) {
    put(w, &number, sizeof number);
}

static void put_u64(wire *w, uint64_t number) {
    put(w, &number, sizeof number);
}

static void put_text(wire *w, const char *text) {
    put_u32(w, (uint32_t)strlen(text));
    put(w, text, strlen(text));
}

static void begin_frame(wire *w, unsigned kind) {
    const kan_stat_header header = {.kind = kind};
    w->frame = w->size;
    put(w, &header, sizeof header);
}

/* A column with codes that are declared missing, up to NULL: texts, whatever its storage. */
static void put_column(wire *w, kan_stat_storage storage, const char *name, const char *set,
                       const char *const *missing) {
    uint32_t n = 0;
    while (missing && missing[n])
        n++;
    begin_frame(w, KAN_STAT_VARIABLE);
    put_u32(w, storage);
    for (int i = 0; i < 4; i++)
        put_u32(w, 0);
    put_text(w, name);
    put_text(w, "");
    put_text(w, "");
    put_text(w, set);
    put_u32(w, n);
    for (uint32_t i = 0; i < n; i++) {
        put_u64(w, 0);
        put_u64(w, 0);
        put_text(w, missing[i]);
    }
}

static uint64_t word_of(double number) {
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    return word;
}

static void put_label(wire *w, const char *set, const char *text, double number,
                      const char *label) {
    begin_frame(w, KAN_STAT_LABEL);
    put_text(w, set);
    put_u32(w, text != NULL);
    put_u64(w, word_of(number));
    put_text(w, text ? text : "");
    put_text(w, label);
}

static void put_end(wire *w, uint64_t n_rows, uint64_t n_columns) {
    begin_frame(w, KAN_STAT_END);
    put_u64(w, n_rows);
    put_u64(w, UINT64_MAX); /* the file does not say how many */
    put_u64(w, n_columns);
}

/* Rows of one column of texts, up to NULL, and the end. */
static void put_texts(wire *w, const char *const *texts) {
    uint32_t n = 0;
    begin_frame(w, KAN_STAT_TEXT);
    for (; texts[n]; n++)
        put(w, texts[n], strlen(texts[n]));
    begin_frame(w, KAN_STAT_BLOCK);
    put_u32(w, n);
    for (uint32_t i = 0; i < n; i++)
        put_u64(w, strlen(texts[i]));
    put_end(w, n, 1);
}

/* ---- the parent ----------------------------------------------------------------------------- */

static kan_status take(void *from, void *bytes, size_t size, size_t *n) {
    wire *w = from;
    *n = size < w->size - w->at ? size : w->size - w->at;
    memcpy(bytes, w->bytes + w->at, *n);
    w->at += *n;
    return KAN_OK;
}

static kan_status end(void *from, const char **cause) {
    *cause = ((wire *)from)->cause;
    return KAN_OK;
}

typedef struct reader {
    kan_run *run;
    wire wire;
    kan_stat_feed feed;
    kan_stat_source source;
    kan_table *table;
    char note[512];
} reader;

static void keep_note(void *user, const char *text) {
    (void)snprintf(user, 512, "%s", text);
}

static reader *new_reader(void) {
    reader *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->run = kan_run_create();
    kan_run_on_note(r->run, keep_note, r->note);
    r->source = (kan_stat_source){.run = r->run,
                                  .stream = {.run = r->run, .name = "ward.sav", .file = -1},
                                  .format = KAN_STAT_SAV,
                                  .vendor = KAN_STAT_SPSS,
                                  .ending = ".sav"};
    r->feed = (kan_stat_feed){.take = take, .end = end, .from = &r->wire};
    kan_arena_init(&r->source.arena, r->run);
    return r;
}

static void free_reader(reader *r) {
    kan_table_destroy(r->table);
    kan_free(r->run, r->feed.frame);
    kan_free(r->run, r->source.columns);
    kan_arena_destroy(&r->source.arena);
    kan_run_destroy(r->run);
    free(r);
}

static kan_status take_columns(reader *r) {
    KAN_TRY(kan_stat_take_columns(&r->source, &r->feed));
    return kan_stat_choose_labels(&r->source, NULL);
}

static kan_status take_rows(reader *r, bool as_is) {
    const bool all[4] = {true, true, true, true}, as[4] = {as_is, as_is, as_is, as_is};
    return kan_stat_take_rows(&r->source, &r->feed, all, as, &r->table);
}

static void must(const reader *r, kan_status status) {
    if (status != KAN_OK)
        fail_msg("%s", kan_run_error(r->run));
}

static void assert_says(const reader *r, const char *part) {
    if (!strstr(kan_run_error(r->run), part))
        fail_msg("'%s' is not in: %s", part, kan_run_error(r->run));
}

/* ---- labels --------------------------------------------------------------------------------- */

static const char *const unknown[] = {"X ", "?", NULL};

static reader *with_labelled_texts(const char *const *missing) {
    reader *r = new_reader();
    put_column(&r->wire, KAN_STAT_STRING, "ill", "ills", missing);
    put_label(&r->wire, "ills", "f ", 0, "Flu"); /* filled up with blanks, as the file has it */
    put_label(&r->wire, "ills", "c", 0, "Cancer");
    put_label(&r->wire, "ills", "X", 0, "Refused");
    put_label(&r->wire, "ills", "c", 0, "Cancer"); /* once more */
    put_label(&r->wire, "ills", NULL, 1, "One");   /* of a number: not of this column */
    put_end(&r->wire, 0, 1);
    return r;
}

static void texts_show_labels_and_missing_codes_are_missing(void **state) {
    static const char *const rows[] = {"c", "f", "X", "?", "", "a", NULL};
    static const char *const shown[] = {"Cancer", "Flu", "", "", "", "a"};
    (void)state;
    for (int as_is = 0; as_is < 2; as_is++) {
        reader *r = with_labelled_texts(unknown);
        put_texts(&r->wire, rows);
        must(r, take_columns(r));
        assert_true(r->source.columns[0].field.shows_labels);
        assert_int_equal(r->source.columns[0].field.n_labels, 3);
        must(r, take_rows(r, as_is));
        stat_assert_column(r->table, 0, as_is ? rows : shown);
        free_reader(r);
    }
}

/* Shown as it is, it would count with those who have the other value. */
static void a_text_that_is_the_label_of_another_is_refused(void **state) {
    static const char *const rows[] = {"c", "Flu", NULL};
    (void)state;
    reader *r = with_labelled_texts(NULL);
    put_texts(&r->wire, rows);
    must(r, take_columns(r));
    assert_int_equal(take_rows(r, false), KAN_BAD_INPUT);
    assert_says(r, "column 'ill': the value 'Flu' has no label, and is the label of another; use "
                   "--labels ill=codes");
    free_reader(r);
}

static void a_text_with_labels_that_is_not_utf8_is_told(void **state) {
    static const char *const rows[] = {"c", "\xfc", NULL};
    (void)state;
    reader *r = with_labelled_texts(NULL);
    put_texts(&r->wire, rows);
    must(r, take_columns(r));
    assert_int_equal(take_rows(r, false), KAN_BAD_INPUT);
    assert_says(r, "row 2, column 'ill'");
    assert_says(r, "--encoding");
    free_reader(r);
}

/* What is missing is missing in the one column, and a code of the other. */
static void a_set_that_two_columns_share_is_read_with_the_codes_of_each(void **state) {
    (void)state;
    for (int has_missing = 0; has_missing < 2; has_missing++) {
        reader *r = new_reader();
        put_column(&r->wire, KAN_STAT_STRING, "ill", "ills", NULL);
        put_column(&r->wire, KAN_STAT_STRING, "then", "ills", has_missing ? unknown : NULL);
        put_column(&r->wire, KAN_STAT_DOUBLE, "n", "ills", NULL);
        put_label(&r->wire, "ills", "f", 0, "Flu");
        put_label(&r->wire, "ills", "X", 0, "Refused");
        put_label(&r->wire, "ills", NULL, 7, "Seven");
        put_label(&r->wire, "nobody's", NULL, 7, "Hidden");
        put_end(&r->wire, 0, 3);
        begin_frame(&r->wire, KAN_STAT_TEXT);
        put(&r->wire, "XX", 2);
        begin_frame(&r->wire, KAN_STAT_BLOCK);
        put_u32(&r->wire, 1);
        put_u64(&r->wire, 1);
        put_u64(&r->wire, 1);
        put_u64(&r->wire, word_of(7));
        put_end(&r->wire, 1, 3);
        must(r, take_columns(r));
        must(r, take_rows(r, false));
        assert_true(kan_slice_is(kan_column_value(&r->table->columns[0], 0), "Refused"));
        assert_true(
            kan_slice_is(kan_column_value(&r->table->columns[1], 0), has_missing ? "" : "Refused"));
        assert_true(kan_slice_is(kan_column_value(&r->table->columns[2], 0), "7"));
        /* One label is left of those that are not missing: a number with a name, no list of names. */
        assert_int_equal(r->source.columns[1].field.shows_labels, !has_missing);
        assert_int_equal(r->source.n_unused, 1); /* for `verify`: it is in the file all the same */
        assert_true(kan_slice_is(r->source.unused[0], "Hidden"));
        free_reader(r);
    }
}

static bool has_beside(const kan_beside *beside, const char *what, const char *text) {
    for (size_t i = 0; i < beside->n; i++)
        if (strstr(beside->texts[i].what, what) && kan_slice_is(beside->texts[i].text, text))
            return true;
    return false;
}

/* They are in the file, whoever opens it sees them, and they may be those of people who were left out. */
static void codes_of_texts_that_no_row_has_are_told(void **state) {
    static const char *const rows[] = {"f", "?", NULL};
    kan_beside beside;
    (void)state;
    for (int is_public = 0; is_public < 2; is_public++) {
        reader *r = with_labelled_texts(unknown);
        put_texts(&r->wire, rows);
        r->source.format = KAN_STAT_POR; /* which has nothing else beside its table */
        must(r, take_columns(r));
        must(r, take_rows(r, true));
        kan_beside_init(&beside, r->run);
        must(r, kan_stat_find_beside(&r->source, r->table, is_public, &beside));
        assert_int_equal(has_beside(&beside, "labels of values that no row", "Cancer"), !is_public);
        assert_int_equal(has_beside(&beside, "missing codes that no row", "X"), !is_public);
        assert_false(has_beside(&beside, "missing codes that no row", "?"));
        assert_false(has_beside(&beside, "labels of values that no row", "Flu"));
        kan_beside_destroy(&beside);
        free_reader(r);
    }
}

/* ---- answers that nobody can understand ----------------------------------------------------- */

static void say_nothing(wire *w) {
    (void)w;
}

static void say_half_a_header(wire *w) {
    w->size = 3;
}

static void say_an_unknown_frame(wire *w) {
    begin_frame(w, KAN_STAT_FAULT + 1);
}

static void say_too_long_a_frame(wire *w) {
    const kan_stat_header header = {KAN_STAT_VARIABLE, KAN_STAT_FRAME_MOST + 1};
    memcpy(w->bytes, &header, sizeof header);
    w->size = sizeof header;
}

static void say_no_columns(wire *w) {
    put_end(w, 0, 0);
}

static void say_rows_first(wire *w) {
    begin_frame(w, KAN_STAT_BLOCK);
}

static void say_half_a_column(wire *w) {
    begin_frame(w, KAN_STAT_VARIABLE);
    put_u32(w, KAN_STAT_DOUBLE);
}

static void say_a_column_of_no_kind(wire *w) {
    put_column(w, KAN_STAT_N_STORAGES, "a", "", NULL);
}

static void say_a_column_that_goes_on(wire *w) {
    put_column(w, KAN_STAT_DOUBLE, "a", "", NULL);
    put_u32(w, 0);
}

static void say_a_column_without_a_name(wire *w) {
    put_column(w, KAN_STAT_DOUBLE, "", "", NULL);
}

static void say_a_column_twice(wire *w) {
    put_column(w, KAN_STAT_DOUBLE, "a", "", NULL);
    put_column(w, KAN_STAT_STRING, "a", "", NULL);
    put_end(w, 0, 2);
}

static void say_a_name_in_latin1(wire *w) {
    put_column(w, KAN_STAT_DOUBLE, "gr\xf6\xdf", "", NULL);
}

static void say_half_a_label(wire *w) {
    begin_frame(w, KAN_STAT_LABEL);
    put_text(w, "set");
    put_u32(w, 1000); /* a text that is longer than the frame */
}

static void say_a_fault_with_escapes(wire *w) {
    begin_frame(w, KAN_STAT_FAULT);
    put_u64(w, 7);
    put_u32(w, 3);
    put_text(w, "bad \x1b[31m bytes");
}

static void say_half_a_fault(wire *w) {
    begin_frame(w, KAN_STAT_FAULT);
    put_u32(w, 7);
}

static void columns_that_cannot_be_understood_are_refused(void **state) {
    (void)state;
    static const struct {
        void (*say)(wire *w);
        const char *cause, *part;
    } cases[] = {
        {say_nothing, NULL, "it ends too early"},
        {say_nothing, "crashed (signal 11)", "the reader of .sav files crashed (signal 11); get"},
        {say_half_a_header, NULL, "it ends too early"},
        {say_an_unknown_frame, NULL, "an answer that cannot be understood"},
        {say_too_long_a_frame, NULL, "an answer that cannot be understood"},
        {say_no_columns, NULL, "it has no columns"},
        {say_rows_first, NULL, "gives rows before columns"},
        {say_half_a_column, NULL, "about a column cannot be understood"},
        {say_a_column_of_no_kind, NULL, "about a column cannot be understood"},
        {say_a_column_that_goes_on, NULL, "about a column cannot be understood"},
        {say_a_column_without_a_name, NULL, "a column has no name"},
        {say_a_column_twice, NULL, "two columns have the name 'a'; rename one of them"},
        {say_a_name_in_latin1, NULL, "--encoding, such as windows-1252"},
        {say_half_a_label, NULL, "the label of a value cannot be understood"},
        {say_a_fault_with_escapes, NULL, "row 7: bad ?[31m bytes"},
        {say_half_a_fault, NULL, "an answer that cannot be understood"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reader *r = new_reader();
        r->wire.cause = cases[i].cause;
        cases[i].say(&r->wire);
        assert_int_equal(take_columns(r), KAN_BAD_INPUT);
        assert_says(r, "ward.sav: ");
        assert_says(r, cases[i].part);
        free_reader(r);
    }
}

static void say_columns_again(wire *w) {
    put_column(w, KAN_STAT_DOUBLE, "a", "", NULL);
}

static void say_more_words_than_rows(wire *w) {
    begin_frame(w, KAN_STAT_BLOCK);
    put_u32(w, 1);
    put_u64(w, 0);
    put_u64(w, 0);
}

static void say_no_rows_in_a_block(wire *w) {
    begin_frame(w, KAN_STAT_BLOCK);
    put_u32(w, 0);
}

static void say_less_text_than_rows(wire *w) {
    begin_frame(w, KAN_STAT_BLOCK);
    put_u32(w, 1);
    put_u64(w, 5);
}

static void say_more_text_than_rows(wire *w) {
    begin_frame(w, KAN_STAT_TEXT);
    put(w, "abc", 3);
    begin_frame(w, KAN_STAT_BLOCK);
    put_u32(w, 1);
    put_u64(w, 2);
}

static void say_text_without_rows(wire *w) {
    begin_frame(w, KAN_STAT_TEXT);
    put(w, "abc", 3);
    put_end(w, 0, 1);
}

static void say_too_few_rows(wire *w) {
    begin_frame(w, KAN_STAT_BLOCK);
    put_u32(w, 1);
    put_u64(w, 0);
    put_end(w, 2, 1);
}

static void say_another_number_of_columns(wire *w) {
    put_end(w, 0, 2);
}

static void say_a_fault_of_a_cell(wire *w) {
    begin_frame(w, KAN_STAT_FAULT);
    put_u64(w, 9);
    put_u32(w, 0);
    put_text(w, "the rows are damaged");
}

static void rows_that_are_not_whole_are_refused(void **state) {
    (void)state;
    static const struct {
        void (*say)(wire *w);
        const char *part;
        kan_status status;
    } cases[] = {
        {say_nothing, "it ends too early", KAN_BAD_INPUT},
        {say_columns_again, "gives columns among rows", KAN_BAD_INPUT},
        {say_more_words_than_rows, "its rows cannot be understood", KAN_BAD_INPUT},
        {say_no_rows_in_a_block, "its rows cannot be understood", KAN_BAD_INPUT},
        {say_less_text_than_rows, "its texts are not complete", KAN_BAD_INPUT},
        {say_more_text_than_rows, "it has more text than rows", KAN_BAD_INPUT},
        {say_text_without_rows, "its rows are not complete", KAN_BAD_INPUT},
        {say_too_few_rows, "its rows are not complete", KAN_BAD_INPUT},
        {say_another_number_of_columns, "has changed since it was opened", KAN_FAILED},
        {say_a_fault_of_a_cell, "row 9, column 'ill': the rows are damaged", KAN_BAD_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reader *r = new_reader();
        put_column(&r->wire, KAN_STAT_STRING, "ill", "", NULL);
        put_end(&r->wire, 0, 1);
        cases[i].say(&r->wire);
        must(r, take_columns(r));
        assert_int_equal(take_rows(r, false), cases[i].status);
        assert_says(r, cases[i].part);
        assert_null(r->table);
        free_reader(r);
    }
}

/* A set that the file does not have: an old file of Stata that was cut off looks so. */
static void labels_that_are_not_there_are_a_note_about_stata(void **state) {
    (void)state;
    for (int is_stata = 0; is_stata < 2; is_stata++) {
        reader *r = new_reader();
        r->source.format = is_stata ? KAN_STAT_DTA : KAN_STAT_SAV;
        put_column(&r->wire, KAN_STAT_DOUBLE, "sex", "sexes", NULL);
        put_label(&r->wire, "others", NULL, 1, "One");
        put_end(&r->wire, 0, 1);
        must(r, take_columns(r));
        assert_int_equal(strstr(r->note, "names labels 'sexes'") != NULL, is_stata);
        free_reader(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_show_labels_and_missing_codes_are_missing),
        cmocka_unit_test(a_text_that_is_the_label_of_another_is_refused),
        cmocka_unit_test(a_text_with_labels_that_is_not_utf8_is_told),
        cmocka_unit_test(a_set_that_two_columns_share_is_read_with_the_codes_of_each),
        cmocka_unit_test(codes_of_texts_that_no_row_has_are_told),
        cmocka_unit_test(columns_that_cannot_be_understood_are_refused),
        cmocka_unit_test(rows_that_are_not_whole_are_refused),
        cmocka_unit_test(labels_that_are_not_there_are_a_note_about_stata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
