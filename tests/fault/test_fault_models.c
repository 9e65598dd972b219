/* The recount of sensitive values when memory runs out: every single allocation of `anonymize`,
 * `search` and `verify` under all models at once is made to fail. Each run ends in a clean error,
 * hands nothing out, and leaves the account even. */
#include "fault/job_faults.h"

static const fault_job anonymizes = {"anonymize",
                                     {{"qi", "age=intervals:20,town=suppress"},
                                      {"sensitive", "ill,pay"},
                                      {"k", "2"},
                                      {"alpha", "0.7"},
                                      {"l", "2"},
                                      {"t", "0.9"},
                                      {"suppress", "3"},
                                      {"keep-suppressed", "true"},
                                      {"threads", "1"}}};
static const fault_job searches = {"search",
                                   {{"qi", "age=intervals:20,town=suppress"},
                                    {"sensitive", "ill,pay"},
                                    {"alpha", "0.7"},
                                    {"alpha-value", "flu"},
                                    {"l", "2"},
                                    {"l-kind", "recursive"},
                                    {"c", "3"},
                                    {"suppress", "3"},
                                    {"threads", "1"}}};
static const fault_job verifies = {"verify",
                                   {{"qi", "town"},
                                    {"sensitive", "ill,pay"},
                                    {"k", "1"},
                                    {"alpha", "0.1"},
                                    {"l", "2"},
                                    {"l-kind", "entropy"},
                                    {"t", "0.05"},
                                    {"keep-suppressed", "true"},
                                    {"threads", "1"}}};

/* Where people are counted; `pay` says whose a row is. */
static const fault_job anonymizes_people = {"anonymize",
                                            {{"qi", "age=intervals:20,town=suppress"},
                                             {"sensitive", "ill"},
                                             {"person", "pay"},
                                             {"k", "2"},
                                             {"alpha", "0.9"},
                                             {"t", "0.9"},
                                             {"suppress", "3"},
                                             {"keep-suppressed", "true"},
                                             {"threads", "1"}}};
static const fault_job anonymizes_k_people = {"anonymize",
                                              {{"qi", "age=intervals:20,town=suppress"},
                                               {"person", "pay"},
                                               {"k", "2"},
                                               {"drop", "ill"},
                                               {"suppress", "3"},
                                               {"cost", "ncp"},
                                               {"threads", "1"}}};
static const fault_job searches_histories = {"search",
                                             {{"qi", "age=intervals:20,town=suppress"},
                                              {"person", "pay"},
                                              {"person-promise", "histories"},
                                              {"k", "2"},
                                              {"suppress", "6"},
                                              {"cost", "ncp"},
                                              {"threads", "1"}}};
static const fault_job searches_models_of_histories = {"search",
                                                       {{"qi", "age=intervals:20,town=suppress"},
                                                        {"sensitive", "ill"},
                                                        {"person", "pay"},
                                                        {"person-promise", "histories"},
                                                        {"k", "1"},
                                                        {"t", "0.9"},
                                                        {"suppress", "6"},
                                                        {"cost", "ncp"},
                                                        {"threads", "1"}}};
static const fault_job verifies_people = {"verify",
                                          {{"qi", "town"},
                                           {"sensitive", "ill"},
                                           {"person", "pay"},
                                           {"person-promise", "histories"},
                                           {"k", "1"},
                                           {"l", "1"},
                                           {"threads", "1"}}};
/* `pay` is what each row stands for. */
static const fault_job anonymizes_weights = {"anonymize",
                                             {{"qi", "age=intervals:20,town=suppress"},
                                              {"sensitive", "ill"},
                                              {"sampling-weight", "pay"},
                                              {"individual-risk", "0.04"},
                                              {"global-risk", "0.009"},
                                              {"l", "2"},
                                              {"suppress", "3"},
                                              {"keep-suppressed", "true"},
                                              {"threads", "1"}}};
