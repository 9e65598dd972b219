/* The database: opened, locked, asked. */
#include "io/duckdb/duck.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "core/memory.h"

enum { LEAST_MEMORY = 64 << 20 };

/* Where the part of an error ends that may be shown: its first line, and of errors about values what
 * stands before the value. */
static const char *end_of(const char *error) {
    static const char *const about_values[] = {"Conversion Error", "Out of Range Error",
                                               "Constraint Error"};
    static const char input[] = "Invalid Input Error";
    const char *const end = error + strcspn(error, "\r\n");
    for (size_t i = 0; i < sizeof about_values / sizeof *about_values; i++)
        if (strncmp(error, about_values[i], strlen(about_values[i])) == 0)
            return error + strlen(about_values[i]);
    const char *const quote =
        strncmp(error, input, sizeof input - 1) == 0 ? strchr(error, '"') : NULL;
    return quote && quote < end ? quote : end;
}

/* That part of an error, with the name of the file that a user knows in place of ours. */
static void add_reason(const kan_duck *duck, const char *error, kan_text *text) {
    /* What failed while rows were fetched stands behind the news that they cannot be fetched. */
    static const char mark[] = "\nError: ";
    const char *inner = strstr(error, mark);
    error = inner ? inner + sizeof mark - 1 : error;
    const char *end = end_of(error), *path;
    while ((path = strstr(error, duck->path)) && path < end) {
        kan_text_add(text, error, (size_t)(path - error));
        kan_text_print(text, "%s", duck->name);
        error = path + strlen(duck->path);
    }
    while (end > error && strchr(" .", end[-1]))
        end--;
    kan_text_add(text, error, (size_t)(end - error));
}

kan_status kan_duck_fail(const kan_duck *duck, kan_status status, const char *what,
                         const char *error, const char *remedy) {
    kan_run *run = duck->run;
    kan_text reason;
    KAN_TRY(kan_check_cancel(run)); /* what was interrupted fails in any words */
    if (!error || !*error)
        error = "no reason was given";
    if (strncmp(error, "Out of Memory", 13) == 0) {
        status = KAN_FAILED;
        remedy = "give more with --memory";
    }
    kan_text_init(&reason, run);
    add_reason(duck, error, &reason);
    if (kan_text_status(&reason) == KAN_OK)
        status = kan_fail(run, status, "%s: %s: %s; %s", duck->name, what, reason.bytes, remedy);
    else
        status = kan_text_status(&reason);
    kan_text_destroy(&reason);
    return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Where nothing but streams of rows goes through the library, nothing has to be put aside on disk;
 * and files that have a name would be left behind by a kill. */
static int configure(const kan_duck *duck, kan_duck_config config, const kan_duck_plan *plan) {
    const uint64_t left = kan_run_memory_left(duck->run);
    char number[32];
    snprintf(number, sizeof number, "%u", plan->n_threads);
    int state = duck->api.set_config(config, "threads", number) |
                duck->api.set_config(config, "temp_directory", plan->spill ? plan->spill : "") |
                duck->api.set_config(config, "autoinstall_known_extensions", "false") |
                duck->api.set_config(config, "autoload_known_extensions", "false") |
                duck->api.set_config(config, "allow_persistent_secrets", "false");
    if (plan->only_reads)
        state |= duck->api.set_config(config, "access_mode", "READ_ONLY");
    if (left != UINT64_MAX) {
        const uint64_t half = left / 2;
        snprintf(number, sizeof number, "%" PRIu64 "B",
                 half > LEAST_MEMORY ? half : (uint64_t)LEAST_MEMORY);
        state |= duck->api.set_config(config, "memory_limit", number);
    }
    return state;
}

static kan_status fail_opening(const kan_duck *duck, const char *error) {
    return kan_duck_fail(duck, KAN_FAILED, "DuckDB cannot be started", error,
                         "try another version of the library");
}

static kan_status open_database(kan_duck *duck, const kan_duck_plan *plan) {
    kan_duck_config config = NULL;
    char *error = NULL;
    if (duck->api.create_config(&config) != KAN_DUCK_OK)
        return fail_opening(duck, NULL);
    kan_status status = KAN_OK;
    if (configure(duck, config, plan) != KAN_DUCK_OK)
        status = fail_opening(duck, "it does not know a setting that kanon needs");
    else if (duck->api.open_ext(plan->database, &duck->database, config, &error) != KAN_DUCK_OK)
        status = fail_opening(duck, error);
    else if (duck->api.connect(duck->database, &duck->connection) != KAN_DUCK_OK)
        status = fail_opening(duck, NULL);
    if (error)
        duck->api.free(error);
    duck->api.destroy_config(&config);
    return status;
}

static kan_status set(const kan_duck *duck, const char *sql) {
    kan_duck_result result;
    kan_status status = KAN_OK;
    if (duck->api.query(duck->connection, sql, &result) != KAN_DUCK_OK)
        status = fail_opening(duck, duck->api.result_error(&result));
    duck->api.destroy_result(&result);
    return status;
}

static kan_status set_list(const kan_duck *duck, const char *name, const char *const *paths,
                           size_t n) {
    const char *between = "";
    kan_text sql;
    kan_text_init(&sql, duck->run);
    kan_text_print(&sql, "SET %s = [", name);
    for (size_t i = 0; i < n; i++) {
        if (!paths[i])
            continue;
        kan_text_print(&sql, "%s", between);
        kan_duck_quote(&sql, paths[i], '\'');
        between = ", ";
    }
    kan_text_print(&sql, "]");
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = set(duck, sql.bytes);
    kan_text_destroy(&sql);
    return status;
}

/* From here on it reaches the one file, or what else the plan says, and nobody can change that. */
static kan_status lock(const kan_duck *duck, const kan_duck_plan *plan) {
    const char *const paths[] = {plan->path, plan->output};
    KAN_TRY(set_list(duck, "allowed_paths", paths, 2));
    if (plan->folders[0] || plan->folders[1])
        KAN_TRY(set_list(duck, "allowed_directories", plan->folders, 2));
    KAN_TRY(set(duck, "SET enable_external_access = false"));
    return set(duck, "SET lock_configuration = true");
}

kan_status kan_duck_open(kan_run *run, const kan_duck_plan *plan, kan_duck **out) {
    kan_duck *duck;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *duck, &duck));
    duck->run = run;
    duck->name = plan->name;
    duck->path = plan->path;
    KAN_TRY_DONE(kan_duck_load(run, plan->name, plan->what, plan->given, &duck->api));
    KAN_TRY_DONE(open_database(duck, plan));
    KAN_TRY_DONE(lock(duck, plan));
    *out = duck;
