/* Job files: what they can say, and how each mistake is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "job/settings/job.h"

typedef struct {
    kan_run *run;
    kan_job *job;
    char directory[32], path[48];
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->run = kan_run_create();
    assert_non_null(f->run);
    assert_int_equal(kan_job_create(f->run, &f->job), KAN_OK);
    snprintf(f->directory, sizeof f->directory, "/tmp/kanon-test-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    snprintf(f->path, sizeof f->path, "%s/job.yaml", f->directory);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    kan_job_destroy(f->job);
    kan_run_destroy(f->run);
    unlink(f->path);
    rmdir(f->directory);
    free(f);
    return 0;
}

static kan_status load_bytes(fixture *f, const char *bytes, size_t size) {
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return kan_job_load(f->job, f->path);
}

static void loads(fixture *f, const char *text) {
    if (load_bytes(f, text, strlen(text)) != KAN_OK)
        fail_msg("%s", kan_run_error(f->run));
}

static void assert_error_has(const fixture *f, const char *part) {
    if (!strstr(kan_run_error(f->run), part))
        fail_msg("'%s' is not in '%s'", part, kan_run_error(f->run));
}

/* The file is refused, `part` is in the text, and nothing was taken. */
static void refuses(fixture *f, const char *text, const char *part) {
    size_t before = f->job->options.n;
    assert_int_equal(load_bytes(f, text, strlen(text)), KAN_BAD_INPUT);
    assert_error_has(f, "job.yaml");
    assert_error_has(f, part);
    assert_int_equal(f->job->options.n, before);
    assert_null(f->job->command);
}

static void assert_value(const fixture *f, const char *name, size_t index, const char *value) {
    const char *found = kan_job_get(f->job, name, index);
    if (value)
        assert_string_equal(found ? found : "(none)", value);
    else
        assert_null(found);
}

/* A path beside the job file. */
static void assert_path(const fixture *f, const char *name, size_t index, const char *head,
                        const char *tail) {
    char path[128];
    snprintf(path, sizeof path, "%s%s/%s", head, f->directory, tail);
    assert_value(f, name, index, path);
}

static void a_file_says_what_flags_say(void **state) {
    fixture *f = *state;
    loads(f, "# a comment\n"
             "qi: age=intervals:5,10, gender\n"
             "k: 5\n"
             "suppress: 1%\n"
             "keep_suppressed: true\n"
             "time-limit: 1.5\n"
             "separator: \";\"\n"
             "sensitive: [disease, \"odd, name\"]\n");
    assert_value(f, "qi", 0, "age=intervals:5,10");
    assert_value(f, "qi", 1, "gender");
    assert_value(f, "k", 0, "5");
    assert_value(f, "suppress", 0, "1%");
    assert_value(f, "keep-suppressed", 0, "true");
    assert_value(f, "time-limit", 0, "1.5");
    assert_value(f, "separator", 0, ";");
    assert_value(f, "sensitive", 0, "disease");
    assert_value(f, "sensitive", 1, "odd, name");
}

static void quasi_identifiers_can_be_a_mapping(void **state) {
    fixture *f = *state;
    loads(f, "qi:\n"
             "  age: intervals:5,10,20\n"
             "  gender:\n"
             "  zip: zips.csv\n"
             "weight: {age: 2, zip: 0.5}\n");
    assert_value(f, "qi", 0, "age=intervals:5,10,20");
    assert_value(f, "qi", 1, "gender");
    assert_path(f, "qi", 2, "zip=", "zips.csv");
    assert_value(f, "weight", 0, "age=2");
    assert_value(f, "weight", 1, "zip=0.5");
}

static void bins_and_orders_can_be_mappings(void **state) {
    fixture *f = *state;
    loads(f, "bins: {age: 5, hours: 10@3}\n"
             "order:\n"
             "  - zip: zips.txt\n"
             "  - gender=/abs/gender.txt\n");
    assert_value(f, "bins", 0, "age=5");
    assert_value(f, "bins", 1, "hours=10@3");
    assert_path(f, "order", 0, "zip=", "zips.txt");
    assert_value(f, "order", 1, "gender=/abs/gender.txt");
}

