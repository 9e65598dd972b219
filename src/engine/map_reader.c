#include "engine/map_reader.h"

kan_map_reader kan_map_reader_begin(const kan_engine *engine, const kan_apply_plan *plan,
                                    size_t source, size_t column) {
    const kan_engine_reals *const reals = &engine->reals[source];
    kan_map_reader reader = {.dictionary = &plan->order->table->columns[source].dictionary};
    reader.reals =
        kan_sql_form_rewrites(plan->input->columns[source].form) && reals->is_there ? reals : NULL;
    reader.n = reader.reals ? reals->given.n : reader.dictionary->n;
    if (column != SIZE_MAX)
        reader.number_of_value = plan->columns[column].number_of_value;
    return reader;
}

/* The code of a text of the engine; false: no row of the table has it. */
static bool find_code(const kan_map_reader *reader, uint32_t at, kan_slice *text, uint32_t *code) {
    if (!reader->reals) {
        *text = kan_dictionary_value(reader->dictionary, at);
        *code = at;
    } else {
        const size_t *const start = reader->reals->start;
        const kan_slice written = {reader->reals->written.bytes + start[at],
                                   start[at + 1] - start[at]};
        *text = kan_encoder_value(&reader->reals->given, at);
        if (!kan_dictionary_find(reader->dictionary, written, code))
            return false;
    }
    return !reader->number_of_value || reader->number_of_value[*code] != UINT32_MAX;
}

bool kan_map_read(kan_map_reader *reader, kan_slice *text, uint32_t *code) {
    while (reader->next < reader->n)
        if (find_code(reader, reader->next++, text, code))
            return true;
    return false;
}
