/* What was taken can be put and taken again, whatever people write and however they say that they
 * do. Texts are made of what numbers, dates and spellings of missing values are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "data/spelling.h"

enum { SPELLINGS = 4000, TEXTS = 150, TEXT = 96, MOST_MISSING = 4 };

typedef struct {
    uint64_t random;
    kan_spelling said;
    kan_slice missing[MOST_MISSING];
    char missing_text[MOST_MISSING][TEXT];
    char format[KAN_DATE_FORMAT_MOST + 1];
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static const char *const formats[] = {"%d.%m.%Y",
                                      "%m/%d/%Y",
                                      "%Y%m%d",
                                      "%d%b%Y",
                                      "%Y-%m-%d",
                                      "%d.%m.%y@1930",
                                      "%y%m%d@1999",
                                      "%e %B %Y",
                                      "%d.%m.%Y %H:%M",
                                      "%m/%d/%Y %I:%M %p",
                                      "%Y-%m-%dT%H:%M:%S.%f",
                                      "%Y-%m-%d %H:%M:%S%z",
                                      "%-d.%-m.%Y %-H:%M",
                                      "%Y-%m-%d %H:%M",
                                      "%Y-%m-%d %H:%M:%S"};

static void add_piece(world *w, char *text) {
    static const char *const pieces[] = {"0",
                                         "1",
                                         "9",
                                         "12",
                                         "234",
                                         "1980",
                                         "03",
                                         "14",
                                         "31",
                                         "2",
                                         "000",
                                         "1234567",
                                         ".",
                                         ",",
                                         "'",
                                         " ",
                                         "-",
                                         "/",
                                         ":",
                                         "+",
                                         "e",
                                         "E5",
                                         "T",
                                         "Z",
                                         "NA",
                                         "Mar",
                                         "PM",
                                         "?",
                                         "*",
                                         "\xc2\xa0",
                                         "\xe2\x80\x99",
                                         "+00",
                                         "+0100",
                                         "[",
                                         ")"};
    const char *piece = pieces[below(w, sizeof pieces / sizeof *pieces)];
    if (strlen(text) + strlen(piece) < TEXT)
        strcat(text, piece);
}

static void write_like_a_date(world *w, char *text) {
    char room[KAN_DATE_ROOM], value[64], format_room[KAN_DATE_FORMAT_MOST + 1];
    static const char *const zones[] = {"", "+00", ".5", ".50+00"};
    kan_date_format format;
    const char *setting = formats[below(w, sizeof formats / sizeof *formats)];
    const bool has_time = below(w, 2);
    int size = snprintf(value, sizeof value, "%04zu-%02zu-%02zu",
                        below(w, 4) ? 1925 + below(w, 120) : below(w, 10000), 1 + below(w, 12),
                        1 + below(w, 31));
    if (has_time)
        snprintf(value + size, sizeof value - (size_t)size, " %02zu:%02zu:%02zu%s", below(w, 24),
                 below(w, 60), below(w, 2) ? 0 : below(w, 60), zones[below(w, 4)]);
    assert_null(kan_date_format_parse(kan_slice_of(setting), format_room, &format));
    const size_t written = kan_date_format_write(&format, kan_slice_of(value), room);
    snprintf(text, TEXT, "%.*s", written ? (int)written : (int)strlen(value),
             written ? room : value);
}

static void write_text(world *w, char *text) {
    text[0] = '\0';
    if (below(w, 3) == 0)
        write_like_a_date(w, text);
    if (text[0] && below(w, 4))
        return;
    for (size_t n = below(w, 7); n > 0; n--)
        add_piece(w, text);
}

static void make_spelling(world *w) {
    static const char decimals[] = {0, ',', '.', ','}, thousands[] = {0, '.', ',', '\'', ' '};
    w->said = (kan_spelling){.missing = w->missing};
    w->said.decimal = decimals[below(w, 4)];
    do
        w->said.thousands = thousands[below(w, 5)];
    while (w->said.thousands && w->said.thousands == (w->said.decimal ? w->said.decimal : '.'));
    for (size_t i = below(w, MOST_MISSING + 1); i > 0; i--) {
        const size_t at = w->said.n_missing++;
        write_text(w, w->missing_text[at]);
        w->missing[at] = kan_slice_of(w->missing_text[at]);
    }
    if (below(w, 2))
        assert_null(
            kan_date_format_parse(kan_slice_of(formats[below(w, sizeof formats / sizeof *formats)]),
                                  w->format, &w->said.date));
}

static void check_text(const kan_spelling *settled, const char *text) {
    char first[KAN_SPELLING_ROOM], put[KAN_SPELLING_ROOM], second[KAN_SPELLING_ROOM];
    const kan_slice x = kan_spelling_take(settled, kan_slice_of(text), first);
    const kan_slice y = kan_spelling_put(settled, x, put);
    const kan_slice again = kan_spelling_take(settled, y, second);
    if (!kan_slice_equal(x, again))
        fail_msg("'%s' is taken as '%.*s', put as '%.*s', taken as '%.*s'", text, (int)x.size,
                 x.bytes, (int)y.size, y.bytes, (int)again.size, again.bytes);
    assert_true(kan_spelling_holds(settled, x));
}

static void what_was_taken_survives_being_written_and_read(void **state) {
    world w = {.random = 20260711};
    (void)state;
    for (int i = 0; i < SPELLINGS; i++) {
        kan_run *run = kan_run_create();
        kan_spelling settled;
        assert_non_null(run);
        make_spelling(&w);
        const kan_spelled as = (kan_spelled)below(&w, 3);
        assert_int_equal(kan_spelling_settle(kan_run_arena(run), &w.said, as, &settled), KAN_OK);
        if (settled.n_missing && below(&w, 2))
            settled.shown_missing = settled.missing[below(&w, settled.n_missing)];
        for (int j = 0; j < TEXTS; j++) {
            char text[TEXT];
            write_text(&w, text);
            check_text(&settled, text);
        }
        kan_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_taken_survives_being_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
