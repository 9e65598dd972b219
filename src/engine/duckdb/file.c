/* A release as a file of Parquet: written beside its target (io/streams/target.h), read again from there,
 * and named in the end. */
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include "core/signs.h"
#include "engine/duckdb/connection.h"

static kan_status prepare(void *connection, const char *path, bool overwrite) {
    kan_duck_line *const line = connection;
    if (!kan_path_ends_with(path, ".parquet"))
        return kan_fail(
            line->run, KAN_BAD_INPUT,
            "%s: the engine duckdb writes Parquet files; choose a name that ends in .parquet",
            path);
    if (line->address->table)
        return kan_fail(line->run, KAN_BAD_INPUT,
                        "%s: the release of a table of a database is a table there; write "
                        "'duckdb:PATH?table=NAME'",
                        path);
    return kan_target_open(line->run, path, overwrite, KAN_TARGET_SHARED, &line->target);
}

/* The file takes the number that the library may reach. */
static kan_status take_output(kan_duck_line *line) {
    const int file = open(kan_target_path(line->target), O_RDWR | O_CLOEXEC);
    const bool is_taken = file >= 0 && dup3(file, line->output, O_CLOEXEC) >= 0;
    const int error = errno;
    if (file >= 0)
        (void)close(file);
    return is_taken ? KAN_OK
                    : kan_fail(line->run, KAN_FAILED, "%s: %s", kan_target_name(line->target),
                               strerror(error));
}

static kan_status write_rows(void *connection, const char *select) {
    kan_duck_line *const line = connection;
    kan_text sql;
    KAN_TRY(take_output(line));
    kan_text_init(&sql, line->run);
    kan_text_print(&sql, "COPY (%s) TO ", select);
    kan_duck_quote(&sql, line->outside, '\'');
    kan_text_print(&sql, " (FORMAT parquet, COMPRESSION snappy, USE_TMP_FILE false)");
    kan_status status = kan_text_status(&sql);
    const kan_duck_query query = {.sql = sql.bytes,
                                  .status = KAN_FAILED,
                                  .what = "the release cannot be written",
                                  .remedy = "free some space or write elsewhere; nothing was left "
                                            "behind"};
    kan_duck_result result;
    if (status == KAN_OK)
        status = kan_duck_run(line->duck, line->duck->connection, &query, &result);
    if (status == KAN_OK) {
        line->duck->api.destroy_result(&result);
        status = kan_target_finish(line->target);
    }
    kan_text_destroy(&sql);
    return status;
}

static void add_place(const void *connection, kan_text *sql) {
    const kan_duck_line *const line = connection;
    kan_text_print(sql, "read_parquet(");
    kan_duck_quote(sql, line->outside, '\'');
    kan_text_print(sql, ", hive_partitioning = false)");
}

static kan_status commit(void *connection) {
    kan_duck_line *const line = connection;
    KAN_TRY(kan_target_sync(line->target));
    return kan_target_commit(line->target);
}

static void discard(void *connection) {
    kan_duck_line *const line = connection;
    kan_target_close(line->target);
    line->target = NULL;
}

const kan_transport_file kan_duck_line_file = {
    .prepare = prepare,
    .write = write_rows,
    .place = add_place,
    .commit = commit,
    .discard = discard,
};
