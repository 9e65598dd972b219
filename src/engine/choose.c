/* Rows that an expression chooses (data/cohort), inside the engine: the table becomes a SELECT of these.
 *
 * What engines hold of values differs: of case, of blanks, of digits. So they are asked as little as
 * possible. Where a test is about text, the texts of the column are compared by bytes, as the fold has them.
 * Whole numbers are compared by the engine with whole numbers of at most 18 digits. In all other cases the
 * distinct values of the column come here, each is asked about as one of a file would be, and the texts of
 * those for which the test holds become a list: so rows are the same as those of the table as a file. */
#include <inttypes.h>

#include "core/signs.h"
#include "engine/engine_state.h"

enum { MOST_VALUES = 50000, MOST_DIGITS = 18, MOST_BYTES = 4 << 20 };

typedef struct choosing {
    kan_engine *engine;
    const kan_cohort *cohort;
    kan_text sql; /* the condition */
} choosing;

static void add(kan_text *sql, const char *text) {
    kan_text_add(sql, text, strlen(text));
}

/* ---- tests that the engine can answer -------------------------------------------------------- */

/* ''  and '?' are missing, as NULL is. */
static void add_missing(choosing *c, const kan_cohort_test *test) {
    kan_sql_column_key(&c->sql, &c->engine->table, test->at, NULL);
    add(&c->sql, test->is_negated ? " NOT IN ('', '?')" : " IN ('', '?')");
}

static void add_texts(choosing *c, const kan_cohort_test *test) {
    kan_sql_column_key(&c->sql, &c->engine->table, test->at, NULL);
    add(&c->sql, test->is_negated ? " NOT IN ('', '?', " : " IN (");
    for (size_t i = 0; i < test->n_values; i++) {
        add(&c->sql, i ? ", " : "");
        kan_sql_text(&c->sql, c->engine->table.dialect, test->values[i]);
    }
    add(&c->sql, ")");
}

static bool is_whole(kan_slice number) {
    const size_t sign = number.size > 0 && number.bytes[0] == '-';
    for (size_t i = sign; i < number.size; i++)
        if (!kan_is_digit(number.bytes[i]))
            return false;
    return number.size > sign && number.size - sign <= MOST_DIGITS;
}

static bool are_whole(const kan_cohort_test *test) {
    for (size_t i = 0; i < test->n_values; i++)
        if (!is_whole(test->values[i]))
            return false;
    return test->type == KAN_TYPE_NUMBER;
}

static const char *sign_of(const kan_cohort_test *test) {
    if (test->relation == KAN_COHORT_BELOW)
        return test->is_negated ? " >= " : " < ";
    if (test->relation == KAN_COHORT_UP_TO)
        return test->is_negated ? " > " : " <= ";
    return test->is_negated ? " NOT IN (" : " IN (";
}

/* Of NULL the comparison is NULL, which no `and` and no `or` makes true. */
static void add_numbers(choosing *c, const kan_cohort_test *test) {
    kan_sql_name(&c->sql, c->engine->table.dialect, c->engine->table.columns[test->at].name);
    add(&c->sql, sign_of(test));
    for (size_t i = 0; i < test->n_values; i++)
        kan_text_print(&c->sql, "%s%.*s", i ? ", " : "", (int)test->values[i].size,
                       test->values[i].bytes);
    add(&c->sql, test->relation == KAN_COHORT_AMONG ? ")" : "");
}

/* ---- tests of values that come here ----------------------------------------------------------- */

static kan_status take_number(void *context, const kan_slice *values) {
    return kan_engine_read_count(values[0], context) ? KAN_OK : KAN_FAILED;
}

