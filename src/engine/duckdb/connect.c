/* What an address or a path means: a table of a database, a file of Parquet, a folder of them, also
 * partitioned as Hive does it, or a pattern with *.
 *
 * Files and folders are opened here, and the library is told their numbers, so that no character of
 * a name means anything in SQL or in a pattern. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/duckdb/connection.h"

/* ---- the input ------------------------------------------------------------------------------ */

static kan_status path_of(kan_duck_line *line, int file, const char *rest, const char **out) {
    char path[64];
    const int size = snprintf(path, sizeof path, "/proc/self/fd/%d%s", file, rest);
    return kan_arena_copy(&line->arena, path, (size_t)size, out);
}

static kan_status set_place(kan_duck_line *line, const char *path, bool is_hive) {
    kan_text sql;
    kan_text_init(&sql, line->run);
    kan_text_print(&sql, "read_parquet(");
    kan_duck_quote(&sql, path, '\'');
    kan_text_print(&sql, ", hive_partitioning = %s)", is_hive ? "true" : "false");
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_arena_copy(&line->arena, sql.bytes, sql.size, &line->place);
    kan_text_destroy(&sql);
    return status;
}

static kan_status fail_input(const kan_duck_line *line, int error) {
    return kan_fail(line->run, error == ENOMEM || error == EMFILE ? KAN_FAILED : KAN_BAD_INPUT,
                    "%s: %s; check the path", line->address->text, strerror(error));
}

/* A pattern: the folder before its first sign of one is what may be reached. */
static kan_status take_pattern(kan_duck_line *line, const char *path, size_t first,
                               kan_duck_plan *plan) {
    size_t folder = first;
    const char *name, *pattern;
    while (folder > 0 && path[folder - 1] != '/')
        folder--;
    KAN_TRY(kan_arena_copy(&line->arena, folder ? path : "./", folder ? folder : 2, &name));
    line->input = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (line->input < 0)
        return fail_input(line, errno);
    KAN_TRY(path_of(line, line->input, "/", &plan->folders[0]));
    kan_text text;
    kan_text_init(&text, line->run);
    kan_text_print(&text, "%s%s", plan->folders[0], path + folder);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(&line->arena, text.bytes, text.size, &pattern);
    kan_text_destroy(&text);
    KAN_TRY(status);
    plan->path = plan->folders[0];
    return set_place(line, pattern, true);
}

static kan_status take_path(kan_duck_line *line, kan_duck_plan *plan) {
    const char *const path = line->address->text;
    const size_t first = strcspn(path, "*?[");
    struct stat state;
    line->input = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (line->input < 0 && errno == ENOENT && path[first])
        return take_pattern(line, path, first, plan);
    if (line->input < 0 || fstat(line->input, &state) != 0)
        return fail_input(line, errno);
    if (!S_ISDIR(state.st_mode) && !S_ISREG(state.st_mode))
        return kan_fail(line->run, KAN_BAD_INPUT,
                        "%s: this is neither a file nor a folder; the engine duckdb reads Parquet "
                        "more than once",
                        path);
    const bool is_folder = S_ISDIR(state.st_mode);
    const char *pattern;
    KAN_TRY(path_of(line, line->input, is_folder ? "/" : "", &plan->path));
    KAN_TRY(path_of(line, line->input, is_folder ? "/**/*.parquet" : "", &pattern));
    plan->folders[0] = is_folder ? plan->path : NULL;
    return set_place(line, pattern, is_folder);
}

/* Whether there will be a release in a database. */
static bool writes_table(const kan_options *given) {
    const char *const path = given ? kan_options_find(given, "output") : NULL;
    return path && kan_address_is_one(path);
}

/* A table of a database: the library opens the file itself, and locks it. */
static kan_status take_database(kan_duck_line *line, const kan_options *given,
                                kan_duck_plan *plan) {
    const kan_address *const address = line->address;
    if (access(address->database, F_OK) != 0)
        return fail_input(line, errno);
    plan->database = address->database;
    plan->only_reads = given && !writes_table(given);
    plan->path = address->database;
    return kan_duck_line_turn(line, address);
}

