/* Libraries of engines, which are loaded when an engine is asked for: who has none needs none. */
#ifndef KANON_ENGINE_LIBRARY_H
#define KANON_ENGINE_LIBRARY_H

#include "core/run.h"

typedef struct kan_library_plan {
    const char *what;     /* what needs it: "a table of PostgreSQL" */
    const char *files[3]; /* names to try, such as libpq.so.5 */
    const char *package;  /* Debian's, for the message: "libpq5" */
    /* The calls: their names, and where the pointers go, one behind the other. */
    const char *const *names;
    size_t n;
    void *calls;
} kan_library_plan;

/* Loads the library and finds the calls. KAN_BAD_INPUT says what to install. It stays loaded until
 * the program ends. */
KAN_MUST_USE kan_status kan_library_load(kan_run *run, const kan_library_plan *plan);

#endif
