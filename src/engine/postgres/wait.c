/* Waiting for PostgreSQL: a statement is sent, and the socket is watched in short turns until its
 * results are there. In each turn the run is asked; a cancelled one cancels the statement on the
 * server, through a connection of its own, as libpq does it. */
#include <errno.h>
#include <poll.h>

#include "engine/postgres/connection.h"

enum {
    TURN_MS = 50,       /* between two looks at the run */
    STOP_MS = 15 * 1000 /* that a cancelled statement may take to end */
};

/* One turn; -1 where the socket is gone. */
static int watch(kan_pg *pg, bool to_write, int timeout_ms) {
    struct pollfd place = {.fd = pg->pq.socket(pg->connection),
                           .events = (short)(POLLIN | (to_write ? POLLOUT : 0))};
    if (place.fd < 0)
        return -1;
    const int n_ready = poll(&place, 1, timeout_ms);
    return n_ready < 0 && errno == EINTR ? 0 : n_ready;
}

kan_status kan_pg_wait(kan_pg *pg, bool to_write, const char *what) {
    const double until = kan_now_ms() + STOP_MS;
    for (;;) {
        const bool goes_on = pg->cleans_up || pg->commits;
        const kan_status status = goes_on ? KAN_OK : kan_check_cancel(pg->run);
        if (status != KAN_OK)
            return kan_pg_stop(pg, status);
        if ((pg->cleans_up || (pg->commits && kan_should_stop(pg->run))) && kan_now_ms() > until)
            return kan_pg_fail_broken(pg, what);
        const int n_ready = watch(pg, to_write, TURN_MS);
        if (n_ready < 0)
            return kan_pg_fail_broken(pg, what);
        if (n_ready > 0)
            return KAN_OK;
    }
}

kan_status kan_pg_flush(kan_pg *pg, const char *what) {
    for (;;) {
        const int left = pg->pq.flush(pg->connection);
        if (left < 0)
            return kan_pg_fail_broken(pg, what);
        if (left == 0)
            return KAN_OK;
        KAN_TRY(kan_pg_wait(pg, true, what));
        /* A server that waits until it is heard would not read either. */
        if (!pg->pq.consumeInput(pg->connection))
            return kan_pg_fail_broken(pg, what);
    }
}

kan_status kan_pg_send(kan_pg *pg, const char *sql, const char *what) {
    if (pg->is_broken)
        return kan_pg_fail_broken(pg, what);
    if (!pg->cleans_up)
        KAN_TRY(kan_check_cancel(pg->run));
    if (!pg->pq.sendQuery(pg->connection, sql))
        return kan_pg_fail_broken(pg, what);
    return kan_pg_flush(pg, what);
}

kan_status kan_pg_next(kan_pg *pg, const char *what, PGresult **out) {
    while (pg->pq.isBusy(pg->connection)) {
        KAN_TRY(kan_pg_wait(pg, false, what));
        if (!pg->pq.consumeInput(pg->connection))
            return kan_pg_fail_broken(pg, what);
    }
    *out = pg->pq.getResult(pg->connection);
    return KAN_OK;
}

kan_status kan_pg_finish(kan_pg *pg, const char *what) {
    for (;;) {
        PGresult *result = NULL;
        KAN_TRY(kan_pg_next(pg, what, &result));
        if (!result)
            return KAN_OK;
        const ExecStatusType found = pg->pq.resultStatus(result);
        kan_status status = KAN_OK;
        /* The server takes COMMIT for ROLLBACK, without an error, where something failed before. */
        if (pg->commits && strcmp(pg->pq.cmdStatus(result), "COMMIT") != 0)
            status = kan_fail(pg->run, KAN_FAILED,
                              "%s: could not %s: the server rolled everything back, because "
                              "something failed before",
                              pg->address->text, what);
        if (found != PGRES_COMMAND_OK && found != PGRES_TUPLES_OK && found != PGRES_EMPTY_QUERY)
            status = kan_pg_fail(pg, result, what);
        pg->pq.clear(result);
        if (status != KAN_OK)
            return kan_pg_drain(pg, status);
    }
}

static void ask_to_cancel(kan_pg *pg) {
    char words[256]; /* why it could not; what follows finds out by itself */
    PGcancel *cancel = pg->pq.getCancel(pg->connection);
    if (cancel)
        (void)pg->pq.cancel(cancel, words, sizeof words);
    pg->pq.freeCancel(cancel);
}

/* Drops what is left of the statement, as far as it is there. True when nothing is left. */
static bool drop_results(kan_pg *pg) {
    while (!pg->pq.isBusy(pg->connection)) {
        PGresult *result = pg->pq.getResult(pg->connection);
        if (!result)
            return true;
        const ExecStatusType found = pg->pq.resultStatus(result);
        pg->pq.clear(result);
        if (found == PGRES_COPY_IN) {
            if (pg->pq.putCopyEnd(pg->connection, "stopped") < 0)
                return false;
        } else if (found == PGRES_COPY_OUT) {
            char *row = NULL;
            int size;
            while ((size = pg->pq.getCopyData(pg->connection, &row, 1)) > 0)
                pg->pq.freemem(row);
            if (size == 0) /* more is to come; getResult says so again */
                return false;
        }
    }
    return false;
}

kan_status kan_pg_drain(kan_pg *pg, kan_status status) {
    const double until = kan_now_ms() + STOP_MS;
    while (!pg->is_broken && !drop_results(pg)) {
        pg->is_broken = kan_now_ms() > until || pg->pq.flush(pg->connection) < 0 ||
                        watch(pg, false, TURN_MS) < 0 || !pg->pq.consumeInput(pg->connection);
    }
    return status;
}

kan_status kan_pg_stop(kan_pg *pg, kan_status status) {
    ask_to_cancel(pg);
    return kan_pg_drain(pg, status);
}

kan_status kan_pg_execute(void *connection, size_t node, const kan_statement *statement) {
    kan_pg *pg = connection;
    (void)node;
    pg->cleans_up = statement->cleans_up;
    pg->commits = statement->is_final;
    kan_status status = kan_pg_send(pg, statement->sql, statement->what);
    if (status == KAN_OK)
        status = kan_pg_finish(pg, statement->what);
    pg->cleans_up = pg->commits = false;
    return status;
}
