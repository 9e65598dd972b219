/* What ARX's own tests state of beta-likeness on the 30,162 training records of Adult: with nothing
 * suppressed the best release that keeps enhanced 2-likeness of the occupation shows whether a
 * spouse is present and the salary class, and nothing else. So that node keeps it, and none below
 * it does. Of its hierarchies those are here that the node needs. Without the data the test is
 * skipped. */
#include <kanon.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef KANON_TESTS_DIR
#define KANON_TESTS_DIR "tests"
#endif

enum { PATH = 512 };

static void find_table(char path[PATH]) {
    const char *folder = getenv("KANON_DATA");
    if (folder)
        snprintf(path, PATH, "%s/adult/adult-30162.csv", folder);
    if (folder && access(path, R_OK) == 0)
        return;
    snprintf(path, PATH, "%s/../../shared/data/adult/adult-30162.csv", KANON_TESTS_DIR);
    if (access(path, R_OK) == 0)
        return;
    print_message("skipped: no adult/adult-30162.csv in $KANON_DATA or ../shared/data\n");
    skip();
}

static void write_marital(char path[PATH]) {
    static const char *const present[] = {"Married-civ-spouse", "Married-AF-spouse"};
    static const char *const absent[] = {"Divorced", "Never-married", "Separated", "Widowed",
                                         "Married-spouse-absent"};
    strcpy(path, "/tmp/kanon-marital-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (size_t i = 0; i < sizeof present / sizeof *present; i++)
        fprintf(file, "%s;spouse present;*\n", present[i]);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        fprintf(file, "%s;spouse not present;*\n", absent[i]);
    assert_int_equal(fclose(file), 0);
}

/* Levels of gender, race, marital status and salary class; the other columns show nothing. */
static kan_status ask(const char *table, const char *marital, const char *levels) {
    char quasi[PATH + 32];
    kan_run *run = kan_run_create();
    kan_job *job;
    kan_result *result = NULL;
    snprintf(quasi, sizeof quasi, "marital-status=%s", marital);
    const char *const settings[][2] = {{"input", table},
                                       {"qi", "gender=suppress"},
                                       {"qi", "race=suppress"},
                                       {"qi", quasi},
                                       {"qi", "salary-class=suppress"},
                                       {"sensitive", "occupation"},
                                       {"beta", "2"},
                                       {"levels", levels}};
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(kan_job_set(job, settings[i][0], settings[i][1]), KAN_OK);
    const kan_status status = kan_job_run(job, "search", &result);
    if (status == KAN_OK)
        kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return status;
}

static void the_release_that_arx_states_keeps_it_and_none_below_does(void **state) {
    (void)state;
    char table[PATH], marital[PATH];
    find_table(table);
    write_marital(marital);
    assert_int_equal(ask(table, marital, "1,1,1,0"), KAN_OK);
    assert_int_equal(ask(table, marital, "0,1,1,0"), KAN_UNSATISFIED);
    assert_int_equal(ask(table, marital, "1,0,1,0"), KAN_UNSATISFIED);
    assert_int_equal(ask(table, marital, "1,1,0,0"), KAN_UNSATISFIED);
    unlink(marital);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_release_that_arx_states_keeps_it_and_none_below_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
