/* engine/apply.c, recount.c, predict.c and commit.c over a toy transport: which statements make a
 * release, that a difference is found, and that every failing call ends with nothing left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/sql/dialect.h"
#include "toy_transport.h"

static kan_run *run;
static const kan_engine_kind toy_kind = {"postgres", &kan_dialect_postgres, &toy_transport};
static const char *const columns[][3] = {
    {"age", "integer", "1"}, {"town", "text", "1"}, {"photo", "bytea", "1"}};

/* Four distinct people, seven rows. */
static const char *const folded[][TOY_MOST_COLUMNS] = {
    {"30", "Bonn", "2"}, {"31", "Bonn", "3"}, {"50", NULL, "1"}, {"51", "Kiel", "1"}};
static const char *const released[][TOY_MOST_COLUMNS] = {{"30-39", "Bonn", "5"}};

static int begin(void **state) {
    (void)state;
    run = kan_run_create();
    return run ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    kan_run_destroy(run);
    return 0;
}

/* Ages become decades; who is above 40 is suppressed; the photo passes through. */
typedef struct {
    kan_table *table;
    kan_slice ages[4], towns[3];
    uint8_t is_suppressed[4];
    kan_release_column columns[3];
    kan_release release;
    kan_engine_order order;
} job;

static void make_job(job *j, kan_engine *engine) {
    const bool encode[] = {true, true, false};
    assert_int_equal(kan_engine_fold(engine, encode, &j->table), KAN_OK);
    assert_int_equal(j->table->n_rows, 4);
    const kan_dictionary *const ages = &j->table->columns[0].dictionary, *const towns =
                                                                             &j->table->columns[1]
                                                                                  .dictionary;
    for (uint32_t i = 0; i < ages->n; i++)
        j->ages[i] =
            kan_slice_of(kan_dictionary_value(ages, i).bytes[0] == '3' ? "30-39" : "50-59");
    for (uint32_t i = 0; i < towns->n; i++)
        j->towns[i] = kan_dictionary_value(towns, i);
    for (uint64_t row = 0; row < 4; row++)
        j->is_suppressed[row] = kan_column_value(&j->table->columns[0], row).bytes[0] == '5';
    j->columns[0] = (kan_release_column){.name = "age",
                                         .source_column = 0,
                                         .is_quasi = true,
                                         .width = j->table->columns[0].width,
                                         .codes = j->table->columns[0].codes,
                                         .labels = j->ages,
                                         .n_labels = ages->n};
    j->columns[1] = (kan_release_column){.name = "town",
                                         .source_column = 1,
                                         .is_quasi = true,
                                         .width = j->table->columns[1].width,
                                         .codes = j->table->columns[1].codes,
                                         .labels = j->towns,
                                         .n_labels = towns->n};
    j->columns[2] =
        (kan_release_column){.name = "photo", .source_column = 2, .passes_through = true};
    j->release = (kan_release){.n_rows = 4,
                               .n_released = 5,
                               .n_columns = 3,
                               .columns = j->columns,
                               .is_suppressed = j->is_suppressed};
    j->order = (kan_engine_order){
        .target = "postgres://h/db?table=s.out", .table = j->table, .release = &j->release};
}

static void toy_lay_out(toy *t, toy_answer *answers, const char *const (*counted)[TOY_MOST_COLUMNS],
                        size_t n_counted) {
    answers[0] = (toy_answer){"FROM \"people\" GROUP BY", 4, folded, 0};
    answers[1] = (toy_answer){"to_regclass", 0, NULL, 0};
    answers[2] = (toy_answer){"GROUP BY", n_counted, counted, 0};
    *t = (toy){.columns = columns, .n_columns = 3, .answers = answers, .n_answers = 3};
    toy_begin(t, run);
}

static kan_engine *open_toy(void) {
    void *engine = NULL;
    const kan_source_options options = {0};
    const kan_status status =
        kan_engine_open(run, &toy_kind, "postgres://h/db?table=people", &options, &engine);
    return status == KAN_OK ? engine : NULL;
}

