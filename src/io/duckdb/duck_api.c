/* Finding DuckDB's library. */
#include "io/duckdb/duck_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WHERE_TO_GET                                                                               \
    "get libduckdb.so from https://duckdb.org/install (C/C++), 1.2 or later, and name it with "    \
    "--duckdb PATH or in the variable KANON_DUCKDB; other formats (`kanon list`), such as CSV, "   \
    "need no DuckDB"

const kan_option_spec kan_duck_options[KAN_DUCK_N_OPTIONS] = {
    {.name = "duckdb",
     .argument = "PATH",
     .summary = "DuckDB's library, for Parquet and JSON (default: $KANON_DUCKDB, else libduckdb.so "
                "where the system looks for libraries)",
     .type = KAN_OPTION_PATH,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAIT_READING | KAN_TRAIT_TABLES | KAN_TRAIT_EACH_TABLE,
     .library_variable = "KANON_DUCKDB"},
};

/* What to load; a name without a slash means a file here when a user gave it, not one that the
 * system looks for. */
static kan_status choose_library(kan_run *run, const kan_options *given, kan_text *path) {
    const char *named = given ? kan_options_find(given, "duckdb") : NULL;
    if (!named)
        named = getenv("KANON_DUCKDB");
    kan_text_init(path, run);
    if (named && *named)
        kan_text_print(path, "%s%s", strchr(named, '/') ? "" : "./", named);
    else
        kan_text_print(path, "libduckdb.so");
    return kan_text_status(path);
}

const char *kan_duck_missing(void) {
    static const char *const folders[] = {"/usr/local/lib", "/usr/lib", "/usr/lib/x86_64-linux-gnu",
                                          "/usr/lib/aarch64-linux-gnu", "/usr/lib64"};
    const char *named = getenv("KANON_DUCKDB");
    bool is_there = named && *named && access(named, R_OK) == 0;
    for (size_t i = 0; !(named && *named) && !is_there && i < sizeof folders / sizeof *folders;
         i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/libduckdb.so", folders[i]);
        is_there = access(path, R_OK) == 0;
    }
    return is_there ? NULL : "DuckDB’s library is not here";
}

static kan_status fail_version(kan_run *run, const char *path, const char *version) {
    return kan_fail(run, KAN_BAD_INPUT, "%s: this is DuckDB %s; kanon needs 1.2 or a later 1.x; %s",
                    path, version, WHERE_TO_GET);
}

static kan_status check_version(kan_run *run, const char *path, const char *version) {
    unsigned major, minor;
    if (!version || sscanf(version, "v%u.%u", &major, &minor) != 2 || major != 1 || minor < 2)
        return fail_version(run, path, version ? version : "of unknown version");
    return KAN_OK;
}

/* The name of the first call that the library lacks; NULL: it has all. */
static const char *find_calls(kan_duck_api *api) {
#define KAN_DUCK_FIND(result, name, arguments)                                                     \
    {                                                                                              \
        void *found = dlsym(api->library, "duckdb_" #name);                                        \
        if (!found)                                                                                \
            return "duckdb_" #name;                                                                \
        memcpy(&api->name, &found, sizeof found);                                                  \
    }
    KAN_DUCK_CALLS(KAN_DUCK_FIND)
#undef KAN_DUCK_FIND
    return NULL;
}

static kan_status load(kan_run *run, const char *file, const char *what, const char *path,
                       kan_duck_api *out) {
    /* Lazily: binding all of its calls beforehand doubles the time that loading takes. */
    kan_duck_api api = {.library = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)};
    if (!api.library)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: %s needs DuckDB's library, and it was not found: %s; %s", file, what,
                        dlerror(), WHERE_TO_GET);
    const char *missing = find_calls(&api);
    kan_status status = KAN_OK;
    if (missing)
        status = kan_fail(run, KAN_BAD_INPUT,
                          "%s: this is not a DuckDB library that kanon can use: it has no %s; %s",
                          path, missing, WHERE_TO_GET);
    else
        status = check_version(run, path, api.library_version());
    /* What it started may still run, so it is never unloaded: RTLD_NODELETE. */
    (void)dlclose(api.library);
    if (status == KAN_OK)
        *out = api;
    return status;
}

kan_status kan_duck_load(kan_run *run, const char *file, const char *what, const kan_options *given,
                         kan_duck_api *out) {
    kan_text path;
    kan_status status = choose_library(run, given, &path);
    if (status == KAN_OK)
        status = load(run, file, what, path.bytes, out);
    kan_text_destroy(&path);
    return status;
}
