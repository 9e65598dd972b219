/* Where a release goes: its target, and the name that it has until it is complete. */
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "core/secret.h"
#include "engine/engine_state.h"

/* ---- tables of ours ------------------------------------------------------------------------- */

kan_status kan_engine_remember(kan_engine *engine, const char *place) {
    KAN_TRY(kan_reserve(engine->run, engine->n_leftovers + 1, sizeof *engine->leftovers,
                        &engine->leftovers_capacity, &engine->leftovers));
    engine->leftovers[engine->n_leftovers++] = place;
    return KAN_OK;
}

void kan_engine_forget(kan_engine *engine, const char *place) {
    for (size_t i = engine->n_leftovers; i-- > 0;)
        if (engine->leftovers[i] == place)
            engine->leftovers[i] = engine->leftovers[--engine->n_leftovers];
}

kan_status kan_engine_place_of(kan_engine *engine, const char *schema, const char *name,
                               const char **out) {
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_sql_place(&sql, engine->table.dialect, schema, name);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_arena_copy(&engine->arena, sql.bytes, sql.size, out);
    kan_text_destroy(&sql);
    return status;
}

/* Where tables of ours are made: beside the parts of the input, where it is divided. */
static const char *own_schema(const kan_engine *engine, const kan_engine_release *release) {
    return kan_engine_n_parts(engine) > 0 ? engine->transport->part_schema(engine->connection)
                                          : release->target.schema;
}

/* Whether tables of ours are in no schema that somebody could name. */
static bool is_nowhere(const kan_dialect *dialect) {
    return dialect->create_temporary && !dialect->temporary_in_schema;
}

const char *kan_engine_scratch(const kan_engine *engine) {
    const char *const said = kan_address_option(&engine->address, "scratch");
    if (is_nowhere(engine->table.dialect))
        return NULL;
    return said                                                   ? said
           : engine->release.is_aimed && !engine->release.is_file ? engine->release.target.schema
                                                                  : NULL;
}

bool kan_engine_has_scratch(const kan_engine *engine) {
    if (engine->transport->count_rows || !engine->table.dialect->rename) /* nothing is made there */
        return false;
    return engine->table.dialect->create_temporary || kan_engine_scratch(engine);
}

kan_status kan_engine_own_place(kan_engine *engine, const char *name, bool is_temporary,
                                const char **out) {
    const bool goes_alone = is_temporary || engine->table.dialect->makes_in_transaction;
    const char *place;
    const bool has_schema = !is_temporary || !is_nowhere(engine->table.dialect);
    KAN_TRY(kan_engine_place_of(engine, has_schema ? own_schema(engine, &engine->release) : NULL,
                                name, &place));
    if (!goes_alone)
        KAN_TRY(kan_engine_remember(engine, place));
    *out = place;
    return KAN_OK;
}

/* kanon_ and 16 digits that nobody can guess. */
kan_status kan_engine_draw_name(kan_engine *engine, const char **out) {
    kan_secret secret;
    char name[32];
    KAN_TRY(kan_secret_draw(engine->run, &secret));
    const uint64_t high = kan_secret_below(&secret, UINT64_C(1) << 32),
                   low = kan_secret_below(&secret, UINT64_C(1) << 32);
    kan_secret_forget(&secret);
    (void)snprintf(name, sizeof name, "kanon_%08" PRIx64 "%08" PRIx64, high, low);
    return kan_arena_copy(&engine->arena, name, strlen(name), out);
}

/* ---- the target ----------------------------------------------------------------------------- */

static bool is_same_name(const kan_dialect *dialect, const char *a, const char *b) {
    return (dialect->ignores_case ? strcasecmp(a, b) : strcmp(a, b)) == 0;
}

/* A schema that is looked for among those of a name that says none. */
typedef struct seeking {
    const kan_dialect *dialect;
    const char *schema;
    bool is_told, is_met;
} seeking;

static kan_status take_schema(void *context, const kan_slice *values) {
    seeking *const s = context;
    const size_t size = strlen(s->schema);
    s->is_told |= values[0].bytes != NULL;
    if (values[0].bytes && values[0].size == size)
        s->is_met |= (s->dialect->ignores_case ? strncasecmp(values[0].bytes, s->schema, size)
                                               : memcmp(values[0].bytes, s->schema, size)) == 0;
    return KAN_OK;
}

/* Whether a name without a schema may stand for one in `schema`: it is found there, or would be made
 * there. Both count of both: a release that is found where the input was would take its place. */
static kan_status may_be_in(kan_engine *engine, const char *table, const char *schema, bool *out) {
    seeking s = {.dialect = engine->table.dialect, .schema = schema};
    const kan_row_taker taker = {take_schema, &s};
    kan_text sql, name;
    *out = true;
    if (!s.dialect->schemas)
        return KAN_OK;
    kan_text_init(&sql, engine->run);
    kan_text_init(&name, engine->run);
    kan_sql_text(&name, s.dialect, kan_slice_of(table));
    kan_status status = kan_text_status(&name);
    if (status == KAN_OK)
        kan_sql_pattern(&sql, s.dialect->schemas, name.bytes);
    kan_text_destroy(&name);
    if (status != KAN_OK) {
        kan_text_destroy(&sql);
        return status;
    }
    KAN_TRY(kan_engine_query(engine, &sql, "find the schema of the table", 1, &taker));
    *out = s.is_met || !s.is_told; /* what nobody tells may be anywhere */
    return KAN_OK;
}

