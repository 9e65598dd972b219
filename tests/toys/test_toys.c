/* A privacy model with its recount, a cost, a search and a source, each in one file and with one
 * line in tables.c: everything else follows (CONTRIBUTING.md, "Adding a privacy model, ..."). All is
 * asked through the public header. */
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

#include "kanon.h"

typedef struct {
    kan_run *run;
    kan_table *table;
    char directory[32];
} fixture;

/* Four towns of eight people each. In the first two only one of eight has another illness, which
 * is a doubt of one row; two towns together have more. */
static int set_up(void **state) {
    static const char *const names[] = {"age", "town", "ill"};
    static const char *const towns[] = {"Bonn", "Ulm", "Kiel", "Trier"};
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->run = kan_run_create();
    assert_int_equal(kan_table_create(f->run, 3, names, &f->table), KAN_OK);
    for (unsigned i = 0; i < 32; i++) {
        char age[8];
        snprintf(age, sizeof age, "%u", 32 + i % 4);
        const char *cells[] = {age, towns[i / 8],
                               i % 8 == 7 || (i >= 16 && i % 2) ? "flu" : "cold"};
        assert_int_equal(kan_table_add_row(f->table, cells), KAN_OK);
    }
    snprintf(f->directory, sizeof f->directory, "/tmp/kanon-toys-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    kan_table_destroy(f->table);
    kan_run_destroy(f->run);
    rmdir(f->directory);
    free(f);
    return 0;
}

/* ---- running a job -------------------------------------------------------------------------- */

typedef const char *settings[2];

/* The result is the caller's; NULL when it fails. `table`: NULL, and the settings name one. */
static kan_result *run_on(fixture *f, kan_table *table, const char *command, const settings *given,
                          kan_status expected) {
    kan_job *job;
    kan_result *result = NULL;
    assert_int_equal(kan_job_create(f->run, &job), KAN_OK);
    for (; (*given)[0]; given++)
        if (kan_job_set(job, (*given)[0], (*given)[1]) != KAN_OK)
            fail_msg("%s", kan_run_error(f->run));
    if (table)
        assert_int_equal(kan_job_use_table(job, table), KAN_OK);
    const kan_status status = kan_job_run(job, command, &result);
    if (status != expected)
        fail_msg("%s ended with %d: %s", command, (int)status, kan_run_error(f->run));
    kan_job_destroy(job);
    return result;
}

static kan_result *run_job(fixture *f, const char *command, const settings *given,
                           kan_status expected) {
    return run_on(f, f->table, command, given, expected);
}

static kan_result *run_file(fixture *f, const char *command, const settings *given,
                            kan_status expected) {
    return run_on(f, NULL, command, given, expected);
}

static void expect_in(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static json_t *json_of(const kan_result *result) {
    json_error_t error;
    json_t *object = json_loads(kan_result_json(result), 0, &error);
    if (!object)
        fail_msg("%s", error.text);
    return object;
}

static json_t *member(json_t *object, const char *a, const char *b) {
    json_t *found = json_object_get(object, a);
    found = b ? json_object_get(found, b) : found;
    if (!found)
        fail_msg("the result has no %s %s", a, b ? b : "");
    return found;
}

/* ---- claims --------------------------------------------------------------------------------- */

static void toys_are_listed(void **state) {
    static const char *const names[] = {"doubt", "uncounted", "largest", "stairs", "words"};
    fixture *f = *state;
    const char *list;
    assert_int_equal(kan_list(f->run, false, &list), KAN_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_in(list, names[i]);
    assert_int_equal(kan_list(f->run, true, &list), KAN_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_in(list, names[i]);
    /* none of them says that most users choose it */
    assert_int_equal(kan_list_everyday(f->run, &list), KAN_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(strstr(list, names[i]));
}

static void options_of_toys_are_settings(void **state) {
    static const char *const names[] = {"doubt",       "doubt-lies", "largest-plus",
                                        "stairs-from", "words-lie",  "words-comment"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const kan_setting *setting = kan_setting_find(names[i]);
        assert_non_null(setting);
        assert_true(strlen(setting->summary) > 0);
    }
    expect_in(kan_setting_choices(kan_setting_find("cost")), "largest");
    expect_in(kan_setting_choices(kan_setting_find("algorithm")), "stairs");
    assert_string_equal(kan_setting_nearest("dubt", "anonymize"), "doubt");
}

static void a_job_file_may_name_them(void **state) {
    fixture *f = *state;
    char path[64];
    kan_job *job;
    snprintf(path, sizeof path, "%s/job.yaml", f->directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("cost: largest\nalgorithm: stairs\ndoubt: 2\nlargest-plus: 7\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kan_job_create(f->run, &job), KAN_OK);
    if (kan_job_load(job, path) != KAN_OK)
        fail_msg("%s", kan_run_error(f->run));
    assert_string_equal(kan_job_get(job, "doubt", 0), "2");
    assert_string_equal(kan_job_get(job, "algorithm", 0), "stairs");
    kan_job_destroy(job);
    unlink(path);
}

#define COLUMNS                                                                                    \
    {"qi", "age=intervals:4,town=suppress"}, {                                                     \
        "sensitive", "ill"                                                                         \
    }

/* Towns stay apart with a doubt of 1, and do not with 2. */
static void a_release_keeps_the_toy_promise(void **state) {
    fixture *f = *state;
    static const settings easy[] = {COLUMNS, {"doubt", "1"}, {"cost", "largest"}, {NULL, NULL}};
    static const settings hard[] = {COLUMNS, {"doubt", "2"}, {"cost", "largest"}, {NULL, NULL}};
    static const struct {
        const settings *given;
        int64_t largest;
    } cases[] = {{easy, 8}, {hard, 32}};
    for (size_t i = 0; i < 2; i++) {
        kan_result *result = run_job(f, "anonymize", cases[i].given, KAN_OK);
        json_t *object = json_of(result);
        json_t *model = json_array_get(member(object, "privacy", NULL), 0);
        assert_string_equal(json_string_value(member(model, "model", NULL)), "doubt");
        assert_int_equal(json_integer_value(member(model, "doubt", NULL)), (int)i + 1);
        assert_true(json_integer_value(member(model, "reached", NULL)) >= (int)i + 1);
        assert_true(json_is_true(member(object, "optimal", NULL)));
        assert_int_equal(json_integer_value(member(object, "metrics", "largest")),
                         cases[i].largest);
        expect_in(kan_result_summary(result),
                  i ? "doubt of 2 rows: holds" : "doubt of 1 rows: holds, the least doubt is 1");
        json_decref(object);
        kan_result_destroy(result);
    }
}

static void the_toy_search_and_cost_answer(void **state) {
    fixture *f = *state;
    static const settings given[] = {COLUMNS,
                                     {"doubt", "1"},
                                     {"cost", "largest"},
                                     {"algorithm", "stairs"},
                                     {"stairs-from", "1"},
                                     {"largest-plus", "100"},
                                     {NULL, NULL}};
    kan_result *result = run_job(f, "search", given, KAN_OK);
    json_t *object = json_of(result);
    assert_string_equal(json_string_value(member(object, "algorithm", NULL)), "stairs");
    assert_string_equal(json_string_value(member(object, "cost", NULL)), "largest");
    assert_int_equal(json_integer_value(member(object, "metrics", "largest")), 132);
    json_decref(object);
    kan_result_destroy(result);
}

static char *read_text(const char *path) {
    char *text = calloc(1, 1 << 20);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* The page that anonymize makes; then that of its result as a file, and of one that was changed. */
static void reports_tell_the_toy_model(void **state) {
    fixture *f = *state;
    char page[64], json[64], again[64];
    snprintf(page, sizeof page, "%s/page.html", f->directory);
    snprintf(json, sizeof json, "%s/result.json", f->directory);
    snprintf(again, sizeof again, "%s/again.html", f->directory);
    const settings given[] = {COLUMNS, {"doubt", "1"}, {"report", page}, {NULL, NULL}};
    kan_result *result = run_job(f, "anonymize", given, KAN_OK);
    char *html = read_text(page);
    expect_in(html, "There is a doubt of at least <data value=\"1\" data-key=\"privacy.0.doubt\">");
    expect_in(html, "The least doubt that occurs is <data");
    expect_in(html, "A toy leaves everything open.");
    free(html);

    json_t *object = json_of(result);
    const settings report[] = {{"input", json}, {"output", again}, {NULL, NULL}};
    for (int round = 0; round < 2; round++) {
        json_t *model = json_array_get(member(object, "privacy", NULL), 0);
        if (round == 1)
            assert_int_equal(json_object_set_new(model, "doubt", json_string("much")), 0);
        assert_int_equal(json_dump_file(object, json, 0), 0);
        kan_result *made = run_file(f, "report", report, round == 0 ? KAN_OK : KAN_BAD_INPUT);
        if (round == 0) {
            html = read_text(again);
            expect_in(html, "There is a doubt of at least ");
            free(html);
            unlink(again);
        } else {
            expect_in(kan_run_error(f->run), "'privacy.0.doubt' must be a number");
        }
        kan_result_destroy(made);
    }
    json_decref(object);
    kan_result_destroy(result);
    unlink(page);
    unlink(json);
}

static void risk_tells_its_figure(void **state) {
    fixture *f = *state;
    static const settings given[] = {{"qi", "town"}, {"sensitive", "ill"}, {NULL, NULL}};
    kan_result *result = run_job(f, "risk", given, KAN_OK);
    expect_in(kan_result_summary(result), "least doubt");
    expect_in(kan_result_json(result), "\"doubt\": 1,");
    kan_result_destroy(result);
}

static void verify_counts_it(void **state) {
    fixture *f = *state;
    static const settings kept[] = {
        {"qi", "town"}, {"sensitive", "ill"}, {"doubt", "1"}, {NULL, NULL}};
    static const settings broken[] = {
        {"qi", "town"}, {"sensitive", "ill"}, {"doubt", "2"}, {NULL, NULL}};
    kan_result *result = run_job(f, "verify", kept, KAN_OK);
    assert_true(kan_result_holds(result));
    kan_result_destroy(result);
    result = run_job(f, "verify", broken, KAN_OK);
    assert_false(kan_result_holds(result));
    expect_in(kan_result_json(result), "\"failing_groups\": 2");
    kan_result_destroy(result);
}

/* The search's side of the model lets every group pass: the recount does not. */
static void what_breaks_the_promise_is_not_released(void **state) {
    fixture *f = *state;
    static const settings given[] = {
        COLUMNS, {"doubt", "2"}, {"doubt-lies", "true"}, {"algorithm", "stairs"}, {NULL, NULL}};
    assert_null(run_job(f, "anonymize", given, KAN_FAILED));
    expect_in(kan_run_error(f->run), "report this");
    char path[64];
    snprintf(path, sizeof path, "%s/out.csv", f->directory);
    const settings to_file[] = {
        COLUMNS,          {"doubt", "2"}, {"doubt-lies", "true"}, {"algorithm", "stairs"},
        {"output", path}, {NULL, NULL}};
    assert_null(run_job(f, "anonymize", to_file, KAN_FAILED));
    expect_in(kan_run_error(f->run), "doubt");
    assert_int_equal(access(path, F_OK), -1);
}

static void a_model_without_a_recount_is_refused(void **state) {
    fixture *f = *state;
    static const settings given[] = {COLUMNS, {"k", "2"}, {"uncounted", "true"}, {NULL, NULL}};
    static const char *const commands[] = {"anonymize", "search", "verify"};
    for (size_t i = 0; i < 3; i++) {
        assert_null(run_job(f, commands[i], given, KAN_FAILED));
        expect_in(kan_run_error(f->run), "no recount knows the model uncounted");
    }
}

/* The rows of the table in memory, as a file of words. */
static void write_words(const fixture *f, const char *input) {
    FILE *file = fopen(input, "w");
    assert_non_null(file);
    fprintf(file, "age town ill\n");
    for (uint64_t row = 0; row < kan_table_n_rows(f->table); row++)
        for (size_t c = 0; c < 3; c++) {
            size_t size;
            const char *value = kan_table_value(f->table, row, c, &size);
            fprintf(file, "%.*s%c", (int)size, value, c < 2 ? ' ' : '\n');
        }
    assert_int_equal(fclose(file), 0);
}

/* Every command reads it, and makes of it what it makes of the table; the release is written as
 * text in columns, or as words. */
static void tables_come_from_the_toy_source(void **state, const char *released) {
    fixture *f = *state;
    char input[64], output[64];
    snprintf(input, sizeof input, "%s/people.words", f->directory);
    snprintf(output, sizeof output, "%s/%s", f->directory, released);
    write_words(f, input);
    const settings given[] = {COLUMNS,          {"doubt", "1"},     {"cost", "largest"},
                              {"input", input}, {"output", output}, {NULL, NULL}};
    kan_result *result = run_file(f, "anonymize", given, KAN_OK);
    json_t *object = json_of(result);
    assert_int_equal(json_integer_value(member(object, "input", "rows")), 32);
    assert_int_equal(json_integer_value(member(object, "metrics", "largest")), 8);
    json_decref(object);
    kan_result_destroy(result);
    const settings verified[] = {
        COLUMNS, {"doubt", "1"}, {"input", output}, {"original", input}, {NULL, NULL}};
    result = run_file(f, "verify", verified, KAN_OK);
    assert_true(kan_result_holds(result));
    kan_result_destroy(result);
    const settings profiled[] = {{"input", input}, {NULL, NULL}};
    result = run_file(f, "profile", profiled, KAN_OK);
    expect_in(kan_result_summary(result), "town");
    kan_result_destroy(result);
    unlink(input);
    unlink(output);
}

static void words_become_text_in_columns(void **state) {
    tables_come_from_the_toy_source(state, "out.csv");
}

static void words_become_words(void **state) {
    tables_come_from_the_toy_source(state, "out.words");
}

/* Whatever a format makes of a release, it is read back and compared before it gets its name. */
static void a_format_that_lies_releases_nothing(void **state) {
    fixture *f = *state;
    char input[64], output[64];
    snprintf(input, sizeof input, "%s/people.words", f->directory);
    snprintf(output, sizeof output, "%s/out.words", f->directory);
    write_words(f, input);
    const settings given[] = {
        COLUMNS,     {"k", "2"}, {"input", input}, {"output", output}, {"words-lie", "true"},
        {NULL, NULL}};
    assert_null(run_file(f, "anonymize", given, KAN_FAILED));
    expect_in(kan_run_error(f->run), "the release failed its verification");
    assert_int_equal(access(output, F_OK), -1);
    unlink(input);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(toys_are_listed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(options_of_toys_are_settings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_job_file_may_name_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_release_keeps_the_toy_promise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_toy_search_and_cost_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reports_tell_the_toy_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(risk_tells_its_figure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(verify_counts_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_breaks_the_promise_is_not_released, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_model_without_a_recount_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_become_text_in_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_become_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_format_that_lies_releases_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("toys", tests, NULL, NULL);
}
