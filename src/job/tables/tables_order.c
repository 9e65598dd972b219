/* The order of rows that come in none, as those of a database do: one that follows from the secret of the
 * pseudonyms, so that nobody else learns anything by it, and who has the secret finds it again.
 *
 * What counts rows sorts them by their values: released so, the first of two * would be the smaller one. */
#include <stdlib.h>

#include "data/treat/treat.h"
#include "job/tables/tables_inside.h"

typedef struct {
    char text[KAN_TREATED_ROOM]; /* a keyed digest of what the row has */
    size_t size;
    uint64_t row;
} placed_row;

static int compare_placed(const void *a, const void *b) {
    const placed_row *x = a, *y = b;
    const int order =
        kan_slice_compare((kan_slice){x->text, x->size}, (kan_slice){y->text, y->size});
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* All that is known of a row, sizes before texts. */
static kan_status write_row(const kan_table *table, uint64_t row, kan_text *text) {
    text->size = 0;
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!table->columns[i].is_encoded)
            continue;
        const kan_slice value = kan_column_value(&table->columns[i], row);
        kan_text_print(text, "%zu:", value.size);
        kan_text_add(text, value.bytes, value.size);
    }
    return kan_text_status(text);
}

static kan_status place_rows(kan_clan *clan, const kan_clan_table *table, placed_row *rows) {
    const kan_input *input = &table->setup.input;
    /* without pseudonyms a table has no key, and any will do: rows of the release are shuffled */
    const kan_slice drawn = {(const char *)clan->drawn_key, sizeof clan->drawn_key};
    const kan_slice key = {(const char *)input->key, input->key_size};
    const kan_treatment order = {.is_pseudonym = true,
                                 .key = key.size > 0 ? key : drawn,
                                 .domain = kan_slice_of("the order of rows")};
    kan_text text;
    kan_status status = KAN_OK;
    kan_text_init(&text, clan->run);
    for (uint64_t row = 0; row < input->owned->n_rows; row++) {
        char room[KAN_TREATED_ROOM];
        kan_slice digest;
        if (row % 4096 == 0)
            KAN_TRY_DONE(kan_check_cancel(clan->run));
        KAN_TRY_DONE(write_row(input->owned, row, &text));
        (void)kan_treat_value(&order, (kan_slice){text.bytes, text.size}, room, &digest);
        KAN_ASSERT(digest.size > 0 && digest.size <= sizeof rows[row].text);
        memcpy(rows[row].text, digest.bytes, digest.size);
        rows[row].size = digest.size;
        rows[row].row = row;
    }
done:
    kan_text_destroy(&text);
    return status;
}

/* The rows as they are placed, each as often as it counts. */
static kan_status divide(kan_clan *clan, kan_input *input, const placed_row *rows) {
    const kan_table *table = input->owned;
    const uint64_t n = table->n_counted, n_distinct = table->n_rows;
    uint64_t *row_of, *ones, at = 0;
    KAN_TRY(kan_alloc(clan->run, (size_t)n, sizeof *row_of, &row_of));
    kan_status status = kan_alloc(clan->run, (size_t)n, sizeof *ones, &ones);
    if (status == KAN_OK) {
        for (uint64_t i = 0; i < n_distinct; i++)
            for (uint64_t c = 0; c < table->counts[rows[i].row]; c++, at++) {
                row_of[at] = rows[i].row;
                ones[at] = 1;
            }
        status = kan_input_divide(input, row_of, n, ones);
    }
    kan_free(clan->run, row_of);
    return status == KAN_OK ? kan_table_repeat(input->owned) : status;
}

kan_status kan_clan_read_counted(kan_clan *clan, kan_clan_table *table) {
    kan_input *input = &table->setup.input;
    placed_row *rows;
    kan_input_take_counts(input);
    KAN_TRY(kan_input_read(input));
    table->is_unordered = input->owned && input->owned->counts; /* none is owned: it is in memory */
    if (!table->is_unordered)
        return KAN_OK;
    KAN_TRY(kan_alloc(clan->run, (size_t)input->owned->n_rows, sizeof *rows, &rows));
    kan_status status = place_rows(clan, table, rows);
    if (status == KAN_OK) {
        qsort(rows, (size_t)input->owned->n_rows, sizeof *rows, compare_placed);
        status = divide(clan, input, rows);
    }
    kan_free(clan->run, rows);
    return status;
}
