/* Statements that bring some rows of a table, and numbers about all.
 *
 * The clock of a combination with n rows is -ln(u) / n, where u between 0 and 1 follows from its texts:
 * the least of n times that are drawn from an exponential distribution is one of n times its rate. Where
 * no combination has more than m rows, those with -ln(u) above m times the clock are none that is looked
 * for, and their rows need not be grouped: of a column of ids few are. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/sql/sql.h"

static void add(kan_text *sql, const char *words) {
    kan_text_print(sql, "%s", words);
}

/* The pattern around a piece; without memory the statement fails. */
static void add_around(kan_text *sql, const char *pattern, kan_text *piece) {
    if (kan_text_status(piece) == KAN_OK)
        kan_sql_pattern(sql, pattern, piece->bytes);
    else
        sql->failed = true;
    kan_text_destroy(piece);
}

/* ---- some rows ------------------------------------------------------------------------------ */

/* -ln(u) of the texts as one, which need not tell all combinations apart: of a group where `of` is its
 * name, of a row where it is NULL. */
static void add_time(kan_text *sql, const kan_sql_table *table, const bool *encode,
                     const char *of) {
    kan_text joined;
    kan_text_init(&joined, sql->run);
    add(&joined, "concat(''");
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!encode[i])
            continue;
        add(&joined, ", ';', ");
        if (of)
            kan_sql_group_text(&joined, table, i, of);
        else
            kan_sql_column_key(&joined, table, i, NULL);
    }
    add(&joined, ")");
    add(sql, "-ln(");
    add_around(sql, table->dialect->drawn, &joined);
    add(sql, ")");
}

/* The groups of rows of which the time is before some one. */
static void add_groups(kan_text *sql, const kan_sql_table *table, const bool *encode,
                       const bool *drawn_by, double before) {
    kan_text condition;
    kan_text_init(&condition, sql->run);
    add_time(&condition, table, drawn_by, NULL);
    kan_text_print(&condition, " < %.17g", before);
    if (kan_text_status(&condition) == KAN_OK)
        kan_sql_groups_where(sql, table, encode, condition.bytes);
    else
        sql->failed = true;
    kan_text_destroy(&condition);
}

void kan_sql_fold_some(kan_text *sql, const kan_sql_table *table, const bool *encode,
                       const kan_sql_some *some) {
    const double most = (double)some->n_most * some->clock;
    char of[64], n[128];
    (void)snprintf(of, sizeof of, "%sg", table->prefix);
    (void)snprintf(n, sizeof n, "%s.%sn", of, table->prefix);
    add(sql, "SELECT ");
    for (size_t i = 0; i < table->n_columns; i++)
        if (encode[i]) {
            kan_sql_group_text(sql, table, i, of);
            add(sql, ", ");
        }
    kan_sql_pattern(sql, table->dialect->number_text, n);
    add(sql, " FROM (");
    if (some->by_row)
        add_groups(sql, table, encode, some->by_row, some->clock);
    else if (some->n_most > 0 && most < 1) /* else nearly all rows are grouped */
        add_groups(sql, table, encode, encode, most);
    else
        kan_sql_groups(sql, table, encode);
    kan_text_print(sql, ") AS %s", of);
    if (some->by_row)
        return;
    add(sql, " WHERE ");
    add_time(sql, table, encode, of);
    kan_text_print(sql, " < %.17g * %s", some->clock, n);
}

/* ---- all rows ------------------------------------------------------------------------------- */

/* The text of a number over all values of a column, of which P is the prefix: Pt is the text of one,
 * '' for NULL, Pm how many rows have it. */
static void add_number(kan_text *sql, const kan_sql_table *table, const char *pattern) {
    kan_text number;
    kan_text_init(&number, sql->run);
    for (const char *at = pattern; *at; at++)
        if (*at == '@')
            add(&number, table->prefix);
        else
            kan_text_add(&number, at, 1);
    add_around(sql, table->dialect->number_text, &number);
}

void kan_sql_sum_up(kan_text *sql, const kan_sql_table *table, size_t column) {
    static const char *const numbers[KAN_SQL_SUMS] = {
        "sum(CASE WHEN @t IN ('', '?') THEN 0 ELSE 1 END)",
        "sum(CASE WHEN @m > 1 OR @t IN ('', '?') THEN 0 ELSE 1 END)",
        "sum(@m)",
        "sum(CASE WHEN @t = '' THEN @m ELSE 0 END)",
        "sum(CASE WHEN @t = '?' THEN @m ELSE 0 END)",
        "max(@m)"};
    const char *const p = table->prefix;
    const bool encode[1] = {true};
    kan_sql_table one = *table;
    char of[64];
    one.columns = &table->columns[column];
    one.n_columns = 1;
    (void)snprintf(of, sizeof of, "%sg", p);
    for (unsigned i = 0; i < KAN_SQL_SUMS; i++) {
        add(sql, i ? ", " : "SELECT ");
        add_number(sql, table, numbers[i]);
    }
    add(sql, " FROM (SELECT ");
    kan_sql_group_text(sql, &one, 0, of);
    kan_text_print(sql, " AS %st, %s.%sn AS %sm FROM (", p, of, p, p);
    kan_sql_groups(sql, &one, encode);
    kan_text_print(sql, ") AS %s) AS %ss", of, p);
}

void kan_sql_range(kan_text *sql, const kan_sql_table *table, size_t column) {
    static const char *const ends[] = {"min(", "max("};
    for (unsigned i = 0; i < 2; i++) {
        kan_text end;
        kan_text_init(&end, sql->run);
        add(&end, ends[i]);
        kan_sql_name(&end, table->dialect, table->columns[column].name);
        add(&end, ")");
        add(sql, i ? ", " : "SELECT ");
        add_around(sql, table->columns[column].form->text, &end);
    }
    kan_text_print(sql, " FROM %s", table->place);
}
