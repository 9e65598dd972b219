/* Statements, rows that come and rows that go, over ODBC.
 *
 * Rows come value by value (SQLGetData), each in as many pieces as it needs: nothing is cut, whatever a
 * driver believes of the width of a column. Rows go as arrays of parameters of one prepared INSERT, some
 * hundred at a time: no value is ever a part of a statement. Memory: the longest value of each column, and
 * a batch. */
#include "engine/odbc/odbc.h"
#include "engine/sql/sql.h"

enum { FIRST_ROOM = 256, SLACK = 8 };

static kan_status begin(kan_odbc *odbc, const char *what, SQLHSTMT *out) {
    if (odbc->is_broken)
        return kan_fail(odbc->run, KAN_FAILED, "ODBC: could not %s: the connection is broken",
                        what);
    if (!SQL_SUCCEEDED(odbc->calls.SQLAllocHandle(SQL_HANDLE_STMT, odbc->session, out)))
        return kan_odbc_fail(odbc, SQL_HANDLE_DBC, odbc->session, what);
    return KAN_OK;
}

static kan_status run_statement(kan_odbc *odbc, SQLHSTMT handle, const kan_statement *statement) {
    const SQLRETURN result =
        odbc->calls.SQLExecDirect(handle, (SQLCHAR *)(uintptr_t)statement->sql, SQL_NTS);
    if (SQL_SUCCEEDED(result) || result == SQL_NO_DATA) /* the latter: it changed no row */
        return KAN_OK;
    return kan_odbc_fail(odbc, SQL_HANDLE_STMT, handle, statement->what);
}

kan_status kan_odbc_execute(void *connection, size_t node, const kan_statement *statement) {
    (void)node;
    kan_odbc *odbc = connection;
    SQLHSTMT handle = NULL;
    if (!statement->cleans_up)
        KAN_TRY(kan_check_cancel(odbc->run));
    KAN_TRY(begin(odbc, statement->what, &handle));
    kan_odbc_work_begins(odbc, statement->cleans_up || statement->is_final);
    const kan_status status = run_statement(odbc, handle, statement);
    kan_odbc_work_ends(odbc);
    (void)odbc->calls.SQLFreeHandle(SQL_HANDLE_STMT, handle);
    return status;
}

/* ---- rows that come -------------------------------------------------------------------------- */

typedef struct incoming {
    kan_odbc *odbc;
    const kan_statement *statement;
    SQLHSTMT handle;
    size_t n_columns;
    struct in_column {
        SQLSMALLINT c_type;
        char *room;
        size_t capacity;
    } * columns;
    kan_slice *values;
} incoming;

static void incoming_destroy(incoming *in) {
    for (size_t i = 0; in->columns && i < in->n_columns; i++)
        kan_free(in->odbc->run, in->columns[i].room);
    kan_free(in->odbc->run, in->columns);
    kan_free(in->odbc->run, in->values);
    if (in->handle)
        (void)in->odbc->calls.SQLFreeHandle(SQL_HANDLE_STMT, in->handle);
}

static kan_status fail_in(incoming *in) {
    return kan_odbc_fail(in->odbc, SQL_HANDLE_STMT, in->handle, in->statement->what);
}

/* Bytes come as bytes: as texts some drivers would write them as hexadecimal digits. */
static kan_status describe(incoming *in) {
    const kan_odbc_calls *calls = &in->odbc->calls;
    SQLSMALLINT n = 0;
    if (!SQL_SUCCEEDED(calls->SQLNumResultCols(in->handle, &n)))
        return fail_in(in);
    if (n < 0 || (size_t)n != in->n_columns)
        return kan_fail(in->odbc->run, KAN_FAILED, "ODBC: could not %s: %d columns came, not %zu",
                        in->statement->what, (int)n, in->n_columns);
    for (SQLSMALLINT i = 0; i < n; i++) {
        SQLCHAR name[8];
        SQLSMALLINT name_size, type = 0, digits, nullable;
        SQLULEN width;
        if (!SQL_SUCCEEDED(calls->SQLDescribeCol(in->handle, (SQLUSMALLINT)(i + 1), name,
                                                 sizeof name, &name_size, &type, &width, &digits,
                                                 &nullable)))
            return fail_in(in);
        const bool is_bytes =
            type == SQL_BINARY || type == SQL_VARBINARY || type == SQL_LONGVARBINARY;
        in->columns[i].c_type = is_bytes ? SQL_C_BINARY : SQL_C_CHAR;
    }
    return KAN_OK;
}

