/* job/report/report_file.h: what `kanon report` takes from a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <kanon.h>

#include "job/report/report_file.h"
#include "report/report_page.h"
#include "support/page.h"

enum { N_ROWS = 60 };

static void set(kan_job *job, const char *name, const char *value) {
    assert_int_equal(kan_job_set(job, name, value), KAN_OK);
}

/* A result as the user gets it. */
static json_t *make_result(kan_run *run, const char *search, const char *by) {
    static const char *const names[] = {"age", "town", "illness", "who"};
    char path[] = "/tmp/kanon-check-XXXXXX";
    kan_table *table;
    kan_job *job;
    kan_result *result;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(kan_table_create(run, 4, names, &table), KAN_OK);
    for (int i = 0; i < N_ROWS; i++) {
        char age[16], town[16], illness[16], who[16];
        snprintf(age, sizeof age, "%d", 20 + i * 7 % 30);
        snprintf(town, sizeof town, "t%d", i % 4);
        snprintf(illness, sizeof illness, "i%d", i % 3);
        snprintf(who, sizeof who, "w%d", i % 20);
        const char *const cells[] = {age, town, illness, who};
        assert_int_equal(kan_table_add_row(table, cells), KAN_OK);
    }
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    assert_int_equal(kan_job_use_table(job, table), KAN_OK);
    set(job, "qi", "age=intervals:5,10");
    set(job, "qi", "town");
    set(job, "sensitive", "illness");
    set(job, "k", "3");
    set(job, "suppress", strncmp(search, "mondrian", 8) == 0 ? "0" : "10%");
    set(job, "algorithm", search);
    if (by) {
        set(job, "person", "who");
        set(job, strcmp(by, "histories") == 0 ? "person-promise" : "suppress-by", by);
    } else {
        set(job, "id", "who");
    }
    set(job, "report", path);
    set(job, "force", NULL);
    if (kan_job_run(job, "anonymize", &result) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    json_t *object = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(object);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    assert_int_equal(unlink(path), 0);
    return object;
}

/* Spoils the n-th member: something else in its place, or nothing where `instead` is NULL. Returns
 * false behind the last. */
static bool spoil(json_t *at, size_t *n, json_t *instead) {
    const char *key;
    json_t *member;
    size_t i;
    json_object_foreach(at, key, member) {
        if ((*n)-- == 0)
            return (instead ? json_object_set(at, key, instead) : json_object_del(at, key)) == 0;
        if (spoil(member, n, instead))
            return true;
    }
    json_array_foreach(at, i, member) {
        if ((*n)-- == 0)
            return (instead ? json_array_set(at, i, instead) : json_array_remove(at, i)) == 0;
        if (spoil(member, n, instead))
            return true;
    }
    return false;
}

/* What is neither refused nor whole: a cell of a table, or a figure, that shows a dash. */
static void expect_no_hole(kan_run *run, const json_t *object) {
    kan_text text;
    kan_text_init(&text, run);
    assert_int_equal(kan_report_page_print(run, object, &text), KAN_OK);
    expect_safe_page(text.bytes);
    const char *hole = strstr(text.bytes, "\u2013</td>");
    hole = hole ? hole : strstr(text.bytes, "\u2013</dd>");
    if (hole)
        fail_msg("a hole: ...%.120s", hole - text.bytes > 100 ? hole - 100 : text.bytes);
    kan_text_destroy(&text);
}

static size_t spoil_all(kan_run *run, const char *search, const char *by) {
    json_t *odd[] = {NULL,         json_null(),      json_string("<odd>"), json_integer(-3),
                     json_array(), json_real(1e300), json_object(),        json_real(0.5)};
    json_t *whole = make_result(run, search, by);
    size_t n_refused = 0;
    assert_int_equal(kan_report_check(run, "r.json", whole), KAN_OK);
    expect_no_hole(run, whole);
    for (size_t n = 0;; n++) {
        json_t *object = json_deep_copy(whole);
        size_t left = n;
        if (!spoil(object, &left, odd[n % 8])) {
            json_decref(object);
            break;
        }
        const kan_status status = kan_report_check(run, "r.json", object);
        if (status == KAN_OK) {
            expect_no_hole(run, object);
        } else {
            assert_int_equal(status, KAN_BAD_INPUT);
            assert_non_null(strstr(kan_run_error(run), "r.json: '"));
            assert_non_null(strstr(kan_run_error(run), "make it again"));
            n_refused++;
        }
        json_decref(object);
    }
    for (size_t i = 1; i < 8; i++)
        json_decref(odd[i]);
    json_decref(whole);
    return n_refused;
}

static void what_is_not_refused_makes_a_page_without_a_hole(void **state) {
    static const char *const searches[] = {"bisect", "mondrian", "top-down"};
    (void)state;
    kan_run *run = kan_run_create();
    for (size_t i = 0; i < 3; i++)
        assert_true(spoil_all(run, searches[i], NULL) > 100);
    assert_true(spoil_all(run, "bisect", "person") > 100);
    assert_true(spoil_all(run, "bisect", "row") > 100);
    assert_true(spoil_all(run, "bisect", "histories") > 100);
    kan_run_destroy(run);
}

static void expect_refused(kan_run *run, const char *key, json_t *value, const char *words) {
    json_t *object = make_result(run, "bisect", NULL), *at = object;
    char name[32];
    for (size_t size; (size = strcspn(key, "."), key[size]) != '\0'; key += size + 1) {
        snprintf(name, sizeof name, "%.*s", (int)size, key);
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(name)) : json_object_get(at, name);
    }
    assert_int_equal(json_object_set_new(at, key, value), 0);
    assert_int_equal(kan_report_check(run, "r.json", object), KAN_BAD_INPUT);
    if (!strstr(kan_run_error(run), words))
        fail_msg("%s", kan_run_error(run));
    json_decref(object);
}

static void a_wrong_value_is_named_by_its_place(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    expect_refused(
        run, "report.columns.1.values.0.released", json_integer(-1),
        "r.json: 'report.columns.1.values.0.released' must be a whole number from 0 on;");
    expect_refused(run, "report.risk.released.highest", json_real(1.5),
                   "'report.risk.released.highest' must be a number from 0 to 1;");
    expect_refused(run, "privacy.0.k", json_null(), "'privacy.0.k' must be a whole number");
    expect_refused(run, "privacy.0.model", json_string("magic"),
                   "'magic' is a promise that this version does not know;");
    expect_refused(run, "report.command", json_null(), "'report.command' must be a text;");
    expect_refused(run, "solution.groups", json_real(2.5), "'solution.groups' must be a whole");
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_refused_makes_a_page_without_a_hole),
        cmocka_unit_test(a_wrong_value_is_named_by_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
