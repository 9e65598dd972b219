/* The inside of engine/schema. */
#ifndef KANON_ENGINE_SCHEMA_SCHEMA_STATE_H
#define KANON_ENGINE_SCHEMA_SCHEMA_STATE_H

#include "engine/engine_state.h"
#include "engine/schema/schema.h"

/* The table of that name that was made and is not named yet; NULL: there is none. */
const kan_engine_made *kan_schema_find_made(const kan_engine *schema, const char *name);

#endif
