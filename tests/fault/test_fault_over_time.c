/* A later release of a ledger while allocations fail, one by one: of people with several rows, some of whom have
 * left, so that others leave for them; and by searches over regions, clusters and cuts. */
#include <string.h>

#include "fault/fault.h"
#include "fault/job_faults.h"
#include "ledger/ledger.h"

static const fault_file files[] = {
    {"people.csv", "id,town,ill\np0,a,x\np0,b,y\np1,a,y\np1,b,x\np2,a,x\np2,b,y\np3,a,y\np3,b,x\n"
                   "p5,b,x\np6,b,y\np7,b,x\np8,a,x\np9,a,y\n"},
    {"patients.csv", "id,town,ill\np0,a,x\np1,a,y\np2,a,x\np3,a,y\np5,b,x\np6,b,y\np7,b,x\n"
                     "p8,a,x\np9,a,y\np10,b,x\n"},
    {"key", "0123456789abcdefghijklmnopqrstuv"},
    {"ledger", NULL},
    {NULL, NULL}};

/* p0 to p3 and p4 to p7 were together. */
static void add_release(kan_run *run) {
    static const kan_slice ids[] = {{"p0", 2}, {"p1", 2}, {"p2", 2}, {"p3", 2},
                                    {"p4", 2}, {"p5", 2}, {"p6", 2}, {"p7", 2}};
    static const uint32_t groups[] = {0, 0, 0, 0, 1, 1, 1, 1}, codes[] = {0, 1};
    static const kan_slice texts[] = {{"a", 1}, {"b", 1}};
    static const kan_ledger_shown shown[] = {{"town", texts, 2, codes}};
    char room[128], other[128];
    kan_ledger_mark marks[8];
    kan_ledger *ledger;
    assert_int_equal(kan_ledger_open(run, fault_path("ledger", room), fault_path("key", other),
                                     KAN_LEDGER_WRITE, &ledger),
                     KAN_OK);
    assert_int_equal(kan_ledger_bind(ledger, "id"), KAN_OK);
    assert_int_equal(kan_ledger_make_marks(ledger, ids, 8, marks), KAN_OK);
    const kan_ledger_release facts = {.name = "",
                                      .place = "",
                                      .content = "",
                                      .job = "",
                                      .settings = "",
                                      .k = 2,
                                      .n_rows = 8,
                                      .n_groups = 2,
                                      .shown = shown,
                                      .n_shown = 1,
                                      .n_tuples = 2};
    assert_int_equal(kan_ledger_stage(ledger, &facts, marks, groups, 8), KAN_OK);
    kan_ledger_commit(ledger);
    kan_ledger_close(ledger);
}

static kan_status ask(kan_job *job, const char *input, const char *names) {
    KAN_TRY(fault_set(job, "input", input));
    KAN_TRY(fault_set(job, "ledger", "%s/ledger"));
    KAN_TRY(fault_set(job, "key", "%s/key"));
    KAN_TRY(kan_job_set(job, names, "id"));
    KAN_TRY(kan_job_set(job, "qi", "town=suppress"));
    KAN_TRY(kan_job_set(job, "sensitive", "ill"));
    KAN_TRY(kan_job_set(job, "k", "2"));
    KAN_TRY(kan_job_set(job, "l", "2"));
    KAN_TRY(kan_job_set(job, "suppress", "6"));
    return kan_job_set(job, "leavers", "repair");
}

static const char *algorithm; /* of the search that is asked for */

static kan_status look_with_search(kan_job *job) {
    const bool cuts = strcmp(algorithm, "k-optimize") == 0;
    KAN_TRY(fault_set(job, "input", "%s/patients.csv"));
    KAN_TRY(fault_set(job, "ledger", "%s/ledger"));
    KAN_TRY(fault_set(job, "key", "%s/key"));
    KAN_TRY(kan_job_set(job, "id", "id"));
    KAN_TRY(kan_job_set(job, "qi", "town=suppress"));
    KAN_TRY(kan_job_set(job, cuts ? "drop" : "sensitive", "ill"));
    KAN_TRY(kan_job_set(job, "k", "2"));
    if (!cuts)
        KAN_TRY(kan_job_set(job, "l", "2"));
    KAN_TRY(kan_job_set(job, "suppress", "6"));
    KAN_TRY(kan_job_set(job, "cost", "discernibility"));
    KAN_TRY(kan_job_set(job, "algorithm", algorithm));
    return fault_run(job, "search");
}

static kan_status look_at_people(kan_job *job) {
    KAN_TRY(ask(job, "%s/people.csv", "person"));
    return fault_run(job, "search");
}

static kan_status release_people(kan_job *job) {
    KAN_TRY(ask(job, "%s/people.csv", "person"));
    KAN_TRY(fault_set(job, "output", "%s/out.csv"));
    return fault_run(job, "anonymize");
}

static kan_status look_at_rows(kan_job *job) {
    KAN_TRY(ask(job, "%s/patients.csv", "id"));
    return fault_run(job, "search");
}

/* p10 alone is new in her town. */
static kan_status look_at_newcomers(kan_job *job) {
    KAN_TRY(ask(job, "%s/patients.csv", "id"));
    KAN_TRY(kan_job_set(job, "attacker", "knows-if"));
    return fault_run(job, "search");
}

static void a_later_release_survives_every_failing_allocation(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    add_release(run);
    kan_run_destroy(run);
    fault_survive_allocations(look_at_people, NULL, 50);
    fault_survive_allocations(look_at_rows, NULL, 50);
    fault_survive_allocations(look_at_newcomers, NULL, 50);
    fault_survive_allocations(release_people, "out.csv", 50);
}

static void other_searches_survive_every_failing_allocation(void **state) {
    static const char *const searches[] = {"mondrian", "mondrian-relaxed", "iterate", "k-optimize"};
    (void)state;
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        algorithm = searches[i];
        fault_survive_allocations(look_with_search, NULL, 50);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_release_survives_every_failing_allocation),
        cmocka_unit_test(other_searches_survive_every_failing_allocation),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
