/* The recount as a query: the groups that the release should have stand in a table, with how many rows each
 * has, and those that the working table has are held against them, by bytes. The release gets all rows, or
 * none where that query or the probe gives a row. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/script/script_inside.h"
#include "engine/tuples.h"

enum { NUMBER_ROOM = 24 };

typedef struct expecting {
    kan_engine *engine;
    kan_script *script;
    const kan_table *expected;
    kan_engine_tuples groups;
    kan_text recount;  /* the query */
    const char *place; /* of the table of groups */
    uint64_t next;
    char number[NUMBER_ROOM];
} expecting;

static kan_status list_groups(expecting *e) {
    const size_t n = e->expected->n_columns;
    uint32_t *n_codes, *codes;
    kan_engine_tuples_init(&e->groups, e->script->run, n);
    for (uint64_t row = 0; row < e->expected->n_rows; row++) {
        KAN_TRY(kan_engine_tuples_add(&e->groups, kan_table_count(e->expected, row), &codes));
        for (size_t i = 0; i < n; i++)
            codes[i] = kan_column_code(&e->expected->columns[i], row);
    }
    KAN_TRY(kan_alloc(e->script->run, n, sizeof *n_codes, &n_codes));
    for (size_t i = 0; i < n; i++)
        n_codes[i] = e->expected->columns[i].dictionary.n;
    const kan_status status = kan_engine_tuples_sort(&e->groups, n_codes, NULL);
    kan_free(e->script->run, n_codes);
    return status;
}

static kan_status give_group(void *context, kan_slice *values, bool *is_row) {
    expecting *const e = context;
    const size_t n = e->expected->n_columns;
    *is_row = e->next < e->groups.n;
    if (!*is_row)
        return KAN_OK;
    for (size_t i = 0; i < n; i++)
        values[i] = kan_dictionary_value(&e->expected->columns[i].dictionary,
                                         kan_engine_tuples_code(&e->groups, e->next, i));
    const int size = snprintf(e->number, sizeof e->number, "%" PRIu64, e->groups.counts[e->next]);
    values[n] = (kan_slice){e->number, (size_t)size};
    e->next++;
    return KAN_OK;
}

static kan_status make_groups(expecting *e) {
    kan_script *const script = e->script;
    const kan_dialect *const dialect = script->dialect;
    const size_t n = e->expected->n_columns;
    const char *const p = e->engine->release.counted.prefix;
    char name[64];
    kan_text sql;
    (void)snprintf(name, sizeof name, "%s_e", script->name);
    KAN_TRY(kan_engine_own_place(e->engine, name, dialect->create_temporary != NULL, &e->place));
    kan_text_init(&sql, script->run);
    kan_text_print(&sql, "%s%s (",
                   dialect->create_temporary ? dialect->create_temporary : dialect->create,
                   e->place);
    for (size_t i = 0; i < n; i++)
        kan_text_print(&sql, "%sc%zu %s, ", p, i, dialect->key_type);
    kan_text_print(&sql, "%sn %s)%s", p, dialect->count_type, dialect->create_tail);
    KAN_TRY(kan_engine_execute(e->engine, 0, &sql, "the groups that the release should have"));
    const kan_row_giver giver = {give_group, e};
    return kan_script_load(script, 0, e->place, n + 1, &giver);
}

/* A row for each group with another number of rows than it should have; it shows both, and no value. */
static void write_recount(expecting *e) {
    const kan_sql_table *const counted = &e->engine->release.counted;
    kan_text *const sql = &e->recount;
    const char *const p = counted->prefix;
    const size_t n = counted->n_columns;
    kan_text_print(sql, "SELECT sum(%sa) AS %sfound, sum(%sn) AS %sexpected FROM (SELECT ", p, p, p,
                   p);
    for (size_t i = 0; i < n; i++) {
        kan_sql_column_key(sql, counted, i, NULL);
        kan_text_print(sql, " AS %sc%zu, ", p, i);
    }
    kan_text_print(sql, "1 AS %sa, 0 AS %sn FROM %s UNION ALL SELECT ", p, p, e->script->working);
    for (size_t i = 0; i < n; i++)
        kan_text_print(sql, "%sc%zu, ", p, i);
    kan_text_print(sql, "0 AS %sa, %sn FROM %s) AS %su GROUP BY ", p, p, e->place, p);
    for (size_t i = 0; i < n; i++)
        kan_text_print(sql, "%s%sc%zu", i ? ", " : "", p, i);
    kan_text_print(sql, " HAVING sum(%sa) <> sum(%sn)", p, p);
}

static void write_release(const expecting *e, kan_text *sql) {
    const kan_dialect *const dialect = e->script->dialect;
    kan_text_print(sql,
                   "%s%s%sSELECT * FROM %s WHERE (SELECT count(*) FROM (%s) AS kx_x) = 0 AND "
                   "(SELECT count(*) FROM (",
                   dialect->create, e->script->release, dialect->create_as, e->script->working,
                   e->recount.bytes);
    kan_script_add_probe(sql, e->script);
    kan_text_print(sql, ") AS kx_y) = 0");
}

static kan_status drop(expecting *e, const char *place, const char *what) {
    kan_text sql;
    kan_text_init(&sql, e->script->run);
    kan_sql_drop(&sql, e->script->dialect, place);
    return kan_engine_execute(e->engine, 0, &sql, what);
}

static kan_status write_statements(expecting *e) {
    kan_script *const script = e->script;
    kan_text sql;
    KAN_TRY(make_groups(e));
    write_recount(e);
    KAN_TRY(kan_text_status(&e->recount));
    kan_script_add(script, "the recount: must return no row", e->recount.bytes);
    kan_text_init(&sql, script->run);
    write_release(e, &sql);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        kan_script_add(script, "the release", sql.bytes);
    kan_text_destroy(&sql);
    KAN_TRY(status);
    KAN_TRY(drop(e, script->working, "drop the working table"));
    KAN_TRY(drop(e, e->place, "drop the groups"));
    if (script->dialect->commit)
        kan_script_add(script, "the end", script->dialect->commit);
    return kan_text_status(&script->statements);
}

kan_status kan_script_expect(kan_engine *engine, const kan_table *expected) {
    expecting e = {.engine = engine, .script = engine->connection, .expected = expected};
    kan_status status;
    KAN_ASSERT(expected->n_columns == engine->release.counted.n_columns);
    kan_text_init(&e.recount, engine->run);
    status = list_groups(&e);
    if (status == KAN_OK)
        status = write_statements(&e);
    kan_engine_tuples_destroy(&e.groups);
    kan_text_destroy(&e.recount);
    return status;
}