static void quasi_identifiers_can_be_a_list_with_mappings(void **state) {
    fixture *f = *state;
    loads(f, "qi:\n"
             "  - age: intervals:5,10,20\n"
             "  - gender\n"
             "  - zip=digits:5\n");
    assert_value(f, "qi", 0, "age=intervals:5,10,20");
    assert_value(f, "qi", 1, "gender");
    assert_value(f, "qi", 2, "zip=digits:5");
    assert_value(f, "qi", 3, NULL);
}

static void paths_are_relative_to_the_file(void **state) {
    fixture *f = *state;
    loads(f, "input: adult.csv\n"
             "output: \"-\"\n"
             "hierarchies: /absolute\n"
             "json: sub/r.json\n"
             "qi: [age=ages.csv, zip=/z.csv, sex=suppress]\n");
    assert_path(f, "input", 0, "", "adult.csv");
    assert_value(f, "output", 0, "-");
    assert_value(f, "hierarchies", 0, "/absolute");
    assert_path(f, "json", 0, "", "sub/r.json");
    assert_path(f, "qi", 0, "age=", "ages.csv");
    assert_value(f, "qi", 1, "zip=/z.csv");
    assert_value(f, "qi", 2, "sex=suppress");
}

static void flags_win_over_the_file(void **state) {
    fixture *f = *state;
    assert_int_equal(kan_job_set(f->job, "k", "3"), KAN_OK);
    assert_int_equal(kan_job_set(f->job, "qi", "zip"), KAN_OK);
    loads(f, "k: 5\nqi: [age, gender]\nsuppress: 7\n");
    assert_value(f, "k", 0, "3");
    assert_value(f, "k", 1, NULL);
    assert_value(f, "qi", 0, "zip");
    assert_value(f, "qi", 1, NULL);
    assert_value(f, "suppress", 0, "7");
}

static void a_value_is_checked_even_where_a_flag_wins(void **state) {
    fixture *f = *state;
    assert_int_equal(kan_job_set(f->job, "k", "3"), KAN_OK);
    refuses(f, "k: 0\n", "job.yaml:1: k: 0 is too small");
}

static void all_problems_are_told_together_with_their_lines(void **state) {
    fixture *f = *state;
    refuses(f,
            "k: 0\n"
            "supress: 3\n"
            "qi: [age, age]\n"
            "threads: many\n",
            "job.yaml:1: k: 0");
    assert_error_has(f, "job.yaml:2: 'supress' is not a setting; did you mean suppress?");
    assert_error_has(f, "job.yaml:3: qi: 'age' is given twice");
    assert_error_has(f, "job.yaml:4: threads: 'many'");
}

static void a_key_stands_once(void **state) {
    refuses(*state, "k: 5\nk: 6\n", "job.yaml:2: k is given twice, first on line 1");
    refuses(*state, "time-limit: 5\ntime_limit: 6\n", "time-limit is given twice");
}

static void names_of_a_mapping_need_nothing(void **state) {
    fixture *f = *state;
    loads(f, "qi: {a=b: digits:5, '\"c\"': , 'd,e': suppress}\n"
             "order: {a=b: order.txt}\n"
             "level: {a=b: 2, 'd,e': 1..3}\n"
             "keep: [\"x\\ny\", 'f,g', '\"h\"']\n");
    assert_value(f, "qi", 0, "\"a=b\"=digits:5");
    assert_value(f, "qi", 1, "\"\"c\"\"");
    assert_value(f, "qi", 2, "d,e=suppress");
    assert_path(f, "order", 0, "\"a=b\"=", "order.txt");
    assert_value(f, "level", 0, "a=b=2");
    assert_value(f, "level", 1, "d,e=1..3");
    assert_value(f, "keep", 0, "x\ny");
    assert_value(f, "keep", 1, "f,g");
    assert_value(f, "keep", 2, "\"h\"");
}

