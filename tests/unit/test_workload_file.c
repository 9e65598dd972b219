/* io/side_files/workload_file.h: queries as people write them, and what is said of those that are wrong. */
#include "io/side_files/workload_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hierarchy_column.h"
#include "support/workload_scene.h"

/* The workload as one text: "weight AGG(name) name{a|b} name<=a; ...". */
static void describe(const kan_workload *w, char *out, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < w->n_queries; i++) {
        const kan_query *query = &w->queries[i];
        used +=
            (size_t)snprintf(out + used, room - used, "%s%g %s(%s)", i ? "; " : "", query->weight,
                             kan_aggregate_name(query->aggregate),
                             query->aggregate == KAN_AGGREGATE_COUNT ? "" : w->names[query->name]);
        for (size_t p = 0; p < query->n_predicates; p++) {
            const kan_predicate *predicate = &w->predicates[query->first_predicate + p];
            used += (size_t)snprintf(out + used, room - used, " %s %s", w->names[predicate->name],
                                     predicate->sign);
            for (size_t c = 0; c < predicate->n_constants; c++) {
                const kan_constant *constant = &w->constants[predicate->first_constant + c];
                used += (size_t)snprintf(out + used, room - used, "|%.*s", (int)constant->text.size,
                                         constant->text.bytes);
            }
        }
    }
    assert_true(used < room);
}

static void expect_queries(const char *text, const char *expected) {
    kan_run *run = kan_run_create();
    kan_status status;
    char described[1024] = "";
    kan_workload *workload = scene_workload(run, text, &status);
    EXPECT_OK(run, status);
    describe(workload, described, sizeof described);
    assert_string_equal(described, expected);
    kan_workload_destroy(workload);
    kan_run_destroy(run);
}

/* Every part must be in the error text, and there must be as many lines. */
static void expect_problems(const char *text, const char *const *parts) {
    kan_run *run = kan_run_create();
    kan_status status;
    size_t n_parts = 0, n_lines = 1;
    assert_null(scene_workload(run, text, &status));
    assert_int_equal(status, KAN_BAD_INPUT);
    for (; parts[n_parts]; n_parts++)
        assert_error_has(run, parts[n_parts]);
    for (const char *at = kan_run_error(run); *at; at++)
        n_lines += *at == '\n';
    assert_int_equal(n_lines, n_parts);
    kan_run_destroy(run);
}

static void a_line_is_a_query(void **state) {
    (void)state;
    expect_queries("COUNT WHERE sex = Male AND age <= 36\n", "1 COUNT() sex =|Male age <=|36");
    expect_queries("COUNT\nCOUNT(*)\nSUM(a)\n", "1 COUNT(); 1 COUNT(); 1 SUM(a)");
    expect_queries("AVG(a) WHERE b<1 AND c>2 AND d>=3\nMIN(a)\nMAX(a)",
                   "1 AVG(a) b <|1 c >|2 d >=|3; 1 MIN(a); 1 MAX(a)");
    expect_queries("SUM(hours) WHERE age BETWEEN 20 AND 30 AND education IN (Bachelors, Masters)",
                   "1 SUM(hours) age BETWEEN|20|30 education IN|Bachelors|Masters");
}

static void a_query_has_a_weight(void **state) {
    (void)state;
    expect_queries("weight 2 COUNT\nWEIGHT 0.5  AVG ( age )", "2 COUNT(); 0.5 AVG(age)");
    expect_problems("weight 0 COUNT\nweight -1 COUNT\nweight x COUNT\nweight COUNT\nweight 2\n",
                    VALUES(":1:8: '0' where a number above 0", ":2:8: ", ":3:8: ", ":4:8: ",
                           ":5:9: the line ends where COUNT, SUM, AVG, MIN or MAX is expected"));
}

static void words_of_the_language_may_be_written_in_any_case(void **state) {
    (void)state;
    expect_queries("count where A = b and C between 1 and 2 AND d in (x)",
                   "1 COUNT() A =|b C BETWEEN|1|2 d IN|x");
}

static void quotes_hold_anything(void **state) {
    (void)state;
    expect_queries("COUNT WHERE \"marital status\" = 'Never married' AND pay = \">50K\"",
                   "1 COUNT() marital status =|Never married pay =|>50K");
    expect_queries("COUNT WHERE 'and' = \"say \"\"so\"\"\" AND x = 'it''s' AND y = \"\"",
                   "1 COUNT() and =|say \"so\" x =|it's y =|");
    expect_queries("COUNT WHERE name = O'Neill AND size = 5\"",
                   "1 COUNT() name =|O'Neill size =|5\"");
}

static void comments_and_empty_lines_are_passed_over(void **state) {
    (void)state;
    expect_queries("\xef\xbb\xbf# first\r\n\r\n  COUNT # all of them\r\n\t# last\nAVG(a) WHERE b = "
                   "C# AND d = '#'",
                   "1 COUNT(); 1 AVG(a) b =|C# d =|#");
}

static void the_text_of_a_query_is_kept_without_what_is_around_it(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_status status;
    kan_workload *w = scene_workload(run, "\n weight 2  COUNT  WHERE a = 1   # why\r\n", &status);
    EXPECT_OK(run, status);
    assert_int_equal(w->queries[0].line, 2);
    assert_true(kan_slice_is(w->queries[0].text, "COUNT  WHERE a = 1"));
    assert_int_equal(w->predicates[0].place, 25);
    kan_workload_destroy(w);
    kan_run_destroy(run);
}