/* The input must not be replaced by its release, also where only one of them says its schema. */
static kan_status may_be_input(kan_engine *engine, const kan_address *target, bool *out) {
    const kan_address *const input = &engine->address;
    const kan_dialect *const dialect = engine->table.dialect;
    *out = input->table && is_same_name(dialect, input->table, target->table);
    if (!*out || (!input->schema && !target->schema))
        return KAN_OK;
    if (!input->schema || !target->schema)
        return may_be_in(engine, target->table, input->schema ? input->schema : target->schema,
                         out);
    *out = is_same_name(dialect, input->schema, target->schema);
    return KAN_OK;
}

static kan_status check_target(kan_engine *engine, const kan_address *target) {
    bool is_input = false;
    if (!kan_address_is_near(&engine->address, target))
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: a release is made where the table is, and this is not the server, the "
                        "user or the database of %s; write it there, and copy it",
                        target->text, kan_engine_name(engine));
    KAN_TRY(may_be_input(engine, target, &is_input));
    if (is_input)
        return kan_fail(
            engine->run, KAN_BAD_INPUT,
            "%s: this is the input; give the release another name, or give the schema of both",
            target->text);
    if (target->schema && kan_dialect_is_temporary(engine->table.dialect, target->schema))
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: a table in this schema disappears with the connection, and so would "
                        "the release; name a permanent schema",
                        target->text);
    /* Its schema, too: one that the engine cuts may be that of the input. */
    if (target->schema)
        KAN_TRY(kan_sql_check_name(engine->run, engine->table.dialect, target->schema));
    return kan_sql_check_name(engine->run, engine->table.dialect, target->table);
}

/* A name of parts, and its place beside those of the input. */
static kan_status name_parts(kan_engine *engine, kan_engine_release *release, const char *before,
                             const char *between, const char *after, const char **name,
                             const char **place) {
    const size_t most = engine->table.dialect->most_name_bytes;
    kan_text text;
    kan_text_init(&text, engine->run);
    kan_text_print(&text, "%s%s%s", before, between, after);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK && most && text.size > most)
        status = kan_fail(engine->run, KAN_BAD_INPUT,
                          "%s: the name of the table is too long: its parts get a longer one, and "
                          "%s takes %zu bytes; choose a shorter one",
                          release->text, engine->table.dialect->name, most);
    if (status == KAN_OK)
        status = kan_arena_copy(&engine->arena, text.bytes, text.size, name);
    if (status == KAN_OK)
        status = kan_engine_place_of(engine, own_schema(engine, release), text.bytes, place);
    kan_text_destroy(&text);
    return status;
}

/* Parts on nodes have a name that says that they may be dropped, as everything that is begun has
 * (kanon_..), and in the end one that says whose they are (NAME_part_..). */
static kan_status name_part(kan_engine *engine, kan_engine_release *release) {
    const char *const digits = strchr(release->name, '_') + 1;
    if (kan_engine_n_parts(engine) == 0) {
        release->part = release->last = release->place;
        release->part_name = release->last_name = release->name;
        return KAN_OK;
    }
    KAN_TRY(name_parts(engine, release, release->name, "_of_", release->target.table,
                       &release->part_name, &release->part));
    return name_parts(engine, release, release->target.table, "_part_", digits, &release->last_name,
                      &release->last);
}

static kan_status aim_at_file(kan_engine *engine, kan_engine_release *release) {
    if (!engine->transport->file)
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: a release of a table of %s is a table there, not a file; give its "
                        "address",
                        release->text, engine->table.dialect->name);
    release->is_file = true;
    return engine->transport->file->prepare(engine->connection, release->text, release->overwrite);
}

static kan_status aim_at_table(kan_engine *engine, kan_engine_release *release) {
    KAN_TRY(kan_address_parse(engine->run, &engine->arena, release->text, &release->target));
    KAN_TRY(check_target(engine, &release->target));
    KAN_TRY(kan_engine_place_of(engine, release->target.schema, release->name, &release->place));
    return name_part(engine, release);
}

kan_status kan_engine_aim(kan_engine *engine, const char *target, bool overwrite) {
    kan_engine_release release = {.overwrite = overwrite};
    if (engine->release.is_aimed) {
        KAN_ASSERT(strcmp(engine->release.text, target) == 0);
        return KAN_OK;
    }
    KAN_TRY(kan_arena_copy(&engine->arena, target, strlen(target), &release.text));
    if (engine->transport->name_tables)
        engine->transport->name_tables(engine->connection, &release.name, &release.target.schema);
    else
        KAN_TRY(kan_engine_draw_name(engine, &release.name));
    if (kan_address_is_one(target))
        KAN_TRY(aim_at_table(engine, &release));
    else
        KAN_TRY(aim_at_file(engine, &release));
    release.is_aimed = true;
    engine->release = release;
    return KAN_OK;
}