/* The whole way; what fails ends it. */
static kan_status walk(kan_engine *engine, const kan_engine_order *order) {
    kan_table *counted = NULL;
    KAN_TRY(kan_engine_prepare(engine, order->target, order->overwrite, false));
    KAN_TRY(kan_engine_apply(engine, order));
    KAN_TRY(kan_engine_recount(engine, &counted));
    const kan_status status = kan_engine_compare(engine, order, counted);
    kan_table_destroy(counted);
    KAN_TRY(status);
    return kan_engine_commit(engine);
}

/* A name that was drawn, as it stands between quotes; X in its place, so that logs can be compared.
 */
static char *plain_log(const toy *t) {
    char *const log = strdup(t->log.bytes);
    for (char *at = log; (at = strstr(at, "kanon_")) != NULL; at += 6)
        memset(at + 6, 'X', 16);
    return log;
}

static void a_release_is_made_counted_and_named(void **state) {
    toy_answer answers[3];
    toy t;
    job j;
    (void)state;
    toy_lay_out(&t, answers, released, 1);
    kan_engine *const engine = open_toy();
    make_job(&j, engine);
    assert_int_equal(walk(engine, &j.order), KAN_OK);
    char *const log = plain_log(&t);
    static const char *const wanted[] = {
        "BEGIN ISOLATION LEVEL REPEATABLE READ",
        "CREATE TABLE \"s\".\"kanon_XXXXXXXXXXXXXXXX\" (kx_v bigint)\n",
        "DROP TABLE IF EXISTS \"s\".\"kanon_XXXXXXXXXXXXXXXX\"\n",
        "CREATE TEMPORARY TABLE \"kanon_XXXXXXXXXXXXXXXX_m0\" (kx_v text COLLATE \"C\", kx_l0 "
        "text, "
        "kx_g0 bigint)\n",
        "\"kanon_XXXXXXXXXXXXXXXX_m0\" <- 30 30-39 1\n",
        "\"kanon_XXXXXXXXXXXXXXXX_m0\" <- 51 50-59 2\n",
        "CREATE TEMPORARY TABLE \"kanon_XXXXXXXXXXXXXXXX_s\" (kx_k0 bigint, kx_k1 text COLLATE "
        "\"C\")\n",
        "\"kanon_XXXXXXXXXXXXXXXX_s\" <- 2 \n",
        "\"kanon_XXXXXXXXXXXXXXXX_s\" <- 2 Kiel\n",
        "CREATE TABLE \"s\".\"kanon_XXXXXXXXXXXXXXXX\" AS SELECT kx_m0.kx_l0 AS \"age\", "
        "CAST(CASE WHEN CAST(kx_t.\"town\" AS text) COLLATE \"C\" <> '' THEN kx_t.\"town\" END AS "
        "text) AS \"town\", kx_t.\"photo\" AS \"photo\" FROM \"people\" AS kx_t LEFT JOIN "
        "\"kanon_XXXXXXXXXXXXXXXX_m0\" AS kx_m0 ON kx_m0.kx_v = COALESCE(CAST(kx_t.\"age\" AS "
        "text), '') WHERE NOT EXISTS (SELECT 1 FROM \"kanon_XXXXXXXXXXXXXXXX_s\" AS kx_x WHERE "
        "kx_x.kx_k0 = kx_m0.kx_g0 AND kx_x.kx_k1 = COALESCE(CAST(kx_t.\"town\" AS text) COLLATE "
        "\"C\", ''))\n",
        "DROP TABLE IF EXISTS \"kanon_XXXXXXXXXXXXXXXX_m0\"\n",
        "DROP TABLE IF EXISTS \"kanon_XXXXXXXXXXXXXXXX_s\"\n",
        "ANALYZE \"s\".\"kanon_XXXXXXXXXXXXXXXX\"\n",
        "GROUP BY \"age\", CAST(\"town\" AS text) COLLATE \"C\"",
        "ALTER TABLE \"s\".\"kanon_XXXXXXXXXXXXXXXX\" RENAME TO \"out\"\n",
        "COMMIT\n",
    };
    const char *at = log;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        at = strstr(at, wanted[i]);
        if (!at)
            fail_msg("not there, or not behind the others: %s\nin %s", wanted[i], log);
    }
    free(log);
    kan_table_destroy(j.table);
    kan_engine_close(engine);
    assert_null(strstr(t.log.bytes, "ROLLBACK"));
    toy_end(&t);
}

