/* Gathering: whoever hands over which block, in whichever order, the table is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "io/gather.h"
#include "support/random_problem.h"

enum { COLUMNS = 3, BLOCKS = 7, MOST = 300, WORKERS = 3 };

static const char *const names[COLUMNS] = {"text", "left out", "number"};
static const bool encode[COLUMNS] = {true, false, true};

typedef struct {
    size_t n_rows[BLOCKS];
    uint32_t values[BLOCKS][MOST];
} world;

static kan_gather *begin(kan_run *run, unsigned n_workers, size_t n_blocks) {
    kan_gather *gather;
    const kan_gather_plan plan = {.name = "a table",
                                  .n_columns = COLUMNS,
                                  .columns = names,
                                  .encode = encode,
                                  .n_workers = n_workers,
                                  .n_blocks = n_blocks};
    assert_int_equal(kan_gather_begin(run, &plan, &gather), KAN_OK);
    return gather;
}

/* The code of a number; its word is the number's bits, as readers have it. */
static uint32_t add_number(kan_gather *gather, unsigned worker, size_t column, double number) {
    char room[KAN_NUMBER_ROOM];
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    uint32_t code = kan_gather_find_word(gather, worker, column, word);
    const kan_slice text = {room, kan_number_text(number, room)};
    if (code == KAN_CODE_LIMIT)
        assert_int_equal(kan_gather_add_word(gather, worker, column, word, text, &code), KAN_OK);
    return code;
}

static void hand_over(kan_gather *gather, const world *w, size_t block, unsigned worker) {
    static uint32_t room[2][MOST];
    uint32_t *codes[2] = {room[0], room[1]};
    for (size_t i = 0; i < w->n_rows[block]; i++) {
        char text[32];
        snprintf(text, sizeof text, "value %u", w->values[block][i]);
        assert_int_equal(
            kan_encoder_add(kan_gather_encoder(gather, worker, 0), kan_slice_of(text), &room[0][i]),
            KAN_OK);
        room[1][i] = add_number(gather, worker, 2, w->values[block][i] / 4.0);
    }
    assert_null(kan_gather_encoder(gather, worker, 1));
    assert_int_equal(kan_gather_block(gather, block, worker, w->n_rows[block], codes), KAN_OK);
}

static void assert_table(const world *w, kan_table *table) {
    uint64_t row = 0;
    assert_false(table->columns[1].is_encoded);
    assert_int_equal(table->columns[2].dictionary.type, KAN_TYPE_NUMBER);
    for (size_t b = 0; b < BLOCKS; b++)
        for (size_t i = 0; i < w->n_rows[b]; i++, row++) {
            char text[32], number[KAN_NUMBER_ROOM];
            snprintf(text, sizeof text, "value %u", w->values[b][i]);
            const size_t size = kan_number_text(w->values[b][i] / 4.0, number);
            assert_true(kan_slice_is(kan_column_value(&table->columns[0], row), text));
            assert_true(kan_slice_equal(kan_column_value(&table->columns[2], row),
                                        (kan_slice){number, size}));
        }
    assert_int_equal(table->n_rows, row);
    kan_table_destroy(table);
}

static void blocks_in_any_order_by_anybody_make_the_same_table(void **state) {
    static world w;
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint64_t random = seed;
        kan_run *run = kan_run_create();
        kan_table *table;
        for (size_t b = 0; b < BLOCKS; b++) {
            w.n_rows[b] = b == 0 ? 1 : between(&random, 0, MOST);
            for (size_t i = 0; i < w.n_rows[b]; i++)
                w.values[b][i] = (uint32_t)between(&random, 0, seed % 2 ? 5 : 5000);
        }
        kan_gather *gather = begin(run, WORKERS, BLOCKS);
        const size_t first = between(&random, 0, BLOCKS - 1);
        for (size_t i = 0; i < BLOCKS; i++)
            hand_over(gather, &w, (first + i * 3) % BLOCKS,
                      (unsigned)between(&random, 0, WORKERS - 1));
        assert_int_equal(kan_gather_finish(gather, &table), KAN_OK);
        kan_gather_free(gather);
        assert_table(&w, table);
        gather = begin(run, 1, 0); /* in order, by one */
        for (size_t b = 0; b < BLOCKS; b++)
            hand_over(gather, &w, b, 0);
        assert_int_equal(kan_gather_finish(gather, &table), KAN_OK);
        kan_gather_free(gather);
        assert_table(&w, table);
        kan_run_destroy(run);
    }
}

static void no_row_is_an_error(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_table *table;
    kan_gather *gather = begin(run, 1, 0);
    assert_int_equal(kan_gather_finish(gather, &table), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "a table: a header but no rows"));
    kan_gather_free(gather);
    kan_run_destroy(run);
}

static void a_word_has_the_code_of_its_text(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_gather *gather = begin(run, 1, 0);
    for (uint32_t round = 0; round < 2; round++)
        for (uint64_t word = 0; word < 5000; word++) {
            char text[32];
            uint32_t code = kan_gather_find_word(gather, 0, 0, word << 40);
            assert_true((code == KAN_CODE_LIMIT) == (round == 0));
            snprintf(text, sizeof text, "%d", (int)(word / 2));
            if (round == 0)
                assert_int_equal(
                    kan_gather_add_word(gather, 0, 0, word << 40, kan_slice_of(text), &code),
                    KAN_OK);
            assert_int_equal(code, word / 2); /* two words, one text */
        }
    kan_gather_free(gather);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_in_any_order_by_anybody_make_the_same_table),
        cmocka_unit_test(no_row_is_an_error),
        cmocka_unit_test(a_word_has_the_code_of_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
