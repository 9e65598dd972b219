/* The values of a column as the engine writes them, one by one, with their code in the table. */
#ifndef KANON_ENGINE_MAP_READER_H
#define KANON_ENGINE_MAP_READER_H

#include "engine/apply_plan.h"

typedef struct kan_map_reader {
    const kan_engine_reals *reals; /* NULL: the dictionary has the engine's own texts */
    const kan_dictionary *dictionary;
    const uint32_t *number_of_value; /* values that no row has are passed over; NULL: none are */
    uint32_t next, n;
} kan_map_reader;

/* For column `source` of the table, and its labels in column `column` of the release; SIZE_MAX:
 * they are not asked for. */
kan_map_reader kan_map_reader_begin(const kan_engine *engine, const kan_apply_plan *plan,
                                    size_t source, size_t column);
/* False behind the last. */
bool kan_map_read(kan_map_reader *reader, kan_slice *text, uint32_t *code);

#endif