/* The key of an order is loaded as values are, and dropped behind the release. */
static void the_key_of_an_order_is_in_no_statement(void **state) {
    static const char key[] = "0123456789abcdef";
    toy_answer answers[3];
    toy t;
    job j;
    (void)state;
    toy_lay_out(&t, answers, released, 1);
    kan_engine *const engine = open_toy();
    make_job(&j, engine);
    j.order.shuffle = key;
    assert_int_equal(walk(engine, &j.order), KAN_OK);
    for (size_t at = 0; at < t.statements.size; at += strlen(t.statements.bytes + at) + 1)
        assert_null(strstr(t.statements.bytes + at, key));
    char *const log = plain_log(&t);
    static const char *const wanted[] = {
        "CREATE TEMPORARY TABLE \"kanon_XXXXXXXXXXXXXXXX_k\" (kx_v text COLLATE \"C\")\n",
        "\"kanon_XXXXXXXXXXXXXXXX_k\" <- 0123456789abcdef\n",
        "AS SELECT kx_y.\"age\", kx_y.\"town\", kx_y.\"photo\" FROM (SELECT kx_z.*, row_number() "
        "OVER () AS kx_o FROM (SELECT kx_m0.kx_l0 AS \"age\", ",
        ") AS kx_z) AS kx_y CROSS JOIN \"kanon_XXXXXXXXXXXXXXXX_k\" AS kx_k ORDER BY "
        "sha256(convert_to(kx_k.kx_v || ':' || CAST(kx_y.kx_o AS text), 'UTF8'))\n",
        "DROP TABLE IF EXISTS \"kanon_XXXXXXXXXXXXXXXX_k\"\n",
        "COMMIT\n",
    };
    const char *at = log;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        at = strstr(at, wanted[i]);
        if (!at)
            fail_msg("not there, or not behind the others: %s\nin %s", wanted[i], log);
    }
    free(log);
    kan_table_destroy(j.table);
    kan_engine_close(engine);
    toy_end(&t);
}