static kan_status check_number(choosing *c, const kan_cohort_test *test) {
    kan_engine *const engine = c->engine;
    uint64_t n = 0;
    char quoted[256];
    const kan_row_taker taker = {take_number, &n};
    kan_text sql;
    kan_text_init(&sql, engine->run);
    add(&sql, "SELECT ");
    kan_sql_pattern(&sql, engine->table.dialect->number_text, "count(*)");
    add(&sql, " FROM (SELECT DISTINCT ");
    kan_sql_column_key(&sql, &engine->table, test->at, NULL);
    kan_text_print(&sql, " AS %sv FROM %s LIMIT %d) AS %sd", engine->table.prefix,
                   engine->table.place, MOST_VALUES + 1, engine->table.prefix);
    KAN_TRY(kan_engine_query(engine, &sql, "count the values of a column", 1, &taker));
    return n <= MOST_VALUES
               ? KAN_OK
               : kan_fail(engine->run, KAN_BAD_INPUT,
                          "%s: --where: column %s has more than %d values of the type %s, which "
                          "engines compare in ways of their own; make a view of the rows that are "
                          "wanted, and name it instead",
                          kan_engine_name(engine), kan_quote(test->column, quoted), MOST_VALUES,
                          engine->table.columns[test->at].type);
}

/* The text of a value as the engine wrote it. */
static kan_slice given_text(const kan_engine_reals *reals, const kan_dictionary *values,
                            uint32_t code) {
    return reals->is_there ? kan_encoder_value(&reals->given, code)
                           : kan_dictionary_value(values, code);
}

static kan_slice own_text(const kan_engine_reals *reals, const kan_dictionary *values,
                          uint32_t code) {
    return reals->is_there ? (kan_slice){reals->written.bytes + reals->start[code],
                                         reals->start[code + 1] - reals->start[code]}
                           : kan_dictionary_value(values, code);
}

static kan_status add_list(choosing *c, const kan_cohort_test *test, const kan_table *table,
                           const kan_engine_reals *reals) {
    const kan_dictionary *const values = &table->columns[test->at].dictionary;
    const uint32_t n = reals->is_there ? reals->given.n : values->n;
    bool is_empty = true;
    for (uint32_t code = 0; code < n; code++) {
        const kan_slice value = own_text(reals, values, code);
        const kan_cohort_answer answer = kan_cohort_ask(test, value);
        if (answer == KAN_COHORT_MISFIT)
            return kan_cohort_fail_misfit(c->engine->run, test, kan_engine_name(c->engine), value);
        if (answer == KAN_COHORT_NO)
            continue;
        if (is_empty)
            kan_sql_column_key(&c->sql, &c->engine->table, test->at, NULL);
        add(&c->sql, is_empty ? " IN (" : ", ");
        kan_sql_text(&c->sql, c->engine->table.dialect, given_text(reals, values, code));
        is_empty = false;
    }
    add(&c->sql, is_empty ? "1 = 0" : ")");
    return KAN_OK;
}

static kan_status add_values(choosing *c, const kan_cohort_test *test) {
    kan_engine *const engine = c->engine;
    const size_t n = engine->table.n_columns;
    kan_engine_reals *reals = NULL;
    kan_table *table = NULL;
    bool *encode = NULL;
    kan_status status;
    KAN_TRY(check_number(c, test));
    KAN_TRY_DONE(kan_alloc_zero(engine->run, n, sizeof *encode, &encode));
    KAN_TRY_DONE(kan_alloc_zero(engine->run, n, sizeof *reals, &reals));
    encode[test->at] = true;
    const kan_engine_count_plan plan = {.table = &engine->table,
                                        .encode = encode,
                                        .reals = reals,
                                        .what = "read the values of a column",
                                        .stage = "fold"};
    KAN_TRY_DONE(kan_engine_count(engine, &plan, &table));
    KAN_TRY_DONE(add_list(c, test, table, &reals[test->at]));
done:
    if (reals)
        kan_engine_reals_destroy(engine->run, &reals[test->at]);
    kan_table_destroy(table);
    kan_free(engine->run, reals);
    kan_free(engine->run, encode);
    return status;
}

/* ---- the condition -------------------------------------------------------------------------- */