/* A name in full: one that is longer than this is of no database. */
enum { NAME_ROOM = 1024 };

static kan_status describe_column(incoming *in, SQLSMALLINT column, const kan_row_taker *taker) {
    char name[NAME_ROOM];
    SQLSMALLINT size = 0, type = 0, digits = 0, nullable = 0;
    SQLULEN width = 0;
    if (!SQL_SUCCEEDED(in->odbc->calls.SQLDescribeCol(in->handle, (SQLUSMALLINT)column,
                                                      (SQLCHAR *)name, sizeof name, &size, &type,
                                                      &width, &digits, &nullable)))
        return fail_in(in);
    if (size < 0 || (size_t)size >= sizeof name)
        return kan_fail(in->odbc->run, KAN_BAD_INPUT,
                        "ODBC: the name of column %d has %d bytes; give it a shorter one in a view",
                        (int)column, (int)size);
    const kan_slice values[] = {{name, (size_t)size},
                                kan_slice_of(KAN_SQL_ANY_TYPE),
                                kan_slice_of(nullable == SQL_NO_NULLS ? "0" : "1")};
    return taker->take(taker->context, values);
}

kan_status kan_odbc_describe(kan_odbc *odbc, const kan_statement *statement,
                             const kan_row_taker *taker) {
    incoming in = {.odbc = odbc, .statement = statement};
    SQLSMALLINT n = 0;
    KAN_TRY(begin(odbc, statement->what, &in.handle));
    kan_odbc_work_begins(odbc, false);
    kan_status status = run_statement(odbc, in.handle, statement);
    if (status == KAN_OK && !SQL_SUCCEEDED(odbc->calls.SQLNumResultCols(in.handle, &n)))
        status = fail_in(&in);
    for (SQLSMALLINT i = 1; i <= n && status == KAN_OK; i++)
        status = describe_column(&in, i, taker);
    kan_odbc_work_ends(odbc);
    incoming_destroy(&in);
    return status;
}

/* One value, piece by piece. `left` is what the driver says is left before a piece, or that it does not
 * know. */
static kan_status fetch_value(incoming *in, size_t index, kan_slice *out) {
    kan_odbc *odbc = in->odbc;
    struct in_column *column = &in->columns[index];
    const size_t terminator = column->c_type == SQL_C_CHAR ? 1 : 0;
    size_t size = 0, wanted = FIRST_ROOM;
    for (;;) {
        KAN_TRY(kan_reserve(odbc->run, size + wanted + SLACK, 1, &column->capacity, &column->room));
        const size_t room = column->capacity - SLACK - size;
        SQLLEN left = 0;
        const SQLRETURN result =
            odbc->calls.SQLGetData(in->handle, (SQLUSMALLINT)(index + 1), column->c_type,
                                   column->room + size, (SQLLEN)room, &left);
        if (result == SQL_NO_DATA && size > 0)
            break; /* the piece before was the last, and full */
        if (!SQL_SUCCEEDED(result))
            return fail_in(in);
        if (left == SQL_NULL_DATA) {
            *out = (kan_slice){NULL, 0};
            return KAN_OK;
        }
        const size_t most = room - terminator;
        if (left >= 0 && (size_t)left <= most) {
            size += (size_t)left;
            break;
        }
        if (left < 0 && left != SQL_NO_TOTAL)
            return kan_fail(odbc->run, KAN_FAILED,
                            "ODBC: could not %s: a value of unknown size came",
                            in->statement->what);
        size += most;
        wanted = left == SQL_NO_TOTAL ? size : (size_t)left - most + terminator;
    }
    memset(column->room + size, 0, SLACK);
    *out = (kan_slice){column->room, size};
    odbc->n_received += size;
    return KAN_OK;
}

static kan_status fetch_rows(incoming *in, const kan_row_taker *taker) {
    enum { ROWS_PER_LOOK = 1024 };
    for (uint64_t row = 0;; row++) {
        if (row % ROWS_PER_LOOK == 0)
            KAN_TRY(kan_check_cancel(in->odbc->run));
        const SQLRETURN result = in->odbc->calls.SQLFetch(in->handle);
        if (result == SQL_NO_DATA)
            /* A driver may take an interrupted statement for one that is complete. */
            return kan_check_cancel(in->odbc->run);
        if (!SQL_SUCCEEDED(result))
            return fail_in(in);
        for (size_t i = 0; i < in->n_columns; i++)
            KAN_TRY(fetch_value(in, i, &in->values[i]));
        KAN_TRY(taker->take(taker->context, in->values));
    }
}

