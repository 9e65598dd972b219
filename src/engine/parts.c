/* The parts of a divided table: how many rows each has, by itself, before the release is made and after.
 * A part that was left out by whoever added up is found here, and rows that come or go meanwhile, the
 * sooner the better; the recount of groups would find both. */
#include <inttypes.h>

#include "engine/engine_state.h"

static kan_status take_number(void *context, const kan_slice *values) {
    uint64_t *const number = context;
    *number = 0;
    for (size_t i = 0; i < values[0].size; i++)
        *number = *number * 10 + (uint64_t)(values[0].bytes[i] - '0');
    return KAN_OK;
}

static kan_status count_part(kan_engine *engine, size_t node, uint64_t *out) {
    const kan_row_taker taker = {take_number, out};
    kan_text sql;
    *out = UINT64_MAX;
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "SELECT ");
    kan_sql_pattern(&sql, engine->table.dialect->number_text, "count(*)");
    kan_text_print(&sql, " FROM %s", engine->transport->part(engine->connection));
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK) {
        const kan_statement statement = {.sql = sql.bytes, .what = "count the rows of a part"};
        status = engine->transport->query(engine->connection, node, &statement, 1, &taker);
    }
    kan_text_destroy(&sql);
    return status;
}

kan_status kan_engine_check_parts(kan_engine *engine, uint64_t n_rows) {
    const size_t n_parts = kan_engine_n_parts(engine);
    const bool is_first = !engine->n_rows_of_part;
    uint64_t sum = 0;
    if (is_first)
        KAN_TRY(kan_alloc(engine->run, n_parts, sizeof *engine->n_rows_of_part,
                          &engine->n_rows_of_part));
    for (size_t i = 0; i < n_parts; i++) {
        uint64_t n;
        KAN_TRY(count_part(engine, i + 1, &n));
        if (!is_first && n != engine->n_rows_of_part[i])
            return kan_fail(engine->run, KAN_FAILED,
                            "%s: part %zu has %" PRIu64 " rows now, and had %" PRIu64 "; the table "
                            "was changed meanwhile; run it again when nobody writes to it",
                            kan_engine_name(engine), i + 1, n, engine->n_rows_of_part[i]);
        engine->n_rows_of_part[i] = n;
        sum += n;
    }
    if (sum != n_rows)
        return kan_fail(engine->run, KAN_FAILED,
                        "%s: %" PRIu64 " rows were counted, and its parts have %" PRIu64
                        "; the table was changed meanwhile, or the address does not have all parts",
                        kan_engine_name(engine), n_rows, sum);
    return KAN_OK;
}