static kan_status add_test(choosing *c, const kan_cohort_test *test) {
    const kan_sql_column *const column = &c->engine->table.columns[test->at];
    char quoted[256];
    if (!column->form->text)
        return kan_fail(c->engine->run, KAN_BAD_INPUT,
                        "%s: --where: column %s is of the type %s, which cannot be compared",
                        kan_engine_name(c->engine), kan_quote(test->column, quoted), column->type);
    if (test->relation == KAN_COHORT_MISSING)
        add_missing(c, test);
    else if (test->type == KAN_TYPE_TEXT && !kan_sql_form_rewrites(column->form))
        add_texts(c, test);
    else if (column->form->is_whole && are_whole(test))
        add_numbers(c, test);
    else
        return add_values(c, test);
    return KAN_OK;
}

/* A step stands behind those that it joins, so that this ends; as deep as `and` and `or` are joined. */
static kan_status add_step(choosing *c, size_t index) {
    const kan_cohort_step step = c->cohort->steps[index];
    if (step.joint == KAN_COHORT_TEST)
        return add_test(c, &c->cohort->tests[step.left]);
    add(&c->sql, "(");
    KAN_TRY(add_step(c, step.left));
    add(&c->sql, step.joint == KAN_COHORT_AND ? " AND " : " OR ");
    KAN_TRY(add_step(c, step.right));
    add(&c->sql, ")");
    return KAN_OK;
}

/* Half of a statement is left for what else it says. */
static kan_status check_size(const choosing *c) {
    const size_t limit = c->engine->table.dialect->most_statement_bytes;
    const size_t most = limit && limit / 2 < MOST_BYTES ? limit / 2 : MOST_BYTES;
    KAN_TRY(kan_text_status(&c->sql));
    return c->sql.size <= most
               ? KAN_OK
               : kan_fail(c->engine->run, KAN_BAD_INPUT,
                          "%s: --where needs a statement of %zu bytes there, and %zu are allowed; "
                          "make a view of the rows that are wanted, and name it instead",
                          kan_engine_name(c->engine), c->sql.size, most);
}

/* SELECT every column FROM the table WHERE the condition, as it stands behind FROM. */
static kan_status narrow(choosing *c) {
    kan_engine *const engine = c->engine;
    kan_text sql;
    kan_text_init(&sql, engine->run);
    add(&sql, "(SELECT ");
    for (size_t i = 0; i < engine->table.n_columns; i++) {
        add(&sql, i ? ", " : "");
        kan_sql_name(&sql, engine->table.dialect, engine->table.columns[i].name);
    }
    kan_text_print(&sql, " FROM %s WHERE %s)", engine->table.place, c->sql.bytes);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_arena_copy(&engine->arena, sql.bytes, sql.size, &engine->rows);
    kan_text_print(&sql, " AS %sw", engine->table.prefix);
    if (status == KAN_OK)
        status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_arena_copy(&engine->arena, sql.bytes, sql.size, &engine->table.place);
    kan_text_destroy(&sql);
    return status;
}

kan_status kan_engine_choose(void *state, const kan_cohort *cohort) {
    kan_engine *const engine = state;
    choosing c = {.engine = engine, .cohort = cohort};
    kan_status status;
    if (kan_engine_n_parts(engine) > 0)
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: --where chooses no rows of a table that is divided among several "
                        "servers; make a view of the rows that are wanted, and name it instead",
                        kan_engine_name(engine));
    if (!kan_engine_is_text(kan_slice_of(cohort->text)))
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "--where: the expression is not UTF-8, and that is what %s holds",
                        engine->table.dialect->name);
    KAN_TRY(kan_engine_check_rows(engine));
    kan_text_init(&c.sql, engine->run);
    KAN_TRY_DONE(add_step(&c, cohort->n_steps - 1));
    KAN_TRY_DONE(check_size(&c));
    KAN_TRY_DONE(narrow(&c));
done:
    kan_text_destroy(&c.sql);
    return status;
}
