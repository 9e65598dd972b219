/* The release, counted by the engine from what it now has. */
#include "engine/engine_state.h"

kan_status kan_engine_recount(kan_engine *engine, kan_table **out) {
    kan_sql_table *const counted = &engine->release.counted;
    kan_engine_count_plan plan = {
        .table = counted, .what = "count the rows of the release", .stage = "verify"};
    bool *encode = NULL;
    kan_status status;
    kan_text sql;
    KAN_ASSERT(engine->release.is_made);
    kan_text_init(&sql, engine->run);
    if (engine->release.is_file)
        engine->transport->file->place(engine->connection, &sql);
    else
        kan_text_print(&sql, "%s", engine->release.place);
    KAN_TRY_DONE(kan_text_status(&sql));
    counted->place = sql.bytes;
    KAN_TRY_DONE(kan_alloc(engine->run, counted->n_columns, sizeof *encode, &encode));
    memset(encode, true, counted->n_columns * sizeof *encode);
    plan.encode = encode;
    KAN_TRY_DONE(kan_engine_count(engine, &plan, out));
done:
    counted->place = NULL;
    kan_free(engine->run, encode);
    kan_text_destroy(&sql);
    return status;
}
