/* Addresses: where a table of an engine is, as a user writes it.
 *
 *   postgres://[USER@]HOST[:PORT]/DATABASE?table=[SCHEMA.]NAME[&OPTION=VALUE..]  (or postgresql://)
 *   clickhouse://[USER@]HOST[:PORT]/DATABASE/TABLE[?OPTION=VALUE..]
 *   odbc:DSN=NAME;..;table=NAME
 *   duckdb:PATH?table=NAME
 *
 * and a schema, in which a release of several tables stands: postgres://..?schema=NAME, duckdb:PATH?schema=NAME
 *
 * An address goes into results, reports, job files and messages, and whoever lists the processes of
 * a machine sees it: a password in one is refused, with where the engine looks for it instead. In
 * the parts of a URL %41 stands for A; a part of `table` in double quotes is a name as it stands. */
#ifndef KANON_ENGINE_ADDRESS_H
#define KANON_ENGINE_ADDRESS_H

#include "core/memory.h"
#include "core/text.h"

typedef struct kan_address {
    const char *text;     /* as the user wrote it */
    const char *scheme;   /* "postgres", "clickhouse", "odbc", "duckdb" */
    const char *user;     /* NULL: not said */
    const char *host;     /* NULL: not said */
    const char *port;     /* the same */
    const char *database; /* the same; of odbc the connection string without `table` */
    const char *schema;   /* the same */
    const char *table;    /* its name, not quoted; NULL: the address is that of a schema */
    size_t n_options;     /* of a URL, without `table` */
    struct kan_address_option {
        const char *name, *value;
    } * options;
} kan_address;

/* Whether a text is an address of an engine, by its beginning, and not a path; or is meant to be one and
 * written wrong, such as postgres:u@h/db: kan_address_parse refuses it then. */
bool kan_address_is_one(const char *text);
/* Takes an address apart; its parts live in the arena. KAN_BAD_INPUT says what is wrong with it, and
 * shows how one is written; the text of a password is in no message. */
KAN_MUST_USE kan_status kan_address_parse(kan_run *run, kan_arena *arena, const char *text,
                                          kan_address *out);
/* The same of a table or a schema; of other engines than those of which a schema is taken, a table. */
KAN_MUST_USE kan_status kan_address_parse_any(kan_run *run, kan_arena *arena, const char *text,
                                              kan_address *out);
/* Whether an address that parses may stand in a file which somebody else may have written: nothing in it
 * makes the engine's client load code. KAN_BAD_INPUT otherwise. */
KAN_MUST_USE kan_status kan_address_check_shared(kan_run *run, const kan_address *address);
/* Whether its database is a file, by its path. */
bool kan_address_is_file(const kan_address *address);
/* The value of an option, NULL where there is none. */
const char *kan_address_option(const kan_address *address, const char *name);
/* Whether two addresses are of the same engine, server, user and database: one connection can reach
 * both tables. */
bool kan_address_is_near(const kan_address *a, const kan_address *b);

#endif