static const fault_job searches_weights = {"search",
                                           {{"qi", "age=intervals:20,town=suppress"},
                                            {"sampling-weight", "pay"},
                                            {"keep", "pay"},
                                            {"global-risk", "0.009"},
                                            {"population-uniques", "0.001"},
                                            {"suppress", "3"},
                                            {"threads", "1"}}};
static const fault_job verifies_weights = {"verify",
                                           {{"qi", "town"},
                                            {"sampling-weight", "pay"},
                                            {"individual-risk", "0.04"},
                                            {"global-risk", "0.02"},
                                            {"population-uniques", "0.1"},
                                            {"threads", "1"}}};
/* `pay` is the household. */
static const fault_job anonymizes_households = {"anonymize",
                                                {{"qi", "age=intervals:20,town=suppress"},
                                                 {"sensitive", "ill"},
                                                 {"household", "pay"},
                                                 {"household-risk", "0.75"},
                                                 {"l", "2"},
                                                 {"suppress", "3"},
                                                 {"cost", "ncp"},
                                                 {"threads", "1"}}};
static const fault_job searches_compositions = {"search",
                                                {{"qi", "town=suppress"},
                                                 {"household", "pay"},
                                                 {"household-promise", "composition"},
                                                 {"k", "2"},
                                                 {"suppress", "4"},
                                                 {"threads", "1"}}};
static const fault_job verifies_households = {"verify",
                                              {{"qi", "town"},
                                               {"household", "pay"},
                                               {"household-risk", "0.9"},
                                               {"k", "1"},
                                               {"threads", "1"}}};
static const fault_job risks_people = {
    "risk", {{"qi", "town"}, {"sensitive", "ill"}, {"person", "pay"}, {"threads", "1"}}};

static const fault_table people = {{"age", "town", "ill", "pay"},
                                   {{"31", "Bonn", "flu", "10"},
                                    {"34", "Bonn", "cold", "20"},
                                    {"35", "Bonn", "hiv", "30"},
                                    {"39", "Bonn", "flu", "40"},
                                    {"62", "Ulm", "flu", "20"},
                                    {"64", "Ulm", "hiv", "50"},
                                    {"66", "Ulm", "cold", "50"},
                                    {"91", "Kiel", "flu", "10"},
                                    {"92", "Kiel", "flu", "10"},
                                    {"5", "Trier", "hiv", "100"}}};

static void anonymize_under_all_models_survives_every_failure(void **state) {
    (void)state;
    fault_expect_clean(&people, &anonymizes);
}

static void counting_people_survives_every_failure(void **state) {
    (void)state;
    fault_expect_clean(&people, &anonymizes_people);
    fault_expect_clean(&people, &anonymizes_k_people);
    fault_expect_clean(&people, &searches_histories);
    fault_expect_clean(&people, &searches_models_of_histories);
    fault_expect_clean(&people, &verifies_people);
    fault_expect_clean(&people, &risks_people);
}

static void summing_weights_survives_every_failure(void **state) {
    (void)state;
    fault_expect_clean(&people, &anonymizes_weights);
    fault_expect_clean(&people, &searches_weights);
    fault_expect_clean(&people, &verifies_weights);
}

static void leaving_households_out_survives_every_failure(void **state) {
    (void)state;
    fault_expect_clean(&people, &anonymizes_households);
    fault_expect_clean(&people, &searches_compositions);
    fault_expect_clean(&people, &verifies_households);
}

static void search_under_models_survives_every_failure(void **state) {
    (void)state;
    fault_expect_clean(&people, &searches);
}

static void verify_of_all_models_survives_every_failure(void **state) {
    (void)state;
    fault_expect_clean(&people, &verifies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anonymize_under_all_models_survives_every_failure),
        cmocka_unit_test(search_under_models_survives_every_failure),
        cmocka_unit_test(counting_people_survives_every_failure),
        cmocka_unit_test(summing_weights_survives_every_failure),
        cmocka_unit_test(leaving_households_out_survives_every_failure),
        cmocka_unit_test(verify_of_all_models_survives_every_failure),
    };
    return cmocka_run_group_tests_name("models when memory runs out", tests, NULL, NULL);
}
