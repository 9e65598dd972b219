/* `verify --ledger` while allocations fail, one by one: rows in their order, and in another one. */
#include <string.h>

#include "fault/fault.h"
#include "fault/job_faults.h"
#include "io/file_hash.h"
#include "ledger/ledger.h"

static const fault_file files[] = {{"people.csv", "id,town,ill\np0,a,x\np1,a,y\np2,b,x\np3,b,y\n"},
                                   {"first.csv", "town,ill\na,x\na,y\nb,x\nb,y\n"},
                                   {"second.csv", "town,ill\nb,x\nb,y\na,x\na,y\n"},
                                   {"key", "0123456789abcdefghijklmnopqrstuv"},
                                   {"ledger", NULL},
                                   {NULL, NULL}};

static void add_release(kan_run *run, const char *name) {
    static const kan_slice texts[] = {{"a", 1}, {"b", 1}};
    static const kan_slice ids[] = {{"p0", 2}, {"p1", 2}, {"p2", 2}, {"p3", 2}};
    static const uint32_t codes[] = {0, 1}, groups[] = {0, 0, 1, 1};
    static const kan_ledger_shown shown[] = {{"town", texts, 2, codes}};
    char room[128], other[128], content[KAN_HASH_TEXT];
    kan_ledger_mark marks[4];
    uint64_t n_bytes;
    kan_ledger *ledger;
    assert_int_equal(kan_hash_file(run, fault_path(name, room), content, &n_bytes), KAN_OK);
    assert_int_equal(kan_ledger_open(run, fault_path("ledger", room), fault_path("key", other),
                                     KAN_LEDGER_WRITE, &ledger),
                     KAN_OK);
    assert_int_equal(kan_ledger_bind(ledger, "id"), KAN_OK);
    assert_int_equal(kan_ledger_make_marks(ledger, ids, 4, marks), KAN_OK);
    const kan_ledger_release facts = {.name = name,
                                      .place = "",
                                      .content = content,
                                      .job = "",
                                      .settings = "",
                                      .k = 2,
                                      .n_rows = 4,
                                      .n_groups = 2,
                                      .shown = shown,
                                      .n_shown = 1,
                                      .n_tuples = 2};
    assert_int_equal(kan_ledger_stage(ledger, &facts, marks, groups, 4), KAN_OK);
    kan_ledger_commit(ledger);
    kan_ledger_close(ledger);
}

static kan_status verify(kan_job *job, const char *release) {
    KAN_TRY(fault_set(job, "input", release));
    KAN_TRY(fault_set(job, "original", "%s/people.csv"));
    KAN_TRY(fault_set(job, "ledger", "%s/ledger"));
    KAN_TRY(fault_set(job, "key", "%s/key"));
    KAN_TRY(kan_job_set(job, "qi", "town"));
    KAN_TRY(kan_job_set(job, "sensitive", "ill"));
    KAN_TRY(kan_job_set(job, "k", "2"));
    KAN_TRY(kan_job_set(job, "l", "2"));
    return fault_run(job, "verify");
}

static kan_status verify_in_order(kan_job *job) {
    return verify(job, "%s/first.csv");
}

static kan_status verify_in_another(kan_job *job) {
    return verify(job, "%s/second.csv");
}

static void a_verification_survives_every_failing_allocation(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    add_release(run, "first.csv");
    add_release(run, "second.csv");
    kan_run_destroy(run);
    fault_survive_allocations(verify_in_order, NULL, 50);
    fault_survive_allocations(verify_in_another, NULL, 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verification_survives_every_failing_allocation),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
