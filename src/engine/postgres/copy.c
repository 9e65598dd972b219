/* Rows from and to PostgreSQL by COPY, in its text form: fields between tabs, \N for NULL, and a
 * backslash before what would end a field. A row is taken as it comes, so that memory holds one. */
#include "engine/postgres/connection.h"

enum { READABLE = 8 /* bytes behind a value that its taker may look at */ };

/* The character that a backslash and this one stand for. */
static char unescaped(char letter) {
    switch (letter) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    default:
        return letter;
    }
}

/* Takes a row apart into pg->values; its text goes into pg->row. False: not so many columns. */
static bool split(kan_pg *pg, const char *line, size_t size, size_t n_columns) {
    const char *end = line + size;
    char *to = pg->row;
    size_t n = 0;
    if (size > 0 && end[-1] == '\n')
        end--;
    for (const char *at = line;; at++) {
        const char *start = to;
        if (n == n_columns)
            return false;
        if (end - at >= 2 && at[0] == '\\' && at[1] == 'N') {
            pg->values[n++] = (kan_slice){NULL, 0};
            at += 2;
        } else {
            while (at < end && *at != '\t') {
                if (*at == '\\' && at + 1 < end)
                    *to++ = unescaped(*++at);
                else
                    *to++ = *at;
                at++;
            }
            pg->values[n++] = (kan_slice){start, (size_t)(to - start)};
        }
        if (at >= end)
            break;
    }
    return n == n_columns;
}

static kan_status take_row(kan_pg *pg, const kan_statement *statement, const char *line,
                           size_t size, size_t n_columns, const kan_row_taker *taker) {
    KAN_TRY(kan_reserve(pg->run, size + READABLE, 1, &pg->row_capacity, &pg->row));
    if (!split(pg, line, size, n_columns))
        return kan_fail(pg->run, KAN_FAILED, "%s: could not %s: a row has not %zu columns",
                        pg->address->text, statement->what, n_columns);
    return taker->take(taker->context, pg->values);
}

/* Takes all rows of a COPY that has begun. */
static kan_status take_rows(kan_pg *pg, const kan_statement *statement, size_t n_columns,
                            const kan_row_taker *taker) {
    enum { MESSAGE_HEAD = 5 }; /* a letter and a size */
    for (;;) {
        char *line = NULL;
        const int size = pg->pq.getCopyData(pg->connection, &line, 1);
        if (size == -1)
            return KAN_OK;
        if (size == -2) /* the result that follows says why */
            return KAN_OK;
        if (size == 0) {
            KAN_TRY(kan_pg_wait(pg, false, statement->what));
            if (!pg->pq.consumeInput(pg->connection))
                return kan_pg_fail_broken(pg, statement->what);
            continue;
        }
        pg->n_received += (uint64_t)size + MESSAGE_HEAD;
        const kan_status status = take_row(pg, statement, line, (size_t)size, n_columns, taker);
        pg->pq.freemem(line);
        if (status != KAN_OK)
            return kan_pg_stop(pg, status);
    }
}

/* The answer to a COPY: whether rows can come or go. */
static kan_status begin_copy(kan_pg *pg, const char *what, ExecStatusType want) {
    PGresult *result = NULL;
    KAN_TRY(kan_pg_next(pg, what, &result));
    if (!result)
        return kan_pg_fail_broken(pg, what);
    kan_status status = KAN_OK;
    if (pg->pq.resultStatus(result) != want)
        status = kan_pg_fail(pg, result, what);
    pg->pq.clear(result);
    return status == KAN_OK ? KAN_OK : kan_pg_drain(pg, status);
}

kan_status kan_pg_query(void *connection, size_t node, const kan_statement *statement,
                        size_t n_columns, const kan_row_taker *taker) {
    kan_pg *pg = connection;
    kan_text sql;
    kan_status status;
    (void)node;
    kan_text_init(&sql, pg->run);
    kan_text_print(&sql, "COPY (%s\n) TO STDOUT", statement->sql);
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(
        kan_reserve(pg->run, n_columns, sizeof *pg->values, &pg->values_capacity, &pg->values));
    KAN_TRY_DONE(kan_pg_send(pg, sql.bytes, statement->what));
    KAN_TRY_DONE(begin_copy(pg, statement->what, PGRES_COPY_OUT));
    KAN_TRY_DONE(take_rows(pg, statement, n_columns, taker));
    status = kan_pg_finish(pg, statement->what);
done:
    kan_text_destroy(&sql);
    return status;
}