kan_status kan_engine_begin_release(kan_engine *engine) {
    kan_engine_release *const release = &engine->release;
    release->is_made = true;
    if (release->is_file || engine->table.dialect->makes_in_transaction)
        return KAN_OK;
    KAN_TRY(kan_engine_remember(engine, release->place));
    return release->part == release->place ? KAN_OK : kan_engine_remember(engine, release->part);
}

/* ---- before the search ---------------------------------------------------------------------- */

static kan_status take_any(void *context, const kan_slice *values) {
    (void)values;
    *(bool *)context = true;
    return KAN_OK;
}

kan_status kan_engine_find_table(kan_engine *engine, const kan_address *address, bool *out) {
    bool is_there = false;
    const kan_row_taker taker = {take_any, &is_there};
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_sql_exists(&sql, engine->table.dialect, address->schema, address->table);
    KAN_TRY(kan_engine_query(engine, &sql, "look for the table of the release", 1, &taker));
    *out = is_there;
    return KAN_OK;
}

/* Makes a table of the name that the release will have first, and drops it: whoever cannot do that
 * is told before the search. */
static kan_status try_making(kan_engine *engine) {
    const kan_dialect *const dialect = engine->table.dialect;
    const char *place;
    kan_text sql;
    KAN_TRY(kan_engine_own_place(engine, engine->release.name, false, &place));
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "%s%s (%sv %s)%s", dialect->create, place, engine->table.prefix,
                   dialect->count_type, dialect->create_tail);
    KAN_TRY(kan_engine_execute_parts(engine, &sql, "make a table for the release"));
    kan_text_init(&sql, engine->run);
    kan_sql_drop(&sql, dialect, place);
    KAN_TRY(kan_engine_execute_parts(engine, &sql, "drop a trial table"));
    kan_engine_forget(engine, place);
    return KAN_OK;
}

kan_status kan_engine_refuse_division(kan_engine *engine) {
    if (engine->transport->count_rows)
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "--emit: this search divides rows that are alike among several groups, for "
                        "which they have to stand in an order that a database does not promise to "
                        "keep; use a search over levels or cuts, such as --algorithm bisect");
    return kan_fail(engine->run, KAN_BAD_INPUT,
                    "%s: this search divides rows that are alike among several groups, which %s "
                    "cannot do without window functions; use a search over levels or cuts, such as "
                    "--algorithm bisect",
                    kan_engine_name(engine), engine->table.dialect->name);
}

/* Whether tables can be made and renamed there: of a database that is not known nobody knows how. */
static bool makes_tables(const kan_engine *engine) {
    return engine->table.dialect->rename != NULL;
}

static kan_status prepare_table(kan_engine *engine) {
    const kan_engine_release *const release = &engine->release;
    bool is_there = false;
    KAN_TRY(kan_engine_find_table(engine, &release->target, &is_there));
    if (is_there && !release->overwrite)
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: a table of that name already exists; choose another name, or replace "
                        "it with --force",
                        release->text);
    if (is_there && kan_engine_n_parts(engine) > 0)
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: a table of that name already exists, and one that is spread over "
                        "several servers is not replaced; drop it and its parts (%s_part_..) first",
                        release->text, release->target.table);
    if (kan_engine_n_parts(engine) > 0 && engine->transport->check_parts)
        KAN_TRY(engine->transport->check_parts(engine->connection));
    return try_making(engine);
}

bool kan_engine_can_divide(const kan_engine *engine) {
    return engine->table.dialect->has_windows && !engine->transport->count_rows;
}

bool kan_engine_sorts(const kan_engine *engine) {
    return engine->table.dialect->maps == KAN_MAP_JOIN && !engine->transport->count_rows;
}

kan_status kan_engine_check_shuffle(kan_engine *engine) {
    if (engine->transport->count_rows)
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "--shuffle cannot be used with --emit: its key would stand in the "
                        "statements; leave the flag out, most databases keep no order of rows");
    if (engine->table.dialect->keyed_hash)
        return KAN_OK;
    return kan_fail(engine->run, KAN_BAD_INPUT,
                    "%s: --shuffle cannot be used with a release there: %s",
                    kan_engine_name(engine), engine->table.dialect->no_order);
}

kan_status kan_engine_prepare(kan_engine *engine, const char *target, bool overwrite,
                              bool divides) {
    if (!makes_tables(engine) && !engine->transport->file)
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: a table of this database is read, and none is made in it, because its "
                        "statements are not known here; write the release to a file, or as "
                        "statements (--emit sql)",
                        target);
    if (divides && !kan_engine_can_divide(engine))
        return kan_engine_refuse_division(engine);
    KAN_TRY(kan_engine_aim(engine, target, overwrite));
    return engine->release.is_file ? KAN_OK : prepare_table(engine);
}
