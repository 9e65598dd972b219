/* Tables of ClickHouse whose definitions make no sense, and clusters that are not what they say: nothing is counted twice or
 * on the wrong server, and what is refused says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/fake_clickhouse.h"

/* ---- definitions that make no sense --------------------------------------------------------- */

static void a_definition_that_is_not_understood_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *engine, *full, *part;
        kan_status status;
    } cases[] = {
        {"Distributed", "Distributed", "of an unknown form", KAN_FAILED},
        {"Distributed", "Distributed(pair, default)", "of an unknown form", KAN_FAILED},
        {"Distributed", "Distributed(pair, 'default", "of an unknown form", KAN_FAILED},
        {"Distributed", "Distributed(pair, '', people_local)", "knows no cluster pair",
         KAN_BAD_INPUT},
        {"Merge", "Merge", "a table of an unknown kind behind it", KAN_FAILED},
        {"Buffer", "Buffer(default)", "a table of an unknown kind behind it", KAN_FAILED},
        {"SummingMergeTree", "SummingMergeTree()", "SELECT .. GROUP BY its key", KAN_BAD_INPUT},
        {"NewestMergeTree", "NewestMergeTree()", "may count as several", KAN_BAD_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const kind[] = {cases[i].engine, cases[i].full, "", NULL};
        const char *const facts[] = {cases[i].engine, cases[i].full, NULL};
        const click_answer answers[] = {{.asks = CLICK_KIND, .texts = kind},
                                        {.asks = CLICK_FACTS, .texts = facts}};
        click_refuses(answers, 2, cases[i].status, cases[i].part);
    }
}

/* A view of itself, by way of a buffer: it ends, and what is behind it has said nothing bad. */
static void a_circle_of_definitions_ends(void **state) {
    (void)state;
    static const char *const kind[] = {"Buffer", "Buffer('default', 'people', 16)", "", NULL};
    const click_answer answers[] = {{.asks = CLICK_KIND, .texts = kind}};
    click_end(click_connected(answers, 1));
}

static void materialized_views_are_what_they_fill(void **state) {
    (void)state;
    static const struct {
        const char *query;
        bool is_refused;
    } cases[] = {
        {"CREATE MATERIALIZED VIEW v ENGINE = SummingMergeTree(n) AS SELECT 1", true},
        {"CREATE MATERIALIZED VIEW v ENGINE = MergeTree ORDER BY x AS SELECT 1", false},
        {"CREATE MATERIALIZED VIEW v TO other.`su\\`ms` AS SELECT 1", true},
        {"CREATE MATERIALIZED VIEW v AS SELECT ' TO nowhere'", false},
    };
    static const char *const sums[] = {"SummingMergeTree", "SummingMergeTree(n)", "", NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const kind[] = {"MaterializedView", "", cases[i].query, NULL};
        const click_answer answers[] = {
            {.asks = CLICK_FACTS, .body = ""}, /* of no Distributed table */
            {.asks = "name = 'people'", .texts = kind},
            {.asks = "database = 'other' AND name = 'su`ms'", .texts = sums}};
        click_visit *v = click_visit_new();
        memcpy(v->scene.answers, answers, sizeof answers);
        assert_int_equal(click_begin(v, NULL, NULL), cases[i].is_refused ? KAN_BAD_INPUT : KAN_OK);
        if (cases[i].is_refused)
            click_assert_says(v, "give the table that it fills instead");
        click_end(v);
    }
}

