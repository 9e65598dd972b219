#include "toy_transport.h"

static toy *current;

void toy_begin(toy *t, kan_run *run) {
    t->run = run;
    t->n_calls = 0;
    t->is_open = false;
    kan_text_init(&t->log, run);
    kan_text_add(&t->log, "", 0);
    kan_text_init(&t->statements, run);
    kan_text_add(&t->statements, "", 0);
    current = t;
}

void toy_end(toy *t) {
    kan_text_destroy(&t->log);
    kan_text_destroy(&t->statements);
    current = NULL;
}

static kan_status count_call(toy *t, const char *what) {
    if (++t->n_calls == t->fail_at)
        return kan_fail(t->run, KAN_FAILED, "toy: %s: the line is dead", what);
    if (t->n_calls == t->cancel_at)
        kan_run_cancel(t->run);
    return KAN_OK;
}

static kan_status toy_connect(kan_run *run, const kan_address *address, const kan_options *given,
                              void **out) {
    (void)run;
    (void)address;
    (void)given;
    current->is_open = true;
    *out = current;
    return KAN_OK;
}

static void toy_disconnect(void *connection) {
    toy *const t = connection;
    t->is_open = false;
}

static kan_status toy_columns(void *connection, const kan_row_taker *taker) {
    toy *const t = connection;
    KAN_TRY(count_call(t, "columns"));
    for (size_t i = 0; i < t->n_columns; i++) {
        kan_slice values[3];
        for (size_t j = 0; j < 3; j++)
            values[j] = kan_slice_of(t->columns[i][j]);
        KAN_TRY(taker->take(taker->context, values));
    }
    return KAN_OK;
}

static kan_status toy_turn(void *connection, const kan_address *address) {
    (void)connection;
    (void)address;
    return KAN_OK;
}

static kan_status toy_execute(void *connection, size_t node, const kan_statement *statement) {
    toy *const t = connection;
    (void)node;
    if (!statement->cleans_up)
        KAN_TRY(kan_check_cancel(t->run));
    kan_text_print(&t->log, "%s\n", statement->sql);
    kan_text_add(&t->statements, statement->sql, strlen(statement->sql) + 1);
    KAN_TRY(count_call(t, statement->what));
    return statement->cleans_up || statement->is_final ? KAN_OK : kan_check_cancel(t->run);
}

/* Eight bytes can be read at each value. */
static kan_status give_row(const char *const *cells, size_t n, const kan_row_taker *taker) {
    char room[TOY_MOST_COLUMNS][256] = {{0}};
    kan_slice values[TOY_MOST_COLUMNS];
    for (size_t i = 0; i < n; i++) {
        values[i] = (kan_slice){NULL, 0};
        if (!cells[i])
            continue;
        strncpy(room[i], cells[i], sizeof room[i] - 9);
        values[i] = (kan_slice){room[i], strlen(room[i])};
    }
    return taker->take(taker->context, values);
}

static kan_status toy_query(void *connection, size_t node, const kan_statement *statement,
                            size_t n_columns, const kan_row_taker *taker) {
    toy *const t = connection;
    (void)node;
    KAN_TRY(kan_check_cancel(t->run));
    kan_text_print(&t->log, "%s\n", statement->sql);
    kan_text_add(&t->statements, statement->sql, strlen(statement->sql) + 1);
    KAN_TRY(count_call(t, statement->what));
    for (size_t i = 0; i < t->n_answers; i++) {
        toy_answer *const answer = &t->answers[i];
        if (!strstr(statement->sql, answer->part))
            continue;
        if (answer->n_times > 0 && --answer->n_times == 0)
            answer->part = "\n"; /* in no statement */
        for (size_t row = 0; row < answer->n_rows; row++)
            KAN_TRY(give_row(answer->rows[row], n_columns, taker));
        return KAN_OK;
    }
    return KAN_OK;
}

static kan_status toy_load(void *connection, size_t node, const char *table, size_t n_columns,
                           const kan_row_giver *giver) {
    toy *const t = connection;
    (void)node;
    KAN_TRY(count_call(t, "load"));
    for (;;) {
        kan_slice values[TOY_MOST_COLUMNS];
        bool is_row = false;
        KAN_TRY(giver->give(giver->context, values, &is_row));
        if (!is_row)
            return KAN_OK;
        kan_text_print(&t->log, "%s <-", table);
        for (size_t i = 0; i < n_columns; i++)
            kan_text_print(&t->log, " %.*s", (int)(values[i].bytes ? values[i].size : 4),
                           values[i].bytes ? values[i].bytes : "NULL");
        kan_text_print(&t->log, "\n");
    }
}

static uint64_t toy_n_received(const void *connection) {
    (void)connection;
    return 0;
}

const kan_transport toy_transport = {
    .connect = toy_connect,
    .disconnect = toy_disconnect,
    .columns = toy_columns,
    .turn = toy_turn,
    .execute = toy_execute,
    .query = toy_query,
    .load = toy_load,
    .n_received = toy_n_received,
};
