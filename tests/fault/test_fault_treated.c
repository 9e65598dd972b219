/* Treated columns when memory runs out: every single allocation of `anonymize`, `search` and
 * `verify` with rounded, capped, shifted and pseudonymous columns is made to fail. Each run ends in
 * a clean error, hands nothing out, and leaves the account even. */
#include <stdlib.h>
#include <unistd.h>

#include "fault/job_faults.h"

static char key_path[] = "/tmp/kanon-fault-key-XXXXXX";

static const fault_job anonymizes = {"anonymize",
                                     {{"qi", "age=intervals:20"},
                                      {"sensitive", "pay"},
                                      {"keep", "day"},
                                      {"k", "2"},
                                      {"suppress", "all"},
                                      {"cap", "age=20..60,day=2001-01-01.."},
                                      {"round", "pay=20"},
                                      {"pseudonym", "name"},
                                      {"shift-dates", "day"},
                                      {"by", "name"},
                                      {"within", "30"},
                                      {"key", key_path},
                                      {"threads", "1"}}};
static const fault_job searches = {"search",
                                   {{"qi", "age,day"},
                                    {"algorithm", "mondrian"},
                                    {"k", "2"},
                                    {"cap", "age=20..60"},
                                    {"shift-dates", "day"},
                                    {"by", "name"},
                                    {"within", "30"},
                                    {"key", key_path},
                                    {"threads", "1"}}};
static const fault_job verifies = {
    "verify",
    {{"qi", "age"}, {"k", "1"}, {"cap", "age=20..200"}, {"round", "pay=10"}, {"threads", "1"}}};

static const fault_table people = {{"name", "age", "pay", "day"},
                                   {{"Ann", "31", "10", "2003-01-07"},
                                    {"Bob", "34", "20", "2003-02-09"},
                                    {"Ann", "35", "30", "2000-03-01"},
                                    {"Cem", "39", "40", ""},
                                    {"Dan", "62", "20", "2004-02-29"},
                                    {"Eva", "64", "50", "2003-12-31"},
                                    {"Eva", "66", "50", "1999-01-01"},
                                    {"Fay", "91", "10", "2003-06-06"},
                                    {"Gus", "92", "10", "2003-07-07"},
                                    {"Hal", "25", "100", "2003-08-08"}}};

static void anonymize_with_treated_columns_survives_every_failure(void **state) {
    (void)state;
    fault_expect_clean(&people, &anonymizes);
}

static void search_with_treated_columns_survives_every_failure(void **state) {
    (void)state;
    fault_expect_clean(&people, &searches);
}

static void verify_of_treated_columns_survives_every_failure(void **state) {
    (void)state;
    fault_expect_clean(&people, &verifies);
}

static int make_key(void **state) {
    (void)state;
    const int file = mkstemp(key_path);
    const bool is_made = file >= 0 && write(file, "a key that nobody guesses", 25) == 25;
    return is_made && close(file) == 0 ? 0 : -1;
}

static int remove_key(void **state) {
    (void)state;
    return unlink(key_path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anonymize_with_treated_columns_survives_every_failure),
        cmocka_unit_test(search_with_treated_columns_survives_every_failure),
        cmocka_unit_test(verify_of_treated_columns_survives_every_failure),
    };
    return cmocka_run_group_tests_name("treated columns when memory runs out", tests, make_key,
                                       remove_key);
}
