/* Runs SQL with DuckDB's own library, as KANON_DUCKDB or the system has it: what makes and reads
 * foreign files in foreign.sh.
 *
 *   duckdb-sql SQL...
 *
 * Prints nothing but errors. Exit status 0 when all of it ran. */
#include <stdio.h>

#include "io/duckdb/duck_api.h"

static int run_all(const kan_duck_api *api, int n, char **sql) {
    kan_duck_database database = NULL;
    kan_duck_connection connection = NULL;
    int failed = api->open_ext(NULL, &database, NULL, NULL) != KAN_DUCK_OK ||
                 api->connect(database, &connection) != KAN_DUCK_OK;
    for (int i = 0; i < n && !failed; i++) {
        kan_duck_result result;
        failed = api->query(connection, sql[i], &result) != KAN_DUCK_OK;
        if (failed)
            fprintf(stderr, "duckdb-sql: %s\n", api->result_error(&result));
        api->destroy_result(&result);
    }
    if (connection)
        api->disconnect(&connection);
    if (database)
        api->close(&database);
    return failed;
}

int main(int argc, char **argv) {
    kan_run *run = kan_run_create();
    kan_duck_api api;
    int failed = !run || kan_duck_load(run, "duckdb-sql", "SQL", NULL, &api) != KAN_OK;
    if (failed)
        fprintf(stderr, "duckdb-sql: %s\n", run ? kan_run_error(run) : "out of memory");
    else
        failed = run_all(&api, argc - 1, argv + 1);
    kan_run_destroy(run);
    return failed;
}
