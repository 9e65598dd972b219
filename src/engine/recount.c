/* The release, counted by the engine from what it now has. */
#include "engine/engine_state.h"

/* The release is new: without its numbers of values rows would be sorted, not hashed. It is ours; no table of
 * the user's is touched so. */
static kan_status learn(kan_engine *engine, const kan_sql_table *counted) {
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "%s%s", counted->dialect->analyze, counted->place);
    return kan_engine_execute(engine, 0, &sql, "read the release");
}

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
    if (!engine->release.is_file && counted->dialect->analyze)
        KAN_TRY_DONE(learn(engine, counted));
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
