/* A number for each field of some columns, in one more walk over the source.
 *
 * For columns that nobody encodes, because they may be as large as the file: 8 bytes per row and
 * column are enough to ask which rows show the same. A field counts as it is read: quotes that only
 * protect a value change nothing. */
#include "core/hash.h"
#include "core/spill.h"
#include "io/csv/csv_source.h"

typedef struct {
    kan_csv_source *source;
    size_t n_columns;
    uint64_t *const *out;
} hashing;

static kan_status hash_block(void *context, const kan_csv_block *block, kan_csv_walk *walk,
                             unsigned worker) {
    const hashing *h = context;
    (void)worker;
    for (size_t i = 0; i < block->n_rows; i++)
        for (size_t c = 0; c < h->n_columns; c++) {
            const kan_csv_field *field = &walk->places[i * h->n_columns + c];
            kan_slice value;
            KAN_TRY(
                kan_csv_unquote(walk->bytes + field->start, field->size, &walk->unquoted, &value));
            h->out[c][block->first_row + i] = kan_hash_bytes(value.bytes, value.size);
        }
    for (size_t c = 0; c < h->n_columns; c++)
        kan_spill_done(h->source->run, h->out[c] + block->first_row,
                       block->n_rows * sizeof **h->out);
    return KAN_OK;
}

kan_status kan_csv_hash(kan_csv_source *source, const size_t *columns, size_t n_columns,
                        uint64_t *const *out) {
    hashing h = {.source = source, .n_columns = n_columns, .out = out};
    return kan_csv_visit_fields(
        source, &(kan_csv_visit){
                    .columns = columns, .n_columns = n_columns, .take = hash_block, .context = &h});
}