static void add_field(kan_text *line, kan_slice value) {
    if (!value.bytes) {
        kan_text_add(line, "\\N", 2);
        return;
    }
    size_t done = 0;
    for (size_t i = 0; i < value.size; i++) {
        const char *escaped = value.bytes[i] == '\\'   ? "\\\\"
                              : value.bytes[i] == '\n' ? "\\n"
                              : value.bytes[i] == '\r' ? "\\r"
                              : value.bytes[i] == '\t' ? "\\t"
                                                       : NULL;
        if (escaped) {
            kan_text_add(line, value.bytes + done, i - done);
            kan_text_add(line, escaped, 2);
            done = i + 1;
        }
    }
    kan_text_add(line, value.bytes + done, value.size - done);
}

/* Puts lines into the connection's own room; where that is full, the server has to take some. */
static kan_status put(kan_pg *pg, const kan_text *lines, const char *what) {
    for (;;) {
        const int is_put =
            pg->pq.putCopyData(pg->connection, lines->bytes ? lines->bytes : "", (int)lines->size);
        if (is_put > 0)
            return kan_pg_flush(pg, what);
        if (is_put < 0)
            return kan_pg_fail_broken(pg, what);
        KAN_TRY(kan_pg_flush(pg, what));
    }
}

static kan_status put_end(kan_pg *pg, const char *what) {
    for (;;) {
        const int is_put = pg->pq.putCopyEnd(pg->connection, NULL);
        if (is_put > 0)
            return kan_pg_flush(pg, what);
        if (is_put < 0)
            return kan_pg_fail_broken(pg, what);
        KAN_TRY(kan_pg_flush(pg, what));
    }
}

static kan_status put_rows(kan_pg *pg, size_t n_columns, const kan_row_giver *giver,
                           kan_text *lines, const char *what) {
    enum { ENOUGH = 32 * 1024 }; /* bytes that are worth a message */
    for (;;) {
        bool is_row = false;
        kan_status status = giver->give(giver->context, pg->values, &is_row);
        if (status == KAN_OK && !is_row)
            return lines->size > 0 ? put(pg, lines, what) : KAN_OK;
        for (size_t i = 0; status == KAN_OK && i < n_columns; i++) {
            add_field(lines, pg->values[i]);
            kan_text_add(lines, i + 1 < n_columns ? "\t" : "\n", 1);
        }
        if (status == KAN_OK)
            status = kan_text_status(lines);
        if (status != KAN_OK)
            return kan_pg_stop(pg, status);
        if (lines->size >= ENOUGH) {
            KAN_TRY(put(pg, lines, what));
            lines->size = 0;
        }
    }
}

kan_status kan_pg_load(void *connection, size_t node, const char *table, size_t n_columns,
                       const kan_row_giver *giver) {
    static const char what[] = "load rows into a table";
    kan_pg *pg = connection;
    kan_text sql, lines;
    kan_status status;
    (void)node;
    kan_text_init(&sql, pg->run);
    kan_text_init(&lines, pg->run);
    kan_text_print(&sql, "COPY %s FROM STDIN", table);
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(
        kan_reserve(pg->run, n_columns, sizeof *pg->values, &pg->values_capacity, &pg->values));
    KAN_TRY_DONE(kan_pg_send(pg, sql.bytes, what));
    KAN_TRY_DONE(begin_copy(pg, what, PGRES_COPY_IN));
    KAN_TRY_DONE(put_rows(pg, n_columns, giver, &lines, what));
    KAN_TRY_DONE(put_end(pg, what));
    KAN_TRY_DONE(kan_pg_finish(pg, what));
    /* Nobody else does it within a transaction, and the server would guess what is in the table when
     * it plans the joins. */
    sql.size = 0;
    kan_text_print(&sql, "ANALYZE %s", table);
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(kan_pg_send(pg, sql.bytes, what));
    status = kan_pg_finish(pg, what);
done:
    kan_text_destroy(&sql);
    kan_text_destroy(&lines);
    return status;
}

uint64_t kan_pg_received(const void *connection) {
    return ((const kan_pg *)connection)->n_received;
}