/* Every count that is not the predicted one is told, and nothing is named. */
static void a_difference_is_never_committed(void **state) {
    static const char *const more[][TOY_MOST_COLUMNS] = {{"30-39", "Bonn", "6"}};
    static const char *const fewer[][TOY_MOST_COLUMNS] = {{"30-39", "Bonn", "4"}};
    static const char *const other[][TOY_MOST_COLUMNS] = {{"30-39", "Kiel", "5"}};
    static const char *const unknown[][TOY_MOST_COLUMNS] = {{"30-39", "Bonn", "5"},
                                                            {NULL, "Bonn", "1"}};
    static const struct {
        const char *const (*rows)[TOY_MOST_COLUMNS];
        size_t n;
    } cases[] = {{more, 1}, {fewer, 1}, {other, 1}, {unknown, 2}, {NULL, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        toy_answer answers[3];
        toy t;
        job j;
        toy_lay_out(&t, answers, cases[i].rows, cases[i].n);
        kan_engine *const engine = open_toy();
        make_job(&j, engine);
        assert_int_equal(walk(engine, &j.order), KAN_FAILED);
        assert_non_null(strstr(kan_run_error(run), "do not have the number of rows"));
        kan_table_destroy(j.table);
        kan_engine_close(engine);
        assert_null(strstr(t.log.bytes, "RENAME"));
        assert_null(strstr(t.log.bytes, "COMMIT"));
        assert_non_null(strstr(t.log.bytes, "ROLLBACK"));
        toy_end(&t);
    }
}

static void every_failing_call_leaves_nothing_and_keeps_its_words(void **state) {
    size_t n_failed = 0;
    (void)state;
    for (size_t fail_at = 4;; fail_at++) { /* the first three are begin, columns, fold */
        toy_answer answers[3];
        toy t;
        job j;
        toy_lay_out(&t, answers, released, 1);
        kan_engine *const engine = open_toy();
        make_job(&j, engine);
        t.fail_at = fail_at;
        const kan_status status = walk(engine, &j.order);
        kan_table_destroy(j.table);
        kan_engine_close(engine);
        const bool is_over = status == KAN_OK;
        if (!is_over) {
            assert_int_equal(status, KAN_FAILED);
            assert_non_null(strstr(kan_run_error(run), "the line is dead"));
            assert_non_null(strstr(t.log.bytes, "ROLLBACK"));
            n_failed++;
        }
        assert_false(t.is_open);
        toy_end(&t);
        if (is_over)
            break;
    }
    assert_true(n_failed >= 12);
}

/* A statement that is ended may have been done all the same. So a run that is cancelled while its
 * release gets its name lets that come to an end, and says that it is there. */
static void a_cancelled_run_knows_whether_there_is_a_release(void **state) {
    static const kan_engine_kind kinds[] = {
        {"postgres", &kan_dialect_postgres, &toy_transport}, /* in a transaction */
        {"postgres", &kan_dialect_mariadb, &toy_transport}}; /* each statement is seen at once */
    static const char *const names_it[] = {"COMMIT", "TO `s`.`out`"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t n_cancelled = 0, n_named = 0;
        for (size_t cancel_at = 4;; cancel_at++) {
            const kan_source_options options = {0};
            toy_answer answers[3];
            toy t;
            job j;
            void *engine = NULL;
            toy_lay_out(&t, answers, released, 1);
            answers[0].part = "GROUP BY";
            answers[0].n_times = 1;
            assert_int_equal(
                kan_engine_open(run, &kinds[i], "postgres://h/db?table=people", &options, &engine),
                KAN_OK);
            make_job(&j, engine);
            t.cancel_at = cancel_at;
            const kan_status status = walk(engine, &j.order);
            const bool is_over = t.n_calls < cancel_at;
            kan_table_destroy(j.table);
            kan_engine_close(engine);
            assert_true(status == KAN_OK || status == KAN_CANCELLED);
            assert_int_equal(status == KAN_OK, strstr(t.log.bytes, names_it[i]) != NULL);
            n_cancelled += status == KAN_CANCELLED;
            n_named += status == KAN_OK && !is_over;
            toy_end(&t);
            kan_run_destroy(run);
            run = kan_run_create();
            assert_non_null(run);
            if (is_over)
                break;
        }
        assert_true(n_cancelled >= 8 && n_named >= 1);
    }
}

static void what_is_in_the_way_is_told_before_the_search(void **state) {
    static const char *const one[][TOY_MOST_COLUMNS] = {{"1"}};
    toy_answer answers[3];
    toy t;
    (void)state;
    toy_lay_out(&t, answers, released, 1);
    answers[1] = (toy_answer){"to_regclass", 1, one, 0};
    kan_engine *const engine = open_toy();
    assert_int_equal(kan_engine_prepare(engine, "postgres://h/db?table=out", false, false),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "--force"));
    kan_engine_close(engine);
    static const char *const targets[] = {"postgres://h/db?table=people",
                                          "postgres://h/db?table=s.people",
                                          "postgres://g/db?table=out",
                                          "clickhouse://h/db/out",
                                          "postgres://h/db?table="
                                          "1234567890123456789012345678901234567890123456789012345"
                                          "678901234",
                                          "out.csv"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        kan_engine *const other = open_toy();
        assert_int_equal(kan_engine_prepare(other, targets[i], true, false), KAN_BAD_INPUT);
        kan_engine_close(other);
    }
    toy_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_is_made_counted_and_named),
        cmocka_unit_test(the_key_of_an_order_is_in_no_statement),
        cmocka_unit_test(a_difference_is_never_committed),
        cmocka_unit_test(every_failing_call_leaves_nothing_and_keeps_its_words),
        cmocka_unit_test(a_cancelled_run_knows_whether_there_is_a_release),
        cmocka_unit_test(what_is_in_the_way_is_told_before_the_search),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