static void shards_that_do_not_fit_the_cluster_are_refused(void **state) {
    (void)state;
    static const char *const full = "Distributed('pair', default, `people local`, cityHash64(id))";
    const char *const kind[] = {"Distributed", full, "", NULL};
    const char *const facts[] = {"Distributed", full, NULL};
    const char *const two[] = {"1", "one.invalid", "1", "1", "two.invalid", "0", NULL};
    static const struct {
        const char *shards, *part;
    } cases[] = {{"here", "has the HTTP ports of all shards"},
                 {":8123,there:8123", "has the HTTP ports of all shards"},
                 {"here:,there:8123", "has the HTTP ports of all shards"},
                 {"here:8123", "names 1 server, and the cluster pair has 2"},
                 {"a:1,b:2,c:3", "names 3 servers, and the cluster pair has 2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        click_visit *v = click_visit_new();
        v->scene.answers[0] = (click_answer){.asks = CLICK_KIND, .texts = kind};
        v->scene.answers[1] = (click_answer){.asks = CLICK_FACTS, .texts = facts};
        v->scene.answers[2] = (click_answer){.asks = CLICK_CLUSTERS, .texts = two};
        assert_int_equal(click_begin(v, "shards", cases[i].shards), KAN_BAD_INPUT);
        click_assert_says(v, cases[i].part);
        click_end(v);
    }
}

/* A cluster of one shard, which is the server itself. */
static click_visit *with_shard(click_answer first, click_answer second) {
    static const char *const full = "Distributed(pair, default, people_local, `a b`)";
    static const char *const kind[] = {"Distributed", full, "", NULL};
    static const char *const facts[] = {"Distributed", full, NULL};
    static const char *const one[] = {"1", "127.0.0.1", "1", NULL};
    const click_answer answers[] = {{.asks = CLICK_KIND, .texts = kind},
                                    {.asks = CLICK_FACTS, .texts = facts},
                                    {.asks = CLICK_CLUSTERS, .texts = one},
                                    first,
                                    second};
    return click_connected(answers, 5);
}

static void keep_note(void *user, const char *text) {
    (void)snprintf(user, 512, "%s", text);
}

/* A shard takes the table that proves who it is; but the cluster does not show it. */
static void a_shard_that_is_another_server_is_told(void **state) {
    (void)state;
    char note[512] = "";
    click_visit *v =
        with_shard((click_answer){.asks = "SELECT count() FROM cluster(", .body = "0\n"},
                   (click_answer){.asks = "DROP TABLE", .status = "500 Oops", .body = "no"});
    kan_run_on_note(v->run, keep_note, note);
    assert_int_equal(click_engine->n_parts(v->connection), 1);
    assert_string_equal(click_engine->part(v->connection), "`default`.`people_local`");
    assert_int_equal(click_engine->check_parts(v->connection), KAN_BAD_INPUT);
    click_assert_says(v, "of the 1 shards of the cluster pair only 0 are at the addresses");
    assert_non_null(strstr(note, "_probe stays behind; drop it")); /* it could not be dropped */
    click_end(v);
}

static void what_a_shard_refuses_is_told(void **state) {
    (void)state;
    click_visit *v =
        with_shard((click_answer){.asks = "CREATE TABLE",
                                  .status = "500 Oops",
                                  .body = "Code: 497. DB::Exception: me: no. (version 24.8)"},
                   (click_answer){0});
    assert_int_equal(click_engine->check_parts(v->connection), KAN_BAD_INPUT);
    click_assert_says(v, "make a table on a shard: 127.0.0.1");
    click_assert_says(v, "CREATE TABLE, INSERT, SELECT and DROP TABLE");
    const kan_statement make = {.sql = "CREATE TABLE x", .what = "make the release"};
    assert_int_equal(click_engine->execute_parts(v->connection, &make), KAN_BAD_INPUT);
    click_assert_says(v, "make the release: 127.0.0.1");
    click_end(v);
}

/* The key of the input may name a column that the release does not have: then rows go anywhere. */
static void a_quoted_key_is_not_taken_over(void **state) {
    (void)state;
    static const char *const columns[] = {"age", "String", "a\\b`", "UInt8", NULL};
    char note[512] = "";
    click_visit *v = with_shard((click_answer){.asks = "SELECT name, type FROM", .texts = columns},
                                (click_answer){0});
    kan_run_on_note(v->run, keep_note, note);
    const kan_gathering gathering = {.part = "part", .whole = "`default`.`all`", .is_last = true};
    assert_int_equal(click_engine->gather(v->connection, &gathering), KAN_OK);
    assert_non_null(strstr(v->scene.heard,
                           "CREATE TABLE `default`.`all` (`age` String, `a\\\\b\\`` UInt8) ENGINE "
                           "= Distributed('pair', 'default', 'part', rand())"));
    assert_non_null(strstr(note, "lie on the shard that they are on in the input (`a b`)"));
    click_end(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_that_is_not_understood_is_refused),
        cmocka_unit_test(a_circle_of_definitions_ends),
        cmocka_unit_test(materialized_views_are_what_they_fill),
        cmocka_unit_test(shards_that_do_not_fit_the_cluster_are_refused),
        cmocka_unit_test(a_shard_that_is_another_server_is_told),
        cmocka_unit_test(what_a_shard_refuses_is_told),
        cmocka_unit_test(a_quoted_key_is_not_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