static void every_wrong_line_is_told_with_its_place(void **state) {
    (void)state;
    expect_problems("CUONT\nCOUNT WHERE\nSUM age\nSUM(age\nCOUNT(age)\nAVG()\nCOUNT a = 1\n",
                    VALUES(":1:1: 'CUONT' where COUNT, SUM, AVG, MIN or MAX is expected; did you "
                           "mean COUNT?",
                           ":2:12: the line ends where the name of a column is expected",
                           ":3:5: 'age' where ( is expected; name the column, such as AVG(age)",
                           ":4:8: the line ends where ) is expected",
                           ":5:7: 'age' where * is expected; COUNT counts rows",
                           ":6:5: ')' where the name of a column is expected",
                           ":7:7: 'a' where WHERE or the end of the line is expected"));
    expect_problems("COUNT WHERE a\nCOUNT WHERE a = \nCOUNT WHERE a = 1 AND\nCOUNT WHERE a = b c\n"
                    "COUNT WHERE a BETWEEN 1\nCOUNT WHERE a IN 1\nCOUNT WHERE a IN (1\n"
                    "COUNT WHERE a IN ()\nCOUNT WHERE a = 'b",
                    VALUES(":1:14: the line ends where =", ":2:17: the line ends where a value",
                           ":3:22: the line ends where the name",
                           ":4:19: 'c' where AND or the end of the line is expected; a value with "
                           "spaces or symbols",
                           ":5:24: the line ends where AND", ":6:18: '1' where ( is expected",
                           ":7:20: the line ends where , or )", ":8:19: ')' where a value",
                           ":9:17: the quotes that begin here are not closed"));
}

static void what_is_no_box_is_refused_with_another_way(void **state) {
    (void)state;
    expect_problems(
        "COUNT WHERE a != 1\nCOUNT WHERE a <> 1\nCOUNT WHERE a NOT IN (1)\nCOUNT WHERE a!=1\n"
        "COUNT WHERE a = 1 OR a = 2\nCOUNT WHERE a == 1\nMIN(a), MAX(a)\n",
        VALUES(":1:15: '!=' where", ":2:15: '<>' where", ":3:15: 'NOT' where", ":4:14: '!=' where",
               ":5:19: 'OR' where AND", ":6:15: '==' where",
               ":7:7: ',' where WHERE or the end of the line is expected; a line holds one "
               "aggregate"));
}

static void places_are_counted_in_characters(void **state) {
    (void)state;
    expect_problems("COUNT WHERE ort = Köln x", VALUES(":1:24: 'x' where"));
}

static void a_file_without_a_query_is_refused(void **state) {
    (void)state;
    expect_problems("# nothing\n\n", VALUES("it has no queries"));
    kan_run *run = kan_run_create();
    kan_workload *workload = NULL;
    assert_int_equal(kan_workload_read(run, "/nonexistent/queries", &workload), KAN_BAD_INPUT);
    assert_error_has(run, "/nonexistent/queries");
    assert_null(workload);
    kan_run_destroy(run);
}

static void a_workload_that_finds_no_room_is_an_error_and_leaves_nothing(void **state) {
    (void)state;
    static const char text[] = "weight 2 COUNT WHERE a = 'b' AND c IN (1, 2, 3)\nAVG(d)\n";
    char path[] = "/tmp/kanon-workload-XXXXXX";
    const int file = mkstemp(path);
    kan_run *run = kan_run_create();
    kan_status status = KAN_FAILED;
    size_t n_refused = 0;
    assert_true(file >= 0);
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    for (uint64_t budget = 64; status != KAN_OK; budget += 64) {
        kan_workload *workload = NULL;
        kan_run_set_memory(run, budget);
        status = kan_workload_read(run, path, &workload);
        n_refused += status != KAN_OK;
        kan_workload_destroy(workload);
        assert_int_equal(kan_run_memory_left(run), budget);
    }
    assert_true(n_refused > 1);
    unlink(path);
    kan_run_destroy(run);
}

static void an_interrupt_ends_the_reading_of_a_long_list(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_workload *workload = NULL;
    char path[] = "/tmp/kanon-workload-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "COUNT WHERE a IN (1, 2, 3)\n", 27), 27);
    kan_run_cancel(run);
    assert_int_equal(kan_workload_read(run, path, &workload), KAN_CANCELLED);
    assert_null(workload);
    (void)close(file);
    (void)unlink(path);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_query),
        cmocka_unit_test(a_query_has_a_weight),
        cmocka_unit_test(words_of_the_language_may_be_written_in_any_case),
        cmocka_unit_test(quotes_hold_anything),
        cmocka_unit_test(comments_and_empty_lines_are_passed_over),
        cmocka_unit_test(the_text_of_a_query_is_kept_without_what_is_around_it),
        cmocka_unit_test(every_wrong_line_is_told_with_its_place),
        cmocka_unit_test(what_is_no_box_is_refused_with_another_way),
        cmocka_unit_test(places_are_counted_in_characters),
        cmocka_unit_test(a_file_without_a_query_is_refused),
        cmocka_unit_test(an_interrupt_ends_the_reading_of_a_long_list),
        cmocka_unit_test(a_workload_that_finds_no_room_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
