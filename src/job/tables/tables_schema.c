/* A release in a schema of a database: what is looked at before the search, and its connection. */
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "engine/schema/schema.h"
#include "job/tables/tables_inside.h"

const kan_sink_kind *kan_clan_schema_sink(void) {
    return &kan_sink_schema;
}

/* ---- opening -------------------------------------------------------------------------------- */

static kan_status parse(const kan_clan *clan, const char *setting, const char *text,
                        kan_address *out) {
    KAN_TRY(kan_address_parse_any(clan->run, &clan->job->arena, text, out));
    if (!out->table)
        return KAN_OK;
    return kan_fail(clan->run, KAN_BAD_INPUT,
                    "%s %s: this is the address of one table; several are tables of a schema of "
                    "PostgreSQL or DuckDB, postgres://HOST/DATABASE?schema=NAME or "
                    "duckdb:FILE?schema=NAME, and in other databases there are none yet, because "
                    "they do not give several tables their names in one step",
                    setting, text);
}

static const kan_source_kind *kind_of(const char *path) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SOURCE); i++) {
        const kan_source_kind *kind =
            (const kan_source_kind *)kan_registry_at(KAN_FAMILY_SOURCE, i);
        if (kind->takes && kind->takes(path))
            return kind;
    }
    return NULL;
}

kan_status kan_clan_open_schema(kan_clan *clan, const char *setting, const char *address) {
    const kan_source_options options = {.is_schema = true, .given = &clan->job->options};
    const kan_source_kind *kind = kind_of(address);
    kan_address parsed;
    KAN_TRY(parse(clan, setting, address, &parsed));
    if (!kind)
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "%s: databases of this kind are not supported here; `kanon list` shows "
                        "what is",
                        parsed.scheme);
    KAN_TRY(kan_source_open(clan->run, kind, address, &options, &clan->schema));
    return kan_schema_check(kan_engine_of(clan->schema));
}

void kan_clan_close_schema(kan_clan *clan) {
    kan_source_close(clan->schema);
    clan->schema = NULL;
}

struct kan_engine *kan_clan_engine(const kan_clan *clan) {
    return clan->schema ? kan_engine_of(clan->schema) : NULL;
}

/* ---- before the search ---------------------------------------------------------------------- */

/* Whether a table that is read may be one that the release would replace, or be found in the place of: the
 * same server may have many names, so that none of them is believed. */
static bool may_be(const kan_address *read, const kan_address *schema, const char *name) {
    return read->table && strcasecmp(read->table, name) == 0 &&
           (!read->schema || strcasecmp(read->schema, schema->schema) == 0);
}

/* A file that is read is not written: what is read there may be a view of what would be replaced. */
static kan_status check_file(const kan_clan *clan, const char *target, const kan_address *schema,
                             const kan_address *read) {
    struct stat a, b;
    if (stat(schema->database, &a) != 0 || stat(read->database, &b) != 0 || a.st_dev != b.st_dev ||
        a.st_ino != b.st_ino)
        return KAN_OK;
    return kan_fail(clan->run, KAN_BAD_INPUT,
                    "--output %s: that file is read, too (%s); choose another file", target,
                    read->text);
}

static kan_status check_names(const kan_clan *clan, const char *target, const kan_address *schema,
                              const kan_address *read) {
    for (size_t t = 0; t < clan->n; t++)
        if (may_be(read, schema, clan->names[t]))
            return kan_fail(clan->run, KAN_BAD_INPUT,
                            "--output %s: table '%s' of the release is, or may be, %s, which is "
                            "read; choose another schema%s",
                            target, clan->names[t], read->text,
                            read->schema ? "" : ", and say that of the input: table=SCHEMA.NAME");
    return KAN_OK;
}

kan_status kan_clan_check_schema_address(const kan_clan *clan, const char *target) {
    kan_address schema, read;
    KAN_TRY(parse(clan, "--output", target, &schema));
    for (size_t t = 0; t < clan->n; t++) {
        const char *input = kan_options_find(&clan->tables[t].part->job->options, "input");
        if (!kan_path_is_address(input))
            continue;
        KAN_TRY(kan_address_parse(clan->run, &clan->job->arena, input, &read));
        if (strcmp(read.scheme, schema.scheme) == 0)
            KAN_TRY(kan_address_is_file(&read) ? check_file(clan, target, &schema, &read)
                                               : check_names(clan, target, &schema, &read));
    }
    return KAN_OK;
}

kan_status kan_clan_make_schema(kan_clan *clan) {
    kan_schema_table tables[KAN_MOST_TABLES];
    for (size_t t = 0; t < clan->n; t++) {
        const kan_setup *setup = &clan->tables[t].setup;
        const char **names;
        tables[t] = (kan_schema_table){.name = clan->names[t]};
        KAN_TRY(kan_arena_alloc(&clan->arena, setup->input.n_columns, sizeof *names, &names));
        for (size_t i = 0; i < setup->input.n_columns; i++)
            if (kan_setup_releases(setup, i))
                names[tables[t].n_columns++] = setup->input.columns[i];
        tables[t].columns = names;
    }
    return kan_schema_make(kan_clan_engine(clan), tables, clan->n,
                           kan_options_switch(&clan->job->options, "force"));
}

/* The tables are made and taken back: who may not do that, or has other names there, learns it now. So does
 * who reads by a view what would be replaced. */
kan_status kan_clan_check_schema(kan_clan *clan, const char *target) {
    kan_status status = kan_clan_open_schema(clan, "--output", target);
    if (status == KAN_OK)
        status = kan_clan_make_schema(clan);
    if (status == KAN_OK)
        status = kan_schema_try_replacing(kan_clan_engine(clan));
    kan_clan_close_schema(clan);
    return status;
}

kan_status kan_clan_name_schema(const kan_clan *clan) {
    return kan_schema_name(kan_clan_engine(clan));
}