static void junk_is_refused_clearly(void **state) {
    fixture *f = *state;
    refuses(f, "", "is empty");
    refuses(f, "# nothing\n", "is empty");
    refuses(f, "- k\n", "not a job file");
    refuses(f, "just words\n", "not a job file");
    refuses(f, "k: [5\n", "not YAML");
    refuses(f, "k: 5\n  qi: x\n", "not YAML");
    refuses(f, "k:\n", "k: the value is empty");
    refuses(f, "k: [5]\n", "k: takes one value, not a list");
    refuses(f, "k: {a: 5}\n", "k: takes one value, not a mapping");
    refuses(f, "id: {a: 5}\n", "id: takes a value or a list, not a mapping");
    refuses(f, "id: [[a]]\n", "is a list itself");
    refuses(f, "id: []\n", "the list is empty");
    refuses(f, "qi: {age: [1]}\n", "write a column and one value");
    refuses(f, "qi: {'a\"=b': x}\n", "rename it in the table");
    refuses(f, "missing: {'a\"=b': x}\n", "rename it in the table");
    refuses(f, "k: &x 5\n", "anchors");
    refuses(f, "seed: !!int 5\n", "tags");
    refuses(f, "qi: &x [a]\n", "anchors");
    refuses(f, "qi: *x\n", "aliases");
    refuses(f, "{a: b}: 5\n", "a key is not a name");
    refuses(f, "k: \"5\\0\"\n", "zero byte");
    refuses(f, "k: |\n  5\n  6\n", "line break");
    refuses(f, "k: 5\n---\nk: 6\n", "second document");
    refuses(f, "job: other.yaml\n", "cannot name another");
    refuses(f, "<<: 5\n", "is not a setting");
}

static void deep_nesting_is_refused_at_once(void **state) {
    fixture *f = *state;
    enum { SIZE = 200000 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, '[', SIZE);
    memcpy(text, "qi: ", 4);
    assert_int_equal(load_bytes(f, text, SIZE), KAN_BAD_INPUT);
    assert_error_has(f, "nested too deeply");
    free(text);
}

static void a_table_is_not_taken_for_a_job_file(void **state) {
    fixture *f = *state;
    enum { SIZE = 3 << 20 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, 'x', SIZE);
    assert_int_equal(load_bytes(f, text, SIZE), KAN_BAD_INPUT);
    assert_error_has(f, "larger than 1 MiB");
    assert_int_equal(load_bytes(f, "k\0\xff\xfe", 4), KAN_BAD_INPUT);
    free(text);
}

static void a_missing_file_is_bad_input(void **state) {
    fixture *f = *state;
    assert_int_equal(kan_job_load(f->job, "/no/such/job.yaml"), KAN_BAD_INPUT);
    assert_error_has(f, "/no/such/job.yaml");
    assert_int_equal(kan_job_load(f->job, f->directory), KAN_BAD_INPUT);
}

static void the_command_of_a_file_must_agree(void **state) {
    fixture *f = *state;
    kan_result *result = NULL;
    refuses(f, "command: anonymise\n", "must be one of anonymize");
    refuses(f, "command: [anonymize]\n", "must be one of anonymize");
    loads(f, "command: search\nk: 5\n");
    assert_int_equal(kan_job_run(f->job, "verify", &result), KAN_BAD_INPUT);
    assert_error_has(f, "job.yaml:1: the job is for 'search'");
    assert_null(result);
}

static void setting_job_loads_the_file(void **state) {
    fixture *f = *state;
    loads(f, "seed: 4\n");
    kan_job_destroy(f->job);
    assert_int_equal(kan_job_create(f->run, &f->job), KAN_OK);
    assert_int_equal(kan_job_set(f->job, "job", f->path), KAN_OK);
    assert_value(f, "seed", 0, "4");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_file_says_what_flags_say),
        TEST(quasi_identifiers_can_be_a_mapping),
        TEST(bins_and_orders_can_be_mappings),
        TEST(quasi_identifiers_can_be_a_list_with_mappings),
        TEST(paths_are_relative_to_the_file),
        TEST(flags_win_over_the_file),
        TEST(a_value_is_checked_even_where_a_flag_wins),
        TEST(all_problems_are_told_together_with_their_lines),
        TEST(a_key_stands_once),
        TEST(names_of_a_mapping_need_nothing),
        TEST(junk_is_refused_clearly),
        TEST(deep_nesting_is_refused_at_once),
        TEST(a_table_is_not_taken_for_a_job_file),
        TEST(a_missing_file_is_bad_input),
        TEST(the_command_of_a_file_must_agree),
        TEST(setting_job_loads_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