kan_status kan_odbc_query(void *connection, size_t node, const kan_statement *statement,
                          size_t n_columns, const kan_row_taker *taker) {
    (void)node;
    kan_odbc *odbc = connection;
    incoming in = {.odbc = odbc, .statement = statement, .n_columns = n_columns};
    kan_status status;
    KAN_TRY(kan_check_cancel(odbc->run));
    kan_odbc_work_begins(odbc, false);
    KAN_TRY_DONE(begin(odbc, statement->what, &in.handle));
    KAN_TRY_DONE(kan_alloc_zero(odbc->run, n_columns, sizeof *in.columns, &in.columns));
    KAN_TRY_DONE(kan_alloc_zero(odbc->run, n_columns, sizeof *in.values, &in.values));
    KAN_TRY_DONE(run_statement(odbc, in.handle, statement));
    KAN_TRY_DONE(describe(&in));
    KAN_TRY_DONE(fetch_rows(&in, taker));
done:
    kan_odbc_work_ends(odbc);
    incoming_destroy(&in);
    return status;
}

/* ---- rows that go ---------------------------------------------------------------------------- */

enum { BATCH_ROWS = 500, BATCH_BYTES = 1 << 20 };

typedef struct outgoing {
    kan_odbc *odbc;
    const char *what;
    SQLHSTMT handle;
    size_t n_columns, n_rows;
    kan_text bytes; /* the values of a batch, one behind the other */
    SQLLEN *sizes;  /* by column, then by row; SQL_NULL_DATA is NULL */
    size_t *starts; /* the same, into bytes */
    size_t *widths; /* the longest of each column */
    char *cells;    /* by column: rows of equal width, as the driver wants them */
    size_t capacity;
    SQLUSMALLINT states[BATCH_ROWS];
    SQLULEN n_done;
} outgoing;

static void outgoing_destroy(outgoing *o) {
    kan_run *run = o->odbc->run;
    if (o->handle)
        (void)o->odbc->calls.SQLFreeHandle(SQL_HANDLE_STMT, o->handle);
    kan_text_destroy(&o->bytes);
    kan_free(run, o->sizes);
    kan_free(run, o->starts);
    kan_free(run, o->widths);
    kan_free(run, o->cells);
}

static kan_status add_row(outgoing *o, const kan_slice *values) {
    for (size_t i = 0; i < o->n_columns; i++) {
        const size_t at = i * BATCH_ROWS + o->n_rows;
        o->starts[at] = o->bytes.size;
        o->sizes[at] = values[i].bytes ? (SQLLEN)values[i].size : SQL_NULL_DATA;
        if (values[i].bytes && values[i].size > 0)
            kan_text_add(&o->bytes, values[i].bytes, values[i].size);
        if (values[i].bytes && values[i].size > o->widths[i])
            o->widths[i] = values[i].size;
    }
    o->n_rows++;
    return kan_text_status(&o->bytes);
}

/* Lays the batch out and binds it; it is sent by the caller. */
static kan_status bind_batch(outgoing *o) {
    const kan_odbc_calls *calls = &o->odbc->calls;
    const bool is_bytes = o->odbc->product->sends_bytes;
    size_t total = 0, at = 0;
    for (size_t i = 0; i < o->n_columns; i++)
        total += (o->widths[i] + 1) * o->n_rows;
    KAN_TRY(kan_reserve(o->odbc->run, total, 1, &o->capacity, &o->cells));
    for (size_t i = 0; i < o->n_columns; i++) {
        const size_t width = o->widths[i] + 1;
        char *cells = o->cells + at;
        memset(cells, 0, width * o->n_rows);
        for (size_t row = 0; row < o->n_rows; row++)
            if (o->sizes[i * BATCH_ROWS + row] > 0)
                memcpy(cells + row * width, o->bytes.bytes + o->starts[i * BATCH_ROWS + row],
                       (size_t)o->sizes[i * BATCH_ROWS + row]);
        if (!SQL_SUCCEEDED(calls->SQLBindParameter(
                o->handle, (SQLUSMALLINT)(i + 1), SQL_PARAM_INPUT,
                is_bytes ? SQL_C_BINARY : SQL_C_CHAR, is_bytes ? SQL_VARBINARY : SQL_VARCHAR, width,
                0, cells, (SQLLEN)width, o->sizes + i * BATCH_ROWS)))
            return kan_odbc_fail(o->odbc, SQL_HANDLE_STMT, o->handle, o->what);
        at += width * o->n_rows;
    }
    if (!SQL_SUCCEEDED(calls->SQLSetStmtAttr(o->handle, SQL_ATTR_PARAMSET_SIZE,
                                             (SQLPOINTER)(uintptr_t)o->n_rows, SQL_IS_UINTEGER)))
        return kan_odbc_fail(o->odbc, SQL_HANDLE_STMT, o->handle, o->what);
    return KAN_OK;
}