kan_status kan_duck_line_turn(void *connection, const kan_address *address) {
    kan_duck_line *const line = connection;
    kan_text sql;
    line->address = address;
    line->place = NULL;
    if (!address->table)
        return KAN_OK;
    kan_text_init(&sql, line->run);
    kan_sql_place(&sql, &kan_dialect_duckdb, address->schema, address->table);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_arena_copy(&line->arena, sql.bytes, sql.size, &line->place);
    kan_text_destroy(&sql);
    return status;
}

/* ---- both ends ------------------------------------------------------------------------------ */

/* The number of an open file that the release takes later on: what the library may reach has to be said
 * when it starts. It is a file without a name now, as it will be then, since the library looks where
 * paths lead to. */
static kan_status keep_output(kan_duck_line *line, kan_duck_plan *plan) {
    line->output = memfd_create("kanon", MFD_CLOEXEC);
    if (line->output < 0)
        return kan_fail(line->run, KAN_FAILED, "a file without a name cannot be made: %s",
                        strerror(errno));
    KAN_TRY(path_of(line, line->output, "", &line->outside));
    plan->output = line->outside;
    return KAN_OK;
}

/* Where the system has no files without names, the release has one in the folder of its target. */
static kan_status allow_output(kan_duck_line *line, const kan_options *given, const char **out) {
    const char *const path = given ? kan_options_find(given, "output") : NULL;
    const char *const slash = path ? strrchr(path, '/') : NULL;
    const char *name;
    char *resolved;
    if (!path || kan_address_is_one(path) || strcmp(path, "-") == 0)
        return KAN_OK;
    KAN_TRY(kan_arena_copy(&line->arena, slash ? path : "./",
                           slash ? (size_t)(slash - path) + 1 : 2, &name));
    resolved = realpath(name, NULL);
    if (!resolved)
        return KAN_OK; /* whoever writes there says why not */
    kan_text text;
    kan_text_init(&text, line->run);
    kan_text_print(&text, "%s/", strcmp(resolved, "/") == 0 ? "" : resolved);
    free(resolved);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(&line->arena, text.bytes, text.size, out);
    kan_text_destroy(&text);
    return status;
}

kan_status kan_duck_line_connect(kan_run *run, const kan_address *address, const kan_options *given,
                                 void **out) {
    kan_duck_plan plan = {.name = address->text,
                          .what = "the engine duckdb",
                          .n_threads = kan_run_threads(run),
                          .given = given};
    kan_duck_line *line;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *line, &line));
    line->run = run;
    line->address = address;
    line->input = line->output = line->spill.lock = -1;
    kan_arena_init(&line->arena, run);
    KAN_TRY_DONE(address->table || address->schema ? take_database(line, given, &plan)
                                                   : take_path(line, &plan));
    KAN_TRY_DONE(keep_output(line, &plan));
    KAN_TRY_DONE(allow_output(line, given, &plan.folders[1]));
    KAN_TRY_DONE(kan_spill_folder_make(run, &line->spill));
    plan.spill = line->spill.path;
    KAN_TRY_DONE(kan_duck_open(run, &plan, &line->duck));
    *out = line;
done:
    if (status != KAN_OK)
        kan_duck_line_disconnect(line);
    return status;
}

void kan_duck_line_disconnect(void *connection) {
    kan_duck_line *const line = connection;
    if (!line)
        return;
    kan_duck_close(line->duck);
    kan_target_close(line->target);
    kan_spill_folder_remove(line->run, &line->spill);
    if (line->input >= 0)
        (void)close(line->input);
    if (line->output >= 0)
        (void)close(line->output);
    kan_arena_destroy(&line->arena);
    kan_free(line->run, line);
}