done:
    if (status != KAN_OK)
        kan_duck_close(duck);
    return status;
}

void kan_duck_close(kan_duck *duck) {
    if (!duck)
        return;
    if (duck->connection)
        duck->api.disconnect(&duck->connection);
    if (duck->database)
        duck->api.close(&duck->database);
    kan_free(duck->run, duck);
}

/* ---- asking --------------------------------------------------------------------------------- */

void kan_duck_quote(kan_text *sql, const char *text, char quote) {
    kan_text_add(sql, &quote, 1);
    for (; *text; text++) {
        if (*text == quote)
            kan_text_add(sql, text, 1);
        kan_text_add(sql, text, 1);
    }
    kan_text_add(sql, &quote, 1);
}

/* A task is a few thousand rows: between two of them we look whether the run goes on. Where the
 * library's own threads have all of them, there is nothing to do but wait. */
static kan_status finish_tasks(const kan_duck *duck, kan_duck_connection connection,
                               kan_duck_pending pending, const kan_duck_query *query) {
    for (;;) {
        const int state = duck->api.pending_execute_task(pending);
        if (state == KAN_DUCK_READY)
            return KAN_OK;
        if (state == KAN_DUCK_ERROR)
            return kan_duck_fail(duck, query->status, query->what, duck->api.pending_error(pending),
                                 query->remedy);
        if (kan_should_stop(duck->run)) {
            duck->api.interrupt(connection);
            KAN_TRY(kan_check_cancel(duck->run));
        }
        if (state == KAN_DUCK_NO_TASK)
            (void)usleep(200);
    }
}

static kan_status execute(const kan_duck *duck, kan_duck_connection connection,
                          kan_duck_prepared prepared, const kan_duck_query *query,
                          kan_duck_result *out) {
    kan_duck_pending pending = NULL;
    kan_status status;
    if (duck->api.pending_prepared_streaming(prepared, &pending) != KAN_DUCK_OK) {
        status = kan_duck_fail(duck, query->status, query->what,
                               pending ? duck->api.pending_error(pending) : NULL, query->remedy);
        goto done;
    }
    KAN_TRY_DONE(finish_tasks(duck, connection, pending, query));
    if (duck->api.execute_pending(pending, out) != KAN_DUCK_OK) {
        status = kan_duck_fail(duck, query->status, query->what, duck->api.result_error(out),
                               query->remedy);
        duck->api.destroy_result(out);
    }
done:
    duck->api.destroy_pending(&pending);
    return status;
}

kan_status kan_duck_run(const kan_duck *duck, kan_duck_connection connection,
                        const kan_duck_query *query, kan_duck_result *out) {
    kan_duck_prepared prepared = NULL;
    kan_status status;
    *out = (kan_duck_result){.internal = NULL};
    if (duck->api.prepare(connection, query->sql, &prepared) != KAN_DUCK_OK)
        status = kan_duck_fail(duck, query->status, query->what,
                               prepared ? duck->api.prepare_error(prepared) : NULL, query->remedy);
    else
        status = execute(duck, connection, prepared, query, out);
    duck->api.destroy_prepare(&prepared);
    return status;
}

kan_status kan_duck_fetch(const kan_duck *duck, const kan_duck_query *query,
                          kan_duck_result *result, kan_duck_chunk *out) {
    kan_duck_chunk chunk = duck->api.fetch_chunk(*result);
    if (!chunk) {
        const char *error = duck->api.result_error(result);
        if (error && *error)
            return kan_duck_fail(duck, query->status, query->what, error, query->remedy);
    }
    *out = chunk;
    return KAN_OK;
}
