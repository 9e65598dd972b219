/* The door of engine/postgres: tables of PostgreSQL, by libpq, which is loaded when one is asked for.
 *
 * connect.c connects, by libpq's own rules for what an address does not say; columns.c finds the
 * table; wait.c sends statements, waits for them, and cancels them; copy.c moves rows by COPY; error.c
 * says what went wrong. The room may use engine, and nothing of job. */
#ifndef KANON_ENGINE_POSTGRES_POSTGRES_H
#define KANON_ENGINE_POSTGRES_POSTGRES_H

#include "engine/engine.h"

extern const kan_engine_kind kan_engine_postgres;

#endif
