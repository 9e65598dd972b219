/* The same text with quotes in one row and without them in another: one value here, and two to programs that
 * take what is quoted for text, and what is not for a number or, where it is empty or NA, for a missing
 * value. Whoever writes a table quotes by the text, or by the column; a text that is there in both ways
 * was two values.
 *
 * Two walks: what is quoted is gathered, each text once; then what is not is looked for among it. Files
 * without quotes, and columns without, need neither. */
#include "io/csv/csv_source.h"

typedef struct {
    size_t n_columns;
    size_t *columns;     /* of the source, ascending */
    kan_encoder *quoted; /* by worker and column, all of n_columns */
    bool *is_found;      /* the same */
} looking;

static bool is_quoted(const kan_csv_walk *walk, const kan_csv_field *field) {
    return field->size > 0 && walk->bytes[field->start] == '"';
}

static kan_status gather_quoted(void *context, const kan_csv_block *block, kan_csv_walk *walk,
                                unsigned worker) {
    looking *l = context;
    for (size_t i = 0; i < block->n_rows; i++)
        for (size_t c = 0; c < l->n_columns; c++) {
            const kan_csv_field *field = &walk->places[i * l->n_columns + c];
            kan_slice value;
            uint32_t code;
            if (!is_quoted(walk, field))
                continue;
            KAN_TRY(
                kan_csv_unquote(walk->bytes + field->start, field->size, &walk->unquoted, &value));
            KAN_TRY(kan_encoder_add(&l->quoted[worker * l->n_columns + c], value, &code));
        }
    return KAN_OK;
}

static kan_status look_at_plain(void *context, const kan_csv_block *block, kan_csv_walk *walk,
                                unsigned worker) {
    looking *l = context;
    for (size_t i = 0; i < block->n_rows; i++)
        for (size_t c = 0; c < l->n_columns; c++) {
            const kan_csv_field *field = &walk->places[i * l->n_columns + c];
            bool *is_found = &l->is_found[worker * l->n_columns + c];
            if (!*is_found && !is_quoted(walk, field))
                *is_found = kan_encoder_find(&l->quoted[c], walk->bytes + field->start,
                                             field->size) != KAN_CODE_LIMIT;
        }
    return KAN_OK;
}

/* All that was quoted goes to the first worker. */
static kan_status merge(looking *l, unsigned n_workers) {
    uint32_t code;
    for (size_t c = 0; c < l->n_columns; c++)
        for (unsigned w = 1; w < n_workers; w++) {
            const kan_encoder *from = &l->quoted[w * l->n_columns + c];
            for (uint32_t i = 0; i < from->n; i++)
                KAN_TRY(kan_encoder_add(&l->quoted[c], kan_encoder_value(from, i), &code));
        }
    return KAN_OK;
}

static kan_status look(kan_csv_source *source, looking *l, unsigned n_workers, bool *found) {
    kan_csv_visit visit = {.columns = l->columns,
                           .n_columns = l->n_columns,
                           .quoted_alone = true,
                           .take = gather_quoted,
                           .context = l};
    size_t n_quoted = 0;
    KAN_TRY(kan_csv_visit_fields(source, &visit));
    KAN_TRY(merge(l, n_workers));
    for (size_t c = 0; c < l->n_columns; c++)
        n_quoted += l->quoted[c].n;
    if (n_quoted == 0)
        return KAN_OK;
    visit.quoted_alone = false;
    visit.take = look_at_plain;
    KAN_TRY(kan_csv_visit_fields(source, &visit));
    for (size_t i = 0; i < n_workers * l->n_columns; i++)
        found[l->columns[i % l->n_columns]] |= l->is_found[i];
    return KAN_OK;
}

kan_status kan_csv_find_apart(kan_csv_source *source, const bool *columns, bool *found) {
    kan_run *run = source->run;
    const unsigned n_workers = kan_run_threads(run);
    looking l = {.n_columns = 0};
    size_t n_begun = 0;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, source->n_columns, sizeof *l.columns, &l.columns));
    for (size_t i = 0; i < source->n_columns; i++)
        if (columns[i])
            l.columns[l.n_columns++] = i;
    KAN_TRY_DONE(kan_alloc_zero(run, n_workers * l.n_columns, sizeof *l.quoted, &l.quoted));
    KAN_TRY_DONE(kan_alloc_zero(run, n_workers * l.n_columns, 1, &l.is_found));
    for (; n_begun < n_workers * l.n_columns; n_begun++)
        KAN_TRY_DONE(kan_encoder_init(&l.quoted[n_begun], run));
    KAN_TRY_DONE(l.n_columns > 0 ? look(source, &l, n_workers, found) : KAN_OK);
done:
    for (size_t i = 0; i < n_begun; i++)
        kan_encoder_destroy(&l.quoted[i]);
    kan_free(run, l.columns);
    kan_free(run, l.quoted);
    kan_free(run, l.is_found);
    return status;
}