static kan_status send_batch(outgoing *o) {
    if (o->n_rows == 0)
        return KAN_OK;
    KAN_TRY(kan_check_cancel(o->odbc->run));
    KAN_TRY(bind_batch(o));
    o->n_done = 0;
    const SQLRETURN result = o->odbc->calls.SQLExecute(o->handle);
    if (!SQL_SUCCEEDED(result))
        return kan_odbc_fail(o->odbc, SQL_HANDLE_STMT, o->handle, o->what);
    bool is_whole = o->n_done == o->n_rows;
    for (size_t row = 0; row < o->n_rows; row++)
        is_whole &= o->states[row] == SQL_PARAM_SUCCESS;
    if (!is_whole)
        return kan_fail(o->odbc->run, KAN_FAILED, "ODBC: could not %s: not all rows were taken",
                        o->what);
    o->n_rows = 0;
    o->bytes.size = 0;
    memset(o->widths, 0, o->n_columns * sizeof *o->widths);
    return KAN_OK;
}

static kan_status send_rows(outgoing *o, const kan_row_giver *giver, kan_slice *values) {
    for (bool is_row = true; is_row;) {
        KAN_TRY(giver->give(giver->context, values, &is_row));
        if (is_row)
            KAN_TRY(add_row(o, values));
        if (!is_row || o->n_rows == BATCH_ROWS || o->bytes.size >= BATCH_BYTES)
            KAN_TRY(send_batch(o));
    }
    return KAN_OK;
}

static kan_status prepare_insert(outgoing *o, const char *table) {
    const kan_odbc_calls *calls = &o->odbc->calls;
    kan_text sql;
    kan_status status;
    kan_text_init(&sql, o->odbc->run);
    kan_text_print(&sql, "INSERT INTO %s VALUES (", table);
    for (size_t i = 0; i < o->n_columns; i++)
        kan_text_print(&sql, "%s?", i ? ", " : "");
    kan_text_print(&sql, ")");
    KAN_TRY_DONE(kan_text_status(&sql));
    if (!SQL_SUCCEEDED(calls->SQLPrepare(o->handle, (SQLCHAR *)sql.bytes, SQL_NTS)) ||
        !SQL_SUCCEEDED(calls->SQLSetStmtAttr(o->handle, SQL_ATTR_PARAM_STATUS_PTR, o->states, 0)) ||
        !SQL_SUCCEEDED(
            calls->SQLSetStmtAttr(o->handle, SQL_ATTR_PARAMS_PROCESSED_PTR, &o->n_done, 0)))
        status = kan_odbc_fail(o->odbc, SQL_HANDLE_STMT, o->handle, o->what);
done:
    kan_text_destroy(&sql);
    return status;
}

kan_status kan_odbc_load(void *connection, size_t node, const char *table, size_t n_columns,
                         const kan_row_giver *giver) {
    (void)node;
    kan_odbc *odbc = connection;
    kan_run *run = odbc->run;
    outgoing o = {.odbc = odbc, .what = "load a table of labels", .n_columns = n_columns};
    kan_slice *values = NULL;
    kan_status status;
    kan_text_init(&o.bytes, run);
    KAN_TRY(kan_check_cancel(run));
    kan_odbc_work_begins(odbc, false);
    KAN_TRY_DONE(begin(odbc, o.what, &o.handle));
    KAN_TRY_DONE(kan_alloc_zero(run, n_columns, sizeof *values, &values));
    KAN_TRY_DONE(kan_alloc_zero(run, n_columns, sizeof *o.widths, &o.widths));
    KAN_TRY_DONE(kan_alloc_zero(run, n_columns * BATCH_ROWS, sizeof *o.sizes, &o.sizes));
    KAN_TRY_DONE(kan_alloc_zero(run, n_columns * BATCH_ROWS, sizeof *o.starts, &o.starts));
    KAN_TRY_DONE(prepare_insert(&o, table));
    KAN_TRY_DONE(send_rows(&o, giver, values));
done:
    kan_odbc_work_ends(odbc);
    kan_free(run, values);
    outgoing_destroy(&o);
    return status;
}
